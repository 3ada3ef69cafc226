//! Exact values and certified bounds against simulated episodes. All seeds are fixed.

use rand_pcg::Pcg64;
use sporadic::agents::{FixedPolicy, FixedSequence, Segment};
use sporadic::features::{LinearModel, SequenceFeatures, TabularPsi};
use sporadic::model::gallery::{RandomTabular, random_tabular, river_balance};
use sporadic::model::{Reveal, intermittent};
use sporadic::planning::{Stationary, evaluate};
use sporadic::simulation::{Observer, Returns, Simulation, Streams};

use crate::common::{assert_mean, sequence};
use crate::solve::{magnitude, solved};

/// Keeps the reward and the end of the first segment of each episode.
#[derive(Default)]
struct FirstSegments(Vec<(f64, Option<usize>)>, bool);

impl Observer<usize, f64> for FirstSegments {
    fn episode_start(&mut self, _: u64, _: &usize) {
        self.1 = true;
    }

    fn segment(&mut self, _: u64, segment: &Segment<usize, f64>) {
        if std::mem::take(&mut self.1) {
            self.0.push((segment.reward(), segment.next().copied()));
        }
    }
}

/// Eight random models, four sequences each, at z = 4.5: of 32 correct comparisons one fails with
/// probability 2e-4.
#[test]
fn k_is_the_mean_of_reward_and_continuation() {
    for run in 0..8 {
        let streams = Streams::new(5).with_run(run);
        let n = 2 + usize::try_from(run).unwrap() % 4;
        let shape = RandomTabular {
            states: n,
            actions: 2 + n % 2,
            branching: n.min(3),
            gamma: 0.9,
            beta: 0.0..=1.0,
        };
        let model = random_tabular(&mut streams.agent(), &shape).unwrap();
        let values: Vec<f64> = (0..n).map(|s| 10.0 * (s as f64 + 0.5) / n as f64).collect();
        let weights = LinearModel::one_hot(&model).value_vector(model.gamma(), |&s| values[s]);
        let psi = TabularPsi::new(model.clone());
        for (i, text) in ["(0)", "0(1)", "11(01)", "(0011)"].iter().enumerate() {
            let (start, seq) = (i % n, sequence(text));
            let k = psi.psi(&start, &seq).dot(&weights);
            let mut first = FirstSegments::default();
            Simulation::new(&model, streams)
                .run_from(0..20_000, |_| start, &mut FixedSequence::new(seq), &mut first)
                .unwrap();
            let total = |&(r, next): &(f64, Option<usize>)| r + next.map_or(0.0, |s| values[s]);
            let totals: Vec<f64> = first.0.iter().map(total).collect();
            assert_mean(&totals, k, 4.5, &format!("run {run}, {text}"));
        }
    }
}

#[test]
fn mean_returns_under_schedules_are_exact() {
    for (reveal, text) in [
        (Reveal::every(3).unwrap(), "(1)"),
        (Reveal::after_dead_time(4, 0.4).unwrap(), "11(01)"),
        (Reveal::from([0.9, 0.0, 0.3]), "(110)"),
        (Reveal::exogenous(&[0.1, 0.2, 0.3]).unwrap(), "1(0111)"),
    ] {
        let model = intermittent(&river_balance::<f64>(6, 0.1, 0.9).unwrap(), reveal).unwrap();
        let mut returns = Returns::new();
        Simulation::new(&model, Streams::new(5))
            .run(0..40_000, &mut FixedSequence::new(sequence(text)), &mut returns)
            .unwrap();
        let exact = evaluate(&model, &Stationary::new(vec![sequence(text); 6])).unwrap()[0];
        assert_mean(returns.returns(), exact, 4.5, text);
    }
}

/// The mean of 10^5 episodes under the solver's policy, at z = 4 beyond the bounds.
#[test]
fn mean_returns_lie_inside_the_bounds() {
    let shape = RandomTabular { states: 6, actions: 3, branching: 2, gamma: 0.95, beta: 0.0..=0.4 };
    let random = (0..5).map(|seed| random_tabular(&mut Pcg64::new(seed, 0), &shape).unwrap());
    let rivers = [0.05, 0.5].map(|beta| river_balance(6, beta, 0.99).unwrap());
    for (start, model) in random.chain(rivers).enumerate() {
        let found = solved(&model, 1e-4 * magnitude(&model));
        let (start, streams) = (start % 6, Streams::new(start as u64));
        let mut returns = Returns::with_capacity(100_000);
        Simulation::new(&model, streams)
            .run_from(0..100_000, |_| start, &mut FixedPolicy::new(found.policy), &mut returns)
            .unwrap();
        let inside = returns.mean().unwrap().clamp(found.lower[start], found.upper[start]);
        assert_mean(returns.returns(), inside, 4.0, &format!("state {start}"));
    }
}
