//! The rod models side by side: one rod in each of them, what it has of unknowns, how far it is off.

use crate::failure::Failure;
use flexline::Vec3;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::{AnyRod, Rod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, solve};
use flexline::solver::{Problem, State, Status};
use serde::Serialize;

/// A rod model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Darboux vector linear on elements.
    Clothoid,
    /// Darboux vector constant on elements.
    Helix,
    /// Nodes and edge angles.
    Nodal,
    /// Nodes and frames of segments.
    Mixed,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Clothoid, Self::Helix, Self::Nodal, Self::Mixed];

    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clothoid => "clothoid",
            Self::Helix => "helix",
            Self::Nodal => "nodal",
            Self::Mixed => "mixed",
        }
    }

    /// `what` in this model, with `n` elements or segments.
    pub fn rod(self, what: &Strand, n: usize) -> Result<AnyRod, Failure> {
        let wrong = |e: &dyn std::fmt::Display| Failure::Input(e.to_string());
        let section = what.section()?;
        let rest = |_: f64| what.rest;
        let curvature = |basis: Basis| -> Result<AnyRod, Failure> {
            let rod = CurvatureRod::new(basis, what.length, n, &section, &rest).map_err(|e| wrong(&e))?;
            Ok(rod.into())
        };
        let chain = |strain: Strain| -> Result<AnyRod, Failure> {
            let mesh = Mesh::uniform(what.length, n).map_err(|e| wrong(&e))?;
            Ok(MixedRod::new(&mesh, &section, &rest).with_strain(strain).into())
        };
        match self {
            Self::Clothoid => curvature(Basis::Clothoid),
            Self::Helix => curvature(Basis::Helix),
            Self::Nodal => chain(Strain::Nodal),
            Self::Mixed => chain(Strain::Mixed),
        }
    }
}

/// m/s².
pub const GRAVITY: f64 = 9.81;
/// Of a curly strand: the angle whose tangent is natural twist over natural curvature.
const TILT: f64 = 0.2;

/// A uniform rod, whatever its model.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Strand {
    /// m.
    pub length: f64,
    /// K1, K2, K3, N m².
    pub stiffness: [f64; 3],
    /// kg/m.
    pub mass_per_length: f64,
    /// m.
    pub radius: f64,
    /// Natural Darboux vector, 1/m.
    pub rest: Vec3,
}

impl Strand {
    /// A curly strand of 1 m: `coils` of them at rest with a little natural twist, and a weight
    /// m g L³/K₁ that draws the upper ones out.
    pub fn curly(coils: f64, weight: f64) -> Self {
        let mass_per_length = 0.01;
        let k = mass_per_length * GRAVITY / weight;
        let around = 2.0 * std::f64::consts::PI * coils;
        Self {
            length: 1.0,
            stiffness: [k, k, 0.8 * k],
            mass_per_length,
            radius: 0.001,
            rest: Vec3::new(TILT.cos(), 0.0, TILT.sin()) * around,
        }
    }

    /// A straight cable.
    pub const STRAIGHT: Self = Self {
        length: 1.0,
        stiffness: [0.02, 0.02, 0.016],
        mass_per_length: 0.1,
        radius: 0.002,
        rest: Vec3::new(0.0, 0.0, 0.0),
    };

    /// Its section, the same all along.
    pub fn section(&self) -> Result<SectionProfile, Failure> {
        let [k1, k2, k3] = self.stiffness;
        let section = Section::measured(k1, k2, k3, self.mass_per_length, self.radius);
        section.map(SectionProfile::uniform).map_err(|e| Failure::Input(e.to_string()))
    }

    /// It in words.
    pub fn describe(&self) -> String {
        let [k1, k2, k3] = self.stiffness;
        format!(
            "{} m, K {k1:.3e} {k2:.3e} {k3:.3e} N m², {} kg/m, natural curvature ({:.3}, {:.3}) and twist {:.3} 1/m",
            self.length, self.mass_per_length, self.rest.x, self.rest.y, self.rest.z
        )
    }
}

/// A positive number on the command line.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value <= 1e4 => Ok(value),
        _ => Err("expected a number above 0 and at most 10000".into()),
    }
}

/// What a rod has of unknowns once its start is clamped: coordinates, less the internal constraints that hold
/// the segments of a chain together, less the six of the clamp.
pub fn unknowns(rod: &AnyRod) -> usize {
    rod.tangent_count() - rod.constraint_count() - 6
}

/// Where a rod is compared: at equal arc lengths, which are nodes of every chain used here.
pub const PLACES: usize = 60;

/// The centreline at these places.
pub fn centreline(rod: &AnyRod, state: &State) -> Vec<Vec3> {
    (0..=PLACES).map(|k| rod.station(&state.rod, rod.length() * k as f64 / PLACES as f64).position).collect()
}

/// Largest distance of two centrelines.
pub fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
}

/// The equilibrium that `state` comes to; an error where none is found.
pub fn equilibrium(
    problem: &Problem,
    mut state: State,
    ws: &mut Workspace,
    settings: &Settings,
) -> Result<State, Failure> {
    let report = solve(problem, &mut state, ws, settings).map_err(|e| Failure::Input(e.to_string()))?;
    if report.status == Status::Converged {
        Ok(state)
    } else {
        let (model, size) = (problem.rod.model(), problem.rod.resolution());
        Err(Failure::Input(format!("the {model} rod with {size} did not converge: {}", report.status)))
    }
}

/// Where a line through measurements, straight in logarithms, takes the value `wanted`: the first place from
/// which on every error stays below it.
pub fn reach(points: &[(f64, f64)], wanted: f64) -> Option<f64> {
    let last_above = points.iter().rposition(|p| p.1 > wanted)?;
    let (a, b) = (points[last_above], *points.get(last_above + 1)?);
    let share = (a.1 / wanted).ln() / (a.1 / b.1).ln();
    Some((a.0.ln() + share * (b.0 / a.0).ln()).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_reached_between_its_neighbours() {
        // Fourth order: a tenth of the error at 10^(1/4) as many.
        let points = [(10.0, 1e-1), (20.0, 1e-1 / 16.0), (40.0, 1e-1 / 256.0)];
        let at = reach(&points, 1e-2).unwrap();
        assert!((at - 10.0 * 10f64.powf(0.25)).abs() < 1e-9, "{at}");
        assert_eq!(reach(&points, 1e-9), None);
        assert_eq!(reach(&points, 1.0), None);
    }

    #[test]
    fn unknowns_count_what_can_bend() {
        for (model, expected) in
            [(Model::Clothoid, 3 * 9), (Model::Helix, 3 * 8), (Model::Nodal, 3 * 9), (Model::Mixed, 3 * 9)]
        {
            let rod = model.rod(&Strand::curly(5.0, 400.0), 8).unwrap();
            assert_eq!(unknowns(&rod), expected, "{}", model.name());
        }
    }
}
