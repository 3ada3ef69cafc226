//! Chapter 2: your own model.
//!
//! A model with finitely many states is a [`Tabular`](crate::model::Tabular): names, rewards, transition
//! probabilities, a reveal probability for each action and a discount factor. There are three ways to make one: from tables,
//! from functions, from a file.
//!
//! ```no_run
#![doc = include_str!("../../examples/guide/model.rs")]
//! ```
//! ```text
#![doc = include_str!("../../examples/guide/output/model.txt")]
//! ```
//!
//! The machine wears out while it runs, and a worn machine earns less. `run` never reveals its state, `inspect` always
//! does and costs a little, `repair` makes it good again and shows it half of the time.
//!
//! The program prints the first action of the file; the whole `machine.toml` has two more:
//!
//! ```toml
//! gamma = 0.95
//! states = ["good", "worn"]
//! initial = "good"
//!
//! [[actions]]
//! name = "run"
//! beta = 0.0
//! reward = [1.0, 0.2]                      # in "good", in "worn"
//! transition = [[0.9, 0.1], [0.0, 1.0]]    # from "good", from "worn"
//!
//! [[actions]]
//! name = "inspect"
//! beta = 1.0
//! reward = [0.9, 0.1]
//! transition = [[0.9, 0.1], [0.0, 1.0]]
//!
//! [[actions]]
//! name = "repair"
//! beta = 0.5
//! reward = [0.0, 0.0]
//! transition = [[1.0, 0.0], [1.0, 0.0]]
//! ```
//!
//! On the command line a file takes the place of a built-in name, and `-` reads the model from standard input:
//!
//! ```text
//! sporadic check machine.toml
//! sporadic solve machine.toml --names
//! sporadic learn machine.toml --oracle words:3 --episodes 1000 --out run
//! sporadic export river-swim --to toml > mine.toml
//! ```
//!
//! The first looks for mistakes and says what is in the model; the second finds the best that can be done (chapter [4](super::optimum)); in
//! the third Algorithm 1 learns (chapter [5](super::learning), which has what `words:3` means); the last writes a built-in model as a file
//! to start from.
//!
//! In sequences the actions are numbered from 0, in the order of the file: `20(1)` is repair, run, then inspect for ever. `--names`
//! prints `repair, run, (inspect)` instead, and wherever a sequence is asked for both are understood.
//!
//! Some models are made from others. [`acno`](crate::model::acno) turns any MDP into one in which
//! every action comes in two versions: one that never reveals the state, and one that always does, at a price. The
//! [`gallery`](crate::model::gallery) has the models of the paper and of related work.
//!
//! If your states are not finitely many, implement [`Environment`](crate::model::Environment), or make
//! one of closures with [`FromFns`](crate::model::FromFns): see chapter [7](super::continuous).
//!
//! Next: chapter 3, [values, sequences, psi](super::values).
