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

mod clearance;
mod friction;
mod gate;
mod rough;
mod step;
#[cfg(test)]
mod tests;

pub use clearance::Nearest as NearestObstacle;
pub(in crate::solver) use gate::{is_free, settle};
pub(in crate::solver) use step::{released, step};

use super::assemble::{row_merit, takes_part};
use super::model::Network;
use super::span::SpanSystem;
use super::state::NetworkState;
use crate::algebra::{Mat3, Vec3, larger};
use crate::body::{Roll, Tap};
use crate::constraint::Sense;
use crate::contact::{Obstacle, Touch};
use crate::rod::{AnyRod, Rod, RodState};
use friction::{Reference, Tangential};
use serde::{Deserialize, Serialize};

/// Gap, in radii, up to which places are watched.
const REACH: f64 = 1.0;
/// How much nearer to its middle a piece seems at its ends, relative to its length: where it lies flat, it touches there.
const FLAT: f64 = 1e-4;
/// The same where it lies on what is round, relative to what that falls away there.
const OSCULATING: f64 = 0.02;
/// Steps towards the nearest place of a piece.
const STEPS: usize = 8;

/// Which contact it is: the same from one evaluation to the next while the same features touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactKey {
    /// The span.
    pub span: usize,
    /// The piece of its axis.
    pub piece: usize,
    /// What it touches.
    pub other: Side,
}

/// What the piece of a span touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    },
}

impl Side {
    /// Whether it is a side of the same thing, as far away along it as neighbouring pieces are.
    fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Obstacle { index: a, .. }, Self::Obstacle { index: b, .. }) => a == b,
            (Self::Span { index: a, piece: i }, Self::Span { index: b, piece: j }) => {
                a == b && i.abs_diff(*j) <= 2
            }
            _ => false,
        }
    }
}

impl ContactKey {
    /// Whether it is the same contact, or one beside it.
    fn is_beside(&self, other: &Self) -> bool {
        self.span == other.span && self.piece.abs_diff(other.piece) <= 1 && self.other.is_beside(&other.other)
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
            Side::Span { index, piece } => Side::Span { index: number(index)?, piece },
            obstacle => obstacle,
        };
        Some(Self { key: ContactKey { span: number(self.key.span)?, other, ..self.key }, ..*self })
    }
}

/// Whether what touches slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactState {
    /// Friction holds it.
    Stick,
    /// It has slid since the last equilibrium, or nothing would keep it from that.
    Slip,
}

/// Something that presses on a span, as a report tells it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// The span.
    pub span: usize,
    /// Arc length of the place, m.
    pub s: f64,
    /// What presses on it.
    pub other: Other,
    /// Place of the axis, m, world.
    pub position: Vec3,
    /// From what presses to the span, world.
    pub normal: Vec3,
    /// Distance of the surfaces, m.
    pub gap: f64,
    /// Force on the span, N, world: along the normal, and friction.
    pub force: Vec3,
    /// Whether it slides.
    pub state: ContactState,
    /// How far it has slid since the last equilibrium, m.
    pub slip: f64,
}

/// What presses on a span.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    pub(in crate::solver) at: Vec3,
    /// From the obstacle to the rod.
    pub(in crate::solver) normal: Vec3,
    /// Distance of the surfaces, m.
    pub(in crate::solver) gap: f64,
    hessian: Mat3,
    /// Where the place shifts along the axis: its derivative by the share of the length, and the second of the distance.
    shift: Option<(Vec3, f64)>,
    /// λ, N.
    pub(in crate::solver) force: f64,
    /// ϱ where it is in the matrix, N/m.
    regularisation: f64,
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
    /// The equilibrium that slip is measured from.
    reference: Reference,
    /// Those of a trial.
    trial: Vec<ContactRow>,
    /// Where the pieces of an axis meet.
    axis: Vec<f64>,
    touches: Vec<Touch>,
    step: step::Room,
    rough: rough::RoughRoom,
    gate: gate::Room,
}

/// ϱ, N/m: what bending two segments or elements takes.
fn regularisation(rod: &AnyRod, span: &SpanSystem) -> f64 {
    span.stiffness() * (rod.pieces().0 as f64 / span.length()).powi(3)
}

/// Finds all places within reach at `state`, and farther where a `travel` takes them there.
fn detect(
    network: &Network,
    state: &NetworkState,
    axis: &mut Vec<f64>,
    touches: &mut Vec<Touch>,
    rows: &mut Vec<ContactRow>,
    travel: f64,
) {
    for (k, span) in network.spans.iter().enumerate().filter(|(_, span)| span.contact_radius > 0.0) {
        let (radius, own) = (span.contact_radius, &state.spans[k].rod);
        axis.clear();
        span.rod.axis_shares(axis);
        for (o, obstacle) in network.obstacles.iter().enumerate() {
            let mut a = span.rod.place(own, 0.0);
            for (i, ends) in axis.windows(2).enumerate() {
                let piece = Piece { rod: &span.rod, state: own, ends: [ends[0], ends[1]], radius };
                let b = span.rod.place(own, ends[1]);
                touches.clear();
                obstacle.touches(a, b, radius + travel.max(REACH * radius), touches);
                a = b;
                let begin = rows.len();
                for touch in touches.iter() {
                    let other = Side::Obstacle { index: o, feature: touch.feature };
                    let key = ContactKey { span: k, piece: i, other };
                    if rows[begin..].iter().any(|row| row.key == key) {
                        continue;
                    }
                    let Some((at, touch)) = piece.nearest(obstacle, touch) else { continue };
                    rows.push(ContactRow {
                        key,
                        share: at.share,
                        at: touch.at,
                        normal: touch.normal,
                        gap: touch.distance + at.off - radius,
                        hessian: touch.hessian,
                        shift: at.shift,
                        force: 0.0,
                        regularisation: 0.0,
                        tangential: Tangential::new(obstacle.friction, 0.5 * (ends[0] + ends[1])),
                    });
                }
            }
        }
    }
}

/// A piece of an axis.
struct Piece<'a> {
    rod: &'a AnyRod,
    state: &'a RodState,
    /// Shares of the length.
    ends: [f64; 2],
    radius: f64,
}

/// Curvature of what is touched where the axis touches it, 1/m, with no sign: the same however near the axis is.
fn roundness(touch: &Touch, radius: f64) -> f64 {
    let trace = touch.hessian.trace();
    if trace == 0.0 {
        return 0.0;
    }
    // Of a bar, a ball, or a tube, which is round the other way.
    let here = touch.hessian.norm_squared() / trace;
    let there = 1.0 - here * (touch.distance - radius);
    if there > 0.0 { (here / there).abs() } else { 0.0 }
}

/// Where a piece is nearest to a feature.
struct Nearest {
    share: f64,
    /// First derivative of the place and second of the distance, both by the share, unless the place is held at an end
    /// of the piece.
    shift: Option<(Vec3, f64)>,
    /// How much farther it seems than it is, m: nearer but at the ends of the piece, so that nothing is entered there.
    off: f64,
}

impl Piece<'_> {
    /// How near the piece is at `x`, −½ … ½ along it, to the feature of `touch`, and how that changes with `x`.
    fn at(&self, obstacle: &Obstacle, touch: &Touch, x: f64) -> Option<Look> {
        let [from, to] = self.ends;
        let width = to - from;
        let length = width * self.rod.length();
        let share = from + (x + 0.5) * width;
        let at = self.rod.place(self.state, share);
        let here = obstacle.touch_of(touch.feature, at)?;
        let [slope, bend] = self.rod.place_derivatives(self.state, share);
        let (slope, bend) = (slope * width, bend * width * width);
        let to_middle = (FLAT + OSCULATING * length * roundness(&here, self.radius)) * length;
        let second = slope.dot(&(here.hessian * slope)) + here.normal.dot(&bend) + to_middle;
        Some(Look {
            nearest: Nearest {
                share,
                shift: Some((slope / width, second / (width * width))),
                off: 0.5 * to_middle * (x * x - 0.25),
            },
            touch: here,
            first: here.normal.dot(&slope) + to_middle * x,
            second,
        })
    }

    /// The place nearest to the feature of `touch`, which was found on the chord: by Newton's method along the piece, and
    /// at one of its ends where it bends away. On what is flat the middle is as near as any.
    fn nearest(&self, obstacle: &Obstacle, touch: &Touch) -> Option<(Nearest, Touch)> {
        let mut x = touch.share - 0.5;
        for _ in 0..STEPS {
            let look = self.at(obstacle, touch, x)?;
            if look.second <= 0.0 {
                let ends = [-0.5, 0.5].map(|end| self.at(obstacle, touch, end));
                let [Some(a), Some(b)] = ends else { return None };
                let end = if a.distance() <= b.distance() { a } else { b };
                return Some((Nearest { shift: None, ..end.nearest }, end.touch));
            }
            let next = (x - look.first / look.second).clamp(-0.5, 0.5);
            if (next - x).abs() < 1e-12 {
                let held = next.abs() == 0.5;
                return Some((
                    Nearest { shift: look.nearest.shift.filter(|_| !held), ..look.nearest },
                    look.touch,
                ));
            }
            x = next;
        }
        self.at(obstacle, touch, x).map(|look| (look.nearest, look.touch))
    }
}

/// How near a place of a piece is: its touch, and the derivatives of the distance along the piece.
struct Look {
    nearest: Nearest,
    touch: Touch,
    first: f64,
    second: f64,
}

impl Look {
    fn distance(&self) -> f64 {
        self.touch.distance + self.nearest.off
    }
}

/// Gives rows the forces that a state remembers: that of the same contact, or else of the nearest beside it.
fn remember(rows: &mut [ContactRow], forces: &[ContactForce]) {
    for known in forces {
        if let Some(row) = rows.iter_mut().find(|row| row.key == known.key) {
            row.force = known.force;
            row.take_friction(known.friction);
            continue;
        }
        let beside = |row: &&mut ContactRow| row.key.is_beside(&known.key);
        let away = |row: &ContactRow| (row.share - known.share).abs();
        if let Some(row) = rows.iter_mut().filter(beside).min_by(|a, b| away(a).total_cmp(&away(b))) {
            row.force += known.force;
            row.take_friction(row.friction() + known.friction);
        }
    }
}

impl Contacts {
    /// Finds what touches at `state`, and lets it press on the spans. Ends of spans are on their anchors.
    pub(in crate::solver) fn evaluate(
        &mut self,
        network: &Network,
        state: &mut NetworkState,
        spans: &mut [SpanSystem],
    ) {
        let Self { rows, axis, touches, reference, .. } = self;
        rows.clear();
        detect(network, state, axis, touches, rows, 0.0);
        remember(rows, &state.contact_forces);
        reference.slip(network, state, rows);
        for span in spans.iter_mut() {
            span.kernel.taps().places.retain(|tap| !tap.is_counted_elsewhere);
        }
        for row in rows.iter_mut() {
            let span = &mut spans[row.key.span];
            let rho = regularisation(&network.spans[row.key.span].rod, span);
            row.hold(rho);
            if row.force <= 0.0 && !row.is_held() {
                continue;
            }
            row.regularisation = rho;
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

    /// Watches what a step may reach that moves the axis by up to `travel`.
    fn look_farther(&mut self, network: &Network, state: &NetworkState, travel: f64) {
        let Self { rows, trial, axis, touches, .. } = self;
        trial.clear();
        detect(network, state, axis, touches, trial, travel);
        for new in trial.iter() {
            if !rows.iter().any(|row| row.key == new.key) {
                rows.push(*new);
            }
        }
    }

    /// What of the slope of the merit is theirs: without penalty, and what a unit of it takes away.
    pub(in crate::solver) fn slope(
        &self,
        state: &NetworkState,
        spans: &[SpanSystem],
        rho: f64,
    ) -> (f64, f64) {
        let (mut fixed, mut gaps) = (0.0, 0.0);
        for ((row, force), friction) in self.rows.iter().zip(&self.asked).zip(&self.asked_friction) {
            let change = row.change(state, spans);
            // The spans have counted what presses now.
            fixed += row.force * change;
            if takes_part(Sense::AtLeast, row.gap, *force, rho) {
                fixed -= force * change;
                gaps -= row.gap * change;
            }
            if let Some(own) = &row.tangential {
                let (along, missed) = own.slope(row, state, spans, (*force, friction), rho);
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
        let Self { rows, asked, asked_friction, trial, axis, touches, .. } = self;
        if network.obstacles.is_empty() {
            return 0.0;
        }
        trial.clear();
        detect(network, state, axis, touches, trial, 0.0);
        let mut total = 0.0;
        for ((row, force), friction) in rows.iter().zip(asked.iter()).zip(asked_friction.iter()) {
            let gap = gap_of(row, trial);
            total += row_merit(Sense::AtLeast, gap, *force, rho);
            if let Some(own) = &row.tangential {
                total += own.merit(&own.slip_at(network, state, row), *force, friction, rho);
            }
        }
        // What touches there and was out of reach here.
        for new in trial.iter().filter(|new| new.gap < 0.0 && !rows.iter().any(|row| row.key == new.key)) {
            total += row_merit(Sense::AtLeast, new.gap, 0.0, rho);
        }
        total
    }

    /// Appends what presses, in the order of spans and places.
    pub(in crate::solver) fn report(&self, spans: &[SpanSystem], out: &mut Vec<Contact>) {
        let pressing = self.rows.iter().filter(|row| row.force > 0.0);
        out.extend(pressing.map(|row| Contact {
            span: row.key.span,
            s: row.share * spans[row.key.span].length(),
            other: match row.key.other {
                Side::Obstacle { index, .. } => Other::Obstacle(index),
                Side::Span { index, .. } => Other::Span { index, s: 0.0 },
            },
            position: row.at,
            normal: row.normal,
            gap: row.gap,
            force: row.normal * row.force + row.friction(),
            state: row.state(),
            slip: row.tangential.map_or(0.0, |own| own.slip.norm()),
        }));
    }

    /// What is left of the law of contact, relative to the largest force of a contact.
    pub(in crate::solver) fn law_residual(&self, network: &Network, spans: &[SpanSystem]) -> f64 {
        let (mut left, mut largest) = (0.0, 0.0);
        for row in &self.rows {
            left = larger(
                left,
                row.defect(regularisation(&network.spans[row.key.span].rod, &spans[row.key.span])),
            );
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

/// The gap of a row at a trial state: of the same contact, or of what is nearest beside it; out of reach where there
/// is nothing.
fn gap_of(row: &ContactRow, trial: &[ContactRow]) -> f64 {
    if let Some(same) = trial.iter().find(|t| t.key == row.key) {
        return same.gap;
    }
    let beside = |t: &&ContactRow| t.key.is_beside(&row.key);
    let nearest = trial.iter().filter(beside).map(|t| t.gap).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() { nearest } else { row.gap.max(0.0) + row.at.norm() * f64::EPSILON }
}

impl ContactRow {
    /// The force that W knows nothing of, N: with ϱ in the matrix the step A δ = −r + Jᵀ(μ − λ − ϱ g) closes the gap.
    fn known(&self) -> f64 {
        self.force + self.regularisation * self.gap
    }

    /// As a state remembers it, where it presses with `force`.
    fn pressing(&self, force: f64, friction: Vec3) -> Option<ContactForce> {
        let creep = self.creep();
        (force > 0.0).then_some(ContactForce { key: self.key, share: self.share, force, friction, creep })
    }

    /// Change of its gap along the step, to first order.
    pub(in crate::solver) fn change(&self, state: &NetworkState, spans: &[SpanSystem]) -> f64 {
        let k = self.key.span;
        self.normal.dot(&spans[k].kernel.moved(&state.spans[k], self.share))
    }
}
