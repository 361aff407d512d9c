//! Answers of a model and results of tools as recorded steps, and back.

use accord_domain::step::{self, Body, Ending, RequestError};
use accord_domain::usage::Usage as StepUsage;

use super::conversation::Call;
use super::wire::{Reply, ReplyCall, ReplyEnd};
use crate::answer::Usage;
use crate::journal::Journal;
use crate::session::TurnError;
use crate::toolbox::ToolOutput;

/// What the record says of a request.
pub(super) struct Recorded {
    pub(super) result: Result<Reply, TurnError>,
    /// What it used, repetitions included.
    pub(super) usage: Usage,
}

/// The next request in the record.
pub(super) fn take(journal: &Journal) -> Option<Recorded> {
    let is_request = |body: &Body| matches!(body, Body::ModelAnswer { .. } | Body::RequestFailed { .. });
    match journal.take("a model's answer", is_request)? {
        Body::ModelAnswer { text, earlier, calls, ending, refusal, model, usage, kept } => {
            let end = match ending {
                Ending::Truncated => ReplyEnd::Truncated,
                Ending::Refused => ReplyEnd::Refused(refusal.unwrap_or_default()),
                Ending::Paused => ReplyEnd::Paused,
                Ending::Finished | Ending::Astray | Ending::Submitted => ReplyEnd::Finished,
            };
            let usage = usage_of(usage);
            let calls =
                calls.into_iter().map(|step::Call { id, name, arguments }| ReplyCall { id, name, arguments });
            let reply = Reply { text, on_the_way: earlier, calls: calls.collect(), kept, end, usage, model };
            Some(Recorded { result: Ok(reply), usage })
        }
        Body::RequestFailed { error, message, usage } => {
            Some(Recorded { result: Err(turn_error(error, message)), usage: usage_of(usage) })
        }
        _ => None,
    }
}

/// A request as a step. One that was ended from outside is not recorded: it is made again.
pub(super) fn step(result: &Result<Reply, TurnError>, usage: Usage) -> Option<Body> {
    let usage = step_usage(usage);
    match result {
        Ok(reply) => {
            let (ending, refusal) = match &reply.end {
                ReplyEnd::Finished => (Ending::Finished, None),
                ReplyEnd::Truncated => (Ending::Truncated, None),
                ReplyEnd::Refused(words) => (Ending::Refused, Some(words.clone())),
                ReplyEnd::Paused => (Ending::Paused, None),
            };
            let call = |call: &ReplyCall| step::Call {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            };
            Some(Body::ModelAnswer {
                text: reply.text.clone(),
                earlier: reply.on_the_way.clone(),
                calls: reply.calls.iter().map(call).collect(),
                ending,
                refusal,
                model: reply.model.clone(),
                usage,
                kept: reply.kept.clone(),
            })
        }
        Err(error) => {
            let (error, message) = request_error(error)?;
            Some(Body::RequestFailed { error, message, usage })
        }
    }
}

pub(super) fn tool_started(call: &Call) -> Body {
    Body::ToolStarted { call_id: call.id.clone() }
}

pub(super) fn tool_result(call: &Call, output: &ToolOutput) -> Body {
    let (call_id, name, text) = (call.id.clone(), call.name.clone(), output.text.clone());
    Body::ToolResult { call_id, name, ok: output.ok, text }
}

fn turn_error(error: RequestError, message: String) -> TurnError {
    match error {
        RequestError::SchemaRejected => TurnError::SchemaRejected(message),
        RequestError::FormatRejected => TurnError::FormatRejected(message),
        RequestError::ToolRejected => TurnError::ToolRejected(message),
        RequestError::Transport => TurnError::Transport(message),
        RequestError::Failed => TurnError::Failed(message),
    }
}

fn request_error(error: &TurnError) -> Option<(RequestError, String)> {
    let (error, message) = match error {
        TurnError::SchemaRejected(message) => (RequestError::SchemaRejected, message),
        TurnError::FormatRejected(message) => (RequestError::FormatRejected, message),
        TurnError::ToolRejected(message) => (RequestError::ToolRejected, message),
        TurnError::Transport(message) => (RequestError::Transport, message),
        TurnError::Failed(message) => (RequestError::Failed, message),
        TurnError::TooManySteps(_)
        | TurnError::AllowanceUsedUp
        | TurnError::TimedOut(_)
        | TurnError::Diverged(_)
        | TurnError::InputRequired
        | TurnError::Stopped => return None,
    };
    Some((error, message.clone()))
}

fn usage_of(usage: StepUsage) -> Usage {
    let StepUsage { input_tokens, output_tokens, cost_usd } = usage;
    Usage { input_tokens, output_tokens, cost_usd }
}

fn step_usage(usage: Usage) -> StepUsage {
    let Usage { input_tokens, output_tokens, cost_usd } = usage;
    StepUsage { input_tokens, output_tokens, cost_usd }
}
