//! Agents, oracles, models and estimators by name: kinds, and the registry that knows them.
//!
//! A *kind* is a struct of parameters, in one file, that builds an agent, an oracle, a model or an estimator. All
//! else is derived from it: tables in specifications, grids, flags and `--help`, labels, rerun
//! commands, the identity of results. What is built in goes through the same traits as what you
//! bring:
//!
//! | to bring | write with [`kind!`](crate::kind) and implement | built in |
//! |---|---|---|
//! | an agent | [`AgentKind`] | [`agents`] |
//! | an oracle | [`OracleKind`] | [`oracles`] |
//! | a model | [`ModelKind`] | [`models`] |
//! | an estimator | [`EstimatorKind`] | [`estimators`] |
//!
//! and register it: `Registry::builtin().with_agent::<Mine>()`. The registry goes to
//! [`Spec::expand`](crate::experiment::Spec::expand) or to `sporadic::cli::main`, which gives a binary
//! of your own every verb of the command line.

mod agent;
pub mod agents;
mod catalog;
mod estimator;
pub mod estimators;
mod info;
mod kind;
mod model;
pub mod models;
mod oracle;
pub mod oracles;
mod parameter;
mod psi;
mod realm;
mod registry;
mod sequence;
mod tabular;

pub use agent::{AgentKind, BoxedAgent, Site};
pub(crate) use agent::{AnyAgent, FromClosure, Named};
pub(crate) use catalog::usage;
pub use estimator::{BoxedEstimator, EstimatorKind, Estimators, ResolvedEstimator};
pub use info::{Identity, KindInfo, MAX_COMBINATIONS, closest};
pub use kind::{Kind, read_parameter, write_parameter};
pub(crate) use model::ModelFault;
pub use model::ModelKind;
pub use oracle::{OracleChoice, OracleKind, Oracles, ResolvedOracle};
pub(crate) use parameter::show;
pub use parameter::{Parameter, ParameterError, ParameterType, Table};
pub use psi::{EstimatesChoice, MapChoice, PlanChoice, PsiChoice};
pub use realm::Realm;
pub(crate) use realm::{NamedWorld, no_kind};
pub use registry::Registry;
pub use sequence::SequenceChoice;
pub(crate) use sequence::parse_sequence;
