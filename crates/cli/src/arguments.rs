//! What can be asked on the command line.

use clap::{Parser, Subcommand};

use crate::commands::{
    agents, audit, check, completions, coordinator, doctor, init, keys, mcp, prompt, record, replay, run, runner,
    runners, runs, schema, schemas, sessions, stats, submit, up, workflow,
};

/// Runs AI agents under contract: what comes out conforms to its schema, or fails clearly.
#[derive(Debug, Parser)]
#[command(
    name = "accord",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
stdout is data, stderr is talk; --json gives one JSON object, or a line for each thing that is done.
accord COMMAND --help has examples.
Of the id of a run or a session a beginning is enough that no other has.
Exit codes: 0 success, 1 usage or configuration, 2 the contract was not met, 3 a model or server
failed, 4 stopped or timed out. A reader of stdout that goes away changes none of them.

Examples:
  accord init
  accord run word-count --param text=\"one two three\"
  accord up
  accord runs list --status failed --since 24h
  accord check --schema report.schema.json answer.txt"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(init::Arguments),
    Run(run::Arguments),
    Up(up::Arguments),
    Agents(agents::Arguments),
    Workflow(workflow::Arguments),
    Runs(runs::Arguments),
    Sessions(sessions::Arguments),
    Stats(stats::Arguments),
    Schemas(schemas::Arguments),
    Keys(keys::Arguments),
    Audit(audit::Arguments),
    Prompt(prompt::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Check(check::Arguments),
    Schema(schema::Arguments),
    Coordinator(coordinator::Arguments),
    Runner(runner::Arguments),
    Runners(runners::Arguments),
    Mcp(mcp::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Submit(submit::Arguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        super::Arguments::command().debug_assert();
    }

    /// clap breaks what is longer, in the middle of a paragraph that is broken already.
    const COLUMNS: usize = 100;

    fn look(command: &clap::Command, path: &str) {
        let path = format!("{path} {}", command.get_name());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Examples:\n  "), "{path} has no examples");
        for line in help.lines() {
            assert!(line.chars().count() <= COLUMNS, "{path}: {line}");
        }
        command.get_subcommands().filter(|inner| !inner.is_hide_set()).for_each(|inner| look(inner, &path));
    }

    #[test]
    fn every_help_fits_and_teaches_by_example() {
        look(&super::Arguments::command(), "");
    }
}
