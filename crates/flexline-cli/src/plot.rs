//! `flexline plot`: pictures of a solved scene, SVG or PNG.

mod fittings;
mod obstacles;
mod subject;

pub use subject::subject as subject_of;

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::print;
use crate::solved::{SceneArgs, Solved, solve_scene};
use clap::{Args, ValueEnum};
use flexline::algebra::rotation;
use flexline::section::SectionProfile;
use flexline::solver::{Axes, PointLoad, Sample, Status};
use flexline::{Quat, Vec3};
use flexline_plot::{
    Cable, ColourBy, Drawing, Limits, Load, LoadKind, PlotError, ReportOptions, Station, ViewOptions, along,
    perspective, report, three_views,
};
use std::path::{Path, PathBuf};

/// Draw a scene in equilibrium: views of the tube, and curvature, twist and forces along s
#[derive(Args)]
pub struct Plot {
    #[command(flatten)]
    scene: SceneArgs,
    /// Picture to write; .svg or .png (default: the scene's name with .svg, here)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to draw
    #[arg(long, value_enum, default_value_t = View::Report)]
    view: View,
    /// What the colour of the tube shows
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    colour: Colour,
    /// Of a harness, draw only this cable
    #[arg(long, value_name = "NAME")]
    cable: Option<String>,
    /// Direction of the eye about z, degrees from +x towards +y (default: chosen to show most)
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = azimuth)]
    azimuth: Option<f64>,
    /// Height of the eye above the horizon, degrees (5 to 85)
    #[arg(long, value_name = "DEGREES", default_value_t = 22.0, allow_negative_numbers = true,
          value_parser = elevation)]
    elevation: f64,
    /// Width of a PNG in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(100..=8000))]
    width: u32,
}

fn azimuth(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (-360.0..=360.0).contains(&value) => Ok(value),
        _ => Err("expected degrees from -360 to 360".to_string()),
    }
}

fn elevation(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (5.0..=85.0).contains(&value) => Ok(value),
        _ => Err("expected degrees from 5 to 85".to_string()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum View {
    /// One page: perspective, three views, charts, key numbers
    Report,
    /// The tube above a ground grid
    Perspective,
    /// Front, side and top
    Three,
    /// κ1, κ2, τ, tension, shear and moment along s
    Along,
}

#[derive(Clone, Copy, ValueEnum)]
enum Colour {
    /// Utilisation where there are limits, else curvature
    Auto,
    /// One colour
    Plain,
    /// Share of the limits
    Utilisation,
    /// Curvature
    Curvature,
    /// Twist
    Twist,
    /// Tension
    Tension,
    /// Bending moment
    Moment,
}

impl From<Colour> for ColourBy {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Auto => Self::Auto,
            Colour::Plain => Self::Nothing,
            Colour::Utilisation => Self::Utilisation,
            Colour::Curvature => Self::Curvature,
            Colour::Twist => Self::Twist,
            Colour::Tension => Self::Tension,
            Colour::Moment => Self::Moment,
        }
    }
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        Self::Input(format!("this cannot be drawn: {error}"))
    }
}

/// A picture's format, by the ending of its name.
#[derive(Clone, Copy)]
pub enum Picture {
    /// Vectors.
    Svg,
    /// Pixels.
    Png,
}

impl Picture {
    /// The format of `path`, or what to do about it.
    pub fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|e| e.to_str()) {
            Some(e) if e.eq_ignore_ascii_case("svg") => Ok(Self::Svg),
            Some(e) if e.eq_ignore_ascii_case("png") => Ok(Self::Png),
            other => Err(Failure::Input(format!(
                "--out {}: {} is no picture format this command writes; name the file .svg or .png",
                path.display(),
                other.map_or_else(|| "no ending".to_string(), |e| format!("'.{e}'"))
            ))),
        }
    }

    /// Writes `drawing` to `path`.
    pub fn write(self, drawing: &Drawing, path: &Path, width: u32) -> Result<(), Failure> {
        match self {
            Self::Svg => write_file(path, drawing.to_svg().as_bytes()),
            Self::Png => write_file(path, &drawing.to_png(width)?),
        }
    }
}

/// Runs the command.
pub fn run(args: &Plot) -> Result<u8, Failure> {
    let path = args.out.clone().unwrap_or_else(|| {
        Path::new(args.scene.scene.file_name().unwrap_or("scene".as_ref())).with_extension("svg")
    });
    let picture = Picture::of(&path)?;
    let solved = solve_scene(&args.scene)?;
    let drawing = subject::draw(&solved, args)?;
    picture.write(&drawing, &path, args.width)?;
    print(&format!("{}: {}\n", path.display(), solved.compiled.ending(&solved.solution.report)));
    Ok(if solved.status() == Status::Converged { GOOD } else { NO })
}

/// A solved scene in perspective, from where it spreads most.
pub fn in_perspective(solved: &Solved, title: String) -> Result<Drawing, Failure> {
    let mut subject = subject::subject(solved, ColourBy::Auto)?;
    subject.title = title;
    Ok(perspective(&subject, &ViewOptions::default())?)
}

/// Draws one cable.
fn draw(cable: &Cable, subtitle: String, args: &Plot) -> Result<Drawing, Failure> {
    let colour_by = ColourBy::from(args.colour);
    let view = view_options(args);
    Ok(match args.view {
        View::Report => {
            let (azimuth, elevation) = (args.azimuth, args.elevation);
            let options =
                ReportOptions { subtitle, colour_by, azimuth, elevation, ..ReportOptions::default() };
            report(cable, &options)?
        }
        View::Perspective => perspective(&cable.subject(colour_by)?, &view)?,
        View::Three => three_views(&cable.subject(colour_by)?, &view)?,
        View::Along => along(cable, 1200.0, 640.0)?,
    })
}

fn view_options(args: &Plot) -> ViewOptions {
    ViewOptions { azimuth: args.azimuth, elevation: args.elevation, ..ViewOptions::default() }
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
