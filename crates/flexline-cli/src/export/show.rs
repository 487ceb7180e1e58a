//! `flexline export --to FILE.glb|usda|vtp|pvd`: cables for programs that show them, at rest or in motion; and USD to simulate.

use super::Export;
use super::robot::equilibrium;
use crate::failure::{Failure, GOOD, write_file};
use crate::output::{counted, print, print_json};
use crate::solved::Solved;
use clap::{Args, ValueEnum};
use flexline::{Quat, Vec3};
use flexline_exchange::playback::{Playback, Tube};
use flexline_exchange::{run, usd, vtk, write_glb};
use flexline_plot::ColourMap;
use flexline_scene::Deformables;
use serde_json::json;
use std::path::PathBuf;

/// Frames in a second at most.
const MOST_FRAMES: f64 = 30.0;

/// What is asked of files that are shown.
#[derive(Args)]
pub struct ShowArgs {
    /// Of .glb, .usda and .pvd: the motion to show, a run of `flexline simulate` of the same scene, instead of the equilibrium
    #[arg(long, value_name = "RUN")]
    at: Option<PathBuf>,
    /// Of .glb, .usda and .vtp: colour cables by this
    #[arg(long, value_enum)]
    colour: Option<Colouring>,
    /// Of .usda: write what simulates (AOUSD deformables) instead of what is played back
    #[arg(long)]
    physics: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Colouring {
    Curvature,
    Clearance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Glb,
    Usda,
    Vtp,
    Pvd,
}

fn format_of(args: &Export) -> Option<Format> {
    let ending = args.to.extension()?.to_str()?.to_ascii_lowercase();
    [("glb", Format::Glb), ("usda", Format::Usda), ("vtp", Format::Vtp), ("pvd", Format::Pvd)]
        .into_iter()
        .find_map(|(word, format)| (word == ending).then_some(format))
}

/// Whether the file asked for is one of these.
pub fn is_for(args: &Export) -> bool {
    format_of(args).is_some()
}

/// Runs the command.
pub fn run(args: &Export) -> Result<u8, Failure> {
    let Some(format) = format_of(args) else { return Ok(GOOD) };
    let show = &args.show;
    if show.physics && format != Format::Usda {
        return Err(Failure::Input("--physics: only a .usda has it".into()));
    }
    let solved = equilibrium(&args.scene)?;
    if show.physics {
        return physics(args, &solved);
    }
    let mut own = at_rest(&solved, show.colour);
    if let Some(path) = &show.at {
        if format == Format::Vtp {
            return Err(Failure::Input("--at: a .vtp is one moment; name the file .pvd for a motion".into()));
        }
        follow(&mut own, path)?;
        own.thin_out(1.0 / MOST_FRAMES);
    }
    let bytes = match format {
        Format::Glb => write_glb(&own),
        Format::Usda => usd::write_playback(&own).into_bytes(),
        Format::Vtp => vtk::write_vtp(&own, 0).into_bytes(),
        Format::Pvd => series(args, &own)?,
    };
    write_file(&args.to, &bytes)?;
    let (frames, cables) = (own.times.len(), own.cables.len());
    let seconds = own.times.last().unwrap_or(&0.0) - own.times.first().unwrap_or(&0.0);
    if args.json {
        print_json(&json!({
            "file": args.to.display().to_string(),
            "format": format!("{format:?}"),
            "bytes": bytes.len(),
            "cables": own.cables.iter().map(|own| json!({ "name": own.name, "nodes": own.radii.len() })).collect::<Vec<_>>(),
            "frames": frames,
            "seconds": seconds,
        }));
    } else {
        let what = if frames > 1 { format!("{frames} frames over {seconds:.3} s") } else { "at rest".into() };
        print(&format!(
            "{}, {what}, {} bytes written to {}\n",
            counted(cables, "cable"),
            bytes.len(),
            args.to.display()
        ));
    }
    Ok(GOOD)
}

/// The equilibrium.
fn at_rest(solved: &Solved, colouring: Option<Colouring>) -> Playback {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let mut own = compiled.playback(solution, solved.title());
    for (k, (tube, profile)) in own.cables.iter_mut().zip(&solution.profiles).enumerate() {
        tube.value = colouring.map(|by| match by {
            Colouring::Curvature => {
                let of = |s: &flexline::solver::Sample| f64::hypot(s.strain.x, s.strain.y);
                ("curvature".to_owned(), profile.samples.iter().map(of).collect::<Vec<f64>>())
            }
            Colouring::Clearance => {
                let near = compiled.clearances(solution, k);
                let of = |k: usize| near.get(k).map_or(f64::NAN, |own| own.gap);
                ("clearance".to_owned(), (0..profile.samples.len()).map(of).collect())
            }
        });
    }
    paint(&mut own.cables);
    own
}

/// Colours by the values, over the range that all of them have.
fn paint(cables: &mut [Tube]) {
    let values = cables.iter().filter_map(|own| own.value.as_ref()).flat_map(|(_, values)| values);
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    for own in cables {
        let of = |v: &f64| {
            let share = if high > low && v.is_finite() { (v - low) / (high - low) } else { 0.0 };
            let colour = ColourMap::Sequential.colour(share);
            [colour.r, colour.g, colour.b]
        };
        own.colours = own.value.as_ref().map(|(_, values)| values.iter().map(of).collect());
    }
}

/// Takes the frames of a run instead, which must be one of the same scene.
fn follow(own: &mut Playback, path: &std::path::Path) -> Result<(), Failure> {
    let (header, frames) = run::read(path)?;
    let other = |why: String| {
        Failure::Input(format!("--at {}: {why}; simulate this scene and give that run", path.display()))
    };
    if frames.is_empty() {
        return Err(other("it has no frames".into()));
    }
    let [ours, theirs] = [
        own.cables.iter().map(|c| (c.name.clone(), c.radii.len())).collect::<Vec<_>>(),
        header.cables.iter().map(|c| (c.name.clone(), c.nodes)).collect::<Vec<_>>(),
    ];
    if ours != theirs {
        let told = |all: &[(String, usize)]| {
            all.iter()
                .map(|(name, nodes)| format!("'{name}' with {nodes} nodes"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        return Err(other(format!("it has {}, the scene {}", told(&theirs), told(&ours))));
    }
    own.times = frames.iter().map(|frame| frame.head[0]).collect();
    let mut first = 0;
    for tube in &mut own.cables {
        let nodes = tube.radii.len();
        // What is coloured is the equilibrium, which a motion leaves.
        (tube.colours, tube.value) = (None, None);
        tube.frames =
            frames.iter().map(|frame| frame.poses[first..first + nodes].iter().map(pose).collect()).collect();
        first += nodes;
    }
    Ok(())
}

fn pose(own: &[f32; 7]) -> (Vec3, Quat) {
    let [x, y, z, w, i, j, k] = own.map(f64::from);
    let q = Quat::new(w, i, j, k);
    (Vec3::new(x, y, z), q * (1.0 / q.norm().max(f64::MIN_POSITIVE)))
}

/// A file for every frame in a folder beside, and what names them.
fn series(args: &Export, own: &Playback) -> Result<Vec<u8>, Failure> {
    let stem =
        args.to.file_stem().map_or_else(|| "frames".into(), |stem| stem.to_string_lossy().into_owned());
    let folder = args.to.with_extension("");
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::Output { path: folder.display().to_string(), error: error.to_string() })?;
    let name = |k: usize| format!("{k:05}.vtp");
    for k in 0..own.times.len() {
        write_file(&folder.join(name(k)), vtk::write_vtp(own, k).as_bytes())?;
    }
    Ok(vtk::write_pvd(&own.times, &|k| format!("{stem}/{}", name(k))).into_bytes())
}

/// Cables to simulate, where they meet, and where they are held.
fn physics(args: &Export, solved: &Solved) -> Result<u8, Failure> {
    let Deformables { cables, attached, notes } = solved.compiled.deformables(&solved.solution);
    let gravity = solved.compiled.network.gravity;
    let text = usd::write_physics(solved.title(), &gravity, &cables, &attached);
    write_file(&args.to, text.as_bytes())?;
    if args.json {
        print_json(&json!({
            "file": args.to.display().to_string(),
            "format": "USD physics",
            "bytes": text.len(),
            "cables": cables.len(),
            "attachments": attached.len(),
            "notes": notes,
        }));
    } else {
        let own = counted(cables.len(), "deformable");
        let ties = counted(attached.len(), "attachment");
        print(&format!("{own} with {ties} written to {}\n", args.to.display()));
        notes.iter().for_each(|note| print(&format!("note: {note}\n")));
    }
    Ok(GOOD)
}
