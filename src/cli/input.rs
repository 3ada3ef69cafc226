//! Files and numbers that a command is given.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::Path;
use std::time::Duration;

use crate::Number;

use crate::cli::failure::Failure;

/// The most bytes of a policy file.
const MAX_BYTES: u64 = 1 << 28;

/// The text of a file, or of standard input for `-`, of a length that is no accident.
pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    let refuse = |fault: String| Failure::input(format!("{}: {fault}", path.display()));
    let mut text = String::new();
    let file: Box<dyn Read> = if path == Path::new("-") {
        Box::new(stdin())
    } else {
        Box::new(File::open(path).map_err(|fault| refuse(fault.to_string()))?)
    };
    file.take(MAX_BYTES + 1)
        .read_to_string(&mut text)
        .map_err(|fault| refuse(fault.to_string()))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(refuse(format!("the file has more than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

/// A number of seconds given for `what`.
pub(crate) fn seconds(what: &str, seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        Failure::input(format!("the {what} {} is no number of seconds", Number(seconds)))
    })
}

/// Refuses a number above its limit.
pub(crate) fn at_most(what: &str, value: u64, limit: u64) -> Result<(), Failure> {
    if value <= limit {
        return Ok(());
    }
    Err(Failure::input(format!("{what} = {value} must be at most {limit}")))
}
