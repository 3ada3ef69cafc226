//! Command lines changed at random, as processes.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::tempdir;

use super::mutate::{EXTREMES, Mutator};
use super::{attack, cases};
use crate::common::program::program;

/// Commands that take no time, with something of every verb. DIR is a folder with the files below.
const COMMANDS: [&str; 12] = [
    "solve river-swim --states 3 --beta 0.5 --gamma 0.5 --gap 0.1 --time-limit 2 --json",
    "solve DIR/model.json --family runs:1,2 --json",
    "psi river-balance --states 4 --state s1 --sequence 1(01) --gamma 0.9 --json",
    "value DIR/model.json --policy DIR/policy.json --json",
    "check DIR/model.toml --beta 0.5 --gamma 0.9 --json",
    "check sensing-cost --cost 0.5",
    "export measuring-value --cost 0.1 --to json",
    "estimate DIR/model.json --samples 50 --estimator ridge:0.5,true --confidence 0.9 --family words:2 --seed 3 --json",
    "learn DIR/model.json --agent uniform --episodes 3 --seeds 2 --points 2 --seed 1 --threads 1 --checkpoint 15 --out DIR/out --json",
    "learn DIR/model.json --oracle words:2 --horizon 4 --lambda 0.1 --rho 3 --beyond constant --episodes 2 --seeds 1 --out DIR/out",
    "sweep DIR/spec.toml --shard 1/2 --threads 1 --out DIR/out --json",
    "sweep DIR/spec.toml --slurm 2 --threads 1 --checkpoint 15 --out DIR/out",
];

/// What arguments are replaced by, besides extreme numbers.
const OTHERS: [&str; 13] = [
    "",
    "-",
    "--",
    "--json",
    "--beta",
    "DIR",
    "DIR/none",
    "DIR/model.json",
    "DIR/latin.json",
    "s1",
    "(1)",
    "words:18446744073709551615",
    "\u{1b}[31m\n\n!",
];

fn prepare(dir: &Path) {
    let put = |name: &str, text: &[u8]| fs::write(dir.join(name), text).unwrap();
    let model = b"{\"gamma\": 0.5, \"states\": [\"s1\", \"s2\"], \"actions\": [{\"name\": \"a\", \"beta\": 0.5, \
        \"reward\": [0, 1], \"transition\": [[0.5, 0.5], [1, 0]]}, {\"name\": \"b\", \"beta\": 0, \
        \"reward\": [0, 1], \"transition\": [[0, 1], {\"s1\": 1}]}]}";
    put("model.json", model);
    put(
        "model.toml",
        b"gamma = 0.5\nstates = ['s1']\n[[actions]]\nname = 'a'\nbeta = 1\nreward = [1]\ntransition = [[1]]\n",
    );
    put("policy.json", b"{\"s1\": \"(0)\", \"s2\": \"1(01)\"}");
    put("latin.json", b"{\"gamma\": \xe9}");
    put(
        "spec.toml",
        b"episodes = 3\nseeds = 2\n[[models]]\nmodel = 'model.json'\n[[agents]]\nagent = 'uniform'\n",
    );
}

/// A command with one or two arguments left out, doubled or replaced; one argument a line.
fn command(m: &mut Mutator) -> String {
    let mut words: Vec<String> = m.pick(&COMMANDS).split(' ').map(str::to_owned).collect();
    for _ in 0..=m.below(4) / 3 {
        let mut i = m.below(words.len());
        if words[i].starts_with("--") && i + 1 < words.len() && m.below(3) > 0 {
            i += 1; // rather the value than the name of an option
        }
        let other = if m.below(3) == 0 { m.pick(&OTHERS) } else { m.pick(&EXTREMES) };
        match m.below(8) {
            0 if words.len() > 1 => {
                words.remove(i);
            }
            1 => words.insert(i, words[i].clone()),
            2 => words.insert(i, other.into()),
            _ => words[i] = other.into(),
        }
    }
    words.join("\u{1f}")
}

/// Runs a command, one argument a line, and judges its end; tells whether it succeeded.
fn keeps_the_rule(home: &Path, line: &str) -> bool {
    let place = home.to_str().unwrap();
    let words: Vec<String> = line.split('\u{1f}').map(|word| word.replace("DIR", place)).collect();
    let mut child = program()
        .args(&words)
        .current_dir(home)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("no answer within a minute: {words:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (mut out, mut told) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    if status.success() {
        if words.iter().any(|word| word == "--json") && words[0] != "export" {
            serde_json::from_str::<serde_json::Value>(&out).expect("one JSON document");
        }
        return true;
    }
    let io = told.contains("os error");
    assert!(status.code() == Some(2) || (io && status.code() == Some(1)), "{status}: {told}");
    assert_eq!(told.lines().count(), 1, "{words:?}: {told}");
    assert!(told.starts_with("sporadic: ") && told.len() > 15, "{words:?}: {told}");
    assert!(!told.trim_end().contains(char::is_control), "{words:?}: {told:?}");
    assert!(out.is_empty(), "{words:?} prints and then fails: {out}");
    false
}

#[test]
fn commands() {
    let dir = tempdir().unwrap();
    prepare(dir.path());
    for line in COMMANDS {
        let fresh = tempdir().unwrap();
        prepare(fresh.path());
        assert!(keeps_the_rule(fresh.path(), &line.replace(' ', "\u{1f}")), "{line}");
    }
    let home = dir.path().to_path_buf();
    attack("commands", (cases(60) / 100).max(60), command, move |line| keeps_the_rule(&home, line));
}
