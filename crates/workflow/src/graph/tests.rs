use accord_contract::Meter;
use serde_json::json;

use super::*;
use crate::finding::{Finding, Gravity};
use crate::kinds::{AgentNode, InputNode, OutputNode};

fn messages(findings: &[Finding]) -> Vec<String> {
    findings
        .iter()
        .map(|finding| {
            assert_eq!(finding.gravity, Gravity::Error);
            format!("{}: {}", finding.place.path(), finding.message)
        })
        .collect()
}

#[test]
fn reads_a_document() {
    let document = json!({
        "name": "review",
        "nodes": {
            "input": {"type": "input"},
            "look": {"type": "agent", "agent": "reviewer", "prompt": "{{ input.x }}", "on_failure": {"retry": 2}},
            "output": {"type": "output"},
        },
        "edges": [{"from": "input", "to": "look"}, {"from": "look", "to": "output", "when": "output.ok"}],
    });
    let (graph, findings) = read(&document, &Meter::default());
    assert_eq!(findings, []);
    let node = |id: &str, kind| Node { id: id.to_owned(), kind, on_failure: OnFailure::default() };
    let work = Work {
        target: Target::Agent("reviewer".to_owned()),
        parameters: Parameters::Prompt("{{ input.x }}".to_owned()),
        output_schema: None,
    };
    let look = NodeKind::Agent(AgentNode { work });
    let expected = Graph {
        name: "review".to_owned(),
        description: String::new(),
        nodes: vec![
            node("input", NodeKind::Input(InputNode { schema: None })),
            Node { on_failure: OnFailure { retries: 2, then: Then::Fail }, ..node("look", look) },
            node("output", NodeKind::Output(OutputNode { value: None })),
        ],
        edges: vec![
            Edge { from: 0, to: 1, when: None, index: 0 },
            Edge { from: 1, to: 2, when: Some("output.ok".to_owned()), index: 1 },
        ],
        left_out: None,
    };
    assert_eq!(graph, Some(expected));
}

#[test]
fn reports_all_mistakes_at_once() {
    let document = json!({
        "nodes": {
            "a b": {"type": "agent", "agent": 3},
            "item": {"type": "check", "assert": "", "severity": "maybe"},
            "c": {"type": "agent", "agent": "x", "workflow": "y", "promt": "z", "on_failure": "never"},
            "d": {"type": "robot"},
            "e": {"type": "agent", "agent": "x", "output_schema": {"type": "nothing"}},
            "input": {"type": "input", "schema": "report"},
        },
        "edges": [{"from": "c", "to": "nowhere"}, {"from": "d", "to": "e"}, 1],
        "extra": 1,
    });
    let (graph, findings) = read(&document, &Meter::default());
    // The readable parts remain, to find further problems.
    let graph = graph.unwrap();
    assert_eq!(graph.nodes.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), ["e", "input"]);
    let ends = |from: &str, to: &str| EdgeEnds { from: Some(from.to_owned()), to: Some(to.to_owned()) };
    let left_out = LeftOut {
        nodes: ["a b", "c", "d", "item"].map(str::to_owned).into(),
        edges: vec![ends("c", "nowhere"), ends("d", "e"), EdgeEnds::default()],
    };
    assert_eq!(graph.left_out, Some(left_out));
    let messages = messages(&findings);
    for place in [
        "$.name: missing field 'name'",
        "$.nodes[\"a b\"]: invalid node id 'a b'",
        "$.nodes[\"a b\"].agent: expected an agent name or a blueprint, got a number",
        "$.nodes.item: the id 'item' is reserved",
        "$.nodes.item.assert: 'assert' is empty",
        "$.nodes.item.message: missing field 'message'",
        "$.nodes.item.severity: expected severity warn or fail",
        "$.nodes.c.workflow: 'agent' is already set",
        "$.nodes.c.on_failure: unknown on_failure 'never'",
        "$.nodes.d.type: unknown node type 'robot'",
        "$.nodes.e.output_schema.type:",
        "$.nodes.input.schema: expected the schema itself; the name of a registered schema",
        "$.edges[0].to: unknown node 'nowhere'",
        "$.edges[2]: an edge: expected an object, got a number",
        "$.extra: unknown field 'extra' in a workflow",
    ] {
        assert!(messages.iter().any(|each| each.starts_with(place)), "{place}\n{messages:#?}");
    }
    // A node that could not be read still exists for edges.
    assert!(!messages.iter().any(|each| each.starts_with("$.edges[1]")), "{messages:#?}");
}

#[test]
fn reads_the_condition_of_a_check_without_a_message() {
    let nodes = json!({"input": {"type": "input"}, "found": {"type": "check", "assert": "input =="}});
    let (graph, findings) = read(&json!({"name": "x", "nodes": nodes, "edges": []}), &Meter::default());
    let expected = "$.nodes.found.message: missing field 'message': the message if the check fails";
    assert_eq!(messages(&findings), [expected]);
    assert_eq!(graph.map(|graph| graph.nodes.len()), Some(2));
}

#[test]
fn suggests_the_nearest_name() {
    let document = json!({
        "name": "x",
        "nodes": {"input": {"type": "input"}, "writer": {"type": "chek"}, "output": {"type": "output", "valeu": 1}},
        "edges": [{"from": "input", "to": "writr"}],
    });
    let expected = [
        "$.nodes.writer.type: unknown node type 'chek'; did you mean 'check'?",
        "$.nodes.output.valeu: unknown field 'valeu' in a node of type output; did you mean 'value'?",
        "$.edges[0].to: unknown node 'writr'; did you mean 'writer'?",
    ];
    assert_eq!(messages(&read(&document, &Meter::default()).1), expected);
}

#[test]
fn rejects_hostile_documents() {
    for document in [json!(null), json!([]), json!("x"), json!({}), json!({"name": "x", "nodes": []})] {
        let (graph, findings) = read(&document, &Meter::default());
        assert!(graph.is_none() && !findings.is_empty(), "{document}");
    }
    let nodes: Map<String, Value> = (0..=crate::limits::MOST_NODES)
        .map(|index| (format!("n{index}"), json!({"type": "output"})))
        .collect();
    let (graph, findings) = read(&json!({"name": "x", "nodes": nodes}), &Meter::default());
    assert!(graph.is_none() && findings.len() == 1);
}
