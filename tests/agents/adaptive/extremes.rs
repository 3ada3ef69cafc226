//! Extreme parameters and odd worlds: an error that says why, or a learner that plays.

use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::agents::{AdaptiveLsviUcb, LsviUcbParams, Resume};
use sporadic::model::{Tabular, gallery};
use sporadic::simulation::{Simulation, Streams};

/// Plays some episodes and certifies every state; `false` if the agent refused or reports an error.
fn plays<T: Real>(model: &Tabular<T>, size: usize, params: LsviUcbParams<T>, what: &str) -> bool {
    let Ok(mut agent) = AdaptiveLsviUcb::for_model(model, size, params) else { return false };
    let simulation = Simulation::new(model, Streams::new(3));
    simulation.run(0..25, &mut agent, &mut ()).unwrap();
    let actions = model.num_actions();
    assert!(agent.plan().family().iter().all(|seq| seq.max_action() < actions), "{what}");
    if agent.error().is_some() {
        return false;
    }
    for s in 0..model.num_states() {
        let choice = agent.certify(s, 50).unwrap();
        assert!(choice.gap() >= T::zero() && choice.value.is_finite(), "{what}: {choice}");
    }
    let saved = agent.state();
    agent.restore(saved).unwrap();
    true
}

#[test]
fn lambda_rho_and_gamma() {
    let (mut double, mut float) = (0, 0);
    for gamma in [0.01, 0.9, 0.9999] {
        for beta in [0.0, 0.3, 1.0] {
            let model = gallery::river_balance::<f64>(3, beta, gamma).unwrap();
            let single = gallery::river_balance::<f32>(3, f32::of(beta), f32::of(gamma)).unwrap();
            for lambda in [1e-300, 1e-30, 1e-12, 1.0, 1e12] {
                for rho in [0.0, 1e-9, 1.0, 1e9, 1e300] {
                    let what = format!("gamma {gamma} beta {beta} lambda {lambda} rho {rho}");
                    let params = LsviUcbParams::default().with_horizon(6);
                    let fine = plays(&model, 24, params.with_lambda(lambda).with_rho(rho), &what);
                    // Nothing is refused but what overflows or loses the digits of Lambda^-1.
                    assert!(fine || lambda < 1e-9 || rho > 1e99, "{what}");
                    double += usize::from(fine);
                    let params = LsviUcbParams::default().with_horizon(6);
                    let params = params.with_lambda(f32::of(lambda)).with_rho(f32::of(rho));
                    float += usize::from(plays(&single, 24, params, &what));
                }
            }
        }
    }
    assert!(double >= 135 && float >= 72, "{double} and {float} of 225 are played");
}

#[test]
fn few_states_and_many_actions() {
    for (states, actions) in [(1, 1), (1, 3), (4, 1), (2, 9), (8, 2)] {
        for beta in [0.0, 0.2, 1.0] {
            let shape = gallery::RandomTabular {
                states,
                actions,
                gamma: 0.8,
                branching: states.min(3),
                ..Default::default()
            };
            let model = gallery::random_tabular(&mut Pcg64::new(7, 1), &shape).unwrap();
            let model: Tabular<f64> = model.with_betas(vec![beta; actions]).unwrap();
            for size in [1, 10, 100] {
                let params = LsviUcbParams::default().with_horizon(5).with_rho(1.0);
                let what = format!("{states} {actions} {beta} {size}");
                assert!(plays(&model, size, params, &what), "{what}");
            }
        }
    }
}

/// With one action there is one sequence: the pool is it.
#[test]
fn one_action_has_one_sequence() {
    let shape = gallery::RandomTabular { states: 3, actions: 1, gamma: 0.8, ..Default::default() };
    let model: Tabular<f64> = gallery::random_tabular(&mut Pcg64::new(7, 1), &shape).unwrap();
    let params = LsviUcbParams::default().with_horizon(5).with_rho(1.0);
    let mut agent = AdaptiveLsviUcb::for_model(&model, 50, params).unwrap();
    Simulation::new(&model, Streams::new(3)).run(0..50, &mut agent, &mut ()).unwrap();
    assert_eq!(agent.plan().family().len(), 1);
    assert!(agent.certify(0, 100).unwrap().gap() < 1e-2);
}
