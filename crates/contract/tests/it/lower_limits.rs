//! Schemas that would grow exponentially: each is lowered, lifted and linted with bounded work.

use accord_contract::Meter;
use accord_contract::Schema;
use accord_contract::limits::MAX_LOWERED_PARTS;
use accord_contract::lint::lint;
use accord_contract::lower::{Profile, lower};
use serde_json::{Map, Value, json};

/// A part is a schema or a property: at most a few JSON values each.
const MAX_VALUES: usize = 8 * MAX_LOWERED_PARTS;

fn values(document: &Value) -> usize {
    1 + match document {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(members) => members.values().map(values).sum(),
        _ => 0,
    }
}

/// Lowering, lifting and linting neither multiply a schema nor fail.
fn assert_bounded(document: &Value) {
    let schema = Schema::compile(document, &Meter::default()).unwrap();
    for profile in Profile::all() {
        let lowered = lower(&schema, profile, &Meter::default()).unwrap();
        let count = values(&lowered.schema);
        assert!(count <= MAX_VALUES, "{}: {count} values", profile.name);
        // An error is fine here, as long as lifting returns.
        lowered.lift.lift(json!({"value": {"a": null}}), &Meter::default()).ok();
    }
    assert!(lint(&schema, &Meter::default()).len() <= MAX_VALUES);
}

fn reference(index: usize) -> Value {
    json!({"$ref": format!("#/definitions/d{index}")})
}

/// Definitions, each made from the number of the next.
fn chain(length: usize, link: impl Fn(usize) -> Value, last: Value) -> Value {
    let mut definitions: Map<String, Value> =
        (0..length).map(|index| (format!("d{index}"), link(index + 1))).collect();
    definitions.insert(format!("d{length}"), last);
    json!({"allOf": [reference(0)], "definitions": definitions})
}

#[test]
fn a_long_chain_of_references() {
    let link = |next| json!({"type": "object", "properties": {"a": reference(next)}});
    assert_bounded(&chain(2_000, link, json!({"type": "string"})));
}

#[test]
fn a_chain_that_doubles_with_each_link() {
    let link = |next| json!({"type": "object", "properties": {"a": reference(next), "b": reference(next)}});
    assert_bounded(&chain(40, link, json!({"type": "string"})));
}

#[test]
fn a_chain_of_unions() {
    let link = |next| json!({"anyOf": [reference(next), {"type": "null"}]});
    assert_bounded(&chain(200, link, json!({"type": "object", "additionalProperties": {"type": "string"}})));
}

#[test]
fn a_circle_of_merged_parts() {
    let link = |next: usize| json!({"allOf": [reference((next + 1) % 12), {"type": "object", "properties": {"a": reference(next % 12)}}]});
    let mut document = chain(11, link, json!({"type": "object", "properties": {"a": reference(0)}}));
    document["definitions"]["d10"] = json!({"type": "object", "properties": {"a": reference(3)}});
    assert_bounded(&document);
}

#[test]
fn unions_side_by_side() {
    let branches = |name: &str| -> Value {
        (0..8).map(|index| json!({"properties": {(name): {"const": index}}, "required": [name]})).collect()
    };
    let parts: Value = (0..12).map(|index| json!({"anyOf": branches(&format!("p{index}"))})).collect();
    assert_bounded(&json!({"type": "object", "allOf": parts}));
}

#[test]
fn a_union_of_many_branches_next_to_many_properties() {
    let properties: Map<String, Value> =
        (0..300).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
    let branches: Value =
        (0..300).map(|index| json!({"properties": {(format!("q{index}")): {"type": "object"}}})).collect();
    assert_bounded(&json!({"type": "object", "properties": properties, "oneOf": branches}));
}

#[test]
fn many_properties_and_many_patterns() {
    let properties: Map<String, Value> =
        (0..4_000).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
    let patterns: Map<String, Value> =
        (0..400).map(|index| (format!("^x{index}$"), json!({"type": "string"}))).collect();
    assert_bounded(&json!({"type": "object", "properties": properties, "patternProperties": patterns}));
}

#[test]
fn a_very_large_enum() {
    let values: Vec<Value> = (0..100_000).map(Value::from).collect();
    assert_bounded(&json!({"type": "object", "properties": {"a": {"enum": values}}}));
}

#[test]
fn deep_nesting() {
    let mut document = json!({"type": "string"});
    for _ in 0..60 {
        document = json!({"type": "object", "additionalProperties": document});
    }
    assert_bounded(&document);
    let mut document = json!({"type": "string"});
    for _ in 0..60 {
        document = json!({"anyOf": [document, {"type": "null"}]});
    }
    assert_bounded(&document);
}

#[test]
fn values_that_look_like_schemas() {
    assert_bounded(&json!({
        "type": "object",
        "properties": {"$ref": {"type": "string"}, "properties": {"enum": [{"$ref": "#/nowhere"}]}},
        "default": {"$ref": "#/nowhere"},
    }));
    assert_bounded(&json!({"$ref": "http://json-schema.org/draft-07/schema#"}));
}
