//! The search for the sequence with the largest linear function of psi, for one-hot features of tabular models: a beam of
//! beliefs, each completed by a tail that is known.
//!
//! K = <psi, w> + rho ||psi|| is convex in psi, so it is nowhere below its tangent at a sequence. What is better than that
//! sequence for the tangent, which is linear, is therefore better for K.

mod beam;
mod blind;
mod shorten;
mod suffixes;

pub(crate) use beam::{Beam, Found, Tails};
pub(crate) use blind::Blind;
pub(crate) use shorten::{shorten, suffix};
pub(crate) use suffixes::{SUFFIXES, push_suffixes, undominated};

use std::sync::{Arc, Mutex, PoisonError};

use super::{OccupancyScales, SequenceFeatures, TabularPsi};
use crate::Real;
use crate::model::Tabular;
use crate::sequence::{ActionSequence, first_sequences};

/// A better sequence must be better by this share of the value.
const NEGLIGIBLE: f64 = 1e-7;

/// How many actions of a sequence matter: until what follows weighs less than 1e-6.
pub(crate) fn important_length(blind: &Blind) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let length = (1e-6_f64.ln() / blind.slowest.max(f64::MIN_POSITIVE).ln()).ceil() as usize;
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
    tails: Tails,
    rewards: Vec<f64>,
    values: Vec<f64>,
}

impl Search {
    fn new<T: Real>(model: &Tabular<T>) -> Self {
        let blind = Blind::new(model);
        let family = first_sequences(blind.num_actions, 2 * SUFFIXES);
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
            tails: Tails::default(),
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
        let Self { blind, scales, length, family, visits, beam, tails, rewards, values } = self;
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
        let kept = undominated(values, n);
        tails.clear(n);
        kept.iter().for_each(|&t| tails.push(values[t * n..(t + 1) * n].iter().copied()));
        let negligible = NEGLIGIBLE * before.abs();
        let Found { mut prefix, tail, value } =
            beam.search(blind, rewards, tails, s, size, negligible);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{draw, gallery};
    use nalgebra::DVector;
    use rand_pcg::Pcg64;

    /// What it answers is never below the sequence that it starts from, and, for two actions and a wide beam, at least the best word
    /// of eight actions before one of the tails.
    #[test]
    fn answers_are_better_by_the_definition_of_psi() {
        let mut rng = Pcg64::new(8, 1);
        let mut found = 0;
        for case in 0..60 {
            let shape = gallery::RandomTabular { states: 4, actions: 2, ..Default::default() };
            let psi = TabularPsi::new(gallery::random_tabular(&mut rng, &shape).unwrap());
            let weights = DVector::from_fn(16, |_, _| 10.0 * (draw::uniform(&mut rng) - 0.3));
            let (around, s) = (ActionSequence::new([0, 1], [1, 0, 0]), case % 4);
            let value = |seq: &ActionSequence| psi.psi(&s, seq).dot(&weights);
            let better = psi.improve(&s, &weights, &around, (256, 8)).unwrap();
            let tolerance = 1e-5 * weights.amax();
            assert!(value(&better) >= value(&around) - tolerance, "case {case}");
            found += usize::from(better != around);
            for tail in ["(0)", "(1)", "(100)", "1(100)"] {
                let tail: ActionSequence = tail.parse().unwrap();
                for word in 0..1 << 8 {
                    let head = (0..8).map(|h| word >> h & 1).chain(tail.prefix().iter().copied());
                    let seq = ActionSequence::new(head.collect::<Vec<_>>(), tail.period());
                    assert!(value(&better) >= value(&seq) - tolerance, "case {case}: {seq}");
                }
            }
            // The same question has the same answer.
            assert_eq!(psi.improve(&s, &weights, &around, (256, 8)), Some(better));
        }
        assert!(found > 30, "{found}");
    }
}
