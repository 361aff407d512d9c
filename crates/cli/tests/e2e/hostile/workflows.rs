//! Workflow documents: every field of every kind of node, from the schema of workflow files; validated, stored and run.

use accord_test_support::hostile::Shape;
use serde_json::{Value, json};

use super::deck::{self, Deck};
use super::objects::AGENT;
use super::openapi::{Known, Schemas, Slot, Takes};
use super::victim::{By, Victim};
use super::wire::Request;

fn known() -> Known {
    Known {
        always: json!({"name": "<name>", "agent": AGENT, "over": "{{ input }}", "input_seconds": 1}),
        if_required: json!({
            "assert": "true", "message": "no", "agents": [AGENT], "output_schema": {"type": "object"},
            "synthesis": {"agent": AGENT}, "when": "true",
        }),
    }
}

/// The schema of a workflow with one node of a kind between input and output, or with a condition between them.
fn with_node(file: &Value, kind: &str) -> Value {
    let node = |kind: &str| file["$defs"][kind].clone();
    let mut nodes = json!({"input": node("input"), "output": node("output")});
    let edges = if nodes.get(kind).is_some() {
        let when = json!({"type": "object", "required": ["from", "to", "when"], "properties": {
            "from": {"const": "input"}, "to": {"const": "output"}, "when": {"type": "string"}}});
        json!({"type": "array", "minItems": 1, "items": when})
    } else {
        nodes["between"] = node(kind);
        json!({"const": [{"from": "input", "to": "between"}, {"from": "between", "to": "output"}]})
    };
    let names: Vec<&String> = nodes.as_object().unwrap().keys().collect();
    let nodes = json!({"type": "object", "required": names, "properties": nodes});
    let properties = json!({"name": {"type": "string"}, "nodes": nodes, "edges": edges});
    json!({"type": "object", "required": ["name", "nodes", "edges"], "properties": properties, "$defs": file["$defs"]})
}

/// The places in workflow documents, each kind of node once, in a document that is accepted.
async fn slots(victim: &mut Victim) -> Vec<Slot> {
    let file = accord_workflow::file_schema();
    let kinds = file["$defs"]["node"]["properties"]["type"]["enum"].as_array().unwrap();
    assert!(kinds.len() > 5, "{kinds:?}");
    let known = known();
    let mut slots: Vec<Slot> = Vec::new();
    for kind in kinds.iter().filter_map(Value::as_str) {
        let document = with_node(&file, kind);
        let schemas = Schemas { document: &document, known: &known };
        let harmless = schemas.harmless(&document, &[("name", json!(format!("harmless-{kind}")))].into());
        victim.accepts("POST /workflows", Request::post("/workflows", harmless)).await;
        let of_node = schemas.slots(&document).into_iter();
        slots.extend(
            of_node.filter(|slot| kind == "input" || slot.path.get(1).is_some_and(|node| node == "between")),
        );
    }
    slots
}

struct Decks {
    any: Deck,
    text: Deck,
    typed: Deck,
}

impl Decks {
    fn of_each(&mut self, slot: &Slot) -> Vec<Shape> {
        match slot.takes {
            Takes::Any => self.any.of_each(),
            Takes::Text => self.text.of_each(),
            Takes::Typed => self.typed.of_each(),
        }
    }
}

fn decks() -> Decks {
    Decks { any: deck::for_any(), text: deck::for_strings(), typed: deck::for_typed() }
}

/// The name of a node's output in the conditions of this slot: an edge has `output`, a check its upstream node.
fn text(slot: &Slot, shape: &Shape) -> String {
    let is_check = slot.path.last().is_some_and(|name| name == "assert");
    if is_check { shape.text().replace("output", "input") } else { shape.text() }
}

async fn validate(victim: &mut Victim, slot: &Slot, shape: &Shape) {
    let body = slot.filled(&[("name", json!("checked"))].into(), &text(slot, shape));
    let name = format!("{}: {}", slot.name(), shape.name);
    victim
        .attack("POST /workflows/validate", &name, By::Viewer, Request::post("/workflows/validate", body))
        .await;
}

#[tokio::test]
async fn a_workflow_cannot_stop_the_coordinator_when_it_is_checked() {
    let mut victim = Victim::start().await;
    let mut decks = decks();
    let slots = slots(&mut victim).await;
    for slot in &slots {
        for shape in decks.of_each(slot) {
            validate(&mut victim, slot, &shape).await;
        }
    }
    let texts: Vec<&Slot> = slots.iter().filter(|slot| slot.takes == Takes::Text).collect();
    for (shape, slot) in decks.text.rest().iter().zip(texts.iter().cycle()) {
        validate(&mut victim, slot, shape).await;
    }
    victim.conclude("workflow").await;
}

/// Stores a workflow and runs it if it is accepted.
async fn run(victim: &mut Victim, slot: &Slot, shape: &Shape, number: usize) {
    let name = format!("stored-{number}");
    let what = format!("{}: {}", slot.name(), shape.name);
    let body = slot.filled(&[("name", json!(name))].into(), &text(slot, shape));
    let request = match number % 2 {
        0 => Request::post("/workflows", body),
        _ => Request::new("PUT", format!("/workflows/{name}")).body(body),
    };
    let place =
        format!("{} /workflows{}", request.method, if number.is_multiple_of(2) { "" } else { "/{name}" });
    let stored = victim.attack(&place, &what, By::Admin, request).await;
    if stored.is_none_or(|answer| answer.status != 201) {
        return;
    }
    let input = json!({"input": vec![1; 3_000]}).to_string();
    let request = Request::post(format!("/workflows/{name}/runs?wait=300"), input);
    victim.attack("POST /workflows/{name}/runs", &what, By::Caller, request).await;
}

#[tokio::test]
async fn a_workflow_cannot_stop_the_coordinator_when_it_runs() {
    let mut victim = Victim::start().await;
    let mut decks = decks();
    // The value of the output is rendered in every run; the other places are attacked in turn.
    let (outputs, others): (Vec<Slot>, Vec<Slot>) =
        slots(&mut victim).await.into_iter().partition(|slot| slot.name().ends_with("output.value"));
    let texts: Vec<Slot> = others.iter().filter(|slot| slot.takes == Takes::Text).cloned().collect();
    let any: Vec<Slot> = others.iter().filter(|slot| slot.takes == Takes::Any).cloned().collect();
    let mut attacks = [decks.text.among(&texts), decks.any.among(&any)].concat();
    for slot in outputs {
        attacks.extend(decks.text.of_each().into_iter().map(|shape| (slot.clone(), shape)));
    }
    for (number, (slot, shape)) in attacks.iter().enumerate() {
        run(&mut victim, slot, shape, number).await;
    }
    victim.conclude("workflow").await;
}
