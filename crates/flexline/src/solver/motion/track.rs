//! Schemes in time: what moves, what it remembers, and the spring that a step puts it on.

use crate::algebra::Vec3;
use crate::body::pose::is_finite;
use crate::solver::network::NetworkError;
use crate::solver::problem::ProblemError;
use serde::{Deserialize, Serialize};

/// How time is integrated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// First order, strongly damped: any step, no surprises.
    ImplicitEuler,
    /// Second order, damps what a step cannot resolve.
    Bdf2,
    /// Second order; the larger ρ∞ the less it damps what a step cannot resolve.
    GeneralisedAlpha {
        /// Spectral radius at infinite frequency, 0 … 1.
        rho: f64,
    },
}

impl Integrator {
    /// What takes a step with more damping, in turn.
    pub(super) fn more_damped(self) -> &'static [Self] {
        match self {
            Self::ImplicitEuler => &[],
            Self::Bdf2 => &[Self::ImplicitEuler],
            Self::GeneralisedAlpha { .. } => &[Self::GeneralisedAlpha { rho: 0.0 }, Self::ImplicitEuler],
        }
    }
}

/// Step, integrator and physical damping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotionSettings {
    /// Step, s.
    pub step: f64,
    /// The integrator.
    pub integrator: Integrator,
    /// Kelvin–Voigt delay τ of bending and twist, s.
    pub strain_delay: f64,
    /// Drag per length and velocity relative to the air, N s/m².
    pub drag: f64,
    /// Velocity of the air during the step, m/s, world.
    #[serde(default)]
    pub wind: Vec3,
}

impl MotionSettings {
    /// Without damping, in still air.
    pub fn new(step: f64, integrator: Integrator) -> Self {
        Self { step, integrator, strain_delay: 0.0, drag: 0.0, wind: Vec3::zeros() }
    }
}

/// What the air did in the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Air {
    /// Drag per length and velocity, N s/m².
    pub(super) drag: f64,
    /// Its velocity, m/s.
    wind: Vec3,
    /// The step, s.
    step: f64,
}

impl Default for Air {
    /// Nothing in motion feels any.
    fn default() -> Self {
        Self { drag: 0.0, wind: Vec3::zeros(), step: 1.0 }
    }
}

impl From<&MotionSettings> for Air {
    fn from(settings: &MotionSettings) -> Self {
        Self { drag: settings.drag, wind: settings.wind, step: settings.step }
    }
}

impl Air {
    /// Force on a length that moved so far in the step.
    fn force(&self, length: f64, moved: &Vec3) -> Vec3 {
        (self.wind - moved / self.step) * (self.drag * length)
    }
}

/// Translation and rotation of something that moves, and their memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Track {
    pub(super) velocity: Vec3,
    pub(super) acceleration: Vec3,
    /// The auxiliary acceleration of generalised-α.
    pub(super) auxiliary: Vec3,
    /// Increment and velocity of the step before, for BDF2.
    last_increment: Vec3,
    last_velocity: Vec3,
}

impl Track {
    /// What has a velocity, and nothing else that is known.
    pub(super) fn at(velocity: Vec3) -> Self {
        Self { velocity, ..STILL }
    }

    /// `place` less what `along` (its first component) does along `direction`.
    pub(super) fn less(place: &Self, direction: &Vec3, along: &Self) -> Self {
        let take = |a: &Vec3, b: &Vec3| a - direction * b.x;
        Self {
            velocity: take(&place.velocity, &along.velocity),
            acceleration: take(&place.acceleration, &along.acceleration),
            auxiliary: take(&place.auxiliary, &along.auxiliary),
            last_increment: take(&place.last_increment, &along.last_increment),
            last_velocity: take(&place.last_velocity, &along.last_velocity),
        }
    }

    /// What is `share` of the way from `a` to `b`.
    pub(super) fn between(a: &Self, b: &Self, share: f64) -> Self {
        let mix = |x: &Vec3, y: &Vec3| x * (1.0 - share) + y * share;
        Self {
            velocity: mix(&a.velocity, &b.velocity),
            acceleration: mix(&a.acceleration, &b.acceleration),
            auxiliary: mix(&a.auxiliary, &b.auxiliary),
            last_increment: mix(&a.last_increment, &b.last_increment),
            last_velocity: mix(&a.last_velocity, &b.last_velocity),
        }
    }
}

pub(super) const STILL: Track = Track {
    velocity: Vec3::new(0.0, 0.0, 0.0),
    acceleration: Vec3::new(0.0, 0.0, 0.0),
    auxiliary: Vec3::new(0.0, 0.0, 0.0),
    last_increment: Vec3::new(0.0, 0.0, 0.0),
    last_velocity: Vec3::new(0.0, 0.0, 0.0),
};

/// A step of an integrator; the first one has nothing to remember.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scheme<'a> {
    pub(super) settings: &'a MotionSettings,
    pub(super) first: bool,
}

impl Scheme<'_> {
    /// Whether the step is one of implicit Euler, which knows forces at its end only. The first of generalised-α does not
    /// know others either.
    pub(super) fn is_euler(&self) -> bool {
        self.first || self.settings.integrator == Integrator::ImplicitEuler
    }

    /// Share of the forces at the end of the step in those that do work over it: a scheme of second order sees the mean of
    /// both ends. Generalised-α does so from its first step on, which begins with the damping that there was.
    pub(super) fn damping_at_end(&self) -> f64 {
        match self.settings.integrator {
            Integrator::ImplicitEuler => 1.0,
            Integrator::Bdf2 if self.first => 1.0,
            Integrator::Bdf2 | Integrator::GeneralisedAlpha { .. } => 0.5,
        }
    }

    /// Work of the air on a length with that past, which moved so far in the step, and what of it is lost, J: the air is
    /// driven at the speed of the wind, and what it slips past the rod is lost.
    pub(super) fn drag_work(&self, last: &Air, length: f64, track: &Track, moved: &Vec3) -> [f64; 2] {
        let now = Air::from(self.settings);
        let was = last.force(length, &track.last_increment);
        let force = was.lerp(&now.force(length, moved), self.damping_at_end());
        let blown = now.wind * now.step;
        [force.dot(&blown), force.dot(&(blown - moved))]
    }

    /// A first guess of the increment: velocity and acceleration stay as they are. Implicit Euler and BDF2 keep no acceleration; where
    /// the motion is `smooth` it is what the velocity gained in the last step.
    pub(super) fn ahead(&self, track: &Track, smooth: bool) -> Vec3 {
        let h = self.settings.step;
        let gained = match self.settings.integrator {
            Integrator::ImplicitEuler | Integrator::Bdf2 if smooth && !self.first => {
                track.velocity - track.last_velocity
            }
            _ => track.acceleration * h,
        };
        (track.velocity + gained * 0.5) * h
    }

    /// The settings by which curvatures are followed, which are not integrated but only guessed: those of BDF2, which differentiates
    /// what was found. Generalised-α takes accelerations from increments by a recursion that forgets slowly (by ρ a step) and turns what
    /// the tolerance leaves of a step into guesses that grow until no step converges.
    pub(super) fn for_guesses(&self) -> MotionSettings {
        MotionSettings { integrator: Integrator::Bdf2, ..*self.settings }
    }

    /// c and the predicted increment of one step, for something that moved with `track` until now.
    pub(super) fn predict(&self, track: &Track) -> (f64, Vec3) {
        let h = self.settings.step;
        match self.settings.integrator {
            Integrator::Bdf2 if !self.first => {
                // v = (3 d − last)/(2h) with d the increment; a = (3 v − 4 v_0 + v_−1)/(2h).
                let c = 9.0 / (4.0 * h * h);
                let predicted = track.last_increment / 3.0
                    + (4.0 * track.velocity - track.last_velocity) * (2.0 * h / 9.0);
                (c, predicted)
            }
            Integrator::ImplicitEuler | Integrator::Bdf2 => (1.0 / (h * h), track.velocity * h),
            Integrator::GeneralisedAlpha { rho } => {
                let (am, af, beta, _) = alpha(rho);
                let c = (1.0 - am) / ((1.0 - af) * h * h * beta);
                let predicted = track.velocity * h + track.auxiliary * (h * h * (0.5 - beta))
                    - (am * track.auxiliary - af * track.acceleration) * (h * h * beta / (1.0 - am));
                (c, predicted)
            }
        }
    }

    /// What `track` is after the increment `d`.
    pub(super) fn advance(&self, track: &mut Track, d: Vec3) {
        let h = self.settings.step;
        let before = track.velocity;
        match self.settings.integrator {
            Integrator::Bdf2 if !self.first => track.velocity = (3.0 * d - track.last_increment) / (2.0 * h),
            Integrator::ImplicitEuler | Integrator::Bdf2 => track.velocity = d / h,
            Integrator::GeneralisedAlpha { rho } => {
                let (am, af, beta, gamma) = alpha(rho);
                let next =
                    (d - track.velocity * h - track.auxiliary * (h * h * (0.5 - beta))) / (h * h * beta);
                track.velocity += h * ((1.0 - gamma) * track.auxiliary + gamma * next);
                track.acceleration =
                    ((1.0 - am) * next + am * track.auxiliary - af * track.acceleration) / (1.0 - af);
                track.auxiliary = next;
            }
        }
        track.last_increment = d;
        track.last_velocity = before;
    }

    /// Stiffness of a node with this mass, length and past, and where it would go: by itself and, as far as
    /// drag has a say, with the air.
    pub(super) fn spring(&self, mass: f64, dual: f64, at: Vec3, track: &Track) -> (f64, Vec3) {
        let (c, predicted) = self.predict(track);
        let (mass, drag) = (mass * c, self.settings.drag * dual / self.settings.step);
        let stiffness = mass + drag;
        let share = if stiffness > 0.0 { mass / stiffness } else { 0.0 };
        let blown = self.settings.wind * self.settings.step;
        (stiffness, at + predicted * share + blown * (1.0 - share))
    }

    /// c, and where what is `at` this place with this past would go by itself.
    pub(super) fn free(&self, at: Vec3, track: &Track) -> (f64, Vec3) {
        let (c, predicted) = self.predict(track);
        (c, at + predicted)
    }
}

/// α_m, α_f, β, γ of generalised-α.
fn alpha(rho: f64) -> (f64, f64, f64, f64) {
    let am = (2.0 * rho - 1.0) / (rho + 1.0);
    let af = rho / (rho + 1.0);
    let gamma = 0.5 + af - am;
    (am, af, 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma)
}

impl MotionSettings {
    /// Refuses what no step can be taken with.
    pub(in crate::solver) fn check(&self) -> Result<(), NetworkError> {
        if !(self.step > 0.0 && self.step.is_finite()) {
            return Err(NetworkError::Step(self.step));
        }
        let rho = if let Integrator::GeneralisedAlpha { rho } = self.integrator { rho } else { 0.0 };
        let counts = |value: f64| value >= 0.0 && value.is_finite();
        let least = "a finite number, 0 or more";
        for (what, value, good, expected) in [
            ("rho", rho, (0.0..=1.0).contains(&rho), "0 to 1"),
            ("strain_delay", self.strain_delay, counts(self.strain_delay), least),
            ("drag", self.drag, counts(self.drag), least),
            ("wind", self.wind.sum(), is_finite(&self.wind), "a finite velocity"),
        ] {
            if !good {
                return Err(NetworkError::Setting(ProblemError::Setting { what, value, expected }));
            }
        }
        Ok(())
    }
}
