//! The feature and oracle layers: psi, its bounds, and searches over sequences.

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

mod augmented_states;
mod oracle_certificates;
mod oracle_objectives;
mod oracle_planning;
mod oracles;
mod psi;
mod psi_bounds;
mod reference;
mod schedules;
