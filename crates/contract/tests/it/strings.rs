//! Where strings end in damaged text, and the context of repaired values.

use accord_contract::Mode;
use serde_json::{Value, json};

use crate::judging::{contract, value};

fn read(text: &str, document: &Value) -> Option<Value> {
    read_as(Mode::Lenient, text, document)
}

fn read_as(mode: Mode, text: &str, document: &Value) -> Option<Value> {
    value(&contract(document, mode), text)
}

/// An object with these properties, all of them strings.
fn strings(names: &[&str]) -> Value {
    let members = names.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
    json!({"type": "object", "properties": Value::Object(members.collect()), "required": names})
}

#[test]
fn a_string_with_a_key_in_other_quotes_is_complete() {
    for content in
        ["He said, 'no': then left", "`a`, `b`: c", "x = {'a': 1, 'b': 2}", "a, \u{201c}b\u{201d}: c"]
    {
        for text in [
            format!("{{\"a\": \"{content}\", \"b\": \"x\",}}"),
            format!("{{\"b\": \"x\", \"a\": \"{content}\",}}"),
            format!("{{a: \"{content}\", b: \"x\"}}"),
        ] {
            let expected = json!({"a": content, "b": "x"});
            assert_eq!(read(&text, &strings(&["a", "b"])), Some(expected), "{text}");
        }
    }
    let content = r#"x = {"a": 1, "b": 2}"#;
    for mark in ["'", "`", "'''"] {
        let text = format!("{{'b': 'x', 'a': {mark}{content}{mark}}}");
        assert_eq!(read(&text, &strings(&["a", "b"])), Some(json!({"a": content, "b": "x"})), "{text}");
    }
}

#[test]
fn comments_in_strings_are_kept() {
    for content in ["Great day, #sun #fun", "see a, // b", "a, /* b */ c"] {
        let text = format!("{{\n  \"a\": \"{content}\",\n  \"b\": \"x\",\n}}");
        assert_eq!(read(&text, &strings(&["a", "b"])), Some(json!({"a": content, "b": "x"})), "{text}");
    }
    let list = json!({"type": "array", "items": {"type": "string"}});
    assert_eq!(read("[\"a, #b\",\n \"c\",]", &list), Some(json!(["a, #b", "c"])));
}

#[test]
fn a_missing_mark_is_noticed() {
    for text in [
        r#"{"a": "x, "b": "y"}"#,
        r#"{'a': 'x, 'b': 'y'}"#,
        "{\u{201c}a\u{201d}: \u{201c}x, \u{201c}b\u{201d}: \u{201c}y\u{201d}}",
    ] {
        assert_eq!(read(text, &strings(&["a", "b"])), Some(json!({"a": "x", "b": "y"})), "{text}");
    }
}

#[test]
fn a_text_cut_after_an_escaped_quote_is_cut_in_a_string() {
    for text in [
        r#"{"a": "say \"hi\", "#,
        r#"{"a": "say \"hi\","#,
        r#"{"a": "{\"k\": \"v\"}"#,
        r#"{"a": "name: \"Ann\", age:"#,
        r#"{"a": "name: \"Ann\", age: 3}"#,
        r#"{"a": "5\", "#,
    ] {
        assert_eq!(read(text, &strings(&["a"])), None, "{text}");
    }
}

#[test]
fn rejects_a_string_that_takes_in_the_next_value() {
    let items = json!({"type": "array", "items": strings(&["a"])});
    assert_eq!(read(r#"[{"a": "x}, {"a": "y"}]"#, &items), None);
    assert_eq!(read("[{\"a\": \"x\n}, {\n\"a\": \"y\"}]", &items), None);
    let quoted = r#"{"a": "[{"k": 1}, {"k": 2}]", "b": "x"}"#;
    assert_eq!(
        read(quoted, &strings(&["a", "b"])),
        Some(json!({"a": r#"[{"k": 1}, {"k": 2}]"#, "b": "x"})),
        "brackets in pairs are content"
    );
}

#[test]
fn a_draft_quoted_in_a_damaged_value_is_not_an_answer() {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": ["integer", "string"]}}, "required": ["n"]});
    for text in [
        r#"{"reason": "was {"n": 1} once", "n": 3}"#,
        r#"{"reason": "was {"n": 1} then {"n": 2} at last", "n": 3}"#,
        r#"{"reason": "was {"n": "a"} then {"n": "b"} at last", "n": "c"}"#,
        r#"{"reason": "was {"n": 1}", "old": "or {"n": 2}", "n": 3}"#,
        r#"{"steps": ["{"n": 1}", "{"n": 2}"]}"#,
    ] {
        assert_eq!(read_as(Mode::Strict, text, &schema), None, "{text}");
    }
    let corrected = "{\"code\": \"if x {\", \"m\": oops}\n\nCorrected:\n\n{\"code\": \"y\", \"n\": 1}";
    assert_eq!(
        read_as(Mode::Strict, corrected, &schema),
        Some(json!({"code": "y", "n": 1})),
        "a bracket that a string leaves open holds nothing"
    );
}

#[test]
fn an_enum_value_may_be_under_one_key_that_marks_an_answer() {
    let listed = json!({"enum": ["positive", "negative", 1]});
    assert_eq!(read("{\"answer\": \"positive\"}", &listed), Some(json!("positive")));
    assert_eq!(read("{\"answer\": \"Positive\"}", &listed), Some(json!("positive")));
    assert_eq!(read("{answer: 1}", &listed), Some(json!(1)));
    for text in [
        "{\"not\": \"positive\"}",
        "{\"answer\": 1, \"more\": 2}",
        "{\"answer\": [1]}",
        "{\"answer\": {\"code\": 1}}",
        "{\"answer\": \"mixed\"}",
    ] {
        assert_eq!(read(text, &listed), None, "{text}");
    }
    let open = json!({"anyOf": [{"enum": ["positive"]}, {"type": "string"}]});
    assert_eq!(read("{\"error\": \"boom\"}", &open), None, "what is on no list may be anything");
}
