//! Chapter 5: learning.
//!
//! ATST-LSVI-UCB, Algorithm 1 of the paper, is given psi (chapter [3](super::values)) and learns the weights w by ridge regression
//! on the segments that it has seen. Before each episode it plans, backwards from the H-th sighting of an episode to the first: for the
//! u-th it learns weights w_u, and on seeing s there it plays the sequence that maximises
//!
//! ```math
//! K_u(s, a) = min { <psi(s, a), w_u> + rho ||psi(s, a)||_{Lambda^-1} , 1/(1 - gamma) }
//! ```
//!
//! w_u is the ridge regression of the rewards of the segments, plus the value of the u+1-st sighting in the state where each segment
//! ended, on their psi; Lambda = lambda I + (the sum of psi psi^T over the segments) is its matrix. The second term is the *bonus*: it
//! is large for sequences whose psi points where little data has been. It makes the agent try what it does not know, and shrinks as it
//! learns. The minimum is the *clip*: rewards are in \[0, 1\], so no value is above 1/(1 - gamma).
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/learning.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/learning.txt")]
//! ```
//!
//! How to read a curve:
//!
//! - *mean return*: the mean return of the episodes so far. The agent sees it; it is noisy, and bad
//!   first episodes weigh on it for long.
//! - *policy value*: the exact expected return of the policy played in that episode, computed from
//!   the model, so it has no noise of the episode in it. The agent does not know it.
//! - *regret*: the sum over the episodes so far of V* minus the policy value. Its slope is what the
//!   agent still loses per episode. It keeps growing where the family has no optimal sequence.
//! - *class regret*: the same against the best policy of the family. It levels off when the agent has
//!   learnt that policy.
//!
//! How to choose parameters:
//!
//! | parameter | what it does | how to choose it |
//! |---|---|---|
//! | H, `with_horizon` | how many sightings are planned for | about the mean number of sightings of an episode, 1 / (1 - gamma) at most; more costs time only |
//! | rho, `with_rho` | the size of the bonus | half of the largest value, 1 / (2 (1 - gamma)), is cautious; try a tenth of it; 0 gets stuck |
//! | lambda, `with_lambda` | the regulariser | 0.01; features are short, so lambda = 1 of the theorem hides the data for thousands of episodes |
//! | oracle | which sequences are considered | a small family first; `adaptive`, which searches all sequences, where the family lacks what is best |
//!
//! The oracle is what looks for the best sequence. It goes through a finite family, or searches among all sequences:
//!
//! | oracle | sequences | how many, with A actions |
//! |---|---|---|
//! | `words:L` | any L actions, the last of which is repeated for ever | A^L |
//! | `runs:P,L` | 1 to P times an action b, then for ever 0 to L times another action c and 0 to L times b | A (A - 1) P (L^2 + 1) + A |
//! | `periodic:P,L` | any prefix of at most P actions, any period of at most L | fewer than A^(P + L + 2) |
//! | `truncated:L` | `words:L`, and a bound on what longer sequences could add | A^L |
//! | `adaptive` | all: a pool of candidates, which grows where it is not good enough | infinitely many |
//! | `beam:W,D` | all: the W most promising prefixes of each length up to D | infinitely many |
//! | `branch-and-bound:G` | all, until none can be better by more than G | infinitely many |
//! | `runs:2,3+beam:8,20` | the better choice of several oracles | |
//!
//! The default is `runs:5,10`, the paper's family. It has 1012 sequences for two actions but 3,033 for three and 6,064 for four, so with
//! more than two actions begin with a smaller one, such as `words:3`.
//!
//! On the command line `sporadic learn MODEL --out run` picks H and rho by the first two rules, says so, and warns where an
//! episode has more sightings than H, where all values are still at the clip 1 / (1 - gamma) at the end, and where the family lacks what the
//! optimum plays. Its table has, times 1 - gamma, the average return with an interval over the seeds, the value of the last policy,
//! the best of the family (`class`) and V*. Where the interval is wide, look at the runs one by one in `run/curves.csv`: the bonus that it
//! picks does not keep every run from settling on a sequence that is not the best, even in a model of two states. Then try twice that
//! rho, or a smaller family.
//!
//! Next: chapter 6, [your own agent, oracle, features, estimator](super::own).
