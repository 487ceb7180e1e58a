//! Checkpoints: the shape of a session at one entry of its journal, beside the journal, so that coming back solves once
//! and not once per entry. A checkpoint is a copy of what the journal leads to and never more: one that does not fit the
//! journal, the scene or this program is passed over, and everything is solved again.

use super::journal::{FIRST, Log, body_of, checksum, line_of};
use super::solved::Solved;
use crate::file;
use flexline::solver::Status;
use flexline::solver::network::NetworkState;
use flexline_scene::Scene;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u32 = 2;
/// Checkpoints larger than this are not read, in bytes.
const LARGEST: u64 = 64 << 20;

/// The shape after some entries of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    flexline_checkpoint: u32,
    /// How many entries of the journal led here, and its check after them.
    pub entries: usize,
    check: u64,
    /// The check of the text of the scene.
    text: u64,
    shape: NetworkState,
}

/// Where the checkpoint of a journal is.
pub(super) fn path_of(journal: &Path) -> PathBuf {
    journal.with_extension("checkpoint")
}

impl Checkpoint {
    /// Of a solved scene; `None` where it is not in equilibrium: that is solved again from the one before.
    pub(super) fn of(entries: usize, check: u64, text: &str, solved: &Solved) -> Option<Self> {
        if solved.status() != Status::Converged {
            return None;
        }
        let shape = solved.solution.state.clone();
        let text = checksum(text.as_bytes());
        Some(Self { flexline_checkpoint: VERSION, entries, check, text, shape })
    }

    /// Writes it beside its journal, in place of the last one.
    pub(super) fn write(&self, journal: &Path) -> std::io::Result<()> {
        let body = serde_json::to_string(self)?;
        let line = line_of(checksum(body.as_bytes()), &body);
        file::replace_file(&path_of(journal), line.as_bytes())
    }

    /// The checkpoint of a journal, if there is one that fits it.
    pub(super) fn read(journal: &Path, log: &Log) -> Option<Self> {
        let path = path_of(journal);
        if std::fs::metadata(&path).ok()?.len() > LARGEST {
            return None;
        }
        let line = std::fs::read_to_string(path).ok()?;
        let (body, _) = body_of(line.strip_suffix('\n')?, FIRST).ok()?;
        let own: Self = serde_json::from_str(body).ok()?;
        (own.flexline_checkpoint == VERSION && log.check_after(own.entries)? == own.check).then_some(own)
    }

    /// The scene that its entries led to, in its shape; `None` where that is no equilibrium of it.
    pub(super) fn solved(&self, scene: Scene, text: &str) -> Option<Solved> {
        if checksum(text.as_bytes()) != self.text {
            return None;
        }
        let solved = Solved::in_shape(scene, &self.shape).ok()??;
        (solved.status() == Status::Converged).then_some(solved)
    }
}
