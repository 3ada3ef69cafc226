//! How far a sweep has got, on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal as _, stderr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::experiment::{Damage, Progress};
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::failure::tell;
use crate::cli::plain;

/// How long after the start the first line is written, and how long after a line the next one.
const FIRST_LINE: Duration = Duration::from_secs(5);
const NEXT_LINE: Duration = Duration::from_secs(10);

/// Counts episodes, and decides when a line is due.
#[derive(Debug)]
struct Log {
    start: Instant,
    next: Duration,
    total: u64,
    done: u64,
    /// Those of `done` that this process did: only they say something about its rate.
    fresh: u64,
}

impl Log {
    fn new(start: Instant) -> Self {
        Self { start, next: FIRST_LINE, total: 0, done: 0, fresh: 0 }
    }

    fn advance(&mut self, episodes: u64, fresh: bool) {
        self.done += episodes;
        self.fresh += if fresh { episodes } else { 0 };
    }

    /// The line that is due now, if one is.
    fn line(&mut self, now: Instant) -> Option<String> {
        let elapsed = now.saturating_duration_since(self.start);
        if elapsed < self.next || self.done >= self.total {
            return None;
        }
        self.next = elapsed + NEXT_LINE;
        let percent = 100 * u128::from(self.done) / u128::from(self.total.max(1));
        let (done, total) = (HumanCount(self.done), HumanCount(self.total));
        Some(format!("{done} of {total} episodes ({percent}%), {}", self.rate(now)))
    }

    /// `516 per second, 15 seconds left`.
    fn rate(&self, now: Instant) -> String {
        let elapsed = now.saturating_duration_since(self.start);
        let rate = self.fresh as f64 / elapsed.as_secs_f64();
        let left = self.total.saturating_sub(self.done) as f64 / rate;
        let left = match Duration::try_from_secs_f64(left.ceil()) {
            Ok(left) => format!("{} left", HumanDuration(left)),
            Err(_) => "time left unknown".to_owned(),
        };
        format!("{rate:.0} per second, {left}")
    }
}

/// A bar with rate and time left, or lines that say the same.
#[derive(Debug)]
pub(crate) struct Bar {
    drawn: ProgressBar,
    log: Mutex<Log>,
    /// Whether it has been said that other processes are waited for.
    waits: AtomicBool,
}

impl Bar {
    pub(crate) fn new() -> Self {
        // Hidden by itself where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = "{bar:30} {percent:>3}%  {human_pos}/{human_len} episodes  {prefix}  {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(250));
        let log = Mutex::new(Log::new(Instant::now()));
        Self { drawn: bar, log, waits: AtomicBool::new(false) }
    }

    /// What it is busy with.
    pub(crate) fn say(&self, what: &str) {
        self.drawn.set_message(plain::line(what).into_owned());
    }

    pub(crate) fn clear(&self) {
        self.drawn.finish_and_clear();
    }
}

impl Progress for Bar {
    fn start(&self, episodes: u64) {
        self.drawn.set_length(episodes);
        self.log.lock().unwrap_or_else(PoisonError::into_inner).total = episodes;
    }

    fn advance(&self, episodes: u64, fresh: bool) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        log.advance(episodes, fresh);
        if stderr().is_terminal() {
            self.drawn.inc(episodes);
            self.drawn.set_prefix(log.rate(now));
        } else if let Some(line) = log.line(now) {
            tell(&line);
        }
    }

    fn cell(&self, id: &str) {
        self.say(id);
    }

    fn damaged(&self, path: &Path, damage: &Damage) {
        let sentence = format!("{} is damaged: {damage}; it is made again", path.display());
        self.drawn.suspend(|| tell(&sentence));
    }

    fn waiting(&self, cells: usize, holder: &str) {
        let many = if cells == 1 { "" } else { "s" };
        let sentence = format!("waiting for {cells} cell{many} that {holder} is running");
        self.say(&sentence);
        if !self.waits.swap(true, Ordering::Relaxed) {
            self.drawn.suspend(|| tell(&sentence));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_written_now_and_then() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut log = Log { total: 10_000, ..Log::new(start) };
        let mut advance = |episodes, fresh, now| {
            log.advance(episodes, fresh);
            log.line(now)
        };
        // Those of an earlier attempt do not count for the rate.
        assert_eq!(advance(5_000, false, at(0)), None);
        assert_eq!(advance(100, true, at(4)), None);
        let line = advance(100, true, at(5));
        let expected = "5,200 of 10,000 episodes (52%), 40 per second, 2 minutes left";
        assert_eq!(line.as_deref(), Some(expected));
        assert_eq!(advance(100, true, at(14)), None);
        assert!(advance(100, true, at(15)).is_some());
        assert_eq!(advance(4_600, true, at(99)), None, "nothing is left to wait for");
    }

    #[test]
    fn no_rate_is_no_panic() {
        let start = Instant::now();
        let mut log = Log { total: 10, ..Log::new(start) };
        log.advance(1, false);
        let line = log.line(start + FIRST_LINE);
        let expected = "1 of 10 episodes (10%), 0 per second, time left unknown";
        assert_eq!(line.as_deref(), Some(expected));
    }
}
