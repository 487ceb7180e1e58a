//! `flexline drag`: takes what a scene holds in hand and moves it about at random, for minutes.
//!
//! One or two things that are held are led along smooth random ways for a few seconds, then others.
//! After every increment the scene is brought into equilibrium from where it was. What counts is that
//! every increment ends well: in equilibrium, or with a diagnosis where there is none.

use crate::failure::{Failure, GOOD, NO};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use crate::random::Random;
use crate::solved::{Changes, SceneArgs, Solved, solve_scene};
use clap::Args;
use flexline::Vec3;
use flexline::algebra::rotation;
use flexline::contact::Obstacle;
use flexline::solver::network::{Network, NetworkReport, NetworkState};
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline::solver::{Pose, Status};
use flexline_scene::chafing::Chafing;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Drag what a scene holds about at random, and count how every increment ends
#[derive(Args)]
#[command(after_help = "Example: flexline drag scenes/*.toml --seconds 600")]
pub struct Drag {
    /// Scene files
    #[arg(required = true)]
    scenes: Vec<PathBuf>,
    /// Time to drag each scene for, in the time of the one who drags
    #[arg(long, default_value_t = 60.0, value_name = "S")]
    seconds: f64,
    /// Increments per second
    #[arg(long, default_value_t = 10.0, value_name = "HZ")]
    rate: f64,
    /// How far things are led, as a share of the size of the scene
    #[arg(long, default_value_t = 0.1)]
    reach: f64,
    /// Another seed, other ways
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// How the increments of a scene ended.
#[derive(Default, Serialize)]
struct Tally {
    scene: String,
    increments: usize,
    converged: usize,
    too_short: usize,
    conflict: usize,
    failed: usize,
    /// Increments that failed after one that had.
    stuck: usize,
    #[serde(skip)]
    failed_before: bool,
    /// Largest violation of any converged increment, m.
    violation: f64,
    /// Deepest overlap of any converged increment with something that it touches, m.
    penetration: f64,
    /// Work of friction where cables slid on something, J.
    chafing_work: f64,
    /// Newton iterations per increment.
    iterations: f64,
    median_ms: f64,
    #[serde(skip)]
    times: Vec<f64>,
}

impl Tally {
    fn add(&mut self, report: &NetworkReport, sound: bool, time: f64) {
        let (status, iterations) = (report.status, report.iterations);
        self.increments += 1;
        let diagnosed = matches!(status, Status::Converged | Status::TooShort | Status::Conflict);
        let failed_before = std::mem::replace(&mut self.failed_before, !(sound && diagnosed));
        self.stuck += usize::from(self.failed_before && failed_before);
        match status {
            _ if !sound => self.failed += 1,
            Status::Converged => {
                self.converged += 1;
                self.violation = self.violation.max(report.violation);
                self.penetration = self.penetration.max(report.penetration);
            }
            Status::TooShort => self.too_short += 1,
            Status::Conflict => self.conflict += 1,
            _ => self.failed += 1,
        }
        self.iterations += iterations as f64;
        self.times.push(time);
    }

    fn finish(&mut self) {
        self.iterations /= self.increments.max(1) as f64;
        self.times.sort_by(f64::total_cmp);
        self.median_ms = self.times.get(self.times.len() / 2).copied().unwrap_or(0.0);
    }
}

/// Seconds for which the same things are in hand.
const HOLD: f64 = 4.0;
/// Largest turn of the hand, rad.
const TURN: f64 = 0.35;

/// A smooth random way: three waves along each axis of shift and turn, from nothing and back.
struct Way {
    waves: [[(f64, f64); 3]; 6],
}

impl Way {
    fn new(random: &mut Random) -> Self {
        let waves = std::array::from_fn(|_| {
            std::array::from_fn(|_| (random.range(0.1, 1.0), random.range(-1.0, 1.0)))
        });
        Self { waves }
    }

    /// Shift and turn after `time`, at most one each.
    fn at(&self, time: f64) -> (Vec3, Vec3) {
        let fade = (std::f64::consts::PI * time / HOLD).sin().powi(2);
        let axis = |k: usize| {
            let sum =
                self.waves[k].iter().map(|(f, a)| a * (std::f64::consts::TAU * f * time).sin()).sum::<f64>();
            fade * sum / 3.0
        };
        (Vec3::new(axis(0), axis(1), axis(2)), Vec3::new(axis(3), axis(4), axis(5)))
    }

    fn lead(&self, pose: &Pose, time: f64, reach: f64) -> Pose {
        let (shift, turn) = self.at(time);
        Pose {
            position: pose.position + shift * reach,
            orientation: rotation::exp(&(turn * TURN)) * pose.orientation,
        }
    }
}

/// Runs the command.
pub fn run(args: &Drag) -> Result<u8, Failure> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if !(positive(args.seconds) && positive(args.rate) && positive(args.reach)) {
        return Err(Failure::Input("--seconds, --rate and --reach: expected numbers above zero".to_string()));
    }
    let increments = (args.seconds * args.rate).ceil().max(1.0);
    if increments > 1e8 {
        return Err(Failure::Input(format!(
            "{increments:.0} increments: expected at most 1e8; lower --rate"
        )));
    }
    let increments = increments as usize;
    let progress = Progress::new((increments * args.scenes.len()) as u64, "increments");
    let mut tallies = Vec::new();
    for scene in &args.scenes {
        let own = SceneArgs { scene: scene.clone(), changes: Changes::default() };
        let mut tally = Tally { scene: scene.display().to_string(), ..Tally::default() };
        let random = Random::new(args.seed);
        drag(args, increments, &solve_scene(&own)?, random, &progress, &mut tally)?;
        tally.finish();
        tallies.push(tally);
    }
    progress.finish();
    let failed: usize = tallies.iter().map(|t| t.failed).sum();
    if args.json {
        print_json(&serde_json::json!({ "scenes": tallies, "failed": failed }));
    } else {
        let heads = [
            "scene",
            "increments",
            "converged",
            "too short",
            "conflict",
            "failed",
            "stuck",
            "violation m",
            "overlap m",
            "chafing J",
            "iterations",
            "ms",
        ];
        let mut table = Table::new(&heads);
        for t in &tallies {
            table.row(&[
                t.scene.clone(),
                t.increments.to_string(),
                t.converged.to_string(),
                t.too_short.to_string(),
                t.conflict.to_string(),
                t.failed.to_string(),
                t.stuck.to_string(),
                format!("{:.1e}", t.violation),
                format!("{:.1e}", t.penetration),
                format!("{:.1e}", t.chafing_work),
                format!("{:.1}", t.iterations),
                format!("{:.3}", t.median_ms),
            ]);
        }
        table.print();
        print(&format!("\n{failed} increments failed\n"));
    }
    Ok(if failed == 0 { GOOD } else { NO })
}

/// The size of a set of points: the diagonal of the box around them.
fn extent(points: impl Iterator<Item = Vec3>) -> f64 {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for p in points {
        low = low.inf(&p);
        high = high.sup(&p);
    }
    let size = (high - low).norm();
    if size.is_finite() { size } else { 0.0 }
}

/// How much room obstacles leave to the ends of cables on an anchor, and a diameter ahead of them, m.
fn faces(network: &Network, anchor: usize) -> impl Iterator<Item = f64> {
    let pose = network.anchors[anchor].pose;
    let touching = network.spans.iter().filter(|span| span.contact_radius > 0.0);
    let ends = touching.flat_map(|span| {
        let both = [(Some(&span.start), 1.0), (span.end.as_ref(), -1.0)];
        both.map(|(on, along)| on.map(|on| (on.anchor, on.anchor_from_end, along, span.contact_radius)))
    });
    let mut rooms = Vec::new();
    for (_, local, along, radius) in ends.flatten().filter(|(on, ..)| *on == anchor) {
        let at = pose.position + rotation::rotate(&pose.orientation, &local.position);
        let ahead = rotation::tangent(&(pose.orientation * local.orientation)) * (2.0 * along * radius);
        for point in [at, at + ahead] {
            let away =
                |obstacle: &Obstacle| obstacle.distance(&point).map_or(f64::INFINITY, |(away, _)| away);
            rooms.extend(network.obstacles.iter().map(|obstacle| away(obstacle) - radius));
        }
    }
    rooms.into_iter()
}

fn drag(
    args: &Drag,
    increments: usize,
    solved: &Solved,
    mut random: Random,
    progress: &Progress,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let base = &solved.compiled.network;
    let mut network = base.clone();
    let mut state: NetworkState = solved.solution.state.clone();
    let mut scratch = Scratch::new(&network);
    let points = solved.solution.profiles.iter().flat_map(|p| p.samples.iter().map(|s| s.position));
    let reach = args.reach * extent(points);
    let held: Vec<usize> =
        (0..base.anchors.len()).filter(|&a| base.anchors[a].held.iter().any(|h| *h)).collect();
    let per_hold = ((HOLD * args.rate).ceil() as usize).max(1);
    let mut hands: Vec<(usize, Way)> = Vec::new();
    let mut chafing = Chafing::default();
    for k in 0..increments {
        if k % per_hold == 0 && !held.is_empty() {
            for (anchor, _) in &hands {
                network.anchors[*anchor].pose = base.anchors[*anchor].pose;
            }
            let count = if held.len() > 1 && random.one_in(2) { 2 } else { 1 };
            hands = (0..count)
                .map(|_| (held[random.next() as usize % held.len()], Way::new(&mut random)))
                .collect();
        }
        let time = (k % per_hold) as f64 / args.rate;
        for (anchor, way) in &hands {
            let own = network.anchors[*anchor].pose;
            network.anchors[*anchor].pose = way.lead(&base.anchors[*anchor].pose, time, reach);
            // Nobody pushes an end into a wall: the hand waits before it.
            if faces(&network, *anchor).zip(faces(base, *anchor)).any(|(room, before)| room < before.min(0.0))
            {
                network.anchors[*anchor].pose = own;
            }
        }
        let before = state.clone();
        let start = Instant::now();
        let report = equilibrium(&network, &mut state, &mut scratch, &Settings::interactive())
            .map_err(|e| Failure::from(solved.scene.locate(&e)))?;
        let time = start.elapsed().as_secs_f64() * 1e3;
        let sound = state.spans.iter().all(|s| s.rod.coordinates.iter().all(|c| c.is_finite()));
        tally.add(&report, sound, time);
        // What was not reached is tried again from the last equilibrium.
        if report.status != Status::Converged {
            state = before;
        } else if solved.compiled.has_contact() {
            chafing.follow(&solved.compiled, &before, &state, &report.contacts);
        }
        progress.step();
    }
    tally.chafing_work = chafing.places().iter().map(|place| place.work).sum();
    Ok(())
}
