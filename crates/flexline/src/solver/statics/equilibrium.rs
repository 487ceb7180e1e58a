//! Equilibria of networks of any size. One rod alone is looked for in all the ways there are for one: from the ends it was
//! solved for, in steps, in more segments, by the method that was asked for.

use super::cable::Workspace;
use super::energies::energies;
use super::{Settings, nearest_state, profile};
use crate::algebra::Vec3;
use crate::body::{End, Profile};
use crate::rod::{Rod, State};
use crate::solver::network::{
    Attachment, Network, NetworkError, NetworkReport, NetworkState, NetworkWorkspace, profiles,
    settle_network, solve_fed,
};
use crate::solver::problem::{Problem, ProblemError};
use crate::solver::report::Status;

/// Scratch for the equilibria of a network. Whatever changes in the network is seen by the next solve.
#[derive(Default)]
pub struct Scratch {
    alone: Option<Box<Workspace>>,
    joined: Option<Box<NetworkWorkspace>>,
}

impl Scratch {
    /// Scratch for `network`.
    pub fn new(network: &Network) -> Self {
        let mut own = Self::default();
        if let Some(problem) = network.as_cable() {
            own.alone(&problem);
        } else {
            own.joined(network);
        }
        own
    }

    /// That of one rod alone.
    fn alone(&mut self, problem: &Problem) -> &mut Workspace {
        self.joined = None;
        self.alone.get_or_insert_with(|| Box::new(Workspace::new(problem)))
    }

    /// That of anything else.
    fn joined(&mut self, network: &Network) -> &mut NetworkWorkspace {
        self.alone = None;
        self.joined.get_or_insert_with(|| Box::new(NetworkWorkspace::new(network)))
    }

    /// The solution along every span, from what the solve before has evaluated.
    pub fn profiles(&mut self, network: &Network, state: &NetworkState) -> Vec<Profile> {
        let Some(problem) = network.as_cable() else {
            return profiles(network, state, self.joined(network));
        };
        let Some(own) = state.spans.first() else { return Vec::new() };
        let own = State { ends: ends_of(&problem, own), ..own.clone() };
        // What is too short does not reach its ends.
        vec![if own.ends == problem.ends {
            self.alone(&problem).profile(&problem, &own)
        } else {
            profile(&Problem { ends: own.ends, ..problem }, &own)
        }]
    }
}

/// Brings `state` into equilibrium with `network`. Where there is none it says what is missing, and the state is the nearest
/// of what is too short.
pub fn equilibrium(
    network: &Network,
    state: &mut NetworkState,
    scratch: &mut Scratch,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    equilibrium_fed(network, state, &[], scratch, settings)
}

/// The same, where the lengths of some spans have been changed by feeding against friction ([`solve_fed`]).
pub fn equilibrium_fed(
    network: &Network,
    state: &mut NetworkState,
    fed: &[(usize, f64)],
    scratch: &mut Scratch,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    find(network, state, scratch, settings, Some(fed))
}

/// The same without looking for what is missing where no equilibrium is found: for who has another way to go on.
pub fn settle(
    network: &Network,
    state: &mut NetworkState,
    scratch: &mut Scratch,
    settings: &Settings,
) -> Result<NetworkReport, NetworkError> {
    find(network, state, scratch, settings, None)
}

/// Looks for an equilibrium; where it is to be `thorough`, what is fed on the way.
fn find(
    network: &Network,
    state: &mut NetworkState,
    scratch: &mut Scratch,
    settings: &Settings,
    thorough: Option<&[(usize, f64)]>,
) -> Result<NetworkReport, NetworkError> {
    settings.check().map_err(NetworkError::Setting)?;
    network.check_even_short()?;
    state.check(network)?;
    let Some(problem) = network.as_cable() else {
        let workspace = scratch.joined(network);
        let report = match thorough {
            Some(fed) => solve_fed(network, state, fed, workspace, settings)?,
            None => settle_network(network, state, workspace, settings)?,
        };
        return Ok(proof(network, state, workspace, report));
    };
    let refused = |cause: ProblemError| NetworkError::InSpan { index: 0, cause: Box::new(cause) };
    let mut own = State { ends: ends_of(&problem, &state.spans[0]), ..state.spans[0].clone() };
    let mut report = scratch.alone(&problem).solve(&problem, &mut own, settings).map_err(refused)?;
    if thorough.is_some()
        && report.status == Status::TooShort
        && let Some((near, _)) = nearest_state(&problem, None, 1)
    {
        own = near;
    }
    place(network, &problem, own, state);
    name_anchors(network, &mut report);
    Ok(report)
}

/// The report of a network with what is proved of it at rest.
fn proof(
    network: &Network,
    state: &NetworkState,
    workspace: &NetworkWorkspace,
    mut report: NetworkReport,
) -> NetworkReport {
    let rest = &mut report.rest;
    rest.factorisations = workspace.factorisations();
    rest.steps = 1;
    for (k, own) in state.spans.iter().enumerate() {
        let rod = network.rod(state, k);
        rest.residual_moment = rest.residual_moment.max(report.residual_force * rod.length());
        rest.rotation_violation = rest.rotation_violation.max(workspace.missed(k).1);
        rest.segment_error = rest.segment_error.max(rod.length_error(&own.rod));
    }
    rest.energies = energies(network, state, &|_| None);
    report.guarded()
}

/// The ends that the state of a rod alone belongs to, as its problem tells them: what nothing holds is the problem's.
fn ends_of(problem: &Problem, state: &State) -> [End; 2] {
    [0, 1].map(|k| {
        let (wanted, was) = (&problem.ends[k], &state.ends[k]);
        let turns = wanted.orientation.is_some() || problem.closed && k == 1;
        End {
            position: Vec3::from_fn(|i, _| if wanted.held[i] { was.position[i] } else { wanted.position[i] }),
            held: wanted.held,
            orientation: was.orientation.filter(|_| wanted.orientation.is_some()),
            twist: if turns { was.twist } else { wanted.twist },
        }
    })
}

/// Puts the one span of a network into `own`, and its anchors where the ends of that are.
fn place(network: &Network, problem: &Problem, own: State, state: &mut NetworkState) {
    let span = &network.spans[0];
    let mut put = |on: &Attachment, side: usize| {
        let (anchor, pose) = (&network.anchors[on.anchor], &mut state.anchors[on.anchor]);
        *pose = anchor.pose;
        let end = &own.ends[side];
        let there = span.rod.station(&own.rod, if side == 0 { 0.0 } else { span.rod.length() });
        for i in 0..3 {
            pose.position[i] = if anchor.held[i] { end.position[i] } else { there.position[i] };
        }
        let back = on.anchor_from_end.orientation.conjugate();
        if !anchor.held_orientation {
            pose.orientation = there.frame * back;
        } else if let Some(q) = end.orientation.filter(|q| Some(*q) != problem.ends[side].orientation) {
            pose.orientation = q * back;
        }
    };
    put(&span.start, 0);
    if let Some(end) = span.end.filter(|_| !problem.closed) {
        put(&end, 1);
    }
    state.lengths[0] = span.rod.length();
    state.spans[0] = own;
}

/// Gives the reactions of a rod alone the order of the anchors of its network.
fn name_anchors(network: &Network, report: &mut NetworkReport) {
    if network.spans[0].start.anchor == 1 {
        report.reactions.swap(0, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{initial_state, solve};
    use super::*;
    use crate::algebra::rotation;
    use crate::body::{PointLoad, Pose};
    use crate::rod::mixed::{Mesh, MixedRod};
    use crate::section::{Section, SectionProfile};

    const LENGTH: f64 = 0.5;

    fn rod() -> MixedRod {
        let section = Section::measured(0.02, 0.02, 0.015, 0.09, 0.005).expect("a section");
        let mesh = Mesh::uniform(LENGTH, 24).expect("a mesh");
        MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros())
    }

    fn clamped(position: Vec3, tangent: Vec3, twist: f64) -> End {
        let orientation = rotation::frame(&tangent, &Vec3::z());
        End { twist, ..End::clamped(Pose { position, orientation }) }
    }

    /// Every way in which the ends of a cable are held.
    fn problems() -> Vec<(&'static str, Problem)> {
        let start = clamped(Vec3::zeros(), Vec3::x(), 0.0);
        let there = Vec3::new(0.3, 0.1, 0.0);
        let ring = Problem {
            closed: true,
            ..Problem::new(rod(), start, End { twist: std::f64::consts::TAU, ..End::free() })
        };
        let slides = End { held: [false, true, true], ..End::pinned(there) };
        let all = [
            ("clamped", Problem::new(rod(), start, clamped(there, Vec3::y(), 1.0))),
            ("pinned", Problem::new(rod(), End::pinned(Vec3::zeros()), End::pinned(there))),
            ("slides", Problem::new(rod(), start, slides)),
            ("hangs", Problem::new(rod(), start, End::free())),
            ("held at its end", Problem::new(rod(), End::free(), start)),
            ("ring", ring),
        ];
        let load = PointLoad {
            s: 0.2,
            force: Vec3::new(0.0, 0.3, 0.0),
            moment: Vec3::zeros(),
            axes: crate::body::Axes::World,
        };
        all.into_iter()
            .map(|(name, problem)| {
                (name, Problem { gravity: Vec3::new(0.0, 0.0, -9.81), point_loads: vec![load], ..problem })
            })
            .collect()
    }

    #[test]
    fn a_network_of_one_cable_is_that_cable() {
        for (name, problem) in problems() {
            let network = Network::from_cable(&problem);
            let own = network.as_cable().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(own.ends, problem.ends, "{name}");
            assert_eq!((own.closed, &own.point_loads), (problem.closed, &problem.point_loads), "{name}");
            assert_eq!(NetworkState::initial(&network).spans[0], initial_state(&problem), "{name}");
        }
        let (_, problem) = problems().remove(0);
        let mut more = Network::from_cable(&problem);
        more.anchors[1].mass = 1.0;
        assert!(more.as_cable().is_none(), "a part is no end of a cable");
    }

    /// The one solve finds what the solve of one cable finds, to the last digit, from rest and after a move.
    #[test]
    fn one_cable_is_solved_as_ever() {
        let settings = Settings::default();
        for (name, mut problem) in problems() {
            let (mut own, mut workspace) = (initial_state(&problem), Workspace::new(&problem));
            let mut network = Network::from_cable(&problem);
            let (mut state, mut scratch) = (NetworkState::initial(&network), Scratch::new(&network));
            for shift in [0.0, 0.02] {
                for end in &mut problem.ends {
                    end.position.y += if end.held[1] { shift } else { 0.0 };
                }
                for anchor in &mut network.anchors {
                    anchor.pose.position.y += if anchor.held[1] { shift } else { 0.0 };
                }
                let told = solve(&problem, &mut own, &mut workspace, &settings).expect("a sound problem");
                let report =
                    equilibrium(&network, &mut state, &mut scratch, &settings).expect("a sound network");
                assert_eq!(told.status, Status::Converged, "{name}");
                assert_eq!(report.status, told.status, "{name}");
                assert_eq!(state.spans[0], own, "{name}");
                assert_eq!(report.rest.energies, told.rest.energies, "{name}");
                assert_eq!(report.rest.stability, told.rest.stability, "{name}");
                assert_eq!(report.reactions[0], told.reactions[0], "{name}");
                let samples = scratch.profiles(&network, &state).remove(0).samples;
                let last = samples.last().expect("samples").position;
                let away = |anchor: usize| (state.anchors[anchor].position - last).norm();
                let away = away(state.anchors.len() - 1);
                assert!(away < 1e-9 || name == "hangs", "{name}: {away}");
            }
        }
    }

    #[test]
    fn what_is_too_short_is_told_and_comes_near() {
        let end = clamped(Vec3::new(0.6, 0.0, 0.0), Vec3::x(), 0.0);
        let problem = Problem::new(rod(), clamped(Vec3::zeros(), Vec3::x(), 0.0), end);
        let network = Network::from_cable(&problem);
        let (mut state, mut scratch) = (NetworkState::initial(&network), Scratch::new(&network));
        let report = equilibrium(&network, &mut state, &mut scratch, &Settings::default()).expect("sound");
        assert_eq!(report.status, Status::TooShort);
        assert!((report.short[0].missing - 0.1).abs() < 1e-12, "{:?}", report.short);
        let reached = state.anchors[1].position.x;
        assert!((reached - LENGTH).abs() < 1e-3, "{reached}");
    }
}
