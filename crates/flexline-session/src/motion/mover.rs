//! What moves a scene: implicit steps of a network, or semi-implicit ones of a tree of strands.

use super::{MotionError, Subjects};
use flexline::Vec3;
use flexline::solver::Status;
use flexline::solver::motion::{Integrator, Motion, MotionEnergies, MotionSettings};
use flexline::solver::network::{Network, NetworkReport, NetworkState, NetworkWorkspace};
use flexline::solver::statics::Settings;
use flexline::solver::strands::{StrandError, StrandMotion, StrandSettings, StrandWorkspace};
use serde::{Deserialize, Serialize};

/// The most parts that an implicit step is divided into where it does not converge.
const PARTS: u32 = 64;

/// How time is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// First order, strongly damped.
    Euler,
    /// Second order, damps high frequencies.
    #[default]
    Bdf2,
    /// Second order, little damping.
    Alpha,
    /// First order, no iteration: trees of helices and clothoids that hang from their starts.
    SemiImplicit,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Euler, Self::Bdf2, Self::Alpha, Self::SemiImplicit];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Euler => "euler",
            Self::Bdf2 => "bdf2",
            Self::Alpha => "alpha",
            Self::SemiImplicit => "semi-implicit",
        }
    }
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// The integrator.
    pub scheme: Scheme,
    /// Of the alpha integrator: share of what a step cannot resolve that is left after it, 0 to 1.
    pub rho: f64,
    /// Strain damping: delay of the bending and twisting moments, s.
    pub strain_delay: f64,
    /// Drag in air, N s/m per metre of cable.
    pub drag: f64,
}

impl Default for Way {
    fn default() -> Self {
        Self { scheme: Scheme::default(), rho: 0.8, strain_delay: 0.005, drag: 0.02 }
    }
}

/// A scene in motion, by either way.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AnyMotion {
    /// Each step an equilibrium with inertia.
    Implicit(Box<Motion>),
    /// Each step one linear system.
    SemiImplicit(Box<StrandMotion>),
}

/// Memory of the steps.
pub enum Steps {
    /// Of implicit ones.
    Implicit(Box<NetworkWorkspace>),
    /// Of semi-implicit ones.
    SemiImplicit(Box<StrandWorkspace>),
}

/// Refuses what semi-implicit steps cannot move, by the name of the cable.
fn refused(subjects: &Subjects, error: &StrandError) -> MotionError {
    let told = error.told(|span| subjects.cable_of(span));
    MotionError::Integrator(Scheme::SemiImplicit.name().into(), told)
}

impl Steps {
    /// Memory for the scene as it is.
    pub fn new(scheme: Scheme, subjects: &Subjects) -> Result<Self, MotionError> {
        if scheme != Scheme::SemiImplicit {
            return Ok(Self::Implicit(Box::new(NetworkWorkspace::new(&subjects.network))));
        }
        let why = match () {
            () if subjects.compiled.grows() => Some("a cable grows"),
            () if subjects.compiled.has_contact() => Some("it knows no obstacles and no contact of cables"),
            () => None,
        };
        if let Some(why) = why {
            let told = format!("{why}; choose bdf2, alpha or euler");
            return Err(MotionError::Integrator(scheme.name().into(), told));
        }
        let ws = StrandWorkspace::new(&subjects.network).map_err(|e| refused(subjects, &e))?;
        Ok(Self::SemiImplicit(Box::new(ws)))
    }
}

impl AnyMotion {
    /// The scene at rest.
    pub fn at_rest(scheme: Scheme, network: &Network, state: NetworkState) -> Self {
        match scheme {
            Scheme::SemiImplicit => Self::SemiImplicit(Box::new(StrandMotion::at_rest(network, state))),
            _ => Self::Implicit(Box::new(Motion::at_rest(network, state))),
        }
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        match self {
            Self::Implicit(motion) => motion.time,
            Self::SemiImplicit(motion) => motion.time,
        }
    }

    /// Poses and shapes; after [`AnyMotion::energies`] those of now.
    pub fn state(&self) -> &NetworkState {
        match self {
            Self::Implicit(motion) => &motion.state,
            Self::SemiImplicit(motion) => &motion.state,
        }
    }

    /// Work done by what is moved and by the wind; what was lost to damping and drag, J.
    pub fn work_and_losses(&self) -> [f64; 2] {
        match self {
            Self::Implicit(motion) => [motion.work, motion.dissipated],
            Self::SemiImplicit(motion) => [motion.work, motion.dissipated],
        }
    }

    /// What friction took where contacts slid, J.
    pub fn friction_work(&self) -> f64 {
        match self {
            Self::Implicit(motion) => motion.friction_work,
            Self::SemiImplicit(_) => 0.0,
        }
    }

    /// Energies now; everything is put where it is.
    pub fn energies(&mut self, network: &Network, steps: &mut Steps) -> MotionEnergies {
        match (self, steps) {
            (Self::Implicit(motion), _) => motion.energies(network),
            (Self::SemiImplicit(motion), Steps::SemiImplicit(ws)) => {
                motion.place(ws);
                motion.energies(ws)
            }
            // The memory is made for the motion that it is used with.
            (Self::SemiImplicit(_), Steps::Implicit(_)) => MotionEnergies::default(),
        }
    }

    /// Forgets the step before: the next one may have another length.
    pub fn change_step(&mut self) {
        if let Self::Implicit(motion) = self {
            motion.change_step();
        }
    }

    /// One step in time; what it reports where it is an equilibrium with inertia.
    pub fn step(
        &mut self,
        way: &Way,
        subjects: &Subjects,
        steps: &mut Steps,
        (step, wind): (f64, Vec3),
    ) -> Result<(Status, Option<NetworkReport>), MotionError> {
        let Way { scheme, rho, strain_delay, drag } = *way;
        match (self, steps) {
            (Self::Implicit(motion), Steps::Implicit(ws)) => {
                let integrator = match scheme {
                    Scheme::Euler => Integrator::ImplicitEuler,
                    Scheme::Alpha => Integrator::GeneralisedAlpha { rho },
                    Scheme::Bdf2 | Scheme::SemiImplicit => Integrator::Bdf2,
                };
                let settings = MotionSettings { step, integrator, strain_delay, drag, wind };
                let report = motion
                    .step_in_parts(&subjects.network, ws, &settings, &Settings::interactive(), PARTS)
                    .map_err(|e| MotionError::Engine(e.told(|span| subjects.cable_of(span))))?;
                Ok((report.status, Some(report)))
            }
            (Self::SemiImplicit(motion), Steps::SemiImplicit(ws)) => {
                let settings = StrandSettings { step, strain_delay, drag, wind };
                let status = motion.step(&subjects.network, ws, &settings);
                Ok((status.map_err(|e| refused(subjects, &e))?, None))
            }
            _ => Ok((Status::NumericalFailure, None)),
        }
    }
}
