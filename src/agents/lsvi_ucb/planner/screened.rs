//! The planning phase with most candidates ruled out by upper bounds.

use nalgebra::DMatrix;

use super::PlanningPhase;
use super::active::ActiveSets;
use super::plain::Plain;
use super::regression::{Block, Regression};
use super::upper_bounds::UpperBounds;
use super::verify::{NotProved, Verifier};
use crate::Real;

/// The trajectory must stay above minus this, 2^60, for upper bounds to be used.
const LOWEST_VALUE: f64 = -1_152_921_504_606_846_976.0;

/// A planner that scores active sets and rules all other candidates out; where that is not possible it
/// is [`Plain`]. The page of the module has the theorem and its proof.
#[derive(Debug, Clone)]
pub(super) struct Screened<T> {
    active: ActiveSets<T>,
    bounds: UpperBounds,
    trajectory: Trajectory<T>,
    verifier: Verifier<T>,
    block: Block<T>,
    /// Made when it is first needed.
    plain: Option<Plain<T>>,
    /// Scratch: whether candidate j of state s was chosen, at `s * m + j`.
    chosen: Vec<bool>,
}

/// V_H, V_(H-1), ... under some choices.
#[derive(Debug, Clone)]
pub(super) struct Trajectory<T> {
    /// Point t is V_(H-t) from `t * stride` on. Step t leads from point t to point t + 1.
    pub(super) points: Vec<T>,
    pub(super) stride: usize,
    /// The choice in state s at step t, at `t * n + s`.
    pub(super) choices: Vec<u32>,
    /// All later steps have the choices and values of this one.
    pub(super) last: usize,
}

impl<T: Real> Screened<T> {
    /// A planner for n states and the features psi that plans `steps` = H - 1 steps.
    pub(super) fn new(psi: &DMatrix<T>, n: usize, steps: usize, cap: T) -> Self {
        let (d, m) = (psi.nrows(), psi.ncols() / n);
        let stride = n.next_multiple_of(super::kernels::STRIDE);
        Self {
            active: ActiveSets::new(n, m, cap),
            bounds: UpperBounds::new(psi, n, cap),
            trajectory: Trajectory {
                points: vec![T::zero(); (steps + 1) * stride],
                stride,
                choices: vec![0; steps * n],
                last: 0,
            },
            verifier: Verifier::new(n, m, steps),
            block: Block::new(d, n),
            plain: None,
            chosen: vec![false; n * m],
        }
    }

    /// Computes the trajectory of the active sets and enlarges them until it is proved to be that of
    /// all candidates.
    ///
    /// It ends: every repetition adds a candidate to an active set.
    fn screen(&mut self, k: Regression<'_, T>, steps: usize) -> Result<(), NotProved> {
        let Self { active, bounds, trajectory, verifier, block, .. } = self;
        if !bounds.update(k, block) {
            return Err(NotProved);
        }
        active.refresh(k, block, |column, norm| bounds.activate(column, norm));
        trajectory.points[..k.num_states()].fill(k.cap);
        verifier.begin(k);
        let mut from = 0;
        loop {
            trajectory.compute(active, from, steps)?;
            verifier.spend(active.len() * k.num_states() * (trajectory.last + 1 - from))?;
            match verifier.first_error(k, trajectory, active, bounds, block, from)? {
                None => return Ok(()),
                Some(step) => from = step,
            }
        }
    }

    /// Calls `update` with the active sets and who was chosen in this planning phase.
    fn update_active(
        &mut self,
        n: usize,
        choices: &[u32],
        update: impl FnOnce(&mut ActiveSets<T>, usize, &[bool]),
    ) {
        let m = self.chosen.len() / n;
        let places = choices.iter().enumerate().map(|(i, &j)| i % n * m + j as usize);
        places.clone().for_each(|place| self.chosen[place] = true);
        update(&mut self.active, m, &self.chosen);
        places.for_each(|place| self.chosen[place] = false);
    }
}

impl<T: Real> PlanningPhase<T> for Screened<T> {
    fn plan(&mut self, k: Regression<'_, T>, choices: &mut [u32], values: &mut [T]) {
        let n = k.num_states();
        let steps = choices.len() / n;
        if self.screen(k, steps).is_err() {
            let (d, m) = (k.psi.nrows(), k.num_candidates());
            self.plain.get_or_insert_with(|| Plain::new(d, n, m)).plan(k, choices, values);
            self.update_active(n, choices, |active, m, chosen| {
                active.replace(m, |s, j| chosen[s * m + j as usize]);
            });
            return;
        }
        let Trajectory { points, stride, choices: chosen, last } = &self.trajectory;
        for (u, t) in (0..steps).rev().map(|t| (steps - 1 - t, t.min(*last))) {
            choices[u * n..(u + 1) * n].copy_from_slice(&chosen[t * n..(t + 1) * n]);
            values[u * n..(u + 1) * n].copy_from_slice(&points[(t + 1) * stride..][..n]);
        }
        self.update_active(
            n,
            &choices[(steps - 1 - self.trajectory.last) * n..],
            |active, m, chosen| {
                active.drop_idle(|s, j| chosen[s * m + j as usize]);
            },
        );
    }

    fn lambda_grew(&mut self, z: &[T]) {
        self.bounds.lambda_grew(z);
    }

    fn forget(&mut self) {
        self.bounds.forget();
    }

    fn boxed(&self) -> Box<dyn PlanningPhase<T>> {
        Box::new(self.clone())
    }
}

impl<T: Real> Trajectory<T> {
    /// Computes the steps from `from` on with the active sets alone.
    fn compute(
        &mut self,
        active: &mut ActiveSets<T>,
        from: usize,
        steps: usize,
    ) -> Result<(), NotProved> {
        let (n, stride) = (self.choices.len() / steps, self.stride);
        let lowest = T::of(LOWEST_VALUE);
        for t in from..steps {
            let (before, after) = self.points.split_at_mut((t + 1) * stride);
            let (now, next) = (&before[t * stride..][..n], &mut after[..n]);
            active.step(now, &mut self.choices[t * n..(t + 1) * n], next);
            self.last = t;
            if !next.iter().all(|&v| v >= lowest) {
                return Err(NotProved);
            }
            if *next == *now {
                break; // equal to the last bit: so are all later steps
            }
        }
        Ok(())
    }

    /// Points a to b.
    pub(super) fn points(&self, a: usize, b: usize) -> &[T] {
        &self.points[a * self.stride..(b + 1) * self.stride]
    }

    /// V_u(s) after step t.
    pub(super) fn value(&self, t: usize, s: usize) -> T {
        self.points[(t + 1) * self.stride + s]
    }

    /// The choice in state s at step t.
    pub(super) fn choice(&self, n: usize, t: usize, s: usize) -> u32 {
        self.choices[t * n + s]
    }
}
