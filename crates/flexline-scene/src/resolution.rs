//! Whether segments and elements are short enough for what a solution shows: a look that costs nothing, where no accuracy was
//! asked for.

use crate::check::{Finding, Rule, Verdict};
use crate::words::millimetres;
use flexline::rod::AnyRod;
use flexline::section::SectionProfile;
use flexline::solver::Sample;

/// Length of a segment as a share of the layer √(K/T) that a clamp bends, above which forces are rough: they are off by about
/// the square of it.
const SEGMENT: f64 = 0.5;
/// The same between clamps that are nearly as far apart as the cable is long: there the tension follows from what the layers
/// take up of the length, and errors of that are several times as large in the force.
const STRAIGHT_SEGMENT: f64 = 0.3;
/// Chord over length from which a piece is nearly straight.
const STRAIGHT: f64 = 0.97;
/// The same of elements.
const ELEMENT: f64 = 1.0;
/// Segments between two clamps below which what holds them is off by more than a twentieth: n of them are 2/n² too limp.
const FEWEST: usize = 6;
/// Local strain from which a spline is too coarse.
const STRETCH: f64 = 0.01;

/// A rod between two stops of a cable, solved.
pub(crate) struct Piece<'a> {
    pub rod: &'a AnyRod,
    /// Whether its ends are held in direction.
    pub clamped: [bool; 2],
    /// The section along the cable.
    pub section: &'a SectionProfile,
    /// From its start to its end, along the cable.
    pub samples: &'a [Sample],
    /// Largest strain of its centreline at any place, where it is a spline.
    pub stretch: Option<f64>,
    /// What else makes segments short, for the remedy.
    pub grades: bool,
}

impl Piece<'_> {
    /// What is too coarse about it; only what bears on forces and on limits that are known, where it is `judged`.
    pub fn unresolved(&self, judged: bool) -> Option<Finding> {
        self.taut(judged).or_else(|| self.few()).or_else(|| self.stretched()).or_else(|| self.wound_up())
    }

    fn finding(&self, at: &Sample, value: f64, limit: f64, message: String) -> Finding {
        let (rule, verdict) = (Rule::PieceLength, Verdict::Warn);
        Finding {
            rule,
            verdict,
            value,
            limit: Some(limit),
            utilisation: None,
            s: at.s,
            position: at.position,
            detail: String::new(),
            message,
        }
    }

    /// A clamp bends a taut cable only within √(K/T) of itself.
    fn taut(&self, judged: bool) -> Option<Finding> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        if !self.samples.iter().any(|s| s.tension() > 0.0) {
            return None;
        }
        let ends = self.rod.piece_ends();
        let n = ends.len() - 1;
        let straight = self.clamped == [true; 2]
            && (last.position - first.position).norm() > STRAIGHT * (last.s - first.s);
        let matters = |at: &Sample| {
            let limits = self.section.at(at.s).limits;
            straight || limits.bend_static.or(limits.bend_dynamic).is_some() || limits.strain.is_some()
        };
        let (what, most) = match (self.rod.as_mixed().is_some(), straight) {
            (true, true) => ("segments", STRAIGHT_SEGMENT),
            (true, false) => ("segments", SEGMENT),
            (false, _) => ("elements", ELEMENT),
        };
        let sides = [(first, ends[1] - ends[0]), (last, ends[n] - ends[n - 1])];
        let (at, layer, piece) = sides
            .into_iter()
            .zip(self.clamped)
            .filter(|(_, clamped)| *clamped)
            .filter_map(|((at, piece), _)| {
                // The clamp may hold the cable askew: what pulls is the force, wherever it points.
                let stiffness = self.section.at(at.s).stiffness;
                let layer =
                    (stiffness.x.max(stiffness.y) / at.force_world.norm().max(f64::MIN_POSITIVE)).sqrt();
                (piece > most * layer && (!judged || matters(at))).then_some((at, layer, piece))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        let grading = if self.grades { ", grading = \"auto\"" } else { "" };
        let message = format!(
            "the cable is so taut that a clamp bends it only within {}, but its {what} are {} long: forces and moments there are \
             rough; use more {what}{grading} or an accuracy",
            millimetres(layer),
            millimetres(piece)
        );
        Some(self.finding(at, piece, most * layer, message))
    }

    /// A chain of few segments between two clamps is too limp.
    fn few(&self) -> Option<Finding> {
        let (n, first, last) = (self.rod.as_mixed()?.segments(), self.samples.first()?, self.samples.last()?);
        if n >= FEWEST || self.clamped != [true; 2] {
            return None;
        }
        let message = format!(
            "only {n} segments between two clamps, from s = {} to {}: their forces and moments are off by some {:.0} %; use more \
             segments or an accuracy",
            millimetres(first.s),
            millimetres(last.s),
            200.0 / (n * n) as f64
        );
        let length = last.s - first.s;
        Some(self.finding(first, length / n as f64, length / FEWEST as f64, message))
    }

    /// Torque buckles a rod into a helix of 4πK/M a turn (Greenhill), unless M²/4K of tension keeps it straight. Pieces that
    /// are longer than that turn past it, and do not notice.
    fn wound_up(&self) -> Option<Finding> {
        let ends = self.rod.piece_ends();
        let piece = ends.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
        let (what, most) = if self.rod.as_mixed().is_some() { ("segments", 1.0) } else { ("elements", 2.0) };
        let waves = self.samples.iter().filter_map(|at| {
            let stiffness = self.section.at(at.s).stiffness.xy().max();
            let wave = 0.5 * at.moment_material.z.abs() / stiffness;
            (at.tension() < stiffness * wave * wave).then_some((at, wave))
        });
        let (at, wave) = waves.max_by(|a, b| a.1.total_cmp(&b.1))?;
        if piece * wave <= most {
            return None;
        }
        let message = format!(
            "a torque of {:.3} N m would buckle the cable into a helix of {} a turn, but its {what} are {} long: whether it is \
             stable is not known; use more {what}",
            at.moment_material.z.abs(),
            millimetres(std::f64::consts::TAU / wave),
            millimetres(piece)
        );
        Some(self.finding(at, piece, most / wave, message))
    }

    /// A spline keeps its length on average only.
    fn stretched(&self) -> Option<Finding> {
        let stretch = self.stretch.filter(|stretch| *stretch > STRETCH)?;
        let message = format!(
            "the centreline of the spline is stretched by {:.1} % where that is worst: use more elements or an accuracy",
            100.0 * stretch
        );
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        let piece = (last.s - first.s) / self.rod.pieces().0 as f64;
        Some(self.finding(first, piece, piece * (STRETCH / stretch).sqrt(), message))
    }
}
