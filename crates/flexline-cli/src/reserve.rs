//! `flexline reserve`: how much longer the cables of a scene must be for something to be moved.

use crate::check::print_worst;
use crate::failure::{Failure, GOOD, NO, VIOLATION};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use crate::solved::{SceneArgs, parse_move, solve_scene};
use clap::Args;
use flexline::Vec3;
use flexline::solver::network::{Network, NetworkState};
use flexline::solver::statics::{Scratch, Settings, equilibrium};
use flexline::solver::{Pose, Sample, Status};
use flexline_scene::Compiled;
use flexline_scene::check::Verdict;
use flexline_scene::harness::{CompiledCable, Leading, Led};
use flexline_study::{Worst, Worsts};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// Move a part, or an end, and find what the cables lack: the reserve an assembly needs
#[derive(Args)]
pub struct Reserve {
    #[command(flatten)]
    scene: SceneArgs,
    /// What is moved and by how much: NAME=X,Y,Z in metres; without it, what the scene moves in [[motion]]
    #[arg(long = "move", value_name = "NAME=X,Y,Z", allow_hyphen_values = true)]
    motion: Option<String>,
    /// Steps of the way
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: u32,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
}

/// What one step of the way found.
#[derive(Serialize, JsonSchema)]
struct Step {
    /// The share of the way.
    share: f64,
    /// How the solve ended.
    status: Status,
    /// Largest tension, N, in equilibrium.
    #[serde(rename = "largest_tension")]
    tension: Option<f64>,
    /// Missing length of every cable, m.
    missing: Vec<f64>,
}

impl Step {
    fn percent(&self) -> String {
        format!("{:.0} %", 100.0 * self.share)
    }
}

/// Number of the format of `--json`.
const FORMAT: u32 = 1;

/// What cables need to be moved, and what the rules of `check` say on the way.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "flexline reserve --json")]
pub struct ReserveTold {
    /// Number of the format.
    format: u32,
    /// What is moved.
    moved: String,
    /// From where to where in all, m: a vector, or one for everything that the scene moves.
    by: By,
    /// The share of the way at which cables are first too short.
    taut_at: Option<f64>,
    /// The cables.
    cables: Vec<CableTold>,
    /// The worst of all verdicts at steps that have an equilibrium.
    verdict: Verdict,
    /// The worst of every rule, with the number of the step.
    worst: Vec<Worst>,
    /// The steps.
    way: Vec<Step>,
}

/// How far things are moved.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum By {
    /// One thing.
    One(#[schemars(with = "[f64; 3]")] Vec3),
    /// Everything that the scene moves.
    Many(#[schemars(with = "Vec<[f64; 3]>")] Vec<Vec3>),
}

/// What a cable needs.
#[derive(Serialize, JsonSchema)]
struct CableTold {
    /// Its name.
    name: String,
    /// Its length, m.
    length: f64,
    /// How much longer it must be, m.
    reserve_needed: f64,
}

/// What is taken in hand, and where it goes.
enum Hand {
    /// One anchor, from a pose by a vector, m.
    By(usize, Pose, Vec3),
    /// What the scene moves.
    Led(Vec<Led>),
}

impl Hand {
    /// Takes hold of what is asked for, or of what the scene moves, where it is.
    fn new(
        asked: Option<(&str, Vec3)>,
        compiled: &Compiled,
        network: &mut Network,
        state: &NetworkState,
    ) -> Result<Self, Failure> {
        let Some((name, shift)) = asked else {
            let led = compiled.take_in_hand(network, state);
            if led.is_empty() {
                let help = "say what is moved: --move NAME=X,Y,Z in metres, or a [[motion]] in the scene";
                return Err(Failure::Input(help.to_string()));
            }
            return Ok(Self::Led(led));
        };
        let anchor = compiled.anchors.iter().position(|a| a.name == name).ok_or_else(|| {
            let known: Vec<&str> = compiled.anchors.iter().map(|a| a.name.as_str()).collect();
            Failure::Input(format!("nothing is named '{name}'; there are: {}", known.join(", ")))
        })?;
        // Position and orientation are held from where it hangs.
        network.anchors[anchor].held = [true; 3];
        network.anchors[anchor].held_orientation = true;
        Ok(Self::By(anchor, state.anchors[anchor], shift))
    }

    /// Moves to a share of the way.
    fn lead(&self, compiled: &Compiled, network: &mut Network, share: f64) {
        match self {
            Self::By(anchor, from, shift) => {
                let position = from.position + shift * share;
                network.anchors[*anchor].pose = Pose { position, ..*from };
                compiled.carry_obstacles(network);
            }
            Self::Led(led) => {
                let end = led.iter().map(Led::end).fold(0.0, f64::max);
                compiled.lead(network, led, share * end);
            }
        }
    }

    /// The names of what is moved, and from where to where in all, m.
    fn told(&self, compiled: &Compiled) -> (String, By) {
        match self {
            Self::By(anchor, _, shift) => (compiled.anchors[*anchor].name.clone(), By::One(*shift)),
            Self::Led(led) => {
                let name = |led: &Led| match led.what {
                    Leading::Anchor(anchor) => compiled.anchors[anchor].name.clone(),
                    Leading::Obstacle(index) => compiled.obstacles[index].name.clone(),
                };
                let way = |led: &Led| led.at(led.end()).position - led.at(0.0).position;
                let names: Vec<String> = led.iter().map(name).collect();
                (names.join(", "), By::Many(led.iter().map(way).collect()))
            }
        }
    }
}

/// Runs the command.
pub fn run(args: &Reserve) -> Result<u8, Failure> {
    let asked = args.motion.as_deref().map(parse_move).transpose()?;
    let solved = solve_scene(&args.scene)?;
    if solved.status() != Status::Converged {
        return Err(Failure::Input(
            "the scene has no equilibrium to start from: see `flexline solve`".to_string(),
        ));
    }
    let compiled = &solved.compiled;
    let mut led = compiled.clone();
    let mut state = solved.solution.state.clone();
    let hand = Hand::new(asked, compiled, &mut led.network, &state)?;
    let mut scratch = Scratch::new(&led.network);
    let mut worsts = Worsts::new(compiled.cables.iter().map(|own| own.name.clone()).collect());
    let progress = Progress::new(u64::from(args.steps), "steps");
    let mut steps = Vec::new();
    for k in 0..=args.steps {
        let share = f64::from(k) / f64::from(args.steps);
        hand.lead(compiled, &mut led.network, share);
        let mut trial = state.clone();
        let report = equilibrium(&led.network, &mut trial, &mut scratch, &Settings::interactive())
            .map_err(|e| Failure::from(solved.scene.locate(&e)))?;
        let mut missing = vec![0.0; compiled.cables.len()];
        for short in &report.short {
            if let Some(c) =
                compiled.cables.iter().position(|c| c.spans.iter().any(|(s, _)| *s == short.span))
            {
                missing[c] += short.missing;
            }
        }
        let status = report.status;
        let mut tension = None;
        if status == Status::Converged {
            let spans = scratch.profiles(&led.network, &trial);
            let solution = led.solution(trial.clone(), report, spans);
            let samples = solution.profiles.iter().flat_map(|own| &own.samples);
            tension = samples.map(Sample::tension).reduce(f64::max);
            worsts.note(steps.len(), &led.check(&solution));
            state = trial;
        }
        steps.push(Step { share, status, tension, missing });
        progress.step();
    }
    progress.finish();
    let most: Vec<f64> =
        (0..compiled.cables.len()).map(|c| steps.iter().map(|s| s.missing[c]).fold(0.0, f64::max)).collect();
    let taut = steps.iter().find(|s| s.status == Status::TooShort).map(|s| s.share);
    let lost = steps.iter().any(|s| !matches!(s.status, Status::Converged | Status::TooShort));
    if args.json {
        let cable = |(own, most): (&CompiledCable, &f64)| CableTold {
            name: own.name.clone(),
            length: own.length,
            reserve_needed: *most,
        };
        let (moved, by) = hand.told(compiled);
        print_json(&json!(ReserveTold {
            format: FORMAT,
            moved,
            by,
            taut_at: taut,
            cables: compiled.cables.iter().zip(&most).map(cable).collect(),
            verdict: worsts.verdict(),
            worst: worsts.list(),
            way: steps,
        }));
    } else {
        let mut table = Table::new(&["way", "status", "largest tension N", "missing mm"]);
        for s in &steps {
            let total: f64 = s.missing.iter().sum();
            let status = match s.status {
                Status::Converged => "reached",
                Status::TooShort => "too short",
                _ => "not solved",
            };
            let tension = s.tension.map_or_else(|| "-".to_string(), |tension| format!("{tension:.3}"));
            table.row(&[
                s.percent(),
                status.to_string(),
                tension,
                if total > 0.0 { format!("{:.1}", 1e3 * total) } else { String::new() },
            ]);
        }
        table.print();
        print("\n");
        match taut {
            Some(share) => {
                print(&format!("the cables are taut at about {:.0} % of the way\n", 100.0 * share))
            }
            None => print("the cables reach all the way\n"),
        }
        for (cable, missing) in compiled.cables.iter().zip(&most).filter(|(_, m)| **m > 0.0) {
            print(&format!("{}: {:.1} mm more are needed\n", cable.name, 1e3 * missing));
        }
        print("\n");
        let at = |step: usize| steps.get(step).map_or_else(String::new, Step::percent);
        print_worst(compiled, &worsts.list(), "way", at);
    }
    Ok(match (lost, taut.is_some() || worsts.verdict() == Verdict::Fail) {
        (true, _) => NO,
        (false, true) => VIOLATION,
        (false, false) => GOOD,
    })
}
