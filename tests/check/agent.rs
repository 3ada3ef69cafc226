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

use crate::finds;

/// What an agent does wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Wrong {
    Nothing,
    Action,
    Feedback,
    Fault,
    Seed,
    WatchedPolicy,
    WatchedCertificate,
    WatchedSave,
    Policy,
    Covers,
    Horizon,
    Certificate,
    CertificateBound,
    Forgets,
    Refuses,
    SavesMore,
    SavesLater,
    Accepts,
}

/// Plays action 1 in every other episode, counted from the number of the agent if seeds are wrong.
struct Faulty {
    wrong: Wrong,
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
    fn new(wrong: Wrong) -> Self {
        let made = MADE.replace(MADE.get() + 1);
        let episodes = if wrong == Wrong::Seed { made } else { 0 };
        let playing = ActionSequence::constant(0);
        Self { wrong, episodes, watched: Cell::new(0), restored: false, playing }
    }

    fn watch(&self, wrong: Wrong) {
        self.watched.set(self.watched.get() + usize::from(self.wrong == wrong));
    }
}

impl Agent<usize, f64> for Faulty {
    fn begin_episode(&mut self, _: &usize) {
        self.episodes += 1;
        self.playing = ActionSequence::constant((self.episodes + self.watched.get()) % 2);
    }

    fn act(&mut self, x: &AugmentedState<usize>) -> Action {
        if self.wrong == Wrong::Action { 5 } else { self.playing.action(x.actions().len()) }
    }

    fn observe(&mut self, _: &Segment<usize, f64>) {}

    fn feedback(&self) -> Feedback {
        if self.wrong == Wrong::Feedback { Feedback::EveryRound } else { Feedback::AtSightings }
    }

    fn policy(&self) -> Option<&dyn BurstPolicy<usize>> {
        self.watch(Wrong::WatchedPolicy);
        Some(self)
    }

    fn certificate(&self) -> Option<Choice<f64>> {
        self.watch(Wrong::WatchedCertificate);
        let other = ActionSequence::constant(1 - self.playing.first());
        let wrong = self.wrong == Wrong::Certificate;
        let sequence = if wrong { other } else { self.playing.clone() };
        let value = if self.wrong == Wrong::CertificateBound { 2.0 } else { 1.0 };
        Some(Choice { sequence, value, upper_bound: 1.0, evaluated: 1 })
    }

    fn memory(&mut self) -> Option<&mut dyn Memory> {
        Some(self)
    }

    fn fault(&self) -> Option<Fault> {
        (self.wrong == Wrong::Fault && self.episodes > 5).then(|| "five are enough".into())
    }
}

impl BurstPolicy<usize> for Faulty {
    fn horizon(&self) -> usize {
        1
    }

    fn sequence(&self, u: usize, _: &usize) -> Cow<'_, ActionSequence> {
        match self.wrong {
            Wrong::Policy => Cow::Owned(ActionSequence::constant(0)),
            // Right as long as anybody plays, and wrong after that.
            Wrong::Horizon if u > 1 => {
                Cow::Owned(ActionSequence::new(vec![self.playing.first(); 10_000], [0, 1]))
            }
            _ => Cow::Borrowed(&self.playing),
        }
    }

    fn covers(&self, _: &usize) -> bool {
        self.wrong != Wrong::Covers
    }
}

impl Memory for Faulty {
    fn save(&self) -> Result<String, Fault> {
        self.watch(Wrong::WatchedSave);
        Ok(match self.wrong {
            Wrong::SavesMore if self.restored => format!("{} ", self.episodes),
            Wrong::SavesLater if self.restored && self.episodes == 20 => "20 ".to_owned(),
            _ => self.episodes.to_string(),
        })
    }

    fn restore(&mut self, saved: &str) -> Result<(), Fault> {
        self.restored = true;
        match self.wrong {
            Wrong::Forgets => self.episodes = saved.parse::<usize>()?.min(2),
            Wrong::Refuses => return Err("not now".into()),
            Wrong::Accepts => self.episodes = saved.parse().unwrap_or(0),
            _ => self.episodes = saved.parse()?,
        }
        Ok(())
    }
}

#[test]
fn every_fault_of_an_agent_is_found() {
    let swim = gallery::river_swim::<f64>(3, 0.5, 0.9).unwrap();
    let world = Simulation::new(&swim, Streams::new(1));
    let check = |wrong| check::agent(&world, 20, || Faulty::new(wrong));
    for (wrong, expected) in [
        (Wrong::Action, "the agent took action 5 in episode 0, round 1"),
        (Wrong::Feedback, "the agent needs rewards as with feedback = every-round"),
        (Wrong::Fault, "episode 5: five are enough"),
        (Wrong::Policy, "sighting 1: the policy shows (0), but [1"),
        (Wrong::Covers, "sighting 1: the policy does not cover a state that is seen"),
        (Wrong::Horizon, "sighting 2: the policy shows another sequence than at its horizon, 1"),
        (Wrong::Refuses, "restored after 1 episodes: not now"),
        (Wrong::Accepts, "it restores what no agent has written"),
    ] {
        finds(&check(wrong), expected);
    }
    // One finding for each of several moments, or one fault with several consequences.
    for (wrong, expected) in [
        (Wrong::Seed, "made again with the same seed, it plays episode 0 differently"),
        (Wrong::WatchedPolicy, "watched, it plays episode 1 differently"),
        (Wrong::WatchedCertificate, "watched, it plays episode 1 differently"),
        (Wrong::WatchedSave, "watched, it plays episode 1 differently"),
        (Wrong::Certificate, "episode 0: the certificate is of (0), but [1"),
        (Wrong::CertificateBound, "the certificate has the value 2, above its bound 1"),
        (Wrong::Forgets, "episodes, it plays episode"),
        (Wrong::SavesMore, "restored after 1 episodes, it saves something else at once"),
        (Wrong::SavesLater, "restored after 1 episodes, it saves something else at the end"),
    ] {
        let findings = check(wrong);
        assert!(findings.to_string().contains(expected), "{wrong:?}: {findings}");
    }
    check(Wrong::Nothing).assert();
}
