//! What the general learner tells an oracle that prunes: bounds on K_u(s, .) that hold.

use std::cell::Cell;

use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::agents::{Agent, LsviUcb, LsviUcbParams};
use sporadic::features::TabularPsi;
use sporadic::model::gallery::{self, RandomTabular, random_tabular};
use sporadic::model::{Action, Tabular};
use sporadic::oracles::{BranchAndBound, Choice, OracleError, SequenceObjective, SequenceOracle};
use sporadic::planning::{TabularExact, evaluate};
use sporadic::sequence::{ActionSequence, periodic};
use sporadic::simulation::{Regret, Returns, Simulation, Streams};

/// An oracle that knows a large family and trusts nobody.
struct Auditor<'a> {
    family: Vec<ActionSequence>,
    /// How many bounds were asked for, and how many were below the clip.
    bounds: &'a Cell<(u32, u32)>,
}

const GAP: f64 = 0.01;

impl Auditor<'_> {
    /// Every word of at most three actions, but for the empty one.
    fn prefixes(num_actions: usize) -> Vec<Vec<Action>> {
        let longer = |word: &Vec<Action>| {
            let word = word.clone();
            (0..num_actions).map(move |a| [&word[..], &[a]].concat())
        };
        let one: Vec<_> = [vec![]].iter().flat_map(longer).collect();
        let two: Vec<_> = one.iter().flat_map(longer).collect();
        let three: Vec<_> = two.iter().flat_map(longer).collect();
        [one, two, three].concat()
    }
}

impl SequenceOracle<f64> for Auditor<'_> {
    fn maximize(&self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        let values = k.values(&self.family);
        let clip = k.upper_bound(&[]);
        let mut best: Option<(f64, &ActionSequence)> = None;
        for (&value, seq) in values.iter().zip(&self.family) {
            assert!(value <= clip, "{seq}: {value} above the clip");
            if best.is_none_or(|(before, _)| value > before) {
                best = Some((value, seq));
            }
        }
        for prefix in Self::prefixes(k.num_actions()) {
            let bound = k.upper_bound(&prefix);
            assert!(bound <= clip);
            let (asked, below) = self.bounds.get();
            self.bounds.set((asked + 1, below + u32::from(bound < clip)));
            for (&value, seq) in values.iter().zip(&self.family) {
                let starts = seq.iter().zip(&prefix).all(|(a, &b)| a == b);
                assert!(!starts || value <= bound + 1e-9, "{seq}: {value} above {bound}");
            }
            let advice = k.suggest(&prefix);
            assert!(advice.iter().zip(&prefix).all(|(a, &b)| a == b), "{advice} for {prefix:?}");
            assert!(k.value(&advice) <= bound + 1e-9);
        }
        // So a search loses to no family by more than its gap.
        let found = BranchAndBound::new(GAP).with_nodes(20_000).maximize(k)?;
        let (value, sequence) = best.expect("a family");
        assert!(found.gap() > GAP + 1e-9 || value <= found.value + GAP + 1e-9);
        let sequence = sequence.clone();
        Ok(Choice { sequence, value, upper_bound: clip, evaluated: values.len() })
    }
}

fn audit(
    model: &Tabular<f64>,
    params: LsviUcbParams<f64>,
    episodes: u64,
    bounds: &Cell<(u32, u32)>,
) {
    let actions = model.num_actions();
    let oracle = Auditor { family: periodic(actions, 3, 2).collect(), bounds };
    let psi = TabularPsi::new(model.clone());
    let mut agent =
        LsviUcb::new(psi, oracle, actions, model.gamma(), params).unwrap().with_bounds();
    Simulation::new(model, Streams::new(1)).run(0..episodes, &mut agent, &mut ()).unwrap();
    assert!(agent.error().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_sequence_is_above_its_bound(
        seed: u64,
        states in 1..5_usize,
        actions in 1..4_usize,
        gamma in 0.3..0.9,
        rho in prop_oneof![Just(0.0), 0.01..2.0],
    ) {
        let branching = states.min(2);
        let shape = RandomTabular { states, actions, branching, gamma, beta: 0.1..=0.9 };
        let model = random_tabular(&mut Pcg64::new(seed.into(), 1), &shape).unwrap();
        let params = LsviUcbParams::default().with_horizon(4).with_rho(rho).with_lambda(0.1);
        audit(&model, params, 6, &Cell::default());
    }
}

#[test]
fn bounds_are_more_than_the_clip() {
    let model = gallery::river_balance(4, 0.4, 0.8).unwrap();
    let params = LsviUcbParams::default().with_horizon(5).with_rho(0.5);
    let bounds = Cell::default();
    audit(&model, params, 40, &bounds);
    let (asked, below) = bounds.get();
    assert!(4 * below > 3 * asked, "{below} of {asked}");
}

/// The policy on display is the one played, so its exact value and regret are those of the agent.
#[test]
fn a_searching_agent_shows_its_policy() {
    let model = gallery::river_swim(3, 0.5, 0.8).unwrap();
    let params = LsviUcbParams::default().with_horizon(6).with_rho(0.5);
    let oracle = BranchAndBound::new(GAP).with_nodes(1_000);
    let psi = TabularPsi::new(model.clone());
    let mut agent = LsviUcb::new(psi, oracle, 2, 0.8, params).unwrap().with_bounds();
    let mut regret =
        Regret::new(TabularExact::new(&model).with_bracket(vec![0.0; 3], vec![0.0; 3]).unwrap());
    let mut returns = Returns::new();
    let world = Simulation::new(&model, Streams::new(2));
    world.run(0..300, &mut agent, &mut returns).unwrap();
    world.run(300..301, &mut agent, &mut regret).unwrap();
    let policy = agent.policy().unwrap();
    let value = evaluate(&model, policy).unwrap()[0];
    assert!((regret.episodes()[0].value.unwrap() - value).abs() < 1e-9);
    for u in [1, 3, 6, 9] {
        assert_eq!(*policy.sequence(u, &0), agent.choose(u, &0).unwrap().0);
    }
    // It has learnt to swim: from the first state, on to the treasure.
    let swimming =
        evaluate(&model, &sporadic::planning::Stationary::new(vec!["(1)".parse().unwrap(); 3]));
    assert!(value > 0.9 * swimming.unwrap()[0]);
}
