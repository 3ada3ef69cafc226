//! `lsvi-ucb`.

use super::{check_learner, check_tabular, params, short_horizon, smaller, suited};
use crate::agents::size::{check_counts, check_lambda, check_plan};
use crate::agents::{
    self, AdaptiveLsviUcb, BeyondHorizon, Candidates, Continuation, LsviUcbParams,
    OnlineTabularLsviUcb, RegretBound, Replanning, Resume as _, TabularLsviUcb,
};
use crate::estimators::{
    EstimatedMap, Estimator as _, Exploratory, SufficientStatistics as _, TabularEstimator,
};
use crate::features::OneHot;
use crate::kinds::{
    AgentKind, BoxedAgent, MapChoice, OracleChoice, ParameterError, ParameterType as _, PsiChoice,
    Site, Table,
};
use crate::model::Tabular;
use crate::{Fault, Number, kind};

kind! {
    /// Algorithm 1, ATST-LSVI-UCB, with exact psi or with an estimate of it.
    pub struct LsviUcb("lsvi-ucb", 2) {
        /// Where sequences come from: a family or a search
        oracle: OracleChoice = "runs:5,10".into(),
        /// H, the number of sightings planned for
        horizon: usize = 100,
        /// lambda, the regulariser
        lambda: f64 = 0.01,
        /// rho, the size of the bonus
        rho: f64 = 50.0,
        /// What is played from the H-th sighting on: constant, reuse-last or reuse-first
        beyond: BeyondHorizon = BeyondHorizon::ReuseFirst,
        /// When the planning phase runs: every-episode, as it does by default, or growth:2, when det Lambda has doubled
        replan: Option<Replanning<f64>> = None,
        /// What is known of psi: exact, estimated:N from N exploratory samples, or online from nothing
        psi: PsiChoice = PsiChoice::Exact,
        /// The map made of estimates: plug-in, norm-corrected or normalized
        map: MapChoice = MapChoice::PlugIn,
        /// The error of the action matrices that the map assumes; a bound from the samples if left out
        psi_error: Option<f64> = None,
        /// What is added for the error of psi learnt online: this, over the root of the number of visits, per visit
        psi_bonus: Option<f64> = None,
        /// The value of what follows: regression, as in the paper, or model, by the transitions behind psi
        continuation: Continuation = Continuation::Regression,
    }
}

impl LsviUcb {
    fn params(&self, model: &Tabular<f64>) -> LsviUcbParams<f64> {
        params(model, self.horizon, self.lambda, self.beyond)
            .with_rho(self.rho)
            .with_replanning(self.replan.unwrap_or_default())
            .with_continuation(self.continuation)
    }

    /// The map, with the error that was given or else `bound`.
    fn map(&self, bound: impl FnOnce() -> f64) -> EstimatedMap<f64> {
        let epsilon = || self.psi_error.unwrap_or_else(bound);
        match self.map {
            MapChoice::PlugIn => EstimatedMap::PlugIn,
            MapChoice::NormCorrected => EstimatedMap::NormCorrected { epsilon: epsilon() },
            MapChoice::Normalized => EstimatedMap::Normalized { epsilon: epsilon() },
        }
    }

    /// The agent with psi from exploratory samples.
    fn estimated<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
        samples: u64,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let (model, params) = (site.world(), self.params(site.world()));
        let (n, actions) = (model.num_states(), model.num_actions());
        let mut estimator =
            TabularEstimator::new(n, actions, model.gamma())?.with_ages(model.ages());
        let (sampler, mut rng) = (Exploratory::uniform(model), site.streams().exploration());
        for _ in 0..samples {
            let (transition, age) = sampler.sample_at_ages(&mut rng);
            estimator.observe_at(&transition, age);
        }
        let dynamics = estimator.estimate()?;
        let map = self.map(|| estimator.observed_bounds(CONFIDENCE).matrices);
        let psi = map.build(OneHot::of(model), dynamics.clone())?;
        let oracle = site.oracle(&self.oracle)?;
        if let Some(family) = oracle.family(actions)? {
            let candidates = Candidates::new(&psi, n, family)?;
            let candidates = match self.continuation {
                Continuation::Regression => candidates,
                Continuation::Model => candidates.with_dynamics(psi.inner().dynamics())?,
            };
            return Ok(Box::new(TabularLsviUcb::new(candidates, params)?.resumable()));
        }
        let agent = agents::LsviUcb::new(psi, oracle.build(actions)?, params)?;
        Ok(Box::new(agent.resumable()))
    }
}

/// With this probability the bound on the error of estimates holds, where it is taken from the samples.
const CONFIDENCE: f64 = 0.95;

impl AgentKind<Tabular<f64>> for LsviUcb {
    /// A finite family and a pool take tabular learners, whose cost per episode does not grow; any other search
    /// takes the general one.
    fn build<'a>(
        &self,
        site: &Site<'a, Tabular<f64>>,
    ) -> Result<BoxedAgent<'a, Tabular<f64>>, Fault> {
        let (model, params) = (site.world(), self.params(site.world()));
        let (oracle, actions) = (site.oracle(&self.oracle)?, model.num_actions());
        // Where reveal probabilities depend on the age, the general learner asks the oracle itself.
        let pool = oracle.pool().filter(|_| model.ages() == 1);
        let family = oracle.family(actions)?;
        Ok(match (self.psi, family, pool) {
            (PsiChoice::Estimated(samples), ..) => self.estimated(site, samples)?,
            (PsiChoice::Exact, Some(family), _) => {
                Box::new(TabularLsviUcb::for_model(model, family, params)?.resumable())
            }
            (PsiChoice::Exact, None, Some(size)) => {
                Box::new(AdaptiveLsviUcb::for_model(model, size, params)?.resumable())
            }
            (PsiChoice::Exact, None, None) => {
                let oracle = oracle.build(actions)?;
                Box::new(agents::LsviUcb::for_model(model, oracle, params)?.resumable())
            }
            (PsiChoice::Online, Some(family), _) => {
                let agent = OnlineTabularLsviUcb::for_model(model, family, params)?;
                let agent = agent.with_map(self.map(|| 0.0))?;
                Box::new(agent.with_error_bonus(self.psi_bonus.unwrap_or(0.0))?.resumable())
            }
            (PsiChoice::Online, None, Some(size)) => Box::new(
                OnlineTabularLsviUcb::for_model_with_pool(model, size, params)?.resumable(),
            ),
            (PsiChoice::Online, None, None) => {
                let oracle = oracle.build(actions)?;
                Box::new(agents::OnlineLsviUcb::for_model(model, oracle, params)?.resumable())
            }
        })
    }

    fn suited(model: &Tabular<f64>) -> Table {
        suited(model, true)
    }

    fn advice(&self, model: &Tabular<f64>) -> Vec<String> {
        short_horizon(model, self.horizon)
    }

    fn check(&self, site: &Site<'_, Tabular<f64>>) -> Result<(), ParameterError> {
        check_learner(self.horizon, self.lambda, self.rho)?;
        self.check_psi()?;
        let (states, actions) = (site.world().num_states(), site.world().num_actions());
        if self.psi != PsiChoice::Exact {
            check_counts(states, actions).map_err(smaller("psi", self.psi))?;
        }
        let oracle = site.oracle(&self.oracle).map_err(|fault| fault.within("oracle"))?;
        if let Some(size) = oracle.pool().filter(|_| site.world().ages() == 1) {
            self.check_search()?;
            if let Some(rule @ Replanning::DeterminantGrowth(_)) = self.replan {
                let needed = "every-episode, because the pool plans before every episode";
                return Err(ParameterError::new("replan", rule.write(), needed));
            }
            return check_tabular(site, &self.oracle, size, self.horizon);
        }
        match oracle.family(actions) {
            Ok(Some(family)) => check_tabular(site, &self.oracle, family.len(), self.horizon),
            Ok(None) => {
                self.check_search()?;
                let dim = 2 * states * actions;
                check_lambda(dim).map_err(smaller("oracle", &self.oracle))?;
                check_plan(self.horizon, dim).map_err(smaller("horizon", self.horizon))
            }
            Err(_) => site.family(&self.oracle).map(|_| ()),
        }
    }

    /// The theorem's, with its unknown constant at its least, 1, and with probability .95. It is about exact psi and
    /// regression.
    fn regret_bound(&self, model: &Tabular<f64>, episodes: u64) -> Option<f64> {
        if self.psi != PsiChoice::Exact || self.continuation != Continuation::Regression {
            return None;
        }
        let d = model.num_states() * model.num_actions();
        let bound = RegretBound::theory(episodes, 0.05, 1.0, d, model.gamma()).ok()?;
        // The theorem is for rewards in [0, 1]; others are learnt from after they were moved there.
        let params = params(model, self.horizon, self.lambda, self.beyond);
        let (low, high) = params.reward_range();
        Some((high - low) * bound.total())
    }

    fn oracle(&self) -> Option<&OracleChoice> {
        Some(&self.oracle)
    }
}

impl LsviUcb {
    /// Refuses what only learners with a family can do.
    fn check_search(&self) -> Result<(), ParameterError> {
        let needed = "left out with an oracle that searches: it needs a family";
        match self.psi {
            PsiChoice::Online if self.map != MapChoice::PlugIn => {
                Err(ParameterError::new("map", show(self.map), needed))
            }
            PsiChoice::Online if self.psi_bonus.is_some() => {
                let bonus = Number(self.psi_bonus.unwrap_or_default());
                Err(ParameterError::new("psi_bonus", bonus, needed))
            }
            PsiChoice::Estimated(_) if self.continuation == Continuation::Model => {
                Err(ParameterError::new("continuation", "model", needed))
            }
            _ => Ok(()),
        }
    }

    /// Refuses parameters about psi that contradict each other.
    fn check_psi(&self) -> Result<(), ParameterError> {
        let plain = self.map == MapChoice::PlugIn;
        if let Some(error) = self.psi_error {
            if plain || self.psi == PsiChoice::Exact {
                let needed = "left out: only the maps norm-corrected and normalized of an estimated psi use it";
                return Err(ParameterError::new("psi_error", Number(error), needed));
            }
            if error < 0.0 {
                return Err(ParameterError::new("psi_error", Number(error), "0 or more"));
            }
        }
        if let Some(bonus) = self.psi_bonus
            && (self.psi != PsiChoice::Online || bonus < 0.0)
        {
            let needed = "0 or more, and only where psi is online";
            return Err(ParameterError::new("psi_bonus", Number(bonus), needed));
        }
        if plain {
            return Ok(());
        }
        let refused = |needed| Err(ParameterError::new("map", show(self.map), needed));
        match (self.psi, self.continuation) {
            (PsiChoice::Exact, _) => refused("plug-in where psi is exact: there is no estimate"),
            (PsiChoice::Online, _) if self.psi_error.is_none() => refused(
                "plug-in, or given its psi_error: no bound on the error of psi learnt online is known",
            ),
            (_, Continuation::Model) => refused("plug-in where the continuation is the model's"),
            _ => Ok(()),
        }
    }
}

fn show(map: MapChoice) -> String {
    crate::kinds::show(&map.write())
}
