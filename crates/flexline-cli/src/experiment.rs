//! `flexline experiment`: experiments of the papers behind the rod models, one file each.

mod cancellation;
mod climbing;
mod cost;
mod elastica;
mod energy;
mod equilibrium;
mod floating_tangents;
mod friction;
mod integrators;
mod models;
mod orbit;
mod plant;
mod twining;

use crate::failure::Failure;
use clap::{Args, Subcommand};
use flexline::Vec3;
use flexline::algebra::{Mat3, quadrature, rotation};
use flexline::geometry::darboux::reference::ReferenceCurve;
use flexline::geometry::darboux::{ClothoidElement, CurvePoint};

/// Repeat an experiment of the papers that the rod models come from
#[derive(Args)]
pub struct Experiment {
    #[command(subcommand)]
    which: Which,
}

#[derive(Subcommand)]
enum Which {
    Integrators(integrators::Integrators),
    Cancellation(cancellation::Cancellation),
    Equilibrium(equilibrium::Equilibrium),
    Cost(cost::Cost),
    Energy(energy::Energy),
    Twining(twining::Twining),
    Climbing(climbing::Climbing),
    Friction(friction::Friction),
    FloatingTangents(floating_tangents::FloatingTangents),
}

/// Runs the command.
pub fn run(args: &Experiment) -> Result<u8, Failure> {
    match &args.which {
        Which::Integrators(args) => integrators::run(args),
        Which::Cancellation(args) => cancellation::run(args),
        Which::Equilibrium(args) => equilibrium::run(args),
        Which::Cost(args) => cost::run(args),
        Which::Energy(args) => energy::run(args),
        Which::Twining(args) => twining::run(args),
        Which::Climbing(args) => climbing::run(args),
        Which::Friction(args) => friction::run(args),
        Which::FloatingTangents(args) => floating_tangents::run(args),
    }
}

/// Most turning of an element of an experiment, rad: the naive sum overflows not far above.
const MOST_TURNING: f64 = 300.0;

/// A turning on the command line.
fn turning(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if value > 0.0 && value <= MOST_TURNING => Ok(value),
        _ => Err(format!("expected radians above 0 and at most {MOST_TURNING}, such as 20")),
    }
}

/// A curly element of 1 m that bends and twists, with ∫ |u| ds = `turning`.
pub fn curly(turning: f64) -> Result<ClothoidElement, Failure> {
    let (start, end) = (Vec3::new(0.9, -0.2, 0.4), Vec3::new(-0.3, 0.8, 1.0));
    let size = |x: f64| (start.lerp(&end, 0.5 * (1.0 + x))).norm();
    let own: f64 = quadrature::gauss20().map(|(x, w)| 0.5 * w * size(x)).sum();
    let scale = turning / own;
    ClothoidElement::new(start * scale, end * scale, 1.0).map_err(|e| Failure::Input(e.to_string()))
}

/// The end of an element, exact to the last digit of a double.
pub struct Exact {
    frame: Mat3,
    position: Vec3,
    length: f64,
}

impl Exact {
    /// The end of `element`.
    pub fn of(element: &ClothoidElement) -> Self {
        let end = ReferenceCurve::from(element).end();
        Self { frame: end.frame(), position: end.position(), length: element.length() }
    }

    /// Error of an end: the largest of distance over length and entries of the frame.
    pub fn error(&self, frame: &Mat3, position: &Vec3) -> f64 {
        let distance = (position - self.position).norm() / self.length;
        (frame - self.frame).iter().fold(distance, |e, v| if v.is_nan() { f64::NAN } else { e.max(v.abs()) })
    }

    /// The same of a point.
    pub fn error_of(&self, point: &CurvePoint) -> f64 {
        self.error(&rotation::matrix(&point.frame), &point.position)
    }
}
