//! The trace that a span of this process belongs to. Where no traces are sent, a span belongs to none.

use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Context, KeyValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::{TraceParent, names};

/// What the children of a span have as their parent, if traces are sent. The span has begun then, and its own parent is fixed.
pub fn of(span: &Span) -> Option<TraceParent> {
    TraceParent::of(span.context().span().span_context())
}

/// That of the current span if traces are sent, else the given one.
pub fn current_or(otherwise: Option<TraceParent>) -> Option<TraceParent> {
    of(&Span::current()).or(otherwise)
}

/// Makes a new span a child of another process's. Does nothing if no traces are sent.
pub fn continue_from(span: &Span, parent: TraceParent) {
    let parent = Context::new().with_remote_span_context(parent.into());
    // It fails only where there is nothing to continue: no traces are sent, or the span is filtered out.
    let _ = span.set_parent(parent);
}

/// Adds the event of a verdict to the span of what was judged. It has the outcome and nothing of the answer.
pub fn verdict(span: &Span, outcome: &'static str) {
    let attributes = vec![
        KeyValue::new(names::EVALUATION_NAME, names::CONTRACT),
        KeyValue::new(names::EVALUATION_LABEL, outcome),
    ];
    span.add_event(names::EVALUATION, attributes);
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing::{debug_span, subscriber};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_span_continues_the_trace_of_its_caller() {
        let tracer = SdkTracerProvider::builder().build().tracer("test");
        let layers = tracing_subscriber::registry().with(tracing_opentelemetry::layer().with_tracer(tracer));
        subscriber::with_default(layers, || {
            let span = debug_span!("one");
            continue_from(&span, CALLER.parse().unwrap());
            let own = of(&span).unwrap().to_string();
            assert!(own.starts_with(&CALLER[..36]) && own != CALLER, "{own}");
            span.in_scope(|| assert_eq!(current_or(None), of(&span)));
        });
    }

    #[test]
    fn without_traces_the_callers_context_goes_on() {
        let caller = CALLER.parse().ok();
        subscriber::with_default(tracing_subscriber::registry(), || {
            let span = debug_span!("one");
            continue_from(&span, caller.unwrap());
            assert_eq!(of(&span), None);
            span.in_scope(|| assert_eq!(current_or(caller), caller));
        });
    }
}
