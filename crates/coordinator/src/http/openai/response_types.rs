//! The bodies of `/v1/responses`, as in the Open Responses specification.

use std::collections::BTreeMap;

use accord_api::{RunStatus, Usage};
use accord_domain::id::WorkId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::contract::{Form, Format};
use super::envelope::ErrorFields;
use super::tools::Tool;
use super::work::{Call, Work};

/// Request for a response. Fields that set up a model call are accepted without effect.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
pub(super) struct CreateResponse {
    /// Agent or workflow name. Not required with `previous_response_id`.
    pub(super) model: Option<String>,
    /// A string, or a list of items: messages, function calls and their outputs.
    #[schema(value_type = Value)]
    pub(super) input: Value,
    /// Added to the agent's system prompt.
    pub(super) instructions: Option<String>,
    /// The caller's contract. Beside one of the agent's, both hold.
    pub(super) text: Option<TextOptions>,
    /// Functions that the model may call. One that has to be called is the caller's contract.
    pub(super) tools: Option<Vec<Tool>>,
    /// `auto`, `required`, `none`, or the function that has to be called.
    #[schema(value_type = Option<Value>)]
    pub(super) tool_choice: Option<Value>,
    /// Whether to send the answer as events.
    pub(super) stream: Option<bool>,
    /// Whether to answer at once; `GET /v1/responses/{id}` has the result later.
    pub(super) background: Option<bool>,
    /// Continues the session of this response.
    #[schema(value_type = Option<String>)]
    pub(super) previous_response_id: Option<WorkId>,
    /// Stored with the run.
    pub(super) metadata: Option<BTreeMap<String, String>>,
}

/// How the text of a response looks.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
pub(super) struct TextOptions {
    /// The format.
    pub(super) format: Option<Format>,
}

/// What a response repeats of its request, and a run does not have.
#[derive(Debug, Clone, Default)]
pub(super) struct Echo {
    pub(super) previous: Option<WorkId>,
    pub(super) instructions: Option<String>,
    pub(super) form: Form,
    pub(super) is_background: bool,
}

/// A response. Settings of a model call have the default values of the specification.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct ResponseObject {
    /// Id of the run, or of the workflow run.
    #[schema(value_type = String)]
    pub(super) id: WorkId,
    /// `response`.
    object: &'static str,
    /// Creation time, in seconds since 1970.
    created_at: i64,
    /// Time it was completed, in seconds since 1970.
    completed_at: Option<i64>,
    /// `queued`, `in_progress`, `completed`, `failed` or `cancelled`.
    status: &'static str,
    /// Agent or workflow name.
    model: String,
    /// The judged answer: one message, or calls of the caller's functions. Empty if there is none.
    pub(super) output: Vec<OutputItem>,
    /// Why it failed.
    error: Option<ErrorFields>,
    /// Usage, once it has finished.
    usage: Option<ResponseUsage>,
    /// The previous response of the session.
    #[schema(value_type = Option<String>)]
    previous_response_id: Option<WorkId>,
    /// As requested; null when a stored response is read.
    instructions: Option<String>,
    /// As requested.
    metadata: BTreeMap<String, String>,
    /// Whether it was answered at once; false when a stored response is read.
    background: bool,
    /// The format in force.
    #[schema(value_type = Object)]
    text: Value,
    #[schema(value_type = Option<Object>)]
    incomplete_details: Option<()>,
    #[schema(value_type = Option<Object>)]
    reasoning: Option<()>,
    #[schema(value_type = Vec<Object>)]
    tools: Vec<Value>,
    tool_choice: &'static str,
    parallel_tool_calls: bool,
    truncation: &'static str,
    temperature: f64,
    top_p: f64,
    presence_penalty: f64,
    frequency_penalty: f64,
    top_logprobs: u32,
    max_output_tokens: Option<u32>,
    max_tool_calls: Option<u32>,
    store: bool,
    service_tier: &'static str,
    user: Option<String>,
    safety_identifier: Option<String>,
    prompt_cache_key: Option<String>,
}

/// An item of an answer.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum OutputItem {
    /// A message.
    Message {
        /// Id.
        id: String,
        /// `completed`, or `in_progress` in a stream.
        status: &'static str,
        /// `assistant`.
        role: &'static str,
        /// The text.
        content: Vec<OutputText>,
    },
    /// A call of the caller's function.
    FunctionCall {
        /// Id.
        id: String,
        /// `completed`, or `in_progress` in a stream.
        status: &'static str,
        /// Id of the call.
        call_id: String,
        /// Name of the function.
        name: String,
        /// The judged answer, as JSON text.
        arguments: String,
    },
}

/// Text of a message.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct OutputText {
    /// `output_text`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The judged answer.
    pub(super) text: String,
    #[schema(value_type = Vec<Object>)]
    annotations: [(); 0],
    #[schema(value_type = Vec<Object>)]
    logprobs: [(); 0],
}

impl OutputText {
    pub(super) fn new(text: String) -> Self {
        Self { kind: "output_text", text, annotations: [], logprobs: [] }
    }
}

/// Usage of a response.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub(super) struct ResponseUsage {
    /// Input tokens.
    input_tokens: u64,
    /// Not known: 0.
    input_tokens_details: CachedTokens,
    /// Output tokens.
    output_tokens: u64,
    /// Not known: 0.
    output_tokens_details: ReasoningTokens,
    /// Both together.
    total_tokens: u64,
    /// Cost in US dollars, if prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
}

/// Required by the specification.
#[derive(Debug, Clone, Copy, Default, Serialize, utoipa::ToSchema)]
pub(super) struct CachedTokens {
    cached_tokens: u64,
}

/// Required by the specification.
#[derive(Debug, Clone, Copy, Default, Serialize, utoipa::ToSchema)]
pub(super) struct ReasoningTokens {
    reasoning_tokens: u64,
}

impl From<Usage> for ResponseUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            input_tokens_details: CachedTokens::default(),
            output_tokens: usage.output_tokens,
            output_tokens_details: ReasoningTokens::default(),
            total_tokens: usage.input_tokens + usage.output_tokens,
            cost_usd: usage.cost_usd,
        }
    }
}

impl ResponseObject {
    pub(super) fn of(work: &Work, echo: &Echo) -> Self {
        Self {
            id: work.id.clone(),
            object: "response",
            created_at: work.created_at,
            completed_at: work.completed_at,
            status: status(work),
            model: work.model.clone(),
            output: output(work, &echo.form),
            error: work.failure.as_ref().map(|(_, error)| error.clone()),
            usage: work.is_answered().then(|| work.usage.into()),
            previous_response_id: echo.previous.clone(),
            instructions: echo.instructions.clone(),
            metadata: work.metadata.clone(),
            background: echo.is_background,
            text: json!({"format": format(work, &echo.form)}),
            incomplete_details: None,
            reasoning: None,
            tools: Vec::new(),
            tool_choice: "auto",
            parallel_tool_calls: false,
            truncation: "disabled",
            temperature: 1.0,
            top_p: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            top_logprobs: 0,
            max_output_tokens: None,
            max_tool_calls: None,
            store: true,
            service_tier: "default",
            user: None,
            safety_identifier: None,
            prompt_cache_key: None,
        }
    }
}

fn status(work: &Work) -> &'static str {
    match work.status {
        _ if !work.calls.is_empty() => "completed",
        RunStatus::Pending => "queued",
        RunStatus::Claimed
        | RunStatus::Running
        | RunStatus::Waiting
        | RunStatus::InputRequired
        | RunStatus::Stopping => "in_progress",
        RunStatus::Completed => "completed",
        RunStatus::Failed => "failed",
        RunStatus::Stopped => "cancelled",
    }
}

fn output(work: &Work, form: &Form) -> Vec<OutputItem> {
    let call = |call: &Call| OutputItem::FunctionCall {
        id: format!("fc_{}", call.id),
        status: "completed",
        call_id: call.id.to_string(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    let answer = work.text.iter().map(|text| item(&work.id, form, text.clone()));
    answer.chain(work.calls.iter().map(call)).collect()
}

fn item(id: &WorkId, form: &Form, text: String) -> OutputItem {
    let status = "completed";
    match form {
        Form::Text => OutputItem::Message {
            id: format!("msg_{id}"),
            status,
            role: "assistant",
            content: vec![OutputText::new(text)],
        },
        Form::Call(name) => OutputItem::FunctionCall {
            id: format!("fc_{id}"),
            status,
            call_id: format!("call_{id}"),
            name: name.clone(),
            arguments: text,
        },
    }
}

/// The caller's schema as the format of the text.
fn format(work: &Work, form: &Form) -> Value {
    match work.schema.as_ref().filter(|_| *form == Form::Text) {
        Some(schema) => {
            json!({"type": "json_schema", "name": "output", "description": null, "schema": schema, "strict": true})
        }
        None => json!({"type": "text"}),
    }
}
