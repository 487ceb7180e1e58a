//! From problems and states to columns of numbers and back.
//!
//! The numbers of cable k stand at [row · count + k]: what neighbouring threads read lies side by side. `chain.cu` names the
//! rows.

use flexline::prelude::*;
use flexline::rod::RodState;
use flexline::rod::mixed::Strain;
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// Rows of a rod per vertex: length of the segment behind it, rest (3), springs (3), mass of the node at the end of that segment.
const ROD_ROWS: usize = 8;

/// Why a batch cannot be made, or led.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// There is none.
    #[error("a batch without cables: expected one at least")]
    Empty,
    /// Something that the kernel does not know.
    #[error("cable {cable}: {what}; {remedy}")]
    Unsupported {
        /// Its place in the batch.
        cable: usize,
        /// What it has.
        what: &'static str,
        /// What can be done.
        remedy: &'static str,
    },
    /// Cables of different sizes.
    #[error(
        "cable {cable} has {segments} segments, the first has {first}: a batch is of one size, make one for each"
    )]
    Sizes {
        /// Its place in the batch.
        cable: usize,
        /// Its segments.
        segments: usize,
        /// Those of the first.
        first: usize,
    },
    /// Lists that do not belong together.
    #[error("{given} {what} for {expected} cables: expected one for each")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many were given.
        given: usize,
        /// How many there are.
        expected: usize,
    },
    /// The problem itself is wrong.
    #[error("cable {cable}: {problem}")]
    Problem {
        /// Its place in the batch.
        cable: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A state that belongs to another rod, or is not made of numbers.
    #[error(
        "cable {cable}: its state is not of a rod of {segments} segments between two clamps, or not finite"
    )]
    State {
        /// Its place in the batch.
        cable: usize,
        /// Segments of the batch.
        segments: usize,
    },
    /// An end that turns too far for its full turns to be known.
    #[error("cable {cable}: an end turns by {:.0}° at once: expected at most 90°, lead it in smaller steps", angle.to_degrees())]
    Turn {
        /// Its place in the batch.
        cable: usize,
        /// By how much, rad.
        angle: f64,
    },
}

/// States in columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Frames, 4 (n + 2) rows.
    pub frames: Vec<f64>,
    /// Twist of every vertex, n + 1 rows.
    pub twists: Vec<f64>,
    /// Force in the last segment, 3 rows, N, world.
    pub forces: Vec<f64>,
}

/// Cables of one size, clamped at both ends, that bear their weight.
#[derive(Clone, Debug)]
pub struct Batch {
    segments: usize,
    count: usize,
    rods: Vec<f64>,
    gravity: Vec<f64>,
    /// The weight of the last node, which its support bears alone, N.
    last_weights: Vec<Vec3>,
    lengths: Vec<Vec<f64>>,
}

/// What of a problem the kernel does not know.
fn unsupported(problem: &Problem) -> Option<(&'static str, &'static str)> {
    const ENGINE: &str = "solve it with `statics::solve`";
    let Some(rod) = problem.rod.as_mixed() else {
        return Some(("its model is no chain", "a batch takes model \"mixed\""));
    };
    let clamped = |end: &End| end.holds_position() && end.orientation.is_some();
    if rod.strain_kind() != Strain::Mixed {
        Some(("its model is the nodal rod", "a batch takes model \"mixed\""))
    } else if problem.closed {
        Some(("it is a ring", ENGINE))
    } else if !problem.ends.iter().all(clamped) {
        Some(("an end is not clamped", ENGINE))
    } else if !problem.point_loads.is_empty() || !problem.distributed_loads.is_empty() {
        Some(("it has loads besides its weight", ENGINE))
    } else if !problem.poles.is_empty() {
        Some(("it has poles", ENGINE))
    } else {
        None
    }
}

/// Refuses what is no problem, or not one for the kernel.
fn check(cable: usize, problem: &Problem) -> Result<&MixedRod, BatchError> {
    problem.check().map_err(|error| BatchError::Problem { cable, problem: error.to_string() })?;
    match (unsupported(problem), problem.rod.as_mixed()) {
        (None, Some(rod)) => Ok(rod),
        (Some((what, remedy)), _) => Err(BatchError::Unsupported { cable, what, remedy }),
        (None, None) => Err(BatchError::Unsupported { cable, what: "its model is no chain", remedy: "" }),
    }
}

/// The frame that an end is led to.
fn led(cable: usize, from: &End, to: &End) -> Result<Quat, BatchError> {
    let (Some(old), Some(new), true) = (from.frame(), to.frame(), to.holds_position()) else {
        let (what, remedy) = ("an end is not clamped", "solve it with `statics::solve`");
        return Err(BatchError::Unsupported { cable, what, remedy });
    };
    // Written so that what is no number is refused.
    if !(to.position.iter().all(|c| c.is_finite()) && (new.norm() - 1.0).abs() <= 1e-6) {
        let problem =
            "an end has a position that is not finite, or a quaternion that is no rotation".to_owned();
        return Err(BatchError::Problem { cable, problem });
    }
    // A full turn more looks like none: what the frames say is not all.
    let angle = rotation::log(&(old.conjugate() * new)).norm().max((to.twist - from.twist).abs());
    if angle > FRAC_PI_2 { Err(BatchError::Turn { cable, angle }) } else { Ok(new) }
}

impl Batch {
    /// Reads the problems; names the first that a batch cannot have.
    pub fn new(problems: &[Problem]) -> Result<Self, BatchError> {
        let first = problems.first().ok_or(BatchError::Empty)?;
        let (n, count) = (check(0, first)?.segments(), problems.len());
        let mut rods = vec![0.0; ROD_ROWS * (n + 1) * count];
        let mut gravity = vec![0.0; 3 * count];
        let (mut last_weights, mut lengths) = (Vec::new(), Vec::new());
        for (k, problem) in problems.iter().enumerate() {
            let rod = check(k, problem)?;
            if rod.segments() != n {
                return Err(BatchError::Sizes { cable: k, segments: rod.segments(), first: n });
            }
            let mut put = |row: usize, value: f64| rods[row * count + k] = value;
            for j in 0..=n {
                let row = ROD_ROWS * j;
                if j < n {
                    put(row, rod.segment_lengths()[j]);
                    put(row + 7, rod.node_masses()[j + 1]);
                }
                for axis in 0..3 {
                    put(row + 1 + axis, rod.vertex_rests()[j][axis]);
                    put(row + 4 + axis, rod.vertex_springs()[j][axis]);
                }
            }
            for axis in 0..3 {
                gravity[axis * count + k] = problem.gravity[axis];
            }
            last_weights.push(problem.gravity * rod.node_masses()[n]);
            lengths.push(rod.segment_lengths().to_vec());
        }
        Ok(Self { segments: n, count, rods, gravity, last_weights, lengths })
    }

    /// Segments of each.
    pub fn segments(&self) -> usize {
        self.segments
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Columns of the rods: what `solve_chains` calls `rods`.
    pub fn rods(&self) -> &[f64] {
        &self.rods
    }

    /// Columns of gravity.
    pub fn gravity(&self) -> &[f64] {
        &self.gravity
    }

    /// Position and frame of both ends of every cable in columns of 14 rows, where all can be led there from what they were.
    pub fn end_columns(&self, from: &[[End; 2]], to: &[[End; 2]]) -> Result<Vec<f64>, BatchError> {
        let count = self.count;
        for given in [from.len(), to.len()] {
            if given != count {
                return Err(BatchError::Count { what: "pairs of ends", given, expected: count });
            }
        }
        let one = |cable: usize| -> Result<[f64; 14], BatchError> {
            let mut rows = [0.0; 14];
            for (own, (old, new)) in rows.chunks_exact_mut(7).zip(from[cable].iter().zip(&to[cable])) {
                let (x, frame) = (new.position, led(cable, old, new)?);
                own.copy_from_slice(&[x.x, x.y, x.z, frame.w, frame.i, frame.j, frame.k]);
            }
            Ok(rows)
        };
        let rows = (0..count).into_par_iter().map(one).collect::<Result<Vec<_>, _>>()?;
        let mut columns = vec![0.0; 14 * count];
        columns.par_chunks_mut(count).enumerate().for_each(|(row, column)| {
            column.iter_mut().zip(&rows).for_each(|(to, from)| *to = from[row]);
        });
        Ok(columns)
    }

    /// The states in columns.
    pub fn columns(&self, states: &[State]) -> Result<Columns, BatchError> {
        let (n, count) = (self.segments, self.count);
        if states.len() != count {
            return Err(BatchError::Count { what: "states", given: states.len(), expected: count });
        }
        let mut columns = Columns {
            frames: vec![0.0; 4 * (n + 2) * count],
            twists: vec![0.0; (n + 1) * count],
            forces: vec![0.0; 3 * count],
        };
        for (k, state) in states.iter().enumerate() {
            let own = &state.rod;
            let numbers = own.coordinates.iter().chain(&own.twist).chain(&state.end_force);
            let sized = own.coordinates.len() == 7 * (n + 1) + 4 && own.twist.len() == n + 1;
            if !sized || !numbers.into_iter().all(|c| c.is_finite()) {
                return Err(BatchError::State { cable: k, segments: n });
            }
            for j in 0..n + 2 {
                for axis in 0..4 {
                    columns.frames[(4 * j + axis) * count + k] = own.coordinates[7 * j + axis];
                }
            }
            for (j, twist) in own.twist.iter().enumerate() {
                columns.twists[j * count + k] = *twist;
            }
            let force = state.end_force + self.last_weights[k];
            for axis in 0..3 {
                columns.forces[axis * count + k] = force[axis];
            }
        }
        Ok(columns)
    }

    /// States from columns; `ends` of a cable are those that its state belongs to.
    pub fn states(&self, columns: &Columns, ends: &[[End; 2]]) -> Vec<State> {
        let (n, count) = (self.segments, self.count);
        (0..count)
            .map(|k| {
                let at = |rows: &[f64], row: usize| rows[row * count + k];
                let mut coordinates = vec![0.0; 7 * (n + 1) + 4];
                let mut x = ends[k][0].position;
                for j in 0..n + 2 {
                    let q: [f64; 4] = std::array::from_fn(|axis| at(&columns.frames, 4 * j + axis));
                    coordinates[7 * j..7 * j + 4].copy_from_slice(&q);
                    if j <= n {
                        // Node j ends the segment of frame j.
                        if j > 0 {
                            x += rotation::tangent(&Quat::new(q[0], q[1], q[2], q[3]))
                                * self.lengths[k][j - 1];
                        }
                        coordinates[7 * j + 4..7 * j + 7].copy_from_slice(x.as_slice());
                    }
                }
                let twist = (0..=n).map(|j| at(&columns.twists, j)).collect();
                let mut state = State::new(RodState { coordinates, twist }, ends[k]);
                let force = Vec3::new(at(&columns.forces, 0), at(&columns.forces, 1), at(&columns.forces, 2));
                state.end_force = force - self.last_weights[k];
                state
            })
            .collect()
    }
}
