//! Models from functions, against the same models from tables.

use std::cell::Cell;

use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use sporadic::agents::FixedSequence;
use sporadic::check;
use sporadic::model::gallery::MAX_STATES;
use sporadic::model::{Environment, FromFns, ModelError, Tabular, gallery, tabulate};
use sporadic::simulation::{Returns, Simulation, Streams};

/// RiverSwim as functions of the position.
fn swim(beta: f64) -> Result<Tabular<f64>, ModelError> {
    let reward = |s: &usize, a: &usize| match (s, a) {
        (0, 0) => 0.005,
        (5, 1) => 1.0,
        _ => 0.0,
    };
    let next = |&s: &usize, &a: &usize| match (s, a) {
        (s, 0) => vec![(s.saturating_sub(1), 1.0)],
        (0, _) => vec![(0, 0.4), (1, 0.6)],
        (5, _) => vec![(4, 0.4), (5, 0.6)],
        (s, _) => vec![(s - 1, 0.05), (s, 0.6), (s + 1, 0.35)],
    };
    tabulate(0.99, 0, 0..2, |_| beta, reward, next)
}

#[test]
fn functions_and_tables_make_the_same_model() {
    let (found, table) = (swim(0.1).unwrap(), gallery::river_swim::<f64>(6, 0.1, 0.99).unwrap());
    assert_eq!(found.state_names(), ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(found.action_names(), table.action_names());
    for s in 0..6 {
        for a in 0..2 {
            assert!(found.row(s, a).eq(table.row(s, a)));
            assert!((found.reward(s, a) - table.reward(s, a)).abs() < 1e-15);
        }
    }
    assert_eq!(found.betas(), table.betas());
    assert_eq!(found.initial_distribution(), table.initial_distribution());
}

#[test]
fn states_are_found_in_order_and_merged() {
    let next = |s: &&str, _: &&str| match *s {
        "b" => vec![("d", 0.25), ("c", 0.5), ("d", 0.25), ("never", 0.0)],
        _ => vec![("b", 1.0)],
    };
    let model: Tabular<f64> = tabulate(0.5, "b", ["go"], |_| 0.5, |_, _| 0.0, next).unwrap();
    assert_eq!(model.state_names(), ["b", "d", "c"]);
    assert!((model.probability(0, 0, 1) - 0.5).abs() < 1e-15);
}

#[test]
fn each_call_is_made_once() {
    let calls = Cell::new(0);
    let next = |&s: &u8, _: &u8| {
        calls.set(calls.get() + 1);
        [((s + 1) % 10, 1.0)]
    };
    let model: Tabular<f64> = tabulate(0.5, 0, 0..3, |_| 0.5, |_, _| 0.0, next).unwrap();
    assert_eq!((model.num_states(), calls.get()), (10, 30));
}

#[test]
fn refusals_name_states_and_actions() {
    let refused = |gamma, beta: f64, reward: f64, p: f64| {
        let next = move |s: &&str, _: &&str| match *s {
            "well" => vec![("ill", p), ("well", 0.5)],
            _ => vec![("well", 1.0)],
        };
        tabulate(gamma, "well", ["wait"], |_| beta, |_, _| reward, next).unwrap_err().to_string()
    };
    assert_eq!(refused(1.0, 0.5, 0.0, 0.5), "gamma = 1 is not in the open interval (0, 1)");
    assert_eq!(refused(0.9, 1.5, 0.0, 0.5), "beta = 1.5 of action \"wait\" is not in [0, 1]");
    assert_eq!(
        refused(0.9, 0.5, f64::NAN, 0.5),
        "the reward of action \"wait\" in state \"well\" is NaN, not a finite number"
    );
    assert_eq!(
        refused(0.9, 0.5, 0.0, -0.5),
        "the probability of \"ill\" after action \"wait\" in state \"well\" is -0.5, not in [0, 1]"
    );
    assert_eq!(
        refused(0.9, 0.5, 0.0, 0.25),
        "the transition probabilities of action \"wait\" in state \"well\" sum to 0.75, not to 1"
    );
    let none = tabulate(0.9, 0, Vec::<u8>::new(), |_| 0.5, |_, _| 0.0, |&s: &u8, _| [(s, 1.0)]);
    assert_eq!(none.unwrap_err(), ModelError::Empty { what: "action" });
}

#[test]
fn states_without_end_are_refused() {
    let ever = tabulate(0.9, 0_u64, [0], |_| 0.5, |_, _| 0.0, |&s: &u64, _| [(s + 1, 1.0)]);
    let (value, limit) = (MAX_STATES as u128 + 1, MAX_STATES);
    assert_eq!(ever.unwrap_err(), ModelError::TooLarge { parameter: "states", value, limit });
}

#[allow(clippy::items_after_statements)] // where it is needed
#[test]
fn empty_and_equal_names_are_refused() {
    let named = |state: &str, action: &str| {
        Tabular::builder(0.9).states([state]).action(action, 0.5, [0.0], [[1.0]]).build()
    };
    assert!(named("s", "a").is_ok());
    assert_eq!(named(" ", "a").unwrap_err().to_string(), "the name of state number 1 is empty");
    assert_eq!(named("s", "").unwrap_err().to_string(), "the name of action number 1 is empty");
    /// Prints the same whatever it holds.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Masked(bool);
    impl std::fmt::Debug for Masked {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("masked")
        }
    }
    let flip = |s: &Masked, _: &u8| [(Masked(!s.0), 1.0)];
    let alike = tabulate(0.9, Masked(true), [0], |_| 0.5, |_, _| 0.0, flip).unwrap_err();
    assert_eq!(alike.to_string(), "there are two states named \"masked\"");
}

#[test]
fn closures_draw_what_the_table_draws() {
    let table = gallery::river_swim::<f64>(6, 0.3, 0.9).unwrap();
    let closures = FromFns::new(
        2,
        0.9,
        |_| 0.3,
        |s: &usize, a| table.reward(*s, a),
        |mut rng| Environment::initial(&table, &mut rng),
        |s: &usize, a, mut rng| table.next(s, a, &mut rng),
    )
    .unwrap();
    check::environment(&closures, 1, 50).assert();
    let play = |returns: &mut Returns<f64>, world: &dyn Fn(&mut Returns<f64>)| world(returns);
    let (mut one, mut two) = (Returns::new(), Returns::new());
    let agent = || FixedSequence::new("1(110)".parse().unwrap());
    play(&mut one, &|returns| {
        Simulation::new(&table, Streams::new(7)).run(0..200, &mut agent(), returns).unwrap();
    });
    play(&mut two, &|returns| {
        Simulation::new(&closures, Streams::new(7)).run(0..200, &mut agent(), returns).unwrap();
    });
    assert_eq!(one.returns(), two.returns());
}

#[test]
fn closures_over_any_state_and_any_generator() {
    #[derive(Clone, Debug, PartialEq)]
    struct Position {
        x: f64,
        label: String,
    }
    let world = FromFns::new(
        1,
        0.9,
        |_| 0.5,
        |s: &Position, _| -s.x,
        |rng: &mut dyn Rng| Position { x: rng.random(), label: "start".into() },
        |s: &Position, _, rng: &mut dyn Rng| Position { x: s.x * rng.random::<f64>(), ..s.clone() },
    )
    .unwrap()
    .with_reward_range(-1.0, 0.0)
    .unwrap();
    assert_eq!(world.reward_range(), (-1.0, 0.0));
    check::environment(&world, 3, 20).assert();
    assert_eq!(world.initial(&mut Pcg64::new(1, 2)).label, "start");
}

#[test]
fn closures_are_checked() {
    let make = |actions, gamma, beta| {
        FromFns::new(actions, gamma, move |_| beta, |(): &(), _| 0.0, |_| (), |(), _, _| ())
    };
    let refused = |actions, gamma, beta| make(actions, gamma, beta).unwrap_err().to_string();
    assert_eq!(refused(0, 0.9, 0.5), "a model needs at least one action");
    assert_eq!(refused(2, 0.0, 0.5), "gamma = 0 is not in the open interval (0, 1)");
    assert_eq!(refused(2, 0.9, -0.5), "beta = -0.5 of action \"0\" is not in [0, 1]");
    let range = |low, high| {
        make(1, 0.9, 0.5).unwrap().with_reward_range(low, high).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(range(2.0, 1.0), "the smallest reward = 2 is not at most the largest");
    assert_eq!(range(0.0, f64::NAN), "the largest reward = NaN is not a finite number");
}
