//! The equilibrium of a scene: its cables, what holds them, what its constraints pull.

use super::largest;
use crate::output::{Table, number, print, vector};
use crate::solved::Solved;
use flexline::solver::Sample;
use flexline::solver::network::{Constraint, Hold, Sense};
use flexline_scene::harness::CompiledEye;

/// Prints the tables of a scene of many cables.
pub fn print_all(solved: &Solved) {
    cables(solved);
    anchors(solved);
    constraints(solved);
    eyes(solved);
}

/// The rows of a scene of one cable: what holds it, and where it bends and pulls most.
pub fn cable_rows(solved: &Solved, row: &mut dyn FnMut(&str, String)) {
    let (compiled, report) = (&solved.compiled, &solved.solution.report);
    let (cable, profile) = (&compiled.cables[0], &solved.solution.profiles[0]);
    let moment = |s: &Sample| s.moment_material.norm();
    let largest_moment = largest(profile, moment).map_or(0.0, |(_, moment)| moment);
    // The seam of a ring has one support.
    let closed = compiled.network.spans[0].end == Some(compiled.network.spans[0].start);
    let names: &[&str] = if closed { &["seam"] } else { &["start", "end"] };
    for (k, name) in names.iter().enumerate() {
        let w = report.reactions.get(k).copied().unwrap_or_default();
        let force = vector(w.force.into(), report.largest_force);
        let moment = vector(w.moment.into(), largest_moment);
        row(&format!("support at {name}"), format!("force {force} N, moment {moment} N m"));
    }
    row("twist", format!("{:.4} turns", rounded(compiled.twist_turns(&solved.solution.state, 0), 1e4)));
    if let Some((s, k)) = largest(profile, Sample::curvature) {
        // Straight, where the cable turns by less than a millionth of a radian over its whole length.
        let bend = match k * cable.length < 1e-6 {
            true => "none: straight".to_string(),
            false => format!("radius {:.2} mm at s = {:.1} mm", 1e3 / k, 1e3 * s.s),
        };
        row("tightest bend", bend);
    }
    if let Some((s, v)) = largest(profile, Sample::tension) {
        row("largest tension", format!("{} N at s = {:.1} mm", number(v), 1e3 * s.s));
    }
    if let Some((s, v)) = largest(profile, moment) {
        row("largest moment", format!("{} N m at s = {:.1} mm", number(v), 1e3 * s.s));
    }
}

fn cables(solved: &Solved) {
    let heads = [
        "cable",
        "length mm",
        "tightest bend mm",
        "at s mm",
        "tension N",
        "at s mm",
        "twist turns",
        "stiffness",
    ];
    let mut t = Table::new(&heads);
    for (i, (cable, profile)) in solved.compiled.cables.iter().zip(&solved.solution.profiles).enumerate() {
        let bend = largest(profile, Sample::curvature);
        let pull = largest(profile, Sample::tension);
        t.row(&[
            cable.name.clone(),
            length(solved, i),
            bend.map_or_else(String::new, |(_, k)| format!("{:.2}", 1e3 / k.max(1e-12))),
            bend.map_or_else(String::new, |(s, _)| format!("{:.1}", 1e3 * s.s)),
            pull.map_or_else(String::new, |(_, v)| format!("{:.4}", rounded(v, 1e4))),
            pull.map_or_else(String::new, |(s, _)| format!("{:.1}", 1e3 * s.s)),
            format!("{:.4}", rounded(solved.compiled.twist_turns(&solved.solution.state, i), 1e4)),
            if cable.section.is_estimate() { "estimated" } else { "measured" }.to_string(),
        ]);
    }
    t.print();
    print("\n");
}

/// The length of a cable, mm, with a word where it found it for itself.
fn length(solved: &Solved, cable: usize) -> String {
    let length = 1e3 * solved.compiled.length_now(&solved.solution.state, cable);
    let found = if solved.compiled.cables[cable].routed { " found" } else { "" };
    format!("{length:.1}{found}")
}

/// Rounded to a share of one, without the sign of a zero.
fn rounded(value: f64, share: f64) -> f64 {
    (share * value).round() / share + 0.0
}

fn anchors(solved: &Solved) {
    let mut t = Table::new(&["", "at mm", "held with force", "and moment"]);
    let scale = solved.solution.report.largest_force;
    let anchors = solved.compiled.anchors.iter().zip(&solved.compiled.network.anchors);
    let state = solved.solution.state.anchors.iter().zip(&solved.solution.report.reactions);
    for ((name, anchor), (pose, reaction)) in anchors.zip(state) {
        let p = pose.position.map(|c| rounded(1e3 * c, 10.0));
        let held = anchor.held.contains(&true);
        t.row(&[
            name.to_string(),
            format!("{:.1} {:.1} {:.1}", p.x, p.y, p.z),
            if held { format!("{} N", vector(reaction.force.into(), scale)) } else { "loose".to_string() },
            if anchor.held_orientation {
                format!("{} N m", vector(reaction.moment.into(), 0.0))
            } else {
                String::new()
            },
        ]);
    }
    t.print();
}

/// What a constraint does to the first of its anchors.
fn hold(solved: &Solved, constraint: usize) -> Option<Hold> {
    solved.solution.report.holds.get(constraint)?.iter().flatten().next().copied()
}

/// Whether a constraint is one-sided and not at work.
fn is_idle(solved: &Solved, constraint: usize) -> bool {
    let one_sided = solved.compiled.network.constraints[constraint].sense() != Sense::Equal;
    one_sided && solved.compiled.constraint_force(&solved.solution, constraint).norm() == 0.0
}

/// What a constraint is doing, in a word.
pub fn word(solved: &Solved, constraint: usize) -> &'static str {
    let own = &solved.compiled.network.constraints[constraint];
    match (own, own.sense(), is_idle(solved, constraint)) {
        (_, Sense::Equal, _) => "",
        (Constraint::Distance { .. }, Sense::AtMost, true) => "slack",
        (Constraint::Distance { .. }, Sense::AtMost, false) => "taut",
        (_, _, true) => "clear",
        (_, _, false) => "touching",
    }
}

fn constraints(solved: &Solved) {
    let compiled = &solved.compiled;
    let scale = solved.solution.report.largest_force;
    let mut t = Table::new(&["constraint", "on", "force", "in its own axes", "moment", ""]);
    let mut rows = 0;
    for (i, name) in compiled.constraints.iter().enumerate() {
        let Some(hold) = hold(solved, i) else { continue };
        // Beads that do not touch are not worth a line.
        if i >= solved.scene.constraints.len() && is_idle(solved, i) {
            continue;
        }
        rows += 1;
        let moment = match compiled.network.constraints[i].is_angular() {
            true => format!("{} N m", vector(hold.world.moment.into(), 0.0)),
            false => String::new(),
        };
        t.row(&[
            name.clone(),
            compiled.anchors[hold.anchor].to_string(),
            format!("{} N", vector(hold.world.force.into(), scale)),
            format!("{} N", vector(hold.material.force.into(), scale)),
            moment,
            word(solved, i).to_string(),
        ]);
    }
    if rows > 0 {
        print("\n");
        t.print();
    }
}

fn eyes(solved: &Solved) {
    let reports = &solved.solution.report.eyes;
    if reports.is_empty() {
        return;
    }
    print("\n");
    let heads =
        ["", "cable", "at s mm", "tension before N", "after N", "wrap °", "pushed with N", "friction", ""];
    let mut t = Table::new(&heads);
    for (i, (eye, report)) in solved.compiled.eyes.iter().zip(reports).enumerate() {
        t.row(&[
            format!("{} '{}'", eye.kind.name(), eye.name),
            solved.compiled.cables[eye.cable].name.clone(),
            format!("{:.1}", 1e3 * solved.compiled.eye_place(&solved.solution.state, i)),
            number(report.tensions[0]),
            number(report.tensions[1]),
            format!("{:.2}", report.wrap.to_degrees()),
            number(push(solved, eye)),
            number(eye.friction),
            motion(eye.friction, report.sticks).to_string(),
        ]);
    }
    t.print();
}

/// Size of the force of a cable on what it slides through, or on what slides on it, N.
pub fn push(solved: &Solved, eye: &CompiledEye) -> f64 {
    let network = &solved.compiled.network;
    let pieces = solved.compiled.pieces(&solved.solution, eye.cable);
    let Some(k) = pieces.iter().position(|(span, _)| *span == eye.after).filter(|k| *k > 0) else {
        return 0.0;
    };
    let (before, own) = pieces[k - 1];
    // Behind the last node of a span comes what lies on the rim.
    let forces = (own.get(network.spans[before].rod.segments()), pieces[k].1.first());
    if let (Some(before), Some(after)) = forces {
        (after.force_world - before.force_world).norm()
    } else {
        0.0
    }
}

/// What a cable does in an eye, in a word.
pub fn motion(friction: f64, sticks: bool) -> &'static str {
    match (friction > 0.0, sticks) {
        (false, _) => "free",
        (true, true) => "sticks",
        (true, false) => "slips",
    }
}
