//! `/agents`.

use std::sync::Arc;

use accord_api::{AgentContract, AgentSummary, AgentView, ErrorBody, Page, ValidateAgentAnswer};
use accord_blueprint::{Agents, ParsedAgent};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use serde::Deserialize;
use serde_json::Value;

use super::documents::{Named, definition_handlers, document_handlers};
use super::extract::{JsonBody, MaybeJson, Query};
use super::incoming::Takes;
use super::route::{CHANGES_NOTHING, Route, Scope, route};
use super::{body, conditions};
use crate::app::{App, Found};
use crate::error::Error;

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(list, Read).for_runs(Scope::Free),
        route!(create, Administer).takes(Takes::DEFINITION).audited_as("agent.created", "/summary/name"),
        route!(validate, Read).takes(Takes::DEFINITION).not_audited(CHANGES_NOTHING),
        route!(show, Read).for_runs(Scope::Free),
        route!(replace, Administer).takes(Takes::DEFINITION).audited_put("agent.updated", "agent.created"),
        route!(change, Administer).takes(Takes::DEFINITION).audited("agent.updated"),
        route!(remove, Administer).audited("agent.deleted"),
        route!(contract, Read).for_runs(Scope::Free),
        route!(validate_known, Read).takes(Takes::DEFINITION).not_audited(CHANGES_NOTHING),
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

document_handlers! {
    service: blueprints<Agents>, view: AgentView, names: "Agent" "agent",
    show: "Returns an agent.",
    remove: "Deletes an agent. For a file agent the files are deleted.", conflict: "AgentReadOnly",
}

definition_handlers! {
    kind: Agents, view: AgentView, names: "Agent" "agent" "blueprint",
    body: (content = accord_api::Blueprint), invalid: "InvalidRequest, InvalidAgent, InvalidSchema",
    create: "Creates an agent in the database.",
    replace: "Replaces an agent, or creates it. For a file agent the file is written.",
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
    let has =
        |all: &Value, tag: &String| all.as_array().is_some_and(|all| all.iter().any(|each| each == tag));
    let has_all = |agent: &Found<ParsedAgent>| {
        let all = agent.value().get("tags").unwrap_or(&Value::Null);
        tags.iter().all(|tag| has(all, tag))
    };
    app.blueprints.page::<Agents>(query.limit, query.cursor.as_deref(), has_all).await.map(Json)
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
    let (expected, patch): (_, Value) = (named.expected()?, body::read(&bytes).await?);
    let agent = named.app.blueprints.patch_agent(&named.name, &patch, &expected).await?;
    Ok((conditions::etag(&agent.hash), Json(agent)))
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
    let value: Value = body::read(&bytes).await?;
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
    let value: Value = body::read(&bytes).await?;
    Ok(Json(app.blueprints.validate_agent(Some(&name), value).await?))
}

#[cfg(test)]
mod tests;
