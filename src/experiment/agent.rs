//! Agents by name.

use std::fmt;

use itertools::iproduct;
use serde::{Deserialize, Serialize};

use super::error::SpecError;
use super::family::Family;
use super::oracle::Oracle;
use super::spec::AgentGrid;
use crate::Number;
use crate::agents::BeyondHorizon;
use crate::agents::size::{check_counts, check_features, check_lambda, check_plan, per_sighting};
use crate::model::Tabular;
use crate::sequence::ActionSequence;

/// The 1012 sequences of the paper's experiments.
const PAPER_FAMILY: Family = Family::Runs { prefix: 5, run: 10 };

/// An agent with all its parameters.
///
/// The `oracle` of `lsvi-ucb` is any [`Oracle`], that of the others a [`Family`].
///
/// | `agent` | parameters, with what holds if left out | see |
/// |---|---|---|
/// | `lsvi-ucb` | `oracle` `runs:5,10`, `horizon` 100, `lambda` 0.01, `rho` 50, `beyond` `reuse-first` | Algorithm 1 |
/// | `epsilon-greedy` | `epsilon` 0.1, and as above without `rho` | [`EpsilonGreedy`](crate::agents::EpsilonGreedy) |
/// | `one-step` | `horizon` 100, `lambda` 0.01, `rho` 50 | [`OneStepLsviUcb`](crate::agents::OneStepLsviUcb) |
/// | `certainty-equivalence` | `oracle` `runs:5,10` | [`CertaintyEquivalence`](crate::agents::CertaintyEquivalence) |
/// | `class-optimal` | `oracle` `runs:5,10` | knows the model, plays the best of the family |
/// | `optimal` | | knows the model, plays the policy of [`solve`](crate::planning::solve) |
/// | `fixed` | `sequence` | [`FixedSequence`](crate::agents::FixedSequence) |
/// | `uniform` | | [`UniformRandom`](crate::agents::UniformRandom) |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "agent", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum AgentChoice {
    /// Algorithm 1 with exact psi.
    LsviUcb {
        /// Where sequences come from.
        oracle: Oracle,
        /// H.
        horizon: usize,
        /// lambda.
        lambda: f64,
        /// rho.
        rho: f64,
        /// What is played from the H-th sighting on.
        beyond: Beyond,
    },
    /// Algorithm 1 without its bonus, and now and then a random sequence.
    EpsilonGreedy {
        /// Where candidates come from.
        oracle: Family,
        /// H.
        horizon: usize,
        /// lambda.
        lambda: f64,
        /// How often a random sequence is played.
        epsilon: f64,
        /// What is played from the H-th sighting on.
        beyond: Beyond,
    },
    /// LSVI-UCB as if every state were seen.
    OneStep {
        /// H.
        horizon: usize,
        /// lambda.
        lambda: f64,
        /// rho.
        rho: f64,
    },
    /// Estimates the model and plans as if it were true.
    CertaintyEquivalence {
        /// The family planned with.
        oracle: Family,
    },
    /// The best policy within a family, of an agent that knows the model.
    ClassOptimal {
        /// The family.
        oracle: Family,
    },
    /// The best policy there is, of an agent that knows the model.
    Optimal,
    /// One sequence from every sighting.
    Fixed {
        /// The sequence.
        sequence: ActionSequence,
    },
    /// Every action with the same probability.
    Uniform,
}

/// What is played from the H-th sighting on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beyond {
    /// The first candidate: the paper to the letter.
    Constant,
    /// What is played at sighting H - 1.
    ReuseLast,
    /// What is played at sighting 1.
    #[default]
    ReuseFirst,
}

impl From<Beyond> for BeyondHorizon {
    fn from(beyond: Beyond) -> Self {
        match beyond {
            Beyond::Constant => Self::Constant,
            Beyond::ReuseLast => Self::ReuseLast,
            Beyond::ReuseFirst => Self::ReuseFirst,
        }
    }
}

impl Default for AgentChoice {
    /// Algorithm 1 as in the paper's experiments.
    fn default() -> Self {
        Self::LsviUcb {
            oracle: Oracle::Family(PAPER_FAMILY),
            horizon: 100,
            lambda: 0.01,
            rho: 50.0,
            beyond: Beyond::ReuseFirst,
        }
    }
}

impl AgentChoice {
    /// The names of the kinds.
    pub const KINDS: [&'static str; 8] = [
        "lsvi-ucb",
        "epsilon-greedy",
        "one-step",
        "certainty-equivalence",
        "class-optimal",
        "optimal",
        "fixed",
        "uniform",
    ];

    /// The name of its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::LsviUcb { .. } => "lsvi-ucb",
            Self::EpsilonGreedy { .. } => "epsilon-greedy",
            Self::OneStep { .. } => "one-step",
            Self::CertaintyEquivalence { .. } => "certainty-equivalence",
            Self::ClassOptimal { .. } => "class-optimal",
            Self::Optimal => "optimal",
            Self::Fixed { .. } => "fixed",
            Self::Uniform => "uniform",
        }
    }

    /// Where its sequences come from, if it chooses among many.
    pub fn oracle(&self) -> Option<Oracle> {
        match self {
            Self::LsviUcb { oracle, .. } => Some(*oracle),
            Self::EpsilonGreedy { oracle, .. }
            | Self::CertaintyEquivalence { oracle }
            | Self::ClassOptimal { oracle } => Some((*oracle).into()),
            _ => None,
        }
    }

    /// The family it chooses from, if it has one.
    pub fn family(&self) -> Option<Family> {
        self.oracle().and_then(Oracle::family)
    }

    /// The parameters of a kind; none if there is no such kind.
    pub(super) fn fields(kind: &str) -> Option<&'static [&'static str]> {
        match kind {
            "lsvi-ucb" => Some(&["oracle", "horizon", "lambda", "rho", "beyond"]),
            "epsilon-greedy" => Some(&["oracle", "horizon", "lambda", "epsilon", "beyond"]),
            "one-step" => Some(&["horizon", "lambda", "rho"]),
            "certainty-equivalence" | "class-optimal" => Some(&["oracle"]),
            "fixed" => Some(&["sequence"]),
            "optimal" | "uniform" => Some(&[]),
            _ => None,
        }
    }

    /// Every combination of values, for a kind that exists.
    pub(super) fn grid(grid: &AgentGrid, field: &str) -> Result<Vec<Self>, SpecError> {
        match grid.agent.as_str() {
            "lsvi-ucb" => {
                let combinations = iproduct!(
                    grid.oracle.or(PAPER_FAMILY.into()),
                    grid.horizon.or(100),
                    grid.lambda.or(0.01),
                    grid.rho.or(50.0),
                    grid.beyond.or(Beyond::ReuseFirst)
                );
                combinations
                    .map(|(oracle, horizon, lambda, rho, beyond)| {
                        Self::LsviUcb { oracle, horizon, lambda, rho, beyond }.checked(field)
                    })
                    .collect()
            }
            "epsilon-greedy" => {
                let combinations = iproduct!(
                    families(grid, field)?,
                    grid.horizon.or(100),
                    grid.lambda.or(0.01),
                    grid.epsilon.or(0.1),
                    grid.beyond.or(Beyond::ReuseFirst)
                );
                combinations
                    .map(|(oracle, horizon, lambda, epsilon, beyond)| {
                        Self::EpsilonGreedy { oracle, horizon, lambda, epsilon, beyond }
                            .checked(field)
                    })
                    .collect()
            }
            "one-step" => {
                let (horizons, lambdas) = (grid.horizon.or(100), grid.lambda.or(0.01));
                iproduct!(horizons, lambdas, grid.rho.or(50.0))
                    .map(|(horizon, lambda, rho)| {
                        Self::OneStep { horizon, lambda, rho }.checked(field)
                    })
                    .collect()
            }
            "certainty-equivalence" => {
                let families = families(grid, field)?.into_iter();
                Ok(families.map(|oracle| Self::CertaintyEquivalence { oracle }).collect())
            }
            "class-optimal" => {
                let families = families(grid, field)?.into_iter();
                Ok(families.map(|oracle| Self::ClassOptimal { oracle }).collect())
            }
            "optimal" => Ok(vec![Self::Optimal]),
            "fixed" if grid.sequence.is_empty() => Err(SpecError::Field {
                field: format!("{field}.sequence"),
                value: "nothing".into(),
                needed: "a sequence such as \"111(01)\"".into(),
            }),
            "fixed" => {
                let sequences = grid.sequence.0.iter().cloned();
                Ok(sequences.map(|sequence| Self::Fixed { sequence }).collect())
            }
            _ => Ok(vec![Self::Uniform]),
        }
    }

    /// Refuses what the model cannot play, and tables that would not fit into memory. `field` is the
    /// agent's, `world` the model's, as in `agents[1]` and `models[0]`.
    pub(super) fn check_for(
        &self,
        model: &Tabular<f64>,
        field: &str,
        world: &str,
    ) -> Result<(), SpecError> {
        let (states, actions) = (model.num_states(), model.num_actions());
        let family = self.family().map(|family| {
            let field = format!("{field}.oracle");
            family.check(actions).map_err(|source| SpecError::Family { field, source })
        });
        let members = family.transpose()?.unwrap_or(1);
        let too_large = |name: &str, value: String| {
            let (field, model) = (format!("{field}.{name}"), world.to_owned());
            move |source| SpecError::Size { field, value, model, source }
        };
        // The model has this many pairs already: the product cannot overflow.
        let pairs = states * actions;
        match self {
            Self::LsviUcb { oracle: oracle @ Oracle::Family(_), horizon, .. } => {
                check_features(pairs, states, members)
                    .map_err(too_large("oracle", oracle.to_string()))?;
                check_plan(*horizon, per_sighting(states))
                    .map_err(too_large("horizon", horizon.to_string()))
            }
            Self::EpsilonGreedy { oracle, horizon, .. } => {
                check_features(pairs, states, members)
                    .map_err(too_large("oracle", oracle.to_string()))?;
                check_plan(*horizon, per_sighting(states))
                    .map_err(too_large("horizon", horizon.to_string()))
            }
            Self::LsviUcb { oracle, horizon, .. } => {
                let dim = pairs.saturating_mul(2);
                check_lambda(dim).map_err(too_large("oracle", oracle.to_string()))?;
                check_plan(*horizon, dim).map_err(too_large("horizon", horizon.to_string()))
            }
            Self::OneStep { horizon, .. } => {
                check_counts(states, actions).map_err(too_large("agent", self.kind().into()))?;
                check_plan(*horizon, states).map_err(too_large("horizon", horizon.to_string()))
            }
            Self::CertaintyEquivalence { .. } => {
                check_counts(states, actions).map_err(too_large("agent", self.kind().into()))
            }
            Self::Fixed { sequence } if sequence.max_action() >= actions => Err(SpecError::Field {
                field: format!("{field}.sequence"),
                value: sequence.to_string(),
                needed: format!("made of the actions 0 to {} of {world}", actions - 1),
            }),
            _ => Ok(()),
        }
    }

    /// Refuses parameters out of range.
    pub(super) fn checked(self, field: &str) -> Result<Self, SpecError> {
        let refuse = |name: &str, value: String, needed: &str| {
            let field = if field.is_empty() { name.into() } else { format!("{field}.{name}") };
            Err(SpecError::Field { field, value, needed: needed.into() })
        };
        let (horizon, lambda, rho, epsilon) = match self {
            Self::LsviUcb { horizon, lambda, rho, .. } | Self::OneStep { horizon, lambda, rho } => {
                (horizon, lambda, rho, 0.0)
            }
            Self::EpsilonGreedy { horizon, lambda, epsilon, .. } => (horizon, lambda, 0.0, epsilon),
            _ => return Ok(self),
        };
        if horizon < 2 {
            refuse("horizon", horizon.to_string(), "at least 2")
        } else if !(lambda > 0.0 && lambda.is_finite()) {
            refuse("lambda", Number(lambda).to_string(), "positive and finite")
        } else if !(rho >= 0.0 && rho.is_finite()) {
            refuse("rho", Number(rho).to_string(), "0 or more, and finite")
        } else if !(0.0..=1.0).contains(&epsilon) {
            refuse("epsilon", Number(epsilon).to_string(), "in [0, 1]")
        } else {
            Ok(self)
        }
    }
}

/// The families of an agent that needs all of a family, not one sequence at a time.
fn families(grid: &AgentGrid, field: &str) -> Result<Vec<Family>, SpecError> {
    let family = |oracle: Oracle| {
        oracle.family().ok_or_else(|| SpecError::Field {
            field: format!("{field}.oracle"),
            value: oracle.to_string(),
            needed: format!(
                "a family, runs:P,L, periodic:P,L or words:L, for the agent {:?}",
                grid.agent
            ),
        })
    };
    grid.oracle.or(PAPER_FAMILY.into()).into_iter().map(family).collect()
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Constant => "constant",
            Self::ReuseLast => "reuse-last",
            Self::ReuseFirst => "reuse-first",
        })
    }
}

impl fmt::Display for AgentChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::LsviUcb { oracle, horizon, lambda, rho, beyond } => {
                let (lambda, rho) = (Number(*lambda), Number(*rho));
                format!("lsvi-ucb {oracle} H={horizon} lambda={lambda} rho={rho} {beyond}")
            }
            Self::EpsilonGreedy { oracle, horizon, lambda, epsilon, beyond } => {
                let (lambda, epsilon) = (Number(*lambda), Number(*epsilon));
                format!(
                    "epsilon-greedy {oracle} H={horizon} lambda={lambda} epsilon={epsilon} {beyond}"
                )
            }
            Self::OneStep { horizon, lambda, rho } => {
                let (lambda, rho) = (Number(*lambda), Number(*rho));
                format!("one-step H={horizon} lambda={lambda} rho={rho}")
            }
            Self::CertaintyEquivalence { oracle } => format!("certainty-equivalence {oracle}"),
            Self::ClassOptimal { oracle } => format!("class-optimal {oracle}"),
            Self::Optimal => "optimal".into(),
            Self::Fixed { sequence } => format!("fixed {sequence}"),
            Self::Uniform => "uniform".into(),
        })
    }
}
