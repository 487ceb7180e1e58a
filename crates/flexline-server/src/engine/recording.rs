//! What was recorded in motion: frames as they went out, kept up to a limit; one of them may be looked at again.

use super::Answer;
use bytes::Bytes;
use flexline_exchange::run;
use flexline_session::desk::{Energy, HEAD, NODE, POSE, SceneView, Trailer};

/// Bytes of frames that are kept; the recording stops there.
const MOST_BYTES: usize = 256 << 20;

/// A frame as it went out, and what it said beside shapes.
struct Kept {
    bytes: Bytes,
    trailer: Trailer,
}

/// The frames of a recording.
#[derive(Default)]
pub(super) struct Recording {
    frames: Vec<Kept>,
    bytes: usize,
    on: bool,
    scrub: Option<usize>,
}

impl Recording {
    /// Begins a new recording, or ends it.
    pub(super) fn switch(&mut self, on: bool) {
        if on && !self.on {
            *self = Self::default();
        }
        self.on = on;
    }

    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Keeps a frame while it records. One of another shape ends the recording, and so does the limit: then it says why.
    pub(super) fn push(&mut self, frame: &Bytes, trailer: Trailer) -> Option<String> {
        if !self.on {
            return None;
        }
        let count = self.frames.len();
        if self.frames.first().is_some_and(|first| counts(&first.bytes) != counts(frame)) {
            self.on = false;
            return Some(format!(
                "the recording ended after {count} frames: the scene has another shape now"
            ));
        }
        if self.bytes + frame.len() > MOST_BYTES {
            self.on = false;
            return Some(format!(
                "the recording ended after {count} frames: it has {} MiB",
                MOST_BYTES >> 20
            ));
        }
        self.bytes += frame.len();
        self.frames.push(Kept { bytes: frame.clone(), trailer });
        None
    }

    /// Chooses the frame to look at; `now` is what is shown.
    pub(super) fn scrub(&mut self, frame: Option<usize>, now: &Bytes) -> Result<(), String> {
        if let Some(index) = frame {
            let Some(chosen) = self.frames.get(index) else {
                let count = self.frames.len();
                return Err(match count {
                    0 => "nothing is recorded: switch `record` on while the scene moves".to_owned(),
                    _ => format!("`frame` = {index} is not recorded: there are 0 to {}", count - 1),
                });
            };
            if counts(&chosen.bytes) != counts(now) {
                return Err("the scene was changed since it was recorded: undo that, or record anew".into());
            }
        }
        self.scrub = frame;
        Ok(())
    }

    /// The frame that is looked at, as a frame of the revision of `now`; where that has another shape, looking ends.
    pub(super) fn scrubbed(&mut self, now: &Bytes) -> Option<Bytes> {
        let index = self.scrub?;
        let frame = self.frames.get(index).filter(|frame| counts(&frame.bytes) == counts(now));
        let Some(Kept { bytes: frame, trailer }) = frame else {
            self.scrub = None;
            return None;
        };
        let trailer = Trailer { scrub: Some(index), ..trailer.clone() };
        let trailer = serde_json::to_vec(&trailer).unwrap_or_default();
        let end = body_end(frame);
        let mut bytes = Vec::with_capacity(end + trailer.len());
        bytes.extend_from_slice(&frame[..end]);
        bytes.extend_from_slice(&trailer);
        bytes[4..12].copy_from_slice(&now[4..12]);
        bytes[20..24].copy_from_slice(&u32::try_from(trailer.len()).unwrap_or(0).to_le_bytes());
        Some(bytes.into())
    }

    /// The recording as a run file; names come from the scene.
    pub(super) fn run_file(&self, scene: &SceneView) -> Answer<Vec<u8>> {
        let Some(first) = self.frames.first() else {
            return Err("nothing is recorded: switch `record` on while the scene moves".into());
        };
        let (nodes, poses) = counts(&first.bytes);
        let cables = scene.cables.iter();
        let cables: Vec<run::CableHeader> =
            cables.map(|c| run::CableHeader { name: c.name.clone(), nodes: c.count }).collect();
        let mut parts = vec![String::new(); poses];
        for thing in &scene.things {
            if let Some(name) = parts.get_mut(thing.anchor) {
                name.clone_from(&thing.name);
            }
        }
        if cables.iter().map(|c| c.nodes).sum::<usize>() != nodes {
            return Err("the scene was changed since it was recorded: undo that, or record anew".into());
        }
        let header = run::Header { title: scene.title.clone(), cables, parts };
        let frames = self.frames.iter().map(frame_of);
        Ok(run::bytes(&header, frames))
    }
}

fn word(frame: &Bytes, at: usize) -> usize {
    frame.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
}

/// Nodes and poses of a frame.
fn counts(frame: &Bytes) -> (usize, usize) {
    (word(frame, 12), word(frame, 16))
}

fn body_end(frame: &Bytes) -> usize {
    let (nodes, poses) = counts(frame);
    (HEAD + NODE * nodes + POSE * poses).min(frame.len())
}

/// A frame of the wire as one of a run file.
fn frame_of(Kept { bytes: frame, trailer }: &Kept) -> run::Frame {
    let (nodes, poses) = counts(frame);
    let energy = |of: fn(&Energy) -> f64| trailer.energy.as_ref().map_or(f64::NAN, of);
    let float = |at: usize| f32::from_bits(u32::try_from(word(frame, at)).unwrap_or(0));
    let pose = |position: usize, turn: usize| {
        let (p, q) = (|i: usize| float(position + 4 * i), |i: usize| float(turn + 4 * i));
        [p(0), p(1), p(2), q(3), q(0), q(1), q(2)]
    };
    let along = (0..nodes).map(|i| pose(HEAD + 16 * i, HEAD + 16 * (nodes + i)));
    let anchors = HEAD + NODE * nodes;
    let things = (0..poses).map(|i| pose(anchors + POSE * i, anchors + POSE * i + 16));
    run::Frame {
        head: [
            trailer.time.unwrap_or(f64::NAN),
            energy(|e| e.kinetic),
            energy(|e| e.elastic),
            energy(|e| e.potential),
            energy(|e| e.work),
            energy(|e| e.dissipated),
        ],
        poses: along.chain(things).collect(),
    }
}
