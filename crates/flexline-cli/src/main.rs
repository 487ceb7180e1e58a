//! The `flexline` command.

mod bench;
mod output;
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
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let code = match Cli::parse().command {
        Command::Stress(args) => stress::run(&args),
        Command::Bench(args) => bench::run(&args).unwrap_or_else(|e| { eprintln!("{e}"); 1 }),
    };
    ExitCode::from(code)
}
