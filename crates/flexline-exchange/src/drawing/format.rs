//! Which format a file has, told by its contents.

use crate::mesh::{At, MeshError, shown};

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// STL with numbers as bytes.
    StlBinary,
    /// STL as text.
    StlAscii,
    /// Wavefront OBJ.
    Obj,
    /// PLY, of all three kinds.
    Ply,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 as one binary file.
    Glb,
    /// Open Inventor as text.
    InventorAscii,
    /// Open Inventor as bytes.
    InventorBinary,
    /// VRML 1.
    Vrml1,
    /// VRML 97.
    Vrml97,
    /// STEP, of which only triangles are a mesh.
    Step,
    /// A robot as URDF.
    Urdf,
    /// Models and worlds as SDF, of Gazebo.
    Sdf,
}

impl Format {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::StlBinary => "STL, binary",
            Self::StlAscii => "STL, ASCII",
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Gltf => "glTF",
            Self::Glb => "glTF, binary",
            Self::InventorAscii => "Open Inventor, ASCII",
            Self::InventorBinary => "Open Inventor, binary",
            Self::Vrml1 => "VRML 1",
            Self::Vrml97 => "VRML 97",
            Self::Step => "STEP, tessellated",
            Self::Urdf => "URDF",
            Self::Sdf => "SDF",
        }
    }

    /// The ending that files of it have.
    pub fn ending(self) -> &'static str {
        match self {
            Self::StlBinary | Self::StlAscii => "stl",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Gltf => "gltf",
            Self::Glb => "glb",
            Self::InventorAscii | Self::InventorBinary => "iv",
            Self::Vrml1 | Self::Vrml97 => "wrl",
            Self::Step => "step",
            Self::Urdf => "urdf",
            Self::Sdf => "sdf",
        }
    }

    /// The format of a file; an error that names what it is instead, where that can be told.
    pub fn of(bytes: &[u8]) -> Result<Self, MeshError> {
        let start = bytes.trim_ascii_start();
        match () {
            // A binary STL file may begin with anything, and its length gives it away.
            () if crate::stl::is_binary(bytes) => Ok(Self::StlBinary),
            () if bytes.starts_with(b"glTF") => Ok(Self::Glb),
            () if crate::ply::looks_like(bytes) => Ok(Self::Ply),
            () if start.starts_with(b"#Inventor") || start.starts_with(b"#VRML") => inventor(start),
            () if start.starts_with(b"{") => Ok(Self::Gltf),
            () if crate::stl::is_ascii(bytes) => Ok(Self::StlAscii),
            () if crate::curve::step::triangles::are_in(bytes) => Ok(Self::Step),
            () => crate::urdf::format_of(bytes).map_or_else(|| foreign(bytes), Ok),
        }
    }
}

/// Which of its scene formats a header line names.
fn inventor(start: &[u8]) -> Result<Format, MeshError> {
    let line = start.split(|b| *b == b'\n' || *b == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["#Inventor", "V2.0" | "V2.1", "ascii", ..] => Ok(Format::InventorAscii),
        ["#Inventor", "V2.0" | "V2.1", "binary", ..] => Ok(Format::InventorBinary),
        ["#VRML", "V1.0", "ascii", ..] => Ok(Format::Vrml1),
        ["#VRML", "V2.0", "utf8", ..] => Ok(Format::Vrml97),
        _ => {
            let message = format!(
                "the header is '{}': expected Open Inventor 2.0 or 2.1, VRML 1.0 or VRML 2.0; export it again as one of them",
                shown(&line)
            );
            Err(MeshError::new(At::Line(1), message))
        }
    }
}

/// What is no mesh that is read here: OBJ has no mark of its own and comes last, everything else is named.
fn foreign(bytes: &[u8]) -> Result<Format, MeshError> {
    let start = bytes.trim_ascii_start();
    let head = String::from_utf8_lossy(&start[..start.len().min(400)]).into_owned();
    let known: [(&str, bool); 13] = [
        ("is STEP without triangles", head.starts_with("ISO-10303-21")),
        ("is a JT file", head.starts_with("Version ") && head.contains("JT")),
        ("is KBL harness data", head.contains("KBL")),
        ("is COLLADA", head.contains("<COLLADA")),
        ("is MJCF, a model of MuJoCo,", head.contains("<mujoco")),
        ("is XML", head.starts_with("<?xml")),
        ("is USD", head.starts_with("#usda") || head.starts_with("PXR-USDC")),
        ("is a zip archive (3MF, packed USD and 3DXML are)", bytes.starts_with(b"PK\x03\x04")),
        ("is packed by gzip: unpack it first; it", bytes.starts_with(b"\x1f\x8b")),
        ("is a picture", bytes.starts_with(b"\x89PNG") || bytes.starts_with(b"\xff\xd8\xff")),
        ("is PDF", head.starts_with("%PDF")),
        ("is VDA-FS", head.lines().next().is_some_and(|line| line.contains("HEADER") && line.contains('/'))),
        ("is IGES", head.as_bytes().get(72) == Some(&b'S') && head.as_bytes().get(79) == Some(&b'1')),
    ];
    const EXPECTED: &str =
        "expected STL, OBJ, PLY, glTF, Open Inventor, VRML, URDF or SDF; export it as one of them";
    if let Some((what, _)) = known.iter().find(|(_, is)| *is) {
        let message = format!("{what} and is not read as a mesh: {EXPECTED}");
        return Err(MeshError::new(At::Whole, message));
    }
    if crate::obj::looks_like(bytes) {
        return Ok(Format::Obj);
    }
    let mut message = format!("is of no format that is read: {EXPECTED}");
    if bytes.is_empty() {
        message = format!("is empty: {EXPECTED}");
    } else if let Some((count, there)) = crate::stl::counts(bytes) {
        message.push_str(&format!(
            "; if it is binary STL it is damaged: its head says {count} triangles, there is room for {there}"
        ));
    }
    Err(MeshError::new(At::Whole, message))
}
