//! Runs every example, and pins what it prints or checks what it shows.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// When a file, or the youngest source in a folder, was changed; `None` if there is none.
fn changed(path: &Path) -> Option<SystemTime> {
    let Ok(folder) = path.read_dir() else { return path.metadata().ok()?.modified().ok() };
    let sources = folder.map(|entry| entry.expect("an entry").path());
    sources.filter(|path| path.extension() == Some("rs".as_ref())).filter_map(|p| changed(&p)).max()
}

/// What the example `name` prints. Building all targets, as `cargo test` does, builds it first;
/// `cargo test --test experiments` does not, so a program older than its source is refused.
pub(crate) fn output(name: &str, arguments: &[&str]) -> String {
    let mut path: PathBuf = std::env::current_exe().expect("a test has a path");
    path.pop();
    path.pop();
    path.push("examples");
    path.push(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    let source = changed(&source).or_else(|| changed(&source.with_extension("rs")));
    assert!(
        changed(&path) >= source,
        "{name} is stale: run `cargo build --all-features --examples`"
    );
    let run = Command::new(&path).args(arguments).output().unwrap_or_else(|error| {
        panic!("{}: {error}; run `cargo build --examples` first", path.display())
    });
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("examples print text")
}

macro_rules! pinned {
    ($($example:ident)*) => {$(
        #[test]
        fn $example() {
            insta::assert_snapshot!(output(stringify!($example), &[]));
        }
    )*};
}

pinned! { quickstart own_environment own_features dynamic_dimension estimate_psi own_oracle own_agent }

#[test]
fn swap_oracles() {
    let table = output("swap_oracles", &[]);
    let rows: Vec<Vec<&str>> =
        table.lines().skip(1).map(|row| row.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 6, "{table}");
    let number = |row: &[&str], i: usize| row[i].parse::<f64>().expect("a number");
    let best = rows.iter().map(|row| number(row, 2)).fold(f64::NEG_INFINITY, f64::max);
    for row in &rows {
        // Every certificate covers what any other oracle found, to the digits printed.
        assert!(number(row, 3) >= best - 1e-3, "{table}");
    }
    assert!(number(&rows[4], 4) <= 0.05, "{table}");
}

#[test]
fn estimate_then_learn() {
    // What is learnt may change with the learner; the optimum may not.
    let table = output("estimate_then_learn", &[]);
    assert!(table.contains("best of the family 0.557"), "{table}");
    let last = |row: &str| -> f64 { row.split_whitespace().last().unwrap().parse().unwrap() };
    assert!(table.lines().filter(|row| row.starts_with("N =")).all(|row| last(row) > 0.3));
}

#[test]
fn online() {
    let text = output("online", &[]);
    let value = |row: &str| -> f64 {
        let row = text.lines().find(|line| line.starts_with(row)).unwrap();
        row.split_whitespace().last().unwrap().parse().unwrap()
    };
    assert!(value("psi learnt:") > 0.9 * value("psi known:"), "{text}");
}

/// The last number of every line that starts with `row`.
fn last_numbers(text: &str, row: &str) -> Vec<f64> {
    let lines = text.lines().filter(|line| line.trim_start().starts_with(row));
    let words = lines.map(|line| line.split([' ', '|']).rfind(|word| !word.is_empty()));
    words.map(|word| word.unwrap().parse().unwrap()).collect()
}

/// On every seed of both models the bonus costs less regret than greed.
#[test]
fn regret() {
    let text = output("regret", &["200"]);
    // The last rows of the curves, with and without a bonus in turn.
    let last = last_numbers(&text, "200 ");
    assert_eq!(last.len(), 20, "{text}");
    assert!(last.chunks(2).all(|pair| pair[0] < pair[1]), "{text}");
}

/// In every setting psi learnt online earns nearly what exact psi does.
#[test]
fn online_linear() {
    let text = output("online_linear", &["1", "300"]);
    let ratios = last_numbers(&text, "| [");
    assert!(ratios.len() == 5 && ratios.iter().all(|&ratio| ratio > 0.8), "{text}");
}

/// No policy of the family has less regret than the best of it.
#[cfg(feature = "experiment")]
#[test]
fn estimation_figures() {
    let text = output("estimation_figures", &[]);
    let regret = |line: &str| line.split([':', '±']).rev().nth(1)?.trim().parse::<f64>().ok();
    let regrets: Vec<f64> = text.lines().filter_map(regret).collect();
    assert!(regrets.len() == 8 && regrets.iter().all(|&regret| regret > 0.0), "{text}");
}

#[cfg(feature = "experiment")]
#[test]
fn figure() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = output("figure", &[folder.path().to_str().expect("a name")]);
    insta::assert_snapshot!(text.lines().take(2).collect::<Vec<_>>().join("\n"));
    let read = |name: &str| std::fs::read(folder.path().join(name)).expect(name);
    assert!(read("figure.svg").starts_with(b"<svg "));
    assert!(read("figure.png").starts_with(b"\x89PNG"));
    let page = String::from_utf8(read("report.html")).expect("UTF-8");
    assert_eq!(page.matches("<figure ").count(), 2, "averages and regret");
    assert!(page.contains("certainty-equivalence") && page.contains("V* 0."), "table and figure");
    assert!(read("riverbalance.svg").starts_with(b"<svg "));
}

/// A trial of the command that makes `docs/results.md`, and the page itself: every section is on it as
/// it is in its own file, and the guide shows the same texts and figures.
#[cfg(feature = "experiment")]
#[test]
fn results() {
    let folder = tempfile::tempdir().unwrap();
    output("results", &["--quick", "--out", folder.path().to_str().unwrap()]);
    let made =
        |file: &str| std::fs::read_to_string(folder.path().join("quick/docs").join(file)).unwrap();
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs");
    let stored = |file: &str| std::fs::read_to_string(format!("{docs}/{file}")).unwrap();
    let (trial, page) = (made("results.md"), stored("results.md"));
    let guide = include_str!("../../src/guide/results.rs");
    for name in ["paper", "all-sequences", "online", "schedules", "neighbours"] {
        let file = format!("results/{name}.md");
        assert!(page.contains(&stored(&file)), "docs/results.md has another text than docs/{file}");
        assert!(trial.contains(&made(&file)) && made(&file).contains("|---|"), "{file}");
        assert!(guide.contains(&file), "the guide lacks docs/{file}");
    }
    let figures: Vec<&str> = page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(".svg)"))
        .map(|pair| pair.0)
        .collect();
    assert!(figures.len() >= 7, "{figures:?}");
    for figure in figures {
        assert!(made(&format!("{figure}.svg")).starts_with("<svg"), "{figure}");
        assert!(guide.contains(&format!("docs/{figure}.svg")), "the guide lacks docs/{figure}.svg");
    }
}
