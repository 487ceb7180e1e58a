//! A batch: where a coolant hose goes while its far end is moved over a grid of places, one row of the grid per thread.
//! Along a row every solve starts from the shape before, which costs a few iterations; the answers are those of solves
//! from scratch.
//!
//! `cargo run --release -p flexline --example batch`

use flexline::prelude::*;
use rayon::prelude::*;

const ROWS: usize = 16;
const PLACES: usize = 32;

/// The hose with its far end at a place of the grid: 200 mm by 100 mm.
fn problem(row: usize, place: usize) -> Result<Problem, Box<dyn std::error::Error + Send + Sync>> {
    let hose = find_part("coolant-hose").ok_or("no such part")?.section;
    let mesh = Mesh::uniform(0.8, 60)?;
    let rod = MixedRod::new(&mesh, &SectionProfile::uniform(hose), &|_| Vec3::zeros());
    let share = |k: usize, of: usize| k as f64 / (of - 1) as f64;
    let far = Vec3::new(0.40 + 0.20 * share(place, PLACES), 0.10 * share(row, ROWS), -0.20);
    let clamp = |position: Vec3| {
        End::clamped(Pose { position, orientation: rotation::frame(&Vec3::x(), &Vec3::z()) })
    };
    let mut problem = Problem::new(rod, clamp(Vec3::zeros()), clamp(far));
    problem.gravity = Vec3::new(0.0, 0.0, -9.81);
    Ok(problem)
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    // A workspace per row: a prepared solve allocates nothing and remembers its last factors.
    let rows = (0..ROWS).into_par_iter().map(|row| {
        let mut moving = problem(row, 0)?;
        let (mut state, _) = solve_from_scratch(&moving, &Settings::default())?;
        let mut workspace = Workspace::new(&moving);
        let mut iterations = 0;
        for place in 1..PLACES {
            moving.ends = problem(row, place)?.ends;
            let report = solve(&moving, &mut state, &mut workspace, &Settings::interactive())?;
            assert_eq!(report.status, Status::Converged, "row {row}, place {place}");
            iterations += report.iterations;
        }
        // The last of the row once more from nothing.
        let (fresh, report) = solve_from_scratch(&moving, &Settings::default())?;
        let middle = |state: &State| moving.rod.station(&state.rod, 0.4).position;
        let apart = (middle(&state) - middle(&fresh)).norm();
        Ok((iterations, report.iterations, middle(&state), apart))
    });
    let rows: Vec<_> = rows.collect::<Result<_, Box<dyn std::error::Error + Send + Sync>>>()?;
    let warm = rows.iter().map(|row| row.0).sum::<usize>() as f64 / (ROWS * (PLACES - 1)) as f64;
    let cold = rows.iter().map(|row| row.1).sum::<usize>() as f64 / ROWS as f64;
    let lowest = rows.iter().map(|row| row.2.z).fold(f64::INFINITY, f64::min);
    println!("{} solves: {warm:.1} iterations each, from scratch {cold:.1}", ROWS * PLACES);
    println!("at the end of the rows the middle is never lower than {:.1} mm", lowest * 1e3);
    assert!(warm < cold, "{warm} {cold}");
    assert!(rows.iter().all(|row| row.3 < 1e-8), "{rows:?}");
    Ok(())
}
