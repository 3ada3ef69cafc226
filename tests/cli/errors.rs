//! Bad input: exit code 2, one sentence, nothing on standard output.

use std::fs;

use crate::common::program::{Sweeps, refusal, sealed, stdout, text};
use tempfile::tempdir;

/// Commands that are refused. The parameters of models, agents and oracles are checked as those of
/// specifications are (`tests/experiments/refused_specs.rs`); one of each shows the name of its flag.
const REFUSED: &[&str] = &[
    "",
    "sovle river-swim",
    "solve river-swim --famly runs:5,10",
    "learn river-swim --rha 3 --out unused",
    "learn river-swim --agent lsvi --out unused",
    "learn river-swim --oracle run:5,10 --out unused",
    "learn sensing-cost --agent fixed --sequence (lok) --out unused",
    "solve",
    "solve river-swing",
    "solve river-swim --beta high",
    "solve river-swim --beta 1.5",
    "solve river-swim --gamma 1",
    "solve river-swim --states 1",
    "solve river-swim --cost 1",
    "solve sensing-cost --states 4",
    "solve river-swim --gap -1",
    "solve river-swim --time-limit -1",
    "solve river-swim --family runs:5",
    "solve river-swim --family words:40",
    "solve no-such-model.json",
    "psi river-swim --state s9 --sequence (1)",
    "psi river-swim --state s1 --sequence 111",
    "psi river-swim --state s1 --sequence (2)",
    "psi river-swim --state s1",
    "value river-swim --policy no-such-policy.json",
    "export river-swim --to yaml",
    "estimate river-swim --samples 0",
    "estimate river-swim --samples 10 --confidence 1",
    "learn river-swim",
    "learn river-swim --agent fixed --out unused",
    "learn river-swim --agent uniform --rho 3 --out unused",
    "learn river-swim --rho -1 --out unused",
    "learn river-swim --beyond sideways --out unused",
    "learn river-swim --oracle beam:0,4 --out unused",
    "learn river-swim --oracle branch-and-bound:-1 --out unused",
    "learn river-swim --agent epsilon-greedy --oracle beam:8,20 --out unused",
    "learn river-swim --episodes 0 --out unused",
    "learn river-swim --checkpoint -1 --out unused",
    "reproduce --seeds 0 --out unused",
    "sweep no-such-spec.toml",
    "sweep no-such-spec.toml --shard 3/2",
    "report no-such-folder",
    "completions cmd",
    // Names that are nearly right.
    "estimate river-swim --samples 9 --estimator rige",
    "solve river-swim --family rnus:2,3",
    "learn sensing-cost --agent fixed --sequence (R+lok) --out unused",
    "psi sensing-cost --state s1 --sequence (B+loook)",
    "check sensing-cost --beta R+lock=0.5",
    // Numbers beyond all sense, and what is no number.
    "solve river-swim --states 18446744073709551615",
    "check river-swim --states 1000000000",
    "solve river-swim --family periodic:18446744073709551615,1",
    "solve river-swim --family words:18446744073709551615",
    "solve river-swim --time-limit 1e308",
    "solve river-swim --time-limit nan",
    "solve sensing-cost --cost 1e308",
    "solve sensing-cost --cost 1e308 --family words:2 --json",
    "value sensing-cost --cost 1e308 --policy unused.json --json",
    "check sensing-cost --cost -1e308 --json",
    "psi river-swim --states 3000 --gamma 0.9999999999 --state s1 --sequence (1)",
    "estimate river-swim --samples 18446744073709551615",
    "estimate river-swim --samples 100 --confidence 1e-320",
    "estimate river-swim --samples 100 --confidence nan",
    "estimate river-swim --samples 100 --states 3000",
    "learn river-swim --agent one-step --horizon 1000000000 --out unused",
    "learn river-swim --threads 1000000000 --out unused",
    "learn river-swim --oracle beam:1,1000000 --out unused",
    "learn river-swim --oracle branch-and-bound:1,18446744073709551615 --out unused",
    "learn river-swim --agent uniform --gamma 0.9999999999 --out unused",
    "learn river-swim --checkpoint 1e300 --out unused",
    "reproduce --seeds 18446744073709551615 --out unused",
    "reproduce --episodes 18446744073709551615 --out unused",
    "reproduce --threads 18446744073709551615 --out unused",
];

#[test]
fn bad_arguments_are_refused_in_one_sentence() {
    let refuse = |line: &&str| {
        let sentence = refusal(&line.split_whitespace().collect::<Vec<_>>());
        let digits = sentence.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
        assert!(digits <= Some(20), "a number of many digits: {sentence}");
        format!("sporadic {line}\n    {sentence}\n")
    };
    insta::assert_snapshot!(REFUSED.iter().map(refuse).collect::<String>());
    assert!(!fs::exists("unused").unwrap(), "a refused command made its folder");
}

/// Whatever an argument or a file contains, an error is one line that a terminal can show.
#[test]
fn errors_are_one_line_for_the_terminal() {
    let dir = tempdir().unwrap();
    let long = "x".repeat(100_000);
    let spec = dir.path().join("spec.toml");
    for name in ["a\u{1b}[31m\n\nb", long.as_str()] {
        let name_in_toml = name.escape_default().to_string();
        let model = format!(
            "episodes = 5\n[[models]]\nmodel = \"{name_in_toml}\"\n[[agents]]\nagent = \"uniform\"\n"
        );
        fs::write(&spec, model.replace("\\u{1b}", "\\u001b")).unwrap();
        for args in [
            vec!["check", name],
            vec!["psi", "river-swim", "--state", name, "--sequence", "(1)"],
            vec!["psi", "river-swim", "--state", "s1", "--sequence", name],
            vec!["learn", "river-swim", "--agent", name, "--out", "unused"],
            vec!["solve", "river-swim", "--family", name],
            vec!["solve", "river-swim", "--gap", name],
            vec!["sweep", text(&spec), "--out", "unused"],
            vec![name],
        ] {
            let sentence = refusal(&args);
            assert!(!sentence.contains(char::is_control), "{sentence:?}");
            assert!(sentence.len() < 2000, "{} bytes", sentence.len());
        }
    }
}

/// A file without end is not read to its end.
#[cfg(unix)]
#[test]
fn files_without_end() {
    let dir = tempdir().unwrap();
    let spec = dir.path().join("endless.toml");
    std::os::unix::fs::symlink("/dev/zero", &spec).unwrap();
    let sentence =
        refusal(&["sweep", text(&spec), "--out", "unused"]).replace(text(dir.path()), "DIR");
    assert_eq!(
        sentence,
        "DIR/endless.toml: the file has more than 16777216 bytes, the most that are read"
    );
}

/// Values up to the limit are numbers in every answer; nothing that should be a number is null.
#[test]
fn large_values_are_printed() {
    let dir = tempdir().unwrap();
    let policy = dir.path().join("policy.json");
    fs::write(&policy, r#"{"s1": "(1)", "s2": "(1)"}"#).unwrap();
    let model = ["sensing-cost", "--cost", "1e99", "--json"];
    let with = |verb: &str, more: &[&str]| {
        let args: Vec<&str> = [verb].iter().chain(&model).chain(more).copied().collect();
        stdout(&args)
    };
    let out = dir.path().join("out");
    let answers = [
        with("solve", &[]),
        with("solve", &["--family", "words:2"]),
        with("value", &["--policy", text(&policy)]),
        with("check", &[]),
        with("learn", &["--agent", "class-optimal", "--episodes", "3", "--out", text(&out)])
            .replace(r#""beta":null"#, ""),
    ];
    for answer in answers {
        assert!(!answer.contains("null"), "{answer}");
    }
}

#[test]
fn bad_files() {
    let dir = tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = dir.path().join(name);
        fs::write(&path, content).unwrap();
        path
    };
    let mut lines = Vec::new();
    let mut refuse = |args: &[&str]| {
        let sentence = refusal(args).replace(text(dir.path()), "DIR");
        lines.push(sentence);
    };
    let model = file(
        "model.json",
        r#"{"gamma": 0.9, "states": ["a"], "actions": [{"name": "go", "beta": 2, "reward": [0], "transition": [[1]]}]}"#,
    );
    refuse(&["check", text(&model)]);
    let model = file("broken.toml", "gamma = \"high\"");
    refuse(&["check", text(&model)]);
    for (name, policy) in [
        ("list.json", "[1]"),
        ("short.json", r#"{"s1": "(1)"}"#),
        ("unknown.json", r#"{"s9": "(1)"}"#),
        (
            "sequence.json",
            r#"{"s1": "(2)", "s2": "(1)", "s3": "(1)", "s4": "(1)", "s5": "(1)", "s6": "(1)"}"#,
        ),
    ] {
        let policy = file(name, policy);
        refuse(&["value", "river-swim", "--policy", text(&policy)]);
    }
    let sound = "episodes = 5\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'\n";
    let second = format!("{sound}[[agents]]\nagent = 'fixed'\nsequence = '(7)'\n");
    for (spec, more) in [
        ("episodes = ", ""),
        ("episodes = 5\nmodels = []\nagents = []\n", ""),
        (second.as_str(), ""),
        (sound, "--slurm 0"),
        (sound, "--slurm 2 --checkpoint nan"),
        (sound, "--slurm 2 --threads 18446744073709551615"),
    ] {
        let (spec, out) = (file("spec.toml", spec), dir.path().join("out"));
        let sweep = ["sweep", text(&spec), "--out", text(&out)];
        refuse(&sweep.into_iter().chain(more.split_whitespace()).collect::<Vec<_>>());
        assert!(!out.exists(), "a refused sweep made its folder");
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_folder_that_is_not_finished_or_not_ours() {
    let spec =
        "episodes = 5\nseeds = 2\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'";
    let bench = Sweeps::new(spec);
    let out = bench.out("out");
    bench.sweep(&out, &["--shard", "1/2"]);
    let sentence = refusal(&["report", text(&out)]);
    assert!(sentence.starts_with("1 of 2 cells are not finished"), "{sentence}");

    let manifest = out.join("manifest.json");
    let ours = fs::read_to_string(&manifest).unwrap();
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    // As another version would write it, with its checksum.
    let content = ours.split_once("\"content\":").unwrap().1.trim_end().strip_suffix('}').unwrap();
    let theirs = content.replace(&version, "\"version\":\"0.0.7\"");
    fs::write(&manifest, sealed(&theirs)).unwrap();
    let sentence = refusal(&["sweep", text(&bench.spec), "--out", text(&out), "--shard", "1/2"]);
    assert!(sentence.contains("made by version 0.0.7"), "{sentence}");
}
