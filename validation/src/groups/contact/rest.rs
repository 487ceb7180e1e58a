//! A rod at rest among obstacles: how it gets there, and what is read off it.

use crate::compare::{Samples, Theta, worse};
use crate::field::{Field, FieldError};
use crate::follow::{LARGEST_TURN, in_steps, inverse_at_zero};
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform, angle_to, largest_turn};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Obstacle, Shape};
use flexline::rod::{AnyRod, Rod, RodState, Station};
use flexline::solver::network::{
    Anchor, Attachment, Constraint, Contact, ContactState, Direction, Network, NetworkReport, NetworkState,
    NetworkWorkspace, Span, solve_network,
};
use flexline::solver::statics::Settings;
use flexline::solver::{Axes, PointLoad, Pose, Status};

/// How many times stiffer than in its plane a rod is made against leaving it, where the case excludes that.
const IN_PLANE: f64 = 1e3;
/// Shares of the total force below which a contact is none.
const PRESSES: f64 = 1e-6;
/// Smallest share of a way that is gone in one step.
const SMALLEST_STEP: f64 = 2e-3;
/// Steps towards a load by the place of an end, and what may be left of it, relative.
const MOST_SEEKS: usize = 80;
const FOUND: f64 = 1e-9;
/// Looks at the gap per spacing of nodes.
const LOOKS: usize = 4;
/// Spacings of nodes from the end of a stretch of contact within which forces count as concentrated.
pub(super) const WINDOW: f64 = 3.0;
/// Spacings of the finest mesh that a lying part, and an arc, must have for its pressure to be compared.
pub(super) const LYING: f64 = 25.0;
pub(super) const ARC: f64 = 80.0;
/// Places of contact from which a pressure can be told.
const LEAST: usize = 4;

/// Results a case may give, by name; each is compared where it is there.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    numbers: Vec<(&'static str, f64)>,
    lists: Vec<(&'static str, Vec<f64>)>,
    pub(super) contact: Option<String>,
}

impl Results {
    /// Reads the results of these names; one of another kind is an error.
    pub(super) fn read(
        case: &Field,
        numbers: &[&'static str],
        lists: &[&'static str],
    ) -> Result<Self, FieldError> {
        let mut own = Self::default();
        let Some(results) = case.find("results") else { return Ok(own) };
        for key in numbers {
            own.numbers.extend(results.maybe_number(key)?.map(|value| (*key, value)));
        }
        for key in lists {
            own.lists.extend(results.maybe_numbers(key)?.map(|value| (*key, value)));
        }
        own.contact = results.find("contact").map(|f| f.as_text().map(str::to_owned)).transpose()?;
        Ok(own)
    }

    /// Reads those that stand in the case itself.
    pub(super) fn of(case: &Field, numbers: &[&'static str]) -> Result<Self, FieldError> {
        let mut own = Self::default();
        for key in numbers {
            own.numbers.extend(case.maybe_number(key)?.map(|value| (*key, value)));
        }
        Ok(own)
    }

    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.numbers.iter().find(|(own, _)| *own == key).map(|(_, value)| *value)
    }

    pub(super) fn list(&self, key: &str) -> Option<&[f64]> {
        self.lists.iter().find(|(own, _)| *own == key).map(|(_, value)| &value[..])
    }

    pub(super) fn vector(&self, key: &str) -> Option<Vec3> {
        match self.list(key) {
            Some([x, y, z]) => Some(Vec3::new(*x, *y, *z)),
            _ => None,
        }
    }

    /// A number, relative to its reference where that is not zero.
    pub(super) fn relative(
        &self,
        name: &'static str,
        key: &str,
        found: f64,
        within: f64,
    ) -> Option<Quantity> {
        let reference = self.number(key).filter(|r| *r != 0.0)?;
        Some(Quantity::new(name, (found - reference).abs() / reference.abs(), within))
    }

    /// A force, relative to the size of its reference.
    pub(super) fn force(&self, name: &'static str, key: &str, found: &Vec3) -> Option<Quantity> {
        let reference = self.vector(key).filter(|r| r.norm() > 0.0)?;
        let error = (found - reference).norm() / reference.norm();
        Some(Quantity::new(name, error, tolerance::contact::FORCE))
    }

    /// An angle of a tangent above +x, rad.
    pub(super) fn angle(&self, name: &'static str, key: &str, rest: &Rest, s: f64) -> Option<Quantity> {
        let tangent = Theta::Above.tangent(self.number(key)?);
        let error = angle_to(rest.rod(), rest.shape(), s, &tangent);
        Some(Quantity::new(name, error, tolerance::ANGLE))
    }

    /// Whether the contact is of the kind that the case says.
    pub(super) fn kind(&self, found: &str) -> Option<Quantity> {
        let expected = self.contact.as_ref()?;
        let error = if found == expected { 0.0 } else { 1.0 };
        Some(Quantity::new("contact type", error, 0.5).unordered())
    }
}

/// The same rod, too stiff to leave the plane across its first director.
pub(super) fn planar(uniform: Uniform) -> Uniform {
    let ei = uniform.stiffness.x;
    Uniform { stiffness: Vec3::new(ei, IN_PLANE * ei, IN_PLANE * ei), ..uniform }
}

/// Force of a contact along its normal, N.
pub(super) fn pressing(contact: &Contact) -> f64 {
    contact.force.dot(&contact.normal)
}

/// A plane through a point with an outward normal.
pub(super) fn plane(through: Vec3, normal: Vec3) -> Obstacle {
    obstacle(Shape::Plane, through, normal)
}

/// A smooth obstacle whose own z axis is along `axis`.
pub(super) fn obstacle(shape: Shape, position: Vec3, axis: Vec3) -> Obstacle {
    let across = if axis.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    Obstacle { shape, pose: Pose { position, orientation: rotation::frame(&axis, &across) }, friction: 0.0 }
}

/// A pose in the x-z plane whose tangent is at an angle above +x; its first director is −y, about which it bends up.
pub(super) fn upright(position: Vec3, angle: f64) -> Pose {
    let tangent = Vec3::new(angle.cos(), 0.0, angle.sin());
    Pose { position, orientation: rotation::frame(&tangent, &-Vec3::y()) }
}

/// A rod of one span, at rest or on its way there.
pub(super) struct Rest {
    pub(super) network: Network,
    pub(super) state: NetworkState,
    pub(super) report: Option<NetworkReport>,
    ws: NetworkWorkspace,
    /// Distance of nodes, m, and the least that the model is run with.
    pub(super) spacing: f64,
    finest: f64,
}

/// How an end is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hold {
    Clamped,
    /// Free to turn about y alone.
    Hinged,
    Free,
}

impl Rest {
    /// A straight rod from `start`, its end held at `end`; it touches nothing yet.
    /// A start that is free is an anchor that nothing holds.
    pub(super) fn new(
        uniform: &Uniform,
        radius: f64,
        grid: Grid,
        start: (Hold, Pose),
        end: (Hold, Pose),
    ) -> Result<Self, String> {
        let rod = uniform.straight(grid)?;
        let mut network = Network::default();
        let attach = |network: &mut Network, (hold, pose): (Hold, Pose)| {
            if hold == Hold::Free {
                return None;
            }
            let index = network.anchors.len();
            network.anchors.push(Anchor { held_orientation: hold != Hold::Hinged, ..Anchor::fixed(pose) });
            if hold == Hold::Hinged {
                let own = rotation::rotate(&pose.orientation.conjugate(), &Vec3::y());
                let (direction, to) = (Direction::On(index, own), Direction::World(Vec3::y()));
                network.constraints.push(Constraint::Parallel { direction, to });
            }
            Some(Attachment::clamped(index))
        };
        let from = match attach(&mut network, start) {
            Some(held) => held,
            None => {
                network.anchors.push(Anchor::loose(start.1));
                Attachment::clamped(0)
            }
        };
        let to = attach(&mut network, end);
        network.spans.push(Span { contact_radius: radius, ..Span::new(rod, from, to) });
        let state = NetworkState::initial(&network);
        let ws = NetworkWorkspace::new(&network);
        let spacing = uniform.length / grid.n as f64;
        let most = grid.model.ladder().last().map_or(grid.n, |most| *most);
        let finest = uniform.length / most as f64;
        Ok(Self { network, state, report: None, ws, spacing, finest })
    }

    /// Gives it a shape; its anchors are at its ends.
    pub(super) fn shape_as(&mut self, shape: &dyn Fn(f64) -> Station) {
        self.state = NetworkState::initial(&self.network);
        self.state.spans[0].rod = self.rod().state_from(shape);
        self.report = None;
    }

    /// Starts again with what is held or loaded now, from the same shape and contact forces.
    pub(super) fn renew(&mut self) {
        self.ws = NetworkWorkspace::new(&self.network);
        let mut state = NetworkState::initial(&self.network);
        state.multipliers.resize(state.multipliers.len().max(self.state.multipliers.len()), 0.0);
        self.state.multipliers = state.multipliers;
    }

    /// Solves with its hinged end held as a clamp, then lets it turn: a rod that nothing presses on yet would swing.
    pub(super) fn solve_clamped_first(&mut self) -> Result<(), String> {
        let (end, hinges) = (self.network.anchors.len() - 1, std::mem::take(&mut self.network.constraints));
        if hinges.is_empty() {
            return self.solve().map(|_| ());
        }
        self.network.anchors[end].held_orientation = true;
        self.state.multipliers.clear();
        self.renew();
        self.solve()?;
        self.network.anchors[end].held_orientation = false;
        self.network.constraints = hinges;
        self.renew();
        self.solve().map(|_| ())
    }

    pub(super) fn rod(&self) -> &AnyRod {
        &self.network.spans[0].rod
    }

    pub(super) fn shape(&self) -> &RodState {
        &self.state.spans[0].rod
    }

    pub(super) fn length(&self) -> f64 {
        self.rod().length()
    }

    /// A dead force at s = L.
    pub(super) fn pull_end(&mut self, force: Vec3) {
        self.pull_at(self.length(), force);
    }

    /// A dead force at `s`.
    pub(super) fn pull_at(&mut self, s: f64, force: Vec3) {
        self.network.spans[0].point_loads =
            vec![PointLoad { s, force, moment: Vec3::zeros(), axes: Axes::World }];
    }

    /// Solves from where it is; the state stays as it was where that fails.
    pub(super) fn solve(&mut self) -> Result<&NetworkReport, String> {
        let mut trial = self.state.clone();
        let settings = Settings::interactive();
        let report =
            solve_network(&self.network, &mut trial, &mut self.ws, &settings).map_err(|e| e.to_string())?;
        if report.status != Status::Converged {
            return Err(format!(
                "the solver stopped with {:?} after {} iterations (residual {:.1e} N of {:.1e} N)",
                report.status, report.iterations, report.residual_force, report.largest_force
            ));
        }
        let turn = largest_turn(self.rod(), self.shape(), &trial.spans[0].rod);
        if self.report.is_some() && turn > LARGEST_TURN {
            return Err(format!("the rod jumped by {turn:.2} rad"));
        }
        self.state = trial;
        Ok(self.report.insert(report))
    }

    /// Brings it to rest at share 1 of a change of the network, in steps that shrink where the solver fails or the rod
    /// moves far.
    pub(super) fn lead(
        &mut self,
        first: f64,
        change: &dyn Fn(&mut Network, f64),
    ) -> Result<NetworkReport, String> {
        in_steps(first, SMALLEST_STEP, &mut |share| {
            change(&mut self.network, share);
            Ok(self.solve().err())
        })?;
        self.report.clone().ok_or_else(|| "nothing was solved".into())
    }

    /// Moves its end along a world axis, first by `step`, until `miss`, which falls from positive, vanishes.
    pub(super) fn seek(&mut self, axis: usize, step: f64, miss: &dyn Fn(&Rest) -> f64) -> Result<(), String> {
        let end = self.network.anchors.len() - 1;
        let mut points: Vec<(f64, f64)> = Vec::new();
        let (mut step, smallest) = (step, 1e-13 * self.length());
        for _ in 0..MOST_SEEKS {
            let from = self.network.anchors[end].pose.position[axis];
            self.lead(1.0, &|network, share| {
                network.anchors[end].pose.position[axis] = from + step * share;
            })?;
            let value = miss(self);
            points.push((from + step, value));
            if value.abs() < FOUND {
                return Ok(());
            }
            if points.len() > 2 && (value < 0.3 || points.iter().any(|p| p.1 < 0.0)) {
                let to = inverse_at_zero(&points[points.len() - 2..]);
                let ahead = to - (from + step);
                if !ahead.is_finite() || ahead.abs() < smallest {
                    return if value.abs() < 1e-6 {
                        Ok(())
                    } else {
                        Err("no place of the end has the load".into())
                    };
                }
                step = ahead.clamp(-2.0 * step.abs(), 2.0 * step.abs());
            }
        }
        Err("no place of the end has the load".into())
    }

    /// The last report.
    fn solved(&self) -> &[Contact] {
        self.report.as_ref().map_or(&[], |report| &report.contacts)
    }

    /// What presses on it, in the order of places; without what is round-off beside the rest.
    pub(super) fn contacts(&self) -> Vec<&Contact> {
        let all = self.solved();
        let total: f64 = all.iter().map(|c| c.force.norm()).sum();
        let mut list: Vec<&Contact> = all.iter().filter(|c| c.force.norm() > PRESSES * total).collect();
        list.sort_by(|a, b| a.s.total_cmp(&b.s));
        list
    }

    /// Sum of contact forces, N.
    pub(super) fn total(&self) -> Vec3 {
        self.solved().iter().map(|c| c.force).sum()
    }

    /// Where contact begins and ends, m; at an end of the rod where it comes that near.
    pub(super) fn extent(&self) -> Option<[f64; 2]> {
        let list = self.contacts();
        let (first, last) = (list.first()?.s, list.last()?.s);
        let from = if first < self.spacing { 0.0 } else { first };
        Some([from, if last > self.length() - self.spacing { self.length() } else { last }])
    }

    /// The straight line through the sum of forces up to every place of a stretch of contact, away from its ends: the sum
    /// at s = 0, N, and the pressure, N/m. `None` where there are too few to tell.
    ///
    /// Where a rod lies along a surface, places of contact are anywhere on their pieces, and forces with them: a sum
    /// between two of them is off by a share of one, a line through all of them is not.
    fn sums(&self, [from, to]: [f64; 2]) -> Option<(f64, f64)> {
        let away = WINDOW * self.spacing;
        let mut sum = 0.0;
        let mut points: Vec<(f64, f64)> = Vec::new();
        for contact in self.contacts() {
            let force = pressing(contact);
            if contact.s > from + away && contact.s < to - away {
                points.push((contact.s, sum + 0.5 * force));
            }
            sum += force;
        }
        let [first, .., last] = points[..] else { return None };
        if points.len() < LEAST || last.0 - first.0 < 2.0 * self.spacing {
            return None;
        }
        let count = points.len() as f64;
        let mean = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / count, m.1 + p.1 / count));
        let about =
            |f: fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - mean.0, p.1 - mean.1)).sum::<f64>();
        let slope = about(|s, sum| s * sum) / about(|s, _| s * s);
        Some((mean.1 - slope * mean.0, slope))
    }

    /// Whether a stretch of contact of this length is long enough for its pressure to be told from the forces at its ends,
    /// in the finest mesh of the model.
    pub(super) fn tells(&self, length: f64, spacings: f64) -> bool {
        length >= spacings * self.finest
    }

    /// Force per length on a stretch of contact, away from its ends, N/m; infinite where it is too short to tell.
    pub(super) fn pressure(&self, stretch: [f64; 2]) -> f64 {
        self.sums(stretch).map_or(f64::INFINITY, |(_, pressure)| pressure)
    }

    /// Forces concentrated at the ends of a stretch of contact, N: what the sum of all is more than the pressure between
    /// them; infinite where the stretch is too short to tell.
    pub(super) fn concentrated(&self, stretch: [f64; 2]) -> [f64; 2] {
        let Some((at_zero, pressure)) = self.sums(stretch) else { return [f64::INFINITY; 2] };
        let [first, last] = stretch.map(|s| at_zero + pressure * s);
        let total: f64 = self.contacts().iter().map(|c| pressing(c)).sum();
        [first, total - last]
    }

    /// Internal force at `s`, N: what the part beyond exerts, from what holds the start and presses before.
    pub(super) fn internal(&self, s: f64) -> Vec3 {
        let held = self.report.as_ref().map_or_else(Vec3::zeros, |r| r.reactions[0].force);
        let pressed: Vec3 = self.contacts().iter().filter(|c| c.s < s).map(|c| c.force).sum();
        -(held + pressed)
    }

    /// Tangent at `s`.
    pub(super) fn tangent(&self, s: f64) -> Vec3 {
        rotation::tangent(&self.rod().station(self.shape(), s).frame)
    }

    /// Place at `s`, m.
    pub(super) fn at(&self, s: f64) -> Vec3 {
        self.rod().station(self.shape(), s).position
    }

    /// What holds whatever the contact: centreline and tangents, overlap with the obstacles, complementarity.
    pub(super) fn compare(
        &self,
        samples: Option<&Samples>,
        gap: &dyn Fn(&Vec3) -> f64,
        out: &mut Vec<Quantity>,
    ) {
        if let Some(samples) = samples {
            samples.compare_within(self.rod(), self.shape(), tolerance::contact::CENTRELINE, out);
        }
        let (length, looks) = (self.length(), LOOKS * (self.length() / self.spacing).round() as usize);
        let at = |k: usize| self.rod().station(self.shape(), length * k as f64 / looks as f64).position;
        let own = (0..=looks).map(|k| -gap(&at(k))).fold(0.0, worse);
        let told = self.report.as_ref().map_or(f64::NAN, |r| r.penetration);
        let overlap = worse(own, told) / length;
        out.push(Quantity::new("penetration", overlap, tolerance::contact::PENETRATION).unordered());
        let total: f64 = self.solved().iter().map(|c| c.force.norm()).sum();
        let miss = |c: &Contact| (c.gap.abs() / length).min(c.force.norm() / total);
        let missed = self.solved().iter().map(miss).fold(0.0, worse);
        out.push(Quantity::new("complementarity", missed, tolerance::contact::COMPLEMENTARITY).unordered());
        // All that is rough here is one obstacle.
        let friction = self.network.obstacles.iter().map(|o| o.friction).fold(0.0, f64::max);
        if friction > 0.0 {
            let beyond = |c: &Contact| {
                let normal = pressing(c);
                ((c.force - c.normal * normal).norm() - friction * normal) / (friction * total)
            };
            let beyond = self.solved().iter().map(beyond).fold(0.0, worse);
            out.push(Quantity::new("cone", beyond, tolerance::contact::COMPLEMENTARITY).unordered());
        }
    }

    /// Makes the obstacles rough, from the shape at hand.
    pub(super) fn roughen(&mut self, friction: f64) {
        self.network.obstacles.iter_mut().for_each(|obstacle| obstacle.friction = friction);
        self.renew();
    }

    /// Whether all that presses slides.
    pub(super) fn slides(&self) -> bool {
        let list = self.contacts();
        !list.is_empty() && list.iter().all(|c| c.state == ContactState::Slip)
    }

    /// A place of contact, as the tolerances measure it: what is allowed falls with the mesh, and shows the order.
    pub(super) fn place(&self, name: &'static str, found: f64, reference: f64) -> Quantity {
        let allowed = (2.0 * self.spacing / self.length()).min(tolerance::contact::PLACE);
        Quantity::new(name, (found - reference).abs() / self.length(), allowed).unordered()
    }
}
