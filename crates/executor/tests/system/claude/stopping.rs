//! Ending a turn that does not end by itself.

use accord_executor::{Events, TurnError};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::fixture::{Fake, text};
use crate::support::{gone, grandchild};

/// Runs until it is interrupted, with a grandchild.
const WORKS: &str = r#"
read -r line; begin
sleep 300 & echo $! >> "$LOG/pids"; echo $! > part; mv part pid
read -r interrupt; echo "$interrupt" > "$LOG/interrupt"
echo '{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_streaming","session_id":"sid-1","total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":7,"outputTokens":1}}}'
read -r more"#;

/// Ignores interrupts and signals.
const DEAF: &str = r#"
trap '' INT TERM
read -r line; begin
sh -c 'trap "" INT TERM; echo $$ >> "$LOG/pids"; echo $$ > part; mv part pid; exec sleep 300' &
while :; do wait; done"#;

#[tokio::test]
async fn a_stop_interrupts_and_ends_the_process() {
    let fake = Fake::new(WORKS);
    let mut session = fake.open().await;
    let cancel = CancellationToken::new();
    let events = Events::none();
    let working = session.turn(text("go"), &events, &cancel);
    let stopping = async {
        grandchild(fake.path()).await;
        cancel.cancel();
    };
    let (worked, ()) = tokio::join!(working, stopping);
    let failure = worked.unwrap_err();
    // The usage until then is reported.
    assert_eq!((failure.error, failure.usage.input_tokens), (TurnError::Stopped, 7));
    assert!(fake.log("interrupt").contains(r#""subtype":"interrupt""#));
    fake.nothing_is_left().await;
    assert_eq!(session.conversation().unwrap()["session_id"], "sid-1");
}

#[tokio::test]
async fn an_endless_turn_times_out_and_is_killed() {
    let fake = Fake::new(DEAF);
    let mut start = fake.start();
    start.settings["timeout_seconds"] = json!(1);
    let mut session = fake.open_with(start).await.unwrap();
    let error = fake.turn(&mut session, text("go")).await.unwrap_err();
    assert_eq!(error, TurnError::TimedOut(1));
    fake.nothing_is_left().await;
}

#[tokio::test]
async fn a_dropped_session_leaves_no_process() {
    let fake = Fake::new(WORKS);
    let mut session = fake.open().await;
    let cancel = CancellationToken::new();
    let events = Events::none();
    let pid = {
        let working = session.turn(text("go"), &events, &cancel);
        tokio::select! {
            _ = working => None,
            pid = grandchild(fake.path()) => Some(pid),
        }
    };
    drop(session);
    gone(pid.unwrap()).await;
    fake.nothing_is_left().await;
}
