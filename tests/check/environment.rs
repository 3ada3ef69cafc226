//! `check::environment` and `check::exact`.

use std::cell::Cell;

use rand::Rng;
use sporadic::Fault;
use sporadic::check;
use sporadic::model::{Action, Environment, Exact, MAX_AGES};
use sporadic::sequence::{ActionSequence, BurstPolicy};

use crate::finds;

/// A world with one state of which everything may be wrong.
#[derive(Clone)]
struct Faulty {
    actions: usize,
    gamma: f64,
    beta: f64,
    /// That of age 2.
    late: f64,
    ages: usize,
    range: (f64, f64),
    reward: f64,
    labels: usize,
    absorbing: Option<u32>,
    /// Added to the reward, the first state, the next state or the draws at every call.
    creep: [u32; 4],
    calls: Cell<u32>,
    /// How often beta was asked for, and after how many times it changes.
    asked: Cell<u32>,
    patience: u32,
    /// The value of every policy, the optimum, and that of a class.
    exact: Option<(f64, (f64, f64), f64)>,
}

fn sound() -> Faulty {
    Faulty {
        actions: 2,
        gamma: 0.9,
        beta: 0.5,
        late: 0.5,
        ages: 1,
        range: (0.0, 1.0),
        reward: 0.25,
        labels: 2,
        absorbing: None,
        creep: [0; 4],
        calls: Cell::new(0),
        asked: Cell::new(0),
        patience: u32::MAX,
        exact: Some((2.5, (2.4, 2.6), 2.5)),
    }
}

impl Faulty {
    fn creep(&self, what: usize) -> u32 {
        self.calls.set(self.calls.get() + 1);
        self.creep[what] * self.calls.get()
    }
}

impl Environment for Faulty {
    type Scalar = f64;
    type State = u32;

    fn num_actions(&self) -> usize {
        self.actions
    }

    fn gamma(&self) -> f64 {
        self.gamma
    }

    fn beta(&self, _: Action) -> f64 {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > self.patience { 0.9 } else { self.beta }
    }

    fn beta_at(&self, a: Action, age: usize) -> f64 {
        if age == 2 { self.late } else { self.beta(a) }
    }

    fn ages(&self) -> usize {
        self.ages
    }

    fn reward(&self, _: &u32, _: Action) -> f64 {
        self.reward + 1e-6 * f64::from(self.creep(0))
    }

    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> u32 {
        self.creep(1)
    }

    fn next<R: Rng + ?Sized>(&self, s: &u32, _: Action, rng: &mut R) -> u32 {
        for _ in 0..self.creep(3) {
            rng.next_u64();
        }
        self.creep(2) + if self.absorbing.is_some() { s + 1 } else { 0 }
    }

    fn reward_range(&self) -> (f64, f64) {
        self.range
    }

    fn is_absorbing(&self, s: &u32) -> bool {
        self.absorbing == Some(*s)
    }

    fn action_labels(&self) -> Vec<String> {
        (0..self.labels).map(|a| a.to_string()).collect()
    }

    fn exact(&self) -> Option<Box<dyn Exact<u32> + '_>> {
        self.exact.is_some().then(|| Box::new(self) as _)
    }
}

impl Exact<u32> for &Faulty {
    fn value(&mut self, _: &dyn BurstPolicy<u32>, _: Option<&u32>) -> Result<f64, Fault> {
        Ok(self.exact.ok_or("no exact values")?.0)
    }

    fn optimum(&mut self, _: Option<&u32>) -> Result<(f64, f64), Fault> {
        let (_, (lower, upper), _) = self.exact.ok_or("no exact values")?;
        if upper.is_nan() { Err("no optimum".into()) } else { Ok((lower, upper)) }
    }

    fn class(&mut self, _: &[ActionSequence], _: Option<&u32>) -> Result<Option<f64>, Fault> {
        Ok(self.exact.map(|(_, _, class)| class))
    }
}

#[test]
fn every_fault_of_an_environment_is_found() {
    let nan = f64::NAN;
    for (env, expected) in [
        (Faulty { actions: 0, labels: 0, ..sound() }, "the environment has no actions"),
        (Faulty { gamma: 1.0, ..sound() }, "gamma = 1 is not in"),
        (
            Faulty { actions: 1, labels: 1, beta: 1.5, ..sound() },
            "beta = 1.5 of action 0 is not in",
        ),
        (
            Faulty { actions: 1, labels: 0, ages: 3, late: 1.5, ..sound() },
            "beta = 1.5 of action 0 at age 2 is not in [0, 1]",
        ),
        (
            Faulty { actions: 1, labels: 0, ages: 2, late: 0.1, ..sound() },
            "beta = 0.1 of action 0 at age 2 is not beta(a)",
        ),
        (Faulty { ages: 0, ..sound() }, "ages = 0 is not in"),
        (Faulty { ages: MAX_AGES + 1, ..sound() }, "ages = "),
        (
            Faulty { range: (1.0, 0.0), ..sound() },
            "the reward range [1, 0] is not a finite interval",
        ),
        (Faulty { labels: 3, ..sound() }, "3 names of actions, but 2 actions"),
        (Faulty { reward: 2.0, ..sound() }, "in state 0 earns 2, outside [0, 1]"),
        (Faulty { reward: nan, ..sound() }, "episode 0, round 0: action 0 in state 0 earns NaN"),
        (Faulty { absorbing: Some(2), ..sound() }, "although 2 is absorbing"),
        (Faulty { creep: [1, 0, 0, 0], ..sound() }, "in state 0 earned 0.25"),
        (Faulty { creep: [0, 1, 0, 0], ..sound() }, "episode 0 began in "),
        (Faulty { creep: [0, 0, 1, 0], ..sound() }, "in state 0 led to "),
        (
            Faulty { creep: [0, 0, 0, 1], ..sound() },
            "episode 0: repeated, it drew another number of random words",
        ),
        (
            Faulty { patience: 100, actions: 1, labels: 1, ..sound() },
            "rounds were revealed, but beta = 0.9",
        ),
    ] {
        finds(&check::environment(&env, 3, 20), expected);
    }
    check::environment(&sound(), 3, 20).assert();
    check::environment(&Faulty { ages: 3, late: 0.1, ..sound() }, 3, 20).assert();
}

#[test]
fn the_check_ends_though_gamma_is_almost_one() {
    check::environment(&Faulty { gamma: 1.0 - 1e-15, ..sound() }, 1, 2).assert();
}

#[test]
fn every_fault_of_exact_values_is_found() {
    let exact = |exact| check::exact(&Faulty { exact, actions: 1, ..sound() }, 1, 1_000);
    for (wrong, expected) in [
        ((2.5, (2.6, 2.55), 2.5), "V* has the lower bound 2.6 above the upper one 2.55"),
        ((2.5, (2.3, 2.4), 2.5), "the exact value 2.5, above the upper bound on V*, 2.4"),
        ((2.5, (2.4, 2.6), 2.3), "the exact value 2.5, above the best of its class, 2.3"),
        ((3.5, (3.4, 3.6), 3.5), "(0) has the exact value 3.5, but earns 2."),
        ((2.5, (2.4, f64::NAN), 2.5), "no optimum"),
    ] {
        finds(&exact(Some(wrong)), expected);
    }
    check::exact(&sound(), 1, 1_000).assert();
    exact(None).assert();
}
