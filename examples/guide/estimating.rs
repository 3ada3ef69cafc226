use sporadic::Fault;
use sporadic::agents::{Agent, Candidates, LsviUcbParams, OnlineTabularLsviUcb, TabularLsviUcb};
use sporadic::estimators::{EmEstimator, Estimator, Exploratory, TabularEstimator, plug_in};
use sporadic::features::OneHot;
use sporadic::model::{Tabular, gallery};
use sporadic::sequence::runs;
use sporadic::simulation::{Regret, Simulation, Streams};

/// The regret of 1,000 episodes.
fn regret(model: &Tabular<f64>, agent: &mut dyn Agent<usize, f64>) -> Result<f64, Fault> {
    let mut regret = Regret::of(model).ok_or("a table has exact values")?;
    Simulation::new(model, Streams::new(1)).run(0..1_000, agent, &mut regret)?;
    Ok(regret.curve()?.total_regret().ok_or("the agent shows its policy")?)
}

pub(crate) fn main() -> Result<(), Fault> {
    let river = gallery::river_balance::<f64>(6, 0.1, 0.95)?;
    let family: Vec<_> = runs(2, 3, 5).collect();
    let params =
        LsviUcbParams::default().with_horizon(20).with_rho(10.0).with_reward_range(0.0, 1.0);

    // Algorithm 1 is told psi.
    let mut told = TabularLsviUcb::for_model(&river, family.clone(), params)?;
    println!("regret with exact psi:             {:6.0}", regret(&river, &mut told)?);

    // psi from N transitions that were collected beforehand, each from a random state and action.
    for samples in [100, 1_000, 10_000] {
        let (source, mut rng) = (Exploratory::uniform(&river), Streams::new(7).agent());
        let mut estimator = TabularEstimator::new(6, 2, 0.95)?;
        (0..samples).for_each(|_| estimator.observe(&source.sample(&mut rng)));
        let psi = plug_in(OneHot::new(6, 2), estimator.estimate()?)?;
        let candidates = Candidates::new(&psi, 6, family.clone())?;
        let mut agent = TabularLsviUcb::new(candidates, params)?;
        println!("psi from {samples:>6} samples:           {:6.0}", regret(&river, &mut agent)?);
    }

    // Nothing collected beforehand: psi is learnt from the agent's own segments.
    let mut online = OnlineTabularLsviUcb::new(EmEstimator::new(6, 2, 0.95)?, family, params)?;
    println!("psi learnt while acting:           {:6.0}", regret(&river, &mut online)?);
    let (learnt, truth) = (online.estimator().probability(2, 0, 1), river.probability(2, 0, 1));
    println!("P(s2 | s3, left) learnt and true:  {learnt:6.2}{truth:6.2}");
    Ok(())
}
