//! Unquoted words in damaged text: which are strings, and which are prose, code or other damage.

use accord_contract::Mode;
use serde_json::{Value, json};

use crate::judging::{contract, value};

fn read(text: &str, document: &Value) -> Option<Value> {
    value(&contract(document, Mode::Lenient), text)
}

fn list() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

/// An object with the strings `a` and `b`, the second of them optional.
fn object() -> Value {
    let string = json!({"type": "string"});
    json!({"type": "object", "properties": {"a": string, "b": string}, "required": ["a"]})
}

#[test]
fn words_in_brackets_in_prose_are_not_a_list() {
    for text in [
        "I cannot list them [citation needed].",
        "[Note: this is a draft] I cannot help.",
        "[ERROR] could not parse the file",
        "ERROR [main] failed",
        "[2026-01-01] nothing found",
        "The list is [redacted].",
        "This was shown by [Smith, 2020; Lee, 2021].",
        "#[derive(Debug)]",
    ] {
        assert_eq!(read(text, &list()), None, "{text}");
        let answered = format!("{text}\n\n['x', 'y']");
        assert_eq!(read(&answered, &list()), Some(json!(["x", "y"])), "{answered}");
    }
}

#[test]
fn words_in_brackets_alone_are_a_list() {
    for text in [
        "[red, green]",
        "```\n[red, green]\n```",
        "<answer>[red, green]</answer>",
        "<think>x</think>[red, green]<|im_end|>",
    ] {
        assert_eq!(read(text, &list()), Some(json!(["red", "green"])), "{text}");
    }
}

#[test]
fn escaped_quotes_are_not_part_of_a_string() {
    let mixed = json!({"type": "array", "items": {"type": ["string", "integer", "null", "array"]}});
    for (text, expected) in [(r#"[\"x\", 1]"#, json!(["x", 1])), ("```\n[\\\"x y\\\"]\n```", json!(["x y"]))]
    {
        assert_eq!(read(text, &mixed), Some(expected), "{text}");
    }
    for text in [r#"{"a": \"x\", "b": "y"}"#, r#"{"a": \"x\"}"#, r#"{"a": \}"#] {
        assert_eq!(read(text, &object()), None, "{text}");
    }
}

#[test]
fn lines_of_a_list_are_not_joined() {
    for text in [
        "[x\ny\nz]",
        "[\n  first thing\n  second thing\n]",
        "[\n  first,\n  second\n  third\n]",
        "[\n  - x\n  - y\n]",
        "[\n1) \"x\",\n2) \"y\"\n]",
    ] {
        assert_eq!(read(text, &list()), None, "{text}");
    }
    assert_eq!(
        read("[\n  first thing,\n  second thing\n]", &list()),
        Some(json!(["first thing", "second thing"]))
    );
    let lines = "{\n  a: one\n  line more,\n  b: two\n}";
    assert_eq!(read(lines, &object()), Some(json!({"a": "one\n  line more", "b": "two"})));
}

#[test]
fn types_and_statements_are_not_strings() {
    for text in
        ["{a: red;\n b: blue;}", "interface P {\n  a: Name;\n  b: Age;\n}", "struct P { a: i32, b: u64 }"]
    {
        assert_eq!(read(text, &object()), None, "{text}");
    }
}

#[test]
fn a_number_has_one_sign() {
    let number = json!({"type": "array", "items": {"type": "number"}});
    assert_eq!(read("[+-5]", &number), None);
    assert!(read("[+5, -5]", &number).is_some_and(|value| accord_contract::same(&value, &json!([5, -5]))));
}
