//! Learning when nothing is known but the numbers of states and actions, gamma and the range of rewards.
//!
//! `cargo run --release --example online`

use sporadic::agents::{Agent, LsviUcbParams, OnlineTabularLsviUcb, TabularLsviUcb};
use sporadic::estimators::EmEstimator;
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::runs;
use sporadic::simulation::{Regret, Simulation, Streams};

const GAMMA: f64 = 0.99;

type Failure = Box<dyn std::error::Error>;

/// The mean exact value of the last 50 policies played, times 1 - gamma.
fn play(model: &Tabular<f64>, agent: &mut dyn Agent<usize, f64>) -> Result<f64, Failure> {
    let mut values = Regret::of(model).ok_or("a table has exact values")?;
    Simulation::new(model, Streams::new(1)).run(0..500, agent, &mut values)?;
    let last = values.episodes().iter().rev().take(50).filter_map(|episode| episode.value);
    Ok((1.0 - GAMMA) * last.sum::<f64>() / 50.0)
}

fn main() -> Result<(), Failure> {
    let river = gallery::river_balance(6, 0.05, GAMMA)?;
    let params = LsviUcbParams::default().with_reward_range(0.0, 1.0);

    // Algorithm 1 is told psi, so all of the river but its rewards.
    let mut told = TabularLsviUcb::for_model(&river, runs(2, 5, 10), params)?;
    println!("psi known:  {:.3}", play(&river, &mut told)?);

    // This one starts with six states, two actions and gamma.
    let nothing = EmEstimator::new(6, 2, GAMMA)?;
    let mut online = OnlineTabularLsviUcb::new(nothing, runs(2, 5, 10), params)?;
    println!("psi learnt: {:.3}", play(&river, &mut online)?);

    // One segment in twenty showed a transition; the others told of them as well.
    println!("s, action: P(next state), learnt and true");
    for (s, a) in [(0, 1), (2, 0), (4, 1)] {
        let learnt =
            (0..6).map(|next| format!("{:.2}", online.estimator().probability(s, a, next)));
        let truth = (0..6).map(|next| format!("{:.2}", river.probability(s, a, next)));
        println!("{s}, {a}: {}", learnt.collect::<Vec<_>>().join(" "));
        println!("      {}", truth.collect::<Vec<_>>().join(" "));
    }
    Ok(())
}
