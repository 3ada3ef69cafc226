//! Episodes of random play, for agents that learn psi.
//!
//! An estimate of psi can be wrong and look certain. If action 1 never reveals the state, and what leads back always follows it, then
//! "action 1 does nothing" explains every segment; the bonus, which is computed from the estimate, is small for what the estimate
//! does not know of; and the agent stays where it is. So agents that learn psi play at random in a few episodes: 2 + log2 K of the
//! first K, which cost no more regret than that many episodes can.

use std::borrow::Cow;

use rand_pcg::Pcg64;

use super::{BeyondHorizon, LsviUcbParams};
use crate::Real;
use crate::model::draw;
use crate::oracles::SequenceOracle;
use crate::planning::BurstPolicy;
use crate::sequence::ActionSequence;

/// Whether an episode, counted from 0, is one of random play: 0, 1, 2, 4, 8, ... are.
pub(super) fn is_random(episode: u64) -> bool {
    episode == 0 || episode.is_power_of_two()
}

/// For every sighting that is planned for, a random one of `m` candidates. It depends on the episode alone, not on the seed of a
/// run: so there is nothing to save, and every run explores alike.
pub(super) fn draws(episode: u64, m: usize) -> impl Iterator<Item = usize> {
    let mut rng = Pcg64::new(u128::from(episode), 0);
    std::iter::repeat_with(move || draw::index(m, &mut rng))
}

/// How many actions a random sequence has before it repeats them, where there is no family to draw from.
const PERIOD: usize = 16;

/// The burst-dependent policy of an episode of random play: a sequence for each sighting, whatever the state.
#[derive(Debug)]
pub(super) struct RandomPlay {
    /// Those of sightings 1 to H - 1.
    sequences: Vec<ActionSequence>,
    /// That of later sightings.
    beyond: ActionSequence,
}

impl RandomPlay {
    /// Members of the oracle's family, or random actions if it has none.
    pub(super) fn new<T: Real>(
        episode: u64,
        oracle: &impl SequenceOracle<T>,
        num_actions: usize,
        params: &LsviUcbParams<T>,
    ) -> Self {
        let stages = params.horizon() - 1;
        let family = oracle.family(num_actions).filter(|family| !family.is_empty());
        let sequences: Vec<_> = match &family {
            Some(family) => {
                draws(episode, family.len()).map(|j| family[j].clone()).take(stages).collect()
            }
            None => {
                let actions: Vec<_> = draws(episode, num_actions).take(stages * PERIOD).collect();
                actions.chunks_exact(PERIOD).map(|a| ActionSequence::new([], a)).collect()
            }
        };
        let beyond = match params.beyond_horizon() {
            BeyondHorizon::Constant => family.and_then(|family| family.first().cloned()),
            BeyondHorizon::ReuseLast => sequences.last().cloned(),
            BeyondHorizon::ReuseFirst => sequences.first().cloned(),
        };
        Self { sequences, beyond: beyond.unwrap_or_else(|| ActionSequence::constant(0)) }
    }

    /// What is played at sighting `u`, from 1.
    pub(super) fn at(&self, u: usize) -> &ActionSequence {
        self.sequences.get(u - 1).unwrap_or(&self.beyond)
    }
}

impl<S> BurstPolicy<S> for RandomPlay {
    fn horizon(&self) -> usize {
        self.sequences.len() + 1
    }

    fn sequence(&self, u: usize, _: &S) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(self.at(u))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracles::{Beam, Exhaustive};
    use crate::sequence::runs;

    #[test]
    fn few_episodes_are_random_and_a_power_of_two_of_them_ends_with_another() {
        let random: Vec<_> = (0..70).filter(|&k| is_random(k)).collect();
        assert_eq!(random, [0, 1, 2, 4, 8, 16, 32, 64]);
        assert!((1..20).all(|i| !is_random((1 << i) - 1) || i == 1));
    }

    #[test]
    fn families_are_drawn_from_and_searches_get_random_actions() {
        let params = LsviUcbParams::<f64>::default().with_horizon(40);
        let family: Vec<_> = runs(2, 2, 3).collect();
        let play = RandomPlay::new(4, &Exhaustive::new(family.clone()), 2, &params);
        assert!(play.sequences.iter().all(|sequence| family.contains(sequence)));
        let distinct: std::collections::HashSet<_> = play.sequences.iter().collect();
        assert!(distinct.len() > family.len() / 2, "{}", distinct.len());
        assert_eq!(play.at(1_000), play.at(1));
        let last = params.with_beyond_horizon(BeyondHorizon::ReuseLast);
        let search = RandomPlay::new(4, &Beam { width: 2, depth: 2 }, 3, &last);
        assert_eq!((search.sequences.len(), search.at(40)), (39, search.at(39)));
        let mut counts = [0; 3];
        search.sequences.iter().for_each(|s| s.iter().take(PERIOD).for_each(|a| counts[a] += 1));
        // 624 draws: each action 208 times, give or take 12; five times that.
        assert!(counts.iter().all(|&count: &i32| (count - 208).abs() < 60), "{counts:?}");
    }
}
