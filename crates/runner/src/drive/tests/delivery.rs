//! Received values: submissions, structured values, lifted answers.

use accord_api::attempt::Outcome::{Accepted, Ambiguous, InvariantFailed, ParseError, SchemaInvalid};
use accord_api::contract::Invariant;
use accord_api::{Contract, Origin, Strategy};
use accord_executor::{Answer, Delivery};
use serde_json::json;

use super::script::{Case, Reply, answer, contract, says, submits};

/// An optional property and an open map, which strict providers only accept in another form.
fn lowered(strategy: Strategy) -> Case {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "note": {"type": "string"},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "required": ["n"],
        "additionalProperties": false,
    });
    Case::under(Contract { schema, strategy, ..contract(Origin::Blueprint) })
}

#[tokio::test]
async fn a_lowered_answer_is_lifted_before_validation() {
    let text = r#"{"n": 1, "note": null, "map": [{"key": "a", "value": 2}]}"#;
    let expected = json!({"n": 1, "map": {"a": 2}});
    let ran = lowered(Strategy::Native).run(vec![says(text)]).await;
    assert_eq!(ran.value(), (expected.clone(), 0));
    assert_eq!(ran.attempts[0].text, text);
    assert!(matches!(&ran.turns[0].delivery, Delivery::Native { schema, .. }
        if schema["required"] == json!(["n", "note", "map"])));
    let ran = lowered(Strategy::Tool).run(vec![submits(&[text])]).await;
    assert_eq!(ran.value(), (expected, 0));
}

#[tokio::test]
async fn an_answer_that_cannot_be_lifted_gets_a_reason() {
    let twice = r#"{"n": 1, "note": null, "map": [{"key": "a", "value": 2}, {"key": "a", "value": 3}]}"#;
    let ran = lowered(Strategy::Native).run(vec![says(twice), says(r#"{"n": 1}"#)]).await;
    assert_eq!(ran.outcomes(), [SchemaInvalid, Accepted]);
    assert!(ran.attempts[0].errors[0].message.contains("duplicate key"), "{:?}", ran.attempts[0].errors);
    assert!(ran.turns[1].prompt.contains("duplicate key"));
}

#[tokio::test]
async fn lifting_does_not_resolve_duplicate_keys() {
    let ran = lowered(Strategy::Native).run(vec![says(r#"{"n": 1, "n": 2}"#), says(r#"{"n": 1}"#)]).await;
    assert_eq!(ran.outcomes(), [ParseError, Accepted]);
}

#[tokio::test]
async fn an_answer_in_the_source_form_is_accepted_too() {
    let ran = lowered(Strategy::Native).run(vec![says(r#"{"n": 1, "map": {"a": 2}}"#)]).await;
    assert_eq!(ran.value(), (json!({"n": 1, "map": {"a": 2}}), 0));
    let ran = lowered(Strategy::Native).run(vec![says("```json\n{\"n\": 1}\n```")]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
}

fn natively(schema: serde_json::Value) -> Contract {
    Contract { schema, strategy: Strategy::Native, ..contract(Origin::Blueprint) }
}

#[tokio::test]
async fn errors_are_located_in_the_lifted_value() {
    let list = natively(json!({"type": "array", "items": {"type": "integer"}}));
    let map = natively(json!({
        "type": "object",
        "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}},
        "required": ["m"],
        "additionalProperties": false,
    }));
    let rows = [
        (list.clone(), r#"{"value": [1, "x"]}"#, "$[1]"),
        (list, "```json\n{\"value\": [1, \"x\"]}\n```", "$[1]"),
        (map, r#"{"m": [{"key": "k", "value": "s"}]}"#, "$.m.k"),
    ];
    for (contract, text, path) in rows {
        let ran = Case::under(contract).run(vec![says(text)]).await;
        let errors = &ran.attempts[0].errors;
        assert_eq!(errors.iter().map(|error| error.path.as_str()).collect::<Vec<_>>(), [path], "{text}");
    }
}

#[tokio::test]
async fn invariants_apply_to_the_lifted_value() {
    let schema = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "note": {"type": "string"}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let rule = Invariant { rule: "output.n > 5".into(), message: "n is small".into() };
    let contract = Contract { invariants: vec![rule], ..natively(schema) };
    let small = r#"{"n": 1, "note": null}"#;
    let ran = Case::under(contract).run(vec![says(small), says(r#"{"n": 6, "note": null}"#)]).await;
    assert_eq!(ran.outcomes(), [InvariantFailed, Accepted]);
    assert!(ran.turns[1].prompt.contains("n is small"), "{}", ran.turns[1].prompt);
    assert_eq!(ran.value(), (json!({"n": 6}), 1));
}

#[tokio::test]
async fn a_wrapper_that_an_open_schema_would_accept_is_not_an_answer() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"x": {"type": "integer"}}},
        {"type": "object", "properties": {"y": {"type": "string"}}, "required": ["y"]},
    ]});
    for wrapped in [r#"{"value": {"x": "bad"}}"#, "```\n{\"value\": {\"x\": \"bad\"}}\n```"] {
        let ran = Case::under(natively(schema.clone()))
            .run(vec![says(wrapped), says(r#"{"value": {"x": 1}}"#)])
            .await;
        assert_eq!(ran.outcomes(), [SchemaInvalid, Accepted], "{wrapped}");
        assert_eq!(ran.value(), (json!({"x": 1}), 1));
    }
}

#[tokio::test]
async fn a_lowered_answer_next_to_other_json_is_not_skipped() {
    let list = natively(json!({"type": "array", "items": {"type": "integer"}}));
    let map = natively(json!({"type": "object", "additionalProperties": {"type": "integer"}}));
    let both = [
        (list.clone(), r#"As noted in [1], the answer is {"value": [4, 5]}"#),
        (map.clone(), r#"config {"retries": 3} gave {"value": [{"key": "k", "value": 1}]}"#),
        (map, r#"Start from {} and add: {"value": [{"key": "k", "value": 1}]}"#),
    ];
    for (contract, text) in both {
        let ran = Case::under(contract).run(vec![says(text)]).await;
        assert_eq!(ran.outcomes()[0], Ambiguous, "{text}");
    }
    let ran = Case::under(list).run(vec![says(r#"From {"file": "a"} I get: {"value": [4, 5]}"#)]).await;
    assert_eq!(ran.value(), (json!([4, 5]), 0));
    let call = r#"<tool_call>{"name": "submit_result", "arguments": {"n": 1, "note": null}}</tool_call>"#;
    let ran = lowered(Strategy::Native).run(vec![says(call)]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
}

#[tokio::test]
async fn a_root_that_is_not_an_object_is_wrapped_and_unwrapped() {
    let schema = json!({"type": "array", "items": {"type": "integer"}});
    let contract = Contract { schema, strategy: Strategy::Native, ..contract(Origin::Caller) };
    let ran = Case::under(contract.clone()).run(vec![says(r#"{"value": [1, 2]}"#)]).await;
    assert_eq!(ran.value(), (json!([1, 2]), 0));
    let ollama = accord_executor::Tool { profile: "ollama".into(), strict: false, force: false };
    let capabilities = accord_executor::Capabilities { tool: Some(ollama), ..super::script::able() };
    let tool = Contract { strategy: Strategy::Tool, ..contract };
    let ran = Case::under(tool).at(capabilities).run(Vec::new()).await;
    assert!(ran.failure().message.contains("tool arguments must be an object"), "{}", ran.failure().message);
}

#[tokio::test]
async fn a_wrapper_that_was_not_sent_stays() {
    // An open object is sent as a list of pairs in a wrapper.
    let open = natively(json!({"type": "object"}));
    for own in [json!({"value": {"a": 1}}), json!({"value": "a"}), json!({"value": null})] {
        for text in [own.to_string(), format!("```json\n{own}\n```")] {
            let ran = Case::under(open.clone()).run(vec![says(&text)]).await;
            assert_eq!(ran.value(), (own.clone(), 0), "{text}");
            assert_eq!(ran.repairs(), [""; 0], "{text}");
        }
    }
    let sent = r#"{"value": [{"key": "a", "value": 1}]}"#;
    let ran = Case::under(open).run(vec![says(sent)]).await;
    assert_eq!((ran.value(), ran.repairs()), ((json!({"a": 1}), 0), vec![]));
}

#[tokio::test]
async fn a_wrapper_outside_its_channel_is_reported() {
    let list = Contract {
        schema: json!({"type": "array", "items": {"type": "integer"}}),
        ..contract(Origin::Blueprint)
    };
    let with = |strategy| Case::under(Contract { strategy, ..list.clone() });
    let wrapped = r#"{"value": [1, 2]}"#;
    let rows = [
        (Strategy::Native, says(wrapped), vec![]),
        (Strategy::Native, says("```json\n{\"value\": [1, 2]}\n```"), vec!["unwrapped"]),
        (Strategy::Native, says("It is {\"value\": [1, 2]}."), vec!["unwrapped"]),
        (Strategy::Tool, submits(&[wrapped]), vec![]),
        (Strategy::Tool, says(wrapped), vec!["unwrapped"]),
        (Strategy::Tool, says("[1, 2]"), vec![]),
    ];
    for (strategy, reply, repairs) in rows {
        let ran = with(strategy).run(vec![reply]).await;
        assert_eq!((ran.value(), ran.repairs()), ((json!([1, 2]), 0), repairs), "{strategy:?}");
    }
    let ran = with(Strategy::Prompt).run(vec![says(wrapped), says("[1, 2]")]).await;
    assert_eq!(ran.outcomes(), [SchemaInvalid, Accepted], "nothing was sent");
}

#[tokio::test]
async fn two_different_submissions_are_ambiguous() {
    for case in [Case::with(Strategy::Tool), lowered(Strategy::Tool)] {
        let ran = case.run(vec![submits(&["{\"n\": 1}", "{\"n\": 2}"]), submits(&["{\"n\": 2}"])]).await;
        assert_eq!(ran.outcomes(), [Ambiguous, Accepted]);
        assert_eq!(ran.value(), (json!({"n": 2}), 1));
        assert_eq!(ran.attempts[0].text, "{\"n\": 1}\n{\"n\": 2}");
    }
}

#[tokio::test]
async fn the_same_submission_twice_is_one() {
    let contract =
        Contract { strict_json_only: true, strategy: Strategy::Tool, ..contract(Origin::Blueprint) };
    for case in [Case::with(Strategy::Tool), lowered(Strategy::Tool), Case::under(contract)] {
        let ran = case.run(vec![submits(&["{\"n\": 1}", "{ \"n\":1 }"])]).await;
        assert_eq!(ran.value(), (json!({"n": 1}), 0));
    }
}

#[tokio::test]
async fn the_conforming_submission_counts() {
    let ran = Case::with(Strategy::Tool).run(vec![submits(&["{\"n\": \"x\"}", "{\"n\": 2}"])]).await;
    assert_eq!(ran.value(), (json!({"n": 2}), 0));
}

#[tokio::test]
async fn submissions_are_not_combined() {
    for halves in [["{\"n\":", "1}"], ["{\"n\": 1,", "\"note\": \"x\"}"]] {
        for strict_json_only in [false, true] {
            let strategy = Strategy::Tool;
            let contract = Contract { strict_json_only, strategy, ..contract(Origin::Blueprint) };
            let ran = Case::under(contract).run(vec![submits(&halves), submits(&["{\"n\": 2}"])]).await;
            assert_eq!(ran.value(), (json!({"n": 2}), 1), "{halves:?}");
            assert_eq!(ran.outcomes(), [ParseError, Accepted], "{halves:?}");
        }
    }
}

#[tokio::test]
async fn a_submission_that_is_not_json_is_requested_again_as_a_call() {
    let ran = Case::with(Strategy::Tool).run(vec![submits(&["n=1"]), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.outcomes()[1], Accepted);
    assert!(ran.turns[1].prompt.contains("<output-validation-error>"), "{}", ran.turns[1].prompt);
    assert!(ran.turns[1].prompt.contains("`submit_result`"));
}

#[tokio::test]
async fn a_structured_value_comes_before_the_text() {
    let given = |value, text| Reply::Say(Answer { structured: Some(value), ..answer(text) });
    let ran = Case::with(Strategy::Native).run(vec![given(json!({"n": 1}), "{\"n\": 2}")]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
    let ran = Case::with(Strategy::Native).run(vec![given(json!({"n": "x"}), "{\"n\": 2}")]).await;
    assert_eq!(ran.value(), (json!({"n": 2}), 0));
    let ran = Case::with(Strategy::Native).run(vec![given(json!({"n": 1}), "")]).await;
    assert_eq!(ran.attempts[0].text, "{\"n\":1}");
}
