//! The steps of a run, a line for each.

use std::collections::HashMap;

use accord_api::Usage;
use accord_api::step::{Body, Ending, Step};

use super::Tone;
use super::text::{self, short};
use crate::table::{self, Table};

/// In a pipe a table is as wide as its texts; all of them are in the JSON.
const PIPED_CHARACTERS: usize = 200;

/// Steps as a table.
pub(crate) fn list(steps: &[Step]) -> String {
    table(steps).text()
}

fn table(steps: &[Step]) -> Table {
    let mut table =
        table::new(&["step", "type", "summary", "tokens"]).spare(&["tokens"]).free_text("summary");
    let mut lines = Lines::default();
    for step in steps {
        table.add_row([
            Tone::Plain.cell(&step.number.to_string()),
            Tone::Plain.cell(&kind(&step.body)),
            tone(&step.body).cell(&lines.summary(&step.body, PIPED_CHARACTERS)),
            Tone::Plain.cell(&usage(&step.body).map(text::usage).unwrap_or_default()),
        ]);
    }
    table
}

/// The steps of one run as lines. A started tool is identified by its call, which has the name.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    tools: HashMap<String, String>,
}

impl Lines {
    /// The type of a step and what it is about.
    pub(crate) fn line(&mut self, body: &Body, characters: usize) -> String {
        let summary = self.summary(body, PIPED_CHARACTERS);
        let line = if summary.is_empty() { kind(body) } else { format!("{}: {summary}", kind(body)) };
        // Nothing is left to escape.
        match line.chars().count() > characters {
            true => line.chars().take(characters.saturating_sub(1)).chain(['…']).collect(),
            false => line,
        }
    }

    fn summary(&mut self, body: &Body, characters: usize) -> String {
        let summary = match body {
            Body::Opened { .. } => String::new(),
            Body::ModelAnswer { text, calls, ending, refusal, model, .. } => {
                for call in calls {
                    self.tools.insert(call.id.clone(), call.name.clone());
                }
                let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
                let said = match (refusal, names.is_empty()) {
                    (Some(refusal), _) => refusal.clone(),
                    (None, true) => text.clone(),
                    (None, false) => format!("calls {}", names.join(", ")),
                };
                answer(model, *ending, &said)
            }
            Body::RequestFailed { message, .. } => message.clone(),
            Body::ToolStarted { call_id } => self.tools.get(call_id).unwrap_or(call_id).clone(),
            Body::ToolResult { name, ok: true, .. } => format!("{name}: ok"),
            Body::ToolResult { name, text, .. } => format!("{name}: failed: {text}"),
            Body::Conversation { host, .. } if host.is_empty() => String::new(),
            Body::Conversation { host, .. } => format!("on {host}"),
            Body::TurnAnswer { text, submissions, structured, detail, ending, model, .. } => {
                let value = structured.as_ref().or(submissions.last());
                answer(model, *ending, detail.as_ref().or(value).unwrap_or(text))
            }
            Body::Verdict { outcome, .. } => outcome.as_str().to_owned(),
            Body::Message { text } => text.clone(),
            Body::Input { input_id, answer, .. } => match answer {
                Some(answer) => format!("{input_id}: {answer}"),
                None => format!("{input_id}: nobody answered"),
            },
            Body::Restarted { reason } => reason.clone(),
        };
        short(summary.trim(), characters)
    }
}

fn answer(model: &str, ending: Ending, said: &str) -> String {
    let ending = match ending {
        Ending::Finished | Ending::Submitted => "",
        Ending::Truncated => "(cut off) ",
        Ending::Refused => "(refused) ",
        Ending::Paused => "(paused) ",
        Ending::Astray => "(unknown tools) ",
    };
    match model.is_empty() {
        true => format!("{ending}{said}"),
        false => format!("{model}: {ending}{said}"),
    }
}

fn kind(body: &Body) -> String {
    match body {
        Body::Opened { .. } => "started".to_owned(),
        _ => body.kind().replace('_', " "),
    }
}

fn tone(body: &Body) -> Tone {
    match body {
        Body::Verdict { outcome, .. } => Tone::from(*outcome),
        Body::RequestFailed { .. } | Body::Restarted { .. } | Body::ToolResult { ok: false, .. } => {
            Tone::Warning
        }
        _ => Tone::Plain,
    }
}

fn usage(body: &Body) -> Option<&Usage> {
    match body {
        Body::ModelAnswer { usage, .. }
        | Body::RequestFailed { usage, .. }
        | Body::TurnAnswer { usage, .. } => Some(usage),
        _ => None,
    }
}

/// What two runs are compared by: what was said and done, not what it cost or which ids it got.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Deed(String);

impl Deed {
    pub(crate) fn of(body: &Body) -> Self {
        let mut value = serde_json::to_value(body).unwrap_or_default();
        let fields = ["usage", "kept", "facts", "call_id", "conversation", "host", "delivery"];
        if let Some(members) = value.as_object_mut() {
            members.retain(|name, _| !fields.contains(&name.as_str()));
        }
        let calls = value.get_mut("calls").and_then(|calls| calls.as_array_mut());
        for call in calls.into_iter().flatten().filter_map(|call| call.as_object_mut()) {
            call.remove("id");
        }
        Self(value.to_string())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::*;

    pub(crate) fn steps(bodies: &[Value]) -> Vec<Step> {
        let step = |(index, body): (usize, &Value)| -> Step {
            serde_json::from_value(json!({
                "number": index + 1, "delivery": 1, "at": "2026-11-15T10:00:01Z", "body": body,
            }))
            .unwrap()
        };
        bodies.iter().enumerate().map(step).collect()
    }

    fn answered(id: &str, tokens: u32) -> Value {
        json!({"type": "model_answer", "text": "I look.", "calls": [{"id": id, "name": "run_command", "arguments": "{}"}],
            "ending": "finished", "model": "small", "usage": {"input_tokens": tokens, "output_tokens": 2, "cost_usd": null}})
    }

    #[test]
    fn every_step_is_a_line() {
        let text = json!({"type": "model_answer", "text": "{\n\"a\": \u{1b}", "ending": "truncated", "model": "small",
            "usage": {"input_tokens": 1, "output_tokens": 2, "cost_usd": null}});
        let failed = json!({"type": "request_failed", "error": "transport", "message": "503",
            "usage": {"input_tokens": 0, "output_tokens": 0, "cost_usd": null}});
        let steps = steps(&[
            json!({"type": "opened", "facts": {}}),
            answered("c1", 10),
            json!({"type": "tool_started", "call_id": "c1"}),
            json!({"type": "tool_result", "call_id": "c1", "name": "run_command", "ok": false, "text": "exit 1"}),
            failed,
            text,
            json!({"type": "verdict", "delivery": 1, "attempt": 1, "outcome": "parse_error"}),
            json!({"type": "message", "text": "ses_2 completed"}),
        ]);
        let shown = anstream::adapter::strip_str(&list(&steps)).to_string();
        insta::assert_snapshot!(shown, @r#"
        STEP  TYPE            SUMMARY                          TOKENS
        1     started
        2     model answer    small: calls run_command         10 in, 2 out
        3     tool started    run_command
        4     tool result     run_command: failed: exit 1
        5     request failed  503
        6     model answer    small: (cut off) {\n"a": \u{1b}  1 in, 2 out
        7     verdict         parse_error
        8     message         ses_2 completed
        "#);
        let mut lines = Lines::default();
        assert_eq!(lines.line(&steps[1].body, 80), "model answer: small: calls run_command");
        assert_eq!(lines.line(&steps[2].body, 20), "tool started: run_c…");
        assert_eq!(lines.line(&steps[0].body, 20), "started");
    }

    #[test]
    fn cost_and_ids_of_a_step_are_not_a_difference() {
        let steps = steps(&[answered("a", 1), answered("b", 2), json!({"type": "message", "text": "m"})]);
        assert_eq!(Deed::of(&steps[0].body), Deed::of(&steps[1].body));
        assert_ne!(Deed::of(&steps[0].body), Deed::of(&steps[2].body));
    }
}
