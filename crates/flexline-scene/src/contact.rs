//! Obstacles of a compiled scene: how they are made, what presses on which cable, how near cables are to them.

use crate::check::{Finding, Rule, contact_finding};
use crate::diagnostic::{Code, Diagnostic};
use crate::harness::{Compiled, CompiledCable, Node, Solution};
use crate::model::{Cable, LimitChanges, PoleSpec, Scene};
use crate::neighbour::Neighbour;
use crate::obstacle::ObstacleSpec;
use crate::words::{millimetres, quote};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{MeshHealth, Obstacle, Shape};
use flexline::section::SectionProfile;
use flexline::solver::network::{
    Body, Contact, ContactState, Mount, NetworkError, NetworkState, Other, Passage, PassageStretch,
};
use flexline::solver::{Pose, Sample};

/// An obstacle of a compiled scene; the network has it under the same index.
#[derive(Clone, Debug, PartialEq)]
pub struct CompiledObstacle {
    /// Its name.
    pub name: String,
    /// Whether the file has it as an obstacle or as a pole.
    pub kind: SolidKind,
    /// The anchor of the part that it is on, and its pose in the axes of that.
    pub on: Option<(usize, Pose)>,
    /// What is to know of its mesh, where it has one.
    pub health: Option<MeshHealth>,
    /// Whether that is another than when the scene was saved.
    pub changed: bool,
}

/// What cables cannot enter, by the table of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolidKind {
    /// `[[obstacle]]`.
    Obstacle,
    /// `[[pole]]`.
    Pole,
}

impl SolidKind {
    /// The name of its table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obstacle => "obstacle",
            Self::Pole => "pole",
        }
    }
}

/// Something that presses on a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// The cable.
    pub cable: usize,
    /// What presses on it.
    pub by: Presser,
    /// Arc length on the cable, m.
    pub s: f64,
    /// Where its axis is, m, world.
    pub position: Vec3,
    /// From the obstacle to the cable, world.
    pub normal: Vec3,
    /// Distance of the surfaces, m.
    pub gap: f64,
    /// Force on the cable, N, world: along the normal, and friction.
    pub force: Vec3,
    /// Whether it slides.
    pub state: ContactState,
    /// How far it has slid since the last equilibrium, m.
    pub slip: f64,
}

/// Something that presses on a part with a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartPress {
    /// The obstacle that is the shape of the part.
    pub shape: usize,
    /// What presses on it: an obstacle, or the shape of another part.
    pub by: usize,
    /// Where the surface of the part is, m, world.
    pub position: Vec3,
    /// Towards the part, world.
    pub normal: Vec3,
    /// Distance of the surfaces, m.
    pub gap: f64,
    /// Force on the part, N, world: along the normal, and friction.
    pub force: Vec3,
    /// Whether it slides.
    pub state: ContactState,
    /// How far it has slid since the last equilibrium, m.
    pub slip: f64,
}

/// What presses on a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Presser {
    /// An obstacle, by its index.
    Obstacle(usize),
    /// A cable, maybe the same, by its index, at an arc length, m.
    Cable(usize, f64),
}

impl Presser {
    /// Whether both are the same neighbour, wherever it touches.
    pub fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Obstacle(a), Self::Obstacle(b)) | (Self::Cable(a, _), Self::Cable(b, _)) => a == b,
            _ => false,
        }
    }
}

/// What contact may do to a cable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactLimits {
    /// Least distance from obstacles, other cables and itself, m.
    pub clearance: Option<f64>,
    /// Largest force on a stretch of one diameter, N.
    pub force: Option<f64>,
    /// Largest line pressure, N/m.
    pub pressure: Option<f64>,
    /// Most work of friction on a stretch of one diameter, J.
    pub work: Option<f64>,
}

/// How near a cable is to obstacles at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// Arc length on the cable, m.
    pub s: f64,
    /// Distance of the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// The obstacle that is nearest.
    pub obstacle: usize,
}

impl Scene {
    /// Obstacles, then poles, each with its index in its own table.
    fn solids(&self) -> impl Iterator<Item = (SolidKind, usize, ObstacleSpec)> {
        let obstacles = self.obstacles.iter().cloned().enumerate();
        let poles = self.poles.iter().map(PoleSpec::obstacle).enumerate();
        let obstacles = obstacles.map(|(i, own)| (SolidKind::Obstacle, i, own));
        obstacles.chain(poles.map(|(i, own)| (SolidKind::Pole, i, own)))
    }

    /// The obstacles and poles, for the network and for names.
    pub(crate) fn make_obstacles(&self) -> Result<(Vec<Obstacle>, Vec<CompiledObstacle>), Vec<Diagnostic>> {
        let (mut made, mut named, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
        for (kind, i, spec) in self.solids() {
            match spec.make(&self.folder) {
                Ok(own) => {
                    let part = spec.on.as_ref().and_then(|on| self.parts.iter().position(|p| p.name == *on));
                    let on = part.map(|part| (self.anchor(Node::Part(part)).0, own.obstacle.pose));
                    made.push(own.obstacle);
                    named.push(CompiledObstacle {
                        name: spec.name,
                        kind,
                        on,
                        health: own.health,
                        changed: own.changed,
                    });
                }
                Err(wrong) => {
                    let path = format!("{}[{i}].{}", kind.name(), wrong.key);
                    let message = format!("{} '{}': {}", kind.name(), spec.name, wrong.message);
                    mistakes.push(self.source.diagnostic(wrong.code, &path, message, Some(wrong.help)));
                }
            }
        }
        if mistakes.is_empty() { Ok((made, named)) } else { Err(mistakes) }
    }

    /// Whether cables touch anything.
    pub(crate) fn has_contact(&self) -> bool {
        self.contact == Some(true) || !self.obstacles.is_empty() || !self.poles.is_empty()
    }

    /// Gives cables the radii with which they touch, and says what passes through what: by name, and ends through the
    /// obstacles that they are fastened to.
    pub(crate) fn arrange_contact(&self, compiled: &mut Compiled) {
        if !self.has_contact() {
            return;
        }
        let Compiled { network, cables, obstacles, .. } = compiled;
        let spans = |cable: usize| cables[cable].spans.iter().map(|(span, _)| *span);
        for (own, told) in cables.iter().zip(&self.cables) {
            for (k, (span, from)) in own.spans.iter().enumerate() {
                let to = own.spans.get(k + 1).map_or(own.length, |(_, next)| *next);
                network.spans[*span].contact_radius = contact_radius(&own.section, [*from, to]);
                network.spans[*span].friction = told.cable.friction;
            }
        }
        let mut pass = |a: usize, b: usize| {
            let pairs = spans(a).flat_map(|one| spans(b).map(move |two| [one, two]));
            network.passing.extend(pairs);
        };
        let named = |i: usize, name: &str| self.cables[i].cable.passes_through.iter().any(|own| own == name);
        for a in 0..cables.len() {
            for b in a..cables.len() {
                if self.contact == Some(false) || named(a, &cables[b].name) || named(b, &cables[a].name) {
                    pass(a, b);
                }
            }
        }
        for (i, obstacle) in obstacles.iter().enumerate() {
            for cable in (0..cables.len()).filter(|cable| named(*cable, &obstacle.name)) {
                let all = |span| Passage { span, obstacle: i, within: PassageStretch::All };
                network.passages.extend(spans(cable).map(all));
            }
        }
        network.seat_ends();
    }

    /// Mounts obstacles on parts that cables may move: they are the shapes of these.
    pub(crate) fn mount_shapes(&self, compiled: &mut Compiled) {
        let Compiled { network, obstacles, .. } = compiled;
        for (obstacle, own) in obstacles.iter().enumerate() {
            let Some((anchor, pose)) = own.on else { continue };
            let held = network.anchors.get(anchor).map(|own| own.held == [true; 3] && own.held_orientation);
            if held == Some(false) {
                network.mounts.push(Mount { obstacle, anchor, anchor_from_obstacle: pose });
            }
        }
    }

    /// Ends of cables that are held where an obstacle leaves them no room: no equilibrium could be found.
    pub(crate) fn entered_holds(&self, compiled: &Compiled) -> Vec<Diagnostic> {
        let network = &compiled.network;
        let mut found: Vec<Diagnostic> = Vec::new();
        let ends = network.spans.iter().enumerate().flat_map(|(k, span)| {
            let both = std::iter::once(&span.start).chain(&span.end).enumerate();
            both.map(move |(end, on)| ((k, end), on, span.contact_radius))
        });
        for ((span, end), on, radius) in ends {
            let Some(anchor) = network.anchors.get(on.anchor).filter(|anchor| anchor.held == [true; 3])
            else {
                continue;
            };
            let local = on.anchor_from_end.position;
            // Where it turns about its anchor nobody knows yet where it will be.
            if local != Vec3::zeros() && !anchor.held_orientation {
                continue;
            }
            let at = anchor.pose.position + rotation::rotate(&anchor.pose.orientation, &local);
            for (i, (solid, own)) in network.obstacles.iter().zip(&compiled.obstacles).enumerate() {
                let distance = solid.distance(&at).map_or(f64::INFINITY, |(distance, _)| distance);
                let passes = network.passages.iter().any(|own| {
                    let is_there = match own.within {
                        PassageStretch::Start(_) => end == 0,
                        PassageStretch::End(_) => end == 1,
                        PassageStretch::All => true,
                    };
                    is_there && (own.span, own.obstacle) == (span, i)
                });
                // Distances of meshes have no sign: what is far from the surface may still be in a closed one.
                let is_within = matches!(solid.shape, Shape::Mesh(_)) && solid.is_entered([at, at]);
                if (distance >= radius * (1.0 - 1e-6) && !is_within) || passes {
                    continue;
                }
                let name = &compiled.anchors[on.anchor];
                let rank =
                    compiled.anchors[..on.anchor].iter().filter(|other| other.kind == name.kind).count();
                let path = match name.kind == name.name {
                    true => format!("{}.position", name.kind),
                    false => format!("{}[{rank}].position", name.kind),
                };
                if found.iter().any(|other| other.path == path) {
                    continue;
                }
                let where_to =
                    if distance < -1e-9 || (is_within && distance > 1e-9) { "inside" } else { "at" };
                let message = format!(
                    "{name} holds a cable {where_to} {} '{}', where it has no room",
                    own.kind.name(),
                    own.name
                );
                let help = format!(
                    "keep it at least {} off the surface, the radius of the cable; or on the surface and pointing away from \
                     it; or let the cable pass: passes_through = [\"{}\"]",
                    millimetres(radius),
                    quote(&own.name)
                );
                found.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help)));
            }
        }
        found
    }

    /// A mistake that the engine found with an obstacle or a pole.
    pub(crate) fn obstacle_mistake(&self, error: &NetworkError) -> Option<Diagnostic> {
        let NetworkError::Obstacle { index, cause } = error else { return None };
        let (kind, rank, spec) = self.solids().nth(*index)?;
        let message = format!("{} '{}': {cause}", kind.name(), spec.name);
        Some(self.source.diagnostic(Code::Conflict, &format!("{}[{rank}]", kind.name()), message, None))
    }
}

impl Cable {
    /// The strictest limits of contact of its sections.
    pub(crate) fn contact_limits(&self) -> ContactLimits {
        let all = || std::iter::once(&self.section).chain(self.zones.iter().map(|zone| &zone.section));
        let least = |of: fn(&LimitChanges) -> Option<f64>| {
            all().filter_map(|section| of(&section.limits)).reduce(f64::min)
        };
        ContactLimits {
            clearance: all().filter_map(|section| section.limits.clearance).reduce(f64::max),
            force: least(|limits| limits.contact_force),
            pressure: least(|limits| limits.contact_pressure),
            work: least(|limits| limits.chafing_work),
        }
    }
}

/// The radius with which a stretch of a cable touches, m: the largest of its sections.
fn contact_radius(profile: &SectionProfile, [from, to]: [f64; 2]) -> f64 {
    let inside = profile.breaks().into_iter().filter(|s| (from..=to).contains(s));
    // Where the section jumps, both sides count.
    let places = inside.flat_map(|s| [s.next_down(), s]).chain([from, to.next_down()]);
    places.map(|s| profile.at(s.max(0.0)).contact_radius).fold(0.0, f64::max)
}

impl Compiled {
    /// Whether cables touch anything: obstacles, each other or themselves.
    pub fn has_contact(&self) -> bool {
        self.network.spans.iter().any(|span| span.contact_radius > 0.0)
    }

    /// What is to know of the meshes of obstacles, of obstacles that are in one another and of parts without a shape, a sentence each.
    pub fn mesh_notes(&self) -> Vec<String> {
        let noted = |own: &CompiledObstacle| {
            let told = health_note(&own.health?)?;
            Some(format!("the mesh of obstacle '{}' {told}", own.name))
        };
        let other = |own: &&CompiledObstacle| own.changed;
        let changed = self.obstacles.iter().filter(other).map(|own| {
            format!("the mesh of obstacle '{}' is another than when the scene was saved", own.name)
        });
        let shapeless = self.shapeless().map(|part| {
            format!(
                "part '{part}' has no shape and passes through obstacles: an [[obstacle]] with on = \"{}\" gives it one",
                quote(part)
            )
        });
        self.obstacles.iter().filter_map(noted).chain(changed).chain(self.welded()).chain(shapeless).collect()
    }

    /// Parts that cables may move among obstacles, and that have no shape.
    fn shapeless(&self) -> impl Iterator<Item = &str> {
        let network = &self.network;
        let parts = self.anchors.iter().enumerate().filter(|(_, name)| name.kind == "part");
        let loose = parts.filter(|(i, _)| {
            let own = &network.anchors[*i];
            own.held != [true; 3] || !own.held_orientation
        });
        let bare = loose.filter(|(i, _)| !network.mounts.iter().any(|mount| mount.anchor == *i));
        bare.filter(|_| !network.obstacles.is_empty()).map(|(_, name)| &*name.name)
    }

    /// Obstacles on parts that are in another obstacle: each is kept, and nothing drives them apart.
    fn welded(&self) -> Vec<String> {
        let solids = &self.network.obstacles;
        let mut told = Vec::new();
        for (i, a) in self.obstacles.iter().enumerate() {
            for (j, b) in self.obstacles.iter().enumerate().skip(i + 1) {
                let part = |own: &CompiledObstacle| own.on.map(|(anchor, _)| anchor);
                let touch = [i, j].iter().any(|o| self.network.mount(*o).is_some());
                // What stands in the world, or is on one part, may well be put together of several shapes.
                if part(a) != part(b) && (overlap(&solids[i], &solids[j]) || overlap(&solids[j], &solids[i]))
                {
                    let how = match touch {
                        true => "where the part is put: what begins in something may stay in it",
                        false => "obstacles do not touch obstacles, and both stay as they are",
                    };
                    told.push(format!("obstacles '{}' and '{}' are in one another: {how}", a.name, b.name));
                }
            }
        }
        told
    }

    /// Where a span begins on its cable now, m.
    pub(crate) fn span_begin(&self, state: &NetworkState, cable: &CompiledCable, span: usize) -> f64 {
        let mut begin = 0.0;
        for (own, from) in &cable.spans {
            begin += self.rim_length(state, *own);
            if *own == span {
                // Where nothing has slid, to the last bit where the scene says.
                return if (begin - from).abs() < 1e-12 * cable.length { *from } else { begin };
            }
            begin += state.lengths[*own];
        }
        begin
    }

    /// The cable that a place of a span is on, and its arc length there, m.
    pub(crate) fn on_cable(&self, state: &NetworkState, span: usize, s: f64) -> Option<(usize, f64)> {
        let has = |cable: &CompiledCable| cable.spans.iter().any(|(own, _)| *own == span);
        let cable = self.cables.iter().position(has)?;
        Some((cable, self.span_begin(state, &self.cables[cable], span) + s))
    }

    /// What presses on cables, in the order of spans and places.
    pub fn presses(&self, solution: &Solution) -> Vec<Press> {
        self.presses_of(&solution.state, &solution.report.contacts)
    }

    /// The same of contacts at a state, in motion too.
    pub fn presses_of(&self, state: &NetworkState, contacts: &[Contact]) -> Vec<Press> {
        let on_cable = |span: usize, s: f64| self.on_cable(state, span, s);
        let press = |contact: &Contact| {
            let (cable, s) = on_cable(contact.body.span()?, contact.s)?;
            Some(Press {
                cable,
                by: match contact.other {
                    Other::Obstacle(index) => Presser::Obstacle(index),
                    Other::Span { index, s } => {
                        let (cable, s) = on_cable(index, s)?;
                        Presser::Cable(cable, s)
                    }
                },
                s,
                position: contact.position,
                normal: contact.normal,
                gap: contact.gap,
                force: contact.force,
                state: contact.state,
                slip: contact.slip,
            })
        };
        contacts.iter().filter_map(press).collect()
    }

    /// What presses on parts with a shape, in the order of their shapes.
    pub fn part_presses(&self, solution: &Solution) -> Vec<PartPress> {
        self.part_presses_of(&solution.report.contacts)
    }

    /// The same of contacts in motion.
    pub fn part_presses_of(&self, contacts: &[Contact]) -> Vec<PartPress> {
        let press = |contact: &Contact| {
            let (Body::Obstacle { obstacle }, Other::Obstacle(other)) = (contact.body, contact.other) else {
                return None;
            };
            Some(PartPress {
                shape: obstacle,
                by: other,
                position: contact.position,
                normal: contact.normal,
                gap: contact.gap,
                force: contact.force,
                state: contact.state,
                slip: contact.slip,
            })
        };
        let mut all: Vec<PartPress> = contacts.iter().filter_map(press).collect();
        all.sort_by_key(|press| (press.shape, press.by));
        all
    }

    /// The name of what presses.
    pub fn presser(&self, by: Presser) -> &str {
        match by {
            Presser::Obstacle(index) => self.obstacles.get(index).map_or("", |own| &own.name),
            Presser::Cable(index, _) => self.cables.get(index).map_or("", |own| &own.name),
        }
    }

    /// Those of the obstacles that the file has in one table, with their index in the network.
    pub fn solids(&self, kind: SolidKind) -> impl Iterator<Item = (usize, &CompiledObstacle)> {
        self.obstacles.iter().enumerate().filter(move |(_, own)| own.kind == kind)
    }

    /// How near a cable is to obstacles at every sample of its profile; empty where there are no obstacles.
    pub fn clearances(&self, solution: &Solution, cable: usize) -> Vec<Clearance> {
        if self.network.obstacles.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (span, samples) in self.pieces(solution, cable) {
            let begin = self.span_begin(&solution.state, &self.cables[cable], span);
            let near = |sample: &Sample| {
                let near = self.network.nearest_obstacle(&solution.state, span, sample.s - begin)?;
                Some(Clearance { s: sample.s, gap: near.distance - sample.radius, obstacle: near.obstacle })
            };
            all.extend(samples.iter().filter_map(near));
        }
        all
    }

    /// Where a cable is nearest to an obstacle: at a sample, or where it touches.
    pub fn least_clearance(&self, solution: &Solution, cable: usize) -> Option<Clearance> {
        let touching = self.presses(solution).into_iter().filter(|press| press.cable == cable);
        let touching = touching.filter_map(|press| match press.by {
            Presser::Obstacle(obstacle) => Some(Clearance { s: press.s, gap: press.gap, obstacle }),
            Presser::Cable(..) => None,
        });
        let all = self.clearances(solution, cable).into_iter().chain(touching);
        all.min_by(|a, b| a.gap.total_cmp(&b.gap))
    }

    /// The hardest press of one neighbour on a stretch of one diameter of a cable, N, where it presses most there, m, and
    /// who. So it does not depend on how many places a cable is touched at, and what is squeezed from two sides is not let off.
    pub fn hardest_press(&self, solution: &Solution, cable: usize) -> Option<(f64, f64, Presser)> {
        let mut all: Vec<Press> =
            self.presses(solution).into_iter().filter(|press| press.cable == cable).collect();
        all.sort_by(|a, b| a.s.total_cmp(&b.s));
        let window = |first: usize| {
            let width = self.pressed_length(cable, all[first].s);
            let inside = all[first..].iter().take_while(|press| press.s <= all[first].s + width);
            let inside = inside.filter(|press| press.by.is_same(all[first].by));
            let total: Vec3 = inside.clone().map(|press| press.force).sum();
            let most = inside.max_by(|a, b| a.force.norm().total_cmp(&b.force.norm()))?;
            Some((total.norm(), most.s, most.by))
        };
        (0..all.len()).filter_map(window).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// How a cable keeps its distance from all its neighbours, and how hard they press on it; nothing where there are none.
    pub(crate) fn contact_findings(
        &self,
        solution: &Solution,
        cable: usize,
        neighbours: &[Neighbour],
    ) -> Vec<Finding> {
        let (profile, limits) = (&solution.profiles[cable], self.cables[cable].contact_limits);
        let samples = &profile.samples;
        let near = |s: f64| samples.iter().min_by(|a, b| (a.s - s).abs().total_cmp(&(b.s - s).abs()));
        let mut found = Vec::new();
        // A pair of cables is told once, of the first.
        let own = neighbours.iter().filter_map(|near| match near.to {
            _ if near.cable == cable => Some((near.gap, near.s, self.presser(near.to))),
            Presser::Cable(other, s) if other == cable => Some((near.gap, s, &*self.cables[near.cable].name)),
            _ => None,
        });
        if let Some((gap, s, name)) = own.min_by(|a, b| a.0.total_cmp(&b.0))
            && let Some(at) = near(s)
        {
            // Round-off is no overlap.
            let gap = if gap.abs() < 1e-12 { 0.0 } else { gap };
            found.push(contact_finding(Rule::Clearance, gap, limits.clearance, name, at));
        }
        if let Some((hardest, s, by)) = self.hardest_press(solution, cable)
            && let Some(at) = near(s)
        {
            found.push(contact_finding(Rule::ContactForce, hardest, limits.force, self.presser(by), at));
        }
        let pressure = self.pressure(solution, cable);
        if let Some((most, s, by)) = pressure.largest(|s| self.pressed_length(cable, s))
            && let Some(at) = near(s)
        {
            found.push(contact_finding(Rule::ContactPressure, most, limits.pressure, self.presser(by), at));
        }
        found.extend(solution.chafing.finding(&self.cables[cable].name, limits.work, profile));
        found
    }
}

/// Most vertices of a mesh that are looked at for what they are in.
const LOOKED_AT: usize = 2000;

/// Whether the middle or a corner of an obstacle is in another: enough to find what was put at the same place.
fn overlap(one: &Obstacle, other: &Obstacle) -> bool {
    let on_axis = |half: f64| vec![Vec3::zeros(), Vec3::z() * half, Vec3::z() * -half];
    let (places, around) = match &one.shape {
        Shape::Sphere { radius } => (vec![Vec3::zeros()], *radius),
        Shape::Capsule { radius, half_length } => (on_axis(*half_length), *radius),
        Shape::Cylinder { half_length: Some(half), .. } => (on_axis(*half), 0.0),
        Shape::Box { half } => {
            let corner = |k: usize| {
                let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
                half.component_mul(&Vec3::new(sign(0), sign(1), sign(2)))
            };
            ((0..8).map(corner).chain([Vec3::zeros()]).collect(), 0.0)
        }
        Shape::Mesh(mesh) => {
            let step = mesh.vertices().len().div_ceil(LOOKED_AT).max(1);
            (mesh.vertices().iter().step_by(step).copied().collect(), 0.0)
        }
        _ => return false,
    };
    let is_inside = |local: &Vec3| {
        let at = one.pose.position + rotation::rotate(&one.pose.orientation, local);
        let distance = other.distance(&at).map_or(f64::INFINITY, |(distance, _)| distance);
        match other.shape {
            Shape::Mesh(_) => other.is_entered([at, at]),
            _ => distance < around - 1e-9,
        }
    };
    places.iter().any(is_inside)
}

/// What is wrong with a mesh that serves all the same.
fn health_note(health: &MeshHealth) -> Option<String> {
    let mut told = Vec::new();
    let mut say = |count: usize, one: &str, many: &str| {
        if count > 0 {
            told.push(if count == 1 { format!("1 {one}") } else { format!("{count} {many}") });
        }
    };
    say(health.degenerate, "triangle without area, left out", "triangles without area, left out");
    say(health.duplicates, "triangle twice, left out once", "triangles twice, left out once each");
    say(health.open_edges, "open edge: it has no inside", "open edges: it has no inside");
    say(health.non_manifold_edges, "edge of more than two triangles", "edges of more than two triangles");
    say(
        health.inconsistent_edges,
        "edge whose triangles face opposite ways",
        "edges whose triangles face opposite ways",
    );
    if health.volume < 0.0 {
        told.push("its triangles turned inside out".to_owned());
    }
    if told.is_empty() {
        None
    } else {
        Some(format!("has {}; cables keep off its triangles all the same", told.join(", ")))
    }
}
