//! The command line arguments.

use clap::{Parser, Subcommand};

use crate::commands::{
    acp, agents, audit, batch, check, completions, coordinator, doctor, endpoints, init, inputs, keys, mcp,
    prompt, read_pdf, record, replay, review, run, runner, runners, runs, schemas, sessions, stats, submit,
    types, up, workflow,
};

/// Run AI agents under contract: a result conforms to its schema, or the run fails
#[derive(Debug, Parser)]
#[command(
    name = "accord",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Results go to stdout; progress and messages go to stderr. With --json, the output is one JSON
object, or one per line for commands that work on several things. Run `accord COMMAND --help` for
examples.
Ids can be abbreviated to any unique prefix.
Exit codes: 0 success, 1 usage or configuration error, 2 contract not met, 3 model or server
failure, 4 stopped or timed out. Closing stdout early (for example with `| head`) does not change
the exit code.

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
    Batch(batch::Arguments),
    Up(up::Arguments),
    Agents(agents::Arguments),
    #[command(alias = "workflow")]
    Workflows(workflow::Arguments),
    Review(review::Arguments),
    Runs(runs::Arguments),
    Sessions(sessions::Arguments),
    #[command(alias = "input")]
    Inputs(inputs::Arguments),
    Stats(stats::Arguments),
    #[command(alias = "schema")]
    Schemas(schemas::Arguments),
    Keys(keys::Arguments),
    Audit(audit::Arguments),
    Prompt(prompt::Arguments),
    Record(record::Arguments),
    Replay(replay::Arguments),
    Check(check::Arguments),
    Types(types::Arguments),
    Coordinator(coordinator::Arguments),
    Runner(runner::Arguments),
    Runners(runners::Arguments),
    Endpoints(endpoints::Arguments),
    Mcp(mcp::Arguments),
    Acp(acp::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    #[command(hide = true)]
    Submit(submit::Arguments),
    #[command(hide = true)]
    ReadPdf(read_pdf::Arguments),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_fit_together() {
        super::Arguments::command().debug_assert();
    }

    /// `tests/e2e/hostile/help.rs` finds all commands by the help, and these by its list.
    #[test]
    fn the_hidden_commands_are_attacked_too() {
        fn hidden(command: &clap::Command) -> Vec<&str> {
            let here =
                command.get_subcommands().filter(|inner| inner.is_hide_set()).map(clap::Command::get_name);
            here.chain(command.get_subcommands().flat_map(hidden)).collect()
        }
        assert_eq!(hidden(&super::Arguments::command()), ["submit", "read-pdf"]);
    }

    /// clap breaks what is longer, in the middle of a paragraph that is broken already.
    const COLUMNS: usize = 100;

    fn look(command: &clap::Command, path: &str) {
        let path = format!("{path} {}", command.get_name());
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.contains("Examples:\n  "), "{path} has no examples");
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let arguments = command.get_arguments().filter_map(|argument| argument.get_help());
        let arguments: Vec<String> = arguments.map(ToString::to_string).collect();
        for line in help.lines().chain([about.as_str()]).chain(arguments.iter().map(String::as_str)) {
            assert!(line.chars().count() <= COLUMNS, "{path}: {line}");
            let first = line.chars().next();
            assert!(!line.ends_with('.') || help.contains(line), "{path}: no full stop in '{line}'");
            assert!(
                first.is_none_or(|first| !first.is_lowercase()) || help.contains(line),
                "{path}: '{line}'"
            );
        }
        command.get_subcommands().filter(|inner| !inner.is_hide_set()).for_each(|inner| look(inner, &path));
    }

    #[test]
    fn every_help_fits_and_teaches_by_example() {
        look(&super::Arguments::command(), "");
    }
}
