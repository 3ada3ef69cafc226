//! The command line, started as a user starts it.
#![cfg(feature = "cli")]

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

mod errors;
mod fuzz;
mod help;
mod names;
mod schedules;
mod shared_folder;
mod solve;
mod sweep;
mod verbs;
