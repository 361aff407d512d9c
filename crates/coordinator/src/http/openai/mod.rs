//! `/v1`: agents and workflows for clients that speak OpenAI's API, unchanged but for the base URL.
//!
//! `model` is the name of an agent or of a workflow, and a request is a run. A caller's schema is the caller's contract; the
//! answer is sent when it was judged, also in a stream, and an answer that does not conform is an error. The id of a response is
//! the id of its run, so nothing is stored for these routes. Errors are in OpenAI's envelope ([`envelope`]).
//!
//! A caller's functions are tools of the run beside the agent's own ([`tools`]): a call of one is the answer to the request, and the
//! next request with its result goes on in the same run ([`continued`]). One function that has to be called is how some clients
//! ask for a structured answer, so its parameters are the contract. Beside a contract of the
//! agent's, both hold.

mod ask;
mod branch;
mod chat;
mod chat_types;
mod continued;
mod contract;
mod conversation;
pub(super) mod envelope;
mod fields;
mod files;
mod input;
mod input_items;
mod models;
mod response_events;
mod response_types;
mod responses;
mod statuses;
mod stored;
mod stream;
mod tools;
mod waiting;
mod work;

use super::route::Route;

/// Whether a path belongs to these routes, known or not.
pub(super) fn serves(path: &str) -> bool {
    path.starts_with("/v1/")
}

pub(super) fn routes() -> Vec<Route> {
    [chat::routes(), responses::routes(), stored::routes(), input_items::routes(), models::routes()]
        .into_iter()
        .flatten()
        .collect()
}
