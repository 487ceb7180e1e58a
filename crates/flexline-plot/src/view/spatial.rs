//! The perspective view.

use super::camera::{Camera, Projection};
use super::ground::{Ground, best_azimuth};
use super::support::clamp_half;
use super::tube::TubeMesh;
use super::{ViewOptions, arrow, exaggeration, legend, meshes, paint_subject};
use crate::drawing::{Anchor, Drawing, Label, Rect, theme};
use crate::error::{LARGEST_VALUE, PlotError, check};
use crate::quantity::short;
use crate::subject::{End, Subject};
use nalgebra::Vector3;

/// Distance of the eye in half diagonals of the subject: a mild perspective.
const DISTANCE: f64 = 4.2;

/// Draws the subject in perspective inside `area`.
pub(crate) fn draw_perspective(
    drawing: &mut Drawing,
    subject: &Subject,
    options: &ViewOptions,
    area: Rect,
) -> Result<(), PlotError> {
    check("elevation", 0, options.elevation, LARGEST_VALUE)?;
    let elevation = options.elevation.clamp(5.0, 85.0);
    let [lo, hi] = subject.bounds();
    let size = usable_size(lo, hi);
    let ground = Ground::new(lo, hi, size);
    let centre = 0.5 * (lo + hi);
    let distance = DISTANCE * 0.5 * (hi - lo).norm().max(size);
    let stations: Vec<Vector3<f64>> =
        subject.tubes.iter().flat_map(|t| &t.centre).map(|p| Vector3::from(*p)).collect();
    let azimuth = match options.azimuth {
        Some(azimuth) => {
            check("azimuth", 0, azimuth, LARGEST_VALUE)?;
            azimuth
        }
        None => best_azimuth(&stations, centre, elevation, distance),
    };
    let camera = Camera::perspective(azimuth, elevation, centre, distance);

    let margin = if subject.loads.is_empty() { 8.0 } else { 46.0 };
    let room = area.inset(58.0, 22.0 + margin, 58.0, 44.0);
    let radii = subject.tubes.iter().flat_map(|t| &t.radius);
    let mut balls: Vec<(Vector3<f64>, f64)> = stations.into_iter().zip(radii.copied()).collect();
    balls.extend(subject.corners().map(|p| (Vector3::from(p), 0.0)));
    balls.extend(ground.corners().into_iter().map(|p| (p, 0.0)));
    balls.extend(subject.loads.iter().map(|load| (Vector3::from(load.at), 0.0)));
    // Of the four possible rulers, the one farthest to the left is drawn.
    let left = |p: &Vector3<f64>| camera.plane(p)[0];
    let top = ground.tops().into_iter().min_by(|a, b| left(a).total_cmp(&left(b)));
    balls.extend(top.map(|p| (p, 0.0)));
    let mut view = Projection::fit(camera, &balls, room);
    let legend_area = area.inset(0.0, 6.0, 4.0, 40.0);
    if subject.scale.is_some() {
        let taken = legend::room(legend_area);
        let hit = |(p, r): &(Vector3<f64>, f64)| {
            // Room for a clamp and its label.
            let (page, reach) = (view.page(p), 2.5 * r * view.pixels(p) + 30.0);
            page[0] + reach > taken.x && page[1] - reach < taken.bottom()
        };
        if balls.iter().any(hit) {
            view = Projection::fit(camera, &balls, room.inset(0.0, 0.0, taken.width, 0.0));
        }
    }

    ground.draw(drawing, &view);
    let meshes = meshes(subject, &view);
    for mesh in &meshes {
        ground.shadow(drawing, &view, mesh);
    }
    paint_subject(drawing, subject, &view, &meshes, 1.0);
    mark_start(drawing, &view, &meshes);
    arrow::triad(drawing, &camera, [area.x + 38.0, area.bottom() - 34.0]);
    if let Some(scale) = &subject.scale {
        legend::draw(drawing, scale, legend_area);
    }
    if let Some(text) = thickness_note(exaggeration(&meshes)) {
        let at = [area.right() - 4.0, area.bottom() - 6.0];
        drawing.label(Label::new(at, theme::SMALL, theme::MUTED, text).anchored(Anchor::End));
    }
    Ok(())
}

/// Says where the arc length of a single tube starts, beside its first end.
fn mark_start(drawing: &mut Drawing, view: &Projection, meshes: &[TubeMesh<'_>]) {
    let [mesh] = meshes else { return };
    let (Some(knot), Some(radius)) = (mesh.knots.first(), mesh.radius.first()) else { return };
    let [x, y] = view.page(&knot.position);
    let backwards = -knot.tangent.dot(&view.camera.right);
    let anchor = if backwards > 0.0 { Anchor::Start } else { Anchor::End };
    let pixel = 1.0 / view.pixels(&knot.position);
    let size = match mesh.tube.ends[0] {
        End::Clamped => 1.9 * clamp_half(*radius, pixel) / pixel,
        _ => 1.5 * radius / pixel,
    };
    let reach = (size + 8.0).max(16.0) * if backwards > 0.0 { 1.0 } else { -1.0 };
    let label = Label::new([x + reach, y + 4.0], theme::SMALL, theme::MUTED, "s = 0");
    drawing.label(label.anchored(anchor).haloed());
}

/// What to say about tubes drawn thicker than they are.
pub(super) fn thickness_note(factor: Option<f64>) -> Option<String> {
    match factor {
        Some(factor) if factor < 1.05 => None,
        Some(factor) => Some(format!("thickness drawn × {}", short(factor))),
        None => Some("thickness not to scale".into()),
    }
}

/// Largest side of the box, or a stand-in where the box is a point (a millimetre, or what double precision
/// can still tell apart at that distance from the origin).
pub(super) fn usable_size(lo: Vector3<f64>, hi: Vector3<f64>) -> f64 {
    let least = 1e-7 * lo.amax().max(hi.amax());
    match (hi - lo).amax() {
        size if size > least.max(1e-15) => size,
        _ => least.max(1e-3),
    }
}
