//! Holds Flexline's models against reference solutions of slender rods.
//!
//! [`load`] reads a folder of cases, [`embedded`] gives the set in `validation/reference`, and
//! [`run`] solves each case at increasing resolutions until its errors are inside the tolerances
//! *and* fall at the model's order (`reference/TOLERANCES.md`).
//!
//! ```
//! let set = flexline_validation::embedded();
//! let options = flexline_validation::Options { filter: Some("tip_load_05".into()), ..Default::default() };
//! let summary = flexline_validation::run(&set, &options, &|_, _, _| {});
//! assert_eq!((summary.passed, summary.missed), (4, 0));
//! ```

mod case;
mod compare;
mod field;
mod follow;
mod groups;
pub mod judge;
mod reference;
mod rods;
mod run;

pub use case::Case;
pub use field::FieldError;
pub use reference::{LoadError, ReferenceSet, embedded, load};
pub use run::{CaseResult, CaseStatus, MODELS, Options, Summary, run};
