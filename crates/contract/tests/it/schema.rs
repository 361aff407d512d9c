//! Unusable schemas are rejected with the location and the remedy.

use accord_contract::Meter;
use accord_contract::{Dialect, Schema, SchemaError};
use serde_json::{Value, json};

fn refusal(document: &Value) -> SchemaError {
    Schema::compile(document, &Meter::default()).expect_err("the schema is refused")
}

#[track_caller]
fn refused(document: Value, path: &str, part: &str) {
    let error = refusal(&document);
    assert_eq!(error.path, path, "{error}");
    assert!(error.message.contains(part), "{error}");
}

#[test]
fn each_error_has_its_location() {
    refused(json!([1]), "$", "expected a schema (object or boolean), got an array");
    refused(json!("x"), "$", "got a string");
    refused(
        json!({"properties": {"a": {"$ref": "#/definitions/b"}}}),
        "$.properties.a[\"$ref\"]",
        "unresolved reference",
    );
    refused(json!({"$ref": "http://example.org/x"}), "$[\"$ref\"]", "remote schemas are not fetched");
    refused(json!({"$ref": "#"}), "$", "leads back here");
    refused(
        json!({"properties": {"a": {"$ref": "#x"}}, "$defs": {"x": {"$anchor": "x"}}}),
        "$",
        "draft-07 has no '$anchor'; name a later dialect",
    );
    refused(
        json!({"properties": {"a": {"pattern": "("}}}),
        "$.properties.a.pattern",
        "not a valid regular expression",
    );
    refused(json!({"properties": {"a": {"pattern": "(?=x)"}}}), "$.properties.a.pattern", "look-around");
    refused(json!({"items": {"pattern": "("}}), "$.items.pattern", "not a valid regular expression");
    refused(json!({"properties": {"a": {"type": "strin"}}}), "$.properties.a.type", "unknown type");
    refused(json!({"format": "emial"}), "$.format", "unknown format");
    refused(json!({"$schema": "http://example.org/own"}), "$[\"$schema\"]", "not supported");
    refused(json!({"minimum": "x"}), "$.minimum", "number");
}

#[test]
fn cycles_through_other_schemas_are_found() {
    refused(
        json!({"allOf": [{"$ref": "#/definitions/a"}], "definitions": {"a": {"anyOf": [{"$ref": "#/definitions/b"}]},
            "b": {"not": {"$ref": "#/definitions/a"}}}}),
        "$.definitions.a",
        "leads back here",
    );
    let tree =
        json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}});
    assert!(Schema::compile(&tree, &Meter::default()).is_ok(), "going into an item is no circle");
}

#[test]
fn references_that_multiply_or_never_end_are_rejected() {
    let doubling = |levels: usize| {
        let mut definitions = serde_json::Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
            definitions.insert(format!("d{level}"), json!({"anyOf": [next.clone(), next]}));
        }
        definitions.insert(format!("d{levels}"), json!({"type": "string"}));
        json!({"$ref": "#/definitions/d0", "definitions": definitions})
    };
    assert!(Schema::compile(&doubling(8), &Meter::default()).is_ok());
    assert!(refusal(&doubling(40)).message.contains("one value is tested here against more than"));
    let chain = |links: usize| {
        let definitions: serde_json::Map<String, Value> = (0..links)
            .map(|link| (format!("d{link}"), json!({"$ref": format!("#/definitions/d{}", link + 1)})))
            .chain([(format!("d{links}"), json!(true))])
            .collect();
        json!({"$ref": "#/definitions/d0", "definitions": definitions})
    };
    assert!(
        Schema::compile(&chain(200), &Meter::default())
            .is_ok_and(|schema| schema.accepts(&json!(1), &Meter::default()))
    );
    assert!(refusal(&chain(5_000)).message.contains("references"));
}

#[test]
fn limits_hold() {
    let mut deep = json!({});
    for _ in 0..1_000 {
        deep = json!({"items": deep});
    }
    assert!(refusal(&deep).message.contains("nested deeper"));
    assert!(refusal(&json!({"enum": ["x".repeat(1024 * 1024)]})).message.contains("the limit is"));
}

#[test]
fn the_default_dialect_is_draft_07() {
    let dialect =
        |document: Value| Schema::compile(&document, &Meter::default()).map(|schema| schema.dialect());
    assert_eq!(dialect(json!({})), Ok(Dialect::Draft7));
    assert_eq!(
        dialect(json!({"$schema": "https://json-schema.org/draft/2020-12/schema"})),
        Ok(Dialect::Draft202012)
    );
    assert_eq!(
        dialect(json!({"$schema": "https://json-schema.org/draft/2019-09/schema#"})),
        Ok(Dialect::Draft201909)
    );
}

#[test]
fn keywords_of_later_drafts_need_a_dialect() {
    const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";
    for (name, demand) in [
        ("prefixItems", json!([{"type": "integer"}])),
        ("unevaluatedItems", json!(false)),
        ("unevaluatedProperties", json!(false)),
        ("dependentRequired", json!({"a": ["b"]})),
        ("dependentSchemas", json!({"a": {"required": ["b"]}})),
        ("minContains", json!(2)),
        ("maxContains", json!(2)),
    ] {
        let path = format!("$.properties.p.{name}");
        refused(json!({"properties": {"p": {name: demand.clone()}}}), &path, LATEST);
        for dialect in [LATEST, "http://json-schema.org/draft-07/schema#"] {
            let document = json!({"$schema": dialect, "properties": {"p": {name: demand.clone()}}});
            assert!(Schema::compile(&document, &Meter::default()).is_ok(), "{document}");
        }
    }
    refused(json!({"items": {"$dynamicRef": "#x"}}), "$.items[\"$dynamicRef\"]", "add \"$schema\"");
    refused(json!({"definitions": {"d": {"prefixItems": []}}}), "$.definitions.d.prefixItems", "draft-07");
    for document in [
        json!({"properties": {"prefixItems": {"const": {"minContains": 1}}}, "$defs": {"dependentRequired": {}}}),
        json!({"enum": [{"prefixItems": []}], "default": {"prefixItems": []}, "examples": [{"prefixItems": []}]}),
        json!({"items": {"$schema": LATEST, "$id": "http://x/y", "prefixItems": [true]}}),
        json!({"$ref": "#/definitions/d", "minimum": 5, "definitions": {"d": {}}}),
    ] {
        assert!(Schema::compile(&document, &Meter::default()).is_ok(), "{document}");
    }
}

#[test]
fn formats_are_asserted_including_later_ones_in_draft_07() {
    for (format, good, bad) in [
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123"),
        ("duration", "P1DT2H", "1 day"),
        ("date", "2026-11-15", "15.11.2026"),
        ("email", "a@example.org", "a at example"),
    ] {
        let schema =
            Schema::compile(&json!({"format": format}), &Meter::default()).expect("the format is known");
        assert!(
            schema.accepts(&json!(good), &Meter::default())
                && !schema.accepts(&json!(bad), &Meter::default()),
            "{format}"
        );
    }
    assert!(
        Schema::compile(&json!({"type": "integer", "format": "int64"}), &Meter::default()).is_ok(),
        "an annotation"
    );
}

#[test]
fn the_hash_identifies_the_document() {
    let hash = |document: Value| {
        Schema::compile(&document, &Meter::default()).map(|schema| schema.hash().to_owned())
    };
    assert_eq!(hash(json!({"type": "object"})), hash(json!({"type": "object"})));
    assert_ne!(hash(json!({"type": "object"})), hash(json!({"type": "array"})));
}

#[test]
fn cycles_through_dynamic_references_are_found() {
    const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";
    const EARLIER: &str = "https://json-schema.org/draft/2019-09/schema";
    for (document, path) in [
        (
            json!({"$schema": LATEST, "$dynamicAnchor": "x", "anyOf": [{"type": "string"}, {"$dynamicRef": "#x"}]}),
            "$",
        ),
        (json!({"$schema": EARLIER, "anyOf": [{"type": "string"}, {"$recursiveRef": "#"}]}), "$"),
        (
            json!({"$schema": LATEST, "$id": "http://x/root", "$dynamicAnchor": "x", "$ref": "list", "$defs": {"list":
                {"$id": "list", "anyOf": [{"$dynamicRef": "#x"}], "$defs": {"x": {"$dynamicAnchor": "x"}}}}}),
            "$",
        ),
    ] {
        refused(document, path, "leads back here");
    }
    for tree in [
        json!({"$schema": LATEST, "$dynamicAnchor": "node", "properties": {"children":
            {"type": "array", "items": {"$dynamicRef": "#node"}}}}),
        json!({"$schema": EARLIER, "$recursiveAnchor": true, "properties": {"left": {"$recursiveRef": "#"}}}),
        json!({"$schema": LATEST, "$ref": LATEST}),
        json!({"$schema": EARLIER, "properties": {"schema": {"$ref": EARLIER}}}),
    ] {
        assert!(Schema::compile(&tree, &Meter::default()).is_ok(), "{tree}");
    }
}

#[test]
fn reserved_keys_are_rejected() {
    for name in ["$serde_json::private::Number", "$serde_json::private::RawValue"] {
        refused(json!({"properties": {name: {}}}), "$.properties", name);
        refused(json!({"items": [{"const": {"a": 1, name: "1"}}]}), "$.items[0].const", name);
    }
    assert!(
        Schema::compile(&json!({"properties": {"$serde_json": {}, "private": {}}}), &Meter::default())
            .is_ok()
    );
}
