//! The ends of the one cable of a file with `[cable]`: the anchors that they are, what loads them, how they crowd segments,
//! and what is wrong with them in the words of such a file.

use super::Scene;
use super::compile::AnchorName;
use crate::diagnostic::{Code, Diagnostic};
use crate::frame::carried;
use crate::model::{Cable, End, Grading, Hold, Load, LoadOn, Method, Orientation};
use crate::words::millimetres;
use flexline::algebra::rotation;
use flexline::section::SectionProfile;
use flexline::solver::network::{Anchor, Network};
use flexline::solver::{Pose, ProblemError};
use flexline::{Quat, Vec3};

/// The one cable of a scene, and its ends.
pub(crate) struct Single<'a> {
    scene: &'a Scene,
    cable: &'a Cable,
    ends: &'a [End; 2],
}

impl Scene {
    /// The one cable of a file with `[cable]`, and its ends.
    pub(crate) fn as_single(&self) -> Option<Single<'_>> {
        let (ends, cable) = (self.ends.as_ref()?, &self.cables.first()?.cable);
        Some(Single { scene: self, cable, ends })
    }

    /// The ends that are anchors: both of a cable that is held at both, the seam of a ring, the start of what hangs.
    pub(super) fn anchored_ends(&self) -> &[End] {
        let count =
            1 + usize::from(self.cables.first().is_some_and(|own| own.to == Some(super::Node::End(1))));
        self.ends.as_ref().map_or(&[], |ends| &ends[..count])
    }

    /// What they are called.
    pub(super) fn end_names(&self) -> impl Iterator<Item = AnchorName> {
        ["start", "end"].into_iter().take(self.anchored_ends().len()).map(AnchorName::end)
    }

    /// The frames of both ends, before their twist; `None` where they are not held, or there are none.
    pub(super) fn end_frames(&self) -> [Option<Quat>; 2] {
        self.as_single().map_or([None; 2], |single| single.frames())
    }

    /// How the cable sits on both ends: turned by the twist of its start.
    pub(super) fn seat(&self) -> Quat {
        let turn = self.ends.as_ref().map_or(0.0, |ends| ends[0].twist);
        rotation::exp(&Vec3::new(0.0, 0.0, turn))
    }

    /// Moves an end of the one cable to where a hand leads it, and turns it where that does; the roll that the scene leaves
    /// open follows from where both ends are.
    pub fn lead_end(&mut self, side: usize, position: Vec3, frame: Option<Quat>, network: &mut Network) {
        if let Some(end) = self.ends.as_mut().and_then(|ends| ends.get_mut(side)) {
            end.position = position;
            end.orientation = end.orientation.map(|own| frame.map_or(own, Orientation::Frame));
        }
        for (anchor, frame) in network.anchors.iter_mut().zip(self.end_frames()) {
            anchor.pose.orientation = frame.unwrap_or(anchor.pose.orientation);
        }
    }
}

impl End {
    /// Whether it is held at all.
    pub(crate) fn is_held(&self) -> bool {
        self.held() != [false; 3] || self.orientation.is_some()
    }

    /// The anchor that it is, at `pose`. The frame of a cable that is pinned turns on it; the seam of a ring turns with it.
    pub(super) fn anchor(&self, pose: Pose, closed: bool) -> Anchor {
        let pinned = self.hold == Hold::Pinned && self.is_held() && !closed;
        Anchor {
            held: self.held(),
            held_orientation: self.hold == Hold::Clamped || pinned,
            ..Anchor::loose(pose)
        }
    }
}

impl Single<'_> {
    /// The turns of the end of the cable against its start, which sits turned already, rad.
    pub(super) fn turns(&self) -> f64 {
        let [start, end] = self.ends;
        let turned = || if end.orientation.is_some() { end.twist - start.twist } else { 0.0 };
        self.cable.ring_twist.unwrap_or_else(turned)
    }

    /// The loads on its ends.
    pub(super) fn loads(&self) -> impl Iterator<Item = Load> {
        let places = self.ends.iter().zip([0.0, self.cable.length]);
        let loaded = places.filter(|(end, _)| end.force != Vec3::zeros() || end.moment != Vec3::zeros());
        loaded.map(|(end, at)| Load {
            name: None,
            on: LoadOn::Point { at, force: end.force, moment: end.moment },
            axes: end.axes,
        })
    }

    /// The lengths at its ends that segments are crowded in, m, where the file asks for that.
    pub(super) fn layers(&self, segments: usize, section: &SectionProfile) -> Option<[f64; 2]> {
        match self.cable.grading {
            Grading::Uniform => None,
            Grading::Layers(layers) => Some(layers),
            Grading::Auto => Some(self.expected_layers(segments, section)),
        }
    }

    /// How far a clamp bends the cable under the tension to be expected: √(K/T), m; zero where nothing clamps.
    fn expected_layers(&self, segments: usize, section: &SectionProfile) -> [f64; 2] {
        let cable = self.cable;
        let tension = self.expected_tension(section);
        let finest = 0.05 * cable.length / segments as f64;
        [0, 1].map(|i| {
            if self.ends[i].hold != Hold::Clamped || cable.ring_twist.is_some() || tension <= 0.0 {
                return 0.0;
            }
            let stiffness = section.at(if i == 0 { 0.0 } else { cable.length }).stiffness;
            (stiffness.x.min(stiffness.y) / tension).sqrt().max(finest)
        })
    }

    /// The tension at the ends, estimated without bending stiffness: that of the catenary between two held
    /// ends, the whole weight under one, and the forces on it.
    fn expected_tension(&self, section: &SectionProfile) -> f64 {
        let length = self.cable.length;
        let weight = section.cell(0.0, length).mass * self.scene.gravity.norm();
        let on_ends = self.ends.iter().map(|e| e.force.norm()).sum::<f64>();
        let on_points = self.scene.loads.iter().map(|own| match own.load.on {
            LoadOn::Point { force, .. } => force.norm(),
            LoadOn::Stretch { from, to, force, .. } => 0.5 * (force[0] + force[1]).norm() * (to - from),
        });
        let total = weight + on_ends + on_points.sum::<f64>();
        if self.ends.iter().any(|e| e.held() != [true; 3]) || weight == 0.0 {
            return total;
        }
        let chord = self.ends[1].position - self.ends[0].position;
        let up = self.scene.gravity / self.scene.gravity.norm();
        let rise = chord.dot(&up);
        let span = (chord - up * rise).norm();
        // sinh(x)/x = √(L² − rise²)/span with x = w span / 2H; x from the logarithm's side is monotone.
        let ratio =
            ((length * length - rise * rise).max(0.0).sqrt() / span.max(1e-9 * length)).max(1.0 + 1e-12);
        let (mut lo, mut hi) = (1e-9, 50.0);
        for _ in 0..100 {
            let x: f64 = 0.5 * (lo + hi);
            if x.sinh() / x < ratio { lo = x } else { hi = x }
        }
        let horizontal = weight / length * span / (2.0 * lo);
        horizontal.hypot(0.5 * weight).max(total - weight)
    }

    /// The frames at which the ends are held, before their twist. Where the roll of the end is open, that of the start is
    /// carried there.
    fn frames(&self) -> [Option<Quat>; 2] {
        let start = self.ends[0].orientation.map(Orientation::frame);
        let chord = self.ends[1].position - self.ends[0].position;
        let end = self.ends[1].orientation.map(|o| match (o, start) {
            (Orientation::Tangent(t, None), Some(first)) => carried(&first, &chord, &t, self.cable.length),
            _ => o.frame(),
        });
        [start, end]
    }

    /// Whether what holds the cable can hold it, and what goes with no obstacles.
    pub(super) fn mistakes(&self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = self.support_mistake().into_iter().collect();
        let scene = self.scene;
        if !scene.has_contact() {
            return found;
        }
        let mut conflict = |key: &str, message: &str, help: &str| {
            found.push(scene.source.diagnostic(Code::Conflict, key, message.into(), Some(help.into())));
        };
        if self.cable.accuracy.is_some() {
            let message = "`accuracy` does not see obstacles: the pieces that it chooses are those of the cable without them";
            conflict("cable.accuracy", message, "say how many there are: segments = 100");
        }
        if let Some(Method::IntegralForces { .. }) = scene.solve.method {
            let message = "`solve.method` = \"integral-forces\" knows no obstacles";
            conflict("solve.method", message, "leave it out: \"newton\" does");
        }
        found
    }

    /// Whether what holds the cable can hold it.
    fn support_mistake(&self) -> Option<Diagnostic> {
        let closed = self.cable.ring_twist.is_some();
        let [a, b] = [self.ends[0].held(), self.ends[1].held()];
        let loose: Vec<&str> =
            (0..3).filter(|&i| !(a[i] || (!closed && b[i]))).map(|i| ["x", "y", "z"][i]).collect();
        if !loose.is_empty() {
            let message = if loose.len() == 3 {
                "nothing holds the cable: it would float away".to_owned()
            } else {
                format!("nothing holds the cable along {}: it would float away", loose.join(" and "))
            };
            let help =
                "hold at least one end: hold = \"clamped\" or \"pinned\", without `slides` along that axis";
            let source = &self.scene.source;
            return Some(source.diagnostic(Code::Floating, "start.hold", message, Some(help.into())));
        }
        if !closed && a == [true; 3] && b == [true; 3] {
            let distance = (self.ends[1].position - self.ends[0].position).norm();
            if distance > self.cable.length {
                return Some(self.too_short(self.cable.length, distance));
            }
        }
        None
    }

    fn too_short(&self, length: f64, distance: f64) -> Diagnostic {
        let [missing, length, distance] = [distance - length, length, distance].map(millimetres);
        let message =
            format!("the cable is {missing} too short: it is {length} long, its ends are {distance} apart");
        let help =
            format!("lengthen it to at least {distance} (cable.length), or move the ends closer together");
        self.scene.source.diagnostic(Code::TooShort, "cable.length", message, Some(help))
    }

    /// A mistake only the engine saw, at the key it concerns.
    pub(crate) fn engine_mistake(&self, error: &ProblemError) -> Diagnostic {
        let (code, path) = match error {
            ProblemError::TooShort { length, distance, .. } => return self.too_short(*length, *distance),
            ProblemError::Floating => (Code::Floating, "start.hold"),
            ProblemError::LoadOutside { .. } => (Code::OutOfRange, "load"),
            ProblemError::NotInScheme => (Code::Conflict, "solve.method"),
            ProblemError::NotFinite { .. } | ProblemError::NotUnit { .. } => (Code::NotFinite, ""),
            ProblemError::Rod(_) => (Code::OutOfRange, "cable"),
            ProblemError::Setting { .. } => (Code::OutOfRange, "solve"),
            // What has no place of its own in the file is told without one.
            _ => (Code::Conflict, ""),
        };
        self.scene.source.diagnostic(code, path, error.to_string(), None)
    }
}
