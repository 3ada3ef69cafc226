//! Algorithm 1 as printed, and what tests of learners share.

use nalgebra::{DMatrix, DVector};
use sporadic::agents::{Agent, Candidates, LsviUcbParams, Segment, TabularLsviUcb};
use sporadic::belief::AugmentedState;
use sporadic::features::{SequenceFeatures, TabularPsi};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::sequence::{ActionSequence, runs};

/// The paper's 1012 candidates.
pub(crate) fn family() -> Vec<ActionSequence> {
    runs(2, 5, 10).collect()
}

/// The paper's models: six states, gamma = 0.99.
pub(crate) fn river(name: &str, beta: f64) -> Tabular<f64> {
    match name {
        "river_swim" => gallery::river_swim(6, beta, 0.99),
        _ => gallery::river_balance(6, beta, 0.99),
    }
    .unwrap()
}

/// A small world, a small family, and its candidates.
pub(crate) fn small() -> (Tabular<f64>, Vec<ActionSequence>, Candidates<f64>) {
    let model = gallery::river_balance::<f64>(4, 0.4, 0.9).unwrap();
    let family: Vec<_> = runs(2, 2, 3).collect();
    let psi = TabularPsi::new(model.clone());
    let candidates = Candidates::one_hot(&psi, family.clone()).unwrap();
    (model, family, candidates)
}

/// Algorithm 1 line by line: the whole history, psi in 2d dimensions, a fresh factorisation.
pub(crate) struct Literal {
    params: LsviUcbParams<f64>,
    states: usize,
    gamma: f64,
    /// psi of state s and candidate j in column `s * m + j`.
    psi: DMatrix<f64>,
    /// (psi, min {R, H}, next state) of every segment.
    history: Vec<(usize, f64, Option<usize>)>,
}

impl Literal {
    pub(crate) fn new(
        psi: &TabularPsi<f64>,
        family: &[ActionSequence],
        params: LsviUcbParams<f64>,
    ) -> Self {
        let (states, gamma) = (psi.model().num_states(), psi.model().gamma());
        let batches: Vec<_> = (0..states).map(|s| psi.batch(&s, family)).collect();
        let columns: Vec<_> = batches.iter().flat_map(|b| b.column_iter()).collect();
        Self { params, states, gamma, psi: DMatrix::from_columns(&columns), history: vec![] }
    }

    pub(crate) fn push(&mut self, column: usize, reward: f64, next: Option<usize>) {
        self.history.push((column, reward.min(self.params.horizon() as f64), next));
    }

    /// Lines 3 to 8: the argmax of line 12 and V_u(s), for each u from 1 to H - 1.
    pub(crate) fn plan(&self) -> Vec<(Vec<usize>, Vec<f64>)> {
        let (d, m, cap) =
            (self.psi.nrows(), self.psi.ncols() / self.states, 1.0 / (1.0 - self.gamma));
        let columns: Vec<_> = self.history.iter().map(|h| self.psi.column(h.0)).collect();
        let features = match columns.len() {
            0 => DMatrix::zeros(d, 0),
            _ => DMatrix::from_columns(&columns),
        };
        let gram =
            DMatrix::identity(d, d) * self.params.lambda() + &features * features.transpose();
        let cholesky = gram.cholesky().unwrap();
        let half = cholesky.l().solve_lower_triangular(&self.psi).unwrap();
        let bonus: Vec<f64> = half.column_iter().map(|c| self.params.rho() * c.norm()).collect();
        let mut value = vec![cap; self.states];
        let mut stages = Vec::new();
        for _ in (1..self.params.horizon()).rev() {
            let targets =
                self.history.iter().map(|&(_, r, next)| r + next.map_or(0.0, |s| value[s]));
            let targets = DVector::from_iterator(self.history.len(), targets);
            let w = cholesky.solve(&(&features * targets));
            let k = self.psi.tr_mul(&w);
            let mut choice = vec![0; self.states];
            for s in 0..self.states {
                let k = |j: usize| (k[s * m + j] + bonus[s * m + j]).min(cap);
                let best = (0..m).fold((0, k(0)), |b, j| if k(j) > b.1 { (j, k(j)) } else { b });
                (choice[s], value[s]) = best;
            }
            stages.push((choice, value.clone()));
        }
        stages.reverse();
        stages
    }
}

/// Lets the library's agent play, and the literal one check its plans now and then.
pub(crate) struct Shadow {
    pub(crate) agent: TabularLsviUcb<f64>,
    pub(crate) literal: Literal,
    pub(crate) every: u64,
    pub(crate) worst: f64,
}

impl Agent<usize, f64> for Shadow {
    fn begin_episode(&mut self, start: &usize) {
        self.agent.begin_episode(start);
        let k = self.agent.episodes();
        if !k.is_multiple_of(self.every) {
            return;
        }
        for (i, (choice, value)) in self.literal.plan().into_iter().enumerate() {
            let ours: Vec<_> =
                (0..value.len()).map(|s| self.agent.plan().index(i + 1, s)).collect();
            assert_eq!(ours, choice, "episode {k}, sighting {}", i + 1);
            for (a, b) in self.agent.values_at(i + 1).iter().zip(value) {
                self.worst = self.worst.max((a - b).abs());
            }
        }
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.agent.act(x)
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        let (u, s) = (self.agent.sighting(), *segment.start());
        if u <= self.literal.params.horizon() {
            let m = self.agent.plan().family().len();
            let column = s * m + self.agent.plan().index(u, s);
            self.literal.push(column, segment.reward(), segment.next().copied());
        }
        self.agent.observe(segment);
    }

    fn end_episode(&mut self) {
        self.agent.end_episode();
    }
}
