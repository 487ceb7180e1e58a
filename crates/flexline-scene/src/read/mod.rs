//! From TOML to [`Scene`]: one file per table of the format.

mod bead;
mod bundle;
mod cable;
mod constraint;
mod end;
mod eye;
mod harness;
mod harness_cable;
mod lead;
mod load;
mod names;
mod obstacle;
mod pole;
mod section;

pub use constraint::constraint_kinds;

use crate::diagnostic::{Code, Diagnostic, MOST, SceneError};
use crate::folder::Folder;
use crate::harness::{CableLoad, LaidCable, Node};
use crate::model::{BundleSpec, End, Hold, Method, PoleSpec, STANDARD_GRAVITY, Scene, Solve, VERSION};
use crate::obstacle::ObstacleSpec;
use crate::reader::{Bounds, Context, Table};
use crate::source::Source;
use crate::units::Dimension;
use crate::words::{offer, quote};
use flexline::Vec3;
use flexline::solver::network::Grip;
use std::cell::RefCell;
use toml::de::DeTable;

/// Texts longer than this get only their first syntax error reported: looking for more costs memory.
const THOROUGH: usize = 1 << 16;

/// More syntax errors than this are not looked at; most share a line.
const MOST_ERRORS: usize = 500;

/// Every table of the format with its keys; a table of a list is named with brackets. `end` has the keys of
/// `start`, and tables of a zone those of the cable's. The tables of a harness come last.
pub const TABLES: [(&str, &[&str]); 36] = [
    ("top level", ROOT),
    ("world", WORLD),
    ("cable", cable::CABLE),
    ("cable.section", section::SHAPE),
    ("cable.measured", section::PROPERTIES),
    ("cable.override", section::PROPERTIES),
    ("cable.limits", section::LIMITS),
    ("cable.rest", cable::REST),
    ("cable.rest.start", cable::STRAIN),
    ("cable.grading", cable::LAYERS),
    ("cable.zone[]", cable::ZONE),
    ("start", end::END),
    ("load[]", load::LOAD),
    ("load[].force_per_length", load::ENDS),
    ("pole[]", pole::POLE),
    ("bundle[]", bundle::BUNDLE),
    ("bundle[].wire[]", bundle::WIRE),
    ("bundle[].tape", bundle::TAPE),
    ("bundle[].conduit", bundle::CONDUIT),
    ("obstacle[]", obstacle::OBSTACLE),
    ("solve", SOLVE),
    ("top level of a harness", harness::ROOT),
    ("port[]", harness::PORT),
    ("part[]", harness::PART),
    ("part[].connector[]", harness::CONNECTOR),
    ("junction[]", harness::JUNCTION),
    ("cable[]", harness_cable::CABLE),
    ("cable[].route", harness_cable::ROUTE),
    ("cable[].grow", harness_cable::GROW),
    ("clip[]", harness_cable::CLIP),
    ("eye[]", eye::EYE),
    ("bead[]", bead::BEAD),
    ("constraint[]", constraint::CONSTRAINT),
    ("motion[]", lead::MOTION),
    ("load[] of a harness", harness_cable::LOAD),
    ("kbl", bundle::KBL),
];

const ROOT: &[&str] = &[
    "version",
    "title",
    "description",
    "units",
    "world",
    "cable",
    "start",
    "end",
    "load",
    "pole",
    "obstacle",
    "bundle",
    "solve",
];
const WORLD: &[&str] = &["gravity", "contact"];
const SOLVE: &[&str] = &["method", "alpha", "tolerance", "iterations", "stability", "seek_stable"];

/// Tables that only a harness has.
const OF_A_HARNESS: [&str; 8] = ["port", "part", "junction", "clip", "eye", "bead", "constraint", "motion"];

/// Reads a scene from TOML text; the files that it names are looked for in `folder`.
pub(crate) fn read(text: &str, name: &str, folder: &Folder) -> Result<Scene, SceneError> {
    let source = Source::new(name, text);
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(first) => return Err(syntax_error(&source, first)),
    };
    let context = RefCell::new(Context::new(source));
    let scene = read_root(&context, document.get_ref());
    let Context { source, diagnostics, dropped } = context.into_inner();
    match scene {
        Some(scene) if diagnostics.is_empty() => Ok(Scene { source, folder: folder.clone(), ..scene }),
        _ => Err(SceneError::new(name, diagnostics, dropped)),
    }
}

fn read_root(context: &RefCell<Context>, document: &DeTable) -> Option<Scene> {
    // A file of another version is not judged by the keys of this one.
    if document.get("version").is_some_and(|v| v.get_ref().as_integer().is_none_or(|n| n.as_str() != "1")) {
        let root = Table::new(context, String::new(), 0..0, document, ROOT);
        context.borrow_mut().diagnostics.clear();
        let text = context.borrow().source.written("version");
        let message = format!("`version` = {text} is not a version this program reads");
        root.report(Code::Version, "version", message, format!("expected version = {VERSION}"));
        return None;
    }
    let is_harness = match document.get("cable") {
        Some(cable) => cable.get_ref().is_array(),
        None => OF_A_HARNESS.iter().any(|key| document.contains_key(*key)),
    };
    let keys = if is_harness { harness::ROOT } else { ROOT };
    let root = Table::new(context, String::new(), 0..0, document, keys);
    if !root.has("version") {
        root.report_missing("version", format!("write version = {VERSION} in the first line"));
    }
    let obstacles = obstacle::read(&root);
    let head = Head {
        title: root.string("title").map(Into::into),
        description: root.string("description").map(Into::into),
        gravity: read_gravity(&root),
        contact: root.child("world", WORLD).and_then(|world| world.boolean("contact")),
        poles: pole::read(&root, obstacles.as_deref().unwrap_or(&[])),
        obstacles,
        bundles: bundle::read(&root),
        solve: read_solve(&root),
    };
    root.choice("units", &[("SI", ())]);
    let scene = if is_harness { harness::read(&root, head) } else { read_cable_scene(&root, head) }?;
    passages_exist(&root, &scene);
    Some(scene)
}

/// Reports names of what cables pass through that nothing has.
fn passages_exist(root: &Table, scene: &Scene) {
    let names = || {
        let cables = scene.cables.iter().map(|own| &*own.cable.name);
        let poles = scene.poles.iter().map(|own| &*own.name);
        scene.obstacles.iter().map(|own| &*own.name).chain(poles).chain(cables)
    };
    for (i, own) in scene.cables.iter().enumerate() {
        let Some(unknown) = own.cable.passes_through.iter().find(|name| !names().any(|n| n == **name)) else {
            continue;
        };
        let path = if scene.is_single() { "cable".to_owned() } else { format!("cable[{i}]") };
        let message = format!("\"{}\" is neither an obstacle nor a cable", quote(unknown));
        root.report(Code::UnknownName, &format!("{path}.passes_through"), message, offer(unknown, names()));
    }
}

/// What every scene has.
struct Head {
    title: Option<String>,
    description: Option<String>,
    gravity: Vec3,
    contact: Option<bool>,
    poles: Option<Vec<PoleSpec>>,
    obstacles: Option<Vec<ObstacleSpec>>,
    bundles: Option<Vec<BundleSpec>>,
    solve: Solve,
}

fn read_cable_scene(root: &Table, head: Head) -> Option<Scene> {
    let ends = |name: &str| name == "start" || name == "end";
    obstacle::unlike_others(root, head.obstacles.as_deref().unwrap_or(&[]), ends);
    obstacle::on_parts(root, head.obstacles.as_deref().unwrap_or(&[]), &[]);
    let cable = cable::read(root);
    let length = cable.as_ref().map(|c| c.length);
    // A ring is told from the file, so that a mistake elsewhere in the cable does not hide the ends.
    let closed = cable::is_closed(root);
    let start = end::read(root, "start", closed);
    let end = if closed {
        root.refuse(
            &["end"],
            "means nothing for a closed ring",
            "leave [end] out; [start] says what holds the seam",
        );
        Some(End::free())
    } else {
        end::read(root, "end", closed)
    };
    let loads = load::read(root, length);
    let (cable, ends, poles, obstacles) = (cable?, [start?, end?], head.poles?, head.obstacles?);
    // What an end does not hold goes with it: the frame where nothing is held, and that of a ring.
    let grip = |end: &End| match end.hold {
        Hold::Pinned if end.is_held() && !closed => Grip::Pinned,
        _ => Grip::Clamped,
    };
    let to = if closed { Some(Node::End(0)) } else { ends[1].is_held().then_some(Node::End(1)) };
    let cable = LaidCable {
        from: Node::End(0),
        to,
        grips: [grip(&ends[0]), grip(&ends[1])],
        tangents: [None; 2],
        twist: cable.ring_twist.unwrap_or(ends[1].twist),
        feed: 0.0,
        route: None,
        growth: None,
        cable,
    };
    Some(Scene {
        title: head.title,
        description: head.description,
        gravity: head.gravity,
        ends: Some(ends),
        cables: vec![cable],
        loads: loads?.into_iter().map(|load| CableLoad { cable: 0, load }).collect(),
        poles,
        obstacles,
        bundles: head.bundles?,
        contact: head.contact,
        solve: head.solve,
        ..Scene::empty()
    })
}

fn read_gravity(root: &Table) -> Vec3 {
    let Some(world) = root.child("world", WORLD) else { return STANDARD_GRAVITY };
    if world.is_string("gravity") {
        world.choice("gravity", &[("none", ()), ("standard", ())]);
        return if world.string("gravity") == Some("none") { Vec3::zeros() } else { STANDARD_GRAVITY };
    }
    world.vector("gravity", Dimension::Acceleration).map_or(STANDARD_GRAVITY, Vec3::from)
}

fn read_solve(root: &Table) -> Solve {
    let Some(table) = root.child("solve", SOLVE) else { return Solve::default() };
    let alpha = table.quantity(
        "alpha",
        Dimension::Ratio,
        Bounds::Within(0.0, 2.0, "expected a number above 0 and at most 2; 1 converges fastest"),
    );
    let methods = [("newton", Method::Newton), ("integral-forces", Method::IntegralForces { alpha })];
    let method = table.choice("method", &methods);
    if !matches!(method, Some(Method::IntegralForces { .. })) {
        let help = "leave it out, or choose method = \"integral-forces\"";
        table.refuse(&["alpha"], "belongs to the method \"integral-forces\"", help);
    }
    Solve {
        method,
        tolerance: table.quantity(
            "tolerance",
            Dimension::Ratio,
            Bounds::Within(1e-15, 1e-2, "expected a number above 1e-15 and at most 0.01"),
        ),
        iterations: table.integer("iterations", 1..=1_000_000, ""),
        stability: table.boolean("stability"),
        seek_stable: table.boolean("seek_stable"),
    }
}

/// Turns the parser's errors into ours, one per line.
fn syntax_error(source: &Source, first: toml::de::Error) -> SceneError {
    let text = source.text();
    let errors = if text.len() <= THOROUGH { DeTable::parse_recoverable(text).1 } else { vec![first] };
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for error in errors.into_iter().take(MOST_ERRORS) {
        let span = error.span().unwrap_or(0..0);
        let place = source.place(span.clone());
        let line = |d: &Diagnostic| d.place.as_ref().map(|p| p.line);
        if diagnostics.iter().any(|d| line(d) == place.as_ref().map(|p| p.line)) || diagnostics.len() > MOST {
            continue;
        }
        let word = text.get(span).unwrap_or_default();
        let diagnostic = if error.message() == "duplicate key" {
            Diagnostic {
                code: Code::DuplicateKey,
                path: quote(word),
                message: format!("`{}` is given twice", quote(word)),
                help: Some("keep one of them".into()),
                place,
            }
        } else {
            let help = if error.message().starts_with("string values must be quoted") && !word.is_empty() {
                format!("put it in quotes: \"{}\"", quote(word))
            } else {
                "a line is `key = value`, text stands in quotes, a table begins with [name]".into()
            };
            Diagnostic {
                code: Code::Syntax,
                path: String::new(),
                message: format!("this is not valid TOML: {}", error.message()),
                help: Some(help),
                place,
            }
        };
        diagnostics.push(diagnostic);
    }
    SceneError::new(&source.name, diagnostics, 0)
}
