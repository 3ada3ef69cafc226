//! An agent of your own: it tries each constant sequence in turn, then keeps to the best.
//!
//! `cargo run --example own_agent`

use std::borrow::Cow;

use sporadic::agents::{Agent, Segment};
use sporadic::belief::AugmentedState;
use sporadic::model::{Action, gallery};
use sporadic::sequence::{ActionSequence, BurstPolicy};
use sporadic::simulation::{Regret, Simulation, Streams};

/// Explore, then commit: `trials` episodes for each arm.
struct ExploreThenCommit {
    arms: Vec<ActionSequence>,
    trials: usize,
    earned: Vec<f64>,
    episode: usize,
}

impl ExploreThenCommit {
    fn arm(&self) -> usize {
        if self.episode < self.trials * self.arms.len() {
            return self.episode % self.arms.len();
        }
        let best = |a: usize, b: usize| if self.earned[b] > self.earned[a] { b } else { a };
        (0..self.arms.len()).fold(0, best)
    }
}

impl Agent<usize, f64> for ExploreThenCommit {
    fn begin_episode(&mut self, _: &usize) {}

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.arms[self.arm()].action(x.actions().len())
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        let arm = self.arm();
        if self.episode < self.trials * self.arms.len() {
            self.earned[arm] += segment.reward();
        }
    }

    fn end_episode(&mut self) {
        self.episode += 1;
    }

    /// Showing the policy is all it takes to get an exact regret curve.
    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(self)
    }
}

impl BurstPolicy<usize> for ExploreThenCommit {
    fn horizon(&self) -> usize {
        1
    }

    fn sequence(&self, _: usize, _: &usize) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.arms[self.arm()])
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let swim = gallery::river_swim(6, 0.1, 0.99)?;
    let arms: Vec<ActionSequence> =
        ["(0)", "(1)", "(01)"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
    let earned = vec![0.0; arms.len()];
    let mut agent = ExploreThenCommit { arms, trials: 20, earned, episode: 0 };
    let mut regret = Regret::of(&swim).ok_or("a table has exact values")?;
    Simulation::new(&swim, Streams::new(1)).run(0..200, &mut agent, &mut regret)?;
    print!("{}", regret.curve()?.with_points(5));
    Ok(())
}
