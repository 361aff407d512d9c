//! The header `traceparent` of W3C Trace Context, version 00.

use std::fmt;
use std::str::FromStr;

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};

/// Which trace and which span of it something belongs to: `00-<trace id>-<span id>-<flags>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    trace: TraceId,
    span: SpanId,
    flags: TraceFlags,
}

/// Why a text is not a `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTraceParent;

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    /// Reads the header. Both ids have to be set, and letters have to be lower case.
    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        let mut parts = text.trim().split('-');
        let mut next = |digits| parts.next().filter(|part| is_hex(part, digits)).ok_or(InvalidTraceParent);
        let (version, trace, span, flags) = (next(2)?, next(32)?, next(16)?, next(2)?);
        if version != "00" || parts.next().is_some() {
            return Err(InvalidTraceParent);
        }
        let context = Self {
            trace: TraceId::from_hex(trace).map_err(|_| InvalidTraceParent)?,
            span: SpanId::from_hex(span).map_err(|_| InvalidTraceParent)?,
            flags: u8::from_str_radix(flags, 16).map(TraceFlags::new).map_err(|_| InvalidTraceParent)?,
        };
        let is_set = context.trace != TraceId::INVALID && context.span != SpanId::INVALID;
        is_set.then_some(context).ok_or(InvalidTraceParent)
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl fmt::Display for TraceParent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace, span, flags } = self;
        write!(formatter, "00-{trace}-{span}-{:02x}", flags.to_u8())
    }
}

impl From<TraceParent> for SpanContext {
    fn from(TraceParent { trace, span, flags }: TraceParent) -> Self {
        Self::new(trace, span, flags, true, TraceState::default())
    }
}

impl TraceParent {
    /// The one that a message names. One that is not valid is ignored, as W3C has it.
    pub fn read(text: Option<&str>) -> Option<Self> {
        text?.parse().ok()
    }

    /// That of a span, if it has one.
    pub(crate) fn of(context: &SpanContext) -> Option<Self> {
        let (trace, span, flags) = (context.trace_id(), context.span_id(), context.trace_flags());
        context.is_valid().then_some(Self { trace, span, flags })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_valid_header_is_read_and_written_alike() {
        for text in [VALID, "00-00000000000000000000000000000001-0000000000000001-00"] {
            assert_eq!(text.parse::<TraceParent>().unwrap().to_string(), text);
        }
        assert_eq!(format!(" {VALID} ").parse::<TraceParent>().unwrap().to_string(), VALID);
    }

    #[test]
    fn anything_else_is_rejected() {
        let longer = format!("{VALID}-x");
        for text in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473\u{e4}-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            &longer,
        ] {
            assert_eq!(text.parse::<TraceParent>(), Err(InvalidTraceParent), "{text}");
        }
    }
}
