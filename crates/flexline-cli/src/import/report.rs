//! What was read, what was left out, and how sound it is, as text and as JSON.

use super::{Import, Imported, Said};
use crate::output::{Table, number, print};
use flexline_exchange::drawing::{Drawing, Health, Line, Part, health};
use flexline_exchange::flexible::Flexible;
use serde_json::{Value, json};

/// No more parts than this are shown in a table, or looked over one by one.
pub const MOST_ROWS: usize = 20;
/// No more parts than this are looked over one by one for JSON.
const MOST_LOOKS: usize = 1000;

/// The lengths of the box around everything, in the unit of the file.
fn size(drawing: &Drawing) -> Option<[f64; 3]> {
    let [low, high] = drawing.extent()?;
    Some([0, 1, 2].map(|i| high[i] - low[i]))
}

/// How large it would be in some unit.
pub fn guess(drawing: &Drawing) -> Option<String> {
    let largest = size(drawing)?.into_iter().fold(0.0, f64::max);
    Some(format!("{0} across: {0} mm if millimetres, {1} m if metres", number(largest), number(largest)))
}

/// What it is.
pub fn heading(args: &Import, own: &Imported) {
    let (parts, lines) = (own.drawing.parts.len(), own.drawing.lines.len());
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let mut told = vec![
        own.drawing.format.name().to_owned(),
        count(parts, "part"),
        count(own.drawing.triangles(), "triangle"),
    ];
    if lines > 0 {
        told.push(count(lines, "line"));
    }
    print(&format!("{}: {}\n", args.file.display(), told.join(", ")));
}

pub fn print_all(args: &Import, own: &Imported, added: &[String]) {
    heading(args, own);
    let drawing = &own.drawing;
    let mut table = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| table.row(&[name.to_owned(), value]);
    let by = |said: Said, value: &str, option: &str| match said {
        Said::Option => format!("{value}, by {option}"),
        Said::File => format!("{value}, by the file"),
        Said::Nobody => format!("{value}: the file does not say; {option} does"),
    };
    match own.unit {
        Some((_, word)) => row("unit", by(own.unit_said, word, "--unit")),
        None => row("unit", by(own.unit_said, "unknown", "--unit")),
    }
    row("up", by(own.up_said, own.up.word(), "--up"));
    if let Some(size) = size(drawing) {
        row(
            "size",
            match own.unit {
                Some((unit, _)) => {
                    let [x, y, z] = size.map(|x| number(1e3 * unit * x));
                    format!("{x} x {y} x {z} mm along x, y, z of the file")
                }
                None => guess(drawing).unwrap_or_default(),
            },
        );
    }
    if let Some(all) = health(&drawing.parts) {
        row("surface", in_words(&all));
    }
    for left in &drawing.left_out {
        row("left out", format!("{} x {}, first at {}", left.count, left.what, left.first));
    }
    for name in &drawing.followed {
        row("read too", name.clone());
    }
    table.print_plain();
    if drawing.parts.len() > 1 {
        let mut table = Table::new(&["part", "triangles", "bodies", "open edges", "closed"]);
        for part in drawing.parts.iter().take(MOST_ROWS) {
            let own = health(std::slice::from_ref(part));
            let name = if part.path.is_empty() { "(no name)" } else { &part.path };
            let of = |tell: &dyn Fn(&Health) -> String| own.as_ref().map_or("-".to_owned(), tell);
            table.row(&[
                name.to_owned(),
                part.triangles.len().to_string(),
                of(&|own| own.bodies.to_string()),
                of(&|own| own.surface.open_edges.to_string()),
                of(&|own| if own.surface.closed { "yes" } else { "no" }.to_owned()),
            ]);
        }
        print("\n");
        table.print();
        if drawing.parts.len() > MOST_ROWS {
            print(&format!("and {} more\n", drawing.parts.len() - MOST_ROWS));
        }
    }
    if let (Some(scene), false) = (&args.to, added.is_empty()) {
        let names: Vec<String> = added.iter().map(|name| format!("'{name}'")).collect();
        let what = if added.len() == 1 { "obstacle" } else { "obstacles" };
        print(&format!("\n{what} {} written to {}\n", names.join(", "), scene.display()));
    }
}

/// The health of a surface in a line.
fn in_words(own: &Health) -> String {
    let surface = &own.surface;
    let mut told = vec![match own.bodies {
        1 => "1 body".to_owned(),
        n => format!("{n} bodies"),
    }];
    told.push(if surface.closed {
        "closed".to_owned()
    } else {
        format!("open at {} edges", surface.open_edges)
    });
    let counts = [
        (own.inverted, "inside out"),
        (surface.inconsistent_edges, "edges whose sides are turned differently"),
        (surface.non_manifold_edges, "edges of more than two triangles"),
        (surface.duplicates, "triangles twice"),
        (surface.degenerate, "triangles without area"),
    ];
    told.extend(counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    told.join(", ")
}

fn health_value(own: Option<Health>, unit: Option<f64>) -> Value {
    let Some(own) = own else { return Value::Null };
    let surface = own.surface;
    json!({
        "closed": surface.closed,
        "bodies": own.bodies,
        "inverted": own.inverted,
        "open_edges": surface.open_edges,
        "non_manifold_edges": surface.non_manifold_edges,
        "inconsistent_edges": surface.inconsistent_edges,
        "duplicates": surface.duplicates,
        "degenerate": surface.degenerate,
        // Only a closed surface has an inside.
        "volume": unit.filter(|_| surface.closed).map(|unit| surface.volume * unit.powi(3)),
    })
}

pub fn value(args: &Import, own: &Imported, added: &[String]) -> Value {
    let drawing = &own.drawing;
    let unit = own.unit.map(|unit| unit.0);
    let few = drawing.parts.len() <= MOST_LOOKS;
    let part = |part: &Part| {
        json!({
            "path": part.path,
            "name": part.name(),
            "triangles": part.triangles.len(),
            "vertices": part.vertices.len(),
            "extent": part.extent(),
            "health": health_value(few.then(|| health(std::slice::from_ref(part))).flatten(), unit),
        })
    };
    let length = |line: &Line| -> f64 {
        let distance = |w: &[[f64; 3]]| (0..3).map(|i| (w[1][i] - w[0][i]).powi(2)).sum::<f64>().sqrt();
        line.points.windows(2).map(distance).sum()
    };
    let left_out = |own: &flexline_exchange::drawing::LeftOut| json!({ "what": own.what, "count": own.count, "first": own.first.to_string() });
    json!({
        "file": args.file.display().to_string(),
        "format": drawing.format.name(),
        "unit": unit,
        "unit_said_by": own.unit_said.word(),
        "up": own.up.word(),
        "up_said_by": own.up_said.word(),
        // In the unit and axes of the file, as the parts.
        "extent": drawing.extent(),
        "triangles": drawing.triangles(),
        "vertices": drawing.parts.iter().map(|part| part.vertices.len()).sum::<usize>(),
        "health": health_value(health(&drawing.parts), unit),
        "parts": drawing.parts.iter().map(part).collect::<Vec<_>>(),
        "lines": drawing.lines.iter().map(|l| json!({ "path": l.path, "points": l.points.len(), "length": length(l) })).collect::<Vec<_>>(),
        "left_out": drawing.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "followed": drawing.followed,
        "scene": args.to.as_ref().map(|scene| scene.display().to_string()),
        "obstacles": added,
    })
}

/// The cables that were found.
/// Cables along lines: what is known of them.
pub fn print_lines(found: &Flexible, thick: bool) {
    let mut table = Table::new(&["cable", "length mm", "diameter mm", "bore mm"]);
    for (i, span) in found.spans.iter().enumerate() {
        let mean = span.radius.iter().sum::<f64>() / span.radius.len().max(1) as f64;
        table.row(&[
            (i + 1).to_string(),
            number(1e3 * span.length),
            if thick { number(2e3 * mean) } else { "-".to_owned() },
            span.bore.map_or("-".to_owned(), |bore| number(2e3 * bore)),
        ]);
    }
    table.print();
    for warning in &found.warnings {
        print(&format!("note: {warning}\n"));
    }
}

pub fn print_cables(found: &Flexible) {
    let mut table =
        Table::new(&["cable", "length mm", "diameter mm", "bore mm", "from", "to", "fits within mm"]);
    for (i, span) in found.spans.iter().enumerate() {
        let mean = span.radius.iter().sum::<f64>() / span.radius.len().max(1) as f64;
        let end = |k: usize| {
            let node = &found.nodes[span.nodes[k]];
            format!("{} {}", if node.junction { "junction" } else { "end" }, span.nodes[k] + 1)
        };
        table.row(&[
            (i + 1).to_string(),
            number(1e3 * span.length),
            number(2e3 * mean),
            span.bore.map_or("-".to_owned(), |bore| number(2e3 * bore)),
            end(0),
            end(1),
            number(1e3 * span.residual * mean),
        ]);
    }
    table.print();
    for warning in &found.warnings {
        print(&format!("note: {warning}\n"));
    }
}
