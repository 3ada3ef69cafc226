use sporadic::Fault;
use sporadic::agents::{LsviUcbParams, TabularLsviUcb};
use sporadic::model::gallery;
use sporadic::sequence::runs;
use sporadic::simulation::{Regret, Returns, Simulation, Streams};

pub(crate) fn main() -> Result<(), Fault> {
    let river = gallery::river_balance::<f64>(6, 0.2, 0.95)?;
    // H = 1 / (1 - gamma) sightings, rho = half of the largest value there may be.
    let params = LsviUcbParams::default().with_horizon(20).with_rho(10.0).with_lambda(0.01);
    let family: Vec<_> = runs(2, 3, 5).collect();
    let mut agent = TabularLsviUcb::for_model(&river, family.clone(), params)?;

    // Two observers: what was earned, and the exact value of each episode's policy.
    let exact = Regret::of(&river).ok_or("a table has exact values")?.with_class(&family);
    let mut watching = (Returns::new(), exact);
    Simulation::new(&river, Streams::new(1)).run(0..3_000, &mut agent, &mut watching)?;

    let (returns, mut regret) = watching;
    let curve = regret.curve()?;
    let running: Vec<f64> = returns.running_mean().collect();
    println!("episodes  average return  value of its policy  regret (V*)  regret (family)");
    for k in [1, 10, 100, 1_000, 3_000] {
        let value = regret.episodes()[k - 1].value.unwrap_or(f64::NAN);
        let (point, class) = (&curve[k - 1], curve[k - 1].class.unwrap_or(f64::NAN));
        let mean = running[k - 1];
        println!("{k:>8}  {mean:14.2}  {value:19.3}  {:11.1}  {class:15.1}", point.upper);
    }
    Ok(())
}
