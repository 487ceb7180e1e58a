//! `flexline experiment climbing`: a plant climbs a pole in loops, without friction (Casati &
//! Bertails-Descoubes 2013, §8, figure 10b).

use super::plant::{Plant, Seed, curvature, grown, positive, step};
use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use clap::Args;
use flexline::Vec3;
use flexline_plot::{Axis, Chart, Colour, Drawing, Marker, Path, Rect, Series, Stroke};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;

/// Grow a curly rod several loops up a vertical pole and tell its pitch along the way
///
/// A rod of natural curvature and twist is clamped on a vertical pole of radius R, rising at an angle, and grows
/// without friction, in equilibrium at every length. Its pitch is not uniform: it swings near the base and near
/// the tip, which stands on the pole by itself. Lengths are in R, K is the bending stiffness, that of twist 2K/3.
#[derive(Args)]
pub struct Climbing {
    /// Clothoid elements of the rod
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..=100))]
    elements: u16,
    /// Natural curvature times R
    #[arg(long, value_name = "RHO", value_parser = curvature, default_value_t = 1.2)]
    rho: f64,
    /// Natural twist times R: without it no rod climbs
    #[arg(long, value_name = "TWIST", value_parser = twist, default_value_t = 0.4, allow_negative_numbers = true)]
    twist: f64,
    /// Angle of the base above the horizontal, degrees
    #[arg(long, value_name = "DEGREES", value_parser = degrees, default_value_t = 15.0, allow_negative_numbers = true)]
    pitch: f64,
    /// Weight per length, K/R³
    #[arg(long, value_name = "WEIGHT", value_parser = weight, default_value_t = 0.0)]
    weight: f64,
    /// Length to grow to, R
    #[arg(long, value_name = "LENGTH", value_parser = grown, default_value_t = 33.0)]
    length: f64,
    /// Growth from one equilibrium to the next, R
    #[arg(long, value_name = "LENGTH", value_parser = step, default_value_t = 0.1)]
    step: f64,
    /// Stiffness k of the pole, K/R⁵: a rod enters by √(f/k) under a force f per length
    #[arg(long, value_name = "K", value_parser = positive, default_value_t = 1e7)]
    pole: f64,
    /// Picture to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!("expected a number from {low} to {high}")),
    }
}

fn twist(text: &str) -> Result<f64, String> {
    within(text, -10.0, 10.0)
}

fn degrees(text: &str) -> Result<f64, String> {
    within(text, -80.0, 80.0)
}

fn weight(text: &str) -> Result<f64, String> {
    within(text, 0.0, 10.0)
}

/// One place along the rod.
#[derive(Serialize)]
struct Line {
    s: f64,
    turns: f64,
    height: f64,
    /// Distance from the surface of the pole, negative inside.
    gap: f64,
    /// Degrees.
    pitch: f64,
}

/// Places told of the rod.
const PLACES: usize = 22;
/// Points of its picture per radius of the pole.
const FINENESS: f64 = 12.0;

/// Runs the command.
pub fn run(args: &Climbing) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let seed = Seed {
        rho: args.rho,
        elements: usize::from(args.elements),
        pole: args.pole,
        pitch: Some(args.pitch.to_radians()),
        twist: args.twist,
        weight: args.weight,
    };
    let Some(mut plant) = Plant::new(&seed)? else {
        return Err(Failure::Input(format!(
            "the seedling finds no equilibrium on a pole of stiffness {:e}; try a --pole between 1e5 and 1e9",
            args.pole
        )));
    };
    let left = plant.grow_up(args.length, args.step, &mut |_| {})?;
    let length = plant.length();
    let line = |k: usize| {
        let s = length * k as f64 / PLACES as f64;
        Line {
            s,
            turns: plant.turns(s),
            height: plant.station(s).position.z,
            gap: plant.radius(s) - 1.0,
            pitch: plant.pitch(s).to_degrees(),
        }
    };
    let lines: Vec<Line> = (0..=PLACES).map(line).collect();
    if args.json {
        print_json(&json!({
            "elements": args.elements, "length": length, "left_at": left, "turns": plant.turns(length),
            "along": lines,
        }));
    } else {
        report(args, &lines, left);
    }
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        picture.write(&drawing(&plant)?, path, 1800)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(if left.is_none() { GOOD } else { NO })
}

fn report(args: &Climbing, lines: &[Line], left: Option<f64>) {
    let mut table = Table::new(&["s / R", "turns", "height / R", "gap / R", "pitch °"]);
    for l in lines {
        table.row(&[
            format!("{:.1}", l.s),
            format!("{:.2}", l.turns),
            format!("{:.2}", l.height),
            format!("{:+.4}", l.gap),
            format!("{:.1}", l.pitch),
        ]);
    }
    table.print();
    match left {
        None => print(&format!("{} elements, the tip on the pole at every stage\n", args.elements)),
        Some(at) => print(&format!("the tip leaves the pole at a length of {at:.2} R\n")),
    }
}

/// Pole and plant from the side, seen along −x, and the pitch along s.
fn drawing(plant: &Plant) -> Result<Drawing, Failure> {
    let title = format!("{:.1} turns around a pole", plant.turns(plant.length()));
    let mut drawing = Drawing::new(900.0, 460.0, title.clone())?;
    drawing.description = "The plant from the side, and its pitch angle along it.".into();
    let count = (plant.length() * FINENESS).ceil() as usize;
    let arcs: Vec<f64> = (0..=count).map(|k| plant.length() * k as f64 / count as f64).collect();
    let places: Vec<Vec3> = arcs.iter().map(|s| plant.station(*s).position).collect();
    let over = |f: &dyn Fn(&Vec3) -> f64| places.iter().map(f).fold(0.0, f64::max);
    let (low, high) = (-over(&|x| -x.z) - 0.5, over(&|x| x.z) + 0.5);
    let wide = over(&|x| x.y.abs()).max(1.0);
    let scale = (420.0 / (high - low)).min(150.0 / wide);
    let on_page = |y: f64, z: f64| [170.0 + scale * y, 440.0 - scale * (z - low)];
    let side = |x: f64| move |p: &&[Vec3]| (p[0].x + p[1].x) * x > 0.0;
    let stretch = |front: f64| {
        let mut path = Path::new();
        for p in places.windows(2).filter(side(front)) {
            path.add_line(on_page(p[0].y, p[0].z), on_page(p[1].y, p[1].z));
        }
        path
    };
    let green = Colour::hex(0x3f_7d2e);
    drawing.stroke(stretch(-1.0), Stroke::new(green.with_opacity(0.45), 3.0).round());
    let [left, top] = on_page(-1.0, high);
    let pole = Rect::new(left, top, 2.0 * scale, (high - low) * scale);
    drawing.fill(Path::rect(pole, 0.0), Colour::hex(0xdd_d2c0).with_opacity(0.85));
    drawing.stroke(stretch(1.0), Stroke::new(green, 4.0).round());
    let pitches = arcs.iter().map(|s| [*s, plant.pitch(*s).to_degrees()]).collect();
    let chart = Chart {
        title,
        x: Axis::linear("s / R"),
        y: Axis::linear("pitch, °"),
        series: vec![Series {
            colour: Some(green),
            marker: Some(Marker::None),
            ..Series::new("angle of the tangent above the horizontal", pitches)
        }],
        ..Chart::default()
    };
    chart.draw(&mut drawing, Rect::new(350.0, 10.0, 535.0, 440.0))?;
    Ok(drawing)
}
