//! The check of oracles.

use nalgebra::DMatrix;
use rand_pcg::Pcg64;

use super::scored::Scored;
use super::{Findings, agree};
use crate::features::TabularPsi;
use crate::model::gallery::{RandomTabular, random_tabular};
use crate::oracles::{
    Choice, FeatureObjective, ObjectiveError, ObjectiveFn, SequenceObjective, SequenceOracle,
};
use crate::sequence::{ActionSequence, periodic};
use crate::{Number, Real};

/// How many sequences no bound may be below.
const SAMPLE: usize = 300;

/// Checks an oracle on objectives over `num_actions` actions: those of planning and of optimistic
/// learning in each state of a random model, and one under which all sequences are equal.
///
/// - It scores legal sequences only and finds one; its value is the objective's value of the
///   sequence.
/// - No sequence that it scored is better than its choice.
/// - Its upper bound is not below the choice, nor below any of 300 periodic sequences.
/// - Its answer depends on the question alone: the order of questions and the age of the oracle
///   change nothing.
/// - If it states a [`family`](SequenceOracle::family), its choice is the first maximum there.
/// - Values that are not numbers are refused.
///
/// # Example
/// ```
/// use sporadic::check;
/// use sporadic::oracles::{Beam, Exhaustive};
/// use sporadic::sequence::runs;
/// check::oracle::<f64, _>(2, || Beam::new(2, 5)).assert();
/// // The family has three actions.
/// assert!(!check::oracle::<f64, _>(2, || Exhaustive::new(runs(3, 1, 2))).is_empty());
/// ```
pub fn oracle<T: Real, O: SequenceOracle<T>>(num_actions: usize, make: impl Fn() -> O) -> Findings {
    let mut findings = Findings::default();
    let shape = RandomTabular {
        states: 4,
        actions: num_actions,
        gamma: T::of(0.8),
        beta: T::of(0.2)..=T::of(0.8),
        ..RandomTabular::default()
    };
    let psi = match random_tabular(&mut Pcg64::new(1, 4), &shape) {
        Ok(model) => TabularPsi::new(model),
        Err(error) => {
            findings.add(error.to_string());
            return findings;
        }
    };
    if let Err(error) = ask_all(&make, &psi, &mut findings) {
        findings.add(error.to_string());
    }
    let mut undefined = ObjectiveFn::new(num_actions, |_: &ActionSequence| T::of(f64::NAN));
    if let Ok(choice) = make().maximize(&mut undefined) {
        findings.add(format!("every value is NaN, but the oracle chooses {}", choice.sequence));
    }
    findings
}

type Question<'a, T> = (String, Box<dyn SequenceObjective<T> + 'a>);

fn questions<T: Real>(psi: &TabularPsi<T>) -> Result<Vec<Question<'_, T>>, ObjectiveError> {
    let (n, m) = (psi.model().num_states(), psi.model().num_actions());
    let v: Vec<T> = (0..n).map(|s| T::of(1.0 + s as f64)).collect();
    let inverse = DMatrix::from_diagonal_element(2 * n * m, 2 * n * m, T::of(0.5));
    let equal = ObjectiveFn::new(m, |_: &ActionSequence| T::zero());
    let equal: Box<dyn SequenceObjective<T>> = Box::new(equal.with_upper_bound(|_| T::zero()));
    let mut all = vec![("all sequences equal".to_owned(), equal)];
    for s in 0..n {
        let planning = FeatureObjective::planning(psi, s, &v)?;
        all.push((format!("planning in state {s}"), Box::new(planning)));
        let learning = FeatureObjective::planning(psi, s, &v)?;
        let learning = learning.with_bonus(T::one(), &inverse)?.with_clip(T::of(4.0))?;
        all.push((format!("learning in state {s}"), Box::new(learning)));
    }
    Ok(all)
}

fn ask_all<T: Real, O: SequenceOracle<T>>(
    make: &impl Fn() -> O,
    psi: &TabularPsi<T>,
    findings: &mut Findings,
) -> Result<(), ObjectiveError> {
    let (mut oracle, mut answers) = (make(), Vec::new());
    for (name, mut objective) in questions(psi)? {
        match examine(&mut oracle, &mut *objective) {
            Ok(answer) => answers.push(Some(answer)),
            Err(wrong) => {
                findings.add(format!("{name}: {wrong}"));
                answers.push(None);
            }
        }
    }
    // Objectives may keep what they have computed, so they are made anew.
    for (is_new, how) in [(false, "asked again"), (true, "asked of a new oracle")] {
        for ((name, mut objective), answer) in questions(psi)?.into_iter().zip(&answers).rev() {
            let Some(answer) = answer else { continue };
            let mut made = is_new.then(make);
            let again = made.as_mut().unwrap_or(&mut oracle).maximize(&mut *objective);
            findings.claim(again.as_ref().is_ok_and(|again| same(again, answer)), || {
                let again = again.map_or_else(|error| error.to_string(), |again| again.to_string());
                format!("{name}: {how}, the answer is {again}, not {answer}")
            });
        }
    }
    Ok(())
}

fn same<T: Real>(x: &Choice<T>, y: &Choice<T>) -> bool {
    let numbers = [(x.value, y.value), (x.upper_bound, y.upper_bound)];
    x.sequence == y.sequence
        && numbers.iter().all(|(x, y)| x.as_f64().to_bits() == y.as_f64().to_bits())
}

/// Asks once and examines the answer.
fn examine<T: Real, O: SequenceOracle<T>>(
    oracle: &mut O,
    objective: &mut dyn SequenceObjective<T>,
) -> Result<Choice<T>, String> {
    let num_actions = objective.num_actions();
    let mut scored = Scored { objective, values: Vec::new(), illegal: None };
    let choice = oracle.maximize(&mut scored).map_err(|error| error.to_string());
    let Scored { objective, values: scored, illegal } = scored;
    if let Some(illegal) = illegal {
        return Err(format!("{illegal} was scored, but there are only {num_actions} actions"));
    }
    let choice = choice?;
    let (value, bound, seq) = (choice.value, choice.upper_bound, &choice.sequence);
    if seq.max_action() >= num_actions {
        return Err(format!("{seq} was chosen, but there are only {num_actions} actions"));
    }
    let truth = objective.value(seq);
    if !agree(value, truth) {
        return Err(format!("{seq} has the value {truth}, not {value} as the oracle says"));
    }
    let above = |x: T, limit: T| !(x <= limit || agree(x, limit));
    if let Some((better, x)) = scored.iter().find(|(_, x)| above(*x, value)) {
        return Err(format!("{seq} with {value} was chosen, but {better} was scored with {x}"));
    }
    let sample = periodic(num_actions, 2, 3).take(SAMPLE).map(|seq| (objective.value(&seq), seq));
    if let Some((x, better)) = sample.chain([(truth, seq.clone())]).find(|(x, _)| above(*x, bound))
    {
        return Err(format!(
            "the upper bound is {}, but {better} has the value {x}",
            Number(bound.as_f64())
        ));
    }
    if let Some(family) = oracle.family(num_actions) {
        let values = objective.values(&family);
        let first = values.iter().zip(family.iter()).reduce(|a, b| if b.0 > a.0 { b } else { a });
        match first {
            Some((_, best)) if best == seq => {}
            Some((_, best)) => {
                return Err(format!("{best} is the first maximum of the family, not {seq}"));
            }
            None => return Err("the family is empty".into()),
        }
    }
    Ok(choice)
}
