//! What a learner with a family must do for one whose candidates come and go.

use super::Clip;
use crate::Real;
use crate::agents::lsvi_ucb::planner::Regression;
use crate::agents::lsvi_ucb::{Candidates, Plan, TabularLsviUcb};

impl<T: Real> TabularLsviUcb<T> {
    /// Goes on with other candidates of the same states, with what has been learnt; to be planned with
    /// before the next episode.
    pub(super) fn replace_candidates(&mut self, candidates: Candidates<T>) {
        let (n, h) = (candidates.num_states(), self.params.horizon());
        self.scratch.planner = self.params.planner().build(&candidates.psi, n, h - 1, self.cap);
        let beyond = self.params.beyond_horizon();
        self.plan = Plan::new(candidates.shared_family(), n, h, beyond);
        self.candidates = candidates;
        self.playing = 0;
    }

    /// Where V_u(s) is clipped: chooses the candidate with the largest estimate among those at the clip.
    pub(super) fn choose_at_clip(&mut self, clip: &mut Clip<T>) {
        let k = Regression {
            psi: &self.candidates.psi,
            inverse: &self.memory.ridge.inverse,
            weights: &self.scratch.weights,
            rho: self.params.rho(),
            cap: self.cap,
        };
        clip.choose(k, &self.values, &mut self.plan.stages);
    }
}
