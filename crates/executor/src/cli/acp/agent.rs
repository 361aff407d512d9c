//! The process of a session: one agent, one session, as many turns as are asked.

use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, InitializeResponse, PromptRequest, PromptResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SessionNotification,
    SessionUpdate, StopReason, TextContent,
};
use serde::Serialize;
use serde_json::Value;

use crate::answer::Usage;
use crate::child::Live;
use crate::event::{Event, Events};
use crate::session::TurnError;
use crate::turn::Delivery;

use super::super::rpc::{Message, RpcError};
use super::super::{ACP, LineError, Permission, SubmissionInbox, closed, next_line, read_submissions};
use super::Launcher;
use super::conversation::Conversation;
use super::model::ModelChoice;
use super::permissions::outcome;
use super::rpc::{self, AUTH_REQUIRED};
use super::tool::Tool;
use super::updates::Updates;

/// How long it may take to exit once it has closed its stdout.
const TIME_TO_EXIT: Duration = Duration::from_secs(2);

const PERMISSION: &str = "session/request_permission";

/// A process that has greeted.
pub(super) struct Agent {
    pub(super) live: Live,
    pub(super) greeting: InitializeResponse,
    pub(super) session: Option<OpenSession>,
    requests: u64,
    /// The prompt that is under way.
    prompt: Option<u64>,
}

/// The session that the process has open.
pub(super) struct OpenSession {
    pub(super) id: String,
    pub(super) model: ModelChoice,
    /// The submit tool that it was opened with: another one means another process.
    pub(super) offered: Option<Value>,
    pub(super) inbox: Option<SubmissionInbox>,
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
    pub(super) fn process(text: impl Into<String>) -> Self {
        Self::Process(TurnError::Failed(text.into()))
    }

    pub(super) fn turn(text: impl Into<String>) -> Self {
        Self::Turn(TurnError::Failed(text.into()))
    }
}

impl Agent {
    pub(super) fn new(live: Live) -> Self {
        let greeting = InitializeResponse::new(ProtocolVersion::V1);
        Self { live, greeting, session: None, requests: 0, prompt: None }
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
        updates: &mut Updates,
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
                        if is_of_model(&update.update) {
                            begin(conversation, events).await;
                        }
                        updates.take(update.update, events, &launcher.context.redactor).await;
                    }
                    if updates.steps() > most {
                        return Err(Interruption::Turn(TurnError::TooManySteps(most)));
                    }
                }
                Message::Request { id, method, params } if method == PERMISSION => {
                    let answer = permission(launcher, updates, params).await?;
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
    pub(super) async fn call(
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
            Ok(text) => Message::read(&ACP, &text).map_err(Interruption::process),
            Err(LineError::Wrong(why)) => Err(Interruption::process(why)),
            Err(LineError::Closed { unfinished }) => {
                let (status, stderr) = self.live.last_words(TIME_TO_EXIT).await;
                Err(Interruption::process(closed(&ACP, status, &unfinished, &stderr)))
            }
        }
    }
}

/// Whether an update shows that the model is at work. Agents tell of commands and modes as soon as a session is open, when
/// they have not saved it yet.
fn is_of_model(update: &SessionUpdate) -> bool {
    matches!(
        update,
        SessionUpdate::AgentMessageChunk(_)
            | SessionUpdate::AgentThoughtChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
            | SessionUpdate::Plan(_)
    )
}

/// From the first sign of the model on, the session can be continued.
async fn begin(conversation: &mut Conversation, events: &Events) {
    if !std::mem::replace(&mut conversation.begun, true) {
        events.tell(Event::Conversation(conversation.write())).await;
    }
}

/// The answer to a request for permission. The tool may be known better by its updates than by the request. One that a person
/// has to decide ends the turn.
async fn permission(
    launcher: &Launcher,
    updates: &Updates,
    params: Value,
) -> Result<RequestPermissionResponse, Interruption> {
    let Ok(request) = serde_json::from_value::<RequestPermissionRequest>(params) else {
        return Ok(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled));
    };
    let call = &request.tool_call;
    let id = call.tool_call_id.to_string();
    let known = updates.call(&id);
    let mut tool: Tool = known.map(|(tool, _)| tool.clone()).unwrap_or_default();
    tool.update(&call.fields, call.meta.as_ref());
    let requested = call.fields.raw_input.as_ref().map(tool_arguments);
    let arguments = requested.or(known.map(|(_, arguments)| arguments)).cloned();
    let asked = launcher.permissions.request(id, &tool, arguments.unwrap_or_default());
    match launcher.context.desk.decide(asked).await {
        Permission::Asked => Err(Interruption::Turn(TurnError::InputRequired)),
        permission => {
            Ok(RequestPermissionResponse::new(outcome(&request, permission == Permission::Allowed)))
        }
    }
}

/// The arguments of the tool in a request for permission. Codex wraps those of MCP tools in a request of its own.
fn tool_arguments(raw_input: &Value) -> &Value {
    raw_input.pointer("/request/_meta/tool_params").unwrap_or(raw_input)
}

/// What a turn used, where the agent says so: in the field that is to be part of the protocol, or where Gemini CLI puts it.
/// What was read from a cache was read.
fn usage(result: &Value) -> Usage {
    let count = |place: &str| result.pointer(place).and_then(Value::as_u64).unwrap_or_default();
    let sum = |places: &[&str]| places.iter().map(|place| count(place)).fold(0, u64::saturating_add);
    let input = ["/usage/inputTokens", "/usage/cachedReadTokens", "/usage/cachedWriteTokens"];
    let counted = |input_tokens, output_tokens| Usage { input_tokens, output_tokens, cost_usd: None };
    match result.get("usage") {
        Some(_) => counted(sum(&input), count("/usage/outputTokens")),
        None => counted(
            count("/_meta/quota/token_count/input_tokens"),
            count("/_meta/quota/token_count/output_tokens"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_unwrapped() {
        let plain = json!({"amount": 5});
        assert_eq!(tool_arguments(&plain), &plain);
        let wrapped = json!({"turn_id": "t", "request": {"_meta": {"tool_params": {"amount": 5}}}});
        assert_eq!(tool_arguments(&wrapped), &plain);
    }
}
