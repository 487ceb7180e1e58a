//! Large swings: a stiff rod on a hinge (the rigid pendulum), and flexible rods that fall from a
//! clamp or a hinge, or are swung by a turning clamp.
//!
//! Motions that start smoothly show the order two in everything. A rod released straight does not
//! start smoothly: its weight bends it at the support at once, and mode k takes part with k⁻⁵ in the
//! position and k⁻⁴ in the angle of the tip. Second order in space puts mode k out of phase by
//! k⁴ h², so that the modes above h^(-1/2) are wrong: what they carry is h² of the position, but
//! h^1.5 of the angle, with any method of that order; 1.5 and 1.6 are observed. (In time it is k⁶ h²:
//! first order in the angle, so the steps are short.) The tip angle of a released rod is therefore held to its tolerance, and
//! shown where it misses it, but not asked for the order two.

use super::frequencies::hanging;
use super::run::{Swinging, View};
use super::{frame, gravity, support, tangent};
use crate::compare::{numbers, worse};
use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::End;
use std::f64::consts::PI;

/// w L³ over EI of the rod that stands for a rigid one: it changes the period by a millionth.
const RIGID: f64 = 1e-4;
/// Time over which a driving clamp turns, s; cases say so in words.
const DRIVE: f64 = 0.5;
/// Largest step of a stiff rod of 25 segments over √(L/g).
const COARSEST_STIFF: f64 = 0.02;
/// Largest step of a flexible rod of 25 segments over √(ρ L⁴/EI), when it starts smoothly.
const COARSEST: f64 = 0.01;
/// The same when it is released: short enough for the errors of space to prevail.
const COARSEST_RELEASED: f64 = 0.0025;

/// Samples of the tip in time.
struct Tip {
    t: Vec<f64>,
    position: Vec<Vec3>,
    theta: Option<Vec<f64>>,
    energy: Option<Vec<f64>>,
}

impl Tip {
    fn read(case: &Field, theta: &str) -> Result<Self, FieldError> {
        let samples = case.get("samples")?;
        let t = times(&samples.get("t")?)?;
        let [x, z] = [samples.get("tip_x")?.as_numbers()?, samples.get("tip_z")?.as_numbers()?];
        let tip = Self {
            position: x.iter().zip(&z).map(|(x, z)| Vec3::new(*x, 0.0, *z)).collect(),
            theta: samples.maybe_numbers(theta)?,
            energy: samples.maybe_numbers("energy")?,
            t,
        };
        let lengths = [
            Some(x.len()),
            Some(z.len()),
            tip.theta.as_ref().map(Vec::len),
            tip.energy.as_ref().map(Vec::len),
        ];
        if lengths.into_iter().flatten().any(|n| n != tip.t.len()) {
            return Err(samples.get("t")?.uneven());
        }
        Ok(tip)
    }
}

/// Reads times that start at zero or later and increase.
fn times(field: &Field) -> Result<Vec<f64>, FieldError> {
    let t = field.as_numbers()?;
    if t.first().is_some_and(|t| *t >= 0.0) && t.windows(2).all(|w| w[0] < w[1]) {
        Ok(t)
    } else {
        Err(field.wrong("times that increase from zero"))
    }
}

/// Largest errors of the tip so far.
#[derive(Default)]
struct Worst {
    distance: f64,
    angle: f64,
    energies: Vec<(f64, f64)>,
}

impl Worst {
    fn see(&mut self, tip: &Tip, place: usize, view: &View) {
        let here = view.tip();
        self.distance = worse(self.distance, (here.position - tip.position[place]).norm());
        if let Some(theta) = &tip.theta {
            let (found, t) = (rotation::tangent(&here.frame), tangent(theta[place]));
            self.angle = worse(self.angle, found.cross(&t).norm().atan2(found.dot(&t)));
        }
        if let Some(energy) = &tip.energy {
            self.energies.push((view.energy(), energy[place]));
        }
    }
}

/// A uniform rigid rod on a hinge, released at rest.
pub(super) struct Pendulum {
    length: f64,
    g: f64,
    theta: f64,
    period: Option<f64>,
    small_angle_period: Option<f64>,
    tip: Tip,
}

impl Pendulum {
    pub(super) fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let results = case.get("results")?;
        Ok(Self {
            length: params.positive("L")?,
            g: params.positive("g")?,
            theta: params.number("theta0_deg")?.to_radians(),
            period: results.maybe_number("period")?,
            small_angle_period: results.maybe_number("small_angle_period")?,
            tip: Tip::read(case, "theta")?,
        })
    }

    pub(super) fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let Self { length, g, .. } = *self;
        let stiffness = Vec3::repeat(g * length.powi(3) / RIGID);
        let rod = Uniform { length, stiffness, density: 1.0 }.straight(grid)?;
        let mut out = Vec::new();
        let mut relative = |name, value: f64, reference: Option<f64>| {
            out.extend(reference.and_then(|r| numbers(name, &[(value, r)], tolerance::ENERGY)));
        };
        if self.small_angle_period.is_some() {
            let slowest = hanging(rod.clone(), End::pinned(Vec3::zeros()), g, 1)?;
            relative("small-angle period", 2.0 * PI / slowest[0], self.small_angle_period);
        }
        let swinging = Swinging::straight(rod, support(self.theta), false, frame(self.theta), gravity(g));
        let mut worst = Worst::default();
        let mut crossings = Vec::new();
        let mut last = (0.0, self.theta);
        let coarsest = COARSEST_STIFF * (length / g).sqrt();
        swinging.run(&self.tip.t, coarsest, &|_| support(self.theta), &mut |place, view| {
            let t = view.tip().position;
            let now = (view.time, t.x.atan2(-t.z));
            if last.1 * now.1 < 0.0 && (last.1 - now.1).abs() < PI {
                crossings.push(last.0 + (now.0 - last.0) * last.1 / (last.1 - now.1));
            }
            last = now;
            if let Some(place) = place {
                worst.see(&self.tip, place, view);
            }
        })?;
        if self.period.is_some() {
            // From one passage through the vertical to the next it is half a period.
            let [first, .., last] = crossings[..] else {
                return Err("the samples end before the pendulum has passed the vertical twice".into());
            };
            relative("period", 2.0 * (last - first) / (crossings.len() - 1) as f64, self.period);
        }
        out.push(Quantity::new("trajectory", worst.distance / length, tolerance::TRAJECTORY));
        if self.tip.theta.is_some() {
            out.push(Quantity::new("angle", worst.angle, tolerance::ANGLE));
        }
        Ok(out)
    }
}

/// What holds the beginning of a swinging rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hold {
    /// A clamp along the rod.
    Clamped,
    /// A hinge.
    Hinged,
    /// A clamp that turns.
    Drive,
}

impl Hold {
    pub(super) fn named(kind: &str) -> Option<Self> {
        match kind {
            "clamped" => Some(Self::Clamped),
            "hinged" => Some(Self::Hinged),
            "drive" => Some(Self::Drive),
            _ => None,
        }
    }
}

/// The centreline at one time.
struct Snapshot {
    t: f64,
    s: Vec<f64>,
    r: Vec<Vec3>,
}

impl Snapshot {
    fn read(field: &Field) -> Result<Self, FieldError> {
        let s = field.get("s")?.as_numbers()?;
        let list = field.get("r_xz")?;
        let point = |f: &Field| match f.as_numbers()?[..] {
            [x, z] => Ok(Vec3::new(x, 0.0, z)),
            _ => Err(f.wrong("two numbers")),
        };
        let r: Vec<Vec3> = list.items()?.iter().map(point).collect::<Result<_, _>>()?;
        let t = field.number("t")?;
        if t < 0.0 {
            return Err(field.get("t")?.wrong("a time from zero on"));
        }
        if r.len() == s.len() { Ok(Self { t, s, r }) } else { Err(list.uneven()) }
    }
}

/// A flexible rod that starts straight and at rest.
pub(super) struct Swing {
    uniform: Uniform,
    g: f64,
    hold: Hold,
    angle: f64,
    tip: Tip,
    snapshots: Vec<Snapshot>,
    /// What the reference claims for itself, over L.
    floor: f64,
}

impl Swing {
    pub(super) fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let uniform = Uniform { density: params.positive("linear_density")?, ..Uniform::read(&params)? };
        let kind = params.get("kind")?;
        let snapshots = case.find("snapshots").map_or(Ok(Vec::new()), |f| f.items())?;
        Ok(Self {
            uniform,
            g: params.positive("g")?,
            hold: Hold::named(kind.as_text()?).ok_or_else(|| kind.wrong("clamped, hinged or drive"))?,
            angle: params.number("angle_deg")?.to_radians(),
            tip: Tip::read(case, "tip_theta")?,
            snapshots: snapshots.iter().map(Snapshot::read).collect::<Result<_, _>>()?,
            floor: case.maybe_number("accuracy_claimed_over_L")?.unwrap_or(0.0),
        })
    }

    /// Angle of the support.
    fn support_angle(&self, time: f64) -> f64 {
        match self.hold {
            Hold::Clamped | Hold::Hinged => self.angle,
            Hold::Drive => self.angle * smooth_step(time / DRIVE),
        }
    }

    pub(super) fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let Uniform { length, stiffness, density } = self.uniform;
        let start = self.support_angle(0.0);
        let clamped = self.hold != Hold::Hinged;
        let rod = self.uniform.straight(grid)?;
        let swinging = Swinging::straight(rod, support(start), clamped, frame(start), gravity(self.g));
        // Every time at which something is known.
        let same = |a: f64, b: f64| (a - b).abs() < 1e-9 * self.tip.t.last().copied().unwrap_or(1.0);
        let mut times = self.tip.t.clone();
        times.extend(self.snapshots.iter().map(|s| s.t));
        times.sort_by(f64::total_cmp);
        times.dedup_by(|a, b| same(*a, *b));
        let mut worst = Worst::default();
        let mut centreline = 0.0f64;
        let smooth = self.hold == Hold::Drive;
        let share = if smooth { COARSEST } else { COARSEST_RELEASED };
        let coarsest = share * (density * length.powi(4) / stiffness.x).sqrt();
        swinging.run(&times, coarsest, &|t| support(self.support_angle(t)), &mut |place, view| {
            let Some(time) = place.map(|p| times[p]) else { return };
            if let Some(place) = self.tip.t.iter().position(|t| same(*t, time)) {
                worst.see(&self.tip, place, view);
            }
            for snapshot in self.snapshots.iter().filter(|s| same(s.t, time)) {
                for (s, r) in snapshot.s.iter().zip(&snapshot.r) {
                    centreline = worse(centreline, (view.at(*s).position - r).norm());
                }
            }
        })?;
        let mut out = vec![
            Quantity::new("trajectory", worst.distance / length, tolerance::TRAJECTORY)
                .with_floor(self.floor),
        ];
        if !self.snapshots.is_empty() {
            out.push(
                Quantity::new("centreline", centreline / length, tolerance::CENTRELINE)
                    .with_floor(self.floor),
            );
        }
        // See the head of this file: a released rod's angle owes its tolerance, but no order.
        let inside = worst.angle <= tolerance::ANGLE;
        if self.tip.theta.is_some() && (smooth || !inside) {
            out.push(Quantity::new("tip angle", worst.angle, tolerance::ANGLE).with_floor(self.floor));
        }
        out.extend(self.energy(&worst.energies));
        Ok(out)
    }

    /// Largest error of the energy over the largest energy, or, where the reference has none (its
    /// zero is a matter of choice), over what the rod's weight gives up between level and hanging.
    fn energy(&self, pairs: &[(f64, f64)]) -> Option<Quantity> {
        let fall = 0.5 * self.uniform.density * self.g * self.uniform.length.powi(2);
        let largest = pairs.iter().fold(0.0f64, |m, (_, r)| m.max(r.abs()));
        let scale = if largest > 1e-6 * fall { largest } else { fall };
        let error = pairs.iter().fold(0.0f64, |m, (v, r)| worse(m, (v - r).abs()));
        (!pairs.is_empty()).then(|| Quantity::new("energy", error / scale, tolerance::ENERGY))
    }
}

/// From 0 to 1 as x goes from 0 to 1, with four derivatives that vanish at both ends.
fn smooth_step(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x.powi(5) * (126.0 + x * (-420.0 + x * (540.0 + x * (-315.0 + x * 70.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drive_is_symmetric_and_flat_at_both_ends() {
        assert_eq!((smooth_step(-1.0), smooth_step(2.0)), (0.0, 1.0));
        for x in [0.1, 0.25, 0.4] {
            assert!((smooth_step(x) + smooth_step(1.0 - x) - 1.0).abs() < 1e-14);
        }
        assert!((1.0 - smooth_step(0.99)) < 2e-8);
    }
}
