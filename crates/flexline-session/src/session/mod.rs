//! Sessions: a scene under work, with one path for every change.
//!
//! [`Session::apply`] edits a copy of the scene's text by a [`Command`], reads and compiles it, solves it from the
//! shape of before, writes the command to the journal, and only then takes it over: an error leaves everything as it
//! was. What refers to the present shape is turned into numbers first, so that the journal gives the same text
//! wherever it is replayed.

mod carry;
mod checkpoint;
mod history;
mod journal;
mod keep;
mod present;
mod pull;
mod settle;
mod solved;

pub use journal::{Damage, Entry, Journal, JournalError, Log, MOST_ENTRIES, checksum};
pub use solved::Solved;

use crate::command::{Command, Lineage, edit};
use checkpoint::Checkpoint;
use flexline::solver::{Budget, Status, budget};
use flexline_scene::{Folder, Scene, SceneError};
use history::{Change, Past, Step};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Time in which the numbers that a command refers to must be found: a search solves many times.
const SEARCH: Duration = Duration::from_secs(20);

/// What a command did.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// The command as it was journaled: with numbers instead of what referred to the present shape.
    pub command: Command,
    /// What changed, a line each.
    pub changes: Vec<String>,
    /// How the scene solved after it, a line; `None` where nothing is solved.
    pub status: Option<String>,
}

/// Why something could not be done. Everything is as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionError {
    /// The command, or the scene it would make.
    Command(Box<SceneError>),
    /// Nobody wanted the answer any more.
    Cancelled,
    /// There is nothing to undo.
    NothingToUndo,
    /// There is nothing to redo.
    NothingToRedo,
    /// The journal.
    Journal(JournalError),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(error) => error.fmt(f),
            Self::Cancelled => f.write_str("it was cancelled; nothing was changed"),
            Self::NothingToUndo => f.write_str("there is nothing to undo"),
            Self::NothingToRedo => f.write_str("there is nothing to redo"),
            Self::Journal(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SessionError {}

impl From<SceneError> for SessionError {
    fn from(error: SceneError) -> Self {
        Self::Command(Box::new(error))
    }
}

impl From<JournalError> for SessionError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

/// Whether a session solves its scene after every change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solving {
    /// After every change.
    Always,
    /// Never: texts alone. What refers to the present shape is refused.
    Never,
}

/// What came back from a journal.
pub struct Recovered {
    /// The session.
    pub session: Session,
    /// What each entry did.
    pub outcomes: Vec<Outcome>,
    /// Whether the last line was torn, and left out.
    pub torn: bool,
    /// Where the journal is damaged: what is before that is restored.
    pub damage: Option<Damage>,
    /// The damaged journal as it was, kept aside when the session went on in the good part of it.
    pub aside: Option<PathBuf>,
}

/// A scene under work.
pub struct Session {
    name: String,
    text: String,
    /// Where the files are that the scene names.
    folder: Folder,
    solving: Solving,
    solved: Option<Arc<Solved>>,
    past: Past,
    journal: Option<Journal>,
    /// Entries since the shape was last written beside the journal.
    unsaved: usize,
}

impl Session {
    /// Opens a scene from its text; `name` stands in messages for the file. It has no folder: files that it names cannot
    /// be found.
    pub fn open(text: &str, name: &str, solving: Solving) -> Result<Self, SessionError> {
        Self::open_in(text, name, &Folder::default(), solving)
    }

    /// The same with a folder for the files that the scene names.
    pub fn open_in(text: &str, name: &str, folder: &Folder, solving: Solving) -> Result<Self, SessionError> {
        let mut session = Self {
            name: name.into(),
            text: text.into(),
            folder: folder.clone(),
            solving,
            solved: None,
            past: Past::default(),
            journal: None,
            unsaved: 0,
        };
        session.solved = session.solve(text, None, &Lineage::default())?;
        Ok(session)
    }

    /// Begins a journal at a path where there is none yet.
    pub fn begin_journal(&mut self, path: impl AsRef<Path>) -> Result<(), SessionError> {
        self.journal = Some(Journal::create(path.as_ref(), &self.name, &self.text)?);
        Ok(())
    }

    /// Comes back from a journal and goes on in it: in the shape of the last checkpoint where there is one, then entry by
    /// entry. A torn last line is left out; where a line is damaged, everything before it is restored and the whole file
    /// is kept aside. While another session writes to the journal, it is refused.
    pub fn recover(path: impl AsRef<Path>, solving: Solving) -> Result<Recovered, SessionError> {
        Self::recover_in(path, &Folder::default(), solving)
    }

    /// The same with a folder for the files that the scene names.
    pub fn recover_in(
        path: impl AsRef<Path>,
        folder: &Folder,
        solving: Solving,
    ) -> Result<Recovered, SessionError> {
        let path = path.as_ref();
        // The journal is touched only when what it says could be done again.
        let file = Journal::lock(path)?;
        let mut log = Log::read_from(path, &file)?;
        let begun = (solving == Solving::Always).then(|| Self::at_checkpoint(path, &log, folder)).flatten();
        let mut recovered = match begun {
            Some((session, entries)) => session.replay(&mut log, entries)?,
            None => Self::open_in(&log.text, &log.name, folder, solving)?.replay(&mut log, 0)?,
        };
        let (journal, aside) = Journal::resume(path, file, &log)?;
        recovered.session.journal = Some(journal);
        recovered.aside = aside;
        Ok(recovered)
    }

    /// Does again what a journal says, up to where it is damaged, and leaves the file alone.
    pub fn replayed(path: impl AsRef<Path>, solving: Solving) -> Result<Recovered, SessionError> {
        Self::replayed_in(path, &Folder::default(), solving)
    }

    /// The same with a folder for the files that the scene names.
    pub fn replayed_in(
        path: impl AsRef<Path>,
        folder: &Folder,
        solving: Solving,
    ) -> Result<Recovered, SessionError> {
        let mut log = Log::read(path.as_ref())?;
        Self::open_in(&log.text, &log.name, folder, solving)?.replay(&mut log, 0)
    }

    /// The session at the checkpoint of its journal, and how many entries that stands for. Their texts are made again,
    /// so that all of them can be undone; nothing is solved but the last.
    fn at_checkpoint(path: &Path, log: &Log, folder: &Folder) -> Option<(Self, usize)> {
        let checkpoint = Checkpoint::read(path, log)?;
        let mut session = Self {
            name: log.name.clone(),
            text: log.text.clone(),
            folder: folder.clone(),
            solving: Solving::Always,
            solved: None,
            past: Past::default(),
            journal: None,
            unsaved: 0,
        };
        for entry in log.entries.get(..checkpoint.entries)? {
            let (step, side) = match entry {
                Entry::Apply(command) => {
                    let after = edit(&session.text, command).ok()?.text;
                    let change = Change::between(&session.text, &after);
                    session.past.push(Step {
                        command: Command::clone(command),
                        change,
                        shapes: [None, None],
                    });
                    session.text = after;
                    continue;
                }
                Entry::Undo => (session.past.before()?, 0),
                Entry::Redo => (session.past.after()?, 1),
            };
            session.text = step.change.applied(&session.text, side);
            session.past.moved(side);
        }
        let scene = Scene::read_in(&session.text, &session.name, &session.folder).ok()?;
        session.solved = Some(Arc::new(checkpoint.solved(scene, &session.text)?));
        Some((session, checkpoint.entries))
    }

    /// Does again the entries of a journal from an index on. What cannot be done again is damage like any other.
    fn replay(mut self, log: &mut Log, from: usize) -> Result<Recovered, SessionError> {
        let mut outcomes = Vec::new();
        for i in from..log.entries.len() {
            let outcome = match &log.entries[i] {
                // It has its numbers already: what they were found from may differ by now.
                Entry::Apply(command) => self.take(Command::clone(command), None),
                Entry::Undo => self.undo(),
                Entry::Redo => self.redo(),
            };
            match outcome {
                Ok(outcome) => outcomes.push(outcome),
                Err(SessionError::Cancelled) => return Err(SessionError::Cancelled),
                Err(error) => {
                    log.leave_out(i, format!("this cannot be done again: {error}"));
                    break;
                }
            }
        }
        self.unsaved = log.entries.len() - from;
        let (torn, damage) = (log.torn, log.damage.clone());
        Ok(Recovered { session: self, outcomes, torn, damage, aside: None })
    }

    /// Writes the shape beside the journal once `every` entries have come since the last time, so that coming back does
    /// not solve them again. What cannot be written costs time then, and nothing else.
    pub fn checkpoint(&mut self, every: usize) {
        let (Some(journal), Some(solved), true) = (&self.journal, &self.solved, self.unsaved >= every.max(1))
        else {
            return;
        };
        let (entries, check, path) = journal.position();
        if let Some(checkpoint) = Checkpoint::of(entries, check, &self.text, solved)
            && checkpoint.write(path).is_ok()
        {
            self.unsaved = 0;
        }
    }

    /// The name of the scene.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the files are that the scene names.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The text of the scene as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The solved scene, to be kept; `None` where the session does not solve.
    pub(crate) fn shape(&self) -> Option<Arc<Solved>> {
        self.solved.clone()
    }

    /// The solved scene; `None` where the session does not solve.
    pub fn solution(&self) -> Option<&Solved> {
        self.solved.as_deref()
    }

    /// How many commands can be undone, and redone.
    pub fn depth(&self) -> (usize, usize) {
        self.past.depth()
    }

    /// A copy to try things on: it has no journal, and nothing to undo.
    pub fn scratch(&self) -> Self {
        Self {
            name: self.name.clone(),
            text: self.text.clone(),
            folder: self.folder.clone(),
            solving: self.solving,
            solved: self.solved.clone(),
            past: Past::default(),
            journal: None,
            unsaved: 0,
        }
    }

    /// Does something to the scene.
    pub fn apply(&mut self, command: &Command) -> Result<Outcome, SessionError> {
        self.apply_in(command, None)
    }

    /// Does something to the scene, which has the given shape by now: a hand has moved it.
    pub(crate) fn apply_in(
        &mut self,
        command: &Command,
        shape: Option<&Solved>,
    ) -> Result<Outcome, SessionError> {
        let explicit = Budget::lasting(SEARCH).around(|| self.explicit(command))?;
        self.take(explicit, shape)
    }

    /// Does what needs no shape any more, beginning in `shape` where that is not the session's own.
    fn take(&mut self, command: Command, shape: Option<&Solved>) -> Result<Outcome, SessionError> {
        let edited = edit(&self.text, &command)?;
        let solved = self.solve(&edited.text, shape.or(self.solved.as_deref()), &edited.lineage)?;
        self.write(&Entry::Apply(Box::new(command.clone())), 1)?;
        let step = Step {
            command: command.clone(),
            change: Change::between(&self.text, &edited.text),
            shapes: [self.solved.clone(), solved.clone()],
        };
        self.past.push(step);
        self.text = edited.text;
        self.solved = solved;
        Ok(Outcome { command, changes: edited.changes, status: self.status() })
    }

    /// Takes the last command back.
    pub fn undo(&mut self) -> Result<Outcome, SessionError> {
        let step = self.past.before().cloned().ok_or(SessionError::NothingToUndo)?;
        self.go(&step, 0, &Entry::Undo)?;
        let changes = vec![format!("undone: {}", step.command.verb())];
        Ok(Outcome { command: step.command, changes, status: self.status() })
    }

    /// Takes every command back, and solves once.
    pub fn undo_all(&mut self) -> Result<Outcome, SessionError> {
        let (count, _) = self.past.depth();
        let steps: Vec<Step> = self.past.done().rev().cloned().collect();
        let Some(first) = steps.last() else { return Err(SessionError::NothingToUndo) };
        let text = steps.iter().fold(self.text.clone(), |text, step| step.change.applied(&text, 0));
        let solved = match &first.shapes[0] {
            Some(shape) => Some(shape.clone()),
            None => self.solve(&text, self.solved.as_deref(), &Lineage::default())?,
        };
        self.write(&Entry::Undo, count)?;
        (0..count).for_each(|_| self.past.moved(0));
        self.text = text;
        self.solved = solved;
        let changes = vec![format!("back to the beginning: {count} changes undone, `redo` brings them back")];
        Ok(Outcome { command: first.command.clone(), changes, status: self.status() })
    }

    /// Does again what was taken back last.
    pub fn redo(&mut self) -> Result<Outcome, SessionError> {
        let step = self.past.after().cloned().ok_or(SessionError::NothingToRedo)?;
        self.go(&step, 1, &Entry::Redo)?;
        let changes = vec![format!("done again: {}", step.command.verb())];
        Ok(Outcome { command: step.command, changes, status: self.status() })
    }

    /// Goes to the state before (0) or after (1) a step.
    fn go(&mut self, step: &Step, side: usize, entry: &Entry) -> Result<(), SessionError> {
        let text = step.change.applied(&self.text, side);
        let solved = match &step.shapes[side] {
            Some(shape) => Some(shape.clone()),
            None => self.solve(&text, self.solved.as_deref(), &Lineage::default())?,
        };
        self.write(entry, 1)?;
        self.past.moved(side);
        self.text = text;
        self.solved = solved;
        Ok(())
    }

    /// Writes an entry to the journal, `count` times.
    fn write(&mut self, entry: &Entry, count: usize) -> Result<(), SessionError> {
        match &mut self.journal {
            Some(journal) => {
                journal.append(entry, count)?;
                self.unsaved += count;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn status(&self) -> Option<String> {
        self.solved.as_ref().map(|solved| solved.status_line())
    }

    /// Reads, compiles and, where the session solves, solves a text, beginning in the shape of `before`.
    fn solve(
        &self,
        text: &str,
        before: Option<&Solved>,
        lineage: &Lineage,
    ) -> Result<Option<Arc<Solved>>, SessionError> {
        let name = if before.is_some() { format!("{} as edited", self.name) } else { self.name.clone() };
        let scene = Scene::read_in(text, &name, &self.folder)?;
        if self.solving == Solving::Never {
            solved::check(&scene)?;
            return Ok(None);
        }
        let solved = Solved::new(scene, before, lineage)?;
        // What is half done is not kept: who cancelled it does not wait for it.
        match budget::stop() {
            Some(Status::Cancelled) => Err(SessionError::Cancelled),
            _ => Ok(Some(Arc::new(solved))),
        }
    }
}
