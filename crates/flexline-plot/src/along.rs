//! Six charts along the arc length: curvature |κ|, its components κ1 and κ2, τ, tension, shear and moment.

use crate::cable::{Cable, Station};
use crate::chart::{Curve, Panel, Run};
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

fn panels(cable: &Cable) -> [Panel; 6] {
    let stations = &cable.stations;
    let values = |f: fn(&Station) -> f64| stations.iter().map(f).collect::<Vec<f64>>();
    let noise = cable.noise();
    let panel = |title, quantity, values, limit, two_sided, noise| {
        let curves = vec![Curve { name: "", values, colour: theme::LINE }];
        Panel { title, quantity, curves, limit, two_sided, noise }
    };
    let limits = &cable.limits;
    let (bend, twist) = (Quantity::Curvature, Quantity::Twist);
    let components = vec![
        Curve { name: "κ1", values: values(|s| s.strain[0]), colour: theme::LINE },
        Curve { name: "κ2", values: values(|s| s.strain[1]), colour: theme::LINE_TWO },
    ];
    let moments = vec![
        Curve { name: "bending", values: values(Station::bending_moment), colour: theme::LINE },
        Curve { name: "torsion", values: values(|s| s.moment[2]), colour: theme::LINE_TWO },
    ];
    [
        panel("Curvature |κ|", bend, values(Station::curvature), limits.curvature, false, noise.strain),
        // The limit is one of |κ|: the components have none.
        Panel {
            title: "Curvatures κ_1, κ_2",
            quantity: bend,
            curves: components,
            limit: None,
            two_sided: true,
            noise: noise.strain,
        },
        panel("Twist τ", twist, values(|s| s.strain[2]), limits.twist, true, noise.strain),
        panel("Tension", Quantity::Force, values(Station::tension), limits.tension, false, noise.force),
        panel("Shear", Quantity::Force, values(Station::shear), None, false, noise.force),
        Panel {
            title: "Moment",
            quantity: Quantity::Moment,
            curves: moments,
            limit: None,
            two_sided: true,
            noise: noise.moment,
        },
    ]
}
