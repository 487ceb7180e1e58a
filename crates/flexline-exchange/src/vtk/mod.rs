//! VTK out, for ParaView: a `.vtp` has the cables of one moment as lines with radius and values at their nodes, a `.pvd` names one of
//! them for every time.

use crate::playback::Playback;
use std::fmt::Write as _;

/// The cables of a frame.
pub fn write_vtp(own: &Playback, frame: usize) -> String {
    let points: usize = own.cables.iter().map(|tube| tube.radii.len()).sum();
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n",
    );
    let lines = own.cables.len();
    let _ = writeln!(
        text,
        "  <PolyData>\n    <Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"0\" NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">"
    );
    let nodes = || own.cables.iter().flat_map(|tube| &tube.frames[frame]);
    text.push_str("      <PointData Scalars=\"radius\">\n");
    let radii = own.cables.iter().flat_map(|tube| tube.radii.iter().copied());
    array(&mut text, "Float64", "radius", 1, radii);
    let named = own.cables.iter().find_map(|tube| tube.value.as_ref()).map(|(name, _)| name.clone());
    // Values are those of the first frame.
    if let Some(name) = named.filter(|_| frame == 0) {
        let values = own.cables.iter().flat_map(|tube| {
            let known = tube.value.as_ref().map(|(_, values)| values.clone());
            known.unwrap_or_else(|| vec![f64::NAN; tube.radii.len()])
        });
        array(&mut text, "Float64", &name, 1, values);
    }
    let frames = nodes().flat_map(|(_, q)| [q.w, q.i, q.j, q.k]);
    array(&mut text, "Float64", "frame", 4, frames);
    text.push_str("      </PointData>\n      <CellData>\n");
    array(&mut text, "Int32", "cable", 1, 0..lines);
    text.push_str("      </CellData>\n      <Points>\n");
    array(&mut text, "Float64", "points", 3, nodes().flat_map(|(p, _)| [p.x, p.y, p.z]));
    text.push_str("      </Points>\n      <Lines>\n");
    array(&mut text, "Int64", "connectivity", 1, 0..points);
    let mut end = 0;
    let ends: Vec<usize> = own
        .cables
        .iter()
        .map(|tube| {
            end += tube.radii.len();
            end
        })
        .collect();
    array(&mut text, "Int64", "offsets", 1, ends.into_iter());
    text.push_str("      </Lines>\n    </Piece>\n  </PolyData>\n</VTKFile>\n");
    text
}

fn array<T: std::fmt::Display>(
    text: &mut String,
    kind: &str,
    name: &str,
    width: usize,
    values: impl Iterator<Item = T>,
) {
    let _ = write!(
        text,
        "        <DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"ascii\">"
    );
    for (k, value) in values.enumerate() {
        let _ = write!(text, "{}{value}", if k == 0 { "" } else { " " });
    }
    text.push_str("</DataArray>\n");
}

/// A collection of files, one for every time.
pub fn write_pvd(times: &[f64], file: &dyn Fn(usize) -> String) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n  <Collection>\n",
    );
    for (k, time) in times.iter().enumerate() {
        let _ =
            writeln!(text, "    <DataSet timestep=\"{time}\" group=\"\" part=\"0\" file=\"{}\"/>", file(k));
    }
    text.push_str("  </Collection>\n</VTKFile>\n");
    text
}
