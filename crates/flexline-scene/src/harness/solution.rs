//! A scene in equilibrium: profiles along its cables, forces on its anchors, rules of its cables.

use super::compile::Compiled;
use crate::chafing::Chafing;
use crate::check::{Finding, Verdict, equilibrium as found, judge, resolution, share_used, stability};
use crate::resolution::Piece;
use crate::winding::LostTurns;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::solver::network::{Attachment, Grip, NetworkError, NetworkReport, NetworkState, span_profile};
use flexline::solver::saved::SavedProblem;
use flexline::solver::statics::{Scratch, Settings, equilibrium_fed};
use flexline::solver::{Profile, Sample, Status};

/// What lies on a rim is sampled this often, rad.
const RIM_STEP: f64 = std::f64::consts::PI / 24.0;

/// A solved scene.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The state reached.
    pub state: NetworkState,
    /// Its proof.
    pub report: NetworkReport,
    /// The solution along each cable. Where a cable was cut there are two samples, before and after.
    pub profiles: Vec<Profile>,
    /// Turns that cables have lost.
    pub lost: Vec<LostTurns>,
    /// Where cables have rubbed on the way here.
    pub chafing: Chafing,
}

/// What the rules say about a scene.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Findings {
    /// About the whole: equilibrium and stability.
    pub whole: Vec<Finding>,
    /// About each cable.
    pub cables: Vec<Vec<Finding>>,
}

impl Findings {
    /// The worst verdict of all.
    pub fn overall(&self) -> Verdict {
        let all = self.whole.iter().chain(self.cables.iter().flatten());
        all.map(|f| f.verdict).max().unwrap_or(Verdict::Pass).max(Verdict::Pass)
    }
}

impl Compiled {
    /// Where a solve begins that has no shape before.
    pub fn initial_state(&self) -> NetworkState {
        self.begin().0
    }

    /// Lays the scene out and brings it into equilibrium.
    pub fn solve(&self, settings: &Settings) -> Result<Solution, NetworkError> {
        let (mut state, fed) = self.begin();
        let mut scratch = Scratch::new(&self.network);
        let report = equilibrium_fed(&self.network, &mut state, fed, &mut scratch, settings)?;
        let spans = scratch.profiles(&self.network, &state);
        Ok(self.solution(state, report, spans))
    }

    /// Where a solve begins, and what is fed on its way.
    fn begin(&self) -> (NetworkState, &[(usize, f64)]) {
        match &self.start {
            Some(start) => (start.clone(), &[]),
            None => {
                let laid = || NetworkState::initial(&self.network);
                (self.laid.clone().unwrap_or_else(laid), &self.fed)
            }
        }
    }

    /// All that [`Compiled::solve`] depends on.
    pub fn saved(&self, settings: &Settings) -> SavedProblem {
        let (state, fed) = self.begin();
        SavedProblem::network(self.network.clone(), state, fed.to_vec(), *settings)
    }

    /// What a solve has found, with the solution along every span.
    pub fn solution(&self, state: NetworkState, report: NetworkReport, mut spans: Vec<Profile>) -> Solution {
        let mut take =
            |span: usize| spans.get_mut(span).map_or_else(Vec::new, |own| std::mem::take(&mut own.samples));
        let profiles = (0..self.cables.len()).map(|cable| self.joined(&state, cable, &mut take)).collect();
        Solution { state, report, profiles, lost: Vec::new(), chafing: Chafing::default() }
    }

    /// The solution along a cable, its spans joined.
    pub fn profile(&self, state: &NetworkState, cable: usize) -> Profile {
        self.joined(state, cable, &mut |span| span_profile(&self.network, state, span).samples)
    }

    /// The same, given what there is along every span.
    fn joined(
        &self,
        state: &NetworkState,
        cable: usize,
        along: &mut dyn FnMut(usize) -> Vec<Sample>,
    ) -> Profile {
        let mut samples = Vec::new();
        let mut begin = 0.0;
        for (span, from) in &self.cables[cable].spans {
            let own = along(*span);
            begin += self.add_rim(state, [cable, *span], begin, &own, &mut samples);
            // Where nothing has slid, to the last bit where the scene says.
            let from = if (begin - from).abs() < 1e-12 * self.cables[cable].length { *from } else { begin };
            samples.extend(own.into_iter().map(|sample| Sample { s: sample.s + from, ..sample }));
            begin = samples.last().map_or(from, |last| last.s);
        }
        Profile { samples }
    }

    /// The wheel before a span, how long what lies on its rim is, m, and in how many steps it is sampled.
    fn rim_before(&self, state: &NetworkState, span: usize) -> Option<(usize, f64, usize)> {
        let wheel = self.eyes.iter().find(|e| e.after == span)?.wheel?;
        let wrap = state.contacts[wheel][1] - state.contacts[wheel][0];
        Some((wheel, self.network.wheels[wheel].radius * wrap, (wrap / RIM_STEP).ceil().max(1.0) as usize))
    }

    /// How much of a cable lies on the rim before a span, m.
    pub fn rim_length(&self, state: &NetworkState, span: usize) -> f64 {
        self.rim_before(state, span).map_or(0.0, |(_, length, _)| length)
    }

    /// Adds what lies on the rim before a span, from arc length `begin` on, and returns its length. There the cable
    /// has the curvature of the rim, and its tension goes over from that of the one side to that of the other.
    fn add_rim(
        &self,
        state: &NetworkState,
        [cable, span]: [usize; 2],
        begin: f64,
        after: &[Sample],
        samples: &mut Vec<Sample>,
    ) -> f64 {
        let Some((wheel, length, steps)) = self.rim_before(state, span) else { return 0.0 };
        let (own, [first, last]) = (&self.network.wheels[wheel], state.contacts[wheel]);
        let (Some(&a), Some(&b)) = (samples.last(), after.first()) else { return 0.0 };
        let body = &state.anchors[own.on];
        let axle = rotation::rotate(&(body.orientation * own.pose.orientation), &Vec3::z());
        let cable = &self.cables[cable];
        let (section, rest) = (cable.section.at(begin), cable.rest.at(begin, cable.length));
        for k in 1..steps {
            let share = k as f64 / steps as f64;
            let rim = own.rim(first + share * (last - first));
            let frame = body.orientation * rim.orientation;
            let mut strain = rotation::rotate(&frame.conjugate(), &(axle / own.radius));
            strain.z = a.strain.z;
            samples.push(Sample {
                s: begin + share * length,
                position: body.position + rotation::rotate(&body.orientation, &rim.position),
                frame,
                strain,
                moment_material: section.stiffness.component_mul(&(strain - rest)),
                force_world: rotation::tangent(&frame) * (a.tension() + share * (b.tension() - a.tension())),
                radius: a.radius,
            });
        }
        length
    }

    /// The samples of a cable span by span; what lies on a rim goes with the span before it.
    pub fn pieces<'s>(&self, solution: &'s Solution, cable: usize) -> Vec<(usize, &'s [Sample])> {
        let mut rest = &solution.profiles[cable].samples[..];
        let spans = &self.cables[cable].spans;
        let mut found = Vec::with_capacity(spans.len());
        for (k, (span, _)) in spans.iter().enumerate() {
            let next = spans.get(k + 1).and_then(|(next, _)| self.rim_before(&solution.state, *next));
            let nodes =
                self.network.spans[*span].rod.segments() + 1 + next.map_or(0, |(.., steps)| steps - 1);
            let (own, after) = rest.split_at(nodes.min(rest.len()));
            rest = after;
            found.push((*span, own));
        }
        found
    }

    /// How long a cable is now, m: what it was given, or found for itself.
    pub fn length_now(&self, state: &NetworkState, cable: usize) -> f64 {
        let own = &self.cables[cable];
        if !own.routed {
            return own.length;
        }
        own.spans.iter().map(|(span, _)| state.lengths[*span] + self.rim_length(state, *span)).sum()
    }

    /// Where on its cable an eye, a pulley or a bead is now, m: for a pulley the middle of what lies on it.
    pub fn eye_place(&self, state: &NetworkState, eye: usize) -> f64 {
        let own = &self.eyes[eye];
        let mut s = 0.0;
        for (span, _) in &self.cables[own.cable].spans {
            let on = self.rim_length(state, *span);
            if own.after == *span {
                return s + 0.5 * on;
            }
            s += on + state.lengths[*span];
        }
        s
    }

    /// Twist of a cable from its beginning to its end, turns.
    pub fn twist_turns(&self, state: &NetworkState, cable: usize) -> f64 {
        let network = self.network.slid(state);
        let turns = |span: usize| network.spans[span].rod.twist_turns(&state.spans[span].rod);
        self.cables[cable].spans.iter().map(|(span, _)| turns(*span)).sum()
    }

    /// Largest strain of the centreline of a cable at any place, where it is a spline.
    pub fn local_stretch(&self, state: &NetworkState, cable: usize) -> Option<f64> {
        let network = self.network.slid(state);
        let own = |span: usize| network.spans[span].rod.local_stretch(&state.spans[span].rod);
        self.cables[cable].spans.iter().filter_map(|(span, _)| own(*span)).reduce(f64::max)
    }

    /// The largest share of any limit that a sample of a cable uses; `None` where its section has no limits.
    pub fn utilisation(&self, cable: usize, sample: &Sample) -> Option<f64> {
        share_used(&self.cables[cable].judged(), sample)
    }

    /// Judges every rule, cable by cable.
    pub fn check(&self, solution: &Solution) -> Findings {
        let report = &solution.report;
        let at_rest = report.status == Status::Converged;
        let first = solution.profiles.first().and_then(|profile| profile.samples.first());
        let mut whole = vec![found(report, &self.ending_with_troubles(report), first)];
        whole.extend(at_rest.then(|| stability(report, first)));
        let neighbours = if at_rest && self.has_contact() { self.neighbours(solution) } else { Vec::new() };
        let cables = self.cables.iter().zip(&solution.profiles).enumerate().map(|(i, (cable, profile))| {
            let lost = solution.lost.iter().filter(|lost| lost.cable == cable.name);
            let mut all: Vec<Finding> = Vec::new();
            if at_rest {
                all.extend(self.unresolved(solution, i, true));
                all.extend(judge(&cable.judged(), profile));
                all.extend(self.contact_findings(solution, i, &neighbours));
            }
            all.extend(resolution(profile).filter(|_| at_rest && !self.runs_through_eyes(i)));
            all.extend(lost.map(|lost| lost.finding(profile)));
            all
        });
        Findings { whole, cables: cables.collect() }
    }

    /// Whether a cable runs through eyes or over pulleys, where it bends as sharply as they ask for.
    pub fn runs_through_eyes(&self, cable: usize) -> bool {
        self.eyes.iter().any(|eye| eye.cable == cable)
    }

    /// What the segments or elements of a cable are too coarse for, where that is worst; only what bears on forces and on
    /// limits that are known, where it is `judged`.
    pub fn unresolved(&self, solution: &Solution, cable: usize, judged: bool) -> Option<Finding> {
        if solution.report.status != Status::Converged {
            return None;
        }
        // What is bent beside an eye or a pulley is not left to segments.
        let slides = |span: Option<usize>| span.is_some_and(|k| self.eyes.iter().any(|eye| eye.after == k));
        let spans = &self.cables[cable].spans;
        let piece = |(n, (span, samples)): (usize, (usize, &[Sample]))| {
            let own = &self.network.spans[span];
            let rod = self.network.rod(&solution.state, span);
            // What lies on the rim behind is no part of the rod.
            let samples = samples.get(..=own.rod.segments())?;
            // A ring is not bent by what holds its seam, nor a free end by nothing.
            let bends = |on: &Attachment| {
                let loose = self.cables[cable].grades && !self.network.anchors[on.anchor].held_orientation;
                on.grip == Grip::Clamped && !loose && own.end != Some(own.start)
            };
            let held = |on: &Attachment, after: Option<usize>| bends(on) && !slides(after);
            let next = spans.get(n + 1).map(|(k, _)| *k);
            Piece {
                rod: &rod,
                clamped: [held(&own.start, Some(span)), own.end.is_some_and(|end| held(&end, next))],
                section: &self.cables[cable].section,
                samples,
                stretch: rod.local_stretch(&solution.state.spans[span].rod),
                grades: self.cables[cable].grades,
            }
            .unresolved(judged)
        };
        let coarse = |finding: &Finding| finding.value / finding.limit.unwrap_or(f64::INFINITY);
        let found = self.pieces(solution, cable).into_iter().enumerate().filter_map(piece);
        found.max_by(|a, b| coarse(a).total_cmp(&coarse(b)))
    }

    /// The force that a constraint exerts on its first point, N, world; the second feels the opposite.
    pub fn constraint_force(&self, solution: &Solution, index: usize) -> Vec3 {
        match &solution.report.holds[index] {
            [Some(hold), _] => hold.world.force,
            [None, Some(hold)] => -hold.world.force,
            [None, None] => Vec3::zeros(),
        }
    }
}
