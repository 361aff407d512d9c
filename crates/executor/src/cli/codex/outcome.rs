//! The outcome of a turn.

use crate::answer::{Answer, Stop};
use crate::session::TurnError;

use super::super::transcript::Transcript;
use super::turn_error::{CodexError, ErrorMeaning};

/// How a turn ended, as reported by Codex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TurnEnd {
    /// As it should: with an answer, or with none where the model refused.
    Completed,
    Interrupted,
    Failed(CodexError),
}

/// The message for a turn that ended without an error and without a message: Codex drops the text of a refusal.
const SILENT: &str = "Codex ended its turn without a final message, as it does when the model refuses";

/// The answer of a turn, without what it used.
pub(super) fn answer(
    end: TurnEnd,
    transcript: Transcript,
    submissions: Vec<String>,
    with_schema: bool,
    model: String,
) -> Result<Answer, TurnError> {
    let stop = match end {
        TurnEnd::Completed => Stop::Finished,
        TurnEnd::Interrupted => {
            return Err(TurnError::Failed("Codex was interrupted externally".to_owned()));
        }
        TurnEnd::Failed(error) => match error.meaning(with_schema) {
            ErrorMeaning::Truncated => Stop::Truncated,
            ErrorMeaning::Refused(words) => Stop::Refused(words),
            ErrorMeaning::Failed(error) => return Err(error),
        },
    };
    let submissions = match stop {
        // A submission before a cut is a draft, because the model was not done.
        Stop::Truncated => Vec::new(),
        _ => transcript.handed_in(submissions),
    };
    let stop = match stop {
        Stop::Finished if !submissions.is_empty() => Stop::Submitted,
        Stop::Finished if transcript.text.is_none() => Stop::Refused(SILENT.to_owned()),
        other => other,
    };
    let refused = matches!(stop, Stop::Refused(_));
    let text = transcript.text.filter(|_| !refused).unwrap_or_default();
    let submissions = if refused { Vec::new() } else { submissions };
    Ok(Answer { submissions, stop, ..Answer::of_text(text, model) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        end: TurnEnd,
        text: Option<&str>,
        submissions: &[&str],
        submitted: usize,
    ) -> Result<(String, Vec<String>, Stop), TurnError> {
        let transcript = Transcript { text: text.map(str::to_owned), submitted, ..Transcript::default() };
        let submissions = submissions.iter().map(|&each| each.to_owned()).collect();
        let answer = answer(end, transcript, submissions, true, "m".to_owned())?;
        Ok((answer.text, answer.submissions, answer.stop))
    }

    #[test]
    fn a_turn_without_text_is_a_refusal() {
        let refused = Stop::Refused(SILENT.to_owned());
        assert_eq!(of(TurnEnd::Completed, None, &[], 0), Ok((String::new(), Vec::new(), refused)));
        assert_eq!(of(TurnEnd::Completed, Some(""), &[], 0), Ok((String::new(), Vec::new(), Stop::Finished)));
        assert_eq!(
            of(TurnEnd::Completed, Some("a"), &[], 0),
            Ok(("a".to_owned(), Vec::new(), Stop::Finished))
        );
    }

    #[test]
    fn the_last_submission_is_the_answer() {
        let last = vec!["3".to_owned()];
        assert_eq!(
            of(TurnEnd::Completed, None, &["1", "2", "3"], 1),
            Ok((String::new(), last, Stop::Submitted))
        );
        let both = vec!["2".to_owned(), "3".to_owned()];
        let said = Ok(("done".to_owned(), both, Stop::Submitted));
        assert_eq!(of(TurnEnd::Completed, Some("done"), &["1", "2", "3"], 2), said);
    }

    #[test]
    fn replaced_text_is_not_an_answer() {
        let transcript =
            Transcript { text: Some("done".to_owned()), is_taken_back: true, ..Transcript::default() };
        let answer =
            answer(TurnEnd::Completed, transcript, vec!["1".to_owned()], true, "m".to_owned()).unwrap();
        assert_eq!((answer.submissions, answer.stop), (Vec::new(), Stop::Finished));
    }

    #[test]
    fn a_cut_keeps_the_text_before_it() {
        let cut =
            TurnEnd::Failed(CodexError::of_words("Incomplete response returned, reason: max_output_tokens"));
        assert_eq!(of(cut, Some("{\"n\":"), &[], 0), Ok(("{\"n\":".to_owned(), Vec::new(), Stop::Truncated)));
        assert!(matches!(of(TurnEnd::Interrupted, Some("a"), &[], 0), Err(TurnError::Failed(_))));
    }

    #[test]
    fn a_draft_is_not_the_answer_of_a_cut_turn() {
        let cut =
            TurnEnd::Failed(CodexError::of_words("Incomplete response returned, reason: max_output_tokens"));
        let expected = Ok(("Wait".to_owned(), Vec::new(), Stop::Truncated));
        assert_eq!(of(cut, Some("Wait"), &["{\"n\": 1}"], 1), expected);
    }
}
