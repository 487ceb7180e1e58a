//! Rigid bodies with contact and Coulomb friction, through the cone solver: sliding in time, impacts, Painlevé's paradox.
//!
//! No rod is in them. What is held against the references is the solver of contact forces and the step in time around it.

mod body;
mod impact;
mod painleve;
mod sliding;

use super::{contact, list, name, pending};
use crate::case::Cases;
use crate::field::{Field, FieldError};

/// Reads `incline`, `belt`, `disc`, `drop`, `rod_impact` and `painleve`.
pub(super) fn read(root: &Field, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "incline")? {
        cases.add_steps(name(&case, "incline", place)?, place, sliding::incline(&case))?;
    }
    for (place, case) in list(root, "belt")? {
        cases.add_steps(name(&case, "belt", place)?, place, sliding::belt(&case))?;
    }
    for (place, case) in list(root, "disc")? {
        cases.add_steps(name(&case, "disc", place)?, place, sliding::disc(&case))?;
    }
    for (place, case) in list(root, "drop")? {
        cases.add_rigid(name(&case, "drop", place)?, place, impact::drop(&case))?;
    }
    for (place, case) in list(root, "rod_impact")? {
        cases.add_rigid(name(&case, "rod_impact", place)?, place, impact::rod(&case))?;
    }
    for (place, case) in list(root, "painleve")? {
        cases.add_rigid(name(&case, "painleve", place)?, place, painleve::read(&case))?;
    }
    Ok(())
}

/// Reads the friction cases: blocks here, rods in contact among their like.
pub(super) fn read_friction(root: &Field, test: &str, cases: &mut Cases) -> Result<(), FieldError> {
    for (place, case) in list(root, "incline")? {
        cases.add_steps(name(&case, "incline", place)?, place, sliding::block(&case))?;
    }
    for (place, case) in list(root, "spring_block")? {
        cases.add_steps(name(&case, "spring_block", place)?, place, sliding::spring_block(&case))?;
    }
    for (place, case) in list(root, "table_edge")? {
        cases.add_steps(name(&case, "table_edge", place)?, place, sliding::table_edge(&case))?;
    }
    if let Some(tip) = root.find("tip_stick_slip") {
        contact::tip::read(&tip, cases)?;
    }
    contact::capstan::read_ropes(root, cases)?;
    let done = ["incline", "spring_block", "tip_stick_slip", "capstan", "table_edge"];
    pending::read_others("friction", test, root, &done, cases)
}
