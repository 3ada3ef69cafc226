//! An agent for any world, which can be saved.

use sporadic::agents::{Agent, Resume, Segment};
use sporadic::belief::AugmentedState;
use sporadic::kinds::{AgentKind, BoxedAgent, Site};
use sporadic::model::{Action, Environment};
use sporadic::{Fault, kind};

kind! {
    /// Keeps to the action of the last segment while segments pay, and tries the next one when they do not.
    pub struct WinMore("win-more") {
        /// What a round of a segment must pay on average
        threshold: f64 = 0.5,
    }
}

struct Player {
    threshold: f64,
    actions: usize,
    playing: Action,
}

impl<S> Agent<S, f64> for Player {
    fn begin_episode(&mut self, _: &S) {}

    fn act(&mut self, _: &AugmentedState<S>) -> Action {
        self.playing
    }

    fn observe(&mut self, segment: &Segment<S, f64>) {
        if segment.reward() < self.threshold * segment.actions().len() as f64 {
            self.playing = (self.playing + 1) % self.actions;
        }
    }
}

impl Resume for Player {
    type State = Action;

    fn state(&self) -> Action {
        self.playing
    }

    fn restore(&mut self, playing: Action) -> Result<(), Fault> {
        if playing >= self.actions {
            return Err(format!("there is no action {playing}").into());
        }
        self.playing = playing;
        Ok(())
    }
}

impl<W: Environment<Scalar = f64>> AgentKind<W> for WinMore {
    fn build<'a>(&self, site: &Site<'a, W>) -> Result<BoxedAgent<'a, W>, Fault> {
        let actions = site.world().num_actions();
        Ok(Box::new(Player { threshold: self.threshold, actions, playing: 0 }.resumable()))
    }
}
