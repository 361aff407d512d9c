//! The outcome of a turn.

use agent_client_protocol::v1::schema::StopReason;

use crate::answer::{Answer, Stop};
use crate::session::TurnError;

use super::super::ACP;
use super::super::transcript::Transcript;

/// The answer of a turn, without what it used.
pub(super) fn answer(
    reason: StopReason,
    heard: Transcript,
    submissions: Vec<String>,
    max_steps: u32,
    model: String,
) -> Result<Answer, TurnError> {
    let submissions = heard.handed_in(submissions);
    let text = heard.text.unwrap_or_default();
    let said = |stop, text, submissions| Answer { stop, submissions, ..Answer::of_text(text, model) };
    match reason {
        StopReason::EndTurn if submissions.is_empty() => Ok(said(Stop::Finished, text, submissions)),
        StopReason::MaxTurnRequests if submissions.is_empty() => Err(TurnError::TooManySteps(max_steps)),
        StopReason::EndTurn | StopReason::MaxTurnRequests => Ok(said(Stop::Submitted, text, submissions)),
        // A submission before a cut is a draft, because the model was not done.
        StopReason::MaxTokens => Ok(said(Stop::Truncated, text, Vec::new())),
        StopReason::Refusal => {
            let words = if text.trim().is_empty() { "the model refused".to_owned() } else { text };
            Ok(said(Stop::Refused(words), String::new(), Vec::new()))
        }
        StopReason::Cancelled => Err(TurnError::Failed(format!("{} was interrupted externally", ACP.title))),
        other => {
            Err(TurnError::Failed(format!("{} ended its turn for an unknown reason: {other:?}", ACP.title)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        reason: StopReason,
        text: &str,
        submissions: &[&str],
    ) -> Result<(String, Vec<String>, Stop), TurnError> {
        let heard = Transcript { text: Some(text.to_owned()), ..Transcript::default() };
        let submissions = submissions.iter().map(|&each| each.to_owned()).collect();
        let answer = answer(reason, heard, submissions, 7, "m".to_owned())?;
        Ok((answer.text, answer.submissions, answer.stop))
    }

    #[test]
    fn the_reason_to_stop_decides() {
        let none = Vec::new;
        let one = || vec!["1".to_owned()];
        let said = |text: &str| text.to_owned();
        let rows = [
            (StopReason::EndTurn, &[][..], Ok((said("a"), none(), Stop::Finished))),
            (StopReason::EndTurn, &["0", "1"], Ok((said("a"), one(), Stop::Submitted))),
            (StopReason::MaxTokens, &["1"], Ok((said("a"), none(), Stop::Truncated))),
            (StopReason::MaxTurnRequests, &[], Err(TurnError::TooManySteps(7))),
            (StopReason::MaxTurnRequests, &["1"], Ok((said("a"), one(), Stop::Submitted))),
            (StopReason::Refusal, &["1"], Ok((said(""), none(), Stop::Refused(said("a"))))),
        ];
        for (reason, submissions, expected) in rows {
            assert_eq!(of(reason, "a", submissions), expected, "{reason:?}");
        }
        assert!(matches!(of(StopReason::Cancelled, "a", &["1"]), Err(TurnError::Failed(_))));
    }
}
