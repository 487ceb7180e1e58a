//! What of a harness goes into a scene, under which names, held how, and what its bundles are made of. The same plan leads back.

use super::{Course, Dialect, Kbl, Protection, Wire};
use flexline::Vec3;
use flexline::section::{Bundle, Conduit, Core, Tape, find_material};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How a node is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// One segment ends here, held as drawn.
    Port,
    /// Several segments meet at something that holds them.
    Fixed,
    /// Several segments meet, and hold each other.
    Free,
}

/// A node that is used.
#[derive(Clone, Debug)]
pub struct PlannedNode {
    /// Its index in the file.
    pub node: usize,
    /// Its name in the scene.
    pub name: String,
    /// How it is held.
    pub hold: Hold,
    /// Cables that end here: which, and at which of their ends.
    pub ends: Vec<Turn>,
}

/// An end of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The cable.
    pub cable: usize,
    /// 0 where it begins, 1 where it ends.
    pub side: usize,
}

/// A stretch of a cable with a protection.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Where it begins, as a share of the cable.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The bundle it is made of.
    pub bundle: usize,
}

/// A fixing that becomes a clip.
#[derive(Clone, Debug)]
pub struct PlannedClip {
    /// Which of the fixings of the segment it is.
    pub fixing: usize,
    /// Its name in the scene.
    pub name: String,
    /// Where, as a share of the cable.
    pub at: f64,
}

/// A segment that becomes a cable.
#[derive(Clone, Debug)]
pub struct PlannedCable {
    /// Its index in the file.
    pub segment: usize,
    /// Its name in the scene.
    pub name: String,
    /// Where it goes.
    pub course: Course,
    /// Its length, m.
    pub length: f64,
    /// The wires in it.
    pub wires: Vec<usize>,
    /// The nodes it begins and ends in, by their index in the plan.
    pub nodes: [usize; 2],
    /// The bundle it is made of outside its stretches.
    pub bundle: usize,
    /// Stretches with protections.
    pub stretches: Vec<Stretch>,
    /// Its fixings.
    pub clips: Vec<PlannedClip>,
}

/// What goes into a scene.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Nodes.
    pub nodes: Vec<PlannedNode>,
    /// Cables.
    pub cables: Vec<PlannedCable>,
    /// Bundles with their names.
    pub bundles: Vec<(String, Bundle)>,
    /// The modules that were chosen, by index; none for all.
    pub modules: Vec<usize>,
    /// What was assumed, and of what first.
    pub notes: Vec<(String, usize, String)>,
}

/// Fixings nearer to an end than this, m, hold the node there.
const NEAR: f64 = 1e-3;
/// How much of the outside of a wire is copper where its gauge is not known: automotive wires have 25 to 38 %.
const COPPER: f64 = 0.3;
/// Tape in two layers.
const TAPE: f64 = 0.3e-3;
/// The usual wall of a corrugated conduit, and of a sleeve.
const WALL: [f64; 2] = [0.3e-3, 0.5e-3];
/// Longer names of segments are left for their ids.
const LONGEST: usize = 40;

/// Gives names of their own, without dots.
#[derive(Default)]
struct Namer(BTreeSet<String>);

impl Namer {
    fn name(&mut self, wanted: &str, or: &str) -> String {
        let plain = |text: &str| text.replace('.', "-").split_whitespace().collect::<Vec<_>>().join(" ");
        let base = match plain(wanted) {
            own if own.is_empty() || own == "free" || own.chars().count() > LONGEST => plain(or),
            own => own,
        };
        let mut name = base.clone();
        let mut count = 1;
        while !self.0.insert(name.clone()) {
            count += 1;
            name = format!("{base} {count}");
        }
        name
    }
}

impl Plan {
    fn note(&mut self, what: &str, first: &str) {
        match self.notes.iter_mut().find(|own| own.0 == what) {
            Some(own) => own.1 += 1,
            None => self.notes.push((what.into(), 1, first.into())),
        }
    }

    /// Plans the harness of some modules, or of all where none is named; `Err` with the name that no module has.
    pub fn new(kbl: &Kbl, modules: &[String]) -> Result<Self, String> {
        let mut plan = Self::default();
        for word in modules {
            match kbl.modules.iter().position(|own| own.is_called(word)) {
                Some(index) if !plan.modules.contains(&index) => plan.modules.push(index),
                Some(_) => {}
                None => return Err(word.clone()),
            }
        }
        let chosen = Chosen::new(kbl, &plan.modules);
        let mut wires: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); kbl.segments.len()];
        for own in kbl.connections.iter().filter(|own| chosen.has_wire(kbl, own)) {
            own.segments.iter().flatten().for_each(|i| {
                wires[*i].insert(own.wire);
            });
        }
        let used: Vec<usize> =
            (0..kbl.segments.len()).filter(|i| plan.modules.is_empty() || !wires[*i].is_empty()).collect();
        for _ in used.len()..kbl.segments.len() {
            plan.note("segments without a wire of the chosen modules left out", "");
        }
        plan.lay_nodes(kbl, &used, &chosen);
        let mut bundles: HashMap<String, usize> = HashMap::new();
        let mut names = Namer::default();
        for (cable, index) in used.iter().enumerate() {
            let segment = &kbl.segments[*index];
            let name = names.name(&segment.name, &segment.id);
            let wires: Vec<usize> = wires[*index].iter().copied().collect();
            let course = Course::of(kbl, segment);
            let nodes = [0, 1].map(|side| plan.node_of(cable, side));
            let length = plan.length_of(kbl, *index, &course);
            let mut own = PlannedCable {
                segment: *index,
                name,
                course,
                length,
                wires,
                nodes,
                bundle: 0,
                stretches: Vec::new(),
                clips: Vec::new(),
            };
            let base = plan.bundle_of(kbl, &own, &[]);
            own.bundle = plan.shared(&mut bundles, base, &own.name);
            plan.protect(kbl, &mut own, &mut bundles, &chosen);
            plan.cables.push(own);
        }
        plan.lay_clips(kbl, &chosen);
        plan.hold_loops();
        Ok(plan)
    }

    fn node_of(&self, cable: usize, side: usize) -> usize {
        self.nodes.iter().position(|own| own.ends.contains(&Turn { cable, side })).unwrap_or(0)
    }

    fn lay_nodes(&mut self, kbl: &Kbl, used: &[usize], chosen: &Chosen) {
        let mut ends: BTreeMap<usize, Vec<Turn>> = BTreeMap::new();
        for (cable, index) in used.iter().enumerate() {
            for (side, node) in kbl.segments[*index].nodes.into_iter().enumerate() {
                ends.entry(node).or_default().push(Turn { cable, side });
            }
        }
        let mut names = Namer::default();
        for (node, ends) in ends {
            let own = &kbl.nodes[node];
            let here =
                own.components.iter().filter(|id| chosen.has(id)).filter_map(|id| kbl.components.get(id));
            let holder = here.clone().find(|own| own.holds());
            let hold = match (ends.len(), holder) {
                (1, _) => Hold::Port,
                (_, Some(_)) => Hold::Fixed,
                (_, None) => Hold::Free,
            };
            if hold == Hold::Port && holder.is_none() {
                self.note("ends without a connector or fixing, held as drawn all the same", &own.id);
            }
            let called = holder.or(here.clone().next()).map_or(&own.name, |own| &own.name);
            let name = names.name(called, &own.id);
            self.nodes.push(PlannedNode { node, name, hold, ends });
        }
    }

    /// The length of the cable: that of the file where the nodes allow it.
    fn length_of(&mut self, kbl: &Kbl, index: usize, course: &Course) -> f64 {
        let segment = &kbl.segments[index];
        let [a, b] = segment.nodes.map(|i| kbl.nodes[i].at);
        let chord = (b - a).norm();
        // A cable that is exactly as long as the way between its ends cannot give at all.
        let least = chord * (1.0 + 1e-6) + 1e-9;
        match segment.virtual_length {
            Some(length) if length >= least => length,
            Some(length) if length >= chord - 1e-5 => least,
            Some(_) => {
                self.note("segments whose Virtual_length is less than the distance of their nodes, taken as long as their course", &segment.id);
                course.length().max(least)
            }
            None => {
                self.note("segments without a Virtual_length, taken as long as their course", &segment.id);
                course.length().max(least)
            }
        }
    }

    fn shared(&mut self, known: &mut HashMap<String, usize>, bundle: Bundle, name: &str) -> usize {
        let key = format!("{bundle:?}");
        *known.entry(key).or_insert_with(|| {
            let mut own = name.to_owned();
            let mut count = 1;
            while self.bundles.iter().any(|other| other.0 == own) {
                count += 1;
                own = format!("{name} {count}");
            }
            self.bundles.push((own, bundle));
            self.bundles.len() - 1
        })
    }

    /// What a cable is made of under some protections.
    fn bundle_of(&mut self, kbl: &Kbl, cable: &PlannedCable, protections: &[&Protection]) -> Bundle {
        let segment = &kbl.segments[cable.segment];
        let mut groups: Vec<flexline::section::Wire> = Vec::new();
        for index in &cable.wires {
            let wire = self.wire_of(&kbl.wires[*index]);
            match groups.iter_mut().find(|own| flexline::section::Wire { count: 1, ..(*own).clone() } == wire)
            {
                Some(own) => own.count += 1,
                None => groups.push(wire),
            }
        }
        if groups.is_empty() {
            // As many thin wires as its area holds.
            let one = self.wire_of(&Wire { area: Some(0.5e-6), diameter: Some(1.6e-3), ..Wire::default() });
            let room = segment.area.unwrap_or(0.0) * flexline::section::FILL
                / (0.25 * std::f64::consts::PI * 1.6e-3_f64.powi(2));
            let count = (room.floor() as usize).clamp(1, 10_000);
            self.note("segments without a wire, taken as full of wires of 0.5 mm²", &segment.id);
            groups.push(flexline::section::Wire { count, ..one });
        }
        let mut bundle = Bundle::of(groups);
        bundle.diameter = segment.area.map(|area| 2.0 * (area / std::f64::consts::PI).sqrt());
        for own in protections {
            self.cover(&mut bundle, own);
        }
        bundle
    }

    /// A wire with what is not known filled in.
    fn wire_of(&mut self, wire: &Wire) -> flexline::section::Wire {
        const DISC: f64 = 0.25 * std::f64::consts::PI;
        let (diameter, area) = match (wire.diameter, wire.area) {
            (Some(diameter), Some(area)) if area < 0.9 * DISC * diameter * diameter => (diameter, area),
            (Some(diameter), _) => {
                self.note(
                    "wires whose copper is not known or more than fits, taken as 30 % of their area",
                    &wire.id,
                );
                (diameter, COPPER * DISC * diameter * diameter)
            }
            (None, Some(area)) => {
                self.note("wires without an Outside_diameter, taken as 30 % copper", &wire.id);
                ((area / COPPER / DISC).sqrt(), area)
            }
            (None, None) => {
                self.note("wires with neither area nor diameter, taken as 0.5 mm²", &wire.id);
                (1.6e-3, 0.5e-6)
            }
        };
        flexline::section::Wire {
            count: 1,
            diameter,
            core: Core::Copper(area),
            mass_per_length: wire.mass,
            bend_radius: wire.bend_radius,
        }
    }

    /// Puts a protection around a bundle. The file knows its mass at best; the rest is what such things usually are.
    fn cover(&mut self, bundle: &mut Bundle, own: &Protection) {
        let kind = own.kind.to_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        let mass = own.mass;
        let inner = bundle.packed() + bundle.tape.as_ref().map_or(0.0, |tape| 2.0 * tape.thickness);
        let conduit = |wall: f64, waves: f64, material: &str| {
            let material = find_material(material)?.clone();
            let inner = inner * 1.02;
            let outer = inner + 2.0 * wall + waves;
            Some(Conduit {
                outer,
                inner,
                wall,
                slit: waves > 0.0,
                material,
                measured: None,
                mass_per_length: mass,
            })
        };
        if is(&["corrug", "wellrohr", "wellschlauch", "riffel", "conduit", "well"]) {
            // Waves of about a tenth of the bore.
            bundle.conduit = conduit(WALL[0], 0.2 * inner, "pa6").or(bundle.conduit.take());
        } else if is(&["tape", "band", "wickel", "vlies", "fleece", "tesa"]) {
            let before = bundle.tape.take();
            let thickness = TAPE + before.as_ref().map_or(0.0, |tape| tape.thickness);
            let mass_per_length = match (&before, mass) {
                (Some(before), Some(mass)) => before.mass_per_length.map(|own| own + mass),
                (Some(_), None) => None,
                (None, mass) => mass,
            };
            bundle.tape = find_material("pvc-soft").map(|own| Tape {
                thickness,
                material: own.clone(),
                mass_per_length,
            });
        } else {
            if !is(&["tube", "schlauch", "sleeve", "hose", "rohr", "shrink", "schrumpf"]) {
                self.note(
                    &format!("protections of kind '{}', taken as a sleeve of soft PVC", own.kind.trim()),
                    &own.name,
                );
            }
            bundle.conduit = conduit(WALL[1], 0.0, "pvc-soft").or(bundle.conduit.take());
        }
    }

    /// Cuts a cable where protections begin and end.
    fn protect(
        &mut self,
        kbl: &Kbl,
        cable: &mut PlannedCable,
        bundles: &mut HashMap<String, usize>,
        chosen: &Chosen,
    ) {
        let segment = &kbl.segments[cable.segment];
        let all: Vec<_> = segment.protections.iter().filter(|own| chosen.has(&own.protection)).collect();
        let mut cuts: Vec<f64> = all.iter().flat_map(|own| [own.from, own.to]).collect();
        cuts.sort_by(f64::total_cmp);
        let least = 1e-3_f64.max(1e-4 / cable.length);
        cuts.dedup_by(|b, a| *b - *a < least);
        for pair in cuts.windows(2) {
            let middle = 0.5 * (pair[0] + pair[1]);
            let here = all.iter().filter(|own| own.from < middle && middle < own.to);
            let protections: Vec<&Protection> =
                here.filter_map(|own| kbl.protections.get(&own.protection)).collect();
            if protections.is_empty() {
                continue;
            }
            let bundle = self.bundle_of(kbl, cable, &protections);
            let bundle = self.shared(bundles, bundle, &format!("{} covered", cable.name));
            cable.stretches.push(Stretch { from: pair[0], to: pair[1], bundle });
        }
    }

    fn lay_clips(&mut self, kbl: &Kbl, chosen: &Chosen) {
        let mut names = Namer(self.nodes.iter().map(|own| own.name.clone()).collect());
        for cable in 0..self.cables.len() {
            let (segment, length) = (&kbl.segments[self.cables[cable].segment], self.cables[cable].length);
            let mut taken: Vec<f64> = Vec::new();
            for (i, own) in segment.fixings.iter().enumerate().filter(|(_, own)| chosen.has(&own.fixing)) {
                let end = [own.location, 1.0 - own.location].iter().position(|share| share * length < NEAR);
                if let Some(side) = end {
                    let node = self.cables[cable].nodes[side];
                    if self.nodes[node].hold == Hold::Free {
                        self.nodes[node].hold = Hold::Fixed;
                    }
                    continue;
                }
                if taken.iter().any(|other| (other - own.location).abs() * length < NEAR) {
                    self.note("fixings at a place that has one already, left out", &own.id);
                    continue;
                }
                taken.push(own.location);
                let called = kbl.components.get(&own.fixing).map_or("", |own| &own.name);
                let name = names.name(called, &own.id);
                self.cables[cable].clips.push(PlannedClip { fixing: i, name, at: own.location });
            }
            self.reach(kbl, cable);
        }
    }

    /// Makes a cable reach from clip to clip: a straight piece is as long as its chord but for the digits of the file.
    fn reach(&mut self, kbl: &Kbl, cable: usize) {
        let own = &self.cables[cable];
        let mut shares: Vec<f64> = own.clips.iter().map(|clip| clip.at).chain([0.0, 1.0]).collect();
        shares.sort_by(f64::total_cmp);
        let at = |share: f64| own.course.at(share * own.course.length()).0;
        let need = |pair: &[f64]| (at(pair[1]) - at(pair[0])).norm() * (1.0 + 1e-6) / (pair[1] - pair[0]);
        let need = shares.windows(2).map(need).fold(0.0, f64::max);
        if need > own.length {
            if need > own.length + 5e-5 {
                let id = kbl.segments[own.segment].id.clone();
                self.note(
                    "segments that are too short between their fixings for the places drawn, lengthened",
                    &id,
                );
            }
            self.cables[cable].length = need;
        }
    }

    /// Something must hold every part of the harness: of a ring that hangs on nothing, its first node.
    fn hold_loops(&mut self) {
        let mut group: Vec<usize> = (0..self.nodes.len()).collect();
        fn root(group: &mut [usize], mut i: usize) -> usize {
            while group[i] != i {
                group[i] = group[group[i]];
                i = group[i];
            }
            i
        }
        let mut held: BTreeSet<usize> = BTreeSet::new();
        for cable in &self.cables {
            let [a, b] = cable.nodes.map(|i| root(&mut group, i));
            group[a] = b;
        }
        for (i, own) in self.nodes.iter().enumerate() {
            if own.hold != Hold::Free {
                let i = root(&mut group, i);
                held.insert(i);
            }
        }
        for cable in self.cables.iter().filter(|own| !own.clips.is_empty()) {
            held.insert(root(&mut group, cable.nodes[0]));
        }
        for i in 0..self.nodes.len() {
            let own = root(&mut group, i);
            if held.insert(own) {
                self.nodes[i].hold = Hold::Fixed;
                let name = self.nodes[i].name.clone();
                self.note("nodes of rings that nothing holds, held as drawn", &name);
            }
        }
    }

    /// The direction in which a cable leaves its first end or arrives at its last.
    pub fn tangent(&self, end: Turn) -> Vec3 {
        let tangents = &self.cables[end.cable].course.tangents;
        if end.side == 0 { tangents[0] } else { tangents[tangents.len() - 1] }
    }

    /// How the knots of the file are meant: as those of most segments.
    pub fn dialect(&self) -> Option<Dialect> {
        let count = |dialect| self.cables.iter().filter(|own| own.course.dialect == Some(dialect)).count();
        match [count(Dialect::Unclamped), count(Dialect::Clamped)] {
            [0, 0] => None,
            [a, b] if a >= b => Some(Dialect::Unclamped),
            _ => Some(Dialect::Clamped),
        }
    }
}

/// What belongs to the chosen modules.
struct Chosen {
    /// `None` where all do.
    ids: Option<BTreeSet<String>>,
    /// What belongs to any module.
    any: BTreeSet<String>,
}

impl Chosen {
    fn new(kbl: &Kbl, modules: &[usize]) -> Self {
        let of = |all: &mut dyn Iterator<Item = usize>| {
            all.flat_map(|i| kbl.modules[i].controlled.iter().cloned()).collect()
        };
        let ids = (!modules.is_empty()).then(|| of(&mut modules.iter().copied()));
        Self { ids, any: of(&mut (0..kbl.modules.len())) }
    }

    /// Whether something belongs to them; what belongs to no module belongs to all.
    fn has(&self, id: &str) -> bool {
        self.ids.as_ref().is_none_or(|ids| ids.contains(id) || !self.any.contains(id))
    }

    fn has_wire(&self, kbl: &Kbl, own: &super::Connection) -> bool {
        let Some(ids) = &self.ids else { return true };
        let wire = &kbl.wires[own.wire];
        let core = own.core.map(|i| wire.cores[i].id.as_str());
        let names = [Some(own.id.as_str()), Some(wire.id.as_str()), core];
        names.iter().flatten().any(|id| ids.contains(*id))
            || !names.iter().flatten().any(|id| self.any.contains(*id))
    }
}
