//! The few candidates that are scored at every sighting.

use pulp::Arch;

use super::kernels::{EXACT, Exact, Scores};
use super::regression::{Block, Regression};
use crate::Real;

/// How many episodes a contender may go without winning.
const PATIENCE: u32 = 8;

/// For each state some candidates with their exact coefficients, in the order of the family.
#[derive(Debug, Clone)]
pub(super) struct Contenders<T> {
    cap: T,
    /// 1 + n.
    width: usize,
    states: Vec<State<T>>,
    /// Scratch: scores of a state; each contender's state, place there and column.
    scores: Vec<Exact<T>>,
    places: Vec<(usize, usize, usize)>,
    arch: Arch,
}

#[derive(Debug, Clone)]
struct State<T> {
    members: Vec<Member>,
    /// Coefficient i of those in block b at `b * (1 + n) + i`.
    blocks: Vec<Exact<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Member {
    id: u32,
    /// Episodes since it last won.
    idle: u32,
}

impl<T: Real> Contenders<T> {
    /// The first candidate of each state.
    pub(super) fn new(n: usize, m: usize, cap: T) -> Self {
        let most = m.div_ceil(EXACT);
        // Room for everyone, so that nothing grows later.
        let state = || {
            let mut members = Vec::with_capacity(m);
            members.push(Member { id: 0, idle: 0 });
            State { members, blocks: Vec::with_capacity(most * (1 + n)) }
        };
        Self {
            cap,
            width: 1 + n,
            states: (0..n).map(|_| state()).collect(),
            scores: vec![[T::zero(); EXACT]; most],
            places: Vec::with_capacity(n * m),
            arch: Arch::new(),
        }
    }

    /// Computes their coefficients; tells the column and the norm of each to `known`.
    pub(super) fn refresh(
        &mut self,
        k: Regression<'_, T>,
        block: &mut Block<T>,
        mut known: impl FnMut(usize, T),
    ) {
        let (m, width) = (k.psi.ncols() / self.states.len(), self.width);
        self.places.clear();
        for (s, State { members, blocks }) in self.states.iter_mut().enumerate() {
            let places = members.iter().enumerate();
            self.places.extend(places.map(|(at, member)| (s, at, s * m + member.id as usize)));
            blocks.clear();
            blocks.resize(members.len().div_ceil(EXACT) * width, [T::zero(); EXACT]);
            blocks.iter_mut().step_by(width).for_each(|constants| constants.fill(nobody()));
        }
        for places in self.places.chunks(EXACT) {
            let columns: [usize; EXACT] =
                std::array::from_fn(|lane| places[lane.min(places.len() - 1)].2);
            block.compute(k, &columns[..places.len()]);
            for (lane, &(s, at, column)) in places.iter().enumerate() {
                known(column, block.norms[lane]);
                let to = &mut self.states[s].blocks[at / EXACT * width..][..width];
                let coefficients = block.coefficients.iter().map(|c| c[lane]);
                to.iter_mut().zip(coefficients).for_each(|(to, c)| to[at % EXACT] = c);
            }
        }
    }

    /// A candidate of state s with these coefficients is a contender from now on.
    pub(super) fn add(
        &mut self,
        s: usize,
        id: u32,
        coefficients: impl ExactSizeIterator<Item = T>,
    ) {
        let State { members, blocks } = &mut self.states[s];
        let (width, count) = (coefficients.len(), members.len());
        let Err(at) = members.binary_search_by_key(&id, |member| member.id) else { return };
        members.insert(at, Member { id, idle: 0 });
        if count.is_multiple_of(EXACT) {
            blocks.resize(blocks.len() + width, [T::zero(); EXACT]);
            blocks[count / EXACT * width].fill(nobody());
        }
        for (i, c) in coefficients.enumerate() {
            let place = |p: usize| (p / EXACT * width + i, p % EXACT);
            for p in (at..count).rev() {
                let ((from, lane), (to, next)) = (place(p), place(p + 1));
                blocks[to][next] = blocks[from][lane];
            }
            let (block, lane) = place(at);
            blocks[block][lane] = c;
        }
    }

    /// The coefficients of a contender into `out`.
    pub(super) fn coefficients(&self, s: usize, id: u32, out: &mut [T]) {
        let State { members, blocks } = &self.states[s];
        if let Ok(at) = members.binary_search_by_key(&id, |member| member.id) {
            let block = &blocks[at / EXACT * out.len()..];
            out.iter_mut().zip(block).for_each(|(out, c)| *out = c[at % EXACT]);
        }
    }

    /// Line 7, and the first argmax of line 12, for every state.
    pub(super) fn step(&mut self, v: &[T], choices: &mut [u32], values: &mut [T]) {
        for ((state, choice), value) in self.states.iter().zip(choices).zip(values) {
            let out = &mut self.scores[..state.members.len().div_ceil(EXACT)];
            let scores = Scores { coefficients: &state.blocks, width: self.width, v, out };
            let largest = self.arch.dispatch(scores);
            *value = if largest < self.cap { largest } else { self.cap };
            let scores = &self.scores.as_flattened()[..state.members.len()];
            let first = scores.iter().position(|&k| k >= *value);
            *choice = state.members[first.unwrap_or(0)].id;
        }
    }

    /// The episode is planned: who has not won for long is dropped. `won` tells who has.
    pub(super) fn retire(&mut self, won: impl Fn(usize, u32) -> bool) {
        for (s, state) in self.states.iter_mut().enumerate() {
            for member in &mut state.members {
                member.idle = if won(s, member.id) { 0 } else { member.idle + 1 };
            }
            state.members.retain(|member| member.idle < PATIENCE);
        }
    }
}

/// What loses to everyone.
fn nobody<T: Real>() -> T {
    T::of(f64::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_first_in_the_family() {
        let mut contenders = Contenders::new(1, 20, 10.0);
        contenders.states[0].members.clear();
        for id in [7, 3, 12, 5, 19, 18, 17, 16, 15] {
            contenders.add(0, id, [if id >= 12 { 0.0 } else { 1.0 }, 0.5].into_iter());
        }
        let (mut choice, mut value) = ([0], [0.0]);
        contenders.step(&[2.0], &mut choice, &mut value);
        assert_eq!((choice, value), ([3], [2.0]));
        contenders.add(0, 1, [100.0, 0.0].into_iter());
        contenders.add(0, 2, [200.0, 0.0].into_iter());
        contenders.step(&[2.0], &mut choice, &mut value);
        assert_eq!((choice, value), ([1], [10.0])); // both are clipped
        for _ in 0..PATIENCE {
            assert_eq!(contenders.states[0].members.len(), 11);
            contenders.retire(|_, id| id == 5);
        }
        assert_eq!(contenders.states[0].members.len(), 1);
    }
}
