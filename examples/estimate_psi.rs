//! psi from N samples: the errors that were made, and what the bounds said of them.
//!
//! ```text
//! cargo run --release --example estimate_psi
//! ```

use std::error::Error;

use rand_pcg::Pcg64;
use sporadic::estimators::{
    BlockBootstrap, Exploratory, Lemmas, SufficientStatistics, TabularEstimator, beta_distance,
    matrix_distance, plug_in,
};
use sporadic::estimators::{BoundKind, ErrorBounds, Estimator};
use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures};
use sporadic::model::gallery;
use sporadic::sequence::runs;

fn main() -> Result<(), Box<dyn Error>> {
    let (gamma, confidence) = (0.9, 0.9);
    let model = gallery::river_balance::<f64>(6, 0.3, gamma)?;
    let phi = OneHot::of(&model);
    let truth = Psi::new(phi, Dynamics::one_hot(&model, phi))?;
    let sampler = Exploratory::uniform(&model);
    let lemmas = Lemmas::new(12, 2, gamma, sampler.exploration()?)?;
    let family: Vec<_> = runs(2, 5, 10).collect();

    println!("RiverBalance, d = 12, gamma = {gamma}, confidence {confidence}, uniform (s, a)\n");
    println!("{:>9} | {:^39} | {:^29}", "", "sup ||M-hat - M||", "sup |beta-hat - beta|");
    println!(
        "{:>9} | {:>9}{:>10}{:>10}{:>10} | {:>9}{:>10}{:>10} | {:>14}",
        "N", "error", "bootstr.", "observed", "lemma", "error", "observed", "lemma", "psi error"
    );
    let mut rng = Pcg64::new(1, 1);
    let empty = TabularEstimator::new(6, 2, gamma)?.with_exploration(sampler.exploration()?);
    let mut bootstrap = BlockBootstrap::new(empty, 32)?;
    let mut drawn = 0;
    for n in [1_000, 10_000, 100_000, 1_000_000] {
        while drawn < n {
            bootstrap.observe(&sampler.sample(&mut rng));
            drawn += 1;
        }
        let total = bootstrap.total()?;
        let estimate = total.estimate()?;
        let (lemma, observed) = (total.error_bounds(confidence), total.observed_bounds(confidence));
        let (m, b) = (
            matrix_distance(&estimate, truth.dynamics()),
            beta_distance(&estimate, truth.dynamics()),
        );
        let boot = bootstrap.bounds(200, confidence, &mut rng)?;
        let hat = plug_in(phi, estimate)?;
        let psi_error = (0..6)
            .flat_map(|s| {
                let apart = hat.batch(&s, &family) - truth.batch(&s, &family);
                apart.column_iter().map(|c| c.norm()).collect::<Vec<_>>()
            })
            .fold(0.0, f64::max);
        println!(
            "{n:>9} | {m:>9.4}{:>10.4}{:>10.4}{:>10.3} | {b:>9.4}{:>10.4}{:>10.4} | {psi_error:>14.5}",
            boot.matrices, observed.matrices, lemma.matrices, observed.beta, lemma.beta
        );
        if n == 1_000_000 {
            let actual = ErrorBounds::new(BoundKind::Given, 12, gamma, m, b);
            println!("\nWhat the theorem makes of the actual errors at N = {n}:\n{actual}");
        }
    }
    for known in [true, false] {
        let n = lemmas.samples_needed(0.5, 1.0 - confidence, known)?;
        let which = if known { "known" } else { "unknown" };
        println!("psi-tilde is .5-admissible after {n:.3e} samples, beta {which}", n = n as f64);
    }
    Ok(())
}
