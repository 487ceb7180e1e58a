//! OBJ: `v x y z` and `f a b c …`, corners counted from 1 or, below zero, from the last vertex back. Polygons become fans
//! of triangles. Everything else, texture, normals, groups and materials, is passed over.

use crate::mesh::{At, Mesh, MeshError, Welder, number, shown, text_of};

/// No more corners than this in one polygon.
const MOST_CORNERS: usize = 10_000;

/// Whether a file begins as OBJ files do.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    const WORDS: [&str; 10] = ["v", "vn", "vt", "vp", "f", "o", "g", "s", "mtllib", "usemtl"];
    let start = &bytes[..bytes.len().min(1 << 16)];
    let text = String::from_utf8_lossy(start);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.and_then(|line| line.split_whitespace().next()).is_some_and(|word| WORDS.contains(&word))
}

pub(crate) fn read(bytes: &[u8]) -> Result<Mesh, MeshError> {
    let mut welder = Welder::default();
    let mut vertices: Vec<u32> = Vec::new();
    for (i, line) in text_of(bytes)?.lines().enumerate() {
        let at = At::Line(i + 1);
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        match words.next() {
            Some("v") => {
                let mut position = [0.0; 3];
                for x in &mut position {
                    let word =
                        words.next().ok_or_else(|| MeshError::new(at, "a vertex has three coordinates"))?;
                    *x = number(word, at)?;
                }
                vertices.push(welder.vertex(position));
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .take(MOST_CORNERS + 1)
                    .map(|word| corner(word, &vertices, at))
                    .collect::<Result<_, _>>()?;
                if !(3..=MOST_CORNERS).contains(&corners.len()) {
                    let message =
                        format!("a face of {} corners: expected 3 to {MOST_CORNERS}", corners.len());
                    return Err(MeshError::new(at, message));
                }
                for pair in corners[1..].windows(2) {
                    welder.triangle([corners[0], pair[0], pair[1]], at)?;
                }
            }
            _ => {}
        }
    }
    Ok(welder.finish())
}

/// The vertex of a corner such as `7`, `7/1`, `7//3` or `-1`.
fn corner(word: &str, vertices: &[u32], at: At) -> Result<u32, MeshError> {
    let count = vertices.len();
    let index = word.split('/').next().and_then(|number| number.parse::<i64>().ok());
    let index =
        index.ok_or_else(|| MeshError::new(at, format!("'{}' is no corner of a face", shown(word))))?;
    let place = match index {
        1.. => usize::try_from(index - 1).ok(),
        _ => usize::try_from(index.unsigned_abs())
            .ok()
            .filter(|back| *back > 0)
            .and_then(|back| count.checked_sub(back)),
    };
    place.and_then(|place| vertices.get(place)).copied().ok_or_else(|| {
        MeshError::new(at, format!("vertex {index} is not there: {count} stand before this line"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = "# a square\no square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\ns off\n";

    #[test]
    fn polygons_become_triangles() {
        let mesh = read(format!("{SQUARE}f 1/1/1 2//1 3 -1 # all of it\n").as_bytes()).unwrap();
        assert_eq!(mesh.vertices.len(), 4);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        let twice = read(format!("{SQUARE}v 0 0 0\nf 5 2 3\n").as_bytes()).unwrap();
        assert_eq!(
            (twice.vertices.len(), twice.triangles),
            (4, vec![[0, 1, 2]]),
            "equal vertices are welded"
        );
    }

    #[test]
    fn mistakes_are_located() {
        let wrong = |line: &str| read(format!("{SQUARE}{line}\n").as_bytes()).unwrap_err().to_string();
        assert_eq!(wrong("f 1 2 9"), "line 9 of the mesh: vertex 9 is not there: 4 stand before this line");
        assert!(wrong("f 1 2 0").contains("vertex 0 is not there"));
        assert!(wrong("f 1 2 -5").contains("vertex -5 is not there"));
        assert!(wrong("f 1 2").contains("a face of 2 corners"));
        assert!(wrong("f 1 2 x").contains("'x' is no corner"));
        assert!(wrong("v 1 inf 0").contains("'inf' is no number"));
        assert!(wrong("v 1 2").contains("three coordinates"));
    }
}
