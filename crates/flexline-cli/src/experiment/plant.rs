//! A plant that grows around a pole: a rod of clothoids, clamped on the pole, in equilibrium at every length.
//!
//! Lengths are in radii of the pole, stiffnesses in those of the rod: R = 1 m, K = 1 N m².

use crate::failure::Failure;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::{AnyRod, Rod, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, solve};
use flexline::solver::{End, Pole, Pose, Problem, State, Status};
use flexline::{Quat, Vec3};

/// How much stiffer than in the plane a planar plant is against leaving it.
const PLANAR: f64 = 1e4;
/// Of twist to bend of a round stem that keeps its volume, 1/(1 + ν).
const TWIST: f64 = 2.0 / 3.0;
/// Places at which its depth is looked at.
const SAMPLES: u32 = 400;
/// m/s².
const GRAVITY: f64 = 9.81;
/// Length of a seedling, R.
pub const SEEDLING: f64 = 0.5;

/// What a plant is made of, and where it grows.
#[derive(Clone, Copy, Debug)]
pub struct Seed {
    /// Natural curvature times radius of the pole, ρ = κ̂ R.
    pub rho: f64,
    /// Elements of the rod.
    pub elements: usize,
    /// Stiffness k of the pole, K/R⁵.
    pub pole: f64,
    /// Angle of the base above the horizontal, rad; `None` for a plant that stays in its plane.
    pub pitch: Option<f64>,
    /// Natural twist times radius of the pole, τ̂ R.
    pub twist: f64,
    /// Weight per length, K/R³.
    pub weight: f64,
}

/// A plant in equilibrium.
#[derive(Clone)]
pub struct Plant {
    rod: AnyRod,
    problem: Problem,
    state: State,
}

impl Plant {
    /// The seedling, from the shape of the pole; `None` where it finds no equilibrium.
    pub fn new(seed: &Seed) -> Result<Option<Self>, Failure> {
        let (away, twist) = if seed.pitch.is_none() { (PLANAR, PLANAR) } else { (1.0, TWIST) };
        let section = Section::measured(1.0, away, twist, seed.weight / GRAVITY, 0.01).map_err(wrong)?;
        let profile = SectionProfile::uniform(section);
        let pitch = seed.pitch.unwrap_or(0.0);
        let natural = |_: f64| Vec3::new(seed.rho, 0.0, seed.twist);
        let rod: AnyRod = CurvatureRod::new(Basis::Clothoid, SEEDLING, seed.elements, &profile, &natural)
            .map_err(wrong)?
            .into();
        let base = Pose { position: Vec3::x(), orientation: frame(0.0, pitch) };
        let mut problem = Problem::new(rod.clone(), End::clamped(base), End::free());
        problem.gravity = Vec3::new(0.0, 0.0, -GRAVITY);
        problem.poles.push(Pole {
            through: Vec3::zeros(),
            axis: Vec3::z(),
            radius: 1.0,
            stiffness: seed.pole,
        });
        let shape = rod.state_from(&|s| Station { position: base.position, frame: frame(s, pitch) });
        let state = State::new(shape, problem.ends);
        let mut plant = Self { rod, problem, state };
        Ok(plant.settle()?.then_some(plant))
    }

    /// Finds the equilibrium; whether there was one.
    fn settle(&mut self) -> Result<bool, Failure> {
        let mut ws = Workspace::new(&self.problem);
        let report =
            solve(&self.problem, &mut self.state, &mut ws, &Settings::interactive()).map_err(wrong)?;
        Ok(report.status == Status::Converged)
    }

    /// Grows to another length; where there is no equilibrium it stays as it is, and `false` is the answer.
    fn grow(&mut self, length: f64) -> Result<bool, Failure> {
        let mut next = self.clone();
        next.problem.rod = self.rod.with_length(length);
        if !next.settle()? {
            return Ok(false);
        }
        *self = next;
        Ok(true)
    }

    /// Grows in steps of at most `step` up to `length` while its tip is on the pole; `seen` is shown every
    /// stage. The length at which its tip left the pole or found no equilibrium, if it did.
    pub fn grow_up(
        &mut self,
        length: f64,
        step: f64,
        seen: &mut dyn FnMut(&Self),
    ) -> Result<Option<f64>, Failure> {
        let first = self.length();
        let count = ((length - first) / step).ceil().max(0.0);
        for k in 1..=count as usize {
            let next = first + (length - first) * k as f64 / count;
            if !self.grow(next)? || self.radius(next) > 1.0 {
                return Ok(Some(next));
            }
            seen(self);
        }
        Ok(None)
    }

    /// Deepest that it enters the pole, R: up to the tip, and away from it.
    pub fn depth(&self) -> [f64; 2] {
        let deepest = |to: f64| {
            let samples = (0..=SAMPLES).map(|i| 1.0 - self.radius(to * f64::from(i) / f64::from(SAMPLES)));
            samples.fold(0.0, f64::max)
        };
        [deepest(self.length()), deepest(self.length() - 0.5)]
    }

    /// How far it has wound around the pole up to arc length `s`, turns.
    pub fn turns(&self, s: f64) -> f64 {
        let count = (8.0 * s).ceil().max(1.0);
        let mut last = self.station(0.0).position;
        let mut angle = 0.0;
        for k in 1..=count as usize {
            let next = self.station(s * k as f64 / count).position;
            angle += last.xy().perp(&next.xy()).atan2(last.xy().dot(&next.xy()));
            last = next;
        }
        angle / std::f64::consts::TAU
    }

    /// Angle of its tangent above the horizontal, rad.
    pub fn pitch(&self, s: f64) -> f64 {
        rotation::tangent(&self.station(s).frame).z.clamp(-1.0, 1.0).asin()
    }

    /// Its length.
    pub fn length(&self) -> f64 {
        self.problem.rod.length()
    }

    /// Position and frame at arc length `s`.
    pub fn station(&self, s: f64) -> Station {
        self.problem.rod.station(&self.state.rod, s)
    }

    /// Darboux vector at arc length `s`.
    pub fn strain(&self, s: f64) -> Vec3 {
        self.problem.rod.strain(&self.state.rod, s)
    }

    /// Distance of arc length `s` from the axis of the pole.
    pub fn radius(&self, s: f64) -> f64 {
        self.station(s).position.xy().norm()
    }
}

/// The frame on the pole at arc length `s` of a helix of the given pitch angle: d1 along the axis and
/// backwards, d2 outwards, d3 along the helix.
fn frame(s: f64, pitch: f64) -> Quat {
    let (sin, cos) = (s * pitch.cos()).sin_cos();
    let round = Vec3::new(-sin, cos, 0.0);
    let along = round * pitch.cos() + Vec3::z() * pitch.sin();
    let across = Vec3::z() * pitch.cos() - round * pitch.sin();
    rotation::frame(&along, &across)
}

fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("this plant cannot be grown: {error}"))
}

/// A number above 0 and at most a thousand million million, on the command line.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value <= 1e15 => Ok(value),
        _ => Err("expected a number above 0 and at most 1e15".to_string()),
    }
}

/// A length to grow to, on the command line.
pub fn grown(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if (1.0..=200.0).contains(&value) => Ok(value),
        _ => Err("expected a length from 1 to 200 radii of the pole".to_string()),
    }
}

/// A step of growth, on the command line.
pub fn step(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if (1e-4..=0.5).contains(&value) => Ok(value),
        _ => Err("expected a step from 0.0001 to 0.5 radii of the pole".to_string()),
    }
}

/// A natural curvature, on the command line.
pub fn curvature(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 1.0 && value <= 20.0 => Ok(value),
        _ => Err("expected a natural curvature above 1 and at most 20 over that of the pole".to_string()),
    }
}
