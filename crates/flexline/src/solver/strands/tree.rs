//! Which networks are trees of strands, and what of them is constant in motion.

use super::element::{Cell, ElementLoad, ElementMatter, Rules};
use super::joint::Beyond;
use super::recursive::Gain;
use crate::algebra::{Mat3, Vec3, rotation};
use crate::body::{Axes, Pose};
use crate::rod::curvature::{Basis, CurvatureRod};
use crate::rod::{AnyRod, Rod};
use crate::solver::network::{Anchor, Grip, Network, NetworkError, name_span};

/// Why a network is no tree of strands. Spans and anchors are named by their index.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StrandError {
    /// A rod of another model.
    #[error(
        "span {span} is of the model \"{model}\": the semi-implicit scheme moves helices and clothoids; give it that model"
    )]
    Model {
        /// Which span.
        span: usize,
        /// Its model.
        model: &'static str,
    },
    /// A span whose far end is held, or meets others.
    #[error(
        "span {0} ends where something else holds it: in the semi-implicit scheme a rod hangs from its start and everything \
         beyond hangs from it; choose an implicit integrator, or turn the rod round if its start is free"
    )]
    FarEnd(usize),
    /// A joint that turns.
    #[error(
        "span {0} is pinned: the semi-implicit scheme knows clamped joints only; choose an implicit integrator"
    )]
    Pinned(usize),
    /// Loads along stretches.
    #[error(
        "span {0} carries a load along a stretch: the semi-implicit scheme knows weight, drag and loads at points; let loads go or choose an implicit integrator"
    )]
    SpreadLoad(usize),
    /// Constraints, eyes, wheels or poles.
    #[error("the semi-implicit scheme knows no {0}; choose an implicit integrator")]
    Beyond(&'static str),
    /// A length that is not that of the rod, as after sliding.
    #[error(
        "span {0} has slid or grown: the semi-implicit scheme needs rods of constant length; choose an implicit integrator"
    )]
    Length(usize),
    /// Spans in a circle.
    #[error(
        "span {0} hangs from nothing but itself: the semi-implicit scheme needs a tree; choose an implicit integrator"
    )]
    Ring(usize),
    /// A step that is not positive.
    #[error("a step of {0} s: expected a positive, finite time")]
    Step(f64),
    /// Damping or drag that is negative, or a number that is none.
    #[error("the setting {what} is {value}: expected a finite number, 0 or more")]
    Setting {
        /// Its name.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A network that nothing can be solved for, or a state of another size.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl StrandError {
    /// The span that it is about, which its text calls "span" and this number.
    pub fn span(&self) -> Option<usize> {
        match self {
            Self::Model { span, .. } => Some(*span),
            Self::FarEnd(k) | Self::Pinned(k) | Self::SpreadLoad(k) | Self::Length(k) | Self::Ring(k) => {
                Some(*k)
            }
            Self::Network(error) => error.span(),
            Self::Beyond(_) | Self::Step(_) | Self::Setting { .. } => None,
        }
    }

    /// Its text, with what the span is called.
    pub fn told(&self, name_of: impl Fn(usize) -> Option<String>) -> String {
        name_span(self.to_string(), self.span(), name_of)
    }
}

/// Elements of a strand, by basis.
#[derive(Clone, Debug)]
pub(super) enum Cells {
    Helix(Vec<Cell<1>>),
    Clothoid(Vec<Cell<2>>),
}

/// A span of a tree.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    pub(super) rod: CurvatureRod,
    /// The anchor it hangs from, and the pose of its start there.
    pub(super) start: usize,
    pub(super) start_pose: (Vec3, Mat3),
    /// The anchor at its end, and the pose of that seen from the end.
    pub(super) end: Option<(usize, (Vec3, Mat3))>,
    /// From that anchor to the start, and from the end to its anchor, world.
    pub(super) arms: [Vec3; 2],
    pub(super) matter: Vec<ElementMatter>,
    /// Loads, and of every element which of them are on it.
    pub(super) loads: Vec<ElementLoad>,
    pub(super) loads_on: Vec<std::ops::Range<usize>>,
    pub(super) cells: Cells,
    pub(super) gains: Vec<Gain>,
    /// Changes of the rates in this step, over h.
    pub(super) change: Vec<f64>,
}

/// What of an anchor is constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// Whether a strand ends here; otherwise it is a root.
    pub(super) hangs: bool,
    /// Of a root: which of (v, ω) are given.
    pub(super) held: [bool; 6],
    pub(super) mass: f64,
    pub(super) centre: Vec3,
    pub(super) inertia: Vec3,
    pub(super) force: Vec3,
    pub(super) moment: Vec3,
}

/// A tree of strands with the memory that its steps need.
#[derive(Clone, Debug)]
pub struct StrandWorkspace {
    /// What it was made of: what differs from it has changed.
    made_of: Network,
    pub(super) strands: Vec<Strand>,
    pub(super) joints: Vec<Joint>,
    /// Strands so that each comes after the one that it hangs from.
    pub(super) order: Vec<usize>,
    pub(super) gravity: Vec3,
    pub(super) rules: Rules,
    /// How anchors are and move, what lies beyond them, and how their motion changes over h.
    pub(super) bases: Vec<super::element::Base>,
    pub(super) beyond: Vec<Beyond>,
    pub(super) changes: Vec<[Vec3; 2]>,
    /// Accelerations of what is held.
    pub(super) led: Vec<[Vec3; 2]>,
    pub(super) composite: Option<super::composite::Composite>,
}

fn split(pose: &Pose) -> (Vec3, Mat3) {
    (pose.position, rotation::matrix(&pose.orientation))
}

impl Strand {
    fn new(network: &Network, k: usize) -> Result<Self, StrandError> {
        let span = &network.spans[k];
        let AnyRod::Curvature(rod) = &span.rod else {
            return Err(StrandError::Model { span: k, model: span.rod.model() });
        };
        if span.start.grip == Grip::Pinned || span.end.is_some_and(|e| e.grip == Grip::Pinned) {
            return Err(StrandError::Pinned(k));
        }
        if !span.distributed_loads.is_empty() {
            return Err(StrandError::SpreadLoad(k));
        }
        let ends = rod.element_ends();
        let matter = ends
            .windows(2)
            .map(|w| {
                let length = w[1] - w[0];
                // A little inside: at its ends the section may jump.
                let at = |t: f64| {
                    let s = rod.section_at(w[0] + length * t.clamp(1e-9, 1.0 - 1e-9));
                    let i = s.rotary_inertia;
                    [s.mass_per_length, i.x, i.y, i.z]
                };
                ElementMatter::through(length, &[0.0, 0.25, 0.5, 0.75, 1.0].map(at))
            })
            .collect();
        let n = rod.elements();
        let (mut loads, mut loads_on) = (Vec::new(), Vec::new());
        for e in 0..n {
            let first = loads.len();
            let last = e + 1 == n;
            let here = |s: f64| s >= ends[e] && (s < ends[e + 1] || last);
            loads.extend(span.point_loads.iter().filter(|l| here(l.s)).map(|l| ElementLoad {
                s: l.s - ends[e],
                force: l.force,
                moment: l.moment,
                follows: l.axes == Axes::Material,
            }));
            loads_on.push(first..loads.len());
        }
        Ok(Self {
            start: span.start.anchor,
            start_pose: split(&span.start.anchor_from_end),
            end: span.end.map(|e| {
                let (x, r) = split(&e.anchor_from_end);
                // The far end is turned by the span's twist in its anchor.
                let r = r * rotation::matrix(&rotation::exp(&Vec3::new(0.0, 0.0, span.twist)));
                (e.anchor, (-(r.tr_mul(&x)), r.transpose()))
            }),
            arms: [Vec3::zeros(); 2],
            matter,
            loads,
            loads_on,
            cells: match rod.basis() {
                Basis::Helix => Cells::Helix(vec![Cell::zeros(); n]),
                Basis::Clothoid => Cells::Clothoid(vec![Cell::zeros(); n]),
            },
            gains: vec![Gain::NONE; rod.curvatures()],
            change: vec![0.0; 3 * rod.curvatures()],
            rod: rod.clone(),
        })
    }
}

impl StrandWorkspace {
    /// The tree of a network, solved by recursion.
    pub fn new(network: &Network) -> Result<Self, StrandError> {
        network.check_even_short()?;
        for (what, some) in [
            ("constraints between anchors", !network.constraints.is_empty()),
            ("eyes that rope slides through", !network.slides.is_empty()),
            ("wheels", !network.wheels.is_empty()),
            ("poles", !network.poles.is_empty()),
        ] {
            if some {
                return Err(StrandError::Beyond(what));
            }
        }
        let strands: Vec<Strand> =
            (0..network.spans.len()).map(|k| Strand::new(network, k)).collect::<Result<_, _>>()?;
        let mut joints: Vec<Joint> = network
            .anchors
            .iter()
            .map(|a| {
                let [x, y, z] = a.held;
                let turn = a.held_orientation;
                Joint {
                    hangs: false,
                    held: [x, y, z, turn, turn, turn],
                    mass: a.mass,
                    centre: a.centre,
                    inertia: a.inertia,
                    force: a.force,
                    moment: a.moment,
                }
            })
            .collect();
        for (k, strand) in strands.iter().enumerate() {
            if let Some((end, _)) = strand.end {
                if joints[end].hangs || joints[end].held != [false; 6] {
                    return Err(StrandError::FarEnd(k));
                }
                joints[end].hangs = true;
            }
        }
        // From the roots on; what is never reached goes in a circle.
        let mut reached: Vec<bool> = joints.iter().map(|j| !j.hangs).collect();
        let mut order = Vec::with_capacity(strands.len());
        let mut waiting: Vec<usize> = (0..strands.len()).collect();
        while !waiting.is_empty() {
            let before = order.len();
            waiting.retain(|&k| {
                let ready = reached[strands[k].start];
                if ready {
                    order.push(k);
                }
                !ready
            });
            for &k in &order[before..] {
                if let Some((end, _)) = strands[k].end {
                    reached[end] = true;
                }
            }
            if order.len() == before {
                return Err(StrandError::Ring(waiting[0]));
            }
        }
        let zero = Vec3::zeros();
        let still = super::element::Base {
            position: zero,
            frame: Mat3::identity(),
            velocity: zero,
            spin: zero,
            acceleration: zero,
            angular_acceleration: zero,
        };
        Ok(Self {
            made_of: network.clone(),
            bases: vec![still; joints.len()],
            beyond: vec![Beyond::nothing(); joints.len()],
            changes: vec![[zero; 2]; joints.len()],
            led: vec![[zero; 2]; joints.len()],
            strands,
            joints,
            order,
            gravity: network.gravity,
            rules: Rules::new(),
            composite: None,
        })
    }

    /// The same, solved with one dense matrix over all coordinates: the plain way, for comparison.
    pub fn composite(network: &Network) -> Result<Self, StrandError> {
        let mut own = Self::new(network)?;
        own.composite = Some(super::composite::Composite::new(&own.strands, &own.joints));
        Ok(own)
    }

    /// Takes over whatever has changed in `network` but where its anchors are, which every step reads; says whether
    /// anything has.
    pub(super) fn read(&mut self, network: &Network) -> Result<bool, StrandError> {
        let own = &self.made_of;
        let same = |(a, b): (&Anchor, &Anchor)| Anchor { pose: b.pose, ..*a } == *b;
        let unchanged = own.anchors.len() == network.anchors.len()
            && own.anchors.iter().zip(&network.anchors).all(same)
            && own.spans == network.spans
            && own.gravity == network.gravity
            && network.constraints.is_empty()
            && network.slides.is_empty()
            && network.wheels.is_empty()
            && network.poles.is_empty();
        if !unchanged {
            *self = if self.composite.is_some() { Self::composite(network)? } else { Self::new(network)? };
        }
        Ok(!unchanged)
    }

    /// Elements of all strands.
    pub fn elements(&self) -> usize {
        self.strands.iter().map(|s| s.matter.len()).sum()
    }
}
