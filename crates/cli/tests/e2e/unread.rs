//! Clients that open connections without reading or sending: they are bounded, and other clients
//! are not affected.

use std::time::Duration;

use accord_api::{CreateKey, CreateRun, ErrorName, Role, RunId};
use accord_client::{ApiKey, Client, ClientError};
use accord_test_support::{ModelServer, Reply, Script};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::support::{Accord, Project, agent};

/// Event streams that are never read. `UNREAD_STREAMS` sets another number.
const STREAMS: usize = 100;

/// Large answers that are never read. `UNREAD_ANSWERS` sets another number.
const ANSWERS: usize = 20;

/// The size of each of these answers: nearly the largest allowed model answer.
const LARGE: usize = 7_900_000;

/// How much the process may grow, in kilobytes: the limit of unread bytes for one caller, plus what
/// is read from the store at the same time, times two. Without limits it would grow by the number
/// of readers times their size.
const MOST_GROWTH: u64 = 512 * 1024;

/// How many requests other clients send meanwhile.
const REQUESTS: usize = 50;

/// Shorter than the 30 seconds after which idle connections are closed: a client that is answered
/// only then was blocked.
const PATIENCE: Duration = Duration::from_secs(20);

fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Sends a request and never reads the answer. The receive buffer is small, so that the answer
/// stays in the server.
async fn unread(accord: &Accord, path: &str, key: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = accord.url.trim_start_matches("http://").parse().unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn key(client: &Client, role: Role) -> String {
    let name = role.to_string();
    client.create_key(&CreateKey { name, role, expires_at: None }).await.unwrap().key
}

/// The memory of the process in kilobytes: current and peak.
fn memory(accord: &Accord) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", accord.id())).unwrap();
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (of("VmRSS:"), of("VmHWM:"))
}

/// Waits until a caller gets a document, or is rejected for not reading.
async fn until(client: &Client, run: &RunId, is_refused: bool) {
    loop {
        match client.run(run).await {
            Ok(_) if !is_refused => return,
            Err(ClientError::Api(body)) if body.error == ErrorName::UnreadAnswers.as_str() => {
                assert_eq!(body.status_code, 429);
                if is_refused {
                    assert_eq!(body.details.unwrap()["limit_bytes"], 64 * 1024 * 1024);
                    return;
                }
            }
            answer => assert!(answer.is_ok(), "{:?}", answer.err()),
        }
    }
}

#[tokio::test]
async fn readers_that_do_not_read_do_not_affect_others() {
    let (streams, answers) = (number("UNREAD_STREAMS", STREAMS), number("UNREAD_ANSWERS", ANSWERS));
    let model = ModelServer::start(Script::handler(|_, _| Reply::text("x".repeat(LARGE)))).await.unwrap();
    let accord = Project::new().agent(&agent("writer", &model, &json!({}))).up().await;
    let request =
        CreateRun { agent_name: Some("writer".into()), prompt: Some("write".into()), ..CreateRun::default() };
    let run = accord.run(&request).await;
    assert_eq!(run.result.unwrap().result_text.unwrap().len(), LARGE);
    let admin = key(&accord.client, Role::Admin).await;
    let admin = Client::new(&accord.url, Some(&ApiKey::new(admin))).unwrap();
    let shown = key(&admin, Role::Viewer).await;
    let viewer = Client::new(&accord.url, Some(&ApiKey::new(shown.clone()))).unwrap();
    let (before, _) = memory(&accord);

    let mut held = Vec::new();
    for _ in 0..answers {
        held.push(unread(&accord, &format!("/runs/{}", run.run_id), &shown).await);
    }
    for _ in 0..streams {
        held.push(unread(&accord, "/events?last_event_id=0", &shown).await);
    }
    until(&viewer, &run.run_id, true).await;
    for _ in 0..REQUESTS {
        admin.health().await.unwrap();
        assert_eq!(admin.runs(&Default::default()).await.unwrap().items.len(), 1);
        // A caller that does not read can still get small answers.
        assert_eq!(viewer.runs(&Default::default()).await.unwrap().items.len(), 1);
    }
    let whole = admin.run(&run.run_id).await.unwrap();
    assert_eq!(whole.result.unwrap().result_text.unwrap().len(), LARGE);
    let (during, most) = memory(&accord);
    println!(
        "{streams} streams and {answers} answers unread: {before} kB before, {during} kB during, {most} kB at most"
    );
    assert!(most - before < MOST_GROWTH, "{before} kB before, {most} kB at most");

    drop(held);
    until(&viewer, &run.run_id, false).await;
}

#[tokio::test]
async fn idle_connections_do_not_block_others() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let accord = Project::new().log_to(&log).descriptors(64).coordinator().await;
    let address = accord.url.trim_start_matches("http://").to_owned();
    let mut idle = Vec::new();
    for _ in 0..60 {
        idle.push(TcpStream::connect(&address).await.unwrap());
    }
    let answered = tokio::time::timeout(PATIENCE, accord.client.runs(&Default::default())).await;
    assert!(answered.is_ok(), "idle connections keep others out");
    answered.unwrap().unwrap();
    let said = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("too many connections")).collect();
    let [line] = lines.as_slice() else { panic!("one line is expected: {said}") };
    assert!(line.contains("limit=32") && line.contains("ulimit -n"), "{said}");
}
