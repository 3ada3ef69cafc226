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
//! The intervals are 95% t-intervals over the seeds; with three seeds they are wide. Two agents with one seed meet the same
//! first states and the same random numbers, so their difference is less noisy than either curve.
//!
//! This experiment as a file, for `sporadic sweep experiment.toml --out results`:
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
//! ```
//!
//! - **Resume.** Stop it at any moment, even with `kill -9`; the same command continues, and the results are the same
//!   to the last byte.
//! - **Grow.** A finished folder may get more seeds, models, agents or parameters; what is there is not computed again.
//! - **Cluster.** `sporadic sweep experiment.toml --out results --slurm 8` writes an array job whose tasks share the folder;
//!   `--shard 3/8` runs one part by hand.
//! - **Report.** `sporadic report results` draws again what is there: `curves.csv` (a row per point, a column per parameter),
//!   `summary.json`, figures as SVG and PNG, and `report.html`, a page without outside links.
