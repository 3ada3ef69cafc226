//! The paper's Section 6: gamma = 0.99, H = 100, 1012 candidates, start in s1, five seeds.
//!
//! The paper gives neither K nor lambda nor rho; these are the library's defaults.

use crate::common::learners::{family, river};
use crate::common::published::RIVER_BALANCE;
use itertools::Itertools;
use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::planning::{TabularExact, class_optimum};
use sporadic::simulation::{Every, Regret, Returns, Simulation, Streams};

const BETAS: [f64; 4] = [0.05, 0.1, 0.2, 0.5];
const SEEDS: u64 = 5;
/// The same number for all settings, not fitted to any. What is asserted is the mean over seeds, as
/// in the paper's figure: a single run may be exploring just then. Of seeds 0 to 19, after so many
/// episodes, at most two are below 95% in any setting, the worst at 90.8% (RiverBalance, beta 0.2,
/// seed 7), and the means are 96.5% to 99.6%: see `twenty_seeds`.
const EPISODES: u64 = 2_500;
/// How many of the last policies count, of every tenth.
const LAST: usize = 10;

/// For each seed: the exact values of every tenth policy, as shares of the class optimum.
fn shares(name: &str, beta: f64, episodes: u64, seeds: u64) -> Vec<Vec<f64>> {
    let model = river(name, beta);
    let family = family();
    let best = class_optimum(&model, &family).unwrap().values;
    let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family).unwrap();
    (0..seeds)
        .map(|seed| {
            let mut agent =
                TabularLsviUcb::new(candidates.clone(), LsviUcbParams::default()).unwrap();
            let mut regret = Every(
                10,
                Regret::new(
                    TabularExact::new(&model).with_bracket(best.clone(), best.clone()).unwrap(),
                ),
            );
            Simulation::new(&model, Streams::new(seed))
                .run(0..episodes, &mut agent, &mut regret)
                .unwrap();
            regret.1.episodes().iter().map(|e| e.value.unwrap() / best[0]).collect()
        })
        .collect()
}

/// The mean over seeds of the last policies' values.
fn plateau(runs: &[Vec<f64>]) -> f64 {
    let last = runs.iter().flat_map(|run| &run[run.len() - LAST..]);
    last.sum::<f64>() / (runs.len() * LAST) as f64
}

#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn river_swim_is_learnt_sooner_for_smaller_beta() {
    let mut areas = Vec::new();
    for beta in BETAS {
        let runs = shares("river_swim", beta, EPISODES, SEEDS);
        let last = plateau(&runs);
        assert!((0.95..=1.0 + 1e-9).contains(&last), "beta {beta}: {last}");
        // How much was lost in the first 1500 episodes, over all seeds.
        areas.push(runs.iter().flat_map(|run| &run[..150]).map(|x| 1.0 - x).sum::<f64>());
    }
    println!("lost on RiverSwim, by beta: {areas:.1?}");
    assert!(areas.windows(2).all(|w| w[0] < w[1]), "{areas:?}");
}

#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn river_balance_plateaus_rise_with_beta() {
    let mut plateaus = Vec::new();
    for (beta, best) in RIVER_BALANCE {
        let runs = shares("river_balance", beta, EPISODES, SEEDS);
        for (seed, run) in runs.iter().enumerate() {
            assert!(run.iter().all(|&x| x <= 1.0 + 1e-9), "beta {beta}, seed {seed}");
        }
        let last = plateau(&runs);
        assert!(last >= 0.95, "beta {beta}: {last}");
        plateaus.push(best[0] * last);
    }
    println!("plateaus on RiverBalance, by beta: {plateaus:.3?}");
    assert!(plateaus.windows(2).all(|w| w[0] < w[1]), "{plateaus:?}");
}

/// Prints with `--nocapture` how far single runs are from the mean.
#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn twenty_seeds() {
    for (name, beta) in itertools::iproduct!(["river_swim", "river_balance"], BETAS) {
        let runs = shares(name, beta, EPISODES, 20);
        let each: Vec<f64> = runs.iter().map(|run| plateau(std::slice::from_ref(run))).collect();
        let (worst, low) = (each.iter().copied().fold(1.0, f64::min), |x: &&f64| **x < 0.95);
        let low = each.iter().filter(low).count();
        println!("{name} {beta}: mean {:.4}, worst {worst:.4}, {low} below 0.95", plateau(&runs));
        assert!(plateau(&runs) >= 0.95);
    }
}

#[test]
fn a_short_learning_curve() {
    let model = river("river_balance", 0.2);
    let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family()).unwrap();
    let mut agent = TabularLsviUcb::new(candidates, LsviUcbParams::default()).unwrap();
    let mut returns = Returns::new();
    Simulation::new(&model, Streams::new(1)).run(0..200, &mut agent, &mut returns).unwrap();
    let curve = returns.running_mean().skip(19).step_by(20).map(|v| format!("{v:.1}")).join(" ");
    insta::assert_snapshot!(curve, @"18.5 11.5 11.2 11.7 12.5 16.7 17.5 19.2 19.7 20.5");
}
