//! What can be asked on the command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    agents, check, completions, coordinator, doctor, init, keys, record, replay, run, runner, runs, schema,
    schemas, sessions, stats, up,
};

/// Runs AI agents under contract: what comes out conforms to its schema, or fails clearly.
#[derive(Debug, Parser)]
#[command(
    name = "accord",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
stdout is data, stderr is talk; what a command shows on a terminal is plain or JSON in a pipe.
Exit codes: 0 success, 1 usage or configuration, 2 the contract was not met, 3 a model or server
failed, 4 stopped or timed out.

Examples:
  accord init
  accord agents list
  accord runs watch run_…
  accord stats --since 7d
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
    Init(init::Arguments),
    Up(up::Arguments),
    Coordinator(coordinator::Arguments),
    Runner(runner::Arguments),
    Run(run::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Agents(agents::Arguments),
    Sessions(sessions::Arguments),
    Runs(runs::Arguments),
    Stats(stats::Arguments),
    Schemas(schemas::Arguments),
    Keys(keys::Arguments),
    Doctor(doctor::Arguments),
    Check(check::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        super::Arguments::command().debug_assert();
    }
}
