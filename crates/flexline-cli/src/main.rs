//! The `flexline` command.

mod stress;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Flexible parts in equilibrium: cables, hoses, harnesses
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Stress(stress::Stress),
}

fn main() -> ExitCode {
    let code = match Cli::parse().command {
        Command::Stress(args) => stress::run(&args),
    };
    ExitCode::from(code)
}
