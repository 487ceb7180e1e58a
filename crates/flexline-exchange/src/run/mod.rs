//! The run file: a motion, frame by frame, that pictures and viewers can play.
//!
//! Two lines of text, then frames of equal size, little-endian:
//!
//! ```text
//! FLEXLINE-RUN 1
//! {"title": …, "cables": [{"name": …, "nodes": n}], "parts": [name, …]}
//! f64 time, kinetic, elastic, potential, work, dissipated     s, J
//! f32 x, y, z, qw, qx, qy, qz      per node of every cable, then per part     m, material→world
//! ```

use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

const MAGIC: &str = "FLEXLINE-RUN 1\n";
/// Numbers at the head of a frame.
pub const HEAD: usize = 6;

/// Why a run cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The file is not what it should be.
    #[error("{0}")]
    Input(String),
    /// It cannot be written.
    #[error("cannot write {path}: {error}")]
    Output {
        /// The file.
        path: String,
        /// What the system said.
        error: String,
    },
}

/// What a run shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Title of the scene.
    pub title: String,
    /// Cables and how many nodes each has.
    pub cables: Vec<CableHeader>,
    /// Names of the parts.
    pub parts: Vec<String>,
}

/// One cable of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CableHeader {
    /// Name.
    pub name: String,
    /// Number of nodes.
    pub nodes: usize,
}

impl Header {
    /// Poses in a frame.
    pub fn poses(&self) -> usize {
        self.cables.iter().map(|c| c.nodes).sum::<usize>() + self.parts.len()
    }

    fn frame_size(&self) -> u64 {
        (8 * HEAD + 28 * self.poses()) as u64
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time and energies.
    pub head: [f64; HEAD],
    /// Position and quaternion (w, x, y, z) of every node, then of every part.
    pub poses: Vec<[f32; 7]>,
}

impl Frame {
    fn bytes(&self) -> Vec<u8> {
        let head = self.head.iter().flat_map(|v| v.to_le_bytes());
        head.chain(self.poses.iter().flatten().flat_map(|v| v.to_le_bytes())).collect()
    }

    /// The frame of that many bytes.
    fn of(bytes: &[u8]) -> Self {
        let (head, poses) = bytes.split_at(8 * HEAD);
        let number = |i: usize| f64::from_le_bytes(std::array::from_fn(|k| head[8 * i + k]));
        let pose = |b: &[u8]| -> [f32; 7] {
            std::array::from_fn(|i| f32::from_le_bytes(std::array::from_fn(|k| b[4 * i + k])))
        };
        Self { head: std::array::from_fn(number), poses: poses.chunks_exact(28).map(pose).collect() }
    }

    /// Whether another frame shows the same, but for what another machine may round otherwise.
    fn is_near(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + a.abs());
        let poses = |f: &Self| f.poses.iter().flatten().map(|v| f64::from(*v)).collect::<Vec<_>>();
        self.head.iter().zip(other.head).all(|(a, b)| near(*a, b))
            && poses(self).iter().zip(poses(other)).all(|(a, b)| near(*a, b))
    }
}

/// Writes a run.
pub struct Writer {
    file: BufWriter<File>,
    path: String,
}

impl Writer {
    /// A new run that begins with the frame `first`, or one that did so and is continued after `keep`
    /// frames.
    pub fn open(path: &Path, header: &Header, first: &Frame, keep: Option<u64>) -> Result<Self, RunError> {
        let fail =
            |e: std::io::Error| RunError::Output { path: path.display().to_string(), error: e.to_string() };
        let name = path.display();
        let start = preamble(header);
        let file = match keep {
            None => {
                let mut file = File::create(path).map_err(fail)?;
                file.write_all(start.as_bytes()).map_err(fail)?;
                file.write_all(&first.bytes()).map_err(fail)?;
                file
            }
            Some(frames) => {
                let mut file =
                    OpenOptions::new().read(true).write(true).open(path).map_err(|e| match e.kind() {
                        ErrorKind::NotFound => RunError::Input(format!(
                            "{name}: there is no such run to continue; start it without --resume"
                        )),
                        _ => fail(e),
                    })?;
                let other = || {
                    RunError::Input(format!(
                        "{name} is the run of another scene: continue it with the scene it was made from"
                    ))
                };
                let short = || {
                    RunError::Input(format!(
                        "{name} is cut short: its checkpoint counts on {frames} frames; start it anew without --resume"
                    ))
                };
                let size = header.frame_size();
                let kept = frames.checked_mul(size).and_then(|b| b.checked_add(start.len() as u64));
                let there = file.metadata().map_err(fail)?.len();
                let mut found = vec![0; start.len() + first.bytes().len()];
                let found = match file.read_exact(&mut found) {
                    Ok(()) => found,
                    Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Err(short()),
                    Err(e) => return Err(fail(e)),
                };
                let (head, body) = found.split_at(start.len());
                if head != start.as_bytes() || !Frame::of(body).is_near(first) {
                    return Err(other());
                }
                let kept = kept.filter(|kept| *kept <= there).ok_or_else(short)?;
                file.set_len(kept).map_err(fail)?;
                file.seek(SeekFrom::End(0)).map_err(fail)?;
                file
            }
        };
        Ok(Self { file: BufWriter::new(file), path: path.display().to_string() })
    }

    /// Appends a frame.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), RunError> {
        self.file.write_all(&frame.bytes()).map_err(|e| self.failure(&e))
    }

    /// Brings everything to the disk.
    pub fn flush(&mut self) -> Result<(), RunError> {
        self.file.flush().map_err(|e| self.failure(&e))
    }

    fn failure(&self, error: &std::io::Error) -> RunError {
        RunError::Output { path: self.path.clone(), error: error.to_string() }
    }
}

fn preamble(header: &Header) -> String {
    format!("{MAGIC}{}\n", serde_json::to_string(header).unwrap_or_default())
}

/// A whole run in memory.
pub fn bytes(header: &Header, frames: impl Iterator<Item = Frame>) -> Vec<u8> {
    let mut bytes = preamble(header).into_bytes();
    frames.for_each(|frame| bytes.extend(frame.bytes()));
    bytes
}

/// Reads a whole run.
pub fn read(path: &Path) -> Result<(Header, Vec<Frame>), RunError> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|e| RunError::Input(format!("cannot read {name}: {e}")))?;
    let not = |why: &str| RunError::Input(format!("{name} is not a run of flexline simulate: {why}"));
    let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or_else(|| not("its first line is another"))?;
    let end = rest.iter().position(|b| *b == b'\n').ok_or_else(|| not("its header does not end"))?;
    let header: Header = serde_json::from_slice(&rest[..end]).map_err(|e| not(&e.to_string()))?;
    let size = usize::try_from(header.frame_size()).map_err(|_| not("its frames are too large"))?;
    let frames = rest[end + 1..].chunks_exact(size).map(Frame::of).collect();
    Ok((header, frames))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            title: "t".into(),
            cables: vec![CableHeader { name: "c".into(), nodes: 2 }],
            parts: vec!["p".into()],
        }
    }

    fn frame(t: f64) -> Frame {
        Frame { head: [t, 1.0, 2.0, 3.0, 4.0, 5.0], poses: vec![[t as f32; 7]; 3] }
    }

    #[test]
    fn what_is_written_is_read_and_continued() {
        let folder = std::env::temp_dir().join(format!("flexline-run-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.run");
        let first = frame(0.0);
        let mut writer = Writer::open(&path, &header(), &first, None).unwrap();
        for k in 1..5 {
            writer.frame(&frame(f64::from(k))).unwrap();
        }
        writer.flush().unwrap();
        drop(writer);
        let whole = bytes(&header(), (0..5).map(|k| frame(f64::from(k))));
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        // Three frames are kept, whatever came after them.
        let mut writer = Writer::open(&path, &header(), &first, Some(3)).unwrap();
        writer.frame(&frame(9.0)).unwrap();
        writer.flush().unwrap();
        let (found, frames) = read(&path).unwrap();
        assert_eq!(found, header());
        assert_eq!(frames, [frame(0.0), frame(1.0), frame(2.0), frame(9.0)]);
        let other = Header { title: "other".into(), ..header() };
        let refused = |header: &Header, first: &Frame, keep| {
            matches!(Writer::open(&path, header, first, Some(keep)), Err(RunError::Input(_)))
        };
        assert!(refused(&other, &first, 3));
        assert!(refused(&header(), &frame(0.1), 3));
        assert!(refused(&header(), &first, 5) && refused(&header(), &first, u64::MAX));
        assert_eq!(read(&path).unwrap().1.len(), 4, "what is refused is left alone");
        std::fs::write(&path, b"nonsense").unwrap();
        assert!(matches!(read(&path), Err(RunError::Input(_))));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
