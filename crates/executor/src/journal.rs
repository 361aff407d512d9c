//! The steps of a run: taken from the record as long as there are recorded ones, and recorded from then on.
//!
//! A run that was interrupted goes through the same code again. Before a model is asked, a tool is run or an answer is judged, the
//! journal is asked: what was done before is not done again.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use accord_domain::input_request::{Decision, ToolUse};
use accord_domain::step::again::is_about;
use accord_domain::step::{Body, Step};
use async_trait::async_trait;

use crate::people::{Ask, RecordedInput};

/// How much of a run is recorded. A run with more continues after what was recorded.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Where steps are saved.
#[async_trait]
pub trait StepSink: Send + Sync {
    /// Takes a step, to be saved after those before it.
    async fn save(&self, number: u32, body: Body);

    /// Waits until all of them are saved, or the run ends.
    async fn saved(&self);
}

/// The steps of one run.
pub struct Journal {
    state: Mutex<State>,
    sink: Option<Arc<dyn StepSink>>,
    /// Whether a step was recorded that the next one has to wait for.
    unsaved: AtomicBool,
    bytes: AtomicUsize,
}

struct State {
    recorded: VecDeque<Step>,
    next: u32,
    /// The step that was taken or recorded last. A call that is made again comes after the same one.
    last: u32,
    diverged: Option<String>,
    /// What people answered. Answers are found by what they are about, wherever they are in the record.
    inputs: Vec<RecordedInput>,
    /// What people have to be asked.
    asked: Vec<Ask>,
}

/// What the record says of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedCall {
    /// It has a result.
    Done { ok: bool, text: String },
    /// It began, and has none.
    Begun,
    /// It is not in the record.
    New,
}

impl Journal {
    /// A journal that records nothing.
    pub fn none() -> Self {
        Self::with(VecDeque::new(), 1, None)
    }

    /// Continues after these steps. `next` is the number of the next one.
    pub fn new(steps: Vec<Step>, next: u32, sink: Arc<dyn StepSink>) -> Self {
        Self::with(steps.into(), next, Some(sink))
    }

    fn with(recorded: VecDeque<Step>, next: u32, sink: Option<Arc<dyn StepSink>>) -> Self {
        let bytes = recorded.iter().map(|step| size(&step.body)).sum();
        let (mut inputs, mut others) = (Vec::new(), VecDeque::with_capacity(recorded.len()));
        for step in recorded {
            match step.body {
                Body::Input { call_id, tool, answer, .. } => {
                    inputs.push(RecordedInput { call_id, tool, answer });
                }
                Body::ToolStarted { ref call_id } | Body::ToolResult { ref call_id, .. } => {
                    // An answer counts for one call.
                    inputs.retain(|input| !is_about(&input.call_id, call_id));
                    match inputs.iter().position(|input| input.call_id == *call_id) {
                        // The call that was approved: see `use_decision`.
                        Some(used) => drop(inputs.remove(used)),
                        None => others.push_back(step),
                    }
                }
                _ => others.push_back(step),
            }
        }
        let state = State { recorded: others, next, last: 0, diverged: None, inputs, asked: Vec::new() };
        Self {
            state: Mutex::new(state),
            sink,
            unsaved: AtomicBool::new(false),
            bytes: AtomicUsize::new(bytes),
        }
    }

    /// Whether recorded steps are left.
    pub fn is_replaying(&self) -> bool {
        !self.state().recorded.is_empty()
    }

    /// Why the recorded steps do not fit to what the run does now, if they do not.
    pub fn diverged(&self) -> Option<String> {
        self.state().diverged.clone()
    }

    /// The next recorded step, if it is one that is expected here. Any other one means that the record belongs to another course
    /// of the run: the rest of it is dropped.
    pub fn take(&self, expected: &str, is_expected: impl FnOnce(&Body) -> bool) -> Option<Body> {
        let mut state = self.state();
        let next = state.recorded.front()?;
        if is_expected(&next.body) {
            return state.pop();
        }
        state.diverged = Some(format!("step {} is {}, not {expected}", next.number, next.body.kind()));
        state.recorded.clear();
        None
    }

    /// The next recorded step, if it is one like this. Any other one stays.
    pub fn take_if(&self, is_wanted: impl FnOnce(&Body) -> bool) -> Option<Body> {
        let mut state = self.state();
        let is_next = state.recorded.front().is_some_and(|step| is_wanted(&step.body));
        if is_next { state.pop() } else { None }
    }

    /// What the record says of a tool call.
    pub fn take_call(&self, id: &str) -> RecordedCall {
        let has_begun = self.take_if(|body| matches!(body, Body::ToolStarted { call_id } if call_id == id));
        match self.take_if(|body| matches!(body, Body::ToolResult { call_id, .. } if call_id == id)) {
            Some(Body::ToolResult { ok, text, .. }) => RecordedCall::Done { ok, text },
            _ if has_begun.is_some() => RecordedCall::Begun,
            _ => RecordedCall::New,
        }
    }

    /// The number of the step that what comes next follows: the same in every delivery.
    pub(crate) fn last(&self) -> u32 {
        self.state().last
    }

    /// Whether a call of the answer that is taken from the record has begun or finished there.
    pub(crate) fn has_call(&self, id: &str) -> bool {
        let state = self.state();
        let of_this_answer = state.recorded.iter().map(|step| &step.body);
        of_this_answer.take_while(|body| !matches!(body, Body::ModelAnswer { .. })).any(
            |body| matches!(body, Body::ToolStarted { call_id } | Body::ToolResult { call_id, .. } if call_id == id),
        )
    }

    /// What a person answered to the call of this id, and no call has used.
    pub(crate) fn input(&self, call_id: &str) -> Option<RecordedInput> {
        self.state().inputs.iter().rev().find(|input| input.call_id == call_id).cloned()
    }

    /// The same, for the call that uses it: an answer counts for one call.
    pub(crate) fn take_input(&self, call_id: &str) -> Option<RecordedInput> {
        let mut state = self.state();
        let place = state.inputs.iter().rposition(|input| input.call_id == call_id)?;
        Some(state.inputs.remove(place))
    }

    /// What was decided about a call with these arguments. An approval counts once, in all deliveries: that it was used is saved
    /// before this returns.
    pub(crate) async fn use_decision(&self, call: &ToolUse) -> Option<Decision> {
        let (call_id, decision) = self.take_decision(call)?;
        if decision == Decision::Approved {
            self.record(Body::ToolStarted { call_id }).await;
            self.settle().await;
        }
        Some(decision)
    }

    fn take_decision(&self, call: &ToolUse) -> Option<(String, Decision)> {
        let mut state = self.state();
        let place = state.inputs.iter().position(|input| input.tool.as_ref() == Some(call))?;
        let input = state.inputs.get(place)?;
        let (call_id, decision) = (input.call_id.clone(), Decision::read(input.answer.as_ref()));
        if decision == Decision::Approved {
            state.inputs.remove(place);
        }
        Some((call_id, decision))
    }

    /// What was decided: approvals that were not used yet, and denials.
    pub fn decisions(&self) -> Vec<(ToolUse, Decision)> {
        let decided =
            |input: &RecordedInput| Some((input.tool.clone()?, Decision::read(input.answer.as_ref())));
        self.state().inputs.iter().filter_map(decided).collect()
    }

    /// Notes what people have to be asked before the run can go on.
    pub(crate) fn ask(&self, asks: Vec<Ask>) {
        self.state().asked.extend(asks);
    }

    /// What people have to be asked.
    pub fn asked(&self) -> Vec<Ask> {
        self.state().asked.clone()
    }

    /// Records a step. It is saved before the next one begins: see [`Self::settle`].
    pub async fn record(&self, body: Body) {
        let Some(sink) = &self.sink else { return };
        let size = size(&body);
        if self.bytes.fetch_add(size, Ordering::Relaxed).saturating_add(size) > MOST_BYTES {
            // Nothing is recorded behind what is left out.
            self.bytes.store(MOST_BYTES, Ordering::Relaxed);
            return;
        }
        let number = self.next_number();
        if !matches!(body, Body::Opened { .. } | Body::Conversation { .. }) {
            self.unsaved.store(true, Ordering::Relaxed);
        }
        sink.save(number, body).await;
    }

    /// The number of a step that is saved with something else; `None` if nothing more is recorded.
    pub fn reserve(&self) -> Option<u32> {
        let is_open = self.sink.is_some() && self.bytes.load(Ordering::Relaxed) < MOST_BYTES;
        is_open.then(|| {
            self.unsaved.store(true, Ordering::Relaxed);
            self.next_number()
        })
    }

    fn next_number(&self) -> u32 {
        let mut state = self.state();
        let number = state.next;
        (state.next, state.last) = (number + 1, number);
        number
    }

    /// Waits until everything that was recorded is saved.
    pub async fn settle(&self) {
        if let Some(sink) = &self.sink
            && self.unsaved.swap(false, Ordering::Relaxed)
        {
            sink.saved().await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn pop(&mut self) -> Option<Body> {
        let step = self.recorded.pop_front()?;
        self.last = step.number;
        Some(step.body)
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        formatter
            .debug_struct("Journal")
            .field("recorded", &state.recorded.len())
            .field("next", &state.next)
            .finish_non_exhaustive()
    }
}

/// About how large a step is. The rest of it is small.
fn size(body: &Body) -> usize {
    const BASE: usize = 200;
    BASE + match body {
        Body::ModelAnswer { text, earlier, calls, kept, .. } => {
            let kept: usize = kept.iter().map(|block| block.to_string().len()).sum();
            let calls: usize = calls.iter().map(|call| call.arguments.len() + call.name.len()).sum();
            text.len() + earlier.iter().map(String::len).sum::<usize>() + calls + kept
        }
        Body::ToolResult { text, .. } | Body::Message { text } => text.len(),
        Body::Input { answer, .. } => answer.as_ref().map_or(0, |answer| answer.to_string().len()),
        Body::RequestFailed { message, .. } => message.len(),
        Body::Conversation { conversation, .. } => conversation.to_string().len(),
        Body::TurnAnswer { text, before, submissions, structured, conversation, .. } => {
            let texts = before.iter().chain(submissions).chain(structured).map(String::len);
            text.len()
                + texts.sum::<usize>()
                + conversation.as_ref().map_or(0, |value| value.to_string().len())
        }
        Body::Opened { facts } => facts.to_string().len(),
        Body::ToolStarted { .. } | Body::Verdict { .. } | Body::Restarted { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use accord_domain::id::InputId;
    use accord_domain::input_request::Purpose;
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    #[derive(Default)]
    struct Saved(Mutex<Vec<(u32, Body)>>);

    #[async_trait]
    impl StepSink for Saved {
        async fn save(&self, number: u32, body: Body) {
            self.0.lock().unwrap().push((number, body));
        }

        async fn saved(&self) {}
    }

    fn message(text: &str) -> Body {
        Body::Message { text: text.to_owned() }
    }

    fn steps(bodies: Vec<Body>) -> Vec<Step> {
        let step = |(number, body)| Step { number, delivery: 1, at: Timestamp::UNIX_EPOCH, body };
        (1..).zip(bodies).map(step).collect()
    }

    fn result(id: &str) -> Body {
        Body::ToolResult { call_id: id.into(), name: "n".into(), ok: true, text: "t".into() }
    }

    #[tokio::test]
    async fn continues_after_the_recorded_steps() {
        let saved = Arc::new(Saved::default());
        let sink: Arc<dyn StepSink> = Arc::clone(&saved) as Arc<dyn StepSink>;
        let journal = Journal::new(steps(vec![message("a")]), 2, sink);
        assert_eq!(
            journal.take("a message", |body| matches!(body, Body::Message { .. })),
            Some(message("a"))
        );
        assert!(!journal.is_replaying());
        journal.record(message("b")).await;
        assert_eq!(*saved.0.lock().unwrap(), [(2, message("b"))]);
    }

    #[tokio::test]
    async fn a_call_follows_the_same_step_in_every_delivery() {
        let first = Journal::new(Vec::new(), 1, Arc::new(Saved::default()));
        let recorded = vec![message("a"), result("b")];
        for body in recorded.clone() {
            first.record(body).await;
        }
        let again = Journal::with(steps(recorded).into(), 3, None);
        while again.take_if(|_| true).is_some() {}
        assert_eq!((first.last(), again.last()), (2, 2));
        // A run that started over has other calls: its steps have other numbers.
        let restarted = Journal::new(Vec::new(), 4, Arc::new(Saved::default()));
        restarted.record(message("a")).await;
        assert_eq!(restarted.last(), 4);
    }

    #[test]
    fn another_step_than_the_expected_one_drops_the_rest() {
        let journal = Journal::with(steps(vec![message("a"), message("b")]).into(), 3, None);
        assert_eq!(journal.take("a verdict", |body| matches!(body, Body::Verdict { .. })), None);
        assert_eq!(journal.diverged().as_deref(), Some("step 1 is message, not a verdict"));
        assert!(!journal.is_replaying());
    }

    #[test]
    fn tells_finished_calls_from_begun_ones() {
        let started = |id: &str| Body::ToolStarted { call_id: id.into() };
        let recorded = vec![started("a"), result("a"), result("b"), started("c")];
        let journal = Journal::with(steps(recorded).into(), 5, None);
        let done = RecordedCall::Done { ok: true, text: "t".into() };
        assert_eq!(journal.take_call("a"), done);
        assert_eq!(journal.take_call("b"), done);
        assert_eq!(journal.take_call("c"), RecordedCall::Begun);
        assert_eq!(journal.take_call("d"), RecordedCall::New);
    }

    #[tokio::test]
    async fn an_approval_counts_once_and_a_denial_stays() {
        let call = |command: &str| ToolUse { name: "Bash".into(), arguments: json!({"command": command}) };
        let input = |id: &str, command: &str, approve: bool| Body::Input {
            input_id: InputId::new("1"),
            call_id: id.into(),
            purpose: Purpose::Approval,
            tool: Some(call(command)),
            answer: Some(json!({"approve": approve})),
        };
        let saved = Arc::new(Saved::default());
        let mut recorded = vec![input("a", "ls", true), input("b", "rm", false)];
        let sink = Arc::clone(&saved) as Arc<dyn StepSink>;
        let journal = Journal::new(steps(recorded.clone()), 3, sink);
        assert_eq!(journal.decisions().len(), 2);
        assert_eq!(journal.use_decision(&call("ls")).await, Some(Decision::Approved));
        assert_eq!(journal.use_decision(&call("ls")).await, None);
        let denied = Some(Decision::Denied("a person denied this call".into()));
        assert_eq!(journal.use_decision(&call("rm")).await, denied);
        assert_eq!(journal.use_decision(&call("rm")).await, denied);
        let used: Vec<Body> = saved.0.lock().unwrap().iter().map(|(_, body)| body.clone()).collect();
        assert_eq!(used, [Body::ToolStarted { call_id: "a".into() }]);
        // The next delivery finds that it was used.
        recorded.extend(used);
        let journal = Journal::with(steps(recorded).into(), 4, None);
        let left: Vec<ToolUse> = journal.decisions().into_iter().map(|(call, _)| call).collect();
        assert_eq!((left, journal.is_replaying()), (vec![call("rm")], false));
    }

    #[test]
    fn an_answer_of_a_person_counts_for_one_call() {
        let input = |place: usize| Body::Input {
            input_id: InputId::new("1"),
            call_id: format!("{place}/c"),
            purpose: Purpose::Question,
            tool: None,
            answer: Some(json!({"answer": place})),
        };
        let journal = Journal::with(steps(vec![input(1), result("c"), input(3)]).into(), 4, None);
        assert_eq!(journal.input("1/c"), None, "its call has a result");
        assert_eq!(journal.take_input("3/c").and_then(|input| input.answer), Some(json!({"answer": 3})));
        assert_eq!(journal.take_input("3/c"), None);
        let begun = Body::ToolStarted { call_id: "c".into() };
        let journal = Journal::with(steps(vec![input(1), begun]).into(), 3, None);
        assert_eq!((journal.input("1/c"), journal.has_call("c")), (None, true));
        assert_eq!(journal.take_call("c"), RecordedCall::Begun);
    }

    #[tokio::test]
    async fn nothing_is_recorded_after_an_oversized_step() {
        let saved = Arc::new(Saved::default());
        let journal = Journal::new(Vec::new(), 1, Arc::clone(&saved) as Arc<dyn StepSink>);
        journal.record(message("a")).await;
        journal.record(message(&"x".repeat(MOST_BYTES))).await;
        journal.record(message("b")).await;
        assert_eq!(saved.0.lock().unwrap().len(), 1);
    }
}
