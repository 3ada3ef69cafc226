//! How much time and memory may be used, and how memory is shared out.

use std::time::{Duration, Instant};

use super::tree::NODE_BYTES;
use super::{SolveOptions, Termination};

/// Up to this many states n x n matrices are always formed, whatever the limits.
pub(super) const SMALL: usize = 64;

/// Each part may always have this many beliefs or sequences, whatever the memory limit.
const LEAST: usize = 16;

/// The most cycles kept at once; the next search finds them again if they are needed.
const MOST_CYCLES: usize = 200;

/// The options as counts: half of the memory is for the tree, a quarter each for
/// sequences and for the matrices of cycles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    start: Instant,
    deadline: Option<Instant>,
    /// The most sequences in the pool.
    pub(super) entries: usize,
    /// The most cycles among them.
    pub(super) cycles: usize,
    /// The most beliefs in a tree.
    pub(super) nodes: usize,
    /// The most vectors of a number per state.
    pub(super) vectors: usize,
    n: usize,
}

impl Limits {
    pub(super) fn new(options: &SolveOptions, n: usize, actions: usize) -> Self {
        let start = Instant::now();
        let share = |part: usize, each: usize| options.memory_limit() / part / each;
        Self {
            start,
            deadline: options.time_limit().and_then(|limit| start.checked_add(limit)),
            entries: share(4, entry_bytes(n)).max(actions + LEAST),
            cycles: share(4, cycle_bytes(n)).clamp(actions, actions.max(MOST_CYCLES)),
            nodes: share(2, NODE_BYTES).clamp(LEAST, u32::MAX as usize / 2),
            vectors: share(1, 8 * n),
            n,
        }
    }

    /// Whether the phases that use n x n matrices may run and, if not, what stands in the way.
    ///
    /// Up to [`SMALL`] states always. Above, the matrices must fit in half of the memory limit, and
    /// the first of them must take at most a tenth of the time limit by a rough estimate. It depends
    /// on the options alone, not on the clock, so that it is the same in every run.
    pub(super) fn dense(
        options: &SolveOptions,
        n: usize,
        actions: usize,
    ) -> Result<(), Termination> {
        if n <= SMALL {
            return Ok(());
        }
        // Per action the matrix of a cycle and n beliefs of the tree; for all, the systems of the
        // policy and of the linear programs, and the corners of the tree.
        let matrices = (2 * actions).saturating_add(8);
        let bytes = n.saturating_mul(8 * n).saturating_mul(matrices);
        if bytes > options.memory_limit() / 2 {
            return Err(Termination::MemoryLimit);
        }
        let nanoseconds = 20.0 * (n as f64) * (n as f64) * (n as f64) * (actions as f64 + 1.0);
        match options.time_limit() {
            Some(limit) if nanoseconds > 1e8 * limit.as_secs_f64() => Err(Termination::TimeLimit),
            _ => Ok(()),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the time is up.
    pub(super) fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// The time that is left; none if there is no limit.
    pub(super) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// These limits with only a share of the remaining time.
    pub(super) fn share(&self, part: f64) -> Self {
        let deadline = self.deadline.map(|deadline| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now).mul_f64(part)
        });
        Self { deadline, ..*self }
    }

    /// What these numbers of things and a tree of `tree` bytes take, in bytes.
    pub(super) fn bytes(&self, entries: usize, cycles: usize, tree: usize) -> usize {
        // The systems and inverses of the policy and of the linear programs: four matrices.
        4 * cycle_bytes(self.n)
            + entries * entry_bytes(self.n)
            + cycles * cycle_bytes(self.n)
            + tree
    }
}

/// A sequence: its vector twice in the pool and once each in the active set, in the tree and in the linear
/// programs, and its place in the maps.
fn entry_bytes(n: usize) -> usize {
    40 * n + 160
}

/// A cycle: an n x n matrix.
fn cycle_bytes(n: usize) -> usize {
    8 * n * n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_fit_the_memory() {
        for n in [1, 6, 50, 500] {
            let options = SolveOptions::default().with_memory_limit(64 << 20);
            let limits = Limits::new(&options, n, 3);
            let most = limits.bytes(limits.entries, limits.cycles, limits.nodes * NODE_BYTES);
            assert!(most <= (64 << 20) + 4 * cycle_bytes(n) + 3 * cycle_bytes(n), "{n}: {most}");
        }
    }

    #[test]
    fn a_share_of_no_limit_is_no_limit() {
        let options = SolveOptions::default().with_time_limit(None);
        let limits = Limits::new(&options, 2, 2);
        assert!(!limits.late() && !limits.share(0.0).late());
        let none = SolveOptions::default().with_time_limit(Duration::ZERO);
        assert!(Limits::new(&none, 2, 2).late());
    }
}
