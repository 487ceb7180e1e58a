//! Sessions: a scene under work, with one path for every change.
//!
//! [`Session::apply`] edits a copy of the scene's text by a [`Command`], reads and compiles it, solves it from the
//! shape of before, writes the command to the journal, and only then takes it over: an error leaves everything as it
//! was. What refers to the present shape is turned into numbers first, so that the journal gives the same text
//! wherever it is replayed.

mod carry;
mod history;
mod journal;
mod present;
mod pull;
mod settle;
mod solved;

pub use journal::{Entry, Journal, JournalError, Log, MOST_ENTRIES};
pub use solved::Solved;

use crate::command::{Command, Lineage, edit};
use crate::diagnostic::SceneError;
use crate::model::AnyScene;
use history::{Change, Past, Step};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

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
}

/// A scene under work.
pub struct Session {
    name: String,
    text: String,
    solving: Solving,
    solved: Option<Arc<Solved>>,
    past: Past,
    journal: Option<Journal>,
}

impl Session {
    /// Opens a scene from its text; `name` stands in messages for the file.
    pub fn open(text: &str, name: &str, solving: Solving) -> Result<Self, SessionError> {
        let mut session = Self {
            name: name.into(),
            text: text.into(),
            solving,
            solved: None,
            past: Past::default(),
            journal: None,
        };
        session.solved = session.solve(text, None, &Lineage::default())?;
        Ok(session)
    }

    /// Begins a journal at a path where there is none yet.
    pub fn begin_journal(&mut self, path: impl AsRef<Path>) -> Result<(), SessionError> {
        self.journal = Some(Journal::create(path.as_ref(), &self.name, &self.text)?);
        Ok(())
    }

    /// Comes back from a journal: replays it and goes on in it. A torn last line is left out. While another session
    /// writes to it, it is refused.
    pub fn recover(path: impl AsRef<Path>, solving: Solving) -> Result<Recovered, SessionError> {
        // The journal is touched only when all of it could be done again.
        let file = Journal::lock(path.as_ref())?;
        let log = Log::read_from(path.as_ref(), &file)?;
        let mut recovered = Self::replay(path.as_ref(), &log, solving)?;
        recovered.session.journal = Some(Journal::resume(path.as_ref(), file, &log)?);
        Ok(recovered)
    }

    /// Does again what a journal says, and leaves the file alone.
    pub fn replayed(path: impl AsRef<Path>, solving: Solving) -> Result<Recovered, SessionError> {
        Self::replay(path.as_ref(), &Log::read(path.as_ref())?, solving)
    }

    fn replay(path: &Path, log: &Log, solving: Solving) -> Result<Recovered, SessionError> {
        let mut session = Self::open(&log.text, &log.name, solving)?;
        let mut outcomes = Vec::new();
        for (i, entry) in log.entries.iter().enumerate() {
            let outcome = match entry {
                // It has its numbers already: what they were found from may differ by now.
                Entry::Apply(command) => session.take(Command::clone(command), None),
                Entry::Undo => session.undo(),
                Entry::Redo => session.redo(),
            };
            outcomes.push(outcome.map_err(|error| journal::cannot_replay(path, i + 2, &error.to_string()))?);
        }
        Ok(Recovered { session, outcomes, torn: log.torn })
    }

    /// The name of the scene.
    pub fn name(&self) -> &str {
        &self.name
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
            solving: self.solving,
            solved: self.solved.clone(),
            past: Past::default(),
            journal: None,
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
        self.take(self.explicit(command)?, shape)
    }

    /// Does what needs no shape any more, beginning in `shape` where that is not the session's own.
    fn take(&mut self, command: Command, shape: Option<&Solved>) -> Result<Outcome, SessionError> {
        let edited = edit(&self.text, &command)?;
        let solved = self.solve(&edited.text, shape.or(self.solved.as_deref()), &edited.lineage)?;
        self.write(&Entry::Apply(Box::new(command.clone())))?;
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
        self.write(entry)?;
        self.past.moved(side);
        self.text = text;
        self.solved = solved;
        Ok(())
    }

    fn write(&mut self, entry: &Entry) -> Result<(), SessionError> {
        match &mut self.journal {
            Some(journal) => Ok(journal.append(entry)?),
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
        let scene = AnyScene::read(text, &name)?;
        if self.solving == Solving::Never {
            solved::check(&scene)?;
            return Ok(None);
        }
        Ok(Some(Arc::new(Solved::new(scene, before, lineage)?)))
    }
}
