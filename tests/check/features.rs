//! `check::features`, `check::sequence_features`, `check::psi_definition` and `check::linear_mdp`.

use std::cell::Cell;

use nalgebra::{Const, DMatrix, DVector, Dyn, OVector, SVector};
use rand_pcg::Pcg64;
use sporadic::check;
use sporadic::dim::{Batch, Dimensional};
use sporadic::estimators::{BoundKind, ErrorBounds, normalized};
use sporadic::features::{
    Atom, Dynamics, FactoredFeatures, FeatureFn, FeatureMap, LinearModel, OneHot, Optimism,
    PrefixBounds, Psi, RandomLinear, SequenceFeatures, TabularPsi,
};
use sporadic::model::{Action, Reveal, Tabular, gallery, intermittent};
use sporadic::sequence::ActionSequence;
use sporadic::{Fault, Real};

use crate::{finds, finds_each};

fn world<T: Real>() -> Tabular<T> {
    gallery::river_swim(3, T::of(0.5), T::of(0.9)).unwrap()
}

#[test]
fn every_fault_of_a_feature_map_is_found() {
    let (world, calls) = (world::<f64>(), Cell::new(0.0));
    let phi = |fill: fn(f64, &mut [f64])| {
        let calls = &calls;
        FeatureFn::new(Dyn(2), move |_: &usize, _, phi: &mut [f64]| {
            calls.set(calls.get() + 1e-6);
            fill(calls.get(), phi);
        })
    };
    let norm = "state 0, action 0: ||phi|| = 5, above 1";
    finds(&check::features(&world, &phi(|_, x| x.copy_from_slice(&[3.0, 4.0]))), norm);
    let nan = "state 0, action 0: entry 1 of phi is NaN";
    finds(&check::features(&world, &phi(|_, x| x[1] = f64::NAN)), nan);
    let again = "state 0, action 0: phi differs when it is computed again";
    finds(&check::features(&world, &phi(|calls, x| x[0] = calls)), again);
    finds(&check::features(&world, &Short), "phi has 1 entries, but the dimension is 2");
    check::features(&world, &phi(|_, x| x[0] = 1.0)).assert();
    check::features(&world, &OneHot::of(&world)).assert();
}

/// Features with fewer entries than they say.
struct Short;

impl Dimensional for Short {
    type Dim = Dyn;

    fn dim(&self) -> Dyn {
        Dyn(2)
    }
}

impl FeatureMap<f64> for Short {
    type State = usize;

    fn phi(&self, _: &usize, _: Action) -> DVector<f64> {
        DVector::zeros(1)
    }
}

/// Sound features, but for the fault.
struct Faulty(&'static str, Psi<f64, OneHot<Dyn>>);

impl Dimensional for Faulty {
    type Dim = Dyn;

    fn dim(&self) -> Dyn {
        self.1.dim()
    }
}

impl SequenceFeatures<f64> for Faulty {
    type State = usize;

    fn num_actions(&self) -> usize {
        self.1.num_actions() + usize::from(self.0 == "actions")
    }

    fn gamma(&self) -> f64 {
        self.1.gamma() + if self.0 == "gamma" { 0.01 } else { 0.0 }
    }

    fn blind(&self, a: Action) -> f64 {
        if self.0 == "blind" && a == 0 { 0.1 } else { self.1.blind(a) }
    }

    fn check_state(&self, s: &usize) -> Result<(), Fault> {
        if self.0 == "state" { Err("not mine".into()) } else { self.1.check_state(s) }
    }

    fn psi(&self, s: &usize, seq: &ActionSequence) -> OVector<f64, Dyn> {
        let psi = self.1.psi(s, seq);
        match self.0 {
            "length" => psi.rows(0, 5).into_owned(),
            "norm" => psi * 100.0,
            "nan" => psi * f64::NAN,
            _ => psi,
        }
    }

    fn batch(&self, s: &usize, family: &[ActionSequence]) -> Batch<f64, Dyn> {
        let batch = self.1.batch(s, family);
        match self.0 {
            "batch" => batch * 0.5,
            "batch shape" => batch.columns(1, family.len() - 1).into_owned(),
            _ => batch,
        }
    }

    fn factors(&self) -> Option<Box<dyn FactoredFeatures<f64, usize> + '_>> {
        if self.0 == "factors" { Some(Box::new(self)) } else { self.1.factors() }
    }

    fn bounds<'a>(
        &'a self,
        k: &Optimism,
        states: usize,
    ) -> Option<Box<dyn PrefixBounds<usize> + 'a>> {
        if self.0 == "bounds" { Some(Box::new(self)) } else { self.1.bounds(k, states) }
    }
}

impl FactoredFeatures<f64, usize> for Faulty {
    fn phi(&self, _: &usize, _: Action, _: &mut [f64]) {}

    fn weights(&self, _: &ActionSequence) -> DMatrix<f64> {
        DMatrix::zeros(6, 12)
    }
}

impl PrefixBounds<usize> for &Faulty {
    fn move_to(&mut self, _: &usize) {}

    fn upper_bound(&mut self, _: &[Action]) -> f64 {
        -1.0
    }
}

fn exact<T: Real>(world: &Tabular<T>) -> Psi<T, OneHot<Dyn>> {
    Psi::new(OneHot::of(world), Dynamics::one_hot(world, OneHot::of(world))).unwrap()
}

#[test]
fn every_fault_of_sequence_features_is_found() {
    let world = world();
    let check = |fault| check::sequence_features(&world, &Faulty(fault, exact(&world)));
    let faults = [
        ("actions", "psi has 3 actions, the environment has 2"),
        ("gamma", "psi has gamma = 0.91, the environment 0.9"),
        ("blind", "blind_at(0, 1) = 0.1 is not between 0.45 and blind(0) = 0.1"),
        ("state", "state 0, which is visited, is refused: not mine"),
        ("length", "sequence (0): psi has 5 entries, not 12"),
        ("norm", "sequence (0): ||psi|| = "),
        ("nan", "sequence (0): entry 0 of psi is NaN"),
        ("batch", "sequence (0): psi differs from column 0 of the batch"),
        ("batch shape", "state 0, the batch of 8 sequences is (12, 7)"),
        ("factors", "sequence (0): psi differs from the product of its factors"),
        ("bounds", "above -1, its upper bound"),
    ];
    finds_each(check, &faults);
}

#[test]
fn every_built_in_psi_passes() {
    let world = world::<f64>();
    let phi = OneHot::of(&world);
    check::sequence_features(&world, &exact(&world)).assert();
    check::psi_definition(&world, &phi, &exact(&world)).assert();
    check::sequence_features(&world, &TabularPsi::new(world.clone())).assert();
    check::psi_definition(&world, &phi, &TabularPsi::new(world.clone())).assert();
    let bounds = ErrorBounds::new(BoundKind::Given, 6, 0.9, 1e-4, 0.0);
    let psi = normalized(phi, Dynamics::one_hot(&world, phi), &bounds).unwrap();
    check::sequence_features(&world, &psi).assert();

    let narrow = self::world::<f32>();
    check::sequence_features(&narrow, &TabularPsi::new(narrow.clone())).assert();
    check::psi_definition(&narrow, &OneHot::of(&narrow), &exact(&narrow)).assert();

    let aged = intermittent(&world, Reveal::every(3).unwrap()).unwrap();
    check::sequence_features(&aged, &TabularPsi::new(aged.clone())).assert();
    check::psi_definition(&aged, &phi, &TabularPsi::new(aged.clone())).assert();

    let mut rng = Pcg64::new(1, 1);
    let linear = RandomLinear::new(Const::<4>, vec![0.1, 0.6], 0.9, &mut rng).unwrap();
    let model = linear.linear_model(20);
    let psi = Psi::new(&linear, model.dynamics(&[0.1, 0.6], 0.9).unwrap()).unwrap();
    check::features(&linear, &linear).assert();
    check::sequence_features(&linear, &psi).assert();
    check::psi_definition(&linear, &linear, &psi).assert();
}

#[test]
fn features_that_are_not_psi_are_found() {
    let (world, other) = (world(), gallery::river_swim(3, 0.4, 0.9).unwrap());
    let phi = OneHot::of(&world);
    let findings = check::psi_definition(&world, &phi, &TabularPsi::new(other));
    finds(&findings, "of psi is");
    let large = TabularPsi::new(gallery::river_swim(4, 0.5, 0.9).unwrap());
    let dimension = "phi has 6 entries, psi has 16";
    finds(&check::psi_definition(&world, &phi, &large), dimension);
}

#[test]
fn every_fault_of_a_linear_model_is_found() {
    let world = gallery::river_swim::<f64>(2, 0.5, 0.9).unwrap();
    let phi = || OneHot::with_dim(2, 2, Const::<4>).unwrap();
    // mu(s') has the entry P(s' | s, a) at (s, a), theta the reward.
    let pairs = || (0..2).flat_map(|s| [(s, 0), (s, 1)]);
    let mu = |scale: f64, shift: usize| -> Vec<_> {
        let row = |t: usize| pairs().map(move |(s, a)| (s, a, t));
        let weight = |t| {
            SVector::<f64, 4>::from_iterator(
                row(t).map(|(s, a, t)| scale * world.probability(s, a, (t + shift) % 2)),
            )
        };
        (0..2).map(|state| Atom { state, weight: weight(state) }).collect()
    };
    let theta = |shift: f64| {
        SVector::<f64, 4>::from_iterator(pairs().map(|(s, a)| world.reward(s, a) + shift))
    };
    let check = |model: &LinearModel<f64, OneHot<Const<4>>>| {
        check::linear_mdp(&world, model, 30, &mut Pcg64::new(1, 1)).findings
    };
    check(&LinearModel::new(phi(), theta(0.0), mu(1.0, 0))).assert();
    for (theta, mu, expected) in [
        (theta(0.1), mu(1.0, 0), "r(s, a) differs from <phi, theta>, most after"),
        (theta(3.0), mu(1.0, 0), "||theta|| exceeds sqrt(d)"),
        (theta(0.0), mu(0.9, 0), "<phi(s, a), mu(S)> differs from 1, most after"),
        (theta(0.0), mu(3.0, 0), "|| |mu|(S) || exceeds sqrt(d)"),
        (theta(0.0), mu(1.0, 1), "phi(s') does not average to M^T phi, most after"),
    ] {
        let findings = check(&LinearModel::new(phi(), theta, mu));
        finds(&findings, expected);
    }
    let long = FeatureFn::new(Dyn(1), |_: &usize, _, phi: &mut [f64]| phi[0] = 2.0);
    let model = LinearModel::new(long, DVector::zeros(1), Vec::new());
    let findings = check::linear_mdp(&world, &model, 30, &mut Pcg64::new(1, 1)).findings;
    finds(&findings, "||phi(s, a)|| exceeds 1");
}
