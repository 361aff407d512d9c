//! `GET /events`, over real connections.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use accord_coordinator::Coordinator;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::{Desk, refused, text, woken};

/// Limit for a stream that never sends anything.
const PATIENCE: Duration = Duration::from_secs(20);

struct Stream {
    lines: std::io::Lines<BufReader<TcpStream>>,
}

impl Stream {
    fn open(address: SocketAddr, path: &str, last: Option<&str>) -> Self {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n{last}\r\n").unwrap();
        let mut opened = Self { lines: BufReader::new(stream).lines() };
        opened.until(": accord");
        opened
    }

    fn until(&mut self, beginning: &str) -> String {
        loop {
            let line = self.lines.next().unwrap().unwrap();
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.to_owned();
            }
        }
    }

    /// The next event: its id, its name and its data.
    fn next(&mut self) -> (String, String, Value) {
        let id = self.until("id: ");
        let kind = self.until("event: ");
        let data = serde_json::from_str(&self.until("data: ")).unwrap();
        (id, kind, data)
    }

    fn kinds(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|_| self.next().1).collect()
    }
}

async fn serving(desk: &Desk) -> (Coordinator, CancellationToken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let shutdown = CancellationToken::new();
    (Coordinator::start(Arc::clone(&desk.app), listener, shutdown.clone()).unwrap(), shutdown)
}

async fn opened(address: SocketAddr, path: &str, last: Option<&str>) -> Stream {
    let (path, last) = (path.to_owned(), last.map(str::to_owned));
    tokio::task::spawn_blocking(move || Stream::open(address, &path, last.as_deref())).await.unwrap()
}

async fn reading<T: Send + 'static>(
    mut stream: Stream,
    read: impl FnOnce(&mut Stream) -> T + Send + 'static,
) -> (Stream, T) {
    let read = move || {
        let value = read(&mut stream);
        (stream, value)
    };
    tokio::task::spawn_blocking(read).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_followed_and_what_was_missed_is_replayed() {
    let desk = Desk::with_writer().await;
    let (server, shutdown) = serving(&desk).await;
    let runner = desk.runner().await;
    desk.run(json!({"agent_name": "writer", "prompt": "before"})).await;
    desk.complete(&runner, "before").await;
    let live = opened(server.address(), "/events", None).await;
    let (run, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let (live, first) = reading(live, |stream| [stream.next(), stream.next()]).await;
    assert_eq!(
        first.each_ref().map(|event| event.1.as_str()),
        ["session.created", "run.queued"],
        "from now on"
    );
    let (id, _, data) = &first[1];
    let expected = json!({
        "id": id, "at": "2026-11-01T00:00:00Z", "session_id": session, "run_id": run,
        "type": "run.queued", "agent_name": "writer",
    });
    assert_eq!(*data, expected);
    drop(live);
    desk.complete(&runner, "done").await;
    let again = opened(server.address(), "/events", Some(id)).await;
    let (_, missed) = reading(again, |stream| stream.kinds(3)).await;
    assert_eq!(missed, ["run.claimed", "result", "run.completed"]);
    let by_query = opened(server.address(), "/events?last_event_id=0&types=result,run.queued", None).await;
    let (_, all) = reading(by_query, |stream| stream.kinds(4)).await;
    assert_eq!(all, ["run.queued", "result", "run.queued", "result"]);
    let one = opened(server.address(), &format!("/events?last_event_id=0&run_id={run}"), None).await;
    let (_, of_run) = reading(one, |stream| [stream.next(), stream.next()]).await;
    assert!(of_run.iter().all(|event| text(&event.2, "run_id") == run));
    shutdown.cancel();
    server.ended().await.unwrap();
}

/// The results are larger than one read, so each comes alone, and a short page is not the last one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_results_come_one_by_one_and_all_of_them() {
    let desk = Desk::with_writer().await;
    let (server, shutdown) = serving(&desk).await;
    let runner = desk.runner().await;
    let live = opened(server.address(), "/events?types=result", None).await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "a"})).await;
    let large = "x".repeat(5 * 1024 * 1024);
    desk.complete(&runner, &large).await;
    for _ in 0..2 {
        desk.run(json!({"session_id": session, "prompt": "again"})).await;
        desk.complete(&runner, &large).await;
    }
    let late = opened(server.address(), "/events?types=result", Some("0")).await;
    for stream in [live, late] {
        let (_, results) = reading(stream, |stream| [stream.next(), stream.next(), stream.next()]).await;
        assert!(results.iter().all(|event| event.2["result_text"] == *large));
    }
    let mut kinds = Vec::new();
    let mut page = desk.get(&format!("/sessions/{session}/events")).await.1;
    let mut pages = 1;
    loop {
        kinds.extend(crate::support::kinds(&page).into_iter().map(str::to_owned));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        page = desk.get(&format!("/sessions/{session}/events?cursor={cursor}")).await.1;
        pages += 1;
    }
    assert_eq!((pages, kinds.iter().filter(|kind| *kind == "result").count()), (4, 3));
    assert_eq!(kinds.last().map(String::as_str), Some("run.completed"));
    shutdown.cancel();
    server.ended().await.unwrap();
}

/// As after a reset, or after the database was restored from a copy.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_id_from_the_future_skips_nothing() {
    let desk = Desk::with_writer().await;
    let (server, shutdown) = serving(&desk).await;
    let (_, session) = desk.run(json!({"agent_name": "writer", "prompt": "before"})).await;
    let last = Some("evt_0000000000000000500");
    let all = opened(server.address(), "/events", last).await;
    let of_session = opened(server.address(), &format!("/events?session_id={session}"), last).await;
    let runner = desk.runner().await;
    desk.complete(&runner, "before").await;
    for stream in [all, of_session] {
        let (_, kinds) = reading(stream, |stream| stream.kinds(3)).await;
        assert_eq!(kinds, ["run.claimed", "result", "run.completed"]);
    }
    shutdown.cancel();
    server.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_stream_does_not_delay_shutdown() {
    let desk = Desk::with_writer().await;
    let (server, shutdown) = serving(&desk).await;
    let _all = opened(server.address(), "/events", None).await;
    let _session = opened(server.address(), "/events?session_id=ses_1", None).await;
    let _workflow = opened(server.address(), "/events?workflow_run_id=wfr_1&last_event_id=0", None).await;
    let runner = desk.runner().await;
    let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
    let (claimed, ()) = tokio::join!(woken(desk.post("/runner/claims", claim)), async {
        shutdown.cancel();
        server.ended().await.unwrap();
    });
    assert_eq!(claimed, (200, json!({"runs": []})));
}

#[tokio::test]
async fn invalid_event_filters_are_rejected() {
    let desk = Desk::new();
    for query in ["types=nonsense", "types=", "last_event_id=x", "session_id=x", "nonsense=1"] {
        assert_eq!(refused(&desk.get(&format!("/events?{query}")).await), (400, "InvalidRequest"), "{query}");
    }
}
