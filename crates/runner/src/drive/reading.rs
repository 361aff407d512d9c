//! From what a session said to what the judge says of it.
//!
//! Only the judge parses. Where the provider was sent a lowered schema, the answer is lifted back before
//! it is judged by the full one: the judge does that with every value that it finds.

use std::sync::{Arc, LazyLock};

use accord_contract::lower::Lift;
use accord_contract::{
    Accepted, Answer as Judgeable, Candidate, Contract, EchoSources, Extract, Meter, Mode, Options, Outcome,
    Rejected, Schema, Source, Verdict, Violation, Violations, judge, same,
};
use accord_executor::{Answer, Stop};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::continuation;
use crate::metered::{brief, metered};

/// An answer and its verdict.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// The judged text, unchanged.
    pub(super) raw: String,
    pub(super) verdict: Verdict,
}

/// Judges the answers of a turn.
#[derive(Debug, Clone)]
pub(super) struct AnswerJudge {
    pub(super) contract: Contract,
    /// Converts back from the lowered schema; `None` if the schema was sent unchanged, or not at all.
    pub(super) lift: Option<Lift>,
    /// The input, for invariants.
    pub(super) input: Value,
    /// What the model was shown and must not repeat.
    pub(super) echo_sources: Arc<EchoSources>,
}

impl AnswerJudge {
    /// Judges an answer. `before` is the text before the cut, if the model was asked to continue; within the turn it
    /// may have been cut off again.
    pub(super) async fn read(
        self,
        answer: &Arc<Answer>,
        before: &str,
        cancel: &CancellationToken,
    ) -> Result<Reading, String> {
        let before = continuation::assembled(before, &answer.before);
        let answer = Arc::clone(answer);
        // A megabyte with invariants takes a while, and other tasks need this thread.
        let work = move |meter: &Meter| match (answer.submissions.as_slice(), &answer.structured) {
            ([_, ..], _) => self.submitted(&answer.submissions, answer.stop == Stop::Truncated, meter),
            ([], Some(value)) => {
                let verdict = self.judge(Some(value), &answer.text, meter);
                let is_empty = answer.text.trim().is_empty();
                let raw = if is_empty { value_text(&verdict) } else { answer.text.clone() };
                Reading { raw, verdict }
            }
            ([], None) if before.is_empty() => {
                Reading { raw: answer.text.clone(), verdict: self.text(&answer.text, meter) }
            }
            ([], None) => self.rest(&before, &answer.text, meter),
        };
        let judged = metered(cancel, work).await;
        judged.map_err(|error| format!("the answer could not be validated: {error}"))
    }

    /// What came after a cut: the rest, or the whole once more, as models like to do. Where more than one thing could be
    /// meant, none is. A joined text is never repaired: the joint may be anywhere in it.
    fn rest(&self, before: &str, text: &str, meter: &Meter) -> Reading {
        if continuation::starts_over(before, text) {
            return Reading { raw: text.to_owned(), verdict: self.text(text, meter) };
        }
        let joined = format!("{before}{text}");
        let options = Options { mode: Mode::Strict, ..self.contract.options() };
        let strictly = Self { contract: self.contract.clone().with_options(options), ..self.clone() };
        let together = strictly.text(&joined, meter);
        let overlapped = continuation::overlapped(before, text).map(|joined| strictly.text(&joined, meter));
        let alone = of_whole(self.text(text, meter));
        let meant: Vec<&Value> = [Some(&together), overlapped.as_ref()]
            .into_iter()
            .filter_map(|verdict| value_of(verdict?))
            .chain(alone.as_ref().map(|alone| &alone.value))
            .collect();
        if let [first, others @ ..] = meant.as_slice()
            && others.iter().any(|other| !same(first, other))
        {
            let message = "ambiguous after the cut; return the whole value again";
            let verdict = rejected(Outcome::Ambiguous, message, (*first).clone());
            return Reading { raw: joined, verdict };
        }
        match alone {
            Some(alone) => Reading { raw: text.to_owned(), verdict: Verdict::Accepted(alone) },
            None => Reading { raw: joined, verdict: together },
        }
    }

    /// Each by itself: what two calls hold together, neither of them said. Two different values that conform are
    /// ambiguous, as they are in one text; repaired values count only if no value conforms unchanged. Of an answer
    /// that was cut off the last one is what was cut, and no earlier draft replaces it.
    fn submitted(&self, submissions: &[String], is_cut: bool, meter: &Meter) -> Reading {
        let raw = submissions.join("\n");
        let verdicts: Vec<Verdict> = submissions.iter().map(|text| self.text(text, meter)).collect();
        if let Some(last @ Verdict::Rejected(_)) = verdicts.last().filter(|_| is_cut) {
            return Reading { raw, verdict: last.clone() };
        }
        let mut accepted = Vec::new();
        let mut refused: Option<Rejected> = None;
        for verdict in verdicts {
            match (verdict, &refused) {
                (Verdict::Accepted(value), _) => accepted.push(value),
                (Verdict::Rejected(next), Some(best)) if errors(&next) >= errors(best) => {}
                (Verdict::Rejected(next), _) => refused = Some(next),
            }
        }
        if !is_cut && accepted.iter().any(|value| value.repairs.is_empty()) {
            accepted.retain(|value| value.repairs.is_empty());
        }
        let verdict = match (accepted.split_first(), refused) {
            (Some((first, others)), _) if others.iter().all(|other| same(&first.value, &other.value)) => {
                Verdict::Accepted(first.clone())
            }
            (Some((first, _)), _) => {
                let message = "several different results were submitted at once; submit exactly one";
                rejected(Outcome::Ambiguous, message, first.value.clone())
            }
            (None, Some(refused)) => Verdict::Rejected(refused),
            (None, None) => self.text(&raw, meter),
        };
        Reading { raw, verdict }
    }

    fn text(&self, text: &str, meter: &Meter) -> Verdict {
        self.judge(None, text, meter)
    }

    fn judge(&self, structured: Option<&Value>, text: &str, meter: &Meter) -> Verdict {
        let meter = meter.anew();
        let lift = self.lift.as_ref().filter(|lift| !lift.is_identity());
        let verdict =
            judge(&Judgeable { text, structured, input: &self.input, lift }, &self.contract, &meter);
        self.echo_sources.refuse_echo(verdict, &self.input, &meter)
    }
}

fn value_of(verdict: &Verdict) -> Option<&Value> {
    match verdict {
        Verdict::Accepted(accepted) => Some(&accepted.value),
        Verdict::Rejected(_) => None,
    }
}

/// The accepted value, if it was not merely a part of the text.
fn of_whole(verdict: Verdict) -> Option<Accepted> {
    match verdict {
        Verdict::Accepted(accepted) if accepted.source != Source::Prose => Some(accepted),
        _ => None,
    }
}

fn errors(rejected: &Rejected) -> usize {
    rejected.violations.errors.len() + rejected.violations.more
}

/// A rejection of the whole value.
fn rejected(outcome: Outcome, message: &str, value: Value) -> Verdict {
    let (path, keyword, message) = ("$".to_owned(), "json".to_owned(), message.to_owned());
    let violation = Violation { path, pointer: String::new(), keyword, message };
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
    let options = Options { strict_json_only: true, extract_json: Extract::NONE, ..Options::default() };
    Some(Contract::new(Schema::compile(&Value::Bool(true), &brief()).ok()?).with_options(options))
});

/// A text as one JSON value, or what is wrong with it.
pub(super) fn parsed(text: &str, meter: &Meter) -> Result<Value, String> {
    let Some(contract) = ANYTHING.as_ref() else { return Err("it cannot be parsed".to_owned()) };
    match judge(&Judgeable::text(text), contract, meter) {
        Verdict::Accepted(accepted) => Ok(accepted.value),
        Verdict::Rejected(rejected) => {
            let first = rejected.violations.errors.into_iter().next();
            Err(first.map_or_else(|| "it cannot be parsed".to_owned(), |violation| violation.message))
        }
    }
}
