//! The programs of the guide, one for each chapter.
//!
//! `cargo run --release --features experiment --example guide -- values` runs the chapter `values`; without a name all of them run.

mod continuous;
mod estimating;
mod experiments;
mod learning;
mod model;
mod optimum;
mod own;
mod picture;
mod setting;
mod snapshots;
mod values;

type Chapter = fn() -> Result<(), sporadic::Fault>;

const CHAPTERS: [(&str, Chapter); 10] = [
    ("setting", setting::main),
    ("model", model::main),
    ("values", values::main),
    ("optimum", optimum::main),
    ("learning", learning::main),
    ("own", own::main),
    ("continuous", continuous::main),
    ("estimating", estimating::main),
    ("experiments", experiments::main),
    ("snapshots", snapshots::main),
];

fn main() -> Result<(), sporadic::Fault> {
    let wanted = std::env::args().nth(1);
    if wanted.as_deref() == Some("picture") {
        return picture::main();
    }
    for (name, chapter) in CHAPTERS {
        if wanted.as_ref().is_none_or(|wanted| wanted == name) {
            chapter()?;
        }
    }
    Ok(())
}
