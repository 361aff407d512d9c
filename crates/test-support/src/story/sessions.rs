//! Sessions continue, run by run.

use std::sync::Arc;

use accord_domain::attempt::Outcome as AttemptOutcome;
use accord_domain::run::change::{self, End};
use accord_domain::session::{Session, Status as SessionStatus};
use accord_domain::usage::Usage;
use accord_store::{AskAgain, Finish, Store, StoreError, Submitted};

use super::make::*;

/// The conversation belongs to the session: it is sent with the next claim, and a result without
/// one leaves it unchanged.
pub async fn the_conversation_is_kept(store: Arc<dyn Store>) {
    let one = begin(&store, fresh("a")).await;
    let talk = Some(r#"[{"role":"user","text":"ü"}]"#.to_owned());
    let ended = Finish { conversation: talk.clone(), retries: 2, ..finish(&one, completed("x"), 3) };
    assert_eq!(store.finish_run(ended).await.unwrap().retry_count, 2);
    assert_eq!(store.run(&one.run_id).await.unwrap().retry_count, 2);

    store.submit_run(resume("b", "a", 4)).await.unwrap();
    let second = take(&store, 5).await;
    assert_eq!(second.conversation, talk);
    store.finish_run(finish(&holder(&second.run), completed("y"), 6)).await.unwrap();

    store.submit_run(resume("c", "a", 7)).await.unwrap();
    let third = take(&store, 8).await;
    assert_eq!(third.conversation, talk);
    let longer = Some("[1,2]".to_owned());
    let ended = Finish { conversation: longer.clone(), ..finish(&holder(&third.run), completed("z"), 9) };
    store.finish_run(ended).await.unwrap();
    store.submit_run(resume("d", "a", 10)).await.unwrap();
    assert_eq!(take(&store, 11).await.conversation, longer);
}

/// A session with an unfinished run rejects another one; without, it accepts one and continues.
pub async fn a_session_has_one_run_at_a_time(store: Arc<dyn Store>) {
    store.submit_run(fresh("a")).await.unwrap();
    let refused = |run: &'static str| {
        let store = Arc::clone(&store);
        async move {
            let busy = store.submit_run(resume(run, "a", 1)).await;
            let Err(StoreError::Busy { session, run }) = busy else { return None };
            Some((session, run))
        }
    };
    let busy = Some((session_id("a"), run_id("a")));
    assert_eq!(refused("b").await, busy);
    let holder = holder(&take(&store, 1).await.run);
    assert_eq!(refused("b").await, busy);
    store.stop_run(&run_id("a"), at(2)).await.unwrap();
    assert_eq!(refused("b").await, busy);
    store.finish_run(finish(&holder, End::Stopped, 3)).await.unwrap();

    let before = store.session(&session_id("a")).await.unwrap();
    store.submit_run(resume("b", "a", 4)).await.unwrap();
    let after =
        Session { status: SessionStatus::Pending, last_run_id: run_id("b"), updated_at: at(4), ..before };
    assert_eq!(store.session(&session_id("a")).await.unwrap(), after);
    assert_eq!(kinds_of(&store, "b").await, ["run.queued"]);
    assert_eq!(refused("c").await, Some((session_id("a"), run_id("b"))));
    assert!(matches!(store.run(&run_id("c")).await, Err(StoreError::NoRun(_))));
}

/// The coordinator re-prompts: the run is pending again, with the prompt, the recorded answer and
/// the conversation.
pub async fn the_coordinator_can_ask_again(store: Arc<dyn Store>) {
    let one = begin(&store, fresh("a")).await;
    let usage = Usage { input_tokens: 5, output_tokens: 6, cost_usd: None };
    let judged = attempt(1, AttemptOutcome::NoJson);
    let again = AskAgain {
        holder: one.clone(),
        attempt: judged.clone(),
        prompt: "as JSON, please".into(),
        usage,
        conversation: Some("[1]".into()),
        now: at(4),
    };
    let before = store.run(&run_id("a")).await.unwrap();
    let session = store.session(&session_id("a")).await.unwrap();
    let asked = change::ask_again(before, session, &one, usage, at(4)).unwrap();
    assert_eq!(store.ask_again(again.clone()).await.unwrap(), asked.run);
    assert_eq!(store.run(&run_id("a")).await.unwrap(), asked.run);
    assert_eq!(store.session(&session_id("a")).await.unwrap(), asked.session);
    assert_eq!(store.attempts(&run_id("a")).await.unwrap(), [judged]);
    assert!(matches!(store.ask_again(again).await, Err(StoreError::Refused(_))));

    let second = take(&store, 5).await;
    assert_eq!(second.assignment.retry_prompt, Some("as JSON, please".into()));
    assert_eq!(second.conversation, Some("[1]".into()));
    assert_eq!((second.run.attempt, second.run.retry_count), (2, 1));
    assert_eq!(store.assignment(&run_id("a")).await.unwrap(), second.assignment);
    let kinds = ["run.queued", "run.claimed", "run.started", "attempt.judged", "run.queued", "run.claimed"];
    assert_eq!(kinds_of(&store, "a").await, kinds);
}

/// Of many concurrent attempts to resume a session, one succeeds and the others get "busy".
pub async fn one_of_many_resumes(store: Arc<dyn Store>) {
    complete(&store, fresh("a"), 3).await;
    let mut callers = Vec::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        let submission = resume(&format!("n{number}"), "a", 4);
        callers.push(tokio::spawn(async move { store.submit_run(submission).await }));
    }
    let mut created = 0;
    for caller in callers {
        match caller.await.unwrap() {
            Ok(submitted) => {
                assert!(matches!(submitted, Submitted::Created(_)));
                created += 1;
            }
            Err(error) => assert!(matches!(error, StoreError::Busy { .. }), "{error}"),
        }
    }
    assert_eq!(created, 1);
    assert_eq!(store.queue_depth().await.unwrap().pending, 1);
}

/// The parameters that a session was started with stay known, however often it was resumed.
pub async fn the_opening_parameters_are_known(store: Arc<dyn Store>) {
    complete(&store, fresh("a"), 3).await;
    complete(&store, resume("a2", "a", 4), 5).await;
    store.submit_run(resume("a3", "a", 6)).await.unwrap();
    assert_eq!(store.opening_parameters(&session_id("a")).await.unwrap(), r#"{"prompt":"a"}"#);
    let none = store.opening_parameters(&session_id("b")).await;
    assert!(matches!(none, Err(StoreError::NoSession(id)) if id == session_id("b")));
}
