//! Sessions that do not repeat requests themselves, and providers that are temporarily unavailable.

use std::time::Duration;

use accord_api::{EventBody, FailureType, Limits, Strategy};
use accord_executor::{Capabilities, Retry, TurnError, Usage};
use tokio::time::Instant;

use super::script::{Case, Ran, Reply, able, says};
use crate::drive::RunEnd;

fn away() -> Reply {
    Reply::Fail(TurnError::Transport("503 down".into()))
}

/// A case with a session that does not retry by itself.
fn case() -> Case {
    Case::with(Strategy::Prompt).at(Capabilities { repeats: false, ..able() })
}

/// The pause in milliseconds, the attempts so far, the attempts left and the milliseconds left.
type Repeated = (u64, Option<u32>, Option<u32>, Option<u64>);

fn repeated(ran: &Ran) -> Vec<Repeated> {
    let repeated = |event: &EventBody| match event {
        EventBody::RequestRepeated { reason, milliseconds, attempts, attempts_left, milliseconds_left } => {
            assert_eq!(reason, "503 down");
            Some((*milliseconds, *attempts, *attempts_left, *milliseconds_left))
        }
        _ => None,
    };
    ran.events.iter().filter_map(repeated).collect()
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_waited_for() {
    let begun = Instant::now();
    let ran = case().run(vec![away(), away(), away(), says("{\"n\": 1}")]).await;
    assert_eq!(ran.value().0, serde_json::json!({"n": 1}));
    let told = repeated(&ran);
    let waited: u64 = told.iter().map(|(pause, ..)| pause).sum();
    assert_eq!(begun.elapsed().as_secs(), Duration::from_millis(waited).as_secs());
    let numbers: Vec<Option<u32>> = told.iter().map(|(_, attempts, ..)| *attempts).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
    assert!(told.iter().all(|(_, _, left, time)| left.is_none() && time.is_some_and(|time| time > 80_000)));
    let asked: Vec<&str> = ran.turns.iter().map(|turn| turn.prompt.as_str()).collect();
    assert!(asked.iter().all(|prompt| Some(prompt) == asked.first()), "{asked:?}");
    let questions =
        ran.events.iter().filter(|event| matches!(event, EventBody::Message { role, .. } if role == "user"));
    assert_eq!((questions.count(), ran.attempts.len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn exhausted_retries_report_count_and_duration() {
    let begun = Instant::now();
    let ran = case().run((0..50).map(|_| away()).collect()).await;
    assert_eq!(begun.elapsed().as_secs(), 90);
    let expected = format!("503 down (gave up after {} attempts in 90 seconds)", ran.turns.len());
    assert_eq!(
        (ran.failure().kind, ran.failure().message.as_str()),
        (FailureType::ExecutorFailed, expected.as_str())
    );

    let policy = |for_time, max_attempts| Case { retry: Retry { for_time, max_attempts }, ..case() };
    let ran = policy(Duration::from_secs(90), Some(2)).run(vec![away(), away(), away()]).await;
    assert_eq!(ran.turns.len(), 2);
    assert_eq!(repeated(&ran).iter().map(|(_, _, left, _)| *left).collect::<Vec<_>>(), [Some(1)]);
    let ran = policy(Duration::ZERO, None).run(vec![away(), away()]).await;
    assert_eq!(ran.failure().message, "503 down (not retried: `retry` allows no more attempts)");
}

#[tokio::test(start_paused = true)]
async fn the_limits_of_the_run_apply_during_the_wait() {
    let limits = Limits { timeout_seconds: Some(7), ..Limits::default() };
    let begun = Instant::now();
    let ran = case().limits(limits).run((0..50).map(|_| away()).collect()).await;
    assert_eq!((ran.failure().kind, begun.elapsed().as_secs()), (FailureType::TimedOut, 7));
    assert!(
        repeated(&ran).iter().all(|(pause, _, _, left)| pause + left.unwrap() <= 7_000),
        "{:?}",
        repeated(&ran)
    );

    let limits = Limits { max_tokens_total: Some(10), ..Limits::default() };
    let usage = Usage { input_tokens: 9, output_tokens: 1, cost_usd: None };
    let spent = Reply::FailAfter(TurnError::Transport("503 down".into()), usage);
    let ran = case().limits(limits).run(vec![spent, says("{\"n\": 1}")]).await;
    assert_eq!((ran.failure().kind, ran.turns.len()), (FailureType::BudgetExhausted, 1));
    assert_eq!(ran.outcome.usage.input_tokens, 9);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait_at_once() {
    let case = case();
    let stop = case.stop.clone();
    let begun = Instant::now();
    let (ran, ()) = tokio::join!(case.run((0..50).map(|_| away()).collect()), async {
        tokio::time::sleep_until(Instant::now() + Duration::from_secs(20)).await;
        stop.cancel();
    });
    assert!(matches!(ran.outcome.end, RunEnd::Stopped), "{:?}", ran.outcome.end);
    assert_eq!(begun.elapsed().as_secs(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_turn_with_tool_calls_is_not_repeated() {
    let worked = Reply::FailAfterTool(TurnError::Transport("503 down".into()));
    let ran = case().run(vec![worked, says("{\"n\": 1}")]).await;
    assert_eq!(ran.turns.len(), 1);
    let expected = "503 down (not retried, because tools were used in this turn)";
    assert_eq!(ran.failure().message, expected);
}
