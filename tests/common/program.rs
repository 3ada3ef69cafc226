//! Running the program and looking at what it leaves behind.

#![cfg(feature = "cli")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::{TempDir, tempdir};

/// The program.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sporadic"));
    command.stdin(Stdio::null());
    command
}

/// Runs it to the end.
pub(crate) fn sporadic(args: &[&str]) -> Output {
    program().args(args).output().expect("the program starts")
}

/// What it prints, given that it succeeds.
pub(crate) fn stdout(args: &[&str]) -> String {
    let output = sporadic(args);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {stderr}");
    String::from_utf8(output.stdout).expect("text")
}

/// The one JSON document it prints.
pub(crate) fn json(args: &[&str]) -> serde_json::Value {
    let text = stdout(args);
    serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{args:?}: {fault}: {text}"))
}

/// The sentence with which it refuses bad input.
pub(crate) fn refusal(args: &[&str]) -> String {
    let output = sporadic(args);
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?} prints on standard output");
    assert_eq!(stderr.lines().count(), 1, "{args:?} says more than one sentence: {stderr}");
    stderr.trim_start_matches("sporadic: ").trim_end().to_owned()
}

/// Every file below a folder, with its content, but for how long things took.
pub(crate) fn tree(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("below").to_string_lossy().into_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files.retain(|name, _| !name.starts_with("times"));
    files
}

/// Asserts that two folders hold the same files, byte for byte.
pub(crate) fn assert_same(a: &Path, b: &Path) {
    let (a, b) = (tree(a), tree(b));
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    for (name, bytes) in &a {
        assert!(bytes == &b[name], "{name} differs");
    }
}

/// A path as text.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

/// JSON with its checksum around it.
pub(crate) fn sealed(content: &str) -> String {
    format!("{{\"checksum\":\"{}\",\"content\":{content}}}\n", super::checksum(content))
}

/// A specification, and the folders of its sweeps.
pub(crate) struct Sweeps {
    pub(crate) dir: TempDir,
    pub(crate) spec: PathBuf,
}

impl Sweeps {
    pub(crate) fn new(spec: &str) -> Self {
        let dir = tempdir().expect("a folder");
        let path = dir.path().join("spec.toml");
        fs::write(&path, spec).expect("a file");
        Self { dir, spec: path }
    }

    /// The folder of this name, which does not exist yet.
    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Starts a sweep.
    pub(crate) fn start(&self, out: &Path, more: &[&str]) -> Child {
        let mut sweep = program();
        sweep.args(["sweep", text(&self.spec), "--out", text(out)]).args(more);
        sweep.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Runs a sweep to its end, and answers with what it prints.
    pub(crate) fn sweep(&self, out: &Path, more: &[&str]) -> String {
        stdout(&[&["sweep", text(&self.spec), "--out", text(out)], more].concat())
    }

    /// Runs a sweep to its end, and answers with the time it took.
    pub(crate) fn time(&self, out: &Path) -> Duration {
        let start = Instant::now();
        self.sweep(out, &[]);
        start.elapsed()
    }
}

/// Sends SIGKILL after this time; whether the process was still running.
pub(crate) fn kill_after(mut child: Child, time: Duration) -> bool {
    sleep(time);
    let running = child.try_wait().expect("a process").is_none();
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    running
}
