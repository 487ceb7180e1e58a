//! One file per group of cases: what it reads, how it is posed, what it compares.

mod bend_twist;
mod buckling;
mod cantilever;
mod catenary;
mod clamped;
mod contact;
mod dynamics;
mod inverse;
mod joint;
mod kinematics;
mod lateral;
mod pending;
mod rigid;

use crate::case::Cases;
use crate::field::{Field, FieldError};

/// Reads the cases of a document, by the name of its test (a leading number does not count, the letter after it does).
pub(crate) fn read(test: &str, root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    match test.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_') {
        "tip_load" | "heavy_cantilever" => cantilever::read(root, cases),
        "bend_twist" => bend_twist::read(root, cases),
        "clamped_clamped" => clamped::read(root, cases),
        "buckling" => buckling::read(root, cases),
        "catenary" => catenary::read(root, cases),
        "dynamics" => dynamics::read(root, cases),
        "space_clothoids" => kinematics::read(root, cases),
        "inverse_statics" => inverse::read(root, cases),
        "l_contact_dynamics" => rigid::read(root, cases),
        "friction" => rigid::read_friction(root, test, cases),
        "a_cantilever_floor" => contact::floor::read(root, cases),
        "b_liftoff" => contact::liftoff::read(root, cases),
        "f_capstan_stiff" => contact::capstan::read(root, cases),
        "g_lateral_friction" => contact::sideways::read(root, cases),
        "c_walls" => contact::walls::read(root, cases),
        "d_cylinder" | "e_edge" => contact::cylinder::read(root, cases),
        "h_ply" => contact::ply::read(root, test, cases),
        "j_tube_buckling" => contact::tube::read(root, cases),
        other => pending::read(other, test, root, cases),
    }
}

/// The name of a case: its own, or its list's with its place.
fn name(case: &Field, list: &str, place: usize) -> Result<String, FieldError> {
    match case.find("id") {
        Some(id) => Ok(id.as_text()?.to_owned()),
        None => Ok(format!("{list}_{}", place + 1)),
    }
}

/// The elements of a list that may be absent, each with its place.
fn list<'a>(root: &Field<'a>, key: &str) -> Result<Vec<(usize, Field<'a>)>, FieldError> {
    let items = root.find(key).map_or(Ok(Vec::new()), |f| f.items())?;
    items.into_iter().enumerate().map(|(i, f)| Ok((i, f.object()?))).collect()
}
