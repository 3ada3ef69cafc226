//! Writing files so that readers find the old content or the new, never a part.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// How often a write starts again because its temporary file disappeared.
const ATTEMPTS: usize = 16;
/// Temporary names are this, numbers and hyphens, and [`END`]: short, however long the name of the
/// file is that they become.
const START: &str = ".sporadic-";
const END: &str = ".tmp";

/// Writes `bytes` to a temporary name in the same folder, which is then renamed to `path`: a reader
/// finds the old file or the new one, never half of one, and so does a run that was killed.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut attempts = 1..ATTEMPTS;
    loop {
        let (temporary, mut file) = create(path)?;
        // The lock says that the writer lives; it ends with the process, however that ends. Where
        // the file system has no locks, the age of the file says it.
        let _ = file.try_lock();
        let written = file.write_all(bytes).and_then(|()| file.sync_all());
        match written.and_then(|()| fs::rename(&temporary, path)) {
            // Between its creation and its lock the file can be taken for an abandoned one.
            Err(fault) if fault.kind() == ErrorKind::NotFound && attempts.next().is_some() => {}
            Err(fault) => {
                // The first error is the one to report; there may be nothing to remove.
                let _ = fs::remove_file(&temporary);
                return Err(fault);
            }
            Ok(()) => return Ok(()),
        }
    }
}

/// A new file next to `path` under a name that no other writer has.
fn create(path: &Path) -> io::Result<(PathBuf, File)> {
    // Writers must not share a temporary name: neither threads of one process, nor processes on two
    // machines, whose numbers may be equal.
    static WRITES: AtomicU64 = AtomicU64::new(0);
    loop {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
        let write = WRITES.fetch_add(1, Ordering::Relaxed);
        let name = format!("{START}{}-{nanos}-{write}{END}", std::process::id());
        let temporary = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(fault) if fault.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (temporary, file)),
        }
    }
}

/// Removes from `folder` the temporary files whose writers were killed.
///
/// A writer holds a lock on its temporary file, so one that can be locked has no writer any more. On a
/// file system without locks a temporary file must be an hour old to be removed. A writer whose file
/// is removed in spite of that writes it again.
#[cfg(feature = "experiment")]
pub(crate) fn remove_abandoned(folder: &Path) {
    use std::time::Duration;
    const OLD: Duration = Duration::from_secs(3600);

    // Left-overs harm nobody: what cannot be listed, opened or removed stays.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        if !is_temporary(name) {
            continue;
        }
        let Ok(file) = OpenOptions::new().write(true).open(&path) else { continue };
        let abandoned = match file.try_lock() {
            Ok(()) => true,
            Err(fs::TryLockError::WouldBlock) => false,
            Err(fs::TryLockError::Error(_)) => file
                .metadata()
                .and_then(|meta| meta.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= OLD)),
        };
        if abandoned {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether [`replace`] makes names like this.
#[cfg(feature = "experiment")]
fn is_temporary(name: &str) -> bool {
    let stamp = name.strip_prefix(START).and_then(|rest| rest.strip_suffix(END));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    stamp.is_some_and(|stamp| stamp.split('-').count() == 3 && stamp.split('-').all(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "experiment")]
    #[test]
    fn temporary_names_are_told_from_others() {
        assert!(is_temporary(".sporadic-12-345-6.tmp"));
        for other in
            ["a.json", ".a.json.tmp", ".sporadic-1-2.tmp", ".sporadic-1-2-x.tmp", ".vim.tmp"]
        {
            assert!(!is_temporary(other), "{other}");
        }
    }

    #[cfg(feature = "experiment")]
    #[test]
    fn only_abandoned_temporaries_are_removed() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (alive, writer) = create(&folder.path().join("a"))?;
        writer.try_lock()?;
        let (dead, writer_of_dead) = create(&folder.path().join("a"))?;
        drop(writer_of_dead);
        fs::write(folder.path().join("other.tmp"), "")?;
        remove_abandoned(folder.path());
        assert!(alive.exists() && !dead.exists());
        assert_eq!(fs::read_dir(&folder)?.count(), 2);
        Ok(())
    }

    /// Another process removes temporaries while they are written, without asking for locks.
    #[test]
    fn a_writer_whose_temporary_disappears_writes_again() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("file");
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                // One less than a writer's attempts, so that on no machine all attempts of one write meet it.
                let mut left = ATTEMPTS - 1;
                while left > 0 && !done.load(Ordering::Relaxed) {
                    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
                    for entry in entries.filter(|e| e.path().extension() == Some("tmp".as_ref())) {
                        if left > 0 && fs::remove_file(entry.path()).is_ok() {
                            left -= 1;
                        }
                    }
                    std::thread::sleep(std::time::Duration::from_millis(2));
                }
            });
            let written = (0..200).try_for_each(|_| replace(&path, &[7; 4096]));
            done.store(true, Ordering::Relaxed);
            written
        })?;
        assert_eq!(fs::read(&path)?, [7; 4096]);
        Ok(())
    }

    #[test]
    fn a_name_may_be_as_long_as_the_system_allows() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("n".repeat(250));
        replace(&path, b"text")?;
        assert_eq!(fs::read(&path)?, b"text");
        Ok(())
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
