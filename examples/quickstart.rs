//! One model, one sequence, one value: exactly, and by simulation.
//!
//! `cargo run --release --example quickstart`

use sporadic::agents::FixedSequence;
use sporadic::features::{LinearModel, SequenceFeatures, TabularPsi};
use sporadic::model::gallery;
use sporadic::planning::{Stationary, class_optimum, evaluate};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Returns, Simulation, Streams};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // RiverSwim: a small reward at the left end, a large one at the right, against the current; the
    // state is seen one time in ten.
    let model = gallery::river_swim::<f64>(6, 0.1, 0.99)?;

    // Commit to "right, and right again, forever" at every sighting.
    let sequence: ActionSequence = "(1)".parse()?;
    let v = evaluate(&model, &Stationary::new(vec![sequence.clone(); 6]))?;
    println!("value of {sequence} from s1           {:.3}", v[0]);

    // The same value is linear in psi: K(s, a) = <psi(s, a), v_12>.
    let psi = TabularPsi::new(model.clone());
    let weights = LinearModel::one_hot(&model).value_vector(model.gamma(), |&s| v[s]);
    println!("the same through psi in R^24   {:.3}", psi.psi(&0, &sequence).dot(&weights));

    // And it is what an agent earns that plays the sequence, on average.
    let mut returns = Returns::new();
    let mut agent = FixedSequence::new(sequence);
    Simulation::new(&model, Streams::new(1)).run(0..20_000, &mut agent, &mut returns)?;
    println!("mean return, 20,000 episodes   {:.3}", returns.mean().unwrap_or(f64::NAN));

    // RiverBalance pays near its centre and pulls away from it: the best that the 1012 candidates
    // of the paper can do there, and the sequences that do it.
    let model = gallery::river_balance::<f64>(6, 0.1, 0.99)?;
    let best = class_optimum(&model, &runs(2, 5, 10).collect::<Vec<_>>())?;
    println!("best of 1012 on RiverBalance   {:.3}", best.values[0]);
    for (state, sequence) in model.state_names().iter().zip(best.policy.sequences()) {
        println!("  on seeing {state} play {sequence}");
    }
    Ok(())
}
