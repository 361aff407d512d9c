//! `accord endpoints`: what was learned about them.

use accord_api::{EndpointFact, EndpointFilter, EndpointQuery, PageQuery, Standing};
use accord_client::Client;
use clap::Subcommand;

use crate::call::ListingArguments;
use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::Tone;
use crate::view::text::{Times, line};
use crate::{output, table};

/// Inspect what was learned about model endpoints: list, forget
#[derive(Debug, clap::Args)]
#[command(after_help = "\
With the strategy `auto`, a run uses the best feature that the endpoint supports: `native`, then
`tool`, then the prompt alone. Runs report what worked. A feature that failed in several runs, or
that the provider refused, is barred until this evidence has aged; then it is tried again.

Examples:
  accord endpoints list
  accord endpoints forget --model llama3.2")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArguments),
    Forget(ForgetArguments),
}

/// List what was learned, by endpoint, model and feature
#[derive(Debug, clap::Args)]
#[command(after_help = "\
GOOD and BAD are weights: a run counts 1, and half of that a day later. A feature followed by # and
a hash is about one schema only.
Columns that do not fit the terminal are omitted; --json has all of them.

Examples:
  accord endpoints list
  accord endpoints list --json | jq '.items[] | select(.standing == \"barred\")'")]
struct ListArguments {
    /// Filter by endpoint, as shown in the list
    #[arg(value_name = "ENDPOINT")]
    endpoint: Option<String>,
    /// Filter by model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Filter by feature
    #[arg(long, value_name = "FEATURE")]
    feature: Option<String>,
    #[command(flatten)]
    listing: ListingArguments,
}

/// Forget what was learned, so that the next runs try again
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Use this after changing or upgrading a model server.

Examples:
  accord endpoints forget 'ollama http://127.0.0.1:11434'
  accord endpoints forget --model llama3.2 --feature native
  accord endpoints forget --all")]
#[group(id = "which", required = true, multiple = true)]
struct ForgetArguments {
    /// Filter by endpoint, as shown in the list
    #[arg(value_name = "ENDPOINT", group = "which")]
    endpoint: Option<String>,
    /// Filter by model
    #[arg(long, value_name = "MODEL", group = "which")]
    model: Option<String>,
    /// Filter by feature, including what was learned for single schemas
    #[arg(long, value_name = "FEATURE", group = "which")]
    feature: Option<String>,
    /// Forget everything
    #[arg(long, group = "which", conflicts_with_all = ["endpoint", "model", "feature"])]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list(arguments),
        Command::Forget(arguments) => forget(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<Exit, Failure> {
    let ListArguments { endpoint, model, feature, .. } = arguments;
    let fetch = async |client: &Client, PageQuery { limit, cursor }| {
        let (endpoint, model, feature) = (endpoint.clone(), model.clone(), feature.clone());
        client.endpoints(&EndpointQuery { endpoint, model, feature, limit, cursor }).await
    };
    let filtered = endpoint.is_some() || model.is_some() || feature.is_some();
    let none = match filtered {
        true => "Nothing was learned that matches these filters.",
        false => "Nothing was learned about endpoints yet. Runs with an output schema report what worked.",
    };
    arguments.listing.print(fetch, none, |facts| view(facts, &Times::here()))
}

fn forget(arguments: &ForgetArguments) -> Result<Exit, Failure> {
    let ForgetArguments { endpoint, model, feature, .. } = arguments;
    let filter =
        EndpointFilter { endpoint: endpoint.clone(), model: model.clone(), feature: feature.clone() };
    let forgotten =
        arguments.connection.ask(async |client| Ok::<_, Failure>(client.forget_endpoints(&filter).await?))?;
    if arguments.json {
        output::json(&forgotten)?;
    } else {
        let count = forgotten.forgotten;
        let entries = if count == 1 { "entry" } else { "entries" };
        output::message(&format!("Forgot {count} {entries} ({}).\n", line(&forgotten.matching)));
    }
    Ok(Exit::Success)
}

fn view(facts: &[EndpointFact], times: &Times) -> String {
    let columns = ["endpoint", "model", "feature", "standing", "good", "bad", "last seen"];
    let mut table = table::new(&columns).spare(&["last seen", "bad", "good"]);
    for EndpointFact { endpoint, model, feature, standing, good, bad, last_seen } in facts {
        let tone = match standing {
            Standing::Works => Tone::Good,
            Standing::Barred => Tone::Warning,
            Standing::Unknown => Tone::Plain,
        };
        table.add_row([
            Tone::Plain.cell(&line(endpoint)),
            Tone::Plain.cell(&line(model)),
            Tone::Plain.cell(&line(feature)),
            tone.cell(standing.as_str()),
            Tone::Plain.cell(&format!("{good:.1}")),
            Tone::Plain.cell(&format!("{bad:.1}")),
            Tone::Plain.cell(&times.at(*last_seen)),
        ]);
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_a_line() {
        let fact = |feature: &str, standing: Standing, good: f64, bad: f64| EndpointFact {
            endpoint: "ollama http://127.0.0.1:11434".into(),
            model: "llama3.2".into(),
            feature: feature.into(),
            standing,
            good,
            bad,
            last_seen: "2026-11-15T10:00:00Z".parse().unwrap(),
        };
        let facts = [fact("native", Standing::Works, 3.96, 0.0), fact("tool", Standing::Barred, 0.0, 3.04)];
        let times = Times::fixed("2026-11-15T10:05:00Z", false);
        insta::assert_snapshot!(view(&facts, &times), @r"
        ENDPOINT                       MODEL     FEATURE  STANDING  GOOD  BAD  LAST SEEN
        ollama http://127.0.0.1:11434  llama3.2  native   works     4.0   0.0  2026-11-15 10:00:00
        ollama http://127.0.0.1:11434  llama3.2  tool     barred    0.0   3.0  2026-11-15 10:00:00
        ");
    }
}
