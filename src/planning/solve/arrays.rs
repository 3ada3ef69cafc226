//! The model as the solver reads it: `f64` arrays with sparse rows, one block per action.

use super::super::magnitude::power_of_two;
use crate::Real;
use crate::model::{Action, Tabular};

/// What one action does.
///
/// Discounting and sighting are multiplied out: after the action the state is seen with weight
/// gamma beta_a and stays hidden with weight gamma (1 - beta_a).
#[derive(Debug, Clone)]
pub(super) struct ActionArrays {
    /// gamma (1 - beta_a), the weight of the blind continuation.
    pub(super) blind: f64,
    /// gamma beta_a, the weight of a sighting.
    pub(super) seen: f64,
    /// r(., a), in units of [`Arrays::unit`].
    pub(super) reward: Vec<f64>,
    /// Row `s` of P_a occupies `offsets[s]..offsets[s + 1]` of `entries`.
    offsets: Vec<usize>,
    entries: Vec<(usize, f64)>,
    /// How far the sum of a row is from 1, at most, as computed.
    off: f64,
}

impl ActionArrays {
    fn new<T: Real>(model: &Tabular<T>, a: Action, unit: f64) -> Self {
        // In `f64` whatever the scalar is: the numbers of the model are taken as exact.
        let (gamma, beta) = (model.discount().as_f64(), model.beta(a).as_f64());
        let states = 0..model.num_states();
        let transitions = states.clone().map(|s| model.row(s, a).count()).sum();
        let mut offsets = Vec::with_capacity(model.num_states() + 1);
        offsets.push(0);
        let mut off = 0.0_f64;
        let mut entries = Vec::with_capacity(transitions);
        for s in states {
            let sum: f64 = model.row(s, a).map(|(_, p)| p.as_f64()).sum();
            // A row of f64 sums to 1 up to rounding and is kept bit for bit; one of f32 is scaled.
            let norm = if (sum - 1.0).abs() <= 1e-13 { 1.0 } else { sum };
            off = off.max((sum / norm - 1.0).abs());
            entries.extend(model.row(s, a).map(|(t, p)| (t, p.as_f64() / norm)));
            offsets.push(entries.len());
        }
        Self {
            blind: gamma.blind(beta),
            seen: gamma.seen(beta),
            reward: (0..model.num_states()).map(|s| model.reward(s, a).as_f64() / unit).collect(),
            offsets,
            entries,
            off,
        }
    }

    /// The possible next states of `s` and their probabilities.
    #[inline]
    pub(super) fn row(&self, s: usize) -> &[(usize, f64)] {
        &self.entries[self.offsets[s]..self.offsets[s + 1]]
    }

    /// The length of the longest row.
    fn widest_row(&self) -> usize {
        self.offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0)
    }

    /// `out = belief P_a`: where the state is one step later.
    #[inline]
    pub(super) fn push(&self, belief: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (s, &mass) in belief.iter().enumerate() {
            if mass != 0.0 {
                for &(t, p) in self.row(s) {
                    out[t] += mass * p;
                }
            }
        }
    }

    /// `(P_a value)(s)`: the expectation of `value` one step after `s`.
    #[inline]
    pub(super) fn pull(&self, s: usize, value: &[f64]) -> f64 {
        self.row(s).iter().map(|&(t, p)| p * value[t]).sum()
    }
}

/// A finite model, rewards divided by a power of two so that the largest lies in (1/2, 1].
///
/// The division is exact, and it makes every tolerance of the solver mean the same on every model.
#[derive(Debug, Clone)]
pub(super) struct Arrays {
    /// The number of states.
    pub(super) n: usize,
    pub(super) actions: Vec<ActionArrays>,
    pub(super) gamma: f64,
    /// The power of two that rewards and values are divided by.
    pub(super) unit: f64,
    /// max |r| / (1 - gamma), in units: no value is larger in size.
    pub(super) magnitude: f64,
    /// The difference between the largest and the smallest reward, in units.
    pub(super) span: f64,
    /// r_min / (1 - gamma) and r_max / (1 - gamma), in units and moved outward by more than rounding:
    /// every policy is worth something between.
    pub(super) trivial: (f64, f64),
    /// How far the sum of a row of probabilities is from 1, at most.
    off: f64,
    /// The length of the longest row of probabilities.
    row: usize,
}

impl Arrays {
    /// The arrays of `model`, whose values must not be too large for `f64`.
    pub(super) fn new<T: Real>(model: &Tabular<T>) -> Self {
        let (low, high) = model.reward_range();
        let (low, high) = (low.as_f64(), high.as_f64());
        let largest = low.abs().max(high.abs());
        let unit = power_of_two(largest);
        let gamma = model.gamma().as_f64();
        let actions: Vec<_> =
            (0..model.num_actions()).map(|a| ActionArrays::new(model, a, unit)).collect();
        let off = actions.iter().map(|action| action.off).fold(0.0, f64::max);
        let (low, high, left) = (low / unit, high / unit, 1.0 - gamma);
        let magnitude = largest / unit / left;
        let outward = (8.0 * f64::EPSILON + 2.0 * off / left) * magnitude;
        Self {
            n: model.num_states(),
            gamma,
            unit,
            magnitude,
            span: high - low,
            trivial: (low / left - outward, high / left + outward),
            off,
            row: actions.iter().map(ActionArrays::widest_row).max().unwrap_or(0),
            actions,
        }
    }

    /// What the rounding errors of one backup, one dot product or one mixture cannot exceed.
    pub(super) fn slack(&self) -> f64 {
        self.slack_of(self.n)
    }

    /// What the rounding errors of one backup cannot exceed.
    pub(super) fn backup_slack(&self) -> f64 {
        self.slack_of(self.row)
    }

    /// By how much at most one step raises the sum of a belief, relatively, as computed.
    pub(super) fn step_error(&self) -> f64 {
        self.off + (self.n as f64 + 4.0) * f64::EPSILON
    }

    /// What the rounding errors of sums of `terms` terms, weighted by probabilities, cannot exceed.
    fn slack_of(&self, terms: usize) -> f64 {
        (8.0 * (terms as f64 + 4.0) * f64::EPSILON + self.off) * self.magnitude
    }

    /// `x` in the model's own numbers, rounded up.
    pub(super) fn up(&self, x: f64) -> f64 {
        let y = x * self.unit;
        // The product is exact unless it is subnormal; the quotient is exact in any case.
        if y / self.unit < x { y.next_up() } else { y }
    }

    /// `x` in the model's own numbers, rounded down.
    pub(super) fn down(&self, x: f64) -> f64 {
        -self.up(-x)
    }

    /// The belief that is certain of `s`: a corner of the simplex.
    pub(super) fn corner(&self, s: usize) -> Vec<f64> {
        let mut belief = vec![0.0; self.n];
        belief[s] = 1.0;
        belief
    }

    /// `belief P_a`, freshly allocated.
    pub(super) fn step(&self, belief: &[f64], a: Action) -> Vec<f64> {
        let mut out = vec![0.0; self.n];
        self.actions[a].push(belief, &mut out);
        out
    }
}

#[inline]
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// max over s of x(s) - y(s), at least 0.
pub(super) fn widest(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a - b).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::gallery;

    #[test]
    #[allow(clippy::float_cmp)] // what is a whole number of units is exact
    fn subnormal_results_are_rounded_outward() {
        let least = f64::from_bits(1);
        let lone = |r: f64| Tabular::builder(0.5).action("a", 0.0, [r], [[1.0]]).build().unwrap();
        let arrays = Arrays::new(&lone(least));
        assert_eq!((arrays.up(2.0), arrays.down(2.0)), (2.0 * least, 2.0 * least));
        assert_eq!((arrays.up(2.1), arrays.down(2.1)), (3.0 * least, 2.0 * least));
        assert_eq!((arrays.up(1e-30), arrays.down(1e-30)), (least, 0.0));
        assert_eq!((arrays.up(-2.1), arrays.down(-2.1)), (-2.0 * least, -3.0 * least));
    }

    #[test]
    fn arrays_agree_with_the_model() {
        let model = gallery::river_balance::<f64>(7, 0.25, 0.9).unwrap();
        let arrays = Arrays::new(&model);
        let value: Vec<f64> = (0..7).map(|s| f64::from(s).sin()).collect();
        let (mut forth, mut back) = (vec![0.0; 7], vec![0.0; 7]);
        for (a, action) in arrays.actions.iter().enumerate() {
            let belief: Vec<f64> = (0..7).map(|s| f64::from(s) / 21.0).collect();
            model.push_forward(&belief, a, &mut forth);
            model.pull_back(&value, a, &mut back);
            assert!(widest(&arrays.step(&belief, a), &forth).abs() < 1e-15);
            for (s, b) in back.iter().enumerate() {
                assert!((action.pull(s, &value) - b).abs() < 1e-15);
            }
            assert!((action.blind - 0.675).abs() < 1e-15 && (action.seen - 0.225).abs() < 1e-15);
        }
    }

    #[test]
    fn rows_of_f32_are_brought_to_one() {
        let model = gallery::river_swim::<f32>(6, 0.1, 0.9).unwrap();
        let arrays = Arrays::new(&model);
        for action in &arrays.actions {
            assert!((0..6).all(|s| (action.pull(s, &[1.0; 6]) - 1.0).abs() < 1e-15));
        }
    }
}
