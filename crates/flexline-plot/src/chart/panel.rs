//! A small chart of quantities along the arc length, with its extremes marked.

use super::axes::{Axes, Scale};
use super::thin::thinned;
use crate::colour_map::extent;
use crate::drawing::{Anchor, Colour, Drawing, Label, Path, Rect, Stroke, theme};
use crate::quantity::{Quantity, Unit, short};

/// One line of a panel.
pub(crate) struct Curve {
    /// Name, with markup; needed when the panel has several curves.
    pub name: &'static str,
    /// Values, SI, one per station.
    pub values: Vec<f64>,
    pub colour: Colour,
}

/// The largest magnitude allowed.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    /// This, SI.
    At(f64),
    /// There could be one, and none is known.
    Unknown,
    /// There is none to know.
    None,
}

impl From<Option<f64>> for Bound {
    fn from(limit: Option<f64>) -> Self {
        limit.map_or(Self::Unknown, Self::At)
    }
}

/// A small chart.
pub(crate) struct Panel {
    /// Heading, with markup.
    pub title: &'static str,
    pub quantity: Quantity,
    pub curves: Vec<Curve>,
    pub limit: Bound,
    /// Whether the limit holds for negative values too.
    pub two_sided: bool,
    /// Magnitudes below this are numerical noise and shown as zero, SI.
    pub noise: f64,
}

/// The horizontal axis shared by panels.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    /// Arc length of each station, m.
    pub s: &'a [f64],
    pub unit: Unit,
    /// Room for the numbers of the vertical axes, px.
    pub left: f64,
    /// Whether to title the horizontal axis.
    pub titled: bool,
}

/// A limit farther away than this many times the data is not drawn but mentioned.
const FAR: f64 = 3.0;

impl Panel {
    fn unit(&self) -> Unit {
        let largest = self.curves.iter().flat_map(|c| &c.values).map(|v| v.abs()).fold(0.0, f64::max);
        self.quantity.unit(if largest > self.noise { largest } else { 0.0 })
    }

    /// Values in the unit of the panel, with noise removed.
    fn shown(&self, curve: &Curve) -> Vec<f64> {
        let factor = self.unit().factor;
        curve.values.iter().map(|v| if v.abs() > self.noise { v * factor } else { 0.0 }).collect()
    }

    /// Limits that are near enough to be drawn, in the unit of the panel.
    fn limits(&self, lo: f64, hi: f64) -> Vec<f64> {
        let Bound::At(limit) = self.limit else { return vec![] };
        let limit = limit * self.unit().factor;
        let largest = lo.abs().max(hi.abs());
        let upper = (limit <= FAR * largest && (hi > 0.3 * limit || !self.two_sided)).then_some(limit);
        let lower = (self.two_sided && limit <= FAR * largest && lo < -0.3 * limit).then_some(-limit);
        upper.into_iter().chain(lower).collect()
    }

    fn scale(&self) -> Scale {
        let all: Vec<f64> = self.curves.iter().flat_map(|c| self.shown(c)).collect();
        let [mut lo, mut hi] = extent(&all);
        for limit in self.limits(lo, hi) {
            (lo, hi) = (lo.min(limit), hi.max(limit));
        }
        // Zero belongs to the picture unless the values are far from it compared with their spread.
        let constant = hi - lo <= 1e-3 * lo.abs().max(hi.abs());
        if lo > 0.0 && (constant || lo < 0.7 * hi) {
            lo = 0.0;
        } else if hi < 0.0 && (constant || hi > 0.7 * lo) {
            hi = 0.0;
        }
        let below = if lo == 0.0 { 0.02 } else { 0.2 };
        let above = if hi == 0.0 { 0.02 } else { 0.2 };
        if lo == hi { Scale::linear(lo, hi) } else { Scale::linear(lo, hi).padded(below, above) }
    }

    /// Width of the numbers on the vertical axis, px.
    pub fn number_width(&self, height: f64) -> f64 {
        Axes::number_width(self.scale(), height)
    }

    /// Draws the panel inside `area`.
    pub fn draw(&self, drawing: &mut Drawing, area: Rect, run: Run<'_>) {
        let bottom = if run.titled { 36.0 } else { 22.0 };
        let frame = area.inset(run.left + 10.0, 24.0, 6.0, bottom);
        let unit = run.unit.factor;
        let [first, last] = extent(run.s).map(|s| s * unit);
        let axes = Axes { frame, x: Scale::linear(first, last), y: self.scale() };
        axes.draw(drawing, true);
        self.heading(drawing, frame);
        if run.titled {
            let at = [frame.centre()[0], frame.bottom() + 31.0];
            let title = Label::new(at, theme::SMALL, theme::INK, format!("s ({})", run.unit.name));
            drawing.label(title.anchored(Anchor::Middle));
        }
        let all: Vec<f64> = self.curves.iter().flat_map(|c| self.shown(c)).collect();
        let [lo, hi] = extent(&all);
        for limit in self.limits(lo, hi) {
            let from = axes.page(first, limit);
            let line = Path::line(from, [frame.right(), from[1]]);
            drawing.stroke(line, Stroke::new(theme::BAD, 1.1).dashed(5.0, 3.5));
        }
        let mut taken = Vec::new();
        for curve in &self.curves {
            let values = self.shown(curve);
            let points: Vec<[f64; 2]> =
                run.s.iter().zip(&values).map(|(s, v)| axes.page(s * unit, *v)).collect();
            draw_curve(drawing, &axes, &points, curve.colour, self.curves.len() == 1);
            mark_extremes(drawing, &axes, &points, &values, curve.colour, &mut taken);
        }
        for limit in self.limits(lo, hi) {
            name_limit(drawing, &axes, limit, &taken);
        }
    }

    /// Title, unit, names of the curves, and a limit that is out of sight.
    fn heading(&self, drawing: &mut Drawing, frame: Rect) {
        let y = frame.y - 9.0;
        let mut x = frame.x;
        let mut put = |drawing: &mut Drawing, label: Label, gap: f64| {
            let width = label.width();
            drawing.label(Label { at: [x, y], ..label });
            x += width + gap;
        };
        let title = Label::marked([0.0; 2], theme::HEADING, theme::INK, self.title).bold();
        put(drawing, title, 7.0);
        let unit = Label::new([0.0; 2], theme::SMALL, theme::MUTED, self.unit().name);
        put(drawing, unit, 14.0);
        if self.curves.len() > 1 {
            for curve in &self.curves {
                put(drawing, Label::marked([0.0; 2], theme::SMALL, curve.colour, curve.name).bold(), 10.0);
            }
        }
        let all: Vec<f64> = self.curves.iter().flat_map(|c| self.shown(c)).collect();
        let [lo, hi] = extent(&all);
        let (text, colour) = match self.limit {
            Bound::At(limit) if self.limits(lo, hi).is_empty() => {
                let sign = if self.two_sided { "±" } else { "" };
                (format!("limit {sign}{}", short(limit * self.unit().factor)), theme::BAD)
            }
            Bound::Unknown => ("no limit known".to_owned(), theme::MUTED),
            Bound::At(_) | Bound::None => return,
        };
        let label = Label::new([frame.right(), y], theme::SMALL, colour, text);
        drawing.label(label.anchored(Anchor::End));
    }
}

/// Writes the value of a limit at its line, where no extreme is marked.
fn name_limit(drawing: &mut Drawing, axes: &Axes, limit: f64, taken: &[Rect]) {
    let text = format!("limit {}", short(limit));
    let y = axes.page(axes.x.lo, limit)[1] + if limit > 0.0 { -4.0 } else { 11.5 };
    let label = Label::new([0.0, y], theme::SMALL, theme::BAD, text).haloed();
    let width = label.width();
    let room = axes.frame.width - width - 8.0;
    let places = [1.0, 0.0, 0.5, 0.25, 0.75].map(|t| axes.frame.x + 4.0 + t * room);
    let free = |x: &f64| {
        let rect = Rect::new(*x, y - 9.0, width, 12.0);
        taken.iter().all(|other| !overlap(other, &rect))
    };
    let x = places.into_iter().find(free).unwrap_or(places[0]);
    drawing.label(Label { at: [x, y], ..label });
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom()
}

fn draw_curve(drawing: &mut Drawing, axes: &Axes, points: &[[f64; 2]], colour: Colour, filled: bool) {
    let line = thinned(points);
    let zero = axes.page(axes.x.lo, 0.0)[1].clamp(axes.frame.y, axes.frame.bottom());
    if axes.y.lo <= 0.0 && axes.y.hi >= 0.0 {
        let base = Path::line([axes.frame.x, zero], [axes.frame.right(), zero]);
        drawing.stroke(base, Stroke::new(theme::AXIS, 0.9));
    }
    if filled && let (Some(first), Some(last)) = (line.first(), line.last()) {
        let mut area = line.clone();
        area.extend([[last[0], zero], [first[0], zero]]);
        drawing.fill(Path::polygon(&area), colour.with_opacity(0.10));
    }
    drawing.stroke(Path::polyline(&line), Stroke::new(colour, 1.7).round());
}

/// Extremes smaller than this share of the other one are not worth a mark.
const SMALL_EXTREME: f64 = 0.04;

/// Dots with numbers at the largest and the smallest value, where they differ and are not next to zero.
fn mark_extremes(
    drawing: &mut Drawing,
    axes: &Axes,
    points: &[[f64; 2]],
    values: &[f64],
    colour: Colour,
    taken: &mut Vec<Rect>,
) {
    let by_value = |a: &usize, b: &usize| values[*a].total_cmp(&values[*b]);
    let highest = (0..values.len()).max_by(by_value);
    let lowest = (0..values.len()).min_by(by_value);
    let (Some(highest), Some(lowest)) = (highest, lowest) else { return };
    let size = values[highest].abs().max(values[lowest].abs());
    let spread = values[highest] - values[lowest];
    let notable = |i: usize| size > 0.0 && values[i].abs() >= SMALL_EXTREME * size;
    let mut marks = vec![];
    if notable(highest) {
        marks.push((highest, -7.0));
    }
    if notable(lowest) && (spread > 1e-3 * size || marks.is_empty()) {
        marks.push((lowest, 15.0));
    }
    for (index, shift) in marks {
        let [x, y] = points[index];
        let dot = Stroke::new(colour, 1.4);
        drawing.shape(Path::circle([x, y], 2.6), Some(Colour::WHITE), Some(dot));
        let label = Label::new([x, y + shift], theme::SMALL, theme::INK, short(values[index])).bold();
        let half = 0.5 * label.width();
        let centre = x.clamp(axes.frame.x + half + 2.0, axes.frame.right() - half - 2.0);
        let inside = (axes.frame.y + 10.0, axes.frame.bottom() - 3.0);
        let baseline = (y + shift).clamp(inside.0, inside.1);
        let place = Rect::new(centre - half - 2.0, baseline - 9.5, 2.0 * half + 4.0, 12.0);
        if taken.iter().any(|other| overlap(other, &place)) {
            continue;
        }
        taken.push(place);
        drawing.label(Label { at: [centre, baseline], ..label }.anchored(Anchor::Middle).haloed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(values: &[f64], limit: Option<f64>) -> Panel {
        let curve = Curve { name: "", values: values.to_vec(), colour: theme::LINE };
        let (title, quantity) = ("κ_1", Quantity::Curvature);
        Panel { title, quantity, curves: vec![curve], limit: limit.into(), two_sided: true, noise: 1e-9 }
    }

    #[test]
    fn noise_is_shown_as_zero() {
        let panel = panel(&[1e-12, -3e-10, 0.0], None);
        assert_eq!(panel.shown(&panel.curves[0]), [0.0, 0.0, 0.0]);
        assert_eq!(panel.unit().name, "1/m");
    }

    #[test]
    fn near_limits_are_in_the_picture_and_far_ones_are_not() {
        let near = panel(&[-2.0, 8.0], Some(10.0));
        assert_eq!(near.limits(-2.0, 8.0), [10.0]);
        assert!(near.scale().hi > 10.0);
        let both = panel(&[-8.0, 8.0], Some(10.0));
        assert_eq!(both.limits(-8.0, 8.0), [10.0, -10.0]);
        let far = panel(&[-2.0, 8.0], Some(100.0));
        assert!(far.limits(-2.0, 8.0).is_empty() && far.scale().hi < 20.0);
    }

    #[test]
    fn zero_is_included_unless_far_away() {
        assert!(panel(&[1.0, 5.0], None).scale().lo <= 0.0);
        assert!(panel(&[4.9, 5.0], None).scale().lo > 4.0);
        assert!(panel(&[5.0, 5.0], None).scale().lo <= 0.0);
        assert!(panel(&[-5.0, -1.0], None).scale().hi >= 0.0);
    }
}
