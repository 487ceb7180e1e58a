//! Cables that were found in a mesh, or along a line that was drawn, as a scene of their own or in one that is there.

use super::{Import, scene};
use crate::edit::read_text;
use crate::failure::{Failure, write_file};
use flexline::section::materials;
use flexline_exchange::drawing::{Part, Up};
use flexline_exchange::flexible::{Flexible, Rest};
use flexline_scene::Scene;
use flexline_session::import::{Plan, fresh, known_material};
use serde_json::json;
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

/// Writes cables, held at their ends as they are drawn, into a scene: a new one, or one that is there.
pub fn write(args: &Import, found: &Flexible, left: Option<&Part>, path: &Path) -> Result<(), Failure> {
    let wrong = |message: String| Failure::Input(message);
    let known = || materials().iter().map(|own| own.name.to_string()).collect::<Vec<_>>().join(", ");
    let material = args.material.as_deref().ok_or_else(|| {
        wrong(format!(
            "a file of this kind does not say what a cable is made of\n  say it: --material NAME; there are: {}",
            known()
        ))
    })?;
    known_material(material).map_err(|error| wrong(format!("--material: {error}")))?;
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let base = args.name.as_ref().unwrap_or(&stem);
    let rest = if args.straight { Rest::Straight } else { Rest::Drawn };
    let folder = scene::folder_of(path);
    if path.exists() {
        let text = read_text(path)?;
        let mut plan = Plan::new(folder);
        plan.cables(found, left, &fresh(base, &text), material, rest);
        return scene::extend(path, &text, plan);
    }
    let text = found.to_scene(base, material, rest);
    let text = text.ok_or_else(|| wrong("there is no cable in it".into()))?;
    Scene::read(&text, &path.display().to_string())?;
    let Some(part) = left else {
        return write_file(path, text.as_bytes());
    };
    let name = "remainder";
    let mut plan = Plan::new(folder);
    plan.obstacle(std::slice::from_ref(part), 1.0, Up::Z, name);
    // It was one part with the cables: they pass through it.
    plan.commands.extend((1..=found.spans.len()).map(|k| {
        json!({ "do": "set", "kind": "cable", "name": format!("cable {k}"), "key": "passes_through", "value": [name] })
    }));
    scene::extend(path, &text, plan)
}
