//! Random graphs: every run ends, and the input of a node is exactly the output of its upstream
//! nodes.

use proptest::prelude::*;

use super::*;

/// A node: its kind and its upstream nodes, with or without a condition.
#[derive(Debug, Clone)]
struct RandomNode {
    kind: u8,
    feeds: Vec<(prop::sample::Index, Option<bool>)>,
    policy: u8,
}

fn drawn() -> impl Strategy<Value = Vec<RandomNode>> {
    let feed = (any::<prop::sample::Index>(), proptest::option::weighted(0.3, any::<bool>()));
    let node = (0..4u8, prop::collection::vec(feed, 1..4), 0..4u8);
    prop::collection::vec(node.prop_map(|(kind, feeds, policy)| RandomNode { kind, feeds, policy }), 1..20)
}

fn document(drawn: &[RandomNode]) -> (Value, Value) {
    let mut nodes = serde_json::Map::from_iter([("input".to_owned(), json!({"type": "input"}))]);
    let mut edges = Vec::new();
    for (index, node) in drawn.iter().enumerate() {
        let id = format!("n{index}");
        let last = if node.kind == 1 { "fail_at_end" } else { "fail" };
        let policy = [json!("fail"), json!("continue"), json!({"retry": 1, "then": "continue"}), json!(last)]
            [node.policy as usize]
            .clone();
        let value = match node.kind {
            0 => {
                json!({"type": "check", "assert": "inputs.size() >= 0", "message": "x", "on_failure": policy})
            }
            1 => json!({"type": "map", "over": "{{ [1, 2] }}", "agent": "one", "on_failure": policy}),
            _ => json!({"type": "agent", "agent": "one", "on_failure": policy,
                        "parameters": {"inputs": "{{ inputs }}"}}),
        };
        nodes.insert(id.clone(), value);
        let mut seen = Vec::new();
        for (from, condition) in &node.feeds {
            let from = from.index(index + 1);
            let from = if from == 0 { "input".to_owned() } else { format!("n{}", from - 1) };
            if !seen.contains(&from) {
                seen.push(from.clone());
                let mut edge = json!({"from": from, "to": id});
                if let Some(condition) = condition {
                    edge["when"] = json!(condition.to_string());
                }
                edges.push(edge);
            }
        }
        edges.push(json!({"from": id, "to": "output"}));
    }
    nodes.insert("output".to_owned(), json!({"type": "output"}));
    edges.push(json!({"from": "input", "to": "output"}));
    (Value::Object(nodes), Value::Array(edges))
}

fn check_inputs(drive: &Drive, name: &str) {
    let (_, start) = &drive.open[name];
    let Some(given) = start.parameters.get("inputs") else { return };
    let mut expected = serde_json::Map::new();
    for (place, edge) in
        drive.flow.graph().edges.iter().enumerate().filter(|(_, edge)| edge.to == start.at.node)
    {
        let producer = &drive.state.nodes[edge.from];
        assert!(producer.status.is_over(), "{name} began before {} was over", edge.from);
        let open = edge.when.as_deref() != Some("false") && producer.status == NodeStatus::Completed;
        assert_eq!(drive.flow.taken(&drive.state, place), Some(open));
        if open {
            let id = drive.flow.graph().nodes[edge.from].id.clone();
            expected.insert(id, producer.output.clone().unwrap());
        }
    }
    assert_eq!(given, &Value::Object(expected), "{name}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_run_ends_and_inputs_are_outputs(
        drawn in drawn(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 200),
        ends in prop::collection::vec(0..10u8, 200),
        stop_at in proptest::option::weighted(0.2, 0..20usize),
    ) {
        let (nodes, edges) = document(&drawn);
        let mut drive = Drive::new(nodes, edges, json!({"seed": 1}));
        for (turn, (next, end)) in order.iter().zip(ends.iter().cycle()).enumerate() {
            if drive.open.is_empty() {
                break;
            }
            if stop_at == Some(turn) {
                drive.event(Event::StopAsked);
            }
            let names: Vec<String> = drive.open.keys().cloned().collect();
            for name in &names {
                check_inputs(&drive, name);
            }
            let name = names[next.index(names.len())].clone();
            match end {
                0 => drive.fail(&name),
                1 if drive.state.head.status == Status::Stopping => drive.end(&name, TaskOutcome::Stopped),
                _ => drive.complete(&name, json!({"of": name, "turn": turn})),
            }
        }
        prop_assert!(drive.open.is_empty());
        prop_assert!(drive.state.head.status.is_over(), "{:?}", drive.state.head);
        prop_assert!(drive.state.nodes.iter().all(|node| node.status.is_over()));
        prop_assert_eq!(drive.kinds().iter().filter(|kind| **kind == "workflow.finished").count(), 1);
        // The stored state can be read back unchanged.
        for node in &drive.state.nodes {
            let text = serde_json::to_string(node).unwrap();
            let again: crate::state::NodeState = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&again, node);
        }
    }
}
