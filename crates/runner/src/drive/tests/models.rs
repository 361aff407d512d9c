//! Stronger models, for when the contract is not met.

use accord_api::{Standing, Strategy};
use accord_api::attempt::Outcome::{Accepted, NoProgress, NotSubmitted, SchemaInvalid, Truncated};
use accord_executor::{Capabilities, Delivery, TurnError};
use serde_json::json;

use super::script::{Case, Reply, able, cut, fact, known, says, submits};

#[tokio::test]
async fn the_last_retries_go_to_the_stronger_models() {
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
async fn answers_that_are_cut_off_go_to_the_stronger_models_too() {
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
async fn models_are_used_up_before_rungs() {
    let wrong = || says("{\"n\": \"x\"}");
    let replies = vec![wrong(), wrong(), wrong(), wrong(), submits(&["{\"n\": 1}"])];
    let ran = Case::with(Strategy::Auto).retries(9).stronger(&["large", "huge"]).run(replies).await;
    assert_eq!(ran.models(), ["small", "small", "large", "huge", "huge"]);
    assert_eq!(ran.outcomes(), [SchemaInvalid, NoProgress, NoProgress, NoProgress, Accepted]);
    assert_eq!(ran.strategies()[4], Strategy::Tool);
}

#[tokio::test]
async fn a_stronger_model_is_asked_in_a_way_that_it_takes() {
    let mut case = Case::with(Strategy::Auto).retries(1).stronger(&["large"]);
    case.assignment.facts = vec![known("large", "native", Standing::Barred)];
    let ran = case.run(vec![says("{\"n\": true}"), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Tool]);
    assert!(ran.turns[1].prompt.contains("Call `submit_result` again"));
}

#[tokio::test]
async fn what_a_stronger_model_refuses_is_remembered_for_it() {
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
async fn a_demand_goes_to_the_stronger_model_too() {
    let ran = Case::with(Strategy::Tool)
        .retries(1)
        .stronger(&["large"])
        .run(vec![says("Done!"), submits(&["{\"n\": 1}"])])
        .await;
    assert_eq!(ran.outcomes(), [NotSubmitted, Accepted]);
    assert_eq!(ran.models(), ["small", "large"]);
    assert!(matches!(ran.turns[1].delivery, Delivery::Tool { force: true, .. }));
    let mut case = Case::with(Strategy::Tool).retries(1).stronger(&["large"]);
    case.assignment.facts = vec![known("large", "forced_tool", Standing::Barred)];
    let ran = case.run(vec![says("Done!"), submits(&["{\"n\": 1}"])]).await;
    assert!(matches!(ran.turns[1].delivery, Delivery::Tool { force: false, .. }), "it does not take one");
}
