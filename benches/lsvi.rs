//! Algorithm 1: the planning phase alone, whole episodes, and how both grow.
//!
//! `cargo bench --bench lsvi`
#![allow(missing_docs)]

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use sporadic::agents::{Agent, Candidates, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Simulation, Streams};

fn agent(model: &Tabular<f64>, family: Vec<ActionSequence>) -> TabularLsviUcb<f64> {
    let psi = TabularPsi::new(model.clone());
    let candidates = Candidates::one_hot(&psi, family).expect("a valid family");
    TabularLsviUcb::new(candidates, LsviUcbParams::default()).expect("valid parameters")
}

/// Times `begin_episode`, which is lines 2 to 10 and nothing else, of an agent that has just ended an
/// episode.
fn planning(c: &mut Criterion, group: &str, id: BenchmarkId, agent: &TabularLsviUcb<f64>) {
    c.benchmark_group(group).bench_function(id, |b| {
        b.iter_batched_ref(
            || agent.clone(),
            |agent| agent.begin_episode(&0),
            BatchSize::LargeInput,
        );
    });
}

/// The paper's second experiment: 6 states, 1012 candidates, H = 100. An iteration of the second
/// group is 20 episodes.
fn history(c: &mut Criterion) {
    for beta in [0.05, 0.5] {
        let model = gallery::river_balance::<f64>(6, beta, 0.99).expect("a valid model");
        let mut agent = agent(&model, runs(2, 5, 10).collect());
        let world = Simulation::new(&model, Streams::new(1));
        let mut done = 0;
        for k in [100, 1_000, 10_000] {
            world.run(done..k, &mut agent, &mut ()).expect("a legal run");
            done = k;
            let id = || BenchmarkId::new(format!("beta {beta}"), k);
            planning(c, "planning on RiverBalance after k", id(), &agent);
            c.benchmark_group("20 episodes on RiverBalance after k").bench_function(id(), |b| {
                b.iter_batched_ref(
                    || agent.clone(),
                    |agent| world.run(k..k + 20, agent, &mut ()),
                    BatchSize::LargeInput,
                );
            });
        }
    }
}

/// Planning after 100 episodes on longer chains, with more candidates.
fn growth(c: &mut Criterion) {
    let mut case = |group: &str, n: usize, prefix: usize, run: usize| {
        let model = gallery::river_swim::<f64>(n, 0.1, 0.99).expect("a valid model");
        let family: Vec<_> = runs(2, prefix, run).collect();
        let id = BenchmarkId::new(format!("{n} states, candidates"), family.len());
        let mut agent = agent(&model, family);
        let world = Simulation::new(&model, Streams::new(1));
        world.run(0..100, &mut agent, &mut ()).expect("a legal run");
        planning(c, group, id, &agent);
    };
    for n in [6, 12, 24, 48] {
        case("planning, growing chain", n, 5, 5);
    }
    for (prefix, run) in [(5, 5), (5, 10), (10, 14), (20, 20)] {
        case("planning, growing family", 6, prefix, run);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = history, growth
}
criterion_main!(benches);
