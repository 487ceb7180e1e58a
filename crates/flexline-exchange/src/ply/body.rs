//! The elements of a PLY file, one after the other.

use super::header::{Element, Header, Kind, Number};
use crate::mesh::{At, MeshError, shown};

/// No more members than this in one list.
const LONGEST_LIST: f64 = 1e7;

/// What is left to read.
pub(super) struct Body<'a> {
    bytes: &'a [u8],
    kind: Kind,
    from: usize,
    line: usize,
    /// The values of one property.
    values: Vec<f64>,
}

impl<'a> Body<'a> {
    pub(super) fn new(bytes: &'a [u8], header: &Header) -> Self {
        Self { bytes, kind: header.kind, from: header.size, line: header.lines + 1, values: Vec::new() }
    }

    /// Where the next element is.
    pub(super) fn at(&mut self) -> At {
        match self.kind {
            Kind::Ascii => {
                self.skip_space();
                At::Line(self.line)
            }
            _ => At::Byte(self.from),
        }
    }

    /// Reads one element; every property is shown by its number, with its values.
    pub(super) fn element(
        &mut self,
        element: &Element,
        mut see: impl FnMut(usize, &[f64]),
    ) -> Result<(), MeshError> {
        for (i, property) in element.properties.iter().enumerate() {
            let count = match property.list {
                None => 1.0,
                Some(number) => self.number(number, element)?,
            };
            if !((0.0..=LONGEST_LIST).contains(&count) && count.fract() == 0.0) {
                let message =
                    format!("a list of '{}' has {count} members: expected 0 to {LONGEST_LIST}", element.name);
                return Err(MeshError::new(self.at(), message));
            }
            let mut values = std::mem::take(&mut self.values);
            values.clear();
            for _ in 0..count as usize {
                values.push(self.number(property.number, element)?);
            }
            if !values.is_empty() || property.list.is_some() {
                see(i, &values);
            }
            self.values = values;
        }
        Ok(())
    }

    fn number(&mut self, number: Number, element: &Element) -> Result<f64, MeshError> {
        let short = |at| {
            let message = format!(
                "the file ends within its {} elements '{}': it is cut short",
                element.count, element.name
            );
            MeshError::new(at, message)
        };
        if self.kind == Kind::Ascii {
            self.skip_space();
            let rest = &self.bytes[self.from..];
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let at = At::Line(self.line);
            if end == 0 {
                return Err(short(at));
            }
            self.from += end;
            let word = String::from_utf8_lossy(&rest[..end]);
            return word.parse().map_err(|_| MeshError::new(at, format!("'{}' is no number", shown(&word))));
        }
        let size = number.size();
        let own = self.bytes.get(self.from..self.from + size).ok_or_else(|| short(At::Byte(self.from)))?;
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(own);
        if self.kind == Kind::Big {
            bytes[..size].reverse();
        }
        self.from += size;
        Ok(number.value(bytes))
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.bytes.get(self.from).filter(|b| b.is_ascii_whitespace()) {
            self.line += usize::from(*byte == b'\n');
            self.from += 1;
        }
    }
}
