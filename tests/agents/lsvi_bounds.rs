//! What the general learner tells an oracle that prunes: bounds on K_u(s, .) that hold.

use std::cell::Cell;
use std::rc::Rc;

use nalgebra::{Dyn, OVector};
use proptest::prelude::*;
use rand_pcg::Pcg64;
use sporadic::agents::{Agent, AgentError, LsviUcb, LsviUcbParams};
use sporadic::dim::{Dimensional, Doubled};
use sporadic::estimators::Normalized;
use sporadic::features::{Dynamics, OneHot, Psi, SequenceFeatures, TabularPsi};
use sporadic::model::gallery::{self, RandomTabular, random_tabular};
use sporadic::model::{Action, Tabular};
use sporadic::oracles::{
    Beam, BranchAndBound, Choice, Exhaustive, OracleError, SequenceObjective, SequenceOracle,
};
use sporadic::planning::{TabularExact, evaluate};
use sporadic::sequence::{ActionSequence, periodic, runs, words};
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
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        let values = k.values(&self.family);
        let clip = k.upper_bound(&[]);
        let mut best: Option<(f64, &ActionSequence)> = None;
        for (&value, seq) in values.iter().zip(&self.family) {
            assert!(value <= clip, "{seq}: {value} above the clip");
            if best.is_none_or(|(before, _)| value > before) {
                best = Some((value, seq));
            }
        }
        let long = self.family.iter().step_by(9).map(|seq| seq.iter().take(20).collect());
        for prefix in Self::prefixes(k.num_actions()).into_iter().chain(long) {
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

/// Features that give no bounds of their own.
struct Plain<P>(P);

impl<P: Dimensional> Dimensional for Plain<P> {
    type Dim = P::Dim;

    fn dim(&self) -> P::Dim {
        self.0.dim()
    }
}

impl<P: SequenceFeatures<f64>> SequenceFeatures<f64> for Plain<P> {
    type State = P::State;

    fn num_actions(&self) -> usize {
        self.0.num_actions()
    }

    fn gamma(&self) -> f64 {
        self.0.gamma()
    }

    fn psi(&self, s: &P::State, seq: &ActionSequence) -> OVector<f64, Doubled<P::Dim>> {
        self.0.psi(s, seq)
    }
}

fn dense(model: &Tabular<f64>) -> Psi<f64, OneHot<Dyn>> {
    Psi::new(OneHot::of(model), Dynamics::one_hot(model, OneHot::of(model))).unwrap()
}

fn audit(
    model: &Tabular<f64>,
    psi: impl SequenceFeatures<f64, State = usize>,
    params: LsviUcbParams<f64>,
    episodes: u64,
    bounds: &Cell<(u32, u32)>,
) {
    let oracle = Auditor { family: periodic(model.num_actions(), 3, 2).collect(), bounds };
    let mut agent = LsviUcb::new(psi, oracle, params).unwrap();
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
        let psi = TabularPsi::new(model.clone());
        audit(&model, &psi, params, 6, &Cell::default());
        audit(&model, dense(&model), params, 3, &Cell::default());
        audit(&model, Plain(&psi), params, 3, &Cell::default());
        audit(&model, Normalized::new(&psi, 0.25).unwrap(), params, 3, &Cell::default());
    }
}

#[test]
fn bounds_are_more_than_the_clip() {
    let model = gallery::river_balance(4, 0.4, 0.8).unwrap();
    let params = LsviUcbParams::default().with_horizon(5).with_rho(0.5);
    let below = |psi: &dyn Fn(&Cell<(u32, u32)>)| {
        let bounds = Cell::default();
        psi(&bounds);
        let (asked, below) = bounds.get();
        f64::from(below) / f64::from(asked)
    };
    let tabular = TabularPsi::new(model.clone());
    let share = below(&|bounds| audit(&model, &tabular, params, 12, bounds));
    assert!(share > 0.75, "{share}");
    // Without a table too, for long prefixes if not for short ones.
    let share = below(&|bounds| audit(&model, dense(&model), params, 12, bounds));
    assert!(share > 0.0, "{share}");
    let share = below(&|bounds| audit(&model, Plain(&tabular), params, 12, bounds));
    assert!(share > 0.0, "{share}");
}

/// Compares beams with what must be found, question by question.
struct BeamAuditor {
    family: Exhaustive,
    /// Whether the features suggest nothing but to hold the last action.
    is_coarse: bool,
    questions: Rc<Cell<u32>>,
}

impl SequenceOracle<f64> for BeamAuditor {
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        const DEPTH: usize = 6;
        const ROUNDING: f64 = 1e-9;
        let best = self.family.maximize(k)?;
        let narrow = Beam::new(8, 20).maximize(k)?;
        // The certificate holds for all of A^N, so for the best member of a family.
        assert!(best.value <= narrow.upper_bound + ROUNDING, "{best:?} above {narrow:?}");
        // A beam that drops nothing scores what is suggested after every word of its depth.
        let words = words(2, DEPTH).map(|word| word.iter().take(DEPTH).collect::<Vec<_>>());
        let leaves: Vec<_> = words.map(|word| k.suggest(&word)).collect();
        let most = k.values(&leaves).into_iter().fold(f64::NEG_INFINITY, f64::max);
        let whole = Beam::new(1 << DEPTH, DEPTH).maximize(k)?;
        assert!(whole.value >= most - ROUNDING, "{whole:?} below {most}");
        if self.is_coarse {
            // Prefixes of one action are all scored with that action held. A prefix with its last action once
            // more is the same sequence held, and the prefix of the largest value is kept: so what is
            // found never falls from one length to the next.
            let shallow = Beam::new(8, 10).maximize(k)?;
            let held = k.values(&[ActionSequence::constant(0), ActionSequence::constant(1)]);
            for (value, what) in [(held[0], "(0)"), (held[1], "(1)"), (shallow.value, "depth 10")] {
                assert!(narrow.value >= value - ROUNDING, "{narrow:?} below {value} of {what}");
            }
        }
        self.questions.set(self.questions.get() + 1);
        Ok(best)
    }
}

/// A beam gives no guarantee on what it finds, but three things follow from how it searches, for any features:
/// its certificate, what it finds where nothing is dropped, and, where features only suggest to hold the
/// last action, that values decide where bounds do not: it finds no less than the best single action
/// held, and no less than a shallower beam.
#[test]
fn a_beam_finds_what_it_must_with_any_features() {
    fn audit(
        model: &Tabular<f64>,
        psi: impl SequenceFeatures<f64, State = usize>,
        is_coarse: bool,
    ) {
        let questions = Rc::new(Cell::new(0));
        let family = Exhaustive::new(runs(2, 3, 5));
        let oracle = BeamAuditor { family, is_coarse, questions: questions.clone() };
        let params = LsviUcbParams::default().with_horizon(8).with_rho(1.0);
        let mut agent = LsviUcb::new(psi, oracle, params).unwrap();
        Simulation::new(model, Streams::new(3)).run(0..20, &mut agent, &mut ()).unwrap();
        assert!(agent.error().is_none() && questions.get() > 100);
    }
    let model = gallery::river_balance(6, 0.1, 0.95).unwrap();
    let psi = TabularPsi::new(model.clone());
    audit(&model, &psi, false);
    audit(&model, dense(&model), true);
    audit(&model, Plain(&psi), true);
}

/// An oracle that remembers how often it was asked, and gives up with an error of its own.
#[derive(Debug)]
struct Tired {
    left: u32,
}

impl SequenceOracle<f64> for Tired {
    fn maximize(&mut self, k: &mut dyn SequenceObjective<f64>) -> Result<Choice<f64>, OracleError> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| OracleError::custom("no more than nine questions"))?;
        Exhaustive::new([ActionSequence::constant(0)]).maximize(k)
    }
}

#[test]
fn an_oracle_may_remember_and_fail_in_its_own_words() {
    let model = gallery::river_swim(3, 0.5, 0.8).unwrap();
    let params = LsviUcbParams::default().with_horizon(6);
    let mut agent = LsviUcb::for_model(&model, Tired { left: 9 }, params).unwrap();
    assert!(agent.choose(1, &0).is_ok());
    assert_eq!(
        agent.choose(1, &3).unwrap_err().to_string(),
        "the state to choose a sequence for: state 3 of 3"
    );
    Simulation::new(&model, Streams::new(1)).run(0..10, &mut agent, &mut ()).unwrap();
    let fault = agent.fault().unwrap();
    assert_eq!(fault.to_string(), "no more than nine questions");
    assert!(matches!(fault.downcast_ref(), Some(AgentError::Oracle(OracleError::Custom(_)))));
}

/// The policy on display is the one played, so its exact value and regret are those of the agent.
#[test]
fn a_searching_agent_shows_its_policy() {
    let model = gallery::river_swim(3, 0.5, 0.8).unwrap();
    let params = LsviUcbParams::default().with_horizon(6).with_rho(0.5);
    let oracle = BranchAndBound::new(GAP).with_nodes(1_000);
    let psi = TabularPsi::new(model.clone());
    let mut agent = LsviUcb::new(psi, oracle, params).unwrap();
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
