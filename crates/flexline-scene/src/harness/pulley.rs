//! Pulleys: eyes with a radius. Where the cable first touches and leaves the wheel is guessed from the places
//! before and behind it.

use super::lay::{Slider, Stop};
use super::{Node, Scene};
use crate::diagnostic::{Code, Diagnostic};
use crate::words::{digits, millimetres};
use flexline::algebra::rotation;
use flexline::solver::Pose;
use flexline::solver::network::Wheel;
use flexline::{Quat, Vec3};
use std::f64::consts::{PI, TAU};

/// The wheel of an eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulley {
    /// Radius to the centre of the cable, m.
    pub radius: f64,
    /// Unit axle, in the axes of the world or of the part; the cable goes round it by the right hand.
    pub axle: Vec3,
    /// Full turns beyond the first contact; `None` where the file does not say.
    pub turns: Option<usize>,
}

/// A wrap the other way round shorter than this makes one by more than half a turn a mistake.
const SHORT: f64 = 0.5 * PI;

/// The angles at which a cable that comes from `before` and goes to `behind` touches and leaves a wheel, by the
/// right hand about z; `None` where one of them lies within it.
fn contact(before: Vec3, behind: Vec3, radius: f64) -> Option<[f64; 2]> {
    let side = |p: Vec3| {
        let distance = p.xy().norm();
        (distance > radius * (1.0 + 1e-9)).then(|| (p.y.atan2(p.x), (radius / distance).acos()))
    };
    let ((first, lean), (last, other)) = (side(before)?, side(behind)?);
    let (first, last) = (first + lean, last - other);
    let wrap = (last - first).rem_euclid(TAU);
    // Rounding must not make a full turn of a mere touch.
    Some([first, first + if wrap > TAU - 1e-9 { 0.0 } else { wrap }])
}

impl Scene {
    /// The wheel of an eye, if it has one, and its pose on its anchor.
    fn wheel_of(&self, eye: usize) -> Option<(Pulley, Pose)> {
        let pulley = self.eyes[eye].pulley?;
        let (_, centre, _) = self.anchor(Node::Eye(eye));
        let orientation = rotation::frame(&pulley.axle, &rotation::across(&pulley.axle));
        Some((pulley, Pose { position: centre.position, orientation }))
    }

    /// Puts a cable on its wheels, given where every anchor is and how it is turned.
    pub(super) fn put_on_wheels(
        &self,
        stops: &mut [Stop],
        positions: &[Vec3],
        frames: &[Option<Quat>],
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let turned = |anchor: usize| frames[anchor].unwrap_or(rotation::identity());
        let place = |s: &Stop| positions[s.anchor] + rotation::rotate(&turned(s.anchor), &s.local.position);
        let places: Vec<Vec3> = stops.iter().map(place).collect();
        let down = self.gravity.try_normalize(0.0).unwrap_or(-Vec3::z());
        for k in 0..stops.len() {
            let Some(Slider::Eye(eye)) = stops[k].slider else { continue };
            let Some((pulley, pose)) = self.wheel_of(eye) else { continue };
            let on = stops[k].anchor;
            let back = (turned(on) * pose.orientation).conjugate();
            let seen = |p: &Vec3| rotation::rotate(&back, &(p - places[k]));
            // A free end hangs.
            let hanging = places[k] + down * (10.0 * pulley.radius);
            let before = seen(&places[k.saturating_sub(1)]);
            let behind = seen(places.get(k + 1).unwrap_or(&hanging));
            let contact = self.contact_of(eye, pulley, before, behind, mistakes);
            stops[k].wheel = Some(Wheel { on, pose, radius: pulley.radius, contact });
        }
    }

    fn contact_of(
        &self,
        eye: usize,
        pulley: Pulley,
        before: Vec3,
        behind: Vec3,
        mistakes: &mut Vec<Diagnostic>,
    ) -> [f64; 2] {
        let name = &self.eyes[eye].name;
        let Some([first, last]) = contact(before, behind, pulley.radius) else {
            let inside = if before.xy().norm() < behind.xy().norm() { before } else { behind };
            let message = format!(
                "pulley '{name}' of radius {} reaches over the place beside it on the cable, {} from its axle",
                millimetres(pulley.radius),
                millimetres(inside.xy().norm())
            );
            let help =
                "make `radius` smaller, or move one of them; a loose one needs a better first `position`";
            let path = format!("eye[{eye}].radius");
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
            return [0.0, PI];
        };
        let wrap = last - first;
        // The same seen from the other side of the axle.
        let mirror = |p: Vec3| Vec3::new(p.x, -p.y, p.z);
        let other = contact(mirror(before), mirror(behind), pulley.radius).map_or(wrap, |[a, b]| b - a);
        if pulley.turns.is_none() && wrap > PI && other < SHORT {
            let message = format!(
                "the cable would go round pulley '{name}' by {}°, by the right hand about `axle`; the other way round \
                 it is {}°",
                digits(wrap.to_degrees().round()),
                digits(other.to_degrees().round())
            );
            let axle = -pulley.axle;
            let help = format!(
                "turn the axle round: axle = [{}, {}, {}]; or say that you mean it: turns = 0",
                digits(axle.x + 0.0),
                digits(axle.y + 0.0),
                digits(axle.z + 0.0)
            );
            let path = format!("eye[{eye}].axle");
            mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help)));
        }
        [first, last + TAU * pulley.turns.unwrap_or(0) as f64]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rope_over_the_top_turns_by_half_a_turn() {
        // Right-handed about z: up on the right of the wheel, over the top, down on the left.
        let r = 0.1;
        let [first, last] = contact(Vec3::new(r, -50.0, 0.3), Vec3::new(-r, -50.0, 0.0), r).unwrap();
        assert!(first.abs() < 1e-4 && (last - PI).abs() < 1e-4, "{first} {last}");
        // From far right to far left over the top it touches in one point.
        let [first, last] = contact(Vec3::new(5.0, r, 0.0), Vec3::new(-5.0, r, 0.0), r).unwrap();
        assert!((first - 0.5 * PI).abs() < 1e-9 && (last - first).rem_euclid(TAU) < 1e-9);
        assert_eq!(contact(Vec3::new(0.05, 0.0, 0.0), Vec3::new(-5.0, 0.0, 0.0), r), None);
    }
}
