//! Why a run failed, in the words that its caller reads.

use accord_api::attempt::Outcome;
use accord_api::{Failure, FailureType, Origin};

use super::End;
use super::contracted::outcome;
use super::history::History;
use super::turns::Why;
use crate::assignment::Terms;
use crate::limits::LAST_OUTPUT_BYTES;
use crate::text::{counted, shortened};

/// The end of a run that got no answer.
pub(super) fn unanswered(why: &Why) -> End {
    let kind = match why {
        Why::Stopped => return End::Stopped,
        Why::SchemaRejected(_)
        | Why::FormatRejected(_)
        | Why::ToolRejected(_)
        | Why::Transport(_)
        | Why::Failed(_) => FailureType::ExecutorFailed,
        Why::Exhausted(_) => FailureType::BudgetExhausted,
        Why::TimedOut(_) => FailureType::TimedOut,
    };
    End::Failed(Failure::new(kind, why.words()))
}

/// The same end, with what is known about the answers before.
pub(super) fn after(end: End, history: &History, attempts: u32) -> End {
    match (end, history.closest()) {
        (End::Failed(failure), Some(closest)) => End::Failed(Failure {
            validation_errors: closest.errors.clone(),
            last_output: Some(shortened(&closest.text, LAST_OUTPUT_BYTES)),
            attempts: Some(attempts),
            ..failure
        }),
        (end, _) => end,
    }
}

/// The same end, with why nothing else was tried.
pub(super) fn because(end: End, why: &str) -> End {
    match end {
        End::Failed(failure) => {
            End::Failed(Failure { message: format!("{}; {why}", failure.message), ..failure })
        }
        end => end,
    }
}

/// A failure that the executor, its settings or the endpoint is to blame for.
pub(super) fn executor(message: impl Into<String>) -> End {
    End::Failed(Failure::new(FailureType::ExecutorFailed, message))
}

/// The end of a run whose model refused.
pub(super) fn refused(words: &str, attempts: u32) -> End {
    let message = match words.trim() {
        "" => "the model refused to answer".to_owned(),
        words => format!("the model refused to answer: {}", shortened(words, LAST_OUTPUT_BYTES)),
    };
    let failure = Failure::new(FailureType::ModelRefused, message);
    End::Failed(Failure { attempts: Some(attempts), ..failure })
}

/// The end of a run without a contract whose model said nothing.
pub(super) fn empty(attempts: u32) -> End {
    let message = "the answer is empty; retry the run, or change the prompt";
    End::Failed(Failure { attempts: Some(attempts), ..Failure::new(FailureType::ExecutorFailed, message) })
}

/// The end of a run whose text was cut off too often. There may have been more attempts, in deliveries before this one.
pub(super) fn cut_off(text: &str, times: u32, attempts: u32) -> End {
    let message = format!(
        "the answer was cut off {}; raise max_tokens, or ask for less",
        if times == 1 { "before its end".to_owned() } else { format!("each of {times} times") }
    );
    let failure = Failure::new(FailureType::OutputTruncated, message);
    let last_output = Some(shortened(text, LAST_OUTPUT_BYTES));
    End::Failed(Failure { attempts: Some(attempts), last_output, ..failure })
}

/// How a contract was not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unmet {
    /// There are no more retries.
    RetriesSpent,
    /// The model gave the same again, and there is no other way to ask.
    NoProgress,
    /// A value has to be confirmed, and this executor cannot be asked again.
    CannotConfirm,
}

/// The end of a run that did not meet its contract, told by the answer that came closest.
pub(super) fn contract(terms: &Terms, history: &History, retries: u32, attempts: u32, unmet: Unmet) -> End {
    let closest = history.closest();
    let text = closest.map(|closest| closest.text.as_str()).unwrap_or_default();
    if let Some(times) = history.always_cut() {
        return cut_off(text, times, attempts);
    }
    let retries = counted(retries, "retry", "retries");
    let told = closest.map_or(Outcome::SchemaInvalid, |closest| outcome(closest.outcome)).unmet();
    let message = match unmet {
        Unmet::RetriesSpent => format!("{told} after {retries}"),
        Unmet::NoProgress => {
            format!("{told} after {retries}: the model repeated the same answer or the same errors")
        }
        Unmet::CannotConfirm => format!("{told}: this executor cannot be asked again"),
    };
    End::Failed(Failure {
        kind: kind(terms.contract.origin),
        message,
        validation_errors: closest.map(|closest| closest.errors.clone()).unwrap_or_default(),
        last_output: closest.map(|closest| shortened(&closest.text, LAST_OUTPUT_BYTES)),
        attempts: Some(attempts),
    })
}

/// Whose contract was not met.
pub(crate) fn kind(origin: Origin) -> FailureType {
    match origin {
        Origin::Blueprint | Origin::Default => FailureType::OutputSchemaValidationFailed,
        Origin::Caller => FailureType::SchemaValidationFailed,
    }
}
