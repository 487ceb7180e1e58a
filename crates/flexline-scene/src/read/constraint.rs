//! Constraints of a harness.

use super::end::direction;
use super::harness::optional_orientation;
use super::names::Names;
use crate::diagnostic::Code;
use crate::harness::{Bead, ConstraintKind, Grasp, Heading, NamedConstraint, Node};
use crate::model::Orientation;
use crate::reader::{Bounds, Table};
use crate::units::Dimension;
use crate::words::digits;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::geometry::path::Path;
use flexline::solver::network::Sense;
use std::sync::Arc;

pub(super) const CONSTRAINT: &[&str] = &[
    "name",
    "kind",
    "point",
    "on",
    "through",
    "normal",
    "side",
    "direction",
    "centre",
    "axis",
    "radius",
    "points",
    "closed",
    "from",
    "to",
    "distance",
    "sense",
    "from_direction",
    "to_direction",
    "tangent",
    "up",
    "quaternion",
    "angle",
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Plane,
    Line,
    Circle,
    Path,
    Distance,
    String,
    Apart,
    Coincide,
    Parallel,
    Aligned,
}

const KINDS: [(&str, Kind); 10] = [
    ("plane", Kind::Plane),
    ("line", Kind::Line),
    ("circle", Kind::Circle),
    ("path", Kind::Path),
    ("distance", Kind::Distance),
    ("string", Kind::String),
    ("apart", Kind::Apart),
    ("coincide", Kind::Coincide),
    ("parallel", Kind::Parallel),
    ("aligned", Kind::Aligned),
];

impl Kind {
    fn name(self) -> &'static str {
        KINDS[self as usize].0
    }

    /// The keys beside `name` and `kind`.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Plane => &["point", "on", "through", "normal", "side"],
            Self::Line => &["point", "on", "through", "direction"],
            Self::Circle => &["point", "on", "centre", "axis", "radius"],
            Self::Path => &["point", "on", "points", "closed"],
            Self::Distance => &["from", "to", "distance", "sense"],
            Self::String | Self::Apart => &["from", "to", "distance"],
            Self::Coincide => &["from", "to"],
            Self::Parallel => &["from", "to", "from_direction", "to_direction"],
            Self::Aligned => &["from", "to", "tangent", "up", "quaternion", "axis", "angle"],
        }
    }
}

/// Every kind of constraint, with its keys beside `name` and `kind`.
pub fn constraint_kinds() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    KINDS.iter().map(|(name, kind)| (*name, kind.keys()))
}

/// Reads a constraint; `beads` are those of the harness, where they could be read.
pub(super) fn read(
    table: &Table,
    index: usize,
    known: &Names,
    beads: Option<&[Bead]>,
) -> Option<NamedConstraint> {
    if !table.has("kind") {
        let names: Vec<String> = KINDS.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        table.report_missing("kind", format!("expected {}", crate::reader::list(&names)));
    }
    let kind = table.choice("kind", &KINDS)?;
    let name = table.string("name").map_or_else(|| format!("{} {}", kind.name(), index + 1), Into::into);
    table.call(&name);
    let others: Vec<&str> = CONSTRAINT
        .iter()
        .copied()
        .filter(|k| !["name", "kind"].contains(k) && !kind.keys().contains(k))
        .collect();
    let help = format!("a constraint of this kind has {}", crate::reader::list(kind.keys()));
    table.refuse(&others, &format!("does not go with kind = \"{}\"", kind.name()), &help);
    let kind = match kind {
        Kind::Plane => read_plane(table, known),
        Kind::Line => read_line(table, known),
        Kind::Circle => read_circle(table, known),
        Kind::Path => read_path(table, known),
        Kind::Distance | Kind::String | Kind::Apart => read_distance(table, kind, known, beads),
        Kind::Coincide => {
            let (from, to) = (read_grasp(table, "from", known), read_grasp(table, "to", known));
            distinct(table, from?, to?).map(ConstraintKind::Coincide)
        }
        Kind::Parallel => read_parallel(table, known),
        Kind::Aligned => read_aligned(table, known),
    }?;
    Some(NamedConstraint { name, kind })
}

fn need(table: &Table, key: &str, help: &str) {
    if !table.has(key) {
        table.report_missing(key, help);
    }
}

/// The point that is held, and the body of what holds it.
fn read_held_point(table: &Table, known: &Names) -> Option<(Node, Option<Node>)> {
    need(table, "point", "name what is held: point = \"part\" or \"part.connector\"");
    let point = known.find(table, "point");
    let on = if table.has("on") { Some(known.find(table, "on")?) } else { None };
    let point = point?;
    if on == Some(point) {
        let message = format!("{} is the point itself", table.words("on"));
        table.report(Code::Conflict, "on", message, "name another body, or leave `on` out for the world");
        return None;
    }
    Some((point, on))
}

fn read_through(table: &Table) -> Option<Vec3> {
    need(table, "through", "give a point it goes through: through = [0, 0, \"100 mm\"]");
    table.vector("through", Dimension::Length).map(Vec3::from)
}

fn read_direction(table: &Table, key: &str) -> Option<Vec3> {
    need(table, key, "give a direction of any length, such as [0, 0, 1]");
    if table.has(key) { direction(table, key) } else { None }
}

fn read_plane(table: &Table, known: &Names) -> Option<ConstraintKind> {
    let (held, through) = (read_held_point(table, known), read_through(table));
    let normal = read_direction(table, "normal");
    let sides = [("above", Sense::AtLeast), ("below", Sense::AtMost)];
    let sense = if table.has("side") { table.choice("side", &sides)? } else { Sense::Equal };
    let (point, on) = held?;
    Some(ConstraintKind::Plane { point, on, through: through?, normal: normal?, sense })
}

fn read_line(table: &Table, known: &Names) -> Option<ConstraintKind> {
    let (held, through) = (read_held_point(table, known), read_through(table));
    let direction = read_direction(table, "direction");
    let (point, on) = held?;
    Some(ConstraintKind::Line { point, on, through: through?, direction: direction? })
}

fn read_circle(table: &Table, known: &Names) -> Option<ConstraintKind> {
    let held = read_held_point(table, known);
    need(table, "centre", "give the centre of the circle: centre = [0, 0, \"100 mm\"]");
    let centre = table.vector("centre", Dimension::Length).map(Vec3::from);
    let axis = read_direction(table, "axis");
    let radius = table.required("radius", Dimension::Length, Bounds::Positive);
    let (point, on) = held?;
    Some(ConstraintKind::Circle { point, on, centre: centre?, axis: axis?, radius: radius? })
}

/// Points of a path, as rows of three lengths: so many at least, each away from the one before it.
pub(super) fn read_points(table: &Table, key: &str, least: usize, closed: bool) -> Option<Vec<Vec3>> {
    need(table, key, &format!("give the points it goes through: {key} = [[0, 0, 0], [\"100 mm\", 0, 0]]"));
    let rows = table.rows(key, [Dimension::Length; 3], "three lengths")?;
    let points: Vec<Vec3> = rows.into_iter().map(Vec3::from).collect();
    if points.len() < least {
        let message = format!("{} has {} points", table.words(key), points.len());
        table.report(Code::OutOfRange, key, message, format!("expected at least {least}"));
        return None;
    }
    let count = points.len();
    let last = if closed { count } else { count - 1 };
    if let Some(k) = (0..last).find(|k| points[*k] == points[(k + 1) % count]) {
        let next = (k + 1) % count;
        let key = format!("{key}[{next}]");
        let message = format!("{} is the same as the point before it", table.words(&key));
        let help = "leave it out: each point of a path lies away from the one before it";
        table.report(Code::OutOfRange, &key, message, help);
        return None;
    }
    Some(points)
}

fn read_path(table: &Table, known: &Names) -> Option<ConstraintKind> {
    let held = read_held_point(table, known);
    let closed = if table.has("closed") { table.boolean("closed")? } else { false };
    let points = read_points(table, "points", if closed { 3 } else { 2 }, closed);
    let ((point, on), points) = (held?, points?);
    let path = Path::new(&points, closed).map_err(|error| {
        let message = format!("{}: {error}", table.words("points"));
        table.report(Code::OutOfRange, "points", message, "expected points that are apart from each other");
    });
    Some(ConstraintKind::Path { point, on, points, path: Arc::new(path.ok()?) })
}

fn read_distance(table: &Table, kind: Kind, known: &Names, beads: Option<&[Bead]>) -> Option<ConstraintKind> {
    let (from, to) = (read_grasp(table, "from", known), read_grasp(table, "to", known));
    let senses = [("equal", Sense::Equal), ("at most", Sense::AtMost), ("at least", Sense::AtLeast)];
    let sense = match kind {
        Kind::String => Sense::AtMost,
        Kind::Apart => Sense::AtLeast,
        _ if table.has("sense") => table.choice("sense", &senses)?,
        _ => Sense::Equal,
    };
    // Two beads know how far apart they keep.
    let radius = |grasp: Option<Grasp>| match grasp {
        Some(Grasp::On(Node::Bead(i))) => beads.and_then(|b| b.get(i)).map(|b| b.radius),
        _ => None,
    };
    let touching = radius(from).zip(radius(to)).map(|(a, b)| a + b);
    let distance = match touching {
        Some(touching) if kind == Kind::Apart && !table.has("distance") => Some(touching),
        _ => table.required("distance", Dimension::Length, Bounds::Positive),
    };
    Some(ConstraintKind::Distance(distinct(table, from?, to?)?, distance?, sense))
}

/// A node, and another or the world.
fn read_pair(table: &Table, known: &Names) -> Option<(Node, Option<Node>)> {
    need(table, "from", "name what is held in its direction: from = \"clip\"");
    let from = known.find(table, "from");
    let to = if table.has("to") { Some(known.find(table, "to")?) } else { None };
    let from = from?;
    if to == Some(from) {
        let message = format!("{} is the same as `from`", table.words("to"));
        table.report(Code::Conflict, "to", message, "name another, or leave `to` out for the world");
        return None;
    }
    Some((from, to))
}

fn read_parallel(table: &Table, known: &Names) -> Option<ConstraintKind> {
    let pair = read_pair(table, known);
    let own = |key: &str| if table.has(key) { direction(table, key) } else { Some(Vec3::z()) };
    let first = own("from_direction");
    if !table.has("to") {
        need(
            table,
            "to_direction",
            "say which direction of the world: to_direction = [0, 0, 1]; or name a `to`",
        );
        if !table.has("to_direction") {
            return None;
        }
    }
    let second = own("to_direction");
    let ((from, to), first, second) = (pair?, first?, second?);
    let other = to.map_or(Heading::World(second), |node| Heading::On(node, second));
    Some(ConstraintKind::Parallel([Heading::On(from, first), other]))
}

fn read_aligned(table: &Table, known: &Names) -> Option<ConstraintKind> {
    let pair = read_pair(table, known);
    let turn = match optional_orientation(table) {
        Some(given) => given.map_or(rotation::identity(), Orientation::frame),
        None => return None,
    };
    let (node, on) = pair?;
    Some(ConstraintKind::Aligned { node, on, turn })
}

/// A name, or a point of the world.
fn read_grasp(table: &Table, key: &str, known: &Names) -> Option<Grasp> {
    if !table.has(key) {
        table.report_missing(
            key,
            format!("name it, {key} = \"part.connector\", or give a point of the world"),
        );
        return None;
    }
    if table.is_string(key) {
        return known.find(table, key).map(Grasp::On);
    }
    table.vector(key, Dimension::Length).map(|p| Grasp::World(p.into()))
}

/// Two points of which at least one is of the harness, and not twice the same.
fn distinct(table: &Table, from: Grasp, to: Grasp) -> Option<[Grasp; 2]> {
    let message = match (from, to) {
        (Grasp::World(a), Grasp::World(b)) => {
            format!("both points are of the world, {} m apart", digits((a - b).norm()))
        }
        (a, b) if a == b => "both points are the same".to_owned(),
        _ => return Some([from, to]),
    };
    table.report(Code::Conflict, "to", message, "expected two points, at least one of them of the harness");
    None
}
