//! The legend of a colour scale.

use crate::chart::linear_ticks;
use crate::colour_map::{BEYOND, ColourMap, ColourScale};
use crate::drawing::{Anchor, Drawing, Label, Path, Rect, Stroke, theme};
use crate::quantity::short;

/// Room a legend needs at the right side of a view, px.
pub(crate) const WIDTH: f64 = 92.0;
const BAR: f64 = 12.0;

/// Height of a colour bar in a view of the given height, px.
fn bar_height(height: f64) -> f64 {
    (height - 44.0).clamp(60.0, 170.0)
}

/// The part of `rect` that the legend covers.
pub(crate) fn room(rect: Rect) -> Rect {
    Rect::new(rect.right() - WIDTH, rect.y, WIDTH, 44.0 + bar_height(rect.height))
}

/// Draws the legend with its right top corner at the corner of `rect`.
pub(crate) fn draw(drawing: &mut Drawing, scale: &ColourScale, rect: Rect) {
    let x = rect.right() - WIDTH;
    let title = Label::new([x, rect.y + 11.0], theme::SMALL, theme::INK, scale.title.clone()).bold();
    let excess = title.width() - WIDTH;
    let title = if excess > 0.0 { title.anchored(Anchor::End) } else { title };
    let at = if excess > 0.0 { [rect.right(), title.at[1]] } else { title.at };
    drawing.label(Label { at, ..title });
    bar(drawing, scale, Rect::new(x, rect.y + 36.0, BAR, bar_height(rect.height)));
}

fn bar(drawing: &mut Drawing, scale: &ColourScale, rect: Rect) {
    let [lo, hi] = scale.range;
    let unit = scale.quantity.unit(lo.abs().max(hi.abs()));
    if hi <= lo {
        let at = [rect.x, rect.y - 14.0];
        drawing.fill(Path::rect(Rect::new(at[0], at[1], BAR, BAR), 2.5), scale.colour(lo));
        let text = format!("{} {}", short(lo * unit.factor), unit.name);
        drawing.label(Label::new([at[0] + BAR + 7.0, at[1] + 10.0], theme::SMALL, theme::MUTED, text));
        return;
    }
    drawing.label(Label::new([rect.x, rect.y - 9.0], theme::SMALL, theme::MUTED, unit.name));
    let steps = 48;
    for k in 0..steps {
        let t = (f64::from(k) + 0.5) / f64::from(steps);
        let y = rect.bottom() - rect.height * f64::from(k + 1) / f64::from(steps);
        // Half a pixel of overlap hides the seams.
        let slice = Rect::new(rect.x, y, rect.width, rect.height / f64::from(steps) + 0.5);
        drawing.fill(Path::rect(slice, 0.0), scale.map.colour(t));
    }
    drawing.stroke(Path::rect(rect, 0.0), Stroke::new(theme::AXIS, 0.8));
    let ticks = linear_ticks(lo * unit.factor, hi * unit.factor, 5);
    for (value, text) in ticks.values.iter().zip(&ticks.texts) {
        let t = (value / unit.factor - lo) / (hi - lo);
        if !(-1e-9..=1.0 + 1e-9).contains(&t) {
            continue;
        }
        let y = rect.bottom() - rect.height * t;
        drawing.stroke(Path::line([rect.right(), y], [rect.right() + 4.0, y]), Stroke::new(theme::AXIS, 0.8));
        let at = [rect.right() + 7.0, y + 3.7];
        drawing.label(Label::marked(at, theme::SMALL, theme::MUTED, text));
    }
    if scale.map == ColourMap::Utilisation {
        let y = rect.bottom() - rect.height / BEYOND;
        let line = Path::line([rect.x - 3.0, y], [rect.right() + 3.0, y]);
        drawing.stroke(line, Stroke::new(theme::INK, 1.6));
    }
}
