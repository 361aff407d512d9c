//! `accord inputs answer`.

use std::path::PathBuf;

use accord_api::input_request::Purpose;
use accord_api::{AnswerInput, InputId, InputRequest};
use serde_json::{Value, json};

use super::{find, painted};
use crate::call::CallArguments;
use crate::connection::Access;
use crate::document::Input;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::json::parse;
use crate::runtime;

/// Answer a request for input
#[derive(Debug, clap::Args)]
#[command(after_help = "\
An answer that does not conform to the schema of the request is refused with the location of each
error, and the request stays open. The first answer that conforms counts.

Examples:
  accord inputs answer inp_… --approve
  accord inputs answer inp_… --deny --reason \"not on a Friday\"
  accord inputs answer inp_… --text \"The second one\"
  accord inputs answer inp_… --file corrected.json")]
#[command(group(clap::ArgGroup::new("how").required(true).args(["approve", "deny", "text", "value", "file"])))]
pub(super) struct Arguments {
    /// Input id, or a unique prefix of it
    input: InputId,
    /// Approve the tool call
    #[arg(long)]
    approve: bool,
    /// Deny the tool call
    #[arg(long)]
    deny: bool,
    /// Reason, for the agent
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Answer a question in words
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Answer with a JSON value
    #[arg(long, value_name = "JSON")]
    value: Option<String>,
    /// Answer with the JSON value in a file; - for stdin
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    call: CallArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let answered = runtime::block_on(async {
        // A request that nobody works on now can be answered too: its run continues when a coordinator runs.
        let client = arguments.call.connection.reach(Access::Look).await?;
        let request = find(&client, &arguments.input).await?;
        let answer = answer(arguments, &request)?;
        let answer = AnswerInput { answer, digest: Some(request.digest.clone()) };
        Ok(client.answer_input(&request.id, &answer).await?)
    })?;
    arguments.call.print(&answered, || format!("{} {}\n", answered.id, painted(answered.status)))
}

fn answer(arguments: &Arguments, request: &InputRequest) -> Result<Value, Failure> {
    if arguments.approve || arguments.deny {
        return match request.purpose {
            Purpose::Approval => Ok(match &arguments.reason {
                Some(reason) => json!({"approve": arguments.approve, "reason": reason}),
                None => json!({"approve": arguments.approve}),
            }),
            purpose => {
                let message = format!(
                    "--approve and --deny are for approvals, but {} is a {}; use --text, --value or --file",
                    request.id,
                    purpose.as_str()
                );
                Err(Problem::new(message).into())
            }
        };
    }
    if let Some(text) = &arguments.text {
        return Ok(match request.purpose {
            Purpose::Question => json!({"answer": text}),
            _ => Value::from(text.as_str()),
        });
    }
    let (name, text) = match (&arguments.value, &arguments.file) {
        (Some(value), _) => ("--value".to_owned(), value.clone()),
        (None, file) => {
            let input = Input::of(file.as_deref());
            (input.name(), input.read()?.text)
        }
    };
    parse(&text).map_err(|error| Problem::new(format!("{name}: not valid JSON: {error}")).into())
}
