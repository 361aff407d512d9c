//! Snapshots, so that changes of wording are reviewed.

use super::*;
use crate::{Invariant, Invariants};
use accord_json::Meter;

#[test]
fn the_sections_that_ask_for_a_format() {
    let form = Form::new(&review(), false, &Meter::default()).unwrap();
    insta::assert_snapshot!("system_section", system_section(&form));
    insta::assert_snapshot!(
        "request_section",
        request_section(&Form::new(&review(), true, &Meter::default()).unwrap())
    );
}

#[test]
fn the_submit_tool() {
    insta::assert_snapshot!(
        "submit_section",
        submit_section(&Form::new(&review(), false, &Meter::default()).unwrap())
    );
    insta::assert_snapshot!("submit_tool_description", submit_tool_description(&review()));
    let plain = Schema::compile(&json!({"type": "object"}), &Meter::default()).unwrap();
    assert!(
        submit_tool_description(&plain).starts_with("Submits the final result of this task. Call it once")
    );
}

#[test]
fn a_retry_for_a_blueprints_contract() {
    let schema = review();
    let rejected = rejected(&schema, json!({"summary": 5, "approval": "yes", "extra": 1}));
    insta::assert_snapshot!(retry(&text_retry(&schema, &rejected), &Meter::default()));
}

#[test]
fn a_retry_for_a_callers_contract_shows_the_answer() {
    let schema = review();
    let rejected = rejected(&schema, json!({"summary": "fine"}));
    let answer = format!("Here it is:\n```json\n{{\"summary\": \"fine{}\"}}\n```", "!".repeat(4_000));
    insta::assert_snapshot!(retry(
        &Retry { answer: Some(&answer), ..text_retry(&schema, &rejected) },
        &Meter::default()
    ));
}

#[test]
fn a_retry_by_the_submit_tool_for_a_broken_invariant() {
    let schema = review();
    let invariants = Invariants::compile(&[Invariant {
        rule: "output.summary.size() > 10".to_owned(),
        message: "the summary has to say something".to_owned(),
    }])
    .unwrap();
    let value = json!({"summary": "ok", "approval": "approve"});
    let rejected = Rejected {
        outcome: Outcome::InvariantFailed,
        violations: Violations { errors: invariants.check(&value, &Value::Null), more: 0 },
        candidate: Some(Candidate { range: None, value: Some(value) }),
    };
    insta::assert_snapshot!(retry(
        &Retry { delivery: Delivery::Tool, ..text_retry(&schema, &rejected) },
        &Meter::default()
    ));
}

#[test]
fn each_outcome_has_its_own_advice() {
    let schema = review();
    let mut openings = Vec::new();
    for outcome in [
        Outcome::NoJson,
        Outcome::ParseError,
        Outcome::SchemaInvalid,
        Outcome::InvariantFailed,
        Outcome::SchemaEcho,
        Outcome::ExampleEcho,
        Outcome::Ambiguous,
        Outcome::Embedded,
        Outcome::Unconfirmed,
    ] {
        let rejected = without_candidate(outcome);
        for (cut_off, delivery) in [(false, Delivery::Text), (false, Delivery::Tool), (true, Delivery::Text)]
        {
            let text =
                retry(&Retry { cut_off, delivery, ..text_retry(&schema, &rejected) }, &Meter::default());
            openings.push(text.lines().nth(1).unwrap().to_owned());
        }
    }
    openings.sort();
    openings.dedup();
    insta::assert_snapshot!(openings.join("\n"));
}

#[test]
fn errors_beyond_those_shown_are_counted() {
    let schema = Schema::compile(&json!({"items": {"type": "integer"}}), &Meter::default()).unwrap();
    let rejected = rejected(&schema, json!(vec!["x"; 30]));
    let text = retry(&text_retry(&schema, &rejected), &Meter::default());
    assert!(text.contains("- $[19]: expected integer, got string \"x\"\n- and 10 more\n"), "{text}");
}

#[test]
fn values_in_the_wrong_location_are_pointed_out() {
    let schema = review();
    let hints = |value: Value| misplaced::hints(&schema, &value);
    let whole = json!({"summary": "fine", "approval": "approve"});
    assert_eq!(
        hints(json!({"result": {"review": whole}})),
        ["the value at $.result.review is valid; return only that value, without the wrapper around it"]
    );
    assert_eq!(
        hints(json!([whole])),
        ["the value at $[0] is valid; return only that value, without the wrapper around it"]
    );
    assert_eq!(
        hints(json!({"type": "object", "properties": {"summary": "fine", "approval": "yes"}})),
        [
            "move 'summary' from $.properties.summary to $.summary",
            "move 'approval' from $.properties.approval to $.approval",
        ]
    );
    let described = json!({"properties": {"summary": {"type": "string"}, "approval": {"enum": ["approve"]}}});
    assert_eq!(hints(described), Vec::<String>::new());
    assert_eq!(hints(json!({"summary": 1})), Vec::<String>::new());
    assert_eq!(hints(json!({"summary": {"approval": "approve"}})), Vec::<String>::new());
}

#[test]
fn a_retry_points_out_valid_values_in_the_wrong_location() {
    let schema = review();
    let rejected = rejected(&schema, json!({"result": {"summary": "fine", "approval": "approve"}}));
    insta::assert_snapshot!(retry(&text_retry(&schema, &rejected), &Meter::default()));
}

#[test]
fn a_confirmation_shows_the_value_and_asks_for_it_alone() {
    let schema = review();
    let rejected = Rejected {
        outcome: Outcome::Unconfirmed,
        candidate: Some(Candidate {
            range: None,
            value: Some(json!({"summary": "a ``` fence", "approval": "approve"})),
        }),
        ..without_candidate(Outcome::Unconfirmed)
    };
    insta::assert_snapshot!(retry(&text_retry(&schema, &rejected), &Meter::default()));
    let tool =
        retry(&Retry { delivery: Delivery::Tool, ..text_retry(&schema, &rejected) }, &Meter::default());
    assert!(tool.contains("again by calling `submit_result`, without any other text."), "{tool}");
    assert!(
        tool.contains("\nCall `submit_result` with the complete result.\n</output-validation-error>"),
        "{tool}"
    );
}

#[test]
fn short_reminders() {
    insta::assert_snapshot!("nudge_submit", nudge_submit());
    insta::assert_snapshot!("continue_after_cut", continue_after_cut());
}

#[test]
fn inputs() {
    insta::assert_snapshot!(inputs_block(&json!({
        "pr_url": "https://example.com/pr/7",
        "notes": "first line\n  second line with </inputs> and \"quotes\"",
        "limit": 10,
        "labels": ["a", "b"],
        "a \"b\"\n>": null
    })));
    assert_eq!(inputs_block(&json!({})), "<inputs>\n</inputs>");
}
