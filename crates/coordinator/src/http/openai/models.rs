//! `/v1/models`: the agents.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::Timestamp;
use serde::Serialize;

use super::answer::seconds;
use super::envelope::OpenAiError;
use crate::app::App;
use crate::error::Error;
use crate::http::routes::{Route, Scope, route};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list_models, Read).for_runs(Scope::Free), route!(one_model, Read)]
}

/// The agents, as models.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ModelList {
    /// `list`.
    object: &'static str,
    /// The models by name.
    data: Vec<Model>,
}

/// An agent, as a model.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Model {
    /// Agent name.
    id: String,
    /// `model`.
    object: &'static str,
    /// Creation time, in seconds since 1970; 0 for an agent in a file.
    created: i64,
    /// `accord`.
    owned_by: &'static str,
}

impl Model {
    fn new(id: String, created_at: Option<Timestamp>) -> Self {
        let created = created_at.map(seconds).unwrap_or_default();
        Self { id, object: "model", created, owned_by: "accord" }
    }
}

/// Lists the valid agents, as OpenAI models.
#[utoipa::path(
    get,
    path = "/v1/models",
    operation_id = "listModels",
    tag = "openai",
    responses((status = 200, description = "The models", body = ModelList))
)]
pub(super) async fn list_models(State(app): State<Arc<App>>) -> Result<Json<ModelList>, Error> {
    let agents = app.blueprints.valid_agents().await?;
    let data = agents.into_iter().map(|(name, created_at)| Model::new(name, created_at)).collect();
    Ok(Json(ModelList { object: "list", data }))
}

/// Returns an agent, as an OpenAI model.
#[utoipa::path(
    get,
    path = "/v1/models/{id}",
    operation_id = "getModel",
    tag = "openai",
    params(("id" = String, Path, description = "Agent name")),
    responses(
        (status = 200, description = "The model", body = Model),
        (status = 404, description = "model_not_found: no agent has this name", body = OpenAiError),
        (status = 409, description = "AgentBroken", body = OpenAiError),
    )
)]
pub(super) async fn one_model(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Json<Model>, Error> {
    // Says which name is nearest to one that does not exist.
    app.blueprints.catalog.usable(&name).await?;
    let agents = app.blueprints.valid_agents().await?;
    let created_at = agents.into_iter().find(|agent| agent.0 == name).and_then(|agent| agent.1);
    Ok(Json(Model::new(name, created_at)))
}
