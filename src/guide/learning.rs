//! Chapter 5: learning.
//!
//! ATST-LSVI-UCB, Algorithm 1 of the paper, is given psi and learns rewards and continuation values by ridge regression
//! on the segments that it has seen. For the u-th sighting of an episode it plays the sequence that maximises
//!
//! ```math
//! K_u(s, a) = min { <psi(s, a), w_u> + rho ||psi(s, a)||_{Lambda^-1} , 1/(1 - gamma) }
//! ```
//!
//! The second term is the *bonus*: it is large for sequences whose psi points where little data has been. It makes the
//! agent try what it does not know, and shrinks as it learns.
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
//! - *average return*: the mean of what the episodes so far have earned. It is what an agent sees, it is noisy, and it remembers bad
//!   beginnings for ever.
//! - *value of its policy*: the exact expected return of the policy that is played in this episode, computed from the model. No
//!   luck is in it.
//! - *regret*: the sum over the episodes so far of V* minus that value. Its slope is what the agent still loses per episode. Against V* it
//!   keeps growing where the family has no optimal sequence; against the best of the family it levels off.
//!
//! How to choose parameters:
//!
//! | parameter | what it does | how to choose it |
//! |---|---|---|
//! | H, `with_horizon` | how many sightings are planned for | about the mean number of sightings of an episode, 1 / (1 - gamma) at most; more costs time only |
//! | rho, `with_rho` | the size of the bonus | half of the largest value, 1 / (2 (1 - gamma)), is cautious; try a tenth of it; 0 gets stuck |
//! | lambda, `with_lambda` | the regulariser | 0.01; features are short, so lambda = 1 of the theorem hides the data for thousands of episodes |
//! | oracle | which sequences are considered | `adaptive` searches all of them; a family such as `runs:5,10`, the paper's, is cheaper to think about and may lack what is best |
//!
//! On the command line `sporadic learn MODEL --out run` picks H and rho by the first two rules, says so, and warns where an
//! episode has more sightings than H, where all values are still at the clip 1 / (1 - gamma) at the end, and where the family lacks what the
//! optimum plays.
