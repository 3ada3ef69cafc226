//! An oracle: local search over sequences with a short prefix and a short period.

use sporadic::Fault;
use sporadic::kind;
use sporadic::kinds::{OracleKind, ParameterError};
use sporadic::oracles::{Choice, OracleError, SequenceObjective, SequenceOracle};
use sporadic::sequence::ActionSequence;

kind! {
    /// Changes one action of a prefix or a period at a time and keeps what is not worse.
    pub struct Annealing("annealing") {
        /// How many changes are tried
        steps: usize = 100,
        /// The length of the prefix, and of the period
        length: usize = 3,
    }
}

struct Search(Annealing);

/// A few bits that look random and are the same in every run: an oracle must answer the same question
/// alike whenever it is asked.
fn scramble(x: u64) -> usize {
    let z = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z >> 33) as usize
}

impl SequenceOracle<f64> for Search {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<f64>,
    ) -> Result<Choice<f64>, OracleError> {
        let Annealing { steps, length } = self.0;
        let actions = objective.num_actions();
        let upper_bound = objective.upper_bound(&[]);
        let sequence =
            |word: &[usize]| ActionSequence::new(&word[..length], word[length..].to_vec());
        let mut word = vec![0; 2 * length];
        let mut value = objective.value(&sequence(&word));
        for step in 0..steps {
            let mut next = word.clone();
            let at = scramble(3 * step as u64 + 1) % next.len();
            next[at] = scramble(3 * step as u64 + 2) % actions;
            let other = objective.value(&sequence(&next));
            if other >= value {
                (word, value) = (next, other);
            }
        }
        let sequence = sequence(&word);
        if value.is_nan() {
            return Err(OracleError::NotANumber { sequence: sequence.to_string() });
        }
        Ok(Choice { sequence, value, upper_bound, evaluated: steps + 1 })
    }
}

impl OracleKind for Annealing {
    fn build(&self, _: usize) -> Result<Box<dyn SequenceOracle<f64>>, Fault> {
        Ok(Box::new(Search(self.clone())))
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.length == 0 || self.length > 100 {
            return Err(ParameterError::new("length", self.length, "at least 1 and at most 100"));
        }
        if self.steps > 1_000_000 {
            return Err(ParameterError::new("steps", self.steps, "at most 1000000"));
        }
        Ok(())
    }
}
