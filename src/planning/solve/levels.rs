//! L(b) = max_i alpha_i . b at many beliefs that lie close together.
//!
//! The beliefs of a tree crowd into a small part of the simplex. So a few reference beliefs are kept.
//! Let alpha be the best vector at a reference c, and t the larger of the sums of (b - c)^+ and of
//! (b - c)^-. On the way from c to b another vector alpha_i rises above alpha by at most t times
//! range(alpha_i - alpha), the largest component, at least 0, less the smallest, at most 0. So alpha_i is
//! not better than alpha at b if
//!
//! ```math
//! t <= reach_i = (alpha - alpha_i).c / range(alpha_i - alpha)
//! ```
//!
//! The vectors are listed with each reference in the order of their reach: only the first few have to
//! be looked at.
//!
//! The differences at c are lowered by a margin for rounding, so the result is the largest of all
//! products up to this margin.

use std::collections::HashMap;

use super::arrays::dot;
use super::columns::Columns;
use crate::model::Action;

/// The most references.
const MOST_REFERENCES: usize = 1000;

/// The most vectors listed with a reference.
const MOST_LISTED: usize = 1000;

/// With fewer vectors than this all are looked at: lists would not pay.
const FEW: usize = 400;

/// The reference of the hint is taken if no more vectors than this have to be looked at, and the
/// nearest one if no more than [`LONG`].
const SHORT: usize = 250;
const LONG: usize = 400;

/// A belief, the vector that is best there, and those that are better not far from there.
#[derive(Debug)]
struct Reference {
    belief: Vec<f64>,
    best: usize,
    /// (reach, vector), the shortest reach first.
    listed: Vec<(f64, usize)>,
    /// No vector that is not listed has a shorter reach.
    rest: f64,
}

impl Reference {
    /// How many vectors have to be looked at this far away; `usize::MAX` if not all are listed.
    fn within(&self, away: f64) -> usize {
        if away > self.rest {
            return usize::MAX;
        }
        self.listed.partition_point(|&(reach, _)| reach < away)
    }
}

/// Finds L at beliefs of a tree.
#[derive(Debug)]
pub(super) struct Levels<'a> {
    columns: &'a Columns,
    n: usize,
    /// The vectors one after the other.
    vectors: Vec<f64>,
    references: Vec<Reference>,
    /// The most references; none if all vectors are always looked at.
    most: usize,
    /// The reference used last after each reference and action.
    follow: HashMap<(usize, Action), usize>,
    /// What rounding may add up to in one comparison.
    slack: f64,
    scratch: Vec<f64>,
}

impl<'a> Levels<'a> {
    /// Lists of at most `room` bytes; `slack` is what rounding may add up to in one comparison.
    pub(super) fn new(columns: &'a Columns, slack: f64, room: usize) -> Self {
        let n = columns.dim();
        let each = 8 * n + 16 * MOST_LISTED;
        let most = if columns.len() <= FEW { 0 } else { MOST_REFERENCES.min(room / each) };
        let vectors = if most == 0 {
            Vec::new()
        } else {
            (0..columns.len()).flat_map(|i| columns.column(i)).collect()
        };
        let (references, follow, scratch) = (Vec::new(), HashMap::new(), Vec::new());
        Self { columns, n, vectors, references, most, follow, slack, scratch }
    }

    /// What the lists take, in bytes, without the copy of the vectors.
    pub(super) fn bytes(&self) -> usize {
        self.references.len() * (8 * self.n + 16 * MOST_LISTED)
    }

    /// L at `belief`, and the number of the reference used. The belief is that after action `a` from
    /// one for which reference `from` was used: there the same reference as last time is tried first.
    pub(super) fn at(&mut self, belief: &[f64], from: usize, a: Action) -> (f64, usize) {
        if self.most == 0 {
            return (self.columns.best(belief, &mut self.scratch).1, 0);
        }
        let (level, used) = self.search(belief, self.follow.get(&(from, a)).copied());
        self.follow.insert((from, a), used);
        (level, used)
    }

    fn search(&mut self, belief: &[f64], hint: Option<usize>) -> (f64, usize) {
        if let Some(k) = hint {
            let away = distance(&self.references[k].belief, belief);
            if self.references[k].within(away) <= SHORT {
                return (self.scan(k, away, belief), k);
            }
        }
        let mut near = (f64::INFINITY, 0);
        for (k, reference) in self.references.iter().enumerate() {
            let away = distance(&reference.belief, belief);
            if away < near.0 {
                near = (away, k);
            }
        }
        if let (away, Some(reference)) = (near.0, self.references.get(near.1)) {
            let full = self.references.len() >= self.most;
            if away <= reference.rest && (full || reference.within(away) <= LONG) {
                return (self.scan(near.1, away, belief), near.1);
            }
        }
        self.settle(belief, near.1)
    }

    fn vector(&self, i: usize) -> &[f64] {
        &self.vectors[i * self.n..(i + 1) * self.n]
    }

    /// L at `belief` by the list of reference `k`, which is `away` and lists all that matter.
    fn scan(&self, k: usize, away: f64, belief: &[f64]) -> f64 {
        let reference = &self.references[k];
        let first = dot(self.vector(reference.best), belief);
        let others = reference.listed.iter().take_while(|&&(reach, _)| reach < away);
        others.fold(first, |level, &(_, i)| level.max(dot(self.vector(i), belief)))
    }

    /// L at `belief` by all vectors; the belief becomes a reference if there is room.
    fn settle(&mut self, belief: &[f64], nearest: usize) -> (f64, usize) {
        let (best, level) = self.columns.best(belief, &mut self.scratch);
        if self.references.len() >= self.most {
            return (level, nearest);
        }
        let top = self.vector(best);
        let mut listed: Vec<(f64, usize)> = (self.scratch.iter().enumerate())
            .map(|(i, value)| {
                let (mut low, mut high) = (0.0_f64, 0.0_f64);
                for (x, y) in self.vector(i).iter().zip(top) {
                    low = low.min(x - y);
                    high = high.max(x - y);
                }
                (((level - value - self.slack) / (high - low + self.slack)).max(0.0), i)
            })
            .collect();
        let order = |x: &(f64, usize), y: &(f64, usize)| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1));
        let mut rest = f64::INFINITY;
        if listed.len() > MOST_LISTED {
            listed.select_nth_unstable_by(MOST_LISTED, order);
            rest = listed[MOST_LISTED].0;
            listed.truncate(MOST_LISTED);
        }
        listed.sort_unstable_by(order);
        listed.shrink_to_fit();
        self.references.push(Reference { belief: belief.to_vec(), best, listed, rest });
        (level, self.references.len() - 1)
    }
}

/// The larger of the sums of (b - c)^+ and of (b - c)^-, which are equal up to rounding.
fn distance(b: &[f64], c: &[f64]) -> f64 {
    let (mut up, mut down) = (0.0, 0.0);
    for (x, y) in b.iter().zip(c) {
        up += (x - y).max(0.0);
        down += (y - x).max(0.0);
    }
    f64::max(up, down)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_pcg::Pcg64;

    use super::*;

    /// Random vectors and a random walk of beliefs: lists give what looking at all vectors gives, with
    /// plenty of room, with room for three references, and with none.
    #[test]
    fn lists_miss_no_vector() {
        let mut rng = Pcg64::new(5, 9);
        for n in [2, 5, 12] {
            let mut columns = Columns::new(n);
            for id in 0..2000 {
                let vector: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
                columns.push(id, &vector);
            }
            let mut scratch = Vec::new();
            for room in [usize::MAX, 3 * (8 * n + 16 * MOST_LISTED), 0] {
                let mut levels = Levels::new(&columns, 1e-12, room);
                let mut belief = vec![1.0 / n as f64; n];
                let mut from = usize::MAX;
                for step in 0..3000 {
                    belief.iter_mut().for_each(|b| *b *= rng.random_range(0.8..1.2));
                    let sum: f64 = belief.iter().sum();
                    belief.iter_mut().for_each(|b| *b /= sum);
                    let (level, used) = levels.at(&belief, from, step % 3);
                    from = used;
                    assert!((level - columns.best(&belief, &mut scratch).1).abs() < 1e-11);
                }
                assert!(levels.references.len() <= levels.most);
                assert!(levels.bytes() <= room);
            }
        }
    }
}
