//! Traces across processes: which trace a span belongs to, and what spans and their attributes are called.
//!
//! The trace context is passed on in the W3C form `traceparent`, whether or not this process sends
//! traces: without a collector, the caller's context is passed on unchanged. `tracestate` and
//! `baggage` are not passed on.

mod ambient;
pub mod names;
mod span;
mod traceparent;

pub use ambient::{current, within};
pub use span::{continue_from, count, failed, finish_reason, of, verdict};
pub use traceparent::TraceParent;

/// The name of the HTTP header, and of the key in the `_meta` of MCP.
pub const HEADER: &str = "traceparent";

/// The environment variable that programs are started with.
pub const VARIABLE: &str = "TRACEPARENT";
