//! The trace that a span of this process belongs to. Where no traces are sent, a span belongs to none.

use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Context, KeyValue};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::{TraceParent, names};

/// What the children of a span have as their parent, if traces are sent. The span has begun then, and its own parent is fixed.
pub(crate) fn of(span: &Span) -> Option<TraceParent> {
    TraceParent::of(span.context().span().span_context())
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
