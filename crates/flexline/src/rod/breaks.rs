//! Where a rod is not smooth along its length, and elements that end there.
//!
//! Curvature follows the moment, u = ū + K⁻¹RᵀM. It jumps where the section or the rest shape does, and where a moment
//! acts at a point; it has a kink where a force acts, or a load along a stretch begins or ends. Inside an element it is a
//! polynomial, which can have neither, so elements end there, and curvature may jump where it does.

use super::curvature::{CurvatureError, MAX_ELEMENTS, MIN_ELEMENTS};
use crate::section::SectionProfile;

/// Share of the length within which two places are one.
const SAME: f64 = 1e-9;
/// Share of the length that an element has at least beside a load or a jump at rest: a shorter one has no digits left.
const LEAST: f64 = 1e-3;

/// A place where a rod is not smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Break {
    s: f64,
    /// Whether curvature itself jumps, not its slope alone.
    jumps: bool,
}

/// Places where a rod is not smooth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Breaks {
    section: Vec<Break>,
    others: Vec<Break>,
}

/// Ends of elements where each of those that end at `ends` is divided into `parts`.
pub(super) fn divided_ends(ends: &[f64], parts: usize) -> Vec<f64> {
    let within = |w: &[f64]| {
        let [from, to] = [w[0], w[1]];
        (0..parts).map(move |k| from + (to - from) * k as f64 / parts as f64)
    };
    ends.windows(2).flat_map(within).chain(ends.last().copied()).collect()
}

impl Breaks {
    /// Those of a section: where one zone ends and the next begins.
    pub fn of(section: &SectionProfile) -> Self {
        let jumps = section.jumps();
        let own = |s: f64| Break { s, jumps: jumps.contains(&s) };
        Self { section: section.breaks().into_iter().map(own).collect(), others: Vec::new() }
    }

    /// With a jump of the curvature: of the rest shape, or under a moment at a point.
    pub fn jump(&mut self, s: f64) {
        self.others.push(Break { s, jumps: true });
    }

    /// With a kink of the curvature: under a force at a point, or at the end of a load along a stretch.
    pub fn kink(&mut self, s: f64) {
        self.others.push(Break { s, jumps: false });
    }

    /// The stretches that jumps cut [from, to] into.
    pub(super) fn stretches(&self, from: f64, to: f64) -> impl Iterator<Item = [f64; 2]> {
        let mut ends = vec![from];
        ends.extend(self.others.iter().filter(|b| b.jumps && b.s > from && b.s < to).map(|b| b.s));
        ends.push(to);
        ends.sort_by(f64::total_cmp);
        (1..ends.len()).map(move |i| [ends[i - 1], ends[i]])
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.section.len() + self.others.len()
    }

    /// Whether curvature jumps there.
    pub(crate) fn jumps_at(&self, s: f64, length: f64) -> bool {
        let here = |b: &Break| b.jumps && (b.s - s).abs() < SAME * length;
        self.section.iter().chain(&self.others).any(here)
    }

    /// Ends of `n` elements, equal but for these places, which lie between elements. Places of loads and of the rest
    /// shape are left inside where they are more than the elements, or lie too near to another one.
    pub fn divide(&self, length: f64, n: usize) -> Result<Vec<f64>, CurvatureError> {
        if !(length.is_finite() && length > 0.0) {
            return Err(CurvatureError::Length(length));
        }
        if !(MIN_ELEMENTS..=MAX_ELEMENTS).contains(&n) {
            return Err(CurvatureError::Elements(n));
        }
        let mut places: Vec<f64> =
            self.section.iter().map(|b| b.s).filter(|s| *s > 0.0 && *s < length).collect();
        if self.others.len() <= n {
            for b in &self.others {
                let far = |s: &f64| (b.s - s).abs() >= LEAST * length;
                if [0.0, length].iter().chain(&places).all(far) && b.s > 0.0 && b.s < length {
                    places.push(b.s);
                }
            }
            places.sort_by(f64::total_cmp);
        }
        places.push(length);
        let mut ends = vec![0.0];
        let mut from = 0.0;
        for to in places {
            // A stretch gets its share of the elements, at least one.
            let count = ((to - from) / length * n as f64).round().max(1.0);
            for k in 1..=count as usize {
                ends.push(from + (to - from) * k as f64 / count);
            }
            from = to;
        }
        Ok(ends)
    }
}

/// The length of a rod whose elements end there; they must increase from 0.
pub(super) fn check_elements(ends: &[f64]) -> Result<f64, CurvatureError> {
    let length = ends.last().copied().unwrap_or(0.0);
    if !(length.is_finite() && length > 0.0) {
        return Err(CurvatureError::Length(length));
    }
    if !(MIN_ELEMENTS + 1..=MAX_ELEMENTS + 1).contains(&ends.len()) {
        return Err(CurvatureError::Elements(ends.len().saturating_sub(1)));
    }
    if ends[0] != 0.0 {
        return Err(CurvatureError::Start(ends[0]));
    }
    match (0..ends.len() - 1).find(|&e| ends[e].is_nan() || ends[e + 1] <= ends[e]) {
        Some(e) => Err(CurvatureError::Order(e + 1)),
        None => Ok(length),
    }
}
