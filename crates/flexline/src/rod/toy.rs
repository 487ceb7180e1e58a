//! A toy rod model, for tests alone: what a new model needs of the trait `Rod`, and no more.
//!
//! Two rigid links of half the length, joined by a spring. Coordinates: x_0 and the frames q_a, q_b of the links; tangent
//! coordinates: displacement of x_0, rotations α, β of the frames in their own axes. The spring measures
//! m = 2 Im p, p = q̄_a q_b, and stores ½ m·K m / h with h half the length. Under the rotations p → exp(−α/2) p exp(β/2),
//!
//! ```text
//! δp = ½ (p β − α p)        δ²p = ¼ (α α p − 2 α p β + p β β)        quaternion products
//! ```

use super::{Entries, Rod, RodState, Station, StationJacobian, testing};
use crate::algebra::{Quat, Vec3, rotation};

struct LinkRod {
    length: f64,
    /// K1, K2, K3, N m².
    stiffness: Vec3,
}

fn frame(state: &RodState, link: usize) -> Quat {
    let c = &state.coordinates[3 + 4 * link..7 + 4 * link];
    Quat::new(c[0], c[1], c[2], c[3])
}

fn set_frame(state: &mut RodState, link: usize, q: &Quat) {
    state.coordinates[3 + 4 * link..7 + 4 * link].copy_from_slice(&[q.w, q.i, q.j, q.k]);
}

fn start(state: &RodState) -> Vec3 {
    Vec3::from_column_slice(&state.coordinates[..3])
}

/// The rotations of the two frames of a tangent coordinate, as quaternions without a real part.
fn rotations(index: usize) -> [Quat; 2] {
    let unit = Quat::from_imag(Vec3::ith(index % 3, 1.0));
    let zero = Quat::from_imag(Vec3::zeros());
    if index < 6 { [unit, zero] } else { [zero, unit] }
}

impl LinkRod {
    fn half(&self) -> f64 {
        0.5 * self.length
    }

    fn relative(state: &RodState) -> Quat {
        frame(state, 0).conjugate() * frame(state, 1)
    }

    /// K m / h.
    fn moment(&self, p: &Quat) -> Vec3 {
        self.stiffness.component_mul(&(2.0 * p.imag())) / self.half()
    }

    /// Change of m by a tangent coordinate.
    fn change(p: &Quat, index: usize) -> Vec3 {
        let [a, b] = rotations(index);
        (p * b - a * p).imag()
    }

    /// The second one by two of them, symmetric.
    fn second(p: &Quat, i: usize, j: usize) -> Vec3 {
        let ([a, b], [c, d]) = (rotations(i), rotations(j));
        let twice = |x: Quat, y: Quat| x * y + y * x;
        (0.25 * (twice(a, c) * p) - 0.5 * (a * p * d + c * p * b) + 0.25 * (p * twice(b, d))).imag()
    }

    /// The link at an arc length, and how far along it that is, m.
    fn link(&self, s: f64) -> (usize, f64) {
        let s = s.clamp(0.0, self.length);
        if s <= self.half() { (0, s) } else { (1, s - self.half()) }
    }
}

impl Rod for LinkRod {
    fn model(&self) -> &'static str {
        "two links"
    }
    fn length(&self) -> f64 {
        self.length
    }
    fn coordinate_count(&self) -> usize {
        11
    }
    fn tangent_count(&self) -> usize {
        9
    }
    fn state_from(&self, shape: &dyn Fn(f64) -> Station) -> RodState {
        let mut state = RodState { coordinates: vec![0.0; 11], twist: Vec::new() };
        state.coordinates[..3].copy_from_slice(shape(0.0).position.as_slice());
        for link in 0..2 {
            set_frame(&mut state, link, &shape((0.25 + 0.5 * link as f64) * self.length).frame);
        }
        state
    }
    fn rest_state(&self, start: &Station) -> RodState {
        self.state_from(&|s| Station {
            position: start.position + rotation::tangent(&start.frame) * s,
            frame: start.frame,
        })
    }

    fn energy(&self, state: &RodState) -> f64 {
        let p = Self::relative(state);
        0.5 * self.moment(&p).dot(&(2.0 * p.imag()))
    }
    fn add_gradient(&self, state: &RodState, out: &mut [f64]) {
        let p = Self::relative(state);
        (3..9).for_each(|i| out[i] += self.moment(&p).dot(&Self::change(&p, i)));
    }
    fn hessian(&self, state: &RodState, out: &mut Entries) {
        let p = Self::relative(state);
        for i in 3..9 {
            for j in 3..9 {
                let springs = self.stiffness.component_mul(&Self::change(&p, j)) / self.half();
                out(i, j, Self::change(&p, i).dot(&springs) + self.moment(&p).dot(&Self::second(&p, i, j)));
            }
        }
    }

    fn constraint_count(&self) -> usize {
        0
    }
    fn constraints(&self, _: &RodState, _: &mut [f64]) {}
    fn constraint_jacobian(&self, _: &RodState, _: &mut Entries) {}
    fn constraint_hessian(&self, _: &RodState, _: &[f64], _: &mut Entries) {}

    fn displace(&self, state: &mut RodState, step: &[f64]) {
        state.coordinates[..3].iter_mut().zip(step).for_each(|(x, d)| *x += d);
        for link in 0..2 {
            let turn = Vec3::from_column_slice(&step[3 + 3 * link..6 + 3 * link]);
            let q = rotation::displaced(&frame(state, link), &turn);
            set_frame(state, link, &q);
        }
    }
    fn project(&self, _: &mut RodState) {}

    fn station(&self, state: &RodState, s: f64) -> Station {
        let (link, along) = self.link(s);
        let q = frame(state, link);
        let before =
            if link == 0 { Vec3::zeros() } else { rotation::tangent(&frame(state, 0)) * self.half() };
        Station { position: start(state) + before + rotation::tangent(&q) * along, frame: q }
    }
    fn station_jacobian(&self, state: &RodState, s: f64) -> StationJacobian {
        let (last, along) = self.link(s);
        let mut columns: Vec<_> = (0..3).map(|i| (i, Vec3::ith(i, 1.0), Vec3::zeros())).collect();
        for link in 0..=last {
            let q = frame(state, link);
            let lever = rotation::tangent(&q) * if link == last { along } else { self.half() };
            for i in 0..3 {
                let turn = rotation::rotate(&q, &Vec3::ith(i, 1.0));
                let own = if link == last { turn } else { Vec3::zeros() };
                columns.push((3 + 3 * link + i, turn.cross(&lever), own));
            }
        }
        StationJacobian { columns }
    }
    fn strain(&self, state: &RodState, _: f64) -> Vec3 {
        2.0 * Self::relative(state).imag() / self.half()
    }
}

#[test]
fn a_new_model_needs_the_trait_and_passes_the_shared_suite() {
    let rod = LinkRod { length: 0.8, stiffness: Vec3::new(0.02, 0.03, 0.016) };
    let first =
        Station { position: Vec3::new(0.1, -0.2, 0.3), frame: rotation::exp(&Vec3::new(0.3, 1.0, -0.4)) };
    let mut state = rod.rest_state(&first);
    testing::run(&rod, &state);
    for seed in 20..24 {
        let step: Vec<f64> = testing::direction(&rod, seed).iter().map(|d| 0.6 * d).collect();
        rod.displace(&mut state, &step);
        testing::run(&rod, &state);
    }
}
