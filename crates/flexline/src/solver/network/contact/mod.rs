//! Contact of rods with obstacles at rest: exact, g ≥ 0, λ ≥ 0, g λ = 0 at every place that touches.
//!
//! A contact is a one-sided row of the Newton system whose gradient is a unit force at a *place* of a rod. Its place is
//! where the axis is nearest to the obstacle and shifts along the rod as that moves, so that with the distance field φ, its
//! normal n and its second derivative H
//!
//! ```text
//! ∂g = n·δx,     ∂²g = δx·H δx − y²/φ_ss,     y = x′·H δx + n·δx′,     φ_ss = x′·H x′ + n·x″
//! ```
//!
//! (the second term only while the place may shift: Danskin's theorem and its second-order form). What touches joins the
//! matrix as a tap with force λ, stiffness ϱ n nᵀ − λ H and the roll λ/φ_ss, since without the stiffness of the
//! obstacle the form of a rod that it holds is seldom that of a minimum; the rows themselves stay outside (`step.rs`).
//! Neither the equilibrium nor the step depends on ϱ: what holds a gap at zero gives back what ϱ asks for.
//!
//! A rough contact has two rows more, of how its place has slid, with Coulomb's law between forces and motions
//! (`friction.rs`).
//!
//! Shapes of parts that cables may move touch obstacles and each other with their corners and edges (`solids.rs`), and spans touch
//! them as they touch obstacles; what a row does to a part is told in `rigid.rs`.

mod apart;
mod body;
mod bounded;
mod clearance;
mod coupling;
mod detect;
mod friction;
mod gate;
mod lcp;
mod many;
mod missing;
mod mount;
mod operator;
#[cfg(test)]
mod pair_tests;
mod pairs;
mod passage;
mod place;
mod rigid;
#[cfg(test)]
mod rigid_tests;
mod rough;
mod solids;
mod step;
#[cfg(test)]
mod tests;

pub use body::Body;
pub(in crate::solver) use body::{AnchorLoad, Moves};
pub use clearance::{Nearest as NearestObstacle, NearestSpan};
pub(in crate::solver) use gate::is_free;
pub use mount::Mount;
pub use passage::{Passage, PassageStretch};
pub(in crate::solver) use place::{is_entered, settle};
pub(in crate::solver) use step::{held_step, is_minimum, released, step, take_whole};

use super::NetworkWorkspace;
use super::assemble::{row_merit, takes_part};
use super::model::Network;
use super::span::SpanSystem;
use super::state::NetworkState;
use crate::algebra::{Mat3, Vec3, larger};
use crate::body::{Roll, Tap};
use crate::constraint::Sense;
use crate::rod::AnyRod;
use body::{Place, Push, Rigid};
use detect::{Look, Onward, Travel, detect};
use friction::{Reference, Tangential};
use pairs::Opposite;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What is left of the residual is the same, relative.
const SAME: f64 = 0.02;
/// Steps to and fro before one is shortened, and the longest round that is noticed.
const REPEATS: usize = 3;
const LONGEST_ROUND: usize = 4;
/// How many lengths of such steps there are.
const SHORTER: usize = 4;
/// Rows up to which they are few, and spans from which they are many.
const FEW: usize = 100;
const MANY: usize = 8;
/// ϱ of parts where there are no spans, N/m per kg, and the least mass that counts, kg.
const PER_MASS: f64 = 1e4;
const LIGHTEST: f64 = 1e-3;

/// Which contact it is: the same from one evaluation to the next while the same features touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContactKey {
    /// What touches with its axis, or with corners and edges.
    #[serde(rename = "span")]
    pub body: Body,
    /// The piece of its axis; of corners and edges which, corners first.
    pub piece: usize,
    /// What it touches.
    pub other: Side,
}

/// What the piece of a span touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// An obstacle.
    Obstacle {
        /// Which.
        index: usize,
        /// Its face, edge or vertex.
        feature: u64,
    },
    /// Another span, or another stretch of the same.
    Span {
        /// Which.
        index: usize,
        /// The piece of its axis that is nearest.
        piece: usize,
        /// Whether the place is in the second half of the piece that touches: strands side by side may be nearest in either.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        late: bool,
    },
}

impl Side {
    /// Whether it is a side of the same thing, as far away along it as neighbouring pieces are.
    fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Obstacle { index: a, .. }, Self::Obstacle { index: b, .. }) => a == b,
            (Self::Span { index: a, piece: i, .. }, Self::Span { index: b, piece: j, .. }) => {
                a == b && i.abs_diff(*j) <= 2
            }
            _ => false,
        }
    }
}

impl ContactKey {
    /// Whether it is the same contact, or one beside it.
    fn is_beside(&self, other: &Self) -> bool {
        // Corners and edges that follow each other need not be neighbours.
        let most = if self.body.span().is_some() { 1 } else { 0 };
        self.body == other.body
            && self.piece.abs_diff(other.piece) <= most
            && self.other.is_beside(&other.other)
    }
}

/// A contact that presses, as a state remembers it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Which.
    pub key: ContactKey,
    /// Its place, as a share of the length of the span.
    pub share: f64,
    /// Force along the normal, N.
    pub force: f64,
    /// Friction on the rod, N, world.
    #[serde(default)]
    pub friction: Vec3,
    /// What has crept that should stick, m, world: the next equilibrium takes it back.
    #[serde(default)]
    pub creep: Vec3,
}

impl ContactForce {
    /// Whether it is made of numbers, and presses.
    pub(in crate::solver) fn is_sound(&self) -> bool {
        let vectors = [self.friction, self.creep];
        self.share.is_finite()
            && self.force.is_finite()
            && self.force >= 0.0
            && vectors.iter().flat_map(|v| v.iter()).all(|c| c.is_finite())
    }

    /// Makes it so many times as large.
    pub(in crate::solver) fn scale(&mut self, by: f64) {
        self.force *= by;
        self.friction *= by;
    }

    /// The same where spans have other numbers; `None` where a span has none.
    pub(in crate::solver) fn renumbered(&self, number: impl Fn(usize) -> Option<usize>) -> Option<Self> {
        let other = match self.key.other {
            Side::Span { index, piece, late } => Side::Span { index: number(index)?, piece, late },
            obstacle => obstacle,
        };
        let body = match self.key.body {
            Body::Span(span) => Body::Span(number(span)?),
            part => part,
        };
        Some(Self { key: ContactKey { body, other, ..self.key }, ..*self })
    }
}

/// Whether what touches slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ContactState {
    /// Friction holds it.
    Stick,
    /// It has slid since the last equilibrium, or nothing would keep it from that.
    Slip,
}

/// Something that presses on a span or a part, as a report tells it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contact {
    /// What is pressed: a span, or the shape of a part.
    #[serde(rename = "span")]
    pub body: Body,
    /// Arc length of the place on a span, m; zero of a part.
    pub s: f64,
    /// What presses on it.
    pub other: Other,
    /// Place of the axis of a span, or of the surface of a part, m, world.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub position: Vec3,
    /// From what presses to what is pressed, world.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub normal: Vec3,
    /// Distance of the surfaces, m.
    pub gap: f64,
    /// Force on what is pressed, N, world: along the normal, and friction.
    #[cfg_attr(feature = "schema", schemars(with = "[f64; 3]"))]
    pub force: Vec3,
    /// Whether it slides.
    pub state: ContactState,
    /// How far it has slid since the last equilibrium, m.
    pub slip: f64,
}

/// What presses on a span.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Other {
    /// An obstacle.
    Obstacle(usize),
    /// Another span, or the same at another place.
    Span {
        /// Which.
        index: usize,
        /// Arc length of the place there, m.
        s: f64,
    },
}

/// A place that touches or may: one row.
#[derive(Clone, Copy, Debug)]
pub(in crate::solver) struct ContactRow {
    pub(in crate::solver) key: ContactKey,
    pub(in crate::solver) share: f64,
    /// Shares of the length at which its piece begins and ends.
    ends: [f64; 2],
    pub(in crate::solver) at: Vec3,
    /// From the obstacle to the rod.
    pub(in crate::solver) normal: Vec3,
    /// Distance of the surfaces, m.
    pub(in crate::solver) gap: f64,
    hessian: Mat3,
    /// Where the place shifts along the axis: its derivative by the share of the length, and the second of the distance.
    shift: Option<(Vec3, f64)>,
    /// Where its piece ends, and the axis comes nearer beyond: no place to press on.
    falls_on: Option<Onward>,
    /// The place of a span that it touches, where that is no obstacle.
    opposite: Option<Opposite>,
    /// The parts that cables may move whose shapes touch: the first with a corner or an edge, the second with its surface.
    on: [Option<Rigid>; 2],
    /// From its place to the surface of what touches, m; of spans friction acts on the axis.
    radius: f64,
    /// λ, N.
    pub(in crate::solver) force: f64,
    /// ϱ where it is in the matrix, N/m.
    regularisation: f64,
    /// What it is held with besides, among what couples spans, N/m.
    firmness: f64,
    /// Friction, where it is rough.
    tangential: Option<Tangential>,
}

/// The contacts of the last evaluation.
#[derive(Default)]
pub(in crate::solver) struct Contacts {
    pub(in crate::solver) rows: Vec<ContactRow>,
    /// What the step asks of each along its normal, N, and of friction, N, world.
    pub(in crate::solver) asked: Vec<f64>,
    asked_friction: Vec<Vec3>,
    /// What they do to every anchor.
    pub(in crate::solver) loads: Vec<AnchorLoad>,
    /// The equilibrium that slip is measured from.
    reference: Reference,
    /// Those of a trial.
    trial: Vec<ContactRow>,
    detect: detect::Room,
    coupling: coupling::Coupling,
    step: step::Room,
    many: many::ManyRoom,
    /// Whether they are those of many bodies, which nothing of theirs holds: inertia does.
    pub(in crate::solver) is_many: bool,
    /// Whether the step is made from dense matrices however many there are; only to compare with.
    pub(in crate::solver) always_few: bool,
    index: Index,
    rough: rough::RoughRoom,
    gate: gate::Room,
    damping: Damping,
    /// Whether what is held is led, a step at a time: a search that leads nowhere is better given up early.
    pub(in crate::solver) is_led: bool,
    /// ϱ of rows with obstacles in the matrix where anything is rough, beside the least of it.
    support: f64,
}

/// Where a contact goes to and fro between two faces, or round among some, whole steps jump over the edge between, where
/// it belongs. One step that is shorter comes down on it.
#[derive(Clone, Copy, Default)]
struct Damping {
    /// What was left of the residual, one step ago and more.
    left: [f64; LONGEST_ROUND],
    /// How often it has been the same as a round ago.
    repeats: usize,
    /// How often a step was shortened.
    shortened: usize,
}

impl Damping {
    /// The share of a step to take where so much is `left`.
    fn share(&mut self, left: f64) -> f64 {
        let is_same = |a: f64, b: f64| (a - b).abs() <= SAME * a.max(b);
        let comes_again = self.left[1..].iter().any(|before| is_same(left, *before));
        self.repeats = if comes_again && !is_same(left, self.left[0]) { self.repeats + 1 } else { 0 };
        self.left.rotate_right(1);
        self.left[0] = left;
        if self.repeats < REPEATS {
            return 1.0;
        }
        self.repeats = 0;
        self.shortened += 1;
        0.5f64.powi(1 + (self.shortened % SHORTER) as i32)
    }
}

/// Whether so many spans may touch that their step is made body by body.
fn is_crowd(network: &Network) -> bool {
    let round = network.spans.iter().filter(|span| span.contact_radius > 0.0).count();
    let is_plain = !network.has_turning_loads() && !network.has_friction();
    // Bodies are made of spans there.
    round >= MANY && is_plain && !network.has_loose_shapes()
}

/// ϱ, N/m: what bending two segments or elements takes.
fn regularisation(rod: &AnyRod, span: &SpanSystem) -> f64 {
    span.stiffness() * (rod.pieces().0 as f64 / span.length()).powi(3)
}

/// The least ϱ of rough contacts, N/m: what bending the whole span takes. W̃ of a stiffer one is 1/ϱ but for its last digits, and
/// these are all that tells what a rod that is as soft as that does.
fn softest(span: &SpanSystem) -> f64 {
    span.stiffness() / span.length().powi(3)
}

/// Of the rows that are such, the nearest to a place.
fn nearest(rows: &[ContactRow], share: f64, is_such: impl Fn(&ContactRow) -> bool) -> Option<usize> {
    let away = |row: &ContactRow| (row.share - share).abs();
    let such = rows.iter().enumerate().filter(|(_, row)| is_such(row));
    such.min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map(|(i, _)| i)
}

/// Which row a contact has: asked one by one where they are few.
#[derive(Default)]
struct Index {
    rows: HashMap<ContactKey, usize>,
    is_kept: bool,
}

impl Index {
    /// Takes over the rows as they are, of which there may be so many `more`.
    fn read(&mut self, rows: &[ContactRow], more: usize) {
        self.rows.clear();
        self.is_kept = rows.len() + more > FEW;
        if self.is_kept {
            // Of two rows of one contact the first counts.
            self.rows.extend(rows.iter().enumerate().rev().map(|(i, row)| (row.key, i)));
        }
    }

    fn same(&self, rows: &[ContactRow], key: &ContactKey) -> Option<usize> {
        if self.is_kept { self.rows.get(key).copied() } else { rows.iter().position(|row| row.key == *key) }
    }

    /// Adds a row, unless there is one of the contact.
    fn join(&mut self, rows: &mut Vec<ContactRow>, new: &ContactRow) {
        if self.same(rows, &new.key).is_none() {
            if self.is_kept {
                self.rows.insert(new.key, rows.len());
            }
            rows.push(*new);
        }
    }

    /// The row of a contact, or else the nearest beside it: what touches shifts from face to edge as it moves.
    fn find(&self, rows: &[ContactRow], key: &ContactKey, share: f64) -> Option<usize> {
        self.same(rows, key).or_else(|| nearest(rows, share, |row| row.key.is_beside(key)))
    }
}

/// Where what presses at a row belongs: on a neighbouring piece, where the axis comes nearer beyond the end of its own. What
/// is rough stays: its material is that of its piece.
fn downhill(rows: &[ContactRow], from: usize) -> usize {
    let mut found = from;
    if rows[from].tangential.is_some() {
        return from;
    }
    while let Some(onward) = rows[found].falls_on {
        let ContactRow { key, share, .. } = &rows[found];
        let piece = onward.from(key.piece);
        match nearest(rows, *share, |row| row.key.piece == piece && row.key.is_beside(key)) {
            Some(next) if rows[next].falls_on.is_none_or(|way| way == onward) => found = next,
            _ => break,
        }
    }
    found
}

/// Gives rows the forces that a state remembers.
fn remember(rows: &mut [ContactRow], index: &Index, forces: &[ContactForce]) {
    for known in forces {
        if let Some(i) = index.find(rows, &known.key, known.share).map(|i| downhill(rows, i)) {
            rows[i].force += known.force;
            let friction = rows[i].friction() + known.friction;
            rows[i].take_friction(friction);
        }
    }
}

/// The deepest overlap at `state` and its depth, m; `None` where nothing touches.
pub(in crate::solver) fn overlap(
    network: &Network,
    state: &NetworkState,
    ws: &mut NetworkWorkspace,
) -> Option<(ContactKey, f64)> {
    let Contacts { trial, detect: room, .. } = &mut ws.contacts;
    trial.clear();
    detect(network, state, room, trial, None);
    let deepest = trial.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))?;
    Some((deepest.key, -deepest.gap))
}

impl Contacts {
    /// Finds what touches at `state`, and lets it press on the spans. Ends of spans are on their anchors; `is_regular` says
    /// whether inertia holds what contacts do not.
    pub(in crate::solver) fn evaluate(
        &mut self,
        network: &Network,
        state: &mut NetworkState,
        spans: &mut [SpanSystem],
        is_regular: bool,
    ) {
        let Self { rows, loads, detect: room, reference, support, index, is_many, always_few, .. } = self;
        rows.clear();
        loads.clear();
        loads.resize(network.anchors.len(), AnchorLoad::default());
        *is_many = is_regular && is_crowd(network) && !*always_few;
        room.is_crowd = *is_many;
        detect(network, state, room, rows, None);
        index.read(rows, 0);
        remember(rows, index, &state.contact_forces);
        reference.slip(network, state, rows);
        for span in spans.iter_mut() {
            span.kernel.taps().places.retain(|tap| !tap.is_counted_elsewhere);
        }
        let support = rows.iter().any(|row| row.tangential.is_some()).then_some(support.max(1.0));
        for row in rows.iter_mut() {
            if row.is_coupled() {
                coupling::press(network, row, spans, loads, *is_many);
                continue;
            }
            let stiff = row.regularisation(network, spans);
            let rho = match support {
                _ if *is_many => 0.0,
                Some(support) => stiff.min(support * row.least(network, spans, |_, span| softest(span))),
                None => stiff,
            };
            row.hold(stiff, rho);
            if row.force <= 0.0 && !row.is_held() {
                continue;
            }
            row.regularisation = rho;
            let Some(k) = row.key.body.span() else {
                row.press_part(loads);
                continue;
            };
            let span = &mut spans[k];
            span.kernel.taps().places.extend(row.friction_tap());
            let roll = row.shift.map(|(slope, bend)| Roll {
                by_move: row.hessian * slope,
                by_slope: row.normal,
                stiffness: row.force / bend,
            });
            span.kernel.taps().places.push(Tap {
                share: row.share,
                about: row.at,
                force: row.normal * row.force,
                stiffness: row.normal * row.normal.transpose() * rho - row.hessian * row.force,
                roll,
                is_counted_elsewhere: true,
            });
            span.forget();
        }
        state.contact_forces.clear();
        state.contact_forces.extend(rows.iter().filter_map(|row| row.pressing(row.force, row.friction())));
    }

    /// Watches what a step may reach that moves the axes by up to `travel`.
    fn look_farther(&mut self, network: &Network, state: &NetworkState, travel: &Travel) {
        let Self { rows, trial, detect: room, reference, index, .. } = self;
        trial.clear();
        detect(network, state, room, trial, Some(travel));
        reference.slip(network, state, trial);
        index.read(rows, trial.len());
        trial.iter().for_each(|new| index.join(rows, new));
    }

    /// What of the slope of the merit is theirs: without penalty, and what a unit of it takes away.
    pub(in crate::solver) fn slope(&self, moves: &Moves, rho: f64) -> (f64, f64) {
        let (mut fixed, mut gaps) = (0.0, 0.0);
        for ((row, force), friction) in self.rows.iter().zip(&self.asked).zip(&self.asked_friction) {
            let change = row.change(moves);
            // The spans have counted what presses now.
            fixed += row.force * change;
            if takes_part(Sense::AtLeast, row.gap, *force, rho) {
                fixed -= force * change;
                gaps -= row.gap * change;
            }
            if let Some(own) = &row.tangential {
                let (along, missed) = own.slope(row, moves, (*force, friction), rho);
                fixed += along;
                gaps += missed;
            }
        }
        (fixed, gaps)
    }

    /// What contacts add to the merit at `state`, which is ahead of the rows or where they are.
    pub(in crate::solver) fn merit(
        &mut self,
        network: &Network,
        state: &NetworkState,
        rho: f64,
        ahead: bool,
    ) -> f64 {
        if !ahead {
            let own = self.rows.iter().zip(&self.asked).zip(&self.asked_friction);
            return own
                .map(|((row, force), friction)| {
                    let slid = row.tangential.map_or(0.0, |own| own.merit(&own.slip, *force, friction, rho));
                    row_merit(Sense::AtLeast, row.gap, *force, rho) + slid
                })
                .sum();
        }
        let Self { rows, asked, asked_friction, trial, detect: room, index, .. } = self;
        if !network.has_contact() {
            return 0.0;
        }
        trial.clear();
        detect(network, state, room, trial, None);
        index.read(trial, 0);
        let mut total = 0.0;
        for ((row, force), friction) in rows.iter().zip(asked.iter()).zip(asked_friction.iter()) {
            if let Some(own) = &row.tangential {
                total += own.merit(&own.slip_at(network, state, row), *force, friction, rho);
            }
            if *force <= 0.0 {
                continue;
            }
            match index.find(trial, &row.key, row.share) {
                Some(i) => trial[i].force += force,
                // It has left, and takes no part.
                None => total += row_merit(Sense::AtLeast, f64::INFINITY, *force, rho),
            }
        }
        total + trial.iter().map(|row| row_merit(Sense::AtLeast, row.gap, row.force, rho)).sum::<f64>()
    }

    /// Appends what presses, in the order of spans and places.
    pub(in crate::solver) fn report(&self, spans: &[SpanSystem], out: &mut Vec<Contact>) {
        let pressing = self.rows.iter().filter(|row| row.force > 0.0);
        out.extend(pressing.map(|row| {
            let (mut body, mut other) = (
                row.key.body,
                match row.key.other {
                    Side::Obstacle { index, .. } => Other::Obstacle(index),
                    Side::Span { index, .. } => {
                        let share = row.opposite.map_or(0.0, |opposite| opposite.share);
                        Other::Span { index, s: share * spans[index].length() }
                    }
                },
            );
            let mut sign = 1.0;
            // A part that lies with a face on a corner is what is pressed.
            if let (Body::Obstacle { obstacle }, None, Other::Obstacle(part)) = (body, row.on[0], other) {
                (body, other, sign) = (Body::Obstacle { obstacle: part }, Other::Obstacle(obstacle), -1.0);
            }
            let own = body.span();
            Contact {
                body,
                s: own.map_or(0.0, |k| row.share * spans[k].length()),
                other,
                position: if own.is_some() { row.at } else { row.surface() },
                normal: row.normal * sign,
                gap: row.gap,
                force: (row.normal * row.force + row.friction()) * sign,
                state: row.state(),
                slip: row.tangential.map_or(0.0, |own| own.slip.norm()),
            }
        }));
    }

    /// What is left of the law of contact, relative to the largest force of a contact.
    pub(in crate::solver) fn law_residual(&self, network: &Network, spans: &[SpanSystem]) -> f64 {
        let (mut left, mut largest) = (0.0, 0.0);
        for row in &self.rows {
            left = larger(left, row.defect(row.regularisation(network, spans)));
            largest = larger(largest, row.force);
        }
        if left == 0.0 { 0.0 } else { left / largest }
    }

    /// Whether any friction acts.
    pub(in crate::solver) fn is_rough(&self) -> bool {
        self.rows.iter().any(|row| row.force > 0.0 && row.tangential.is_some())
    }

    /// From now on slip is measured from `state`.
    pub(in crate::solver) fn begin(&mut self, state: &NetworkState) {
        self.reference.set(state);
    }

    /// Deepest overlap of a span with an obstacle, m.
    pub(in crate::solver) fn penetration(&self) -> f64 {
        self.rows.iter().fold(0.0, |deepest, row| larger(deepest, -row.gap))
    }

    /// Begins a search for an equilibrium, with so much stiffness of rough rows beside the least.
    pub(in crate::solver) fn begin_search(&mut self, support: f64) {
        self.damping = Damping::default();
        self.coupling.begin_search();
        self.support = support;
    }

    /// ϱ of rows with obstacles beside the least of it, where anything is rough and they are in the matrix.
    pub(in crate::solver) fn support(&self) -> Option<f64> {
        let is_held = self.rows.iter().any(|row| row.regularisation > 0.0 && !row.is_coupled());
        (is_held && self.has_friction()).then_some(self.support)
    }

    /// Gives rows another ϱ from the next evaluation on.
    pub(in crate::solver) fn set_support(&mut self, support: f64) {
        self.support = support;
    }

    /// Share of the next step that is taken, where so much is `left` of the residual.
    pub(in crate::solver) fn damped(&mut self, left: f64) -> f64 {
        if self.rows.iter().all(|row| row.force <= 0.0) {
            return 1.0;
        }
        self.damping.share(left)
    }

    /// Whether nothing is within reach.
    pub(in crate::solver) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The forces `scale` of the way from those of the rows to those that the step asks for, as a state remembers them.
    pub(in crate::solver) fn forces_ahead(&self, scale: f64, out: &mut Vec<ContactForce>) {
        out.clear();
        let asked = self.asked.iter().zip(&self.asked_friction);
        out.extend(self.rows.iter().zip(asked).filter_map(|(row, (force, friction))| {
            let own = row.friction();
            row.pressing(row.force + scale * (force - row.force), own + (friction - own) * scale)
        }));
    }

    /// Largest miss of the contact law, m, what friction lacks in size and direction, N, and the largest force, N.
    pub(in crate::solver) fn norms(&self) -> (f64, f64, f64) {
        let (mut gap, mut lacks, mut largest) = (0.0, 0.0, 0.0);
        for row in &self.rows {
            gap = larger(gap, if row.force > 0.0 { row.gap.abs() } else { larger(-row.gap, 0.0) });
            largest = larger(largest, row.force);
            let (crept, missed) = row.missed();
            gap = larger(gap, crept);
            lacks = larger(lacks, missed);
        }
        (gap, lacks, largest)
    }
}

impl ContactRow {
    /// ϱ, N/m, in the matrix or not: of two spans half that of the softer.
    fn regularisation(&self, network: &Network, spans: &[SpanSystem]) -> f64 {
        let least = self.least(network, spans, regularisation);
        if self.is_coupled() { 0.5 * least } else { least }
    }

    /// The least of something that spans have over the sides that move; a part has that of the spans on it.
    fn least(&self, network: &Network, spans: &[SpanSystem], of: fn(&AnyRod, &SpanSystem) -> f64) -> f64 {
        let of = |k: usize| of(&network.spans[k].rod, &spans[k]);
        let of_place = |place: Place| match place {
            Place::Span(k, _) => of(k),
            Place::Anchor(anchor, _) => {
                let is_on = |k: &usize| {
                    let span = &network.spans[*k];
                    span.start.anchor == anchor || span.end.is_some_and(|end| end.anchor == anchor)
                };
                let most = |found: f64, k: usize| found.max(of(k));
                let own = (0..spans.len()).filter(is_on).fold(0.0, most);
                let any = if own > 0.0 { own } else { (0..spans.len()).fold(0.0, most) };
                if any > 0.0 { any } else { network.anchors[anchor].mass.max(LIGHTEST) * PER_MASS }
            }
        };
        self.places().into_iter().flatten().map(of_place).fold(f64::INFINITY, f64::min)
    }

    /// What it is held with in the matrix of the step, N/m.
    fn held_with(&self) -> f64 {
        self.regularisation + self.firmness
    }

    /// Of a place beside an obstacle, which presses on nothing yet.
    fn new(
        key: ContactKey,
        ends: [f64; 2],
        look: &Look,
        radius: f64,
        tangential: Option<Tangential>,
    ) -> Self {
        Self {
            key,
            share: look.share,
            ends,
            at: look.touch.at,
            normal: look.touch.normal,
            gap: look.touch.distance + look.off - radius,
            hessian: look.touch.hessian,
            shift: look.shift,
            falls_on: look.falls_on,
            opposite: None,
            on: [None; 2],
            radius,
            force: 0.0,
            regularisation: 0.0,
            firmness: 0.0,
            tangential,
        }
    }

    /// As a state remembers it, where it presses with `force`.
    fn pressing(&self, force: f64, friction: Vec3) -> Option<ContactForce> {
        let creep = self.creep();
        (force > 0.0).then_some(ContactForce { key: self.key, share: self.share, force, friction, creep })
    }

    /// Change of its gap along the step, to first order.
    pub(in crate::solver) fn change(&self, moves: &Moves) -> f64 {
        self.normal.dot(&moves.apart(self.places()))
    }

    /// Whether its place is an end of its span that is held, and nothing opposite can give way.
    fn is_held_end(&self, network: &Network) -> bool {
        let Body::Span(k) = self.key.body else { return false };
        let span = &network.spans[k];
        let on = match self.share {
            0.0 => Some(&span.start),
            1.0 => span.end.as_ref(),
            _ => None,
        };
        !self.is_coupled() && on.is_some_and(|on| network.held_end(on).is_some())
    }

    /// The forces on both sides that a force on the first along its normal stands for.
    pub(in crate::solver) fn pushes(&self, force: Vec3) -> impl Iterator<Item = Push> {
        let [first, second] = self.places();
        first.map(|place| place.push(force)).into_iter().chain(second.map(|place| place.push(-force)))
    }
}
