//! The model layer: models, their files, the gallery, schedules, and the protocol of an episode.

#[allow(dead_code)] // each program uses a part of it
#[path = "../common/mod.rs"]
mod common;

mod errors;
#[cfg(feature = "serde")]
mod files;
mod frozen_lake_and_inventory;
mod functions;
mod gallery;
mod pomdp;
mod protocol;
#[cfg(feature = "serde")]
mod schedules;
