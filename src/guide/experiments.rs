//! Chapter 9: experiments.
//!
//! An [`Experiment`](crate::experiment::Experiment) (feature `experiment`) runs every agent in every world for a number of
//! seeds, in parallel, and turns the runs into means with intervals, figures and a page.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/experiments.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/experiments.txt")]
//! ```
//!
//! The intervals are 95% t-intervals over the seeds; with three seeds they are wide, and may include values that are not possible. Two
//! agents with the same seed meet the same first states and the same random numbers, so their difference is less noisy than either curve.
//!
//! The first argument of `with_agent_fn` is the agent's name; the second is handed to the closure, and is kept with the results, so
//! that another sequence makes another agent; `_site` has the world, the random numbers and the number of episodes, for agents that need
//! them.
//!
//! This experiment as a file, with a second value of rho, for `sporadic sweep experiment.toml --out results`:
//!
//! ```toml
//! name = "three agents"
//! episodes = 400
//! seeds = 3
//!
//! [[models]]
//! model = "river-balance"
//! states = 5
//! gamma = 0.9
//! beta = [0.1, 0.5]          # a list makes a grid
//!
//! [[agents]]
//! agent = "lsvi-ucb"
//! oracle = "runs:2,4"
//! horizon = 10
//! rho = [1.0, 2.0]
//!
//! [[agents]]
//! agent = "certainty-equivalence"
//! oracle = "runs:2,4"
//!
//! [[agents]]
//! agent = "fixed"
//! sequence = "(01)"
//! ```
//!
//! Its table has the same numbers as the program, times 1 - gamma = 0.1. One model, one agent with all its parameters and one seed make
//! a *cell*, the unit that messages count.
//!
//! - **Resume.** Stop it at any moment, even with `kill -9`; the same command continues, and the results are the same
//!   to the last byte.
//! - **Grow.** Add seeds, models, agents or values of parameters to the file, and the same command computes what is new; what is there
//!   is not computed again. Another number of episodes makes another experiment, which needs another folder.
//! - **Cluster.** `sporadic sweep experiment.toml --out results --slurm 8` prints the script of a Slurm array job of eight tasks, which
//!   share the folder; with `--submit` it submits the script. `--shard 3/8` runs one part of eight by hand.
//! - **Report.** A sweep ends with its report; `sporadic report results` makes it again: `curves.csv` (a row per point of a curve, a
//!   column per parameter), `summary.json` (the numbers of the table), figures as SVG and PNG, and `report.html`, a page that needs no other
//!   file. `times.csv` has how long each run took; `manifest.json` and the folders belong to the program.
//!
//! Next: chapter 10, [snapshot tests of learning curves](super::snapshots).
