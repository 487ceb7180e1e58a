//! The folder of the studio: a journal per session, the scenes that were saved, the meshes.

mod meshes;
mod scene_file;

pub use meshes::Meshes;
pub use scene_file::{Copied, SceneFile};

use crate::gallery;
use flexline_scene::Folder;
use flexline_session::private_file;
use flexline_session::session::{Log, Recovered, Session, SessionError, Solving};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Longest name of a session.
const LONGEST_NAME: usize = 64;

/// The folder of the studio.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A session as it came from the folder, or new.
pub struct Opened {
    /// The session, which writes to its journal.
    pub session: Session,
    /// Where it saves its scene.
    pub file: SceneFile,
    /// What the person should know.
    pub notices: Vec<String>,
}

/// A scene that is to be worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What stands for the file in messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Whether it is a file that may be another when it comes again: the same session then, with a notice.
    pub is_file: bool,
}

impl Store {
    /// Uses a folder, and makes it where it is not there.
    pub fn open(folder: &Path) -> Result<Self, String> {
        private_folder(folder).map_err(|error| {
            let shown = folder.display();
            format!("the folder {shown} cannot be made: {error}; choose another by --folder")
        })?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn journal(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{session}.journal"))
    }

    /// The token of this folder: whoever may read the folder may use the studio. Pages that are open stay so when the
    /// studio is started again.
    pub fn token(&self) -> Result<String, String> {
        let path = self.folder.join("token");
        let failed =
            |error: std::io::Error| format!("the token cannot be kept in {}: {error}", path.display());
        let is_token = |text: &str| text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        if let Some(token) = std::fs::read_to_string(&path).ok().filter(|text| is_token(text)) {
            keep_private(&path);
            return Ok(token);
        }
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| format!("the system gives no random numbers: {error}"))?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = std::fs::remove_file(&path);
        let mut file = private_file(&path).map_err(failed)?;
        file.write_all(token.as_bytes()).map_err(failed)?;
        Ok(token)
    }

    /// The bytes of a journal.
    pub fn recording(&self, session: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.journal(session)).map_err(|error| format!("the journal cannot be read: {error}"))
    }

    /// The sessions that have a journal, and how many entries each has.
    pub fn sessions(&self) -> Vec<(String, usize)> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let mut all: Vec<(String, usize)> = entries
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let name = name.strip_suffix(".journal").filter(|name| is_name(name))?.to_owned();
                let lines = BufReader::new(std::fs::File::open(entry.path()).ok()?).split(b'\n').count();
                Some((name, lines.saturating_sub(1)))
            })
            .collect();
        all.sort();
        all
    }

    /// The meshes of a session.
    pub fn meshes(&self, session: &str) -> Meshes {
        Meshes::open(self.meshes_of(session))
    }

    fn meshes_of(&self, session: &str) -> PathBuf {
        self.folder.join(format!("{session}.meshes"))
    }

    /// Whether a session has a journal.
    pub fn has(&self, session: &str) -> bool {
        is_name(session) && self.journal(session).exists()
    }

    /// Forgets a session: its journal, the checkpoint beside it, its meshes. What was saved stays.
    pub fn remove_session(&self, session: &str) -> Result<(), String> {
        let journal = self.journal(session);
        let failed = |error: std::io::Error| format!("the session '{session}' cannot be deleted: {error}");
        let file = std::fs::File::open(&journal).map_err(failed)?;
        if matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)) {
            return Err(format!("another program has the session '{session}' open: end that first"));
        }
        std::fs::remove_file(&journal).map_err(failed)?;
        // What is left beside a journal that is gone belongs to nothing.
        for beside in ["checkpoint", "saved"] {
            let _ = std::fs::remove_file(journal.with_extension(beside));
        }
        let _ = std::fs::remove_dir_all(self.meshes_of(session));
        Ok(())
    }

    /// The session that a scene belongs to: one that began with it, or a name that is free.
    pub fn session_for(&self, wanted: &str, source: &Source) -> String {
        let stem = name_from(wanted);
        let names = std::iter::once(stem.clone()).chain((2..10_000).map(|i| format!("{stem}-{i}")));
        // One whose head is damaged may have been this: opening it says so, and keeps it.
        let fits = |name: &String| match Log::read(&self.journal(name)) {
            Ok(log) => log.name == source.name && (source.is_file || log.text == source.text),
            Err(error) => error.line == Some(1) || !self.journal(name).exists(),
        };
        names.into_iter().find(fits).unwrap_or(stem)
    }

    /// Opens a session: as its journal left it, or with `source` where it has none. With `own` saving replaces that file.
    pub fn open_session(
        &self,
        session: &str,
        source: Option<&Source>,
        own: Option<PathBuf>,
    ) -> Result<Opened, String> {
        if !is_name(session) {
            return Err(format!(
                "'{}' is no name of a session: expected up to {LONGEST_NAME} letters, digits, '-' and '_'",
                session.chars().take(LONGEST_NAME).collect::<String>()
            ));
        }
        let path = self.journal(session);
        let mut notices = Vec::new();
        keep_private(&path);
        // The first line has the scene: without it nothing can be restored.
        if path.exists() && Log::read(&path).is_err_and(|error| error.line == Some(1)) && source.is_some() {
            let names = (1..1000).map(|i| path.with_extension(format!("journal.unreadable-{i}")));
            let aside = names.into_iter().find(|name| !name.exists());
            let aside = aside.ok_or("there are 1000 unreadable journals: remove some")?;
            std::fs::rename(&path, &aside)
                .map_err(|error| format!("the journal cannot be put aside: {error}"))?;
            notices.push(format!(
                "the journal of '{session}' is damaged in its first line, so that nothing of it can be restored; it is kept \
                 as {}, and the session begins anew",
                aside.display()
            ));
        }
        let files = Folder::new(self.meshes_of(session)).with(gallery::files());
        let saves = |began: &str| {
            SceneFile::new(&self.folder, session, own.clone().map(|path| (path, began)), files.clone())
        };
        // What lies beside a scene file comes along: the session goes on with it, whatever becomes of the file.
        if let Some(source) = source.filter(|source| source.is_file)
            && !path.exists()
        {
            meshes::copy(&source.text, &Folder::of(Path::new(&source.name)), &self.meshes_of(session))?;
        }
        if path.exists() {
            let began = Log::read(&path).map(|log| log.text).unwrap_or_default();
            let recovered =
                Session::recover_in(&path, &files, Solving::Always).map_err(|error| error.to_string())?;
            notices.extend(self.came_back(session, &began, &recovered, source));
            return Ok(Opened { session: recovered.session, file: saves(&began), notices });
        }
        let Some(source) = source else {
            return Err(format!(
                "there is no session '{session}': open a scene of the gallery, or a scene file"
            ));
        };
        let begin = || -> Result<Session, SessionError> {
            let mut session = Session::open_in(&source.text, &source.name, &files, Solving::Always)?;
            session.begin_journal(&path)?;
            Ok(session)
        };
        let session = begin().map_err(|error| error.to_string())?;
        Ok(Opened { session, file: saves(&source.text), notices })
    }

    /// What is to be said about a session that came back.
    fn came_back(
        &self,
        session: &str,
        began: &str,
        recovered: &Recovered,
        source: Option<&Source>,
    ) -> Vec<String> {
        let mut notices = Vec::new();
        let count = recovered.session.depth().0;
        if count > 0 {
            let changes = if count == 1 { "1 change".to_owned() } else { format!("{count} changes") };
            notices.push(format!("the session came back as it was, with {changes}; `revert` begins again"));
        }
        if recovered.torn {
            notices.push("the last entry of the journal was not written to its end and is left out".into());
        }
        if let (Some(damage), Some(aside)) = (&recovered.damage, &recovered.aside) {
            notices.push(format!("{damage}; the damaged journal is kept as {}", aside.display()));
        }
        let is_other = |text: &str| text != began && !scene_file::has_written(&self.folder, session, text);
        if source.is_some_and(|source| is_other(&source.text)) {
            notices.push(format!(
                "the scene file was changed since this session began, and the session goes on with what it was; \
                 remove {} to begin with the file as it is now",
                self.journal(session).display()
            ));
        }
        notices
    }
}

/// Whether a session may have this name: it becomes part of file names.
pub fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// A name for a session, from any text.
fn name_from(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(LONGEST_NAME - 8) {
        match c {
            c if c.is_ascii_alphanumeric() || c == '_' => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_matches('-');
    if name.is_empty() { "scene".into() } else { name.into() }
}

/// Makes a folder that its owner alone may enter; one that is there stays as it is.
fn private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes a file of ours from everybody but its owner, where an earlier version left it to all.
fn keep_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600));
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", "a.b", "a b", "ä", "a\0", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad:?}");
        }
        assert!(is_name("brake-hose") && is_name("A_1"));
        assert_eq!(name_from("../../etc/passwd"), "etc-passwd");
        assert_eq!(name_from("Türgriff 2"), "T-rgriff-2");
        assert_eq!(name_from("…"), "scene");
        assert!(is_name(&format!("{}-9999", name_from(&"x".repeat(500)))));
    }
}
