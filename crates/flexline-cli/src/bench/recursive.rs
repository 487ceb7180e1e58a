//! The recursive elimination of a super-helix beside the composite one.
//!
//! A strand that is held at its start hangs and is blown aside. Three costs are measured: one evaluation,
//! factorisation and solve of the Newton system at its equilibrium, a fully implicit step of 10 ms in wind, and
//! the semi-implicit step of the papers. All are done with the recursion from end to start and, up to [`LARGEST_COMPOSITE`] elements, with one dense
//! matrix over all coordinates, in turns. Evaluating forms and forces costs the same either way, so the
//! ratios are of the whole, not of the elimination alone. The least of many times counts: whatever else the
//! machine does only adds, and it interrupts long measurements more often than short ones.

use super::{Bench, Line, milliseconds, networks};
use crate::output::{Table, print};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::Pose;
use flexline::solver::Status;
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span, factorise_and_solve_once,
    solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::strands::{StrandMotion, StrandSettings, StrandWorkspace};
use serde::Serialize;
use std::hint::black_box;

/// Elements that are measured.
pub(super) const ELEMENTS: [usize; 7] = [10, 20, 60, 125, 250, 500, 1000];
/// Beyond this many elements a dense matrix says nothing new.
const LARGEST_COMPOSITE: usize = 60;
const STEPS: usize = 16;

/// Costs of the recursion, and those of the composite matrix, in milliseconds.
#[derive(Serialize)]
pub(super) struct Costs {
    /// One evaluation, factorisation and solve.
    solve_ms: f64,
    /// One step of 10 ms, fully implicit.
    step_ms: f64,
    /// One step of 10 ms, semi-implicit.
    semi_implicit_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    composite_solve_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    composite_step_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    composite_semi_implicit_ms: Option<f64>,
}

/// A curly strand of 30 cm that is held at its start, with the stiffness of a twig.
fn strand(elements: usize) -> Result<Network, String> {
    let section = Section::measured(2e-4, 2e-4, 1.6e-4, 0.005, 0.001).map_err(|e| e.to_string())?;
    let rest = |_: f64| Vec3::new(6.0, 0.0, 2.0);
    let rod = CurvatureRod::new(Basis::Helix, 0.3, elements, &SectionProfile::uniform(section), &rest)
        .map_err(|e| e.to_string())?;
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::y()) };
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors.push(Anchor::fixed(pose));
    network.spans.push(Span::new(rod, Attachment::clamped(0), None));
    Ok(network)
}

/// Least times of one solve and of one step, for every workspace, measured in turns.
fn costs(network: &Network, workspaces: &mut [NetworkWorkspace]) -> Result<Vec<[f64; 2]>, String> {
    let settings = MotionSettings {
        drag: 0.01,
        wind: Vec3::new(0.0, 2.0, 0.0),
        ..MotionSettings::new(0.01, Integrator::Bdf2)
    };
    let mut hanging = NetworkState::initial(network);
    networks::converged(solve_network(network, &mut hanging, &mut workspaces[0], &Settings::interactive()))?;
    let count = workspaces.len();
    let (mut solves, mut steps) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    let mut motions = vec![Motion::at_rest(network, hanging.clone()); count];
    for _ in 0..STEPS {
        for (k, ws) in workspaces.iter_mut().enumerate() {
            for _ in 0..4 {
                let mut sink = 0.0;
                let once = milliseconds(|| {
                    sink = black_box(factorise_and_solve_once(network, &mut hanging, ws));
                });
                if sink.is_nan() {
                    return Err("the strand's matrix does not factorise".into());
                }
                solves[k].push(once);
            }
            let mut outcome = Err(String::new());
            steps[k].push(milliseconds(|| {
                outcome =
                    networks::converged(motions[k].step(network, ws, &settings, &Settings::interactive()));
            }));
            outcome?;
        }
    }
    Ok(solves.iter().zip(&steps).map(|(a, b)| [least(a), least(b)]).collect())
}

/// Semi-implicit steps that are measured.
const SEMI_IMPLICIT_STEPS: usize = 100;

/// Least time of a semi-implicit step, by recursion and with a dense matrix, measured in turns.
fn semi_implicit_costs(network: &Network, with_composite: bool) -> Result<[Option<f64>; 2], String> {
    let recursive = StrandWorkspace::new(network).map_err(|e| e.to_string())?;
    let composite = StrandWorkspace::composite(network).map_err(|e| e.to_string());
    let composite = if with_composite { Some(composite?) } else { None };
    let settings = StrandSettings { drag: 0.01, wind: Vec3::new(0.0, 2.0, 0.0), ..StrandSettings::new(0.01) };
    let hanging = StrandMotion::at_rest(network, NetworkState::initial(network));
    let mut ways = [Some(recursive), composite].map(|ws| ws.map(|ws| (ws, hanging.clone(), Vec::new())));
    for _ in 0..SEMI_IMPLICIT_STEPS {
        for (ws, motion, times) in ways.iter_mut().flatten() {
            let mut outcome = Ok(Status::Converged);
            times.push(milliseconds(|| outcome = motion.step(network, ws, &settings)));
            if outcome.map_err(|e| e.to_string())? != Status::Converged {
                return Err("the strand does not step semi-implicitly".into());
            }
        }
    }
    Ok(ways.map(|way| way.map(|(_, _, times)| least(&times))))
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

pub(super) fn run(_: &Bench, n: usize) -> Result<Line, String> {
    let network = strand(n)?;
    let mut workspaces = vec![NetworkWorkspace::new(&network)];
    if n <= LARGEST_COMPOSITE {
        workspaces.push(NetworkWorkspace::composite(&network));
    }
    let costs = costs(&network, &mut workspaces)?;
    let composite = costs.get(1);
    let [solve_ms, step_ms] = costs[0];
    let [semi_implicit_ms, composite_semi_implicit_ms] =
        semi_implicit_costs(&network, n <= LARGEST_COMPOSITE)?;
    let semi_implicit_ms = semi_implicit_ms.unwrap_or(f64::NAN);
    Ok(Line {
        name: "recursive",
        n,
        median_ms: solve_ms,
        iterations: 1.0,
        floor_ratio: 1.0,
        recursive: Some(Costs {
            solve_ms,
            step_ms,
            semi_implicit_ms,
            composite_semi_implicit_ms,
            composite_solve_ms: composite.map(|c| c[0]),
            composite_step_ms: composite.map(|c| c[1]),
        }),
        ..Line::default()
    })
}

/// Prints the lines of this benchmark, if it was run.
pub(super) fn print_table(lines: &[Line]) {
    let own: Vec<(&Line, &Costs)> = lines.iter().filter_map(|l| Some((l, l.recursive.as_ref()?))).collect();
    if own.is_empty() {
        return;
    }
    let mut table = Table::new(&[
        "elements",
        "solve ms",
        "composite",
        "ratio",
        "implicit step ms",
        "composite",
        "ratio",
        "semi-implicit step ms",
        "composite",
        "ratio",
    ]);
    let beside = |own: f64, other: Option<f64>| {
        let text = |of: &dyn Fn(f64) -> String| other.map_or_else(String::new, of);
        [format!("{own:.4}"), text(&|c| format!("{c:.4}")), text(&|c| format!("× {:.1}", c / own))]
    };
    for (line, costs) in own {
        let mut row = vec![line.n.to_string()];
        row.extend(beside(costs.solve_ms, costs.composite_solve_ms));
        row.extend(beside(costs.step_ms, costs.composite_step_ms));
        row.extend(beside(costs.semi_implicit_ms, costs.composite_semi_implicit_ms));
        table.row(&row);
    }
    table.print();
    print(
        "\nsolve: one evaluation, factorisation and solve; steps: 10 ms in wind; one strand of helices, least of many times\n",
    );
    let semi_implicit = |l: &Line| l.recursive.as_ref().map_or(f64::NAN, |c| c.semi_implicit_ms);
    let with_costs = lines.iter().filter(|l| l.recursive.is_some());
    if let Some(e) = super::exponent(with_costs, semi_implicit) {
        print(&format!("semi-implicit step: cost grows as n^{e:.2} from n = 50 on\n"));
    }
}
