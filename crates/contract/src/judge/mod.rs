//! Judging one answer: find the candidates, read them, let the contract decide.
//!
//! The rules that choose are in [`policy`]; this module has what they share. An answer that is one conforming value costs
//! one parse and one validation.

mod echo;
mod join;
mod policy;
mod repaired;
mod report;
mod syntax_hint;

use std::borrow::Cow;
use std::ops::Range;

use accord_json::{Checked, Limits, Meter};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::account::{self, Account, Span};
use crate::candidates::{self, Candidate, Candidates, Joint};
use crate::contract::{Contract, Embedded, Mode};
use crate::limits::{MAX_TEXT_BYTES, MAX_TEXT_VALUES};
use crate::lower::LiftError;
use crate::nested::Facts;
use crate::parse;
use crate::repair::Repair;
use crate::schema::within_one_budget;
use crate::shape::{self, Mended};
use crate::verdict::{Accepted, Answer, Source, Verdict};

/// Decides whether an answer holds exactly one value that keeps the contract.
pub fn judge(answer: &Answer<'_>, contract: &Contract, meter: &Meter) -> Verdict {
    within_one_budget(meter, || verdict(answer, contract, meter))
}

fn verdict(answer: &Answer<'_>, contract: &Contract, meter: &Meter) -> Verdict {
    if answer.text.len() > MAX_TEXT_BYTES {
        return report::text_too_long(answer.text.len());
    }
    if has_too_many_values(answer.text) {
        return report::too_many_values();
    }
    let judge = Judge { answer: *answer, contract, meter };
    let structured = answer.structured.and_then(|value| judge.structured(value));
    let verdict = structured.unwrap_or_else(|| judge.text());
    let Verdict::Accepted(accepted) = verdict else { return verdict };
    if cfg!(debug_assertions) {
        let checked = accepted.account.check(answer.text, &accepted.value);
        debug_assert_eq!(checked, Ok(()), "the account of {:?} as {}", answer.text, accepted.value);
    }
    match is_written_back(&accepted, answer.lift.is_some()) {
        true => Verdict::Accepted(accepted),
        false => report::unwritable(accepted.value),
    }
}

/// Whether a value reads as the same once it is written. What the strict parser gave out as it is was read from JSON; anything else
/// is written and read back, in every build.
fn is_written_back(accepted: &Accepted, is_lifted: bool) -> bool {
    let is_made = !accepted.repairs.is_empty() || is_lifted;
    !is_made || parse::whole(&accepted.value.to_string()).is_ok_and(|again| again == accepted.value)
}

/// Whether more values could be read from a text than the limit. Each takes a bracket or a comma; those in strings do not count if
/// the whole text is JSON, since only then it is certain where strings are.
fn has_too_many_values(text: &str) -> bool {
    let separators = text.bytes().filter(|byte| matches!(byte, b'[' | b'{' | b',')).count();
    let limits = Limits { depth: usize::MAX, values: MAX_TEXT_VALUES, ..Limits::WHOLE };
    separators as u64 >= MAX_TEXT_VALUES
        && (Checked::new(text, limits).is_err() || serde_json::from_str::<IgnoredAny>(text).is_err())
}

struct Judge<'a> {
    answer: Answer<'a>,
    contract: &'a Contract,
    meter: &'a Meter,
}

/// A value and the text that it was read from.
struct Read {
    /// As it is in the text.
    raw: Value,
    /// The same in the form of the schema, where the text has the form that was sent.
    lifted: Option<Value>,
    range: Range<usize>,
    /// `None` if it is valid JSON without repairs.
    spans: Option<Vec<Span>>,
}

impl Read {
    fn value(&self) -> &Value {
        self.lifted.as_ref().unwrap_or(&self.raw)
    }
}

/// A value that keeps the contract, with what was changed to get it.
#[derive(Clone)]
struct Conforming {
    value: Value,
    repairs: Vec<Repair>,
    account: Vec<account::Source>,
}

impl Conforming {
    /// A value that was taken from one reading.
    fn of(read: &Read, value: Value, repairs: Vec<Repair>) -> Self {
        let same = read.raw == value;
        let account = account::Source {
            range: read.range.clone(),
            spans: read.spans.clone(),
            read: (!same).then(|| read.raw.clone()),
        };
        Self { value, repairs, account: vec![account] }
    }
}

/// A candidate as far as it could be read, and what the contract made of it.
struct Judged {
    source: Source,
    range: Range<usize>,
    joint: Option<Joint>,
    read: Option<Read>,
    conforming: Option<Conforming>,
    /// Two different values that it could be read as.
    twice: Option<(Value, Value)>,
    /// Whether it conforms without repairs, so that strict mode takes it.
    is_plain: bool,
    /// Whether it could be meant as the answer.
    contends: bool,
    /// Whether brackets were missing, so that a member could be in more than one object.
    guessed: bool,
}

impl Judged {
    /// A candidate that does not conform so far.
    fn of(item: &Candidate, read: Option<Read>) -> Self {
        Self {
            source: item.source,
            range: item.range.clone(),
            joint: item.joint,
            read,
            conforming: None,
            twice: None,
            is_plain: false,
            contends: false,
            guessed: false,
        }
    }
}

impl Judge<'_> {
    fn facts(&self) -> &Facts {
        self.contract.facts()
    }

    fn is_lenient(&self) -> bool {
        self.contract.options().mode == Mode::Lenient
    }

    /// Whether a value keeps the whole contract, and is not the schema given back.
    fn passes(&self, value: &Value) -> bool {
        self.contract.schema().is_valid(value) && self.keeps_invariants(value) && !self.is_echo(value)
    }

    fn keeps_invariants(&self, value: &Value) -> bool {
        let invariants = self.contract.invariants();
        invariants.is_empty() || invariants.check(value, self.answer.input).is_empty()
    }

    /// Changes the shape of a value so that it passes, without loss.
    fn mend(&self, value: &Value) -> Option<Mended> {
        let mended = shape::mend(self.contract.schema(), value)?;
        (self.keeps_invariants(&mended.value) && !self.is_echo(&mended.value)).then_some(mended)
    }

    /// A value in the form of the schema. The form that was sent is never the answer itself.
    fn lifted(&self, value: Value) -> Result<Value, LiftError> {
        match self.answer.lift {
            Some(lift) => lift.lift(value, self.meter),
            None => Ok(value),
        }
    }

    /// As above, borrowed where nothing changes; `None` where lifting fails.
    fn stands_for<'v>(&self, value: &'v Value) -> Option<Cow<'v, Value>> {
        match self.answer.lift {
            Some(lift) => lift.lift(value.clone(), self.meter).ok().map(Cow::Owned),
            None => Some(Cow::Borrowed(value)),
        }
    }

    fn structured(&self, value: &Value) -> Option<Verdict> {
        let lifted = match self.lifted(value.clone()) {
            Ok(lifted) => lifted,
            Err(error) => return Some(report::unlifted(&error, report::read(value.clone()))),
        };
        let (value, repairs) = match self.passes(&lifted) {
            true => (lifted, Vec::new()),
            false => {
                let mended = self.is_lenient().then(|| self.mend(&lifted)).flatten()?;
                (mended.value, mended.repairs)
            }
        };
        Some(Verdict::Accepted(Accepted {
            value,
            repairs,
            source: Source::Structured,
            account: Account::default(),
        }))
    }

    fn text(&self) -> Verdict {
        let text = self.answer.text.trim_start_matches('\u{feff}');
        let Ok(raw) = parse::whole(text) else {
            let found = match self.contract.options().extracts() {
                true => candidates::find(text),
                false => candidates::whole(text),
            };
            return self.choose(text, found);
        };
        let start = text.len() - text.trim_start().len();
        let range = start..text.trim_end().len();
        if self.answer.lift.is_none() && self.passes(&raw) {
            let account = Account::clean(range, None);
            return self.accept(text, raw, Vec::new(), Source::Text, account);
        }
        let region = range.clone();
        let only =
            Candidate { source: Source::Text, range, reading: Ok(raw), is_part: false, joint: None, region };
        self.choose(text, Candidates { items: vec![only], ..Candidates::default() })
    }

    /// An accepted value in the form that the model was asked for.
    fn as_asked(&self, value: Value, account: Account) -> Value {
        let mut candidates = account.candidates;
        let only = candidates.pop().filter(|_| candidates.is_empty() && self.answer.lift.is_some());
        only.and_then(|only| only.read).unwrap_or(value)
    }

    /// Accepts a value, unless it has to be confirmed. The account is moved after a byte-order mark, which is not part of
    /// `text`.
    fn accept(
        &self,
        text: &str,
        value: Value,
        mut repairs: Vec<Repair>,
        source: Source,
        account: Account,
    ) -> Verdict {
        if source == Source::Prose && self.contract.options().embedded == Embedded::Confirm {
            return report::unconfirmed(self.as_asked(value, account));
        }
        let mark = self.answer.text.len() - text.len();
        let account = account.moved(mark);
        repairs.iter_mut().filter_map(|repair| repair.at.as_mut()).for_each(|at| *at += mark);
        Verdict::Accepted(Accepted { value, repairs, source, account })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Number, json};

    use super::*;
    use crate::repair::RepairKind;

    #[test]
    fn only_what_reads_as_the_same_is_given_out() {
        let accepted = |value: Value, repairs: Vec<Repair>| Accepted {
            value,
            repairs,
            source: Source::Structured,
            account: Account::default(),
        };
        let repair = || vec![Repair::of_whole(RepairKind::NumberForm, "")];
        for written in [".", "1.", "", "1,2"] {
            let value = Value::Array(vec![Value::Number(Number::from_string_unchecked(written.to_owned()))]);
            assert!(!is_written_back(&accepted(value.clone(), repair()), false), "{written}");
            assert!(!is_written_back(&accepted(value, Vec::new()), true), "{written}");
        }
        assert!(is_written_back(&accepted(json!({"n": [1.5, "\u{7f}\n", null]}), repair()), true));
    }
}
