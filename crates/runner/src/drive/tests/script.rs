//! A session that follows a script, and its environment.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accord_api::agent::{Blueprint, Fallback};
use accord_api::step::{Body, Step};
use accord_api::{
    Attempt, Contract, Embedded, EndpointFact, EventBody, ExtractJson, FactReport, Failure, Limits, Origin,
    RunId, RunKind, SessionId, Standing, Strategy, ValidationMode, attempt,
};
use accord_executor::{
    Answer, Capabilities, Event, Events, Journal, OpenError, Retry, Session, StepSink, Stop, Tool, Turn,
    TurnError, TurnFailure, Usage,
};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::assignment::{Assignment, Terms};
use crate::drive::{Budget, Observer, Outcome, RunEnd, drive};

/// The action of the session in one turn.
pub(super) enum Reply {
    Say(Answer),
    Fail(TurnError),
    /// Fails after using tokens.
    FailAfter(TurnError, Usage),
    /// Fails after a tool call.
    FailAfterTool(TurnError),
    /// Runs until it is stopped.
    Hang,
    Deaf,
    /// Has the run stopped, and goes on like another one.
    Stop(CancellationToken, Box<Reply>),
}

pub(super) fn says(text: &str) -> Reply {
    Reply::Say(answer(text))
}

/// A text that is cut off.
pub(super) fn cut(text: &str) -> Reply {
    Reply::Say(Answer { stop: Stop::Truncated, ..answer(text) })
}

/// Calls of the submit tool.
pub(super) fn submits(arguments: &[&str]) -> Reply {
    let submissions = arguments.iter().map(|&text| text.to_owned()).collect();
    Reply::Say(Answer { submissions, stop: Stop::Submitted, ..answer("") })
}

pub(super) fn refuses(words: &str) -> Reply {
    Reply::Say(Answer { stop: Stop::Refused(words.to_owned()), ..answer("") })
}

pub(super) fn answer(text: &str) -> Answer {
    let usage = Usage { input_tokens: 10, output_tokens: 5, cost_usd: Some(0.25) };
    Answer { usage, ..Answer::of_text(text, "") }
}

struct Script {
    capabilities: Capabilities,
    replies: VecDeque<Reply>,
    turns: Arc<Mutex<Vec<Turn>>>,
}

#[async_trait]
impl Session for Script {
    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    async fn turn(
        &mut self,
        turn: Turn,
        events: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        self.turns.lock().unwrap().push(turn);
        let mut reply = self.replies.pop_front();
        while let Some(Reply::Stop(stop, then)) = reply {
            stop.cancel();
            reply = Some(*then);
        }
        let failed = |error| Err(TurnFailure { error, usage: Usage::default() });
        match reply {
            Some(Reply::Say(answer)) => {
                events.tell(Event::Message { text: answer.text.clone() }).await;
                Ok(answer)
            }
            Some(Reply::Fail(error)) => failed(error),
            Some(Reply::FailAfterTool(error)) => {
                let (call_id, name) = ("call_1".to_owned(), "write_file".to_owned());
                events.tell(Event::ToolStarted { call_id, name, arguments: json!({}) }).await;
                failed(error)
            }
            Some(Reply::FailAfter(error, usage)) => Err(TurnFailure { error, usage }),
            Some(Reply::Hang) => {
                cancel.cancelled().await;
                failed(TurnError::Stopped)
            }
            Some(Reply::Deaf) => std::future::pending().await,
            Some(Reply::Stop(..)) | None => failed(TurnError::Failed("the script is over".to_owned())),
        }
    }

    fn conversation(&self) -> Option<Value> {
        Some(json!({"turns": self.turns.lock().unwrap().len()}))
    }

    /// Any provider except `locked` can be used; `plain` only supports text.
    fn switch(&mut self, settings: &Value) -> Result<(), OpenError> {
        let text = |key: &str| settings[key].as_str().unwrap_or_default().to_owned();
        let capabilities = match text("provider").as_str() {
            "locked" => return Err(OpenError::Missing("there is no key".to_owned())),
            "plain" => plain(),
            _ => able(),
        };
        self.capabilities = Capabilities { endpoint: text("provider"), model: text("model"), ..capabilities };
        Ok(())
    }

    async fn close(self: Box<Self>) {}
}

#[derive(Default)]
struct Notes {
    events: Mutex<Vec<EventBody>>,
    attempts: Mutex<Vec<Attempt>>,
    steps: Mutex<Vec<Step>>,
    /// Whether a child has to report back; cleared once this was reported.
    children: AtomicBool,
}

#[async_trait]
impl StepSink for Notes {
    async fn save(&self, number: u32, body: Body) {
        let step = Step { number, delivery: 1, at: Timestamp::UNIX_EPOCH, body };
        self.steps.lock().unwrap().push(step);
    }

    async fn saved(&self) {}
}

#[async_trait]
impl Observer for Notes {
    async fn event(&self, event: EventBody) {
        self.events.lock().unwrap().push(event);
    }

    async fn attempt(&self, attempt: Attempt, step: Option<u32>) -> bool {
        let waits = attempt.outcome.is_answer() && self.children.swap(false, Ordering::Relaxed);
        if let Some(number) = step {
            let (delivery, attempt_number) = (attempt.delivery, attempt.number);
            let outcome = if waits { attempt::Outcome::Waiting } else { attempt.outcome };
            let body = Body::Verdict { delivery, attempt: attempt_number, outcome };
            self.steps.lock().unwrap().push(Step { number, delivery, at: Timestamp::UNIX_EPOCH, body });
        }
        self.attempts.lock().unwrap().push(attempt);
        waits
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// One run to drive.
pub(super) struct Case {
    pub(super) capabilities: Capabilities,
    pub(super) assignment: Assignment,
    pub(super) stop: CancellationToken,
    pub(super) retry: Retry,
    /// Whether a child of the run has to report back after the first answer.
    pub(super) children: bool,
}

pub(super) struct Ran {
    pub(super) outcome: Outcome,
    pub(super) turns: Vec<Turn>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) events: Vec<EventBody>,
    /// All steps: the recorded ones it began with, and its own.
    pub(super) steps: Vec<Step>,
}

/// Capabilities of an endpoint that supports everything.
pub(super) fn able() -> Capabilities {
    Capabilities {
        endpoint: "here".into(),
        model: "small".into(),
        native: Some("openai".into()),
        tool: Some(Tool { profile: "openai".into(), strict: true, force: true }),
        json_mode: true,
        native_beside_tools: true,
        reprompt: true,
        max_tokens: Some(4096),
        takes_ceiling: true,
        repeats: true,
        records_steps: false,
        takes_pdfs: true,
    }
}

/// Capabilities of an endpoint that only supports text.
pub(super) fn plain() -> Capabilities {
    Capabilities { native: None, tool: None, ..able() }
}

/// `{"n": integer}` and nothing else; every strategy sends it unchanged.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": false,
    })
}

pub(super) fn contract(origin: Origin) -> Contract {
    Contract {
        origin,
        schema: schema(),
        callers_schema: None,
        schema_name: None,
        schema_hash: "sha256:x".into(),
        invariants: Vec::new(),
        max_retries: 2,
        extract_json: ExtractJson::ALL,
        embedded: Embedded::Accept,
        strict_json_only: false,
        validation_mode: ValidationMode::Strict,
        strategy: Strategy::Auto,
        on_failure: accord_api::contract::OnFailure::Fail,
    }
}

fn assignment() -> Assignment {
    let settings = json!({"type": "llm", "provider": "openai", "model": "small"});
    let agent = json!({"name": "a", "executor": settings, "system_prompt": "You count."});
    Assignment {
        run_id: RunId::new("1"),
        session_id: SessionId::new("1"),
        delivery: 1,
        kind: RunKind::StartSession,
        agent: Arc::new(serde_json::from_value(agent).unwrap()),
        settings: Arc::new(settings),
        tool_entries: accord_executor::ToolEntries::default(),
        caller_tools: accord_executor::CallerTools::default(),
        parameters: json!({"prompt": "Count."}),
        input: json!({"prompt": "Count."}),
        spent: accord_api::Spent::default(),
        terms: None,
        held_by_coordinator: false,
        retry_prompt: None,
        conversation: None,
        opening: accord_api::Opening::default(),
        model: None,
        project_dir: None,
        facts: Vec::new(),
        steps: Vec::new(),
        next_step: 1,
        host: "here".to_owned(),
        files: Vec::new(),
    }
}

impl Case {
    /// A run without a contract.
    pub(super) fn free() -> Self {
        Self {
            capabilities: able(),
            assignment: assignment(),
            stop: CancellationToken::new(),
            retry: Retry::default(),
            children: false,
        }
    }

    /// A run under a contract.
    pub(super) fn under(contract: Contract) -> Self {
        let mut case = Self::free();
        case.assignment.terms =
            Some(Arc::new(Terms::compile(contract, &accord_contract::Meter::default()).unwrap()));
        case
    }

    /// A run under the blueprint's contract, with a strategy.
    pub(super) fn with(strategy: Strategy) -> Self {
        Self::under(Contract { strategy, ..contract(Origin::Blueprint) })
    }

    pub(super) fn retries(mut self, max_retries: u32) -> Self {
        if let Some(terms) = &mut self.assignment.terms {
            Arc::get_mut(terms).unwrap().contract.max_retries = max_retries;
        }
        self
    }

    pub(super) fn at(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The agent, to be changed.
    pub(super) fn agent(&mut self) -> &mut Blueprint {
        Arc::get_mut(&mut self.assignment.agent).unwrap()
    }

    pub(super) fn limits(mut self, limits: Limits) -> Self {
        self.agent().limits = limits;
        self
    }

    pub(super) fn stronger(mut self, models: &[&str]) -> Self {
        self.agent().escalate_to = models.iter().map(|&model| Fallback::Model(model.to_owned())).collect();
        self
    }

    /// Fallback models, in the syntax of an agent file.
    pub(super) fn fallbacks(mut self, fallbacks: Value) -> Self {
        self.agent().escalate_to = serde_json::from_value(fallbacks).unwrap();
        self
    }

    pub(super) fn tools(mut self) -> Self {
        self.agent().tools = vec!["read_file".to_owned()];
        self
    }

    pub(super) fn known(mut self, feature: &str, standing: Standing) -> Self {
        self.assignment.facts.push(known("small", feature, standing));
        self
    }

    /// A later delivery, after these steps.
    pub(super) fn after(mut self, steps: &[Step]) -> Self {
        self.assignment.delivery = 2;
        self.assignment.next_step = steps.last().map_or(1, |step| step.number + 1);
        self.assignment.steps = steps.to_vec();
        self
    }

    pub(super) async fn run(self, replies: Vec<Reply>) -> Ran {
        let turns = Arc::new(Mutex::new(Vec::new()));
        let mut session =
            Script { capabilities: self.capabilities, replies: replies.into(), turns: Arc::clone(&turns) };
        let notes = Arc::new(Notes { children: AtomicBool::new(self.children), ..Notes::default() });
        let Assignment { steps, next_step, .. } = &self.assignment;
        let sink = Arc::clone(&notes) as Arc<dyn StepSink>;
        let journal = Journal::new(steps.clone(), *next_step, sink);
        let longest = Duration::from_secs(3600);
        let Assignment { agent, spent, .. } = &self.assignment;
        let budget = Budget::new(&agent.limits, longest, spent, self.stop).with_retry(self.retry);
        let outcome = drive(&mut session, &self.assignment, &budget, notes.as_ref(), &journal).await;
        drop(journal);
        let notes = Arc::into_inner(notes).unwrap();
        let mut steps = self.assignment.steps.clone();
        steps.extend(notes.steps.into_inner().unwrap());
        let turns = turns.lock().unwrap().clone();
        Ran {
            outcome,
            turns,
            attempts: notes.attempts.into_inner().unwrap(),
            events: notes.events.into_inner().unwrap(),
            steps,
        }
    }
}

/// Facts from earlier runs.
pub(super) fn known(model: &str, feature: &str, standing: Standing) -> EndpointFact {
    EndpointFact {
        endpoint: "here".into(),
        model: model.into(),
        feature: feature.into(),
        standing,
        good: if standing == Standing::Works { 1.0 } else { 0.0 },
        bad: 0.0,
        last_seen: Timestamp::UNIX_EPOCH,
    }
}

pub(super) fn fact(model: &str, feature: &str, verdict: &str) -> FactReport {
    FactReport {
        endpoint: "here".into(),
        model: model.into(),
        feature: feature.into(),
        verdict: verdict.into(),
        at: Timestamp::UNIX_EPOCH,
    }
}

impl Ran {
    pub(super) fn outcomes(&self) -> Vec<attempt::Outcome> {
        self.attempts.iter().map(|attempt| attempt.outcome).collect()
    }

    pub(super) fn strategies(&self) -> Vec<Strategy> {
        self.attempts.iter().map(|attempt| attempt.strategy).collect()
    }

    pub(super) fn models(&self) -> Vec<&str> {
        self.attempts.iter().map(|attempt| attempt.model.as_str()).collect()
    }

    /// The value and the number of retries.
    pub(super) fn value(&self) -> (Value, u32) {
        match &self.outcome.end {
            RunEnd::Data { value, validation: Some(validation), .. } => {
                (value.clone(), validation.retry_count)
            }
            other => panic!("{other:?}"),
        }
    }

    /// The kinds of repairs that the last answer needed.
    pub(super) fn repairs(&self) -> Vec<&str> {
        let last = self.attempts.last().map(|attempt| attempt.repairs.iter());
        last.into_iter().flatten().map(|repair| repair.kind.as_str()).collect()
    }

    pub(super) fn failure(&self) -> &Failure {
        match &self.outcome.end {
            RunEnd::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }
}
