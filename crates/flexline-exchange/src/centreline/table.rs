//! Tables of places: commas and SI for programs, plain points in millimetres for benders and measuring machines.

use super::{Centreline, Point};
use std::fmt::Write;

pub(super) fn csv(lines: &[Centreline]) -> String {
    let several = lines.len() > 1;
    let mut text = String::from(if several { "cable," } else { "" });
    text.push_str("s_m,x_m,y_m,z_m,radius_m,curvature_1/m,twist_rad/m,tension_N,clearance_m\n");
    for line in lines {
        for p in &line.points {
            if several {
                let _ = write!(text, "{},", quoted(&line.name));
            }
            let _ = write!(
                text,
                "{:?},{:?},{:?},{:?},{:?}",
                p.s, p.position.x, p.position.y, p.position.z, p.radius
            );
            for value in [p.curvature, p.twist, p.tension, p.clearance] {
                let _ = match value {
                    Some(x) => write!(text, ",{x:?}"),
                    None => write!(text, ","),
                };
            }
            text.push('\n');
        }
    }
    text
}

/// A field of CSV (RFC 4180).
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

pub(super) fn points(lines: &[Centreline]) -> String {
    let mut text = String::from("# x y z radius s, mm\n");
    for line in lines {
        if lines.len() > 1 {
            let name: String = line.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let _ = writeln!(text, "# {name}");
        }
        let mut last: Option<&Point> = None;
        for p in &line.points {
            // Where a cable was cut there are two places.
            if last.is_some_and(|last| last.s == p.s && last.position == p.position) {
                continue;
            }
            let [x, y, z] = [p.position.x, p.position.y, p.position.z].map(|x| 1e3 * x);
            let _ = writeln!(text, "{x:.9} {y:.9} {z:.9} {:.9} {:.9}", 1e3 * p.radius, 1e3 * p.s);
            last = Some(p);
        }
    }
    text
}
