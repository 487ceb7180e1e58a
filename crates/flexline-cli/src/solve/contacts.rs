//! What cables touch, how hard, and how near they are to what they do not touch.

use super::known;
use crate::output::number;
use crate::solved::Solved;
use flexline::solver::Status;
use flexline_scene::Compiled;
use flexline_scene::contact::{Clearance, Press, Presser};
use serde_json::{Value, json};

/// Adds a row for every obstacle: what presses on it and how hard, or how near the nearest cable is.
pub fn rows(solved: &Solved, row: &mut dyn FnMut(&str, String)) {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let presses = compiled.presses(solution);
    // Which cable it is about is said where there may be several.
    let named = |cable: usize| match solved.scene.is_single() {
        true => String::new(),
        false => format!("cable '{}' ", compiled.cables[cable].name),
    };
    let nearest = nearest(solved);
    for (i, obstacle) in compiled.obstacles.iter().enumerate() {
        let own: Vec<&Press> = presses.iter().filter(|press| press.by == Presser::Obstacle(i)).collect();
        let mut told: Vec<String> = Vec::new();
        for (cable, _) in compiled.cables.iter().enumerate() {
            let on: Vec<&&Press> = own.iter().filter(|press| press.cable == cable).collect();
            let total: f64 = on.iter().map(|press| press.force.norm()).sum();
            let hardest = on.iter().max_by(|a, b| a.force.norm().total_cmp(&b.force.norm()));
            if let (Some(first), Some(last), Some(hardest)) = (on.first(), on.last(), hardest) {
                let places = match on.len() {
                    1 => format!("at s = {:.1} mm", 1e3 * first.s),
                    n => format!("at {n} places from s = {:.1} to {:.1} mm", 1e3 * first.s, 1e3 * last.s),
                };
                let most = match on.len() {
                    1 => String::new(),
                    _ => format!(", most {} N at {:.1} mm", number(hardest.force.norm()), 1e3 * hardest.s),
                };
                told.push(format!("{}presses with {} N {places}{most}", named(cable), number(total)));
            }
        }
        if told.is_empty() {
            told.push(match nearest.get(i).copied().flatten() {
                Some((cable, near)) if near.gap < 0.0 => {
                    let depth = number(-1e3 * near.gap);
                    format!("{}ENTERED by {depth} mm at s = {:.1} mm", named(cable), 1e3 * near.s)
                }
                Some((cable, near)) => {
                    let gap = number(1e3 * near.gap);
                    format!("{}not touched: {gap} mm away at s = {:.1} mm", named(cable), 1e3 * near.s)
                }
                None => "not touched".to_string(),
            });
        }
        row(&format!("obstacle '{}'", obstacle.name), told.join("; "));
    }
    for (a, cable) in compiled.cables.iter().enumerate() {
        for (b, other) in compiled.cables.iter().enumerate().skip(a) {
            let on =
                |press: &&Press| press.cable == a && matches!(press.by, Presser::Cable(by, _) if by == b);
            let own: Vec<&Press> = presses.iter().filter(on).collect();
            let total: f64 = own.iter().map(|press| press.force.norm()).sum();
            if total > 0.0 {
                let with = if a == b { "itself".to_string() } else { format!("cable '{}'", other.name) };
                let told = format!("presses with {} N at {} places", number(total), own.len());
                row(&format!("cable '{}' on {with}", cable.name), told);
            }
        }
    }
    if !presses.is_empty() {
        let report = &solution.report;
        let told = format!(
            "by {:.1e} of the largest force; deepest overlap {:.1e} m",
            report.contact_residual, report.penetration
        );
        row("contact law missed", told);
    }
}

/// For every obstacle the cable that is nearest to it, and where; of places where another obstacle is nearer still none is
/// told.
fn nearest(solved: &Solved) -> Vec<Option<(usize, Clearance)>> {
    let mut found: Vec<Option<(usize, Clearance)>> = vec![None; solved.compiled.obstacles.len()];
    for cable in 0..solved.compiled.cables.len() {
        for near in solved.compiled.clearances(&solved.solution, cable) {
            let best = &mut found[near.obstacle];
            if best.is_none_or(|(_, known)| near.gap < known.gap) {
                *best = Some((cable, near));
            }
        }
    }
    found
}

/// What presses, as a list.
pub fn list(compiled: &Compiled, presses: &[Press]) -> Value {
    let contact = |press: &Press| {
        json!({
            "a": compiled.cables[press.cable].name,
            "b": compiled.presser(press.by),
            "at": press.s,
            "position": press.position,
            "normal": press.normal,
            "gap": press.gap,
            "force": press.force,
            "state": press.state,
            "slip": press.slip,
        })
    };
    presses.iter().map(contact).collect()
}

/// Adds what is told of contacts. What presses is known in equilibrium alone.
pub fn add_values(solved: &Solved, value: &mut Value) {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    let at_rest = solved.status() == Status::Converged;
    value["contacts"] = known(at_rest, list(compiled, &compiled.presses(solution)));
    value["penetration"] = known(at_rest, json!(solution.report.penetration));
    value["contact_residual"] = known(at_rest, json!(solution.report.contact_residual));
    let obstacles: Vec<Value> = compiled
        .obstacles
        .iter()
        .zip(nearest(solved))
        .map(|(own, near)| {
            json!({
                "name": own.name,
                "nearest": near.map(|(cable, near)| json!({
                    "cable": compiled.cables[cable].name,
                    "s": near.s,
                    "clearance": near.gap,
                })),
            })
        })
        .collect();
    value["obstacles"] = json!(obstacles);
    value["mesh_notes"] = json!(compiled.mesh_notes());
}
