//! What an experiment may ask for at most.
//!
//! | what | limit | why |
//! |---|---|---|
//! | cells: models x agents x seeds | [`MAX_CELLS`] | each is held in memory and listed in the manifest |
//! | points of a curve | [`MAX_POINTS`] | each is held in memory while a cell runs |
//! | points of all curves | [`MAX_ALL_POINTS`] | a report holds all of them |
//! | episodes of a run | [`MAX_EPISODES`] | those of all cells are added up in 64 bits |
//! | threads | [`MAX_THREADS`] | each has a stack of its own |
//! | gamma | [`MAX_GAMMA`](crate::simulation::MAX_GAMMA) | episodes have 1 / (1 - gamma) rounds on average |
//! | max abs(r) / (1 - gamma) | [`MAX_VALUE`] | squares and sums of values must not overflow |
//! | sequences of a family | [`MAX_MEMBERS`](crate::kinds::oracles::MAX_MEMBERS) | all of them are listed |
//! | numbers in a table of an agent | [`MAX_NUMBERS`](crate::agents::MAX_NUMBERS) | each is held in memory |
//! | a spec | [`MAX_SPEC_BYTES`] | it is read as a whole |
//!
//! All are checked when a spec is spelled out, before anything is allocated, run or written.

use super::SpecError;

/// The most cells of an experiment.
pub const MAX_CELLS: u64 = 250_000;

/// The most points of one curve.
pub const MAX_POINTS: u64 = 1_000_000;

/// The most points of all curves of an experiment together.
pub const MAX_ALL_POINTS: u64 = 50_000_000;

/// The most episodes of one run.
pub const MAX_EPISODES: u64 = 1_000_000_000_000;

/// The most threads of a runner.
pub const MAX_THREADS: usize = 1024;

/// The largest value max abs(r) / (1 - gamma) of a model in an experiment or on the command line.
pub const MAX_VALUE: f64 = 1e100;

/// The most bytes of a spec.
pub const MAX_SPEC_BYTES: u64 = 1 << 24;

/// Refuses a number that is 0 or above its limit.
pub(super) fn check_count(field: &str, value: u64, limit: u64) -> Result<(), SpecError> {
    let needed = match value {
        0 => "at least 1".into(),
        _ if value > limit => format!("at most {limit}"),
        _ => return Ok(()),
    };
    Err(SpecError::Field { field: field.into(), value: value.to_string(), needed })
}

/// Refuses more cells than are handled at once.
pub(super) fn check_cells(worlds: usize, agents: usize, seeds: u64) -> Result<(), SpecError> {
    let cells = (worlds as u64).saturating_mul(agents as u64).saturating_mul(seeds);
    if cells <= MAX_CELLS { Ok(()) } else { Err(SpecError::Cells { worlds, agents, seeds }) }
}

/// The number of threads for so many jobs: what was asked for, but no more than there are jobs and no
/// more than [`MAX_THREADS`]; 0, which stands for one per core, stays 0.
pub(super) fn threads(asked: usize, jobs: usize) -> usize {
    if asked == 0 { 0 } else { asked.min(jobs).clamp(1, MAX_THREADS) }
}
