//! Inertia and forces of a whole tree, from its roots to its tips.

use super::element::{Air, Base, Books, Clothoids, Elastic, Helices, Shape, evaluate};
use super::joint::Beyond;
use super::tree::{Cells, Joint, Strand, StrandWorkspace};
use super::{StrandMotion, StrandSettings};
use crate::algebra::{Mat3, Vec3, rotation};
use crate::rod::Rod;

/// Coordinate `i` of a list of vectors.
#[inline]
fn vector(of: &[f64], i: usize) -> Vec3 {
    Vec3::new(of[3 * i], of[3 * i + 1], of[3 * i + 2])
}

impl Strand {
    /// Evaluates the elements; returns how the end is and moves.
    fn evaluate(
        &mut self,
        mut base: Base,
        (q, rates): (&[f64], &[f64]),
        air: &Air,
        delay: f64,
        rules: &super::element::Rules,
        books: &mut Books,
    ) -> Base {
        let length = self.rod.length();
        match &mut self.cells {
            Cells::Helix(cells) => {
                for (e, cell) in cells.iter_mut().enumerate() {
                    let stiffness = &self.rod.stiffness[e];
                    let shape = Shape { q: [vector(q, e)], rates: [vector(rates, e)] };
                    let elastic = Elastic { stiffness, length, step: air.step, delay };
                    let loads = &self.loads[self.loads_on[e].clone()];
                    base = evaluate::<1, Helices>(
                        &base,
                        &shape,
                        &self.matter[e],
                        &elastic,
                        loads,
                        air,
                        rules,
                        cell,
                        books,
                    );
                }
            }
            Cells::Clothoid(cells) => {
                for (e, cell) in cells.iter_mut().enumerate() {
                    let stiffness = &self.rod.stiffness[e];
                    let shape = Shape {
                        q: [vector(q, e), vector(q, e + 1)],
                        rates: [vector(rates, e), vector(rates, e + 1)],
                    };
                    let elastic = Elastic { stiffness, length, step: air.step, delay };
                    let loads = &self.loads[self.loads_on[e].clone()];
                    base = evaluate::<2, Clothoids>(
                        &base,
                        &shape,
                        &self.matter[e],
                        &elastic,
                        loads,
                        air,
                        rules,
                        cell,
                        books,
                    );
                }
            }
        }
        base
    }
}

impl Joint {
    /// The form of its own mass and forces.
    fn form(&self, base: &Base, gravity: &Vec3, books: &mut Books) -> Beyond {
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
        books.kinetic += 0.5 * self.mass * velocity.norm_squared() + 0.5 * spin.dot(&momentum);
        books.potential -= self.mass * gravity.dot(&(base.position + arm)) + self.force.dot(&base.position);
        out
    }
}

/// Evaluates the tree as `motion` has it; what is held accelerates as `ws.led` says.
pub(super) fn evaluate_tree(
    ws: &mut StrandWorkspace,
    motion: &StrandMotion,
    settings: &StrandSettings,
) -> Books {
    let air = Air { gravity: ws.gravity, wind: settings.wind, drag: settings.drag, step: settings.step };
    let mut books = Books::default();
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
        let end =
            strand.evaluate(start, (q, &motion.rates[k]), &air, settings.strain_delay, &ws.rules, &mut books);
        if let Some((anchor, (position, frame))) = &strand.end {
            ws.bases[*anchor] = end.carry(position, frame);
            strand.arms[1] = ws.bases[*anchor].position - end.position;
        }
    }
    for i in 0..ws.joints.len() {
        ws.beyond[i] = ws.joints[i].form(&ws.bases[i], &ws.gravity, &mut books);
    }
    books
}
