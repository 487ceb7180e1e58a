//! What a file comes to in a scene: files beside it, and commands.

use flexline::Vec3;
use flexline::section::{find_material, materials};
use flexline_exchange::drawing::{Drawing, Part, Up};
use flexline_exchange::flexible::{Flexible, Rest, cables};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// The folder of a scene that meshes are written to.
const FOLDER: &str = "meshes";

/// Files for the folder of a scene, and commands that name them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The folder of the scene, where it is on the disk.
    pub folder: Option<PathBuf>,
    /// The files.
    pub files: Vec<NewFile>,
    /// The commands, in order.
    pub commands: Vec<Value>,
    /// What was left out, mended or guessed.
    pub notes: Vec<String>,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFile {
    /// Its place, from the folder of the scene.
    pub path: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Plan {
    /// Nothing yet, for a scene in that folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), ..Self::default() }
    }

    /// A file whose name follows from what it is for: its place. One that has the same bytes is used again.
    pub fn file(&mut self, name: &str, ending: &str, bytes: Vec<u8>) -> String {
        let stem = plain(name);
        let paths = (1..).map(|k| match k {
            1 => format!("{FOLDER}/{stem}.{ending}"),
            k => format!("{FOLDER}/{stem}-{k}.{ending}"),
        });
        let other = |path: &String| {
            let planned = self.files.iter().any(|own| own.path == *path && own.bytes != bytes);
            let there = self.folder.as_ref().and_then(|folder| std::fs::read(folder.join(path)).ok());
            planned || there.is_some_and(|there| there != bytes)
        };
        let path = paths.into_iter().find(|path| !other(path)).unwrap_or_default();
        self.files.push(NewFile { path: path.clone(), bytes });
        path
    }

    /// Something that cables cannot enter, as a file in metres with z up.
    pub fn obstacle(&mut self, parts: &[Part], unit: f64, up: Up, name: &str) {
        let mesh = self.file(name, "ply", Part::to_ply(parts, unit, up));
        let with = json!({ "name": name, "mesh": mesh, "unit": "m" });
        self.commands.push(json!({ "do": "add", "kind": "obstacle", "with": with }));
    }

    /// Cables as they are drawn, their names beginning with `base`, and what stays of the mesh that they were part of: an obstacle that they
    /// pass through, since it was one part with them.
    pub fn cables(&mut self, found: &Flexible, left: Option<&Part>, base: &str, material: &str, rest: Rest) {
        self.notes.extend(found.warnings.iter().cloned());
        let mut lay = found.to_commands(base, material, rest);
        if let Some(part) = left {
            let name = format!("{base} remainder");
            self.obstacle(std::slice::from_ref(part), 1.0, Up::Z, &name);
            for cable in lay.iter_mut().filter(|own| own["do"] == "create-cable") {
                cable["with"]["passes_through"] = json!([name]);
            }
        }
        self.commands.extend(lay);
    }

    /// Puts the files elsewhere: `put` keeps one and says how a scene names it.
    pub fn place(&mut self, mut put: impl FnMut(&NewFile) -> Result<String, String>) -> Result<(), String> {
        for file in std::mem::take(&mut self.files) {
            let place = put(&file)?;
            for command in self.commands.iter_mut().filter(|own| own["with"]["mesh"] == file.path.as_str()) {
                command["with"]["mesh"] = place.clone().into();
            }
        }
        Ok(())
    }

    /// Writes the files that are not there yet: those that were made, or where and why it could not be done, with nothing left behind.
    pub(super) fn write(&self) -> Result<Vec<PathBuf>, (PathBuf, std::io::Error)> {
        let mut made = Vec::new();
        let Some(folder) = &self.folder else { return Ok(made) };
        for own in &self.files {
            let path = folder.join(&own.path);
            if path.exists() {
                continue;
            }
            let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.push(path.clone());
            if let Err(error) = parent.and_then(|()| std::fs::write(&path, &own.bytes)) {
                made.iter().for_each(|path| drop(std::fs::remove_file(path)));
                return Err((path, error));
            }
        }
        Ok(made)
    }
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

/// The cables of a drawing, of a stretch of it where two places in its unit and axes are given, and what stays of it: in metres, z up. Where
/// there are no cables they say so themselves; an error is about the two places.
pub fn cables_of(
    drawing: &Drawing,
    unit: f64,
    up: Up,
    between: Option<[[f64; 3]; 2]>,
) -> Result<(Flexible, Option<Part>), String> {
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    let own_axes = |p: [f64; 3]| Vec3::from(up.turned(p.map(|x| unit * x)));
    for part in &drawing.parts {
        let first = vertices.len() as u32;
        vertices.extend(part.vertices.iter().map(|p| own_axes(*p)));
        triangles.extend(part.triangles.iter().map(|t| t.map(|i| first + i)));
    }
    stretch_of(&vertices, &triangles, between.map(|picks| picks.map(own_axes)))
}

/// The same of a mesh in metres with z up.
pub fn stretch_of(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    between: Option<[Vec3; 2]>,
) -> Result<(Flexible, Option<Part>), String> {
    let found = cables(vertices, triangles);
    if found.refused.is_some() {
        return Ok((found, None));
    }
    let part = |vertices: &[Vec3], triangles: Vec<[u32; 3]>| Part {
        path: String::new(),
        vertices: vertices.iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles,
        collapsed: 0,
    };
    if let Some(picks) = between {
        let own = found.between(vertices, triangles, picks)?;
        let stays = (!own.triangles.is_empty()).then(|| part(&own.vertices, own.triangles));
        return Ok((own.flexible, stays));
    }
    let left: Vec<[u32; 3]> = found.remainder.iter().map(|t| triangles[*t as usize]).collect();
    let left = (!left.is_empty()).then(|| part(vertices, left));
    Ok((found, left))
}

/// Refuses a material that is not in the library.
pub fn known_material(name: &str) -> Result<(), String> {
    let all = || materials().iter().map(|own| own.name.to_string()).collect::<Vec<_>>().join(", ");
    match find_material(name) {
        Some(_) => Ok(()),
        None => {
            let shown: String = name.chars().take(40).collect();
            Err(format!("there is no material \"{shown}\"; there are: {}", all()))
        }
    }
}

/// A name that nothing in a scene begins with.
pub fn fresh(base: &str, text: &str) -> String {
    let taken = |own: &str| text.contains(&format!("\"{own}\"")) || text.contains(&format!("\"{own} "));
    let names = (1..).map(|k| if k == 1 { base.to_owned() } else { format!("{base}-{k}") });
    names.into_iter().find(|own| !taken(own)).unwrap_or_default()
}

/// A file in the folder of another, or in one within it.
pub fn beside(first: &Path, name: &str) -> Option<Vec<u8>> {
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if name.is_empty() || !Path::new(name).components().all(inside) {
        return None;
    }
    let folder = first.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(name).canonicalize().ok()?;
    // A link may lead out of the folder.
    (path.starts_with(&folder) && path.is_file()).then(|| super::read(&path).ok()).flatten()
}
