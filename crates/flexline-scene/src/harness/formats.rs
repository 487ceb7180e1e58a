//! What other programs show and simulate of a solved scene: MuJoCo, glTF, USD, VTK.

use super::compile::{Compiled, CompiledCable};
use super::solution::Solution;
use crate::contact::CompiledObstacle;
use flexline::algebra::rotation;
use flexline::{Quat, Vec3};
use flexline_exchange::mjcf::{Assembly, Cable, MjcfError, Solid, Written};
use flexline_exchange::playback::{Playback, Tube};
use flexline_exchange::usd::{Attached, Deformable};
use std::collections::{BTreeMap, BTreeSet};

/// Cables to simulate in USD, where they meet and are held, and what does not survive.
#[derive(Clone, Debug, Default)]
pub struct Deformables {
    /// The cables.
    pub cables: Vec<Deformable>,
    /// What holds them.
    pub attached: Vec<Attached>,
    /// What is otherwise there.
    pub notes: Vec<String>,
}

impl Compiled {
    /// The equilibrium as one frame to be shown.
    pub fn playback(&self, solution: &Solution, title: &str) -> Playback {
        let tube = |(cable, profile): (&CompiledCable, &flexline::solver::Profile)| Tube {
            name: cable.name.clone(),
            radii: profile.samples.iter().map(|s| s.radius).collect(),
            colours: None,
            value: None,
            frames: vec![profile.samples.iter().map(|s| (s.position, s.frame)).collect()],
        };
        let cables = self.cables.iter().zip(&solution.profiles).map(tube).collect();
        Playback { title: title.to_owned(), cables, times: vec![0.0] }
    }

    /// The equilibrium as chains of bodies for MuJoCo, every cable in as many segments as are asked for.
    pub fn to_mjcf(
        &self,
        solution: &Solution,
        title: &str,
        segments: &[usize],
    ) -> Result<Written, MjcfError> {
        let network = self.network.slid(&solution.state);
        let mut taken = BTreeSet::from(["world".to_owned()]);
        let mut unique = |kind: &str, name: &str| {
            let mut own = name.to_owned();
            if taken.contains(&own) {
                own = format!("{kind} {name}");
            }
            while !taken.insert(own.clone()) {
                own.push('\'');
            }
            own
        };
        let anchors = self.anchors.iter().map(|own| unique(own.kind, &own.name)).collect();
        let solid =
            |own: &CompiledObstacle| Solid { name: own.name.clone(), on: own.on.map(|(anchor, _)| anchor) };
        let mut notes = Vec::new();
        if self.has_contact() {
            notes.push("Contact is that of MuJoCo, soft and with rounded segments; cables do not touch each other or themselves here".to_owned());
        }
        let assembly = Assembly {
            title,
            network: &network,
            state: &solution.state,
            report: &solution.report,
            anchors,
            cables: self.cables.iter().zip(segments).map(|(own, count)| chain_of(own, *count)).collect(),
            solids: self.obstacles.iter().map(solid).collect(),
            notes,
        };
        assembly.write()
    }

    /// The cables as AOUSD deformables.
    pub fn deformables(&self, solution: &Solution) -> Deformables {
        let mut notes = vec![
            "stretch and shear stiffness, which Flexline has none of, are those of a solid disc of the same radius and bending stiffness".to_owned(),
            "points are the equilibrium and physics:restShapePoints the shape without loads; what takes the points for the rest shape, as NVIDIA Newton does, begins without stress".to_owned(),
            "ends are held in position, not in direction; loads, constraints, eyes and obstacles are left out".to_owned(),
        ];
        let mut cables = Vec::new();
        let mut attached = Vec::new();
        let mut met: BTreeMap<usize, [usize; 2]> = BTreeMap::new();
        for (k, (cable, profile)) in self.cables.iter().zip(&solution.profiles).enumerate() {
            let mut points: Vec<Vec3> = Vec::new();
            let mut arcs: Vec<f64> = Vec::new();
            for sample in &profile.samples {
                // Where a cable was cut there are two of the same place.
                if arcs.last().is_none_or(|s| sample.s > s + 1e-9) {
                    points.push(sample.position);
                    arcs.push(sample.s);
                }
            }
            let section = cable.section.at(0.5 * cable.length);
            if !cable.section.breaks().is_empty() {
                notes.push(format!(
                    "'{}' changes along its length; here it has the section of its middle",
                    cable.name
                ));
            }
            let node = |s: f64| {
                let nearest = |a: &usize, b: &usize| (arcs[*a] - s).abs().total_cmp(&(arcs[*b] - s).abs());
                (0..arcs.len()).min_by(nearest).unwrap_or(0)
            };
            for (span, from) in &cable.spans {
                let own = &self.network.spans[*span];
                let ends = [
                    Some((own.start.anchor, *from)),
                    own.end.map(|end| (end.anchor, from + solution.state.lengths[*span])),
                ];
                for (anchor, s) in ends.into_iter().flatten() {
                    let here = [k, node(s)];
                    let held = self.network.anchors[anchor].held.contains(&true);
                    match met.get(&anchor) {
                        Some(other) if *other == here => continue,
                        Some(other) if !held => attached.push(Attached { node: here, to: Some(*other) }),
                        _ if held => attached.push(Attached { node: here, to: None }),
                        _ => {}
                    }
                    met.insert(anchor, here);
                }
            }
            let first = profile.samples[0];
            cables.push(Deformable {
                name: cable.name.clone(),
                rest: rest_shape(&first.position, &first.frame, &arcs, &|s| cable.rest_at(s)),
                points,
                radius: section.contact_radius,
                stiffness: section.stiffness,
                mass_per_length: section.mass_per_length,
            });
        }
        Deformables { cables, attached, notes }
    }
}

fn chain_of(own: &CompiledCable, segments: usize) -> Cable<'_> {
    Cable {
        name: &own.name,
        spans: &own.spans,
        section: &own.section,
        rest: Box::new(|s| own.rest_at(s)),
        segments,
    }
}

/// The shape without loads, from a first place and frame.
fn rest_shape(first: &Vec3, frame: &Quat, arcs: &[f64], rest: &dyn Fn(f64) -> Vec3) -> Vec<Vec3> {
    let (mut place, mut frame) = (*first, *frame);
    let mut out = vec![place];
    for pair in arcs.windows(2) {
        let h = pair[1] - pair[0];
        let turn = rest(0.5 * (pair[0] + pair[1])) * h;
        let middle = rotation::displaced(&frame, &(0.5 * turn));
        place += rotation::tangent(&middle) * h;
        frame = rotation::displaced(&frame, &turn);
        out.push(place);
    }
    out
}
