//! Following a run at a coordinator of a newer version.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::run;

const RUN: &str = r#"{"run_id": "run_1", "session_id": "ses_1", "type": "start_session", "agent_name": "a",
    "status": "completed", "execution_mode": "sync", "demands": {}, "priority": 0, "attempt": 1, "retry_count": 0,
    "runner_id": null, "usage": {"input_tokens": 0, "output_tokens": 0}, "created_at": "2026-11-15T10:00:00Z",
    "claimed_at": null, "started_at": null, "finished_at": "2026-11-15T10:00:01Z", "mood": "fine"}"#;

fn event(number: u32, body: &str) -> String {
    format!(
        "id: {number}\ndata: {{\"id\": \"evt_{number}\", \"at\": \"2026-11-15T10:00:00Z\", \"session_id\": \"ses_1\", \
         \"run_id\": \"run_1\", {body}}}\n\n"
    )
}

/// Answers as a newer coordinator would, with an event of an unknown kind.
async fn newer_coordinator(listener: TcpListener) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut request = [0; 4096];
        let read = stream.read(&mut request).await.unwrap_or_default();
        let request = String::from_utf8_lossy(request.get(..read).unwrap_or_default()).into_owned();
        let (kind, body) = if request.starts_with("GET /events") {
            let events = [
                event(1, r#""type": "run.queued", "agent_name": "a""#),
                event(2, r#""type": "run.meditated", "depth": 3"#),
                event(
                    3,
                    r#""type": "result", "result_text": null, "result_data": [1267650600228229401496703205376]"#,
                ),
                event(4, r#""type": "run.completed""#),
            ];
            ("text/event-stream", events.concat())
        } else {
            ("application/json", RUN.to_owned())
        };
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n");
        let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        // The client may have disconnected.
        let _ = stream.write_all(answer.as_bytes()).await;
    }
}

#[tokio::test]
async fn an_unknown_event_is_skipped_with_a_warning() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(newer_coordinator(listener));
    let folder = tempfile::tempdir().unwrap();
    let watch = ["runs", "watch", "run_1", "--coordinator", &url];
    let as_json = [&watch[..], &["--json"]].concat();
    let watched = async { (run(folder.path(), &watch).await, run(folder.path(), &as_json).await) };
    let (ran, as_json) = tokio::time::timeout(Duration::from_secs(20), watched).await.unwrap();
    server.abort();
    let ran = ran.ends(0, &["warning: skipped an unreadable event: ", "unknown variant `run.meditated`"]);
    let lines: Vec<&str> = ran.stdout.lines().map(str::trim).collect();
    assert_eq!(lines, ["0ms  queued for a", "0ms  completed", "run_1 completed after 1.0s"]);
    let as_json = as_json.ends(0, &["unknown variant `run.meditated`"]);
    let lines: Vec<&str> = as_json.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{as_json:?}");
    assert!(lines[1].contains(r#""result_data":[1267650600228229401496703205376]"#), "{as_json:?}");
}
