//! `/v1/responses`.

use accord_api::{RunKind, RunQuery};
use accord_domain::id::WorkId;
use axum::Json;
use axum::response::{IntoResponse as _, Response};

use super::ask::{Ask, Client};
use super::contract::{Form, wanted};
use super::envelope::{self, OpenAiError};
use super::fields::{Given, RESPONSES, invalid};
use super::input::{self, Side, Turn};
use super::response_events::Writer;
use super::response_types::{CreateResponse, Echo, ResponseObject};
use super::work::Work;
use super::{files, stream};
use crate::error::Error;
use crate::http::body;
use crate::http::extract::{Id, JsonBody};
use crate::http::incoming::Takes;
use crate::http::route::{Route, Scope, route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(create, Call)
            .takes(Takes::DATA)
            .for_runs(Scope::Free)
            .not_audited("the run itself says who asked for it, and when"),
        route!(one, Read),
        route!(cancel, Call).audited("run.stopped"),
    ]
}

/// Runs an agent or a workflow, as an Open Responses response.
///
/// `model` is the agent or the workflow, `previous_response_id` continues the session of an agent. The answer is sent when it has been validated; with
/// `stream`, comments keep the connection open until then. A contract that was not met is a response with the status `failed`.
#[utoipa::path(
    post,
    path = "/v1/responses",
    operation_id = "createResponse",
    tag = "openai",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the answer of the first run"),
    ),
    request_body = CreateResponse,
    responses(
        (status = 200, description = "The response", content(
            (ResponseObject = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 400, description = "InvalidRequest, InvalidSchema", body = OpenAiError),
        (status = 404, description = "model_not_found: no agent or workflow has this name; RunNotFound: there is no previous response", body = OpenAiError),
        (status = 409, description = "OutputSchemaConflict, AgentBroken, WorkflowBroken, SessionBusy, IdempotencyConflict", body = OpenAiError),
        (status = 422, description = "ParameterValidationFailed", body = OpenAiError),
    )
)]
pub(super) async fn create(client: Client, JsonBody(bytes): JsonBody) -> Result<Response, Error> {
    let ignored = RESPONSES.check(&Given::read(&bytes).await?)?.header();
    let (ask, echo, is_streamed) = read(body::read(&bytes).await?)?;
    let id = client.start("POST /v1/responses", &bytes, ask).await?;
    let mut response = match (is_streamed, echo.is_background) {
        (true, _) => {
            let mut writer = Writer::default();
            writer.open(&ResponseObject::of(&client.now(&id).await?, &echo));
            stream::response(writer.take(), async move {
                match client.end(&id).await {
                    Ok(work) => writer.close(&ResponseObject::of(&work, &echo)),
                    Err(error) => writer.fail(&envelope::of_error(&error)),
                }
                writer.take()
            })
        }
        (false, is_background) => {
            let work = match is_background {
                true => client.now(&id).await?,
                false => Box::pin(client.end(&id)).await?,
            };
            Json(ResponseObject::of(&work, &echo)).into_response()
        }
    };
    response.headers_mut().extend(ignored);
    Ok(response)
}

/// The request as a run, what its response repeats, and whether it is a stream.
fn read(request: CreateResponse) -> Result<(Ask, Echo, bool), Error> {
    let format = request.text.and_then(|text| text.format);
    let tools = request.tools.unwrap_or_default();
    let wanted = wanted("text.format", format, tools, request.tool_choice.as_ref())?;
    let is_background = request.background.unwrap_or_default();
    if is_background && wanted.form != Form::Text {
        let message =
            "background: a stored response is a message; send the schema as text.format instead of a tool";
        return Err(invalid("background", message));
    }
    let instructions = request.instructions.clone().map(|text| Turn { side: Side::System, text });
    let turns = instructions.into_iter().chain(input::of_input(&request.input)?).collect();
    let echo = Echo {
        previous: request.previous_response_id.clone(),
        instructions: request.instructions,
        form: wanted.form.clone(),
        is_background,
    };
    let metadata = request.metadata.unwrap_or_default();
    let items = request.input.as_array().map(Vec::as_slice).unwrap_or_default();
    let files = files::of_messages("input", items)?;
    let ask =
        Ask { model: request.model, previous: request.previous_response_id, turns, files, wanted, metadata };
    Ok((ask, echo, request.stream.unwrap_or_default()))
}

/// Returns a response. Every run and every workflow run is one, with the same id.
#[utoipa::path(
    get,
    path = "/v1/responses/{id}",
    operation_id = "getResponse",
    tag = "openai",
    params(("id" = String, Path, description = "The response, which is a run or a workflow run")),
    responses(
        (status = 200, description = "The response", body = ResponseObject),
        (status = 404, description = "RunNotFound, WorkflowRunNotFound", body = OpenAiError),
    )
)]
pub(super) async fn one(client: Client, Id(id): Id<WorkId>) -> Result<Json<ResponseObject>, Error> {
    stored(&client, &id).await
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
    stored(&client, &id).await
}

async fn stored(client: &Client, id: &WorkId) -> Result<Json<ResponseObject>, Error> {
    let WorkId::Run(run_id) = id else {
        return Ok(Json(ResponseObject::of(&client.now(id).await?, &Echo::default())));
    };
    let run = client.run(run_id).await?;
    let previous = match run.kind {
        RunKind::StartSession => None,
        RunKind::ResumeSession => {
            let query = RunQuery {
                session_id: Some(run.session_id.clone()),
                until: Some(run.created_at),
                limit: Some(1),
                ..RunQuery::default()
            };
            client.app.runs.list(query).await?.items.into_iter().next().map(|run| WorkId::Run(run.run_id))
        }
    };
    Ok(Json(ResponseObject::of(&Work::of_run(&run), &Echo { previous, ..Echo::default() })))
}
