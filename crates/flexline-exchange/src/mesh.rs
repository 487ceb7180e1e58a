//! Meshes of triangles, whatever file they come from.

use crate::drawing::Drawing;
use std::collections::HashMap;
use std::fmt;

/// No more triangles than this in one mesh.
pub const MOST_TRIANGLES: usize = 4_000_000;

/// A mesh of triangles: corners that are the same point are one vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions.
    pub vertices: Vec<[f32; 3]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Line, counted from 1.
    Line(usize),
    /// Byte, counted from 0.
    Byte(usize),
    /// The file as a whole.
    Whole,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Whole => write!(f, "the file"),
        }
    }
}

/// What is wrong with a mesh file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshError {
    /// Where.
    pub at: At,
    /// What, and what was expected.
    pub message: String,
}

impl MeshError {
    pub(crate) fn new(at: At, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            At::Whole => write!(f, "the mesh {}", self.message),
            at => write!(f, "{at} of the mesh: {}", self.message),
        }
    }
}

impl std::error::Error for MeshError {}

impl Mesh {
    /// Reads a mesh file of any format that [`Drawing`] reads, all its parts as one. Positions are multiplied by `scale`.
    pub fn read(bytes: &[u8], scale: f64) -> Result<Self, MeshError> {
        Drawing::read(bytes)?.mesh(scale)
    }

    /// Counts as `u32`, then positions as `f32` and triangles as `u32`, little endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(8 + 12 * (self.vertices.len() + self.triangles.len()));
        for count in [self.vertices.len(), self.triangles.len()] {
            bytes.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
        }
        self.vertices.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        self.triangles.iter().flatten().for_each(|i| bytes.extend(i.to_le_bytes()));
        bytes
    }

    /// What [`Mesh::to_bytes`] wrote; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let (vertices, triangles) = (word(0)? as usize, word(4)? as usize);
        let size = vertices.checked_add(triangles)?.checked_mul(12)?.checked_add(8)?;
        if bytes.len() != size {
            return None;
        }
        let three = |at: usize| Some([word(at)?, word(at + 4)?, word(at + 8)?]);
        let mesh = Self {
            vertices: (0..vertices)
                .map(|i| Some(three(8 + 12 * i)?.map(f32::from_bits)))
                .collect::<Option<_>>()?,
            triangles: (0..triangles).map(|i| three(8 + 12 * (vertices + i))).collect::<Option<_>>()?,
        };
        let good = mesh.vertices.iter().flatten().all(|x| x.is_finite())
            && mesh.triangles.iter().flatten().all(|i| (*i as usize) < vertices);
        good.then_some(mesh)
    }
}

/// Collects triangles, welding corners whose coordinates are the same.
#[derive(Default)]
pub(crate) struct Welder {
    mesh: Mesh,
    known: HashMap<[u32; 3], u32>,
}

impl Welder {
    pub(crate) fn vertex(&mut self, position: [f32; 3]) -> u32 {
        // Zero has two signs.
        let key = position.map(|x| (x + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.mesh.vertices.push(position);
            (self.mesh.vertices.len() - 1) as u32
        })
    }

    /// Adds a triangle; one that is only a line or a point is left out.
    pub(crate) fn triangle(&mut self, corners: [u32; 3], at: At) -> Result<(), MeshError> {
        let [a, b, c] = corners;
        if a == b || b == c || c == a {
            return Ok(());
        }
        if self.mesh.triangles.len() == MOST_TRIANGLES {
            return Err(MeshError::new(
                at,
                format!("there are more than {MOST_TRIANGLES} triangles: make it coarser"),
            ));
        }
        self.mesh.triangles.push(corners);
        Ok(())
    }

    pub(crate) fn finish(self) -> Mesh {
        self.mesh
    }
}

/// A number of a mesh file; what is not finite is refused.
pub(crate) fn number(word: &str, at: At) -> Result<f64, MeshError> {
    word.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| {
        MeshError::new(at, format!("'{}' is no number: expected a finite coordinate", shown(word)))
    })
}

/// The text of a file in UTF-16, or after a byte order mark; `None` where it has none.
pub(crate) fn utf8_of(bytes: &[u8]) -> Option<String> {
    let word: fn([u8; 2]) -> u16 = match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => return Some(String::from_utf8_lossy(rest).into_owned()),
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let words: Vec<u16> = bytes[2..].chunks_exact(2).map(|two| word([two[0], two[1]])).collect();
    String::from_utf16(&words).ok()
}

/// A word of a file, cut where it is long.
pub(crate) fn shown(word: &str) -> String {
    match word.char_indices().nth(30) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// The text of a file, or where it stops being text.
pub(crate) fn text_of(bytes: &[u8]) -> Result<&str, MeshError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        MeshError::new(At::Line(line), "this is not UTF-8 text")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_come_back() {
        let mesh = Mesh {
            vertices: vec![[0.0, 1.0, 2.0], [1.0; 3], [2.0; 3]],
            triangles: vec![[0, 1, 2], [2, 1, 0]],
        };
        let bytes = mesh.to_bytes();
        assert_eq!(bytes.len(), 8 + 12 * 5);
        assert_eq!(Mesh::from_bytes(&bytes), Some(mesh));
        assert_eq!(Mesh::from_bytes(&bytes[1..]), None);
        let mut wrong = bytes.clone();
        wrong[8 + 36] = 3;
        assert_eq!(Mesh::from_bytes(&wrong), None, "there is no vertex 3");
    }

    #[test]
    fn what_is_no_mesh_is_refused() {
        let message = |bytes: &[u8]| Mesh::read(bytes, 1.0).unwrap_err().to_string();
        assert!(message(b"\x89PNG....").contains("is a picture"));
        assert!(message(b"\x01\x02").contains("expected STL, OBJ, PLY, glTF"));
        assert!(message(b"").contains("is empty"));
        assert!(message(b"v 0 0 0\n").contains("has no triangles"));
        let large = b"v 1e38 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
        assert!(Mesh::read(large, 1e-3).is_ok());
        assert!(Mesh::read(large, 1e3).unwrap_err().to_string().contains("too large in this unit"));
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Mesh::read(&bytes, 1.0);
            let _ = Mesh::from_bytes(&bytes);
        }

        #[test]
        fn no_obj_panics(text in "([vf] ?(-?[0-9]{1,3}(/-?[0-9]*){0,2} ){0,5}\n){0,12}") {
            if let Ok(mesh) = Mesh::read(text.as_bytes(), 1.0) {
                prop_assert!(mesh.triangles.iter().flatten().all(|i| (*i as usize) < mesh.vertices.len()));
            }
        }

        #[test]
        fn no_stl_panics(text in "solid x\n((facet normal|outer loop|vertex|endloop|endfacet)( -?[0-9.e]{1,5}){0,3}\n){0,12}") {
            let _ = Mesh::read(text.as_bytes(), 1.0);
        }
    }
}
