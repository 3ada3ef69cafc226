//! Hearing how far a sweep has got.

use std::path::Path;

use super::Damage;

/// Hears how far a sweep has got. Called from all its threads.
pub trait Progress: Sync {
    /// The sweep starts: so many episodes in all.
    fn start(&self, episodes: u64) {
        let _ = episodes;
    }

    /// So many more episodes are behind it; not `fresh` are those of an earlier attempt or of another
    /// process.
    fn advance(&self, episodes: u64, fresh: bool) {
        let _ = (episodes, fresh);
    }

    /// A cell is finished.
    fn cell(&self, id: &str) {
        let _ = id;
    }

    /// This file of the folder is not as it was written, or is a checkpoint that its agent does not take
    /// back. It is ignored, and its content is computed again.
    fn damaged(&self, path: &Path, damage: &Damage) {
        let _ = (path, damage);
    }

    /// There is nothing left to do but so many cells that other processes are running, one of which is
    /// `holder`. Called again and again until they are finished; cells whose process ends before they
    /// are finished are taken over.
    fn waiting(&self, cells: usize, holder: &str) {
        let _ = (cells, holder);
    }
}

/// Nobody listens.
impl Progress for () {}
