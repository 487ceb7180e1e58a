//! Running a study on all cores, into a folder, so that it can be ended at any time and continued.
//!
//! `rows.txt` begins with a line that says of which study it is; then a line for every row that is done, in any order. A torn
//! last line counts as not done.

use super::{Row, Study};
use crate::base::StudyError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Rows between two writes.
const CHUNK: usize = 64;

/// Version of the file of rows.
const FORMAT: u32 = 1;

/// Why a run ends.
#[derive(Debug)]
pub enum RunError {
    /// What is wrong with what is asked.
    Input(StudyError),
    /// What cannot be written; rows that were written stay.
    Output {
        /// The file.
        path: String,
        /// What the system said.
        error: String,
    },
}

impl From<StudyError> for RunError {
    fn from(error: StudyError) -> Self {
        Self::Input(error)
    }
}

/// The first line of a file of rows.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    format: u32,
    study: u64,
    scene: u64,
    rows: usize,
}

/// A run of a study in a folder.
pub struct Run {
    /// The rows, as far as they are done.
    pub rows: Vec<Option<Row>>,
    /// How many responses a row has.
    responses: usize,
    file: Mutex<File>,
    path: PathBuf,
}

/// A number that another text hardly has (FNV-1a, 64 bits).
fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |own, byte| (own ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

impl Run {
    /// Opens the folder of a run, with the rows that are done there; `anew` forgets them.
    pub fn open(study: &Study, folder: &Path, anew: bool) -> Result<Self, RunError> {
        let path = folder.join("rows.txt");
        let output = |error: std::io::Error| RunError::Output {
            path: path.display().to_string(),
            error: error.to_string(),
        };
        std::fs::create_dir_all(folder).map_err(output)?;
        let head = Head {
            format: FORMAT,
            study: fingerprint(&study.text),
            scene: fingerprint(&study.base.text),
            rows: study.rows(),
        };
        let mut rows = vec![None; study.rows()];
        let known =
            if anew { None } else { std::fs::read_to_string(&path).ok().filter(|text| text.contains('\n')) };
        let mut good = 0;
        if let Some(text) = &known {
            let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
            check(&head, first, &path)?;
            good = first.len() + 1;
            for line in rest.split_inclusive('\n') {
                let Some((index, row)) = line.strip_suffix('\n').and_then(|line| parse(line, study)) else {
                    break;
                };
                rows[index] = Some(row);
                good += line.len();
            }
        }
        let mut file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(output)?;
        // What is torn is written again.
        file.set_len(good as u64).map_err(output)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).map_err(output)?;
        if known.is_none() {
            let line = serde_json::to_string(&head).unwrap_or_default() + "\n";
            file.write_all(line.as_bytes()).map_err(output)?;
        }
        Ok(Self { rows, responses: study.responses.len(), file: Mutex::new(file), path })
    }

    /// How many rows are done.
    pub fn done(&self) -> usize {
        self.rows.iter().flatten().count()
    }

    /// Does what is not done yet, on all cores; `each` is told how many more are done.
    pub fn go_on(&mut self, study: &Study, each: &(dyn Fn(usize) + Sync)) -> Result<(), RunError> {
        let open: Vec<usize> = (0..self.rows.len()).filter(|row| self.rows[*row].is_none()).collect();
        let chunks: Result<Vec<Vec<(usize, Row)>>, RunError> = open
            .par_chunks(CHUNK)
            .map(|chunk| {
                let done: Vec<(usize, Row)> = chunk.iter().map(|row| (*row, study.row(*row))).collect();
                self.keep(&done)?;
                each(done.len());
                Ok(done)
            })
            .collect();
        for (index, row) in chunks?.into_iter().flatten() {
            self.rows[index] = Some(row);
        }
        Ok(())
    }

    /// Takes in rows that were done elsewhere, and writes them down.
    pub fn add(&mut self, rows: Vec<(usize, Row)>) -> Result<(), RunError> {
        let (count, width) = (self.rows.len(), self.responses);
        if let Some((index, row)) = rows.iter().find(|own| own.0 >= count || own.1.values.len() != width) {
            let told = row.values.len();
            let why = format!("row {index} with {told} responses: the study has {count} rows with {width}");
            return Err(StudyError::Input(why).into());
        }
        self.keep(&rows)?;
        for (index, row) in rows {
            self.rows[index] = Some(row);
        }
        Ok(())
    }

    /// Writes rows down.
    fn keep(&self, rows: &[(usize, Row)]) -> Result<(), RunError> {
        let mut text = String::new();
        for (index, row) in rows {
            let _ = write!(text, "{index} {}", row.status);
            for value in &row.values {
                // Printed numbers come back to the last bit.
                let _ = match value {
                    Some(own) => write!(text, " {own}"),
                    None => write!(text, " -"),
                };
            }
            text.push('\n');
        }
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(text.as_bytes()).map_err(|error| RunError::Output {
            path: self.path.display().to_string(),
            error: error.to_string(),
        })
    }
}

fn check(head: &Head, first: &str, path: &Path) -> Result<(), RunError> {
    let name = path.display();
    let remedy = "continue with the files as they were, or begin anew (--anew, or another --out)";
    let Ok(known) = serde_json::from_str::<Head>(first) else {
        return Err(StudyError::Input(format!("{name}: no rows of a study; {remedy}")).into());
    };
    let what = match () {
        () if known.format != head.format => "was written by another version of this program",
        () if known.study != head.study => "was begun with another text of the study file",
        () if known.scene != head.scene => "was begun with another text of the scene",
        () if known.rows != head.rows => "has another number of rows",
        () => return Ok(()),
    };
    Err(StudyError::Input(format!("{name}: this run {what}; {remedy}")).into())
}

fn parse(line: &str, study: &Study) -> Option<(usize, Row)> {
    let mut words = line.split(' ');
    let index: usize = words.next()?.parse().ok()?;
    let status = words.next()?.to_owned();
    let value = |word: &str| match word {
        "-" => Some(None),
        own => own.parse::<f64>().ok().map(Some),
    };
    let values = words.map(value).collect::<Option<Vec<Option<f64>>>>()?;
    (index < study.rows() && values.len() == study.responses.len()).then_some((index, Row { status, values }))
}
