//! Obstacles into a scene: files beside it, and tables that name them.

use super::{Import, Imported, unit_of};
use crate::edit::{read_text, write_scene};
use crate::failure::{Failure, write_file};
use flexline_exchange::drawing::{Part, Up};
use flexline_scene::{Folder, Scene};
use flexline_session::command::Command;
use flexline_session::session::{Session, SessionError, Solving};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The folder beside a scene to which files from elsewhere are copied.
const FOLDER: &str = "meshes";
/// No more obstacles than this at once.
const MOST: usize = 1000;

/// An obstacle to be.
struct Wanted {
    name: String,
    /// The file, from the folder of the scene.
    file: String,
    /// What is to be written there; `None` where it is there.
    bytes: Option<Vec<u8>>,
    unit: &'static str,
    up: Up,
}

/// Adds obstacles to a scene; gives their names.
pub fn add(args: &Import, own: &Imported, bytes: &[u8], scene: &Path) -> Result<Vec<String>, Failure> {
    let unit = unit_of(args, own)?;
    let said = |error| Failure::Input(format!("cannot use {}: {error}", args.file.display()));
    own.drawing.mesh(unit).map_err(said)?;
    let text = read_text(scene)?;
    let folder = scene.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let known = Scene::read(&text, &scene.display().to_string())?;
    let mut names: Vec<String> = known.obstacles.iter().map(|obstacle| obstacle.name.clone()).collect();
    let first = names.len();
    let mut wanted = Vec::new();
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
            wanted.push(written(name, std::slice::from_ref(part), unit, own.up, folder));
        }
    } else {
        let name = fresh(&base);
        let there = place_in(folder, &args.file);
        wanted.push(match (there, own.drawing.followed.is_empty(), own.unit) {
            // As it is, where it can be named from the scene.
            (Some(file), true, Some((_, word))) => Wanted { name, file, bytes: None, unit: word, up: own.up },
            (None, true, Some((_, word))) => {
                let ending = own.drawing.format.ending();
                let file = free(folder, &plain(&base), ending, bytes);
                Wanted { name, file, bytes: Some(bytes.to_vec()), unit: word, up: own.up }
            }
            _ => written(name, &own.drawing.parts, unit, own.up, folder),
        });
    }
    put(scene, folder, &text, &wanted, &[])?;
    Ok(names.split_off(first))
}

/// Extends the text of a scene by what stays of a mesh that was cut, as an obstacle of that name, then by commands; writes it.
pub fn extend(
    scene: &Path,
    text: &str,
    remainder: Option<(String, Part)>,
    commands: &[Value],
) -> Result<(), Failure> {
    let folder = scene.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let wanted = remainder.map(|(name, part)| written(name, std::slice::from_ref(&part), 1.0, Up::Z, folder));
    put(scene, folder, text, wanted.as_slice(), commands)
}

/// Parts as one file, in metres and upright.
fn written(name: String, parts: &[Part], unit: f64, up: Up, folder: &Path) -> Wanted {
    let bytes = Part::to_ply(parts, unit, up);
    let file = free(folder, &plain(&name), "ply", &bytes);
    Wanted { name, file, bytes: Some(bytes), unit: "m", up: Up::Z }
}

/// Writes files, then the scene with these obstacles and commands; where the scene is refused, the files are taken back.
fn put(
    scene: &Path,
    folder: &Path,
    text: &str,
    wanted: &[Wanted],
    commands: &[Value],
) -> Result<(), Failure> {
    let mut made: Vec<PathBuf> = Vec::new();
    let mut work = || -> Result<(), Failure> {
        for own in wanted {
            let Some(bytes) = &own.bytes else { continue };
            let path = folder.join(&own.file);
            if path.exists() {
                continue;
            }
            if let Some(parent) = path.parent() {
                let told = |e: std::io::Error| Failure::Output {
                    path: parent.display().to_string(),
                    error: e.to_string(),
                };
                std::fs::create_dir_all(parent).map_err(told)?;
            }
            made.push(path.clone());
            write_file(&path, bytes)?;
        }
        let name = scene.display().to_string();
        let said = |error: SessionError| match error {
            SessionError::Command(error) => Failure::Scene(error),
            other => Failure::Input(other.to_string()),
        };
        let mut session = Session::open_in(text, &name, &Folder::of(scene), Solving::Never).map_err(said)?;
        for own in wanted {
            let mut with = json!({ "name": own.name, "mesh": own.file, "unit": own.unit });
            if own.up == Up::Y {
                with["up_axis"] = "y".into();
            }
            let command = json!({ "do": "add", "kind": "obstacle", "with": with });
            session.apply(&Command::from_json(&command.to_string())?).map_err(said)?;
        }
        if !commands.is_empty() {
            let command = json!({ "do": "all", "of": commands });
            session.apply(&Command::from_json(&command.to_string())?).map_err(said)?;
        }
        write_scene(scene, session.text())
    };
    let done = work();
    if done.is_err() {
        made.iter().for_each(|path| drop(std::fs::remove_file(path)));
    }
    done
}

/// How a scene names a file in its folder; `None` where it is elsewhere.
pub(super) fn place_in(folder: &Path, file: &Path) -> Option<String> {
    let (folder, file) = (folder.canonicalize().ok()?, file.canonicalize().ok()?);
    let names: Option<Vec<&str>> = file.strip_prefix(folder).ok()?.iter().map(|part| part.to_str()).collect();
    Some(names?.join("/"))
}

/// A name that every file system takes.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().take(60).map(plain).collect();
    match name.trim_matches('-') {
        "" => "mesh".to_owned(),
        name => name.to_owned(),
    }
}

/// A place that no other file has.
fn free(folder: &Path, stem: &str, ending: &str, bytes: &[u8]) -> String {
    let mut file = format!("{FOLDER}/{stem}.{ending}");
    let mut count = 1;
    while std::fs::read(folder.join(&file)).is_ok_and(|there| there != bytes) {
        count += 1;
        file = format!("{FOLDER}/{stem}-{count}.{ending}");
    }
    file
}
