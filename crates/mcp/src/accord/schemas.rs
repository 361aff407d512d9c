//! What the tools take and give, as JSON Schemas.

use accord_api::{InputStatus, RunStatus, SessionStatus, WorkflowStatus};
use serde_json::{Map, Value, json};

/// Arguments. A name that is not among them is a mistake that the caller should hear of.
fn arguments(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

/// An answer. Later versions may have more in it.
fn answer(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// A value of one of these types. Not every client reads a list of types.
fn one_of(kinds: &[&str], description: &str) -> Value {
    let each: Vec<Value> = kinds.iter().map(|kind| json!({"type": kind})).collect();
    json!({"anyOf": each, "description": description})
}

fn result_text() -> Value {
    one_of(&["string", "null"], "The text answer of an agent without a contract.")
}

/// Every type that a value can have.
const ANYTHING: [&str; 6] = ["object", "array", "string", "number", "boolean", "null"];

fn result_data() -> Value {
    one_of(&ANYTHING, "The value that conforms to the contract; null if there is no contract.")
}

fn mode() -> Value {
    json!({
        "type": "string",
        "enum": ["sync", "async_poll", "async_callback"],
        "default": "sync",
        "description": "sync: wait for the result. async_poll: return immediately; get status and result later. async_callback: return immediately; the result is delivered to this agent later.",
    })
}

fn contract() -> Map<String, Value> {
    let inline = json!({
        "type": "object",
        "description": "A JSON Schema that the result must conform to. Only for agents without their own output schema.",
    });
    let name = text("The name of a registered schema, instead of output_schema.");
    Map::from_iter([("output_schema".to_owned(), inline), ("output_schema_name".to_owned(), name)])
}

fn cursor() -> Value {
    text("The next_cursor of the previous page.")
}

fn next_cursor() -> Value {
    one_of(&["string", "null"], "Pass it as cursor to get the next page; null on the last page.")
}

pub(super) fn which_schemas() -> Value {
    arguments(&[], json!({"cursor": cursor()}))
}

pub(super) fn which_agents() -> Value {
    let tags = json!({
        "type": "array",
        "items": {"type": "string"},
        "description": "Filter by tags: only agents with all of them.",
    });
    arguments(&[], json!({"tags": tags, "cursor": cursor()}))
}

pub(super) fn start() -> Value {
    let mut properties = Map::from_iter([
        ("agent_name".to_owned(), text("The agent's name, from list_agents.")),
        (
            "parameters".to_owned(),
            json!({"type": "object", "description": "The parameters, matching the agent's parameters_schema."}),
        ),
        (
            "prompt".to_owned(),
            text("Short for the parameters {\"prompt\": …}. Cannot be combined with parameters."),
        ),
        ("mode".to_owned(), mode()),
    ]);
    properties.extend(contract());
    let folder = text("The project folder. Only a runner of this folder can take the run.");
    properties.insert("project_dir".to_owned(), folder);
    arguments(&["agent_name"], Value::Object(properties))
}

pub(super) fn resume() -> Value {
    let mut properties = Map::from_iter([
        ("session_id".to_owned(), text("The session to resume.")),
        ("prompt".to_owned(), text("The prompt for the agent.")),
        ("mode".to_owned(), mode()),
    ]);
    properties.extend(contract());
    arguments(&["session_id", "prompt"], Value::Object(properties))
}

pub(super) fn workflow() -> Value {
    let mode = json!({
        "type": "string",
        "enum": ["sync", "async_poll"],
        "default": "sync",
        "description": "sync: wait for the output. async_poll: return immediately; call again with the workflow_run_id.",
    });
    arguments(
        &[],
        json!({
            "name": text("The name of the workflow to run."),
            "input": one_of(
                &ANYTHING,
                "The input, matching the workflow's input schema; defaults to an empty object.",
            ),
            "mode": mode,
            "project_dir": text("The project folder. Only a runner of this folder can take the runs."),
            "workflow_run_id": text("A workflow run that was started before, instead of name and input."),
        }),
    )
}

pub(super) fn session_id() -> Value {
    arguments(&["session_id"], json!({"session_id": text("The session_id returned by start_agent_session.")}))
}

pub(super) fn name() -> Value {
    arguments(&["name"], json!({"name": text("The schema's name, from list_schemas.")}))
}

pub(super) fn which_sessions() -> Value {
    arguments(
        &[],
        json!({
            "status": {"type": "string", "enum": SessionStatus::ALL, "description": "Filter by status."},
            "agent_name": text("Filter by agent."),
            "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50, "description": "Maximum number to return."},
            "cursor": cursor(),
        }),
    )
}

pub(super) fn agents() -> Value {
    let agent = answer(
        &["name", "description", "type", "tags", "parameters_schema", "output_schema"],
        json!({
            "name": {"type": "string"},
            "description": {"type": "string"},
            "type": {"type": "string", "enum": ["autonomous", "procedural"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "parameters_schema": one_of(
                &["object", "boolean", "null"],
                "The schema of `parameters`; null if the agent accepts {\"prompt\": …}.",
            ),
            "output_schema": one_of(
                &["object", "boolean", "null"],
                "The schema of its result_data; null if it answers in free text or uses a schema of the caller.",
            ),
        }),
    );
    answer(
        &["agents", "next_cursor"],
        json!({"agents": {"type": "array", "items": agent}, "next_cursor": next_cursor()}),
    )
}

pub(super) fn run() -> Value {
    answer(
        &["session_id", "run_id", "status"],
        json!({
            "session_id": {"type": "string"},
            "run_id": {"type": "string"},
            "status": {"type": "string", "enum": RunStatus::ALL},
            "result_text": result_text(),
            "result_data": result_data(),
            "inputs": open_inputs(),
            "next": {"type": "string", "description": "What to call next."},
        }),
    )
}

pub(super) fn workflow_run() -> Value {
    answer(
        &["workflow_run_id", "workflow_name", "status"],
        json!({
            "workflow_run_id": {"type": "string"},
            "workflow_name": {"type": "string"},
            "status": {"type": "string", "enum": WorkflowStatus::ALL},
            "output": one_of(&ANYTHING, "The output, if completed."),
            "contradictions": {
                "type": "array",
                "items": {"type": "object"},
                "description": "Contradictions between the upstream agents of a node: the node, and each contradiction.",
            },
            "inputs": open_inputs(),
            "next": {"type": "string", "description": "What to call next."},
        }),
    )
}

/// A request for input, as the tools give it.
fn input() -> Value {
    answer(
        &["input_id", "status", "purpose", "message", "schema", "digest", "session_id", "run_id"],
        json!({
            "input_id": {"type": "string"},
            "status": {"type": "string", "enum": InputStatus::ALL},
            "purpose": {"type": "string", "enum": ["approval", "question", "correction", "task"]},
            "message": {"type": "string", "description": "The question."},
            "schema": one_of(&["object", "boolean"], "The JSON Schema of the answer."),
            "digest": {"type": "string", "description": "Identifies what is asked; pass it to answer_input."},
            "session_id": {"type": "string"},
            "run_id": {"type": "string"},
        }),
    )
}

fn open_inputs() -> Value {
    json!({
        "type": "array",
        "items": input(),
        "description": "What a person has to answer before the work goes on.",
    })
}

pub(super) fn which_inputs() -> Value {
    arguments(
        &[],
        json!({
            "status": {"type": "string", "enum": InputStatus::ALL, "default": "open", "description": "Filter by status."},
            "session_id": text("Filter by session, including the sessions that it started."),
            "run_id": text("Filter by run."),
            "limit": {"type": "integer", "minimum": 1, "maximum": 500, "default": 50, "description": "Maximum number to return."},
            "cursor": cursor(),
        }),
    )
}

pub(super) fn inputs() -> Value {
    answer(
        &["inputs", "next_cursor"],
        json!({"inputs": {"type": "array", "items": input()}, "next_cursor": next_cursor()}),
    )
}

pub(super) fn given_answer() -> Value {
    arguments(
        &["input_id", "answer"],
        json!({
            "input_id": text("The request, from list_inputs."),
            "answer": one_of(&ANYTHING, "The answer, matching the schema of the request."),
            "digest": text("The digest of the request that was shown to the user. Another one is rejected."),
        }),
    )
}

pub(super) fn answered() -> Value {
    answer(
        &["input_id", "status", "session_id", "run_id", "next"],
        json!({
            "input_id": {"type": "string"},
            "status": {"type": "string", "enum": InputStatus::ALL},
            "session_id": {"type": "string"},
            "run_id": {"type": "string"},
            "next": {"type": "string", "description": "What to call next."},
        }),
    )
}

pub(super) fn status() -> Value {
    answer(
        &["session_id", "run_id", "status", "next"],
        json!({
            "session_id": {"type": "string"},
            "run_id": {"type": "string", "description": "Its last run."},
            "status": {"type": "string", "enum": SessionStatus::ALL},
            "error": {"type": "object", "description": "The error of its last run, if it failed."},
            "next": {"type": "string", "description": "What to call next."},
        }),
    )
}

pub(super) fn result() -> Value {
    answer(
        &["session_id", "run_id", "result_text", "result_data"],
        json!({
            "session_id": {"type": "string"},
            "run_id": {"type": "string"},
            "result_text": result_text(),
            "result_data": result_data(),
            "schema_validation": {"type": "object", "description": "How the result was validated."},
        }),
    )
}

pub(super) fn stopped() -> Value {
    answer(
        &["session_id", "status"],
        json!({"session_id": {"type": "string"}, "status": {"type": "string", "enum": SessionStatus::ALL}}),
    )
}

pub(super) fn sessions() -> Value {
    let session = answer(
        &["session_id", "agent_name", "status"],
        json!({
            "session_id": {"type": "string"},
            "agent_name": {"type": "string"},
            "status": {"type": "string", "enum": SessionStatus::ALL},
            "parent_session_id": one_of(&["string", "null"], "The session that started it."),
            "created_at": {"type": "string"},
            "updated_at": {"type": "string"},
        }),
    );
    answer(
        &["sessions", "next_cursor"],
        json!({
            "sessions": {"type": "array", "items": session},
            "next_cursor": next_cursor(),
        }),
    )
}

pub(super) fn schemas() -> Value {
    let schema = answer(
        &["name", "description", "hash"],
        json!({"name": {"type": "string"}, "description": {"type": "string"}, "hash": {"type": "string"}}),
    );
    answer(
        &["schemas", "next_cursor"],
        json!({"schemas": {"type": "array", "items": schema}, "next_cursor": next_cursor()}),
    )
}

pub(super) fn schema() -> Value {
    answer(
        &["name", "description", "schema", "hash"],
        json!({
            "name": {"type": "string"},
            "description": {"type": "string"},
            "schema": one_of(&["object", "boolean"], "The JSON Schema."),
            "hash": {"type": "string"},
        }),
    )
}
