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
