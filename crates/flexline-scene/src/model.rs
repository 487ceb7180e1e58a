//! A scene as it was meant: names, SI values, choices. What a file says, before indices and meshes.

use crate::folder::Folder;
use crate::harness::{Bead, CableLoad, Clip, Eye, Junction, LaidCable, Lead, NamedConstraint, Part, Port};
use crate::obstacle::ObstacleSpec;
pub use crate::rod::RodModel;
use crate::source::Source;
use flexline::section::{Bundle, RadiusReference, Shape};
use flexline::solver::Axes;
use flexline::solver::statics::{self, IntegralSettings, Settings};
use flexline::{Quat, Vec3};

/// The version of the format this crate reads.
pub const VERSION: usize = 1;
/// Gravity where a scene does not say, m/s².
pub const STANDARD_GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);
/// Segments where a scene does not say.
pub const STANDARD_SEGMENTS: usize = 100;

/// Cables, what they are joined to, what holds and loads them. A file with `[cable]` has one, between `[start]` and `[end]`;
/// one with `[[cable]]` any number, between ports, parts and each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// A line for headings.
    pub title: Option<String>,
    /// What the scene is about.
    pub description: Option<String>,
    /// Gravity, m/s².
    pub gravity: Vec3,
    /// Of a file with `[cable]`: what holds and loads s = 0 and s = L. For a ring the first says what holds the seam, the
    /// second is free.
    pub ends: Option<[End; 2]>,
    /// Poses that are held.
    pub ports: Vec<Port>,
    /// Rigid parts.
    pub parts: Vec<Part>,
    /// Branches.
    pub junctions: Vec<Junction>,
    /// The cables.
    pub cables: Vec<LaidCable>,
    /// What holds cables between their ends.
    pub clips: Vec<Clip>,
    /// Eyes that cables slide through.
    pub eyes: Vec<Eye>,
    /// Beads that slide on cables.
    pub beads: Vec<Bead>,
    /// Constraints beyond these.
    pub constraints: Vec<NamedConstraint>,
    /// What is moved in time.
    pub leads: Vec<Lead>,
    /// Loads.
    pub loads: Vec<CableLoad>,
    /// Poles that cables cannot enter.
    pub poles: Vec<PoleSpec>,
    /// What cables cannot enter.
    pub obstacles: Vec<ObstacleSpec>,
    /// Bundles that cables are made of.
    pub bundles: Vec<BundleSpec>,
    /// The harness data that it was made of.
    pub kbl: Option<KblOrigin>,
    /// Whether cables touch each other and themselves, where the file says so.
    pub contact: Option<bool>,
    /// How to solve.
    pub solve: Solve,
    /// Where the files are that it names.
    pub(crate) folder: Folder,
    /// Where each key stands in the file.
    pub(crate) source: Source,
}

impl Scene {
    /// The text it was read from.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Name of the file the scene was read from, or of whatever its text came from.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// Where the files are that it names.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// A scene with nothing in it.
    pub(crate) fn empty() -> Self {
        Self {
            title: None,
            description: None,
            gravity: STANDARD_GRAVITY,
            ends: None,
            ports: Vec::new(),
            parts: Vec::new(),
            junctions: Vec::new(),
            cables: Vec::new(),
            clips: Vec::new(),
            eyes: Vec::new(),
            beads: Vec::new(),
            constraints: Vec::new(),
            leads: Vec::new(),
            loads: Vec::new(),
            poles: Vec::new(),
            obstacles: Vec::new(),
            bundles: Vec::new(),
            kbl: None,
            contact: None,
            solve: Solve::default(),
            folder: Folder::default(),
            source: Source::default(),
        }
    }

    /// Whether it is a file with `[cable]`, of which there is one, between `[start]` and `[end]`.
    pub fn is_single(&self) -> bool {
        self.ends.is_some()
    }
}

/// The cable.
#[derive(Clone, Debug, PartialEq)]
pub struct Cable {
    /// Name, for tables and pictures.
    pub name: String,
    /// Length, m.
    pub length: f64,
    /// What its mechanics are computed with.
    pub model: RodModel,
    /// Number of its segments, or of its elements where the model has those.
    pub resolution: usize,
    /// How far the centreline may be off, m: segments or elements are chosen for it, instead of `resolution`.
    pub accuracy: Option<f64>,
    /// How segments are distributed.
    pub grading: Grading,
    /// For a closed ring: the turn between its two ends about the tangent, rad. `None` for an open cable.
    pub ring_twist: Option<f64>,
    /// Whether it is laid once or bent again and again.
    pub usage: Usage,
    /// Its section outside the zones.
    pub section: SectionSpec,
    /// Stretches with their own section, in order, not overlapping.
    pub zones: Vec<Zone>,
    /// Its shape without loads.
    pub rest: Rest,
    /// Names of the obstacles and cables that it passes through; its own for itself.
    pub passes_through: Vec<String>,
    /// Its coefficient of friction on cables: of a pair the geometric mean counts.
    pub friction: f64,
    /// Points that its first shape goes through, m, in order; none where it is laid as it would sag.
    pub path: Vec<Vec3>,
    /// Twist of that shape from its beginning to its end, rad, where the file says.
    pub path_twist: Option<f64>,
}

/// How segments are distributed along the cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grading {
    /// Evenly.
    Uniform,
    /// Finer near clamps, where the expected tension confines bending to a thin layer.
    Auto,
    /// Finer within the given lengths from the start and from the end, m; zero for not.
    Layers([f64; 2]),
}

/// Which minimum bend radius applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Laid once.
    Static,
    /// Bent again and again.
    Dynamic,
}

/// A cross-section by name, by shape or by measurement, with single properties changed.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionSpec {
    /// Where the properties come from.
    pub base: SectionBase,
    /// Properties that differ from the base.
    pub changes: Properties,
    /// Limits that differ from the base.
    pub limits: LimitChanges,
}

/// Where the properties of a section come from.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionBase {
    /// A part of the library, by its id.
    Part(String),
    /// A shape and a material: an estimate.
    Shape(Shape, MaterialSpec),
    /// Measured stiffness; every property but the second bending stiffness is given.
    Measured(Properties),
    /// A bundle of the scene, by its name: an estimate.
    Bundle(String),
}

/// A bundle with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct BundleSpec {
    /// What cables call it.
    pub name: String,
    /// Its wires, tape and conduit.
    pub bundle: Bundle,
}

/// The file of harness data (KBL) that a scene was made of, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct KblOrigin {
    /// The file, from the folder of the scene.
    pub file: String,
    /// The modules that were chosen; none for all.
    pub modules: Vec<String>,
    /// Bundles are straight without loads; else as they are drawn.
    pub straight: bool,
}

/// A material of the library, or its numbers; numbers win over the library.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialSpec {
    /// Id in the library.
    pub name: Option<String>,
    /// Young's modulus, Pa.
    pub youngs_modulus: Option<f64>,
    /// Poisson's ratio.
    pub poisson: Option<f64>,
    /// Density, kg/m³.
    pub density: Option<f64>,
}

/// Single properties of a section; `None` is as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Properties {
    /// Bending stiffness about d1, N m².
    pub bend1: Option<f64>,
    /// Bending stiffness about d2, N m².
    pub bend2: Option<f64>,
    /// Twisting stiffness, N m².
    pub twist: Option<f64>,
    /// Mass per length, kg/m.
    pub mass_per_length: Option<f64>,
    /// Outer radius, m.
    pub radius: Option<f64>,
}

impl Properties {
    /// These properties, and where they say nothing those of `base`.
    pub fn over(self, base: Self) -> Self {
        Self {
            bend1: self.bend1.or(base.bend1),
            bend2: self.bend2.or(base.bend2),
            twist: self.twist.or(base.twist),
            mass_per_length: self.mass_per_length.or(base.mass_per_length),
            radius: self.radius.or(base.radius),
        }
    }
}

/// Single limits of a section; `None` is as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitChanges {
    /// Minimum bend radius, laid once, m.
    pub bend_radius_static: Option<f64>,
    /// Minimum bend radius, bent again and again, m.
    pub bend_radius_dynamic: Option<f64>,
    /// Where bend radii are measured.
    pub bend_reference: Option<RadiusReference>,
    /// Largest tension, N.
    pub tension: Option<f64>,
    /// Largest twist, rad/m.
    pub twist: Option<f64>,
    /// Largest strain of the outermost fibre.
    pub strain: Option<f64>,
    /// Least distance from obstacles, other cables and itself, m.
    pub clearance: Option<f64>,
    /// Largest force of obstacles on a stretch of one diameter, N.
    pub contact_force: Option<f64>,
    /// Largest line pressure of a neighbour, N/m.
    pub contact_pressure: Option<f64>,
    /// Most work of friction on a stretch of one diameter, J.
    pub chafing_work: Option<f64>,
}

impl LimitChanges {
    /// These limits, and where they say nothing those of `base`.
    pub fn over(self, base: Self) -> Self {
        Self {
            bend_radius_static: self.bend_radius_static.or(base.bend_radius_static),
            bend_radius_dynamic: self.bend_radius_dynamic.or(base.bend_radius_dynamic),
            bend_reference: self.bend_reference.or(base.bend_reference),
            tension: self.tension.or(base.tension),
            twist: self.twist.or(base.twist),
            strain: self.strain.or(base.strain),
            clearance: self.clearance.or(base.clearance),
            contact_force: self.contact_force.or(base.contact_force),
            contact_pressure: self.contact_pressure.or(base.contact_pressure),
            chafing_work: self.chafing_work.or(base.chafing_work),
        }
    }
}

/// A stretch of the cable with its own section.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Name, for messages.
    pub name: Option<String>,
    /// Where it begins, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// Within this distance from either end of the zone its properties blend into those beside it, m.
    pub taper: f64,
    /// Its section.
    pub section: SectionSpec,
}

/// The shape without loads: curvature κ1, κ2 and twist τ along s, 1/m, material frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Rest {
    /// The same everywhere.
    Constant(Vec3),
    /// Changing linearly from the start to the end.
    Affine([Vec3; 2]),
    /// Rows (s, κ) with linear interpolation, constant before the first and beyond the last; a repeated s is a
    /// jump.
    Table(Vec<(f64, Vec3)>),
}

impl Rest {
    /// Where it jumps, m.
    pub fn jumps(&self) -> Vec<f64> {
        let Self::Table(rows) = self else { return Vec::new() };
        rows.windows(2).filter(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1).map(|w| w[0].0).collect()
    }

    /// The rest curvature and twist at `s` of a cable of the given length, 1/m.
    pub fn at(&self, s: f64, length: f64) -> Vec3 {
        match self {
            Self::Constant(value) => *value,
            Self::Affine([a, b]) => a.lerp(b, (s / length).clamp(0.0, 1.0)),
            Self::Table(rows) => {
                let next = rows.partition_point(|(row, _)| *row <= s);
                match (next.checked_sub(1).and_then(|i| rows.get(i)), rows.get(next)) {
                    (Some((s0, a)), Some((s1, b))) => a.lerp(b, (s - s0) / (s1 - s0)),
                    (Some((_, value)), None) | (None, Some((_, value))) => *value,
                    (None, None) => Vec3::zeros(),
                }
            }
        }
    }
}

/// What holds an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Position and direction.
    Clamped,
    /// Position only.
    Pinned,
    /// Nothing.
    Free,
}

/// One end.
#[derive(Clone, Debug, PartialEq)]
pub struct End {
    /// What holds it.
    pub hold: Hold,
    /// Where it is held, m.
    pub position: Vec3,
    /// World axes along which it may slide although it is held.
    pub slides: [bool; 3],
    /// The frame it is held at; `None` unless clamped.
    pub orientation: Option<Orientation>,
    /// Turn about its own tangent on top of the orientation, rad; full turns count.
    pub twist: f64,
    /// Force on it, N.
    pub force: Vec3,
    /// Moment on it, N m.
    pub moment: Vec3,
    /// The axes of force and moment.
    pub axes: Axes,
}

impl End {
    /// An end that nothing holds or loads.
    pub fn free() -> Self {
        Self {
            hold: Hold::Free,
            position: Vec3::zeros(),
            slides: [false; 3],
            orientation: None,
            twist: 0.0,
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
            axes: Axes::World,
        }
    }

    /// Which world axes of the position are held.
    pub fn held(&self) -> [bool; 3] {
        self.slides.map(|slides| self.hold != Hold::Free && !slides)
    }
}

/// How the frame of a clamped end is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Orientation {
    /// Unit tangent d3, and the unit direction d1 leans towards, where given.
    Tangent(Vec3, Option<Vec3>),
    /// The frame, material→world.
    Frame(Quat),
}

/// A load.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Name, for messages.
    pub name: Option<String>,
    /// Where it acts.
    pub on: LoadOn,
    /// The axes it keeps while the cable moves.
    pub axes: Axes,
}

/// Where a load acts, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadOn {
    /// At one place.
    Point {
        /// Arc length, m.
        at: f64,
        /// Force, N.
        force: Vec3,
        /// Moment, N m.
        moment: Vec3,
    },
    /// Along a stretch, changing linearly.
    Stretch {
        /// Where it begins, m.
        from: f64,
        /// Where it ends, m.
        to: f64,
        /// Force per length at both, N/m.
        force: [Vec3; 2],
        /// Moment per length at both, N.
        moment: [Vec3; 2],
    },
}

/// A round pole without ends that cables cannot enter.
#[derive(Clone, Debug, PartialEq)]
pub struct PoleSpec {
    /// Name, for tables and messages.
    pub name: String,
    /// A point of its axis, m.
    pub through: Vec3,
    /// Unit direction of its axis.
    pub axis: Vec3,
    /// Radius of its surface, m.
    pub radius: f64,
    /// Coulomb's coefficient of friction of cables on it.
    pub friction: f64,
}

/// How to solve; `None` leaves the choice to the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solve {
    /// The method.
    pub method: Option<Method>,
    /// Residual force at convergence, relative to the largest force present.
    pub tolerance: Option<f64>,
    /// Most iterations.
    pub iterations: Option<usize>,
    /// Whether to judge stability.
    pub stability: Option<bool>,
    /// Whether to go on to the nearest stable state where the one found is not.
    pub seek_stable: Option<bool>,
}

impl Solve {
    /// The solver's settings with what these say.
    pub fn settings(&self) -> Settings {
        let standard = Settings::default();
        let method = match self.method {
            Some(Method::IntegralForces { alpha }) => {
                let constants = IntegralSettings::default();
                statics::Method::IntegralForces(IntegralSettings {
                    alpha: alpha.unwrap_or(constants.alpha),
                    max_iterations: self.iterations.unwrap_or(constants.max_iterations),
                    ..constants
                })
            }
            Some(Method::Newton) | None => statics::Method::Newton,
        };
        Settings {
            method,
            force_tolerance: self.tolerance.unwrap_or(standard.force_tolerance),
            max_iterations: self.iterations.unwrap_or(standard.max_iterations),
            stability: self.stability.unwrap_or(standard.stability),
            seek_stable: self.seek_stable.unwrap_or(standard.seek_stable),
            ..standard
        }
    }
}

/// The methods a scene can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Primal–dual Newton with fallbacks.
    Newton,
    /// Proportional and integral forces with a cascade of minimisers, as in Grégoire's dissertation.
    IntegralForces {
        /// Ratio of the integral to the proportional constant, where the scene says.
        alpha: Option<f64>,
    },
}
