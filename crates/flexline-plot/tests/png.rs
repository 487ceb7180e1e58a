//! The PNG has the asked size and ink where the tube is, the nearer tube in front.

mod common;

use common::{helix, straight};
use flexline_plot::{
    Axis, Chart, Colour, ColourBy, Drawing, Paint, Plane, PlotError, ReportOptions, Series, Subject,
    ViewOptions, orthographic, perspective, report,
};
use tiny_skia::Pixmap;

fn decode(drawing: &Drawing, width: u32) -> Pixmap {
    Pixmap::decode_png(&drawing.to_png(width).unwrap()).unwrap()
}

fn rgb(image: &Pixmap, x: u32, y: u32) -> [u8; 3] {
    let p = image.pixel(x, y).unwrap();
    [p.red(), p.green(), p.blue()]
}

fn front(subject: &Subject) -> Pixmap {
    let options = ViewOptions { width: 600.0, height: 400.0, ..ViewOptions::default() };
    decode(&orthographic(subject, Plane::Front, &options).unwrap(), 600)
}

#[test]
fn the_size_is_as_asked() {
    let drawing = report(&helix(60, 0.4, 1.5), &ReportOptions::default()).unwrap();
    for width in [350, 1400, 2801] {
        let image = decode(&drawing, width);
        let height = (drawing.height * f64::from(width) / drawing.width).round() as u32;
        assert_eq!((image.width(), image.height()), (width, height));
    }
    assert!(matches!(drawing.to_png(3), Err(PlotError::Size { .. })));
    assert!(matches!(drawing.to_png(1_000_000), Err(PlotError::Size { .. })));
}

#[test]
fn there_is_ink_along_a_straight_tube_and_none_beside_it() {
    // Seen from the front, the middle of the subject is the middle of its pane.
    let cable = straight(3, [-0.5, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0, 0.02, 0.0);
    let mut subject = cable.subject(ColourBy::Nothing).unwrap();
    subject.title = String::new();
    subject.tubes[0].stripe = false;
    subject.tubes[0].paint = Paint::Plain(Colour::hex(0x2040c0));
    let image = front(&subject);
    let blue = |x: u32, y: u32| {
        let [r, _, b] = rgb(&image, x, y);
        b > 60 && u32::from(b) > u32::from(r) + 40
    };
    let column = |x: u32| (0..image.height()).filter(|y| blue(x, *y)).collect::<Vec<_>>();
    let middle = column(300);
    assert!(middle.len() > 6, "{middle:?}");
    let rows = [middle[0], middle[middle.len() - 1]];
    for x in [150, 250, 400, 480] {
        let here = column(x);
        assert!(
            here[0].abs_diff(rows[0]) <= 1 && here[here.len() - 1].abs_diff(rows[1]) <= 1,
            "{x} {here:?}"
        );
        assert_eq!(here.len() as u32, here[here.len() - 1] - here[0] + 1, "a gap at {x}");
    }
    // The tube of radius 20 mm and length 1 m keeps its proportions.
    let row: Vec<u32> = (0..image.width()).filter(|x| blue(*x, (rows[0] + rows[1]) / 2)).collect();
    let ratio = (row[row.len() - 1] - row[0]) as f64 / (rows[1] - rows[0] + 1) as f64;
    assert!((ratio / 25.0 - 1.0).abs() < 0.15, "{ratio}");
    for (x, y) in [(300, rows[0] - 6), (300, rows[1] + 6)] {
        assert!(!blue(x, y));
    }
}

#[test]
fn the_nearer_of_two_crossing_tubes_is_seen() {
    // Both pass through the middle of the picture; the front view looks along +y, so smaller y is nearer.
    for (red_y, expected) in [(-0.2, [true, false]), (0.2, [false, true])] {
        let along_x = straight(30, [-0.5, red_y, 0.0], [1.0, 0.0, 0.0], 1.0, 0.05, 0.0);
        let along_z = straight(30, [0.0, 0.0, -0.5], [0.0, 0.0, 1.0], 1.0, 0.05, 0.0);
        let mut subject = along_x.subject(ColourBy::Nothing).unwrap();
        subject.tubes.extend(along_z.subject(ColourBy::Nothing).unwrap().tubes);
        for (tube, colour) in subject.tubes.iter_mut().zip([0xd02020, 0x2020d0]) {
            tube.stripe = false;
            tube.paint = Paint::Plain(Colour::hex(colour));
        }
        subject.title = String::new();
        let image = front(&subject);
        // The pane's middle: found from the red tube's rows left of the crossing.
        let is_red = |p: [u8; 3]| p[0] > 60 && p[2] < 60;
        let is_blue = |p: [u8; 3]| p[2] > 60 && p[0] < 60;
        let rows: Vec<u32> = (0..image.height()).filter(|y| is_red(rgb(&image, 240, *y))).collect();
        let columns: Vec<u32> =
            (0..image.width()).filter(|x| is_blue(rgb(&image, *x, rows[0] - 30))).collect();
        let centre = rgb(&image, columns[columns.len() / 2], rows[rows.len() / 2]);
        assert_eq!([is_red(centre), is_blue(centre)], expected, "{red_y} {centre:?}");
    }
}

#[test]
fn a_twisted_tube_shows_its_turns() {
    // The stripe starts on d1 = −z and turns about x: it faces −y, the viewer, once per turn.
    let cable = straight(200, [-0.5, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0, 0.03, 4.0);
    let mut subject = cable.subject(ColourBy::Nothing).unwrap();
    subject.title = String::new();
    subject.tubes[0].paint = Paint::Plain(Colour::hex(0x802010));
    let image = front(&subject);
    let red = |x: u32, y: u32| {
        let [r, g, _] = rgb(&image, x, y);
        r > 40 && u32::from(r) > 2 * u32::from(g)
    };
    let rows: Vec<u32> = (0..image.height()).filter(|y| (70..560).any(|x| red(x, *y))).collect();
    let y = rows[rows.len() / 2];
    let ends: Vec<u32> = (0..image.width()).filter(|x| red(*x, y)).collect();
    let bright: Vec<bool> = (ends[0]..=ends[ends.len() - 1]).map(|x| rgb(&image, x, y)[1] > 150).collect();
    let starts = bright.windows(2).filter(|w| !w[0] && w[1]).count();
    assert_eq!(starts, 4);
}

#[test]
fn a_perspective_has_its_tube_in_the_colours_of_the_scale() {
    let mut cable = helix(100, 0.4, 2.0);
    cable.limits.curvature = Some(1e-3);
    let subject = cable.subject(ColourBy::Utilisation).unwrap();
    let image = decode(&perspective(&subject, &ViewOptions::default()).unwrap(), 960);
    let red = |p: &tiny_skia::PremultipliedColorU8| {
        p.red() > 50 && p.green() < p.red() / 2 && p.blue() < p.red() / 2
    };
    assert!(image.pixels().iter().filter(|p| red(p)).count() > 3000);
}

#[test]
fn a_chart_draws_its_line() {
    let points = (0..=10).map(|i| [f64::from(i), f64::from(i * i)]).collect();
    let series = vec![Series { colour: Some(Colour::hex(0x00a000)), ..Series::new("square", points) }];
    let chart = Chart { x: Axis::linear("x"), y: Axis::linear("y"), series, ..Chart::default() };
    let image = decode(&chart.drawing(300.0, 200.0).unwrap(), 600);
    let green = |x: u32, y: u32| {
        let [r, g, b] = rgb(&image, x, y);
        g > 120 && r < 90 && b < 90
    };
    let lowest = |x: u32| (0..image.height()).rev().find(|y| green(x, *y));
    let heights: Vec<u32> = [200, 300, 400, 500].iter().filter_map(|x| lowest(*x)).collect();
    assert!(heights.len() == 4 && heights.windows(2).all(|w| w[0] > w[1]), "{heights:?}");
}
