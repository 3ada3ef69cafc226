//! Runs every example and pins what it prints.

use std::path::PathBuf;
use std::process::Command;

/// What `examples/<name>.rs` prints. Building all targets, as `cargo test` does, builds it first.
fn output(name: &str) -> String {
    let mut path: PathBuf = std::env::current_exe().expect("a test has a path");
    path.pop();
    path.pop();
    path.push("examples");
    path.push(name);
    let run = Command::new(&path).output().unwrap_or_else(|error| {
        panic!("{}: {error}; run `cargo build --examples` first", path.display())
    });
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("examples print text")
}

#[test]
fn quickstart() {
    insta::assert_snapshot!(output("quickstart"));
}

#[test]
fn own_environment() {
    insta::assert_snapshot!(output("own_environment"));
}

#[test]
fn own_features() {
    insta::assert_snapshot!(output("own_features"));
}

#[test]
fn dynamic_dimension() {
    insta::assert_snapshot!(output("dynamic_dimension"));
}

#[cfg(feature = "experiment")]
#[test]
fn figure() {
    insta::assert_snapshot!(output("figure"));
}
