//! `/v1`: agents and workflows for clients that speak OpenAI's API, unchanged but for the base URL.
//!
//! `model` is the name of an agent or of a workflow, and a request is a run. A caller's schema is the caller's contract; the
//! answer is sent when it was judged, also in a stream, and an answer that does not conform is an error. The id of a response is
//! the id of its run, so nothing is stored for these routes. Errors are in OpenAI's envelope ([`envelope`]).
//!
//! The tools of an agent are its own. A caller's `tools` are supported in one form: one function that has to be called is how
//! some clients ask for a structured answer, so its parameters are the contract.

mod ask;
mod chat;
mod chat_types;
mod contract;
pub(super) mod envelope;
mod fields;
mod files;
mod input;
mod models;
mod response_events;
mod response_types;
mod responses;
mod stream;
mod work;

use super::route::Route;

/// Whether a path belongs to these routes, known or not.
pub(super) fn serves(path: &str) -> bool {
    path.starts_with("/v1/")
}

pub(super) fn routes() -> Vec<Route> {
    [chat::routes(), responses::routes(), models::routes()].into_iter().flatten().collect()
}
