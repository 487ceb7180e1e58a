//! Lines that cables follow, from STEP, IGES, VDA-FS, tables and point files.

use super::{Import, UpAxis, cable, report};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, counted, number, print, print_json};
use flexline_exchange::curve::{Curve, Curves};
use flexline_exchange::drawing::Up;
use flexline_exchange::flexible::Flexible;
use flexline_scene::units::{Dimension, parse};
use serde_json::json;
use std::time::Instant;

/// Reads lines, tells of them, and makes cables of them where a scene is named.
pub fn run(args: &Import, bytes: &[u8]) -> Result<u8, Failure> {
    let wrong = |message: String| Failure::Input(message);
    let begun = Instant::now();
    let curves = Curves::read(bytes)
        .map_err(|error| wrong(format!("cannot read {}: {error}", args.file.display())))?;
    let unit = match (args.unit, curves.unit) {
        (Some(unit), _) => unit.value().0,
        (None, Some(unit)) => unit,
        (None, None) => {
            return Err(wrong(format!(
                "{} does not say its unit{}\n  say it: --unit mm, or m, dm, cm, in, ft",
                args.file.display(),
                guess(&curves)
            )));
        }
    };
    let up = if args.up == Some(UpAxis::Y) { Up::Y } else { Up::Z };
    let radius = args.radius.as_ref().map(|text| {
        let own = parse(text, Dimension::Length).ok().filter(|r| (1e-6..=10.0).contains(r));
        own.ok_or_else(|| {
            wrong(format!("--radius {text}: expected a length from 1 um to 10 m, such as \"4 mm\""))
        })
    });
    let radius = radius.transpose()?;
    // Lengths are known without a radius; a cable needs one.
    let shown = curves.to_flexible(unit, up, radius.or(args.to.is_none().then_some(1e-3))).map_err(wrong)?;
    let seconds = begun.elapsed().as_secs_f64();
    if let Some(path) = &args.to {
        cable::write(args, &shown, None, path)?;
    }
    let thick = radius.is_some() || curves.curves.iter().all(|own| !own.radii.is_empty());
    if args.json {
        print_json(&value(&curves, &shown, unit, thick, seconds));
        return Ok(GOOD);
    }
    print(&format!(
        "{}: {}, {}, one unit is {} mm\n",
        args.file.display(),
        curves.format.name(),
        counted(curves.curves.len(), "curve"),
        number(1e3 * unit)
    ));
    let mut names = Table::new(&["curve", "pieces", "poles", "radius mm"]);
    for own in curves.curves.iter().take(report::MOST_ROWS) {
        names.row(&[
            if own.name.is_empty() { "(no name)".to_owned() } else { own.name.clone() },
            own.pieces.len().to_string(),
            own.pieces.iter().map(|p| p.poles.len()).sum::<usize>().to_string(),
            own.radii.first().map_or("-".to_owned(), |r| number(1e3 * unit * r.1)),
        ]);
    }
    names.print();
    if curves.curves.len() > report::MOST_ROWS {
        print(&format!("and {} more\n", curves.curves.len() - report::MOST_ROWS));
    }
    for left in &curves.left_out {
        print(&format!("left out: {} x {}, first at {}\n", left.count, left.what, left.first));
    }
    print("\n");
    report::print_lines(&shown, thick);
    if let Some(path) = &args.to {
        print(&format!("\nwritten to {}, held at its ends as drawn\n", path.display()));
    }
    Ok(GOOD)
}

fn value(curves: &Curves, laid: &Flexible, unit: f64, thick: bool, seconds: f64) -> serde_json::Value {
    let curve = |own: &Curve| {
        json!({
            "name": own.name,
            "pieces": own.pieces.iter().map(|p| json!({
                "degree": p.degree,
                "knots": p.knots,
                "poles": p.poles.iter().map(|x| [x.x, x.y, x.z]).collect::<Vec<_>>(),
                "weights": p.weights,
                "range": p.range,
            })).collect::<Vec<_>>(),
            "radii": own.radii,
            "bore": own.bore,
        })
    };
    let left = |own: &flexline_exchange::drawing::LeftOut| json!({ "what": own.what, "count": own.count, "first": own.first.to_string() });
    let mut value = laid.to_json(seconds);
    if !thick {
        // A radius that nobody said is not told.
        for edge in value["edges"].as_array_mut().into_iter().flatten() {
            edge["radius"] = serde_json::Value::Null;
        }
    }
    value["format"] = curves.format.name().into();
    value["file_unit"] = unit.into();
    value["curves"] = curves.curves.iter().map(curve).collect();
    value["left_out"] = curves.left_out.iter().map(left).collect();
    value
}

/// How large it would be in some unit.
fn guess(curves: &Curves) -> String {
    let poles = || curves.curves.iter().flat_map(|own| &own.pieces).flat_map(|own| &own.poles);
    let Some(first) = poles().next() else { return String::new() };
    let size = poles().map(|p| (p - first).amax()).fold(0.0, f64::max);
    format!(" (about {0} across: {0} mm if millimetres, {0} m if metres)", number(size))
}
