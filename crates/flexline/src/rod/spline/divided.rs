//! The same spline in more elements.

use super::SplineRod;
use crate::rod::breaks::divided_ends;
use crate::rod::{Breaks, Rod, RodState};

impl SplineRod {
    /// This rod with every element divided into `parts`; its natural shape is what its elements have of it. `None` where
    /// its length is not that of its sections, or there would be too many elements.
    pub(crate) fn divided(&self, parts: usize) -> Option<Self> {
        if self.length != self.section_length {
            return None;
        }
        let ends = self.element_ends();
        let mut breaks = Breaks::of(&self.section);
        let first = &self.knots.first;
        (1..self.elements()).filter(|e| first[*e] > first[*e - 1] + 1).for_each(|e| breaks.jump(ends[e]));
        let natural = RodState { coordinates: self.natural.clone(), twist: Vec::new() };
        let rest = |s: f64| self.strain(&natural, s);
        Self::with_breaks(&divided_ends(&ends, parts), &breaks, &self.section, &rest).ok()
    }
}
