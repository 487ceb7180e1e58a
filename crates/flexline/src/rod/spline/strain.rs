//! Strain of a spline rod at one place, and its exact derivatives.
//!
//! With ρ = r_σ and t = ρ/|ρ| the frame of a place of element e is
//!
//! ```text
//! R = P(t_e → t) R_e Rot(α),     α = a ξ + b ξ (1 − ξ),
//! ```
//!
//! P the shortest rotation between two tangents, R_e the frame at the beginning of the element. Its Darboux vector is
//!
//! ```text
//! κ_1 = d_1·k,  κ_2 = d_2·k,  τ = α′ + g,     k = ρ × ρ′/|ρ|²,  g = −t_e·k/(1 + t·t_e):
//! ```
//!
//! k = t × t′, and a frame carried by shortest rotations from a fixed tangent twists at the rate g (M. Bergou et al.,
//! *Discrete Elastic Rods*, SIGGRAPH 2008, have the same between two edges).
//!
//! The coordinates of an element are its control points, b, and φ_e, φ_f: the angles by which the frames at its two
//! ends roll against the frames that shortest rotations carry there from the state at hand. When two tangents
//! t_e, t move, a frame carried from one to the other rolls by Q, the area that they sweep on the sphere:
//!
//! ```text
//! δQ  = (t × t_e)·(δt_e + δt)/(1 + c),     c = t·t_e
//! δ²Q = (t_e + t)·(δt_e × δt)/(1 + c) − (t × t_e)·(δt_e + δt)(δt_e·t + t_e·δt)/(1 + c)²
//! ```
//!
//! along great circles. Hence δa = φ_f − φ_e − Q_f, and the frame of the place rolls by
//! β = (1 − ξ)φ_e + ξφ_f − ξQ_f + Q + ξ(1 − ξ)δb. Against the frame carried with its own tangent,
//! κ_1 + iκ_2 = e^{−iβ}(Y_1 + iY_2) with δY_i = d_i·δk and δ²Y_i = d_i·δ²k − (t·δk)(d_i·δt).

use crate::algebra::rotation::skew;
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use nalgebra::{SMatrix, SVector};

/// Variables of a place: ρ at the beginning and the end of its element, ρ and ρ′ there, φ_e, φ_f, b.
pub(crate) const VARIABLES: usize = 15;
pub(crate) type Gradient = SVector<f64, VARIABLES>;
pub(crate) type Form = SMatrix<f64, VARIABLES, VARIABLES>;

pub(crate) const BEGIN: usize = 0;
pub(crate) const FINISH: usize = 3;
pub(crate) const HERE: usize = 6;
pub(crate) const BENT: usize = 9;
pub(crate) const ROLLS: usize = 12;
pub(crate) const BUBBLE: usize = 14;

/// What the strain of a place is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// ρ at the beginning and the end of the element, ρ and ρ′ at the place.
    pub(crate) rho: [Vec3; 4],
    /// Frame at the beginning of the element; its third director is the tangent there.
    pub(crate) base: Quat,
    /// Share of the element.
    pub(crate) xi: f64,
    /// Length of the element as a share of the rod.
    pub(crate) share: f64,
    /// Twist of the element, rad, and what of it is in its middle.
    pub(crate) twist: [f64; 2],
}

/// A vector and how it is normalised.
#[derive(Clone, Copy, Debug)]
struct Unit {
    t: Vec3,
    /// ∂t/∂ρ.
    by: Mat3,
    inverse: f64,
}

impl Unit {
    fn new(rho: &Vec3) -> Self {
        let inverse = 1.0 / rho.norm();
        let t = rho * inverse;
        Self { t, by: (Mat3::identity() - t * t.transpose()) * inverse, inverse }
    }

    /// The form of g·δ²t.
    fn second(&self, g: &Vec3) -> Mat3 {
        let along = g.dot(&self.t);
        let across = g - self.t * along;
        let square = self.inverse * self.inverse;
        let flat = (Mat3::identity() - self.t * self.t.transpose()) * along;
        -(self.t * across.transpose() + across * self.t.transpose() + flat) * square
    }
}

/// The Darboux vector of a place times the length of the rod, and what its derivatives need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strain {
    /// (κ_1, κ_2, τ), σ counting.
    pub(crate) value: Vec3,
    pub(crate) frame: Quat,
    pub(crate) tangent: Vec3,
    place: Place,
    units: [Unit; 3],
    d: Mat3,
    k: Vec3,
}

impl Place {
    /// Roll of the frame at the place against the one carried from the beginning of the element.
    fn roll(&self) -> f64 {
        let [a, b] = self.twist;
        a * self.xi + b * self.xi * (1.0 - self.xi)
    }

    /// The frame at the place.
    pub(crate) fn frame(&self) -> Quat {
        let begin = self.rho[0] / self.rho[0].norm();
        let here = self.rho[2] / self.rho[2].norm();
        rotation::between(&begin, &here) * self.base * rotation::exp(&Vec3::new(0.0, 0.0, self.roll()))
    }

    /// The strain alone: (κ_1, κ_2, τ) times the length of the rod.
    pub(crate) fn strain(&self) -> Vec3 {
        let [begin, _, rho, bent] = &self.rho;
        let begin = begin / begin.norm();
        let k = rho.cross(bent) / rho.norm_squared();
        let here = rho / rho.norm();
        let kappa = rotation::rotate(&self.frame().conjugate(), &k);
        let [a, b] = self.twist;
        let twist = (a + b * (1.0 - 2.0 * self.xi)) / self.share - begin.dot(&k) / (1.0 + begin.dot(&here));
        Vec3::new(kappa.x, kappa.y, twist)
    }

    /// The strain with what its derivatives need.
    pub(crate) fn measure(&self) -> Strain {
        let frame = self.frame();
        let units = [Unit::new(&self.rho[0]), Unit::new(&self.rho[1]), Unit::new(&self.rho[2])];
        let k = self.rho[2].cross(&self.rho[3]) / self.rho[2].norm_squared();
        Strain {
            value: self.strain(),
            frame,
            tangent: units[2].t,
            place: *self,
            units,
            d: rotation::matrix(&frame),
            k,
        }
    }
}

/// Adds a 3×3 block, and its transpose across the diagonal.
fn add_block(h: &mut Form, at: (usize, usize), block: &Mat3) {
    let mut view = h.fixed_view_mut::<3, 3>(at.0, at.1);
    view += block;
    if at.0 != at.1 {
        let mut view = h.fixed_view_mut::<3, 3>(at.1, at.0);
        view += block.transpose();
    }
}

/// All variables, three by three.
pub(crate) const ALL: [usize; 5] = [BEGIN, FINISH, HERE, BENT, ROLLS];

/// Adds factor · (a bᵀ + b aᵀ) in place, where products of vectors would each make a matrix. Beyond the `triples` of
/// variables both are zero.
pub(crate) fn add_products<const N: usize>(
    h: &mut Form,
    triples: [usize; N],
    a: &Gradient,
    b: &Gradient,
    factor: f64,
) {
    for column in triples.into_iter().flat_map(|at| at..at + 3) {
        let (by_a, by_b) = (factor * a[column], factor * b[column]);
        for at in triples {
            for row in at..at + 3 {
                h[(row, column)] += a[row] * by_b + b[row] * by_a;
            }
        }
    }
}

fn put(g: &mut Gradient, at: usize, v: &Vec3) {
    let mut rows = g.fixed_rows_mut::<3>(at);
    rows += v;
}

impl Strain {
    /// ∂k/∂ρ and ∂k/∂ρ′.
    fn k_by(&self) -> [Mat3; 2] {
        let [_, _, rho, bent] = &self.place.rho;
        let s = 1.0 / rho.norm_squared();
        [-skew(bent) * s - self.k * rho.transpose() * (2.0 * s), skew(rho) * s]
    }

    /// The derivative of Q between the beginning of the element and the unit `i`, in the variables at `at`.
    fn sweep(&self, i: usize, at: usize) -> Gradient {
        let (e, t) = (&self.units[0], &self.units[i]);
        let along = t.t.cross(&e.t) / (1.0 + t.t.dot(&e.t));
        let mut g = Gradient::zeros();
        put(&mut g, BEGIN, &e.by.tr_mul(&along));
        put(&mut g, at, &t.by.tr_mul(&along));
        g
    }

    /// The derivative of the roll β of the frame at the place.
    pub(crate) fn roll_by(&self) -> Gradient {
        let xi = self.place.xi;
        let mut g = self.sweep(2, HERE) - self.sweep(1, FINISH) * xi;
        g[ROLLS] += 1.0 - xi;
        g[ROLLS + 1] += xi;
        g[BUBBLE] += xi * (1.0 - xi);
        g
    }

    /// ρ at the place.
    pub(crate) fn slope(&self) -> &Vec3 {
        &self.place.rho[2]
    }

    /// How the tangent at the place moves with ρ there.
    pub(crate) fn tangent_by(&self) -> &Mat3 {
        &self.units[2].by
    }

    /// ∂g/∂t_e, ∂g/∂t and ∂g/∂k.
    fn carried_by(&self) -> [Vec3; 3] {
        let [e, _, here] = &self.units;
        let d = 1.0 + e.t.dot(&here.t);
        let n = e.t.dot(&self.k);
        [here.t * (n / (d * d)) - self.k / d, e.t * (n / (d * d)), -e.t / d]
    }

    /// The derivatives of κ_1, κ_2 and τ.
    pub(crate) fn first(&self) -> [Gradient; 3] {
        let by = self.k_by();
        let roll = self.roll_by();
        let mut out = [Gradient::zeros(); 3];
        for i in 0..2 {
            let d: Vec3 = self.d.column(i).into();
            put(&mut out[i], HERE, &by[0].tr_mul(&d));
            put(&mut out[i], BENT, &by[1].tr_mul(&d));
        }
        out[0] += roll * self.value.y;
        out[1] -= roll * self.value.x;
        let [by_begin, by_here, by_k] = self.carried_by();
        let twist = &mut out[2];
        put(twist, BEGIN, &self.units[0].by.tr_mul(&by_begin));
        put(twist, HERE, &self.units[2].by.tr_mul(&by_here));
        put(twist, HERE, &by[0].tr_mul(&by_k));
        put(twist, BENT, &by[1].tr_mul(&by_k));
        let inverse = 1.0 / self.place.share;
        *twist -= self.sweep(1, FINISH) * inverse;
        twist[ROLLS] -= inverse;
        twist[ROLLS + 1] += inverse;
        twist[BUBBLE] += (1.0 - 2.0 * self.place.xi) * inverse;
        out
    }

    /// The second derivative of m_1 κ_1 + m_2 κ_2 + m_3 τ.
    pub(crate) fn second(&self, m: &Vec3) -> Form {
        let mut h = Form::zeros();
        let [begin, finish, here] = &self.units;
        let [by_rho, by_bent] = self.k_by();
        let (d1, d2): (Vec3, Vec3) = (self.d.column(0).into(), self.d.column(1).into());
        let roll = self.roll_by();
        let pulled = |v: &Vec3| {
            let mut g = Gradient::zeros();
            put(&mut g, HERE, &by_rho.tr_mul(v));
            put(&mut g, BENT, &by_bent.tr_mul(v));
            g
        };
        // Bending against the carried frame, then its roll.
        let v = d1 * m.x + d2 * m.y;
        let mut across = Gradient::zeros();
        put(&mut across, HERE, &here.by.tr_mul(&v));
        add_products(&mut h, [HERE, BENT], &pulled(&here.t), &across, -0.5);
        // Both products with the roll in one.
        let turned =
            pulled(&(d2 * m.x - d1 * m.y)) - roll * (0.5 * (m.x * self.value.x + m.y * self.value.y));
        add_products(&mut h, ALL, &roll, &turned, 1.0);
        let spun = m.x * self.value.y - m.y * self.value.x;
        // What multiplies Q of the element and Q of the place.
        let swept = [-self.place.xi * spun - m.z / self.place.share, spun];
        let [by_begin, by_here, by_k] = self.carried_by();
        let mut bends = [by_begin * m.z, Vec3::zeros(), by_here * m.z];
        for (factor, (i, at)) in swept.into_iter().zip([(1, FINISH), (2, HERE)]) {
            let (a, b) = (begin, &self.units[i]);
            let c = 1.0 / (1.0 + a.t.dot(&b.t));
            let p = b.t.cross(&a.t) * c;
            bends[0] += p * factor;
            bends[i] += p * factor;
            add_block(
                &mut h,
                (BEGIN, at),
                &(a.by.tr_mul(&(skew(&(a.t + b.t)) * b.by)) * (-0.5 * c * factor)),
            );
            let mut closer = Gradient::zeros();
            put(&mut closer, BEGIN, &a.by.tr_mul(&b.t));
            put(&mut closer, at, &b.by.tr_mul(&a.t));
            add_products(&mut h, [BEGIN, at], &self.sweep(i, at), &closer, -0.5 * c * factor);
        }
        for (unit, (g, at)) in [begin, finish, here].into_iter().zip(bends.iter().zip([BEGIN, FINISH, HERE]))
        {
            add_block(&mut h, (at, at), &unit.second(g));
        }
        // g = −N/D beyond its gradient.
        let n = begin.t.dot(&self.k);
        let d = 1.0 + begin.t.dot(&here.t);
        let (mut by_n, mut by_d) = (pulled(&begin.t), Gradient::zeros());
        put(&mut by_n, BEGIN, &begin.by.tr_mul(&self.k));
        put(&mut by_d, BEGIN, &begin.by.tr_mul(&here.t));
        put(&mut by_d, HERE, &here.by.tr_mul(&begin.t));
        let steeper = by_n * (m.z / (d * d)) - by_d * (m.z * n / d.powi(3));
        add_products(&mut h, [BEGIN, HERE, BENT], &by_d, &steeper, 1.0);
        add_block(&mut h, (BEGIN, HERE), &(begin.by.tr_mul(&by_rho) * (-m.z / d)));
        add_block(&mut h, (BEGIN, BENT), &(begin.by.tr_mul(&by_bent) * (-m.z / d)));
        add_block(&mut h, (BEGIN, HERE), &(begin.by.tr_mul(&here.by) * (m.z * n / (d * d))));
        self.add_bend_second(&mut h, &(v + by_k * m.z));
        h
    }

    /// Adds the form of v·δ²k.
    fn add_bend_second(&self, h: &mut Form, v: &Vec3) {
        let [_, _, rho, bent] = &self.place.rho;
        let s = 1.0 / rho.norm_squared();
        let (a, b) = (bent.cross(v), v.cross(rho));
        let mut own = (rho * a.transpose() + a * rho.transpose()) * (-2.0 * s * s);
        let along = self.k.dot(v);
        own += (rho * rho.transpose() * (4.0 * s) - Mat3::identity()) * (2.0 * s * along);
        add_block(h, (HERE, HERE), &own);
        add_block(h, (HERE, BENT), &(-skew(v) * s - rho * b.transpose() * (2.0 * s * s)));
    }
}

/// How far a frame carried by shortest rotations from the first tangent of a pair to the second rolls when the pair
/// moves from `old` to `new`, each along a great circle: the area swept, rad.
pub(crate) fn swept(old: [Vec3; 2], new: [Vec3; 2]) -> f64 {
    let before = rotation::between(&old[1], &new[1]) * rotation::between(&old[0], &old[1]);
    let after = rotation::between(&new[0], &new[1]) * rotation::between(&old[0], &new[0]);
    let roll = before.conjugate() * after;
    let angle = 2.0 * roll.imag().dot(&old[0]).atan2(roll.w);
    angle - (angle / std::f64::consts::TAU).round() * std::f64::consts::TAU
}
