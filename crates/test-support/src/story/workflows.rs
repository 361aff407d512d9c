//! Workflows and their runs.

use std::sync::Arc;

use accord_domain::audit::RequestedBy;
use accord_domain::event::Body;
use accord_domain::id::WorkflowRunId;
use accord_domain::input::InputSummary;
use accord_domain::run::FailureType;
use accord_domain::workflow::{NodeStatus, Status, WorkflowRun};
use accord_store::{
    Condition, Defined, DocumentRecord, EventFilter, NewWorkflowRun, NodeRecord, Notice, PageRequest, Store,
    StoreError, TaskRun, WorkflowAdvance, WorkflowDocuments, WorkflowRequest, WorkflowRunFilter,
    WorkflowRunStore,
};
use tokio::task::JoinSet;

use super::make::*;

pub(super) fn id(name: &str) -> WorkflowRunId {
    WorkflowRunId::new(name)
}

pub(super) fn new(name: &str, seconds: i64) -> NewWorkflowRun {
    NewWorkflowRun {
        run: WorkflowRun {
            id: id(name),
            workflow_name: "review".into(),
            status: Status::Running,
            version: 0,
            parent: None,
            depth: 0,
            requested_by: Some(RequestedBy { run_id: Some(run_id("asker")), ..RequestedBy::default() }),
            created_at: at(seconds),
            updated_at: at(seconds),
            finished_at: None,
            failure: None,
        },
        definition: r#"{"name":"review"}"#.into(),
        head: r#"{"input":1}"#.into(),
        input: InputSummary::of_text(&[id(name).as_str(), "review"], "1"),
    }
}

fn node(name: &str, body: &str) -> NodeRecord {
    NodeRecord { node: name.into(), body: body.into() }
}

fn finished(name: &str) -> Body {
    Body::WorkflowNodeFinished {
        node: name.into(),
        status: NodeStatus::Completed,
        error: None,
        warning: None,
    }
}

/// The next version of a run, with nothing else to write.
pub(super) fn next(run: &WorkflowRun, seconds: i64) -> WorkflowAdvance {
    WorkflowAdvance {
        run: WorkflowRun { version: run.version + 1, updated_at: at(seconds), ..run.clone() },
        head: r#"{"input":2}"#.into(),
        nodes: Vec::new(),
        events: Vec::new(),
        starts: Vec::new(),
        children: Vec::new(),
        taken: Vec::new(),
    }
}

async fn whole(store: &Arc<dyn Store>, name: &str) -> WorkflowDocuments {
    store.workflow_documents(&id(name)).await.unwrap()
}

async fn due(store: &Arc<dyn Store>) -> Vec<WorkflowRunId> {
    store.due_workflow_runs(PLENTY).await.unwrap().into_iter().map(|due| due.id).collect()
}

/// Workflows are written under preconditions, as agents are.
pub async fn workflows_are_kept_under_conditions(store: Arc<dyn Store>) {
    let record = |document: &str, seconds| DocumentRecord {
        name: "review".into(),
        document: document.into(),
        hash: format!("hash of {document}"),
        created_at: at(seconds),
        modified_at: at(seconds),
    };
    assert_eq!(
        store.put_definition(Defined::Workflow, record("one", 1), Condition::Absent, None).await.unwrap(),
        None
    );
    let twice = store.put_definition(Defined::Workflow, record("two", 2), Condition::Absent, None).await;
    assert!(matches!(twice, Err(StoreError::Exists { kind: "workflow", .. })), "{twice:?}");
    let stale = store
        .put_definition(Defined::Workflow, record("two", 2), Condition::Unchanged("other".into()), None)
        .await;
    assert!(matches!(stale, Err(StoreError::Changed { kind: "workflow", .. })), "{stale:?}");
    store
        .put_definition(Defined::Workflow, record("two", 2), Condition::Unchanged("hash of one".into()), None)
        .await
        .unwrap();
    let expected = DocumentRecord { created_at: at(1), ..record("two", 2) };
    assert_eq!(store.definition(Defined::Workflow, "review").await.unwrap(), Some(expected.clone()));
    assert_eq!(store.definitions(Defined::Workflow).await.unwrap(), [expected]);
    store.remove_definition(Defined::Workflow, "review", Condition::Present).await.unwrap();
    let gone = store.remove_definition(Defined::Workflow, "review", Condition::Present).await;
    assert!(matches!(gone, Err(StoreError::NoSuch { kind: "workflow", .. })), "{gone:?}");
}

/// A new workflow run is stored completely and is due; the same idempotency key creates it once.
pub async fn a_new_workflow_run_is_stored_completely(store: Arc<dyn Store>) {
    let new = new("a", 1);
    let promise = accord_store::Idempotency {
        scope: "s".into(),
        key: "k".into(),
        fingerprint: "f".into(),
        response: "answer".into(),
    };
    assert_eq!(store.submit_workflow_run(new.clone(), Some(promise.clone())).await.unwrap(), None);
    let again = super::workflows::new("b", 1);
    assert_eq!(store.submit_workflow_run(again, Some(promise)).await.unwrap(), Some("answer".into()));
    let expected = WorkflowDocuments {
        run: new.run,
        definition: new.definition,
        head: new.head,
        nodes: Vec::new(),
        asked: Some(WorkflowRequest::Begin),
        deaths: 0,
    };
    assert_eq!(whole(&store, "a").await, expected);
    assert_eq!(due(&store).await, [id("a")]);
    let missing = store.workflow_documents(&id("b")).await;
    assert!(matches!(missing, Err(StoreError::NoSuch { kind: "workflow run", .. })), "{missing:?}");
}

/// An advance is written completely (state, events, and the runs that it starts) and once per
/// version.
pub async fn an_advance_is_written_completely_and_once(store: Arc<dyn Store>) {
    let mut notices = store.notices();
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    let loaded = whole(&store, "a").await;
    let child = NewWorkflowRun {
        run: WorkflowRun { parent: Some(id("a")), depth: 1, ..new("child", 2).run },
        ..new("child", 2)
    };
    let advance = WorkflowAdvance {
        nodes: vec![node("x", "{}"), node("y", r#"{"a":1}"#)],
        events: vec![finished("x")],
        starts: vec![fresh("r")],
        children: vec![child.clone()],
        ..next(&loaded.run, 2)
    };
    store.advance_workflow_run(advance.clone()).await.unwrap();
    let expected = WorkflowDocuments {
        run: advance.run.clone(),
        head: advance.head.clone(),
        nodes: advance.nodes.clone(),
        asked: None,
        ..loaded
    };
    assert_eq!(whole(&store, "a").await, expected);
    assert_eq!(store.run(&run_id("r")).await.unwrap().id, run_id("r"));
    assert_eq!(whole(&store, "child").await.run, child.run);
    assert_eq!(due(&store).await, [id("child")], "none of its workers is done");
    let filter = EventFilter { workflow_run_id: Some(id("a")), ..EventFilter::default() };
    let events = events_of(&store, filter).await;
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["workflow.node_finished"]);
    let event = events.first().unwrap();
    let owner = (event.at, &event.session_id, &event.run_id, &event.workflow_run_id);
    assert_eq!(owner, (at(2), &None, &None, &Some(id("a"))));
    let wanted = Notice::WorkflowEvents { workflow_run_id: id("a") };
    while notices.recv().await.unwrap() != wanted {}

    let stale = store.advance_workflow_run(WorkflowAdvance { starts: vec![fresh("r2")], ..advance }).await;
    assert!(matches!(stale, Err(StoreError::Changed { kind: "workflow run", .. })), "{stale:?}");
    assert!(matches!(store.run(&run_id("r2")).await, Err(StoreError::NoRun(_))));
}

/// A workflow run is due when one of its workers has finished, until that is processed.
pub async fn a_finished_worker_makes_a_workflow_run_due(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    let run = whole(&store, "a").await.run;
    let starts = vec![fresh("r"), fresh("s")];
    let children =
        vec![NewWorkflowRun { run: WorkflowRun { depth: 1, ..new("child", 2).run }, ..new("child", 2) }];
    store.advance_workflow_run(WorkflowAdvance { starts, children, ..next(&run, 2) }).await.unwrap();
    let child = whole(&store, "child").await.run;
    store.advance_workflow_run(next(&child, 3)).await.unwrap();
    assert_eq!(due(&store).await, []);
    assert_eq!(store.finished_task_runs(&id("a")).await.unwrap(), []);
    assert!(
        store.is_task_run(&run_id("r")).await.unwrap() && !store.is_task_run(&run_id("x")).await.unwrap()
    );

    let (first, second) = (holder(&take(&store, 4).await.run), holder(&take(&store, 4).await.run));
    store.finish_run(finish(&first, failed(FailureType::ExecutorFailed), 5)).await.unwrap();
    assert_eq!(due(&store).await, [id("a")]);
    assert_eq!(store.finished_task_runs(&id("a")).await.unwrap(), [TaskRun::Run(run_id("r"))]);

    let child = whole(&store, "child").await.run;
    let over = WorkflowRun { status: Status::Completed, finished_at: Some(at(6)), ..next(&child, 6).run };
    store.advance_workflow_run(WorkflowAdvance { run: over, ..next(&child, 6) }).await.unwrap();
    let both = vec![TaskRun::Run(run_id("r")), TaskRun::Workflow(id("child"))];
    assert_eq!(store.finished_task_runs(&id("a")).await.unwrap(), both);

    let run = whole(&store, "a").await.run;
    store.advance_workflow_run(WorkflowAdvance { taken: both, ..next(&run, 7) }).await.unwrap();
    assert_eq!(due(&store).await, []);
    assert!(
        !store.is_task_run(&run_id("r")).await.unwrap() && store.is_task_run(&run_id("s")).await.unwrap()
    );
    // There will be no other notification about a run that was removed with its session.
    store.finish_run(finish(&second, failed(FailureType::ExecutorFailed), 8)).await.unwrap();
    store.remove_session(&session_id("s")).await.unwrap();
    assert_eq!(store.finished_task_runs(&id("a")).await.unwrap(), [TaskRun::Run(run_id("s"))]);
}

/// A stop request is recorded before the start and during an advance; a finished run is unchanged.
pub async fn a_workflow_run_can_be_asked_to_stop(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    let before = whole(&store, "a").await.run;
    let stopped = store.stop_workflow_run(&id("a"), at(2)).await.unwrap();
    assert_eq!(stopped, WorkflowRun { version: 1, updated_at: at(2), ..before.clone() });
    assert_eq!(store.stop_workflow_run(&id("a"), at(3)).await.unwrap(), stopped);
    assert_eq!(whole(&store, "a").await.asked, Some(WorkflowRequest::Stop));
    // A coordinator that loaded the run before the request does not miss it.
    let stale = store.advance_workflow_run(next(&before, 4)).await;
    assert!(matches!(stale, Err(StoreError::Changed { .. })), "{stale:?}");
    let stopping = WorkflowRun { status: Status::Stopping, ..next(&stopped, 5).run };
    store.advance_workflow_run(WorkflowAdvance { run: stopping.clone(), ..next(&stopped, 5) }).await.unwrap();
    assert_eq!(due(&store).await, [id("a")], "one that is about to end is looked after");
    let over = WorkflowRun { status: Status::Stopped, finished_at: Some(at(6)), ..next(&stopping, 6).run };
    store.advance_workflow_run(WorkflowAdvance { run: over.clone(), ..next(&stopping, 6) }).await.unwrap();
    assert_eq!(due(&store).await, []);
    assert_eq!(store.stop_workflow_run(&id("a"), at(7)).await.unwrap(), over);
}

/// Of many concurrent advances of the same version, one succeeds and starts its runs once.
pub async fn one_of_many_advances(store: Arc<dyn Store>) {
    store.submit_workflow_run(new("a", 1), None).await.unwrap();
    let run = whole(&store, "a").await.run;
    let mut tasks = JoinSet::new();
    for number in 0..10 {
        let (store, run) = (Arc::clone(&store), run.clone());
        tasks.spawn(async move {
            let starts = vec![fresh(&format!("r{number}"))];
            store.advance_workflow_run(WorkflowAdvance { starts, ..next(&run, 2) }).await
        });
    }
    let results = tasks.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    let page = PageRequest { limit: PLENTY, cursor: None };
    assert_eq!(store.runs(&accord_store::RunFilter::default(), &page).await.unwrap().items.len(), 1);
}

/// Workflow runs are listed newest first, filtered and page by page.
pub async fn workflow_runs_are_listed(store: Arc<dyn Store>) {
    for (name, seconds) in [("a", 1), ("b", 2), ("c", 3)] {
        store.submit_workflow_run(new(name, seconds), None).await.unwrap();
    }
    let other = WorkflowRun { workflow_name: "other".into(), ..new("d", 4).run };
    store.submit_workflow_run(NewWorkflowRun { run: other, ..new("d", 4) }, None).await.unwrap();
    let filter = WorkflowRunFilter {
        workflow_name: Some("review".into()),
        status: Some(Status::Running),
        ..WorkflowRunFilter::default()
    };
    let mut seen = Vec::new();
    let mut page = PageRequest { limit: 2, cursor: None };
    loop {
        let found = store.workflow_runs(&filter, &page).await.unwrap();
        seen.extend(found.items.into_iter().map(|run| run.id));
        match found.next {
            Some(cursor) => page.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(seen, [id("c"), id("b"), id("a")]);
    let made_up = PageRequest { limit: 2, cursor: Some("x".into()) };
    assert!(store.workflow_runs(&filter, &made_up).await.is_err());
}

async fn end(store: &(impl WorkflowRunStore + ?Sized), name: &str, taken: Vec<TaskRun>) {
    let run = store.workflow_documents(&id(name)).await.unwrap().run;
    let over = WorkflowRun { status: Status::Completed, finished_at: Some(at(9)), ..next(&run, 9).run };
    let (nodes, events) = (vec![node("x", "{}")], vec![finished("x")]);
    let advance = WorkflowAdvance { run: over, nodes, events, taken, ..next(&run, 9) };
    store.advance_workflow_run(advance).await.unwrap();
}

/// Creates a workflow run, with the same definition as the others, and ends it.
pub async fn a_finished_workflow_run(store: &impl WorkflowRunStore, name: &str) {
    store.submit_workflow_run(new(name, 1), None).await.unwrap();
    end(store, name, Vec::new()).await;
}

/// A finished workflow run that no other run waits for is removed completely, and nothing else with
/// it.
pub async fn a_workflow_run_is_removed_completely(store: Arc<dyn Store>) {
    for name in ["outer", "other"] {
        store.submit_workflow_run(new(name, 1), None).await.unwrap();
    }
    let run = whole(&store, "outer").await.run;
    let (starts, children) = (vec![fresh("r")], vec![new("inner", 2)]);
    let begun = WorkflowAdvance { starts, children, ..next(&run, 2) };
    store.advance_workflow_run(begun).await.unwrap();
    let busy = async |name: &str| {
        let refused = store.remove_workflow_run(&id(name)).await;
        assert!(matches!(&refused, Err(StoreError::AtWork(run)) if *run == id(name)), "{name}: {refused:?}");
    };
    busy("outer").await;
    busy("inner").await;
    end(&*store, "inner", Vec::new()).await;
    // The outer run has not processed the end of the inner one yet.
    busy("inner").await;
    assert_eq!(store.finished_task_runs(&id("outer")).await.unwrap(), [TaskRun::Workflow(id("inner"))]);
    end(&*store, "other", Vec::new()).await;
    end(&*store, "outer", vec![TaskRun::Workflow(id("inner"))]).await;
    let last = events_of(&store, EventFilter::default()).await.last().unwrap().id;

    store.remove_workflow_run(&id("outer")).await.unwrap();
    let gone = store.remove_workflow_run(&id("outer")).await;
    assert!(matches!(gone, Err(StoreError::NoSuch { kind: "workflow run", .. })), "{gone:?}");
    let filter = EventFilter { workflow_run_id: Some(id("outer")), ..EventFilter::default() };
    assert_eq!(events_of(&store, filter).await, []);
    assert_eq!(store.run(&run_id("r")).await.unwrap().id, run_id("r"));
    for name in ["inner", "other"] {
        assert_eq!(whole(&store, name).await.definition, new(name, 1).definition);
        store.remove_workflow_run(&id(name)).await.unwrap();
    }
    // Readers of events have seen the last one, so its id is not reused, and a new run of the same
    // name starts from the beginning.
    store.submit_workflow_run(new("outer", 10), None).await.unwrap();
    let anew = whole(&store, "outer").await;
    assert_eq!((anew.run.version, anew.nodes), (0, Vec::new()));
    end(&*store, "outer", Vec::new()).await;
    assert!(events_of(&store, EventFilter::default()).await.last().unwrap().id > last);
}
