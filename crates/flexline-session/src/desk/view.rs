//! How a scene is shown: what there is, what it is called, what a person may change. Sent after every change; what
//! moves is in the frames.

use super::Mode;
use super::contact::{ObstacleView, obstacles};
use super::frame::cables;
use super::rig::{ENDS, Seat, node_name, obstacle_pose, take};
use crate::command::{HandleHold, TableText, table_texts};
use crate::session::Solved;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::section::{BendUse, RadiusReference, Section, SectionProfile};
use flexline::solver::Pose;
use flexline_scene::harness::{CompiledCable, EyeHold, LaidCable};
use flexline_scene::model::{Cable, Hold, PoleSpec, RodModel, SectionBase, Usage};
use flexline_scene::{Scene, TABLES, constraint_kinds};
use serde::Serialize;
use std::collections::BTreeMap;

/// A scene as a page shows it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
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
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub gravity: [f64; 3],
    /// How many changes can be undone.
    pub undo: usize,
    /// How many can be done again.
    pub redo: usize,
    /// What happens between changes.
    pub mode: Mode,
    /// Whether time runs.
    pub playing: bool,
    /// The cables.
    pub cables: Vec<CableView>,
    /// What holds them.
    pub things: Vec<ThingView>,
    /// Poles that they keep out of.
    pub poles: Vec<PoleView>,
    /// What they cannot enter; the things of the same names say where it is.
    pub obstacles: Vec<ObstacleView>,
    /// Every table of the file.
    pub tables: Vec<TableText>,
    /// The keys that tables may have.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, string[]>"))]
    pub keys: BTreeMap<&'static str, &'static [&'static str]>,
    /// The kinds of constraints.
    pub constraints: Vec<ConstraintKeys>,
}

/// The keys that a kind of constraint has beside its name and kind.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ConstraintKeys {
    /// The kind.
    kind: &'static str,
    /// Its keys.
    keys: &'static [&'static str],
}

/// A cable.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Cable"))]
pub struct CableView {
    /// Its name.
    pub name: String,
    /// The part of the library that it is made of.
    pub part: Option<String>,
    /// What its section is given by.
    pub kind: SectionKind,
    /// What its mechanics are computed with.
    pub model: RodModel,
    /// Its length, m; of one that finds its own, what it found.
    pub length: f64,
    /// Segments or elements.
    pub resolution: usize,
    /// What it begins in.
    pub from: String,
    /// What it ends in, or `free`.
    pub to: String,
    /// Of the outside, m.
    pub radius: f64,
    /// Turn of the far end, rad.
    pub twist: f64,
    /// Whether it finds its own length.
    pub routed: bool,
    /// What it is used for.
    pub r#use: BendUse,
    /// The bend limit that counts here.
    pub bend_limit: Option<BendLimitView>,
    /// Largest tension, N.
    pub max_tension: Option<f64>,
    /// Largest twist per length, rad/m, either way.
    pub max_twist: Option<f64>,
    /// Bending stiffness at the beginning, N m².
    pub bend: f64,
    /// Twisting stiffness at the beginning, N m².
    pub torsion: f64,
    /// Its first node in a frame.
    pub first: usize,
    /// How many nodes it has there.
    pub count: usize,
}

/// What the section of a cable is given by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum SectionKind {
    /// A part of the library.
    Part,
    /// Shape and material.
    Section,
    /// Stiffness as measured.
    Measured,
    /// A bundle of the scene.
    Bundle,
}

/// A minimum bend radius as the maker gives it, and what it means for the centreline.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BendLimitView {
    /// Smallest radius, m.
    pub radius: f64,
    /// Where it is measured.
    pub reference: RadiusReference,
    /// The use that it is for.
    pub r#use: BendUse,
    /// The radius of the centreline that belongs to it, m.
    pub centre_radius: f64,
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Thing"))]
pub struct ThingView {
    /// What it is.
    pub kind: ThingKind,
    /// Its name.
    pub name: String,
    /// Index among the poses of a frame.
    pub anchor: usize,
    /// What it holds.
    pub hold: HandleHold,
    /// The axes of the world along which it may move.
    pub slides: [bool; 3],
    /// Its mass, kg.
    pub mass: f64,
    /// The cable it is on.
    pub cable: Option<String>,
    /// Arc length on its cable, m.
    pub at: Option<f64>,
    /// Of a pulley or a bead, m.
    pub radius: Option<f64>,
}

/// The kinds of what holds cables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum ThingKind {
    /// A port.
    Port,
    /// A rigid part.
    Part,
    /// A connector of a part.
    Connector,
    /// A junction.
    Junction,
    /// A clip.
    Clip,
    /// An eye.
    Eye,
    /// An eye with a wheel.
    Pulley,
    /// A bead.
    Bead,
    /// Where the one cable of a scene begins.
    Start,
    /// Where it ends.
    End,
    /// What cables cannot enter.
    Obstacle,
}

/// A pole: round, without ends.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Pole"))]
pub struct PoleView {
    /// Its name.
    pub name: String,
    /// A point of its axis, m.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub through: [f64; 3],
    /// Unit direction of its axis.
    #[cfg_attr(feature = "typescript", ts(as = "flexline_scene::typescript::Vector"))]
    pub axis: [f64; 3],
    /// Radius at which the centre of a cable touches it, m.
    pub radius: f64,
}

impl From<&PoleSpec> for PoleView {
    fn from(pole: &PoleSpec) -> Self {
        let PoleSpec { name, through, axis, radius, .. } = pole;
        Self { name: name.clone(), through: (*through).into(), axis: (*axis).into(), radius: *radius }
    }
}

/// Where a thing of the view sits.
#[derive(Clone, Debug)]
pub(super) enum Seated {
    /// On an anchor.
    On(Seat),
    /// At this end of the one cable of a scene, which may be free.
    End(usize),
    /// An obstacle.
    Obstacle(usize),
}

impl Seated {
    /// Where it is.
    pub(super) fn pose(&self, solved: &Solved) -> Pose {
        let Solved { scene, solution, .. } = solved;
        let nowhere = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
        match self {
            Self::Obstacle(index) => obstacle_pose(solved, *index).unwrap_or(nowhere),
            Self::On(seat) => seat.pose(solution.state.anchors.get(seat.anchor).unwrap_or(&nowhere)),
            Self::End(side) => {
                let samples = cables(solved).next().unwrap_or_default();
                let at = if *side == 0 { samples.first() } else { samples.last() };
                // The frame an end is held at, before its turns: what a command gives it.
                let clamped = scene.ends.as_ref().is_some_and(|ends| ends[*side].hold == Hold::Clamped);
                let held = solution.state.anchors.get(*side).filter(|_| clamped);
                at.map_or(nowhere, |at| Pose {
                    position: at.position,
                    orientation: held.map_or(at.frame, |pose| pose.orientation),
                })
            }
        }
    }
}

fn told(hold: Hold) -> HandleHold {
    match hold {
        Hold::Clamped => HandleHold::Clamped,
        Hold::Pinned => HandleHold::Pinned,
        Hold::Free => HandleHold::Free,
    }
}

/// The cable, but for where its nodes are.
fn cable_view(cable: &Cable, section: &SectionProfile, length: f64) -> CableView {
    let (part, kind) = match &cable.section.base {
        SectionBase::Part(id) => (Some(id.clone()), SectionKind::Part),
        SectionBase::Shape(..) => (None, SectionKind::Section),
        SectionBase::Measured(_) => (None, SectionKind::Measured),
        SectionBase::Bundle(_) => (None, SectionKind::Bundle),
    };
    let start = section.at(0.0);
    let dynamic = cable.usage == Usage::Dynamic;
    CableView {
        name: cable.name.clone(),
        part,
        kind,
        model: cable.model,
        length,
        resolution: cable.resolution,
        from: String::new(),
        to: String::new(),
        radius: start.contact_radius,
        twist: 0.0,
        routed: false,
        r#use: if dynamic { BendUse::Dynamic } else { BendUse::Static },
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
    let Solved { scene, compiled, solution } = solved;
    let view = |(i, (own, made)): (usize, (&LaidCable, &CompiledCable))| {
        let free = if scene.is_single() { ENDS[1] } else { "free" };
        let pieces = made.spans.iter().map(|(k, _)| compiled.network.spans[*k].rod.pieces().0);
        CableView {
            from: node_name(scene, own.from),
            to: own.to.map_or_else(|| free.into(), |node| node_name(scene, node)),
            twist: own.twist,
            routed: made.routed,
            // Chosen for an accuracy, it is no number of the file.
            resolution: if own.cable.accuracy.is_some() { pieces.sum() } else { own.cable.resolution },
            ..cable_view(&own.cable, &made.section, compiled.length_now(&solution.state, i))
        }
    };
    let mut views: Vec<CableView> = scene.cables.iter().zip(&compiled.cables).enumerate().map(view).collect();
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
    let Solved { scene, compiled, solution } = solved;
    let mut found = scene_things(scene);
    let mut seats = Vec::with_capacity(found.len());
    for (i, thing) in found.iter_mut().enumerate() {
        thing.anchor = i;
        seats.push(match thing.kind {
            ThingKind::Start => Seated::End(0),
            ThingKind::End => Seated::End(1),
            ThingKind::Obstacle => {
                let own = scene.obstacles.iter().position(|own| own.name == thing.name);
                Seated::Obstacle(own.unwrap_or(usize::MAX))
            }
            _ => Seated::On(take(solved, &thing.name).map_or_else(|| Seat::new(0), |taken| taken.seat)),
        });
    }
    for (i, eye) in compiled.eyes.iter().enumerate() {
        if let Some(thing) = found.iter_mut().find(|t| t.name == eye.name && t.cable.is_some()) {
            thing.at = Some(compiled.eye_place(&solution.state, i));
        }
    }
    (found, seats)
}

impl ThingView {
    fn new(kind: ThingKind, name: &str) -> Self {
        Self {
            kind,
            name: name.into(),
            anchor: 0,
            hold: HandleHold::Clamped,
            slides: [false; 3],
            mass: 0.0,
            cable: None,
            at: None,
            radius: None,
        }
    }
}

fn scene_things(scene: &Scene) -> Vec<ThingView> {
    let cable = |i: usize| scene.cables.get(i).map(|c| c.cable.name.clone());
    let length = scene.cables.first().map_or(0.0, |c| c.cable.length);
    let closed = scene.cables.first().is_some_and(|c| c.to == Some(c.from));
    let sides = [(ThingKind::Start, 0.0), (ThingKind::End, length)];
    let ends = scene.ends.iter().flatten().zip(sides).zip(ENDS).take(if closed { 1 } else { 2 });
    let mut found: Vec<ThingView> = ends
        .map(|((end, (kind, at)), name)| ThingView {
            hold: told(end.hold),
            slides: end.slides,
            cable: cable(0),
            at: Some(at),
            ..ThingView::new(kind, name)
        })
        .collect();
    let ports = scene.ports.iter().map(|p| ThingView {
        hold: if p.orientation.is_some() { HandleHold::Clamped } else { HandleHold::Pinned },
        ..ThingView::new(ThingKind::Port, &p.name)
    });
    found.extend(ports);
    for part in &scene.parts {
        let own = ThingView {
            hold: told(part.hold),
            slides: part.slides,
            mass: part.mass,
            ..ThingView::new(ThingKind::Part, &part.name)
        };
        found.push(own);
        let name = |c: &str| format!("{}.{c}", part.name);
        found.extend(part.connectors.iter().map(|c| ThingView::new(ThingKind::Connector, &name(&c.name))));
    }
    let loose = |kind, name: &str| ThingView { hold: HandleHold::Free, ..ThingView::new(kind, name) };
    found.extend(scene.junctions.iter().map(|j| loose(ThingKind::Junction, &j.name)));
    found.extend(scene.clips.iter().map(|c| ThingView {
        hold: told(c.hold),
        slides: c.slides,
        cable: cable(c.cable),
        at: Some(c.at),
        ..ThingView::new(ThingKind::Clip, &c.name)
    }));
    found.extend(scene.eyes.iter().map(|e| ThingView {
        hold: if matches!(e.hold, EyeHold::Free(_) | EyeHold::Block(_)) {
            HandleHold::Free
        } else {
            HandleHold::Clamped
        },
        cable: cable(e.cable),
        at: Some(e.at),
        radius: e.pulley.map(|p| p.radius),
        ..ThingView::new(if e.pulley.is_some() { ThingKind::Pulley } else { ThingKind::Eye }, &e.name)
    }));
    found.extend(scene.beads.iter().map(|b| ThingView {
        cable: cable(b.cable),
        at: Some(b.at),
        mass: b.mass,
        radius: Some(b.radius),
        ..loose(ThingKind::Bead, &b.name)
    }));
    found.extend(scene.obstacles.iter().map(|own| ThingView::new(ThingKind::Obstacle, &own.name)));
    found
}

/// The whole view; `text` is the scene's own.
pub(super) fn view(solved: &Solved, name: &str, text: &str, view: Heading) -> SceneView {
    let Scene { title, description, gravity, poles, .. } = &*solved.scene;
    let single = solved.scene.is_single();
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
        obstacles: obstacles(solved),
        tables: table_texts(text),
        keys: keys(single),
        constraints: constraint_kinds().map(|(kind, keys)| ConstraintKeys { kind, keys }).collect(),
    }
}

/// What a view says beside the scene.
pub(super) struct Heading {
    pub revision: u32,
    pub depth: (usize, usize),
    pub mode: Mode,
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
        ("obstacle", "obstacle[]"),
        ("bundle", "bundle[]"),
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
