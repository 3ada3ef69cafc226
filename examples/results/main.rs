//! Every result that `docs/results.md` shows, made again by one command: its runs, its tables, its figures.
//!
//! ```text
//! cargo results                    # everything
//! cargo results schedules          # one section, or several
//! cargo results --quick            # a trial: few episodes and two seeds, and docs stays as it is
//! ```
//!
//! Runs are kept in the folder `target/results` (`--out` names another): stopped at any moment, the same command continues where it
//! was, and a section whose runs are finished is only drawn again. With `--quick` the pages are written there too.

mod learners;
mod neighbours;
mod page;
mod progress;
mod schedules;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sporadic::experiment::{Outcome, Runner, Spec};
use sporadic::kinds::Registry;
use sporadic::report::SmallMultiples;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Where and how much a section runs.
struct Job {
    quick: bool,
    runs: PathBuf,
}

/// What a section has made.
struct Made {
    /// From what: specification, episodes, runs, seed.
    facts: String,
    /// The head first.
    table: Vec<Vec<String>>,
    /// Names of files, without ending.
    figures: Vec<(String, SmallMultiples)>,
}

struct Section {
    name: &'static str,
    make: fn(&Job) -> Result<Made, Failure>,
    /// Which of its figures are on the page, and what each shows.
    figures: &'static [(&'static str, &'static str)],
}

/// In the order of the page.
const SECTIONS: [Section; 5] = [
    Section {
        name: "paper",
        make: learners::paper,
        figures: &[
            ("riverswim", "Learning curves on RiverSwim"),
            ("riverbalance", "Learning curves on RiverBalance"),
            ("riverbalance-adaptive-regret", "Regret of both learners on RiverBalance"),
        ],
    },
    Section {
        name: "all-sequences",
        make: learners::all_sequences,
        figures: &[("all-sequences-regret", "Regret with the paper's sequences and with all")],
    },
    Section {
        name: "online",
        make: learners::online,
        figures: &[("online-regret", "Regret with psi known, estimated and learnt while acting")],
    },
    Section {
        name: "schedules",
        make: schedules::make,
        figures: &[("schedules", "Values against the number of sightings")],
    },
    Section {
        name: "neighbours",
        make: neighbours::make,
        figures: &[("neighbours", "Scores of every agent on every problem")],
    },
];

impl Job {
    /// The specification as it is run: with few episodes if this is a trial.
    fn sized(&self, spec: Spec) -> Spec {
        if self.quick { Spec { episodes: 40, seeds: 2, points: 20, ..spec } } else { spec }
    }

    /// Runs what is not finished of a specification, with its cells in the folder `name`.
    fn run(&self, name: &str, spec: &Spec) -> Result<Outcome, Failure> {
        let plan = spec.expand(&Registry::builtin(), "".as_ref())?;
        let folder = self.runs.join(name);
        eprintln!("{name}: {} runs in {}", plan.len(), folder.display());
        Runner::new().with_progress(&progress::Lines::new(name)).run(&plan, &folder)?;
        Ok(Outcome::load(&folder)?)
    }
}

fn main() -> ExitCode {
    match make() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("results: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn make() -> Result<(), Failure> {
    let (mut quick, mut out, mut wanted) = (false, PathBuf::from("target/results"), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => quick = true,
            "--out" => out = arguments.next().ok_or("--out needs the name of a folder")?.into(),
            name if SECTIONS.iter().any(|section| section.name == name) => wanted.push(argument),
            other => {
                let known = SECTIONS.map(|section| section.name).join(", ");
                return Err(
                    format!("{other:?}: give sections ({known}), --quick or --out DIR").into()
                );
            }
        }
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let (runs, target) =
        if quick { (out.join("quick"), out.join("quick/docs")) } else { (out, docs.clone()) };
    let job = Job { quick, runs };
    for section in &SECTIONS {
        if wanted.is_empty() || wanted.iter().any(|name| name == section.name) {
            page::section(&docs, &target, section.name, &(section.make)(&job)?)?;
        }
    }
    page::whole(&docs, &target, &SECTIONS)?;
    println!("wrote {}", target.join("results.md").display());
    Ok(())
}
