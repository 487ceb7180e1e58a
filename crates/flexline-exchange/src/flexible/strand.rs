//! One stretch of cable on its way from rings of triangles to a fitted tube.

use flexline::Vec3;

use super::fit::{self, Fit, Pin, Sample};
use super::levels::{Chain, Ring, Skeleton};
use super::rings;
use super::soup::{NONE, Soup};

/// A stretch between ends or branches: a first guess of its centreline and the vertices that belong to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strand {
    /// First guess of the centreline.
    pub centres: Vec<Vec3>,
    pub radius: f64,
    /// Vertices by ring, with the centre of the ring; their u is not set yet.
    pub rings: Vec<(Vec3, Vec<Sample>)>,
    /// Triangles of the input.
    pub triangles: Vec<u32>,
    pub closed: bool,
    /// Made of several that did not touch.
    pub joined: bool,
    /// Some middles of triangles, with what share of the surface each stands for.
    pub faces: Vec<(Vec3, f64)>,
}

/// How far beyond the last ring the guess goes on, in radii.
const BEYOND: f64 = 2.0;
/// Middles of rings nearer to a junction than so many radii are not those of this cable alone.
const CLEAR: f64 = 2.0;
/// Weight of a junction that a cable has to reach, and of a middle of faces.
const FIRM: f64 = 4.0;
const HINT: f64 = 1e-3;

impl Strand {
    /// From rings in a row; `kept` vertices of the soup lie on the surface. `None` where there is no length in it.
    pub fn new(chain: &Chain, soup: &Soup, kept: usize, rims: &[bool], seen: &mut [bool]) -> Option<Self> {
        let rings = &chain.rings;
        let skip =
            |end: usize| usize::from(chain.branches[end].is_none() && !chain.closed && rings.len() > 3);
        let middle = rings.get(skip(0)..rings.len() - skip(1))?;
        let mut centres: Vec<Vec3> = middle.iter().map(|r| r.centre).collect();
        if centres.len() < 2 {
            centres = spread_out(rings, soup)?;
        }
        let radius = median(middle.iter().map(|r| r.size).collect());
        for _ in 0..2 {
            let before = centres.clone();
            for i in 1..centres.len() - 1 {
                centres[i] = 0.25 * (before[i - 1] + before[i + 1]) + 0.5 * before[i];
            }
        }
        let mut strand = Self { centres, radius, closed: chain.closed, ..Self::default() };
        for ring in rings {
            let mut samples = Vec::new();
            for &t in &ring.triangles {
                strand.triangles.push(soup.origin[t as usize]);
                for v in soup.triangles[t as usize] {
                    let v = v as usize;
                    if v < kept && !seen[v] {
                        seen[v] = true;
                        samples.push(Sample { x: soup.vertices[v], u: 0.0, bias: 0.0, rim: rims[v] });
                    }
                }
            }
            strand.rings.push((ring.centre, samples));
            let step = 1 + ring.triangles.len() / 24;
            let face = |t: &u32| (soup.centroid(*t as usize), soup.area(*t as usize));
            strand.faces.extend(ring.triangles.iter().step_by(step).map(face));
        }
        strand.triangles.sort_unstable();
        strand.triangles.dedup();
        Some(strand)
    }

    pub fn count(&self) -> usize {
        self.rings.iter().map(|r| r.1.len()).sum()
    }

    /// The other way round.
    pub fn reversed(mut self) -> Self {
        self.centres.reverse();
        self.rings.reverse();
        self
    }

    /// Goes on with another strand.
    pub fn append(&mut self, other: Self) {
        self.centres.extend(other.centres);
        self.rings.extend(other.rings);
        self.triangles.extend(other.triangles);
        self.faces.extend(other.faces);
        self.radius = self.radius.max(other.radius);
        self.joined = true;
    }

    /// Goes on at an end to a point of the centreline, with the vertices around it.
    pub fn prolong(&mut self, side: usize, centre: Vec3, samples: Vec<Sample>) {
        let at = |len: usize| if side == 0 { 0 } else { len };
        self.centres.insert(at(self.centres.len()), centre);
        self.rings.insert(at(self.rings.len()), (centre, samples));
    }

    /// The tube of least squares through its vertices; through `pins` at its ends, where they are given. `thorough` as for [`fit::fit`].
    pub fn fit(&self, pins: [Option<Vec3>; 2], thorough: bool) -> Option<Fit> {
        let mut polyline = self.centres.clone();
        let lap = polyline.len();
        // Of a loop once round and a little more: both ends see the same vertices.
        let more = if self.closed { (lap / 2).min(8) } else { 0 };
        if self.closed {
            polyline.extend_from_within(..=more);
        }
        if let Some(pin) = pins[0] {
            let keep = polyline.iter().position(|p| (p - pin).norm() > CLEAR * self.radius).unwrap_or(0);
            polyline.drain(..keep.min(polyline.len() - 1));
            polyline.insert(0, pin);
        }
        if let Some(pin) = pins[1] {
            let keep =
                polyline.iter().rposition(|p| (p - pin).norm() > CLEAR * self.radius).map_or(1, |k| k + 1);
            polyline.truncate(keep.max(1));
            polyline.push(pin);
        }
        if polyline.len() < 2 {
            return None;
        }
        prolong(&mut polyline, BEYOND * self.radius);
        let arc = fit::arc_lengths(&polyline);
        let last = arc.len() - 1;
        let mut pinned: Vec<Pin> = [(pins[0], arc[1]), (pins[1], arc[last - 1])]
            .into_iter()
            .filter_map(|(pin, s)| pin.map(|at| Pin { u: s, at, weight: FIRM }))
            .collect();
        let mut samples = Vec::with_capacity(self.count());
        let mut distances = Vec::new();
        for (k, (centre, ring)) in self.rings.iter().enumerate() {
            let s = if self.closed { arc[k + 1] } else { nearest(&polyline, &arc, centre) };
            if self.closed && k <= more {
                samples.extend(ring.iter().map(|v| Sample { u: arc[lap + k + 1], ..*v }));
            }
            // Faces without vertices between: their middle is a hint, no more.
            if ring.is_empty() && k > 0 && k + 1 < self.rings.len() {
                pinned.push(Pin { u: s, at: *centre, weight: HINT });
            }
            let step = 1 + ring.len() / 16;
            let at = fit::along(&polyline, &arc, s);
            let ahead = fit::along(&polyline, &arc, s + 0.3 * self.radius) - at;
            for (i, v) in ring.iter().enumerate() {
                if i % step == 0 {
                    let off = v.x - at;
                    let along = off.dot(&ahead) / ahead.norm_squared().max(f64::MIN_POSITIVE);
                    distances.push((off - along * ahead).norm());
                }
                samples.push(Sample { u: s, ..*v });
            }
        }
        let radius = median(distances);
        let whole = !self.closed && !self.joined && pins == [None, None];
        if whole {
            let places: Vec<f64> = samples.iter().map(|s| nearest(&polyline, &arc, &s.x)).collect();
            if let Some((fit, true)) = rings::tube_of(&samples, &places, radius) {
                return Some(fit);
            }
        }
        let mut fit = fit::fit(&polyline, radius, &samples, &pinned, thorough)?;
        // Places along a tube that is nearly right tell rings apart that were mixed before.
        for _ in 0..3 {
            let better = rings::tube_of(&fit.samples, &fit.places(), fit.mean_radius()).filter(|_| whole);
            match better {
                Some((tube, true)) => return Some(tube),
                Some((tube, false)) => fit = tube,
                None => break,
            }
        }
        if let Some(pin) = pins[0] {
            fit.from = fit.tube.foot(&pin, arc[1] / arc[last] * fit.tube.spans() as f64);
        }
        if let Some(pin) = pins[1] {
            fit.to = fit.tube.foot(&pin, arc[last - 1] / arc[last] * fit.tube.spans() as f64);
        }
        if self.closed {
            let to_u = fit.tube.spans() as f64 / arc[last];
            fit.from = arc[more / 2 + 1] * to_u;
            fit.to = fit.tube.foot(&fit.tube.at(fit.from), arc[lap + more / 2 + 1] * to_u);
        }
        (fit.from < fit.to).then_some(fit)
    }
}

/// Which triangles are the surface of a bore: those of its rings and what goes on from them without a sharp edge.
pub(crate) fn inner_surface(soup: &Soup, skeleton: &Skeleton) -> Vec<bool> {
    let mut inner = vec![false; soup.triangles.len()];
    let mut next: Vec<u32> = skeleton.bores.iter().flat_map(|r| r.triangles.iter().copied()).collect();
    let known = next.clone();
    next.iter().for_each(|t| inner[*t as usize] = true);
    while let Some(t) = next.pop() {
        for n in soup.neighbours[t as usize] {
            if n != NONE && !inner[n as usize] && !is_sharp(soup, t as usize, n as usize) {
                inner[n as usize] = true;
                next.push(n);
            }
        }
    }
    let share = inner.iter().filter(|i| **i).count() as f64 / soup.triangles.len() as f64;
    // A bore without an edge at its mouth: its rings are what is sure.
    if share > 0.7 {
        inner.fill(false);
        known.iter().for_each(|t| inner[*t as usize] = true);
    }
    inner
}

/// Whether the surface bends sharply between two triangles: more than between the sides of a bar of seven.
fn is_sharp(soup: &Soup, t: usize, n: usize) -> bool {
    let normal = |t: usize| {
        let [a, b, c] = soup.corners(t);
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros)
    };
    normal(t).dot(&normal(n)).abs() < 0.55
}

/// Vertices on open edges and on sharp ones: where a surface may end.
pub(crate) fn rims(soup: &Soup, kept: usize) -> Vec<bool> {
    let mut rim = vec![false; kept.max(soup.vertices.len())];
    for t in 0..soup.triangles.len() {
        for k in 0..3 {
            let n = soup.neighbours[t][k];
            if n == NONE || is_sharp(soup, t, n as usize) {
                rim[soup.triangles[t][k] as usize] = true;
                rim[soup.triangles[t][(k + 1) % 3] as usize] = true;
            }
        }
    }
    rim
}

/// The arc length of a polyline nearest to a point.
pub(crate) fn nearest(polyline: &[Vec3], arc: &[f64], x: &Vec3) -> f64 {
    let mut best = (f64::INFINITY, 0.0);
    for i in 1..polyline.len() {
        let edge = polyline[i] - polyline[i - 1];
        let t =
            ((x - polyline[i - 1]).dot(&edge) / edge.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let d = (polyline[i - 1] + t * edge - x).norm_squared();
        if d < best.0 {
            best = (d, arc[i - 1] + t * (arc[i] - arc[i - 1]));
        }
    }
    best.1
}

/// Goes on straight at both ends.
fn prolong(polyline: &mut Vec<Vec3>, by: f64) {
    let n = polyline.len();
    let ahead = |a: Vec3, b: Vec3| (b - a).try_normalize(0.0).unwrap_or_else(Vec3::zeros) * by;
    let (first, last) = (polyline[0], polyline[n - 1]);
    let start = first + ahead(polyline[1.min(n - 1)], first);
    let end = last + ahead(polyline[n.saturating_sub(2)], last);
    polyline.insert(0, start);
    polyline.push(end);
}

/// Too few rings for a line: the longest direction of their vertices.
fn spread_out(rings: &[Ring], soup: &Soup) -> Option<Vec<Vec3>> {
    let corners = rings.iter().flat_map(|r| &r.triangles).flat_map(|t| soup.corners(*t as usize));
    let points: Vec<Vec3> = corners.collect();
    let farthest = |from: Vec3| {
        points.iter().copied().max_by(|a, b| (a - from).norm_squared().total_cmp(&(b - from).norm_squared()))
    };
    let a = farthest(*points.first()?)?;
    let b = farthest(a)?;
    (a != b).then(|| vec![a, 0.5 * (a + b), b])
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
