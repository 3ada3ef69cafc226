//! A hash of a world.

use super::cell::fingerprint;
use crate::Real;
use crate::model::{Environment, MAX_AGES, draw};
use crate::simulation::Streams;

/// Enough rounds to tell most changes of a world, few enough to cost nothing.
const EPISODES: u64 = 8;
const ROUNDS: usize = 64;

/// A hash of the world's tables, if it has any; otherwise of its constants and of the rewards of some
/// episodes under fixed random numbers.
pub(super) fn fingerprint_of<W: Environment>(world: &W) -> String {
    if let Some(text) = world.exact().and_then(|exact| exact.description()) {
        return fingerprint(text);
    }
    let actions = world.num_actions();
    let (low, high) = world.reward_range();
    let mut numbers = vec![world.gamma().as_f64(), low.as_f64(), high.as_f64(), actions as f64];
    numbers.extend((0..actions).map(|a| world.beta(a).as_f64()));
    for age in 1..world.ages().min(MAX_AGES) {
        numbers.extend((0..actions).map(|a| world.beta_at(a, age).as_f64()));
    }
    let streams = Streams::new(0x5eed);
    for k in (0..EPISODES).take_while(|_| actions > 0) {
        let (mut rng, mut choice) = (streams.world(k), streams.with_run(1).world(k));
        let mut state = world.initial(&mut rng);
        for _ in 0..ROUNDS {
            let action = draw::index(actions, &mut choice);
            numbers.push(world.reward(&state, action).as_f64());
            state = world.next(&state, action, &mut rng);
        }
        // How many numbers the world drew is part of what it is.
        numbers.push(draw::uniform(&mut rng));
    }
    let bytes: Vec<u8> = numbers.into_iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
    fingerprint(bytes)
}
