//! Tokens, cost, steps, time, and stop requests.

use accord_api::attempt::Outcome::{BudgetExhausted, NoJson, Stopped, TimedOut};
use accord_api::{FailureType, Limits, Strategy, Usage};
use accord_executor::{Allowance, TurnError};
use serde_json::json;

use super::script::{Case, Reply, refuses, says};
use crate::drive::RunEnd;

#[tokio::test]
async fn turns_over_the_cost_limit_are_not_started() {
    let rows = [
        Limits { max_tokens_total: Some(15), ..Limits::default() },
        Limits { max_cost_usd: Some(0.25), ..Limits::default() },
    ];
    for limits in rows {
        let ran = Case::with(Strategy::Prompt).limits(limits).run(vec![says("prose"), says("more")]).await;
        assert_eq!(ran.failure().kind, FailureType::BudgetExhausted);
        assert_eq!(ran.failure().last_output.as_deref(), Some("prose"));
        assert_eq!((ran.turns.len(), ran.outcomes()), (1, vec![NoJson]));
    }
}

#[tokio::test]
async fn a_result_that_used_up_the_budget_counts() {
    let limits = Limits { max_tokens_total: Some(15), ..Limits::default() };
    let ran = Case::with(Strategy::Prompt).limits(limits).run(vec![says("{\"n\": 1}")]).await;
    assert_eq!(ran.value(), (json!({"n": 1}), 0));
}

#[tokio::test]
async fn a_turn_gets_the_rest_of_the_budget() {
    let limits = Limits { max_tokens_total: Some(100), max_cost_usd: Some(1.0), ..Limits::default() };
    let used = accord_executor::Usage { input_tokens: 80, output_tokens: 10, cost_usd: Some(0.5) };
    let ended = Reply::FailAfter(TurnError::AllowanceUsedUp, used);
    let ran = Case::with(Strategy::Prompt).limits(limits).run(vec![says("prose"), ended]).await;
    let left: Vec<_> = ran.turns.iter().map(|turn| turn.allowance).collect();
    let allowance = |tokens, cost| Allowance { tokens: Some(tokens), cost_usd: Some(cost) };
    assert_eq!(left, [allowance(100, 1.0), allowance(85, 0.75)]);
    assert_eq!(ran.failure().kind, FailureType::BudgetExhausted);
    let words = "105 tokens used, limits.max_tokens_total is 100; raise it, or ask for less";
    assert_eq!(ran.failure().message, words);
    assert_eq!(ran.outcomes(), [NoJson, BudgetExhausted]);
    assert_eq!(ran.outcome.usage, Usage { input_tokens: 90, output_tokens: 15, cost_usd: Some(0.75) });
}

#[tokio::test]
async fn turns_skipped_for_budget_are_not_retries() {
    let limits = Limits { max_tokens_total: Some(20), ..Limits::default() };
    let ran = Case::with(Strategy::Prompt)
        .limits(limits)
        .run(vec![says("a"), says("{\"n\": true}"), says("c")])
        .await;
    assert_eq!((ran.turns.len(), ran.outcome.retries), (2, 1));
    assert_eq!(ran.failure().kind, FailureType::BudgetExhausted);
}

#[tokio::test]
async fn exceeding_the_steps_exhausts_the_budget() {
    let ran = Case::with(Strategy::Prompt).run(vec![Reply::Fail(TurnError::TooManySteps(7))]).await;
    assert_eq!(ran.failure().kind, FailureType::BudgetExhausted);
    assert!(ran.failure().message.contains("7 model requests"), "{}", ran.failure().message);
    assert_eq!(ran.outcomes(), [BudgetExhausted]);
}

#[tokio::test]
async fn a_turn_can_time_out() {
    let ran = Case::with(Strategy::Prompt).run(vec![Reply::Fail(TurnError::TimedOut(9))]).await;
    assert_eq!(ran.failure().kind, FailureType::TimedOut);
    assert!(ran.failure().message.contains("9 seconds"), "{}", ran.failure().message);
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_run_covers_all_attempts() {
    let limits = || Limits { timeout_seconds: Some(60), ..Limits::default() };
    for last in [Reply::Hang, Reply::Deaf] {
        let ran = Case::with(Strategy::Prompt).limits(limits()).run(vec![says("prose"), last]).await;
        assert_eq!(ran.failure().kind, FailureType::TimedOut);
        assert!(ran.failure().message.starts_with("no result within 60 seconds"));
        assert_eq!(ran.outcomes(), [NoJson, TimedOut]);
        assert_eq!(ran.outcome.conversation, Some(json!({"turns": 2})));
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_limit_of_a_run_covers_all_deliveries() {
    let limits = || Limits { timeout_seconds: Some(60), ..Limits::default() };
    for (spent, left) in [(0, 60), (45_000, 15), (90_000, 0)] {
        let mut case = Case::with(Strategy::Prompt).limits(limits());
        case.assignment.spent.milliseconds = spent;
        let begun = tokio::time::Instant::now();
        let ran = case.run(vec![Reply::Hang]).await;
        assert_eq!(ran.failure().kind, FailureType::TimedOut);
        assert!(ran.failure().message.starts_with("no result within 60 seconds"));
        assert_eq!(begun.elapsed().as_secs(), left, "{spent}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_turn_and_the_run() {
    for reply in [Reply::Hang, Reply::Deaf] {
        let case = Case::with(Strategy::Prompt);
        let stop = case.stop.clone();
        let ran = case.run(vec![Reply::Stop(stop, Box::new(reply))]).await;
        assert!(matches!(ran.outcome.end, RunEnd::Stopped), "{:?}", ran.outcome.end);
        assert_eq!(ran.outcome.conversation, Some(json!({"turns": 1})));
        assert_eq!(ran.outcomes(), [Stopped]);
    }
}

#[tokio::test]
async fn usage_of_lost_deliveries_counts() {
    let spent = |tokens, retries| accord_api::Spent {
        usage: Usage { input_tokens: tokens, output_tokens: 0, cost_usd: Some(0.5) },
        retries,
        attempts: retries,
        milliseconds: 0,
    };
    let limits = Limits { max_tokens_total: Some(15), ..Limits::default() };
    let mut case = Case::with(Strategy::Prompt).limits(limits);
    case.assignment.spent = spent(15, 0);
    let ran = case.run(Vec::new()).await;
    assert_eq!((ran.failure().kind, ran.turns.len()), (FailureType::BudgetExhausted, 0));

    // Two retries are allowed and one was used before: one is left.
    let mut case = Case::with(Strategy::Prompt);
    case.assignment.spent = spent(7, 1);
    let ran = case.run(vec![says("prose"), says("more prose"), says("{\"n\": 1}")]).await;
    assert_eq!(ran.turns.len(), 2);
    assert_eq!(ran.failure().message, "output did not match the schema after 2 retries");
    assert_eq!(ran.failure().attempts, Some(3));
    assert_eq!(ran.outcome.usage, Usage { input_tokens: 27, output_tokens: 10, cost_usd: Some(1.0) });

    // A failure of another kind reports all of them too.
    let mut case = Case::with(Strategy::Prompt);
    case.assignment.spent = spent(7, 1);
    let failed = Reply::Fail(TurnError::Failed("no key".into()));
    assert_eq!(case.run(vec![says("prose"), failed]).await.failure().attempts, Some(3));
    let mut case = Case::with(Strategy::Prompt);
    case.assignment.spent = spent(7, 1);
    assert_eq!(case.run(vec![refuses("no")]).await.failure().attempts, Some(2));

    // All retries are used up: the model is still asked once, so that there is an answer to report.
    let mut case = Case::with(Strategy::Prompt);
    case.assignment.spent = spent(7, 9);
    let ran = case.run(vec![says("prose")]).await;
    assert_eq!((ran.turns.len(), ran.failure().kind), (1, FailureType::OutputSchemaValidationFailed));
}
