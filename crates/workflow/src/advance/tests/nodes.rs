use super::*;

fn diamond(join: Value) -> Drive {
    let nodes = json!({
        "input": {"type": "input"}, "left": agent("one"), "right": agent("two"), "join": join,
        "output": {"type": "output"},
    });
    let edges = edges(&[
        ("input", "left"),
        ("input", "right"),
        ("left", "join"),
        ("right", "join"),
        ("join", "output"),
    ]);
    Drive::new(nodes, edges, json!({"x": 1}))
}

#[test]
fn siblings_run_in_parallel_and_a_join_waits_for_all() {
    let mut drive = diamond(agent("three"));
    assert_eq!(drive.at_work(), ["left", "right"]);
    assert_eq!(drive.parameters("left"), &json!({"x": 1}));
    drive.complete("right", json!("r"));
    assert_eq!(drive.at_work(), ["left"]);
    drive.complete("left", json!({"l": 1}));
    assert_eq!(drive.parameters("join"), &json!({"left": {"l": 1}, "right": "r"}));
    drive.complete("join", json!({"done": true}));
    assert_eq!(drive.result(), (Status::Completed, json!({"done": true}), None));
    assert_eq!(drive.kinds().last(), Some(&"workflow.finished"));
}

#[test]
fn a_repeated_outcome_changes_nothing() {
    let mut drive = diamond(agent("three"));
    let (worker, _) = drive.open["left"].clone();
    drive.complete("left", json!(1));
    let before = drive.state.clone();
    drive.event(Event::Ended { worker, end: TaskOutcome::Completed(json!(2)) });
    assert_eq!(drive.state, before);
}

#[test]
fn a_branch_that_is_not_taken_is_skipped() {
    let nodes = json!({
        "input": {"type": "input"}, "judge": agent("one"), "fix": agent("two"), "after": agent("two"),
        "praise": agent("three"), "output": {"type": "output"},
    });
    let edges = json!([
        {"from": "input", "to": "judge"},
        {"from": "judge", "to": "fix", "when": "output.bad"},
        {"from": "fix", "to": "after"},
        {"from": "judge", "to": "praise", "when": "!output.bad && input.x == 1"},
        {"from": "after", "to": "output"},
        {"from": "praise", "to": "output"},
    ]);
    let mut drive = Drive::new(nodes, edges, json!({"x": 1}));
    drive.complete("judge", json!({"bad": false}));
    assert_eq!(drive.at_work(), ["praise"]);
    drive.complete("praise", json!("well done"));
    assert_eq!(
        ["fix", "after", "praise"].map(|node| drive.status(node)),
        [NodeStatus::Skipped, NodeStatus::Skipped, NodeStatus::Completed,]
    );
    assert_eq!(drive.result(), (Status::Completed, json!({"praise": "well done"}), None));
}

#[test]
fn a_condition_that_cannot_be_evaluated_fails_the_downstream_node() {
    let nodes = json!({"input": {"type": "input"}, "next": agent("one"), "output": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "next", "when": "output.missing == 1"}, {"from": "next", "to": "output"}]);
    let drive = Drive::new(nodes, edges, json!({}));
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("condition_failed")));
    assert_eq!(drive.status("next"), NodeStatus::Failed);
}

#[test]
fn a_run_without_an_output_fails() {
    let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
    let drive = Drive::new(nodes, json!([{"from": "input", "to": "output", "when": "false"}]), json!({}));
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("no_output")));
}

#[test]
fn a_check_passes_warns_or_fails() {
    let run = |severity: &str, input: Value| {
        let nodes = json!({
            "input": {"type": "input"},
            "check": {"type": "check", "assert": "input.n > 1 && inputs.input.n > 1 && contradictions.size() == 0",
                      "message": "too few", "severity": severity},
            "output": {"type": "output"},
        });
        Drive::new(nodes, edges(&[("input", "check"), ("check", "output")]), input)
    };
    assert_eq!(run("fail", json!({"n": 2})).result().1, json!({"passed": true, "message": null}));
    let warned = run("warn", json!({"n": 1}));
    assert_eq!(warned.result().1, json!({"passed": false, "message": "too few"}));
    assert_eq!(warned.state.nodes[1].warning.as_deref(), Some("too few"));
    assert_eq!(run("fail", json!({"n": 1})).result(), (Status::Failed, Value::Null, Some("check_failed")));
    let unclear = run("warn", json!({}));
    assert_eq!(unclear.result().0, Status::Completed);
    assert!(
        unclear.state.nodes[1].warning.as_deref().is_some_and(|warning| warning.contains("no field 'n'"))
    );
}

fn map(concurrency: u32, on_failure: Value, input: Value) -> Drive {
    let nodes = json!({
        "input": {"type": "input"},
        "each": {"type": "map", "over": "{{ input.list }}", "agent": "one", "concurrency": concurrency,
                 "parameters": {"item": "{{ item }}", "place": "{{ index + 1 }}"}, "on_failure": on_failure},
        "output": {"type": "output"},
    });
    Drive::new(nodes, edges(&[("input", "each"), ("each", "output")]), input)
}

#[test]
fn a_map_works_on_all_items_with_limited_concurrency() {
    let mut drive = map(2, json!("fail"), json!({"list": ["a", {"b": 1}, 3]}));
    assert_eq!(drive.at_work(), ["each[0]", "each[1]"]);
    assert_eq!(drive.parameters("each[1]"), &json!({"item": {"b": 1}, "place": 2}));
    drive.complete("each[1]", json!("second"));
    assert_eq!(drive.at_work(), ["each[0]", "each[2]"]);
    drive.complete("each[2]", json!("third"));
    drive.complete("each[0]", json!("first"));
    assert_eq!(drive.result().1, json!(["first", "second", "third"]));
}

#[test]
fn a_map_over_an_empty_list_completes_at_once() {
    assert_eq!(map(2, json!("fail"), json!({"list": []})).result().1, json!([]));
    let text = map(2, json!("fail"), json!({"list": "x"}));
    assert_eq!(text.result().2, Some("template_failed"));
    let told = &text.state.head.error.as_ref().unwrap().message;
    assert_eq!(told, "node 'each' failed: over: expected a list, got a string");
    let many: Vec<u32> = (0..1001).collect();
    assert_eq!(map(2, json!("fail"), json!({"list": many})).result().2, Some("too_many_items"));
}

/// The statuses of the items of a map.
fn item_statuses(drive: &Drive) -> Vec<NodeStatus> {
    let each = drive.flow.node("each").unwrap();
    drive.state.nodes[each].tasks.iter().map(|task| task.status).collect()
}

#[test]
fn an_item_that_fails_fails_the_map_or_is_null() {
    let mut drive = map(2, json!("continue"), json!({"list": [1, 2]}));
    drive.fail("each[0]");
    drive.complete("each[1]", json!("b"));
    assert_eq!(drive.result().1, json!([null, "b"]));
    let mut drive = map(2, json!("fail"), json!({"list": [1, 2, 3]}));
    drive.fail("each[1]");
    assert_eq!(drive.state.head.status, Status::Stopping);
    assert_eq!(drive.stopped.len(), 1);
    drive.end("each[0]", TaskOutcome::Stopped);
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("executor_failed")));
    let message = drive.state.head.error.as_ref().map(|error| error.message.as_str());
    assert_eq!(message, Some("node 'each' failed: item 2: no"), "people count from 1");
    assert_eq!(item_statuses(&drive), [NodeStatus::Stopped, NodeStatus::Failed, NodeStatus::Skipped]);
    assert_eq!(drive.status("each"), NodeStatus::Failed);
    let mut drive = map(2, json!("fail"), json!({"list": [1, 2, 3]}));
    drive.event(Event::StopAsked);
    drive.end("each[0]", TaskOutcome::Stopped);
    drive.end("each[1]", TaskOutcome::Stopped);
    assert_eq!(drive.result().0, Status::Stopped);
    assert_eq!(item_statuses(&drive), [NodeStatus::Stopped, NodeStatus::Stopped, NodeStatus::Skipped]);
}

#[test]
fn fail_at_end_completes_the_other_items_first() {
    let mut drive = map(1, json!("fail_at_end"), json!({"list": [1, 2, 3, 4]}));
    drive.complete("each[0]", json!("a"));
    drive.fail("each[1]");
    assert_eq!(drive.state.head.status, Status::Running);
    drive.complete("each[2]", json!("c"));
    drive.fail("each[3]");
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("executor_failed")));
    let message = drive.state.head.error.as_ref().map(|error| error.message.as_str());
    assert_eq!(message, Some("node 'each' failed: 2 of 4 items failed: item 2: no; item 4: no"));
    let [completed, failed] = [NodeStatus::Completed, NodeStatus::Failed];
    assert_eq!(item_statuses(&drive), [completed, failed, completed, failed]);

    let mut drive = map(2, json!("fail_at_end"), json!({"list": [1, 2]}));
    drive.complete("each[1]", json!("b"));
    drive.complete("each[0]", json!("a"));
    assert_eq!(drive.result().1, json!(["a", "b"]), "no item is null");

    let many: Vec<u32> = (0..8).collect();
    let mut drive = map(8, json!({"retry": 1, "then": "fail_at_end"}), json!({"list": many}));
    for item in 0..8 {
        drive.fail(&format!("each[{item}]"));
        drive.fail(&format!("each[{item}]"));
    }
    let message = drive.state.head.error.map(|error| error.message).unwrap_or_default();
    assert!(message.starts_with("node 'each' failed: 8 of 8 items failed: item 1: no; "), "{message}");
    assert!(message.ends_with("item 5: no; and 3 more"), "{message}");

    let mut drive = map(1, json!("fail_at_end"), json!({"list": [1, 2]}));
    drive.fail("each[0]");
    drive.event(Event::StopAsked);
    drive.end("each[1]", TaskOutcome::Stopped);
    assert_eq!(drive.result().0, Status::Stopped);
}

#[test]
fn a_rendered_prompt_ends_with_the_contradictions() {
    let mut drive =
        diamond(json!({"type": "agent", "agent": "prompted", "prompt": "{{ left.t }} & {{ right.t }}"}));
    drive.complete("left", json!({"t": "a"}));
    drive.complete("right", json!({"t": "b"}));
    let prompt = "<agent-output>a</agent-output> & <agent-output>b</agent-output>";
    assert_eq!(drive.parameters("join"), &json!({ "prompt": prompt }));
    let mut drive = diamond(json!({"type": "agent", "agent": "prompted", "prompt": "{{ left.t }}"}));
    drive.complete("right", json!({}));
    drive.complete("left", json!({}));
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("template_failed")));
}

#[test]
fn a_map_that_has_failed_fails_once() {
    let mut drive = map(2, json!("fail"), json!({"list": [1, 2]}));
    drive.fail("each[1]");
    drive.fail("each[0]");
    let ends = drive.told.iter().filter_map(|body| match body {
        Body::WorkflowNodeFinished { node, error, .. } if node == "each" => {
            error.as_ref().map(|error| error.message.as_str())
        }
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), ["item 2: no"]);
}

#[test]
fn one_reached_output_of_several_keeps_its_name() {
    let nodes =
        json!({"input": {"type": "input"}, "first": {"type": "output"}, "second": {"type": "output"}});
    let edges = json!([{"from": "input", "to": "first"}, {"from": "input", "to": "second", "when": "false"}]);
    assert_eq!(Drive::new(nodes, edges, json!({"x": 1})).result().1, json!({"first": {"x": 1}}));
}

#[test]
fn an_output_has_its_own_value_or_its_inputs() {
    let nodes = json!({
        "input": {"type": "input"},
        "first": {"type": "output", "value": {"got": "{{ input.x }}", "fixed": 1}},
        "second": {"type": "output"},
    });
    let drive = Drive::new(nodes, edges(&[("input", "first"), ("input", "second")]), json!({"x": [1]}));
    assert_eq!(drive.result().1, json!({"first": {"got": [1], "fixed": 1}, "second": {"x": [1]}}));
}

#[test]
fn contradictions_reach_the_downstream_node() {
    let mut drive = diamond(json!({"type": "agent", "agent": "prompted", "prompt": "Write."}));
    let finding = |severity: &str, text: &str| json!({"findings": [{"file": "a.rs", "line": 3, "severity": severity, "title": text}]});
    drive.complete("left", finding("blocker", "path traversal"));
    drive.complete("right", finding("minor", ""));
    let node = &drive.state.nodes[drive.flow.node("join").unwrap()];
    let comparison = node.comparison.as_ref().unwrap();
    assert_eq!(comparison.contradictions.len(), 1);
    assert!(drive.kinds().contains(&"workflow.contradiction"));
    let prompt = drive.parameters("join")["prompt"].as_str().unwrap();
    assert!(
        prompt.starts_with("Write.\n\n") && prompt.contains("<contradictions>") && prompt.contains("blocker"),
        "{prompt}"
    );
    // A template that already uses them is left unchanged.
    let mut drive =
        diamond(json!({"type": "agent", "agent": "prompted", "prompt": "{{ contradictions | length }}"}));
    drive.complete("left", finding("blocker", "path traversal"));
    drive.complete("right", finding("minor", ""));
    assert_eq!(drive.parameters("join"), &json!({"prompt": "1"}));
    // A node that accepts anything gets them next to its inputs.
    let mut drive = diamond(agent("three"));
    drive.complete("left", finding("blocker", "path traversal"));
    drive.complete("right", finding("minor", ""));
    let told = drive.parameters("join");
    assert_eq!((&told["left"], &told["agreements"]), (&finding("blocker", "path traversal"), &json!([])));
    assert_eq!(told["contradictions"].as_array().map(Vec::len), Some(1), "{told}");
}

#[test]
fn lists_of_findings_are_compared_and_contradictions_passed_on() {
    let finding = |severity: &str| json!([{"file": "a.rs", "line": 1, "severity": severity}]);
    // A word in prose does not count as using the contradictions.
    let prompt = "Resolve the contradictions in {{ left }} and {{ right }}.";
    let mut drive = diamond(json!({"type": "agent", "agent": "prompted", "prompt": prompt}));
    drive.complete("left", finding("blocker"));
    drive.complete("right", finding("nit"));
    assert_eq!(drive.kinds().iter().filter(|kind| **kind == "workflow.contradiction").count(), 1);
    let told = drive.parameters("join")["prompt"].as_str().unwrap();
    assert!(told.contains("<contradictions>"), "{told}");
}

#[test]
fn unreported_contradictions_are_counted() {
    let findings = |severity: &str| -> Value {
        (0..crate::limits::MOST_CONTRADICTION_EVENTS + 2)
            .map(|line| json!({"file": "a.rs", "line": line, "severity": severity}))
            .collect()
    };
    let mut drive = diamond(agent("three"));
    drive.complete("left", findings("blocker"));
    drive.complete("right", findings("nit"));
    let told = drive.kinds().iter().filter(|kind| **kind == "workflow.contradiction").count();
    assert_eq!(told, crate::limits::MOST_CONTRADICTION_EVENTS);
    let join = &drive.state.nodes[drive.flow.node("join").unwrap()];
    assert!(
        join.warning.as_ref().is_some_and(|warning| warning.starts_with("1002 contradictions found; 1000 "))
    );
}

#[test]
fn maps_are_compared_as_agents_are() {
    let map = json!({"type": "map", "over": "{{ input.list }}", "agent": "one"});
    let nodes = json!({
        "input": {"type": "input"}, "left": map, "right": map,
        "join": {"type": "agent", "agent": "prompted", "prompt": "Write."}, "output": {"type": "output"},
    });
    let pairs =
        [("input", "left"), ("input", "right"), ("left", "join"), ("right", "join"), ("join", "output")];
    let joined = |left: Value, right: Value| {
        let mut drive = Drive::new(nodes.clone(), edges(&pairs), json!({"list": [1]}));
        drive.complete("left[0]", left);
        drive.complete("right[0]", right);
        let join = drive.flow.node("join").unwrap();
        drive.state.nodes[join].comparison.as_ref().map(|comparison| comparison.contradictions.len())
    };
    let finding = |severity: &str| json!({"findings": [{"file": "a.rs", "line": 3, "severity": severity}]});
    assert_eq!(joined(finding("high"), finding("low")), Some(1));
    assert_eq!(joined(json!("a text"), finding("low")), None, "texts are not compared");
}

#[test]
fn every_started_node_is_reported() {
    let nodes = json!({
        "input": {"type": "input"}, "look": {"type": "check", "assert": "true", "message": "m"}, "output": {"type": "output"},
    });
    let edges = json!([{"from": "input", "to": "look"}, {"from": "look", "to": "output"}]);
    let drive = Drive::new(nodes, edges, json!({}));
    let started = drive.told.iter().filter_map(|body| match body {
        Body::WorkflowNodeStarted { node, .. } => Some(node.as_str()),
        _ => None,
    });
    assert_eq!(started.collect::<Vec<_>>(), ["input", "look", "output"]);
}
