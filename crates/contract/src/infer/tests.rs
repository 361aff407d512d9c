use accord_json::Meter;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::schema::Schema;

fn body(schema: Value) -> Value {
    let mut schema = schema;
    assert_eq!(schema.as_object_mut().unwrap().shift_remove("$schema"), Some(json!(DIALECT)));
    schema
}

fn inferred(examples: &[Value]) -> Value {
    body(infer(examples, &Meter::default()).unwrap())
}

#[test]
fn infers_types_required_properties_and_order() {
    let examples = [
        json!({"b": 1, "a": "x", "n": null}),
        json!({"a": "y", "b": 2.5, "n": {"k": true}}),
        json!({"a": "z", "b": 3, "n": null, "extra": [1, "one"]}),
    ];
    let expected = r#"{"type":"object","properties":{"b":{"type":"number"},"a":{"type":"string"},"n":{"type":["object","null"],"properties":{"k":{"type":"boolean"}},"required":["k"]},"extra":{"type":"array","items":{"type":["string","integer"]}}},"required":["b","a","n"]}"#;
    assert_eq!(inferred(&examples).to_string(), expected);
}

#[test]
fn closed_objects_reject_other_properties() {
    let mut inference = Inference::new();
    inference.observe(&json!({"a": {}}), &Meter::default()).unwrap();
    assert_eq!(
        body(inference.schema(Openness::Closed, &Meter::default()).unwrap()),
        json!({
            "type": "object",
            "properties": {"a": {"type": "object", "additionalProperties": false}},
            "required": ["a"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn a_format_must_hold_for_all_strings() {
    for (format, one, other) in [
        ("date", "2024-02-29", "1999-12-31"),
        ("date-time", "2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5+01:00"),
        ("uuid", "0b4f5b0e-7d0c-4a3e-8f52-0a4c5d9be0aa", "00000000-0000-0000-0000-000000000000"),
        ("email", "a@example.org", "b.c@example.org"),
        ("uri", "https://example.org/a?b=c", "ftp://example.org"),
    ] {
        assert_eq!(inferred(&[json!(one), json!(other)]), json!({"type": "string", "format": format}));
        assert_eq!(inferred(&[json!(one), json!("plain")]), json!({"type": "string"}));
        assert_eq!(inferred(&[json!("plain"), json!(one)]), json!({"type": "string"}));
    }
    assert_eq!(inferred(&[json!("note:this")]), json!({"type": "string"}));
    assert_eq!(inferred(&[json!("2024-02-30")]), json!({"type": "string"}));
}

#[test]
fn few_repeated_strings_are_an_enum() {
    let words = ["low", "high", "medium"];
    let mut examples: Vec<Value> = (0..20).map(|index| json!(words[index % 3])).collect();
    assert_eq!(inferred(&examples[..19]), json!({"type": "string"}));
    assert_eq!(inferred(&examples), json!({"type": "string", "enum": ["low", "high", "medium"]}));
    examples.push(Value::Null);
    assert_eq!(
        inferred(&examples),
        json!({"type": ["string", "null"], "enum": ["low", "high", "medium", null]})
    );
    examples.push(json!(7));
    assert_eq!(inferred(&examples), json!({"type": ["string", "integer", "null"]}));
}

#[test]
fn constants_and_many_different_strings_are_not_enums() {
    let constant: Vec<Value> = (0..100).map(|_| json!("USD")).collect();
    assert_eq!(inferred(&constant), json!({"type": "string"}));
    let names: Vec<Value> = (0..100).map(|index| json!(format!("name {}", index % 17))).collect();
    assert_eq!(inferred(&names), json!({"type": "string"}));
}

#[test]
fn an_object_with_very_many_names_is_a_map() {
    let mut inference = Inference::new();
    for index in 0..10_000 {
        inference
            .observe(
                &json!({(format!("user-{index}")): {"age": index}, "always": {"age": 1.5}}),
                &Meter::default(),
            )
            .unwrap();
    }
    assert_eq!(
        body(inference.schema(Openness::Closed, &Meter::default()).unwrap()),
        json!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {"age": {"type": "number"}},
                "required": ["age"],
                "additionalProperties": false,
            },
        })
    );
}

#[test]
fn numbers_written_as_integers_are_integers() {
    let big: Value = serde_json::from_str("123456789012345678901234567890").unwrap();
    assert_eq!(inferred(&[big.clone(), json!(-0)]), json!({"type": "integer"}));
    assert_eq!(inferred(&[big, serde_json::from_str("1E2").unwrap()]), json!({"type": "number"}));
}

#[test]
fn deep_examples_give_a_schema_that_compiles() {
    let text = format!("{}1{}", "{\"a\":[".repeat(60), "]}".repeat(60));
    let example: Value = serde_json::from_str(&text).unwrap();
    let schema = Schema::compile(&infer([&example], &Meter::default()).unwrap(), &Meter::default()).unwrap();
    assert!(schema.is_valid(&example));
}

#[test]
fn without_examples_any_value_is_allowed() {
    assert_eq!(inferred(&[]), json!({}));
    assert_eq!(Inference::new().examples(), 0);
}

fn any_json() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec!["low", "high", "2024-01-31", "a@example.org", "https://a.b/c", ""]);
    let numbers = "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?";
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        numbers.prop_map(|text| serde_json::from_str(&text).unwrap()),
        words.prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let names = prop_oneof![
            prop::sample::select(vec!["a", "b", "$ref", "type", "properties"]).prop_map(str::to_owned),
            any::<String>(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((names, inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn every_example_conforms(examples in prop::collection::vec(any_json(), 1..40)) {
        let mut inference = Inference::new();
        for example in &examples {
            inference.observe(example, &Meter::default()).unwrap();
        }
        for openness in [Openness::Open, Openness::Closed] {
            let document = inference.schema(openness, &Meter::default()).unwrap();
            let schema = Schema::compile(&document, &Meter::default()).unwrap();
            for example in &examples {
                prop_assert!(schema.is_valid(example), "{example} against {document}");
            }
        }
    }
}
