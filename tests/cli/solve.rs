//! `solve` and `value` on models at the edge of what numbers can say.

use std::fs;
use std::path::Path;

use crate::common::program::{json, refusal, stdout};

/// A file with two states and two actions, all rewards times `reward`.
fn model(dir: &Path, reward: &str, gamma: &str) -> String {
    let path = dir.join(format!("model{reward}.json"));
    let text = format!(
        r#"{{"gamma": {gamma}, "states": ["s1", "s2"], "actions": [
            {{"name": "0", "beta": 0.1, "reward": [{reward}, 0.0], "transition": [[0.3, 0.7], [0.6, 0.4]]}},
            {{"name": "1", "beta": 0.3, "reward": [0.0, {reward}], "transition": [[0.1, 0.9], [1.0, 0.0]]}}]}}"#
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn policy(dir: &Path) -> String {
    let path = dir.join("policy.json");
    fs::write(&path, r#"{"s1": "(1)", "s2": "0(1)"}"#).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn overflowing_values_are_refused_by_every_verb_in_the_same_words() {
    let dir = tempfile::tempdir().unwrap();
    let (model, policy) = (model(dir.path(), "1e308", "0.99"), policy(dir.path()));
    let sentences = [
        refusal(&["solve", &model, "--json"]),
        refusal(&["solve", &model, "--family", "runs:2,2", "--json"]),
        refusal(&["value", &model, "--policy", &policy, "--json"]),
    ];
    for sentence in &sentences {
        assert_eq!(sentence, &sentences[0]);
        assert!(sentence.contains("the reward 1e308 of action"), "{sentence}");
    }
}

#[test]
fn large_and_small_values_are_answered() {
    let dir = tempfile::tempdir().unwrap();
    let policy = policy(dir.path());
    for reward in ["1e90", "1e-310", "5e-324"] {
        let model = model(dir.path(), reward, "0.99");
        let (solved, family) = (
            json(&["solve", &model, "--gap", "1e-310", "--time-limit", "1", "--json"]),
            json(&["solve", &model, "--family", "runs:5,10", "--json"]),
        );
        let valued = json(&["value", &model, "--policy", &policy, "--json"]);
        for s in 0..2 {
            let [lower, upper] =
                ["lower", "upper"].map(|of| solved["values"][s][of].as_f64().unwrap());
            let class = family["values"][s]["lower"].as_f64().unwrap();
            let value = valued["values"][s]["value"].as_f64().unwrap();
            // Multiples of 5e-324 are what smaller numbers are rounded to.
            let rounding = 1e-9 * upper.abs() + f64::from_bits(2);
            assert!(lower <= upper && value <= upper + rounding && class <= upper + rounding);
            assert!(value <= class + rounding && class > 0.0, "{reward}: {value} {class}");
        }
        let table = stdout(&["solve", &model, "--gap", "1e-310", "--time-limit", "1"]);
        assert!(table.lines().all(|line| line.len() < 200), "{table}");
    }
}

#[test]
fn the_time_limit_reaches_families() {
    let few = ["solve", "river-swim", "--states", "3000", "--family", "runs:5,10"];
    let answer = json(&[&few[..], &["--time-limit", "0", "--json"]].concat());
    assert!(answer["gap"].as_f64().unwrap() > 0.0, "without any time nothing is exact");
    assert_eq!(answer["values"].as_array().unwrap().len(), 3000);
}
