//! Graphs that make far more of their input than it is.

use super::*;

const MIB: usize = 1024 * 1024;

/// Nodes between the input, or around it, and the output, each of which gets all of the input.
fn fan(count: usize, node: &Value, input: Value) -> Drive {
    let (mut nodes, mut edges) = (json!({"input": {"type": "input"}}), Vec::new());
    for number in 0..count {
        let id = format!("n{number}");
        edges.push(json!({"from": "input", "to": id}));
        if node["type"] != "output" {
            edges.push(json!({"from": id, "to": "output"}));
            nodes["output"] = json!({"type": "output", "value": "done"});
        }
        nodes[&id] = node.clone();
    }
    Drive::new(nodes, json!(edges), input)
}

fn statuses(drive: &Drive, wanted: NodeStatus) -> usize {
    drive.state.nodes.iter().filter(|node| node.status == wanted).count()
}

#[test]
fn tasks_that_start_together_get_no_more_than_a_run_may_hold() {
    let text = Value::from("x".repeat(MIB));
    let prompted = |on_failure: &str| json!({"type": "agent", "agent": "prompted", "prompt": "{{ input }}", "on_failure": on_failure});
    let drive = fan(200, &prompted("fail"), text.clone());
    let failure = drive.state.head.error.clone().unwrap();
    assert_eq!(failure.kind, "outputs_too_large", "{}", failure.message);
    // The others go on, with what there is room for.
    let drive = fan(200, &prompted("continue"), text);
    assert_eq!(drive.state.head.status, Status::Running);
    let started: usize = drive.open.values().map(|(_, start)| start.parameters.to_string().len()).sum();
    assert!((50 * MIB..=64 * MIB).contains(&started), "{started}");
    assert_eq!(statuses(&drive, NodeStatus::Failed) + drive.open.len(), 200);
}

#[test]
fn outputs_take_no_more_than_a_run_may_hold() {
    let drive = fan(200, &json!({"type": "output", "value": "{{ input }}"}), Value::from("x".repeat(MIB)));
    assert_eq!(drive.result(), (Status::Failed, Value::Null, Some("outputs_too_large")));
    let texts = drive.state.nodes.iter().filter_map(|node| Some(node.output.as_ref()?.as_str()?.len()));
    assert!(texts.sum::<usize>() <= 64 * MIB);
    let many = Value::from(vec![Value::Null; 150_000]);
    let drive = fan(20, &json!({"type": "output", "value": "{{ input }}"}), many);
    assert_eq!(drive.result().2, Some("outputs_too_large"));
}

#[test]
fn answers_that_come_later_count_as_well() {
    let map = json!({"type": "map", "over": "{{ input }}", "agent": "one", "concurrency": 100, "on_failure": "continue"});
    let mut drive = fan(1, &map, Value::from(vec![Value::Null; 12]));
    for item in 0..12 {
        drive.complete(&format!("n0[{item}]"), Value::from("x".repeat(8 * MIB)));
    }
    let map = &drive.state.nodes[drive.flow.node("n0").unwrap()];
    let task = |status: NodeStatus| map.tasks.iter().filter(|task| task.status == status).count();
    assert_eq!((task(NodeStatus::Completed), task(NodeStatus::Failed)), (4, 8));
}

#[test]
fn inputs_are_not_copied_for_thousands_of_nodes() {
    let check = json!({"type": "check", "assert": "true", "message": "m", "severity": "warn"});
    let drive = fan(1_000, &check, Value::from("x".repeat(7 * MIB)));
    assert_eq!(drive.result().2, Some("inputs_too_large"));
    assert!(statuses(&drive, NodeStatus::Completed) > 50);
    let drive = fan(1_000, &check, Value::from("small"));
    assert_eq!(drive.result(), (Status::Completed, json!("done"), None));
}

#[test]
fn a_view_repeats_no_more_inputs_than_a_run_may_hold() {
    let drive =
        fan(90, &json!({"type": "agent", "agent": "one", "prompt": "go"}), Value::from("x".repeat(MIB)));
    let inputs = drive.flow.inputs(&drive.state);
    assert_eq!(inputs.iter().flatten().filter(|inputs| !inputs.is_empty()).count(), 64);
    assert_eq!(drive.open.len(), 90);
}

/// Each failed item begins the next one.
#[test]
fn a_thousand_items_may_fail_at_once() {
    let map = json!({
        "type": "map", "over": "{{ input }}", "agent": "prompted", "prompt": "{{ item.missing }}", "on_failure": "continue",
    });
    let drive = fan(1, &map, Value::from(vec![json!({}); 1_000]));
    assert_eq!(drive.result(), (Status::Completed, json!("done"), None));
    let map = &drive.state.nodes[drive.flow.node("n0").unwrap()];
    assert_eq!(map.tasks.iter().filter(|task| task.status == NodeStatus::Failed).count(), 1_000);
}
