//! `/v1/responses`.

use axum::Json;
use axum::response::{IntoResponse as _, Response};

use super::ask::{Ask, Client};
use super::contract::{Form, wanted};
use super::envelope::{self, OpenAiError};
use super::fields::{Given, RESPONSES, invalid};
use super::input::{self, Side, Turn};
use super::response_events::Writer;
use super::response_types::{CreateResponse, Echo, ResponseObject};
use super::{files, stream, tools};
use crate::error::Error;
use crate::http::body;
use crate::http::extract::JsonBody;
use crate::http::incoming::Takes;
use crate::http::route::{Route, Scope, route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(create, Call)
            .takes(Takes::DATA)
            .for_runs(Scope::Free)
            .not_audited("the run itself says who asked for it, and when"),
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
        ("Accord-Contract" = Option<String>, Header, description = "The `contract_hash` that the caller was written for: the run is refused if the agent's contract is a different one"),
    ),
    request_body = CreateResponse,
    responses(
        (status = 200, description = "The response", content(
            (ResponseObject = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 400, description = "InvalidRequest, InvalidSchema", body = OpenAiError),
        (status = 404, description = "model_not_found: no agent or workflow has this name; RunNotFound: there is no previous response", body = OpenAiError),
        (status = 409, description = "SessionBusy", body = OpenAiError),
        (status = 422, description = "ParameterValidationFailed, OutputSchemaConflict, ContractChanged, IdempotencyConflict", body = OpenAiError),
        (status = 424, description = "AgentBroken, WorkflowBroken", body = OpenAiError),
    )
)]
pub(super) async fn create(client: Client, JsonBody(bytes): JsonBody) -> Result<Response, Error> {
    let ignored = RESPONSES.check(&Given::read(&bytes).await?)?.header();
    let (ask, echo, is_streamed) = read(body::read(&bytes).await?)?;
    let (id, waiting) = client.start("POST /v1/responses", &bytes, ask).await?;
    let mut response = match (is_streamed, echo.is_background) {
        (true, _) => {
            let mut writer = Writer::default();
            writer.open(&ResponseObject::of(&client.now(&id).await?, &echo));
            stream::response(writer.take(), async move {
                let end = client.end(&id).await;
                waiting.answered().await;
                match end {
                    Ok(work) => writer.close(&ResponseObject::of(&work, &echo)),
                    Err(error) => writer.fail(&envelope::of_error(&error)),
                }
                writer.take()
            })
        }
        (false, is_background) => {
            let work = match is_background {
                true => client.now(&id).await,
                false => Box::pin(client.end(&id)).await,
            };
            waiting.answered().await;
            let work = work?;
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
    let instructions = request.instructions.clone().map(|text| Turn::new(Side::System, text));
    let said = input::of_input(&request.input)?;
    let items = request.input.as_array().map(Vec::as_slice).unwrap_or_default();
    let results = tools::results(items, &said);
    let turns = instructions.into_iter().chain(said).collect();
    let echo = Echo {
        previous: request.previous_response_id.clone(),
        instructions: request.instructions,
        form: wanted.form.clone(),
        is_background,
    };
    let metadata = request.metadata.unwrap_or_default();
    let files = files::of_messages("input", items)?;
    let ask = Ask {
        model: request.model,
        previous: request.previous_response_id,
        turns,
        files,
        wanted,
        results,
        metadata,
        is_background,
    };
    Ok((ask, echo, request.stream.unwrap_or_default()))
}
