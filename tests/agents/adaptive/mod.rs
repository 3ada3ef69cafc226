//! The learner over all sequences: its pool, its certificates, and how it is saved.

mod certificates;
mod extremes;
mod oracle;
mod pool;
mod resume;

use nalgebra::{DMatrix, DVector};
use sporadic::agents::{AdaptiveLsviUcb, Agent, LsviUcbParams, Segment};
use sporadic::belief::AugmentedState;
use sporadic::features::{SequenceFeatures, TabularPsi};
use sporadic::model::{Action, Tabular};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Simulation, Streams};

/// The agent, and its whole history in 2d dimensions: another road to Lambda, w_u and K_u.
struct Recorded {
    agent: AdaptiveLsviUcb<f64>,
    psi: TabularPsi<f64>,
    params: LsviUcbParams<f64>,
    /// (psi, min {R, H}, next state) of every segment.
    history: Vec<(DVector<f64>, f64, Option<usize>)>,
    /// How many segments had been learnt from when the last episode began.
    planned: usize,
}

impl Agent<usize, f64> for Recorded {
    fn begin_episode(&mut self, start: &usize) {
        self.planned = self.history.len();
        self.agent.begin_episode(start);
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.agent.act(x)
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        let (u, s) = (self.agent.learner().sighting(), *segment.start());
        if u <= self.params.horizon() {
            let played = &self.agent.plan().family()[self.agent.plan().index(u, s)];
            let reward = segment.reward().min(self.params.horizon() as f64);
            self.history.push((self.psi.psi(&s, played), reward, segment.next().copied()));
        }
        self.agent.observe(segment);
    }

    fn end_episode(&mut self) {
        self.agent.end_episode();
    }
}

impl Recorded {
    /// The agent after some episodes.
    fn run(model: &Tabular<f64>, size: usize, params: LsviUcbParams<f64>, episodes: u64) -> Self {
        let agent = AdaptiveLsviUcb::for_model(model, size, params).unwrap();
        let psi = TabularPsi::new(model.clone());
        let mut run = Self { agent, psi, params, history: Vec::new(), planned: 0 };
        Simulation::new(model, Streams::new(episodes)).run(0..episodes, &mut run, &mut ()).unwrap();
        run
    }

    /// K_u(s, .) of every sequence, not clipped, with V_(u+1) of the agent: lines 4, 6 and 7 as printed.
    fn values(&self, u: usize, s: usize, family: &[ActionSequence]) -> Vec<f64> {
        self.scores(u, s, family).into_iter().map(|(estimate, bonus)| estimate + bonus).collect()
    }

    /// The two terms of K_u(s, .): the estimate <psi, w> and the bonus rho ||psi||.
    fn scores(&self, u: usize, s: usize, family: &[ActionSequence]) -> Vec<(f64, f64)> {
        let model = self.psi.model();
        let d = 2 * model.num_states() * model.num_actions();
        let later = self.agent.learner().values_at(u + 1);
        let mut lambda = DMatrix::identity(d, d) * self.params.lambda();
        let mut target = DVector::zeros(d);
        for (psi, reward, next) in &self.history[..self.planned] {
            lambda += psi * psi.transpose();
            target += psi * (reward + next.map_or(0.0, |next| later[next]));
        }
        let cholesky = lambda.cholesky().unwrap();
        let w = cholesky.solve(&target);
        let score = |psi: DVector<f64>| {
            let norm = cholesky.l().solve_lower_triangular(&psi).unwrap().norm();
            (psi.dot(&w), self.params.rho() * norm)
        };
        self.psi.batch(&s, family).column_iter().map(|psi| score(psi.into_owned())).collect()
    }

    /// The largest of them.
    fn best(&self, u: usize, s: usize, family: &[ActionSequence]) -> f64 {
        self.values(u, s, family).into_iter().fold(f64::MIN, f64::max)
    }
}
