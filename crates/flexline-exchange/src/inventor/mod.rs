//! Open Inventor 2.0 and 2.1, as text and as bytes, VRML 1 and VRML 97, by one reader.
//!
//! All of them are trees of nodes with fields: [`lexer`] and [`parser`] read the text, [`binary`] the bytes, into the nodes of
//! [`node`]. [`walk`] goes through them with the state that they hand on, and takes shapes to where they are in the world.
//! Field values need no table of types in text: a value ends where the next name begins.

mod binary;
mod fields;
mod lexer;
mod node;
mod parser;
mod shape;
pub(crate) mod solid;
mod walk;

use crate::drawing::{Builder, Drawing, Format, Up};
use crate::mesh::{MeshError, text_of};

/// No deeper nesting of nodes than this.
const DEEPEST: usize = 256;

pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Drawing, MeshError> {
    let mut builder = Builder::new(format);
    let nodes = match format {
        Format::InventorBinary => binary::read(bytes, &mut builder)?,
        _ => {
            let latin;
            // Names of older programs are in Latin-1.
            let text = match text_of(bytes) {
                Ok(text) => text,
                Err(_) => {
                    latin = bytes.iter().map(|b| char::from(*b)).collect::<String>();
                    &*latin
                }
            };
            if format == Format::Vrml97 {
                builder.says_unit(1.0);
                // CATIA writes what it has, whatever its axes.
                if !text.lines().take(20).any(|line| line.contains("CATIA")) {
                    builder.says_up(Up::Y);
                }
            }
            parser::read(text, format == Format::Vrml97, &mut builder)?
        }
    };
    walk::walk(&nodes, format == Format::Vrml97, &mut builder)?;
    Ok(builder.finish())
}

#[cfg(test)]
mod tests;
