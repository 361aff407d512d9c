//! Events of a run as lines of text.

use accord_api::{EventBody, EventView, InputId, OutputChannel};
use accord_client::ClientError;
use jiff::Timestamp;
use owo_colors::OwoColorize as _;

use super::text::{self, duration, indent, line, milliseconds, short, unescaped};
use super::{Tone, attempt};
use crate::excerpt::visible;

/// Tool inputs and outputs are shortened; they are complete in the events.
const TOOL_CHARACTERS: usize = 80;

/// Messages are long, and the result comes at the end.
const MESSAGE_CHARACTERS: usize = 100;

/// The width of the time in front of each line.
const TIME_COLUMNS: usize = 8;

/// A line for an event, with the time since the run was created; none for events that only programs need.
pub(crate) fn view(event: &EventView, start: Timestamp) -> Option<String> {
    let (words, below) = words_of(&event.body)?;
    let elapsed = format!("{:>TIME_COLUMNS$}", duration(milliseconds(start, event.at)));
    let below = indent(&below, &" ".repeat(TIME_COLUMNS + 2));
    Some(format!("{}  {words}\n{below}", elapsed.dimmed()))
}

/// That an event cannot be shown, and why.
pub(crate) fn unread(error: &ClientError) -> String {
    format!("{} skipped an unreadable event: {}\n", Tone::Warning.paint("warning:"), line(&error.to_string()))
}

fn words_of(body: &EventBody) -> Option<(String, String)> {
    let words = match body {
        EventBody::SessionCreated { .. } | EventBody::Result { .. } => return None,
        EventBody::RunQueued { reason: None, agent_name } => format!("queued for {}", line(agent_name)),
        EventBody::RunQueued { reason: Some(reason), .. } => {
            format!("{}: {}", Tone::Warning.paint("queued again"), line(reason))
        }
        EventBody::RunClaimed { runner_id, attempt: 1 } => format!("claimed by {runner_id}"),
        EventBody::RunClaimed { runner_id, attempt } => {
            format!("claimed by {runner_id} (delivery {attempt})")
        }
        EventBody::RunStarted => Tone::Busy.paint("started"),
        EventBody::Message { role, text } => {
            format!("{}: {}", line(role), short(text.trim(), MESSAGE_CHARACTERS))
        }
        EventBody::OutputDelta { channel, text } => {
            let text = short(text.trim(), MESSAGE_CHARACTERS);
            format!("unvalidated {}: {text}", channel_name(*channel)).dimmed().to_string()
        }
        EventBody::ToolStarted { name, arguments, .. } => {
            let arguments = short(&arguments.to_string(), TOOL_CHARACTERS);
            format!("{} {} {}", Tone::Busy.paint("tool"), line(name), arguments.dimmed())
        }
        EventBody::ToolFinished { name, ok: true, .. } => {
            format!("{} {}", Tone::Good.paint("tool done"), line(name))
        }
        EventBody::ToolFinished { name, output, .. } => {
            let output = short(output, TOOL_CHARACTERS);
            format!("{} {}: {output}", Tone::Warning.paint("tool failed"), line(name))
        }
        body @ EventBody::RequestRepeated { .. } => repeated(body),
        EventBody::AttemptJudged { attempt } => {
            return Some((attempt::head(attempt), attempt::findings(attempt, "")));
        }
        EventBody::RunWaiting { children, until } => {
            format!("{} {}", Tone::Busy.paint("waiting"), waited_for(children.len(), *until))
        }
        EventBody::RunInputRequired { inputs, .. } => {
            format!("{} {}", Tone::Busy.paint("input required:"), how_to_answer(inputs))
        }
        EventBody::InputClosed { input_id, status } => format!("{input_id} {status}"),
        EventBody::RunCompleted => Tone::Good.paint("completed"),
        EventBody::RunFailed { error } => {
            let head = format!("failed[{}]:", error.kind.as_str());
            let message = visible(error.message.trim_end());
            let (first, further) = message.split_once('\n').unwrap_or((&message, ""));
            let further = further.lines().map(str::to_owned);
            let errors = error.validation_errors.iter().map(|error| line(&unescaped(error)));
            let below: String = further.chain(errors).map(|line| format!("{line}\n")).collect();
            return Some((format!("{} {first}", Tone::Bad.paint(&head)), below));
        }
        EventBody::RunStopped { reason: None } => Tone::Warning.paint("stopped"),
        EventBody::RunStopped { reason: Some(reason) } => {
            format!("{}: {}", Tone::Warning.paint("stopped"), line(reason))
        }
        EventBody::CallbackDelivered { children, resumed_by } => {
            let children = text::counted(children.len() as u64, "child result");
            format!("{children} delivered by {resumed_by}")
        }
        EventBody::CallbackHeld { children, reason, message } => {
            let children = text::counted(children.len() as u64, "child result");
            let head = Tone::Warning.paint(&format!("{children} held[{reason}]:"));
            format!("{head} {}", line(message))
        }
        EventBody::WorkflowNodeStarted { .. }
        | EventBody::WorkflowNodeFinished { .. }
        | EventBody::WorkflowContradiction { .. }
        | EventBody::WorkflowComparisonTruncated { .. }
        | EventBody::WorkflowFinished { .. } => return None,
    };
    Some((words, String::new()))
}

/// How requests for input are answered.
pub(crate) fn how_to_answer(inputs: &[InputId]) -> String {
    let commands = inputs.iter().map(|input| format!("accord inputs show {input}"));
    commands.collect::<Vec<_>>().join(", ")
}

/// That a request is made again: when, why, and how much patience is left. Nothing for another event.
pub(crate) fn repeated(body: &EventBody) -> String {
    let EventBody::RequestRepeated { reason, milliseconds, attempts, attempts_left, milliseconds_left } =
        body
    else {
        return String::new();
    };
    // Agent CLIs do not report how long they wait, nor how often they retry.
    let when = if *milliseconds == 0 { String::new() } else { format!(" in {}", duration(*milliseconds)) };
    let made = attempts.map(|made| format!("attempt {made} failed"));
    let left = attempts_left.map(|left| format!("{left} left"));
    let time = milliseconds_left.map(|left| format!("giving up after {} more", duration(left)));
    let rest: Vec<String> = [made, left, time].into_iter().flatten().collect();
    let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(", ")) };
    format!("{} {}{}", Tone::Warning.paint(&format!("retrying{when}:")), line(reason), rest.dimmed())
}

/// What a run waits for, and until when.
pub(crate) fn waited_for(children: usize, until: Option<Timestamp>) -> String {
    let children = text::counted(children as u64, "child session");
    match until {
        Some(until) => format!("for {children} until {}", text::exact(until)),
        None => format!("for {children}"),
    }
}

fn channel_name(channel: OutputChannel) -> &'static str {
    match channel {
        OutputChannel::Text => "output",
        OutputChannel::Stderr => "stderr",
    }
}

/// Whether this event is the last of a run.
pub(crate) fn ends(body: &EventBody) -> bool {
    matches!(body, EventBody::RunCompleted | EventBody::RunFailed { .. } | EventBody::RunStopped { .. })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn event(second: u32, body: Value) -> EventView {
        let mut event = json!({"id": "evt_1", "at": format!("2026-11-15T10:00:{second:02}Z"),
                               "session_id": "ses_1", "run_id": "run_1"});
        event.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        serde_json::from_value(event).unwrap()
    }

    #[test]
    fn a_run_is_shown_line_by_line() {
        let judged = serde_json::to_value(attempt::tests::rejected()).unwrap();
        let events = [
            event(0, json!({"type": "session.created", "agent_name": "a"})),
            event(0, json!({"type": "run.queued", "agent_name": "a"})),
            event(1, json!({"type": "run.claimed", "runner_id": "rnr_1", "attempt": 1})),
            event(1, json!({"type": "run.started"})),
            event(
                2,
                json!({"type": "tool.started", "call_id": "c", "name": "read", "arguments": {"path": "x"}}),
            ),
            event(
                3,
                json!({"type": "tool.finished", "call_id": "c", "name": "read", "ok": false, "output": "no\nfile"}),
            ),
            event(3, json!({"type": "request.repeated", "reason": "429 slow\ndown", "milliseconds": 4000})),
            event(
                3,
                json!({"type": "request.repeated", "reason": "503", "milliseconds": 4000, "attempts": 2,
                            "attempts_left": 1, "milliseconds_left": 80000}),
            ),
            event(4, json!({"type": "output.delta", "channel": "stderr", "text": "load\u{1b}ing\n"})),
            event(4, json!({"type": "message", "role": "assistant", "text": "\u{1b}[2JHello\nthere"})),
            event(5, json!({"type": "attempt.judged", "attempt": judged})),
            event(5, json!({"type": "run.waiting", "children": ["ses_2"], "until": "2026-11-15T11:00:00Z"})),
            event(
                6,
                json!({"type": "run.failed", "error": {"type": "schema_validation_failed",
                            "message": "no\n  why", "validation_errors": ["$.a: b"]}}),
            ),
        ];
        let start = "2026-11-15T10:00:00Z".parse().unwrap();
        let text: String = events.iter().filter_map(|event| view(event, start)).collect();
        insta::assert_snapshot!(anstream::adapter::strip_str(&text).to_string(), @r#"
         0ms  queued for a
        1.0s  claimed by rnr_1
        1.0s  started
        2.0s  tool read {"path":"x"}
        3.0s  tool failed read: no\nfile
        3.0s  retrying in 4.0s: 429 slow\ndown
        3.0s  retrying in 4.0s: 503 (attempt 2 failed, 1 left, giving up after 1m 20s more)
        4.0s  unvalidated stderr: load\u{1b}ing
        4.0s  assistant: \u{1b}[2JHello\nthere
        5.0s  attempt 1 (delivery 2): schema_invalid  tool · small at openai-chat · 1.2s · 100 in, 20 out
              $.severity '\u{1b}[31mcritical' is not one of ['low', 'high']
              and 1 more error
              repaired[extra_comma] $: dropped a comma
        5.0s  waiting for 1 child session until 2026-11-15 11:00:00
        6.0s  failed[schema_validation_failed]: no
                why
              $.a: b
        "#);
        assert!(events.iter().take(12).all(|event| !ends(&event.body)) && ends(&events[12].body));
    }
}
