//! The rules of the judge, one test each: what it finds, what it chooses, what it never does.

use accord_contract::Meter;
use accord_contract::{
    Answer, Contract, Extract, Invariant, Invariants, Mode, Options, Outcome, RepairKind, Source, Verdict,
    judge, limits,
};
use serde_json::{Value, json};

use crate::judging::{contract, rejected, value};

fn schema(document: Value) -> Contract {
    contract(&document, Mode::Strict)
}

fn lenient(document: Value) -> Contract {
    contract(&document, Mode::Lenient)
}

/// `{"a": integer, "b"?: string}`.
fn pair() -> Value {
    json!({"type": "object", "required": ["a"],
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "array", "items": {"type": "string"}}}})
}

#[test]
fn numbers_survive_digit_for_digit() {
    let any = schema(json!({"type": "array", "items": {"type": "number"}}));
    let text = "[12345678901234567890,90071992547409931234,1e400,-0,1.10,1E5]";
    assert_eq!(value(&any, text).map(|value| value.to_string()), Some(text.to_owned()));
}

#[test]
fn numbers_beyond_the_limit_are_rejected_not_rounded() {
    let any = lenient(json!({"type": "array"}));
    for text in [format!("[{}]", "9".repeat(1_001)), "[1e100000]".to_owned()] {
        assert_eq!(rejected(&any, &text).outcome, Outcome::ParseError);
    }
}

#[test]
fn duplicate_keys_are_an_error_unless_the_values_are_equal() {
    assert_eq!(rejected(&schema(pair()), r#"{"a": 1, "a": 2}"#).outcome, Outcome::ParseError);
    assert_eq!(value(&schema(pair()), r#"{"a": 1, "a": 1}"#), Some(json!({"a": 1})));
    assert_eq!(value(&lenient(pair()), r#"{"a": 1, "a": 2,}"#), None);
}

#[test]
fn a_reserved_key_is_an_error() {
    let any = lenient(json!({"type": "object"}));
    for text in [
        r#"{"x": {"$serde_json::private::RawValue": "12"}}"#,
        r#"{"x": {"\u0024serde_json::private::RawValue": "12"}}"#,
        r#"{"x": {"$serde_json::private::RawValue": "12",}}"#,
        r#"{"x": [1], "$serde_json::private::RawValue": "12"}"#,
    ] {
        let rejected = rejected(&any, text);
        assert_eq!(rejected.outcome, Outcome::ParseError, "{text}");
    }
    let rejected = rejected(&any, r#"{"x": {"$serde_json::private::Number": "abc"}}"#);
    let messages: Vec<_> = rejected.violations.errors.into_iter().map(|error| error.message).collect();
    let expected = "invalid JSON at line 1, column 8: the key \"$serde_json::private::Number\" is reserved; use another name";
    assert_eq!(messages, [expected]);
    let text = r#"{"x": "$serde_json::private::RawValue"}"#;
    assert_eq!(value(&any, text).map(|value| value.to_string()), Some(text.replace(": ", ":")));
}

#[test]
fn values_in_reasoning_are_not_answers() {
    let contract = lenient(pair());
    assert_eq!(value(&contract, r#"<think>{"a": 1}</think>{"a": 2}"#), Some(json!({"a": 2})));
    assert_eq!(value(&contract, r#"maybe {"a": 1}?</think>{"a": 2}"#), Some(json!({"a": 2})));
    assert_eq!(rejected(&contract, r#"<THINKING x="1">{"a": 1}"#).outcome, Outcome::NoJson);
    assert_eq!(rejected(&contract, r#"[THINK]{"a": 1}[/THINK]"#).outcome, Outcome::NoJson);
    assert_eq!(value(&contract, r#"{"a": 1, "b": "<think>"}"#), Some(json!({"a": 1, "b": "<think>"})));
}

#[test]
fn a_value_in_a_fence_and_another_in_prose_are_ambiguous() {
    for contract in [schema(pair()), lenient(pair())] {
        let text = "I thought of {\"a\": 1}.\n```json\n{\"a\": 2}\n```";
        assert_eq!(rejected(&contract, text).outcome, Outcome::Ambiguous);
        let text = text.replace('1', "2");
        let Verdict::Accepted(accepted) = judge(&Answer::text(&text), &contract, &Meter::default()) else {
            panic!("{text}")
        };
        assert_eq!((accepted.value, accepted.source), (json!({"a": 2}), Source::Fence));
    }
}

#[test]
fn two_different_values_are_ambiguous_and_two_equal_ones_are_not() {
    for contract in [schema(pair()), lenient(pair())] {
        assert_eq!(rejected(&contract, r#"{"a": 1} or {"a": 2}"#).outcome, Outcome::Ambiguous);
        assert_eq!(value(&contract, r#"{"a": 1} or {"a": 1.0}"#), Some(json!({"a": 1})));
    }
}

#[test]
fn values_in_one_fence_have_the_same_rank() {
    let fence = "```json\n{\"a\": 1}\n{\"a\": 2}\n```";
    for contract in [schema(pair()), lenient(pair())] {
        assert_eq!(rejected(&contract, fence).outcome, Outcome::Ambiguous);
    }
    let list = lenient(json!({"type": "array", "items": pair()}));
    assert_eq!(value(&list, fence), Some(json!([{"a": 1}, {"a": 2}])));
}

#[test]
fn a_value_that_continues_in_the_text_is_incomplete() {
    let torn = "{\"a\": 1}, \"b\": \"x\"}";
    for text in [torn.to_owned(), format!("```json\n{torn}\n```"), format!("Here: {torn}")] {
        assert_eq!(value(&schema(pair()), &text), None, "{text}");
        assert_eq!(value(&lenient(pair()), &text), None, "{text}");
    }
}

#[test]
fn a_returned_schema_is_an_echo() {
    let open = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    for contract in [schema(open.clone()), lenient(open.clone())] {
        assert_eq!(rejected(&contract, &open.to_string()).outcome, Outcome::SchemaEcho);
        assert_eq!(
            rejected(&contract, r#"{"properties": {"a": {}}, "type": "object"}"#).outcome,
            Outcome::SchemaEcho
        );
        let handed_over = judge(&Answer::structured(&open, ""), &contract, &Meter::default());
        assert!(
            matches!(&handed_over, Verdict::Rejected(rejected) if rejected.outcome == Outcome::SchemaEcho),
            "{handed_over:?}"
        );
    }
}

#[test]
fn a_schema_without_a_type_at_its_root_is_an_echo_too() {
    let open = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    for document in [
        json!({"$defs": {"Pair": open}, "$ref": "#/$defs/Pair"}),
        json!({"anyOf": [open, {"type": "null"}]}),
        json!({"oneOf": [open, {"type": "array"}]}),
        json!({"allOf": [open]}),
        json!({"additionalProperties": true}),
    ] {
        for contract in [schema(document.clone()), lenient(document.clone())] {
            for text in [document.to_string(), format!("```json\n{document}\n```")] {
                assert_eq!(rejected(&contract, &text).outcome, Outcome::SchemaEcho, "{text}");
            }
        }
    }
    assert_eq!(value(&schema(json!({})), "{}"), Some(json!({})));
    assert_eq!(value(&schema(json!(true)), "true"), Some(json!(true)));
}

#[test]
fn a_returned_schema_in_a_wrapper_is_an_echo() {
    let open = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    let named = json!({"name": "one", "schema": open, "strict": true});
    for contract in [schema(open.clone()), lenient(open.clone())] {
        for echo in [
            json!({"schema": open}),
            named.clone(),
            json!({"type": "json_schema", "json_schema": named}),
            json!({"name": "submit_result", "input_schema": open}),
        ] {
            assert_eq!(rejected(&contract, &echo.to_string()).outcome, Outcome::SchemaEcho, "{echo}");
        }
        let other = json!({"schema": "public", "parameters": {"b": 1}});
        assert_eq!(value(&contract, &other.to_string()), Some(other));
    }
    let list = json!({"type": "array", "items": open});
    for contract in [schema(list.clone()), lenient(list)] {
        assert_eq!(rejected(&contract, &json!([open]).to_string()).outcome, Outcome::SchemaEcho);
        for answer in [json!([{"a": 1}, {"type": "x"}]), json!([open, {"a": 1}])] {
            assert_eq!(value(&contract, &answer.to_string()), Some(answer));
        }
    }
    let of_schemas = json!({"type": "object", "properties": {"schema": {"type": "object"}}});
    let answer = json!({"schema": of_schemas});
    assert_eq!(value(&schema(of_schemas), &answer.to_string()), Some(answer));
    let tool = json!({"name": "x", "parameters": {"type": "object"}});
    assert_eq!(value(&schema(json!({"type": "object"})), &tool.to_string()), Some(tool));
    let schemas = json!({"type": "array", "items": {"type": "object", "properties": {"properties": {"type": "object"}}}});
    let answer = json!([{"properties": {"properties": {}}}]);
    assert_eq!(value(&schema(schemas), &answer.to_string()), Some(answer));
}

#[test]
fn a_schema_with_a_miscopied_pattern_is_an_echo() {
    let document = json!({
        "type": "object", "required": ["a"], "properties": {"a": {"type": "string", "pattern": "^[0-9]+$"}}
    });
    let miscopied = document.to_string().replace("^[0-9]+$", "[0-9");
    for contract in [schema(document.clone()), lenient(document)] {
        assert_eq!(rejected(&contract, &miscopied).outcome, Outcome::SchemaEcho);
        let data = rejected(&contract, r#"{"type": "object", "properties": {"a": "x"}}"#);
        assert_eq!(data.outcome, Outcome::SchemaInvalid);
    }
}

#[test]
fn a_schema_of_a_later_draft_is_an_echo_without_its_dialect() {
    let tuple = json!({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "integer"}]}}});
    let mut document = tuple.clone();
    document["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    assert_eq!(rejected(&schema(document), &tuple.to_string()).outcome, Outcome::SchemaEcho);
}

#[test]
fn a_parse_error_names_the_wrong_token() {
    let contract = schema(json!({"type": "object"}));
    for (text, message) in [
        (r#"{"a": "x",}"#, "expected a key in double quotes, got '}'; remove the comma before it"),
        (r#"{"a": [1, ]}"#, "expected a value, got ']'; remove the comma before it"),
        (
            r#"{"a": NaN}"#,
            "expected a value, got 'NaN'; JSON has no such number; write null or a finite number",
        ),
        (r#"{"a": None}"#, "expected a value, got 'None'; write null"),
        (r#"{"a": oslo}"#, "expected a value, got 'oslo'"),
        (
            r#"{"a": "x "y" z"}"#,
            "expected ',' or '}', got 'y'; escape a double quote inside a string as \\\"",
        ),
        ("{'a': 1}", "expected a key in double quotes, got '\\''; JSON strings use double quotes (\")"),
        ("{\u{201c}a\u{201d}: 1}", "got '\u{201c}'; JSON strings use double quotes (\")"),
        ("{&quot;a&quot;: 1}", "got '&quot;'; JSON strings use double quotes (\")"),
        ("{\"a\": <b>}", "expected a value, got '<'"),
    ] {
        let errors = rejected(&contract, text).violations.errors;
        let told = &errors.first().expect("there is an error").message;
        assert!(told.ends_with(message), "{text}: {told}");
    }
}

#[test]
fn another_schema_is_an_answer() {
    let contract = schema(json!({"type": "object"}));
    let answer = json!({"type": "object", "properties": {"x": {"type": "string"}}});
    assert_eq!(value(&contract, &answer.to_string()), Some(answer));
}

#[test]
fn strict_json_only_rejects_surrounding_text() {
    let only = Options { strict_json_only: true, mode: Mode::Lenient, ..Options::default() };
    let contract = schema(pair()).with_options(only);
    assert_eq!(value(&contract, " {\"a\": 1}\n"), Some(json!({"a": 1})));
    assert_eq!(value(&contract, "{a: 1,}"), Some(json!({"a": 1})));
    for text in ["Here: {\"a\": 1}", "{\"a\": 1} done", "```json\n{\"a\": 1}\n```", "{a: 1,} done"] {
        assert_eq!(value(&contract, text), None, "{text}");
    }
}

#[test]
fn without_extraction_only_the_whole_text_counts() {
    let whole = Options { extract_json: Extract::NONE, ..Options::default() };
    let contract = schema(pair()).with_options(whole);
    assert_eq!(value(&contract, "{\"a\": 1}"), Some(json!({"a": 1})));
    assert_eq!(value(&contract, "<think>hm</think>{\"a\": 1}"), Some(json!({"a": 1})));
    assert_eq!(value(&contract, "```json\n{\"a\": 1}\n```"), None);
    assert_eq!(value(&contract, r#"{"result": {"a": 1}}"#), None);
    assert_eq!(value(&contract, r#"{"name": "submit", "arguments": {"a": 1}}"#), None);
}

#[test]
fn the_structured_value_comes_first_and_the_text_is_the_fallback() {
    let contract = lenient(pair());
    let judged = |value: &Value, text: &str| match judge(
        &Answer::structured(value, text),
        &contract,
        &Meter::default(),
    ) {
        Verdict::Accepted(accepted) => Some((accepted.value, accepted.source)),
        Verdict::Rejected(_) => None,
    };
    assert_eq!(judged(&json!({"a": 1}), r#"{"a": 2}"#), Some((json!({"a": 1}), Source::Structured)));
    assert_eq!(judged(&json!({"a": "1"}), ""), Some((json!({"a": 1}), Source::Structured)));
    assert_eq!(judged(&json!({"x": 1}), r#"{"a": 2}"#), Some((json!({"a": 2}), Source::Text)));
    assert_eq!(judged(&json!({"x": 1}), "sorry"), None);
}

#[test]
fn an_empty_object_is_a_value() {
    assert_eq!(value(&schema(json!({"type": "object"})), "{}"), Some(json!({})));
}

#[test]
fn nothing_is_invented() {
    let contract = lenient(pair());
    for text in [
        r#"{"a": 2.5}"#,
        r#"{"a": "2.5"}"#,
        r#"{"a": }"#,
        r#"{"b": "x"}"#,
        r#"{"a": "one"}"#,
        r#"{"a": 1, "c": [1, {}]}"#,
        r#"{"a": [1, 2]}"#,
        r#"{"a": NaN}"#,
        r#"{"a": 10-20}"#,
        r#"{"a": 5 kg}"#,
        "[1, ...]",
        r#"{"x": 1}"#,
        "1",
    ] {
        assert_eq!(value(&contract, text), None, "{text}");
    }
    assert_eq!(value(&lenient(json!({"type": "array", "items": {"type": "integer"}})), "[1,,2]"), None);
    assert_eq!(
        value(&lenient(json!({"enum": [1, true, "THREE"]})), r#"{"status": 1, "message": "ok"}"#),
        None
    );
}

#[test]
fn a_cut_is_accepted_only_after_a_complete_token() {
    let contract = lenient(pair());
    for (text, expected) in [
        (r#"{"a": 1, "b": "x""#, Some(json!({"a": 1, "b": "x"}))),
        (r#"{"a": 1, "b": "#, None),
        (r#"{"a": 1, "b"#, None),
        (r#"{"a": 1, "#, None),
        (r#"{"a": 1, "c": ["x", "y","#, None),
        (r#"{"a": 1, "c": ["x", "y""#, Some(json!({"a": 1, "c": ["x", "y"]}))),
        (r#"{"a": 1, "b": "x"#, None),
        (r#"{"a": 1"#, None),
        (r#"{"b": "x", "a": tru"#, None),
        (r#"{"b": "x", "#, None),
        (r#"{"a": 1, "c": ["#, None),
    ] {
        assert_eq!(value(&contract, text), expected, "{text}");
    }
}

#[test]
fn a_wrapper_around_the_whole_answer_is_a_repair() {
    assert_eq!(rejected(&lenient(pair()), r#"{"error": {"a": 1}}"#).outcome, Outcome::SchemaInvalid);
    let wrapped = [r#"{"result": {"a": 1}}"#, r#"[{"a": 1}]"#, r#"[[{"a": 1}]]"#, r#"{"input": {"a": 1}}"#];
    for text in wrapped {
        assert_eq!(rejected(&schema(pair()), text).outcome, Outcome::SchemaInvalid, "{text}");
        let Verdict::Accepted(taken) = judge(&Answer::text(text), &lenient(pair()), &Meter::default()) else {
            panic!("{text}")
        };
        assert_eq!(taken.value, json!({"a": 1}), "{text}");
        let kinds: Vec<_> = taken.repairs.iter().map(|repair| repair.kind).collect();
        assert_eq!(kinds, [RepairKind::Unwrapped], "{text}");
    }
    let call = r#"{"name": "submit", "arguments": {"a": 1}}"#;
    assert_eq!(value(&schema(pair()), call), Some(json!({"a": 1})));
    assert_eq!(value(&schema(pair()), &format!("[{call}]")), Some(json!({"a": 1})));
}

#[test]
fn strict_mode_repairs_nothing() {
    let contract = schema(pair());
    let raw = "{\"a\": 1, \"b\": \"x\ny\"}";
    for text in [r#"{"a": 1,}"#, "{'a': 1}", r#"{"a": "1"}"#, r#"{"a": 1, "b": null}"#, r#"{"a": 1"#, raw] {
        assert_eq!(value(&contract, text), None, "{text}");
    }
}

#[test]
fn every_change_is_recorded_where_it_was_made() {
    let contract = lenient(pair());
    let Verdict::Accepted(accepted) =
        judge(&Answer::text("{a: '1', \"b\": null, \"c\": \"x\",}"), &contract, &Meter::default())
    else {
        panic!("this can be repaired");
    };
    assert_eq!(accepted.value, json!({"a": 1, "c": ["x"]}));
    let made: Vec<(RepairKind, &str)> =
        accepted.repairs.iter().map(|repair| (repair.kind, repair.path.as_str())).collect();
    assert_eq!(
        made,
        [
            (RepairKind::Unquoted, "$"),
            (RepairKind::Quotes, "$.a"),
            (RepairKind::ExtraComma, "$"),
            (RepairKind::Coerced, "$.a"),
            (RepairKind::DroppedNull, "$.b"),
            (RepairKind::WrappedInList, "$.c"),
        ]
    );
}

#[test]
fn a_part_of_a_broken_value_is_not_the_answer() {
    let person = json!({"type": "object", "required": ["name", "age"],
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}});
    for contract in [schema(person.clone()), lenient(person)] {
        assert_eq!(value(&contract, r#"{"name": "Ann", "spouse": {"name": "Bo", "age": 40}}"#), None);
        assert_eq!(value(&contract, r#"{"name": , "spouse": {"name": "Bo", "age": 40}}"#), None);
        assert_eq!(value(&contract, r#"[{"name": "Ann"}, {"name": "Bo", "age": 40}]"#), None);
        let wrapped = json!({"name": "f", "arguments": {"name": "Bo", "age": 40}});
        assert_eq!(value(&contract, &wrapped.to_string()), Some(wrapped["arguments"].clone()));
    }
}

#[test]
fn arguments_written_as_text_are_read() {
    for call in [
        json!({"name": "f", "arguments": "{\"a\": 1}"}),
        json!({"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}),
        json!([{"name": "f", "arguments": "{\"a\": 1}"}]),
        json!({"tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{\"a\": 1}"}}]}),
    ] {
        assert_eq!(value(&lenient(pair()), &call.to_string()), Some(json!({"a": 1})));
        assert_eq!(value(&schema(pair()), &call.to_string()), Some(json!({"a": 1})));
    }
    let python = json!({"name": "f", "arguments": "{'a': 1}"}).to_string();
    assert_eq!(value(&schema(pair()), &python), None);
    assert_eq!(value(&lenient(pair()), &python), Some(json!({"a": 1})));
    for other in [
        json!({"note": "{\"a\": 1}", "x": 2}),
        json!({"type": "error", "input": "{\"a\": 1}"}),
        json!({"name": "f", "arguments": "{\"a\": 1}", "input": "{\"a\": 2}"}),
        json!([{"name": "f", "arguments": "{\"a\": 1}"}, {"name": "f", "arguments": "{\"a\": 2}"}]),
    ] {
        assert_eq!(value(&lenient(pair()), &other.to_string()), None, "{other}");
    }
}

#[test]
fn invariants_influence_the_choice() {
    let rule = Invariant { rule: "output.a > 1".to_owned(), message: "a must be above one".to_owned() };
    let contract = schema(pair()).with_invariants(Invariants::compile(&[rule]).expect("the rule compiles"));
    assert_eq!(value(&contract, r#"{"a": 1} or {"a": 2}"#), Some(json!({"a": 2})));
    let rejected = rejected(&contract, r#"{"a": 1}"#);
    assert_eq!(rejected.outcome, Outcome::InvariantFailed);
    assert_eq!(rejected.violations.errors.first().map(|error| error.keyword.as_str()), Some("invariant"));
    let lenient = contract.with_options(Options { mode: Mode::Lenient, ..Options::default() });
    assert_eq!(value(&lenient, r#"{"a": "1"}"#), None);
    assert_eq!(value(&lenient, r#"{"a": "2"}"#), Some(json!({"a": 2})));
}

#[test]
fn a_rejection_names_the_location() {
    let rejected = rejected(&schema(pair()), r#"Sure: {"a": "x"}"#);
    assert_eq!(rejected.outcome, Outcome::SchemaInvalid);
    let error = rejected.violations.errors.first().expect("there is an error");
    assert_eq!((error.path.as_str(), error.pointer.as_str(), error.keyword.as_str()), ("$.a", "/a", "type"));
    let candidate = rejected.candidate.expect("there is a candidate");
    assert_eq!((candidate.range, candidate.value), (Some(6..16), Some(json!({"a": "x"}))));
}

#[test]
fn repaired_values_report_their_violations() {
    let rejected = rejected(&lenient(pair()), "{a: 'x',}");
    assert_eq!(rejected.outcome, Outcome::SchemaInvalid);
    assert_eq!(rejected.violations.errors.first().map(|error| error.path.as_str()), Some("$.a"));
}

#[test]
fn exceeding_a_limit_is_a_clear_rejection() {
    let contract = lenient(pair());
    let long = format!("{{\"a\": 1}}{}", " ".repeat(limits::MAX_TEXT_BYTES));
    let crowded = format!("{{\"a\": 1}} {}", "[] ".repeat(limits::MAX_CANDIDATE_STARTS));
    for (text, message) in [
        (long, "the answer has "),
        (crowded, "the text has more than "),
        (format!("{}1{}", "[".repeat(200), "]".repeat(200)), "invalid JSON at line 1, column 129: "),
    ] {
        let errors = rejected(&contract, &text).violations.errors;
        assert_eq!(errors.len(), 1);
        assert!(errors.iter().all(|error| error.message.starts_with(message)), "{errors:?}");
    }
    assert_eq!(rejected(&contract, "").outcome, Outcome::NoJson);
    assert_eq!(rejected(&contract, " \n").outcome, Outcome::NoJson);
}

#[test]
fn a_null_in_a_map_is_not_an_absent_property() {
    let ages = json!({"type": "object", "additionalProperties": {"type": "object",
        "properties": {"age": {"type": "integer"}, "nick": {"type": "string"}}, "required": ["age"]}});
    assert_eq!(value(&lenient(ages.clone()), r#"{"ann": {"age": null}}"#), None);
    for map in [
        json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        json!({"type": "object", "patternProperties": {"": {"type": "integer"}}}),
    ] {
        assert_eq!(value(&lenient(map), r#"{"x": 1, "y": null}"#), None);
    }
    assert_eq!(
        value(&lenient(ages), r#"{"ann": {"age": 1, "nick": null}}"#),
        Some(json!({"ann": {"age": 1}})),
        "an optional property of a member"
    );
    let referred = json!({"type": "array", "items": {"$ref": "#/definitions/pair"}, "definitions": {"pair":
        {"allOf": [pair()]}}});
    assert_eq!(value(&lenient(referred), r#"[{"a": 1, "b": null}]"#), Some(json!([{"a": 1}])));
}

#[test]
fn a_property_of_the_schema_is_not_a_wrapper() {
    let parent = |more: Value| {
        let mut schema = json!({"type": "object", "properties": {"parent": {"type": "object"},
            "id": {"type": "string"}, "name": {"type": "string"}}});
        schema.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        schema
    };
    for more in [
        json!({"anyOf": [{"required": ["id"]}, {"required": ["name"]}]}),
        json!({"allOf": [{"required": ["id"]}]}),
        json!({"if": true, "then": {"required": ["id"]}}),
    ] {
        let contract = lenient(parent(more));
        assert_eq!(value(&contract, r#"{"parent": {"id": "p1"}}"#), None);
        assert_eq!(value(&contract, r#"{"result": {"id": "p1"}}"#), Some(json!({"id": "p1"})));
    }
    let inside = lenient(json!({"type": "object", "properties": {"nodes": {"type": "array",
        "items": {"$ref": "#/definitions/node"}}}, "definitions": {"node": parent(json!({"required": ["id"]}))}}));
    assert_eq!(value(&inside, r#"{"nodes": [{"parent": {"id": "p1"}}, {"id": "b"}]}"#), None);
    assert_eq!(value(&inside, r#"{"nodes": [{"id": null, "data": {"id": "d"}}]}"#), None);
    assert_eq!(
        value(&inside, r#"{"nodes": [{"result": {"id": "a"}}, {"id": "b"}]}"#),
        Some(json!({"nodes": [{"id": "a"}, {"id": "b"}]}))
    );
}
