//! The mesh files of a session, and the meshes that its scene shows.

use super::private_folder;
use bytes::Bytes;
use flexline::contact::Mesh;
use flexline_exchange::drawing::Format;
use flexline_exchange::mesh::Mesh as MeshOfFile;
use flexline_scene::Folder;
use flexline_scene::obstacle::Form;
use flexline_session::replace_file;
use flexline_session::session::checksum;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Mesh files of one session.
const MOST: usize = 64;
/// Bytes of all of them.
const MOST_BYTES: u64 = 512 << 20;
/// The folder in which files that were dropped lie, as scenes name them.
const DROPPED: &str = "meshes";

/// The meshes of a session.
pub struct Meshes {
    folder: PathBuf,
    shown: Mutex<BTreeMap<String, Arc<Mesh>>>,
}

impl Meshes {
    pub(super) fn open(folder: PathBuf) -> Self {
        Self { folder, shown: Mutex::default() }
    }

    fn shown(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Mesh>>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the scene shows now, by key.
    pub fn show(&self, meshes: Vec<(String, Arc<Mesh>)>) {
        *self.shown() = meshes.into_iter().collect();
    }

    /// A mesh that the scene shows, as it goes out.
    pub fn get(&self, key: &str) -> Option<Bytes> {
        let mesh = self.shown().get(key)?.clone();
        let vertices = mesh.vertices().iter().map(|v| [v.x as f32, v.y as f32, v.z as f32]).collect();
        Some(MeshOfFile { vertices, triangles: mesh.triangles().to_vec() }.to_bytes().into())
    }

    /// Keeps a mesh file; gives the path by which a scene names it. The same file has the same path, another another.
    pub fn add(&self, name: &str, bytes: &[u8]) -> Result<String, String> {
        let path = path_for(name, bytes);
        let (count, size) = all_in(&self.folder.join(DROPPED));
        if self.folder.join(&path).exists() {
            return Ok(path);
        }
        if count >= MOST {
            return Err(format!("the session has {MOST} mesh files already: begin another session"));
        }
        if size + bytes.len() as u64 > MOST_BYTES {
            return Err(format!(
                "the mesh files of the session would exceed {} MiB: make them coarser",
                MOST_BYTES >> 20
            ));
        }
        put(&self.folder, &path, bytes)?;
        Ok(path)
    }
}

/// The path under which a file is kept: its name, and what tells it from others of that name.
fn path_for(name: &str, bytes: &[u8]) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let ending = Format::of(bytes).map_or("mesh", Format::ending);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let stem: String = stem.chars().take(40).map(plain).collect();
    let stem = match stem.trim_matches('-') {
        "" => "mesh",
        stem => stem,
    };
    format!("{DROPPED}/{stem}-{:08x}.{ending}", checksum(bytes) as u32)
}

/// How many files a folder has, and how many bytes.
fn all_in(folder: &Path) -> (usize, u64) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| Some(entry.metadata().ok()?.len()));
    sizes.fold((0, 0), |(count, size), own| (count + 1, size + own))
}

/// Writes a file below a folder.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = folder.join(name);
    let written = private_folder(folder)
        .and_then(|()| path.parent().map_or(Ok(()), private_folder))
        .and_then(|()| replace_file(&path, bytes));
    written.map_err(|error| format!("the mesh cannot be kept as {}: {error}", path.display()))
}

/// The mesh files that a scene names.
fn named_in(text: &str) -> Vec<String> {
    let Ok(scene) = flexline_scene::Scene::read(text, "") else { return Vec::new() };
    let path = |form: &Form| match form {
        Form::Mesh(file) => Some(file.path.clone()),
        _ => None,
    };
    scene.obstacles.iter().filter_map(|own| path(&own.form)).collect()
}

/// Copies the mesh files that a scene names from where they are to a folder that has none of these names; says what could
/// not be copied.
pub(super) fn copy(text: &str, from: &Folder, to: &Path) -> Result<(), String> {
    for name in named_in(text) {
        let bytes = from.read(&name).map_err(|wrong| format!("{}: {}", wrong.message, wrong.help))?;
        match std::fs::read(to.join(&name)) {
            Ok(there) if there[..] == bytes[..] => {}
            Ok(_) => {
                return Err(format!(
                    "{} is another mesh than that of this scene, and is left as it is",
                    to.join(&name).display()
                ));
            }
            Err(_) => put(to, &name, &bytes)?,
        }
    }
    Ok(())
}
