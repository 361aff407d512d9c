//! Repeated requests get the same answer.

use std::sync::Arc;

use accord_store::{Idempotency, PageRequest, RunFilter, Store, StoreError, Submission, Submitted};

use super::make::*;

fn keyed(name: &str, scope: &str, fingerprint: &str) -> Submission {
    let idempotency = Idempotency {
        scope: scope.to_owned(),
        key: "key".into(),
        fingerprint: fingerprint.to_owned(),
        response: format!("{{\"run\":\"{name}\"}}"),
    };
    Submission { idempotency: Some(idempotency), ..fresh(name) }
}

async fn count(store: &Arc<dyn Store>) -> usize {
    let page = PageRequest { limit: 100, cursor: None };
    store.runs(&RunFilter::default(), &page).await.unwrap().items.len()
}

/// The same key with the same body returns the first answer and creates nothing.
pub async fn the_same_request_has_the_same_answer(store: Arc<dyn Store>) {
    assert!(matches!(store.submit_run(keyed("a", "s", "f")).await, Ok(Submitted::Created(_))));
    let again = store.submit_run(keyed("b", "s", "f")).await.unwrap();
    assert_eq!(again, Submitted::Replayed("{\"run\":\"a\"}".into()));
    assert_eq!(count(&store).await, 1);
    assert!(matches!(store.session(&session_id("b")).await, Err(StoreError::NoSession(_))));
}

/// The same key with another body is rejected and creates nothing.
pub async fn another_body_is_refused(store: Arc<dyn Store>) {
    store.submit_run(keyed("a", "s", "f")).await.unwrap();
    let other = store.submit_run(keyed("b", "s", "g")).await;
    assert!(matches!(other, Err(StoreError::IdempotencyConflict(key)) if key == "key"));
    assert_eq!(count(&store).await, 1);
}

/// Keys in different scopes do not collide.
pub async fn scopes_do_not_collide(store: Arc<dyn Store>) {
    store.submit_run(keyed("a", "s", "f")).await.unwrap();
    assert!(matches!(store.submit_run(keyed("b", "t", "g")).await, Ok(Submitted::Created(_))));
    assert_eq!(count(&store).await, 2);
}

/// A rejected submission does not use up its key.
pub async fn a_refused_request_keeps_its_key(store: Arc<dyn Store>) {
    store.submit_run(fresh("a")).await.unwrap();
    let idempotency = keyed("b", "s", "f").idempotency;
    let resumed = Submission { idempotency: idempotency.clone(), ..resume("b", "a", 1) };
    assert!(matches!(store.submit_run(resumed.clone()).await, Err(StoreError::Busy { .. })));
    store.stop_run(&run_id("a"), at(2)).await.unwrap();
    assert!(matches!(store.submit_run(resumed).await, Ok(Submitted::Created(_))));
}

/// Keys are removed after their retention time, not before.
pub async fn idempotency_keys_expire(store: Arc<dyn Store>) {
    store.submit_run(keyed("a", "s", "f")).await.unwrap();
    store.forget_idempotency_keys(at(-10)).await.unwrap();
    assert!(matches!(store.submit_run(keyed("b", "s", "f")).await, Ok(Submitted::Replayed(_))));
    store.forget_idempotency_keys(at(10)).await.unwrap();
    assert!(matches!(store.submit_run(keyed("b", "s", "g")).await, Ok(Submitted::Created(_))));
}

/// Of twenty concurrent requests, one creates the run, and all get the same answer.
pub async fn twenty_at_once_make_one(store: Arc<dyn Store>) {
    let mut callers = Vec::new();
    for number in 0..20 {
        let store = Arc::clone(&store);
        let submission = keyed(&format!("n{number}"), "s", "f");
        callers.push(tokio::spawn(async move { store.submit_run(submission).await }));
    }
    let (mut created, mut replayed) = (Vec::new(), Vec::new());
    for caller in callers {
        match caller.await.unwrap().unwrap() {
            Submitted::Created(run) => created.push(run.id.to_string()),
            Submitted::Replayed(answer) => replayed.push(answer),
            Submitted::AlreadyDelivered => replayed.push("already delivered".into()),
        }
    }
    assert_eq!((created.len(), replayed.len()), (1, 19));
    let name = created.first().unwrap().trim_start_matches("run_").to_owned();
    let answer = format!("{{\"run\":\"{name}\"}}");
    assert!(replayed.iter().all(|given| *given == answer), "{replayed:?}");
    assert_eq!(count(&store).await, 1);
}

/// The first answer can be read without side effects.
pub async fn the_first_answer_is_known(store: Arc<dyn Store>) {
    assert_eq!(store.first_answer("s", "key", "f").await.unwrap(), None);
    store.submit_run(keyed("a", "s", "f")).await.unwrap();
    assert_eq!(store.first_answer("s", "key", "f").await.unwrap(), Some("{\"run\":\"a\"}".into()));
    assert_eq!(store.first_answer("t", "key", "f").await.unwrap(), None);
    let other = store.first_answer("s", "key", "g").await;
    assert!(matches!(other, Err(StoreError::IdempotencyConflict(key)) if key == "key"));
}
