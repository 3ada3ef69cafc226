//! psi in bulk: how long, and how it grows.
//!
//! `cargo bench --bench psi`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::Const;
use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures, TabularPsi};
use sporadic::model::gallery;
use sporadic::sequence::{ActionSequence, runs};

/// All candidates of the paper's experiments, from all states.
fn family(c: &mut Criterion) {
    let model = gallery::river_swim::<f64>(6, 0.1, 0.99).expect("a valid model");
    let family: Vec<_> = runs(2, 5, 10).collect();
    let mut group = c.benchmark_group("psi of 1012 sequences from 6 states");
    group.throughput(Throughput::Elements(6 * 1012));

    let fast = TabularPsi::new(model.clone());
    group.bench_function("tabular, all states together", |b| {
        b.iter(|| fast.table(black_box(&family)));
    });
    group.bench_function("tabular, state by state", |b| {
        b.iter(|| (0..6).map(|s| fast.batch(&s, black_box(&family)).sum()).sum::<f64>());
    });
    let phi = OneHot::with_dim(6, 2, Const::<12>).expect("12 = 6 x 2");
    let general = Psi::new(phi, Dynamics::one_hot(&model, phi)).expect("one dimension");
    group.sample_size(10);
    group.bench_function("general features, static dimension", |b| {
        b.iter(|| (0..6).map(|s| general.batch(&s, black_box(&family)).sum()).sum::<f64>());
    });
    group.finish();
}

/// One sequence on longer and longer chains: linear in the number of transitions.
fn chains(c: &mut Criterion) {
    let seq: ActionSequence = "11(110)".parse().expect("a sequence");
    let mut group = c.benchmark_group("psi of one sequence on a chain of n states");
    for n in [10, 100, 1_000, 10_000] {
        let psi = TabularPsi::new(gallery::river_swim::<f64>(n, 0.1, 0.99).expect("a valid model"));
        group.throughput(Throughput::Elements(n as u64));
        group.bench_with_input(BenchmarkId::from_parameter(n), &n, |b, &n| {
            b.iter(|| psi.psi(black_box(&(n / 2)), &seq));
        });
    }
    group.finish();
}

criterion_group!(benches, family, chains);
criterion_main!(benches);
