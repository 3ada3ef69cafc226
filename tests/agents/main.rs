//! The agent layer: learners, baselines, and agents that learn psi online.

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

mod adaptive;
#[cfg(feature = "serde")]
mod checkpoints;
mod exact_regret;
mod lsvi_batched;
mod lsvi_bounds;
mod lsvi_general;
mod lsvi_literal;
mod lsvi_paper;
mod lsvi_regret;
mod lsvi_rewards;
mod lsvi_screening;
mod lsvi_searches;
mod lsvi_theory;
#[cfg(feature = "experiment")]
mod online;
#[cfg(feature = "experiment")]
mod published_agents;
mod random_play;
mod schedules;
#[cfg(feature = "serde")]
mod schedules_online;
