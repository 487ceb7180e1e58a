//! Scene files: one cable or many that are joined, what holds and what loads them, in TOML with units, and their way to
//! the engine.
//!
//! Text is read strictly ([`Scene::load`], [`Scene::parse`]): unknown keys, wrong units and impossible values
//! are errors that name place, value, expectation and remedy, several at once. A [`Scene`] keeps names and
//! choices; [`Scene::compile`] makes of it the network that the engine solves; [`Compiled::check`] judges a
//! solution by the limits of its sections.
//! `FORMAT.md` beside this crate describes every key. What changes a scene is above: `flexline-session`.
//!
//! ```
//! use flexline_scene::Scene;
//!
//! let text = r#"
//!     version = 1
//!     [cable]
//!     length = "400 mm"
//!     measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }
//!     [start]
//!     hold = "clamped"
//!     position = [0, 0, 0]
//!     tangent = [1, 0, 0]
//!     [end]
//!     hold = "pinned"
//!     position = ["250 mm", 0, "100 mm"]
//! "#;
//! let compiled = Scene::parse(text, "example")?.compile()?;
//! assert_eq!(compiled.network.spans[0].rod.segments(), 100);
//!
//! let error = Scene::parse(&text.replace("400 mm", "5 kg"), "example").unwrap_err();
//! assert!(error.to_string().contains("`cable.length` = \"5 kg\" is a mass, not a length"));
//! # Ok::<(), flexline_scene::SceneError>(())
//! ```

pub mod chafing;
pub mod check;
pub mod contact;
mod diagnostic;
mod file;
mod folder;
mod frame;
pub mod harness;
pub mod model;
pub mod neighbour;
mod not_modelled;
pub mod obstacle;
pub mod pole;
pub mod pressure;
mod read;
mod reader;
mod resolution;
mod resolve;
mod rod;
mod source;
mod suggest;
mod touching;
pub mod turns;
#[cfg(feature = "typescript")]
pub mod typescript;
pub mod units;
pub mod winding;
pub mod words;

pub use diagnostic::{Code, Diagnostic, Role, SceneError};
pub use file::LARGEST_FILE;
pub use folder::Folder;
pub use harness::{Chosen, Compiled, Deformables, Solution};
pub use model::{STANDARD_GRAVITY, STANDARD_SEGMENTS, Scene, VERSION};
pub use read::{TABLES, constraint_kinds};
pub use source::Place;
pub use suggest::nearest;
pub use touching::Touching;
