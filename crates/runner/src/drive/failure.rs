//! Why a run failed, in the words that its caller reads.

use accord_api::{Failure, FailureType, Unmet};

use super::RunEnd;
use super::history::History;
use super::recorded_verdict::outcome;
use super::turns::NoAnswer;
use crate::assignment::Terms;
use crate::limits::LAST_OUTPUT_BYTES;
use crate::text::shortened;

/// The end of a run that got no answer.
pub(super) fn unanswered(why: &NoAnswer) -> RunEnd {
    let kind = match why {
        // The end is replaced by what is asked.
        NoAnswer::InputRequired => return RunEnd::InputRequired(Vec::new()),
        NoAnswer::Stopped => return RunEnd::Stopped,
        NoAnswer::SchemaRejected(_)
        | NoAnswer::FormatRejected(_)
        | NoAnswer::ToolRejected(_)
        | NoAnswer::Transport(_)
        | NoAnswer::Failed(_) => FailureType::ExecutorFailed,
        NoAnswer::Exhausted(_) => FailureType::BudgetExhausted,
        NoAnswer::TimedOut(_) => FailureType::TimedOut,
    };
    RunEnd::Failed(Failure::new(kind, why.message()))
}

/// The same end, with what is known about the answers before.
pub(super) fn after(end: RunEnd, history: &History, attempts: u32) -> RunEnd {
    match (end, history.closest()) {
        (RunEnd::Failed(failure), Some(closest)) => RunEnd::Failed(Failure {
            validation_errors: closest.errors.clone(),
            last_output: Some(shortened(&closest.text, LAST_OUTPUT_BYTES)),
            attempts: Some(attempts),
            ..failure
        }),
        (end, _) => end,
    }
}

/// The same end, with why nothing else was tried.
pub(super) fn because(end: RunEnd, why: &str) -> RunEnd {
    match end {
        RunEnd::Failed(failure) => {
            RunEnd::Failed(Failure { message: format!("{}; {why}", failure.message), ..failure })
        }
        end => end,
    }
}

/// A failure that the executor, its settings or the endpoint is to blame for.
pub(super) fn executor(message: impl Into<String>) -> RunEnd {
    RunEnd::Failed(Failure::new(FailureType::ExecutorFailed, message))
}

/// The end of a run whose model refused.
pub(super) fn refused(words: &str, attempts: u32) -> RunEnd {
    let message = match words.trim() {
        "" => "the model refused to answer".to_owned(),
        words => format!("the model refused to answer: {}", shortened(words, LAST_OUTPUT_BYTES)),
    };
    let failure = Failure::new(FailureType::ModelRefused, message);
    RunEnd::Failed(Failure { attempts: Some(attempts), ..failure })
}

/// The end of a run without a contract whose model said nothing.
pub(super) fn empty(attempts: u32) -> RunEnd {
    RunEnd::Failed(Failure::no_answer(attempts))
}

/// The end of a run whose text was cut off too often. There may have been more attempts, in deliveries before this one.
pub(super) fn cut_off(text: &str, times: u32, attempts: u32) -> RunEnd {
    let message = format!(
        "the answer was cut off {}; raise max_tokens, or ask for less",
        if times == 1 { "before its end".to_owned() } else { format!("each of {times} times") }
    );
    let failure = Failure::new(FailureType::OutputTruncated, message);
    let last_output = Some(shortened(text, LAST_OUTPUT_BYTES));
    RunEnd::Failed(Failure { attempts: Some(attempts), last_output, ..failure })
}

/// The end of a run that did not meet its contract, with the errors of the closest answer.
pub(super) fn contract(
    terms: &Terms,
    history: &History,
    retries: u32,
    attempts: u32,
    unmet: Unmet,
) -> RunEnd {
    let closest = history.closest();
    let text = closest.map(|closest| closest.text.as_str()).unwrap_or_default();
    if let Some(times) = history.always_cut() {
        return cut_off(text, times, attempts);
    }
    let outcome = closest.map(|closest| outcome(closest.outcome));
    RunEnd::Failed(Failure {
        validation_errors: closest.map(|closest| closest.errors.clone()).unwrap_or_default(),
        last_output: closest.map(|closest| shortened(&closest.text, LAST_OUTPUT_BYTES)),
        attempts: Some(attempts),
        ..Failure::unmet(terms.contract.origin, outcome, retries, unmet)
    })
}
