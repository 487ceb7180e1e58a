//! From fitted stretches to a harness: branches get a place, bodies are joined, bores and fittings are told apart.

use flexline::{Mat3, Vec3};

use super::fit::Fit;
use super::strand::{Strand, median};

/// A fitted stretch with the node at each of its ends and the places at which it is cut.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub strand: Strand,
    pub fit: Fit,
    pub nodes: [Option<usize>; 2],
    /// Other stretches that end on this one: parameter and node.
    pub cuts: Vec<(f64, usize)>,
    pub bore: Option<f64>,
    /// Bodies it was made of.
    pub bodies: Vec<usize>,
    /// Stretches without surface, in parameters.
    pub gaps: Vec<(f64, f64)>,
}

/// The shortest cable, in its widths.
const SHORTEST: f64 = 2.0;
/// What is shorter, in its widths, does not grow to twice its width as well.
const STOCKY: f64 = 5.0;
/// The largest part of the radius by which the faces of a cable lie off a round surface, and off one of its section.
const ROUGHEST: [f64; 2] = [0.22, 0.15];
/// By which those of an oval lie off its section.
const OVAL: f64 = 0.06;
/// No cable bends to less than its radius divided by this.
const TIGHTEST: f64 = 1.5;

impl Piece {
    pub fn new(strand: Strand, fit: Fit, nodes: [Option<usize>; 2]) -> Self {
        Self { strand, fit, nodes, cuts: Vec::new(), bore: None, bodies: Vec::new(), gaps: Vec::new() }
    }

    pub fn radius(&self) -> f64 {
        self.fit.mean_radius()
    }

    /// Point and direction out of the cable at an end.
    pub fn end(&self, side: usize) -> (Vec3, Vec3) {
        let u = [self.fit.from, self.fit.to][side];
        let out = self.fit.tube.tangent(u) * [-1.0, 1.0][side];
        (self.fit.tube.at(u), out)
    }

    /// How it goes on at an end that runs into a branch near `node`, from where it is `clear` of that.
    pub fn leaving(&self, side: usize, node: Vec3, clear: f64) -> Leaving {
        let rings = &self.strand.rings;
        let ring = [1.min(rings.len() - 1), rings.len().saturating_sub(2)][side];
        let (mut u, _) = self.nearest(&rings[ring].0);
        let inward = [1.0, -1.0][side];
        let middle = 0.5 * (self.fit.from + self.fit.to);
        let step = 0.25 * self.radius() / self.fit.tube.slope(u).norm().max(f64::MIN_POSITIVE);
        while inward * (middle - u) > step && (self.fit.tube.at(u) - node).norm() < clear {
            u += inward * step;
        }
        self.leaving_at(u, inward)
    }

    /// How it goes on from a place, away from `inward`.
    fn leaving_at(&self, u: f64, inward: f64) -> Leaving {
        let tube = &self.fit.tube;
        // Over a length of two radii, so that a single knot does not decide.
        let reach = self.radius() / tube.slope(u).norm().max(f64::MIN_POSITIVE);
        let middle = u + inward * reach;
        let (before, behind) = (tube.tangent(middle - reach), tube.tangent(middle + reach));
        let bend = (behind - before) / tube.length(middle - reach, middle + reach).max(f64::MIN_POSITIVE);
        let direction = tube.tangent(u);
        Leaving { point: tube.at(u), direction, curvature: bend - bend.dot(&direction) * direction }
    }

    /// How it goes on at an end up to which its surface is known, from `before` radii short of that.
    pub fn going_on(&self, side: usize, before: f64) -> Leaving {
        let tube = &self.fit.tube;
        let end = [self.fit.from, self.fit.to][side];
        let inward = [1.0, -1.0][side];
        let unit = self.radius() / tube.slope(end).norm().max(f64::MIN_POSITIVE);
        self.leaving_at(end + inward * before * unit, inward)
    }

    /// Mean distance of the faces from the tube, as a round one and with the shape of its section: those of caps and of flat
    /// sides are far from it, where it is short or no tube its vertices may well lie on one.
    fn roughness(&self) -> [f64; 2] {
        let step = 1 + self.strand.faces.len() / 300;
        let (mut sums, mut area) = ([0.0; 2], 0.0);
        for (x, a) in self.strand.faces.iter().step_by(step) {
            let (u, distance) = self.nearest(x);
            let off = distance - self.fit.tube.radius(u);
            sums[0] += a * off.abs();
            sums[1] += a * (off - self.fit.bias(x, u)).abs();
            area += a;
        }
        if area > 0.0 { sums.map(|s| s / area) } else { [0.0; 2] }
    }

    /// The tightest bend in radii of the cable, its ends left out.
    fn tightest(&self) -> f64 {
        let tube = &self.fit.tube;
        let bend = |i: i32| {
            let u = self.fit.from + (self.fit.to - self.fit.from) * f64::from(i) / 200.0;
            tube.radius(u) * tube.slope(u).cross(&tube.bend(u)).norm() / tube.slope(u).norm().powi(3)
        };
        (20..=180).map(bend).fold(0.0, f64::max)
    }

    /// How many times as thick it is where it is thickest than where it is thinnest, its ends left out.
    fn taper(&self) -> f64 {
        let at = |i: i32| self.fit.from + (self.fit.to - self.fit.from) * f64::from(i) / 64.0;
        let radii = (4..=60).map(|i| self.fit.tube.radius(at(i)));
        let (least, most) = radii.fold((f64::INFINITY, 0.0_f64), |(a, b), r| (a.min(r), b.max(r)));
        most / least.max(f64::MIN_POSITIVE)
    }

    /// The nearest place of its centreline: parameter and distance.
    pub fn nearest(&self, x: &Vec3) -> (f64, f64) {
        let n = 8 * self.fit.tube.spans();
        let width = self.fit.to - self.fit.from;
        let place = |i: usize| self.fit.from + width * i as f64 / n as f64;
        let distance = |u: f64| (self.fit.tube.at(u) - x).norm();
        let best = (0..=n).min_by(|a, b| distance(place(*a)).total_cmp(&distance(place(*b)))).unwrap_or(0);
        let u = self.fit.tube.foot(x, place(best)).clamp(self.fit.from, self.fit.to);
        (u, distance(u))
    }

    /// The radius of a bore from the vertices of its surface.
    pub fn measure_bore(&mut self, vertices: &[Vec3]) {
        let step = 1 + vertices.len() / 400;
        let near = |x: &Vec3| {
            Some(self.nearest(x)).filter(|n| n.0 > self.fit.from && n.0 < self.fit.to).map(|n| n.1)
        };
        let distances: Vec<f64> = vertices.iter().step_by(step).filter_map(near).collect();
        if distances.len() >= 8 {
            self.bore = Some(median(distances)).filter(|b| *b < self.radius());
        }
    }

    /// Whether it is short, straight and of another thickness, and goes on where the other ends.
    fn is_fitting_of(&self, other: &Self) -> bool {
        let (radius, length) = (self.radius(), self.fit.length());
        let ratio = radius / other.radius();
        let ends = [self.end(0), self.end(1)];
        let straight = (ends[1].0 - ends[0].0).norm() > 0.99 * length;
        let short = length < 0.3 * other.fit.length() && length < 14.0 * radius;
        if self.nodes != [None, None] || !straight || !short || (0.93..1.07).contains(&ratio) {
            return false;
        }
        (0..2).filter(|side| other.nodes[*side].is_none()).any(|side| {
            let (end, out) = other.end(side);
            ends.iter().any(|(x, way)| {
                let off = x - end;
                let along = off.dot(&out);
                let beside = (off - along * out).norm();
                // Its end is in the other, not far from the end of that, and it points out of it.
                (-4.0 * other.radius()..0.05 * other.radius()).contains(&along)
                    && beside < 0.35 * other.radius()
                    && way.dot(&out) < -0.9
            })
        })
    }

    /// How much of this centreline runs inside another tube, near to its centreline.
    fn share_along(&self, other: &Self) -> f64 {
        let n = 24;
        let inside = (0..=n).filter(|i| {
            let u = self.fit.from + (self.fit.to - self.fit.from) * f64::from(*i) / f64::from(n);
            let x = self.fit.tube.at(u);
            let (at, distance) = other.nearest(&x);
            let parallel = self.fit.tube.tangent(u).dot(&other.fit.tube.tangent(at)).abs() > 0.9;
            distance < 0.35 * other.radius().max(self.radius()) && parallel
        });
        inside.count() as f64 / f64::from(n + 1)
    }
}

/// Why the stretches of a body are no cables, if they are none. One that is too short or too rough may be the middle of a
/// branch; a body that is all like that is something else.
pub(crate) fn objection(pieces: &[Piece]) -> Option<String> {
    if pieces.is_empty() {
        return Some("no line runs through it".to_owned());
    }
    if pieces.iter().all(|p| p.fit.length() <= SHORTEST * 2.0 * p.radius()) {
        return Some("no stretch is longer than twice its width".to_owned());
    }
    if let [piece] = pieces
        && piece.nodes == [None, None]
        && piece.tightest() > TIGHTEST
    {
        return Some("the only line through it bends to less than its own radius".to_owned());
    }
    if let [piece] = pieces
        && piece.fit.length() < STOCKY * 2.0 * piece.radius()
        && piece.taper() > 2.0
    {
        return Some("it is short, and twice as thick in one place as in another".to_owned());
    }
    let (mut area, mut sums) = (0.0, [0.0; 2]);
    for piece in pieces {
        let own: f64 = piece.strand.faces.iter().map(|f| f.1).sum();
        area += own;
        for (sum, rough) in sums.iter_mut().zip(piece.roughness()) {
            *sum += own * (piece.fit.scale.max(rough) / piece.radius()).min(1.0);
        }
    }
    let rough = sums.map(|s| if area > 0.0 { s / area } else { 0.0 });
    // What is far from round may be an oval, if it is one exactly.
    let odd = rough[0] > ROUGHEST[0] && rough[1] > OVAL;
    (odd || rough[1] > ROUGHEST[1]).then(|| {
        format!(
            "it is not round: its surface is off that of a tube by {:.0} % of the radius",
            100.0 * rough[0]
        )
    })
}

/// How a cable goes on: point, direction and curvature vector.
pub(crate) struct Leaving {
    point: Vec3,
    direction: Vec3,
    curvature: Vec3,
}

/// The point nearest to cables that go on with the curvature they have, in the sense of least squares; from a guess.
pub(crate) fn meeting(arcs: &[Leaving], guess: Vec3) -> Vec3 {
    let mut meeting = guess;
    for _ in 0..12 {
        let (mut matrix, mut right) = (1e-4 * Mat3::identity(), 1e-4 * meeting);
        for arc in arcs {
            let t = (meeting - arc.point).dot(&arc.direction);
            let at = arc.point + t * arc.direction + 0.5 * t * t * arc.curvature;
            let tangent = (arc.direction + t * arc.curvature).normalize();
            let across = Mat3::identity() - tangent * tangent.transpose();
            matrix += across;
            right += across * at;
        }
        let Some(inverse) = matrix.try_inverse() else { break };
        meeting = inverse * right;
    }
    meeting
}

/// Bodies that run along another, inside or around it: bores, collars, nipples. Returns what they were.
pub(crate) fn set_coaxial_aside(pieces: &mut Vec<Piece>) -> Vec<String> {
    pieces.sort_by(|a, b| b.fit.length().total_cmp(&a.fit.length()).then(b.radius().total_cmp(&a.radius())));
    let mut told = Vec::new();
    let mut i = 1;
    while i < pieces.len() {
        let alone = pieces[i].nodes == [None, None];
        let host = (0..i).find(|j| alone && pieces[i].share_along(&pieces[*j]) > 0.8);
        let Some(j) = host else {
            i += 1;
            continue;
        };
        let piece = pieces.remove(i);
        let (length, radius) = (piece.fit.length(), piece.radius());
        let similar = length > 0.6 * pieces[j].fit.length();
        if similar && radius < pieces[j].radius() {
            pieces[j].bore = Some(radius);
            pieces[j].bodies.extend(piece.bodies);
        } else if similar {
            // The longer one was the bore.
            let inner = std::mem::replace(&mut pieces[j], piece);
            pieces[j].bore = Some(inner.radius());
            pieces[j].bodies.extend(inner.bodies);
        } else {
            let kind = if radius > pieces[j].radius() { "around" } else { "inside" };
            told.push(format!(
                "a fitting {kind} a cable, {:.1} mm long and {:.1} mm across, stays rigid",
                1e3 * length,
                2e3 * radius
            ));
        }
    }
    told
}

/// Short straight bodies of another thickness that are stuck into the end of a cable, or onto it: nipples, spigots.
pub(crate) fn set_fittings_aside(pieces: &mut Vec<Piece>) -> Vec<String> {
    let mut told = Vec::new();
    let mut i = 0;
    while i < pieces.len() {
        let stuck = (0..pieces.len()).any(|j| j != i && pieces[i].is_fitting_of(&pieces[j]));
        if !stuck {
            i += 1;
            continue;
        }
        let piece = pieces.remove(i);
        let (length, across) = (1e3 * piece.fit.length(), 2e3 * piece.radius());
        told.push(format!(
            "a fitting at the end of a cable, {length:.1} mm long and {across:.1} mm across, stays rigid"
        ));
    }
    told
}

/// Joins facing ends: a gap in the surface, or bodies that were cut. Returns what was bridged.
pub(crate) fn bridge_gaps(pieces: &mut Vec<Piece>) -> Vec<String> {
    let mut told = Vec::new();
    loop {
        let mut best: Option<(f64, usize, usize, usize, usize)> = None;
        for i in 0..pieces.len() {
            for j in 0..i {
                for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    if pieces[i].nodes[a].is_some() || pieces[j].nodes[b].is_some() {
                        continue;
                    }
                    if let Some(gap) = facing(&pieces[i], a, &pieces[j], b)
                        && best.is_none_or(|x| gap < x.0)
                    {
                        best = Some((gap, i, a, j, b));
                    }
                }
            }
        }
        let Some((gap, i, a, j, b)) = best else { return told };
        let second = pieces.remove(i);
        let first = pieces[j].clone();
        let nodes = [first.nodes[1 - b], second.nodes[1 - a]];
        let ends = [first.end(b).0, second.end(a).0];
        let mut strand = if b == 1 { first.strand.clone() } else { first.strand.clone().reversed() };
        strand.append(if a == 0 { second.strand.clone() } else { second.strand.clone().reversed() });
        let pins = [
            first.nodes[1 - b].map(|_| first.end(1 - b).0),
            second.nodes[1 - a].map(|_| second.end(1 - a).0),
        ];
        match strand.fit(pins, true) {
            Some(fit) if fit.scale < 2.0 * first.fit.scale.max(second.fit.scale) + 0.01 * first.radius() => {
                let mut piece = Piece::new(strand, fit, nodes);
                piece.bore = first.bore.or(second.bore);
                piece.bodies = [first.bodies, second.bodies].concat();
                let mut places = ends.map(|e| piece.nearest(&e).0);
                places.sort_by(f64::total_cmp);
                if gap > 0.05 * piece.radius() {
                    let length = piece.fit.tube.length(places[0], places[1]);
                    told.push(format!("a gap of {:.1} mm was bridged smoothly", 1e3 * length));
                    piece.gaps.push((places[0], places[1]));
                }
                pieces[j] = piece;
            }
            _ => {
                told.push(format!(
                    "two ends {:.1} mm apart face each other, but no smooth cable joins them",
                    1e3 * gap
                ));
                pieces.push(second);
                return told;
            }
        }
    }
}

/// How far two ends are apart, if one goes on where the other stops.
fn facing(p: &Piece, a: usize, q: &Piece, b: usize) -> Option<f64> {
    let ((x, out), (y, back)) = (p.end(a), q.end(b));
    let gap = y - x;
    let distance = gap.norm();
    let radius = p.radius().min(q.radius());
    let alike = radius > 0.85 * p.radius().max(q.radius());
    let reach = (0.35 * (p.fit.length() + q.fit.length())).min(40.0 * radius);
    if !alike || distance > reach {
        return None;
    }
    if distance < 0.1 * radius {
        return (out.dot(&back) < -0.8).then_some(distance);
    }
    let straight = gap / distance;
    (out.dot(&straight) > 0.7 && back.dot(&straight) < -0.7).then_some(distance)
}

/// Ends that lie in another cable, or several ends at one place, become junctions. `nodes` grows by them.
pub(crate) fn join_branches(pieces: &mut [Piece], nodes: &mut Vec<Vec3>) {
    for i in 0..pieces.len() {
        for side in 0..2 {
            if pieces[i].nodes[side].is_some() {
                continue;
            }
            let (x, _) = pieces[i].end(side);
            let mut best: Option<(f64, usize, f64)> = None;
            for j in 0..pieces.len() {
                let (u, distance) = pieces[j].nearest(&x);
                let within = distance < 1.02 * pieces[j].fit.tube.radius(u) + 0.02 * pieces[i].radius();
                let larger = pieces[j].radius() >= 0.99 * pieces[i].radius();
                if j != i && within && larger && best.is_none_or(|b| distance < b.0) {
                    best = Some((distance, j, u));
                }
            }
            let Some((_, j, u)) = best else { continue };
            let trunk = &pieces[j];
            let near = |v: f64| trunk.fit.tube.length(u.min(v), u.max(v)) < 1.2 * trunk.radius();
            let end = if near(trunk.fit.from) {
                Some(0)
            } else if near(trunk.fit.to) {
                Some(1)
            } else {
                None
            };
            let node = match end.map(|e| trunk.nodes[e]) {
                Some(Some(node)) => node,
                Some(None) => {
                    let Some(e) = end else { continue };
                    // Two ends side by side in one place: only where they meet do they join.
                    if (trunk.end(e).0 - x).norm() > 0.5 * trunk.radius() {
                        continue;
                    }
                    let at = trunk.end(e).0;
                    nodes.push(at);
                    // All ends that are there belong to it, thicker ones too.
                    for other in pieces.iter_mut() {
                        for k in 0..2 {
                            if other.nodes[k].is_none() && (other.end(k).0 - at).norm() < 0.5 * other.radius()
                            {
                                other.nodes[k] = Some(nodes.len() - 1);
                            }
                        }
                    }
                    pieces[j].nodes[e] = Some(nodes.len() - 1);
                    nodes.len() - 1
                }
                None => match trunk.cuts.iter().find(|c| near(c.0)) {
                    Some(cut) => cut.1,
                    None => {
                        nodes.push(trunk.fit.tube.at(u));
                        pieces[j].cuts.push((u, nodes.len() - 1));
                        nodes.len() - 1
                    }
                },
            };
            pieces[i].nodes[side] = Some(node);
            if (nodes[node] - x).norm() > 1e-3 * pieces[i].radius() {
                let pins = [0, 1].map(|k| pieces[i].nodes[k].map(|n| nodes[n]));
                if let Some(fit) = pieces[i].strand.fit(pins, true) {
                    pieces[i].fit = fit;
                }
            }
        }
    }
}
