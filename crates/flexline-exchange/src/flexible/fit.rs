//! Geometry: a cubic B-spline centreline with its radius, fitted to the vertices.
//!
//! Vertices lie on the surface, faces are chords of it. The residual of a vertex x with its foot u is
//! e = |x − c(u)| − r(u); the foot is where x − c(u) is square to the tangent, so that e does not change with it to first
//! order and ∂e = −n·∂c − ∂r, n = (x − c)/|x − c| (Gauss–Newton with separated parameters). Weights are Tukey's, their
//! scale the median of |e|: vertices of caps, stray triangles and walls inside lose their say. Knots are as many as lower the
//! generalised cross-validation (Craven & Wahba 1979).

use flexline::Vec3;
use flexline::algebra::band::Banded;

use super::section::{self, Shape};
use super::spline::{Tube, basis, slopes};

/// A vertex, and where along the tube it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub x: Vec3,
    pub u: f64,
    /// What the shape of the section takes it off a round tube.
    pub bias: f64,
    /// On an open or sharp edge of the mesh: perhaps where the surface ends.
    pub rim: bool,
}

/// A fitted tube.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    pub tube: Tube,
    pub samples: Vec<Sample>,
    /// e of each sample.
    pub residuals: Vec<f64>,
    /// Robust standard deviation of e.
    pub scale: f64,
    /// Shapes of the section along the tube, where it is not round.
    pub shapes: Vec<Shape>,
    /// Parameters at which the surface begins and ends.
    pub from: f64,
    pub to: f64,
}

/// Knots are chosen with so many vertices, the tube is fitted to so many: more add time, not accuracy.
const FEW: usize = 4_000;
const MANY: usize = 16_000;
/// Of a surface that is off the tube by more than this share of the radius, corrugated or noisy, so many: chance is averaged out.
const ROUGH: f64 = 0.01;
const MOST: usize = 80_000;
/// Weights of the differences of control points, beside one per vertex.
const SECOND: f64 = 1e-6;
const THIRD: f64 = 1e-6;
const RADIUS: f64 = 1e-5;
const SLIDE: f64 = 0.1;
const STRAIGHT: f64 = 0.1;
/// Least scale of the weights, in radii: vertices this near are never outliers.
const LEAST: f64 = 4e-3;

/// A ring of vertices in a plane, with none near before and behind: the tube is square to it.
#[derive(Clone, Copy, Debug)]
struct Facing {
    u: f64,
    normal: Vec3,
    weight: f64,
}

/// Rings that stand alone. Between them there is nothing but their planes to tell how the cable leaves one and comes to the
/// next: a straight stretch of pipe has none between its ends.
fn facings(tube: &Tube, samples: &[Sample]) -> Vec<Facing> {
    let on = |s: &&Sample| residual(tube, s).abs() < 0.05 * tube.radius(s.u);
    let mut order: Vec<&Sample> = samples.iter().filter(on).collect();
    order.sort_by(|a, b| a.u.total_cmp(&b.u));
    let radius = |u: f64| tube.radius(u) / tube.slope(u).norm().max(f64::MIN_POSITIVE);
    let rings: Vec<&[&Sample]> = order.chunk_by(|a, b| b.u - a.u < 0.1 * radius(a.u)).collect();
    let (mut facings, mut flat_rings) = (Vec::new(), 0);
    for (k, ring) in rings.iter().enumerate() {
        let (first, last) = (ring[0].u, ring[ring.len() - 1].u);
        let reach = 0.8 * radius(first);
        let before = k == 0 || first - rings[k - 1][rings[k - 1].len() - 1].u > reach;
        let behind = k + 1 == rings.len() || rings[k + 1][0].u - last > reach;
        if ring.len() < 5 || last - first > 0.3 * radius(first) {
            continue;
        }
        let count = ring.len() as f64;
        let centre = ring.iter().fold(Vec3::zeros(), |s, v| s + v.x) / count;
        let spread =
            ring.iter().fold(flexline::Mat3::zeros(), |m, v| m + (v.x - centre) * (v.x - centre).transpose());
        let eigen = (spread / count).symmetric_eigen();
        let thin = eigen.eigenvalues.imin();
        let round = tube.radius(first);
        let u = ring.iter().map(|s| s.u).sum::<f64>() / count;
        let (flat, centred) = (eigen.eigenvalues[thin].max(0.0).sqrt(), (centre - tube.at(u)).norm());
        if flat > 0.01 * round || centred > 0.2 * round {
            continue;
        }
        flat_rings += 1;
        if before || behind {
            facings.push(Facing { u, normal: eigen.eigenvectors.column(thin).into(), weight: count });
        }
    }
    // A few chance rings among scattered vertices are no reason.
    if 2 * flat_rings > rings.len() { facings } else { Vec::new() }
}

/// Two rings square to the line between them have a straight stretch between them: points of it. A spline that left the
/// bend before would take a span to lose its curvature, and bulge.
fn straights(tube: &Tube, facings: &[Facing]) -> Vec<Pin> {
    let mut pins = Vec::new();
    for pair in facings.windows(2) {
        let (a, b) = (tube.at(pair[0].u), tube.at(pair[1].u));
        let (chord, radius) = (b - a, tube.radius(pair[0].u));
        // So square that an arc between them would be off the line by less than a hundredth of the radius.
        let square = |f: &Facing| f.normal.cross(&chord).norm() < 0.04 * radius;
        if chord.norm() < 2.5 * radius || !square(&pair[0]) || !square(&pair[1]) {
            continue;
        }
        let count = (2.0 * chord.norm() / radius).ceil().min(2000.0) as usize;
        for i in 1..count {
            let t = i as f64 / count as f64;
            let u = pair[0].u + t * (pair[1].u - pair[0].u);
            let at = a + t * chord;
            pins.push(Pin { u: tube.foot(&at, u), at, weight: STRAIGHT });
        }
    }
    pins
}

/// A point that the centreline goes through.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pin {
    pub u: f64,
    pub at: Vec3,
    /// Beside the mean weight of the vertices of a control point. Below one it is a hint that is dropped in the end.
    pub weight: f64,
}

/// Fits a tube to vertices, from a polyline with a first guess of the radius.
/// `thorough` looks for the best knots; else every two radii have one.
pub(crate) fn fit(
    polyline: &[Vec3],
    radius: f64,
    samples: &[Sample],
    pins: &[Pin],
    thorough: bool,
) -> Option<Fit> {
    let arc = arc_lengths(polyline);
    let length = *arc.last()?;
    if length <= 0.0 || radius <= 0.0 || samples.len() < 6 {
        return None;
    }
    let spans_for = |spacing: f64| ((length / (spacing * radius)).ceil() as usize).clamp(3, 4000);
    let spans = spans_for(2.0).min(3 + samples.len() / 6);
    let mut tube = through(polyline, &arc, radius, spans);
    let to_u = spans as f64 / length;
    let mut used = thinned(samples, FEW);
    used.iter_mut().for_each(|s| s.u = nearby(&tube, &s.x, s.u * to_u, radius * to_u));
    // Far from the answer first: stiff, so that the middle of a half-seen surface finds its side.
    // The scale comes down in steps, so that ends whose guess was poor are not given up as outliers.
    let (hints, pins) = scaled(pins, to_u);
    let mut scale = f64::INFINITY;
    for (firm, floor, rounds) in [(1e-2, 0.3, 8), (0.1, 0.1, 6), (1.0, 0.03, 6), (1.0, 0.0, 10)] {
        let facing = facings(&tube, &used);
        let mut pins = if floor > 0.0 { hints.clone() } else { pins.clone() };
        pins.extend(straights(&tube, &facing));
        scale = descend(&mut tube, &mut used, &pins, &facing, [firm, floor * radius], rounds)?;
    }
    let mut shapes = section::shapes(&tube, &used);
    let shaped = section::matters(&tube, &shapes);
    if shaped {
        for _ in 0..3 {
            section::correct(&tube, &shapes, &mut used);
            let facing = facings(&tube, &used);
            scale = descend(&mut tube, &mut used, &pins, &facing, [1.0, 0.0], 6)?;
            shapes = section::shapes(&tube, &used);
        }
    }
    let score = |tube: &Tube, used: &[Sample], scale: f64| {
        let (mut sum, mut count) = (0.0, 0.0);
        for s in used {
            let w = tukey(residual(tube, s), scale.max(LEAST * radius));
            sum += w * residual(tube, s).powi(2);
            count += w;
        }
        let facings = facings(tube, used);
        for p in straights(tube, &facings) {
            let tangent = tube.tangent(p.u);
            let off = p.at - tube.at(p.u);
            sum += (off - off.dot(&tangent) * tangent).norm_squared();
            count += 1.0;
        }
        for f in facings {
            let off = tube.tangent(f.u) - tube.tangent(f.u).dot(&f.normal) * f.normal;
            sum += f.weight * tube.radius(f.u).powi(2) * off.norm_squared();
            count += f.weight;
        }
        let freedom: f64 = 4.0 * tube.points.len() as f64;
        if count <= 1.2 * freedom { f64::INFINITY } else { sum / count / (1.0 - freedom / count).powi(2) }
    };
    let (start, start_samples) = (tube.clone(), used.clone());
    let mut best = (score(&tube, &used, scale), tube, used, scale);
    let mut finest = 0;
    for spacing in [6.0, 4.0, 1.7, 1.2, 0.8] {
        let spans = spans_for(spacing);
        // Good enough, or finer knots did not help last time.
        if !thorough
            || best.0 < (1e-6 * radius).powi(2)
            || (spans > best.1.spans() && finest > best.1.spans() && hints.len() == pins.len())
        {
            continue;
        }
        if 4 * (spans + 3) * 2 > 3 * start_samples.len() || spans == start.spans() {
            continue;
        }
        finest = finest.max(spans);
        let mut tube = start.with_spans(spans);
        let stretch = spans as f64 / start.spans() as f64;
        let mut used: Vec<Sample> = start_samples.iter().map(|s| Sample { u: s.u * stretch, ..*s }).collect();
        let (hints, mut pins) = scaled(&hints, stretch);
        if hints.len() > pins.len() {
            let facing = facings(&tube, &used);
            let _ = descend(&mut tube, &mut used, &hints, &facing, [1.0, 0.03 * radius], 5);
        }
        let facing = facings(&tube, &used);
        pins.extend(straights(&tube, &facing));
        let Some(scale) = descend(&mut tube, &mut used, &pins, &facing, [1.0, 0.0], 10) else { continue };
        if shaped {
            section::correct(&tube, &section::shapes(&tube, &used), &mut used);
        }
        // All are judged by the scale of the best so far, so that weights do not flatter.
        let judged = score(&tube, &used, best.3.max(1e-5 * radius));
        if judged < 0.97 * score(&best.1, &best.2, best.3.max(1e-5 * radius)) {
            best = (judged, tube, used, scale);
        }
    }
    let (_, mut tube, mut used, scale) = best;
    let stretch = tube.spans() as f64 / length;
    let place = |tube: &Tube, s: &Sample| nearby(tube, &s.x, s.u * stretch, radius * stretch);
    let most = if scale > ROUGH * radius { MOST } else { MANY };
    if samples.len() > used.len() {
        let few = std::mem::replace(&mut used, thinned(samples, most));
        used.iter_mut().for_each(|s| s.u = place(&tube, s));
        let (_, mut pins) = scaled(&hints, tube.spans() as f64 / start.spans() as f64);
        let facing = facings(&tube, &few);
        pins.extend(straights(&tube, &facing));
        if shaped {
            section::correct(&tube, &section::shapes(&tube, &used), &mut used);
        }
        descend(&mut tube, &mut used, &pins, &facing, [1.0, 0.0], 4)?;
    }
    let mut all = used;
    if samples.len() > all.len() {
        all = samples.iter().map(|s| Sample { u: place(&tube, s), ..*s }).collect();
    }
    let shapes = if shaped { section::shapes(&tube, &all) } else { Vec::new() };
    section::correct(&tube, &shapes, &mut all);
    Some(finish(tube, all, shapes))
}

/// About so many of the samples, by a number that has nothing to do with how vertices are ordered.
fn thinned(samples: &[Sample], most: usize) -> Vec<Sample> {
    let share = most as f64 / samples.len() as f64;
    let chosen = |i: usize| (i as u32).wrapping_mul(0x9e37_79b1) as f64 <= share * f64::from(u32::MAX);
    samples.iter().enumerate().filter(|(i, _)| share >= 1.0 || chosen(*i)).map(|(_, s)| *s).collect()
}

/// Pins on another scale of parameters: with the hints, and without.
fn scaled(pins: &[Pin], stretch: f64) -> (Vec<Pin>, Vec<Pin>) {
    let all: Vec<Pin> = pins.iter().map(|p| Pin { u: p.u * stretch, ..*p }).collect();
    let firm = all.iter().copied().filter(|p| p.weight >= 1.0).collect();
    (all, firm)
}

/// Residuals of all samples and where the surface begins and ends.
pub(crate) fn finish(tube: Tube, samples: Vec<Sample>, shapes: Vec<Shape>) -> Fit {
    let residuals: Vec<f64> = samples.iter().map(|s| residual(&tube, s)).collect();
    let scale = spread(&residuals);
    let mut fit = Fit { tube, samples, residuals, scale, shapes, from: 0.0, to: 0.0 };
    (fit.from, fit.to) = (fit.end(-1.0), fit.end(1.0));
    fit
}

/// Sides in which the end of a surface is looked for.
const SIDES: usize = 24;

impl Fit {
    /// Where the surface ends, towards larger u (`side` = 1) or smaller (−1): the median over all sides of the last vertex,
    /// so that neither noise nor a slanting cut moves it far. Of a rim only its own vertices count, where there is one.
    fn end(&self, side: f64) -> f64 {
        let limit = |u: f64| (5.0 * self.scale).max(0.02 * self.tube.radius(u));
        let on = |s: &Sample, e: f64| e.abs() < limit(s.u);
        let all = || self.samples.iter().zip(&self.residuals).filter(|(s, e)| on(s, **e)).map(|(s, _)| s);
        let last = all().map(|s| side * s.u).fold(f64::NEG_INFINITY, f64::max);
        if !last.is_finite() {
            return if side > 0.0 { self.tube.spans() as f64 } else { 0.0 };
        }
        let u = side * last;
        let radius = self.tube.radius(u) / self.tube.slope(u).norm().max(f64::MIN_POSITIVE);
        let tangent = self.tube.tangent(u);
        // A flat cap with vertices of its own says it.
        let inside = |s: &&Sample| (s.x - self.tube.at(s.u)).norm() - s.bias < 0.8 * self.tube.radius(s.u);
        let mut cap: Vec<f64> = self.samples.iter().filter(inside).map(|s| side * s.u).collect();
        cap.retain(|c| (c - last).abs() < 0.35 * radius);
        cap.sort_by(f64::total_cmp);
        if !cap.is_empty() && cap[cap.len() - 1] - cap[0] < 0.1 * radius {
            return side * 0.5 * (cap[(cap.len() - 1) / 2] + cap[cap.len() / 2]);
        }
        let [across, up] = square_to(&tangent);
        let sides = |rims: bool| {
            let mut sides = [(f64::NEG_INFINITY, false); SIDES];
            for s in all().filter(|s| (s.rim || !rims) && side * s.u > last - 0.35 * radius) {
                let off = s.x - self.tube.at(s.u);
                let turn = off.dot(&up).atan2(off.dot(&across)) / std::f64::consts::TAU + 0.5;
                let k = ((turn * SIDES as f64) as usize).min(SIDES - 1);
                if side * s.u > sides[k].0 {
                    sides[k] = (side * s.u, s.rim);
                }
            }
            let mut found: Vec<(f64, bool)> = sides.into_iter().filter(|x| x.0.is_finite()).collect();
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            found
        };
        let any = sides(false);
        let rims = 10 * any.iter().filter(|x| x.1).count() > 6 * any.len();
        let found = if rims { sides(true) } else { any };
        match found.len() {
            0..=2 => u,
            n => side * 0.5 * (found[(n - 1) / 2].0 + found[n / 2].0),
        }
    }

    /// Where its samples are along it, as lengths.
    pub fn places(&self) -> Vec<f64> {
        let spans = self.tube.spans();
        let mut arc = vec![0.0; spans + 1];
        for k in 0..spans {
            arc[k + 1] = arc[k] + self.tube.length(k as f64, (k + 1) as f64);
        }
        let at = |u: f64| {
            let k = (u.max(0.0) as usize).min(spans - 1);
            arc[k] + (u - k as f64) * (arc[k + 1] - arc[k])
        };
        self.samples.iter().map(|s| at(s.u)).collect()
    }

    pub fn length(&self) -> f64 {
        self.tube.length(self.from, self.to)
    }

    pub fn mean_radius(&self) -> f64 {
        let n = 64;
        (0..=n)
            .map(|i| self.tube.radius(self.from + (self.to - self.from) * i as f64 / n as f64))
            .sum::<f64>()
            / (n + 1) as f64
    }
}

pub(crate) fn residual(tube: &Tube, s: &Sample) -> f64 {
    (s.x - tube.at(s.u)).norm() - tube.radius(s.u) - s.bias
}

/// Two directions square to one and to each other.
pub(crate) fn square_to(tangent: &Vec3) -> [Vec3; 2] {
    let across = tangent.cross(&if tangent.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() }).normalize();
    [across, tangent.cross(&across)]
}

/// 1.4826 times the median of |e|: the standard deviation, were it normal.
fn spread(residuals: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = residuals.iter().map(|e| e.abs()).collect();
    if sizes.is_empty() {
        return 0.0;
    }
    let middle = sizes.len() / 2;
    1.4826 * *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Tukey's weight.
fn tukey(e: f64, scale: f64) -> f64 {
    let t = e / (4.685 * scale);
    if t.abs() < 1.0 { (1.0 - t * t).powi(2) } else { 0.0 }
}

/// Sum of lengths of a polyline up to each of its points.
pub(crate) fn arc_lengths(polyline: &[Vec3]) -> Vec<f64> {
    let mut arc = vec![0.0; polyline.len()];
    for i in 1..polyline.len() {
        arc[i] = arc[i - 1] + (polyline[i] - polyline[i - 1]).norm();
    }
    arc
}

/// A point of a polyline by its arc length.
pub(crate) fn along(polyline: &[Vec3], arc: &[f64], s: f64) -> Vec3 {
    let i = arc.partition_point(|a| *a < s).clamp(1, polyline.len() - 1);
    let width = arc[i] - arc[i - 1];
    let t = if width > 0.0 { (s - arc[i - 1]) / width } else { 0.0 };
    polyline[i - 1] + t * (polyline[i] - polyline[i - 1])
}

/// A spline near a polyline: its control points lie on it.
fn through(polyline: &[Vec3], arc: &[f64], radius: f64, spans: usize) -> Tube {
    let length = arc[arc.len() - 1];
    let points =
        (0..spans + 3).map(|k| along(polyline, arc, (k as f64 - 1.0) * length / spans as f64)).collect();
    Tube { points, radii: vec![radius; spans + 3] }
}

/// The foot of a point, looked for around a guess.
fn nearby(tube: &Tube, x: &Vec3, guess: f64, reach: f64) -> f64 {
    let end = tube.spans() as f64;
    let mut best = (f64::INFINITY, guess);
    for k in -8..=8 {
        let u = (guess + 0.3 * k as f64 * reach).clamp(0.0, end);
        let d = (tube.at(u) - x).norm_squared();
        if d < best.0 {
            best = (d, u);
        }
    }
    tube.foot(x, best.1)
}

/// Gauss–Newton steps until nothing moves: the scale of what is left.
fn descend(
    tube: &mut Tube,
    samples: &mut [Sample],
    pins: &[Pin],
    facings: &[Facing],
    how: [f64; 2],
    rounds: usize,
) -> Option<f64> {
    let [firm, floor] = how;
    let n = tube.points.len();
    let mean = samples.len() as f64 / n as f64;
    let mut matrix = Banded::zeros(4 * n, 15);
    let mut right = vec![0.0; 4 * n];
    let mut held = vec![0.0; n];
    let typical = tube.radii[n / 2].abs();
    let mut scale = f64::INFINITY;
    for _ in 0..rounds {
        let residuals: Vec<f64> = samples.iter().map(|s| residual(tube, s)).collect();
        scale = spread(&residuals);
        let limit = scale.max(floor).max(LEAST * typical);
        matrix.clear();
        right.fill(0.0);
        held.fill(0.0);
        for (s, e) in samples.iter().zip(&residuals) {
            let w = tukey(*e, limit);
            if w == 0.0 {
                continue;
            }
            let (span, t) = tube.place(s.u);
            if !(-0.5..=1.5).contains(&t) {
                continue;
            }
            let b = basis(t);
            let off = s.x - tube.at(s.u);
            // On the axis there is no side to be on: middles of caps.
            let Some(normal) = off.try_normalize(0.3 * tube.radius(s.u)) else { continue };
            // Rows −b n for the points, −b for the radius.
            (0..4).for_each(|k| held[span + k] += w * b[k] * b[k]);
            let row = |k: usize| [-b[k] * normal.x, -b[k] * normal.y, -b[k] * normal.z, -b[k]];
            for i in 0..4 {
                let a = row(i);
                for p in 0..4 {
                    right[4 * (span + i) + p] -= w * a[p] * e;
                    for j in 0..=i {
                        let c = row(j);
                        for q in 0..if i == j { p + 1 } else { 4 } {
                            matrix.add(4 * (span + i) + p, 4 * (span + j) + q, w * a[p] * c[q]);
                        }
                    }
                }
            }
        }
        for Pin { u, at, weight } in pins {
            let (span, t) = tube.place(*u);
            let b = basis(t.clamp(0.0, 1.0));
            let off = at - tube.at(*u);
            let w = weight * mean;
            for i in 0..4 {
                for p in 0..3 {
                    right[4 * (span + i) + p] += w * b[i] * off[p];
                    for j in 0..=i {
                        matrix.add(4 * (span + i) + p, 4 * (span + j) + p, w * b[i] * b[j]);
                    }
                }
            }
        }
        for facing in facings {
            let (span, t) = tube.place(facing.u);
            let b = slopes(t);
            let slope = tube.slope(facing.u);
            let size = tube.radius(facing.u) / slope.norm().max(f64::MIN_POSITIVE);
            let [x, y] = square_to(&facing.normal);
            for side in [x, y] {
                let e = size * slope.dot(&side);
                for i in 0..4 {
                    for p in 0..3 {
                        right[4 * (span + i) + p] -= facing.weight * size * b[i] * side[p] * e;
                        for j in 0..=i {
                            for q in 0..if i == j { p + 1 } else { 3 } {
                                let value = size * size * b[i] * b[j] * side[p] * side[q];
                                matrix.add(4 * (span + i) + p, 4 * (span + j) + q, facing.weight * value);
                            }
                        }
                    }
                }
            }
        }
        // Where vertices scatter, or the section is no circle, more of it.
        let scatter = (scale / typical).powi(2);
        stiffen(&mut matrix, &mut right, tube, mean / firm, scatter);
        // A curve may slide along itself without changing: steps along the tangent cost, so that it does not. Where no
        // vertex holds it, it may: it has to shorten to become straight.
        for k in 0..n {
            let tangent = tube.tangent(k as f64 - 1.0);
            let slide = SLIDE * held[k] + 1e-8 * mean;
            for p in 0..3 {
                for q in 0..=p {
                    matrix.add(4 * k + p, 4 * k + q, slide * tangent[p] * tangent[q]);
                }
            }
        }
        if matrix.factorise().is_err() {
            return None;
        }
        matrix.solve(&mut right);
        if !right.iter().all(|x| x.is_finite()) {
            return None;
        }
        let step = |k: usize| Vec3::new(right[4 * k], right[4 * k + 1], right[4 * k + 2]);
        let largest = (0..n).map(|k| step(k).norm().max(right[4 * k + 3].abs())).fold(0.0, f64::max);
        let share = (typical / largest).min(1.0);
        for k in 0..n {
            tube.points[k] += share * step(k);
            tube.radii[k] = (tube.radii[k] + share * right[4 * k + 3]).max(0.05 * typical);
        }
        for s in samples.iter_mut() {
            s.u = tube.foot(&s.x, s.u);
        }
        if largest < 1e-6 * typical {
            break;
        }
    }
    Some(scale)
}

/// Differences of control points, lightly: where there are no vertices the tube goes on smoothly.
fn stiffen(matrix: &mut Banded, right: &mut [f64], tube: &Tube, mean: f64, scatter: f64) {
    let n = tube.points.len();
    let mut penalty = |stencil: &[f64], weight: f64, parts: std::ops::Range<usize>| {
        for first in 0..=n.saturating_sub(stencil.len()) {
            for p in parts.clone() {
                let value: f64 = (0..stencil.len())
                    .map(|k| {
                        stencil[k] * if p < 3 { tube.points[first + k][p] } else { tube.radii[first + k] }
                    })
                    .sum();
                for i in 0..stencil.len() {
                    right[4 * (first + i) + p] -= weight * stencil[i] * value;
                    for j in 0..=i {
                        matrix.add(
                            4 * (first + i) + p,
                            4 * (first + j) + p,
                            weight * stencil[i] * stencil[j],
                        );
                    }
                }
            }
        }
    };
    penalty(&[1.0, -2.0, 1.0], (SECOND + 2e-5 * scatter) * mean, 0..3);
    penalty(&[1.0, -3.0, 3.0, -1.0], (THIRD + 2e-2 * scatter) * mean, 0..3);
    penalty(&[1.0, -1.0], (RADIUS + 5e-2 * scatter) * mean, 3..4);
}
