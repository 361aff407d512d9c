//! The bodies of `/v1/chat/completions`.

use std::collections::BTreeMap;

use accord_api::Usage;
use accord_domain::id::WorkId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::contract::{Form, Format};
use super::tools::Tool;
use super::work::{Call, Work};

/// Request for a chat completion. Fields that set up a model call are accepted without effect.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
pub(super) struct CreateChatCompletion {
    /// Agent or workflow name.
    pub(super) model: Option<String>,
    /// The conversation: text of the roles system, developer, user, assistant and tool.
    #[schema(value_type = Vec<Object>)]
    pub(super) messages: Vec<Value>,
    /// The caller's contract. Beside one of the agent's, both hold.
    pub(super) response_format: Option<Format>,
    /// Functions that the model may call. One that has to be called is the caller's contract.
    pub(super) tools: Option<Vec<Tool>>,
    /// `auto`, `required`, `none`, or the function that has to be called.
    #[schema(value_type = Option<Value>)]
    pub(super) tool_choice: Option<Value>,
    /// Whether to send the answer as events.
    pub(super) stream: Option<bool>,
    /// Options of the stream.
    pub(super) stream_options: Option<StreamOptions>,
    /// Stored with the run.
    pub(super) metadata: Option<BTreeMap<String, String>>,
    /// Number of answers: 1.
    pub(super) n: Option<u32>,
}

/// Options of a stream.
#[derive(Debug, Clone, Copy, Default, Deserialize, utoipa::ToSchema)]
pub(super) struct StreamOptions {
    /// Whether a last chunk has the usage.
    #[serde(default)]
    pub(super) include_usage: bool,
}

/// A chat completion.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct ChatCompletion {
    /// Id of the run, or of the workflow run.
    #[schema(value_type = String)]
    id: WorkId,
    /// `chat.completion`.
    object: &'static str,
    /// Creation time, in seconds since 1970.
    created: i64,
    /// Agent or workflow name.
    model: String,
    /// The answer.
    choices: Vec<ChatChoice>,
    /// Usage.
    usage: CompletionUsage,
}

/// An answer.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct ChatChoice {
    /// 0.
    index: u32,
    /// The message.
    message: ChatMessage,
    /// `stop` or `tool_calls`.
    finish_reason: &'static str,
    /// Always null.
    #[schema(value_type = Option<Object>)]
    logprobs: Option<()>,
}

/// The message of an answer, or its part in a stream.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct ChatMessage {
    /// `assistant`.
    role: &'static str,
    /// The judged answer; null beside calls.
    content: Option<String>,
    /// Always null: a refusal is an error.
    refusal: Option<String>,
    /// Calls of the caller's functions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<ChatToolCall>,
}

/// A call of the caller's function.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct ChatToolCall {
    /// Position, in a stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    /// Id of the call.
    id: String,
    /// `function`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The function.
    function: CalledFunction,
}

/// A called function.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub(super) struct CalledFunction {
    /// Name.
    name: String,
    /// Arguments, as JSON text.
    arguments: String,
}

/// Usage of a chat completion.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub(super) struct CompletionUsage {
    /// Input tokens.
    prompt_tokens: u64,
    /// Output tokens.
    completion_tokens: u64,
    /// Both together.
    total_tokens: u64,
    /// Cost in US dollars, if prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
}

impl From<Usage> for CompletionUsage {
    fn from(usage: Usage) -> Self {
        Self {
            prompt_tokens: usage.input_tokens,
            completion_tokens: usage.output_tokens,
            total_tokens: usage.input_tokens + usage.output_tokens,
            cost_usd: usage.cost_usd,
        }
    }
}

/// A part of a chat completion in a stream.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ChatCompletionChunk {
    id: WorkId,
    object: &'static str,
    created: i64,
    model: String,
    choices: Vec<ChunkChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<CompletionUsage>,
}

#[derive(Debug, Clone, Serialize)]
struct ChunkChoice {
    index: u32,
    delta: Delta,
    finish_reason: Option<&'static str>,
    logprobs: Option<()>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Delta {
    Message(ChatMessage),
    End {},
}

fn message(work: &Work, form: &Form, index: Option<u32>) -> ChatMessage {
    if !work.calls.is_empty() {
        let call = |(place, call): (u32, &Call)| ChatToolCall {
            index: index.map(|_| place),
            id: call.id.to_string(),
            kind: "function",
            function: CalledFunction { name: call.name.clone(), arguments: call.arguments.clone() },
        };
        let tool_calls = (0..).zip(&work.calls).map(call).collect();
        return ChatMessage { role: "assistant", content: None, refusal: None, tool_calls };
    }
    let text = work.text.clone().unwrap_or_default();
    let (content, tool_calls) = match form {
        Form::Text => (Some(text), Vec::new()),
        Form::Call(name) => {
            let function = CalledFunction { name: name.clone(), arguments: text };
            (None, vec![ChatToolCall { index, id: format!("call_{}", work.id), kind: "function", function }])
        }
    };
    ChatMessage { role: "assistant", content, refusal: None, tool_calls }
}

fn finish_reason(work: &Work, form: &Form) -> &'static str {
    match form {
        Form::Text if work.calls.is_empty() => "stop",
        Form::Text | Form::Call(_) => "tool_calls",
    }
}

impl ChatCompletion {
    pub(super) fn of(work: &Work, form: &Form) -> Self {
        let choice = ChatChoice {
            index: 0,
            message: message(work, form, None),
            finish_reason: finish_reason(work, form),
            logprobs: None,
        };
        Self {
            id: work.id.clone(),
            object: "chat.completion",
            created: work.created_at,
            model: work.model.clone(),
            choices: vec![choice],
            usage: work.usage.into(),
        }
    }
}

impl ChatCompletionChunk {
    /// The whole answer, in the order in which a stream has it.
    pub(super) fn all(work: &Work, form: &Form, options: StreamOptions) -> Vec<Self> {
        let chunk = |choices, usage| Self {
            id: work.id.clone(),
            object: "chat.completion.chunk",
            created: work.created_at,
            model: work.model.clone(),
            choices,
            usage,
        };
        let choice =
            |delta, finish_reason| vec![ChunkChoice { index: 0, delta, finish_reason, logprobs: None }];
        let whole = Delta::Message(message(work, form, Some(0)));
        let mut chunks = vec![
            chunk(choice(whole, None), None),
            chunk(choice(Delta::End {}, Some(finish_reason(work, form))), None),
        ];
        if options.include_usage {
            chunks.push(chunk(Vec::new(), Some(work.usage.into())));
        }
        chunks
    }
}
