//! `/agents`.

use std::sync::Arc;

use accord_api::{AgentContract, AgentSummary, AgentView, ErrorBody, Page, ValidateAgentAnswer};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;

use super::documents::{Create, Named};
use super::extract::{JsonBody, MaybeJson, Query};
use super::routes::{CHANGES_NOTHING, Route, Scope, route};
use super::{body, conditions};
use crate::app::App;
use crate::error::Error;
use crate::outstanding::Turn;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read).for_runs(Scope::Free),
        route!(create, Administer).audited_as("agent.created", "/summary/name"),
        route!(validate, Read).not_audited(CHANGES_NOTHING),
        route!(show, Read).for_runs(Scope::Free),
        route!(replace, Administer).audited_put("agent.updated", "agent.created"),
        route!(change, Administer).audited("agent.updated"),
        route!(remove, Administer).audited("agent.deleted"),
        route!(contract, Read).for_runs(Scope::Free),
        route!(validate_known, Read).not_audited(CHANGES_NOTHING),
    ]
}

/// Which agents to list.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct AgentQuery {
    /// Filter by tags, separated by commas: agents with all of them.
    tags: Option<String>,
    /// Page size; all agents if omitted.
    limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Lists all agents, including invalid ones.
#[utoipa::path(
    get,
    path = "/agents",
    operation_id = "listAgents",
    tag = "agents",
    params(AgentQuery),
    responses(
        (status = 200, description = "The agents by name, on one page", body = Page<AgentSummary>),
    )
)]
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<AgentQuery>,
) -> Result<Json<Page<AgentSummary>>, Error> {
    let tags = query.tags.unwrap_or_default();
    let tags: Vec<String> =
        tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
    Ok(Json(app.blueprints.agents_page(&tags, query.limit, query.cursor.as_deref()).await?))
}

/// Creates an agent in the database.
#[utoipa::path(
    post,
    path = "/agents",
    operation_id = "createAgent",
    tag = "agents",
    params(("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the first response")),
    request_body = accord_api::Blueprint,
    responses(
        (status = 201, description = "The agent", body = AgentView),
        (status = 400, description = "InvalidRequest, InvalidAgent, InvalidSchema", body = ErrorBody),
        (status = 409, description = "AgentExists, IdempotencyConflict", body = ErrorBody),
    )
)]
pub(super) async fn create(Create { app, body, promise }: Create<Value>) -> Result<Response, Error> {
    conditions::made(app.blueprints.create_agent(body, promise).await?, |agent| &agent.hash)
}

/// Returns an agent.
#[utoipa::path(
    get,
    path = "/agents/{name}",
    operation_id = "getAgent",
    tag = "agents",
    params(
        ("name" = String, Path, description = "Agent name"),
        ("If-None-Match" = Option<String>, Header, description = "Respond only if the ETag differs"),
    ),
    responses(
        (status = 200, description = "The agent, with its hash as the ETag", body = AgentView),
        (status = 304, description = "Not modified"),
        (status = 404, description = "AgentNotFound", body = ErrorBody),
    )
)]
pub(super) async fn show(Named { app, name, headers }: Named, _turn: Turn) -> Result<Response, Error> {
    let agent = app.blueprints.agent(&name).await?;
    conditions::shown(&headers, &agent.hash, &agent)
}

/// Replaces an agent, or creates it. For a file agent the file is written.
#[utoipa::path(
    put,
    path = "/agents/{name}",
    operation_id = "putAgent",
    tag = "agents",
    params(
        ("name" = String, Path, description = "Agent name, the same as in the blueprint"),
        ("If-Match" = Option<String>, Header, description = "Change only if the agent has this ETag"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: create only if it does not exist"),
    ),
    request_body = accord_api::Blueprint,
    responses(
        (status = 200, description = "The updated agent", body = AgentView),
        (status = 201, description = "The created agent", body = AgentView),
        (status = 400, description = "InvalidRequest, InvalidAgent, InvalidSchema", body = ErrorBody),
        (status = 409, description = "AgentReadOnly", body = ErrorBody),
        (status = 412, description = "PreconditionFailed", body = ErrorBody),
    )
)]
pub(super) async fn replace(named: Named, JsonBody(bytes): JsonBody) -> Result<Response, Error> {
    let (expected, value) = (named.expected()?, body::read(&bytes)?);
    let made = named.app.blueprints.put_agent(&named.name, value, &expected).await?;
    conditions::made(made, |agent| &agent.hash)
}

/// Updates an agent with a JSON merge patch (RFC 7396).
#[utoipa::path(
    patch,
    path = "/agents/{name}",
    operation_id = "patchAgent",
    tag = "agents",
    params(
        ("name" = String, Path, description = "Agent name"),
        ("If-Match" = Option<String>, Header, description = "Change only if the agent has this ETag"),
    ),
    request_body(content = Object, description = "Fields to set, and null for fields to remove"),
    responses(
        (status = 200, description = "The updated agent", body = AgentView),
        (status = 400, description = "InvalidRequest, InvalidAgent, InvalidSchema", body = ErrorBody),
        (status = 404, description = "AgentNotFound", body = ErrorBody),
        (status = 409, description = "AgentReadOnly", body = ErrorBody),
        (status = 412, description = "PreconditionFailed", body = ErrorBody),
    )
)]
pub(super) async fn change(named: Named, JsonBody(bytes): JsonBody) -> Result<impl IntoResponse, Error> {
    let (expected, patch): (_, Value) = (named.expected()?, body::read(&bytes)?);
    let agent = named.app.blueprints.patch_agent(&named.name, &patch, &expected).await?;
    Ok((conditions::etag(&agent.hash), Json(agent)))
}

/// Deletes an agent. For a file agent the files are deleted.
#[utoipa::path(
    delete,
    path = "/agents/{name}",
    operation_id = "deleteAgent",
    tag = "agents",
    params(
        ("name" = String, Path, description = "Agent name"),
        ("If-Match" = Option<String>, Header, description = "Change only if the agent has this ETag"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "AgentNotFound", body = ErrorBody),
        (status = 409, description = "AgentReadOnly", body = ErrorBody),
        (status = 412, description = "PreconditionFailed", body = ErrorBody),
    )
)]
pub(super) async fn remove(named: Named) -> Result<StatusCode, Error> {
    named.app.blueprints.delete_agent(&named.name, &named.expected()?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the contracts of an agent, lint findings, and the schema each provider receives.
#[utoipa::path(
    get,
    path = "/agents/{name}/contract",
    operation_id = "getAgentContract",
    tag = "agents",
    params(("name" = String, Path, description = "Agent name")),
    responses(
        (status = 200, description = "The contracts", body = AgentContract),
        (status = 404, description = "AgentNotFound, SchemaNotFound", body = ErrorBody),
        (status = 409, description = "AgentBroken", body = ErrorBody),
    )
)]
pub(super) async fn contract(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<AgentContract>, Error> {
    Ok(Json(app.blueprints.agent_contract(&name).await?))
}

/// Validates a blueprint. Nothing is stored.
#[utoipa::path(
    post,
    path = "/agents/validate",
    operation_id = "validateAgent",
    tag = "agents",
    request_body = accord_api::Blueprint,
    responses(
        (status = 200, description = "The result of the validation", body = ValidateAgentAnswer),
    )
)]
pub(super) async fn validate(
    State(app): State<Arc<App>>,
    JsonBody(bytes): JsonBody,
) -> Result<Json<ValidateAgentAnswer>, Error> {
    let value: Value = body::read(&bytes)?;
    Ok(Json(app.blueprints.validate_agent(None, value).await?))
}

/// Validates a blueprint for an agent, or, without a body, the stored agent. Nothing is stored.
#[utoipa::path(
    post,
    path = "/agents/{name}/validate",
    operation_id = "validateExistingAgent",
    tag = "agents",
    params(("name" = String, Path, description = "Agent name")),
    request_body = Option<accord_api::Blueprint>,
    responses(
        (status = 200, description = "The result of the validation", body = ValidateAgentAnswer),
        (status = 404, description = "AgentNotFound", body = ErrorBody),
    )
)]
pub(super) async fn validate_known(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    MaybeJson(bytes): MaybeJson,
) -> Result<Json<ValidateAgentAnswer>, Error> {
    let Some(bytes) = bytes else { return Ok(Json(app.blueprints.validate_known_agent(&name).await?)) };
    let value: Value = body::read(&bytes)?;
    Ok(Json(app.blueprints.validate_agent(Some(&name), value).await?))
}

#[cfg(test)]
mod tests;
