//! Loads of a problem spread over the nodes and frames of its rod.
//!
//! Dead forces become nodal forces once; a force between nodes acts through the station's weights
//! and so also turns the neighbouring frames. Follower forces and moments are evaluated at every
//! state. Neither a dead moment nor a follower load has a potential: each adds an antisymmetric
//! part to the tangent (see `docs/theory/statics.md`).

use super::{HeldChain, MixedRod, Weights, tangent_hessian};
use crate::algebra::chain::{ChainMatrix, ChainVector};
use crate::algebra::{Mat3, Vec3};
use crate::body::{Axes, DistributedLoad, PointLoad};
use crate::rod::{Rod, RodState};

/// Scratch for the loads of one problem; nothing in it outlives a change of the held.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainLoads {
    /// Dead force at each node, N.
    dead: Vec<Vec3>,
    /// The part of it at the first and last node that is spread along the rod, N.
    spread: [Vec3; 2],
    /// Dead forces that act on d3 of a frame: (frame, force times weight), N m.
    dead_tangents: Vec<(usize, Vec3)>,
    /// Point loads in material axes, with the weights of their stations.
    followers: Vec<(PointLoad, Weights)>,
    /// Material-axes force per segment, N.
    segment_followers: Vec<Vec3>,
    /// Moments at frames: (frame, moment, axes), N m.
    moments: Vec<(usize, Vec3, Axes)>,
}

impl ChainLoads {
    /// Reads the loads of `held`; reuses memory.
    pub(crate) fn read(&mut self, held: &HeldChain) {
        let rod = &held.rod;
        let n = rod.segments();
        self.dead.clear();
        self.dead.extend(rod.mass.iter().map(|&m| m * held.gravity));
        self.dead_tangents.clear();
        self.followers.clear();
        self.moments.clear();
        self.segment_followers.clear();
        for load in &held.distributed_loads {
            self.add_distributed(rod, load, n);
        }
        self.spread = [self.dead[0], self.dead[n]];
        for load in &held.point_loads {
            let weights = rod.weights(load.s.clamp(0.0, rod.length()));
            self.add_moment(&weights, &load.moment, load.axes);
            match load.axes {
                Axes::World => self.add_dead_force(&weights, &load.force),
                Axes::Material => self.followers.push((*load, weights)),
            }
        }
    }

    fn add_dead_force(&mut self, weights: &Weights, force: &Vec3) {
        for (node, w) in weights.nodes {
            self.dead[node] += w * force;
        }
        for (frame, w) in weights.tangents {
            if w != 0.0 && *force != Vec3::zeros() {
                self.dead_tangents.push((frame, w * force));
            }
        }
    }

    fn add_moment(&mut self, weights: &Weights, moment: &Vec3, axes: Axes) {
        if *moment == Vec3::zeros() {
            return;
        }
        let (a, b, share) = weights.frames;
        for (frame, w) in [(a, 1.0 - share), (b, share)] {
            if w != 0.0 {
                self.moments.push((frame, w * moment, axes));
            }
        }
    }

    fn add_distributed(&mut self, rod: &MixedRod, load: &DistributedLoad, n: usize) {
        let (from, to) = (load.from.min(load.to), load.from.max(load.to));
        let nodes = rod.mesh().nodes();
        if load.axes == Axes::Material && self.segment_followers.is_empty() {
            self.segment_followers.resize(n, Vec3::zeros());
        }
        for i in 0..n {
            let (a, b) = (nodes[i].max(from), nodes[i + 1].min(to));
            if b <= a {
                continue;
            }
            // The loads are affine over [a, b]: Simpson's rule integrates load times weight exactly.
            let mid = 0.5 * (a + b);
            let moment = load.at(mid).1 * (b - a);
            if moment != Vec3::zeros() {
                self.moments.push((i + 1, moment, load.axes));
            }
            match load.axes {
                Axes::Material => self.segment_followers[i] += load.at(mid).0 * (b - a),
                Axes::World => {
                    for (s, w) in [(a, 1.0 / 6.0), (mid, 4.0 / 6.0), (b, 1.0 / 6.0)] {
                        let force = load.at(s).0 * (w * (b - a));
                        let share = (s - nodes[i]) / rod.lengths[i];
                        self.dead[i] += (1.0 - share) * force;
                        self.dead[i + 1] += share * force;
                    }
                }
            }
        }
    }

    /// The spread part of the dead force at the first and last node, N.
    pub(crate) fn spread_at_ends(&self) -> [Vec3; 2] {
        self.spread
    }

    /// Nodal forces at a state, dead and follower.
    pub(crate) fn nodal_forces(&self, rod: &MixedRod, rotations: &[Mat3], out: &mut [Vec3]) {
        out.copy_from_slice(&self.dead);
        for (load, weights) in &self.followers {
            let force = follower_force(load, weights, rotations);
            for (node, w) in weights.nodes {
                out[node] += w * force;
            }
        }
        for (i, force) in self.segment_followers.iter().enumerate() {
            let half = rotations[i + 1] * force * 0.5;
            out[i] += half;
            out[i + 1] += half;
        }
        debug_assert_eq!(out.len(), rod.segments() + 1);
    }

    /// Subtracts what the loads do on the frames' rotations (material axes) from `out`.
    pub(crate) fn subtract_moments(&self, rotations: &[Mat3], out: &mut [Vec3]) {
        let tangent_force = |frame: usize, force: &Vec3, out: &mut [Vec3]| {
            let b = rotations[frame].tr_mul(force);
            // −∂(force·d3)/∂θ = −e3 × b
            out[frame] += Vec3::new(b.y, -b.x, 0.0);
        };
        for (frame, force) in &self.dead_tangents {
            tangent_force(*frame, force, out);
        }
        for (load, weights) in &self.followers {
            let force = follower_force(load, weights, rotations);
            for (frame, w) in weights.tangents {
                tangent_force(frame, &(w * force), out);
            }
        }
        for (frame, moment, axes) in &self.moments {
            match axes {
                Axes::World => out[*frame] -= rotations[*frame].tr_mul(moment),
                Axes::Material => out[*frame] -= moment,
            }
        }
    }

    /// Frames whose rotation changes loads, in order.
    pub(crate) fn find_turning_frames(&self, frames: &mut Vec<usize>) {
        frames.clear();
        frames.extend(self.moments.iter().map(|(frame, ..)| *frame));
        for (_, weights) in self.followers.iter().filter(|(load, _)| load.force != Vec3::zeros()) {
            frames.extend([weights.frames.0, weights.frames.1]);
        }
        let pushed = self.segment_followers.iter().enumerate().filter(|(_, force)| **force != Vec3::zeros());
        frames.extend(pushed.map(|(i, _)| i + 1));
        frames.sort_unstable();
        frames.dedup();
    }

    /// Subtracts what the loads gain where frames turn, `turn` being their rotations in world axes.
    pub(crate) fn subtract_gains(
        &self,
        rotations: &[Mat3],
        turn: impl Fn(usize) -> Vec3,
        out: &mut ChainVector,
    ) {
        for (load, weights) in &self.followers {
            let (a, b, share) = weights.frames;
            let of = |frame: usize| turn(frame).cross(&(rotations[frame] * load.force));
            let gain = of(a) * (1.0 - share) + of(b) * share;
            for (node, w) in weights.nodes {
                out.x[node] -= w * gain;
            }
            for (frame, w) in weights.tangents {
                let b = rotations[frame].tr_mul(&(w * gain));
                out.f[frame] += Vec3::new(b.y, -b.x, 0.0);
            }
        }
        for (i, force) in self.segment_followers.iter().enumerate() {
            let half = turn(i + 1).cross(&(rotations[i + 1] * force)) * 0.5;
            out.x[i] -= half;
            out.x[i + 1] -= half;
        }
        for (frame, moment, axes) in &self.moments {
            let r = &rotations[*frame];
            let half = match axes {
                Axes::World => moment * -0.5,
                Axes::Material => r * moment * 0.5,
            };
            out.f[*frame] -= r.tr_mul(&turn(*frame).cross(&half));
        }
    }

    /// Adds the derivative of the loads to the matrix, but for what moments and follower loads make unsymmetric
    /// ([`ChainLoads::subtract_gains`]).
    pub(crate) fn add_tangent(&self, rod: &MixedRod, state: &RodState, m: &mut ChainMatrix) {
        for (frame, force) in &self.dead_tangents {
            m.ff[*frame] -= tangent_hessian(&rod.frame(state, *frame), force);
        }
    }

    /// Potential of the loads, with follower forces frozen at `forces` (their nodal values).
    pub(crate) fn potential(&self, rod: &MixedRod, state: &RodState, forces: &[Vec3]) -> f64 {
        let nodes: f64 = forces.iter().enumerate().map(|(j, f)| f.dot(&rod.position(state, j))).sum();
        let tangents: f64 = self
            .dead_tangents
            .iter()
            .map(|(j, f)| f.dot(&crate::algebra::rotation::tangent(&rod.frame(state, *j))))
            .sum();
        -nodes - tangents
    }

    /// Work of the moments, frozen at the present frames, along the rotations `theta`.
    pub(crate) fn moment_work(&self, rotations: &[Mat3], theta: &[Vec3]) -> f64 {
        self.moments
            .iter()
            .map(|(j, moment, axes)| match axes {
                Axes::World => rotations[*j].tr_mul(moment).dot(&theta[*j]),
                Axes::Material => moment.dot(&theta[*j]),
            })
            .sum()
    }
}

/// World components of a follower force: the two neighbouring frames' images, interpolated.
fn follower_force(load: &PointLoad, weights: &Weights, rotations: &[Mat3]) -> Vec3 {
    let (a, b, share) = weights.frames;
    rotations[a] * load.force * (1.0 - share) + rotations[b] * load.force * share
}
