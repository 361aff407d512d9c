//! One turn: within the budget, with its events reported, and with a result in every case.

use std::sync::Arc;

use accord_api::agent::Executor;
use accord_api::{Attempt, EventBody, Said, Usage, ValueSource, attempt, step};
use accord_executor::{
    Answer, Capabilities, Event, Events, Example, Journal, Session, Turn, TurnError, TurnFailure,
};
use accord_trace::names;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tracing::field::Empty;
use tracing::{Instrument as _, Span, debug_span};

use super::Observer;
use super::budget::{Budget, Over};
use super::fallback::Fallbacks;
use super::live::Live;
use super::turn_events::TurnEvents;
use crate::assignment::Assignment;
use crate::limits::{ATTEMPT_TEXT_BYTES, EVENT_TEXT_BYTES, EVENTS_HELD, TIME_TO_STOP};
use crate::text::shortened;

/// The turns of one run.
pub(super) struct Turns<'a> {
    session: &'a mut dyn Session,
    pub(super) assignment: &'a Assignment,
    pub(super) capabilities: Capabilities,
    pub(super) budget: &'a Budget,
    pub(super) observer: &'a dyn Observer,
    pub(super) journal: &'a Journal,
    used: accord_executor::Usage,
    /// How long each request of the last turn took.
    requests: Vec<u64>,
    /// Whether a tool was used in it.
    pub(super) has_worked: bool,
    live: Live,
    /// Messages that the program that answers does not have yet: the first turn here includes them.
    pub(super) before: Vec<Said>,
    /// Whether the conversation is on another host: then the recorded turns are among those.
    pub(super) is_elsewhere: bool,
    recorded: u32,
    /// How often the model was asked again; set at the end.
    pub(super) retries: u32,
    /// The model, if it is not the one in the settings.
    pub(super) model: Option<String>,
    pub(super) fallbacks: Fallbacks,
}

/// The result of a turn.
pub(super) struct TurnOutcome {
    pub(super) result: Result<Arc<Answer>, NoAnswer>,
    /// The model that got the prompt.
    model: String,
    sent: Option<attempt::Sent>,
    /// Whether the turn was sent.
    pub(super) begun: bool,
    pub(super) usage: accord_executor::Usage,
    pub(super) milliseconds: u64,
    /// The attempt, for traces: from the question until it is judged.
    span: Span,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    SchemaRejected(String),
    FormatRejected(String),
    ToolRejected(String),
    Transport(String),
    Failed(String),
    Exhausted(String),
    TimedOut(u64),
    /// A person has to answer first. Not an end: the turn continues then.
    InputRequired,
    Stopped,
}

/// The outcome of an attempt, without the fields that every attempt has.
pub(super) struct Judged {
    pub(super) outcome: attempt::Outcome,
    pub(super) strategy: accord_api::Strategy,
    pub(super) model: String,
    pub(super) errors: Vec<attempt::Error>,
    pub(super) more_errors: usize,
    pub(super) repairs: Vec<attempt::Repair>,
    pub(super) source: Option<ValueSource>,
    pub(super) text: String,
    pub(super) prompt: Option<String>,
}

impl Judged {
    /// An attempt with nothing to say of it but this.
    pub(super) fn new(
        outcome: attempt::Outcome,
        strategy: accord_api::Strategy,
        model: &str,
        text: &str,
    ) -> Self {
        let (errors, repairs) = (Vec::new(), Vec::new());
        let (model, text) = (model.to_owned(), text.to_owned());
        Self { outcome, strategy, model, errors, more_errors: 0, repairs, source: None, text, prompt: None }
    }
}

impl<'a> Turns<'a> {
    pub(super) fn new(
        session: &'a mut dyn Session,
        assignment: &'a Assignment,
        budget: &'a Budget,
        observer: &'a dyn Observer,
        journal: &'a Journal,
    ) -> Self {
        let capabilities = session.capabilities();
        let used = accord_executor::Usage::default();
        let (requests, has_worked, recorded, retries) = (Vec::new(), false, 0, 0);
        let model = assignment.model.clone();
        let fallbacks = Fallbacks::new(assignment, model.as_ref().unwrap_or(&capabilities.model));
        Self {
            session,
            assignment,
            capabilities,
            budget,
            observer,
            journal,
            used,
            requests,
            has_worked,
            live: Live::default(),
            before: assignment.opening.messages.clone(),
            is_elsewhere: assignment.has_lost_conversation(),
            recorded,
            retries,
            model,
            fallbacks,
        }
    }

    pub(super) fn session_mut(&mut self) -> &mut dyn Session {
        self.session
    }

    /// The model that is asked.
    pub(super) fn model_name(&self) -> String {
        self.model.as_ref().unwrap_or(&self.capabilities.model).clone()
    }

    pub(super) fn used(&self) -> Usage {
        wire(self.used)
    }

    /// What the run used in all, as far as it is known.
    pub(super) fn used_in_all(&self) -> Usage {
        self.assignment.spent.usage.and(self.used())
    }

    pub(super) fn now(&self) -> jiff::Timestamp {
        self.observer.now()
    }

    pub(super) fn conversation(&self) -> Option<Value> {
        self.session.conversation()
    }

    /// Asks, if the budget allows.
    pub(super) async fn ask(&mut self, turn: Turn) -> TurnOutcome {
        let used = self.used_in_all();
        let model = turn.model.clone().unwrap_or_else(|| self.capabilities.model.clone());
        if let Some(words) = self.budget.exhausted(&used) {
            let (result, usage) = (Err(NoAnswer::Exhausted(words)), accord_executor::Usage::default());
            let (sent, span) = (None, Span::none());
            return TurnOutcome { result, model, sent, begun: false, usage, milliseconds: 0, span };
        }
        // Boxed, because it is handed on a few times.
        let turn = Box::new(Turn { allowance: self.budget.left(&used), ..turn });
        let files = self.assignment.files.iter();
        let files = files.map(|file| attempt::SentFile::of(file, self.capabilities.takes_pdfs)).collect();
        let sent = Some(attempt::Sent { files, ..sent(&turn) });
        if !self.journal.is_replaying() {
            let text = shortened(&turn.prompt, EVENT_TEXT_BYTES);
            self.observer.event(EventBody::Message { role: "user".to_owned(), text }).await;
        }
        let begun = Instant::now();
        let number = self.recorded + 1;
        let span = debug_span!(
            "attempt",
            { names::ATTEMPT } = accord_trace::count(number),
            { names::STRATEGY } = Empty,
            { names::OUTCOME } = Empty,
            { names::REQUEST_MODEL } = Empty
        );
        let (result, usage) = match self.recorded_or_asked(turn).instrument(span.clone()).await {
            Ok(answer) => {
                let usage = answer.usage;
                (Ok(Arc::new(answer)), usage)
            }
            Err((why, usage)) => (Err(why), usage),
        };
        self.used.add(usage);
        let milliseconds = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        TurnOutcome { result, model, sent, begun: true, usage, milliseconds, span }
    }

    /// One turn, with its events reported. When stopped it gets a little time to end, and then it is dropped.
    pub(super) async fn listen(
        &mut self,
        turn: Box<Turn>,
    ) -> Result<Answer, (NoAnswer, accord_executor::Usage)> {
        let budget = self.budget;
        let mut turn_events = TurnEvents::new(self.observer, &self.assignment.run_id, budget);
        turn_events.live = std::mem::take(&mut self.live);
        let used_before = self.used_in_all();
        let cancel = budget.stop().child_token();
        let (sender, mut receiver) = mpsc::channel(EVENTS_HELD);
        let events = Events::new(sender);
        let working = self.session.turn(*turn, &events, &cancel);
        tokio::pin!(working);
        let grace = sleep(TIME_TO_STOP);
        tokio::pin!(grace);
        let mut over: Option<Over> = None;
        let result = loop {
            tokio::select! {
                biased;
                why = budget.over(), if over.is_none() => {
                    cancel.cancel();
                    grace.as_mut().reset(Instant::now() + TIME_TO_STOP);
                    over = Some(why);
                }
                () = &mut grace, if over.is_some() => break None,
                () = turn_events.live.due() => turn_events.tell_output().await,
                Some(event) = receiver.recv() => match *event {
                    Event::Conversation(conversation) => {
                        let host = self.assignment.host.clone();
                        self.journal.record(step::Body::Conversation { conversation, host }).await;
                    }
                    event => turn_events.tell(event).await,
                },
                result = &mut working => break Some(result),
            }
        };
        while let Ok(event) = receiver.try_recv() {
            turn_events.tell(*event).await;
        }
        // The rest of a text is in the answer, or is dropped.
        turn_events.live.discard_text();
        (self.requests, self.has_worked, self.live) =
            (turn_events.requests, turn_events.has_worked, turn_events.live);
        match (result, over) {
            (Some(Ok(answer)), _) => Ok(answer),
            (Some(Err(TurnFailure { error: TurnError::AllowanceUsedUp, usage })), None) => {
                let used = used_before.and(wire(usage));
                let words = budget.exhausted(&used).unwrap_or_else(|| TurnError::AllowanceUsedUp.to_string());
                Err((NoAnswer::Exhausted(words), usage))
            }
            (Some(Err(TurnFailure { error, usage })), over) => Err((why(error, over), usage)),
            (None, over) => Err((why(TurnError::Stopped, over), accord_executor::Usage::default())),
        }
    }

    /// Attempts that were recorded, in all deliveries.
    pub(super) fn attempts(&self) -> u32 {
        self.assignment.spent.attempts.saturating_add(self.recorded)
    }

    /// What the last turn reported besides its answer.
    pub(super) fn said_beside(&self) -> Option<String> {
        self.session.said_beside()
    }

    /// Records an attempt that got no answer.
    pub(super) async fn record_unanswered(
        &mut self,
        asked: &TurnOutcome,
        why: &NoAnswer,
        strategy: accord_api::Strategy,
        prompt: Option<String>,
    ) {
        if !asked.begun || *why == NoAnswer::InputRequired {
            return;
        }
        let judged = Judged::new(why.outcome(), strategy, &asked.model, "");
        self.record(asked, Judged { errors: vec![why.error()], prompt, ..judged }).await;
    }

    /// Records what an attempt came to. True if the run has to wait for its children.
    pub(super) async fn record(&mut self, asked: &TurnOutcome, judged: Judged) -> bool {
        self.recorded += 1;
        if let Some(outcome) = self.take_verdict() {
            return outcome == attempt::Outcome::Waiting;
        }
        asked
            .span
            .record(names::OUTCOME, judged.outcome.as_str())
            .record(names::REQUEST_MODEL, judged.model.as_str());
        asked.span.record(names::STRATEGY, judged.strategy.as_str());
        accord_trace::verdict(&asked.span, judged.outcome.as_str());
        let attempt = Attempt {
            model: named(&self.assignment.agent.executor, judged.model),
            number: self.recorded,
            delivery: self.assignment.delivery,
            at: self.now(),
            strategy: judged.strategy,
            endpoint: self.capabilities.endpoint.clone(),
            outcome: judged.outcome,
            errors: judged.errors,
            more_errors: judged.more_errors,
            repairs: judged.repairs,
            source: judged.source,
            usage: wire(asked.usage),
            duration_ms: asked.milliseconds,
            request_ms: std::mem::take(&mut self.requests),
            text: shortened(&judged.text, ATTEMPT_TEXT_BYTES),
            prompt: judged.prompt.map(|prompt| shortened(&prompt, ATTEMPT_TEXT_BYTES)),
            sent: asked.sent.clone(),
        };
        let step = if has_step(attempt.outcome) { self.journal.reserve() } else { None };
        self.observer.attempt(attempt, step).await
    }
}

/// Whether an attempt with this outcome has a recorded answer or failure before it. A turn that was ended is asked again instead.
fn has_step(outcome: attempt::Outcome) -> bool {
    use attempt::Outcome::{BudgetExhausted, Stopped, TimedOut};
    !matches!(outcome, BudgetExhausted | Stopped | TimedOut)
}

/// The model name to record. A replayed model was not called, so it must not count as the live one.
fn named(executor: &Executor, model: String) -> String {
    match executor {
        Executor::Replay(_) if !model.is_empty() => format!("{model}{}", attempt::REPLAYED),
        _ => model,
    }
}

fn sent(turn: &Turn) -> attempt::Sent {
    let exchange = |example: &Example| attempt::Exchange {
        prompt: shortened(&example.prompt, ATTEMPT_TEXT_BYTES),
        answer: shortened(&example.answer, ATTEMPT_TEXT_BYTES),
    };
    attempt::Sent {
        system_prompt: shortened(&turn.system_prompt, ATTEMPT_TEXT_BYTES),
        examples: turn.examples.iter().map(exchange).collect(),
        prompt: shortened(&turn.prompt, ATTEMPT_TEXT_BYTES),
        files: Vec::new(),
    }
}

impl NoAnswer {
    pub(super) fn outcome(&self) -> attempt::Outcome {
        match self {
            Self::SchemaRejected(_) | Self::FormatRejected(_) | Self::ToolRejected(_) => {
                attempt::Outcome::SchemaRejected
            }
            Self::Transport(_) => attempt::Outcome::Transport,
            Self::Failed(_) => attempt::Outcome::Failed,
            Self::Exhausted(_) => attempt::Outcome::BudgetExhausted,
            Self::TimedOut(_) => attempt::Outcome::TimedOut,
            Self::InputRequired | Self::Stopped => attempt::Outcome::Stopped,
        }
    }

    /// The message for the failure.
    pub(super) fn message(&self) -> String {
        match self {
            Self::SchemaRejected(words)
            | Self::FormatRejected(words)
            | Self::ToolRejected(words)
            | Self::Transport(words)
            | Self::Failed(words)
            | Self::Exhausted(words) => words.clone(),
            Self::TimedOut(seconds) => super::budget::timed_out(*seconds),
            Self::InputRequired => "a person has to answer first".to_owned(),
            Self::Stopped => "stopped".to_owned(),
        }
    }

    /// The same, as an error of an attempt.
    pub(super) fn error(&self) -> attempt::Error {
        let (path, pointer, keyword) = ("$".to_owned(), String::new(), "executor".to_owned());
        attempt::Error { path, pointer, keyword, message: self.message() }
    }
}

/// Why there is no answer, if the run had to end.
pub(super) fn ended(over: Over) -> NoAnswer {
    match over {
        Over::TimedOut(seconds) => NoAnswer::TimedOut(seconds),
        Over::Stopped => NoAnswer::Stopped,
    }
}

/// The meaning of a turn's error for the run. A turn that the runner ended has the runner's reason.
fn why(error: TurnError, over: Option<Over>) -> NoAnswer {
    match (error, over) {
        (_, Some(over)) => ended(over),
        (TurnError::Stopped, None) => NoAnswer::Stopped,
        (TurnError::SchemaRejected(words), None) => NoAnswer::SchemaRejected(words),
        (TurnError::FormatRejected(words), None) => NoAnswer::FormatRejected(words),
        (TurnError::ToolRejected(words), None) => NoAnswer::ToolRejected(words),
        (TurnError::Transport(words), None) => NoAnswer::Transport(words),
        (TurnError::Failed(words), None) => NoAnswer::Failed(words),
        (TurnError::TooManySteps(steps), None) => NoAnswer::Exhausted(format!(
            "no answer within {steps} model requests; raise limits.max_steps, or ask for less"
        )),
        (error @ TurnError::AllowanceUsedUp, None) => NoAnswer::Exhausted(error.to_string()),
        // The run starts over, and this is not shown.
        (TurnError::Diverged(words), None) => NoAnswer::Failed(words),
        (TurnError::InputRequired, None) => NoAnswer::InputRequired,
        (TurnError::TimedOut(seconds), None) => NoAnswer::TimedOut(seconds),
    }
}

/// The plausible usage: a server may count wrong, and a wrong count must not end a run.
pub(super) fn wire(usage: accord_executor::Usage) -> Usage {
    let accord_executor::Usage { input_tokens, output_tokens, cost_usd } = usage;
    Usage { input_tokens, output_tokens, cost_usd }.bounded()
}
