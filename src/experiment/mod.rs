//! Experiments: worlds x agents x parameters x seeds, run in parallel, in shards, through crashes.
//!
//! | from | to | by |
//! |---|---|---|
//! | values: any [`Environment`](crate::model::Environment), any agents | a [`Plan`] | [`Experiment::plan`] |
//! | a [`Spec`] in TOML and the kinds of a [registry](crate::kinds::Registry) | a [`Plan`] | [`Spec::expand`] |
//! | a plan | cells in a folder, each a run of one agent in one world with one seed | [`Runner::run`] |
//! | a folder | an [`Outcome`]: means and intervals over the seeds | [`Outcome::load`] |
//! | an outcome | `curves.csv`, `summary.json`, figures, a page | [`Outcome::write`] |
//!
//! Inside, from the outside in: `spec` and `experiment` make a `plan` of `jobs`; the `runner` takes a `lock` on each cell,
//! which `run` plays from its checkpoint on, and writes it to the `store`, each file in its `envelope`; the `manifest` says what
//! belongs together; `outcome` and `export` are what is made of it.
//!
//! # What holds
//! - A cell has an [id](Cell::id) that depends on what it computes and on nothing else, and its
//!   numbers depend on no thread, order, shard or interruption.
//! - A file appears when it is complete. After a crash the same call continues, from the last
//!   checkpoint of every cell that was in the middle, and the files in the end are the same to the
//!   byte. Only how long the cells ran is another matter: that is kept beside them, in `times`.
//! - Every file that is read back has a checksum. One that was damaged is [told](Progress::damaged),
//!   and what was in it is computed again.
//! - Shards share nothing. They may write to one folder or to several, which [`merge`] brings
//!   together.
//! - Processes that run in one folder at the same time, shards or not, share the work: each cell is
//!   [locked](std::fs::File::try_lock) by whoever runs it, and a lock ends with its process. Where the file system has no
//!   locks they may do some of the work twice, with the same result.
//! - A folder holds one experiment. It can gain cells, by more seeds, models, agents or parameters: what
//!   is finished is kept. An experiment that lacks cells of the folder is refused
//!   ([`ExperimentError::Occupied`]); other numbers of episodes or points, and another seed, make other
//!   cells.
//! - A run that is [asked to stop](Runner::with_stop) saves the cells under way and ends.
//!
//! # Example
//! ```
//! use sporadic::experiment::{Outcome, Runner, Spec};
//! use sporadic::kinds::Registry;
//! # let folder = tempfile::tempdir()?;
//! # let out = folder.path();
//! let spec = Spec::from_toml(
//!     r#"
//!     episodes = 200
//!     seeds = 3
//!     [[models]]
//!     model = "river-swim"
//!     beta = [0.1, 0.5]
//!     [[agents]]
//!     agent = "fixed"
//!     sequence = "(1)"
//!     "#,
//! )?;
//! let plan = spec.expand(&Registry::builtin(), ".".as_ref())?;
//! Runner::new().run(&plan, out)?;
//! let outcome = Outcome::load(out)?;
//! assert_eq!(outcome.groups().len(), 2);
//! assert_eq!(outcome.groups()[0].average.len(), 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cell;
mod envelope;
mod error;
#[allow(clippy::module_inception)] // its one concept has the name of the module
mod experiment;
mod export;
mod fingerprint;
mod jobs;
pub mod limits;
mod lock;
mod manifest;
mod outcome;
mod paper;
mod plan;
mod progress;
mod reference;
mod run;
mod runner;
mod shard;
mod spec;
mod statistics;
mod store;

pub use cell::{Cell, WorldIdentity};
pub use envelope::Damage;
pub use error::{ExperimentError, SpecError};
pub use experiment::Experiment;
pub use export::{Summary, SummaryRow};
pub(crate) use jobs::AnyRealm;
pub use manifest::merge;
pub use outcome::{Group, LastEpisodes, Outcome, agent_labels, world_labels};
pub use paper::PAPER_BETAS;
pub use plan::Plan;
pub use progress::Progress;
pub use reference::{Bounds, Reference};
pub use run::Record;
pub use runner::Runner;
pub use shard::{Shard, ShardError};
pub use spec::{Entry, Spec};
pub use statistics::Interval;
pub use store::{replace, tidy};
