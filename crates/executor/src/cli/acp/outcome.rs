//! The outcome of a turn.

use agent_client_protocol::v1::schema::StopReason;

use crate::answer::{Answer, Stop};
use crate::session::TurnError;

use super::super::ACP;
use super::super::transcript::Transcript;

/// The answer of a turn, without what it used.
pub(super) fn answer(
    reason: StopReason,
    transcript: Transcript,
    submissions: Vec<String>,
    max_steps: u32,
    model: String,
) -> Result<Answer, TurnError> {
    let submissions = transcript.handed_in(submissions);
    let text = transcript.text.unwrap_or_default();
    let answer_with = |stop, text, submissions| Answer { stop, submissions, ..Answer::of_text(text, model) };
    match reason {
        StopReason::EndTurn if submissions.is_empty() => Ok(answer_with(Stop::Finished, text, submissions)),
        StopReason::MaxTurnRequests if submissions.is_empty() => Err(TurnError::TooManySteps(max_steps)),
        StopReason::EndTurn | StopReason::MaxTurnRequests => {
            Ok(answer_with(Stop::Submitted, text, submissions))
        }
        // A submission before a cut is a draft, because the model was not done.
        StopReason::MaxTokens => Ok(answer_with(Stop::Truncated, text, Vec::new())),
        StopReason::Refusal => {
            let words = if text.trim().is_empty() { "the model refused".to_owned() } else { text };
            Ok(answer_with(Stop::Refused(words), String::new(), Vec::new()))
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
        let transcript = Transcript { text: Some(text.to_owned()), ..Transcript::default() };
        let submissions = submissions.iter().map(|&each| each.to_owned()).collect();
        let answer = answer(reason, transcript, submissions, 7, "m".to_owned())?;
        Ok((answer.text, answer.submissions, answer.stop))
    }

    #[test]
    fn the_reason_to_stop_decides() {
        let none = Vec::new;
        let one = || vec!["1".to_owned()];
        let owned = |text: &str| text.to_owned();
        let rows = [
            (StopReason::EndTurn, &[][..], Ok((owned("a"), none(), Stop::Finished))),
            (StopReason::EndTurn, &["0", "1"], Ok((owned("a"), one(), Stop::Submitted))),
            (StopReason::MaxTokens, &["1"], Ok((owned("a"), none(), Stop::Truncated))),
            (StopReason::MaxTurnRequests, &[], Err(TurnError::TooManySteps(7))),
            (StopReason::MaxTurnRequests, &["1"], Ok((owned("a"), one(), Stop::Submitted))),
            (StopReason::Refusal, &["1"], Ok((owned(""), none(), Stop::Refused(owned("a"))))),
        ];
        for (reason, submissions, expected) in rows {
            assert_eq!(of(reason, "a", submissions), expected, "{reason:?}");
        }
        assert!(matches!(of(StopReason::Cancelled, "a", &["1"]), Err(TurnError::Failed(_))));
    }
}
