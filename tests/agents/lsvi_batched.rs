//! The general learner with a finite family and features that factor: planning for all states at once against
//! the oracle asked state by state.

use nalgebra::{Const, Dyn};
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::Real;
use sporadic::agents::{LsviUcb, LsviUcbParams, Planner, Resume};
use sporadic::dim::FeatureDim;
use sporadic::features::{Dynamics, FeatureFn, FeatureMap, OneHot, Psi, RandomLinear, TabularPsi};
use sporadic::model::gallery;
use sporadic::oracles::{Exhaustive, Periodic, SequenceOracle};
use sporadic::sequence::{ActionSequence, runs};
use sporadic::simulation::{Simulation, Streams};

const BETA: [f64; 2] = [0.3, 0.6];

fn lift<T: Real>(list: &[f64]) -> Vec<T> {
    list.iter().map(|&x| T::of(x)).collect()
}

/// After some episodes of the batched learner both planners plan with what it has learnt: their values agree to
/// `tolerance`, and where their sequences differ, the other one is worth as much.
fn planners_agree<T: Real, D: FeatureDim, F: FeatureMap<T, Dim = D, State = T> + Clone>(
    dim: D,
    seed: u128,
    (features, rho): (Option<F>, f64),
    tolerance: f64,
) where
    RandomLinear<T, D>: Clone,
{
    let env =
        RandomLinear::<T, _>::new(dim, lift(&BETA), T::of(0.8), &mut Pcg64::new(seed, 1)).unwrap();
    let dynamics = env.linear_model(12).dynamics(&lift::<T>(&BETA), T::of(0.8)).unwrap();
    let family: Vec<ActionSequence> = runs(2, 2, 3).collect();
    let params =
        LsviUcbParams::<T>::default().with_horizon(8).with_rho(T::of(rho)).with_lambda(T::of(0.1));
    match features {
        Some(phi) => compare(&env, &Psi::new(phi, dynamics).unwrap(), &family, params, tolerance),
        None => {
            compare(&env, &Psi::new(env.clone(), dynamics).unwrap(), &family, params, tolerance);
        }
    }
}

fn compare<T: Real, D: FeatureDim, F: FeatureMap<T, Dim = D, State = T>>(
    env: &RandomLinear<T, D>,
    psi: &Psi<T, F>,
    family: &[ActionSequence],
    params: LsviUcbParams<T>,
    tolerance: f64,
) {
    let make = |planner, family: &[ActionSequence]| {
        LsviUcb::new(psi, Exhaustive::new(family.to_vec()), params.with_planner(planner)).unwrap()
    };
    let mut batched = make(Planner::Screened, family);
    let world = Simulation::new(env, Streams::new(7));
    world.run(0..40, &mut batched, &mut ()).unwrap();
    assert!(batched.error().is_none(), "{:?}", batched.error());
    let mut plain = make(Planner::Plain, family);
    plain.restore(batched.state()).unwrap();
    world.run(40..41, &mut batched, &mut ()).unwrap();
    world.run(40..41, &mut plain, &mut ()).unwrap();
    let planned = plain.state();
    for u in 1..8 {
        for i in 0..20 {
            let s = T::of((f64::from(i) + 0.5) / 20.0);
            let (ours, value) = batched.choose(u, &s).unwrap();
            let (theirs, expected) = plain.choose(u, &s).unwrap();
            let near = |x: T, y: T| (x - y).as_f64().abs() <= tolerance * (1.0 + y.as_f64().abs());
            assert!(near(value, expected), "u = {u}, s = {s}: {value} {expected}");
            if ours != theirs {
                let mut alone = make(Planner::Plain, &[ours]);
                alone.restore(planned.clone()).unwrap();
                let (_, worth) = alone.choose(u, &s).unwrap();
                assert!(near(worth, expected), "u = {u}, s = {s}: {worth} {expected}");
            }
        }
    }
}

type NoFeatures<T, D> = RandomLinear<T, D>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn planners_agree_in_any_precision_and_dimension(
        seed in 0..1_000_u128,
        rho in prop_oneof![Just(0.0), Just(0.3), Just(5.0)],
    ) {
        planners_agree::<f64, _, NoFeatures<_, _>>(Const::<4>, seed, (None, rho), 1e-9);
        planners_agree::<f64, _, NoFeatures<_, _>>(Dyn(3), seed, (None, rho), 1e-9);
        planners_agree::<f32, _, NoFeatures<_, _>>(Const::<3>, seed, (None, rho), 2e-3);
        // Features of any sign, which are not those of the world.
        let signed = FeatureFn::new(Const::<3>, |&s: &f64, a: usize, phi: &mut [f64]| {
            for (k, x) in phi.iter_mut().enumerate() {
                *x = 0.5 * ((k + 1) as f64 * 4.0 * s + a as f64).sin();
            }
        });
        planners_agree(Const::<3>, seed, (Some(&signed), rho), 1e-9);
    }
}

/// States that are met again are found again: as many as the model has, whichever way they are looked for.
#[test]
fn states_are_found_again() {
    let model = gallery::river_swim::<f64>(4, 0.5, 0.9).unwrap();
    let phi = OneHot::of(&model);
    let psi = Psi::new(phi, Dynamics::one_hot(&model, phi)).unwrap();
    let params = LsviUcbParams::default().with_horizon(10).with_rho(1.0);
    for planner in [Planner::Plain, Planner::Screened] {
        let oracle = Periodic { prefix: 1, period: 2 };
        let mut agent = LsviUcb::new(&psi, oracle, params.with_planner(planner)).unwrap();
        Simulation::new(&model, Streams::new(2)).run(0..80, &mut agent, &mut ()).unwrap();
        assert_eq!(agent.num_ends(), 4);
    }
}

/// An oracle tells its family only if scoring it is all that the oracle does.
#[test]
fn families_are_told_where_they_can_be_scored() {
    let family: Vec<_> = runs(2, 1, 2).collect();
    let told =
        |oracle: &dyn SequenceOracle<f64>, actions| oracle.family(actions).map(|x| x.to_vec());
    assert_eq!(told(&Exhaustive::new(family.clone()), 2), Some(family.clone()));
    assert_eq!(told(&Exhaustive::new(family), 1), None, "action 1 is not there");
    assert_eq!(told(&Exhaustive::new([]), 2), None, "nothing to choose from");
    assert_eq!(told(&Periodic { prefix: 1, period: 2 }, 2).map(|x| x.len()), Some(8));
    assert_eq!(told(&Periodic { prefix: 20, period: 20 }, 2), None, "too many to be held");
    let model = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
    assert!(sporadic::features::SequenceFeatures::factors(&TabularPsi::new(model)).is_none());
}
