//! The example of a figure writes what it says.

use std::path::PathBuf;
use std::process::Command;

#[test]
fn figure() {
    let mut example: PathBuf = std::env::current_exe().expect("a test has a path");
    example.pop();
    example.pop();
    example.push("examples/figure");
    let folder = tempfile::tempdir().expect("a folder");
    let run = Command::new(&example).arg(folder.path()).output().unwrap_or_else(|error| {
        panic!("{}: {error}; run `cargo build --all-features --examples` first", example.display())
    });
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect(name);
    assert!(read("figure.svg").starts_with(b"<svg "));
    assert!(read("figure.png").starts_with(b"\x89PNG"));
    let page = String::from_utf8(read("report.html")).expect("UTF-8");
    assert_eq!(page.matches("<figure ").count(), 2, "averages and regret");
    assert!(page.contains("certainty-equivalence") && page.contains("V* 0."), "table and figure");
    assert!(read("riverbalance.svg").starts_with(b"<svg "));
}
