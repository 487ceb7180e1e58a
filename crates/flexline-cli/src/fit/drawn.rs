//! The curve of a file, smooth and by arc length, and what is wrong with it.

use crate::failure::Failure;
use crate::output::{complain, number};
use clap::{Args, ValueEnum};
use flexline::Vec3;
use flexline::inverse::{Centreline, Flaw, Noise, inspect};
use flexline_exchange::curve::{Curve, Curves};
use flexline_exchange::drawing::{MOST_BYTES, Up};
use flexline_scene::units::{Dimension, parse};
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;

/// Points of a file at most: beyond, every k-th is taken.
const MOST_POINTS: usize = 20_000;

/// How a file of a curve is read: which curve, in which unit, and how far off its points are.
#[derive(Args, Clone)]
pub struct Reading {
    /// What one unit of the file is, where it does not say
    #[arg(long, value_enum)]
    unit: Option<Unit>,
    /// Which axis of the file points up
    #[arg(long, value_enum, default_value_t = UpAxis::Z)]
    up: UpAxis,
    /// How far the points are off on each axis, as a standard deviation: a length such as "0.5 mm", "auto" to have it estimated, or "none" to
    /// go through them
    #[arg(long, value_name = "LENGTH", default_value = "none")]
    noise: String,
    /// Which curve of the file, by its name or number, where there are several
    #[arg(long = "curve", value_name = "NAME")]
    which: Option<String>,
    /// Follow it from its end to its beginning
    #[arg(long)]
    reverse: bool,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum UpAxis {
    Y,
    Z,
}

impl Unit {
    fn metres(self) -> f64 {
        match self {
            Self::M => 1.0,
            Self::Dm => 0.1,
            Self::Cm => 0.01,
            Self::Mm => 1e-3,
            Self::In => 0.0254,
            Self::Ft => 0.3048,
        }
    }
}

/// A curve that was read.
pub struct Line {
    /// The file, for headings.
    pub name: String,
    /// What the file is.
    pub format: &'static str,
    /// The points, m.
    pub points: Vec<Vec3>,
    /// The curve through or along them.
    pub curve: Centreline,
    /// What is wrong with the points.
    pub flaws: Vec<Flaw>,
    /// Radius of the cable, m, where the file says it.
    pub radius: Option<f64>,
    /// Distance of the points from the curve: the largest and the root of the mean of squares, m.
    pub residual: [f64; 2],
}

fn wrong(message: String) -> Failure {
    Failure::Input(message)
}

/// A length above zero from the command line.
pub fn length(option: &str, text: &str) -> Result<f64, Failure> {
    let own = parse(text, Dimension::Length).ok().filter(|x| *x > 0.0);
    own.ok_or_else(|| wrong(format!("{option} {text}: expected a length above zero, such as \"0.1 mm\"")))
}

impl Reading {
    /// Reads a curve; `radius` is that of the cable where the command line says it.
    pub fn read(&self, path: &Path, radius: Option<f64>) -> Result<Line, Failure> {
        let name = path.display().to_string();
        let noise = match self.noise.as_str() {
            "none" => Noise::None,
            "auto" => Noise::Estimated,
            text => Noise::Known(length("--noise", text)?),
        };
        let curves = Curves::read(&bytes(path)?).map_err(|e| wrong(format!("cannot read {name}: {e}")))?;
        let unit = self.unit.map(Unit::metres).or(curves.unit).ok_or_else(|| {
            let size = extent(&curves);
            wrong(format!(
                "{name} does not say its unit (about {0} across: {0} mm if millimetres, {0} m if metres)\n  say it: --unit mm, or m, dm, cm, in, ft",
                number(size)
            ))
        })?;
        let own = self.choose(&curves, &name)?;
        let up = if self.up == UpAxis::Y { Up::Y } else { Up::Z };
        let mut points: Vec<Vec3> =
            own.along().iter().map(|p| Vec3::from(up.turned((p * unit).into()))).collect();
        if self.reverse {
            points.reverse();
        }
        let step = points.len().div_ceil(MOST_POINTS).max(1);
        let last = points.len() - 1;
        let points: Vec<Vec3> = points
            .into_iter()
            .enumerate()
            .filter(|(k, _)| k % step == 0 || *k == last)
            .map(|own| own.1)
            .collect();
        let radius = radius.or(own.radii.first().map(|r| unit * r.1));
        // Points with noise bend and turn anyhow.
        let (kept, mut flaws) = inspect(&points, if noise == Noise::None { radius } else { None });
        if noise != Noise::None {
            flaws.retain(|flaw| !matches!(flaw, Flaw::Corner { .. } | Flaw::Crossing { .. }));
        }
        let curve = Centreline::new(&kept, noise).map_err(|e| {
            wrong(format!(
                "{name}: {e}\n  give more points, or leave --noise out to go through those that there are"
            ))
        })?;
        let residual = residual(&curve, &kept);
        Ok(Line { name, format: curves.format.name(), points: kept, curve, flaws, radius, residual })
    }

    fn choose<'c>(&self, curves: &'c Curves, name: &str) -> Result<&'c Curve, Failure> {
        let all = &curves.curves;
        let names = || {
            let word = |(k, own): (usize, &Curve)| match own.name.is_empty() {
                true => (k + 1).to_string(),
                false => format!("'{}'", own.name),
            };
            all.iter().enumerate().take(12).map(word).collect::<Vec<_>>().join(", ")
        };
        match &self.which {
            None if all.len() == 1 => Ok(&all[0]),
            None => Err(wrong(format!(
                "{name} has {} curves: {}\n  choose one: --curve NAME",
                all.len(),
                names()
            ))),
            Some(which) => {
                let number = which.parse::<usize>().ok().and_then(|k| all.get(k.wrapping_sub(1)));
                let found = all.iter().find(|own| own.name == *which).or(number);
                found.ok_or_else(|| wrong(format!("--curve {which}: {name} has {}", names())))
            }
        }
    }
}

impl Line {
    /// Tells what is wrong with the points on standard error.
    pub fn complain(&self) {
        for flaw in &self.flaws {
            complain(&format!("warning: {}: {flaw}", self.name));
        }
    }

    /// The first lines of a report.
    pub fn heading(&self) -> String {
        let mut text = format!(
            "{}: {}, {} points, {} mm long\n",
            self.name,
            self.format,
            self.points.len(),
            number(1e3 * self.curve.length())
        );
        if let (Some(noise), Some(freedom)) = (self.curve.noise(), self.curve.freedom()) {
            text += &format!(
                "smoothed: points off by {} mm on each axis (standard deviation), {:.0} of {} degrees of freedom kept\n",
                number(1e3 * noise),
                freedom,
                self.points.len()
            );
        }
        text
    }

    /// The same for machines.
    pub fn value(&self) -> Value {
        json!({
            "file": self.name,
            "format": self.format,
            "points": self.points.len(),
            "length": self.curve.length(),
            "noise": self.curve.noise(),
            "residual": { "largest": self.residual[0], "rms": self.residual[1] },
            "warnings": self.flaws.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    }

    /// Where d1 leans at the beginning: to world z, or x where the curve goes up.
    pub fn up(&self) -> Vec3 {
        let tangent = self.curve.at(0.0).tangent;
        if tangent.z.abs() > 0.999 { Vec3::x() } else { Vec3::z() }
    }
}

/// Distance of points from a curve that goes along them: the largest and the root of the mean of squares.
fn residual(curve: &Centreline, points: &[Vec3]) -> [f64; 2] {
    let mut s = 0.0;
    let (mut largest, mut squares) = (0.0f64, 0.0);
    let mut last = points[0];
    for p in points {
        s += (p - last).norm();
        last = *p;
        let mut distance = f64::INFINITY;
        let mut at = s.min(curve.length());
        for _ in 0..12 {
            let place = curve.at(at);
            let off = p - place.position;
            distance = distance.min(off.norm());
            let next = (at + off.dot(&place.tangent)).clamp(0.0, curve.length());
            if (next - at).abs() < 1e-9 * curve.length() {
                break;
            }
            at = next;
        }
        s = at;
        largest = largest.max(distance);
        squares += distance * distance;
    }
    [largest, (squares / points.len() as f64).sqrt()]
}

/// How large what is in a file is, in its unit.
fn extent(curves: &Curves) -> f64 {
    let poles = || curves.curves.iter().flat_map(|own| &own.pieces).flat_map(|own| &own.poles);
    let Some(first) = poles().next() else { return 0.0 };
    poles().map(|p| (p - first).amax()).fold(0.0, f64::max)
}

fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let told =
        |error: std::io::Error| wrong(format!("cannot read {}: {error}\n  check the path", path.display()));
    let file = std::fs::File::open(path).map_err(told)?;
    if file.metadata().map_err(told)?.is_dir() {
        return Err(wrong(format!("{} is a folder: expected a file of a curve", path.display())));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(told)?;
    Ok(bytes)
}
