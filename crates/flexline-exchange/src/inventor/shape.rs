//! Shapes of points: faces, strips, grids and lines.

use super::node::Node;
use super::solid;
use super::walk::{State, Walker};
use crate::mesh::{At, MeshError};

/// Shapes that have no triangles here.
const NONE: &str = "AsciiText Text Text2 Text3 PointSet IndexedPointSet MarkerSet IndexedMarkerSet Image NurbsSurface \
    NurbsCurve IndexedNurbsSurface IndexedNurbsCurve Extrusion";

impl Walker<'_> {
    /// Takes a shape; gives whether the node was one.
    pub(super) fn shape(&mut self, node: &Node, state: &State, path: &str) -> Result<bool, MeshError> {
        let kind = node.kind();
        if let Some(solid) = solid::of(node) {
            self.part(state, path, node.at)?;
            let mut own = Vec::with_capacity(solid.points.len());
            for point in &solid.points {
                own.push(self.builder.vertex(state.transform.apply(*point), node.at)?);
            }
            let flip = state.transform.mirrors();
            for triangle in &solid.triangles {
                let [a, b, c] = triangle.map(|i| own[i]);
                self.builder.triangle(if flip { [b, a, c] } else { [a, b, c] }, node.at)?;
            }
            return Ok(true);
        }
        match kind {
            "IndexedFaceSet" | "IndexedTriangleStripSet" | "IndexedTriangleSet" | "IndexedLineSet" => {
                self.indexed(node, state, path)?;
            }
            "FaceSet" | "TriangleStripSet" | "LineSet" => self.counted(node, state, path)?,
            "QuadMesh" => self.grid(node, state, path)?,
            "ElevationGrid" => self.elevation(node, state, path)?,
            _ if NONE.split_whitespace().any(|own| own == kind) => {
                self.builder.leave_out(&format!("shapes '{kind}', which have no triangles here"), node.at);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Faces, strips or lines as lists of points, each ended by a negative number.
    fn indexed(&mut self, node: &Node, state: &State, path: &str) -> Result<(), MeshError> {
        let Some(points) = points_of(node, state)? else { return Ok(()) };
        let Some(indices) = node.numbers("coordIndex") else { return Ok(()) };
        self.visit(indices.len() / 64, node.at)?;
        let mut run: Vec<usize> = Vec::new();
        for index in indices.iter().chain([&-1.0]) {
            if *index < 0.0 {
                self.run(node, state, path, &points, &run)?;
                run.clear();
                continue;
            }
            if index.fract() != 0.0 || *index as usize >= points.count() {
                let message = format!(
                    "coordIndex names the point {index}: there are {}, counted from 0",
                    points.count()
                );
                return Err(MeshError::new(node.at, message));
            }
            run.push(*index as usize);
        }
        Ok(())
    }

    /// Faces, strips or lines of points in their order, so many each.
    fn counted(&mut self, node: &Node, state: &State, path: &str) -> Result<(), MeshError> {
        let Some(points) = points_of(node, state)? else { return Ok(()) };
        let mut from = node.number("startIndex").unwrap_or(0.0).max(0.0) as usize;
        let counts = node.numbers("numVertices").unwrap_or(&[-1.0]);
        self.visit(counts.len() / 64, node.at)?;
        for count in counts {
            let end = if *count < 0.0 { points.count() } else { from.saturating_add(*count as usize) };
            if end > points.count() || from > end {
                let message =
                    format!("{count} points from {from} on are asked for: there are {}", points.count());
                return Err(MeshError::new(node.at, message));
            }
            let run: Vec<usize> = (from..end).collect();
            self.run(node, state, path, &points, &run)?;
            from = end;
        }
        Ok(())
    }

    /// One face, strip or line.
    fn run(
        &mut self,
        node: &Node,
        state: &State,
        path: &str,
        points: &Points,
        run: &[usize],
    ) -> Result<(), MeshError> {
        let at = node.at;
        let place = |i: usize| state.transform.apply(points.get(i));
        if node.kind().ends_with("LineSet") {
            return self.builder.line(path, run.iter().map(|i| place(*i)).collect(), at);
        }
        if run.len() < 3 {
            if !run.is_empty() {
                self.builder.leave_out("faces of fewer than three corners", at);
            }
            return Ok(());
        }
        self.part(state, path, at)?;
        let mut corners = Vec::with_capacity(run.len());
        for i in run {
            corners.push(self.builder.vertex(place(*i), at)?);
        }
        let flip = (state.clockwise || !node.is("ccw", true)) != state.transform.mirrors();
        if node.kind().ends_with("TriangleStripSet") {
            return self.builder.strip(&corners, flip, at);
        }
        if flip {
            corners.reverse();
        }
        if node.kind() == "IndexedTriangleSet" {
            return corners.chunks_exact(3).try_for_each(|c| self.builder.triangle([c[0], c[1], c[2]], at));
        }
        self.builder.polygon(&corners, at)
    }

    /// Rows and columns of points.
    fn grid(&mut self, node: &Node, state: &State, path: &str) -> Result<(), MeshError> {
        let Some(points) = points_of(node, state)? else { return Ok(()) };
        let count = |name: &str, default: f64| node.number(name).unwrap_or(default).max(0.0) as usize;
        let (from, rows, columns) =
            (count("startIndex", 0.0), count("verticesPerColumn", 1.0), count("verticesPerRow", 1.0));
        let all = rows.checked_mul(columns).and_then(|n| n.checked_add(from));
        if all.is_none_or(|all| all > points.count()) {
            let message =
                format!("a grid of {rows} by {columns} points from {from} on: there are {}", points.count());
            return Err(MeshError::new(node.at, message));
        }
        let place = |row: usize, column: usize| points.get(from + row * columns + column);
        self.quads(state, path, node.at, [rows, columns], !state.clockwise, &place)
    }

    /// Heights over a grid in x and z.
    fn elevation(&mut self, node: &Node, state: &State, path: &str) -> Result<(), MeshError> {
        let heights = node.numbers("height").unwrap_or_default();
        let count = |name: &str| node.number(name).unwrap_or(0.0).max(0.0) as usize;
        let (columns, rows) = (count("xDimension"), count("zDimension"));
        if rows.checked_mul(columns).is_none_or(|all| all > heights.len()) {
            let message = format!("a grid of {rows} by {columns} heights: there are {}", heights.len());
            return Err(MeshError::new(node.at, message));
        }
        let step = |name: &str| node.number(name).unwrap_or(1.0);
        let (dx, dz) = (step("xSpacing"), step("zSpacing"));
        let place = |row: usize, column: usize| {
            [dx * column as f64, heights[row * columns + column], dz * row as f64]
        };
        self.quads(state, path, node.at, [rows, columns], !node.is("ccw", true), &place)
    }

    /// The quadrilaterals of a grid, those of a row seen with the next row above them; `turned` turns them over.
    fn quads(
        &mut self,
        state: &State,
        path: &str,
        at: At,
        [rows, columns]: [usize; 2],
        turned: bool,
        place: &dyn Fn(usize, usize) -> [f64; 3],
    ) -> Result<(), MeshError> {
        if rows < 2 || columns < 2 {
            return Ok(());
        }
        self.part(state, path, at)?;
        let mut own = Vec::with_capacity(rows * columns);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            own.push(self.builder.vertex(state.transform.apply(place(row, column)), at)?);
        }
        let flip = turned != state.transform.mirrors();
        for (row, column) in (1..rows).flat_map(|row| (1..columns).map(move |column| (row, column))) {
            let corner = |r: usize, c: usize| own[r * columns + c];
            let mut four = [
                corner(row - 1, column - 1),
                corner(row, column - 1),
                corner(row, column),
                corner(row - 1, column),
            ];
            if flip {
                four.reverse();
            }
            self.builder.polygon(&four, at)?;
        }
        Ok(())
    }
}

/// Points of a node, three or four numbers each.
struct Points<'a> {
    numbers: &'a [f64],
    width: usize,
}

impl Points<'_> {
    fn count(&self) -> usize {
        self.numbers.len() / self.width
    }

    fn get(&self, i: usize) -> [f64; 3] {
        let own = &self.numbers[i * self.width..][..self.width];
        let weight = own.get(3).copied().unwrap_or(1.0);
        [own[0] / weight, own[1] / weight, own[2] / weight]
    }
}

/// The points of a shape: its own, or those of the state.
fn points_of<'a>(node: &'a Node, state: &'a State) -> Result<Option<Points<'a>>, MeshError> {
    let own = node
        .node("coord")
        .or_else(|| node.node("vertexProperty").filter(|own| own.numbers("vertex").is_some()));
    let Some(source) = own.or(state.points.as_ref()) else { return Ok(None) };
    let Some(numbers) = source.numbers("point").or_else(|| source.numbers("vertex")) else { return Ok(None) };
    let width = if source.kind() == "Coordinate4" { 4 } else { 3 };
    if numbers.len() % width != 0 {
        let message = format!("{} numbers are no points of {width} each", numbers.len());
        return Err(MeshError::new(source.at, message));
    }
    Ok(Some(Points { numbers, width }))
}
