//! `flexline bench`: what an equilibrium costs, beside a floor measured in the same run.
//!
//! The floor is one factorisation and one solve of the same matrix: a number that no machine's
//! mood changes is the ratio to it. Exponents are least-squares slopes of log cost over log n.

mod batch;
mod contact;
mod derivatives;
mod gpu;
mod heap;
mod micado;
mod motion;
mod networks;
mod recursive;
mod studio;
mod touching;

use crate::experiment::{Exact, curly};
use crate::failure::{Failure, GOOD};
use crate::output::{Table, print, print_json};
use crate::progress::Progress;
use clap::Args;
use flexline::algebra::rotation;
use flexline::geometry::darboux::{Classical, HelixElement, Summation, integrate};
use flexline::rod::mixed::{Mesh, MixedRod};
use flexline::section::{Section, SectionProfile};
use flexline::solver::statics::{Settings, Workspace, initial_state, solve};
use flexline::solver::{End, Pose, Problem, State, Status};
use flexline::{Quat, Vec3};
use serde::Serialize;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::hint::black_box;
use std::time::Instant;

/// Measure what equilibria cost, as times and as ratios to one factorisation of the same matrix
#[derive(Args)]
pub struct Bench {
    /// Which benchmarks: drag, cold, derivatives, stability, harness, eyes, beads, motion, batch, element, micado, recursive, studio, contact, gpu; all that this machine can run when none is named
    names: Vec<String>,
    /// Machine-readable output
    #[arg(long)]
    json: bool,
    /// Segments to measure at
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [25, 50, 100, 200, 400, 800],
          value_parser = clap::value_parser!(u32).range(4..=100_000))]
    segments: Vec<u32>,
    /// Cables in the batch
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    cables: u32,
    /// Drag so long in the studio and tell how memory grows, s
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    soak: Option<u32>,
    /// Drags a second of that, as a hand would; as many as can be without it
    #[arg(long, value_name = "HZ", requires = "soak", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rate: Option<u32>,
    /// Of the studio this scene alone
    #[arg(long, value_enum)]
    scene: Option<studio::Scene>,
}

impl Bench {
    /// What one benchmark is run at.
    fn sizes(&self, entry: &Entry, segments: &[usize]) -> Vec<usize> {
        let mut sizes = entry.sizes.list(segments);
        if let (Some(scene), "studio") = (self.scene, entry.name) {
            sizes.retain(|index| *index == scene as usize);
        }
        sizes
    }
}

/// One line of the table.
#[derive(Default, Serialize)]
struct Line {
    name: &'static str,
    n: usize,
    median_ms: f64,
    iterations: f64,
    floor_ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_efficiency: Option<f64>,
    /// Cost of the classical Runge–Kutta method to 1e-12 over this cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    rk4_ratio: Option<f64>,
    /// Which scene of a paper, and what that says.
    #[serde(skip_serializing_if = "Option::is_none")]
    micado: Option<micado::Scene>,
    /// Costs beside those of a dense matrix over all coordinates.
    #[serde(skip_serializing_if = "Option::is_none")]
    recursive: Option<recursive::Costs>,
    /// From a hand on the socket to the frame that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    studio: Option<studio::Numbers>,
    /// What touches, and what the same costs where nothing can.
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<contact::Numbers>,
    /// What touches in motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    touching: Option<touching::Numbers>,
    /// What many cables on all cores come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch: Option<batch::Numbers>,
    /// What a graphics card did.
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<gpu::Numbers>,
}

impl Line {
    /// Whether it goes into the table of costs beside a floor.
    fn has_floor(&self) -> bool {
        self.micado.is_none()
            && self.recursive.is_none()
            && self.studio.is_none()
            && self.contact.is_none()
            && self.touching.is_none()
            && self.gpu.is_none()
    }
}

/// What a benchmark is run at.
#[derive(Clone, Copy)]
enum Sizes {
    /// The numbers of segments asked for.
    Asked,
    /// One size only, where growth is not the question.
    One(usize),
    /// Sizes of its own.
    Own(&'static [usize]),
    /// Scenes by number.
    Scenes(usize),
}

impl Sizes {
    fn list(self, asked: &[usize]) -> Vec<usize> {
        match self {
            Self::Asked => asked.to_vec(),
            Self::One(n) => vec![n],
            Self::Own(list) => list.to_vec(),
            Self::Scenes(count) => (0..count).collect(),
        }
    }
}

/// A benchmark by name: what it measures at `n` segments.
struct Entry {
    name: &'static str,
    about: &'static str,
    run: fn(&Bench, usize) -> Result<Line, String>,
    sizes: Sizes,
}

const ENTRIES: [Entry; 15] = [
    Entry {
        name: "drag",
        about: "an increment of 2 mm and 1° on a 1 m cable",
        run: drag,
        sizes: Sizes::Asked,
    },
    Entry { name: "cold", about: "a first solve from the laid shape", run: cold, sizes: Sizes::Asked },
    Entry {
        name: "derivatives",
        about: "a solution by ten numbers (pose of an end, gravity, length); the floor is the solve that found it",
        run: derivatives::run,
        sizes: Sizes::Asked,
    },
    Entry {
        name: "stability",
        about: "smallest eigenvalue of an equilibrium",
        run: stability,
        sizes: Sizes::Asked,
    },
    Entry {
        name: "harness",
        about: "an increment of 2 mm on a trunk with a branch at every joint, n spans of 20 segments",
        run: networks::harness,
        sizes: Sizes::Asked,
    },
    Entry {
        name: "eyes",
        about: "an increment of 2 mm on a cord that slides through n eyes, 8 segments between them",
        run: networks::eyes,
        sizes: Sizes::Asked,
    },
    Entry {
        name: "beads",
        about: "a step of 10 ms with n beads that slide down a cord and push each other",
        run: networks::beads,
        sizes: Sizes::Asked,
    },
    Entry {
        name: "motion",
        about: "a step of 10 ms of a hose of 1 m that is let go, by every model",
        run: motion::run,
        sizes: Sizes::Scenes(motion::COUNT),
    },
    Entry {
        name: "batch",
        about: "many cables over all cores, per cable, from nothing and moved",
        run: batch::run,
        sizes: Sizes::One(100),
    },
    Entry {
        name: "element",
        about: "frame and centreline of one clothoid element that turns by 20 rad",
        run: element,
        sizes: Sizes::One(1),
    },
    Entry {
        name: "micado",
        about: "a step of 10 ms of the six scenes of a paper, beside its table",
        run: micado::run,
        sizes: Sizes::Scenes(micado::SCENES),
    },
    Entry {
        name: "recursive",
        about: "Newton's system of a strand of n helices by recursion, beside one dense matrix",
        run: recursive::run,
        sizes: Sizes::Own(&recursive::ELEMENTS),
    },
    Entry {
        name: "studio",
        about: "from a hand on the socket to the frame that shows it: one cable, a harness of 50",
        run: studio::run,
        sizes: Sizes::Scenes(studio::SCENES),
    },
    Entry {
        name: "contact",
        about: "an increment of 2 mm on a cable that lies on something, beside one that touches nothing; steps in time of a cable on a drum, of knots and of rods that fall in a heap",
        run: contact::run,
        sizes: Sizes::Scenes(contact::SCENES),
    },
    Entry {
        name: "gpu",
        about: "increments of many cables together on a graphics card, beside all cores",
        run: gpu::run,
        sizes: Sizes::One(32),
    },
];

/// A 1 m cable, both ends clamped, under gravity and 1.5 turns of twist.
fn cable(n: usize) -> Result<Problem, String> {
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).map_err(|e| e.to_string())?;
    let mesh = Mesh::uniform(1.0, n).map_err(|e| e.to_string())?;
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| Vec3::zeros());
    let pose = |x: f64, y: f64, z: f64, tangent: Vec3| Pose {
        position: Vec3::new(x, y, z),
        orientation: rotation::frame(&tangent, &Vec3::z()),
    };
    let start = End::clamped(pose(0.0, 0.0, 0.0, Vec3::x()));
    let mut end = End::clamped(pose(0.55, 0.25, 0.1, Vec3::new(0.6, 0.8, 0.0)));
    end.twist = 3.0 * PI;
    let mut problem = Problem::new(rod, start, end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    Ok(problem)
}

/// The `k`-th of a closed path of increments: 2 mm along a circle, 1° about a turning axis.
fn increment(end: &End, k: usize) -> End {
    let phase = 2.0 * PI * k as f64 / 120.0;
    let step = Vec3::new(phase.cos(), phase.sin(), (2.0 * phase).sin()).normalize() * 2e-3;
    let axis = Vec3::new((3.0 * phase).sin(), phase.cos(), phase.sin()).normalize();
    let turn = rotation::exp(&(axis * (PI / 180.0)));
    End {
        position: end.position + step,
        orientation: end.orientation.map(|q: Quat| turn * q),
        twist: end.twist,
        held: end.held,
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

/// Median time of one factorisation and solve of the matrix in `ws`.
fn floor(problem: &Problem, ws: &mut Workspace) -> f64 {
    let mut sink = 0.0;
    let mut times: Vec<f64> =
        (0..200).map(|_| milliseconds(|| sink += ws.factorise_and_solve_once(problem))).collect();
    assert!(!sink.is_nan(), "the matrix of the last solve factorises");
    median(&mut times)
}

fn solved(problem: &Problem) -> Result<(State, Workspace), String> {
    let mut state = initial_state(problem);
    let mut ws = Workspace::new(problem);
    let report = solve(problem, &mut state, &mut ws, &Settings::interactive()).map_err(|e| e.to_string())?;
    if report.status != Status::Converged {
        return Err(format!("the benchmark cable did not converge: {}", report.status));
    }
    Ok((state, ws))
}

fn drag(_: &Bench, n: usize) -> Result<Line, String> {
    let mut problem = cable(n)?;
    let (mut state, mut ws) = solved(&problem)?;
    let mut times = Vec::new();
    let mut floors = Vec::new();
    let mut iterations = 0;
    const INCREMENTS: usize = 240;
    for k in 0..INCREMENTS {
        problem.ends[1] = increment(&problem.ends[1], k);
        let mut report = None;
        times.push(milliseconds(|| {
            report = Some(solve(&problem, &mut state, &mut ws, &Settings::interactive()));
        }));
        let report = report.and_then(Result::ok).ok_or("the drag was refused")?;
        if report.status != Status::Converged {
            return Err(format!("increment {k} did not converge: {}", report.status));
        }
        iterations += report.iterations;
        ws.reuse(report);
        if k % 24 == 0 {
            floors.push(floor(&problem, &mut ws));
        }
    }
    let (time, floor) = (median(&mut times), median(&mut floors));
    Ok(Line {
        name: "drag",
        n,
        median_ms: time,
        iterations: iterations as f64 / INCREMENTS as f64,
        floor_ratio: time / floor,
        ..Line::default()
    })
}

fn cold(_: &Bench, n: usize) -> Result<Line, String> {
    let problem = cable(n)?;
    let (_, mut prepared) = solved(&problem)?;
    let mut iterations = 0;
    let mut times = Vec::new();
    for _ in 0..30 {
        let mut outcome = None;
        times.push(milliseconds(|| {
            let mut state = initial_state(&problem);
            outcome = Some(solve(&problem, &mut state, &mut prepared, &Settings::interactive()));
        }));
        iterations = outcome.and_then(Result::ok).map_or(0, |r| r.iterations);
    }
    let floor = floor(&problem, &mut prepared);
    let time = median(&mut times);
    Ok(Line {
        name: "cold",
        n,
        median_ms: time,
        iterations: iterations as f64,
        floor_ratio: time / floor,
        ..Line::default()
    })
}

fn stability(_: &Bench, n: usize) -> Result<Line, String> {
    let problem = cable(n)?;
    let (mut state, mut ws) = solved(&problem)?;
    let settings = Settings { stability: true, ..Settings::default() };
    let mut times: Vec<f64> = (0..10)
        .map(|_| {
            milliseconds(|| {
                let _ = solve(&problem, &mut state, &mut ws, &settings);
            })
        })
        .collect();
    let floor = floor(&problem, &mut ws);
    let time = median(&mut times);
    Ok(Line {
        name: "stability",
        n,
        median_ms: time,
        iterations: 0.0,
        floor_ratio: time / floor,
        ..Line::default()
    })
}

/// One clothoid element by series, beside a helix in closed form (the floor) and RK4 to 1e-12.
fn element(_: &Bench, n: usize) -> Result<Line, String> {
    const TURNING: f64 = 20.0;
    let clothoid = curly(TURNING).map_err(|e| e.to_string())?;
    let length = clothoid.length();
    let helix = HelixElement::new(Vec3::new(0.5, 0.3, 0.8).normalize() * (TURNING / length), length)
        .map_err(|e| e.to_string())?;
    let exact = Exact::of(&clothoid);
    let good = |steps: &usize| {
        let (frame, position) = integrate(&clothoid, Classical::RungeKutta4, *steps);
        exact.error(&frame, &position) <= 1e-12
    };
    let ladder = std::iter::successors(Some(64.0f64), |s| Some(s * 1.1));
    let steps = ladder.map(|s| s as usize).take_while(|s| *s < 1 << 20).find(good);
    let steps = steps.ok_or("RK4 does not reach 1e-12 on the benchmark element")?;
    let per_call =
        |calls: usize, work: &dyn Fn()| milliseconds(|| (0..calls).for_each(|_| work())) / calls as f64;
    // In turns, so that what else the machine does falls on all three alike.
    let (mut times, mut to_floor, mut to_rk4) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..31 {
        let time = per_call(200, &|| {
            black_box(black_box(&clothoid).point(length));
        });
        let floor = per_call(200, &|| {
            black_box(black_box(&helix).point(length));
        });
        let rk4 = per_call(1, &|| {
            black_box(integrate(black_box(&clothoid), Classical::RungeKutta4, steps));
        });
        times.push(time);
        to_floor.push(time / floor);
        to_rk4.push(rk4 / time);
    }
    Ok(Line {
        name: "element",
        n,
        median_ms: median(&mut times),
        iterations: clothoid.piece_count(&Summation::default()) as f64,
        floor_ratio: median(&mut to_floor),
        rk4_ratio: Some(median(&mut to_rk4)),
        ..Line::default()
    })
}

/// Slope of the logarithm of what `of` says over log(n) between n = 50 and the largest size.
fn exponent<'a>(lines: impl IntoIterator<Item = &'a Line>, of: impl Fn(&Line) -> f64) -> Option<f64> {
    let points: Vec<(f64, f64)> =
        lines.into_iter().filter(|l| l.n >= 50).map(|l| ((l.n as f64).ln(), of(l).ln())).collect();
    // Where nothing is iterated there is nothing to grow.
    if points.len() < 2 || points.iter().any(|(_, y)| !y.is_finite()) {
        return None;
    }
    let k = points.len() as f64;
    let (sx, sy) = points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mx, my) = (sx / k, sy / k);
    let (num, den) =
        points.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + (x - mx) * (y - my), b + (x - mx).powi(2)));
    Some(num / den)
}

/// Runs the command.
pub fn run(args: &Bench) -> Result<u8, Failure> {
    for name in &args.names {
        if !ENTRIES.iter().any(|e| e.name == name) {
            let known: Vec<String> = ENTRIES.iter().map(|e| format!("{} ({})", e.name, e.about)).collect();
            return Err(Failure::Input(format!(
                "no benchmark is named '{name}'; there are: {}",
                known.join(", ")
            )));
        }
    }
    let asked = |e: &&Entry| match args.names.is_empty() {
        true => e.name != "gpu" || gpu::is_possible(),
        false => args.names.iter().any(|n| n == e.name),
    };
    let chosen: Vec<&Entry> = ENTRIES.iter().filter(asked).collect();
    let mut segments: Vec<usize> = args.segments.iter().map(|n| *n as usize).collect();
    segments.sort_unstable();
    segments.dedup();
    let total: usize = chosen.iter().map(|e| args.sizes(e, &segments).len()).sum();
    let progress = Progress::new(total as u64, "measurements");
    let mut lines = Vec::new();
    let [mut exponents, mut of_iterations, mut of_floor] = [(); 3].map(|()| BTreeMap::new());
    for entry in chosen {
        let mut own = Vec::new();
        for n in args.sizes(entry, &segments) {
            own.push((entry.run)(args, n).map_err(Failure::Input)?);
            progress.step();
        }
        if matches!(entry.sizes, Sizes::Asked | Sizes::Own(_)) {
            exponents.extend(exponent(&own, |l| l.median_ms).map(|e| (entry.name, e)));
            of_iterations.extend(exponent(&own, |l| l.iterations).map(|e| (entry.name, e)));
            of_floor.extend(exponent(&own, |l| l.median_ms / l.floor_ratio).map(|e| (entry.name, e)));
        }
        lines.extend(own);
    }
    progress.finish();
    touching::find_growth(&mut lines);
    if args.json {
        print_json(&serde_json::json!({
            "benches": lines,
            "exponents": exponents,
            "iteration_exponents": of_iterations,
            "floor_exponents": of_floor,
        }));
        return Ok(GOOD);
    }
    print_lines(&lines);
    for (name, e) in &exponents {
        let besides = [("the floor", &of_floor), ("iterations", &of_iterations)]
            .map(|(what, of)| of.get(name).map_or_else(String::new, |e| format!(", {what} as n^{e:.2}")));
        print(&format!("{name}: cost grows as n^{e:.2}{} from n = 50 on\n", besides.concat()));
    }
    micado::print_table(&lines);
    recursive::print_table(&lines);
    studio::print_table(&lines);
    contact::print_table(&lines);
    touching::print_table(&lines);
    gpu::print_table(&lines);
    batch::print_table(&lines);
    Ok(GOOD)
}

fn print_lines(lines: &[Line]) {
    let mut table =
        Table::new(&["bench", "segments", "median ms", "iterations", "× floor", "parallel", "RK4"]);
    for l in lines.iter().filter(|l| l.has_floor()) {
        table.row(&[
            l.name.to_string(),
            l.n.to_string(),
            // An element takes microseconds.
            format!("{:.*}", if l.median_ms < 0.01 { 5 } else { 4 }, l.median_ms),
            format!("{:.1}", l.iterations),
            format!("{:.1}", l.floor_ratio),
            l.parallel_efficiency.map_or_else(String::new, |e| format!("{:.0} %", 100.0 * e)),
            l.rk4_ratio.map_or_else(String::new, |r| format!("× {r:.0}")),
        ]);
    }
    if lines.iter().any(Line::has_floor) {
        table.print();
        print("\nfloor: one factorisation and solve of the same matrix, same run\n");
    }
    if lines.iter().any(|l| l.rk4_ratio.is_some()) {
        print(
            "element: iterations are pieces, the floor is a helix in closed form, RK4 is what that costs to 1e-12\n",
        );
    }
}
