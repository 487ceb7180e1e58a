//! The meshes of a session, on disk so that they come back: a line with the name, then the mesh as it goes out.

use super::private_folder;
use crate::wire::MeshView;
use bytes::Bytes;
use flexline_exchange::mesh::Mesh;
use flexline_session::replace_file;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Meshes of one session.
const MOST: usize = 64;
/// Bytes of all of them.
const MOST_BYTES: usize = 512 << 20;

struct Item {
    id: u32,
    name: String,
    vertices: usize,
    triangles: usize,
    bytes: Bytes,
}

/// The meshes of a session.
pub struct Meshes {
    folder: PathBuf,
    items: Mutex<Vec<Item>>,
}

impl Meshes {
    /// Reads what there is; a file that is no mesh of ours is passed over.
    pub(super) fn open(folder: PathBuf) -> Self {
        let mut items = Vec::new();
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let id = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse().ok());
            let (Some(id), true) = (id, path.extension().is_some_and(|e| e == "mesh")) else { continue };
            let Ok(bytes) = std::fs::read(&path).map(Bytes::from) else { continue };
            let Some(end) = bytes.iter().position(|b| *b == b'\n') else { continue };
            let Ok(name) = serde_json::from_slice::<String>(&bytes[..end]) else { continue };
            let bytes = bytes.slice(end + 1..);
            let Some(mesh) = Mesh::from_bytes(&bytes) else { continue };
            items.push(Item {
                id,
                name,
                vertices: mesh.vertices.len(),
                triangles: mesh.triangles.len(),
                bytes,
            });
        }
        items.sort_by_key(|item| item.id);
        Self { folder, items: Mutex::new(items) }
    }

    fn items(&self) -> MutexGuard<'_, Vec<Item>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the `scene` event says of them.
    pub fn views(&self) -> Vec<MeshView> {
        let view = |item: &Item| MeshView {
            id: item.id,
            name: item.name.clone(),
            triangles: item.triangles,
            vertices: item.vertices,
        };
        self.items().iter().map(view).collect()
    }

    /// Keeps a mesh; gives its number.
    pub fn add(&self, name: &str, mesh: &Mesh) -> Result<u32, String> {
        let name: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
        let bytes = mesh.to_bytes();
        let mut items = self.items();
        if items.len() >= MOST {
            return Err(format!("the session has {MOST} meshes already: take one away first"));
        }
        if items.iter().map(|item| item.bytes.len()).sum::<usize>() + bytes.len() > MOST_BYTES {
            return Err(format!(
                "the meshes of the session would exceed {} MiB: take one away first",
                MOST_BYTES >> 20
            ));
        }
        let id = items.last().map_or(1, |item| item.id + 1);
        let mut file = serde_json::to_vec(&name).unwrap_or_default();
        file.push(b'\n');
        file.extend_from_slice(&bytes);
        let written = private_folder(&self.folder)
            .and_then(|()| replace_file(&self.folder.join(format!("{id}.mesh")), &file));
        written.map_err(|error| format!("the mesh cannot be kept in {}: {error}", self.folder.display()))?;
        let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
        items.push(Item { id, name, vertices, triangles, bytes: bytes.into() });
        Ok(id)
    }

    /// A mesh as it goes out.
    pub fn get(&self, id: u32) -> Option<Bytes> {
        self.items().iter().find(|item| item.id == id).map(|item| item.bytes.clone())
    }

    /// Takes a mesh away; `false` where there is none.
    pub fn remove(&self, id: u32) -> bool {
        let mut items = self.items();
        let before = items.len();
        items.retain(|item| item.id != id);
        let found = items.len() < before;
        if found {
            let _ = std::fs::remove_file(self.folder.join(format!("{id}.mesh")));
        }
        found
    }
}
