//! The same chain in more segments, or in few.

use super::{Mesh, MixedRod};
use crate::algebra::Vec3;
use crate::rod::breaks::divided_ends;
use crate::rod::{Breaks, Rod};
use crate::section::{Section, SectionProfile, Zone};

/// Relative difference below which the cells of a rod are all alike.
const ALIKE: f64 = 1e-9;

impl MixedRod {
    /// This rod with every segment divided into `parts`. It is taken for what its cells say: even in each of them. `None`
    /// where there is nothing to make it of.
    pub(crate) fn divided(&self, parts: usize) -> Option<Self> {
        self.meshed(&Mesh::from_nodes(divided_ends(self.mesh().nodes(), parts)).ok()?)
    }

    /// The same with so many segments of one length.
    pub(crate) fn in_segments(&self, count: usize) -> Option<Self> {
        self.meshed(&Mesh::uniform(self.length(), count).ok()?)
    }

    fn meshed(&self, mesh: &Mesh) -> Option<Self> {
        let section = self.sections()?;
        let rod = Self::with_breaks(mesh, &Breaks::of(&section), &section, &|s| self.rest_strain(s));
        rod.flaw.is_none().then(|| rod.with_strain(self.strain_kind()))
    }

    /// Where the dual cell of node `j` ends.
    fn cell_end(&self, j: usize) -> f64 {
        let nodes = self.mesh().nodes();
        nodes.get(j + 1).map_or(nodes[j], |next| 0.5 * (nodes[j] + next))
    }

    /// Sections as its cells have them.
    fn sections(&self) -> Option<SectionProfile> {
        let section = |j: usize| {
            let k = self.stiffness[j];
            Section::measured(k.x, k.y, k.z, self.mass[j] / self.duals[j], self.radius[j]).ok()
        };
        let like_first = |j: usize| {
            let [own, first] = [j, 0].map(|j| (self.stiffness[j], self.mass[j] / self.duals[j]));
            (own.0 - first.0).norm() <= ALIKE * first.0.norm() && (own.1 - first.1).abs() <= ALIKE * first.1
        };
        let nodes = 0..=self.segments();
        if nodes.clone().all(like_first) {
            return Some(SectionProfile::uniform(section(0)?));
        }
        let zone = |j: usize| {
            let from = if j == 0 { 0.0 } else { self.cell_end(j - 1) };
            Some(Zone::constant(from, self.cell_end(j), section(j)?))
        };
        SectionProfile::new(nodes.map(zone).collect::<Option<Vec<Zone>>>()?).ok()
    }

    /// Rest strain of the cell at `s`, 1/m.
    fn rest_strain(&self, s: f64) -> Vec3 {
        let node = (0..self.segments()).find(|j| s < self.cell_end(*j)).unwrap_or(self.segments());
        self.rest[node] / self.duals[node]
    }
}
