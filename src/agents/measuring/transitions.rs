//! Counted transitions.

use crate::agents::error::{AgentError, check_counts};

/// How often each state followed each pair of a state and a control, only those that did.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Transitions {
    /// For each pair, next states in increasing order with their counts.
    rows: Vec<Vec<(usize, f64)>>,
}

impl Transitions {
    pub(super) fn new(pairs: usize) -> Self {
        Self { rows: vec![Vec::new(); pairs] }
    }

    /// Counts one more transition of a pair to `next`, or part of one where it is uncertain.
    pub(super) fn add(&mut self, pair: usize, next: usize, weight: f64) {
        let row = &mut self.rows[pair];
        match row.binary_search_by_key(&next, |(state, _)| *state) {
            Ok(i) => row[i].1 += weight,
            Err(i) => row.insert(i, (next, weight)),
        }
    }

    /// The next states of a pair, with how often each was seen.
    pub fn row(&self, pair: usize) -> &[(usize, f64)] {
        &self.rows[pair]
    }

    /// How many transitions of a pair were seen.
    pub fn total(&self, pair: usize) -> f64 {
        self.rows[pair].iter().map(|(_, count)| count).sum()
    }

    /// The next state seen most often, the first of several; 0 if none was seen.
    pub(super) fn most_frequent(&self, pair: usize) -> usize {
        let better = |best: (usize, f64), &(state, count): &(usize, f64)| {
            if count > best.1 { (state, count) } else { best }
        };
        self.rows[pair].iter().fold((0, 0.0), better).0
    }

    /// Refuses what was not written for so many pairs and next states below `states`.
    pub(super) fn check(&self, pairs: usize, states: usize) -> Result<(), AgentError> {
        check_counts([("pairs of state and control", pairs, self.rows.len())])?;
        for row in &self.rows {
            if row.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
                let (what, needed) = ("next states of which one is", "above the one before");
                return Err(AgentError::Saved { what, value: row[0].0 as f64, needed });
            }
            if let Some(&(next, _)) = row.iter().find(|(next, _)| *next >= states) {
                let (what, needed) = ("the next state", "a state of this agent");
                return Err(AgentError::Saved { what, value: next as f64, needed });
            }
            if let Some(&(_, value)) = row.iter().find(|(_, count)| !(0.0..1e15).contains(count)) {
                let (what, needed) = ("a count", "0 or more, and below 1e15");
                return Err(AgentError::Saved { what, value, needed });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_their_largest() {
        let mut seen = Transitions::new(2);
        assert_eq!((seen.most_frequent(1), seen.total(1)), (0, 0.0));
        for next in [4, 2, 4, 2, 3] {
            seen.add(1, next, 1.0);
        }
        assert_eq!(seen.row(1), [(2, 2.0), (3, 1.0), (4, 2.0)]);
        assert_eq!((seen.most_frequent(1), seen.total(1), seen.total(0)), (2, 5.0, 0.0));
        assert!(seen.check(2, 5).is_ok());
        assert!(seen.check(2, 4).is_err());
        assert!(seen.check(3, 5).is_err());
    }
}
