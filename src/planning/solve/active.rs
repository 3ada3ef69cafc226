//! The active set: sequences that are, up to a known error, closed under backup over all beliefs.

use std::collections::HashSet;

use super::columns::Columns;
use super::lp::{DominanceLp, Verdict};
use super::pool::Pool;
use super::trial::Trial;

/// The outcome of [`close`](Active::close).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closure {
    /// Every backup is within the tolerance.
    Complete,
    /// The set stopped growing because time ran short; the errors are measured but may exceed the
    /// tolerance.
    FrozenByTime,
    /// The set stopped growing because memory ran short; the errors are measured but may exceed the
    /// tolerance.
    FrozenByMemory,
    /// The time ran out before every backup was looked at: the errors mean nothing.
    Abandoned,
}

/// Sequences of the pool, as they were when V last changed, with L(b) = max over them of alpha . b.
///
/// `error[a]` is an upper bound on how far the backup by action a of any of them rises above L:
///
/// ```math
/// (r_a + gamma beta_a P_a V + gamma (1 - beta_a) P_a alpha) . b  <=  L(b) + error[a]
/// ```
///
/// for every belief b and every alpha of the set. It is infinite before the first closure.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) columns: Columns,
    members: HashSet<usize>,
    pub(super) error: Vec<f64>,
    scratch: Vec<f64>,
}

impl Active {
    /// The constant sequences, with nothing known about their backups.
    pub(super) fn new(pool: &Pool) -> Self {
        let actions = pool.arrays.actions.len();
        let mut active = Self {
            columns: Columns::new(pool.arrays.n),
            members: HashSet::new(),
            error: vec![f64::INFINITY; actions],
            scratch: Vec::new(),
        };
        for a in 0..actions {
            active.insert(a, pool);
        }
        active
    }

    /// Whether the entry was not in the set yet.
    fn insert(&mut self, id: usize, pool: &Pool) -> bool {
        let fresh = self.members.insert(id);
        if fresh {
            self.columns.push(id, pool.alpha(id));
        }
        fresh
    }

    /// Takes over the vectors of the pool, after V has changed. The errors are void until the next
    /// closure.
    pub(super) fn refresh(&mut self, pool: &Pool) {
        for (i, id) in self.columns.ids.clone().into_iter().enumerate() {
            self.columns.set(i, pool.alpha(id));
        }
    }

    /// Adds sequences until every backup is within `tolerance` of L, over the whole simplex.
    ///
    /// Where a linear program finds a belief at which a backup stands out, a trial looks for the
    /// best sequence there, and that one is added rather than the backup: it settles more of what
    /// is to come. After 60% of the remaining time, or when memory is used up, nothing is added
    /// any more and the rest is only measured.
    pub(super) fn close(
        &mut self,
        pool: &mut Pool,
        lp: &mut DominanceLp,
        tolerance: f64,
    ) -> Closure {
        const MOST_TRIALS: usize = 30;
        let part = pool.limits.share(0.6);
        let mut frozen = None;
        self.error.fill(f64::NEG_INFINITY);
        lp.forget();
        let mut i = 0;
        while i < self.columns.len() {
            for a in 0..pool.arrays.actions.len() {
                // Where nothing stays hidden, the backup does not depend on alpha.
                if pool.arrays.actions[a].blind <= 0.0 && i > 0 {
                    continue;
                }
                let id = self.columns.ids[i];
                if pool.find(a, id).is_some_and(|own| self.members.contains(&own)) {
                    // The backup is in the set itself.
                    self.error[a] = self.error[a].max(0.0);
                    continue;
                }
                let target = pool.backup(a, &self.columns.column(i));
                let mut trials = 0;
                let error = loop {
                    if pool.limits.late() {
                        return Closure::Abandoned;
                    }
                    if frozen.is_none() && pool.is_full() {
                        frozen = Some(Closure::FrozenByMemory);
                    } else if frozen.is_none() && part.late() {
                        frozen = Some(Closure::FrozenByTime);
                    }
                    if frozen.is_some() {
                        break lp.gain(&target, &self.columns, tolerance.max(self.error[a]));
                    }
                    let len = self.columns.len();
                    let belief = match lp.check(&target, &self.columns, len, tolerance) {
                        Verdict::Below(error) => break error,
                        Verdict::Above(belief) => belief,
                    };
                    trials += 1;
                    let found = if trials <= MOST_TRIALS {
                        let how = Trial { depth: 100, tolerance: 0.1 * tolerance, early: true };
                        pool.trial(&belief, how)
                    } else {
                        pool.add(a, id)
                    };
                    if !self.insert(found, pool) {
                        // Nothing new there: the backup itself settles the matter.
                        let own = pool.add(a, id);
                        if !self.insert(own, pool) {
                            break self.excess(&target, &belief);
                        }
                    }
                };
                self.error[a] = self.error[a].max(error);
            }
            i += 1;
        }
        frozen.unwrap_or(Closure::Complete)
    }

    /// A crude bound on the gain of `target`: over the one column that is best at `belief`.
    fn excess(&mut self, target: &[f64], belief: &[f64]) -> f64 {
        let i = self.columns.best(belief, &mut self.scratch).0;
        let above = target.iter().enumerate().map(|(j, t)| t - self.columns.component(i, j));
        above.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Drops the sequences that the others dominate up to `tolerance`, then the entries of the
    /// pool that nothing needs any more.
    pub(super) fn purge(&mut self, pool: &mut Pool, lp: &mut DominanceLp, tolerance: f64) {
        let mut i = 0;
        while i < self.columns.len() && self.columns.len() > 1 && !pool.limits.late() {
            let last = self.columns.len() - 1;
            let target = self.columns.column(i);
            self.columns.swap(i, last);
            lp.forget();
            match lp.check(&target, &self.columns, last, tolerance) {
                Verdict::Below(gain) if gain <= tolerance => self.columns.pop(),
                _ => {
                    self.columns.swap(i, last);
                    i += 1;
                }
            }
        }
        let renamed = pool.collect_garbage(&self.columns.ids);
        self.columns.ids.iter_mut().for_each(|id| *id = renamed[*id]);
        self.members = self.columns.ids.iter().copied().collect();
    }
}
