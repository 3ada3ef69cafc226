//! Large problems: a chain of 200 states with 4 actions is learnt, d = 800, with memory and time beside
//! the prediction; a chain of 10,000 states is simulated and evaluated.
//!
//! `cargo bench --bench large`
#![allow(missing_docs)]

use std::alloc::System;

use nalgebra::DMatrix;
use sporadic::agents::{Candidates, FixedSequence, LsviUcbParams, Segment, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{ModelError, Tabular, gallery};
use sporadic::planning::{Stationary, evaluate};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Observer, Returns, Simulation, Streams};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[path = "common/clock.rs"]
mod clock;

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const HORIZON: usize = 100;

/// A river with a rich pool in its middle. Two actions drift left and right and look up rarely, two
/// do the same more slowly and look up often. Episodes start anywhere.
fn pool(n: usize) -> Result<Tabular<f64>, ModelError> {
    let reward: Vec<f64> = (0..n).map(|s| f64::from(u8::from(s.abs_diff(n / 2) <= 5))).collect();
    let moves = |left: bool, p: f64| {
        (0..n).map(move |s| {
            let to = if left { s.saturating_sub(1) } else { (s + 1).min(n - 1) };
            if to == s { vec![(s, 1.0)] } else { vec![(to, p), (s, 1.0 - p)] }
        })
    };
    Tabular::builder(0.99)
        .sparse_action("left", 0.05, reward.clone(), moves(true, 0.9))
        .sparse_action("right", 0.05, reward.clone(), moves(false, 0.9))
        .sparse_action("look left", 0.3, reward.clone(), moves(true, 0.5))
        .sparse_action("look right", 0.3, reward, moves(false, 0.5))
        .initial(vec![1.0 / n as f64; n])
        .build()
}

/// Counts segments.
#[derive(Default)]
struct Segments(u64);

impl<S, T> Observer<S, T> for Segments {
    fn segment(&mut self, _episode: u64, _segment: &Segment<S, T>) {
        self.0 += 1;
    }
}

/// Multiplications and additions per second of this machine in a matrix product of this shape.
fn product_rate(rows: usize, inner: usize, columns: usize) -> f64 {
    let (a, b) =
        (DMatrix::from_element(rows, inner, 0.5), DMatrix::from_element(inner, columns, 0.5));
    let mut c = DMatrix::zeros(rows, columns);
    let (start, mut repeats) = (clock::seconds(), 0);
    while clock::seconds() < start + 0.2 {
        c.gemm(1.0, &a, &b, 0.0);
        std::hint::black_box(&c);
        repeats += 1;
    }
    2.0 * (repeats * rows * inner * columns) as f64 / (clock::seconds() - start)
}

fn learn(n: usize, episodes: u64) -> Result<(), Box<dyn std::error::Error>> {
    let model = pool(n)?;
    let family: Vec<ActionSequence> = runs(4, 1, 1).collect();
    let (m, d) = (family.len(), n * model.num_actions());
    let rows = n * m;
    println!("{n} states, {} actions, d = {d}, {m} candidates, H = {HORIZON}", model.num_actions());

    let region = Region::new(GLOBAL);
    let start = clock::seconds();
    let params = LsviUcbParams::default().with_horizon(HORIZON).with_rho(1.0);
    let candidates = Candidates::one_hot(&TabularPsi::new(model.clone()), family)?;
    let mut agent = TabularLsviUcb::new(candidates, params)?;
    let change = region.change();
    let held = change.bytes_allocated as f64 - change.bytes_deallocated as f64
        + change.bytes_reallocated as f64;
    // In double precision psi, active candidates and Lambda^-1; in single psi and bounds, by sixteens.
    let (padded, eights) = (n * m.next_multiple_of(16), n * m.next_multiple_of(8));
    let double = rows * d + eights * (1 + n) + d * d + 2 * d * (1 + n);
    let bytes = 8 * double + 4 * padded * (d + 2 + n);
    println!(
        "  memory {:.0} MB, predicted {:.0} MB; features made in {:.2} s",
        1e-6 * held,
        1e-6 * bytes as f64,
        clock::seconds() - start
    );

    let world = Simulation::new(&model, Streams::new(1));
    let (mut segments, mut predicted, mut spent) = (Segments::default(), 0.0, 0.0);
    let rate = product_rate(rows, d, 1 + n);
    let mean = |v: Vec<f64>| v.iter().sum::<f64>() / n as f64;
    let mut done = 0;
    for k in [1, episodes / 8, episodes / 4, episodes / 2, episodes] {
        segments.0 = 0;
        let start = clock::seconds();
        world.run(done..k, &mut agent, &mut segments)?;
        let (seconds, count) = (clock::seconds() - start, (k - done) as f64);
        if done > 0 {
            let pairs = segments.0 as f64 / count;
            let bounds = 2.0 * (padded * d * (2 + n)) as f64;
            let weights = 2.0 * (d * d * (1 + n)) as f64;
            // Rank-one updates and two active candidates per state stream their numbers: a quarter of the
            // rate.
            let updates = 4.0 * (d * d) as f64 * pairs;
            let active = 4.0 * (n * d * (1 + n + d)) as f64;
            predicted += count * (bounds + weights + 4.0 * (updates + active)) / rate;
            spent += seconds;
        }
        done = k;
        let value = mean(evaluate(&model, agent.plan())?);
        println!("  after {k:4} episodes the policy is worth {value:6.2}");
    }
    let count = (episodes - 1) as f64;
    println!(
        "  {:.0} ms of CPU per episode, {:.0} ms predicted from {:.1} Gflop/s in a product",
        1e3 * spent / count,
        1e3 * predicted / count,
        1e-9 * rate
    );
    Ok(())
}

fn very_long(n: usize) -> Result<(), Box<dyn std::error::Error>> {
    let model = gallery::river_swim::<f64>(n, 0.1, 0.99)?;
    let right: ActionSequence = "(1)".parse()?;
    let (mut returns, episodes) = (Returns::new(), 2_000);
    let start = clock::seconds();
    let mut agent = FixedSequence::new(right.clone());
    let world = Simulation::new(&model, Streams::new(1));
    world.run_from(0..episodes, |_| n - 1, &mut agent, &mut returns)?;
    let simulated = clock::seconds() - start;
    let start = clock::seconds();
    let value = evaluate(&model, &Stationary::new(vec![right; n]))?[n - 1];
    println!(
        "{n} states: {episodes} episodes in {simulated:.3} s, mean return {:.2}; exact value {value:.2} in {:.3} s",
        returns.mean().unwrap_or(0.0),
        clock::seconds() - start
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo test` runs benches too, without this word: then a glance is enough.
    if std::env::args().any(|word| word == "--bench") {
        learn(50, 160)?;
        learn(100, 160)?;
        learn(200, 160)?;
        very_long(10_000)
    } else {
        learn(10, 16)?;
        very_long(600)
    }
}
