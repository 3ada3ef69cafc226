//! Schedules on the command line, in specifications and on the page.

use std::fs;

use crate::common::program::{json, refusal, stdout};

#[test]
fn verbs_take_schedules() {
    let sound = json(&["check", "river-balance", "--beta", "0,0,0.5", "--json"]);
    assert_eq!(sound["beta"], serde_json::json!([0.5, 0.5]));
    assert_eq!(sound["early_beta"], serde_json::json!([[0.0, 0.0], [0.0, 0.0]]));
    let same = json(&["check", "river-balance", "--beta", "at-least:3:0.5", "--json"]);
    assert_eq!(sound, same);
    let text = stdout(&["check", "river-balance", "--beta", "1=every:3"]);
    assert!(text.contains("0: 0.1, 1: 0,0,1"), "{text}");
    let mixed = json(&["check", "river-balance", "--beta", "0=0,0.25,1=0.5", "--json"]);
    assert_eq!(mixed["early_beta"], serde_json::json!([[0.0, 0.5]]));
    assert_eq!(mixed["beta"], serde_json::json!([0.25, 0.5]));

    let solved = ["solve", "river-balance", "--gamma", "0.9", "--beta", "every:4", "--json"];
    let best = json(&solved);
    let value = |key: &str| best["values"][0][key].as_f64().unwrap_or_else(|| panic!("{best}"));
    assert!(value("lower") <= value("upper") && value("upper") - value("lower") <= 1e-3);
    let exported = stdout(&["export", "river-balance", "--beta", "every:4", "--to", "pomdp"]);
    assert!(exported.contains("see-s1 ") && exported.contains("s6-3"));
    let file = stdout(&["export", "river-balance", "--beta", "every:4", "--to", "json"]);
    assert!(file.contains("\"beta\": [0.0,0.0,0.0,1.0]"), "{file}");
}

#[test]
fn refusals_name_the_value() {
    let said = |beta: &str| refusal(&["check", "river-balance", "--beta", beta]);
    assert!(said("0,0,2").contains("beta = 2 of action \"0\" at age 3 is not in [0, 1]"));
    assert!(said("0,,1").contains("one number per age as in 0,0,0.5"), "{}", said("0,,1"));
    assert!(said("every:0").contains("every:K"), "{}", said("every:0"));
    assert!(said("never:3").contains("every:K, at-least:K:B"));
}

/// Estimates know every age: the error of beta is that of the worst action at the worst age.
#[test]
fn estimates_have_ages() {
    for estimator in ["tabular", "ridge", "em"] {
        let said = |samples: &str| {
            let verb = ["estimate", "river-swim", "--states", "3", "--gamma", "0.8", "--json"];
            let which = ["--beta", "0.2,0,0.7", "--samples", samples, "--estimator", estimator];
            json(&[&verb[..], &which].concat())
        };
        let (few, many) = (said("300"), said("60000"));
        let error = |answer: &serde_json::Value, key: &str| answer["errors"][key].as_f64().unwrap();
        for key in ["matrices", "beta", "psi"] {
            assert!(error(&many, key) < error(&few, key), "{estimator} {key}: {few} {many}");
        }
        assert!(error(&many, "beta") < 0.03 && error(&few, "beta") > 0.0);
        let bound = many["bounds"].as_array().unwrap().iter().map(|b| b["beta"].as_f64().unwrap());
        assert!({ bound }.all(|bound| error(&many, "beta") <= bound), "{many}");
    }
    let known = ["estimate", "river-swim", "--beta", "every:2", "--samples", "50", "--json"];
    let known = json(&[&known[..], &["--estimator", "em:0.5,true"]].concat());
    assert_eq!(known["errors"]["beta"], 0.0);
}

/// Every way of knowing psi learns in worlds with schedules: the last policies are worth most of V*.
#[test]
fn agents_learn_psi_with_schedules() {
    for agent in [
        &["--psi", "online"][..],
        &["--psi", "online", "--continuation", "model"],
        &["--psi", "online", "--map", "normalized", "--psi-error", "1e-3", "--psi-bonus", "0.1"],
        &["--psi", "online", "--oracle", "beam:2,4"],
        &["--psi", "online", "--oracle", "adaptive:16"],
        &["--psi", "estimated:200"],
        &["--psi", "estimated:200", "--continuation", "model"],
        &["--psi", "estimated:200", "--oracle", "beam:2,4"],
        &["--agent", "certainty-equivalence", "--estimates", "em"],
        &["--agent", "certainty-equivalence", "--estimates", "em", "--plan", "solve"],
    ] {
        let world = ["learn", "river-balance", "--gamma", "0.8", "--beta", "0.2,0,0.7", "--json"];
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let length = ["--episodes", "200", "--seeds", "1", "--out", out];
        let mut all = [&world[..], &length, agent].concat();
        if !agent.contains(&"--oracle") {
            all.extend(["--oracle", "words:3"]);
        }
        if !agent.contains(&"--agent") {
            all.extend(["--horizon", "5"]);
        }
        let said = json(&all);
        let group = &said["groups"][0];
        let (value, best) = (group["value"]["mean"].as_f64(), group["upper"].as_f64().unwrap());
        let share = value.unwrap() / best;
        assert!((0.65..1.0 + 1e-9).contains(&share), "{agent:?}: {share} of V*");
    }
}

#[test]
fn sweeps_have_grids_of_schedules() {
    let folder = tempfile::tempdir().unwrap();
    let (spec, out) = (folder.path().join("spec.toml"), folder.path().join("out"));
    let text = "episodes = 20\nseeds = 2\n[[models]]\nmodel = \"river-balance\"\ngamma = 0.8\n\
                beta = [0.5, \"0,0,0.5\", \"every:3\", [0, 1]]\n\
                [[agents]]\nagent = \"lsvi-ucb\"\noracle = \"words:3\"\nhorizon = 5\n\
                psi = [\"exact\", \"online\", \"estimated:100\"]\n\
                [[agents]]\nagent = \"certainty-equivalence\"\noracle = \"words:3\"\n";
    fs::write(&spec, text).unwrap();
    let (spec, out) = (spec.to_str().unwrap(), out.to_str().unwrap());
    stdout(&["sweep", spec, "--out", out]);
    let page = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(page.contains("0,0,0.5") && page.contains("0,0,1"));
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(folder.path().join("out/summary.json")).unwrap())
            .unwrap();
    let groups = summary["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 16);
    // The number stands for constant reveal probabilities only.
    assert_eq!(groups.iter().filter(|group| group["beta"].is_number()).count(), 4);
    let curves = fs::read_to_string(folder.path().join("out/curves.csv")).unwrap();
    assert!(curves.contains("every:3"));
}
