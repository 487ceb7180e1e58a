//! Where cables rub: how far they have slid on what they touch, and what friction has done there, from equilibrium to
//! equilibrium and from step to step in time.
//!
//! Between two states the matter that touches now has gone a way; what is left of it along the surface, less the way of the
//! surface itself, is how far it has slid, and friction has done its force times that way. It is booked on stretches of the
//! cable as long as it is thick. What did not touch its neighbour before has come through the air and has not slid.

use crate::check::{Finding, Rule, contact_finding};
use crate::contact::{Press, Presser};
use crate::harness::Compiled;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::Rod;
use flexline::solver::network::{Contact, NetworkState, Other, Side};
use flexline::solver::{Pose, Profile};
use serde::{Deserialize, Serialize};

/// Round-off of what sticks, m: less is no way.
const CREEP: f64 = 1e-10;

/// Friction that is none, as a share of the normal force.
const ROUND_OFF: f64 = 1e-9;

/// What cables have rubbed on since they are watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chafing {
    marks: Vec<Mark>,
}

/// What one neighbour has done to a stretch as long as the cable is thick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Mark {
    cable: String,
    against: String,
    /// Which stretch.
    index: u32,
    /// Its length, and that of the pieces of the cable, m.
    length: f64,
    piece: f64,
    /// Where it rubbed most, m and world.
    s: f64,
    position: Vec3,
    /// Largest normal force while it slid, N.
    force: f64,
    /// How far it slid, m.
    way: f64,
    /// Work of friction, J.
    work: f64,
}

/// A place of a cable that rubs on something: stretches side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChafingPlace {
    /// The cable.
    pub cable: String,
    /// The obstacle or cable that it rubs on.
    pub against: String,
    /// Arc lengths between which it does, m.
    pub from: f64,
    /// The end of that.
    pub to: f64,
    /// Where it does most, m.
    pub at: f64,
    /// The same in the world, when that was, m.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub position: Vec3,
    /// Largest normal force on a stretch of one diameter while it slid, N.
    pub force: f64,
    /// Farthest that a stretch slid, m.
    pub way: f64,
    /// Work of friction, all in all, J.
    pub work: f64,
    /// The largest share of that on a stretch of one diameter, J.
    pub densest: f64,
}

/// Where a point that something carries has come to.
fn carried(point: &Vec3, from: &Pose, to: &Pose) -> Vec3 {
    to.position + rotation::rotate(&(to.orientation * from.orientation.conjugate()), &(point - from.position))
}

impl Compiled {
    /// How far what touches has slid along what it touches between two states, m.
    fn slid(&self, contact: &Contact, from: &NetworkState, to: &NetworkState) -> f64 {
        let went = |span: usize, s: f64| {
            let rod = self.network.rod(to, span);
            [from, to].map(|state| rod.station(&state.spans[span].rod, s.clamp(0.0, rod.length())).position)
        };
        let Some(span) = contact.body.span() else { return 0.0 };
        let [was, is] = went(span, contact.s);
        let led = match contact.other {
            Other::Obstacle(o) => match (from.obstacles.get(o), to.obstacles.get(o)) {
                (Some(a), Some(b)) => carried(&was, a, b) - was,
                _ => Vec3::zeros(),
            },
            Other::Span { index, s } => {
                let [a, b] = went(index, s);
                b - a
            }
        };
        let way = is - was - led;
        let along = (way - contact.normal * way.dot(&contact.normal)).norm();
        if along.is_finite() { along } else { 0.0 }
    }
}

/// Whether a contact touched the same neighbour in a state.
fn touched(contact: &Contact, state: &NetworkState) -> bool {
    state.contact_forces.iter().any(|force| {
        let same = match (force.key.other, contact.other) {
            (Side::Obstacle { index: a, .. }, Other::Obstacle(b)) => a == b,
            (Side::Span { index: a, .. }, Other::Span { index: b, .. }) => a == b,
            _ => false,
        };
        same && force.key.body == contact.body
    })
}

impl Chafing {
    /// Whether nothing has rubbed.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Books what slid on the way from one state to the next, where these contacts press.
    pub fn follow(
        &mut self,
        compiled: &Compiled,
        from: &NetworkState,
        to: &NetworkState,
        contacts: &[Contact],
    ) {
        let alike = |(a, b): (&flexline::solver::State, &flexline::solver::State)| {
            a.rod.coordinates.len() == b.rod.coordinates.len()
        };
        if from.spans.len() != to.spans.len() || !from.spans.iter().zip(&to.spans).all(alike) {
            return;
        }
        let mut now: Vec<Mark> = Vec::new();
        // What parts rub on each other is no wear of a cable.
        for (contact, span) in contacts.iter().filter_map(|contact| Some((contact, contact.body.span()?))) {
            let normal = contact.force.dot(&contact.normal);
            let friction = (contact.force - contact.normal * normal).norm();
            if friction <= ROUND_OFF * normal || !touched(contact, from) {
                continue;
            }
            let way = compiled.slid(contact, from, to);
            if way <= CREEP {
                continue;
            }
            for press in compiled.presses_of(to, std::slice::from_ref(contact)) {
                let mut book = |cable: usize, s: f64, against: &str| {
                    let length = compiled.pressed_length(cable, s);
                    let rod = &compiled.network.spans[span].rod;
                    let mark = Mark {
                        cable: compiled.cables[cable].name.clone(),
                        against: against.to_owned(),
                        index: (s / length) as u32,
                        length,
                        piece: rod.length() / rod.pieces().0.max(1) as f64,
                        s,
                        position: press.position,
                        force: normal,
                        way,
                        work: friction * way,
                    };
                    match now.iter_mut().find(|own| own.is_at(&mark)) {
                        Some(own) => own.beside(&mark),
                        None => now.push(mark),
                    }
                };
                let Press { cable, s, by, .. } = press;
                book(cable, s, compiled.presser(by));
                if let Presser::Cable(other, at) = by {
                    book(other, at, &compiled.cables[cable].name);
                }
            }
        }
        for mark in now {
            match self.marks.iter_mut().find(|own| own.is_at(&mark)) {
                Some(own) => own.after(&mark),
                None => self.marks.push(mark),
            }
        }
    }

    /// Forgets cables that are no more, or not what they were.
    pub fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.marks.retain(|mark| is_kept(&mark.cable));
    }

    /// The places, those with most work first.
    pub fn places(&self) -> Vec<ChafingPlace> {
        let mut all: Vec<&Mark> = self.marks.iter().collect();
        all.sort_by(|a, b| (&a.cable, &a.against, a.index).cmp(&(&b.cable, &b.against, b.index)));
        let mut found: Vec<ChafingPlace> = Vec::new();
        let mut last: Option<&Mark> = None;
        for mark in all {
            let ends = [0, 1].map(|k| f64::from(mark.index + k) * mark.length);
            let goes_on = last.is_some_and(|last| last.index < mark.index && last.is_before(mark));
            last = Some(mark);
            match found.last_mut().filter(|_| goes_on) {
                Some(place) => {
                    place.to = ends[1];
                    place.force = place.force.max(mark.force);
                    place.way = place.way.max(mark.way);
                    place.work += mark.work;
                    if mark.work > place.densest {
                        (place.densest, place.at, place.position) = (mark.work, mark.s, mark.position);
                    }
                }
                None => found.push(ChafingPlace {
                    cable: mark.cable.clone(),
                    against: mark.against.clone(),
                    from: ends[0],
                    to: ends[1],
                    at: mark.s,
                    position: mark.position,
                    force: mark.force,
                    way: mark.way,
                    work: mark.work,
                    densest: mark.work,
                }),
            }
        }
        found.sort_by(|a, b| b.work.total_cmp(&a.work));
        found
    }

    /// What the rules say of a cable that has rubbed: the most work on a stretch as long as it is thick.
    pub(crate) fn finding(&self, cable: &str, limit: Option<f64>, profile: &Profile) -> Option<Finding> {
        let own = self.marks.iter().filter(|mark| mark.cable == cable);
        let most = own.max_by(|a, b| a.work.total_cmp(&b.work))?;
        let nearest = |a: f64| (a - most.s).abs();
        let at = profile.samples.iter().min_by(|a, b| nearest(a.s).total_cmp(&nearest(b.s)))?;
        Some(contact_finding(Rule::ChafingWork, most.work, limit, &most.against, at))
    }
}

impl Mark {
    /// Whether both are of the same stretch and neighbour.
    fn is_at(&self, other: &Self) -> bool {
        self.index == other.index && self.cable == other.cable && self.against == other.against
    }

    /// Whether the other goes on where this one ends: the next stretch, or the next that has a piece of the cable.
    fn is_before(&self, other: &Self) -> bool {
        let between = f64::from(other.index - self.index - 1) * self.length;
        between <= 2.0 * self.piece && self.cable == other.cable && self.against == other.against
    }

    /// Another contact at the same time.
    fn beside(&mut self, other: &Self) {
        if other.work > self.work {
            (self.s, self.position) = (other.s, other.position);
        }
        self.force += other.force;
        self.way = self.way.max(other.way);
        self.work += other.work;
    }

    /// What came after.
    fn after(&mut self, other: &Self) {
        if other.work > self.work {
            (self.s, self.position) = (other.s, other.position);
        }
        self.force = self.force.max(other.force);
        self.way += other.way;
        self.work += other.work;
    }
}
