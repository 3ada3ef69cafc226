//! Names that are long, or that would do something to a terminal, a shell or a spreadsheet.
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{program, sporadic, stdout, text, tree};
use tempfile::tempdir;

/// A model of two states and two actions, under the names given.
fn model(folder: &Path, file: &str, name: &str, state: &str, action: &str) -> PathBuf {
    let model = serde_json::json!({
        "name": name,
        "gamma": 0.5,
        "states": [state, "s2"],
        "initial": {state: 1.0},
        "actions": [
            {"name": action, "beta": 0.5, "reward": [0, 1], "transition": [[0.5, 0.5], [1, 0]]},
            {"name": "stay", "beta": 0.5, "reward": [0.5, 0], "transition": [[1, 0], [0, 1]]},
        ],
    });
    let path = folder.join(file);
    fs::write(&path, model.to_string()).unwrap();
    path
}

const SHORT: [&str; 6] = ["--episodes", "3", "--seeds", "2", "--agent", "uniform"];

#[test]
fn long_names_and_small_numbers_reach_the_end() {
    let dir = tempdir().unwrap();
    let (name, file) = ("n".repeat(225), "f".repeat(240) + ".json");
    let model = model(dir.path(), &file, &name, &"s".repeat(300), &"a".repeat(300));
    let out = dir.path().join("out");
    for beta in ["1e-300", "0.30000000000000004"] {
        let _ = fs::remove_dir_all(&out);
        stdout(
            &[&["learn", text(&model), "--beta", beta, "--out", text(&out)], &SHORT[..]].concat(),
        );
        let longest = tree(&out).into_keys().map(|name| name.len()).max();
        assert!(longest.unwrap() < 150, "{longest:?}");
    }
    // The regularised learner has a regret, so one figure more.
    let _ = fs::remove_dir_all(&out);
    let learner = ["--episodes", "3", "--seeds", "1", "--oracle", "runs:1,1", "--horizon", "3"];
    stdout(&[&["learn", text(&model), "--out", text(&out)], &learner[..]].concat());
    assert!(out.join("f".repeat(40) + "-regret.svg").exists());

    let spec = dir.path().join("spec.toml");
    let long = format!(
        "name = '{name}'\nepisodes = 2\nseeds = 1\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'"
    );
    fs::write(&spec, long).unwrap();
    let script = stdout(&["sweep", text(&spec), "--slurm", "1", "--out", text(&out)]);
    assert!(script.contains(&format!("--output={}-%a.log\n", "n".repeat(40))), "{script}");
}

/// Everything a terminal could obey; only line ends and tabs are wanted.
fn assert_tame(bytes: &[u8], what: &str) {
    let text = std::str::from_utf8(bytes).expect("text");
    let wild = text.chars().find(|&c| {
        c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c)
    });
    assert_eq!(wild, None, "{what}: {text:?}");
    assert!(!text.lines().any(|line| line.starts_with("fake")), "{what}: {text:?}");
}

#[test]
fn control_characters_stay_in_the_files() {
    let dir = tempdir().unwrap();
    let evil = "e\u{1b}[2J\u{9b}1m\u{202e}\u{7f}\r\nfake line";
    let file = model(dir.path(), "evil.json", evil, evil, evil);
    let (file, out) = (text(&file), dir.path().join("out"));
    let policy = dir.path().join("policy.json");
    fs::write(&policy, serde_json::json!({ evil: "(0)", "s2": "(1)" }).to_string()).unwrap();
    let bad = dir.path().join("bad.json");
    fs::write(&bad, serde_json::json!({ "s3\u{1b}[2J\nfake": "(0)" }).to_string()).unwrap();
    let spec = dir.path().join("spec.toml");
    let name = r#""e\u001b[2J\u009b1m\u202e\u007f\r\nfake line/no.json""#;
    let content = format!(
        "name = {name}\nepisodes = 2\nseeds = 1\n[[models]]\nmodel = {name}\n[[agents]]\nagent = 'uniform'"
    );
    fs::write(&spec, content).unwrap();
    let learn = [&["learn", file, "--out", text(&out)], &SHORT[..]].concat();
    let learn_json = [&learn[..], &["--json"]].concat();
    let runs: Vec<Vec<&str>> = vec![
        vec!["check", file],
        vec!["check", file, "--json"],
        vec!["solve", file],
        vec!["solve", file, "--json"],
        vec!["value", file, "--policy", text(&policy)],
        vec!["value", file, "--policy", text(&policy), "--json"],
        vec!["value", file, "--policy", text(&bad)],
        vec!["psi", file, "--state", evil, "--sequence", "(1)"],
        vec!["psi", file, "--state", "s\u{1b}]0;title\u{7}\nfake", "--sequence", "(1)"],
        vec!["estimate", file, "--samples", "10"],
        vec!["solve", "no\u{1b}[31m\nfake"],
        vec!["solve", "river-swim", "--beta", "\u{1b}[31m\nfake"],
        vec!["solve", "river-swim", "--\u{1b}[31m\nfake"],
        vec!["sweep", text(&spec), "--out", text(&out)],
        vec!["report", "no\u{1b}[31m\nfake"],
        learn,
        learn_json,
    ];
    for args in &runs {
        let output = sporadic(args);
        assert_tame(&output.stdout, &format!("{args:?}"));
        assert_tame(&output.stderr, &format!("{args:?}"));
        assert!(!(output.stdout.is_empty() && output.stderr.is_empty()));
    }
    // What is printed for a program still means the same.
    let answer: serde_json::Value = serde_json::from_str(&stdout(&runs[1])).unwrap();
    assert_eq!(answer["name"], evil);
    let exported = dir.path().join("exported.toml");
    fs::write(&exported, stdout(&["export", file, "--to", "toml"])).unwrap();
    assert_eq!(stdout(&["check", text(&exported)]), stdout(&["check", file]));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!page.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
}

#[test]
fn no_cell_of_the_curves_is_a_formula() {
    let dir = tempdir().unwrap();
    let names = ["=1+1.json", "+1.json", "-1.json", "@SUM(A1).json", "plain.json"];
    let mut spec = "episodes = 2\nseeds = 1\n[[agents]]\nagent = 'uniform'\n".to_owned();
    for name in names {
        model(dir.path(), name, name, "s1", "go");
        spec.extend(["[[models]]\nmodel = '", name, "'\n"]);
    }
    fs::write(dir.path().join("spec.toml"), spec).unwrap();
    let run = program().current_dir(&dir).args(["sweep", "spec.toml"]).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let curves = fs::read_to_string(dir.path().join("spec/curves.csv")).unwrap();
    let mut firsts: Vec<&str> =
        curves.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    firsts.dedup();
    let expected = ["'=1+1.json", "'+1.json", "'-1.json", "'@SUM(A1).json", "plain.json"];
    assert_eq!(firsts, expected);
}
