//! `check::environment` and `check::exact`.

use std::cell::Cell;

use rand::Rng;
use sporadic::Fault;
use sporadic::check;
use sporadic::model::{Action, Environment, Exact, MAX_AGES};
use sporadic::sequence::{ActionSequence, BurstPolicy};

use crate::finds_each;

/// The value of every policy, the bounds on the optimum, and the best value of a class.
#[derive(Clone, Copy)]
struct Values(f64, (f64, f64), f64);

/// A world with one state, two actions and one fault.
struct Faulty {
    fault: &'static str,
    calls: Cell<u32>,
    exact: Option<Values>,
}

impl Faulty {
    fn new(fault: &'static str) -> Self {
        Self { fault, calls: Cell::new(0), exact: Some(Values(2.5, (2.4, 2.6), 2.5)) }
    }

    /// The number of calls, this one included, if this is the fault.
    fn calls(&self, fault: &str) -> u32 {
        self.calls.set(self.calls.get() + u32::from(self.fault == fault));
        self.calls.get() * u32::from(self.fault == fault)
    }
}

impl Environment for Faulty {
    type Scalar = f64;
    type State = u32;

    fn num_actions(&self) -> usize {
        match self.fault {
            "actions" => 0,
            "one action" => 1,
            _ => 2,
        }
    }

    fn gamma(&self) -> f64 {
        match self.fault {
            "gamma" => 1.0,
            "gamma near 1" => 1.0 - 1e-15,
            _ => 0.9,
        }
    }

    fn beta(&self, a: Action) -> f64 {
        match (self.fault, a) {
            ("beta", 0) => 1.5,
            ("reveals", 0) => f64::from(u8::from(self.calls("reveals") > 40)),
            _ => 0.5,
        }
    }

    fn beta_at(&self, a: Action, age: usize) -> f64 {
        match (self.fault, a, age) {
            ("beta of age 2", 0, 2) => 1.5,
            ("beta of the last age" | "three ages", 0, 2) => 0.1,
            _ => self.beta(a),
        }
    }

    fn ages(&self) -> usize {
        match self.fault {
            "no ages" => 0,
            "too many ages" => MAX_AGES + 1,
            "beta of the last age" => 2,
            "beta of age 2" | "three ages" => 3,
            _ => 1,
        }
    }

    fn reward(&self, _: &u32, _: Action) -> f64 {
        match self.fault {
            "reward" => 2.0,
            "reward NaN" => f64::NAN,
            _ => 0.25 + 1e-6 * f64::from(self.calls("rewards vary")),
        }
    }

    fn initial<R: Rng + ?Sized>(&self, _: &mut R) -> u32 {
        self.calls("starts vary")
    }

    fn next<R: Rng + ?Sized>(&self, s: &u32, _: Action, rng: &mut R) -> u32 {
        for _ in 0..self.calls("draws vary") {
            rng.next_u64();
        }
        if self.fault == "absorbing" { s + 1 } else { self.calls("states vary") }
    }

    fn reward_range(&self) -> (f64, f64) {
        if self.fault == "range" { (1.0, 0.0) } else { (0.0, 1.0) }
    }

    fn is_absorbing(&self, s: &u32) -> bool {
        self.fault == "absorbing" && *s == 2
    }

    fn action_labels(&self) -> Vec<String> {
        let labels = self.num_actions() + usize::from(self.fault == "labels");
        (0..labels).map(|a| a.to_string()).collect()
    }

    fn exact(&self) -> Option<Box<dyn Exact<u32> + '_>> {
        Some(Box::new(self.exact?))
    }
}

impl Exact<u32> for Values {
    fn value(&mut self, _: &dyn BurstPolicy<u32>, _: Option<&u32>) -> Result<f64, Fault> {
        Ok(self.0)
    }

    fn optimum(&mut self, _: Option<&u32>) -> Result<(f64, f64), Fault> {
        if self.1.1.is_nan() { Err("no optimum".into()) } else { Ok(self.1) }
    }

    fn class(&mut self, _: &[ActionSequence], _: Option<&u32>) -> Result<Option<f64>, Fault> {
        Ok(Some(self.2))
    }
}

#[test]
fn every_fault_of_an_environment_is_found() {
    let check = |fault| check::environment(&Faulty::new(fault), 3, 20);
    let faults = [
        ("actions", "the environment has no actions"),
        ("gamma", "gamma = 1 is not in"),
        ("beta", "beta = 1.5 of action 0 is not in"),
        ("beta of age 2", "beta = 1.5 of action 0 at age 2 is not in [0, 1]"),
        ("beta of the last age", "beta = 0.1 of action 0 at age 2 is not beta(a)"),
        ("no ages", "ages = 0 is not in"),
        ("too many ages", "ages = "),
        ("range", "the reward range [1, 0] is not a finite interval"),
        ("labels", "3 names of actions, but 2 actions"),
        ("reward", "in state 0 earns 2, outside [0, 1]"),
        ("reward NaN", "episode 0, round 0: action 0 in state 0 earns NaN"),
        ("absorbing", "although 2 is absorbing"),
        ("rewards vary", "in state 0 earned 0.25"),
        ("starts vary", "episode 0 began in "),
        ("states vary", "in state 0 led to "),
        ("draws vary", "episode 0: repeated, it drew another number of random words"),
        ("reveals", "rounds were revealed, but beta = 1"),
    ];
    finds_each(check, &faults);
    check("three ages").assert();
    // The check ends though episodes have no end.
    check("gamma near 1").assert();
}

#[test]
fn every_fault_of_exact_values_is_found() {
    let check = |exact| check::exact(&Faulty { exact, ..Faulty::new("one action") }, 1, 1_000);
    for (wrong, expected) in [
        (Values(2.5, (2.6, 2.55), 2.5), "V* has the lower bound 2.6 above the upper one 2.55"),
        (Values(2.5, (2.3, 2.4), 2.5), "the exact value 2.5, above the upper bound on V*, 2.4"),
        (Values(2.5, (2.4, 2.6), 2.3), "the exact value 2.5, above the best of its class, 2.3"),
        (Values(3.5, (3.4, 3.6), 3.5), "(0) has the exact value 3.5, but earns 2."),
        (Values(2.5, (2.4, f64::NAN), 2.5), "no optimum"),
    ] {
        assert!(
            matches!(check(Some(wrong)).as_slice(), [one] if one.contains(expected)),
            "{expected}"
        );
    }
    check::exact(&Faulty::new(""), 1, 1_000).assert();
    check(None).assert();
}
