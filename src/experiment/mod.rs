//! Sweeps: models x agents x parameters x seeds, run in parallel, in shards, through crashes.
//!
//! A [`Spec`] in TOML is [expanded](Spec::expand) into [cells](Cell), each a run of one agent in one
//! world with one seed. A [`Runner`] runs them, as many at a time as there are threads, and writes
//! each to a folder when it is finished. [`load`] reads the folder, [`summarize`] draws means and
//! intervals over the seeds from it.
//!
//! # What holds
//! - A cell has an [id](Cell::id) that depends on what it computes and on nothing else, and its
//!   numbers depend on no thread, order, shard or interruption.
//! - A file appears when it is complete. After a crash the same call continues, from the last
//!   checkpoint of every cell that was in the middle, and the files in the end are the same to the
//!   byte.
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
//! use sporadic::experiment::{Runner, Spec, load, summarize};
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
//! Runner::new().run(&spec.expand(".".as_ref())?, out)?;
//! let groups = summarize(&load(out)?);
//! assert_eq!(groups.len(), 2);
//! assert_eq!(groups[0].average.len(), 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agent;
mod cell;
mod envelope;
mod error;
mod export;
mod family;
mod learner;
mod lock;
pub mod limits;
mod manifest;
mod oracle;
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
mod summary;
mod values;
mod world;

pub use agent::{AgentChoice, Beyond};
pub use cell::Cell;
pub use envelope::Damage;
pub use error::{ExperimentError, SpecError};
pub use export::{Line, Summary, curves_csv};
pub use family::{Family, FamilyError, MAX_ACTIONS, MAX_MEMBERS};
pub use learner::{Learner, LearnerError, build};
pub use manifest::{Finished, load, merge};
pub use oracle::{Oracle, ParseOracleError};
pub use paper::PAPER_BETAS;
pub use plan::{Experiment, Job};
pub use progress::Progress;
pub use reference::{Effort, Reference, reference, reference_with};
pub use run::{Curve, Record};
pub use runner::Runner;
pub use shard::{Shard, ShardError};
pub use spec::{AgentGrid, ModelGrid, Spec};
pub use statistics::Interval;
pub use store::{replace, tidy};
pub use summary::{Group, summarize};
pub use values::Values;
pub use world::{BUILT_IN, World, WorldError};
