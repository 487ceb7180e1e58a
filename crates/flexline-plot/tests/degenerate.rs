//! Odd input gives a picture or an error that names the fault, never a panic.

mod common;

use common::{helix, straight};
use flexline_plot::{
    Axis, Cable, Chart, ColourBy, End, Guide, Load, LoadKind, PlotError, ReportOptions, Series, ViewOptions,
    along, perspective, report, three_views,
};

/// Makes every picture of the cable and checks that the SVG holds only finite numbers.
fn all(cable: &Cable) {
    let options = ViewOptions::default();
    let subject = cable.subject(ColourBy::Auto).unwrap();
    for drawing in [
        report(cable, &ReportOptions::default()).unwrap(),
        perspective(&subject, &options).unwrap(),
        three_views(&subject, &options).unwrap(),
        along(cable, 500.0, 700.0).unwrap(),
    ] {
        let svg = drawing.to_svg();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", cable.name);
        assert!(svg.len() < 3_000_000, "{} {}", cable.name, svg.len());
        drawing.to_png(400).unwrap();
    }
}

#[test]
fn straight_cables_along_every_axis() {
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        for n in [2, 3, 50] {
            all(&straight(n, [0.1, 0.2, 0.3], axis, 1.0, 0.004, 0.0));
        }
    }
}

#[test]
fn no_extent_at_all() {
    for (place, radius) in [([0.0; 3], 0.0), ([0.0; 3], 0.01), ([1e6, -1e6, 1e6], 0.01), ([1e9; 3], 0.0)] {
        let mut cable = straight(4, place, [1.0, 0.0, 0.0], 1.0, radius, 0.0);
        cable.stations.iter_mut().for_each(|s| (s.position, s.s) = (place, 0.0));
        for end in [End::Clamped, End::Pinned, End::Free, End::Joined] {
            cable.ends = [end; 2];
            all(&cable);
        }
    }
}

#[test]
fn from_hairs_to_sea_cables() {
    for size in [1e-6, 50e-6, 1e-3, 1.0, 1e3, 1e6, 1e8] {
        all(&helix(80, size, 2.0));
    }
    all(&straight(20, [0.0; 3], [1.0, 0.0, 0.0], 5000.0, 0.01, 0.0));
    all(&straight(20, [1e6, 1e6, 0.0], [0.0, 0.0, 1.0], 1e-3, 25e-6, 3.0));
}

#[test]
fn many_stations_many_turns_and_repeated_points() {
    all(&helix(10_000, 0.5, 20.0));
    all(&straight(2_000, [0.0; 3], [0.0, 0.0, 1.0], 1.0, 0.01, 60.0));
    let mut cable = helix(100, 0.5, 1.0);
    for i in (1..100).step_by(2) {
        cable.stations[i].position = cable.stations[i - 1].position;
    }
    all(&cable);
}

#[test]
fn folded_back_on_itself() {
    let mut cable = straight(21, [0.0; 3], [1.0, 0.0, 0.0], 1.0, 0.01, 0.0);
    for i in 11..21 {
        cable.stations[i].position = cable.stations[20 - i].position;
    }
    all(&cable);
}

#[test]
fn loads_towards_the_eye_and_fields_without_variation() {
    let mut cable = straight(9, [0.0; 3], [1.0, 0.0, 0.0], 1.0, 0.01, 0.0);
    let load = |vector| Load { at: [0.5, 0.0, 0.0], vector, kind: LoadKind::Force };
    cable.loads =
        vec![load([0.0, 1.0, 0.0]), load([0.0, -2.0, 0.0]), load([0.0; 3]), load([1e-50, 0.0, 0.0])];
    all(&cable);
    for by in [ColourBy::Curvature, ColourBy::Twist, ColourBy::Tension, ColourBy::Moment, ColourBy::Nothing] {
        let subject = cable.subject(by).unwrap();
        perspective(&subject, &ViewOptions::default()).unwrap();
    }
}

/// The error of a report on the helix after a change.
fn fault(change: impl Fn(&mut Cable)) -> PlotError {
    let mut cable = helix(10, 0.5, 1.0);
    change(&mut cable);
    report(&cable, &ReportOptions::default()).unwrap_err()
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let named = |error: PlotError, name: &str| match error {
        PlotError::NotFinite { what, index, .. } => {
            assert!(what.contains(name) && index == 4, "{what} {index}")
        }
        other => panic!("{name}: {other}"),
    };
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        named(fault(|c| c.stations[4].s = bad), "s");
        named(fault(|c| c.stations[4].position[1] = bad), "centre");
        named(fault(|c| c.stations[4].frame[2] = bad), "frames");
        named(fault(|c| c.stations[4].strain[2] = bad), "strain");
        named(fault(|c| c.stations[4].moment[0] = bad), "moment");
        named(fault(|c| c.stations[4].force[0] = bad), "force");
        named(fault(|c| c.stations[4].radius = bad), "radius");
        named(fault(|c| c.utilisation = Some([vec![0.0; 4], vec![bad; 6]].concat())), "utilisation");
    }
}

#[test]
fn other_faults_are_named_too() {
    assert!(matches!(fault(|c| c.stations.truncate(1)), PlotError::TooFew { found: 1, needed: 2, .. }));
    assert!(matches!(fault(|c| c.stations.clear()), PlotError::TooFew { found: 0, .. }));
    assert!(matches!(fault(|c| c.stations[3].radius = -1e-3), PlotError::OutOfRange { index: 3, .. }));
    assert!(matches!(fault(|c| c.stations[3].frame = [0.0; 4]), PlotError::OutOfRange { index: 3, .. }));
    assert!(matches!(fault(|c| c.stations[3].s = 0.0), PlotError::OutOfRange { index: 3, .. }));
    assert!(matches!(fault(|c| c.stations[3].position[0] = 1e12), PlotError::TooLarge { index: 3, .. }));
    assert!(matches!(fault(|c| c.limits.curvature = Some(0.0)), PlotError::OutOfRange { .. }));
    assert!(matches!(fault(|c| c.utilisation = Some(vec![0.1])), PlotError::Mismatch { found: 1, .. }));
    let text = fault(|c| c.stations[2].strain[0] = f64::NAN).to_string();
    assert!(text.contains("strain[2] is NaN") && text.contains("finite"), "{text}");
}

#[test]
fn utilisation_needs_limits_and_sizes_have_bounds() {
    let cable = straight(5, [0.0; 3], [1.0, 0.0, 0.0], 1.0, 0.01, 0.0);
    assert!(matches!(cable.subject(ColourBy::Utilisation), Err(PlotError::NoLimits(_))));
    for (width, height) in [(10.0, 500.0), (f64::NAN, 500.0), (500.0, 1e9), (880.0, 500.0)] {
        let options = ReportOptions { width, height, ..ReportOptions::default() };
        assert!(matches!(report(&cable, &options), Err(PlotError::Size { .. })), "{width} {height}");
    }
    let subject = cable.subject(ColourBy::Auto).unwrap();
    let options = ViewOptions { azimuth: Some(f64::NAN), ..ViewOptions::default() };
    assert!(matches!(perspective(&subject, &options), Err(PlotError::NotFinite { .. })));
}

#[test]
fn charts_refuse_what_they_cannot_show() {
    let chart = |points: Vec<[f64; 2]>, log: bool| {
        let axis = |title| if log { Axis::log(title) } else { Axis::linear(title) };
        let series = vec![Series::new("data", points)];
        Chart { x: axis("x"), y: axis("y"), series, ..Chart::default() }.drawing(300.0, 200.0)
    };
    assert!(matches!(chart(vec![], false), Err(PlotError::TooFew { .. })));
    assert!(matches!(chart(vec![[0.0, f64::NAN]], false), Err(PlotError::NotFinite { .. })));
    assert!(matches!(chart(vec![[1.0, 1.0], [2.0, 0.0]], true), Err(PlotError::OutOfRange { index: 1, .. })));
    assert!(matches!(chart(vec![[1.0, -1.0]], true), Err(PlotError::OutOfRange { .. })));
    assert!(Chart::default().drawing(300.0, 200.0).is_err());
    for points in [vec![[5.0, 5.0]], vec![[1.0, 2.0], [1.0, 2.0]], vec![[1e-30, 1e30], [1e30, 1e-30]]] {
        chart(points.clone(), false).unwrap();
        chart(points, true).unwrap();
    }
    let guides = vec![Guide { value: f64::INFINITY, label: String::new() }];
    let series = vec![Series::new("data", vec![[0.0, 0.0]])];
    assert!(Chart { series, guides, ..Chart::default() }.drawing(300.0, 200.0).is_err());
}
