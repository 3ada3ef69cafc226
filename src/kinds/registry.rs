//! All the kinds that a program knows.

use std::sync::Arc;

use super::estimator::Estimators;
use super::info::KindInfo;
use super::oracle::Oracles;
use super::realm::Realm;
use super::{
    AgentKind, EstimatorKind, ModelKind, OracleKind, agents, estimators, models, oracles, tabular,
};
use crate::experiment::AnyRealm;
use crate::model::{Environment, Tabular};

/// The agents, oracles, models and estimators that a program knows by name.
///
/// [`builtin`](Self::builtin) has those of this crate; add your own and hand it to
/// [`Spec::expand`](crate::experiment::Spec::expand) or to `sporadic::cli::main`. Kinds are listed, in `--help` and in error
/// messages, in the order in which they were added.
///
/// # Example
/// ```
/// use sporadic::kinds::Registry;
/// let registry = Registry::builtin();
/// assert!(registry.tabular().agents().any(|info| info.name == "lsvi-ucb"));
/// assert!(registry.oracles().infos().any(|info| info.name == "runs"));
/// ```
#[derive(Debug, Clone)]
pub struct Registry {
    pub(crate) oracles: Oracles,
    estimators: Estimators,
    tabular: Arc<Realm<Tabular<f64>>>,
    others: Vec<Arc<dyn AnyRealm>>,
}

impl Default for Registry {
    fn default() -> Self {
        Self::builtin()
    }
}

impl Registry {
    /// The kinds of this crate. A new one is one file beside the others, which the `mod.rs` of its folder names, and one
    /// line here. Models and agents belong to the realm of tabular worlds, so they stand in the first chain; oracles and
    /// estimators serve all realms and stand in the second.
    pub fn builtin() -> Self {
        let tabular = Realm::new()
            .with_overrides(tabular::overrides())
            .with_model::<models::RiverSwim>()
            .with_model::<models::RiverBalance>()
            .with_model::<models::MeasuringValue>()
            .with_model::<models::SensingCost>()
            .with_model::<models::Inventory>()
            .with_model::<models::FrozenLake4x4>()
            .with_model::<models::FrozenLake8x8>()
            .with_model::<models::RandomSparse>()
            .with_agent::<agents::LsviUcb>()
            .with_agent::<agents::EpsilonGreedy>()
            .with_agent::<agents::OneStep>()
            .with_agent::<agents::CertaintyEquivalence>()
            .with_agent::<agents::AmrlQ>()
            .with_agent::<agents::DynaAtmq>()
            .with_agent::<agents::ObserveThenPlan>()
            .with_agent::<agents::ClassOptimal>()
            .with_agent::<agents::Optimal>()
            .with_agent::<agents::Fixed>()
            .with_agent::<agents::Uniform>();
        let (oracles, estimators) = (Oracles::default(), Estimators::default());
        Self { oracles, estimators, tabular: Arc::new(tabular), others: Vec::new() }
            .with_oracle::<oracles::Runs>()
            .with_oracle::<oracles::Periodic>()
            .with_oracle::<oracles::Words>()
            .with_oracle::<oracles::Truncated>()
            .with_oracle::<oracles::Adaptive>()
            .with_oracle::<oracles::Beam>()
            .with_oracle::<oracles::BranchAndBound>()
            .with_estimator::<estimators::Tabular>()
            .with_estimator::<estimators::Ridge>()
            .with_estimator::<estimators::Em>()
    }

    /// Adds a kind of agent for tabular models; one of the same name is replaced.
    pub fn with_agent<K: AgentKind<Tabular<f64>>>(self) -> Self {
        self.map_tabular(Realm::with_agent::<K>)
    }

    /// Adds a kind of tabular model; one of the same name is replaced.
    pub fn with_model<K: ModelKind<World = Tabular<f64>>>(self) -> Self {
        self.map_tabular(Realm::with_model::<K>)
    }

    /// Adds a kind of oracle; one of the same name is replaced.
    pub fn with_oracle<K: OracleKind>(mut self) -> Self {
        self.oracles.add::<K>();
        self
    }

    /// Adds a kind of estimator; one of the same name is replaced.
    pub fn with_estimator<K: EstimatorKind>(mut self) -> Self {
        self.estimators.add::<K>();
        self
    }

    /// Adds the kinds for worlds of another type, such as continuous ones.
    pub fn with_realm<W: Environment + Send + Sync + 'static>(mut self, realm: Realm<W>) -> Self {
        self.others.push(Arc::new(realm));
        self
    }

    /// The kinds for tabular models.
    pub fn tabular(&self) -> &Realm<Tabular<f64>> {
        &self.tabular
    }

    /// The oracles.
    pub fn oracles(&self) -> &Oracles {
        &self.oracles
    }

    /// The estimators.
    pub fn estimators(&self) -> &Estimators {
        &self.estimators
    }

    /// All realms, that of tabular models first.
    pub(crate) fn realms(&self) -> impl Iterator<Item = &dyn AnyRealm> {
        let tabular: &dyn AnyRealm = &*self.tabular;
        std::iter::once(tabular).chain(self.others.iter().map(|realm| &**realm))
    }

    /// The kinds of agents of every realm, each name once.
    pub fn agent_infos(&self) -> Vec<&KindInfo> {
        unique(self.realms().flat_map(AnyRealm::agent_infos))
    }

    /// The kinds of models of every realm, each name once.
    pub fn model_infos(&self) -> Vec<&KindInfo> {
        unique(self.realms().flat_map(AnyRealm::model_infos))
    }

    fn map_tabular(self, change: impl FnOnce(Realm<Tabular<f64>>) -> Realm<Tabular<f64>>) -> Self {
        // A registry is built up before it is shared, so it is the only owner.
        let realm = Arc::try_unwrap(self.tabular).unwrap_or_else(|shared| shared.copy());
        Self { tabular: Arc::new(change(realm)), ..self }
    }
}

fn unique<'a>(infos: impl Iterator<Item = &'a KindInfo>) -> Vec<&'a KindInfo> {
    let mut known: Vec<&KindInfo> = Vec::new();
    for info in infos {
        if known.iter().all(|other| other.name != info.name) {
            known.push(info);
        }
    }
    known
}
