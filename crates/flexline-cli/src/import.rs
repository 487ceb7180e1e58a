//! `flexline import`: a file of another program, read, told of, and put into a scene.

mod cable;
mod centreline;
mod harness;
mod mujoco;
mod report;
mod scene;

pub use harness::planned;

use crate::failure::{Failure, GOOD, NO};
use crate::output::{print, print_json};
use clap::{Args, ValueEnum};
use flexline_exchange::drawing::{Drawing, MOST_BYTES, Up};
use flexline_exchange::kbl::is_harness_data;
use flexline_session::import::{beside, cables_of};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

const EXAMPLES: &str = "Examples:
  flexline import bracket.wrl                              what is in it, how sound its surfaces are
  flexline import bracket.stl --unit mm --to door.toml     an obstacle of the scene door.toml
  flexline import gearbox.glb --each --to door.toml        every part an obstacle of its own
  flexline import hose.stl --as cable --unit mm --json     the centreline of a hose from its surface
  flexline import hose.stl --as cable --unit mm --material epdm-60 --to hose.toml    and a scene with it
  flexline import hose.stl --as cable --unit mm --from 0,10,0 --until 85,10,0        only the stretch between two places
  flexline import path.step --as centreline --radius \"4 mm\" --material epdm-60 --to hose.toml    a cable along a line
  flexline import door.kbl --to door.toml                  a wire harness from its KBL data

STL, OBJ, PLY, glTF, Open Inventor, VRML, URDF, SDF and KBL are read, as centrelines STEP, IGES, VDA-FS and tables of points; the contents tell which it is, never the name. Where the file does not say
its unit, --unit must.";

/// Read a file of another program: what is in it, as an obstacle of a scene or as a cable
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Import {
    /// File: STL, OBJ, PLY, glTF, Open Inventor, VRML, URDF, SDF or KBL; as a centreline STEP, IGES, VDA-FS or a table of points
    pub(super) file: PathBuf,
    /// What it is
    #[arg(long = "as", value_enum, default_value_t = Kind::Obstacle)]
    kind: Kind,
    /// What one unit of the file is, instead of what the file says
    #[arg(long, value_enum)]
    unit: Option<Unit>,
    /// Which axis of the file points up, instead of what the file says; z where nothing says
    #[arg(long, value_enum)]
    up: Option<UpAxis>,
    /// Scene to which obstacles are added, their files copied to `meshes` beside it where they are elsewhere; of cables that one or a new one
    #[arg(long, value_name = "SCENE")]
    to: Option<PathBuf>,
    /// Name of the obstacle, or title of the scene of cables; the name of the file where none is given
    #[arg(long, requires = "to")]
    name: Option<String>,
    /// Of cables that go into a scene: the material of the library that they are made of
    #[arg(long, requires = "to", value_name = "NAME")]
    material: Option<String>,
    /// Of a cable: only the stretch from this place of its surface, in the unit and axes of the file; the rest stays an obstacle
    #[arg(long, requires = "until", value_name = "X,Y,Z", allow_hyphen_values = true)]
    from: Option<cable::Place>,
    /// Of a cable: where that stretch ends
    #[arg(long, requires = "from", value_name = "X,Y,Z", allow_hyphen_values = true)]
    until: Option<cable::Place>,
    /// Of centrelines: how thick the cable is, where the file does not say
    #[arg(long, value_name = "LENGTH")]
    radius: Option<String>,
    /// Of cables that go into a scene: without loads they are straight, not as they are drawn
    #[arg(long, requires = "to")]
    straight: bool,
    /// Of harness data: only these modules, by id, part number, abbreviation or code
    #[arg(long, value_name = "MODULE", value_delimiter = ',')]
    modules: Vec<String>,
    /// Make every part an obstacle of its own
    #[arg(long, requires = "to")]
    each: bool,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Something that cables cannot enter
    Obstacle,
    /// Hoses and cables, found by a fit to their surface
    Cable,
    /// Harness data (KBL): a network of bundles; what it is without saying so where the file is KBL
    Harness,
    /// Lines that cables follow: STEP, IGES, VDA-FS, tables and points; pipes of STEP by their centreline
    Centreline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unit {
    M,
    Dm,
    Cm,
    Mm,
    In,
    Ft,
}

impl Unit {
    /// In metres, and as scene files write it.
    fn value(self) -> (f64, &'static str) {
        match self {
            Self::M => (1.0, "m"),
            Self::Dm => (0.1, "dm"),
            Self::Cm => (0.01, "cm"),
            Self::Mm => (1e-3, "mm"),
            Self::In => (0.0254, "in"),
            Self::Ft => (0.3048, "ft"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UpAxis {
    Y,
    Z,
}

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Option,
    File,
    Nobody,
}

impl Said {
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Option => Some("option"),
            Self::File => Some("file"),
            Self::Nobody => None,
        }
    }
}

/// A file that was read, with its unit and axis settled.
struct Imported {
    drawing: Drawing,
    unit: Option<(f64, &'static str)>,
    unit_said: Said,
    up: Up,
    up_said: Said,
}

/// Runs the command.
pub fn run(args: &Import) -> Result<u8, Failure> {
    let bytes = read_file(&args.file)?;
    if args.kind == Kind::Harness || is_harness_data(&bytes) {
        return harness::run(args, &bytes);
    }
    if args.kind == Kind::Centreline {
        return centreline::run(args, &bytes);
    }
    if let Some(code) = mujoco::import(args, &bytes)? {
        return Ok(code);
    }
    let name = args.file.display();
    let drawing = Drawing::read_beside(&bytes, &|other| beside(&args.file, other))
        .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
    let (unit, unit_said) = match (args.unit, drawing.unit) {
        (Some(unit), _) => (Some(unit.value()), Said::Option),
        (None, Some(_)) => (Some((1.0, "m")), Said::File),
        (None, None) => (None, Said::Nobody),
    };
    let (up, up_said) = match (args.up, drawing.up) {
        (Some(UpAxis::Y), _) => (Up::Y, Said::Option),
        (Some(UpAxis::Z), _) => (Up::Z, Said::Option),
        (None, Some(up)) => (up, Said::File),
        (None, None) => (Up::Z, Said::Nobody),
    };
    let own = Imported { drawing, unit, unit_said, up, up_said };
    match args.kind {
        Kind::Cable => cables(args, &own),
        _ => obstacle(args, &own, &bytes),
    }
}

fn obstacle(args: &Import, own: &Imported, bytes: &[u8]) -> Result<u8, Failure> {
    let added = match &args.to {
        None => Vec::new(),
        Some(scene) => scene::add(args, own, bytes, scene)?,
    };
    if args.json {
        print_json(&report::value(args, own, &added));
    } else {
        report::print_all(args, own, &added);
    }
    Ok(GOOD)
}

/// The unit, or an error that asks for it with what it would mean.
fn unit_of(args: &Import, own: &Imported) -> Result<f64, Failure> {
    own.unit.map(|unit| unit.0).ok_or_else(|| {
        let guess = report::guess(&own.drawing).map_or(String::new(), |text| format!(" ({text})"));
        Failure::Input(format!(
            "{} does not say its unit{guess}\n  say it: --unit mm, or m, dm, cm, in, ft",
            args.file.display()
        ))
    })
}

fn cables(args: &Import, own: &Imported) -> Result<u8, Failure> {
    let unit = unit_of(args, own)?;
    let between = args.from.zip(args.until).map(|(from, until)| [from.0, until.0]);
    let begun = Instant::now();
    let (found, remainder) = cables_of(&own.drawing, unit, own.up, between).map_err(Failure::Input)?;
    let seconds = begun.elapsed().as_secs_f64();
    if let (Some(path), None) = (&args.to, &found.refused) {
        cable::write(args, &found, remainder.as_ref(), path)?;
    }
    let stays = remainder.as_ref().map(|own| own.triangles.len()).filter(|_| between.is_some());
    if args.json {
        let mut value = found.to_json(seconds);
        if let Some(triangles) = stays {
            value["remainder"] = triangles.into();
        }
        print_json(&value);
        return Ok(if found.refused.is_some() { NO } else { GOOD });
    }
    report::heading(args, own);
    if let Some(reason) = &found.refused {
        print(&format!("no cable: {reason}\n"));
        return Ok(NO);
    }
    report::print_cables(&found);
    if let Some(triangles) = stays {
        print(&format!("note: {triangles} triangles stay an obstacle, cut at the two places\n"));
    }
    if let Some(path) = &args.to {
        print(&format!("\nwritten to {}, held at its ends as drawn\n", path.display()));
    }
    Ok(GOOD)
}

/// The bytes of the file, no more than may be.
fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let name = path.display();
    let wrong =
        |error: std::io::Error| Failure::Input(format!("cannot read {name}: {error}\n  check the path"));
    let file = std::fs::File::open(path).map_err(wrong)?;
    if file.metadata().map_err(wrong)?.is_dir() {
        return Err(Failure::Input(format!("{name} is a folder: expected a file")));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(wrong)?;
    Ok(bytes)
}
