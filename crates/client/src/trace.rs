//! The trace that calls belong to, which the coordinator continues.

use accord_trace::TraceParent;
use tokio::task_local;

task_local! {
    static CALLS: TraceParent;
}

/// Makes calls that belong to a trace: those of this future, with any client. What is not a W3C `traceparent` is ignored.
pub async fn traced<T>(traceparent: Option<&str>, calls: impl Future<Output = T>) -> T {
    match traceparent.and_then(|text| text.parse().ok()) {
        Some(traceparent) => CALLS.scope(traceparent, calls).await,
        None => calls.await,
    }
}

/// The trace of a call: the one it is made in, else the client's own, else that of the current span.
pub(crate) fn of_call(client: Option<TraceParent>) -> Option<TraceParent> {
    CALLS.try_get().ok().or(client).or_else(|| accord_trace::current_or(None))
}
