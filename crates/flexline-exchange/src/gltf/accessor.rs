//! Numbers of a glTF file: accessors of views of buffers, quantised and sparse ones too.

use super::{index, list};
use crate::mesh::{At, MOST_TRIANGLES, MeshError};
use serde_json::Value;
use std::borrow::Cow;

/// No more members than this in one accessor.
const MOST_MEMBERS: usize = 3 * MOST_TRIANGLES;

/// All that numbers are looked up in.
pub(super) struct Accessors<'a> {
    pub(super) root: &'a Value,
    pub(super) buffers: &'a [Cow<'a, [u8]>],
}

/// The type of one number.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Number {
    fn of(code: Option<usize>) -> Option<Self> {
        Some(match code? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number in as many bytes; normalised ones are shares of the largest.
    fn value(self, b: &[u8], normalised: bool) -> f64 {
        let (value, largest) = match self {
            Self::I8 => (f64::from(b[0] as i8), 127.0),
            Self::U8 => (f64::from(b[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            Self::U32 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
            Self::F32 => (f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
        };
        if normalised { (value / largest).max(-1.0) } else { value }
    }
}

impl Accessors<'_> {
    /// Positions: three numbers each.
    pub(super) fn vectors(&self, number: usize) -> Result<Vec<[f64; 3]>, MeshError> {
        let flat = self.all(number, "VEC3", 3)?;
        Ok(flat.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect())
    }

    /// Counts of vertices.
    pub(super) fn indices(&self, number: usize) -> Result<Vec<usize>, MeshError> {
        Ok(self.all(number, "SCALAR", 1)?.into_iter().map(|i| i as usize).collect())
    }

    fn all(&self, number: usize, kind: &str, width: usize) -> Result<Vec<f64>, MeshError> {
        let wrong =
            |message: String| MeshError::new(At::Whole, format!("has an accessor {number} {message}"));
        let accessor =
            list(self.root, "accessors").get(number).ok_or_else(|| wrong("that is not there".into()))?;
        if accessor["type"].as_str() != Some(kind) {
            return Err(wrong(format!("of type {}: expected {kind} here", accessor["type"])));
        }
        let count = index(&accessor["count"]).filter(|count| *count <= MOST_MEMBERS);
        let count = count.ok_or_else(|| {
            wrong(format!("with a count of {}: expected at most {MOST_MEMBERS}", accessor["count"]))
        })?;
        let component = Number::of(index(&accessor["componentType"])).ok_or_else(|| {
            wrong(format!("with numbers of type {}: expected 5120 to 5126", accessor["componentType"]))
        })?;
        let normalised = accessor["normalized"].as_bool().unwrap_or(false);
        let offset = index(&accessor["byteOffset"]).unwrap_or(0);
        let mut values = match index(&accessor["bufferView"]) {
            Some(view) => self.view(view, offset, count, width, component, normalised, true)?,
            None => vec![0.0; count * width],
        };
        let sparse = &accessor["sparse"];
        if sparse.is_object() {
            let changed = index(&sparse["count"])
                .filter(|n| *n <= count)
                .ok_or_else(|| wrong(format!("with {} sparse members of {count}", sparse["count"])))?;
            let part = |key: &str| {
                let view = index(&sparse[key]["bufferView"])
                    .ok_or_else(|| wrong(format!("whose sparse {key} are nowhere")))?;
                Ok((view, index(&sparse[key]["byteOffset"]).unwrap_or(0)))
            };
            let (view, offset) = part("indices")?;
            let own = Number::of(index(&sparse["indices"]["componentType"]))
                .ok_or_else(|| wrong("with sparse indices of no known type".into()))?;
            let places = self.view(view, offset, changed, 1, own, false, false)?;
            let (view, offset) = part("values")?;
            let news = self.view(view, offset, changed, width, component, normalised, false)?;
            for (place, new) in places.iter().zip(news.chunks_exact(width)) {
                let from = *place as usize * width;
                let own = values.get_mut(from..from + width);
                own.ok_or_else(|| wrong(format!("with a sparse member {place} of {count}")))?
                    .copy_from_slice(new);
            }
        }
        Ok(values)
    }

    /// `count` members of `width` numbers each from a view of a buffer.
    #[allow(clippy::too_many_arguments)]
    fn view(
        &self,
        number: usize,
        offset: usize,
        count: usize,
        width: usize,
        component: Number,
        normalised: bool,
        strided: bool,
    ) -> Result<Vec<f64>, MeshError> {
        let wrong =
            |message: String| MeshError::new(At::Whole, format!("has a buffer view {number} {message}"));
        let view =
            list(self.root, "bufferViews").get(number).ok_or_else(|| wrong("that is not there".into()))?;
        for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
            if view["extensions"][name].is_object() {
                let message = format!(
                    "compressed by meshopt ({name}), which is not read: export it without compression"
                );
                return Err(wrong(message));
            }
        }
        let buffer = index(&view["buffer"]).and_then(|i| self.buffers.get(i));
        let buffer = buffer.ok_or_else(|| wrong("of a buffer that is not there".into()))?;
        let start = index(&view["byteOffset"]).unwrap_or(0);
        let length = index(&view["byteLength"]).unwrap_or(0);
        let bytes = start.checked_add(length).and_then(|end| buffer.get(start..end)).ok_or_else(|| {
            wrong(format!(
                "from byte {start} of {length} bytes: its buffer has {}, the file is cut short",
                buffer.len()
            ))
        })?;
        let size = component.size() * width;
        let step = index(&view["byteStride"]).filter(|_| strided).unwrap_or(size);
        let last =
            count.checked_sub(1).and_then(|n| n.checked_mul(step)?.checked_add(offset)?.checked_add(size));
        if count > 0 && !(last.is_some_and(|end| end <= bytes.len()) && step >= size) {
            let message = format!(
                "of {} bytes: {count} members of {size} bytes, {step} apart from byte {offset}, do not fit",
                bytes.len()
            );
            return Err(wrong(message));
        }
        let mut out = Vec::with_capacity(count * width);
        for i in 0..count {
            let own = &bytes[offset + i * step..];
            out.extend((0..width).map(|k| component.value(&own[k * component.size()..], normalised)));
        }
        Ok(out)
    }
}
