//! The solution, and the report that comes with it.

use std::fmt;

use crate::Real;
use crate::planning::Stationary;

/// Bounds on V* in the scalar `T` of the model, a policy that attains the lower one, and a report on
/// how they were computed.
///
/// For every state s, lower(s) <= V_policy(s) <= V*(s) <= upper(s) in exact arithmetic, and
/// V_policy(s) - lower(s) <= 2 [`rounding`](SolveReport::rounding).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Solution<T> {
    /// The value of `policy` at each state, less an allowance for rounding.
    pub lower: Vec<T>,
    /// An upper bound on V* at each state.
    pub upper: Vec<T>,
    /// The sequence to play from each sighting of a state, until the next sighting.
    pub policy: Stationary,
    /// Why the solver stopped, and what it did.
    pub report: SolveReport,
}

impl<T: Real> Solution<T> {
    /// The largest upper - lower over the states.
    pub fn gap(&self) -> f64 {
        let bounds = self.upper.iter().zip(&self.lower);
        bounds.map(|(u, l)| u.as_f64() - l.as_f64()).fold(0.0, f64::max)
    }
}

/// Why the solver stopped. The bounds are valid in every case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Termination {
    /// The gap asked for is reached at every state.
    GapReached,
    /// The time was up, or too short for another round or for n x n matrices.
    TimeLimit,
    /// The memory was full, or too small for n x n matrices.
    MemoryLimit,
    /// The gap asked for is too fine for `f64` arithmetic on this model, or for the scalar of the
    /// model, in which the answer is given.
    Precision,
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::GapReached => "gap reached",
            Self::TimeLimit => "time limit",
            Self::MemoryLimit => "memory limit",
            Self::Precision => "limit of precision",
        })
    }
}

/// The state of the solver after a phase.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GapPoint {
    /// Seconds since the start.
    pub seconds: f64,
    /// The largest upper - lower over the states, as computed in `f64`.
    pub gap: f64,
    /// Sequences in memory.
    pub sequences: usize,
    /// Those that stand for the value over all beliefs.
    pub active: usize,
    /// Beliefs expanded or bounded in trees so far.
    pub nodes: usize,
    /// Linear programs solved so far.
    pub programs: usize,
}

/// The work that led to a solution. Prints as a table of the gap over time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolveReport {
    /// Why the solver stopped.
    pub termination: Termination,
    /// Seconds in all.
    pub seconds: f64,
    /// The gap after each phase. It never rises.
    pub history: Vec<GapPoint>,
    /// Sequences in memory at the end.
    pub sequences: usize,
    /// Those that stand for the value over all beliefs.
    pub active: usize,
    /// Beliefs in all trees.
    pub nodes: usize,
    /// Linear programs solved.
    pub programs: usize,
    /// Pivots of the simplex method in all of them.
    pub pivots: usize,
    /// An estimate of the most memory in use at once, in bytes.
    pub bytes: usize,
    /// Half of what the policy may be worth more than `lower`. It is what rounding may have done to the
    /// value of the policy, unless the time was up while the policy of a model with many states was
    /// being evaluated.
    pub rounding: f64,
}

impl fmt::Display for SolveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} after {:.3} s, {:.1} MiB, rounding {:.1e}",
            self.termination,
            self.seconds,
            self.bytes as f64 / f64::from(1 << 20),
            self.rounding
        )?;
        write!(
            f,
            "{:>9}  {:>9}  {:>9}  {:>7}  {:>9}  {:>9}",
            "seconds", "gap", "sequences", "active", "nodes", "programs"
        )?;
        for point in &self.history {
            write!(
                f,
                "\n{:>9.4}  {:>9.2e}  {:>9}  {:>7}  {:>9}  {:>9}",
                point.seconds,
                point.gap,
                point.sequences,
                point.active,
                point.nodes,
                point.programs
            )?;
        }
        Ok(())
    }
}
