use super::*;
use crate::body::{Axes, PointLoad, Pose};
use crate::rod::AnyRod;
use crate::rod::curvature::{Basis, CurvatureRod};
use crate::section::{Section, SectionProfile, Zone};
use crate::solver::network::{Anchor, Attachment, Span};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn pose(position: [f64; 3], along: [f64; 3]) -> Pose {
    Pose {
        position: Vec3::from(position),
        orientation: rotation::frame(&Vec3::from(along), &Vec3::new(0.3, 0.9, -0.2)),
    }
}

/// A strand of half a metre with a natural curl, thinner towards its end, where it is thin at once.
fn strand(basis: Basis, elements: usize, curl: f64) -> CurvatureRod {
    let thick = Section::measured(4e-3, 3e-3, 2.5e-3, 0.06, 0.006).unwrap();
    let thin = Section::measured(1e-3, 1e-3, 0.8e-3, 0.02, 0.004).unwrap();
    let thinner = Section::measured(2e-3, 2e-3, 1.6e-3, 0.04, 0.005).unwrap();
    let zones = vec![Zone::linear(0.0, 0.3, thick, thinner), Zone::constant(0.3, 0.5, thin)];
    let profile = SectionProfile::new(zones).unwrap();
    let rest = move |s: f64| Vec3::new(curl * (1.0 + s), -0.4 * curl, 0.3 * curl);
    CurvatureRod::new(basis, 0.5, elements, &profile, &rest).unwrap()
}

/// A trunk that forks at a rigid part into two twigs; what holds its root, and the bases of the three.
fn fork(root: Anchor, bases: [Basis; 3]) -> Network {
    let mut part = Anchor::part(pose([0.0, 0.0, 0.5], [0.0, 0.0, 1.0]), 0.02, Vec3::new(0.01, -0.02, 0.015));
    part.inertia = Vec3::new(2e-6, 3e-6, 4e-6);
    part.force = Vec3::new(0.03, 0.0, 0.01);
    part.moment = Vec3::new(0.001, -0.002, 0.0015);
    let mut network = Network { gravity: GRAVITY, anchors: vec![root, part], ..Network::default() };
    let fast = |on: usize, x: [f64; 3], t: [f64; 3]| Attachment::clamped(on).at(pose(x, t));
    network.spans.push(Span::new(
        strand(bases[0], 4, 3.0),
        fast(0, [0.01, 0.0, 0.0], [0.1, 0.2, 1.0]),
        Some(fast(1, [0.0, -0.01, -0.01], [0.0, 0.1, 1.0])),
    ));
    network.spans.push(Span::new(
        strand(bases[1], 3, 9.0),
        fast(1, [0.02, 0.0, 0.01], [1.0, 0.0, 0.4]),
        None,
    ));
    network.spans.push(Span::new(
        strand(bases[2], 5, -4.0),
        fast(1, [-0.01, 0.02, 0.0], [-1.0, 0.5, 0.2]),
        None,
    ));
    for (span, axes) in [(0, Axes::World), (2, Axes::Material)] {
        network.spans[span].point_loads.push(PointLoad {
            s: 0.31,
            force: Vec3::new(0.02, -0.01, 0.03),
            moment: Vec3::new(0.001, 0.002, -0.003),
            axes,
        });
    }
    network
}

/// Numbers that look like none in particular, from −1 to 1.
fn noise(seed: &mut f64) -> f64 {
    *seed = (*seed * 91.7 + 0.313).fract();
    2.0 * *seed - 1.0
}

/// Some shape in some motion.
fn stirred(network: &Network, ws: &mut StrandWorkspace) -> StrandMotion {
    let mut state = NetworkState::initial(network);
    for (span, own) in network.spans.iter().zip(&mut state.spans) {
        let start = crate::rod::Station { position: Vec3::zeros(), frame: rotation::identity() };
        own.rod = span.rod.rest_state(&start);
    }
    let mut seed = 0.37;
    let mut motion = StrandMotion::at_rest(network, state);
    for (k, span) in motion.state.spans.iter_mut().enumerate() {
        for (q, rate) in span.rod.coordinates[7..].iter_mut().zip(&mut motion.rates[k]) {
            *q += 0.5 * noise(&mut seed);
            *rate = 4.0 * noise(&mut seed);
        }
    }
    for (i, anchor) in network.anchors.iter().enumerate() {
        if anchor.held == [false; 3] && !ws.joints[i].hangs {
            motion.anchors[i] = [0, 1].map(|_| Vec3::from_fn(|_, _| noise(&mut seed)));
        }
    }
    motion.place(ws);
    motion
}

fn roots() -> [(&'static str, Anchor); 3] {
    let at = pose([0.1, -0.2, 0.3], [0.2, -0.1, 0.9]);
    let sliding = Anchor {
        held: [true, false, true],
        mass: 0.05,
        inertia: Vec3::new(1e-5, 2e-5, 3e-5),
        ..Anchor::fixed(at)
    };
    [("held", Anchor::fixed(at)), ("free", Anchor::loose(at)), ("on a rail", sliding)]
}

fn bases() -> [[Basis; 3]; 3] {
    use Basis::{Clothoid as C, Helix as H};
    [[H, H, H], [C, C, C], [C, H, C]]
}

/// Matter: (mass, length, position) of points, (inertia, frame) of slices and parts.
type Everything = (Vec<(f64, f64, Vec3)>, Vec<(Vec3, Quat)>);

/// Where all matter is, and how it is turned.
fn matter(network: &Network, motion: &StrandMotion) -> Everything {
    let (mut points, mut frames) = (Vec::new(), Vec::new());
    for (span, state) in network.spans.iter().zip(&motion.state.spans) {
        let own = span.rod.matter(&state.rod);
        points.extend(own.points.iter().map(|p| (p.mass, p.length, p.position)));
        frames.extend(own.frames);
    }
    for (anchor, pose) in network.anchors.iter().zip(&motion.state.anchors) {
        points.push((anchor.mass, 0.0, pose.position + rotation::rotate(&pose.orientation, &anchor.centre)));
        frames.push((anchor.inertia, pose.orientation));
    }
    (points, frames)
}

/// The motion with its coordinates changed by `by` times what `direction` says: root velocities, rates.
fn moved(
    motion: &StrandMotion,
    ws: &mut StrandWorkspace,
    by: impl Fn(Option<usize>, usize) -> f64,
) -> StrandMotion {
    let mut out = motion.clone();
    for (k, span) in out.state.spans.iter_mut().enumerate() {
        for (i, q) in span.rod.coordinates[7..].iter_mut().enumerate() {
            *q += by(Some(k), i);
        }
    }
    let pose = &mut out.state.anchors[0];
    pose.position += Vec3::new(by(None, 0), by(None, 1), by(None, 2));
    let turn = Vec3::new(by(None, 3), by(None, 4), by(None, 5));
    pose.orientation = rotation::exp(&turn) * pose.orientation;
    out.place(ws);
    out
}

/// The accelerations of a step satisfy d'Alembert's principle for every coordinate, with velocities, accelerations and
/// virtual displacements of all matter by differences: mass matrix, all inertial terms and all forces.
#[test]
fn accelerations_obey_the_principle_of_dalembert() {
    for (name, root) in roots() {
        for bases in bases() {
            let network = fork(root, bases);
            let mut ws = StrandWorkspace::new(&network).unwrap();
            ws.rules = element::Rules::fine();
            let motion = stirred(&network, &mut ws);
            let settings = StrandSettings {
                drag: 0.05,
                wind: Vec3::new(1.0, -2.0, 0.5),
                strain_delay: 0.01,
                ..StrandSettings::new(1e-9)
            };
            ws.led.fill([Vec3::zeros(); 2]);
            evaluate_tree(&mut ws, &motion, &settings);
            recursive::solve(&mut ws).unwrap();
            let (strands, change) = (ws.strands.clone(), ws.changes[0]);
            let along = |span: Option<usize>, i: usize, t: f64| {
                let (rate, acceleration) = match span {
                    Some(k) => (motion.rates[k][i], strands[k].change[i]),
                    None => (motion.anchors[0][i / 3][i % 3], change[i / 3][i % 3]),
                };
                rate * t + 0.5 * acceleration * t * t
            };
            let t = 2e-5;
            let at = [-2.0, -1.0, 0.0, 1.0, 2.0]
                .map(|k| matter(&network, &moved(&motion, &mut ws, |span, i| along(span, i, k * t))));
            let now = &at[2];
            // First and second derivatives in time of fourth order.
            let first = |x: [Vec3; 5]| ((x[3] - x[1]) * 8.0 - (x[4] - x[0])) / (12.0 * t);
            let second = |x: [Vec3; 5]| ((x[3] + x[1]) * 16.0 - (x[4] + x[0]) - x[2] * 30.0) / (12.0 * t * t);
            let turn = |a: &Quat, b: &Quat| rotation::log(&(b * a.conjugate()));
            let mut coordinates: Vec<(Option<usize>, usize)> = (0..6).map(|i| (None, i)).collect();
            for (k, rates) in motion.rates.iter().enumerate() {
                coordinates.extend((0..rates.len()).map(|i| (Some(k), i)));
            }
            let mut found = Vec::new();
            let mut scale = 0.0f64;
            for (span, i) in coordinates {
                if span.is_none() && ws.joints[0].held[i] {
                    continue;
                }
                let e = 1e-5;
                let [less, more] = [-e, e]
                    .map(|e| moved(&motion, &mut ws, |s, j| if (s, j) == (span, i) { e } else { 0.0 }));
                let (mut work, mut size) = (0.0, 0.0);
                let mut add = |w: f64| {
                    work += w;
                    size += w.abs();
                };
                let [a, b] = [matter(&network, &less), matter(&network, &more)];
                for p in 0..now.0.len() {
                    let (mass, length, x) = now.0[p];
                    let shift = (b.0[p].2 - a.0[p].2) / (2.0 * e);
                    // Relative to where it is now: differences of small numbers.
                    let path = std::array::from_fn(|k| at[k].0[p].2 - x);
                    add(shift.dot(&(GRAVITY - second(path))) * mass);
                    add(shift.dot(&(settings.wind - first(path))) * (settings.drag * length));
                }
                for p in 0..now.1.len() {
                    let (inertia, frame) = now.1[p];
                    let tilt = turn(&a.1[p].1, &b.1[p].1) / (2.0 * e);
                    // In material axes: I Ω̇ + Ω × I Ω. The rotation vector from now has the derivatives Ω and Ω̇.
                    let back = |v: Vec3| rotation::rotate(&frame.conjugate(), &v);
                    let path = std::array::from_fn(|k| back(turn(&frame, &at[k].1[p].1)));
                    let (spin, angular) = (first(path), second(path));
                    let torque = inertia.component_mul(&angular) + spin.cross(&inertia.component_mul(&spin));
                    add(-back(tilt).dot(&torque));
                }
                for (k, s) in network.spans.iter().enumerate() {
                    let energy = |m: &StrandMotion| s.rod.energy(&m.state.spans[k].rod);
                    add(-(energy(&more) - energy(&less)) / (2.0 * e));
                    // τ K q̇ by the change of the elastic forces along the rates.
                    let energy_at = |sign: f64, by: f64| {
                        let m = moved(&motion, &mut ws.clone(), |s, j| {
                            let own = if (s, j) == (span, i) { sign } else { 0.0 };
                            own + if s.is_some() { along(s, j, by) } else { 0.0 }
                        });
                        s.rod.energy(&m.state.spans[k].rod)
                    };
                    if span == Some(k) {
                        let d = 1e-2;
                        let by = 1e-3;
                        let mixed = (energy_at(d, by) - energy_at(-d, by) - energy_at(d, -by)
                            + energy_at(-d, -by))
                            / (4.0 * d * by);
                        add(-settings.strain_delay * mixed);
                    }
                    for load in &s.point_loads {
                        let at = |m: &StrandMotion| s.rod.station(&m.state.spans[k].rod, load.s);
                        let (x, y, now) = (at(&less), at(&more), at(&motion));
                        let follow = |v: &Vec3| match load.axes {
                            Axes::World => *v,
                            Axes::Material => rotation::rotate(&now.frame, v),
                        };
                        add(follow(&load.force).dot(&(y.position - x.position)) / (2.0 * e));
                        add(follow(&load.moment).dot(&turn(&x.frame, &y.frame)) / (2.0 * e));
                    }
                }
                for (k, anchor) in network.anchors.iter().enumerate() {
                    let [x, y] = [&less, &more].map(|m| m.state.anchors[k]);
                    add(anchor.force.dot(&(y.position - x.position)) / (2.0 * e));
                    add(anchor.moment.dot(&turn(&x.orientation, &y.orientation)) / (2.0 * e));
                }
                scale = scale.max(size);
                found.push(work);
            }
            let off = found.iter().fold(0.0f64, |m, w| m.max(w.abs()));
            assert!(off < 1e-7 * scale, "{name} {bases:?}: {off:e} of {scale:e}");
        }
    }
}

/// The recursion finds what the dense matrix finds: held, free and partly held roots, trees, helices and clothoids.
#[test]
fn the_recursion_agrees_with_the_composite_matrix() {
    let settings = StrandSettings {
        drag: 0.05,
        wind: Vec3::new(1.0, -2.0, 0.5),
        strain_delay: 0.003,
        ..StrandSettings::new(0.01)
    };
    for (name, root) in roots() {
        for bases in bases() {
            let network = fork(root, bases);
            let mut one = StrandWorkspace::new(&network).unwrap();
            let mut other = StrandWorkspace::composite(&network).unwrap();
            let begin = stirred(&network, &mut one);
            let [mut a, mut b] = [begin.clone(), begin];
            for _ in 0..3 {
                assert_eq!(a.step(&network, &mut one, &settings).unwrap(), Status::Converged);
                assert_eq!(b.step(&network, &mut other, &settings).unwrap(), Status::Converged);
                let pairs =
                    one.strands.iter().zip(&other.strands).flat_map(|(a, b)| a.change.iter().zip(&b.change));
                let roots =
                    one.changes[0].iter().zip(&other.changes[0]).flat_map(|(a, b)| a.iter().zip(b.iter()));
                let (mut off, mut size) = (0.0f64, 0.0f64);
                for (a, b) in pairs.chain(roots) {
                    (off, size) = (off.max((a - b).abs()), size.max(a.abs()));
                }
                assert!(off < 1e-11 * size, "{name} {bases:?}: {off:e} of {size:e}");
                let bears = |ws: &StrandWorkspace| (ws.beyond[0].force, ws.beyond[0].torque);
                let ((f, t), (g, u)) = (bears(&one), bears(&other));
                assert!(
                    (f - g).norm() < 1e-10 * size && (t - u).norm() < 1e-10 * size,
                    "{name} {bases:?}: {f} {g}"
                );
            }
        }
    }
}

fn hanging(basis: Basis, n: usize, curly: bool) -> Network {
    let (section, rest, along) = if curly {
        let k = 0.01 * 9.81 / 400.0;
        let rest = Vec3::new(0.2f64.cos(), 0.0, 0.2f64.sin()) * (10.0 * std::f64::consts::PI);
        (
            Section::measured(k, k, 0.8 * k, 0.01, 0.001).unwrap(),
            rest,
            rotation::between(&rest.normalize(), &-Vec3::z()),
        )
    } else {
        let section = Section::measured(0.02, 0.02, 0.016, 0.1, 0.002).unwrap();
        (section, Vec3::zeros(), rotation::frame(&Vec3::x(), &Vec3::y()))
    };
    let rod = CurvatureRod::new(basis, 1.0, n, &SectionProfile::uniform(section), &|_| rest).unwrap();
    let mut network = Network { gravity: GRAVITY, ..Network::default() };
    network.anchors.push(Anchor::fixed(Pose { position: Vec3::zeros(), orientation: along }));
    network.spans.push(Span::new(AnyRod::from(rod), Attachment::clamped(0), None));
    network
}

/// Linear and angular momentum about the origin, by differences.
fn momentum(network: &Network, motion: &StrandMotion, ws: &mut StrandWorkspace) -> [Vec3; 2] {
    let e = 1e-5;
    let [a, b] = [-e, e].map(|e| {
        matter(
            network,
            &moved(motion, ws, |span, i| {
                e * match span {
                    Some(k) => motion.rates[k][i],
                    None => motion.anchors[0][i / 3][i % 3],
                }
            }),
        )
    });
    let mut placed = motion.clone();
    placed.place(ws);
    let now = matter(network, &placed);
    let mut sum = [Vec3::zeros(); 2];
    for p in 0..now.0.len() {
        let (mass, _, x) = now.0[p];
        let own = (b.0[p].2 - a.0[p].2) * (mass / (2.0 * e));
        sum[0] += own;
        sum[1] += x.cross(&own);
    }
    for p in 0..now.1.len() {
        let (inertia, frame) = now.1[p];
        let spin = rotation::log(&(b.1[p].1 * a.1[p].1.conjugate())) / (2.0 * e);
        let own = rotation::rotate(&frame.conjugate(), &spin).component_mul(&inertia);
        sum[1] += rotation::rotate(&frame, &own);
    }
    sum
}

/// What nothing holds keeps its momentum but for the error of the step, which is of first order.
#[test]
fn a_free_tree_keeps_its_momentum() {
    for bases in bases() {
        let mut network = fork(roots()[1].1, bases);
        network.gravity = Vec3::zeros();
        network.anchors[1].force = Vec3::zeros();
        network.anchors[1].moment = Vec3::zeros();
        network.spans.iter_mut().for_each(|s| s.point_loads.clear());
        let mut ws = StrandWorkspace::new(&network).unwrap();
        let begin = stirred(&network, &mut ws);
        let first = momentum(&network, &begin, &mut ws);
        let drifts = [4e-4, 2e-4].map(|h| {
            let mut motion = begin.clone();
            let settings = StrandSettings { strain_delay: 2e-3, ..StrandSettings::new(h) };
            while motion.time < 0.04 - 0.5 * h {
                assert_eq!(motion.step(&network, &mut ws, &settings).unwrap(), Status::Converged);
            }
            let last = momentum(&network, &motion, &mut ws);
            [0, 1].map(|k| (last[k] - first[k]).norm() / first[k].norm())
        });
        for k in 0..2 {
            let ratio = drifts[0][k] / drifts[1][k];
            assert!(drifts[1][k] < 0.02 && (1.7..2.4).contains(&ratio), "{bases:?}: {drifts:?}");
        }
    }
}

/// Squared frequencies about the straight shape, by the accelerations that unit curvatures cause.
fn squared_frequencies(network: &Network) -> Vec<f64> {
    let mut ws = StrandWorkspace::new(network).unwrap();
    let rest = StrandMotion::at_rest(network, NetworkState::initial(network));
    let n = rest.rates[0].len();
    let mut matrix = nalgebra::DMatrix::zeros(n, n);
    for i in 0..n {
        let mut motion = rest.clone();
        motion.state.spans[0].rod.coordinates[7 + i] += 1e-6;
        evaluate_tree(&mut ws, &motion, &StrandSettings::new(1e-12));
        recursive::solve(&mut ws).unwrap();
        for j in 0..n {
            matrix[(j, i)] = -ws.strands[0].change[j] / 1e-6;
        }
    }
    let mut found: Vec<f64> = matrix.complex_eigenvalues().iter().map(|e| e.re).collect();
    found.sort_by(f64::total_cmp);
    found
}

/// The first frequencies of a clamped rod are those of Euler and Bernoulli, (βL)² √(K/μL⁴), twice each; the first
/// of torsion is π/2L √(K₃/ρI₃).
#[test]
fn a_clamped_rod_has_its_frequencies() {
    for (basis, n, near) in [(Basis::Clothoid, 8, 2e-5), (Basis::Helix, 24, 2e-3)] {
        let mut network = hanging(basis, n, false);
        network.gravity = Vec3::zeros();
        let found = squared_frequencies(&network);
        // Slender enough that rotary inertia takes away less than 1e-5.
        for (k, beta) in [1.875_104_068_7f64, 4.694_091_133].into_iter().enumerate() {
            let exact = beta.powi(2) * (0.02f64 / 0.1).sqrt();
            for twin in 0..2 {
                let own = found[2 * k + twin].sqrt();
                assert!(
                    (own / exact - 1.0).abs() < near * beta.powi(2),
                    "{basis:?}: {own} instead of {exact}"
                );
            }
        }
        let section = Section::measured(0.02, 0.02, 0.016, 0.1, 0.002).unwrap();
        let twist = 0.5 * std::f64::consts::PI * (0.016 / section.rotary_inertia.z).sqrt();
        let off = found.iter().map(|w| (w.sqrt() / twist - 1.0).abs()).fold(f64::INFINITY, f64::min);
        assert!(off < near * 10.0, "{basis:?}: torsion is off by {off:e}");
    }
}

/// The tip after a while.
fn tip(network: &Network, h: f64, time: f64) -> Vec3 {
    let mut ws = StrandWorkspace::new(network).unwrap();
    let mut motion = StrandMotion::at_rest(network, NetworkState::initial(network));
    for _ in 0..(time / h).round() as usize {
        assert_eq!(motion.step(network, &mut ws, &StrandSettings::new(h)).unwrap(), Status::Converged);
    }
    motion.place(&mut ws);
    let rod = &network.spans[0].rod;
    rod.station(&motion.state.spans[0].rod, rod.length()).position
}

/// With shorter steps it goes where the fully implicit rod goes, and the distance is of first order.
#[test]
fn it_goes_where_the_implicit_rod_goes() {
    use crate::solver::motion::{Integrator, Motion, MotionSettings};
    use crate::solver::network::NetworkWorkspace;
    use crate::solver::statics::Settings;
    for basis in [Basis::Helix, Basis::Clothoid] {
        let network = hanging(basis, 5, false);
        let time = 0.3;
        let settings = MotionSettings::new(1e-3, Integrator::GeneralisedAlpha { rho: 0.9 });
        let mut ws = NetworkWorkspace::new(&network);
        let mut motion = Motion::at_rest(&network, NetworkState::initial(&network));
        for _ in 0..300 {
            let report = motion.step(&network, &mut ws, &settings, &Settings::default()).unwrap();
            assert_eq!(report.status, Status::Converged);
        }
        let rod = &network.spans[0].rod;
        let exact = rod.station(&motion.state.spans[0].rod, 1.0).position;
        let off = [4e-4, 2e-4, 1e-4].map(|h| (tip(&network, h, time) - exact).norm());
        assert!(off[2] < 2e-3, "{basis:?}: {off:?}");
        let ratios = [off[0] / off[1], off[1] / off[2]];
        assert!(ratios.iter().all(|r| (1.6..2.5).contains(r)), "{basis:?}: {off:?}");
    }
}

/// Without damping a swing of few modes changes its energy in proportion to the step.
#[test]
fn the_error_of_energy_is_of_first_order() {
    let network = hanging(Basis::Helix, 2, false);
    let errors = [2e-4, 1e-4, 5e-5].map(|h| {
        let mut ws = StrandWorkspace::new(&network).unwrap();
        let mut motion = StrandMotion::at_rest(&network, NetworkState::initial(&network));
        let first = motion.energies(&mut ws).total();
        for _ in 0..(0.4f64 / h).round() as usize {
            motion.step(&network, &mut ws, &StrandSettings::new(h)).unwrap();
        }
        (motion.energies(&mut ws).total() - first).abs() / 0.981
    });
    let ratios = [errors[0] / errors[1], errors[1] / errors[2]];
    assert!(errors[2] < 5e-3 && ratios.iter().all(|r| (1.7..2.3).contains(r)), "{errors:?}");
}

/// Steps of a thirtieth of a second on the papers' benchmarks, without any damping: the swing and the unwinding.
#[test]
fn steps_of_33_ms_are_stable_on_the_benchmarks() {
    for (curly, n) in [(false, [12, 6]), (true, [24, 12])] {
        for (basis, n) in [(Basis::Helix, n[0]), (Basis::Clothoid, n[1])] {
            let network = hanging(basis, n, curly);
            let mut ws = StrandWorkspace::new(&network).unwrap();
            let mut motion = StrandMotion::at_rest(&network, NetworkState::initial(&network));
            let first = motion.energies(&mut ws).total();
            let weight = 9.81 * network.spans[0].rod.total_mass();
            for _ in 0..150 {
                let status = motion.step(&network, &mut ws, &StrandSettings::new(1.0 / 30.0)).unwrap();
                assert_eq!(status, Status::Converged);
                let gained = (motion.energies(&mut ws).total() - first) / weight;
                assert!(gained < 5e-3, "{basis:?} {curly}: {gained:e} at {}", motion.time);
            }
        }
    }
}

/// Rules of as few points as the turning needs see the inertia of a helix as a fine one does, to 1e-6.
#[test]
fn few_points_are_enough_for_helices() {
    type Visit<'a> = dyn FnMut(f64, &crate::geometry::darboux::Moving<1>) + 'a;
    use element::{Helices, Kinematics, Rules, Shape};
    let rules = Rules::new();
    let mut worst = [0.0f64; 2];
    for turning in [0.001, 0.02, 0.0569, 0.1, 0.4, 0.869, 1.5, 1.899, 1.999, 3.799, 11.0] {
        let shape = Shape {
            q: [Vec3::new(0.7, -0.3, 0.4).normalize() * turning],
            rates: [Vec3::new(0.2, 0.5, -0.3)],
        };
        let sum = |rule: &dyn Fn(&mut Visit)| {
            let (mut own, mut linear) = (Mat3::zeros(), Vec3::zeros());
            rule(&mut |w, at| {
                own += at.shift[0].tr_mul(&at.shift[0]) * w;
                linear += at.shift[0].tr_mul(&at.acceleration) * w;
            });
            (own, linear)
        };
        let (few, few_forces) = sum(&|visit| {
            // The beginning does not move.
            Helices::along(&shape, 1.0, 1.0, &rules, |at, _, w| at.into_iter().for_each(|at| visit(w, at)));
        });
        let (all, all_forces) = sum(&|visit| {
            let parts = (turning / 2.0).ceil().max(1.0) as usize;
            for p in 0..parts {
                for (x, w) in crate::algebra::quadrature::gauss20() {
                    let s = ((2 * p + 1) as f64 + x) / (2 * parts) as f64;
                    visit(w / (2 * parts) as f64, &Helices::point(&shape, 1.0, 1.0, s));
                }
            }
        });
        // Forces cancel along an element: they are measured by what does not.
        let size = all.trace().sqrt() * shape.rates[0].norm_squared();
        worst[0] = worst[0].max((few - all).norm() / all.norm());
        worst[1] = worst[1].max((few_forces - all_forces).norm() / size);
    }
    assert!(worst[0] < 1e-6 && worst[1] < 5e-6, "{worst:?}");
}

/// A root that is led: the strand goes where the implicit one goes, and both take the same work from what leads.
#[test]
fn a_led_root_takes_its_strand_along() {
    use crate::solver::motion::{Integrator, Motion, MotionSettings};
    use crate::solver::network::NetworkWorkspace;
    use crate::solver::statics::Settings;
    let led = |network: &mut Network, start: &Pose, t: f64| {
        let turn = rotation::exp(&(Vec3::new(0.3, -0.5, 0.2) * (1.0 - (6.0 * t).cos())));
        network.anchors[0].pose = Pose {
            position: start.position + Vec3::new(0.05, 0.1, 0.02) * (1.0 - (5.0 * t).cos()),
            orientation: turn * start.orientation,
        };
    };
    for basis in [Basis::Helix, Basis::Clothoid] {
        let mut network = hanging(basis, 5, false);
        let start = network.anchors[0].pose;
        let initial = NetworkState::initial(&network);
        let (time, drag, strain_delay) = (0.25, 0.05, 0.01);
        let mut ws = NetworkWorkspace::new(&network);
        let mut exact = Motion::at_rest(&network, initial.clone());
        let settings = MotionSettings {
            drag,
            strain_delay,
            ..MotionSettings::new(5e-4, Integrator::GeneralisedAlpha { rho: 0.9 })
        };
        for k in 1..=500 {
            led(&mut network, &start, 5e-4 * f64::from(k));
            let report = exact.step(&network, &mut ws, &settings, &Settings::interactive()).unwrap();
            assert_eq!(report.status, Status::Converged);
        }
        let tip = |state: &NetworkState| network_tip(&network, state);
        let goal = tip(&exact.state);
        let mut found = Vec::new();
        for h in [5e-4, 2.5e-4] {
            let mut own = network.clone();
            own.anchors[0].pose = start;
            let mut ws = StrandWorkspace::new(&own).unwrap();
            let mut motion = StrandMotion::at_rest(&own, initial.clone());
            let first = motion.energies(&mut ws).total();
            let settings = StrandSettings { drag, strain_delay, ..StrandSettings::new(h) };
            for k in 1..=(time / h).round() as usize {
                led(&mut own, &start, h * k as f64);
                assert_eq!(motion.step(&own, &mut ws, &settings).unwrap(), Status::Converged);
            }
            motion.place(&mut ws);
            let energies = motion.energies(&mut ws).total() - first - motion.work + motion.dissipated;
            assert!(
                (motion.work / exact.work - 1.0).abs() < 100.0 * h,
                "{basis:?}: {} {}",
                motion.work,
                exact.work
            );
            assert!((motion.dissipated / exact.dissipated - 1.0).abs() < 100.0 * h, "{basis:?}");
            found.push(((tip(&motion.state) - goal).norm(), energies.abs()));
        }
        let ratios = [found[0].0 / found[1].0, found[0].1 / found[1].1];
        assert!(found[1].0 < 2e-3 && ratios.iter().all(|r| (1.5..2.6).contains(r)), "{basis:?}: {found:?}");
    }
}

fn network_tip(network: &Network, state: &NetworkState) -> Vec3 {
    let rod = &network.spans[0].rod;
    rod.station(&state.spans[0].rod, rod.length()).position
}

/// What is no tree of strands is refused by name.
#[test]
fn what_is_no_tree_is_refused() {
    use crate::body::DistributedLoad;
    use crate::rod::mixed::{Mesh, MixedRod};
    let network = || fork(roots()[0].1, bases()[0]);
    let refused = |network: &Network| StrandWorkspace::new(network).unwrap_err();
    let mut held = network();
    held.anchors[1].held[2] = true;
    assert_eq!(refused(&held), StrandError::FarEnd(0));
    let mut twice = network();
    twice.spans[1].end = Some(Attachment::clamped(1));
    assert_eq!(refused(&twice), StrandError::FarEnd(1));
    let mut ring = network();
    ring.anchors.push(Anchor::loose(pose([0.0; 3], [0.0, 0.0, 1.0])));
    ring.spans[1].start = Attachment::clamped(2);
    ring.spans[1].end = Some(Attachment::clamped(2));
    assert_eq!(refused(&ring), StrandError::Ring(1));
    let mut pinned = network();
    pinned.spans[2].start = Attachment::pinned(1);
    assert_eq!(refused(&pinned), StrandError::Pinned(2));
    let mut loaded = network();
    let zero = [Vec3::zeros(); 2];
    loaded.spans[0].distributed_loads.push(DistributedLoad {
        from: 0.0,
        to: 0.1,
        force: zero,
        moment: zero,
        axes: Axes::World,
    });
    assert_eq!(refused(&loaded), StrandError::SpreadLoad(0));
    let section = SectionProfile::uniform(Section::measured(1e-3, 1e-3, 1e-3, 0.1, 0.002).unwrap());
    let mut mixed = network();
    mixed.spans[2].rod = MixedRod::new(&Mesh::uniform(0.5, 8).unwrap(), &section, &|_| Vec3::zeros()).into();
    assert_eq!(refused(&mixed), StrandError::Model { span: 2, model: "mixed" });
    let good = network();
    let mut ws = StrandWorkspace::new(&good).unwrap();
    let mut motion = stirred(&good, &mut ws);
    for h in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(motion.step(&good, &mut ws, &StrandSettings::new(h)), Err(StrandError::Step(_))));
    }
    // What is no number stays where it was.
    motion.rates[1][2] = f64::INFINITY;
    let before = motion.clone();
    assert_eq!(motion.step(&good, &mut ws, &StrandSettings::new(0.01)).unwrap(), Status::NumericalFailure);
    assert_eq!(motion, before);
}
