//! Where the nodes of a rod lie along its arc length.

use serde::{Deserialize, Serialize};

/// Fewest segments a rod may have.
pub const MIN_SEGMENTS: usize = 4;
/// Most segments a rod may have.
pub const MAX_SEGMENTS: usize = 100_000;

/// Why a mesh cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// Length not positive or not finite.
    #[error("length {0} m: expected a positive, finite length")]
    Length(f64),
    /// Too few or too many segments.
    #[error("{0} segments: expected {MIN_SEGMENTS} to {MAX_SEGMENTS}")]
    Segments(usize),
    /// Nodes not increasing from 0.
    #[error("node {0} does not lie beyond the one before it")]
    Order(usize),
}

/// Arc lengths of the nodes, increasing from 0 to L.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Mesh {
    nodes: Vec<f64>,
}

/// A mesh as it is written down.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    nodes: Vec<f64>,
}

impl TryFrom<Stored> for Mesh {
    type Error = MeshError;

    fn try_from(stored: Stored) -> Result<Self, MeshError> {
        Self::from_nodes(stored.nodes)
    }
}

impl Mesh {
    /// `n` equal segments.
    pub fn uniform(length: f64, n: usize) -> Result<Self, MeshError> {
        Self::check(length, n)?;
        Ok(Self { nodes: (0..=n).map(|i| length * i as f64 / n as f64).collect() })
    }

    /// `n` segments that resolve boundary layers of the given thickness (m) at s = 0 and s = L.
    ///
    /// Under a tension T the stiffness K bends the rod only within √(K/T) of a clamp. Half of the
    /// segments share the rod evenly, the others crowd the layers: the density of nodes is
    /// proportional to 1/L + Σ ½ / ((d + δ) ln(1 + L/δ)), with d the distance from the end that
    /// has the layer δ. Segments grow geometrically away from it, so the order of convergence is
    /// kept. A layer thicker than a fifth of the rod needs no grading and is ignored.
    pub fn graded(length: f64, n: usize, layers: [f64; 2]) -> Result<Self, MeshError> {
        Self::check(length, n)?;
        let deltas =
            layers.map(|d| if d > 0.0 && d < 0.2 * length { Some(d.max(1e-9 * length)) } else { None });
        // Cumulative number of segments (up to a factor) at s; monotone, inverted by bisection.
        let share = |distance: f64, layer: Option<f64>| {
            layer.map_or(0.0, |d| 0.5 * (distance / d).ln_1p() / (length / d).ln_1p())
        };
        let cumulative = |s: f64| s / length + share(s, deltas[0]) - share(length - s, deltas[1]);
        let start = cumulative(0.0);
        let total = cumulative(length) - start;
        let mut nodes = Vec::with_capacity(n + 1);
        nodes.push(0.0);
        for i in 1..n {
            let target = start + total * i as f64 / n as f64;
            let (mut lo, mut hi) = (0.0, length);
            for _ in 0..200 {
                let mid = 0.5 * (lo + hi);
                if mid <= lo || mid >= hi {
                    break;
                }
                if cumulative(mid) < target { lo = mid } else { hi = mid }
            }
            nodes.push(0.5 * (lo + hi));
        }
        nodes.push(length);
        Self::from_nodes(nodes)
    }

    /// The given nodes; the first must be 0.
    pub fn from_nodes(nodes: Vec<f64>) -> Result<Self, MeshError> {
        let length = nodes.last().copied().unwrap_or(0.0);
        Self::check(length, nodes.len().saturating_sub(1))?;
        if nodes[0] != 0.0 {
            return Err(MeshError::Order(0));
        }
        if let Some(i) = (1..nodes.len()).find(|&i| nodes[i].is_nan() || nodes[i] <= nodes[i - 1]) {
            return Err(MeshError::Order(i));
        }
        Ok(Self { nodes })
    }

    fn check(length: f64, n: usize) -> Result<(), MeshError> {
        if !(length > 0.0 && length.is_finite()) {
            return Err(MeshError::Length(length));
        }
        if !(MIN_SEGMENTS..=MAX_SEGMENTS).contains(&n) {
            return Err(MeshError::Segments(n));
        }
        Ok(())
    }

    /// Makes this the mesh `other` stretched by `factor`, without allocating.
    pub(super) fn stretch_from(&mut self, other: &Self, factor: f64) {
        for (a, b) in self.nodes.iter_mut().zip(&other.nodes) {
            *a = b * factor;
        }
    }

    /// Arc lengths of the nodes.
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Length of the rod, m.
    pub fn length(&self) -> f64 {
        self.nodes[self.nodes.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graded_meshes_are_fine_at_the_layers_and_nest_in_density() {
        let mesh = Mesh::graded(2.0, 100, [0.01, 0.0]).unwrap();
        let l: Vec<f64> = mesh.nodes().windows(2).map(|w| w[1] - w[0]).collect();
        assert!(l[0] < 0.002 && l[0] < 0.2 * l[99], "{} {}", l[0], l[99]);
        assert!((l[98] / l[99] - 1.0).abs() < 0.02);
        let jump = l.windows(2).map(|w| (w[1] / w[0]).max(w[0] / w[1])).fold(0.0, f64::max);
        assert!(jump < 1.3, "neighbouring segments differ by a factor of {jump}");
        assert_eq!(mesh.length(), 2.0);
        let thick = Mesh::graded(2.0, 10, [1.0, 0.9]).unwrap();
        let uniform = Mesh::uniform(2.0, 10).unwrap();
        for (a, b) in thick.nodes().iter().zip(uniform.nodes()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn bad_meshes_are_refused() {
        assert_eq!(Mesh::uniform(0.0, 10), Err(MeshError::Length(0.0)));
        assert_eq!(Mesh::uniform(1.0, 3), Err(MeshError::Segments(3)));
        assert!(Mesh::uniform(f64::NAN, 10).is_err());
        assert_eq!(Mesh::from_nodes(vec![0.0, 1.0, 0.5, 2.0, 3.0]), Err(MeshError::Order(2)));
    }
}
