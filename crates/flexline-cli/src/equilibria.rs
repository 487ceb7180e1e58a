//! `flexline equilibria`: all equilibria of a scene that can be found, and their branches along a parameter.

use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, number, print, print_json};
use crate::plot::Picture;
use crate::progress::Progress;
use crate::solved::SceneArgs;
use clap::Args;
use flexline::solver::Verdict;
use flexline::solver::network::Ended;
use flexline_plot::{
    Axis, Chart, Colour, ColourMap, ColourScale, End, Marker, Paint, Quantity, Series, Subject, Tube,
    ViewOptions, perspective,
};
use flexline_scene::units::{Dimension, parse};
use flexline_study::Range;
use flexline_study::equilibria::{Copy, Diagram, Equilibrium, Found, Kind, Origin, Search, Traced, Tracing};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// Colours of branches.
const COLOURS: [u32; 7] = [0x24_63a6, 0xd9_822b, 0x2f_8f5b, 0xa6_3d40, 0x7b_5ea7, 0x4a_a3b8, 0x6b_7280];

/// Find all equilibria of a scene that can be found, stable and unstable; follow them along a parameter, with folds and branch points
#[derive(Args)]
#[command(
    after_help = "Example: flexline equilibria scenes/buckling-strut.toml --diagram branches.svg --vary 'end.force.x=-0.05 N..-1.5 N'"
)]
pub struct Equilibria {
    #[command(flatten)]
    scene: SceneArgs,
    /// A parameter to follow branches along, as in "cable.length=400 mm..600 mm"
    #[arg(long, value_name = "NAME=FROM..TO", allow_hyphen_values = true)]
    vary: Option<String>,
    /// Leave out what has more energy than this, as in "0.2 J"
    #[arg(long, value_name = "ENERGY", allow_hyphen_values = true)]
    below: Option<String>,
    /// Random starts; with --vary at both ends of the range
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    starts: u32,
    /// What the random starts depend on
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A quantity to draw over the parameter instead of the energy, as in bend_radius or end.reaction.x (as `find` has them)
    #[arg(long, value_name = "QUANTITY", requires = "vary")]
    over: Option<String>,
    /// Picture of all equilibria to write, .svg or .png
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Branch diagram to write, .svg or .png: stable solid, unstable dashed
    #[arg(long, value_name = "FILE", requires = "vary")]
    diagram: Option<PathBuf>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Equilibria) -> Result<u8, Failure> {
    let kind = |option: &str, path: &Option<PathBuf>| {
        path.as_deref().map(Picture::of).transpose().map_err(|error| match error {
            Failure::Input(text) => Failure::Input(text.replacen("--out", option, 1)),
            other => other,
        })
    };
    let kinds = [kind("--picture", &args.picture)?, kind("--diagram", &args.diagram)?];
    let below = args.below.as_deref().map(energy).transpose()?;
    let base = args.scene.base()?;
    let search = Search { starts: args.starts as usize, seed: args.seed };
    let progress = Progress::new(u64::from(args.starts) + 1, "starts");
    let Some(vary) = &args.vary else {
        let mut found = search.run(&base, &base.text, &mut || progress.step())?;
        progress.finish();
        let all = found.equilibria.len();
        found.equilibria.retain(|own| below.is_none_or(|most| own.energy() <= most));
        if let (Some(path), Some(kind)) = (&args.picture, kinds[0]) {
            picture(&found, &base.name, path, kind)?;
        }
        match args.json {
            true => print_json(&json!({
                "format": FORMAT,
                "scene": base.name,
                "equilibria": found.equilibria.iter().map(values).collect::<Vec<_>>(),
                "left_out": all - found.equilibria.len(),
                "searches": found.tally,
                "complete": "not proved: these are the equilibria that were found",
            })),
            false => tell(&found, all - found.equilibria.len()),
        }
        return Ok(if found.equilibria.is_empty() { NO } else { GOOD });
    };
    let range = Range::parse(vary)?;
    progress.set(0, 2 * (u64::from(args.starts) + 1));
    let mut done = 0;
    let mut step = || {
        done += 1;
        progress.set(done, (2 * (u64::from(args.starts) + 1)).max(done + 1));
    };
    let tracing = Tracing { base: &base, range: &range, search, over: args.over.as_deref(), below };
    let diagram = tracing.run(&mut step)?;
    progress.finish();
    if let (Some(path), Some(kind)) = (&args.picture, kinds[0])
        && let Some(found) = &diagram.found[0]
    {
        picture(found, &base.name, path, kind)?;
    }
    if let (Some(path), Some(kind)) = (&args.diagram, kinds[1]) {
        draw(&diagram, &base.name, args.over.as_deref(), path, kind)?;
    }
    match args.json {
        true => print_json(&json!({
            "format": FORMAT,
            "scene": base.name,
            "parameter": range.name,
            "unit": range.unit,
            "now": diagram.now,
            "ends": diagram.found.iter().map(|found| found.as_ref().map(|found| json!({
                "equilibria": found.equilibria.iter().map(values).collect::<Vec<_>>(),
                "searches": found.tally,
            }))).collect::<Vec<_>>(),
            "trouble": diagram.trouble,
            "branches": diagram.branches,
            "cut_short": diagram.cut_short,
            "room": rooms(&diagram).iter().map(|(branch, room)| json!({ "branch": branch, "down": room[0], "up": room[1] })).collect::<Vec<_>>(),
            "complete": "not proved: these are the branches that were found",
        })),
        false => tell_branches(&diagram),
    }
    Ok(if diagram.branches.is_empty() { NO } else { GOOD })
}

fn energy(text: &str) -> Result<f64, Failure> {
    let number = text.trim().parse::<f64>().ok().or_else(|| parse(text.trim(), Dimension::Work).ok());
    number
        .filter(|own| own.is_finite())
        .ok_or_else(|| Failure::Input(format!("--below \"{text}\": expected an energy such as \"0.2 J\"")))
}

fn values(own: &Equilibrium) -> serde_json::Value {
    let report = &own.solved.solution.report;
    let cables = own.solved.compiled.cables.iter().zip(&own.solved.solution.profiles);
    let shapes = cables.map(|(cable, profile)| {
        let points: Vec<[f64; 3]> = profile.samples.iter().map(|sample| sample.position.into()).collect();
        json!({ "cable": cable.name, "points": points })
    });
    json!({
        "energy": own.energy(),
        "energies": own.energies,
        "stability": own.stability,
        "residual_force": report.residual_force,
        "largest_force": report.largest_force,
        "violation": report.violation,
        "lost_turns": own.solved.solution.lost.iter().map(|lost| &lost.cable).collect::<Vec<_>>(),
        "downhill": own.downhill,
        "deflated": own.deflated,
        "images": own.images,
        "shapes": shapes.collect::<Vec<_>>(),
    })
}

fn verdict(own: &Equilibrium) -> String {
    match &own.stability {
        None => "unknown".into(),
        Some(stability) => match (stability.verdict, stability.negative) {
            (Verdict::Stable, _) => "stable".into(),
            (Verdict::Neutral, _) => "neutral".into(),
            (Verdict::Unstable, 1) => "unstable, 1 way".into(),
            (Verdict::Unstable, n) => format!("unstable, {n} ways"),
        },
    }
}

/// The table of equilibria.
fn list(found: &Found) {
    let heads = ["#", "energy [J]", "verdict", "lambda", "unbalanced", "copies", "downhill", "deflated"];
    let mut table = Table::new(&heads);
    for (index, own) in found.equilibria.iter().enumerate() {
        let report = &own.solved.solution.report;
        let share = report.residual_force / report.largest_force.max(f64::MIN_POSITIVE);
        table.row(&[
            (index + 1).to_string(),
            number(own.energy()),
            verdict(own),
            own.stability.as_ref().map_or_else(String::new, |own| number(own.lambda_min)),
            format!("{share:.1e}"),
            copies(own),
            own.downhill.to_string(),
            own.deflated.to_string(),
        ]);
    }
    table.print();
    for (index, own) in found.equilibria.iter().enumerate() {
        for lost in &own.solved.solution.lost {
            print(&format!(
                "#{}: {} has other turns in it than were asked for: it is reached only through itself\n",
                index + 1,
                lost.cable
            ));
        }
        if own.stability.as_ref().is_some_and(|own| !own.complete) {
            print(&format!(
                "#{}: loads without potential or friction act: lambda judges the energy alone\n",
                index + 1
            ));
        }
    }
}

/// How many copies of each kind were seen.
fn copies(own: &Equilibrium) -> String {
    let kinds = [
        (Copy::Moved, "moved"),
        (Copy::Mirrored, "mirrored"),
        (Copy::Reversed, "reversed"),
        (Copy::ReversedAndMirrored, "reversed and mirrored"),
    ];
    let told = kinds.iter().filter_map(|(kind, word)| {
        let count = own.images.iter().filter(|image| image.copy == *kind).count();
        (count > 0).then(|| format!("{count} {word}"))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { "-".into() } else { told.join(", ") }
}

/// Where searches led.
fn searches(found: &Found) {
    let tally = &found.tally;
    print(&format!(
        "{} random starts: {} searches downhill ({} found nothing), {} deflated ({} found nothing new); the last new one came with start {}\n",
        tally.starts,
        tally.downhill[0],
        tally.downhill[1],
        tally.deflated[0],
        tally.deflated[1],
        tally.last_new
    ));
}

fn tell(found: &Found, left_out: usize) {
    list(found);
    print("\n");
    searches(found);
    if left_out > 0 {
        print(&format!("{left_out} above --below left out\n"));
    }
    print("These are the equilibria that were found; that there is no other is not proved.\n");
}

fn tell_branches(diagram: &Diagram) {
    let unit = diagram.range.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    let shown = |value: f64| format!("{}{unit}", number(value));
    for (found, end) in diagram.found.iter().zip(diagram.range.ends) {
        if let Some(found) = found {
            print(&format!("at {} = {}\n", diagram.range.name, shown(end)));
            list(found);
            searches(found);
            print("\n");
        }
    }
    if let Some(trouble) = &diagram.trouble {
        print(&format!("at {} = {}: {trouble}\n\n", diagram.range.name, shown(diagram.range.ends[1])));
    }
    for (index, branch) in diagram.branches.iter().enumerate() {
        print(&format!("branch {}: {}\n", index + 1, from_to(branch, diagram, &shown)));
        for event in &branch.events {
            let others: Vec<String> = event.branches.iter().map(|own| (own + 1).to_string()).collect();
            let what = match (event.kind, others.is_empty()) {
                (Kind::Fold, _) => "fold".into(),
                (Kind::TurningPoint, _) => "turns round".into(),
                (Kind::BranchPoint, true) => "branch point".into(),
                (Kind::BranchPoint, false) => format!("branch point, to branch {}", others.join(", ")),
            };
            print(&format!(
                "  {what} at {:.9}{unit} (within {:.0e}{unit}), energy {} J, {:+} directions{}\n",
                event.at,
                event.within,
                number(event.energy),
                event.change,
                if event.touching_changes { ", where what touches changes" } else { "" }
            ));
        }
        for own in &branch.stable {
            print(&format!("  stable from {} to {}\n", shown(own.ends[0]), shown(own.ends[1])));
        }
    }
    if let Some(now) = diagram.now {
        for (branch, room) in rooms(diagram) {
            let side =
                |room: Option<f64>, way: &str| room.map(|room| format!("{} {way}", shown(room))).into_iter();
            let told: Vec<String> = side(room[0], "less").chain(side(room[1], "more")).collect();
            let told = if told.is_empty() { "nowhere in the range".into() } else { told.join(", and ") };
            print(&format!(
                "now, at {}: the one of branch {} loses its stability {told}\n",
                shown(now),
                branch + 1
            ));
        }
    }
    if diagram.cut_short {
        print("there are more branches than are followed\n");
    }
    print("These are the branches that were found; that there is no other is not proved.\n");
}

fn from_to(branch: &Traced, diagram: &Diagram, shown: &dyn Fn(f64) -> String) -> String {
    let begin = match branch.origin {
        Origin::First(own) => format!("from #{} at {}", own + 1, shown(diagram.range.ends[0])),
        Origin::Last(own) => format!("from #{} at {}", own + 1, shown(diagram.range.ends[1])),
        Origin::BranchPoint(own, event) => {
            format!("from branch {} at {}", own + 1, shown(diagram.branches[own].events[event].at))
        }
    };
    let last = branch.places.last().map_or(f64::NAN, |own| own.at);
    let end = match branch.ended {
        Ended::Range => format!("to {}", shown(last)),
        Ended::Closed => "back to where it began".into(),
        Ended::Known => format!("to the branch point at {}", shown(last)),
        Ended::Lost => format!("lost at {}", shown(last)),
        Ended::TooLong => format!("left at {}, too long", shown(last)),
        Ended::Stopped => format!("stopped at {}", shown(last)),
    };
    let copies = match branch.images {
        0 => String::new(),
        1 => ", and a copy of it".into(),
        n => format!(", and {n} copies of it"),
    };
    format!("{begin} {end}, {} points{copies}", branch.places.len())
}

/// Every branch that is stable at the value that the scene has now, and how far that is from where it is no more.
fn rooms(diagram: &Diagram) -> Vec<(usize, [Option<f64>; 2])> {
    let Some(now) = diagram.now else { return Vec::new() };
    let mut all = Vec::new();
    for (index, branch) in diagram.branches.iter().enumerate() {
        let here = branch.stable.iter().filter(|own| own.ends[0] <= now && now <= own.ends[1]);
        all.extend(here.map(|own| (index, own.room(now))));
    }
    all
}

/// All equilibria in one picture, each in its colour.
fn picture(found: &Found, name: &str, path: &Path, kind: Picture) -> Result<(), Failure> {
    let count = found.equilibria.len();
    let mut tubes = Vec::new();
    for (index, own) in found.equilibria.iter().enumerate() {
        for profile in &own.solved.solution.profiles {
            tubes.push(Tube {
                centre: profile.samples.iter().map(|own| own.position.into()).collect(),
                frames: profile
                    .samples
                    .iter()
                    .map(|own| [own.frame.w, own.frame.i, own.frame.j, own.frame.k])
                    .collect(),
                radius: profile.samples.iter().map(|own| own.radius).collect(),
                paint: Paint::Values(vec![(index + 1) as f64; profile.samples.len()]),
                stripe: false,
                ends: [End::Free; 2],
            });
        }
    }
    let subject = Subject {
        title: format!("{name}: {count} equilibria, by energy"),
        tubes,
        solids: Vec::new(),
        loads: Vec::new(),
        scale: Some(ColourScale {
            map: ColourMap::Sequential,
            range: [1.0, count.max(2) as f64],
            title: "Number, by energy".into(),
            quantity: Quantity::Ratio,
        }),
    };
    kind.write(&perspective(&subject, &ViewOptions::default())?, path, 1600)
}

/// The branch diagram.
fn draw(
    diagram: &Diagram,
    name: &str,
    over: Option<&str>,
    path: &Path,
    kind: Picture,
) -> Result<(), Failure> {
    let mut series = Vec::new();
    for (index, branch) in diagram.branches.iter().enumerate() {
        let colour = Some(Colour::hex(COLOURS[index % COLOURS.len()]));
        let height = |place: &flexline_study::equilibria::Place| match over {
            Some(_) => place.value,
            None => Some(place.energy).filter(|own| own.is_finite()),
        };
        let mut piece: Vec<[f64; 2]> = Vec::new();
        let mut last: Option<(bool, [f64; 2])> = None;
        let mut title = format!("branch {}", index + 1);
        let mut flush = |piece: &mut Vec<[f64; 2]>, stable: bool| {
            let points = std::mem::take(piece);
            if points.len() > 1 {
                let own = Series::new(std::mem::take(&mut title), points);
                series.push(Series { colour, marker: Some(Marker::None), dashed: !stable, ..own });
            }
        };
        for (index, place) in branch.places.iter().enumerate() {
            let Some(own) = height(place) else { continue };
            let (stable, point) = (place.negative == 0, [place.at, own]);
            if let Some((was, before)) = last
                && was != stable
            {
                // Solid and dashed lines meet where the stability is lost.
                let event = branch.events.iter().find(|own| own.before == index && over.is_none());
                let meet = event.map_or(before, |own| [own.at, own.energy]);
                piece.push(meet);
                flush(&mut piece, was);
                piece.push(meet);
            }
            piece.push(point);
            last = Some((stable, point));
        }
        if let Some((was, _)) = last {
            flush(&mut piece, was);
        }
        let marks = branch.events.iter().filter_map(|own| {
            let place = branch.places.get(own.before)?;
            let y = if over.is_some() { place.value? } else { own.energy };
            Some([own.at, y])
        });
        let marks: Vec<[f64; 2]> = marks.collect();
        for mark in marks {
            let own = Series::new("", vec![mark]);
            series.push(Series { colour, marker: Some(Marker::Circle), ..own });
        }
    }
    let chart = Chart {
        title: format!("{name}: stable solid, unstable dashed"),
        x: Axis::linear(diagram.range.head().replace('_', " ")),
        y: Axis::linear(over.map_or("energy [J]".into(), |own| format!("{} [SI]", own.replace('_', " ")))),
        series,
        ..Chart::default()
    };
    if chart.series.is_empty() {
        return Err(Failure::Input("there is no branch to draw: no equilibrium was followed".into()));
    }
    kind.write(&chart.drawing(900.0, 620.0)?, path, 1600)
}
