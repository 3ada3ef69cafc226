//! What agents and observers receive, and what is refused.

use rand::Rng;
use sporadic::agents::{Agent, FixedSequence, Segment};
use sporadic::belief::AugmentedState;
use sporadic::model::{Action, Environment, Reveal, intermittent};
use sporadic::simulation::{Every, Observation, Observer, Simulation, SimulationError, Streams};

use super::{Log, fixed, log, small};

/// Everything an agent is given, in order.
#[derive(Debug, Clone, PartialEq)]
enum Given {
    Start(usize),
    X(AugmentedState<usize>),
    Segment(Segment<usize, f64>),
    End,
}

struct Witness(Vec<Given>, FixedSequence);

impl Agent<usize, f64> for Witness {
    fn begin_episode(&mut self, start: &usize) {
        self.0.push(Given::Start(*start));
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.0.push(Given::X(x.clone()));
        Agent::<usize, f64>::act(&mut self.1, x)
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        self.0.push(Given::Segment(segment.clone()));
    }

    fn end_episode(&mut self) {
        self.0.push(Given::End);
    }
}

/// Agents get what bursts reveal and nothing else; observers get the same segments, and their sums.
#[test]
fn agents_and_observers_get_the_documented_segments() {
    let model = small([0.2, 0.5], 0.9);
    let mut witness = Witness(Vec::new(), fixed("0(01)"));
    let mut log = Log::default();
    Simulation::new(&model, Streams::new(8)).run(0..200, &mut witness, &mut log).unwrap();

    let (mut expected, mut steps) = (Vec::new(), log.steps.iter());
    for (k, &start) in log.starts.iter().enumerate() {
        expected.push(Given::Start(start));
        let (mut seen, mut actions, mut segments) = (start, Vec::new(), Vec::new());
        loop {
            expected.push(Given::X(AugmentedState::new(seen).with_actions(actions.clone())));
            let &(_, action, _, observation) = steps.next().unwrap();
            actions.push(action);
            let (next, reward) = match observation {
                Observation::Hidden => continue,
                Observation::Burst { state, reward } => (Some(state), reward),
                Observation::Terminated { reward } => (None, reward),
            };
            segments.push(Segment::new(seen, std::mem::take(&mut actions), reward, next));
            expected.push(Given::Segment(segments.last().unwrap().clone()));
            match next {
                Some(state) => seen = state,
                None => break,
            }
        }
        expected.push(Given::End);
        assert_eq!(log.segments[k], segments);
        let (summary, rounds) = (&log.summaries[k], segments.iter().map(|s| s.actions().len()));
        assert_eq!(summary.bursts + 1, segments.len() as u64);
        assert_eq!(summary.rounds, rounds.sum::<usize>() as u64);
        let total: f64 = segments.iter().map(Segment::reward).sum();
        assert!((total - summary.reward).abs() < 1e-12);
    }
    assert_eq!(witness.0, expected);
}

/// With `every(4)` a sighting ends every fourth round.
#[test]
fn segments_are_as_long_as_the_schedule_says() {
    let model = small([0.1; 2], 0.98);
    let model = intermittent(&model, Reveal::every(4).unwrap()).unwrap();
    let log = log(&model, 1, 500, fixed("(1)"));
    assert!(log.segments.iter().flatten().count() > 2_000);
    for segment in log.segments.iter().flatten() {
        let length = segment.actions().len();
        assert!(if segment.is_terminal() { length <= 4 } else { length == 4 });
    }
}

#[test]
fn an_action_out_of_range_names_the_round() {
    let model = small([0.0; 2], 0.99);
    let mut log = Log::default();
    let error = Simulation::new(&model, Streams::new(1))
        .run(0..10, &mut fixed("00(2)"), &mut log)
        .unwrap_err();
    let SimulationError::Action { action: 2, num_actions: 2, episode, round: 3 } = error else {
        panic!("{error:?}");
    };
    assert_eq!(log.summaries.len() as u64, episode);
    insta::assert_snapshot!(error, @"the agent took action 2 in episode 1, round 3, but the environment has only the actions below 2");
}

#[test]
fn boxed_and_borrowed_agents_and_observers_run_alike() {
    let model = small([0.3, 0.6], 0.9);
    let world = Simulation::new(&model, Streams::new(21));
    let expected = log(&model, 21, 50, fixed("0(1)"));
    let mut agents: Vec<Box<dyn Agent<usize, f64>>> =
        vec![Box::new(fixed("0(1)")), Box::new(Box::new(fixed("0(1)")))];
    for agent in &mut agents {
        let (mut all, mut fifth) = (Log::default(), Log::default());
        world.run(0..50, agent.as_mut(), &mut (&mut all, Every(5, &mut fifth))).unwrap();
        assert_eq!(all, expected);
        let fifths: Vec<_> = expected.summaries.iter().step_by(5).copied().collect();
        assert_eq!(fifth.summaries, fifths);
        assert_eq!(fifth.segments.len(), 10);
    }
    let mut dynamic: Box<dyn Observer<usize, f64>> = Box::new(Every(0, Log::default()));
    world.run(0..50, &mut agents[0], dynamic.as_mut()).unwrap();
}

/// One state, one action, nothing validated.
struct Careless {
    gamma: f64,
    beta: f64,
}

impl Environment for Careless {
    type Scalar = f64;
    type State = ();

    fn num_actions(&self) -> usize {
        1
    }

    fn gamma(&self) -> f64 {
        self.gamma
    }

    fn beta(&self, _: Action) -> f64 {
        self.beta
    }

    fn reward(&self, (): &(), _: Action) -> f64 {
        1.0
    }

    fn initial<R: Rng + ?Sized>(&self, _: &mut R) {}

    fn next<R: Rng + ?Sized>(&self, (): &(), _: Action, _: &mut R) {}
}

#[test]
fn environments_without_probabilities_are_refused() {
    let run = |gamma, beta| {
        let env = Careless { gamma, beta };
        Simulation::new(&env, Streams::new(1)).run(0..1, &mut fixed("(0)"), &mut ())
    };
    assert_eq!(run(0.9, 0.5), Ok(()));
    for gamma in [0.0, 1.0, -0.5, 1.5, f64::NAN] {
        assert!(matches!(run(gamma, 0.5), Err(SimulationError::Discount(_))), "{gamma}");
    }
    for beta in [-0.1, 1.1, f64::NAN] {
        let refused = run(0.9, beta);
        assert!(matches!(refused, Err(SimulationError::Beta { action: 0, .. })), "{beta}");
    }
}
