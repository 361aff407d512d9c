//! The side of the agent: sessions of an editor, and what each of them is in Accord.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_api::{AgentView, SessionId};
use accord_client::Client;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, Implementation, InitializeRequest, InitializeResponse,
    LoadSessionRequest, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
};
use agent_client_protocol::{Agent, Error, on_receive_notification, on_receive_request};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use super::record::Record;
use super::transport::lines;
use super::{history, prompt};
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::runtime;

/// What prompts share.
pub(super) struct Server {
    pub(super) client: Client,
    pub(super) agent: AgentView,
    pub(super) record: Record,
    /// Tells the sessions of this process from those of others.
    started: String,
    sessions: Mutex<HashMap<String, Conversation>>,
}

/// A session of the editor.
#[derive(Default)]
struct Conversation {
    /// The session in Accord, from the first run on.
    session: Option<SessionId>,
    /// Stops the run of the current prompt.
    prompt: Option<CancellationToken>,
}

impl Server {
    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Conversation>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> String {
        let mut sessions = self.sessions();
        let id = format!("acp-{}-{}", self.started, sessions.len() + 1);
        sessions.insert(id.clone(), Conversation::default());
        id
    }

    /// Takes a session for a prompt: what it is in Accord, and what stops the run.
    pub(super) fn take(&self, id: &str) -> Result<(Option<SessionId>, CancellationToken), Error> {
        let mut sessions = self.sessions();
        let unknown = || Error::new(-32602, format!("unknown session '{id}'; create one with session/new"));
        let conversation = sessions.get_mut(id).ok_or_else(unknown)?;
        if conversation.prompt.is_some() {
            return Err(unanswered());
        }
        let stop = CancellationToken::new();
        conversation.prompt = Some(stop.clone());
        Ok((conversation.session.clone(), stop))
    }

    /// Opens a session of before, which may be open already.
    pub(super) fn reopen(&self, id: &str, session: Option<SessionId>) -> Result<(), Error> {
        let mut sessions = self.sessions();
        let conversation = sessions.entry(id.to_owned()).or_default();
        if conversation.prompt.is_some() {
            return Err(unanswered());
        }
        conversation.session = session;
        Ok(())
    }

    /// The prompt is answered.
    pub(super) fn release(&self, id: &str, session: Option<SessionId>) {
        if let Some(conversation) = self.sessions().get_mut(id) {
            conversation.prompt = None;
            conversation.session = session;
        }
    }

    fn cancel(&self, id: &str) {
        if let Some(stop) = self.sessions().get(id).and_then(|conversation| conversation.prompt.as_ref()) {
            stop.cancel();
        }
    }

    fn greeting(&self) -> InitializeResponse {
        let title = format!("Accord: {}", self.agent.summary.name);
        let prompts = PromptCapabilities::new().embedded_context(true);
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(AgentCapabilities::new().load_session(true).prompt_capabilities(prompts))
            .agent_info(Implementation::new("accord", env!("CARGO_PKG_VERSION")).title(title))
    }
}

fn unanswered() -> Error {
    Error::new(-32600, "the last prompt of this session is not answered yet")
}

/// Serves until the editor disconnects.
pub(super) async fn serve(client: Client, agent: AgentView, record: Record) -> Result<Exit, Failure> {
    let started = format!("{}-{}", Timestamp::now().as_millisecond(), std::process::id());
    let server = Arc::new(Server { client, agent, record, started, sessions: Mutex::default() });
    let (input, output) = runtime::streams()?;
    let (greeting, beginning, loading, prompting, cancelling) =
        (Arc::clone(&server), Arc::clone(&server), Arc::clone(&server), Arc::clone(&server), server);
    let connection = Agent
        .v1()
        .name("accord")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _| responder.respond(greeting.greeting()),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: NewSessionRequest, responder, _| {
                responder.respond(NewSessionResponse::new(beginning.begin()))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, editor| {
                let task = history::load(Arc::clone(&loading), request, editor.clone());
                editor.spawn(async move { responder.respond_with_result(task.await) })
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, editor| {
                // Beside the loop that reads: a cancellation is to be heard meanwhile.
                let server = Arc::clone(&prompting);
                let task = prompt::answer(server, request, editor.clone());
                editor.spawn(async move { responder.respond_with_result(task.await) })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |notice: CancelNotification, _| {
                cancelling.cancel(&notice.session_id.to_string());
                Ok(())
            },
            on_receive_notification!(),
        )
        .connect_to(lines(input, output));
    let failed =
        |error: Error| Problem::new(format!("the connection to the editor failed: {}", error.message));
    connection.await.map_err(|error| Failure::Remote(failed(error)))?;
    Ok(Exit::Success)
}
