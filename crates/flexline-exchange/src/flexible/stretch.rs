//! Partial flexibilisation: the stretch between two places picked on the surface becomes a cable, the rest is cut off there
//! and stays as it is.

use std::collections::{BinaryHeap, HashMap};

use flexline::Vec3;

use super::{Flexible, Node, Span};

/// Points of a centreline that share a ball around them.
const CHUNK: usize = 16;
/// A pick may be this far off the surface, in radii.
const OFF: f64 = 1.0;

/// A stretch that was made flexible, and the surface without it.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// One cable, from the first pick to the second.
    pub flexible: Flexible,
    /// Vertices of what stays.
    pub vertices: Vec<Vec3>,
    /// Triangles of what stays, cut at the picked sections.
    pub triangles: Vec<[u32; 3]>,
}

/// A place on a cable.
#[derive(Clone, Copy, Debug)]
struct Place {
    span: usize,
    s: f64,
    /// From the surface; inside it below zero.
    height: f64,
    radius: f64,
}

/// A stretch of a span on the way, in its direction.
#[derive(Clone, Copy, Debug)]
struct Leg {
    span: usize,
    from: f64,
    to: f64,
}

impl Leg {
    fn sense(&self) -> f64 {
        if self.to < self.from { -1.0 } else { 1.0 }
    }
}

impl Flexible {
    /// The stretch between two places on the surface of these cables. `vertices` and `triangles` are what they were made of.
    pub fn between(
        &self,
        vertices: &[Vec3],
        triangles: &[[u32; 3]],
        picks: [Vec3; 2],
    ) -> Result<Stretch, String> {
        if let Some(reason) = &self.refused {
            return Err(reason.clone());
        }
        let near = Near::new(&self.spans);
        let mut places = Vec::new();
        for (pick, word) in picks.iter().zip(["first", "second"]) {
            let place = near.place(pick, &|_| true).ok_or("there is no cable in it")?;
            if place.height > OFF * place.radius || !pick.iter().all(|x| x.is_finite()) {
                return Err(format!(
                    "the {word} pick is {:.1} mm off the nearest cable: pick a place on its surface",
                    1e3 * place.height
                ));
            }
            places.push(self.snapped(place));
        }
        let (places, open): (Vec<Place>, Vec<bool>) = places.into_iter().unzip();
        let legs = self.way(&places[0], &places[1]).ok_or_else(|| self.apart(&near, &places))?;
        let span = self.joined(&legs);
        let radius = span.radius.iter().copied().fold(0.0, f64::max);
        if span.length < radius {
            return Err(format!(
                "the picks are {:.1} mm apart along the cable: a stretch is longer than its radius, {:.1} mm",
                1e3 * span.length,
                1e3 * radius
            ));
        }
        let cut = Cut { legs: &legs, length: span.length, ends: self.sections(&legs, &span), open };
        let kept = self.kept(vertices, triangles, &near, &cut);
        let mut warnings = self.warnings.clone();
        let leaving = self.leaving(&legs);
        if leaving > 0 {
            warnings.push(if leaving == 1 {
                "1 cable leaves the stretch and stays where it is".to_owned()
            } else {
                format!("{leaving} cables leave the stretch and stay where they are")
            });
        }
        let ends = [span.points[0], span.points[span.points.len() - 1]];
        let flexible = Flexible {
            nodes: ends.map(|at| Node { at, junction: false }).to_vec(),
            spans: vec![span],
            remainder: Vec::new(),
            warnings,
            refused: None,
        };
        Ok(Stretch { flexible, vertices: kept.vertices, triangles: kept.triangles })
    }

    /// A place near the end of a cable is its end: there nothing is cut.
    fn snapped(&self, place: Place) -> (Place, bool) {
        let span = &self.spans[place.span];
        let free = |n: usize| self.spans.iter().flat_map(|s| s.nodes).filter(|m| *m == n).count() == 1;
        for (node, s) in [(span.nodes[0], 0.0), (span.nodes[1], span.length)] {
            if free(node) && (place.s - s).abs() <= place.radius {
                return (Place { s, ..place }, true);
            }
        }
        (place, false)
    }

    /// The shortest way along cables (Dijkstra 1959); `None` where there is none.
    fn way(&self, a: &Place, b: &Place) -> Option<Vec<Leg>> {
        let ends = |p: &Place| {
            let span = &self.spans[p.span];
            [(span.nodes[0], 0.0), (span.nodes[1], span.length)]
        };
        let mut best = vec![(f64::INFINITY, Vec::new()); self.nodes.len()];
        let mut queue = BinaryHeap::new();
        let offer = |best: &mut Vec<(f64, Vec<Leg>)>,
                     queue: &mut BinaryHeap<(std::cmp::Reverse<u64>, usize)>,
                     node: usize,
                     way: f64,
                     legs: Vec<Leg>| {
            if way < best[node].0 {
                best[node] = (way, legs);
                // Bits of positive numbers have their order.
                queue.push((std::cmp::Reverse(way.to_bits()), node));
            }
        };
        for (node, s) in ends(a) {
            let leg = Leg { span: a.span, from: a.s, to: s };
            offer(&mut best, &mut queue, node, (s - a.s).abs(), vec![leg]);
        }
        while let Some((std::cmp::Reverse(bits), node)) = queue.pop() {
            let (way, legs) = best[node].clone();
            if bits != way.to_bits() {
                continue;
            }
            for (k, span) in self.spans.iter().enumerate() {
                for (here, there, from, to) in [(0, 1, 0.0, span.length), (1, 0, span.length, 0.0)] {
                    if span.nodes[here] == node {
                        let more = legs.iter().copied().chain([Leg { span: k, from, to }]).collect();
                        offer(&mut best, &mut queue, span.nodes[there], way + span.length, more);
                    }
                }
            }
        }
        let mut found: Option<(f64, Vec<Leg>)> = None;
        if a.span == b.span {
            found = Some(((a.s - b.s).abs(), vec![Leg { span: a.span, from: a.s, to: b.s }]));
        }
        for (node, s) in ends(b) {
            let way = best[node].0 + (s - b.s).abs();
            if way.is_finite() && found.as_ref().is_none_or(|f| way < f.0) {
                let last = Leg { span: b.span, from: s, to: b.s };
                found = Some((way, best[node].1.iter().copied().chain([last]).collect()));
            }
        }
        let legs = found?.1;
        let some: Vec<Leg> = legs.iter().copied().filter(|leg| leg.from != leg.to).collect();
        Some(if some.is_empty() { legs } else { some })
    }

    /// Why there is no way, with the nearest distance.
    fn apart(&self, near: &Near, places: &[Place]) -> String {
        let mut of = vec![false; self.spans.len()];
        let mut next = vec![places[0].span];
        while let Some(k) = next.pop() {
            if !std::mem::replace(&mut of[k], true) {
                let meets = |j: &usize| {
                    !of[*j] && self.spans[*j].nodes.iter().any(|n| self.spans[k].nodes.contains(n))
                };
                next.extend((0..self.spans.len()).filter(meets));
            }
        }
        let mut best = (f64::INFINITY, Vec3::zeros());
        for span in self.spans.iter().zip(&of).filter(|s| *s.1).map(|s| s.0) {
            for (x, r) in span.points.iter().zip(&span.radius) {
                let place = near.place(x, &|k| !of[k]);
                if let Some(gap) = place.map(|p| (p.height - r).max(0.0)).filter(|gap| *gap < best.0) {
                    best = (gap, *x);
                }
            }
        }
        let [x, y, z] = [best.1.x, best.1.y, best.1.z].map(|x| 1e3 * x);
        format!(
            "the picks are on cables that are not connected: {:.1} mm are between them at the nearest, at ({x:.1}, {y:.1}, {z:.1}) mm",
            1e3 * best.0
        )
    }

    /// Legs as one cable.
    fn joined(&self, legs: &[Leg]) -> Span {
        let mut whole = Span {
            nodes: [0, 1],
            length: 0.0,
            points: Vec::new(),
            arc: Vec::new(),
            radius: Vec::new(),
            ellipse: Vec::new(),
            tangents: [Vec3::zeros(); 2],
            residual: 0.0,
            gaps: Vec::new(),
            bore: None,
        };
        let mut bores = Vec::new();
        for leg in legs {
            let span = &self.spans[leg.span];
            let (low, high) = (leg.from.min(leg.to), leg.from.max(leg.to));
            let mut rows: Vec<(f64, Vec3, f64)> = vec![row(span, low)];
            let inner = (0..span.arc.len()).filter(|i| span.arc[*i] > low && span.arc[*i] < high);
            rows.extend(inner.map(|i| (span.arc[i], span.points[i], span.radius[i])));
            rows.push(row(span, high));
            let begun = whole.length;
            let along = |s: f64| begun + (s - leg.from).abs();
            if leg.sense() < 0.0 {
                rows.reverse();
            }
            for (s, point, radius) in rows.into_iter().skip(usize::from(!whole.points.is_empty())) {
                whole.points.push(point);
                whole.arc.push(along(s));
                whole.radius.push(radius);
            }
            whole.length = begun + (high - low);
            whole.residual = whole.residual.max(span.residual);
            let inside = span.gaps.iter().filter(|g| g[1] > low && g[0] < high);
            whole.gaps.extend(inside.map(|g| {
                let [a, b] = [along(g[0].max(low)), along(g[1].min(high))];
                [a.min(b), a.max(b)]
            }));
            bores.push(span.bore);
        }
        // Part of it solid, part of it not: the smallest hole that there is sure to be.
        whole.bore = bores
            .into_iter()
            .collect::<Option<Vec<f64>>>()
            .map(|b| b.into_iter().fold(f64::INFINITY, f64::min));
        let tangent = |leg: &Leg, s: f64| leg.sense() * direction(&self.spans[leg.span], s);
        whole.tangents =
            [tangent(&legs[0], legs[0].from), tangent(&legs[legs.len() - 1], legs[legs.len() - 1].to)];
        whole
    }

    /// Where the way begins and ends: places, and the directions into it.
    fn sections(&self, legs: &[Leg], span: &Span) -> [(Vec3, Vec3, f64); 2] {
        let last = span.points.len() - 1;
        let wide = |leg: &Leg| self.spans[leg.span].radius.iter().copied().fold(0.0, f64::max);
        [
            (span.points[0], span.tangents[0], 2.0 * wide(&legs[0])),
            (span.points[last], -span.tangents[1], 2.0 * wide(&legs[legs.len() - 1])),
        ]
    }

    /// How many cables end somewhere within the way.
    fn leaving(&self, legs: &[Leg]) -> usize {
        let on = |k: usize| legs.iter().any(|leg| leg.span == k);
        let passed: Vec<usize> = legs
            .windows(2)
            .filter_map(|w| {
                self.spans[w[0].span].nodes.into_iter().find(|n| self.spans[w[1].span].nodes.contains(n))
            })
            .collect();
        let others = self.spans.iter().enumerate().filter(|(k, _)| !on(*k));
        others.filter(|(_, span)| span.nodes.iter().any(|n| passed.contains(n))).count()
    }

    /// The surface without the stretch.
    fn kept(&self, vertices: &[Vec3], triangles: &[[u32; 3]], near: &Near, cut: &Cut) -> Kept {
        let on_way = |k: usize| cut.legs.iter().any(|leg| leg.span == k);
        // How deep in the stretch a vertex is, from both ends; `None` where it is on something else.
        let depth = |x: &Vec3| -> Option<[f64; 2]> {
            let own = near.place(x, &on_way)?;
            let slack = 1e-2 * own.radius;
            let other = near.place(x, &|k| !on_way(k)).filter(|other| other.height < own.height - slack);
            if other.is_some() || own.height > 2.0 * own.radius {
                return None;
            }
            Some(cut.depth(x, &own))
        };
        let depths: Vec<Option<[f64; 2]>> = vertices.iter().map(depth).collect();
        let mut rigid = vec![false; triangles.len()];
        self.remainder.iter().for_each(|t| rigid[*t as usize] = true);
        let mut kept = Kept::default();
        for (k, t) in triangles.iter().enumerate() {
            let corners = t.map(|v| depths[v as usize]);
            let [Some(a), Some(b), Some(c)] = corners else {
                kept.polygon(&t.map(|v| vertices[v as usize]));
                continue;
            };
            let corners: Vec<(Vec3, [f64; 2])> =
                t.iter().zip([a, b, c]).map(|(v, d)| (vertices[*v as usize], d)).collect();
            let inside = corners.iter().all(|c| c.1[0] >= 0.0 && c.1[1] >= 0.0);
            let outside = |end: usize| corners.iter().all(|c| c.1[end] <= 0.0);
            if rigid[k] || outside(0) || outside(1) {
                kept.polygon(&t.map(|v| vertices[v as usize]));
            } else if !inside {
                let before = clipped(&corners, 0, -1.0);
                let behind = clipped(&clipped(&corners, 0, 1.0), 1, -1.0);
                for polygon in [before, behind] {
                    kept.polygon(&polygon.iter().map(|c| c.0).collect::<Vec<_>>());
                }
            }
        }
        kept
    }
}

/// The point of a span at an arc length, with that length and its radius.
fn row(span: &Span, s: f64) -> (f64, Vec3, f64) {
    let k = span.arc.partition_point(|a| *a <= s).clamp(1, span.arc.len() - 1);
    let (a, b) = (span.arc[k - 1], span.arc[k]);
    let t = if b > a { ((s - a) / (b - a)).clamp(0.0, 1.0) } else { 0.0 };
    let point = span.points[k - 1] + t * (span.points[k] - span.points[k - 1]);
    (s, point, span.radius[k - 1] + t * (span.radius[k] - span.radius[k - 1]))
}

/// The direction of a span at an arc length.
fn direction(span: &Span, s: f64) -> Vec3 {
    if s <= 0.0 {
        return span.tangents[0];
    }
    if s >= span.length {
        return span.tangents[1];
    }
    let h = (0.25 * span.radius[0]).min(s).min(span.length - s);
    (row(span, s + h).1 - row(span, s - h).1).try_normalize(0.0).unwrap_or(span.tangents[0])
}

/// Where the surface is cut.
struct Cut<'a> {
    legs: &'a [Leg],
    length: f64,
    /// Place, direction into the stretch, and how near to it the section is a plane.
    ends: [(Vec3, Vec3, f64); 2],
    /// Nothing is cut there: it is the end of a cable.
    open: Vec<bool>,
}

impl Cut<'_> {
    fn depth(&self, x: &Vec3, place: &Place) -> [f64; 2] {
        let last = self.legs.len() - 1;
        let inside = |leg: &Leg| (leg.sense() * (place.s - leg.from)).min(leg.sense() * (leg.to - place.s));
        let own = (0..=last).filter(|i| self.legs[*i].span == place.span);
        let own = own.max_by(|a, b| inside(&self.legs[*a]).total_cmp(&inside(&self.legs[*b])));
        let mut depth = [self.length; 2];
        let Some(own) = own else { return [-self.length; 2] };
        let leg = &self.legs[own];
        if own == 0 {
            depth[0] = leg.sense() * (place.s - leg.from);
        }
        if own == last {
            depth[1] = leg.sense() * (leg.to - place.s);
        }
        for end in 0..2 {
            let (at, into, plane) = self.ends[end];
            if self.open[end] {
                depth[end] = self.length;
            } else if depth[end].abs() < plane {
                depth[end] = into.dot(&(x - at));
            }
        }
        depth
    }
}

/// The part of a polygon on one side of a section.
fn clipped(polygon: &[(Vec3, [f64; 2])], end: usize, side: f64) -> Vec<(Vec3, [f64; 2])> {
    let mut kept = Vec::new();
    for (i, a) in polygon.iter().enumerate() {
        let b = &polygon[(i + 1) % polygon.len()];
        let (da, db) = (side * a.1[end], side * b.1[end]);
        if da >= 0.0 {
            kept.push(*a);
        }
        if (da > 0.0) != (db > 0.0) && da != 0.0 && db != 0.0 {
            // The same from both triangles of an edge.
            let (p, q) = if (a.0.x, a.0.y, a.0.z) < (b.0.x, b.0.y, b.0.z) { (a, b) } else { (b, a) };
            let t = p.1[end] / (p.1[end] - q.1[end]);
            let mix = |k: usize| p.1[k] + t * (q.1[k] - p.1[k]);
            let mut depth = [mix(0), mix(1)];
            depth[end] = 0.0;
            kept.push((p.0 + t * (q.0 - p.0), depth));
        }
    }
    kept
}

/// Triangles that stay.
#[derive(Default)]
struct Kept {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    known: HashMap<[u64; 3], u32>,
}

impl Kept {
    fn polygon(&mut self, corners: &[Vec3]) {
        let ids: Vec<u32> = corners.iter().map(|x| self.vertex(x)).collect();
        for k in 2..ids.len() {
            let t = [ids[0], ids[k - 1], ids[k]];
            if t[0] != t[1] && t[1] != t[2] && t[2] != t[0] {
                self.triangles.push(t);
            }
        }
    }

    fn vertex(&mut self, x: &Vec3) -> u32 {
        let key = [x.x, x.y, x.z].map(|x| (x + 0.0).to_bits());
        *self.known.entry(key).or_insert_with(|| {
            self.vertices.push(*x);
            (self.vertices.len() - 1) as u32
        })
    }
}

/// Finds the place of cables nearest to a point.
struct Near<'a> {
    spans: &'a [Span],
    /// Span, first and last point, middle and radius of the ball around them, radius of the cable there at most.
    chunks: Vec<(usize, usize, usize, Vec3, f64, f64)>,
}

impl<'a> Near<'a> {
    fn new(spans: &'a [Span]) -> Self {
        let mut chunks = Vec::new();
        for (k, span) in spans.iter().enumerate() {
            let last = span.points.len() - 1;
            for first in (0..last).step_by(CHUNK) {
                let end = (first + CHUNK).min(last);
                let own = &span.points[first..=end];
                let middle = own.iter().sum::<Vec3>() / own.len() as f64;
                let size = own.iter().map(|p| (p - middle).norm()).fold(0.0, f64::max);
                let wide = span.radius[first..=end].iter().copied().fold(0.0, f64::max);
                chunks.push((k, first, end, middle, size, wide));
            }
        }
        Self { spans, chunks }
    }

    /// The place whose surface is nearest or around the point the most, of the spans that are wanted.
    fn place(&self, x: &Vec3, wanted: &dyn Fn(usize) -> bool) -> Option<Place> {
        let mut best: Option<Place> = None;
        for (k, first, end, middle, size, wide) in &self.chunks {
            let least = (x - middle).norm() - size - wide;
            if best.is_some_and(|b| least >= b.height) || !wanted(*k) {
                continue;
            }
            let span = &self.spans[*k];
            for i in *first..*end {
                let edge = span.points[i + 1] - span.points[i];
                let off = x - span.points[i];
                let t = (off.dot(&edge) / edge.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                let distance = (off - t * edge).norm();
                let radius = span.radius[i] + t * (span.radius[i + 1] - span.radius[i]);
                if best.is_none_or(|b| distance - radius < b.height) {
                    let s = span.arc[i] + t * (span.arc[i + 1] - span.arc[i]);
                    best = Some(Place { span: *k, s, height: distance - radius, radius });
                }
            }
        }
        best
    }
}
