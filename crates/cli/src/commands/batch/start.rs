//! How a batch starts: one whose first inputs all fail for the same reason, a model that is away for example, ends early.

use std::sync::atomic::{AtomicBool, Ordering};

use accord_api::{EventBody, FailureType, PageQuery, SessionId};
use accord_client::Client;
use indicatif::ProgressBar;

use super::record::{Done, Status};
use crate::output;
use crate::view::event;

/// After so many equal failures at the start, the others would fail too.
const EQUAL_FAILURES: u32 = 5;

/// The inputs that have finished, until one of them completes or fails for another reason.
#[derive(Default)]
pub(super) struct Start {
    reason: Option<String>,
    equal: u32,
    is_over: bool,
}

impl Start {
    /// Counts an input. The reason, if it is the last of the first ones that all failed for it.
    pub(super) fn add(&mut self, done: &Done) -> Option<String> {
        // What an earlier command found says nothing about now.
        if self.is_over || done.is_earlier || done.status == Status::Stopped {
            return None;
        }
        let told = done.failure.as_deref().filter(|_| done.kind.is_some_and(is_of_all_inputs));
        let Some(told) = told.filter(|told| self.reason.as_ref().is_none_or(|first| is_same(first, told)))
        else {
            self.is_over = true;
            return None;
        };
        self.equal += 1;
        self.reason.get_or_insert_with(|| told.to_owned());
        (self.equal == EQUAL_FAILURES).then(|| told.to_owned())
    }
}

/// Whether a failure can be that of every input: it is not about an answer.
fn is_of_all_inputs(kind: FailureType) -> bool {
    matches!(kind, FailureType::ExecutorFailed | FailureType::NoMatchingRunner)
}

/// Whether two messages differ at most in numbers, such as the time that was waited.
fn is_same(one: &str, other: &str) -> bool {
    let words = |text: &str| text.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>();
    words(one) == words(other)
}

/// Tells once that the provider is away, while nothing has finished: runs wait for it before they fail.
pub(super) struct Outage {
    pub(super) bar: Option<ProgressBar>,
    is_settled: AtomicBool,
}

impl Outage {
    pub(super) fn new(bar: Option<ProgressBar>) -> Self {
        Self { bar, is_settled: AtomicBool::new(false) }
    }

    /// Whether there is nothing to tell: an input has finished, or it was told.
    pub(super) fn is_settled(&self) -> bool {
        self.is_settled.load(Ordering::Relaxed)
    }

    pub(super) fn settle(&self) {
        self.is_settled.store(true, Ordering::Relaxed);
    }

    /// Looks at what a run does. Without an answer, the next look tells.
    pub(super) async fn look(&self, client: &Client, session: &SessionId) {
        let Ok(events) = client.session_events(session, &PageQuery::default()).await else { return };
        let last = events.items.last().map(|event| &event.body);
        let Some(repeated @ EventBody::RequestRepeated { .. }) = last else { return };
        if !self.is_settled.swap(true, Ordering::Relaxed) {
            let text = format!("no input has finished yet; {}\n", event::repeated(repeated));
            match &self.bar {
                Some(bar) => bar.suspend(|| output::message(&text)),
                None => output::message(&text),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use accord_api::Usage;

    use super::*;

    fn done(status: Status, failure: Option<(FailureType, &str)>) -> Done {
        Done {
            line: 1,
            json: Vec::new(),
            status,
            kind: failure.map(|(kind, _)| kind),
            failure: failure.map(|(_, message)| message.to_owned()),
            usage: Usage::default(),
            is_earlier: false,
        }
    }

    fn away(seconds: u32) -> Done {
        let message =
            format!("no response from llm http://h (gave up after 9 attempts in {seconds} seconds)");
        done(Status::Failed, Some((FailureType::ExecutorFailed, &message)))
    }

    #[test]
    fn equal_failures_of_all_first_inputs_end_a_batch() {
        let mut start = Start::default();
        assert!((1..5).all(|seconds| start.add(&away(seconds)).is_none()));
        assert!(start.add(&away(5)).unwrap().starts_with("no response from llm"));
        assert_eq!(start.add(&away(6)), None, "it is told once");
    }

    #[test]
    fn one_other_end_keeps_a_batch_going() {
        let contract = Some((FailureType::OutputSchemaValidationFailed, "$.a: missing"));
        let other = Some((FailureType::ExecutorFailed, "exit status 3: no such file"));
        for end in [
            done(Status::Completed, None),
            done(Status::Failed, contract),
            done(Status::Failed, other),
            done(Status::Failed, None),
        ] {
            let mut start = Start::default();
            start.add(&away(1));
            assert_eq!(start.add(&end), None);
            assert!((0..20).all(|seconds| start.add(&away(seconds)).is_none()));
        }
        let mut start = Start::default();
        let earlier = || Done { is_earlier: true, ..away(1) };
        assert!((0..20).all(|_| start.add(&earlier()).is_none()), "failures of an earlier command");
    }
}
