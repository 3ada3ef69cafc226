//! One model, one objective, every oracle: `cargo run --release --example swap_oracles`.
//!
//! The objective is what a learner maximises: the exact K of `RiverBalance` plus a bonus that is small
//! where it has been. The last column but two says how far from the best of *all* sequences an
//! answer may be.

use std::time::Instant;

use nalgebra::DMatrix;
use sporadic::features::{SequenceFeatures, TabularPsi};
use sporadic::model::gallery;
use sporadic::oracles::{
    Beam, BranchAndBound, Exhaustive, FeatureObjective, Periodic, Portfolio, SequenceOracle,
    Truncated,
};
use sporadic::sequence::runs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let psi = TabularPsi::new(gallery::river_balance::<f64>(6, 0.2, 0.99)?);

    // 500 segments of each of two sequences from each state: Lambda = lambda I + sum of psi psi^T.
    let mut lambda = DMatrix::identity(24, 24) * 0.01;
    for s in 0..6 {
        for played in ["(01)", "11(10)"] {
            let v = psi.psi(&s, &played.parse()?);
            lambda += &v * v.transpose() * 500.0;
        }
    }
    let inverse = lambda.try_inverse().ok_or("Lambda is invertible")?;
    let inverse = (&inverse + inverse.transpose()) * 0.5;
    let values = [55.7, 56.6, 57.7, 57.7, 56.6, 55.7];

    let oracles: Vec<(&str, Box<dyn SequenceOracle<f64>>)> = vec![
        ("Exhaustive", Box::new(Exhaustive::new(runs(2, 5, 10)))),
        ("Periodic", Box::new(Periodic { prefix: 3, period: 6 })),
        ("Truncated", Box::new(Truncated::new(12))),
        ("Beam", Box::new(Beam { width: 32, depth: 40 })),
        ("BranchAndBound", Box::new(BranchAndBound::new(0.05))),
        (
            "Portfolio",
            Box::new(
                Portfolio::new()
                    .with(Exhaustive::new(runs(2, 5, 10)))
                    .with(BranchAndBound::new(0.5)),
            ),
        ),
    ];
    println!(
        "{:<15}{:<28}{:>9}{:>9}{:>8}{:>7}{:>9}",
        "oracle", "sequence", "value", "bound", "gap", "cost", "time"
    );
    for (name, mut oracle) in oracles {
        let mut k = FeatureObjective::planning(&psi, 0, &values)?.with_bonus(5.0, &inverse)?;
        let start = Instant::now();
        let choice = oracle.maximize(&mut k)?;
        let time = start.elapsed();
        let mut sequence = choice.sequence.to_string();
        if sequence.len() > 26 {
            sequence.replace_range(23.., "...");
        }
        println!(
            "{name:<15}{sequence:<28}{:>9.3}{:>9.3}{:>8.3}{:>7}{:>7.0}ms",
            choice.value,
            choice.upper_bound,
            choice.gap(),
            choice.evaluated,
            time.as_secs_f64() * 1e3
        );
    }
    Ok(())
}
