//! What can be told before solving: whether something holds every cable, whether every cable is long enough.

use super::compile::AnchorName;
use super::lay::{Layout, Stop};
use super::{ConstraintKind, Node, Scene};
use crate::diagnostic::{Code, Diagnostic};
use crate::words::millimetres;
use flexline::Vec3;
use flexline::algebra::{Mat3, rotation};
use flexline::solver::network::{Anchor, Constraint, Network, Point, Sense};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A length, not negative, as an integer in the same order.
fn ordered(length: f64) -> u64 {
    length.to_bits()
}

/// How a place is reached from another.
#[derive(Clone, Copy, PartialEq)]
enum Via {
    /// Along a cable.
    Cable(usize),
    /// Through a rigid part or a constraint.
    Rigid,
}

/// A place of the harness: a point of an anchor.
struct Spot {
    anchor: usize,
    local: Vec3,
}

/// Places with the length of the shortest way there, and its last step.
type Reached = BTreeMap<usize, (f64, Option<(usize, Via)>)>;

/// Places, and the ways between them that cannot get longer.
struct Ways {
    spots: Vec<Spot>,
    ways: Vec<Vec<(usize, f64, Via)>>,
    /// The places of each anchor.
    of: Vec<Vec<usize>>,
}

impl Ways {
    fn spot(&mut self, anchor: usize, local: Vec3) -> usize {
        if let Some(known) = self.of[anchor].iter().find(|s| self.spots[**s].local == local) {
            return *known;
        }
        let new = self.spots.len();
        self.spots.push(Spot { anchor, local });
        self.ways.push(Vec::new());
        for other in self.of[anchor].clone() {
            let distance = (self.spots[other].local - local).norm();
            self.join(new, other, distance, Via::Rigid);
        }
        self.of[anchor].push(new);
        new
    }

    fn join(&mut self, a: usize, b: usize, length: f64, via: Via) {
        self.ways[a].push((b, length, via));
        self.ways[b].push((a, length, via));
    }
}

impl Scene {
    /// Mistakes of the harness as a whole.
    pub(super) fn feasibility_mistakes(&self, network: &Network, layout: &Layout) -> Vec<Diagnostic> {
        let mut mistakes = self.floating(network, layout);
        mistakes.extend(self.too_short(network, layout));
        mistakes.extend(self.pointless_constraints(network));
        mistakes
    }

    /// Constraints on what cannot move.
    fn pointless_constraints(&self, network: &Network) -> Vec<Diagnostic> {
        let turns = |node: Node| !network.anchors[self.anchor(node).0].held_orientation;
        let mut mistakes = Vec::new();
        for (i, constraint) in self.constraints.iter().enumerate() {
            let angular =
                matches!(constraint.kind, ConstraintKind::Parallel(_) | ConstraintKind::Aligned { .. });
            let moves = |node: Node| if angular { turns(node) } else { !self.is_fixed(network, node) };
            if !constraint.kind.nodes().any(moves) {
                let message = format!("constraint '{}' is on what is held already", constraint.name);
                let help = "leave it out, or constrain something that can move";
                let path = format!("constraint[{i}]");
                mistakes.push(self.source.diagnostic(Code::Conflict, &path, message, Some(help.into())));
            }
        }
        mistakes
    }

    /// Groups of cables that nothing holds along some direction.
    fn floating(&self, network: &Network, layout: &Layout) -> Vec<Diagnostic> {
        let count = network.anchors.len();
        let mut group: Vec<usize> = (0..count).collect();
        fn root(group: &mut [usize], mut i: usize) -> usize {
            while group[i] != i {
                group[i] = group[group[i]];
                i = group[i];
            }
            i
        }
        let mut join = |a: usize, b: usize| {
            let (a, b) = (root(&mut group, a), root(&mut group, b));
            group[a] = b;
        };
        for stops in &layout.stops {
            stops.windows(2).for_each(|pair| join(pair[0].anchor, pair[1].anchor));
        }
        for constraint in &network.constraints {
            if let [Some(a), Some(b)] = constraint.anchors() {
                join(a, b);
            }
        }
        // What holds a group: the sum of d dᵀ over the directions d that are held.
        let mut held = vec![Mat3::zeros(); count];
        for (i, anchor) in network.anchors.iter().enumerate() {
            let at = root(&mut group, i);
            for axis in (0..3).filter(|a| anchor.held[*a]) {
                held[at][(axis, axis)] += 1.0;
            }
        }
        for constraint in &network.constraints {
            let Some(anchor) = constraint.anchors().into_iter().flatten().next() else { continue };
            let at = root(&mut group, anchor);
            held[at] += match constraint {
                // To another anchor, or of directions: holds nothing by itself.
                _ if !constraint.anchors().contains(&None) || constraint.is_angular() => Mat3::zeros(),
                Constraint::Distance { sense: Sense::AtLeast, .. } => Mat3::zeros(),
                Constraint::Plane { normal, .. } => normal * normal.transpose(),
                Constraint::Line { direction, .. } => Mat3::identity() - direction * direction.transpose(),
                _ => Mat3::identity(),
            };
        }
        let names = self.anchor_names();
        let mut mistakes = Vec::new();
        let mut told = vec![false; count];
        let used = |i: usize| layout.stops.iter().position(|stops| stops.iter().any(|s| s.anchor == i));
        for (i, name) in names.iter().enumerate() {
            let at = root(&mut group, i);
            if std::mem::replace(&mut told[at], true) {
                continue;
            }
            let loose: Vec<&str> = (0..3)
                .filter(|axis| held[at][(*axis, *axis)] < 1e-9)
                .map(|axis| ["x", "y", "z"][axis])
                .collect();
            if held[at].symmetric_eigenvalues().min() > 1e-9 {
                continue;
            }
            let what = match used(i) {
                Some(cable) => format!("cable '{}' and what is joined to it", self.cables[cable].cable.name),
                None => name.to_string(),
            };
            let along = match loose.len() {
                3 => String::new(),
                0 => " in every direction".into(),
                _ => format!(" along {}", loose.join(" and ")),
            };
            let message = format!("nothing holds {what}{along}: it would float away");
            let help =
                "join it to a port, or hold a part (hold = \"fixed\") or a clip of it (hold = \"clamped\")";
            let path = used(i).map_or_else(|| self.path_of(i), |cable| format!("cable[{cable}]"));
            mistakes.push(self.source.diagnostic(Code::Floating, &path, message, Some(help.into())));
        }
        mistakes
    }

    /// Where the table of an anchor stands in the file.
    fn path_of(&self, anchor: usize) -> String {
        let mut left = anchor;
        let lists =
            [("port", self.ports.len()), ("part", self.parts.len()), ("junction", self.junctions.len())];
        for (kind, count) in lists {
            if left < count {
                return format!("{kind}[{left}]");
            }
            left -= count;
        }
        if left < self.clips.len() {
            return format!("clip[{left}]");
        }
        left -= self.clips.len();
        match self.own_eyes().nth(left) {
            Some(own) => format!("eye[{}]", self.eyes.iter().position(|e| e == own).unwrap_or(0)),
            None => format!("bead[{}]", left - self.own_eyes().count()),
        }
    }

    /// Places that are held farther apart than the way between them is long.
    fn too_short(&self, network: &Network, layout: &Layout) -> Vec<Diagnostic> {
        let mut ways =
            Ways { spots: Vec::new(), ways: Vec::new(), of: vec![Vec::new(); network.anchors.len()] };
        for i in 0..network.anchors.len() {
            ways.spot(i, Vec3::zeros());
        }
        for (cable, stops) in layout.stops.iter().enumerate() {
            let at = |ways: &mut Ways, stop: &Stop| ways.spot(stop.anchor, stop.local.position);
            for run in runs(stops) {
                // What slides can all be on one side of an eye. Pulleys stand for their axles, which are
                // farther away than their rims.
                let length = run[run.len() - 1].s - run[0].s + rims(run);
                for pair in run.windows(2) {
                    let (a, b) = (at(&mut ways, &pair[0]), at(&mut ways, &pair[1]));
                    ways.join(a, b, length, Via::Cable(cable));
                }
                if run.len() > 2 {
                    let (a, b) = (at(&mut ways, &run[0]), at(&mut ways, &run[run.len() - 1]));
                    ways.join(a, b, length, Via::Cable(cable));
                }
            }
        }
        for constraint in &network.constraints {
            let (from, to, length) = match constraint {
                Constraint::Distance { sense: Sense::AtLeast, .. } => continue,
                Constraint::Distance { from, to, distance, .. } => (from, to, *distance),
                Constraint::Coincide { from, to } => (from, to, 0.0),
                _ => continue,
            };
            if let (&Point::On(a, p), &Point::On(b, q)) = (from, to) {
                let (a, b) = (ways.spot(a, p), ways.spot(b, q));
                ways.join(a, b, length, Via::Rigid);
            }
        }
        let names = self.anchor_names();
        let fixed: Vec<Option<Vec3>> =
            ways.spots.iter().map(|s| place(s, &network.anchors[s.anchor])).collect();
        let mut mistakes = Vec::new();
        for source in (0..ways.spots.len()).filter(|i| fixed[*i].is_some()) {
            self.short_from(source, (&ways, &fixed), (network, layout), &names, &mut mistakes);
        }
        // The whole way through the eyes says more than the distance of two of them.
        let round = self.short_round_eyes(network, layout, &names);
        mistakes.retain(|m: &Diagnostic| round.iter().all(|r| r.path != m.path));
        mistakes.extend(round);
        mistakes
    }

    /// Cables that are shorter than the way through the eyes that are held.
    fn short_round_eyes(&self, network: &Network, layout: &Layout, names: &[AnchorName]) -> Vec<Diagnostic> {
        let mut mistakes = Vec::new();
        for (cable, stops) in layout.stops.iter().enumerate() {
            for run in runs(stops).filter(|run| run.len() > 2) {
                let spot = |s: &Stop| Spot { anchor: s.anchor, local: s.local.position };
                let at = |s: &Stop| place(&spot(s), &network.anchors[s.anchor]);
                let held: Vec<(usize, Vec3)> =
                    run.iter().filter_map(|s| at(s).map(|p| (s.anchor, p))).collect();
                let way: f64 = held.windows(2).map(|w| (w[1].1 - w[0].1).norm()).sum();
                let length = run[run.len() - 1].s - run[0].s;
                if way <= (length + rims(run)) * (1.0 + 1e-12) {
                    continue;
                }
                let [missing, length, way] = [way - length, length, way].map(millimetres);
                let through: Vec<String> = held.iter().map(|(a, _)| names[*a].to_string()).collect();
                let message = format!(
                    "cable '{}' is {missing} short: {length} of cable for a way of {way} through {}",
                    self.cables[cable].cable.name,
                    through.join(", ")
                );
                let help = format!("lengthen by at least {missing}, or move what it passes closer together");
                let path = format!("cable[{cable}].length");
                mistakes.push(self.source.diagnostic(Code::TooShort, &path, message, Some(help)));
            }
        }
        mistakes
    }

    /// The shortest ways from a held place to others (Dijkstra), through what is loose only.
    fn short_from(
        &self,
        source: usize,
        (ways, fixed): (&Ways, &[Option<Vec3>]),
        (network, layout): (&Network, &Layout),
        names: &[AnchorName],
        mistakes: &mut Vec<Diagnostic>,
    ) {
        let mut best: Reached = BTreeMap::from([(source, (0.0, None))]);
        let mut queue = BinaryHeap::from([Reverse((0, source))]);
        while let Some(Reverse((at, i))) = queue.pop() {
            let Some(&(length, _)) = best.get(&i) else { continue };
            if ordered(length) < at {
                continue;
            }
            if i != source
                && let (Some(a), Some(b)) = (fixed[source], fixed[i])
            {
                let distance = (a - b).norm();
                if i > source && distance > length * (1.0 + 1e-12) {
                    let own = (network, layout);
                    mistakes.push(self.short([source, i], [length, distance], (ways, &best), own, names));
                }
                continue;
            }
            for &(j, step, via) in &ways.ways[i] {
                let reached = length + step;
                if best.get(&j).is_none_or(|(known, _)| reached < *known) {
                    best.insert(j, (reached, Some((i, via))));
                    queue.push(Reverse((ordered(reached), j)));
                }
            }
        }
    }

    fn short(
        &self,
        [from, to]: [usize; 2],
        [length, distance]: [f64; 2],
        (ways, best): (&Ways, &Reached),
        (network, layout): (&Network, &Layout),
        names: &[AnchorName],
    ) -> Diagnostic {
        let mut cables = Vec::new();
        let mut at = to;
        while let Some((_, Some((before, via)))) = best.get(&at) {
            if let Via::Cable(cable) = *via
                && !cables.contains(&cable)
            {
                cables.push(cable);
            }
            at = *before;
        }
        cables.sort_unstable();
        let listed: Vec<String> =
            cables.iter().map(|c| format!("'{}'", self.cables[*c].cable.name)).collect();
        let [missing, length, apart] = [distance - length, length, distance].map(millimetres);
        let subject = match &listed[..] {
            [] => "what joins them is".to_owned(),
            [one] => format!("cable {one} is"),
            _ => format!("cables {} together are", listed.join(", ")),
        };
        let ends = [from, to].map(|i| names[ways.spots[i].anchor].to_string());
        let message = format!(
            "{subject} {missing} short between {} and {}: {length} of cable for a distance of {apart}",
            ends[0], ends[1]
        );
        let anchors = [from, to].map(|i| ways.spots[i].anchor);
        if let [cable] = cables[..]
            && let Some((clip, help)) = self.clip_elsewhere(cable, anchors, (network, layout), names)
        {
            let help = format!("{help}; or make the cable {missing} longer between them");
            return self.source.diagnostic(Code::TooShort, &format!("clip[{clip}].at"), message, Some(help));
        }
        let help = format!("lengthen by at least {missing}, or move the ends closer together");
        let path = cables.first().map_or_else(|| "constraint".into(), |c| format!("cable[{c}].length"));
        self.source.diagnostic(Code::TooShort, &path, message, Some(help))
    }

    /// What helps where a clip that is held is out of reach: another place of it on its cable, where there is one that
    /// reaches to both sides. The number of the clip, and that in words.
    fn clip_elsewhere(
        &self,
        cable: usize,
        ends: [usize; 2],
        (network, layout): (&Network, &Layout),
        names: &[AnchorName],
    ) -> Option<(usize, String)> {
        let stops = &layout.stops[cable];
        if stops.iter().any(|s| s.slider.is_some()) {
            return None;
        }
        let at =
            |s: &Stop| place(&Spot { anchor: s.anchor, local: s.local.position }, &network.anchors[s.anchor]);
        let first_clip = self.ports.len() + self.parts.len() + self.junctions.len();
        stops.iter().enumerate().find_map(|(i, stop)| {
            let clip = stop.anchor.checked_sub(first_clip).filter(|c| *c < self.clips.len())?;
            let here = at(stop).filter(|_| ends.contains(&stop.anchor))?;
            let away = |other: &Stop| at(other).map(|there| (other.s, (there - here).norm()));
            let least = stops[..i].iter().rev().find_map(away).map_or(0.0, |(s, far)| s + far);
            let most = stops[i + 1..].iter().find_map(away).map_or(self.cables[cable].cable.length, |(s, far)| s - far);
            let [now, least, most, fits] = [stop.s, least, most, most - least];
            (fits >= 0.0).then(|| {
                let [now, least, most] = [now, least, most].map(millimetres);
                let name = &names[stop.anchor];
                (clip, format!("{name} is at {now} of the cable: put it (`at`) between {least} and {most}, or move it"))
            })
        })
    }

    /// Whether a node cannot move.
    fn is_fixed(&self, network: &Network, node: Node) -> bool {
        let (anchor, local, _) = self.anchor(node);
        place(&Spot { anchor, local: local.position }, &network.anchors[anchor]).is_some()
    }
}

/// The stops of a cable from one that is no eye to the next; the free end of a cable is left out.
fn runs(stops: &[Stop]) -> impl Iterator<Item = &[Stop]> {
    let mut first = 0;
    (1..stops.len()).filter(|i| stops[*i].slider.is_none()).map(move |i| {
        let run = &stops[first..=i];
        first = i;
        run
    })
}

/// By how much a cable may be shorter than the way over the axles of its pulleys.
fn rims(run: &[Stop]) -> f64 {
    run.iter().filter_map(|s| s.wheel).map(|w| 2.0 * w.radius).sum()
}

/// Where a place is, if it cannot move.
fn place(spot: &Spot, anchor: &Anchor) -> Option<Vec3> {
    let still = anchor.held == [true; 3] && (anchor.held_orientation || spot.local == Vec3::zeros());
    still.then(|| anchor.pose.position + rotation::rotate(&anchor.pose.orientation, &spot.local))
}
