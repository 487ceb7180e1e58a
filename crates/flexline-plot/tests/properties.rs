//! Whatever finite numbers come in, a readable picture comes out.

use flexline_plot::{
    Axis, Cable, Chart, ColourBy, End, Limits, ReportOptions, Series, Station, ViewOptions, linear_ticks,
    nice_step, perspective, report, three_views,
};
use proptest::prelude::*;

fn number(size: f64) -> impl Strategy<Value = f64> {
    prop_oneof![4 => -size..size, 1 => Just(0.0), 1 => Just(size), 1 => -1e-12..1e-12]
}

fn triple(size: f64) -> impl Strategy<Value = [f64; 3]> {
    [number(size), number(size), number(size)]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::Clamped), Just(End::Pinned), Just(End::Free), Just(End::Joined)]
}

/// A cable of unrelated stations: far rougher than anything a solver gives.
fn cable() -> impl Strategy<Value = Cable> {
    let frame = [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0_f64].prop_filter_map("zero", |q| {
        let norm = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        (norm > 0.1).then(|| q.map(|c| c / norm))
    });
    let station = (0.0..0.1, triple(1.0), frame, triple(40.0), triple(2.0), triple(100.0), 0.0..0.1);
    let stations = prop::collection::vec(station, 2..24);
    let limits = (prop::option::of(0.1..50.0), prop::option::of(0.1..50.0), prop::option::of(0.1..50.0));
    (stations, -6..6_i32, [end(), end()], limits).prop_map(|(stations, power, ends, limits)| {
        let size = 10_f64.powi(power);
        let mut s = 0.0;
        let stations = stations.into_iter().map(|(step, position, frame, strain, moment, force, radius)| {
            s += step * size;
            let position = position.map(|c| c * size);
            let strain = strain.map(|c| c / size);
            Station { s, position, frame, strain, moment, force, radius: radius * size }
        });
        let limits = Limits { curvature: limits.0, inside: 0.0, twist: limits.1, tension: limits.2 };
        Cable { name: "any".into(), stations: stations.collect(), ends, limits, ..Cable::default() }
    })
}

fn readable(svg: &str) {
    roxmltree::Document::parse(svg).unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cable_makes_a_report(cable in cable()) {
        readable(&report(&cable, &ReportOptions::default()).unwrap().to_svg());
    }

    #[test]
    fn any_view_is_readable(cable in cable(), azimuth in -720.0..720.0, elevation in -200.0..200.0) {
        let options = ViewOptions { width: 400.0, height: 300.0, azimuth: Some(azimuth), elevation };
        let subject = cable.subject(ColourBy::Twist).unwrap();
        let picture = perspective(&subject, &options).unwrap();
        readable(&picture.to_svg());
        picture.to_png(200).unwrap();
        readable(&three_views(&subject, &options).unwrap().to_svg());
    }

    #[test]
    fn any_points_make_a_chart(points in prop::collection::vec([number(1e12), number(1e-6)], 1..60)) {
        let chart = |x, y, points| Chart { x, y, series: vec![Series::new("a", points)], ..Chart::default() };
        let linear = chart(Axis::linear("x"), Axis::linear("y"), points.clone());
        readable(&linear.drawing(320.0, 240.0).unwrap().to_svg());
        let positive = points.iter().map(|p| p.map(|c| c.abs() + 1e-9)).collect();
        let mut log = chart(Axis::log("x"), Axis::log("y"), positive);
        log.series[0].slope = Some(-2.0);
        readable(&log.drawing(320.0, 240.0).unwrap().to_svg());
    }

    #[test]
    fn ticks_lie_inside_at_round_places(lo in -1e9..1e9_f64, span in 1e-3..1e9_f64, count in 2..12_usize) {
        let hi = lo + span.max(1e-5 * lo.abs());
        let ticks = linear_ticks(lo, hi, count);
        prop_assert!(ticks.values.len() >= 2 && ticks.values.len() <= (count + 1).max(6), "{ticks:?}");
        prop_assert_eq!(ticks.values.len(), ticks.texts.len());
        for value in &ticks.values {
            prop_assert!(*value >= lo - 1e-6 * span && *value <= hi + 1e-6 * span);
            let steps = value / ticks.step;
            prop_assert!((steps - steps.round()).abs() < 1e-6);
        }
    }

    #[test]
    fn steps_are_never_below_and_never_far_above(raw in 1e-30..1e30_f64) {
        let step = nice_step(raw);
        prop_assert!(step >= raw * (1.0 - 1e-8) && step <= 2.5 * raw * (1.0 + 1e-8));
    }
}
