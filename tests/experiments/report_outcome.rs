//! From a finished experiment to its figures and its page.

use std::fs;

use sporadic::experiment::{Experiment, Outcome};
use sporadic::kinds::agents::{EpsilonGreedy, Fixed, Optimal, Uniform};
use sporadic::model::{Tabular, gallery};
use sporadic::report::{ReportError, Series};
use sporadic::sequence::ActionSequence;
use sporadic::simulation::Curve;

fn river(beta: f64) -> Tabular<f64> {
    gallery::river_swim(3, beta, 0.5).expect("a valid river")
}

fn small() -> Experiment<Tabular<f64>> {
    Experiment::new("small").with_episodes(6).with_seeds(2).with_points(3)
}

/// Sequences 0^i (1), all different.
fn fixed(i: usize) -> Fixed {
    Fixed { sequence: ActionSequence::new(vec![0; i], [1]).into() }
}

fn with_agents(n: usize) -> Outcome {
    let all = small().with_world("river", river(0.5)).with_world("wide river", river(0.9));
    (0..n).fold(all, |all, i| all.with_agent(fixed(i))).run().expect("it runs")
}

fn labels(outcome: &Outcome) -> Vec<Vec<String>> {
    let figures = outcome.figures().expect("they can be drawn");
    let of = |figure: &sporadic::report::OutcomeFigure| {
        let curves = figure.drawing.figures.iter().flat_map(|figure| &figure.series);
        curves.map(|curve| curve.label.clone()).collect()
    };
    figures.iter().map(of).collect()
}

#[test]
fn one_agent_has_a_figure_per_model_several_have_one_per_world() {
    let one = small().with_world("a", river(0.1)).with_world("b", river(0.9));
    let names = |outcome: &Outcome| -> Vec<String> {
        outcome.figures().unwrap().into_iter().map(|figure| figure.name).collect()
    };
    let outcome = one.clone().with_agent(Optimal {}).run().unwrap();
    assert_eq!(names(&outcome), ["a", "a-regret", "b", "b-regret"]);
    let outcome = one.with_agent(Optimal {}).with_agent(Uniform {}).run().unwrap();
    assert_eq!(names(&outcome), ["a", "a-regret", "b", "b-regret"]);
    assert_eq!(labels(&outcome)[0], ["optimal", "uniform"]);
}

#[test]
fn every_curve_is_drawn_once_and_no_two_look_alike() {
    for n in [8, 9, 24, 25, 30] {
        let outcome = with_agents(n);
        let figures = outcome.figures().unwrap();
        let sheets = n.div_ceil(24);
        assert_eq!(figures.len(), 2 * 2 * sheets, "{n}: two worlds, averages and regret");
        let mut drawn = 0;
        for figure in &figures {
            let parts = &figure.drawing.figures;
            let on_axes = parts.iter().map(|part| part.series.len()).max().unwrap();
            assert!(on_axes <= if parts.len() == 1 { 8 } else { 6 }, "{n}: {on_axes} on one axis");
            let curves: Vec<_> = parts.iter().flat_map(|part| &part.series).collect();
            drawn += curves.len();
            for (i, curve) in curves.iter().enumerate() {
                assert!(curves[..i].iter().all(|other| other.label != curve.label));
                assert!(curves[..i].iter().all(|other| other.style != curve.style), "{n}");
            }
            let svg = figure.drawing.to_svg().unwrap();
            roxmltree::Document::parse(&svg).expect("well-formed XML");
        }
        assert_eq!(drawn, 2 * 2 * n);
    }
}

#[test]
fn in_small_multiples_by_a_parameter_the_same_label_has_the_same_look() {
    let all = small().with_world("river", river(0.5));
    let agent = |oracle: &str, epsilon| EpsilonGreedy {
        oracle: oracle.into(),
        epsilon,
        ..EpsilonGreedy::default()
    };
    let epsilons = [0.1, 0.2, 0.3, 0.4, 0.5];
    let all = epsilons.iter().fold(all, |all, &epsilon| {
        all.with_agent(agent("words:1", epsilon)).with_agent(agent("words:2", epsilon))
    });
    let figures = all.run().unwrap().figures().unwrap();
    let parts = &figures[0].drawing.figures;
    assert_eq!(parts.len(), 2, "by the oracle");
    for (one, other) in parts[0].series.iter().zip(&parts[1].series) {
        assert_eq!((&one.label, &one.style), (&other.label, &other.style));
    }
    let curves = &parts[0].series;
    assert!((1..curves.len()).all(|i| curves[i].style != curves[i - 1].style));
}

#[test]
fn captions_say_what_is_elsewhere_and_what_is_missing() {
    let outcome = with_agents(30);
    let figures = outcome.figures().unwrap();
    assert!(figures[0].caption.contains("Curves 1 to 24 of 30"), "{}", figures[0].caption);
    assert!(figures[0].caption.contains("25 to 30 in river-part2"), "{}", figures[0].caption);

    // An agent that draws lots has no policy with an exact value, so no regret.
    let outcome = small()
        .with_world("river", river(0.5))
        .with_agent(Uniform {})
        .with_agent(EpsilonGreedy { oracle: "words:2".into(), ..EpsilonGreedy::default() })
        .with_agent(Optimal {})
        .run()
        .unwrap();
    let figures = outcome.figures().unwrap();
    let drawn: Vec<_> = figures[1].drawing.figures[0].series.iter().map(|c| &c.label).collect();
    for label in ["uniform", "epsilon-greedy", "optimal"] {
        let is_drawn = drawn.iter().any(|known| *known == label);
        let is_told = figures[1].caption.contains(label);
        assert!(is_drawn != is_told, "{label}: {}", figures[1].caption);
    }
}

#[test]
fn worlds_of_one_name_are_told_apart() {
    let outcome = small()
        .with_world("river", river(0.2))
        .with_world("river", river(0.7))
        .with_agent(Optimal {})
        .with_agent(Uniform {})
        .run()
        .unwrap();
    let figures = outcome.figures().unwrap();
    let titles: Vec<_> = figures.iter().map(|figure| figure.drawing.title.as_str()).collect();
    assert!(titles[0].starts_with("river #") && titles[0] != titles[2], "{titles:?}");
}

#[test]
fn the_page_says_what_was_run() {
    let page = with_agents(3).page().unwrap().to_html();
    for text in ["<h2>Agents</h2>", "<h2>Worlds</h2>", "sporadic/fixed@1", "0(1)", "wide river"] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("<h2>Specification</h2>"), "it was made from values");
    assert!(!page.contains("<h2>Run it again</h2>"), "no command line knows these worlds");
}

#[test]
fn figures_of_an_earlier_report_are_removed_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let one = small().with_world("river", river(0.5)).with_world("lake", river(0.9));
    one.clone().with_agent(Optimal {}).run().unwrap().write(folder.path()).unwrap();
    fs::write(path("mine.svg"), "mine").unwrap();
    assert!(path("lake.svg").exists() && path("lake-regret.png").exists());
    let river = small().with_world("river", river(0.5)).with_agent(Optimal {});
    river.run().unwrap().write(folder.path()).unwrap();
    assert!(path("river.svg").exists() && path("mine.svg").exists());
    assert!(!path("lake.svg").exists() && !path("lake-regret.png").exists());
}

#[test]
fn a_list_of_figures_that_names_other_files_removes_none() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(folder.path().join("outside.svg"), "").unwrap();
    fs::write(inner.join("notes.txt"), "").unwrap();
    let list = r#"{"figures": ["../outside.svg", "notes.txt", "/etc/x.svg", 3]}"#;
    fs::write(inner.join("summary.json"), list).unwrap();
    with_agents(1).write(&inner).unwrap();
    assert!(folder.path().join("outside.svg").exists() && inner.join("notes.txt").exists());
}

#[test]
fn runs_of_different_lengths_make_no_curve() {
    let run = |average: &[f64]| Curve {
        episodes: (1..).take(average.len()).collect(),
        average: average.into(),
        ..Curve::default()
    };
    let runs = [run(&[1.0, 2.0]), run(&[3.0])];
    let fault = Series::mean_return("c", &runs).unwrap_err().to_string();
    assert_eq!(fault, r#"run 1 of the curve "c" has 1 episodes, but run 0 has 2"#);
    for none in [Series::mean_return("c", &[]), Series::regret("c", &runs)] {
        assert!(matches!(none, Err(ReportError::NoPoints { .. })));
    }
    let one = Series::mean_return("c", &runs[..1]).unwrap();
    assert_eq!((one.x, one.mean, one.band), (vec![1.0, 2.0], vec![1.0, 2.0], None));
}
