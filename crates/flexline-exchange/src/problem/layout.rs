//! How a problem file is laid out: a line for every key, lists of numbers in one line, so that people can read and compare it.

use serde_json::ser::Formatter;
use std::io::{Result, Write};

/// Keys on lines of their own, lists in one.
#[derive(Default)]
pub(super) struct Layout {
    depth: usize,
    /// Whether the object that ends now has keys.
    filled: bool,
}

impl Layout {
    fn begin_line<W: ?Sized + Write>(&self, out: &mut W) -> Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.depth -= 1;
        if self.filled {
            self.begin_line(out)?;
        }
        self.filled = true;
        out.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.begin_line(out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> Result<()> {
        self.filled = true;
        out.write_all(b": ")
    }
}
