//! All equilibria of a scene that can be found: at one value of a parameter from many starts ([`Search`]), along a parameter by following
//! branches ([`Diagram`]).
//!
//! A start is a shape that random forces have pushed the cables into. From each the cable is let go, which leads to a stable equilibrium,
//! and Newton's method is started away from all that is known, which leads to any. What was found is no proof that there is no more: where
//! every start led is part of the answer.

mod congruent;
mod diagram;

pub use congruent::{Copy, Image};
pub use diagram::{Diagram, Happening, Kind, Origin, Place, Stretch, Traced, Tracing};

use crate::base::{Base, StudyError, solved};
use crate::study::sample::uniform;
use congruent::Form;
use flexline::Vec3;
use flexline::rod::Rod;
use flexline::solver::network::{
    Explorer, Known, Network, NetworkReport, NetworkState, NetworkWorkspace, apart, measure, measure_form,
    profiles,
};
use flexline::solver::report::Energies;
use flexline::solver::statics::energies_at_rest;
use flexline::solver::{Axes, PointLoad, Stability, Status};
use flexline_scene::{Compiled, Scene};
use flexline_session::session::Solved;
use serde::Serialize;
use std::f64::consts::TAU;

/// Two states are one equilibrium where they are no farther apart, as a share of the longest span.
const SAME: f64 = 1e-5;
/// Forces of a start, beside what bends the cable double: from the least to the most, by equal factors.
const FORCES: [f64; 2] = [0.5, 60.0];
/// Forces on one span.
const PUSHES: u64 = 3;
/// Most waves of a start that pushes to and fro.
const WAVES: f64 = 6.0;
/// Deflated searches from one start, each away from what the one before has found.
const AGAIN: usize = 3;
/// Most images that searches are driven away from: there may be any number of them where something turns freely.
const MOST_KNOWN: usize = 60;

/// Energy of a solution.
pub(crate) fn total(energies: &Energies) -> f64 {
    energies.bending + energies.torsion + energies.gravity + energies.loads
}

/// An equilibrium.
#[derive(Clone)]
pub struct Equilibrium {
    /// The scene in it.
    pub solved: Solved,
    /// Its energies, J.
    pub energies: Energies,
    /// Its second variation.
    pub stability: Option<Stability>,
    /// Searches that led here: downhill, and by Newton's method away from what was known.
    pub downhill: usize,
    /// The same by deflation.
    pub deflated: usize,
    /// The same shape elsewhere: moved, mirrored, or run through backwards.
    pub images: Vec<Image>,
    form: Form,
}

impl Equilibrium {
    /// All energies together, J.
    pub fn energy(&self) -> f64 {
        total(&self.energies)
    }
}

/// What became of the searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Starts.
    pub starts: usize,
    /// Searches downhill, and how many of them found nothing.
    pub downhill: [usize; 2],
    /// Deflated searches, and how many of them found nothing.
    pub deflated: [usize; 2],
    /// The start after which nothing new was found, from 1; 0 where that of the scene itself was all.
    pub last_new: usize,
}

/// Equilibria at one value of a parameter.
pub struct Found {
    /// Each once, by energy.
    pub equilibria: Vec<Equilibrium>,
    /// What became of the searches.
    pub tally: Tally,
}

/// A search at one value.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Random starts.
    pub starts: usize,
    /// What they depend on.
    pub seed: u64,
}

/// A scene compiled for a search: one that refines itself would have other unknowns from one equilibrium to the next.
pub(crate) fn compiled(base: &Base, text: &str) -> Result<(Scene, Compiled), StudyError> {
    let scene = base.read(text)?;
    let compiled = scene.compile_even_short()?;
    if !compiled.chosen.is_empty() {
        let help = "equilibria are compared segment by segment: give their number by --segments or --elements instead of an accuracy";
        return Err(StudyError::Input(help.into()));
    }
    if !compiled.network.wheels.is_empty() || compiled.network.slides.iter().any(|own| own.friction > 0.0) {
        return Err(StudyError::Input(
            "rope over pulleys, or with friction, has equilibria that depend on how they were reached: they cannot be listed".into(),
        ));
    }
    Ok((scene, compiled))
}

impl Search {
    /// Looks for equilibria of a text of the scene; `progress` is told after every start.
    pub fn run(&self, base: &Base, text: &str, progress: &mut dyn FnMut()) -> Result<Found, StudyError> {
        let (scene, compiled) = compiled(base, text)?;
        let network = compiled.network.clone();
        let settings = flexline::solver::statics::Settings { stability: false, ..compiled.settings() };
        let mut explorer = Explorer::new(&network, &settings).map_err(|error| scene.locate(&error))?;
        let mut found =
            Found { equilibria: Vec::new(), tally: Tally { starts: self.starts, ..Tally::default() } };
        let mut known = [Vec::new(), Vec::new()];
        // As a solve of the scene itself finds it, and the shape it is laid in.
        let solution = compiled.solve(&settings).map_err(|error| scene.locate(&error))?;
        if solution.report.status != Status::Converged {
            return Err(StudyError::Input(format!(
                "{}: the scene has no equilibrium to start from ({})",
                base.name,
                compiled.ending_with_troubles(&solution.report)
            )));
        }
        let seen = Seen { scene: &scene, compiled: &compiled, network: &network };
        let first = solution.state;
        for start in 0..=self.starts {
            let pushed = match start {
                0 => first.clone(),
                _ => self.pushed(&mut explorer, &network, &first, start as u64),
            };
            let mut down = pushed.clone();
            let led = explorer.descend(&network, &mut down).ok();
            let mut is_new = false;
            match led.filter(|report| report.status == Status::Converged) {
                Some(report) => {
                    is_new |= seen.add(&mut found, &mut explorer, &mut known, (down, report), true)
                }
                None => found.tally.downhill[1] += 1,
            }
            found.tally.downhill[0] += 1;
            for _ in 0..AGAIN {
                found.tally.deflated[0] += 1;
                let mut own = if start == 0 {
                    self.pushed(&mut explorer, &network, &first, u64::MAX)
                } else {
                    pushed.clone()
                };
                // Away from places, and away from forms: copies of one shape may be without end.
                let away = if start % 2 == 0 { Known::Places(&known[0]) } else { Known::Forms(&known[1]) };
                let led = explorer.deflated(&network, &mut own, away);
                let is_known = |own: &NetworkState| {
                    let there = measure(&network, own);
                    known[0].iter().any(|known| apart(known, &there) < SAME)
                };
                let Some(report) = led.filter(|_| !is_known(&own)) else {
                    found.tally.deflated[1] += 1;
                    break;
                };
                is_new |= seen.add(&mut found, &mut explorer, &mut known, (own, report), false);
            }
            if is_new {
                found.tally.last_new = start;
            }
            progress();
        }
        found.equilibria.sort_by(|a, b| a.energy().total_cmp(&b.energy()));
        Ok(found)
    }

    /// The shape that random forces push everything into.
    fn pushed(
        &self,
        explorer: &mut Explorer,
        network: &Network,
        first: &NetworkState,
        start: u64,
    ) -> NetworkState {
        let mut pushed = network.clone();
        let mut column = 0;
        let mut chance = || {
            column += 1;
            uniform(self.seed, column, start)
        };
        let size = FORCES[0] * (FORCES[1] / FORCES[0]).powf(chance());
        // Every other start pushes to and fro along one direction, as often as chance has it: waves of that number.
        let waves = (start % 2 == 1).then(|| 1 + (chance() * WAVES) as usize);
        let across = direction(&mut chance);
        for span in &mut pushed.spans {
            let (length, stiffness) = (span.rod.length(), stiffness(network));
            let scale = size * stiffness / (length * length);
            let mut push = |s: f64, force: Vec3| {
                span.point_loads.push(PointLoad { s, force, moment: Vec3::zeros(), axes: Axes::World });
            };
            for place in 0..waves.unwrap_or(0) {
                let waves = waves.unwrap_or(1) as f64;
                let sign = if place % 2 == 0 { 1.0 } else { -1.0 };
                push(length * (place as f64 + 0.5) / waves, across * (sign * scale * waves));
            }
            for _ in 0..if waves.is_some() { 1 } else { PUSHES } {
                let force = direction(&mut chance) * (scale * (0.3 + chance()));
                push(length * (0.05 + 0.9 * chance()), if waves.is_some() { force * 0.1 } else { force });
            }
        }
        let mut state = first.clone();
        match explorer.descend(&pushed, &mut state) {
            Ok(report) if report.status == Status::Converged => state,
            _ => first.clone(),
        }
    }
}

/// A direction, as likely as any other.
fn direction(chance: &mut dyn FnMut() -> f64) -> Vec3 {
    let (height, angle) = (2.0 * chance() - 1.0, TAU * chance());
    let flat = (1.0 - height * height).max(0.0).sqrt();
    Vec3::new(flat * angle.cos(), flat * angle.sin(), height)
}

/// Bending stiffness of the network, N m².
fn stiffness(network: &Network) -> f64 {
    network.spans.iter().map(|span| span.rod.first_stiffness().max()).fold(0.0, f64::max)
}

/// What an equilibrium is told with.
pub(crate) struct Seen<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) compiled: &'a Compiled,
    pub(crate) network: &'a Network,
}

impl Seen<'_> {
    /// Adds an equilibrium to those found; whether it is a new one.
    fn add(
        &self,
        found: &mut Found,
        explorer: &mut Explorer,
        [places, forms]: &mut [Vec<Vec<f64>>; 2],
        (state, report): (NetworkState, NetworkReport),
        downhill: bool,
    ) -> bool {
        let form = Form::new(self.network, &state);
        let same = found.equilibria.iter().position(|own| form.relation(&own.form).is_some());
        if let Some(index) = same {
            let own = &mut found.equilibria[index];
            if downhill {
                own.downhill += 1
            } else {
                own.deflated += 1
            }
            let elsewhere = |image: &Image| image.distance(&form) > SAME;
            if let Some(copy) = form.relation(&own.form).filter(|copy| *copy != Copy::Same)
                && own.images.iter().all(elsewhere)
            {
                own.images.push(Image::new(copy, &form));
                if places.len() < MOST_KNOWN {
                    places.push(measure(self.network, &state));
                }
            }
            return false;
        }
        places.push(measure(self.network, &state));
        forms.push(measure_form(self.network, &state));
        let mut own = self.equilibrium(explorer, state, report, form);
        if downhill {
            own.downhill += 1
        } else {
            own.deflated += 1
        }
        found.equilibria.push(own);
        true
    }

    /// The scene in a state whose report says what is known of it.
    pub(crate) fn solved(&self, state: &NetworkState, report: &NetworkReport) -> Solved {
        let spans = profiles(self.network, state, &mut NetworkWorkspace::new(self.network));
        let solution = self.compiled.solution(state.clone(), report.clone(), spans);
        solved(self.scene.clone(), self.compiled.clone(), solution)
    }

    /// An equilibrium with all that is told of it.
    pub(crate) fn equilibrium(
        &self,
        explorer: &mut Explorer,
        state: NetworkState,
        mut report: NetworkReport,
        form: Form,
    ) -> Equilibrium {
        let energies = energies_at_rest(self.network, &state);
        let stability = explorer.stability(self.network, &state);
        report.rest.energies = energies;
        report.rest.stability = stability;
        if let Some(stability) = &stability {
            report.negative = stability.negative;
        }
        let spans = explorer.profiles(self.network, &state);
        let mut solution = self.compiled.solution(state, report, spans);
        solution.lost = self.compiled.lost_turns(&solution, &self.compiled.settings());
        let solved = solved(self.scene.clone(), self.compiled.clone(), solution);
        Equilibrium { solved, energies, stability, downhill: 0, deflated: 0, images: Vec::new(), form }
    }
}
