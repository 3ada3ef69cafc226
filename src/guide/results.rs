//! The results: what was measured with this library, with the command that makes every table and figure again.
//!
//! <style>.docblock svg { max-width: 100%; height: auto; }</style>
//!
#![doc = include_str!("../../docs/results/about.md")]
//!
#![doc = include_str!("../../docs/results/paper.md")]
//!
#![doc = include_str!("../../docs/riverswim.svg")]
//!
#![doc = include_str!("../../docs/riverbalance.svg")]
//!
#![doc = include_str!("../../docs/riverbalance-adaptive-regret.svg")]
//!
#![doc = include_str!("../../docs/results/all-sequences.md")]
//!
#![doc = include_str!("../../docs/all-sequences-regret.svg")]
//!
#![doc = include_str!("../../docs/results/online.md")]
//!
#![doc = include_str!("../../docs/online-regret.svg")]
//!
#![doc = include_str!("../../docs/results/schedules.md")]
//!
#![doc = include_str!("../../docs/schedules.svg")]
//!
#![doc = include_str!("../../docs/results/neighbours.md")]
//!
#![doc = include_str!("../../docs/neighbours.svg")]
