//! A rod in motion from rest, seen at given times.
//!
//! The steps shrink with the segments, so that the errors of space and time fall together and the
//! order of both shows. Every time asked for is the end of a step.

use crate::rods::settings;
use flexline::rod::curvature::Basis;
use flexline::rod::{AnyRod, Rod, Station};
use flexline::solver::motion::{Integrator, Motion, MotionSettings};
use flexline::solver::network::{Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Span};
use flexline::solver::statics::Settings;
use flexline::solver::{Pose, Status};
use flexline::{Quat, Vec3};

/// Segments for which the coarsest step is stated.
const COARSE: f64 = 25.0;
/// Nearly all energy is kept; what a step cannot resolve fades.
const INTEGRATOR: Integrator = Integrator::GeneralisedAlpha { rho: 0.95 };

/// Unbalanced force allowed in a step, as a share of the largest force. A short step multiplies the
/// round-off of positions by mass over its square: at 400 segments more than the default allows.
const FORCE_TOLERANCE: f64 = 1e-7;

/// A rod on one support.
pub(super) struct Swinging {
    network: Network,
    state: NetworkState,
}

/// What is seen of the motion at one time.
pub(super) struct View<'a> {
    /// The time, s.
    pub(super) time: f64,
    network: &'a Network,
    motion: &'a Motion,
}

impl View<'_> {
    fn rod(&self) -> &AnyRod {
        &self.network.spans[0].rod
    }

    /// The rod at arc length `s`.
    pub(super) fn at(&self, s: f64) -> Station {
        self.rod().station(&self.motion.state.spans[0].rod, s)
    }

    /// The free end.
    pub(super) fn tip(&self) -> Station {
        self.at(self.rod().length())
    }

    /// Kinetic, elastic and potential energy together, J.
    pub(super) fn energy(&self) -> f64 {
        self.motion.energies(self.network).total()
    }
}

/// Steps in time for every one of the coarsest model: the error in time must fall as fast with the
/// resolution as that in space may.
fn refinement(rod: &AnyRod) -> f64 {
    match rod {
        AnyRod::Mixed(rod) => rod.segments() as f64 / COARSE,
        AnyRod::Curvature(rod) => match rod.basis() {
            Basis::Helix => rod.elements() as f64 / 12.0,
            Basis::Clothoid => (rod.elements() as f64 / 4.0).powf(1.5),
        },
        AnyRod::Spline(rod) => (rod.elements() as f64 / 8.0).powf(1.5),
    }
}

impl Swinging {
    /// A straight rod at rest along `frame`, whose support at `pose` clamps or pins it.
    pub(super) fn straight(rod: AnyRod, pose: Pose, clamped: bool, frame: Quat, gravity: Vec3) -> Self {
        let start = if clamped { Attachment::clamped(0) } else { Attachment::pinned(0) };
        let shape = rod.rest_state(&Station { position: pose.position, frame });
        let network = Network {
            anchors: vec![Anchor::fixed(pose)],
            spans: vec![Span::new(rod, start, None)],
            gravity,
            ..Network::default()
        };
        let mut state = NetworkState::initial(&network);
        state.spans[0].rod = shape;
        Self { network, state }
    }

    /// Moves through `times`, which increase; `support` says where the support is and `see` sees
    /// the end of every step, with the place of its time among `times` if it has one. Steps are at most `coarsest` with 25 segments, and shorter with more.
    pub(super) fn run(
        mut self,
        times: &[f64],
        coarsest: f64,
        support: &dyn Fn(f64) -> Pose,
        see: &mut dyn FnMut(Option<usize>, &View),
    ) -> Result<(), String> {
        let refined = refinement(&self.network.spans[0].rod);
        let solver = Settings { force_tolerance: FORCE_TOLERANCE, ..settings() };
        let mut ws = NetworkWorkspace::new(&self.network);
        let mut motion = Motion::at_rest(&self.network, self.state);
        let mut from = 0.0;
        for (place, &to) in times.iter().enumerate() {
            // A multiple of the coarse number, or the order would not show.
            let coarse = ((to - from) / coarsest - 1e-6).ceil().max(1.0);
            let steps = if to > from { (coarse * refined).round().max(1.0) } else { 0.0 };
            let step = (to - from) / steps;
            let motion_settings = MotionSettings::new(step, INTEGRATOR);
            for k in 1..=steps as usize {
                let time = from + step * k as f64;
                self.network.anchors[0].pose = support(time);
                let report = motion
                    .step(&self.network, &mut ws, &motion_settings, &solver)
                    .map_err(|e| e.to_string())?;
                if report.status != Status::Converged {
                    return Err(format!(
                        "the step to {time:.4} s of {step:.1e} s stopped with {:?} after {} iterations \
                         (residual {:.1e} N of {:.1e} N)",
                        report.status, report.iterations, report.residual_force, report.largest_force
                    ));
                }
                let last = k == steps as usize;
                see(last.then_some(place), &View { time, network: &self.network, motion: &motion });
            }
            if steps == 0.0 {
                see(Some(place), &View { time: to, network: &self.network, motion: &motion });
            }
            from = to;
        }
        Ok(())
    }
}
