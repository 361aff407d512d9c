//! For any model output, judging ends, an accepted value conforms, and nothing is made up.
//!
//! Conformance is checked with a schema that is compiled apart from the contract's. In strict mode
//! the text must also contain the value: a plain parser reads it from some part of the text.

#![no_main]

use accord_contract::Meter;
use std::sync::LazyLock;

use accord_contract::{Answer, Contract, Mode, Options, Repair, Schema, Verdict, judge};
use accord_corpus::same_value;
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::{Value, json};

struct Subject {
    independent: Schema,
    strict: Contract,
    lenient: Contract,
}

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(|| schemas().iter().map(subject).collect());

fn schemas() -> Vec<Value> {
    vec![
        json!({"type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "boolean"}}}),
        json!({"type": "array", "items": {"type": "object", "required": ["k"],
            "properties": {"k": {"enum": ["low", "high"]}, "n": {"type": "number", "minimum": 0}}}}),
        json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        json!({"$ref": "#/definitions/node", "definitions": {"node": {"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/definitions/node"}}}}}}),
        json!({"oneOf": [{"type": "object", "required": ["x"], "properties": {"x": {"type": ["number", "null"]}}},
            {"type": "object", "required": ["y"], "properties": {"y": {"type": "string", "format": "date"}}}]}),
        json!({"type": ["string", "number", "boolean", "null"]}),
        json!(true),
    ]
}

fn subject(schema: &Value) -> Subject {
    let contract = |mode| {
        let schema = Schema::compile(schema, &Meter::default()).expect("the schemas above compile");
        Contract::new(schema).with_options(Options { mode, ..Options::default() })
    };
    Subject {
        independent: Schema::compile(schema, &Meter::default()).expect("the schemas above compile"),
        strict: contract(Mode::Strict),
        lenient: contract(Mode::Lenient),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for subject in SUBJECTS.iter() {
        if let Some((value, repairs)) = accepted(&text, &subject.strict) {
            assert!(subject.independent.accepts(&value, &Meter::default()), "{value} does not conform");
            assert!(repairs.is_empty(), "strict mode repaired: {repairs:?}");
            assert!(stands_in(&text, &value), "{value} does not stand in the text");
        }
        if let Some((value, _)) = accepted(&text, &subject.lenient) {
            assert!(subject.independent.accepts(&value, &Meter::default()), "{value} does not conform");
        }
    }
});

fn accepted(text: &str, contract: &Contract) -> Option<(Value, Vec<Repair>)> {
    match judge(&Answer::text(text), contract, &Meter::default()) {
        Verdict::Accepted(accepted) => {
            assert_eq!(accepted.account.check(text, &accepted.value), Ok(()), "the account of {text:?}");
            Some((accepted.value, accepted.repairs))
        }
        Verdict::Rejected(_) => None,
    }
}

/// Whether a plain parser, started somewhere in the text, reads this value.
fn stands_in(text: &str, value: &Value) -> bool {
    text.char_indices().any(|(start, _)| {
        let found = Value::deserialize(&mut serde_json::Deserializer::from_str(&text[start..]));
        found.is_ok_and(|found| same_value(&found, value))
    })
}
