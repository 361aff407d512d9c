//! What tools give, in the types of `rmcp`.

use std::sync::Arc;

use accord_api::agent::{IDEMPOTENCY_KEY, MAY_PASS};
use rmcp::model::{
    self, CallToolResult, ContentBlock, DetailedTask, ErrorData, GetTaskResult, InputRequest, InputRequests,
    InputRequiredResult, MetaObject, TaskPayload, TaskStatus, ToolAnnotations,
};
use serde_json::{Map, Value, json};

use crate::caller::Question;
use crate::toolset::{Answer, Hints, Task, TaskState, Tool, Unavailable};

/// How often a client should look at a task. Runs take seconds to hours.
const POLL_INTERVAL_MS: u64 = 1000;

/// The description of a tool. Up to version 2025-11-25, structured content is an object.
pub(crate) fn tool(tool: Tool, is_modern: bool) -> model::Tool {
    let hints = ToolAnnotations::new();
    let hints = match tool.hints {
        Hints::Reads => hints.read_only(true).open_world(false),
        Hints::Adds | Hints::AddsOnce => hints.read_only(false).destructive(false).idempotent(false),
        Hints::Ends | Hints::Decides => hints.read_only(false).destructive(true).idempotent(true),
    };
    // Not `idempotentHint`: that is about the arguments alone, and most clients send no key.
    let takes_key = tool.hints == Hints::AddsOnce;
    let mut described = model::Tool::new(tool.name, tool.description, object(tool.input_schema));
    let output = tool.output_schema.map(object);
    let output = output.filter(|schema| is_modern || schema.get("type").is_some_and(|kind| kind == "object"));
    described.output_schema = output.map(Arc::new);
    described.annotations = Some(hints);
    let key = || Map::from_iter([(IDEMPOTENCY_KEY.to_owned(), Value::Bool(true))]);
    described.meta = takes_key.then(|| MetaObject::from(key()));
    described
}

/// The schemas of tools are objects, as the protocol wants them.
fn object(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

pub(crate) fn answer(answer: Answer, is_modern: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = answer.structured.filter(|value| is_modern || value.is_object());
    result.is_error = answer.is_error.then_some(true);
    result.meta = (!answer.meta.is_empty()).then(|| MetaObject::from(answer.meta));
    result
}

pub(crate) fn unavailable(reason: Unavailable) -> ErrorData {
    let data = reason.may_pass.then(|| json!({ MAY_PASS: true }));
    ErrorData::internal_error(reason.message, data)
}

pub(crate) fn ask(questions: Vec<Question>, state: String) -> InputRequiredResult {
    InputRequiredResult::new(Some(requests(questions)), Some(state))
}

fn requests(questions: Vec<Question>) -> InputRequests {
    let request = |question: Question| (question.key.clone(), InputRequest::Elicitation(question.request()));
    questions.into_iter().map(request).collect()
}

pub(crate) fn task(task: &Task) -> model::Task {
    let status = match &task.state {
        TaskState::Working => TaskStatus::Working,
        TaskState::InputRequired(_) => TaskStatus::InputRequired,
        TaskState::Finished(_) => TaskStatus::Completed,
        TaskState::Stopped => TaskStatus::Cancelled,
    };
    let described = model::Task::new(&task.id, status, &task.created_at, &task.updated_at);
    let mut described = described.with_poll_interval_ms(POLL_INTERVAL_MS);
    described.status_message = task.message.clone();
    described
}

pub(crate) fn detailed_task(found: Task, is_modern: bool) -> GetTaskResult {
    let described = task(&found);
    let payload = match found.state {
        TaskState::Working => TaskPayload::Working,
        TaskState::InputRequired(questions) => {
            TaskPayload::InputRequired { input_requests: requests(questions) }
        }
        TaskState::Finished(finished) => {
            TaskPayload::Completed { result: written(&answer(finished, is_modern)) }
        }
        TaskState::Stopped => TaskPayload::Cancelled,
    };
    GetTaskResult::new(DetailedTask::new(described, payload))
}

fn written(result: &CallToolResult) -> Map<String, Value> {
    serde_json::to_value(result).map(object).unwrap_or_default()
}
