//! Every verb, from the outside.
use std::fs;

use crate::common::program::{json, refusal, sporadic, stdout, text};
use crate::common::published::{RIVER_BALANCE, RIVER_SWIM, assert_known};
use serde_json::Value;
use tempfile::tempdir;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn solve_brackets_the_optimum() {
    let answer = json(&["solve", "river-balance", "--beta", "0.5", "--gap", "0.05", "--json"]);
    assert_eq!(keys(&answer), ["gap", "seconds", "values"]);
    let rows = answer["values"].as_array().unwrap();
    assert_eq!(rows.len(), 6);
    assert_eq!(keys(&rows[0]), ["lower", "sequence", "state", "upper"]);
    assert_eq!(rows[0]["state"], "s1");
    let (lower, upper) = (rows[0]["lower"].as_f64().unwrap(), rows[0]["upper"].as_f64().unwrap());
    // The class optimum, a lower bound, is 79.9949.
    assert!(lower > 79.99 && upper >= lower && upper - lower <= 0.05, "{lower} {upper}");
    assert!(answer["gap"].as_f64().unwrap() <= 0.05);
    assert!(rows[0]["sequence"].as_str().unwrap().ends_with(')'));
}

#[test]
fn solve_within_a_family_is_exact() {
    let answer =
        json(&["solve", "river-balance", "--beta", "0.1", "--family", "runs:5,10", "--json"]);
    let first = &answer["values"][0];
    assert_eq!(first["lower"], first["upper"]);
    assert_known(first["lower"].as_f64().unwrap(), RIVER_BALANCE[1].1[0]);
    assert_eq!(first["sequence"], "1(111000)");
    assert_eq!(answer["gap"], 0.0);
}

#[test]
fn solve_prints_a_table() {
    insta::assert_snapshot!(stdout(&[
        "solve",
        "river-balance",
        "--beta",
        "0.2",
        "--family",
        "runs:5,10"
    ]));
}

#[test]
fn psi_is_one_hot_reward_half_first() {
    let psi = numbers(
        &json(&["psi", "river-swim", "--state", "s1", "--sequence", "(1)", "--json"])["psi"],
    );
    assert_eq!(psi.len(), 24);
    // gamma = 0.99 and beta = 0.1: the halves are (1-gamma) o / 2 and gamma beta o / 2.
    assert!((psi[12 + 1] / psi[1] - 0.099 / 0.01).abs() < 1e-9);
    // State-major: action 0 is never taken.
    assert!(psi.iter().step_by(2).all(|&x| x == 0.0));
    let mass: f64 = psi[..12].iter().sum();
    // Discounted time until the next sighting: 1 / (1 - gamma (1 - beta)).
    assert!((mass - 0.5 * 0.01 / (1.0 - 0.99 * 0.9)).abs() < 1e-12);
    insta::assert_snapshot!(stdout(&[
        "psi",
        "river-swim",
        "--state",
        "s1",
        "--sequence",
        "111(01)"
    ]));
}

#[test]
fn value_is_exact() {
    let dir = tempdir().unwrap();
    let policy = dir.path().join("policy.json");
    let states: Vec<String> = (1..=6).map(|s| format!("\"s{s}\": \"(1)\"")).collect();
    fs::write(&policy, format!("{{{}}}", states.join(", "))).unwrap();
    let answer = json(&["value", "river-swim", "--policy", text(&policy), "--json"]);
    let first = &answer["values"][0];
    assert_eq!(first["state"], "s1");
    assert_known(first["value"].as_f64().unwrap(), RIVER_SWIM[0]);
    insta::assert_snapshot!(stdout(&["value", "river-swim", "--policy", text(&policy)]));
}

#[test]
fn export_reads_back_and_is_sound() {
    let dir = tempdir().unwrap();
    let whole = stdout(&["export", "river-balance", "--beta", "0.3", "--to", "json"]);
    for to in ["json", "toml"] {
        let file = dir.path().join(format!("mine.{to}"));
        fs::write(&file, stdout(&["export", "river-balance", "--beta", "0.3", "--to", to]))
            .unwrap();
        assert_eq!(stdout(&["export", text(&file), "--to", "json"]), whole);
        let answer = json(&["check", text(&file), "--json"]);
        assert_eq!(answer["ok"], true);
        assert_eq!(answer["beta"], serde_json::json!([0.3, 0.3]));
    }
    let pomdp =
        stdout(&["export", "river-swim", "--beta", "0.25", "--states", "3", "--to", "pomdp"]);
    assert!(pomdp.contains("O: a-1 : s2 : none 0.75"));
}

#[test]
fn check_says_what_is_there() {
    insta::assert_snapshot!(stdout(&["check", "sensing-cost"]), @"
    sensing-cost is sound: 2 states, 4 actions, 16 transitions, gamma 0.5, rewards -1.1 to -0.25
    reveal probabilities: R: 0, R+look: 1, B: 0, B+look: 1
    198 rounds played twice from the same seed did not differ
    ");
}

#[test]
fn estimate_errs_less_than_its_bounds() {
    let answer = json(&[
        "estimate",
        "river-balance",
        "--beta",
        "0.3",
        "--gamma",
        "0.9",
        "--samples",
        "20000",
        "--json",
    ]);
    let all = ["bounds", "confidence", "errors", "estimator", "samples", "samples_needed"];
    assert_eq!(keys(&answer), all);
    let error = answer["errors"]["matrices"].as_f64().unwrap();
    let bounds = answer["bounds"].as_array().unwrap();
    assert_eq!(
        bounds.iter().map(|b| b["kind"].as_str().unwrap()).collect::<Vec<_>>(),
        ["lemma", "observed", "bootstrap"]
    );
    assert!(bounds.iter().all(|b| b["matrices"].as_f64().unwrap() > error));
    let again = stdout(&["estimate", "river-balance", "--samples", "500", "--seed", "3"]);
    assert_eq!(again, stdout(&["estimate", "river-balance", "--samples", "500", "--seed", "3"]));
    assert_ne!(again, stdout(&["estimate", "river-balance", "--samples", "500", "--seed", "4"]));
    // One sample is few, but no reason to fail.
    json(&["estimate", "river-swim", "--samples", "1", "--json"]);
}

#[test]
fn estimators_by_name_agree_where_they_are_the_same_thing() {
    let answer = |estimator: &str| {
        json(&["estimate", "river-swim", "--samples", "3000", "--estimator", estimator, "--json"])
    };
    let (counts, regression) = (answer("tabular:0.25"), answer("ridge:0.25"));
    assert_eq!(
        (&counts["estimator"], &regression["estimator"]),
        (&"tabular:0.25".into(), &"ridge:0.25".into())
    );
    for path in [
        "/errors/matrices",
        "/errors/psi",
        "/bounds/0/matrices",
        "/bounds/1/matrices",
        "/bounds/2/matrices",
    ] {
        let number = |answer: &Value| answer.pointer(path).and_then(Value::as_f64).unwrap();
        let (x, y) = (number(&counts), number(&regression));
        assert!((x - y).abs() <= 1e-9 * x, "{path}: {x} and {y}");
    }
    // What is known is not estimated, and its bound says so.
    let known = answer("tabular:lambda=1,known_beta=true");
    assert_eq!(known["estimator"], "tabular:1,true");
    assert_eq!((&known["errors"]["beta"], &known["bounds"][1]["beta"]), (&0.0.into(), &0.0.into()));
    let refused = refusal(&["estimate", "river-swim", "--samples", "9", "--estimator", "tabulr"]);
    assert!(refused.contains("tabular"), "{refused}");
    let refused = refusal(&["estimate", "river-swim", "--samples", "9", "--estimator", "ridge:-1"]);
    assert!(refused.contains("must be finite and at least 0"), "{refused}");
}

#[test]
fn learn_writes_curves_and_a_summary() {
    let dir = tempdir().unwrap();
    let out = dir.path().join("run");
    let args = [
        "learn",
        "river-swim",
        "--states",
        "3",
        "--gamma",
        "0.9",
        "--oracle",
        "runs:2,3",
        "--horizon",
        "10",
        "--rho",
        "5",
        "--episodes",
        "60",
        "--points",
        "6",
        "--seeds",
        "3",
        "--out",
        text(&out),
    ];
    let answer = json(&[&args[..], &["--json"]].concat());
    let group = &answer["groups"][0];
    assert_eq!(group["agent"]["agent"], "lsvi-ucb");
    assert_eq!(group["seeds"], 3);
    let class = group["class"].as_f64().unwrap();
    let (lower, upper) = (group["lower"].as_f64().unwrap(), group["upper"].as_f64().unwrap());
    assert!(class <= upper && lower <= upper);
    assert!(group["value"]["mean"].as_f64().unwrap() <= class + 1e-9);
    assert!(group["regret"]["mean"].as_f64().unwrap() >= 0.0);
    let csv = fs::read_to_string(out.join("curves.csv")).unwrap();
    assert_eq!(
        csv.lines().next(),
        Some(
            "model,beta,gamma,states,agent,beyond,horizon,lambda,oracle,rho,feedback,ending,seed,run,episodes,average,value,mean_policy_value,rounds,looks,gap"
        )
    );
    assert_eq!(csv.lines().count(), 1 + 3 * 6);
    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary, answer);
    // A second time there is nothing to do, and the same to say.
    insta::assert_snapshot!(stdout(&args));
}

#[test]
fn learn_with_an_oracle_that_searches() {
    let dir = tempdir().unwrap();
    for oracle in ["beam:4,10", "branch-and-bound:0.05", "branch-and-bound:0.05,200"] {
        let out = dir.path().join(oracle.replace([':', ',', '.'], "-"));
        let args = [
            "learn",
            "river-swim",
            "--states",
            "3",
            "--gamma",
            "0.8",
            "--horizon",
            "10",
            "--rho",
            "1",
            "--oracle",
            oracle,
            "--episodes",
            "20",
            "--seeds",
            "2",
            "--out",
            text(&out),
            "--json",
        ];
        let answer = json(&args);
        let group = &answer["groups"][0];
        assert_eq!(group["agent"]["oracle"], oracle);
        assert_eq!(group["seeds"], 2);
        assert!(group["class"].is_null(), "it is bound to no class");
        let value = group["value"]["mean"].as_f64().unwrap();
        assert!(value > 0.0 && value <= group["upper"].as_f64().unwrap() + 1e-9);
        let report = fs::read_to_string(out.join("report.html")).unwrap();
        assert!(report.contains(&format!("--oracle {oracle} ")), "how to run it again");
        // A second time there is nothing to do.
        assert_eq!(json(&args), answer);
    }
}

#[test]
fn reproduce_makes_the_figure() {
    let dir = tempdir().unwrap();
    let out = dir.path().join("figure");
    let args = ["reproduce", "--quick", "--episodes", "4", "--seeds", "2", "--out", text(&out)];
    let table = stdout(&args);
    for name in [
        "curves.csv",
        "summary.json",
        "riverswim.svg",
        "riverswim.png",
        "riverbalance.svg",
        "riverbalance.png",
        "riverswim-regret.svg",
        "riverbalance-regret.png",
        "report.html",
    ] {
        assert!(out.join(name).metadata().unwrap().len() > 0, "{name}");
    }
    // The paper's learner, then the one over all sequences.
    assert_eq!(table.lines().filter(|line| line.starts_with("river-")).count(), 16);
    let answer = json(&[&args[..], &["--json"]].concat());
    let betas: Vec<f64> =
        numbers(&answer["groups"].as_array().unwrap().iter().map(|g| g["beta"].clone()).collect());
    assert_eq!(betas, [0.05, 0.1, 0.2, 0.5, 0.05, 0.1, 0.2, 0.5]);
    assert_known(answer["groups"][5]["class"].as_f64().unwrap(), RIVER_BALANCE[1].1[0]);
}

#[test]
fn an_agent_is_shown_the_rewards_that_it_needs() {
    let dir = tempfile::tempdir().unwrap();
    let learn = |agent: &str| {
        let out = dir.path().join(agent);
        let args = ["learn", "inventory", "--agent", agent, "--episodes", "5", "--seeds", "1"];
        let answer = json(&[&args[..], &["--out", out.to_str().unwrap(), "--json"]].concat());
        answer["groups"][0]["feedback"].clone()
    };
    assert_eq!(learn("amrl-q"), "every-round");
    assert_eq!(learn("uniform"), "at-sightings");
}

#[test]
fn completions_and_version() {
    assert!(stdout(&["completions", "bash"]).contains("reproduce"));
    assert!(stdout(&["completions", "zsh"]).contains("#compdef sporadic"));
    assert_eq!(stdout(&["--version"]), format!("sporadic {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn nothing_but_the_document_on_standard_output() {
    let output = sporadic(&["check", "river-swim", "--json"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
    assert!(output.stderr.is_empty());
}
