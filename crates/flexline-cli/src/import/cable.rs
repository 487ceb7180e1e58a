//! Cables that were found in a mesh, as a scene of their own.

use super::Import;
use crate::failure::{Failure, write_file};
use flexline::section::{find_material, materials};
use flexline_exchange::flexible::{Flexible, Rest};
use flexline_scene::Scene;
use std::path::Path;

/// Writes a new scene: the cables that were found, held at their ends as they are drawn.
pub fn write(args: &Import, found: &Flexible, path: &Path) -> Result<(), Failure> {
    let wrong = |message: String| Failure::Input(message);
    if path.exists() {
        let name = path.display();
        return Err(wrong(format!(
            "{name} is there already: cables become a scene of their own; name a new file"
        )));
    }
    let known = || materials().iter().map(|own| own.name.to_string()).collect::<Vec<_>>().join(", ");
    let material = args.material.as_deref().ok_or_else(|| {
        wrong(format!(
            "a mesh does not say what it is made of\n  say it: --material NAME; there are: {}",
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
    let rest = if args.straight { Rest::Straight } else { Rest::Drawn };
    let text = found.to_scene(args.name.as_ref().unwrap_or(&stem), material, rest);
    let text = text.ok_or_else(|| wrong("there is no cable in it".into()))?;
    Scene::read(&text, &path.display().to_string())?;
    write_file(path, text.as_bytes())
}
