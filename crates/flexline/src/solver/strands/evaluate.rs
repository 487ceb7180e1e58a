//! Inertia and forces of a whole tree, from its roots to its tips.

use super::element::{
    Air, Base, Cell, Clothoids, Elastic, ElementLoad, ElementMatter, Energies, Helices, Kinematics, Rules,
    Shape, evaluate,
};
use super::joint::Beyond;
use super::tree::{Cells, Joint, Strand, StrandWorkspace};
use super::{StrandMotion, StrandSettings};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::Rod;
use crate::rod::curvature::CurvatureRod;
use std::ops::Range;

/// Coordinate `i` of a list of vectors.
#[inline]
fn vector(of: &[f64], i: usize) -> Vec3 {
    Vec3::new(of[3 * i], of[3 * i + 1], of[3 * i + 2])
}

/// What the elements of a strand share.
struct Along<'a> {
    rod: &'a CurvatureRod,
    matter: &'a [ElementMatter],
    loads: &'a [ElementLoad],
    loads_on: &'a [Range<usize>],
    air: &'a Air,
    delay: f64,
    rules: &'a Rules,
}

impl Along<'_> {
    /// Evaluates elements with `N` coordinates each, from the start to the end; returns how the end is and moves.
    fn go<const N: usize, K: Kinematics<N>>(
        &self,
        cells: &mut [Cell<N>],
        mut base: Base,
        (q, rates): (&[f64], &[f64]),
        energies: &mut Energies,
    ) -> Base {
        for (e, cell) in cells.iter_mut().enumerate() {
            let own = |of: &[f64]| std::array::from_fn(|which| vector(of, self.rod.first[e] + which));
            let shape = Shape { q: own(q), rates: own(rates) };
            let elastic = Elastic {
                stiffness: &self.rod.stiffness[e],
                length: self.rod.length(),
                step: self.air.step,
                delay: self.delay,
            };
            let loads = &self.loads[self.loads_on[e].clone()];
            let (matter, rules) = (&self.matter[e], self.rules);
            base = evaluate::<N, K>(&base, &shape, matter, &elastic, loads, self.air, rules, cell, energies);
        }
        base
    }
}

impl Strand {
    /// Evaluates the elements; returns how the end is and moves.
    fn evaluate(
        &mut self,
        base: Base,
        now: (&[f64], &[f64]),
        air: &Air,
        delay: f64,
        rules: &Rules,
        energies: &mut Energies,
    ) -> Base {
        let Self { rod, matter, loads, loads_on, cells, .. } = self;
        let along = Along { rod, matter, loads, loads_on, air, delay, rules };
        match cells {
            Cells::Helix(cells) => along.go::<1, Helices>(cells, base, now, energies),
            Cells::Clothoid(cells) => along.go::<2, Clothoids>(cells, base, now, energies),
        }
    }
}

impl Joint {
    /// The form of its own mass and forces.
    fn form(&self, base: &Base, gravity: &Vec3, energies: &mut Energies) -> Beyond {
        let mut out = Beyond::nothing();
        let arm = base.frame * self.centre;
        let g = rotation::skew(&arm);
        let inertia = base.frame * Mat3::from_diagonal(&self.inertia) * base.frame.transpose();
        let spin = base.spin;
        let acceleration =
            base.acceleration + base.angular_acceleration.cross(&arm) + spin.cross(&spin.cross(&arm));
        let weight = (gravity - acceleration) * self.mass;
        let momentum = inertia * spin;
        out.vv = Mat3::from_diagonal_element(self.mass);
        out.vw = -g * self.mass;
        out.ww = inertia - g * g * self.mass;
        out.force = self.force + weight;
        out.torque =
            self.moment + arm.cross(&weight) - (inertia * base.angular_acceleration + spin.cross(&momentum));
        let velocity = base.velocity + spin.cross(&arm);
        energies.kinetic += 0.5 * self.mass * velocity.norm_squared() + 0.5 * spin.dot(&momentum);
        energies.driven += self.moment.dot(&spin);
        energies.potential -=
            self.mass * gravity.dot(&(base.position + arm)) + self.force.dot(&base.position);
        out
    }
}

/// Evaluates the tree as `motion` has it; what is held accelerates as `ws.led` says.
pub(super) fn evaluate_tree(
    ws: &mut StrandWorkspace,
    motion: &StrandMotion,
    settings: &StrandSettings,
) -> Energies {
    let air = Air { gravity: ws.gravity, wind: settings.wind, drag: settings.drag, step: settings.step };
    let mut energies = Energies::default();
    for i in (0..ws.joints.len()).filter(|i| !ws.joints[*i].hangs) {
        let pose = &motion.state.anchors[i];
        let [velocity, spin] = motion.anchors[i];
        let [acceleration, angular_acceleration] = ws.led[i];
        ws.bases[i] = Base {
            position: pose.position,
            frame: rotation::matrix(&pose.orientation),
            velocity,
            spin,
            acceleration,
            angular_acceleration,
        };
    }
    for at in 0..ws.order.len() {
        let k = ws.order[at];
        let strand = &mut ws.strands[k];
        let anchor = ws.bases[strand.start];
        let start = anchor.carry(&strand.start_pose.0, &strand.start_pose.1);
        strand.arms[0] = start.position - anchor.position;
        let q = &motion.state.spans[k].rod.coordinates[7..];
        let end = strand.evaluate(
            start,
            (q, &motion.rates[k]),
            &air,
            settings.strain_delay,
            &ws.rules,
            &mut energies,
        );
        if let Some((anchor, (position, frame))) = &strand.end {
            ws.bases[*anchor] = end.carry(position, frame);
            strand.arms[1] = ws.bases[*anchor].position - end.position;
        }
    }
    for i in 0..ws.joints.len() {
        ws.beyond[i] = ws.joints[i].form(&ws.bases[i], &ws.gravity, &mut energies);
    }
    energies
}
