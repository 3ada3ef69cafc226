//! Damaged input: model files, specs, names of oracles, command lines and saved agents, changed at random.
//!
//! The rule: whatever the input, the answer is a value or an error of one line, never a panic and never
//! silence. A command ends with exit code 0 or 2, or 1 where a file or folder cannot be used.
//!
//! The ordinary run tries some hundred cases of each kind. For more, and another seed:
//!
//! ```text
//! SPORADIC_CASES=100000 SPORADIC_SEED=7 cargo test --release --all-features --test cli fuzz::
//! ```
//!
//! The number is that of the cases per kind of input in this process; commands are started for a
//! hundredth of it, at least 60. What breaks the rule is printed whole.

mod agents;
mod files;
mod mutate;
mod options;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use crate::common::cases;
use mutate::Mutator;

/// No single case may take longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Tries `count` cases: `make` makes an input, `check` judges it and tells whether it was accepted. Prints
/// how many were, and the input that broke the rule.
fn attack(
    kind: &str,
    count: u64,
    make: impl Fn(&mut Mutator) -> String + Send + 'static,
    check: impl Fn(&str) -> bool + Send + 'static,
) {
    let (tell, hear) = mpsc::channel();
    let seed = std::env::var("SPORADIC_SEED").map_or(1, |text| text.parse().expect("a number"));
    let work = std::thread::spawn(move || {
        let mut accepted = 0;
        for case in 0..count {
            let input = make(&mut Mutator::new(seed, case));
            tell.send(input.clone()).expect("someone listens");
            let Ok(verdict) = catch_unwind(AssertUnwindSafe(|| check(&input))) else {
                panic!("case {case} breaks the rule:\n{input}");
            };
            accepted += u64::from(verdict);
        }
        accepted
    });
    let mut last = String::new();
    loop {
        match hear.recv_timeout(PATIENCE) {
            Ok(input) => last = input,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{kind}: no answer to\n{last}"),
        }
    }
    let accepted = work.join().expect("the panic above");
    println!("{kind}: {count} cases, {accepted} accepted, {} refused", count - accepted);
}

/// An error says something, in one line.
fn one_line<V>(answer: Result<V, impl Display>) -> Option<V> {
    answer
        .map_err(|fault| {
            let text = fault.to_string();
            assert!(!text.trim().is_empty(), "an error says nothing");
            assert!(!text.contains('\n'), "an error has several lines: {text}");
        })
        .ok()
}
