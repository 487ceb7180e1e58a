//! Arrows for loads and the little tripod of axes.

use super::camera::{Camera, Projection};
use crate::drawing::{Anchor, Colour, Drawing, Label, Path, Stroke, theme};
use crate::quantity::Quantity;
use crate::subject::{Load, LoadKind};
use nalgebra::Vector3;

/// Lengths of the smallest and the largest load arrow, px.
const LENGTHS: [f64; 2] = [26.0, 58.0];
const HEAD: f64 = 9.0;

/// Draws every load; lengths are relative to the largest of the same kind, all times `size`.
pub(crate) fn loads(drawing: &mut Drawing, view: &Projection, loads: &[Load], size: f64) {
    for load in loads {
        let norm = |load: &Load| Vector3::from(load.vector).norm();
        let largest = loads.iter().filter(|other| other.kind == load.kind).map(norm).fold(0.0, f64::max);
        let magnitude = norm(load);
        if magnitude > 0.0 {
            let length = LENGTHS[0] + (LENGTHS[1] - LENGTHS[0]) * (magnitude / largest);
            draw_load(drawing, view, load, size * length);
        }
    }
}

fn draw_load(drawing: &mut Drawing, view: &Projection, load: &Load, length: f64) {
    let vector = Vector3::from(load.vector);
    let direction = vector / vector.norm();
    let camera = &view.camera;
    let from = view.page(&Vector3::from(load.at));
    let flat = [direction.dot(&camera.right), -direction.dot(&camera.up)];
    let visible = flat[0].hypot(flat[1]);
    let (quantity, heads) = match load.kind {
        LoadKind::Force => (Quantity::Force, 1),
        LoadKind::Moment => (Quantity::Moment, 2),
    };
    let text = quantity.show(vector.norm());
    if visible < 0.2 {
        towards_or_away(drawing, from, direction.dot(&camera.toward) > 0.0);
        let at = [from[0] + 10.0, from[1] - 8.0];
        drawing.label(Label::new(at, theme::SMALL, theme::LOAD, text).bold().haloed());
        return;
    }
    let reach = (length * visible).max(0.6 * LENGTHS[0]);
    let unit = flat.map(|c| c / visible);
    let to = [from[0] + unit[0] * reach, from[1] + unit[1] * reach];
    drawing.stroke(Path::line(from, to), Stroke::new(Colour::WHITE.with_opacity(0.8), 4.5));
    arrow(drawing, from, to, theme::LOAD, 2.0, heads);
    let anchor = if unit[0] < -0.4 { Anchor::End } else { Anchor::Start };
    let at =
        [to[0] + 6.0 * unit[0] + if unit[0].abs() <= 0.4 { 7.0 } else { 0.0 }, to[1] + 8.0 * unit[1] + 3.5];
    drawing.label(Label::new(at, theme::SMALL, theme::LOAD, text).anchored(anchor).bold().haloed());
}

/// The draughtsman's sign for an arrow seen from its tip (a dot) or from its tail (a cross).
fn towards_or_away(drawing: &mut Drawing, at: [f64; 2], towards: bool) {
    let stroke = Stroke::new(theme::LOAD, 1.6);
    drawing.shape(Path::circle(at, 6.0), Some(Colour::WHITE), Some(stroke));
    if towards {
        drawing.fill(Path::circle(at, 2.2), theme::LOAD);
        return;
    }
    let d = 6.0 * std::f64::consts::FRAC_1_SQRT_2;
    let mut cross = Path::line([at[0] - d, at[1] - d], [at[0] + d, at[1] + d]);
    cross.add_line([at[0] - d, at[1] + d], [at[0] + d, at[1] - d]);
    drawing.stroke(cross, stroke);
}

/// An arrow on the page with one or two heads at its end.
pub(crate) fn arrow(
    drawing: &mut Drawing,
    from: [f64; 2],
    to: [f64; 2],
    colour: Colour,
    width: f64,
    heads: usize,
) {
    let d = [to[0] - from[0], to[1] - from[1]];
    let length = d[0].hypot(d[1]);
    if length <= 0.0 {
        return;
    }
    let unit = d.map(|c| c / length);
    let head = HEAD.min(0.6 * length) * (0.5 + 0.25 * width);
    let at = |back: f64, side: f64| {
        [to[0] - unit[0] * back - unit[1] * side, to[1] - unit[1] * back + unit[0] * side]
    };
    drawing.stroke(Path::line(from, at(0.8 * head, 0.0)), Stroke::new(colour, width));
    for k in 0..heads {
        let back = 0.75 * head * k as f64;
        let tip = [at(back, 0.0), at(back + head, 0.36 * head), at(back + head, -0.36 * head)];
        drawing.fill(Path::polygon(&tip), colour);
    }
}

/// The three axes as seen, around `at`.
pub(crate) fn triad(drawing: &mut Drawing, camera: &Camera, at: [f64; 2]) {
    let axes = [
        ("x", Vector3::x(), Colour::hex(0xb5382d)),
        ("y", Vector3::y(), Colour::hex(0x2f8f5b)),
        ("z", Vector3::z(), Colour::hex(0x2463a6)),
    ];
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| axes[*a].1.dot(&camera.toward).total_cmp(&axes[*b].1.dot(&camera.toward)));
    for i in order {
        let (name, axis, colour) = axes[i];
        let d = [axis.dot(&camera.right), -axis.dot(&camera.up)];
        let tip = [at[0] + 26.0 * d[0], at[1] + 26.0 * d[1]];
        arrow(drawing, at, tip, colour, 1.5, 1);
        let label = [at[0] + 34.0 * d[0], at[1] + 34.0 * d[1] + 3.5];
        drawing.label(Label::new(label, theme::SMALL, colour, name).anchored(Anchor::Middle).bold());
    }
}
