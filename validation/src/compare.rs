//! Errors of a state against the samples and results of a case, in the measures of the tolerances.

use crate::field::{Field, FieldError};
use crate::judge::{Quantity, tolerance};
use flexline::algebra::rotation;
use flexline::rod::AnyRod;
use flexline::rod::{Rod, RodState};
use flexline::{Quat, Vec3};

/// How a sampled angle θ gives a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Theta {
    /// Angle of the tangent below +x, in the x-z plane.
    Below,
    /// Angle of the tangent above +x, in the x-z plane.
    Above,
}

impl Theta {
    /// The tangent with this angle.
    pub(crate) fn tangent(self, theta: f64) -> Vec3 {
        let z = if self == Self::Below { -theta.sin() } else { theta.sin() };
        Vec3::new(theta.cos(), 0.0, z)
    }
}

/// Sampled shape of a rod.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    s: Vec<f64>,
    positions: Vec<Vec3>,
    tangents: Option<Vec<Vec3>>,
    frames: Option<Vec<Quat>>,
}

impl Samples {
    /// Reads s, r (or x, y, z) and q or θ; `None` where the case has no samples.
    pub(crate) fn read(case: &Field, theta: Theta) -> Result<Option<Self>, FieldError> {
        case.find("samples").map(|samples| Self::of(&samples, theta)).transpose()
    }

    /// Reads them where they stand.
    pub(crate) fn of(samples: &Field, theta: Theta) -> Result<Self, FieldError> {
        let s = samples.get("s")?.as_numbers()?;
        let positions: Vec<Vec3> = match samples.find("r") {
            Some(r) => r.items()?.iter().map(Field::as_vec3).collect::<Result<_, _>>()?,
            None => {
                let x = samples.get("x")?.as_numbers()?;
                let z = samples.get("z")?.as_numbers()?;
                let y = samples.maybe_numbers("y")?.unwrap_or_else(|| vec![0.0; x.len()]);
                if x.len() != z.len() || y.len() != z.len() {
                    return Err(samples.get("x")?.uneven());
                }
                (0..x.len()).map(|i| Vec3::new(x[i], y[i], z[i])).collect()
            }
        };
        let frames = match samples.find("q") {
            Some(q) => Some(q.items()?.iter().map(Field::as_quat).collect::<Result<Vec<_>, _>>()?),
            None => None,
        };
        let tangents = samples
            .maybe_numbers("theta")?
            .map(|list| list.iter().map(|&t| theta.tangent(t)).collect::<Vec<_>>());
        let lengths = [Some(positions.len()), frames.as_ref().map(Vec::len), tangents.as_ref().map(Vec::len)];
        if lengths.into_iter().flatten().any(|n| n != s.len()) {
            return Err(samples.get("s")?.uneven());
        }
        Ok(Self { s, positions, tangents, frames })
    }

    /// The same samples mirrored at the plane through the origin with unit normal `axis` (of the
    /// world axes x, y, z); tangents and frames follow.
    pub(crate) fn mirrored(&self, axis: usize) -> Self {
        let flip = |v: &Vec3| Vec3::from_fn(|i, _| if i == axis { -v[i] } else { v[i] });
        // A mirrored frame is left-handed; the section's own symmetry turns one director back.
        // Which one shows in the first frame, which the clamp holds: it must not change.
        let frames = self.frames.as_ref().map(|list| {
            let image = |q: &Quat, back: usize| {
                let r = rotation::matrix(q);
                let mut columns: Vec<Vec3> = (0..3).map(|k| flip(&r.column(k).into_owned())).collect();
                columns[back] = -columns[back];
                rotation::from_matrix(&flexline::Mat3::from_columns(&columns))
            };
            let off = |back: usize| list.first().map_or(0.0, |q| rotation::angle_between(q, &image(q, back)));
            let back = if off(0) <= off(1) { 0 } else { 1 };
            list.iter().map(|q| image(q, back)).collect()
        });
        Self {
            s: self.s.clone(),
            positions: self.positions.iter().map(flip).collect(),
            tangents: self.tangents.as_ref().map(|list| list.iter().map(flip).collect()),
            frames,
        }
    }

    /// The largest `height` of a state's centreline: over the samples, where the reference is the
    /// largest of them, over the whole curve otherwise.
    pub(crate) fn largest(
        &self,
        rod: &AnyRod,
        state: &RodState,
        reference: f64,
        height: &dyn Fn(&Vec3) -> f64,
    ) -> f64 {
        let largest = |heights: &mut dyn Iterator<Item = f64>| heights.fold(f64::NEG_INFINITY, f64::max);
        let at = |s: f64| height(&rod.station(state, s).position);
        let sampled = largest(&mut self.positions.iter().map(height));
        if (sampled - reference).abs() <= 1e-9 * rod.length() {
            return largest(&mut self.s.iter().map(|&s| at(s)));
        }
        let within =
            |w: &[f64]| largest(&mut (0..=16).map(|k| at(w[0] + (w[1] - w[0]) * f64::from(k) / 16.0)));
        largest(&mut rod.arcs().windows(2).map(within))
    }

    /// Centreline, and frames or tangents, of a state against the samples.
    pub(crate) fn compare(&self, rod: &AnyRod, state: &RodState, out: &mut Vec<Quantity>) {
        self.compare_within(rod, state, tolerance::CENTRELINE, out);
    }

    /// The same with another tolerance of the centreline.
    pub(crate) fn compare_within(
        &self,
        rod: &AnyRod,
        state: &RodState,
        centreline: f64,
        out: &mut Vec<Quantity>,
    ) {
        let (mut distance, mut turn, mut bend) = (0.0f64, 0.0f64, 0.0f64);
        for (i, &s) in self.s.iter().enumerate() {
            let station = rod.station(state, s);
            distance = worse(distance, (station.position - self.positions[i]).norm());
            if let Some(frames) = &self.frames {
                turn = worse(turn, rotation::angle_between(&station.frame, &frames[i]));
            }
            if let Some(tangents) = &self.tangents {
                let t = rotation::tangent(&station.frame);
                bend = worse(bend, t.cross(&tangents[i]).norm().atan2(t.dot(&tangents[i])));
            }
        }
        out.push(Quantity::new("centreline", distance / rod.length(), centreline));
        if self.frames.is_some() {
            out.push(Quantity::new("frames", turn, tolerance::ANGLE));
        }
        if self.tangents.is_some() {
            out.push(Quantity::new("tangents", bend, tolerance::ANGLE));
        }
    }
}

/// The larger; not-a-number wins.
pub(crate) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// Largest difference of vectors, relative to the largest reference; nothing where all vanish
/// beside `negligible`.
pub(crate) fn vectors(name: &'static str, pairs: &[(Vec3, Vec3)], negligible: f64) -> Option<Quantity> {
    let scale = pairs.iter().fold(0.0f64, |m, (_, r)| m.max(r.norm()));
    let error = pairs.iter().fold(0.0f64, |m, (v, r)| worse(m, (v - r).norm()));
    (scale > negligible).then(|| Quantity::new(name, error / scale, tolerance::WRENCH))
}

/// Largest difference of numbers, relative to the largest reference.
pub(crate) fn numbers(name: &'static str, pairs: &[(f64, f64)], tolerance: f64) -> Option<Quantity> {
    let scale = pairs.iter().fold(0.0f64, |m, (_, r)| m.max(r.abs()));
    let error = pairs.iter().fold(0.0f64, |m, (v, r)| worse(m, (v - r).abs()));
    (scale > 0.0).then(|| Quantity::new(name, error / scale, tolerance))
}

/// A threshold against its reference.
pub(crate) fn threshold(name: &'static str, value: f64, reference: f64) -> Quantity {
    Quantity::new(name, (value / reference - 1.0).abs(), tolerance::THRESHOLD)
}
