//! What moves a scene: implicit steps of a network, or semi-implicit ones of a tree of strands.

use super::{Scheme, Simulate, Subjects};
use crate::failure::Failure;
use flexline::Vec3;
use flexline::solver::Status;
use flexline::solver::motion::{Integrator, Motion, MotionEnergies, MotionSettings};
use flexline::solver::network::{Network, NetworkReport, NetworkState, NetworkWorkspace};
use flexline::solver::statics::Settings;
use flexline::solver::strands::{StrandError, StrandMotion, StrandSettings, StrandWorkspace};
use serde::{Deserialize, Serialize};

/// The most parts that an implicit step is divided into where it does not converge.
const PARTS: u32 = 64;

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
    Implicit(Box<NetworkWorkspace>),
    SemiImplicit(Box<StrandWorkspace>),
}

/// Refuses what semi-implicit steps cannot move, by the name of the cable.
fn refused(subjects: &Subjects, error: &StrandError) -> Failure {
    let told = error.told(|span| subjects.cable_of(span));
    Failure::Input(format!("--integrator semi-implicit: {told}"))
}

impl Steps {
    /// Memory for the scene as it is.
    pub fn new(args: &Simulate, subjects: &Subjects) -> Result<Self, Failure> {
        if !matches!(args.integrator, Scheme::SemiImplicit) {
            return Ok(Self::Implicit(Box::new(NetworkWorkspace::new(&subjects.network))));
        }
        if subjects.compiled.grows() {
            return Err(Failure::Input(
                "--integrator semi-implicit: a cable grows; choose --integrator bdf2, alpha or euler"
                    .to_string(),
            ));
        }
        if subjects.compiled.has_contact() {
            return Err(Failure::Input(
                "--integrator semi-implicit: it knows no obstacles and no contact of cables; choose --integrator bdf2, alpha or euler"
                    .to_string(),
            ));
        }
        let ws = StrandWorkspace::new(&subjects.network).map_err(|e| refused(subjects, &e))?;
        Ok(Self::SemiImplicit(Box::new(ws)))
    }
}

impl AnyMotion {
    /// The scene at rest.
    pub fn at_rest(args: &Simulate, network: &Network, state: NetworkState) -> Self {
        match args.integrator {
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
        args: &Simulate,
        subjects: &Subjects,
        steps: &mut Steps,
        (step, wind): (f64, Vec3),
    ) -> Result<(Status, Option<NetworkReport>), Failure> {
        match (self, steps) {
            (Self::Implicit(motion), Steps::Implicit(ws)) => {
                let integrator = match args.integrator {
                    Scheme::Euler => Integrator::ImplicitEuler,
                    Scheme::Alpha => Integrator::GeneralisedAlpha { rho: args.rho },
                    Scheme::Bdf2 | Scheme::SemiImplicit => Integrator::Bdf2,
                };
                let (strain_delay, drag) = (args.strain_delay, args.drag);
                let settings = MotionSettings { step, integrator, strain_delay, drag, wind };
                let report = motion
                    .step_in_parts(&subjects.network, ws, &settings, &Settings::interactive(), PARTS)
                    .map_err(|e| Failure::Input(e.told(|span| subjects.cable_of(span))))?;
                Ok((report.status, Some(report)))
            }
            (Self::SemiImplicit(motion), Steps::SemiImplicit(ws)) => {
                let settings =
                    StrandSettings { step, strain_delay: args.strain_delay, drag: args.drag, wind };
                let status = motion.step(&subjects.network, ws, &settings);
                Ok((status.map_err(|e| refused(subjects, &e))?, None))
            }
            _ => Ok((Status::NumericalFailure, None)),
        }
    }
}
