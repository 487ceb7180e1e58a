//! The cut list: what wires are cut to, with reserve; where protections and fixings go. As CSV and as a page.

use super::plan::Plan;
use super::{Kbl, Reserve};
use std::fmt::Write;

/// A wire to be cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// Number of the wire; of a core with that of its cable.
    pub wire: String,
    /// Part.
    pub part: String,
    /// Colours.
    pub colour: String,
    /// Area of copper, mm².
    pub area: Option<f64>,
    /// Connector and pin where it begins and ends.
    pub ends: [String; 2],
    /// Length in the mock-up, mm: the sum of its segments as they are now.
    pub length: Option<f64>,
    /// What it is cut to, mm.
    pub cut: Option<f64>,
    /// Its segments.
    pub bundles: String,
    /// Its modules.
    pub modules: String,
    /// The signal it carries.
    pub signal: String,
}

/// A protection or a fixing with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What it is.
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
    /// Its part.
    pub part: String,
    /// The bundle it is on.
    pub bundle: String,
    /// From where to where along it, mm.
    pub from: f64,
    /// To where.
    pub to: f64,
}

/// The whole list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CutList {
    /// A line for headings.
    pub title: String,
    /// Wires.
    pub wires: Vec<Cut>,
    /// Protections and fixings.
    pub placed: Vec<Placed>,
}

impl CutList {
    /// The list of a plan; `longer` says how much longer its cables are than in the file, m.
    pub fn new(kbl: &Kbl, plan: &Plan, longer: &[f64], reserve: &Reserve) -> Self {
        let mut more = vec![None; kbl.segments.len()];
        for (own, longer) in plan.cables.iter().zip(longer) {
            more[own.segment] = Some((*longer, own.name.as_str()));
        }
        let mut list = Self { title: kbl.title.clone(), ..Self::default() };
        for own in &kbl.connections {
            let wire = &kbl.wires[own.wire];
            let core = own.core.map(|i| &wire.cores[i]);
            let segments = own.segments.clone().unwrap_or_default();
            // A wire of modules that were not chosen goes through segments that are not there.
            if segments.iter().any(|i| more[*i].is_none()) {
                continue;
            }
            let extra: f64 = segments.iter().filter_map(|i| more[*i]).map(|own| own.0).sum();
            let base = kbl
                .drawn_length(own)
                .or_else(|| kbl.routed_length(&segments).filter(|_| !segments.is_empty()));
            let length = base.map(|base| base + extra);
            let of = |id: &String| {
                kbl.modules
                    .iter()
                    .filter(|own| own.controlled.contains(id))
                    .map(|own| own.part.as_str())
                    .collect::<Vec<_>>()
            };
            let mut modules: Vec<&str> = [&own.id, &wire.id].into_iter().flat_map(of).collect();
            modules.sort_unstable();
            modules.dedup();
            let end = |i: usize| {
                let (connector, pin) = own.ends.get(i).cloned().unwrap_or_default();
                if pin.is_empty() { connector } else { format!("{connector}:{pin}") }
            };
            list.wires.push(Cut {
                wire: core.map_or(wire.number.clone(), |core| format!("{}/{}", wire.number, core.number)),
                part: wire.part.clone(),
                colour: core.map_or(&wire.colour, |core| &core.colour).clone(),
                area: core.map_or(wire.area, |core| core.area).map(|area| 1e6 * area),
                ends: [end(0), end(1)],
                length: length.map(|own| 1e3 * own),
                cut: length.map(|own| 1e3 * reserve.with(own)),
                bundles: segments
                    .iter()
                    .filter_map(|i| more[*i])
                    .map(|own| own.1)
                    .collect::<Vec<_>>()
                    .join("; "),
                modules: modules.join(" "),
                signal: own.signal.clone(),
            });
        }
        for (own, longer) in plan.cables.iter().zip(longer) {
            let segment = &kbl.segments[own.segment];
            let length = 1e3 * (own.length + longer);
            for area in &segment.protections {
                let Some(it) = kbl.protections.get(&area.protection) else { continue };
                list.placed.push(Placed {
                    kind: "protection",
                    name: if it.name.is_empty() { it.kind.clone() } else { it.name.clone() },
                    part: it.part.clone(),
                    bundle: own.name.clone(),
                    from: length * area.from,
                    to: length * area.to,
                });
            }
            for place in &segment.fixings {
                let it = kbl.components.get(&place.fixing);
                let at = length * place.location;
                list.placed.push(Placed {
                    kind: "fixing",
                    name: it.map_or(place.id.clone(), |own| own.name.clone()),
                    part: it.map_or(String::new(), |own| own.part.clone()),
                    bundle: own.name.clone(),
                    from: at,
                    to: at,
                });
            }
        }
        list
    }

    const HEADS: [&'static str; 13] = [
        "kind",
        "wire",
        "part",
        "colour",
        "section mm2",
        "from",
        "to",
        "length mm",
        "reserve mm",
        "cut to mm",
        "bundle",
        "module",
        "signal",
    ];

    fn rows(&self) -> Vec<[String; 13]> {
        let number = |own: Option<f64>| own.map_or(String::new(), |own| format!("{own:.1}"));
        let cut = |own: &Cut| {
            let reserve = own.cut.zip(own.length).map(|(cut, length)| cut - length);
            let [a, b] = own.ends.clone();
            let area = own.area.map_or(String::new(), |own| format!("{}", (own * 1000.0).round() / 1000.0));
            [
                "wire".into(),
                own.wire.clone(),
                own.part.clone(),
                own.colour.clone(),
                area,
                a,
                b,
                number(own.length),
                number(reserve),
                number(own.cut),
                own.bundles.clone(),
                own.modules.clone(),
                own.signal.clone(),
            ]
        };
        let placed = |own: &Placed| {
            let [from, to] = [own.from, own.to].map(|s| format!("{s:.1} mm"));
            [
                own.kind.into(),
                own.name.clone(),
                own.part.clone(),
                String::new(),
                String::new(),
                from,
                to,
                number(Some(own.to - own.from)),
                String::new(),
                String::new(),
                own.bundle.clone(),
                String::new(),
                String::new(),
            ]
        };
        self.wires.iter().map(cut).chain(self.placed.iter().map(placed)).collect()
    }

    /// As CSV, after RFC 4180.
    pub fn to_csv(&self) -> String {
        let field = |text: &str| match text.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        };
        let line = |row: &[String]| row.iter().map(|own| field(own)).collect::<Vec<_>>().join(",");
        let mut out = Self::HEADS.join(",") + "\r\n";
        for row in self.rows() {
            out += &(line(&row) + "\r\n");
        }
        out
    }

    /// As a page to print.
    pub fn to_html(&self, reserve: &Reserve) -> String {
        let safe = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let title = safe(&self.title);
        let mut out = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Cut list: {title}</title>\n<style>body {{ font: 10pt sans-serif; margin: 2em }} table {{ border-collapse: collapse }} td, th {{ border: 1px solid #999; padding: 2px 6px; text-align: left }} @media print {{ tr {{ break-inside: avoid }} }}</style>\n</head>\n<body>\n<h1>Cut list: {title}</h1>\n<p>{} wires. Cut to: length in the mock-up, {} % and {} mm per end more, rounded up to {} mm. Places along bundles are measured from where they begin.</p>\n<table>\n<tr>",
            self.wires.len(),
            trimmed(100.0 * reserve.share),
            trimmed(1e3 * reserve.per_end),
            trimmed(1e3 * reserve.round)
        );
        for head in Self::HEADS {
            let _ = write!(out, "<th>{head}</th>");
        }
        out.push_str("</tr>\n");
        for row in self.rows() {
            let cells: Vec<String> = row.iter().map(|own| format!("<td>{}</td>", safe(own))).collect();
            let _ = writeln!(out, "<tr>{}</tr>", cells.concat());
        }
        out.push_str("</table>\n</body>\n</html>\n");
        out
    }
}

fn trimmed(value: f64) -> String {
    format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
