//! What TypeScript calls tables of a command: for declarations alone.

use ts_rs::TS;

/// Keys of a table of the scene file, with values as there.
#[derive(TS)]
pub struct Keys(#[ts(type = "Record<string, unknown>")] pub ());
