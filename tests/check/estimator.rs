//! `check::estimator`.

use nalgebra::{Const, DMatrix, Dyn, OMatrix};
use sporadic::check::{self, Findings};
use sporadic::dim::Dimensional;
use sporadic::estimators::{
    BoundKind, EmEstimator, ErrorBounds, EstimateError, Estimator, Exploratory, RidgeEstimator,
    TabularEstimator, Transition,
};
use sporadic::features::{Dynamics, OneHot};
use sporadic::model::{Action, Tabular, gallery};

use crate::finds;

fn world() -> Tabular<f64> {
    gallery::river_swim(3, 0.3, 0.8).unwrap()
}

/// What an estimator does wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    Nothing,
    Matrices,
    Beta,
    OutOfRange,
    Count,
    Draws,
    Bounds,
    Panics,
    Accepts,
}

/// A sound estimator, but for what is wrong.
struct Faulty {
    wrong: Wrong,
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
        match self.wrong {
            Wrong::Panics => assert!(t.action < 2, "no such action"),
            Wrong::Accepts if t.action >= 2 => return,
            _ => {}
        }
        self.inner.observe(t);
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        self.inner.observe_reveal(a, burst);
    }

    fn samples(&self) -> u64 {
        if self.wrong == Wrong::Count { 7 } else { self.inner.samples() }
    }

    fn estimate(&self) -> Result<Dynamics<f64, Dyn>, EstimateError> {
        let estimate = self.inner.estimate()?;
        let shift = match self.wrong {
            Wrong::Matrices => 0.1,
            Wrong::Draws => self.noise,
            _ => 0.0,
        };
        let matrices = (0..2).map(|a| estimate.matrix(a) + DMatrix::from_element(6, 6, shift));
        let beta = |a| match self.wrong {
            Wrong::Beta => 0.5,
            Wrong::OutOfRange => 1.5,
            _ => estimate.beta(a),
        };
        Ok(Dynamics::new(matrices.collect(), (0..2).map(beta).collect(), 0.8)?)
    }

    fn error_bounds(&self, confidence: f64) -> ErrorBounds<f64> {
        match self.wrong {
            Wrong::Bounds => ErrorBounds::new(BoundKind::Given, 6, 0.8, 0.0, 0.0),
            _ => self.inner.error_bounds(confidence),
        }
    }
}

fn faulty(wrong: Wrong) -> Findings {
    let world = world();
    let sampler = Exploratory::uniform(&world);
    let truth = Dynamics::one_hot(&world, OneHot::of(&world));
    let made = std::cell::Cell::new(0.0);
    check::estimator(
        &truth,
        |rng| sampler.sample(rng),
        || {
            made.set(made.get() + 1e-9);
            let inner = TabularEstimator::new(3, 2, 0.8).unwrap();
            Box::new(Faulty { wrong, inner, noise: made.get() })
        },
    )
}

#[test]
fn every_fault_of_an_estimator_is_found() {
    for (wrong, expected) in [
        (Wrong::Matrices, "the error of the matrices is"),
        (Wrong::Beta, "the error of the reveal probabilities is"),
        (Wrong::OutOfRange, "1.5"),
        (Wrong::Count, "7 samples of 500"),
        (Wrong::Draws, "same data, other estimate"),
        (Wrong::Bounds, "errors exceed their bounds at confidence 0.9 in 8 of 8 data sets"),
        (Wrong::Panics, "observe of action 2 of 2 panics"),
        (Wrong::Accepts, "observe of action 2 of 2 is not refused"),
    ] {
        finds(&faulty(wrong), expected);
    }
    faulty(Wrong::Nothing).assert();
}

#[test]
fn every_built_in_estimator_passes() {
    let world = world();
    let sampler = Exploratory::uniform(&world);
    let truth = Dynamics::one_hot(&world, OneHot::of(&world));
    let sample = |rng: &mut rand_pcg::Pcg64| sampler.sample(rng);
    let ridge = || RidgeEstimator::new(OneHot::of(&world), 2, 0.8).unwrap();
    check::estimator(&truth, sample, || Box::new(ridge())).assert();
    check::estimator(&truth, sample, || Box::new(EmEstimator::new(3, 2, 0.8).unwrap())).assert();

    // Single precision, and a dimension known at compile time.
    let narrow = gallery::river_swim::<f32>(3, 0.3, 0.8).unwrap();
    let phi = || OneHot::with_dim(3, 2, Const::<6>).unwrap();
    let truth: Dynamics<f32, Const<6>> = Dynamics::one_hot(&narrow, phi());
    let _: &OMatrix<f32, Const<6>, Const<6>> = truth.matrix(0);
    let sampler = Exploratory::uniform(&narrow);
    let ridge = || RidgeEstimator::new(phi(), 2, 0.8).unwrap();
    check::estimator(&truth, |rng| sampler.sample(rng), || Box::new(ridge())).assert();
}
