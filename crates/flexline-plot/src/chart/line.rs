//! Line charts, linear or logarithmic on either axis.

use super::axes::{Axes, Scale};
use super::slope;
use super::thin::thinned;
use crate::drawing::{Anchor, Colour, Drawing, Label, Path, Rect, Stroke, theme};
use crate::error::{LARGEST_VALUE, PlotError, check, check_count};

/// One axis of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Title with unit; `_` and `^` make sub- and superscripts.
    pub title: String,
    /// Logarithmic.
    pub log: bool,
}

impl Axis {
    /// A linear axis.
    pub fn linear(title: impl Into<String>) -> Self {
        Self { title: title.into(), log: false }
    }

    /// A logarithmic axis.
    pub fn log(title: impl Into<String>) -> Self {
        Self { title: title.into(), log: true }
    }
}

/// Sign at each point of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// Line only.
    None,
    /// Circle.
    Circle,
    /// Square.
    Square,
    /// Triangle.
    Triangle,
    /// Diamond.
    Diamond,
}

impl Marker {
    const CYCLE: [Self; 4] = [Self::Circle, Self::Square, Self::Triangle, Self::Diamond];

    fn path(self, at: [f64; 2]) -> Path {
        let [x, y] = at;
        match self {
            Self::None => Path::new(),
            Self::Circle => Path::circle(at, 3.2),
            Self::Square => Path::rect(Rect::new(x - 2.9, y - 2.9, 5.8, 5.8), 0.0),
            Self::Triangle => Path::polygon(&[[x, y - 3.9], [x + 3.6, y + 2.6], [x - 3.6, y + 2.6]]),
            Self::Diamond => Path::polygon(&[[x, y - 4.0], [x + 4.0, y], [x, y + 4.0], [x - 4.0, y]]),
        }
    }
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y).
    pub points: Vec<[f64; 2]>,
    /// Colour; from the palette when absent.
    pub colour: Option<Colour>,
    /// Sign at the points; chosen when absent, none for more than 40 points.
    pub marker: Option<Marker>,
    /// Dashed line.
    pub dashed: bool,
    /// Draw a triangle of this order beside the line; only with two logarithmic axes.
    pub slope: Option<f64>,
}

impl Series {
    /// A line with the usual looks.
    pub fn new(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), points, colour: None, marker: None, dashed: false, slope: None }
    }

    /// The same line with a triangle showing the exponent `order`.
    pub fn with_slope(self, order: f64) -> Self {
        Self { slope: Some(order), ..self }
    }

    /// The same line, dashed and without marks: for theory beside measurement.
    pub fn reference(self) -> Self {
        Self { dashed: true, marker: Some(Marker::None), ..self }
    }
}

/// A horizontal line at a limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// Where.
    pub value: f64,
    /// What it is; `_` and `^` make sub- and superscripts.
    pub label: String,
}

/// A chart of lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Lines.
    pub series: Vec<Series>,
    /// Limits.
    pub guides: Vec<Guide>,
}

impl Chart {
    /// The chart as a picture of its own.
    pub fn drawing(&self, width: f64, height: f64) -> Result<Drawing, PlotError> {
        let mut drawing = Drawing::new(width, height, self.title.clone())?;
        let names: Vec<&str> = self.series.iter().map(|s| s.name.as_str()).collect();
        let plain = |text: &str| Label::marked([0.0; 2], 1.0, theme::INK, text).text();
        drawing.description =
            format!("{} against {}: {}.", plain(&self.y.title), plain(&self.x.title), names.join(", "));
        let area = drawing.page().inset(14.0, 10.0, 18.0, 10.0);
        self.draw(&mut drawing, area)?;
        Ok(drawing)
    }

    /// Draws the chart into a part of a picture.
    pub fn draw(&self, drawing: &mut Drawing, area: Rect) -> Result<(), PlotError> {
        let [x, y] = self.scales()?;
        let mut top = area.y;
        if !self.title.is_empty() {
            let at = [area.x + 4.0, top + 16.0];
            drawing.label(Label::marked(at, 14.0, theme::INK, &self.title).bold().fitted(area.width - 8.0));
            top += 26.0;
        }
        top = self.legend(drawing, area, top);
        let outer = Rect::new(area.x, top, area.width, area.bottom() - top);
        let numbers = Axes::number_width(y, outer.height - 44.0);
        let frame = outer.inset(numbers + 32.0, 8.0, 6.0, 42.0);
        let axes = Axes { frame, x, y };
        axes.draw(drawing, true);
        let at = [frame.centre()[0], frame.bottom() + 35.0];
        let title = Label::marked(at, theme::NORMAL, theme::INK, &self.x.title);
        drawing.label(title.anchored(Anchor::Middle));
        let at = [frame.x - numbers - 18.0, frame.centre()[1]];
        let title = Label::marked(at, theme::NORMAL, theme::INK, &self.y.title);
        drawing.label(title.anchored(Anchor::Middle).upward());
        for guide in &self.guides {
            let [x, y] = axes.page(axes.x.lo, guide.value);
            let line = Stroke::new(theme::BAD, 1.2).dashed(6.0, 4.0);
            drawing.stroke(Path::line([x, y], [frame.right(), y]), line);
        }
        for (i, series) in self.series.iter().enumerate() {
            self.draw_series(drawing, &axes, i, series);
        }
        for guide in &self.guides {
            let at = [frame.right() - 4.0, axes.page(axes.x.lo, guide.value)[1] - 5.0];
            let label = Label::marked(at, theme::SMALL, theme::BAD, &guide.label);
            drawing.label(label.anchored(Anchor::End).haloed());
        }
        Ok(())
    }

    /// Scales that hold every point and every limit.
    fn scales(&self) -> Result<[Scale; 2], PlotError> {
        check_count("series", self.series.len(), 1)?;
        let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        let mut include = |what: &str, index: usize, axis: usize, value: f64| {
            check(what, index, value, LARGEST_VALUE)?;
            let log = if axis == 0 { self.x.log } else { self.y.log };
            if log && value < 1.0 / LARGEST_VALUE {
                let expected = "a positive number, on a logarithmic axis,";
                return Err(PlotError::OutOfRange { what: what.into(), index, value, expected });
            }
            range[axis] = [range[axis][0].min(value), range[axis][1].max(value)];
            Ok(())
        };
        for series in &self.series {
            check_count(&format!("series '{}'", series.name), series.points.len(), 1)?;
            for (i, point) in series.points.iter().enumerate() {
                include(&format!("x of series '{}'", series.name), i, 0, point[0])?;
                include(&format!("y of series '{}'", series.name), i, 1, point[1])?;
            }
        }
        for (i, guide) in self.guides.iter().enumerate() {
            include("guide", i, 1, guide.value)?;
        }
        let scale = |[lo, hi]: [f64; 2], log: bool| {
            if log { Scale::log(lo, hi) } else { Scale::linear(lo, hi) }.padded(0.04, 0.04)
        };
        Ok([scale(range[0], self.x.log), scale(range[1], self.y.log)])
    }

    fn colour(&self, i: usize, series: &Series) -> Colour {
        series.colour.unwrap_or(theme::SERIES[i % theme::SERIES.len()])
    }

    fn marker(i: usize, series: &Series) -> Marker {
        let few = series.points.len() <= 40;
        let chosen = if few { Marker::CYCLE[i % Marker::CYCLE.len()] } else { Marker::None };
        series.marker.unwrap_or(chosen)
    }

    fn line(&self, i: usize, series: &Series) -> Stroke {
        let line = Stroke::new(self.colour(i, series), 1.8).round();
        if series.dashed { line.dashed(5.0, 4.0) } else { line }
    }

    /// Names of the lines in rows from `top` on; gives back where they end.
    fn legend(&self, drawing: &mut Drawing, area: Rect, top: f64) -> f64 {
        let named: Vec<_> = self.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()).collect();
        if named.len() < 2 {
            return top;
        }
        let (mut x, mut y) = (area.x + 4.0, top + 11.0);
        for (i, series) in named {
            let label = Label::new([0.0; 2], theme::NORMAL, theme::INK, series.name.clone())
                .fitted(area.width - 60.0);
            let width = 30.0 + label.width() + 18.0;
            if x + width > area.right() && x > area.x + 4.0 {
                (x, y) = (area.x + 4.0, y + 19.0);
            }
            drawing.stroke(Path::line([x, y - 4.0], [x + 22.0, y - 4.0]), self.line(i, series));
            let marker = Self::marker(i, series).path([x + 11.0, y - 4.0]);
            drawing.fill(marker, self.colour(i, series));
            drawing.label(Label { at: [x + 28.0, y], ..label });
            x += width;
        }
        y + 8.0
    }

    fn draw_series(&self, drawing: &mut Drawing, axes: &Axes, i: usize, series: &Series) {
        let points: Vec<[f64; 2]> = series.points.iter().map(|p| axes.page(p[0], p[1])).collect();
        drawing.stroke(Path::polyline(&thinned(&points)), self.line(i, series));
        let marker = Self::marker(i, series);
        if marker != Marker::None || points.len() == 1 {
            let marker = if marker == Marker::None { Marker::Circle } else { marker };
            let mut marks = Path::new();
            points.iter().for_each(|p| marks.append(marker.path(*p)));
            drawing.shape(marks, Some(self.colour(i, series)), Some(Stroke::new(Colour::WHITE, 0.9)));
        }
        if let (Some(order), true) = (series.slope, self.x.log && self.y.log) {
            let lines: Vec<&[[f64; 2]]> = self.series.iter().map(|s| s.points.as_slice()).collect();
            slope::draw(drawing, axes, &lines, i, order);
        }
    }
}
