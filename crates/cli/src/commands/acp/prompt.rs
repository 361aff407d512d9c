//! A prompt of the editor is a run: started, followed, and answered with its judged result or its failure.

use std::sync::Arc;

use accord_api::{AgentView, CreateRun, EventId, RunId, RunKind, RunStatus, RunView, SessionId};
use accord_client::{ClientError, EventFilter};
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, EmbeddedResourceResource, PromptRequest, PromptResponse, SessionNotification,
    SessionUpdate, StopReason,
};
use agent_client_protocol::{Client as Editor, Error};
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::inputs::Desk;
use super::server::Server;
use super::updates::{Updates, says};
use crate::follow::gone;
use crate::view::event;

/// JSON-RPC: the request is at fault.
const INVALID_PARAMS: i32 = -32602;

/// JSON-RPC: the work failed.
const INTERNAL_ERROR: i32 = -32603;

pub(super) async fn answer(
    server: Arc<Server>,
    request: PromptRequest,
    editor: ConnectionTo<Editor>,
) -> Result<PromptResponse, Error> {
    let id = request.session_id.to_string();
    let (session, stop) = server.take(&id)?;
    let mut session = session;
    let tell = |update: SessionUpdate| {
        editor.send_notification(SessionNotification::new(request.session_id.clone(), update))
    };
    let desk = Desk { client: &server.client, editor: &editor, session: &id };
    let answered = run(&server, &desk, &request.prompt, &mut session, &stop, tell).await;
    server.release(&id, session);
    answered
}

async fn run(
    server: &Server,
    desk: &Desk<'_>,
    prompt: &[ContentBlock],
    session: &mut Option<SessionId>,
    stop: &CancellationToken,
    tell: impl Fn(SessionUpdate) -> Result<(), Error>,
) -> Result<PromptResponse, Error> {
    let request = create(&server.agent, text(prompt)?, session.clone())?;
    let created = server.client.create_run(&request, None).await.map_err(|error| refused(&error))?;
    if let Err(error) = server.record.add(desk.session, &created.session_id) {
        tracing::warn!(%error, session = desk.session, "the editor cannot reopen this session: it was not recorded");
    }
    // An editor that is gone is noticed by the code that follows the run.
    let people = desk.attend(&created.session_id, |update| drop(tell(update)));
    let run = tokio::select! {
        run = follow(server, &created.run_id, stop, &tell) => run?,
        never = people => match never {},
    };
    if request.parameters.is_none() {
        *session = Some(created.session_id);
    }
    match run.status {
        RunStatus::Completed => {
            tell(says(result(&run)))?;
            Ok(PromptResponse::new(StopReason::EndTurn))
        }
        RunStatus::Stopped => Ok(PromptResponse::new(StopReason::Cancelled)),
        _ => Err(failed(&run)),
    }
}

/// Sends every event of a run to the editor until the run has finished. Stops the run if the editor
/// cancels.
async fn follow(
    server: &Server,
    run: &RunId,
    stop: &CancellationToken,
    tell: impl Fn(SessionUpdate) -> Result<(), Error>,
) -> Result<RunView, Error> {
    let client = &server.client;
    let filter = EventFilter { run_id: Some(run.clone()), ..EventFilter::default() };
    let mut events = client.events(&filter, Some(EventId::default()));
    let mut gone = std::pin::pin!(gone(client));
    let mut updates = Updates::default();
    let mut is_stopping = false;
    loop {
        tokio::select! {
            item = events.next() => match item {
                Some(Ok(event)) => {
                    updates.of(&event.body).into_iter().try_for_each(&tell)?;
                    if event::ends(&event.body) { break }
                }
                // An event of a newer coordinator: what matters comes at the end.
                Some(Err(ClientError::Unreadable { .. })) => {}
                Some(Err(error)) => return Err(refused(&error)),
                None => break,
            },
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                client.stop_run(run).await.map_err(|error| refused(&error))?;
            }
            cause = &mut gone => return Err(Error::new(INTERNAL_ERROR, format!("{run} has not finished, but {cause}"))),
        }
    }
    client.run(run).await.map_err(|error| refused(&error))
}

/// The run of a prompt. An agent with an input schema gets its parameters as a JSON object, each
/// time in a new session.
fn create(agent: &AgentView, prompt: String, session: Option<SessionId>) -> Result<CreateRun, Error> {
    let name = &agent.summary.name;
    if let Some(parameters) = own_parameters(&agent.blueprint) {
        let parsed = serde_json::from_str::<Value>(&prompt).ok().filter(Value::is_object);
        let Some(parsed) = parsed else {
            let text = format!(
                "expected the parameters of agent '{name}' as a JSON object with {parameters}, got text"
            );
            return Err(Error::new(INVALID_PARAMS, text));
        };
        return Ok(CreateRun {
            agent_name: Some(name.clone()),
            parameters: Some(parsed),
            ..CreateRun::default()
        });
    }
    Ok(match session {
        Some(session) => CreateRun {
            kind: Some(RunKind::ResumeSession),
            session_id: Some(session),
            prompt: Some(prompt),
            ..CreateRun::default()
        },
        None => CreateRun { agent_name: Some(name.clone()), prompt: Some(prompt), ..CreateRun::default() },
    })
}

/// The names of an agent's parameters, where a prompt is not among them.
pub(super) fn own_parameters(blueprint: &Value) -> Option<String> {
    let properties = blueprint.pointer("/parameters_schema/properties")?.as_object()?;
    let names = || properties.keys().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    (!properties.contains_key("prompt")).then(names)
}

/// The text of a prompt, with the files that the editor put in.
fn text(prompt: &[ContentBlock]) -> Result<String, Error> {
    let part = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => Ok(text.text.clone()),
        ContentBlock::ResourceLink(link) => Ok(format!("[{}]({})", link.name, link.uri)),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(file) => {
                Ok(format!("\n<file uri=\"{}\">\n{}\n</file>\n", file.uri, file.text))
            }
            _ => Err(unsupported("binary files")),
        },
        ContentBlock::Image(_) => Err(unsupported("images")),
        ContentBlock::Audio(_) => Err(unsupported("audio")),
        _ => Err(unsupported("this kind of content")),
    };
    let parts = prompt.iter().map(part).collect::<Result<Vec<_>, Error>>()?;
    Ok(parts.concat())
}

fn unsupported(what: &str) -> Error {
    Error::new(INVALID_PARAMS, format!("prompts with {what} are not supported; expected text"))
}

/// The judged result: a value as JSON in a code block, text as it is.
pub(super) fn result(run: &RunView) -> String {
    let Some(result) = &run.result else { return String::new() };
    match &result.result_data {
        Some(data) => {
            let value = serde_json::from_str::<Value>(data.get());
            let pretty = value.and_then(|value| serde_json::to_string_pretty(&value));
            format!("```json\n{}\n```", pretty.unwrap_or_else(|_| data.get().to_owned()))
        }
        None => result.result_text.clone().unwrap_or_default(),
    }
}

pub(super) fn failed(run: &RunView) -> Error {
    let Some(error) = &run.error else {
        return Error::new(INTERNAL_ERROR, format!("the run is {}", run.status));
    };
    let lines = std::iter::once(&error.message).chain(&error.validation_errors);
    let message = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
    let data = serde_json::json!({"type": error.kind.as_str(), "run_id": run.run_id});
    Error::new(INTERNAL_ERROR, message).data(data)
}

pub(super) fn refused(error: &ClientError) -> Error {
    let code = match error {
        ClientError::Api(body) if body.status_code < 500 => INVALID_PARAMS,
        _ => INTERNAL_ERROR,
    };
    Error::new(code, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_become_part_of_the_text() {
        let blocks = json!([
            {"type": "text", "text": "Read "},
            {"type": "resource_link", "name": "a.txt", "uri": "file:///a.txt"},
            {"type": "resource", "resource": {"uri": "file:///b.txt", "text": "bee"}},
        ]);
        let blocks: Vec<ContentBlock> = serde_json::from_value(blocks).unwrap();
        let expected = "Read [a.txt](file:///a.txt)\n<file uri=\"file:///b.txt\">\nbee\n</file>\n";
        assert_eq!(text(&blocks).unwrap(), expected);
        let image = json!([{"type": "image", "data": "", "mimeType": "image/png"}]);
        let image: Vec<ContentBlock> = serde_json::from_value(image).unwrap();
        assert_eq!(text(&image).unwrap_err().message, "prompts with images are not supported; expected text");
    }

    #[test]
    fn agents_without_a_prompt_name_their_parameters() {
        let schema = json!({"parameters_schema": {"properties": {"text": {}, "count": {}}}});
        assert_eq!(own_parameters(&schema).as_deref(), Some("'text', 'count'"));
        assert_eq!(own_parameters(&json!({"parameters_schema": {"properties": {"prompt": {}}}})), None);
        assert_eq!(own_parameters(&json!({})), None);
    }
}
