//! Chapter 8: estimating psi.
