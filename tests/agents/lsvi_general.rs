//! Algorithm 1 beyond tables: continuous states, estimated features, single precision.

use nalgebra::{Const, Dyn};
use rand_pcg::Pcg64;
use sporadic::agents::{LsviUcb, LsviUcbParams, Replanning, UniformRandom};
use sporadic::estimators::{Estimator, Exploratory, TabularEstimator, plug_in};
use sporadic::features::{OneHot, Psi, RandomLinear};
use sporadic::model::gallery;
use sporadic::oracles::{Exhaustive, Periodic};
use sporadic::sequence::runs;
use sporadic::simulation::{Returns, Simulation, Streams};

/// On a random linear MDP with continuous states the agent does better than chance once it has
/// learnt: the mean of the last hundred returns is above that of uniformly random actions.
#[test]
fn continuous_states() {
    let mut rng = Pcg64::new(3, 1);
    let env = RandomLinear::<f64, _>::new(Const::<3>, vec![0.3, 0.6], 0.8, &mut rng).unwrap();
    let model = env.linear_model(10);
    let psi = Psi::new(&env, model.dynamics(&[0.3, 0.6], 0.8).unwrap()).unwrap();
    let params = LsviUcbParams::default()
        .with_horizon(6)
        .with_rho(0.3)
        .with_replanning(Replanning::DeterminantGrowth(1.3));
    let oracle = Exhaustive::new(runs(2, 1, 2));
    let mut agent = LsviUcb::new(psi, oracle, params).unwrap();
    let world = Simulation::new(&env, Streams::new(1));
    let (mut learnt, mut random) = (Returns::new(), Returns::new());
    world.run(0..300, &mut agent, &mut learnt).unwrap();
    assert!(agent.error().is_none());
    assert!(agent.num_ends() > 100, "every sighting is a state of its own");
    let mut chance = UniformRandom::new(2, Streams::new(1).agent());
    world.run(0..300, &mut chance, &mut random).unwrap();
    let late = |returns: &Returns<f64>| returns.returns()[200..].iter().sum::<f64>() / 100.0;
    assert!(late(&learnt) > late(&random), "{} {}", late(&learnt), late(&random));
}

/// Estimated features, an oracle that makes its own candidates.
#[test]
fn estimated_features() {
    let model = gallery::river_swim::<f64>(4, 0.4, 0.9).unwrap();
    let mut estimator = TabularEstimator::new(4, 2, 0.9).unwrap();
    let source = Exploratory::uniform(&model);
    let mut rng = Pcg64::new(5, 1);
    for _ in 0..20_000 {
        estimator.observe(&source.sample(&mut rng));
    }
    let psi = plug_in(OneHot::<Dyn>::new(4, 2), estimator.estimate().unwrap()).unwrap();
    let params = LsviUcbParams::default().with_horizon(20).with_rho(3.0);
    let oracle = Periodic { prefix: 1, period: 2 };
    let mut agent = LsviUcb::new(psi, oracle, params).unwrap();
    let mut returns = Returns::new();
    Simulation::new(&model, Streams::new(2)).run(0..150, &mut agent, &mut returns).unwrap();
    assert!(agent.error().is_none());
    assert_eq!(agent.num_ends(), 4);
    // Always left earns 0.005 a round; the treasure at the other end was found.
    assert!(returns.returns()[100..].iter().sum::<f64>() / 50.0 > 0.5);
}

/// The same code in f32, static dimension.
#[test]
fn single_precision() {
    let mut rng = Pcg64::new(7, 1);
    let env = RandomLinear::<f32, _>::new(Const::<2>, vec![0.5, 0.5], 0.7, &mut rng).unwrap();
    let model = env.linear_model(6);
    let psi = Psi::new(&env, model.dynamics(&[0.5, 0.5], 0.7).unwrap()).unwrap();
    let params = LsviUcbParams::<f32>::default().with_horizon(5).with_rho(0.5);
    let mut agent = LsviUcb::new(psi, Exhaustive::new(runs(2, 1, 1)), params).unwrap();
    let mut returns = Returns::new();
    Simulation::new(&env, Streams::new(3)).run(0..60, &mut agent, &mut returns).unwrap();
    assert!(agent.error().is_none());
    assert!(returns.mean().unwrap().is_finite());
}
