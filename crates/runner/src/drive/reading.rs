//! From what a session said to what the judge says of it.
//!
//! The judge is the only one who parses. Where the provider was sent a lowered schema, the answer is lifted back before
//! it is judged by the full one, and only what it was lifted to is judged.

use std::sync::LazyLock;

use accord_contract::lower::{Lift, LiftError};
use accord_contract::{
    Accepted, Answer as Judgeable, Candidate, Contract, Mode, Options, Outcome, Rejected, RepairKind, Schema,
    Source, Verdict, Violation, Violations, judge, same,
};
use accord_executor::Answer;
use serde_json::Value;

/// What was said and what it is worth.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// What was judged, as it was said.
    pub(super) raw: String,
    pub(super) verdict: Verdict,
}

/// What an answer is judged by.
#[derive(Debug, Clone)]
pub(super) struct Bench {
    pub(super) contract: Contract,
    /// The way back from the lowered schema; none where the schema was sent as it is, or not at all.
    pub(super) lift: Option<Lift>,
    /// What was asked, for invariants.
    pub(super) input: Value,
}

impl Bench {
    /// Judges an answer. `before` is what the model had said until it was cut off and was asked to go on.
    pub(super) async fn read(self, answer: &Answer, before: &str) -> Result<Reading, String> {
        let (submissions, structured) = (answer.submissions.clone(), answer.structured.clone());
        let (before, text) = (before.to_owned(), answer.text.clone());
        // A megabyte with invariants takes a while, and others wait for this thread.
        let work = move || match (submissions.is_empty(), structured) {
            (false, _) => self.submitted(submissions),
            (true, Some(value)) => {
                let verdict = self.value(value, &text);
                let raw = if text.trim().is_empty() { value_text(&verdict) } else { text };
                Reading { raw, verdict }
            }
            (true, None) if before.is_empty() => {
                let verdict = self.text(&text);
                Reading { raw: text, verdict }
            }
            (true, None) => self.rest(&before, text),
        };
        let judged = tokio::task::spawn_blocking(work).await;
        judged.map_err(|error| format!("the answer could not be judged: {error}"))
    }

    /// What came after a cut: the rest, or the whole once more, as models like to do. Where both could be meant, neither is.
    /// What is put together is never repaired: its seam may run through anything.
    fn rest(&self, before: &str, text: String) -> Reading {
        let joined = format!("{before}{text}");
        let options = Options { mode: Mode::Strict, ..self.contract.options() };
        let strictly = Self { contract: self.contract.clone().with_options(options), ..self.clone() };
        let together = strictly.text(&joined);
        match (of_whole(self.text(&text)), together) {
            (Some(alone), Verdict::Accepted(both)) if !same(&alone.value, &both.value) => {
                let message = "after the cut, this may be the rest or the whole; give the whole value again";
                Reading { raw: joined, verdict: rejected(Outcome::Ambiguous, message, alone.value) }
            }
            (Some(alone), _) => Reading { raw: text, verdict: Verdict::Accepted(alone) },
            (None, verdict) => Reading { raw: joined, verdict },
        }
    }

    fn submitted(&self, mut submissions: Vec<String>) -> Reading {
        let raw = submissions.join("\n");
        let values: Option<Vec<Value>> = submissions.iter().map(|text| parsed(text).ok()).collect();
        let all_same = values.as_deref().is_some_and(|values| values.windows(2).all(same_pair));
        if all_same {
            submissions.truncate(1);
        }
        let verdict = match submissions.as_slice() {
            [one] => self.text(one),
            several => self.several(several),
        };
        Reading { raw, verdict }
    }

    /// All of them together: two different values that conform are ambiguous, as they are in one text.
    fn several(&self, texts: &[String]) -> Verdict {
        let mut lifted = Vec::new();
        for text in texts {
            match (self.changing_lift(), parsed(text)) {
                (Some(lift), Ok(value)) => match lift.lift(value.clone()) {
                    Ok(value) => lifted.push(value.to_string()),
                    Err(error) => return unlifted(&error, value),
                },
                _ => lifted.push(text.clone()),
            }
        }
        self.judge(None, &lifted.join("\n"))
    }

    fn text(&self, text: &str) -> Verdict {
        let lifted = self.changing_lift().and_then(|lift| {
            let found = self.found(text)?;
            let verdict = self.lifted(lift, &found.value)?;
            Some(behind(found, verdict))
        });
        lifted.unwrap_or_else(|| self.judge(None, text))
    }

    fn value(&self, value: Value, text: &str) -> Verdict {
        match self.changing_lift().and_then(|lift| self.lifted(lift, &value)) {
            None => self.judge(Some(&value), text),
            Some(Verdict::Rejected(wanting)) if !text.trim().is_empty() => match self.text(text) {
                Verdict::Rejected(_) => Verdict::Rejected(wanting),
                accepted => accepted,
            },
            Some(verdict) => verdict,
        }
    }

    /// The verdict on what a value stands for, where that is something else than the value itself. Then it is all that
    /// counts: the lowered form may keep an open schema by chance, and errors in it would speak of places that the
    /// schema does not have.
    fn lifted(&self, lift: &Lift, value: &Value) -> Option<Verdict> {
        match lift.lift(value.clone()) {
            Ok(lifted) if lifted == *value => None,
            Ok(lifted) => Some(self.judge(Some(&lifted), "")),
            Err(error) => Some(unlifted(&error, value.clone())),
        }
    }

    /// The one value that a text holds, whatever it is, read as the contract says that answers are read.
    fn found(&self, text: &str) -> Option<Accepted> {
        let anything = Contract::new(Schema::compile(&Value::Bool(true)).ok()?);
        let anything = anything.with_options(self.contract.options());
        match judge(&Judgeable::text(text), &anything) {
            Verdict::Accepted(accepted) => Some(accepted),
            Verdict::Rejected(_) => None,
        }
    }

    fn judge(&self, structured: Option<&Value>, text: &str) -> Verdict {
        let answer = Judgeable { text, structured, input: &self.input };
        judge(&answer, &self.contract)
    }

    fn changing_lift(&self) -> Option<&Lift> {
        self.lift.as_ref().filter(|lift| !lift.is_identity())
    }
}

/// A verdict on what was lifted, with where it stood and what was mended to read it.
fn behind(found: Accepted, verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Accepted(Accepted { value, repairs, .. }) => {
            let repairs = found.repairs.into_iter().chain(repairs).collect();
            Verdict::Accepted(Accepted { value, repairs, source: found.source })
        }
        rejected => rejected,
    }
}

/// What was accepted, if it was no mere part of the text.
fn of_whole(verdict: Verdict) -> Option<Accepted> {
    match verdict {
        Verdict::Accepted(accepted) if accepted.source != Source::Prose => Some(accepted),
        _ => None,
    }
}

fn same_pair(pair: &[Value]) -> bool {
    matches!(pair, [left, right] if same(left, right))
}

fn unlifted(error: &LiftError, value: Value) -> Verdict {
    let violation = Violation {
        path: error.path.clone(),
        pointer: error.pointer.clone(),
        keyword: "json".to_owned(),
        message: error.message.clone(),
    };
    with_one(Outcome::SchemaInvalid, violation, value)
}

/// A rejection of the whole value.
fn rejected(outcome: Outcome, message: &str, value: Value) -> Verdict {
    let (path, keyword, message) = ("$".to_owned(), "json".to_owned(), message.to_owned());
    with_one(outcome, Violation { path, pointer: String::new(), keyword, message }, value)
}

fn with_one(outcome: Outcome, violation: Violation, value: Value) -> Verdict {
    Verdict::Rejected(Rejected {
        outcome,
        violations: Violations { errors: vec![violation], more: 0 },
        candidate: Some(Candidate { range: None, value: Some(value) }),
    })
}

fn value_text(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Accepted(accepted) => accepted.value.to_string(),
        Verdict::Rejected(rejected) => {
            let value = rejected.candidate.as_ref().and_then(|candidate| candidate.value.as_ref());
            value.map(Value::to_string).unwrap_or_default()
        }
    }
}

/// Any value, and nothing around it.
static ANYTHING: LazyLock<Option<Contract>> = LazyLock::new(|| {
    let options = Options { strict_json_only: true, extract_json: false, ..Options::default() };
    Some(Contract::new(Schema::compile(&Value::Bool(true)).ok()?).with_options(options))
});

/// A text as one JSON value, or what is wrong with it.
pub(super) fn parsed(text: &str) -> Result<Value, String> {
    let Some(contract) = ANYTHING.as_ref() else { return Err("it cannot be read".to_owned()) };
    match judge(&Judgeable::text(text), contract) {
        Verdict::Accepted(accepted) => Ok(accepted.value),
        Verdict::Rejected(rejected) => {
            let first = rejected.violations.errors.into_iter().next();
            Err(first.map_or_else(|| "it cannot be read".to_owned(), |violation| violation.message))
        }
    }
}

/// The same verdict on an answer that was cut off. A value that is the whole text is whole, unless it is a number, which may
/// have had more digits; and where the judge says that it mended the cut itself, it took the value that was cut. One that was
/// found somewhere may be an example before the answer that is missing.
pub(super) fn of_cut(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Accepted(Accepted { source, value, repairs })
            if value.is_number()
                || (matches!(source, Source::Fence | Source::Prose)
                    && repairs.iter().all(|repair| repair.kind != RepairKind::Truncated)) =>
        {
            rejected(Outcome::ParseError, "the answer was cut off before its end", value)
        }
        other => other,
    }
}
