//! Files that are replaced as a whole.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Writes `bytes` to a temporary name in the same folder, which is then renamed to `path`: a reader
/// finds the old file or the new one, never half of one, and so does a run that was killed.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Writers of the same file must not share a temporary name: neither threads of one process, nor
    // processes on two machines, whose numbers may be equal.
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    let write = WRITES.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}-{nanos}-{write}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; there may be nothing to remove.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// The file that a temporary name made by [`replace`] stands for; `None` for any other name.
#[cfg(feature = "experiment")]
pub(crate) fn target(temporary: &str) -> Option<&str> {
    let (target, stamp) = temporary.strip_prefix('.')?.strip_suffix(".tmp")?.rsplit_once('.')?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (stamp.split('-').count() == 3 && stamp.split('-').all(is_number)).then_some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "experiment")]
    #[test]
    fn temporary_names_are_told_from_others() {
        assert_eq!(target(".a.b.json.12-345-6.tmp"), Some("a.b.json"));
        for other in ["a.json", ".a.json.tmp", ".a.json.1-2.tmp", ".a.json.1-2-x.tmp", ".vim.tmp"] {
            assert_eq!(target(other), None, "{other}");
        }
    }

    #[test]
    fn threads_that_write_one_file_leave_one_whole_file() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("file");
        std::thread::scope(|scope| {
            for byte in 0..8_u8 {
                let path = &path;
                scope.spawn(move || replace(path, &[byte; 4096]).expect("the folder is writable"));
            }
        });
        let found = fs::read(&path)?;
        assert_eq!(found, [found[0]; 4096]);
        assert_eq!(fs::read_dir(&folder)?.count(), 1, "no temporary file stays behind");
        Ok(())
    }

    #[test]
    fn a_write_that_fails_leaves_nothing() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("taken"))?;
        assert!(replace(&folder.path().join("taken"), b"text").is_err());
        assert!(replace(&folder.path().join("missing/file"), b"text").is_err());
        assert_eq!(fs::read_dir(&folder)?.count(), 1);
        Ok(())
    }
}
