//! `flexline stress --contact`: loops of cable that are thrown about at up to a metre per frame, through a gear-box, through each
//! other, and knotted about themselves. Nothing may be entered, and what is linked or knotted stays so.
//!
//! Loops are closed, so that what must not change is a whole number whatever is led where: how often a loop goes round a shaft,
//! how often two loops are linked, which knot one is (|Δ(−1)|, 3 of a trefoil).

use super::Stress;
use crate::failure::{GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use crate::random::Random;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{Mesh as Surface, Obstacle, Shape};
use flexline::geometry::writhe::linking;
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::{Rod, State, Station};
use flexline::section::{Section, SectionProfile};
use flexline::solver::network::{Anchor, Attachment, Network, NetworkState, Span};
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline::solver::{Budget, Pose, Status};
use rayon::prelude::*;
use serde::Serialize;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Radius of the cables, m.
const RADIUS: f64 = 0.004;
/// An overlap that counts, as a share of the radius.
const ENTERED: f64 = 1e-6;
/// Farthest that something is led in a frame, m.
const FARTHEST: f64 = 1.0;
/// Time for one drag, and for the first equilibrium of a scene.
const PATIENCE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];
/// Drags of one scene before the next begins.
const PER_SCENE: u64 = 20;
/// Places of a loop that its invariants are found from, per span, and where these seem to have changed.
const PLACES: [usize; 2] = [150, 1500];
/// Half length of shafts, m: no loop reaches round their ends.
const SHAFT: f64 = 4.0;
/// Where shafts are.
const SHAFTS: [[f64; 2]; 3] = [[0.0, 0.0], [0.34, 0.05], [-0.1, 0.36]];

/// What is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Subject {
    /// A loop round a shaft of a gear-box.
    GearBox,
    /// Two loops, linked or not.
    TwoCables,
    /// A loop, knotted or not.
    OneCable,
}

impl Subject {
    const ALL: [Self; 3] = [Self::GearBox, Self::TwoCables, Self::OneCable];

    fn name(self) -> &'static str {
        match self {
            Self::GearBox => "through a gear-box",
            Self::TwoCables => "two cables",
            Self::OneCable => "one cable about itself",
        }
    }
}

/// How drags ended.
#[derive(Clone, Debug, Default, Serialize)]
struct Tally {
    drags: u64,
    converged: u64,
    /// A cable is too short for where it was led, past what is in the way.
    too_short: u64,
    /// No equilibrium was found on the way there: everything stays where it was.
    unreached: u64,
    /// The time for one drag was over.
    out_of_time: u64,
    /// What was led was refused: into the inside of something.
    refused: u64,
    /// Drags of scenes whose first equilibrium was not found.
    not_begun: u64,
    /// Overlaps above a millionth of the radius.
    penetrated: u64,
    /// Deepest overlap, as a share of the radius.
    deepest: f64,
    /// Windings, linkings or knots that are not what they were.
    changed: u64,
    /// States with a number that is not finite.
    not_finite: u64,
    /// Way of what was led, in all, m.
    way: f64,
    #[serde(skip)]
    times: Vec<f64>,
    median_ms: f64,
}

impl Tally {
    fn add(mut self, other: Self) -> Self {
        self.drags += other.drags;
        self.converged += other.converged;
        self.too_short += other.too_short;
        self.unreached += other.unreached;
        self.out_of_time += other.out_of_time;
        self.refused += other.refused;
        self.not_begun += other.not_begun;
        self.penetrated += other.penetrated;
        self.deepest = self.deepest.max(other.deepest);
        self.changed += other.changed;
        self.not_finite += other.not_finite;
        self.way += other.way;
        self.times.extend(other.times);
        self
    }

    fn finish(mut self) -> Self {
        self.times.sort_by(f64::total_cmp);
        self.median_ms = self.times.get(self.times.len() / 2).copied().unwrap_or(0.0);
        self
    }

    /// What must never be.
    fn broken(&self) -> u64 {
        self.penetrated + self.changed + self.not_finite
    }
}

/// A closed curve over 0 … 1.
type Curve = Box<dyn Fn(f64) -> Vec3>;

/// A loop along a curve, as two spans between two anchors, added to a network and its shapes.
fn add_loop(
    network: &mut Network,
    shapes: &mut Vec<flexline::rod::RodState>,
    curve: &Curve,
    segments: usize,
    held_orientation: bool,
) {
    const FINE: usize = 4000;
    let at = |i: usize| curve(i as f64 / FINE as f64);
    let mut arcs = vec![0.0];
    for i in 0..FINE {
        arcs.push(arcs[i] + (at(i + 1) - at(i)).norm());
    }
    let half = 0.5 * arcs[FINE];
    let station = |s: f64| {
        let i = arcs.partition_point(|arc| *arc <= s).clamp(1, FINE) - 1;
        let u = (i as f64 + (s - arcs[i]) / (arcs[i + 1] - arcs[i])) / FINE as f64;
        let tangent = (curve(u + 1e-5) - curve(u - 1e-5)).normalize();
        Station { position: curve(u), frame: rotation::frame(&tangent, &Vec3::new(0.1, 0.2, 1.0)) }
    };
    let first = network.anchors.len();
    for s in [0.0, half] {
        let Station { position, frame } = station(s);
        let pose = Pose { position, orientation: frame };
        network.anchors.push(Anchor { held_orientation, ..Anchor::fixed(pose) });
    }
    let section = Section::measured(1e-3, 1e-3, 8e-4, 0.05, RADIUS).expect("positive by construction");
    let mesh = Mesh::uniform(half, segments / 2).expect("positive by construction");
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    for (k, from) in [0.0, half].into_iter().enumerate() {
        shapes.push(rod.state_from(&|s| station(from + s)));
        let ends = [first + k, first + 1 - k].map(Attachment::clamped);
        let span = Span::new(rod.clone(), ends[0], Some(ends[1]));
        network.spans.push(Span { contact_radius: RADIUS, ..span });
    }
}

/// A prism over a polygon that is seen whole from its middle.
fn add_prism(
    vertices: &mut Vec<Vec3>,
    triangles: &mut Vec<[u32; 3]>,
    middle: Vec3,
    half: f64,
    outline: &[[f64; 2]],
) {
    let (first, n) = (vertices.len() as u32, outline.len() as u32);
    for z in [-half, half] {
        vertices.push(middle + Vec3::new(0.0, 0.0, z));
        vertices.extend(outline.iter().map(|[x, y]| middle + Vec3::new(*x, *y, z)));
    }
    let (low, high) = (first, first + n + 1);
    for i in 0..n {
        let (a, b) = (1 + i, 1 + (i + 1) % n);
        triangles.push([low, low + b, low + a]);
        triangles.push([high, high + a, high + b]);
        triangles.push([low + a, low + b, high + b]);
        triangles.push([low + a, high + b, high + a]);
    }
}

/// Shafts with toothed wheels on them, between two plates.
fn gear_box() -> Surface {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let ring = |n: usize, radius: &dyn Fn(usize) -> f64| -> Vec<[f64; 2]> {
        let at = |k: usize| (radius(k), TAU * k as f64 / n as f64);
        (0..n).map(at).map(|(r, angle)| [r * angle.cos(), r * angle.sin()]).collect()
    };
    let mut add = |x: f64, y: f64, z: f64, half: f64, outline: &[[f64; 2]]| {
        add_prism(&mut vertices, &mut triangles, Vec3::new(x, y, z), half, outline);
    };
    for (i, [x, y]) in SHAFTS.into_iter().enumerate() {
        add(x, y, 0.0, SHAFT, &ring(10, &|_| 0.018));
        for (k, size) in [0.09, 0.06].into_iter().enumerate() {
            let teeth = ring(48, &|k| if k % 4 < 2 { size } else { size - 0.012 });
            add(x, y, -0.18 + 0.26 * k as f64 + 0.05 * i as f64, 0.012, &teeth);
        }
    }
    Surface::new(&vertices, &triangles).expect("sound by construction").0
}

/// A scene, the same for the same seed, and what must not change in it.
struct Scene {
    network: Network,
    state: NetworkState,
    loops: usize,
    subject: Subject,
}

impl Scene {
    fn new(subject: Subject, r: &mut Random) -> Self {
        let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
        let circle = |centre: Vec3, radius: f64, tilt: f64| -> Curve {
            let turn = rotation::exp(&(Vec3::x() * tilt));
            Box::new(move |u: f64| {
                let (sin, cos) = (TAU * u).sin_cos();
                centre + rotation::rotate(&turn, &(Vec3::new(cos, sin, 0.0) * radius))
            })
        };
        let curves: Vec<Curve> = match subject {
            Subject::GearBox => {
                let surface = Shape::Mesh(Arc::new(gear_box()));
                let pose = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
                network.obstacles.push(Obstacle { shape: surface, pose, friction: 0.0 });
                let [x, y] = SHAFTS[(r.next() % 3) as usize];
                // Between the wheels of its shaft, clear of those of the others.
                vec![circle(Vec3::new(x, y, 0.5), 0.2, 0.0)]
            }
            Subject::TwoCables => {
                let apart = if r.one_in(2) { 0.22 } else { 0.8 };
                vec![circle(Vec3::zeros(), 0.25, 0.1), circle(Vec3::new(apart, 0.0, 0.02), 0.25, 1.4)]
            }
            Subject::OneCable if r.one_in(4) => vec![circle(Vec3::zeros(), 0.3, 0.3)],
            Subject::OneCable => vec![Box::new(|u: f64| {
                let t = TAU * u;
                let (x, y) = (t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos());
                Vec3::new(x, y, -(3.0 * t).sin()) * 0.08
            })],
        };
        let mut shapes = Vec::new();
        // Only places are led; a knot whose ends are free to turn as well finds no first equilibrium yet.
        let held = subject == Subject::OneCable;
        curves.iter().for_each(|curve| add_loop(&mut network, &mut shapes, curve, 80, held));
        let mut state = NetworkState::initial(&network);
        for (own, shape) in state.spans.iter_mut().zip(shapes) {
            *own = State::new(shape, own.ends);
        }
        Self { network, state, loops: curves.len(), subject }
    }

    /// The way round a loop.
    fn around(&self, state: &NetworkState, which: usize, places: usize) -> Vec<Vec3> {
        let span = |k: usize| {
            let rod = &self.network.spans[k].rod;
            let at = move |i: usize| i as f64 / places as f64 * rod.length();
            (0..places).map(move |i| rod.station(&state.spans[k].rod, at(i)).position)
        };
        span(2 * which).chain(span(2 * which + 1)).collect()
    }

    /// The whole numbers that must not change, from so many places of every span.
    fn invariants(&self, state: &NetworkState, places: usize) -> Vec<i64> {
        let around = |which: usize| self.around(state, which, places);
        match self.subject {
            Subject::GearBox => SHAFTS.iter().map(|[x, y]| turns(&around(0), *x, *y)).collect(),
            Subject::TwoCables => vec![linked(&around(0), &around(1))],
            Subject::OneCable => vec![determinant(&around(0)).round() as i64],
        }
    }

    /// The same, looked at closely where they are not what they were.
    fn invariants_since(&self, state: &NetworkState, expected: &[i64]) -> Vec<i64> {
        let found = self.invariants(state, PLACES[0]);
        if found == expected { found } else { self.invariants(state, PLACES[1]) }
    }

    /// Deepest overlap at places along the cables, m.
    fn overlap(&self, state: &NetworkState) -> f64 {
        let mut deepest = 0.0_f64;
        for (k, span) in self.network.spans.iter().enumerate() {
            let step = span.rod.length() / (4 * span.rod.segments()) as f64;
            for i in 0..=4 * span.rod.segments() {
                if let Some(near) = self.network.nearest_obstacle(state, k, i as f64 * step) {
                    deepest = deepest.max(RADIUS - near.distance);
                }
            }
        }
        let apart = self.network.nearest_spans(state);
        apart.iter().fold(deepest, |deepest, near| deepest.max(-near.gap))
    }
}

/// How often a closed polygon goes round a line along z.
fn turns(points: &[Vec3], x: f64, y: f64) -> i64 {
    let next = points.iter().cycle().skip(1);
    let angle = |(a, b): (&Vec3, &Vec3)| {
        let (u, v) = ([a.x - x, a.y - y], [b.x - x, b.y - y]);
        (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1])
    };
    (points.iter().zip(next).map(angle).sum::<f64>() / TAU).round() as i64
}

/// Where segments a … b and c … d cross as seen along z: the places on both, and how the second turns from the first.
fn crossing([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> Option<(f64, f64, f64)> {
    let cross = |u: Vec3, v: Vec3| u.x * v.y - u.y * v.x;
    let (u, v) = (b - a, d - c);
    let area = cross(u, v);
    let (s, t) = (cross(c - a, v) / area, cross(c - a, u) / area);
    ((0.0..1.0).contains(&s) && (0.0..1.0).contains(&t)).then_some((s, t, area.signum()))
}

/// The points as seen from nowhere in particular.
fn seen(points: &[Vec3]) -> Vec<Vec3> {
    let view = rotation::exp(&Vec3::new(0.31, 0.717, 0.213));
    points.iter().map(|p| rotation::rotate(&view, p)).collect()
}

/// How often two closed polygons are linked.
fn linked(one: &[Vec3], two: &[Vec3]) -> i64 {
    linking(one, two).round() as i64
}

/// |Δ(−1)| of a closed polygon. Every arc of its shadow has a colour, twice that of the upper at a crossing being the sum of
/// the lower two (R. H. Crowell, R. H. Fox, Introduction to Knot Theory, 1963).
fn determinant(points: &[Vec3]) -> f64 {
    let seen = seen(points);
    let n = seen.len();
    // Where something passes under, and what is above it there.
    let mut under: Vec<(f64, f64)> = Vec::new();
    for i in 0..n {
        for j in i + 2..n {
            let (a, b) = ([seen[i], seen[(i + 1) % n]], [seen[j], seen[(j + 1) % n]]);
            if (i, j) == (0, n - 1) {
                continue;
            }
            if let Some((s, t, _)) = crossing(a, b) {
                let (first, second) = (i as f64 + s, j as f64 + t);
                let above = a[0].lerp(&a[1], s).z > b[0].lerp(&b[1], t).z;
                under.push(if above { (second, first) } else { (first, second) });
            }
        }
    }
    under.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count = under.len();
    if count < 2 {
        return 1.0;
    }
    let arc = |at: f64| under.iter().position(|(end, _)| at < *end).unwrap_or(0);
    let mut rows = vec![vec![0.0; count]; count];
    for (k, (_, above)) in under.iter().enumerate() {
        rows[k][arc(*above)] += 2.0;
        rows[k][k] -= 1.0;
        rows[k][(k + 1) % count] -= 1.0;
    }
    rows.pop();
    rows.iter_mut().for_each(|row| row.truncate(count - 1));
    eliminated(rows).abs()
}

/// The determinant of a matrix, by elimination with pivots.
fn eliminated(mut rows: Vec<Vec<f64>>) -> f64 {
    let n = rows.len();
    let mut product = 1.0;
    for k in 0..n {
        let Some(best) = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())) else {
            return product;
        };
        rows.swap(k, best);
        let (done, rest) = rows.split_at_mut(k + 1);
        let pivot = &done[k];
        if pivot[k] == 0.0 {
            return 0.0;
        }
        product *= if best == k { pivot[k] } else { -pivot[k] };
        for row in rest {
            let share = row[k] / pivot[k];
            if share != 0.0 {
                (k..n).for_each(|c| row[c] -= share * pivot[c]);
            }
        }
    }
    product
}

/// Whether every number of a state is one.
fn is_sound(state: &NetworkState) -> bool {
    let rods = state.spans.iter().all(|span| span.rod.coordinates.iter().all(|c| c.is_finite()));
    rods && state.anchors.iter().all(|pose| pose.position.iter().all(|c| c.is_finite()))
}

/// Drags one scene about; the notes say what broke.
fn drag_scene(subject: Subject, seed: u64, drags: u64, notes: &mut Vec<String>) -> Tally {
    let mut r = Random::new(seed);
    let mut scene = Scene::new(subject, &mut r);
    let mut scratch = Scratch::new(&scene.network);
    let mut tally = Tally::default();
    let mut state = scene.state.clone();
    let expected = scene.invariants(&state, PLACES[0]);
    for step in 0..=drags {
        let before = (state.clone(), scene.network.anchors.clone());
        if step > 0 {
            // Anywhere within reach of the other side of its loop.
            let which = (r.next() as usize) % (2 * scene.loops);
            let other = scene.network.anchors[which ^ 1].pose.position;
            let reach = 0.9 * scene.network.spans[2 * (which / 2)].rod.length();
            let own = &mut scene.network.anchors[which].pose.position;
            let to = other + r.direction() * (reach * r.unit().sqrt());
            let way = to - *own;
            *own += way * (FARTHEST / way.norm().max(FARTHEST));
            tally.way += way.norm().min(FARTHEST);
        }
        let started = Instant::now();
        let network = &scene.network;
        let patience = PATIENCE[usize::from(step == 0)];
        let settings = if step == 0 { Settings::default() } else { Settings::interactive() };
        let found =
            Budget::lasting(patience).around(|| equilibrium(network, &mut state, &mut scratch, &settings));
        if step > 0 {
            tally.drags += 1;
            tally.times.push(1e3 * started.elapsed().as_secs_f64());
        }
        let status = found.as_ref().map(|report| report.status).ok();
        let sound = is_sound(&state);
        let invariants = if sound { scene.invariants_since(&state, &expected) } else { Vec::new() };
        let deepest =
            if sound && status == Some(Status::Converged) { scene.overlap(&state) / RADIUS } else { 0.0 };
        let mut note =
            |what: &str| notes.push(format!("{}, seed {seed}, drag {step}: {what}", subject.name()));
        if !sound {
            tally.not_finite += 1;
            note("a number is not finite");
        } else if invariants != expected {
            tally.changed += 1;
            note(&format!("{expected:?} became {invariants:?}, {status:?}"));
        }
        if deepest > ENTERED {
            tally.penetrated += 1;
            note(&format!("entered by {deepest:.1e} of the radius"));
        }
        tally.deepest = tally.deepest.max(deepest);
        if step > 0 {
            match status {
                Some(Status::Converged) => tally.converged += 1,
                Some(Status::TooShort) => tally.too_short += 1,
                Some(Status::OutOfTime) => tally.out_of_time += 1,
                Some(_) => tally.unreached += 1,
                None => tally.refused += 1,
            }
        }
        // What was not reached is let go where it was.
        if status != Some(Status::Converged) || invariants != expected {
            (state, scene.network.anchors) = before;
            if step == 0 {
                tally.not_begun = drags;
                note(&format!("the first equilibrium was not found: {status:?}"));
                break;
            }
        }
    }
    tally
}

/// Runs `stress --contact`.
pub fn run(args: &Stress) -> u8 {
    let scenes = args.count.div_ceil(PER_SCENE);
    let jobs: Vec<(Subject, u64)> =
        Subject::ALL.into_iter().flat_map(|subject| (0..scenes).map(move |k| (subject, k))).collect();
    let progress = Progress::new(jobs.len() as u64, "scenes");
    let results: Vec<(Subject, Tally, Vec<String>)> = jobs
        .into_par_iter()
        .map(|(subject, k)| {
            let mut notes = Vec::new();
            let drags = PER_SCENE.min(args.count - k * PER_SCENE);
            let tally = drag_scene(subject, args.seed.wrapping_add(k), drags, &mut notes);
            progress.step();
            (subject, tally, notes)
        })
        .collect();
    progress.finish();
    let all: Vec<(Subject, Tally)> = Subject::ALL
        .into_iter()
        .map(|subject| {
            let own =
                results.iter().filter(|(other, ..)| *other == subject).map(|(_, tally, _)| tally.clone());
            (subject, own.fold(Tally::default(), Tally::add).finish())
        })
        .collect();
    if args.list {
        results.iter().flat_map(|(.., notes)| notes).for_each(|note| print(&format!("{note}\n")));
    }
    let broken: u64 = all.iter().map(|(_, tally)| tally.broken()).sum();
    if args.json {
        let told: serde_json::Map<String, serde_json::Value> = all
            .iter()
            .filter_map(|(subject, tally)| {
                let name = serde_json::to_value(subject).ok()?.as_str()?.to_owned();
                Some((name, serde_json::to_value(tally).ok()?))
            })
            .collect();
        print_json(&serde_json::json!({ "contact": told, "broken": broken }));
    } else {
        let mut heads = vec![""];
        heads.extend(all.iter().map(|(subject, _)| subject.name()));
        let mut table = Table::new(&heads);
        let mut row = |name: &str, of: &dyn Fn(&Tally) -> String| {
            let cells = all.iter().map(|(_, tally)| of(tally));
            table.row(&std::iter::once(name.to_owned()).chain(cells).collect::<Vec<_>>());
        };
        row("drags", &|t| t.drags.to_string());
        row("mean way m", &|t| format!("{:.2}", t.way / t.drags.max(1) as f64));
        row("converged", &|t| t.converged.to_string());
        row("too short past what is in the way", &|t| t.too_short.to_string());
        row("not reached, left where it was", &|t| t.unreached.to_string());
        row("not reached in two seconds", &|t| t.out_of_time.to_string());
        row("refused as input", &|t| t.refused.to_string());
        row("not begun, without a first equilibrium", &|t| t.not_begun.to_string());
        row("entered by more than 1e-6 of the radius", &|t| t.penetrated.to_string());
        row("deepest, of the radius", &|t| format!("{:.1e}", t.deepest));
        row("wound, linked or knotted otherwise", &|t| t.changed.to_string());
        row("not finite", &|t| t.not_finite.to_string());
        row("median ms", &|t| format!("{:.1}", t.median_ms));
        table.print();
    }
    if broken > 0 { NO } else { GOOD }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(f: impl Fn(f64) -> Vec3, n: usize) -> Vec<Vec3> {
        (0..n).map(|i| f(TAU * i as f64 / n as f64)).collect()
    }

    #[test]
    fn loops_are_told_apart() {
        let ring = curve(|t| Vec3::new(t.cos(), t.sin(), 0.0), 100);
        let across = |x: f64| curve(move |t| Vec3::new(x + t.cos(), 0.01, t.sin()), 100);
        assert_eq!(linked(&ring, &across(1.0)).abs(), 1);
        assert_eq!(linked(&ring, &across(2.5)), 0);
        assert_eq!((turns(&ring, 0.2, 0.3), turns(&ring, 1.2, 0.3)), (1, 0));
        let trefoil = curve(
            |t| {
                let (x, y) = (t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos());
                Vec3::new(x, y, -(3.0 * t).sin())
            },
            200,
        );
        assert!((determinant(&trefoil) - 3.0).abs() < 1e-9 && (determinant(&ring) - 1.0).abs() < 1e-9);
        let eight = curve(
            |t| {
                let wide = 2.0 + (2.0 * t).cos();
                Vec3::new(wide * (3.0 * t).cos(), wide * (3.0 * t).sin(), (4.0 * t).sin())
            },
            400,
        );
        assert!((determinant(&eight) - 5.0).abs() < 1e-9, "a figure of eight: {}", determinant(&eight));
    }

    /// A loop that is moved into a shaft, or into another one, is seen to be there.
    #[test]
    fn overlaps_are_seen() {
        for (subject, by) in
            [(Subject::GearBox, Vec3::new(0.19, 0.0, 0.0)), (Subject::TwoCables, Vec3::zeros())]
        {
            let mut scene = Scene::new(subject, &mut Random::new(3));
            let mut shapes = Vec::new();
            let circle: Curve = Box::new(move |u: f64| {
                let (sin, cos) = (TAU * u).sin_cos();
                Vec3::new(SHAFTS[0][0] + 0.2 * cos, SHAFTS[0][1] + 0.2 * sin, 0.5) + by
            });
            add_loop(&mut Network::default(), &mut shapes, &circle, 80, true);
            for (k, shape) in shapes.iter().cycle().take(scene.network.spans.len()).enumerate() {
                scene.state.spans[k].rod.clone_from(shape);
            }
            assert!(scene.overlap(&scene.state) > 0.2 * RADIUS, "{subject:?}");
        }
    }

    #[test]
    fn scenes_begin_as_they_say() {
        let first = |subject| {
            let scene = Scene::new(subject, &mut Random::new(3));
            assert!(scene.overlap(&scene.state) < 0.0 + 1e-9, "{subject:?}");
            scene.invariants(&scene.state, PLACES[0])
        };
        assert_eq!(first(Subject::GearBox).iter().sum::<i64>(), 1, "round one shaft");
        let linked = (0..20).map(|seed| {
            let scene = Scene::new(Subject::TwoCables, &mut Random::new(seed));
            scene.invariants(&scene.state, PLACES[0])[0].abs()
        });
        let linked: Vec<i64> = linked.collect();
        assert!(linked.contains(&0) && linked.contains(&1) && linked.iter().all(|n| *n <= 1), "{linked:?}");
        let (surface, health) = (gear_box(), 3 * (10 * 4 + 2 * 48 * 4));
        assert_eq!(surface.triangles().len(), health);
    }
}
