//! One test per row of the table: the lowered form, and that lifting restores the value.

use accord_json::Meter;
use serde_json::{Value, json};

use super::*;

fn lowered(document: Value, profile: &str) -> Lowered {
    lower(
        &Schema::compile(&document, &Meter::default()).unwrap(),
        Profile::named(profile).unwrap(),
        &Meter::default(),
    )
    .unwrap()
}

fn lift(lowered: &Lowered, answer: Value) -> Value {
    lowered.lift.lift(answer, &Meter::default()).unwrap()
}

fn keywords(lowered: &Lowered) -> Vec<(&str, &str, EnforcedBy)> {
    lowered
        .losses
        .iter()
        .map(|loss| (loss.pointer.as_str(), loss.keyword.as_str(), loss.enforced_by))
        .collect()
}

#[test]
fn a_root_that_is_not_an_object_is_wrapped() {
    let lowered = lowered(json!({"type": "array", "items": {"type": "string"}}), "openai");
    assert_eq!(
        lowered.schema,
        json!({
            "type": "object",
            "properties": {"value": {"type": "array", "items": {"type": "string"}}},
            "required": ["value"],
            "additionalProperties": false,
        })
    );
    assert_eq!(lift(&lowered, json!({"value": ["a"]})), json!(["a"]));
    assert_eq!(lift(&lowered, json!(["a"])), json!(["a"]));
}

#[test]
fn an_object_like_a_wrapper_with_another_type_is_kept() {
    let map = lowered(json!({"type": "object"}), "openai");
    assert_eq!(lift(&map, json!({"value": [{"key": "a", "value": "1"}]})), json!({"a": 1}));
    for own in [json!({"value": {"a": 1}}), json!({"value": "x"}), json!({"value": null})] {
        assert_eq!(lift(&map, own.clone()), own);
    }
}

#[test]
fn an_optional_property_is_null_if_all_are_required() {
    let source = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["b"]});
    let openai = lowered(source.clone(), "openai");
    assert_eq!(openai.schema["properties"]["a"], json!({"type": ["string", "null"]}));
    assert_eq!(openai.schema["required"], json!(["a", "b"]));
    assert_eq!(lift(&openai, json!({"a": null, "b": null})), json!({"b": null}));
    let anthropic = lowered(source, "anthropic");
    assert_eq!(anthropic.schema["required"], json!(["b"]));
    assert!(anthropic.lift.is_identity());
}

#[test]
fn null_and_absent_stay_distinct_if_both_are_allowed() {
    let lowered =
        lowered(json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}), "openai");
    for value in [json!({}), json!({"a": null}), json!({"a": "absent"})] {
        assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
    }
    assert_eq!(lift(&lowered, json!({"a": {"absent": true}})), json!({}));
}

#[test]
fn a_map_is_a_list_of_pairs_and_repeated_keys_are_an_error() {
    let source = json!({"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}});
    let lowered = lowered(source, "anthropic");
    let value = json!({"": {"key": 1, "value": 2}, "b": {}});
    assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
    let twice = json!({"value": [{"key": "a", "value": []}, {"key": "a", "value": []}]});
    let error = lowered.lift.lift(twice, &Meter::default()).unwrap_err();
    assert_eq!(error.to_string(), "$.value[1].key: duplicate key \"a\"");
    let reserved = json!({"value": [{"key": "$serde_json::private::RawValue", "value": []}]});
    let error = lowered.lift.lift(reserved, &Meter::default()).unwrap_err().to_string();
    assert!(error.starts_with("$.value[0].key: the key") && error.contains("is reserved"), "{error}");
    let other = json!({"value": [{"key": "a"}]});
    assert_eq!(lift(&lowered, other), json!([{"key": "a"}]));
}

#[test]
fn additional_names_get_their_own_list() {
    let source = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "patternProperties": {"^x_": {"type": "string"}},
        "additionalProperties": false,
    });
    let lowered = lowered(source, "openai");
    let value = json!({"id": 1, "x_a": "b"});
    let encoded = json!({"id": 1, "additional_properties": [{"key": "x_a", "value": "b"}]});
    assert_eq!(lowered.lift.encode(&value, &Meter::default()).unwrap(), encoded);
    assert_eq!(lift(&lowered, encoded), value);
    let twice = json!({"additional_properties": [{"key": "id", "value": "b"}], "id": 1});
    assert!(lowered.lift.lift(twice, &Meter::default()).is_err());
}

#[test]
fn a_tuple_becomes_an_object_with_a_property_per_position() {
    let source = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "items": {"type": "boolean"},
        "minItems": 1,
    });
    let openai = lowered(source.clone(), "openai");
    for value in [json!(["a"]), json!(["a", 1]), json!(["a", 1, true, false])] {
        assert_eq!(lift(&openai, openai.lift.encode(&value, &Meter::default()).unwrap()), value);
    }
    assert_eq!(lift(&openai, json!({"0": "a", "1": 2, "rest": [true]})), json!(["a", 2, true]));
    let shifted = json!({"0": "a", "1": null, "rest": [true]});
    assert_eq!(lift(&openai, shifted.clone()), shifted);
    let ollama = lowered(source, "ollama");
    assert_eq!(keywords(&ollama), [("", "prefixItems", EnforcedBy::Validator)]);
}

#[test]
fn shorter_tuples_stay_allowed() {
    let tuple = |least: usize, positions: Value| {
        let source = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "array", "prefixItems": positions, "items": false, "minItems": least,
        });
        lowered(source, "ollama")
    };
    let pair = || json!([{"type": "string"}, {"type": "integer"}]);
    let short = tuple(1, pair());
    let expected = json!({"type": "array", "items": {"anyOf": pair()}, "minItems": 1, "maxItems": 2});
    assert_eq!(short.schema, expected);
    assert_eq!(keywords(&short), [("", "prefixItems", EnforcedBy::Validator)]);
    let whole = tuple(2, pair());
    assert_eq!(whole.schema, json!({"type": "array", "items": pair(), "minItems": 2, "maxItems": 2}));
    assert_eq!(keywords(&whole), []);
    let alike = tuple(0, json!([{"type": "string"}, {"type": "string"}]));
    let expected = json!({"type": "array", "items": {"type": "string"}, "minItems": 0, "maxItems": 2});
    assert_eq!(alike.schema, expected);
    assert_eq!(keywords(&alike), []);
}

#[test]
fn a_union_has_its_discriminator_first_and_loses_nothing() {
    let source = json!({"oneOf": [
        {"type": "object", "properties": {"a": {"type": "string"}, "kind": {"const": "a"}}, "required": ["kind", "a"]},
        {"type": "object", "properties": {"b": {"type": "integer"}, "kind": {"const": "b"}}, "required": ["kind"]},
    ]});
    let lowered = lowered(source, "openai");
    assert_eq!(lowered.losses, []);
    let branches = lowered.schema["properties"]["value"]["anyOf"].as_array().unwrap();
    for branch in branches {
        assert_eq!(branch["properties"].as_object().unwrap().keys().next().unwrap(), "kind");
    }
    assert_eq!(lift(&lowered, json!({"value": {"kind": "b", "b": null}})), json!({"kind": "b"}));
}

#[test]
fn branches_that_look_alike_and_lift_differently_get_a_tag() {
    let pair = json!({"type": "object", "properties": {"key": {"type": "string"}, "value": {"type": "integer"}}, "required": ["key", "value"]});
    let source = json!({"anyOf": [
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array", "items": pair},
    ]});
    let lowered = lowered(source, "openai");
    for value in [json!({"a": 1}), json!([{"key": "a", "value": 1}]), json!({}), json!([])] {
        assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
    }
    assert_eq!(
        lowered.lift.encode(&json!([]), &Meter::default()).unwrap(),
        json!({"value": {"option_2": []}}),
    );
}

#[test]
fn parts_of_all_of_are_merged() {
    let source = json!({
        "allOf": [{"$ref": "#/definitions/named"}, {"properties": {"age": {"type": "integer", "minimum": 1}}, "required": ["age"]}],
        "definitions": {"named": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"minimum": 0}}, "required": ["name"]}},
    });
    let lowered = lowered(source, "openai");
    assert_eq!(
        lowered.schema,
        json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 1}},
            "required": ["name", "age"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn recursion_is_kept_rejected_or_cut() {
    let source = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "required": ["name"],
    });
    let openai = lowered(source.clone(), "openai");
    assert_eq!(openai.refusal, None);
    assert_eq!(openai.schema["properties"]["children"]["anyOf"][0]["items"], json!({"$ref": "#/$defs/root"}));
    let value = json!({"name": "a", "children": [{"name": "b"}]});
    let encoded = json!({"name": "a", "children": [{"name": "b", "children": null}]});
    assert_eq!(openai.lift.encode(&value, &Meter::default()).unwrap(), encoded);
    assert_eq!(lift(&openai, encoded), value);
    assert_eq!(lowered(source.clone(), "anthropic").refusal.unwrap(), "Anthropic: the schema is recursive");
    let ollama = lowered(source, "llama.cpp");
    assert_eq!(ollama.refusal, None);
    assert_eq!(ollama.schema["properties"]["children"]["items"], json!({}));
    assert_eq!(keywords(&ollama), [("", "$ref", EnforcedBy::Validator)]);
}

#[test]
fn optionals_are_counted_after_expansion() {
    let many = |uses: usize| {
        let optional: serde_json::Map<String, Value> =
            (0..10).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
        let uses: serde_json::Map<String, Value> =
            (0..uses).map(|index| (format!("u{index}"), json!({"$ref": "#/definitions/d"}))).collect();
        let required: Vec<String> = uses.keys().cloned().collect();
        json!({
            "type": "object", "properties": uses, "required": required,
            "definitions": {"d": {"type": "object", "properties": optional}},
        })
    };
    let fits = lowered(many(2), "anthropic");
    assert_eq!((fits.counts.unwrap().optional, fits.refusal), (20, None));
    assert!(fits.lift.is_identity());
    let rewritten = lowered(many(3), "anthropic");
    assert_eq!((rewritten.counts.as_ref().unwrap().optional, rewritten.refusal.as_ref()), (30, None));
    // Each of the ten occurs three times: seven of them are optional, which makes 21 of the 23
    // allowed.
    assert_eq!(rewritten.schema["$defs"]["d"]["required"], json!(["p0", "p1", "p2"]));
    let refused = lowered(many(5), "anthropic").refusal.unwrap();
    assert_eq!(refused, "Anthropic: 30 unions after expansion; the limit is 15");
}

#[test]
fn an_enum_over_the_limit_is_described_and_not_sent() {
    let values: Vec<String> = (0..1001).map(|index| format!("v{index}")).collect();
    let lowered = lowered(
        json!({"type": "object", "properties": {"a": {"enum": values}}, "required": ["a"]}),
        "openai",
    );
    assert_eq!(lowered.schema["properties"]["a"]["type"], "string");
    assert_eq!(lowered.schema["properties"]["a"].get("enum"), None);
    assert!(
        lowered.schema["properties"]["a"]["description"].as_str().unwrap().starts_with("One of: \"v0\", ")
    );
    assert_eq!(keywords(&lowered), [("/properties/a", "enum", EnforcedBy::Prompt)]);
}

#[test]
fn unsupported_keywords_go_into_the_description() {
    let source = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "description": "How many", "default": 3, "x-order": 1},
            "l": {"type": "array", "items": {"type": "string", "maxLength": 2}, "minItems": 2},
        },
        "required": ["n", "l"],
    });
    let lowered = lowered(source, "anthropic");
    assert_eq!(
        lowered.schema["properties"],
        json!({
            "n": {"type": "integer", "description": "How many. At least 1."},
            "l": {
                "type": "array",
                "items": {"type": "string", "description": "At most 2 characters."},
                "minItems": 1,
                "description": "At least 2 items.",
            },
        })
    );
    assert!(lowered.losses.iter().all(|loss| loss.enforced_by == EnforcedBy::Prompt));
}

#[test]
fn a_value_of_any_kind_is_text() {
    let lowered = lowered(json!({"type": "object", "properties": {"a": {}}, "required": ["a"]}), "openai");
    for value in [json!({"a": null}), json!({"a": "null"}), json!({"a": [{"b": 1.50}]})] {
        assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
    }
    assert_eq!(lift(&lowered, json!({"a": "plain words"})), json!({"a": "plain words"}));
    assert!(lowered.lift.lift(json!({"a": "{\"b\": 1, \"b\": 2}"}), &Meter::default()).is_err());
}

#[test]
fn renamed_properties_are_restored() {
    let source = json!({"type": "object", "properties": {"a b": {"type": "string"}, "a_b": {"type": "string"}, "": {"type": "null"}}});
    let lowered = lowered(source, "anthropic");
    let value = json!({"a b": "x", "a_b": "y", "": null});
    assert_eq!(
        lowered.lift.encode(&value, &Meter::default()).unwrap(),
        json!({"a_b_2": "x", "a_b": "y", "unnamed": null})
    );
    assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
}

#[test]
fn properties_that_only_a_condition_names_are_offered() {
    let source = json!({
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}},
        "required": ["kind"],
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"properties": {"x": {"type": "string"}}, "required": ["x"]},
    });
    let lowered = lowered(source, "anthropic");
    assert_eq!(lowered.schema["properties"]["x"], json!({"type": "string"}));
    assert_eq!(keywords(&lowered), [("", "if", EnforcedBy::Prompt)]);
}

#[test]
fn conditional_values_are_not_mistaken_for_absence() {
    for kind in ["null", "string"] {
        let source = json!({
            "type": "object",
            "if": {"required": ["a"]},
            "then": {"properties": {"b": {"type": kind}}},
        });
        let lowered = lowered(source, "openai");
        for value in [json!({}), json!({"b": null}), json!({"b": {"absent": true}}), json!({"b": "absent"})] {
            assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
        }
    }
}

#[test]
fn boolean_schemas_have_a_lowered_form() {
    for profile in Profile::all() {
        for document in [json!(true), json!(false), json!({})] {
            let lowered =
                lower(&Schema::compile(&document, &Meter::default()).unwrap(), profile, &Meter::default())
                    .unwrap();
            assert_eq!(lowered.refusal.is_some(), document == json!(false));
            Schema::compile(&lowered.schema, &Meter::default()).unwrap();
        }
    }
}

#[test]
fn additional_properties_of_open_objects_are_kept() {
    let lowered = lowered(json!({"type": "object", "properties": {"a": {"type": "string"}}}), "openai");
    let value = json!({"b": {"c": null}});
    assert_eq!(lift(&lowered, lowered.lift.encode(&value, &Meter::default()).unwrap()), value);
}

#[test]
fn a_number_over_the_limit_in_an_open_value_is_a_located_error() {
    let lowered = lowered(json!({"type": "object", "properties": {"x": {}}, "required": ["x"]}), "openai");
    let error = lowered.lift.lift(json!({"x": "1e5000"}), &Meter::default()).unwrap_err();
    assert_eq!(error.path, "$.x");
    assert!(error.message.contains("too many digits"), "{error}");
    assert_eq!(lift(&lowered, json!({"x": "{\"a\": 1, \"a\": 1.0}"})), json!({"x": {"a": 1}}));
    assert!(lowered.lift.lift(json!({"x": "{\"a\": 1, \"a\": 2}"}), &Meter::default()).is_err());
}
