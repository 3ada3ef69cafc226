//! `check::agent` on agents with one fault each.

use std::borrow::Cow;
use std::cell::Cell;

use sporadic::Fault;
use sporadic::agents::{Agent, Feedback, Memory, Segment};
use sporadic::belief::AugmentedState;
use sporadic::check;
use sporadic::model::{Action, gallery};
use sporadic::oracles::Choice;
use sporadic::sequence::{ActionSequence, BurstPolicy};
use sporadic::simulation::{Simulation, Streams};

use crate::{finds, finds_each};

/// Plays action 1 in every other episode, counted from the number of the agent if seeds are wrong.
struct Faulty {
    fault: &'static str,
    episodes: usize,
    /// How often it was watched.
    watched: Cell<usize>,
    restored: bool,
    playing: ActionSequence,
}

thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
}

impl Faulty {
    fn new(fault: &'static str) -> Self {
        let made = MADE.replace(MADE.get() + 1);
        let episodes = if fault == "seed" { made } else { 0 };
        let playing = ActionSequence::constant(0);
        Self { fault, episodes, watched: Cell::new(0), restored: false, playing }
    }

    fn watch(&self, fault: &'static str) {
        self.watched.set(self.watched.get() + usize::from(self.fault == fault));
    }
}

impl Agent<usize, f64> for Faulty {
    fn begin_episode(&mut self, _: &usize) {
        self.episodes += 1;
        self.playing = ActionSequence::constant((self.episodes + self.watched.get()) % 2);
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        if self.fault == "action" { 5 } else { self.playing.action(x.actions().len()) }
    }

    fn observe(&mut self, _: &Segment<usize, f64>) {}

    fn feedback(&self) -> Feedback {
        if self.fault == "feedback" { Feedback::EveryRound } else { Feedback::AtSightings }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        self.watch("policy changes it");
        Some(self)
    }

    fn certificate(&self) -> Option<Choice<f64>> {
        self.watch("certificate changes it");
        let other = ActionSequence::constant(1 - self.playing.first());
        let wrong = self.fault == "certificate";
        let sequence = if wrong { other } else { self.playing.clone() };
        let value = if self.fault == "bound" { 2.0 } else { 1.0 };
        Some(Choice { sequence, value, upper_bound: 1.0, evaluated: 1 })
    }

    fn memory(&mut self) -> Option<&mut dyn Memory> {
        Some(self)
    }

    fn fault(&self) -> Option<Fault> {
        (self.fault == "fault" && self.episodes > 5).then(|| "five are enough".into())
    }
}

impl BurstPolicy<usize> for Faulty {
    fn horizon(&self) -> usize {
        1
    }

    fn sequence(&self, u: usize, _: &usize) -> Cow<'_, ActionSequence> {
        match self.fault {
            "policy" => Cow::Owned(ActionSequence::constant(0)),
            // Right as long as anybody plays, and wrong after that.
            "horizon" if u > 1 => {
                Cow::Owned(ActionSequence::new(vec![self.playing.first(); 10_000], [0, 1]))
            }
            _ => Cow::Borrowed(&self.playing),
        }
    }

    fn covers(&self, _: &usize) -> bool {
        self.fault != "covers"
    }
}

impl Memory for Faulty {
    fn save(&self) -> Result<String, Fault> {
        self.watch("save changes it");
        Ok(match self.fault {
            "saves more" if self.restored => format!("{} ", self.episodes),
            "saves more later" if self.restored && self.episodes == 20 => "20 ".to_owned(),
            _ => self.episodes.to_string(),
        })
    }

    fn restore(&mut self, saved: &str) -> Result<(), Fault> {
        self.restored = true;
        match self.fault {
            "forgets" => self.episodes = saved.parse::<usize>()?.min(2),
            "refuses" => return Err("not now".into()),
            "accepts" => self.episodes = saved.parse().unwrap_or(0),
            _ => self.episodes = saved.parse()?,
        }
        Ok(())
    }
}

#[test]
fn every_fault_of_an_agent_is_found() {
    let swim = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
    let world = Simulation::new(&swim, Streams::new(1));
    let check = |fault| check::agent(&world, 20, || Faulty::new(fault));
    let faults = [
        ("action", "the agent took action 5 in episode 0, round 1"),
        ("feedback", "the agent needs rewards as with feedback = every-round"),
        ("fault", "episode 5: five are enough"),
        ("policy", "sighting 1: the policy shows (0), but [1"),
        ("covers", "sighting 1: the policy does not cover a state that is seen"),
        ("horizon", "sighting 2: the policy shows another sequence than at its horizon, 1"),
        ("refuses", "restored after 1 episodes: not now"),
        ("accepts", "it restores what no agent has written"),
    ];
    finds_each(check, &faults);
    // One finding for each of several moments, or one fault with several consequences.
    for (fault, expected) in [
        ("seed", "made again with the same seed, it plays episode 0 differently"),
        ("policy changes it", "watched, it plays episode 1 differently"),
        ("certificate changes it", "watched, it plays episode 1 differently"),
        ("save changes it", "watched, it plays episode 1 differently"),
        ("certificate", "episode 0: the certificate is of (0), but [1"),
        ("bound", "the certificate has the value 2, above its bound 1"),
        ("forgets", "episodes, it plays episode"),
        ("saves more", "restored after 1 episodes, it saves something else at once"),
        ("saves more later", "restored after 1 episodes, it saves something else at the end"),
    ] {
        finds(&check(fault), expected);
    }
}
