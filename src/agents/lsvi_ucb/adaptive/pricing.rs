//! The search for sequences that the pool lacks.

use nalgebra::{DMatrix, DVector};
use rand_pcg::Pcg64;

use super::members::Members;
use super::pool::Pool;
use super::scales;
use crate::Real;
use crate::features::search::{
    Beam, Blind, Dominance, Found, Tails, important_length, push_suffixes, shorten, suffix,
};
use crate::model::draw;
use crate::sequence::ActionSequence;

/// How often the bonus is linearised anew, at most.
const ROUNDS: usize = 4;
/// A sequence is worth having if it is better by this share of 1/(1-gamma).
const WORTH: f64 = 1e-5;
/// A longer prefix must be better by this share of 1/(1-gamma).
const NEGLIGIBLE: f64 = 1e-2 * WORTH;
/// How many beliefs of each length are kept, at most, and how long prefixes grow.
const WIDTH: usize = 8;
const DEPTH: usize = 40;
/// A level has no more children than this, so that many actions make a narrower beam.
const CHILDREN: usize = 64;

/// K_u of lines 6 and 7, in double precision: <psi, w> + rho ||psi||.
#[derive(Debug, Clone)]
pub(super) struct Objective {
    pub(super) w: DVector<f64>,
    pub(super) inverse: DMatrix<f64>,
    pub(super) rho: f64,
    pub(super) cap: f64,
}

impl Objective {
    /// The value of psi, not clipped, and the weights of the linear function that is nowhere above K and equal to it
    /// at psi.
    fn linearize(&self, psi: &[f64]) -> (f64, DVector<f64>) {
        let psi = DVector::from_column_slice(psi);
        let product = &self.inverse * &psi;
        let norm = psi.dot(&product).max(0.0).sqrt();
        let mut slopes = self.w.clone();
        if norm > 0.0 {
            slopes.axpy(self.rho / norm, &product, 1.0);
        }
        (self.w.dot(&psi) + self.rho * norm, slopes)
    }

    /// <psi, w>: the value of psi without its bonus.
    fn estimate(&self, psi: &[f64]) -> f64 {
        psi.iter().zip(self.w.iter()).fold(0.0, |sum, (&x, &w)| sum + x * w)
    }

    /// The value of psi, not clipped.
    pub(super) fn value(&self, psi: &[f64]) -> f64 {
        self.linearize(psi).0
    }
}

/// A search for sequences with a larger K than those of the pool.
///
/// rho ||psi|| is convex in psi, so it is nowhere below its tangent at a sequence: what is better than that sequence for the
/// tangent is better for K. For a tangent the problem is linear, blind planning, which the beam does. Tangents at
/// other points than the best sequence known lead to other local maxima.
#[derive(Debug, Clone)]
pub(super) struct Pricing {
    blind: Blind,
    /// psi is this, for each action, times the discounted visits.
    scales: Vec<f64>,
    beam: Beam,
    dominance: Dominance,
    tails: Tails,
    members: Members,
    rewards: Vec<f64>,
    /// The values of all tails, those of tail t from `t * n` on.
    values: Vec<f64>,
    /// How many actions of a sequence matter.
    length: usize,
}

/// A sequence found, with its K.
#[derive(Debug, Clone)]
pub(super) struct Better {
    pub(super) sequence: ActionSequence,
    pub(super) value: f64,
}

impl Pricing {
    pub(super) fn new<T: Real>(pool: &Pool<T>) -> Self {
        let blind = Blind::new(pool.psi().model());
        let d = blind.num_states * blind.num_actions;
        Self {
            beam: Beam::new(),
            dominance: Dominance::new(),
            tails: Tails::new(),
            members: Members::new(blind.num_states, d),
            rewards: vec![0.0; d],
            values: Vec::new(),
            length: important_length(&blind),
            scales: scales(pool.psi().model()),
            blind,
        }
    }

    /// Takes the pool as it is now.
    pub(super) fn refresh<T: Real>(&mut self, pool: &Pool<T>) {
        self.members.refresh(pool);
    }

    /// A sequence with a larger K at state s than candidate `j`, the best of the pool, if one is found.
    ///
    /// `turn` tells which other starts are tried beside the best of the pool, and `others` how many.
    pub(super) fn improve<T: Real>(
        &mut self,
        k: &Objective,
        pool: &Pool<T>,
        s: usize,
        j: usize,
        turn: u64,
        others: u64,
    ) -> Option<Better> {
        let incumbent = &pool.members[j].sequence;
        let (value, slopes) = k.linearize(&pool.member_features(j, s));
        let mut best: Option<Better> = None;
        let mut starts = vec![slopes];
        if k.rho > 0.0 {
            let turns = (0..others).map(|i| turn.wrapping_mul(others).wrapping_add(i));
            starts.extend(turns.map(|turn| self.other_start(k, pool, s, turn)));
        }
        for (i, start) in starts.into_iter().enumerate() {
            let from = (i == 0).then(|| Better { sequence: incumbent.clone(), value });
            let Some(found) = self.climb(k, pool, s, from, start) else { continue };
            let bar = best.as_ref().map_or(value + WORTH * k.cap, |best| best.value);
            if found.value > bar {
                best = Some(found);
            }
        }
        best
    }

    /// A sequence whose K at state s is clipped and whose estimate <psi, w> is larger than that of candidate `j`, which
    /// is the largest among the candidates at the clip, if one is found.
    ///
    /// Every sequence at the clip is a maximiser of line 12, over all of A^N, so that the one with the largest estimate
    /// may be played. For the estimate alone the problem is linear: one beam search finds its answer.
    pub(super) fn improve_estimate<T: Real>(
        &mut self,
        k: &Objective,
        pool: &Pool<T>,
        s: usize,
        j: usize,
    ) -> Option<ActionSequence> {
        let known = k.estimate(&pool.member_features(j, s));
        let chosen = &pool.members[j].sequence;
        let (_, found) = self.search(&k.w, pool, s, Some(chosen), NEGLIGIBLE * k.cap);
        let psi = pool.features(s, &found);
        let better = k.estimate(&psi) > known + WORTH * k.cap && k.value(&psi) >= k.cap;
        better.then_some(found)
    }

    /// Weights to start from: those of the data alone, those of the widest bonus, or a tangent at random.
    fn other_start<T: Real>(
        &self,
        k: &Objective,
        pool: &Pool<T>,
        s: usize,
        turn: u64,
    ) -> DVector<f64> {
        let d = self.rewards.len();
        match turn % 4 {
            0 => k.w.clone(),
            1 => {
                let width = |j: usize| {
                    let psi = pool.member_features(j, s);
                    k.value(&psi) - k.estimate(&psi)
                };
                let widest = (1..pool.members.len()).fold((0, width(0)), |best, j| {
                    let width = width(j);
                    if width > best.1 { (j, width) } else { best }
                });
                k.linearize(&pool.member_features(widest.0, s)).1
            }
            _ => {
                let mut rng = Pcg64::new(u128::from(turn), s as u128);
                let point: Vec<f64> = (0..d).map(|_| draw::uniform(&mut rng) - 0.5).collect();
                k.linearize(&point).1
            }
        }
    }

    /// Alternates between the best sequence of a tangent and the tangent at that sequence, as long as K grows.
    fn climb<T: Real>(
        &mut self,
        k: &Objective,
        pool: &Pool<T>,
        s: usize,
        from: Option<Better>,
        mut slopes: DVector<f64>,
    ) -> Option<Better> {
        let tiny = NEGLIGIBLE * k.cap;
        let mut best = from;
        for _ in 0..ROUNDS {
            let current = best.as_ref().map(|best| &best.sequence);
            let found = self.search(&slopes, pool, s, current, tiny);
            // The tangent is K itself at the sequence that it was taken at.
            if best.as_ref().is_some_and(|best| found.0 <= best.value + tiny) {
                break;
            }
            let psi = pool.features(s, &found.1);
            let (value, next) = k.linearize(&psi);
            if best.as_ref().is_some_and(|best| value <= best.value + tiny) {
                break;
            }
            best = Some(Better { sequence: found.1, value });
            slopes = next;
        }
        best
    }

    /// The best sequence found for linear weights, and its value.
    fn search<T: Real>(
        &mut self,
        slopes: &DVector<f64>,
        pool: &Pool<T>,
        s: usize,
        current: Option<&ActionSequence>,
        tiny: f64,
    ) -> (f64, ActionSequence) {
        let Self { blind, scales, beam, dominance, tails, members, rewards, values, length } = self;
        let n = blind.num_states;
        let scaled = slopes.iter().zip(scales.iter().cycle());
        rewards.iter_mut().zip(scaled).for_each(|(r, (&slope, &scale))| *r = slope * scale);
        members.values(slopes.as_slice(), values);
        if let Some(current) = current {
            push_suffixes(blind, rewards, current, 1, *length, values);
        }
        let kept = dominance.undominated(values, n);
        tails.replace(values, n, kept);
        let size = ((CHILDREN / blind.num_actions).clamp(2, WIDTH), DEPTH);
        let Found { mut prefix, tail, value } = beam.search(blind, rewards, tails, s, size, tiny);
        let tail = kept[tail];
        let rest = match current {
            Some(current) if tail >= members.len() => suffix(current, tail - members.len() + 1),
            _ => pool.members[tail].sequence.clone(),
        };
        prefix.extend_from_slice(rest.prefix());
        (value, shorten(&ActionSequence::new(prefix, rest.period()), *length))
    }
}
