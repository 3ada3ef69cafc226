//! Learning with psi estimated from N samples, beside the exact psi, on RiverBalance.
//!
//! `cargo run --release --example estimate_then_learn`

use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
use sporadic::estimators::{Estimator, Exploratory, TabularEstimator, plug_in};
use sporadic::features::{OneHot, TabularPsi};
use sporadic::model::{Tabular, gallery};
use sporadic::planning::class_optimum;
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Regret, Simulation, Streams};

const GAMMA: f64 = 0.99;
const SHOWN: [usize; 4] = [50, 200, 500, 1_000];

type Failure = Box<dyn std::error::Error>;

/// The mean exact value of the policies played so far, times (1 - gamma), at the episodes shown.
fn learn(model: &Tabular<f64>, candidates: Candidates<f64>) -> Result<Vec<f64>, Failure> {
    let mut agent = TabularLsviUcb::new(candidates, LsviUcbParams::default())?;
    let mut values = Regret::of(model).ok_or("a table has exact values")?;
    Simulation::new(model, Streams::new(1)).run(0..1_000, &mut agent, &mut values)?;
    let curve = values.curve()?; // regret against zero: minus the values
    Ok(SHOWN.iter().map(|&k| -(1.0 - GAMMA) * curve[k - 1].upper / k as f64).collect())
}

/// The candidates as seen through dynamics estimated from `samples` exploratory transitions.
fn estimated(
    model: &Tabular<f64>,
    family: &[ActionSequence],
    samples: usize,
) -> Result<Candidates<f64>, Failure> {
    let mut estimator = TabularEstimator::new(6, 2, GAMMA)?;
    let source = Exploratory::uniform(model);
    let mut rng = Streams::new(7).agent();
    for _ in 0..samples {
        estimator.observe(&source.sample(&mut rng));
    }
    let psi = plug_in(OneHot::new(6, 2), estimator.estimate()?)?;
    Ok(Candidates::new(&psi, 6, family.iter().cloned())?)
}

fn main() -> Result<(), Failure> {
    let model = gallery::river_balance(6, 0.2, GAMMA)?;
    let family: Vec<_> = runs(2, 5, 10).collect();
    let best = class_optimum(&model, &family)?.values[0];

    println!("RiverBalance, beta 0.2: mean value of the policies played, times (1 - gamma)");
    println!("psi          {:>9}{:>9}{:>9}{:>9}", SHOWN[0], SHOWN[1], SHOWN[2], SHOWN[3]);
    let print = |name: &str, curve: &[f64]| {
        print!("{name:<13}");
        curve.iter().for_each(|v| print!("{v:9.3}"));
        println!();
    };
    let exact = Candidates::one_hot(&TabularPsi::new(model.clone()), family.iter().cloned())?;
    print("exact", &learn(&model, exact)?);
    for samples in [300, 3_000, 30_000] {
        let candidates = estimated(&model, &family, samples)?;
        print(&format!("N = {samples}"), &learn(&model, candidates)?);
    }
    println!("best of the family {:.3}", (1.0 - GAMMA) * best);
    Ok(())
}
