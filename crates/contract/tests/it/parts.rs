//! A part is not the answer: neither a value inside a damaged one, nor one item of a list, nor one
//! entry of a map. A standalone value is an answer, whatever braces are around it.

use accord_contract::Meter;
use accord_contract::lower::{Profile, lower};
use accord_contract::{
    Answer, Contract, Mode, Options, Outcome, Rejected, RepairKind, Schema, Verdict, judge,
};
use serde_json::{Value, json};

use crate::judging::{self, contract};

/// `{"n": number}`.
fn number() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
}

/// Names with ages.
fn ages() -> Value {
    let age = json!({"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]});
    json!({"type": "object", "additionalProperties": age})
}

fn judged(document: &Value, mode: Mode, text: &str) -> Verdict {
    judge(&Answer::text(text), &contract(document, mode), &Meter::default())
}

fn value(document: &Value, mode: Mode, text: &str) -> Option<Value> {
    judging::value(&contract(document, mode), text)
}

fn strict(document: &Value, text: &str) -> Option<Value> {
    value(document, Mode::Strict, text)
}

fn lenient(document: &Value, text: &str) -> Option<Value> {
    value(document, Mode::Lenient, text)
}

fn rejected(document: &Value, mode: Mode, text: &str) -> Rejected {
    judging::rejected(&contract(document, mode), text)
}

fn message(rejected: &Rejected) -> String {
    rejected.violations.errors.first().map(ToString::to_string).unwrap_or_default()
}

fn fenced(text: &str) -> String {
    format!("```json\n{text}\n```")
}

#[test]
fn values_quoted_in_a_damaged_answer_are_not_the_answer() {
    let quoting = [
        (r#"{'reason': 'first I had {"n": 1} but no', 'n': 2}"#, "first I had {\"n\": 1} but no"),
        ("{\"n\": 2, // not {\"n\": 1} here\n \"reason\": \"x\"}", "x"),
        ("{\"n\": 2, # not {\"n\": 1} here\n \"reason\": \"x\"}", "x"),
        (r#"{"n": 2, /* not {"n": 1} */ "reason": "x"}"#, "x"),
        (r#"{"reason": """was {"n": 1} once""", "n": 2}"#, "was {\"n\": 1} once"),
        (
            r#"{'reason': 'was {"name": "f", "arguments": {"n": 1}}', 'n': 2}"#,
            r#"was {"name": "f", "arguments": {"n": 1}}"#,
        ),
    ];
    for (text, reason) in quoting {
        for text in [text.to_owned(), fenced(text), format!("Here: {text}")] {
            assert_eq!(rejected(&number(), Mode::Strict, &text).outcome, Outcome::ParseError, "{text}");
            assert_eq!(lenient(&number(), &text), Some(json!({"n": 2, "reason": reason})), "{text}");
        }
    }
}

#[test]
fn a_property_of_a_damaged_answer_is_not_the_answer() {
    for text in [
        r#"{draft: {"n": 1}, final: {n: 2}}"#,
        r#"{"n": NaN, prev: {"n": 1}, x: 2}"#,
        r#"{"n": 1, "n": {"n": 2}}"#,
    ] {
        for mode in [Mode::Strict, Mode::Lenient] {
            assert_eq!(value(&number(), mode, text), None, "{text}");
            assert_eq!(value(&number(), mode, &fenced(text)), None, "{text}");
        }
    }
    let torn = r#"{"reason": "he said "{"n":1}" ok", "n": 2}"#;
    assert_eq!(strict(&number(), torn), None);
    assert_ne!(lenient(&number(), torn), Some(json!({"n": 1})));
}

#[test]
fn values_among_braces_of_prose_are_found() {
    for text in [
        r#"the set {1,2} gives {"n":1}"#,
        "Using {{name}} -> {value}, I get:\n{\"n\": 1}\n(set {lat, lon})",
        r#"In the form {"key": <number>, ...} that is {"n": 1}"#,
        "```bash\njq '{x: .items|length}'\n```\n```json\n{\"n\": 1}\n```",
        "```json\n{\"m\": oops\n```\nOnce more:\n```json\n{\"n\": 1}\n```",
        "interface Answer {\n  x: number; // it's one\n}\n\n{\"n\": 1}",
        r#"[TOOL_CALLS]submit[ARGS]{"n": 1}"#,
        "{```json\n{\"n\": 1}\n```}",
        r#"<call>{"name": "f", "arguments": {"n": 1}}</call>"#,
    ] {
        for mode in [Mode::Strict, Mode::Lenient] {
            assert_eq!(value(&number(), mode, text), Some(json!({"n": 1})), "{text}");
        }
    }
}

#[test]
fn damaged_values_with_a_key_of_the_schema_compete() {
    for text in [
        r#"In the form {"n": <number>, ...} that is {"n": 1}"#,
        "```bash\njq '{n: .items|length}'\n```\n```json\n{\"n\": 1}\n```",
        "```json\n{\"n\": oops\n```\nOnce more:\n```json\n{\"n\": 1}\n```",
        "interface Answer {\n  n: number; // it's one\n}\n\n{\"n\": 1}",
    ] {
        for mode in [Mode::Strict, Mode::Lenient] {
            assert_eq!(rejected(&number(), mode, text).outcome, Outcome::Ambiguous, "{text}");
        }
    }
}

#[test]
fn no_item_of_a_list_is_dropped() {
    let numbers = json!({"type": "array", "items": number()});
    for text in [
        r#"[{"n":1},{"m":2}]"#,
        r#"[{"n":"1"},{"n":"two"}]"#,
        r#"[{"m":2},{"n":3},{"k":1}]"#,
        r#"{"result": [{"n":1},{"m":2}]}"#,
        r#"[{"name":"f","arguments":{"n":1}},{"name":"g","arguments":{"m":2}}]"#,
    ] {
        for mode in [Mode::Strict, Mode::Lenient] {
            assert_eq!(value(&numbers, mode, text), None, "{text}");
            assert_eq!(value(&numbers, mode, &fenced(text)), None, "{text}");
        }
    }
    for mode in [Mode::Strict, Mode::Lenient] {
        assert_eq!(value(&number(), mode, &fenced(r#"[{"n":1},{"b":"q"}]"#)), None);
    }
    assert_eq!(lenient(&numbers, r#"{"result": [{"n":"1"},{"n":2}]}"#), Some(json!([{"n": 1}, {"n": 2}])));
}

#[test]
fn the_call_of_the_requested_function_is_taken() {
    let calls = r#"[{"name":"f","arguments":{"n":1}},{"name":"g","arguments":{"m":2}}]"#;
    assert_eq!(strict(&number(), calls), Some(json!({"n": 1})));
    assert_eq!(strict(&number(), &fenced(calls)), Some(json!({"n": 1})));
}

#[test]
fn objects_that_are_not_calls_have_no_arguments() {
    for (text, in_lenient) in [
        (r#"{"type":"error","input":{"n":1}}"#, None),
        (r#"{"id":1,"type":"invalid_request","parameters":{"n":1}}"#, None),
        (r#"{"name":"ValueError","type":"error","input":{"n":1}}"#, None),
        (r#"{"name":"x","type":{"n":1},"arguments":{"foo":1}}"#, None),
        (r#"{"name":"f","id":{"n":1},"arguments":{"foo":1}}"#, None),
        (r#"{"name":"f","arguments":{"old":{"n":1},"new":{"n":2}}}"#, None),
        (r#"{"type":"object","required":{"n":1}}"#, None),
        (r#"{"index":3,"args":{"n":1}}"#, Some(json!({"n": 1}))),
        (r#"{"function":{"n":1}}"#, Some(json!({"n": 1}))),
        (r#"{"name":"f","arguments":{"previous":{"n":1}}}"#, None),
        (r#"{"name":"f","arguments":{"candidates":[{"n":1}]}}"#, None),
        (r#"{"name":"f","arguments":{"output":{"n":1}}}"#, Some(json!({"n": 1}))),
        (r#"{"name":"f","arguments":[{"n":1}]}"#, Some(json!({"n": 1}))),
    ] {
        for text in [text.to_owned(), fenced(text), format!("Here: {text}"), format!("[{text}]")] {
            assert_eq!(strict(&number(), &text), None, "{text}");
            assert_eq!(lenient(&number(), &text), in_lenient, "{text}");
        }
    }
}

#[test]
fn a_call_with_the_schema_as_its_arguments_is_not_an_answer() {
    let document =
        json!({"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]});
    let call = json!({"name": "submit", "arguments": document}).to_string();
    for mode in [Mode::Strict, Mode::Lenient] {
        for text in [call.clone(), fenced(&call)] {
            assert_eq!(value(&document, mode, &text), None, "{text}");
        }
    }
    let call = r#"{"name": "submit", "arguments": {"type": "x"}}"#;
    assert_eq!(strict(&document, call), Some(json!({"type": "x"})));
}

#[test]
fn a_number_in_a_fence_counts_only_if_it_is_alone() {
    let integer = json!({"type": "integer"});
    assert_eq!(strict(&integer, "Here:\n```\n42\n```"), Some(json!(42)));
    for text in ["Here:\n```\n42 of 50\n```", "Here:\n```\n42\n43\n```", "It is ```42```."] {
        for mode in [Mode::Strict, Mode::Lenient] {
            assert_eq!(value(&integer, mode, text), None, "{text}");
        }
    }
}

#[test]
fn a_call_in_an_api_envelope_is_found() {
    let call = r#"{"name":"f","arguments":{"n":1}}"#;
    let function = format!(r#"{{"id":"1","type":"function","function":{call}}}"#);
    for text in [
        format!(r#"{{"function_call":{call}}}"#),
        r#"{"functionCall":{"name":"f","args":{"n":1}}}"#.to_owned(),
        format!(r#"{{"tool_call":{call}}}"#),
        format!(r#"{{"tool_calls":[{call}]}}"#),
        format!(r#"{{"tool_calls":[{function}]}}"#),
        format!(r#"{{"tool_calls":[{function},{{"name":"g","arguments":{{"m":2}}}}]}}"#),
        format!(r#"{{"function":{call}}}"#),
        r#"{"type":"tool_use","id":"1","name":"f","input":{"n":1}}"#.to_owned(),
        r#"{"action":"f","action_input":{"n":1}}"#.to_owned(),
        r#"{"function_name":"f","args":{"n":1}}"#.to_owned(),
        function,
    ] {
        for text in [text.clone(), fenced(&text), format!("Here: {text}")] {
            assert_eq!(strict(&number(), &text), Some(json!({"n": 1})), "{text}");
            assert_eq!(lenient(&number(), &text), Some(json!({"n": 1})), "{text}");
        }
    }
    for text in [
        r#"{"tool_calls":[{"n":1}]}"#,
        r#"{"tool_call":{"n":1}}"#,
        r#"{"tool_call":{"name":"f","arguments":{"n":1}},"error":"refused"}"#,
        r#"{"tool_calls":[{"name":"f","arguments":{"n":1}},{"name":"f","arguments":{"n":2}}]}"#,
    ] {
        assert_eq!(strict(&number(), text), None, "{text}");
    }
    let asked = json!({"type": "object", "required": ["tool_call", "n"], "properties":
        {"tool_call": {"type": "object"}, "n": {"type": "integer"}}});
    assert_eq!(strict(&asked, r#"{"tool_call":{"name":"f","arguments":{"tool_call":{},"n":1}}}"#), None);
}

#[test]
fn the_message_around_calls_changes_no_verdict() {
    let call = r#"{"id":"1","type":"function","function":{"name":"f","arguments":{"n":1}}}"#;
    let written = r#"{"id":"1","type":"function","function":{"name":"f","arguments":"{\"n\": 1}"}}"#;
    let wrong = r#"{"id":"1","type":"function","function":{"name":"f","arguments":{"m":1}}}"#;
    for calls in [
        call.to_owned(),
        written.to_owned(),
        wrong.to_owned(),
        format!("{call},{call}"),
        format!("{call},{wrong}"),
    ] {
        let alone = format!(r#"{{"tool_calls":[{calls}]}}"#);
        for message in [
            format!(r#"{{"role":"assistant","content":null,"tool_calls":[{calls}]}}"#),
            format!(
                r#"{{"role":"assistant","content":"","refusal":null,"annotations":[],"tool_calls":[{calls}]}}"#
            ),
            format!(
                r#"{{"tool_calls":[{calls}],"role":"assistant","content":null,"function_call":null,"audio":null}}"#
            ),
        ] {
            for frame in [|text: &str| text.to_owned(), fenced, |text: &str| format!("So: {text}")] {
                assert_eq!(
                    strict(&number(), &frame(&message)),
                    strict(&number(), &frame(&alone)),
                    "{message}"
                );
                assert_eq!(
                    lenient(&number(), &frame(&message)),
                    lenient(&number(), &frame(&alone)),
                    "{message}"
                );
            }
        }
    }
    assert_eq!(
        strict(&number(), &format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#)),
        Some(json!({"n": 1}))
    );
    for said in
        [r#""content":"No.""#, r#""refusal":"No.""#, r#""function_call":{"name":"g"}"#, r#""error":null"#]
    {
        let text = format!(r#"{{"role":"assistant",{said},"tool_calls":[{call}]}}"#);
        assert_eq!(strict(&number(), &text), None, "{text}");
    }
}

#[test]
fn a_key_or_comma_before_a_value_belongs_to_a_larger_one() {
    for text in [
        "\"draft\": {\"n\": 1}",
        "'draft':\n{\"n\": 1}",
        "so, \"draft\":\n{\"n\": 1}",
        "I set \"draft\": {\"n\": 1}",
        "\"ok\": true \"draft\":\n{\"n\": 1}",
        "\"m\": 2 \"the draft\": {\"n\": 1}",
        "{\"ok\": yes \"the draft\":\n{\"n\": 1}}",
        "{n: 2}, {\"n\": 1}",
        "{\"n\": oops}, {\"n\": 1}",
        "[1, oops, {\"n\": 1}, x]",
        "[oops, {\"n\": 1}, x]",
        "[oops \"]\", {\"n\": 1}, x]",
        "[x], {\"n\": 1}",
        "as in [1, x], {\"n\": 1}",
        "the query \"how many?\": {\"n\": 1}}",
        "the query \"how many?\": {\"n\": 1}, x]",
        "{\"n\": 1}\n\n\"n\": how many there are\n}",
        "{\"n\": 1}\n\n\"n\": true or not",
        "{\"n\": 1} \"n\": how many there are",
        "{\"n\": 1}\n\n\"reason\": because it is so",
        "\"draft\": \\boxed{{\"n\": 1}}",
        "\\boxed{{\"n\": 1}, \"m\": 2}",
    ] {
        assert_eq!(strict(&number(), text), None, "{text}");
    }
}

#[test]
fn a_fence_around_a_wrapper_changes_nothing() {
    let wrapped = r#"{"result":{"n":1}}"#;
    for text in [wrapped.to_owned(), fenced(wrapped), format!("Here: {wrapped}"), fenced(r#"[{"n":1}]"#)] {
        assert_eq!(strict(&number(), &text), None, "{text}");
        let Verdict::Accepted(taken) = judged(&number(), Mode::Lenient, &text) else { panic!("{text}") };
        assert_eq!(taken.value, json!({"n": 1}), "{text}");
        assert!(taken.repairs.iter().any(|repair| repair.kind == RepairKind::Unwrapped), "{text}");
    }
    let call = r#"{"name": "submit", "arguments": {"n": 1}}"#;
    for text in [call.to_owned(), fenced(call), format!("Here: {call}"), fenced(&format!("[{call}]"))] {
        assert_eq!(strict(&number(), &text), Some(json!({"n": 1})), "{text}");
    }
}

#[test]
fn an_entry_of_a_map_is_not_a_wrapper() {
    let nested = r#"{"ann":{"parents":{"age":60}}}"#;
    for mode in [Mode::Strict, Mode::Lenient] {
        for text in [nested.to_owned(), fenced(nested), format!("Here: {nested}")] {
            assert_ne!(value(&ages(), mode, &text), Some(json!({"parents": {"age": 60}})), "{text}");
        }
    }
    let call = r#"{"name": "submit", "arguments": {"ann": {"age": 60}}}"#;
    assert_eq!(strict(&ages(), &fenced(call)), Some(json!({"ann": {"age": 60}})));
}

#[test]
fn escaped_values_rank_like_others() {
    let escaped = |text: &str| text.replace('"', "\\\"");
    for text in [r#"{"n": 1} no wait, final: {"n": 2}"#, r#"{"n": 1}{"n": 2}"#] {
        assert_eq!(lenient(&number(), &escaped(text)), None, "{text}");
    }
    assert_eq!(lenient(&number(), &escaped(r#"{"n": 1}, "m": "x"}"#)), None);
    for text in [r#"{"n": 1}"#, r#"{"n": 1} is the answer"#] {
        assert_eq!(lenient(&number(), &escaped(text)), Some(json!({"n": 1})), "{text}");
    }
}

#[test]
fn the_lowered_schema_is_never_the_answer() {
    let document = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"],
        "additionalProperties": true});
    let schema = Schema::compile(&document, &Meter::default()).expect("the schema compiles");
    let lift = lower(&schema, Profile::named("openai").expect("the profile is there"), &Meter::default())
        .unwrap()
        .lift;
    let twice = r#"{"a":1,"additional_properties":[{"key":"k","value":"1"},{"key":"k","value":"2"}]}"#;
    for mode in [Mode::Strict, Mode::Lenient] {
        let contract = Contract::new(schema.clone()).with_options(Options { mode, ..Options::default() });
        for text in [twice.to_owned(), fenced(twice), format!("Here: {twice}"), twice.replace("}]}", "}],}")]
        {
            let answer = Answer { lift: Some(&lift), ..Answer::text(&text) };
            let Verdict::Rejected(rejected) = judge(&answer, &contract, &Meter::default()) else {
                panic!("{text}")
            };
            if !text.contains(",}") {
                assert!(message(&rejected).contains("duplicate key \"k\""), "{text}: {}", message(&rejected));
            }
        }
        let value: Value = serde_json::from_str(twice).expect("it is JSON");
        let answer = Answer { lift: Some(&lift), ..Answer::structured(&value, r#"{"a": 2}"#) };
        assert!(matches!(judge(&answer, &contract, &Meter::default()), Verdict::Rejected(_)), "handed over");
    }
}

#[test]
fn the_damage_is_reported_and_not_its_content() {
    for (document, text) in [
        (number(), r#"{"n":1,"n":{"x":2}}"#),
        (json!({"type": "object", "additionalProperties": number()}), r#"{"n":{"n":1},"n":{"n":2}}"#),
    ] {
        for mode in [Mode::Strict, Mode::Lenient] {
            let rejected = rejected(&document, mode, text);
            assert_eq!(rejected.outcome, Outcome::ParseError, "{text}");
            assert!(message(&rejected).contains("duplicate key \"n\""), "{}", message(&rejected));
        }
    }
    let short = rejected(&json!({"type": "object"}), Mode::Strict, r#"{"s": "a\u00e"}"#);
    assert!(message(&short).contains("four hexadecimal digits"), "{}", message(&short));
    let half = rejected(&json!({"type": "object"}), Mode::Strict, r#"{"s": "a\ud83d"}"#);
    assert!(message(&half).contains("lone surrogate"), "{}", message(&half));
}
