//! The help, as it is read.
#![cfg(feature = "cli")]

use crate::cli_common::stdout;

#[test]
fn help_teaches() {
    insta::assert_snapshot!("help", stdout(&["--help"]));
    for verb in [
        "reproduce",
        "solve",
        "psi",
        "value",
        "learn",
        "estimate",
        "export",
        "check",
        "sweep",
        "report",
        "completions",
    ] {
        let help = stdout(&[verb, "--help"]);
        assert!(help.contains("Example"), "{verb} has no example");
        insta::assert_snapshot!(format!("help_{verb}"), help);
    }
}
