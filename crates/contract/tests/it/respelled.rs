//! Texts that are read otherwise than they stand: without the marks of their lines, or with the brace that they lost.

use accord_contract::{Answer, Mode, RepairKind, Verdict, judge};
use serde_json::{Value, json};

use crate::judging::contract;

fn judged(text: &str, document: &Value, mode: Mode) -> Verdict {
    judge(&Answer::text(text), &contract(document, mode))
}

/// The value and the first repair.
fn read(text: &str, document: &Value) -> Option<(Value, RepairKind)> {
    assert!(matches!(judged(text, document, Mode::Strict), Verdict::Rejected(_)), "strict: {text}");
    match judged(text, document, Mode::Lenient) {
        Verdict::Accepted(accepted) => Some((accepted.value, accepted.repairs.first()?.kind)),
        Verdict::Rejected(_) => None,
    }
}

fn numbers() -> Value {
    json!({"type": "array", "items": {"type": "integer"}})
}

/// An object with the string `a` and the numbers `b`.
fn object() -> Value {
    json!({"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": numbers()}})
}

#[test]
fn marks_of_lines_are_no_items() {
    let expected = json!({"a": "x", "b": [10, 20]});
    let lines = ["{", "  \"a\": \"x\",", "  \"b\": [", "    10,", "    20", "  ]", "}"];
    let marked = |mark: &dyn Fn(usize) -> String| -> String {
        lines.iter().enumerate().map(|(index, line)| format!("{}{line}\n", mark(index + 1))).collect()
    };
    for text in [
        marked(&|number| format!("{number} ")),
        marked(&|number| format!("{number:6}\t")),
        marked(&|number| format!("{number:6}\u{2192}")),
        marked(&|number| format!("{number}: ")),
        marked(&|number| format!("{number}) ")),
        marked(&|number| format!("{} | ", number + 95)),
        marked(&|_| "> ".to_owned()),
        marked(&|_| "+".to_owned()),
    ] {
        for text in [format!("Here it is:\n\n{text}\nDone."), format!("```\n{text}```"), text] {
            assert_eq!(read(&text, &object()), Some((expected.clone(), RepairKind::StrayText)), "{text}");
        }
    }
    let list = read("1 [\n2   10,\n3   20\n4 ]", &numbers());
    assert_eq!(list, Some((json!([10, 20]), RepairKind::StrayText)));
}

#[test]
fn numbers_of_a_value_are_no_marks() {
    let open = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let keys = read("{\n1: \"x\",\n2: \"y\"\n}", &open);
    assert_eq!(keys.map(|(value, _)| value), Some(json!({"1": "x", "2": "y"})));
    let rows = read("[\n1 2\n2 3\n]", &numbers());
    assert_eq!(rows.map(|(value, _)| value), Some(json!([1, 2, 2, 3])));
}

#[test]
fn an_object_may_have_lost_its_first_brace() {
    let expected = json!({"a": "x", "b": [1]});
    for text in [
        "\"a\": \"x\", \"b\": [1]}",
        "\n  \"a\": \"x\",\n  \"b\": [1]\n}\n",
        "<think>so</think>\n\"a\": \"x\", \"b\": [1]}",
        "```json\n\"a\": \"x\",\n\"b\": [1]\n}\n```",
    ] {
        assert_eq!(read(text, &object()), Some((expected.clone(), RepairKind::Bracket)), "{text}");
    }
    for text in [
        "\"a\": \"x\", \"b\": [1]",
        "So \"a\": \"x\", \"b\": [1]}",
        "\"a\": \"x\", \"b\": [1",
        "\"a\": \"x\"}",
        "\"a\": \"x\", \"b\": [1]} or \"a\": \"y\", \"b\": [1]}",
    ] {
        assert_eq!(read(text, &object()), None, "{text}");
    }
}
