//! Every route in the OpenAPI document, with hostile paths, queries, headers and bodies. New routes
//! are covered automatically.

use accord_test_support::hostile::Shape;
use accord_test_support::hostile::{
    conditions, header_texts, json_texts, schemas, templates, url_texts, values,
};
use serde_json::{Value, json};

use super::openapi::{Operation, fields, operations, sample, with_field};
use super::victim::{AGENT, By, Victim, WORKFLOW};
use super::wire::Request;
use super::{quoted, rounds, turn};

/// How many shapes each place gets per round.
const SHAPES_A_PLACE: usize = 3;

/// How deep into a body fields are replaced.
const FIELD_DEPTH: usize = 3;

/// The path of an operation, on existing objects if there are any.
fn address(operation: &Operation) -> String {
    let name = match operation.path.split('/').nth(1) {
        Some("agents") => AGENT,
        Some("workflows") => WORKFLOW,
        _ => "none",
    };
    operation.path.replace("{name}", name).replace("{id}", "none")
}

async fn described(victim: &Victim) -> (Value, Vec<Operation>) {
    let document = victim.json(Request::new("GET", "/openapi.json")).await;
    let operations = operations(&document);
    assert!(operations.len() > 50, "{}", operations.len());
    (document, operations)
}

/// Each role in turn, and no key.
fn turn_of(number: usize) -> By<'static> {
    [By::Admin, By::Caller, By::Viewer, By::Runner, By::Nobody][number % 5]
}

#[tokio::test]
async fn no_address_and_no_header_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let (_, operations) = described(&victim).await;
    let (texts, headers) = (url_texts(), header_texts());
    let mut place = 0;
    for round in 0..rounds() {
        for operation in &operations {
            let whole = address(operation);
            for name in &operation.in_path {
                place += 1;
                for shape in turn(&texts, place, round, SHAPES_A_PLACE) {
                    let target = operation.path.replace(&format!("{{{name}}}"), &shape.text);
                    let request = Request::new(&operation.method, target);
                    let by = turn_of(place);
                    victim.attack(&format!("{name}: {}", shape.name), by, request).await;
                }
            }
            for name in &operation.in_query {
                place += 1;
                for shape in turn(&texts, place, round, SHAPES_A_PLACE) {
                    let request = Request::new(&operation.method, format!("{whole}?{name}={}", shape.text));
                    let by = turn_of(place);
                    victim.attack(&format!("{name}: {}", shape.name), by, request).await;
                }
            }
            for name in operation.in_header.iter().map(String::as_str).chain(["origin", "x-forwarded-for"]) {
                place += 1;
                for shape in turn(&headers, place, round, 1) {
                    let request = Request::new(&operation.method, &whole).header(name, &shape.text);
                    let by = turn_of(place);
                    victim.attack(&format!("{name}: {}", shape.name), by, request).await;
                }
            }
        }
        for shape in &headers {
            let request = Request::new("GET", "/runs").header("authorization", &shape.text);
            victim.attack(&format!("authorization: {}", shape.name), By::Nobody, request).await;
        }
    }
    victim.conclude().await;
}

#[tokio::test]
async fn no_body_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let (_, operations) = described(&victim).await;
    let texts = json_texts();
    for round in 0..rounds() {
        let with_bodies = operations.iter().filter(|operation| operation.body.is_some());
        for (place, operation) in with_bodies.enumerate() {
            for shape in turn(&texts, place, round, 2 * SHAPES_A_PLACE) {
                let request = Request::new(&operation.method, address(operation)).body(&shape.text);
                // Every second request uses an admin key, because most bodies would not be read
                // otherwise.
                let by = turn_of(if place % 2 == 0 { 0 } else { place + round });
                victim.attack(&shape.name, by, request).await;
            }
        }
    }
    victim.conclude().await;
}

/// Texts for a field: values of every kind, and the languages that some fields are written in.
fn for_fields() -> Vec<Shape> {
    let mut shapes = values();
    let named = |kind: &str, name: &str, text: String| Shape { name: format!("{kind}: {name}"), text };
    shapes.extend(
        templates().iter().step_by(9).map(|shape| named("template", &shape.name, quoted(&shape.text))),
    );
    shapes.extend(
        conditions().iter().step_by(9).map(|shape| named("condition", &shape.name, quoted(&shape.text))),
    );
    shapes.extend(schemas().into_iter().step_by(5).map(|shape| named("schema", &shape.name, shape.schema)));
    shapes
}

#[tokio::test]
async fn no_field_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let (document, operations) = described(&victim).await;
    let shapes = for_fields();
    let mut place = 0;
    for round in 0..rounds() {
        for operation in &operations {
            let Some(schema) = &operation.body else { continue };
            let body = sample(schema, &document);
            for field in fields(schema, &document, FIELD_DEPTH) {
                place += 1;
                for shape in turn(&shapes, place, round, 1) {
                    let body = with_field(&body, &field, &shape.text);
                    let request = Request::new(&operation.method, address(operation)).body(body);
                    let name = format!("{}: {}", field.join("."), shape.name);
                    victim.attack(&name, By::Admin, request).await;
                }
            }
        }
    }
    victim.conclude().await;
}

#[tokio::test]
async fn no_argument_of_a_tool_stops_the_coordinator() {
    let mut victim = Victim::start().await;
    let shapes = for_fields();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let listed = victim.json(Request::post("/mcp", list.to_string())).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.len() > 5, "{listed}");
    let mut place = 0;
    for round in 0..rounds() {
        for tool in tools {
            let schema = &tool["inputSchema"];
            let arguments = sample(schema, schema);
            let call = json!({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": tool["name"], "arguments": arguments},
            });
            let within = ["params", "arguments"].map(str::to_owned).to_vec();
            let arguments = fields(schema, schema, FIELD_DEPTH).into_iter();
            let arguments = arguments.map(|field| [within.clone(), field].concat());
            let outer = [vec!["method"], vec!["id"], vec!["params"], vec!["params", "name"]];
            let outer = outer.map(|path| path.into_iter().map(str::to_owned).collect::<Vec<_>>());
            for field in arguments.chain(outer) {
                place += 1;
                for shape in turn(&shapes, place, round, SHAPES_A_PLACE) {
                    let request = Request::post("/mcp", with_field(&call, &field, &shape.text));
                    let name = format!("{} {}: {}", tool["name"], field.join("."), shape.name);
                    victim.attack(&name, By::Caller, request).await;
                }
            }
        }
    }
    victim.conclude().await;
}
