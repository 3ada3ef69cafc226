//! Figures and reports: well formed, complete, the same bytes every time, and refused with a reason.

use crate::common::checksum;
use sporadic::report::{
    Color, Curve, Dash, Figure, HtmlReport, Marker, ReferenceLine, ReportError, Style,
};

/// What the paper shows: four curves that rise to plateaus over 5,000 episodes.
fn rivers() -> Figure {
    let mut figure = Figure::new("RiverBalance")
        .with_x_label("episode")
        .with_y_label("running average")
        .with_band_label("95% interval");
    for (i, (beta, plateau)) in
        [(0.05, 0.31), (0.1, 0.38), (0.2, 0.56), (0.5, 0.8)].iter().enumerate()
    {
        let x: Vec<f64> = (1..=5000).map(f64::from).collect();
        let mean: Vec<f64> = x.iter().map(|k| plateau * (1.0 - (-k / 400.0).exp())).collect();
        // The first interval is as wide as one from five seeds can be.
        let half: Vec<f64> = x.iter().map(|k| 5.0 / k).collect();
        let lower = mean.iter().zip(&half).map(|(m, h)| m - h).collect();
        let upper = mean.iter().zip(&half).map(|(m, h)| m + h).collect();
        let line = ReferenceLine::new(format!("class {plateau}"), *plateau);
        figure = figure
            .with_curve(Curve::new(format!("β = {beta}"), x, mean).with_band(lower, upper))
            .with_line(line.with_style(Style::nth(i).with_dash(Dash::Dashed)));
    }
    figure
}

fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

/// All coordinates of an element's `points`, in pixels of the figure.
fn points(node: roxmltree::Node<'_, '_>) -> Vec<(f64, f64)> {
    let list = node.attribute("points").unwrap_or_default().split_whitespace();
    list.map(|pair| {
        let (x, y) = pair.split_once(',').expect("a pair");
        (x.parse::<f64>().expect("a number") / 10.0, y.parse::<f64>().expect("a number") / 10.0)
    })
    .collect()
}

#[test]
fn every_label_is_in_the_figure() {
    let svg = rivers().to_svg().expect("a valid figure");
    let texts = texts(&svg);
    for label in [
        "RiverBalance",
        "episode",
        "running average",
        "95% interval",
        "β = 0.05",
        "β = 0.5",
        "class 0.31",
        "class 0.8",
        "0",
        "1,000",
        "5,000",
        "0.2",
        "0.8",
    ] {
        assert!(texts.iter().any(|text| text == label), "{label} is not among {texts:?}");
    }
    let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let root = document.root_element();
    let size = ["width", "height", "viewBox", "aria-label"].map(|name| root.attribute(name));
    assert_eq!(size, [Some("720"), Some("480"), Some("0 0 7200 4800"), Some("RiverBalance")]);
}

#[test]
fn everything_stays_on_the_sheet_and_curves_are_thinned() {
    let svg = rivers().to_svg().expect("a valid figure");
    let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let mut long = 0;
    for node in document.descendants() {
        let points = points(node);
        let inside = |(x, y): &(f64, f64)| (0.0..=720.0).contains(x) && (0.0..=480.0).contains(y);
        assert!(points.iter().all(inside), "{points:?}");
        // A band has two edges, and a point more wherever one leaves the frame.
        let most = if node.has_tag_name("polygon") { 2010 } else { 1000 };
        assert!(points.len() <= most, "{} points", points.len());
        long += usize::from(points.len() > 500);
    }
    assert_eq!(long, 8, "four curves and four bands");
}

#[test]
fn wide_intervals_at_the_start_do_not_flatten_the_rest() {
    let texts = texts(&rivers().to_svg().expect("a valid figure"));
    assert!(!texts.iter().any(|text| text == "1.5" || text == "2"), "{texts:?}");
}

#[test]
fn the_same_figure_gives_the_same_bytes() {
    let (one, two) = (rivers(), rivers());
    assert_eq!(one.to_svg().ok(), two.to_svg().ok());
    assert_eq!(one.to_png(1.0).ok(), two.to_png(1.0).ok());
}

#[test]
fn a_png_has_the_size_asked_for_and_letters_in_it() {
    let figure = rivers();
    for (scale, size) in [(1.0, [720, 480]), (2.5, [1800, 1200])] {
        let png = figure.to_png(scale).expect("a valid figure");
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        let number =
            |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
        assert_eq!([number(16), number(20)], size);
    }
    // The same without its letters is another picture: the font is found.
    let mut mute = figure.clone();
    mute.title = " ".into();
    assert_ne!(figure.to_png(1.0).ok(), mute.to_png(1.0).ok());
}

#[test]
fn names_of_any_kind_are_drawn() {
    let curve = Curve::new("a<b> & \"c\"\u{1}", vec![0.0, 1.0], vec![0.0, 1.0]);
    let svg = Figure::new("</svg>\n<script>").with_curve(curve).to_svg().expect("a valid figure");
    let texts = texts(&svg);
    assert!(texts.contains(&"a<b> & \"c\"".to_owned()), "{texts:?}");
    assert!(texts.contains(&"</svg> <script>".to_owned()), "{texts:?}");
}

#[test]
fn odd_figures_are_drawn() {
    let curve = |x: &[f64], y: &[f64]| Curve::new("c", x.into(), y.into());
    let figures = [
        Figure::new("").with_curve(curve(&[3.0], &[-2.0])),
        Figure::new("zero").with_curve(curve(&[0.0], &[0.0])),
        Figure::new("flat").with_curve(curve(&[1.0, 2.0], &[1e-300, 1e-300])),
        Figure::new("huge").with_curve(curve(&[1.0, 2.0], &[-1e300, 1e300])),
        Figure::new("line").with_line(ReferenceLine::new("V*", 0.3).with_interval(0.2, 0.4)),
        Figure::new("cut").with_curve(curve(&[1.0, 2.0], &[0.0, 9.0])).with_y_range(4.0, 5.0),
        Figure::new("outside").with_curve(curve(&[1.0, 2.0], &[0.0, 1.0])).with_y_range(4.0, 5.0),
        Figure::new("small").with_curve(curve(&[1.0, 2.0], &[0.0, 1.0])).with_size(240, 240),
        (0..40).fold(Figure::new("many"), |figure, i| {
            let style = Style::new(Color::Orange, Dash::Long).with_marker(Marker::Nabla);
            figure.with_curve(curve(&[0.0, 1.0], &[0.0, f64::from(i)]).with_style(style))
        }),
    ];
    for figure in figures {
        let svg = figure.to_svg().unwrap_or_else(|fault| panic!("{}: {fault}", figure.title));
        roxmltree::Document::parse(&svg).expect("well-formed XML");
    }
}

#[test]
fn what_cannot_be_drawn_is_refused_with_its_name() {
    let curve = |x: &[f64], mean: &[f64]| Curve::new("c", x.into(), mean.into());
    let good = || curve(&[1.0, 2.0], &[0.0, 1.0]);
    let with = |curve: Curve| Figure::new("f").with_curve(curve);
    let faults = [
        Figure::new("f"),
        with(curve(&[], &[])),
        with(curve(&[1.0, 2.0], &[0.0])),
        with(good().with_band(vec![0.0, 1.0], vec![0.0])),
        with(curve(&[1.0, f64::INFINITY], &[0.0, 1.0])),
        with(curve(&[1.0, 2.0], &[0.0, f64::NAN])),
        with(curve(&[2.0, 2.0], &[0.0, 1.0])),
        with(good().with_band(vec![0.0, 2.0], vec![0.0, 1.0])),
        with(good()).with_line(ReferenceLine::new("V*", f64::NAN)),
        with(good()).with_line(ReferenceLine::new("V*", 0.0).with_interval(0.0, f64::INFINITY)),
        with(good()).with_y_range(1.0, 1.0),
        with(good()).with_y_range(0.0, f64::NAN),
        with(curve(&[1.0, 2.0], &[-1e308, 1e308])),
        with(good()).with_size(100, 480),
        (0..400).fold(Figure::new("f"), |figure, _| figure.with_curve(good())),
    ]
    .map(|figure| {
        let fault = figure.to_svg().map(drop).expect_err("refused");
        assert_eq!(figure.check().expect_err("refused").to_string(), fault.to_string());
        fault.to_string()
    });
    insta::assert_snapshot!(faults.join("\n"));
    let scale = with(good()).to_png(f32::NAN).expect_err("refused");
    assert_eq!(scale.to_string(), "a PNG at scale NaN: it must be from 0.1 to 10");
}

#[test]
fn files_are_written_whole_and_faults_name_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let figure = Figure::new("f").with_line(ReferenceLine::new("V*", 0.3));
    figure.write(folder.path().join("f.svg")).expect("written");
    figure.write(folder.path().join("f.PNG")).expect("written");
    let svg = std::fs::read_to_string(folder.path().join("f.svg")).expect("there");
    assert_eq!(Some(svg), figure.to_svg().ok());
    assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 2);
    let fault = HtmlReport::new("r").write(folder.path().join("none/r.html")).expect_err("refused");
    assert!(matches!(&fault, ReportError::Io { path, .. } if path.ends_with("none/r.html")));
    assert!(matches!(figure.write("f"), Err(ReportError::Extension { .. })));
}

#[test]
fn a_figure_survives_json() {
    let figure = rivers();
    let json = serde_json::to_string(&figure).expect("encodes");
    assert_eq!(serde_json::from_str::<Figure>(&json).ok(), Some(figure));
}

#[test]
fn a_report_holds_everything_escaped() {
    let evil = "<img src=x onerror=\"alert('1')\"> & co";
    let page = HtmlReport::new(evil)
        .with_intro(evil)
        .with_summary([evil, "n"], [[evil, "1.5"], [evil, "–"]])
        .and_then(|page| page.with_figure(&rivers(), evil, evil))
        .expect("a valid report")
        .with_parameter(evil, evil)
        .with_seeds([7, 8])
        .with_version(evil)
        .with_command(evil)
        .with_note(evil)
        .to_html();
    assert!(!page.contains("<img"), "an element got through");
    let safe = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; co";
    assert_eq!(page.matches(safe).count(), 13, "each of the texts once, the title twice");
    assert!(page.contains("<td class=\"n\">1.5</td>") && page.contains("<td class=\"n\">–</td>"));
    assert!(page.contains("<td>7, 8</td>") && page.contains("β = 0.05"));
    // Nothing to fetch: the one address is the name of SVG's vocabulary.
    assert_eq!(
        page.matches("http").count(),
        page.matches("http://www.w3.org/2000/svg").count() + 1
    );
    assert_eq!(page.matches("http-equiv").count(), 1);
}

#[test]
fn a_report_leaves_out_what_it_has_not() {
    let page = HtmlReport::new("Bare").to_html();
    assert!(!page.contains("<h2>") && !page.contains("<footer>") && page.ends_with("</html>\n"));
    let fault = HtmlReport::new("r").with_summary(["a", "b"], [vec!["1", "2"], vec!["1"]]);
    let fault = fault.expect_err("refused").to_string();
    assert_eq!(fault, "row 1 of the table has 1 cells under 2 headings");
}

/// The policy of a page allows its own script, by hash, and no other. A changed script changes this
/// checksum; its hash is then `openssl dgst -sha256 -binary script.js | base64`, and a browser in
/// `.ci/check-report.sh` tries it.
#[test]
fn the_policy_names_the_script() {
    let page = HtmlReport::new("Bare").to_html();
    let script = page.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next());
    let named = page.split("script-src 'sha256-").nth(1).and_then(|rest| rest.split('\'').next());
    assert_eq!(checksum(script.expect("a script")), "2b1fc300eaba3e6c3946bc926702317b");
    assert_eq!(named, Some("+8GUhO18KSxCK6s8fiKZ2Wk7p5Zj/EquFWPNI4+a+fo="));
    assert_eq!(page.matches("<script").count(), 1);
}
