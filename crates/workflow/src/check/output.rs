//! The schema of a workflow's output, for workflows that contain it.

use accord_contract::Meter;
use serde_json::{Map, Value, json};

use super::contracts::{Upstream, object};
use super::topology::Topology;
use crate::flow::gives;
use crate::graph::{Graph, Then};
use crate::kinds::NodeKind;
use crate::schema_parts::Wrapper;
use crate::signature::Known;

/// The schema of a run's output; `None` if nothing is known of it.
/// It has a copy of each schema that it consists of, and is not known if that is too much.
pub fn output_schema(graph: &Graph, known: &Known, meter: &Meter) -> Option<Value> {
    let schema = whole_output(graph, known, meter)?;
    meter.bytes(schema.to_string().len()).ok()?;
    Some(schema)
}

fn whole_output(graph: &Graph, known: &Known, meter: &Meter) -> Option<Value> {
    let topology = Topology::new(graph);
    let sure = sure(graph, &topology);
    let outputs = topology.of_kind(NodeKind::is_output);
    if let [only] = outputs.as_slice() {
        return output(graph, known, &topology, &sure, *only);
    }
    // With several output nodes, the output has those that were reached, by their ids.
    let mut all = Wrapper::default();
    let mut properties = Map::new();
    for place in &outputs {
        meter.steps(1).ok()?;
        let schema = output(graph, known, &topology, &sure, *place).unwrap_or(Value::Bool(true));
        properties.insert(graph.nodes.get(*place)?.id.clone(), all.put(&schema));
    }
    (!outputs.is_empty()).then(|| {
        all.around(json!({"type": "object", "properties": properties, "additionalProperties": false}))
    })
}

fn output(
    graph: &Graph,
    known: &Known,
    topology: &Topology<'_>,
    sure: &[bool],
    place: usize,
) -> Option<Value> {
    let template = graph.nodes.get(place)?.kind.behaviour().template();
    let edges = topology.edges.incoming(place);
    let from = |edge: &usize| graph.edges.get(*edge).map(|edge| edge.from);
    let is_sure = |edge: &usize| {
        let always = graph.edges.get(*edge).is_some_and(|edge| edge.when.is_none());
        always && from(edge).is_some_and(|from| sure.get(from) == Some(&true))
    };
    match (template, edges) {
        (Some(value), _) => {
            // A node that may not run is null in a template, whatever its schema says.
            let sure: Vec<usize> = edges.iter().filter(|edge| is_sure(edge)).copied().collect();
            Some(Upstream::of(graph, known, &sure).schema_of(&value))
        }
        // The output is that of the only upstream node.
        (None, [edge]) => {
            let from = from(edge)?;
            let goes_on = graph.nodes.get(from).is_none_or(|node| node.on_failure.then == Then::Continue);
            gives(graph, known, from).filter(|_| !goes_on)
        }
        (None, edges) => {
            let all_sure = edges.iter().all(is_sure);
            let members = edges.iter().filter_map(|edge| {
                let from = from(edge)?;
                let id = graph.nodes.get(from)?.id.clone();
                Some((id, gives(graph, known, from).unwrap_or(Value::Bool(true))))
            });
            all_sure.then(|| object(members))
        }
    }
}

/// For each node, whether it completes in every run that completes: no condition and no `on_failure: continue` is on a path
/// to it.
fn sure(graph: &Graph, topology: &Topology<'_>) -> Vec<bool> {
    let mut sure = vec![false; graph.nodes.len()];
    let mut waiting = topology.of_kind(NodeKind::is_input);
    while let Some(place) = waiting.pop() {
        let (Some(known), Some(node)) = (sure.get_mut(place), graph.nodes.get(place)) else { continue };
        if *known || node.on_failure.then == Then::Continue {
            continue;
        }
        *known = true;
        let edges = topology.edges.outgoing(place).iter().filter_map(|edge| graph.edges.get(*edge));
        waiting.extend(edges.filter(|edge| edge.when.is_none()).map(|edge| edge.to));
    }
    sure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::read;
    use crate::signature::{Signature, Takes};
    use accord_contract::Meter;

    fn given(nodes: Value, edges: &[(&str, &str)]) -> Option<Value> {
        let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
        with_edges(nodes, json!(edges))
    }

    fn with_edges(mut nodes: Value, edges: Value) -> Option<Value> {
        nodes["input"] = json!({"type": "input"});
        let (graph, findings) =
            read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
        assert_eq!(findings, []);
        let mut known = Known::default();
        for (name, gives) in [("tree", Some(tree())), ("free", None)] {
            known.agents.insert(
                name.to_owned(),
                Signature { takes: Takes::Prompt, gives, fixed: true, description: None },
            );
        }
        output_schema(&graph.unwrap(), &known, &Meter::default())
    }

    fn tree() -> Value {
        json!({"type": "object", "properties": {"next": {"$ref": "#"}, "name": {"type": "string"}}})
    }

    fn agent(name: &str) -> Value {
        json!({"type": "agent", "agent": name})
    }

    #[test]
    fn is_the_schema_of_the_output_nodes_input() {
        let nodes = json!({"a": agent("tree"), "out": {"type": "output"}});
        assert_eq!(given(nodes, &[("input", "a"), ("a", "out")]), Some(tree()));
        let nodes = json!({"a": agent("free"), "out": {"type": "output"}});
        assert_eq!(given(nodes, &[("input", "a"), ("a", "out")]), None);
    }

    #[test]
    fn follows_the_template_of_the_output_node() {
        let value = json!({"name": "{{ a.next.name }}", "text": "{{ a.name }}!", "other": "{{ b }}", "sum": "{{ 1 + 1 }}"});
        let nodes =
            json!({"a": agent("tree"), "b": agent("free"), "out": {"type": "output", "value": value}});
        let expected = json!({
            "type": "object",
            "required": ["name", "text", "other", "sum"],
            "properties": {"name": {"type": "string"}, "text": {"type": "string"}, "other": true, "sum": true},
            "additionalProperties": false,
        });
        let edges = [("input", "a"), ("input", "b"), ("a", "out"), ("b", "out")];
        assert_eq!(given(nodes, &edges), Some(expected));
    }

    #[test]
    fn does_not_require_what_may_be_missing() {
        let value = json!({"name": "{{ a.name }}"});
        let nodes =
            json!({"a": agent("tree"), "b": agent("tree"), "out": {"type": "output", "value": value}});
        let edges = json!([
            {"from": "input", "to": "a", "when": "input.yes"}, {"from": "input", "to": "b"}, {"from": "a", "to": "out"},
            {"from": "b", "to": "out"},
        ]);
        let open = with_edges(nodes, edges.clone());
        assert_eq!(open.unwrap()["properties"]["name"], json!(true));
        let nodes = json!({"a": agent("tree"), "b": agent("tree"), "out": {"type": "output"}});
        assert_eq!(with_edges(nodes, edges), None);
        let mut careless = agent("tree");
        careless["on_failure"] = json!("continue");
        let nodes = json!({"a": careless, "out": {"type": "output"}});
        assert_eq!(given(nodes, &[("input", "a"), ("a", "out")]), None);
        let out = json!({"type": "output", "value": {"name": "{{ a.name }}"}});
        let nodes = json!({"a": careless, "b": agent("tree"), "out": out});
        let edges = [("input", "a"), ("input", "b"), ("a", "out"), ("b", "out")];
        assert_eq!(given(nodes, &edges).unwrap()["properties"]["name"], json!(true));
        let nodes = json!({"a": agent("tree"), "b": agent("tree"), "out": out});
        let edges = json!([
            {"from": "input", "to": "a"}, {"from": "input", "to": "b"}, {"from": "b", "to": "out"},
            {"from": "a", "to": "out", "when": "input.yes"},
        ]);
        assert_eq!(with_edges(nodes, edges).unwrap()["properties"]["name"], json!(true));
    }

    #[test]
    fn several_outputs_are_those_that_were_reached() {
        let nodes = json!({"a": agent("tree"), "one": {"type": "output"}, "two": {"type": "output", "value": "done"}});
        let edges = [("input", "a"), ("a", "one"), ("input", "two")];
        let found = given(nodes, &edges).unwrap();
        assert_eq!(found["properties"]["two"], json!({"const": "done"}));
        assert_eq!(found["properties"]["one"]["properties"]["next"], json!({"$ref": "#/$defs/part0"}));
        assert_eq!(found.get("required"), None);
    }
}
