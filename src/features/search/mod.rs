//! The search for the sequence with the largest linear function of psi, for one-hot features of tabular models: a beam of
//! beliefs, each completed by a tail that is known.
//!
//! K = <psi, w> + rho ||psi|| is convex in psi, so it is nowhere below its tangent at a sequence. What is better than that
//! sequence for the tangent, which is linear, is therefore better for K.

mod beam;
mod blind;
mod dominance;
mod shorten;
mod suffixes;
mod tails;
#[cfg(test)]
mod tests;

pub(crate) use beam::{Beam, Found};
pub(crate) use blind::Blind;
pub(crate) use dominance::Dominance;
pub(crate) use shorten::{shorten, suffix};
pub(crate) use suffixes::push_suffixes;
pub(crate) use tails::Tails;

use std::sync::{Arc, Mutex, PoisonError};

use super::{OccupancyScales, SequenceFeatures, TabularPsi};
use crate::Real;
use crate::model::Tabular;
use crate::sequence::{ActionSequence, first_sequences};

/// A better sequence must be better by this share of the value.
const NEGLIGIBLE: f64 = 1e-7;
/// The family of tails for any weights is that of a search of this size.
const FAMILY: usize = 128;

/// The search is made where tails times states times transitions are no more than this, 2^25: beyond, its tables would take seconds
/// and hundreds of megabytes, and oracles do without them.
const LARGEST: usize = 1 << 25;

/// Whether the search in this model is worth its tables: with at most some sixty states where every state follows every other, some four hundred
/// where few do.
pub(crate) fn is_small<T: Real>(model: &Tabular<T>) -> bool {
    let pairs = model.num_states().saturating_mul(model.num_actions());
    let moves = model.num_transitions().max(pairs);
    FAMILY.saturating_mul(model.num_states()).saturating_mul(moves) <= LARGEST
}

/// How many actions of a sequence matter: until what follows weighs less than 1e-6.
pub(crate) fn important_length(blind: &Blind) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let length =
        (libm::log(1e-6) / libm::log(blind.slowest.max(f64::MIN_POSITIVE))).ceil() as usize;
    length
}

/// The search around a sequence in one model, with the memory that it uses.
#[derive(Debug)]
struct Search {
    blind: Blind,
    scales: OccupancyScales<f64>,
    length: usize,
    /// Tails for any weights, and their discounted visits: tail by tail, state by state.
    family: Vec<ActionSequence>,
    visits: Vec<f64>,
    beam: Beam,
    dominance: Dominance,
    tails: Tails,
    rewards: Vec<f64>,
    values: Vec<f64>,
}

impl Search {
    fn new<T: Real>(model: &Tabular<T>) -> Self {
        let blind = Blind::new(model);
        let family = first_sequences(blind.num_actions, FAMILY);
        let (psi, half) = (TabularPsi::new(model.clone()), 0.5 * (1.0 - model.gamma().as_f64()));
        let d = blind.num_states * blind.num_actions;
        let mut visits = Vec::with_capacity(family.len() * blind.num_states * d);
        for seq in &family {
            for s in 0..blind.num_states {
                // The reward half of psi.
                visits.extend(psi.psi(&s, seq).iter().take(d).map(|x| x.as_f64() / half));
            }
        }
        Self {
            family,
            visits,
            length: important_length(&blind),
            scales: OccupancyScales::of(model),
            rewards: vec![0.0; blind.num_states * blind.num_actions],
            blind,
            beam: Beam::new(),
            dominance: Dominance::new(),
            tails: Tails::new(),
            values: Vec::new(),
        }
    }

    /// The best sequence found from state s for <psi, weights>; `around` if no other is better.
    fn run(
        &mut self,
        s: usize,
        weights: &[f64],
        around: &ActionSequence,
        size: (usize, usize),
    ) -> ActionSequence {
        let Self { blind, scales, length, family, visits, rewards, values, .. } = self;
        let (n, d) = (blind.num_states, rewards.len());
        for (i, reward) in rewards.iter_mut().enumerate() {
            *reward = scales.reward * weights[i] + scales.continuation(i) * weights[d + i];
        }
        values.clear();
        push_suffixes(blind, rewards, around, 0, *length, values);
        let (before, suffixes) = (values[s], values.len() / n);
        values.extend(visits.chunks_exact(d).map(|visits| {
            visits.iter().zip(rewards.iter()).fold(0.0, |sum, (&x, &r)| sum + x * r)
        }));
        let kept = self.dominance.undominated(values, n);
        self.tails.replace(values, n, kept);
        let negligible = NEGLIGIBLE * before.abs();
        let Found { mut prefix, tail, value } =
            self.beam.search(blind, rewards, &mut self.tails, s, size, negligible);
        // Not a number if the weights are not.
        if value.is_nan() || value <= before + negligible {
            return around.clone();
        }
        let rest = match kept[tail].checked_sub(suffixes) {
            Some(member) => family[member].clone(),
            None => suffix(around, kept[tail]),
        };
        prefix.extend_from_slice(rest.prefix());
        shorten(&ActionSequence::new(prefix, rest.period()), *length)
    }
}

/// The search in one model, made when it is first asked for. What it finds depends on the question alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct LazySearch(Arc<Mutex<Option<Box<Search>>>>);

impl LazySearch {
    /// The best sequence found from state s for <psi, weights>, by a beam of `size` = (width, depth) that starts from `around`,
    /// which is the answer if no other is better.
    pub(crate) fn run<T: Real>(
        &self,
        model: &Tabular<T>,
        s: usize,
        weights: &[f64],
        around: &ActionSequence,
        size: (usize, usize),
    ) -> ActionSequence {
        // Taken out, so that other threads, which would make their own, do not wait.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut search = kept.unwrap_or_else(|| Box::new(Search::new(model)));
        let found = search.run(s, weights, around, size);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(search);
        found
    }
}
