//! `flexline experiment twining`: which plants can twine around a pole, in the plane and without friction
//! (Casati & Bertails-Descoubes 2013, §8, figure 10a; Goriely & Neukirch 2006).

use super::elastica;
use super::plant::{Plant, Seed, curvature, grown, positive, step};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::plot::Picture;
use clap::Args;
use flexline_plot::{Axis, Chart, Colour, Drawing, Guide, Marker, Path, Rect, Series, Stroke};
use serde_json::json;
use std::path::PathBuf;

/// Find the largest natural curvature with which a rod twines around a pole, in the plane
///
/// A rod of natural curvature κ̂ is clamped along a round pole of radius R and grows, without friction,
/// in equilibrium at every length. With ρ = κ̂R below a threshold its tip stays on the pole and the rod winds on
/// behind it; above, the tip slides away. The threshold is found by bisection and printed beside that of an
/// elastica found by shooting. Lengths are in R, forces in K/R², K being the bending stiffness.
#[derive(Args)]
pub struct Twining {
    /// Clothoid elements of the rod
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    elements: u16,
    /// Grow a rod of this ρ only, instead of looking for the threshold
    #[arg(long, value_name = "RHO", value_parser = curvature)]
    rho: Option<f64>,
    /// Length up to which the tip has to stay on the pole, R
    #[arg(long, value_name = "LENGTH", value_parser = grown, default_value_t = 5.0)]
    length: f64,
    /// Growth from one equilibrium to the next, R
    #[arg(long, value_name = "LENGTH", value_parser = step, default_value_t = 0.02)]
    step: f64,
    /// Stiffness k of the pole, K/R⁵: a rod enters by √(f/k) under a force f per length
    #[arg(long, value_name = "K", value_parser = positive, default_value_t = 1e8)]
    pole: f64,
    /// Picture of shapes and curvatures to write; .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Natural curvatures between which the threshold is looked for, and to how much.
const BETWEEN: [f64; 2] = [1.5, 6.0];
const PRECISION: f64 = 2e-4;
/// What Goriely and Neukirch give.
const PUBLISHED: f64 = 3.3;
/// Shapes in a picture, and points of each.
const SHAPES: usize = 5;
const POINTS: usize = 200;
const COLOURS: [u32; SHAPES] = [0x9b_c4e2, 0x5a_9bd4, 0x2c_6fb0, 0x1b_4a80, 0xc0_4a2b];

/// How a plant fared.
struct Fate {
    rho: f64,
    /// Where it left the pole; `None` for one that twines.
    left: Option<f64>,
    /// Stages of its growth, the last included.
    stages: Vec<Plant>,
}

fn fate(args: &Twining, rho: f64) -> Result<Fate, Failure> {
    let seed = Seed {
        rho,
        elements: usize::from(args.elements),
        pole: args.pole,
        pitch: None,
        twist: 0.0,
        weight: 0.0,
    };
    let Some(mut plant) = Plant::new(&seed)? else {
        return Err(Failure::Input(format!(
            "a seedling of rho = {rho} finds no equilibrium on a pole of stiffness {:e}; \
             try a --pole between 1e5 and 1e9",
            args.pole
        )));
    };
    let mut stages = vec![plant.clone()];
    let left = plant.grow_up(args.length, args.step, &mut |p| {
        let next = args.length * stages.len() as f64 / SHAPES as f64;
        if p.length() >= next * (1.0 - 1e-12) {
            stages.push(p.clone());
        }
    })?;
    // The seedling only stood in for the first stage; a plant that left the pole is shown as it was then.
    stages.remove(0);
    if left.is_some() {
        stages.push(plant);
    }
    Ok(Fate { rho, left, stages })
}

/// The plants on both sides of the threshold.
fn bisect(args: &Twining) -> Result<[Fate; 2], Failure> {
    let (mut twines, mut leaves) = (fate(args, BETWEEN[0])?, fate(args, BETWEEN[1])?);
    if twines.left.is_some() || leaves.left.is_none() {
        return Err(Failure::Input(format!(
            "no threshold between rho = {} and {}: a rod of {} elements is too coarse for a length of {} R, or \
             the pole too soft or too stiff; more --elements, a smaller --length, or a --pole near 1e8",
            BETWEEN[0], BETWEEN[1], args.elements, args.length
        )));
    }
    while leaves.rho - twines.rho > PRECISION {
        let middle = fate(args, 0.5 * (twines.rho + leaves.rho))?;
        if middle.left.is_none() {
            twines = middle;
        } else {
            leaves = middle;
        }
    }
    Ok([twines, leaves])
}

/// Runs the command.
pub fn run(args: &Twining) -> Result<u8, Failure> {
    let picture = args.plot.as_deref().map(Picture::of).transpose()?;
    let shown = match args.rho {
        Some(rho) => one(args, fate(args, rho)?),
        None => threshold(args)?,
    };
    if let (Some(path), Some(picture)) = (&args.plot, picture) {
        picture.write(&drawing(&shown)?, path, 1800)?;
        if !args.json {
            print(&format!("{} written\n", path.display()));
        }
    }
    Ok(GOOD)
}

/// Tells of one plant.
fn one(args: &Twining, fate: Fate) -> Fate {
    let depth = fate.stages.last().map_or([0.0; 2], Plant::depth);
    let turns = fate.stages.last().map_or(0.0, |p| p.turns(p.length()));
    if args.json {
        print_json(&json!({
            "rho": fate.rho, "twines": fate.left.is_none(), "left_at": fate.left, "turns": turns,
            "depth_at_tip": depth[0], "depth_elsewhere": depth[1],
        }));
    } else {
        print(&match fate.left {
            None => format!(
                "rho = {}: twines up to {} R, {turns:.3} turns around the pole\n",
                fate.rho, args.length
            ),
            Some(at) => format!("rho = {}: leaves the pole at a length of {at:.2} R\n", fate.rho),
        });
        print(&format!("enters the pole by {:.1e} R at the tip, {:.1e} R elsewhere\n", depth[0], depth[1]));
    }
    fate
}

/// Finds and tells the threshold; the last plant that twines.
fn threshold(args: &Twining) -> Result<Fate, Failure> {
    let [twines, leaves] = bisect(args)?;
    let found = 0.5 * (twines.rho + leaves.rho);
    let exact = elastica::threshold();
    let depth = twines.stages.last().map_or([0.0; 2], Plant::depth);
    let percent = |of: f64| 100.0 * (found / of - 1.0);
    if args.json {
        print_json(&json!({
            "elements": args.elements, "threshold": found, "elastica": exact.rho,
            "free_length": exact.free, "deviation": found / exact.rho - 1.0,
            "left_at": leaves.left, "depth_at_tip": depth[0], "depth_elsewhere": depth[1],
        }));
    } else {
        let mut table = Table::new(&["", "rho"]);
        table.row(&[format!("{} clothoid elements", args.elements), format!("{found:.4}")]);
        table.row(&[
            "elastica by shooting".into(),
            format!("{:.6}  ({:+.2} %)", exact.rho, percent(exact.rho)),
        ]);
        table
            .row(&["Goriely & Neukirch".into(), format!("{PUBLISHED}       ({:+.2} %)", percent(PUBLISHED))]);
        table.print_plain();
        print(&format!(
            "twines up to {} R at rho = {:.4}, leaves at {:.2} R at {:.4}\n",
            args.length,
            twines.rho,
            leaves.left.unwrap_or(args.length),
            leaves.rho
        ));
        print(&format!("enters the pole by {:.1e} R at the tip, {:.1e} R elsewhere\n", depth[0], depth[1]));
    }
    Ok(twines)
}

/// Shapes on the left, curvatures on the right.
fn drawing(fate: &Fate) -> Result<Drawing, Failure> {
    let title = format!("A rod of ρ = {:.3} grows around a pole", fate.rho);
    let mut drawing = Drawing::new(900.0, 420.0, title.clone())?;
    drawing.description = "Shapes at several lengths, and curvature along the rod.".into();
    // Of the lower right corner of the pole's box nothing is lost: shapes stay within two radii.
    let scale = 95.0;
    let on_page = |x: f64, y: f64| [205.0 + scale * x, 215.0 - scale * y];
    drawing.fill(Path::circle(on_page(0.0, 0.0), scale), Colour::hex(0xdd_d8cf));
    let mut series = Vec::new();
    for (plant, colour) in fate.stages.iter().zip(COLOURS.map(Colour::hex)) {
        let arcs: Vec<f64> = (0..=POINTS).map(|k| plant.length() * k as f64 / POINTS as f64).collect();
        let points: Vec<[f64; 2]> = arcs
            .iter()
            .map(|s| {
                let x = plant.station(*s).position;
                on_page(x.x, x.y)
            })
            .collect();
        drawing.stroke(Path::polyline(&points), Stroke::new(colour, 2.4).round());
        series.push(Series {
            colour: Some(colour),
            marker: Some(Marker::None),
            ..Series::new(
                format!("{:.1} R", plant.length()),
                arcs.iter().map(|s| [*s, plant.strain(*s).x]).collect(),
            )
        });
    }
    let chart = Chart {
        title,
        x: Axis::linear("s / R"),
        y: Axis::linear("κ R"),
        series,
        guides: vec![
            Guide { value: 1.0, label: "pole".into() },
            Guide { value: fate.rho, label: "natural".into() },
        ],
    };
    chart.draw(&mut drawing, Rect::new(420.0, 10.0, 465.0, 400.0))?;
    Ok(drawing)
}
