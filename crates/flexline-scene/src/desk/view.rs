//! How a scene is shown: what there is, what it is called, what a person may change. Sent after every change; what
//! moves is in the frames.

use super::frame::cables;
use super::rig::{Seat, anchor_pose, node_name, take};
use crate::command::{TableText, table_texts};
use crate::harness::{EyeHold, Harness, HarnessCable, SliderKind};
use crate::model::{Cable, Hold, PoleSpec, SectionBase, Usage};
use crate::read::{TABLES, constraint};
use crate::session::Solved;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::section::{BendUse, RadiusReference, Section, SectionProfile};
use flexline::solver::Pose;
use serde::Serialize;
use std::collections::BTreeMap;

/// A scene as a page shows it.
#[derive(Clone, Debug, Serialize)]
pub struct SceneView {
    /// Changes whenever anything here does; frames name the one they belong to.
    pub revision: u32,
    /// Name of the scene.
    pub name: String,
    /// A line for headings.
    pub title: String,
    /// What it is about.
    pub description: Option<String>,
    /// The text of the file.
    pub text: String,
    /// Whether it is a scene of one cable.
    pub single: bool,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// How many changes can be undone.
    pub undo: usize,
    /// How many can be done again.
    pub redo: usize,
    /// What happens between changes.
    pub mode: super::Mode,
    /// Whether time runs.
    pub playing: bool,
    /// The cables.
    pub cables: Vec<CableView>,
    /// What holds them.
    pub things: Vec<ThingView>,
    /// Poles that they keep out of.
    pub poles: Vec<PoleView>,
    /// Every table of the file.
    pub tables: Vec<TableText>,
    /// The keys that tables may have.
    pub keys: BTreeMap<&'static str, &'static [&'static str]>,
    /// The kinds of constraints.
    pub constraints: Vec<ConstraintKeys>,
}

/// The keys that a kind of constraint has beside its name and kind.
#[derive(Clone, Debug, Serialize)]
pub struct ConstraintKeys {
    kind: &'static str,
    keys: &'static [&'static str],
}

/// A cable.
#[derive(Clone, Debug, Serialize)]
pub struct CableView {
    name: String,
    part: Option<String>,
    kind: &'static str,
    model: &'static str,
    length: f64,
    resolution: usize,
    from: String,
    to: String,
    radius: f64,
    twist: f64,
    routed: bool,
    r#use: &'static str,
    /// The bend limit that counts here.
    bend_limit: Option<BendLimitView>,
    max_tension: Option<f64>,
    /// rad/m, either way.
    max_twist: Option<f64>,
    bend: f64,
    torsion: f64,
    first: usize,
    count: usize,
}

/// A minimum bend radius as the maker gives it, and what it means for the centreline.
#[derive(Clone, Debug, Serialize)]
pub struct BendLimitView {
    /// Smallest radius, m.
    radius: f64,
    /// Where it is measured.
    reference: RadiusReference,
    /// The use that it is for.
    r#use: BendUse,
    /// The radius of the centreline that belongs to it, m.
    centre_radius: f64,
}

impl BendLimitView {
    fn new(section: &Section, dynamic_use: bool) -> Option<Self> {
        section.limits.bend(dynamic_use).map(|(limit, r#use)| Self {
            radius: limit.radius,
            reference: limit.reference,
            r#use,
            centre_radius: limit.centre_radius(section.contact_radius),
        })
    }
}

/// What holds cables.
#[derive(Clone, Debug, Serialize)]
pub struct ThingView {
    kind: &'static str,
    name: String,
    anchor: usize,
    hold: &'static str,
    slides: [bool; 3],
    mass: f64,
    cable: Option<String>,
    at: Option<f64>,
    radius: Option<f64>,
}

/// A pole.
#[derive(Clone, Debug, Serialize)]
pub struct PoleView {
    name: String,
    /// A point of its axis, m.
    through: [f64; 3],
    /// Unit direction of its axis.
    axis: [f64; 3],
    /// Radius at which the centre of a cable touches it, m.
    radius: f64,
}

impl From<&PoleSpec> for PoleView {
    fn from(pole: &PoleSpec) -> Self {
        let PoleSpec { name, through, axis, radius, .. } = pole;
        Self { name: name.clone(), through: (*through).into(), axis: (*axis).into(), radius: *radius }
    }
}

/// Where a thing of the view sits.
#[derive(Clone, Debug)]
pub(super) struct Seated {
    seat: Seat,
}

impl Seated {
    /// Where it is.
    pub(super) fn pose(&self, solved: &Solved) -> Pose {
        let nowhere = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        self.seat.pose(&anchor_pose(solved, self.seat.anchor).unwrap_or(nowhere))
    }
}

fn hold_word(hold: Hold) -> &'static str {
    match hold {
        Hold::Clamped => "clamped",
        Hold::Pinned => "pinned",
        Hold::Free => "free",
    }
}

/// The cable, but for where its nodes are.
fn cable_view(cable: &Cable, section: &SectionProfile, length: f64) -> CableView {
    let (part, kind) = match &cable.section.base {
        SectionBase::Part(id) => (Some(id.clone()), "part"),
        SectionBase::Shape(..) => (None, "section"),
        SectionBase::Measured(_) => (None, "measured"),
    };
    let start = section.at(0.0);
    let dynamic = cable.usage == Usage::Dynamic;
    CableView {
        name: cable.name.clone(),
        part,
        kind,
        model: cable.model.word(),
        length,
        resolution: cable.resolution,
        from: String::new(),
        to: String::new(),
        radius: start.contact_radius,
        twist: 0.0,
        routed: false,
        r#use: if dynamic { "dynamic" } else { "static" },
        bend_limit: BendLimitView::new(&start, dynamic),
        max_tension: start.limits.tension,
        max_twist: start.limits.twist,
        bend: start.stiffness.x,
        torsion: start.stiffness.z,
        first: 0,
        count: 0,
    }
}

/// The cables of a solved scene, with where their nodes are in a frame.
pub(super) fn cable_views(solved: &Solved) -> Vec<CableView> {
    let mut views: Vec<CableView> = match solved {
        Solved::Cable { scene, compiled, .. } => {
            let closed = scene.cable.ring_twist;
            let resolution = compiled.problem.rod.pieces().0;
            let view =
                CableView { resolution, ..cable_view(&scene.cable, &compiled.section, compiled.length) };
            let to = if closed.is_some() { "start" } else { "end" };
            vec![CableView {
                from: "start".into(),
                to: to.into(),
                twist: closed.unwrap_or(scene.ends[1].twist),
                ..view
            }]
        }
        Solved::Harness { scene, compiled, solution } => {
            let each = scene.cables.iter().zip(&compiled.cables).enumerate();
            each.map(|(i, (HarnessCable { cable, from, to, twist, .. }, own))| CableView {
                from: node_name(scene, *from),
                to: to.map_or_else(|| "free".into(), |node| node_name(scene, node)),
                twist: *twist,
                routed: own.routed,
                ..cable_view(cable, &own.section, compiled.length_now(&solution.state, i))
            })
            .collect()
        }
    };
    let mut first = 0;
    for (view, samples) in views.iter_mut().zip(cables(solved)) {
        (view.first, view.count) = (first, samples.len());
        first += samples.len();
    }
    views
}

/// How many nodes every cable has in a frame.
pub(super) fn counts(solved: &Solved) -> impl Iterator<Item = usize> {
    cables(solved).map(<[_]>::len)
}

/// What holds the cables, and where each of it sits.
pub(super) fn things(solved: &Solved) -> (Vec<ThingView>, Vec<Seated>) {
    let mut found = match solved {
        Solved::Cable { scene, .. } => {
            let ends = if scene.cable.ring_twist.is_some() { 1 } else { 2 };
            let each = scene.ends.iter().zip(["start", "end"]).take(ends);
            each.map(|(end, kind)| ThingView {
                hold: hold_word(end.hold),
                slides: end.slides,
                cable: Some(scene.cable.name.clone()),
                at: Some(if kind == "start" { 0.0 } else { scene.cable.length }),
                ..ThingView::new(kind, kind)
            })
            .collect()
        }
        Solved::Harness { scene, .. } => harness_things(scene),
    };
    let mut seats = Vec::with_capacity(found.len());
    for (i, thing) in found.iter_mut().enumerate() {
        thing.anchor = i;
        let side = usize::from(thing.kind == "end");
        let seat = take(solved, &thing.name).map_or_else(|| Seat::new(side), |taken| taken.seat);
        seats.push(Seated { seat });
    }
    if let Solved::Harness { compiled, solution, .. } = solved {
        for (i, eye) in compiled.eyes.iter().enumerate() {
            if let Some(thing) = found.iter_mut().find(|t| t.name == eye.name && t.cable.is_some()) {
                thing.at = Some(compiled.eye_place(&solution.state, i));
            }
        }
    }
    (found, seats)
}

impl ThingView {
    fn new(kind: &'static str, name: &str) -> Self {
        Self {
            kind,
            name: name.into(),
            anchor: 0,
            hold: "clamped",
            slides: [false; 3],
            mass: 0.0,
            cable: None,
            at: None,
            radius: None,
        }
    }
}

fn harness_things(scene: &Harness) -> Vec<ThingView> {
    let cable = |i: usize| scene.cables.get(i).map(|c| c.cable.name.clone());
    let mut found: Vec<ThingView> = scene
        .ports
        .iter()
        .map(|p| ThingView {
            hold: if p.orientation.is_some() { "clamped" } else { "pinned" },
            ..ThingView::new("port", &p.name)
        })
        .collect();
    for part in &scene.parts {
        let own = ThingView {
            hold: hold_word(part.hold),
            slides: part.slides,
            mass: part.mass,
            ..ThingView::new("part", &part.name)
        };
        found.push(own);
        let name = |c: &str| format!("{}.{c}", part.name);
        found.extend(part.connectors.iter().map(|c| ThingView::new("connector", &name(&c.name))));
    }
    let loose = |kind, name: &str| ThingView { hold: "free", ..ThingView::new(kind, name) };
    found.extend(scene.junctions.iter().map(|j| loose("junction", &j.name)));
    found.extend(scene.clips.iter().map(|c| ThingView {
        hold: hold_word(c.hold),
        slides: c.slides,
        cable: cable(c.cable),
        at: Some(c.at),
        ..ThingView::new("clip", &c.name)
    }));
    found.extend(scene.eyes.iter().map(|e| ThingView {
        hold: if matches!(e.hold, EyeHold::Free(_) | EyeHold::Block(_)) { "free" } else { "clamped" },
        cable: cable(e.cable),
        at: Some(e.at),
        radius: e.pulley.map(|p| p.radius),
        ..ThingView::new(
            if e.pulley.is_some() { SliderKind::Pulley } else { SliderKind::Eye }.name(),
            &e.name,
        )
    }));
    found.extend(scene.beads.iter().map(|b| ThingView {
        cable: cable(b.cable),
        at: Some(b.at),
        mass: b.mass,
        radius: Some(b.radius),
        ..loose("bead", &b.name)
    }));
    found
}

/// The whole view; `text` is the scene's own.
pub(super) fn view(solved: &Solved, name: &str, text: &str, view: Heading) -> SceneView {
    let (title, description, gravity, poles) = match solved {
        Solved::Cable { scene, .. } => (&scene.title, &scene.description, scene.gravity, &scene.poles),
        Solved::Harness { scene, .. } => (&scene.title, &scene.description, scene.gravity, &scene.poles),
    };
    let single = matches!(solved, Solved::Cable { .. });
    SceneView {
        revision: view.revision,
        name: name.into(),
        title: title.clone().unwrap_or_else(|| name.into()),
        description: description.clone(),
        text: text.into(),
        single,
        gravity: [gravity.x, gravity.y, gravity.z],
        undo: view.depth.0,
        redo: view.depth.1,
        mode: view.mode,
        playing: view.playing,
        cables: cable_views(solved),
        things: things(solved).0,
        poles: poles.iter().map(PoleView::from).collect(),
        tables: table_texts(text),
        keys: keys(single),
        constraints: constraint::kinds().map(|(kind, keys)| ConstraintKeys { kind, keys }).collect(),
    }
}

/// What a view says beside the scene.
pub(super) struct Heading {
    pub revision: u32,
    pub depth: (usize, usize),
    pub mode: super::Mode,
    pub playing: bool,
}

/// The keys of every kind of table.
fn keys(single: bool) -> BTreeMap<&'static str, &'static [&'static str]> {
    let harness = [
        ("port", "port[]"),
        ("part", "part[]"),
        ("connector", "part[].connector[]"),
        ("junction", "junction[]"),
        ("cable", "cable[]"),
        ("route", "cable[].route"),
        ("clip", "clip[]"),
        ("eye", "eye[]"),
        ("bead", "bead[]"),
        ("constraint", "constraint[]"),
        ("motion", "motion[]"),
        ("load", "load[] of a harness"),
    ];
    let one = [("cable", "cable"), ("start", "start"), ("end", "start"), ("load", "load[]")];
    let both = [
        ("world", "world"),
        ("solve", "solve"),
        ("pole", "pole[]"),
        ("section", "cable.section"),
        ("measured", "cable.measured"),
        ("override", "cable.override"),
        ("limits", "cable.limits"),
        ("rest", "cable.rest"),
        ("zone", "cable.zone[]"),
    ];
    let own: &[(&str, &str)] = if single { &one } else { &harness };
    let keys = |table: &str| TABLES.iter().find(|(name, _)| *name == table).map(|(_, keys)| *keys);
    own.iter().chain(&both).filter_map(|&(kind, table)| Some((kind, keys(table)?))).collect()
}
