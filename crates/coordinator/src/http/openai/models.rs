//! `/v1/models`: the agents and workflows.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use jiff::Timestamp;
use serde::Serialize;

use super::envelope::OpenAiError;
use super::work::seconds;
use crate::app::App;
use crate::error::Error;
use crate::http::route::{Route, Scope, route};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(list_models, Read).for_runs(Scope::Free), route!(one_model, Read)]
}

/// The agents and workflows, as models.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct ModelList {
    /// `list`.
    object: &'static str,
    /// The models by name.
    data: Vec<Model>,
}

/// An agent or a workflow, as a model.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct Model {
    /// Agent name, workflow name, or `workflow:NAME` for a workflow that has the name of an agent.
    id: String,
    /// `model`.
    object: &'static str,
    /// Creation time, in seconds since 1970; of one that is defined in a file, the time the file was changed.
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

/// Lists the valid agents and workflows, as OpenAI models.
#[utoipa::path(
    get,
    path = "/v1/models",
    operation_id = "listModels",
    tag = "openai",
    responses((status = 200, description = "The models", body = ModelList))
)]
pub(super) async fn list_models(State(app): State<Arc<App>>) -> Result<Json<ModelList>, Error> {
    let models = app.blueprints.models().await?;
    let data = models.into_iter().map(|(id, created_at)| Model::new(id, created_at)).collect();
    Ok(Json(ModelList { object: "list", data }))
}

/// Returns an agent or a workflow, as an OpenAI model.
#[utoipa::path(
    get,
    path = "/v1/models/{id}",
    operation_id = "getModel",
    tag = "openai",
    params(("id" = String, Path, description = "Agent or workflow name")),
    responses(
        (status = 200, description = "The model", body = Model),
        (status = 404, description = "model_not_found: no agent or workflow has this name", body = OpenAiError),
        (status = 424, description = "AgentBroken, WorkflowBroken", body = OpenAiError),
    )
)]
pub(super) async fn one_model(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
) -> Result<Json<Model>, Error> {
    let created_at = match app.blueprints.model(&id).await? {
        crate::app::Model::Workflow { created_at, .. } => created_at,
        crate::app::Model::Agent(_) => app.blueprints.models().await?.remove(&id).flatten(),
    };
    Ok(Json(Model::new(id, created_at)))
}
