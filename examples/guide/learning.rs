use sporadic::Fault;
use sporadic::agents::{LsviUcbParams, TabularLsviUcb};
use sporadic::model::gallery;
use sporadic::sequence::runs;
use sporadic::simulation::{Regret, Simulation, Streams};

pub(crate) fn main() -> Result<(), Fault> {
    let river = gallery::river_balance::<f64>(6, 0.2, 0.95)?;
    // H = 1 / (1 - gamma) sightings, rho = half of the largest value there may be.
    let params = LsviUcbParams::default().with_horizon(20).with_rho(10.0).with_lambda(0.01);
    let family: Vec<_> = runs(2, 3, 5).collect();
    let mut agent = TabularLsviUcb::for_model(&river, family.clone(), params)?;

    // The observer computes the exact value of each episode's policy, and its regret.
    let mut regret = Regret::of(&river).ok_or("a table has exact values")?.with_class(&family);
    Simulation::new(&river, Streams::new(1)).run(0..3_000, &mut agent, &mut regret)?;
    print!("{}", regret.curve()?.with_points(6));
    Ok(())
}
