//! How every cable of a batch ended.

use flexline::prelude::{Settings, Status};

/// What to solve to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Largest unbalanced moment of a frame, as a share of the largest moment present and of the largest force times the
    /// length. Default: that of [`Settings`] for forces.
    pub force: f64,
    /// Largest distance of the far end from its place, as a share of the length. Default: that of
    /// [`Settings::interactive`].
    pub position: f64,
    /// Newton steps before a cable is given up. Default 16.
    pub most: u32,
    /// Most that a frame turns in one step, rad. Default 0.5.
    pub turn: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        let own = Settings::interactive();
        Self { force: own.force_tolerance, position: own.position_tolerance, most: 16, turn: 0.5 }
    }
}

/// How one cable ended. The proof is of its last trial: of the state that it has where it is settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Whether it was found, or why not: then the state is what it was before.
    pub status: Status,
    /// Newton steps.
    pub iterations: u32,
    /// Directions that release energy: 0 of a minimum. `None` where nothing was found.
    pub unstable: Option<u32>,
    /// Largest unbalanced moment of a frame, N m.
    pub unbalanced: f64,
    /// Largest moment in the cable, N m.
    pub moment: f64,
    /// Distance of the far end from its place, m, along the worst axis.
    pub off: f64,
}

impl Outcome {
    /// Reads what the kernel wrote of a cable: the numbers of its status stand at the head of `solve_chains`.
    pub fn from_kernel(status: i32, iterations: i32, negative: i32, proof: [f64; 3]) -> Self {
        let status = match status {
            0 => Status::Converged,
            1 => Status::IterationLimit,
            _ => Status::NumericalFailure,
        };
        let settled = status == Status::Converged;
        let [unbalanced, moment, off] = proof;
        Self {
            status,
            iterations: iterations.max(0).unsigned_abs(),
            // Fewer than none cannot be, but for a far end that cannot move at all: nothing is known then.
            unstable: u32::try_from(negative).ok().filter(|_| settled),
            unbalanced,
            moment,
            off,
        }
    }

    /// Whether an equilibrium was found.
    pub fn is_settled(&self) -> bool {
        self.status == Status::Converged
    }
}
