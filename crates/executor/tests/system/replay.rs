//! Recording and replaying.

use std::path::Path;
use std::sync::Arc;

use accord_executor::{
    Body, Cassette, Cut, Events, Exchange, Executor, OpenError, RecordedRequest, RecordedResponse, Recorder,
    RecordingTransport, Redactor, ReplayExecutor, ReplayTransport, Reply, Session, Stage, Start, Transport,
    TransportError, Turn, TurnError,
};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tempfile::tempdir;
use tokio_util::sync::CancellationToken;

use crate::asking::{Asking, Item, KEY, Script, Scripted, all, request};
use crate::support::{self, turn};

fn agent() -> Value {
    json!({"name": "a", "executor": {"type": "asking", "base_url": "http://example.test/base", "api_key": KEY}})
}

fn start(folder: &Path, settings: Value, conversation: Option<Value>) -> Start {
    Start { conversation, ..support::start(folder, settings) }
}

async fn ask(session: &mut dyn Session, prompt: &str) -> Result<String, TurnError> {
    let turn = Turn { prompt: prompt.to_owned(), ..turn() };
    let answer = session.turn(turn, &Events::none(), &CancellationToken::new()).await;
    answer.map(|answer| answer.text).map_err(|failure| failure.error)
}

fn replaying() -> ReplayExecutor {
    ReplayExecutor::new(Arc::new(|stage: Stage| Arc::new(Asking(stage.transport))))
}

fn ok(parts: &[&[u8]]) -> Scripted {
    Ok((200, parts.iter().map(|part| Ok(part.to_vec())).collect()))
}

fn lost() -> TransportError {
    TransportError::Connection(format!("reset by {KEY}"))
}

/// Records a conversation of two turns, the first after a failed connection.
async fn record(folder: &Path) -> Cassette {
    let script = Script::of(vec![Err(lost()), ok(&[b"one\ntw", b"o\xc3", b"\xa9"]), ok(&[b"three"])]);
    let recorder = Recorder::new(Redactor::new([KEY.to_owned()]));
    let executor = Asking(Arc::new(RecordingTransport::new(script, recorder.clone())));
    let start = start(folder, agent().get("executor").cloned().unwrap(), None);
    let mut session = executor.open(start).await.unwrap();
    assert_eq!(ask(session.as_mut(), "first").await.unwrap(), "one\ntwoé");
    assert_eq!(ask(session.as_mut(), &format!("second {KEY}")).await.unwrap(), "three");
    recorder.cassette(agent(), json!({"prompt": "first"}), json!([]))
}

fn answered(body: &[u8], cut: Option<Cut>) -> Reply {
    let headers = [("content-type", "text/plain"), ("content-encoding", "identity"), ("request-id", "req_1")];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Reply::Response(RecordedResponse { status: 200, headers, body: Body(body.to_vec()), cut })
}

#[tokio::test]
async fn a_recording_holds_everything_but_secrets() {
    let folder = tempdir().unwrap();
    let cassette = record(folder.path()).await;
    let exchange = |messages: Value, reply| {
        let request =
            RecordedRequest { path: "/base/v1/chat".to_owned(), body: json!({"messages": messages}) };
        Exchange { request, reply, results: Vec::new() }
    };
    let mut hidden = agent();
    hidden["executor"]["api_key"] = json!("[redacted]");
    let expected = Cassette::new(
        hidden,
        json!({"prompt": "first"}),
        vec![
            exchange(json!(["first"]), Reply::Error("reset by [redacted]".to_owned())),
            exchange(json!(["first"]), answered("one\ntwoé".as_bytes(), None)),
            exchange(json!(["first", "one\ntwoé", "second [redacted]"]), answered(b"three", None)),
        ],
        json!([]),
    );
    assert_eq!(cassette, expected);
    assert!(!cassette.to_text().unwrap().contains(KEY));
}

#[tokio::test]
async fn a_recorded_run_can_be_replayed() {
    let folder = tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tapes")).unwrap();
    let text = record(folder.path()).await.to_text().unwrap();
    std::fs::write(folder.path().join("tapes/a.json"), text).unwrap();
    let settings = json!({"type": "replay", "cassette": "tapes/a.json"});
    for costs_are_limited in [false, true] {
        let start = Start { costs_are_limited, ..start(folder.path(), settings.clone(), None) };
        let mut session = replaying().open(start).await.unwrap();
        assert_eq!(ask(session.as_mut(), "first").await.unwrap(), "one\ntwoé");
        assert_eq!(ask(session.as_mut(), "second [redacted]").await.unwrap(), "three");
        let over = ask(session.as_mut(), "third").await.unwrap_err();
        assert!(over.to_string().contains("all of its 3 exchanges have been used"), "{over}");
    }
    let conversation = Some(json!(["first", "one\ntwoé"]));
    let settings = json!({"type": "replay", "cassette": "tapes/a.json"});
    let mut resumed = replaying().open(start(folder.path(), settings, conversation)).await.unwrap();
    assert_eq!(ask(resumed.as_mut(), "second [redacted]").await.unwrap(), "three");
}

#[tokio::test]
async fn another_request_is_rejected_unless_matched_by_order() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, record(folder.path()).await.to_text().unwrap()).unwrap();
    let mut settings = json!({"type": "replay", "cassette": "a.json"});
    let mut session = replaying().open(start(folder.path(), settings.clone(), None)).await.unwrap();
    let text = "this agent plays a recording, which has no answer for this input: use the recorded input (`accord run AGENT --recorded`), give it a model (`accord init --model MODEL`), or record it again with `accord record` (the agent needs its llm executor for that); it differs from exchange 1 of 3 at '/messages/0': recorded \"first\", requested \"fist\"";
    assert_eq!(ask(session.as_mut(), "fist").await, Err(TurnError::Transport(text.to_owned())));
    settings["match"] = json!("order");
    let mut session = replaying().open(start(folder.path(), settings, None)).await.unwrap();
    assert_eq!(ask(session.as_mut(), "fist").await.unwrap(), "one\ntwoé");
    assert_eq!(ask(session.as_mut(), "anything").await.unwrap(), "three");
}

#[tokio::test]
async fn equal_requests_are_answered_in_order() {
    let exchange = |path: &str, body: Value, text: &str| {
        let request = RecordedRequest { path: path.to_owned(), body };
        Exchange { request, reply: answered(text.as_bytes(), None), results: Vec::new() }
    };
    let exchanges = vec![
        exchange("/v1/chat", json!({"a": 1, "b": 2}), "one"),
        exchange("/v1/chat", json!(2), "other"),
        exchange("/v1/chat", json!({"b": 2, "a": 1}), "two"),
        exchange("/v2/chat", json!(3), "elsewhere"),
    ];
    let transport = ReplayTransport::new(Cassette::new(json!({}), json!({}), exchanges, json!(null)));
    let send = async |body: Value| match transport.send(request("http://h", body)).await {
        Ok(response) => String::from_utf8(all(response).await.unwrap()).unwrap(),
        Err(error) => error.to_string(),
    };
    assert_eq!(send(json!(2)).await, "other");
    assert_eq!(send(json!({"a": 1, "b": 2})).await, "one");
    assert_eq!(send(json!({"a": 1, "b": 2})).await, "two");
    let text = "this agent plays a recording, which has no answer for this input: use the recorded input (`accord run AGENT --recorded`), give it a model (`accord init --model MODEL`), or record it again with `accord record` (the agent needs its llm executor for that); \
                exchange 4 of 4 was sent to /v2/chat";
    assert_eq!(send(json!(3)).await, text);
}

#[tokio::test]
async fn interrupted_streams_are_recorded_up_to_the_interruption() {
    let endless = |items: Vec<Item>| Ok((200, items));
    let large = vec![Ok(vec![b'x'; 9_000_000]), Ok(vec![b'x'; 9_000_000])];
    let script = Script::of(vec![
        ok(&[b"data: 1\n\n", b"data: 2\n\n"]),
        endless(vec![Ok(b"half".to_vec()), Err(lost())]),
        endless(large),
        Err(TransportError::Impossible("a bad address".to_owned())),
    ]);
    let recorder = Recorder::new(Redactor::default());
    let transport = RecordingTransport::new(script, recorder.clone());
    let mut dropped = transport.send(request("http://h", json!(1))).await.unwrap();
    dropped.body.next().await.unwrap().unwrap();
    drop(dropped);
    let broken = transport.send(request("http://h", json!(2))).await.unwrap();
    assert_eq!(all(broken).await, Err(lost()));
    let large = transport.send(request("http://h", json!(3))).await.unwrap();
    assert_eq!(all(large).await.unwrap().len(), 18_000_000);
    assert!(transport.send(request("http://h", json!(4))).await.is_err());

    let cassette = recorder.cassette(json!({}), json!({}), json!(null));
    let replies: Vec<&Reply> = cassette.exchanges.iter().map(|exchange| &exchange.reply).collect();
    let expected = [
        answered(b"data: 1\n\n", Some(Cut::Dropped)),
        answered(b"half", Some(Cut::Lost(lost().to_string()))),
        answered(&[b'x'; 9_000_000], Some(Cut::TooLarge)),
    ];
    assert!(replies.iter().copied().eq(&expected));

    let replay = ReplayTransport::new(cassette);
    let send = async |body: Value| all(replay.send(request("http://h", body)).await.unwrap()).await;
    assert_eq!(send(json!(1)).await.unwrap(), b"data: 1\n\n");
    assert_eq!(send(json!(2)).await, Err(lost()));
    assert!(matches!(send(json!(3)).await, Err(TransportError::NotRecorded(_))));
}

#[tokio::test]
async fn a_replay_does_not_wait() {
    let headers =
        [("retry-after".to_owned(), "30".to_owned()), ("request-id".to_owned(), "r".to_owned())].into();
    let reply = Reply::Response(RecordedResponse { status: 429, headers, body: Body::default(), cut: None });
    let request = RecordedRequest { path: "/v1/chat".to_owned(), body: json!(1) };
    let cassette = Cassette::new(
        json!({}),
        json!({}),
        vec![Exchange { request, reply, results: Vec::new() }],
        json!(null),
    );
    let response = ReplayTransport::new(cassette).send(self::request("http://h", json!(1))).await.unwrap();
    let headers = [("request-id".to_owned(), "r".to_owned()), ("retry-after".to_owned(), "0".to_owned())];
    assert_eq!((response.status, response.headers), (429, headers.to_vec()));
}

#[tokio::test]
async fn mismatched_settings_and_files_are_named() {
    let folder = tempdir().unwrap();
    let write = |name: &str, agent: Value| {
        let cassette = Cassette::new(agent, json!({}), Vec::new(), json!(null));
        std::fs::write(folder.path().join(name), cassette.to_text().unwrap()).unwrap();
    };
    write("empty.json", json!({}));
    write("itself.json", json!({"executor": {"type": "replay", "cassette": "itself.json"}}));
    std::fs::write(folder.path().join("broken.json"), "{").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.json")).unwrap();
    for (settings, part) in [
        (json!({}), "missing field `cassette`"),
        (json!({"cassette": "x", "speed": 2}), "unknown field `speed`"),
        (json!({"cassette": "x", "match": "any"}), "expected `match` exact or order, got 'any'"),
        (json!({"cassette": "gone.json"}), "gone.json cannot be read"),
        (json!({"cassette": "broken.json"}), "broken.json cannot be used: not a valid recording"),
        (json!({"cassette": "empty.json"}), "its `agent` has no `executor`"),
        (json!({"cassette": "itself.json"}), "its agent is itself a replay"),
        (json!({"cassette": folder.path().join("empty.json")}), "expected a file inside the project folder"),
        (json!({"cassette": "../empty.json"}), "expected a file inside the project folder"),
        (json!({"cassette": "link.json"}), "expected a file inside the project folder"),
    ] {
        let error = replaying().open(start(folder.path(), settings, None)).await.err().unwrap();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(matches!(error, OpenError::Missing(_)), part.starts_with("gone"));
    }
}
