//! The SVG is well formed, complete and the same every time.

mod common;

use common::{helix, straight};
use flexline_plot::{
    Axis, Chart, ColourBy, Guide, Load, LoadKind, ReportOptions, Series, ViewOptions, along, perspective,
    report, three_views,
};

/// Parses the document and checks what every picture must have.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "svg");
    let child = |name: &str| root.children().find(|c| c.has_tag_name(("http://www.w3.org/2000/svg", name)));
    assert!(child("title").is_some() && child("desc").is_some());
    for word in ["NaN", "inf"] {
        assert!(!svg.contains(&format!("\"{word}")) && !svg.contains(&format!(" {word}")), "{word}");
    }
    let text = |node: roxmltree::Node<'_, '_>| {
        node.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect::<String>()
    };
    document.descendants().filter(|n| n.tag_name().name() == "text").map(text).collect()
}

#[test]
fn a_report_names_its_quantities_and_units() {
    let cable = helix(120, 0.4, 2.5);
    let texts = texts(&report(&cable, &ReportOptions::default()).unwrap().to_svg());
    for wanted in ["helix", "Curvature |κ|", "Curvatures κ1, κ2", "Twist τ", "Tension", "Shear", "Moment"]
    {
        assert!(texts.iter().any(|t| t == wanted), "{wanted}: {texts:?}");
    }
    for wanted in ["Front", "Side", "Top", "s (mm)", "x (mm)", "z (mm)", "Utilisation", "Length"] {
        assert!(texts.iter().any(|t| t == wanted), "{wanted}: {texts:?}");
    }
    assert!(texts.iter().any(|t| t.starts_with("limit")));
}

#[test]
fn names_with_markup_are_escaped() {
    let mut cable = straight(5, [0.0; 3], [1.0, 0.0, 0.0], 1.0, 0.01, 0.0);
    cable.name = "a<b> & \"c_1\" \u{1}'d' ]]>".into();
    let svg = report(&cable, &ReportOptions::default()).unwrap().to_svg();
    assert!(texts(&svg).iter().any(|t| t.contains("a<b> & \"c_1\"")));
}

#[test]
fn long_names_are_cut_to_the_page() {
    let mut cable = straight(5, [0.0; 3], [1.0, 0.0, 0.0], 1.0, 0.01, 0.0);
    cable.name = "very long name ".repeat(40);
    let texts = texts(&along(&cable, 600.0, 400.0).unwrap().to_svg());
    let title = texts.iter().find(|t| t.starts_with("very")).unwrap();
    assert!(title.ends_with('…') && title.len() < 120, "{title}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let cable = helix(300, 0.4, 3.0);
    let once = || report(&cable, &ReportOptions::default()).unwrap().to_svg();
    assert_eq!(once(), once());
}

#[test]
fn ten_thousand_stations_cost_no_more_than_a_few_hundred() {
    let size = |n| {
        let subject = helix(n, 0.4, 2.0).subject(ColourBy::Curvature).unwrap();
        perspective(&subject, &ViewOptions::default()).unwrap().to_svg().len()
    };
    let (few, many) = (size(300), size(10_000));
    assert!(many < few * 11 / 10, "{few} {many}");
    assert!(many < 600_000, "{many}");
    let chart = |n| along(&helix(n, 0.4, 2.0), 960.0, 520.0).unwrap().to_svg().len();
    assert!(chart(10_000) < 60_000, "{}", chart(10_000));
}

#[test]
fn loads_are_labelled_in_fitting_units() {
    let mut cable = straight(9, [0.0; 3], [1.0, 0.0, 0.0], 1.0, 0.01, 0.0);
    cable.loads = vec![
        Load { at: [1.0, 0.0, 0.0], vector: [0.0, 0.0, -0.025], kind: LoadKind::Force },
        Load { at: [0.5, 0.0, 0.0], vector: [0.0, 1.5, 0.0], kind: LoadKind::Moment },
        Load { at: [0.5, 0.0, 0.0], vector: [0.0; 3], kind: LoadKind::Force },
    ];
    let subject = cable.subject(ColourBy::Nothing).unwrap();
    let texts = texts(&three_views(&subject, &ViewOptions::default()).unwrap().to_svg());
    assert_eq!(texts.iter().filter(|t| *t == "25 mN").count(), 3);
    assert_eq!(texts.iter().filter(|t| *t == "1.5 N·m").count(), 3);
}

#[test]
fn charts_have_titles_legend_guides_and_slope() {
    let points = |k: f64| (1..7).map(|i| f64::from(1 << i)).map(|n| [n, k / (n * n)]).collect::<Vec<_>>();
    let chart = Chart {
        title: "Convergence of κ_1".into(),
        x: Axis::log("n"),
        y: Axis::log("error"),
        series: vec![Series::new("mixed", points(1.0)).with_slope(-2.0), Series::new("nodal", points(9.0))],
        guides: vec![Guide { value: 0.01, label: "tolerance".into() }],
    };
    let texts = texts(&chart.drawing(500.0, 400.0).unwrap().to_svg());
    for wanted in ["Convergence of κ1", "n", "error", "mixed", "nodal", "tolerance", "2", "1", "10−3"] {
        assert!(texts.iter().any(|t| t == wanted), "{wanted}: {texts:?}");
    }
}
