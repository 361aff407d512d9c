//! The shape of a value is repaired only if exactly one change is possible.

use accord_contract::Mode;
use serde_json::{Value, json};

use crate::judging::{contract, value};

/// The value read for a property `a` of this schema.
fn read(member: Value, given: &str) -> Option<Value> {
    let document = json!({"type": "object", "properties": {"a": member}, "required": ["a"]});
    let read = value(&contract(&document, Mode::Lenient), &format!("{{\"a\": {given}}}"))?;
    read.get("a").cloned()
}

#[test]
fn branches_with_different_results_are_ambiguous() {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let either = json!({"anyOf": [{"type": "integer"}, texts]});
    assert_eq!(read(either.clone(), "\"3\""), None);
    assert_eq!(read(either, "\"three\""), Some(json!(["three"])));
    let numbers = json!({"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]});
    assert_eq!(read(numbers, "\"3\""), Some(json!(3)), "both make the same of it");
}

#[test]
fn options_that_differ_only_in_case_are_ambiguous() {
    assert_eq!(read(json!({"enum": ["yes", "YES"]}), "\"Yes\""), None);
    assert_eq!(read(json!({"enum": ["yes", "no"]}), "\"Yes\""), Some(json!("yes")));
}

#[test]
fn a_text_with_too_many_digits_is_not_a_number() {
    let quoted = |digits: usize| format!("\"{}\"", "9".repeat(digits));
    assert_eq!(read(json!({"type": "integer"}), &quoted(1_001)), None);
    assert!(read(json!({"type": "integer"}), &quoted(1_000)).is_some());
}

#[test]
fn null_is_not_wrapped_into_a_list() {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(read(texts.clone(), "\"\""), None);
    assert_eq!(read(texts.clone(), "\" \""), None);
    assert_eq!(read(texts, "\"x\""), Some(json!(["x"])));
}
