//! Cables that grow and change their rest shape in time: a tendril, a ribbon that uncoils.

use super::compile::{Compiled, CompiledCable, Cut};
use super::lead::smooth;
use super::{Node, Scene};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{Cable, Rest};
use crate::resolve::Along;
use flexline::Vec3;
use flexline::solver::motion::Motion;
use flexline::solver::network::{Network, NetworkState};

/// How a cable changes in time, as the file says it: smoothly from what it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// Its length in the end, m, where that changes.
    pub length: Option<f64>,
    /// Its rest shape in the end, where that changes.
    pub rest: Option<Rest>,
    /// When it begins, s.
    pub start: f64,
    /// How long it takes, s.
    pub duration: f64,
}

impl Growth {
    /// How much of the change is done at a time, 0 to 1.
    fn share(&self, time: f64) -> f64 {
        smooth((time - self.start) / self.duration)
    }
}

/// What it takes to make the rods of a cable anew.
#[derive(Clone, Debug)]
pub(super) struct Growing {
    pub growth: Growth,
    pub along: Along,
    pub cable: Cable,
    /// The stretches that its spans are.
    pub cuts: Vec<Cut>,
}

impl Growing {
    /// The rest shape at a place of the cable as it was, when `share` of the change is done, 1/m.
    fn rest(&self, s: f64, share: f64) -> Vec3 {
        let (length, cable) = (self.cable.length, &self.cable);
        let last = self.growth.length.unwrap_or(length);
        let end = self.growth.rest.as_ref().map_or_else(
            || cable.rest.at(s, length),
            // What it says of places counts along the grown cable.
            |rest| rest.at(s * last / length, last),
        );
        cable.rest.at(s, length).lerp(&end, share)
    }
}

impl CompiledCable {
    /// Makes the spans of this cable what they are at the second of two times; see [`Compiled::grow`].
    fn grow(&self, network: &mut Network, state: &mut NetworkState, [before, now]: [f64; 2]) -> bool {
        let Some(growing) = &self.growing else { return false };
        let share = growing.growth.share(now);
        if share == growing.growth.share(before) {
            return false;
        }
        let last = growing.growth.length.unwrap_or(growing.cable.length);
        let stretch = 1.0 + share * (last / growing.cable.length - 1.0);
        for ((span, _), cut) in self.spans.iter().zip(&growing.cuts) {
            let rest = |s: f64| growing.rest(s, share);
            // Both ends of the way were tried when the scene was compiled.
            if let Ok(rod) = cut.rod(&growing.along, &growing.cable, &rest) {
                let length = (cut.stretch[1] - cut.stretch[0]) * stretch;
                network.spans[*span].rod = rod.with_length(length);
                state.lengths[*span] = length;
            }
        }
        true
    }
}

impl Compiled {
    /// Whether anything grows.
    pub fn grows(&self) -> bool {
        self.cables.iter().any(|c| c.growing.is_some())
    }

    /// Makes every cable what it is at the second of two times, s; at the first they are what they are now. Says
    /// whether rods have changed. What energy that takes is booked as work done.
    pub fn grow(&self, network: &mut Network, motion: &mut Motion, times: [f64; 2]) -> bool {
        if !self.grows() {
            return false;
        }
        let before = motion.energies(network).total();
        let state = &mut motion.state;
        let mut changed = false;
        for cable in &self.cables {
            changed |= cable.grow(network, state, times);
        }
        motion.work += motion.energies(network).total() - before;
        if changed {
            motion.expect_uncounted_work();
        }
        changed
    }
}

impl Scene {
    /// What cannot grow.
    pub(super) fn growth_mistakes(&self) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (i, own) in self.cables.iter().enumerate().filter(|(_, own)| own.growth.is_some()) {
            let slides = self.eyes.iter().map(|e| e.cable).chain(self.beads.iter().map(|b| b.cable));
            let ends = [Some(own.from), own.to].into_iter().flatten();
            let slides = slides.into_iter().any(|cable| cable == i)
                || ends.into_iter().any(|node| matches!(node, Node::Eye(_) | Node::Bead(_)));
            if slides || own.route.is_some() || own.feed != 0.0 {
                let message = format!("cable '{}' grows and slides, or finds its own length", own.cable.name);
                let help = "leave out `grow`, or eyes, beads, `route` and `feed`";
                let path = format!("cable[{i}].grow");
                mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
            }
        }
        mistakes
    }
}
