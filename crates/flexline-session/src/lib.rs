//! What is done to a scene over time.
//!
//! A [`command::Command`] changes the text of a scene and keeps its comments and their order. A [`session::Session`]
//! applies commands one after the other: it checks them, solves from the shape before, undoes and keeps a journal. A
//! [`desk::Desk`] is a session with hands: what they lead, what is previewed and what moves between two changes, and
//! what a page shows of it. A [`motion`] begins in equilibrium, with something let go or moved. `COMMANDS.md` beside this crate describes every command.
//!
//! ```
//! use flexline_session::command::Command;
//! use flexline_session::session::{Session, Solving};
//!
//! let text = r#"version = 1
//! [cable]
//! name = "hose"
//! length = "400 mm" # as delivered
//! measured = { bend = "0.02 N m^2", twist = "0.015 N m^2", mass_per_length = "90 g/m", diameter = "10 mm" }
//! [start]
//! hold = "clamped"
//! position = [0, 0, 0]
//! tangent = [1, 0, 0]
//! [end]
//! hold = "pinned"
//! position = ["250 mm", 0, "100 mm"]
//! "#;
//! let mut session = Session::open(text, "example", Solving::Never)?;
//! let longer = Command::from_json(r#"{"do": "set-length", "cable": "hose", "length": "420 mm"}"#)?;
//! session.apply(&longer)?;
//! assert!(session.text().contains("length = \"420 mm\" # as delivered"));
//! session.undo()?;
//! assert_eq!(session.text(), text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod command;
pub mod derivative;
pub mod desk;
mod file;
pub mod import;
mod json;
pub mod motion;
pub mod session;
#[cfg(feature = "typescript")]
pub mod typescript;

pub use file::{private_file, replace_file};
pub use json::json_mistake;
