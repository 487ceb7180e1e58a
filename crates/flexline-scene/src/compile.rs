//! From a scene of one `[cable]` between `[start]` and `[end]` to the network that the engine solves.

use crate::accuracy::choose;
use crate::contact::contact_radius;
use crate::diagnostic::{Code, Diagnostic};
use crate::harness::{AnchorName, Compiled, CompiledCable};
use crate::model::{Cable, End, Grading, Hold, LoadOn, Method, Orientation, Scene, Solve};
use crate::resolve::Sections;
use crate::rod::{breaks, ends, rod};
use crate::words::millimetres;
use flexline::algebra::rotation;
use flexline::rod::mixed::{Mesh, MeshError};
use flexline::section::{SectionProfile, Shape};
use flexline::solver::network::{Network, NetworkError, NetworkState};
use flexline::solver::statics::{self, IntegralSettings, MOST_ELEMENTS, Settings};
use flexline::solver::{self, DistributedLoad, PointLoad, Problem, ProblemError};
use flexline::{Quat, Vec3};

/// The outline of the stretch at `s`, scaled to the radius there.
pub(crate) fn shape_at(shapes: &[(f64, Shape)], s: f64, radius: f64) -> Shape {
    let stretch = shapes.partition_point(|(to, _)| *to <= s);
    let shape = shapes.get(stretch).or(shapes.last());
    let shape = shape.map_or(Shape::Disc { radius }, |(_, shape)| *shape);
    let scale = radius / shape.contact_radius();
    match shape {
        Shape::Disc { radius } => Shape::Disc { radius: radius * scale },
        Shape::Tube { outer, inner } => Shape::Tube { outer: outer * scale, inner: inner * scale },
        Shape::Ellipse { a, b } => Shape::Ellipse { a: a * scale, b: b * scale },
        Shape::Rectangle { width, height } => {
            Shape::Rectangle { width: width * scale, height: height * scale }
        }
    }
}

impl Solve {
    /// The solver's settings with what these say.
    pub fn settings(&self) -> Settings {
        let standard = Settings::default();
        let method = match self.method {
            Some(Method::IntegralForces { alpha }) => {
                let constants = IntegralSettings::default();
                statics::Method::IntegralForces(IntegralSettings {
                    alpha: alpha.unwrap_or(constants.alpha),
                    max_iterations: self.iterations.unwrap_or(constants.max_iterations),
                    ..constants
                })
            }
            Some(Method::Newton) | None => statics::Method::Newton,
        };
        Settings {
            method,
            force_tolerance: self.tolerance.unwrap_or(standard.force_tolerance),
            max_iterations: self.iterations.unwrap_or(standard.max_iterations),
            stability: self.stability.unwrap_or(standard.stability),
            seek_stable: self.seek_stable.unwrap_or(standard.seek_stable),
            ..standard
        }
    }
}

/// One cable between `[start]` and `[end]`.
pub(crate) struct Single<'a> {
    scene: &'a Scene,
    cable: &'a Cable,
    ends: &'a [End; 2],
}

impl Scene {
    /// The one cable of a file with `[cable]`, and what holds it.
    pub(crate) fn as_single(&self) -> Option<Single<'_>> {
        let (ends, cable) = (self.ends.as_ref()?, &self.cables.first()?.cable);
        Some(Single { scene: self, cable, ends })
    }

    /// Moves an end of the one cable to where a hand leads it, and turns it where that does; the roll that the scene leaves
    /// open follows from where both ends are.
    pub fn lead_end(&mut self, side: usize, position: Vec3, frame: Option<Quat>, network: &mut Network) {
        if let Some(end) = self.ends.as_mut().and_then(|ends| ends.get_mut(side)) {
            end.position = position;
            end.orientation = end.orientation.map(|own| frame.map_or(own, Orientation::Frame));
        }
        let frames = self.as_single().map_or([None; 2], |single| single.frames());
        for (anchor, frame) in network.anchors.iter_mut().zip(frames) {
            anchor.pose.orientation = frame.unwrap_or(anchor.pose.orientation);
        }
    }
}

impl Single<'_> {
    /// Makes the network of the scene; cables that are too short are no mistake where that is asked for.
    pub(crate) fn compile(&self, even_short: bool) -> Result<Compiled, Vec<Diagnostic>> {
        let (scene, cable) = (self.scene, self.cable);
        let along = Sections { source: &scene.source, cable, path: "cable" }.along();
        let mut mistakes = along.as_ref().err().cloned().unwrap_or_default();
        mistakes.extend(self.support_mistakes());
        mistakes.extend(self.obstacle_mistakes());
        let obstacles = scene.make_obstacles();
        mistakes.extend(obstacles.as_ref().err().into_iter().flatten().cloned());
        mistakes.retain(|mistake| !even_short || mistake.code != Code::TooShort);
        let (Ok(along), Ok((solids, obstacles)), true) = (along, obstacles, mistakes.is_empty()) else {
            return Err(mistakes);
        };
        let section = &along.profile;
        let rest = |s: f64| cable.rest.at(s, cable.length);
        let loads = scene.loads.iter().map(|own| &own.load.on);
        let breaks = breaks(cable, section, [0.0, cable.length], loads);
        let pieces = match cable.accuracy {
            Some(_) => cable.model.first().max(breaks.count().min(MOST_ELEMENTS / 4)),
            None => cable.resolution,
        };
        let made = |ends: &[f64]| rod(cable.model, ends, &breaks, section, &rest);
        let rod = ends(cable.model, cable.length, pieces, &breaks, |n| self.mesh(n, section))
            .and_then(|ends| made(&ends))
            .map_err(|no| vec![no.at(&scene.source, "cable")])?;
        let mut problem = Problem { gravity: scene.gravity, ..self.held(rod) };
        self.add_loads(&mut problem);
        let cables = || [(section, cable.length)].into_iter();
        problem.poles.extend(scene.poles.iter().map(|pole| pole.pole(cables(), &scene.gravity)));
        match problem.check() {
            Err(ProblemError::TooShort { .. }) if even_short => {}
            checked => checked.map_err(|error| vec![self.engine_mistake(&error)])?,
        }
        let choose =
            |accuracy| choose(accuracy, &mut problem, &|ends| made(ends).ok(), &scene.solve.settings());
        let chosen = match cable.accuracy.map(choose).transpose() {
            Err(ProblemError::TooShort { .. }) if even_short => None,
            chosen => chosen.map_err(|error| vec![self.engine_mistake(&error)])?,
        };
        let (chosen, start) = chosen.unzip();
        let mut network = self.network(&problem);
        network.obstacles = solids;
        // Without obstacles cables pass through each other and themselves.
        if !network.obstacles.is_empty() {
            network.spans[0].contact_radius = contact_radius(&along, [0.0, cable.length]);
        }
        match network.check() {
            Err(NetworkError::TooShort { .. }) if even_short => {}
            Err(error) if !network.obstacles.is_empty() => return Err(vec![scene.engine_mistake(&error)]),
            _ => {}
        }
        Ok(Compiled {
            anchors: ["start", "end"][..network.anchors.len()]
                .iter()
                .map(|name| AnchorName::end(name))
                .collect(),
            start: start.map(|state| NetworkState::from_cable(&network, &state)),
            chosen: chosen.map(Some).into_iter().collect(),
            cables: vec![CompiledCable::new(&scene.cables[0], along, vec![(0, 0.0)])],
            constraints: Vec::new(),
            eyes: Vec::new(),
            obstacles,
            leads: Vec::new(),
            fed: Vec::new(),
            solve: scene.solve,
            network,
        })
    }

    /// The rod between the ends. Its own turns are those of the far end against the near one, which is turned before.
    fn held(&self, rod: flexline::rod::AnyRod) -> Problem {
        let about = about_tangent(self.ends[0].twist);
        let frames = self.frames().map(|frame| frame.map(|q| q * about));
        let [mut start, mut end] = [0, 1].map(|k| engine_end(&self.ends[k], frames[k]));
        (start.twist, end.twist) =
            (0.0, if end.orientation.is_some() { end.twist - start.twist } else { 0.0 });
        if let Some(twist) = self.cable.ring_twist {
            end = solver::End { twist, ..solver::End::free() };
        }
        Problem { closed: self.cable.ring_twist.is_some(), ..Problem::new(rod, start, end) }
    }

    /// The network of the problem. Its anchors have the frames that the scene gives the ends, on which the cable sits
    /// turned by the turns of its start.
    fn network(&self, problem: &Problem) -> Network {
        let mut network = Network::from_cable(problem);
        let about = about_tangent(self.ends[0].twist);
        if self.ends[0].twist != 0.0 {
            for (anchor, frame) in network.anchors.iter_mut().zip(self.frames()) {
                anchor.pose.orientation = frame.unwrap_or(anchor.pose.orientation);
            }
            let span = &mut network.spans[0];
            for on in std::iter::once(&mut span.start).chain(&mut span.end) {
                on.anchor_from_end.orientation = about;
            }
        }
        network
    }

    /// What goes with no obstacles.
    fn obstacle_mistakes(&self) -> Vec<Diagnostic> {
        let (scene, cable) = (self.scene, self.cable);
        if scene.obstacles.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        if cable.accuracy.is_some() {
            let message = "`accuracy` does not see obstacles: the pieces that it chooses are those of the cable without them";
            let help = "say how many there are: segments = 100";
            found.push(scene.source.diagnostic(
                Code::Conflict,
                "cable.accuracy",
                message.into(),
                Some(help.into()),
            ));
        }
        if let Some(Method::IntegralForces { .. }) = scene.solve.method {
            let message = "`solve.method` = \"integral-forces\" knows no obstacles";
            let help = "leave it out: \"newton\" does";
            found.push(scene.source.diagnostic(
                Code::Conflict,
                "solve.method",
                message.into(),
                Some(help.into()),
            ));
        }
        found
    }

    /// Whether what holds the cable can hold it.
    fn support_mistakes(&self) -> Option<Diagnostic> {
        let closed = self.cable.ring_twist.is_some();
        let [a, b] = [self.ends[0].held(), self.ends[1].held()];
        let loose: Vec<&str> =
            (0..3).filter(|&i| !(a[i] || (!closed && b[i]))).map(|i| ["x", "y", "z"][i]).collect();
        if !loose.is_empty() {
            let message = if loose.len() == 3 {
                "nothing holds the cable: it would float away".to_owned()
            } else {
                format!("nothing holds the cable along {}: it would float away", loose.join(" and "))
            };
            let help =
                "hold at least one end: hold = \"clamped\" or \"pinned\", without `slides` along that axis";
            let source = &self.scene.source;
            return Some(source.diagnostic(Code::Floating, "start.hold", message, Some(help.into())));
        }
        if !closed && a == [true; 3] && b == [true; 3] {
            let distance = (self.ends[1].position - self.ends[0].position).norm();
            if distance > self.cable.length {
                return Some(self.too_short(self.cable.length, distance));
            }
        }
        None
    }

    fn too_short(&self, length: f64, distance: f64) -> Diagnostic {
        let [missing, length, distance] = [distance - length, length, distance].map(millimetres);
        let message =
            format!("the cable is {missing} too short: it is {length} long, its ends are {distance} apart");
        let help =
            format!("lengthen it to at least {distance} (cable.length), or move the ends closer together");
        self.scene.source.diagnostic(Code::TooShort, "cable.length", message, Some(help))
    }

    /// A mistake only the engine saw, at the key it concerns.
    pub(crate) fn engine_mistake(&self, error: &ProblemError) -> Diagnostic {
        let (code, path) = match error {
            ProblemError::TooShort { length, distance, .. } => return self.too_short(*length, *distance),
            ProblemError::Floating => (Code::Floating, "start.hold"),
            ProblemError::LoadOutside { .. } => (Code::OutOfRange, "load"),
            ProblemError::NotInScheme => (Code::Conflict, "solve.method"),
            ProblemError::NotFinite { .. } | ProblemError::NotUnit { .. } => (Code::NotFinite, ""),
            ProblemError::Rod(_) => (Code::OutOfRange, "cable"),
            ProblemError::Setting { .. } => (Code::OutOfRange, "solve"),
            // What has no place of its own in the file is told without one.
            _ => (Code::Conflict, ""),
        };
        self.scene.source.diagnostic(code, path, error.to_string(), None)
    }

    fn mesh(&self, segments: usize, section: &SectionProfile) -> Result<Mesh, MeshError> {
        let length = self.cable.length;
        match self.cable.grading {
            Grading::Uniform => Mesh::uniform(length, segments),
            Grading::Layers(layers) => Mesh::graded(length, segments, layers),
            Grading::Auto => Mesh::graded(length, segments, self.expected_layers(segments, section)),
        }
    }

    /// How far a clamp bends the cable under the tension to be expected: √(K/T), m; zero where nothing clamps.
    fn expected_layers(&self, segments: usize, section: &SectionProfile) -> [f64; 2] {
        let cable = self.cable;
        let tension = self.expected_tension(section);
        let finest = 0.05 * cable.length / segments as f64;
        [0, 1].map(|i| {
            if self.ends[i].hold != Hold::Clamped || cable.ring_twist.is_some() || tension <= 0.0 {
                return 0.0;
            }
            let stiffness = section.at(if i == 0 { 0.0 } else { cable.length }).stiffness;
            (stiffness.x.min(stiffness.y) / tension).sqrt().max(finest)
        })
    }

    /// The tension at the ends, estimated without bending stiffness: that of the catenary between two held
    /// ends, the whole weight under one, and the forces on it.
    fn expected_tension(&self, section: &SectionProfile) -> f64 {
        let length = self.cable.length;
        let weight = section.cell(0.0, length).mass * self.scene.gravity.norm();
        let on_ends = self.ends.iter().map(|e| e.force.norm()).sum::<f64>();
        let on_points = self.scene.loads.iter().map(|own| match own.load.on {
            LoadOn::Point { force, .. } => force.norm(),
            LoadOn::Stretch { from, to, force, .. } => 0.5 * (force[0] + force[1]).norm() * (to - from),
        });
        let total = weight + on_ends + on_points.sum::<f64>();
        if self.ends.iter().any(|e| e.held() != [true; 3]) || weight == 0.0 {
            return total;
        }
        let chord = self.ends[1].position - self.ends[0].position;
        let up = self.scene.gravity / self.scene.gravity.norm();
        let rise = chord.dot(&up);
        let span = (chord - up * rise).norm();
        // sinh(x)/x = √(L² − rise²)/span with x = w span / 2H; x from the logarithm's side is monotone.
        let ratio =
            ((length * length - rise * rise).max(0.0).sqrt() / span.max(1e-9 * length)).max(1.0 + 1e-12);
        let (mut lo, mut hi) = (1e-9, 50.0);
        for _ in 0..100 {
            let x: f64 = 0.5 * (lo + hi);
            if x.sinh() / x < ratio { lo = x } else { hi = x }
        }
        let horizontal = weight / length * span / (2.0 * lo);
        horizontal.hypot(0.5 * weight).max(total - weight)
    }

    /// The frames at which the ends are held, before their twist.
    fn frames(&self) -> [Option<Quat>; 2] {
        let start = self.ends[0].orientation.map(Orientation::frame);
        let end = self.ends[1].orientation.map(|o| match (o, start) {
            (Orientation::Tangent(t, None), Some(first)) => self.carried(&first, &t),
            _ => o.frame(),
        });
        [start, end]
    }

    /// The first frame carried to the other end without twist: over the chord onto the last tangent. A cable
    /// that lies in a plane is free of twist then, whatever way it bends.
    fn carried(&self, first: &Quat, tangent: &Vec3) -> Quat {
        let chord = self.ends[1].position - self.ends[0].position;
        carried(first, &chord, tangent, self.cable.length)
    }

    fn add_loads(&self, problem: &mut Problem) {
        for (end, s) in self.ends.iter().zip([0.0, self.cable.length]) {
            if end.force != Vec3::zeros() || end.moment != Vec3::zeros() {
                problem.point_loads.push(PointLoad {
                    s,
                    force: end.force,
                    moment: end.moment,
                    axes: end.axes,
                });
            }
        }
        for load in self.scene.loads.iter().map(|own| &own.load) {
            let axes = load.axes;
            match load.on {
                LoadOn::Point { at, force, moment } => {
                    problem.point_loads.push(PointLoad { s: at, force, moment, axes });
                }
                LoadOn::Stretch { from, to, force, moment } => {
                    problem.distributed_loads.push(DistributedLoad { from, to, force, moment, axes });
                }
            }
        }
    }
}

impl Orientation {
    /// The frame, its roll upright where it is open.
    pub fn frame(self) -> Quat {
        match self {
            Self::Frame(q) => q,
            Self::Tangent(tangent, up) => upright(&tangent, up),
        }
    }
}

/// The frame carried without twist over the chord onto a tangent.
pub(crate) fn carried(first: &Quat, chord: &Vec3, tangent: &Vec3, length: f64) -> Quat {
    let at_start = rotation::tangent(first);
    let q = if chord.norm() > 1e-9 * length {
        let chord = chord.normalize();
        rotation::between(&chord, tangent) * rotation::between(&at_start, &chord) * first
    } else {
        rotation::between(&at_start, tangent) * first
    };
    q * (1.0 / q.norm())
}

/// The frame with tangent d3 whose d1 leans towards `up`: world z where it is not given, world x for a
/// vertical tangent.
pub(crate) fn upright(tangent: &Vec3, up: Option<Vec3>) -> Quat {
    let default = if tangent.z.abs() > 1.0 - 1e-9 { Vec3::x() } else { Vec3::z() };
    rotation::frame(tangent, &up.unwrap_or(default))
}

fn engine_end(end: &End, frame: Option<Quat>) -> solver::End {
    solver::End { position: end.position, held: end.held(), orientation: frame, twist: end.twist }
}

/// A turn about the tangent, rad.
fn about_tangent(turn: f64) -> Quat {
    rotation::exp(&Vec3::new(0.0, 0.0, turn))
}
