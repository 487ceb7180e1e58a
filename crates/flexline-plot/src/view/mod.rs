//! Views of tubes in space: one perspective, three parallel projections.

mod arrow;
pub(crate) mod camera;
mod curve;
mod ground;
mod legend;
mod ortho;
mod painter;
mod spatial;
mod support;
mod tube;

pub use camera::Plane;

use crate::drawing::{Drawing, Rect};
use crate::error::PlotError;
use crate::subject::Subject;
use camera::Projection;
use curve::{Fineness, Knot};
use nalgebra::Vector3;
use painter::Painter;
use tube::TubeMesh;

pub(crate) use ortho::draw_three;
pub(crate) use spatial::draw_perspective;

/// Size and direction of a view.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewOptions {
    /// Width of the picture, px.
    pub width: f64,
    /// Height of the picture, px.
    pub height: f64,
    /// Direction of the eye about z, degrees from +x towards +y; chosen to show most when absent.
    pub azimuth: Option<f64>,
    /// Height of the eye, degrees above the horizon; 5 to 85.
    pub elevation: f64,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { width: 960.0, height: 640.0, azimuth: None, elevation: 22.0 }
    }
}

/// The subject in perspective above a ground grid.
pub fn perspective(subject: &Subject, options: &ViewOptions) -> Result<Drawing, PlotError> {
    let mut drawing = page(subject, options, "in perspective above a ground grid")?;
    let area = title(&mut drawing, &subject.title);
    draw_perspective(&mut drawing, subject, options, area)?;
    Ok(drawing)
}

/// Front, side and top of the subject at one scale.
pub fn three_views(subject: &Subject, options: &ViewOptions) -> Result<Drawing, PlotError> {
    let mut drawing = page(subject, options, "from the front, the side and the top at one scale")?;
    let area = title(&mut drawing, &subject.title);
    draw_three(&mut drawing, subject, &Plane::ALL, area, true);
    Ok(drawing)
}

/// One parallel projection of the subject.
pub fn orthographic(subject: &Subject, plane: Plane, options: &ViewOptions) -> Result<Drawing, PlotError> {
    let mut drawing = page(subject, options, &format!("in parallel projection ({})", plane.name()))?;
    let area = title(&mut drawing, &subject.title);
    draw_three(&mut drawing, subject, &[plane], area, true);
    Ok(drawing)
}

fn page(subject: &Subject, options: &ViewOptions, how: &str) -> Result<Drawing, PlotError> {
    subject.check()?;
    let mut drawing = Drawing::new(options.width, options.height, subject.title.clone())?;
    let loads = match subject.loads.len() {
        0 => String::new(),
        n => format!(" with {n} load arrows"),
    };
    drawing.description = format!("{} shown {how}{loads}.", subject.title);
    if let Some(scale) = &subject.scale {
        drawing.description += &format!(" Colours show {}.", scale.title.to_lowercase());
    }
    Ok(drawing)
}

/// Writes the title and gives back the room below it.
fn title(drawing: &mut Drawing, text: &str) -> Rect {
    use crate::drawing::{Label, theme};
    let top = if text.is_empty() { 8.0 } else { 36.0 };
    let room = drawing.width - 40.0;
    drawing.label(Label::new([20.0, 28.0], 16.0, theme::INK, text).bold().fitted(room));
    drawing.page().inset(16.0, top, 16.0, 12.0)
}

/// Smallest radius drawn, px: thinner tubes are drawn thicker than they are, and the picture says so.
const THINNEST: f64 = 1.5;
/// Largest distance between drawn and true centreline, px.
const CHORD_ERROR: f64 = 0.12;

/// Every tube with knots and radii made for this projection.
fn meshes<'a>(subject: &'a Subject, view: &Projection) -> Vec<TubeMesh<'a>> {
    let mesh = |tube: &'a crate::subject::Tube| {
        let drawn = |p: &Vector3<f64>, radius: f64| radius.max(THINNEST / view.pixels(p));
        let stations = tube.centre.iter().zip(&tube.radius);
        let thickest = stations.map(|(p, r)| drawn(&Vector3::from(*p), *r)).fold(0.0, f64::max);
        let mut fineness = Fineness { tolerance: CHORD_ERROR / view.scale, longest: 9.0 * thickest };
        let mut knots = curve::knots(tube, subject.scale.as_ref(), fineness);
        if subject.tubes.len() > 1 || crosses_itself(view, &knots, thickest) {
            fineness.longest = 2.0 * thickest;
            knots = curve::knots(tube, subject.scale.as_ref(), fineness);
        }
        let radius = knots.iter().map(|k| drawn(&k.position, k.radius)).collect();
        TubeMesh { tube, knots, radius }
    };
    subject.tubes.iter().map(mesh).collect()
}

/// Whether parts of the tube cover one another on the page; short pieces then keep the painter's order right.
fn crosses_itself(view: &Projection, knots: &[Knot], radius: f64) -> bool {
    let pages: Vec<[f64; 2]> = knots.iter().map(|k| view.page(&k.position)).collect();
    let reach = |w: &[[f64; 2]], i: usize| [w[0][i].min(w[1][i]), w[0][i].max(w[1][i])];
    let steps: Vec<[[f64; 2]; 2]> = pages.windows(2).map(|w| [reach(w, 0), reach(w, 1)]).collect();
    let mut along = vec![0.0];
    along.extend(knots.windows(2).scan(0.0, |sum, w| {
        *sum += (w[1].position - w[0].position).norm();
        Some(*sum)
    }));
    let width = 2.0 * radius * view.scale;
    let near = |a: &[f64; 2], b: &[f64; 2]| a[0] < b[1] + width && b[0] < a[1] + width;
    (0..steps.len()).any(|i| {
        (i + 2..steps.len()).any(|j| {
            let apart = along[j] - along[i + 1] > 5.0 * radius;
            apart && near(&steps[i][0], &steps[j][0]) && near(&steps[i][1], &steps[j][1])
        })
    })
}

/// How many times thicker than in truth the thinnest part is drawn; 1 when true, none when it has no radius.
fn exaggeration(meshes: &[TubeMesh<'_>]) -> Option<f64> {
    let knots = meshes.iter().flat_map(|m| m.knots.iter().zip(&m.radius));
    let ratio = knots.map(|(k, r)| if k.radius > 0.0 { r / k.radius } else { f64::INFINITY });
    let largest = ratio.fold(1.0, f64::max);
    largest.is_finite().then_some(largest)
}

/// Paints tubes, supports and loads; `arrows` is the size of the load arrows.
fn paint_subject(
    drawing: &mut Drawing,
    subject: &Subject,
    view: &Projection,
    meshes: &[TubeMesh<'_>],
    arrows: f64,
) {
    let mut painter = Painter::default();
    for mesh in meshes {
        mesh.paint(&mut painter, view, subject.scale.as_ref());
        support::paint(&mut painter, view, mesh);
    }
    for solid in &subject.solids {
        painter.solid(view, solid);
    }
    painter.paint(drawing);
    arrow::loads(drawing, view, &subject.loads, arrows);
}
