//! How an equilibrium changes with what its problem depends on: by the implicit function theorem, from the factors at hand.
//!
//! With F(x, p) = 0 for an equilibrium x under parameters p, x′(p) = −A⁻¹ ∂F/∂p, where A = ∂F/∂x is the matrix of Newton's method.
//! One factorisation serves every parameter; each costs a solve. The problem is told anew with p ± h, its residual is evaluated at
//! the x at hand, and one step with the factors of p leads to
//!
//! ```text
//! x± = x − A⁻¹ F(x, p ± h) = x ± h x′ + h² (…) + O(h³):     x′ = (x₊ − x₋) / 2h + O(h²).
//! ```
//!
//! Where F is affine in p (gravity, loads, stiffness, weight, rest strain) no error of a difference enters the right-hand side; where
//! it is not (poses, lengths, places), h is small. Any output of a solution is evaluated at x₊ and x₋: its own derivative by x and by p is
//! in the difference. So whatever a network can say may be a parameter and whatever is told of its solution an output, of
//! every rod model alike; contacts take part by the step that solves for their forces.

use super::assemble::{choose_rows, evaluate, factorise, norms, residual};
use super::model::{Network, NetworkError};
use super::modes::releases;
use super::newton::{largest_turn, newton_step};
use super::state::NetworkState;
use super::{ContactKey, NetworkReport, NetworkWorkspace, follows_forces, report};
use crate::body::Profile;
use crate::rod::Rod;
use crate::solver::report::Status;

/// What may be unbalanced or missed at a state that is taken for an equilibrium, relative to the largest force and the length.
const AT_REST: f64 = 1e-5;
/// What a step may turn beside the one before: more, and x′ does not tell what the next millimetre brings.
const LEFT: f64 = 0.1;
/// What the last step turns at most, beside the first, and the most steps after the first.
const EXACT: f64 = 1e-5;
const STEPS: usize = 8;
/// A turn below this, rad, is round-off.
const NOTHING: f64 = 1e-9;

/// Why an equilibrium has no derivative.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoDerivative {
    /// The network or its state is none that a solve takes.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The state is no equilibrium.
    #[error(
        "the state is no equilibrium ({left:.1e} of the largest force or length is left): solve it until it has converged"
    )]
    NotAtRest {
        /// What is unbalanced or missed, relative to the largest force or length.
        left: f64,
    },
    /// The equilibrium is unstable, so that no change leads from it to the next.
    #[error("the equilibrium is unstable in {0} directions: solve for a stable one (`stable`)")]
    Unstable(usize),
    /// The equilibrium is neutral, or at a fold.
    #[error("the equilibrium gives way without end in some direction: hold what is free to turn or drift")]
    Singular,
    /// What touches, or which one-sided constraint holds, changes just here.
    #[error("what touches or holds changes just here: a little farther on either side there is a derivative")]
    Touching,
    /// Friction, whose force depends on how the equilibrium was reached.
    #[error(
        "{0} has friction, and where that holds or slides depends on the way here: make it smooth (friction 0)"
    )]
    Friction(&'static str),
    /// A rope leaves a wheel where its forces say, which is no part of the matrix.
    #[error(
        "rope runs over a pulley, whose angles follow the forces outside of the matrix: take an eye instead"
    )]
    Wheel,
    /// The changed network has other unknowns.
    #[error("the change makes other unknowns (segments, holds, joints or constraints): change values only")]
    Other,
    /// Steps do not become shorter.
    #[error(
        "the change is no small one (a step leads on by {left:.0e} of the one before): the equilibrium is near a fold or a snap"
    )]
    Bent {
        /// A step as a share of the one before.
        left: f64,
    },
}

/// An equilibrium with its factors.
pub struct Tangents {
    network: Network,
    state: NetworkState,
    ws: NetworkWorkspace,
    touching: Vec<ContactKey>,
    holding: Vec<bool>,
}

/// The equilibrium of a changed network, to first order in the change.
#[derive(Clone, Debug)]
pub struct Beside {
    /// Shapes and forces.
    pub state: NetworkState,
    /// What holds them.
    pub report: NetworkReport,
    /// The solution along every span.
    pub profiles: Vec<Profile>,
}

impl Tangents {
    /// Of a stable equilibrium `state` of `network`. One factorisation.
    pub fn new(network: &Network, state: &NetworkState) -> Result<Self, NoDerivative> {
        network.check_even_short()?;
        state.check(network)?;
        if !network.wheels.is_empty() {
            return Err(NoDerivative::Wheel);
        }
        if network.slides.iter().any(|slide| slide.friction > 0.0) {
            return Err(NoDerivative::Friction("an eye"));
        }
        let (network, mut state) = (network.clone(), state.clone());
        let mut ws = NetworkWorkspace::new(&network);
        ws.contacts.begin(&state);
        evaluate(&network, &mut state, &mut ws);
        if ws.contacts.is_rough() {
            return Err(NoDerivative::Friction("a contact"));
        }
        let penalty = ws.least_penalty();
        choose_rows(&mut state, &mut ws, penalty);
        let own = residual(&network, &state, &mut ws);
        let left = norms(&network, &state, &ws, &own).left();
        ws.leave_residual(own);
        if left.is_nan() || left > AT_REST {
            return Err(NoDerivative::NotAtRest { left });
        }
        let negative = releases(&network, &state, &mut ws);
        if negative > 0 {
            return Err(NoDerivative::Unstable(negative));
        }
        factorise(&network, &state, &mut ws, 0.0).ok_or(NoDerivative::Singular)?;
        let touching = touching(&state);
        let holding = ws.active.clone();
        Ok(Self { network, state, ws, touching, holding })
    }

    /// The equilibria of two networks that differ a little from this one, on either side of it; the same things touch and hold
    /// in all three.
    pub fn both_sides(&mut self, changed: [&Network; 2]) -> Result<[Beside; 2], NoDerivative> {
        let [below, above] = changed;
        let found = self.beside(below).and_then(|below| Ok([below, self.beside(above)?]));
        let Self { network, ws, .. } = self;
        take(ws, network);
        found
    }

    fn beside(&mut self, changed: &Network) -> Result<Beside, NoDerivative> {
        changed.check_even_short()?;
        let Self { network, ws, .. } = self;
        let mut own = changed.spans.iter().zip(&network.spans);
        let is_same_size = own.all(|(a, b)| {
            a.rod.model() == b.rod.model() && a.rod.coordinate_count() == b.rod.coordinate_count()
        });
        if !ws.topology.is_of(changed) || !is_same_size || follows_forces(changed) {
            return Err(NoDerivative::Other);
        }
        take(ws, changed);
        let mut here = self.state.clone();
        here.lengthen_from(network, changed);
        here.hold(changed);
        here.stand(changed);
        evaluate(changed, &mut here, ws);
        let penalty = ws.least_penalty();
        choose_rows(&mut here, ws, penalty);
        // The first step is the derivative; the others show that it is one, and take away what is not linear.
        let (mut first, mut last) = (0.0, f64::INFINITY);
        for steps in 0.. {
            let way = step(changed, &mut here, ws);
            choose_rows(&mut here, ws, penalty);
            if touching(&here) != self.touching || ws.active != self.holding {
                return Err(NoDerivative::Touching);
            }
            if steps == 0 {
                first = way;
            } else if way <= (EXACT * first).max(NOTHING) {
                break;
            } else if way.is_nan() || way > LEFT * last || steps > STEPS {
                return Err(NoDerivative::Bent { left: way / last });
            }
            last = way;
        }
        let state = here;
        let report = report(changed, &state, ws, Status::Converged, 0, 0);
        let spans = ws.spans.iter_mut().enumerate();
        let profiles = spans.map(|(k, span)| span.profile_at(changed, &state, k)).collect();
        Ok(Beside { state, report, profiles })
    }
}

/// Takes a step with the factors at hand, evaluates where it leads to, and tells how far it turns, rad.
pub(super) fn step(network: &Network, state: &mut NetworkState, ws: &mut NetworkWorkspace) -> f64 {
    let asked = residual(network, state, ws);
    newton_step(network, state, ws, &asked);
    ws.leave_residual(asked);
    let before = state.clone();
    let step = ws.solution.clone();
    state.advance_from(&before, network, ws, 1.0, |k, span, _, own| {
        own.end_force = span.new_force(&before.spans[k], &step);
        own.end_moment = span.kernel.new_moment();
    });
    for (own, slot) in state.multipliers.iter_mut().zip(&ws.unknowns.rows) {
        *own -= step[slot.flat];
    }
    ws.contacts.forces_ahead(1.0, &mut state.contact_forces);
    evaluate(network, state, ws);
    largest_turn(ws).0
}

/// What touches.
fn touching(state: &NetworkState) -> Vec<ContactKey> {
    state.contact_forces.iter().map(|own| own.key).collect()
}

/// Lets the workspace work with `network`, and with the factors that it has.
pub(super) fn take(ws: &mut NetworkWorkspace, network: &Network) {
    for (own, span) in ws.spans.iter_mut().zip(&network.spans) {
        own.take(span);
    }
    ws.see_world(network);
    ws.reduced = false;
}

#[cfg(test)]
mod tests {
    use super::super::{Anchor, Attachment, Constraint, Span, solve_network, testing};
    use super::*;
    use crate::algebra::{Vec3, rotation};
    use crate::body::Pose;
    use crate::contact::{Obstacle, Shape};
    use crate::solver::settings::Settings;

    /// Half of a change of a parameter.
    const H: f64 = 1e-4;

    /// What both may be off: the differences of solves by their tolerance over the step.
    const OFF: f64 = 2e-5;
    /// The same where rods by their curvature touch: a place within a piece is as exact as their quadrature.
    const OFF_TOUCHING: f64 = 5e-4;

    type Change = fn(&mut Network, f64);

    /// Everything that a network depends on, changed by so much.
    const CHANGES: [(&str, Change); 12] = [
        ("a place", |n, h| n.anchors[0].pose.position += Vec3::new(0.3, 0.2, -0.4) * h),
        ("a frame", |n, h| {
            let pose = &mut n.anchors[0].pose;
            pose.orientation = rotation::exp(&(Vec3::new(0.3, -0.8, 0.4) * h)) * pose.orientation;
        }),
        ("a twist", |n, h| n.spans[1].twist += h),
        ("gravity", |n, h| n.gravity += Vec3::new(4.0, -2.0, 3.0) * h),
        ("a length", |n, h| n.spans[0].rod = n.spans[0].rod.with_length(n.spans[0].rod.length() * (1.0 + h))),
        ("bending", |n, h| n.spans[0].rod = testing::remade(&n.spans[0].rod, [1.0 + h, 1.0, 1.0, 1.0])),
        ("twisting", |n, h| n.spans[0].rod = testing::remade(&n.spans[0].rod, [1.0, 1.0 + h, 1.0, 1.0])),
        ("weight", |n, h| n.spans[0].rod = testing::remade(&n.spans[0].rod, [1.0, 1.0, 1.0 + h, 1.0])),
        ("rest", |n, h| n.spans[0].rod = testing::remade(&n.spans[0].rod, [1.0, 1.0, 1.0, 1.0 + 10.0 * h])),
        ("a load", |n, h| {
            n.spans[0].point_loads.iter_mut().for_each(|load| load.force += Vec3::new(1.0, 0.5, -2.0) * h);
        }),
        ("a part", |n, h| {
            n.anchors[1].mass *= 1.0 + h;
            n.anchors[1].force += Vec3::new(0.2, 0.3, 0.1) * h;
        }),
        ("a distance", |n, h| {
            for constraint in &mut n.constraints {
                if let Constraint::Distance { distance, .. } = constraint {
                    *distance *= 1.0 + h;
                }
            }
        }),
    ];

    fn settings() -> Settings {
        Settings { force_tolerance: 1e-10, ..Settings::default() }
    }

    fn solved(network: &Network, from: &NetworkState) -> (NetworkState, NetworkReport) {
        let (mut state, mut ws) = (from.clone(), NetworkWorkspace::new(network));
        let report = solve_network(network, &mut state, &mut ws, &settings()).expect("a sound network");
        (state, report)
    }

    /// Places, reactions and forces of spans.
    fn told(network: &Network, state: &NetworkState, report: &NetworkReport) -> [Vec<f64>; 2] {
        let at = |k: usize, share: f64| network.rod(state, k).place(&state.spans[k].rod, share);
        let places = (0..network.spans.len()).flat_map(|k| [0.3, 0.7, 1.0].map(|share| at(k, share)));
        let lever = network.spans[0].rod.length();
        let forces = report.reactions.iter().flat_map(|own| [own.force, own.moment / lever]);
        let forces = forces.chain(state.spans.iter().map(|own| own.end_force));
        let numbers = |all: Vec<Vec3>| all.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
        [numbers(places.collect()), numbers(forces.collect())]
    }

    fn difference([below, above]: [[Vec<f64>; 2]; 2]) -> [Vec<f64>; 2] {
        [0, 1].map(|k| above[k].iter().zip(&below[k]).map(|(a, b)| (a - b) / (2.0 * H)).collect())
    }

    /// Compares derivatives with differences of problems that are solved again; returns how many there were, and tells what
    /// differs.
    fn check(
        name: &str,
        network: &Network,
        state: &NetworkState,
        most: f64,
        wrong: &mut Vec<String>,
    ) -> usize {
        let mut tangents = match Tangents::new(network, state) {
            Ok(tangents) => tangents,
            Err(why) => panic!("{name}: {why}"),
        };
        let mut tried = 0;
        for (what, change) in CHANGES {
            let changed = [-H, H].map(|h| {
                let mut changed = network.clone();
                change(&mut changed, h);
                changed
            });
            if changed[0] == *network {
                continue;
            }
            let [below, above] = &changed;
            let exact = match tangents.both_sides([below, above]) {
                Ok(exact) => exact,
                Err(why) => {
                    wrong.push(format!("{name}, {what}: {why}"));
                    continue;
                }
            };
            let exact = difference([0, 1].map(|k| told(&changed[k], &exact[k].state, &exact[k].report)));
            let numeric = difference([0, 1].map(|k| {
                let mut longer = state.clone();
                longer.lengthen_from(network, &changed[k]);
                let (state, report) = solved(&changed[k], &longer);
                assert_eq!(report.status, Status::Converged, "{name}, {what}");
                told(&changed[k], &state, &report)
            }));
            for (exact, numeric) in exact.iter().zip(&numeric) {
                let size = numeric.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
                let off = exact.iter().zip(numeric).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size;
                if off.is_nan() || off > most {
                    wrong.push(format!("{name}, {what}: {off:.1e} of {size:.1e}"));
                }
            }
            tried += 1;
        }
        tried
    }

    /// Of everything by everything, for every model, through parts, eyes and constraints.
    #[test]
    fn derivatives_agree_with_problems_solved_again() {
        let (mut tried, mut wrong) = (0, Vec::new());
        let threaded = testing::MODELS.map(|model| (format!("{model} threaded"), testing::threaded(model)));
        for (name, mut network) in testing::networks().into_iter().chain(threaded) {
            if !network.wheels.is_empty() {
                continue;
            }
            testing::make_equal(&mut network);
            let (state, report) = solved(&network, &NetworkState::initial(&network));
            if report.status != Status::Converged || report.negative > 0 {
                assert!(!name.ends_with("threaded"), "{name}: {:?} {}", report.status, report.negative);
                continue;
            }
            tried += check(&name, &network, &state, OFF, &mut wrong);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(tried >= 100, "{tried}");
    }

    /// A rod that lies on a bar.
    fn over_a_bar(model: &str) -> Network {
        let mut network = testing::cantilever(model, 24);
        let pose = |x: f64, z: f64, along: Vec3| Pose {
            position: Vec3::new(x, 0.0, z),
            orientation: rotation::frame(&along, &Vec3::z()),
        };
        network.anchors =
            vec![Anchor::fixed(pose(0.0, 0.0, Vec3::x())), Anchor::fixed(pose(0.5, 0.02, Vec3::x()))];
        let rod = network.spans[0].rod.clone();
        network.spans = vec![
            Span::new(rod.clone(), Attachment::clamped(0), Some(Attachment::clamped(1))),
            Span::new(rod, Attachment::clamped(1), None),
        ];
        network.spans[0].contact_radius = 0.01;
        let shape = Shape::Capsule { half_length: 0.5, radius: 0.04 };
        network.obstacles.push(Obstacle { shape, pose: pose(0.25, -0.12, Vec3::y()), friction: 0.0 });
        network
    }

    /// Through a contact without friction, and by where the obstacle is.
    #[test]
    fn contacts_take_part() {
        let mut wrong = Vec::new();
        for model in testing::MODELS {
            let network = over_a_bar(model);
            let (state, report) = solved(&network, &NetworkState::initial(&network));
            assert_eq!(report.status, Status::Converged, "{model}");
            assert!(
                report.contacts.iter().any(|own| own.force.norm() > 0.01),
                "{model}: {:?}",
                report.contacts
            );
            let by_curvature = ["helix", "clothoid"].contains(&model);
            check(model, &network, &state, if by_curvature { OFF_TOUCHING } else { OFF }, &mut wrong);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    /// What has no derivative is said.
    #[test]
    fn what_has_no_derivative_is_an_error() {
        let network = testing::cantilever("mixed", 12);
        let laid = NetworkState::initial(&network);
        assert!(matches!(Tangents::new(&network, &laid), Err(NoDerivative::NotAtRest { .. })));
        let (state, _) = solved(&network, &laid);
        let mut tangents = Tangents::new(&network, &state).expect("an equilibrium");
        let finer = testing::cantilever("mixed", 13);
        assert_eq!(tangents.both_sides([&finer, &finer]).unwrap_err(), NoDerivative::Other);
        let mut far = network.clone();
        far.anchors[0].pose.orientation = rotation::exp(&Vec3::y()) * far.anchors[0].pose.orientation;
        let why = tangents.both_sides([&far, &far]).unwrap_err();
        assert!(matches!(why, NoDerivative::Bent { .. }), "{why}");
        let (_, wheel) =
            testing::networks().into_iter().find(|(name, _)| name == "mixed wheel").expect("a wheel");
        let state = NetworkState::initial(&wheel);
        assert!(matches!(Tangents::new(&wheel, &state), Err(NoDerivative::Wheel)));
        let mut rough = testing::threaded("mixed");
        rough.slides[0].friction = 0.2;
        let (state, _) = solved(&rough, &NetworkState::initial(&rough));
        assert!(matches!(Tangents::new(&rough, &state), Err(NoDerivative::Friction(_))));
    }
}
