//! Agents by name.

use std::fmt;
use std::sync::Arc;

use rand_pcg::Pcg64;

use super::Kind;
use super::info::{Identity, KindInfo};
use super::oracle::{OracleChoice, Oracles, ResolvedOracle};
use super::parameter::{ParameterError, Table};
use crate::Fault;
use crate::agents::Agent;
use crate::model::Environment;
use crate::sequence::ActionSequence;
use crate::simulation::{Feedback, Setting, Streams};

/// An agent in a world of type `W`, whatever its own type.
pub type BoxedAgent<'a, W> =
    Box<dyn Agent<<W as Environment>::State, <W as Environment>::Scalar> + 'a>;

/// A [`Kind`] that builds an agent for worlds of type `W`.
///
/// Only [`build`](Self::build) is required. `W` is [`Tabular<f64>`](crate::model::Tabular) for an agent that needs
/// the number of states or the tables, and a type parameter, as below, for one that plays in any world.
///
/// | if the agent | say so in |
/// |---|---|
/// | has parameters with a range | [`check`](Self::check): the user is told before anything runs |
/// | takes its sequences from an oracle | a parameter of type [`OracleChoice`], [`oracle`](Self::oracle), and [`Site::family`] or [`Site::oracle`] in `check` and `build` |
/// | draws random numbers | [`Site::rng`] in `build` |
/// | learns from the reward of every round | [`feedback`](Self::feedback), the same as the agent's own |
/// | has defaults that fit few worlds | [`suited`](Self::suited), [`advice`](Self::advice) |
///
/// # Example
/// An agent for any world, with its parameter on the command line, in specifications and in
/// reports.
/// ```
/// use sporadic::{Fault, kind};
/// use sporadic::agents::{Agent, Resume, Segment};
/// use sporadic::belief::AugmentedState;
/// use sporadic::kinds::{AgentKind, BoxedAgent, Site};
/// use sporadic::model::{Action, Environment};
///
/// kind! {
///     /// Keeps to action 1 while it pays.
///     pub struct WinStay("win-stay") {
///         /// What a segment must pay
///         threshold: f64 = 0.5,
///     }
/// }
///
/// struct Player { threshold: f64, paid: bool }
///
/// impl<S> Agent<S, f64> for Player {
///     fn begin_episode(&mut self, _: &S) {}
///     fn act(&mut self, _: &AugmentedState<S>) -> Action { usize::from(self.paid) }
///     fn observe(&mut self, segment: &Segment<S, f64>) {
///         self.paid = segment.reward() > self.threshold;
///     }
/// }
///
/// impl Resume for Player {
///     type State = bool;
///     fn state(&self) -> bool { self.paid }
///     fn restore(&mut self, paid: bool) -> Result<(), Fault> { self.paid = paid; Ok(()) }
/// }
///
/// impl<W: Environment<Scalar = f64>> AgentKind<W> for WinStay {
///     fn build<'a>(&self, _: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
///         Ok(Box::new(Player { threshold: self.threshold, paid: false }.resumable()))
///     }
/// }
/// ```
pub trait AgentKind<W: Environment>: Kind {
    /// The agent before its first episode.
    ///
    /// # Errors
    /// Whatever keeps it from being made.
    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault>;

    /// Refuses parameters out of range, also in view of the world. It is called for every world and agent of an
    /// experiment before the first one is run.
    ///
    /// # Errors
    /// [`ParameterError`] that names the parameter.
    fn check(&self, site: &Site<'_, W>) -> Result<(), ParameterError> {
        let _ = site;
        Ok(())
    }

    /// Parameters that suit `world`, which `sporadic learn` takes for those that were not given; none
    /// unless you say otherwise.
    fn suited(world: &W) -> Table
    where
        Self: Sized,
    {
        let _ = world;
        Table::new()
    }

    /// Sentences about parameters that are allowed but will hardly do in `world`, told to the user before
    /// the run.
    fn advice(&self, world: &W) -> Vec<String> {
        let _ = world;
        Vec::new()
    }

    /// A bound on the regret over `episodes` that theory gives, printed beside the regret, however
    /// large it is; `None` if there is none.
    fn regret_bound(&self, world: &W, episodes: u64) -> Option<f64> {
        let _ = (world, episodes);
        None
    }

    /// The least feedback that the agent can learn from: what its
    /// [`Agent::feedback`](crate::agents::Agent::feedback) says, known before it is built.
    fn feedback(&self) -> Feedback {
        Feedback::AtSightings
    }

    /// The oracle that the agent takes its sequences from, if it has one: a finite family gives the
    /// class line of figures and the regret against it.
    fn oracle(&self) -> Option<&OracleChoice> {
        None
    }
}

/// The place of an agent in an experiment: the world, the random numbers, the oracles.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a, W> {
    world: &'a W,
    streams: Streams,
    episodes: u64,
    setting: Setting,
    oracles: &'a Oracles,
}

impl<'a, W: Environment> Site<'a, W> {
    /// The place in `world` of an agent that plays `episodes` under `streams`.
    pub fn new(world: &'a W, streams: Streams, episodes: u64, oracles: &'a Oracles) -> Self {
        Self { world, streams, episodes, setting: Setting::default(), oracles }
    }

    /// Sets how the protocol is played, the paper's way unless set.
    pub fn with_setting(self, setting: Setting) -> Self {
        Self { setting, ..self }
    }

    /// How the protocol is played: which rewards agents are shown, and when episodes end.
    pub fn setting(&self) -> Setting {
        self.setting
    }

    /// The world. An agent may know it or only its numbers of states and actions: that is the
    /// author's choice.
    pub fn world(&self) -> &'a W {
        self.world
    }

    /// The random numbers of the run.
    pub fn streams(&self) -> Streams {
        self.streams
    }

    /// The agent's own random numbers; the world has others.
    pub fn rng(&self) -> Pcg64 {
        self.streams.agent()
    }

    /// How many episodes the run has.
    pub fn episodes(&self) -> u64 {
        self.episodes
    }

    /// All the oracles there are.
    pub fn oracles(&self) -> &'a Oracles {
        self.oracles
    }

    /// The oracle of this name.
    ///
    /// # Errors
    /// [`ParameterError`] if the registry has none of this name, or not with these parameters.
    pub fn oracle(&self, choice: &OracleChoice) -> Result<ResolvedOracle, ParameterError> {
        self.oracles.resolve(choice)
    }

    /// The finite family of this name.
    ///
    /// # Errors
    /// [`ParameterError`] if the oracle is unknown, or is no family, or one too large.
    pub fn family(&self, choice: &OracleChoice) -> Result<Vec<ActionSequence>, ParameterError> {
        let refuse = |needed: String| ParameterError::new("oracle", choice, needed);
        let family = self.oracle(choice)?.family(self.world.num_actions());
        let family = family.map_err(|fault| refuse(format!("a smaller family: {fault}")))?;
        family.ok_or_else(|| refuse("a finite family, not a search".into()))
    }
}

/// An agent kind with its parameters, whatever its type.
pub(crate) trait AnyAgent<W: Environment>: Send + Sync {
    fn identity(&self) -> &Identity;
    fn check(&self, site: &Site<'_, W>) -> Result<(), ParameterError>;
    fn feedback(&self) -> Feedback {
        Feedback::AtSightings
    }
    fn regret_bound(&self, world: &W, episodes: u64) -> Option<f64>;
    fn advice(&self, _: &W) -> Vec<String> {
        Vec::new()
    }
    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault>;
    fn family(
        &self,
        oracles: &Oracles,
        num_actions: usize,
    ) -> Result<Option<Vec<ActionSequence>>, Fault>;
}

pub(crate) struct Named<K> {
    kind: K,
    identity: Identity,
}

impl<K: Kind> Named<K> {
    /// The kind with its identity; oracles in its parameters are resolved for it.
    pub(crate) fn new(kind: K, oracles: &Oracles) -> Result<Self, ParameterError> {
        let (info, mut parameters) = (KindInfo::of::<K>(), kind.to_table());
        let made_by = resolve_oracles(&info, &mut parameters, oracles)?;
        let identity = Identity { name: info.name.into(), made_by, parameters };
        Ok(Self { kind, identity })
    }
}

/// Puts oracles into their canonical form; who made the kind and them.
fn resolve_oracles(
    info: &KindInfo,
    table: &mut Table,
    oracles: &Oracles,
) -> Result<String, ParameterError> {
    let mut made_by = info.made_by();
    for parameter in info.parameters.iter().filter(|parameter| parameter.is_oracle) {
        if let Some(value) = table.get_mut(parameter.name) {
            let oracle = oracles.resolve_value(value).map_err(|e| e.within(parameter.name))?;
            *value = oracle.text.into();
            made_by = format!("{made_by} {}", oracle.made_by);
        }
    }
    Ok(made_by)
}

impl<W: Environment, K: AgentKind<W>> AnyAgent<W> for Named<K> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn check(&self, site: &Site<'_, W>) -> Result<(), ParameterError> {
        self.kind.check(site)
    }

    fn feedback(&self) -> Feedback {
        self.kind.feedback()
    }

    fn regret_bound(&self, world: &W, episodes: u64) -> Option<f64> {
        self.kind.regret_bound(world, episodes)
    }

    fn advice(&self, world: &W) -> Vec<String> {
        self.kind.advice(world)
    }

    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        self.kind.build(site)
    }

    fn family(
        &self,
        oracles: &Oracles,
        num_actions: usize,
    ) -> Result<Option<Vec<ActionSequence>>, Fault> {
        match self.kind.oracle() {
            Some(choice) => oracles.resolve(choice)?.family(num_actions),
            None => Ok(None),
        }
    }
}

/// Reads an agent of one kind from a table.
pub(crate) type ReadAgent<W> = fn(&Table, &Oracles) -> Result<Arc<dyn AnyAgent<W>>, ParameterError>;

pub(crate) fn read_agent<W: Environment, K: AgentKind<W>>(
    table: &Table,
    oracles: &Oracles,
) -> Result<Arc<dyn AnyAgent<W>>, ParameterError> {
    // Oracles may be tables: they are text by the time the kind reads them.
    let mut table = table.clone();
    resolve_oracles(&KindInfo::of::<K>(), &mut table, oracles)?;
    Ok(Arc::new(Named::new(K::from_table(&table)?, oracles)?))
}

/// An agent of the caller's own, made by a closure.
pub(crate) struct FromClosure<P, F> {
    pub(crate) parameters: P,
    pub(crate) identity: Identity,
    pub(crate) build: F,
}

impl<W, P, F> AnyAgent<W> for FromClosure<P, F>
where
    W: Environment,
    P: Send + Sync,
    F: for<'a> Fn(&P, &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> + Send + Sync,
{
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn check(&self, _: &Site<'_, W>) -> Result<(), ParameterError> {
        Ok(())
    }

    fn regret_bound(&self, _: &W, _: u64) -> Option<f64> {
        None
    }

    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        (self.build)(&self.parameters, site)
    }

    fn family(&self, _: &Oracles, _: usize) -> Result<Option<Vec<ActionSequence>>, Fault> {
        Ok(None)
    }
}

impl<W> fmt::Debug for dyn AnyAgent<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyAgent")
    }
}
