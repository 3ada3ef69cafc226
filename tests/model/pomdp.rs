//! The export to `.pomdp` is the model: a small reader reads it back.

use std::collections::HashMap;

use crate::common::models;
use crate::common::schedules::scheduled;
use proptest::prelude::*;
use sporadic::model::{Tabular, gallery};
use sporadic::planning::pomdp::export;

/// The parts of the format that the exporter uses.
#[derive(Default)]
struct Pomdp {
    discount: f64,
    states: Vec<String>,
    actions: Vec<String>,
    observations: Vec<String>,
    start: Vec<f64>,
    transition: HashMap<[String; 3], f64>,
    observation: HashMap<[String; 3], f64>,
    reward: HashMap<[String; 2], f64>,
}

fn read(text: &str) -> Pomdp {
    let mut pomdp = Pomdp::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (key, rest) = line.split_once(':').expect("key: value");
        let words = || rest.split_whitespace().map(String::from).collect::<Vec<_>>();
        let fields = || {
            let (places, number) = rest.trim().rsplit_once(' ').expect("a number at the end");
            let places: Vec<_> = places.split(" : ").map(|p| p.trim().to_string()).collect();
            (places, number.parse::<f64>().expect("a number"))
        };
        match key {
            "discount" => pomdp.discount = rest.trim().parse().expect("a number"),
            "values" => assert_eq!(rest.trim(), "reward"),
            "states" => pomdp.states = words(),
            "actions" => pomdp.actions = words(),
            "observations" => pomdp.observations = words(),
            "start" => pomdp.start = words().iter().map(|p| p.parse().expect("a number")).collect(),
            "T" | "O" => {
                let (places, number) = fields();
                let table = if key == "T" { &mut pomdp.transition } else { &mut pomdp.observation };
                assert!(table.insert(places.try_into().expect("three"), number).is_none());
            }
            "R" => {
                let (places, number) = fields();
                assert_eq!(places[2..], ["*", "*"]);
                pomdp.reward.insert([places[0].clone(), places[1].clone()], number);
            }
            other => panic!("unknown key {other}"),
        }
    }
    pomdp
}

/// From (s, a): the probability of landing in t and seeing it, and of landing there unseen.
fn compare(model: &Tabular<f64>) {
    let p = read(&export(model));
    assert_eq!(p.discount.to_bits(), model.gamma().to_bits());
    assert_eq!(p.start, model.initial_distribution());
    assert_eq!(p.observations.len(), model.num_states() + 1);
    let bits = |x: Option<&f64>| x.copied().unwrap_or(0.0).to_bits();
    for (a, action) in p.actions.iter().enumerate() {
        for (s, state) in p.states.iter().enumerate() {
            let key = [action.clone(), state.clone()];
            assert_eq!(bits(p.reward.get(&key)), model.reward(s, a).to_bits());
            for (t, next) in p.states.iter().enumerate() {
                let key = [action.clone(), state.clone(), next.clone()];
                assert_eq!(bits(p.transition.get(&key)), model.probability(s, a, t).to_bits());
            }
            let see = |o: &str| p.observation.get(&[action.clone(), state.clone(), o.into()]);
            assert_eq!(bits(see(&p.observations[s])), model.beta(a).to_bits());
            assert_eq!(bits(see("none")), (1.0 - model.beta(a)).to_bits());
        }
    }
}

proptest! {
    #[test]
    fn random_models_survive(model in models()) {
        compare(&model);
    }

    /// With schedules the states are (state, age), and age 0 is seen.
    #[test]
    fn schedules_survive((model, _) in scheduled()) {
        prop_assume!(model.ages() > 1);
        let p = read(&export(&model));
        let (n, ages) = (model.num_states(), model.ages());
        prop_assert_eq!(p.states.len(), n * ages);
        let name = |s: usize, age: usize| format!("{}-{age}", model.state_names()[s]);
        for (a, action) in model.action_names().iter().enumerate() {
            for (s, age) in (0..n).flat_map(|s| (0..ages).map(move |age| (s, age))) {
                let beta = model.beta_at(a, age + 1);
                let get = |t, later| {
                    let key = [action.clone(), name(s, age), name(t, later)];
                    p.transition.get(&key).copied().unwrap_or(0.0)
                };
                for t in 0..n {
                    let move_to = model.probability(s, a, t);
                    let hidden = get(t, (age + 1).min(ages - 1));
                    prop_assert!((get(t, 0) - move_to * beta).abs() < 1e-15);
                    prop_assert!((hidden - move_to * (1.0 - beta)).abs() < 1e-15);
                }
                let seen = format!("see-{}", model.state_names()[s]);
                let seen = if age == 0 { seen } else { "none".into() };
                let observed = p.observation[&[action.clone(), name(s, age), seen]];
                prop_assert!((observed - 1.0).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn the_gallery_and_odd_names_survive() {
    compare(&gallery::river_balance(6, 0.05, 0.99).unwrap());
    compare(&gallery::measuring_value(0.1, 0.99).unwrap());
    let odd = Tabular::builder(0.5)
        .states(["s 1", "s_1", "1+"])
        .action("+", 0.5, [0.0; 3], [[1.0, 0.0, 0.0]; 3])
        .action("-", 0.5, [0.0; 3], [[0.0, 0.0, 1.0]; 3])
        .build()
        .unwrap();
    compare(&odd);
}
