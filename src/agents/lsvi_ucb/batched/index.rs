//! Which states have been met before.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use crate::Real;

/// The states met so far, found by the bits of their features: states need not be hashed or ordered.
///
/// Equal states have equal features. Should features differ between equal states, these are kept as
/// two, which changes the order of a sum and nothing else.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    states: HashMap<u64, Vec<usize>>,
}

impl Index {
    /// The state with these features that `is_equal` says is the one looked for.
    pub(super) fn find<T: Real>(
        &self,
        phi: &[T],
        is_equal: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        self.states.get(&key(phi))?.iter().copied().find(|&i| is_equal(i))
    }

    pub(super) fn insert<T: Real>(&mut self, phi: &[T], state: usize) {
        self.states.entry(key(phi)).or_default().push(state);
    }
}

fn key<T: Real>(phi: &[T]) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Adding 0 turns -0 into 0, its equal.
    phi.iter().for_each(|x| hasher.write_u64((x.as_f64() + 0.0).to_bits()));
    hasher.finish()
}
