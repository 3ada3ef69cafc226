//! One file per verb.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod estimate;
pub(crate) mod export;
pub(crate) mod learn;
pub(crate) mod psi;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod solve;
pub(crate) mod sweep;
pub(crate) mod value;
