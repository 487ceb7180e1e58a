//! Beads: balls that slide on a cable and keep out of each other and of what holds the cable.

use super::Scene;
use super::lay::{Layout, Slider, Stop};
use crate::diagnostic::{Code, Diagnostic};
use crate::words::millimetres;
use flexline::Vec3;
use flexline::solver::network::{Anchor, Constraint, Point, Sense};

/// A bead on a cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Bead {
    /// Name.
    pub name: String,
    /// Which cable.
    pub cable: usize,
    /// A first guess of where on the cable it is, m.
    pub at: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, kg m².
    pub inertia: Vec3,
    /// Radius, m.
    pub radius: f64,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Scene {
    /// The anchors of the beads.
    pub(super) fn bead_anchors(&self, layout: &Layout) -> Vec<Anchor> {
        let first = layout.poses.len() - self.beads.len();
        let poses = layout.poses[first..].iter().copied();
        let anchor = |(bead, pose): (&Bead, _)| Anchor {
            inertia: bead.inertia,
            ..Anchor::part(pose, bead.mass, Vec3::zeros())
        };
        self.beads.iter().zip(poses).map(anchor).collect()
    }

    /// Two neighbours on a cable of which one at least is a bead, and how far apart they keep.
    fn apart(&self, pair: &[Stop]) -> Option<f64> {
        let [a, b] = pair else { return None };
        if !a.is_bead() && !b.is_bead() {
            return None;
        }
        let room = |stop: &Stop| match stop.slider {
            Some(Slider::Bead(i)) => self.beads[i].radius,
            Some(Slider::Eye(i)) => self.eyes[i].pulley.map_or(0.0, |p| p.radius),
            None => 0.0,
        };
        Some(room(a) + room(b))
    }

    /// What keeps beads off each other and off the stops beside them, with names for tables.
    pub(super) fn bead_constraints(&self, layout: &Layout) -> Vec<(String, Constraint)> {
        let names = self.anchor_names();
        let mut found = Vec::new();
        for stops in &layout.stops {
            for pair in stops.windows(2) {
                let Some(distance) = self.apart(pair) else { continue };
                let point = |stop: &Stop| Point::On(stop.anchor, stop.local.position);
                let [from, to] = [point(&pair[0]), point(&pair[1])];
                let name = format!("{} beside {}", names[pair[0].anchor], names[pair[1].anchor]);
                found.push((name, Constraint::Distance { from, to, distance, sense: Sense::AtLeast }));
            }
        }
        found
    }

    /// Beads that overlap at the start.
    pub(super) fn bead_mistakes(&self, layout: &Layout) -> Vec<Diagnostic> {
        let names = self.anchor_names();
        let mut mistakes = Vec::new();
        for (own, stops) in self.cables.iter().zip(&layout.stops) {
            for pair in stops.windows(2) {
                let Some(needed) = self.apart(pair).filter(|d| pair[1].s - pair[0].s < *d * (1.0 - 1e-9))
                else {
                    continue;
                };
                let bead = pair.iter().rev().find_map(|s| s.bead()).unwrap_or(0);
                let message = format!(
                    "{} and {} overlap: {} apart along cable '{}', their radii need {}",
                    names[pair[0].anchor],
                    names[pair[1].anchor],
                    millimetres(pair[1].s - pair[0].s),
                    own.cable.name,
                    millimetres(needed)
                );
                let help = "move the guess `at` of one of them, or make the bead smaller";
                let path = format!("bead[{bead}].at");
                mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
            }
        }
        mistakes
    }

    /// Cables that run out of their last eye, and beads that run off: nothing would come to rest.
    pub(super) fn runaway_mistakes(&self, layout: &Layout) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (own, stops) in self.cables.iter().zip(&layout.stops) {
            let last = stops.last().and_then(|s| s.slider).filter(|_| own.to.is_none());
            let (path, message, help) = match last {
                Some(Slider::Bead(bead)) => (
                    format!("bead[{bead}]"),
                    format!(
                        "bead '{}' would run off the free end of cable '{}'",
                        self.beads[bead].name, own.cable.name
                    ),
                    "put a stop behind it, a [[clip]] with hold = \"free\" nearer to the end; or end the cable in a part",
                ),
                Some(Slider::Eye(eye)) if self.eyes[eye].friction == 0.0 => (
                    format!("eye[{eye}]"),
                    format!(
                        "cable '{}' would run out of eye '{}': its end behind it is free, and nothing rubs",
                        own.cable.name, self.eyes[eye].name
                    ),
                    "give the eye friction = 0.3, or end the cable in a port or a part",
                ),
                _ => continue,
            };
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
        }
        mistakes
    }
}
