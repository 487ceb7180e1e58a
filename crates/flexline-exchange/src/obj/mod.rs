//! OBJ: `v x y z` and `f a b c …`, corners counted from 1 or, below zero, from the last vertex back. Objects and groups are
//! parts, polygons become triangles, `l a b …` are lines. Texture, normals and materials are passed over; what else there
//! is, curves and surfaces, is counted as left out.

use crate::drawing::{Builder, Drawing, Format};
use crate::mesh::{At, MeshError, number, shown, text_of};

/// No more corners than this in one line of the file.
const MOST_CORNERS: usize = 1_000_000;

/// Whether a file begins as OBJ files do.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    const WORDS: [&str; 11] = ["v", "vn", "vt", "vp", "f", "l", "o", "g", "s", "mtllib", "usemtl"];
    let start = &bytes[..bytes.len().min(1 << 16)];
    let text = String::from_utf8_lossy(start);
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    first.and_then(|line| line.split_whitespace().next()).is_some_and(|word| WORDS.contains(&word))
}

pub(crate) fn read(bytes: &[u8]) -> Result<Drawing, MeshError> {
    let mut builder = Builder::new(Format::Obj);
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    let mut object = String::new();
    let mut path = String::new();
    // A line that ends in a backslash goes on in the next.
    let mut held = String::new();
    for (i, line) in text_of(bytes)?.lines().enumerate() {
        let at = At::Line(i + 1);
        let line = line.split('#').next().unwrap_or_default().trim_end();
        if let Some(more) = line.strip_suffix('\\') {
            held.push_str(more);
            held.push(' ');
            continue;
        }
        let whole = if held.is_empty() { line } else { &*format!("{}{line}", std::mem::take(&mut held)) };
        let mut words = whole.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut position = [0.0; 3];
                for x in &mut position {
                    let word =
                        words.next().ok_or_else(|| MeshError::new(at, "a vertex has three coordinates"))?;
                    *x = number(word, at)?;
                }
                vertices.push(position);
            }
            Some("f") => {
                builder.part(&path, at)?;
                let corners: Vec<u32> = words
                    .take(MOST_CORNERS)
                    .map(|word| builder.vertex(corner(word, &vertices, at)?, at))
                    .collect::<Result<_, _>>()?;
                builder.polygon(&corners, at)?;
            }
            Some("l") => {
                let points = words.take(MOST_CORNERS).map(|word| corner(word, &vertices, at));
                builder.line(&path, points.collect::<Result<_, _>>()?, at)?;
            }
            Some(kind @ ("o" | "g")) => {
                let name: Vec<&str> = words.collect();
                let name = name.join(" ").replace('/', "-");
                path = match kind {
                    "g" if name.is_empty() => object.clone(),
                    "g" if !object.is_empty() => format!("{object}/{name}"),
                    "g" => name,
                    _ => {
                        object = name;
                        object.clone()
                    }
                };
            }
            Some("p") => builder.leave_out("points", at),
            Some("curv" | "curv2" | "surf") => builder.leave_out("free-form curves and surfaces", at),
            Some("call") => builder.leave_out("calls of other files, which are not followed", at),
            _ => {}
        }
    }
    Ok(builder.finish())
}

/// The vertex of a corner such as `7`, `7/1`, `7//3` or `-1`.
fn corner(word: &str, vertices: &[[f64; 3]], at: At) -> Result<[f64; 3], MeshError> {
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
        let drawing = read(format!("{SQUARE}f 1/1/1 2//1 3 -1 # all of it\n").as_bytes()).unwrap();
        assert_eq!(drawing.parts[0].vertices.len(), 4);
        assert_eq!(drawing.parts[0].triangles, [[0, 1, 2], [0, 2, 3]]);
        let twice = read(format!("{SQUARE}v 0 0 0\nf 5 2 3\nf 1 3 4\n").as_bytes()).unwrap();
        assert_eq!(twice.parts[0].triangles, [[0, 1, 2], [0, 2, 3]], "equal vertices are welded");
    }

    #[test]
    fn objects_and_groups_are_parts() {
        let text = format!("{SQUARE}f 1 2 3\ng lid\nf 1 3 \\\n4\no other\nf 1 2 4\nl 1 2 -1\np 1\n");
        let drawing = read(text.as_bytes()).unwrap();
        let paths: Vec<&str> = drawing.parts.iter().map(|part| part.path.as_str()).collect();
        assert_eq!(paths, ["square", "square/lid", "other"]);
        assert_eq!(drawing.parts[1].name(), "lid");
        assert_eq!(drawing.lines[0].points, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!((drawing.left_out[0].what.as_str(), drawing.left_out[0].first), ("points", At::Line(16)));
    }

    #[test]
    fn text_of_two_bytes_is_read() {
        let text = format!("{SQUARE}f 1 2 3\n");
        let words: Vec<u8> =
            [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        assert_eq!(Drawing::read(&words).unwrap().triangles(), 1);
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
