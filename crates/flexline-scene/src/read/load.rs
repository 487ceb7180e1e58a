//! The `[[load]]` tables.

use super::cable::inside;
use super::end::AXES;
use crate::diagnostic::Code;
use crate::model::{Load, LoadOn};
use crate::reader::Table;
use crate::units::Dimension;
use crate::words::millimetres;
use flexline::Vec3;

pub(super) const LOAD: &[&str] =
    &["name", "at", "from", "to", "force", "moment", "force_per_length", "moment_per_length", "axes"];
pub(super) const ENDS: &[&str] = &["start", "end"];

/// Reads the loads; `None` where one is wrong.
pub(super) fn read(root: &Table, length: Option<f64>) -> Option<Vec<Load>> {
    let loads: Vec<Option<Load>> = root.children("load", LOAD).iter().map(|t| read_load(t, length)).collect();
    loads.into_iter().collect()
}

pub(super) fn read_load(table: &Table, length: Option<f64>) -> Option<Load> {
    let name = table.string("name").map(Into::into);
    let axes = table.choice("axes", &AXES).unwrap_or_default();
    let point = table.has("at") || !(table.has("from") || table.has("to"));
    let on = if point { read_point(table, length) } else { read_stretch(table, length) };
    Some(Load { name, on: on?, axes })
}

fn read_point(table: &Table, length: Option<f64>) -> Option<LoadOn> {
    if !table.has("at") {
        table.report_missing("at", "say where: at = \"0.3 m\" or \"50 %\"; or from and to for a stretch");
    }
    let help = "a load at one place has `at`, force and moment; along a stretch: from, to, force_per_length and \
                moment_per_length";
    let stretch = ["from", "to", "force_per_length", "moment_per_length"];
    table.refuse(&stretch, "does not go with a load at one place", help);
    if !table.has("force") && !table.has("moment") {
        table.report_missing("force", "give a force, a moment, or both: force = [0, 0, \"-5 N\"]");
        return None;
    }
    let force = vector_or_zero(table, "force", Dimension::Force);
    let moment = vector_or_zero(table, "moment", Dimension::Moment);
    Some(LoadOn::Point { at: inside(table, "at", length)?, force: force?, moment: moment? })
}

pub(super) fn vector_or_zero(table: &Table, key: &str, dimension: Dimension) -> Option<Vec3> {
    if table.has(key) { table.vector(key, dimension).map(Vec3::from) } else { Some(Vec3::zeros()) }
}

fn read_stretch(table: &Table, length: Option<f64>) -> Option<LoadOn> {
    for key in ["from", "to"] {
        if !table.has(key) {
            table.report_missing(key, format!("a stretch has both ends: {key} = \"0.3 m\" or \"50 %\""));
        }
    }
    let help = "along a stretch give force_per_length and moment_per_length";
    table.refuse(&["force", "moment"], "does not go with `from` and `to`", help);
    if !table.has("force_per_length") && !table.has("moment_per_length") {
        table.report_missing("force_per_length", "give one: force_per_length = [0, 0, \"-2 N/m\"]");
        return None;
    }
    let force = read_varying(table, "force_per_length", Dimension::ForcePerLength);
    let moment = read_varying(table, "moment_per_length", Dimension::MomentPerLength);
    let (from, to) = (inside(table, "from", length), inside(table, "to", length));
    let (from, to) = (from?, to?);
    if to <= from {
        let message = format!("{} = {} does not lie beyond `from`", table.words("to"), millimetres(to));
        table.report(Code::OutOfRange, "to", message, format!("expected more than {}", millimetres(from)));
        return None;
    }
    Some(LoadOn::Stretch { from, to, force: force?, moment: moment? })
}

/// A vector, or one for each end of the stretch; zero where not given.
fn read_varying(table: &Table, key: &str, dimension: Dimension) -> Option<[Vec3; 2]> {
    if !table.is_table(key) {
        return vector_or_zero(table, key, dimension).map(|v| [v, v]);
    }
    let ends = table.child(key, ENDS)?;
    for end in ENDS.iter().filter(|k| !ends.has(k)) {
        ends.report_missing(end, "give a vector at both ends of the stretch");
    }
    let (a, b) = (ends.vector("start", dimension), ends.vector("end", dimension));
    Some([Vec3::from(a?), Vec3::from(b?)])
}
