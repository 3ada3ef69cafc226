//! The sequences that the learner chooses from at present.

use std::collections::HashSet;
use std::sync::Arc;

use nalgebra::DMatrix;

use crate::Real;
use crate::agents::AgentError;
use crate::agents::error::{check_counts, check_family};
use crate::agents::lsvi_ucb::candidates::turn;
use crate::agents::lsvi_ucb::{Candidates, Continuation};
use crate::features::TabularPsi;
use crate::sequence::{ActionSequence, first_sequences};

/// After how many episodes without being chosen anywhere a sequence leaves the pool.
const IDLE: u64 = 300;
/// No sequence has more actions in prefix and period than this.
const MOST_ACTIONS: usize = 1 << 12;

/// A sequence of the pool.
#[derive(Debug, Clone)]
pub(super) struct Member<T> {
    pub(super) sequence: ActionSequence,
    /// psi of every state, one after the other.
    pub(super) psi: Vec<T>,
    /// The last episode whose plan had it.
    pub(super) chosen: u64,
}

/// The pool: first the sequences that it started with, which stay, then those found.
#[derive(Debug, Clone)]
pub(super) struct Pool<T: Real> {
    psi: TabularPsi<T>,
    factors: Vec<T>,
    pub(super) members: Vec<Member<T>>,
    /// How many of the first stay for ever.
    pub(super) permanent: usize,
    size: usize,
    /// Whether the candidates tell the transitions of the model too.
    by_model: bool,
}

impl<T: Real> Pool<T> {
    /// A pool of at most `size` sequences.
    pub(super) fn new(psi: TabularPsi<T>, size: usize, continuation: Continuation) -> Self {
        let by_model = continuation == Continuation::Model;
        let factors = turn(psi.model());
        let first = first_sequences(psi.model().num_actions(), size);
        let (members, permanent) = (Vec::new(), first.len());
        let mut pool = Self { psi, factors, members, permanent, size, by_model };
        pool.members = first.into_iter().map(|seq| pool.member(seq, 0)).collect();
        pool
    }

    pub(super) fn psi(&self) -> &TabularPsi<T> {
        &self.psi
    }

    /// Goes on with the same sequences and the features of another model.
    pub(super) fn replace_psi(&mut self, psi: TabularPsi<T>) {
        (self.factors, self.psi) = (turn(psi.model()), psi);
        let members = std::mem::take(&mut self.members);
        let anew = |old: Member<T>| self.member(old.sequence, old.chosen);
        self.members = members.into_iter().map(anew).collect();
    }

    /// A member whose features depend on nothing but its sequence, to the last bit: not on what else
    /// is in the pool.
    pub(super) fn member(&self, sequence: ActionSequence, chosen: u64) -> Member<T> {
        let table = self.psi.table(std::slice::from_ref(&sequence));
        let (d, m) = (table.nrows() / 2, self.factors.len());
        let psi = table
            .column_iter()
            .flat_map(|column| (0..d).map(|i| self.factors[i % m] * column[i]).collect::<Vec<_>>());
        Member { psi: psi.collect(), sequence, chosen }
    }

    /// psi of one state and any sequence.
    pub(super) fn features(&self, s: usize, sequence: &ActionSequence) -> Vec<f64> {
        use crate::features::SequenceFeatures as _;
        let psi = self.psi.psi(&s, sequence);
        let m = self.factors.len();
        (0..psi.len() / 2).map(|i| (self.factors[i % m] * psi[i]).as_f64()).collect()
    }

    /// psi of one state and a member.
    pub(super) fn member_features(&self, j: usize, s: usize) -> Vec<f64> {
        let d = self.psi.model().num_states() * self.factors.len();
        self.members[j].psi[s * d..(s + 1) * d].iter().map(|x| x.as_f64()).collect()
    }

    pub(super) fn contains(&self, sequence: &ActionSequence) -> bool {
        self.members.iter().any(|member| member.sequence == *sequence)
    }

    /// Notes which sequences the plan of an episode has.
    pub(super) fn note(&mut self, stages: &[u32], episode: u64) {
        for &j in stages {
            self.members[j as usize].chosen = episode;
        }
    }

    /// Adds what was found and drops what is idle; whether anything changed.
    pub(super) fn renew(&mut self, found: Vec<ActionSequence>, episode: u64) -> bool {
        let before = self.members.len();
        let permanent = self.permanent;
        let mut at = 0;
        self.members.retain(|member| {
            at += 1;
            at <= permanent || member.chosen + IDLE >= episode
        });
        let mut changed = self.members.len() != before;
        for sequence in found {
            if self.contains(&sequence) {
                continue;
            }
            if self.members.len() >= self.size && !self.drop_idlest(episode) {
                break;
            }
            let member = self.member(sequence, episode);
            self.members.push(member);
            changed = true;
        }
        changed
    }

    /// Drops the sequence found that has not been chosen for longest; `false` if all of them are in use.
    fn drop_idlest(&mut self, episode: u64) -> bool {
        let found = self.members.iter().enumerate().skip(self.permanent);
        let idlest = found.min_by_key(|(_, member)| member.chosen);
        match idlest {
            Some((at, member)) if member.chosen < episode => {
                self.members.remove(at);
                true
            }
            _ => false,
        }
    }

    /// The pool of an agent that was saved.
    ///
    /// # Errors
    /// [`AgentError`] if it is not one that starts with the same sequences, has more of them than there is room
    /// for or one twice, takes an action that there is not or was chosen beyond all counting.
    pub(super) fn restore(&mut self, saved: Vec<(ActionSequence, u64)>) -> Result<(), AgentError> {
        let sequences: Vec<_> = saved.iter().map(|(sequence, _)| sequence.clone()).collect();
        check_family(&sequences, self.psi.model().num_actions())?;
        let first = self.members[..self.permanent].iter().map(|member| &member.sequence);
        let kept = first.zip(&sequences).take_while(|(mine, saved)| mine == saved).count();
        check_counts([("first sequences", self.permanent, kept)])?;
        let distinct = sequences.iter().collect::<HashSet<_>>().len();
        check_counts([("distinct sequences", sequences.len(), distinct)])?;
        if sequences.len() > self.size.max(self.permanent) {
            let (what, expected, found) = ("sequences or more", self.size, sequences.len());
            return Err(AgentError::Restore { what, expected, found });
        }
        let actions = |seq: &ActionSequence| seq.prefix().len() + seq.period().len();
        if let Some(long) = sequences.iter().map(actions).find(|&length| length > MOST_ACTIONS) {
            let (what, expected, found) = ("actions in a sequence", MOST_ACTIONS, long);
            return Err(AgentError::Restore { what, expected, found });
        }
        if let Some((_, chosen)) = saved.iter().find(|(_, chosen)| *chosen > u64::MAX / 2) {
            let (what, value) = ("a sequence chosen in episode", *chosen as f64);
            let needed = "one that can be counted on";
            return Err(AgentError::Saved { what, value, needed });
        }
        self.members = saved.into_iter().map(|(seq, chosen)| self.member(seq, chosen)).collect();
        Ok(())
    }

    /// All members with their features.
    pub(super) fn candidates(&self) -> Candidates<T> {
        let model = self.psi.model();
        let (n, m) = (model.num_states(), self.members.len());
        let d = n * model.num_actions();
        let family: Arc<[ActionSequence]> =
            self.members.iter().map(|member| member.sequence.clone()).collect();
        let psi = DMatrix::from_fn(d, n * m, |i, column| {
            self.members[column % m].psi[column / m * d + i]
        });
        let candidates = Candidates::known(family, n, model.discount(), psi);
        if self.by_model { candidates.continued_by(model) } else { candidates }
    }
}
