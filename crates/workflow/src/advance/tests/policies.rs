use super::*;

fn two(on_failure: Value) -> Drive {
    let nodes = json!({
        "input": {"type": "input"},
        "risky": {"type": "agent", "agent": "one", "on_failure": on_failure},
        "safe": agent("two"),
        "output": {"type": "output"},
    });
    let edges = edges(&[("input", "risky"), ("input", "safe"), ("risky", "output"), ("safe", "output")]);
    Drive::new(nodes, edges, json!({}))
}

#[test]
fn a_failure_ends_the_run_once_the_others_are_stopped() {
    let mut drive = two(json!("fail"));
    drive.fail("risky");
    assert_eq!(drive.state.head.status, Status::Stopping);
    assert_eq!(drive.stopped.len(), 1);
    drive.end("safe", TaskOutcome::Stopped);
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("executor_failed")));
    let statuses = ["risky", "safe", "output"].map(|node| drive.status(node));
    assert_eq!(statuses, [NodeStatus::Failed, NodeStatus::Stopped, NodeStatus::Skipped]);
    let ends = drive.told.iter().filter_map(|body| match body {
        Body::WorkflowNodeFinished { node, status, .. } => Some((node.as_str(), *status)),
        _ => None,
    });
    let expected = [
        ("input", NodeStatus::Completed),
        ("risky", NodeStatus::Failed),
        ("safe", NodeStatus::Stopped),
        ("output", NodeStatus::Skipped),
    ];
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

#[test]
fn a_result_that_arrives_while_the_run_ends_is_kept_and_starts_nothing() {
    let mut drive = two(json!("fail"));
    drive.fail("risky");
    drive.complete("safe", json!("late"));
    assert_eq!(drive.status("safe"), NodeStatus::Completed);
    assert_eq!(drive.status("output"), NodeStatus::Skipped);
    assert_eq!(drive.result().0, Status::Failed);
}

#[test]
fn a_run_can_continue_after_a_failure() {
    let mut drive = two(json!("continue"));
    drive.fail("risky");
    drive.complete("safe", json!(1));
    assert_eq!(drive.result(), (Status::Completed, json!({"safe": 1}), None));
    assert_eq!(drive.status("risky"), NodeStatus::Failed);
}

/// A node with two upstream nodes, one of which failed.
fn behind_a_failure(node: Value) -> Drive {
    let nodes = json!({
        "input": {"type": "input"},
        "risky": {"type": "agent", "agent": "one", "on_failure": "continue"},
        "safe": agent("two"),
        "behind": node,
        "output": {"type": "output", "value": "{{ behind }}"},
    });
    let edges = edges(&[
        ("input", "risky"),
        ("input", "safe"),
        ("risky", "behind"),
        ("safe", "behind"),
        ("behind", "output"),
    ]);
    let mut drive = Drive::new(nodes, edges, json!({}));
    drive.fail("risky");
    drive.complete("safe", json!({"list": [1]}));
    drive
}

#[test]
fn reading_a_failed_output_says_that_it_failed() {
    let unguarded = json!({"list": "{{ risky.list + safe.list }}"});
    let drive = behind_a_failure(json!({"type": "agent", "agent": "three", "parameters": unguarded}));
    let message = drive.state.head.error.map(|error| error.message).unwrap_or_default();
    let reason =
        "; 'risky' is null here, because that node failed: write for example 'risky.list if risky else …'";
    assert!(message.ends_with(reason), "{message}");
    let check =
        |assert: &str| json!({"type": "check", "assert": assert, "message": "none", "severity": "warn"});
    let drive = behind_a_failure(check("risky.list.size() + safe.list.size() > 0"));
    let message = "none (it could not be checked: risky is null, so it has no field 'list'; 'risky' is null here, because \
                   that node failed)";
    assert_eq!(drive.result().1, json!({"passed": false, "message": message}));
}

#[test]
fn guarded_templates_survive_a_failure() {
    let guarded = json!({"list": "{{ (risky.list if risky else []) + safe.list }}"});
    let drive = behind_a_failure(json!({"type": "agent", "agent": "three", "parameters": guarded}));
    assert_eq!(drive.parameters("behind"), &json!({"list": [1]}));
    let assert = "(risky != null && risky.list.size() > 0) || safe.list.size() > 0";
    let check = json!({"type": "check", "assert": assert, "message": "none", "severity": "warn"});
    assert_eq!(behind_a_failure(check).result().1, json!({"passed": true, "message": null}));
}

#[test]
fn a_failure_is_retried_as_often_as_configured() {
    let mut drive = two(json!({"retry": 2}));
    drive.fail("risky");
    drive.fail("risky");
    drive.complete("risky", json!("third"));
    drive.complete("safe", json!(1));
    assert_eq!(drive.result().1, json!({"risky": "third", "safe": 1}));
    let task = &drive.state.nodes[1].tasks[0];
    assert_eq!((task.attempts, task.earlier.len()), (3, 2));
    let mut drive = two(json!({"retry": 1, "then": "continue"}));
    drive.fail("risky");
    drive.fail("risky");
    drive.complete("safe", json!(1));
    assert_eq!(drive.result().1, json!({"safe": 1}));
}

#[test]
fn a_refused_task_is_not_retried() {
    let mut drive = two(json!({"retry": 5}));
    let at = drive.open["risky"].1.at;
    drive.event(Event::Refused { at, failure: WorkflowFailure::new("AgentNotFound", "gone") });
    assert_eq!(drive.status("risky"), NodeStatus::Failed);
    assert_eq!(drive.state.head.status, Status::Stopping);
}

#[test]
fn a_run_is_stopped_when_all_workers_are() {
    let mut drive = two(json!({"retry": 3}));
    drive.event(Event::StopAsked);
    assert_eq!(drive.state.head.status, Status::Stopping);
    assert_eq!(drive.stopped.len(), 2);
    drive.end("risky", TaskOutcome::Stopped);
    assert_eq!(drive.state.head.status, Status::Stopping);
    // A failure during a stop is not retried.
    drive.fail("safe");
    assert_eq!(drive.result(), (Status::Stopped, Value::Null, None));
    drive.event(Event::StopAsked);
    assert_eq!(drive.result().0, Status::Stopped);
}

#[test]
fn a_run_stopped_from_outside_fails_its_node() {
    let mut drive = two(json!("continue"));
    drive.end("risky", TaskOutcome::Stopped);
    assert_eq!(drive.status("risky"), NodeStatus::Failed);
    drive.complete("safe", json!(1));
    assert_eq!(drive.result().1, json!({"safe": 1}));
    let mut drive = two(json!("fail"));
    drive.end("risky", TaskOutcome::Stopped);
    assert_eq!(drive.state.head.status, Status::Stopping);
}

#[test]
fn a_deleted_run_fails_its_node() {
    let mut drive = two(json!("continue"));
    let Some((Worker::Run { run_id, .. }, _)) = drive.open.remove("risky") else { panic!("a run") };
    drive.event(Event::Lost { run_id });
    drive.complete("safe", json!(1));
    assert_eq!(drive.result().1, json!({"safe": 1}));
}
