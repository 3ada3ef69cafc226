//! A line now and then on how far the runs of a section are.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use sporadic::experiment::Progress;

/// How often a line is written.
const EVERY: Duration = Duration::from_secs(10);

/// Writes to standard error what share of the episodes is behind it, how many it runs a second and how long the rest will take.
pub(crate) struct Lines<'a> {
    name: &'a str,
    state: Mutex<State>,
}

struct State {
    begun: Instant,
    told: Instant,
    total: u64,
    done: u64,
    /// Of those done, the ones run by this process.
    fresh: u64,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(name: &'a str) -> Self {
        let now = Instant::now();
        let state = State { begun: now, told: now, total: 0, done: 0, fresh: 0 };
        Self { name, state: Mutex::new(state) }
    }
}

impl Progress for Lines<'_> {
    fn start(&self, episodes: u64) {
        if let Ok(mut state) = self.state.lock() {
            state.total = episodes;
        }
    }

    fn advance(&self, episodes: u64, fresh: bool) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += episodes;
        state.fresh += if fresh { episodes } else { 0 };
        if state.told.elapsed() >= EVERY {
            state.told = Instant::now();
            let rate = state.fresh as f64 / state.begun.elapsed().as_secs_f64();
            let left = state.total.saturating_sub(state.done) as f64 / rate.max(f64::MIN_POSITIVE);
            let share = 100.0 * state.done as f64 / state.total.max(1) as f64;
            eprintln!("{}: {share:.0}%, {rate:.0} episodes/s, {left:.0} s left", self.name);
        }
    }
}
