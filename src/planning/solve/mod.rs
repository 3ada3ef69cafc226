//! Certified optimal values: bounds on V* at every state, and a policy that attains the lower one.
//!
//! [`solve`] returns numbers lower <= V* <= upper that differ by no more than was asked, at all states
//! at once, and for each state the action sequence to play from each sighting of it until the next.
//!
//! # Example
//! ```
//! use sporadic::model::gallery;
//! use sporadic::planning::solve::{SolveOptions, Termination, solve};
//!
//! let balance = gallery::river_balance::<f64>(6, 0.5, 0.99)?;
//! let solution = solve(&balance, &SolveOptions::default().with_gap(0.01))?;
//! assert_eq!(solution.report.termination, Termination::GapReached);
//! assert!(solution.lower[0] <= 80.004 && 80.003 <= solution.upper[0]);
//! println!("{}\n{}", solution.policy[0], solution.report);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The problem
//! Between two sightings nothing is observed, so a policy is a sequence per state seen. Write
//! w_a = gamma (1 - beta_a) for the weight of staying blind after action a and s_a = gamma beta_a for
//! that of a sighting. The value U* of a belief b is the only bounded solution of
//!
//! ```math
//! U*(b) = max_a [ b.r_a + s_a (b P_a).V* + w_a U*(b P_a) ],     V*(s) = U*(corner s)
//! ```
//!
//! Given V*, this is an unobserved problem: there is no branching on observations.
//!
//! # The algorithm
//! 1. **A pool of sequences**, each an action followed by an earlier entry, or a word for ever. V is the
//!    exact value of "on seeing s play `policy[s]`": one n x n system. Policy iteration picks the best
//!    entries; deep greedy blind trials from the corners propose new ones, with a period where the
//!    greedy path becomes periodic.
//! 2. **An active set** of entries, with L(b) = max alpha.b, closed under backup over the whole simplex
//!    up to errors rho_a: for each active alpha and action a a linear program bounds how far the
//!    backup r_a + s_a P_a V + w_a P_a alpha rises above L. Where it rises too far, a trial from the
//!    belief found adds an entry.
//! 3. **A tree** of blind beliefs below each corner, grown best first, whose leaves are bounded by L
//!    plus an error or by revealing the state. It turns 1 and 2 into upper bounds.
//!
//! Steps 2 and 3 alternate with shrinking tolerance. Since a set that is closed over *all* beliefs
//! bounds every leaf, the tree stays small where a tree alone would need depth log(gap) / log(w). Either
//! half the tolerance or some three times the beliefs in the tree halves the gap. A round of closing
//! takes about eight times as long as the one before: when the time limit leaves no room for another, the
//! rest of the time goes into the tree.
//!
//! A tree keeps no beliefs: the steps from the corner are made again where one is needed, so
//! that a million nodes fit in 100 MB. L is found at a belief without looking at all of the vectors; that it
//! is the largest nevertheless is shown in `clusters.rs`.
//!
//! # Why the upper bound holds
//! Let V and the alphas be any vectors, E(s) = max(V*(s) - V(s), 0), and let rho_a bound the backups of
//! the active set as above. Let eta be the supremum of U* - L over the simplex.
//!
//! - L(b P_a) is alpha.(b P_a) for some active alpha, so for the best action a at b
//!
//!   ```math
//!   U*(b) <= b.(r_a + s_a P_a V) + s_a max E + w_a (L(b P_a) + eta) <= L(b) + rho_a + s_a max E + w_a eta
//!   ```
//!
//!   and hence eta <= delta(max E) with delta(D) = max_a (rho_a + s_a D) / (1 - w_a).
//! - U* is a supremum of linear functions, so U*(b) <= b.(V + E).
//! - Let pass(d) be the rise over V at the corners that one Bellman sweep over the tree gives, with
//!   V + max d where the state is seen and min(L(b) + delta(max d), b.V + max d) at the leaves. By the two
//!   bounds above, E <= pass(E).
//! - pass is monotone, and a gamma-contraction because the corners are never leaves and
//!   s_a / (1 - w_a) <= gamma. So d >= pass(d) for any d implies E <= d:
//!
//!   ```math
//!   V* <= V + d     whenever     d >= pass(d)
//!   ```
//!
//! The least constant such d is found by bisection. Then pass(d) <= d bounds E state by state, and so do
//! a few more passes.
//!
//! # Many states
//! The algorithm above needs n x n matrices. Up to 64 states they are a small matter. Above, bounds
//! that need only the stored transitions come first, and are improved until they no longer move:
//!
//! - **Upper.** Value iteration from above as if the state were always seen, then the same with the
//!   state unseen and only the first action chosen knowingly.
//! - **Lower.** The best policy that plays one of a few sequences from each sighting. At first these are
//!   the constant ones; then those are added, of the form "an action, then a known sequence", that
//!   raise the value most.
//!
//! They are bounds after every update, so they are there within the time limit, however short; at the
//! very least they are r_min / (1 - gamma) and r_max / (1 - gamma). The matrices follow if 2 |A| + 8 of them
//! fit in half of the memory limit and the time limit leaves room for them: 20 (|A| + 1) n^3
//! nanoseconds must be at most a tenth of it. Otherwise the gap that the sweeps leave is the answer.
//!
//! # Rounding
//! Bounds are rounded outward to the scalar of the model at the very end, which for `f64` changes
//! nothing. Until then all numbers are `f64`, in units of a power of two near max |r|, so that nothing over- or underflows at
//! any scale of rewards, and results are multiplied by the unit with rounding outward. With
//! M = max |r| / (1 - gamma), n states and rows of probabilities that sum to 1 up to `off`, one backup, belief
//! step, dot product or mixture errs by less than
//!
//! ```math
//! slack = (8 (n + 4) epsilon + off) M
//! ```
//!
//! because beliefs and probabilities are non-negative (each component of a computed belief has a
//! relative error below (n + 1) epsilon) and every number added up is at most 3 M in size. In the sweeps
//! of the last section, n is the length of the longest row. Where it matters:
//!
//! - **Upper.** The slack is added to every rho_a and at every node of the tree, so that the computed pass
//!   lies above the exact one. The bounds are those of the beliefs as computed, whose sums may
//!   exceed 1 by a factor of 1 + 2 (depth + 1) ((n + 4) epsilon + off); max d and delta are multiplied by it. L at a
//!   belief is found up to the rounding of one product. A mixture found by a linear program is evaluated directly, so an
//!   inaccurate program makes rho larger and nothing else. V and the alphas may be any vectors: their
//!   own errors do not matter. The first bound, value iteration from above as if the state were always
//!   seen, loses at most slack / (1 - gamma), which is added at the end.
//! - **Lower.** The value of a policy is the fixed point of a gamma-contraction on (state, position in the
//!   sequence). How well the computed numbers satisfy its equations is measured, not assumed, and
//!   the policy's value is within
//!
//!   ```math
//!   rounding = (slack + 2 measured residual) / (1 - gamma)
//!   ```
//!
//!   of V. The residual counts twice because a policy may start inside its cycle: then the difference
//!   between V and the vector of the cycle adds to that between the vector and itself once around.
//!   `lower` is V less this number, so the policy is worth at least `lower` and at most
//!   `lower + 2 rounding`. The report states `rounding`; on RiverBalance with gamma = 0.99 it is below 1e-9.
//!
//! Numbers of the model are taken as exact. Those of an `f32` model are too, but each of its rows is
//! divided by its sum in `f64`. The argument neglects products of errors, so 1 - gamma should be well
//! above n epsilon; as it gets there, rounding exceeds any sensible gap and the solver says
//! [`Termination::Precision`].
//!
//! # What is hard
//! Many states that mix slowly and are rarely seen: then very many sequences are best somewhere in
//! the simplex. `cargo bench --bench solve` prints the gap against time, and `benches/README.md` has
//! what it printed.
//!
//! # Reveal probabilities that depend on the age
//! They split the blind beliefs by the age of their next action. The last age is a blind problem as above; for the
//! ages before it there is a set of vectors each, closed under backup over the whole simplex in the same sense.
//! The page of the `aged` module has the algorithm and its proof. Where the matrices above are out of the
//! question, the bounds are those of a model in which the state is always seen, and r_min / (1 - gamma).
//!
//! # Determinism
//! Equal models and equal options give equal bits, as long as no phase is cut short by the time limit.
//! Phases get at most a fixed share of the remaining time: a tenth for trials, 60% for closing, 90% for
//! a tree. Whether another round of closing is begun is decided by the clock too, if there is a limit.

mod active;
mod aged;
mod arrays;
mod bracket;
mod certificate;
mod clusters;
mod columns;
mod driver;
mod limits;
mod lp;
mod near;
mod options;
mod policy;
mod pool;
mod report;
mod sweeps;
mod tree;
mod trial;

pub use options::{SolveError, SolveOptions};
pub use report::{GapPoint, Solution, SolveReport, Termination};

use super::magnitude::check_magnitude;
use crate::Real;
use crate::model::Tabular;
use arrays::Arrays;
use bracket::Bracket;
use driver::Driver;
use limits::{Limits, SMALL};

/// Computes bounds on V* at every state, and a policy whose value is the lower bound up to rounding.
///
/// All is computed in `f64`; bounds are then rounded outward to the scalar of the model.
///
/// Any finite rewards and any reveal probabilities will do, 0 and 1 included. What is returned is
/// valid whatever stopped the solver, and says what did; see the [module](self) for what it proves.
///
/// # Errors
/// [`SolveError`] if the gap asked for is not positive and finite, or if max |r| / (1 - gamma) is too large
/// for the scalar; see [`check_magnitude`].
///
/// # Complexity
/// Time is not bounded by a polynomial: the problem is that of an unobserved MDP. Memory, in bytes, is
/// at most the memory limit, plus 16 per stored transition, plus 40 |A| + 300 per state, plus, on at most
/// 64 states, 2 |A| + 8 matrices of n x n numbers.
pub fn solve<T: Real>(
    model: &Tabular<T>,
    options: &SolveOptions,
) -> Result<Solution<T>, SolveError> {
    solve_with(model, options, |_| ())
}

/// Does what [`solve`] does and calls `observe` with the progress after each phase.
///
/// # Errors
/// As for [`solve`].
///
/// # Example
/// ```
/// use sporadic::model::gallery;
/// use sporadic::planning::solve::{SolveOptions, solve_with};
///
/// let balance = gallery::river_balance::<f64>(6, 0.2, 0.9)?;
/// let mut gaps = Vec::new();
/// let solution = solve_with(&balance, &SolveOptions::default(), |at| gaps.push(at.gap))?;
/// assert_eq!(gaps.len(), solution.report.history.len());
/// assert!(gaps.last() <= Some(&1e-3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve_with<T: Real>(
    model: &Tabular<T>,
    options: &SolveOptions,
    observe: impl FnMut(&GapPoint),
) -> Result<Solution<T>, SolveError> {
    options.check()?;
    check_magnitude(model)?;
    let limits = Limits::new(options, model.num_states(), model.num_actions());
    let arrays = Arrays::new(model);
    // Room for the outward rounding of both bounds to the scalar; none is needed if it is `f64`.
    let scalar = (T::epsilon().as_f64() - f64::EPSILON).max(0.0) * arrays.up(arrays.magnitude);
    let gap = (options.gap() - 2.0 * scalar).max(0.5 * options.gap());
    let mut bracket = Bracket::new(&arrays, limits, gap, observe);
    if model.ages() > 1 {
        let stopped = match Limits::dense(options, arrays.n, arrays.actions.len()) {
            Ok(()) => aged::solve(model, &mut bracket),
            Err(stands_in_the_way) => aged::bound(&mut bracket, stands_in_the_way),
        };
        return Ok(bracket.finish(stopped, options.gap()));
    }
    if arrays.n > SMALL {
        sweeps::sweep(&mut bracket);
    }
    let stopped = if bracket.reached() && arrays.n > SMALL {
        Termination::GapReached
    } else if arrays.n > SMALL && limits.late() {
        Termination::TimeLimit
    } else {
        match Limits::dense(options, arrays.n, arrays.actions.len()) {
            Ok(()) => Driver::new(&mut bracket).run(),
            Err(stands_in_the_way) => stands_in_the_way,
        }
    };
    Ok(bracket.finish(stopped, options.gap()))
}
