//! Whether two equilibria are one shape in two places: moved, mirrored, or run through backwards.
//!
//! Equal energies, bending and torsion each, are necessary; then one centreline is laid on the other as well as a motion can, with and
//! without a mirror (W. Kabsch, *A solution for the best rotation to relate two sets of vectors*, Acta Cryst. A32 (1976) 922–923).

use flexline::Vec3;
use flexline::algebra::Mat3;
use flexline::rod::Rod;
use flexline::solver::network::{Network, NetworkState};
use flexline::solver::report::Energies;
use flexline::solver::statics::energies_at_rest;
use serde::Serialize;

/// Places of a span.
const PLACES: usize = 41;
/// Largest difference of energies, as a share of the bending and torsion, and distance, as a share of the longest span.
const ENERGY: f64 = 1e-5;
const DISTANCE: f64 = 2e-4;
/// What is no farther apart is in the same place.
const SAME: f64 = 1e-5;

/// How one shape is a copy of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Copy {
    /// The same in the same place.
    Same,
    /// Moved.
    Moved,
    /// Mirrored.
    Mirrored,
    /// Run through from its end, moved.
    Reversed,
    /// Run through from its end, mirrored.
    ReversedAndMirrored,
}

/// What is compared.
#[derive(Clone, Debug)]
pub struct Form {
    /// Places of all spans, by the longest.
    points: Vec<Vec3>,
    /// Tangent and one director as well, so that a twist is no other place.
    spin: Vec<Vec3>,
    energies: Energies,
    /// Energy that is no difference, J.
    scale: f64,
    is_one: bool,
}

/// A copy of a shape in another place.
#[derive(Clone, Debug, Serialize)]
pub struct Image {
    /// What it is.
    pub copy: Copy,
    #[serde(skip)]
    points: Vec<Vec3>,
    #[serde(skip)]
    spin: Vec<Vec3>,
}

impl Image {
    pub(crate) fn new(copy: Copy, form: &Form) -> Self {
        Self { copy, points: form.points.clone(), spin: form.spin.clone() }
    }

    /// How far a form is from it.
    pub(crate) fn distance(&self, form: &Form) -> f64 {
        apart(&self.points, &form.points).max(0.15 * apart(&self.spin, &form.spin))
    }
}

impl Form {
    /// Of a state.
    pub fn new(network: &Network, state: &NetworkState) -> Self {
        let longest = network.spans.iter().map(|span| span.rod.length()).fold(0.0, f64::max);
        let (mut points, mut spin) = (Vec::new(), Vec::new());
        for (k, own) in state.spans.iter().enumerate() {
            let rod = network.rod(state, k);
            for place in 0..PLACES {
                let there = rod.station(&own.rod, rod.length() * place as f64 / (PLACES - 1) as f64);
                points.push(there.position / longest);
                spin.push(flexline::algebra::rotation::rotate(&there.frame, &Vec3::x()));
            }
        }
        let energies = energies_at_rest(network, state);
        // A straight cable has no energy: what bends it a little is the scale then.
        let bend = network.spans.iter().map(|own| own.rod.first_stiffness().max() / own.rod.length());
        let scale = (energies.bending + energies.torsion).abs().max(1e-3 * bend.fold(0.0, f64::max));
        Self { points, spin, energies, scale, is_one: network.spans.len() == 1 }
    }

    /// How this is a copy of another, where it is.
    pub fn relation(&self, other: &Self) -> Option<Copy> {
        let [a, b] = [&self.energies, &other.energies];
        let differs = |x: f64, y: f64| (x - y).abs() > ENERGY * self.scale.max(other.scale);
        if self.points.len() != other.points.len()
            || differs(a.bending, b.bending)
            || differs(a.torsion, b.torsion)
            || differs(super::total(a), super::total(b))
        {
            return None;
        }
        if apart(&self.points, &other.points) <= SAME && 0.15 * apart(&self.spin, &other.spin) <= SAME {
            return Some(Copy::Same);
        }
        let back: Vec<Vec3> = other.points.iter().rev().copied().collect();
        let ways: &[(&[Vec3], [Copy; 2])] = &[
            (&other.points, [Copy::Moved, Copy::Mirrored]),
            (&back, [Copy::Reversed, Copy::ReversedAndMirrored]),
        ];
        ways.iter().take(if self.is_one { 2 } else { 1 }).find_map(|(points, [moved, mirrored])| {
            let [direct, mirror] = misfit(&self.points, points);
            match (direct <= DISTANCE, mirror <= DISTANCE) {
                (true, _) => Some(*moved),
                (false, true) => Some(*mirrored),
                _ => None,
            }
        })
    }
}

/// Root of the mean square of distances.
fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum();
    (sum / a.len().max(1) as f64).sqrt()
}

/// How far one set of points is from another at best, without and with a mirror.
fn misfit(a: &[Vec3], b: &[Vec3]) -> [f64; 2] {
    let centre = |own: &[Vec3]| own.iter().sum::<Vec3>() / own.len().max(1) as f64;
    let (from, to) = (centre(a), centre(b));
    let cross: Mat3 = a.iter().zip(b).map(|(a, b)| (b - to) * (a - from).transpose()).sum();
    let svd = cross.svd(true, true);
    let (Some(u), Some(v)) = (svd.u, svd.v_t) else { return [f64::INFINITY; 2] };
    // nalgebra does not promise an order of singular values: the least one is turned round.
    let least = svd.singular_values.imin();
    [1.0, -1.0].map(|sign: f64| {
        let mut turn = Mat3::identity();
        turn[(least, least)] = sign * (u * v).determinant().signum();
        let rotation = u * turn * v;
        let moved: Vec<Vec3> = a.iter().map(|own| rotation * (own - from) + to).collect();
        apart(&moved, b)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flexline::algebra::rotation;

    #[test]
    fn a_moved_and_a_mirrored_curve_are_told_apart() {
        let helix = |hand: f64| -> Vec<Vec3> {
            (0..40).map(|k| 0.1 * k as f64).map(|t| Vec3::new(t.cos(), hand * t.sin(), 0.3 * t)).collect()
        };
        let turn = rotation::matrix(&rotation::exp(&Vec3::new(0.3, 1.0, -0.4)));
        let moved: Vec<Vec3> = helix(1.0).iter().map(|p| turn * p + Vec3::new(1.0, 2.0, 3.0)).collect();
        let [direct, mirror] = misfit(&helix(1.0), &moved);
        assert!(direct < 1e-12 && mirror > 0.05, "{direct} {mirror}");
        let [direct, mirror] = misfit(&helix(-1.0), &moved);
        assert!(direct > 0.05 && mirror < 1e-12, "{direct} {mirror}");
    }
}
