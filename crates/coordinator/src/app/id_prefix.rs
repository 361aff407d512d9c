//! Ids by prefix: an id that does not exist is answered with the ids that start with it.

use accord_api::ErrorName;
use accord_store::{RunReader, StoreError};
use serde_json::json;

use crate::error::Error;

/// The length of generated ids. A text of this length is a complete id, not a prefix.
const WHOLE: usize = 36;

/// Enough to see whether a match is unique, and to list a few candidates.
const MOST: u32 = 4;

/// Why something was not found; if it is a prefix of other ids, the details list them in `matching_ids`.
pub(super) async fn absent(store: &dyn RunReader, id: &str, error: StoreError) -> Error {
    let error = Error::from(error);
    if !is_absent(&error) || id.len() >= WHOLE {
        return error;
    }
    match store.ids_beginning(id, MOST).await {
        Ok(ids) if ids.is_empty() => error,
        Ok(ids) => error.with_details(json!({"matching_ids": ids})),
        Err(error) => error.into(),
    }
}

fn is_absent(error: &Error) -> bool {
    use ErrorName::{RunNotFound, SessionNotFound, WorkflowRunNotFound};
    matches!(error.name(), RunNotFound | SessionNotFound | WorkflowRunNotFound)
}
