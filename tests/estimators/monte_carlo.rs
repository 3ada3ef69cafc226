//! Estimators against the truth: rates, coverage, and no bias from selection. All seeds are fixed.

use nalgebra::{Const, Dyn, OVector, SVector};
use rand_pcg::Pcg64;
use sporadic::agents::{Segment, UniformRandom};
use sporadic::dim::Dimensional;
use sporadic::estimators::*;
use sporadic::features::{Atom, Dynamics, FeatureMap, LinearModel, OneHot};
use sporadic::model::{Action, Environment, Tabular, gallery};
use sporadic::simulation::{Collector, Observer, Simulation, Streams};

/// The slope of ln(error) against ln(N) by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let (mx, my) =
        (logs.iter().map(|p| p.0).sum::<f64>() / n, logs.iter().map(|p| p.1).sum::<f64>() / n);
    let top: f64 = logs.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    top / logs.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

/// 10^3 to 10^6 in half decades.
const SIZES: [u64; 7] = [1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000];

/// Mean errors of matrices and betas at each size, over `seeds` streams that grow through the sizes.
fn ladder<S, E>(
    truth: &Dynamics<f64, E::Dim>,
    seeds: u64,
    empty: impl Fn() -> E,
    mut sample: impl FnMut(&mut Pcg64) -> Transition<S>,
) -> [Vec<(f64, f64)>; 2]
where
    E: Estimator<f64, State = S>,
{
    let mut errors = [vec![0.0; SIZES.len()], vec![0.0; SIZES.len()]];
    for seed in 0..seeds {
        let (mut estimator, mut rng) = (empty(), Pcg64::new(u128::from(seed), 3));
        for (i, &size) in SIZES.iter().enumerate() {
            while estimator.samples() < size {
                estimator.observe(&sample(&mut rng));
            }
            let estimate = estimator.estimate().unwrap();
            errors[0][i] += matrix_distance(&estimate, truth) / seeds as f64;
            errors[1][i] += beta_distance(&estimate, truth) / seeds as f64;
        }
    }
    errors.map(|e| SIZES.iter().map(|&n| n as f64).zip(e).collect())
}

/// Asserts that errors fall with the square root of the number of samples.
fn assert_square_root([matrices, beta]: [Vec<(f64, f64)>; 2], tolerance: f64) {
    for (name, points) in [("M", matrices), ("beta", beta)] {
        let found = slope(&points);
        assert!((found + 0.5).abs() < tolerance, "{name}: slope {found}, {points:?}");
    }
}

#[test]
fn errors_fall_with_the_square_root() {
    let swim = gallery::river_swim::<f64>(6, 0.3, 0.9).unwrap();
    let truth = Dynamics::one_hot(&swim, OneHot::of(&swim));
    let sampler = Exploratory::uniform(&swim);
    let empty = || TabularEstimator::new(6, 2, 0.9).unwrap();
    // The mean of 12 seeds is good to about 8% at each size, so the slope to about .03.
    assert_square_root(ladder(&truth, 12, empty, |rng| sampler.sample(rng)), 0.06);
    let (model, truth) = mixture();
    let sampler = Exploratory::uniform(&model);
    let empty = || RidgeEstimator::new(Mixture, 2, 0.9).unwrap();
    assert_square_root(ladder(&truth, 8, empty, |rng| sampler.sample(rng)), 0.08);
}

/// A linear MDP of dimension 4 on seven states: phi mixes two measures per action.
#[derive(Clone, Copy)]
struct Mixture;

impl Dimensional for Mixture {
    type Dim = Const<4>;

    fn dim(&self) -> Const<4> {
        Const
    }
}

impl FeatureMap<f64> for Mixture {
    type State = usize;

    fn phi(&self, s: &usize, a: Action) -> OVector<f64, Const<4>> {
        let w = *s as f64 / 6.0;
        let mut phi = SVector::zeros();
        phi[2 * a] = w;
        phi[2 * a + 1] = 1.0 - w;
        phi
    }
}

const MEASURES: [[f64; 7]; 4] = [
    [0.3, 0.1, 0.1, 0.0, 0.2, 0.2, 0.1],
    [0.5, 0.2, 0.1, 0.1, 0.1, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.1, 0.1, 0.3, 0.5],
    [0.1, 0.1, 0.3, 0.3, 0.1, 0.1, 0.0],
];

fn mixture() -> (Tabular<f64>, Dynamics<f64, Const<4>>) {
    let mut builder = Tabular::builder(0.9);
    for a in 0..2 {
        let rows = (0..7).map(|s| {
            let phi = Mixture.phi(&s, a);
            (0..7).map(|t| (0..4).map(|i| phi[i] * MEASURES[i][t]).sum()).collect::<Vec<f64>>()
        });
        builder = builder.action(format!("a{a}"), [0.2, 0.7][a], vec![0.0; 7], rows);
    }
    let atoms = (0..7)
        .map(|state| Atom { state, weight: SVector::from_fn(|i, _| MEASURES[i][state]) })
        .collect();
    let linear = LinearModel::new(Mixture, SVector::zeros(), atoms);
    (builder.build().unwrap(), linear.dynamics(&[0.2, 0.7], 0.9).unwrap())
}

/// Fails if a bound that should hold in a share 1 - p of runs was broken too often for chance
/// (three standard deviations).
fn assert_covers(name: &str, broken: u32, runs: u32, p: f64) {
    let (n, broken) = (f64::from(runs), f64::from(broken));
    let limit = n * p + 3.0 * (n * p * (1.0 - p)).sqrt();
    assert!(broken <= limit, "{name}: broken {broken} times in {n}, {limit} allowed");
}

#[test]
fn proved_bounds_cover() {
    let (runs, p) = (400, 0.2);
    // Small enough that the lemma's N is within reach: two states, one action.
    let rows = [[0.5, 0.5], [0.3, 0.7]];
    let model = Tabular::builder(0.9).action("go", 0.5, [0.0, 0.0], rows).build().unwrap();
    let truth = Dynamics::one_hot(&model, OneHot::of(&model));
    let sampler = Exploratory::uniform(&model);
    let mut broken = [0; 4];
    for seed in 0..runs {
        let mut estimator = TabularEstimator::new(2, 1, 0.9)
            .unwrap()
            .with_exploration(sampler.exploration().unwrap());
        let mut rng = Pcg64::new(u128::from(seed), 4);
        (0..2_000).for_each(|_| estimator.observe(&sampler.sample(&mut rng)));
        let estimate = estimator.estimate().unwrap();
        let (e, b) = (matrix_distance(&estimate, &truth), beta_distance(&estimate, &truth));
        let (lemma, observed) =
            (estimator.error_bounds(1.0 - p), estimator.observed_bounds(1.0 - p));
        assert!(lemma.kind == BoundKind::Lemma && lemma.large_enough);
        assert!(observed.matrices < lemma.matrices && observed.beta < lemma.beta);
        // Each bound is at level p / 2 on its own.
        for (i, bad) in
            [e > lemma.matrices, b > lemma.beta, e > observed.matrices, b > observed.beta]
                .into_iter()
                .enumerate()
        {
            broken[i] += u32::from(bad);
        }
    }
    let names = ["lemma M", "lemma beta", "observed M", "observed beta"];
    for (name, broken) in names.into_iter().zip(broken) {
        assert_covers(name, broken, runs, p / 2.0);
    }
    // Clopper-Pearson is not so wide that it never breaks: the test has teeth.
    assert!(broken[3] > 0);
}

#[test]
fn intervals_of_single_actions_cover() {
    let (runs, p) = (2_000, 0.2);
    for (beta, trials) in [(0.03, 40), (0.5, 25), (0.9, 60)] {
        let mut broken = 0;
        for seed in 0..runs {
            let mut rng = Pcg64::new(u128::from(seed), 5);
            let mut reveals = Reveals::<f64>::new(1);
            for _ in 0..trials {
                reveals.observe(0, sporadic::model::draw::bernoulli(beta, &mut rng));
            }
            let (low, high) = reveals.interval(0, 1.0 - p);
            broken += u32::from(!(low..=high).contains(&beta));
        }
        assert_covers("Clopper-Pearson", broken, runs, p);
        assert!(broken > 0);
    }
}

#[test]
fn the_bootstrap_covers_and_is_tighter() {
    let (runs, p) = (60, 0.2);
    let (model, truth) = mixture();
    let sampler = Exploratory::uniform(&model);
    let (mut broken, mut ratio, mut gain) = (0, 0.0, 0.0);
    for seed in 0..runs {
        let empty =
            RidgeEstimator::new(Mixture, 2, 0.9).unwrap().with_known_beta(vec![0.2, 0.7]).unwrap();
        let mut bootstrap = BlockBootstrap::new(empty, 32).unwrap();
        let mut rng = Pcg64::new(u128::from(seed), 6);
        (0..5_000).for_each(|_| bootstrap.observe(&sampler.sample(&mut rng)));
        let total = bootstrap.total().unwrap();
        let error = matrix_distance(&total.estimate().unwrap(), &truth);
        let bounds = bootstrap.bounds(100, 1.0 - p, &mut rng).unwrap();
        assert!(bounds.kind == BoundKind::Bootstrap && bounds.beta == 0.0);
        broken += u32::from(error > bounds.matrices);
        ratio += bounds.matrices / error / f64::from(runs);
        gain += total.observed_bounds(1.0 - p).matrices / bounds.matrices / f64::from(runs);
    }
    // Approximate, so allow twice the nominal rate of failures.
    assert_covers("bootstrap", broken, runs, 2.0 * p);
    assert!(broken > 0 && ratio < 3.0 && gain > 4.0, "{broken} {ratio} {gain}");
}

/// Counts reveals of complete segments only: the mistake that `harvest` avoids.
struct Naive(Reveals<f64>);

impl Observer<usize, f64> for Naive {
    fn segment(&mut self, _: u64, segment: &Segment<usize, f64>) {
        if segment.is_terminal() {
            return;
        }
        let last = segment.actions().len() - 1;
        for (i, &a) in segment.actions().iter().enumerate() {
            self.0.observe(a, i == last);
        }
    }
}

#[test]
fn episodes_give_unbiased_samples() {
    // Reveal probabilities differ between actions, so that selection by bursts is strong.
    let model =
        gallery::river_swim::<f64>(4, 0.5, 0.8).unwrap().with_betas(vec![0.1, 0.6]).unwrap();
    let world = Simulation::new(&model, Streams::new(5));
    let mut agent = UniformRandom::new(2, Streams::new(5).agent());
    let collector =
        Collector::new(TabularEstimator::new(4, 2, 0.8).unwrap().with_ridge(1e-9).unwrap());
    let mut watching = (collector, Naive(Reveals::new(2)));
    let starts = |k: u64| (k % 4) as usize;
    world.run_from(0..200_000, starts, &mut agent, &mut watching).unwrap();
    let (estimator, naive) = (watching.0.into_estimator(), watching.1.0);
    let estimate = estimator.estimate().unwrap();
    let mut compared = 0;
    for s in 0..4 {
        for a in 0..2 {
            let n = estimator.visits(s, a) as f64;
            assert!(n > 1_000.0, "({s}, {a}) was seen {n} times");
            for t in 0..4 {
                let p = model.probability(s, a, t);
                let off = (estimate.matrix(0)[(s * 2 + a, t * 2)] - p).abs();
                assert!(
                    off <= 4.5 * (p * (1.0 - p) / n).sqrt() + 1e-9,
                    "P({t} | {s}, {a}) off {off}"
                );
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 32);
    for a in 0..2 {
        let (n, _) = estimator.reveals().count(a);
        let beta = Environment::beta(&model, a);
        let deviation = (beta * (1.0 - beta) / n as f64).sqrt();
        assert!(
            (estimate.beta(a) - beta).abs() < 4.0 * deviation,
            "beta({a}): {}",
            estimate.beta(a)
        );
        assert!(naive.beta()[a] - beta > 20.0 * deviation, "the test would not see a bias");
    }
}

#[test]
fn a_harvest_by_hand() {
    let mut estimator = TabularEstimator::<f64, Dyn>::new(3, 2, 0.9).unwrap();
    harvest(&mut estimator, &0, &[1], Some(&2)); // a transition
    harvest(&mut estimator, &2, &[1, 0, 1], Some(&0)); // two silences and a burst
    harvest(&mut estimator, &0, &[0, 1], None); // a silence; the terminal round tells nothing
    harvest(&mut estimator, &0, &[0], None); // nothing
    harvest(&mut estimator, &0, &[], None); // not even an action
    assert_eq!(estimator.samples(), 1);
    assert_eq!(estimator.visits(0, 1), 1);
    assert_eq!(estimator.reveals().count(0), (2, 0));
    assert_eq!(estimator.reveals().count(1), (3, 2));
}
