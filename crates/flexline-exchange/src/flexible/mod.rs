//! Flexibilisation: a tessellated hose or harness becomes cables (dissertation of Grégoire, chapter 8).
//!
//! Topology comes from rings of equal distance on the surface (`levels`), geometry from a fit of a spline centreline and
//! radius to the vertices (`fit`). What is no cable is left out with the reason.

mod fit;
mod graph;
mod grow;
#[cfg(test)]
mod junctions;
mod levels;
mod rings;
mod scene;
mod section;
mod soup;
mod spline;
mod strand;
mod stretch;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use flexline::Vec3;

use graph::Piece;
pub use scene::Rest;
use soup::Soup;
use strand::Strand;
pub use stretch::Stretch;

/// What a mesh was made into.
#[derive(Clone, Debug, Default)]
pub struct Flexible {
    /// Ends and junctions.
    pub nodes: Vec<Node>,
    /// Cables between nodes.
    pub spans: Vec<Span>,
    /// Triangles of the input that are no part of a cable and stay an obstacle.
    pub remainder: Vec<u32>,
    /// What was left out, mended or guessed.
    pub warnings: Vec<String>,
    /// Why there is no cable in it, where there is none.
    pub refused: Option<String>,
}

/// An end of a cable or a place where cables meet.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Position.
    pub at: Vec3,
    /// Cables meet here.
    pub junction: bool,
}

/// A cable between two nodes.
#[derive(Clone, Debug)]
pub struct Span {
    /// Nodes at its start and end.
    pub nodes: [usize; 2],
    /// Arc length of the fitted centreline.
    pub length: f64,
    /// Points of the centreline, so many that chords keep within a two hundredth of the radius.
    pub points: Vec<Vec3>,
    /// Arc length at each point.
    pub arc: Vec<f64>,
    /// Radius at each point, of the circle with the area of the section.
    pub radius: Vec<f64>,
    /// Semi-axes of the section at each point and the direction of the larger, where it is no circle; else empty.
    pub ellipse: Vec<([f64; 2], Vec3)>,
    /// Directions at its start and end, both along the cable.
    pub tangents: [Vec3; 2],
    /// Root mean square distance of the vertices from the fitted surface, in radii, without outliers.
    pub residual: f64,
    /// Stretches without a surface, from and to in arc length: bridged smoothly.
    pub gaps: Vec<[f64; 2]>,
    /// Radius of its bore, where the mesh has an inner surface.
    pub bore: Option<f64>,
}

/// Makes cables of triangles. Positions in metres.
pub fn cables(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Flexible {
    let mut flexible = Flexible::default();
    let sound = |t: &&[u32; 3]| {
        t.iter().all(|v| vertices.get(*v as usize).is_some_and(|p| p.iter().all(|x| x.is_finite())))
    };
    if triangles.iter().filter(sound).count() < triangles.len() || triangles.is_empty() {
        flexible.refused = Some("there are no triangles, or some have corners that are no points".to_owned());
        return flexible;
    }
    let soup = Soup::new(vertices, triangles);
    let mut nodes = Vec::new();
    let mut pieces = Vec::new();
    let mut objections = Vec::new();
    let bodies = soup.bodies();
    for (k, body) in bodies.iter().enumerate() {
        match pieces_of(&soup, body, &mut nodes) {
            Ok(found) => pieces.extend(found.into_iter().map(|piece| Piece { bodies: vec![k], ..piece })),
            Err(why) => objections.push((body.len(), why)),
        }
    }
    flexible.warnings.extend(graph::set_coaxial_aside(&mut pieces));
    flexible.warnings.extend(graph::set_fittings_aside(&mut pieces));
    graph::join_branches(&mut pieces, &mut nodes);
    flexible.warnings.extend(graph::bridge_gaps(&mut pieces));
    let mut taken = vec![false; bodies.len()];
    pieces.iter().flat_map(|p| &p.bodies).for_each(|b| taken[*b] = true);
    let left = || bodies.iter().zip(&taken).filter(|b| !b.1).flat_map(|b| b.0);
    flexible.remainder = left().map(|t| soup.origin[*t as usize]).collect();
    flexible.remainder.sort_unstable();
    tell_of(&soup, &objections, &mut flexible.warnings);
    if pieces.is_empty() {
        let reason = objections.into_iter().max_by_key(|o| o.0).map(|o| o.1);
        flexible.refused = Some(reason.unwrap_or_else(|| "there is no surface of a cable in it".to_owned()));
        return flexible;
    }
    flexible.nodes = nodes.into_iter().map(|at| Node { at, junction: false }).collect();
    for piece in &mut pieces {
        for side in 0..2 {
            if piece.nodes[side].is_none() {
                piece.nodes[side] = Some(flexible.nodes.len());
                flexible.nodes.push(Node { at: piece.end(side).0, junction: false });
            }
        }
        flexible.spans.extend(spans_of(piece));
    }
    flexible.drop_unused_nodes();
    for k in 0..flexible.nodes.len() {
        let degree = flexible.spans.iter().flat_map(|s| s.nodes).filter(|n| *n == k).count();
        flexible.nodes[k].junction = degree > 2;
    }
    flexible
}

/// What was wrong with the triangles and which bodies are no cables.
fn tell_of(soup: &Soup, objections: &[(usize, String)], warnings: &mut Vec<String>) {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    if soup.doubled > 0 {
        warnings.push(format!(
            "{} left out",
            count(soup.doubled, "doubled triangle was", "doubled triangles were")
        ));
    }
    if soup.degenerate > 0 {
        let what = count(
            soup.degenerate,
            "triangle that is a line or a point was",
            "triangles that are lines or points were",
        );
        warnings.push(format!("{what} left out"));
    }
    let stray = objections.iter().filter(|o| o.0 < FEWEST).count();
    if stray > 0 {
        warnings.push(format!("{} in no body", count(stray, "stray piece is", "stray pieces are")));
    }
    let mut reasons: Vec<&(usize, String)> = objections.iter().filter(|o| o.0 >= FEWEST).collect();
    reasons.sort_by_key(|r| std::cmp::Reverse(r.0));
    if let Some((triangles, why)) = reasons.first() {
        let bodies = count(reasons.len(), "body is no cable and stays", "bodies are no cables and stay");
        warnings.push(format!("{bodies} an obstacle; the largest, of {triangles} triangles: {why}"));
    }
}

/// Fewer triangles are not a body.
const FEWEST: usize = 8;
/// So many radii of the thickest from where cables meet every one of them has a surface of its own.
const OWN: f64 = 2.5;

/// The cables of one body, or why it has none.
fn pieces_of(soup: &Soup, body: &[u32], nodes: &mut Vec<Vec3>) -> Result<Vec<Piece>, String> {
    let no = |why: &str| Err(why.to_owned());
    if body.len() < FEWEST {
        return no("it has too few triangles to be round");
    }
    let (raw, kept) = soup.divided(body, f64::INFINITY);
    let rims = strand::rims(&raw, kept);
    let (extent, area) = levels::extent(&raw);
    let radius = area / (std::f64::consts::TAU * extent);
    if extent <= 0.0 || radius <= 1e-4 * extent {
        return no("it has no thickness");
    }
    let (part, kept) = soup.divided(body, 0.5 * radius);
    let skeleton = levels::skeleton(&part, radius, 0.9 * radius);
    let mut seen = vec![false; kept];
    let inner = strand::inner_surface(&part, &skeleton);
    for (t, _) in inner.iter().enumerate().filter(|i| *i.1) {
        for v in part.triangles[t].into_iter().filter(|v| (*v as usize) < kept) {
            seen[v as usize] = true;
        }
    }
    let bore: Vec<Vec3> = (0..kept).filter(|v| seen[*v]).map(|v| part.vertices[v]).collect();
    let first = nodes.len();
    nodes.extend(skeleton.branches.iter().map(|b| b.centre));
    let mut pieces: Vec<Piece> = Vec::new();
    let mut same: Vec<usize> = (0..skeleton.branches.len()).collect();
    for chain in &skeleton.chains {
        let strand = Strand::new(chain, &part, kept, &rims, &mut seen);
        let fitted = strand.and_then(|s| Some((s.fit([None, None], chain.branches == [None, None])?, s)));
        let Some((fit, strand)) = fitted else {
            // No cable is between these two branches: they are one.
            if let [Some(a), Some(b)] = chain.branches {
                let (stays, gone) = (same[a].min(same[b]), same[a].max(same[b]));
                same.iter_mut().filter(|s| **s == gone).for_each(|s| *s = stays);
            }
            continue;
        };
        let mut piece = Piece::new(strand, fit, chain.branches.map(|b| b.map(|b| first + b)));
        piece.measure_bore(&bore);
        if chain.closed {
            nodes.push(piece.end(0).0);
            piece.nodes = [Some(nodes.len() - 1); 2];
        }
        pieces.push(piece);
    }
    let one = |n: usize| first + same.get(n - first).copied().unwrap_or(n - first);
    pieces.iter_mut().for_each(|p| p.nodes = p.nodes.map(|n| n.map(one)));
    if let Some(why) = graph::objection(&pieces) {
        nodes.truncate(first);
        return no(&why);
    }
    // Where cables meet: the point nearest to all of them, as they go where the surface is still their own. They are led there
    // when it is known; before, a wrong place would bend them towards itself.
    for _ in 0..3 {
        for k in 0..skeleton.branches.len() {
            let ends = pieces.iter().flat_map(|p| [(p, 0), (p, 1)]);
            let here = ends.filter(|(p, side)| p.nodes[*side] == Some(first + k) && !p.strand.closed);
            let here: Vec<(&Piece, usize)> = here.collect();
            let clear = OWN * here.iter().map(|h| h.0.radius()).fold(0.0, f64::max);
            let arcs: Vec<_> =
                here.iter().map(|(p, side)| p.leaving(*side, nodes[first + k], clear)).collect();
            nodes[first + k] = graph::meeting(&arcs, nodes[first + k]);
        }
    }
    grow::into_junctions(&mut pieces, nodes, first, &part.vertices[..kept]);
    for piece in pieces.iter_mut().filter(|p| p.nodes != [None, None] && !p.strand.closed) {
        let pins = piece.nodes.map(|n| n.map(|n| nodes[n]));
        if let Some(fit) = piece.strand.fit(pins, true) {
            piece.fit = fit;
        }
    }
    Ok(pieces)
}

/// A piece as cables: one more than it has cuts.
fn spans_of(piece: &mut Piece) -> Vec<Span> {
    piece.cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut stops = vec![(piece.fit.from, piece.nodes[0])];
    stops.extend(piece.cuts.iter().map(|c| (c.0, Some(c.1))));
    stops.push((piece.fit.to, piece.nodes[1]));
    let pairs = stops.windows(2);
    pairs.filter_map(|w| Some(span_of(piece, w[0].0, w[1].0, [w[0].1?, w[1].1?]))).collect()
}

/// A fitted tube as points.
fn span_of(piece: &Piece, from: f64, to: f64, nodes: [usize; 2]) -> Span {
    let fit = &piece.fit;
    let tube = &fit.tube;
    let radius = fit.mean_radius();
    let width = to - from;
    let tightest = (0..=400)
        .map(|i| {
            let u = from + width * f64::from(i) / 400.0;
            tube.slope(u).cross(&tube.bend(u)).norm() / tube.slope(u).norm().powi(3).max(f64::MIN_POSITIVE)
        })
        .fold(0.0, f64::max);
    let length = tube.length(from, to);
    // A chord of length h is off by κ h²/8.
    let step = (8.0 * 0.002 * radius / tightest.max(1e-9)).sqrt();
    let count = ((length / step).ceil() as usize).clamp(32, 4000);
    let at = |i: usize| from + width * i as f64 / count as f64;
    let mut arc = vec![0.0; count + 1];
    for i in 1..=count {
        arc[i] = arc[i - 1] + tube.length(at(i - 1), at(i));
    }
    let inliers: Vec<f64> =
        fit.residuals.iter().filter(|e| e.abs() < 5.0 * fit.scale).map(|e| e * e).collect();
    Span {
        nodes,
        length: arc[count],
        points: (0..=count).map(|i| tube.at(at(i))).collect(),
        arc,
        radius: (0..=count).map(|i| fit.radius(at(i))).collect(),
        ellipse: if fit.shapes.is_empty() {
            Vec::new()
        } else {
            (0..=count).filter_map(|i| fit.ellipse(at(i))).collect()
        },
        tangents: [tube.tangent(from), tube.tangent(to)],
        residual: (inliers.iter().sum::<f64>() / inliers.len().max(1) as f64).sqrt() / radius,
        bore: piece.bore,
        gaps: piece
            .gaps
            .iter()
            .filter(|g| g.1 > from && g.0 < to)
            .map(|g| [tube.length(from, g.0.max(from)), tube.length(from, g.1.min(to))])
            .collect(),
    }
}

impl Flexible {
    /// Nodes at which nothing ends: of branches that turned out to be one.
    fn drop_unused_nodes(&mut self) {
        let used = |k: usize| self.spans.iter().any(|s| s.nodes.contains(&k));
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|k| used(*k)).collect();
        self.nodes = kept.iter().map(|k| self.nodes[*k].clone()).collect();
        for span in &mut self.spans {
            span.nodes = span.nodes.map(|n| kept.partition_point(|k| *k < n));
        }
    }

    /// What `flexline import --as cable --json` prints.
    pub fn to_json(&self, seconds: f64) -> serde_json::Value {
        use serde_json::json;
        let xyz = |p: &Vec3| json!([p.x, p.y, p.z]);
        if let Some(reason) = &self.refused {
            return json!({ "status": "refused", "reason": reason, "warnings": self.warnings, "seconds": seconds });
        }
        let nodes = self.nodes.iter().enumerate();
        let nodes = nodes.map(|(i, n)| {
            json!({ "id": i, "at": xyz(&n.at), "kind": if n.junction { "junction" } else { "end" } })
        });
        let edges = self.spans.iter().map(|s| {
            json!({
                "a": s.nodes[0], "b": s.nodes[1], "length": s.length,
                "centreline": s.points.iter().map(xyz).collect::<Vec<_>>(),
                "s": s.arc, "radius": s.radius, "residual": s.residual, "inner_radius": s.bore,
                "semi_axes": s.ellipse.iter().map(|e| e.0).collect::<Vec<_>>(),
                "tangents": s.tangents.iter().map(xyz).collect::<Vec<_>>(),
                "gaps": s.gaps,
            })
        });
        json!({
            "status": "cables", "unit": "m",
            "nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>(),
            "remainder": self.remainder.len(), "warnings": self.warnings, "seconds": seconds,
        })
    }
}
