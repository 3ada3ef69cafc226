//! An estimator: relative frequencies with pseudo-counts, after Laplace.

use nalgebra::{DMatrix, Dyn};
use sporadic::dim::Dimensional;
use sporadic::estimators::{
    BoundKind, ErrorBounds, EstimateError, Estimator, Exploration, Transition,
};
use sporadic::features::Dynamics;
use sporadic::kinds::{BoxedEstimator, EstimatorKind, ParameterError};
use sporadic::model::{Action, Tabular};
use sporadic::{Fault, kind};

kind! {
    /// P(s' | s, a) = (n(s, a, s') + PSEUDO) / (n(s, a) + PSEUDO |S|): every row is a distribution, seen or not.
    pub struct Laplace("laplace") {
        /// The pseudo-count of every transition
        pseudo: f64 = 0.5,
    }
}

struct Frequencies {
    pseudo: f64,
    gamma: f64,
    /// n(s, a, s') at row s |A| + a, column s'.
    counts: DMatrix<f64>,
    /// How often an action was taken, and how often there was a data-burst then.
    reveals: Vec<(f64, f64)>,
    /// The first sample that could not be used.
    fault: Option<EstimateError>,
}

impl Frequencies {
    /// Keeps a sample out whose action does not exist, and remembers it.
    fn is_known(&mut self, action: Action) -> bool {
        let (sample, num_actions) = (self.samples(), self.reveals.len());
        if action >= num_actions {
            let fault = EstimateError::Action { sample, action, num_actions };
            self.fault.get_or_insert(fault);
        }
        action < num_actions
    }
}

impl Dimensional for Frequencies {
    type Dim = Dyn;

    fn dim(&self) -> Dyn {
        Dyn(self.counts.nrows())
    }
}

impl Estimator<f64> for Frequencies {
    type State = usize;

    fn observe(&mut self, t: &Transition<usize>) {
        if self.is_known(t.action) {
            self.counts[(t.state * self.reveals.len() + t.action, t.next)] += 1.0;
            self.observe_reveal(t.action, t.burst);
        }
    }

    fn observe_reveal(&mut self, a: Action, burst: bool) {
        if self.is_known(a) {
            self.reveals[a].0 += 1.0;
            self.reveals[a].1 += f64::from(u8::from(burst));
        }
    }

    fn samples(&self) -> u64 {
        self.counts.sum() as u64
    }

    fn estimate(&self) -> Result<Dynamics<f64, Dyn>, EstimateError> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let (pairs, states) = self.counts.shape();
        let actions = self.reveals.len();
        let total: Vec<f64> = self.counts.row_iter().map(|row| row.sum()).collect();
        let next = |pair: usize, s: usize| {
            (self.counts[(pair, s)] + self.pseudo) / (total[pair] + self.pseudo * states as f64)
        };
        // M_a leads from the pair (s, b) to (s', a) with probability P(s' | s, b).
        let matrix = |a| {
            DMatrix::from_fn(pairs, pairs, |i, j| {
                if j % actions == a { next(i, j / actions) } else { 0.0 }
            })
        };
        let beta = self.reveals.iter().map(|(n, bursts)| (bursts + 0.5) / (n + 1.0)).collect();
        Ok(Dynamics::new((0..actions).map(matrix).collect(), beta, self.gamma)?)
    }

    /// Nothing is proved of this estimator: the bounds are infinite.
    fn error_bounds(&self, _: f64) -> ErrorBounds<f64> {
        let dim = self.counts.nrows();
        ErrorBounds::new(BoundKind::Given, dim, self.gamma, f64::INFINITY, 1.0)
    }
}

impl EstimatorKind for Laplace {
    fn build(&self, model: &Tabular<f64>, _: Exploration) -> Result<BoxedEstimator, Fault> {
        let (states, actions) = (model.num_states(), model.num_actions());
        Ok(Box::new(Frequencies {
            pseudo: self.pseudo,
            gamma: model.gamma(),
            counts: DMatrix::zeros(states * actions, states),
            reveals: vec![(0.0, 0.0); actions],
            fault: None,
        }))
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.pseudo > 0.0 && self.pseudo.is_finite() {
            return Ok(());
        }
        Err(ParameterError::new("pseudo", self.pseudo, "above 0 and finite"))
    }
}
