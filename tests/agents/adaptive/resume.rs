//! Saved at any episode, continued bit for bit.

use proptest::prelude::*;
use sporadic::Real;
use sporadic::agents::{AdaptiveLsviUcb, LsviUcbParams, Replanning, Resume};
use sporadic::model::gallery;
use sporadic::simulation::{Simulation, Streams};

fn continues<T: Real>(seed: u64, at: u64, beta: f64, replanning: Replanning<T>) {
    let model = gallery::river_balance::<T>(5, T::of(beta), T::of(0.95)).unwrap();
    let params =
        LsviUcbParams::default().with_horizon(15).with_rho(T::of(8.0)).with_replanning(replanning);
    let make = || AdaptiveLsviUcb::for_model(&model, 64, params).unwrap();
    let (mut agent, mut other) = (make(), make());
    let simulation = Simulation::new(&model, Streams::new(seed));
    simulation.run(0..at, &mut agent, &mut ()).unwrap();
    other.restore(agent.state()).unwrap();
    assert_eq!(agent.state(), other.state());
    simulation.run(at..at + 60, &mut agent, &mut ()).unwrap();
    simulation.run(at..at + 60, &mut other, &mut ()).unwrap();
    assert_eq!(agent.state(), other.state());
    assert_eq!(agent.plan(), other.plan());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn saved_at_any_episode(
        seed in 0_u64..1000,
        at in 0_u64..150,
        beta in prop::sample::select(vec![0.0, 0.05, 0.3, 1.0]),
        often in any::<bool>(),
    ) {
        let growth = if often { Replanning::EveryEpisode } else { Replanning::DeterminantGrowth(1.1) };
        continues::<f64>(seed, at, beta, growth);
        let growth = if often { Replanning::EveryEpisode } else { Replanning::DeterminantGrowth(1.1) };
        continues::<f32>(seed, at, beta, growth);
    }
}

/// What another agent saved is refused, and the agent is as it was.
#[test]
fn other_agents_are_refused() {
    let make = |states, size, horizon| {
        let model = gallery::river_balance::<f64>(states, 0.2, 0.9).unwrap();
        let params = LsviUcbParams::default().with_horizon(horizon).with_rho(5.0);
        let mut agent = AdaptiveLsviUcb::for_model(&model, size, params).unwrap();
        Simulation::new(&model, Streams::new(1)).run(0..60, &mut agent, &mut ()).unwrap();
        agent
    };
    let mut agent = make(4, 100, 12);
    let before = agent.state();
    for other in [make(5, 100, 12), make(4, 30, 12), make(4, 100, 13)] {
        assert!(agent.restore(other.state()).is_err());
        assert_eq!(agent.state(), before);
    }
}

/// One curve for any number of threads, and after a stop.
#[cfg(feature = "experiment")]
#[test]
fn sweeps_do_not_depend_on_threads() {
    use sporadic::experiment::{Outcome, Runner, Spec};
    let spec = r#"
        episodes = 80
        seeds = 3
        points = 8
        [[models]]
        model = "river-balance"
        beta = [0.1, 0.5]
        gamma = 0.9
        [[agents]]
        agent = "lsvi-ucb"
        oracle = ["adaptive", "adaptive:20"]
        horizon = 12
        rho = 5
    "#;
    let spec = Spec::from_toml(spec).unwrap();
    let plan = spec.expand(&sporadic::kinds::Registry::builtin(), "".as_ref()).unwrap();
    let curves = [1, 3].map(|threads| {
        let dir = tempfile::tempdir().unwrap();
        Runner::new().with_threads(threads).run(&plan, dir.path()).unwrap();
        let outcome = Outcome::load(dir.path()).unwrap();
        assert!(outcome.groups().iter().all(|group| group.gap().is_some_and(|gap| gap >= 0.0)));
        String::from_utf8(outcome.curves_csv().unwrap()).unwrap()
    });
    assert_eq!(curves[0], curves[1]);
    let mut lines = curves[0].lines();
    assert!(lines.next().unwrap().ends_with(",mean_policy_value,rounds,looks,gap"));
    // At 10, 40 and 80 episodes of 10, 20, ..., 80.
    let asked = lines.clone().filter(|line| !line.ends_with(',')).count();
    assert_eq!((asked, lines.count()), (2 * 2 * 3 * 3, 2 * 2 * 3 * 8));
}
