//! `/v1/responses/{id}`: runs that were made, as responses.

use accord_api::{ErrorName, RunKind, RunQuery, RunView};
use accord_domain::id::{RunId, WorkId};
use axum::Json;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};

use super::ask::Client;
use super::envelope::{self, OpenAiError};
use super::response_events::Writer;
use super::response_types::{Echo, ResponseObject};
use super::stream;
use super::work::Work;
use crate::error::Error;
use crate::http::extract::{Id, Query};
use crate::http::route::{Route, route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(one, Read),
        route!(cancel, Call).audited("run.stopped"),
        route!(remove, Administer).audited("session.deleted"),
    ]
}

/// How a response is returned.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Retrieving {
    /// Whether to send it as events; the last one comes when the run ends.
    #[serde(default)]
    stream: bool,
    /// Only events with a higher `sequence_number`.
    starting_after: Option<u32>,
}

/// Returns a response. Every run and every workflow run is one, with the same id.
#[utoipa::path(
    get,
    path = "/v1/responses/{id}",
    operation_id = "getResponse",
    tag = "openai",
    params(("id" = String, Path, description = "The response, which is a run or a workflow run"), Retrieving),
    responses(
        (status = 200, description = "The response", content(
            (ResponseObject = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 404, description = "RunNotFound, WorkflowRunNotFound", body = OpenAiError),
    )
)]
pub(super) async fn one(
    client: Client,
    Id(id): Id<WorkId>,
    Query(how): Query<Retrieving>,
) -> Result<Response, Error> {
    let (work, echo) = stored(&client, &id).await?;
    if !how.stream {
        return Ok(Json(ResponseObject::of(&work, &echo)).into_response());
    }
    let mut writer = Writer::after(how.starting_after);
    writer.open(&ResponseObject::of(&work, &echo));
    Ok(stream::response(writer.take(), async move {
        match client.end(&id).await {
            Ok(work) => writer.close(&ResponseObject::of(&work, &echo)),
            Err(error) => writer.fail(&envelope::of_error(&error)),
        }
        writer.take()
    }))
}

/// Cancels a response: stops its run. Can be repeated.
#[utoipa::path(
    post,
    path = "/v1/responses/{id}/cancel",
    operation_id = "cancelResponse",
    tag = "openai",
    params(("id" = String, Path, description = "The response, which is a run or a workflow run")),
    responses(
        (status = 200, description = "The response", body = ResponseObject),
        (status = 404, description = "RunNotFound, WorkflowRunNotFound", body = OpenAiError),
    )
)]
pub(super) async fn cancel(client: Client, Id(id): Id<WorkId>) -> Result<Json<ResponseObject>, Error> {
    match &id {
        WorkId::Run(id) => drop(client.app.runs.stop(id).await?),
        WorkId::Workflow(id) => drop(client.app.workflow_runs.stop(id).await?),
    }
    let (work, echo) = stored(&client, &id).await?;
    Ok(Json(ResponseObject::of(&work, &echo)))
}

/// A deleted response.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct DeletedResponse {
    /// Its id.
    #[schema(value_type = String)]
    id: WorkId,
    /// `response`.
    object: &'static str,
    /// True.
    deleted: bool,
}

/// Deletes a response with its session, or a workflow run.
///
/// A response that others of its session follow or precede cannot be deleted alone: delete the session.
#[utoipa::path(
    delete,
    path = "/v1/responses/{id}",
    operation_id = "deleteResponse",
    tag = "openai",
    params(("id" = String, Path, description = "The response, which is a run or a workflow run")),
    responses(
        (status = 200, description = "It was deleted", body = DeletedResponse),
        (status = 400, description = "InvalidRequest: it is one of several responses of a session", body = OpenAiError),
        (status = 404, description = "RunNotFound, WorkflowRunNotFound", body = OpenAiError),
        (status = 409, description = "SessionBusy: its run is in progress", body = OpenAiError),
    )
)]
pub(super) async fn remove(client: Client, Id(id): Id<WorkId>) -> Result<Json<DeletedResponse>, Error> {
    match &id {
        WorkId::Workflow(id) => client.app.workflow_runs.remove(id).await?,
        WorkId::Run(run_id) => {
            let session_id = client.run(run_id).await?.session_id;
            let query =
                RunQuery { session_id: Some(session_id.clone()), limit: Some(2), ..RunQuery::default() };
            if client.app.runs.list(query).await?.items.len() > 1 {
                let message = format!(
                    "{run_id} is one of several responses of {session_id}, which cannot be deleted alone; delete all of them with DELETE /sessions/{session_id}"
                );
                return Err(Error::new(ErrorName::InvalidRequest, message));
            }
            client.app.sessions.remove(&session_id).await?;
        }
    }
    Ok(Json(DeletedResponse { id, object: "response", deleted: true }))
}

/// A run as it is now, and what its response repeats.
async fn stored(client: &Client, id: &WorkId) -> Result<(Work, Echo), Error> {
    let WorkId::Run(run_id) = id else { return Ok((client.now(id).await?, Echo::default())) };
    let run = client.run(run_id).await?;
    let previous = previous(client, &run).await?.map(WorkId::Run);
    Ok((Work::of_run(&run), Echo { previous, ..Echo::default() }))
}

/// The run of a session before another.
async fn previous(client: &Client, run: &RunView) -> Result<Option<RunId>, Error> {
    if run.kind == RunKind::StartSession {
        return Ok(None);
    }
    let query = RunQuery {
        session_id: Some(run.session_id.clone()),
        until: Some(run.created_at),
        limit: Some(1),
        ..RunQuery::default()
    };
    Ok(client.app.runs.list(query).await?.items.into_iter().next().map(|run| run.run_id))
}
