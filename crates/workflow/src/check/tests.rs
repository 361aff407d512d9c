mod fitting;

use accord_contract::Meter;
use serde_json::{Value, json};

use super::*;
use crate::finding::Gravity;
use crate::graph::read;
use crate::signature::{Signature, Takes};

fn known() -> Known {
    let mut known = Known::default();
    let mut agent = |name: &str, takes: Takes, gives: Option<Value>, fixed: bool| {
        known.agents.insert(name.to_owned(), Signature { takes, gives, fixed, description: None });
    };
    let findings = json!({
        "type": "object",
        "required": ["findings"],
        "properties": {"findings": {"type": "array", "items": {"type": "object"}}, "text": {"type": "string"}},
        "additionalProperties": false,
    });
    agent("plain", Takes::Prompt, None, false);
    agent("finder", Takes::Prompt, Some(findings.clone()), true);
    let takes = json!({
        "type": "object",
        "required": ["findings"],
        "properties": {"findings": {"type": "array"}},
        "additionalProperties": false,
    });
    agent("writer", Takes::Schema(takes), None, false);
    let takes =
        json!({"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}});
    agent("counter", Takes::Schema(takes), None, false);
    let takes = json!({"type": "object", "properties": {"a": {"type": "object"}, "b": {"type": "object"}}});
    agent("joiner", Takes::Schema(takes), None, false);
    known
}

fn found(nodes: Value, edges: Value) -> Vec<String> {
    let (graph, findings) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
    assert_eq!(findings, []);
    messages(&graph.unwrap(), &known())
}

fn messages(graph: &Graph, known: &Known) -> Vec<String> {
    let gravity = |finding: &Finding| if finding.gravity == Gravity::Error { "" } else { "warning: " };
    let message = |each: &Finding| format!("{}{}: {}", gravity(each), each.place.path(), each.message);
    check(graph, known).iter().map(message).collect()
}

fn chain(node: Value) -> Vec<String> {
    let nodes = json!({
        "input": {"type": "input", "schema": {"type": "object", "properties": {"diff": {"type": "string"}}}},
        "finder": {"type": "agent", "agent": "finder", "prompt": "{{ input.diff }}"},
        "node": node,
        "output": {"type": "output"},
    });
    let edges = json!([
        {"from": "input", "to": "finder"}, {"from": "finder", "to": "node"}, {"from": "node", "to": "output"},
    ]);
    found(nodes, edges)
}

#[test]
fn a_sound_graph_has_no_findings() {
    assert_eq!(chain(json!({"type": "agent", "agent": "plain", "prompt": "{{ finder.findings }}"})), [""; 0]);
    assert_eq!(chain(json!({"type": "map", "over": "{{ finder.findings }}", "agent": "plain"})), [""; 0]);
    let check = json!({"type": "check", "assert": "finder.findings.size() > 0", "message": "nothing found"});
    assert_eq!(chain(check), [""; 0]);
}

#[test]
fn fields_that_rules_misspell_are_warnings() {
    let check = json!({"type": "check", "assert": "finder.finding.size() > 0", "message": "nothing found"});
    let expected = "warning: $.nodes.node.assert: the rule uses 'finder.finding', but finder has no field 'finding'; did you mean 'findings'?";
    assert_eq!(chain(check), [expected]);
    let asked = json!({"type": "check", "assert": "!has(finder.finding)", "message": "nothing found"});
    assert_eq!(chain(asked), [""; 0]);
    let nodes = json!({
        "input": {"type": "input", "schema": {"type": "object", "properties": {"diff": {"type": "string"}}}},
        "finder": {"type": "agent", "agent": "finder", "prompt": "{{ input.diff }}"},
        "output": {"type": "output"},
    });
    let when = "output.finding.size() > 0 && input.dif != ''";
    let edges = json!([{"from": "input", "to": "finder"}, {"from": "finder", "to": "output", "when": when}]);
    let expected = [
        "warning: $.edges[1].when: the rule uses 'output.finding', but output has no field 'finding'; did you mean 'findings'?",
        "warning: $.edges[1].when: the rule uses 'input.dif', but the schema of input does not declare a field 'dif'; did \
         you mean 'diff'?",
    ];
    assert_eq!(found(nodes, edges), expected);
}

/// The messages about a node with two upstream nodes: one whose output may be null, and one that always has an output.
fn joined(node: Value, when: Option<&str>) -> Vec<String> {
    let careless = json!({"type": "agent", "agent": "finder", "prompt": "x", "on_failure": "continue"});
    let finder = json!({"type": "agent", "agent": "finder", "prompt": "x"});
    let nodes = json!({
        "input": {"type": "input"}, "a": if when.is_some() { &finder } else { &careless }, "b": finder, "node": node,
        "output": {"type": "output"},
    });
    let mut edge = json!({"from": "a", "to": "node"});
    edge.as_object_mut().unwrap().extend(when.map(|when| ("when".to_owned(), json!(when))));
    let edges = json!([
        {"from": "input", "to": "a"}, {"from": "input", "to": "b"}, edge, {"from": "b", "to": "node"},
        {"from": "node", "to": "output"},
    ]);
    found(nodes, edges)
}

#[test]
fn warns_of_unguarded_reads_of_null() {
    let writer =
        |findings: &str| json!({"type": "agent", "agent": "writer", "parameters": {"findings": findings}});
    let check = |assert: &str| json!({"type": "check", "assert": assert, "message": "m"});
    let template = "warning: $.nodes.node.parameters.findings: 'a' may be null here, because the run continues if it fails, \
                    and the template reads a field of it; write for example 'a.findings if a else …'";
    assert_eq!(joined(writer("{{ a.findings + b.findings }}"), None), [template]);
    assert_eq!(joined(writer("{{ a.findings }}"), None), [template]);
    let rule = "warning: $.nodes.node.assert: 'a' may be null here, because its edge has a condition, and the rule reads a \
                field of it; write for example 'a != null && …'";
    assert_eq!(joined(check("a.findings.size() > 0"), Some("output.text == ''")), [rule]);
    for guarded in [
        "{{ (a.findings if a else []) + b.findings }}",
        "{{ a.findings | default([]) }}",
        "{{ b.findings }}",
        "{% if a %}{{ a.text }}{% endif %}",
    ] {
        assert_eq!(
            joined(json!({"type": "agent", "agent": "plain", "prompt": guarded}), None),
            [""; 0],
            "{guarded}"
        );
    }
    assert_eq!(joined(check("a != null && a.findings.size() > 0"), None), [""; 0]);
}

/// The messages about a node with two upstream reviewers, whose findings are compared.
fn reviewed(mut node: Value) -> Vec<String> {
    let finding =
        json!({"type": "object", "properties": {"file": {"type": "string"}, "severity": {"type": "string"}}});
    let findings = json!({"type": "object", "properties": {"findings": {"type": "array", "items": finding}}});
    let reviewer = json!({"type": "agent", "agent": "plain", "prompt": "x", "output_schema": findings});
    node["type"] = json!("agent");
    let nodes = json!({
        "input": {"type": "input"}, "a": reviewer, "b": reviewer, "node": node, "output": {"type": "output"},
    });
    let edges = json!([
        {"from": "input", "to": "a"}, {"from": "input", "to": "b"}, {"from": "a", "to": "node"},
        {"from": "b", "to": "node"}, {"from": "node", "to": "output"},
    ]);
    found(nodes, edges)
}

#[test]
fn warns_of_contradictions_that_do_not_reach_an_agent() {
    let warning = |place: &str, remedy: &str| {
        format!(
            "warning: $.nodes.node{place}: contradictions between upstream agents are detected but do not reach this agent: {remedy}"
        )
    };
    let template = warning(".parameters", "use '{{ contradictions }}' in one of these");
    assert_eq!(reviewed(json!({"agent": "plain", "parameters": {"prompt": "{{ a }} {{ b }}"}})), [template]);
    let schema = warning(
        "",
        "add a property 'contradictions' to its parameters_schema, or set parameters that use them",
    );
    assert_eq!(reviewed(json!({"agent": "joiner"})), [schema]);
    for fine in [
        json!({"agent": "plain", "parameters": {"prompt": "{{ a }} {{ b }} {{ contradictions }}"}}),
        json!({"agent": "plain", "prompt": "{{ a }} {{ b }}"}),
        json!({"agent": "plain"}),
    ] {
        assert_eq!(reviewed(fine.clone()), [""; 0], "{fine}");
    }
}

#[test]
fn reports_a_cycle_at_the_edge_that_closes_it() {
    let agent = json!({"type": "agent", "agent": "plain"});
    let nodes =
        json!({"input": {"type": "input"}, "a": agent, "b": agent, "c": agent, "output": {"type": "output"}});
    let edges = json!([
        {"from": "input", "to": "a"}, {"from": "a", "to": "b"}, {"from": "b", "to": "a"}, {"from": "c", "to": "c"},
        {"from": "b", "to": "output"},
    ]);
    let expected = [
        "$.edges[2]: this edge creates a cycle: a → b → a",
        "$.edges[3]: this edge creates a cycle: c → c",
        "$.nodes.c: not reachable from the input; add an edge, or remove it",
    ];
    assert_eq!(found(nodes, edges), expected);
}

#[test]
fn reports_unreachable_nodes() {
    let agent = json!({"type": "agent", "agent": "plain"});
    let nodes =
        json!({"input": {"type": "input"}, "a": agent, "b": agent, "c": agent, "output": {"type": "output"}});
    let edges = json!([
        {"from": "input", "to": "a"}, {"from": "a", "to": "output"}, {"from": "b", "to": "output"},
        {"from": "a", "to": "c"},
    ]);
    let expected = [
        "$.nodes.b: not reachable from the input; add an edge, or remove it",
        "warning: $.nodes.c: no path from this node to an output: its output is unused",
    ];
    assert_eq!(found(nodes, edges), expected);
}

#[test]
fn reports_unknown_names() {
    let messages =
        chain(json!({"type": "agent", "agent": "nobody", "prompt": "{{ other.x }} {{ finder.missing }}"}));
    let expected = [
        "$.nodes.node.agent: agent 'nobody' does not exist or is invalid",
        "$.nodes.node.prompt: the template uses 'finder.missing', but finder has no field 'missing'",
        "$.nodes.node.prompt: the template uses 'other', but its inputs are finder",
    ];
    assert_eq!(messages, expected);
    let messages = chain(json!({"type": "agent", "agent": "findr", "prompt": "{{ input.x }}"}));
    let expected = [
        "$.nodes.node.agent: agent 'findr' does not exist or is invalid; did you mean 'finder'?",
        "$.nodes.node.prompt: the template uses 'input', but its inputs are finder; add the edge { from: input, to: node }",
    ];
    assert_eq!(messages, expected);
    let messages = chain(json!({"type": "agent", "agent": "finder", "output_schema": {"type": "object"}}));
    assert!(
        messages.iter().any(|each| each.starts_with("$.nodes.node.output_schema: the agent has")),
        "{messages:?}"
    );
}

#[test]
fn reports_templates_and_conditions_that_do_not_compile() {
    let messages = chain(json!({"type": "agent", "agent": "plain", "prompt": "{{ finder."}));
    assert!(messages[0].starts_with("$.nodes.node.prompt: invalid template"), "{messages:?}");
    let messages = chain(json!({"type": "check", "assert": "findr.findings.size() > 0", "message": "x"}));
    assert!(
        messages[0].starts_with("$.nodes.node.assert: line 1, column 1: unknown variable 'findr'"),
        "{messages:?}"
    );
}

#[test]
fn warns_of_planner_agents_that_accept_no_prompt() {
    let planner =
        |agents: Value| json!({"type": "planner", "agent": "plain", "prompt": "Plan", "agents": agents});
    let messages = chain(planner(json!(["plain", "counter"])));
    let beginning = "warning: $.nodes.node.agents[1]: 'counter' does not accept a prompt, which is all a subtask provides: ";
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].starts_with(beginning), "{messages:?}");
    assert_eq!(chain(planner(json!(["plain", "finder"]))), [""; 0]);
}

#[test]
fn warns_of_invalid_annotations() {
    let schema = json!({"type": "object", "properties": {"list": {"type": "array", "x-key": 5}}});
    let own = json!({"type": "agent", "agent": "plain", "prompt": "x", "output_schema": schema});
    let expected = "warning: $.nodes.node.output_schema.properties.list.x-key: expected a property name or a list of names, got 5";
    assert_eq!(chain(own), [expected]);
}

#[test]
fn reports_missing_edges_by_kind() {
    let nodes = json!({"each": {"type": "map", "over": "{{ x }}", "agent": "plain"}, "out": {"type": "agent", "agent": "plain"}});
    let messages = found(nodes, json!([{"from": "each", "to": "out"}]));
    assert!(messages.contains(&"$.nodes: the workflow has no node of type output".to_owned()));
    assert!(messages.iter().any(|each| each.starts_with("$.nodes.each: no incoming edge")), "{messages:?}");
}

#[test]
fn unreadable_parts_hide_and_cause_no_other_mistakes() {
    let nodes = json!({
        "input": {"type": "input"},
        "a": {"type": "agent", "agent": "nobody"},
        "b": {"type": "robot"},
        "c": {"type": "agent", "agent": "plain", "prompt": "{{ b.x }} {{ a.y | lenght }} {{ other }} {{ gone }}"},
        "d": {"type": "check", "assert": "b.ok && gone.ok", "message": "x"},
        "output": {"type": "output"},
    });
    let edges = json!([
        {"from": "input", "to": "a"}, {"from": "input", "to": "a"}, {"from": "gone", "to": "c"}, {"from": "b", "to": "d"},
        {"from": "a", "to": "a"},
    ]);
    let (graph, findings) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
    assert_eq!(findings.len(), 3, "{findings:?}");
    let expected = [
        "$.nodes.output: no incoming edge; a node of type output needs one",
        "$.edges[4]: this edge creates a cycle: a → a",
        "$.nodes.output: not reachable from the input; add an edge, or remove it",
        "$.nodes.a.agent: agent 'nobody' does not exist or is invalid",
        "$.nodes.c.prompt: the template cannot be rendered: unknown filter 'lenght'",
        "$.nodes.c.prompt: the template uses 'other', but this node has no inputs",
    ];
    assert_eq!(messages(&graph.unwrap(), &known()), expected);
}

#[test]
fn reports_unreachable_nodes_beside_unreadable_edges() {
    let beside = |edge: Value| {
        let agent = json!({"type": "agent", "agent": "plain"});
        let nodes = json!({
            "input": {"type": "input"}, "a": agent, "b": agent, "lone": agent, "output": {"type": "output"},
        });
        let edges = json!([
            {"from": "input", "to": "a"}, {"from": "a", "to": "output"}, {"from": "b", "to": "output"}, edge,
        ]);
        let (graph, findings) =
            read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
        assert_eq!(findings.len(), 1, "{findings:?}");
        messages(&graph.unwrap(), &known())
    };
    let lone = "$.nodes.lone: not reachable from the input; add an edge, or remove it";
    let b = "$.nodes.b: not reachable from the input; add an edge, or remove it";
    assert_eq!(beside(json!({"from": "inptu", "to": "b"})), [lone]);
    assert_eq!(beside(json!({"from": "inptu", "to": "output"})), [b, lone]);
    // It is unknown where this edge leads.
    for edge in [json!({"from": "input", "to": "nowhere"}), json!({"from": "input"}), json!(1)] {
        assert!(!beside(edge.clone()).iter().any(|each| each.contains("from the input")), "{edge}");
    }
}
