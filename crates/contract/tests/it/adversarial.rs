//! Hostile texts of a megabyte get a verdict: no panic, no stack overflow, no endless loop.

use accord_contract::Meter;
use accord_contract::{Answer, Mode, Schema, Verdict, judge};
use accord_corpus::HOSTILE;
use serde_json::{Value, json};

use crate::judging::contract;

const MEBIBYTE: usize = 1024 * 1024;

/// The stack of a tokio worker, on which the judge runs in production.
const STACK_BYTES: usize = 2 * MEBIBYTE;

fn schemas() -> [Value; 4] {
    [
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false}),
        json!({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}}),
        json!({"type": "string", "maxLength": 10}),
        json!({"$ref": "#/definitions/tree", "definitions": {"tree": {"type": "object", "properties": {"a": {"$ref": "#/definitions/tree"}}, "additionalProperties": false}}}),
    ]
}

fn judged(text: &str, schema: &Value, mode: Mode) -> Verdict {
    judge(&Answer::text(text), &contract(schema, mode), &Meter::default())
}

/// Runs on a small stack, so that unlimited recursion fails the test.
fn on_a_small_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap();
    });
}

fn hostile_texts_are_judged(mode: Mode) {
    on_a_small_stack(|| {
        for (index, hostile) in HOSTILE.iter().enumerate() {
            // Each kind is tried with one schema at full size, and with the others at a size that
            // keeps the suite fast.
            for (turn, schema) in schemas().iter().enumerate() {
                let full = turn == index % schemas().len();
                let text = hostile.text(if full { MEBIBYTE } else { MEBIBYTE / 16 });
                if let Verdict::Accepted(accepted) = judged(&text, schema, mode) {
                    let compiled = Schema::compile(schema, &Meter::default()).unwrap();
                    assert!(
                        compiled.accepts(&accepted.value, &Meter::default()),
                        "{}: {schema}",
                        hostile.name
                    );
                }
            }
        }
    });
}

#[test]
fn hostile_texts_get_a_verdict_in_strict_mode() {
    hostile_texts_are_judged(Mode::Strict);
}

#[test]
fn hostile_texts_get_a_verdict_in_lenient_mode() {
    hostile_texts_are_judged(Mode::Lenient);
}

#[test]
fn a_text_over_the_limit_is_rejected() {
    let text = " ".repeat(accord_contract::limits::MAX_TEXT_BYTES) + "{\"a\":1}";
    for mode in [Mode::Strict, Mode::Lenient] {
        let verdict = judged(&text, &schemas()[0], mode);
        assert!(matches!(verdict, Verdict::Rejected(_)), "{verdict:?}");
    }
}

#[test]
fn an_answer_with_too_many_values_is_rejected() {
    let count = usize::try_from(accord_contract::limits::MAX_TEXT_VALUES).unwrap();
    let numbers = format!("[{}0]", "0,".repeat(count));
    // A stray quote must not hide them.
    for text in [&numbers, &format!("5\" {numbers}"), &format!("[{}", "[],".repeat(count))] {
        for mode in [Mode::Strict, Mode::Lenient] {
            let verdict = judged(text, &json!({"type": "array"}), mode);
            let Verdict::Rejected(rejected) = verdict else { panic!("{mode:?}: it has too many values") };
            let messages: Vec<&str> =
                rejected.violations.errors.iter().map(|error| error.message.as_str()).collect();
            assert_eq!(messages, ["the answer has more than 500000 values, the limit"]);
        }
    }
    let text = format!("{{\"a\": \"{}\"}}", ",".repeat(count));
    assert!(matches!(judged(&text, &json!({"type": "object"}), Mode::Strict), Verdict::Accepted(_)));
}

#[test]
fn the_limit_on_nesting_is_exact() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    on_a_small_stack(|| {
        for mode in [Mode::Strict, Mode::Lenient] {
            let deep = judged(&nested(accord_contract::limits::MAX_DEPTH + 1), &json!(true), mode);
            assert!(matches!(deep, Verdict::Rejected(_)), "{deep:?}");
            let shallow = judged(&nested(100), &json!(true), mode);
            assert!(matches!(shallow, Verdict::Accepted(_)), "{shallow:?}");
        }
    });
}

#[test]
fn a_schema_of_a_thousand_definitions_works() {
    let definitions: serde_json::Map<String, Value> = (0..1000)
        .map(|index| {
            (format!("d{index}"), json!({"type": "object", "properties": {"a": {"type": "integer"}}}))
        })
        .collect();
    let properties: serde_json::Map<String, Value> = (0..1000)
        .map(|index| (format!("p{index}"), json!({"$ref": format!("#/definitions/d{index}")})))
        .collect();
    let schema = json!({"type": "object", "properties": properties, "definitions": definitions});
    let text = "{\"p999\":{\"a\":1}}";
    assert!(matches!(judged(text, &schema, Mode::Strict), Verdict::Accepted(_)));
    assert!(matches!(judged("{\"p999\":{\"a\":\"b\"}}", &schema, Mode::Strict), Verdict::Rejected(_)));
}

#[test]
fn countless_marks_get_a_verdict() {
    on_a_small_stack(|| {
        for piece in [
            "x<analysis>",
            "<analysis>{",
            "{}<analysis>",
            "`<think>` ",
            "<think>`</think>` ",
            "\\boxed{{\"a\": 1} ",
            "is [x] or {",
            "<plan>{",
            "<del>{",
            "~~a {\n",
            "<|im_start|>user {} <|im_start|>",
            "<tool_result/> <!-- -->",
            "r = {}\nr.a\n\n",
            "[].a() [][:1] ",
            "{}\n\n\"a\": b c ",
            "the \"a b\": {} ",
            "[\\\"]\\\"",
            "> [\n",
            "see [a] b ",
        ] {
            for (mode, bytes) in [(Mode::Strict, MEBIBYTE / 2), (Mode::Lenient, MEBIBYTE / 16)] {
                let text = piece.repeat(bytes / piece.len());
                let _ = judged(&text, &schemas()[0], mode);
            }
        }
        let blank = format!("{}x{}", " ".repeat(MEBIBYTE / 2), "<think></think>".repeat(MEBIBYTE / 32));
        let _ = judged(&blank, &schemas()[0], Mode::Strict);
    });
}

#[test]
fn countless_broken_containers_get_a_verdict() {
    on_a_small_stack(|| {
        for piece in
            ["{'a: 1} ", "{\"a\": x\n\n", "{'a': {{\"a\": 1} ", "['a' /* ", "{\\\"a\\\": 1} ", "{\\\"a\\\" "]
        {
            for (mode, bytes) in [(Mode::Strict, MEBIBYTE / 2), (Mode::Lenient, MEBIBYTE / 16)] {
                let text = piece.repeat(bytes / piece.len());
                let _ = judged(&text, &schemas()[0], mode);
            }
        }
    });
}
