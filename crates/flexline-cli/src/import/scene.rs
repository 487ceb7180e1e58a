//! Obstacles into a scene: files beside it, and tables that name them.

use super::{Import, Imported, unit_of};
use crate::edit::{read_text, write_scene};
use crate::failure::Failure;
use flexline_exchange::drawing::Up;
use flexline_scene::{Folder, Scene};
use flexline_session::import::Plan;
use flexline_session::session::{Session, SessionError, Solving};
use serde_json::json;
use std::path::Path;

/// No more obstacles than this at once.
const MOST: usize = 1000;

/// Adds obstacles to a scene; gives their names.
pub fn add(args: &Import, own: &Imported, bytes: &[u8], scene: &Path) -> Result<Vec<String>, Failure> {
    let unit = unit_of(args, own)?;
    let said = |error| Failure::Input(format!("cannot use {}: {error}", args.file.display()));
    own.drawing.mesh(unit).map_err(said)?;
    let text = read_text(scene)?;
    let folder = folder_of(scene);
    let known = Scene::read(&text, &scene.display().to_string())?;
    let mut names: Vec<String> = known.obstacles.iter().map(|obstacle| obstacle.name.clone()).collect();
    let first = names.len();
    let mut plan = Plan::new(folder);
    let stem = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let base = args.name.clone().unwrap_or(stem);
    let mut fresh = |name: &str| {
        let mut own = name.to_owned();
        let mut count = 1;
        while names.contains(&own) {
            count += 1;
            own = format!("{name} {count}");
        }
        names.push(own.clone());
        own
    };
    if args.each {
        if own.drawing.parts.len() > MOST {
            let count = own.drawing.parts.len();
            return Err(Failure::Input(format!(
                "--each: {count} parts, a scene takes {MOST} at once; leave --each out"
            )));
        }
        for part in &own.drawing.parts {
            let name = fresh(if part.path.is_empty() { &base } else { &part.path });
            plan.obstacle(std::slice::from_ref(part), unit, own.up, &name);
        }
    } else {
        let name = fresh(&base);
        let there = place_in(folder, &args.file);
        // As it is, where one file is all of it.
        match own.unit.filter(|_| own.drawing.followed.is_empty()) {
            Some((_, word)) => {
                let copy = || plan.file(&base, own.drawing.format.ending(), bytes.to_vec());
                let file = there.unwrap_or_else(copy);
                let mut with = json!({ "name": name, "mesh": file, "unit": word });
                if own.up == Up::Y {
                    with["up_axis"] = "y".into();
                }
                plan.commands.push(json!({ "do": "add", "kind": "obstacle", "with": with }));
            }
            None => plan.obstacle(&own.drawing.parts, unit, own.up, &name),
        }
    }
    extend(scene, &text, plan)?;
    Ok(names.split_off(first))
}

/// The folder that a scene is in.
pub fn folder_of(scene: &Path) -> &Path {
    scene.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Extends the text of a scene by what a file comes to, and writes it; where that is refused, everything stays as it was.
pub fn extend(scene: &Path, text: &str, plan: Plan) -> Result<(), Failure> {
    let name = scene.display().to_string();
    let said = |error: SessionError| match error {
        SessionError::Command(error) => Failure::Scene(error),
        other => Failure::Input(other.to_string()),
    };
    let mut session = Session::open_in(text, &name, &Folder::of(scene), Solving::Never).map_err(said)?;
    session.bring(plan).map_err(said)?;
    write_scene(scene, session.text())
}

/// How a scene names a file in its folder; `None` where it is elsewhere.
pub(super) fn place_in(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (folder.canonicalize().ok()?, file.canonicalize().ok()?);
    let names: Option<Vec<&str>> = file.strip_prefix(folder).ok()?.iter().map(|part| part.to_str()).collect();
    Some(names?.join("/"))
}
