//! The costs in the table of the `oracles` module, and the prefixes that a certificate takes.
//!
//! `cargo bench --bench oracles`; with `-- full` the searches that need millions of prefixes too.

#[path = "../tests/fixtures/objectives.rs"]
#[allow(dead_code, unreachable_pub)] // the tests use the rest
mod objectives;

use std::time::Instant;

use sporadic::oracles::{
    Beam, BranchAndBound, Counted, Exhaustive, Periodic, Portfolio, SequenceOracle, Truncated,
};
use sporadic::sequence::runs;

fn main() {
    let full = std::env::args().any(|arg| arg == "full");
    let fixtures = objectives::load();
    let mut oracles: Vec<(&str, Box<dyn SequenceOracle<f64>>)> = vec![
        ("Exhaustive, 1012 runs", Box::new(Exhaustive::new(runs(2, 5, 10)))),
        ("Periodic 4 + 6", Box::new(Periodic { prefix: 4, period: 6 })),
        ("Truncated 14", Box::new(Truncated::new(14))),
        ("Beam 64 x 100", Box::new(Beam { width: 64, depth: 100 })),
        ("BranchAndBound 0.1", Box::new(BranchAndBound::new(0.1).with_nodes(20_000))),
        (
            "Portfolio of the last two",
            Box::new(
                Portfolio::new()
                    .with(Beam { width: 64, depth: 100 })
                    .with(BranchAndBound::new(0.1).with_nodes(20_000)),
            ),
        ),
    ];
    println!("K(s1, .) after 3,000 episodes on RiverBalance; every row makes its own tables\n");
    println!(
        "{:<27}{:>6}{:>10}{:>10}{:>8}{:>11}{:>9}",
        "oracle", "beta", "value", "bound", "gap", "candidates", "ms"
    );
    for (name, oracle) in &mut oracles {
        for fixture in fixtures.iter().filter(|f| f.episodes == 3000 && f.beta < 0.4) {
            let start = Instant::now();
            let choice = oracle.maximize(&mut fixture.objective(0)).expect("a choice");
            println!(
                "{name:<27}{:>6}{:>10.3}{:>10.3}{:>8.3}{:>11}{:>9.0}",
                fixture.beta,
                choice.value,
                choice.upper_bound,
                choice.gap(),
                choice.evaluated,
                start.elapsed().as_secs_f64() * 1e3
            );
        }
    }

    let limit = if full { 2_000_000 } else { 100_000 };
    println!(
        "\nBranchAndBound at s1: prefixes bounded, at most {limit}; 2^L is what plain enumeration takes\n"
    );
    println!(
        "{:>5}{:>9}{:>7}{:>10}{:>10}{:>9}{:>8}{:>8}",
        "beta", "episodes", "gap", "value", "bound", "prefixes", "2^L", "ms"
    );
    for fixture in &fixtures {
        for gap in [1.0, 0.1, 0.01] {
            let depth = Truncated::within(gap, fixture.gamma, fixture.beta, 100.0)
                .expect("a depth")
                .depth();
            let mut counted = Counted::new(fixture.objective(0));
            let start = Instant::now();
            let choice = BranchAndBound::new(gap)
                .with_nodes(limit)
                .maximize(&mut counted)
                .expect("a choice");
            println!(
                "{:>5}{:>9}{gap:>7}{:>10.3}{:>10.3}{:>9}{:>8}{:>8.0}",
                fixture.beta,
                fixture.episodes,
                choice.value,
                choice.upper_bound,
                counted.bounds_asked(),
                format!("2^{depth}"),
                start.elapsed().as_secs_f64() * 1e3
            );
        }
    }
}
