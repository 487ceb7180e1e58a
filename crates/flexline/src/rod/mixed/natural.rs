//! The natural strain of a chain from its shape.
//!
//! What loads do beyond a vertex is known from the free end on: λ_{j−1} = λ_j + F_j, and the balance of moments at frame j
//! (`system.rs`) says which derivative b = ∂E/∂θ_j of the vertex before it is wanted. That derivative is linear in the moment K (u − ū) of the
//! vertex, three equations for three unknowns, so that every vertex gives its ū in turn.

use super::loads::ChainLoads;
use super::{HeldChain, MixedRod, vertex};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::RodState;
use crate::rod::kernel::Loads;

impl MixedRod {
    /// See [`Model::take_natural`](crate::rod::model::Model::take_natural); false where a vertex is folded back by half a turn.
    pub(super) fn take_natural(&mut self, state: &RodState, gravity: &Vec3, loads: Loads<'_>) -> bool {
        let n = self.segments();
        let mut held = HeldChain { gravity: *gravity, ..HeldChain::new(self.clone()) };
        held.read_loads(loads);
        let mut own = ChainLoads::default();
        own.read(&held);
        let rotations: Vec<Mat3> = (0..n + 2).map(|j| rotation::matrix(&self.frame(state, j))).collect();
        let mut forces = vec![Vec3::zeros(); n + 1];
        own.nodal_forces(self, &rotations, &mut forces);
        let mut turning = vec![Vec3::zeros(); n + 2];
        own.subtract_moments(&rotations, &mut turning);
        let (mut beyond, mut after) = (Vec3::zeros(), Vec3::zeros());
        for j in (0..=n).rev() {
            let mut wanted = -(after + turning[j + 1]);
            if j < n {
                beyond += forces[j + 1];
                wanted += self.lever(&self.frame(state, j + 1), j + 1).tr_mul(&beyond);
            }
            let (p, m) = self.vertex(state, j);
            let column = |axis: Vec3| vertex::gradient(&p, &m, &axis).1;
            let slope = Mat3::from_columns(&[column(Vec3::x()), column(Vec3::y()), column(Vec3::z())]);
            let Some(moment) = slope.lu().solve(&wanted).filter(|m| m.iter().all(|x| x.is_finite())) else {
                return false;
            };
            self.rest[j] = m.value - moment.component_div(&self.spring[j]);
            after = vertex::gradient(&p, &m, &moment).0;
        }
        true
    }

    /// See [`Model::natural_rows`](crate::rod::model::Model::natural_rows): constant over the stretch that a vertex stands for.
    pub(super) fn natural_rows(&self) -> Vec<(f64, Vec3)> {
        let nodes = self.mesh.nodes();
        let middle = |i: usize| 0.5 * (nodes[i] + nodes[i + 1]);
        let n = self.segments();
        let mut rows = Vec::with_capacity(2 * (n + 1));
        for (j, rest) in self.rest.iter().enumerate() {
            let own = rest / self.duals[j];
            rows.push((if j == 0 { 0.0 } else { middle(j - 1) }, own));
            rows.push((if j == n { nodes[n] } else { middle(j) }, own));
        }
        rows
    }
}
