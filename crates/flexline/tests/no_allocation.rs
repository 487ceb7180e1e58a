//! A prepared increment allocates nothing. A binary of its own, since its allocator is that of all its tests.

#![allow(unsafe_code)] // a counting allocator cannot be written without

use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::{self, MovingRod, Obstacle, PairSearch, Shape};
use flexline::geometry::darboux::{ClothoidElement, HelixElement};
use flexline::rod::curvature::{Basis, CurvatureRod};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::rod::spline::SplineRod;
use flexline::section::{Section, SectionProfile};
use flexline::solver::cone::{
    self, ConeMethod, ConeSettings, ConeSolution, ConeStatus, ConeWorkspace, Delassus,
};
use flexline::solver::network::{
    Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Slide, Span, solve_network,
};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve};
use flexline::solver::strands::{StrandMotion, StrandSettings, StrandWorkspace};
use flexline::solver::{Axes, End, PointLoad, Pose, Problem, Status};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

struct Counting;

thread_local! {
    // By thread: the harness that runs the test has its own, which allocates when it likes.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn calls() -> usize {
    CALLS.with(Cell::get)
}

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_prepared_increment_allocates_nothing() {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).unwrap();
    let mesh = Mesh::uniform(1.0, 100).unwrap();
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let pose = |x: f64, t: Vec3| Pose {
        position: Vec3::new(x, 0.0, 0.0),
        orientation: rotation::frame(&t, &Vec3::z()),
    };
    let start = End::clamped(pose(0.0, Vec3::x()));
    let end = End::clamped(pose(0.7, Vec3::new(1.0, 0.5, 0.0)));
    let mut problem = Problem::new(rod, start, end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    for axes in [Axes::World, Axes::Material] {
        problem.point_loads.push(PointLoad {
            s: 0.4,
            force: Vec3::new(0.0, 0.2, 0.0),
            moment: Vec3::new(0.0, 0.0, 0.01),
            axes,
        });
    }
    let mut state = initial_state(&problem);
    let mut ws = Workspace::new(&problem);
    let settings = Settings::interactive();
    // The first solves prepare: loads find their memory.
    for _ in 0..2 {
        problem.ends[1].position.z += 0.002;
        let report = solve(&problem, &mut state, &mut ws, &settings).unwrap();
        assert_eq!(report.status, Status::Converged);
        ws.reuse(report);
    }
    let before = calls();
    for k in 0..50 {
        problem.ends[1].position.z += 0.002;
        problem.ends[1].twist += 0.02;
        if k == 25 {
            // A larger move, so that the line search and the linear predictor have their turn.
            problem.ends[1].position.y += 0.15;
        }
        let report = solve(&problem, &mut state, &mut ws, &settings).unwrap();
        assert_eq!(report.status, Status::Converged);
        ws.reuse(report);
    }
    assert_eq!(calls() - before, 0, "allocations in prepared increments");
    networks_allocate_nothing();
    elements_allocate_nothing();
    strands_allocate_nothing();
    contacts_allocate_nothing();
    geometry_of_contact_allocates_nothing();
}

/// A branch of chains and a clothoid, a cable through an eye, and the same of splines, dragged by one port.
fn networks_allocate_nothing() {
    let section = SectionProfile::uniform(Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).unwrap());
    let mesh = Mesh::uniform(0.6, 30).unwrap();
    let chain = || MixedRod::new(&mesh, &section, &|_| Vec3::zeros());
    let clothoid = CurvatureRod::new(Basis::Clothoid, 0.6, 6, &section, &|_| Vec3::zeros()).unwrap();
    let pose = |x: f64, y: f64, t: Vec3| Pose {
        position: Vec3::new(x, y, 0.0),
        orientation: rotation::frame(&t, &Vec3::z()),
    };
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors = vec![
        Anchor::fixed(pose(0.0, 0.0, Vec3::x())),
        Anchor::loose(pose(0.5, 0.0, Vec3::x())),
        Anchor::fixed(pose(0.95, 0.2, Vec3::x())),
        Anchor::fixed(pose(0.95, -0.2, Vec3::x())),
        Anchor::fixed(pose(1.3, -0.3, Vec3::x())),
    ];
    let held = Some(Attachment::clamped(1));
    network.spans = vec![
        Span::new(chain(), Attachment::clamped(0), held),
        Span::new(clothoid, Attachment::clamped(1), Some(Attachment::clamped(2))),
        Span::new(chain(), Attachment::clamped(1), Some(Attachment::pinned(3))),
        Span::new(chain(), Attachment::pinned(3), Some(Attachment::clamped(4))),
    ];
    drag("a branch", network, 2);
    let through_an_eye = Network {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, Vec3::x())),
            Anchor { held_orientation: false, ..Anchor::fixed(pose(0.5, 0.1, Vec3::x())) },
            Anchor::fixed(pose(1.0, 0.0, Vec3::x())),
        ],
        spans: vec![
            Span::new(chain(), Attachment::clamped(0), Some(Attachment::pinned(1))),
            Span::new(chain(), Attachment::pinned(1), Some(Attachment::clamped(2))),
        ],
        slides: vec![Slide::through(0, 1, 0.0)],
        ..Network::default()
    };
    drag("a cable through an eye", through_an_eye, 2);
    let spline = || SplineRod::new(0.6, 10, &section, &|_| Vec3::new(0.5, 0.0, 0.2)).unwrap();
    let mut splines = Network {
        gravity: Vec3::new(0.0, 0.0, -9.81),
        anchors: vec![
            Anchor::fixed(pose(0.0, 0.0, Vec3::x())),
            Anchor::loose(pose(0.5, 0.0, Vec3::x())),
            Anchor::fixed(pose(0.95, 0.2, Vec3::x())),
            Anchor::fixed(pose(0.95, -0.2, Vec3::x())),
        ],
        spans: vec![
            Span::new(spline(), Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(spline(), Attachment::clamped(1), Some(Attachment::clamped(2))),
            Span::new(spline(), Attachment::clamped(1), Some(Attachment::pinned(3))),
        ],
        ..Network::default()
    };
    let force = Vec3::new(0.0, 0.1, 0.0);
    splines.spans[0].point_loads.push(PointLoad { s: 0.2, force, moment: Vec3::zeros(), axes: Axes::World });
    drag("a branch of splines", splines.clone(), 2);
    // One of them slides through an eye.
    splines.anchors[1] = Anchor { held_orientation: false, ..Anchor::fixed(pose(0.5, 0.1, Vec3::x())) };
    splines.spans.truncate(2);
    splines.anchors.truncate(3);
    splines.spans[0].end = Some(Attachment::pinned(1));
    splines.spans[1].start = Attachment::pinned(1);
    splines.spans[0].point_loads.clear();
    splines.slides = vec![Slide::through(0, 1, 0.0)];
    drag("a spline through an eye", splines, 2);
}

/// Drags an anchor; after the first moves, which prepare, nothing is allocated.
fn drag(name: &str, mut network: Network, anchor: usize) {
    let mut state = NetworkState::initial(&network);
    let mut ws = NetworkWorkspace::new(&network);
    let settings = Settings::interactive();
    let mut allocated = [0; 28];
    for allocated in &mut allocated {
        network.anchors[anchor].pose.position += Vec3::new(0.001, 0.0, 0.002);
        let before = calls();
        let report = solve_network(&network, &mut state, &mut ws, &settings).unwrap();
        assert_eq!(report.status, Status::Converged, "{name}");
        ws.reuse(report);
        *allocated = calls() - before;
    }
    assert_eq!(
        allocated[8..].iter().sum::<usize>(),
        0,
        "allocations in prepared moves of {name}: {allocated:?}"
    );
}

/// A tree of helices and clothoids steps without allocating, by recursion and with the dense matrix.
fn strands_allocate_nothing() {
    let section = SectionProfile::uniform(Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).unwrap());
    let rod = |basis| CurvatureRod::new(basis, 0.5, 6, &section, &|_| Vec3::new(4.0, 1.0, 2.0)).unwrap();
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::x(), &Vec3::z()) };
    let mut network = Network { gravity: Vec3::new(0.0, 0.0, -9.81), ..Network::default() };
    network.anchors = vec![Anchor::loose(pose), Anchor::part(pose, 0.01, Vec3::zeros())];
    network.spans = vec![
        Span::new(rod(Basis::Helix), Attachment::clamped(0), Some(Attachment::clamped(1))),
        Span::new(rod(Basis::Clothoid), Attachment::clamped(1), None),
    ];
    let settings = StrandSettings { drag: 0.1, strain_delay: 0.01, ..StrandSettings::new(0.005) };
    for ws in [StrandWorkspace::new(&network), StrandWorkspace::composite(&network)] {
        let mut ws = ws.unwrap();
        let mut motion = StrandMotion::at_rest(&network, NetworkState::initial(&network));
        let before = calls();
        for _ in 0..10 {
            assert_eq!(motion.step(&network, &mut ws, &settings).unwrap(), Status::Converged);
        }
        assert_eq!(calls() - before, 0, "allocations in steps of strands");
    }
}

/// Part of the one test of this file: a second one would run beside it and be counted.
fn elements_allocate_nothing() {
    let (a, b) = (Vec3::new(9.0, -4.0, 30.0), Vec3::new(-2.0, 25.0, 3.0));
    let clothoid = ClothoidElement::new(a, b, 1.2).unwrap();
    let helix = HelixElement::new(a, 1.2).unwrap();
    let before = calls();
    black_box((clothoid.point(1.0), clothoid.first(0.7), clothoid.second(1.1), clothoid.integrals()));
    black_box((helix.point(1.0), helix.first(0.7), helix.second(1.1), helix.integrals()));
    assert_eq!(calls() - before, 0, "allocations in elements");
}

/// Contacts of changing state solved again and again, whole and by blocks.
fn contacts_allocate_nothing() {
    let random = || cone::sample::random(20, 4.0, 0.5, 3);
    for (method, mut sample) in [
        (ConeMethod::GaussSeidel, random()),
        (ConeMethod::ConjugateSweeps, random()),
        (ConeMethod::Newton, cone::sample::wrapped(20, 2.5, 0.4, 3)),
        (ConeMethod::FixedPoint, random()),
        (ConeMethod::Bipotential, random()),
        (ConeMethod::Pyramid(6), random()),
    ] {
        let dense = sample.blocks.to_dense();
        let mut solution = ConeSolution::default();
        let mut workspace = ConeWorkspace::default();
        let mut settings = ConeSettings { method, tolerance: 1e-6, ..ConeSettings::default() };
        let mut allocated = [0; 12];
        let mut iterations = 0;
        for (round, allocated) in allocated.iter_mut().enumerate() {
            // More of them touch, then fewer.
            let share = if round % 4 < 2 { 1.1 } else { 1.0 / 1.1 };
            sample.free.iter_mut().for_each(|q| q.x *= share);
            settings.warm_start = round % 3 > 0;
            let before = calls();
            let blocks = sample.problem();
            let whole = cone::ConeProblem { delassus: Delassus::Dense(&dense), ..blocks };
            for problem in [&blocks, &whole] {
                cone::solve(problem, &mut solution, &mut workspace, &settings).unwrap();
                assert_eq!(solution.status, ConeStatus::Converged);
                iterations += solution.iterations;
            }
            *allocated = calls() - before;
        }
        assert!(iterations > 24, "{method:?}: {iterations}");
        assert_eq!(allocated[4..].iter().sum::<usize>(), 0, "{method:?}: {allocated:?}");
    }
}

/// A coil over a wavy sheet: touches, hits and pairs of segments, asked again and again.
fn geometry_of_contact_allocates_nothing() {
    let wave = |x: f64, y: f64| Vec3::new(x, y, 0.05 * (20.0 * x).sin() * (15.0 * y).cos());
    let at = |i: u32, j: u32| wave(f64::from(i) * 0.01 - 0.5, f64::from(j) * 0.01 - 0.5);
    let vertices: Vec<Vec3> = (0..101 * 101).map(|k| at(k / 101, k % 101)).collect();
    let cell = |k: u32| {
        let first = 101 * (k / 100) + k % 100;
        [[first, first + 101, first + 102], [first, first + 102, first + 1]]
    };
    let triangles: Vec<[u32; 3]> = (0..100 * 100).flat_map(cell).collect();
    let mesh = contact::Mesh::new(&vertices, &triangles).unwrap().0;
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::identity() };
    let sheet = Obstacle { shape: Shape::Mesh(mesh.into()), pose, friction: 0.0 };
    let coil = |height: f64| -> Vec<Vec3> {
        let turn = |k: i32| 0.1 * f64::from(k);
        (0..400)
            .map(|k| Vec3::new(0.3 * turn(k).cos(), 0.3 * turn(k).sin(), height + 2e-4 * f64::from(k)))
            .collect()
    };
    let mut search = PairSearch::default();
    let (mut touches, mut pairs) = (Vec::with_capacity(200), Vec::with_capacity(5000));
    let mut counts = [0; 3];
    let coils: Vec<Vec<Vec3>> = (0..200).map(|k| coil(0.07 - 3e-4 * f64::from(k))).collect();
    let mut before = 0;
    for (round, (from, to)) in coils.iter().zip(&coils[1..]).enumerate() {
        // The first rounds, in one of which the hierarchy is made anew, prepare.
        if round == 70 {
            before = calls();
        }
        for k in 0..from.len() - 1 {
            touches.clear();
            sheet.touches(from[k], from[k + 1], 0.01, &mut touches);
            counts[0] += touches.len();
            let hit = sheet.first_hit([from[k], from[k + 1]], [to[k], to[k + 1]], 0.004);
            counts[1] += usize::from(hit.is_some());
        }
        search.find(&[MovingRod { from, to, reach: 0.006, closed: false, apart: 0.1 }], &mut pairs);
        counts[2] += pairs.len();
        for [a, b] in &pairs {
            let [a, b] = [a, b].map(|of| of.segment as usize);
            let [a, b] = [[from[a], from[a + 1]], [from[b], from[b + 1]]];
            black_box((contact::segment_pair(a, b).hessian(), contact::segments_hit(a, a, b, b, 0.001)));
        }
    }
    assert_eq!(calls() - before, 0, "allocations in the geometry of contact");
    assert!(counts.iter().all(|count| *count > 100), "nothing touched, hit or met: {counts:?}");
}
