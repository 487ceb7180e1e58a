//! A rigid body that moves in space and turns in the x-z plane, its contacts, and a step in time.

use flexline::solver::cone::{
    BlockMatrix, ConeProblem, ConeSettings, ConeSolution, ConeStatus, ConeWorkspace, Delassus, solve,
};
use flexline::{Mat3, Vec3};

/// Velocity along x, y, z, and spin from x to z.
pub(super) type Velocity = [f64; 4];

/// A place where the body touches a surface with normal z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// From the middle of the body, along x and z.
    pub(super) lever: [f64; 2],
    /// Velocity of the surface.
    pub(super) surface: Vec3,
    pub(super) friction: f64,
}

impl Contact {
    /// A place without lever on a surface at rest.
    pub(super) fn at_rest(friction: f64) -> Self {
        Self { lever: [0.0; 2], surface: Vec3::zeros(), friction }
    }

    /// How the velocity of the place, normal first, follows from that of the body.
    fn rows(&self) -> [Velocity; 3] {
        let [x, z] = self.lever;
        [[0.0, 0.0, 1.0, x], [1.0, 0.0, 0.0, -z], [0.0, 1.0, 0.0, 0.0]]
    }
}

/// What the contacts did.
#[derive(Clone, Debug)]
pub(super) struct Collision {
    pub(super) velocity: Velocity,
    /// Impulses on the body along normal, x, y.
    pub(super) impulses: Vec<Vec3>,
    /// Relative velocities along the same.
    pub(super) motion: Vec<Vec3>,
}

/// A body by its inverse masses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    inverse: Velocity,
}

fn dot(a: &Velocity, b: &Velocity) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Body {
    /// A mass without extent, as much as it is along every axis.
    pub(super) fn along([x, y, z]: [f64; 3]) -> Self {
        Self { inverse: [1.0 / x, 1.0 / y, 1.0 / z, 0.0] }
    }

    /// A body with inertia about its middle.
    pub(super) fn new(mass: f64, inertia: f64) -> Self {
        Self { inverse: [1.0 / mass, 1.0 / mass, 1.0 / mass, 1.0 / inertia] }
    }

    /// Kinetic energy.
    pub(super) fn energy(&self, v: &Velocity) -> f64 {
        v.iter().zip(&self.inverse).filter(|(_, w)| **w > 0.0).map(|(v, w)| 0.5 * v * v / w).sum()
    }

    /// The velocity after contact, from the one that it would have without.
    pub(super) fn collide(&self, free: &Velocity, contacts: &[Contact]) -> Result<Collision, String> {
        let scaled = |row: &Velocity| -> Velocity { std::array::from_fn(|i| row[i] * self.inverse[i]) };
        let m = contacts.len();
        let blocks = (0..m * m).map(|place| {
            let (k, j) = (place / m, place % m);
            let (rows, columns) = (contacts[k].rows(), contacts[j].rows());
            (k, j, Mat3::from_fn(|a, b| dot(&rows[a], &scaled(&columns[b]))))
        });
        let blocks = BlockMatrix::from_blocks(m, blocks);
        let motion: Vec<Vec3> = contacts
            .iter()
            .map(|c| {
                let rows = c.rows();
                Vec3::from_fn(|a, _| dot(&rows[a], free)) - Vec3::new(c.surface.z, c.surface.x, c.surface.y)
            })
            .collect();
        let friction: Vec<f64> = contacts.iter().map(|c| c.friction).collect();
        let problem = ConeProblem { delassus: Delassus::Sparse(&blocks), free: &motion, friction: &friction };
        let mut solution = ConeSolution::default();
        let settings = ConeSettings { tolerance: 1e-13, ..ConeSettings::default() };
        solve(&problem, &mut solution, &mut ConeWorkspace::default(), &settings)
            .map_err(|e| e.to_string())?;
        if solution.status != ConeStatus::Converged {
            return Err(solution.status.to_string());
        }
        let mut velocity = *free;
        for (contact, r) in contacts.iter().zip(&solution.forces) {
            for (row, r) in contact.rows().iter().zip(r.iter()) {
                let row = scaled(row);
                velocity.iter_mut().zip(row).for_each(|(v, w)| *v += w * r);
            }
        }
        Ok(Collision { velocity, impulses: solution.forces, motion: solution.motion })
    }
}
