//! Oracles that search, inside the general learner: what hints and climbing change.

use std::cell::Cell;

use sporadic::agents::{LsviUcb, LsviUcbParams};
use sporadic::model::{Action, Tabular, gallery};
use sporadic::oracles::*;
use sporadic::sequence::ActionSequence;
use sporadic::simulation::{Simulation, Streams};

/// An objective without hints and without a search of its own: what a beam over prefixes alone has to go by.
struct Bare<'a>(&'a mut dyn SequenceObjective<f64>);

impl SequenceObjective<f64> for Bare<'_> {
    fn num_actions(&self) -> usize {
        self.0.num_actions()
    }

    fn value(&mut self, seq: &ActionSequence) -> f64 {
        self.0.value(seq)
    }

    fn values(&mut self, seqs: &[ActionSequence]) -> Vec<f64> {
        self.0.values(seqs)
    }

    fn upper_bound(&mut self, prefix: &[Action]) -> f64 {
        self.0.upper_bound(prefix)
    }

    fn suggest(&mut self, prefix: &[Action]) -> ActionSequence {
        self.0.suggest(prefix)
    }
}

const BEAM: Beam = Beam { width: 8, depth: 20 };

/// Answers as the beam does, and while it is switched on compares with the beam over prefixes alone.
struct Compared<'a> {
    is_on: &'a Cell<bool>,
    /// How many questions were below the clip, and the sums of both answers to them.
    below: &'a Cell<(u32, f64, f64)>,
}

impl SequenceOracle<f64> for Compared<'_> {
    fn maximize(
        &mut self,
        objective: &mut dyn SequenceObjective<f64>,
    ) -> Result<Choice<f64>, OracleError> {
        let clip = objective.upper_bound(&[]);
        let choice = BEAM.clone().maximize(objective)?;
        assert!(choice.value <= choice.upper_bound && choice.upper_bound <= clip, "{choice}");
        if self.is_on.get() {
            let again = objective.value(&choice.sequence);
            assert!((again - choice.value).abs() < 1e-9, "{choice} is worth {again}");
            let plain = BEAM.clone().maximize(&mut Bare(objective))?;
            if plain.value.min(choice.value) < clip {
                let (count, ours, theirs) = self.below.get();
                self.below.set((count + 1, ours + choice.value, theirs + plain.value));
            }
        }
        Ok(choice)
    }
}

/// The means of what is answered below the clip, in some episodes of a history: ours, and that of the beam over prefixes alone.
fn means(model: &Tabular<f64>, seed: u64) -> (f64, f64) {
    let (is_on, below) = (Cell::new(false), Cell::new((0, 0.0, 0.0)));
    let oracle = Compared { is_on: &is_on, below: &below };
    let params = LsviUcbParams::default().with_horizon(20);
    let mut agent = LsviUcb::for_model(model, oracle, params).unwrap();
    let world = Simulation::new(model, Streams::new(seed));
    for episode in 0..151 {
        is_on.set(episode % 25 == 0);
        world.run(episode..episode + 1, &mut agent, &mut ()).unwrap();
    }
    assert!(agent.error().is_none());
    let (count, ours, theirs) = below.get();
    assert!(count > 50, "most is at the clip");
    (ours / f64::from(count), theirs / f64::from(count))
}

/// On the objectives of real histories the answers are worth at least as much as those of the search that they replace.
#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn values_are_not_below_those_of_the_beam_over_prefixes() {
    for (name, model) in [
        ("balance, .1", gallery::river_balance::<f64>(6, 0.1, 0.99).unwrap()),
        ("balance, .05", gallery::river_balance::<f64>(6, 0.05, 0.99).unwrap()),
        ("swim, .1", gallery::river_swim::<f64>(6, 0.1, 0.99).unwrap()),
    ] {
        let (ours, theirs) = means(&model, 1);
        println!("{name}: {ours:.3} {theirs:.3}");
        assert!(ours >= theirs, "{name}: {ours} {theirs}");
    }
}

/// Hints and an own search reach a user's oracle through the trait, and only where the learner has asked before.
#[test]
fn an_own_oracle_gets_hints() {
    struct Follower<'a>(&'a Cell<[u32; 2]>);

    impl SequenceOracle<f64> for Follower<'_> {
        fn maximize(
            &mut self,
            objective: &mut dyn SequenceObjective<f64>,
        ) -> Result<Choice<f64>, OracleError> {
            let [asked, hinted] = self.0.get();
            let hints = objective.hints().to_vec();
            assert!(!objective.is_familiar() || !hints.is_empty());
            self.0.set([asked + 1, hinted + u32::from(!hints.is_empty())]);
            let first = hints.first().cloned().unwrap_or_else(|| ActionSequence::constant(0));
            let before = objective.value(&first);
            let sequence = objective.improve(&first, (4, 10)).expect("one-hot psi can search");
            let value = objective.value(&sequence);
            assert!(value >= before - 1e-3, "{first} {before}, {sequence} {value}");
            Ok(Choice { sequence, value, upper_bound: objective.upper_bound(&[]), evaluated: 2 })
        }
    }

    let model = gallery::river_balance::<f64>(4, 0.2, 0.95).unwrap();
    let counts = Cell::new([0; 2]);
    let params = LsviUcbParams::default().with_horizon(8).with_rho(2.0);
    let mut agent = LsviUcb::for_model(&model, Follower(&counts), params).unwrap();
    Simulation::new(&model, Streams::new(3)).run(0..25, &mut agent, &mut ()).unwrap();
    let [asked, hinted] = counts.get();
    assert!(asked > hinted && hinted > asked / 2, "{hinted} of {asked}");
}

/// Branch and bound keeps its promise in a learner: every answer is certified to the gap, or its nodes are spent. Most questions of this
/// history are familiar.
#[test]
fn branch_and_bound_certifies_every_answer() {
    const GAP: f64 = 0.1;
    const NODES: usize = 2_000;

    struct Certified<'a>(&'a Cell<[u32; 3]>);

    impl SequenceOracle<f64> for Certified<'_> {
        fn maximize(
            &mut self,
            objective: &mut dyn SequenceObjective<f64>,
        ) -> Result<Choice<f64>, OracleError> {
            let mut counted = Counted::new(&mut *objective);
            let choice = BranchAndBound::new(GAP).with_nodes(NODES).maximize(&mut counted)?;
            let (bounds, num_actions) = (counted.bounds_asked(), counted.num_actions());
            let is_certified = choice.gap() <= GAP + 1e-9;
            assert!(is_certified || bounds + num_actions > NODES, "{choice}, {bounds} bounds");
            // The same bounds without hints and climbing: neither's upper bound is below the other's value.
            let [asked, familiar, certified] = self.0.get();
            if objective.is_familiar() && familiar % 50 == 0 {
                let plain =
                    BranchAndBound::new(GAP).with_nodes(NODES).maximize(&mut Bare(objective))?;
                assert!(choice.upper_bound >= plain.value - 1e-6, "{choice}, but {plain}");
                assert!(plain.upper_bound >= choice.value - 1e-6, "{choice}, but {plain}");
            }
            let is_familiar = u32::from(objective.is_familiar());
            let is_proved = u32::from(is_certified && is_familiar == 1);
            self.0.set([asked + 1, familiar + is_familiar, certified + is_proved]);
            Ok(choice)
        }
    }

    let model = gallery::river_balance::<f64>(4, 0.3, 0.9).unwrap();
    let counts = Cell::new([0; 3]);
    let params = LsviUcbParams::default().with_horizon(8).with_rho(1.0);
    let mut agent = LsviUcb::for_model(&model, Certified(&counts), params).unwrap();
    Simulation::new(&model, Streams::new(2)).run(0..40, &mut agent, &mut ()).unwrap();
    assert!(agent.error().is_none());
    let [asked, familiar, certified] = counts.get();
    println!("{asked} questions, {familiar} familiar, {certified} of those certified");
    assert!(2 * familiar > asked && 2 * certified > familiar, "{asked} {familiar} {certified}");
}
