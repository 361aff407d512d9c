//! Asks the person at the terminal what a run asks people.
//!
//! What was typed before a question is shown is not an answer to it, and is dropped. A request that is left alone stays open for
//! others.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use accord_api::input_request::Purpose;
use accord_api::{AnswerInput, ErrorName, InputRequest, InputStatus};
use accord_client::{Client, ClientError};
use rustix::termios::{QueueSelector, tcflush};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::output;
use crate::task_parameters::value;
use crate::view::text::{json as shown, line};

/// How often it is checked whether somebody else has answered.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The lines that a person types.
pub(crate) struct Terminal {
    lines: Option<mpsc::UnboundedReceiver<String>>,
}

/// What came of a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Closed,
    /// The person did not answer.
    Left,
}

impl Terminal {
    /// The terminal, if a person both reads and types there.
    pub(crate) fn new() -> Option<Self> {
        (io::stdin().is_terminal() && io::stderr().is_terminal()).then_some(Self { lines: None })
    }

    /// Asks until an answer conforms, the person leaves the request alone, or somebody else has answered.
    pub(crate) async fn ask(&mut self, client: &Client, request: &InputRequest) -> Asked {
        let asked = tokio::select! {
            asked = self.answered(client, request) => asked,
            () = closed(client, request) => {
                output::message("\nIt was answered elsewhere.\n");
                return Asked::Closed;
            }
        };
        asked.unwrap_or_else(|error| {
            output::message(&format!("The answer was not accepted: {}\n", line(&error.to_string())));
            Asked::Left
        })
    }

    async fn answered(&mut self, client: &Client, request: &InputRequest) -> Result<Asked, ClientError> {
        loop {
            let Some(answer) = self.answer(request).await else { return Ok(Asked::Left) };
            let answer = AnswerInput { answer, digest: Some(request.digest.clone()) };
            match client.answer_input(&request.id, &answer).await {
                Ok(_) => return Ok(Asked::Closed),
                Err(ClientError::Api(body)) if body.error == ErrorName::ContractViolation.as_str() => {
                    output::message(&format!("{}\n", line(&body.message)));
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn answer(&mut self, request: &InputRequest) -> Option<Value> {
        let schema = &request.schema;
        match (request.purpose, fields(schema)) {
            (Purpose::Approval, _) => self.approval().await,
            (_, Some(fields)) => {
                let mut answer = Map::new();
                for (name, field) in fields {
                    let is_required = is_required(schema, name);
                    match self.line(&question(name, field, is_required)).await?.as_str() {
                        "" if is_required => return None,
                        "" => {}
                        text => _ = answer.insert(name.clone(), value(schema, name, text)),
                    }
                }
                Some(Value::Object(answer))
            }
            (_, None) if schema.get("type").is_some_and(|kind| kind == "string") => {
                let text = self.line("Answer (Enter to leave it open): ").await?;
                (!text.is_empty()).then(|| Value::from(text))
            }
            (_, None) => loop {
                let text = self.line("Answer as JSON in one line (Enter to leave it open): ").await?;
                match crate::json::parse(&text) {
                    _ if text.is_empty() => return None,
                    Ok(value) => return Some(value),
                    Err(error) => output::message(&format!("Not valid JSON: {error}\n")),
                }
            },
        }
    }

    async fn approval(&mut self) -> Option<Value> {
        loop {
            let text = self.line("Approve this call? (y/n, Enter to leave it open): ").await?;
            match text.to_lowercase().as_str() {
                "" => return None,
                "y" | "yes" => return Some(json!({"approve": true})),
                "n" | "no" => break,
                _ => {}
            }
        }
        let reason = self.line("Reason, for the agent (optional): ").await?;
        Some(match reason.is_empty() {
            true => json!({"approve": false}),
            false => json!({"approve": false, "reason": reason}),
        })
    }

    /// The next line that is typed from now on; `None` at the end of input.
    async fn line(&mut self, question: &str) -> Option<String> {
        // What cannot be dropped by the terminal is in the channel, or not there.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
        let lines = self.lines.get_or_insert_with(typed);
        while lines.try_recv().is_ok() {}
        output::message(question);
        lines.recv().await.map(|text| text.trim().to_owned())
    }
}

/// Reads lines on a thread of its own, which the end of the command does not wait for.
fn typed() -> mpsc::UnboundedReceiver<String> {
    let (sender, lines) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for text in io::stdin().lines().map_while(Result::ok) {
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    lines
}

/// Returns when a request is no longer open.
async fn closed(client: &Client, request: &InputRequest) {
    loop {
        sleep(LOOK_EVERY).await;
        if client.input(&request.id).await.is_ok_and(|now| now.status != InputStatus::Open) {
            return;
        }
    }
}

/// The fields of an object, if each of them is a single value.
fn fields(schema: &Value) -> Option<&Map<String, Value>> {
    let is_single = |field: &Value| {
        let kind = field.get("type").and_then(Value::as_str);
        matches!(kind, Some("string" | "integer" | "number" | "boolean"))
            || kind.is_none() && (field.get("enum").is_some() || field.get("const").is_some())
    };
    let is_object = schema.get("type").is_some_and(|kind| kind == "object");
    let fields = schema.get("properties").and_then(Value::as_object).filter(|_| is_object)?;
    (!fields.is_empty() && fields.values().all(is_single)).then_some(fields)
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|known| known == name))
}

fn question(name: &str, field: &Value, is_required: bool) -> String {
    let text = |key: &str| field.get(key).and_then(Value::as_str);
    let choices = field.get("enum").and_then(Value::as_array).map(|choices| {
        let choices =
            choices.iter().map(|choice| choice.as_str().map_or_else(|| shown(choice), str::to_owned));
        choices.collect::<Vec<_>>().join(" or ")
    });
    let kind = choices.or_else(|| text("type").map(str::to_owned)).unwrap_or_default();
    let enter = if is_required { "Enter to leave it open" } else { "optional" };
    let description = text("description").map(|text| format!(" – {text}")).unwrap_or_default();
    line(&format!("{name}{description} ({kind}; {enter}): "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_single_values_is_asked_field_by_field() {
        let schema = json!({
            "type": "object", "required": ["go"],
            "properties": {"go": {"type": "boolean", "description": "Ship it?"}, "how": {"enum": ["a", "b"]}},
        });
        let asked = fields(&schema).unwrap().iter();
        let asked = asked.map(|(name, field)| question(name, field, is_required(&schema, name)));
        let expected = ["go – Ship it? (boolean; Enter to leave it open): ", "how (a or b; optional): "];
        assert_eq!(asked.collect::<Vec<_>>(), expected);
        for schema in [
            json!({"type": "array"}),
            json!({"type": "object"}),
            json!({"type": "object", "properties": {"list": {"type": "array"}}}),
            json!({"properties": {"a": {"type": "string"}}}),
        ] {
            assert_eq!(fields(&schema), None, "{schema}");
        }
    }
}
