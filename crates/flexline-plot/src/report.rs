//! One page about one cable: title, key numbers, views and charts.

use crate::along::draw_along;
use crate::cable::{Cable, ColourBy};
use crate::drawing::{Drawing, Label, Path, Rect, SIDES, Stroke, theme};
use crate::error::PlotError;
use crate::facts::{Fact, Tone};
use crate::view::{Plane, ViewOptions, draw_perspective, draw_three};

/// Size and contents of a report page.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportOptions {
    /// Width, px; at least 880.
    pub width: f64,
    /// Height, px; at least 880. Key numbers beyond one row are added to it.
    pub height: f64,
    /// Line under the title, such as section, solver and status.
    pub subtitle: String,
    /// Key numbers; those of [`Cable::facts`] when empty.
    pub facts: Vec<Fact>,
    /// Colour of the tube.
    pub colour_by: ColourBy,
    /// Direction of the eye about z, degrees; chosen when absent.
    pub azimuth: Option<f64>,
    /// Height of the eye, degrees.
    pub elevation: f64,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            width: 1400.0,
            height: 1220.0,
            subtitle: String::new(),
            facts: Vec::new(),
            colour_by: ColourBy::Auto,
            azimuth: None,
            elevation: ViewOptions::default().elevation,
        }
    }
}

/// Smallest side of a page that holds everything legibly, px.
const LEAST: f64 = 880.0;

/// A page with title, key numbers, perspective, three views and charts along the arc length.
pub fn report(cable: &Cable, options: &ReportOptions) -> Result<Drawing, PlotError> {
    let subject = cable.subject(options.colour_by)?;
    let facts = if options.facts.is_empty() { cable.facts()? } else { options.facts.clone() };
    let (width, height) = (options.width, options.height);
    let columns = fact_columns(facts.len(), width - 56.0);
    let rows = facts.len().div_ceil(columns).max(1);
    let mut drawing = Drawing::new(width, height + FACT[1] * (rows - 1) as f64, cable.name.clone())?;
    if width.min(height) < LEAST {
        return Err(PlotError::Size { width, height, least: LEAST, most: SIDES[1] });
    }
    let listed: Vec<String> = facts.iter().map(|f| format!("{} {}", f.label, f.value)).collect();
    drawing.description = format!(
        "Report on {}: {}. Perspective, front, side and top views; curvature, twist, tension, shear and \
         moment along the arc length.",
        cable.name,
        listed.join(", ")
    );

    let page = drawing.page().inset(28.0, 22.0, 28.0, 16.0);
    let title = Label::new([page.x, page.y + 20.0], 22.0, theme::INK, cable.name.clone()).bold();
    drawing.label(title.fitted(page.width));
    let mut top = page.y + 30.0;
    if !options.subtitle.is_empty() {
        let at = [page.x, top + 12.0];
        drawing
            .label(Label::new(at, theme::HEADING, theme::MUTED, options.subtitle.clone()).fitted(page.width));
        top += 20.0;
    }
    top = draw_facts(&mut drawing, &facts, Rect::new(page.x, top + 8.0, page.width, FACT[1]));

    let middle = (page.bottom() - top) * 0.57;
    let left = page.width * 0.60;
    let options = ViewOptions { width, height, azimuth: options.azimuth, elevation: options.elevation };
    let area = Rect::new(page.x, top + 10.0, left, middle - 14.0);
    draw_perspective(&mut drawing, &subject, &options, area)?;
    let views = Rect::new(page.x + left + 14.0, top + 10.0, page.width - left - 14.0, middle - 14.0);
    draw_three(&mut drawing, &subject, &Plane::ALL, views, false);
    rule(&mut drawing, page, top + middle + 4.0);
    let charts =
        Rect::new(page.x - 8.0, top + middle + 14.0, page.width + 8.0, page.bottom() - top - middle - 14.0);
    draw_along(&mut drawing, cable, charts)?;
    Ok(drawing)
}

/// Least width and height of a key number, px.
const FACT: [f64; 2] = [140.0, 62.0];

/// Number of key numbers in a row.
fn fact_columns(count: usize, width: f64) -> usize {
    ((width / FACT[0]) as usize).clamp(1, count.max(1))
}

/// Key numbers in equal columns, in as many rows as needed, between two rules; gives back where they end.
fn draw_facts(drawing: &mut Drawing, facts: &[Fact], area: Rect) -> f64 {
    rule(drawing, area, area.y);
    let columns = fact_columns(facts.len(), area.width);
    let width = area.width / columns as f64;
    for (i, fact) in facts.iter().enumerate() {
        let (x, y) = (area.x + width * (i % columns) as f64, area.y + FACT[1] * (i / columns) as f64);
        let colour = match fact.tone {
            Tone::Plain => theme::INK,
            Tone::Good => theme::GOOD,
            Tone::Warn => theme::WARN.lit(0.6, 0.0),
            Tone::Bad => theme::BAD,
        };
        let room = width - 10.0;
        let small =
            |y, text: &String| Label::new([x, y], theme::SMALL, theme::MUTED, text.clone()).fitted(room);
        drawing.label(small(y + 18.0, &fact.label));
        drawing.label(Label::new([x, y + 39.0], 17.0, colour, fact.value.clone()).bold().fitted(room));
        drawing.label(small(y + 54.0, &fact.note));
    }
    let bottom = area.y + FACT[1] * facts.len().div_ceil(columns) as f64;
    rule(drawing, area, bottom);
    bottom
}

fn rule(drawing: &mut Drawing, area: Rect, y: f64) {
    drawing.stroke(Path::line([area.x, y], [area.right(), y]), Stroke::new(theme::GRID, 1.0));
}
