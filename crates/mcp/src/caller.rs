//! The client of a call: what it hears meanwhile, and whether its user can be asked.

use std::sync::atomic::{AtomicU32, Ordering};

use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, ProgressNotificationParam, ProgressToken, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleServer};
use serde_json::{Map, Value};

/// A question for the user of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What the reply is matched by. A key is used for one question only.
    pub key: String,
    pub message: String,
    form: ElicitationSchema,
}

impl Question {
    /// A question whose reply has this form: a flat object of primitive values. `None` if the form is another one, which
    /// the protocol does not know.
    pub fn new(key: String, message: String, form: &Value) -> Option<Self> {
        // Read from text, because numbers that are read from a value are not.
        let form = serde_json::from_str(&form.to_string()).ok()?;
        Some(Self { key, message, form })
    }

    pub(crate) fn request(self) -> ElicitRequest {
        ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message,
            requested_schema: self.form,
        })
    }
}

/// What the user of a client replied.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Accept(Map<String, Value>),
    Decline,
    /// Neither: the user closed the form.
    Cancel,
}

impl From<ElicitResult> for Reply {
    fn from(result: ElicitResult) -> Self {
        match (result.action, result.content) {
            (ElicitationAction::Accept, Some(Value::Object(content))) => Self::Accept(content),
            (ElicitationAction::Accept, None) => Self::Accept(Map::new()),
            (ElicitationAction::Decline, _) => Self::Decline,
            _ => Self::Cancel,
        }
    }
}

/// How the user of a client is asked.
#[derive(Debug)]
pub(crate) enum Asking {
    /// Not at all.
    Impossible,
    /// By a request to the client during the call: up to version 2025-11-25.
    DuringCall(Peer<RoleServer>),
    /// By the result of the call, which is then made again: from version 2026-07-28 on.
    InResult,
}

/// Who calls a tool.
#[derive(Debug)]
pub struct Caller {
    pub(crate) progress: Progress,
    pub(crate) asking: Asking,
    /// The state that an earlier result gave out, if this call follows it.
    pub(crate) state: Option<String>,
    pub(crate) replies: Vec<(String, Reply)>,
    pub(crate) takes_tasks: bool,
    /// Which call it is, if the client says so: it is made once, however often it is sent.
    pub(crate) key: Option<String>,
}

impl Caller {
    /// The idempotency key of what the call makes. A call without a key of its own is made each time that it is sent.
    pub(crate) fn key(&self) -> String {
        self.key.clone().unwrap_or_else(|| uuid::Uuid::now_v7().to_string())
    }

    /// Tells what is going on.
    pub async fn tell(&self, message: &str) {
        self.progress.tell(message).await;
    }

    /// Asks the user during the call, until the question is withdrawn. `None` if the client cannot be asked so, or failed to.
    pub(crate) async fn ask(&self, question: Question, withdrawn: impl Future<Output = ()>) -> Option<Reply> {
        let Asking::DuringCall(client) = &self.asking else { return None };
        let request = ServerRequest::ElicitRequest(question.request());
        let handle = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok()?;
        let (id, client) = (handle.id.clone(), handle.peer.clone());
        tokio::select! {
            response = handle.await_response() => match response {
                Ok(ClientResult::ElicitResult(result)) => Some(result.into()),
                _ => None,
            },
            () = withdrawn => {
                let reason = Some("it was answered elsewhere".to_owned());
                client.notify_cancelled(CancelledNotificationParam::new(Some(id), reason)).await.ok();
                Some(Reply::Cancel)
            }
        }
    }
}

/// Progress notifications of a long call, if the client asked for them.
#[derive(Debug)]
pub(crate) struct Progress {
    client: Option<(Peer<RoleServer>, ProgressToken)>,
    steps: AtomicU32,
}

impl Progress {
    pub(crate) fn new(client: Option<(Peer<RoleServer>, ProgressToken)>) -> Self {
        Self { client, steps: AtomicU32::new(0) }
    }

    async fn tell(&self, message: &str) {
        let Some((client, token)) = &self.client else { return };
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        let progress = ProgressNotificationParam::new(token.clone(), step.into()).with_message(message);
        // A client that went away needs no progress.
        client.notify_progress(progress).await.ok();
    }
}
