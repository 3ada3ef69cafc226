//! How a command fails.

use std::error::Error;
use std::io::{Write as _, stderr};
use std::process::ExitCode;

use crate::experiment::ExperimentError;
use crate::kinds::ParameterError;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::cli::{interrupt, plain};

/// Why a command failed: one sentence and an exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    sentence: String,
    code: u8,
}

/// The exit code of bad input.
const INPUT: u8 = 2;

impl Failure {
    /// Bad input.
    #[allow(clippy::needless_pass_by_value)] // as `map_err` hands it over
    pub(crate) fn input(fault: impl ToString) -> Self {
        Self { sentence: fault.to_string(), code: INPUT }
    }

    /// A parameter of `model`, or its name, that the command line gave: its place is that of a flag.
    pub(crate) fn parameter(fault: &ParameterError, model: &str) -> Self {
        match fault {
            ParameterError::Value { .. }
            | ParameterError::Unknown { .. }
            | ParameterError::Missing { .. } => Self::input(format!("--{fault}")),
            ParameterError::NoKind { place, .. } if !place.is_empty() => {
                Self::input(format!("--{fault}"))
            }
            _ if model.is_empty() => Self::input(fault),
            _ => Self::input(format!("{model}: {fault}")),
        }
    }

    /// Anything else, such as a full disk.
    pub(crate) fn other(fault: impl Error) -> Self {
        Self { sentence: fault.to_string(), code: 1 }
    }

    /// A command line that cannot be read.
    pub(crate) fn usage(fault: &clap::Error) -> Self {
        if fault.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Self::input("there is nothing to do without a verb: see sporadic --help");
        }
        let text = fault.to_string();
        // The first paragraph says what is wrong; the rest is advice on how to ask for help.
        let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
        let sentence = lines.collect::<Vec<_>>().join(" ");
        let sentence = sentence.trim_start_matches("error: ").to_owned();
        Self { sentence: sentence + &suggestion(fault), code: INPUT }
    }

    /// With an exit code of its own.
    pub(crate) fn with_code(sentence: impl Into<String>, code: u8) -> Self {
        Self { sentence: sentence.into(), code }
    }

    /// Says so on standard error.
    pub(crate) fn report(self) -> ExitCode {
        self.say();
        ExitCode::from(self.code)
    }

    /// Says so on standard error, and no more.
    pub(crate) fn say(&self) {
        tell(&self.sentence);
    }
}

/// The name that was probably meant, if clap knows one.
fn suggestion(fault: &clap::Error) -> String {
    let kinds =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let name = kinds.iter().find_map(|kind| match fault.get(*kind)? {
        ContextValue::String(name) => Some(name.clone()),
        // The nearest one comes last.
        ContextValue::Strings(names) => names.last().cloned(),
        _ => None,
    });
    name.map_or_else(String::new, |name| {
        format!(" (did you mean {}?)", name.split(' ').next().unwrap_or(&name))
    })
}

/// Prints a sentence on standard error.
pub(crate) fn tell(sentence: &str) {
    // Nobody may be reading, which is no reason to fail.
    let _ = writeln!(stderr(), "sporadic: {}", one_line(sentence));
}

impl From<ExperimentError> for Failure {
    fn from(fault: ExperimentError) -> Self {
        match fault {
            ExperimentError::Stopped { finished, total } => interrupt::stopped(finished, total),
            ExperimentError::Io { .. } | ExperimentError::Threads { .. } => Self::other(fault),
            _ => Self::input(fault),
        }
    }
}

/// The longest sentence that is printed, in characters.
const LONGEST: usize = 1000;

/// The sentence with control characters written out, as in `\n`, and without the middle of what is too
/// long to read: names and texts of the user may be part of it.
fn one_line(sentence: &str) -> String {
    let line = plain::line(sentence.trim_end());
    let length = line.chars().count();
    if length <= LONGEST {
        return line.into_owned();
    }
    let head: String = line.chars().take(LONGEST / 2).collect();
    let tail: String = line.chars().skip(length - LONGEST / 2).collect();
    format!("{head} [...] {tail}")
}
