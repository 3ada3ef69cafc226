//! The bounds are bounds at every scale of rewards, for both scalars, with gamma near 0 and near 1.
//!
//! Rewards are whole numbers times a power of two, so that a model at any scale has the values of a
//! model with whole rewards times that power, exactly. Brute force works on the whole numbers.
//!
//! The ordinary run tries a few dozen models. Thousands:
//! `cargo test --release --all-features --test planning solve::scales -- --ignored`

use std::time::Duration;

use rand::RngExt;
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::model::Tabular;
use sporadic::planning::solve::{SolveOptions, Termination, solve};
use sporadic::planning::{class_optimum, evaluate};
use sporadic::sequence::periodic;

use super::magnitude;
use super::reference::{exhaustive, policy_value};

/// A model in whole numbers; see [`Draft::build`].
struct Draft {
    gamma: f64,
    beta: Vec<f64>,
    /// By action, then by state.
    reward: Vec<Vec<f64>>,
    rows: Vec<Vec<Vec<f64>>>,
}

impl Draft {
    /// 1 to 8 states; rows certain, sparse or full; reveal probabilities all 0, all 1, equal or mixed;
    /// rewards of both signs, all negative, or constant.
    fn new(rng: &mut Pcg64) -> Self {
        let pick = |rng: &mut Pcg64, list: &[f64]| list[rng.random_range(0..list.len())];
        let n = rng.random_range(1..=8_usize);
        let m = rng.random_range(1..=if n <= 4 { 4_usize } else { 2 });
        let gamma = pick(rng, &[1e-300, 1e-3, 0.3, 0.9, 0.99, 0.999, 1.0 - 1e-4]);
        let equal = rng.random_range(0.0..1.0);
        let kind = rng.random_range(0..4);
        let beta = (0..m).map(|_| match kind {
            0 => 0.0,
            1 => 1.0,
            2 => equal,
            _ => [0.0, 1.0, rng.random_range(0.0..1.0)][rng.random_range(0..3)],
        });
        let beta = beta.collect();
        let (low, high) = [(-8, 8), (-8, 0), (3, 3), (0, 1)][rng.random_range(0..4)];
        let width = rng.random_range(1..=n);
        let mut row = |_| {
            let mut row = vec![0.0; n];
            for _ in 0..width {
                row[rng.random_range(0..n)] += rng.random_range(0.01..1.0);
            }
            row
        };
        let rows: Vec<Vec<Vec<f64>>> = (0..m).map(|_| (0..n).map(&mut row).collect()).collect();
        let mut reward = |_| f64::from(rng.random_range(low..=high));
        let reward = (0..m).map(|_| (0..n).map(&mut reward).collect()).collect();
        Self { gamma, beta, reward, rows }
    }

    /// The model with all rewards times 2^`exponent`.
    fn build<T: Real>(&self, exponent: i32) -> Tabular<T> {
        // In two steps: the powers of subnormal numbers are not all normal.
        let half = exponent / 2;
        let scaled = |r: &f64| T::of(r * 2_f64.powi(half) * 2_f64.powi(exponent - half));
        // A gamma that rounds to 0 in single precision is replaced by one that does not.
        let gamma = T::of(self.gamma).max(T::of(1e-30));
        let mut builder = Tabular::builder(gamma);
        for (a, rows) in self.rows.iter().enumerate() {
            let rows = rows.iter().map(|row| {
                let sum: f64 = row.iter().sum();
                row.iter().map(|p| T::of(p / sum)).collect::<Vec<T>>()
            });
            let reward: Vec<T> = self.reward[a].iter().map(scaled).collect();
            builder = builder.action(format!("a{a}"), T::of(self.beta[a]), reward, rows);
        }
        builder.build().expect("a valid model")
    }
}

/// The model in double precision whose numbers are those of `model`, rows brought to a sum of 1.
pub(super) fn widened<T: Real>(model: &Tabular<T>) -> Tabular<f64> {
    let mut builder = Tabular::builder(model.gamma().as_f64());
    for a in 0..model.num_actions() {
        let states = 0..model.num_states();
        let reward: Vec<f64> = states.clone().map(|s| model.reward(s, a).as_f64()).collect();
        let rows = states.map(|s| {
            let sum: f64 = model.row(s, a).map(|(_, p)| p.as_f64()).sum();
            model.row(s, a).map(|(t, p)| (t, p.as_f64() / sum)).collect::<Vec<_>>()
        });
        let beta: Vec<f64> = (1..=model.ages()).map(|n| model.beta_at(a, n).as_f64()).collect();
        builder = builder.sparse_action(format!("a{a}"), beta, reward, rows);
    }
    builder.build().expect("a valid model")
}

/// `x` / 2^`exponent`, exactly: the quotient is a normal number.
fn whole(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x / 2_f64.powi(half) / 2_f64.powi(exponent - half)
}

/// Solves one model at one scale and compares with brute force on whole numbers.
fn attack<T: Real>(draft: &Draft, exponent: i32, relative_gap: f64) {
    let model = draft.build::<T>(exponent);
    let plain = widened(&draft.build::<T>(0));
    let size = magnitude(&plain).max(f64::MIN_POSITIVE);
    let gap =
        (relative_gap * size * 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2))
            .max(f64::from_bits(1));
    let options = SolveOptions::default().with_gap(gap).with_time_limit(Duration::from_millis(100));
    let found = solve(&model, &options).unwrap();
    assert_eq!(found.report.termination == Termination::GapReached, found.gap() <= gap);
    let gaps: Vec<f64> = found.report.history.iter().map(|point| point.gap).collect();
    assert!(gaps.is_sorted_by(|x, y| y <= x), "{gaps:?}");

    let depth = [12, 7, 5, 4][model.num_actions() - 1];
    let (low, high) = exhaustive(&plain, depth);
    let policy = policy_value(&plain, found.policy.sequences());
    // What brute force itself may be off by, which adds up over 1 / (1 - gamma) steps.
    let tiny = 1e-13 * size / (1.0 - plain.gamma());
    for s in 0..model.num_states() {
        let lower = whole(found.lower[s].as_f64(), exponent);
        let upper = whole(found.upper[s].as_f64(), exponent);
        let place = format!("state {s}, 2^{exponent}, gamma {}", plain.gamma());
        assert!(lower.is_finite() && upper.is_finite() && lower <= upper, "{place}");
        assert!(lower <= high[s] + tiny, "{place}: {lower} above {}", high[s]);
        assert!(low[s] - tiny <= upper, "{place}: {upper} below {}", low[s]);
        assert!(lower <= policy[s] + tiny, "{place}: policy {} below {lower}", policy[s]);
        assert!(policy[s] - tiny <= upper, "{place}: policy {} above {upper}", policy[s]);
    }
    let family: Vec<_> = periodic(model.num_actions(), 1, 2).collect();
    let best = class_optimum(&model, &family).unwrap();
    let values = evaluate(&model, &best.policy).unwrap();
    // Exact up to rounding in T, and up to half of the least positive number per state.
    let rounding = 1e3 * T::epsilon().as_f64() * size / (1.0 - plain.gamma()) + 1.0;
    for s in 0..model.num_states() {
        let [class, value] = [best.values[s], values[s]].map(|x| whole(x.as_f64(), exponent));
        assert!(class.is_finite() && (class - value).abs() <= rounding);
        assert!(class <= whole(found.upper[s].as_f64(), exponent) + rounding);
    }
}

fn campaign(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut rng = Pcg64::new(seed.into(), 7);
        let draft = Draft::new(&mut rng);
        let gap = [1e-1, 1e-3, 1e-6, 1e-12][rng.random_range(0..4)];
        if seed % 3 == 0 {
            attack::<f32>(&draft, [-149, -146, -126, 0, 90][rng.random_range(0..5)], gap);
        } else {
            let exponents = [-1074, -1071, -1062, -1030, -1022, -330, 0, 330, 990];
            attack::<f64>(&draft, exponents[rng.random_range(0..9)], gap);
        }
    }
}

#[test]
fn bounds_hold_at_every_scale() {
    campaign(0..40);
}

#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn bounds_hold_at_every_scale_thousands() {
    campaign(1_000..4_000);
}
