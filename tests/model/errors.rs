//! Each kind of bad model is refused with one clear error.

use rand_pcg::Pcg64;
use sporadic::model::gallery::{RandomTabular, random_tabular};
use sporadic::model::{ModelError, Tabular, TabularBuilder, acno, intermittent};

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn two(gamma: f64, beta: f64, reward: [f64; 2], rows: [[f64; 2]; 2]) -> TabularBuilder<f64> {
    Tabular::builder(gamma).action("a", beta, reward, rows)
}

fn good() -> TabularBuilder<f64> {
    two(0.9, 0.5, [0.0, 1.0], [[1.0, 0.0], [0.5, 0.5]])
}

fn rows(row: [f64; 2]) -> TabularBuilder<f64> {
    two(0.9, 0.5, [0.0; 2], [[1.0, 0.0], row])
}

fn other(reward: &[f64], rows: Vec<Vec<f64>>) -> TabularBuilder<f64> {
    good().action("b", 0.5, reward.to_vec(), rows)
}

fn sparse(row: Vec<(usize, f64)>) -> TabularBuilder<f64> {
    Tabular::builder(0.9).sparse_action("a", 0.5, [0.0], [row])
}

const SURE: [[f64; 2]; 2] = [[1.0, 0.0]; 2];

#[test]
fn refusals_name_the_value_and_the_place() {
    assert!(good().build().is_ok());
    let row = || vec![1.0, 0.0];
    let none: [[f64; 0]; 0] = [];
    let cases = [
        two(1.0, 0.5, [0.0; 2], SURE),
        two(0.9, 1.1, [0.0; 2], SURE),
        two(0.9, 0.5, [0.0, f64::NAN], SURE),
        rows([-0.5, 1.5]),
        rows([0.25, 0.5]),
        other(&[0.0], vec![row(); 2]),
        other(&[0.0; 2], vec![row(); 3]),
        other(&[0.0; 2], vec![row(), vec![1.0]]),
        good().initial([1.0]),
        good().initial([0.5, 0.25]),
        Tabular::builder(0.9),
        Tabular::builder(0.9).action("a", 0.5, [], none),
        good().states(["x", "x"]),
        good().states([" ", "x"]),
        good().action("a", 0.5, [0.0; 2], SURE),
        good().action("", 0.5, [0.0; 2], SURE),
        sparse(vec![(1, 1.0)]),
    ];
    let text = cases.map(|builder| builder.build().unwrap_err().to_string());
    insta::assert_snapshot!(text.join("\n"), @r#"
    gamma = 1 is not in the open interval (0, 1)
    beta = 1.1 of action "a" is not in [0, 1]
    the reward of action "a" in state "s2" is NaN, not a finite number
    the probability of "s1" after action "a" in state "s2" is -0.5, not in [0, 1]
    the transition probabilities of action "a" in state "s2" sum to 0.75, not to 1
    the reward list of action "b" has 1 entries where 2 are needed
    the transition table of action "b" has 3 entries where 2 are needed
    the row of action "b" in state "s2" has 1 entries where 2 are needed
    the initial distribution has 1 entries where 2 are needed
    the initial probabilities sum to 0.75, not to 1
    a model needs at least one action
    a model needs at least one state
    there are two states named "x"
    the name of state number 1 is empty
    there are two actions named "a"
    the name of action number 2 is empty
    action "a" in state "s1" leads to state number 1, but there are only 1 states
    "#);
}

#[test]
fn every_bad_number_is_refused() {
    use ModelError as E;
    let model = || good().build().unwrap();
    for x in BAD.into_iter().chain([-0.5, 1.5]) {
        assert!(matches!(two(x, 0.5, [0.0; 2], SURE).build(), Err(E::Discount(_))));
        assert!(matches!(model().with_gamma(x), Err(E::Discount(_))));
        assert!(matches!(two(0.9, x, [0.0; 2], SURE).build(), Err(E::Beta { .. })));
        assert!(matches!(intermittent(&model(), x), Err(E::Beta { .. })));
        assert!(matches!(rows([x, 1.0 - x]).build(), Err(E::Probability { .. })));
        let initial = good().initial([x, 1.0 - x]).build();
        assert!(matches!(initial, Err(E::InitialProbability { .. })));
    }
    assert!(matches!(two(0.0, 0.5, [0.0; 2], SURE).build(), Err(E::Discount(_))));
    for x in BAD {
        assert!(matches!(two(0.9, 0.5, [0.0, x], SURE).build(), Err(E::Reward { .. })));
    }
    for row in [[0.5, 0.4], [0.6, 0.6], [0.0, 0.0]] {
        assert!(matches!(rows(row).build(), Err(E::RowSum { .. })));
    }
    // A state listed twice counts twice.
    assert!(matches!(sparse(vec![(0, 0.7), (0, 0.7)]).build(), Err(E::RowSum { .. })));
    assert!(matches!(model().with_betas(vec![]), Err(E::Length { expected: 1, found: 0, .. })));
}

#[test]
fn unknown_and_taken_names_are_refused() {
    let model = good().build().unwrap();
    let unknown = model.state("s3").unwrap_err().to_string();
    assert_eq!(unknown, "there is no state named \"s3\" (there are s1, s2)");
    assert!(matches!(model.action("b"), Err(ModelError::UnknownName { what: "action", .. })));
    let taken = good().action("a+look", 0.5, [0.0; 2], SURE).build().unwrap();
    assert!(matches!(acno(&taken, 0.0), Err(ModelError::DuplicateName { .. })));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let model = good().build().unwrap();
    for cost in BAD {
        let error = acno(&model, cost).unwrap_err();
        assert!(matches!(error, ModelError::Parameter { parameter: "cost", .. }), "{error}");
    }
    // The reward -1e308 minus the cost 1e308 is no longer finite.
    let deep = two(0.9, 0.5, [-1e308; 2], SURE).build().unwrap();
    assert!(matches!(acno(&deep, 1e308).unwrap_err(), ModelError::Reward { .. }));

    let make =
        |shape: &RandomTabular<f64>| random_tabular(&mut Pcg64::new(1, 0), shape).unwrap_err();
    let shape = RandomTabular::default;
    let none = RandomTabular { states: 0, ..shape() };
    assert!(matches!(make(&none), ModelError::Empty { what: "state" }));
    let none = RandomTabular { actions: 0, ..shape() };
    assert!(matches!(make(&none), ModelError::Empty { what: "action" }));
    for branching in [0, 6] {
        let error = make(&RandomTabular { branching, ..shape() });
        assert!(matches!(error, ModelError::Parameter { parameter: "branching", .. }));
    }
    #[allow(clippy::reversed_empty_ranges)]
    for beta in [-0.1..=0.5, 0.0..=1.1, 0.5..=0.4, f64::NAN..=1.0, 0.0..=f64::INFINITY] {
        let error = make(&RandomTabular { beta, ..shape() });
        assert!(matches!(error, ModelError::Parameter { .. }), "{error}");
    }
    assert!(matches!(make(&RandomTabular { gamma: 1.0, ..shape() }), ModelError::Discount(_)));
}

#[test]
fn repeated_states_sum_to_at_most_one() {
    let row = vec![(0, 0.1), (0, 0.7), (0, 0.200_000_000_000_000_1)];
    let model = sparse(row).build().unwrap();
    assert!(model.probability(0, 0, 0) <= 1.0);
}
