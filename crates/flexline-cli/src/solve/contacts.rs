//! What cables touch, how hard, and how near they are to what they do not touch.

use super::known;
use crate::output::number;
use crate::solved::Solved;
use flexline::Vec3;
use flexline_scene::chafing::{Chafing, ChafingPlace};
use flexline_scene::contact::{Press, Presser};
use flexline_scene::neighbour::Neighbour;
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
    let neighbours = compiled.neighbours(solution);
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
            told.push(match nearest(&neighbours, i) {
                Some(near) if near.gap < 0.0 => {
                    let depth = number(-1e3 * near.gap);
                    format!("{}ENTERED by {depth} mm at s = {:.1} mm", named(near.cable), 1e3 * near.s)
                }
                Some(near) => {
                    let gap = number(1e3 * near.gap);
                    format!("{}not touched: {gap} mm away at s = {:.1} mm", named(near.cable), 1e3 * near.s)
                }
                None => "not touched".to_string(),
            });
        }
        row(&format!("{} '{}'", obstacle.kind.name(), obstacle.name), told.join("; "));
    }
    let on_parts = compiled.part_presses(solution);
    for pair in on_parts.chunk_by(|a, b| (a.shape, a.by) == (b.shape, b.by)) {
        let [shape, by] = [pair[0].shape, pair[0].by].map(|o| &compiled.obstacles[o].name);
        let total: Vec3 = pair.iter().map(|press| press.force).sum();
        let places = if pair.len() == 1 { "1 place".into() } else { format!("{} places", pair.len()) };
        row(&format!("'{shape}' on '{by}'"), format!("presses with {} N at {places}", number(total.norm())));
    }
    for (a, cable) in compiled.cables.iter().enumerate() {
        for (b, other) in compiled.cables.iter().enumerate().skip(a) {
            let on =
                |press: &&Press| press.cable == a && matches!(press.by, Presser::Cable(by, _) if by == b);
            let own: Vec<&Press> = presses.iter().filter(on).collect();
            let total: f64 = own.iter().map(|press| press.force.norm()).sum();
            let with = if a == b { "itself".to_string() } else { format!("cable '{}'", other.name) };
            let is_pair = |near: &&Neighbour| {
                near.cable == a && matches!(near.to, Presser::Cable(other, _) if other == b)
            };
            if total > 0.0 {
                let told = format!("presses with {} N at {} places", number(total), own.len());
                row(&format!("cable '{}' on {with}", cable.name), told);
            } else if let Some(near) = neighbours.iter().find(is_pair) {
                let gap = number(1e3 * near.gap);
                let told = format!("not touched: {gap} mm away at s = {:.1} mm", 1e3 * near.s);
                row(&format!("cable '{}' beside {with}", cable.name), told);
            }
        }
    }
    if !presses.is_empty() || !on_parts.is_empty() {
        let report = &solution.report;
        let told = format!(
            "by {:.1e} of the largest force; deepest overlap {:.1e} m",
            report.contact_residual, report.penetration
        );
        row("contact law missed", told);
    }
    for (cable, own) in compiled.cables.iter().enumerate() {
        let pressure = compiled.pressure(solution, cable);
        if let Some((most, s, by)) = pressure.largest(|s| compiled.pressed_length(cable, s)) {
            let named = if solved.scene.is_single() { String::new() } else { format!(" of '{}'", own.name) };
            let by = compiled.presser(by);
            let told = format!("{} N/m by '{by}' at s = {:.1} mm, over one diameter", number(most), 1e3 * s);
            row(&format!("largest contact pressure{named}"), told);
        }
    }
}

/// Adds a row for every place that chafes.
pub fn chafing_rows(chafing: &Chafing, row: &mut dyn FnMut(&str, String)) {
    for place in chafing.places() {
        let ChafingPlace { cable, against, from, to, force, way, work, .. } = place;
        let told = format!(
            "s = {:.1} to {:.1} mm of '{cable}' on '{against}': slid {} mm under up to {} N, {} J",
            1e3 * from,
            1e3 * to,
            number(1e3 * way),
            number(force),
            number(work)
        );
        row("chafing", told);
    }
}

/// Where a cable is nearest to an obstacle.
pub fn nearest(neighbours: &[Neighbour], obstacle: usize) -> Option<&Neighbour> {
    let own = neighbours.iter().filter(|near| near.to == Presser::Obstacle(obstacle));
    own.min_by(|a, b| a.gap.total_cmp(&b.gap))
}

/// Adds to the samples of a cable how hard it is pressed there and how near each neighbour is.
pub fn add_samples(solved: &Solved, cable: usize, samples: &mut Value, at_rest: bool) {
    let (compiled, solution) = (&solved.compiled, &solved.solution);
    if !compiled.has_contact() {
        return;
    }
    let pressure = compiled.pressure(solution, cable);
    let cables = compiled.near_cables(solution, cable);
    for (k, near) in compiled.near_obstacles(solution, cable).into_iter().enumerate() {
        let s = near.s;
        let pressed = pressure.at(s, compiled.pressed_length(cable, s)).map_or(0.0, |(pressed, _)| pressed);
        samples[k]["contact_pressure"] = known(at_rest, json!(pressed));
        let mut gaps = serde_json::Map::new();
        for (obstacle, gap) in near.gaps {
            gaps.insert(compiled.obstacles[obstacle].name.clone(), json!(gap));
        }
        for (other, own) in compiled.cables.iter().enumerate() {
            let beside = cables.iter().filter(|(_, by, _)| *by == other);
            let nearest = beside.min_by(|a, b| (a.0 - s).abs().total_cmp(&(b.0 - s).abs()));
            if let Some((_, _, gap)) = nearest {
                gaps.insert(format!("cable {}", own.name), json!(gap));
            }
        }
        samples[k]["clearances"] = Value::Object(gaps);
    }
}
