//! Inertia and forces of one element, over the motion of its beginning and the rates of its own coordinates.
//!
//! With the velocity v and angular velocity ω of the beginning, a point moves at v + ω × r + Σ ∂_A r q̇_A and
//! its frame turns at ω + Σ Θ_A q̇_A, so that an element has a mass matrix over (v, ω, q̇) and nothing else of
//! it matters to the rest of the tree (Bertails 2009). Accelerations that do not come from q̈ (those of the
//! beginning, centrifugal, Coriolis, and of the coordinates' own rates) are forces here. Drag is implicit: h times its
//! coefficient joins the mass that the matrix sees.

use crate::algebra::collocation::Collocation;
use crate::algebra::quadrature::Lobatto;
use crate::algebra::rotation::skew_times;
use crate::algebra::{Mat3, Vec3};
use crate::geometry::darboux::{Moving, Stretch, moving_clothoid, moving_helix};
use crate::rod::curvature::Stiffness;
use crate::rod::curvature::walk::{PIECE_TURNING, nodes_for};

/// Turning of a helix, rad, up to which a rule of Lobatto's with so many points gives its inertia to 1e-6; a longer one is
/// divided. Motion at these points is exact: fewer of them are a rod whose matter is a little elsewhere, not a rod that
/// moves wrongly. One of them is the end, which is asked for anyway, and one the beginning, where coordinates do nothing.
const RULES: [(f64, usize); 4] = [(0.057, 4), (0.87, 5), (1.9, 6), (PIECE_TURNING, 7)];

/// Rules of quadrature for helices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules([Lobatto; RULES.len()]);

impl Rules {
    pub(super) fn new() -> Self {
        Self(RULES.map(|(_, points)| Lobatto::new(points)))
    }

    /// Most points whatever the turning.
    #[cfg(test)]
    pub(super) fn fine() -> Self {
        Self([Lobatto::new(12); RULES.len()])
    }

    /// The rule for a piece that turns by that much.
    fn of(&self, turning: f64) -> &Lobatto {
        let beyond = RULES.iter().take_while(|(most, _)| turning > *most).count();
        &self.0[beyond.min(RULES.len() - 1)]
    }
}

/// How the beginning of an element, or an anchor, is and moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub(super) position: Vec3,
    pub(super) frame: Mat3,
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
    /// Acceleration that does not come from the unknowns of the step.
    pub(super) acceleration: Vec3,
    pub(super) angular_acceleration: Vec3,
}

impl Base {
    /// The pose `frame`, `position` of a body that moves with this one.
    pub(super) fn carry(&self, position: &Vec3, frame: &Mat3) -> Self {
        let arm = self.frame * position;
        Self {
            position: self.position + arm,
            frame: self.frame * frame,
            velocity: self.velocity + self.spin.cross(&arm),
            acceleration: self.acceleration
                + self.angular_acceleration.cross(&arm)
                + self.spin.cross(&self.spin.cross(&arm)),
            ..*self
        }
    }

    /// The end of an element that begins here; `end` is in its first frame.
    fn after<const N: usize>(&self, end: &Moving<N>) -> Self {
        let arm = self.frame * end.position;
        let (velocity, spin) = (self.frame * end.velocity, self.frame * end.spin);
        Self {
            position: self.position + arm,
            frame: self.frame * end.frame,
            velocity: self.velocity + self.spin.cross(&arm) + velocity,
            spin: self.spin + spin,
            acceleration: self.acceleration
                + self.angular_acceleration.cross(&arm)
                + self.spin.cross(&(self.spin.cross(&arm) + velocity * 2.0))
                + self.frame * end.acceleration,
            angular_acceleration: self.angular_acceleration
                + self.spin.cross(&spin)
                + self.frame * end.angular_acceleration,
        }
    }

    /// The same in the axes of its own frame, its position left out.
    fn local(&self) -> Self {
        let back = |v: &Vec3| self.frame.tr_mul(v);
        Self {
            position: Vec3::zeros(),
            frame: Mat3::identity(),
            velocity: back(&self.velocity),
            spin: back(&self.spin),
            acceleration: back(&self.acceleration),
            angular_acceleration: back(&self.angular_acceleration),
        }
    }
}

/// What surrounds the tree in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Air {
    pub(super) gravity: Vec3,
    pub(super) wind: Vec3,
    /// Per length, N s/m².
    pub(super) drag: f64,
    /// The step, s.
    pub(super) step: f64,
}

/// Energies and powers, J and W.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Energies {
    pub(super) kinetic: f64,
    pub(super) potential: f64,
    /// Power of the wind and of loads that have no potential, and what is lost to drag and strain damping.
    pub(super) driven: f64,
    pub(super) lost: f64,
}

/// Matter of an element per length, as polynomials in the share of it: mass, then rotary inertia about d1, d2, d3.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementMatter {
    pub(super) length: f64,
    /// Coefficients of t⁰ … t⁴; the higher ones are zero where `uniform`. Sections vary linearly or by
    /// scale within an element, which makes these exact.
    pub(super) terms: [[f64; 4]; 5],
    pub(super) uniform: bool,
}

impl ElementMatter {
    /// Through the values `at` five equidistant shares, from 0 to 1.
    pub(super) fn through(length: f64, at: &[[f64; 4]; 5]) -> Self {
        let mut terms = [[0.0; 4]; 5];
        for c in 0..4 {
            // Newton's divided differences on 0, ¼, ½, ¾, 1, then expanded.
            let mut d = at.map(|v| v[c]);
            for order in 1..5 {
                for k in (order..5).rev() {
                    d[k] = (d[k] - d[k - 1]) * 4.0 / order as f64;
                }
            }
            let mut p = [0.0; 5];
            for k in (0..5).rev() {
                let node = k as f64 / 4.0;
                for i in (0..5).rev() {
                    p[i] = if i > 0 { p[i - 1] } else { 0.0 } - node * p[i];
                }
                p[0] += d[k];
            }
            for i in 0..5 {
                terms[i][c] = p[i];
            }
        }
        Self { length, terms, uniform: at.iter().all(|v| v == &at[0]) }
    }

    /// Mass per length and rotary inertia per length at share `t`.
    #[inline]
    fn at(&self, t: f64) -> (f64, Vec3) {
        let [m, i, j, k] = if self.uniform {
            self.terms[0]
        } else {
            [0, 1, 2, 3].map(|c| self.terms.iter().rev().fold(0.0, |sum, term| sum * t + term[c]))
        };
        (m, Vec3::new(i, j, k))
    }
}

/// Mass matrix and forces over (v, ω, q̇_0 … q̇_{N−1}): a quadratic form by blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<const N: usize> {
    /// (v, v): this times the identity.
    pub(super) mass: f64,
    /// ∫ r dm: (v, ω) is −[moment]×.
    pub(super) moment: Vec3,
    /// (ω, ω).
    pub(super) inertia: Mat3,
    /// (v, q̇).
    pub(super) shift: [Mat3; N],
    /// (ω, q̇).
    pub(super) turn: [Mat3; N],
    /// (q̇, q̇).
    pub(super) own: [[Mat3; N]; N],
    /// Forces on v, ω and q̇.
    pub(super) force: Vec3,
    pub(super) torque: Vec3,
    pub(super) pull: [Vec3; N],
}

impl<const N: usize> Form<N> {
    pub(super) fn zeros() -> Self {
        let (zero, block) = (Vec3::zeros(), Mat3::zeros());
        Self {
            mass: 0.0,
            moment: zero,
            inertia: block,
            shift: [block; N],
            turn: [block; N],
            own: [[block; N]; N],
            force: zero,
            torque: zero,
            pull: [zero; N],
        }
    }

    /// Adds a force and a torque at a point.
    pub(super) fn load(&mut self, at: &Moving<N>, force: &Vec3, torque: &Vec3) {
        self.force += force;
        self.torque += at.position.cross(force) + torque;
        for c in 0..N {
            self.pull[c] += at.shift[c].tr_mul(force) + at.turn[c].tr_mul(torque);
        }
    }

    /// Adds `length` of matter at a point; everything in the axes of the beginning, `base` too.
    #[inline]
    fn add(
        &mut self,
        at: &Moving<N>,
        (length, density, rotary): (f64, f64, Vec3),
        base: &Base,
        air: &Air,
        energies: &mut Energies,
    ) {
        let r = at.position;
        let (mass, drag) = (density * length, air.drag * length);
        let velocity = base.velocity + base.spin.cross(&r) + at.velocity;
        let acceleration = base.acceleration
            + base.angular_acceleration.cross(&r)
            + base.spin.cross(&(base.spin.cross(&r) + at.velocity * 2.0))
            + at.acceleration;
        let slip = air.wind - velocity;
        let force = (air.gravity - acceleration) * mass + slip * drag;
        energies.kinetic += 0.5 * mass * velocity.norm_squared();
        energies.potential -= mass * air.gravity.dot(&r);
        energies.driven += drag * slip.dot(&air.wind);
        energies.lost += drag * slip.norm_squared();

        let seen = mass + air.step * drag;
        self.mass += seen;
        self.moment += r * seen;
        let square = r.norm_squared();
        let weighted = r * seen;
        self.inertia -= weighted * r.transpose();
        for i in 0..3 {
            self.inertia[(i, i)] += seen * square;
        }
        for c in 0..N {
            let shift = at.shift[c] * seen;
            self.shift[c] += shift;
            self.turn[c] += skew_times(&r, &shift);
            add_gram(&mut self.own[c][c], &shift, &at.shift[c]);
            for b in 0..c {
                self.own[c][b] += shift.tr_mul(&at.shift[b]);
            }
        }
        let mut torque = Vec3::zeros();
        if rotary != Vec3::zeros() {
            torque = self.add_rotary(at, &(rotary * length), base, energies);
        }
        self.load(at, &force, &torque);
    }

    /// The same at the beginning, which coordinates do not move.
    #[inline]
    fn add_beginning(
        &mut self,
        (length, density, rotary): (f64, f64, Vec3),
        base: &Base,
        air: &Air,
        energies: &mut Energies,
    ) {
        let (mass, drag) = (density * length, air.drag * length);
        let slip = air.wind - base.velocity;
        energies.kinetic += 0.5 * mass * base.velocity.norm_squared();
        energies.driven += drag * slip.dot(&air.wind);
        energies.lost += drag * slip.norm_squared();
        self.mass += mass + air.step * drag;
        self.force += (air.gravity - base.acceleration) * mass + slip * drag;
        let rotary = rotary * length;
        let momentum = rotary.component_mul(&base.spin);
        for i in 0..3 {
            self.inertia[(i, i)] += rotary[i];
        }
        energies.kinetic += 0.5 * base.spin.dot(&momentum);
        self.torque -= rotary.component_mul(&base.angular_acceleration) + base.spin.cross(&momentum);
    }

    /// Adds the rotary inertia of a slice; returns the torque of its motion. About d1, d2, d3 it is diagonal:
    /// I = I₁ 1 + (I₂ − I₁) d2 d2ᵀ + (I₃ − I₁) d3 d3ᵀ, and a round slice has no second term.
    #[inline]
    fn add_rotary(&mut self, at: &Moving<N>, rotary: &Vec3, base: &Base, energies: &mut Energies) -> Vec3 {
        let spin = base.spin + at.spin;
        let angular = base.angular_acceleration + base.spin.cross(&at.spin) + at.angular_acceleration;
        let first = rotary.x;
        let (mut momentum, mut change) = (spin * first, angular * first);
        for i in 0..3 {
            self.inertia[(i, i)] += first;
        }
        for c in 0..N {
            let turned = at.turn[c] * first;
            self.turn[c] += turned;
            add_gram(&mut self.own[c][c], &turned, &at.turn[c]);
            for b in 0..c {
                self.own[c][b] += turned.tr_mul(&at.turn[b]);
            }
        }
        for axis in 1..3 {
            let more = rotary[axis] - first;
            if more == 0.0 {
                continue;
            }
            let d: Vec3 = at.frame.column(axis).into();
            let weighted = d * more;
            momentum += weighted * d.dot(&spin);
            change += weighted * d.dot(&angular);
            self.inertia += weighted * d.transpose();
            let seen = at.turn.map(|turn| turn.tr_mul(&d));
            for c in 0..N {
                self.turn[c] += weighted * seen[c].transpose();
                for b in 0..=c {
                    self.own[c][b] += seen[c] * (seen[b] * more).transpose();
                }
            }
        }
        energies.kinetic += 0.5 * spin.dot(&momentum);
        -(change + spin.cross(&momentum))
    }

    /// Elastic forces, those at the end of the step: stiffness over length times (h² + τh), and moments.
    fn add_stiffness(&mut self, on: &Elastic<N>, q: &[Vec3; N], rates: &[Vec3; N], energies: &mut Energies) {
        let Elastic { stiffness, length, step, delay } = on;
        let before = 2 - N;
        for c in 0..N {
            for b in 0..N {
                let k = stiffness.a[c + b + 2 * before] / *length;
                for axis in 0..3 {
                    self.own[c][b][(axis, axis)] += k[axis] * step * (step + delay);
                    let stretched = q[b][axis] - stiffness.rest[b + before][axis] * length;
                    self.pull[c][axis] -= k[axis] * (stretched + (step + delay) * rates[b][axis]);
                    energies.lost += delay * k[axis] * rates[c][axis] * rates[b][axis];
                }
            }
        }
    }

    /// From the axes of the beginning to those of the world, and the blocks above the diagonal.
    fn finish(&mut self, frame: &Mat3) {
        self.moment = frame * self.moment;
        let turned = (frame * self.inertia).transpose();
        self.inertia = Mat3::zeros();
        add_gram(&mut self.inertia, &turned, &frame.transpose());
        self.force = frame * self.force;
        self.torque = frame * self.torque;
        for c in 0..N {
            self.shift[c] = frame * self.shift[c];
            self.turn[c] = frame * self.turn[c];
            for b in c + 1..N {
                self.own[c][b] = self.own[b][c].transpose();
            }
        }
    }
}

/// Adds AᵀB where that is symmetric.
#[inline]
pub(super) fn add_gram(to: &mut Mat3, a: &Mat3, b: &Mat3) {
    for i in 0..3 {
        for j in 0..=i {
            let entry = a.column(i).dot(&b.column(j));
            to[(i, j)] += entry;
            if j < i {
                to[(j, i)] += entry;
            }
        }
    }
}

/// What elastic forces need.
pub(super) struct Elastic<'a, const N: usize> {
    pub(super) stiffness: &'a Stiffness,
    /// Of the rod, m.
    pub(super) length: f64,
    pub(super) step: f64,
    pub(super) delay: f64,
}

/// A force and a moment at a place of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementLoad {
    /// Arc length from the beginning of the element, m.
    pub(super) s: f64,
    pub(super) force: Vec3,
    pub(super) moment: Vec3,
    /// Whether they turn with the rod.
    pub(super) follows: bool,
}

/// An element of a strand in a step: its form, and how its end moves with its beginning and its coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<const N: usize> {
    pub(super) form: Form<N>,
    /// From the beginning to the end, world.
    pub(super) chord: Vec3,
    /// What the coordinates do to the velocity of the end, seen from the beginning: ∂r − Θ × chord.
    pub(super) shift: [Mat3; N],
    /// What they do to its angular velocity.
    pub(super) turn: [Mat3; N],
}

impl<const N: usize> Cell<N> {
    pub(super) fn zeros() -> Self {
        let block = Mat3::zeros();
        Self { form: Form::zeros(), chord: Vec3::zeros(), shift: [block; N], turn: [block; N] }
    }
}

/// Coordinates v = L u and their rates that belong to an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<const N: usize> {
    pub(super) q: [Vec3; N],
    pub(super) rates: [Vec3; N],
}

/// How an element knows the points along it.
pub(super) trait Kinematics<const N: usize> {
    /// Visits the nodes of a quadrature with point, share and weight (m), the beginning without its point; returns the end.
    fn along(
        shape: &Shape<N>,
        rod_length: f64,
        length: f64,
        rules: &Rules,
        visit: impl FnMut(Option<&Moving<N>>, f64, f64),
    ) -> Moving<N>;

    /// The point at arc length `s` of the element.
    fn point(shape: &Shape<N>, rod_length: f64, length: f64, s: f64) -> Moving<N>;
}

pub(super) struct Helices;
pub(super) struct Clothoids;

/// Number of pieces of at most [`PIECE_TURNING`]; a bound keeps what is no shape any more finite.
fn pieces(turning: f64) -> usize {
    let count = (turning / PIECE_TURNING).ceil();
    if count.is_finite() { count.clamp(1.0, 500.0) as usize } else { 1 }
}

impl Kinematics<1> for Helices {
    #[inline]
    fn along(
        shape: &Shape<1>,
        rod_length: f64,
        length: f64,
        rules: &Rules,
        mut visit: impl FnMut(Option<&Moving<1>>, f64, f64),
    ) -> Moving<1> {
        let scale = 1.0 / rod_length;
        let (u, rate) = (shape.q[0] * scale, shape.rates[0] * scale);
        let turning = u.norm() * length;
        let count = pieces(turning);
        let half = 0.5 * length / count as f64;
        let rule = rules.of(turning / count as f64);
        let mut end = Moving::start();
        for p in 0..count {
            // The end of a piece is the beginning of the next, where that carries some of it.
            if p == 0 {
                visit(None, 0.0, rule.end_weight() * half);
            } else {
                visit(Some(&end), p as f64 / count as f64, rule.end_weight() * half);
            }
            let middle = half * (2 * p + 1) as f64;
            for (x, weight) in rule.beyond_start() {
                let s = middle + half * x;
                moving_helix(&u, &rate, s, scale, &mut end);
                visit(Some(&end), s / length, weight * half);
            }
        }
        end
    }

    fn point(shape: &Shape<1>, rod_length: f64, _: f64, s: f64) -> Moving<1> {
        let scale = 1.0 / rod_length;
        let mut at = Moving::start();
        moving_helix(&(shape.q[0] * scale), &(shape.rates[0] * scale), s, scale, &mut at);
        at
    }
}

/// Goes along a clothoid up to the share `to` of it.
fn clothoid(
    shape: &Shape<2>,
    rod_length: f64,
    length: f64,
    to: f64,
    mut visit: impl FnMut(f64, f64, &Moving<2>),
) -> Moving<2> {
    let scale = 1.0 / rod_length;
    let u = shape.q.map(|q| q * scale);
    let rate = shape.rates.map(|q| q * scale);
    let turning = u[0].norm().max(u[1].norm()) * length;
    let count = pieces(turning);
    let rule = Collocation::with(nodes_for(turning / count as f64));
    let mut at = Moving::start();
    for p in 0..count {
        let [from, to] = [p, p + 1].map(|p| to * p as f64 / count as f64);
        moving_clothoid(&Stretch { u, rate, length, from, to }, rule, scale, &mut at, &mut visit);
    }
    at
}

impl Kinematics<2> for Clothoids {
    fn along(
        shape: &Shape<2>,
        rod_length: f64,
        length: f64,
        _: &Rules,
        mut visit: impl FnMut(Option<&Moving<2>>, f64, f64),
    ) -> Moving<2> {
        clothoid(shape, rod_length, length, 1.0, |share, weight, at| visit(Some(at), share, weight))
    }

    fn point(shape: &Shape<2>, rod_length: f64, length: f64, s: f64) -> Moving<2> {
        clothoid(shape, rod_length, length, s / length, |_, _, _| {})
    }
}

/// Evaluates an element that begins at `base`; returns how its end is and moves.
#[allow(clippy::too_many_arguments)]
pub(super) fn evaluate<const N: usize, K: Kinematics<N>>(
    base: &Base,
    shape: &Shape<N>,
    matter: &ElementMatter,
    elastic: &Elastic<N>,
    loads: &[ElementLoad],
    air: &Air,
    rules: &Rules,
    cell: &mut Cell<N>,
    energies: &mut Energies,
) -> Base {
    let local = base.local();
    let around = Air { gravity: base.frame.tr_mul(&air.gravity), wind: base.frame.tr_mul(&air.wind), ..*air };
    let form = &mut cell.form;
    *form = Form::zeros();
    let mut mass = 0.0;
    let end = K::along(shape, elastic.length, matter.length, rules, |at, t, length| {
        let (density, rotary) = matter.at(t);
        mass += density * length;
        match at {
            Some(at) => form.add(at, (length, density, rotary), &local, &around, energies),
            None => form.add_beginning((length, density, rotary), &local, &around, energies),
        }
    });
    energies.potential -= mass * air.gravity.dot(&base.position);
    form.add_stiffness(elastic, &shape.q, &shape.rates, energies);
    for load in loads {
        let at = K::point(shape, elastic.length, matter.length, load.s);
        let turn = if load.follows { at.frame } else { base.frame.transpose() };
        form.load(&at, &(turn * load.force), &(turn * load.moment));
        let arm = base.frame * at.position;
        let world = base.frame * turn;
        energies.driven += (world * load.moment).dot(&(base.spin + base.frame * at.spin));
        if load.follows {
            let velocity = base.velocity + base.spin.cross(&arm) + base.frame * at.velocity;
            energies.driven += (world * load.force).dot(&velocity);
        } else {
            energies.potential -= load.force.dot(&(base.position + arm));
        }
    }
    form.finish(&base.frame);
    cell.chord = base.frame * end.position;
    for c in 0..N {
        cell.turn[c] = base.frame * end.turn[c];
        cell.shift[c] = base.frame * end.shift[c] + skew_times(&cell.chord, &cell.turn[c]);
    }
    base.after(&end)
}
