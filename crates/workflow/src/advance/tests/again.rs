//! Runs that ended without a result, and are resumed.

use super::*;

fn chain() -> Drive {
    let nodes = json!({
        "input": {"type": "input"},
        "left": agent("one"),
        "right": agent("two"),
        "join": agent("three"),
        "output": {"type": "output"},
    });
    let pairs =
        [("input", "left"), ("input", "right"), ("left", "join"), ("right", "join"), ("join", "output")];
    Drive::new(nodes, edges(&pairs), json!({}))
}

#[test]
fn completed_nodes_keep_their_output_and_the_rest_runs_again() {
    let mut drive = chain();
    drive.complete("left", json!("l"));
    drive.fail("right");
    assert_eq!(drive.result().0, Status::Failed);
    assert_eq!(drive.status("join"), NodeStatus::Skipped);
    assert!(drive.state.can_resume());
    drive.event(Event::Resumed);
    assert_eq!((drive.result(), drive.at_work()), ((Status::Running, Value::Null, None), vec!["right"]));
    drive.complete("right", json!("r"));
    assert_eq!(drive.parameters("join"), &json!({"left": "l", "right": "r"}));
    drive.complete("join", json!("done"));
    assert_eq!(drive.result(), (Status::Completed, json!("done"), None));
    let right = &drive.state.nodes[drive.flow.node("right").unwrap()];
    assert_eq!((right.tasks.len(), right.tasks[0].earlier.len()), (1, 1), "the failed worker stays known");
    assert!(!drive.state.can_resume());
}

#[test]
fn a_stopped_run_continues() {
    let mut drive = chain();
    drive.complete("left", json!("l"));
    drive.event(Event::StopAsked);
    drive.end("right", TaskOutcome::Stopped);
    assert_eq!(drive.result().0, Status::Stopped);
    drive.event(Event::Resumed);
    assert_eq!(drive.at_work(), ["right"]);
}

#[test]
fn a_run_that_was_ended_without_a_step_continues() {
    let mut drive = chain();
    drive.complete("left", json!("l"));
    let before = drive.open.remove("right").unwrap().0;
    drive.event(Event::Resumed);
    assert_eq!(drive.at_work(), ["right"]);
    drive.event(Event::Ended { worker: before, end: TaskOutcome::Stopped });
    assert_eq!(drive.status("right"), NodeStatus::Running, "the earlier worker counts no more");
}

#[test]
fn nodes_that_ran_without_a_failed_node_run_again_with_it() {
    let nodes = json!({
        "input": {"type": "input"},
        "risky": {"type": "agent", "agent": "one", "on_failure": "continue"},
        "sure": agent("two"),
        "join": agent("three"),
        "last": agent("one"),
        "output": {"type": "output"},
    });
    let pairs = [
        ("input", "risky"),
        ("input", "sure"),
        ("risky", "join"),
        ("sure", "join"),
        ("join", "last"),
        ("last", "output"),
    ];
    let mut drive = Drive::new(nodes, edges(&pairs), json!({}));
    drive.fail("risky");
    drive.complete("sure", json!("s"));
    drive.complete("join", json!("without"));
    drive.fail("last");
    drive.event(Event::Resumed);
    assert_eq!(drive.at_work(), ["risky"]);
    drive.complete("risky", json!("r"));
    assert_eq!(drive.parameters("join"), &json!({"risky": "r", "sure": "s"}));
}

#[test]
fn finished_items_are_kept() {
    let nodes = json!({
        "input": {"type": "input"},
        "each": {"type": "map", "over": "{{ input.list }}", "agent": "one", "concurrency": 3,
                 "parameters": {"item": "{{ item }}"}, "on_failure": {"retry": 1, "then": "fail_at_end"}},
        "output": {"type": "output"},
    });
    let list = json!({"list": ["a", "b", "c"]});
    let mut drive = Drive::new(nodes, edges(&[("input", "each"), ("each", "output")]), list);
    drive.complete("each[0]", json!("A"));
    drive.fail("each[1]");
    drive.fail("each[1]");
    drive.complete("each[2]", json!("C"));
    assert_eq!(drive.result().0, Status::Failed);
    drive.event(Event::Resumed);
    assert_eq!(drive.at_work(), ["each[1]"]);
    // It has all its retries again.
    drive.fail("each[1]");
    drive.complete("each[1]", json!("B"));
    assert_eq!(drive.result(), (Status::Completed, json!(["A", "B", "C"]), None));
}

#[test]
fn finished_subtasks_are_kept() {
    let nodes = json!({
        "input": {"type": "input"},
        "work": {"type": "planner", "agent": "prompted", "agents": ["one", "two"], "prompt": "Plan",
                 "synthesis": {"agent": "three"}},
        "output": {"type": "output"},
    });
    let mut drive = Drive::new(nodes, edges(&[("input", "work"), ("work", "output")]), json!({}));
    let subtask = |id: &str, needs: &[&str]| json!({"id": id, "agent": "one", "description": id, "dependencies": needs, "priority": 0});
    drive.fail("work.plan");
    drive.event(Event::Resumed);
    let plan = json!({"goal": "g", "subtasks": [subtask("a", &[]), subtask("b", &["a"])]});
    drive.complete("work.plan", plan);
    drive.complete("work.a", json!(1));
    drive.fail("work.b");
    drive.event(Event::Resumed);
    assert_eq!(drive.at_work(), ["work.b"]);
    drive.complete("work.b", json!(2));
    drive.fail("work.synthesis");
    drive.event(Event::Resumed);
    assert_eq!(drive.at_work(), ["work.synthesis"]);
    drive.complete("work.synthesis", json!("joined"));
    assert_eq!(drive.result(), (Status::Completed, json!("joined"), None));
}

#[test]
fn conditions_that_closed_every_path_leave_nothing_to_run_again() {
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let mut drive = Drive::new(nodes, json!([{"from": "input", "to": "output", "when": "false"}]), json!({}));
    assert!(!drive.state.can_resume());
    drive.event(Event::Resumed);
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("no_output")));
}

#[test]
fn a_check_is_evaluated_again() {
    let nodes = json!({
        "input": {"type": "input"},
        "check": {"type": "check", "assert": "input.n > 1", "message": "too few", "severity": "fail"},
        "output": {"type": "output"},
    });
    let mut drive = Drive::new(nodes, edges(&[("input", "check"), ("check", "output")]), json!({"n": 1}));
    assert_eq!(drive.result().2, Some("check_failed"));
    drive.event(Event::Resumed);
    assert_eq!((drive.result().0, drive.result().2), (Status::Failed, Some("check_failed")));
}
