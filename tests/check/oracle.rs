//! `check::oracle`.

use std::borrow::Cow;

use sporadic::check;
use sporadic::oracles::{
    Beam, BranchAndBound, Choice, Exhaustive, OracleError, Periodic, Portfolio, SequenceObjective,
    SequenceOracle,
};
use sporadic::sequence::{ActionSequence, periodic};

use crate::finds;

/// The best of the constant sequences, but for its fault.
struct Constants {
    fault: &'static str,
    asked: usize,
    family: Vec<ActionSequence>,
}

thread_local! {
    static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Constants {
    fn new(fault: &'static str) -> Self {
        let mut family: Vec<_> = (0..2).map(ActionSequence::constant).collect();
        if fault == "first" {
            family.reverse();
        }
        let made = MADE.replace(MADE.get() + 1);
        Self { fault, asked: if fault == "new" { made % 2 * 9 } else { 0 }, family }
    }
}

impl SequenceOracle<f64> for Constants {
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        let mut all: Vec<_> = (0..2).map(ActionSequence::constant).collect();
        if self.fault == "score" {
            all.push(ActionSequence::constant(2));
        }
        let values = k.values(&all);
        if self.fault == "refuses" || (self.fault != "nan" && values[0].is_nan()) {
            return Err(OracleError::NoActions);
        }
        let better = usize::from(values[1] > values[0]);
        let forgets = matches!(self.fault, "memory" | "new") && self.asked >= 9;
        let pick = if self.fault == "worse" { 1 - better } else { better };
        let mut choice = Choice {
            sequence: all[pick].clone(),
            value: values[pick],
            upper_bound: k.upper_bound(&[]) + if forgets { 1.0 } else { 0.0 },
            evaluated: 2,
        };
        self.asked += usize::from(self.fault == "memory");
        match self.fault {
            "value" => choice.value += 0.1,
            "sequence" => choice.sequence = ActionSequence::constant(2),
            "bound" => choice.upper_bound = choice.value,
            _ => {}
        }
        Ok(choice)
    }

    fn family(&self, _: usize) -> Option<Cow<'_, [ActionSequence]>> {
        match self.fault {
            "family" => Some(Cow::Owned(vec!["0(1)".parse().ok()?])),
            "empty" => Some(Cow::Owned(Vec::new())),
            "worse" => None,
            _ => Some(Cow::Borrowed(&self.family)),
        }
    }
}

#[test]
fn every_fault_of_an_oracle_is_found() {
    for (fault, expected) in [
        ("value", "planning in state 0: (1) has the value"),
        ("sequence", "(2) was chosen, but there are only 2 actions"),
        ("score", "(2) was scored, but there are only 2 actions"),
        ("bound", "planning in state 0: the upper bound is"),
        ("worse", "was chosen, but"),
        ("memory", "asked again"),
        ("new", "asked of a new oracle"),
        ("family", "0(1) is the first maximum of the family, not"),
        ("first", "all sequences equal: (1) is the first maximum of the family, not (0)"),
        ("empty", "all sequences equal: the family is empty"),
        ("nan", "every value is NaN, but the oracle chooses (0)"),
        ("refuses", "all sequences equal: "),
    ] {
        let findings = check::oracle::<f64, _>(2, || Constants::new(fault));
        finds(&findings, expected);
    }
    check::oracle::<f64, _>(2, || Constants::new("")).assert();
    assert!(!check::oracle::<f64, _>(0, || Constants::new("")).is_empty());
}

/// The registry's are checked in double precision, by `kinds`.
#[test]
fn portfolios_and_single_precision_oracles_pass() {
    for actions in [1, 2, 3] {
        check::oracle::<f32, _>(actions, || Beam::new(3, 6)).assert();
        check::oracle::<f32, _>(actions, || Exhaustive::new(periodic(actions, 1, 2))).assert();
        check::oracle::<f32, _>(actions, || BranchAndBound::new(0.05)).assert();
        let both = || Portfolio::<f64>::new().with(Beam::new(2, 4)).with(Periodic::new(1, 2));
        check::oracle(actions, both).assert();
    }
}
