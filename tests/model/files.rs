//! Model files: what is written reads back, and what is wrong is named.

use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::model::gallery::{RandomTabular, measuring_value, random_tabular, river_swim};
use sporadic::model::{FileError, ModelError, Tabular};

const GOOD: &str = r#"{
  "name": "two",
  "gamma": 0.9,
  "states": ["s1", "s2"],
  "initial": {"s1": 0.25, "s2": 0.75},
  "actions": [
    {"name": "a", "beta": 0.5, "reward": [0, 1], "transition": [[0.5, 0.5], [1, 0]]},
    {"name": "b", "beta": 1, "reward": [0.1, 0.2], "transition": [{"s2": 1}, [0.3, 0.7]]}
  ]
}"#;

fn json(text: &str) -> Result<Tabular<f64>, FileError> {
    Tabular::from_json(text)
}

/// The message after replacing a piece of the good file.
fn message(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    json(&GOOD.replacen(old, new, 1)).unwrap_err().to_string()
}

fn round_trips<T: Real>(model: &Tabular<T>) {
    let json = model.to_json().unwrap();
    assert_eq!(&Tabular::from_json(&json).unwrap(), model, "{json}");
    let toml = model.to_toml().unwrap();
    assert_eq!(&Tabular::from_toml(&toml).unwrap(), model, "{toml}");
    let derived = serde_json::to_string(model).unwrap();
    assert_eq!(&serde_json::from_str::<Tabular<T>>(&derived).unwrap(), model);
}

#[test]
fn a_good_file_reads() {
    let model = json(GOOD).unwrap();
    assert_eq!(model.name(), "two");
    assert_eq!(model.initial_distribution(), [0.25, 0.75]);
    assert_eq!(model.row(0, 1).collect::<Vec<_>>(), [(1, 1.0)]);
    round_trips(&model);
    let single = Tabular::<f32>::from_json(GOOD).unwrap();
    round_trips(&single);
}

#[test]
fn name_and_initial_may_be_left_out() {
    let text = GOOD
        .replace("\"name\": \"two\",", "")
        .replace("\"initial\": {\"s1\": 0.25, \"s2\": 0.75},", "");
    let model = json(&text).unwrap();
    assert_eq!((model.name(), model.initial_distribution()), ("", &[1.0, 0.0][..]));
    let named = GOOD.replace("{\"s1\": 0.25, \"s2\": 0.75}", "\"s2\"");
    assert_eq!(json(&named).unwrap().initial_distribution(), [0.0, 1.0]);
}

#[test]
fn files_are_laid_out_for_reading() {
    let model = measuring_value(0.1, 0.5).unwrap();
    let text = model.to_json().unwrap();
    let start: Vec<&str> = text.lines().take(15).collect();
    insta::assert_snapshot!(start.join("\n"), @r##"
    {
      "name": "measuring-value",
      "gamma": 0.5,
      "states": ["s0","s+","s-","end"],
      "initial": "s0",
      "actions": [
        {
          "name": "a0",
          "beta": 0.0,
          "reward": [0.0,1.0,0.0,0.0],
          "transition": [
            [0.0,0.8,0.2,0.0],
            [0.0,0.0,0.0,1.0],
            [0.0,0.0,0.0,1.0],
            [0.0,0.0,0.0,1.0]
    "##);
    insta::assert_snapshot!(json(GOOD).unwrap().to_toml().unwrap(), @r##"
    name = "two"
    gamma = 0.9
    states = ["s1", "s2"]

    [initial]
    s1 = 0.25
    s2 = 0.75

    [[actions]]
    name = "a"
    beta = 0.5
    reward = [0.0, 1.0]
    transition = [[0.5, 0.5], [1.0, 0.0]]

    [[actions]]
    name = "b"
    beta = 1.0
    reward = [0.1, 0.2]
    transition = [[0.0, 1.0], [0.3, 0.7]]
    "##);
}

#[test]
fn faults_of_form_are_placed() {
    let cases = [
        ("[0.1, 0.2]", "[0.1, \"x\"]"),
        ("\"gamma\": 0.9", "\"gamma\": true"),
        ("\"gamma\": 0.9,", ""),
        ("\"gamma\": 0.9,", "\"gamma\": 0.9, \"gamma\": 0.9,"),
        ("\"beta\": 1", "\"delta\": 1"),
        ("[1, 0]", "[1, null]"),
        ("[1, 0]", "3"),
        ("{\"s2\": 1}", "{\"s2\": []}"),
        ("{\"s1\": 0.25, \"s2\": 0.75}", "7"),
        ("\"gamma\": 0.9", "\"gamma\": NaN"),
        ("\"gamma\": 0.9", "\"gamma\": 1e999"),
        ("0.7]]}\n  ]\n}", "0.7]]}\n  ]\n"),
        ("0.7]]}\n  ]\n}", "0.7]]}\n  ]\n} x"),
    ];
    let text: Vec<String> = cases.iter().map(|(old, new)| message(old, new)).collect();
    insta::assert_snapshot!(text.join("\n"), @r##"
    JSON line 8, column 48, field actions[1].reward[1]: invalid type: string "x", expected f64
    JSON line 3, column 15, field gamma: invalid type: boolean `true`, expected f64
    JSON line 10, column 1: missing field `gamma`
    JSON line 3, column 23: duplicate field `gamma`
    JSON line 8, column 25, field actions[1].delta: unknown field `delta`, expected one of `name`, `beta`, `reward`, `transition`
    JSON line 7, column 84, field actions[0].transition[1][1]: invalid type: null, expected f64
    JSON line 7, column 77, field actions[0].transition[1]: invalid type: integer `3`, expected a list of probabilities or a map from names to probabilities
    JSON line 8, column 73, field actions[1].transition[0].s2: invalid type: sequence, expected f64
    JSON line 5, column 14, field initial: invalid type: integer `7`, expected a state's name or a map from names to probabilities
    JSON line 3, column 12, field gamma: expected value
    JSON line 3, column 16, field gamma: number out of range
    JSON line 10, column 0: EOF while parsing an object
    JSON line 10, column 3: trailing characters
    "##);
}

#[test]
fn faults_of_content_are_named() {
    let cases = [
        ("[0.5, 0.5]", "[0.5, 0.4]"),
        ("[0.5, 0.5]", "[0.5]"),
        ("[0.5, 0.5]", "[]"),
        ("{\"s2\": 1}", "{\"s3\": 1}"),
        ("{\"s2\": 1}", "{\"s2\": 0.5, \"s2\": 0.5}"),
        ("{\"s1\": 0.25, \"s2\": 0.75}", "\"s9\""),
        ("[\"s1\", \"s2\"]", "[\"s1\", \"s2\", \"s2\"]"),
    ];
    let text: Vec<String> = cases.iter().map(|(old, new)| message(old, new)).collect();
    insta::assert_snapshot!(text.join("\n"), @r##"
    the transition probabilities of action "a" in state "s1" sum to 0.9, not to 1
    field actions[0].transition[0]: the list of next states has 1 entries where 2 are needed
    field actions[0].transition[0]: the list of next states has 0 entries where 2 are needed
    field actions[1].transition[0]: there is no state named "s3" (there are s1, s2)
    field actions[1].transition[0]: there are two states named "s2"
    field initial: there is no state named "s9" (there are s1, s2)
    field states: there are two states named "s2"
    "##);
}

#[test]
fn toml_with_nan_or_infinity_is_refused() {
    let good = json(GOOD).unwrap().to_toml().unwrap();
    let read = |old: &str, new: &str| {
        assert!(good.contains(old), "{old} not in {good}");
        Tabular::<f64>::from_toml(&good.replacen(old, new, 1)).unwrap_err()
    };
    for bad in ["nan", "inf", "-inf"] {
        let gamma = read("gamma = 0.9", &format!("gamma = {bad}"));
        assert!(matches!(gamma, FileError::Model(ModelError::Discount(_))), "{gamma}");
        let reward = read("[0.1, 0.2]", &format!("[0.1, {bad}]"));
        assert!(matches!(reward, FileError::Model(ModelError::Reward { .. })), "{reward}");
        let row = read("[0.3, 0.7]", &format!("[0.3, {bad}]"));
        assert!(matches!(row, FileError::Model(ModelError::Probability { .. })), "{row}");
    }
    let text = [
        read("[0.1, 0.2]", "[0.1, \"x\"]"),
        read("gamma = 0.9", "gamma = "),
        read("gamma = 0.9", "gamma = 0.9\ncolour = 3"),
        read("[0.3, 0.7]", "[0.3, {}]"),
    ]
    .map(|fault| fault.to_string());
    insta::assert_snapshot!(text.join("\n"), @r##"
    TOML line 18, column 16, field actions[1].reward[1]: invalid type: string "x", expected f64
    TOML line 2, column 9: string values must be quoted, expected literal string
    TOML line 3, column 1, field colour: unknown field `colour`, expected one of `name`, `gamma`, `states`, `initial`, `actions`
    TOML line 19, column 33, field actions[1].transition[1][1]: invalid type: map, expected f64
    "##);
}

#[test]
fn paths_are_named_and_files_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let swim = river_swim(6, 0.1, 0.99).unwrap();
    for name in ["swim.json", "swim.toml"] {
        let path = folder.path().join(name);
        std::fs::write(&path, "old").unwrap();
        let error = Tabular::<f64>::from_path(&path).unwrap_err();
        assert!(matches!(error, FileError::InFile { .. }));
        assert!(error.to_string().contains(name), "{error}");
        swim.write(&path).unwrap();
        assert_eq!(Tabular::<f64>::from_path(&path).unwrap(), swim);
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "no temporary file stays behind");

    let missing = folder.path().join("missing.json");
    assert!(matches!(Tabular::<f64>::from_path(&missing), Err(FileError::Io { .. })));
    let nowhere = folder.path().join("no/such/folder.json");
    assert!(matches!(swim.write(&nowhere), Err(FileError::Io { .. })));
    for name in ["swim", "swim.yaml", ".json"] {
        let path = folder.path().join(name);
        assert!(matches!(Tabular::<f64>::from_path(&path), Err(FileError::Extension { .. })));
        assert!(matches!(swim.write(&path), Err(FileError::Extension { .. })));
    }
}

#[test]
fn large_models_are_written_sparsely() {
    let chain = river_swim(2_000, 0.1, 0.99).unwrap();
    let text = chain.to_json().unwrap();
    assert!(text.len() < 400_000, "{}", text.len());
    assert!(text.contains("{\"s1\":0.05,\"s2\":0.6,\"s3\":0.35}"));
    round_trips(&chain);
    round_trips(&river_swim(33, 0.1_f32, 0.99).unwrap());
}

#[test]
fn long_dense_rows_are_not_scaled_twice() {
    let n = 3_000_u32;
    let sum = f64::from(n * (n + 1) / 2) * (1.0 + 1e-6);
    let initial: Vec<f64> = (1..=n).map(|i| f64::from(i) / sum).collect();
    let stay = (0..n as usize).map(|s| vec![(s, 1.0)]);
    let model = Tabular::builder(0.9)
        .initial(initial)
        .sparse_action("a", 0.5, vec![0.0; n as usize], stay)
        .build()
        .unwrap();
    round_trips(&model);
}

fn random<T: Real>(seed: u64, [states, actions, k]: [usize; 3], gamma: T) -> Tabular<T> {
    let beta = T::zero()..=T::one();
    let shape = RandomTabular { states, actions, branching: k.min(states), gamma, beta };
    random_tabular(&mut Pcg64::new(seed.into(), 0), &shape).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_models_round_trip(
        seed: u64, n in 1_usize..50, m in 1_usize..4, k in 1_usize..50, gamma in 0.01..0.99,
    ) {
        round_trips(&random::<f64>(seed, [n, m, k], gamma));
        round_trips(&random::<f32>(seed, [n, m, k], 0.3));
    }

    #[test]
    fn every_finite_reward_keeps_its_bits(bits in prop::collection::vec(any::<u64>(), 200)) {
        let mut rewards = vec![-0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.1 + 0.2];
        rewards.extend(bits.into_iter().map(f64::from_bits).filter(|r| r.is_finite()));
        let n = rewards.len();
        let model = Tabular::builder(0.9)
            .sparse_action("a", 0.5, rewards.clone(), (0..n).map(|s| vec![(s, 1.0)]))
            .build()
            .unwrap();
        let json = Tabular::<f64>::from_json(&model.to_json().unwrap()).unwrap();
        let toml = Tabular::<f64>::from_toml(&model.to_toml().unwrap()).unwrap();
        for (s, reward) in rewards.iter().enumerate() {
            prop_assert_eq!(json.reward(s, 0).to_bits(), reward.to_bits());
            prop_assert_eq!(toml.reward(s, 0).to_bits(), reward.to_bits());
        }
    }

    #[test]
    fn names_of_any_kind_round_trip(
        names in prop::collection::hash_set(
            any::<String>().prop_filter("names are not empty", |name| !name.trim().is_empty()),
            1..40,
        ),
    ) {
        let n = names.len();
        let model = Tabular::builder(0.9)
            .name("any")
            .states(names)
            .initial(vec![1.0 / n as f64; n])
            .sparse_action("a \"b\"\n", 0.5, vec![0.0; n], (0..n).map(|s| vec![(s, 1.0)]))
            .build()
            .unwrap();
        round_trips(&model);
    }
}
