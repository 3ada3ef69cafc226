//! What is refused when an agent is restored, and sweeps on any number of threads.

use sporadic::agents::{AdaptiveLsviUcb, LsviUcbParams, Resume};
use sporadic::model::gallery;
use sporadic::simulation::{Simulation, Streams};

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
