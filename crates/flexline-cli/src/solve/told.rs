//! What `solve --json` tells, in types: its schema is made of them.

use super::{largest, tables};
use crate::bundles::{self, BundleTold};
use crate::solved::Solved;
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::network::{Conflict, Contact, EyeReport, Hold, Network, NetworkReport, Short};
use flexline::solver::report::Energies;
use flexline::solver::{Sample, Stability, Status, Wrench};
use flexline_scene::contact::SolidKind;
use flexline_scene::harness::SliderKind;
use flexline_scene::neighbour::Neighbour;
use flexline_scene::{Chosen, Touching};
use schemars::JsonSchema;
use serde::Serialize;

/// Number of the format.
pub const FORMAT: u32 = 1;

/// A solved scene. Lengths are in m, forces in N, moments in N m; what is known in equilibrium alone is null without one.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline solve --json")]
pub struct SolveTold {
    /// Number of the format.
    format: u32,
    /// The file.
    scene: String,
    /// The title of the scene.
    title: Option<String>,
    /// In a scene of one cable, what is told of it in `cables` as well.
    #[serde(flatten)]
    single: Option<Single>,
    /// The proof.
    report: ReportTold,
    /// The cables, in the order of the file.
    cables: Vec<CableTold>,
    /// Ends, ports, clips, junctions and parts.
    anchors: Vec<AnchorTold>,
    /// What is held to something, and with which force.
    constraints: Vec<ConstraintTold>,
    /// Eyes, pulleys and beads.
    eyes: Vec<EyeTold>,
    /// What presses on cables, then on parts with a shape.
    contacts: Option<Vec<Touching>>,
    /// Deepest overlap of anything, m.
    penetration: Option<f64>,
    /// What is left of the law of contact, relative to the largest force of a contact.
    contact_residual: Option<f64>,
    /// Where cables are nearest to what they do not touch.
    clearances: Vec<Near>,
    /// The obstacles.
    obstacles: Vec<SolidTold>,
    /// The poles.
    poles: Vec<SolidTold>,
    /// What is to know of meshes.
    mesh_notes: Vec<String>,
    /// Which cables are too short, in sentences.
    short: Vec<String>,
    /// Which constraints cannot be kept, in sentences.
    conflicts: Vec<String>,
    /// Which constraints repeat others, in sentences.
    redundant: Vec<String>,
    /// What the wires of bundles come to.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    bundles: Vec<BundleTold>,
}

/// The one cable of a scene.
#[derive(Serialize, JsonSchema)]
struct Single {
    /// Its name.
    cable: String,
    #[serde(flatten)]
    facts: CableFacts,
}

/// A cable.
#[derive(Serialize, JsonSchema)]
struct CableTold {
    /// Its name.
    name: String,
    #[serde(flatten)]
    facts: CableFacts,
}

/// What is told of a cable.
#[derive(Clone, Serialize, JsonSchema)]
struct CableFacts {
    /// Its length, m.
    length: f64,
    /// Whether it found that for itself.
    length_is_found: bool,
    /// How many segments it has, where its model has segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<usize>,
    /// How many elements it has, where its model has elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<usize>,
    /// The rod model.
    model: Option<String>,
    /// Whether its stiffness is an estimate.
    stiffness_is_estimate: bool,
    /// Total twist, turns.
    twist_turns: f64,
    /// What it is not to be trusted in, in sentences.
    warnings: Vec<String>,
    /// Largest curvature, 1/m.
    largest_curvature: Option<Peak>,
    /// Largest tension, N.
    largest_tension: Option<Peak>,
    /// Largest moment, N m.
    largest_moment: Option<Peak>,
    /// How much a spline is stretched at its worst place.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_stretch: Option<f64>,
    /// What came of the accuracy that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<AccuracyTold>,
}

/// A value and where it is.
#[derive(Clone, Serialize, JsonSchema)]
struct Peak {
    /// Arc length, m.
    s: f64,
    /// The value.
    value: f64,
    /// Where that is, m, world.
    #[schemars(with = "[f64; 3]")]
    position: Vec3,
}

/// An accuracy that was asked for, m.
#[derive(Clone, Serialize, JsonSchema)]
struct AccuracyTold {
    /// How far the centreline may be off, m.
    asked: f64,
    /// How far it is estimated to be off, m.
    estimated: Option<f64>,
    /// By how much forces of supports may be off, N.
    support_force: Option<f64>,
    /// By how much moments of supports may be off, N m.
    support_moment: Option<f64>,
    /// Whether the estimate is within it.
    met: bool,
}

/// The proof that comes with a solution.
#[derive(Serialize, JsonSchema)]
pub struct ReportTold {
    /// How the solve ended.
    status: Status,
    /// Newton iterations.
    iterations: usize,
    /// Largest unbalanced force, N.
    residual_force: f64,
    /// Largest force present, N.
    largest_force: Option<f64>,
    /// Largest violation of any end or constraint, m.
    violation: f64,
    /// What holds each anchor exerts on it.
    reactions: Option<Vec<Wrench>>,
    /// Multiplier of every constraint row, N.
    multipliers: Option<Vec<f64>>,
    /// Directions that release energy.
    negative: usize,
    /// What every constraint does to its anchors.
    holds: Option<Vec<[Option<Hold>; 2]>>,
    /// What goes on wherever rope slides.
    eyes: Option<Vec<EyeReport>>,
    /// What presses on spans and parts, by their numbers.
    contacts: Option<Vec<Contact>>,
    /// Deepest overlap, m.
    penetration: Option<f64>,
    /// What is left of the law of contact.
    contact_residual: f64,
    /// Spans that are too short.
    short: Vec<Short>,
    /// Constraints that cannot be kept.
    conflicts: Vec<Conflict>,
    /// Factorisations, all stages together.
    factorisations: usize,
    /// Load steps; 1 where the target was solved at once.
    steps: usize,
    /// Largest unbalanced moment, N m.
    residual_moment: f64,
    /// Rotation of held ends from where they should be, rad.
    rotation_violation: f64,
    /// Worst error of length and coherence of a segment, relative to its length.
    segment_error: f64,
    /// Energies, J.
    energies: Option<Energies>,
    /// Second variation, of one cable alone.
    stability: Option<Stability>,
    /// How many segments or elements would do, where they are too few.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments_needed: Option<usize>,
    #[serde(flatten)]
    alone: Option<Alone>,
}

/// What is told of the ends of one cable alone.
#[derive(Serialize, JsonSchema)]
struct Alone {
    /// What the supports at start and end exert.
    supports: Option<[Wrench; 2]>,
    /// The same as `violation`, m.
    position_violation: f64,
    /// The length that is missing, m.
    missing_length: Option<f64>,
}

/// An end, port, clip, junction or part.
#[derive(Serialize, JsonSchema)]
struct AnchorTold {
    /// What it is.
    kind: String,
    /// Its name.
    name: String,
    /// Where it is, m, world.
    #[schemars(with = "[f64; 3]")]
    position: Vec3,
    /// Its quaternion, from its own axes to the world.
    frame_wxyz: [f64; 4],
    /// What holds it exerts on it.
    reaction: Option<Wrench>,
}

/// A constraint.
#[derive(Serialize, JsonSchema)]
struct ConstraintTold {
    /// Its name.
    name: String,
    /// Its force, N, world.
    #[schemars(with = "Option<[f64; 3]>")]
    force: Option<Vec3>,
    /// What it is doing, where it is one-sided: "slack", "taut", "clear" or "touching".
    state: Option<String>,
    /// What it does to its anchors.
    holds: Option<Vec<HoldTold>>,
}

/// What a constraint does to an anchor.
#[derive(Serialize, JsonSchema)]
struct HoldTold {
    /// The anchor.
    on: String,
    /// In world axes.
    world: Wrench,
    /// In the axes of the anchor.
    material: Wrench,
}

/// An eye, a pulley or a bead.
#[derive(Serialize, JsonSchema)]
struct EyeTold {
    /// What it is.
    kind: SliderKind,
    /// Its name.
    name: String,
    /// The cable.
    cable: String,
    /// Arc length of the cable there, m.
    s: f64,
    /// Coefficient of friction.
    friction: f64,
    /// Tensions before and after it, N.
    tensions: [f64; 2],
    /// Angle the cable turns through, degrees.
    wrap_degrees: f64,
    /// How hard the cable pushes on it, N.
    push: f64,
    /// Rope that has passed, m.
    flow: f64,
    /// "free", "sticks" or "slips".
    motion: String,
}

/// Where a cable is nearest to something.
#[derive(Serialize, JsonSchema)]
struct Near {
    /// The cable.
    a: String,
    /// What it is near to.
    b: String,
    /// Arc length on the cable, m.
    at: f64,
    /// Where that is, m, world.
    #[schemars(with = "[f64; 3]")]
    position: Vec3,
    /// Distance of the surfaces, m.
    gap: f64,
}

/// An obstacle or a pole.
#[derive(Serialize, JsonSchema)]
struct SolidTold {
    /// Its name.
    name: String,
    /// The cable that is nearest to it.
    nearest: Option<NearCable>,
}

/// The cable that is nearest to an obstacle.
#[derive(Serialize, JsonSchema)]
struct NearCable {
    /// The cable.
    cable: String,
    /// Arc length, m.
    s: f64,
    /// Distance of the surfaces, m.
    clearance: f64,
}

impl SolveTold {
    /// Everything but the samples.
    pub fn new(solved: &Solved) -> Self {
        let (compiled, solution) = (&solved.compiled, &solved.solution);
        let at_rest = solved.status() == Status::Converged;
        let cables: Vec<CableTold> = (0..compiled.cables.len())
            .map(|i| CableTold { name: compiled.cables[i].name.clone(), facts: CableFacts::new(solved, i) })
            .collect();
        let single = match &cables[..] {
            [one] if solved.scene.is_single() => {
                Some(Single { cable: one.name.clone(), facts: one.facts.clone() })
            }
            _ => None,
        };
        let neighbours = compiled.neighbours(solution);
        let near = |own: &Neighbour| Near {
            a: compiled.cables[own.cable].name.clone(),
            b: compiled.presser(own.to).to_owned(),
            at: own.s,
            position: own.position,
            gap: own.gap,
        };
        let solids = |kind: SolidKind| {
            let one = |(i, own): (usize, &flexline_scene::contact::CompiledObstacle)| SolidTold {
                name: own.name.clone(),
                nearest: super::contacts::nearest(&neighbours, i).map(|near| NearCable {
                    cable: compiled.cables[near.cable].name.clone(),
                    s: near.s,
                    clearance: near.gap,
                }),
            };
            compiled.solids(kind).map(one).collect()
        };
        Self {
            format: FORMAT,
            scene: solved.scene.name().to_owned(),
            title: solved.scene.title.clone(),
            single,
            report: ReportTold::new(&compiled.network, &solution.report),
            cables,
            anchors: anchors(solved),
            constraints: constraints(solved),
            eyes: eyes(solved),
            contacts: at_rest.then(|| compiled.touching(solution)),
            penetration: at_rest.then_some(solution.report.penetration),
            contact_residual: at_rest.then_some(solution.report.contact_residual),
            clearances: neighbours.iter().map(near).collect(),
            obstacles: solids(SolidKind::Obstacle),
            poles: solids(SolidKind::Pole),
            mesh_notes: compiled.mesh_notes(),
            short: compiled.short_lines(&solution.report),
            conflicts: compiled.conflict_lines(&solution.report),
            redundant: compiled.redundant_lines(&solution.state),
            bundles: bundles::told(&solved.scene),
        }
    }
}

impl CableFacts {
    fn new(solved: &Solved, i: usize) -> Self {
        let (compiled, solution) = (&solved.compiled, &solved.solution);
        let at_rest = solved.status() == Status::Converged;
        let (cable, profile) = (&compiled.cables[i], &solution.profiles[i]);
        let spans = cable.span_indices();
        let counts = compiled.piece_counts(&spans);
        let model = cable.spans.first().map(|(k, _)| compiled.network.spans[*k].rod.model());
        let most = |of: fn(&Sample) -> f64| {
            let (sample, value) = largest(profile, of).filter(|_| at_rest)?;
            Some(Peak { s: sample.s, value, position: sample.position })
        };
        Self {
            length: compiled.length_now(&solution.state, i),
            length_is_found: cable.routed,
            segments: counts.get("segments").copied(),
            elements: counts.get("elements").copied(),
            model: model.map(str::to_owned),
            stiffness_is_estimate: cable.section.is_estimate(),
            twist_turns: compiled.twist_turns(&solution.state, i),
            warnings: super::told(solved, i),
            largest_curvature: most(Sample::curvature),
            largest_tension: most(Sample::tension),
            largest_moment: most(|s| s.moment_material.norm()),
            local_stretch: compiled.local_stretch(&solution.state, i),
            accuracy: compiled.chosen.get(i).and_then(Option::as_ref).map(AccuracyTold::new),
        }
    }
}

impl AccuracyTold {
    fn new(own: &Chosen) -> Self {
        let [support_force, support_moment] = own.support_error.map_or([None; 2], |e| e.map(Some));
        Self { asked: own.accuracy, estimated: own.error, support_force, support_moment, met: own.met }
    }
}

impl ReportTold {
    /// The report of a network; of one cable alone also by the names that its ends give.
    pub fn new(network: &Network, own: &NetworkReport) -> Self {
        let at_rest = own.status == Status::Converged;
        let alone = network.as_cable().is_some().then(|| Alone {
            supports: at_rest.then(|| [own.support(0), own.support(1)]),
            position_violation: own.violation,
            missing_length: own.short.first().map(|short| short.missing),
        });
        Self {
            status: own.status,
            iterations: own.iterations,
            residual_force: own.residual_force,
            largest_force: at_rest.then_some(own.largest_force),
            violation: own.violation,
            reactions: at_rest.then(|| own.reactions.clone()),
            multipliers: at_rest.then(|| own.multipliers.clone()),
            negative: own.negative,
            holds: at_rest.then(|| own.holds.clone()),
            eyes: at_rest.then(|| own.eyes.clone()),
            contacts: at_rest.then(|| own.contacts.clone()),
            penetration: at_rest.then_some(own.penetration),
            contact_residual: own.contact_residual,
            short: own.short.clone(),
            conflicts: own.conflicts.clone(),
            factorisations: own.rest.factorisations,
            steps: own.rest.steps,
            residual_moment: own.rest.residual_moment,
            rotation_violation: own.rest.rotation_violation,
            segment_error: own.rest.segment_error,
            energies: at_rest.then_some(own.rest.energies),
            stability: own.rest.stability,
            segments_needed: own.rest.segments_needed,
            alone,
        }
    }
}

fn anchors(solved: &Solved) -> Vec<AnchorTold> {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let at_rest = solved.status() == Status::Converged;
    let each = compiled.anchors.iter().zip(&solution.state.anchors).zip(&solution.report.reactions);
    each.map(|((name, pose), reaction)| {
        let q = pose.orientation;
        AnchorTold {
            kind: name.kind.to_owned(),
            name: name.name.clone(),
            position: pose.position,
            frame_wxyz: [q.w, q.i, q.j, q.k],
            reaction: at_rest.then_some(*reaction),
        }
    })
    .collect()
}

fn constraints(solved: &Solved) -> Vec<ConstraintTold> {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let at_rest = solved.status() == Status::Converged;
    let hold = |own: &Hold| HoldTold {
        on: compiled.anchors[own.anchor].to_string(),
        world: own.world,
        material: own.material,
    };
    let one = |(i, name): (usize, &String)| ConstraintTold {
        name: name.clone(),
        force: at_rest.then(|| compiled.constraint_force(solution, i)),
        state: at_rest.then(|| tables::word(solved, i).to_owned()),
        holds: at_rest
            .then(|| solution.report.holds.get(i).into_iter().flatten().flatten().map(hold).collect()),
    };
    compiled.constraints.iter().enumerate().map(one).collect()
}

fn eyes(solved: &Solved) -> Vec<EyeTold> {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    if solved.status() != Status::Converged {
        return Vec::new();
    }
    let each = compiled.eyes.iter().zip(&solution.report.eyes).enumerate();
    each.map(|(i, (eye, report))| EyeTold {
        kind: eye.kind,
        name: eye.name.clone(),
        cable: compiled.cables[eye.cable].name.clone(),
        s: compiled.eye_place(&solution.state, i),
        friction: eye.friction,
        tensions: report.tensions,
        wrap_degrees: report.wrap.to_degrees(),
        push: tables::push(solved, eye),
        flow: report.flow,
        motion: tables::motion(eye.friction, report.sticks).to_owned(),
    })
    .collect()
}
