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
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"a": {"$ref": "#x"}}, "$defs": {"x": {"$anchor": "x"}},
        }),
        "$",
        "draft-07 has no '$anchor'; use a later dialect",
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
fn the_default_dialect_is_2020_12() {
    let dialect =
        |document: Value| Schema::compile(&document, &Meter::default()).map(|schema| schema.dialect());
    assert_eq!(dialect(json!({})), Ok(Dialect::Draft202012));
    assert_eq!(dialect(json!({"$schema": "http://json-schema.org/draft-07/schema#"})), Ok(Dialect::Draft7));
    assert_eq!(
        dialect(json!({"$schema": "https://json-schema.org/draft/2019-09/schema#"})),
        Ok(Dialect::Draft201909)
    );
}

/// What Pydantic, zod and the MCP SDKs write without a `$schema`, and what older generators write.
#[test]
fn a_dialect_that_is_not_named_shows_in_the_keywords() {
    let pair = |first: &str, rest: &str| json!({"type": "array", first: [{"type": "integer"}, {"type": "string"}], rest: false, "minItems": 2});
    let pydantic = json!({
        "type": "object", "title": "Point", "required": ["at"],
        "properties": {"at": {
            "type": "array", "maxItems": 2, "minItems": 2, "prefixItems": [{"type": "integer"}, {"type": "string"}],
        }},
    });
    let zod_draft_7 = json!({"type": "object", "properties": {"at": pair("items", "additionalItems")}});
    let mcp = json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/A", "description": "x"}},
        "$defs": {"A": {"enum": ["x"]}}, "unevaluatedProperties": false,
    });
    let dependent = json!({"type": "object", "dependencies": {"a": ["b"]}});
    let anchored = json!({"items": {"$ref": "#x"}, "definitions": {"x": {"$id": "#x", "type": "string"}}});
    let cases = [
        (pydantic, Dialect::Draft202012, json!({"at": [1, "a"]}), json!({"at": ["a", 1]})),
        (pair("prefixItems", "items"), Dialect::Draft202012, json!([1, "a"]), json!([1, "a", 2])),
        (mcp, Dialect::Draft202012, json!({"a": "x"}), json!({"b": 1})),
        (zod_draft_7, Dialect::Draft7, json!({"at": [1, "a"]}), json!({"at": [1, "a", 2]})),
        (dependent, Dialect::Draft7, json!({"b": 1}), json!({"a": 1})),
        (anchored, Dialect::Draft7, json!(["a"]), json!([1])),
        (
            json!({"$ref": "#/definitions/n", "minimum": 5, "definitions": {"n": {"type": "integer"}}}),
            Dialect::Draft202012,
            json!(5),
            json!(1),
        ),
    ];
    for (document, dialect, good, bad) in cases {
        let meter = Meter::default();
        let schema = Schema::compile(&document, &meter).unwrap();
        assert_eq!(schema.dialect(), dialect, "{document}");
        assert!(schema.accepts(&good, &meter) && !schema.accepts(&bad, &meter), "{document}");
    }
}

#[test]
fn keywords_of_two_dialects_need_a_name() {
    const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";
    let tuple = json!([{"type": "integer"}]);
    let mixed = json!({"properties": {"old": {"items": tuple}, "new": {"prefixItems": tuple}}});
    refused(mixed.clone(), "$.properties.new.prefixItems", "a list in 'items' is draft-07");
    refused(
        json!({"dependencies": {"a": ["b"]}, "unevaluatedProperties": false}),
        "$.unevaluatedProperties",
        "'dependencies' is draft-07",
    );
    for document in [
        json!({"properties": {"prefixItems": {"const": {"minContains": 1}}, "b": {"items": tuple}}}),
        json!({"enum": [{"prefixItems": []}], "default": {"items": []}, "examples": [{"prefixItems": []}]}),
        json!({"items": {"$schema": LATEST, "$id": "http://x/y", "prefixItems": [true]}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": mixed["properties"]}),
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
