//! Requests whose callers wait: joined by equal ones, and known when nobody waits any more.

use std::sync::Arc;

use accord_domain::event::Body;
use accord_domain::run::Status;
use accord_store::{Arrival, EventFilter, FrontRequest, Idempotency, Store, Submission, Submitted};
use tokio::task::JoinSet;

use super::make::*;

fn arrival(key: &str, fingerprint: &str, seconds: i64) -> Arrival {
    Arrival {
        request: FrontRequest {
            scope: "s".into(),
            key: key.into(),
            fingerprint: fingerprint.into(),
            work: None,
        },
        is_named: false,
        is_repeat: false,
        is_reason: true,
        now: at(seconds),
        until: at(seconds + 30),
        left_after: at(seconds - 600),
        answered_after: at(seconds - 60),
    }
}

fn repeat(key: &str, fingerprint: &str, seconds: i64) -> Arrival {
    Arrival { is_repeat: true, ..arrival(key, fingerprint, seconds) }
}

async fn arrive(store: &Arc<dyn Store>, arrival: Arrival) -> String {
    store.arrive(arrival).await.unwrap().key
}

async fn leave(store: &Arc<dyn Store>, key: &str, is_answered: bool, seconds: i64) {
    store.leave("s", key, is_answered, at(seconds)).await.unwrap();
}

async fn alone(store: &Arc<dyn Store>, since: i64) -> Vec<String> {
    let left = store.left_alone(at(since), PLENTY).await.unwrap();
    left.into_iter().map(|request| request.key).collect()
}

/// A caller that comes back, or says that it repeats its request, waits for the same work.
pub async fn an_equal_request_joins_the_one_that_was_left(store: Arc<dyn Store>) {
    assert_eq!(arrive(&store, arrival("1", "f", 0)).await, "1");
    assert_eq!(
        arrive(&store, arrival("2", "f", 1)).await,
        "2",
        "the first caller waits: this is another one"
    );
    assert_eq!(arrive(&store, repeat("3", "f", 2)).await, "2", "a repetition joins the last");
    assert_eq!(arrive(&store, repeat("4", "g", 2)).await, "4", "another body");
    leave(&store, "2", false, 3).await;
    leave(&store, "2", false, 4).await;
    assert_eq!(arrive(&store, arrival("5", "f", 5)).await, "2", "its callers left");
    leave(&store, "2", true, 6).await;
    assert_eq!(arrive(&store, arrival("6", "f", 7)).await, "6", "it was answered");
    let other = FrontRequest { scope: "t".into(), key: "7".into(), fingerprint: "f".into(), work: None };
    let other = Arrival { request: other, ..repeat("7", "f", 8) };
    assert_eq!(arrive(&store, other).await, "7", "of another caller");
    let work = Some("run_1".to_owned());
    let with_work = arrival("8", "w", 8);
    let with_work =
        Arrival { request: FrontRequest { work: work.clone(), ..with_work.request }, ..with_work };
    store.arrive(with_work).await.unwrap();
    assert_eq!(store.arrive(repeat("9", "w", 9)).await.unwrap().work, work);
}

/// A key that the caller names is the request, however it stands.
pub async fn a_named_request_is_always_the_same(store: Arc<dyn Store>) {
    let named = |seconds| Arrival { is_named: true, ..arrival("mine", "f", seconds) };
    assert_eq!(arrive(&store, named(0)).await, "mine");
    leave(&store, "mine", true, 1).await;
    assert_eq!(arrive(&store, named(10_000)).await, "mine");
    assert_eq!(alone(&store, 10_000).await, Vec::<String>::new(), "its caller waits again");
    assert_eq!(arrive(&store, repeat("2", "f", 10_001)).await, "2", "one without a key is another one");
}

/// Of equal requests that arrive at once after the first caller has left, all join.
pub async fn two_that_arrive_at_once_are_one(store: Arc<dyn Store>) {
    let mut arrivals = JoinSet::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        arrivals.spawn(async move { arrive(&store, repeat(&number.to_string(), "f", 1)).await });
    }
    let mut keys = arrivals.join_all().await;
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 1, "{keys:?}");
    for _ in 0..7 {
        leave(&store, &keys[0], false, 2).await;
    }
    assert_eq!(alone(&store, 10).await, Vec::<String>::new(), "one still waits");
    leave(&store, &keys[0], false, 3).await;
    assert_eq!(alone(&store, 3).await, keys);
}

/// A request is left alone when its last caller has left, or when nobody renews that it waits.
pub async fn what_nobody_waits_for_is_known(store: Arc<dyn Store>) {
    for key in ["left", "lost", "renewed", "answered", "background"] {
        let arrival = arrival(key, key, 0);
        arrive(&store, Arrival { is_reason: key != "background", ..arrival }).await;
    }
    leave(&store, "left", false, 5).await;
    leave(&store, "background", false, 5).await;
    leave(&store, "answered", true, 5).await;
    store.wait_on("s", "renewed", at(60)).await.unwrap();
    store.wait_on("s", "renewed", at(50)).await.unwrap();
    store.wait_on("s", "absent", at(60)).await.unwrap();
    assert_eq!(alone(&store, 4).await, Vec::<String>::new());
    assert_eq!(alone(&store, 5).await, ["left"]);
    assert_eq!(alone(&store, 29).await, ["left"]);
    let mut both = alone(&store, 59).await;
    both.sort();
    assert_eq!(both, ["left", "lost"]);
    store.forget_request("s", "left").await.unwrap();
    assert_eq!(alone(&store, 59).await, ["lost"]);
    assert_eq!(arrive(&store, arrival("new", "left", 6)).await, "new", "what was given up is not joined");
}

/// Old requests go with the keys that nobody has named; what is waited for stays.
pub async fn old_requests_are_forgotten(store: Arc<dyn Store>) {
    let keyed = |key: &str, name: &str| {
        let (scope, fingerprint) = ("s".to_owned(), "f".to_owned());
        let idempotency = Idempotency {
            scope,
            key: key.to_owned(),
            fingerprint,
            response: format!("{{\"run\":\"{name}\"}}"),
        };
        Submission { idempotency: Some(idempotency), ..fresh(name) }
    };
    arrive(&store, arrival("made", "f", 0)).await;
    arrive(&store, Arrival { is_named: true, ..arrival("named", "f", 0) }).await;
    arrive(&store, arrival("waiting", "g", 0)).await;
    store.wait_on("s", "waiting", at(200)).await.unwrap();
    for (key, name) in [("made", "a"), ("named", "b")] {
        store.submit_run(keyed(key, name)).await.unwrap();
    }
    store.forget_requests(at(100)).await.unwrap();
    assert_eq!(store.first_answer("s", "made", "f").await.unwrap(), None);
    assert!(matches!(store.submit_run(keyed("named", "c")).await, Ok(Submitted::Replayed(_))));
    assert_eq!(alone(&store, 1000).await, ["waiting"]);
}

/// The reason of a stop is in the run and in its event, also where a runner has to end it first.
pub async fn a_stop_says_why(store: Arc<dyn Store>) {
    store.submit_run(fresh("pending")).await.unwrap();
    let stopped = store.stop_run_because(&run_id("pending"), "left alone", at(1)).await.unwrap();
    assert_eq!(stopped.status, Status::Stopped);
    let held = begin(&store, fresh("running")).await;
    let stopping = store.stop_run_because(&run_id("running"), "left alone", at(2)).await.unwrap();
    assert_eq!(stopping.status, Status::Stopping);
    store.finish_run(finish(&held, completed("late"), 3)).await.unwrap();
    for name in ["pending", "running"] {
        let run = store.run(&run_id(name)).await.unwrap();
        assert_eq!((run.status, run.failure.unwrap().message.as_str()), (Status::Stopped, "left alone"));
        let filter = EventFilter { run_id: Some(run_id(name)), ..EventFilter::default() };
        let events = events_of(&store, filter).await;
        let last: Body = serde_json::from_str(&events.last().unwrap().body).unwrap();
        assert_eq!(last, Body::RunStopped { reason: Some("left alone".into()) });
    }
}
