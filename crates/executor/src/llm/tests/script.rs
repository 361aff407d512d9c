//! A transport that answers from a script, and sessions on it.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::llm::{EVERY_MODEL, LlmExecutor, Price, Prices, Provider, ProviderKind, Providers, Secret};
use crate::{
    Answer, Delivery, Event, Events, Executor, Journal, NoTools, OpenError, Request, Response, Retry,
    Session, Start, ToolCall, ToolOutput, ToolSpec, Toolbox, Toolboxes, Transport, TransportError, Turn,
    TurnFailure,
};

pub(super) const KEY: &str = "sk-very-secret";

/// What follows the chunks of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    End,
    Drop,
    Hang,
    RepeatForEver,
}

#[derive(Debug, Clone)]
pub(super) struct Canned {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
    pub(super) then: Then,
}

impl Canned {
    pub(super) fn events(events: &[Value]) -> Self {
        let event = |event: &Value| match event {
            Value::String(word) => format!("data: {word}\n\n"),
            event => format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("message")),
        };
        Self::text("text/event-stream", events.iter().map(event).collect())
    }

    pub(super) fn lines(lines: &[Value]) -> Self {
        Self::text("application/x-ndjson", lines.iter().map(|line| format!("{line}\n")).collect())
    }

    pub(super) fn whole(body: &Value) -> Self {
        Self::text("application/json", body.to_string())
    }

    pub(super) fn error(status: u16, body: &Value) -> Self {
        Self { status, ..Self::whole(body) }
    }

    pub(super) fn text(content_type: &str, body: String) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", content_type.to_owned())],
            body: body.into_bytes(),
            then: Then::End,
        }
    }

    pub(super) fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }

    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    Answer(Canned),
    Lost(TransportError),
}

impl From<Canned> for Step {
    fn from(canned: Canned) -> Self {
        Self::Answer(canned)
    }
}

/// Plays a script and records the requests.
#[derive(Default)]
pub(super) struct Script {
    steps: Mutex<VecDeque<Step>>,
    requests: Mutex<Vec<Request>>,
    pub(super) hanging: Arc<Notify>,
    /// How many bytes of endless bodies were read.
    pub(super) taken: Arc<AtomicUsize>,
}

impl Script {
    pub(super) fn new<S: Into<Step>>(steps: impl IntoIterator<Item = S>) -> Arc<Self> {
        let script = Self::default();
        script.add(steps);
        Arc::new(script)
    }

    pub(super) fn add<S: Into<Step>>(&self, steps: impl IntoIterator<Item = S>) {
        self.steps.lock().unwrap().extend(steps.into_iter().map(Into::into));
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(super) fn bodies(&self) -> Vec<Value> {
        self.requests().into_iter().map(|request| request.body).collect()
    }
}

#[async_trait]
impl Transport for Script {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        self.requests.lock().unwrap().push(request);
        let step = self.steps.lock().unwrap().pop_front();
        let canned = match step {
            Some(Step::Answer(canned)) => canned,
            Some(Step::Lost(error)) => return Err(error),
            None => return Err(TransportError::Impossible("the script is at its end".into())),
        };
        // Seven bytes at a time, so that lines, events and characters are all split somewhere.
        let pieces: Vec<Result<Vec<u8>, TransportError>> =
            canned.body.chunks(7).map(|piece| Ok(piece.to_vec())).collect();
        let hanging = Arc::clone(&self.hanging);
        let pieces = stream::iter(pieces);
        let body = match canned.then {
            Then::End => pieces.boxed(),
            Then::Drop => {
                let lost = TransportError::Connection("connection reset".into());
                pieces.chain(stream::iter([Err(lost)])).boxed()
            }
            Then::Hang => pieces
                .chain(stream::once(async move {
                    hanging.notify_one();
                    std::future::pending().await
                }))
                .boxed(),
            Then::RepeatForEver => {
                let taken = Arc::clone(&self.taken);
                stream::repeat_with(move || {
                    taken.fetch_add(canned.body.len(), Ordering::Relaxed);
                    Ok(canned.body.clone())
                })
                .boxed()
            }
        };
        let headers = canned.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Response { status: canned.status, headers, body })
    }
}

/// A session with all its events.
pub(super) struct Opened {
    pub(super) session: Box<dyn Session>,
    pub(super) cancel: CancellationToken,
    events: Events,
    heard: mpsc::Receiver<Box<Event>>,
}

impl Opened {
    pub(super) async fn ask(&mut self, turn: Turn) -> Result<Answer, TurnFailure> {
        self.session.turn(turn, &self.events, &self.cancel).await
    }

    pub(super) fn heard(&mut self) -> Vec<Event> {
        let mut heard = Vec::new();
        while let Ok(event) = self.heard.try_recv() {
            heard.push(*event);
        }
        heard
    }
}

/// As many attempts as the scripts of lasting errors have answers.
pub(super) const SIX: Retry = Retry { for_time: Duration::from_secs(90), max_attempts: Some(6) };

/// Settings for a provider, with more fields.
pub(super) fn settings(provider: &str, more: Value) -> Value {
    let mut settings = json!({"type": "llm", "provider": provider, "model": "m-1"});
    if let (Some(fields), Some(more)) = (settings.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    settings
}

pub(super) fn start(settings: Value, tools: &[&str], conversation: Option<Value>) -> Start {
    Start {
        session_id: "session_1".into(),
        run_id: "run_1".into(),
        settings,
        project_dir: "project".into(),
        tools: tools.iter().map(|&name| name.to_owned()).collect(),
        mcp_servers: Vec::new(),
        parameters: Value::Null,
        conversation,
        opening: Vec::new(),
        max_steps: 4,
        retry: SIX,
        costs_are_limited: false,
        tool_entries: crate::ToolEntries::default(),
        caller_tools: crate::CallerTools::default(),
        journal: Arc::new(Journal::none()),
        files: crate::files::Files::default(),
    }
}

/// An executor whose providers all have a key and a price.
pub(super) fn executor(script: &Arc<Script>) -> LlmExecutor {
    executor_over(Arc::clone(script) as Arc<dyn Transport>).with_first_pause(Duration::from_millis(1))
}

/// The same over another transport, with the pauses of production.
pub(super) fn executor_over(transport: Arc<dyn Transport>) -> LlmExecutor {
    let price = Price { input: 1.0, output: 10.0, ..Price::default() };
    let providers = ProviderKind::ALL.into_iter().fold(Providers::default(), |all, kind| {
        let provider = Provider::new(kind);
        let provider = Provider {
            base_url: provider.base_url.or(Some("http://127.0.0.1:8080/v1".into())),
            api_key: Some(Secret::new(KEY)),
            prices: Prices::own([(EVERY_MODEL.to_owned(), price)].into()),
            ..provider
        };
        all.with(kind.name(), provider)
    });
    LlmExecutor::new(providers, transport, Arc::new(Echoes))
}

pub(super) async fn open(script: &Arc<Script>, start: Start) -> Result<Opened, OpenError> {
    open_with(&executor(script), start).await
}

pub(super) async fn open_with(executor: &LlmExecutor, start: Start) -> Result<Opened, OpenError> {
    let session = executor.open(start).await?;
    let (sender, heard) = mpsc::channel(1000);
    Ok(Opened { session, cancel: CancellationToken::new(), events: Events::new(sender), heard })
}

pub(super) async fn opened(script: &Arc<Script>, provider: &str) -> Opened {
    open(script, start(settings(provider, json!({})), &[], None)).await.unwrap()
}

pub(super) fn turn(prompt: &str, delivery: Delivery) -> Turn {
    Turn { system_prompt: "Be brief.".into(), prompt: prompt.into(), delivery, ..Turn::default() }
}

pub(super) fn schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

pub(super) fn native() -> Delivery {
    Delivery::Native { name: "verdict".into(), schema: schema() }
}

pub(super) fn tool(strict: bool, force: bool) -> Delivery {
    Delivery::Tool {
        name: "submit_result".into(),
        description: "Hands in the result.".into(),
        schema: schema(),
        strict,
        force,
    }
}

/// Toolboxes with one tool, `echo`, that returns its arguments and fails if they are `{"fail":
/// true}`.
struct Echoes;

impl Toolboxes for Echoes {
    fn open(&self, names: &[String], project_dir: &Path) -> Result<Box<dyn Toolbox>, OpenError> {
        match names {
            [] => NoTools.open(names, project_dir),
            _ => Ok(Box::new(Echoes)),
        }
    }
}

#[async_trait]
impl Toolbox for Echoes {
    fn specs(&self) -> Vec<ToolSpec> {
        vec![ToolSpec {
            name: "echo".into(),
            description: "Says it again.".into(),
            parameters: json!({"type": "object"}),
            original: None,
        }]
    }

    async fn call(&self, call: ToolCall<'_>, cancel: &CancellationToken) -> ToolOutput {
        let arguments = call.arguments;
        if arguments["wait"] == true {
            cancel.cancelled().await;
        }
        ToolOutput { ok: arguments["fail"] != true, text: arguments.to_string() }
    }
}
