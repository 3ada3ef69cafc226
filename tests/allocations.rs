//! An episode on the tabular path asks for no memory once everything has been met.

use std::alloc::System;

use sporadic::agents::{Candidates, LsviUcbParams, TabularLsviUcb};
use sporadic::features::TabularPsi;
use sporadic::model::{Tabular, gallery};
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

// One test, because the counter belongs to the process.
#[test]
fn episodes_of_lsvi_ucb_do_not_allocate() {
    for beta in [0.05, 0.5] {
        let model = gallery::river_balance::<f64>(6, beta, 0.99).unwrap();
        let psi = TabularPsi::new(model.clone());
        let candidates = Candidates::one_hot(&psi, runs(2, 5, 10)).unwrap();
        let mut agent = TabularLsviUcb::new(candidates, LsviUcbParams::default()).unwrap();
        count(&model, &mut agent, 0..50);
        // A run makes one segment; its list of actions doubles until the longest one fits.
        let (few, many) =
            (count(&model, &mut agent.clone(), 50..51), count(&model, &mut agent, 50..250));
        println!("beta {beta}: {few} allocations in 1 episode, {many} in 200");
        assert!(many <= 12, "{many} allocations in 200 episodes at beta {beta}");
    }
}
