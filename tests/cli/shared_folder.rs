//! The folder of a sweep in company, damaged, and interrupted: the files in the end are the same to
//! the byte.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::cases;
use crate::common::program::{Sweeps, assert_same, kill_after, refusal, stdout, text, tree};
use rand::RngExt as _;
use rand_pcg::Pcg64;
use tempfile::tempdir;

/// Two models and two agents that learn.
const SPEC: &str = r#"
name = "small"
episodes = 60
seeds = 2
points = 6

[[models]]
model = "river-swim"
states = 3
gamma = 0.8
beta = [0.2, 0.5]

[[agents]]
agent = "lsvi-ucb"
oracle = "runs:1,2"
horizon = 6
rho = 2

[[agents]]
agent = "epsilon-greedy"
oracle = "runs:1,2"
horizon = 6
"#;

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Rounds of several identical sweeps at once; in half of them one is killed on the way.
fn in_company(rounds: u32) -> u32 {
    let bench = Sweeps::new(SPEC);
    let alone = bench.out("alone");
    let start = Instant::now();
    let table = bench.sweep(&alone, &[]);
    let whole = start.elapsed();
    let mut kills = 0;
    for round in 0..rounds {
        let out = bench.out("shared");
        let mut all: Vec<Child> =
            (0..3).map(|_| bench.start(&out, &["--checkpoint", "0"])).collect();
        if round % 2 == 1 {
            let time = whole.mul_f64((f64::from(round) * 0.618_034).fract());
            kills += u32::from(kill_after(all.remove(0), time));
        }
        for child in all {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "round {round}: {}", stderr(&output));
            assert!(output.stdout == table.as_bytes(), "round {round}");
        }
        // Who was last may have left its own things behind for the next, and nothing else.
        stdout(&["report", text(&out)]);
        assert_same(&alone, &out);
        fs::remove_dir_all(&out).unwrap();
    }
    kills
}

#[test]
fn sweeps_in_one_folder_share_it() {
    assert!(in_company(6) >= 1, "no process was killed on the way");
}

#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn sweeps_in_one_folder_share_it_many_times() {
    let rounds = u32::try_from(cases(200)).unwrap();
    let kills = in_company(rounds);
    println!("{rounds} rounds of 3 processes in one folder, {kills} of them killed");
}

#[test]
fn another_spec_is_refused_and_a_larger_one_continues() {
    let bench = Sweeps::new(SPEC);
    let out = bench.out("out");
    bench.sweep(&out, &[]);
    let before = tree(&out);
    for (was, is) in [
        ("episodes = 60", "episodes = 61"),
        ("points = 6", "points = 5"),
        ("seeds = 2", "seeds = 1"),
        ("beta = [0.2, 0.5]", "beta = [0.2, 0.6]"),
        ("rho = 2", "rho = 3"),
    ] {
        fs::write(&bench.spec, SPEC.replace(was, is)).unwrap();
        let sentence = refusal(&["sweep", text(&bench.spec), "--out", text(&out)]);
        let said = sentence.contains("holds the experiment \"small\"")
            && sentence.contains("choose another folder");
        assert!(said, "{sentence}");
        assert!(tree(&out) == before, "{is}: nothing is touched");
    }
    let larger = SPEC.replace("seeds = 2", "seeds = 3").replace("[0.2, 0.5]", "[0.5, 0.2, 0.1]");
    fs::write(&bench.spec, larger).unwrap();
    bench.sweep(&out, &[]);
    let fresh = bench.out("fresh");
    bench.sweep(&fresh, &[]);
    assert_same(&fresh, &out);
}

fn is_json(name: &str) -> bool {
    Path::new(name).extension() == Some("json".as_ref())
}

/// Something happens to one file. Answers with its name.
fn damage(dir: &Path, rng: &mut Pcg64) -> String {
    // Outputs are written anew by every sweep and never read.
    let kept = ["manifest", "models/", "cells/", "checkpoints/", "references/"];
    let files = tree(dir);
    let names: Vec<&String> =
        files.keys().filter(|name| kept.iter().any(|start| name.starts_with(start))).collect();
    // Not the temporary files and locks that killed processes left.
    let names: Vec<&String> = names.into_iter().filter(|name| is_json(name)).collect();
    // Every kind of file as often as every other.
    let kinds: Vec<&str> =
        kept.into_iter().filter(|kind| names.iter().any(|name| name.starts_with(kind))).collect();
    let kind = kinds[rng.random_range(0..kinds.len())];
    let of_kind: Vec<&&String> = names.iter().filter(|name| name.starts_with(kind)).collect();
    let name = of_kind[rng.random_range(0..of_kind.len())].as_str();
    let mut bytes = files[name].clone();
    let at = rng.random_range(0..bytes.len());
    match rng.random_range(0..6) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes.truncate(at),
        2 => bytes.insert(at, b'0'),
        3 => bytes[at] = 0xff, // not UTF-8
        4 => {
            // A digit becomes another, which still parses.
            let digits: Vec<usize> =
                (0..bytes.len()).filter(|&i| bytes[i].is_ascii_digit()).collect();
            let at = digits[rng.random_range(0..digits.len())];
            bytes[at] = b'0' + (bytes[at] - b'0' + rng.random_range(1..10)) % 10;
        }
        _ => {
            // A whole file, but another one.
            let other = names[rng.random_range(0..names.len())];
            bytes.clone_from(&files[other.as_str()]);
        }
    }
    fs::write(dir.join(name), bytes).unwrap();
    name.to_owned()
}

/// Sweeps are killed or run to the end, files are damaged, and the next sweep mends the folder. Answers
/// with how many files were damaged.
fn mends(rounds: u32, seed: u128) -> usize {
    let bench = Sweeps::new(SPEC);
    let (whole, broken) = (bench.out("whole"), bench.out("broken"));
    let time = bench.time(&whole);
    let mut rng = Pcg64::new(seed, 1);
    let mut damaged = 0;
    for round in 0..rounds {
        if round % 2 == 0 {
            let child = bench.start(&broken, &["--checkpoint", "0", "--threads", "1"]);
            kill_after(child, time.mul_f64(rng.random_range(0.1..0.9)));
            if !broken.join("manifest.json").exists() {
                continue;
            }
        }
        let before = tree(&broken);
        let mut names: Vec<String> =
            (0..rng.random_range(1..4)).map(|_| damage(&broken, &mut rng)).collect();
        let after = tree(&broken);
        names.retain(|name| before[name] != after[name]);
        names.sort();
        names.dedup();
        let output = bench.start(&broken, &[]).wait_with_output().unwrap();
        let said = stderr(&output);
        assert!(output.status.success(), "{names:?}: {said}");
        for name in &names {
            // The checkpoint of a finished cell is not looked at.
            let needless = name.strip_prefix("checkpoints/").is_some_and(|id| {
                let cell = format!("cells/{id}");
                before.contains_key(&cell) && !names.contains(&cell)
            });
            let told = said.lines().filter(|line| line.contains(name.as_str())).count();
            assert!(told == 1 || needless, "{name} of {names:?}: {said}");
        }
        assert_same(&whole, &broken);
        damaged += names.len();
        if rng.random_bool(0.5) {
            fs::remove_dir_all(&broken).unwrap();
            bench.sweep(&broken, &[]);
        }
    }
    damaged
}

#[test]
fn damaged_files_are_told_and_made_again() {
    assert!(mends(10, 7) >= 5);
}

#[test]
#[ignore = "long: cargo test --release --all-features -- --ignored"]
fn damaged_files_are_told_and_made_again_many_times() {
    let rounds = u32::try_from(cases(200)).unwrap();
    println!("{} damaged files in {rounds} rounds", mends(rounds, 8));
}

#[test]
fn a_report_does_not_believe_damaged_files() {
    let bench = Sweeps::new(SPEC);
    let (out, other) = (bench.out("out"), bench.out("other"));
    bench.sweep(&out, &[]);
    let files = tree(&out);
    for kind in ["manifest", "models/", "cells/"] {
        let (name, bytes) = files.iter().find(|(name, _)| name.starts_with(kind)).unwrap();
        let digit = bytes.iter().rposition(u8::is_ascii_digit).unwrap();
        for byte in [0xff, if bytes[digit] == b'9' { b'8' } else { b'9' }] {
            let mut wrong = bytes.clone();
            wrong[digit] = byte;
            fs::write(out.join(name), wrong).unwrap();
            for args in [vec!["report", text(&out)], vec!["report", text(&other), text(&out)]] {
                let sentence = refusal(&args);
                assert!(sentence.contains(&format!("{name} is damaged")), "{sentence}");
            }
            let _ = fs::remove_dir_all(&other);
        }
        fs::write(out.join(name), bytes).unwrap();
    }
    stdout(&["report", text(&other), text(&out)]);
}

#[test]
fn text_that_is_not_utf_8_is_bad_input() {
    let dir = tempdir().unwrap();
    let file = |name: &str| {
        let path = dir.path().join(name);
        fs::write(&path, b"{\"a\": \"\xff\"}").unwrap();
        path
    };
    let (spec, json, toml) = (file("spec.toml"), file("model.json"), file("model.toml"));
    let out = dir.path().join("out");
    for args in [
        vec!["sweep", text(&spec), "--out", text(&out)],
        vec!["solve", text(&json)],
        vec!["check", text(&toml)],
        vec!["value", "river-swim", "--policy", text(&json)],
        vec!["learn", text(&json), "--out", text(&out)],
    ] {
        refusal(&args);
    }
    fs::create_dir(&out).unwrap();
    fs::write(out.join("manifest.json"), b"\xff").unwrap();
    refusal(&["report", text(&out)]);
}

/// Takes about two seconds, with a point of the curve now and then.
#[cfg(unix)]
const LONGER: &str = r#"
episodes = 4000
seeds = 4
points = 4
[[models]]
model = "river-swim"
states = 4
gamma = 0.9
beta = [0.2, 0.5]
[[agents]]
agent = "lsvi-ucb"
oracle = "runs:2,4"
horizon = 20
"#;

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap();
    assert!(status.success());
}

/// Waits until some cell is under way.
#[cfg(unix)]
fn under_way(out: &Path, child: &mut Child) {
    let is_lock = |entry: std::io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            // Who it is stands in it once it is locked.
            entry.path().extension() == Some("lock".as_ref())
                && entry.metadata().is_ok_and(|meta| meta.len() > 0)
        })
    };
    while !fs::read_dir(out.join("checkpoints")).is_ok_and(|mut entries| entries.any(is_lock)) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        sleep(Duration::from_millis(1));
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_sweep_with_one_sentence() {
    let bench = Sweeps::new(LONGER);
    let (straight, stopped) = (bench.out("straight"), bench.out("stopped"));
    bench.sweep(&straight, &[]);
    let mut saved = 0;
    for (signal, name, code) in [("-TERM", "SIGTERM", 143), ("-INT", "SIGINT", 130)] {
        // A shell that runs the tests in the background has them, and what they start, ignore SIGINT.
        if signal == "-INT" && ignores_interrupts() {
            continue;
        }
        let mut child = bench.start(&stopped, &[]);
        under_way(&stopped, &mut child);
        send(signal, &child);
        let output = child.wait_with_output().unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.starts_with(&format!("sporadic: stopped by {name}: ")), "{said}");
        assert!(said.contains(" of 8 cells are finished") && said.lines().count() == 1, "{said}");
        assert!(said.contains("the same command goes on"), "{said}");
        let files = tree(&stopped);
        assert!(files.keys().all(|name| is_json(name)), "{:?}", files.keys());
        saved += files.keys().filter(|name| name.starts_with("checkpoints/")).count();
    }
    assert!(saved > 0, "nothing was under way");
    bench.sweep(&stopped, &[]);
    assert_same(&straight, &stopped);
}

/// Whether this process ignores SIGINT; false where that cannot be found out.
fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0) & 2 != 0
}

/// As a shell starts what runs in the background.
#[cfg(unix)]
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let bench = Sweeps::new(SPEC);
    let out = bench.out("out");
    let child = Command::new("sh")
        .args(["-c", "trap '' INT; exec \"$0\" sweep \"$1\" --out \"$2\""])
        .args([env!("CARGO_BIN_EXE_sporadic"), text(&bench.spec), text(&out)])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut child = child;
    // The shell has set its trap by the time the program it became has made the folder.
    while !out.exists() && child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(5));
    }
    while child.try_wait().unwrap().is_none() {
        send("-INT", &child);
        sleep(Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
}

/// One process holds a cell; the other says so and takes it over when the first is killed.
#[cfg(unix)]
#[test]
fn who_waits_says_for_whom() {
    let bench = Sweeps::new(&LONGER.replace("seeds = 4", "seeds = 1").replace("[0.2, 0.5]", "0.2"));
    let (alone, shared) = (bench.out("alone"), bench.out("shared"));
    bench.sweep(&alone, &[]);
    let mut first = bench.start(&shared, &["--checkpoint", "0"]);
    let id = first.id();
    under_way(&shared, &mut first);
    send("-STOP", &first);
    let mut second = bench.start(&shared, &[]);
    let mut said = String::new();
    BufReader::new(second.stderr.take().unwrap()).read_line(&mut said).unwrap();
    assert!(
        said.starts_with(&format!("sporadic: waiting for 1 cell that process {id} ")),
        "{said}"
    );
    first.kill().unwrap(); // SIGKILL
    first.wait().unwrap();
    assert!(second.wait_with_output().unwrap().status.success());
    assert_same(&alone, &shared);
}
