//! Runs that continue after their recorded steps.

use accord_api::step::{Body, Step};
use accord_api::{Attempt, Origin, Strategy, attempt};
use accord_executor::{Answer, TurnError};
use jiff::Timestamp;
use serde_json::json;

use super::script::{Case, Ran, Reply, answer, contract, says};
use crate::drive::RunEnd;

const CHILDREN: &str = "<agent-callback>7</agent-callback>";

fn replies() -> Vec<Reply> {
    vec![
        Reply::Fail(TurnError::SchemaRejected("no".to_owned())),
        says("nothing"),
        says(r#"{"n": "one"}"#),
        says(r#"{"n": 1}"#),
    ]
}

fn case() -> Case {
    Case::with(Strategy::Auto)
}

/// The number of model requests in these steps.
fn asked(steps: &[Step]) -> usize {
    steps.iter().filter(|step| matches!(step.body.kind(), "turn_answer" | "request_failed")).count()
}

fn result(ran: &Ran) -> (serde_json::Value, u32, u32) {
    match &ran.outcome.end {
        RunEnd::Data { value, validation: Some(validation), .. } => {
            (value.clone(), validation.retry_count, validation.attempts)
        }
        other => panic!("{other:?}"),
    }
}

fn outcomes(attempts: &[Attempt]) -> Vec<attempt::Outcome> {
    attempts.iter().map(|attempt| attempt.outcome).collect()
}

#[tokio::test]
async fn a_run_continues_after_each_of_its_steps() {
    let whole = case().run(replies()).await;
    let kinds: Vec<&str> = whole.steps.iter().map(|step| step.body.kind()).collect();
    let answered = ["turn_answer", "verdict"];
    assert_eq!(kinds[..2], ["request_failed", "verdict"]);
    assert_eq!(kinds[2..], [answered, answered, answered].concat());
    for kept in 0..=whole.steps.len() {
        let steps = &whole.steps[..kept];
        let rest = replies().into_iter().skip(asked(steps)).collect();
        let again = case().after(steps).run(rest).await;
        assert_eq!(result(&again), result(&whole), "{kept}");
        assert_eq!(again.outcome.usage, whole.outcome.usage, "{kept}");
        assert_eq!(again.turns.len(), replies().len() - asked(steps), "{kept}");
        let verdicts = steps.iter().filter(|step| step.body.kind() == "verdict").count();
        assert_eq!(outcomes(&again.attempts), outcomes(&whole.attempts)[verdicts..], "{kept}");
        let bodies = |steps: &[Step]| steps.iter().map(|step| step.body.kind()).collect::<Vec<_>>();
        assert_eq!(bodies(&again.steps), kinds, "{kept}");
        let numbers: Vec<u32> = again.steps.iter().map(|step| step.number).collect();
        assert_eq!(numbers, (1..=8).collect::<Vec<_>>(), "{kept}");
    }
}

#[tokio::test]
async fn facts_known_at_the_start_also_decide_later() {
    let fact = |case: Case| case.known("native", accord_api::Standing::Barred);
    let whole = fact(case()).run(vec![says(r#"{"n": 1}"#)]).await;
    assert!(matches!(whole.steps[0].body, Body::Opened { .. }), "{:?}", whole.steps);
    let again = fact(case()).after(&whole.steps[..1]).run(vec![says(r#"{"n": 1}"#)]).await;
    assert_eq!(result(&again), result(&whole));
    assert_eq!(again.steps.len(), whole.steps.len());
}

#[tokio::test]
async fn a_parent_waits_for_its_children_and_continues_with_their_results() {
    let waits = || Case { children: true, ..Case::under(contract(Origin::Caller)).retries(0) };
    let first = waits().run(vec![says("I wait for the child.")]).await;
    assert!(matches!(first.outcome.end, RunEnd::Waiting), "{:?}", first.outcome.end);
    let verdict = Body::Verdict { delivery: 1, attempt: 1, outcome: attempt::Outcome::Waiting };
    assert_eq!(first.steps.last().map(|step| &step.body), Some(&verdict));
    let number = first.steps.last().unwrap().number + 1;
    let body = Body::Message { text: CHILDREN.to_owned() };
    let told = Step { number, delivery: 0, at: Timestamp::UNIX_EPOCH, body };
    let steps = [first.steps.clone(), vec![told]].concat();
    let done = waits().after(&steps);
    let done = Case { children: false, ..done }.run(vec![says(r#"{"n": 7}"#)]).await;
    assert_eq!(result(&done), (json!({"n": 7}), 0, 2));
    assert_eq!(done.turns[0].prompt, CHILDREN);
    // Waiting twice with the same text is not a lack of progress.
    let again = waits().after(&steps).run(vec![says("I wait for the child.")]).await;
    assert!(matches!(again.outcome.end, RunEnd::Waiting), "{:?}", again.outcome.end);
}

#[tokio::test]
async fn a_conforming_answer_ends_a_run_whose_children_still_work() {
    let case = Case { children: true, ..Case::with(Strategy::Prompt) };
    assert_eq!(result(&case.run(vec![says(r#"{"n": 7}"#)]).await), (json!({"n": 7}), 0, 1));
}

#[tokio::test]
async fn an_interrupted_turn_is_reported() {
    let begun = Step {
        number: 1,
        delivery: 1,
        at: Timestamp::UNIX_EPOCH,
        body: Body::Conversation { conversation: json!({"id": 1}), host: "here".to_owned() },
    };
    let ran = Case::free().after(&[begun]).run(vec![Reply::Say(answer("done"))]).await;
    assert!(ran.turns[0].prompt.starts_with("You were interrupted"), "{}", ran.turns[0].prompt);
    assert!(ran.turns[0].prompt.ends_with("Count."));
}

#[tokio::test]
async fn another_host_gets_the_conversation() {
    let conversation = Body::Conversation { conversation: json!({"id": 1}), host: "there".to_owned() };
    let first = case().run(vec![says("nothing"), says(r#"{"n": 1}"#)]).await;
    let mut steps = first.steps[..2].to_vec();
    steps.insert(0, Step { body: conversation, ..steps[0].clone() });
    let ran = case().after(&steps).run(vec![Reply::Say(Answer { ..answer(r#"{"n": 1}"#) })]).await;
    let prompt = &ran.turns[0].prompt;
    let lines = [r#"{"role":"user","content":"Count.""#, r#"{"role":"assistant","content":"nothing"}"#];
    assert!(prompt.contains(lines[0]) && prompt.contains(lines[1]), "{prompt}");
    assert_eq!(result(&ran).0, json!({"n": 1}));
}
