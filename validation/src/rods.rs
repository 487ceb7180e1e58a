//! Rods, meshes and ends as the reference cases ask for them.

use crate::field::{Field, FieldError};
use crate::judge::Nominal;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod, Strain};
use flexline::rod::spline::{self, SplineRod};
use flexline::rod::{AnyRod, Rod, RodState, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::{Pose, State};
use flexline::solver::{Problem, statics};

/// A rod model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Model {
    /// Nodes and frames, with a strain between them.
    Chain(Strain),
    /// Curvatures of elements.
    Curvature(Basis),
    /// Control points and twists.
    Spline,
}

impl Model {
    #[cfg(test)]
    pub(crate) const MIXED: Self = Self::Chain(Strain::Mixed);

    /// The model of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        match name {
            "helix" => Some(Self::Curvature(Basis::Helix)),
            "clothoid" => Some(Self::Curvature(Basis::Clothoid)),
            "spline" => Some(Self::Spline),
            _ => Strain::ALL.into_iter().find(|s| s.model() == name).map(Self::Chain),
        }
    }

    /// The order that it must show.
    pub(crate) fn order(self) -> Nominal {
        match self {
            Self::Chain(_) | Self::Curvature(Basis::Helix) => {
                Nominal { order: 2.0, or_better: false, doublings: 1 }
            }
            Self::Curvature(Basis::Clothoid) => Nominal { order: 3.0, or_better: true, doublings: 1 },
            Self::Spline => Nominal { order: 2.0, or_better: true, doublings: 1 },
        }
    }

    /// Segments or elements at most.
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Chain(_) => 800,
            Self::Curvature(Basis::Helix) => 200,
            Self::Curvature(Basis::Clothoid) => 60,
            Self::Spline => spline::MAX_ELEMENTS,
        }
    }

    /// Segments or elements to try unless asked otherwise.
    pub(crate) fn ladder(self) -> &'static [usize] {
        match self {
            Self::Chain(_) => &[25, 50, 100, 200, 400, 800],
            Self::Curvature(Basis::Helix) => &[12, 25, 50, 100, 140, 200],
            Self::Curvature(Basis::Clothoid) => &[4, 8, 15, 30, 60],
            Self::Spline => &[8, 15, 30, 60, 120],
        }
    }
}

/// What a case is solved with: a model, and how finely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    /// The model.
    pub(crate) model: Model,
    /// Segments or elements.
    pub(crate) n: usize,
}

/// A uniform rod, as a case describes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uniform {
    /// m.
    pub(crate) length: f64,
    /// K1, K2, K0, N m².
    pub(crate) stiffness: Vec3,
    /// Mass per length, kg/m.
    pub(crate) density: f64,
}

/// A weight per length as a mass per length in a gravity: whatever the case says of either, only
/// their product matters.
pub(crate) fn weight(force_per_length: &Vec3) -> (f64, Vec3) {
    const GRAVITY: f64 = 9.81;
    let size = force_per_length.norm();
    if size > 0.0 { (size / GRAVITY, force_per_length * (GRAVITY / size)) } else { (0.0, Vec3::zeros()) }
}

impl Uniform {
    /// Reads L; K1, K2, K0 or EI; linear_density where there is one.
    pub(crate) fn read(params: &Field) -> Result<Self, FieldError> {
        let length = params.positive("L")?;
        let (k1, k2) = if params.find("K1").is_some() || params.find("EI").is_none() {
            (params.positive("K1")?, params.positive("K2")?)
        } else {
            let ei = params.positive("EI")?;
            (ei, ei)
        };
        // Planar cases do not need the torsional stiffness.
        let k0 = if params.find("K0").is_some() { params.positive("K0")? } else { k1.min(k2) };
        let density = params.maybe_number("linear_density")?.unwrap_or(0.0);
        Ok(Self { length, stiffness: Vec3::new(k1, k2, k0), density })
    }

    /// The rod of a model on a mesh, with a rest strain.
    pub(crate) fn build(
        &self,
        model: Model,
        mesh: &Mesh,
        rest: &dyn Fn(f64) -> Vec3,
    ) -> Result<AnyRod, String> {
        let [k1, k2, k0] = [self.stiffness.x, self.stiffness.y, self.stiffness.z];
        // No case has contact: the radius does not matter.
        let measured =
            Section::measured(k1, k2, k0, self.density, 1e-3 * self.length).map_err(|e| e.to_string())?;
        // The reference rods have no rotary inertia.
        let section = Section { rotary_inertia: Vec3::zeros(), ..measured };
        let section = SectionProfile::uniform(section);
        match model {
            Model::Chain(strain) => Ok(MixedRod::new(mesh, &section, rest).with_strain(strain).into()),
            Model::Curvature(basis) => CurvatureRod::with_elements(basis, mesh.nodes(), &section, rest)
                .map(Into::into)
                .map_err(|e| e.to_string()),
            Model::Spline => SplineRod::with_elements(mesh.nodes(), &section, rest)
                .map(Into::into)
                .map_err(|e| e.to_string()),
        }
    }

    /// The rod with equal segments, straight at rest.
    pub(crate) fn straight(&self, grid: Grid) -> Result<AnyRod, String> {
        self.build(grid.model, &self.mesh(grid.n)?, &|_| Vec3::zeros())
    }

    /// A mesh of equal segments.
    pub(crate) fn mesh(&self, n: usize) -> Result<Mesh, String> {
        Mesh::uniform(self.length, n).map_err(|e| e.to_string())
    }

    /// Thickness of the layer in which a tension straightens the rod: √(K/T), with the softer K.
    pub(crate) fn layer(&self, tension: f64) -> f64 {
        layer(self.stiffness.x.min(self.stiffness.y), tension)
    }
}

/// A mesh of `n` segments graded towards layers at both ends.
pub(crate) fn graded(length: f64, n: usize, layers: [f64; 2]) -> Result<Mesh, String> {
    Mesh::graded(length, n, layers).map_err(|e| e.to_string())
}

/// A mesh of `n` segments, each with the same share of a function that increases from s = 0 to L:
/// the derivative of the function is the density of nodes, whatever n.
pub(crate) fn shared(length: f64, n: usize, cumulative: &dyn Fn(f64) -> f64) -> Result<Mesh, String> {
    let (first, last) = (cumulative(0.0), cumulative(length));
    let mut nodes = vec![0.0];
    for i in 1..n {
        let target = first + (last - first) * i as f64 / n as f64;
        let (mut lo, mut hi) = (0.0, length);
        for _ in 0..100 {
            let mid = 0.5 * (lo + hi);
            if cumulative(mid) < target { lo = mid } else { hi = mid }
        }
        nodes.push(0.5 * (lo + hi));
    }
    nodes.push(length);
    Mesh::from_nodes(nodes).map_err(|e| e.to_string())
}

/// √(K/T), or a thickness beyond any rod where there is no tension.
pub(crate) fn layer(stiffness: f64, tension: f64) -> f64 {
    if tension > 0.0 { (stiffness / tension).sqrt() } else { f64::INFINITY }
}

/// Reads a pose {"r", "q"}.
pub(crate) fn pose(field: &Field) -> Result<Pose, FieldError> {
    Ok(Pose { position: field.vec3("r")?, orientation: field.get("q")?.as_quat()? })
}

/// Reads a rest strain u0(s) = a + b s; none is straight.
pub(crate) fn rest_strain(params: &Field) -> Result<(Vec3, Vec3), FieldError> {
    let Some(rest) = params.find("rest") else { return Ok((Vec3::zeros(), Vec3::zeros())) };
    let constant = rest.maybe_vec3("a")?.unwrap_or_else(Vec3::zeros);
    let slope = rest.maybe_vec3("b")?.unwrap_or_else(Vec3::zeros);
    Ok((constant, slope))
}

/// The force per length on the rod: cases state it, or linear_density and gravity.
pub(crate) fn force_per_length(params: &Field, density: f64) -> Result<Vec3, FieldError> {
    if let Some(force) = params.maybe_vec3("force_per_length")? {
        return Ok(force);
    }
    let gravity = match params.maybe_vec3("gravity")? {
        Some(gravity) => gravity,
        None => Vec3::new(0.0, 0.0, -params.maybe_number("g")?.unwrap_or(0.0)),
    };
    Ok(density * gravity)
}

/// The state of a stress-free rod that starts at `pose`.
pub(crate) fn at_rest(problem: &Problem, pose: &Pose) -> State {
    let start = Station { position: pose.position, frame: pose.orientation };
    State::new(problem.rod.rest_state(&start), problem.ends)
}

/// The straight state from `pose`, twisted evenly by `twist` rad in all, for the rod of `problem`.
pub(crate) fn straight_twisted(
    problem: &Problem,
    uniform: &Uniform,
    grid: Grid,
    pose: &Pose,
    twist: f64,
) -> Result<State, String> {
    // A rod whose rest twist is that twist is straight, and twisted, at rest.
    let rest = |_| Vec3::new(0.0, 0.0, twist / uniform.length);
    let twisted = uniform.build(grid.model, &uniform.mesh(grid.n)?, &rest)?;
    let rod = twisted.rest_state(&Station { position: pose.position, frame: pose.orientation });
    Ok(State::new(rod, problem.ends))
}

/// A pose at the origin with tangent along `tangent` and d1 near `d1`.
pub(crate) fn from_origin(tangent: &Vec3, d1: &Vec3) -> Pose {
    Pose { position: Vec3::zeros(), orientation: rotation::frame(tangent, d1) }
}

/// Largest rotation of a frame between two states, rad.
pub(crate) fn largest_turn(rod: &AnyRod, a: &RodState, b: &RodState) -> f64 {
    let frame = |state: &RodState, s: f64| rod.station(state, s).frame;
    rod.arcs().iter().map(|&s| rotation::angle_between(&frame(a, s), &frame(b, s))).fold(0.0, f64::max)
}

/// Largest distance of a node from the plane through the first node with the given unit normal.
pub(crate) fn out_of_plane(rod: &AnyRod, state: &RodState, normal: &Vec3) -> f64 {
    let at = |s: f64| rod.station(state, s).position;
    let origin = at(0.0);
    rod.arcs().iter().map(|&s| (at(s) - origin).dot(normal).abs()).fold(0.0, f64::max)
}

/// Internal force and moment at both ends in the convention of the cases: what the part beyond s
/// exerts on the part before, n_0, m_0, n_L, m_L, from the support reactions.
pub(crate) fn end_wrenches(report: &flexline::solver::network::NetworkReport) -> [Vec3; 4] {
    let [start, end] = [0, 1].map(|k| report.support(k));
    [-start.force, -start.moment, end.force, end.moment]
}

/// The lowest point of the centreline.
pub(crate) fn lowest_point(rod: &AnyRod, state: &RodState) -> Vec3 {
    let at = |s: f64| rod.station(state, s).position;
    let nodes = rod.arcs();
    let lowest = (0..nodes.len()).min_by(|&i, &j| at(nodes[i]).z.total_cmp(&at(nodes[j]).z)).unwrap_or(0);
    // Golden section between the neighbours.
    let (mut a, mut b) = (nodes[lowest.saturating_sub(1)], nodes[(lowest + 1).min(nodes.len() - 1)]);
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    while b - a > 1e-10 * rod.length() {
        let (c, d) = (b - golden * (b - a), a + golden * (b - a));
        if at(c).z < at(d).z { b = d } else { a = c }
    }
    let (inside, node) = (at(0.5 * (a + b)), at(nodes[lowest]));
    if inside.z < node.z { inside } else { node }
}

/// Angle of the tangent at `s` to the given unit vector, rad.
pub(crate) fn angle_to(rod: &AnyRod, state: &RodState, s: f64, tangent: &Vec3) -> f64 {
    let t = rotation::tangent(&rod.station(state, s).frame);
    t.cross(tangent).norm().atan2(t.dot(tangent))
}

/// Solver settings for references: no eigenvalues.
pub(crate) fn settings() -> statics::Settings {
    statics::Settings::interactive()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_meshes_follow_the_density_and_nest() {
        // Density 1 + 9 exp(−s/0.1) up to a factor.
        let cumulative = |s: f64| s - 0.9 * (-s / 0.1).exp();
        let [coarse, fine] = [50, 100].map(|n| shared(1.5, n, &cumulative).unwrap());
        for (i, s) in coarse.nodes().iter().enumerate() {
            assert!((s - fine.nodes()[2 * i]).abs() < 1e-12);
        }
        let first = fine.nodes()[1] - fine.nodes()[0];
        let last = fine.nodes()[100] - fine.nodes()[99];
        assert!((last / first - 10.0).abs() < 1.0, "{}", last / first);
    }

    #[test]
    fn weights_keep_their_product() {
        let force = Vec3::new(0.3, 0.0, -0.4);
        let (density, gravity) = weight(&force);
        assert!((density * gravity - force).norm() < 1e-16 && density > 0.0);
        assert_eq!(weight(&Vec3::zeros()), (0.0, Vec3::zeros()));
    }
}
