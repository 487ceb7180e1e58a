//! `flexline fit`: a rod along a drawn or measured curve, with as few pieces as an error asks for.

pub mod drawn;
pub mod picture;
pub mod scene;

use crate::failure::{Failure, GOOD, NO, write_file};
use crate::output::{Table, number, print, print_json};
use crate::plot::Picture;
use clap::{Args, ValueEnum};
use drawn::{Line, Reading};
use flexline::Vec3;
use flexline::inverse::{Fit as Found, FitModel, FramedCurve, fit, fit_within};
use flexline::rod::mixed::Strain;
use flexline::rod::{Rod, Station};
use flexline::section::{Section, SectionProfile};
use flexline_plot::End;
use scene::{Far, Made};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  flexline fit path.csv --unit mm --tolerance \"0.1 mm\"                   helices, how many and how near
  flexline fit path.step --model clothoid --tolerance \"10 um\" --json     space clothoids from a curve of CAD
  flexline fit scan.csv --unit mm --noise \"0.5 mm\" --elements 12         a curve along points that are off by 0.5 mm
  flexline fit path.csv --unit mm --part brake-hose --out hose.toml      a scene with the cable, natural as drawn
  flexline fit path.csv --unit mm --picture fit.png                      what was drawn and what was found";

/// Fit a rod of any model to a curve: points, scans, curves of CAD; with the error reached
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Fit {
    /// File of a curve: points (x, y, z in columns), STEP, IGES or VDA-FS
    curve: PathBuf,
    #[command(flatten)]
    reading: Reading,
    /// What it is made into
    #[arg(long, value_enum, default_value_t = Model::Helix)]
    pub model: Model,
    /// How far from the curve it may be anywhere: pieces are added until it is not
    #[arg(long, value_name = "LENGTH", default_value = "0.1 mm", conflicts_with = "elements")]
    tolerance: String,
    /// So many elements or segments instead
    #[arg(long, value_name = "N")]
    elements: Option<u32>,
    /// Helices by least squares instead of floating tangents
    #[arg(long)]
    least_squares: bool,
    #[command(flatten)]
    made: Made,
    /// Scene to write: the cable clamped at its start as drawn, free at its end, with the curve as its natural shape
    #[arg(long, value_name = "SCENE")]
    out: Option<PathBuf>,
    /// Picture of the curve and the fit; .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// What a curve is made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Model {
    /// Helices, by floating tangents
    Helix,
    /// Space clothoids
    Clothoid,
    /// A cubic B-spline with twist
    Spline,
    /// Nodes and frames
    Mixed,
    /// Discrete elastic rods
    Nodal,
}

impl Model {
    /// Its name in a scene.
    pub fn word(self) -> &'static str {
        match self {
            Self::Helix => "helix",
            Self::Clothoid => "clothoid",
            Self::Spline => "spline",
            Self::Mixed => "mixed",
            Self::Nodal => "nodal",
        }
    }

    /// How it is fitted.
    pub fn fitted(self, least_squares: bool) -> FitModel {
        match self {
            Self::Helix if least_squares => FitModel::HelixLeastSquares,
            Self::Helix => FitModel::Helix,
            Self::Clothoid => FitModel::Clothoid,
            Self::Spline => FitModel::Spline,
            Self::Mixed => FitModel::Chain(Strain::Mixed),
            Self::Nodal => FitModel::Chain(Strain::Nodal),
        }
    }
}

/// Stations at even places of a rod.
pub fn stations(rod: &impl Rod, state: &flexline::rod::RodState) -> Vec<Station> {
    let place = |k: usize| rod.station(state, rod.length() * k as f64 / picture::STATIONS as f64);
    (0..=picture::STATIONS).map(place).collect()
}

/// Stations along a curve.
pub fn along(line: &Line) -> Vec<Station> {
    line.curve.frames(picture::STATIONS, &line.up())
}

/// A radius to draw with: that of the cable, else one that is seen.
pub fn shown_radius(line: &Line, radius: Option<f64>) -> f64 {
    radius.or(line.radius).unwrap_or(5e-3 * line.curve.length()).min(0.02 * line.curve.length())
}

/// A section where none is said: the shape alone does not depend on it.
fn any_section() -> Result<SectionProfile, Failure> {
    let own = Section::measured(1.0, 1.0, 1.0, 0.0, 1e-3).map_err(|e| Failure::Input(e.to_string()))?;
    Ok(SectionProfile::uniform(own))
}

/// The section that the keys of a cable say, along a cable of this length.
pub fn section(keys: &str, length: f64) -> Result<SectionProfile, Failure> {
    let text = format!(
        "version = 1\n[cable]\nlength = {length:?}\n{keys}[start]\nhold = \"clamped\"\nposition = [0, 0, 0]\ntangent = [1, 0, 0]\n[end]\nhold = \"free\"\n"
    );
    let (_, compiled) = scene::compile(&text, "the command line")?;
    Ok(compiled.cables[0].section.clone())
}

/// Fits a rod to a line, by a number of pieces or a tolerance, m.
pub fn fitted(
    line: &Line,
    section: &SectionProfile,
    model: FitModel,
    pieces: Option<u32>,
    tolerance: f64,
) -> Result<Found, Failure> {
    let up: Vec3 = line.up();
    let found = match pieces {
        Some(n) => fit(&line.curve, section, model, n as usize, &up),
        None => fit_within(&line.curve, section, model, tolerance, &up),
    };
    found.map_err(|error| Failure::Input(format!("{}: {error}", line.name)))
}

/// Runs the command.
pub fn run(args: &Fit) -> Result<u8, Failure> {
    args.picture.as_deref().map(Picture::of).transpose()?;
    if args.least_squares && args.model != Model::Helix {
        return Err(Failure::Input(
            "--least-squares: only helices have two ways; leave it out, or choose --model helix".into(),
        ));
    }
    let tolerance = drawn::length("--tolerance", &args.tolerance)?;
    let radius = args.made.radius()?;
    let line = args.reading.read(&args.curve, radius)?;
    let keys = args.made.keys(&line)?;
    if args.out.is_some() && keys.is_none() {
        return Err(Failure::Input(
            "--out: a scene needs to know what the cable is\n  say it: --part NAME, or --material NAME and --radius LENGTH; `flexline materials` lists them".into(),
        ));
    }
    let section = match &keys {
        Some(keys) => section(keys, line.curve.length())?,
        None => any_section()?,
    };
    let found = fitted(&line, &section, args.model.fitted(args.least_squares), args.elements, tolerance)?;
    let met = args.elements.is_none().then_some(found.deviation.largest <= tolerance);
    let ends = [0.0, found.rod.length()].map(|s| found.rod.station(&found.state, s));
    if let (Some(path), Some(keys)) = (&args.out, &keys) {
        let title = format!("Along {}", line.name);
        let rows = found.rod.natural_rows();
        let text = scene::write(&title, keys, (&found.rod, args.model.word()), ends, Far::Free, Some(&rows));
        scene::compile(&text, &path.display().to_string())?;
        write_file(path, text.as_bytes())?;
    }
    if let Some(path) = &args.picture {
        let radius = shown_radius(&line, radius);
        let (drawn, own) = (along(&line), stations(&found.rod, &found.state));
        let title = format!(
            "{}: drawn (grey), {} of {} {} (orange)",
            line.name,
            args.model.word(),
            found.pieces,
            found.rod.pieces().1
        );
        let curves = [
            picture::Shown {
                stations: &drawn,
                colour: picture::DRAWN,
                radius,
                start: End::Free,
                dashed: true,
            },
            picture::Shown {
                stations: &own,
                colour: picture::FOUND,
                radius: 0.6 * radius,
                start: End::Free,
                dashed: false,
            },
        ];
        picture::write(path, title, &curves)?;
    }
    line.complain();
    match args.json {
        true => print_json(&value(args, &line, &found, met)),
        false => tell(args, &line, &found, tolerance, met),
    }
    Ok(if met == Some(false) { NO } else { GOOD })
}

fn value(args: &Fit, line: &Line, found: &Found, met: Option<bool>) -> Value {
    let start = found.rod.station(&found.state, 0.0);
    let q = start.frame;
    let rows = found.rod.natural_rows();
    json!({
        "format": 1,
        "curve": line.value(),
        "model": args.model.word(),
        "method": match args.model {
            Model::Helix if !args.least_squares => "floating tangents",
            Model::Helix | Model::Clothoid => "least squares",
            _ => "along the curve",
        },
        "pieces": found.pieces,
        "length": found.rod.length(),
        "deviation": {
            "largest": found.deviation.largest,
            "at": found.deviation.at,
            "rms": found.deviation.rms,
        },
        "met": met,
        "most_turning": found.most_turning,
        "start": { "position": [start.position.x, start.position.y, start.position.z], "frame_wxyz": [q.w, q.i, q.j, q.k] },
        "strain": rows.iter().map(|(s, u)| [*s, u.x, u.y, u.z]).collect::<Vec<_>>(),
    })
}

fn tell(args: &Fit, line: &Line, found: &Found, tolerance: f64, met: Option<bool>) {
    print(&line.heading());
    let mut table = Table::new(&["", ""]);
    let mut row = |name: &str, value: String| table.row(&[name.to_owned(), value]);
    row("model", format!("{}, {} {}", args.model.word(), found.pieces, found.rod.pieces().1));
    row(
        "largest error",
        format!(
            "{} mm at s = {} mm{}",
            number(1e3 * found.deviation.largest),
            number(1e3 * found.deviation.at),
            match met {
                None => String::new(),
                Some(true) => format!(", within {} mm", number(1e3 * tolerance)),
                Some(false) => format!(
                    ", NOT within {} mm: the best of up to {}",
                    number(1e3 * tolerance),
                    args.model.fitted(false).most()
                ),
            }
        ),
    );
    row("error, root mean square", format!("{} mm", number(1e3 * found.deviation.rms)));
    if line.curve.noise().is_some() {
        row(
            "points from the smooth curve",
            format!(
                "{} mm root mean square, {} mm at most",
                number(1e3 * line.residual[1]),
                number(1e3 * line.residual[0])
            ),
        );
    }
    row(
        "length",
        format!(
            "{} mm, that of the curve {} mm",
            number(1e3 * found.rod.length()),
            number(1e3 * line.curve.length())
        ),
    );
    let framed = FramedCurve::new(&line.curve, &line.up());
    let sharpest =
        (0..=400).map(|k| framed.strain(framed.length() * f64::from(k) / 400.0).norm()).fold(0.0, f64::max);
    row("sharpest bend of the curve", format!("radius {} mm", number(1e3 / sharpest.max(1e-9))));
    if let Some(turning) = found.most_turning {
        let note = if turning > std::f64::consts::PI {
            ": it winds where the curve does not, as beside an inflection or where points are noisy; use more elements, or --noise"
        } else {
            ""
        };
        row("largest turn of a helix", format!("{:.0} degrees{note}", turning.to_degrees()));
    }
    table.print_plain();
    if let Some(path) = &args.out {
        print(&format!("written to {}: without loads the cable is as drawn\n", path.display()));
    }
}
