//! What was measured beside what was solved: cables with points, and residuals along them.

use crate::failure::Failure;
use flexline::Vec3;
use flexline_plot::{
    Axis, Chart, Colour, ColourBy, Drawing, Marker, Rect, Series, Solid, ViewOptions, perspective,
};
use flexline_study::identify::Identified;
use flexline_study::picture;

/// Width of the picture and heights of its two parts, px.
const WIDTH: f64 = 1000.0;
const HEIGHTS: [f64; 2] = [620.0, 320.0];
/// Points lie on the centreline: cables are drawn as thin as this, and points as large, shares of the true radius.
const THIN: f64 = 0.3;
const LARGE: f64 = 0.8;
/// Colour of the points.
const MEASURED: Colour = Colour::hex(0xd1_4a28);

/// Draws it.
pub fn draw(found: &Identified) -> Result<Drawing, Failure> {
    let mut whole = None;
    let mut series = Vec::new();
    for (k, shown) in found.shown.iter().enumerate() {
        let mut own = picture::subject(&(&shown.solved).into(), ColourBy::Nothing)?;
        let mut thickest = 0.0f64;
        for tube in &mut own.tubes {
            thickest = tube.radius.iter().fold(thickest, |most, own| most.max(*own));
            tube.radius.iter_mut().for_each(|own| *own *= THIN);
        }
        let triangles = shown.points.iter().flat_map(|at| octahedron(at, LARGE * thickest)).collect();
        if !shown.points.is_empty() {
            own.solids.push(Solid { triangles, colour: MEASURED, closed: true, glassy: false });
        }
        let mut points: Vec<[f64; 2]> = shown.residuals.iter().map(|own| [1e3 * own[0], own[1]]).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let marker = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond][k % 4];
        series.push(Series { marker: Some(marker), ..Series::new(shown.name.clone(), points) });
        match &mut whole {
            None => whole = Some(own),
            Some(whole) => {
                whole.tubes.extend(own.tubes);
                whole.solids.extend(own.solids);
                whole.loads.extend(own.loads);
            }
        }
    }
    let Some(mut subject) = whole else { return Err(Failure::Input("there is nothing to draw".into())) };
    subject.title += " · as measured and as solved";
    let mut drawing =
        perspective(&subject, &ViewOptions { width: WIDTH, height: HEIGHTS[0], ..ViewOptions::default() })?;
    let chart = Chart {
        title: "How far points are off".into(),
        x: Axis::linear("arc length s, mm"),
        y: Axis::linear("distance / standard deviation"),
        series,
        guides: Vec::new(),
    };
    drawing.height += HEIGHTS[1];
    chart.draw(&mut drawing, Rect::new(14.0, HEIGHTS[0], WIDTH - 32.0, HEIGHTS[1] - 10.0))?;
    Ok(drawing)
}

/// Eight triangles about a point.
fn octahedron(at: &Vec3, size: f64) -> Vec<[[f64; 3]; 3]> {
    let mut found = Vec::new();
    for x in [-1.0, 1.0] {
        for y in [-1.0, 1.0] {
            for z in [-1.0, 1.0] {
                let corners =
                    [Vec3::x() * x, Vec3::y() * y, Vec3::z() * z].map(|own| (at + own * size).into());
                let [a, b, c] = corners;
                found.push(if x * y * z > 0.0 { [a, b, c] } else { [a, c, b] });
            }
        }
    }
    found
}
