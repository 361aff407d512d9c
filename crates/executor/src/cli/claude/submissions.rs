//! The submissions of a turn, in order.
//!
//! The inbox has a line for each call of the submit tool, and does not know who called. A subagent is offered the tool too;
//! its submissions are its answers to the agent that called it, and not results of the run.

/// The calls of the submit tool in one turn that came through, as far as that is known.
#[derive(Debug, Default)]
pub(super) struct Submissions(Vec<Submission>);

#[derive(Debug)]
struct Submission {
    call_id: String,
    message_id: String,
    /// Whether the agent that answers called, and not one inside.
    is_ours: bool,
    /// Whether it was to be submitted again, which failed.
    is_taken_back: bool,
}

impl Submissions {
    /// Adds a call, unless it is known.
    pub(super) fn called(&mut self, call_id: &str, message_id: &str, is_ours: bool) {
        if !call_id.is_empty() && self.0.iter().any(|known| known.call_id == call_id) {
            return;
        }
        let (call_id, message_id) = (call_id.to_owned(), message_id.to_owned());
        self.0.push(Submission { call_id, message_id, is_ours, is_taken_back: false });
    }

    /// A call failed, so the inbox has no line for it. It need not be a call of the submit tool. Earlier submissions were to be
    /// replaced by it.
    pub(super) fn failed(&mut self, call_id: &str) {
        let Some(index) = self.0.iter().position(|submission| submission.call_id == call_id) else { return };
        let failed = self.0.remove(index);
        let earlier = self.0.iter_mut().take(index);
        for submission in earlier.filter(|submission| submission.is_ours == failed.is_ours) {
            submission.is_taken_back = true;
        }
    }

    /// The lines that are the answer: of the last message of ours that handed in, since the ones before it were taken
    /// back. Empty if it is unknown which call a line belongs to.
    pub(super) fn answer(&self, lines: Vec<String>) -> Vec<String> {
        let last = self.0.iter().rfind(|submission| submission.is_ours);
        let Some(Submission { message_id, .. }) = last.filter(|_| lines.len() == self.0.len()) else {
            return Vec::new();
        };
        let counts = |submission: &Submission| {
            submission.is_ours && !submission.is_taken_back && submission.message_id == *message_id
        };
        lines
            .into_iter()
            .zip(&self.0)
            .filter(|(_, submission)| counts(submission))
            .map(|(line, _)| line)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each with its message, and whether it is ours.
    type Calls<'a> = &'a [(&'a str, bool)];

    #[test]
    fn only_submissions_of_the_last_message_count() {
        // The calls, and the places of the lines that count.
        let rows: [(Calls<'_>, &[usize]); 6] = [
            (&[], &[]),
            (&[("1", true)], &[0]),
            (&[("1", true), ("2", true), ("2", true)], &[1, 2]),
            (&[("1", false)], &[]),
            (&[("1", true), ("n", false)], &[0]),
            (&[("n", false), ("1", true), ("n", false), ("2", true)], &[3]),
        ];
        for (calls, counted) in rows {
            let mut handed_in = Submissions::default();
            for (number, (message_id, is_ours)) in calls.iter().enumerate() {
                handed_in.called(&number.to_string(), message_id, *is_ours);
            }
            let lines: Vec<String> = (0..calls.len()).map(|number| number.to_string()).collect();
            let expected: Vec<String> = counted.iter().map(usize::to_string).collect();
            assert_eq!(handed_in.answer(lines), expected, "{calls:?}");
        }
    }

    #[test]
    fn a_line_without_a_call_is_not_a_submission() {
        let mut handed_in = Submissions::default();
        assert_eq!(handed_in.answer(vec!["1".to_owned()]), [""; 0]);
        handed_in.called("a", "m", true);
        handed_in.called("a", "m", true);
        assert_eq!(handed_in.answer(vec!["1".to_owned(), "2".to_owned()]), [""; 0]);
        assert_eq!(handed_in.answer(vec!["1".to_owned()]), ["1"], "heard twice");
        handed_in.called("b", "n", false);
        handed_in.failed("b");
        handed_in.failed("c");
        assert_eq!(handed_in.answer(vec!["1".to_owned()]), ["1"]);
    }

    #[test]
    fn a_failed_submission_discards_earlier_ones() {
        let mut handed_in = Submissions::default();
        handed_in.called("a", "1", true);
        handed_in.called("b", "2", true);
        handed_in.failed("b");
        assert_eq!(handed_in.answer(vec!["a".to_owned()]), [""; 0]);
        handed_in.called("c", "3", true);
        assert_eq!(handed_in.answer(vec!["a".to_owned(), "c".to_owned()]), ["c"]);
    }
}
