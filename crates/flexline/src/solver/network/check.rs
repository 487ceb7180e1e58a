//! What a network must be before it can be solved, and what a state must be to belong to it.

use super::model::{Network, NetworkError};
use super::state::NetworkState;
use crate::algebra::rotation;
use crate::body::load::outside;
use crate::body::pose::is_finite;
use crate::body::pose::not_unit;
use crate::body::{DistributedLoad, PointLoad, Pole, Pose};
use crate::constraint::Constraint;
use crate::joint::{Attachment, Slide};
use crate::rod::Rod;
use crate::solver::problem::ProblemError;

/// So many spans are looked through without asking for memory.
const FEW: usize = 256;

impl Network {
    /// Checks what can be checked before solving.
    pub fn check(&self) -> Result<(), NetworkError> {
        self.check_links()?;
        self.check_numbers()?;
        for index in 0..self.spans.len() {
            self.check_span(index)?;
        }
        self.check_lengths()
    }

    /// The same, but for cables that are too short: a solve finds the nearest state, and says what is missing.
    pub(in crate::solver) fn check_even_short(&self) -> Result<(), NetworkError> {
        match self.check() {
            Err(NetworkError::TooShort { .. }) => Ok(()),
            other => other,
        }
    }

    /// Whether everything that is named exists, and rope goes one way.
    pub(in crate::solver) fn check_links(&self) -> Result<(), NetworkError> {
        let count = self.anchors.len();
        let spans = self.spans.iter().enumerate().flat_map(|(k, span)| {
            std::iter::once(&span.start).chain(&span.end).map(move |end| ("span", k, end.anchor))
        });
        let wheels = self.wheels.iter().enumerate().map(|(k, wheel)| ("wheel", k, wheel.on));
        let constraints = self.constraints.iter().enumerate().flat_map(|(k, constraint)| {
            constraint.anchors().into_iter().flatten().map(move |anchor| ("constraint", k, anchor))
        });
        for (what, index, anchor) in spans.chain(wheels).chain(constraints) {
            if anchor >= count {
                return Err(NetworkError::NoSuchAnchor { what, index, anchor, count });
            }
        }
        let count = self.spans.len();
        for (index, pair) in self.passing.iter().enumerate() {
            if let Some(&span) = pair.iter().find(|span| **span >= count) {
                return Err(NetworkError::NoSuchPair { index, span, count });
            }
        }
        for (index, passage) in self.passages.iter().enumerate() {
            if passage.span >= count || passage.obstacle >= self.obstacles.len() || !passage.within.is_sound()
            {
                return Err(NetworkError::NoSuchPassage { index });
            }
        }
        for (index, mount) in self.mounts.iter().enumerate() {
            let obstacle = mount.obstacle;
            let is_known = obstacle < self.obstacles.len() && mount.anchor < self.anchors.len();
            let is_again = self.mounts[..index].iter().any(|other| other.obstacle == obstacle);
            // What nothing moves may be anything.
            let can_be =
                |o: usize| self.loose_mount(o).is_none() || self.obstacles[o].shape.solid().is_some();
            if !is_known || is_again || !mount.anchor_from_obstacle.is_sound() || !can_be(obstacle) {
                return Err(NetworkError::NoSuchMount { index, obstacle });
            }
        }
        // Whether rope goes on at the end of a span, and comes from elsewhere at its start.
        let (mut few, mut many) = ([[false; 2]; FEW], Vec::new());
        let joined = if self.spans.len() <= FEW {
            &mut few[..]
        } else {
            many.resize(if self.slides.is_empty() { 0 } else { self.spans.len() }, [false; 2]);
            &mut many[..]
        };
        for (index, slide) in self.slides.iter().enumerate() {
            if !self.slide_is_sound(slide) {
                return Err(NetworkError::NoEye(index));
            }
            if let (Some(before), Some(after)) = (slide.before, slide.after) {
                let [ends, starts] = [(before, 0), (after, 1)]
                    .map(|(span, side)| std::mem::replace(&mut joined[span][side], true));
                if ends || starts {
                    return Err(NetworkError::Fork(index));
                }
            }
        }
        Ok(())
    }

    /// Whether the spans of a slide exist and meet.
    fn slide_is_sound(&self, slide: &Slide) -> bool {
        let exists = |k: Option<usize>| k.is_none_or(|k| k < self.spans.len());
        let numbers = slide.friction >= 0.0 && slide.friction.is_finite() && slide.price.is_finite();
        if !(numbers && exists(slide.before) && exists(slide.after)) {
            return false;
        }
        match (slide.before, slide.after) {
            (Some(before), Some(after)) => {
                let start = self.spans[after].start.anchor;
                let meet = self.spans[before].end.is_some_and(|end| end.anchor == start);
                let turns = slide.wheel.is_none_or(|w| self.wheels.get(w).is_some_and(|w| w.on == start));
                before != after && meet && turns
            }
            (None, None) => false,
            _ => slide.friction == 0.0 && slide.wheel.is_none(),
        }
    }

    /// The numbers of all but the spans.
    fn check_numbers(&self) -> Result<(), NetworkError> {
        if !is_finite(&self.gravity) {
            return Err(NetworkError::NotFinite { what: "gravity", index: 0 });
        }
        for (index, a) in self.anchors.iter().enumerate() {
            if let Some(norm) = not_unit(&a.pose.orientation) {
                return Err(NetworkError::NotUnit { what: "anchor", index, norm });
            }
            let numbers =
                [&a.pose.position, &a.centre, &a.inertia, &a.force, &a.moment].into_iter().all(is_finite);
            let matter = a.mass >= 0.0 && a.mass.is_finite() && a.inertia.iter().all(|i| *i >= 0.0);
            if !(numbers && matter) {
                return Err(NetworkError::NotFinite { what: "anchor", index });
            }
        }
        for (index, obstacle) in self.obstacles.iter().enumerate() {
            obstacle.check().map_err(|cause| NetworkError::Obstacle { index, cause: Box::new(cause) })?;
        }
        if let Some(index) = self.poles.iter().position(|p| !Pole::is_sound(p)) {
            return Err(NetworkError::NotFinite { what: "pole", index });
        }
        for (index, wheel) in self.wheels.iter().enumerate() {
            if let Some(norm) = not_unit(&wheel.pose.orientation) {
                return Err(NetworkError::NotUnit { what: "wheel", index, norm });
            }
            let angles = wheel.contact.iter().all(|a| a.is_finite()) && wheel.contact[1] >= wheel.contact[0];
            let round = wheel.radius > 0.0 && wheel.radius.is_finite();
            if !(is_finite(&wheel.pose.position) && angles && round) {
                return Err(NetworkError::NotFinite { what: "wheel", index });
            }
        }
        match self.constraints.iter().position(|c| !c.is_sound()) {
            Some(index) => Err(NetworkError::NotFinite { what: "constraint", index }),
            None => Ok(()),
        }
    }

    /// The rod, the ends and the loads of a span.
    fn check_span(&self, index: usize) -> Result<(), NetworkError> {
        let span = &self.spans[index];
        let wrong = |cause: ProblemError| Err(NetworkError::InSpan { index, cause: Box::new(cause) });
        for end in std::iter::once(&span.start).chain(&span.end) {
            if let Some(norm) = not_unit(&end.anchor_from_end.orientation) {
                return Err(NetworkError::NotUnit { what: "span", index, norm });
            }
            if !is_finite(&end.anchor_from_end.position) {
                return Err(NetworkError::NotFinite { what: "span", index });
            }
        }
        let sizes = [span.contact_radius, span.friction];
        if !(span.twist.is_finite() && sizes.iter().all(|size| size.is_finite() && *size >= 0.0)) {
            return Err(NetworkError::NotFinite { what: "span", index });
        }
        if let Err(error) = span.rod.check() {
            return wrong(error.into());
        }
        if !span.point_loads.iter().all(PointLoad::is_finite)
            || !span.distributed_loads.iter().all(DistributedLoad::is_finite)
        {
            return wrong(ProblemError::NotFinite { what: "a load" });
        }
        let length = span.rod.length();
        match outside(&span.point_loads, &span.distributed_loads, length).next() {
            // Rope that slides may have become longer.
            Some(s) if !(s > 0.0 && s.is_finite() && self.slides_at(index)) => {
                wrong(ProblemError::LoadOutside { s, length })
            }
            _ => Ok(()),
        }
    }

    /// Whether rope flows into or out of a span.
    fn slides_at(&self, span: usize) -> bool {
        self.slides.iter().any(|s| s.before == Some(span) || s.after == Some(span))
    }

    /// Whether every span between two fixed anchors reaches.
    fn check_lengths(&self) -> Result<(), NetworkError> {
        let fixed = |i: usize| self.anchors[i].held == [true; 3] && self.anchors[i].held_orientation;
        let place = |a: &Attachment| {
            let pose = self.anchors[a.anchor].pose;
            pose.position + rotation::rotate(&pose.orientation, &a.anchor_from_end.position)
        };
        for (index, span) in self.spans.iter().enumerate() {
            let Some(end) = span.end.filter(|e| fixed(span.start.anchor) && fixed(e.anchor)) else {
                continue;
            };
            let missing = (place(&end) - place(&span.start)).norm() - span.rod.length();
            if missing > 0.0 && !self.slides_at(index) {
                return Err(NetworkError::TooShort { index, missing });
            }
        }
        Ok(())
    }
}

impl NetworkState {
    /// Refuses a state that is not of the size of `network`, or not made of numbers.
    pub(in crate::solver) fn check(&self, network: &Network) -> Result<(), NetworkError> {
        let (spans, slides) = (network.spans.len(), network.slides.len());
        let rows = network.constraints.iter().map(Constraint::rows).sum();
        for (what, found, expected) in [
            ("anchors", self.anchors.len(), network.anchors.len()),
            ("spans", self.spans.len(), spans),
            ("lengths of spans", self.lengths.len(), spans),
            ("lengths taken up beside wheels", self.taken.len(), spans),
            ("multipliers of constraints", self.multipliers.len(), rows),
            ("flows through slides", self.flows.len(), slides),
            ("slips at eyes", self.slips.len(), slides),
            ("frictions in slides", self.friction.len(), slides),
            ("contacts of wheels", self.contacts.len(), network.wheels.len()),
        ] {
            if found != expected {
                return Err(NetworkError::State { what, found, expected });
            }
        }
        for (k, (own, span)) in self.spans.iter().zip(&network.spans).enumerate() {
            let twist = span.rod.twist_count();
            for (what, found, expected) in [
                ("coordinates in a span", own.rod.coordinates.len(), span.rod.coordinate_count()),
                ("twists in a span", own.rod.twist.len(), twist),
            ] {
                if found != expected {
                    return Err(NetworkError::State { what, found, expected });
                }
            }
            if !(own.is_finite()
                && self.lengths[k].is_finite()
                && self.taken[k].iter().all(|t| t.is_finite())
                && self.contact_forces.iter().all(|contact| contact.is_sound())
                && self.obstacles.iter().all(Pose::is_sound))
            {
                return Err(NetworkError::BrokenState(k));
            }
        }
        for (what, values) in [
            ("multiplier", &self.multipliers),
            ("flow", &self.flows),
            ("slip", &self.slips),
            ("friction", &self.friction),
        ] {
            if let Some(index) = values.iter().position(|x| !x.is_finite()) {
                return Err(NetworkError::NotFinite { what, index });
            }
        }
        if let Some(index) = self.contacts.iter().flatten().position(|x| !x.is_finite()) {
            return Err(NetworkError::NotFinite { what: "contact", index: index / 2 });
        }
        match self.anchors.iter().position(|pose| !pose.is_sound()) {
            Some(index) => Err(NetworkError::NotFinite { what: "anchor", index }),
            None => Ok(()),
        }
    }
}
