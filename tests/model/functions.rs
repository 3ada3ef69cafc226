//! Models from functions.

use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use sporadic::agents::FixedSequence;
use sporadic::check;
use sporadic::model::gallery::MAX_STATES;
use sporadic::model::{Environment, FromFns, ModelError, Tabular, gallery, tabulate};
use sporadic::simulation::{Returns, Simulation, Streams};

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
fn refusals_name_states_and_actions() {
    let next = |s: &&str, _: &&str| match *s {
        "well" => vec![("ill", 0.25), ("well", 0.5)],
        _ => vec![("well", 1.0)],
    };
    let refused = |reward| {
        tabulate(0.9, "well", ["wait"], |_| 0.5, |_, _| reward, next).unwrap_err().to_string()
    };
    assert_eq!(
        refused(f64::NAN),
        "the reward of action \"wait\" in state \"well\" is NaN, not a finite number"
    );
    assert_eq!(
        refused(0.0),
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

/// Prints the same whatever it holds.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Masked(bool);

impl std::fmt::Debug for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("masked")
    }
}

#[test]
fn states_that_print_alike_are_refused() {
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
    let (mut one, mut two) = (Returns::new(), Returns::new());
    let agent = || FixedSequence::new("1(110)".parse().unwrap());
    Simulation::new(&table, Streams::new(7)).run(0..200, &mut agent(), &mut one).unwrap();
    Simulation::new(&closures, Streams::new(7)).run(0..200, &mut agent(), &mut two).unwrap();
    assert_eq!(one.returns(), two.returns());
}

#[test]
fn states_of_closures_may_be_any_type() {
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
