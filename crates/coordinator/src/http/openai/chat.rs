//! `/v1/chat/completions`.

use axum::Json;
use axum::response::{IntoResponse as _, Response};

use super::ask::{Ask, Client};
use super::chat_types::{ChatCompletion, ChatCompletionChunk, CreateChatCompletion, StreamOptions};
use super::contract::{Form, wanted};
use super::envelope::{self, OpenAiError};
use super::fields::{CHAT, Given, invalid};
use super::work::Work;
use super::{files, input, stream, tools};
use crate::error::Error;
use crate::http::body;
use crate::http::extract::JsonBody;
use crate::http::incoming::Takes;
use crate::http::route::{Route, Scope, route};

pub(super) fn routes() -> Vec<Route> {
    vec![
        route!(complete, Call)
            .takes(Takes::DATA)
            .for_runs(Scope::Free)
            .not_audited("the run itself says who asked for it, and when"),
    ]
}

/// Runs an agent or a workflow, as an OpenAI chat completion.
///
/// `model` is the agent or the workflow. The answer is sent when it has been validated; with `stream`, comments keep the connection open until
/// then. A contract that was not met is an error.
#[utoipa::path(
    post,
    path = "/v1/chat/completions",
    operation_id = "createChatCompletion",
    tag = "openai",
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Idempotency key: repeating the request returns the answer of the first run"),
        ("Accord-Contract" = Option<String>, Header, description = "The `contract_hash` that the caller was written for: the run is refused if the agent's contract is a different one"),
    ),
    request_body = CreateChatCompletion,
    responses(
        (status = 200, description = "The answer", content(
            (ChatCompletion = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 400, description = "InvalidRequest, InvalidSchema", body = OpenAiError),
        (status = 404, description = "model_not_found: no agent or workflow has this name", body = OpenAiError),
        (status = 422, description = "ParameterValidationFailed, OutputSchemaConflict, ContractChanged, IdempotencyConflict; output_schema_validation_failed, model_refused, output_truncated, budget_exhausted", body = OpenAiError),
        (status = 424, description = "AgentBroken, WorkflowBroken; the run failed for another reason, or was stopped", body = OpenAiError),
    )
)]
pub(super) async fn complete(client: Client, JsonBody(bytes): JsonBody) -> Result<Response, Error> {
    let ignored = CHAT.check(&Given::read(&bytes).await?)?.header();
    let request: CreateChatCompletion = body::read(&bytes).await?;
    if request.n.is_some_and(|n| n != 1) {
        return Err(invalid("n", "n: a run has one answer; omit it, or send 1"));
    }
    let wanted = wanted(
        "response_format",
        request.response_format,
        request.tools.unwrap_or_default(),
        request.tool_choice.as_ref(),
    )?;
    let form = wanted.form.clone();
    let turns = input::of_messages(&request.messages)?;
    let ask = Ask {
        model: request.model,
        previous: None,
        results: tools::results(&request.messages, &turns),
        turns,
        files: files::of_messages("messages", &request.messages)?,
        wanted,
        metadata: request.metadata.unwrap_or_default(),
        is_background: false,
    };
    let (id, waiting) = client.start("POST /v1/chat/completions", &bytes, ask).await?;
    let mut response = match request.stream.unwrap_or_default() {
        true => {
            let options = request.stream_options.unwrap_or_default();
            stream::response(String::new(), async move {
                let end = client.end(&id).await;
                waiting.answered().await;
                events(end, &form, options)
            })
        }
        false => {
            let work = Box::pin(client.end(&id)).await;
            waiting.answered().await;
            let work = work?;
            match work.failure {
                None => Json(ChatCompletion::of(&work, &form)).into_response(),
                Some((status, error)) => envelope::failed(status, error),
            }
        }
    };
    response.headers_mut().extend(ignored);
    Ok(response)
}

/// The end of a stream: the answer, or the error.
fn events(end: Result<Work, Error>, form: &Form, options: StreamOptions) -> String {
    let error = match end {
        Err(error) => envelope::of_error(&error),
        Ok(Work { failure: Some((_, error)), .. }) => error,
        Ok(work) => {
            let chunks = ChatCompletionChunk::all(&work, form, options);
            let chunks = chunks.iter().map(|chunk| stream::event(None, chunk));
            return chunks.chain([stream::DONE.to_owned()]).collect();
        }
    };
    stream::event(None, &envelope::event(error)) + stream::DONE
}
