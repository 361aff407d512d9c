//! The caller of one request, as long as it waits.

use std::sync::Arc;
use std::time::Duration;

use accord_store::FrontRequest;
use axum::http::HeaderMap;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use crate::app::{App, Incoming, Promise};
use crate::error::Error;

/// How often it is written that a caller still waits.
const RENEWED_EVERY: Duration = Duration::from_secs(10);

/// A caller that waits. Dropped before it is answered, it has left: it closed the connection or the stream.
pub(super) struct Waiting {
    app: Arc<App>,
    request: Arc<FrontRequest>,
    renewal: AbortHandle,
    is_answered: bool,
}

impl Waiting {
    pub(super) async fn begin(app: &Arc<App>, incoming: Incoming) -> Result<Self, Error> {
        let request = Arc::new(app.front.arrive(incoming).await?);
        let renewal = {
            let (app, request) = (Arc::clone(app), Arc::clone(&request));
            tokio::spawn(async move {
                loop {
                    sleep(RENEWED_EVERY).await;
                    app.front.wait_on(&request).await;
                }
            })
        };
        Ok(Self { app: Arc::clone(app), request, renewal: renewal.abort_handle(), is_answered: false })
    }

    /// The key under which the work is created: that of the request that it repeats, if it repeats one.
    pub(super) fn promise(&self) -> Promise {
        let FrontRequest { scope, key, fingerprint, .. } = self.request.as_ref().clone();
        Promise { scope, key, fingerprint }
    }

    /// The answer is about to be sent, whatever it says: but that this coordinator ends is none.
    pub(super) async fn answered(mut self) {
        if self.app.closing.is_cancelled() {
            return;
        }
        self.is_answered = true;
        self.renewal.abort();
        self.app.front.leave(&self.request, true).await;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.renewal.abort();
        // At the end of a coordinator its callers did not leave: they come back to the next one, within their lease.
        if self.is_answered || self.app.closing.is_cancelled() {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let (app, request) = (Arc::clone(&self.app), Arc::clone(&self.request));
            runtime.spawn(async move { app.front.leave(&request, false).await });
        }
    }
}

/// Whether the official clients say that they repeat a request.
pub(super) fn is_repeat(headers: &HeaderMap) -> bool {
    let count = headers.get("x-stainless-retry-count").and_then(|value| value.to_str().ok());
    count.and_then(|count| count.trim().parse::<u32>().ok()).is_some_and(|count| count > 0)
}
