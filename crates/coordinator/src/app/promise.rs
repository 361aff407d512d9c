//! Requests that may be repeated: the first answer is kept, and given again.

use accord_store::{Idempotency, RunReader};
use serde::Serialize;

use crate::error::Error;

/// A key that makes a request repeatable.
#[derive(Debug, Clone)]
pub(crate) struct Promise {
    /// Whose key it is and for which route.
    pub(crate) scope: String,
    pub(crate) key: String,
    /// A hash of the request's body.
    pub(crate) fingerprint: String,
}

impl Promise {
    pub(crate) fn with(self, response: String) -> Idempotency {
        Idempotency { scope: self.scope, key: self.key, fingerprint: self.fingerprint, response }
    }

    pub(crate) fn answered(self, answer: &impl Serialize) -> Result<Idempotency, Error> {
        Ok(self.with(serde_json::to_string(answer).map_err(Error::internal)?))
    }
}

/// The answer that a repeated request was given before.
pub(super) async fn first_answer(
    store: &dyn RunReader,
    promise: Option<&Promise>,
) -> Result<Option<String>, Error> {
    match promise {
        None => Ok(None),
        Some(Promise { scope, key, fingerprint }) => Ok(store.first_answer(scope, key, fingerprint).await?),
    }
}
