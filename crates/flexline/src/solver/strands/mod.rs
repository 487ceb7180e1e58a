//! Strands in motion as the papers move them: curvatures q with rates q̇ of their own, a mass matrix M(q), and
//! a semi-implicit step.
//!
//! ```text
//! M(q) q̈ + K (q − q̂) + τ K q̇ + A(q, q̇) = G(q) + loads,
//! (M + h D + (h² + τ h) K) q̈ = G + loads − A − D (q̇ − wind) − K (q − q̂) − (h + τ) K q̇,
//! q̇⁺ = q̇ + h q̈,   q⁺ = q + h q̇⁺:
//! ```
//!
//! what is linear (bending, twist, their damping, drag) is taken at the end of the step, what is not (weight,
//! centrifugal and Coriolis terms A) at its beginning. So a step is one linear system and no iteration: cheap, but
//! first order, and with a limit on the step that the fully implicit
//! [`Motion`](crate::solver::motion::Motion) does not have.
//!
//! A tree of strands is a [`Network`] whose spans hang from their starts: a root that is held, led or free, branches and
//! rigid parts at loose anchors. Two ways solve the step: [`StrandWorkspace::new`] by recursion, linear in the
//! number of elements, [`StrandWorkspace::composite`] with a dense matrix.
//!
//! References: F. Bertails et al., *Super-Helices for Predicting the Dynamics of Natural Hair*, SIGGRAPH 2006;
//! F. Bertails, *Linear Time Super-Helices*, Eurographics 2009; R. Casati, F. Bertails-Descoubes, *Super Space Clothoids*,
//! SIGGRAPH 2013, §4.2 and §7; F. Bertails-Descoubes, habilitation, Grenoble 2017, eqs. 2.8–2.17.

mod composite;
mod element;
mod evaluate;
mod joint;
mod recursive;
#[cfg(test)]
mod tests;
mod tree;

pub use tree::{StrandError, StrandWorkspace};

use super::motion::{Balance, MotionEnergies, StepEnergy, storable};
use super::network::{Network, NetworkState};
use super::report::Status;
use crate::algebra::{Mat3, Quat, Vec3, rotation};
use crate::rod::Rod;
use element::Energies;
use evaluate::evaluate_tree;
use serde::{Deserialize, Serialize};

/// Turning of a whole rod, rad, that no motion reaches unless it grows without bound.
const MOST_TURNING: f64 = 1e6;

/// Energy out of nothing, relative to kinetic and elastic energy and what weight and bending could store, that is no longer
/// an error of first order but growth.
const GROWTH: f64 = 0.1;

/// Step and physical damping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrandSettings {
    /// Step, s.
    pub step: f64,
    /// Kelvin–Voigt delay τ of bending and twist, s.
    pub strain_delay: f64,
    /// Drag per length and velocity relative to the air, N s/m².
    pub drag: f64,
    /// Velocity of the air during the step, m/s, world.
    pub wind: Vec3,
}

impl StrandSettings {
    /// Without damping, in still air.
    pub fn new(step: f64) -> Self {
        Self { step, strain_delay: 0.0, drag: 0.0, wind: Vec3::zeros() }
    }
}

/// A tree of strands in motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrandMotion {
    /// Time, s.
    pub time: f64,
    /// Curvatures, and poses of roots. The poses of everything that hangs are those of the last
    /// [`StrandMotion::place`].
    pub state: NetworkState,
    /// Rates of the curvatures of every span, as its coordinates: L u̇, 1/s.
    pub rates: Vec<Vec<f64>>,
    /// Velocity and angular velocity of every anchor, world; those of anchors that hang as of the last
    /// [`StrandMotion::place`].
    pub anchors: Vec<[Vec3; 2]>,
    /// Work done by held anchors that were moved, by loads that have no potential and by the wind, J.
    pub work: f64,
    /// Lost to strain damping and drag, J.
    pub dissipated: f64,
    /// Power of wind and loads and of what is lost at the beginning of the last step, and half its length.
    booked: [f64; 3],
    /// Energy and work at the beginning of the last step, J.
    last: [f64; 2],
    balance: Balance,
}

impl StrandMotion {
    /// At rest in the given state at time 0.
    pub fn at_rest(network: &Network, state: NetworkState) -> Self {
        Self {
            time: 0.0,
            rates: state.spans.iter().map(|s| vec![0.0; s.rod.coordinates.len().saturating_sub(7)]).collect(),
            anchors: vec![[Vec3::zeros(); 2]; network.anchors.len()],
            state,
            work: 0.0,
            dissipated: 0.0,
            booked: [0.0; 3],
            last: [0.0; 2],
            balance: Balance::default(),
        }
    }

    /// One step in time. Anything may have changed in `network` since the last one but its size. Where a number overflows
    /// or a pivot vanishes, or where the step before this one created energy, the motion stays where it was.
    pub fn step(
        &mut self,
        network: &Network,
        ws: &mut StrandWorkspace,
        settings: &StrandSettings,
    ) -> Result<Status, StrandError> {
        let h = settings.step;
        if !(h > 0.0 && h.is_finite()) {
            return Err(StrandError::Step(h));
        }
        for (what, value) in [("strain_delay", settings.strain_delay), ("drag", settings.drag)] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(StrandError::Setting { what, value });
            }
        }
        let wind = settings.wind.norm();
        if !wind.is_finite() {
            return Err(StrandError::Setting { what: "wind", value: wind });
        }
        network.check_even_short()?;
        self.state.check(network)?;
        if ws.read(network)? {
            self.balance.expect_uncounted();
        }
        if let Some(k) = (0..ws.strands.len()).find(|k| self.state.lengths[*k] != ws.strands[*k].rod.length())
        {
            return Err(StrandError::Length(k));
        }
        self.lead(network, ws, h);
        let energies = evaluate_tree(ws, self, settings);
        let (last, balance) = match self.balance_now(network, ws, &energies) {
            (last, balance, true) => (last, balance),
            _ => return Ok(Status::EnergyGained),
        };
        let solved = if ws.composite.is_some() { composite::solve(ws) } else { recursive::solve(ws) };
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        let sound = solved.is_some()
            && ws.strands.iter().flat_map(|s| &s.change).all(|c| c.is_finite())
            && ws.changes.iter().flatten().all(finite)
            && self.turns_within_reason(ws, h);
        if !sound {
            return Ok(Status::NumericalFailure);
        }
        (self.last, self.balance) = (last, balance);
        self.book(ws, &energies, h);
        self.advance(network, ws, h);
        Ok(Status::Converged)
    }

    /// Whether no coordinate of the step's end turns its rod by more than [`MOST_TURNING`].
    fn turns_within_reason(&self, ws: &StrandWorkspace, h: f64) -> bool {
        let spans = ws.strands.iter().zip(&self.state.spans).zip(&self.rates);
        spans.into_iter().all(|((strand, state), rates)| {
            let q = state.rod.coordinates[7..].iter();
            q.zip(rates)
                .zip(&strand.change)
                .all(|((q, rate), c)| (q + h * (rate + h * c)).abs() <= MOST_TURNING)
        })
    }

    /// Accelerations of what is held: such that it is where `network` has it at the end of the step.
    fn lead(&self, network: &Network, ws: &mut StrandWorkspace, h: f64) {
        for (i, joint) in ws.joints.iter().enumerate().filter(|(_, j)| !j.hangs) {
            let (now, then) = (&self.state.anchors[i], &network.anchors[i].pose);
            let [v, w] = &self.anchors[i];
            let own = &mut ws.led[i];
            *own = [Vec3::zeros(); 2];
            for axis in (0..3).filter(|axis| joint.held[*axis]) {
                own[0][axis] = ((then.position[axis] - now.position[axis]) / h - v[axis]) / h;
            }
            if joint.held[3] {
                let turn = rotation::log(&(then.orientation * now.orientation.conjugate()));
                own[1] = (turn / h - w) / h;
            }
        }
    }

    /// Energy and work where everything is evaluated, the balance, and whether the step that led here created no energy
    /// to speak of.
    fn balance_now(
        &self,
        network: &Network,
        ws: &StrandWorkspace,
        energies: &Energies,
    ) -> ([f64; 2], Balance, bool) {
        let [driven, _, half] = self.booked;
        let work = self.work + (energies.driven - driven) * half;
        let elastic = self.elastic(ws);
        let energy = energies.kinetic + energies.potential + elastic;
        let (mut balance, store) = (self.balance, storable(network));
        let step = StepEnergy {
            rise: energy - self.last[0],
            work: work - self.last[1],
            kinetic: energies.kinetic + elastic + store,
            store,
        };
        // Before the first step there is nothing to compare with; what is no number the solve will tell.
        let keeps = half == 0.0 || !energy.is_finite() || balance.keeps(&step, GROWTH);
        ([energy, work], balance, keeps)
    }

    fn elastic(&self, ws: &StrandWorkspace) -> f64 {
        ws.strands.iter().zip(&self.state.spans).map(|(s, state)| s.rod.energy(&state.rod)).sum()
    }

    /// Adds work and losses of a step whose beginning is evaluated: powers by the trapezoidal rule, the half of this step
    /// that is not known yet as if nothing changed.
    fn book(&mut self, ws: &StrandWorkspace, energies: &Energies, h: f64) {
        let [driven, lost, half] = self.booked;
        self.work += (energies.driven - driven) * half + energies.driven * h;
        self.dissipated += (energies.lost - lost) * half + energies.lost * h;
        self.booked = [energies.driven, energies.lost, 0.5 * h];
        for i in (0..ws.joints.len()).filter(|i| !ws.joints[*i].hangs) {
            // The mean velocity of the step is that at its end. What is not held bears nothing.
            let [v, w] = [0, 1].map(|k| self.anchors[i][k] + ws.led[i][k] * h);
            let held = &ws.joints[i].held;
            for axis in 0..3 {
                self.work -= if held[axis] { ws.beyond[i].force[axis] * v[axis] * h } else { 0.0 };
                self.work -= if held[3 + axis] { ws.beyond[i].torque[axis] * w[axis] * h } else { 0.0 };
            }
        }
    }

    /// Rates, then coordinates.
    fn advance(&mut self, network: &Network, ws: &StrandWorkspace, h: f64) {
        for (k, strand) in ws.strands.iter().enumerate() {
            let q = &mut self.state.spans[k].rod.coordinates[7..];
            for ((q, rate), change) in q.iter_mut().zip(&mut self.rates[k]).zip(&strand.change) {
                *rate += h * change;
                *q += h * *rate;
            }
        }
        for (i, joint) in ws.joints.iter().enumerate().filter(|(_, j)| !j.hangs) {
            let pose = &mut self.state.anchors[i];
            for k in 0..2 {
                self.anchors[i][k] += (ws.changes[i][k] + ws.led[i][k]) * h;
            }
            let [v, w] = self.anchors[i];
            for axis in 0..3 {
                let held = joint.held[axis];
                let place = network.anchors[i].pose.position[axis];
                pose.position[axis] = if held { place } else { pose.position[axis] + v[axis] * h };
            }
            pose.orientation = if joint.held[3] {
                network.anchors[i].pose.orientation
            } else {
                let turned = rotation::exp(&(w * h)) * pose.orientation;
                turned * (1.0 / turned.norm())
            };
        }
        self.time += h;
    }

    /// Puts everything that hangs where its curvatures put it: poses of anchors and of starts of spans.
    pub fn place(&mut self, ws: &mut StrandWorkspace) {
        self.look(ws);
        for (i, base) in ws.bases.iter().enumerate().filter(|(i, _)| ws.joints[*i].hangs) {
            self.state.anchors[i].position = base.position;
            self.state.anchors[i].orientation = near(&base.frame, &self.state.anchors[i].orientation);
            self.anchors[i] = [base.velocity, base.spin];
        }
        for (k, strand) in ws.strands.iter().enumerate() {
            let start = ws.bases[strand.start].carry(&strand.start_pose.0, &strand.start_pose.1);
            let c = &mut self.state.spans[k].rod.coordinates;
            let (_, before) = strand.rod.base(c);
            strand.rod.set_base(c, &start.position, &near(&start.frame, &before));
        }
    }

    /// Evaluates the tree as it is, in vacuum and with nothing led.
    fn look(&self, ws: &mut StrandWorkspace) -> Energies {
        ws.led.fill([Vec3::zeros(); 2]);
        evaluate_tree(ws, self, &StrandSettings::new(1.0))
    }

    /// Energies now.
    pub fn energies(&self, ws: &mut StrandWorkspace) -> MotionEnergies {
        let Energies { kinetic, potential, .. } = self.look(ws);
        MotionEnergies { kinetic, elastic: self.elastic(ws), potential }
    }
}

/// The quaternion of a rotation that has the sign of another one.
fn near(frame: &Mat3, to: &Quat) -> Quat {
    let q = rotation::from_matrix(frame);
    if q.coords.dot(&to.coords) < 0.0 { -q } else { q }
}
