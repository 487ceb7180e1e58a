//! glTF 2.0, as JSON with its buffers within or beside it, or as one binary file. Metres and y up, by its standard.
//!
//! Taken are the triangles and lines of the scene that is shown, moved by their nodes; numbers may be quantised and sparse.
//! Compressed ones (Draco, meshopt) are refused by name. Materials, skins and animations mean nothing here.

mod accessor;
mod buffer;
mod write;

use crate::drawing::{Beside, Builder, Drawing, Format, Transform, Up};
use crate::mesh::{At, MeshError, shown};
use accessor::Accessors;
use flexline::Vec3;
use serde_json::Value;
pub use write::write_glb;

/// No deeper hierarchy than this.
const DEEPEST: usize = 256;
/// No more numbers than this are read, those that are used again counted again.
const MOST_NUMBERS: usize = 200_000_000;
/// No more nodes than this are visited.
const MOST_NODES: usize = 1_000_000;

pub(crate) fn read(bytes: &[u8], format: Format, beside: Beside) -> Result<Drawing, MeshError> {
    let (json, binary) = match format {
        Format::Glb => buffer::chunks(bytes)?,
        _ => (bytes, None),
    };
    let root: Value = serde_json::from_slice(json).map_err(|error| {
        let at = if format == Format::Glb { At::Whole } else { At::Line(error.line()) };
        MeshError::new(at, format!("has JSON that cannot be read ({error}): expected glTF 2.0"))
    })?;
    let version = root["asset"]["version"].as_str();
    if !version.is_some_and(|word| word.starts_with("2.")) {
        let message = match version {
            Some(word) => format!("is glTF {}: expected 2.0; export it again", shown(word)),
            None => "is JSON without 'asset.version': expected glTF 2.0".to_owned(),
        };
        return Err(MeshError::new(At::Whole, message));
    }
    let mut builder = Builder::new(format);
    builder.says_unit(1.0);
    builder.says_up(Up::Y);
    let buffers = buffer::all(&root, binary, beside, &mut builder)?;
    for (key, what) in [("animations", "animations"), ("skins", "skins: shapes are those of the mesh")] {
        for _ in list(&root, key) {
            builder.leave_out(what, At::Whole);
        }
    }
    let mut reader = Reader {
        accessors: Accessors { root: &root, buffers: &buffers },
        root: &root,
        builder,
        visited: 0,
        numbers: 0,
    };
    for node in roots(&root) {
        reader.node(node, Transform::identity(), "", 0)?;
    }
    Ok(reader.builder.finish())
}

/// The nodes of the scene that is shown; of the first where none is, of all where there is no scene.
fn roots(root: &Value) -> Vec<usize> {
    let shown = root["scene"].as_u64().unwrap_or(0) as usize;
    if let Some(scene) = list(root, "scenes").get(shown) {
        return list(scene, "nodes").iter().filter_map(index).collect();
    }
    let nodes = list(root, "nodes");
    let children: Vec<usize> =
        nodes.iter().flat_map(|node| list(node, "children")).filter_map(index).collect();
    let mut is_child = vec![false; nodes.len()];
    children.into_iter().filter(|i| *i < nodes.len()).for_each(|i| is_child[i] = true);
    (0..nodes.len()).filter(|i| !is_child[*i]).collect()
}

/// A list of an object; empty where there is none.
fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// A number that counts.
fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

/// Numbers of a list of this length.
fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let all: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    all.try_into().ok()
}

struct Reader<'a> {
    root: &'a Value,
    accessors: Accessors<'a>,
    builder: Builder,
    visited: usize,
    numbers: usize,
}

impl Reader<'_> {
    fn node(&mut self, number: usize, outer: Transform, above: &str, depth: usize) -> Result<(), MeshError> {
        let wrong = |message: String| Err(MeshError::new(At::Whole, message));
        self.visited += 1;
        if depth > DEEPEST {
            return wrong(format!(
                "has nodes within nodes deeper than {DEEPEST}, or a node within itself: expected a tree"
            ));
        }
        if self.visited > MOST_NODES {
            return wrong(format!(
                "has more than {MOST_NODES} nodes, those that are used again counted again: divide it"
            ));
        }
        let Some(node) = list(self.root, "nodes").get(number) else {
            return wrong(format!("names node {number}, which is not there"));
        };
        let own = match numbers::<16>(&node["matrix"]) {
            Some(matrix) => match Transform::matrix(&matrix) {
                Some(own) => own,
                None => {
                    return wrong(format!(
                        "has a matrix in node {number} that is no affine map: expected one"
                    ));
                }
            },
            None => {
                let [x, y, z] = numbers(&node["translation"]).unwrap_or_default();
                let turn = numbers(&node["rotation"]).unwrap_or([0.0, 0.0, 0.0, 1.0]);
                let [a, b, c] = numbers(&node["scale"]).unwrap_or([1.0; 3]);
                let moved = Transform::shift(Vec3::new(x, y, z)).then(&Transform::quaternion(turn));
                moved.then(&Transform::scale(Vec3::new(a, b, c)))
            }
        };
        let world = outer.then(&own);
        let mesh = index(&node["mesh"]).and_then(|i| list(self.root, "meshes").get(i));
        let name = node["name"].as_str().or_else(|| mesh.and_then(|mesh| mesh["name"].as_str()));
        let path = match name.map(|name| name.replace('/', "-")) {
            Some(name) if above.is_empty() => name,
            Some(name) => format!("{above}/{name}"),
            None => above.to_owned(),
        };
        if node["extensions"]["EXT_mesh_gpu_instancing"].is_object() {
            self.builder.leave_out("copies by EXT_mesh_gpu_instancing: the first stands for all", At::Whole);
        }
        if let Some(mesh) = mesh {
            for primitive in list(mesh, "primitives") {
                self.primitive(primitive, &world, &path)?;
            }
        }
        for child in list(node, "children").iter().filter_map(index) {
            self.node(child, world, &path, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Value, world: &Transform, path: &str) -> Result<(), MeshError> {
        let at = At::Whole;
        if primitive["extensions"]["KHR_draco_mesh_compression"].is_object() {
            let message = "is compressed by Draco (KHR_draco_mesh_compression), which is not read: export it without compression";
            return Err(MeshError::new(at, message));
        }
        if !list(primitive, "targets").is_empty() {
            self.builder.leave_out("morph targets: shapes are those of the mesh", at);
        }
        let Some(place) = index(&primitive["attributes"]["POSITION"]) else {
            self.builder.leave_out("primitives without positions", at);
            return Ok(());
        };
        let positions = self.accessors.vectors(place)?;
        let corners: Vec<usize> = match index(&primitive["indices"]) {
            Some(own) => self.accessors.indices(own)?,
            None => (0..positions.len()).collect(),
        };
        self.numbers += 3 * positions.len() + corners.len();
        if self.numbers > MOST_NUMBERS {
            let message = format!(
                "has more than {MOST_NUMBERS} numbers, those that are used again counted again: divide it"
            );
            return Err(MeshError::new(at, message));
        }
        if let Some(wrong) = corners.iter().find(|i| **i >= positions.len()) {
            let message =
                format!("has a primitive of vertex {wrong}: there are {}, counted from 0", positions.len());
            return Err(MeshError::new(at, message));
        }
        let world_point = |i: usize| world.apply(positions[i]);
        match primitive["mode"].as_u64().unwrap_or(4) {
            0 => self.builder.leave_out("points", at),
            1 => {
                for pair in corners.chunks_exact(2) {
                    self.builder.line(path, pair.iter().map(|i| world_point(*i)).collect(), at)?;
                }
            }
            mode @ (2 | 3) => {
                let closing = corners.first().filter(|_| mode == 2);
                let points = corners.iter().chain(closing).map(|i| world_point(*i)).collect();
                self.builder.line(path, points, at)?;
            }
            mode @ 4..=6 => {
                self.builder.part(path, at)?;
                let mut own = Vec::with_capacity(corners.len());
                for i in &corners {
                    own.push(self.builder.vertex(world_point(*i), at)?);
                }
                // A mirror turns triangles over; the standard has them turned back.
                let flip = world.mirrors();
                let turned = |[a, b, c]: [u32; 3]| if flip { [b, a, c] } else { [a, b, c] };
                match mode {
                    4 => {
                        if own.len() % 3 != 0 {
                            self.builder.leave_out("corners after the last whole triangle", at);
                        }
                        for three in own.chunks_exact(3) {
                            self.builder.triangle(turned([three[0], three[1], three[2]]), at)?;
                        }
                    }
                    5 => self.builder.strip(&own, flip, at)?,
                    _ => {
                        for pair in own.get(1..).unwrap_or_default().windows(2) {
                            self.builder.triangle(turned([own[0], pair[0], pair[1]]), at)?;
                        }
                    }
                }
            }
            mode => {
                let message = format!("has a primitive of mode {mode}: expected 0 to 6");
                return Err(MeshError::new(at, message));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
