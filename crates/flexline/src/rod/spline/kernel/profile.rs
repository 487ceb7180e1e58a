//! Force and moment along a spline rod, from the balance: more exact than those that its strains give.

use super::loads;
use super::{Load, SplineSpan};
use crate::algebra::{Quat, Vec3, rotation};
use crate::body::{Axes, Profile, Sample};
use crate::rod::kernel::Loads;
use crate::rod::spline::{POINTS, rule};
use crate::rod::{Rod, State};

impl SplineSpan {
    /// Force and moment that the rod beyond share `sigma`, which is at `x`, exerts there, world axes.
    fn beyond(&self, state: &State, sigma: f64, x: &Vec3, loads: &[Load]) -> (Vec3, Vec3) {
        let c = &state.rod.coordinates;
        let rod = &self.rod;
        let last = rod.control(c, rod.controls() - 1);
        let mut force = state.end_force;
        let mut moment = Vec3::from_fn(|i, _| self.faces[super::TURN_B + i]) + (last - x).cross(&force);
        let mut add = |at: &Vec3, f: &Vec3| {
            force += f;
            moment += (at - x).cross(f);
        };
        let ends = &rod.knots.ends;
        for e in (0..rod.elements()).filter(|e| ends[e + 1] > sigma) {
            let from = ends[e].max(sigma);
            for (y, w) in rule() {
                let xi = (from + y * (ends[e + 1] - from) - ends[e]) / rod.knots.share(e);
                let at = rod.sum(c, e, &rod.knots.at(e, xi).cubic);
                let section = rod.section_at((ends[e] + xi * rod.knots.share(e)) * rod.length());
                let mut f = self.gravity * section.mass_per_length;
                f += self.taps.spread_force(&at);
                add(&at, &(f * (w * (ends[e + 1] - from) * rod.length())));
            }
        }
        if let Some(inertia) = &self.taps.inertia {
            for (k, point) in rod.points.iter().enumerate() {
                let e = k / POINTS;
                if ends[e] + point.xi * rod.knots.share(e) > sigma {
                    let (stiffness, target) = inertia.node(k);
                    add(&self.positions[k], &((target - self.positions[k]) * stiffness));
                }
            }
        }
        for (tap, e, values) in self.tapped().filter(|(tap, ..)| tap.share >= sigma) {
            let at = rod.sum(c, e, &values.cubic);
            add(&at, &tap.force_at(&at));
        }
        for load in loads {
            let at = rod.sum(c, load.element, &load.values.cubic);
            add(&at, &load.world.0);
        }
        moment += loads.iter().map(|load| load.world.1).sum::<Vec3>();
        (force, moment)
    }

    /// The solution where the rod is drawn.
    pub(super) fn samples(&self, state: &State) -> Profile {
        let c = &state.rod.coordinates;
        let rod = &self.rod;
        let frames: Vec<Quat> = rod.joint_frames(c).collect();
        let samples = rod.arcs().iter().map(|&s| {
            let (e, xi) = rod.element_at(s);
            let values = rod.knots.at(e, xi);
            let place = rod.place(c, e, xi, &values, frames[e]);
            let position = rod.sum(c, e, &values.cubic);
            let frame = place.frame();
            let sigma = s / rod.length();
            let mut beyond = Vec::new();
            if !self.loads.is_empty() {
                let all = Loads { points: &self.point_loads, distributed: &self.distributed_loads };
                beyond = loads::read(rod, all, self.whole, sigma);
            }
            for load in beyond.iter_mut().filter(|load| load.axes == Axes::Material) {
                let own = rod.place(c, load.element, load.xi, &load.values, frames[load.element]).frame();
                load.world = (rotation::rotate(&own, &load.force), rotation::rotate(&own, &load.moment));
            }
            let (force, moment) = self.beyond(state, sigma, &position, &beyond);
            Sample {
                s,
                position,
                frame,
                strain: place.strain() / rod.length(),
                moment_material: rotation::rotate(&frame.conjugate(), &moment),
                force_world: force,
                radius: rod.section_at(s).contact_radius,
            }
        });
        Profile { samples: samples.collect() }
    }
}
