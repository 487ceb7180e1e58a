//! A rod inside a straight tube: it lies along the lowest line, snakes to and fro when it is pushed, or winds round.
//!
//! The tube is along x; the axis of the rod has the clearance rc to move about. Its radius drops out: it is rc too.

use super::super::{list, name};
use super::CHAINS;
use super::rest::{Hold, Rest, obstacle, upright};
use crate::case::{Cases, Measure};
use crate::compare::{threshold, worse};
use crate::field::{Field, FieldError};
use crate::follow::{Probe, critical};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform, weight};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::Station;
use flexline::solver::Pose;
use flexline::solver::network::{Constraint, Contact, Point, Sense};
use std::f64::consts::PI;

/// Half waves of a rod that stands for an endless one: it buckles at the same load.
const HALF_WAVES: f64 = 4.0;
/// Angles round the tube beyond which a rod has left the lowest line, rad.
const LEFT: f64 = 1e-4;
/// Amplitude from which a snaking state is sought, rad.
const FIRST_WAVE: f64 = 0.1;
/// What is asked of snaking states beyond the error of their small slopes, relative.
const SNAKE: f64 = 1e-2;
/// Half waves, and spacings of nodes, from the ends within which the wall force is not compared: the joints are held
/// beside the wall.
const AWAY: [f64; 2] = [0.15, 10.0];
/// Helix angle below which a wall force is not sought, rad.
const SLIGHT: f64 = 0.08;
/// Segments that a half wave must have at least.
const PER_HALF_WAVE: usize = 30;

/// Reads `infinite`, `finite`, `snake` and `helix`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (key, pose) in [
        ("infinite", infinite as fn(&Field) -> Result<Measure, FieldError>),
        ("finite", finite),
        ("snake", snake),
        ("helix", helix),
    ] {
        for (place, case) in list(root, key)? {
            let slight = case.find("params").map_or(Ok(None), |params| params.maybe_number("helix_angle"))?;
            if slight.is_some_and(|angle| angle < SLIGHT) {
                let why = "a wall that presses so little beside the compression is not found in time, not built yet";
                cases.unsupported(name(&case, key, place)?, place, why);
                continue;
            }
            cases.add_contact(name(&case, key, place)?, place, &CHAINS, pose(&case))?;
        }
    }
    Ok(())
}

/// A heavy rod in a tube between ball joints on its lowest line, one of which slides along it.
#[derive(Clone, Copy)]
struct Tube {
    uniform: Uniform,
    clearance: f64,
    /// Weight per length across the tube, N/m.
    weight: f64,
}

impl Tube {
    /// Reads EI, K0, clearance and weight; the length where there is one.
    fn read(params: &Field, length: Option<f64>) -> Result<Self, FieldError> {
        let ei = params.positive("EI")?;
        let k0 = params.maybe_number("K0")?.unwrap_or(ei);
        let length = length.map_or_else(|| params.positive("L"), Ok)?;
        let down = match params.maybe_number("weight_per_length")? {
            Some(weight) => weight,
            None => params.positive("linear_density")? * params.positive("g")?,
        };
        let inclination = params.maybe_number("inclination_from_vertical_deg")?.unwrap_or(90.0);
        Ok(Self {
            uniform: Uniform { length, stiffness: Vec3::new(ei, ei, k0), density: 0.0 },
            clearance: params.positive("radial_clearance")?,
            weight: down * inclination.to_radians().sin(),
        })
    }

    /// Load of `n` half waves, N: EI q² + w/(rc q²) with q = nπ/L.
    fn load(&self, n: usize) -> f64 {
        let q2 = (n as f64 * PI / self.uniform.length).powi(2);
        self.uniform.stiffness.x * q2 + self.weight / (self.clearance * q2)
    }

    /// Number of half waves with the least load.
    fn half_waves(&self) -> usize {
        (1..).find(|&n| self.load(n + 1) > self.load(n)).unwrap_or(1)
    }

    /// On the lowest line, without its compression.
    fn rest(&self, grid: Grid) -> Result<Rest, String> {
        let (density, gravity) = weight(&(-Vec3::z() * self.weight));
        let uniform = Uniform { density, ..self.uniform };
        let low = -Vec3::z() * self.clearance;
        let ends = [low, low + Vec3::x() * uniform.length].map(|at| (Hold::Clamped, upright(at, 0.0)));
        let mut rest = Rest::new(&uniform, self.clearance, grid, ends[0], ends[1])?;
        for anchor in &mut rest.network.anchors {
            anchor.held_orientation = false;
            // The wall holds it from below.
            anchor.held[2] = false;
        }
        rest.network.anchors[1].held[0] = false;
        // The start does not spin about itself, and both ends stay level: where the rod snakes, as if it went on in the tube.
        let (level, along) = (rotation::rotate(&ends[0].1.orientation.conjugate(), &Vec3::y()), Vec3::z());
        for (anchor, own) in [(0, level), (0, along), (1, along)] {
            rest.network.constraints.push(Constraint::Plane {
                point: Point::On(anchor, own * uniform.length),
                on: None,
                through: low,
                normal: Vec3::z(),
                sense: Sense::Equal,
            });
        }
        rest.network.gravity = gravity;
        rest.network.obstacles.push(bore(self.clearance));
        rest.renew();
        Ok(rest)
    }

    /// The compression at which the lowest line is left, N.
    fn onset(&self, grid: Grid) -> Result<f64, String> {
        let mut rest = self.rest(grid)?;
        rest.solve()?;
        // Without weight it would buckle here already.
        let step = 0.5 * self.uniform.stiffness.x * (PI / self.uniform.length).powi(2);
        critical(0.0, step, 1.5, &mut |load| {
            rest.network.anchors[1].force.x = -load;
            let before = rest.state.clone();
            let found = match rest.solve() {
                Err(why) => return Ok(Probe::Lost(why)),
                Ok(report) => report.negative > 0,
            };
            let unstable = found || largest_angle(&rest) > LEFT;
            if unstable {
                rest.state = before;
            }
            Ok(Probe::from(unstable))
        })
    }
}

/// The tube of a rod with this clearance and this radius.
fn bore(clearance: f64) -> Obstacle {
    obstacle(Shape::Tube { radius: 2.0 * clearance }, Vec3::zeros(), Vec3::x())
}

/// Angle round the tube from its lowest line, rad.
fn angle(x: &Vec3) -> f64 {
    x.y.atan2(-x.z)
}

fn largest_angle(rest: &Rest) -> f64 {
    rest.rod().arcs().iter().map(|&s| angle(&rest.at(s)).abs()).fold(0.0, worse)
}

/// An endless rod buckles as one whose length is so many of its half waves.
fn infinite(case: &Field) -> Result<Measure, FieldError> {
    let own = Tube::read(&case.get("params")?, Some(1.0))?;
    let half_wave = PI * (own.uniform.stiffness.x * own.clearance / own.weight).sqrt().sqrt();
    let tube = Tube { uniform: Uniform { length: HALF_WAVES * half_wave, ..own.uniform }, ..own };
    let reference = case.get("results")?.positive("F_sinusoidal")?;
    Ok(Box::new(move |grid| Ok(vec![threshold("onset of snaking", tube.onset(grid)?, reference)])))
}

fn finite(case: &Field) -> Result<Measure, FieldError> {
    let tube = Tube::read(&case.get("params")?, None)?;
    let reference = case.get("results")?.positive("F_critical")?;
    Ok(Box::new(move |grid| Ok(vec![threshold("onset of snaking", tube.onset(grid)?, reference)])))
}

/// A rod that snakes.
fn snake(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let tube = Tube::read(&params, None)?;
    let compression = params.positive("axial_compression")?;
    let results = case.get("results")?;
    let largest = results.positive("largest_phi")?;
    let shortening = results.maybe_number("shortening")?;
    let within = SNAKE + results.maybe_number("model_error_estimate")?.unwrap_or(0.0);
    let samples = case.get("samples")?;
    let places = samples.get("s")?.as_numbers()?;
    let [angles, walls] = ["phi", "wall_force_per_length"].map(|key| samples.maybe_numbers(key));
    let (angles, walls) = (angles?, walls?);
    if [&angles, &walls].into_iter().flatten().any(|list| list.len() != places.len()) {
        return Err(samples.get("s")?.uneven());
    }
    Ok(Box::new(move |grid| {
        let rest = tube.snaking(compression, grid)?;
        let mut out = Vec::new();
        rest.compare(None, &|x| tube.clearance - x.y.hypot(x.z), &mut out);
        out.push(Quantity::new("largest angle", (largest_angle(&rest) / largest - 1.0).abs(), within));
        if let Some(angles) = &angles {
            // Either side is as good.
            let off = |side: f64| {
                let each = places.iter().zip(angles).map(|(&s, phi)| (angle(&rest.at(s)) - side * phi).abs());
                each.fold(0.0, worse) / largest
            };
            out.push(Quantity::new("angle round the tube", off(1.0).min(off(-1.0)), within));
        }
        if let Some(walls) = &walls {
            let strongest = walls.iter().copied().fold(0.0, f64::max);
            let half_wave = rest.length() / tube.half_waves() as f64;
            let (contacts, away) = (rest.contacts(), (AWAY[0] * half_wave).max(AWAY[1] * rest.spacing));
            let each = places
                .iter()
                .zip(walls)
                .filter(|(s, _)| **s > away && **s < rest.length() - away)
                .map(|(&s, wall)| (pressure(&contacts, s) - wall).abs());
            out.push(Quantity::new("wall force", each.fold(0.0, worse) / strongest, within));
        }
        let drawn_in = tube.uniform.length - rest.at(tube.uniform.length).x;
        out.extend(shortening.map(|r| {
            let off = (drawn_in - r).abs() / tube.uniform.length;
            Quantity::new("shortening", off, tolerance::contact::CENTRELINE)
        }));
        Ok(out)
    }))
}

impl Tube {
    /// A stable state off the lowest line: the ends are brought together until they are pushed so much.
    fn snaking(&self, compression: f64, grid: Grid) -> Result<Rest, String> {
        let (length, wave) = (self.uniform.length, self.half_waves() as f64 * PI / self.uniform.length);
        if grid.n < PER_HALF_WAVE * self.half_waves() {
            return Err(format!("{} segments are too coarse for {} half waves", grid.n, self.half_waves()));
        }
        let mut rest = self.rest(grid)?;
        // A wave rc φ draws the end in by its mean square slope over two.
        let drawn_in = |amplitude: f64| 0.25 * (self.clearance * amplitude * wave).powi(2) * length;
        rest.network.anchors[1].held[0] = true;
        rest.network.anchors[1].pose.position.x -= drawn_in(FIRST_WAVE);
        rest.renew();
        rest.shape_as(&|s| {
            let (phi, rate) = (FIRST_WAVE * (wave * s).sin(), FIRST_WAVE * wave * (wave * s).cos());
            let (sin, cos) = phi.sin_cos();
            let position = Vec3::new(s, self.clearance * sin, -self.clearance * cos);
            let tangent = Vec3::new(1.0, self.clearance * rate * cos, self.clearance * rate * sin);
            Station { position, frame: rotation::frame(&tangent.normalize(), &-Vec3::y()) }
        });
        rest.solve()?;
        // The joints stay where the wall has them: pushed farther, the rod would leave it there.
        for (anchor, found) in rest.network.anchors.iter_mut().zip(&rest.state.anchors) {
            anchor.pose.position.z = found.position.z;
            anchor.held[2] = true;
        }
        rest.renew();
        let pushed = |rest: &Rest| rest.report.as_ref().map_or(f64::NAN, |r| -r.reactions[1].force.x);
        rest.seek(0, -drawn_in(FIRST_WAVE), &|rest| 1.0 - pushed(rest) / compression)?;
        Ok(rest)
    }
}

/// Pressure at a place, N/m: between the contacts to either side, each of which presses for half of the way to its neighbours.
fn pressure(contacts: &[&Contact], s: f64) -> f64 {
    let after = contacts.partition_point(|c| c.s < s);
    let own = |k: usize| {
        let [before, here, next] = contacts.get(k.wrapping_sub(1)..k + 2)? else { return None };
        Some((here.s, 2.0 * here.force.norm() / (next.s - before.s)))
    };
    let (Some((a, first)), Some((b, last))) = (own(after.wrapping_sub(1)), own(after)) else {
        return f64::NAN;
    };
    first + (last - first) * (s - a) / (b - a)
}

/// A weightless rod that winds round the wall, held at both ends as the helix is there.
fn helix(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let (ei, clearance) = (params.positive("EI")?, params.positive("radial_clearance")?);
    let k0 = params.maybe_number("K0")?.unwrap_or(ei);
    let (sin, cos) = params.positive("helix_angle")?.sin_cos();
    let results = case.get("results")?;
    let compression = results.positive("axial_compression")?;
    let wall = results.maybe_number("wall_force_per_length")?;
    // Half a turn: of whole ones shapes that touch here and there have less energy.
    let length = PI * clearance / sin;
    let uniform = Uniform { length, stiffness: Vec3::new(ei, ei, k0), density: 0.0 };
    let station = move |s: f64| {
        let (sine, cosine) = (s * sin / clearance).sin_cos();
        let position = Vec3::new(s * cos, clearance * sine, -clearance * cosine);
        let tangent = Vec3::new(cos, sin * cosine, sin * sine);
        // Without twist the frame turns back about the tangent as fast as the normal turns forth.
        let (back, normal) = (-s * sin * cos / clearance, Vec3::new(0.0, -sine, cosine));
        let d1 = normal * back.cos() + tangent.cross(&normal) * back.sin();
        Station { position, frame: rotation::frame(&tangent, &d1) }
    };
    Ok(Box::new(move |grid| {
        let ends = [0.0, length].map(|s| {
            let Station { position, frame: orientation } = station(s);
            (Hold::Clamped, Pose { position, orientation })
        });
        let mut rest = Rest::new(&uniform, clearance, grid, ends[0], ends[1])?;
        rest.network.obstacles.push(bore(clearance));
        rest.network.anchors[1].held[0] = false;
        rest.network.anchors[1].force.x = -compression;
        rest.renew();
        rest.shape_as(&station);
        rest.solve()?;
        let mut out = Vec::new();
        rest.compare(None, &|x| clearance - x.y.hypot(x.z), &mut out);
        let off = rest.rod().arcs().iter().map(|&s| (rest.at(s) - station(s).position).norm());
        let off = off.fold(0.0, worse) / length;
        out.push(Quantity::new("centreline", off, tolerance::contact::CENTRELINE));
        let found = rest.pressure([0.0, length]);
        out.extend(
            wall.map(|r| Quantity::new("wall force", (found / r - 1.0).abs(), tolerance::contact::PRESSURE)),
        );
        Ok(out)
    }))
}
