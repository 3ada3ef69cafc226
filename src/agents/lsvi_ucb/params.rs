//! The parameters of Algorithm 1.

use thiserror::Error;

use super::{Continuation, Planner};
use crate::agents::error::check_reward;
use crate::agents::{AgentError, Segment};
use crate::model::Environment;
use crate::sequence::ActionSequence;
use crate::{Number, Real};

/// The parameters of ATST-LSVI-UCB, unchecked; an agent checks them when it is made.
///
/// | setter | symbol | default | range | paper |
/// |---|---|---|---|---|
/// | [`with_horizon`](Self::with_horizon) | H | 100 | at least 2 | Algorithm 1, parameters; 100 in Section 6 |
/// | [`with_lambda`](Self::with_lambda) | lambda | 0.01 | positive | Algorithm 1, line 4; 1 in the theorem |
/// | [`with_rho`](Self::with_rho) | rho | 50 | 0 or more | Algorithm 1, line 7 |
/// | [`with_beyond_horizon`](Self::with_beyond_horizon) | u >= H | [`ReuseFirst`](BeyondHorizon::ReuseFirst) | | line 4 leaves it open |
/// | [`with_replanning`](Self::with_replanning) | | [`EveryEpisode`](Replanning::EveryEpisode) | growth above 1 | line 1 |
/// | [`with_planner`](Self::with_planner) | | [`Screened`](Planner::Screened) | | lines 5 to 8; decides nothing |
/// | [`with_continuation`](Self::with_continuation) | mu V | [`Regression`](Continuation::Regression) | | line 6 |
/// | [`with_reward_range`](Self::with_reward_range) | r in [0, 1] | the model's, else (0, 1) | low < high | Section 2 |
///
/// The paper gives neither lambda nor rho for its experiments; with the defaults here what it says of
/// them holds. [`theory`](Self::theory) gives the values of its theorem.
///
/// # Ties
/// Where several sequences have the same optimistic value, and the clip at 1/(1-gamma) makes all of
/// them equal in the first episodes, the first one of the family is played. The order of the
/// family is therefore part of an experiment.
///
/// # Rewards
/// Rewards in `[low, high]` are turned into (r - low) / (high - low) per round before they are
/// learnt from; an agent's [`values`](super::TabularLsviUcb::values) are turned back. Agents made from a
/// model, as by [`TabularLsviUcb::for_model`](super::TabularLsviUcb::for_model), take the range from it
/// ([`with_rewards_of`](Self::with_rewards_of)). A segment whose reward the range does not allow
/// is not learnt from, and is the agent's [`fault`](crate::agents::Agent::fault).
///
/// # Example
/// ```
/// use sporadic::agents::LsviUcbParams;
/// let params = LsviUcbParams::<f64>::default().with_rho(30.0);
/// assert!(params.check().is_ok());
/// assert!(params.with_lambda(0.0).check().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LsviUcbParams<T> {
    horizon: usize,
    lambda: T,
    rho: T,
    beyond_horizon: BeyondHorizon,
    replanning: Replanning<T>,
    /// None until it is declared or taken from a model.
    reward_range: Option<(T, T)>,
    #[cfg_attr(feature = "serde", serde(default))]
    planner: Planner,
    #[cfg_attr(feature = "serde", serde(default))]
    continuation: Continuation,
}

/// What is played from the H-th sighting on, where the paper's K is constant and its argmax
/// arbitrary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BeyondHorizon {
    /// The paper to the letter: all sequences tie, so the first one of the family.
    Constant,
    /// What is played at sighting H - 1.
    ReuseLast,
    /// What is played at sighting 1, which has looked furthest ahead.
    #[default]
    ReuseFirst,
}

/// When the planning phase runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Replanning<T> {
    /// Before every episode, as in the paper.
    #[default]
    EveryEpisode,
    /// When det Lambda has grown by this factor C > 1 since the last time: at most
    /// 2 d log(1 + K H / lambda) / log(C) + 1 times in K episodes instead of K.
    ///
    /// Between two planning phases the bonus that is played by is at most sqrt(C) times the one that Lambda
    /// would give now, because the norms of Lambda^-1 grow by the root of the ratio of determinants at most.
    /// For linear bandits that multiplies the main term of the regret bound by sqrt(C): the "rarely switching
    /// OFUL" of Abbasi-Yadkori, Pal and Szepesvari, "Improved algorithms for linear stochastic bandits", NIPS
    /// 2011, who write 1 + C for our C. The paper's theorem is about planning before every episode; that the
    /// same factor is all it costs here has not been proved.
    DeterminantGrowth(T),
}

/// A parameter out of range.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// A horizon without a sighting to plan for.
    #[error("the horizon H = {horizon} must be at least 2")]
    Horizon {
        /// The value given.
        horizon: usize,
    },
    /// A regulariser, a bonus or a growth out of range.
    #[error("{name} = {} must be {needed}", Number(*.value))]
    Value {
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What it must be.
        needed: &'static str,
    },
    /// A reward range that is empty or not finite.
    #[error("the reward range ({}, {}) must be finite with low < high", Number(*.low), Number(*.high))]
    RewardRange {
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
}

impl<T: Real> Default for LsviUcbParams<T> {
    fn default() -> Self {
        Self {
            horizon: 100,
            lambda: T::of(0.01),
            rho: T::of(50.0),
            beyond_horizon: BeyondHorizon::default(),
            replanning: Replanning::EveryEpisode,
            reward_range: None,
            planner: Planner::default(),
            continuation: Continuation::Regression,
        }
    }
}

impl<T: Real> LsviUcbParams<T> {
    /// The values of the regret theorem: H = ceil(log(K / (1 - gamma)) / (1 - gamma)) + 1,
    /// lambda = 1 and rho = c d H sqrt(log(2 d K H / p)).
    ///
    /// `episodes` is K, `p` the probability of failure, `c` the theorem's absolute constant, at
    /// least 1, which it does not give, and `dim` the dimension d of phi. The bound on the regret that goes
    /// with them is [`RegretBound`](super::RegretBound).
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::LsviUcbParams;
    /// let params = LsviUcbParams::<f64>::theory(5_000, 0.05, 1.0, 12, 0.99);
    /// assert_eq!(params.horizon(), 1314);
    /// assert!(params.rho() > 12.0 * 1314.0); // optimism in theory is far from that in practice
    /// ```
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // out of range saturates
    pub fn theory(episodes: u64, p: f64, c: f64, dim: usize, gamma: f64) -> Self {
        let (episodes, d) = (episodes as f64, dim as f64);
        let h = (libm::log(episodes / (1.0 - gamma)) / (1.0 - gamma)).ceil() + 1.0;
        let iota = libm::log(2.0 * d * episodes * h / p);
        Self {
            horizon: h as usize,
            lambda: T::one(),
            rho: T::of(c * d * h * iota.sqrt()),
            ..Self::default()
        }
    }

    /// Sets the effective horizon H: how many sightings are planned for, and how many segments of
    /// an episode are learnt from.
    pub fn with_horizon(self, horizon: usize) -> Self {
        Self { horizon, ..self }
    }

    /// Sets the ridge lambda.
    pub fn with_lambda(self, lambda: T) -> Self {
        Self { lambda, ..self }
    }

    /// Sets the weight rho of the bonus; 0 is greedy.
    pub fn with_rho(self, rho: T) -> Self {
        Self { rho, ..self }
    }

    /// Sets what is played from the H-th sighting on.
    pub fn with_beyond_horizon(self, beyond_horizon: BeyondHorizon) -> Self {
        Self { beyond_horizon, ..self }
    }

    /// Sets when the planning phase runs.
    pub fn with_replanning(self, replanning: Replanning<T>) -> Self {
        Self { replanning, ..self }
    }

    /// Declares the smallest and the largest reward of a round.
    pub fn with_reward_range(self, low: T, high: T) -> Self {
        Self { reward_range: Some((low, high)), ..self }
    }

    /// Declares the range of rewards of `model`, unless one was declared before: [0, 1], as in the
    /// paper, if all rewards lie there, otherwise [`reward_range`](Environment::reward_range).
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::LsviUcbParams;
    /// use sporadic::model::gallery;
    /// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
    /// assert_eq!(LsviUcbParams::default().with_rewards_of(&swim).reward_range(), (0.0, 1.0));
    /// # Ok::<(), sporadic::model::ModelError>(())
    /// ```
    pub fn with_rewards_of(self, model: &impl Environment<Scalar = T>) -> Self {
        if self.reward_range.is_some() {
            return self;
        }
        let (low, high) = model.reward_range();
        if low >= T::zero() && high <= T::one() {
            self.with_reward_range(T::zero(), T::one())
        } else {
            // One reward alone makes no range; any other end will do.
            self.with_reward_range(low, if high > low { high } else { low + T::one() })
        }
    }

    /// Sets how the planning phase is computed. In [`TabularLsviUcb`](super::TabularLsviUcb) choices
    /// and values are the same to the last bit; in [`LsviUcb`](super::LsviUcb) with a family and
    /// factored features they agree up to rounding.
    ///
    /// # Example
    /// ```
    /// use sporadic::agents::{Candidates, LsviUcbParams, Planner, TabularLsviUcb};
    /// use sporadic::features::TabularPsi;
    /// use sporadic::model::gallery;
    /// use sporadic::sequence::runs;
    /// use sporadic::simulation::{Simulation, Streams};
    /// let swim = gallery::river_swim::<f64>(3, 0.5, 0.9)?;
    /// let candidates = Candidates::one_hot(&TabularPsi::new(swim.clone()), runs(2, 1, 2))?;
    /// let values = |planner| {
    ///     let params = LsviUcbParams::default().with_planner(planner);
    ///     let mut agent = TabularLsviUcb::new(candidates.clone(), params)?;
    ///     Simulation::new(&swim, Streams::new(1)).run(0..20, &mut agent, &mut ())?;
    ///     Ok::<_, Box<dyn std::error::Error>>(agent.values())
    /// };
    /// assert_eq!(values(Planner::Plain)?, values(Planner::Screened)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_planner(self, planner: Planner) -> Self {
        Self { planner, ..self }
    }

    /// Sets how the value of what follows the next sighting is found.
    pub fn with_continuation(self, continuation: Continuation) -> Self {
        Self { continuation, ..self }
    }

    /// The effective horizon H.
    pub fn horizon(&self) -> usize {
        self.horizon
    }

    /// The ridge lambda.
    pub fn lambda(&self) -> T {
        self.lambda
    }

    /// The weight rho of the bonus.
    pub fn rho(&self) -> T {
        self.rho
    }

    /// What is played from the H-th sighting on.
    pub fn beyond_horizon(&self) -> BeyondHorizon {
        self.beyond_horizon
    }

    /// When the planning phase runs.
    pub fn replanning(&self) -> Replanning<T> {
        self.replanning
    }

    /// How the planning phase is computed.
    pub fn planner(&self) -> Planner {
        self.planner
    }

    /// How the value of what follows the next sighting is found.
    pub fn continuation(&self) -> Continuation {
        self.continuation
    }

    /// The smallest and the largest reward of a round; (0, 1) unless declared.
    pub fn reward_range(&self) -> (T, T) {
        self.reward_range.unwrap_or((T::zero(), T::one()))
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    /// [`ParamsError`] that names the parameter and its value.
    pub fn check(&self) -> Result<(), ParamsError> {
        if self.horizon < 2 {
            return Err(ParamsError::Horizon { horizon: self.horizon });
        }
        let bad = |name, value: T, needed| {
            Err(ParamsError::Value { name, value: value.as_f64(), needed })
        };
        if !(self.lambda > T::zero() && self.lambda.is_finite()) {
            return bad("lambda", self.lambda, "positive and finite");
        }
        if !(T::one() / self.lambda).is_finite() {
            return bad("lambda", self.lambda, "so large that 1 / lambda does not overflow");
        }
        if !(self.rho >= T::zero() && self.rho.is_finite()) {
            return bad("rho", self.rho, "finite and not negative");
        }
        if let Replanning::DeterminantGrowth(factor) = self.replanning
            && !(factor > T::one() && factor.is_finite())
        {
            return bad("the growth of the determinant", factor, "above 1 and finite");
        }
        let (low, high) = self.reward_range();
        if !(low < high && low.is_finite() && high.is_finite()) {
            return Err(ParamsError::RewardRange { low: low.as_f64(), high: high.as_f64() });
        }
        Ok(())
    }

    /// min {R, H} with R the reward of the segment, turned into [0, 1] per round.
    ///
    /// # Errors
    /// [`AgentError::Reward`] if the declared range does not allow the reward.
    pub(in crate::agents) fn target<S>(
        &self,
        segment: &Segment<S, T>,
        sequence: &ActionSequence,
        state: Option<usize>,
    ) -> Result<T, AgentError> {
        let (low, high) = self.reward_range();
        check_reward(segment, (low, high), sequence, state)?;
        let rounds = T::of(segment.actions().len() as f64);
        let scaled = (segment.reward() - rounds * low) / (high - low);
        Ok(scaled.min(T::of(self.horizon as f64)))
    }

    /// A value of rescaled rewards as one of the rewards declared.
    pub(in crate::agents) fn unscale(&self, value: T, gamma: T) -> T {
        let (low, high) = self.reward_range();
        low / (T::one() - gamma) + (high - low) * value
    }
}
