//! Explains the role of each byte of a judged text.

use std::ops::Range;

use accord_json::{Exceeded, Meter};

use crate::account::{Account, Source, Span, SpanKind};
use crate::candidates::{self, Candidates};
use crate::contract::Contract;
use crate::limits::MAX_TEXT_BYTES;
use crate::verdict::Verdict;

/// The spans of a judged text, in order and without gaps. Of an accepted answer this is its account. Of a refused one, the
/// stretches that may hold a value are [`SpanKind::Refused`]. White space around candidates is space, not prose.
pub fn explain(
    text: &str,
    verdict: &Verdict,
    contract: &Contract,
    meter: &Meter,
) -> Result<Vec<Span>, Exceeded> {
    // A few passes over the text.
    meter.steps(4 * text.len() as u64)?;
    let mut spans = match verdict {
        Verdict::Accepted(accepted) => accepted.account.spans(text),
        Verdict::Rejected(_) => refused(text, contract),
    };
    let is_blank = |range: &Range<usize>| text.get(range.clone()).is_some_and(|part| part.trim().is_empty());
    for span in &mut spans {
        if span.kind == SpanKind::Prose && is_blank(&span.range) {
            span.kind = SpanKind::Space;
        }
    }
    Ok(spans)
}

fn refused(text: &str, contract: &Contract) -> Vec<Span> {
    let inside = text.trim_start_matches('\u{feff}');
    let found = match contract.options().extracts() {
        _ if text.len() > MAX_TEXT_BYTES => Candidates::default(),
        true => candidates::find(inside),
        false => candidates::whole(inside),
    };
    let candidate = |range: Range<usize>| {
        let span = Span { range: range.clone(), kind: SpanKind::Refused };
        Source { range, spans: Some(vec![span]), read: None }
    };
    let candidates = found.items.into_iter().map(|item| candidate(item.range)).collect();
    Account { outside: found.outside, candidates }.moved(text.len() - inside.len()).spans(text)
}

#[cfg(test)]
mod tests {
    use accord_json::Meter;
    use serde_json::json;

    use super::*;
    use crate::{Answer, Mode, Options, Schema, judge};

    fn explained(text: &str, mode: Mode) -> Vec<(&str, SpanKind)> {
        let schema =
            Schema::compile(&json!({"type": "object", "required": ["a"]}), &Meter::default()).unwrap();
        let options = Options { mode, ..Options::default() };
        let contract = Contract::new(schema).with_options(options);
        let spans = explain(
            text,
            &judge(&Answer::text(text), &contract, &Meter::default()),
            &contract,
            &Meter::default(),
        )
        .unwrap();
        spans.into_iter().map(|span| (&text[span.range], span.kind)).collect()
    }

    #[test]
    fn an_accepted_answer_has_its_account() {
        use SpanKind::{Fence, Prose, Space, Structure, Value};
        assert_eq!(
            explained("So:\n```json\n{\"a\": 1}\n```\n", Mode::Strict),
            [
                ("So:\n", Prose),
                ("```json", Fence),
                ("\n", Space),
                ("{", Structure),
                ("\"", Structure),
                ("a", Value),
                ("\"", Structure),
                (":", Structure),
                (" ", Space),
                ("1", Value),
                ("}", Structure),
                ("\n", Space),
                ("```", Fence),
                ("\n", Space),
            ]
        );
    }

    #[test]
    fn a_rejected_answer_shows_its_candidates() {
        use SpanKind::{Prose, Reasoning, Refused, Space};
        assert_eq!(
            explained("\u{feff}<think>{}</think> no {\"b\": 1} {'a'", Mode::Strict),
            [
                ("\u{feff}", Prose),
                ("<think>{}</think>", Reasoning),
                (" no ", Prose),
                ("{\"b\": 1}", Refused),
                (" ", Space),
                ("{'a'", Refused),
            ]
        );
        assert_eq!(explained("no", Mode::Lenient), [("no", Prose)]);
    }
}
