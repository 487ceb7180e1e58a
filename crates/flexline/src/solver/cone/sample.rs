//! Seeded problems for tests, experiments and benchmarks.

use super::{BlockMatrix, ConeProblem, Delassus};
use crate::algebra::{Mat3, Vec3};
use nalgebra::{DMatrix, DVector};

/// A seeded generator (PCG); the same sequence on every machine.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1405_7B7E_F767_814F));
        random.unit();
        random
    }

    /// From 0 up to 1.
    pub fn unit(&mut self) -> f64 {
        let old = self.0;
        self.0 = old.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32);
        f64::from(mixed) / (f64::from(u32::MAX) + 1.0)
    }

    /// From `a` up to `b`.
    pub fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.unit()
    }

    /// Components from −1 up to 1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::from_fn(|_, _| self.between(-1.0, 1.0))
    }

    /// A positive definite W of one contact; normal and tangents feel each other by `coupling`.
    pub fn compliance(&mut self, coupling: f64) -> Mat3 {
        let own = Mat3::from_diagonal(&Vec3::from_fn(|_, _| self.between(0.3, 1.5)));
        let j = own + Mat3::from_fn(|_, _| coupling * self.between(-1.0, 1.0));
        j * j.transpose()
    }
}

/// The data of a problem: W, q, µ.
#[derive(Clone, Debug)]
pub struct Sample {
    /// W by blocks.
    pub blocks: BlockMatrix,
    /// q.
    pub free: Vec<Vec3>,
    /// µ.
    pub friction: Vec<f64>,
}

impl Sample {
    /// The problem, with blocks.
    pub fn problem(&self) -> ConeProblem<'_> {
        ConeProblem { delassus: Delassus::Sparse(&self.blocks), free: &self.free, friction: &self.friction }
    }
}

/// W = J M⁻¹ Jᵀ and q = J v with J random of so many columns per contact: fewer than three make contacts redundant.
pub fn random(contacts: usize, columns_per_contact: f64, largest_friction: f64, seed: u64) -> Sample {
    let mut random = Random::new(seed);
    let columns = ((contacts as f64 * columns_per_contact).ceil() as usize).max(3);
    let mut j = DMatrix::from_fn(3 * contacts, columns, |_, _| 0.5 * random.between(-1.0, 1.0));
    // Every contact has a body of its own to push, as in mechanics.
    for k in 0..3 * contacts {
        j[(k, k % columns)] += 1.0;
    }
    let masses = DVector::from_fn(columns, |_, _| random.between(0.3, 3.0));
    let dense = &j * DMatrix::from_diagonal(&masses.map(f64::recip)) * j.transpose();
    // Bodies fly about, most of them into their contacts.
    let mut velocity = DVector::from_fn(columns, |_, _| random.between(-1.0, 1.0));
    for k in 0..contacts {
        velocity -= j.row(3 * k).transpose() * (1.0 / j.row(3 * k).norm_squared());
    }
    let free = &j * velocity;
    let friction = (0..contacts).map(|_| random.between(0.0, largest_friction)).collect();
    let free = (0..contacts).map(|k| free.fixed_rows::<3>(3 * k).into()).collect();
    Sample { blocks: blocks_of(&dense), free, friction }
}

/// A stretched chain of nodes pressed around a cylinder over `angle`, dragged along it and sideways: contacts that feel each
/// other strongly, as those of a cable. Nodes are joined by springs and bend, and A⁻¹ is whole.
pub fn wrapped(contacts: usize, angle: f64, friction: f64, seed: u64) -> Sample {
    let mut random = Random::new(seed);
    let mut stiffness = DMatrix::<f64>::zeros(3 * contacts, 3 * contacts);
    let mut add = |nodes: &[(usize, f64)], k: f64| {
        for &(i, a) in nodes {
            for &(j, b) in nodes {
                for axis in 0..3 {
                    stiffness[(3 * i + axis, 3 * j + axis)] += k * a * b;
                }
            }
        }
    };
    for i in 0..contacts {
        add(&[(i, 1.0)], 0.02);
        if i > 0 {
            add(&[(i - 1, 1.0), (i, -1.0)], random.between(0.8, 1.2) * contacts as f64);
        }
        if i > 1 {
            add(&[(i - 2, 1.0), (i - 1, -2.0), (i, 1.0)], 0.1 * contacts as f64);
        }
    }
    let mut jacobian = DMatrix::zeros(3 * contacts, 3 * contacts);
    let mut load = DVector::zeros(3 * contacts);
    for i in 0..contacts {
        let (s, c) = (angle * (i as f64 + 0.5) / contacts as f64).sin_cos();
        let axes = [Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0), Vec3::z()];
        for (row, axis) in axes.iter().enumerate() {
            jacobian.fixed_view_mut::<1, 3>(3 * i + row, 3 * i).copy_from(&axis.transpose());
        }
        let force = axes[0] * -random.between(0.5, 1.5)
            + axes[1] * (0.9 * random.between(0.0, 1.0))
            + axes[2] * (0.5 * random.between(-0.2, 1.0));
        load.fixed_rows_mut::<3>(3 * i).copy_from(&(force / contacts as f64));
    }
    let inverse = stiffness.try_inverse().expect("every node is held by a spring");
    let moved = &jacobian * (&inverse * load);
    let dense = &jacobian * inverse * jacobian.transpose();
    let dense = (&dense + dense.transpose()) * 0.5;
    let free = (0..contacts).map(|k| moved.fixed_rows::<3>(3 * k).into()).collect();
    Sample { blocks: blocks_of(&dense), free, friction: vec![friction; contacts] }
}

/// A heap of rigid balls of several sizes: each lies on three below it or on the floor, and has met a few beside it. Balls
/// fall by gravity and move at random; W is sparse.
pub fn pile(contacts: usize, friction: f64, seed: u64) -> Sample {
    let mut random = Random::new(seed);
    // (position, radius, mass) of balls, near enough to a packing that forces find ways down.
    let per_layer = ((contacts as f64 / 3.0).powf(2.0 / 3.0).round() as usize).max(1);
    let side = (per_layer as f64).sqrt().ceil() as usize;
    let mut blocks: Vec<(usize, Option<usize>, Vec3)> = Vec::new();
    let mut balls: Vec<(Vec3, f64)> = Vec::new();
    let mut layer = 0;
    while blocks.len() < contacts {
        for place in 0..side * side {
            let (x, y) = ((place % side) as f64, (place / side) as f64);
            let offset = 0.5 * f64::from(layer % 2);
            let wobble = random.vector() * 0.1;
            let at = Vec3::new(x + offset, y + offset, 0.7 * f64::from(layer)) + wobble;
            let own = balls.len();
            balls.push((at, random.between(0.5, 2.0)));
            if layer == 0 {
                blocks.push((own, None, Vec3::z()));
            } else {
                let below = own - side * side;
                let first = below - place;
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let shift = if layer % 2 == 1 { 1 } else { -1 };
                    let (px, py) = (x as isize + dx * shift, y as isize + dy * shift);
                    if px < 0 || py < 0 || px >= side as isize || py >= side as isize {
                        continue;
                    }
                    let other = first + py as usize * side + px as usize;
                    blocks.push((own, Some(other), (at - balls[other].0).normalize()));
                }
            }
            if blocks.len() >= contacts {
                break;
            }
        }
        layer += 1;
    }
    blocks.truncate(contacts);
    let bodies: Vec<Ball> = balls
        .iter()
        .map(|&(_, mass)| Ball {
            mass,
            radius: 0.5,
            velocity: Vec3::new(0.0, 0.0, -0.1) + random.vector() * 0.02,
        })
        .collect();
    assemble(&bodies, &blocks, friction)
}

/// A ball of a heap, before contact: mass, radius, velocity.
struct Ball {
    mass: f64,
    radius: f64,
    velocity: Vec3,
}

/// W and q of contacts (ball, ball below or the floor, normal towards the first).
fn assemble(balls: &[Ball], contacts: &[(usize, Option<usize>, Vec3)], friction: f64) -> Sample {
    // How the motion at a contact follows from velocity and spin of a ball: [sign Eᵀ, sign Eᵀ [−lever]×].
    let mut at_ball: Vec<Vec<(usize, Mat3, Mat3)>> = vec![Vec::new(); balls.len()];
    let mut free = Vec::with_capacity(contacts.len());
    for (k, (above, below, normal)) in contacts.iter().enumerate() {
        let across = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
        let first = normal.cross(&across).normalize();
        let axes = Mat3::from_columns(&[*normal, first, normal.cross(&first)]).transpose();
        let mut q = axes * balls[*above].velocity;
        let lever = normal * -balls[*above].radius;
        at_ball[*above].push((k, axes, axes * -lever.cross_matrix()));
        if let Some(below) = below {
            q -= axes * balls[*below].velocity;
            let lever = normal * balls[*below].radius;
            at_ball[*below].push((k, -axes, axes * lever.cross_matrix()));
        }
        free.push(q);
    }
    let mut blocks = Vec::new();
    for (ball, touching) in balls.iter().zip(&at_ball) {
        let inertia = 0.4 * ball.mass * ball.radius * ball.radius;
        for (k, move_k, turn_k) in touching {
            for (j, move_j, turn_j) in touching {
                let w = move_k * move_j.transpose() / ball.mass + turn_k * turn_j.transpose() / inertia;
                blocks.push((*k, *j, w));
            }
        }
    }
    let m = contacts.len();
    Sample { blocks: BlockMatrix::from_blocks(m, blocks), free, friction: vec![friction; m] }
}

/// Blocks of a whole matrix that are not zero.
fn blocks_of(dense: &DMatrix<f64>) -> BlockMatrix {
    let contacts = dense.nrows() / 3;
    let all = (0..contacts * contacts).map(|place| {
        let (k, j) = (place / contacts, place % contacts);
        (k, j, Mat3::from(dense.fixed_view::<3, 3>(3 * k, 3 * j)))
    });
    BlockMatrix::from_blocks(contacts, all.filter(|(_, _, block)| block.amax() > 0.0))
}
