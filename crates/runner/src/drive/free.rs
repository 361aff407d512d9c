//! A model without a contract: its text is the result.

use accord_api::{Strategy, attempt};
use accord_contract::prompt;
use accord_executor::{Answer, Stop};

use super::turns::{Asked, Judged, Turns, Why};
use super::{End, failure, request, seam};
use crate::limits::MOST_CONTINUATIONS;

/// Asks for the text, and for the rest of it where it is cut off.
pub(super) async fn run(turns: &mut Turns<'_>) -> End {
    let assignment = turns.assignment;
    let mut text = String::new();
    let mut continuation = None;
    for count in 1..=MOST_CONTINUATIONS + 1 {
        let prompt = continuation.clone().unwrap_or_else(|| request::task(assignment));
        let turn = request::plain(request::system(assignment), prompt, assignment.model.clone());
        let asked = turns.ask(turn).await;
        let answer = match &asked.result {
            Ok(answer) => answer.clone(),
            Err(why) => {
                turns.record_unanswered(&asked, why, Strategy::Prompt, continuation).await;
                return failure::unanswered(why);
            }
        };
        let pieces = answer.before.iter().chain([&answer.text]);
        let said = pieces.fold(String::new(), |said, piece| seam::joined(said, piece));
        let answer = Answer { text: said, ..answer };
        record(turns, &asked, &answer, continuation).await;
        text = seam::joined(text, &answer.text);
        match answer.stop {
            // An empty text is nothing that a caller, or a parent that waits for it, could use.
            Stop::Finished | Stop::Submitted if text.trim().is_empty() => return failure::empty(count),
            Stop::Finished | Stop::Submitted => return End::Text(text),
            Stop::Astray(names) => return failure::unanswered(&astray(&names)),
            Stop::Refused(words) => return failure::refused(&words, count),
            Stop::Truncated if !turns.capabilities.reprompt => return failure::cut_off(&text, count, count),
            Stop::Truncated => continuation = Some(prompt::continue_after_cut()),
        }
    }
    failure::cut_off(&text, MOST_CONTINUATIONS + 1, MOST_CONTINUATIONS + 1)
}

/// There is nothing to judge a text by; what it cost is on record all the same.
pub(super) async fn record(turns: &mut Turns<'_>, asked: &Asked, answer: &Answer, prompt: Option<String>) {
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

/// Why there is no text where a model only calls what is no tool.
fn astray(names: &str) -> Why {
    Why::Failed(format!("the model did not answer and called only unknown tools: {names}"))
}
