//! SIGINT and SIGTERM: a run ends with one sentence and can be continued.
//!
//! While cells are run, the first signal asks the runner to stop, which saves the cells under way. A second
//! signal, or any after the cells are finished, ends the program at once: files are replaced as a
//! whole, so there is nothing to save.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cli::failure::Failure;

static STOP: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State { phase: Phase::Unwatched, signal: None });

struct State {
    phase: Phase,
    /// The signal that asked the runner to stop.
    signal: Option<Signal>,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Unwatched,
    Running,
    Reporting,
}

/// A signal that asks a program to end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Signal {
    name: &'static str,
    number: u8,
}

#[cfg(unix)]
const SIGNALS: [Signal; 2] =
    [Signal { name: "SIGINT", number: 2 }, Signal { name: "SIGTERM", number: 15 }];

impl Signal {
    /// The exit code of a program that this signal ended.
    fn code(self) -> u8 {
        128 + self.number
    }
}

/// From now on the first signal sets the flag that is returned.
pub(crate) fn running() -> &'static AtomicBool {
    enter(Phase::Running);
    &STOP
}

/// From now on a signal ends the program at once. Fails if one came before.
pub(crate) fn reporting() -> Result<(), Failure> {
    enter(Phase::Reporting).map_or(Ok(()), |signal| Err(finished(signal)))
}

/// The failure of a run that was asked to stop.
pub(crate) fn stopped(finished: usize, total: usize) -> Failure {
    let Some(signal) = state().signal else {
        return Failure::with_code("stopped; the same command goes on from there", 1);
    };
    let sentence = format!(
        "stopped by {}: {finished} of {total} cells are finished and those under way are saved; the same command goes on from there",
        signal.name
    );
    Failure::with_code(sentence, signal.code())
}

/// The failure of a report that a signal ended.
fn finished(signal: Signal) -> Failure {
    let sentence = format!(
        "stopped by {}: all cells are finished, the report is not; the same command goes on from there",
        signal.name
    );
    Failure::with_code(sentence, signal.code())
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers with the signal that came before.
fn enter(phase: Phase) -> Option<Signal> {
    let mut state = state();
    if state.phase == Phase::Unwatched {
        watch();
    }
    state.phase = phase;
    state.signal
}

/// A thread that answers signals. Without it, as on systems that have none, a signal ends the program
/// without a sentence.
#[cfg(unix)]
fn watch() {
    use signal_hook::iterator::Signals;
    let ignored = ignored();
    let wanted = SIGNALS.iter().filter(|signal| ignored & (1 << (signal.number - 1)) == 0);
    let Ok(mut signals) = Signals::new(wanted.map(|signal| i32::from(signal.number))) else {
        return;
    };
    std::thread::spawn(move || {
        for number in signals.forever() {
            let known = SIGNALS.into_iter().find(|signal| i32::from(signal.number) == number);
            if let Some(signal) = known {
                answer(signal);
            }
        }
    });
}

#[cfg(not(unix))]
fn watch() {}

/// The signals that this program was told to ignore, as `nohup` and shells do for what runs in the
/// background; bit n - 1 stands for signal n. 0 where that cannot be found out.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg_attr(not(unix), allow(dead_code))]
fn answer(signal: Signal) {
    // Held while the program ends, so that nobody else has something to say.
    let mut state = state();
    let failure = match state.phase {
        Phase::Running if state.signal.is_none() => {
            state.signal = Some(signal);
            STOP.store(true, Ordering::Relaxed);
            return;
        }
        Phase::Reporting => finished(signal),
        _ => Failure::with_code(
            format!(
                "stopped by {} at once; the same command goes on from the last checkpoints",
                signal.name
            ),
            signal.code(),
        ),
    };
    failure.say();
    process::exit(i32::from(signal.code()));
}
