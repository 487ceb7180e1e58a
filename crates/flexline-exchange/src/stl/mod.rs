//! STL, binary and ASCII.
//!
//! Binary: 80 bytes of anything, the count of triangles, then 50 bytes each: normal, three corners, two bytes of
//! anything. ASCII: `facet … outer loop`, three lines of `vertex x y z`, `endloop endfacet`. Normals are not read: they
//! follow from the corners.

use crate::drawing::{Builder, Drawing, Format};
use crate::mesh::{At, MeshError, number, shown, text_of};

const HEAD: usize = 84;
const FACET: usize = 50;

/// Whether the length of a file is that of a binary STL file. Some of them begin with `solid` as well.
pub(crate) fn is_binary(bytes: &[u8]) -> bool {
    match count(bytes) {
        Some(count) => count.checked_mul(FACET).and_then(|size| size.checked_add(HEAD)) == Some(bytes.len()),
        None => false,
    }
}

fn count(bytes: &[u8]) -> Option<usize> {
    let word: [u8; 4] = bytes.get(80..HEAD)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(word)).ok()
}

/// The triangles that the head of a binary file says, and for how many there is room.
pub(crate) fn counts(bytes: &[u8]) -> Option<(usize, usize)> {
    Some((count(bytes)?, (bytes.len() - HEAD) / FACET))
}

/// Whether a file begins as an ASCII STL file does.
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

pub(crate) fn read_binary(bytes: &[u8]) -> Result<Drawing, MeshError> {
    let mut builder = Builder::new(Format::StlBinary);
    for (i, facet) in bytes[HEAD..].chunks_exact(FACET).enumerate() {
        let mut corners = [0; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            let start = 12 + 12 * k;
            let at = At::Byte(HEAD + FACET * i + start);
            let mut position = [0.0; 3];
            for (axis, x) in position.iter_mut().enumerate() {
                let from = start + 4 * axis;
                let word = [facet[from], facet[from + 1], facet[from + 2], facet[from + 3]];
                *x = f64::from(f32::from_le_bytes(word));
                if !x.is_finite() {
                    return Err(MeshError::new(
                        at,
                        format!("triangle {} has a coordinate that is no number", i + 1),
                    ));
                }
            }
            *corner = builder.vertex(position, at)?;
        }
        builder.triangle(corners, At::Byte(HEAD + FACET * i))?;
    }
    Ok(builder.finish())
}

/// Every `solid` is a part.
pub(crate) fn read_ascii(bytes: &[u8]) -> Result<Drawing, MeshError> {
    let mut builder = Builder::new(Format::StlAscii);
    let mut corners: Vec<u32> = Vec::new();
    let mut open = false;
    for (i, line) in text_of(bytes)?.lines().enumerate() {
        let at = At::Line(i + 1);
        let mut words = line.split_whitespace();
        let Some(word) = words.next() else { continue };
        match word.to_ascii_lowercase().as_str() {
            "facet" => {
                corners.clear();
                open = true;
            }
            "vertex" => {
                if !open {
                    return Err(MeshError::new(at, "there is a vertex outside a facet"));
                }
                let mut position = [0.0; 3];
                for x in &mut position {
                    let word =
                        words.next().ok_or_else(|| MeshError::new(at, "a vertex has three coordinates"))?;
                    *x = number(word, at)?;
                }
                corners.push(builder.vertex(position, at)?);
            }
            "endfacet" => {
                let found = corners.len();
                let three = <[u32; 3]>::try_from(std::mem::take(&mut corners)).map_err(|_| {
                    MeshError::new(at, format!("this facet has {found} vertices: expected 3"))
                })?;
                builder.triangle(three, at)?;
                open = false;
            }
            "solid" => builder.part(&line.trim()[word.len()..].trim().replace('/', "-"), at)?,
            "endsolid" | "outer" | "endloop" => {}
            _ => return Err(MeshError::new(at, format!("'{}' is no word of an STL file", shown(word)))),
        }
    }
    if open {
        return Err(MeshError::new(At::Whole, "ends within a facet: it is cut short"));
    }
    Ok(builder.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;

    const ASCII: &str = "solid two\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
                         endfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex -0 1 0\nendloop\n\
                         endfacet\nendsolid two\n";

    fn binary(facets: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = b"solid, but binary all the same".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((facets.len() as u32).to_le_bytes());
        for facet in facets {
            bytes.extend([0; 12]);
            facet.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    #[test]
    fn both_kinds_give_the_same_welded_mesh() {
        let mesh = Mesh::read(ASCII.as_bytes(), 1e-3).unwrap();
        assert_eq!(mesh.vertices, [[0.0; 3], [1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [1e-3, 1e-3, 0.0]]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
        let (a, b, c, d) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
        assert_eq!(Mesh::read(&binary(&[[a, b, c], [b, d, c]]), 1e-3).unwrap(), mesh);
    }

    #[test]
    fn solids_are_parts() {
        let two = format!("{ASCII}{}", ASCII.replace("two", "an other one"));
        let drawing = read_ascii(two.as_bytes()).unwrap();
        let paths: Vec<&str> = drawing.parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["two", "an other one"]);
        assert_eq!((drawing.triangles(), drawing.unit, drawing.up), (4, None, None));
    }

    #[test]
    fn mistakes_are_located() {
        let wrong = |text: &str| Mesh::read(text.as_bytes(), 1.0).unwrap_err().to_string();
        assert!(
            wrong(&ASCII.replace("vertex 1 1 0", "vertex 1 x 0")).starts_with("line 12 of the mesh: 'x'")
        );
        assert!(wrong(&ASCII.replace("vertex 1 1 0", "vertex 1 nan 0")).contains("'nan' is no number"));
        assert!(wrong(&ASCII.replace("vertex 1 1 0\n", "")).contains("this facet has 2 vertices"));
        assert!(wrong(&ASCII.replace("endloop", "rubbish")).contains("line 7 of the mesh: 'rubbish'"));
        assert!(wrong("solid\nfacet\n").contains("cut short"));
        let mut short = binary(&[[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])[..120].to_vec();
        short[0] = b'x';
        let told = Mesh::read(&short, 1.0).unwrap_err().to_string();
        assert!(told.contains("its head says 1 triangles, there is room for 0"), "{told}");
        let bytes = binary(&[[[0.0; 3], [1.0, f32::NAN, 0.0], [0.0, 1.0, 0.0]]]);
        assert!(
            Mesh::read(&bytes, 1.0).unwrap_err().to_string().starts_with("byte 108 of the mesh: triangle 1")
        );
    }
}
