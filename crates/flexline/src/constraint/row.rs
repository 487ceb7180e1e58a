//! One scalar row of a constraint at a state: value, Jacobian, exact second derivative.
//!
//! Two kinds cover every constraint. A row through a point p of anchor A, seen from body B, is a
//! function of u = R_Bᵀ(p − x_B). Under displacements t and world rotations ψ of both bodies, with
//! the lever l = p − x_A, d = p − x_B and v = t_A + ψ_A × l − t_B,
//!
//! ```text
//! R_B δu  = v − ψ_B × d
//! R_B δ²u = ψ_A × (ψ_A × l) − 2 ψ_B × v + ψ_B × (ψ_B × d)
//! ```
//!
//! so the row needs only its gradient and Hessian by u. A row between directions is the dot product
//! a·n, a turning with A and n with B. A row of a relative rotation is a component of 2 Im(w̄ q), q
//! turning with A and w with B: with c = w e q̄ it is 2⟨c, exp(−ψ_B) exp(ψ_A)⟩, a quaternion product.

use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::body::Pose;

/// One scalar row at a state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Value, m or rad.
    pub(crate) value: f64,
    /// (anchor, ∂/∂ψ, ∂/∂t) for at most two anchors.
    pub(crate) columns: [Option<(usize, Vec3, Vec3)>; 2],
    bend: Bend,
}

/// What the second derivative is made of.
#[derive(Clone, Copy, Debug)]
enum Bend {
    /// Lever l and offset d, gradient and Hessian by u in world axes.
    Point { levers: [Vec3; 2], gradient: Vec3, hessian: Mat3 },
    /// The dot product of two directions.
    Directions([Vec3; 2]),
    /// One component of a relative rotation, 2 Im(w̄ q)·e: the quaternion w e q̄ = (c₀, c).
    Turn(f64, Vec3),
}

/// A point of an anchor seen from a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    anchor: Option<usize>,
    lever: Vec3,
    body: Option<usize>,
    offset: Vec3,
    /// The body's axes.
    axes: Mat3,
    /// u: the point in the body's axes.
    pub(crate) local: Vec3,
}

impl Seen {
    /// The point `p` with `lever` from its anchor, seen from `body` (the world without one).
    pub(crate) fn new(
        p: Vec3,
        lever: Vec3,
        anchor: Option<usize>,
        body: Option<usize>,
        poses: &[Pose],
    ) -> Self {
        let (origin, axes) = body.map_or((Vec3::zeros(), Mat3::identity()), |b| {
            (poses[b].position, rotation::matrix(&poses[b].orientation))
        });
        let offset = p - origin;
        Self { anchor, lever, body, offset, axes, local: axes.tr_mul(&offset) }
    }

    /// A row with the given value, gradient and Hessian by u, in the body's axes.
    pub(crate) fn row(&self, value: f64, gradient: &Vec3, hessian: &Mat3) -> Row {
        let g = self.axes * gradient;
        Row {
            value,
            columns: [
                self.anchor.map(|a| (a, self.lever.cross(&g), g)),
                self.body.map(|b| (b, -self.offset.cross(&g), -g)),
            ],
            bend: Bend::Point {
                levers: [self.lever, self.offset],
                gradient: g,
                hessian: self.axes * hessian * self.axes.transpose(),
            },
        }
    }
}

impl Row {
    /// a·n, with a turning with the first anchor and n with the second.
    pub(crate) fn of_directions(anchors: [Option<usize>; 2], a: Vec3, n: Vec3) -> Self {
        let columns = turns(anchors, a.cross(&n));
        Self { value: a.dot(&n), columns, bend: Bend::Directions([a, n]) }
    }

    /// The component along `axis` of the rotation that takes `wanted`, which turns with the second
    /// anchor, to `own`, which turns with the first: 2 sin(θ/2), zero at θ = 0 alone.
    pub(crate) fn of_turn(anchors: [Option<usize>; 2], own: &Quat, wanted: &Quat, axis: &Vec3) -> Self {
        let relative = wanted.conjugate() * own;
        // Of the two quaternions of a rotation, the nearer one.
        let sign = if relative.w < 0.0 { -1.0 } else { 1.0 };
        let c = wanted * Quat::from_parts(0.0, axis * sign) * own.conjugate();
        let vector = c.imag();
        Self { value: 2.0 * c.w, columns: turns(anchors, vector), bend: Bend::Turn(c.w, vector) }
    }

    /// Change of the row along a step: turn and shift of every anchor.
    pub(crate) fn along(&self, step: impl Fn(usize) -> (Vec3, Vec3)) -> f64 {
        let change = |(a, turn, shift): &(usize, Vec3, Vec3)| {
            let (dt, ds) = step(*a);
            turn.dot(&dt) + shift.dot(&ds)
        };
        self.columns.iter().flatten().map(change).sum()
    }

    /// Adds `multiplier` times the second derivative: `add(anchor, anchor, ψψ, ψt, tψ, tt)`.
    pub(crate) fn add_second(
        &self,
        multiplier: f64,
        add: &mut dyn FnMut(usize, usize, Mat3, Mat3, Mat3, Mat3),
    ) {
        let anchors = self.columns.map(|c| c.map(|(anchor, ..)| anchor));
        match &self.bend {
            Bend::Point { levers, gradient, hessian } => {
                second_of_point(anchors, levers, &(gradient * multiplier), &(hessian * multiplier), add);
            }
            Bend::Directions([a, n]) => second_of_directions(anchors, multiplier, a, n, add),
            Bend::Turn(scalar, vector) => {
                second_of_turn(anchors, scalar * multiplier, &(vector * multiplier), add)
            }
        }
    }
}

/// Columns of a row that turns both anchors the opposite way.
fn turns(anchors: [Option<usize>; 2], turn: Vec3) -> [Option<(usize, Vec3, Vec3)>; 2] {
    let zero = Vec3::zeros();
    [anchors[0].map(|i| (i, turn, zero)), anchors[1].map(|i| (i, -turn, zero))]
}

fn second_of_point(
    anchors: [Option<usize>; 2],
    levers: &[Vec3; 2],
    g: &Vec3,
    h: &Mat3,
    add: &mut dyn FnMut(usize, usize, Mat3, Mat3, Mat3, Mat3),
) {
    let [l, d] = levers.map(|v| rotation::skew(&v));
    // R_B δu = (−[l] ψ_A + t_A) − (−[d] ψ_B + t_B); signs of the two bodies.
    let parts = [(l, 1.0), (d, -1.0)];
    for (i, a) in anchors.iter().enumerate() {
        let Some(a) = a else { continue };
        for (j, b) in anchors.iter().enumerate() {
            let Some(b) = b else { continue };
            let sign = parts[i].1 * parts[j].1;
            let (li, lj) = (parts[i].0, parts[j].0);
            // [l]ᵀ = −[l].
            let mut turn_turn = -(li * h * lj) * sign;
            let mut turn_shift = li * h * sign;
            let mut shift_turn = -(h * lj) * sign;
            let shift_shift = h * sign;
            let push = rotation::skew(g);
            match (i, j) {
                (0, 0) => turn_turn += rotation::cross_hessian(&levers[0], g),
                // −2 g·(ψ_B × v) = −2 vᵀ[g]ψ_B with v = t_A − [l] ψ_A − t_B, half of it to each side.
                (0, 1) => {
                    turn_turn -= l * push;
                    shift_turn -= push;
                }
                (1, 0) => {
                    turn_turn -= push * l;
                    turn_shift += push;
                }
                _ => {
                    turn_turn += rotation::cross_hessian(&levers[1], g);
                    turn_shift -= push;
                    shift_turn += push;
                }
            }
            add(*a, *b, turn_turn, turn_shift, shift_turn, shift_shift);
        }
    }
}

/// (ψ_a × a)·(ψ_b × n) across, and the bending of each along itself.
fn second_of_directions(
    anchors: [Option<usize>; 2],
    multiplier: f64,
    a: &Vec3,
    n: &Vec3,
    add: &mut dyn FnMut(usize, usize, Mat3, Mat3, Mat3, Mat3),
) {
    let zero = Mat3::zeros();
    if let Some(i) = anchors[0] {
        add(i, i, rotation::cross_hessian(a, n) * multiplier, zero, zero, zero);
    }
    if let Some(j) = anchors[1] {
        add(j, j, rotation::cross_hessian(n, a) * multiplier, zero, zero, zero);
    }
    if let (Some(i), Some(j)) = (anchors[0], anchors[1]) {
        let across = (Mat3::identity() * a.dot(n) - n * a.transpose()) * multiplier;
        add(i, j, across, zero, zero, zero);
        add(j, i, across.transpose(), zero, zero, zero);
    }
}

/// exp(−ψ_B) exp(ψ_A) = 1 + (ψ_A − ψ_B)/2 − (ψ_A² + ψ_B²)/8 − ψ_B ψ_A/4 + …, the last a quaternion
/// product.
fn second_of_turn(
    anchors: [Option<usize>; 2],
    scalar: f64,
    vector: &Vec3,
    add: &mut dyn FnMut(usize, usize, Mat3, Mat3, Mat3, Mat3),
) {
    let zero = Mat3::zeros();
    for i in anchors.into_iter().flatten() {
        add(i, i, Mat3::identity() * (-0.5 * scalar), zero, zero, zero);
    }
    if let [Some(i), Some(j)] = anchors {
        let across = (Mat3::identity() * scalar - rotation::skew(vector)) * 0.5;
        add(i, j, across, zero, zero, zero);
        add(j, i, across.transpose(), zero, zero, zero);
    }
}
