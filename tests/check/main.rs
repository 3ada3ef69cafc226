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

/// Some finding contains `expected`.
#[track_caller]
fn finds(findings: &Findings, expected: &str) {
    assert!(findings.to_string().contains(expected), "{expected}: {findings}");
}

/// A broken implementation is named after its fault; the one without a name is sound. Each of them
/// has exactly one finding, which contains the text beside the name.
#[track_caller]
fn finds_each(check: impl Fn(&'static str) -> Findings, faults: &[(&'static str, &str)]) {
    for (fault, expected) in faults {
        let findings = check(fault);
        assert_eq!(findings.as_slice().len(), 1, "{fault}: {findings}");
        finds(&findings, expected);
    }
    check("").assert();
}
