//! What is told of a harness that was read: what is in it, what was left out, and how its own figures agree.

use super::{Kbl, MISSES, Plan};
use serde_json::{Value, json};
use std::fmt::Write;

/// Lengths that differ by no more than this, m, agree: files give tenths of a millimetre per segment.
const AGREE: f64 = 1e-3;

/// A wire whose length is not the sum of its segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Differing {
    /// The connection.
    pub connection: String,
    /// The length of the wire in the mock-up, m.
    pub wire: f64,
    /// The sum of its segments, m.
    pub segments: f64,
}

/// What is told.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    kbl: &'a Kbl,
    plan: &'a Plan,
    /// How many routed wires have lengths to compare.
    pub compared: usize,
    /// Those whose lengths differ by more than a millimetre.
    pub differing: Vec<Differing>,
    /// Routed wires whose segments or whose own length are not known.
    pub unknown: usize,
}

impl<'a> Report<'a> {
    /// Compares lengths.
    pub fn new(kbl: &'a Kbl, plan: &'a Plan) -> Self {
        let mut report = Self { kbl, plan, compared: 0, differing: Vec::new(), unknown: 0 };
        for own in &kbl.connections {
            let Some(segments) = &own.segments else { continue };
            match (kbl.drawn_length(own), kbl.routed_length(segments)) {
                (Some(wire), Some(sum)) => {
                    report.compared += 1;
                    if (wire - sum).abs() > AGREE {
                        report.differing.push(Differing {
                            connection: own.name.clone(),
                            wire,
                            segments: sum,
                        });
                    }
                }
                _ => report.unknown += 1,
            }
        }
        report
    }

    /// Segments whose curves miss their nodes: id, and by how much, m.
    pub fn missing(&self) -> Vec<(&'a str, f64)> {
        let missed = self.plan.cables.iter().filter(|own| own.course.miss > MISSES);
        missed.map(|own| (self.kbl.segments[own.segment].id.as_str(), own.course.miss)).collect()
    }

    /// Radii of a cable, m: from the area of its segment, and of its packed wires.
    fn radii(&self, cable: usize) -> (Option<f64>, f64) {
        let own = &self.plan.cables[cable];
        let area = self.kbl.segments[own.segment].area;
        (
            area.map(|area| (area / std::f64::consts::PI).sqrt()),
            0.5 * self.plan.bundles[own.bundle].1.packed(),
        )
    }

    /// As JSON, lengths in metres.
    pub fn to_json(&self) -> Value {
        let (kbl, plan) = (self.kbl, self.plan);
        let cable = |(i, own): (usize, &super::plan::PlannedCable)| {
            let segment = &kbl.segments[own.segment];
            let (area, packed) = self.radii(i);
            let figures = plan.bundles[own.bundle].1.figures().ok();
            json!({
                "name": own.name,
                "segment": segment.id,
                "length": own.length,
                "virtual_length": segment.virtual_length,
                "course_length": own.course.length(),
                "curves": segment.curves.len(),
                "knots": own.course.dialect.map(|own| own.word()),
                "misses_nodes_by": (own.course.miss > MISSES).then_some(own.course.miss),
                "wires": own.wires.len(),
                "radius_of_area": area,
                "radius_of_packed_wires": packed,
                "difference": area.map(|area| packed / area - 1.0),
                "bundle": plan.bundles[own.bundle].0,
                "bend_loose": figures.map(|own| own.bend_loose),
                "bend": figures.map(|own| own.bend),
                "bend_bonded": figures.map(|own| own.bend_bonded),
                "fixings": own.clips.len(),
                "protections": own.stretches.len(),
            })
        };
        json!({
            "format": "KBL",
            "version": kbl.version,
            "title": kbl.title,
            "point_unit": kbl.point_unit,
            "counts": self.counts().into_iter().map(|(name, count)| (name.to_owned(), json!(count))).collect::<serde_json::Map<_, _>>(),
            "modules": kbl.modules.iter().map(|own| json!({ "id": own.id, "part": own.part, "names": own.names, "components": own.controlled.len() })).collect::<Vec<_>>(),
            "chosen_modules": plan.modules.iter().map(|i| kbl.modules[*i].id.clone()).collect::<Vec<_>>(),
            "cables": plan.cables.iter().enumerate().map(cable).collect::<Vec<_>>(),
            "lengths": {
                "compared": self.compared,
                "agree": self.compared - self.differing.len(),
                "not_known": self.unknown,
                "differ": self.differing.iter().map(|own| json!({ "connection": own.connection, "wire": own.wire, "segments": own.segments })).collect::<Vec<_>>(),
            },
            "curves_that_miss": self.missing().iter().map(|(id, by)| json!({ "segment": id, "by": by })).collect::<Vec<_>>(),
            "left_out": kbl.left_out.iter().map(|own| json!({ "what": own.what, "why": own.why, "count": own.count, "first": own.first })).collect::<Vec<_>>(),
            "assumed": plan.notes.iter().map(|own| json!({ "what": own.0, "count": own.1, "first": own.2 })).collect::<Vec<_>>(),
        })
    }

    fn counts(&self) -> Vec<(&'static str, usize)> {
        let (kbl, plan) = (self.kbl, self.plan);
        vec![
            ("segments", kbl.segments.len()),
            ("nodes", kbl.nodes.len()),
            ("centre curves", kbl.segments.iter().map(|own| own.curves.len()).sum()),
            ("wires", kbl.wires.len()),
            ("connections", kbl.connections.len()),
            ("routed", kbl.connections.iter().filter(|own| own.segments.is_some()).count()),
            ("connectors", kbl.components.values().filter(|own| own.kind == "Connector_occurrence").count()),
            ("fixings on segments", kbl.segments.iter().map(|own| own.fixings.len()).sum()),
            ("protected stretches", kbl.segments.iter().map(|own| own.protections.len()).sum()),
            ("modules", kbl.modules.len()),
            ("cables in the scene", plan.cables.len()),
            ("bundles in the scene", plan.bundles.len()),
        ]
    }

    /// In words.
    pub fn text(&self) -> String {
        let kbl = self.kbl;
        let mm = |value: f64| 1e3 * value;
        let mut text = format!("KBL, version \"{}\"\n{}\n\n", kbl.version, kbl.title);
        for (name, count) in self.counts() {
            let _ = writeln!(text, "  {count:>6}  {name}");
        }
        text.push_str("\nsegment                                   length mm  of course  wires  r of area  r of wires  differ\n");
        for (i, own) in self.plan.cables.iter().enumerate() {
            let (area, packed) = self.radii(i);
            let differ =
                area.map_or("-".to_owned(), |area| format!("{:+.0} %", 100.0 * (packed / area - 1.0)));
            let area = area.map_or("-".to_owned(), |area| format!("{:.2}", mm(area)));
            let _ = writeln!(
                text,
                "{:<40} {:>10.2} {:>10.2} {:>6} {area:>10} {:>11.2} {differ:>7}",
                own.name,
                mm(own.length),
                mm(own.course.length()),
                own.wires.len(),
                mm(packed)
            );
        }
        let agree = self.compared - self.differing.len();
        let _ = writeln!(
            text,
            "\nwire length DMU against the sum of Virtual_length: {agree} of {} agree within 1 mm",
            self.compared
        );
        for own in &self.differing {
            let _ = writeln!(
                text,
                "  differs: {}: wire {:.1} mm, segments {:.1} mm",
                own.connection,
                mm(own.wire),
                mm(own.segments)
            );
        }
        if self.unknown > 0 {
            let _ = writeln!(
                text,
                "  {} routed wires without a DMU length or with a segment without length",
                self.unknown
            );
        }
        let missing = self.missing();
        let _ = writeln!(text, "segments whose curve misses its nodes: {}", missing.len());
        for (id, by) in missing {
            let _ = writeln!(text, "  {id}: by {:.1} mm; taken smoothly between its nodes", mm(by));
        }
        for own in &kbl.left_out {
            let _ =
                writeln!(text, "left out: {} × {} (first: {}): {}", own.count, own.what, own.first, own.why);
        }
        for (what, count, first) in &self.plan.notes {
            let first = if first.is_empty() { String::new() } else { format!(" (first: {first})") };
            let _ = writeln!(text, "assumed: {count} {what}{first}");
        }
        text
    }
}
