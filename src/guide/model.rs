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
//! On the command line a file takes the place of a built-in name: `sporadic solve machine.toml`, `sporadic
//! learn machine.toml --out run`, and `-` reads the model from standard input. `sporadic check machine.toml` looks for mistakes and for
//! states that cannot be reached.
//!
//! Some models are made from others. [`acno`](crate::model::acno) turns any MDP into one in which
//! every action comes in two versions, one blind and one that looks at a price; the [`gallery`](crate::model::gallery) has
//! the models of the literature.
//!
//! If your states are not finitely many, implement [`Environment`](crate::model::Environment), or make
//! one of closures with [`FromFns`](crate::model::FromFns): see chapter [7](super::continuous).
