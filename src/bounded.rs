//! Reading files that may be larger than anything sensible, or have no end.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

/// The text of a file of at most `limit` bytes; of a larger one no more than that is read.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Error> {
    let mut text = String::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        let message = format!("the file has more than {limit} bytes, the most that are read");
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}
