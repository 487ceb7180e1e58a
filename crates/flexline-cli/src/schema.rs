//! `flexline schema`: what `--json` tells, as JSON Schemas that are made of the types which are printed.

use crate::failure::{Failure, FailureTold, GOOD};
use crate::output::print_json;
use crate::{check, find, reserve, simulate, solve, sweep};
use clap::{Args, ValueEnum};
use flexline_study::study::Summary;
use schemars::{Schema as JsonSchema, schema_for};

/// Print the JSON Schema of what a command tells with --json
#[derive(Args)]
pub struct Schema {
    /// The command, or "error": what any command tells where it fails
    #[arg(value_enum)]
    of: Of,
}

#[derive(Clone, Copy, ValueEnum)]
enum Of {
    Solve,
    Check,
    /// Of several scenes at once
    CheckMany,
    Sweep,
    Find,
    Study,
    Reserve,
    Simulate,
    Error,
}

impl Of {
    fn schema(self) -> JsonSchema {
        match self {
            Self::Solve => schema_for!(solve::told::SolveTold),
            Self::Check => schema_for!(check::CheckTold),
            Self::CheckMany => schema_for!(check::ManyTold),
            Self::Sweep => schema_for!(sweep::SweepTold<'static>),
            Self::Find => schema_for!(find::FindTold<'static>),
            Self::Study => schema_for!(Summary),
            Self::Reserve => schema_for!(reserve::ReserveTold),
            Self::Simulate => schema_for!(simulate::SimulateTold),
            Self::Error => schema_for!(FailureTold),
        }
    }
}

/// Runs the command.
pub fn run(args: &Schema) -> Result<u8, Failure> {
    let mut schema = args.of.schema();
    if let Some(name) = args.of.to_possible_value() {
        schema.insert("$id".into(), format!("flexline:{}:1", name.get_name()).into());
    }
    print_json(schema.as_value());
    Ok(GOOD)
}
