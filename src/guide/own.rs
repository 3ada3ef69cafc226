//! Chapter 6: your own agent, oracle, features, estimator.
//!
//! Each is one small trait. Whatever implements it works wherever ours does: simulation, exact regret, experiments, the command
//! line.
//!
//! | to bring | implement | required methods |
//! |---|---|---|
//! | an agent | [`Agent`](crate::agents::Agent) | `begin_episode`, `act`, `observe` |
//! | a search over sequences | [`SequenceOracle`](crate::oracles::SequenceOracle) | `maximize` |
//! | features of states and actions | [`FeatureMap`](crate::features::FeatureMap) | `dim`, `phi` |
//! | features of sequences | [`SequenceFeatures`](crate::features::SequenceFeatures) | `dim`, `num_actions`, `gamma`, `psi` |
//! | an estimator of the dynamics | [`Estimator`](crate::estimators::Estimator) | see there |
//! | an environment | [`Environment`](crate::model::Environment) | see chapter [7](super::continuous) |
//!
//! The program has an agent that tries a few sequences and keeps to the best, and an oracle that improves a sequence one
//! action at a time, and gives the oracle to Algorithm 1.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/own.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/own.txt")]
//! ```
//!
//! The simple agent does better here because one of its three sequences, right for ever, is optimal in `RiverSwim`: once it has chosen
//! that, its regret stops growing.
//!
//! An agent whose method `policy` shows its policy gets exact regret; one that implements [`Resume`](crate::agents::Resume) can be saved and
//! continued. Neither is required. An oracle is given the objective and nothing else: `value` and `values` score sequences, `upper_bound`
//! bounds the score of all sequences that begin with a prefix. Its answer must depend on the objective alone, because a learner that is
//! restored from a file asks again, and has to get the same answer.
//!
//! The module [`check`](crate::check) tests such promises. In a test of your own, one line each:
//!
//! ```
//! # use sporadic::{agents::UniformRandom, check, model::gallery, oracles::Beam};
//! # use sporadic::simulation::{Simulation, Streams};
//! # let swim = gallery::river_swim::<f64>(6, 0.5, 0.9)?;
//! # let world = Simulation::new(&swim, Streams::new(1));
//! # let my_agent = || UniformRandom::new(2, Streams::new(1).agent());
//! # let my_oracle = || Beam::new(2, 5);
//! check::agent(&world, 40, my_agent).assert(); // same seed, same play, also saved and restored
//! check::oracle::<f64, _>(2, my_oracle).assert(); // values, bounds, equal questions
//! # Ok::<(), sporadic::model::ModelError>(())
//! ```
//!
//! To use a thing of yours in experiment files (chapter [9](super::experiments)) and on the command line, give it a name and parameters with
//! [`kind!`](crate::kind) and add it to a registry: `sporadic::cli::main(Registry::builtin().with_agent::<Mine>())`. The
//! crate `examples/workbench` does so for an environment, a model, an agent, an oracle and an estimator.
//!
//! Next: chapter 7, [continuous states](super::continuous).
