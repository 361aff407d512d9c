//! The report about an answer that does not meet its contract.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use super::{Judge, Judged, Read, syntax_hint};
use crate::candidates::Candidate;
use crate::contract::Options;
use crate::limits::{MAX_CANDIDATE_STARTS, MAX_TEXT_BYTES, MAX_TEXT_VALUES};
use crate::lower::LiftError;
use crate::parse::ParseErrorKind;
use crate::verdict::{self, Outcome, Rejected, Source, Verdict};
use crate::violation::{Violation, Violations};

/// How many candidates are compared to find the closest. Violations are worded for each.
const MAX_COMPARED: usize = 8;

impl Judge<'_> {
    /// The reasons, taken from the candidate that came closest.
    pub(super) fn reject(&self, text: &str, here: &[(&Candidate, &Judged)]) -> Verdict {
        let offset = self.answer.text.len() - text.len();
        let is_deep = |(item, _): &&(&Candidate, &Judged)| matches!(&item.reading, Err(error) if error.kind == ParseErrorKind::TooDeep);
        if let Some((item, _)) =
            here.iter().find(is_deep).filter(|_| here.iter().all(|(item, _)| item.reading.is_err()))
        {
            return reject_unread(text, offset, item);
        }
        let reads = here.iter().filter_map(|(_, judged)| Some((judged.source, judged.read.as_ref()?)));
        let mut closest: Option<(usize, Rejected)> = None;
        for (source, read) in reads.take(MAX_COMPARED) {
            let rejected = self.reject_value(offset, source, read);
            let distance = distance(&rejected);
            if closest.as_ref().is_none_or(|(least, _)| distance < *least) {
                closest = Some((distance, rejected));
            }
        }
        if let Some((_, rejected)) = closest {
            return Verdict::Rejected(rejected);
        }
        if let Some(value) = self.answer.structured {
            return Verdict::Rejected(self.reject_structured(value));
        }
        if let Some(unlifted) = here.iter().find_map(|(item, _)| self.reject_unlifted(offset, item)) {
            return unlifted;
        }
        match here.iter().find(|(item, _)| item.reading.is_err() || item.is_part) {
            Some((item, _)) => reject_unread(text, offset, item),
            None => no_json(text),
        }
    }

    fn reject_value(&self, offset: usize, source: Source, read: &Read) -> Rejected {
        let value = read.value();
        let range = Some(read.range.start + offset..read.range.end + offset);
        let candidate = Some(verdict::Candidate { range, value: Some(value.clone()) });
        if self.passes(value) {
            let options = self.contract.options();
            if !options.takes(source) {
                let message = embedded(options, source);
                return Rejected::because(Outcome::Embedded, "json", message, candidate);
            }
            let message = "ambiguous because of the text around it; return only the value, as valid JSON";
            return Rejected::because(Outcome::ParseError, "json", message, candidate);
        }
        self.reject_read(value, candidate)
    }

    /// A value that was read and cannot be converted to a single value.
    fn reject_unlifted(&self, offset: usize, item: &Candidate) -> Option<Verdict> {
        let raw = item.reading.as_ref().ok().filter(|_| !item.is_part)?;
        let error = self.answer.lift?.lift(raw.clone(), self.meter).err()?;
        let range = Some(item.range.start + offset..item.range.end + offset);
        Some(unlifted(&error, verdict::Candidate { range, value: Some(raw.clone()) }))
    }

    fn reject_structured(&self, value: &Value) -> Rejected {
        let value = self.stands_for(value).unwrap_or(Cow::Borrowed(value));
        self.reject_read(
            &value,
            Some(verdict::Candidate { range: None, value: Some(value.clone().into_owned()) }),
        )
    }

    fn reject_read(&self, value: &Value, candidate: Option<verdict::Candidate>) -> Rejected {
        if self.is_echo(value) {
            let message = "this is the schema itself; return data that conforms to it";
            return Rejected::because(Outcome::SchemaEcho, "json", message, candidate);
        }
        let violations = self.contract.schema().violations(value);
        if !violations.errors.is_empty() {
            return Rejected { outcome: Outcome::SchemaInvalid, violations, candidate };
        }
        let errors = self.contract.invariants().check(value, self.answer.input);
        Rejected { outcome: Outcome::InvariantFailed, violations: Violations { errors, more: 0 }, candidate }
    }
}

/// A value in the lowered form that cannot be converted to a single value.
pub(super) fn unlifted(error: &LiftError, candidate: verdict::Candidate) -> Verdict {
    let violation = Violation {
        path: error.path.clone(),
        pointer: error.pointer.clone(),
        keyword: "json".to_owned(),
        message: error.message.clone(),
    };
    Verdict::Rejected(Rejected {
        outcome: Outcome::SchemaInvalid,
        violations: Violations { errors: vec![violation], more: 0 },
        candidate: Some(candidate),
    })
}

/// Broken invariants are closest, then the fewest violations; a schema given back is furthest.
fn distance(rejected: &Rejected) -> usize {
    let count = rejected.violations.errors.len() + rejected.violations.more;
    match rejected.outcome {
        Outcome::InvariantFailed | Outcome::ParseError | Outcome::Embedded => 0,
        Outcome::SchemaEcho => usize::MAX,
        _ => count,
    }
}

fn reject_unread(text: &str, offset: usize, item: &Candidate) -> Verdict {
    let range = Some(item.range.start + offset..item.range.end + offset);
    let Err(error) = &item.reading else {
        let message = "the text next to this value may belong to it; return only the value, as valid JSON";
        let candidate = verdict::Candidate { range, value: item.reading.as_ref().ok().cloned() };
        return Verdict::Rejected(Rejected::because(Outcome::ParseError, "json", message, Some(candidate)));
    };
    let before = text.get(..error.at.min(text.len())).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let message =
        format!("invalid JSON at line {line}, column {column}: {}", syntax_hint::explain(text, error));
    let candidate =
        verdict::Candidate { range: Some(item.range.start + offset..error.at + offset), value: None };
    Verdict::Rejected(Rejected::because(Outcome::ParseError, "json", message, Some(candidate)))
}

/// A value that was read and is not accepted.
pub(super) fn read(value: Value) -> verdict::Candidate {
    verdict::Candidate { range: None, value: Some(value) }
}

fn no_json(text: &str) -> Verdict {
    let message = match text.trim().is_empty() {
        true => "the answer is empty; return a JSON value",
        false => "no JSON value found in the answer",
    };
    Verdict::Rejected(Rejected::because(Outcome::NoJson, "json", message, None))
}

/// Where a value was found, and where the contract accepts one.
fn embedded(options: Options, source: Source) -> String {
    let expected = match (options.takes(Source::Fence), options.takes(Source::Prose)) {
        (true, _) => "expected the value alone or in a code fence",
        (false, true) => "expected the value alone or in prose",
        (false, false) => "expected the value alone",
    };
    let got = if source == Source::Fence { "it in a code fence" } else { "it in other text" };
    format!("{expected}, got {got}")
}

/// A value that passes and that the model has to give alone before it is accepted.
pub(super) fn unconfirmed(value: Value) -> Verdict {
    let message = "the value stands in other text and is not confirmed; give the value alone";
    Verdict::Rejected(Rejected::because(Outcome::Unconfirmed, "json", message, Some(read(value))))
}

pub(super) fn ambiguous(first: &Value, second: &Value) -> Verdict {
    let (first, second) = (shorten(&first.to_string()), shorten(&second.to_string()));
    let message = format!("two different values could be meant: {first} and {second}; return exactly one");
    Verdict::Rejected(Rejected::because(Outcome::Ambiguous, "json", message, None))
}

/// A value that conforms, and another that cannot be read.
pub(super) fn ambiguous_text(first: &Value, text: &str, second: Range<usize>) -> Verdict {
    let (first, second) = (shorten(&first.to_string()), shorten(text.get(second).unwrap_or_default()));
    let message = format!(
        "two different values could be meant: {first}, and one that is not valid JSON: {second}; return exactly one"
    );
    Verdict::Rejected(Rejected::because(Outcome::Ambiguous, "json", message, None))
}

/// Enough of a value to tell it from another.
fn shorten(text: &str) -> String {
    const SHOWN: usize = 120;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A value that reads differently once it is written. This is a bug, and a wrong value would be worse.
pub(super) fn unwritable(value: Value) -> Verdict {
    let message = "the value cannot be written as JSON without a change; return valid JSON";
    Verdict::Rejected(Rejected::because(Outcome::ParseError, "json", message, Some(read(value))))
}

pub(super) fn text_too_long(bytes: usize) -> Verdict {
    let message = format!("the answer has {bytes} bytes; the limit is {MAX_TEXT_BYTES}");
    Verdict::Rejected(Rejected::because(Outcome::ParseError, "limit", message, None))
}

pub(super) fn too_many_values() -> Verdict {
    let message = format!("the answer has more than {MAX_TEXT_VALUES} values, the limit");
    Verdict::Rejected(Rejected::because(Outcome::ParseError, "limit", message, None))
}

pub(super) fn too_many_starts() -> Verdict {
    let message =
        format!("the text has more than {MAX_CANDIDATE_STARTS} positions where a value could start");
    Verdict::Rejected(Rejected::because(Outcome::ParseError, "limit", message, None))
}
