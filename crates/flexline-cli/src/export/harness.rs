//! What leaves a harness: its KBL data written back, cut list, form board, WireViz.

use super::{Export, centrelines};
use crate::failure::{Failure, GOOD, write_file};
use crate::import::planned;
use crate::output::{print, print_json};
use crate::solved::{Solved, solve};
use clap::{Args, ValueEnum};
use flexline::solver::Status;
use flexline_exchange::board::{Board, BoardNode, BoardSegment, Paper};
use flexline_exchange::centreline::Centreline;
use flexline_exchange::kbl::{
    Change, CutList, Dialect, Kbl, Line, Plan, Reserve, Rest, Text, Wishes, spread, wireviz, write_back,
};
use flexline_scene::Scene;
use flexline_scene::model::{KblOrigin, SectionBase};
use flexline_scene::units::{Dimension, parse};
use serde_json::json;
use std::path::{Component, Path};

/// What is asked of harness data.
#[derive(Args)]
pub struct HarnessArgs {
    /// A .csv is a cut list, not a table of places
    #[arg(long)]
    cut_list: bool,
    /// How much longer wires are cut: a share of their length
    #[arg(long, value_name = "SHARE", default_value = "0 %")]
    reserve: String,
    /// How much longer wires are cut: a length for every end
    #[arg(long, value_name = "LENGTH", default_value = "0 mm")]
    per_end: String,
    /// Lengths with reserve are rounded up to a multiple of this
    #[arg(long, value_name = "LENGTH", default_value = "5 mm")]
    round: String,
    /// Of a KBL file: how the knots of new curves are meant; as the file does where it is not said
    #[arg(long, value_enum)]
    kbl_dialect: Option<DialectWord>,
    /// Of a KBL file: write every segment as it is in equilibrium, not only those that have moved since the import
    #[arg(long)]
    all_segments: bool,
    /// Of a form board: the angle at which branches leave, degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0)]
    branch_angle: f64,
    /// Of a form board: what lengths may be off, as it is lettered
    #[arg(long, value_name = "LENGTH", default_value = "5 mm")]
    length_tolerance: String,
    /// Of a form board as PDF: what it is printed on
    #[arg(long, value_enum, default_value_t = PaperWord::A4)]
    paper: PaperWord,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DialectWord {
    /// Knots repeated at the ends
    Clamped,
    /// Uniform knots, as VOBES has them
    Vobes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PaperWord {
    A4,
    A3,
    /// One page as large as the board
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Kbl,
    CutCsv,
    CutHtml,
    Svg,
    Pdf,
    Dxf,
    WireViz,
}

fn wanted(args: &Export) -> Option<Wanted> {
    let ending = args.to.extension().and_then(|own| own.to_str()).unwrap_or_default().to_ascii_lowercase();
    Some(match ending.as_str() {
        "kbl" => Wanted::Kbl,
        "csv" if args.harness.cut_list => Wanted::CutCsv,
        "html" | "htm" => Wanted::CutHtml,
        "svg" => Wanted::Svg,
        "pdf" => Wanted::Pdf,
        "dxf" => Wanted::Dxf,
        "yml" | "yaml" => Wanted::WireViz,
        _ => return None,
    })
}

fn wrong(message: impl Into<String>) -> Failure {
    Failure::Input(message.into())
}

impl HarnessArgs {
    fn length(flag: &str, text: &str) -> Result<f64, Failure> {
        parse(text, Dimension::Length).ok().filter(|own| (0.0..=100.0).contains(own)).ok_or_else(|| {
            wrong(format!("{flag} {text}: expected a length of 0 to 100 m, such as \"20 mm\""))
        })
    }

    fn rule(&self) -> Result<Reserve, Failure> {
        let share = parse(&self.reserve, Dimension::Ratio)
            .ok()
            .filter(|own| (0.0..=10.0).contains(own))
            .ok_or_else(|| {
                wrong(format!("--reserve {}: expected a share of 0 to 1000 %, such as \"3 %\"", self.reserve))
            })?;
        let per_end = Self::length("--per-end", &self.per_end)?;
        Ok(Reserve { share, per_end, round: Self::length("--round", &self.round)? })
    }

    /// The rule, where it asks for more than rounding.
    fn asked(&self) -> Result<Option<Reserve>, Failure> {
        Ok(Some(self.rule()?).filter(|own| own.share > 0.0 || own.per_end > 0.0))
    }
}

/// Runs the command where it is about harness data; `None` where it is about centrelines.
pub fn run(args: &Export) -> Result<Option<u8>, Failure> {
    let Some(wanted) = wanted(args) else { return Ok(None) };
    let scene = Scene::load(&args.scene.scene)?;
    match wanted {
        Wanted::Svg | Wanted::Pdf | Wanted::Dxf => form_board(args, &scene, wanted)?,
        Wanted::Kbl => kbl(args, &scene)?,
        Wanted::CutCsv | Wanted::CutHtml | Wanted::WireViz => {
            let data = Data::of(args, &scene)?;
            let longer = data.longer(&scene);
            let rule = args.harness.rule()?;
            let list = CutList::new(&data.kbl, &data.plan, &longer, &rule);
            let text = match wanted {
                Wanted::CutCsv => list.to_csv(),
                Wanted::CutHtml => list.to_html(&rule),
                _ => wireviz(&data.kbl, &data.plan, &longer),
            };
            write_file(&args.to, text.as_bytes())?;
            // Cores of one cable are cut once.
            let mut cables = std::collections::BTreeMap::new();
            for own in &list.wires {
                cables.insert(own.wire.split('/').next().unwrap_or_default(), own.cut.unwrap_or(0.0));
            }
            let cut: f64 = cables.values().sum();
            let unknown = list.wires.iter().filter(|own| own.length.is_none()).count();
            if args.json {
                print_json(&json!({
                    "file": args.to.display().to_string(),
                    "wires": list.wires.len(),
                    "without_length": unknown,
                    "cut_mm": cut,
                    "placed": list.placed.len(),
                }));
            } else {
                print(&format!(
                    "{} wires ({unknown} without a length), {} protections and fixings; {:.3} m of wire to cut\nwritten to {}\n",
                    list.wires.len(),
                    list.placed.len(),
                    1e-3 * cut,
                    args.to.display()
                ));
            }
        }
    }
    Ok(Some(GOOD))
}

/// Harness data that a scene came from.
struct Data {
    bytes: Vec<u8>,
    kbl: Kbl,
    plan: Plan,
    origin: KblOrigin,
}

impl Data {
    fn of(args: &Export, scene: &Scene) -> Result<Self, Failure> {
        let name = args.scene.scene.display();
        let origin = scene.kbl.clone().ok_or_else(|| {
            wrong(format!("{name} does not come from harness data: it has no [kbl]\n  make it with `flexline import FILE.kbl --to SCENE`"))
        })?;
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(&origin.file).components().all(inside) {
            return Err(wrong(format!(
                "kbl.file = \"{}\": expected a file in the folder of the scene",
                origin.file
            )));
        }
        let folder =
            args.scene.scene.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let path = folder.join(&origin.file);
        let bytes = std::fs::read(&path).map_err(|error| {
            wrong(format!("cannot read {}: {error}\n  put the harness data beside the scene", path.display()))
        })?;
        let kbl =
            Kbl::read(&bytes).map_err(|error| wrong(format!("cannot read {}: {error}", path.display())))?;
        let plan = planned(&kbl, &origin.modules)?;
        Ok(Self { bytes, kbl, plan, origin })
    }

    /// How much longer cables are than the import made them, m.
    fn longer(&self, scene: &Scene) -> Vec<f64> {
        let now = |name: &str| {
            scene.cables.iter().find(|own| own.cable.name == name).map(|own| own.cable.length + own.feed)
        };
        let longer = |own: &flexline_exchange::kbl::PlannedCable| {
            let difference = now(&own.name).map_or(0.0, |now| now - own.length);
            // The scene has nine digits.
            if difference.abs() > 2e-9 { difference } else { 0.0 }
        };
        self.plan.cables.iter().map(longer).collect()
    }

    /// The scene as the import made it.
    fn imported(&self) -> Result<Scene, Failure> {
        let rest = if self.origin.straight { Rest::Straight } else { Rest::Drawn };
        let text = self.plan.to_scene(&self.kbl, "", &self.origin.file, rest);
        Ok(Scene::read(&text, "the scene as it was imported")?)
    }
}

/// Whether two scenes are the same in all that matters for where cables lie.
fn alike(a: &Scene, b: &Scene) -> bool {
    a.gravity == b.gravity
        && a.ports == b.ports
        && a.parts == b.parts
        && a.junctions == b.junctions
        && a.cables == b.cables
        && a.clips == b.clips
        && a.eyes == b.eyes
        && a.beads == b.beads
        && a.constraints == b.constraints
        && a.loads == b.loads
        && a.poles == b.poles
        && a.obstacles == b.obstacles
        && a.bundles == b.bundles
        && a.contact == b.contact
}

/// The line of a cable, of a solved scene.
fn line_of(lines: &[Centreline], name: &str) -> Option<Line> {
    let own = lines.iter().find(|own| own.name == name)?;
    Some(Line { places: own.points.iter().map(|p| (p.s, p.position, p.tangent)).collect() })
}

/// How much finer than the scene curves are solved for: one through the nodes of chords h is longer than its cable by (κh)²/24, which is
/// a tenth of a millimetre at the segments of an import, and a sixteenth of that here.
const FINER: usize = 4;

fn in_equilibrium(args: &Export, mut scene: Scene) -> Result<Solved, Failure> {
    for own in scene.cables.iter_mut().map(|own| &mut own.cable) {
        if own.model.is_chain() && own.accuracy.is_none() && own.resolution < 1000 {
            own.resolution *= FINER;
        }
    }
    let name = scene.name().to_owned();
    let solved = solve(&args.scene, scene)?;
    if solved.status() != Status::Converged {
        return Err(wrong(format!(
            "{name} is not in equilibrium: {}\n  nothing is written; mend the scene first",
            solved.ending()
        )));
    }
    Ok(solved)
}

/// Writes the harness data back, with what has changed since the import.
fn kbl(args: &Export, scene: &Scene) -> Result<(), Failure> {
    let tolerance = parse(&args.tolerance, Dimension::Length).ok().filter(|t| (1e-9..=1.0).contains(t));
    let tolerance = tolerance.ok_or_else(|| {
        wrong(format!("--tolerance {}: expected a length from 1 nm to 1 m", args.tolerance))
    })?;
    let data = Data::of(args, scene)?;
    let imported = data.imported()?;
    let count = data.plan.cables.len();
    let mut changes: Vec<Change> =
        data.longer(scene).into_iter().map(|longer| Change { longer, ..Change::default() }).collect();
    let mut notes: Vec<String> = Vec::new();
    let mut moved = vec![args.harness.all_segments; count];
    if !alike(scene, &imported) || args.harness.all_segments {
        let now = centrelines(&in_equilibrium(args, scene.clone())?, None)?;
        let before = if args.harness.all_segments {
            Vec::new()
        } else {
            centrelines(&in_equilibrium(args, imported)?, None)?
        };
        let mut lines: Vec<Option<Line>> = Vec::with_capacity(count);
        for (i, own) in data.plan.cables.iter().enumerate() {
            let line = line_of(&now, &own.name);
            match (&line, line_of(&before, &own.name)) {
                (Some(line), Some(before)) => moved[i] |= line.apart(&before) > MOVED,
                (Some(_), None) => {}
                (None, _) => notes.push(format!(
                    "segment '{}' has no cable of that name any more: it stays as it was",
                    own.name
                )),
            }
            lines.push(line);
        }
        spread(&data.plan, &mut moved);
        for (i, line) in lines.into_iter().enumerate() {
            changes[i].line = line.filter(|_| moved[i]);
        }
        let known = |name: &str| data.plan.cables.iter().any(|own| own.name == name);
        for own in scene.cables.iter().filter(|own| !known(&own.cable.name)) {
            notes.push(format!("cable '{}' is not in the harness data: it is not written", own.cable.name));
        }
    }
    for (i, own) in data.plan.cables.iter().enumerate() {
        let length = own.length + changes[i].longer;
        for (k, clip) in own.clips.iter().enumerate() {
            let Some(now) = scene.clips.iter().find(|other| other.name == clip.name) else {
                notes.push(format!(
                    "fixing '{}' has no clip of that name any more: it stays as it was",
                    clip.name
                ));
                continue;
            };
            let share = now.at / length;
            if (share - clip.at).abs() * length > 1e-8 {
                changes[i].clips.push((k, share.clamp(0.0, 1.0)));
            }
        }
    }
    let dialect = args.harness.kbl_dialect.map(|own| match own {
        DialectWord::Clamped => Dialect::Clamped,
        DialectWord::Vobes => Dialect::Unclamped,
    });
    let wishes = Wishes { tolerance, dialect, reserve: args.harness.asked()? };
    let text = Text::decode(&data.bytes).map_err(|error| wrong(error.to_string()))?;
    let made = write_back(&text, &data.kbl, &data.plan, &changes, &wishes)
        .map_err(|error| wrong(error.to_string()))?;
    write_file(&args.to, &made.bytes)?;
    let moved = changes.iter().filter(|own| own.line.is_some()).count();
    let same = made.bytes == data.bytes;
    if moved > 0 {
        notes.push("placements of connectors and fixings are as they were: the format has them apart from the network".into());
    }
    if args.json {
        print_json(&json!({
            "file": args.to.display().to_string(),
            "unchanged": same,
            "segments": count,
            "moved": moved,
            "other_lengths": changes.iter().filter(|own| own.longer != 0.0).count(),
            "changed": made.changed,
            "added": made.added,
            "tolerance": tolerance,
            "reached": made.off,
            "notes": notes,
        }));
        return Ok(());
    }
    print(&format!(
        "{count} segments, {moved} moved, {} of another length\n",
        changes.iter().filter(|own| own.longer != 0.0).count()
    ));
    for (kind, number) in &made.changed {
        print(&format!("changed: {number} × {kind}\n"));
    }
    for (kind, number) in &made.added {
        print(&format!("added: {number} × {kind}\n"));
    }
    if moved > 0 {
        print(&format!(
            "curves off by {:.4} mm at most, {:.4} mm asked for\n",
            1e3 * made.off,
            1e3 * tolerance
        ));
    }
    for note in &notes {
        print(&format!("note: {note}\n"));
    }
    let words = if same { ", byte for byte as it was" } else { "" };
    print(&format!("written to {}, KBL{words}\n", args.to.display()));
    Ok(())
}

/// What has moved by less than this, m, has not.
const MOVED: f64 = 1e-6;

/// Lays the harness flat and draws it at 1:1.
fn form_board(args: &Export, scene: &Scene, wanted: Wanted) -> Result<(), Failure> {
    if scene.is_single() {
        return Err(wrong("a form board is of a harness: the scene has [cable], not [[cable]]"));
    }
    let board = board_of(args, scene)?;
    let (sheet, laid) = board.sheet();
    let paper = match args.harness.paper {
        PaperWord::A4 => Paper::A4,
        PaperWord::A3 => Paper::A3,
        PaperWord::One => Paper::One,
    };
    let bytes = match wanted {
        Wanted::Svg => sheet.to_svg().into_bytes(),
        Wanted::Dxf => sheet.to_dxf().into_bytes(),
        _ => sheet.to_pdf(paper).ok_or_else(|| {
            wrong(format!(
                "--paper one: the board is {:.0} mm by {:.0} mm, and no page is longer than 5080 mm; use --paper a3",
                sheet.width, sheet.height
            ))
        })?,
    };
    write_file(&args.to, &bytes)?;
    let length: f64 = board.segments.iter().map(|own| own.length).sum();
    let pages = if wanted == Wanted::Pdf { sheet.pages(paper) } else { [1, 1] };
    if args.json {
        let segments: Vec<_> =
            board.segments.iter().map(|own| json!({ "name": own.name, "length_mm": own.length })).collect();
        print_json(&json!({
            "file": args.to.display().to_string(),
            "width_mm": sheet.width,
            "height_mm": sheet.height,
            "pages": pages,
            "segments": segments,
            "rings_cut_open": laid.cut.len(),
            "in_wedges": laid.wedges,
        }));
        return Ok(());
    }
    print(&format!(
        "{} segments, {:.3} m, laid flat at 1:1 on {:.0} mm by {:.0} mm{}\n",
        board.segments.len(),
        1e-3 * length,
        sheet.width,
        sheet.height,
        if wanted == Wanted::Pdf { format!(", {} by {} pages", pages[0], pages[1]) } else { String::new() }
    ));
    if !laid.cut.is_empty() {
        print(&format!("{} rings were cut open; where they join is lettered\n", laid.cut.len()));
    }
    if laid.wedges {
        print("there was no room for the angle asked for: branches lie in wedges\n");
    }
    print(&format!("written to {}\n", args.to.display()));
    Ok(())
}

/// The harness of a scene, with what its harness data says where it has some.
fn board_of(args: &Export, scene: &Scene) -> Result<Board, Failure> {
    let angle = args.harness.branch_angle;
    if !(15.0..=150.0).contains(&angle) {
        return Err(wrong(format!("--branch-angle {angle}: expected 15 to 150 degrees")));
    }
    let tolerance = 1e3 * HarnessArgs::length("--length-tolerance", &args.harness.length_tolerance)?;
    let title = scene.title.clone().unwrap_or_else(|| scene.name().to_owned());
    let mut board = Board { title, angle, tolerance, ..Board::default() };
    let data = scene.kbl.is_some().then(|| Data::of(args, scene)).transpose()?;
    let planned = |name: &str| {
        let data = data.as_ref()?;
        data.plan.cables.iter().find(|own| own.name == name).map(|own| (data, own))
    };
    let mut nodes: Vec<String> = Vec::new();
    let compiled = scene.compile()?;
    for (own, made) in scene.cables.iter().zip(&compiled.cables) {
        let name = &own.cable.name;
        let ends = [Some(own.from), own.to]
            .map(|node| node.map(|node| flexline_session::desk::node_name(scene, node)));
        let index = ends.map(|end| {
            // What ends in connectors of one part ends in the part.
            let own = end.map_or_else(
                || format!("end of {name}"),
                |end| end.split('.').next().unwrap_or_default().to_owned(),
            );
            nodes.iter().position(|other| *other == own).unwrap_or_else(|| {
                nodes.push(own);
                nodes.len() - 1
            })
        });
        let length = 1e3 * (own.cable.length + own.feed);
        let fixings = scene.clips.iter().filter(|clip| scene.cables[clip.cable].cable.name == *name);
        let covers = match planned(name) {
            Some((data, own)) => {
                let all = data.kbl.segments[own.segment].protections.iter();
                let called = |id: &str| data.kbl.protections.get(id).map_or("", |own| &own.kind).to_owned();
                all.map(|area| (length * area.from, length * area.to, called(&area.protection))).collect()
            }
            None => {
                let called = |zone: &flexline_scene::model::Zone| match (&zone.name, &zone.section.base) {
                    (Some(name), _) | (None, SectionBase::Bundle(name)) => name.clone(),
                    _ => "zone".to_owned(),
                };
                own.cable.zones.iter().map(|zone| (1e3 * zone.from, 1e3 * zone.to, called(zone))).collect()
            }
        };
        board.segments.push(BoardSegment {
            name: name.clone(),
            length,
            nodes: index,
            diameter: 2e3 * made.section.at(0.0).contact_radius,
            wires: planned(name).map(|own| own.1.wires.len()),
            fixings: fixings.map(|clip| (1e3 * clip.at, clip.name.clone())).collect(),
            covers,
        });
    }
    for name in nodes {
        let own = data.as_ref().and_then(|data| {
            let node = data.plan.nodes.iter().find(|own| own.name == name)?;
            let ids = &data.kbl.nodes[node.node].components;
            ids.iter()
                .find_map(|id| data.kbl.components.get(id))
                .map(|own| format!("{} {}", own.part, own.description))
        });
        let held = scene.ports.iter().any(|own| own.name == name)
            || scene.parts.iter().any(|own| own.name == name && own.mass > 1e-3);
        board.nodes.push(BoardNode { component: own.or(held.then(String::new)), name });
    }
    Ok(board)
}
