//! Oracles that search all sequences in the general learner, on RiverBalance, 6 states, beta = .1, gamma = .99, H = 20, seed 1:
//! milliseconds of CPU an episode, planning, choosing and simulation, and what an episode asks of its objectives.
//!
//! `cargo bench --bench searches`

#[path = "common/clock.rs"]
mod clock;

use std::cell::Cell;

use sporadic::agents::{LsviUcb, LsviUcbParams, Resume};
use sporadic::model::gallery;
use sporadic::oracles::{
    Beam, BranchAndBound, Choice, Counted, OracleError, SequenceObjective, SequenceOracle,
};
use sporadic::simulation::{Simulation, Streams};

/// Every window of episodes is run again until that has taken this many seconds.
const SECONDS: f64 = 0.2;

#[derive(Default)]
struct Counts {
    searches: Cell<usize>,
    below: Cell<usize>,
    values: Cell<usize>,
    bounds: Cell<usize>,
    improvements: Cell<usize>,
}

/// An oracle that counts what it is asked and what it asks.
struct Counting<'a, O>(O, &'a Counts);

impl<O: SequenceOracle<f64>> SequenceOracle<f64> for Counting<'_, O> {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<f64>,
    ) -> Result<Choice<f64>, OracleError> {
        let clip = objective.upper_bound(&[]);
        let mut counted = Counted::new(objective);
        let choice = self.0.maximize(&mut counted)?;
        let add = |count: &Cell<usize>, more: usize| count.set(count.get() + more);
        add(&self.1.searches, 1);
        add(&self.1.below, usize::from(choice.value < clip));
        add(&self.1.values, counted.values_asked());
        add(&self.1.bounds, counted.bounds_asked());
        add(&self.1.improvements, counted.improvements_asked());
        Ok(choice)
    }
}

/// Learns with `oracle`, and prints a row for each window of episodes.
fn rows(name: &str, oracle: impl SequenceOracle<f64> + Copy, windows: &[(u64, u64)]) {
    let model = gallery::river_balance::<f64>(6, 0.1, 0.99).expect("a valid model");
    let world = Simulation::new(&model, Streams::new(1));
    let params = LsviUcbParams::default().with_horizon(20);
    let mut agent = LsviUcb::for_model(&model, oracle, params).expect("a learner");
    let mut learnt = 0;
    for &(first, last) in windows {
        world.run(learnt..first, &mut agent, &mut ()).expect("a legal run");
        learnt = last + 1;
        let before = agent.state();
        let (start, mut spent, mut times) = (clock::seconds(), 0.0, 0.0);
        while spent < SECONDS {
            agent.restore(before.clone()).expect("its own state");
            world.run(first..learnt, &mut agent, &mut ()).expect("a legal run");
            spent = clock::seconds() - start;
            times += 1.0;
        }
        let counts = Counts::default();
        let counting = Counting(oracle, &counts);
        let mut counted = LsviUcb::for_model(&model, counting, params).expect("a learner");
        counted.restore(before).expect("a state of the same learner");
        world.run(first..learnt, &mut counted, &mut ()).expect("a legal run");
        let episodes = (learnt - first) as f64;
        let mean = |count: &Cell<usize>| count.get() as f64 / episodes;
        println!(
            "{name:<28}{:>11}{:>9.3}{:>10.0}{:>7.0}{:>8.0}{:>9.0}{:>8.0}",
            format!("{first} to {last}"),
            1e3 * spent / (times * episodes),
            mean(&counts.searches),
            mean(&counts.below),
            mean(&counts.values),
            mean(&counts.improvements),
            mean(&counts.bounds),
        );
    }
}

fn main() {
    println!(
        "{:<28}{:>11}{:>9}{:>10}{:>7}{:>8}{:>9}{:>8}",
        "oracle", "episodes", "ms", "searches", "below", "values", "improve", "bounds"
    );
    let late = [(5, 10), (40, 43), (60, 63), (100, 103), (200, 203), (400, 403)];
    rows("Beam 8 x 20", Beam { width: 8, depth: 20 }, &late);
    let bounded = BranchAndBound::new(0.1).with_nodes(2_000);
    rows("BranchAndBound .1, 2,000", bounded, &[(10, 20), (40, 43), (60, 63), (100, 103)]);
}
