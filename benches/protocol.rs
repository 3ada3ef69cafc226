//! Rounds of the protocol per second, on one core.
#![allow(missing_docs)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sporadic::agents::FixedSequence;
use sporadic::model::gallery;
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{EpisodeSummary, Observer, Simulation, Streams};

const EPISODES: u64 = 2_000;

#[derive(Default)]
struct Rounds(u64);

impl<S, T> Observer<S, T> for Rounds {
    fn episode_end(&mut self, summary: &EpisodeSummary<T>) {
        self.0 += summary.rounds;
    }
}

fn protocol(c: &mut Criterion) {
    let mut group = c.benchmark_group("protocol");
    for n in [6, 1_000, 10_000] {
        let swim = gallery::river_swim::<f64>(n, 0.1, 0.99).expect("valid parameters");
        for sequence in ["(1)", "111(01)"] {
            let sequence: ActionSequence = sequence.parse().expect("a valid sequence");
            let name = format!("river-swim/{n}/{sequence}");
            let mut agent = FixedSequence::new(sequence);
            let world = Simulation::new(&swim, Streams::new(1));
            // Starts all over the chain, so that a large one does not stay in the cache.
            let start = |k: u64| usize::try_from(k * 7_919).unwrap_or(0) % n;
            let mut rounds = Rounds::default();
            world.run_from(0..EPISODES, start, &mut agent, &mut rounds).expect("a legal run");
            group.throughput(Throughput::Elements(rounds.0));
            group.bench_function(name, |b| {
                b.iter(|| world.run_from(0..EPISODES, start, &mut agent, &mut ()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, protocol);
criterion_main!(benches);
