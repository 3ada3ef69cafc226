//! The episodic protocol, tested from outside.

mod segments;
mod streams;
mod values;

use sporadic::agents::{Agent, FixedSequence, Segment, UniformRandom};
use sporadic::model::{Action, Tabular};
use sporadic::simulation::{EpisodeSummary, Observation, Observer, Simulation, Step, Streams};

/// Keeps everything that observers receive.
#[derive(Default, Debug, Clone, PartialEq)]
struct Log {
    starts: Vec<usize>,
    steps: Vec<(usize, Action, usize, Observation<usize, f64>)>,
    segments: Vec<Vec<Segment<usize, f64>>>,
    summaries: Vec<EpisodeSummary<f64>>,
}

impl Observer<usize, f64> for Log {
    fn episode_start(&mut self, _: u64, start: &usize) {
        self.starts.push(*start);
        self.segments.push(Vec::new());
    }

    fn step(&mut self, step: &Step<'_, usize, f64>) {
        let seen = match step.observation {
            Observation::Burst { state, reward } => Observation::Burst { state: *state, reward },
            Observation::Terminated { reward } => Observation::Terminated { reward },
            Observation::Hidden => Observation::Hidden,
        };
        self.steps.push((*step.state, step.action, *step.next, seen));
    }

    fn segment(&mut self, _: u64, segment: &Segment<usize, f64>) {
        self.segments.last_mut().unwrap().push(segment.clone());
    }

    fn episode_end(&mut self, summary: &EpisodeSummary<f64>) {
        self.summaries.push(*summary);
    }
}

/// Two states and two actions; action 0 is seen with `beta[0]`, action 1 with `beta[1]`.
fn small(beta: [f64; 2], gamma: f64) -> Tabular<f64> {
    Tabular::builder(gamma)
        .initial([0.5, 0.5])
        .action("stay", beta[0], [0.25, 1.0], [[0.9, 0.1], [0.3, 0.7]])
        .action("go", beta[1], [0.0, 0.5], [[0.2, 0.8], [0.6, 0.4]])
        .build()
        .unwrap()
}

fn fixed(sequence: &str) -> FixedSequence {
    FixedSequence::new(sequence.parse().unwrap())
}

fn random(streams: Streams) -> UniformRandom {
    UniformRandom::new(2, streams.agent())
}

fn log<A: Agent<usize, f64>>(model: &Tabular<f64>, seed: u64, n: u64, mut agent: A) -> Log {
    let mut log = Log::default();
    Simulation::new(model, Streams::new(seed)).run(0..n, &mut agent, &mut log).unwrap();
    log
}
