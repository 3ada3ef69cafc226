//! Algorithm 1: the planning phase alone, whole episodes, and how both grow.
//!
//! `cargo bench --bench lsvi`
#![allow(missing_docs)]

use std::cell::{LazyCell, RefCell};

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use nalgebra::Const;
use rand_pcg::Pcg64;
use sporadic::agents::{
    AdaptiveLsviUcb, Agent, Candidates, LsviUcb, LsviUcbParams, Replanning, Resume as _,
    TabularLsviUcb,
};
use sporadic::features::{Psi, RandomLinear, TabularPsi};
use sporadic::model::{Tabular, gallery};
use sporadic::oracles::Exhaustive;
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Simulation, Streams};

fn agent(model: &Tabular<f64>, family: Vec<ActionSequence>) -> TabularLsviUcb<f64> {
    let psi = TabularPsi::new(model.clone());
    let candidates = Candidates::one_hot(&psi, family).expect("a valid family");
    TabularLsviUcb::new(candidates, LsviUcbParams::default()).expect("valid parameters")
}

/// Times `begin_episode`, which is lines 2 to 10 and nothing else, of an agent that has just ended an
/// episode.
fn planning<F: FnOnce() -> TabularLsviUcb<f64>>(
    c: &mut Criterion,
    group: &str,
    id: BenchmarkId,
    trained: &LazyCell<TabularLsviUcb<f64>, F>,
) {
    c.benchmark_group(group).bench_function(id, |b| {
        b.iter_batched_ref(
            || LazyCell::force(trained).clone(),
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
        let world = Simulation::new(&model, Streams::new(1));
        for k in [100, 1_000, 10_000] {
            let trained = LazyCell::new(|| {
                let mut agent = agent(&model, runs(2, 5, 10).collect());
                world.run(0..k, &mut agent, &mut ()).expect("a legal run");
                agent
            });
            let id = || BenchmarkId::new(format!("beta {beta}"), k);
            planning(c, "planning on RiverBalance after k", id(), &trained);
            c.benchmark_group("20 episodes on RiverBalance after k").bench_function(id(), |b| {
                b.iter_batched_ref(
                    || LazyCell::force(&trained).clone(),
                    |agent| world.run(k..k + 20, agent, &mut ()),
                    BatchSize::LargeInput,
                );
            });
        }
    }
}

/// The paper's 1012 sequences and the pool over all of them, searches included: an iteration is 500 episodes.
fn pool(c: &mut Criterion) {
    for (states, betas) in [(6, &[0.05, 0.1, 0.2, 0.5][..]), (12, &[0.1])] {
        for &beta in betas {
            let model = gallery::river_balance::<f64>(states, beta, 0.99).expect("a valid model");
            let world = Simulation::new(&model, Streams::new(1));
            let mut group = c.benchmark_group(format!(
                "500 episodes on RiverBalance, {states} states, beta {beta}"
            ));
            for from in [500, 4_500] {
                let mut family = agent(&model, runs(2, 5, 10).collect());
                world.run(0..from, &mut family, &mut ()).expect("a legal run");
                group.bench_function(BenchmarkId::new("runs:5,10, after", from), |b| {
                    b.iter(|| world.run(from..from + 500, &mut family.clone(), &mut ()));
                });
                let size = AdaptiveLsviUcb::<f64>::SIZE;
                let params = LsviUcbParams::default();
                let mut pool = AdaptiveLsviUcb::for_model(&model, size, params).expect("a learner");
                world.run(0..from, &mut pool, &mut ()).expect("a legal run");
                group.bench_function(BenchmarkId::new("adaptive, after", from), |b| {
                    b.iter(|| world.run(from..from + 500, &mut pool.clone(), &mut ()));
                });
            }
        }
    }
}

/// Planning after 100 episodes on longer chains, with more candidates.
fn growth(c: &mut Criterion) {
    let mut case = |group: &str, n: usize, prefix: usize, run: usize| {
        let model = gallery::river_swim::<f64>(n, 0.1, 0.99).expect("a valid model");
        let family: Vec<_> = runs(2, prefix, run).collect();
        let id = BenchmarkId::new(format!("{n} states, candidates"), family.len());
        let trained = LazyCell::new(|| {
            let mut agent = agent(&model, family);
            let world = Simulation::new(&model, Streams::new(1));
            world.run(0..100, &mut agent, &mut ()).expect("a legal run");
            agent
        });
        planning(c, group, id, &trained);
    };
    for n in [6, 12, 24, 48] {
        case("planning, growing chain", n, 5, 5);
    }
    for (prefix, run) in [(5, 5), (5, 10), (10, 14), (20, 20)] {
        case("planning, growing family", 6, prefix, run);
    }
}

/// The general learner on continuous states, d = 3, where every sighting is a state of its own: it
/// plans over all states that segments have ended in.
fn continuous(c: &mut Criterion) {
    let mut rng = Pcg64::new(3, 1);
    let env = RandomLinear::<f64, _>::new(Const::<3>, vec![0.3, 0.6], 0.8, &mut rng)
        .expect("a valid model");
    let model = env.linear_model(10);
    let world = Simulation::new(&env, Streams::new(1));
    for episodes in [25, 50, 100, 200] {
        let trained = LazyCell::new(|| {
            let dynamics = model.dynamics(&[0.3, 0.6], 0.8).expect("valid dynamics");
            let psi = Psi::new(&env, dynamics).expect("one dimension");
            let params = LsviUcbParams::default().with_horizon(6).with_rho(0.3);
            let oracle = Exhaustive::new(runs(2, 1, 2));
            let mut agent = LsviUcb::new(psi, oracle, params).expect("valid parameters");
            world.run(0..episodes, &mut agent, &mut ()).expect("a legal run");
            println!("after {episodes} episodes {} states have been seen", agent.num_ends());
            RefCell::new(agent)
        });
        let id = BenchmarkId::new("12 candidates, H = 6, episodes", episodes);
        c.benchmark_group("planning on continuous states").bench_function(id, |b| {
            let mut agent = trained.borrow_mut();
            b.iter(|| agent.begin_episode(&0.5));
        });
    }
}

/// The same with d = 8, 262 candidates and H = 30: how planning for all states at once grows with their number.
fn continuous_family(c: &mut Criterion) {
    let beta = [0.2, 0.5];
    let env = RandomLinear::<f64, _>::new(Const::<8>, beta.to_vec(), 0.9, &mut Pcg64::new(3, 1))
        .expect("a valid model");
    let dynamics = env.linear_model(16).dynamics(&beta, 0.9).expect("valid dynamics");
    let world = Simulation::new(&env, Streams::new(1));
    for episodes in [100, 400, 1_600] {
        let trained = LazyCell::new(|| {
            let psi = Psi::new(&env, dynamics.clone()).expect("one dimension");
            let params = LsviUcbParams::default().with_horizon(30).with_rho(1.0);
            let seldom = params.with_replanning(Replanning::DeterminantGrowth(2.0));
            let oracle = || Exhaustive::new(runs(2, 5, 5));
            let mut agent = LsviUcb::new(psi.clone(), oracle(), seldom).expect("valid parameters");
            world.run(0..episodes, &mut agent, &mut ()).expect("a legal run");
            // From here on one that plans whenever it is asked to begin.
            let mut always = LsviUcb::new(psi, oracle(), params).expect("valid parameters");
            always.restore(agent.state()).expect("its own state");
            println!("after {episodes} episodes {} states have been seen", always.num_ends());
            RefCell::new(always)
        });
        let id = BenchmarkId::new("262 candidates, H = 30, episodes", episodes);
        c.benchmark_group("planning on continuous states").bench_function(id, |b| {
            let mut agent = trained.borrow_mut();
            b.iter(|| agent.begin_episode(&0.5));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = history, pool, growth, continuous, continuous_family
}
criterion_main!(benches);
