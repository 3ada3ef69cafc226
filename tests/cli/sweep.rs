//! Threads, shards, crashes: the files in the end are the same to the byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::program::{
    Sweeps, assert_same, kill_after, program, refusal, stdout, text, tree,
};

const SPEC: &str = r#"
name = "small"
episodes = 120
seeds = 2
points = 12

[[models]]
model = "river-swim"
states = 3
gamma = 0.9
beta = [0.2, 0.5]

[[models]]
model = "mine.json"

[[agents]]
agent = "lsvi-ucb"
oracle = "runs:2,3"
horizon = 10
rho = 5

[[agents]]
agent = "fixed"
sequence = ["(1)", "1(01)"]

[[agents]]
agent = "uniform"
"#;

/// The other agents that learn or draw.
const OTHERS: &str = r#"
[[agents]]
agent = "epsilon-greedy"
oracle = "runs:2,3"
horizon = 10

[[agents]]
agent = "one-step"
horizon = 10

[[agents]]
agent = "certainty-equivalence"
oracle = "runs:1,2"

[[agents]]
agent = "lsvi-ucb"
oracle = "adaptive:20"
horizon = 10
rho = 5
"#;

/// Without a bonus and with a small ridge the values of bad candidates fall without bound, and did so
/// right after a restore.
const GREEDY: &str = r#"
name = "greedy"
episodes = 240
seeds = 2
points = 60

[[models]]
model = "river-swim"
gamma = 0.99
beta = [0.2, 0.5]

[[agents]]
agent = "epsilon-greedy"
oracle = "runs:2,3"
horizon = 300
lambda = [1e-6, 1e-2]
"#;

/// The specification, with the model file that it names.
fn sweeps(spec: &str) -> Sweeps {
    let sweeps = Sweeps::new(spec);
    let model =
        stdout(&["export", "river-balance", "--states", "4", "--gamma", "0.8", "--to", "json"]);
    fs::write(sweeps.out("mine.json"), model).unwrap();
    sweeps
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let bench = sweeps(&format!("{SPEC}{OTHERS}"));
    let tables: Vec<String> = ["1", "2", "8"]
        .iter()
        .map(|threads| bench.sweep(&bench.out(threads), &["--threads", threads]))
        .collect();
    assert!(tables.iter().all(|table| table == &tables[0]));
    assert_same(&bench.out("1"), &bench.out("2"));
    assert_same(&bench.out("1"), &bench.out("8"));
    assert_eq!(
        tree(&bench.out("1")).keys().filter(|name| name.starts_with("cells/")).count(),
        3 * 8 * 2
    );
    // Gaps of searches over all sequences: at 10, 40 and 120 episodes of 10, 20, ..., 120.
    let curves = fs::read_to_string(bench.out("1").join("curves.csv")).unwrap();
    let mut lines = curves.lines();
    assert!(lines.next().unwrap().ends_with(",mean_policy_value,rounds,looks,gap"));
    assert_eq!(lines.filter(|line| !line.ends_with(',')).count(), 3 * 2 * 3);
}

#[test]
fn four_shards_are_the_whole() {
    let bench = sweeps(SPEC);
    let whole = bench.out("whole");
    let table = bench.sweep(&whole, &[]);
    let (shared, merged) = (bench.out("shared"), bench.out("merged"));
    let mut folders = Vec::new();
    for i in (1..=4).rev() {
        let (shard, own) = (format!("{i}/4"), bench.out(&format!("part{i}")));
        let said = bench.sweep(&shared, &["--shard", &shard]);
        assert!(said.starts_with(&format!("shard {shard}: 6 of 24 cells finished")), "{said}");
        bench.sweep(&own, &["--shard", &shard]);
        folders.push(own);
    }
    assert_eq!(stdout(&["report", text(&shared)]), table);
    let parts: Vec<&str> = folders.iter().map(|folder| text(folder)).collect();
    assert_eq!(stdout(&[&["report", text(&merged)], &parts[..]].concat()), table);
    assert_same(&whole, &shared);
    assert_same(&whole, &merged);
}

#[test]
fn shards_of_another_sweep_do_not_mix() {
    let bench = sweeps(SPEC);
    let (a, b) = (bench.out("a"), bench.out("b"));
    bench.sweep(&a, &["--shard", "1/24"]);
    fs::write(&bench.spec, SPEC.replace("episodes = 120", "episodes = 121")).unwrap();
    bench.sweep(&b, &["--shard", "1/24"]);
    let sentence = refusal(&["report", text(&a), text(&b)]);
    assert!(sentence.contains("holds another experiment than"), "{sentence}");
}

/// Killed again and again, a sweep goes on from its checkpoints to the same bytes.
#[test]
fn killed_at_any_moment_it_continues() {
    let longer =
        SPEC.replace("episodes = 120", "episodes = 600").replace("points = 12", "points = 60");
    for spec in [&(longer + OTHERS), GREEDY] {
        let bench = sweeps(spec);
        let (undisturbed, disturbed) = (bench.out("undisturbed"), bench.out("disturbed"));
        let whole = bench.time(&undisturbed);
        // Moments spread over the run by a fixed irrational step: early, late and in between.
        let (mut kills, mut resumed) = (0, 0);
        for i in 1..=10_u32 {
            let share = (f64::from(i) * 0.618_034).fract();
            let time = whole.mul_f64(0.45 * share).max(Duration::from_millis(3));
            let child = bench.start(&disturbed, &["--checkpoint", "0"]);
            kills += u32::from(kill_after(child, time));
            // The checkpoints that the next attempt continues from.
            resumed += fs::read_dir(disturbed.join("checkpoints")).map_or(0, |entries| {
                let names = entries.map(|entry| entry.unwrap().path());
                names.filter(|name| name.extension() == Some("json".as_ref())).count()
            });
        }
        assert!(kills >= 1 && resumed >= 1, "{kills} kills, {resumed} checkpoints");
        bench.sweep(&disturbed, &[]);
        assert_same(&undisturbed, &disturbed);
    }
}

#[test]
fn a_torn_checkpoint_is_as_good_as_none() {
    let bench = sweeps(SPEC);
    let (a, b) = (bench.out("a"), bench.out("b"));
    bench.sweep(&a, &[]);
    fs::create_dir_all(b.join("checkpoints")).unwrap();
    for name in tree(&a).keys().filter_map(|name| name.strip_prefix("cells/")) {
        fs::write(b.join("checkpoints").join(name), "{\"cell\":").unwrap();
    }
    bench.sweep(&b, &[]);
    assert_same(&a, &b);
}

#[test]
fn the_array_job_is_a_script() {
    let bench = sweeps(SPEC);
    let script = bench.sweep(&bench.out("it's here"), &["--slurm", "4", "--threads", "2"]);
    let here = std::env::current_dir().unwrap();
    let script = script
        .replace(env!("CARGO_BIN_EXE_sporadic"), "PROGRAM")
        .replace(text(bench.dir.path()), "DIR")
        .replace(text(&here), "HERE");
    insta::assert_snapshot!(script);
    assert!(!bench.out("it's here").exists());
}

#[test]
fn the_time_of_every_run_is_told_and_changes_nothing_else() {
    let bench = sweeps(SPEC);
    let out = bench.out("out");
    bench.sweep(&out, &[]);
    let times = |out: &Path| -> Vec<String> {
        let table = fs::read_to_string(out.join("times.csv")).unwrap();
        assert!(table.starts_with("model,agent,run,episodes,seconds\n"), "{table}");
        let last = |line: &str| line.rsplit(',').next().unwrap().to_owned();
        table.lines().skip(1).map(last).collect()
    };
    let before = times(&out);
    assert_eq!(before.len(), 24);
    assert!(before.iter().all(|seconds| seconds.parse::<f64>().is_ok_and(|s| s >= 0.0)));
    let page = fs::read(out.join("report.html")).unwrap();
    assert!(String::from_utf8_lossy(&page).contains("times.csv"));
    // Kept from one report to the next; without them, or with damaged ones, all else is as it was.
    stdout(&["report", text(&out)]);
    assert_eq!(times(&out), before);
    let files: Vec<PathBuf> =
        fs::read_dir(out.join("times")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 24);
    fs::write(&files[0], "{").unwrap();
    fs::remove_file(&files[1]).unwrap();
    let said = program().args(["report", text(&out)]).output().unwrap();
    assert!(said.status.success());
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("22 runs took ") && said.contains("report.html"), "{said}");
    assert_eq!(times(&out).iter().filter(|seconds| seconds.is_empty()).count(), 2);
    assert_eq!(fs::read(out.join("report.html")).unwrap(), page);
}
