//! Many rods that fall on each other: as few do, by dense matrices, and as physics has it.

use super::{Integrator, Motion, MotionSettings};
use crate::algebra::{Vec3, rotation};
use crate::body::Pose;
use crate::contact::{Obstacle, Shape};
use crate::rod::mixed::{Mesh, MixedRod};
use crate::rod::{Rod, Station};
use crate::section::{Section, SectionProfile};
use crate::solver::network::{Anchor, Attachment, Network, NetworkState, NetworkWorkspace, Other, Span};
use crate::solver::report::Status;
use crate::solver::settings::Settings;

const RADIUS: f64 = 2e-3;
const LENGTH: f64 = 0.12;
const MASS: f64 = 0.02 * LENGTH;

/// How rods lie over a floor: so many side by side in a layer, so far apart, those of a layer turned alike.
#[derive(Clone, Copy)]
struct Pile {
    layers: usize,
    beside: usize,
    apart: f64,
    angles: [f64; 4],
}

/// Across each other, three in a layer.
const CROSSED: Pile = Pile { layers: 4, beside: 3, apart: 0.02, angles: [0.2, 1.4, -0.15, 0.9] };

/// Along each other, so that neighbouring contacts are hardly told apart.
const BUNDLED: Pile = Pile { layers: 4, beside: 3, apart: 2.3 * RADIUS, angles: [0.03, -0.02, 0.04, -0.03] };

/// Rods over a floor; every other one is held at its beginning where `held` says so.
fn piled(pile: Pile, held: bool) -> (Network, NetworkState) {
    let Pile { layers, beside, apart, angles } = pile;
    let section = Section::measured(2e-4, 2e-4, 1.6e-4, 0.02, RADIUS).expect("sound section");
    let mesh = Mesh::uniform(LENGTH, 10).expect("sound mesh");
    let mut network = Network { gravity: Vec3::z() * -9.81, ..Network::default() };
    let mut laid = Vec::new();
    for k in 0..beside * layers {
        let (layer, place) = (k / beside, (k % beside) as f64 - 0.5 * (beside - 1) as f64);
        let angle = angles[layer % 4] + 0.01 * layer as f64;
        let along = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let across = Vec3::new(-angle.sin(), angle.cos(), 0.0);
        let height = RADIUS * (1.2 + 2.2 * layer as f64);
        let from = across * (apart * place) - along * (0.5 * LENGTH + 3e-3 * place) + Vec3::z() * height;
        let at = |s: f64| Station { position: from + along * s, frame: rotation::frame(&along, &Vec3::z()) };
        let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
        laid.push(rod.state_from(&at));
        let start = Pose { position: from, orientation: at(0.0).frame };
        let is_held = held && k.is_multiple_of(2);
        network.anchors.push(if is_held { Anchor::fixed(start) } else { Anchor::loose(start) });
        network.spans.push(Span { contact_radius: RADIUS, ..Span::new(rod, Attachment::clamped(k), None) });
    }
    let pose = Pose { position: Vec3::zeros(), orientation: rotation::frame(&Vec3::z(), &Vec3::x()) };
    network.obstacles.push(Obstacle { shape: Shape::Plane, pose, friction: 0.0 });
    let mut state = NetworkState::initial(&network);
    state.spans.iter_mut().zip(laid).for_each(|(own, laid)| own.rod = laid);
    (network, state)
}

/// What a run came to: iterations, contacts at the end, the motion.
fn run(network: &Network, state: &NetworkState, always_few: bool, steps: usize) -> (usize, usize, Motion) {
    let mut ws = NetworkWorkspace::new(network);
    ws.contacts.always_few = always_few;
    let mut motion = Motion::at_rest(network, state.clone());
    let settings = MotionSettings {
        strain_delay: 1e-3,
        drag: 0.02,
        ..MotionSettings::new(2e-3, Integrator::ImplicitEuler)
    };
    let (mut iterations, mut contacts) = (0, 0);
    for k in 0..steps {
        let report = motion.step(network, &mut ws, &settings, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "step {k}");
        assert!(report.penetration < 1e-9 * RADIUS, "step {k}: {:e}", report.penetration);
        assert!(report.contact_residual < 1e-8, "step {k}: {:e}", report.contact_residual);
        assert_eq!(ws.contacts.is_many, !always_few);
        iterations += report.iterations;
        contacts = report.contacts.len();
    }
    (iterations, contacts, motion)
}

/// Bodies apart and dense matrices over all contacts lead to the same motion, in about as many iterations.
#[test]
fn many_fall_as_few_do() {
    for (pile, held) in [(CROSSED, false), (CROSSED, true), (BUNDLED, false)] {
        let (network, state) = piled(pile, held);
        let (few_iterations, few_contacts, few) = run(&network, &state, true, 25);
        let (iterations, contacts, many) = run(&network, &state, false, 25);
        let places = |motion: &Motion| -> Vec<Vec3> {
            let spans = network.spans.iter().zip(&motion.state.spans);
            spans
                .flat_map(|(span, own)| (0..=10).map(|i| span.rod.place(&own.rod, 0.1 * f64::from(i))))
                .collect()
        };
        let off = places(&few).iter().zip(places(&many)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        println!(
            "held {held}: {few_iterations} and {iterations} iterations, {contacts} contacts, apart by {off:.1e} m"
        );
        assert_eq!(contacts, few_contacts);
        assert!(contacts > 20, "{contacts}");
        // What every step may miss, over all of them.
        assert!(off < 1e-9, "{off:e}");
        assert!(2 * iterations <= 3 * few_iterations, "{iterations} {few_iterations}");
    }
}

/// Forty rods in ten layers, hardly across each other: hundreds of contacts that repeat their neighbours, in a few iterations a step.
#[test]
fn a_bundle_of_forty_falls() {
    let (network, state) = piled(Pile { layers: 10, beside: 4, ..BUNDLED }, false);
    let (steps, most) = (16, 10);
    let (iterations, contacts, _) = run(&network, &state, false, steps);
    println!("{iterations} iterations, {contacts} contacts");
    assert!(contacts > 150, "{contacts}");
    assert!(iterations < most * steps, "{iterations}");
}

/// The floor bears the weight of all that lies on it in the end, and momentum along the floor stays none.
#[test]
fn the_floor_bears_a_heap() {
    let (network, state) = piled(CROSSED, false);
    let mut ws = NetworkWorkspace::new(&network);
    let mut motion = Motion::at_rest(&network, state);
    let settings = MotionSettings {
        strain_delay: 5e-3,
        drag: 0.5,
        ..MotionSettings::new(5e-3, Integrator::ImplicitEuler)
    };
    let mut borne = 0.0;
    for k in 0..150 {
        let report = motion.step(&network, &mut ws, &settings, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::Converged, "step {k}");
        let on_floor = report.contacts.iter().filter(|c| matches!(c.other, Other::Obstacle(_)));
        borne = on_floor.map(|contact| contact.force.z).sum::<f64>();
    }
    let weight = network.spans.len() as f64 * MASS * 9.81;
    assert!((borne / weight - 1.0).abs() < 0.02, "{borne} {weight}");
}
