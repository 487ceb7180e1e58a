//! A plotting area: two scales, grid, numbers and titles.

use super::ticks::{Ticks, linear_ticks, log_ticks, usable_range};
use crate::drawing::{Anchor, Drawing, Label, Path, Rect, Stroke, theme};

/// A range of numbers on a range of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub lo: f64,
    pub hi: f64,
    pub log: bool,
}

impl Scale {
    /// A linear scale; an empty range is widened.
    pub fn linear(lo: f64, hi: f64) -> Self {
        let [lo, hi] = usable_range(lo, hi);
        Self { lo, hi, log: false }
    }

    /// A logarithmic scale of positive numbers, at least a fifth of a decade wide.
    pub fn log(lo: f64, hi: f64) -> Self {
        let narrow = hi / lo < 1.6;
        let (lo, hi) = if narrow { (lo / 1.3, hi * 1.3) } else { (lo, hi) };
        Self { lo, hi, log: true }
    }

    /// The same scale, longer at both ends by a share of its length on the page.
    pub fn padded(self, below: f64, above: f64) -> Self {
        if self.log {
            let span = (self.hi / self.lo).ln();
            let (lo, hi) = (self.lo * (-below * span).exp(), self.hi * (above * span).exp());
            return Self { lo, hi, ..self };
        }
        let span = self.hi - self.lo;
        Self { lo: self.lo - below * span, hi: self.hi + above * span, ..self }
    }

    /// Place of a value, 0 at the low end to 1 at the high end.
    pub fn fraction(&self, value: f64) -> f64 {
        if self.log {
            (value / self.lo).ln() / (self.hi / self.lo).ln()
        } else {
            (value - self.lo) / (self.hi - self.lo)
        }
    }

    fn ticks(&self, count: usize) -> Ticks {
        if self.log { log_ticks(self.lo, self.hi, count) } else { linear_ticks(self.lo, self.hi, count) }
    }
}

/// Two scales on a rectangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    pub frame: Rect,
    pub x: Scale,
    pub y: Scale,
}

impl Axes {
    /// Position on the page.
    pub fn page(&self, x: f64, y: f64) -> [f64; 2] {
        let (u, v) = (self.x.fraction(x), self.y.fraction(y));
        [self.frame.x + u * self.frame.width, self.frame.bottom() - v * self.frame.height]
    }

    /// Width of the widest number on the vertical axis, px.
    pub fn number_width(y: Scale, height: f64) -> f64 {
        let ticks = y.ticks(tick_count(height, 28.0));
        ticks.texts.iter().map(|t| number([0.0; 2], t).width()).fold(0.0, f64::max)
    }

    /// Draws grid and numbers; `x_numbers` says whether the horizontal axis has any.
    pub fn draw(&self, drawing: &mut Drawing, x_numbers: bool) {
        let frame = self.frame;
        let (mut grid, mut faint, mut marks) = (Path::new(), Path::new(), Path::new());
        let x_ticks = self.x.ticks(tick_count(frame.width, 60.0));
        for (value, text) in x_ticks.values.iter().zip(&x_ticks.texts) {
            let x = self.page(*value, self.y.lo)[0];
            let lines = if text.is_empty() { &mut faint } else { &mut grid };
            lines.add_line([x, frame.y], [x, frame.bottom()]);
            let length = if text.is_empty() { 2.5 } else { 4.0 };
            marks.add_line([x, frame.bottom()], [x, frame.bottom() + length]);
            if x_numbers {
                drawing.label(number([x, frame.bottom() + 16.0], text).anchored(Anchor::Middle));
            }
        }
        let y_ticks = self.y.ticks(tick_count(frame.height, 28.0));
        for (value, text) in y_ticks.values.iter().zip(&y_ticks.texts) {
            let y = self.page(self.x.lo, *value)[1];
            let lines = if text.is_empty() { &mut faint } else { &mut grid };
            lines.add_line([frame.x, y], [frame.right(), y]);
            drawing.label(number([frame.x - 7.0, y + 3.7], text).anchored(Anchor::End));
        }
        drawing.stroke(faint, Stroke::new(theme::GRID, 0.5));
        drawing.stroke(grid, Stroke::new(theme::GRID, 1.0));
        drawing.stroke(marks, Stroke::new(theme::AXIS, 1.0));
        let corner = [frame.x, frame.bottom()];
        let border = [[frame.x, frame.y], corner, [frame.right(), frame.bottom()]];
        drawing.stroke(Path::polyline(&border), Stroke::new(theme::AXIS, 1.0));
    }
}

fn tick_count(pixels: f64, each: f64) -> usize {
    (pixels / each).clamp(2.0, 12.0) as usize
}

fn number(at: [f64; 2], text: &str) -> Label {
    Label::marked(at, theme::SMALL, theme::MUTED, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_place_their_ends_and_middles() {
        let linear = Scale::linear(-2.0, 2.0);
        assert_eq!([-2.0, 0.0, 2.0].map(|v| linear.fraction(v)), [0.0, 0.5, 1.0]);
        let log = Scale::log(1.0, 100.0);
        assert!((log.fraction(10.0) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn padding_lengthens_by_shares_of_the_page() {
        let linear = Scale::linear(0.0, 10.0).padded(0.1, 0.2);
        assert_eq!((linear.lo, linear.hi), (-1.0, 12.0));
        let log = Scale::log(1.0, 100.0).padded(0.5, 0.5);
        assert!((log.lo - 0.1).abs() < 1e-12 && (log.hi - 1000.0).abs() < 1e-9);
    }

    #[test]
    fn single_values_get_room() {
        assert!(Scale::log(5.0, 5.0).hi > 5.0 && Scale::linear(5.0, 5.0).hi > 5.0);
    }

    #[test]
    fn the_page_has_y_down() {
        let frame = Rect::new(10.0, 20.0, 100.0, 50.0);
        let axes = Axes { frame, x: Scale::linear(0.0, 1.0), y: Scale::linear(0.0, 1.0) };
        assert_eq!(axes.page(0.0, 0.0), [10.0, 70.0]);
        assert_eq!(axes.page(1.0, 1.0), [110.0, 20.0]);
    }
}
