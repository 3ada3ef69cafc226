use sporadic::Fault;
use sporadic::agents::{LsviUcbParams, TabularLsviUcb};
use sporadic::model::gallery;
use sporadic::sequence::runs;
use sporadic::simulation::{Curve, Regret, Simulation, Streams};

fn curve() -> Result<Curve, Fault> {
    let river = gallery::river_swim::<f64>(6, 0.2, 0.9)?;
    let params = LsviUcbParams::default().with_horizon(10).with_rho(5.0);
    let mut agent = TabularLsviUcb::for_model(&river, runs(2, 2, 3), params)?;
    let mut regret = Regret::of(&river).ok_or("a table has exact values")?;
    Simulation::new(&river, Streams::new(7)).run(0..500, &mut agent, &mut regret)?;
    Ok(regret.curve()?.with_points(5))
}

#[test]
fn the_learning_curve_has_not_changed() {
    insta::assert_snapshot!(curve().unwrap());
}

pub(crate) fn main() -> Result<(), Fault> {
    print!("{}", curve()?);
    Ok(())
}
