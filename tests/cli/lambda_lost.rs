//! Sweeps of agents that plan without a bonus: killed and resumed to the same bytes, and ended by an error when
//! Lambda^-1 is lost.
use std::fs;
use std::time::{Duration, Instant};

use crate::common::program::{assert_same, program, stdout, text};
use sporadic::experiment::{Runner, Spec};
use tempfile::tempdir;

/// Without a bonus and with a small ridge the values of bad candidates fall without bound, and did so right
/// after a restore.
const SPEC: &str = r#"
name = "greedy"
episodes = 240
seeds = 2
points = 60

[[models]]
model = "river-swim"
gamma = 0.99
beta = [0.2, 0.5]

[[agents]]
agent = "epsilon-greedy"
oracle = "runs:2,3"
horizon = 300
lambda = [1e-6, 1e-2]
"#;

#[test]
fn epsilon_greedy_killed_at_any_moment_continues() {
    let dir = tempdir().unwrap();
    let spec = dir.path().join("spec.toml");
    fs::write(&spec, SPEC).unwrap();
    let (undisturbed, disturbed) = (dir.path().join("undisturbed"), dir.path().join("disturbed"));
    let start = Instant::now();
    stdout(&["sweep", text(&spec), "--out", text(&undisturbed)]);
    let whole = start.elapsed();
    let (mut kills, mut resumed) = (0, 0);
    for i in 1..=8_u32 {
        // Moments spread over the run by a fixed irrational step.
        let share = (f64::from(i) * 0.618_034).fract();
        let mut child = program()
            .args(["sweep", text(&spec), "--out", text(&disturbed), "--checkpoint", "0"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole.mul_f64(0.4 * share).max(Duration::from_millis(3)));
        kills += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        resumed += fs::read_dir(disturbed.join("checkpoints")).map_or(0, Iterator::count);
    }
    assert!(kills >= 1 && resumed >= 1, "it was never in the middle");
    stdout(&["sweep", text(&spec), "--out", text(&disturbed)]);
    assert_same(&undisturbed, &disturbed);
}

#[test]
fn a_cell_whose_lambda_is_lost_ends_with_that_error() {
    for agent in ["lsvi-ucb", "epsilon-greedy"] {
        for (lambda, fine) in [("0.01", true), ("1e-18", false)] {
            let spec = format!(
                "episodes = 20\nseeds = 1\npoints = 2\n[[models]]\nmodel = 'river-swim'\ngamma = 0.9\n\
                 beta = 0.5\n[[agents]]\nagent = '{agent}'\noracle = 'runs:1,2'\nhorizon = 20\n\
                 lambda = {lambda}\n"
            );
            let experiment = Spec::from_toml(&spec)
                .unwrap()
                .expand(&sporadic::kinds::Registry::builtin(), "".as_ref())
                .unwrap();
            let dir = tempdir().unwrap();
            let result = Runner::new().run(&experiment, dir.path());
            assert_eq!(result.is_ok(), fine, "{agent} {lambda}");
            if let Err(error) = result {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                let sentence = format!("{error} {}", source.unwrap_or_default());
                assert!(sentence.contains("Lambda^-1 has lost its accuracy"), "{sentence}");
            }
        }
    }
}
