//! Action sequences, sharing tails, and their values under the current V.

use std::collections::HashMap;

use nalgebra::{DMatrix, DVector};

use super::arrays::{Arrays, dot};
use super::columns::Columns;
use super::limits::Limits;
use crate::model::Action;
use crate::sequence::ActionSequence;

/// One eventually periodic sequence.
#[derive(Debug, Clone)]
pub(super) enum Entry {
    /// An action, then the sequence of an earlier entry.
    Then { action: Action, rest: usize },
    /// A word for ever, with (I - W)^-1 for the blind operator W of the word.
    Cycle { word: Vec<Action>, inverse: DMatrix<f64> },
}

/// An action followed by an entry, at some belief.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookahead {
    pub(super) action: Action,
    pub(super) rest: usize,
    /// The value of the entry after the action.
    pub(super) there: f64,
    /// The value of both.
    pub(super) value: f64,
}

/// The sequences found so far. Entry i has the vector alpha_i with
///
/// ```math
/// alpha_i(s) = value of playing sequence i from s until the next sighting, then V
/// ```
///
/// so that alpha_i . b is its value at a belief b. The current policy plays the sequence `policy[s]`
/// from each sighting of s, and `v` is its value.
///
/// The entries that repeat action a for ever are number a, and are always there.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    pub(super) arrays: &'a Arrays,
    pub(super) limits: Limits,
    pub(super) v: Vec<f64>,
    pub(super) policy: Vec<usize>,
    /// r_a + gamma beta_a P_a V for each action: the part of a backup that is known at once.
    pub(super) base: Vec<Vec<f64>>,
    pub(super) entries: Vec<Entry>,
    /// alpha_i at `i * n..(i + 1) * n`, and the same by components.
    alphas: Vec<f64>,
    columns: Columns,
    /// Which entry is (action, rest), and which repeats a word: nothing is stored twice.
    by_parts: HashMap<(Action, usize), usize>,
    by_word: HashMap<Vec<Action>, usize>,
    scratch: Vec<f64>,
    next: Vec<f64>,
}

impl<'a> Pool<'a> {
    /// The constant sequences, and the best policy among them.
    pub(super) fn new(arrays: &'a Arrays, limits: Limits) -> Self {
        let n = arrays.n;
        let mut pool = Self {
            arrays,
            limits,
            v: vec![0.0; n],
            policy: vec![0; n],
            base: arrays.actions.iter().map(|action| action.reward.clone()).collect(),
            entries: Vec::new(),
            alphas: Vec::new(),
            columns: Columns::new(n),
            by_parts: HashMap::new(),
            by_word: HashMap::new(),
            scratch: Vec::new(),
            next: vec![0.0; n],
        };
        for a in 0..arrays.actions.len() {
            pool.add_cycle(&[a]);
        }
        pool.policy = (0..n).map(|s| pool.best(&arrays.corner(s)).0).collect();
        pool.evaluate();
        pool.improve();
        pool
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the share of memory for sequences is used up.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.limits.entries
    }

    /// Whether one more cycle, with its n x n matrix, fits.
    pub(super) fn has_room_for_cycle(&self) -> bool {
        self.by_word.len() < self.limits.cycles
    }

    /// The number of cycles.
    pub(super) fn cycles(&self) -> usize {
        self.by_word.len()
    }

    pub(super) fn alpha(&self, i: usize) -> &[f64] {
        &self.alphas[i * self.arrays.n..(i + 1) * self.arrays.n]
    }

    /// The backup r_a + gamma beta_a P_a V + gamma (1 - beta_a) P_a `rest`: first `a`, then what
    /// `rest` is the value of.
    pub(super) fn backup(&self, a: Action, rest: &[f64]) -> Vec<f64> {
        let action = &self.arrays.actions[a];
        if action.blind > 0.0 {
            let base = self.base[a].iter().enumerate();
            base.map(|(s, x)| x + action.blind * action.pull(s, rest)).collect()
        } else {
            self.base[a].clone()
        }
    }

    /// The value of a word followed by `rest`.
    pub(super) fn backup_word(&self, word: &[Action], rest: Vec<f64>) -> Vec<f64> {
        word.iter().rev().fold(rest, |value, &a| self.backup(a, &value))
    }

    fn value_of(&self, entry: &Entry) -> Vec<f64> {
        match entry {
            Entry::Then { action, rest } => self.backup(*action, self.alpha(*rest)),
            Entry::Cycle { word, inverse } => {
                let once = self.backup_word(word, vec![0.0; self.arrays.n]);
                (inverse * DVector::from_vec(once)).as_slice().to_vec()
            }
        }
    }

    fn push(&mut self, entry: Entry) -> usize {
        let id = self.len();
        let alpha = self.value_of(&entry);
        self.entries.push(entry);
        self.alphas.extend_from_slice(&alpha);
        self.columns.push(id, &alpha);
        id
    }

    /// The entry "`action`, then `rest`", if there is one.
    pub(super) fn find(&self, action: Action, rest: usize) -> Option<usize> {
        self.by_parts.get(&(action, rest)).copied()
    }

    /// The entry "`action`, then `rest`", made if it is new.
    pub(super) fn add(&mut self, action: Action, rest: usize) -> usize {
        if let Some(&id) = self.by_parts.get(&(action, rest)) {
            return id;
        }
        let id = self.push(Entry::Then { action, rest });
        self.by_parts.insert((action, rest), id);
        id
    }

    /// The entry that repeats `word`, made if it is new.
    pub(super) fn add_cycle(&mut self, word: &[Action]) -> usize {
        if let Some(&id) = self.by_word.get(word) {
            return id;
        }
        let n = self.arrays.n;
        let mut operator = DMatrix::identity(n, n);
        for s in 0..n {
            let mut row = self.arrays.corner(s);
            for &a in word {
                row = self.arrays.step(&row, a);
                row.iter_mut().for_each(|x| *x *= self.arrays.actions[a].blind);
            }
            for (t, x) in row.into_iter().enumerate() {
                operator[(s, t)] -= x;
            }
        }
        // W has row sums below 1, so I - W is invertible; were it not, any matrix would still be
        // sound, since no bound trusts these values.
        let inverse = operator.try_inverse().unwrap_or_else(|| DMatrix::identity(n, n));
        let id = self.push(Entry::Cycle { word: word.to_vec(), inverse });
        self.by_word.insert(word.to_vec(), id);
        id
    }

    /// Recomputes everything that depends on V, after V has changed.
    pub(super) fn refresh(&mut self) {
        for (base, action) in self.base.iter_mut().zip(&self.arrays.actions) {
            for (s, x) in base.iter_mut().enumerate() {
                *x = action.reward[s] + action.seen * action.pull(s, &self.v);
            }
        }
        let n = self.arrays.n;
        // A rest comes before what it is the rest of, so one sweep in order is enough.
        for id in 0..self.len() {
            let alpha = self.value_of(&self.entries[id]);
            self.alphas[id * n..(id + 1) * n].copy_from_slice(&alpha);
            self.columns.set(id, &alpha);
        }
    }

    /// The best entry at `belief`, and its value there.
    pub(super) fn best(&mut self, belief: &[f64]) -> (usize, f64) {
        self.columns.best(belief, &mut self.scratch)
    }

    /// The best of the entries from number `from` on at `belief`, and its value there, if it is better
    /// than `known`, which is returned otherwise.
    pub(super) fn better(
        &mut self,
        belief: &[f64],
        from: usize,
        known: (usize, f64),
    ) -> (usize, f64) {
        if from >= self.len() {
            return known;
        }
        let found = self.columns.best_from(from, belief, &mut self.scratch);
        if found.1 > known.1 { found } else { known }
    }

    /// The best action followed by the best entry.
    pub(super) fn lookahead(&mut self, belief: &[f64]) -> Lookahead {
        let none = Lookahead { action: 0, rest: 0, there: 0.0, value: f64::NEG_INFINITY };
        self.look_further(belief, 0, none)
    }

    /// The best action followed by the best of the entries from number `from` on, if that is better than
    /// `known`, which is returned otherwise.
    pub(super) fn look_further(
        &mut self,
        belief: &[f64],
        from: usize,
        known: Lookahead,
    ) -> Lookahead {
        let mut found = known;
        if from >= self.len() {
            return found;
        }
        for (a, action) in self.arrays.actions.iter().enumerate() {
            action.push(belief, &mut self.next);
            let (rest, there) = self.columns.best_from(from, &self.next, &mut self.scratch);
            let value = dot(belief, &self.base[a]) + action.blind * there;
            if value > found.value {
                found = Lookahead { action: a, rest, there, value };
            }
        }
        found
    }

    /// The sequence of an entry.
    pub(super) fn sequence(&self, mut id: usize) -> ActionSequence {
        let mut prefix = Vec::new();
        loop {
            match &self.entries[id] {
                Entry::Then { action, rest } => {
                    prefix.push(*action);
                    id = *rest;
                }
                Entry::Cycle { word, .. } => return ActionSequence::new(prefix, word.clone()),
            }
        }
    }

    /// Drops the entries that neither `roots` nor the policy need. Returns the new number of each
    /// old entry, `usize::MAX` for those that are gone.
    pub(super) fn collect_garbage(&mut self, roots: &[usize]) -> Vec<usize> {
        let n = self.arrays.n;
        let mut keep = vec![false; self.len()];
        keep[..self.arrays.actions.len()].fill(true);
        for &id in roots.iter().chain(&self.policy) {
            keep[id] = true;
        }
        for id in (0..self.len()).rev() {
            if let (true, Entry::Then { rest, .. }) = (keep[id], &self.entries[id]) {
                keep[*rest] = true;
            }
        }
        let mut renamed = vec![usize::MAX; self.len()];
        let entries = std::mem::take(&mut self.entries);
        let alphas = std::mem::take(&mut self.alphas);
        self.by_parts.clear();
        self.by_word.clear();
        self.columns.clear();
        for (old, mut entry) in entries.into_iter().enumerate().filter(|&(old, _)| keep[old]) {
            let id = self.len();
            renamed[old] = id;
            match &mut entry {
                Entry::Then { action, rest } => {
                    *rest = renamed[*rest];
                    self.by_parts.insert((*action, *rest), id);
                }
                Entry::Cycle { word, .. } => {
                    self.by_word.insert(word.clone(), id);
                }
            }
            self.entries.push(entry);
            let alpha = &alphas[old * n..(old + 1) * n];
            self.alphas.extend_from_slice(alpha);
            self.columns.push(id, alpha);
        }
        self.policy.iter_mut().for_each(|id| *id = renamed[*id]);
        renamed
    }
}
