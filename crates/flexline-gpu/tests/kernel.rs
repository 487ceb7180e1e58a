//! The kernel, compiled by a C++ compiler and run on the processor, against the engine.
//!
//! What a card computes differs from this by round-off alone: the source is the same. `flexline bench gpu` compares a card's own
//! answers where there is one.

use flexline::prelude::*;
use flexline_gpu::{Batch, BatchError, Columns, KERNEL, Outcome, Tolerances};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A cable of `n` segments, number `k` of a family: lengths, stiffness, curl, weight and twist differ.
fn cable(n: usize, k: usize) -> Problem {
    let of = |factor: f64| (factor * (k as f64 + 1.0)).sin();
    let section =
        Section::measured(0.02 * (1.0 + 0.4 * of(1.3)), 0.02, 0.016, 0.15 * (1.0 + 0.5 * of(2.1)), 0.004)
            .expect("a section");
    let mesh = Mesh::uniform(1.0 + 0.1 * of(0.7), n).expect("a mesh");
    let curl = Vec3::new(0.8 * of(3.1), 0.6 * of(4.7), 0.5 * of(5.3));
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(section), &|_| curl);
    let pose =
        |position: Vec3, tangent: Vec3| Pose { position, orientation: rotation::frame(&tangent, &Vec3::z()) };
    let start = End::clamped(pose(Vec3::new(0.1, 0.0, 0.2), Vec3::x()));
    let far = Vec3::new(0.55 + 0.05 * of(1.9), 0.25 + 0.05 * of(2.9), 0.1);
    let mut end = End::clamped(pose(far, Vec3::new(0.6, 0.8, 0.2 * of(0.9)).normalize()));
    end.twist = 2.0 * of(6.1);
    let mut problem = Problem::new(rod, start, end);
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    problem
}

/// The next place of a far end: 2 mm and 1° further.
fn increment(end: &End, k: usize) -> End {
    let phase = 0.3 * k as f64;
    let turn = rotation::exp(&(Vec3::new(phase.sin(), phase.cos(), 0.5) * 0.017));
    End {
        position: end.position + Vec3::new(phase.cos(), phase.sin(), 0.3) * 2e-3,
        orientation: end.orientation.map(|q| turn * q),
        ..*end
    }
}

/// The kernel as a program for the processor: columns in, columns out, as 64-bit numbers. `None` without a compiler.
fn program() -> Option<PathBuf> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).clone()
}

fn build() -> Option<PathBuf> {
    let compiler = ["c++", "g++", "clang++"].into_iter().find(|name| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    // Where checks are run for everybody it may not be left out in silence.
    assert!(
        compiler.is_some() || std::env::var_os("CI").is_none(),
        "no C++ compiler: install one (Debian: apt-get install g++)"
    );
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&folder).expect("the folder of temporary files");
    let source = folder.join("chain.cpp");
    std::fs::write(&source, format!("{HEAD}{KERNEL}{MAIN}")).expect("the source");
    let program = folder.join("chain");
    let output = Command::new(compiler?)
        .args(["-O2", "-std=c++17", "-o"])
        .arg(&program)
        .arg(&source)
        .output()
        .expect("a compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

const HEAD: &str = r"
#include <cmath>
#include <cstdio>
#include <vector>
#define __device__
#define __global__
#define __forceinline__ inline
struct Index { int x; };
static Index blockIdx, blockDim = {1}, threadIdx;
";

const MAIN: &str = r"
static std::vector<double> read(size_t n) {
    std::vector<double> v(n);
    if (fread(v.data(), 8, n, stdin) != n) throw 1;
    return v;
}
int main() {
    std::vector<double> head = read(6);
    int count = (int)head[0], n = (int)head[1];
    std::vector<double> rods = read(8 * (n + 1) * (size_t)count), gravity = read(3 * count), ends = read(14 * count),
        frames = read(4 * (n + 2) * (size_t)count), twists = read((n + 1) * (size_t)count), force = read(3 * count);
    std::vector<double> trial(frames.size()), trial_twists(twists.size()), factors(21 * n * (size_t)count), proof(3 * count);
    std::vector<int> status(count), iterations(count), negative(count);
    for (blockIdx.x = 0; blockIdx.x < count; ++blockIdx.x)
        solve_chains(count, n, (int)head[2], head[3], head[4], head[5], rods.data(), gravity.data(), ends.data(), frames.data(),
                     twists.data(), force.data(), trial.data(), trial_twists.data(), factors.data(), status.data(),
                     iterations.data(), negative.data(), proof.data());
    for (int k = 0; k < count; ++k) {
        double row[3] = {(double)status[k], (double)iterations[k], (double)negative[k]};
        fwrite(row, 8, 3, stdout);
    }
    fwrite(proof.data(), 8, proof.size(), stdout);
    fwrite(frames.data(), 8, frames.size(), stdout);
    fwrite(twists.data(), 8, twists.size(), stdout);
    fwrite(force.data(), 8, force.size(), stdout);
}
";

/// What the kernel answers.
struct Answer {
    outcomes: Vec<Outcome>,
    states: Vec<State>,
}

fn lead(
    program: &PathBuf,
    problems: &[Problem],
    states: &[State],
    ends: &[[End; 2]],
    to: &Tolerances,
) -> Answer {
    let batch = Batch::new(problems).expect("a batch");
    let columns = batch.columns(states).expect("columns");
    let from: Vec<_> = states.iter().map(|state| state.ends).collect();
    let (count, n) = (batch.count(), batch.segments());
    let head = [count as f64, n as f64, f64::from(to.most), to.force, to.position, to.turn];
    let led = batch.end_columns(&from, ends).expect("ends");
    let all =
        [&head[..], batch.rods(), batch.gravity(), &led, &columns.frames, &columns.twists, &columns.forces];
    let bytes: Vec<u8> = all.into_iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the compiled kernel runs");
    let mut input = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().expect("its output");
    writer.join().expect("a writer").expect("it reads all");
    assert!(output.status.success());
    let numbers: Vec<f64> = output
        .stdout
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes")))
        .collect();
    let mut rest = &numbers[..];
    let mut take = |length: usize| {
        let (own, others) = rest.split_at(length);
        rest = others;
        own.to_vec()
    };
    let rows = take(3 * count);
    let proof = take(3 * count);
    let frames = take(4 * (n + 2) * count);
    let twists = take((n + 1) * count);
    let forces = take(3 * count);
    let outcomes: Vec<_> = (0..count)
        .map(|k| {
            let [status, iterations, negative] = std::array::from_fn(|i| rows[3 * k + i] as i32);
            Outcome::from_kernel(
                status,
                iterations,
                negative,
                std::array::from_fn(|row| proof[row * count + k]),
            )
        })
        .collect();
    let ends: Vec<_> = (0..count).map(|k| if outcomes[k].is_settled() { ends[k] } else { from[k] }).collect();
    Answer { states: batch.states(&Columns { frames, twists, forces }, &ends), outcomes }
}

fn solved(problems: &[Problem]) -> Vec<State> {
    let solve = |problem: &Problem| {
        let (state, report) = solve_from_scratch(problem, &Settings::default()).expect("a problem");
        assert_eq!(report.status, Status::Converged);
        state
    };
    problems.iter().map(solve).collect()
}

fn farthest(a: &State, b: &State) -> f64 {
    a.rod.coordinates.iter().zip(&b.rod.coordinates).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn led_cables_are_where_the_engine_finds_them() {
    let Some(program) = program() else { return };
    let mut problems: Vec<_> = (0..40).map(|k| cable(32, k)).collect();
    let mut states = solved(&problems);
    let mut references = states.clone();
    let mut workspaces: Vec<_> = problems.iter().map(Workspace::new).collect();
    for round in 0..3 {
        for (k, problem) in problems.iter_mut().enumerate() {
            problem.ends[1] = increment(&problem.ends[1], 7 * k + round);
        }
        let ends: Vec<_> = problems.iter().map(|problem| problem.ends).collect();
        let answer = lead(&program, &problems, &states, &ends, &Tolerances::default());
        states = answer.states;
        for (k, problem) in problems.iter().enumerate() {
            let report = solve(problem, &mut references[k], &mut workspaces[k], &Settings::default())
                .expect("a problem");
            assert_eq!(report.status, Status::Converged);
            let outcome = answer.outcomes[k];
            assert!(outcome.is_settled() && outcome.iterations <= 5, "cable {k}: {outcome:?}");
            let unstable = report.rest.stability.as_ref().map(|stability| stability.negative);
            assert_eq!(outcome.unstable.map(|n| n as usize), unstable, "cable {k}");
            let apart = farthest(&states[k], &references[k]);
            assert!(apart < 1e-8, "round {round}, cable {k}: {apart:e}");
            let force = (states[k].end_force - references[k].end_force).norm();
            assert!(force < 1e-7 * (1.0 + references[k].end_force.norm()), "cable {k}: {force:e} N");
        }
    }
}

/// The engine judges what the kernel found: what is left to do is round-off.
#[test]
fn the_engine_accepts_what_the_kernel_found() {
    let Some(program) = program() else { return };
    let mut problems: Vec<_> = (0..8).map(|k| cable(20, k)).collect();
    let states = solved(&problems);
    problems.iter_mut().enumerate().for_each(|(k, problem)| problem.ends[1] = increment(&problem.ends[1], k));
    let ends: Vec<_> = problems.iter().map(|problem| problem.ends).collect();
    let mut answer = lead(&program, &problems, &states, &ends, &Tolerances::default());
    for (problem, state) in problems.iter().zip(&mut answer.states) {
        let before = state.clone();
        let report =
            solve(problem, state, &mut Workspace::new(problem), &Settings::default()).expect("a problem");
        assert!(report.status == Status::Converged && report.iterations <= 1, "{:?}", report.status);
        let moved = farthest(&before, state);
        assert!(moved < 1e-9, "{moved:e}");
    }
}

/// An unstable equilibrium is found from near by and told as what it is.
#[test]
fn directions_that_release_energy_are_counted() {
    let Some(program) = program() else { return };
    // A straight column under ever more of its buckling loads.
    let section = Section::measured(0.02, 0.02, 0.016, 0.15, 0.004).expect("a section");
    let rod =
        MixedRod::new(&Mesh::uniform(1.0, 24).expect("a mesh"), &SectionProfile::uniform(section), &|_| {
            Vec3::zeros()
        });
    let clamp = |x: f64| {
        End::clamped(Pose {
            position: Vec3::new(x, 0.0, 0.0),
            orientation: rotation::frame(&Vec3::x(), &Vec3::z()),
        })
    };
    let problem = Problem::new(rod, clamp(0.0), clamp(1.0));
    let mut state = solved(std::slice::from_ref(&problem)).remove(0);
    let reference = |state: &State| {
        let mut state = state.clone();
        let report = solve(&problem, &mut state, &mut Workspace::new(&problem), &Settings::default())
            .expect("a problem");
        report.rest.stability.as_ref().map(|stability| stability.negative)
    };
    // A clamped column buckles at (4, 8.18, 16, 24.2, 36, 48.2, 64, …) π² EI/L², in both planes; π² EI/L² = 0.197 N.
    for (push, expected) in [(-0.5, 0), (-1.2, 2), (-10.0, 12)] {
        state.end_force = Vec3::new(push, 0.0, 0.0);
        let problems = std::slice::from_ref(&problem);
        let answer =
            lead(&program, problems, std::slice::from_ref(&state), &[problem.ends], &Tolerances::default());
        let outcome = answer.outcomes[0];
        assert_eq!((outcome.iterations, outcome.unstable), (0, Some(expected)), "{push} N: {outcome:?}");
        assert_eq!(reference(&state), Some(expected as usize), "{push} N");
    }
}

#[test]
fn what_is_not_found_keeps_its_state() {
    let Some(program) = program() else { return };
    let problems = [cable(16, 0), cable(16, 1)];
    let states = solved(&problems);
    let mut ends: Vec<_> = problems.iter().map(|problem| problem.ends).collect();
    // The first is led out of reach, the second is left where it is.
    ends[0][1].position = Vec3::new(5.0, 0.0, 0.0);
    let answer = lead(&program, &problems, &states, &ends, &Tolerances::default());
    let [lost, kept] = [answer.outcomes[0], answer.outcomes[1]];
    assert!(!lost.is_settled() && lost.unstable.is_none(), "{lost:?}");
    assert!(lost.off > 1e-3, "the distance that it misses is told");
    assert!(kept.is_settled());
    assert!(farthest(&answer.states[0], &states[0]) < 1e-14);
    assert_eq!(answer.states[0].ends, states[0].ends);
}

#[test]
fn what_a_batch_cannot_have_is_named() {
    let message = |problems: &[Problem]| Batch::new(problems).expect_err("refused").to_string();
    assert_eq!(Batch::new(&[]).expect_err("refused"), BatchError::Empty);
    let good = cable(16, 0);
    assert!(message(&[good.clone(), cable(17, 1)]).contains("cable 1 has 17 segments, the first has 16"));
    let mut pinned = good.clone();
    pinned.ends[1].orientation = None;
    assert!(message(&[good.clone(), pinned]).contains("cable 1: an end is not clamped"));
    let mut loaded = good.clone();
    loaded.point_loads.push(PointLoad { s: 0.1, force: Vec3::x(), moment: Vec3::zeros(), axes: Axes::World });
    assert!(message(&[loaded]).contains("loads besides its weight"));
    let mut wrong = good.clone();
    wrong.gravity.x = f64::NAN;
    assert!(message(&[wrong]).contains("not a finite number"));

    let batch = Batch::new(std::slice::from_ref(&good)).expect("a batch");
    let mut turned = good.ends;
    turned[1].twist += 7.0;
    let error = batch.end_columns(&[good.ends], &[turned]).expect_err("refused");
    assert!(matches!(error, BatchError::Turn { cable: 0, .. }), "{error}");
    let mut nowhere = good.ends;
    nowhere[1].position.x = f64::NAN;
    assert!(batch.end_columns(&[good.ends], &[nowhere]).is_err());
    assert!(batch.columns(&[]).expect_err("refused").to_string().contains("0 states for 1 cables"));
    let other = solved(&[cable(17, 0)]);
    assert!(matches!(batch.columns(&other), Err(BatchError::State { cable: 0, segments: 16 })));
}

#[cfg(not(feature = "cuda"))]
#[test]
fn without_support_a_card_is_refused_with_the_way_out() {
    let error = flexline_gpu::Card::open(0).expect_err("refused");
    assert!(error.to_string().contains("--features cuda"), "{error}");
}
