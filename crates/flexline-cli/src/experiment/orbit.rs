//! A block on a table, led by a force of constant size that turns at a constant rate. Friction has no preferred direction, so
//! once it has settled the block runs in a circle at constant speed; on a pyramid it does not.
//!
//! Friction is opposite to the velocity and the acceleration ω v at right angles to it, so F² = (m ω v)² + (µ m g)².

use crate::output::{Table, print};
use flexline::solver::cone::{
    BlockMatrix, ConeError, ConeMethod, ConeProblem, ConeSettings, ConeSolution, ConeWorkspace, Delassus,
    solve,
};
use flexline::{Mat3, Vec3};
use flexline_plot::{Axis, Chart, Series};
use serde::Serialize;
use std::f64::consts::TAU;

/// Weight and mass 1, friction, force, rate of turning.
const FRICTION: f64 = 0.5;
const FORCE: f64 = 0.6;
const RATE: f64 = 1.0;
/// Steps per turn, and turns until it has settled.
const STEPS: usize = 1440;
const TURNS: usize = 12;

/// The settled motion with one kind of cone.
#[derive(Serialize)]
pub struct Orbit {
    cone: &'static str,
    /// Least and largest speed over that of the circle.
    slowest: f64,
    fastest: f64,
    /// Mean speed over that of the circle.
    mean: f64,
    #[serde(skip)]
    speeds: Vec<f64>,
}

/// The cone and two pyramids.
pub fn all() -> Result<Vec<Orbit>, ConeError> {
    let kinds = [
        ("cone", ConeMethod::GaussSeidel),
        ("pyramid of 4", ConeMethod::Pyramid(4)),
        ("pyramid of 16", ConeMethod::Pyramid(16)),
    ];
    kinds.into_iter().map(|(cone, method)| settled(cone, method, STEPS)).collect()
}

/// The last of the turns, in so many steps each.
fn settled(cone: &'static str, method: ConeMethod, steps: usize) -> Result<Orbit, ConeError> {
    let exact = (FORCE * FORCE - FRICTION * FRICTION).sqrt() / RATE;
    let step = TAU / RATE / steps as f64;
    let blocks = BlockMatrix::from_blocks(1, [(0, 0, Mat3::identity())]);
    let (mut solution, mut workspace) = (ConeSolution::default(), ConeWorkspace::default());
    let settings = ConeSettings { method, tolerance: 1e-12, ..ConeSettings::default() };
    // Normal first: the table carries the weight.
    let mut velocity = Vec3::zeros();
    let mut speeds = Vec::with_capacity(steps);
    for k in 0..TURNS * steps {
        let (s, c) = (RATE * step * (k as f64 + 0.5)).sin_cos();
        let free = [velocity + Vec3::new(-1.0, FORCE * c, FORCE * s) * step];
        let problem = ConeProblem { delassus: Delassus::Sparse(&blocks), free: &free, friction: &[FRICTION] };
        solve(&problem, &mut solution, &mut workspace, &settings)?;
        velocity = solution.motion[0];
        if k >= (TURNS - 1) * steps {
            speeds.push(velocity.y.hypot(velocity.z) / exact);
        }
    }
    Ok(Orbit {
        cone,
        slowest: speeds.iter().copied().fold(f64::INFINITY, f64::min),
        fastest: speeds.iter().copied().fold(0.0, f64::max),
        mean: speeds.iter().sum::<f64>() / speeds.len() as f64,
        speeds,
    })
}

/// Prints what became of the circle.
pub fn report(orbits: &[Orbit]) {
    print(&format!(
        "\na block led around by a turning force, {FORCE} of its weight, friction {FRICTION}: speed over that of the circle\n"
    ));
    let mut table = Table::new(&["friction", "slowest", "fastest", "mean"]);
    for o in orbits {
        let number = |v: f64| format!("{v:.4}");
        table.row(&[o.cone.to_string(), number(o.slowest), number(o.fastest), number(o.mean)]);
    }
    table.print();
}

/// Speeds over the direction of the force.
pub fn chart(orbits: &[Orbit]) -> Chart {
    let series = orbits.iter().map(|o| {
        let angle = |k: usize| 360.0 * k as f64 / o.speeds.len() as f64;
        Series::new(o.cone, o.speeds.iter().enumerate().map(|(k, v)| [angle(k), *v]).collect())
    });
    Chart {
        title: "A block led around in a circle: friction has no preferred direction".into(),
        x: Axis::linear("direction of the force, degrees"),
        y: Axis::linear("speed over that of the circle"),
        series: series.collect(),
        ..Chart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cone_leads_to_the_circle_and_the_pyramid_does_not() {
        let cone = |steps| settled("cone", ConeMethod::GaussSeidel, steps).unwrap();
        let (coarse, fine) = (cone(720), cone(1440));
        // At constant speed, whatever the step; with an error of the speed that falls with it.
        assert!(coarse.fastest - coarse.slowest < 1e-6 && fine.fastest - fine.slowest < 1e-6);
        let ratio = (1.0 - coarse.mean) / (1.0 - fine.mean);
        assert!((ratio - 2.0).abs() < 0.1 && (1.0 - fine.mean).abs() < 5e-3, "{ratio} {}", fine.mean);
        let uneven = |facets| {
            let orbit = settled("pyramid", ConeMethod::Pyramid(facets), 1440).unwrap();
            orbit.fastest - orbit.slowest
        };
        assert!(uneven(4) > 0.1 && uneven(16) > 1e-3 && uneven(16) < 0.02);
    }
}
