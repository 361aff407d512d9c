//! `accord stats`: how often contracts are met, by whom, and what breaks them.

use accord_api::StatsQuery;
use jiff::Timestamp;

use crate::call::CallArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::stats::{self, Bars};
use crate::{output, since};

/// Show success, retry and failure rates, tokens, cost and the most frequent errors
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Counts finished runs only. Durations are measured from creation to completion.

Examples:
  accord stats --since 7d
  accord stats --agent ticket-triage --since 2026-11-01T00:00:00Z
  accord stats --json | jq '.by_model[] | {key, first_try_rate}'")]
pub(crate) struct Arguments {
    /// Only runs created since this age (30m, 24h, 7d) or time (RFC 3339)
    #[arg(long, value_name = "TIME", value_parser = since::parse)]
    since: Option<Timestamp>,
    /// Filter by agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    #[command(flatten)]
    call: CallArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let stats = arguments.call.connection.ask(async |client| {
        let which = StatsQuery { since: arguments.since, agent_name: arguments.agent.clone() };
        Ok(client.stats(&which).await?)
    })?;
    if arguments.call.json {
        output::json(&stats)?;
        return Ok(Exit::Success);
    }
    if stats.all.runs == 0 {
        let any = arguments.since.is_none() && arguments.agent.is_none();
        output::message(if any {
            "No finished runs found.\n"
        } else {
            "No finished runs match these filters.\n"
        });
        return Ok(Exit::Success);
    }
    let bars = if output::stdout_is_terminal() { Bars::Drawn } else { Bars::None };
    output::show(&stats::view(&stats, bars))?;
    output::message(&format!("{}\n", stats::summary(&stats)));
    Ok(Exit::Success)
}
