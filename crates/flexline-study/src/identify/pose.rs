//! One pose: its equilibrium for some values of the unknowns, how far the measured points are from it, and how that changes.

use super::points::{Measured, Point};
use super::unknown::{self, Unknown};
use crate::base::{Base, StudyError, from, settings, solved};
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::Status;
use flexline::solver::network::{NetworkState, NoDerivative, Tangents};
use flexline_scene::{Compiled, Scene};
use flexline_session::derivative::station;
use flexline_session::session::Solved;

/// A point this share of the length beyond an end of its cable is still beside it, on its tangent there: what is measured of a
/// fitting or by chance beyond the end says nothing about the length.
const BEYOND: f64 = 0.02;
/// Half of the change of a coordinate of the search for a derivative; in coordinates 1 is a large change.
const STEP: f64 = 1e-4;
/// Where that is too much, a tenth and a hundredth of it are tried.
const STEPS: [f64; 3] = [1.0, 0.1, 0.01];
/// Half of the change where there is no derivative, and problems are solved again.
const DIFFERENCE: f64 = 1e-3;
/// How far a point is off in a photograph that it is behind, px.
const BEHIND: f64 = 1e6;
/// The longest step towards a foot point in a photograph, as a share of the length: where the cable is seen end on, steps are wild.
const LONGEST: f64 = 0.05;
/// Half of the piece over which a tangent is taken, and how near a foot point is found, shares of the length.
const HALF: f64 = 1e-6;
const NEAR: f64 = 1e-11;
/// Steps in which a foot point is found; it converges by the distance over the radius of the bend.
const FOOT_STEPS: usize = 40;

/// A pose and what was measured in it.
pub(super) struct Pose {
    /// What messages call it.
    pub name: String,
    pub base: Base,
    pub scene: Scene,
    pub points: Vec<Point>,
    /// The cable that each point is of.
    pub cables: Vec<usize>,
    /// Its place among the poses.
    pub index: usize,
    /// Something done to the compiled scene before it is solved, as when another pose is tried.
    pub change: Option<Change>,
}

/// A change of a compiled scene.
pub(super) type Change = std::sync::Arc<dyn Fn(&mut Compiled) + Send + Sync>;

/// One number that should be zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its value: the measured less the solved, m or px.
    pub value: f64,
    /// Minus its derivative by the place of the cable there.
    pub along: Vec3,
}

/// Where a measured point belongs to on its cable.
#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// The arc length, m; a little beyond the ends is possible.
    pub s: f64,
    /// The place on the cable.
    pub at: Vec3,
    /// The direction of the cable there.
    pub tangent: Vec3,
    /// What should be zero.
    pub rows: Vec<Row>,
}

impl Foot {
    /// How far the point is off, m or px.
    pub fn distance(&self) -> f64 {
        self.rows.iter().map(|row| row.value * row.value).sum::<f64>().sqrt()
    }
}

/// How the places of all feet change with one unknown; none where a pose does not have it.
pub type Column = Option<Vec<Vec3>>;

/// A cable of a solution.
struct Curve<'a> {
    compiled: &'a Compiled,
    state: &'a NetworkState,
    cable: usize,
    length: f64,
}

impl<'a> Curve<'a> {
    fn new(compiled: &'a Compiled, state: &'a NetworkState, cable: usize) -> Self {
        Self { compiled, state, cable, length: compiled.length_now(state, cable) }
    }

    /// A place on the cable.
    fn on(&self, s: f64) -> Vec3 {
        station(self.compiled, self.state, self.cable, s).position
    }

    /// Place and tangent at an arc length; straight on beyond the ends. The tangent is that of the centreline, from which that of the
    /// frames of chains differs by the order of their scheme: only across it is a distance least.
    fn at(&self, s: f64) -> (Vec3, Vec3) {
        let inside = s.clamp(0.0, self.length);
        let half = HALF * self.length;
        let way = self.on((inside + half).min(self.length)) - self.on((inside - half).max(0.0));
        let tangent = way.normalize();
        (self.on(inside) + tangent * (s - inside), tangent)
    }

    /// The place alone.
    fn place(&self, s: f64) -> Vec3 {
        if (0.0..=self.length).contains(&s) { self.on(s) } else { self.at(s).0 }
    }
}

impl Pose {
    /// The scene with values of the unknowns, compiled.
    pub fn compiled(&self, unknowns: &[Unknown], values: &[f64]) -> Result<(Scene, Compiled), StudyError> {
        let scene = unknown::posed(&self.base, &self.scene, self.index, unknowns, values)?;
        let mut compiled = scene.compile_even_short()?;
        unknown::put(&mut compiled, self.index, unknowns, values);
        if let Some(change) = &self.change {
            change(&mut compiled);
        }
        Ok((scene, compiled))
    }

    /// Whether where it comes to rest depends on the way there.
    fn has_friction(compiled: &Compiled) -> bool {
        let network = &compiled.network;
        network.obstacles.iter().any(|own| own.friction > 0.0)
            || network.slides.iter().any(|own| own.friction > 0.0)
            || network.spans.iter().any(|own| own.friction > 0.0)
    }

    /// The equilibrium for values of the unknowns, from that for others; with friction always from where the scene begins, so that
    /// it depends on the values alone. The text says why there is none.
    pub fn reach(
        &self,
        unknowns: &[Unknown],
        values: &[f64],
        before: Option<&Solved>,
    ) -> Result<Result<Solved, String>, StudyError> {
        let (scene, compiled) = match self.compiled(unknowns, values) {
            Ok(found) => found,
            // Values between good ones may be none that a scene can have.
            Err(error) if before.is_some() => return Ok(Err(error.to_string())),
            Err(error) => return Err(error),
        };
        let settings = settings(&compiled);
        if let Some(before) = before.filter(|_| !Self::has_friction(&compiled)) {
            let solution = from(&scene, &compiled, before.shape_for(&compiled), &settings)?;
            if solution.report.status == Status::Converged {
                return Ok(Ok(solved(scene, compiled, solution)));
            }
        }
        let solution = compiled.solve(&settings).map_err(|error| scene.locate(&error))?;
        if solution.report.status == Status::Converged {
            return Ok(Ok(solved(scene, compiled, solution)));
        }
        Ok(Err(compiled.ending_with_troubles(&solution.report)))
    }

    /// The nearest places of the cables to all points.
    pub fn feet(&self, solved: &Solved) -> Vec<Foot> {
        let (compiled, solution) = (&solved.compiled, &solved.solution);
        let nodes: Vec<Vec<(f64, Vec3)>> = solution
            .profiles
            .iter()
            .map(|profile| profile.samples.iter().map(|own| (own.s, own.position)).collect())
            .collect();
        let foot = |(point, cable): (&Point, &usize)| {
            let curve = Curve::new(compiled, &solution.state, *cable);
            match &point.at {
                Measured::Space(place) => space_foot(&curve, &nodes[*cable], place, point.arc),
                Measured::Image(place, camera) => {
                    let project = |own: &Vec3| camera.project(own);
                    image_foot(&curve, &nodes[*cable], *place, point.arc, &project)
                }
            }
        };
        self.points.iter().zip(&self.cables).map(foot).collect()
    }

    /// How the place of every foot changes with a coordinate of the search; a column for every unknown, none for those that this
    /// pose does not have. Tells where differences of problems solved again had to serve.
    pub fn slopes(
        &self,
        unknowns: &[Unknown],
        coordinates: &[f64],
        solved: &Solved,
        feet: &[Foot],
    ) -> Result<(Vec<Column>, Option<String>), String> {
        let values: Vec<f64> = unknowns.iter().zip(coordinates).map(|(own, x)| own.value(*x)).collect();
        let mut instead = None;
        let mut tangents = match Tangents::new(&solved.compiled.network, &solved.solution.state) {
            Ok(own) => Some(own),
            Err(why) => {
                instead = Some(why.to_string());
                None
            }
        };
        let mut columns = Vec::new();
        for (k, own) in unknowns.iter().enumerate() {
            if own.pose.is_some_and(|pose| pose != self.index) {
                columns.push(None);
                continue;
            }
            let side = |by: f64| {
                let mut values = values.clone();
                values[k] = own.value(coordinates[k] + by);
                values
            };
            let column = tangents.as_mut().map(|tangents| {
                let mut last = NoDerivative::Singular;
                for shorter in STEPS {
                    let h = STEP * shorter;
                    let compiled = [-h, h].map(|by| self.compiled(unknowns, &side(by)).map(|own| own.1));
                    let [Ok(below), Ok(above)] = compiled else {
                        return Err("a scene beside has mistakes".into());
                    };
                    match tangents.both_sides([&below.network, &above.network]) {
                        Ok([a, b]) => {
                            return Ok(self.moved((&below, &a.state), (&above, &b.state), feet, 2.0 * h));
                        }
                        Err(why @ (NoDerivative::Bent { .. } | NoDerivative::Touching)) => last = why,
                        Err(why) => return Err(why.to_string()),
                    }
                }
                Err(last.to_string())
            });
            let column = match column {
                Some(Ok(column)) => column,
                Some(Err(why)) => {
                    instead = Some(format!("by {}: {why}", own.name));
                    self.differences(unknowns, &side, solved, feet)?
                }
                None => self.differences(unknowns, &side, solved, feet)?,
            };
            columns.push(Some(column));
        }
        Ok((columns, instead))
    }

    /// The same by solving again on both sides.
    fn differences(
        &self,
        unknowns: &[Unknown],
        side: &dyn Fn(f64) -> Vec<f64>,
        solved: &Solved,
        feet: &[Foot],
    ) -> Result<Vec<Vec3>, String> {
        let reach = |by: f64| {
            let found = self.reach(unknowns, &side(by), Some(solved)).map_err(|error| error.to_string())?;
            found.map_err(|why| format!("no equilibrium beside: {why}"))
        };
        let (below, above) = (reach(-DIFFERENCE)?, reach(DIFFERENCE)?);
        let of = |own: &Solved| (own.compiled.clone(), own.solution.state.clone());
        let (a, b) = (of(&below), of(&above));
        Ok(self.moved((&a.0, &a.1), (&b.0, &b.1), feet, 2.0 * DIFFERENCE))
    }

    fn moved(
        &self,
        below: (&Compiled, &NetworkState),
        above: (&Compiled, &NetworkState),
        feet: &[Foot],
        width: f64,
    ) -> Vec<Vec3> {
        let of = |(foot, cable): (&Foot, &usize)| {
            let [a, b] = [below, above].map(|own| Curve::new(own.0, own.1, *cable).place(foot.s));
            (b - a) / width
        };
        feet.iter().zip(&self.cables).map(of).collect()
    }
}

/// The nearest point of a polyline: its arc length.
fn nearest<P: Copy>(nodes: &[(f64, P)], share_and_distance: impl Fn(P, P) -> (f64, f64)) -> f64 {
    let mut best = (f64::INFINITY, 0.0);
    for pair in nodes.windows(2) {
        let (share, distance) = share_and_distance(pair[0].1, pair[1].1);
        if distance < best.0 {
            best = (distance, pair[0].0 + share * (pair[1].0 - pair[0].0));
        }
    }
    best.1
}

fn space_foot(curve: &Curve<'_>, nodes: &[(f64, Vec3)], place: &Vec3, arc: Option<f64>) -> Foot {
    if let Some(s) = arc {
        let (at, tangent) = curve.at(s);
        let off = place - at;
        let rows = [Vec3::x(), Vec3::y(), Vec3::z()].map(|along| Row { value: off.dot(&along), along });
        return Foot { s, at, tangent, rows: rows.to_vec() };
    }
    let mut s = nearest(nodes, |a: Vec3, b: Vec3| {
        let way = b - a;
        let share = ((place - a).dot(&way) / way.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (share, (place - a - way * share).norm_squared())
    });
    let ends = [-BEYOND * curve.length, (1.0 + BEYOND) * curve.length];
    let (mut at, mut tangent) = curve.at(s);
    for _ in 0..FOOT_STEPS {
        let step = (place - at).dot(&tangent);
        let new = (s + step).clamp(ends[0], ends[1]);
        let done = (new - s).abs() <= NEAR * curve.length;
        s = new;
        (at, tangent) = curve.at(s);
        if done {
            break;
        }
    }
    let across = rotation::across(&tangent);
    let off = place - at;
    let normals = [across, tangent.cross(&across)];
    let mut rows: Vec<Row> =
        normals.iter().map(|along| Row { value: off.dot(along), along: *along }).collect();
    if s <= ends[0] || s >= ends[1] {
        rows.push(Row { value: off.dot(&tangent), along: tangent });
    }
    Foot { s, at, tangent, rows }
}

type Projected = Option<([f64; 2], [Vec3; 2])>;

fn image_foot(
    curve: &Curve<'_>,
    nodes: &[(f64, Vec3)],
    place: [f64; 2],
    arc: Option<f64>,
    project: &dyn Fn(&Vec3) -> Projected,
) -> Foot {
    let projected: Vec<(f64, [f64; 2])> =
        nodes.iter().filter_map(|(s, at)| project(at).map(|(at, _)| (*s, at))).collect();
    let mut s = arc.unwrap_or_else(|| {
        nearest(&projected, |a: [f64; 2], b: [f64; 2]| {
            let (way, off) = ([b[0] - a[0], b[1] - a[1]], [place[0] - a[0], place[1] - a[1]]);
            let square = (way[0] * way[0] + way[1] * way[1]).max(f64::MIN_POSITIVE);
            let share = ((off[0] * way[0] + off[1] * way[1]) / square).clamp(0.0, 1.0);
            (share, (off[0] - share * way[0]).powi(2) + (off[1] - share * way[1]).powi(2))
        })
    });
    let ends = [-BEYOND * curve.length, (1.0 + BEYOND) * curve.length];
    let mut found = curve.at(s);
    // Off by, and how the photograph of the cable moves with the arc length; none for what is behind the camera.
    let seen = |(at, tangent): &(Vec3, Vec3)| {
        let (seen, slopes) = project(at)?;
        let off = [place[0] - seen[0], place[1] - seen[1]];
        Some((off, [slopes[0].dot(tangent), slopes[1].dot(tangent)], slopes))
    };
    for _ in 0..FOOT_STEPS {
        let Some((off, way, _)) = seen(&found).filter(|_| arc.is_none()) else { break };
        let square = (way[0] * way[0] + way[1] * way[1]).max(f64::MIN_POSITIVE);
        let step = (off[0] * way[0] + off[1] * way[1]) / square;
        let new = (s + step.clamp(-LONGEST * curve.length, LONGEST * curve.length)).clamp(ends[0], ends[1]);
        let done = (new - s).abs() <= NEAR * curve.length;
        s = new;
        found = curve.at(s);
        if done {
            break;
        }
    }
    let rows = match (seen(&found), arc) {
        (Some((off, _, slopes)), Some(_)) => {
            vec![Row { value: off[0], along: slopes[0] }, Row { value: off[1], along: slopes[1] }]
        }
        (Some((off, way, slopes)), None) => {
            let size = way[0].hypot(way[1]).max(f64::MIN_POSITIVE);
            let normal = [-way[1] / size, way[0] / size];
            let value = normal[0] * off[0] + normal[1] * off[1];
            vec![Row { value, along: slopes[0] * normal[0] + slopes[1] * normal[1] }]
        }
        (None, known) => {
            vec![Row { value: BEHIND, along: Vec3::zeros() }; if known.is_some() { 2 } else { 1 }]
        }
    };
    Foot { s, at: found.0, tangent: found.1, rows }
}
