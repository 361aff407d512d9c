//! The account of an accepted value: what each byte of the answer belongs to.
//!
//! Spans cover the text without gap or overlap. Inside a candidate a byte is part of a key or
//! scalar that is in the result, structure, space, a comment, or one of the closed list of repairs.
//! Outside it is prose, a fence, reasoning, or text that is not the model's. A repair that only
//! adds something has an empty span. [`Account::check`] verifies all of this independently.

mod check;
pub(crate) mod strict;

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::repair::RepairKind;

/// A part of the text and its role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The bytes; empty where a repair adds something.
    pub range: Range<usize>,
    /// Their role.
    pub kind: SpanKind,
}

/// The role of a byte of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Part of a key or a scalar of the result.
    Value,
    /// A bracket, comma, colon or quote.
    Structure,
    /// White space inside the candidate.
    Space,
    /// A comment inside the candidate.
    Comment,
    /// Consumed or added by a repair.
    Repair(RepairKind),
    /// Text around the candidate.
    Prose,
    /// The marks of a fenced block.
    Fence,
    /// Reasoning of the model.
    Reasoning,
    /// Text that is not the model's answer, such as the result of a tool.
    Disowned,
    /// Text that may hold a value, of an answer that was refused. No accepted value has it in its account.
    Refused,
}

/// Why an account is wrong. This is a bug, so callers only show it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AccountError(String);

/// The account of one accepted value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Account {
    /// The parts outside the candidates, in order. Text that is in no span here and in no candidate
    /// is prose.
    pub(crate) outside: Vec<Span>,
    /// What the value was read from, in order; more than one where values were joined into a list.
    pub(crate) candidates: Vec<Source>,
}

/// One stretch that a value was read from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Source {
    pub(crate) range: Range<usize>,
    /// The spans inside; `None` for a value without repairs, whose spans follow from the grammar of JSON.
    pub(crate) spans: Option<Vec<Span>>,
    /// The value that was read, if it differs from the accepted one: it was lifted, joined, or
    /// changed in shape.
    pub(crate) read: Option<Value>,
}

impl Account {
    /// The account of a value without repairs.
    pub(crate) fn clean(range: Range<usize>, read: Option<Value>) -> Self {
        Self { outside: Vec::new(), candidates: vec![Source { range, spans: None, read }] }
    }

    /// The account of the text with this many bytes before it.
    pub(crate) fn moved(mut self, by: usize) -> Self {
        if by > 0 {
            let inside =
                self.candidates.iter_mut().flat_map(|candidate| candidate.spans.iter_mut().flatten());
            for span in self.outside.iter_mut().chain(inside) {
                span.range = span.range.start + by..span.range.end + by;
            }
            for candidate in &mut self.candidates {
                candidate.range = candidate.range.start + by..candidate.range.end + by;
            }
        }
        self
    }

    /// Every byte of the text, in order. `text` is the text that was judged.
    pub fn spans(&self, text: &str) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut at = 0;
        let mut outside = self.outside.iter().peekable();
        for candidate in &self.candidates {
            self::cover(&mut spans, &mut outside, at..candidate.range.start);
            match &candidate.spans {
                Some(inside) => spans.extend(inside.iter().cloned()),
                None => strict::spans(text, candidate.range.clone(), &mut spans),
            }
            at = candidate.range.end;
        }
        self::cover(&mut spans, &mut outside, at..text.len());
        spans
    }

    /// Whether the account is complete and says what `value` says. An error names the first byte that is wrong.
    pub fn check(&self, text: &str, value: &Value) -> Result<(), AccountError> {
        // A value that the provider returned in structured form was not read from a text.
        if self.candidates.is_empty() {
            return Ok(());
        }
        let spans = self.spans(text);
        check::covers(text, &spans)?;
        for candidate in &self.candidates {
            let first = spans.partition_point(|span| span.range.start < candidate.range.start);
            let behind = spans.partition_point(|span| span.range.start <= candidate.range.end);
            let inside: Vec<&Span> = spans
                .get(first..behind)
                .unwrap_or_default()
                .iter()
                .filter(|span| span.range.end <= candidate.range.end && !is_outside(span.kind))
                .collect();
            check::says(text, &inside, candidate.read.as_ref().unwrap_or(value))?;
        }
        Ok(())
    }
}

fn is_outside(kind: SpanKind) -> bool {
    matches!(kind, SpanKind::Prose | SpanKind::Fence | SpanKind::Reasoning | SpanKind::Disowned)
}

/// Adds the spans outside of candidates in a range; the rest is prose.
fn cover<'a>(
    spans: &mut Vec<Span>,
    outside: &mut std::iter::Peekable<impl Iterator<Item = &'a Span>>,
    range: Range<usize>,
) {
    let mut at = range.start;
    while let Some(span) = outside.next_if(|span| span.range.start < range.end) {
        let (start, end) = (span.range.start.max(at), span.range.end.min(range.end));
        if start >= end {
            continue;
        }
        if start > at {
            spans.push(Span { range: at..start, kind: SpanKind::Prose });
        }
        spans.push(Span { range: start..end, kind: span.kind });
        at = end;
    }
    if at < range.end {
        spans.push(Span { range: at..range.end, kind: SpanKind::Prose });
    }
}
