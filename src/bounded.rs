//! Reading files up to a size, and quoting from them in messages.

use std::fs::File;
use std::io::{Error, ErrorKind, Read as _};
use std::path::Path;

/// Reads the text of a file of at most `limit` bytes, and refuses a larger one without reading more.
pub(crate) fn read_text(path: &Path, limit: u64) -> Result<String, Error> {
    let mut text = String::new();
    File::open(path)?.take(limit.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > limit {
        let message = format!("the file has more than {limit} bytes, the most that are read");
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// The text with control characters written out, as in `\n`: parsers quote what they were given, and an
/// error is one line.
pub(crate) fn visible(text: &str) -> String {
    let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    text.chars().map(plain).collect()
}
