//! Constraints as a file says them, and as the engine keeps them.

use super::{Node, Scene};
use flexline::algebra::rotation;
use flexline::geometry::path::Path;
use flexline::solver::Pose;
use flexline::solver::network::{Constraint, Direction, Point, Sense};
use flexline::{Quat, Vec3};
use std::sync::Arc;

/// A point that a constraint takes hold of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grasp {
    /// Of the world, m.
    World(Vec3),
    /// Of the harness.
    On(Node),
}

/// A direction that a constraint takes hold of; unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heading {
    /// Of the world.
    World(Vec3),
    /// Of a node, in its axes.
    On(Node, Vec3),
}

/// A constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedConstraint {
    /// Name, for tables and messages.
    pub name: String,
    /// What it asks for.
    pub kind: ConstraintKind,
}

/// What a constraint asks for. `on` is the body its geometry is fixed in; `None` is the world.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstraintKind {
    /// The node stays on a plane, or on one side of it.
    Plane {
        /// The node.
        point: Node,
        /// The body of the plane.
        on: Option<Node>,
        /// A point of the plane, m.
        through: Vec3,
        /// Its unit normal.
        normal: Vec3,
        /// `AtLeast`: on the side of the normal.
        sense: Sense,
    },
    /// The node stays on a line.
    Line {
        /// The node.
        point: Node,
        /// The body of the line.
        on: Option<Node>,
        /// A point of the line, m.
        through: Vec3,
        /// Its unit direction.
        direction: Vec3,
    },
    /// The node stays on a circle.
    Circle {
        /// The node.
        point: Node,
        /// The body of the circle.
        on: Option<Node>,
        /// Its centre, m.
        centre: Vec3,
        /// Its unit axis.
        axis: Vec3,
        /// Its radius, m.
        radius: f64,
    },
    /// The node slides along a path.
    Path {
        /// The node.
        point: Node,
        /// The body of the path.
        on: Option<Node>,
        /// The points it goes through, m.
        points: Vec<Vec3>,
        /// The path through them.
        path: Arc<Path>,
    },
    /// Two points keep their distance, m, or do not pass it.
    Distance([Grasp; 2], f64, Sense),
    /// Two points coincide.
    Coincide([Grasp; 2]),
    /// Two directions stay parallel.
    Parallel([Heading; 2]),
    /// A node keeps its orientation relative to a body.
    Aligned {
        /// The node.
        node: Node,
        /// The body.
        on: Option<Node>,
        /// Orientation of the node in the axes of the body.
        turn: Quat,
    },
}

impl ConstraintKind {
    /// The nodes it takes hold of.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        let grasped = |grasp: Grasp| if let Grasp::On(node) = grasp { Some(node) } else { None };
        let headed = |heading: Heading| if let Heading::On(node, _) = heading { Some(node) } else { None };
        let nodes = match *self {
            Self::Plane { point, on, .. }
            | Self::Line { point, on, .. }
            | Self::Circle { point, on, .. }
            | Self::Path { point, on, .. } => [Some(point), on],
            Self::Distance(points, ..) | Self::Coincide(points) => points.map(grasped),
            Self::Parallel(headings) => headings.map(headed),
            Self::Aligned { node, on, .. } => [Some(node), on],
        };
        nodes.into_iter().flatten()
    }
}

/// A point of a body, in the axes that the body's pose is given in.
pub(super) fn within(outer: &Pose, inner: Vec3) -> Vec3 {
    outer.position + rotation::rotate(&outer.orientation, &inner)
}

impl Scene {
    /// The engine's constraint for one of the file's.
    pub(super) fn constraint(&self, kind: &ConstraintKind) -> Constraint {
        let on_node = |node: Node| {
            let (anchor, local, _) = self.anchor(node);
            Point::On(anchor, local.position)
        };
        let point = |grasp: Grasp| match grasp {
            Grasp::World(p) => Point::World(p),
            Grasp::On(node) => on_node(node),
        };
        let heading = |heading: Heading| match heading {
            Heading::World(v) => Direction::World(v),
            Heading::On(node, v) => {
                let (anchor, local, _) = self.anchor(node);
                Direction::On(anchor, rotation::rotate(&local.orientation, &v))
            }
        };
        // The body as an anchor, and what is given in the axes of the body in those of the anchor.
        let body = |on: Option<Node>| match on {
            Some(node) => {
                let (anchor, local, _) = self.anchor(node);
                (Some(anchor), local)
            }
            None => (None, Pose { position: Vec3::zeros(), orientation: rotation::identity() }),
        };
        let turned = |local: &Pose, v: Vec3| rotation::rotate(&local.orientation, &v);
        match *kind {
            ConstraintKind::Plane { point, on, through, normal, sense } => {
                let (on, local) = body(on);
                let (through, normal) = (within(&local, through), turned(&local, normal));
                Constraint::Plane { point: on_node(point), on, through, normal, sense }
            }
            ConstraintKind::Line { point, on, through, direction } => {
                let (on, local) = body(on);
                let (through, direction) = (within(&local, through), turned(&local, direction));
                Constraint::Line { point: on_node(point), on, through, direction }
            }
            ConstraintKind::Circle { point, on, centre, axis, radius } => {
                let (on, local) = body(on);
                let (centre, axis) = (within(&local, centre), turned(&local, axis));
                Constraint::Circle { point: on_node(point), on, centre, axis, radius }
            }
            ConstraintKind::Path { point, on, ref points, ref path } => {
                let (on, local) = body(on);
                let points: Vec<Vec3> = points.iter().map(|p| within(&local, *p)).collect();
                // Moved as a whole it is as good a path as before.
                let moved = Path::new(&points, path.is_closed());
                let path = moved.map_or_else(|_| path.clone(), Arc::new);
                Constraint::Curve { point: on_node(point), on, path }
            }
            ConstraintKind::Distance([from, to], distance, sense) => {
                Constraint::Distance { from: point(from), to: point(to), distance, sense }
            }
            ConstraintKind::Coincide([from, to]) => Constraint::Coincide { from: point(from), to: point(to) },
            ConstraintKind::Parallel([from, to]) => {
                Constraint::Parallel { direction: heading(from), to: heading(to) }
            }
            ConstraintKind::Aligned { node, on, turn } => {
                let (anchor, own, _) = self.anchor(node);
                let (on, local) = body(on);
                let turn = local.orientation * turn * own.orientation.conjugate();
                Constraint::Aligned { anchor, on, turn: turn * (1.0 / turn.norm()) }
            }
        }
    }
}
