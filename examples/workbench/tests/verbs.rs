//! The verbs know the kinds of this crate, and what is interrupted continues to the same bytes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_own-workbench")).args(args).output().expect("it starts")
}

fn succeed(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn help_has_the_parameters_of_ones_own_kinds() {
    let help = succeed(&["learn", "--help"]);
    for flag in ["--price", "--comfort", "--threshold", "win-more", "thermostat", "annealing:"] {
        assert!(help.contains(flag), "{flag}");
    }
}

#[test]
fn an_own_oracle_serves_our_learner_in_an_own_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let out = out.to_str().expect("a name");
    let table = succeed(&[
        "learn",
        "machine",
        "--price",
        "0.2",
        "--oracle",
        "annealing:20",
        "--horizon",
        "10",
        "--episodes",
        "20",
        "--seeds",
        "2",
        "--out",
        out,
    ]);
    assert!(table.starts_with("model"), "{table}");
    let summary = fs::read_to_string(Path::new(out).join("summary.json")).expect("a summary");
    assert!(summary.contains("own-workbench/annealing@1"), "{summary}");
}

#[test]
fn a_sweep_over_tables_and_a_continuous_world_survives_a_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = concat!(env!("CARGO_MANIFEST_DIR"), "/spec.toml");
    let path = |name: &str| folder.path().join(name).to_str().expect("a name").to_owned();
    succeed(&["sweep", spec, "--out", &path("straight")]);
    let mut killed = Command::new(env!("CARGO_BIN_EXE_own-workbench"))
        .args(["sweep", spec, "--checkpoint", "0", "--threads", "1", "--out", &path("killed")])
        .spawn()
        .expect("it starts");
    let is_json = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.path().extension() == Some("json".as_ref()))
    };
    let saved = || fs::read_dir(path("killed/checkpoints")).is_ok_and(|mut all| all.any(is_json));
    while !saved() {
        assert!(killed.try_wait().expect("a process").is_none(), "it ended without a checkpoint");
    }
    killed.kill().expect("it is ours");
    killed.wait().expect("it ends");
    succeed(&["sweep", spec, "--out", &path("killed")]);
    for name in ["curves.csv", "summary.json", "report.html"] {
        let read = |folder: &str| fs::read(path(&format!("{folder}/{name}"))).expect(name);
        assert!(read("straight") == read("killed"), "{name} differs");
    }
}

#[test]
fn a_mistake_is_named() {
    let output =
        run(&["learn", "thermostat", "--agent", "uniform", "--comfort", "3", "--out", "nowhere"]);
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("--comfort = 3: must be in [0, 1]"), "{stderr}");
}

#[test]
fn an_own_estimator_is_measured_against_the_truth_and_against_ours() {
    let help = succeed(&["estimate", "--help"]);
    assert!(help.contains("laplace:[PSEUDO]"), "{help}");
    let errors = |estimator: &str, samples: &str| {
        let answer = succeed(&[
            "estimate",
            "machine",
            "--samples",
            samples,
            "--estimator",
            estimator,
            "--json",
        ]);
        let field = |name: &str| {
            let at = answer.find(&format!("\"{name}\":")).expect("the field") + name.len() + 3;
            answer[at..].trim_start().split([',', '}', '\n']).next().expect("a value").to_owned()
        };
        (field("estimator"), field("matrices").parse::<f64>().expect("a number"))
    };
    assert_eq!(errors("laplace:0.5", "10").0, "\"laplace\"");
    let (_, little) = errors("laplace", "100");
    let (_, much) = errors("laplace", "100000");
    assert!(much < 0.2 * little, "{much} after 100000 samples, {little} after 100");
    // Pseudo-counts that vanish leave the frequencies, which is what ours are without a ridge.
    let (_, own) = errors("laplace:1e-9", "1000");
    let (_, ours) = errors("tabular:0", "1000");
    assert!((own - ours).abs() < 1e-9, "{own} and {ours}");
}

#[test]
fn a_mistake_about_an_estimator_is_named() {
    let mistake = |estimator: &str| {
        let output = run(&["estimate", "machine", "--samples", "9", "--estimator", estimator]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).expect("text")
    };
    let stderr = mistake("laplas");
    assert!(stderr.contains("laplace"), "{stderr}");
    let stderr = mistake("laplace:-1");
    assert!(stderr.contains("must be above 0 and finite"), "{stderr}");
}
