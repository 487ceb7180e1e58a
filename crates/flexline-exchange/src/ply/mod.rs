//! PLY: a header that names elements and their properties, then the elements as text or as bytes of either order. Taken are
//! the positions of `vertex`, the polygons of `face` and the strips of `tristrips`; everything else is passed over.

mod body;
mod header;

use crate::drawing::{Builder, Drawing, Format, Part};
use crate::mesh::{At, MeshError};
use body::Body;
use header::{Element, Header};

/// Whether a file begins as PLY files do.
pub(crate) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r")
}

pub(crate) fn read(bytes: &[u8]) -> Result<Drawing, MeshError> {
    let header = Header::read(bytes)?;
    let mut builder = Builder::new(Format::Ply);
    let mut positions: Vec<[f64; 3]> = Vec::new();
    let mut body = Body::new(bytes, &header);
    let mut faces = 0;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => read_vertices(element, &mut body, &mut positions)?,
            "face" | "tristrips" => {
                faces += element.count;
                read_faces(element, &mut body, &positions, &mut builder)?;
            }
            // Elements without properties have no bytes, however many are said to be there.
            _ if element.properties.is_empty() => {}
            other => {
                for _ in 0..element.count {
                    let at = body.at();
                    body.element(element, |_, _| {})?;
                    builder.leave_out(&format!("elements '{other}'"), at);
                }
            }
        }
    }
    if faces == 0 && !positions.is_empty() {
        let message = format!(
            "is a cloud of {} points without faces: expected a surface; mesh it first, with the program of the scanner",
            positions.len()
        );
        return Err(MeshError::new(At::Whole, message));
    }
    Ok(builder.finish())
}

/// Parts as one binary file with positions to the last bit.
pub(crate) fn write(parts: &[Part], place: impl Fn([f64; 3]) -> [f64; 3]) -> Vec<u8> {
    let vertices: usize = parts.iter().map(|part| part.vertices.len()).sum();
    let faces: usize = parts.iter().map(|part| part.triangles.len()).sum();
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\ncomment Flexline\nelement vertex {vertices}\nproperty double x\nproperty double y\n\
         property double z\nelement face {faces}\nproperty list uchar uint vertex_indices\nend_header\n"
    )
    .into_bytes();
    for position in parts.iter().flat_map(|part| &part.vertices) {
        place(*position).iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    let mut first = 0;
    for part in parts {
        for triangle in &part.triangles {
            bytes.push(3);
            triangle.iter().for_each(|i| bytes.extend((first + i).to_le_bytes()));
        }
        first += part.vertices.len() as u32;
    }
    bytes
}

fn read_vertices(element: &Element, body: &mut Body, positions: &mut Vec<[f64; 3]>) -> Result<(), MeshError> {
    let mut places = [0; 3];
    for (place, axis) in places.iter_mut().zip(["x", "y", "z"]) {
        let found = element.properties.iter().position(|own| own.name == axis && own.list.is_none());
        *place = found.ok_or_else(|| {
            let message = format!("vertices have no property '{axis}': expected x, y and z");
            MeshError::new(element.at, message)
        })?;
    }
    for _ in 0..element.count {
        let at = body.at();
        let mut position = [0.0; 3];
        body.element(element, |property, values| {
            for axis in 0..3 {
                if places[axis] == property {
                    position[axis] = values[0];
                }
            }
        })?;
        if position.iter().any(|x| !x.is_finite()) {
            return Err(MeshError::new(
                at,
                "a vertex has a coordinate that is no number: expected finite ones",
            ));
        }
        positions.push(position);
    }
    Ok(())
}

fn read_faces(
    element: &Element,
    body: &mut Body,
    positions: &[[f64; 3]],
    builder: &mut Builder,
) -> Result<(), MeshError> {
    let is_list = |name: &str| name == "vertex_indices" || name == "vertex_index";
    let place = element.properties.iter().position(|own| is_list(&own.name) && own.list.is_some());
    let place = place.ok_or_else(|| {
        MeshError::new(element.at, "faces have no list 'vertex_indices' or 'vertex_index': expected one")
    })?;
    let mut indices: Vec<f64> = Vec::new();
    for _ in 0..element.count {
        let at = body.at();
        body.element(element, |property, values| {
            if property == place {
                indices.clear();
                indices.extend(values);
            }
        })?;
        let vertex = |builder: &mut Builder, index: f64| {
            let known =
                (index >= 0.0 && index.fract() == 0.0).then(|| positions.get(index as usize)).flatten();
            let position = known.ok_or_else(|| {
                let message =
                    format!("vertex {index} is not there: there are {}, counted from 0", positions.len());
                MeshError::new(at, message)
            })?;
            builder.vertex(*position, at)
        };
        if element.name == "face" {
            let corners: Vec<u32> = indices.iter().map(|i| vertex(builder, *i)).collect::<Result<_, _>>()?;
            builder.polygon(&corners, at)?;
        } else {
            for strip in indices.split(|i| *i == -1.0) {
                let corners: Vec<u32> =
                    strip.iter().map(|i| vertex(builder, *i)).collect::<Result<_, _>>()?;
                builder.strip(&corners, false, at)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Up;

    const ASCII: &str = "ply\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty double x\nproperty float y\n\
        property float z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_indices\nelement edge 1\n\
        property int vertex1\nproperty int vertex2\nend_header\n0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1 0 255\n4 0 1 2 3\n0 1\n";

    fn binary(big: bool) -> Vec<u8> {
        let kind = if big { "binary_big_endian" } else { "binary_little_endian" };
        let end = ASCII.find("end_header").unwrap();
        let mut bytes = ASCII[..end].replace("ascii", kind).into_bytes();
        bytes.extend(b"end_header\n");
        let put = |bytes: &mut Vec<u8>, mut own: Vec<u8>| {
            if big {
                own.reverse();
            }
            bytes.extend(own);
        };
        for [x, y] in [[0.0f32, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            put(&mut bytes, f64::from(x).to_le_bytes().to_vec());
            put(&mut bytes, y.to_le_bytes().to_vec());
            put(&mut bytes, 0f32.to_le_bytes().to_vec());
            bytes.push(255);
        }
        bytes.push(4);
        (0..4i32).for_each(|i| put(&mut bytes, i.to_le_bytes().to_vec()));
        [0i32, 1].into_iter().for_each(|i| put(&mut bytes, i.to_le_bytes().to_vec()));
        bytes
    }

    #[test]
    fn all_three_kinds_say_the_same() {
        let text = Drawing::read(ASCII.as_bytes()).unwrap();
        assert_eq!(text.parts[0].triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(text.parts[0].vertices[2], [1.0, 1.0, 0.0]);
        assert_eq!(
            (text.left_out[0].what.as_str(), text.left_out[0].first),
            ("elements 'edge'", At::Line(20))
        );
        for big in [false, true] {
            assert_eq!(Drawing::read(&binary(big)).unwrap().parts, text.parts, "{big}");
        }
        let returns = ASCII.replace('\n', "\r\n");
        assert_eq!(Drawing::read(returns.as_bytes()).unwrap().parts, text.parts);
    }

    #[test]
    fn what_is_written_comes_back() {
        let text = Drawing::read(ASCII.as_bytes()).unwrap();
        let both = [
            text.parts[0].clone(),
            Part {
                vertices: vec![[0.1; 3], [5.0; 3], [1e-3, 0.0, 7.0]],
                triangles: vec![[0, 1, 2]],
                ..Part::default()
            },
        ];
        let back = Drawing::read(&Part::to_ply(&both, 0.1, Up::Y)).unwrap();
        assert_eq!(back.triangles(), 3);
        assert_eq!(back.parts[0].vertices[4], [0.1 * 0.1, -0.1 * 0.1, 0.1 * 0.1]);
    }

    #[test]
    fn strips_turn_to_and_fro() {
        let text =
            ASCII.replace("element face 1", "element tristrips 1").replace("4 0 1 2 3", "8 0 1 3 2 -1 0 2 1");
        let drawing = Drawing::read(text.as_bytes()).unwrap();
        assert_eq!(drawing.triangles(), 3);
        let health = crate::drawing::health(&drawing.parts).unwrap().surface;
        assert_eq!(health.inconsistent_edges, 0);
    }

    #[test]
    fn mistakes_are_located() {
        let wrong =
            |from: &str, to: &str| Drawing::read(ASCII.replace(from, to).as_bytes()).unwrap_err().to_string();
        assert!(
            wrong("1 1 0 255", "1 nan 0 255").starts_with("line 17 of the mesh"),
            "{}",
            wrong("1 1 0 255", "1 nan 0 255")
        );
        assert!(wrong("4 0 1 2 3", "4 0 1 2 4").contains("vertex 4 is not there: there are 4"));
        assert!(wrong("4 0 1 2 3", "2 0 1").contains("a face of 2 corners"));
        assert!(
            wrong("format ascii 1.0", "format ebcdic 1.0")
                .contains("line 2 of the mesh: the format is 'ebcdic'")
        );
        assert!(wrong("property double x", "property quad x").contains("'quad' is no type"));
        assert!(wrong("property double x", "property double w").contains("no property 'x'"));
        assert!(wrong("element vertex 4", "element vertex 4000000000000").contains("cut short"));
        assert!(wrong("end_header", "end").contains("'end' is no word"));
        let cloud = &ASCII
            .replace("element face 1\nproperty list uchar int vertex_indices\n", "")
            .replace("4 0 1 2 3\n", "");
        assert!(Drawing::read(cloud.as_bytes()).unwrap_err().to_string().contains("cloud of 4 points"));
        let whole = binary(true);
        let short = Drawing::read(&whole[..whole.len() - 20]).unwrap_err().to_string();
        assert!(short.contains("cut short"), "{short}");
    }
}
