//! Requests for input as text.

use accord_api::input_request::{Purpose, Status};
use accord_api::{AuditActor, InputRequest};
use serde_json::Value;

use super::Tone;
use super::text::{Times, fields, indent, json, line, paragraph, short};
use crate::table;

/// How much of a question a list shows.
const QUESTION_CHARACTERS: usize = 60;

pub(crate) fn list(requests: &[InputRequest], times: &Times) -> String {
    let columns = ["input", "purpose", "agent", "question", "deadline", "run"];
    let mut table = table::new(&columns).spare(&["run", "deadline"]);
    for request in requests {
        let question = match &request.tool {
            Some(tool) => format!("{} {}", tool.name, on_one_line(&tool.arguments)),
            None => words(&request.message),
        };
        table.add_row([
            request.id.to_string(),
            request.purpose.as_str().to_owned(),
            line(&request.agent_name),
            short(question.trim(), QUESTION_CHARACTERS),
            times.until(request.expires_at),
            request.run_id.to_string(),
        ]);
    }
    table.text()
}

/// A value whose strings have no line breaks, which JSON would write as `\n`.
fn on_one_line(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(words(text)),
        Value::Array(items) => items.iter().map(on_one_line).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), on_one_line(value))).collect()
        }
        other => other.clone(),
    }
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) fn view(request: &InputRequest, times: &Times) -> String {
    let status = match request.status {
        Status::Open => Tone::Busy,
        Status::Answered => Tone::Good,
        Status::Expired | Status::Withdrawn => Tone::Warning,
    };
    let mut rows = vec![
        ("input", request.id.to_string()),
        ("status", status.paint(request.status.as_str())),
        ("purpose", request.purpose.as_str().to_owned()),
        ("agent", line(&request.agent_name)),
        ("run", request.run_id.to_string()),
        ("asked", times.at(request.created_at)),
        ("deadline", times.until(request.expires_at)),
    ];
    if let Some(by) = &request.answered_by {
        rows.push(("answered by", line(&actor(by))));
    }
    let mut text = fields(&rows);
    let mut part = |title: &str, body: String| {
        text += &format!("\n{title}\n{}", indent(&format!("{}\n", body.trim_end()), "  "));
    };
    part("question", paragraph(&request.message, ""));
    if let Some(tool) = &request.tool {
        part("tool", format!("{} {}", line(&tool.name), json(&tool.arguments)));
    }
    if let Some(input) = &request.input {
        part("input of the run", json(input));
    }
    if let Some(default) = &request.default {
        part("closest answer", json(default));
    }
    if !request.errors.is_empty() {
        let errors = request.errors.iter().map(|error| line(&format!("{}: {}", error.path, error.message)));
        part("errors in it", errors.collect::<Vec<_>>().join("\n"));
    }
    match (&request.answer, request.purpose) {
        (Some(answer), _) => part("answer", json(answer)),
        (None, Purpose::Approval) => {}
        (None, _) => part("schema of the answer", json(&request.schema)),
    }
    text
}

fn actor(actor: &AuditActor) -> String {
    match actor {
        AuditActor::Key { name, .. } if !name.is_empty() => name.clone(),
        actor => actor.id().map_or_else(|| actor.kind().replace('_', " "), str::to_owned),
    }
}
