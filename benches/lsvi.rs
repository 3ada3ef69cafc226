//! Episodes of Algorithm 1: planning, playing and learning, at several numbers of past episodes.
//!
//! `cargo bench --bench lsvi`
#![allow(missing_docs)]

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::gallery;
use sporadic::sequence::runs;
use sporadic::simulation::{Simulation, Streams};

/// The paper's second experiment: 6 states, 1012 candidates, H = 100. One iteration is 20 episodes.
fn episodes(c: &mut Criterion) {
    let mut group = c.benchmark_group("20 episodes on RiverBalance after k");
    for beta in [0.05, 0.5] {
        let model = gallery::river_balance::<f64>(6, beta, 0.99).expect("a valid model");
        let psi = TabularPsi::new(model.clone());
        let candidates = Candidates::one_hot(&psi, runs(2, 5, 10)).expect("a valid family");
        let mut agent =
            TabularLsviUcb::new(candidates, LsviUcbParams::default()).expect("valid parameters");
        let world = Simulation::new(&model, Streams::new(1));
        let mut done = 0;
        for k in [100, 1_000, 5_000, 10_000] {
            world.run(done..k, &mut agent, &mut ()).expect("a legal run");
            done = k;
            group.bench_with_input(BenchmarkId::new(format!("beta {beta}"), k), &k, |b, &k| {
                b.iter_batched_ref(
                    || agent.clone(),
                    |agent| world.run(k..k + 20, agent, &mut ()),
                    BatchSize::LargeInput,
                );
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = episodes
}
criterion_main!(benches);
