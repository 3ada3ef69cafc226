#[path = "suite/common/mod.rs"]
mod common;
#[path = "suite/schedules/mod.rs"]
mod schedules;
