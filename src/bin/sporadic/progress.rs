//! How far a sweep has got, on standard error and only on a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sporadic::experiment::Progress;

/// A bar with rate and time left.
#[derive(Debug)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new() -> Self {
        // Hidden by itself where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = "{bar:30} {percent:>3}%  {human_pos}/{human_len} episodes  {per_sec}  {eta} left  {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(bar)
    }

    /// What it is busy with.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Bar {
    fn start(&self, episodes: u64) {
        self.0.set_length(episodes);
    }

    fn advance(&self, episodes: u64, fresh: bool) {
        self.0.inc(episodes);
        if !fresh {
            // What an earlier attempt did says nothing about the rate of this one.
            self.0.reset_eta();
        }
    }

    fn cell(&self, id: &str) {
        self.say(id);
    }
}
