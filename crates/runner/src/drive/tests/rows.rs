//! Every row of the decision table, from the first turn to the result.

use accord_api::attempt::Outcome::{
    Accepted, Ambiguous, InvariantFailed, NoJson, NoProgress, ParseError, Refused, SchemaEcho, SchemaInvalid,
    Transport,
};
use accord_api::{
    Contract, Failure, FailureType, Origin, Strategy, Usage, ValidationMode, contract::Invariant,
};
use accord_executor::TurnError;
use serde_json::json;

use super::script::{Case, Reply, contract, plain, refuses, says, schema};
use crate::drive::RunEnd;

#[tokio::test]
async fn a_conforming_answer_is_the_result() {
    let ran = Case::with(Strategy::Prompt).run(vec![says("Here: {\"n\": 1.0e0}")]).await;
    let RunEnd::Data { value, raw, validation: Some(validation) } = &ran.outcome.end else {
        panic!("{:?}", ran.outcome.end)
    };
    assert_eq!(value.to_string(), r#"{"n":1.0e0}"#);
    assert_eq!(raw, "Here: {\"n\": 1.0e0}");
    assert_eq!((validation.retry_count, validation.attempts, validation.strategy), (0, 1, Strategy::Prompt));
    assert_eq!(ran.outcomes(), [Accepted]);
    assert_eq!(ran.outcome.usage, Usage { input_tokens: 10, output_tokens: 5, cost_usd: Some(0.25) });
    assert_eq!(ran.outcome.conversation, Some(json!({"turns": 1})));
}

#[tokio::test]
async fn each_kind_of_invalid_answer_is_re_prompted() {
    let echo = schema().to_string();
    let rows = [
        ("I cannot say.", NoJson),
        ("{\"n\": ", ParseError),
        ("{\"n\": \"x\"}", SchemaInvalid),
        (echo.as_str(), SchemaEcho),
        ("{\"n\": 1} or {\"n\": 2}", Ambiguous),
    ];
    for (text, outcome) in rows {
        let ran = Case::with(Strategy::Prompt).run(vec![says(text), says("{\"n\": 3}")]).await;
        assert_eq!(ran.outcomes(), [outcome, Accepted], "{text}");
        assert_eq!(ran.value(), (json!({"n": 3}), 1), "{text}");
        let is_anew = outcome == SchemaEcho;
        assert_eq!(ran.turns[1].fresh, is_anew, "{text}");
        assert_eq!(
            ran.turns[1].prompt.contains("<output-validation-error>"),
            !is_anew,
            "{}",
            ran.turns[1].prompt
        );
        assert_eq!(ran.attempts[0].prompt, None);
        assert_eq!(ran.attempts[1].prompt.as_ref(), Some(&ran.turns[1].prompt).filter(|_| !is_anew));
        assert_eq!(ran.attempts[0].text, text);
        assert!(!ran.attempts[0].errors.is_empty(), "{text}");
    }
}

#[tokio::test]
async fn a_broken_invariant_is_reported_with_its_input() {
    let invariant = Invariant { rule: "output.n > size(input.prompt)".into(), message: "too small".into() };
    let contract =
        Contract { invariants: vec![invariant], strategy: Strategy::Prompt, ..contract(Origin::Blueprint) };
    let ran = Case::under(contract).run(vec![says("{\"n\": 6}"), says("{\"n\": 7}")]).await;
    assert_eq!(ran.outcomes(), [InvariantFailed, Accepted]);
    assert!(ran.turns[1].prompt.contains("too small"));
}

#[tokio::test]
async fn when_retries_run_out_the_closest_answer_is_reported() {
    let replies = || {
        vec![
            says("{\"n\": \"x\", \"m\": 1}"),
            says("{\"n\": \"y\"}"),
            says("{\"n\": \"z\", \"m\": 2, \"k\": 3}"),
        ]
    };
    let rows = [
        (Origin::Blueprint, FailureType::OutputSchemaValidationFailed),
        (Origin::Default, FailureType::OutputSchemaValidationFailed),
        (Origin::Caller, FailureType::SchemaValidationFailed),
    ];
    for (origin, kind) in rows {
        let contract = Contract { strategy: Strategy::Prompt, ..contract(origin) };
        let ran = Case::under(contract).run(replies()).await;
        let expected = Failure {
            kind,
            message: "output did not match the schema after 2 retries".into(),
            validation_errors: ran.attempts[1].errors.iter().map(ToString::to_string).collect(),
            last_output: Some("{\"n\": \"y\"}".into()),
            attempts: Some(3),
        };
        assert_eq!(ran.failure(), &expected);
        assert_eq!(expected.validation_errors.len(), 1);
        assert_eq!(ran.outcome.conversation, Some(json!({"turns": 3})));
    }
    let ran = Case::with(Strategy::Prompt).retries(1).run(replies()).await;
    assert_eq!(ran.failure().message, "output did not match the schema after 1 retry");
    let ran = Case::with(Strategy::Prompt).retries(0).run(replies()).await;
    assert_eq!(ran.failure().message, "output did not match the schema after 0 retries");
    assert_eq!(ran.turns.len(), 1);
}

#[tokio::test]
async fn a_repeated_answer_ends_early_if_nothing_else_can_be_tried() {
    let case = || Case::with(Strategy::Prompt).retries(5);
    let same_text = vec![says("{\"n\": \"x\"}"), says("{\"n\": \"x\"}")];
    let same_errors = vec![says("{\"n\": true}"), says(" {\"n\": true} ")];
    for replies in [same_text, same_errors] {
        let ran = case().run(replies).await;
        assert_eq!(ran.outcomes(), [SchemaInvalid, NoProgress]);
        assert!(
            ran.failure().message.starts_with("output did not match the schema after 1 retry: the model")
        );
        assert_eq!(ran.failure().kind, FailureType::OutputSchemaValidationFailed);
    }
}

#[tokio::test]
async fn a_refusal_is_final() {
    let ran = Case::with(Strategy::Native).run(vec![refuses("not this")]).await;
    assert_eq!(ran.outcomes(), [Refused]);
    assert_eq!(ran.attempts[0].text, "not this");
    assert_eq!(ran.failure().kind, FailureType::ModelRefused);
    assert_eq!(ran.failure().message, "the model refused to answer: not this");
}

#[tokio::test]
async fn exhausted_executor_retries_are_not_repeated() {
    for error in [TurnError::Transport("overloaded".into()), TurnError::Failed("no key".into())] {
        let ran = Case::with(Strategy::Prompt).run(vec![Reply::Fail(error.clone())]).await;
        assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
        assert_eq!(ran.failure().message, error.to_string());
        assert_eq!(ran.turns.len(), 1);
        assert_eq!(ran.attempts[0].errors[0].message, error.to_string());
    }
    let after = vec![says("prose"), Reply::Fail(TurnError::Transport("gone".into()))];
    let ran = Case::with(Strategy::Prompt).run(after).await;
    assert_eq!(ran.outcomes(), [NoJson, Transport]);
    assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
    assert_eq!(ran.failure().last_output.as_deref(), Some("prose"));
}

#[tokio::test]
async fn a_session_that_cannot_be_re_prompted_is_not() {
    let deaf = accord_executor::Capabilities { reprompt: false, ..plain() };
    let ran = Case::with(Strategy::Auto).at(deaf).run(vec![says("prose")]).await;
    assert_eq!(ran.failure().message, "output did not match the schema after 0 retries");
}

#[tokio::test]
async fn a_lenient_contract_repairs_and_reports_it() {
    let contract = Contract {
        validation_mode: ValidationMode::Lenient,
        strategy: Strategy::Prompt,
        ..contract(Origin::Caller)
    };
    let ran = Case::under(contract).run(vec![says("{'n': '4',}")]).await;
    assert_eq!(ran.value(), (json!({"n": 4}), 0));
    let kinds: Vec<_> = ran.attempts[0].repairs.iter().map(|repair| repair.kind.as_str()).collect();
    assert!(kinds.contains(&"coerced"), "{kinds:?}");
}
