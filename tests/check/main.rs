//! Each check finds each kind of fault in a broken implementation, and none in what is built in.

mod agent;
#[cfg(feature = "serde")]
mod agents;
mod environment;
mod estimator;
mod features;
#[cfg(feature = "experiment")]
mod kinds;
mod oracle;

use sporadic::check::Findings;

/// Exactly one finding, which contains `expected`.
#[track_caller]
fn finds(findings: &Findings, expected: &str) {
    assert_eq!(findings.as_slice().len(), 1, "{expected}: {findings}");
    assert!(findings.to_string().contains(expected), "{expected}: {findings}");
}
