//! The report of a solve and the profile along the arc length.

use super::ChainWorkspace;
use super::system::System;
use crate::algebra::{Vec3, rotation};
use crate::rod::Rod;
use crate::solver::problem::{Problem, State};
use crate::solver::profile::{Profile, Sample};
use crate::solver::report::{Energies, Report, Status, Wrench};

/// The report at the state of the last evaluation.
pub(super) fn report(problem: &Problem, state: &State, ws: &ChainWorkspace, status: Status) -> Report {
    let system = &ws.system;
    let norms = system.norms(problem);
    let rod = problem.chain();
    let n = rod.segments();
    let (bending, torsion) = system.elastic_energies(problem);
    let gravity: f64 =
        -(0..=n).map(|j| rod.mass[j] * problem.gravity.dot(&rod.position(&state.rod, j))).sum::<f64>();
    let mut segment_error = 0.0f64;
    for i in 0..n {
        let l = rod.lengths[i];
        let c = rod.position(&state.rod, i + 1)
            - rod.position(&state.rod, i)
            - l * rotation::tangent(&rod.frame(&state.rod, i + 1));
        segment_error = segment_error.max(c.norm() / l);
    }
    let turned = |k: usize, j: usize| {
        problem.ends[k].frame().map_or(0.0, |q| rotation::angle_between(&q, &rod.frame(&state.rod, j)))
    };
    let rotation_violation = if problem.closed { turned(0, 0) } else { turned(0, 0).max(turned(1, n + 1)) };
    Report {
        status,
        iterations: ws.iterations,
        factorisations: ws.factorisations,
        steps: ws.steps,
        residual_force: norms.force,
        residual_moment: norms.moment,
        largest_force: norms.largest_force,
        position_violation: norms.gap,
        rotation_violation,
        segment_error,
        energies: Energies {
            bending,
            torsion,
            gravity,
            loads: system.loads.potential(rod, &state.rod, &system.loaded) - gravity,
        },
        supports: supports(problem, state, system),
        stability: None,
        missing_length: None,
        segments_needed: None,
    }
}

/// The report of a solve that did not converge: what the last good state is worth.
pub(super) fn failure(
    problem: &Problem,
    state: &mut State,
    ws: &mut ChainWorkspace,
    status: Status,
    missing: Option<f64>,
) -> Report {
    // Judged against the ends the state belongs to.
    let here = Problem { ends: state.ends, ..problem.clone() };
    ws.system.read_loads(&here);
    ws.system.evaluate(&here, state);
    let mut report = report(&here, state, ws, status);
    report.missing_length = missing;
    ws.tangent_valid = false;
    report
}

fn supports(problem: &Problem, state: &State, system: &System) -> [Wrench; 2] {
    let n = problem.chain().segments();
    let held = System::held(problem);
    let first_force =
        Vec3::from_fn(|i, _| if held.first_position[i] { system.residual.x[0][i] } else { 0.0 });
    let moment = |j: usize, is_held: bool| {
        if is_held { system.rotations[j] * system.residual.f[j] } else { Vec3::zeros() }
    };
    if problem.closed {
        // The seam is one place: what holds it carries both sides together.
        let seam = if problem.ends[0].orientation.is_some() { system.seam_residual() } else { Vec3::zeros() };
        let both = Wrench { force: first_force + state.end_force, moment: seam };
        return [both, Wrench::default()];
    }
    [
        Wrench { force: first_force, moment: moment(0, held.first_frame) },
        Wrench { force: state.end_force, moment: moment(n + 1, held.last_frame) },
    ]
}

/// The solution at every node.
pub(super) fn profile(problem: &Problem, state: &State, system: &System) -> Profile {
    let rod = problem.chain();
    let n = rod.segments();
    let [first, last] = system.loads.spread_at_ends();
    let samples = rod
        .mesh()
        .nodes()
        .iter()
        .enumerate()
        .map(|(j, &s)| {
            // Weight is spread over the dual cell: at the node half of it is passed. A force at
            // the very end lies beyond the last sample.
            let force = match j {
                0 => system.internal[0] + first,
                j if j == n => system.internal[n - 1] - last,
                j => (system.internal[j - 1] + system.internal[j]) * 0.5,
            };
            let station = rod.station(&state.rod, s);
            Sample {
                s,
                position: station.position,
                frame: station.frame,
                strain: rod.node_strain(&state.rod, j),
                moment: rod.node_moment(&state.rod, j),
                force,
                radius: rod.radius[j],
            }
        })
        .collect();
    Profile { samples }
}
