//! Schemas and values that try to use up time or memory. Each is rejected with the value of the
//! limit, on a thread with the smallest stack that we run on.

use accord_contract::Meter;
use accord_contract::limits::{MAX_PATTERN_PARTS, MAX_VALIDATION_STEPS};
use accord_contract::{Answer, Contract, Outcome, Schema, SchemaError, Verdict, judge};
use serde_json::{Map, Value, json};

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(work).unwrap().join().unwrap()
}

fn compiled(document: Value) -> Result<Schema, SchemaError> {
    on_a_small_stack(move || Schema::compile(&document, &Meter::default()))
}

/// The first error of a value; `None` if it conforms.
fn first_error(document: Value, value: Value) -> Option<String> {
    on_a_small_stack(move || {
        let schema = Schema::compile(&document, &Meter::default()).unwrap();
        let violations = schema.check(&value, &Meter::default()).err().unwrap_or_default();
        assert_eq!(schema.accepts(&value, &Meter::default()), violations.errors.is_empty());
        violations.errors.first().map(|error| format!("{}: {error}", error.keyword))
    })
}

fn refused_for_its_cost(document: Value, value: Value) {
    let error = first_error(document, value).unwrap_or_default();
    assert!(error.starts_with("limit: $: validation takes"), "{error}");
    assert!(error.contains(&MAX_VALIDATION_STEPS.to_string()), "{error}");
}

const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";

#[test]
fn patterns_are_limited_together() {
    let pattern = |number: usize| format!("\\p{{L}}{{200}}k{number}\\w{{200}}");
    let by_name: Map<String, Value> = (0..2_000).map(|number| (pattern(number), json!({}))).collect();
    let listed: Vec<Value> = (0..2_000).map(|number| json!({"pattern": pattern(number)})).collect();
    let nested = "(".repeat(6) + "[a-z]" + &"{1,20})".repeat(6);
    let elsewhere = json!({"$ref": "#/hidden", "hidden": {"patternProperties": by_name.clone()}});
    for document in [
        json!({"patternProperties": by_name}),
        json!({"anyOf": listed}),
        json!({"properties": {"a": {"pattern": nested}}}),
        json!({"pattern": "\\cA".repeat(1_000)}),
        elsewhere,
    ] {
        let error = compiled(document.clone()).unwrap_err();
        assert!(error.message.contains(&MAX_PATTERN_PARTS.to_string()), "{error}");
        assert!(error.message.contains("patterns of the schema are too large"), "{error}");
    }
}

#[test]
fn common_patterns_compile() {
    let patterns = [
        r"^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$",
        r"^[^@\s]+@[^@\s]+\.[a-z]{2,63}$",
        r"^\p{L}[\p{L}\p{M}' -]{0,99}$",
        r"^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$",
    ];
    let properties: Map<String, Value> = (0..100)
        .map(|number| (format!("p{number}"), json!({"pattern": patterns[number % patterns.len()]})))
        .collect();
    // Each of the third kind has a thousand ranges a hundred times.
    let few: Map<String, Value> = properties.into_iter().take(12).collect();
    assert!(compiled(json!({ "properties": few })).is_ok());
}

#[test]
fn large_enums_are_rejected_for_many_items() {
    let values: Vec<Value> = (0..20_000).map(|number| json!({"a": number})).collect();
    let items: Vec<Value> = (0..20_000).map(|number| json!({"a": -number - 1})).collect();
    refused_for_its_cost(json!({"items": {"enum": values}}), json!(items));
}

#[test]
fn many_branches_are_rejected_for_many_items() {
    let branches: Vec<Value> = (0..5_000).map(|number| json!({"const": number})).collect();
    let items: Vec<Value> = vec![json!(-1); 50_000];
    refused_for_its_cost(json!({"items": {"anyOf": branches.clone()}}), json!(items));
    refused_for_its_cost(
        json!({"items": {"$ref": "#/definitions/a"}, "definitions": {"a": {"oneOf": branches}}}),
        json!(items),
    );
}

#[test]
fn formats_and_divisions_cost_by_length() {
    let formats = vec![json!({"format": "email"}); 500];
    let mails = vec!["a.b.c.d.e.f.g.h@i.j.k.l.m.n"; 20_000];
    refused_for_its_cost(json!({"items": {"allOf": formats}}), json!(mails));
    assert_eq!(first_error(json!({"items": {"format": "email"}}), json!(mails)), None);

    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let tiny = json!({"items": {"multipleOf": number("1e-900")}});
    refused_for_its_cost(tiny, json!(vec![number("1e900"); 5_000]));
    let cents = json!({"items": {"multipleOf": number("0.01")}});
    assert_eq!(first_error(cents, json!(vec![number("123456.78"); 100_000])), None);
}

#[test]
fn other_products_are_rejected() {
    let text = "a".repeat(1_000_000);
    let pattern = format!("(a|b|ab){{{}}}c", 200);
    refused_for_its_cost(json!({"pattern": pattern}), json!(text));
    let members: Map<String, Value> = (0..50_000).map(|number| (format!("m{number}"), json!(1))).collect();
    let by_name: Map<String, Value> = (0..1_000).map(|number| (format!("^x{number}$"), json!({}))).collect();
    refused_for_its_cost(json!({"patternProperties": by_name}), Value::Object(members.clone()));
    let dependent: Map<String, Value> =
        (0..2_000).map(|number| (format!("m{number}"), json!({"propertyNames": {"maxLength": 9}}))).collect();
    let document = json!({"$schema": LATEST, "dependentSchemas": dependent});
    refused_for_its_cost(document, Value::Object(members));
    let contains: Vec<Value> = (0..2_000).map(|number| json!({"contains": {"const": number}})).collect();
    refused_for_its_cost(json!({"allOf": contains}), json!(vec![-1; 20_000]));
}

#[test]
fn validation_repeated_at_every_level_is_rejected() {
    let mut schema = json!({"type": "object"});
    for _ in 0..40 {
        schema = json!({"anyOf": [schema], "unevaluatedProperties": true});
    }
    let document = json!({"$schema": LATEST, "allOf": [schema]});
    refused_for_its_cost(document, json!({"a": 1}));
}

#[test]
fn deep_schemas_for_deep_values_are_rejected() {
    let mut schema = json!({"additionalProperties": {"$ref": "#"}});
    for _ in 0..50 {
        schema = json!({ "allOf": [schema] });
    }
    let mut value = json!(1);
    for _ in 0..120 {
        value = json!({ "a": value });
    }
    let error = first_error(schema, value).unwrap_or_default();
    assert!(error.contains("nests deeper than 1024 levels"), "{error}");
}

#[test]
fn references_between_nested_schemas_do_not_overflow_the_stack() {
    let mut definitions = Map::new();
    for number in 0..250 {
        let mut schema = json!({"$ref": format!("#/definitions/d{}", number + 1)});
        for _ in 0..35 {
            schema = json!({ "allOf": [schema] });
        }
        definitions.insert(format!("d{number}"), schema);
    }
    definitions.insert("d250".to_owned(), json!({"type": "object"}));
    let error = compiled(json!({"$ref": "#/definitions/d0", "definitions": definitions})).unwrap_err();
    assert!(error.message.contains("more than 512 schemas"), "{error}");
}

#[test]
fn large_values_of_usual_schemas_pass() {
    let names: Vec<String> = (0..5_000).map(|number| format!("name-{number}")).collect();
    let numbers: Vec<u32> = (0..5_000).collect();
    let row = json!({
        "type": "object",
        "properties": {
            "name": {"enum": names},
            "number": {"enum": numbers},
            "kind": {"oneOf": (0..20).map(|number| json!({"const": number})).collect::<Vec<_>>()},
            "mail": {"type": "string", "pattern": r"^[^@\s]+@[^@\s]+\.[a-z]{2,63}$"},
        },
        "additionalProperties": false,
    });
    let rows = |count: u32| -> Value {
        (0..count)
            .map(|number| json!({"name": "name-7", "number": number % 5_000, "kind": 3, "mail": "somebody@example.org"}))
            .collect()
    };
    assert_eq!(
        first_error(json!({"type": "array", "items": row.clone(), "uniqueItems": false}), rows(1_000)),
        None
    );
    let closed = json!({"$schema": LATEST, "items": {"allOf": [row], "unevaluatedProperties": false}});
    assert_eq!(first_error(closed, rows(1_000)), None);
    assert_eq!(first_error(json!({"uniqueItems": true}), json!((0..100_000).collect::<Vec<_>>())), None);
    assert_eq!(first_error(json!({"items": {"type": "string"}}), json!(vec!["x"; 200_000])), None);
}

#[test]
fn all_values_in_a_text_share_one_budget() {
    let branches: Vec<Value> = (0..9_000).map(|number| json!({"required": [format!("m{number}")]})).collect();
    let text = "{\"a\": [1, 2, 3]}\n".repeat(5_000);
    let verdict = on_a_small_stack(move || {
        let contract =
            Contract::new(Schema::compile(&json!({"anyOf": branches}), &Meter::default()).unwrap());
        judge(&Answer::text(&text), &contract, &Meter::default())
    });
    let Verdict::Rejected(rejected) = verdict else { panic!("accepted") };
    assert_ne!(rejected.outcome, Outcome::Ambiguous);
}

#[test]
fn an_answer_that_is_too_expensive_is_rejected_with_the_limit() {
    let values: Vec<Value> = (0..20_000).map(|number| json!({"a": number})).collect();
    let items: Vec<Value> = (0..20_000).map(|number| json!({"a": -number - 1})).collect();
    let text = json!(items).to_string();
    let verdict = on_a_small_stack(move || {
        let contract =
            Contract::new(Schema::compile(&json!({"items": {"enum": values}}), &Meter::default()).unwrap());
        judge(&Answer::text(&text), &contract, &Meter::default())
    });
    let Verdict::Rejected(rejected) = verdict else { panic!("accepted") };
    let first = rejected.violations.errors.first().map(|error| error.keyword.clone());
    assert_eq!(first.as_deref(), Some("limit"));
}
