use accord_json::Meter;
use serde_json::{Value, json};

use super::*;

fn changes(old: &Value, new: &Value) -> Vec<String> {
    let line = |change: SchemaChange| format!("{}: {}", change.path, change.change);
    schema_changes(old, new, &Meter::default()).unwrap().into_iter().map(line).collect()
}

#[test]
fn properties_are_named_by_path() {
    let old = json!({
        "type": "object",
        "required": ["id", "lines"],
        "properties": {
            "id": {"type": "integer"},
            "a b": {"type": "string"},
            "note": {"type": "string"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}},
        },
    });
    let new = json!({
        "type": "object",
        "required": ["id", "note", "due"],
        "properties": {
            "id": {"type": "string"},
            "note": {"type": "string"},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number", "minimum": 0}}}},
            "due": {"type": "string"},
            "tag": {"type": "string"},
        },
    });
    let mut found = changes(&old, &new);
    found.sort();
    let expected = [
        r#"$.due: added, required"#,
        r#"$.id: type: "integer" → "string""#,
        r#"$.lines: now optional"#,
        r#"$.lines[*].price: minimum: none → 0"#,
        r#"$.note: now required"#,
        r#"$.tag: added, optional"#,
        r#"$["a b"]: removed"#,
    ];
    assert_eq!(found, expected);
}

#[test]
fn annotations_and_order_are_no_changes() {
    let old = json!({"type": "object", "properties": {"a": {"type": "string", "description": "old"}}});
    let new = json!({"properties": {"a": {"description": "new", "type": "string"}}, "type": "object"});
    assert_eq!(changes(&old, &new), Vec::<String>::new());
}

#[test]
fn enums_name_the_values() {
    let (old, new) = (json!({"enum": ["low", "high"]}), json!({"enum": ["low", "urgent"]}));
    assert_eq!(changes(&old, &new), [r#"$: enum: removed "high"; added "urgent""#]);
}

#[test]
fn references_are_followed() {
    let schema = |kind: &str| {
        json!({
            "$defs": {"node": {"type": "object", "properties": {
                "value": {"type": kind}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            }}},
            "properties": {"tree": {"$ref": "#/$defs/node"}},
        })
    };
    assert_eq!(
        changes(&schema("integer"), &schema("string")),
        [r#"$.tree.value: type: "integer" → "string""#]
    );
    // The same schema, written in place: the value of a caller has the same form.
    let inlined = json!({"properties": {"id": {"type": "string"}, "name": {"type": "string"}}});
    let referenced = json!({
        "$defs": {"id": {"type": "string"}},
        "properties": {"id": {"$ref": "#/$defs/id"}, "name": {"type": "integer"}},
    });
    assert_eq!(changes(&inlined, &referenced), [r#"$.name: type: "string" → "integer""#]);
}

#[test]
fn alternatives_and_positions_are_compared() {
    let old = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert_eq!(changes(&old, &json!({"anyOf": [{"type": "string"}]})), ["$: anyOf: 2 → 1 schemas"]);
    let new = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    assert_eq!(changes(&old, &new), [r#"$: type: "string" → "integer""#]);
    let (old, new) = (json!({"prefixItems": [true, true]}), json!({"prefixItems": [{"type": "null"}]}));
    assert_eq!(changes(&old, &new), [r#"$[0]: true → {"type":"null"}"#, "$[1]: removed"]);
}

#[test]
fn the_order_of_values_and_names_is_no_change() {
    for (old, new) in [
        (json!({"enum": [1, 2]}), json!({"enum": [2, 1]})),
        (
            json!({"properties": {"a": {"enum": ["x", "y"]}}}),
            json!({"properties": {"a": {"enum": ["y", "x"]}}}),
        ),
        (json!({"type": ["string", "null"]}), json!({"type": ["null", "string"]})),
        (json!({"required": ["a", "b"]}), json!({"required": ["b", "a"]})),
    ] {
        assert!(changes(&old, &new).is_empty(), "{old} {new}");
    }
}

#[test]
fn a_different_schema_has_a_change() {
    let unused = |kind: &str| json!({"type": "string", "$defs": {"a": {"type": kind}}});
    let others = [
        (unused("null"), unused("string")),
        (json!({"enum": [1, 2]}), json!({"enum": [2, 3]})),
        (json!({"required": ["a"]}), json!({"required": ["a", "a"]})),
        (json!({"$ref": "#"}), json!({"$ref": "#", "$defs": {}})),
        (json!({"not": {"type": "null"}}), json!({"not": {"type": "string"}})),
        (json!(true), json!({})),
    ];
    for (old, new) in others {
        assert_eq!(changes(&old, &new).len(), 1, "{old} {new}");
    }
}

#[test]
fn long_lists_and_values_are_cut() {
    let object = |kind: &str| {
        let properties: Map<_, _> =
            (0..80).map(|number| (format!("p{number}"), json!({"type": kind}))).collect();
        json!({"properties": properties})
    };
    assert_eq!(changes(&object("string"), &object("integer")).len(), MOST_CHANGES);
    let found = changes(&json!({"pattern": "a".repeat(500)}), &json!({}));
    assert_eq!(found, [format!("$: pattern: \"{}… → none", "a".repeat(SHOWN_CHARACTERS - 1))]);
}
