//! What can be told of a solution as numbers, by name.

use crate::command::mistake;
use flexline::algebra::rotation;
use flexline::rod::{Rod, Station};
use flexline::solver::Sample;
use flexline::solver::network::NetworkState;
use flexline::solver::statics::energies_at_rest;
use flexline::{Quat, Vec3};
use flexline_scene::units::{self, Dimension};
use flexline_scene::words::{offer, quote};
use flexline_scene::{Code, Compiled, SceneError, Solution};

/// What is told of a cable at a place.
const AT: [&str; 9] =
    ["position", "tangent", "frame", "strain", "curvature", "bend_radius", "force", "tension", "moment"];
/// What is told of it as a whole.
const WHOLE: [&str; 3] = ["length", "least_bend_radius", "largest_tension"];
/// What is told of what holds it.
const HELD: [&str; 4] = ["position", "frame", "force", "moment"];
/// The energies of the whole.
const ENERGY: [&str; 5] = ["energy", "energy.bending", "energy.torsion", "energy.gravity", "energy.loads"];

/// A number, or three, of a solution: `hose.position @ 200 mm`, `hose.tension @ 50 %`, `hose.least_bend_radius`, `end.force.z`,
/// `energy.bending`.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    of: Of,
    /// The one component that is asked for.
    component: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Of {
    /// Something at a place of a cable.
    Cable { cable: usize, what: &'static str, place: Place },
    /// Something of a whole cable.
    Whole { cable: usize, what: &'static str },
    /// Something of what holds cables.
    Held { anchor: usize, what: &'static str },
    /// An energy.
    Energy(&'static str),
}

/// Where along a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// At an arc length, m.
    Arc(f64),
    /// At a share of its length.
    Share(f64),
}

impl Output {
    /// Reads `name.what`, `name.what.x` or `name.what @ place`; `energy`.
    pub fn parse(text: &str, compiled: &Compiled) -> Result<Self, SceneError> {
        let (what, place) = text.split_once('@').map_or((text, None), |(what, place)| (what, Some(place)));
        let what = what.trim();
        if let Some(energy) = ENERGY.into_iter().find(|own| *own == what) {
            return match place {
                None => Ok(Self { of: Of::Energy(energy), component: None }),
                Some(_) => Err(wrong(text, "is of the whole scene", "leave out `@`")),
            };
        }
        let (what, component) =
            match ["x", "y", "z"].into_iter().zip(0..).find(|(c, _)| what.ends_with(&format!(".{c}"))) {
                Some((_, axis)) => (&what[..what.len() - 2], Some(axis)),
                None => (what, None),
            };
        let Some((thing, what)) = what.rsplit_once('.') else {
            return Err(wrong(
                text,
                "is no output",
                "say NAME.what, as in cable.position @ 50 %, or end.force",
            ));
        };
        let alone = compiled.cables.len() == 1 && thing == "cable";
        let cable = compiled.cables.iter().position(|own| own.name == thing || alone);
        let anchor = compiled.anchors.iter().position(|own| own.name == thing);
        let of = match (cable, anchor, place) {
            (Some(cable), _, Some(place)) => {
                let what = one_of(text, what, &AT)?;
                Of::Cable { cable, what, place: Place::parse(text, place, compiled.cables[cable].length)? }
            }
            (Some(_), None, None) if AT.contains(&what) => {
                return Err(wrong(text, "says no place", "say where along the cable: @ 200 mm, or @ 50 %"));
            }
            (Some(cable), None, None) => Of::Whole { cable, what: one_of(text, what, &WHOLE)? },
            (_, Some(anchor), None) => Of::Held { anchor, what: one_of(text, what, &HELD)? },
            (None, Some(_), Some(_)) => return Err(wrong(text, "is of no cable", "leave out `@`")),
            (None, None, _) => {
                let names = compiled.cables.iter().map(|own| own.name.as_str());
                let names: Vec<&str> =
                    names.chain(compiled.anchors.iter().map(|own| own.name.as_str())).collect();
                let message = format!("names '{}', which is no cable and holds none", quote(thing));
                return Err(wrong(text, &message, &offer(thing, names.iter().copied())));
            }
        };
        let output = Self { of, component: None };
        if component.is_some() && output.size() != 3 {
            return Err(wrong(text, "is one number", "leave out .x, .y or .z"));
        }
        Ok(Self { component, ..output })
    }

    /// How many numbers it is.
    pub fn size(&self) -> usize {
        let what = match &self.of {
            Of::Cable { what, .. } | Of::Whole { what, .. } | Of::Held { what, .. } | Of::Energy(what) => {
                what
            }
        };
        let three = ["position", "tangent", "frame", "strain", "force", "moment"].contains(what);
        if three && self.component.is_none() { 3 } else { 1 }
    }

    /// Its numbers, in SI; those of a frame are its rotation vector, world.
    pub fn value(&self, compiled: &Compiled, solution: &Solution) -> Vec<f64> {
        self.chosen(match self.frame(compiled, solution) {
            Some(frame) => numbers(rotation::log(&frame)),
            None => self.numbers(compiled, solution, solution),
        })
    }

    /// By how much it differs between two solutions; a frame by its rotation, world. Where a cable is worst it is at `worst`.
    pub fn difference(
        &self,
        below: (&Compiled, &Solution),
        above: (&Compiled, &Solution),
        worst: &Solution,
    ) -> Vec<f64> {
        if let (Some(a), Some(b)) = (self.frame(below.0, below.1), self.frame(above.0, above.1)) {
            return self.chosen(numbers(rotation::log(&(b * a.conjugate()))));
        }
        let [a, b] = [below, above].map(|(compiled, own)| self.numbers(compiled, own, worst));
        self.chosen(a.iter().zip(&b).map(|(a, b)| b - a).collect())
    }

    fn chosen(&self, all: Vec<f64>) -> Vec<f64> {
        match self.component {
            Some(axis) => all.get(axis).copied().into_iter().collect(),
            None => all,
        }
    }

    fn frame(&self, compiled: &Compiled, solution: &Solution) -> Option<Quat> {
        match self.of {
            Of::Cable { cable, what: "frame", place } => Some(place.station(compiled, solution, cable).frame),
            Of::Held { anchor, what: "frame" } => Some(solution.state.anchors[anchor].orientation),
            _ => None,
        }
    }

    /// All of its numbers; where a cable is worst is taken from `worst`.
    fn numbers(&self, compiled: &Compiled, solution: &Solution, worst: &Solution) -> Vec<f64> {
        match self.of {
            Of::Cable { cable, what: what @ ("position" | "tangent"), place } => {
                let there = place.station(compiled, solution, cable);
                numbers(if what == "position" { there.position } else { rotation::tangent(&there.frame) })
            }
            Of::Cable { cable, what, place } => {
                let arc = place.arc(compiled.length_now(&solution.state, cable));
                let there = sample_at(&solution.profiles[cable].samples, arc);
                there.map_or_else(|| vec![f64::NAN; 3], |sample| told(what, &sample))
            }
            Of::Whole { cable, what } => {
                let (samples, where_worst) =
                    (&solution.profiles[cable].samples, &worst.profiles[cable].samples);
                let most = |of: fn(&Sample) -> f64| {
                    let index = (0..where_worst.len())
                        .max_by(|a, b| of(&where_worst[*a]).total_cmp(&of(&where_worst[*b])));
                    index.and_then(|index| samples.get(index)).map_or(f64::NAN, of)
                };
                vec![match what {
                    "length" => compiled.length_now(&solution.state, cable),
                    "least_bend_radius" => 1.0 / most(Sample::curvature),
                    _ => most(Sample::tension),
                }]
            }
            Of::Held { anchor, what } => numbers(match what {
                "position" => solution.state.anchors[anchor].position,
                "moment" => solution.report.support(anchor).moment,
                _ => solution.report.support(anchor).force,
            }),
            Of::Energy(what) => {
                let all = energies_at_rest(&compiled.network, &solution.state);
                vec![match what {
                    "energy.bending" => all.bending,
                    "energy.torsion" => all.torsion,
                    "energy.gravity" => all.gravity,
                    "energy.loads" => all.loads,
                    _ => all.bending + all.torsion + all.gravity + all.loads,
                }]
            }
        }
    }
}

impl Place {
    fn parse(text: &str, place: &str, length: f64) -> Result<Self, SceneError> {
        let place = place.trim();
        let read = match place.parse::<f64>() {
            Ok(arc) => Ok(Self::Arc(arc)),
            Err(_) if units::is_percentage(place) => units::parse(place, Dimension::Ratio).map(Self::Share),
            Err(_) => units::parse(place, Dimension::Length).map(Self::Arc),
        };
        let read =
            read.map_err(|error| wrong(text, &format!("has a place that {}", error.problem), EXPECTED))?;
        let arc = read.arc(length);
        if (0.0..=length * (1.0 + 1e-9)).contains(&arc) {
            return Ok(read);
        }
        let message = format!("lies at {:.1} mm of a cable of {:.1} mm", 1e3 * arc, 1e3 * length);
        Err(wrong(text, &message, EXPECTED))
    }

    fn arc(self, length: f64) -> f64 {
        match self {
            Self::Arc(arc) => arc,
            Self::Share(share) => share * length,
        }
    }

    fn station(self, compiled: &Compiled, solution: &Solution, cable: usize) -> Station {
        let arc = self.arc(compiled.length_now(&solution.state, cable));
        station(compiled, &solution.state, cable, arc)
    }
}

const EXPECTED: &str = "a place is @ 200 mm, @ 0.2 (m) or @ 50 %, from the start of the cable to its end";

fn one_of(text: &str, what: &str, all: &[&'static str]) -> Result<&'static str, SceneError> {
    all.iter().copied().find(|own| *own == what).ok_or_else(|| {
        let known = format!("{}; known here: {}", offer(what, all.iter().copied()), all.join(", "));
        wrong(text, &format!("asks for '{}'", quote(what)), &known)
    })
}

fn wrong(text: &str, what: &str, help: &str) -> SceneError {
    mistake(Code::UnknownName, "output", format!("the output \"{}\" {what}", quote(text)), help)
}

fn numbers(v: Vec3) -> Vec<f64> {
    vec![v.x, v.y, v.z]
}

/// Position and frame of a cable at an arc length, m.
pub fn station(compiled: &Compiled, state: &NetworkState, cable: usize, arc: f64) -> Station {
    let mut left = arc;
    let spans = &compiled.cables[cable].spans;
    let mut own = spans[0].0;
    for (index, (span, _)) in spans.iter().enumerate() {
        own = *span;
        let length = state.lengths[own];
        if left <= length || index + 1 == spans.len() {
            break;
        }
        left -= length;
    }
    compiled.network.rod(state, own).station(&state.spans[own].rod, left)
}

/// The solution between its samples.
fn sample_at(samples: &[Sample], s: f64) -> Option<Sample> {
    let after = samples.partition_point(|own| own.s < s).min(samples.len().checked_sub(1)?).max(1);
    let (a, b) = (&samples[after - 1], samples.get(after)?);
    let share = if b.s > a.s { ((s - a.s) / (b.s - a.s)).clamp(0.0, 1.0) } else { 1.0 };
    let frame = a.frame * rotation::exp(&(rotation::log(&(a.frame.conjugate() * b.frame)) * share));
    Some(Sample {
        s,
        position: a.position.lerp(&b.position, share),
        frame,
        strain: a.strain.lerp(&b.strain, share),
        moment_material: a.moment_material.lerp(&b.moment_material, share),
        force_world: a.force_world.lerp(&b.force_world, share),
        radius: a.radius,
    })
}

fn told(what: &str, sample: &Sample) -> Vec<f64> {
    match what {
        "strain" => numbers(sample.strain),
        "curvature" => vec![sample.curvature()],
        "bend_radius" => vec![1.0 / sample.curvature()],
        "force" => numbers(sample.force_world),
        "tension" => vec![sample.tension()],
        _ => numbers(sample.moment_material),
    }
}
