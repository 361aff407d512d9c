//! What several fuzz targets share: a workflow is read, checked and begun.

use accord_workflow::compare::CompareOptions;
use accord_workflow::{Event, Flow, Gravity, Known, Signature, State, Takes, advance, check, read};
use jiff::Timestamp;
use serde_json::{Value, json};

/// A workflow whose output is this value.
pub fn workflow(value: &Value) -> Value {
    json!({
        "name": "fuzzed",
        "nodes": {"input": {"type": "input"}, "output": {"type": "output", "value": value}},
        "edges": [{"from": "input", "to": "output"}],
    })
}

/// The state of a workflow run after its start; `None` if the document has mistakes, each of which
/// must be reported.
pub fn advanced(document: &Value, input: Value) -> Option<State> {
    let (graph, mut findings) = read(document);
    let mut known = Known::default();
    let anything = Signature { takes: Takes::Anything, gives: None, fixed: false, description: None };
    known.agents.insert("a".to_owned(), anything);
    if let Some(graph) = &graph {
        findings.extend(check(graph, &known));
    }
    assert!(findings.iter().all(|finding| !finding.message.is_empty()));
    let graph = graph.filter(|_| findings.iter().all(|finding| finding.gravity != Gravity::Error))?;
    let state = State::new(&graph, input);
    let flow = Flow::new(graph, known).expect("a graph without mistakes can be made ready");
    let now = Timestamp::UNIX_EPOCH;
    let (state, _) = advance(&flow, state, Event::Begun, now, &CompareOptions::default());
    Some(state)
}
