//! A rod between two walls, its hinged ends brought together: it bows, touches, and lies flat.

use super::super::{list, name};
use super::CHAINS;
use super::rest::{Hold, Rest, Results, planar, plane, upright};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta, threshold};
use crate::field::{Field, FieldError};
use crate::follow::{Probe, critical, inverse_at_zero};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::rod::Station;
use std::f64::consts::PI;

/// Share of the half gap to which the first bow goes: it touches nothing.
const FIRST_BOW: f64 = 0.5;
/// Strides along the flat state, beside the shortening of the first bow.
const STRIDE: f64 = 0.25;

/// Reads `thresholds` and `cases`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "thresholds")? {
        let id = name(&case, "thresholds", place)?;
        match ends(&case)? {
            "pinned" => {
                if case.find("secondary").is_some() {
                    cases.add_contact(format!("{id}_secondary"), place, &CHAINS, secondary(&case))?;
                }
                cases.add_contact(id, place, &CHAINS, thresholds(&case))?;
            }
            other => cases.unsupported(id, place, format!("{other} ends between walls are not known")),
        }
    }
    for (place, case) in list(root, "cases")? {
        let id = name(&case, "case", place)?;
        match case.find("params").map_or(Ok("pinned"), |params| ends(&params))? {
            "pinned" => cases.add_contact(id, place, &CHAINS, walls(&case))?,
            other => cases.unsupported(id, place, format!("{other} ends between walls are not known")),
        }
    }
    Ok(())
}

/// How the ends are held.
fn ends<'a>(field: &Field<'a>) -> Result<&'a str, FieldError> {
    field.find("ends").map_or(Ok("pinned"), |f| f.as_text())
}

/// A rod bowed between walls, not yet as short as it shall be.
struct Walls {
    rest: Rest,
    length: f64,
    stiffness: f64,
}

impl Walls {
    /// With a clearance of the axis to either side.
    fn new(uniform: &Uniform, radius: f64, clearance: f64, grid: Grid) -> Result<Self, String> {
        let length = uniform.length;
        // θ = A cos(π s/L) rises by A L/π.
        let slope = FIRST_BOW * clearance * PI / length;
        let bow = |s: f64| {
            let (count, mut at) = (64, Vec3::zeros());
            for k in 0..count {
                let middle = s * (f64::from(k) + 0.5) / f64::from(count);
                let theta = slope * (PI * middle / length).cos();
                at += Vec3::new(theta.cos(), 0.0, theta.sin()) * (s / f64::from(count));
            }
            upright(at, slope * (PI * s / length).cos())
        };
        let ends = [bow(0.0), bow(length)].map(|pose| (Hold::Hinged, pose));
        let mut rest = Rest::new(&planar(*uniform), radius, grid, ends[0], ends[1])?;
        // The bow ends on the line of the hinges.
        rest.network.anchors[1].pose.position.z = 0.0;
        rest.shape_as(&|s| {
            let pose = bow(s);
            Station { position: pose.position, frame: pose.orientation }
        });
        let wall = clearance + radius;
        rest.network.obstacles =
            vec![plane(-Vec3::z() * wall, Vec3::z()), plane(Vec3::z() * wall, -Vec3::z())];
        rest.solve()?;
        Ok(Self { rest, length, stiffness: uniform.stiffness.x })
    }

    /// Brings its ends together.
    fn shorten(&mut self, shortening: f64, first: f64) -> Result<(), String> {
        let (from, to) = (self.rest.network.anchors[1].pose.position.x, self.length - shortening);
        self.rest.lead(first, &|network, share| {
            network.anchors[1].pose.position.x = from + (to - from) * share;
        })?;
        Ok(())
    }

    /// Force on an end of the rod, N.
    fn end_force(&self, end: usize) -> Vec3 {
        self.rest.report.as_ref().map_or_else(Vec3::zeros, |r| r.reactions[end].force)
    }

    fn compression(&self) -> f64 {
        self.end_force(0).x
    }

    /// Bending moment in the middle, from the force at the start, N m: positive where it bends towards the wall it lies on.
    fn middle_moment(&self) -> f64 {
        let (force, at) = (self.end_force(0), self.rest.at(0.5 * self.length));
        (force.x * at.z - force.z * at.x) * at.z.signum()
    }

    /// What touches: nothing, a point, or a line.
    fn found(&self) -> &'static str {
        match self.rest.extent() {
            None => "free",
            Some([first, last]) if last - first <= self.rest.spacing => "point",
            Some(_) => "line",
        }
    }

    /// Forces on either half, N, and where they act on average, m.
    fn halves(&self) -> [(f64, f64); 2] {
        let middle = 0.5 * self.length;
        let half = |first: bool| {
            let contacts = self.rest.contacts();
            let own = contacts.iter().filter(|c| (c.s < middle) == first);
            let (force, moment) =
                own.fold((0.0, 0.0), |(f, m), c| (f + c.force.norm(), m + c.s * c.force.norm()));
            (force, moment / force)
        };
        [half(true), half(false)]
    }
}

fn walls(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let uniform = Uniform::read(&params)?;
    let radius = params.positive("radius")?;
    let (half_gap, shortening) = (params.positive("half_gap")?, params.positive("shortening")?);
    let numbers = ["compression", "contact_force_total", "flat_length", "end_transverse_force", "end_angle"];
    let results = Results::read(case, &numbers, &["contact_forces", "contact_s"])?;
    let samples = Samples::read(case, Theta::Above)?;
    Ok(Box::new(move |grid| {
        let mut walls = Walls::new(&uniform, radius, half_gap - radius, grid)?;
        walls.shorten(shortening, 0.1)?;
        let mut out = Vec::new();
        let gap = |x: &Vec3| half_gap - x.z.abs() - radius;
        walls.rest.compare(samples.as_ref(), &gap, &mut out);
        out.extend(results.kind(walls.found()));
        let force = tolerance::contact::FORCE;
        out.extend(results.relative("compression", "compression", walls.compression(), force));
        let total = walls.rest.total().norm();
        out.extend(results.relative("contact force", "contact_force_total", total, force));
        let across = walls.end_force(0).z.abs();
        out.extend(results.relative("force across", "end_transverse_force", across, force));
        out.extend(results.angle("end angle", "end_angle", &walls.rest, 0.0));
        let within = tolerance::contact::CONCENTRATED;
        let relative =
            |found: f64, r: f64| Quantity::new("concentrated force", (found / r - 1.0).abs(), within);
        let [first, last] = walls.halves();
        let extent = walls.rest.extent().unwrap_or([f64::NAN; 2]);
        match results.list("contact_forces") {
            Some([one]) => out.push(relative(first.0 + last.0, *one)),
            Some([one, other]) => out.extend([relative(first.0, *one), relative(last.0, *other)]),
            _ => {}
        }
        match results.list("contact_s") {
            Some([at]) => out.push(walls.rest.place("point of contact", 0.5 * (extent[0] + extent[1]), *at)),
            Some([one, other]) => out.extend([
                walls.rest.place("begin of contact", first.1, *one),
                walls.rest.place("end of contact", last.1, *other),
            ]),
            _ => {}
        }
        let flat = results.number("flat_length").filter(|flat| *flat > 0.0);
        out.extend(flat.map(|r| walls.rest.place("flat length", last.1 - first.1, r)));
        Ok(out)
    }))
}

/// What is told of one threshold.
#[derive(Clone, Copy, Default)]
struct Known {
    shortening: Option<f64>,
    compression: Option<f64>,
    force: Option<f64>,
}

impl Known {
    fn read(case: &Field, key: &str) -> Result<Self, FieldError> {
        let Some(own) = case.find(key) else { return Ok(Self::default()) };
        Ok(Self {
            shortening: own.maybe_number("shortening_over_L")?,
            compression: own.maybe_number("P_L2_over_EI")?,
            force: own.maybe_number("N_L2_over_EI")?.filter(|n| *n > 0.0),
        })
    }
}

/// Shortenings at which a rod of unit length and stiffness touches first, and begins to lie flat.
fn thresholds(case: &Field) -> Result<Measure, FieldError> {
    let eta = case.positive("eta")?;
    let (touch, line) = (Known::read(case, "first_touch")?, Known::read(case, "line_start")?);
    let uniform = Uniform { length: 1.0, stiffness: Vec3::new(1.0, 1.0, 1.0), density: 0.0 };
    Ok(Box::new(move |grid| {
        let mut walls = Walls::new(&uniform, 0.2 * eta, eta, grid)?;
        let mut out = Vec::new();
        // The gap of the middle falls with the shortening: half of the way to where it closes, then beyond.
        let start = 1.0 - walls.rest.network.anchors[1].pose.position.x;
        let mut shortening = start;
        let mut points: Vec<(f64, f64, f64)> = Vec::new();
        let close = |points: &[(f64, f64, f64)], count: usize| {
            let gaps: Vec<(f64, f64)> = points.iter().rev().take(count).map(|p| (p.0, p.1)).collect();
            inverse_at_zero(&gaps)
        };
        while points.len() < 12 {
            walls.shorten(shortening, 1.0)?;
            let gap = 1.0 - walls.rest.at(0.5).z.abs() / eta;
            points.push((shortening, gap, walls.compression()));
            if gap < 0.02 {
                break;
            }
            let next = if points.len() < 2 { 1.5 * shortening } else { close(&points, 3) };
            shortening += 0.6 * (next - shortening);
        }
        let first = close(&points, 4);
        for (share, expected) in [(0.99, "free"), (1.01, "point")] {
            walls.shorten(first * share, 1.0)?;
            if walls.found() != expected {
                return Err(format!("at {share} of the first touch contact is {}", walls.found()));
            }
        }
        let loads: Vec<(f64, f64)> = points.iter().rev().take(4).map(|p| (p.2, p.1)).collect();
        out.extend(touch.shortening.map(|r| threshold("first touch", first, r)));
        out.extend(touch.compression.map(|r| threshold("load of first touch", inverse_at_zero(&loads), r)));
        walls.flatten(first, line, &mut out)?;
        Ok(out)
    }))
}

impl Walls {
    /// Goes on to where the middle has no moment left: from there on a line touches.
    fn flatten(&mut self, first: f64, known: Known, out: &mut Vec<Quantity>) -> Result<(), String> {
        // Shortening, moment, compression, force.
        let mut points: Vec<[f64; 4]> = Vec::new();
        let zero = |points: &[[f64; 4]], which: usize, count: usize| {
            let own: Vec<(f64, f64)> = points.iter().rev().take(count).map(|p| (p[which], p[1])).collect();
            inverse_at_zero(&own)
        };
        let mut shortening = 1.03 * first;
        let mut largest = 0.0f64;
        while points.len() < 12 {
            self.shorten(shortening, 1.0)?;
            let moment = self.middle_moment() / self.stiffness;
            largest = largest.max(moment);
            points.push([shortening, moment, self.compression(), self.rest.total().norm()]);
            if moment < 0.05 * largest {
                break;
            }
            let next = if points.len() < 2 { 1.05 * shortening } else { zero(&points, 0, 3) };
            shortening += 0.6 * (next - shortening);
        }
        let mut add = |name, which: usize, reference: Option<f64>| {
            out.extend(reference.map(|r| threshold(name, zero(&points, which, 4), r)));
        };
        add("start of line", 0, known.shortening);
        add("load at start of line", 2, known.compression);
        add("force at start of line", 3, known.force);
        Ok(())
    }
}

/// Where the flat part of a rod of unit length and stiffness buckles away from its wall: the state that lies flat is followed for
/// as long as its load grows and no direction releases energy.
fn secondary(case: &Field) -> Result<Measure, FieldError> {
    let eta = case.positive("eta")?;
    let known = Known::read(case, "secondary")?;
    let flat = case.get("secondary")?.maybe_number("contact_length_over_L")?;
    let uniform = Uniform { length: 1.0, stiffness: Vec3::new(1.0, 1.0, 1.0), density: 0.0 };
    Ok(Box::new(move |grid| {
        let mut walls = Walls::new(&uniform, 0.2 * eta, eta, grid)?;
        let start = 1.0 - walls.rest.network.anchors[1].pose.position.x;
        let found = critical(start, STRIDE * start, 1.0, &mut |shortening| {
            let before = (walls.rest.state.clone(), walls.rest.report.clone());
            let load = walls.compression();
            let from = walls.rest.network.anchors[1].pose.position.x;
            let led = walls.shorten(shortening, 1.0);
            let negative = walls.rest.report.as_ref().map_or(0, |report| report.negative);
            // What has left the wall gives way.
            if led.is_ok() && negative == 0 && walls.compression() >= load {
                return Ok(Probe::Stable);
            }
            (walls.rest.state, walls.rest.report) = before;
            walls.rest.network.anchors[1].pose.position.x = from;
            Ok(led.map_or_else(Probe::Lost, |()| Probe::Unstable))
        })?;
        let mut out = Vec::new();
        let gap = |x: &Vec3| 1.2 * eta - x.z.abs() - 0.2 * eta;
        walls.rest.compare(None, &gap, &mut out);
        let relative = |name, found: f64, reference: Option<f64>| {
            reference.map(|r| Quantity::new(name, (found / r - 1.0).abs(), tolerance::contact::SECONDARY))
        };
        out.extend(relative("load at the jump", walls.compression(), known.compression));
        out.extend(relative("shortening at the jump", found, known.shortening));
        out.extend(relative("force at the jump", walls.rest.total().norm(), known.force));
        let [first, last] = walls.halves();
        out.extend(flat.map(|r| walls.rest.place("flat length", last.1 - first.1, r)));
        Ok(out)
    }))
}
