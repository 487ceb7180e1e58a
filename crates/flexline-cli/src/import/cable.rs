//! Cables that were found in a mesh, or along a line that was drawn, as a scene of their own or in one that is there.

use super::{Import, scene};
use crate::edit::read_text;
use crate::failure::{Failure, write_file};
use flexline::Vec3;
use flexline::section::{find_material, materials};
use flexline_exchange::drawing::Part;
use flexline_exchange::flexible::{Flexible, Rest};
use flexline_scene::Scene;
use serde_json::{Value, json};
use std::path::Path;

/// A place in the file: three numbers, in its unit and axes.
#[derive(Clone, Copy, Debug)]
pub struct Place(pub [f64; 3]);

impl std::str::FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<f64>> =
            text.split(',').map(|word| word.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let place = numbers.and_then(|own| <[f64; 3]>::try_from(own).ok());
        place.map(Self).ok_or_else(|| "expected three numbers with commas, such as 120,-3.5,40".to_owned())
    }
}

/// What stays of a mesh of which a stretch was made flexible.
pub type Remainder = (Vec<Vec3>, Vec<[u32; 3]>);

/// Writes cables, held at their ends as they are drawn, into a scene: a new one, or one that is there.
pub fn write(
    args: &Import,
    found: &Flexible,
    remainder: Option<&Remainder>,
    path: &Path,
) -> Result<(), Failure> {
    let wrong = |message: String| Failure::Input(message);
    let known = || materials().iter().map(|own| own.name.to_string()).collect::<Vec<_>>().join(", ");
    let material = args.material.as_deref().ok_or_else(|| {
        wrong(format!(
            "a file of this kind does not say what a cable is made of\n  say it: --material NAME; there are: {}",
            known()
        ))
    })?;
    if find_material(material).is_none() {
        return Err(wrong(format!(
            "--material {material}: there is no such material; there are: {}",
            known()
        )));
    }
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let base = args.name.as_ref().unwrap_or(&stem);
    let rest = if args.straight { Rest::Straight } else { Rest::Drawn };
    let part = |name: String| {
        let (vertices, triangles) = remainder.filter(|own| !own.1.is_empty())?;
        let vertices = vertices.iter().map(|p| [p.x, p.y, p.z]).collect();
        let part = Part { path: name.clone(), vertices, triangles: triangles.clone(), collapsed: 0 };
        Some((name, part))
    };
    if path.exists() {
        let text = read_text(path)?;
        let base = fresh(base, &text);
        let left = part(format!("{base} remainder"));
        let mut commands = found.to_commands(&base, material, rest);
        for cable in commands.iter_mut().filter(|own| own["do"] == "create-cable") {
            if let Some((name, _)) = &left {
                cable["with"]["passes_through"] = json!([name]);
            }
        }
        return scene::extend(path, &text, left, &commands);
    }
    let text = found.to_scene(base, material, rest);
    let text = text.ok_or_else(|| wrong("there is no cable in it".into()))?;
    Scene::read(&text, &path.display().to_string())?;
    let Some((name, part)) = part("remainder".to_owned()) else {
        return write_file(path, text.as_bytes());
    };
    // A part that was cut does not touch itself where it was cut.
    let set: Vec<Value> = vec![
        json!({ "do": "set", "kind": "cable", "name": "cable 1", "key": "passes_through", "value": [name] }),
    ];
    scene::extend(path, &text, Some((name, part)), &set)
}

/// A name that nothing in a scene begins with.
fn fresh(base: &str, text: &str) -> String {
    let taken = |own: &str| text.contains(&format!("\"{own}\"")) || text.contains(&format!("\"{own} "));
    let names = (1..).map(|k| if k == 1 { base.to_owned() } else { format!("{base}-{k}") });
    names.into_iter().find(|own| !taken(own)).unwrap_or_default()
}
