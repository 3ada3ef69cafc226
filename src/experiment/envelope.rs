//! JSON with a checksum around it.
//!
//! A sealed text is `{"checksum":"32 hexadecimal digits","content":CONTENT}` and a line end, so it is
//! JSON itself. The checksum is over the bytes of CONTENT, and everything around it is compared byte by byte: a
//! change of a single byte anywhere in the file is always noticed, larger accidents but for one in
//! 2^128 of them.

use thiserror::Error;

const HEAD: &str = "{\"checksum\":\"";
const MIDDLE: &str = "\",\"content\":";
const TAIL: &str = "}\n";
const DIGITS: usize = 32;

/// What is wrong with a file that this crate wrote and something else changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file is cut short, or starts or ends with something else than its checksum.
    #[error("it is cut short, or there is no checksum around it")]
    Envelope,
    /// The content is not what was written.
    #[error("its content has the checksum {found}, not {written}")]
    Checksum {
        /// The checksum in the file.
        written: String,
        /// The checksum of what is in the file.
        found: String,
    },
    /// The content is as it was written, but is no such thing.
    #[error("{0}")]
    Content(#[from] serde_json::Error),
    /// The content is as it was written, but it belongs to a file of another name.
    #[error("it is about {found}")]
    Name {
        /// What the content is about.
        found: String,
    },
    /// The content is as it was written, but the agent that wrote it does not take it back: its
    /// [`restore`](crate::agents::Resume::restore) fails on what its `state` gave.
    #[error("the agent does not take back what it saved: {0}")]
    Agent(crate::Fault),
}

/// The content with its checksum around it.
pub(super) fn seal(content: &str) -> String {
    format!("{HEAD}{}{MIDDLE}{content}{TAIL}", checksum(content.as_bytes()))
}

/// The content of a sealed text.
///
/// # Errors
/// [`Damage`] if it is not what [`seal`] made.
pub(super) fn open(sealed: &[u8]) -> Result<&[u8], Damage> {
    let inner = sealed
        .strip_prefix(HEAD.as_bytes())
        .and_then(|rest| rest.split_at_checked(DIGITS))
        .and_then(|(written, rest)| Some((written, rest.strip_prefix(MIDDLE.as_bytes())?)))
        .and_then(|(written, rest)| Some((written, rest.strip_suffix(TAIL.as_bytes())?)));
    let (written, content) = inner.ok_or(Damage::Envelope)?;
    let found = checksum(content);
    if found.as_bytes() == written {
        return Ok(content);
    }
    Err(Damage::Checksum { written: String::from_utf8_lossy(written).into_owned(), found })
}

/// FNV-1a in 128 bits, in hexadecimal.
fn checksum(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(checksum(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(checksum(b"a"), "d228cb696f1a8caf78912b704e4a8964");
        assert_eq!(checksum(b"foobar"), "343e1662793c64bf6f0d3597ba446f18");
    }

    #[test]
    fn every_change_of_one_byte_is_noticed() {
        let sealed = seal("{\"value\":[0.125,null],\"name\":\"\\u00e9\"}");
        assert_eq!(
            open(sealed.as_bytes()).unwrap(),
            b"{\"value\":[0.125,null],\"name\":\"\\u00e9\"}"
        );
        assert!(serde_json::from_str::<serde_json::Value>(&sealed).is_ok());
        for at in 0..sealed.len() {
            for other in (0..=255_u8).filter(|&byte| byte != sealed.as_bytes()[at]) {
                let mut changed = sealed.clone().into_bytes();
                changed[at] = other;
                assert!(open(&changed).is_err(), "{at} {other}");
            }
            assert!(open(&sealed.as_bytes()[..at]).is_err(), "cut after {at}");
        }
    }
}
