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

fn refused(builder: TabularBuilder<f64>) -> String {
    builder.build().unwrap_err().to_string()
}

#[test]
fn the_good_model_is_good() {
    assert!(good().build().is_ok());
}

#[test]
fn gamma() {
    for gamma in [0.0, 1.0, -0.5, 1.5].into_iter().chain(BAD) {
        let error = two(gamma, 0.5, [0.0; 2], [[1.0, 0.0]; 2]).build().unwrap_err();
        assert!(matches!(error, ModelError::Discount(_)), "{error}");
        assert!(matches!(
            good().build().unwrap().with_gamma(gamma).unwrap_err(),
            ModelError::Discount(_)
        ));
    }
    assert_eq!(
        refused(two(1.0, 0.5, [0.0; 2], [[1.0, 0.0]; 2])),
        "gamma = 1 is not in the open interval (0, 1)"
    );
}

#[test]
fn beta() {
    for beta in [-0.1, 1.1].into_iter().chain(BAD) {
        let error = two(0.9, beta, [0.0; 2], [[1.0, 0.0]; 2]).build().unwrap_err();
        assert!(matches!(error, ModelError::Beta { .. }), "{error}");
        let model = good().build().unwrap();
        assert!(matches!(intermittent(&model, beta).unwrap_err(), ModelError::Beta { .. }));
    }
    assert_eq!(
        refused(two(0.9, 1.1, [0.0; 2], [[1.0, 0.0]; 2])),
        "beta = 1.1 of action \"a\" is not in [0, 1]"
    );
}

#[test]
fn rewards() {
    for reward in BAD {
        let error = two(0.9, 0.5, [0.0, reward], [[1.0, 0.0]; 2]).build().unwrap_err();
        assert!(
            matches!(&error, ModelError::Reward { state, action, .. } if state == "s2" && action == "a"),
            "{error}"
        );
    }
    assert_eq!(
        refused(two(0.9, 0.5, [0.0, f64::NAN], [[1.0, 0.0]; 2])),
        "the reward of action \"a\" in state \"s2\" is NaN, not a finite number"
    );
}

#[test]
fn probabilities() {
    for p in [-0.1, 1.1].into_iter().chain(BAD) {
        let error = two(0.9, 0.5, [0.0; 2], [[1.0, 0.0], [p, 1.0 - p]]).build().unwrap_err();
        assert!(matches!(error, ModelError::Probability { .. }), "{error}");
    }
    assert_eq!(
        refused(two(0.9, 0.5, [0.0; 2], [[1.0, 0.0], [-0.5, 1.5]])),
        "the probability of \"s1\" after action \"a\" in state \"s2\" is -0.5, not in [0, 1]"
    );
}

#[test]
fn row_sums() {
    for row in [[0.5, 0.4], [0.6, 0.6], [0.0, 0.0]] {
        let error = two(0.9, 0.5, [0.0; 2], [[1.0, 0.0], row]).build().unwrap_err();
        assert!(matches!(error, ModelError::RowSum { .. }), "{error}");
    }
    assert_eq!(
        refused(two(0.9, 0.5, [0.0; 2], [[0.25, 0.5], [1.0, 0.0]])),
        "the transition probabilities of action \"a\" in state \"s1\" sum to 0.75, not to 1"
    );
    // A state listed twice counts twice.
    let twice = Tabular::builder(0.9).sparse_action("a", 0.5, [0.0], [vec![(0, 0.7), (0, 0.7)]]);
    assert!(matches!(twice.build().unwrap_err(), ModelError::RowSum { .. }));
}

#[test]
fn ragged_tables() {
    let rewards = good().action("b", 0.5, [0.0], [[1.0, 0.0]; 2]);
    assert_eq!(
        refused(rewards),
        "the reward list of action \"b\" has 1 entries where 2 are needed"
    );
    let rows = good().action("b", 0.5, [0.0; 2], [[1.0, 0.0]; 3]);
    assert_eq!(
        refused(rows),
        "the transition table of action \"b\" has 3 entries where 2 are needed"
    );
    let row = good().action("b", 0.5, [0.0; 2], [vec![1.0, 0.0], vec![1.0]]);
    assert_eq!(
        refused(row),
        "the row of action \"b\" in state \"s2\" has 1 entries where 2 are needed"
    );
    assert_eq!(
        refused(good().initial([1.0])),
        "the initial distribution has 1 entries where 2 are needed"
    );
    assert!(matches!(
        good().build().unwrap().with_betas(vec![]).unwrap_err(),
        ModelError::Length { expected: 1, found: 0, .. }
    ));
}

#[test]
fn empty_tables() {
    assert_eq!(refused(Tabular::builder(0.9)), "a model needs at least one action");
    let none: [[f64; 0]; 0] = [];
    let stateless = Tabular::builder(0.9).action("a", 0.5, [], none);
    assert_eq!(refused(stateless), "a model needs at least one state");
}

#[test]
fn names() {
    assert_eq!(refused(good().states(["x", "x"])), "there are two states named \"x\"");
    let twice = good().action("a", 0.5, [0.0; 2], [[1.0, 0.0]; 2]);
    assert_eq!(refused(twice), "there are two actions named \"a\"");
    let model = good().build().unwrap();
    assert_eq!(
        model.state("s3").unwrap_err().to_string(),
        "there is no state named \"s3\" (there are s1, s2)"
    );
    assert!(matches!(
        model.action("b").unwrap_err(),
        ModelError::UnknownName { what: "action", .. }
    ));
    let taken = good().action("a+look", 0.5, [0.0; 2], [[1.0, 0.0]; 2]).build().unwrap();
    assert!(matches!(acno(&taken, 0.0).unwrap_err(), ModelError::DuplicateName { .. }));
}

#[test]
fn next_states() {
    let out = Tabular::builder(0.9).sparse_action("a", 0.5, [0.0], [vec![(1, 1.0)]]);
    assert_eq!(
        refused(out),
        "action \"a\" in state \"s1\" leads to state number 1, but there are only 1 states"
    );
}

#[test]
fn initial_distributions() {
    for p in [-0.5, 1.5].into_iter().chain(BAD) {
        let error = good().initial([p, 1.0 - p]).build().unwrap_err();
        assert!(matches!(error, ModelError::InitialProbability { .. }), "{error}");
    }
    assert_eq!(
        refused(good().initial([0.5, 0.25])),
        "the initial probabilities sum to 0.75, not to 1"
    );
}

#[test]
fn parameters() {
    let model = good().build().unwrap();
    for cost in BAD {
        let error = acno(&model, cost).unwrap_err();
        assert!(matches!(error, ModelError::Parameter { parameter: "cost", .. }), "{error}");
    }
    // The reward -1e308 minus the cost 1e308 is no longer finite.
    let deep = two(0.9, 0.5, [-1e308; 2], [[1.0, 0.0]; 2]).build().unwrap();
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
fn a_state_listed_twice_never_gets_more_than_one() {
    let row = vec![(0, 0.1), (0, 0.7), (0, 0.200_000_000_000_000_1)];
    let model = Tabular::builder(0.9).sparse_action("a", 0.5, [0.0], [row]).build().unwrap();
    assert!(model.probability(0, 0, 0) <= 1.0);
}
