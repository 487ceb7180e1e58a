//! Pictures of a solved scene: its cables as tubes, what holds them and what they touch, and curves along one of them.
//!
//! How anything is drawn is `flexline-plot`'s; here is what of a scene is drawn.

mod fittings;
mod obstacles;
mod subject;

pub use subject::draw;

use flexline::algebra::rotation;
use flexline::section::SectionProfile;
use flexline::solver::{Axes, PointLoad, Sample, Status};
use flexline::{Quat, Vec3};
use flexline_plot::{
    Cable, ColourBy, Drawing, Limits, Load, LoadKind, PlotError, ReportOptions, Station, ViewOptions, along,
    perspective, report, three_views,
};
use flexline_scene::{Compiled, Scene, Solution};
use flexline_session::session::Solved;
use std::fmt;

/// A solved scene to be drawn.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// What it was compiled to.
    pub compiled: &'a Compiled,
    /// The state reached, its proof and the cables.
    pub solution: &'a Solution,
}

impl<'a> From<&'a Solved> for Shown<'a> {
    fn from(own: &'a Solved) -> Self {
        Self { scene: &own.scene, compiled: &own.compiled, solution: &own.solution }
    }
}

impl<'a> Shown<'a> {
    fn status(&self) -> Status {
        self.solution.report.status
    }

    /// The line for headings; the name of the cable where there is one, or of the file.
    pub fn title(&self) -> &'a str {
        let scene = self.scene;
        let name = match &scene.cables[..] {
            [one] if scene.is_single() => &one.cable.name,
            _ => scene.name(),
        };
        scene.title.as_deref().unwrap_or(name)
    }
}

/// What is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// One page: perspective, three views, charts, key numbers.
    #[default]
    Report,
    /// The tubes above a ground grid.
    Perspective,
    /// Front, side and top.
    Three,
    /// Curvature, twist, tension, shear and moment along one cable.
    Along,
}

/// How a scene is looked at.
#[derive(Clone, Debug)]
pub struct Look {
    /// What is drawn.
    pub view: View,
    /// What the colour of the tubes shows.
    pub colour: ColourBy,
    /// Only this cable.
    pub cable: Option<String>,
    /// Direction of the eye about z, degrees; chosen to show most where it is not said.
    pub azimuth: Option<f64>,
    /// Height of the eye above the horizon, degrees.
    pub elevation: f64,
}

impl Default for Look {
    fn default() -> Self {
        let ViewOptions { azimuth, elevation, .. } = ViewOptions::default();
        Self { view: View::default(), colour: ColourBy::Auto, cable: None, azimuth, elevation }
    }
}

/// Why nothing is drawn.
#[derive(Debug)]
pub enum PictureError {
    /// No cable has that name.
    Cable {
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Curves along a cable are asked for, and it is not said of which.
    Which {
        /// The first that there is.
        first: String,
    },
    /// The numbers make no picture.
    Plot(PlotError),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cable { name, known } => {
                write!(f, "no cable is called '{name}': the cables are {}", known.join(", "))
            }
            Self::Which { first } => {
                write!(f, "curves along a cable show one: name it, for example '{first}'")
            }
            Self::Plot(error) => write!(f, "this cannot be drawn: {error}"),
        }
    }
}

impl std::error::Error for PictureError {}

impl From<PlotError> for PictureError {
    fn from(error: PlotError) -> Self {
        Self::Plot(error)
    }
}

/// A solved scene in perspective, from where it spreads most.
pub fn in_perspective<'a>(shown: impl Into<Shown<'a>>, title: String) -> Result<Drawing, PlotError> {
    let mut subject = subject::subject(&shown.into(), ColourBy::Auto)?;
    subject.title = title;
    perspective(&subject, &ViewOptions::default())
}

/// Draws one cable.
fn draw_cable(cable: &Cable, subtitle: String, look: &Look) -> Result<Drawing, PlotError> {
    let (azimuth, elevation, colour_by) = (look.azimuth, look.elevation, look.colour);
    match look.view {
        View::Report => {
            report(cable, &ReportOptions { subtitle, colour_by, azimuth, elevation, ..Default::default() })
        }
        View::Perspective => perspective(&cable.subject(colour_by)?, &view_options(look)),
        View::Three => three_views(&cable.subject(colour_by)?, &view_options(look)),
        View::Along => along(cable, 1200.0, 640.0),
    }
}

fn view_options(look: &Look) -> ViewOptions {
    ViewOptions { azimuth: look.azimuth, elevation: look.elevation, ..ViewOptions::default() }
}

fn stations(samples: &[Sample]) -> Vec<Station> {
    samples
        .iter()
        .map(|s| Station {
            s: s.s,
            position: s.position.into(),
            frame: [s.frame.w, s.frame.i, s.frame.j, s.frame.k],
            strain: s.strain.into(),
            moment: s.moment_material.into(),
            force: s.force_world.into(),
            radius: s.radius,
        })
        .collect()
}

/// The arrows of a load that acts at a point with the given frame.
fn arrows(load: &PointLoad, at: [f64; 3], frame: &Quat) -> Vec<Load> {
    let kinds = [(load.force, LoadKind::Force), (load.moment, LoadKind::Moment)];
    let arrow = |(vector, kind): (Vec3, LoadKind)| {
        let world = match load.axes {
            Axes::World => vector,
            Axes::Material => rotation::rotate(frame, &vector),
        };
        Load { at, vector: world.into(), kind }
    };
    kinds.into_iter().filter(|(vector, _)| vector.norm() > 0.0).map(arrow).collect()
}

/// The limits at the beginning of a cable.
fn limits(section: &SectionProfile, dynamic_use: bool) -> Limits {
    let section = section.at(0.0);
    let bend = section.limits.bend(dynamic_use);
    let radius = bend.map(|(limit, _)| limit.centre_radius(section.contact_radius));
    Limits {
        curvature: radius.map(|r| 1.0 / r),
        inside: bend.map_or(0.0, |(limit, _)| limit.centre_radius(section.contact_radius) - limit.radius),
        twist: section.limits.twist,
        tension: section.limits.tension,
    }
}
