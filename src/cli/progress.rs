//! How far a sweep has got, on standard error and only on a terminal.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::experiment::{Damage, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::failure::tell;
use crate::cli::plain;

/// A bar with rate and time left.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    /// Whether it has been said that other processes are waited for.
    waits: AtomicBool,
}

impl Bar {
    pub(crate) fn new() -> Self {
        // Hidden by itself where standard error is no terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = "{bar:30} {percent:>3}%  {human_pos}/{human_len} episodes  {per_sec}  {eta} left  {msg}";
        bar.set_style(ProgressStyle::with_template(style).unwrap_or(ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, waits: AtomicBool::new(false) }
    }

    /// What it is busy with.
    pub(crate) fn say(&self, what: &str) {
        self.bar.set_message(plain::line(what).into_owned());
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn start(&self, episodes: u64) {
        self.bar.set_length(episodes);
    }

    fn advance(&self, episodes: u64, fresh: bool) {
        self.bar.inc(episodes);
        if !fresh {
            // What an earlier attempt did says nothing about the rate of this one.
            self.bar.reset_eta();
        }
    }

    fn cell(&self, id: &str) {
        self.say(id);
    }

    fn damaged(&self, path: &Path, damage: &Damage) {
        let sentence = format!("{} is damaged: {damage}; it is made again", path.display());
        self.bar.suspend(|| tell(&sentence));
    }

    fn waiting(&self, cells: usize, holder: &str) {
        let many = if cells == 1 { "" } else { "s" };
        let sentence = format!("waiting for {cells} cell{many} that {holder} is running");
        self.say(&sentence);
        if !self.waits.swap(true, Ordering::Relaxed) {
            self.bar.suspend(|| tell(&sentence));
        }
    }
}
