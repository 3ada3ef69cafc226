//! Trials: follow greedy actions through blind beliefs, then back up along that path.

use super::arrays::dot;
use super::pool::{Lookahead, Pool};
use crate::model::Action;

/// A path is not followed once its blind weight is below this.
const LEAST_WEIGHT: f64 = 1e-7;

/// The settings of a trial.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    /// The most steps.
    pub(super) depth: usize,
    /// Gains below this are not worth an entry (times 1e-3) or a further step (if `early`).
    pub(super) tolerance: f64,
    /// Whether to stop where a one-step lookahead gains nothing.
    pub(super) early: bool,
}

impl Pool<'_> {
    /// Runs deep greedy trials from all corners until V stops rising; at most a tenth of the remaining
    /// time.
    pub(super) fn explore(&mut self, gap: f64) {
        let part = self.limits.share(0.1);
        let tolerance = 0.01 * gap * (1.0 - self.arrays.gamma);
        for _ in 0..50 {
            for s in 0..self.arrays.n {
                if part.late() || self.is_full() {
                    break;
                }
                let how = Trial { depth: 300, tolerance, early: false };
                self.trial(&self.arrays.corner(s), how);
            }
            if self.improve() < 0.01 * gap || part.late() || self.is_full() {
                break;
            }
        }
    }

    /// Follows greedy blind actions from `start`, closes a cycle if one shows, and backs up along
    /// the path in reverse. Returns the best entry found for `start`.
    pub(super) fn trial(&mut self, start: &[f64], how: Trial) -> usize {
        let depth = how.depth.min(self.limits.entries.saturating_sub(self.len()));
        // On the way back only the entries that are new since then are looked at.
        let mark = self.len();
        let mut path = vec![start.to_vec()];
        let mut actions: Vec<Action> = Vec::new();
        let mut seen: Vec<Seen> = Vec::new();
        let mut best = self.best(start);
        let mut weight = 1.0;
        let mut period = None;
        while actions.len() < depth && weight > LEAST_WEIGHT && !self.limits.late() {
            let here = &path[actions.len()];
            period = returning(&actions, &path);
            if period.is_some() {
                break;
            }
            let ahead = self.lookahead(here);
            if how.early && !actions.is_empty() && weight * (ahead.value - best.1) <= how.tolerance
            {
                break;
            }
            seen.push(Seen { best, ahead });
            best = (ahead.rest, ahead.there);
            weight *= self.arrays.actions[ahead.action].blind;
            path.push(self.arrays.step(here, ahead.action));
            actions.push(ahead.action);
        }
        let last = &path[actions.len()];
        let mut id = best.0;
        if let Some(p) = period.or_else(|| repeating(&actions))
            && self.has_room_for_cycle()
        {
            let cycle = self.add_cycle(&actions[actions.len() - p..]);
            if dot(self.alpha(cycle), last) > dot(self.alpha(id), last) {
                id = cycle;
            }
        }
        for (seen, belief) in seen.into_iter().zip(&path).rev() {
            if self.limits.late() {
                return self.best(start).0;
            }
            id = self.back_up(belief, seen, id, mark, 1e-3 * how.tolerance);
        }
        id
    }

    /// The best of: what the pool has at `belief`, a lookahead, and the action on the way out followed by
    /// entry `rest`. What entries before `mark` give is known from the way out.
    fn back_up(
        &mut self,
        belief: &[f64],
        seen: Seen,
        rest: usize,
        mark: usize,
        worth: f64,
    ) -> usize {
        let (old, known) = self.better(belief, mark, seen.best);
        let ahead = self.look_further(belief, mark, seen.ahead);
        let a = seen.ahead.action;
        let followed = dot(&self.backup(a, self.alpha(rest)), belief);
        if ahead.value.max(followed) <= known + worth {
            old
        } else if followed >= ahead.value {
            self.add(a, rest)
        } else {
            self.add(ahead.action, ahead.rest)
        }
    }
}

/// What a trial found at a belief on its way out.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// The best entry, and its value.
    best: (usize, f64),
    ahead: Lookahead,
}

/// The period with which both the last actions and the belief have come back.
fn returning(actions: &[Action], path: &[Vec<f64>]) -> Option<usize> {
    let h = actions.len();
    (1..=(h / 2).min(40)).find(|&p| {
        let moved = || path[h].iter().zip(&path[h - p]).map(|(x, y)| (x - y).abs()).sum::<f64>();
        actions[h - p..] == actions[h - 2 * p..h - p] && moved() < 1e-6
    })
}

/// The period with which a long path of actions ends, whatever the beliefs along it are.
fn repeating(actions: &[Action]) -> Option<usize> {
    let h = actions.len();
    if h < 24 {
        return None;
    }
    (1..=h / 3).find(|&p| (h - 2 * p.max(6)..h).all(|i| actions[i] == actions[i - p]))
}

#[cfg(test)]
mod tests {
    use super::super::SolveOptions;
    use super::super::arrays::Arrays;
    use super::super::limits::Limits;
    use super::*;
    use crate::model::gallery;

    /// What old entries gave on the way out, and new ones on top, is what all of them give.
    #[test]
    fn new_entries_on_top_of_old_ones_are_all_entries() {
        let arrays = Arrays::new(&gallery::river_balance::<f64>(9, 0.1, 0.99).unwrap());
        let mut pool = Pool::new(&arrays, Limits::new(&SolveOptions::default(), 9, 2));
        let how = Trial { depth: 60, tolerance: 1e-6, early: false };
        let mut beliefs: Vec<Vec<f64>> = (0..9).map(|s| arrays.corner(s)).collect();
        for i in 0..60 {
            beliefs.push(arrays.step(&beliefs[i], (i / 3) % 2));
        }
        for s in 0..9 {
            let mark = pool.len();
            let seen: Vec<Seen> = (beliefs.iter())
                .map(|b| Seen { best: pool.best(b), ahead: pool.lookahead(b) })
                .collect();
            pool.trial(&arrays.corner(s), how);
            assert!(s > 0 || pool.len() > mark + 10);
            for (b, seen) in beliefs.iter().zip(seen) {
                assert_eq!(pool.better(b, mark, seen.best), pool.best(b));
                let (known, plain) = (pool.look_further(b, mark, seen.ahead), pool.lookahead(b));
                assert_eq!(known.value.to_bits(), plain.value.to_bits());
            }
        }
    }

    #[test]
    fn periods_are_found_at_the_end() {
        let word =
            |text: &str| -> Vec<Action> { text.bytes().map(|b| usize::from(b - b'0')).collect() };
        assert_eq!(repeating(&word("000111000111010101010101")), None);
        assert_eq!(repeating(&word("0001110001110101010101010")), Some(2));
        assert_eq!(repeating(&word("000111000101010101010101010")), Some(2));
        assert_eq!(repeating(&word("0101")), None);
        let path: Vec<Vec<f64>> = (0..5).map(|h| vec![f64::from(h % 2), 0.0]).collect();
        assert_eq!(returning(&[0, 1, 0, 1], &path), Some(2));
        assert_eq!(returning(&[0, 1, 1, 1], &path), None);
    }
}
