//! Answers that were cut off.

use accord_api::attempt::Outcome::{Accepted, Ambiguous, Failed, SchemaInvalid, Truncated};
use accord_api::{Contract, FailureType, Origin, Strategy, ValidationMode};
use accord_executor::{Answer, Capabilities, Stop, TurnError, Usage};
use serde_json::json;

use super::script::{Case, Ran, Reply, able, answer, contract, cut, says, submits};

fn ceilings(ran: &Ran) -> Vec<Option<u32>> {
    ran.turns.iter().map(|turn| turn.max_tokens).collect()
}

fn boundless() -> Capabilities {
    Capabilities { max_tokens: None, takes_ceiling: false, ..able() }
}

#[tokio::test]
async fn a_cut_answer_gets_a_higher_token_limit() {
    let replies = vec![cut("{\"n\""), cut("{\"n\": "), says("{\"n\": 1}")];
    let ran = Case::with(Strategy::Native).run(replies).await;
    assert_eq!(ran.outcomes(), [Truncated, Truncated, Accepted]);
    assert_eq!(ceilings(&ran), [None, Some(8192), Some(16384)]);
    assert!(ran.turns[1].prompt.contains("it was cut off"), "{}", ran.turns[1].prompt);
    assert_eq!(ran.value(), (json!({"n": 1}), 2));
}

#[tokio::test]
async fn a_number_followed_by_a_closer_is_complete() {
    let case =
        |schema| Case::under(Contract { schema, strategy: Strategy::Native, ..contract(Origin::Blueprint) });
    let ran = case(json!({"type": "integer"})).run(vec![cut("{\"value\": 12}")]).await;
    assert_eq!(ran.value(), (json!(12), 0));
    for open in ["12", "12 ", "{\"value\": 12"] {
        let ran = case(json!({"type": "integer"})).run(vec![cut(open), says("{\"value\": 123}")]).await;
        assert_eq!(ran.value(), (json!(123), 1), "{open}");
    }
}

#[tokio::test]
async fn the_token_limit_has_a_maximum() {
    let high = Capabilities { max_tokens: Some(40_000), ..able() };
    let replies = vec![cut("{"), cut("{\"n\""), says("{\"n\": 1}")];
    let ran = Case::with(Strategy::Native).at(high).run(replies).await;
    assert_eq!(ceilings(&ran), [None, Some(64_000), Some(64_000)]);
    assert_ne!(ran.turns[0].prompt, ran.turns[1].prompt);
}

#[tokio::test]
async fn a_rejected_token_limit_is_reverted() {
    let refused = Reply::Fail(TurnError::Failed("max_tokens is too large".into()));
    let ran = Case::with(Strategy::Native).retries(1).run(vec![cut("{"), refused, says("{\"n\": 1}")]).await;
    assert_eq!(ran.outcomes(), [Truncated, Failed, Accepted]);
    assert_eq!(ceilings(&ran), [None, Some(8192), None]);
    assert_eq!(ran.turns[1].prompt, ran.turns[2].prompt);
    let refused = Reply::Fail(TurnError::Failed("max_tokens is too large".into()));
    let replies = vec![cut("{"), refused, cut("{\"n\""), says("{\"n\": 1}")];
    let ran = Case::with(Strategy::Native).run(replies).await;
    assert_eq!(ceilings(&ran), [None, Some(8192), None, None], "it is not tried again");
}

#[tokio::test]
async fn an_unknown_token_limit_is_raised_from_the_output() {
    let unknown = || Capabilities { max_tokens: None, ..able() };
    let long = |tokens| {
        let usage = Usage { output_tokens: tokens, ..Usage::default() };
        Reply::Say(Answer { usage, stop: Stop::Truncated, ..answer("{\"n\"") })
    };
    for strategy in [Strategy::Native, Strategy::Tool] {
        for (tokens, expected) in [(20, [4096, 8192]), (5000, [10_000, 20_000])] {
            let replies = vec![long(tokens), long(tokens), says("{\"n\": 1}")];
            let ran = Case::with(strategy).at(unknown()).run(replies).await;
            assert_eq!(ceilings(&ran), [None, Some(expected[0]), Some(expected[1])], "{strategy:?}");
            assert_eq!(ran.value(), (json!({"n": 1}), 2));
        }
    }
    let untold = Case::with(Strategy::Native).at(unknown()).run(vec![long(0), says("{\"n\": 1}")]).await;
    assert_eq!(ceilings(&untold), [None, None]);
    let replies = vec![long(5000), says("{\"n\": 1}")];
    let fixed = Case::with(Strategy::Native).at(boundless()).run(replies).await;
    assert_eq!(ceilings(&fixed), [None, None], "one that takes no ceiling is given none");
}

#[tokio::test]
async fn without_a_known_token_limit_a_text_is_continued() {
    for capabilities in [boundless(), Capabilities { max_tokens: None, ..able() }] {
        let replies = vec![cut("{\"n\""), cut(": 1"), says("2}")];
        let ran = Case::with(Strategy::Prompt).at(capabilities).run(replies).await;
        assert_eq!(ran.value(), (json!({"n": 12}), 2));
        assert_eq!(ran.outcomes(), [Truncated, Truncated, Accepted]);
        assert!(ran.turns[1].prompt.starts_with("Your last answer reached the length limit"));
        assert_eq!(ran.attempts[2].text, "{\"n\": 12}");
        assert_eq!(ceilings(&ran), [None; 3]);
    }
}

/// A text under a schema, without a token limit that could be raised.
fn continued(schema: serde_json::Value, validation_mode: ValidationMode) -> Case {
    let strategy = Strategy::Prompt;
    Case::under(Contract { schema, validation_mode, strategy, ..contract(Origin::Blueprint) }).at(boundless())
}

#[tokio::test]
async fn a_model_that_starts_over_replaces_its_first_part() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
        "required": ["a", "b"],
    });
    let whole = r#"{"a": 1, "b": "hello"}"#;
    for mode in [ValidationMode::Strict, ValidationMode::Lenient] {
        for again in [whole.to_owned(), format!("Again:\n```json\n{whole}\n```")] {
            let replies = vec![cut(r#"{"a": 1, "b": "hel"#), says(&again)];
            let ran = continued(schema.clone(), mode).run(replies).await;
            assert_eq!(ran.value(), (json!({"a": 1, "b": "hello"}), 1), "{mode:?} {again}");
            assert_eq!(ran.attempts[1].text, again);
        }
    }
}

#[tokio::test]
async fn cuts_within_a_turn_are_read_the_same_way() {
    let schema = || {
        json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "required": ["a", "b"],
        })
    };
    let whole = r#"{"a": 1, "b": "hello"}"#;
    let pieces = |before: &[&str], text: &str| {
        let before = before.iter().map(|&piece| piece.to_owned()).collect();
        Reply::Say(Answer { before, ..answer(text) })
    };
    for mode in [ValidationMode::Strict, ValidationMode::Lenient] {
        for (before, text) in [
            (vec![r#"{"a": 1, "b": "hel"#], whole),
            (vec![r#"{"a": 1, "b": "hel"#], r#"lo"}"#),
            (vec![r#"{"a": 1, "b""#, r#"{"a": 1, "b": "he"#], r#"llo"}"#),
        ] {
            let ran = continued(schema(), mode).run(vec![pieces(&before, text)]).await;
            assert_eq!(ran.value(), (json!({"a": 1, "b": "hello"}), 0), "{mode:?} {text}");
        }
    }
    let ran = continued(json!({"type": "integer"}), ValidationMode::Strict)
        .run(vec![pieces(&["12"], "1234"), says("1234")])
        .await;
    assert_eq!(ran.outcomes(), [Ambiguous, Accepted]);
}

#[tokio::test]
async fn repetitions_after_a_cut_count_once() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
    });
    let rows = [
        (r#"{"b": "The quick brown fox jumps ov"#, r#"brown fox jumps over the dog"}"#),
        (r#"{"b": "hel"#, r#"hello"}"#),
        (r#"{"a": 12"#, "12}"),
    ];
    for (before, after) in rows {
        let replies = vec![cut(before), says(after), says(r#"{"a": 1}"#)];
        let ran = continued(schema.clone(), ValidationMode::Lenient).run(replies).await;
        assert_eq!(ran.outcomes(), [Truncated, Ambiguous, Accepted], "{before}");
    }
}

#[tokio::test]
async fn a_start_that_is_cut_again_is_continued() {
    let schema = json!({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]});
    let replies = vec![cut(r#"{"b": "h"#), cut(r#"{"b": "hello wor"#), says(r#"ld"}"#)];
    let ran = continued(schema, ValidationMode::Strict).run(replies).await;
    assert_eq!(ran.value(), (json!({"b": "hello world"}), 2));
}

#[tokio::test]
async fn a_seam_is_never_repaired() {
    let schema = json!({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]});
    let replies =
        vec![cut(r#"{"b": "hel"#), says(r#"Sure, here is the rest: "lo"}"#), says(r#"{"b": "hello"}"#)];
    let ran = continued(schema, ValidationMode::Lenient).run(replies).await;
    assert_eq!(ran.value(), (json!({"b": "hello"}), 2));
}

#[tokio::test]
async fn a_continuation_with_two_readings_is_ambiguous() {
    let number = json!({"type": "integer"});
    let ran =
        continued(number.clone(), ValidationMode::Strict).run(vec![cut("1"), says("12"), says("12")]).await;
    assert_eq!(ran.outcomes(), [Truncated, Ambiguous, Accepted]);
    assert_eq!(ran.value(), (json!(12), 2));
}

#[tokio::test]
async fn failed_joins_are_not_repeated() {
    let replies = vec![cut("{\"n\""), says(": true}"), says("{\"n\": 1}")];
    let ran = Case::with(Strategy::Prompt).at(boundless()).run(replies).await;
    assert_eq!(ran.outcomes(), [Truncated, SchemaInvalid, Accepted]);
    assert_eq!(ran.value(), (json!({"n": 1}), 2));
}

#[tokio::test]
async fn after_a_cut_call_a_shorter_one_is_requested() {
    let cut_call =
        Reply::Say(Answer { submissions: vec!["{\"n\"".into()], stop: Stop::Truncated, ..answer("") });
    let ran = Case::with(Strategy::Tool).at(boundless()).run(vec![cut_call, submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.outcomes(), [Truncated, Accepted]);
    assert!(ran.turns[1].prompt.contains("more briefly"), "{}", ran.turns[1].prompt);
}

#[tokio::test]
async fn a_draft_does_not_replace_a_cut_call() {
    let cut_calls = |calls: &[&str]| {
        let submissions = calls.iter().map(|&text| text.to_owned()).collect();
        Reply::Say(Answer { submissions, stop: Stop::Truncated, ..answer("") })
    };
    let draft = "{\"n\": 1}";
    for mode in [ValidationMode::Strict, ValidationMode::Lenient] {
        for last in ["{\"n\": ", "{\"n\": 2", "{\"n\": 2,", "{\"n\": 2}"] {
            let (validation_mode, strategy) = (mode, Strategy::Tool);
            let case = Case::under(Contract { validation_mode, strategy, ..contract(Origin::Blueprint) });
            let ran = case.run(vec![cut_calls(&[draft, last]), submits(&["{\"n\": 3}"])]).await;
            assert_eq!(ran.value(), (json!({"n": 3}), 1), "{mode:?} {last}");
            assert_eq!(ran.outcomes(), [Truncated, Accepted], "{mode:?} {last}");
        }
        let ran = Case::with(Strategy::Tool).run(vec![cut_calls(&["{\"n\": \"x\"}", draft])]).await;
        assert_eq!(ran.value(), (json!({"n": 1}), 0), "the last one is whole");
    }
}

#[tokio::test]
async fn always_cut_has_its_own_failure_type() {
    let replies = vec![cut("{"), cut("{\"n\""), cut("{\"n\": ")];
    let ran = Case::with(Strategy::Native).run(replies).await;
    assert_eq!(ran.failure().kind, FailureType::OutputTruncated);
    assert_eq!(ran.failure().attempts, Some(3));
    assert_eq!(ran.failure().last_output.as_deref(), Some("{\"n\": "));
    let ran = Case::with(Strategy::Native).run(vec![cut("{"), says("{\"n\": true}"), cut("{")]).await;
    assert_eq!(ran.failure().kind, FailureType::OutputSchemaValidationFailed);
    assert_eq!(ran.failure().last_output.as_deref(), Some("{\"n\": true}"));
}

#[tokio::test]
async fn a_complete_value_counts_even_at_the_limit() {
    let ran = Case::with(Strategy::Prompt).run(vec![cut("{\"n\": 1}")]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
}

#[tokio::test]
async fn a_value_before_the_cut_may_be_an_example() {
    let replies = vec![cut("For example {\"n\": 1}. But the answer is"), says("{\"n\": 2}")];
    let ran = Case::with(Strategy::Prompt).run(replies).await;
    assert_eq!(ran.outcomes(), [Truncated, Accepted]);
    assert_eq!(ran.value(), (json!({"n": 2}), 1));
}

#[tokio::test]
async fn a_reported_cut_is_never_completed_and_complete_values_are_kept() {
    let lenient = || {
        Case::under(Contract {
            validation_mode: ValidationMode::Lenient,
            strategy: Strategy::Prompt,
            ..contract(Origin::Blueprint)
        })
    };
    let ran = lenient().run(vec![cut("{\"n\": 1}")]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
    for part in ["{\"n\": 1,", "{\"n\": 1"] {
        let ran = lenient().run(vec![cut(part), says("{\"n\": 15}")]).await;
        assert_eq!(ran.value(), (json!({"n": 15}), 1), "{part}");
    }
}
