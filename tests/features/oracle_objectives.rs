//! Oracles on objectives of real learning runs: an independent implementation's answers, and how
//! many prefixes a certificate takes.

#[path = "../fixtures/objectives.rs"]
#[allow(dead_code, unreachable_pub)] // the bench uses the rest
mod objectives;

use sporadic::oracles::{BranchAndBound, Counted, Exhaustive, SequenceOracle};
use sporadic::sequence::runs;

#[test]
fn the_family_gives_the_stored_answers() {
    let mut family = Exhaustive::new(runs(2, 5, 10));
    for fixture in objectives::load() {
        for (state, sequence, value, unclipped) in &fixture.best {
            let mut clipped =
                fixture.objective(*state).with_clip(1.0 / (1.0 - fixture.gamma)).unwrap();
            let choice = family.maximize(&mut clipped).unwrap();
            assert!((choice.value - value).abs() < 1e-7, "{choice} {value}");
            // At the clip the first of many is a matter of the last bit of 1/(1-gamma).
            if *value < 99.99 {
                assert_eq!(choice.sequence.to_string(), *sequence);
            }
            let choice = family.maximize(&mut fixture.objective(*state)).unwrap();
            assert!((choice.value - unclipped).abs() < 1e-7, "{choice} {unclipped}");
            assert!(choice.upper_bound >= choice.value);
        }
    }
}

/// Prefixes allowed for gap 1, 0.1, 0.01 at s1; about twice what is needed. `None`: not reached within
/// 20,000.
fn allowed(beta: f64, episodes: u64) -> [Option<usize>; 3] {
    if beta > 0.4 {
        return [Some(50), Some(100), Some(100)];
    }
    match (beta < 0.07, episodes) {
        (true, _) => [None; 3],
        (false, 50) => [Some(5_000), Some(12_000), Some(14_000)],
        (false, 500) => [Some(400), Some(7_000), Some(17_000)],
        (false, _) => [Some(200), Some(16_000), Some(110_000)],
    }
}

#[test]
fn certificates_take_few_prefixes() {
    for fixture in objectives::load() {
        let (.., unclipped) = fixture.best[0];
        for (gap, limit) in
            [1.0, 0.1, 0.01].into_iter().zip(allowed(fixture.beta, fixture.episodes))
        {
            let mut counted = Counted::new(fixture.objective(0));
            let mut search = BranchAndBound::new(gap).with_nodes(limit.unwrap_or(5_000));
            let choice = search.maximize(&mut counted).unwrap();
            println!(
                "beta {} episodes {} gap {gap}: {:.4} to {:.4} in {} prefixes",
                fixture.beta,
                fixture.episodes,
                choice.value,
                choice.upper_bound,
                counted.bounds_asked()
            );
            assert!(limit.is_none() || choice.gap() <= gap + 1e-9, "{choice}");
            // What the search gives up against the family, it says.
            assert!(choice.upper_bound >= unclipped);
            assert!(choice.value >= unclipped - gap);
        }
    }
}
