//! `/v1/responses/{id}/input_items`: what a run was asked.

use accord_api::{RunView, Said};
use accord_domain::id::{RunId, WorkId};
use axum::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ask::Client;
use super::envelope::OpenAiError;
use super::fields::invalid;
use super::work::asked;
use crate::error::Error;
use crate::http::extract::{Id, Query};
use crate::http::route::{Route, route};

pub(super) fn routes() -> Vec<Route> {
    vec![route!(input_items, Read)]
}

/// Which items are returned.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Listing {
    /// `desc`, which is the default, or `asc`.
    #[param(inline)]
    order: Option<Order>,
    /// At most this many items.
    limit: Option<usize>,
    /// Only items after this one.
    after: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Asc,
    Desc,
}

/// The items of an input.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(super) struct InputItemList {
    /// `list`.
    object: &'static str,
    /// The items.
    data: Vec<InputItem>,
    /// Id of the first one.
    first_id: Option<String>,
    /// Id of the last one.
    last_id: Option<String>,
    /// Whether there are more after the last one.
    has_more: bool,
}

/// An item of an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum InputItem {
    /// A message.
    Message {
        /// Id.
        id: String,
        /// `completed`.
        status: &'static str,
        /// `system`, `user` or `assistant`.
        role: &'static str,
        /// The text.
        content: Vec<InputText>,
    },
    /// A call of a tool.
    FunctionCall {
        /// Id.
        id: String,
        /// `completed`.
        status: &'static str,
        /// Id of the call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// Arguments.
        arguments: String,
    },
    /// The result of a call.
    FunctionCallOutput {
        /// Id.
        id: String,
        /// `completed`.
        status: &'static str,
        /// Id of the call.
        call_id: String,
        /// The result.
        output: String,
    },
}

/// Text of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(super) struct InputText {
    /// `input_text`, or `output_text` of an assistant.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The text.
    text: String,
}

const COMPLETED: &str = "completed";

/// OpenAI's own default and limit.
const DEFAULT_LIMIT: usize = 20;
const HIGHEST_LIMIT: usize = 100;

/// Lists the input of a response: instructions, messages and the prompt.
#[utoipa::path(
    get,
    path = "/v1/responses/{id}/input_items",
    operation_id = "listResponseInputItems",
    tag = "openai",
    params(("id" = String, Path, description = "The response, which is a run or a workflow run"), Listing),
    responses(
        (status = 200, description = "The items", body = InputItemList),
        (status = 404, description = "RunNotFound, WorkflowRunNotFound", body = OpenAiError),
    )
)]
pub(super) async fn input_items(
    client: Client,
    Id(id): Id<WorkId>,
    Query(listing): Query<Listing>,
) -> Result<Json<InputItemList>, Error> {
    let limit = listing.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=HIGHEST_LIMIT).contains(&limit) {
        return Err(invalid("limit", format!("expected limit from 1 to {HIGHEST_LIMIT}, got {limit}")));
    }
    let mut items = match &id {
        WorkId::Run(run_id) => of_run(&client.run(run_id).await?),
        WorkId::Workflow(id) => {
            let run = client.app.workflow_runs.get(id).await?;
            vec![message(id.as_str(), 0, "user", text_of(&run.input))]
        }
    };
    if listing.order != Some(Order::Asc) {
        items.reverse();
    }
    let first = match &listing.after {
        None => 0,
        Some(after) => {
            items.iter().position(|item| item.id() == after).map_or(items.len(), |place| place + 1)
        }
    };
    let has_more = items.len() > first.saturating_add(limit);
    let data: Vec<InputItem> = items.into_iter().skip(first).take(limit).collect();
    let id_of = |item: Option<&InputItem>| item.map(|item| item.id().to_owned());
    let (first_id, last_id) = (id_of(data.first()), id_of(data.last()));
    Ok(Json(InputItemList { object: "list", data, first_id, last_id, has_more }))
}

impl InputItem {
    fn id(&self) -> &str {
        match self {
            Self::Message { id, .. }
            | Self::FunctionCall { id, .. }
            | Self::FunctionCallOutput { id, .. } => id,
        }
    }
}

/// The items of a run, oldest first.
fn of_run(run: &RunView) -> Vec<InputItem> {
    let mut items = Vec::new();
    let opening = run.opening.clone().unwrap_or_default();
    items.extend(opening.instructions.map(|text| message(run.run_id.as_str(), 0, "system", text)));
    for said in opening.messages {
        add(&mut items, &run.run_id, said);
    }
    let place = items.len();
    items.push(message(run.run_id.as_str(), place, "user", asked(run)));
    items
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn message(work: &str, place: usize, role: &'static str, text: String) -> InputItem {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    InputItem::Message {
        id: format!("msg_{work}_{place}"),
        status: COMPLETED,
        role,
        content: vec![InputText { kind, text }],
    }
}

fn add(items: &mut Vec<InputItem>, run: &RunId, said: Said) {
    let place = items.len();
    match said {
        Said::User { content } => items.push(message(run.as_str(), place, "user", content)),
        Said::Tool { tool_call_id, content } => items.push(InputItem::FunctionCallOutput {
            id: format!("fco_{run}_{place}"),
            status: COMPLETED,
            call_id: tool_call_id,
            output: content,
        }),
        Said::Assistant { content, tool_calls } => {
            if !content.is_empty() || tool_calls.is_empty() {
                items.push(message(run.as_str(), place, "assistant", content));
            }
            for call in tool_calls {
                items.push(InputItem::FunctionCall {
                    id: format!("fc_{run}_{}", items.len()),
                    status: COMPLETED,
                    call_id: call.id,
                    name: call.name,
                    arguments: call.arguments,
                });
            }
        }
    }
}
