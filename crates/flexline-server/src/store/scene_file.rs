//! The file that `save` writes. It never takes the place of anything that its session did not read from there, or write
//! there itself.

use super::{is_name, meshes};
use flexline_scene::{Folder, LARGEST_FILE};
use flexline_session::session::checksum;
use flexline_session::{private_file, replace_file};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// So many names are tried for a copy in the folder of the studio.
const MOST_COPIES: usize = 1000;

/// Files that are larger than this are of somebody else, in bytes.
const LARGEST: u64 = 2 * LARGEST_FILE;

/// What a session has written to its files last, by check: it is kept beside the journal.
type Written = BTreeMap<PathBuf, u64>;

/// Where a session saves its scene.
pub struct SceneFile {
    folder: PathBuf,
    session: String,
    /// The file that was opened, where `--write` lets it be replaced, and what was read from it.
    own: Option<(PathBuf, u64)>,
    written: Written,
    /// The mesh files that scenes of the session name.
    files: Folder,
}

/// What came of saving under another name.
pub enum Copied {
    /// It was written.
    To(PathBuf),
    /// Something else is there, and was left as it is.
    Taken(PathBuf),
}

impl SceneFile {
    /// Of a session in the folder of the studio; `own` is the file that `--write` names and the text it began with.
    pub(super) fn new(folder: &Path, session: &str, own: Option<(PathBuf, &str)>, files: Folder) -> Self {
        let own = own.map(|(path, text)| (path, checksum(text.as_bytes())));
        Self {
            folder: folder.to_owned(),
            session: session.to_owned(),
            own,
            written: written(folder, session),
            files,
        }
    }

    /// Writes a scene under a name in the folder of the studio. What is there and not of this session is replaced only
    /// where the person was asked.
    pub fn save_as(&mut self, text: &str, name: &str, replace: bool) -> Result<Copied, String> {
        let stem = name.strip_suffix(".toml").unwrap_or(name);
        if !is_name(stem) {
            return Err(format!(
                "`name` = '{}' is no name of a file here: expected letters, digits, '-' and '_'",
                stem.chars().take(64).collect::<String>()
            ));
        }
        let path = self.folder.join(format!("{stem}.toml"));
        let there = match replace {
            true => std::fs::read(&path).ok().map(|bytes| checksum(&bytes)),
            false => None,
        };
        Ok(match self.put(&path, text.as_bytes(), there)? {
            true => {
                self.copy_meshes(text, &path)?;
                Copied::To(path)
            }
            false => Copied::Taken(path),
        })
    }

    /// Writes a scene; says where it went and why there.
    pub fn save(&mut self, text: &str) -> Result<(PathBuf, String), String> {
        let bytes = text.as_bytes();
        if let Some((path, read)) = self.own.clone() {
            if !self.put(&path, bytes, Some(read))? {
                return Err(format!(
                    "{} was changed by something else since this session read it, and is left as it is: download the scene, \
                     or save it under another name",
                    path.display()
                ));
            }
            self.copy_meshes(text, &path)?;
            return Ok((path, "the scene file itself, as --write asks".into()));
        }
        // The first name that is free, or was written by this session.
        let (folder, session) = (self.folder.clone(), self.session.clone());
        let first = folder.join(format!("{session}.toml"));
        let others = (2..MOST_COPIES).map(|i| folder.join(format!("{session}-{i}.toml")));
        for path in std::iter::once(first.clone()).chain(others) {
            if self.put(&path, bytes, None)? {
                let mut why = "a copy in the folder of the studio".to_owned();
                if path != first {
                    why += &format!("; {} is not of this session and is left as it is", first.display());
                }
                self.copy_meshes(text, &path)?;
                return Ok((path, why));
            }
        }
        Err(format!("there are {MOST_COPIES} copies of '{}' already: save under another name", self.session))
    }

    /// Puts the mesh files that a scene names beside it.
    fn copy_meshes(&self, text: &str, path: &Path) -> Result<(), String> {
        let copied = meshes::copy(text, &self.files, path.parent().unwrap_or(Path::new(".")));
        copied
            .map_err(|why| format!("the scene was written to {}, but not its meshes: {why}", path.display()))
    }

    /// Writes to a path where nothing is, or what was read from there or written there last; `false` where there is
    /// something else.
    fn put(&mut self, path: &Path, bytes: &[u8], read: Option<u64>) -> Result<bool, String> {
        let failed = |error: std::io::Error| {
            let shown = path.display();
            format!(
                "the scene cannot be written to {shown}: {error}; its journal has everything all the same"
            )
        };
        let written = self.written.get(path).copied();
        if std::fs::metadata(path).is_ok_and(|data| data.len() > LARGEST) {
            return Ok(false);
        }
        match std::fs::read(path) {
            Ok(there) => {
                let there = checksum(&there);
                if ![read, written].contains(&Some(there)) {
                    return Ok(false);
                }
                replace_file(path, bytes).map_err(failed)?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => match create(path, bytes) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
                result => result.map_err(failed)?,
            },
            Err(error) => return Err(failed(error)),
        }
        self.written.insert(path.to_owned(), checksum(bytes));
        // Where this cannot be kept the next run finds a file that it does not know, and leaves it alone.
        let kept = serde_json::to_vec(&self.written).unwrap_or_default();
        let _ = replace_file(&mark(&self.folder, &self.session), &kept);
        Ok(true)
    }
}

/// Whether the session has written these contents to some file.
pub(super) fn has_written(folder: &Path, session: &str, text: &str) -> bool {
    written(folder, session).values().any(|check| *check == checksum(text.as_bytes()))
}

fn written(folder: &Path, session: &str) -> Written {
    let bytes = std::fs::read(mark(folder, session)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn mark(folder: &Path, session: &str) -> PathBuf {
    folder.join(format!("{session}.saved"))
}

/// Makes a file with contents, where there is none.
fn create(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = private_file(path)?;
    let result = file.write_all(bytes).and_then(|()| file.sync_data());
    if result.is_err() {
        let _ = std::fs::remove_file(path);
    }
    result
}
