//! Text that does nothing to a terminal but show itself.
//!
//! Names of models, states, actions and files are the user's, or whoever gave her the file: an
//! escape sequence in one of them could rewrite the screen. What is printed therefore has control
//! characters, and those that change the direction of the text, written out, as in `\\u{1b}`.

use std::borrow::Cow;

/// The text on one line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.escape_default().to_string(), is_active)
}

/// The text with its line ends and tabs.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let is_active = |c: char| is_active(c) && c != '\n' && c != '\t';
    escape(text, |c| c.escape_default().to_string(), is_active)
}

/// A JSON document, in which such characters are in strings only, that means the same.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    // All of them are below U+FFFF: four digits suffice.
    escape(text, |c| format!("\\u{:04x}", u32::from(c)), |c| is_active(c) && c != '\n')
}

fn escape(text: &str, write: fn(char) -> String, which: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&which) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if which(c) { out.push_str(&write(c)) } else { out.push(c) }
    }
    out.into()
}

/// Whether a terminal may do something else than show this character: control characters, separators
/// of lines and paragraphs, marks and overrides of direction.
fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_characters_are_written_out() {
        let name = "a\u{1b}[2J\nb\u{9b}\u{202e}ü\t";
        assert_eq!(line(name), "a\\u{1b}[2J\\nb\\u{9b}\\u{202e}ü\\t");
        assert_eq!(lines(name), "a\\u{1b}[2J\nb\\u{9b}\\u{202e}ü\t");
        assert!(matches!(line("plain ü"), Cow::Borrowed("plain ü")));
    }

    #[test]
    fn json_means_the_same() {
        let name = "a\u{1b}\u{7f}\u{9b}\u{202e}\"";
        let text = serde_json::to_string(name).unwrap();
        assert!(!json(&text).chars().any(is_active));
        assert_eq!(serde_json::from_str::<String>(&json(&text)).unwrap(), name);
    }
}
