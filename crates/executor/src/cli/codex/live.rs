//! The app server of a session: one process, one thread, as many turns as are asked.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::child::Live;
use crate::event::{Event, Events};
use crate::json::set;
use crate::session::TurnError;
use crate::turn::{Delivery, Turn};

use super::super::instructions::hash;
use super::super::rpc::{Message, RpcError};
use super::super::transcript::{Item, Transcript};
use super::super::{
    CODEX, LineError, SUBMIT_SERVER, SubmissionInbox, closed, excerpt, next_line, read_submissions,
};
use super::approvals::{self, Started};
use super::conversation::{Conversation, Totals, is_id};
use super::item;
use super::launcher::Launcher;
use super::outcome::TurnEnd;
use super::rpc;
use super::turn_error::CodexError;

/// How long it may take to greet. It takes a second or two.
const TIME_TO_GREET: Duration = Duration::from_secs(60);

/// How long it may take to exit once it has closed its stdout.
const TIME_TO_EXIT: Duration = Duration::from_secs(2);

/// A process that is ready to be asked.
pub(super) struct Server {
    pub(super) live: Live,
    requests: u64,
    thread: Option<Thread>,
    /// The turn that is under way, if its id is known.
    pub(super) turn: Option<String>,
    /// Threads that Codex began by itself, for agents of its own.
    others: BTreeSet<String>,
    started: Started,
}

/// The thread that the process has open.
struct Thread {
    id: String,
    model: String,
    /// The submit tool that it was opened with: another one means another process.
    offered: Option<Value>,
    pub(super) inbox: Option<SubmissionInbox>,
}

/// Why a process does not greet.
pub(super) enum StartError {
    /// This version of Codex has no app server that we understand.
    Unknown(String),
    Silent,
}

pub(super) enum Interruption {
    /// The turn failed, and the process is well.
    Turn(TurnError),
    Process(TurnError),
}

impl Interruption {
    fn process(text: impl Into<String>) -> Self {
        Self::Process(TurnError::Failed(text.into()))
    }
}

impl Server {
    pub(super) async fn start(launcher: &Launcher) -> Result<Self, StartError> {
        let live = launcher.context.spawn(launcher.command(&["app-server"])).await;
        let live = live.map_err(|error| StartError::Unknown(launcher.context.not_started(&error)))?;
        let mut server = Self {
            live,
            requests: 0,
            thread: None,
            turn: None,
            others: BTreeSet::new(),
            started: Started::new(),
        };
        let client = json!({"name": "accord", "title": "Accord", "version": env!("CARGO_PKG_VERSION")});
        match timeout(TIME_TO_GREET, server.call("initialize", &json!({"clientInfo": client}))).await {
            Ok(Ok(Ok(_))) => {}
            Ok(Ok(Err(RpcError { message, .. }))) => return Err(StartError::Unknown(message)),
            Ok(Err(Interruption::Turn(error) | Interruption::Process(error))) => {
                return Err(StartError::Unknown(error.to_string()));
            }
            Err(_) => return Err(StartError::Silent),
        }
        server.live.send_line(rpc::notification("initialized")).await.ok();
        Ok(server)
    }

    /// Whether it can take a turn with this delivery.
    pub(super) async fn fits(&mut self, delivery: &Delivery) -> bool {
        let is_alive = self.live.exit(Duration::ZERO).await.is_none();
        let same = self.thread.as_ref().is_none_or(|thread| thread.offered.as_ref() == offered(delivery));
        is_alive && same
    }

    /// Opens the thread, if it is not open yet: resumes the one of the conversation, or begins a new one.
    pub(super) async fn open(
        &mut self,
        launcher: &Launcher,
        turn: &Turn,
        conversation: &mut Option<Conversation>,
    ) -> Result<(), Interruption> {
        if self.thread.is_some() {
            return Ok(());
        }
        let inbox = launcher.context.inbox(&turn.delivery).map_err(Interruption::Turn)?;
        let mut params = json!({
            "cwd": launcher.context.folder,
            "approvalPolicy": approvals::policy(&launcher.context.desk),
            "config": {"mcp_servers": launcher.servers(inbox.as_ref())},
        });
        if let Some(model) = launcher.context.model(turn) {
            set(&mut params, "model", json!(model));
        }
        let past = conversation.as_ref().map(|conversation| conversation.thread_id.clone());
        let method = match &past {
            Some(id) => {
                set(&mut params, "threadId", json!(id));
                set(&mut params, "excludeTurns", json!(true));
                "thread/resume"
            }
            None => {
                set(&mut params, "developerInstructions", json!(turn.system_prompt));
                "thread/start"
            }
        };
        let result = match self.call(method, &params).await? {
            Ok(result) => result,
            Err(RpcError { message, .. }) => return Err(not_opened(&message, past.as_deref())),
        };
        let id = result.pointer("/thread/id").and_then(Value::as_str).unwrap_or_default();
        if !is_id(id) {
            return Err(Interruption::process(format!(
                "Codex reported an invalid thread id: '{}'",
                excerpt(id)
            )));
        }
        if let Some(past) = past.filter(|past| past != id) {
            let text = format!("Codex opened another thread: '{}' instead of '{past}'", excerpt(id));
            return Err(Interruption::process(text));
        }
        if conversation.is_none() {
            let (thread_id, told) = (id.to_owned(), hash(&turn.system_prompt));
            *conversation = Some(Conversation { thread_id, told, totals: Totals::default(), begun: false });
        }
        let model = result.get("model").and_then(Value::as_str).unwrap_or("default").to_owned();
        let offered = offered(&turn.delivery).cloned();
        self.thread = Some(Thread { id: id.to_owned(), model, offered, inbox });
        Ok(())
    }

    /// Asks a turn and listens until it is over.
    pub(super) async fn ask(
        &mut self,
        launcher: &Launcher,
        turn: &Turn,
        prompt: &str,
        conversation: &mut Conversation,
        transcript: &mut Transcript,
        events: &Events,
    ) -> Result<TurnEnd, Interruption> {
        let Some(thread) = &self.thread else { return Err(Interruption::process("Codex has no thread")) };
        let mut params = json!({"threadId": thread.id, "input": [{"type": "text", "text": prompt}]});
        if let Delivery::Native { schema, .. } = &turn.delivery {
            set(&mut params, "outputSchema", schema.clone());
        }
        if let Some(model) = launcher.context.model(turn) {
            set(&mut params, "model", json!(model));
        }
        self.turn = None;
        self.started.clear();
        let asked = self.request("turn/start", &params).await;
        loop {
            match self.next().await? {
                Message::Response { id, result: Err(RpcError { message, .. }) } if id == asked => {
                    return Err(Interruption::Turn(TurnError::Failed(format!(
                        "Codex rejected the turn: {message}"
                    ))));
                }
                Message::Response { id, result: Ok(result) } if id == asked => {
                    self.turn = result.pointer("/turn/id").and_then(Value::as_str).map(str::to_owned);
                    if !std::mem::replace(&mut conversation.begun, true) {
                        events.tell(Event::Conversation(conversation.write())).await;
                    }
                }
                Message::Response { .. } => {}
                Message::Request { id, method, params } => {
                    self.permit(launcher, &id, &method, &params).await?;
                }
                Message::Notification { method, params } => {
                    if let Some(end) =
                        self.happened(launcher, &method, &params, conversation, transcript, events).await?
                    {
                        self.turn = None;
                        return Ok(end);
                    }
                }
            }
        }
    }

    /// Answers a request. One that a person has to decide ends the turn.
    async fn permit(
        &mut self,
        launcher: &Launcher,
        id: &Value,
        method: &str,
        params: &Value,
    ) -> Result<(), Interruption> {
        let answer = match launcher.permission_request(method, params, &self.started) {
            Some(request) => {
                let permission = launcher.context.desk.decide(request).await;
                let Some(answer) = approvals::answer(method, &permission) else {
                    return Err(Interruption::Turn(TurnError::InputRequired));
                };
                rpc::response(id, &answer)
            }
            None => rpc::declined(id),
        };
        self.live.send_line(answer).await.ok();
        Ok(())
    }

    pub(super) fn model(&self, turn: &Turn) -> String {
        let opened = self.thread.as_ref().map(|thread| thread.model.clone());
        turn.model.clone().or(opened).unwrap_or_else(|| "default".to_owned())
    }

    /// What was handed in by the submit tool since the last time.
    pub(super) async fn submissions(&mut self) -> Result<Vec<String>, TurnError> {
        let inbox = self.thread.as_mut().and_then(|thread| thread.inbox.as_mut());
        read_submissions(&CODEX, inbox).await.map_err(TurnError::Failed)
    }

    /// Interrupts the turn and waits for its end, so that the thread is whole.
    pub(super) async fn interrupt(&mut self, launcher: &Launcher, conversation: &mut Conversation) {
        let (Some(thread), Some(turn)) = (&self.thread, self.turn.take()) else { return };
        let thread = thread.id.clone();
        self.request("turn/interrupt", &json!({"threadId": thread, "turnId": turn})).await;
        while let Ok(message) = self.next().await {
            let (method, params) = match message {
                Message::Notification { method, params } => (method, params),
                Message::Request { method, params, .. } => {
                    if let Some(request) = launcher.permission_request(&method, &params, &self.started) {
                        launcher.context.desk.collect(request);
                    }
                    continue;
                }
                Message::Response { .. } => continue,
            };
            if method == "item/started" {
                self.begins(&params);
            }
            if method == "thread/tokenUsage/updated" && is_of(&params, &thread) {
                conversation.totals = used(&params).unwrap_or(conversation.totals);
            }
            if method == "turn/completed" && is_of(&params, &thread) {
                return;
            }
        }
    }

    async fn happened(
        &mut self,
        launcher: &Launcher,
        method: &str,
        params: &Value,
        conversation: &mut Conversation,
        transcript: &mut Transcript,
        events: &Events,
    ) -> Result<Option<TurnEnd>, Interruption> {
        if method == "thread/started" {
            self.others.extend(params.pointer("/thread/id").and_then(Value::as_str).map(str::to_owned));
            return Ok(None);
        }
        let ours = self.thread.as_ref().is_some_and(|thread| is_of(params, &thread.id));
        let item = || params.get("item").map_or(Item::Other, item::read);
        match method {
            "turn/completed" => return self.completed(params, ours),
            _ if !ours => {}
            "item/started" => {
                self.begins(params);
                transcript.begins(item(), events, &launcher.context.redactor).await;
            }
            "item/agentMessage/delta" => {
                let part = params.get("delta").and_then(Value::as_str).unwrap_or_default();
                transcript.says(part, events, &launcher.context.redactor);
            }
            "item/completed" => transcript.ends(item(), events, &launcher.context.redactor).await,
            "thread/tokenUsage/updated" => {
                conversation.totals = used(params).unwrap_or(conversation.totals);
                transcript.step();
                if transcript.steps > launcher.context.max_steps {
                    return Err(Interruption::Turn(TurnError::TooManySteps(launcher.context.max_steps)));
                }
            }
            "error" if params.get("willRetry") == Some(&Value::Bool(true)) => {
                let details = params.pointer("/error/additionalDetails").and_then(Value::as_str);
                let words = details.or_else(|| params.pointer("/error/message").and_then(Value::as_str));
                let reason = launcher.context.redactor.text(&excerpt(words.unwrap_or_default()));
                events.tell(Event::repeated(reason, 0)).await;
            }
            _ => {}
        }
        Ok(None)
    }

    /// Notes a tool at work: requests refer to it.
    fn begins(&mut self, params: &Value) {
        if let Some(Item::Tool { call_id, name, arguments, .. }) = params.get("item").map(item::read) {
            self.started.insert(call_id, (name, arguments));
        }
    }

    fn completed(&self, params: &Value, ours: bool) -> Result<Option<TurnEnd>, Interruption> {
        if !ours {
            let theirs = params.get("threadId").and_then(Value::as_str).unwrap_or_default();
            if self.others.contains(theirs) {
                return Ok(None);
            }
            return Err(Interruption::process(format!(
                "Codex answered for another thread: '{}'",
                excerpt(theirs)
            )));
        }
        let turn = params.pointer("/turn/id").and_then(Value::as_str);
        if let Some(expected) = self.turn.as_deref().filter(|expected| Some(*expected) != turn) {
            let theirs = excerpt(turn.unwrap_or_default());
            let text = format!("Codex answered for another turn: '{theirs}' instead of '{expected}'");
            return Err(Interruption::process(text));
        }
        Ok(Some(match params.pointer("/turn/status").and_then(Value::as_str).unwrap_or_default() {
            "completed" => TurnEnd::Completed,
            "interrupted" => TurnEnd::Interrupted,
            _ => TurnEnd::Failed(params.pointer("/turn/error").map(CodexError::of_turn).unwrap_or_default()),
        }))
    }

    async fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.requests += 1;
        // If it does not read any more, the reason follows on its output.
        self.live.send_line(rpc::request(self.requests, method, params)).await.ok();
        self.requests
    }

    /// Sends a request and waits for its answer; other messages are ignored.
    async fn call(&mut self, method: &str, params: &Value) -> Result<Result<Value, RpcError>, Interruption> {
        let asked = self.request(method, params).await;
        loop {
            match self.next().await? {
                Message::Response { id, result } if id == asked => return Ok(result),
                Message::Request { id, .. } => {
                    self.live.send_line(rpc::declined(&id)).await.ok();
                }
                Message::Response { .. } | Message::Notification { .. } => {}
            }
        }
    }

    async fn next(&mut self) -> Result<Message, Interruption> {
        match next_line(&CODEX, &mut self.live).await {
            Ok(text) => Message::read(&CODEX, &text).map_err(Interruption::process),
            Err(LineError::Wrong(why)) => Err(Interruption::process(why)),
            Err(LineError::Closed { unfinished }) => {
                let (status, stderr) = self.live.last_words(TIME_TO_EXIT).await;
                Err(Interruption::process(closed(&CODEX, status, &unfinished, &stderr)))
            }
        }
    }
}

/// The schema of the submit tool, where there is one.
fn offered(delivery: &Delivery) -> Option<&Value> {
    match delivery {
        Delivery::Tool { schema, .. } => Some(schema),
        Delivery::Text | Delivery::Object | Delivery::Native { .. } => None,
    }
}

fn is_of(params: &Value, thread: &str) -> bool {
    params.get("threadId").and_then(Value::as_str) == Some(thread)
}

fn used(params: &Value) -> Option<Totals> {
    let total = params.pointer("/tokenUsage/total")?;
    let count = |name: &str| total.get(name).and_then(Value::as_u64);
    Some(Totals { input_tokens: count("inputTokens")?, output_tokens: count("outputTokens")? })
}

/// Why a thread could not be opened. One that is not there is never begun anew in disguise.
fn not_opened(words: &str, past: Option<&str>) -> Interruption {
    Interruption::Process(match past {
        Some(id) if is_gone(words) => TurnError::Failed(gone(id)),
        _ if words.contains(SUBMIT_SERVER) => {
            TurnError::ToolRejected(format!("Codex could not start the submit tool: {words}"))
        }
        _ => TurnError::Failed(format!("Codex could not open a thread: {words}")),
    })
}

/// Whether Codex says that it does not have a thread.
pub(super) fn is_gone(words: &str) -> bool {
    words.contains("no rollout found") || words.contains("thread not found")
}

/// The message for a missing thread.
pub(super) fn gone(id: &str) -> String {
    format!(
        "the conversation of this session is gone: Codex has no thread '{id}' on this machine, in the CODEX_HOME of this \
         user; start a new session"
    )
}
