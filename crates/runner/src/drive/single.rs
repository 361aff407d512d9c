//! Runs of one turn: commands, which are never run twice, and answers that the coordinator judges.

use std::sync::Arc;

use accord_api::{Failure, HeldAnswer, Strategy, Unmet, Validation, attempt};
use accord_contract::prompt::Form;
use accord_contract::{Meter, Rejected, Verdict};
use accord_executor::{Answer, Stop};
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use super::failure;
use super::history::History;
use super::offers::Rung;
use super::reading::{AnswerJudge, Reading, parsed};
use super::recorded_verdict::{error, outcome, repair, value_source};
use super::turns::{Judged, NoAnswer, TurnOutcome, Turns};
use super::{RunEnd, request};
use crate::assignment::Terms;
use crate::limits::SHOWN_OUTPUT_BYTES;
use crate::metered::metered;
use crate::text::beginning;

/// Some systems put it in front of every text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// How a command is held to its contract: in no way that could be compared with others, since no model is asked.
const OF_A_COMMAND: Strategy = Strategy::Auto;

/// One answer, which the coordinator validates. A refusal, and a turn without an answer, are
/// reported here, because the coordinator only learns that the run failed.
pub(super) async fn held(turns: &mut Turns<'_>, terms: Option<&Terms>) -> RunEnd {
    if let Some(words) = terms.and_then(|terms| not_by_words(terms.contract.strategy)) {
        return failure::executor(words);
    }
    let assignment = turns.assignment;
    let (system, prompt) = match terms {
        Some(terms) => {
            let (schema, cancel) = (terms.compiled.schema().clone(), turns.budget.stop());
            let form = match metered(cancel, move |meter| Form::new(&schema, true, meter)).await {
                Ok(Ok(form)) => form,
                _ if cancel.is_cancelled() => return RunEnd::Stopped,
                Ok(Err(exceeded)) => {
                    return failure::executor(format!(
                        "the output schema cannot be put into a form for the model: {exceeded}; make it smaller"
                    ));
                }
                Err(message) => return failure::executor(message),
            };
            (
                request::system_under(assignment, terms, Rung::Prompt, &form),
                request::task_under(assignment, terms, Rung::Prompt, &form),
            )
        }
        None => (request::system(assignment), request::task(assignment)),
    };
    let asked = turns.ask(request::without_contract(system, prompt, assignment.model.clone())).await;
    let re_prompt = assignment.retry_prompt.clone();
    match asked.result.as_deref() {
        Err(why) => {
            turns.record_unanswered(&asked, why, Strategy::Prompt, re_prompt).await;
            failure::unanswered(why)
        }
        Ok(answer @ Answer { stop: Stop::Refused(words), .. }) => {
            let text = if answer.text.is_empty() { words } else { &answer.text }.clone();
            let judged = Judged { strategy: Strategy::Prompt, ..judged(answer, attempt::Outcome::Refused) };
            turns.record(&asked, Judged { text, prompt: re_prompt, ..judged }).await;
            failure::refused(words, turns.attempts())
        }
        Ok(answer) => RunEnd::Answered(HeldAnswer {
            text: answer.text.clone(),
            structured: answer
                .structured
                .as_ref()
                .and_then(|value| RawValue::from_string(value.to_string()).ok()),
            truncated: answer.stop == Stop::Truncated,
            model: answer.model.clone(),
            duration_ms: asked.milliseconds,
        }),
    }
}

/// Why a strategy cannot be had where the coordinator judges: the schema is described in the prompt, and no provider gets it.
fn not_by_words(strategy: Strategy) -> Option<String> {
    match strategy {
        Strategy::Auto | Strategy::Prompt => None,
        Strategy::Native | Strategy::Tool => Some(format!(
            "the strategy '{}' cannot be used here: the coordinator enforces the contract of this executor by prompt only; use 'prompt' or 'auto'",
            strategy.as_str()
        )),
    }
}

/// Runs a command once. Its output is the result if it is one JSON value and meets the contract.
pub(super) async fn procedural(turns: &mut Turns<'_>, terms: Option<&Terms>) -> RunEnd {
    let assignment = turns.assignment;
    let turn = request::without_contract(
        request::system(assignment),
        request::task(assignment),
        assignment.model.clone(),
    );
    let asked = turns.ask(turn).await;
    let answer = match &asked.result {
        Ok(answer) => Arc::clone(answer),
        Err(why) => {
            turns.record_unanswered(&asked, why, OF_A_COMMAND, None).await;
            return unanswered(why, turns.said_beside());
        }
    };
    let (read, cancel) = (Arc::clone(&answer), turns.budget.stop());
    let read = match metered(cancel, move |meter| alone(&read.text, meter)).await {
        _ if cancel.is_cancelled() => return RunEnd::Stopped,
        Ok(read) => read,
        Err(message) => return failure::executor(message),
    };
    match (read, terms) {
        (Err(reason), _) => unread(turns, &asked, &answer, &reason).await,
        (Ok(_), Some(terms)) => under(turns, &asked, &answer, terms).await,
        (Ok(value), None) => {
            turns.record(&asked, judged(&answer, attempt::Outcome::Accepted)).await;
            RunEnd::Data { value, raw: answer.text.clone(), validation: None }
        }
    }
}

/// The end of a command without output. One that was killed at its time limit has not reported what it wrote.
fn unanswered(why: &NoAnswer, beside: Option<String>) -> RunEnd {
    match (failure::unanswered(why), why, beside) {
        (RunEnd::Failed(failure), NoAnswer::TimedOut(_), Some(beside)) => {
            RunEnd::Failed(Failure { message: format!("{}; {beside}", failure.message), ..failure })
        }
        (end, _, _) => end,
    }
}

/// A text that is one JSON value, or what is wrong with it. The rules for a program are stricter
/// than for a model: its value must be the whole output, without surrounding text.
fn alone(text: &str, meter: &Meter) -> Result<Value, String> {
    let value = parsed(text, meter)?;
    match serde_json::from_str::<IgnoredAny>(text.trim_start_matches(BYTE_ORDER_MARK)) {
        Ok(_) => Ok(value),
        Err(error) => Err(format!("unexpected text around the value ({error})")),
    }
}

async fn unread(turns: &mut Turns<'_>, asked: &TurnOutcome, answer: &Answer, reason: &str) -> RunEnd {
    let beside = turns.said_beside().map(|beside| format!("; {beside}")).unwrap_or_default();
    let words = format!(
        "expected one JSON value on stdout: {reason}; it starts with '{}'; the exit code is 0{beside}",
        beginning(&answer.text, SHOWN_OUTPUT_BYTES)
    );
    let (path, keyword, message) = ("$".to_owned(), "json".to_owned(), words.clone());
    let error = attempt::Error { path, pointer: String::new(), keyword, message };
    let judged = Judged { errors: vec![error], ..judged(answer, attempt::Outcome::ParseError) };
    turns.record(asked, judged).await;
    failure::executor(words)
}

async fn under(turns: &mut Turns<'_>, asked: &TurnOutcome, answer: &Arc<Answer>, terms: &Terms) -> RunEnd {
    let input = turns.assignment.input.clone();
    let bench =
        AnswerJudge { contract: terms.compiled.clone(), lift: None, input, echo_sources: Arc::default() };
    match bench.read(answer, "", turns.budget.stop()).await {
        Err(words) => failure::executor(words),
        Ok(Reading { verdict: Verdict::Rejected(rejected), raw }) => {
            let errors = rejected.violations.errors.iter().map(error).collect();
            let judged = judged(answer, outcome(rejected.outcome));
            let more_errors = rejected.violations.more;
            turns.record(asked, Judged { errors, more_errors, ..judged }).await;
            unmet(terms, &rejected, &raw)
        }
        Ok(Reading { verdict: Verdict::Accepted(accepted), raw }) => {
            let repairs: Vec<_> = accepted.repairs.iter().map(repair).collect();
            let judged = judged(answer, attempt::Outcome::Accepted);
            let source = Some(value_source(accepted.source));
            turns.record(asked, Judged { repairs: repairs.clone(), source, ..judged }).await;
            let validation = Validation {
                valid: true,
                schema_name: terms.contract.schema_name.clone(),
                schema_hash: terms.contract.schema_hash.clone(),
                retry_count: 0,
                strategy: OF_A_COMMAND,
                repairs,
                source,
                attempts: 1,
            };
            RunEnd::Data { value: accepted.value, raw, validation: Some(validation) }
        }
    }
}

fn unmet(terms: &Terms, rejected: &Rejected, text: &str) -> RunEnd {
    let mut history = History::default();
    history.wanting(rejected, text);
    failure::contract(terms, &history, 0, 1, Unmet::RetriesSpent)
}

fn judged(answer: &Answer, outcome: attempt::Outcome) -> Judged {
    Judged::new(outcome, OF_A_COMMAND, &answer.model, &answer.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_command_is_one_value() {
        for text in ["{\"n\": 1.10}", "\u{feff} [\"<think>\"]\r\n", "7"] {
            assert!(alone(text, &Meter::default()).is_ok(), "{text}");
        }
        let thinks =
            ["<think>so</think>{\"n\": 1}", "</thinking>{\"n\": 1}", "[THINK]x[/THINK] 7", "<think/>\n[]"];
        for text in thinks {
            let reason = alone(text, &Meter::default()).unwrap_err();
            assert!(reason.starts_with("unexpected text around the value"), "{text}: {reason}");
        }
    }

    #[test]
    fn a_killed_command_is_reported_with_its_output() {
        let message = |why: &NoAnswer, beside: Option<&str>| match unanswered(why, beside.map(str::to_owned))
        {
            RunEnd::Failed(failure) => failure.message,
            other => format!("{other:?}"),
        };
        let (late, failed) = (NoAnswer::TimedOut(1), NoAnswer::Failed("exited with code 3".to_owned()));
        let plain = message(&late, None);
        assert_eq!(message(&late, Some("stderr: so far")), format!("{plain}; stderr: so far"));
        assert_eq!(message(&failed, Some("stderr: so far")), "exited with code 3", "it has told by itself");
        assert_eq!(message(&NoAnswer::Stopped, Some("stderr: so far")), "Stopped");
    }
}
