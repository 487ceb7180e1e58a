//! The same helix or clothoid in more elements.

use super::CurvatureRod;
use crate::algebra::Vec3;
use crate::rod::Breaks;
use crate::rod::breaks::divided_ends;

impl CurvatureRod {
    /// This rod with every element divided into `parts`; its natural shape is what its elements have of it. `None` where
    /// its length is not that of its sections, or there would be too many elements.
    pub(crate) fn divided(&self, parts: usize) -> Option<Self> {
        if self.length != self.section_length {
            return None;
        }
        let ends = self.element_ends();
        let mut breaks = Breaks::of(&self.section);
        (1..self.elements()).filter(|e| self.begins[*e]).for_each(|e| breaks.jump(ends[e]));
        let rest = |s: f64| {
            let (e, within) = self.element_at(s);
            let phi = self.shapes(within / (self.shares[e] * self.length));
            (0..2).map(|k| self.stiffness[e].rest[k] * phi[k]).sum::<Vec3>()
        };
        Self::with_breaks(self.basis, &divided_ends(&ends, parts), &breaks, &self.section, &rest).ok()
    }
}
