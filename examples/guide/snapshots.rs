use sporadic::Fault;
use sporadic::agents::{LsviUcbParams, TabularLsviUcb};
use sporadic::model::gallery;
use sporadic::sequence::runs;
use sporadic::simulation::{Regret, Simulation, Streams};

/// A learning curve as text: one line for every 100 episodes.
fn curve() -> Result<String, Fault> {
    let river = gallery::river_swim::<f64>(6, 0.2, 0.9)?;
    let params = LsviUcbParams::default().with_horizon(10).with_rho(5.0);
    let mut agent = TabularLsviUcb::for_model(&river, runs(2, 2, 3), params)?;
    let mut regret = Regret::of(&river).ok_or("a table has exact values")?;
    Simulation::new(&river, Streams::new(7)).run(0..500, &mut agent, &mut regret)?;
    let points = regret.curve()?;
    let line = |k: usize| format!("{k:>4} {:8.2}\n", points[k - 1].upper);
    Ok((100..=500).step_by(100).map(line).collect())
}

// In a test of yours:
//
//     #[test]
//     fn the_curve_is_what_it_was() {
//         insta::assert_snapshot!(curve().unwrap());
//     }

pub(crate) fn main() -> Result<(), Fault> {
    print!("{}", curve()?);
    Ok(())
}
