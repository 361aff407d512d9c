//! Events have one order for all readers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use accord_domain::event::{Body, Event, OUTPUT_DELTA, OutputChannel};
use accord_domain::id::{EventId, RunId};
use accord_domain::run::change::End;
use accord_domain::run::{FailureType, Holder, Status};
use accord_store::{EventFilter, EventLimit, MOST_EVENT_BYTES, Notice, Notices, Report, Store};

use super::make::*;

fn kinds(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

fn says(text: &str) -> Body {
    Body::Message { role: "assistant".into(), text: text.to_owned() }
}

/// Each filter returns its own events in order; combined filters return the events that match both.
pub async fn event_filters_select_their_events(store: Arc<dyn Store>) {
    complete(&store, fresh("a"), 3).await;
    complete(&store, fresh("b"), 3).await;
    complete(&store, resume("c", "a", 4), 5).await;
    let none = EventFilter::default();
    assert_eq!(events_of(&store, none.clone()).await.len(), 6 + 6 + 5);

    let of_session = EventFilter { session_id: Some(session_id("a")), ..none.clone() };
    let events = events_of(&store, of_session.clone()).await;
    let first = ["session.created", "run.queued", "run.claimed", "run.started", "result", "run.completed"];
    assert_eq!(kinds(&events), [&first[..], first.get(1..).unwrap()].concat());
    assert!(events.iter().all(|event| event.session_id == Some(session_id("a"))));

    let of_run = EventFilter { run_id: Some(run_id("c")), ..none.clone() };
    let events = events_of(&store, of_run.clone()).await;
    assert_eq!(kinds(&events), first.get(1..).unwrap());
    assert!(events.iter().all(|event| event.run_id == Some(run_id("c"))));

    let of_kinds = EventFilter { kinds: vec!["run.queued".into(), "result".into()], ..none.clone() };
    let wanted = ["run.queued", "result"];
    assert_eq!(kinds(&events_of(&store, of_kinds.clone()).await), [wanted, wanted, wanted].concat());
    let of_all = EventFilter { kinds: of_kinds.kinds, run_id: of_run.run_id, ..of_session };
    assert_eq!(kinds(&events_of(&store, of_all).await), wanted);

    let elsewhere =
        EventFilter { session_id: Some(session_id("b")), run_id: Some(run_id("a")), ..none.clone() };
    assert_eq!(events_of(&store, elsewhere).await, []);
    let nowhere = EventFilter { session_id: Some(session_id("x")), ..none.clone() };
    assert_eq!(events_of(&store, nowhere).await, []);
    assert_eq!(events_of(&store, EventFilter { run_id: Some(run_id("x")), ..none.clone() }).await, []);
    assert_eq!(events_of(&store, EventFilter { kinds: vec!["x".into()], ..none }).await, []);
}

/// Reading page by page returns the same events as one large page; the newest id is the last
/// event's.
pub async fn pages_by_id_add_up_to_everything(store: Arc<dyn Store>) {
    assert_eq!(store.last_event().await.unwrap(), EventId(0));
    for name in ["a", "b", "c"] {
        complete(&store, fresh(name), 3).await;
    }
    let none = EventFilter::default();
    let whole = events_of(&store, none.clone()).await;
    assert!(whole.iter().zip(whole.iter().skip(1)).all(|(one, next)| one.id < next.id));
    let mut after = EventId(0);
    let mut pages = Vec::new();
    loop {
        let page = store.events(&none, after, EventLimit::of(4)).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 4);
        after = last.id;
        pages.extend(page);
    }
    assert_eq!(pages, whole);
    assert_eq!(store.last_event().await.unwrap(), after);
    assert_eq!(store.events(&none, EventId(i64::MAX), EventLimit::of(4)).await.unwrap(), []);
}

/// Large events are read a few at a time, at least one per page, and none is missed.
pub async fn large_events_are_read_a_few_at_a_time(store: Arc<dyn Store>) {
    let half = "x".repeat(MOST_EVENT_BYTES / 2);
    for name in ["a", "b", "c"] {
        let holder = begin(&store, fresh(name)).await;
        store.finish_run(finish(&holder, completed(&half), 3)).await.unwrap();
    }
    let results = EventFilter { kinds: vec!["result".into()], ..EventFilter::default() };
    let mut after = EventId(0);
    for expected in [vec!["run_a", "run_b"], vec!["run_c"], vec![]] {
        let page = store.events(&results, after, EventLimit::of(10)).await.unwrap();
        let runs: Vec<_> = page.iter().filter_map(|event| event.run_id.as_ref()).map(RunId::as_str).collect();
        assert_eq!(runs, expected);
        after = page.last().map_or(after, |last| last.id);
    }
    let one = store.events(&results, EventId(0), EventLimit { events: 10, bytes: 1 }).await.unwrap();
    assert_eq!(one.len(), 1, "a small byte limit returns the next event and no more");
}

/// A reader that tails during many writes sees every event once, in order.
pub async fn a_tail_misses_nothing(store: Arc<dyn Store>) {
    const WRITERS: usize = 6;
    const REPORTS: usize = 25;
    let mut holders = Vec::new();
    for number in 0..WRITERS {
        holders.push(begin(&store, fresh(&format!("n{number}"))).await);
    }
    let from = store.last_event().await.unwrap();
    let mut writers = Vec::new();
    for (writer, holder) in holders.into_iter().enumerate() {
        let store = Arc::clone(&store);
        writers.push(tokio::spawn(async move {
            for number in 0..REPORTS {
                let events =
                    vec![says(&format!("{writer}/{number}/0")), says(&format!("{writer}/{number}/1"))];
                let report =
                    Report { holder: holder.clone(), events, attempts: vec![], steps: vec![], now: at(3) };
                store.report(report).await.unwrap();
            }
        }));
    }
    let written = Arc::new(AtomicBool::new(false));
    let tail = {
        let (store, written) = (Arc::clone(&store), Arc::clone(&written));
        tokio::spawn(async move {
            let (mut after, mut seen) = (from, Vec::new());
            loop {
                // Read before the page: if nothing is written after this, an empty page is the end.
                let last = written.load(Ordering::SeqCst);
                let page = store.events(&EventFilter::default(), after, EventLimit::of(7)).await.unwrap();
                if page.is_empty() && last {
                    return seen;
                }
                for event in page {
                    assert!(event.id > after, "in order");
                    after = event.id;
                    seen.push(event);
                }
                tokio::task::yield_now().await;
            }
        })
    };
    for writer in writers {
        writer.await.unwrap();
    }
    written.store(true, Ordering::SeqCst);
    let seen = tail.await.unwrap();
    assert_eq!(seen.len(), WRITERS * REPORTS * 2);
    assert_eq!(seen, store.events(&EventFilter::default(), from, EventLimit::of(PLENTY)).await.unwrap());
    for writer in 0..WRITERS {
        let prefix = format!("{writer}/");
        let said: Vec<String> = seen.iter().filter_map(|event| text_of(event, &prefix)).collect();
        let expected: Vec<String> =
            (0..REPORTS).flat_map(|number| [0, 1].map(|part| format!("{writer}/{number}/{part}"))).collect();
        assert_eq!(said, expected, "what one writer says stays in its order");
    }
}

fn text_of(event: &Event, prefix: &str) -> Option<String> {
    let body: serde_json::Value = serde_json::from_str(&event.body).unwrap();
    let text = body.get("text")?.as_str()?;
    text.starts_with(prefix).then(|| text.to_owned())
}

/// An event id is never reused, not even after its event was removed.
pub async fn ids_only_grow(store: Arc<dyn Store>) {
    complete(&store, fresh("a"), 3).await;
    let last = store.last_event().await.unwrap();
    store.remove_session(&session_id("a")).await.unwrap();
    store.submit_run(fresh("b")).await.unwrap();
    let events = events_of(&store, EventFilter::default()).await;
    assert_eq!(kinds(&events), ["session.created", "run.queued"]);
    assert!(events.iter().all(|event| event.id > last), "{events:?} after {last}");
}

/// Waits for this notice. Notices are hints, but without load they arrive.
pub(super) async fn hear(notices: &mut Notices, wanted: Notice) {
    let heard = tokio::time::timeout(Duration::from_secs(20), async {
        loop {
            if notices.recv().await.unwrap() == wanted {
                return;
            }
        }
    });
    assert!(heard.await.is_ok(), "{wanted:?} was not heard");
}

/// A waiting reader is woken after a write and can then read it.
pub async fn notices_follow_writes(store: Arc<dyn Store>) {
    let mut notices = store.notices();
    let events = Notice::Events { session_id: session_id("a"), run_id: Some(run_id("a")) };
    store.submit_run(fresh("a")).await.unwrap();
    hear(&mut notices, Notice::Queued).await;

    let mut notices = store.notices();
    let holder = holder(&take(&store, 1).await.run);
    hear(&mut notices, events.clone()).await;
    let report = Report {
        holder: holder.clone(),
        events: vec![says("x")],
        attempts: vec![],
        steps: vec![],
        now: at(2),
    };
    store.report(report).await.unwrap();
    hear(&mut notices, events).await;

    store.stop_run(&run_id("a"), at(3)).await.unwrap();
    hear(&mut notices, Notice::Changed { run_id: run_id("a"), over: false }).await;
    store.finish_run(finish(&holder, End::Stopped, 4)).await.unwrap();
    hear(&mut notices, Notice::Changed { run_id: run_id("a"), over: true }).await;

    let mut notices = store.notices();
    begin(&store, fresh("b")).await;
    store.reap(at(500), 3, 10).await.unwrap();
    // Once for the submission, once for the lost lease.
    hear(&mut notices, Notice::Queued).await;
    hear(&mut notices, Notice::Queued).await;
}

/// Rejected writes are not announced, and everything announced can be read.
pub async fn nothing_is_announced_before_it_is_there(store: Arc<dyn Store>) {
    let mut notices = store.notices();
    let watcher = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut over = 0;
            while over < 20 {
                if let Notice::Changed { run_id, over: true } = notices.recv().await.unwrap() {
                    assert!(store.run(&run_id).await.unwrap().status.is_over());
                    over += 1;
                }
            }
        })
    };
    for number in 0..20 {
        let name = format!("n{number}");
        store.submit_run(fresh(&name)).await.unwrap();
        store.stop_run(&run_id(&name), at(1)).await.unwrap();
    }
    tokio::time::timeout(Duration::from_secs(20), watcher).await.unwrap().unwrap();
}

/// Unvalidated output exists while its run is in progress and is removed when it ends. Ids are not
/// reused.
pub async fn output_goes_with_the_end_of_its_run(store: Arc<dyn Store>) {
    let delta = |text: &str| Body::OutputDelta { channel: OutputChannel::Text, text: text.to_owned() };
    let report = |holder: &Holder, text: &str| Report {
        holder: holder.clone(),
        events: vec![delta(text)],
        attempts: vec![],
        steps: vec![],
        now: at(3),
    };
    let other = begin(&store, fresh("other")).await;
    store.report(report(&other, "other")).await.unwrap();
    for (name, end) in [("a", completed("x")), ("b", failed(FailureType::ModelRefused)), ("c", End::Stopped)]
    {
        let holder = begin(&store, fresh(name)).await;
        store.report(report(&holder, "one")).await.unwrap();
        store.report(report(&holder, "two")).await.unwrap();
        assert_eq!(kinds_of(&store, name).await.iter().filter(|kind| *kind == OUTPUT_DELTA).count(), 2);
        let last = store.last_event().await.unwrap();
        store.finish_run(finish(&holder, end, 4)).await.unwrap();
        let kinds = kinds_of(&store, name).await;
        assert!(!kinds.iter().any(|kind| kind == OUTPUT_DELTA) && kinds.len() > 3, "{kinds:?}");
        assert!(store.last_event().await.unwrap() > last);
    }
    assert!(kinds_of(&store, "other").await.iter().any(|kind| kind == OUTPUT_DELTA));
    // Every way to end a run.
    store.stop_run(&other.run_id, at(5)).await.unwrap();
    store.reap(at(1000), 3, PLENTY).await.unwrap();
    assert_eq!(store.run(&other.run_id).await.unwrap().status, Status::Stopped);
    assert!(!kinds_of(&store, "other").await.iter().any(|kind| kind == OUTPUT_DELTA));
}
