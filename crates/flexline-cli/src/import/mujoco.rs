//! `flexline import MODEL.xml`: cables of a model of MuJoCo, and a scene of one.

use super::{Import, beside};
use crate::failure::{Failure, GOOD, write_file};
use crate::output::{Table, counted, number, print, print_json};
use flexline_exchange::mjcf::{Model, is_mjcf, read};
use flexline_scene::Scene;
use serde_json::json;

/// Tells of the cables of a model, and makes a scene where one is asked for; `None` where the file is no model.
pub fn import(args: &Import, bytes: &[u8]) -> Result<Option<u8>, Failure> {
    if !is_mjcf(bytes) {
        return Ok(None);
    }
    let name = args.file.display();
    let model = read(bytes, &|other| beside(&args.file, other))
        .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
    if let Some(path) = &args.to {
        let text = scene(args, &model)?;
        if path.exists() {
            return Err(Failure::Input(format!(
                "{} is there already: a cable becomes a scene of its own; name a new file",
                path.display()
            )));
        }
        Scene::read(&text, &path.display().to_string())?;
        write_file(path, text.as_bytes())?;
    }
    report(args, &model);
    Ok(Some(GOOD))
}

fn scene(args: &Import, model: &Model) -> Result<String, Failure> {
    let name = args.file.display();
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let title = args.name.clone().unwrap_or(stem);
    match &model.cables[..] {
        [one] => one
            .to_scene(&title, &model.gravity)
            .map_err(|why| Failure::Input(format!("no scene of {name}: {why}"))),
        [] => Err(Failure::Input(format!("{name} has no cable: expected a <composite type=\"cable\">"))),
        several => Err(Failure::Input(format!(
            "{name} has {} cables: a scene is made of one; divide the file",
            several.len()
        ))),
    }
}

fn report(args: &Import, model: &Model) {
    let written = args.to.as_ref().map(|path| path.display().to_string());
    if args.json {
        let cable = |own: &flexline_exchange::mjcf::CableIn| {
            json!({
                "name": own.name,
                "vertices": own.vertices.len(),
                "length": own.length(),
                "radius": own.radius,
                "stiffness": [own.stiffness.x, own.stiffness.y, own.stiffness.z],
                "mass_per_length": own.mass_per_length,
                "start": format!("{:?}", own.first),
                "end": format!("{:?}", own.last),
            })
        };
        print_json(&json!({
            "file": args.file.display().to_string(),
            "format": "MJCF",
            "cables": model.cables.iter().map(cable).collect::<Vec<_>>(),
            "left_out": model.left_out.iter().map(|own| json!({ "what": own.what, "count": own.count, "first": own.first.to_string() })).collect::<Vec<_>>(),
            "scene": written,
        }));
        return;
    }
    let cables = counted(model.cables.len(), "cable");
    print(&format!("{}: MJCF, {cables}\n", args.file.display()));
    let mut table =
        Table::new(&["cable", "vertices", "length mm", "diameter mm", "bend N m2", "twist N m2", "kg/m"]);
    for own in &model.cables {
        table.row(&[
            own.name.clone(),
            own.vertices.len().to_string(),
            number(1e3 * own.length()),
            number(2e3 * own.radius),
            number(own.stiffness.x),
            number(own.stiffness.z),
            number(own.mass_per_length),
        ]);
    }
    table.print();
    for own in &model.left_out {
        print(&format!("left out  {} x {}, first at {}\n", own.count, own.what, own.first));
    }
    if let Some(path) = written {
        print(&format!(
            "written to {path}; a clamped end begins half a segment later, where the first joint is\n"
        ));
    }
}
