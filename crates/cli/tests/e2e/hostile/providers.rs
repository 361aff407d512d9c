//! A model server that answers in the dialect of a provider with any bytes at all.

use std::sync::{Arc, Mutex};

use accord_domain::provider::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::quoted;

/// The content type and the body of every answer.
type Says = Arc<Mutex<(&'static str, Arc<Vec<u8>>)>>;

/// The answer to the result of a tool of an MCP server, which ends the conversation.
const END: &str = r#"{"type":"message","model":"m","content":[{"type":"text","text":"1"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}"#;

/// A server that gives the same answer to every request that has no result of a tool.
#[derive(Clone)]
pub(super) struct Speaker {
    says: Says,
    pub(super) url: String,
}

impl Speaker {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let says = Says::default();
        let speaker = Self { says: Arc::clone(&says), url };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&says)));
            }
        });
        speaker
    }

    pub(super) fn say(&self, content_type: &'static str, body: String) {
        *self.says.lock().unwrap() = (content_type, Arc::new(body.into_bytes()));
    }
}

/// Reads a request to its end and answers it. A client that hangs up ends it.
async fn answer(mut stream: TcpStream, says: Says) -> Option<()> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let length = stream.read(&mut piece).await.ok().filter(|length| *length > 0)?;
        bytes.extend_from_slice(&piece[..length]);
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(head) = head else { continue };
        let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
        let expected =
            text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
        if bytes.len() >= head + 4 + expected.unwrap_or(0_usize) {
            break;
        }
    }
    let (content_type, body) = says.lock().unwrap().clone();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let body = if has("\"tool_result\"") && has("s__t") { Arc::new(END.into()) } else { body };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.ok()?;
    stream.write_all(&body).await.ok()
}

/// How a hostile text is in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// It is the whole answer.
    Raw,
    /// It is each event of a stream.
    Events,
    /// It is what the model says.
    Text,
    /// It is the arguments of a tool, or the value in a structured answer.
    Arguments,
}

impl Form {
    pub(super) const ALL: [Self; 4] = [Self::Raw, Self::Events, Self::Text, Self::Arguments];
}

/// How often a text is an event of a stream, if it is short.
const EVENTS: usize = 200_000;

/// An answer of a provider: its content type and its body.
pub(super) fn answered(dialect: Dialect, form: Form, text: &str) -> (&'static str, String) {
    match form {
        Form::Raw => ("application/json", text.to_owned()),
        Form::Events => {
            let count = (4_000_000 / (text.len() + 8)).clamp(1, EVENTS);
            match dialect {
                Dialect::Ollama => ("application/x-ndjson", format!("{text}\n").repeat(count)),
                Dialect::BedrockConverse => ("application/vnd.amazon.eventstream", text.repeat(count)),
                _ => ("text/event-stream", format!("data: {text}\n\n").repeat(count)),
            }
        }
        Form::Text => ("application/json", whole(dialect, false).replace("TEXT", &quoted(text))),
        Form::Arguments => {
            let whole = whole(dialect, true);
            ("application/json", whole.replace("TEXT", &quoted(text)).replace("JSON", text))
        }
    }
}

/// An answer in one piece, with a text or with a call of the submit tool.
fn whole(dialect: Dialect, is_call: bool) -> &'static str {
    match (dialect, is_call) {
        (Dialect::AnthropicMessages, false) => {
            r#"{"type":"message","model":"m","content":[{"type":"text","text":TEXT}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}"#
        }
        (Dialect::AnthropicMessages, true) => {
            r#"{"type":"message","model":"m","content":[{"type":"tool_use","id":"c","name":"submit_result","input":JSON}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}"#
        }
        (Dialect::OpenAiResponses, false) => {
            r#"{"model":"m","status":"completed","output":[{"type":"message","id":"m1","role":"assistant","content":[{"type":"output_text","text":TEXT,"annotations":[]}]}],"usage":{"input_tokens":1,"output_tokens":1}}"#
        }
        (Dialect::OpenAiResponses, true) => {
            r#"{"model":"m","status":"completed","output":[{"type":"function_call","id":"f","call_id":"c","name":"submit_result","arguments":TEXT}],"usage":{"input_tokens":1,"output_tokens":1}}"#
        }
        (Dialect::Chat(_), false) => {
            r#"{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":TEXT},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#
        }
        (Dialect::Chat(_), true) => {
            r#"{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"submit_result","arguments":TEXT}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#
        }
        (Dialect::Gemini, false) => {
            r#"{"modelVersion":"m","candidates":[{"index":0,"content":{"role":"model","parts":[{"text":TEXT}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}"#
        }
        (Dialect::Gemini, true) => {
            r#"{"modelVersion":"m","candidates":[{"index":0,"content":{"role":"model","parts":[{"functionCall":{"id":"c","name":"submit_result","args":JSON}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}"#
        }
        (Dialect::BedrockConverse, false) => {
            r#"{"output":{"message":{"role":"assistant","content":[{"text":TEXT}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1}}"#
        }
        (Dialect::BedrockConverse, true) => {
            r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"submit_result","input":JSON}}]}},"stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":1}}"#
        }
        (Dialect::Cohere, false) => {
            r#"{"id":"1","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":TEXT}]},"usage":{"tokens":{"input_tokens":1,"output_tokens":1}}}"#
        }
        (Dialect::Cohere, true) => {
            r#"{"id":"1","finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"submit_result","arguments":TEXT}}]},"usage":{"tokens":{"input_tokens":1,"output_tokens":1}}}"#
        }
        (Dialect::Ollama, false) => {
            r#"{"model":"m","message":{"role":"assistant","content":TEXT},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}"#
        }
        (Dialect::Ollama, true) => {
            r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"name":"submit_result","arguments":JSON}}]},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":1}"#
        }
    }
}
