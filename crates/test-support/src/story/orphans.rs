//! Children that do not outlive a run of their parent.

use std::sync::Arc;

use accord_domain::audit::RequestedBy;
use accord_domain::id::RunId;
use accord_domain::run::{FailureType, Run, Status};
use accord_domain::session::{ExecutionMode, Session};
use accord_store::{SessionChoice, Store, Submission};

use super::make::*;

const MODES: [ExecutionMode; 3] =
    [ExecutionMode::Sync, ExecutionMode::AsyncPoll, ExecutionMode::AsyncCallback];

/// How the parent's run is when the child is looked at. It begins at second 10 and ends at second 20.
const PARENTS: [Status; 5] =
    [Status::Running, Status::Stopping, Status::Completed, Status::Failed, Status::Stopped];

/// What the parent's agent says. The second one only seems to say it.
const BLUEPRINTS: [(&str, bool); 4] = [
    (r#"{"name":"writer","executor":{"type":"llm"}}"#, false),
    (r#"{"name":"writer","description":"\"on_parent_end\":\"stop\"","on_parent_end":"keep"}"#, false),
    (r#"{"name":"writer","default":{"on_parent_end":"stop"}}"#, false),
    (r#"{"name": "writer", "system_prompt": "\u0000", "on_parent_end": "stop"}"#, true),
];

/// When the child is created, and whether the parent's run asked for it.
const CHILDREN: [(i64, bool); 5] = [(5, false), (15, false), (20, false), (25, false), (25, true)];

fn child_of(name: &str, parent: &str, mode: ExecutionMode, seconds: i64, is_requested: bool) -> Submission {
    let made = fresh_at(name, seconds);
    let by = RequestedBy { run_id: Some(run_id(parent)), ..RequestedBy::default() };
    let run = Run { execution_mode: mode, requested_by: is_requested.then_some(by), ..made.run.clone() };
    let session = Session { parent_session_id: Some(session_id(parent)), ..Session::begun_by(&run) };
    Submission { run, session: SessionChoice::New(Box::new(session)), ..made }
}

async fn parent(store: &Arc<dyn Store>, name: &str, blueprint: &str, status: Status) {
    let mut parent = fresh_at(name, 10);
    parent.assignment.blueprint = blueprint.to_owned();
    store.submit_run(parent).await.unwrap();
    let held = holder(&take(store, 11).await.run);
    store.start_run(&held, at(12)).await.unwrap();
    let end = match status {
        Status::Completed => completed("done"),
        Status::Failed => failed(FailureType::TimedOut),
        Status::Stopping | Status::Stopped => {
            store.stop_run(&held.run_id, at(13)).await.unwrap();
            completed("too late")
        }
        _ => return,
    };
    if status != Status::Stopping {
        store.finish_run(finish(&held, end, 20)).await.unwrap();
    }
    assert_eq!(store.run(&held.run_id).await.unwrap().status, status);
}

/// The whole table: which children end with which runs.
pub async fn children_end_with_their_parents(store: Arc<dyn Store>) {
    let mut expected: Vec<RunId> = Vec::new();
    let mut number = 0;
    for status in PARENTS {
        for (blueprint, stops) in BLUEPRINTS {
            number += 1;
            let name = format!("parent{number:03}");
            parent(&store, &name, blueprint, status).await;
            for mode in MODES {
                for (seconds, is_requested) in CHILDREN {
                    number += 1;
                    let child = format!("child{number:03}");
                    let child = child_of(&child, &name, mode, seconds, is_requested);
                    let began_before = seconds <= 20 || is_requested;
                    let is_waited_for = mode == ExecutionMode::Sync && seconds >= 10;
                    let is_due = match status {
                        Status::Stopping => is_waited_for,
                        Status::Stopped => began_before && (is_waited_for || stops),
                        Status::Failed => began_before && stops,
                        _ => false,
                    };
                    expected.extend(is_due.then(|| child.run.id.clone()));
                    store.submit_run(child).await.unwrap();
                }
            }
            // The next claim is for the next parent.
            while !store.claim_runs(claim(20, 26)).await.unwrap().is_empty() {}
        }
    }
    let mut due = store.children_to_stop(PLENTY).await.unwrap();
    due.sort();
    expected.sort();
    assert_eq!(due, expected);
    assert_eq!(store.children_to_stop(3).await.unwrap().len(), 3);
    for run_id in due {
        store.stop_run(&run_id, at(30)).await.unwrap();
    }
    assert_eq!(store.children_to_stop(PLENTY).await.unwrap(), [], "each is asked once");
}

/// A child is found in every state in which it is in progress, and its own children after it.
pub async fn children_in_every_state_end(store: Arc<dyn Store>) {
    let stops = BLUEPRINTS[3].0;
    let mut top = fresh("top");
    top.assignment.blueprint = stops.to_owned();
    let top = begin(&store, top).await;
    begin(&store, child("running", "top")).await;
    complete(&store, child("done", "top"), 3).await;
    let mut middle = child("waiting", "top");
    middle.assignment.blueprint = stops.to_owned();
    let middle = begin(&store, middle).await;
    store.submit_run(child("below", "waiting")).await.unwrap();
    store.suspend_run(suspend(&middle, &["below"], 3)).await.unwrap();
    store.submit_run(child("pending", "top")).await.unwrap();
    store.finish_run(finish(&top, failed(FailureType::RunnerLost), 5)).await.unwrap();
    let mut due = store.children_to_stop(PLENTY).await.unwrap();
    due.sort();
    assert_eq!(due, ["pending", "running", "waiting"].map(run_id));
    for run_id in due {
        store.stop_run(&run_id, at(6)).await.unwrap();
    }
    assert_eq!(store.children_to_stop(PLENTY).await.unwrap(), [run_id("below")]);
}
