//! Against numbers of an independent implementation: `tests/reference/atst.py` computes psi, R and
//! PV by their defining series in extended precision; `make_fixtures.py` beside it wrote the file.

use crate::common::dense;
use approx::assert_abs_diff_eq;
use serde_json::Value;
use sporadic::features::{LinearModel, SequenceFeatures, TabularPsi};
use sporadic::model::{Tabular, gallery};
use sporadic::planning::{Staged, class_optimum, evaluate};
use sporadic::sequence::{ActionSequence, runs};

fn fixtures() -> Value {
    serde_json::from_str(include_str!("../reference/fixtures.json")).expect("the fixture is JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn numbers(value: &Value) -> Vec<f64> {
    list(value).iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn sequence(value: &Value) -> ActionSequence {
    value.as_str().expect("a sequence").parse().expect("a sequence")
}

/// The file has P[s][a][s'] and r[s][a].
fn model(value: &Value) -> Tabular<f64> {
    let (p, r) = (list(&value["P"]), list(&value["r"]));
    let mut builder = Tabular::builder(value["gamma"].as_f64().unwrap());
    for (a, beta) in numbers(&value["beta"]).into_iter().enumerate() {
        let reward: Vec<f64> = r.iter().map(|row| row[a].as_f64().unwrap()).collect();
        builder = builder.action(a.to_string(), beta, reward, p.iter().map(|row| numbers(&row[a])));
    }
    builder.build().unwrap()
}

#[test]
fn canonical_forms() {
    for case in list(&fixtures()["canonical"]) {
        let text = |key: &str| case[key].as_str().unwrap().to_string();
        let seq: ActionSequence =
            format!("{}({})", text("prefix"), text("period")).parse().unwrap();
        assert_eq!(seq.to_string(), text("canonical"));
    }
}

#[test]
fn the_family_of_the_experiments_in_order() {
    let fixtures = fixtures();
    let members: Vec<_> = list(&fixtures["family"]["members"]).iter().map(sequence).collect();
    assert_eq!(members, runs(2, 5, 10).collect::<Vec<_>>());
}

#[test]
fn psi_reward_and_continuation() {
    let mut compared = 0;
    for block in list(&fixtures()["psi"]) {
        let model = model(&block["model"]);
        let values = numbers(&block["V"]);
        let weights = LinearModel::one_hot(&model).value_vector(model.gamma(), |&s| values[s]);
        let d = model.num_states() * model.num_actions();
        let fast = TabularPsi::new(model.clone());
        let general = dense(&model);
        for case in list(&block["cases"]) {
            let seq = sequence(&case["sequence"]);
            let (rewards, continuations) = (numbers(&case["R"]), numbers(&case["PV"]));
            for (s, expected) in list(&case["psi"]).iter().enumerate() {
                let (a, b) = (fast.psi(&s, &seq), general.psi(&s, &seq));
                for (i, &x) in numbers(expected).iter().enumerate() {
                    assert_abs_diff_eq!(a[i], x, epsilon = 1e-12);
                    assert_abs_diff_eq!(b[i], x, epsilon = 1e-12);
                    compared += 1;
                }
                // R and PV reach 100: twelve digits of them.
                let half = |from: usize| a.rows(from, d).dot(&weights.rows(from, d));
                assert_abs_diff_eq!(half(0), rewards[s], epsilon = 1e-9);
                assert_abs_diff_eq!(half(d), continuations[s], epsilon = 1e-9);
            }
        }
    }
    assert!(compared > 3_000, "the fixture shrank to {compared} numbers");
}

#[test]
fn class_optima() {
    let family: Vec<_> = runs(2, 5, 10).collect();
    for case in list(&fixtures()["class_optimum"]) {
        let beta = case["beta"].as_f64().unwrap();
        let model = match case["environment"].as_str().unwrap() {
            "river_swim" => gallery::river_swim(6, beta, 0.99),
            _ => gallery::river_balance(6, beta, 0.99),
        };
        let best = class_optimum(&model.unwrap(), &family).unwrap();
        for (s, &v) in numbers(&case["V"]).iter().enumerate() {
            assert_abs_diff_eq!(best.values[s], v, epsilon = 1e-9);
            assert_eq!(best.policy[s], sequence(&case["best"][s]["sequence"]));
        }
    }
}

#[test]
fn values_of_burst_dependent_policies() {
    let fixtures = fixtures();
    for case in list(&fixtures["policies"]) {
        let block = list(&fixtures["psi"]).iter().find(|b| b["name"] == case["model"]).unwrap();
        let stages: Vec<Vec<_>> = list(&case["rows"])
            .iter()
            .map(|row| list(row).iter().map(sequence).collect())
            .collect();
        let repeat = usize::try_from(case["tail_row"].as_u64().unwrap()).unwrap() + 1;
        let values =
            evaluate(&model(&block["model"]), &Staged::new(stages, repeat).unwrap()).unwrap();
        for (a, b) in values.iter().zip(numbers(&case["V"])) {
            assert_abs_diff_eq!(*a, b, epsilon = 1e-9);
        }
    }
}
