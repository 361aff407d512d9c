//! A model without a contract: its text is the result.

use accord_api::{Strategy, attempt};
use accord_contract::prompt;
use accord_executor::{Answer, Stop, Turn};

use super::turns::{Judged, NoAnswer, TurnOutcome, Turns};
use super::{RunEnd, continuation, failure, request};
use crate::limits::MOST_CONTINUATIONS;

/// Asks for the text, and for the rest of it where it is cut off. A model that refuses, or whose provider fails, is followed by
/// the next fallback model, which is asked for the whole.
pub(super) async fn run(turns: &mut Turns<'_>) -> RunEnd {
    loop {
        let (end, is_final) = ask(turns).await;
        if is_final || !turns.capabilities.reprompt || turns.fallbacks.left() == 0 {
            return end;
        }
        if let Err(why) = turns.fall_back() {
            return failure::because(end, &why);
        }
    }
}

/// Asks one model. Says whether another one would change nothing.
async fn ask(turns: &mut Turns<'_>) -> (RunEnd, bool) {
    let assignment = turns.assignment;
    let is_first = turns.attempts() == assignment.spent.attempts;
    let mut text = String::new();
    let mut continuation = None;
    for count in 1..=MOST_CONTINUATIONS + 1 {
        let prompt = continuation.clone().unwrap_or_else(|| request::task(assignment));
        let turn = request::without_contract(request::system(assignment), prompt, turns.model.clone());
        let fresh = !is_first && continuation.is_none();
        let asked = turns.ask(Turn { fresh, ..turn }).await;
        let answer = match asked.result.as_deref() {
            Ok(answer) => answer.clone(),
            Err(why) => {
                turns.record_unanswered(&asked, why, Strategy::Prompt, continuation).await;
                return (failure::unanswered(why), !turns.may_fall_back(why));
            }
        };
        let pieces = answer.before.iter().chain([&answer.text]);
        let said = pieces.fold(String::new(), |said, piece| continuation::joined(said, piece));
        let answer = Answer { text: said, ..answer };
        record(turns, &asked, &answer, continuation).await;
        text = continuation::joined(text, &answer.text);
        match answer.stop {
            // An empty text is nothing that a caller, or a parent that waits for it, could use.
            Stop::Finished | Stop::Submitted if text.trim().is_empty() => {
                return (failure::empty(turns.attempts()), false);
            }
            Stop::Finished | Stop::Submitted => return (RunEnd::Text(text), true),
            Stop::Astray(names) => return (failure::unanswered(&astray(&names)), true),
            Stop::Refused(words) => return (failure::refused(&words, turns.attempts()), false),
            Stop::Truncated if !turns.capabilities.reprompt => {
                return (failure::cut_off(&text, count, count), true);
            }
            Stop::Truncated => continuation = Some(prompt::continue_after_cut()),
        }
    }
    (failure::cut_off(&text, MOST_CONTINUATIONS + 1, MOST_CONTINUATIONS + 1), true)
}

/// There is nothing to judge a text by; what it cost is on record all the same.
pub(super) async fn record(
    turns: &mut Turns<'_>,
    asked: &TurnOutcome,
    answer: &Answer,
    prompt: Option<String>,
) {
    // The end of a text that was cut off may have nothing more to say.
    let is_empty = answer.text.trim().is_empty() && prompt.is_none();
    let outcome = match answer.stop {
        Stop::Finished | Stop::Submitted if is_empty => attempt::Outcome::Failed,
        Stop::Finished | Stop::Submitted => attempt::Outcome::Accepted,
        Stop::Astray(_) => attempt::Outcome::Failed,
        Stop::Truncated => attempt::Outcome::Truncated,
        Stop::Refused(_) => attempt::Outcome::Refused,
    };
    let errors = match &answer.stop {
        Stop::Astray(names) => vec![astray(names).error()],
        _ => Vec::new(),
    };
    let judged = Judged::new(outcome, Strategy::Prompt, &answer.model, &answer.text);
    turns.record(asked, Judged { errors, prompt, ..judged }).await;
}

/// The error if a model only calls tools that do not exist.
fn astray(names: &str) -> NoAnswer {
    NoAnswer::Failed(format!("the model did not answer and called only unknown tools: {names}"))
}
