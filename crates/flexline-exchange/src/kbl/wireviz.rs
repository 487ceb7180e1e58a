//! WireViz: connectors, cables and what they connect, as YAML for the drawing program of that name.
//!
//! A wire of a harness is a cable of one wire there; a multicore cable one of several. Lengths are those in the mock-up, in metres.

use super::plan::Plan;
use super::{Connection, Kbl};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A string of YAML in quotes.
fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Colours of the DIN code, as German harness data has them, in that of IEC 60757 that WireViz draws; others are left out.
fn colour(text: &str) -> Option<String> {
    let one = |word: &str| {
        Some(match word.to_lowercase().as_str() {
            "sw" | "bk" | "black" => "BK",
            "ws" | "wh" | "white" => "WH",
            "rt" | "rd" | "red" => "RD",
            "bl" | "bu" | "blue" => "BU",
            "ge" | "ye" | "yellow" => "YE",
            "gn" | "green" => "GN",
            "br" | "bn" | "brown" => "BN",
            "gr" | "gy" | "grey" => "GY",
            "or" | "og" | "orange" => "OG",
            "vi" | "vt" | "violet" => "VT",
            "rs" | "pk" | "pink" => "PK",
            "tk" | "tq" => "TQ",
            _ => return None,
        })
    };
    text.split('/').map(one).collect::<Option<Vec<_>>>().map(|own| own.concat()).filter(|own| !own.is_empty())
}

/// The text of the file. `longer` says how much longer the cables of the plan are than in the file, m.
pub fn wireviz(kbl: &Kbl, plan: &Plan, longer: &[f64]) -> String {
    let mut more: BTreeMap<usize, f64> = BTreeMap::new();
    for (own, longer) in plan.cables.iter().zip(longer) {
        more.insert(own.segment, *longer);
    }
    let there = |own: &&Connection| own.segments.iter().flatten().all(|i| more.contains_key(i));
    let used: Vec<&Connection> =
        kbl.connections.iter().filter(there).filter(|own| own.ends.len() >= 2).collect();
    // Pins of connectors in the order in which they are first used, after those that the file lists.
    let mut connectors: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut ends = BTreeSet::new();
    for own in &used {
        for (connector, pin) in own.ends.iter().take(2) {
            let pins = connectors.entry(connector).or_default();
            let pin = if pin.is_empty() { "1" } else { pin };
            if ends.insert((connector.as_str(), pin.to_owned())) {
                pins.push(pin.to_owned());
            }
        }
    }
    let mut out = String::from("connectors:\n");
    for (name, pins) in &connectors {
        let known =
            kbl.components.values().find(|own| own.name == *name && own.kind == "Connector_occurrence");
        let _ = writeln!(out, "  {}:", quoted(name));
        if let Some(own) = known {
            let _ = writeln!(out, "    type: {}\n    pn: {}", quoted(&own.description), quoted(&own.part));
        }
        let _ = writeln!(
            out,
            "    pins: [{}]",
            pins.iter().map(|own| quoted(own)).collect::<Vec<_>>().join(", ")
        );
    }
    let mut wires: BTreeMap<usize, Vec<&Connection>> = BTreeMap::new();
    used.iter().for_each(|own| wires.entry(own.wire).or_default().push(own));
    let name = |wire: usize| {
        format!(
            "W{}",
            if kbl.wires[wire].number.is_empty() {
                (wire + 1).to_string()
            } else {
                kbl.wires[wire].number.clone()
            }
        )
    };
    let twice = |wire: usize| wires.keys().filter(|other| name(**other) == name(wire)).count() > 1;
    let called = |wire: usize| if twice(wire) { format!("{}-{}", name(wire), wire + 1) } else { name(wire) };
    out.push_str("\ncables:\n");
    for (wire, all) in &wires {
        let own = &kbl.wires[*wire];
        let segments = all[0].segments.clone().unwrap_or_default();
        let extra: f64 = segments.iter().filter_map(|i| more.get(i)).sum();
        let _ = writeln!(out, "  {}:\n    wirecount: {}", quoted(&called(*wire)), all.len());
        if let Some(length) = kbl.drawn_length(all[0]).or(kbl.routed_length(&segments)) {
            let _ = writeln!(out, "    length: {:.4} m", length + extra);
        }
        let area = all[0].core.map_or(own.area, |core| own.cores[core].area);
        if let Some(area) = area {
            let _ = writeln!(out, "    gauge: {} mm2", (area * 1e9).round() / 1e3);
        }
        let colours: Option<Vec<String>> = all
            .iter()
            .map(|each| colour(each.core.map_or(&own.colour, |core| &own.cores[core].colour)))
            .collect();
        if let Some(colours) = colours {
            let _ = writeln!(out, "    colors: [{}]", colours.join(", "));
        }
        let _ = writeln!(out, "    pn: {}", quoted(&own.part));
    }
    out.push_str("\nconnections:\n");
    for (wire, all) in &wires {
        for (i, own) in all.iter().enumerate() {
            let end = |k: usize| {
                let (connector, pin) = &own.ends[k];
                format!("{}: [{}]", quoted(connector), quoted(if pin.is_empty() { "1" } else { pin }))
            };
            let _ = writeln!(
                out,
                "  -\n    - {}\n    - {}: [{}]\n    - {}",
                end(0),
                quoted(&called(*wire)),
                i + 1,
                end(1)
            );
        }
    }
    out
}
