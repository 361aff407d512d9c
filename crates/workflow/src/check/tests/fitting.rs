//! Whether the output of a node fits the input of the next.

use super::*;
use accord_contract::Meter;

#[test]
fn reports_only_what_cannot_fit() {
    assert_eq!(
        chain(
            json!({"type": "agent", "agent": "writer", "parameters": {"findings": "{{ finder.findings }}"}})
        ),
        [""; 0]
    );
    for node in [
        json!({"type": "agent", "agent": "counter"}),
        json!({"type": "agent", "agent": "counter", "parameters": {"count": "{{ finder.findings }}"}}),
        json!({"type": "agent", "agent": "writer", "parameters": {"other": "{{ finder.findings }}"}}),
        json!({"type": "agent", "agent": "writer", "prompt": "write"}),
        json!({"type": "map", "over": "{{ finder.text }}", "agent": "plain"}),
    ] {
        let messages = chain(node.clone());
        assert_eq!(messages.len(), 1, "{node} {messages:?}");
    }
    // An expression may have any value.
    let unclear = json!({"type": "agent", "agent": "counter", "parameters": {"count": "{{ finder.findings | length }}"}});
    assert_eq!(chain(unclear), [""; 0]);
}

/// The problems of an agent with this input schema and these upstream outputs.
fn fed(gives: &[Value], takes: Value, node: Value) -> Vec<String> {
    let mut known = Known::default();
    known.agents.insert(
        "taker".to_owned(),
        Signature { takes: Takes::Schema(takes), gives: None, fixed: false, description: None },
    );
    let mut nodes = json!({"input": {"type": "input"}, "node": node, "output": {"type": "output"}});
    let mut edges = vec![json!({"from": "node", "to": "output"})];
    for (index, gives) in gives.iter().enumerate() {
        let (agent, id) = (format!("giver{index}"), format!("g{index}"));
        let signature =
            Signature { takes: Takes::Anything, gives: Some(gives.clone()), fixed: true, description: None };
        known.agents.insert(agent.clone(), signature);
        nodes[&id] = json!({"type": "agent", "agent": agent});
        edges.extend([json!({"from": "input", "to": id}), json!({"from": id, "to": "node"})]);
    }
    let (graph, findings) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
    assert_eq!(findings, []);
    messages(&graph.unwrap(), &known)
}

#[test]
fn inputs_by_name_have_no_other_fields() {
    let taker = || json!({"type": "agent", "agent": "taker"});
    let each = || json!({"type": "map", "over": "{{ g0 }}", "agent": "taker"});
    let takes = |name: &str| json!({"type": "object", "required": [name]});
    let list = json!({"type": "array", "items": {"type": "string"}});
    let text = json!({"type": ["string", "null"]});
    let object = json!({"type": "object"});
    let either = json!({"type": ["object", "string"]});
    let positioned =
        json!({"type": "array", "prefixItems": [{"type": "object"}], "items": {"type": "string"}});
    let never = [
        (vec![&list], takes("text"), taker()),
        (vec![&text], takes("text"), taker()),
        (vec![&list], takes("text"), each()),
        (vec![&object, &text], takes("text"), taker()),
    ];
    for (gives, takes, node) in never {
        let gives: Vec<Value> = gives.into_iter().cloned().collect();
        let messages = fed(&gives, takes.clone(), node.clone());
        assert_eq!(messages.len(), 1, "{gives:?} {node}: {messages:?}");
        assert!(messages[0].contains("'text'"), "{messages:?}");
    }
    let closed = json!({
        "type": "object", "required": ["g0", "contradictions"], "additionalProperties": false,
        "properties": {"g0": {}, "g1": {}, "contradictions": {"type": "array"}},
    });
    let compared = json!({
        "type": "object", "required": ["n", "contradictions"], "additionalProperties": false,
        "properties": {"n": {}, "contradictions": {"type": "array"}},
    });
    let numbered = json!({
        "type": "object", "required": ["n"], "properties": {"n": {}}, "additionalProperties": false,
    });
    let possible = [
        (vec![&list], takes("g0"), taker()),
        (vec![&list], takes("item"), each()),
        (vec![&object], takes("text"), taker()),
        (vec![&either], takes("text"), taker()),
        (vec![&positioned], takes("text"), each()),
        (vec![&object, &text], takes("g1"), taker()),
        // The comparison is passed on to a node that asks for it, even if nothing was compared.
        (vec![&object, &text], closed.clone(), taker()),
        (vec![&list], closed, taker()),
        (vec![&numbered], compared, taker()),
    ];
    for (gives, takes, node) in possible {
        let gives: Vec<Value> = gives.into_iter().cloned().collect();
        let messages = fed(&gives, takes.clone(), node.clone());
        assert!(
            messages.iter().all(|each| each.starts_with("warning: ")),
            "{gives:?} {takes} {node}: {messages:?}"
        );
    }
}

#[test]
fn warns_of_uncertain_fits_that_the_schemas_explain() {
    let taker = || json!({"type": "agent", "agent": "taker"});
    let with = |value: &str| json!({"type": "agent", "agent": "taker", "parameters": {"n": value}});
    let each = || json!({"type": "map", "over": "{{ g0.n }}", "agent": "taker"});
    let object =
        |n: Value, required: &[&str]| json!({"type": "object", "properties": {"n": n}, "required": required});
    let cannot_tell =
        |place: &str, what: &str, why: &str| vec![format!("warning: {place}: this may not be {what}: {why}")];
    let takes = "what the agent's parameters_schema accepts";
    let perhaps_null = || object(json!({"type": ["string", "null"]}), &[]);
    let text = || object(json!({"type": "string"}), &["n"]);
    let why = "/n: the producer may output null, which the consumer rejects; the consumer requires 'n', which the producer may omit";
    assert_eq!(fed(&[perhaps_null()], text(), taker()), cannot_tell("$.edges[2]", takes, why));
    let why = "/n: the producer may output null, which the consumer rejects";
    assert_eq!(
        fed(&[perhaps_null()], text(), with("{{ g0.n }}")),
        cannot_tell("$.nodes.node.parameters", takes, why)
    );
    let list = object(json!({"type": ["array", "null"], "items": {"type": "object"}}), &["n"]);
    let why = "the producer may output null, which the consumer rejects";
    assert_eq!(fed(&[list], json!(true), each()), cannot_tell("$.nodes.node.over", "a list", why));
    let mut closed = text();
    closed["additionalProperties"] = json!(false);
    let why = "the producer may output properties that the consumer does not accept";
    assert_eq!(fed(&[text()], closed, taker()), cannot_tell("$.edges[2]", takes, why));
    let strict = object(json!({"type": "string", "minLength": 1}), &["n"]);
    let mut more = text();
    more["properties"]["m"] = json!({"type": "integer"});
    for (gives, takes, node) in [
        (json!(true), text(), taker()),
        (object(json!({}), &["n"]), text(), taker()),
        (text(), more, taker()),
        (text(), strict.clone(), with("{{ g0.n }}!")),
        (text(), strict, with("{{ g0.n | upper }}")),
        (text(), object(json!({"type": "string", "contentEncoding": "base64"}), &["n"]), taker()),
    ] {
        assert_eq!(
            fed(std::slice::from_ref(&gives), takes.clone(), node.clone()),
            [""; 0],
            "{gives} {takes} {node}"
        );
    }
}

/// The problems of a graph whose agents output and accept a recursive schema.
fn recursive(node: Value, takes: Value) -> Vec<String> {
    let comment = json!({
        "type": "object",
        "required": ["text", "replies"],
        "properties": {
            "text": {"$ref": "#/$defs/text"}, "replies": {"type": "array", "items": {"$ref": "#"}},
            "first": {"$ref": "#"},
        },
        "additionalProperties": false,
        "$defs": {"text": {"type": "string"}},
    });
    let mut known = Known::default();
    let mut agent = |name: &str, takes: Takes, gives: Option<&Value>| {
        known.agents.insert(
            name.to_owned(),
            Signature { takes, gives: gives.cloned(), fixed: true, description: None },
        );
    };
    agent("thread", Takes::Prompt, Some(&comment));
    agent("reader", Takes::Schema(takes), None);
    let nodes = json!({
        "input": {"type": "input"},
        "one": {"type": "agent", "agent": "thread"},
        "two": {"type": "agent", "agent": "thread"},
        "each": {"type": "map", "over": "{{ one.replies }}", "agent": "thread"},
        "node": node,
        "output": {"type": "output"},
    });
    let edges = json!([
        {"from": "input", "to": "one"}, {"from": "input", "to": "two"}, {"from": "one", "to": "each"},
        {"from": "one", "to": "node"}, {"from": "two", "to": "node"}, {"from": "each", "to": "node"},
        {"from": "node", "to": "output"},
    ]);
    let (graph, findings) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
    assert_eq!(findings, []);
    messages(&graph.unwrap(), &known)
}

#[test]
fn references_of_upstream_schemas_stay_valid() {
    let text = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}});
    let number = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "integer"}}});
    let of = |name: &str, inner: &Value| json!({"type": "object", "required": [name], "properties": {name: inner}});
    let list = |inner: &Value| json!({"type": "array", "minItems": 1, "items": inner});
    let whole = json!({"type": "agent", "agent": "reader"});
    let with = |value: &str| json!({"type": "agent", "agent": "reader", "parameters": {"x": value}});
    // Next to others, taken out of its document, and as the items of a map's output.
    let cases = [
        (whole.clone(), of("one", &text), of("one", &number)),
        (with("{{ one.first }}"), of("x", &text), of("x", &number)),
        (
            with("{{ one.first.first.text }}"),
            of("x", &json!({"type": "string"})),
            of("x", &json!({"type": "null"})),
        ),
        (with("{{ one.replies }}"), of("x", &json!({"type": "array"})), of("x", &text)),
        (
            json!({"type": "map", "over": "{{ one.replies }}", "agent": "reader"}),
            text.clone(),
            number.clone(),
        ),
    ];
    for (node, fitting, misfitting) in cases {
        assert_eq!(recursive(node.clone(), fitting), [""; 0], "{node}");
        let messages = recursive(node.clone(), misfitting);
        assert_eq!(messages.len(), 1, "{node}: {messages:?}");
    }
    // An empty list fits, whatever its items would be.
    let each = recursive(whole, of("each", &list(&number)));
    assert!(each.len() == 1 && each[0].starts_with("warning: $.nodes.node: this may not be"), "{each:?}");
    let missing = recursive(with("{{ one.first.missing }}"), of("x", &text));
    assert!(missing[0].contains("missing'"), "{missing:?}");
}
