//! `flexline plot`: pictures of a solved scene, SVG or PNG.

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::print;
use crate::solved::{SceneArgs, solve_scene};
use clap::{Args, ValueEnum};
use flexline::solver::Status;
use flexline_plot::{ColourBy, Drawing, PlotError};
use flexline_study::picture::{self, Look, PictureError, draw};
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

impl From<View> for picture::View {
    fn from(view: View) -> Self {
        match view {
            View::Report => Self::Report,
            View::Perspective => Self::Perspective,
            View::Three => Self::Three,
            View::Along => Self::Along,
        }
    }
}

impl From<PictureError> for Failure {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::Cable { name, known } => {
                Self::Input(format!("--cable {name}: the cables are {}", known.join(", ")))
            }
            PictureError::Which { first } => {
                Self::Input(format!("--view along shows one cable: name it, for example --cable '{first}'"))
            }
            PictureError::Plot(error) => error.into(),
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
    let look = Look {
        view: args.view.into(),
        colour: args.colour.into(),
        cable: args.cable.clone(),
        azimuth: args.azimuth,
        elevation: args.elevation,
    };
    let drawing = draw(solved.shown(), &look)?;
    picture.write(&drawing, &path, args.width)?;
    print(&format!("{}: {}\n", path.display(), solved.compiled.ending(&solved.solution.report)));
    Ok(if solved.status() == Status::Converged { GOOD } else { NO })
}
