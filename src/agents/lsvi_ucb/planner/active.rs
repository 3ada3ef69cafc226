//! The active sets: the candidates of each state that are scored at every step.

use pulp::Arch;

use super::kernels::{LANES, Lanes, Scores};
use super::regression::{Block, Regression};
use crate::Real;

/// After how many planning phases without being chosen a candidate leaves the active set.
const MAX_IDLE: u32 = 8;

/// For each state s its active set A(s), with exact coefficients, in the order of the family.
#[derive(Debug, Clone)]
pub(super) struct ActiveSets<T> {
    cap: T,
    /// 1 + n.
    width: usize,
    states: Vec<ActiveSet<T>>,
    /// Scratch: the scores of a state; state, position in its active set and column of each member.
    scores: Vec<Lanes<T>>,
    places: Vec<(usize, usize, usize)>,
    arch: Arch,
}

#[derive(Debug, Clone)]
struct ActiveSet<T> {
    members: Vec<Member>,
    /// Coefficient i of the members in block b at `b * (1 + n) + i`.
    blocks: Vec<Lanes<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Member {
    candidate: u32,
    /// Planning phases since it was last chosen.
    idle: u32,
}

impl<T: Real> ActiveSets<T> {
    /// A(s) = {0} for each state s.
    pub(super) fn new(n: usize, m: usize, cap: T) -> Self {
        let most = m.div_ceil(LANES);
        // Room for all candidates, so that nothing is allocated later.
        let state = || {
            let mut members = Vec::with_capacity(m);
            members.push(Member { candidate: 0, idle: 0 });
            ActiveSet { members, blocks: Vec::with_capacity(most * (1 + n)) }
        };
        Self {
            cap,
            width: 1 + n,
            states: (0..n).map(|_| state()).collect(),
            scores: vec![[T::zero(); LANES]; most],
            places: Vec::with_capacity(n * m),
            arch: Arch::new(),
        }
    }

    /// How many candidates are active, over all states.
    pub(super) fn len(&self) -> usize {
        self.states.iter().map(|state| state.members.len()).sum()
    }

    /// Computes the coefficients of all members; tells the column and the norm of each to `known`.
    pub(super) fn refresh(
        &mut self,
        k: Regression<'_, T>,
        block: &mut Block<T>,
        mut known: impl FnMut(usize, T),
    ) {
        let (m, width) = (k.num_candidates(), self.width);
        self.places.clear();
        for (s, ActiveSet { members, blocks }) in self.states.iter_mut().enumerate() {
            let places = members.iter().enumerate();
            self.places
                .extend(places.map(|(at, member)| (s, at, s * m + member.candidate as usize)));
            blocks.clear();
            blocks.resize(members.len().div_ceil(LANES) * width, [T::zero(); LANES]);
            blocks.iter_mut().step_by(width).for_each(|constants| constants.fill(unused_lane()));
        }
        for places in self.places.chunks(LANES) {
            let columns: [usize; LANES] =
                std::array::from_fn(|lane| places[lane.min(places.len() - 1)].2);
            block.compute(k, &columns[..places.len()]);
            for (lane, &(s, at, column)) in places.iter().enumerate() {
                known(column, block.norms[lane]);
                let to = &mut self.states[s].blocks[at / LANES * width..][..width];
                let coefficients = block.coefficients.iter().map(|c| c[lane]);
                to.iter_mut().zip(coefficients).for_each(|(to, c)| to[at % LANES] = c);
            }
        }
    }

    /// Adds a candidate of state s with these coefficients; `false` if it was active already.
    pub(super) fn add(
        &mut self,
        s: usize,
        candidate: u32,
        coefficients: impl ExactSizeIterator<Item = T>,
    ) -> bool {
        let ActiveSet { members, blocks } = &mut self.states[s];
        let (width, count) = (coefficients.len(), members.len());
        let Err(at) = members.binary_search_by_key(&candidate, |member| member.candidate) else {
            return false;
        };
        members.insert(at, Member { candidate, idle: 0 });
        if count.is_multiple_of(LANES) {
            blocks.resize(blocks.len() + width, [T::zero(); LANES]);
            blocks[count / LANES * width].fill(unused_lane());
        }
        for (i, c) in coefficients.enumerate() {
            let place = |p: usize| (p / LANES * width + i, p % LANES);
            for p in (at..count).rev() {
                let ((from, lane), (to, next)) = (place(p), place(p + 1));
                blocks[to][next] = blocks[from][lane];
            }
            let (block, lane) = place(at);
            blocks[block][lane] = c;
        }
        true
    }

    /// Makes A(s) the candidates for which `chosen(s, candidate)` holds; their coefficients are
    /// computed by the next [`refresh`](Self::refresh).
    pub(super) fn replace(&mut self, m: usize, chosen: impl Fn(usize, u32) -> bool) {
        for (s, ActiveSet { members, .. }) in self.states.iter_mut().enumerate() {
            members.clear();
            let ids = (0..).take(m).filter(|&candidate| chosen(s, candidate));
            members.extend(ids.map(|candidate| Member { candidate, idle: 0 }));
        }
    }

    /// Writes the coefficients of a member of A(s) to `out`.
    pub(super) fn coefficients(&self, s: usize, candidate: u32, out: &mut [T]) {
        let ActiveSet { members, blocks } = &self.states[s];
        if let Ok(at) = members.binary_search_by_key(&candidate, |member| member.candidate) {
            let block = &blocks[at / LANES * out.len()..];
            out.iter_mut().zip(block).for_each(|(out, c)| *out = c[at % LANES]);
        }
    }

    /// Lines 7, 8 and the first argmax of line 12 over the active sets, for every state, where
    /// V_(u+1) = `v` is finite.
    pub(super) fn step(&mut self, v: &[T], choices: &mut [u32], values: &mut [T]) {
        for ((state, choice), value) in self.states.iter().zip(choices).zip(values) {
            let out = &mut self.scores[..state.members.len().div_ceil(LANES)];
            let scores = Scores { coefficients: &state.blocks, width: self.width, v, out };
            let largest = self.arch.dispatch(scores);
            *value = if largest < self.cap { largest } else { self.cap };
            let scores = &self.scores.as_flattened()[..state.members.len()];
            let first = scores.iter().position(|&k| k >= *value);
            *choice = state.members[first.unwrap_or(0)].candidate;
        }
    }

    /// Ends a planning phase: drops members that have not been chosen for [`MAX_IDLE`] phases.
    pub(super) fn drop_idle(&mut self, chosen: impl Fn(usize, u32) -> bool) {
        for (s, state) in self.states.iter_mut().enumerate() {
            for member in &mut state.members {
                member.idle = if chosen(s, member.candidate) { 0 } else { member.idle + 1 };
            }
            state.members.retain(|member| member.idle < MAX_IDLE);
        }
    }
}

/// The constant term of a lane without a member: its score is -inf.
fn unused_lane<T: Real>() -> T {
    T::of(f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_first_in_the_family() {
        let mut active = ActiveSets::new(1, 20, 10.0);
        active.states[0].members.clear();
        for id in [7, 3, 12, 5, 19, 18, 17, 16, 15] {
            assert!(active.add(0, id, [if id >= 12 { 0.0 } else { 1.0 }, 0.5].into_iter()));
        }
        assert!(!active.add(0, 7, [9.0, 9.0].into_iter()));
        let (mut choice, mut value) = ([0], [0.0]);
        active.step(&[2.0], &mut choice, &mut value);
        assert_eq!((choice, value), ([3], [2.0]));
        active.add(0, 1, [100.0, 0.0].into_iter());
        active.add(0, 2, [200.0, 0.0].into_iter());
        active.step(&[2.0], &mut choice, &mut value);
        assert_eq!((choice, value), ([1], [10.0])); // both are clipped
        for _ in 0..MAX_IDLE {
            assert_eq!(active.len(), 11);
            active.drop_idle(|_, id| id == 5);
        }
        assert_eq!(active.len(), 1);
    }
}
