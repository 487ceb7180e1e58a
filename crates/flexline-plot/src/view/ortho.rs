//! Parallel projections side by side, at one scale, with rulers.

use super::camera::{Camera, Plane, Projection};
use super::spatial::{thickness_note, usable_size};
use super::{exaggeration, legend, meshes, paint_subject};
use crate::chart::linear_ticks;
use crate::drawing::{Anchor, Drawing, Label, Path, Rect, Stroke, theme};
use crate::quantity::{Quantity, Unit};
use crate::subject::Subject;
use nalgebra::Vector3;

/// Room around each pane for its numbers and heading: left, top, right, bottom, px.
const ROOM: [f64; 4] = [46.0, 24.0, 10.0, 36.0];
/// A side of the subject counts as at least this share of the longest, so that no pane is a mere slit.
const LEAST_SHARE: f64 = 0.2;

/// A pane: the view and where it goes, numbers excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pane {
    plane: Plane,
    frame: Rect,
}

/// Draws the planes inside `area` at the largest common scale, with a legend of colours and thickness when
/// asked.
pub(crate) fn draw_three(
    drawing: &mut Drawing,
    subject: &Subject,
    planes: &[Plane],
    area: Rect,
    with_legend: bool,
) {
    let legend = subject.scale.as_ref().filter(|_| with_legend);
    let [lo, hi] = subject.bounds();
    let size = usable_size(lo, hi);
    let extent = (hi - lo).map(|side| side.max(LEAST_SHARE * size));
    let margin = if subject.loads.is_empty() { 18.0 } else { 42.0 };
    let right = if legend.is_some() { legend::WIDTH + 12.0 } else { 0.0 };
    let (panes, scale) = arrange(planes, extent, margin, area.inset(0.0, 0.0, right, 0.0));
    let unit = Quantity::Length.unit(size);
    let mut factor = Some(1.0_f64);
    for pane in &panes {
        let middle = 0.5 * (lo + hi);
        let [i, j] = pane.plane.axes();
        let camera = Camera::along(pane.plane, Vector3::zeros());
        let view = Projection::new(camera, scale, [middle[i], middle[j]], pane.frame.centre());
        draw_frame(drawing, pane, &view, [middle[i], middle[j]], unit);
        let meshes = meshes(subject, &view);
        paint_subject(drawing, subject, &view, &meshes, 0.65);
        factor = factor.zip(exaggeration(&meshes)).map(|(a, b)| a.max(b));
    }
    if let Some(scale) = legend {
        legend::draw(drawing, scale, area.inset(0.0, ROOM[1], 4.0, ROOM[3]));
    }
    if let (Some(text), true) = (thickness_note(factor), with_legend) {
        let at = [area.right() - 4.0, area.bottom() + 2.0];
        drawing.label(Label::new(at, theme::SMALL, theme::MUTED, text).anchored(Anchor::End));
    }
}

/// Frame, grid, numbers and heading of a pane.
fn draw_frame(drawing: &mut Drawing, pane: &Pane, view: &Projection, middle: [f64; 2], unit: Unit) {
    let frame = pane.frame;
    let axes = pane.plane.axes();
    let names = axes.map(|axis| ["x", "y", "z"][axis]);
    let half = [frame.width, frame.height].map(|side| 0.5 * side / view.scale);
    let ticks = [0, 1].map(|i| {
        let count = ([frame.width, frame.height][i] / [42.0, 30.0][i]).max(3.0) as usize;
        let window = [-1.0, 1.0].map(|sign| (middle[i] + sign * half[i]) * unit.factor);
        linear_ticks(window[0], window[1], count)
    });
    let page = |i: usize, value: f64| {
        let offset = (value / unit.factor - middle[i]) * view.scale;
        if i == 0 { frame.centre()[0] + offset } else { frame.centre()[1] - offset }
    };
    let mut grid = Path::new();
    for (value, text) in ticks[0].values.iter().zip(&ticks[0].texts) {
        let x = page(0, *value);
        if x > frame.x + 0.5 && x < frame.right() - 0.5 {
            grid.add_line([x, frame.y], [x, frame.bottom()]);
            let label = Label::marked([x, frame.bottom() + 14.0], theme::SMALL, theme::MUTED, text);
            drawing.label(label.anchored(Anchor::Middle));
        }
    }
    for (value, text) in ticks[1].values.iter().zip(&ticks[1].texts) {
        let y = page(1, *value);
        if y > frame.y + 0.5 && y < frame.bottom() - 0.5 {
            grid.add_line([frame.x, y], [frame.right(), y]);
            let label = Label::marked([frame.x - 6.0, y + 3.7], theme::SMALL, theme::MUTED, text);
            drawing.label(label.anchored(Anchor::End));
        }
    }
    drawing.stroke(grid, Stroke::new(theme::GRID, 1.0));
    drawing.stroke(Path::rect(frame, 0.0), Stroke::new(theme::FRAME, 1.0));
    let [right, up] = names;
    let bottom = format!("{right} ({})", unit.name);
    let at = [frame.centre()[0], frame.bottom() + 29.0];
    drawing.label(Label::new(at, theme::SMALL, theme::INK, bottom).anchored(Anchor::Middle));
    let at = [frame.x - 36.0, frame.centre()[1]];
    let side = format!("{up} ({})", unit.name);
    drawing.label(Label::new(at, theme::SMALL, theme::INK, side).anchored(Anchor::Middle).upward());
    let heading = Label::new([frame.x, frame.y - 8.0], theme::HEADING, theme::INK, pane.plane.name()).bold();
    drawing.label(heading);
}

/// Panes for the planes, and the scale in px per metre: in a row, in a column, or as on a technical drawing
/// (top above front, side to the right of it), whichever shows the subject largest.
fn arrange(planes: &[Plane], extent: Vector3<f64>, margin: f64, area: Rect) -> (Vec<Pane>, f64) {
    let [left, top, right, bottom] = ROOM;
    let cell = [left + right + 2.0 * margin, top + bottom + 2.0 * margin];
    let widths: Vec<f64> = planes.iter().map(|p| extent[p.axes()[0]]).collect();
    let heights: Vec<f64> = planes.iter().map(|p| extent[p.axes()[1]]).collect();
    let largest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
    let row: Vec<[usize; 2]> = (0..planes.len()).map(|k| [k, 0]).collect();
    let column: Vec<[usize; 2]> = (0..planes.len()).map(|k| [0, k]).collect();
    let mut choices = vec![
        (row, widths.clone(), vec![largest(&heights)]),
        (column, vec![largest(&widths)], heights.clone()),
    ];
    if planes == Plane::ALL {
        let places = vec![[0, 1], [1, 1], [0, 0]];
        choices.push((places, vec![extent.x, extent.y], vec![extent.y, extent.z]));
    }
    let share = |side: f64, sizes: &[f64], per_cell: f64| {
        ((side - per_cell * sizes.len() as f64) / sizes.iter().sum::<f64>()).max(f64::MIN_POSITIVE)
    };
    let scale_of = |columns: &[f64], rows: &[f64]| {
        share(area.width, columns, cell[0]).min(share(area.height, rows, cell[1]))
    };
    let better = |a: &(Vec<[usize; 2]>, Vec<f64>, Vec<f64>), b: &(Vec<[usize; 2]>, Vec<f64>, Vec<f64>)| {
        scale_of(&a.1, &a.2).total_cmp(&scale_of(&b.1, &b.2))
    };
    let Some((places, columns, rows)) = choices.into_iter().max_by(better) else {
        return (Vec::new(), 1.0);
    };
    let scale = scale_of(&columns, &rows);
    // What is left over is shared out, so that the panes fill the area.
    let spread = |side: f64, sizes: &[f64], per_cell: f64| -> Vec<f64> {
        let spare = (side - per_cell * sizes.len() as f64).max(0.0);
        let total: f64 = sizes.iter().sum();
        sizes.iter().map(|s| per_cell + spare * s / total).collect()
    };
    let (cells_x, cells_y) = (spread(area.width, &columns, cell[0]), spread(area.height, &rows, cell[1]));
    let before = |cells: &[f64], k: usize| cells[..k].iter().sum::<f64>();
    let panes = planes.iter().zip(places).map(|(plane, [cx, cy])| {
        let (x, y) = (area.x + before(&cells_x, cx), area.y + before(&cells_y, cy));
        let frame = Rect::new(x, y, cells_x[cx], cells_y[cy]).inset(left, top, right, bottom);
        Pane { plane: *plane, frame }
    });
    (panes.collect(), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(extent: Vector3<f64>, area: Rect) -> (Vec<Pane>, f64) {
        let (panes, scale) = arrange(&Plane::ALL, extent, 10.0, area);
        for pane in &panes {
            let [i, j] = pane.plane.axes();
            assert!(extent[i] * scale <= pane.frame.width - 19.9, "{pane:?} {scale}");
            assert!(extent[j] * scale <= pane.frame.height - 19.9, "{pane:?} {scale}");
            assert!(area.contains([pane.frame.x, pane.frame.y]));
            assert!(area.contains([pane.frame.right() - 1e-9, pane.frame.bottom() - 1e-9]));
        }
        (panes, scale)
    }

    #[test]
    fn every_pane_holds_the_subject_at_the_common_scale() {
        let area = Rect::new(5.0, 7.0, 900.0, 600.0);
        for extent in [[1.0, 1.0, 1.0], [5.0, 1.0, 1.0], [1.0, 5.0, 1.0], [1.0, 1.0, 5.0]] {
            let (panes, _) = fits(Vector3::from(extent), area);
            assert_eq!(panes.len(), 3);
            for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                let (a, b) = (panes[a].frame, panes[b].frame);
                let apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                assert!(apart, "{extent:?}");
            }
        }
    }

    #[test]
    fn a_tall_subject_stands_in_a_row() {
        let (panes, _) = fits(Vector3::new(0.2, 0.2, 1.0), Rect::new(0.0, 0.0, 900.0, 600.0));
        assert!(panes.iter().all(|p| p.frame.y == panes[0].frame.y));
    }
}
