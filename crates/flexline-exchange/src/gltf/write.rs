//! glTF 2.0 out, as one binary file: every cable a tube with normals and colours; in motion a skin with a joint per node.
//!
//! The vertices are those of the first frame in the world, so that whoever knows no skins shows that. Lengths are metres and
//! y is up, as the format demands. A frame costs 28 bytes a node.

use crate::playback::{GREY, Playback, Tube};
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Sides of a tube.
const SIDES: usize = 16;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;
const SHORT: u32 = 5123;
const BYTE: u32 = 5121;

/// The file.
pub fn write_glb(own: &Playback) -> Vec<u8> {
    let mut out = Out::default();
    let moves = own.times.len() > 1;
    let times = moves.then(|| {
        let values: Vec<f32> = own.times.iter().map(|t| (*t - own.times[0]) as f32).collect();
        let view = out.floats(&values, None);
        let last = values.last().copied().unwrap_or(0.0);
        out.accessor(json!({ "bufferView": view, "componentType": FLOAT, "count": values.len(), "type": "SCALAR", "min": [0.0], "max": [last] }))
    });
    let mut roots = Vec::new();
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for tube in &own.cables {
        let mesh = out.mesh(tube, moves);
        let mut node = json!({ "name": tube.name, "mesh": mesh });
        if let Some(times) = times {
            let first = out.joints(tube);
            let (root, skin) = out.skin(tube, first);
            roots.push(root);
            node["skin"] = json!(skin);
            out.animate(tube, first, times, &mut channels, &mut samplers);
        }
        roots.push(out.node(node));
    }
    let mut file = json!({
        "asset": { "version": "2.0", "generator": "Flexline" },
        "scene": 0,
        "scenes": [{ "name": own.title, "nodes": roots }],
        "nodes": out.nodes,
        "meshes": out.meshes,
        "materials": [{
            "name": "cable",
            "pbrMetallicRoughness": { "baseColorFactor": [1.0, 1.0, 1.0, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7 },
        }],
        "accessors": out.accessors,
        "bufferViews": out.views,
        "buffers": [{ "byteLength": out.bytes.len() }],
    });
    if moves {
        file["skins"] = json!(out.skins);
        file["animations"] = json!([{ "name": own.title, "channels": channels, "samplers": samplers }]);
    }
    binary(&file, out.bytes)
}

/// Header, text and bytes, each filled up to four.
fn binary(file: &Value, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut text = file.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + bytes.len();
    let mut out = Vec::with_capacity(total);
    for word in [0x4654_6C67_u32, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
        out.extend(word.to_le_bytes());
    }
    out.extend(text);
    for word in [bytes.len() as u32, 0x004E_4942] {
        out.extend(word.to_le_bytes());
    }
    out.extend(bytes);
    out
}

/// A place with y up.
fn turned(p: &Vec3) -> Vec3 {
    Vec3::new(p.x, p.z, -p.y)
}

/// A frame with y up.
fn turned_frame(q: &Quat) -> Quat {
    let own = Quat::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2, 0.0, 0.0) * q;
    own * (1.0 / own.norm())
}

#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
}

impl Out {
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let from = self.bytes.len();
        self.bytes.extend(bytes);
        let length = self.bytes.len() - from;
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": from, "byteLength": length });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    fn floats(&mut self, values: &[f32], target: Option<u32>) -> usize {
        self.view(values.iter().flat_map(|v| v.to_le_bytes()), target)
    }

    /// The tube of the first frame.
    fn mesh(&mut self, tube: &Tube, moves: bool) -> usize {
        let made = surface(tube);
        let count = made.positions.len();
        let attribute = Some(34_962);
        let flat = |of: &[Vec3]| of.iter().flat_map(|v| v.iter().map(|x| *x as f32)).collect::<Vec<f32>>();
        let positions = flat(&made.positions);
        let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        for p in positions.chunks_exact(3) {
            for k in 0..3 {
                bounds[0][k] = bounds[0][k].min(p[k]);
                bounds[1][k] = bounds[1][k].max(p[k]);
            }
        }
        let view = self.floats(&positions, attribute);
        let position = self.accessor(json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": "VEC3", "min": bounds[0], "max": bounds[1] }));
        let view = self.floats(&flat(&made.normals), attribute);
        let normal = self
            .accessor(json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": "VEC3" }));
        let colour = |node: &u32| {
            let own = tube.colours.as_ref().map_or(GREY, |all| all[*node as usize]);
            // Colours are linear there, those of screens are not.
            let [r, g, b] = own.map(|c| (255.0 * (f64::from(c) / 255.0).powf(2.2)).round() as u8);
            [r, g, b, 255]
        };
        let view = self.view(made.nodes.iter().flat_map(colour), attribute);
        let colour = self.accessor(json!({ "bufferView": view, "componentType": BYTE, "normalized": true, "count": count, "type": "VEC4" }));
        let mut attributes = json!({ "POSITION": position, "NORMAL": normal, "COLOR_0": colour });
        if moves {
            let joints = made.nodes.iter().flat_map(|node| {
                let [a, b] = (*node as u16).to_le_bytes();
                [a, b, 0, 0, 0, 0, 0, 0]
            });
            let view = self.view(joints, attribute);
            let joint = json!({ "bufferView": view, "componentType": SHORT, "count": count, "type": "VEC4" });
            attributes["JOINTS_0"] = json!(self.accessor(joint));
            let view = self.view((0..count).flat_map(|_| [255, 0, 0, 0]), attribute);
            let weight = json!({ "bufferView": view, "componentType": BYTE, "normalized": true, "count": count, "type": "VEC4" });
            attributes["WEIGHTS_0"] = json!(self.accessor(weight));
        }
        let view = self.view(made.indices.iter().flat_map(|i| i.to_le_bytes()), Some(34_963));
        let indices = self.accessor(json!({ "bufferView": view, "componentType": UNSIGNED, "count": made.indices.len(), "type": "SCALAR" }));
        self.meshes.push(json!({ "name": tube.name, "primitives": [{ "attributes": attributes, "indices": indices, "material": 0 }] }));
        self.meshes.len() - 1
    }

    /// A node per node of the cable, where it is first; the index of the first.
    fn joints(&mut self, tube: &Tube) -> usize {
        let first = self.nodes.len();
        for (k, (position, frame)) in tube.frames[0].iter().enumerate() {
            let (p, q) = (turned(position), turned_frame(frame));
            self.nodes.push(json!({
                "name": format!("{} {k}", tube.name),
                "translation": [p.x as f32, p.y as f32, p.z as f32],
                "rotation": [q.i as f32, q.j as f32, q.k as f32, q.w as f32],
            }));
        }
        first
    }

    /// The root of the joints, and the skin.
    fn skin(&mut self, tube: &Tube, first: usize) -> (usize, usize) {
        let count = tube.frames[0].len();
        let joints: Vec<usize> = (first..first + count).collect();
        let mut values: Vec<f32> = Vec::with_capacity(16 * count);
        for (position, frame) in &tube.frames[0] {
            let (p, r) = (turned(position), rotation::matrix(&turned_frame(frame)).transpose());
            let back = -(r * p);
            for column in 0..3 {
                values.extend((0..3).map(|row| r[(row, column)] as f32));
                values.push(0.0);
            }
            values.extend([back.x as f32, back.y as f32, back.z as f32, 1.0]);
        }
        let view = self.floats(&values, None);
        let bind = self
            .accessor(json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": "MAT4" }));
        let root = self.node(json!({ "name": format!("{} joints", tube.name), "children": joints }));
        self.skins.push(
            json!({ "name": tube.name, "inverseBindMatrices": bind, "skeleton": root, "joints": joints }),
        );
        (root, self.skins.len() - 1)
    }

    /// Where every joint is in every frame.
    fn animate(
        &mut self,
        tube: &Tube,
        first: usize,
        times: usize,
        channels: &mut Vec<Value>,
        samplers: &mut Vec<Value>,
    ) {
        let (count, frames) = (tube.frames[0].len(), tube.frames.len());
        let (mut places, mut turns) = (Vec::new(), Vec::new());
        for k in 0..count {
            let mut before: Option<Quat> = None;
            for frame in &tube.frames {
                let (p, mut q) = (turned(&frame[k].0), turned_frame(&frame[k].1));
                // The short way from one to the next.
                if before.is_some_and(|own| own.dot(&q) < 0.0) {
                    q = -q;
                }
                before = Some(q);
                places.extend([p.x as f32, p.y as f32, p.z as f32]);
                turns.extend([q.i as f32, q.j as f32, q.k as f32, q.w as f32]);
            }
        }
        for (path, values, kind, width) in
            [("translation", places, "VEC3", 12), ("rotation", turns, "VEC4", 16)]
        {
            let view = self.floats(&values, None);
            for k in 0..count {
                let output = self.accessor(json!({ "bufferView": view, "byteOffset": k * frames * width, "componentType": FLOAT, "count": frames, "type": kind }));
                channels.push(
                    json!({ "sampler": samplers.len(), "target": { "node": first + k, "path": path } }),
                );
                samplers.push(json!({ "input": times, "output": output, "interpolation": "LINEAR" }));
            }
        }
    }
}

/// Vertices of a tube, with the node that each goes with.
struct Surface {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    nodes: Vec<u32>,
    indices: Vec<u32>,
}

/// Rings at the nodes, and two caps.
fn surface(tube: &Tube) -> Surface {
    let mut out =
        Surface { positions: Vec::new(), normals: Vec::new(), nodes: Vec::new(), indices: Vec::new() };
    let nodes = &tube.frames[0];
    let around = |q: &Quat, k: usize| {
        let angle = TAU * k as f64 / SIDES as f64;
        turned(&rotation::rotate(q, &Vec3::new(angle.cos(), angle.sin(), 0.0)))
    };
    let sides = SIDES as u32;
    for (k, (position, frame)) in nodes.iter().enumerate() {
        for side in 0..SIDES {
            let out_of = around(frame, side);
            out.positions.push(turned(position) + out_of * tube.radii[k]);
            out.normals.push(out_of);
            out.nodes.push(k as u32);
        }
        if k > 0 {
            let (before, here) = ((k as u32 - 1) * sides, k as u32 * sides);
            for side in 0..sides {
                let next = (side + 1) % sides;
                out.indices.extend([
                    before + side,
                    before + next,
                    here + next,
                    before + side,
                    here + next,
                    here + side,
                ]);
            }
        }
    }
    for (node, sign) in [(0, -1.0), (nodes.len() - 1, 1.0)] {
        let (position, frame) = &nodes[node];
        let normal = turned(&rotation::tangent(frame)) * sign;
        let middle = out.positions.len() as u32;
        let ring = (0..SIDES).map(|side| turned(position) + around(frame, side) * tube.radii[node]);
        for place in std::iter::once(turned(position)).chain(ring) {
            out.positions.push(place);
            out.normals.push(normal);
            out.nodes.push(node as u32);
        }
        for side in 0..sides {
            let (a, b) = (middle + 1 + side, middle + 1 + (side + 1) % sides);
            out.indices.extend(if sign > 0.0 { [middle, a, b] } else { [middle, b, a] });
        }
    }
    out
}
