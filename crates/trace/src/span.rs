//! The trace that a span of this process belongs to. Where no traces are sent, a span belongs to none.

use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::{TraceParent, names};

/// What the children of a span have as their parent, if traces are sent. The span has begun then, and its own parent is fixed.
pub fn of(span: &Span) -> Option<TraceParent> {
    TraceParent::of(span.context().span().span_context())
}

/// Makes a new span a child of another process's. Does nothing if no traces are sent.
pub fn continue_from(span: &Span, parent: TraceParent) {
    let parent = Context::new().with_remote_span_context(parent.into());
    // It fails only where there is nothing to continue: no traces are sent, or the span is filtered out.
    let _ = span.set_parent(parent);
}

/// A count as traces hold it. Unsigned numbers would arrive as texts there.
pub fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Says that what a span stands for has failed: the type of the error, for figures, and a sentence without content.
pub fn failed(span: &Span, error_type: &str, message: &str) {
    span.record(names::ERROR_TYPE, error_type);
    span.record(names::STATUS_MESSAGE, message).record(names::STATUS_CODE, "ERROR");
}

/// Why an answer ended. It is a list, which only OpenTelemetry's own interface can set.
pub fn finish_reason(span: &Span, reason: &'static str) {
    let reasons = Array::String(vec![StringValue::from(reason)]);
    span.set_attribute(names::FINISH_REASONS, Value::Array(reasons));
}

/// Adds the event of a verdict to the span of what was judged. It has the outcome and nothing of the answer.
pub fn verdict(span: &Span, outcome: &'static str) {
    let attributes = vec![
        KeyValue::new(names::EVALUATION_NAME, names::CONTRACT),
        KeyValue::new(names::EVALUATION_LABEL, outcome),
    ];
    span.add_event(names::EVALUATION, attributes);
}
