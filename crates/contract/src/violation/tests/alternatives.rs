//! Alternatives (`anyOf`, `oneOf`): only the intended one is explained.

use accord_json::Meter;
use serde_json::{Value, json};

use super::lines;

fn shapes(keyword: &str) -> Value {
    json!({
        "definitions": {
            "circle": {
                "type": "object", "required": ["kind", "radius"],
                "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}
            },
            "square": {
                "type": "object", "required": ["kind", "side"],
                "properties": {"kind": {"enum": ["square"]}, "side": {"type": "number"}}
            }
        },
        keyword: [{"$ref": "#/definitions/circle"}, {"$ref": "#/definitions/square"}]
    })
}

#[test]
fn the_tag_selects_the_alternative() {
    for keyword in ["anyOf", "oneOf"] {
        assert_eq!(
            lines(&shapes(keyword), &json!({"kind": "square", "radius": 3})),
            ["$: missing required property 'side'"]
        );
    }
}

#[test]
fn an_unknown_tag_is_reported_at_the_tag() {
    assert_eq!(
        lines(&shapes("oneOf"), &json!({"kind": "sqare", "side": 3})),
        ["$.kind: expected one of \"circle\", \"square\"; got \"sqare\""]
    );
}

#[test]
fn a_missing_tag_is_reported_with_its_options() {
    assert_eq!(
        lines(&shapes("oneOf"), &json!({"side": 3})),
        ["$: missing required property 'kind'; expected one of \"circle\", \"square\""]
    );
}

#[test]
fn types_of_all_alternatives_are_one_list() {
    let schema = json!({"anyOf": [{"type": "string"}, {"type": ["null", "boolean"]}]});
    assert_eq!(lines(&schema, &json!(5)), ["$: expected string, null or boolean; got integer 5"]);
}

#[test]
fn options_of_all_alternatives_are_one_list() {
    let schema = json!({"oneOf": [{"const": "a"}, {"enum": ["b", "c"]}, {"type": "null"}]});
    assert_eq!(lines(&schema, &json!("x")), ["$: expected one of \"a\", \"b\", \"c\"; got \"x\""]);
}

#[test]
fn the_type_of_the_value_decides_before_the_count_of_errors() {
    let schema = json!({"anyOf": [
        {"type": "null"},
        {"type": "object", "required": ["a", "b", "c"], "properties": {"a": {"type": "integer"}}}
    ]});
    assert_eq!(
        lines(&schema, &json!({"a": "x", "b": 1, "c": 2})),
        ["$.a: expected integer, got string \"x\""]
    );
}

#[test]
fn without_a_tag_the_closest_is_explained_and_named() {
    let schema = json!({"anyOf": [
        {"title": "Person", "required": ["name", "born"], "properties": {"name": {}, "born": {}}},
        {"title": "Company", "required": ["vat"], "properties": {"vat": {}}}
    ]});
    assert_eq!(
        lines(&schema, &json!({"name": "Ada"})),
        ["$: missing required property 'born' (assuming alternative 'Person', the closest of 2)"]
    );
}

#[test]
fn nested_alternatives_are_followed_to_the_error() {
    let schema = json!({"anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "object", "required": ["id"]}]}}
    ]});
    assert_eq!(lines(&schema, &json!([1, {"x": 1}])), ["$[1]: missing required property 'id'"]);
}

#[test]
fn two_matching_alternatives_are_both_named() {
    let schema = json!({"oneOf": [{"title": "Small", "maximum": 10}, {"type": "string"}, {"minimum": 5}]});
    assert_eq!(
        lines(&schema, &json!(7)),
        ["$: exactly one of 3 alternatives must match, but 'Small' and number 3 do"]
    );
}

#[test]
fn an_alternative_without_errors_is_not_blamed() {
    let schema = json!({"oneOf": []});
    assert!(crate::Schema::compile(&schema, &Meter::default()).is_err());
    let schema = json!({"anyOf": [false, false]});
    assert_eq!(lines(&schema, &json!(1)), ["$: 1 is not allowed here; remove it"]);
}
