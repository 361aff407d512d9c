//! The trace that the current work belongs to.
//!
//! It is that of the current span if traces are sent. If not, or if a message names its trace, it is the one that the work was
//! put into with [`within`]. If both are set, the inner one is used. Work that is spawned belongs to no trace unless it is put into one.

use tokio::task_local;
use tracing::{Span, span};

use crate::TraceParent;
use crate::span::of;

struct Outer {
    parent: TraceParent,
    /// The span that was current then.
    span: Option<span::Id>,
}

task_local! {
    static OUTER: Outer;
}

/// Does work that belongs to a trace, if there is one.
pub async fn within<T>(parent: Option<TraceParent>, work: impl Future<Output = T>) -> T {
    match parent {
        Some(parent) => OUTER.scope(Outer { parent, span: Span::current().id() }, work).await,
        None => work.await,
    }
}

/// The trace of the current work, to be passed on.
pub fn current() -> Option<TraceParent> {
    let span = Span::current();
    match OUTER.try_with(|outer| (outer.parent, outer.span == span.id())) {
        Ok((parent, true)) => Some(parent),
        Ok((parent, false)) => of(&span).or(Some(parent)),
        Err(_) => of(&span),
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing::{Instrument as _, debug_span, subscriber};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;
    use crate::continue_from;

    const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const OTHER: &str = "00-00000000000000000000000000000001-0000000000000001-01";

    #[tokio::test]
    async fn a_span_continues_the_trace_of_its_caller() {
        let tracer = SdkTracerProvider::builder().build().tracer("test");
        let layers = tracing_subscriber::registry().with(tracing_opentelemetry::layer().with_tracer(tracer));
        let _sending = subscriber::set_default(layers);
        let caller: TraceParent = CALLER.parse().unwrap();
        let span = debug_span!("one");
        continue_from(&span, caller);
        let work = async {
            let own = current().unwrap().to_string();
            assert!(own.starts_with(&CALLER[..36]) && own != CALLER, "{own}");
            let other = OTHER.parse().ok();
            within(other, async { assert_eq!(current(), other) }).await;
        };
        within(Some(caller), work.instrument(span)).await;
        assert_eq!(current(), None);
    }

    #[tokio::test]
    async fn without_traces_the_callers_context_is_passed_on() {
        let _quiet = subscriber::set_default(tracing_subscriber::registry());
        let caller: TraceParent = CALLER.parse().unwrap();
        let span = debug_span!("one");
        continue_from(&span, caller);
        within(Some(caller), async { assert_eq!(current(), Some(caller)) }.instrument(span)).await;
        within(None, async { assert_eq!(current(), None) }).await;
    }
}
