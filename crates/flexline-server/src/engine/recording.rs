//! What was recorded in motion: frames as they went out, kept up to a limit; one of them may be looked at again.

use super::Answer;
use bytes::Bytes;
use flexline_exchange::run;
use flexline_scene::desk::{HEAD, NODE, POSE};
use serde_json::Value;

/// Bytes of frames that are kept; the recording stops there.
const MOST_BYTES: usize = 256 << 20;

/// The frames of a recording.
#[derive(Default)]
pub(super) struct Recording {
    frames: Vec<Bytes>,
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
    pub(super) fn push(&mut self, frame: &Bytes) -> Option<String> {
        if !self.on {
            return None;
        }
        let count = self.frames.len();
        if self.frames.first().is_some_and(|first| counts(first) != counts(frame)) {
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
        self.frames.push(frame.clone());
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
            if counts(chosen) != counts(now) {
                return Err("the scene was changed since it was recorded: undo that, or record anew".into());
            }
        }
        self.scrub = frame;
        Ok(())
    }

    /// The frame that is looked at, as a frame of the revision of `now`; where that has another shape, looking ends.
    pub(super) fn scrubbed(&mut self, now: &Bytes) -> Option<Bytes> {
        let index = self.scrub?;
        let frame = self.frames.get(index).filter(|frame| counts(frame) == counts(now));
        let Some(frame) = frame else {
            self.scrub = None;
            return None;
        };
        let mut trailer = trailer(frame);
        trailer["scrub"] = index.into();
        let trailer = trailer.to_string();
        let end = body_end(frame);
        let mut bytes = Vec::with_capacity(end + trailer.len());
        bytes.extend_from_slice(&frame[..end]);
        bytes.extend_from_slice(trailer.as_bytes());
        bytes[4..12].copy_from_slice(&now[4..12]);
        bytes[20..24].copy_from_slice(&u32::try_from(trailer.len()).unwrap_or(0).to_le_bytes());
        Some(bytes.into())
    }

    /// The recording as a run file; names come from the `scene` event.
    pub(super) fn run_file(&self, scene: &Value) -> Answer<Vec<u8>> {
        let Some(first) = self.frames.first() else {
            return Err("nothing is recorded: switch `record` on while the scene moves".into());
        };
        let (nodes, poses) = counts(first);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let list = |key: &str| scene[key].as_array().cloned().unwrap_or_default();
        let cables: Vec<run::CableHeader> = list("cables")
            .iter()
            .map(|c| run::CableHeader {
                name: text(&c["name"]),
                nodes: c["count"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
            })
            .collect();
        let mut parts = vec![String::new(); poses];
        for thing in list("things") {
            let place = thing["anchor"].as_u64().and_then(|n| usize::try_from(n).ok());
            if let Some(name) = place.and_then(|place| parts.get_mut(place)) {
                *name = text(&thing["name"]);
            }
        }
        if cables.iter().map(|c| c.nodes).sum::<usize>() != nodes {
            return Err("the scene was changed since it was recorded: undo that, or record anew".into());
        }
        let header = run::Header { title: text(&scene["title"]), cables, parts };
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

fn trailer(frame: &Bytes) -> Value {
    serde_json::from_slice(&frame[body_end(frame)..]).unwrap_or_default()
}

/// A frame of the wire as one of a run file.
fn frame_of(frame: &Bytes) -> run::Frame {
    let (nodes, poses) = counts(frame);
    let trailer = trailer(frame);
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let energy = &trailer["energy"];
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
            number(&trailer["time"]),
            number(&energy["kinetic"]),
            number(&energy["elastic"]),
            number(&energy["potential"]),
            number(&energy["work"]),
            number(&energy["dissipated"]),
        ],
        poses: along.chain(things).collect(),
    }
}
