//! A store that fails at a chosen call, in front of a real one.
//!
//! It implements every trait of the store, so a new method does not compile until it can fail too. All calls are counted in
//! one row, reads and writes alike: with each number once, a test visits every point between two calls.
#![expect(clippy::unwrap_used, reason = "a lock is poisoned only if a test has failed")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use accord_domain::attempt::Attempt;
use accord_domain::audit::Entry;
use accord_domain::callback::Undelivered;
use accord_domain::event::Event;
use accord_domain::id::{EventId, InputId, KeyId, RunId, RunnerId, SessionId, WorkflowRunId};
use accord_domain::input_request::InputRequest;
use accord_domain::key::Key;
use accord_domain::quarantine::Item;
use accord_domain::run::{Assignment, Failure, Holder, Outcome, Run};
use accord_domain::runner::Runner;
use accord_domain::session::Session;
use accord_domain::step::Step;
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    AskAgain, AuditFilter, AuditStore, Beat, CallbackHold, CallbackStore, Census, Claim, Claimed, CloseInput,
    ClosedInput, Condition, ContractRecord, ContractStore, Count, Death, Defined, DefinitionStore, Directive,
    DocumentRecord, Due, DueWorkflowRun, ErrorCount, EventFilter, EventLimit, EventStore, Fact, FactFilter,
    FactStore, Figures, Finish, Finished, Idempotency, InputFilter, InputStore, KeyStore, Last,
    NewWorkflowRun, Notices, Page, PageRequest, Poisoned, PoisonedCount, QuarantineStore, QueueDepth, Report,
    RunFilter, RunReader, RunStore, RunSummary, RunnerStore, SchemaRecord, SchemaStore, SessionFilter,
    SessionStore, SessionSummary, StatsQuery, StatsStore, Store, StoreError, Submission, Submitted,
    Summaries, Suspend, TaskRun, Unmatched, Upkeep, WaitingRun, Wake, WholeRun, WorkflowAdvance,
    WorkflowDocuments, WorkflowRunFilter, WorkflowRunStore,
};
use async_trait::async_trait;
use jiff::Timestamp;

/// What goes wrong. Calls are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// The process dies after this many calls: no later one has an effect.
    Dies { after: usize },
    /// This call fails and has no effect.
    Refuses { call: usize },
    /// This call has its effect, but its answer is lost.
    Loses { call: usize },
}

/// A call of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    pub method: &'static str,
    /// Whether it may change something. A coordinator that dies after a call that only reads dies as after the one before.
    pub writes: bool,
}

impl Call {
    const fn reads(method: &'static str) -> Self {
        Self { method, writes: false }
    }

    const fn writes(method: &'static str) -> Self {
        Self { method, writes: true }
    }
}

/// A store that fails where it is told to.
pub struct FailingStore {
    inner: Arc<dyn Store>,
    fault: Fault,
    calls: Mutex<Vec<Call>>,
    is_paused: AtomicBool,
}

impl FailingStore {
    pub fn new(inner: Arc<dyn Store>, fault: Fault) -> Self {
        Self { inner, fault, calls: Mutex::default(), is_paused: AtomicBool::new(false) }
    }

    /// While it is paused, calls neither count nor fail.
    pub fn pause(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::SeqCst);
    }

    /// The calls so far, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    /// Whether a call has failed.
    pub fn has_failed(&self) -> bool {
        let calls = self.calls.lock().unwrap().len();
        match self.fault {
            Fault::None => false,
            Fault::Dies { after: call } | Fault::Refuses { call } | Fault::Loses { call } => calls > call,
        }
    }

    async fn called<T>(
        &self,
        made: Call,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if self.is_paused.load(Ordering::SeqCst) {
            return call.await;
        }
        let number = {
            let mut calls = self.calls.lock().unwrap();
            calls.push(made);
            calls.len() - 1
        };
        let failure = || StoreError::Unavailable(format!("made to fail at call {number}, {}", made.method));
        match self.fault {
            Fault::Dies { after } if number >= after => Err(failure()),
            Fault::Refuses { call } if number == call => Err(failure()),
            Fault::Loses { call: lost } if number == lost => {
                let _ = call.await;
                Err(failure())
            }
            _ => call.await,
        }
    }
}

macro_rules! in_front {
    ($($store:ident { $($kind:ident $method:ident($($name:ident: $type:ty),*) -> $answer:ty;)* })*) => {
        $(
            #[async_trait]
            impl $store for FailingStore {
                $(
                    async fn $method(&self, $($name: $type),*) -> Result<$answer, StoreError> {
                        self.called(Call::$kind(stringify!($method)), self.inner.$method($($name),*)).await
                    }
                )*
            }
        )*
    };
}

in_front! {
    RunStore {
        writes submit_run(submission: Submission) -> Submitted;
        writes claim_runs(claim: Claim) -> Vec<Claimed>;
        writes start_run(holder: &Holder, now: Timestamp) -> Run;
        writes report(report: Report) -> Vec<u32>;
        writes finish_run_after(last: Last, finish: Finish) -> Finished;
        writes ask_again(again: AskAgain) -> Run;
        writes suspend_run(suspend: Suspend) -> Run;
        writes wake_run(wake: Wake) -> Option<Run>;
        writes give_up_waiting(run_id: &RunId, failure: Failure, now: Timestamp) -> Run;
        writes give_back(holder: &Holder, now: Timestamp) -> Run;
        writes stop_run(run_id: &RunId, now: Timestamp) -> Run;
        writes abandon_run(run_id: &RunId, message: &str, now: Timestamp) -> Run;
    }
    RunReader {
        reads run(run_id: &RunId) -> Run;
        reads assignment(run_id: &RunId) -> Assignment;
        reads outcome(run_id: &RunId) -> Option<Outcome>;
        reads whole_run(run_id: &RunId) -> WholeRun;
        reads opening_parameters(session_id: &SessionId) -> String;
        reads first_answer(scope: &str, key: &str, fingerprint: &str) -> Option<String>;
        reads steps(run_id: &RunId) -> Vec<Step>;
        reads attempts(run_id: &RunId) -> Vec<Attempt>;
        reads runs(filter: &RunFilter, page: &PageRequest) -> Page<Run>;
        reads count_runs(filter: &RunFilter, most: u32) -> Count;
        reads run_summaries(runs: &[RunId]) -> Summaries<RunId, RunSummary>;
        reads ids_beginning(beginning: &str, limit: u32) -> Vec<String>;
    }
    SessionStore {
        reads session(session_id: &SessionId) -> Session;
        reads sessions(filter: &SessionFilter, page: &PageRequest) -> Page<Session>;
        reads count_sessions(filter: &SessionFilter, most: u32) -> Count;
        reads session_summaries(sessions: &[SessionId]) -> Summaries<SessionId, SessionSummary>;
        writes remove_session(session_id: &SessionId) -> ();
    }
    DefinitionStore {
        writes put_definition(defined: Defined, record: DocumentRecord, condition: Condition, idempotency: Option<Idempotency>) -> Option<String>;
        reads definition(defined: Defined, name: &str) -> Option<DocumentRecord>;
        reads definitions(defined: Defined) -> Vec<DocumentRecord>;
        writes remove_definition(defined: Defined, name: &str, condition: Condition) -> ();
    }
    SchemaStore {
        writes add_schema(schema: SchemaRecord, idempotency: Option<Idempotency>) -> SchemaRecord;
        reads schema(name: &str) -> Option<SchemaRecord>;
        reads schemas(page: &PageRequest) -> Page<SchemaRecord>;
        writes remove_schema(name: &str) -> ();
    }
    ContractStore {
        writes keep_contract(contract: ContractRecord) -> ();
        reads contract(agent_name: &str, hash: &str) -> Option<ContractRecord>;
    }
    KeyStore {
        writes add_key(key: Key) -> ();
        reads keys() -> Vec<Key>;
        writes remove_key(key_id: &KeyId) -> ();
        writes mark_keys_used(used: &[(KeyId, Timestamp)]) -> ();
    }
    AuditStore {
        writes add_audit(entry: Entry) -> ();
        reads audit(filter: &AuditFilter, page: &PageRequest) -> Page<Entry>;
        writes forget_audit(before: Timestamp) -> ();
    }
    RunnerStore {
        writes register_runner(runner: Runner) -> ();
        reads runner(runner_id: &RunnerId) -> Option<Runner>;
        reads runners() -> Vec<Runner>;
        writes heartbeat(beat: Beat) -> Vec<Directive>;
        reads waiting_for_children(runs: &[RunId]) -> u32;
        writes remove_runner(runner_id: &RunnerId) -> ();
    }
    FactStore {
        reads facts(filter: &FactFilter) -> Vec<Fact>;
        writes forget_facts(filter: &FactFilter) -> u64;
    }
    InputStore {
        reads input(input_id: &InputId) -> InputRequest;
        reads inputs(filter: &InputFilter, page: &PageRequest) -> Page<InputRequest>;
        writes close_input(close: CloseInput) -> ClosedInput;
        reads due_inputs(now: Timestamp, limit: u32) -> Vec<InputRequest>;
        writes set_input_link(input_id: &InputId, hash: &str) -> ();
        reads input_link(input_id: &InputId) -> Option<String>;
    }
    CallbackStore {
        reads due_callbacks(limit: u32) -> Vec<Due>;
        reads waiting_runs(now: Timestamp, limit: u32) -> Vec<WaitingRun>;
        reads children_to_come(session_id: &SessionId) -> Vec<SessionId>;
        reads children_to_stop(limit: u32) -> Vec<RunId>;
        reads undelivered(parent: &SessionId, limit: u32) -> Vec<Undelivered>;
        writes delay_callbacks(parent: &SessionId, now: Timestamp) -> ();
        writes hold_callbacks(hold: CallbackHold) -> ();
    }
    StatsStore {
        reads stats(query: &StatsQuery) -> Figures;
        reads frequent_errors(query: &StatsQuery, limit: u32) -> Vec<ErrorCount>;
    }
    Upkeep {
        writes shorten_leases(to: Timestamp, beyond: Timestamp) -> ();
        writes reap(now: Timestamp, max_deliveries: u32, limit: u32) -> Vec<Run>;
        writes fail_unmatched(unmatched: &Unmatched, now: Timestamp, limit: u32) -> Vec<Run>;
        writes forget(before: Timestamp) -> ();
        writes forget_idempotency_keys(before: Timestamp) -> ();
        reads next_expiry() -> Option<Timestamp>;
        reads queue_depth() -> QueueDepth;
        writes ping() -> ();
    }
    WorkflowRunStore {
        writes submit_workflow_run(run: NewWorkflowRun, idempotency: Option<Idempotency>) -> Option<String>;
        writes advance_workflow_run(advance: WorkflowAdvance) -> ();
        writes stop_workflow_run(id: &WorkflowRunId, now: Timestamp) -> WorkflowRun;
        reads workflow_documents(id: &WorkflowRunId) -> WorkflowDocuments;
        reads workflow_runs(filter: &WorkflowRunFilter, page: &PageRequest) -> Page<WorkflowRun>;
        reads count_workflow_runs(filter: &WorkflowRunFilter, most: u32) -> Count;
        reads workflow_previews(runs: &[WorkflowRunId]) -> Summaries<WorkflowRunId, String>;
        reads due_workflow_runs(limit: u32) -> Vec<DueWorkflowRun>;
        reads finished_task_runs(id: &WorkflowRunId) -> Vec<TaskRun>;
        writes remove_workflow_run(id: &WorkflowRunId) -> ();
        reads is_task_run(run_id: &RunId) -> bool;
    }
    QuarantineStore {
        writes begin_work(items: Vec<Item>, instance: &str, now: Timestamp) -> Vec<Item>;
        writes end_work(items: Vec<Item>, instance: &str) -> ();
        writes renew_work(instance: &str, now: Timestamp) -> ();
        writes release_work(instance: &str) -> ();
        reads dead_work(census: &Census, limit: u32) -> Vec<Item>;
        writes count_death(item: &Item, census: &Census) -> Option<Death>;
        reads is_marked(item: &Item) -> bool;
        reads deaths(item: &Item) -> u32;
        reads poisoned(limit: u32) -> Poisoned;
        reads count_poisoned() -> PoisonedCount;
        writes retry_workflow_run(id: &WorkflowRunId, idempotency: Option<Idempotency>, now: Timestamp) -> WorkflowRun;
        writes end_workflow_run(id: &WorkflowRunId, now: Timestamp) -> WorkflowRun;
        reads task_runs(id: &WorkflowRunId) -> Vec<TaskRun>;
        writes stop_run_at_once(run_id: &RunId, now: Timestamp) -> Run;
    }
}

#[async_trait]
impl EventStore for FailingStore {
    async fn events(
        &self,
        filter: &EventFilter,
        after: EventId,
        limit: EventLimit,
    ) -> Result<Vec<Event>, StoreError> {
        self.called(Call::reads("events"), self.inner.events(filter, after, limit)).await
    }

    async fn last_event(&self) -> Result<EventId, StoreError> {
        self.called(Call::reads("last_event"), self.inner.last_event()).await
    }

    fn notices(&self) -> Notices {
        self.inner.notices()
    }
}

impl Store for FailingStore {
    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }
}
