//! The guide's programs print what its pages say they print.

use crate::examples::output;

/// The chapter on snapshot tests is a snapshot test.
#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/guide/snapshots.rs"]
mod snapshots;

/// Where the output of a chapter's program is kept; the pages of the guide include it.
fn page(chapter: &str) -> String {
    format!("{}/examples/guide/output/{chapter}.txt", env!("CARGO_MANIFEST_DIR"))
}

/// Compares what a chapter's program prints with its page. `SPORADIC_BLESS=1` writes the page.
fn check(chapter: &str) {
    let printed = output("guide", &[chapter]);
    if std::env::var_os("SPORADIC_BLESS").is_some() {
        std::fs::write(page(chapter), &printed).expect("the guide's folder can be written");
    }
    let kept = std::fs::read_to_string(page(chapter)).expect("every chapter has a page");
    assert_eq!(printed, kept, "the page of the chapter {chapter} says something else");
}

macro_rules! chapters {
    ($($chapter:ident)*) => {$(
        #[test]
        fn $chapter() {
            check(stringify!($chapter));
        }
    )*};
}

chapters! { setting model values optimum learning own continuous estimating experiments }

#[test]
fn the_picture_is_that_of_the_episode() {
    assert_eq!(output("guide", &["picture"]), include_str!("../../docs/episode.svg"));
}
