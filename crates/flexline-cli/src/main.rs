//! The `flexline` command: one file per subcommand.

mod bench;
mod bundles;
mod check;
mod convergence;
mod drag;
mod edit;
mod experiment;
mod export;
mod failure;
mod find;
mod import;
mod materials;
mod output;
mod plot;
mod progress;
mod random;
mod reserve;
mod schema;
mod simulate;
mod solve;
mod solved;
mod stress;
mod studio;
mod study;
mod sweep;
mod validate;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// Cables, hoses and harnesses in equilibrium, with proof
#[derive(Parser)]
#[command(version, about, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 good; 1 the answer is no (not converged, a case missed); 2 command line \
not understood; 3 input unusable; 4 output cannot be written; 6 a rule of `check` is broken, or a cable too short \
for `reserve` or `sweep`, or it snaps.";

#[derive(Subcommand)]
enum Command {
    Solve(solve::Solve),
    Check(check::Check),
    Plot(plot::Plot),
    Simulate(simulate::Simulate),
    Reserve(reserve::Reserve),
    Sweep(sweep::SweepArgs),
    Find(find::Find),
    Study(study::StudyArgs),
    Edit(edit::Edit),
    Journal(edit::Journal),
    Import(import::Import),
    Export(export::Export),
    Materials(materials::Materials),
    Schema(schema::Schema),
    Validate(validate::Validate),
    Bench(bench::Bench),
    Convergence(convergence::Convergence),
    Experiment(experiment::Experiment),
    Stress(stress::Stress),
    Drag(drag::Drag),
    Studio(studio::Studio),
}

/// Whether a command was asked for its answer in JSON.
fn wants_json(matches: &ArgMatches) -> bool {
    matches.subcommand().is_some_and(|(_, own)| {
        own.try_get_one::<bool>("json").ok().flatten().is_some_and(|json| *json) || wants_json(own)
    })
}

fn main() -> ExitCode {
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match cli.command {
        Command::Solve(args) => solve::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Materials(args) => materials::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Plot(args) => plot::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Reserve(args) => reserve::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Find(args) => find::run(&args),
        Command::Study(args) => study::run(&args),
        Command::Edit(args) => edit::run(&args),
        Command::Journal(args) => edit::run_journal(&args),
        Command::Import(args) => import::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Convergence(args) => convergence::run(&args),
        Command::Experiment(args) => experiment::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Stress(args) => Ok(stress::run(&args)),
        Command::Drag(args) => drag::run(&args),
        Command::Studio(args) => studio::run(&args),
    };
    let result = match (result, output::unwritten()) {
        (Ok(_), Some(error)) => {
            Err(failure::Failure::Output { path: "to standard output".into(), error: error.into() })
        }
        (result, _) => result,
    };
    ExitCode::from(result.unwrap_or_else(|failure| {
        if wants_json(&matches) {
            output::print_json(&serde_json::json!(failure.told()));
        }
        output::complain(&failure.to_string());
        failure.code()
    }))
}
