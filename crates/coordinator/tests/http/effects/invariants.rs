//! What is true whenever the reconcilers have come to rest, whatever happened before.

use std::collections::BTreeMap;

use accord_coordinator::Outside;
use accord_domain::id::EventId;
use accord_domain::run::{Run, Status};
use accord_domain::session::{ExecutionMode, Session, Status as SessionStatus};
use accord_store::{
    EventFilter, EventLimit, InputFilter, PageRequest, RunFilter, SessionFilter, Store, WorkflowRunFilter,
};
use serde_json::Value;

/// Everything in the store, as far as it is looked at.
pub(crate) struct Records {
    pub(crate) runs: Vec<Run>,
    pub(crate) sessions: Vec<Session>,
}

impl Records {
    pub(crate) async fn read(store: &dyn Store) -> Self {
        let runs = store.runs(&RunFilter::default(), &whole()).await.unwrap().items;
        let sessions = store.sessions(&SessionFilter::default(), &whole()).await.unwrap().items;
        Self { runs, sessions }
    }

    fn session(&self, run: &Run) -> &Session {
        self.sessions.iter().find(|session| session.id == run.session_id).unwrap()
    }
}

fn whole() -> PageRequest {
    PageRequest { limit: 1000, cursor: None }
}

pub(crate) async fn check(
    store: &dyn Store,
    acknowledged: &BTreeMap<String, Option<String>>,
    clock: &dyn Outside,
) {
    let records = Records::read(store).await;
    for (id, status) in acknowledged {
        let run = records.runs.iter().find(|run| run.id.as_str() == id);
        let run = run.unwrap_or_else(|| panic!("{id} was acknowledged and is gone"));
        if let Some(status) = status {
            assert_eq!(run.status.as_str(), status, "{id} has ended in another way than was acknowledged");
        }
    }
    for run in &records.runs {
        will_move_on(store, &records, run).await;
        ended_once(store, run).await;
        if let Some(reason) = must_stop(store, &records, run).await {
            assert!(run.status.is_over() || run.status == Status::Stopping, "{} goes on: {reason}", run.id);
        }
    }
    for session in &records.sessions {
        let last = records.runs.iter().find(|run| run.id == session.last_run_id).unwrap();
        assert_eq!(session.status.is_busy(), !last.status.is_over(), "{} is {}", session.id, session.status);
        // A child's end is delivered, held, or the parent is busy; a parent is idle only while a child is at work.
        if !session.status.is_busy() {
            let pending = store.undelivered(&session.id, 100).await.unwrap();
            assert!(pending.iter().all(|each| each.held.is_some()), "{}: {pending:?}", session.id);
        }
        let is_waiting = !store.children_to_come(&session.id).await.unwrap().is_empty();
        match session.status {
            SessionStatus::Idle => assert!(is_waiting, "{} is idle and waits for nobody", session.id),
            SessionStatus::Finished => assert!(!is_waiting, "{} is finished and has children", session.id),
            _ => {}
        }
    }
    let inputs = store.inputs(&InputFilter::default(), &whole()).await.unwrap().items;
    for input in inputs.iter().filter(|input| input.status.as_str() == "open") {
        let run = records.runs.iter().find(|run| run.id == input.run_id).unwrap();
        assert_eq!(run.status, Status::InputRequired, "{} is open", input.id);
        assert!(input.expires_at > clock.now(), "{} has expired", input.id);
    }
    for workflow in store.workflow_runs(&WorkflowRunFilter::default(), &whole()).await.unwrap().items {
        let tasks = store.task_runs(&workflow.id).await.unwrap();
        assert_eq!(
            workflow.status.is_over(),
            tasks.is_empty(),
            "{} is {:?}: {tasks:?}",
            workflow.id,
            workflow.status
        );
        let unread = store.finished_task_runs(&workflow.id).await.unwrap();
        assert!(unread.is_empty(), "{} does not go on: {unread:?}", workflow.id);
    }
    let marks = accord_store::Census {
        instance: "nobody".to_owned(),
        seen_before: jiff::Timestamp::MAX,
        seen_after: jiff::Timestamp::MAX,
        now: clock.now(),
    };
    assert!(store.dead_work(&marks, 10).await.unwrap().is_empty(), "a mark is left");
}

/// A run that is not over waits for something that will happen.
async fn will_move_on(store: &dyn Store, records: &Records, run: &Run) {
    match run.status {
        // Claimed by a runner, or failed after the match timeout.
        Status::Pending => assert!(run.lease.is_none(), "{run:?}"),
        // Finished by the runner, or reaped.
        Status::Claimed | Status::Running | Status::Stopping => assert!(run.lease.is_some(), "{run:?}"),
        Status::Waiting => {
            assert!(run.waits_until.is_some(), "{run:?}");
            let children = store.children_to_come(&run.session_id).await.unwrap();
            assert!(!children.is_empty(), "{} waits for nobody", run.id);
        }
        Status::InputRequired => {
            let filter = InputFilter { run_id: Some(run.id.clone()), ..InputFilter::default() };
            let inputs = store.inputs(&filter, &whole()).await.unwrap().items;
            assert!(inputs.iter().any(|input| input.status.as_str() == "open"), "{} asks nobody", run.id);
        }
        Status::Completed | Status::Failed | Status::Stopped => {
            assert!(run.lease.is_none() && run.finished_at.is_some(), "{run:?}");
            assert_eq!(store.outcome(&run.id).await.unwrap().is_some(), run.status == Status::Completed);
        }
    }
    assert!(records.session(run).last_run_id == run.id || run.status.is_over(), "{run:?}");
}

async fn ended_once(store: &dyn Store, run: &Run) {
    let kinds = events(store, run).await;
    let ends = ["run.completed", "run.failed", "run.stopped"];
    let count = kinds.iter().filter(|kind| ends.contains(&kind.as_str())).count();
    assert_eq!(count, usize::from(run.status.is_over()), "{}: {kinds:?}", run.id);
    let results = kinds.iter().filter(|kind| *kind == "result").count();
    assert_eq!(results, usize::from(run.status == Status::Completed), "{}: {kinds:?}", run.id);
    assert!(
        !run.status.is_over() || !kinds.iter().any(|kind| kind == "output.delta"),
        "{}: {kinds:?}",
        run.id
    );
}

async fn events(store: &dyn Store, run: &Run) -> Vec<String> {
    let filter = EventFilter { run_id: Some(run.id.clone()), ..EventFilter::default() };
    let events = store.events(&filter, EventId(0), EventLimit::of(1000)).await.unwrap();
    events.iter().map(|event| event.kind.clone()).collect()
}

/// Why a run has to be stopped: a run of its parent session has ended, or is being stopped while it waits for it.
async fn must_stop(store: &dyn Store, records: &Records, child: &Run) -> Option<String> {
    let parent = records.session(child).parent_session_id.as_ref()?;
    for run in records.runs.iter().filter(|run| run.session_id == *parent) {
        let began_before = run.finished_at.is_none_or(|end| child.created_at <= end);
        let is_waited_for = child.execution_mode == ExecutionMode::Sync && child.created_at >= run.created_at;
        if matches!(run.status, Status::Stopping | Status::Stopped) && is_waited_for && began_before {
            return Some(format!("{}, which waits for it, is {}", run.id, run.status));
        }
        let blueprint = store.assignment(&run.id).await.unwrap().blueprint;
        let blueprint: Value = serde_json::from_str(&blueprint).unwrap();
        let stops = blueprint["on_parent_end"] == "stop";
        if matches!(run.status, Status::Failed | Status::Stopped) && began_before && stops {
            return Some(format!("its parent {} is {}", run.id, run.status));
        }
    }
    None
}
