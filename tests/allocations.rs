//! What an episode on the tabular path asks the allocator for, once everything has been met, and what
//! the solver asks for on a model with many states.

use std::alloc::System;
use std::time::Duration;

use sporadic::agents::{Candidates, LsviUcbParams, Replanning, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
use sporadic::planning::solve::{SolveOptions, solve};
use sporadic::sequence::runs;
use sporadic::simulation::{Simulation, Streams};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations and reallocations of `episodes`, played from state 0.
fn count(
    model: &Tabular<f64>,
    agent: &mut TabularLsviUcb<f64>,
    episodes: std::ops::Range<u64>,
) -> usize {
    let world = Simulation::new(model, Streams::new(3));
    let region = Region::new(GLOBAL);
    world.run_from(episodes, |_| 0, agent, &mut ()).expect("a legal run");
    let change = region.change();
    change.allocations + change.reallocations
}

/// All that the solver asks for on 20,000 states, given back or not. An n x n matrix has 3.2 GB.
fn many_states_need_no_matrix() {
    let model = gallery::river_balance::<f64>(20_000, 0.1, 0.99).unwrap();
    let options = SolveOptions::default()
        .with_time_limit(Duration::from_millis(500))
        .with_memory_limit(16 << 20);
    let region = Region::new(GLOBAL);
    let found = solve(&model, &options).unwrap();
    let asked = region.change().bytes_allocated;
    // The documented bound, which is about what is held at once: the copy of the transitions, and
    // vectors per state and action; the policy is made anew in a handful of phases.
    let (n, actions) = (model.num_states(), model.num_actions());
    let bound = (16 << 20) + 16 * model.num_transitions() + n * (40 * actions + 300);
    assert!(asked < 3 * bound, "{asked} bytes, {bound} documented");
    assert!(found.report.bytes <= 16 << 20);
}

// One test, because the counter belongs to the process.
#[test]
fn episodes_of_lsvi_ucb_keep_their_memory() {
    many_states_need_no_matrix();
    for beta in [0.05, 0.5] {
        let model = gallery::river_balance::<f64>(6, beta, 0.99).unwrap();
        let psi = TabularPsi::new(model.clone());
        let candidates = Candidates::one_hot(&psi, runs(2, 5, 10)).unwrap();
        let every = LsviUcbParams::default();
        let never = every.with_replanning(Replanning::DeterminantGrowth(1e300));

        // A run makes one segment, whose list of actions doubles until the longest one fits, and
        // nothing else: not when acting and learning, and not when planning.
        for params in [never, every] {
            let mut agent = TabularLsviUcb::new(candidates.clone(), params).unwrap();
            count(&model, &mut agent, 0..50);
            let asked = count(&model, &mut agent, 50..450);
            assert!(asked <= 12, "{asked} allocations in 400 episodes at beta {beta}");
            // So twice as many episodes ask for no more.
            let again = count(&model, &mut agent, 450..1250);
            assert!(again <= 12, "{again} allocations in 800 episodes at beta {beta}");
        }
    }
}
