//! Which strategy is used, and when the next one is tried.

use accord_api::attempt::Outcome::{
    Accepted, Failed, NoJson, NoProgress, NotSubmitted, SchemaInvalid, SchemaRejected,
};
use accord_api::{FailureType, Origin, Standing, Strategy};
use accord_executor::{Answer, Capabilities, Delivery, Stop, Tool, TurnError};
use serde_json::json;

use super::script::{
    Case, Ran, Reply, able, answer, contract, cut, fact, known, plain, refuses, says, submits,
};

fn refused() -> Reply {
    Reply::Fail(TurnError::FormatRejected("no such field".into()))
}

async fn first_rung(case: Case) -> Strategy {
    case.run(vec![says("{\"n\": 1}")]).await.strategies()[0]
}

#[tokio::test]
async fn auto_starts_with_the_best_allowed_strategy() {
    let auto = || Case::with(Strategy::Auto);
    assert_eq!(first_rung(auto()).await, Strategy::Native);
    assert_eq!(first_rung(auto().tools()).await, Strategy::Native);
    let apart = || Capabilities { native_beside_tools: false, ..able() };
    assert_eq!(first_rung(auto().at(apart())).await, Strategy::Native);
    assert_eq!(first_rung(auto().at(apart()).tools()).await, Strategy::Tool);
    assert_eq!(first_rung(auto().at(Capabilities { native: None, ..able() })).await, Strategy::Tool);
    assert_eq!(first_rung(auto().at(plain())).await, Strategy::Prompt);
    let unknown = Capabilities { native: Some("nobody's".into()), tool: None, ..able() };
    assert_eq!(first_rung(auto().at(unknown)).await, Strategy::Prompt);
}

#[tokio::test]
async fn endpoint_facts_decide_the_first_strategy() {
    let auto = || Case::with(Strategy::Auto);
    assert_eq!(first_rung(auto().known("native", Standing::Barred)).await, Strategy::Tool);
    assert_eq!(first_rung(auto().known("native", Standing::Unknown)).await, Strategy::Native);
    assert_eq!(first_rung(auto().known("native", Standing::Works)).await, Strategy::Native);
    assert_eq!(first_rung(auto().known("native_beside_tools", Standing::Barred)).await, Strategy::Native);
    assert_eq!(
        first_rung(auto().known("native_beside_tools", Standing::Barred).tools()).await,
        Strategy::Tool
    );
    let both = auto().known("native", Standing::Barred).known("tool", Standing::Barred);
    assert_eq!(first_rung(both).await, Strategy::Prompt);
    let mut other = auto();
    other.assignment.model = Some("large".into());
    assert_eq!(first_rung(other.known("native", Standing::Barred)).await, Strategy::Native);
    assert_eq!(
        first_rung(Case::with(Strategy::Native).known("native", Standing::Barred)).await,
        Strategy::Native
    );
}

#[tokio::test]
async fn a_schema_that_cannot_be_lowered_is_not_sent_natively() {
    let recursive = json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "next": {"$ref": "#"}},
        "required": ["n"],
        "additionalProperties": false,
    });
    let contract = accord_api::Contract { schema: recursive, ..contract(Origin::Blueprint) };
    let anthropic = Capabilities {
        native: Some("anthropic".into()),
        tool: Some(Tool { profile: "anthropic".into(), strict: true, force: true }),
        ..able()
    };
    let ran = Case::under(contract.clone()).at(anthropic.clone()).run(vec![submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.strategies(), [Strategy::Tool]);
    assert!(matches!(ran.turns[0].delivery, Delivery::Tool { strict: false, .. }), "{:?}", ran.turns[0]);
    let native = accord_api::Contract { strategy: Strategy::Native, ..contract };
    let ran = Case::under(native).at(anthropic).run(Vec::new()).await;
    assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
    assert!(ran.failure().message.ends_with("use 'tool', 'prompt' or 'auto'"), "{}", ran.failure().message);
    assert!(ran.turns.is_empty());
}

#[tokio::test]
async fn a_rejected_schema_changes_the_strategy_without_a_retry() {
    let tool = Reply::Fail(TurnError::ToolRejected("no tools".into()));
    let replies = vec![refused(), tool, says("{\"n\": 1}")];
    let ran = Case::with(Strategy::Auto).retries(0).run(replies).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
    assert_eq!(ran.outcomes(), [SchemaRejected, SchemaRejected, Accepted]);
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Tool, Strategy::Prompt]);
    assert_eq!(ran.outcome.facts, [fact("small", "native", "refused"), fact("small", "tool", "refused")]);
    let prompts: Vec<_> = ran.turns.iter().map(|turn| turn.prompt.as_str()).collect();
    assert_eq!(prompts, ["Count."; 3]);
    assert!(ran.turns[1].system_prompt.contains("submit_result"));
    assert!(ran.turns[2].system_prompt.contains("## Required Output Format"));
    let ran = Case::with(Strategy::Auto).tools().run(vec![refused(), submits(&["{\"n\": 1}"])]).await;
    let facts = [fact("small", "native_beside_tools", "refused"), fact("small", "tool", "works")];
    assert_eq!(ran.outcome.facts, facts);
}

#[tokio::test]
async fn constant_refusals_teach_nothing() {
    let suspended = Reply::Fail(TurnError::Failed("your account is suspended".into()));
    let ran = Case::with(Strategy::Auto).run(vec![refused(), suspended]).await;
    assert_eq!(ran.outcomes(), [SchemaRejected, Failed]);
    assert_eq!(ran.outcome.facts, []);
}

#[tokio::test]
async fn an_explicit_strategy_is_not_changed() {
    let ran = Case::with(Strategy::Native).run(vec![refused()]).await;
    assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
    assert_eq!(
        ran.failure().message,
        "the provider rejected the strategy's request: no such field; use 'tool', 'prompt' or 'auto'"
    );
    let twice = || vec![says("{\"n\": \"x\"}"), says("{\"n\": \"x\"}")];
    let ran = Case::with(Strategy::Native).run(twice()).await;
    assert_eq!(ran.outcomes(), [SchemaInvalid, NoProgress]);
    assert!(ran.failure().message.starts_with("output did not match the schema after 1 retry"));
}

#[tokio::test]
async fn an_unavailable_strategy_lists_the_available_ones() {
    let rows = [
        (Strategy::Native, plain(), "the executor does not support schemas; use 'prompt' or 'auto'"),
        (Strategy::Tool, plain(), "the executor has no tools; use 'prompt' or 'auto'"),
        (
            Strategy::Tool,
            Capabilities { tool: None, ..able() },
            "the executor has no tools; use 'native', 'prompt' or 'auto'",
        ),
    ];
    for (strategy, capabilities, ending) in rows {
        let ran = Case::with(strategy).at(capabilities).run(Vec::new()).await;
        assert_eq!(ran.failure().kind, FailureType::ExecutorFailed);
        assert!(ran.failure().message.ends_with(ending), "{}", ran.failure().message);
        assert!(ran.turns.is_empty() && ran.attempts.is_empty());
    }
}

#[tokio::test]
async fn a_model_that_repeats_itself_gets_the_next_strategy() {
    let replies = vec![says("{\"n\": \"x\"}"), says("{\"n\": \"x\"}"), submits(&["{\"n\": 1}"])];
    let ran = Case::with(Strategy::Auto).retries(3).run(replies).await;
    assert_eq!(ran.outcomes(), [SchemaInvalid, NoProgress, Accepted]);
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Native, Strategy::Tool]);
    assert_eq!(ran.value(), (json!({"n": 1}), 2));
    assert!(ran.turns[2].prompt.contains("Call `submit_result` again"), "{}", ran.turns[2].prompt);
}

fn forces(ran: &Ran) -> Vec<bool> {
    let force = |turn: &accord_executor::Turn| matches!(turn.delivery, Delivery::Tool { force: true, .. });
    ran.turns.iter().map(force).collect()
}

/// A model that is known to call tools.
fn calling() -> Case {
    Case::with(Strategy::Tool).known("tool", Standing::Works)
}

#[tokio::test]
async fn prose_instead_of_the_call_is_validated_and_then_nudged() {
    let ran = calling().run(vec![says("It is {\"n\": 1}.")]).await;
    assert_eq!((ran.outcomes(), ran.value()), (vec![Accepted], (json!({"n": 1}), 0)));

    let ran = calling().run(vec![says("Done!"), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.outcomes(), [NotSubmitted, Accepted]);
    assert_eq!(ran.value(), (json!({"n": 1}), 1));
    assert!(ran.turns[1].prompt.starts_with("You ended your turn without calling `submit_result`"));
    assert_eq!(forces(&ran), [false, false]);

    let ran = calling().run(vec![says("{\"n\": \"x\"}"), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.outcomes(), [NotSubmitted, Accepted]);
    assert!(ran.turns[1].prompt.contains("$.n"), "{}", ran.turns[1].prompt);
}

#[tokio::test]
async fn the_last_nudge_demands_the_call() {
    let replies = || vec![says("Done!"), submits(&["{\"n\": 1}"])];
    let ran = calling().retries(1).run(replies()).await;
    assert_eq!(forces(&ran), [false, true]);
    let thinking = Tool { profile: "openai".into(), strict: true, force: false };
    let reasoning = Capabilities { tool: Some(thinking), ..able() };
    let ran = calling().retries(1).at(reasoning).run(replies()).await;
    assert_eq!(forces(&ran), [false, false]);
    let ran = calling().retries(1).known("forced_tool", Standing::Barred).run(replies()).await;
    assert_eq!(forces(&ran), [false, false]);
}

#[tokio::test]
async fn a_rejected_tool_choice_is_omitted() {
    let refused = Reply::Fail(TurnError::ToolRejected("not while thinking".into()));
    let replies = vec![says("Done!"), refused, submits(&["{\"n\": 1}"])];
    let ran = calling().retries(1).run(replies).await;
    assert_eq!(ran.outcomes(), [NotSubmitted, SchemaRejected, Accepted]);
    assert_eq!(forces(&ran), [false, true, false]);
    assert_eq!(ran.turns[1].prompt, ran.turns[2].prompt);
    assert_eq!(ran.outcome.facts, [fact("small", "forced_tool", "refused"), fact("small", "tool", "works")]);
}

#[tokio::test]
async fn a_run_reports_once_that_a_schema_had_no_effect() {
    let ran =
        Case::with(Strategy::Auto).run(vec![says("Prose."), says("More."), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.outcomes(), [NoJson, NoProgress, Accepted]);
    assert_eq!(ran.outcome.facts, [fact("small", "native", "ignored"), fact("small", "tool", "works")]);
    let ran = Case::with(Strategy::Native).run(vec![says("Prose."), says("{\"n\": 1}")]).await;
    assert_eq!(ran.outcomes(), [NoJson, Accepted]);
    assert_eq!(ran.outcome.facts, [fact("small", "native", "works")], "a good answer outweighs a bad one");
    let ran = Case::with(Strategy::Native).run(vec![says("{\"n\": \"x\"}"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.outcome.facts, [fact("small", "native", "works")]);
}

#[tokio::test]
async fn only_observations_about_the_tool_choice_are_reported() {
    let among_words = says("Here:\n```json\n{\"n\": 1}\n```");
    let ran = Case::with(Strategy::Native).run(vec![among_words]).await;
    assert_eq!((ran.value(), ran.outcome.facts), ((json!({"n": 1}), 0), Vec::new()));
    let ran = Case::with(Strategy::Native).retries(1).run(vec![cut("Let me"), cut("I will")]).await;
    assert_eq!(ran.outcome.facts, [], "what was cut off may have come to it");
    let ran = Case::with(Strategy::Native).run(vec![refuses("I will not.")]).await;
    assert_eq!(ran.outcome.facts, [], "a refusal is no evidence");
    let broken = Reply::Fail(TurnError::Failed("it broke".into()));
    let ran = Case::with(Strategy::Native).run(vec![broken]).await;
    assert_eq!(ran.outcome.facts, [], "a failure is no evidence");
    let wrong = submits(&["{\"n\": \"x\"}"]);
    let ran = calling().retries(1).run(vec![says("Done!"), wrong]).await;
    assert_eq!((forces(&ran), ran.outcome.facts), (vec![false, true], vec![fact("small", "tool", "works")]));
}

#[tokio::test]
async fn unproven_tools_are_dropped_after_one_attempt() {
    let auto = || Case::with(Strategy::Auto).at(Capabilities { native: None, ..able() });
    let ran = auto().run(vec![says("Done!"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.strategies(), [Strategy::Tool, Strategy::Prompt]);
    assert_eq!(ran.outcomes(), [NotSubmitted, Accepted]);
    assert_eq!(ran.outcome.facts, [fact("small", "tool", "ignored")]);
    let form = "\"n\": <integer>";
    assert!(ran.turns.iter().all(|turn| turn.system_prompt.contains(form)), "{}", ran.turns[0].system_prompt);

    let ran = Case::with(Strategy::Tool).run(vec![says("Done!"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.strategies(), [Strategy::Tool, Strategy::Prompt], "also where the strategy is named");
    assert!(ran.turns[1].fresh && ran.turns[1].prompt == ran.turns[0].prompt);

    let ran = auto().known("tool", Standing::Works).run(vec![says("Done!"), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.strategies(), [Strategy::Tool, Strategy::Tool]);
    let astray = Reply::Say(Answer { stop: Stop::Astray("`done`".to_owned()), ..answer("") });
    let ran = auto().run(vec![astray, submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.strategies(), [Strategy::Tool, Strategy::Tool], "it does call tools");
}

#[tokio::test]
async fn a_rejected_schema_is_remembered_only_for_itself() {
    let refused = || Reply::Fail(TurnError::SchemaRejected("'uniqueItems' is not permitted".into()));
    let ran = Case::with(Strategy::Auto).run(vec![refused(), refused(), says("{\"n\": 1}")]).await;
    assert_eq!(ran.strategies(), [Strategy::Native, Strategy::Tool, Strategy::Prompt]);
    let learnt = [fact("small", "native#sha256:x", "refused"), fact("small", "tool#sha256:x", "refused")];
    assert_eq!(ran.outcome.facts, learnt);
    let known = learnt.map(|report| known(&report.model, &report.feature, Standing::Barred)).to_vec();
    let mut same = Case::with(Strategy::Auto);
    same.assignment.facts = known.clone();
    assert_eq!(first_rung(same).await, Strategy::Prompt);
    let mut other =
        Case::under(accord_api::Contract { schema_hash: "sha256:y".into(), ..contract(Origin::Caller) });
    other.assignment.facts = known;
    assert_eq!(first_rung(other).await, Strategy::Native);
}

#[tokio::test]
async fn a_wrong_tool_call_is_reported() {
    let astray = || Reply::Say(Answer { stop: Stop::Astray("`done`".to_owned()), ..answer("") });
    let ran = Case::with(Strategy::Tool).run(vec![astray(), submits(&["{\"n\": 1}"])]).await;
    assert_eq!(ran.outcomes(), [NotSubmitted, Accepted]);
    let message = "unknown tool: `done`; call `submit_result`";
    assert_eq!(ran.attempts[0].errors[0].message, message);
    let ran = Case::with(Strategy::Tool).retries(0).run(vec![astray()]).await;
    assert_eq!(ran.failure().validation_errors[0], format!("$: {message}"));
    let ran = Case::with(Strategy::Native).run(vec![astray(), says("{\"n\": 1}")]).await;
    let message = "unknown tool: `done`; return the JSON value as text";
    assert_eq!(ran.attempts[0].errors[0].message, message);
}

#[tokio::test]
async fn a_result_that_was_never_submitted_names_the_tool() {
    let never = || vec![says("Done!"), says("I am done."), says("Really.")];
    let ran = calling().retries(2).run(never()).await;
    let message = "expected a call of `submit_result`, got none, and no JSON value found in the answer";
    assert_eq!(ran.failure().validation_errors, [format!("$: {message}")]);
    let ran = calling().retries(0).run(vec![says("")]).await;
    let message =
        "expected a call of `submit_result`, got none, and the answer is empty; return a JSON value";
    assert_eq!(ran.failure().validation_errors, [format!("$: {message}")]);
    let ran = Case::with(Strategy::Prompt).retries(0).run(vec![says("Done!")]).await;
    assert_eq!(ran.failure().validation_errors, ["$: no JSON value found in the answer"]);
}

#[tokio::test]
async fn empty_answers_teach_nothing() {
    let astray = Reply::Say(Answer { stop: Stop::Astray("`done`".to_owned()), ..answer("") });
    for reply in [says(""), says(" \n"), astray] {
        let ran = Case::with(Strategy::Auto).retries(0).run(vec![reply]).await;
        assert!(ran.outcome.facts.is_empty(), "{:?}", ran.outcome.facts);
    }
}
