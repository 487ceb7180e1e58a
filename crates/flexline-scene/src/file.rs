//! Opening a scene file: everything that can be wrong before its text is read.

use crate::diagnostic::{Code, SceneError};
use crate::folder::Folder;
use crate::model::Scene;
use crate::{read, suggest};
use std::io::Read;
use std::path::Path;
use toml::de::DeTable;

/// Files larger than this are refused before they are read, in bytes.
pub const LARGEST_FILE: u64 = 16 << 20;
/// More tables than this are refused before they are read: a parser takes a hundred times the memory of their text.
const MOST_TABLES: usize = 20_000;
/// More values than this, as well.
const MOST_VALUES: usize = 500_000;
/// Of a text with too many of them so many bytes are looked at for whether it is a scene at all.
const HEAD: usize = 64 << 10;
/// No more names than this are looked at for a file that may have been meant.
const MOST_NAMES: usize = 1000;

impl Scene {
    /// Reads a scene file and checks it: what this returns compiles.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let unreadable = |error: std::io::Error| {
            let (problem, help) = explain(path, &error);
            SceneError::whole(&name, Code::Unreadable, format!("cannot read {name}: {problem}"), help)
        };
        if path.is_dir() {
            let help = Some("name a scene file in it, ending in .toml".into());
            return Err(SceneError::whole(&name, Code::Unreadable, format!("{name} is a folder"), help));
        }
        let file = std::fs::File::open(path).map_err(unreadable)?;
        // Pipes and devices have no size: the reading itself is bounded as well.
        let size = file.metadata().map_err(unreadable)?.len();
        let mut bytes = Vec::new();
        if size <= LARGEST_FILE {
            file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        }
        if size > LARGEST_FILE {
            return Err(too_large(&name, size));
        }
        Self::from_bytes_in(&bytes, &name, &Folder::of(path))
    }

    /// Reads a scene from the bytes of a file called `name` and checks it. It has no folder: files that it names cannot be
    /// found.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Self, SceneError> {
        Self::from_bytes_in(bytes, name, &Folder::default())
    }

    fn from_bytes_in(bytes: &[u8], name: &str, folder: &Folder) -> Result<Self, SceneError> {
        if bytes.len() as u64 > LARGEST_FILE {
            return Err(too_large(name, bytes.len() as u64));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::parse_in(text, name, folder),
            Err(error) => Err(not_text(bytes, error.valid_up_to(), name)),
        }
    }

    /// Reads a scene from text and checks it; `name` stands in messages for the file. It has no folder.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::parse_in(text, name, &Folder::default())
    }

    /// The same with a folder for the files that it names.
    pub fn parse_in(text: &str, name: &str, folder: &Folder) -> Result<Self, SceneError> {
        let scene = Self::read_in(text, name, folder)?;
        scene.compile()?;
        Ok(scene)
    }

    /// Reads a scene from text; whether it compiles is not looked at. It has no folder.
    pub fn read(text: &str, name: &str) -> Result<Self, SceneError> {
        Self::read_in(text, name, &Folder::default())
    }

    /// The same with a folder for the files that it names.
    pub fn read_in(text: &str, name: &str, folder: &Folder) -> Result<Self, SceneError> {
        if text.len() as u64 > LARGEST_FILE {
            return Err(too_large(name, text.len() as u64));
        }
        // Text never holds these; saying so is clearer than what a parser stumbles over.
        if let Some(offset) = text.bytes().position(|b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) {
            return Err(not_text(text.as_bytes(), offset, name));
        }
        if let Some((count, what, most)) = crowd(text) {
            if let Some(head) = nonsense(text) {
                return read::read(head, name, folder);
            }
            let message = format!("{name} has {count} {what}");
            let help = format!("expected at most {most} in a scene; divide it into several");
            return Err(SceneError::whole(name, Code::TooLarge, message, Some(help)));
        }
        read::read(text, name, folder)
    }

    /// The same scene where it has one cable, between `[start]` and `[end]`; more is a mistake where one is needed.
    pub fn single(self) -> Result<Self, SceneError> {
        if self.is_single() {
            return Ok(self);
        }
        let message = "this scene is a harness, with a list of cables: [[cable]]".to_owned();
        let help = "a scene of one cable is needed here: [cable] with [start] and [end]";
        let mistake = self.source.diagnostic(Code::Conflict, "cable", message, Some(help.into()));
        Err(SceneError::new(self.name(), vec![mistake], 0))
    }
}

/// What a text has too many of, by a look at it that takes no memory; what stands in texts and comments counts along.
fn crowd(text: &str) -> Option<(usize, &'static str, usize)> {
    let headers = text.lines().filter(|line| line.trim_start().starts_with('[')).count();
    let count = |of: &[u8]| text.bytes().filter(|byte| of.contains(byte)).count();
    let all = [(headers + count(b"{"), "tables", MOST_TABLES), (count(b",="), "values", MOST_VALUES)];
    all.into_iter().find(|(count, _, most)| count > most)
}

/// The beginning of a text, where that is no TOML already: a mistake before its end, which may be cut anywhere.
fn nonsense(text: &str) -> Option<&str> {
    let end = (0..=text.len().min(HEAD)).rev().find(|end| text.is_char_boundary(*end))?;
    let head = &text[..end];
    let mistake = DeTable::parse(head).err()?.span()?;
    (mistake.end < head.len()).then_some(head)
}

fn too_large(name: &str, size: u64) -> SceneError {
    let limit = LARGEST_FILE >> 20;
    // Of a pipe only one byte more than the limit is read.
    let message = if size <= LARGEST_FILE + 1 {
        format!("{name} is larger than {limit} MiB")
    } else {
        format!("{name} is {:.1} MiB large", size as f64 / f64::from(1 << 20))
    };
    let help = format!("expected a scene file of at most {limit} MiB; is it the right file?");
    SceneError::whole(name, Code::TooLarge, message, Some(help))
}

fn not_text(bytes: &[u8], offset: usize, name: &str) -> SceneError {
    let line = bytes[..offset].iter().filter(|b| **b == b'\n').count() + 1;
    let byte = bytes.get(offset).copied().unwrap_or(0);
    let message = format!("{name} is not UTF-8 text: byte {offset} (0x{byte:02x}, line {line})");
    let help = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "it looks like UTF-16; save it as UTF-8"
    } else {
        "save it as UTF-8 text; is it the right file?"
    };
    SceneError::whole(name, Code::NotText, message, Some(help.into()))
}

/// Why a file cannot be read, and what to do.
fn explain(path: &Path, error: &std::io::Error) -> (String, Option<String>) {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                return (format!("there is no folder {}", folder.display()), Some("check the path".into()));
            }
            ("there is no such file".into(), Some(similar_files(path, folder)))
        }
        std::io::ErrorKind::PermissionDenied => {
            ("permission denied".into(), Some("check who may read it".into()))
        }
        _ => (error.to_string(), None),
    }
}

fn similar_files(path: &Path, folder: &Path) -> String {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .take(MOST_NAMES)
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(near) = suggest::nearest(&wanted, names.iter().map(String::as_str)) {
        return format!("did you mean {}?", folder.join(near).display());
    }
    if names.is_empty() {
        return format!("there are no scene files in {}", folder.display());
    }
    let more = if names.len() > 8 { ", …" } else { "" };
    names.truncate(8);
    format!("scene files there: {}{more}", names.join(", "))
}
