//! The messages of the protocol, one JSON object a line. See `docs/guides/external-executors.md`.
//!
//! Unknown types and unknown fields are ignored, so that either side can be newer. A known field of the wrong type is an
//! error that names the field. A field that can have only one value may be omitted, and the stop reasons of providers are
//! accepted.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::keys;
use crate::answer::{Stop, Usage};
use crate::event::Event;
use crate::json::{read as read_json, read_message};
use crate::mcp_server::{McpServer, Reach};
use crate::start::Start;
use crate::turn::{Delivery, Turn};

pub(super) const PROTOCOL: u64 = 1;

/// How much of an invalid line is shown.
const SHOWN_CHARACTERS: usize = 200;

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Hello {
    #[serde(default = "protocol")]
    pub(super) protocol: u64,
    pub(super) name: Option<String>,
    pub(super) model: Option<String>,
    pub(super) capabilities: DeclaredCapabilities,
}

fn protocol() -> u64 {
    PROTOCOL
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct DeclaredCapabilities {
    pub(super) resume: bool,
    pub(super) native_schema: NativeSchema,
    pub(super) reprompt: bool,
}

/// Whether a program enforces a schema, and in which dialect.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(super) enum NativeSchema {
    Whether(bool),
    /// By the profile that the schema is lowered with.
    Profile(String),
}

impl NativeSchema {
    /// The narrowest dialect is the default, because every other one accepts it.
    const USUAL: &str = "openai";

    pub(super) fn profile(&self) -> Option<String> {
        match self {
            Self::Whether(false) => None,
            Self::Whether(true) => Some(Self::USUAL.to_owned()),
            Self::Profile(name) => Some(name.clone()),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ProgramMessage {
    Hello(Hello),
    /// A message or a tool, as an event.
    Event(Event),
    Usage(Usage),
    Answer(Box<ProgramAnswer>),
    ReportedError(ReportedError),
    /// A type that is not known here.
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProgramAnswer {
    /// Defaults to the session of the turn, and `turn` to its number.
    pub(super) session_id: Option<String>,
    pub(super) turn: Option<u64>,
    pub(super) text: String,
    pub(super) structured: Option<Value>,
    pub(super) stop: Stop,
    pub(super) state: Option<Value>,
    pub(super) model: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct ReportedError {
    pub(super) session_id: Option<String>,
    pub(super) turn: Option<u64>,
    #[serde(default)]
    pub(super) kind: Kind,
    pub(super) message: String,
}

/// What is to be done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    #[default]
    Failed,
    /// The program's provider cannot be reached.
    Transport,
    /// The schema is not supported: ask without it.
    SchemaRejected,
}

#[derive(Deserialize)]
struct WrittenAnswer {
    session_id: Option<String>,
    turn: Option<u64>,
    text: Option<String>,
    /// Unparsed, because the judge decides on it.
    structured: Option<Box<RawValue>>,
    stop_reason: Option<String>,
    state: Option<Value>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct WrittenMessage {
    text: String,
}

#[derive(Deserialize)]
struct WrittenTool {
    call_id: Option<String>,
    name: String,
    status: Option<ToolStatus>,
    #[serde(default)]
    arguments: Value,
    ok: Option<bool>,
    output: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ToolStatus {
    Started,
    Finished,
}

#[derive(Deserialize)]
struct WrittenUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    cost_usd: Option<f64>,
}

/// What a program did wrong, as the rest of a sentence that begins with its name.
#[derive(Debug, Error)]
pub(super) enum MessageError {
    #[error("wrote an invalid message to stdout: {0} ({1})")]
    NotJson(String, serde_json::Error),
    #[error("wrote a message without a type to stdout: {0}")]
    NoType(String),
    #[error("wrote an invalid '{0}' message: {1}")]
    Invalid(String, serde_json::Error),
    #[error("wrote an invalid 'usage' message: cost_usd is {0}")]
    Cost(f64),
    #[error(
        "wrote an invalid 'answer' message: expected stop_reason finished, truncated or refused, got '{0}'"
    )]
    StopReason(String),
    #[error("wrote an 'answer' message with neither text nor structured")]
    NoContent,
}

pub(super) fn read(line: &str) -> Result<ProgramMessage, MessageError> {
    let value = read_json(line).map_err(|error| MessageError::NotJson(excerpt(line), error))?;
    let kind = value.get("type").and_then(Value::as_str).map(str::to_owned);
    let Some(kind) = kind else {
        return Err(MessageError::NoType(excerpt(line)));
    };
    Ok(match kind.as_str() {
        "hello" => ProgramMessage::Hello(part(&kind, with_capabilities_by_name(value))?),
        "message" => {
            let WrittenMessage { text } = part(&kind, value)?;
            ProgramMessage::Event(Event::Message { text })
        }
        "tool" => ProgramMessage::Event(tool(part(&kind, value)?)),
        "usage" => ProgramMessage::Usage(usage(part(&kind, value)?)?),
        "answer" => {
            let written = read_message(line).map_err(|error| MessageError::Invalid(kind, error))?;
            ProgramMessage::Answer(Box::new(answer(written)?))
        }
        "error" => ProgramMessage::ReportedError(part(&kind, value)?),
        _ => ProgramMessage::Unknown,
    })
}

fn part<T: DeserializeOwned>(kind: &str, value: Value) -> Result<T, MessageError> {
    serde_json::from_value(value).map_err(|error| MessageError::Invalid(kind.to_owned(), error))
}

/// Capabilities that are listed by name, as the object with a boolean for each.
fn with_capabilities_by_name(mut hello: Value) -> Value {
    if let Some(capabilities @ Value::Array(_)) = hello.get_mut("capabilities") {
        let names: Vec<&str> =
            capabilities.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let all = ["resume", "native_schema", "reprompt"].map(|name| (name, names.contains(&name)));
        *capabilities = all.into_iter().collect();
    }
    hello
}

fn tool(written: WrittenTool) -> Event {
    let WrittenTool { call_id, name, status, arguments, ok, output } = written;
    let call_id = call_id.unwrap_or_else(|| name.clone());
    let is_over = ok.is_some() || output.is_some();
    match status.unwrap_or(if is_over { ToolStatus::Finished } else { ToolStatus::Started }) {
        ToolStatus::Started => Event::ToolStarted { call_id, name, arguments },
        ToolStatus::Finished => {
            Event::ToolFinished { call_id, name, ok: ok.unwrap_or(true), output: output.unwrap_or_default() }
        }
    }
}

fn usage(written: WrittenUsage) -> Result<Usage, MessageError> {
    let WrittenUsage { input_tokens, output_tokens, cost_usd } = written;
    match cost_usd {
        Some(cost) if !cost.is_finite() || cost < 0.0 => Err(MessageError::Cost(cost)),
        _ => Ok(Usage { input_tokens, output_tokens, cost_usd }),
    }
}

fn answer(written: WrittenAnswer) -> Result<ProgramAnswer, MessageError> {
    let WrittenAnswer { session_id, turn, text, structured, stop_reason, state, model } = written;
    let stop = match stop_reason.as_deref().unwrap_or("finished") {
        "finished" | "end_turn" | "stop" | "stop_sequence" | "completed" => Stop::Finished,
        "truncated" | "max_tokens" | "max_output_tokens" | "length" => Stop::Truncated,
        "refused" | "refusal" | "content_filter" => Stop::Refused(text.clone().unwrap_or_default()),
        other => return Err(MessageError::StopReason(other.chars().take(SHOWN_CHARACTERS).collect())),
    };
    // A value with duplicate keys is judged as a text, because parsing would drop one of them.
    let (text, structured) = match structured.as_deref().map(RawValue::get) {
        Some(json) if keys::has_duplicates(json) => (Some(json.to_owned()), None),
        Some(json) => (text, read_message::<Value>(json).ok()),
        None => (text, None),
    };
    let text = match (text, &structured, &stop) {
        (Some(text), _, _) => text,
        (None, Some(value), _) => value.to_string(),
        (None, None, Stop::Refused(_)) => String::new(),
        (None, None, _) => return Err(MessageError::NoContent),
    };
    Ok(ProgramAnswer { session_id, turn, text, structured, stop, state, model })
}

fn excerpt(line: &str) -> String {
    let mut characters = line.chars();
    let beginning: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    let rest = if characters.next().is_some() { "…" } else { "" };
    format!("{}{rest}", Value::String(beginning))
}

/// `start`: the session and its beginning.
pub(super) fn start(start: &Start, timeout_seconds: u64, state: Option<&Value>, is_resumed: bool) -> String {
    let mut members = begin("start", &start.session_id);
    members.insert("run_id".to_owned(), json!(start.run_id));
    members.insert("project_dir".to_owned(), json!(start.project_dir));
    members.insert("parameters".to_owned(), start.parameters.clone());
    members.insert("resume".to_owned(), json!(is_resumed));
    members.insert("state".to_owned(), state.cloned().unwrap_or_default());
    let servers: Vec<Value> = start.mcp_servers.iter().map(server).collect();
    members.insert("mcp_servers".to_owned(), servers.into());
    let limits = json!({"timeout_seconds": timeout_seconds, "max_steps": start.max_steps});
    members.insert("limits".to_owned(), limits);
    Value::Object(members).to_string()
}

fn server(server: &McpServer) -> Value {
    match &server.reach {
        Reach::Program { command, args, env } => {
            json!({"name": server.name, "command": command, "args": args, "env": env})
        }
        Reach::Address { url, headers } | Reach::Coordinator { url, headers } => {
            json!({"name": server.name, "url": url, "headers": headers})
        }
    }
}

pub(super) fn turn(session_id: &str, number: u64, asked: &Turn, prompt: &str) -> String {
    let mut members = begin("turn", session_id);
    members.insert("turn".to_owned(), json!(number));
    members.insert("system_prompt".to_owned(), json!(asked.system_prompt));
    members.insert("prompt".to_owned(), json!(prompt));
    let schema = match &asked.delivery {
        Delivery::Native { schema, .. } => schema.clone(),
        Delivery::Text | Delivery::Object | Delivery::Tool { .. } => Value::Null,
    };
    members.insert("schema".to_owned(), schema);
    members.insert("model".to_owned(), json!(asked.model));
    members.insert("max_tokens".to_owned(), json!(asked.max_tokens));
    Value::Object(members).to_string()
}

/// `cancel`: the turn is no longer needed.
pub(super) fn cancel(session_id: &str, number: u64) -> String {
    let mut members = begin("cancel", session_id);
    members.insert("turn".to_owned(), json!(number));
    Value::Object(members).to_string()
}

/// `shutdown`: there are no more turns.
pub(super) fn shutdown(session_id: &str) -> String {
    Value::Object(begin("shutdown", session_id)).to_string()
}

fn begin(kind: &str, session_id: &str) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("type".to_owned(), json!(kind));
    members.insert("protocol".to_owned(), json!(PROTOCOL));
    members.insert("session_id".to_owned(), json!(session_id));
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<ProgramMessage, String> {
        super::read(line).map_err(|error| error.to_string())
    }

    fn answered(text: &str, structured: Option<Value>, stop: Stop) -> ProgramMessage {
        let (session_id, turn, state, model) = (Some("s".to_owned()), Some(1), None, None);
        ProgramMessage::Answer(Box::new(ProgramAnswer {
            session_id,
            turn,
            text: text.to_owned(),
            structured,
            stop,
            state,
            model,
        }))
    }

    #[test]
    fn answers_are_text_or_structured_or_a_refusal() {
        let read = |rest: &str| read(&format!(r#"{{"type": "answer", "session_id": "s", "turn": 1{rest}}}"#));
        assert_eq!(read(r#", "text": "a""#), Ok(answered("a", None, Stop::Finished)));
        assert_eq!(
            read(r#", "structured": {"n": 1.10}"#),
            Ok(answered(r#"{"n":1.10}"#, serde_json::from_str(r#"{"n": 1.10}"#).unwrap(), Stop::Finished))
        );
        let twice = r#"{"n": 1.10, "n": 2}"#;
        assert_eq!(
            read(&format!(r#", "text": "a", "structured": {twice}"#)),
            Ok(answered(twice, None, Stop::Finished)),
            "the judge reads it, and says which key is given twice"
        );
        let misread = read(r#", "structured": {"$serde_json::private::RawValue": "12"}"#).unwrap_err();
        assert!(misread.contains("names that start with `$serde_json::private::`"), "{misread}");
        assert_eq!(read(r#", "text": "a", "structured": null"#), Ok(answered("a", None, Stop::Finished)));
        assert_eq!(
            read(r#", "stop_reason": "refused", "text": "no""#),
            Ok(answered("no", None, Stop::Refused("no".to_owned())))
        );
        assert_eq!(read("").unwrap_err(), "wrote an 'answer' message with neither text nor structured");
        assert_eq!(
            read(r#", "text": "a", "stop_reason": "tired""#).unwrap_err(),
            "wrote an invalid 'answer' message: expected stop_reason finished, truncated or refused, got 'tired'"
        );
    }

    #[test]
    fn ignores_unknown_fields_and_rejects_invalid_ones() {
        assert_eq!(read(r#"{"type": "weather", "degrees": 3}"#), Ok(ProgramMessage::Unknown));
        let text = Event::Message { text: "a".to_owned() };
        assert_eq!(read(r#"{"type": "message", "text": "a", "mood": 1}"#), Ok(ProgramMessage::Event(text)));
        for (line, error) in [
            ("hello", "wrote an invalid message to stdout: \"hello\" (expected value at line 1 column 1)"),
            ("[1]", "wrote a message without a type to stdout: \"[1]\""),
            (r#"{"type":"message"}"#, "wrote an invalid 'message' message: missing field `text`"),
            (r#"{"type":"usage","cost_usd":-1}"#, "wrote an invalid 'usage' message: cost_usd is -1"),
            (
                r#"{"type":"answer","session_id":"s","turn":1,"text":"a","text":"b"}"#,
                "wrote an invalid 'answer' message: duplicate field `text` at line 1 column 60",
            ),
        ] {
            assert_eq!(read(line).unwrap_err(), error);
        }
        let long = read(&"x".repeat(100_000)).unwrap_err();
        assert!(long.len() < 400 && long.contains("x…") | long.contains("x\"…"), "{long}");
    }

    #[test]
    fn unambiguous_parts_may_be_omitted() {
        let Ok(ProgramMessage::Answer(bare)) =
            read(r#"{"type": "answer", "text": "a", "stop_reason": "end_turn"}"#)
        else {
            panic!("no answer")
        };
        assert_eq!((bare.session_id, bare.turn, bare.stop), (None, None, Stop::Finished));
        for (word, stop) in [
            ("stop", Stop::Finished),
            ("length", Stop::Truncated),
            ("refusal", Stop::Refused("a".to_owned())),
        ] {
            let line = format!(r#"{{"type": "answer", "text": "a", "stop_reason": "{word}"}}"#);
            assert!(
                matches!(read(&line), Ok(ProgramMessage::Answer(answered)) if answered.stop == stop),
                "{word}"
            );
        }
        let (call_id, name) = ("grep".to_owned(), "grep".to_owned());
        let started = Event::ToolStarted { call_id, name, arguments: json!({"q": 1}) };
        let line = r#"{"type": "tool", "name": "grep", "arguments": {"q": 1}}"#;
        assert_eq!(read(line), Ok(ProgramMessage::Event(started)));
        let (call_id, name) = ("grep".to_owned(), "grep".to_owned());
        let finished = Event::ToolFinished { call_id, name, ok: true, output: "2".to_owned() };
        assert_eq!(
            read(r#"{"type": "tool", "name": "grep", "output": "2"}"#),
            Ok(ProgramMessage::Event(finished))
        );
        let Ok(ProgramMessage::Hello(hello)) =
            read(r#"{"type": "hello", "capabilities": ["resume", "reprompt"]}"#)
        else {
            panic!("no hello")
        };
        let native_schema = NativeSchema::Whether(false);
        assert_eq!(hello.capabilities, DeclaredCapabilities { resume: true, native_schema, reprompt: true });
        assert_eq!(hello.protocol, PROTOCOL);
    }

    #[test]
    fn dialects_have_names() {
        let profile = |value: Value| serde_json::from_value::<NativeSchema>(value).unwrap().profile();
        assert_eq!(profile(json!(false)), None);
        assert_eq!(profile(json!(true)).as_deref(), Some("openai"));
        assert_eq!(profile(json!("ollama")).as_deref(), Some("ollama"));
    }
}
