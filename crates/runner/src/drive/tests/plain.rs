//! Runs without the loop: texts, commands, and answers that the coordinator validates.

use accord_api::attempt::Outcome::{
    Accepted, Failed, ParseError, Refused, SchemaInvalid, TimedOut, Truncated,
};
use accord_api::{EventBody, FailureType, Origin, Strategy, Type};
use accord_executor::{Answer, Capabilities, Delivery, Stop, TurnError};
use serde_json::json;

use super::script::{Case, Ran, Reply, able, answer, contract, cut, refuses, says};
use crate::drive::RunEnd;

fn text(ran: &Ran) -> &str {
    match &ran.outcome.end {
        RunEnd::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_a_contract_the_text_is_the_result() {
    for words in ["Three.", "{\"n\": 1}"] {
        let ran = Case::free().run(vec![says(words)]).await;
        assert_eq!(text(&ran), words);
        assert_eq!(ran.outcomes(), [Accepted]);
        assert_eq!(ran.turns[0].delivery, Delivery::Text);
        assert_eq!(ran.turns[0].system_prompt, "You count.");
        assert_eq!(ran.turns[0].prompt, "Count.");
    }
}

#[tokio::test]
async fn an_empty_text_is_not_a_result() {
    for words in ["", " \n"] {
        let ran = Case::free().run(vec![says(words)]).await;
        assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
        assert!(ran.failure().message.starts_with("the answer is empty"), "{}", ran.failure().message);
        assert_eq!(ran.outcomes(), [Failed]);
    }
    let ran = Case::free().run(vec![cut("All of it."), says("")]).await;
    assert_eq!((text(&ran), ran.outcomes()), ("All of it.", vec![Truncated, Accepted]));
}

#[tokio::test]
async fn a_text_is_continued_until_it_is_complete() {
    let ran = Case::free().run(vec![cut("One, "), cut("two, "), says("three.")]).await;
    assert_eq!(text(&ran), "One, two, three.");
    assert_eq!(ran.outcomes(), [Truncated, Truncated, Accepted]);
    let ran = Case::free().run(vec![cut("a"), cut("b"), cut("c"), cut("d"), says("e")]).await;
    assert_eq!(ran.failure().kind, FailureType::OutputTruncated);
    assert_eq!(ran.failure().last_output.as_deref(), Some("abcd"));
    let before = vec!["The answer to all of this is lo".to_owned()];
    let again = Reply::Say(Answer { before, ..answer("The answer to all of this is long.") });
    let ran = Case::free().run(vec![again]).await;
    assert_eq!(ran.attempts[0].text, "The answer to all of this is long.");
    let ran = Case::free().run(vec![cut("The sum is 1000"), says("000 dollars.")]).await;
    assert_eq!(text(&ran), "The sum is 1000000 dollars.");
}

#[tokio::test]
async fn a_text_that_cannot_be_continued_is_not_a_result() {
    let deaf = Capabilities { reprompt: false, ..able() };
    let ran = Case::free().at(deaf).run(vec![cut("One, "), says("two.")]).await;
    assert_eq!(ran.failure().kind, FailureType::OutputTruncated);
    assert_eq!((ran.failure().last_output.as_deref(), ran.turns.len()), (Some("One, "), 1));
}

#[tokio::test]
async fn a_refusal_and_a_failure_are_failures_here_too() {
    let ran = Case::free().run(vec![refuses("")]).await;
    assert_eq!(ran.failure().message, "the model refused to answer");
    assert_eq!(ran.outcomes(), [Refused]);
    let mut large = Case::free();
    large.assignment.model = Some("large".to_owned());
    let ran = large.run(vec![Reply::Fail(TurnError::Failed("no key".into()))]).await;
    assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
    assert_eq!(ran.attempts[0].model, "large", "it is the one that was asked");
}

#[tokio::test]
async fn calls_of_unknown_tools_are_not_text() {
    let astray = Reply::Say(Answer { stop: Stop::Astray("`python`".to_owned()), ..answer("") });
    let ran = Case::free().run(vec![astray]).await;
    let message = "the model did not answer and called only unknown tools: `python`";
    assert_eq!((ran.failure().kind, ran.failure().message.as_str()), (FailureType::ExecutorFailed, message));
    assert_eq!((ran.outcomes(), ran.attempts[0].errors[0].message.as_str()), (vec![Failed], message));
}

#[tokio::test]
async fn messages_are_reported_in_order() {
    let ran = Case::free().run(vec![cut("One, "), says("two.")]).await;
    let said: Vec<_> = ran
        .events
        .iter()
        .map(|event| match event {
            EventBody::Message { role, text } => (role.as_str(), text.split(' ').next().unwrap()),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(said, [("user", "Count."), ("assistant", "One,"), ("user", "Your"), ("assistant", "two.")]);
}

fn procedural(mut case: Case) -> Case {
    case.agent().kind = Type::Procedural;
    case
}

#[tokio::test]
async fn a_command_prints_one_json_value() {
    let ran = procedural(Case::free()).run(vec![says("{\"type\": \"object\", \"n\": 1.10}\n")]).await;
    let RunEnd::Data { value, validation: None, .. } = &ran.outcome.end else {
        panic!("{:?}", ran.outcome.end)
    };
    assert_eq!(value.to_string(), r#"{"type":"object","n":1.10}"#);
    let outputs = ["", "done", "{} {}", "```json\n{}\n```", "{\"a\": 1, \"a\": 2}", "Here: {\"n\": 1}"];
    for output in outputs {
        for case in [Case::free(), Case::under(contract(Origin::Blueprint))] {
            let ran = procedural(case).run(vec![says(output)]).await;
            assert_eq!(ran.failure().kind, FailureType::ExecutorFailed, "{output}");
            assert!(ran.failure().message.starts_with("expected one JSON value on stdout"), "{output}");
            assert_eq!(ran.outcomes(), [ParseError], "{output}");
        }
    }
}

#[tokio::test]
async fn a_command_runs_once_under_any_contract() {
    let under = || procedural(Case::under(contract(Origin::Blueprint)));
    let ran = under().run(vec![says("{\"n\": 1}")]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
    let RunEnd::Data { validation: Some(validation), .. } = &ran.outcome.end else { panic!("it is judged") };
    assert_eq!((validation.strategy, ran.attempts[0].strategy), (Strategy::Auto, Strategy::Auto));
    let ran = under().run(vec![says("{\"n\": true}"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.failure().kind, FailureType::OutputSchemaValidationFailed);
    assert_eq!(ran.failure().message, "output did not match the schema after 0 retries");
    assert_eq!((ran.outcomes(), ran.turns.len()), (vec![SchemaInvalid], 1));
}

fn held(mut case: Case) -> Case {
    case.assignment.held_by_coordinator = true;
    case
}

#[tokio::test]
async fn an_answer_for_the_coordinator_is_not_validated() {
    let held = || held(Case::under(contract(Origin::Caller)));
    let reply = Reply::Say(Answer { structured: Some(json!({"n": true})), ..answer("prose") });
    let ran = held().run(vec![reply]).await;
    let RunEnd::Answered(answer) = &ran.outcome.end else { panic!("{:?}", ran.outcome.end) };
    assert_eq!(answer.text, "prose");
    assert_eq!(answer.structured.as_ref().map(|value| value.get()), Some("{\"n\":true}"));
    assert!(!answer.truncated);
    assert!(ran.turns[0].prompt.contains("## Output Format (REQUIRED)"));
    assert_eq!((ran.turns.len(), ran.attempts.len()), (1, 0));
    let ran = held().run(vec![cut("pro")]).await;
    assert!(matches!(&ran.outcome.end, RunEnd::Answered(answer) if answer.truncated));
}

#[tokio::test]
async fn a_turn_without_an_answer_is_an_attempt() {
    for case in [|| held(Case::free()), || held(Case::under(contract(Origin::Caller)))] {
        let mut again = case();
        again.assignment.spent.attempts = 1;
        again.assignment.retry_prompt = Some("Once more.".to_owned());
        let ran = again.run(vec![refuses("no")]).await;
        let failure = ran.failure();
        assert_eq!((failure.kind, failure.attempts), (FailureType::ModelRefused, Some(2)));
        assert_eq!(ran.outcomes(), [Refused]);
        let attempt = &ran.attempts[0];
        assert_eq!((attempt.text.as_str(), attempt.prompt.as_deref()), ("no", Some("Once more.")));
        let ran = case().run(vec![Reply::Fail(TurnError::Failed("broken".into()))]).await;
        assert_eq!((ran.failure().kind, ran.outcomes()), (FailureType::ExecutorFailed, vec![Failed]));
        let ran = case().run(vec![Reply::Fail(TurnError::TimedOut(1))]).await;
        assert_eq!((ran.failure().kind, ran.outcomes()), (FailureType::TimedOut, vec![TimedOut]));
    }
}

#[tokio::test]
async fn the_coordinator_enforces_a_contract_by_prompts_alone() {
    for strategy in [Strategy::Native, Strategy::Tool] {
        let ran = held(Case::with(strategy)).run(vec![says("{\"n\": 1}")]).await;
        let failure = ran.failure();
        assert_eq!((failure.kind, ran.turns.len()), (FailureType::ExecutorFailed, 0));
        assert!(failure.message.ends_with("use 'prompt' or 'auto'"), "{}", failure.message);
    }
    for strategy in [Strategy::Prompt, Strategy::Auto] {
        let ran = held(Case::with(strategy)).run(vec![says("{\"n\": 1}")]).await;
        assert!(matches!(ran.outcome.end, RunEnd::Answered(_)), "{strategy:?}");
    }
}
