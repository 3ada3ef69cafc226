//! `check::estimator`.

use nalgebra::{Const, DMatrix, Dyn};
use sporadic::check::{self, Findings};
use sporadic::dim::Dimensional;
use sporadic::estimators::{
    BoundKind, ErrorBounds, EstimateError, Estimator, Exploratory, RidgeEstimator,
    TabularEstimator, Transition,
};
use sporadic::features::{Dynamics, OneHot};
use sporadic::model::{Action, gallery};

use crate::finds_each;

/// A sound estimator, but for its fault.
struct Faulty {
    fault: &'static str,
    inner: TabularEstimator<f64, Dyn>,
    noise: f64,
}

impl Dimensional for Faulty {
    type Dim = Dyn;

    fn dim(&self) -> Dyn {
        self.inner.dim()
    }
}

impl Estimator<f64> for Faulty {
    type State = usize;

    fn observe(&mut self, t: &Transition<usize>) {
        match self.fault {
            "panics" => assert!(t.action < 2, "no such action"),
            "accepts" if t.action >= 2 => return,
            _ => {}
        }
        self.inner.observe(t);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.inner.observe_reveal(a, burst);
    }

    fn samples(&self) -> u64 {
        if self.fault == "count" { 7 } else { self.inner.samples() }
    }

    fn estimate(&self) -> Result<Dynamics<f64, Dyn>, EstimateError> {
        let estimate = self.inner.estimate()?;
        let shift = match self.fault {
            "matrices" => 0.1,
            "draws" => self.noise,
            _ => 0.0,
        };
        let matrices = (0..2).map(|a| estimate.matrix(a) + DMatrix::from_element(6, 6, shift));
        let beta = |a| match self.fault {
            "beta" => 0.5,
            "range" => 1.5,
            _ => estimate.beta(a),
        };
        Ok(Dynamics::new(matrices.collect(), (0..2).map(beta).collect(), 0.8)?)
    }

    fn error_bounds(&self, confidence: f64) -> ErrorBounds<f64> {
        match self.fault {
            "bounds" => ErrorBounds::new(BoundKind::Given, 6, 0.8, 0.0, 0.0),
            _ => self.inner.error_bounds(confidence),
        }
    }
}

fn faulty(fault: &'static str) -> Findings {
    let world = gallery::river_swim(3, 0.3, 0.8).unwrap();
    let sampler = Exploratory::uniform(&world);
    let truth = Dynamics::one_hot(&world, OneHot::of(&world));
    let made = std::cell::Cell::new(0.0);
    check::estimator(
        &truth,
        |rng| sampler.sample(rng),
        || {
            made.set(made.get() + 1e-9);
            let inner = TabularEstimator::new(3, 2, 0.8).unwrap();
            Box::new(Faulty { fault, inner, noise: made.get() })
        },
    )
}

#[test]
fn every_fault_of_an_estimator_is_found() {
    let faults = [
        ("matrices", "the error of the matrices is"),
        ("beta", "the error of the reveal probabilities is"),
        ("range", "1.5"),
        ("count", "7 samples of 500"),
        ("draws", "same data, other estimate"),
        ("bounds", "errors exceed their bounds at confidence 0.9 in 8 of 8 data sets"),
        ("panics", "observe of action 2 of 2 panics"),
        ("accepts", "observe of action 2 of 2 is not refused"),
    ];
    finds_each(faulty, &faults);
}

#[test]
fn estimators_pass_in_single_precision() {
    let narrow = gallery::river_swim::<f32>(3, 0.3, 0.8).unwrap();
    let phi = || OneHot::with_dim(3, 2, Const::<6>).unwrap();
    let truth: Dynamics<f32, Const<6>> = Dynamics::one_hot(&narrow, phi());
    let sampler = Exploratory::uniform(&narrow);
    let ridge = || RidgeEstimator::new(phi(), 2, 0.8).unwrap();
    check::estimator(&truth, |rng| sampler.sample(rng), || Box::new(ridge())).assert();
}
