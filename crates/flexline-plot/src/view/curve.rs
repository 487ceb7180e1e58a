//! The centreline as the eye needs it: smooth between stations, and no denser than the page can show.

use crate::colour_map::ColourScale;
use crate::subject::{Paint, Tube};
use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};

/// A point of the drawn centreline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knot {
    pub position: Vector3<f64>,
    /// Unit tangent.
    pub tangent: Vector3<f64>,
    /// Material direction d1, unit and normal to the tangent.
    pub d1: Vector3<f64>,
    /// True radius, m.
    pub radius: f64,
    /// Value to be coloured; zero for a plain tube.
    pub value: f64,
}

/// How fine a drawn centreline must be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fineness {
    /// Largest distance between chord and curve, m.
    pub tolerance: f64,
    /// Largest chord, m.
    pub longest: f64,
}

/// Bounds on the number of chords of one tube.
const CHORDS: [f64; 2] = [2.0, 1000.0];
/// A change of radius over length beyond which a tube swells.
const SWELLING: f64 = 0.05;
/// Largest turn of the stripe per chord, rad.
const TURN: f64 = 0.3;
/// Number of chords over which a colour runs through the whole scale.
const COLOURS: f64 = 48.0;

struct Station {
    position: Vector3<f64>,
    frame: UnitQuaternion<f64>,
    radius: f64,
    value: f64,
}

/// Points along the tube, spaced so that chord error, stripe and colour all stay within what is visible.
///
/// The demand per interval of stations is a number of chords; demands add up along the curve and knots are
/// put at equal steps of the sum. The same rule refines a coarse solution and thins out a dense one. For
/// the chord error e = lθ/8 (length l, turn θ) the demand is √(lθ/8e), which adds up independently of how
/// the curve is cut. A tube whose stations coincide gives one knot.
pub(crate) fn knots(tube: &Tube, scale: Option<&ColourScale>, fineness: Fineness) -> Vec<Knot> {
    let stations = distinct(tube);
    let demands: Vec<f64> = stations.windows(2).map(|w| demand(&w[0], &w[1], scale, fineness)).collect();
    let total: f64 = demands.iter().sum();
    if stations.len() < 2 || total <= 0.0 {
        return stations.iter().take(1).map(|s| knot(s, s.frame * Vector3::z())).collect();
    }
    let count = total.ceil().clamp(CHORDS[0], CHORDS[1]) as usize;
    let (mut index, mut passed) = (0, 0.0);
    let mut knots = Vec::with_capacity(count + 1);
    for k in 0..=count {
        let target = total * k as f64 / count as f64;
        while index + 1 < demands.len() && passed + demands[index] < target {
            passed += demands[index];
            index += 1;
        }
        let u = ((target - passed) / demands[index]).clamp(0.0, 1.0);
        knots.push(between(&stations[index], &stations[index + 1], u));
    }
    knots
}

/// The stations without those that repeat the position before them.
fn distinct(tube: &Tube) -> Vec<Station> {
    let positions: Vec<Vector3<f64>> = tube.centre.iter().map(|p| Vector3::from(*p)).collect();
    let size = positions.iter().map(|p| (p - positions[0]).amax()).fold(0.0, f64::max);
    let magnitude = positions.iter().map(Vector3::amax).fold(0.0, f64::max);
    let apart = (1e-9 * size).max(4.0 * f64::EPSILON * magnitude);
    let mut stations: Vec<Station> = Vec::with_capacity(positions.len());
    for (i, position) in positions.into_iter().enumerate() {
        if stations.last().is_some_and(|last| (position - last.position).norm() <= apart) {
            continue;
        }
        let [w, x, y, z] = tube.frames[i];
        let value = match &tube.paint {
            Paint::Plain(_) => 0.0,
            Paint::Values(values) => values[i],
        };
        let frame = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        stations.push(Station { position, frame, radius: tube.radius[i], value });
    }
    stations
}

/// Number of chords that the interval between two stations asks for.
fn demand(from: &Station, to: &Station, scale: Option<&ColourScale>, fineness: Fineness) -> f64 {
    let length = (to.position - from.position).norm();
    let turn = tangent(from, to, 0.0).angle(&tangent(from, to, 1.0));
    let relative = from.frame.inverse() * to.frame;
    let twist = 2.0 * relative.k.abs().atan2(relative.w.abs());
    let colour = scale.map_or(0.0, |s| (s.fraction(to.value) - s.fraction(from.value)).abs().min(1.0));
    let bend = (length * turn / (8.0 * fineness.tolerance)).sqrt();
    // Where the tube swells every station shows: a ball is a tube too.
    let swelling = if (to.radius - from.radius).abs() > SWELLING * length { 1.0 } else { 0.0 };
    let even = (length / fineness.longest).max(bend).max(twist / TURN).max(colour * COLOURS);
    even.max(swelling).max(f64::MIN_POSITIVE)
}

/// End tangents of the interval: d3 where it agrees with the chord, else the chord itself.
fn end_tangents(from: &Station, to: &Station) -> [Vector3<f64>; 2] {
    let chord = (to.position - from.position).normalize();
    [from, to].map(|station| {
        let d3 = station.frame * Vector3::z();
        if d3.dot(&chord) > 0.5 { d3 } else { chord }
    })
}

/// Direction of the cubic Hermite curve between two stations at `u` in 0..=1.
fn tangent(from: &Station, to: &Station, u: f64) -> Vector3<f64> {
    let step = to.position - from.position;
    let [a, b] = end_tangents(from, to);
    let [wa, wb] = [1.0 - 4.0 * u + 3.0 * u * u, 3.0 * u * u - 2.0 * u];
    let direction = step * (6.0 * u * (1.0 - u)) + (a * wa + b * wb) * step.norm();
    direction.try_normalize(1e-12 * step.norm()).unwrap_or_else(|| step.normalize())
}

fn between(from: &Station, to: &Station, u: f64) -> Knot {
    let step = to.position - from.position;
    let [a, b] = end_tangents(from, to);
    let bulge = a * (u * (1.0 - u) * (1.0 - u)) - b * (u * u * (1.0 - u));
    let position = from.position + step * (u * u * (3.0 - 2.0 * u)) + bulge * step.norm();
    let frame = from.frame.try_slerp(&to.frame, u, 1e-9).unwrap_or(to.frame);
    let mix = |p: f64, q: f64| p + (q - p) * u;
    let (radius, value) = (mix(from.radius, to.radius), mix(from.value, to.value));
    knot(&Station { position, frame, radius, value }, tangent(from, to, u))
}

fn knot(station: &Station, tangent: Vector3<f64>) -> Knot {
    let d1 = normal_part(station.frame * Vector3::x(), tangent);
    let Station { position, radius, value, .. } = *station;
    Knot { position, tangent, d1, radius, value }
}

/// The unit part of `v` normal to the unit vector `axis`; any normal when they are parallel.
pub(crate) fn normal_part(v: Vector3<f64>, axis: Vector3<f64>) -> Vector3<f64> {
    let rest = v - axis * v.dot(&axis);
    rest.try_normalize(1e-9).unwrap_or_else(|| {
        let least = axis.iamin();
        let unit = Vector3::from_fn(|row, _| if row == least { 1.0 } else { 0.0 });
        (unit - axis * unit.dot(&axis)).normalize()
    })
}

/// Directions normal to the tangents that turn as little as possible along the curve.
pub(crate) fn transported(knots: &[Knot]) -> Vec<Vector3<f64>> {
    let mut normals: Vec<Vector3<f64>> = Vec::with_capacity(knots.len());
    for (i, knot) in knots.iter().enumerate() {
        let normal = match i {
            0 => normal_part(knot.d1, knot.tangent),
            _ => {
                let (before, after) = (Unit::new_unchecked(knots[i - 1].tangent), knot.tangent);
                let turn = UnitQuaternion::rotation_between_axis(&before, &Unit::new_unchecked(after));
                normal_part(turn.map_or(normals[i - 1], |q| q * normals[i - 1]), after)
            }
        };
        normals.push(normal);
    }
    normals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::Colour;
    use crate::subject::End;
    use std::f64::consts::{FRAC_PI_2, PI};

    const FINE: Fineness = Fineness { tolerance: 1e-4, longest: 0.5 };

    /// A quarter circle of radius 1 in the x–z plane, starting along x, twisted by `turns`.
    fn quarter(n: usize, turns: f64) -> Tube {
        let frame = |a: f64, u: f64| {
            let bend = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), FRAC_PI_2 - a);
            let q = bend * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 2.0 * PI * turns * u);
            [q.w, q.i, q.j, q.k]
        };
        let at = |i: usize| i as f64 / n as f64;
        Tube {
            centre: (0..=n).map(|i| at(i) * FRAC_PI_2).map(|a| [a.sin(), 0.0, 1.0 - a.cos()]).collect(),
            frames: (0..=n).map(|i| frame(at(i) * FRAC_PI_2, at(i))).collect(),
            radius: vec![0.01; n + 1],
            paint: Paint::Plain(Colour::WHITE),
            stripe: true,
            ends: [End::Free; 2],
        }
    }

    #[test]
    fn coarse_input_is_refined_onto_the_true_curve() {
        let knots = knots(&quarter(4, 0.0), None, FINE);
        assert!(knots.len() > 30, "{}", knots.len());
        for k in &knots {
            let radius = (k.position - Vector3::z()).norm();
            assert!((radius - 1.0).abs() < 2e-4, "{radius}");
            assert!(k.tangent.dot(&k.d1).abs() < 1e-12);
        }
    }

    #[test]
    fn dense_input_is_thinned_to_the_same_curve() {
        let (coarse, dense) =
            (knots(&quarter(50, 0.0), None, FINE), knots(&quarter(10_000, 0.0), None, FINE));
        assert!(dense.len().abs_diff(coarse.len()) <= 2, "{} {}", coarse.len(), dense.len());
        for w in dense.windows(2) {
            let middle = 0.5 * (w[0].position + w[1].position) - Vector3::z();
            assert!((1.0 - middle.norm()) < 1.1 * FINE.tolerance);
        }
        assert_eq!(dense.last().map(|k| k.position.x), Some(1.0));
    }

    #[test]
    fn twist_asks_for_more_knots() {
        let (calm, wound) = (knots(&quarter(200, 0.0), None, FINE), knots(&quarter(200, 5.0), None, FINE));
        assert!(wound.len() > 100 && calm.len() < 60, "{} {}", wound.len(), calm.len());
        for w in wound.windows(2) {
            assert!(w[0].d1.angle(&w[1].d1) < 1.2 * TURN + 0.1);
        }
    }

    #[test]
    fn coincident_stations_give_one_knot() {
        let mut tube = quarter(4, 0.0);
        tube.centre = vec![[1e6, 2.0, 3.0]; 5];
        assert_eq!(knots(&tube, None, FINE).len(), 1);
    }

    #[test]
    fn transport_does_not_turn_about_the_tangent() {
        let knots = knots(&quarter(100, 2.0), None, FINE);
        let normals = transported(&knots);
        // The curve is planar, so the transported normal keeps its angle to the plane's normal.
        let out = normals[0].dot(&Vector3::y());
        for (normal, knot) in normals.iter().zip(&knots) {
            assert!((normal.dot(&Vector3::y()) - out).abs() < 1e-9);
            assert!(normal.dot(&knot.tangent).abs() < 1e-12);
        }
    }

    #[test]
    fn frames_against_the_chord_are_not_followed() {
        let mut tube = quarter(3, 0.0);
        tube.frames = vec![[0.0, 1.0, 0.0, 0.0]; 4];
        assert!(knots(&tube, None, FINE).iter().all(|k| k.position.iter().all(|c| c.is_finite())));
    }
}
