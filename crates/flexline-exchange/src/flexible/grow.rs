//! Cables that meet in one surface: their tubes are followed into the junction, as far as vertices lie on them.
//!
//! Rings stop being those of one cable two radii before a junction, but its own surface goes on to where it meets that of the
//! others, on the outer side of a bend nearly to the middle. From where it is clear of the others the last stretch of a tube tells,
//! one radius further, which vertices are on it; with them it is fitted again.

use std::f64::consts::TAU;

use flexline::Vec3;

use super::fit::{Sample, square_to};
use super::graph::{Piece, meeting};
use super::strand::Strand;

/// How often, and how far each time, in radii.
const ROUNDS: usize = 10;
const STRIDE: f64 = 0.8;
/// So many radii of the thickest from a junction that is roughly known, every cable has a surface of its own.
const CLEAR: f64 = 3.2;
/// The stretch that tells how a tube goes on, in radii.
const STRETCH: f64 = 10.0;
/// Vertices are on a tube that is prolonged when they are as near to it, in radii.
const ON: f64 = 0.02;
/// How much of the tube before its end says how it goes on, in radii.
const BEFORE: f64 = 0.4;
/// Directions around a tube, and in how many of them it has to go on.
const SIDES: u32 = 16;
const LEAST: u32 = 4;

/// The last stretch of a cable that runs into a junction.
struct Leg {
    /// Which cable, and which end of it.
    piece: usize,
    side: usize,
    /// The stretch, in the direction of the cable; `None` where that is too short for one.
    stretch: Option<Piece>,
    /// How far the next ring is looked for, in radii: twice as far once none was found.
    stride: f64,
    /// Rings that were found beyond.
    found: Vec<(Vec3, Vec<Sample>)>,
}

/// Follows all ends that run into `nodes[first..]`, and moves these to where the cables meet.
pub(crate) fn into_junctions(pieces: &mut [Piece], nodes: &mut [Vec3], first: usize, vertices: &[Vec3]) {
    for (k, node) in nodes.iter_mut().enumerate().skip(first) {
        let ends = (0..pieces.len()).flat_map(|piece| [(piece, 0), (piece, 1)]);
        let ends = ends.filter(|(p, side)| pieces[*p].nodes[*side] == Some(k) && !pieces[*p].strand.closed);
        let ends: Vec<(usize, usize)> = ends.collect();
        let thickest = ends.iter().map(|e| pieces[e.0].radius()).fold(0.0, f64::max);
        if ends.len() < 3 {
            continue;
        }
        let begin = |(piece, side): &(usize, usize)| Leg {
            piece: *piece,
            side: *side,
            stretch: clear_stretch(&pieces[*piece], *side, *node, CLEAR * thickest),
            stride: STRIDE,
            found: Vec::new(),
        };
        let mut legs: Vec<Leg> = ends.iter().map(begin).collect();
        let reach = (CLEAR + 2.0) * thickest;
        let near: Vec<Vec3> = vertices.iter().copied().filter(|x| (x - *node).norm() < reach).collect();
        for _ in 0..ROUNDS {
            let arcs = legs.iter().map(|leg| match &leg.stretch {
                Some(own) => own.going_on(leg.side, BEFORE),
                None => pieces[leg.piece].leaving(leg.side, *node, CLEAR * thickest),
            });
            *node = meeting(&arcs.collect::<Vec<_>>(), *node);
            let mut beyond: Vec<Vec<Vec3>> = vec![Vec::new(); legs.len()];
            for x in &near {
                let off = legs.iter().enumerate().filter_map(|(i, leg)| Some((leg.off(x, *node)?, i)));
                if let Some((_, i)) = off.min_by(|a, b| a.0.total_cmp(&b.0)) {
                    beyond[i].push(*x);
                }
            }
            let mut goes_on = false;
            for (leg, own) in legs.iter_mut().zip(&beyond) {
                let grown = leg.follow(own);
                goes_on |= grown || leg.stride < 2.0 * STRIDE;
                leg.stride = if grown { STRIDE } else { 2.0 * STRIDE };
            }
            if !goes_on {
                break;
            }
        }
        for leg in legs.into_iter().filter(|leg| !leg.found.is_empty()) {
            take_over(&mut pieces[leg.piece], leg, *node, CLEAR * thickest);
        }
    }
}

/// The parameter at which a tube is as far from a junction, going inwards.
fn clear_of(piece: &Piece, side: usize, node: Vec3, clear: f64) -> Option<f64> {
    let (tube, [from, to]) = (&piece.fit.tube, [piece.fit.from, piece.fit.to]);
    let inward = [1.0, -1.0][side];
    // From where it is nearest: its end may have been taken for one beyond.
    let (mut u, far) = (piece.nearest(&node).0, [to, from][side]);
    let step = 0.1 * piece.radius() / tube.slope(u).norm().max(f64::MIN_POSITIVE);
    while (tube.at(u) - node).norm() < clear {
        u += inward * step;
        if inward * (far - u) < 0.0 {
            return None;
        }
    }
    Some(u)
}

/// The last stretch of a tube that is clear of a junction, fitted alone.
fn clear_stretch(piece: &Piece, side: usize, node: Vec3, clear: f64) -> Option<Piece> {
    let (fit, radius) = (&piece.fit, piece.radius());
    let near = clear_of(piece, side, node, clear)?;
    let unit = radius / fit.tube.slope(near).norm().max(f64::MIN_POSITIVE);
    let inward = [1.0, -1.0][side];
    let far = (near + inward * STRETCH * unit).clamp(fit.from, fit.to);
    let (from, to) = (near.min(far), near.max(far));
    let count = ((to - from) / (0.9 * unit)).round() as usize;
    if count < 4 {
        return None;
    }
    let width = (to - from) / count as f64;
    let limit = (5.0 * fit.scale).max(0.05 * radius);
    let mut rings: Vec<(Vec3, Vec<Sample>)> =
        (0..count).map(|i| (fit.tube.at(from + (i as f64 + 0.5) * width), Vec::new())).collect();
    for (s, e) in fit.samples.iter().zip(&fit.residuals) {
        if e.abs() < limit && (from..to).contains(&s.u) {
            rings[(((s.u - from) / width) as usize).min(count - 1)].1.push(Sample { bias: 0.0, ..*s });
        }
    }
    let centres = rings.iter().map(|ring| ring.0).collect();
    let strand = Strand { centres, radius, rings, ..Strand::default() };
    let fit = strand.fit([None, None], false)?;
    Some(Piece::new(strand, fit, [None, None]))
}

impl Leg {
    /// How far a vertex beyond the end is off the tube, in radii, where it is on it and before the junction.
    fn off(&self, x: &Vec3, node: Vec3) -> Option<f64> {
        let piece = self.stretch.as_ref()?;
        let tube = &piece.fit.tube;
        let end = [piece.fit.from, piece.fit.to][self.side];
        let (at, out) = piece.end(self.side);
        let radius = piece.radius();
        let along = (x - at).dot(&out);
        if !(-0.5 * radius..1.5 * self.stride * radius).contains(&along) {
            return None;
        }
        let outward = [-1.0, 1.0][self.side];
        let speed = tube.slope(end).norm().max(f64::MIN_POSITIVE);
        let u = tube.foot(x, end + outward * along / speed);
        let past = outward * (u - end) * speed;
        let centre = tube.at(u);
        if !(0.02 * radius..self.stride * radius).contains(&past) || (node - centre).dot(&out) < 0.0 {
            return None;
        }
        // The radius where it is known.
        let known = tube.radius(end - outward * BEFORE * radius / speed);
        let off = ((x - centre).norm() - known).abs() / radius;
        (off < ON.max(4.0 * piece.fit.scale / radius)).then_some(off)
    }

    /// In how many of the directions around the end vertices are. Where the surface of a tube has ended, those of others that it crosses
    /// are on it as well, in two.
    fn sides(&self, vertices: &[Vec3]) -> u32 {
        let Some(piece) = &self.stretch else { return 0 };
        let (at, out) = piece.end(self.side);
        let [x, y] = square_to(&out);
        let sector = |v: &Vec3| ((v - at).dot(&y).atan2((v - at).dot(&x)) / TAU + 0.5) * f64::from(SIDES);
        vertices.iter().fold(0_u32, |all, v| all | 1 << (sector(v) as u32).min(SIDES - 1)).count_ones()
    }

    /// Adds vertices beyond the end and fits the tube again; whether that went well.
    fn follow(&mut self, vertices: &[Vec3]) -> bool {
        if self.sides(vertices) < LEAST {
            return false;
        }
        let Some(piece) = &self.stretch else { return false };
        let (at, out) = piece.end(self.side);
        let centre = at + 0.5 * self.stride * piece.radius() * out;
        let samples: Vec<Sample> =
            vertices.iter().map(|x| Sample { x: *x, u: 0.0, bias: 0.0, rim: false }).collect();
        let mut strand = piece.strand.clone();
        strand.prolong(self.side, centre, samples.clone());
        let Some(fit) = strand.fit([None, None], false) else { return false };
        let longer = Piece::new(strand, fit, [None, None]);
        let by = (longer.end(self.side).0 - at).dot(&out) / piece.radius();
        let scatter = 2.0 * piece.fit.scale.max(1e-3 * piece.radius());
        if longer.fit.scale > scatter || !(0.0..1.5 * self.stride).contains(&by) {
            return false;
        }
        self.stretch = Some(longer);
        self.found.push((centre, samples));
        true
    }
}

/// Gives a cable the vertices that were found beyond where it is clear of the others, instead of those that its rings had there.
fn take_over(piece: &mut Piece, leg: Leg, node: Vec3, clear: f64) {
    let Some(end) = clear_of(piece, leg.side, node, clear) else { return };
    let tube = &piece.fit.tube;
    let (at, out) = (tube.at(end), tube.tangent(end) * [-1.0, 1.0][leg.side]);
    let is_beyond = |x: &Vec3| (x - node).norm() < 2.0 * clear && (x - at).dot(&out) > 0.0;
    let strand = &mut piece.strand;
    strand.centres.retain(|x| !is_beyond(x));
    strand.rings.retain(|ring| !is_beyond(&ring.0));
    for ring in &mut strand.rings {
        ring.1.retain(|s| !is_beyond(&s.x));
    }
    for (centre, samples) in leg.found {
        piece.strand.prolong(leg.side, centre, samples);
    }
}
