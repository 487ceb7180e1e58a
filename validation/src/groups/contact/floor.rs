//! A heavy cantilever over a floor: its tip touches, or it comes to lie along the floor.
//!
//! The end of a rod of the engine is round: a case is compared with `results`, not with `results_flat_end`.

use super::super::{list, name};
use super::rest::{Hold, LYING, Rest, Results, plane, upright};
use super::{CHAINS, EVERY};
use crate::case::{Cases, Measure};
use crate::compare::{Samples, Theta, threshold};
use crate::field::{Field, FieldError};
use crate::follow::inverse_at_zero;
use crate::judge::{Quantity, tolerance};
use crate::rods::{Grid, Uniform};
use flexline::Vec3;

const GRAVITY: f64 = 9.81;
/// Angle of the tip, rad, from which it is extrapolated to where it lies level.
const NEARLY_LEVEL: f64 = 0.01;

/// Reads `thresholds` and `cases`.
pub(in super::super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "thresholds")? {
        cases.add_contact(name(&case, "thresholds", place)?, place, &CHAINS, thresholds(&case))?;
    }
    for (place, case) in list(root, "cases")? {
        let measure = Floor::read(&case).map(|c| Box::new(move |grid| c.measure(grid)) as Measure);
        cases.add_contact(name(&case, "case", place)?, place, &EVERY, measure)?;
    }
    Ok(())
}

/// A cantilever, how high it is clamped, and what is known of it.
struct Floor {
    uniform: Uniform,
    radius: f64,
    height: f64,
    samples: Option<Samples>,
    results: Results,
}

impl Floor {
    fn read(case: &Field) -> Result<Self, FieldError> {
        let params = case.get("params")?;
        let uniform = Uniform::read(&params)?;
        let numbers = [
            "contact_force_total",
            "contact_force_concentrated",
            "contact_s_start",
            "contact_x_start",
            "flat_length",
            "flat_pressure",
            "root_moment",
            "tip_x",
            "tip_z",
            "tip_angle",
        ];
        Ok(Self {
            uniform: Uniform { density: uniform.density * params.positive("g")? / GRAVITY, ..uniform },
            radius: params.positive("radius")?,
            height: params.positive("clamp_height")?,
            samples: Samples::read(case, Theta::Above)?,
            results: Results::read(case, &numbers, &["force_on_rod_at_clamp"])?,
        })
    }

    fn measure(&self, grid: Grid) -> Result<Vec<Quantity>, String> {
        let mut rest = cantilever(&self.uniform, self.radius, self.height, grid)?;
        let report =
            rest.lead(0.25, &|network, share| network.gravity = -Vec3::z() * (GRAVITY * share * share))?;
        let (results, length) = (&self.results, self.uniform.length);
        let mut out = Vec::new();
        rest.compare(self.samples.as_ref(), &|x| x.z - self.radius, &mut out);
        out.extend(results.kind(found(&rest)));
        let force = tolerance::contact::FORCE;
        out.extend(results.relative("contact force", "contact_force_total", rest.total().norm(), force));
        let [first, last] = rest.extent().unwrap_or([f64::INFINITY; 2]);
        let flat = results.number("flat_length").unwrap_or(0.0);
        let (lies, told) = (flat > 0.0, flat == 0.0 || rest.tells(flat, LYING));
        if lies && told {
            let found = rest.pressure([first, length]);
            out.extend(results.relative("pressure", "flat_pressure", found, tolerance::contact::PRESSURE));
        }
        if let Some(start) = results.number("contact_s_start") {
            let key = "contact_force_concentrated";
            let found = if lies { rest.concentrated([start, length])[0] } else { rest.total().norm() };
            let within = tolerance::contact::CONCENTRATED;
            out.extend(results.relative("concentrated force", key, found, within).filter(|_| told));
            out.push(rest.place("touch-down", first, start));
        }
        let x_start = results.number("contact_x_start").filter(|_| first.is_finite());
        out.extend(x_start.map(|r| rest.place("x of touch-down", rest.at(first).x, r)));
        out.extend(results.number("flat_length").map(|r| rest.place("flat length", last - first, r)));
        let clamp = report.reactions[0];
        out.extend(results.force("force at the clamp", "force_on_rod_at_clamp", &clamp.force));
        out.extend(results.relative("root moment", "root_moment", clamp.moment.norm(), force));
        let tip = rest.at(length);
        for (name, key, found) in [("tip x", "tip_x", tip.x), ("tip z", "tip_z", tip.z)] {
            let off = |r: f64| (found - r).abs() / length;
            let within = tolerance::contact::CENTRELINE;
            out.extend(results.number(key).map(|r| Quantity::new(name, off(r), within)));
        }
        out.extend(results.angle("tip angle", "tip_angle", &rest, length));
        Ok(out)
    }
}

/// A rod clamped level at a height above the floor.
fn cantilever(uniform: &Uniform, radius: f64, height: f64, grid: Grid) -> Result<Rest, String> {
    let clamp = upright(Vec3::z() * height, 0.0);
    let mut rest = Rest::new(uniform, radius, grid, (Hold::Clamped, clamp), (Hold::Free, clamp))?;
    rest.network.obstacles.push(plane(Vec3::zeros(), Vec3::z()));
    Ok(rest)
}

/// What touches: nothing, the tip alone, or a line.
fn found(rest: &Rest) -> &'static str {
    match rest.extent() {
        None => "none",
        Some([first, _]) if first > rest.length() - rest.spacing => "tip",
        Some(_) => "line",
    }
}

/// Drops of the clamp at which the tip touches first, and at which it lies level: below, a line touches.
fn thresholds(case: &Field) -> Result<Measure, FieldError> {
    let gamma = case.positive("Gamma")?;
    let first = case.maybe_number("first_touch_drop_over_L")?;
    let line = case.maybe_number("line_contact_drop_over_L")?;
    // Of unit length and stiffness; the radius drops out.
    let radius = 5e-3;
    let uniform = Uniform { length: 1.0, stiffness: Vec3::new(1.0, 1.0, 0.8), density: gamma / GRAVITY };
    Ok(Box::new(move |grid| {
        // High above the floor the rod touches nothing; then it is let down.
        let mut rest = cantilever(&uniform, radius, 1.5, grid)?;
        rest.lead(0.25, &|network, share| network.gravity = -Vec3::z() * (GRAVITY * share * share))?;
        let let_down = |rest: &mut Rest, drop: f64| {
            let from = rest.network.anchors[0].pose.position.z;
            rest.lead(1.0, &|network, share| {
                network.anchors[0].pose.position.z = from + (drop + radius - from) * share;
            })
        };
        // As it hangs it touches where its tip comes to the floor: just above nothing presses, just below something does.
        let touch = 1.5 - rest.at(1.0).z;
        for (drop, touches) in [(touch * 1.0005, false), (touch * 0.9995, true)] {
            let_down(&mut rest, drop)?;
            if rest.contacts().is_empty() == touches {
                return Err(format!(
                    "at a drop of {drop:.4} the tip {}",
                    if touches { "is free" } else { "touches" }
                ));
            }
        }
        let mut out: Vec<Quantity> = first.map(|r| threshold("first touch", touch, r)).into_iter().collect();
        let Some(reference) = line else { return Ok(out) };
        // The angle of the tip falls with the drop: half of the way to where it leads, until it is nearly level.
        let mut points: Vec<(f64, f64)> = Vec::new();
        let mut drop = 0.9 * touch;
        for _ in 0..60 {
            let_down(&mut rest, drop)?;
            if found(&rest) != "tip" {
                return Err(format!("at a drop of {drop:.4} no tip touches alone"));
            }
            let t = rest.tangent(1.0);
            points.push((drop, (-t.z).atan2(t.x)));
            let level = inverse_at_zero(&points[points.len().saturating_sub(3)..]);
            if points.len() > 2 && points[points.len() - 1].1 < NEARLY_LEVEL {
                out.push(threshold("line contact", level, reference));
                return Ok(out);
            }
            let level = inverse_at_zero(&points[points.len().saturating_sub(2)..]);
            // Far from level the angle may even rise.
            drop = if level > 0.5 * drop && level < drop { 0.5 * (level + drop) } else { 0.85 * drop };
        }
        Err("the tip never lies level".into())
    }))
}
