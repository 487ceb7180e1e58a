//! From a scene to the network the engine solves.

use super::accuracy::Chosen;
use super::eye::{CompiledEye, SliderKind};
use super::growth::Growing;
use super::lay::{Layout, Slider, Stop};
use super::lead::CompiledLead;
use super::{Growth, LaidCable, Node, RoutePrice, Scene};
use crate::check::Judged;
use crate::contact::{CompiledObstacle, ContactLimits};
use crate::diagnostic::{Code, Diagnostic, SceneError};
use crate::model::{Cable, Hold, Load, LoadOn, Rest, Solve, Usage};
use crate::resolve::{Along, Sections, shape_at};
use crate::rod::{NoRod, breaks, ends, rod};
use flexline::Vec3;
use flexline::rod::AnyRod;
use flexline::rod::mixed::Mesh;
use flexline::section::{Section, SectionProfile, Shape, Variation, Zone};
use flexline::solver::network::{Anchor, Grip, Network, NetworkError, NetworkState, Slide, Span};
use flexline::solver::statics::{MOST_ELEMENTS, Settings};
use flexline::solver::{Axes, DistributedLoad, PointLoad};

/// A scene ready to be solved, with what checks and pictures need beside the network.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What to solve.
    pub network: Network,
    /// The cables, in the order of the scene.
    pub cables: Vec<CompiledCable>,
    /// What each anchor of the network is.
    pub anchors: Vec<AnchorName>,
    /// What each constraint of the network is called.
    pub constraints: Vec<String>,
    /// Eyes, pulleys and beads, in the order in which a report has them.
    pub eyes: Vec<CompiledEye>,
    /// What cables cannot enter.
    pub obstacles: Vec<CompiledObstacle>,
    /// What is moved in time.
    pub leads: Vec<CompiledLead>,
    /// Spans whose length was changed by feeding while friction held their cable: index and change, m.
    pub fed: Vec<(usize, f64)>,
    /// What came out of every cable that asks for an accuracy; empty where none does.
    pub chosen: Vec<Option<Chosen>>,
    /// The equilibrium found on the way.
    pub(crate) start: Option<NetworkState>,
    /// Where it begins otherwise, where cables have a path.
    pub(crate) laid: Option<NetworkState>,
    /// How to solve.
    pub solve: Solve,
}

impl Compiled {
    /// The solver's settings with what the scene asks for.
    pub fn settings(&self) -> Settings {
        self.solve.settings()
    }
}

/// What an anchor is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AnchorName {
    /// "port", "part", "junction", "clip", "eye" or "bead"; "start" or "end" of the one cable of a scene.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for AnchorName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind == self.name {
            true => f.write_str(self.kind),
            false => write!(f, "{} '{}'", self.kind, self.name),
        }
    }
}

impl AnchorName {
    /// An end of the one cable of a scene.
    pub(crate) fn end(name: &'static str) -> Self {
        Self { kind: name, name: name.into() }
    }
}

/// A cable of a compiled scene: spans of the network, end to end.
#[derive(Clone, Debug)]
pub struct CompiledCable {
    /// Its name.
    pub name: String,
    /// Its spans in order: index in the network, and the arc length at which it begins, m.
    pub spans: Vec<(usize, f64)>,
    /// The section along the cable.
    pub section: SectionProfile,
    /// The outline along the cable: where each stretch ends, m, and its shape.
    shapes: Vec<(f64, Shape)>,
    /// The shape without loads.
    pub rest: Rest,
    /// Length of the cable, m; a first guess where it finds its own.
    pub length: f64,
    /// Whether it finds its own length.
    pub routed: bool,
    /// Whether the limits for repeated bending apply.
    pub dynamic_use: bool,
    /// What contact may do to it, where that is limited.
    pub contact_limits: ContactLimits,
    /// Whether a file can grade its segments.
    pub(super) grades: bool,
    /// How it changes in time.
    pub(super) growing: Option<Growing>,
}

impl CompiledCable {
    /// A cable of these spans.
    pub(crate) fn new(
        LaidCable { cable, from, route, .. }: &LaidCable,
        along: Along,
        spans: Vec<(usize, f64)>,
    ) -> Self {
        Self {
            name: cable.name.clone(),
            spans,
            section: along.profile,
            shapes: along.shapes,
            rest: cable.rest.clone(),
            length: cable.length,
            routed: route.is_some(),
            dynamic_use: cable.usage == Usage::Dynamic,
            contact_limits: cable.contact_limits(),
            grades: matches!(from, Node::End(_)),
            growing: None,
        }
    }

    /// Rest curvature and twist at `s`, 1/m.
    pub fn rest_at(&self, s: f64) -> Vec3 {
        self.rest.at(s, self.length)
    }

    /// The outline at `s`, for drawing and for the strain of its outermost fibre. Where a zone
    /// tapers it is that of the zone, scaled to the radius there.
    pub fn shape_at(&self, s: f64) -> Shape {
        shape_at(&self.shapes, s, self.section.at(s).contact_radius)
    }

    /// Its spans in order, by their index in the network.
    pub fn span_indices(&self) -> Vec<usize> {
        self.spans.iter().map(|(span, _)| *span).collect()
    }

    pub(super) fn judged(&self) -> Judged<'_> {
        Judged {
            section: &self.section,
            shapes: &self.shapes,
            rest: &self.rest,
            length: self.length,
            dynamic_use: self.dynamic_use,
        }
    }
}

impl Scene {
    /// Makes the network of this scene.
    pub fn compile(&self) -> Result<Compiled, SceneError> {
        self.choose(false).map_err(|mistakes| SceneError::new(self.name(), mistakes, 0))
    }

    /// The same, also where cables are too short: solving finds the nearest state and says what is missing. And where
    /// they would run out of their eyes: there solving finds no rest, and says so.
    pub fn compile_even_short(&self) -> Result<Compiled, SceneError> {
        self.choose(true).map_err(|mistakes| SceneError::new(self.name(), mistakes, 0))
    }

    /// An error of the engine about the network of this scene, at the key it concerns.
    pub fn locate(&self, error: &NetworkError) -> SceneError {
        SceneError::new(self.name(), vec![self.engine_mistake(error)], 0)
    }

    pub(crate) fn engine_mistake(&self, error: &NetworkError) -> Diagnostic {
        if let Some(mistake) = self.obstacle_mistake(error) {
            return mistake;
        }
        let cause = match error {
            NetworkError::InSpan { cause, .. } => Some(&**cause),
            NetworkError::Setting(cause) => Some(cause),
            _ => None,
        };
        if let (Some(single), Some(cause)) = (self.as_single(), cause) {
            return single.engine_mistake(cause);
        }
        let code = match error {
            NetworkError::TooShort { .. } => Code::TooShort,
            NetworkError::NotFinite { .. } => Code::NotFinite,
            _ => Code::Conflict,
        };
        let cable = |span: usize| {
            let stops = self.lay().stops;
            let mut first = 0;
            self.cables.iter().zip(&stops).position(|(own, stops)| {
                first += stops.len() - usize::from(own.to.is_some());
                span < first
            })
        };
        let message =
            error.told(|span| cable(span).map(|i| format!("cable '{}'", self.cables[i].cable.name)));
        let path = error.span().and_then(cable).map_or_else(|| "cable".into(), |i| self.cable_path(i));
        self.source.diagnostic(code, &path, message, None)
    }

    /// Where the keys of a cable stand in the file.
    pub(super) fn cable_path(&self, index: usize) -> String {
        if self.is_single() { "cable".into() } else { format!("cable[{index}]") }
    }

    /// Makes the network; spans are divided as their cables say, or as `finer` does.
    pub(super) fn build(&self, even_short: bool, finer: Finer<'_>) -> Result<Compiled, Vec<Diagnostic>> {
        let mut mistakes = self.direction_mistakes();
        let mut along = Vec::new();
        for (i, own) in self.cables.iter().enumerate() {
            let path = self.cable_path(i);
            match (Sections { source: &self.source, bundles: &self.bundles, cable: &own.cable, path: &path })
                .along()
            {
                Ok(found) => along.push(found),
                Err(found) => mistakes.extend(found),
            }
        }
        let layout = self.lay();
        let mut ties = self.eye_constraints();
        ties.extend(self.bead_constraints(&layout));
        let named = self.constraints.iter().map(|c| self.constraint(&c.kind));
        let network = Network {
            anchors: self.anchors(&layout),
            constraints: named.chain(ties.iter().map(|t| t.1.clone())).collect(),
            gravity: self.gravity,
            ..Network::default()
        };
        mistakes.extend(self.eye_mistakes(&layout));
        mistakes.extend(self.bead_mistakes(&layout));
        if !even_short {
            mistakes.extend(self.runaway_mistakes(&layout));
        }
        mistakes.extend(self.growth_mistakes());
        mistakes.extend(layout.mistakes.iter().cloned());
        mistakes.extend(match self.as_single() {
            Some(single) => single.mistakes(),
            None => self.feasibility_mistakes(&network, &layout),
        });
        mistakes.retain(|mistake| !even_short || mistake.code != Code::TooShort);
        let leads = self.compile_leads().unwrap_or_else(|found| {
            mistakes.extend(found);
            Vec::new()
        });
        let (solids, obstacles) = self.make_obstacles().unwrap_or_else(|found| {
            mistakes.extend(found);
            Default::default()
        });
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut compiled = Compiled {
            network,
            cables: Vec::new(),
            anchors: self.anchor_names(),
            constraints: (self.constraints.iter().map(|c| c.name.clone()))
                .chain(ties.into_iter().map(|t| t.0))
                .collect(),
            eyes: Vec::new(),
            obstacles,
            leads,
            fed: Vec::new(),
            chosen: Vec::new(),
            start: None,
            laid: None,
            solve: self.solve,
        };
        compiled.network.obstacles = solids;
        let mut network = std::mem::take(&mut compiled.network);
        compiled.carry_obstacles(&mut network);
        compiled.network = network;
        for (i, along) in along.into_iter().enumerate() {
            self.add_cable(i, along, (&layout, finer), &mut compiled)?;
        }
        self.mount_shapes(&mut compiled);
        self.arrange_contact(&mut compiled);
        match compiled.network.check() {
            Err(NetworkError::TooShort { .. }) if even_short => {}
            checked => checked.map_err(|error| vec![self.engine_mistake(&error)])?,
        }
        self.lay_along_paths(&mut compiled)?;
        Ok(compiled)
    }

    /// A cable that is clamped needs a direction.
    fn direction_mistakes(&self) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (i, own) in self.cables.iter().enumerate() {
            let ends = [("from", Some(own.from)), ("to", own.to)];
            for ((key, node), grip) in ends.into_iter().zip(own.grips) {
                let (what, without) = match node {
                    Some(Node::Port(p)) => {
                        (format!("port '{}'", self.ports[p].name), self.ports[p].orientation.is_none())
                    }
                    Some(Node::Connector(p, c)) => {
                        let connector = &self.parts[p].connectors[c];
                        let what = format!("connector '{}.{}'", self.parts[p].name, connector.name);
                        (what, connector.orientation.is_none())
                    }
                    _ => continue,
                };
                if grip == Grip::Clamped && without {
                    let message =
                        format!("cable '{}' is clamped at {what}, which has no `tangent`", own.cable.name);
                    let help = format!(
                        "say where the cable points there, in the direction from its beginning to its end: tangent = \
                         [1, 0, 0]; or grip_{key} = \"pinned\""
                    );
                    let path = format!("cable[{i}].{key}");
                    mistakes.push(self.source.diagnostic(Code::MissingKey, &path, message, Some(help)));
                }
            }
        }
        mistakes
    }

    /// What each anchor is called.
    pub(super) fn anchor_names(&self) -> Vec<AnchorName> {
        let named = |kind: &'static str, name: &String| AnchorName { kind, name: name.clone() };
        let ends = self.end_names();
        let ports = self.ports.iter().map(|p| named("port", &p.name));
        let parts = self.parts.iter().map(|p| named("part", &p.name));
        let junctions = self.junctions.iter().map(|j| named("junction", &j.name));
        let clips = self.clips.iter().map(|c| named("clip", &c.name));
        let eyes = self.own_eyes().map(|e| named("eye", &e.name));
        let beads = self.beads.iter().map(|b| named("bead", &b.name));
        ends.chain(ports).chain(parts).chain(junctions).chain(clips).chain(eyes).chain(beads).collect()
    }

    fn anchors(&self, layout: &Layout) -> Vec<Anchor> {
        let mut poses = layout.poses.iter().copied();
        let mut pose = || poses.next().unwrap_or(layout.poses[0]);
        let held = |hold: Hold, slides: [bool; 3]| slides.map(|slides| hold != Hold::Free && !slides);
        let closed = self.cables.iter().any(|own| own.cable.ring_twist.is_some());
        let mut anchors: Vec<Anchor> =
            self.anchored_ends().iter().map(|end| end.anchor(pose(), closed)).collect();
        anchors.extend(self.ports.iter().map(|_| Anchor::fixed(pose())));
        anchors.extend(self.parts.iter().map(|part| Anchor {
            held: held(part.hold, part.slides),
            held_orientation: part.hold == Hold::Clamped || part.is_point,
            inertia: part.inertia,
            force: part.force,
            moment: part.moment,
            ..Anchor::part(pose(), part.mass, part.centre)
        }));
        anchors.extend(self.junctions.iter().map(|_| Anchor::loose(pose())));
        anchors.extend(self.clips.iter().map(|clip| Anchor {
            held: held(clip.hold, clip.slides),
            held_orientation: clip.hold == Hold::Clamped,
            ..Anchor::loose(pose())
        }));
        anchors.extend(self.eye_anchors(layout));
        anchors.extend(self.bead_anchors(layout));
        anchors
    }

    /// Cuts a cable at its stops and adds the pieces to the network.
    fn add_cable(
        &self,
        index: usize,
        along: Along,
        (layout, finer): (&Layout, Finer<'_>),
        compiled: &mut Compiled,
    ) -> Result<(), Vec<Diagnostic>> {
        let own = &self.cables[index];
        let cable = &own.cable;
        let single = self.as_single();
        let stops = &layout.stops[index];
        let (mut spans, mut cuts) = (Vec::new(), Vec::new());
        for (k, stop) in stops.iter().enumerate() {
            let next = stops.get(k + 1);
            if next.is_none() && own.to.is_some() {
                break;
            }
            // What lies on a rim is no part of the spans beside it.
            let from = stop.s + 0.5 * stop.on_rim();
            let to = next.map_or(cable.length, |n| n.s - 0.5 * n.on_rim());
            if to - from <= 1e-6 * cable.length {
                return Err(vec![self.all_on_rims(index, stop, next)]);
            }
            let resolution = if cable.accuracy.is_some() { cable.model.first() } else { cable.resolution };
            let mut pieces = (resolution as f64 * (to - from) / cable.length).round() as usize;
            if stop.slider.is_some() || next.is_some_and(|n| n.slider.is_some()) {
                // What is short now may get long.
                pieces = pieces.max(resolution / (2 * stops.len()));
            }
            // A part of a cable has as few as there may be; a whole one what it asks for.
            if to - from < cable.length {
                pieces = pieces.max(*cable.model.range().start());
            }
            let no_rod = |no: NoRod| vec![no.at(&self.source, &self.cable_path(index))];
            let rest = |s: f64| cable.rest.at(s, cable.length);
            let loads = self.loads.iter().filter(|l| l.cable == index).map(|l| &l.load.on);
            let loads: Vec<LoadOn> = loads.copied().collect();
            let layers = single.as_ref().and_then(|single| single.layers(pieces, &along.profile));
            let division = finer.division(index, k, Division::Even { pieces, layers, halvings: 0 });
            let cut = Cut { stretch: [from, to], division, loads };
            let rod = cut.rod(&along, cable, &rest).map_err(no_rod)?;
            if let Some(Growth { rest: Some(last), length, .. }) = &own.growth {
                let length = length.unwrap_or(cable.length);
                let last = |s: f64| last.at(s * length / cable.length, length);
                cut.rod(&along, cable, &last).map_err(no_rod)?;
            }
            cuts.push(cut);
            let last = k + 2 == stops.len() && own.to.is_some();
            let pinned = |side: usize, at_end: bool| at_end && own.grips[side] == Grip::Pinned;
            let end = next.map(|n| n.attachment(pinned(1, last)));
            let mut span = Span::new(rod, stop.attachment(pinned(0, k == 0)), end);
            span.twist = match &single {
                Some(single) => single.turns(),
                None if last => own.twist,
                None => next.map_or(0.0, |n| n.roll),
            };
            self.add_loads(index, [from, to], to >= cable.length, &mut span);
            let number = compiled.network.spans.len();
            compiled.network.spans.push(span);
            self.add_slide(index, stop, number, compiled);
            spans.push((number, from));
            // A piece between two stops that stay on the cable finds its own length.
            if let Some(route) = own.route
                && next.is_none_or(|n| n.slider.is_none())
            {
                compiled.network.slides.push(Slide::drawn(number, route.tension(&along.profile.at(from))));
            }
        }
        let rubs = |slider: Slider| self.friction(slider) > 0.0;
        if own.feed != 0.0
            && stops.iter().filter_map(|s| s.slider).any(rubs)
            && let Some((span, _)) = spans.last()
        {
            compiled.fed.push((*span, own.feed));
        }
        self.load_anchors(index, layout, &mut compiled.network);
        let growing = own.growth.as_ref().map(|growth| Growing {
            growth: growth.clone(),
            along: along.clone(),
            cable: cable.clone(),
            cuts,
        });
        compiled.cables.push(CompiledCable { growing, ..CompiledCable::new(own, along, spans) });
        Ok(())
    }

    /// Coefficient of friction of what slides.
    fn friction(&self, slider: Slider) -> f64 {
        match slider {
            Slider::Eye(i) => self.eyes[i].friction,
            Slider::Bead(i) => self.beads[i].friction,
        }
    }

    /// Lets a cable slide at a stop, into the span `after` behind it.
    fn add_slide(&self, cable: usize, stop: &Stop, after: usize, compiled: &mut Compiled) {
        let Some(slider) = stop.slider else { return };
        let friction = self.friction(slider);
        let network = &mut compiled.network;
        let mut wheel = None;
        if let Some(own) = stop.wheel {
            wheel = Some(network.wheels.len());
            network.add_wheel(own, after - 1, after, friction);
        } else {
            network.slides.push(Slide::through(after - 1, after, friction));
        }
        let (kind, name, radius) = match (slider, stop.wheel) {
            (Slider::Bead(i), _) => (SliderKind::Bead, &self.beads[i].name, self.beads[i].radius),
            (Slider::Eye(i), Some(wheel)) => (SliderKind::Pulley, &self.eyes[i].name, wheel.radius),
            (Slider::Eye(i), None) => (SliderKind::Eye, &self.eyes[i].name, 0.0),
        };
        let (name, anchor) = (name.clone(), stop.anchor);
        compiled.eyes.push(CompiledEye { kind, name, cable, after, anchor, wheel, radius, friction });
    }

    /// Nothing is left of a cable between two stops but what lies on rims.
    fn all_on_rims(&self, cable: usize, stop: &Stop, next: Option<&Stop>) -> Diagnostic {
        let eye =
            |s: &Stop| if let (Some(Slider::Eye(i)), Some(_)) = (s.slider, s.wheel) { Some(i) } else { None };
        let wheel = [Some(stop), next].into_iter().flatten().find_map(eye).unwrap_or(0);
        let message = format!(
            "nothing of cable '{}' is left beside pulley '{}': all of it lies on the rim",
            self.cables[cable].cable.name, self.eyes[wheel].name
        );
        let help = "move the guess `at` away from its neighbours, or lengthen the cable";
        self.source.diagnostic(Code::Conflict, &format!("eye[{wheel}].at"), message, Some(help.into()))
    }

    /// Whether a load at `at` acts on an anchor rather than on the cable: where the cable was cut, dead loads.
    fn is_on_clip(&self, own: &LaidCable, at: f64, axes: Axes, cuts: &[f64]) -> bool {
        axes == Axes::World && at > 0.0 && at < own.cable.length && cuts.contains(&at)
    }

    /// The loads of a cable that act on the piece [from, to].
    fn add_loads(&self, index: usize, [from, to]: [f64; 2], is_last: bool, span: &mut Span) {
        let own = &self.cables[index];
        let at_ends: Vec<Load> = self.as_single().iter().flat_map(|single| single.loads()).collect();
        let along = self.loads.iter().filter(|l| l.cable == index).map(|l| &l.load);
        for load in at_ends.iter().chain(along) {
            let axes = load.axes;
            match load.on {
                LoadOn::Point { at, force, moment } => {
                    let inside = at >= from && (at < to || is_last);
                    if inside && !self.is_on_clip(own, at, axes, &[from]) {
                        span.point_loads.push(PointLoad { s: at - from, force, moment, axes });
                    }
                }
                LoadOn::Stretch { from: a, to: b, force, moment } => {
                    let (x, y) = (a.max(from), b.min(to));
                    if y <= x {
                        continue;
                    }
                    let at = |v: [Vec3; 2], s: f64| v[0].lerp(&v[1], (s - a) / (b - a));
                    span.distributed_loads.push(DistributedLoad {
                        from: x - from,
                        to: (y - from).min(to - from),
                        force: [at(force, x), at(force, y)],
                        moment: [at(moment, x), at(moment, y)],
                        axes,
                    });
                }
            }
        }
    }

    /// Dead loads exactly at a clip act on it.
    fn load_anchors(&self, index: usize, layout: &Layout, network: &mut Network) {
        let own = &self.cables[index];
        for load in self.loads.iter().filter(|l| l.cable == index).map(|l| &l.load) {
            let LoadOn::Point { at, force, moment } = load.on else { continue };
            if let Some(stop) = layout.stops[index].iter().find(|s| s.s == at)
                && self.is_on_clip(own, at, load.axes, &[at])
            {
                network.anchors[stop.anchor].force += force;
                network.anchors[stop.anchor].moment += moment;
            }
        }
    }
}

impl RoutePrice {
    /// The price per length, N, for a cable of the given section.
    fn tension(self, section: &Section) -> f64 {
        match self {
            Self::Tension(tension) => tension,
            Self::BendLength(length) => 0.5 * (section.stiffness.x + section.stiffness.y) / (length * length),
        }
    }
}

/// A stretch of a cable between two stops.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// From where to where it goes, m.
    pub stretch: [f64; 2],
    /// What it is divided into.
    pub division: Division,
    /// Loads on the cable.
    pub loads: Vec<LoadOn>,
}

/// What a stretch of a cable is divided into.
#[derive(Clone, Debug)]
pub(super) enum Division {
    /// So many segments or elements, segments crowded in layers at its ends (m) where there are any; all of them halved so often.
    Even { pieces: usize, layers: Option<[f64; 2]>, halvings: u32 },
    /// Segments or elements that end there, m from its start.
    At(Vec<f64>),
}

/// How spans are divided finer than their cables say, for an accuracy.
#[derive(Clone, Copy)]
pub(super) enum Finer<'a> {
    /// The pieces of every span of every cable are halved so often; what has no number is not.
    Halved(&'a [Vec<u32>]),
    /// The pieces of the one span of the one cable end there, m.
    At(&'a [f64]),
}

impl Finer<'_> {
    /// What the span `k` of a cable is divided into, instead of `own`.
    fn division(self, cable: usize, k: usize, own: Division) -> Division {
        match (self, own) {
            (Self::At(ends), _) => Division::At(ends.to_vec()),
            (Self::Halved(all), Division::Even { pieces, layers, .. }) => {
                let halvings = all.get(cable).and_then(|of| of.get(k)).copied().unwrap_or(0);
                Division::Even { pieces, layers, halvings }
            }
            (Self::Halved(_), own) => own,
        }
    }
}

impl Cut {
    /// Its rod; the rest shape at a place of the cable is `rest`.
    pub fn rod(&self, along: &Along, cable: &Cable, rest: &dyn Fn(f64) -> Vec3) -> Result<AnyRod, NoRod> {
        let [from, to] = self.stretch;
        let zones: Vec<Zone> =
            along.zones.iter().filter_map(|z| cut(z, &along.profile, self.stretch)).collect();
        let section = if zones.is_empty() {
            along.profile.clone()
        } else {
            SectionProfile::new(zones).map_err(|e| NoRod {
                key: "zone",
                message: e.to_string(),
                help: None,
            })?
        };
        let breaks = breaks(cable, &section, self.stretch, self.loads.iter());
        let length = to - from;
        let ends = match &self.division {
            Division::At(ends) => ends.clone(),
            Division::Even { pieces, layers, halvings } => {
                // What an accuracy begins with has room for every break, as far as that is not all there may be.
                let least = if cable.accuracy.is_some() { breaks.count().min(MOST_ELEMENTS / 4) } else { 0 };
                let mesh = |n| match layers {
                    Some(layers) => Mesh::graded(length, n, *layers),
                    None => Mesh::uniform(length, n),
                };
                let mut ends = ends(cable.model, length, least.max(*pieces), &breaks, mesh)?;
                for _ in 0..*halvings {
                    ends =
                        ends.windows(2).flat_map(|w| [w[0], 0.5 * (w[0] + w[1])]).chain([length]).collect();
                }
                ends
            }
        };
        rod(cable.model, &ends, &breaks, &section, &|s| rest(from + s))
    }
}

/// What lies of a zone in [from, to], counted from `from`.
fn cut(zone: &Zone, profile: &SectionProfile, [from, to]: [f64; 2]) -> Option<Zone> {
    let (a, b) = (zone.from.max(from), zone.to.min(to));
    // Slivers that rounding leaves at a cut belong to the neighbour.
    if b - a <= 1e-12 * to {
        return None;
    }
    let at = |s: f64, edge: f64, own: Section| if s == edge { own } else { profile.at(s) };
    let (x, y) = (if a == from { 0.0 } else { a - from }, b - from);
    Some(match zone.variation {
        Variation::Constant { section } => Zone::constant(x, y, section),
        Variation::Linear { start, end } => Zone::linear(x, y, at(a, zone.from, start), at(b, zone.to, end)),
        Variation::Scaled { start, end } => Zone::scaled(x, y, at(a, zone.from, start), at(b, zone.to, end)),
    })
}
