//! The header of a PLY file.

use crate::mesh::{At, MeshError, shown};

/// No longer header than this, in bytes.
const LONGEST: usize = 1 << 16;

/// How elements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ascii,
    Little,
    Big,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Number {
    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of one.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number in as many bytes, the lowest first.
    pub(super) fn value(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Self::I8 => f64::from(a as i8),
            Self::U8 => f64::from(a),
            Self::I16 => f64::from(i16::from_le_bytes([a, b])),
            Self::U16 => f64::from(u16::from_le_bytes([a, b])),
            Self::I32 => f64::from(i32::from_le_bytes([a, b, c, d])),
            Self::U32 => f64::from(u32::from_le_bytes([a, b, c, d])),
            Self::F32 => f64::from(f32::from_le_bytes([a, b, c, d])),
            Self::F64 => f64::from_le_bytes(bytes),
        }
    }
}

/// A property of an element.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    /// The type of the count, where it is a list.
    pub(super) list: Option<Number>,
    pub(super) number: Number,
}

/// A kind of element.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: usize,
    pub(super) properties: Vec<Property>,
    /// Where it is declared.
    pub(super) at: At,
}

/// What a header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) elements: Vec<Element>,
    /// Where the body begins.
    pub(super) size: usize,
    /// Lines of the header.
    pub(super) lines: usize,
}

impl Header {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, MeshError> {
        let mut kind = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut from = 0;
        for lines in 1.. {
            let at = At::Line(lines);
            let rest = &bytes[from..];
            let end = rest.iter().take(LONGEST).position(|b| *b == b'\n' || *b == b'\r');
            let Some(end) = end.filter(|_| from < LONGEST) else {
                return Err(MeshError::new(at, "the header has no 'end_header': it is cut short, or no PLY"));
            };
            let line = String::from_utf8_lossy(&rest[..end]);
            from += end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["ply"] if lines == 1 => {}
                [] | ["comment" | "obj_info", ..] => {}
                ["format", word, ..] => kind = Some(format(word, at)?),
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| {
                        MeshError::new(at, format!("'{}' is no count of elements", shown(count)))
                    })?;
                    elements.push(Element { name: name.into(), count, properties: Vec::new(), at });
                }
                ["property", "list", count, number, name] => {
                    let list = Some(type_of(count, at)?);
                    let own = Property { name: name.into(), list, number: type_of(number, at)? };
                    put(&mut elements, own, at)?;
                }
                ["property", number, name] => {
                    let own = Property { name: name.into(), list: None, number: type_of(number, at)? };
                    put(&mut elements, own, at)?;
                }
                ["end_header"] => {
                    let kind = kind.ok_or_else(|| {
                        MeshError::new(
                            at,
                            "the header has no line 'format': expected 'format ascii 1.0' or a binary one",
                        )
                    })?;
                    return Ok(Self { kind, elements, size: from, lines });
                }
                [word, ..] => {
                    let message = format!("'{}' is no word of a PLY header here", shown(word));
                    return Err(MeshError::new(at, message));
                }
            }
        }
        Err(MeshError::new(At::Whole, "has no end of its header"))
    }
}

fn format(word: &str, at: At) -> Result<Kind, MeshError> {
    match word {
        "ascii" => Ok(Kind::Ascii),
        "binary_little_endian" => Ok(Kind::Little),
        "binary_big_endian" => Ok(Kind::Big),
        other => {
            let message = format!(
                "the format is '{}': expected ascii, binary_little_endian or binary_big_endian",
                shown(other)
            );
            Err(MeshError::new(at, message))
        }
    }
}

fn type_of(word: &str, at: At) -> Result<Number, MeshError> {
    Number::of(word).ok_or_else(|| {
        MeshError::new(
            at,
            format!("'{}' is no type of a property: expected float, uchar, int, …", shown(word)),
        )
    })
}

fn put(elements: &mut [Element], property: Property, at: At) -> Result<(), MeshError> {
    let last = elements.last_mut();
    last.ok_or_else(|| MeshError::new(at, "there is a property before any element"))?
        .properties
        .push(property);
    Ok(())
}
