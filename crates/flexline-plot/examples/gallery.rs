//! Writes one picture of every kind, as SVG and PNG, into the folder named on the command line.
//!
//! The cables are made by integrating R′ = R[κ]× for given strains, so frames, positions and strains agree;
//! the forces are plausible rather than solved for.

use flexline_plot::{
    Axis, Cable, Chart, ColourBy, Drawing, End, Guide, Limits, Load, LoadKind, ReportOptions, Series,
    Station, ViewOptions, along, perspective, report, three_views,
};
use nalgebra::{UnitQuaternion, Vector3};
use std::path::{Path, PathBuf};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    std::fs::create_dir_all(&folder)?;
    let hose = brake_hose();
    let subtitle = "Synthetic example · clamped at both ends · 200 segments".into();
    save(&folder, "report", &report(&hose, &ReportOptions { subtitle, ..ReportOptions::default() })?)?;
    let view = ViewOptions::default();
    save(&folder, "perspective", &perspective(&hose.subject(ColourBy::Auto)?, &view)?)?;
    save(&folder, "three-views", &three_views(&hose.subject(ColourBy::Curvature)?, &view)?)?;
    save(&folder, "along", &along(&hose, 960.0, 520.0)?)?;
    let coil = spiral_cord();
    save(&folder, "coil", &perspective(&coil.subject(ColourBy::Twist)?, &view)?)?;
    save(&folder, "coil-plain", &perspective(&coil.subject(ColourBy::Nothing)?, &view)?)?;
    save(&folder, "convergence", &convergence().drawing(640.0, 460.0)?)?;
    save(&folder, "timing", &timing().drawing(640.0, 400.0)?)?;
    Ok(())
}

fn save(folder: &Path, name: &str, drawing: &Drawing) -> Result<(), Failure> {
    std::fs::write(folder.join(name).with_extension("svg"), drawing.to_svg())?;
    let width = (drawing.width * 2.0) as u32;
    std::fs::write(folder.join(name).with_extension("png"), drawing.to_png(width)?)?;
    Ok(())
}

/// Stations of a rod with the given strains, radius and stiffnesses (K1, K2, K3).
fn integrate(
    length: f64,
    n: usize,
    start: UnitQuaternion<f64>,
    strain: impl Fn(f64) -> Vector3<f64>,
    radius: f64,
    stiffness: [f64; 3],
) -> Vec<Station> {
    let step = length / n as f64;
    let (mut frame, mut position) = (start, Vector3::zeros());
    let mut stations = Vec::with_capacity(n + 1);
    for i in 0..=n {
        let s = step * i as f64;
        let k = strain(s / length);
        let moment = k.component_mul(&Vector3::from(stiffness));
        let force = Vector3::new(3.0, -1.2, 2.0 + 5.0 * s);
        stations.push(Station {
            s,
            position: position.into(),
            frame: [frame.w, frame.i, frame.j, frame.k],
            strain: k.into(),
            moment: moment.into(),
            force: force.into(),
            radius,
        });
        let half = UnitQuaternion::from_scaled_axis(strain((s + 0.25 * step) / length) * (0.5 * step));
        position += frame * half * Vector3::z() * step;
        frame *= UnitQuaternion::from_scaled_axis(strain((s + 0.5 * step) / length) * step);
    }
    stations
}

/// A brake hose of 10.5 mm that leaves its bracket, loops and reaches the caliper with one turn of twist.
fn brake_hose() -> Cable {
    let start = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 1.2);
    let bump = |u: f64, at: f64, width: f64| (-((u - at) / width).powi(2)).exp();
    let twist = 11.0;
    // Bends fixed in space, seen from a frame that turns with the twist.
    let strain = move |u: f64| {
        let (sin, cos) = (twist * 0.45 * u).sin_cos();
        let (a, b) = (16.5 * bump(u, 0.3, 0.16) - 9.0 * bump(u, 0.78, 0.14), 7.5 * bump(u, 0.55, 0.2));
        Vector3::new(a * cos + b * sin, -a * sin + b * cos, twist + 2.5 * (6.0 * u).sin())
    };
    Cable {
        name: "Front left brake hose".into(),
        stations: integrate(0.45, 200, start, strain, 5.25e-3, [0.051, 0.051, 0.036]),
        ends: [End::Clamped, End::Clamped],
        limits: Limits { curvature: Some(16.0), inside: 0.0, twist: Some(25.0), tension: Some(40.0) },
        ..Cable::default()
    }
}

/// A spiral cord hanging from a pin with a weight at its free end.
fn spiral_cord() -> Cable {
    let start = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 1.75);
    let strain = |u: f64| Vector3::new(0.0, 32.0, 5.5 + 6.0 * (u - 0.5));
    let stations = integrate(1.6, 400, start, strain, 3.4e-3, [0.01, 0.01, 0.008]);
    let end = stations[stations.len() - 1];
    let force = Load { at: end.position, vector: [0.0, 0.0, -4.0], kind: LoadKind::Force };
    let moment = Load { at: end.position, vector: [0.03, 0.03, 0.0], kind: LoadKind::Moment };
    Cable {
        name: "Spiral cord".into(),
        stations,
        ends: [End::Pinned, End::Free],
        loads: vec![force, moment],
        ..Cable::default()
    }
}

fn convergence() -> Chart {
    let sizes = [12.0, 25.0, 50.0, 100.0, 200.0, 400.0_f64];
    let line = |name: &str, factor: f64, wobble: f64| {
        let point = |(i, n): (usize, &f64)| [*n, factor / (n * n) * (1.0 + wobble * (i as f64).sin())];
        Series::new(name, sizes.iter().enumerate().map(point).collect())
    };
    Chart {
        title: "Centreline error, clamped–clamped family".into(),
        x: Axis::log("segments n"),
        y: Axis::log("error / L"),
        series: vec![
            line("half turn", 0.31, 0.1),
            line("one turn", 0.9, -0.1),
            line("two turns", 3.4, 0.2).with_slope(-2.0),
        ],
        guides: vec![Guide { value: 1e-3, label: "tolerance".into() }],
    }
}

fn timing() -> Chart {
    let sizes = [25.0, 50.0, 100.0, 200.0, 400.0, 800.0_f64];
    let line =
        |name: &str, f: &dyn Fn(f64) -> f64| Series::new(name, sizes.iter().map(|n| [*n, f(*n)]).collect());
    Chart {
        title: "Quasi-static drag increment".into(),
        x: Axis::linear("segments n"),
        y: Axis::linear("time per increment (ms)"),
        series: vec![
            line("drag", &|n| 0.02 + 0.0021 * n),
            line("cold", &|n| 0.1 + 0.006 * n),
            line("floor", &|n| 0.0004 * n).reference(),
        ],
        ..Chart::default()
    }
}
