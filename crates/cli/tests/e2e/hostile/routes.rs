//! Every route in the OpenAPI document, with hostile paths, queries, headers, bodies and fields; every tool of the MCP
//! server with hostile arguments.

use std::collections::BTreeMap;

use accord_test_support::hostile::{Shape, header_texts, json_texts, url_texts};
use serde_json::{Value, json};

use super::deck::{self, Deck};
use super::objects::{SPARE, known};
use super::openapi::{Operation, Schemas, Slot, Takes, operations, pages};
use super::seed;
use super::victim::{By, Victim};
use super::wire::Request;

async fn described(victim: &Victim) -> (Value, Vec<Operation>) {
    let document = victim.json(Request::new("GET", "/openapi.json")).await;
    let operations = operations(&document);
    assert!(operations.len() > 50, "{}", operations.len());
    (document, operations)
}

#[tokio::test]
async fn no_address_and_no_header_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let (_, mut operations) = described(&victim).await;
    let pages = pages(&operations);
    assert!(!pages.is_empty(), "the dashboard has routes");
    operations.extend(pages);
    let (mut texts, mut headers) = (Deck::new(url_texts()), Deck::new(header_texts()));
    let mut everybody = By::EVERYBODY.iter().cycle();
    for operation in &operations {
        let (whole, _) = victim.address(operation).await;
        let mut requests = Vec::new();
        for name in &operation.in_path {
            for shape in several(&mut texts, 2) {
                let target = operation.path.replace(&format!("{{{name}}}"), &shape.text());
                requests.push((name, shape, Request::new(&operation.method, target)));
            }
        }
        let plain = whole.split('?').next().unwrap_or_default();
        for name in &operation.in_query {
            for shape in several(&mut texts, 2) {
                let target = format!("{plain}?{name}={}", shape.text());
                requests.push((name, shape, Request::new(&operation.method, target)));
            }
        }
        let others = ["origin", "x-forwarded-for"].map(str::to_owned);
        for name in operation.in_header.iter().chain(&others) {
            for shape in headers.of_each() {
                let request = Request::new(&operation.method, plain).header(name, &shape.text());
                requests.push((name, shape, request));
            }
        }
        for (name, shape, request) in requests {
            let by = *everybody.next().unwrap();
            victim.attack(&operation.name(), &format!("{name}: {}", shape.name), by, request).await;
        }
    }
    for shape in header_texts() {
        let request = Request::new("GET", "/runs").header("authorization", &shape.text());
        victim.attack("GET /runs", &format!("authorization: {}", shape.name), By::Nobody, request).await;
    }
    victim.conclude("address").await;
}

fn several(deck: &mut Deck, count: usize) -> Vec<Shape> {
    (0..count).flat_map(|_| deck.of_each()).collect()
}

#[tokio::test]
async fn no_body_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let (_, operations) = described(&victim).await;
    let (mut texts, mut unread) = (Deck::new(json_texts(seed())), Deck::new(deck::small()));
    let mut everybody = By::EVERYBODY.iter().cycle();
    let (read, ignored): (Vec<&Operation>, Vec<&Operation>) = operations
        .iter()
        .filter(|operation| operation.method != "GET")
        .partition(|operation| operation.body.is_some());
    for operation in &read {
        for shape in texts.of_each() {
            // Most bodies are not read if the key is not allowed to send them.
            let by = if shape.name.len() % 3 == 0 { *everybody.next().unwrap() } else { By::Admin };
            send_body(&mut victim, operation, &shape, by).await;
        }
    }
    for (shape, operation) in texts.rest().iter().zip(read.iter().cycle()) {
        send_body(&mut victim, operation, shape, By::Admin).await;
    }
    // Routes that take no body must not read one either.
    for (operation, shape) in unread.among(&ignored) {
        send_body(&mut victim, operation, &shape, By::Admin).await;
    }
    victim.conclude("body").await;
}

async fn send_body(victim: &mut Victim, operation: &Operation, shape: &Shape, by: By) {
    let (address, _) = victim.address(operation).await;
    let request = Request::new(&operation.method, address).body(shape.text());
    victim.attack(&operation.name(), &shape.name, by, request).await;
}

/// The shapes for the places of bodies, by what a place takes.
struct Decks {
    any: Deck,
    large: Deck,
    text: Deck,
    typed: Deck,
}

impl Decks {
    fn new() -> Self {
        let (any, large) = (deck::for_any(), deck::large());
        Self { any, large, text: deck::for_strings(), typed: deck::for_typed() }
    }

    fn deal(&mut self, slots: &[Slot]) -> Vec<(Slot, Shape)> {
        let of = |takes| slots.iter().filter(|slot| slot.takes == takes).cloned().collect::<Vec<Slot>>();
        let any = of(Takes::Any);
        let mut dealt = self.any.for_all(&any);
        let large = self.large.next();
        let place = any.get(large.name.len() % any.len().max(1)).cloned();
        dealt.extend(place.map(|slot| (slot, large)));
        dealt.extend(self.text.among(&of(Takes::Text)));
        dealt.extend(self.typed.among(&of(Takes::Typed)));
        dealt
    }
}

/// Sends the attacks of every `of`th operation.
async fn attack_fields(victim: &mut Victim, part: usize, of: usize) {
    let (document, operations) = described(victim).await;
    let (known, mut decks) = (known(), Decks::new());
    let schemas = Schemas { document: &document, known: &known };
    let with_bodies = operations.iter().filter(|operation| operation.body.is_some());
    for operation in with_bodies.skip(part).step_by(of) {
        let schema = operation.body.as_ref().unwrap();
        let slots = schemas.slots(schema);
        // Bodies that the document says nothing about are made by the tests of tools and of workflows.
        if !slots[0].path.is_empty() || slots[0].takes != Takes::Any {
            let (address, objects) = victim.address(operation).await;
            let body = schemas.harmless(schema, &objects);
            victim.accepts(&operation.name(), Request::new(&operation.method, address).body(body)).await;
        }
        for (slot, shape) in decks.deal(&slots) {
            let (address, objects) = victim.address(operation).await;
            victim.model_says(if shape.value.is_empty() { "{}" } else { &shape.value });
            let body = slot.filled(&objects, &shape.text());
            let request = Request::new(&operation.method, address).body(body);
            let name = format!("{}: {}", slot.name(), shape.name);
            victim.attack(&operation.name(), &name, By::Admin, request).await;
        }
    }
}

#[tokio::test]
async fn no_field_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    attack_fields(&mut victim, 0, 2).await;
    victim.conclude("field").await;
}

#[tokio::test]
async fn no_field_of_the_other_routes_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    attack_fields(&mut victim, 1, 2).await;
    victim.conclude("field").await;
}

/// What the arguments of tools may name.
async fn tool_objects(victim: &mut Victim) -> BTreeMap<&'static str, Value> {
    let (run, session) = victim.finished_run().await;
    let input = victim.input().await;
    [("run", run), ("session", session), ("input", input), ("name", SPARE.to_owned())]
        .map(|(name, id)| (name, json!(id)))
        .into()
}

#[tokio::test]
async fn no_argument_of_a_tool_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let listed = victim.json(Request::post("/mcp", list.to_string())).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.len() > 5, "{listed}");
    let (mut known, mut decks) = (known(), Decks::new());
    known.always["mode"] = json!("sync");
    for (number, tool) in tools.iter().enumerate() {
        let name = tool["name"].as_str().unwrap();
        // The call is described by a schema too, so that each part of it is a place.
        let any = json!({});
        let call = json!({
            "type": "object", "required": ["jsonrpc", "id", "method", "params"], "properties": {
                "jsonrpc": {"const": "2.0"}, "id": any, "method": {"const": "tools/call", "type": "string"},
                "params": {"type": "object", "required": ["name", "arguments"], "properties": {
                    "name": {"const": name}, "arguments": tool["inputSchema"], "_meta": any, "task": any}}},
            "$defs": tool["inputSchema"]["$defs"],
        });
        let schemas = Schemas { document: &call, known: &known };
        // What every call has is attacked with the first tool.
        let is_own = |slot: &Slot| number == 0 || slot.path.get(1).is_some_and(|part| part == "arguments");
        let slots: Vec<Slot> = schemas.slots(&call).into_iter().filter(is_own).collect();
        let objects = tool_objects(&mut victim).await;
        let place = format!("tool {name}");
        victim.accepts(&place, Request::post("/mcp", schemas.harmless(&call, &objects))).await;
        for (slot, shape) in decks.deal(&slots) {
            let objects = tool_objects(&mut victim).await;
            victim.model_says(if shape.value.is_empty() { "{}" } else { &shape.value });
            let request = Request::post("/mcp", slot.filled(&objects, &shape.text()));
            let by = if shape.name.len() % 2 == 0 { By::Run } else { By::Caller };
            victim.attack(&place, &format!("{}: {}", slot.name(), shape.name), by, request).await;
        }
    }
    victim.conclude("tool").await;
}
