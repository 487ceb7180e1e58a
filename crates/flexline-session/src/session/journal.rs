//! The journal: a file to which every command is written before it is answered.
//!
//! JSON lines, only ever appended to. The first has the version, the name and the text of the scene; each further one an
//! entry. Every line has a check over itself and the line before it, so that a damaged or missing line is noticed
//! wherever it is: what stands before it is good and is what the journal says. A last line that was not written to its
//! end is left out: nobody was answered for it.
//!
//! Who writes to a journal holds a lock of the operating system on it, which ends with the process whatever becomes of
//! that: two never write to one. Journals are bounded in size and in entries, so that replaying one comes to an end.

use crate::command::Command;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: u32 = 1;
/// Journals larger than this are refused, in bytes.
const LARGEST: u64 = 256 << 20;
/// No more entries than this in one journal.
pub const MOST_ENTRIES: usize = 100_000;
/// What the check of the first line goes on from (the offset of 64-bit FNV-1a).
pub(super) const FIRST: u64 = 0xcbf2_9ce4_8422_2325;

/// One thing done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A command.
    Apply(Box<Command>),
    /// The last command was taken back.
    Undo,
    /// What was taken back was done again.
    Redo,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    flexline_journal: u32,
    name: String,
    text: String,
}

/// What is wrong with a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalError {
    /// The file.
    pub path: String,
    /// The line, counted from 1, where it is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Whether it cannot be written, rather than read.
    pub is_output: bool,
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map_or_else(String::new, |line| format!(":{line}"));
        write!(f, "journal {}{line}: {}\n  {}", self.path, self.message, self.help)
    }
}

impl std::error::Error for JournalError {}

/// What a journal says.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// The name of the scene.
    pub name: String,
    /// Its first text.
    pub text: String,
    /// What was done.
    pub entries: Vec<Entry>,
    /// Whether the last line was torn, and left out.
    pub torn: bool,
    /// The first line that is damaged; it and all behind it are left out.
    pub damage: Option<Damage>,
    /// Bytes of the file, and the check, after the head and after every entry.
    ends: Vec<(u64, u64)>,
}

/// Where a journal is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
    /// How many lines are left out: this one and those behind it.
    pub lost: usize,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, why, lost } = self;
        let lost = if *lost == 1 { "it is".to_owned() } else { format!("it and {} behind it are", lost - 1) };
        write!(
            f,
            "line {line} of the journal is damaged: {why}; {lost} left out, everything before is restored"
        )
    }
}

/// A journal that is written to.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes that are good.
    length: u64,
    check: u64,
    entries: usize,
}

/// 64-bit FNV-1a of some bytes, going on from another.
pub(super) fn check_of(mut check: u64, bytes: &[u8]) -> u64 {
    for byte in bytes {
        check = (check ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    check
}

/// A check of some bytes, to tell them from others later; not against forgery.
pub fn checksum(bytes: &[u8]) -> u64 {
    check_of(FIRST, bytes)
}

pub(super) fn line_of(check: u64, body: &str) -> String {
    format!("{{\"check\":\"{check:016x}\",\"entry\":{body}}}\n")
}

/// The body of a line whose check is right after `before`.
pub(super) fn body_of(line: &str, before: u64) -> Result<(&str, u64), &'static str> {
    let inside = line.strip_prefix("{\"check\":\"").and_then(|rest| rest.strip_suffix('}'));
    let parts = inside.and_then(|rest| rest.split_at_checked(16));
    let body = parts.and_then(|(check, rest)| Some((check, rest.strip_prefix("\",\"entry\":")?)));
    let (check, body) = body.ok_or("it does not have the form of a line of a journal")?;
    let expected = check_of(before, body.as_bytes());
    if format!("{expected:016x}") != check {
        return Err("its check is wrong: it was changed, or a line before it is missing");
    }
    Ok((body, expected))
}

/// What a line says, and the check to go on from.
fn read_line<T: for<'a> Deserialize<'a>>(raw: &[u8], before: u64) -> Result<(T, u64), String> {
    let text = std::str::from_utf8(raw).map_err(|_| "it is not UTF-8 text")?;
    let (body, check) = body_of(text.trim_end_matches('\n'), before)?;
    Ok((serde_json::from_str(body).map_err(|error| error.to_string())?, check))
}

impl Log {
    /// Reads a journal, up to the first line that is damaged.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        Self::read_from(path, &File::open(path).map_err(|error| unreadable(path, &error))?)
    }

    /// Reads a journal that is open.
    pub(super) fn read_from(path: &Path, file: &File) -> Result<Self, JournalError> {
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
        if bytes.len() as u64 > LARGEST {
            let help = "expected at most 256 MiB; is it the right file?";
            return Err(wrong(path, None, "is too large".into(), help, false));
        }
        Self::parse(path, &bytes)
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self, JournalError> {
        // What does not end in a line break was not written to its end.
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let torn = whole < bytes.len();
        let mut lines = bytes[..whole].split_inclusive(|b| *b == b'\n');
        let Some(first) = lines.next() else {
            let help = "nothing was done in it yet: open the scene itself";
            return Err(wrong(path, Some(1), "there is no whole first line".into(), help, false));
        };
        let damaged = |why: String| {
            let help = "it has the scene, without which nothing can be restored: is it the right file?";
            wrong(path, Some(1), format!("the line is damaged: {why}"), help, false)
        };
        let (head, check) = read_line::<Head>(first, FIRST).map_err(damaged)?;
        if head.flexline_journal != VERSION {
            let message = format!("version {} is not one this program reads", head.flexline_journal);
            return Err(wrong(path, Some(1), message, "expected version 1", false));
        }
        let ends = vec![(first.len() as u64, check)];
        let mut log =
            Self { name: head.name, text: head.text, entries: Vec::new(), torn, damage: None, ends };
        for (i, raw) in lines.enumerate() {
            if log.entries.len() == MOST_ENTRIES {
                let message = format!("there are more than {MOST_ENTRIES} entries");
                return Err(wrong(path, Some(i + 2), message, "is it the right file?", false));
            }
            let (good, check) = log.end();
            match read_line(raw, check) {
                Ok((entry, check)) => {
                    log.entries.push(entry);
                    log.ends.push((good + raw.len() as u64, check));
                }
                Err(why) => {
                    let lost = bytes[good as usize..whole].iter().filter(|b| **b == b'\n').count();
                    log.damage = Some(Damage { line: i + 2, why, lost });
                    break;
                }
            }
        }
        Ok(log)
    }

    /// Bytes of the file that are good, and the check to go on from.
    fn end(&self) -> (u64, u64) {
        self.ends.last().copied().unwrap_or((0, FIRST))
    }

    /// The check after so many entries.
    pub(super) fn check_after(&self, entries: usize) -> Option<u64> {
        self.ends.get(entries).map(|end| end.1)
    }

    /// Leaves out the entry of this index and all behind it: they cannot be done again.
    pub(super) fn leave_out(&mut self, index: usize, why: String) {
        let behind = self.damage.take().map_or(0, |damage| damage.lost);
        let lost = self.entries.len() - index + behind;
        self.entries.truncate(index);
        self.ends.truncate(index + 1);
        self.damage = Some(Damage { line: index + 2, why, lost });
    }
}

impl Journal {
    /// Begins a journal; the file must not exist.
    pub fn create(path: &Path, name: &str, text: &str) -> Result<Self, JournalError> {
        let file = crate::file::private_file(path).map_err(|error| {
            let help = match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    "recover it, or choose another file: a journal is not overwritten"
                }
                _ => "choose a folder that exists, is writable and has room",
            };
            wrong(path, None, format!("cannot be begun: {error}"), help, true)
        })?;
        lock(path, &file)?;
        let mut journal = Self { path: path.into(), file, length: 0, check: FIRST, entries: 0 };
        let head = Head { flexline_journal: VERSION, name: name.into(), text: text.into() };
        journal.append_lines(&serde_json::to_string(&head).unwrap_or_default(), 1)?;
        // The file itself must be found again, too.
        if let Some(folder) = path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let _ = File::open(folder).and_then(|f| f.sync_all());
        }
        Ok(journal)
    }

    /// Opens a journal that is to be gone on in, and locks it: nobody else can until the file is closed.
    pub(super) fn lock(path: &Path) -> Result<File, JournalError> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|error| cannot_go_on(path, &error))?;
        lock(path, &file)?;
        Ok(file)
    }

    /// Goes on in a journal that was locked and read. A torn last line is cut off; where lines are damaged the whole
    /// file is kept aside first. Gives the name of that file as well.
    pub(super) fn resume(
        path: &Path,
        mut file: File,
        log: &Log,
    ) -> Result<(Self, Option<PathBuf>), JournalError> {
        let stuck = |error: std::io::Error| cannot_go_on(path, &error);
        let aside = match log.damage {
            Some(_) => Some(keep_aside(path, &mut file).map_err(stuck)?),
            None => None,
        };
        let (length, check) = log.end();
        file.set_len(length).map_err(stuck)?;
        Ok((Self { path: path.into(), file, length, check, entries: log.entries.len() }, aside))
    }

    /// How many entries there are, the check after them, and where they are.
    pub(super) fn position(&self) -> (usize, u64, &Path) {
        (self.entries, self.check, &self.path)
    }

    /// Writes an entry `count` times, all or none; they are on the disk when this returns.
    pub fn append(&mut self, entry: &Entry, count: usize) -> Result<(), JournalError> {
        if self.entries + count > MOST_ENTRIES {
            let message = format!("is full: it has {MOST_ENTRIES} entries");
            let help = "write the scene to a file and begin another journal; nothing was changed";
            return Err(wrong(&self.path, None, message, help, true));
        }
        self.append_lines(&serde_json::to_string(entry).unwrap_or_default(), count)?;
        self.entries += count;
        Ok(())
    }

    fn append_lines(&mut self, body: &str, count: usize) -> Result<(), JournalError> {
        let mut check = self.check;
        let mut line = String::new();
        for _ in 0..count {
            check = check_of(check, body.as_bytes());
            line += &line_of(check, body);
        }
        if self.length + line.len() as u64 > LARGEST {
            let help = "write the scene to a file and begin another journal; nothing was changed";
            return Err(wrong(&self.path, None, "is full: it would exceed 256 MiB".into(), help, true));
        }
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(line.as_bytes()))
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // What was written of it must not stand: nobody is told that it was done.
            let _ = self.file.set_len(self.length);
            let help = "make room, or choose another file; nothing was changed";
            return Err(wrong(&self.path, None, format!("cannot be written: {error}"), help, true));
        }
        self.length += line.len() as u64;
        self.check = check;
        Ok(())
    }
}

/// Copies a damaged journal to a file beside it that does not exist yet.
fn keep_aside(path: &Path, file: &mut File) -> std::io::Result<PathBuf> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let mut count = 1;
    loop {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(if count == 1 { ".damaged".to_owned() } else { format!(".damaged-{count}") });
        let aside = path.with_file_name(name);
        match crate::file::private_file(&aside) {
            Ok(mut copy) => {
                copy.write_all(&bytes)?;
                copy.sync_data()?;
                return Ok(aside);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && count < 1000 => count += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Locks a journal for as long as its file is open.
fn lock(path: &Path, file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        // Some file systems know no locks: the journal is no worse without.
        Err(TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(cannot_go_on(path, &error)),
        Err(TryLockError::WouldBlock) => {
            let help = "close the other one first, or replay the journal without going on in it";
            Err(wrong(path, None, "another session is writing to it".into(), help, true))
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> JournalError {
    wrong(path, None, format!("cannot be read: {error}"), "check the path, and who may read it", false)
}

fn cannot_go_on(path: &Path, error: &std::io::Error) -> JournalError {
    let help = "check who may write it, or copy it elsewhere";
    wrong(path, None, format!("cannot be continued: {error}"), help, true)
}

fn wrong(path: &Path, line: Option<usize>, message: String, help: &str, is_output: bool) -> JournalError {
    JournalError { path: path.display().to_string(), line, message, help: help.into(), is_output }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a journal with so many undos.
    fn undos(count: usize) -> String {
        let head = Head { flexline_journal: VERSION, name: "x".into(), text: String::new() };
        let mut text = String::new();
        let mut check = FIRST;
        let first = serde_json::to_string(&head).unwrap();
        for body in std::iter::once(&*first).chain(std::iter::repeat_n("\"undo\"", count)) {
            check = check_of(check, body.as_bytes());
            text += &line_of(check, body);
        }
        text
    }

    /// A journal takes so many entries and no more, whether it is read or written.
    #[test]
    fn journals_are_bounded() {
        let path = Path::new("x");
        let full = undos(MOST_ENTRIES);
        assert_eq!(Log::parse(path, full.as_bytes()).unwrap().entries.len(), MOST_ENTRIES);
        let more = undos(MOST_ENTRIES + 1);
        let error = Log::parse(path, more.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(":100002: there are more than 100000 entries"), "{error}");
        let file = tempfile();
        let mut journal =
            Journal { path: path.into(), file, length: 0, check: FIRST, entries: MOST_ENTRIES - 1 };
        journal.append(&Entry::Undo, 1).unwrap();
        let error = journal.append(&Entry::Undo, 1).unwrap_err();
        assert!(error.is_output && error.to_string().contains("is full"), "{error}");
        journal.entries = 0;
        journal.length = LARGEST - 10;
        let error = journal.append(&Entry::Undo, 1).unwrap_err().to_string();
        assert!(error.contains("would exceed 256 MiB"), "{error}");
    }

    /// A file of its own, gone when it is closed.
    fn tempfile() -> File {
        let path = std::env::temp_dir().join(format!("flexline-journal-{}", std::process::id()));
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path).unwrap();
        let _ = std::fs::remove_file(path);
        file
    }
}
