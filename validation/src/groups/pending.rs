//! Groups that need what is not built yet: every case is named with the reason.

use super::{list, name};
use crate::case::Cases;
use crate::field::{Field, FieldError};

/// Members of a document that hold no cases.
const BOOKKEEPING: [&str; 4] = ["cross_check_methods", "limits", "cross_check", "constants"];

fn reason(kind: &str, test: &str) -> String {
    match kind {
        "h_ply" => "a whole plectoneme with its tails and its loop is not built yet".into(),
        "i_knot" => "posing knots is not built yet".into(),
        "friction" => "this version knows no such case of friction".into(),
        _ => format!("unknown test {test}: this version knows no such group of cases"),
    }
}

/// Names every case of a document.
pub(super) fn read(kind: &str, test: &str, root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    read_others(kind, test, root, &[], cases)
}

/// Names every case of a document but those of the lists that are `done`.
pub(super) fn read_others(
    kind: &str,
    test: &str,
    root: &Field,
    done: &[&str],
    cases: &mut Cases,
) -> Result<(), FieldError> {
    for key in root.keys() {
        let Ok(member) = root.get(key) else { continue };
        if member.holds_cases() && !BOOKKEEPING.contains(&key) && !done.contains(&key) {
            add(key, &member, &reason(kind, test), cases)?;
        }
    }
    Ok(())
}

/// A list of cases, one case, or an object whose members are lists of cases.
pub(super) fn add(key: &str, member: &Field, why: &str, cases: &mut Cases) -> Result<(), FieldError> {
    if let Ok(items) = member.items() {
        for (place, case) in items.iter().enumerate() {
            cases.unsupported(name(case, key, place)?, place, why);
        }
        return Ok(());
    }
    let nested: Vec<&str> = member
        .keys()
        .into_iter()
        .filter(|k| member.find(k).is_some_and(|f| f.holds_cases() && f.items().is_ok()))
        .collect();
    for inner in &nested {
        for (place, case) in list(member, inner)? {
            cases.unsupported(name(&case, &format!("{key}_{inner}"), place)?, place, why);
        }
    }
    if nested.is_empty() {
        cases.unsupported(key.to_owned(), 0, why);
    }
    Ok(())
}
