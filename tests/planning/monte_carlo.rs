//! Exact values against what happens.

use sporadic::agents::{Agent, Segment};
use sporadic::belief::AugmentedState;
use sporadic::features::{LinearModel, SequenceFeatures, TabularPsi};
use sporadic::model::Action;
use sporadic::model::gallery::{RandomTabular, random_tabular};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Streams, run_episode};

/// Plays one sequence and keeps the first segment of the episode.
struct FirstSegment {
    sequence: ActionSequence,
    first: Option<(f64, Option<usize>)>,
}

impl Agent<usize, f64> for FirstSegment {
    fn begin_episode(&mut self, _: &usize) {
        self.first = None;
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.sequence.action(x.actions().len())
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        self.first.get_or_insert((segment.reward(), segment.next().copied()));
    }
}

/// Eight random models, four sequences each: the mean of R + V(next) over 20,000 first segments is
/// within z = 4.5 standard errors of <psi, v_12>. Of 32 correct comparisons one fails with
/// probability 2e-4; the seed is fixed.
#[test]
fn k_is_the_mean_of_reward_and_continuation() {
    const EPISODES: u32 = 20_000;
    let mut worst: f64 = 0.0;
    for run in 0..8 {
        let streams = Streams::new(5).with_run(run);
        let shape = RandomTabular {
            states: 2 + usize::try_from(run).unwrap() % 4,
            actions: 2 + usize::try_from(run).unwrap() % 2,
            branching: 3.min(2 + usize::try_from(run).unwrap() % 4),
            gamma: 0.9,
            beta: 0.0..=1.0,
        };
        let model = random_tabular(&mut streams.agent(), &shape).unwrap();
        let n = model.num_states();
        let values: Vec<f64> = (0..n).map(|s| 10.0 * (s as f64 + 0.5) / n as f64).collect();
        let weights = LinearModel::one_hot(&model).value_vector(model.gamma(), |&s| values[s]);
        let psi = TabularPsi::new(model.clone());
        for (i, text) in ["(0)", "0(1)", "11(01)", "(0011)"].iter().enumerate() {
            let sequence: ActionSequence = text.parse().unwrap();
            let start = i % n;
            let k = psi.psi(&start, &sequence).dot(&weights);
            let mut agent = FirstSegment { sequence, first: None };
            let (mut sum, mut squares) = (0.0, 0.0);
            for episode in 0..EPISODES {
                let mut rng = streams.world(u64::from(episode) + 100_000 * i as u64);
                run_episode(&model, &mut agent, start, &mut rng, &mut ()).unwrap();
                let (reward, next) = agent.first.unwrap();
                let x = reward + next.map_or(0.0, |s| values[s]);
                sum += x;
                squares += x * x;
            }
            let count = f64::from(EPISODES);
            let mean = sum / count;
            let error = ((squares / count - mean * mean) / count).sqrt();
            let z = (mean - k).abs() / error.max(1e-12);
            assert!(z < 4.5, "run {run}, {text}: {mean} +- {error} against {k}");
            worst = worst.max(z);
        }
    }
    assert!(worst > 0.5, "errors this small are not random: {worst}");
}
