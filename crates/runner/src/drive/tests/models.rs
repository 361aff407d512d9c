//! Fallback models, used when the contract is not met.

use accord_api::attempt::Outcome::{
    Accepted, Failed, NoProgress, NotSubmitted, Refused, SchemaInvalid, Transport, Truncated,
};
use accord_api::{FactReport, Standing, Strategy};
use accord_executor::{Capabilities, Delivery, TurnError};
use serde_json::json;

use super::script::{Case, Reply, able, cut, fact, known, refuses, says, submits};
use crate::drive::RunEnd;

#[tokio::test]
async fn the_last_retries_use_the_fallback_models() {
    let wrong = || vec![says("{\"n\": true}"), says("{\"n\": \"x\"}"), says("{\"n\": null}")];
    let ran = Case::with(Strategy::Native).stronger(&["large"]).run(wrong()).await;
    assert_eq!(ran.models(), ["small", "small", "large"]);
    assert_eq!(ran.turns[2].model.as_deref(), Some("large"));
    let ran = Case::with(Strategy::Native).stronger(&["large", "huge"]).run(wrong()).await;
    assert_eq!(ran.models(), ["small", "large", "huge"]);

    let replies = wrong().into_iter().chain([says("{\"n\": 1}")]).collect();
    let ran = Case::with(Strategy::Native).retries(3).stronger(&["large", "huge"]).run(replies).await;
    assert_eq!(ran.outcomes(), [SchemaInvalid, SchemaInvalid, SchemaInvalid, Accepted]);
    assert_eq!(ran.models(), ["small", "small", "large", "huge"]);
}

#[tokio::test]
async fn cut_answers_use_the_fallback_models_too() {
    for strategy in [Strategy::Native, Strategy::Prompt] {
        for max_tokens in [Some(100), None] {
            let case = Case::with(strategy).at(Capabilities { max_tokens, ..able() }).stronger(&["large"]);
            let ran = case.run(vec![cut("{\"n\":"), cut("{\"n\":"), says("{\"n\": 1}")]).await;
            assert_eq!(ran.outcomes(), [Truncated, Truncated, Accepted], "{strategy:?} {max_tokens:?}");
            assert_eq!(ran.turns[2].model.as_deref(), Some("large"));
            assert!(ran.turns[2].prompt.contains("it was cut off"), "{}", ran.turns[2].prompt);
        }
    }
}

#[tokio::test]
async fn a_repetition_escalates_at_once_and_stays_there() {
    let wrong = || says("{\"n\": \"x\"}");
    let replies = vec![wrong(), wrong(), says("{\"n\": true}"), says("{\"n\": null}"), says("{\"n\": 1}")];
    let ran = Case::with(Strategy::Native).retries(5).stronger(&["large"]).run(replies).await;
    assert_eq!(ran.models(), ["small", "small", "large", "large", "large"]);
    assert_eq!(ran.value(), (json!({"n": 1}), 4));
}

#[tokio::test]
async fn models_are_tried_before_strategies() {
    let wrong = || says("{\"n\": \"x\"}");
    let replies = vec![wrong(), wrong(), wrong(), wrong(), submits(&["{\"n\": 1}"])];
    let ran = Case::with(Strategy::Auto).retries(9).stronger(&["large", "huge"]).run(replies).await;
    assert_eq!(ran.models(), ["small", "small", "large", "huge", "huge"]);
    assert_eq!(ran.outcomes(), [SchemaInvalid, NoProgress, NoProgress, NoProgress, Accepted]);
    assert_eq!(ran.strategies()[4], Strategy::Tool);
}

#[tokio::test]
async fn a_fallback_model_gets_a_strategy_that_it_supports() {
    let mut case = Case::with(Strategy::Auto).retries(1).stronger(&["large"]);
    case.assignment.facts = vec![known("large", "native", Standing::Barred)];
    let ran = case.run(vec![says("{\"n\": true}"), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Tool]);
    assert!(ran.turns[1].prompt.contains("Call `submit_result` again"));
}

#[tokio::test]
async fn refusals_of_a_fallback_model_are_remembered_for_it() {
    let refused = Reply::Fail(TurnError::FormatRejected("no".into()));
    let replies = vec![says("{\"n\": true}"), refused, submits(&["{\"n\": 1}"])];
    let ran = Case::with(Strategy::Auto).retries(1).stronger(&["large"]).run(replies).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 1));
    assert_eq!(ran.outcome.facts, [fact("large", "native", "refused"), fact("large", "tool", "works")]);
}

#[tokio::test]
async fn the_callers_model_comes_first() {
    let mut case = Case::with(Strategy::Native).retries(1).stronger(&["large", "huge"]);
    case.assignment.model = Some("large".into());
    let ran = case.run(vec![says("{\"n\": true}"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.models(), ["large", "huge"]);
}

#[tokio::test]
async fn a_forced_tool_choice_applies_to_the_fallback_model_too() {
    let ran = Case::with(Strategy::Tool)
        .known("tool", Standing::Works)
        .retries(1)
        .stronger(&["large"])
        .run(vec![says("Done!"), submits(&["{\"n\": 1}"])])
        .await;
    assert_eq!(ran.outcomes(), [NotSubmitted, Accepted]);
    assert_eq!(ran.models(), ["small", "large"]);
    assert!(matches!(ran.turns[1].delivery, Delivery::Tool { force: true, .. }));
    let mut case = Case::with(Strategy::Tool).retries(1).stronger(&["large"]);
    case.assignment.facts =
        vec![known("small", "tool", Standing::Works), known("large", "forced_tool", Standing::Barred)];
    let ran = case.run(vec![says("Done!"), submits(&["{\"n\": 1}"])]).await;
    assert!(matches!(ran.turns[1].delivery, Delivery::Tool { force: false, .. }), "it does not take one");
}

#[tokio::test]
async fn a_refusal_and_a_failure_use_the_next_model_without_a_retry() {
    let failed = || Reply::Fail(TurnError::Failed("401".into()));
    let away = || Reply::Fail(TurnError::Transport("it was away for 90 seconds".into()));
    for (first, outcome) in [(refuses("No."), Refused), (failed(), Failed), (away(), Transport)] {
        let case = Case::with(Strategy::Native).retries(0).stronger(&["large"]);
        let ran = case.run(vec![first, says("{\"n\": 1}")]).await;
        assert_eq!(ran.value(), (json!({"n": 1}), 0));
        assert_eq!(ran.outcomes(), [outcome, Accepted]);
        assert_eq!(ran.models(), ["small", "large"]);
        assert_eq!(ran.turns[0].prompt, ran.turns[1].prompt);
        assert_eq!(ran.turns[1].fresh, outcome == Refused, "what was refused is not told to the next");
    }
    let ran = Case::with(Strategy::Native).stronger(&["large"]).run(vec![refuses("No."), failed()]).await;
    assert_eq!(ran.failure().message, "401");
    let over = Reply::Fail(TurnError::TooManySteps(3));
    let ran = Case::with(Strategy::Native).stronger(&["large"]).run(vec![over]).await;
    assert_eq!(ran.models(), ["small"], "another model would need as many");
}

#[tokio::test]
async fn a_fallback_model_of_another_provider_gets_a_supported_strategy() {
    let fallbacks = json!([{"provider": "plain", "model": "other"}, "large"]);
    let case = || Case::with(Strategy::Auto).retries(1).fallbacks(fallbacks.clone());
    let failed = || Reply::Fail(TurnError::Failed("404".into()));
    let ran = case().run(vec![failed(), says("{\"n\": 1}")]).await;
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Prompt]);
    assert_eq!(ran.models(), ["small", "other"]);
    let endpoints: Vec<_> = ran.attempts.iter().map(|attempt| attempt.endpoint.as_str()).collect();
    assert_eq!(endpoints, ["here", "plain"]);
    assert_eq!(ran.turns[1].model, None, "the session has it from its settings");
    assert!(ran.turns[1].system_prompt.contains("## Required Output Format"));

    let ran = case().run(vec![failed(), failed(), says("{\"n\": 1}")]).await;
    assert_eq!(ran.models(), ["small", "other", "large"]);
    assert_eq!(ran.attempts[2].endpoint, "openai", "a model alone is one of the agent's own provider");
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Prompt, Strategy::Prompt]);
}

#[tokio::test]
async fn facts_belong_to_the_endpoint_that_answered() {
    let fallbacks = json!([{"provider": "lab", "model": "other"}]);
    let failed = Reply::Fail(TurnError::Failed("404".into()));
    let case = Case::with(Strategy::Native).fallbacks(fallbacks);
    let ran = case.run(vec![failed, says("{\"n\": 1}")]).await;
    let expected = FactReport { endpoint: "lab".into(), ..fact("other", "native", "works") };
    assert_eq!(ran.outcome.facts, [expected]);
}

#[tokio::test]
async fn a_fallback_model_that_cannot_be_used_is_skipped() {
    let locked = json!({"provider": "locked", "model": "other"});
    let case = |fallbacks| Case::with(Strategy::Native).retries(1).fallbacks(fallbacks);
    let refusal = || refuses("No.");
    let ran = case(json!([locked, "large"])).run(vec![refusal(), says("{\"n\": 1}")]).await;
    assert_eq!(ran.models(), ["small", "large"]);
    let ran = case(json!([locked])).run(vec![refusal()]).await;
    let expected = "the model refused to answer: No.; fallback model 'other' cannot be used: there is no key";
    assert_eq!(ran.failure().message, expected);
    let ran = case(json!([locked])).run(vec![says("{\"n\": true}"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.models(), ["small", "small"], "a retry of the contract goes to the same model");
    let unable = json!([{"provider": "plain", "model": "other"}]);
    for first in [refusal(), says("{\"n\": true}")] {
        let ran = case(unable.clone()).run(vec![first]).await;
        assert!(
            ran.failure().message.contains("strategy 'native' cannot be used here"),
            "{:?}",
            ran.failure()
        );
    }
}

#[tokio::test]
async fn a_text_without_a_contract_falls_back_too() {
    let fallbacks = json!([{"provider": "lab", "model": "other"}]);
    let failed = || Reply::Fail(TurnError::Transport("it was away".into()));
    for first in [refuses("No."), failed()] {
        let ran = Case::free().fallbacks(fallbacks.clone()).run(vec![first, says("Text.")]).await;
        assert!(matches!(&ran.outcome.end, RunEnd::Text(text) if text == "Text."), "{:?}", ran.outcome.end);
        assert_eq!(ran.attempts[1].endpoint, "lab");
    }
    let ran = Case::free().fallbacks(fallbacks).run(vec![failed(), failed()]).await;
    assert_eq!(ran.failure().message, "it was away");
}
