//! `accord inputs`: what people are asked.

mod answer;

use accord_api::input_request::Status;
use accord_api::{ErrorName, InputId, InputQuery, InputRequest, PageQuery};
use accord_client::Client;
use clap::Subcommand;

use crate::connection::{Access, ConnectionArguments};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::paging::{self, PagingArguments};
use crate::view::Tone;
use crate::view::input;
use crate::view::text::Times;
use crate::{output, runtime};

const STATUSES: [Status; 4] = [Status::Open, Status::Answered, Status::Expired, Status::Withdrawn];

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
    #[arg(long, value_name = "STATUS", default_value = "open", value_parser = paging::one_of(&STATUSES, Status::as_str))]
    status: Status,
    #[command(flatten)]
    paging: PagingArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
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
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
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
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: ConnectionArguments,
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
    let page = runtime::block_on(async {
        let client = &arguments.connection.reach(Access::Look).await?;
        let fetch = |page: PageQuery| async move {
            let which = InputQuery {
                status: Some(arguments.status),
                limit: page.limit,
                cursor: page.cursor,
                ..InputQuery::default()
            };
            client.inputs(&which).await
        };
        arguments.paging.gather(fetch).await
    })?;
    let none = match arguments.status {
        Status::Open => "Nobody is asked anything.".to_owned(),
        _ => paging::none("requests for input", true),
    };
    paging::show(&page, arguments.json, &none, |requests| input::list(requests, &Times::here()))
}

fn show(arguments: &ShowArguments) -> Result<Exit, Failure> {
    let request = runtime::block_on(async {
        let client = arguments.connection.reach(Access::Look).await?;
        find(&client, &arguments.input).await
    })?;
    match arguments.json {
        true => output::json(&request)?,
        false => output::show(&input::view(&request, &Times::here()))?,
    }
    Ok(Exit::Success)
}

fn link(arguments: &LinkArguments) -> Result<Exit, Failure> {
    let (link, url) = runtime::block_on(async {
        let client = arguments.connection.client().await?;
        let request = find(&client, &arguments.input).await?;
        let link = client.input_link(&request.id).await?;
        let url = format!("{}{}", client.base_url().trim_end_matches('/'), link.path);
        Ok((link, url))
    })?;
    match arguments.json {
        true => output::json(&link)?,
        false => output::show(&format!("{url}\n"))?,
    }
    Ok(Exit::Success)
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
