use std::borrow::Cow;

use sporadic::Fault;
use sporadic::agents::{Agent, LsviUcb, LsviUcbParams, Segment};
use sporadic::belief::AugmentedState;
use sporadic::model::{Action, gallery};
use sporadic::oracles::{Choice, OracleError, SequenceObjective, SequenceOracle};
use sporadic::sequence::{ActionSequence, BurstPolicy};
use sporadic::simulation::{Regret, Simulation, Streams};

/// An agent: plays each of a few sequences for some episodes, then the one that earned most.
struct ExploreThenCommit {
    arms: Vec<ActionSequence>,
    earned: Vec<f64>,
    episode: usize,
}

impl ExploreThenCommit {
    fn arm(&self) -> usize {
        if self.episode < 20 * self.arms.len() {
            return self.episode % self.arms.len();
        }
        let better = |a: usize, b: usize| if self.earned[b] > self.earned[a] { b } else { a };
        (0..self.arms.len()).fold(0, better)
    }
}

impl Agent<usize, f64> for ExploreThenCommit {
    fn begin_episode(&mut self, _first_state: &usize) {}

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        self.arms[self.arm()].action(x.actions().len())
    }

    fn observe(&mut self, segment: &Segment<usize, f64>) {
        let arm = self.arm();
        self.earned[arm] +=
            if self.episode < 20 * self.arms.len() { segment.reward() } else { 0.0 };
    }

    fn end_episode(&mut self) {
        self.episode += 1;
    }

    /// With a policy to show, an agent gets an exact regret curve.
    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        Some(self)
    }
}

impl BurstPolicy<usize> for ExploreThenCommit {
    fn horizon(&self) -> usize {
        1 // The sequence does not depend on the number of the sighting.
    }

    fn sequence(&self, _sighting: usize, _state: &usize) -> Cow<'_, ActionSequence> {
        Cow::Borrowed(&self.arms[self.arm()])
    }
}

/// An oracle: changes one action at a time while that helps, from each of the constant sequences.
struct HillClimbing;

impl SequenceOracle<f64> for HillClimbing {
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        let sequence = |word: &[Action]| ActionSequence::new(&word[..2], word[2..].to_vec());
        let (mut best, mut value, mut evaluated) = (vec![0; 5], f64::NEG_INFINITY, 0);
        for start in 0..k.num_actions() {
            let mut word = vec![start; 5];
            for change in 0..10 {
                for a in 0..k.num_actions() {
                    word[change % 5] = a;
                    let found = k.value(&sequence(&word));
                    evaluated += 1;
                    if found > value {
                        (best, value) = (word.clone(), found);
                    }
                }
                word.clone_from(&best);
            }
        }
        let upper_bound = k.upper_bound(&[]).max(value);
        Ok(Choice { sequence: sequence(&best), value, upper_bound, evaluated })
    }
}

pub(crate) fn main() -> Result<(), Fault> {
    let river = gallery::river_swim::<f64>(4, 0.3, 0.9)?;
    let arms: Vec<ActionSequence> =
        ["(0)", "(1)", "(01)"].map(str::parse).into_iter().collect::<Result<_, _>>()?;
    let mut committed = ExploreThenCommit { earned: vec![0.0; arms.len()], arms, episode: 0 };
    let params = LsviUcbParams::default().with_horizon(5).with_rho(0.5);
    let mut searching = LsviUcb::for_model(&river, HillClimbing, params)?;
    let agents: [(&str, &mut dyn Agent<usize, f64>); 2] = [
        ("explore, then commit", &mut committed),
        ("Algorithm 1 with hill climbing", &mut searching),
    ];
    for (name, agent) in agents {
        let mut regret = Regret::of(&river).ok_or("a table has exact values")?;
        Simulation::new(&river, Streams::new(1)).run(0..300, agent, &mut regret)?;
        print!("{name}\n{:.1}", regret.curve()?.with_points(3));
    }
    Ok(())
}
