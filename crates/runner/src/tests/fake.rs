//! An in-memory coordinator, and an executor controlled by its prompt.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use accord_api::{
    ClaimRuns, ClaimedRun, ClaimedRuns, ErrorBody, ErrorName, FileId, FinishRun, FinishStatus, FinishedRun,
    Heartbeat, HeartbeatAnswer, LeaseId, Profile, RegisterRunner, RegisteredRunner, ReportAttempts,
    ReportEvents, ReportedAttempts, RunDirective, RunId, RunInstruction, RunKind, RunStatus, RunnerId,
    SessionId,
};
use accord_client::ClientError;
use accord_executor::{
    Answer, Capabilities, Events, Executor, OpenError, Registry, Session, Start, Turn, TurnError,
    TurnFailure, Usage,
};
use async_trait::async_trait;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::coordinator::Coordinator;
use crate::runner::{Runner, RunnerError};
use crate::settings::RunnerSettings;
use crate::shutdown::Shutdown;

#[derive(Default)]
struct State {
    queue: VecDeque<ClaimedRun>,
    /// One line for each relevant call.
    calls: Vec<String>,
    finishes: Vec<FinishRun>,
    /// Errors to answer with, by the name of the call.
    errors: HashMap<&'static str, VecDeque<ClientError>>,
    directives: HashMap<RunId, RunDirective>,
    registrations: u32,
    /// Reports in progress, and their maximum so far.
    under_way: usize,
    most_at_once: usize,
    /// How many runs wait for children.
    waiting: u32,
    down: bool,
}

#[derive(Clone)]
pub(super) struct Fake {
    state: Arc<Mutex<State>>,
    changed: watch::Sender<()>,
}

impl Fake {
    pub(super) fn new() -> Self {
        Self { state: Arc::default(), changed: watch::Sender::new(()) }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.state.lock().unwrap());
        self.changed.send_replace(());
        result
    }

    pub(super) fn queue(&self, id: &str, prompt: &str) {
        let claim = claim(id, prompt);
        self.change(|state| state.queue.push_back(claim));
    }

    pub(super) fn queue_claim(&self, claim: ClaimedRun) {
        self.change(|state| state.queue.push_back(claim));
    }

    pub(super) fn fail_next(&self, call: &'static str, error: ClientError) {
        self.change(|state| state.errors.entry(call).or_default().push_back(error));
    }

    pub(super) fn direct(&self, id: &str, directive: RunDirective) {
        self.change(|state| state.directives.insert(RunId::new(id), directive));
    }

    pub(super) fn set_waiting(&self, waiting: u32) {
        self.change(|state| state.waiting = waiting);
    }

    pub(super) fn set_down(&self, down: bool) {
        self.change(|state| state.down = down);
    }

    pub(super) fn calls(&self) -> Vec<String> {
        self.state.lock().unwrap().calls.clone()
    }

    pub(super) fn finishes(&self) -> Vec<FinishRun> {
        self.state.lock().unwrap().finishes.clone()
    }

    pub(super) fn most_at_once(&self) -> usize {
        self.state.lock().unwrap().most_at_once
    }

    pub(super) async fn until_finished(&self, runs: u32) {
        self.until_state(|state| state.finishes.len() >= usize::try_from(runs).unwrap()).await;
    }

    pub(super) fn registrations(&self) -> u32 {
        self.state.lock().unwrap().registrations
    }

    /// Waits until a call was made; if it is never made, the test fails, in paused time.
    pub(super) async fn until(&self, call: &str) {
        let made = self.until_state(|state| state.calls.iter().any(|made| made == call));
        if timeout(Duration::from_secs(3600), made).await.is_err() {
            panic!("no '{call}' among {:?}", self.calls());
        }
    }

    async fn until_state(&self, holds: impl Fn(&State) -> bool) {
        let mut changed = self.changed.subscribe();
        loop {
            if holds(&self.state.lock().unwrap()) {
                return;
            }
            changed.changed().await.unwrap();
        }
    }

    fn called(&self, call: &'static str, line: String) -> Result<(), ClientError> {
        self.change(|state| {
            if state.down {
                return Err(unreachable());
            }
            if let Some(error) = state.errors.get_mut(call).and_then(VecDeque::pop_front) {
                state.calls.push(format!("{line} refused"));
                return Err(error);
            }
            state.calls.push(line);
            Ok(())
        })
    }
}

pub(super) fn unreachable() -> ClientError {
    ClientError::Unreachable { address: "there".into(), cause: "refused".into() }
}

pub(super) fn error(name: ErrorName) -> ClientError {
    ClientError::Api(Box::new(ErrorBody {
        error: name.as_str().into(),
        message: format!("it is {}", name.as_str()),
        status_code: name.status(),
        details: None,
    }))
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap()
}

/// A run of an agent without a contract.
pub(super) fn claim(id: &str, prompt: &str) -> ClaimedRun {
    ClaimedRun {
        run_id: RunId::new(id),
        session_id: SessionId::new(id),
        parent_session_id: None,
        lease_id: LeaseId::new(id),
        attempt: 1,
        lease_seconds: 30,
        kind: RunKind::StartSession,
        agent_name: "a".into(),
        blueprint: raw(&json!({
            "name": "a",
            "executor": {"type": "llm", "provider": "p", "model": "m", "temperature": 0.5},
        })),
        parameters: raw(&json!({"prompt": prompt})),
        contract: None,
        held_by_coordinator: false,
        retry_count: 0,
        retry_prompt: None,
        opening: None,
        conversation: None,
        model: None,
        project_dir: None,
        facts: Vec::new(),
        input: None,
        spent: accord_api::Spent::default(),
        steps: Vec::new(),
        traceparent: None,
        tools: None,
        files: Vec::new(),
    }
}

/// The same under a contract that accepts `{"n": integer}`.
pub(super) fn claim_under(id: &str, prompt: &str) -> ClaimedRun {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let contract = json!({
        "origin": "caller", "schema": schema, "schema_hash": "sha256:x", "max_retries": 0, "extract_json": true,
        "strict_json_only": false, "validation_mode": "strict", "strategy": "auto",
    });
    ClaimedRun { contract: Some(raw(&contract)), ..claim(id, prompt) }
}

#[async_trait]
impl Coordinator for Fake {
    async fn register(&self, _: &RegisterRunner) -> Result<RegisteredRunner, ClientError> {
        self.called("register", "register".into())?;
        let count = self.change(|state| {
            state.registrations += 1;
            state.registrations
        });
        // Yields first, as a real response would arrive later.
        tokio::task::yield_now().await;
        Ok(RegisteredRunner { runner_id: RunnerId::new(count), lease_seconds: 30, heartbeat_seconds: 10 })
    }

    async fn claim(&self, claim: &ClaimRuns) -> Result<ClaimedRuns, ClientError> {
        self.called("claim", format!("claim {} for {}", claim.max, claim.runner_id))?;
        let wait = Duration::from_secs(claim.wait_seconds.into());
        timeout(wait, self.until_state(|state| !state.queue.is_empty())).await.ok();
        let max = usize::try_from(claim.max).unwrap();
        let runs = self.change(|state| {
            let count = state.queue.len().min(max);
            state.queue.drain(..count).collect::<Vec<_>>()
        });
        for run in &runs {
            self.called("claimed", format!("claimed {}", run.run_id))?;
        }
        Ok(ClaimedRuns { runs })
    }

    async fn events(&self, run: &RunId, report: &ReportEvents) -> Result<(), ClientError> {
        self.called("events", format!("events {run} {}", report.events.len()))
    }

    async fn attempts(&self, run: &RunId, report: &ReportAttempts) -> Result<ReportedAttempts, ClientError> {
        self.called("attempts", format!("attempts {run} {}", report.attempts.len()))?;
        Ok(ReportedAttempts { waiting: false })
    }

    async fn finish(&self, run: &RunId, finish: &FinishRun) -> Result<FinishedRun, ClientError> {
        self.change(|state| {
            state.under_way += 1;
            state.most_at_once = state.most_at_once.max(state.under_way);
        });
        // A real answer takes a while.
        pass_time(Duration::from_millis(1)).await;
        self.change(|state| state.under_way -= 1);
        let status = serde_json::to_value(finish.status).unwrap();
        let line = format!("finish {run} {}", status.as_str().unwrap());
        let result = self.called("finish", line);
        self.change(|state| state.finishes.push(finish.clone()));
        result?;
        let status = match finish.status {
            FinishStatus::Completed => RunStatus::Completed,
            FinishStatus::Failed => RunStatus::Failed,
            _ => RunStatus::Stopped,
        };
        Ok(FinishedRun { run_id: run.clone(), status })
    }

    async fn heartbeat(&self, heartbeat: &Heartbeat) -> Result<HeartbeatAnswer, ClientError> {
        self.called("heartbeat", format!("heartbeat {}", heartbeat.runs.len()))?;
        let wait = Duration::from_secs(heartbeat.wait_seconds.into());
        let told = |state: &State| {
            let others_wait = heartbeat.waiting.is_some_and(|known| known != state.waiting);
            state.down
                || others_wait
                || heartbeat.runs.iter().any(|held| state.directives.contains_key(&held.run_id))
        };
        timeout(wait, self.until_state(told)).await.ok();
        let state = self.state.lock().unwrap();
        if state.down {
            return Err(unreachable());
        }
        let instruct = |run_id: &RunId| RunInstruction {
            run_id: run_id.clone(),
            directive: state.directives.get(run_id).copied().unwrap_or(RunDirective::Continue),
        };
        let waiting = heartbeat.waiting.map(|_| state.waiting);
        Ok(HeartbeatAnswer {
            runs: heartbeat.runs.iter().map(|held| instruct(&held.run_id)).collect(),
            waiting,
        })
    }

    async fn unregister(&self, id: &RunnerId) -> Result<(), ClientError> {
        self.called("unregister", format!("unregister {id}"))
    }

    async fn file(&self, run: &RunId, file: &FileId) -> Result<Vec<u8>, ClientError> {
        self.called("file", format!("file {file} of {run}"))?;
        Ok(file.to_string().into_bytes())
    }
}

/// The clock of these tests is paused, and moves on by itself while everything waits.
async fn pass_time(time: Duration) {
    let _ = timeout(time, std::future::pending::<()>()).await;
}

/// Echoes the prompt. With `slow` it takes a second, with `hang` it runs until it is stopped, with `break` it panics, and with
/// `never` it never becomes ready.
struct Echo(Fake);

#[async_trait]
impl Executor for Echo {
    async fn open(&self, start: Start) -> Result<Box<dyn Session>, OpenError> {
        self.0.change(|state| state.calls.push(format!("opened {}", start.run_id)));
        match start.parameters["prompt"].as_str() {
            Some("no key") => Err(OpenError::Missing("there is no key".into())),
            Some("slow program") => Err(OpenError::TimedOut(2)),
            Some("never") => std::future::pending().await,
            _ => Ok(Box::new(Echo(self.0.clone()))),
        }
    }
}

#[async_trait]
impl Session for Echo {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            endpoint: "here".into(),
            model: "m".into(),
            native: None,
            tool: None,
            json_mode: false,
            native_beside_tools: false,
            reprompt: true,
            max_tokens: None,
            takes_ceiling: false,
            repeats: true,
            records_steps: false,
            takes_pdfs: true,
        }
    }

    async fn turn(
        &mut self,
        turn: Turn,
        _: &Events,
        cancel: &CancellationToken,
    ) -> Result<Answer, TurnFailure> {
        let text = turn.prompt.lines().next().unwrap_or_default().to_owned();
        match text.as_str() {
            "hang" => {
                cancel.cancelled().await;
                Err(TurnFailure { error: TurnError::Stopped, usage: Usage::default() })
            }
            "slow" => {
                pass_time(Duration::from_secs(1)).await;
                Ok(Answer::of_text(text, "m"))
            }
            "break" => panic!("something broke"),
            _ => {
                let usage = Usage { input_tokens: 3, ..Usage::default() };
                Ok(Answer { usage, ..Answer::of_text(text, "m") })
            }
        }
    }

    fn conversation(&self) -> Option<Value> {
        Some(json!(["so far"]))
    }

    fn switch(&mut self, _settings: &Value) -> Result<(), OpenError> {
        Err(OpenError::OneProvider)
    }

    async fn close(self: Box<Self>) {}
}

pub(super) async fn pass(seconds: u64) {
    timeout(Duration::from_secs(seconds), std::future::pending::<()>()).await.unwrap_err();
}

pub(super) struct Running {
    pub(super) fake: Fake,
    pub(super) shutdown: Shutdown,
    task: tokio::task::JoinHandle<Result<(), RunnerError>>,
}

impl Running {
    pub(super) fn start(fake: &Fake, concurrency: u32) -> Self {
        let registry = Registry::default().with("llm", Arc::new(Echo(fake.clone())));
        let profile = Profile { project_dir: "/p".into(), concurrency, ..Profile::default() };
        let settings = RunnerSettings::new(profile);
        let runner = Runner::new(Arc::new(fake.clone()), registry, settings);
        let shutdown = Shutdown::new();
        let task = tokio::spawn(runner.run(shutdown.clone()));
        Self { fake: fake.clone(), shutdown, task }
    }

    pub(super) async fn ended(self) -> Result<(), RunnerError> {
        self.task.await.unwrap()
    }

    /// Shuts down and waits until it has finished.
    pub(super) async fn end(self) -> Fake {
        self.shutdown.signal();
        let fake = self.fake.clone();
        self.ended().await.unwrap();
        fake
    }
}
