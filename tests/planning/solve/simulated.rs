//! The policy played through the protocol: 10^5 episodes fall inside the bounds, at z = 4.

use rand_pcg::Pcg64;
use sporadic::agents::{Agent, Segment};
use sporadic::belief::AugmentedState;
use sporadic::model::gallery::{RandomTabular, random_tabular};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Returns, Simulation, Streams};

use super::{magnitude, solved};

/// Plays a sequence per state seen.
struct PerState(Vec<ActionSequence>);

impl Agent<usize, f64> for PerState {
    fn begin_episode(&mut self, _: &usize) {}

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.0[*x.state()].action(x.actions().len())
    }

    fn observe(&mut self, _: &Segment<usize, f64>) {}
}

fn assert_inside(model: &Tabular<f64>, seed: u64) {
    let found = solved(model, 1e-4 * magnitude(model));
    let start = usize::try_from(seed).unwrap() % model.num_states();
    let mut returns = Returns::with_capacity(100_000);
    Simulation::new(model, Streams::new(seed))
        .run_from(0..100_000, |_| start, &mut PerState(found.policy.into_sequences()), &mut returns)
        .unwrap();
    let xs = returns.returns();
    let n = xs.len() as f64;
    let mean = xs.iter().sum::<f64>() / n;
    let variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let margin = 4.0 * (variance / n).sqrt();
    let (lower, upper) = (found.lower[start], found.upper[start]);
    assert!(lower - margin <= mean && mean <= upper + margin, "{lower} {mean} {upper} {margin}");
}

#[test]
fn on_random_models() {
    for seed in 0..5 {
        let shape =
            RandomTabular { states: 6, actions: 3, branching: 2, gamma: 0.95, beta: 0.0..=0.4 };
        assert_inside(&random_tabular(&mut Pcg64::new(seed.into(), 0), &shape).unwrap(), seed);
    }
}

#[test]
fn on_river_balance() {
    for beta in [0.05, 0.5] {
        assert_inside(&gallery::river_balance(6, beta, 0.99).unwrap(), 6);
    }
}
