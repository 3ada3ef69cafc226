//! The choice where K is clipped.

use crate::Real;
use crate::agents::lsvi_ucb::planner::{Block, LANES, Lanes, Regression};

/// Chooses, in states whose V_u is 1/(1-gamma), the candidate with the largest estimate <psi, w_u> among those whose K
/// is clipped.
///
/// Every one of them is a maximiser of line 12. So they are tried from the best to the worst, as far as is
/// known, each until its bonus no longer reaches the clip.
#[derive(Debug, Clone)]
pub(in crate::agents::lsvi_ucb) struct Clip<T> {
    block: Block<T>,
    /// Coefficients c_0, ..., c_n of a state's candidates, [`LANES`] at a time.
    coefficients: Vec<Lanes<T>>,
    /// Their bonuses.
    bonuses: Vec<Lanes<T>>,
    /// V_(u+1) of the choice made last.
    v: Vec<T>,
}

impl<T: Real> Clip<T> {
    /// For n states and features of dimension d.
    pub(super) fn new(d: usize, n: usize) -> Self {
        Self {
            block: Block::new(d, n),
            coefficients: Vec::new(),
            bonuses: Vec::new(),
            v: vec![T::zero(); n],
        }
    }

    /// Changes `choices`, at `(u - 1) * n + s`, where `values` are clipped.
    pub(in crate::agents::lsvi_ucb) fn choose(
        &mut self,
        k: Regression<'_, T>,
        values: &[T],
        choices: &mut [u32],
    ) {
        let n = k.num_states();
        for s in 0..n {
            let mut known = None;
            for u in (0..choices.len() / n).rev() {
                if values[u * n + s] < k.cap {
                    continue;
                }
                let later = values.get((u + 1) * n..(u + 2) * n);
                if known.is_none() {
                    self.regress(k, s);
                }
                let same = match later {
                    Some(later) => self.v == later,
                    None => self.v.iter().all(|&v| v == k.cap),
                };
                let choice = match known {
                    Some(choice) if same => choice,
                    _ => {
                        match later {
                            Some(later) => self.v.copy_from_slice(later),
                            None => self.v.fill(k.cap),
                        }
                        // Rounding may leave none: then what was chosen stays.
                        self.best(k.num_candidates(), k.cap).unwrap_or(choices[u * n + s])
                    }
                };
                known = Some(choice);
                choices[u * n + s] = choice;
            }
        }
    }

    /// The coefficients of all candidates of a state.
    fn regress(&mut self, k: Regression<'_, T>, s: usize) {
        let m = k.num_candidates();
        self.coefficients.clear();
        self.bonuses.clear();
        for first in (0..m).step_by(LANES) {
            let columns: [usize; LANES] =
                std::array::from_fn(|lane| s * m + (first + lane).min(m - 1));
            self.block.compute(k, &columns);
            self.coefficients.extend_from_slice(&self.block.coefficients);
            self.bonuses.push(self.block.norms.map(|norm| k.rho * norm));
        }
    }

    /// The first candidate with the largest estimate at `v` among those whose score reaches the clip.
    #[allow(clippy::cast_possible_truncation)] // candidates are numbered by u32
    fn best(&self, m: usize, cap: T) -> Option<u32> {
        let width = 1 + self.v.len();
        let mut best = (None, T::of(f64::NEG_INFINITY));
        for (block, c) in self.coefficients.chunks_exact(width).enumerate() {
            for lane in 0..LANES.min(m - block * LANES) {
                let score =
                    c[1..].iter().zip(&self.v).fold(c[0][lane], |k, (c, &v)| k + c[lane] * v);
                let estimate = score - self.bonuses[block][lane];
                if score >= cap && estimate > best.1 {
                    best = (Some((block * LANES + lane) as u32), estimate);
                }
            }
        }
        best.0
    }
}
