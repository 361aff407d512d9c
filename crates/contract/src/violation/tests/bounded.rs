//! However large the answer and however hostile the schema, the work and the report stay small.

use accord_json::Meter;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{lines, violations};
use crate::limits::{MAX_DEPTH, MAX_ERRORS};

#[test]
fn a_hundred_thousand_errors_are_counted_not_listed() {
    let schema = json!({"properties": {
        "list": {"items": {"type": "integer"}},
        "name": {"type": "string"}
    }});
    let found = violations(&schema, &json!({"list": vec!["x"; 100_000], "name": 1}));
    assert_eq!(found.errors.len(), MAX_ERRORS);
    assert!(found.more >= 50_000, "{}", found.more);
}

#[test]
fn a_few_errors_of_each_kind_are_listed() {
    let schema = json!({"properties": {
        "list": {"items": {"type": "integer"}},
        "name": {"type": "string"}
    }});
    let found = violations(&schema, &json!({"list": vec!["x"; 50], "name": 1}));
    let paths: Vec<&str> = found.errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!((paths.first(), paths.last()), (Some(&"$.list[0]"), Some(&"$.name")));
    assert_eq!((found.errors.len(), found.more), (MAX_ERRORS, 31));
}

#[test]
fn duplicate_messages_are_reported_once() {
    let schema = json!({"allOf": [{"required": ["a"]}, {"required": ["a"]}]});
    assert_eq!(lines(&schema, &json!({})), ["$: missing required property 'a'"]);
}

/// Each level has three alternatives that all lead to the next level: 3^60 paths to the error.
#[test]
fn nested_alternatives_cost_their_sum() {
    let schema = json!({
        "definitions": {"tree": {"anyOf": [
            {"type": "object", "required": ["op", "in"], "properties": {"op": {"type": "string"}, "in": {"$ref": "#/definitions/tree"}}},
            {"type": "object", "required": ["in"], "properties": {"in": {"$ref": "#/definitions/tree"}}},
            {"type": "object", "required": ["in", "x"], "properties": {"in": {"$ref": "#/definitions/tree"}}},
            {"type": "integer"}
        ]}},
        "$ref": "#/definitions/tree"
    });
    let value = (0..60).fold(json!("leaf"), |inner, _| json!({"in": inner}));
    let expected = format!("${}: expected object or integer, got string \"leaf\"", ".in".repeat(60));
    assert_eq!(lines(&schema, &value), [expected]);
}

/// The same failing schema twice at each level: 2^100 copies of one error.
#[test]
fn repeated_references_are_followed_once() {
    let schema = json!({
        "definitions": {"list": {"allOf": [
            {"properties": {"in": {"$ref": "#/definitions/list"}}},
            {"properties": {"in": {"$ref": "#/definitions/list"}, "end": {"const": 1}}}
        ]}},
        "$ref": "#/definitions/list"
    });
    let value = (0..100).fold(json!({"end": 2}), |inner, _| json!({"in": inner}));
    let expected = format!("${}.end: expected 1, got 2", ".in".repeat(100));
    assert_eq!(lines(&schema, &value), [expected]);
}

#[test]
fn the_deepest_answer_fits_a_small_stack() {
    let schema = json!({
        "definitions": {
            "a": {"allOf": [{"$ref": "#/definitions/b"}]},
            "b": {"properties": {"in": {"$ref": "#/definitions/a"}}, "items": {"$ref": "#/definitions/a"}, "not": {"const": 1}}
        },
        "$ref": "#/definitions/a"
    });
    let value = (0..MAX_DEPTH - 1)
        .fold(json!(1), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({"in": inner}) });
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let found = small.spawn(move || violations(&schema, &value)).unwrap().join().unwrap();
    assert_eq!(found.errors.iter().map(|error| error.keyword.as_str()).collect::<Vec<_>>(), ["not"]);
}

/// With this many schemas between two levels of the answer, the walk stops before the error.
#[test]
fn the_walk_stops_before_a_small_stack_overflows() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "a": {"anyOf": [{"allOf": [{"oneOf": [{"$ref": "#/$defs/b"}]}]}]},
            "b": {"if": {"not": {"$ref": "#/$defs/c"}}, "then": false, "unevaluatedProperties": false},
            "c": {"properties": {"in": {"$ref": "#/$defs/a"}}, "type": "object"}
        },
        "$ref": "#/$defs/a"
    });
    let value = (0..MAX_DEPTH - 1).fold(json!(1), |inner, _| json!({"in": inner}));
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let found = small.spawn(move || violations(&schema, &value)).unwrap().join().unwrap();
    assert_ne!(found.errors, []);
}

#[test]
fn a_long_chain_of_references_gets_a_verdict() {
    let mut definitions = serde_json::Map::new();
    for index in 0..200 {
        definitions.insert(format!("d{index}"), json!({"$ref": format!("#/definitions/d{}", index + 1)}));
    }
    definitions.insert("d200".to_owned(), json!({"type": "string"}));
    let schema = json!({"definitions": definitions, "$ref": "#/definitions/d0"});
    let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    let found = small.spawn(move || violations(&schema, &json!(1))).unwrap().join().unwrap();
    assert_eq!(found.errors.len(), 1);
}

#[test]
fn a_dynamic_reference_falls_back_to_the_validators_message() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/strings",
        "$ref": "list",
        "$defs": {
            "element": {"$dynamicAnchor": "element", "type": "string"},
            "list": {
                "$id": "list", "type": "array", "items": {"$dynamicRef": "#element"},
                "$defs": {"element": {"$dynamicAnchor": "element"}}
            }
        }
    });
    let found = violations(&schema, &json!(["a", 5]));
    let expected = [("$[1]", "expected string, got integer 5")];
    assert_eq!(
        found.errors.iter().map(|e| (e.path.as_str(), e.message.as_str())).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn a_part_in_another_dialect_falls_back_to_the_validators_message() {
    let schema = json!({"properties": {"a": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "http://x/y",
        "prefixItems": [{"type": "integer"}]
    }}});
    let found = violations(&schema, &json!({"a": ["x"]}));
    let told: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["$.a[0]: expected integer, got string \"x\""]);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..12).prop_map(Value::from),
        "[a-c]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-c]", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Schemas over the same few names, so that values often nearly conform.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"])
            .prop_map(|name| json!({"type": name})),
        any_value().prop_map(|value| json!({"const": value})),
        (0i64..9).prop_map(|limit| json!({"minimum": limit, "minLength": limit % 3, "maxItems": limit})),
        prop::sample::select(vec!["a", "b"]).prop_map(|name| json!({"required": [name]})),
        Just(json!({"pattern": "^a", "uniqueItems": true})),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4);
        prop_oneof![
            list.clone().prop_map(|parts| json!({"allOf": parts})),
            list.clone().prop_map(|parts| json!({"anyOf": parts})),
            list.clone().prop_map(|parts| json!({"oneOf": parts})),
            list.prop_map(|parts| json!({"items": parts, "additionalItems": false})),
            inner.clone().prop_map(|schema| json!({"not": schema})),
            inner.clone().prop_map(|schema| json!({"items": schema})),
            inner.clone().prop_map(|schema| json!({"contains": schema})),
            inner.clone().prop_map(|schema| json!({"propertyNames": schema})),
            (inner.clone(), inner.clone())
                .prop_map(|(a, rest)| json!({"properties": {"a": a}, "additionalProperties": rest})),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| json!({"patternProperties": {"^[ab]": a}, "dependencies": {"a": b}})),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| json!({"if": a, "then": b, "else": c})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// The walk and the validator agree: the walk finds an error if and only if the validator
    /// rejects the value.
    #[test]
    fn the_walk_agrees_with_the_validator(schema in any_schema(), value in any_value()) {
        let schema = crate::Schema::compile(&schema, &Meter::default()).unwrap();
        let found = super::super::explain::explain(&schema, &value);
        prop_assert_eq!(found.kept.is_empty(), schema.is_valid(&value), "{:?}", found);
    }
}
