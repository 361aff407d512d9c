//! Schemas that fit, and schemas that do not.

use accord_contract::Meter;
use accord_contract::Schema;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn cannot_fit(producer: &Value, consumer: &Value) -> Vec<(String, String)> {
    match fits(producer, consumer, &Meter::default()) {
        Fit::Never(misfits) => misfits.into_iter().map(|misfit| (misfit.pointer, misfit.message)).collect(),
        other => panic!("{producer} → {consumer}: {other:?}"),
    }
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[test]
fn values_that_always_fit() {
    let review = object(
        json!({"summary": {"type": "string", "minLength": 3}, "count": {"type": "integer", "minimum": 1}}),
        &["summary", "count"],
    );
    let recursive = json!({"$ref": "#/definitions/tree", "definitions": {"tree": {"type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}}}});
    let cases = [
        (json!({}), json!(true)),
        (json!({"type": "string"}), json!({"description": "anything", "x-key": "a"})),
        (review.clone(), review.clone()),
        (
            review.clone(),
            json!({"type": "object", "required": ["summary"], "properties": {"summary": {"type": "string", "minLength": 1}}}),
        ),
        (
            review.clone(),
            object(
                json!({"summary": {}, "count": {"type": "number", "exclusiveMinimum": 0}, "more": {}}),
                &["summary"],
            ),
        ),
        (recursive.clone(), recursive),
        (json!({"enum": ["low", "high"]}), json!({"type": "string", "maxLength": 4})),
        (json!({"enum": ["low", "high"]}), json!({"enum": ["low", "mid", "high"]})),
        (json!({"type": "boolean"}), json!({"enum": [true, false]})),
        (json!({"type": ["string", "null"]}), json!({"anyOf": [{"type": "string"}, {"type": "null"}]})),
        (json!({"type": "integer"}), json!({"oneOf": [{"type": "integer"}, {"type": "string"}]})),
        (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), json!({"not": {"type": "object"}})),
        (json!({"type": "string", "pattern": "^a"}), json!({"type": "string", "pattern": "^a"})),
        (
            json!({"type": "array", "items": {"const": 1}, "maxItems": 3}),
            json!({"type": "array", "items": {"type": "integer"}, "maxItems": 5}),
        ),
        (json!({"type": "array", "uniqueItems": true}), json!({"uniqueItems": true})),
        (
            json!({"allOf": [{"type": "object", "required": ["a"]}, {"properties": {"a": {"type": "string"}}}]}),
            json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}),
        ),
        (json!({"type": "integer", "multipleOf": 6}), json!({"multipleOf": 3})),
        (json!(false), json!({"type": "string"})),
        (
            json!({"type": "string", "maxLength": 3}),
            json!({"if": {"minLength": 1}, "then": {"maxLength": 3}, "else": {"type": "string"}}),
        ),
        (object(json!({"a": {}}), &[]), json!({"maxProperties": 1})),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"additionalProperties": {"type": "number"}}),
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"patternProperties": {"^x": {"type": "number"}}}),
        ),
    ];
    for (producer, consumer) in cases {
        assert_eq!(fits(&producer, &consumer, &Meter::default()), Fit::Always, "{producer} → {consumer}");
    }
}

#[test]
fn locates_what_cannot_fit() {
    let summary = object(json!({"summary": {"type": "string"}}), &["summary"]);
    let cases = [
        (
            summary.clone(),
            json!({"type": "object", "required": ["findings"]}),
            "/findings",
            "the consumer requires 'findings', which the producer never outputs",
        ),
        (
            summary.clone(),
            json!({"properties": {"summary": {"type": "array"}}}),
            "/summary",
            "the producer outputs a string, but the consumer accepts \"array\"",
        ),
        (summary.clone(), object(json!({"title": {}}), &[]), "/summary", "the consumer accepts nothing"),
        (
            summary.clone(),
            json!({"type": "string"}),
            "",
            "the producer outputs an object, but the consumer accepts \"string\"",
        ),
        (
            json!({"enum": ["critical"]}),
            json!({"enum": ["low", "high"]}),
            "",
            "the producer outputs \"critical\", which the consumer rejects",
        ),
        (
            json!({"type": "integer", "maximum": 3}),
            json!({"minimum": 4}),
            "",
            "the producer's output always violates 'minimum' 4 of the consumer",
        ),
        (
            json!({"type": "array", "minItems": 1, "items": {"type": "string"}}),
            json!({"items": {"type": "object"}}),
            "/*",
            "the producer outputs a string, but the consumer accepts \"object\"",
        ),
        (
            json!({"type": "string", "maxLength": 2}),
            json!({"enum": ["long", 5]}),
            "",
            "the consumer accepts only [\"long\",5], which the producer never outputs",
        ),
        (
            json!({"type": "string"}),
            json!({"not": {"type": "string"}}),
            "",
            "the producer outputs a value that the consumer excludes: {\"type\":\"string\"}",
        ),
    ];
    for (producer, consumer, pointer, message) in cases {
        assert_eq!(
            cannot_fit(&producer, &consumer),
            [(pointer.to_owned(), message.to_owned())],
            "{producer} → {consumer}"
        );
    }
}

#[test]
fn says_why_a_fit_is_unknown() {
    let cases = [
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"required": ["a"]}),
            "",
            "the consumer requires 'a', which the producer may omit",
        ),
        (
            json!({"type": "string"}),
            json!({"pattern": "^a"}),
            "",
            "the consumer requires 'pattern' \"^a\", which the producer does not guarantee",
        ),
        (
            json!({"type": "number"}),
            json!({"type": "integer"}),
            "",
            "the producer may output a number, but the consumer accepts \"integer\"",
        ),
        (
            json!({"type": "string"}),
            json!({"enum": ["a"]}),
            "",
            "the producer may output any string, but the consumer accepts only [\"a\"]",
        ),
        (
            json!({"type": "array"}),
            json!({"items": [{}, {}]}),
            "",
            "the consumer expects a tuple; tuples are not compared",
        ),
        (
            json!({"type": "string"}),
            json!({"$ref": "other.json"}),
            "",
            "the reference \"other.json\" cannot be resolved",
        ),
        (
            json!({"type": "string"}),
            json!({"minLength": 1}),
            "",
            "the producer may output a string that violates 'minLength' 1 of the consumer",
        ),
        (
            json!({"type": "string"}),
            json!({"newKeyword": 1}),
            "",
            "the consumer requires 'newKeyword' 1, which the producer does not guarantee",
        ),
    ];
    for (producer, consumer, pointer, message) in cases {
        let Fit::Perhaps(misfits) = fits(&producer, &consumer, &Meter::default()) else {
            panic!("{producer} → {consumer}")
        };
        let told: Vec<_> =
            misfits.iter().map(|each| (each.pointer.as_str(), each.message.as_str())).collect();
        assert_eq!(told, [(pointer, message)], "{producer} → {consumer}");
        // An author cannot fix keywords that are not compared.
        let is_beyond = ["tuple", "other.json", "newKeyword"].iter().any(|word| message.contains(word));
        assert_eq!(misfits[0].seen, !is_beyond, "{message}");
    }
}

#[test]
fn same_keywords_of_another_dialect_differ() {
    let tuple = json!({"prefixItems": [{"type": "string"}]});
    let older = json!({"$schema": "http://json-schema.org/draft-07/schema#", "allOf": [tuple]});
    assert!(matches!(fits(&json!({"allOf": [tuple]}), &older, &Meter::default()), Fit::Perhaps(_)));
}

#[test]
fn partial_fits_are_not_fits() {
    let of = |kind: &str| json!({"$defs": {"x": {"type": kind}}, "properties": {"a": {"$ref": "#/$defs/x"}}});
    let without = |kind: &str| json!({"$defs": {"x": {"type": kind}}, "not": {"$ref": "#/$defs/x"}});
    let patterns = json!({"^a": {"type": "integer"}, "^b": {"type": "string"}});
    let number = json!({"type": "integer"});
    let open = json!({"type": "object", "properties": {"a": number}, "required": ["a"]});
    let cases = [
        (json!({"type": "integer", "multipleOf": 2}), json!({"multipleOf": 4})),
        (json!({"type": "number", "minimum": 5}), json!({"exclusiveMinimum": 5})),
        (json!({"type": "number", "maximum": 5}), json!({"exclusiveMaximum": 5})),
        (json!({"type": "array", "maxItems": 2}), json!({"uniqueItems": true})),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            json!({"patternProperties": patterns}),
        ),
        (json!({"type": "number", "maximum": 5}), json!({"minimum": 5})),
        (open.clone(), json!({"patternProperties": {"^a": number}, "additionalProperties": false})),
        (open, json!({"properties": {"a": number}, "additionalProperties": false})),
        // The same reference, to another target.
        (of("string"), of("integer")),
        (without("string"), without("integer")),
    ];
    for (producer, consumer) in cases {
        assert!(
            matches!(fits(&producer, &consumer, &Meter::default()), Fit::Perhaps(_)),
            "{producer} {consumer}"
        );
    }
}

#[test]
fn comparing_recursive_and_huge_schemas_terminates() {
    let endless = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}});
    let other = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/definitions/b"}},
        "definitions": {"b": {"type": "object", "properties": {"a": {"$ref": "#"}}}}});
    assert!(!matches!(fits(&endless, &other, &Meter::default()), Fit::Never(_)));
    assert!(matches!(
        fits(&json!({"$ref": "#"}), &json!({"$ref": "#", "type": "string"}), &Meter::default()),
        Fit::Perhaps(_)
    ));
    let union = |depth: usize| {
        (0..depth).fold(json!({"type": "string"}), |inner, _| json!({"anyOf": [inner, inner]}))
    };
    assert!(!matches!(fits(&union(12), &union(11), &Meter::default()), Fit::Never(_)));
    let wide = |count: usize| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties})
    };
    assert_eq!(fits(&wide(2_000), &wide(1_999), &Meter::default()), Fit::Always);
}

#[test]
fn invalid_schemas_get_no_verdict() {
    for odd in [
        json!(5),
        json!(null),
        json!({"type": 7}),
        json!({"type": "colour"}),
        json!({"required": "a"}),
        json!({"properties": []}),
        json!({"anyOf": {}}),
    ] {
        assert!(
            matches!(fits(&json!({"type": ["string", "object"]}), &odd, &Meter::default()), Fit::Perhaps(_)),
            "{odd}"
        );
        assert!(!matches!(fits(&odd, &json!({"type": "string"}), &Meter::default()), Fit::Never(_)), "{odd}");
    }
}

/// Small schemas over few names and values, so that two of them often overlap.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"])
            .prop_map(|kind| json!({"type": kind})),
        Just(json!({"type": ["string", "integer"]})),
        prop::collection::vec(prop::sample::select(scalars()), 1..4)
            .prop_map(|values| json!({"enum": values})),
        prop::sample::select(scalars()).prop_map(|value| json!({"const": value})),
        (0_i64..4, 0_i64..4)
            .prop_map(|(low, high)| json!({"type": "number", "minimum": low, "exclusiveMaximum": high})),
        (0_i64..4).prop_map(|low| json!({"exclusiveMinimum": low})),
        (0_i64..4).prop_map(|high| json!({"type": "integer", "maximum": high})),
        (1_i64..4).prop_map(|step| json!({"type": "integer", "multipleOf": step})),
        (0_u64..3, 0_u64..3)
            .prop_map(|(low, high)| json!({"type": "string", "minLength": low, "maxLength": high})),
        Just(json!({"type": "string", "pattern": "^a"})),
        Just(json!({"$ref": "#/definitions/shared"})),
        Just(json!({"$ref": "#/definitions/shared", "type": "object"})),
    ];
    let inner = leaf.prop_recursive(3, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let branches = prop::collection::vec(inner.clone(), 1..3);
        let required = prop::sample::subsequence(vec!["a", "b"], 0..=2);
        let others = prop_oneof![Just(None), Just(Some(json!(false))), inner.clone().prop_map(Some)];
        let object = (pair, required, others, any::<bool>()).prop_map(|((a, b), required, others, typed)| {
            let mut schema = json!({"properties": {"a": a, "b": b}, "required": required});
            if let Some(others) = others {
                schema["additionalProperties"] = others;
            }
            if typed {
                schema["type"] = json!("object");
            }
            schema
        });
        let array = (inner.clone(), 0_u64..2, 0_u64..3, any::<bool>()).prop_map(|(items, least, most, unique)| {
            json!({"type": "array", "items": items, "minItems": least, "maxItems": most, "uniqueItems": unique})
        });
        prop_oneof![
            3 => object,
            2 => array,
            1 => (inner.clone(), inner.clone()).prop_map(|(one, other)| json!({"items": [one], "patternProperties": {"^a": other}})),
            1 => branches.clone().prop_map(|branches| json!({"allOf": branches})),
            1 => branches.clone().prop_map(|branches| json!({"anyOf": branches})),
            1 => branches.prop_map(|branches| json!({"oneOf": branches})),
            1 => inner.clone().prop_map(|schema| json!({"not": schema})),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(one, two, three)| json!({"if": one, "then": two, "else": three})),
            1 => (0_u64..2, 0_u64..3).prop_map(|(least, most)| json!({"type": "object", "minProperties": least, "maxProperties": most})),
        ]
    });
    let dialect =
        prop_oneof![3 => Just(None), 1 => Just(Some("https://json-schema.org/draft/2020-12/schema"))];
    (inner.clone(), inner, dialect).prop_map(|(schema, shared, dialect)| {
        let mut root = json!({"allOf": [schema], "definitions": {"shared": shared}});
        if let Some(dialect) = dialect {
            root["$schema"] = json!(dialect);
        }
        root
    })
}

fn scalars() -> Vec<Value> {
    [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2.0),
        json!(1.5),
        json!(3),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("b"),
    ]
    .to_vec()
}

/// Values that distinguish most of the schemas above.
fn values() -> Vec<Value> {
    let mut values = scalars();
    values.push(json!(false));
    let small: Vec<Value> = values
        .iter()
        .step_by(2)
        .cloned()
        .chain([json!([]), json!({}), json!({"a": 1}), json!(["a"])])
        .collect();
    for one in &small {
        values.extend([json!([one]), json!({"a": one}), json!({"b": one}), json!({"c": one})]);
        for other in &small {
            values.extend([
                json!([one, other]),
                json!({"a": one, "b": other}),
                json!({"a": one, "z": other}),
            ]);
        }
    }
    values.extend([json!([]), json!({})]);
    values
}

thread_local! {
    static VALUES: Vec<Value> = values();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    /// A verdict must agree with the validator for every value that is tried.
    #[test]
    fn a_verdict_is_never_wrong(producer in schema(), consumer in schema()) {
        let (Ok(given), Ok(taken)) = (Schema::compile(&producer, &Meter::default()), Schema::compile(&consumer, &Meter::default())) else {
            return Ok(());
        };
        let verdict = fits(&producer, &consumer, &Meter::default());
        if matches!(verdict, Fit::Perhaps(_)) {
            return Ok(());
        }
        VALUES.with(|values| {
            for value in values.iter().filter(|value| given.accepts(value, &Meter::default())) {
                prop_assert_eq!(taken.accepts(value, &Meter::default()), verdict == Fit::Always, "{} {:?}", value, verdict);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_schema_fits_itself(schema in schema()) {
        prop_assert_eq!(fits(&schema, &schema, &Meter::default()), Fit::Always);
        prop_assert_eq!(fits(&schema, &json!({}), &Meter::default()), Fit::Always);
    }
}
