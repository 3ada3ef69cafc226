//! psi of models with and without schedules: every way to compute it, cursors, and bounds.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use sporadic::belief::AugmentedState;
use sporadic::features::{FeatureMap, Optimism, SequenceFeatures, TabularPsi};
use sporadic::model::{Reveal, Tabular, gallery};
use sporadic::oracles::{FeatureObjective, SequenceObjective};
use sporadic::sequence::{ActionSequence, periodic, words};

use crate::common::schedules::{labelled, scheduled, with_labels};
use crate::common::{dense, sequence};

/// psi of the labelled model, with the features of all labels of an action added up.
fn by_labels(model: &Tabular<f64>, s: usize, seq: &ActionSequence) -> DVector<f64> {
    let (n, m) = (model.num_states(), model.num_actions());
    let wide = labelled(model);
    let psi = TabularPsi::new(wide.clone()).psi(&s, &with_labels(model, seq));
    let mut sum = DVector::zeros(2 * n * m);
    for half in 0..2 {
        for t in 0..n {
            for b in 0..wide.num_actions() {
                sum[half * n * m + t * m + b % m] +=
                    psi[half * n * wide.num_actions() + t * wide.num_actions() + b];
            }
        }
    }
    sum
}

proptest! {
    #[test]
    fn every_way_to_compute_psi_agrees((model, seq) in scheduled(), s in 0..2_usize) {
        let (fast, psi) = (TabularPsi::new(model.clone()), dense(&model));
        let expected = by_labels(&model, s, &seq);
        prop_assert!((fast.psi(&s, &seq) - &expected).norm() < 1e-10);
        prop_assert!((psi.psi(&s, &seq) - &expected).norm() < 1e-10);
        prop_assert!((psi.series(s, &seq, 1e-12) - &expected).norm() < 1e-10);
        prop_assert!((psi.try_psi(&s, &seq).unwrap() - &expected).norm() < 1e-10);
        let family: Vec<_> = [seq.clone()].into_iter()
            .chain(periodic(model.num_actions(), 2, 3).take(12))
            .collect();
        let table = fast.table(&family);
        let batches = [fast.batch(&s, &family), psi.batch(&s, &family)];
        for (j, seq) in family.iter().enumerate() {
            let one = if j == 0 { expected.clone() } else { psi.psi(&s, seq) };
            for batch in &batches {
                prop_assert!((batch.column(j) - &one).norm() < 1e-10);
            }
            prop_assert!((table.column(s * family.len() + j) - &one).norm() < 1e-10);
        }
        // Independent of the state: 1/2 W^T phi.
        let phi: DVector<f64> = psi.phi().phi(&s, seq.first());
        prop_assert!((psi.weights(&seq).tr_mul(&phi) * 0.5 - &expected).norm() < 1e-10);
        prop_assert!(expected.norm() <= 1.0 + 1e-12);
        // The halves count rounds and sightings: (1 - gamma) E rounds + P(seen) = 1.
        let d = expected.len() / 2;
        let (rounds, seen) = (2.0 * expected.rows(0, d).sum(), 2.0 * expected.rows(d, d).sum());
        prop_assert!((rounds + seen - 1.0).abs() < 1e-9, "{rounds} + {seen}");
    }

    #[test]
    fn a_cursor_and_what_follows_make_psi((model, seq) in scheduled(), h in 0..20_usize) {
        let (fast, psi) = (TabularPsi::new(model.clone()), dense(&model));
        let (mut cursor, mut quick) = (psi.cursor(0), fast.cursor(0));
        let actions: Vec<usize> = seq.iter().take(h).collect();
        for &a in &actions {
            cursor.push(a);
            quick.push(a);
        }
        let whole = fast.psi(&0, &seq);
        let rest = (0..h).fold(seq, |seq, _| seq.tail());
        let x = AugmentedState::new(0).with_actions(actions.clone());
        let mut decided = DVector::zeros(whole.len());
        quick.psi_into(decided.as_mut_slice());
        prop_assert!((cursor.psi() - &decided).norm() < 1e-12);
        prop_assert!((cursor.weight() - quick.weight()).abs() < 1e-12);
        prop_assert!((cursor.remaining() - quick.remaining()).abs() < 1e-12);
        prop_assert!((&whole - &decided).norm() <= quick.remaining() + 1e-12);
        for at in [fast.psi_at(&x, &rest), psi.psi_at(&x, &rest)] {
            prop_assert!((&decided + at * quick.weight() - &whole).norm() < 1e-10);
        }
        let weight = actions.iter().zip(1..).map(|(&a, n)| 0.0 + fast.blind_at(a, n));
        prop_assert!((weight.product::<f64>() - quick.weight()).abs() < 1e-12);
        for (&a, n) in actions.iter().zip(1..) {
            prop_assert!(fast.blind_at(a, n) <= fast.blind(a) && psi.blind_at(a, n) <= psi.blind(a));
        }
    }

    /// No sequence is above the bound of one of its prefixes: with and without a bonus, for
    /// tables of delayed states, for products of matrices and for norms.
    #[test]
    fn bounds_hold_over_all_continuations(
        (model, _) in scheduled(),
        numbers in proptest::collection::vec(-1.0..1.0_f64, 60),
        with_bonus in any::<bool>(),
        delay in 0..4_usize,
    ) {
        struct Plain(TabularPsi<f64>);
        impl sporadic::dim::Dimensional for Plain {
            type Dim = nalgebra::Dyn;
            fn dim(&self) -> nalgebra::Dyn { self.0.dim() }
        }
        impl SequenceFeatures<f64> for Plain {
            type State = usize;
            fn num_actions(&self) -> usize { self.0.num_actions() }
            fn gamma(&self) -> f64 { self.0.gamma() }
            fn blind(&self, a: usize) -> f64 { self.0.blind(a) }
            fn psi(&self, s: &usize, seq: &ActionSequence) -> DVector<f64> { self.0.psi(s, seq) }
        }
        let size = 2 * model.num_states() * model.num_actions();
        let w = DVector::from_fn(size, |i, _| numbers[i % numbers.len()]);
        let axis = DVector::from_fn(size, |i, _| numbers[(7 * i + 3) % numbers.len()]);
        let g = DMatrix::identity(size, size) * 0.5 + &axis * axis.transpose();
        let bonus = with_bonus.then_some((0.7, g));
        let k = Optimism { w, bonus };
        let value = |psi: &DVector<f64>| {
            let bonus = k.bonus.as_ref().map_or(0.0, |(rho, g)| rho * psi.dot(&(g * psi)).sqrt());
            psi.dot(&k.w) + bonus
        };
        let fast = TabularPsi::new(model.clone());
        let (plain, psi) = (Plain(fast.clone()), dense(&model));
        let mut all = [
            fast.bounds(&k, 64).unwrap(), psi.bounds(&k, 64).unwrap(), plain.bounds(&k, 64).unwrap(),
        ];
        let mut delayed = [0, 1].map(|s| {
            let plain = FeatureObjective::new(&fast, s, &k.w).unwrap().with_delay(delay);
            let Some((rho, g)) = &k.bonus else { return plain };
            plain.with_bonus(*rho, g).unwrap()
        });
        for seq in words(model.num_actions(), 4).take(40) {
            for (s, turn) in [(0, 0), (1, 1)] {
                let word: Vec<usize> = seq.iter().take(4).collect();
                let seq = if turn == 1 { ActionSequence::new([], word) } else { seq.clone() };
                let best = value(&fast.psi(&s, &seq));
                for bounds in &mut all {
                    bounds.move_to(&s);
                    for length in [0, 1, 3, 6] {
                        let prefix: Vec<usize> = seq.iter().take(length).collect();
                        let bound = bounds.upper_bound(&prefix);
                        prop_assert!(best <= bound + 1e-10, "{seq} {prefix:?}: {best} above {bound}");
                        let bound = bound.min(delayed[s].upper_bound(&prefix));
                        prop_assert!(best <= bound + 1e-10, "{seq} {prefix:?}, delay {delay}");
                        let suggested = bounds.suggest(&prefix);
                        prop_assert!(value(&fast.psi(&s, &suggested)) <= bound + 1e-10);
                    }
                }
            }
        }
    }
}

/// So many ages that tables by age would be too large: norms bound instead.
#[test]
fn long_schedules_are_bounded_by_norms() {
    let model = gallery::river_swim::<f64>(6, 0.1, 0.9).unwrap();
    let model =
        model.with_reveals(vec![Reveal::every(900).unwrap(), Reveal::constant(0.3)]).unwrap();
    let psi = TabularPsi::new(model);
    let k = Optimism { w: DVector::from_element(24, 1.0), bonus: None };
    let mut bounds = psi.bounds(&k, 1 << 20).unwrap();
    bounds.move_to(&0);
    for text in ["(0)", "(1)", "0(01)"] {
        let seq = sequence(text);
        assert!(psi.psi(&0, &seq).dot(&k.w) <= bounds.upper_bound(&[seq.first()]) + 1e-12);
    }
}
