//! The process of a session: one agent, one session, as many turns as are asked.

use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ContentBlock, Implementation, InitializeRequest,
    InitializeResponse, LoadSessionRequest, NewSessionRequest, PromptRequest, PromptResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, ResumeSessionRequest,
    SessionNotification, StopReason, TextContent,
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::answer::Usage;
use crate::child::Live;
use crate::event::{Event, Events};
use crate::session::TurnError;
use crate::turn::{Delivery, Turn};

use super::super::{ACP, LineError, SubmissionInbox, closed, excerpt, next_line, read_submissions};
use super::Launcher;
use super::conversation::{Conversation, is_id};
use super::model::ModelChoice;
use super::permissions::outcome;
use super::rpc::{self, AUTH_REQUIRED, Message, RpcError};
use super::servers::servers;
use super::tool::Tool;
use super::updates::Updates;

/// How long it may take to greet. Agents of npm take a few seconds, and some fetch themselves first.
const TIME_TO_GREET: Duration = Duration::from_secs(120);

/// How long it may take to exit once it has closed its stdout.
const TIME_TO_EXIT: Duration = Duration::from_secs(2);

const PERMISSION: &str = "session/request_permission";

/// A process that has greeted.
pub(super) struct Agent {
    pub(super) live: Live,
    requests: u64,
    greeting: InitializeResponse,
    session: Option<OpenSession>,
    /// The prompt that is under way.
    prompt: Option<u64>,
}

/// The session that the process has open.
struct OpenSession {
    id: String,
    model: ModelChoice,
    /// The submit tool that it was opened with: another one means another process.
    offered: Option<Value>,
    inbox: Option<SubmissionInbox>,
}

/// How a turn ended, as reported by the agent.
pub(super) struct TurnEnd {
    pub(super) reason: StopReason,
    pub(super) usage: Usage,
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

    fn turn(text: impl Into<String>) -> Self {
        Self::Turn(TurnError::Failed(text.into()))
    }
}

impl Agent {
    /// Starts the agent, greets it and logs in where the settings say how.
    pub(super) async fn start(launcher: &Launcher) -> Result<Self, Interruption> {
        let mut command = launcher.context.command(&[]);
        command.args(&launcher.context.settings.args);
        let live = launcher.context.spawn(command).await;
        let live = live.map_err(|error| Interruption::process(launcher.context.not_started(&error)))?;
        let greeting = InitializeResponse::new(ProtocolVersion::V1);
        let mut agent = Self { live, requests: 0, greeting, session: None, prompt: None };
        let client = Implementation::new("accord", env!("CARGO_PKG_VERSION")).title("Accord".to_owned());
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new())
            .client_info(client);
        let Ok(greeted) = timeout(TIME_TO_GREET, agent.call("initialize", &hello)).await else {
            let seconds = TIME_TO_GREET.as_secs();
            return Err(Interruption::process(format!(
                "{} was started but did not respond within {seconds} seconds; does this command speak ACP?",
                ACP.title
            )));
        };
        let greeted = greeted?.map_err(|error| {
            Interruption::process(format!("{} does not speak ACP: {}", ACP.title, error.message))
        })?;
        agent.greeting = serde_json::from_value(greeted).map_err(|error| {
            Interruption::process(format!("{} sent an invalid greeting: {error}", ACP.title))
        })?;
        if agent.greeting.protocol_version != ProtocolVersion::V1 {
            let version = agent.greeting.protocol_version;
            let text = format!("{} speaks version {version} of the protocol, expected 1", ACP.title);
            return Err(Interruption::process(text));
        }
        if let Some(method) = &launcher.auth_method {
            let params = json!({"methodId": method});
            if let Err(error) = agent.call("authenticate", &params).await? {
                let text = format!("{} refused to log in by '{method}': {}", ACP.title, error.message);
                return Err(Interruption::process(text));
            }
        }
        Ok(agent)
    }

    pub(super) async fn is_alive(&mut self) -> bool {
        self.live.exit(Duration::ZERO).await.is_none()
    }

    /// Whether the open session can take a turn with this delivery. A submit tool that is not asked for is no harm.
    pub(super) fn offers(&self, delivery: &Delivery) -> bool {
        match (&self.session, delivery) {
            (Some(session), Delivery::Tool { schema, .. }) => session.offered.as_ref() == Some(schema),
            _ => true,
        }
    }

    pub(super) fn can_resume(&self) -> bool {
        let capabilities = &self.greeting.agent_capabilities;
        capabilities.load_session || capabilities.session_capabilities.resume.is_some()
    }

    /// Opens the session, if it is not open yet: resumes the one of the conversation, or begins a new one.
    pub(super) async fn open(
        &mut self,
        launcher: &Launcher,
        turn: &Turn,
        conversation: &mut Option<Conversation>,
    ) -> Result<(), Interruption> {
        if self.session.is_some() {
            return Ok(());
        }
        let inbox = launcher.context.inbox(&turn.delivery).map_err(Interruption::Turn)?;
        let capabilities = &self.greeting.agent_capabilities;
        let servers = servers(launcher.context.servers(inbox.as_ref()), &capabilities.mcp_capabilities);
        let servers = servers.map_err(|name| {
            Interruption::turn(format!(
                "{} supports MCP servers that are programs only: it cannot use '{name}', which is a URL",
                ACP.title
            ))
        })?;
        let folder = launcher.context.folder.clone();
        let past = conversation.as_ref().filter(|past| past.begun).map(|past| past.session_id.clone());
        let opened = match past.clone() {
            None => self.call("session/new", &NewSessionRequest::new(folder).mcp_servers(servers)).await?,
            Some(id) if capabilities.session_capabilities.resume.is_some() => {
                let request = ResumeSessionRequest::new(id, folder).mcp_servers(servers);
                self.call("session/resume", &request).await?
            }
            Some(id) if capabilities.load_session => {
                let request = LoadSessionRequest::new(id, folder).mcp_servers(servers);
                self.call("session/load", &request).await?
            }
            Some(_) => {
                let text = format!("{} cannot continue an earlier session; start a new session", ACP.title);
                return Err(Interruption::turn(text));
            }
        };
        let opened = opened.map_err(|error| self.not_opened(&error, past.as_deref()))?;
        let id = match past {
            Some(id) => id,
            None => {
                let id = opened.get("sessionId").and_then(Value::as_str).unwrap_or_default();
                if !is_id(id) {
                    let text = format!("{} reported an invalid session id: '{}'", ACP.title, excerpt(id));
                    return Err(Interruption::process(text));
                }
                *conversation = Some(Conversation::new(id.to_owned()));
                id.to_owned()
            }
        };
        let offered = match &turn.delivery {
            Delivery::Tool { schema, .. } => Some(schema.clone()),
            Delivery::Text | Delivery::Native { .. } => None,
        };
        self.session = Some(OpenSession { id, model: ModelChoice::read(&opened), offered, inbox });
        Ok(())
    }

    /// Why a session could not be opened. One that is not there is never begun anew in disguise.
    fn not_opened(&self, error: &RpcError, past: Option<&str>) -> Interruption {
        if error.code == AUTH_REQUIRED {
            return Interruption::process(self.not_logged_in(error));
        }
        Interruption::process(match past {
            Some(id) => format!(
                "the conversation of this session cannot be continued: {} could not open its session '{id}': {}; \
                 start a new session",
                ACP.title, error.message
            ),
            None => format!("{} could not open a session: {}", ACP.title, error.message),
        })
    }

    fn not_logged_in(&self, error: &RpcError) -> String {
        let methods = self.greeting.auth_methods.iter().map(|method| format!("'{}'", method.id()));
        let methods = methods.collect::<Vec<_>>().join(", ");
        let remedy = match methods.as_str() {
            "" => "log in with the agent's own command".to_owned(),
            methods => {
                format!("log in with the agent's own command, or set `auth_method` to one of {methods}")
            }
        };
        format!("{} is not logged in ({}): {remedy}", ACP.title, error.message)
    }

    /// Chooses the model of the turn, where one is named.
    pub(super) async fn choose_model(&mut self, model: Option<&str>) -> Result<(), Interruption> {
        let (Some(session), Some(model)) = (&self.session, model) else { return Ok(()) };
        if session.model.current() == Some(model) {
            return Ok(());
        }
        let Some((method, params)) = session.model.request(&session.id, model) else {
            let text = format!("{} offers no choice of models; remove 'model'", ACP.title);
            return Err(Interruption::turn(text));
        };
        if let Err(error) = self.call(method, &params).await? {
            let text = format!("{} refused the model '{model}': {}", ACP.title, error.message);
            return Err(Interruption::turn(text));
        }
        if let Some(session) = &mut self.session {
            session.model.chosen(model);
        }
        Ok(())
    }

    pub(super) fn model(&self) -> String {
        let current = self.session.as_ref().and_then(|session| session.model.current());
        current.unwrap_or("default").to_owned()
    }

    /// Asks a turn and listens until it is over.
    pub(super) async fn ask(
        &mut self,
        launcher: &Launcher,
        prompt: String,
        conversation: &mut Conversation,
        heard: &mut Updates,
        events: &Events,
    ) -> Result<TurnEnd, Interruption> {
        let id = conversation.session_id.clone();
        let request = PromptRequest::new(id.clone(), vec![ContentBlock::Text(TextContent::new(prompt))]);
        let asked = self.request("session/prompt", &request).await;
        self.prompt = Some(asked);
        let most = launcher.context.max_steps;
        loop {
            match self.next().await? {
                Message::Response { id, result } if id == asked => {
                    self.prompt = None;
                    begin(conversation, events).await;
                    return self.ended(result);
                }
                Message::Notification { method, params } if method == "session/update" => {
                    let Ok(update) = serde_json::from_value::<SessionNotification>(params) else { continue };
                    if update.session_id.to_string() == id {
                        begin(conversation, events).await;
                        heard.take(update.update, events, &launcher.context.redactor).await;
                    }
                    if heard.steps() > most {
                        return Err(Interruption::Turn(TurnError::TooManySteps(most)));
                    }
                }
                Message::Request { id, method, params } if method == PERMISSION => {
                    let answer = permission(launcher, heard, params);
                    self.live.send_line(rpc::response(&id, &answer)).await.ok();
                }
                Message::Request { id, method, .. } => {
                    self.live.send_line(rpc::not_offered(&id, &method)).await.ok();
                }
                Message::Response { .. } | Message::Notification { .. } => {}
            }
        }
    }

    fn ended(&self, result: Result<Value, RpcError>) -> Result<TurnEnd, Interruption> {
        let result = match result {
            Ok(result) => result,
            Err(error) if error.code == AUTH_REQUIRED => {
                return Err(Interruption::turn(self.not_logged_in(&error)));
            }
            Err(error) => return Err(Interruption::turn(format!("{} failed: {}", ACP.title, error.message))),
        };
        let usage = usage(&result);
        let response: PromptResponse = serde_json::from_value(result).map_err(|error| {
            Interruption::process(format!("{} ended its turn with an invalid message: {error}", ACP.title))
        })?;
        Ok(TurnEnd { reason: response.stop_reason, usage })
    }

    /// What was handed in by the submit tool since the last time.
    pub(super) async fn submissions(&mut self) -> Result<Vec<String>, TurnError> {
        let inbox = self.session.as_mut().and_then(|session| session.inbox.as_mut());
        read_submissions(&ACP, inbox).await.map_err(TurnError::Failed)
    }

    /// Cancels the turn and waits for its end, so that the session is whole. What the turn used until then.
    pub(super) async fn cancel(&mut self) -> Usage {
        let (Some(session), Some(asked)) = (&self.session, self.prompt.take()) else {
            return Usage::default();
        };
        let notice = rpc::notification("session/cancel", &CancelNotification::new(session.id.clone()));
        self.live.send_line(notice).await.ok();
        while let Ok(message) = self.next().await {
            match message {
                Message::Response { id, result } if id == asked => {
                    return result.map(|result| usage(&result)).unwrap_or_default();
                }
                Message::Request { id, method, .. } => self.decline(&id, &method).await,
                Message::Response { .. } | Message::Notification { .. } => {}
            }
        }
        Usage::default()
    }

    async fn decline(&self, id: &Value, method: &str) {
        let answer = match method {
            PERMISSION => {
                rpc::response(id, &RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled))
            }
            method => rpc::not_offered(id, method),
        };
        self.live.send_line(answer).await.ok();
    }

    async fn request(&mut self, method: &str, params: &impl Serialize) -> u64 {
        self.requests += 1;
        // If it does not read any more, the reason follows on its output.
        self.live.send_line(rpc::request(self.requests, method, params)).await.ok();
        self.requests
    }

    /// Sends a request and waits for its answer; other messages are ignored.
    async fn call(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<Result<Value, RpcError>, Interruption> {
        let asked = self.request(method, params).await;
        loop {
            match self.next().await? {
                Message::Response { id, result } if id == asked => return Ok(result),
                Message::Request { id, method, .. } => self.decline(&id, &method).await,
                Message::Response { .. } | Message::Notification { .. } => {}
            }
        }
    }

    async fn next(&mut self) -> Result<Message, Interruption> {
        match next_line(&ACP, &mut self.live).await {
            Ok(text) => Message::read(&text).map_err(Interruption::process),
            Err(LineError::Wrong(why)) => Err(Interruption::process(why)),
            Err(LineError::Closed { unfinished }) => {
                let (status, stderr) = self.live.last_words(TIME_TO_EXIT).await;
                Err(Interruption::process(closed(&ACP, status, &unfinished, &stderr)))
            }
        }
    }
}

/// From the first sign of the turn on, the session can be continued.
async fn begin(conversation: &mut Conversation, events: &Events) {
    if !std::mem::replace(&mut conversation.begun, true) {
        events.tell(Event::Conversation(conversation.write())).await;
    }
}

/// The answer to a request for permission. The tool may be known better by its updates than by the request.
fn permission(launcher: &Launcher, heard: &Updates, params: Value) -> RequestPermissionResponse {
    let Ok(request) = serde_json::from_value::<RequestPermissionRequest>(params) else {
        return RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled);
    };
    let call = &request.tool_call;
    let known = heard.call(&call.tool_call_id.to_string());
    let mut tool: Tool = known.map(|(tool, _)| tool.clone()).unwrap_or_default();
    tool.update(&call.fields, call.meta.as_ref());
    let arguments = call.fields.raw_input.clone().or_else(|| known.map(|(_, arguments)| arguments.clone()));
    let decision = launcher.permissions.decide(&tool, &arguments.unwrap_or_default());
    RequestPermissionResponse::new(outcome(&request, decision))
}

/// What a turn used, where the agent says so. What was read from a cache was read.
fn usage(result: &Value) -> Usage {
    let count = |name: &str| {
        let count = result.get("usage").and_then(|usage| usage.get(name)).and_then(Value::as_u64);
        count.unwrap_or_default()
    };
    let input = ["inputTokens", "cachedReadTokens", "cachedWriteTokens"].map(count);
    Usage {
        input_tokens: input.into_iter().fold(0, u64::saturating_add),
        output_tokens: count("outputTokens"),
        cost_usd: None,
    }
}
