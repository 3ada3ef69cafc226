//! Locks on cells, so that several processes share the work of one folder.
//!
//! A lock is a file that its holder has locked with the operating system, which ends the lock when the
//! process ends, however it ends: a file that a killed process left behind can be locked at once. Locks
//! only keep processes from doing the same work twice. Results do not depend on them, because
//! files are replaced as a whole and two processes write the same bytes; so where a file system has no
//! locks, everybody holds every lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use super::ExperimentError;

/// How often a lock file is opened again because its last holder has just removed it.
const ATTEMPTS: usize = 100;

/// A lock, until it is dropped; its file is then removed.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    file: Option<File>,
}

/// What became of an attempt to take a lock.
#[derive(Debug)]
pub(super) enum Attempt {
    /// It is ours.
    Taken(Lock),
    /// It belongs to someone else, who is described.
    Busy(String),
}

impl Lock {
    /// Takes the lock with this file if nobody holds it, and never waits.
    pub(super) fn take(path: &Path) -> Result<Attempt, ExperimentError> {
        let fail = |source| ExperimentError::Io { path: path.into(), source };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(fail)?;
        }
        for _ in 0..ATTEMPTS {
            let mut options = OpenOptions::new();
            // Network file systems lock only what may be written.
            options.read(true).write(true).create(true).truncate(false);
            let mut file = options.open(path).map_err(fail)?;
            match file.try_lock() {
                // The last holder may have removed the file after it was opened here. Then this is the
                // lock of a file without a name, and another file may have the name.
                Ok(()) if !has_name(&file, path) => {}
                Ok(()) => {
                    // For others to read; that nobody can read it does no harm.
                    let _ = file.set_len(0).and_then(|()| file.write_all(ourselves().as_bytes()));
                    return Ok(Attempt::Taken(Self { path: path.into(), file: Some(file) }));
                }
                Err(TryLockError::WouldBlock) => return Ok(Attempt::Busy(holder(path))),
                Err(TryLockError::Error(_)) => {
                    drop(file);
                    let _ = fs::remove_file(path);
                    return Ok(Attempt::Taken(Self { path: path.into(), file: None }));
                }
            }
        }
        Ok(Attempt::Busy(holder(path)))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.file.is_some() {
            // While the lock is held: nobody else removes the file, and whoever has opened it finds
            // out that it has no name any more.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes from `folder` the lock files that killed processes left behind.
pub(super) fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "lock") {
            // Dropped at once if it can be taken.
            let _ = Lock::take(&path);
        }
    }
}

/// Whether `path` is the name of this open file.
#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
    let (open, named) = (file.metadata().map(id), fs::metadata(path).map(id));
    open.is_ok_and(|open| named.is_ok_and(|named| open == named))
}

/// Whether `path` is the name of a file, which is as much as can be found out here: in the worst case
/// two processes do the same work.
#[cfg(not(unix))]
fn has_name(_: &File, path: &Path) -> bool {
    path.exists()
}

/// How this process is described to others.
fn ourselves() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let process = std::process::id();
    match host.trim() {
        "" => format!("process {process}"),
        host => format!("process {process} on {host}"),
    }
}

/// How the holder of a lock describes itself.
fn holder(path: &Path) -> String {
    match fs::read_to_string(path) {
        Ok(text) if !text.is_empty() => text.chars().filter(|c| !c.is_control()).take(80).collect(),
        Err(fault) if fault.kind() == ErrorKind::NotFound => "a process that has just ended".into(),
        _ => "another process".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_lock_is_held_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("locks/a.lock");
        let Attempt::Taken(first) = Lock::take(&path).unwrap() else { panic!("nobody holds it") };
        let Attempt::Busy(holder) = Lock::take(&path).unwrap() else { panic!("it is held") };
        assert!(holder.starts_with(&format!("process {}", std::process::id())), "{holder}");
        remove_abandoned(path.parent().unwrap());
        assert!(path.exists(), "it is not abandoned");
        drop(first);
        assert!(!path.exists());
        assert!(matches!(Lock::take(&path).unwrap(), Attempt::Taken(_)));
    }

    #[test]
    fn a_file_that_a_killed_process_left_does_not_block() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        fs::write(&path, "process 1 on a machine that is gone").unwrap();
        assert!(matches!(Lock::take(&path).unwrap(), Attempt::Taken(_)));
        fs::write(&path, "process 1 on a machine that is gone").unwrap();
        remove_abandoned(folder.path());
        assert!(!path.exists());
    }

    /// Removing the file with the lock is what is easy to get wrong.
    #[test]
    fn never_two_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let (inside, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        if let Attempt::Taken(_lock) = Lock::take(&path).unwrap() {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            taken.fetch_add(1, Ordering::SeqCst);
                            assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        }
                    }
                });
            }
        });
        assert!(taken.into_inner() > 0);
    }
}
