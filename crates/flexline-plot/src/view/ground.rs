//! The floor of a perspective view: a grid with numbers, a ruler for height, and the tube's shadow.

use super::camera::{Camera, Projection};
use super::tube::TubeMesh;
use crate::chart::nice_step;
use crate::drawing::{Anchor, Colour, Drawing, Label, Path, Stroke, theme};
use crate::quantity::{Quantity, Unit, fixed};
use nalgebra::Vector3;

/// A horizontal grid of square cells below the subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ground {
    /// Side of a cell, m.
    pub step: f64,
    /// First and last line in x and y, in steps.
    lines: [[i64; 2]; 2],
    /// Height of the floor and of the top of the ruler, m.
    heights: [f64; 2],
    unit: Unit,
}

impl Ground {
    /// A grid that holds the shadow of the box `lo`, `hi`, whose largest side is about `size`.
    pub fn new(lo: Vector3<f64>, hi: Vector3<f64>, size: f64) -> Self {
        let step = nice_step(size / 6.0);
        let cell = |value: f64, slack: f64| value / step + slack;
        let lines = [0, 1].map(|i| [cell(lo[i], -0.1).floor() as i64, cell(hi[i], 0.1).ceil() as i64]);
        let heights = [lo.z - 0.4 * step, hi.z.max(lo.z + 0.6 * step)];
        Self { step, lines, heights, unit: Quantity::Length.unit(size) }
    }

    /// A crossing of two grid lines.
    fn at(&self, x: i64, y: i64) -> Vector3<f64> {
        Vector3::new(x as f64 * self.step, y as f64 * self.step, self.heights[0])
    }

    /// Corners of the grid, to be kept in view.
    pub fn corners(&self) -> Vec<Vector3<f64>> {
        let [[x0, x1], [y0, y1]] = self.lines;
        vec![self.at(x0, y0), self.at(x1, y0), self.at(x1, y1), self.at(x0, y1)]
    }

    /// Tops of the rulers that might be drawn, to be kept in view as well.
    pub fn tops(&self) -> Vec<Vector3<f64>> {
        self.corners().into_iter().map(|p| Vector3::new(p.x, p.y, self.heights[1])).collect()
    }

    /// Draws grid, numbers and ruler.
    pub fn draw(&self, drawing: &mut Drawing, view: &Projection) {
        let [[x0, x1], [y0, y1]] = self.lines;
        let corners: Vec<[f64; 2]> = self.corners().iter().map(|p| view.page(p)).collect();
        drawing.fill(Path::polygon(&corners), Colour::hex(0xfafbfc));
        let mut grid = Path::new();
        for x in x0..=x1 {
            grid.add_line(view.page(&self.at(x, y0)), view.page(&self.at(x, y1)));
        }
        for y in y0..=y1 {
            grid.add_line(view.page(&self.at(x0, y)), view.page(&self.at(x1, y)));
        }
        drawing.stroke(grid, Stroke::new(theme::GRID, 1.0));
        drawing.stroke(Path::polygon(&corners), Stroke::new(theme::FRAME, 1.0));
        let near = |axis: usize| {
            let [lo, hi] = self.lines[axis];
            if view.camera.toward[axis] > 0.0 { hi } else { lo }
        };
        let along_x: Vec<_> = (x0..=x1).map(|x| (x, self.at(x, near(1)))).collect();
        let along_y: Vec<_> = (y0..=y1).map(|y| (y, self.at(near(0), y))).collect();
        self.numbers(drawing, view, "x", &along_x, None);
        // The corner that both edges share gets only the number of x.
        self.numbers(drawing, view, "y", &along_y, Some(near(1)));
        self.ruler(drawing, view);
    }

    /// Numbers along one edge of the grid, on its outer side, but for the line `skip`.
    fn numbers(
        &self,
        drawing: &mut Drawing,
        view: &Projection,
        name: &str,
        marks: &[(i64, Vector3<f64>)],
        skip: Option<i64>,
    ) {
        let pages: Vec<[f64; 2]> = marks.iter().map(|(_, p)| view.page(p)).collect();
        let (first, last) = (pages[0], pages[pages.len() - 1]);
        let corners = self.corners();
        let middle = view.page(&(corners.iter().sum::<Vector3<f64>>() / 4.0));
        let edge = [last[0] - first[0], last[1] - first[1]];
        let length = edge[0].hypot(edge[1]).max(1e-9);
        // Normal to the edge, away from the middle of the grid.
        let mut out = [edge[1] / length, -edge[0] / length];
        if (first[0] - middle[0]) * out[0] + (first[1] - middle[1]) * out[1] < 0.0 {
            out = out.map(|c| -c);
        }
        let anchor = anchor(out[0]);
        let place = |p: [f64; 2], far: f64| [p[0] + out[0] * far, p[1] + out[1] * far + 4.0];
        let texts: Vec<String> = marks.iter().map(|(k, _)| self.text(*k)).collect();
        let widest = texts.iter().map(|t| label(t).width()).fold(0.0, f64::max);
        let needed = (widest + 8.0) * (edge[0].abs() / length) + 14.0 * (edge[1].abs() / length);
        let every = (needed / (length / (marks.len() - 1).max(1) as f64)).ceil().max(1.0) as i64;
        for ((k, _), (page, text)) in marks.iter().zip(pages.iter().zip(&texts)) {
            if k.rem_euclid(every) == 0 && Some(*k) != skip {
                drawing.label(Label { at: place(*page, 9.0), ..label(text) }.anchored(anchor));
            }
        }
        let centre = [0.5 * (first[0] + last[0]), 0.5 * (first[1] + last[1])];
        let far = 24.0 + (widest - 6.0).max(0.0) * out[0].abs();
        let text = format!("{name} ({})", self.unit.name);
        let title = Label::new(place(centre, far), theme::SMALL, theme::INK, text);
        drawing.label(title.anchored(anchor));
    }

    /// A ruler for height at the corner farthest to the left.
    fn ruler(&self, drawing: &mut Drawing, view: &Projection) {
        let corners = self.corners();
        let left = |p: &&Vector3<f64>| view.page(p)[0];
        let Some(corner) = corners.iter().min_by(|a, b| left(a).total_cmp(&left(b))) else { return };
        let [lo, hi] = self.heights;
        let at = |z: f64| view.page(&Vector3::new(corner.x, corner.y, z));
        let spacing = (at(lo)[1] - at(lo + self.step)[1]).abs().max(1e-9);
        let every = (15.0 / spacing).ceil().max(1.0) as i64;
        let mut ruler = Path::line(at(lo), at(hi));
        for k in (lo / self.step).ceil() as i64..=(hi / self.step + 1e-9).floor() as i64 {
            let [x, y] = at(k as f64 * self.step);
            ruler.add_line([x - 4.0, y], [x, y]);
            // A number next to the floor would run into those of the floor.
            if k.rem_euclid(every) == 0 && at(lo)[1] - y > 12.0 {
                let place = [x - 8.0, y + 3.7];
                drawing.label(Label { at: place, ..label(&self.text(k)) }.anchored(Anchor::End));
            }
        }
        drawing.stroke(ruler, Stroke::new(theme::AXIS, 1.0));
        let [x, y] = at(hi);
        let title =
            Label::new([x - 4.0, y - 10.0], theme::SMALL, theme::INK, format!("z ({})", self.unit.name));
        drawing.label(title.anchored(Anchor::Middle));
    }

    fn text(&self, k: i64) -> String {
        let step = self.step * self.unit.factor;
        let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 9.0) as usize;
        fixed(k as f64 * step, decimals)
    }

    /// The shadow of a tube under light from straight above.
    pub fn shadow(&self, drawing: &mut Drawing, view: &Projection, mesh: &TubeMesh<'_>) {
        let flat = |p: &Vector3<f64>| view.page(&Vector3::new(p.x, p.y, self.heights[0]));
        let points: Vec<[f64; 2]> = mesh.knots.iter().map(|k| flat(&k.position)).collect();
        let widths = mesh.knots.iter().zip(&mesh.radius).map(|(k, r)| 2.0 * r * view.pixels(&k.position));
        let width = widths.sum::<f64>() / mesh.knots.len() as f64;
        let colour = theme::INK.with_opacity(0.05);
        for factor in [1.25, 1.0, 0.75, 0.5] {
            let stroke = Stroke::new(colour, (factor * width).max(1.0)).round();
            drawing.stroke(Path::polyline(&points), stroke);
        }
    }
}

fn label(text: &str) -> Label {
    Label::new([0.0; 2], theme::SMALL, theme::MUTED, text)
}

fn anchor(out_x: f64) -> Anchor {
    match out_x {
        x if x > 0.35 => Anchor::Start,
        x if x < -0.35 => Anchor::End,
        _ => Anchor::Middle,
    }
}

/// The customary azimuth: x to the right, y to the back.
const CUSTOMARY: f64 = -60.0;
/// Azimuths tried, this many degrees apart.
const STEP: i32 = 15;

/// The azimuth, in whole steps all around, from which the points spread most over the page.
///
/// The spread is the determinant of the second moments on the page: zero when the points fall on a line, as
/// those of a planar curve do when looked at edge-on. The customary azimuth stays unless another one is
/// clearly better, and one from the front is preferred to its opposite.
pub(crate) fn best_azimuth(
    points: &[Vector3<f64>],
    centre: Vector3<f64>,
    elevation: f64,
    distance: f64,
) -> f64 {
    let spread = |azimuth: f64| {
        let camera = Camera::perspective(azimuth, elevation, centre, distance);
        let pages: Vec<[f64; 2]> = points.iter().map(|p| camera.plane(p)).collect();
        let n = pages.len() as f64;
        let mean = [0, 1].map(|i| pages.iter().map(|p| p[i]).sum::<f64>() / n);
        let moment =
            |i: usize, j: usize| pages.iter().map(|p| (p[i] - mean[i]) * (p[j] - mean[j])).sum::<f64>() / n;
        let (a, b, c) = (moment(0, 0), moment(0, 1), moment(1, 1));
        (a * c - b * b).max(0.0) + 0.002 * (a + c).powi(2)
    };
    let mut best = (CUSTOMARY, 1.5 * spread(CUSTOMARY));
    // Outwards from the customary one, so that of equally good ones the nearest wins.
    let turns = (1..=180 / STEP).flat_map(|k| [k * STEP, -k * STEP]);
    for azimuth in turns.map(|turn| CUSTOMARY + f64::from(turn)) {
        let azimuth = if azimuth <= -180.0 { azimuth + 360.0 } else { azimuth };
        // Looking along an axis of the floor hides the other one.
        let along_axis = (azimuth / 90.0).fract() == 0.0;
        let weight = match azimuth {
            _ if along_axis => 0.5,
            a if a < 0.0 => 1.0,
            _ => 0.7,
        };
        let score = weight * spread(azimuth);
        if score > 1.001 * best.1 {
            best = (azimuth, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_holds_the_subject_in_round_cells() {
        let ground = Ground::new(Vector3::new(-0.11, 0.0, 0.02), Vector3::new(0.52, 0.1, 0.31), 0.63);
        assert_eq!(ground.step, 0.2);
        let corners = ground.corners();
        assert!(corners[0].x <= -0.11 && corners[2].x >= 0.52 && corners[0].y < 0.0 && corners[2].y > 0.1);
        assert!(corners.iter().all(|p| p.z < 0.02));
        assert_eq!(ground.text(1), "200");
    }

    #[test]
    fn a_planar_curve_is_not_looked_at_edge_on() {
        // A circle in the vertical plane that contains the customary viewing direction.
        let (sin, cos) = (-60.0_f64).to_radians().sin_cos();
        let points: Vec<_> = (0..40)
            .map(|i| (f64::from(i) * 0.157).sin_cos())
            .map(|(s, c)| Vector3::new(c * cos, c * sin, s))
            .collect();
        let azimuth = best_azimuth(&points, Vector3::zeros(), 20.0, 5.0);
        assert!((azimuth + 60.0).abs() > 30.0, "{azimuth}");
    }

    /// An arc of a circle in the vertical plane at `azimuth`, seen best at right angles to it.
    fn vertical_arc(azimuth: f64) -> Vec<Vector3<f64>> {
        let (sin, cos) = azimuth.to_radians().sin_cos();
        (0..40)
            .map(|i| (f64::from(i) * 0.08).sin_cos())
            .map(|(s, c)| Vector3::new(c * cos, c * sin, s))
            .collect()
    }

    #[test]
    fn every_vertical_plane_is_seen_well() {
        for plane in (-180..180).step_by(10).map(f64::from) {
            let chosen = best_azimuth(&vertical_arc(plane), Vector3::zeros(), 22.0, 6.0);
            assert!((-180.0..=180.0).contains(&chosen), "{chosen}");
            let across = (chosen - plane).to_radians().sin().abs();
            assert!(across > 0.7, "plane {plane}: seen from {chosen}, {across:.2} of its width shows");
        }
    }

    #[test]
    fn the_customary_view_stays_when_nothing_is_clearly_better() {
        let circle = (0..40).map(|i| (f64::from(i) * 0.157).sin_cos());
        let flat: Vec<_> = circle.map(|(s, c)| Vector3::new(c, s, 0.0)).collect();
        assert_eq!(best_azimuth(&flat, Vector3::zeros(), 22.0, 6.0), CUSTOMARY);
        assert_eq!(best_azimuth(&vertical_arc(0.0), Vector3::zeros(), 22.0, 6.0), CUSTOMARY);
    }
}
