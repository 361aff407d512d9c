//! What can be asked on the command line.

use clap::{Parser, Subcommand};

use crate::commands::{check, completions, coordinator, record, replay, run, runner, schema, up};

/// Runs AI agents under contract: what comes out conforms to its schema, or fails clearly.
#[derive(Debug, Parser)]
#[command(
    name = "accord",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
stdout is data, stderr is talk; what a command shows on a terminal is plain or JSON in a pipe.
Exit codes: 0 success, 1 usage or configuration, 2 the contract was not met, 4 stopped.

Examples:
  accord check --schema report.schema.json answer.txt
  accord schema infer examples/*.json > report.schema.json
  accord schema lower --for openai report.schema.json"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Up(up::Arguments),
    Coordinator(coordinator::Arguments),
    Runner(runner::Arguments),
    Run(run::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Check(check::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
}
