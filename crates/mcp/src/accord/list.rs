//! Tools that list and show, and the one that stops.

use accord_api::{AgentSummary, ErrorName, PageQuery, SessionQuery, SessionResult, SessionStatus};
use accord_client::ClientError;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Accord;
use super::arguments::{self, Agents, Name, Schemas, Session, Sessions};
use super::tool_error::ToolError;

/// Agents and schemas on a page. A model cannot choose among more at once, and tags narrow the list.
const MOST_LISTED: u32 = 100;

/// Agents that are fetched concurrently.
pub(super) const AT_ONCE: usize = 8;

/// Sessions on a page, where nothing is said.
const USUAL_SESSIONS: u32 = 50;

impl Accord {
    pub(super) async fn list_agents(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let Agents { tags, cursor } = arguments::read(given)?;
        let page = self.client.agents(&tags, &PageQuery { limit: Some(MOST_LISTED), cursor }).await?;
        let usable = page.items.into_iter().filter(|agent| agent.valid);
        let described = stream::iter(usable).map(|agent| self.described(agent)).buffered(AT_ONCE);
        let agents: Vec<Option<Value>> = described.try_collect().await?;
        let agents: Vec<Value> = agents.into_iter().flatten().collect();
        Ok(json!({"agents": agents, "next_cursor": page.next_cursor}))
    }

    /// An agent with its schemas, where it has some. None, where it was removed, or names a schema that is not registered: it
    /// cannot be started, and must not hide the others.
    pub(super) async fn described(&self, agent: AgentSummary) -> Result<Option<Value>, ClientError> {
        let blueprint = match agent.has_parameters_schema || agent.has_output_schema {
            true => match self.client.agent(&agent.name).await {
                Err(error) if error.is(ErrorName::AgentNotFound) => return Ok(None),
                found => found?.blueprint,
            },
            false => Value::Null,
        };
        let schema = |field: &str| blueprint.get(field).cloned().unwrap_or_default();
        let output = match schema("output_schema") {
            Value::Null => schema("default_output_schema"),
            own => own,
        };
        // A text is the name of a registered schema.
        let output = match output {
            Value::String(name) => match self.client.schema(&name).await {
                Err(error) if error.is(ErrorName::SchemaNotFound) => return Ok(None),
                found => found?.schema,
            },
            written => written,
        };
        Ok(Some(json!({
            "name": agent.name,
            "description": agent.description,
            "type": agent.kind,
            "tags": agent.tags,
            "parameters_schema": schema("parameters_schema"),
            "output_schema": output,
        })))
    }

    pub(super) async fn get_agent_session_status(
        &self,
        given: Map<String, Value>,
    ) -> Result<Value, ToolError> {
        let Session { session_id } = arguments::read(given)?;
        let status = self.client.session_status(&session_id).await?;
        let next = match status.status {
            SessionStatus::Pending | SessionStatus::Running | SessionStatus::Stopping => {
                "It is still running; check again later. If it takes long, call list_inputs with this session_id: a session that it started may need an answer from a person."
            }
            SessionStatus::Waiting => {
                "It waits for its child sessions; check again later. If it takes long, call list_inputs with this session_id: one of them may need an answer from a person."
            }
            SessionStatus::InputRequired => {
                "It needs an answer from a person: call list_inputs with this session_id, then answer_input."
            }
            SessionStatus::Idle | SessionStatus::Finished => {
                "Fetch its result with get_agent_session_result."
            }
            SessionStatus::Failed | SessionStatus::Stopped => {
                "It has no result: resume it with resume_agent_session, or start a new session. A procedural agent has no memory: start it again."
            }
        };
        let mut answer = json!({
            "session_id": status.session_id,
            "run_id": status.run_id,
            "status": status.status,
            "next": next,
        });
        if let Some(error) = status.error {
            super::set(&mut answer, "error", json!(error));
        }
        Ok(answer)
    }

    pub(super) async fn get_agent_session_result(
        &self,
        given: Map<String, Value>,
    ) -> Result<Value, ToolError> {
        let Session { session_id } = arguments::read(given)?;
        let SessionResult { session_id, run_id, result_text, result_data, schema_validation, .. } =
            self.client.session_result(&session_id).await?;
        let mut answer = json!({
            "session_id": session_id,
            "run_id": run_id,
            "result_text": result_text,
            "result_data": document(result_data.as_deref()),
        });
        if let Some(validation) = schema_validation {
            super::set(&mut answer, "schema_validation", json!(validation));
        }
        Ok(answer)
    }

    pub(super) async fn stop_agent_session(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let Session { session_id } = arguments::read(given)?;
        let session = self.client.stop_session(&session_id).await?;
        Ok(json!({"session_id": session.session_id, "status": session.status}))
    }

    pub(super) async fn list_agent_sessions(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let Sessions { status, agent_name, limit, cursor } = arguments::read(given)?;
        let limit = Some(limit.unwrap_or(USUAL_SESSIONS));
        let parent_session_id = self.parent.clone();
        let which =
            SessionQuery { status, agent_name, parent_session_id, limit, cursor, ..SessionQuery::default() };
        let page = self.client.sessions(&which).await?;
        let sessions: Vec<Value> = page
            .items
            .into_iter()
            .map(|session| {
                json!({
                    "session_id": session.session_id,
                    "agent_name": session.agent_name,
                    "status": session.status,
                    "parent_session_id": session.parent_session_id,
                    "created_at": session.created_at,
                    "updated_at": session.updated_at,
                })
            })
            .collect();
        Ok(json!({"sessions": sessions, "next_cursor": page.next_cursor}))
    }

    pub(super) async fn list_schemas(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let Schemas { cursor } = arguments::read(given)?;
        let page = self.client.schemas(&PageQuery { limit: Some(MOST_LISTED), cursor }).await?;
        let schemas: Vec<Value> = page
            .items
            .into_iter()
            .map(
                |schema| json!({"name": schema.name, "description": schema.description, "hash": schema.hash}),
            )
            .collect();
        Ok(json!({"schemas": schemas, "next_cursor": page.next_cursor}))
    }

    pub(super) async fn get_schema(&self, given: Map<String, Value>) -> Result<Value, ToolError> {
        let Name { name } = arguments::read(given)?;
        let schema = self.client.schema(&name).await?;
        Ok(json!({
            "name": schema.name,
            "description": schema.description,
            "schema": schema.schema,
            "hash": schema.hash,
        }))
    }
}

/// A document as a value. The coordinator has read it before; numbers stay as they are written.
pub(super) fn document(raw: Option<&RawValue>) -> Value {
    raw.and_then(|raw| accord_api::read_kept(raw.get()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use accord_client::Client;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    use tokio::net::TcpListener;

    use super::*;

    /// What the coordinator gives, by the address that it is asked for.
    fn given(target: &str) -> Value {
        let agent = |name: &str| {
            json!({
                "name": name, "description": "", "type": "autonomous", "executor_type": "llm", "model": null,
                "tags": [], "source": "file", "valid": name != "broken", "has_parameters_schema": false,
                "has_output_schema": true, "problems": [],
            })
        };
        let name = target.rsplit('/').next().unwrap_or_default();
        let schema = json!({
            "name": "severity", "description": "", "schema": {"type": "integer"}, "hash": "h",
            "created_at": "2026-01-01T00:00:00Z", "modified_at": "2026-01-01T00:00:00Z",
        });
        match target.split_once("/agents?") {
            Some((_, query)) if query.contains("cursor=two") => {
                json!({"items": [agent("b")], "next_cursor": null})
            }
            Some(_) => json!({"items": [agent("a"), agent("broken"), agent("lost")], "next_cursor": "two"}),
            None if target.contains("/agents/") => {
                let blueprint = match name {
                    "a" => json!({"output_schema": "severity"}),
                    "lost" => json!({"output_schema": "gone"}),
                    _ => json!({"default_output_schema": {"type": "string"}}),
                };
                json!({"summary": agent(name), "blueprint": blueprint, "hash": "h", "created_at": null, "modified_at": null})
            }
            None if name == "gone" => json!({
                "error": "SchemaNotFound", "message": "schema 'gone' not found", "status_code": 404,
            }),
            None if target.contains("/schemas?") => json!({"items": [schema], "next_cursor": "two"}),
            None => schema,
        }
    }

    /// Tools of a coordinator that gives this.
    async fn accord() -> Accord {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream = BufReader::new(stream);
                let mut request = String::new();
                while !request.ends_with("\r\n\r\n") {
                    stream.read_line(&mut request).await.unwrap();
                }
                let body = given(request.split(' ').nth(1).unwrap());
                let status = if body.get("error").is_some() { "404 Not Found" } else { "200 OK" };
                let body = body.to_string();
                let head =
                    format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close");
                let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Accord::new(Client::new(&url, None).unwrap(), None)
    }

    fn at(cursor: Option<&str>) -> Map<String, Value> {
        Map::from_iter([("cursor".to_owned(), json!(cursor))])
    }

    #[tokio::test]
    async fn agents_are_listed_page_by_page_with_the_schemas_that_they_name() {
        let accord = accord().await;
        let agent = |name: &str, schema: Value| {
            json!({
                "name": name, "description": "", "type": "autonomous", "tags": [], "parameters_schema": null,
                "output_schema": schema,
            })
        };
        let first = accord.list_agents(at(None)).await.unwrap();
        let named = agent("a", json!({"type": "integer"}));
        assert_eq!(first, json!({"agents": [named], "next_cursor": "two"}));
        let second = accord.list_agents(at(Some("two"))).await.unwrap();
        let written = agent("b", json!({"type": "string"}));
        assert_eq!(second, json!({"agents": [written], "next_cursor": null}));
        let schemas = accord.list_schemas(at(None)).await.unwrap();
        let severity = json!({"name": "severity", "description": "", "hash": "h"});
        assert_eq!(schemas, json!({"schemas": [severity], "next_cursor": "two"}));
    }
}
