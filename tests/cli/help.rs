//! The help, as it is read.
use crate::common::program::stdout;

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

/// The lines of a help text that are commands to try.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().map(str::trim);
    let is_command = |line: &&str| line.starts_with("sporadic ") || line.starts_with("echo ");
    let commands = lines
        .filter(is_command)
        .map(|line| line.split_once("  #").map_or(line, |(command, _)| command).trim().to_owned());
    commands.collect()
}

/// Runs a line as a shell would, in a folder.
fn shell(line: &str, folder: &std::path::Path) -> std::process::Output {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_sporadic"));
    let bin = program.parent().expect("a program is in a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("PATH", path);
    command.stdin(std::process::Stdio::null()).output().expect("there is a shell")
}

/// Every example of every help runs; those of `reproduce` take longer and have a test of their own.
#[test]
#[cfg(unix)]
fn every_example_runs() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = stdout(&["sweep", "--help"]);
    let spec = sweep.split("A spec:").nth(1).and_then(|rest| rest.split("Every list").next());
    std::fs::write(folder.path().join("spec.toml"), spec.expect("the help has a spec")).unwrap();
    let mut count = 0;
    let verbs =
        ["solve", "value", "psi", "estimate", "export", "check", "learn", "sweep", "report"];
    for verb in verbs {
        for line in examples(&stdout(&[verb, "--help"])) {
            let start = std::time::Instant::now();
            let run = shell(&line, folder.path());
            assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
            // Seconds, with room for a machine that is busy with other tests.
            assert!(start.elapsed().as_secs() < 120, "{line}: {:?}", start.elapsed());
            count += 1;
        }
    }
    for line in examples(&stdout(&["--help"])).iter().filter(|line| !line.contains("reproduce")) {
        // The first look has folders of its own.
        let run = shell(line, tempfile::tempdir().unwrap().path());
        assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
        count += 1;
    }
    assert!(count >= 20, "{count} examples");
    // What is worth seeing: two of the curves end near their optimum.
    let summary = std::fs::read_to_string(folder.path().join("run/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    for group in summary["groups"].as_array().unwrap() {
        let (value, best) = (&group["value"]["mean"], &group["class"]);
        assert!(value.as_f64().unwrap() > 0.95 * best.as_f64().unwrap(), "{group}");
    }
}

/// `cargo test --release --all-features --test cli help:: -- --ignored`: some minutes.
#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
#[cfg(unix)]
fn every_example_of_reproduce_runs() {
    let folder = tempfile::tempdir().unwrap();
    for line in examples(&stdout(&["reproduce", "--help"])) {
        let run = shell(&line, folder.path());
        assert!(run.status.success(), "{line}: {}", String::from_utf8_lossy(&run.stderr));
    }
}
