//! `accord inputs`: what people are asked.

mod answer;

use accord_api::input_request::Status;
use accord_api::{ErrorName, InputId, InputQuery, InputRequest, PageQuery};
use accord_client::Client;
use clap::Subcommand;

use crate::call::{CallArguments, ListingArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::view::Tone;
use crate::view::input;
use crate::view::text::Times;
use crate::{paging, runtime};

/// Answer what agents ask people: list, show, answer, link
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A run asks for an approval (approve in the agent file), an answer (the tool ask_human), a correction
of its output (on_failure: ask) or the whole work (executor type human). It uses no runner then.

Examples:
  accord inputs list
  accord inputs answer inp_… --approve
  accord inputs link inp_…")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArguments),
    Show(ShowArguments),
    Answer(answer::Arguments),
    Link(LinkArguments),
}

/// List requests for input, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord inputs list
  accord inputs list --status answered --json | jq '.items[].answered_by'")]
struct ListArguments {
    /// Filter by status
    #[arg(long, value_name = "STATUS", default_value = "open", value_parser = paging::one_of(Status::ALL, Status::as_str))]
    status: Status,
    #[command(flatten)]
    listing: ListingArguments,
}

/// Show a request for input: question, tool call, schema, deadline
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  accord inputs show inp_…
  accord inputs show inp_… --json | jq .schema")]
struct ShowArguments {
    /// Input id, or a unique prefix of it
    input: InputId,
    #[command(flatten)]
    call: CallArguments,
}

/// Create a one-time link to a form for a request for input
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The link works without an API key, for one answer, until the deadline of the request. A link that
was created before is no longer valid.

Examples:
  accord inputs link inp_…
  accord inputs link inp_… --json | jq -r .token")]
struct LinkArguments {
    /// Input id, or a unique prefix of it
    input: InputId,
    #[command(flatten)]
    call: CallArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::List(arguments) => list(arguments),
        Command::Show(arguments) => show(arguments),
        Command::Answer(arguments) => answer::run(arguments),
        Command::Link(arguments) => link(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<Exit, Failure> {
    let status = Some(arguments.status);
    let fetch = async |client: &Client, PageQuery { limit, cursor }| {
        client.inputs(&InputQuery { status, limit, cursor, ..InputQuery::default() }).await
    };
    let none = match arguments.status {
        Status::Open => "Nobody is asked anything.".to_owned(),
        _ => paging::none("requests for input", true),
    };
    arguments.listing.print(fetch, &none, |requests| input::list(requests, &Times::here()))
}

fn show(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let request = arguments.call.connection.ask(async |client| find(client, &arguments.input).await)?;
    arguments.call.print(&request, || input::view(&request, &Times::here()))
}

fn link(arguments: &LinkArguments) -> Result<Exit, Failure> {
    let (link, url) = runtime::block_on(async {
        let client = arguments.call.connection.client().await?;
        let request = find(&client, &arguments.input).await?;
        let link = client.input_link(&request.id).await?;
        let url = format!("{}{}", client.base_url().trim_end_matches('/'), link.path);
        Ok((link, url))
    })?;
    arguments.call.print(&link, || format!("{url}\n"))
}

/// The request with this id, or the only recent one whose id starts with it.
async fn find(client: &Client, id: &InputId) -> Result<InputRequest, Failure> {
    let absent = match client.input(id).await {
        Err(error) if error.is(ErrorName::InputNotFound) => error,
        found => return Ok(found?),
    };
    let recent = client.inputs(&InputQuery { limit: Some(500), ..InputQuery::default() }).await?;
    let mut found = recent.items.into_iter().filter(|request| request.id.as_str().starts_with(id.as_str()));
    match (found.next(), found.next()) {
        (Some(request), None) => Ok(request),
        (Some(_), Some(_)) => {
            Err(Problem::new(format!("several inputs start with '{id}'; use more of the id")).into())
        }
        (None, _) => Err(absent.into()),
    }
}

/// The status of a request, in its colour.
fn painted(status: Status) -> String {
    let tone = match status {
        Status::Open => Tone::Busy,
        Status::Answered => Tone::Good,
        Status::Expired | Status::Withdrawn => Tone::Warning,
    };
    tone.paint(status.as_str())
}
