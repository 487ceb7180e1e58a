//! Where the files are that a scene names, and what was read from them.

use crate::diagnostic::Code;
use crate::obstacle::{LARGEST_MESH, MeshFile, Mistake};
use crate::suggest;
use flexline::Vec3;
use flexline::contact::{Mesh, MeshHealth};
use flexline_exchange::mesh::Mesh as MeshOfFile;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// No more names than this are looked at for a file that may have been meant.
const MOST_NAMES: usize = 1000;
/// No more meshes than this are remembered.
const MOST_KNOWN: usize = 64;

/// The files that a scene may name: those of a folder, and some that are in memory. What was read is remembered until the
/// file is another; clones share that. A scene that came from text alone has none.
#[derive(Clone, Default)]
pub struct Folder {
    path: Option<PathBuf>,
    kept: BTreeMap<String, Cow<'static, [u8]>>,
    known: Arc<Mutex<HashMap<Key, Known>>>,
}

/// A mesh as a scene asks for it: path, unit by its bits, whether y is up.
type Key = (String, u64, bool);

/// A mesh that was read, and what the file was like then: its length, and when it was changed.
#[derive(Clone)]
struct Known {
    stamp: Option<(u64, SystemTime)>,
    mesh: Arc<Mesh>,
    health: MeshHealth,
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Folder").field(&self.path).finish()
    }
}

impl PartialEq for Folder {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.kept == other.kept
    }
}

impl Folder {
    /// A folder of the disk.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), ..Self::default() }
    }

    /// The folder that a scene file is in.
    pub fn of(scene: &Path) -> Self {
        let parent = scene.parent().filter(|parent| !parent.as_os_str().is_empty());
        Self::new(parent.unwrap_or(Path::new(".")))
    }

    /// The same with files in memory, which are looked for where the disk has none.
    pub fn with(mut self, files: impl IntoIterator<Item = (String, Cow<'static, [u8]>)>) -> Self {
        self.kept.extend(files);
        self
    }

    /// The bytes of a file that a scene names.
    pub fn read(&self, name: &str) -> Result<Cow<'_, [u8]>, Mistake> {
        let wrong = |code, message, help| Mistake { code, key: "mesh", message, help };
        let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.is_empty() || !Path::new(name).components().all(is_inside) {
            let message = format!("\"{name}\" is no file in the folder of the scene");
            let help =
                "put the mesh beside the scene, or in a folder beside it: mesh = \"meshes/bracket.stl\"";
            return Err(wrong(Code::Unreadable, message, help.into()));
        }
        let on_disk = self.path.as_ref().map(|folder| folder.join(name));
        let failed = match on_disk.as_deref().map(read_bounded) {
            Some(Ok(bytes)) if bytes.len() as u64 > LARGEST_MESH => {
                let message = format!("{name} is larger than {} MiB", LARGEST_MESH >> 20);
                return Err(wrong(Code::TooLarge, message, "make the mesh coarser, or divide it".into()));
            }
            Some(Ok(bytes)) => return Ok(bytes.into()),
            Some(Err(error)) if error.kind() != ErrorKind::NotFound => Some(error),
            _ => None,
        };
        if let Some(bytes) = self.kept.get(name) {
            return Ok(Cow::Borrowed(bytes));
        }
        let (message, help) = match (&on_disk, failed) {
            (Some(path), Some(error)) => {
                let help = "check the path, and who may read it".into();
                (format!("cannot read {}: {error}", path.display()), help)
            }
            (Some(path), None) => {
                (format!("cannot read {}: there is no such file", path.display()), self.similar(path))
            }
            (None, _) => {
                let message = format!("\"{name}\" cannot be found: this scene did not come from a file");
                (message, "meshes are found beside the scene file; save the scene beside them".into())
            }
        };
        Err(wrong(Code::Unreadable, message, help))
    }

    /// The mesh of a file, with z up and in metres.
    pub(crate) fn mesh(&self, file: &MeshFile) -> Result<(Arc<Mesh>, MeshHealth), Mistake> {
        let key = (file.path.clone(), file.unit.to_bits(), file.up.is_y());
        let on_disk = self.path.as_ref().and_then(|folder| std::fs::metadata(folder.join(&file.path)).ok());
        let stamp = on_disk.and_then(|data| Some((data.len(), data.modified().ok()?)));
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known().get(&key).filter(|own| own.stamp == stamp) {
            return Ok((own.mesh.clone(), own.health));
        }
        let bytes = self.read(&file.path)?;
        let wrong = |message: String, help: &str| Mistake {
            code: Code::Unreadable,
            key: "mesh",
            message,
            help: help.into(),
        };
        let read = MeshOfFile::read(&bytes, file.unit).map_err(|error| {
            let help = "expected triangles as STL, OBJ, PLY, glTF, Open Inventor or VRML; export it again";
            wrong(format!("cannot read {}: {error}", file.path), help)
        })?;
        drop(bytes);
        let vertices: Vec<Vec3> = read.vertices.iter().map(|v| file.up.turned(v.map(f64::from))).collect();
        let (mesh, health) = Mesh::new(&vertices, &read.triangles)
            .map_err(|error| wrong(format!("cannot use {}: {error}", file.path), "export it again"))?;
        let mesh = Arc::new(mesh);
        let mut all = known();
        if all.len() >= MOST_KNOWN {
            all.clear();
        }
        all.insert(key, Known { stamp, mesh: mesh.clone(), health });
        Ok((mesh, health))
    }

    /// Which mesh may have been meant.
    fn similar(&self, path: &Path) -> String {
        let folder = path.parent().unwrap_or(Path::new("."));
        const ENDINGS: [&str; 7] = [".stl", ".obj", ".ply", ".glb", ".gltf", ".iv", ".wrl"];
        let is_mesh = |name: &String| ENDINGS.iter().any(|end| name.to_lowercase().ends_with(end));
        let entries = std::fs::read_dir(folder).into_iter().flatten().take(MOST_NAMES).flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_mesh).collect();
        names.sort();
        let wanted = path.file_name().unwrap_or_default().to_string_lossy();
        match suggest::nearest(&wanted, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None if names.is_empty() => format!("there are no meshes in {}", folder.display()),
            None => format!("meshes there: {}", names[..names.len().min(8)].join(", ")),
        }
    }
}

/// The bytes of a file, one more than allowed where it is too large: pipes and devices have no size to ask for.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LARGEST_MESH + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
