//! Bad input: exit code 2, one sentence, nothing on standard output.
use std::fs;

use crate::common::program::{refusal, sealed, text};
use tempfile::tempdir;

#[test]
fn bad_arguments() {
    let refusals = [
        vec![],
        vec!["sovle", "river-swim"],
        vec!["solve", "river-swim", "--famly", "runs:5,10"],
        vec!["learn", "river-swim", "--rha", "3", "--out", "unused"],
        vec!["learn", "river-swim", "--agent", "lsvi", "--out", "unused"],
        vec!["learn", "river-swim", "--oracle", "run:5,10", "--out", "unused"],
        vec!["learn", "sensing-cost", "--agent", "fixed", "--sequence", "(lok)", "--out", "unused"],
        vec!["solve"],
        vec!["solve", "river-swing"],
        vec!["solve", "river-swim", "--beta", "high"],
        vec!["solve", "river-swim", "--beta", "1.5"],
        vec!["solve", "river-swim", "--gamma", "1"],
        vec!["solve", "river-swim", "--states", "1"],
        vec!["solve", "river-swim", "--cost", "1"],
        vec!["solve", "sensing-cost", "--states", "4"],
        vec!["solve", "river-swim", "--gap", "-1"],
        vec!["solve", "river-swim", "--time-limit", "-1"],
        vec!["solve", "river-swim", "--family", "runs:5"],
        vec!["solve", "river-swim", "--family", "words:40"],
        vec!["solve", "no-such-model.json"],
        vec!["psi", "river-swim", "--state", "s9", "--sequence", "(1)"],
        vec!["psi", "river-swim", "--state", "s1", "--sequence", "111"],
        vec!["psi", "river-swim", "--state", "s1", "--sequence", "(2)"],
        vec!["psi", "river-swim", "--state", "s1"],
        vec!["value", "river-swim", "--policy", "no-such-policy.json"],
        vec!["export", "river-swim", "--to", "yaml"],
        vec!["estimate", "river-swim", "--samples", "0"],
        vec!["estimate", "river-swim", "--samples", "10", "--confidence", "1"],
        vec!["learn", "river-swim"],
        vec!["learn", "river-swim", "--agent", "sarsa", "--out", "unused"],
        vec!["learn", "river-swim", "--agent", "fixed", "--out", "unused"],
        vec!["learn", "river-swim", "--agent", "fixed", "--sequence", "(7)", "--out", "unused"],
        vec!["learn", "river-swim", "--agent", "uniform", "--rho", "3", "--out", "unused"],
        vec!["learn", "river-swim", "--horizon", "1", "--out", "unused"],
        vec!["learn", "river-swim", "--lambda", "0", "--out", "unused"],
        vec!["learn", "river-swim", "--rho", "-1", "--out", "unused"],
        vec!["learn", "river-swim", "--beyond", "sideways", "--out", "unused"],
        vec!["learn", "river-swim", "--oracle", "crystal", "--out", "unused"],
        vec!["learn", "river-swim", "--oracle", "words:40", "--out", "unused"],
        vec!["learn", "river-swim", "--oracle", "beam:0,4", "--out", "unused"],
        vec!["learn", "river-swim", "--oracle", "branch-and-bound:-1", "--out", "unused"],
        vec![
            "learn",
            "river-swim",
            "--agent",
            "epsilon-greedy",
            "--oracle",
            "beam:8,20",
            "--out",
            "unused",
        ],
        vec!["learn", "river-swim", "--episodes", "0", "--out", "unused"],
        vec!["learn", "river-swim", "--checkpoint", "-1", "--out", "unused"],
        vec!["reproduce", "--seeds", "0", "--out", "unused"],
        vec!["sweep", "no-such-spec.toml"],
        vec!["sweep", "no-such-spec.toml", "--shard", "3/2"],
        vec!["report", "no-such-folder"],
        vec!["completions", "cmd"],
    ];
    let lines: Vec<String> = refusals
        .iter()
        .map(|args| format!("sporadic {}\n    {}", args.join(" "), refusal(args)))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    assert!(!fs::exists("unused").unwrap(), "a refused command made its folder");
}

/// Numbers beyond all sense, and what is no number: refused at once, whatever the verb.
#[test]
fn extreme_arguments() {
    let huge = "18446744073709551615";
    let refusals = [
        "solve river-swim --states 18446744073709551615",
        "check river-swim --states 1000000000",
        "solve river-swim --family runs:100000,1",
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
        "learn river-swim --horizon 18446744073709551615 --out unused",
        "learn river-swim --horizon 1000000000 --oracle beam:2,2 --out unused",
        "learn river-swim --agent one-step --horizon 1000000000 --out unused",
        "learn river-swim --episodes 18446744073709551615 --out unused",
        "learn river-swim --seeds 1000000000 --episodes 1 --out unused",
        "learn river-swim --points 18446744073709551615 --out unused",
        "learn river-swim --threads 1000000000 --out unused",
        "learn river-swim --oracle beam:1,1000000 --out unused",
        "learn river-swim --oracle branch-and-bound:1,18446744073709551615 --out unused",
        "learn river-swim --states 20000 --out unused",
        "learn river-swim --agent uniform --gamma 0.9999999999 --out unused",
        "learn sensing-cost --agent uniform --cost 1e308 --out unused",
        "learn river-swim --rho -1e308 --out unused",
        "learn river-swim --rho nan --out unused",
        "learn river-swim --lambda -1e-320 --out unused",
        "learn river-swim --checkpoint 1e300 --out unused",
        "reproduce --seeds 18446744073709551615 --out unused",
        "reproduce --episodes 18446744073709551615 --out unused",
        "reproduce --threads 18446744073709551615 --out unused",
    ];
    let lines: Vec<String> = refusals
        .iter()
        .map(|line| {
            let args: Vec<&str> = line.split(' ').collect();
            let sentence = refusal(&args);
            let digits = sentence.split(|c: char| !c.is_ascii_digit()).map(str::len).max();
            assert!(digits <= Some(huge.len()), "a number of many digits: {sentence}");
            format!("sporadic {line}\n    {sentence}")
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
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
        crate::common::program::stdout(&args)
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
    let river = "[[models]]\nmodel = 'river-swim'\n";
    let uniform = "[[agents]]\nagent = 'uniform'\n";
    for (name, spec) in [
        ("syntax.toml", "episodes = ".to_owned()),
        ("missing.toml", format!("{river}{uniform}")),
        ("unknown.toml", format!("episodes = 5\nepisode = 6\n{river}{uniform}")),
        ("type.toml", format!("episodes = 'many'\n{river}{uniform}")),
        ("zero.toml", format!("episodes = 5\nseeds = 0\n{river}{uniform}")),
        ("negative.toml", format!("episodes = -5\n{river}{uniform}")),
        ("nothing.toml", "episodes = 5\nmodels = []\nagents = []\n".to_owned()),
        ("agent.toml", format!("episodes = 5\n{river}[[agents]]\nagent = 'sarsa'\n")),
        ("unused.toml", format!("episodes = 5\n{river}{uniform}rho = 3\n")),
        (
            "rho.toml",
            format!("episodes = 5\n{river}[[agents]]\nagent = 'lsvi-ucb'\nrho = [1, -2]\n"),
        ),
        (
            "string.toml",
            format!("episodes = 5\n{river}[[agents]]\nagent = 'lsvi-ucb'\nrho = 'big'\n"),
        ),
        (
            "oracle.toml",
            format!("episodes = 5\n{river}[[agents]]\nagent = 'lsvi-ucb'\noracle = 'crystal'\n"),
        ),
        ("empty.toml", format!("episodes = 5\n{river}beta = []\n{uniform}")),
        ("beta.toml", format!("episodes = 5\n{river}beta = [0.5, 1.5]\n{uniform}")),
        ("model.toml", format!("episodes = 5\n[[models]]\nmodel = 'lake'\n{uniform}")),
        ("twice.toml", format!("episodes = 5\n{river}beta = [0.5, 0.5]\n{uniform}")),
        ("slurm.toml", format!("episodes = 5\n{river}{uniform}")),
        ("checkpoint.toml", format!("episodes = 5\n{river}{uniform}")),
        ("threads.toml", format!("episodes = 5\n{river}{uniform}")),
        (
            "second.toml",
            format!(
                "episodes = 5\n{river}{uniform}[[agents]]\nagent = 'fixed'\nsequence = '(7)'\n"
            ),
        ),
        ("seeds.toml", format!("episodes = 5\nseeds = 1000000000\n{river}{uniform}")),
        ("gamma.toml", format!("episodes = 5\n{river}gamma = 0.9999999999\n{uniform}")),
    ] {
        let spec = file(name, &spec);
        let out = dir.path().join("out");
        let mut args = vec!["sweep", text(&spec), "--out", text(&out)];
        if name == "slurm.toml" {
            args.extend(["--slurm", "0"]);
        }
        if name == "checkpoint.toml" {
            args.extend(["--slurm", "2", "--checkpoint", "nan"]);
        }
        if name == "threads.toml" {
            args.extend(["--slurm", "2", "--threads", "18446744073709551615"]);
        }
        refuse(&args);
        assert!(!out.exists(), "a refused sweep made its folder");
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_folder_that_is_not_finished_or_not_ours() {
    let dir = tempdir().unwrap();
    let spec = dir.path().join("spec.toml");
    fs::write(
        &spec,
        "episodes = 5\nseeds = 2\n[[models]]\nmodel = 'river-swim'\n[[agents]]\nagent = 'uniform'",
    )
    .unwrap();
    let out = dir.path().join("out");
    let args = ["sweep", text(&spec), "--out", text(&out), "--shard", "1/2"];
    assert!(crate::common::program::sporadic(&args).status.success());
    let sentence = refusal(&["report", text(&out)]);
    assert!(sentence.starts_with("1 of 2 cells are not finished"), "{sentence}");

    let manifest = out.join("manifest.json");
    let ours = fs::read_to_string(&manifest).unwrap();
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    // As another version would write it, with its checksum.
    let content = ours.split_once("\"content\":").unwrap().1.trim_end().strip_suffix('}').unwrap();
    let theirs = content.replace(&version, "\"version\":\"0.0.7\"");
    fs::write(&manifest, sealed(&theirs)).unwrap();
    let sentence = refusal(&args);
    assert!(sentence.contains("made by version 0.0.7"), "{sentence}");
}

#[test]
fn the_name_that_was_meant_is_told() {
    for (command, meant) in [
        ("estimate river-swim --samples 9 --estimator rige", "--estimator: there is no estimator"),
        ("estimate river-swim --samples 9 --estimator rige", "did you mean ridge?"),
        ("solve river-swim --family rnus:2,3", "--family: there is no oracle"),
        ("learn sensing-cost --agent fixed --sequence (R+lok) --out x", "did you mean R+look?"),
        ("psi sensing-cost --state s1 --sequence (B+loook)", "did you mean B+look?"),
        ("check sensing-cost --beta R+lock=0.5", "did you mean R+look?"),
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let sentence = refusal(&arguments);
        assert!(sentence.contains(meant), "{command}: {sentence}");
    }
}
