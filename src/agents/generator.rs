//! The random numbers of an agent, and where in them it is.

use rand::Rng;
use rand_pcg::Pcg64;

use super::AgentError;
use crate::model::draw;

/// A random generator that counts the numbers it has drawn, so that another one with the same seed can be
/// advanced to the same position: an agent that draws keeps one and saves its [`GeneratorState`].
///
/// # Example
/// A generator made from the same seed continues where the saved one was.
/// ```
/// use rand_pcg::Pcg64;
/// use sporadic::agents::Generator;
/// let mut playing = Generator::new(Pcg64::new(7, 1));
/// playing.below(6);
/// playing.uniform();
/// let saved = playing.state();
///
/// let mut resumed = Generator::new(Pcg64::new(7, 1)).moved_to(saved)?;
/// assert_eq!(resumed.below(6), playing.below(6));
/// assert!(Generator::new(Pcg64::new(8, 1)).moved_to(saved).is_err());
/// # Ok::<(), sporadic::agents::AgentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generator {
    rng: Pcg64,
    drawn: u64,
}

/// How far an agent is in its random numbers.
///
/// The numbers themselves come from the generator that the agent was made with: what is saved is how
/// many were used, small enough for any file format, and part of the next one, by which a generator
/// with another seed is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeneratorState {
    drawn: u64,
    next: u32,
}

impl Generator {
    /// A generator that has drawn nothing yet: that of an agent comes from
    /// [`Streams::agent`](crate::simulation::Streams::agent).
    pub fn new(rng: Pcg64) -> Self {
        Self { rng, drawn: 0 }
    }

    /// One of 0, ..., n - 1, each with the same probability.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        self.drawn = self.drawn.wrapping_add(1);
        draw::index(n, &mut self.rng)
    }

    /// A number in [0, 1).
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        self.drawn = self.drawn.wrapping_add(1);
        draw::uniform(&mut self.rng)
    }

    /// True with probability `p`.
    #[inline]
    pub fn bernoulli(&mut self, p: f64) -> bool {
        self.drawn = self.drawn.wrapping_add(1);
        draw::bernoulli(p, &mut self.rng)
    }

    /// How far it is, to be saved.
    pub fn state(&self) -> GeneratorState {
        GeneratorState { drawn: self.drawn, next: mark(&self.rng) }
    }

    /// This generator, at the place of `state`.
    ///
    /// # Errors
    /// [`AgentError::Generator`] if `state` was saved by a generator with another seed.
    pub fn moved_to(&self, state: GeneratorState) -> Result<Self, AgentError> {
        let mut rng = self.rng.clone();
        // A generator cannot step backwards, so it is advanced by 2^128 - n instead.
        rng.advance(u128::from(state.drawn).wrapping_sub(u128::from(self.drawn)));
        if mark(&rng) == state.next {
            Ok(Self { rng, drawn: state.drawn })
        } else {
            Err(AgentError::Generator { drawn: state.drawn })
        }
    }
}

/// The upper half of the word to come.
#[allow(clippy::cast_possible_truncation)] // a half fits
fn mark(rng: &Pcg64) -> u32 {
    (rng.clone().next_u64() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_back_and_elsewhere() {
        let fresh = Generator::new(Pcg64::new(1, 2));
        let mut used = fresh.clone();
        for _ in 0..250 {
            used.below(1000);
            used.bernoulli(0.5);
        }
        assert_eq!(used.state().drawn, 500);
        assert_eq!(fresh.moved_to(used.state()), Ok(used.clone()));
        assert_eq!(used.moved_to(fresh.state()), Ok(fresh));
        let other = Generator::new(Pcg64::new(2, 2));
        let error = other.moved_to(used.state()).unwrap_err();
        assert_eq!(error, AgentError::Generator { drawn: 500 });
    }
}
