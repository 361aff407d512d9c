//! `session/load`: the editor reopens a conversation and gets its history as session updates.

use std::sync::Arc;

use accord_api::{EventBody, PageQuery, RunId, RunStatus, RunView, SessionId};
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    LoadSessionRequest, LoadSessionResponse, SessionNotification, SessionUpdate,
};
use agent_client_protocol::{Client as Editor, Error};
use serde_json::Value;

use super::prompt::{failed, own_parameters, refused, result};
use super::server::Server;
use super::updates::{Updates, asks, says, thinks};
use crate::view::event;

/// As many events as the coordinator gives at once.
const PAGE: u32 = 500;

/// JSON-RPC: the request is at fault.
const INVALID_PARAMS: i32 = -32602;

pub(super) async fn load(
    server: Arc<Server>,
    request: LoadSessionRequest,
    editor: ConnectionTo<Editor>,
) -> Result<LoadSessionResponse, Error> {
    let id = request.session_id.to_string();
    let sessions = server.record.read(&id).map_err(|error| {
        Error::new(-32603, format!("the record of session '{id}' cannot be read: {error}"))
    })?;
    let unknown =
        || Error::new(INVALID_PARAMS, format!("unknown session '{id}'; create one with session/new"));
    let sessions = sessions.ok_or_else(unknown)?;
    for session in &sessions {
        belongs_to_agent(&server, session).await?;
    }
    let tell = |update: SessionUpdate| {
        editor.send_notification(SessionNotification::new(request.session_id.clone(), update))
    };
    for session in &sessions {
        replay(&server, session, tell).await?;
    }
    // With parameters each message is a session of its own.
    let resumed = sessions.last().filter(|_| own_parameters(&server.agent.blueprint).is_none());
    server.reopen(&id, resumed.cloned())?;
    Ok(LoadSessionResponse::new())
}

async fn belongs_to_agent(server: &Server, session: &SessionId) -> Result<(), Error> {
    let found = server.client.session(session).await.map_err(|error| refused(&error))?;
    let name = &server.agent.summary.name;
    if found.agent_name == *name {
        return Ok(());
    }
    let text = format!("this is a session with agent '{}', expected '{name}'", found.agent_name);
    Err(Error::new(INVALID_PARAMS, text))
}

/// Sends the history of a session: the prompt, the updates and the result of each run.
async fn replay(
    server: &Server,
    session: &SessionId,
    tell: impl Fn(SessionUpdate) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut page = PageQuery { limit: Some(PAGE), cursor: None };
    let mut told: Option<RunId> = None;
    let mut updates = Updates::default();
    loop {
        let events = server.client.session_events(session, &page).await.map_err(|error| refused(&error))?;
        for each in events.items {
            let Some(id) = each.run_id else { continue };
            if told.as_ref() != Some(&id) && matches!(each.body, EventBody::RunQueued { .. }) {
                let run = server.client.run(&id).await.map_err(|error| refused(&error))?;
                tell(asks(prompt(&run)))?;
                told = Some(id.clone());
            }
            updates.of(&each.body).into_iter().try_for_each(&tell)?;
            if event::ends(&each.body) {
                let run = server.client.run(&id).await.map_err(|error| refused(&error))?;
                tell(end(&run))?;
            }
        }
        match events.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => return Ok(()),
        }
    }
}

/// What the editor sent: the prompt, or the parameters.
fn prompt(run: &RunView) -> String {
    let parameters = run.parameters.as_ref().map(|parameters| parameters.get()).unwrap_or_default();
    let parsed = serde_json::from_str::<Value>(parameters).unwrap_or_default();
    match parsed.get("prompt").and_then(Value::as_str) {
        Some(prompt) => prompt.to_owned(),
        None => parameters.to_owned(),
    }
}

/// The result. A failure was the error response to its prompt; in the history it is shown as a thought.
fn end(run: &RunView) -> SessionUpdate {
    match run.status {
        RunStatus::Completed => says(result(run)),
        RunStatus::Stopped => thinks("Stopped\n".to_owned()),
        _ => thinks(format!("Failed: {}\n", failed(run).message)),
    }
}
