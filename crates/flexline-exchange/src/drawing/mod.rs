//! What a file of another program says: parts with their names, in its own unit and axes, lines, and what was left out.
//! Which format it is, its contents tell, never its name.

mod builder;
mod format;
mod health;
mod polygon;
mod transform;

pub use format::Format;
pub use health::{Health, health};

pub(crate) use builder::Builder;
pub(crate) use transform::Transform;

use crate::mesh::{At, Mesh, MeshError, Welder};

/// No more bytes than this in one file.
pub const MOST_BYTES: usize = 1 << 29;

/// A file of another program, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// What it was.
    pub format: Format,
    /// Its parts, in the order in which they began.
    pub parts: Vec<Part>,
    /// Its lines.
    pub lines: Vec<Line>,
    /// What one unit of it is, m, where the file or its standard says so.
    pub unit: Option<f64>,
    /// Which axis points up, where the file or its standard says so.
    pub up: Option<Up>,
    /// What was not taken, and why.
    pub left_out: Vec<LeftOut>,
    /// Files beside it that were read as well.
    pub followed: Vec<String>,
}

/// A part: the triangles of one place in the hierarchy of a file, moved to where they are in its world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its place in the hierarchy, names joined by `/`; empty where the file has none.
    pub path: String,
    /// Positions in the unit of the file. Corners that are the same point are one vertex.
    pub vertices: Vec<[f64; 3]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
    /// Triangles that were only a line or a point by their vertices, left out.
    pub collapsed: usize,
}

/// A line through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its place in the hierarchy.
    pub path: String,
    /// Positions in the unit of the file.
    pub points: Vec<[f64; 3]>,
}

/// An axis of a file that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Up {
    /// y, as in most programs for pictures.
    Y,
    /// z, as in scenes and in most CAD programs.
    Z,
}

/// Something of a file that was not taken.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// What, and why.
    pub what: String,
    /// How many of it.
    pub count: usize,
    /// Where the first of it is.
    pub first: At,
}

/// Gives the bytes of a file beside the one that is read; `None` where there is none or it may not be opened.
pub type Beside<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

impl Drawing {
    /// Reads a file by its contents: STL, OBJ, PLY, glTF, Open Inventor, VRML, URDF, SDF or the triangles of STEP. Files that it names are left out.
    pub fn read(bytes: &[u8]) -> Result<Self, MeshError> {
        Self::read_beside(bytes, &|_| None)
    }

    /// The same; what glTF and robots keep in files beside them is asked of `beside`.
    pub fn read_beside(bytes: &[u8], beside: Beside) -> Result<Self, MeshError> {
        if bytes.len() > MOST_BYTES {
            let message = format!("is larger than {} MiB: make it coarser, or divide it", MOST_BYTES >> 20);
            return Err(MeshError::new(At::Whole, message));
        }
        let text = crate::mesh::utf8_of(bytes);
        let bytes = text.as_deref().map_or(bytes, str::as_bytes);
        match Format::of(bytes)? {
            Format::StlBinary => crate::stl::read_binary(bytes),
            Format::StlAscii => crate::stl::read_ascii(bytes),
            Format::Obj => crate::obj::read(bytes),
            Format::Ply => crate::ply::read(bytes),
            format @ (Format::Gltf | Format::Glb) => crate::gltf::read(bytes, format, beside),
            Format::Step => crate::curve::step::triangles::read(bytes),
            format @ (Format::Urdf | Format::Sdf) => crate::urdf::read(bytes, format, beside),
            format => crate::inventor::read(bytes, format),
        }
    }

    /// How many triangles there are.
    pub fn triangles(&self) -> usize {
        self.parts.iter().map(|part| part.triangles.len()).sum()
    }

    /// The corners of the box around all parts and lines; `None` where there is nothing.
    pub fn extent(&self) -> Option<[[f64; 3]; 2]> {
        let points = self.parts.iter().flat_map(|part| &part.vertices);
        extent(points.chain(self.lines.iter().flat_map(|line| &line.points)))
    }

    /// All parts as one mesh, positions multiplied by `scale`.
    pub fn mesh(&self, scale: f64) -> Result<Mesh, MeshError> {
        let mut welder = Welder::default();
        for part in &self.parts {
            let mut own = Vec::with_capacity(part.vertices.len());
            for position in &part.vertices {
                let position = position.map(|x| (x * scale) as f32);
                if position.iter().any(|x| !x.is_finite()) {
                    return Err(MeshError::new(At::Whole, "is too large in this unit: choose another"));
                }
                own.push(welder.vertex(position));
            }
            for triangle in &part.triangles {
                welder.triangle(triangle.map(|i| own[i as usize]), At::Whole)?;
            }
        }
        let mesh = welder.finish();
        match mesh.triangles.is_empty() {
            false => Ok(mesh),
            true if self.triangles() > 0 => {
                Err(MeshError::new(At::Whole, "is too small in this unit: choose another"))
            }
            true => Err(MeshError::new(At::Whole, self.no_triangles())),
        }
    }

    /// Why there is nothing that could be an obstacle.
    fn no_triangles(&self) -> String {
        let mut text = "has no triangles".to_owned();
        if !self.lines.is_empty() {
            text.push_str(&format!(", but {} lines", self.lines.len()));
        }
        if let Some(first) = self.left_out.first() {
            text.push_str(&format!("; left out: {}", first.what));
        }
        text
    }
}

/// The corners of the box around points.
fn extent<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> Option<[[f64; 3]; 2]> {
    points.fold(None, |all, p| {
        let [mut low, mut high] = all.unwrap_or([*p, *p]);
        for axis in 0..3 {
            low[axis] = low[axis].min(p[axis]);
            high[axis] = high[axis].max(p[axis]);
        }
        Some([low, high])
    })
}

impl Part {
    /// Its name: the last of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Parts as one PLY file, in metres and with z up.
    pub fn to_ply(parts: &[Self], unit: f64, up: Up) -> Vec<u8> {
        crate::ply::write(parts, |p| up.turned(p.map(|x| unit * x)))
    }

    /// The corners of the box around it.
    pub fn extent(&self) -> Option<[[f64; 3]; 2]> {
        extent(self.vertices.iter())
    }
}

impl Up {
    /// A position of the file with z up.
    pub fn turned(self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Y => [x, -z, y],
            Self::Z => [x, y, z],
        }
    }

    /// As scene files and commands write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}
