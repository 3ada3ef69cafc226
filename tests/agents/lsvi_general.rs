//! Algorithm 1 beyond tables: continuous states, estimated features, single precision.

use nalgebra::{Const, Dyn};
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::agents::{LsviUcb, LsviUcbParams, Replanning, UniformRandom};
use sporadic::estimators::{Estimator, Exploratory, TabularEstimator, plug_in};
use sporadic::features::{OneHot, Psi, RandomLinear};
use sporadic::model::gallery;
use sporadic::oracles::{Exhaustive, Periodic};
use sporadic::sequence::runs;
use sporadic::simulation::{Returns, Simulation, Streams};

/// On a random linear MDP with continuous states the agent does better than chance once it has
/// learnt: the mean of the last hundred returns is above that of uniformly random actions.
fn continuous_states_are_learnt<T: Real>() {
    let mut rng = Pcg64::new(3, 1);
    let (beta, gamma) = ([0.3, 0.6].map(T::of), T::of(0.8));
    let env = RandomLinear::<T, _>::new(Const::<3>, beta.to_vec(), gamma, &mut rng).unwrap();
    let psi = Psi::new(&env, env.linear_model(10).dynamics(&beta, gamma).unwrap()).unwrap();
    let params = LsviUcbParams::default()
        .with_horizon(6)
        .with_rho(T::of(0.3))
        .with_replanning(Replanning::DeterminantGrowth(T::of(1.3)));
    let oracle = Exhaustive::new(runs(2, 1, 2));
    let mut agent = LsviUcb::new(psi, oracle, params).unwrap();
    let world = Simulation::new(&env, Streams::new(1));
    let (mut learnt, mut random) = (Returns::new(), Returns::new());
    world.run(0..300, &mut agent, &mut learnt).unwrap();
    assert!(agent.error().is_none());
    assert!(agent.num_ends() > 100, "every sighting is a state of its own");
    let mut chance = UniformRandom::new(2, Streams::new(1).agent());
    world.run(0..300, &mut chance, &mut random).unwrap();
    let late = |returns: &Returns<T>| {
        returns.returns()[200..].iter().map(|x| x.as_f64()).sum::<f64>() / 100.0
    };
    assert!(late(&learnt) > late(&random), "{} {}", late(&learnt), late(&random));
}

#[test]
fn continuous_states_in_double_precision() {
    continuous_states_are_learnt::<f64>();
}

#[test]
fn continuous_states_in_single_precision() {
    continuous_states_are_learnt::<f32>();
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
