//! The triangle that shows the order of convergence on two logarithmic axes.

use super::axes::Axes;
use crate::drawing::{Anchor, Drawing, Label, Path, Rect, Stroke, theme};
use crate::quantity::short;

/// Distance of the triangle from its line, px.
const GAP: f64 = 13.0;
/// Length of the horizontal side as a share of the line.
const SHARE: f64 = 0.16;
/// Where along the line the triangle is tried, in this order.
const PLACES: [f64; 6] = [0.62, 0.45, 0.74, 0.3, 0.15, 0.02];

/// Corners on the page: the ends of the slanted side and the right angle.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    ends: [[f64; 2]; 2],
    corner: [f64; 2],
}

/// Draws a triangle of slope `order` beside line `index`, where it covers no other line if there is room.
pub(super) fn draw(drawing: &mut Drawing, axes: &Axes, lines: &[&[[f64; 2]]], index: usize, order: f64) {
    let dots = sampled(axes, lines);
    let choices: Vec<Triangle> =
        [1.0, -1.0].iter().flat_map(|side| triangles(axes, lines[index], order, *side)).collect();
    let inside = |t: &&Triangle| axes.frame.contains(t.corner) && t.height() >= 5.0;
    let covered = |t: &Triangle| dots.iter().filter(|d| t.bounds().contains(**d)).count();
    let Some(best) = choices.iter().filter(inside).min_by_key(|t| covered(t)) else { return };
    let [a, b] = best.ends;
    drawing.stroke(Path::polygon(&[a, b, best.corner]), Stroke::new(theme::MUTED, 1.1).round());
    let text =
        |at: [f64; 2], value: f64| Label::new(at, theme::SMALL, theme::MUTED, short(value.abs())).haloed();
    let left = best.corner[0] < 0.5 * (a[0] + b[0]);
    let (side, anchor) = if left { (-5.0, Anchor::End) } else { (5.0, Anchor::Start) };
    let beside = [best.corner[0] + side, 0.5 * (a[1] + b[1]) + 3.7];
    drawing.label(text(beside, order).anchored(anchor));
    let low = best.corner[1] >= a[1].max(b[1]) - 1e-9;
    let under = [0.5 * (a[0] + b[0]), best.corner[1] + if low { 12.5 } else { -5.0 }];
    drawing.label(text(under, 1.0).anchored(Anchor::Middle));
}

impl Triangle {
    fn height(&self) -> f64 {
        (self.ends[0][1] - self.ends[1][1]).abs()
    }

    /// The triangle with room for its numbers.
    fn bounds(&self) -> Rect {
        let [a, b] = self.ends;
        let (left, right) = (a[0].min(b[0]), a[0].max(b[0]));
        let (top, bottom) = (a[1].min(b[1]), a[1].max(b[1]));
        Rect::new(left - 12.0, top, right - left + 16.0, bottom - top + 12.0)
    }
}

/// Triangles below (`side` = 1) or above (−1) the line, at all places.
fn triangles(axes: &Axes, points: &[[f64; 2]], order: f64, side: f64) -> Vec<Triangle> {
    let triangle = |place: &f64| {
        let ends = hypotenuse(points, order, *place)?.map(|p| axes.page(p[0], p[1]));
        let [a, b] = ends.map(|p| [p[0], p[1] + side * GAP]);
        // The right angle lies on the side away from the line.
        let left = (b[1] > a[1]) == (side > 0.0);
        let corner = if left { [a[0], b[1]] } else { [b[0], a[1]] };
        Some(Triangle { ends: [a, b], corner })
    };
    PLACES.iter().filter_map(triangle).collect()
}

/// Ends of the slanted side in chart values, from `place` on, through the line there.
fn hypotenuse(points: &[[f64; 2]], order: f64, place: f64) -> Option<[[f64; 2]; 2]> {
    let lo = points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
    let hi = points.iter().map(|p| p[0]).fold(f64::NEG_INFINITY, f64::max);
    if points.len() < 2 || hi / lo < 1.5 {
        return None;
    }
    let at = |t: f64| lo * (hi / lo).powf(t);
    let (x0, x1) = (at(place), at(place + SHARE));
    let y0 = interpolate(points, x0)?;
    Some([[x0, y0], [x1, y0 * (x1 / x0).powf(order)]])
}

/// Value of the line at `x`, straight between its points on logarithmic axes.
fn interpolate(points: &[[f64; 2]], x: f64) -> Option<f64> {
    points.windows(2).find_map(|w| {
        let [p, q] = [w[0], w[1]];
        let inside = (p[0] <= x && x <= q[0]) || (q[0] <= x && x <= p[0]);
        (inside && p[0] != q[0]).then(|| {
            let t = (x / p[0]).ln() / (q[0] / p[0]).ln();
            p[1] * (q[1] / p[1]).powf(t)
        })
    })
}

/// Points on the page along all lines, close enough to tell what a triangle would cover.
fn sampled(axes: &Axes, lines: &[&[[f64; 2]]]) -> Vec<[f64; 2]> {
    let mut dots = Vec::new();
    for w in lines.iter().flat_map(|line| line.windows(2)) {
        let (p, q) = (axes.page(w[0][0], w[0][1]), axes.page(w[1][0], w[1][1]));
        dots.extend((0..16).map(|k| f64::from(k) / 16.0).map(|t| [0, 1].map(|c| p[c] + (q[c] - p[c]) * t)));
    }
    dots
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::axes::Scale;

    fn parabola(factor: f64) -> Vec<[f64; 2]> {
        [10.0, 20.0, 40.0, 80.0, 160.0].map(|n: f64| [n, factor / (n * n)]).to_vec()
    }

    #[test]
    fn the_slanted_side_follows_a_line_of_the_same_order() {
        let [a, b] = hypotenuse(&parabola(3.0), -2.0, 0.6).unwrap();
        for p in [a, b] {
            assert!((p[1] * p[0] * p[0] / 3.0 - 1.0).abs() < 1e-12, "{p:?}");
        }
        assert!(a[0] > 10.0 && b[0] < 160.0 && a[0] < b[0]);
    }

    #[test]
    fn nothing_for_too_few_points() {
        assert!(hypotenuse(&[[1.0, 1.0]], -1.0, 0.5).is_none());
        assert!(hypotenuse(&[[1.0, 1.0], [1.1, 1.0]], -1.0, 0.5).is_none());
    }

    #[test]
    fn the_triangle_evades_another_line() {
        // A second line close below leaves room only above the first.
        let (upper, lower) = (parabola(3.0), parabola(1.0));
        let frame = Rect::new(0.0, 0.0, 400.0, 400.0);
        let axes = Axes { frame, x: Scale::log(8.0, 200.0), y: Scale::log(1e-5, 1.0) };
        let mut drawing = Drawing::new(400.0, 400.0, "").unwrap();
        draw(&mut drawing, &axes, &[&upper, &lower], 0, -2.0);
        let crate::drawing::Item::Shape(shape) = &drawing.items[0] else { panic!("no triangle") };
        let dots = sampled(&axes, &[&upper, &lower]);
        let corners: Vec<_> = shape.path.points().collect();
        let right = corners.iter().map(|p| p[0]).fold(f64::MIN, f64::max);
        let top = corners.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
        assert!(dots.iter().all(|d| (d[0] - right).abs() > 3.0 || d[1] > top), "{corners:?}");
    }
}
