//! One million transitions into an estimator, beside the matrix products that they amount to.
//!
//! `ridge/d` observes them one by one; `gemm/d` multiplies blocks of rows that lie ready in memory,
//! with the same flops. Their ratio is what feature vectors, counting and checking cost.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Const, DMatrix, OVector};
use rand_pcg::Pcg64;
use sporadic::dim::{Dimension, Dimensional};
use sporadic::estimators::{Estimator, RidgeEstimator, TabularEstimator, Transition};
use sporadic::features::{FeatureMap, OneHot};
use sporadic::model::{Action, draw};

const SAMPLES: usize = 1_000_000;
const ACTIONS: usize = 2;
const STATES: usize = 64;

/// Dense features from a table.
struct Table<D> {
    dim: D,
    rows: Vec<f64>,
}

impl<D: Dimension> Dimensional for Table<D> {
    type Dim = D;

    fn dim(&self) -> D {
        self.dim
    }
}

impl<D: Dimension> FeatureMap<f64> for Table<D> {
    type State = usize;

    fn phi(&self, s: &usize, a: Action) -> OVector<f64, D> {
        let d = self.dim.value();
        let at = (s * ACTIONS + a) * d;
        OVector::from_column_slice_generic(self.dim, Const::<1>, &self.rows[at..at + d])
    }
}

fn data(states: usize) -> Vec<Transition<usize>> {
    let mut rng = Pcg64::new(1, 1);
    // The integer part of a number in [0, n).
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let mut below = |n: usize| (draw::uniform(&mut rng) * n as f64) as usize;
    (0..4096)
        .map(|_| Transition {
            state: below(states),
            action: below(ACTIONS),
            next: below(states),
            burst: below(2) == 0,
        })
        .collect()
}

fn pair<D: Dimension>(c: &mut Criterion, dim: D) {
    let d = dim.value();
    let mut group = c.benchmark_group("million");
    group.throughput(Throughput::Elements(SAMPLES as u64)).sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(2));
    let (transitions, mut rng) = (data(STATES), Pcg64::new(2, 2));
    let rows = (0..STATES * ACTIONS * d).map(|_| draw::uniform(&mut rng) / d as f64).collect();
    let phi = Table { dim, rows };

    group.bench_function(BenchmarkId::new("ridge", d), |b| {
        b.iter(|| {
            let mut estimator = RidgeEstimator::new(&phi, ACTIONS, 0.9).expect("valid");
            for t in transitions.iter().cycle().take(SAMPLES) {
                estimator.observe(t);
            }
            estimator.estimate().expect("a ridge")
        });
    });

    // The same flops with nothing around them: d x K times K x d (1 + |A|), K rows at a time.
    let (depth, width) = (256, d * (1 + ACTIONS));
    let x = DMatrix::from_fn(d, depth, |_, _| draw::uniform(&mut rng));
    let y = DMatrix::from_fn(depth, width, |_, _| draw::uniform(&mut rng));
    group.bench_function(BenchmarkId::new("gemm", d), |b| {
        b.iter(|| {
            let mut sums = DMatrix::zeros(d, width);
            for _ in 0..SAMPLES / depth {
                sums.gemm(1.0, black_box(&x), black_box(&y), 1.0);
            }
            sums
        });
    });
    group.finish();
}

fn estimators(c: &mut Criterion) {
    pair(c, Const::<12>);
    pair(c, Const::<100>);

    let mut group = c.benchmark_group("million");
    group.throughput(Throughput::Elements(SAMPLES as u64)).sample_size(10);
    let transitions = data(6);
    group.bench_function("tabular/12", |b| {
        b.iter(|| {
            let phi = OneHot::with_dim(6, ACTIONS, Const::<12>).expect("12");
            let mut estimator = TabularEstimator::with_features(phi, 0.9).expect("valid");
            for t in transitions.iter().cycle().take(SAMPLES) {
                estimator.observe(t);
            }
            estimator.estimate().expect("a ridge")
        });
    });
    group.finish();
}

criterion_group!(benches, estimators);
criterion_main!(benches);
