//! The source of accepted values, and values in prose.

use accord_api::attempt::Outcome::{Accepted, Embedded as EmbeddedValue, NoProgress, Unconfirmed};
use accord_api::{Contract, Embedded, ExtractJson, Origin, Strategy, ValueSource};
use accord_executor::{Answer, Capabilities};
use serde_json::json;

use super::script::{Case, Ran, Reply, able, answer, contract, plain, says, submits};
use crate::drive::RunEnd;

const IN_PROSE: &str = "I cannot say. It would be {\"n\": 3}.";
const PROSE_AGAIN: &str = "As I said, {\"n\": 3} is the format.";

/// The source in the result, which is that of the last attempt.
fn source(ran: &Ran) -> ValueSource {
    let RunEnd::Data { validation: Some(validation), .. } = &ran.outcome.end else {
        panic!("{:?}", ran.outcome.end)
    };
    assert_eq!(ran.attempts.last().unwrap().source, validation.source);
    validation.source.unwrap()
}

fn confirming(strategy: Strategy) -> Case {
    Case::under(Contract { embedded: Embedded::Confirm, strategy, ..contract(Origin::Blueprint) })
}

#[tokio::test]
async fn results_have_the_source_of_the_value() {
    let structured = Answer { structured: Some(json!({"n": 3})), ..answer("Done.") };
    for (strategy, reply, expected) in [
        (Strategy::Prompt, says("{\"n\": 3}"), ValueSource::Text),
        (Strategy::Prompt, says("```json\n{\"n\": 3}\n```"), ValueSource::Fence),
        (Strategy::Prompt, says(IN_PROSE), ValueSource::Prose),
        (Strategy::Prompt, Reply::Say(structured), ValueSource::Structured),
        (Strategy::Native, says("{\"n\": 3}"), ValueSource::Structured),
        (Strategy::Native, says("```json\n{\"n\": 3}\n```"), ValueSource::Fence),
        (Strategy::Tool, submits(&["{\"n\": 3}"]), ValueSource::Structured),
        (Strategy::Tool, says(IN_PROSE), ValueSource::Prose),
    ] {
        let ran = Case::with(strategy).run(vec![reply]).await;
        assert_eq!(ran.outcomes(), [Accepted]);
        assert_eq!(source(&ran), expected, "{strategy:?}");
    }
}

#[tokio::test]
async fn a_value_from_a_disallowed_source_is_requested_again() {
    let fence = ExtractJson { fence: true, prose: false };
    let case = || {
        let strategy = Strategy::Prompt;
        Case::under(Contract { extract_json: fence, strategy, ..contract(Origin::Blueprint) })
    };
    let ran = case().run(vec![says(IN_PROSE), says("```json\n{\"n\": 4}\n```")]).await;
    assert_eq!(ran.outcomes(), [EmbeddedValue, Accepted]);
    assert_eq!((ran.value(), source(&ran)), ((json!({"n": 4}), 1), ValueSource::Fence));
    assert_eq!(ran.attempts[0].source, None, "nothing was accepted");
    assert!(!ran.turns[1].prompt.contains("## The value that was found"), "{}", ran.turns[1].prompt);
    let ran = case().run(vec![says(IN_PROSE), says(PROSE_AGAIN)]).await;
    assert_eq!(ran.outcomes(), [EmbeddedValue, NoProgress]);
    let failure = ran.failure();
    assert!(
        failure.message.starts_with("output was found where extract_json does not accept it after 1 retry")
    );
    let told = "$: expected the value alone or in a code fence, got it in other text";
    assert_eq!(failure.validation_errors, [told]);
}

#[tokio::test]
async fn a_value_in_prose_is_confirmed_in_the_same_session() {
    for (strategy, reply, expected) in [
        (Strategy::Prompt, says("{\"n\": 3}"), ValueSource::Text),
        (Strategy::Prompt, says("```json\n{\"n\": 3}\n```"), ValueSource::Fence),
        (Strategy::Native, says("{\"n\": 3}"), ValueSource::Structured),
        (Strategy::Tool, submits(&["{\"n\": 3}"]), ValueSource::Structured),
    ] {
        let ran = confirming(strategy).stronger(&["large"]).retries(1).run(vec![says(IN_PROSE), reply]).await;
        assert_eq!(ran.outcomes(), [Unconfirmed, Accepted], "{strategy:?}");
        assert_eq!(ran.value(), (json!({"n": 3}), 1), "it costs a retry");
        assert_eq!(source(&ran), expected);
        assert_eq!(ran.strategies(), [strategy, strategy]);
        assert_eq!(ran.models(), ["small", "small"], "nobody else knows what was meant");
        let prompt = &ran.turns[1].prompt;
        assert!(prompt.contains("```json\n{\n  \"n\": 3\n}\n```"), "{prompt}");
        assert_eq!(ran.attempts[1].prompt.as_ref(), Some(prompt));
    }
}

#[tokio::test]
async fn only_the_answer_to_the_confirmation_is_validated() {
    let ran = confirming(Strategy::Prompt).run(vec![says(IN_PROSE), says("{\"n\": 8}")]).await;
    assert_eq!(ran.value(), (json!({"n": 8}), 1));
    let ran = confirming(Strategy::Prompt).retries(1).run(vec![says(IN_PROSE), says("Yes.")]).await;
    assert_eq!(ran.failure().message, "output was found in other text and was not confirmed after 1 retry");
    let replies = vec![says(IN_PROSE), says(PROSE_AGAIN), says("{\"n\": 3}")];
    let ran = confirming(Strategy::Prompt).at(plain()).run(replies).await;
    assert_eq!(ran.outcomes(), [Unconfirmed, NoProgress], "prose again is no confirmation");
}

#[tokio::test]
async fn values_outside_prose_need_no_confirmation() {
    for reply in
        [says("{\"n\": 3}"), says("<think>hm</think>{\"n\": 3}"), says("So:\n```json\n{\"n\": 3}\n```")]
    {
        let ran = confirming(Strategy::Prompt).run(vec![reply]).await;
        assert_eq!((ran.outcomes(), ran.value()), (vec![Accepted], (json!({"n": 3}), 0)));
    }
}

#[tokio::test]
async fn a_value_that_cannot_be_confirmed_is_a_failure() {
    let deaf = Capabilities { reprompt: false, ..able() };
    let ran = confirming(Strategy::Prompt).at(deaf).run(vec![says(IN_PROSE)]).await;
    assert_eq!(ran.outcomes(), [Unconfirmed]);
    let told = "output was found in other text and was not confirmed: this executor cannot be asked again";
    assert_eq!(ran.failure().message, told);
    let ran = confirming(Strategy::Prompt).retries(0).run(vec![says(IN_PROSE)]).await;
    assert_eq!(ran.failure().message, "output was found in other text and was not confirmed after 0 retries");
}
