//! Six charts along the arc length: curvature |κ|, its components κ1 and κ2, τ, tension, shear and moment.

use crate::cable::{Cable, Station};
use crate::chart::{Bound, Curve, Panel, Run};
use crate::drawing::{Drawing, Label, Rect, theme};
use crate::error::PlotError;
use crate::quantity::Quantity;

/// The six charts as a picture of their own.
pub fn along(cable: &Cable, width: f64, height: f64) -> Result<Drawing, PlotError> {
    let mut drawing = Drawing::new(width, height, format!("{} along the arc length", cable.name))?;
    drawing.description =
        format!("Curvature, twist, tension, shear and moment of {} against the arc length.", cable.name);
    let title = Label::new([20.0, 28.0], 16.0, theme::INK, cable.name.clone()).bold();
    drawing.label(title.fitted(width - 40.0));
    let top = if cable.name.is_empty() { 8.0 } else { 40.0 };
    let area = drawing.page().inset(14.0, top, 14.0, 8.0);
    draw_along(&mut drawing, cable, area)?;
    Ok(drawing)
}

/// Draws the six charts into `area`, three in a row where there is room.
pub(crate) fn draw_along(drawing: &mut Drawing, cable: &Cable, area: Rect) -> Result<(), PlotError> {
    cable.check()?;
    let panels = panels(cable);
    let columns = match area.width {
        w if w >= 780.0 => 3,
        w if w >= 460.0 => 2,
        _ => 1,
    };
    let rows = panels.len() / columns;
    let (width, height) = (area.width / columns as f64, area.height / rows as f64);
    let s: Vec<f64> = cable.stations.iter().map(|s| s.s).collect();
    let length = s[s.len() - 1] - s[0];
    for (k, panel) in panels.iter().enumerate() {
        let (row, column) = (k / columns, k % columns);
        let cell = Rect::new(area.x + width * column as f64, area.y + height * row as f64, width, height);
        let together = panels.iter().skip(column).step_by(columns);
        let left = together.map(|p| p.number_width(height - 46.0)).fold(24.0, f64::max);
        let run = Run { s: &s, unit: Quantity::Length.unit(length), left, titled: row + 1 == rows };
        let gap = if column + 1 == columns { 0.0 } else { 12.0 };
        panel.draw(drawing, cell.inset(0.0, 0.0, gap, 0.0), run);
    }
    Ok(())
}

/// What a curve is called, and its value at a station.
type Named = (&'static str, fn(&Station) -> f64);

fn panels(cable: &Cable) -> [Panel; 6] {
    let stations = &cable.stations;
    let values = |f: fn(&Station) -> f64| stations.iter().map(f).collect::<Vec<f64>>();
    let noise = cable.noise();
    let panel = |title, quantity, values, limit, two_sided, noise| {
        let curves = vec![Curve { name: "", values, colour: theme::LINE }];
        Panel { title, quantity, curves, limit, two_sided, noise }
    };
    let two = |title, quantity, [(first, one), (second, other)]: [Named; 2], noise| {
        let one = Curve { name: first, values: values(one), colour: theme::LINE };
        let other = Curve { name: second, values: values(other), colour: theme::LINE_TWO };
        Panel { title, quantity, curves: vec![one, other], limit: Bound::None, two_sided: true, noise }
    };
    let limits = &cable.limits;
    let (bend, twist) = (Quantity::Curvature, Quantity::Twist);
    [
        panel(
            "Curvature |κ|",
            bend,
            values(Station::curvature),
            limits.curvature.into(),
            false,
            noise.strain,
        ),
        two("Curvatures κ_1, κ_2", bend, [("κ1", |s| s.strain[0]), ("κ2", |s| s.strain[1])], noise.strain),
        panel("Twist τ", twist, values(|s| s.strain[2]), limits.twist.into(), true, noise.strain),
        panel(
            "Tension",
            Quantity::Force,
            values(Station::tension),
            limits.tension.into(),
            false,
            noise.force,
        ),
        panel("Shear", Quantity::Force, values(Station::shear), Bound::None, false, noise.force),
        two(
            "Moment",
            Quantity::Moment,
            [("bending", Station::bending_moment), ("torsion", |s| s.moment[2])],
            noise.moment,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cable::Limits;

    /// The limit of |κ| used to be drawn at κ1 and κ2, each of which may keep it while the bend does not.
    #[test]
    fn the_limit_of_a_bend_is_drawn_at_the_whole_curvature() {
        let station = |s: f64| Station {
            s,
            position: [s, 0.0, 0.0],
            frame: [1.0, 0.0, 0.0, 0.0],
            strain: [9.0, 9.0, 0.0],
            moment: [0.0; 3],
            force: [0.0; 3],
            radius: 0.01,
        };
        let limits = Limits { curvature: Some(10.0), ..Limits::default() };
        let cable = Cable { stations: vec![station(0.0), station(1.0)], limits, ..Cable::default() };
        let [whole, parts, twist, ..] = panels(&cable);
        assert!(matches!(whole.limit, Bound::At(10.0)));
        assert!(whole.curves[0].values.iter().all(|v| *v > 10.0));
        assert!(matches!(parts.limit, Bound::None) && parts.curves.len() == 2);
        assert!(matches!(twist.limit, Bound::Unknown));
    }
}
