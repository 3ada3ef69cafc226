//! `check::oracle`.

use std::borrow::Cow;

use sporadic::check;
use sporadic::oracles::{
    Adaptive, Beam, BranchAndBound, Choice, Exhaustive, OracleError, Periodic, Portfolio,
    SequenceObjective, SequenceOracle, Truncated,
};
use sporadic::sequence::{ActionSequence, periodic, words};

/// What an oracle does wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    Nothing,
    Value,
    Sequence,
    Score,
    Bound,
    Worse,
    Memory,
    New,
    Family,
    First,
    Nan,
    Refuses,
}

/// The best of the constant sequences, but for what is wrong.
struct Constants {
    wrong: Wrong,
    asked: usize,
    family: Vec<ActionSequence>,
}

thread_local! {
    static MADE: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Constants {
    fn new(wrong: Wrong) -> Self {
        let mut family: Vec<_> = (0..2).map(ActionSequence::constant).collect();
        if wrong == Wrong::First {
            family.reverse();
        }
        let made = MADE.replace(MADE.get() + 1);
        Self { wrong, asked: if wrong == Wrong::New { made % 2 * 9 } else { 0 }, family }
    }
}

impl SequenceOracle<f64> for Constants {
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        let mut all: Vec<_> = (0..2).map(ActionSequence::constant).collect();
        if self.wrong == Wrong::Score {
            all.push(ActionSequence::constant(2));
        }
        let values = k.values(&all);
        if self.wrong == Wrong::Refuses || (self.wrong != Wrong::Nan && values[0].is_nan()) {
            return Err(OracleError::NoActions);
        }
        let better = usize::from(values[1] > values[0]);
        let forgets = matches!(self.wrong, Wrong::Memory | Wrong::New) && self.asked >= 9;
        let pick = if self.wrong == Wrong::Worse { 1 - better } else { better };
        let mut choice = Choice {
            sequence: all[pick].clone(),
            value: values[pick],
            upper_bound: k.upper_bound(&[]) + if forgets { 1.0 } else { 0.0 },
            evaluated: 2,
        };
        self.asked += usize::from(self.wrong == Wrong::Memory);
        match self.wrong {
            Wrong::Value => choice.value += 0.1,
            Wrong::Sequence => choice.sequence = ActionSequence::constant(2),
            Wrong::Bound => choice.upper_bound = choice.value,
            _ => {}
        }
        Ok(choice)
    }

    fn family(&self, _: usize) -> Option<Cow<'_, [ActionSequence]>> {
        match self.wrong {
            Wrong::Family => Some(Cow::Owned(vec!["0(1)".parse().ok()?])),
            Wrong::Worse => None,
            _ => Some(Cow::Borrowed(&self.family)),
        }
    }
}

#[test]
fn every_fault_of_an_oracle_is_found() {
    for (wrong, expected) in [
        (Wrong::Value, "planning in state 0: (1) has the value"),
        (Wrong::Sequence, "(2) was chosen, but there are only 2 actions"),
        (Wrong::Score, "(2) was scored, but there are only 2 actions"),
        (Wrong::Bound, "planning in state 0: the upper bound is"),
        (Wrong::Worse, "was chosen, but"),
        (Wrong::Memory, "asked again"),
        (Wrong::New, "asked of a new oracle"),
        (Wrong::Family, "0(1) is the first maximum of the family, not"),
        (Wrong::First, "all sequences equal: (1) is the first maximum of the family, not (0)"),
        (Wrong::Nan, "every value is NaN, but the oracle chooses (0)"),
        (Wrong::Refuses, "all sequences equal: "),
    ] {
        let findings = check::oracle::<f64, _>(2, || Constants::new(wrong));
        assert!(findings.to_string().contains(expected), "{wrong:?}: {findings}");
    }
    check::oracle::<f64, _>(2, || Constants::new(Wrong::Nothing)).assert();
    assert!(!check::oracle::<f64, _>(0, || Constants::new(Wrong::Nothing)).is_empty());
}

#[test]
fn every_built_in_oracle_passes() {
    for actions in [1, 2, 3] {
        check::oracle::<f64, _>(actions, || Exhaustive::new(words(actions, 3))).assert();
        check::oracle::<f64, _>(actions, || Periodic::new(2, 2)).assert();
        check::oracle::<f64, _>(actions, || Truncated::new(4)).assert();
        check::oracle::<f64, _>(actions, || Beam::new(3, 6)).assert();
        check::oracle::<f64, _>(actions, || BranchAndBound::new(0.05)).assert();
        check::oracle::<f64, _>(actions, || Adaptive { size: 40 }).assert();
        let both = || Portfolio::new().with(Beam::new(2, 4)).with(Periodic::new(1, 2));
        check::oracle::<f64, _>(actions, both).assert();
        check::oracle::<f32, _>(actions, || Beam::new(3, 6)).assert();
        check::oracle::<f32, _>(actions, || Exhaustive::new(periodic(actions, 1, 2))).assert();
        check::oracle::<f32, _>(actions, || BranchAndBound::new(0.05)).assert();
    }
}
