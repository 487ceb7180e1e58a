//! A stiff rod without weight round a rough drum, about to slide: friction acts on the axis line, so that a case is
//! compared with `results`, not with `results_surface_friction`.
//!
//! One end hangs at the dead force T1; a plane across the asymptote of the other leg draws that end on, so that what it
//! draws with has the direction of the asymptote whatever the shape: T2.
//!
//! A rope without stiffness is the limit of rods whose boundary layer √(EI/T) is as short as a segment: its stiffness falls with the mesh.

use super::super::{list, name};
use super::rest::{ARC, Hold, Rest, Results, WINDOW, obstacle, planar, pressing, upright};
use super::{CHAINS, NOT_QUICK};
use crate::case::{Cases, Measure};
use crate::compare::Theta;
use crate::field::{Field, FieldError};
use crate::judge::tolerance;
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::contact::Shape;
use flexline::rod::Station;
use flexline::solver::network::{Anchor, Constraint, Point, Sense};

/// Length of a leg beside √(EI/T1): what is left of its bend at its end is the square of e to minus this.
const LEG: f64 = 6.0;
/// Steps by which the end is drawn, beside the radius of the axis on the drum; of ropes so many to a segment.
const STEP: f64 = 0.05;
const PER_SEGMENT: usize = 2;
/// Layer of a rope beside a segment.
const ROPE_LAYER: f64 = 0.5;
/// Segments of ropes.
const ROPE_SEGMENTS: [usize; 3] = [15, 68, 120];
/// Radius of a rope beside that of its drum, of which the references know nothing.
const ROPE: f64 = 0.25;
/// Steps after which all of the arc slides, or never does.
const MOST_STEPS: usize = 60;
/// Change of the tension from step to step, relative, at which it is that of sliding.
const STEADY: f64 = 2e-4;
/// Height over the drum from which the rod is laid down, beside its radius there.
const ABOVE: f64 = 1e-6;
/// Looks at the tangent per spacing of nodes.
const LOOKS: usize = 8;

/// Reads `cases`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "cases")? {
        cases.add_contact(name(&case, "case", place)?, place + NOT_QUICK, &CHAINS, capstan(&case))?;
    }
    Ok(())
}

/// Reads `capstan` of ropes without stiffness.
pub(in super::super) fn read_ropes(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "capstan")? {
        let (id, measure) = (name(&case, "capstan", place)?, rope(&case));
        cases.add_contact_at(id, place + NOT_QUICK, &CHAINS, Some(&ROPE_SEGMENTS), measure)?;
    }
    Ok(())
}

/// A rod round a drum whose axis is y: it comes up, turns by `turning` over the top and goes down.
#[derive(Clone, Copy)]
struct Drum {
    stiffness: Vec3,
    radius: f64,
    /// Of the drum, and of the axis on it.
    drum: f64,
    axis: f64,
    friction: f64,
    turning: f64,
    /// The force at its start, T1, and the least tension anywhere, which its shape is made for.
    load: f64,
    slack: f64,
    /// Height over the drum from which it is laid down, beside the radius there.
    above: f64,
}

/// The direction at an angle above +x.
fn direction(angle: f64) -> Vec3 {
    Theta::Above.tangent(angle)
}

impl Drum {
    /// √(EI/T).
    fn layer(&self) -> f64 {
        (self.stiffness.x / self.slack).sqrt()
    }

    /// The angle of a leg to its asymptote where it leaves the drum, with T1 on either side: cos = 1 − EI/(2 T ρ²).
    fn leg(&self) -> f64 {
        let bend = self.stiffness.x / (2.0 * self.axis * self.axis * self.slack);
        (1.0 - bend).max(-1.0).acos().min(0.5 * self.turning)
    }

    /// Length of the arc between two such legs.
    fn arc(&self) -> f64 {
        (self.turning - 2.0 * self.leg()) * self.axis
    }

    fn length(&self) -> f64 {
        2.0 * LEG * self.layer() + self.arc()
    }

    /// The rod without friction: an arc between two legs whose angle to their asymptote is 4 atan e^−ξ (the elastica of a
    /// long leg).
    fn shape(&self, s: f64) -> Station {
        let (layer, leg, arc, half) = (self.layer(), self.leg(), self.arc(), 0.5 * self.turning);
        let from_middle = s - 0.5 * self.length();
        let beyond = from_middle.abs() - 0.5 * arc;
        let up = |angle: f64| Vec3::new(-angle.sin(), 0.0, angle.cos()) * (self.axis * (1.0 + self.above));
        // The half that goes down; the other is its image.
        let (position, angle) = if beyond <= 0.0 {
            let angle = -from_middle.abs() / self.axis;
            (up(angle), angle)
        } else {
            // sech ξ = sin(φ/2), and the way along the asymptote and away from it.
            let first = (1.0 / (0.5 * leg).sin()).acosh();
            let way = |x: f64| (x * layer - 2.0 * layer * x.tanh(), 2.0 * layer / x.cosh());
            let (from, to) = (way(first), way(first + beyond / layer));
            let (along, away) = (to.0 - from.0, from.1 - to.1);
            let at = up(leg - half)
                + direction(-half) * along
                + direction(0.5 * std::f64::consts::PI - half) * away;
            (at, 2.0 * 2.0 * (-(first + beyond / layer)).exp().atan() - half)
        };
        let mirrored = from_middle < 0.0;
        let position = if mirrored { Vec3::new(-position.x, 0.0, position.z) } else { position };
        let pose = upright(position, if mirrored { -angle } else { angle });
        Station { position: pose.position, frame: pose.orientation }
    }

    /// Lays it round the drum, at rest; and where its end is.
    fn laid(&self, grid: Grid) -> Result<(Rest, Vec3), String> {
        let length = self.length();
        let uniform = Uniform { length, stiffness: self.stiffness, density: 0.0 };
        let ends = [0.0, length].map(|s| {
            let station = self.shape(s);
            flexline::solver::Pose { position: station.position, orientation: station.frame }
        });
        let free = (Hold::Free, ends[0]);
        let mut rest = Rest::new(&planar(uniform), self.radius, grid, free, (Hold::Hinged, ends[1]))?;
        rest.network.anchors[0] =
            Anchor { force: direction(0.5 * self.turning) * -self.load, ..Anchor::loose(ends[0]) };
        rest.network.anchors[1].held = [false, true, false];
        let shape = Shape::Cylinder { radius: self.drum, half_length: None };
        rest.network.obstacles.push(obstacle(shape, Vec3::zeros(), Vec3::y()));
        // Turns lie beside each other.
        rest.network.passing.push([0, 0]);
        let normal = direction(-0.5 * self.turning);
        rest.network.constraints.push(Constraint::Plane {
            point: Point::On(1, Vec3::zeros()),
            on: None,
            through: ends[1].position,
            normal,
            sense: Sense::Equal,
        });
        rest.shape_as(&|s| self.shape(s));
        rest.roughen(self.friction);
        rest.solve().map_err(|e| format!("rough: {e}"))?;
        Ok((rest, ends[1].position))
    }

    /// Draws its end on from one distance to another; the pull then, N.
    fn draw(&self, rest: &mut Rest, end: Vec3, [from, to]: [f64; 2]) -> Result<f64, String> {
        let normal = direction(-0.5 * self.turning);
        rest.lead(1.0, &|network, share| {
            if let Some(Constraint::Plane { through, .. }) = network.constraints.last_mut() {
                *through = end + normal * (from + (to - from) * share);
            }
        })?;
        Ok(rest.report.as_ref().and_then(|r| r.multipliers.last()).map_or(f64::NAN, |m| m.abs()))
    }

    /// Lays it round the drum and draws its end until all of it slides steadily. Returns the pull as well.
    fn drawn(&self, grid: Grid) -> Result<(Rest, f64), String> {
        let (mut rest, end) = self.laid(grid)?;
        let (mut pull, length) = (f64::NAN, STEP * self.axis);
        for step in 0..MOST_STEPS {
            let now = self.draw(&mut rest, end, [step, step + 1].map(|k| length * k as f64))?;
            let is_steady = (now - pull).abs() <= STEADY * now;
            pull = now;
            if rest.slides() && is_steady {
                return Ok((rest, pull));
            }
        }
        Err("drawn as far as that the rod does not slide steadily".into())
    }

    /// Lays a rope round the drum and draws its end until all of it slides, and on by a segment: its pull goes up and down with every one
    /// that leaves the drum. Returns the mean as well. Backwards where `sense` is negative.
    fn drawn_by_segment(&self, grid: Grid, sense: f64) -> Result<(Rest, f64), String> {
        let (mut rest, end) = self.laid(grid)?;
        let (length, mut pulls) = (sense * rest.spacing / PER_SEGMENT as f64, Vec::new());
        for step in 0..MOST_STEPS {
            let pull = self.draw(&mut rest, end, [step, step + 1].map(|k| length * k as f64))?;
            if !rest.slides() {
                pulls.clear();
                continue;
            }
            pulls.push(pull);
            if pulls.len() == PER_SEGMENT {
                return Ok((rest, pulls.iter().sum::<f64>() / PER_SEGMENT as f64));
            }
        }
        Err("drawn as far as that the rope does not slide".into())
    }
}

/// Where the rod has turned to an angle above +x on its way round from `from`, m.
fn turned_to(rest: &Rest, from: f64, angle: f64) -> f64 {
    let length = rest.length();
    let looks = LOOKS * (length / rest.spacing).round() as usize;
    let step = length / looks as f64;
    let (mut before, mut turned) = (direction(from), from);
    for k in 0..=looks {
        let tangent = rest.tangent(step * k as f64);
        // About −y, the way the rod goes round.
        let more = (before.z * tangent.x - before.x * tangent.z).atan2(before.dot(&tangent));
        if turned - more < angle {
            return step * (k as f64 - 1.0 + (turned - angle) / more);
        }
        (before, turned) = (tangent, turned - more);
    }
    f64::NAN
}

/// What presses before a place where the tension grows as e^(µ s/ρ), away from the ends of the arc, and on all of it, N:
/// the sums of forces up to every place fitted by a + b e^(µ s/ρ). `None` where there are too few to tell.
fn sums(rest: &Rest, drum: &Drum, [from, to]: [f64; 2]) -> Option<(impl Fn(f64) -> f64, f64)> {
    let growth = drum.friction / drum.axis;
    let away = WINDOW * rest.spacing;
    let (mut sum, mut points) = (0.0, Vec::new());
    for contact in rest.contacts() {
        let force = pressing(contact);
        if contact.s > from + away && contact.s < to - away {
            points.push(((growth * (contact.s - from)).exp(), sum + 0.5 * force));
        }
        sum += force;
    }
    if points.len() < 4 {
        return None;
    }
    let count = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / count, m.1 + p.1 / count));
    let about = |f: fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - mean.0, p.1 - mean.1)).sum::<f64>();
    let slope = about(|e, sum| e * sum) / about(|e, _| e * e);
    let fitted = move |s: f64| mean.1 + slope * ((growth * (s - from)).exp() - mean.0);
    Some((fitted, sum))
}

fn capstan(case: &Field) -> Result<Measure, FieldError> {
    let params = case.get("params")?;
    let ei = params.positive("EI")?;
    let (radius, drum) = (params.positive("radius")?, params.positive("cylinder_radius")?);
    let drum = Drum {
        stiffness: Vec3::new(ei, ei, params.maybe_number("K0")?.unwrap_or(ei)),
        radius,
        drum,
        axis: radius + drum,
        friction: params.positive("friction")?,
        turning: params.positive("turning_angle_deg")?.to_radians(),
        load: params.positive("T1")?,
        slack: params.positive("T1")?,
        above: ABOVE,
    };
    let numbers = [
        "ratio",
        "T2",
        "contact_angle",
        "free_leg_angle_1",
        "free_leg_angle_2",
        "contact_force_start",
        "contact_force_end",
    ];
    let results = Results::read(case, &numbers, &[])?;
    Ok(Box::new(move |grid| {
        let (rest, pull) = drum.drawn(grid)?;
        let mut out = Vec::new();
        rest.compare(None, &|x| x.x.hypot(x.z) - drum.axis, &mut out);
        out.extend(results.relative("ratio", "ratio", pull / drum.slack, tolerance::contact::CAPSTAN));
        out.extend(results.relative("pull", "T2", pull, tolerance::contact::CAPSTAN));
        let Some(angle) = results.number("contact_angle").filter(|angle| *angle > 0.0) else {
            return Ok(out);
        };
        let extent = rest.extent().unwrap_or([f64::NAN; 2]);
        out.push(rest.place("length of the arc", extent[1] - extent[0], angle * drum.axis));
        let legs = [results.number("free_leg_angle_1"), results.number("free_leg_angle_2")];
        let (Some(first), Some(last)) = (legs[0], legs[1]) else { return Ok(out) };
        let half = 0.5 * drum.turning;
        let arc = [half - first, last - half].map(|angle| turned_to(&rest, half, angle));
        for (name, found, at) in
            [("begin of contact", extent[0], arc[0]), ("end of contact", extent[1], arc[1])]
        {
            out.push(rest.place(name, found, at));
        }
        if rest.tells(angle * drum.axis, ARC) {
            let found = sums(&rest, &drum, arc)
                .map_or([f64::INFINITY; 2], |(before, total)| [before(arc[0]), total - before(arc[1])]);
            for (key, found) in ["contact_force_start", "contact_force_end"].into_iter().zip(found) {
                let within = tolerance::contact::CONCENTRATED;
                out.extend(results.relative("force at the end of the arc", key, found, within));
            }
        }
        Ok(out)
    }))
}

/// A rope round a drum, drawn on and let back: what either takes.
fn rope(case: &Field) -> Result<Measure, FieldError> {
    let (friction, load) = (case.positive("mu")?, case.positive("T1")?);
    let (turning, axis) = (case.positive("wrap_angle_deg")?.to_radians(), case.positive("cylinder_radius")?);
    let numbers = ["ratio", "T2_max", "T2_min", "total_friction_force"];
    let results = Results::of(case, &numbers)?;
    Ok(Box::new(move |grid| {
        let mut out = Vec::new();
        // On so many segments, with the least tension: drawn on, or let back.
        let mut pull = |n: usize, slack: f64, sense: f64| -> Result<f64, String> {
            // Besides the arc there are two legs.
            let segment = turning * axis / (n as f64 - 2.0 * LEG * ROPE_LAYER);
            let layer = ROPE_LAYER * segment;
            let drum = Drum {
                stiffness: Vec3::repeat(slack * layer * layer),
                radius: ROPE * axis,
                drum: (1.0 - ROPE) * axis,
                axis,
                friction,
                turning,
                load,
                slack,
                // Segments that touch, not nodes.
                above: 1.0 / (0.5 * segment / axis).min(1.0).cos() - 1.0 + ABOVE,
            };
            let (rest, pull) = drum.drawn_by_segment(Grid { n, ..grid }, sense)?;
            if n == grid.n {
                rest.compare(None, &|x| x.x.hypot(x.z) - axis, &mut out);
            }
            Ok(pull)
        };
        // What segments of an angle δ lack is of second order: µ φ δ²/6 of the ratio.
        let mut limit = |slack: f64, sense: f64| -> Result<f64, String> {
            let n = [3 * grid.n / 4, grid.n];
            let [coarse, fine] = [pull(n[0], slack, sense)?, pull(n[1], slack, sense)?];
            let [few, many] = n.map(|n| n as f64 - 2.0 * LEG * ROPE_LAYER);
            Ok(fine * (fine / coarse).powf(few * few / (many * many - few * few)))
        };
        let most = limit(load, 1.0)?;
        // Let back, the far end has the least tension.
        let least = limit(load * load / most, -1.0)?;
        let within = tolerance::contact::CAPSTAN;
        out.extend(results.relative("ratio", "ratio", most / load, within));
        out.extend(results.relative("pull", "T2_max", most, within));
        out.extend(results.relative("friction", "total_friction_force", most - load, within));
        out.extend(results.relative("pull let back", "T2_min", least, within));
        Ok(out)
    }))
}
