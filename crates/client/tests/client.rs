//! The client against a minimal server: the requests it sends, and how it reads the answers.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use accord_api::{CreateRun, ErrorName, EventBody, PageQuery, RunId, RunQuery, RunStatus, SessionId};
use accord_client::{ApiKey, Client, ClientError, EventFilter};
use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Answers one request per connection, in order, and returns the requests.
async fn serve(answers: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let mut requests = Vec::new();
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            requests.push(read_request(&mut stream).await);
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
        requests
    });
    (address, server)
}

#[tokio::test]
async fn an_address_without_tls_gets_a_clear_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = Client::new(&format!("https://{}", listener.local_addr().unwrap()), None).unwrap();
    let (answer, ()) = tokio::join!(client.health(), async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut greeting = [0; 1024];
        assert!(stream.read(&mut greeting).await.unwrap() > 0);
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    });
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("does not use TLS; use http://"), "{error}");
}

async fn read_request(stream: &mut tokio::net::TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).await.unwrap();
        bytes.extend(buffer.iter().take(count));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text;
        }
    }
}

fn json(status: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn event_stream(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}")
}

fn event(id: u32) -> String {
    let id = format!("evt_{id:019}");
    let data = format!(
        r#"{{"id":"{id}","at":"2026-11-15T00:00:00Z","session_id":"ses_1","run_id":"run_1","type":"tool.started","call_id":"c","name":"n","arguments":{{"n":1.50}}}}"#
    );
    format!("id: {id}\nevent: tool.started\ndata: {data}\n\n")
}

#[tokio::test]
async fn a_run_is_created_with_key_and_idempotency_key() {
    let answer = r#"{"run_id":"run_1","session_id":"ses_1","status":"pending"}"#;
    let (address, server) = serve(vec![json("201 Created", answer)]).await;
    let client = Client::new(&address, Some(&ApiKey::new("top-secret"))).unwrap();
    let run =
        CreateRun { agent_name: Some("a".into()), prompt: Some("hello".into()), ..CreateRun::default() };
    let created = client.create_run(&run, Some("once")).await.unwrap();
    assert_eq!(created.status, RunStatus::Pending);
    let request = server.await.unwrap().remove(0);
    assert!(request.starts_with("POST /runs HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: Bearer top-secret\r\n"), "{request}");
    assert!(request.contains("idempotency-key: once\r\n"), "{request}");
    assert!(request.ends_with(r#"{"agent_name":"a","prompt":"hello"}"#), "{request}");
    assert!(!format!("{client:?}").contains("top-secret"));
    assert!(!format!("{:?}", ApiKey::new("top-secret")).contains("top-secret"));
}

#[tokio::test]
async fn a_query_goes_into_the_address() {
    let (address, server) = serve(vec![json("200 OK", r#"{"items":[],"next_cursor":null}"#)]).await;
    let client = Client::new(&address, None).unwrap();
    let which =
        RunQuery { status: Some(RunStatus::Failed), agent_name: Some("a b".into()), ..RunQuery::default() };
    assert!(client.runs(&which).await.unwrap().items.is_empty());
    let request = server.await.unwrap().remove(0);
    assert!(request.starts_with("GET /runs?status=failed&agent_name=a+b HTTP/1.1\r\n"), "{request}");
}

#[tokio::test]
async fn each_failure_has_its_kind() {
    let not_found = r#"{"error":"RunNotFound","message":"no run run_1","status_code":404}"#;
    let answers = vec![
        json("404 Not Found", not_found),
        json("502 Bad Gateway", "<html>"),
        json("404 Not Found", "<html>"),
        json("200 OK", "<html>"),
    ];
    let (address, server) = serve(answers).await;
    let client = Client::new(&address, None).unwrap();
    let id = RunId::new("1");
    let mut errors = Vec::new();
    for _ in 0..4 {
        errors.push(client.run(&id).await.unwrap_err());
    }
    server.await.unwrap();
    errors.push(client.run(&id).await.unwrap_err());
    assert!(errors[0].is(ErrorName::RunNotFound));
    assert!(matches!(errors[1], ClientError::Unreachable { .. }), "{:?}", errors[1]);
    assert!(matches!(errors[2], ClientError::Unreadable { .. }), "{:?}", errors[2]);
    assert!(matches!(errors[3], ClientError::Unreadable { .. }), "{:?}", errors[3]);
    assert!(matches!(errors[4], ClientError::Unreachable { .. }), "{:?}", errors[4]);
}

#[tokio::test]
async fn temporary_proxy_errors_are_transient_and_size_limits_are_not() {
    let later = ["408 Request Timeout", "425 Too Early", "429 Too Many Requests", "503 Service Unavailable"];
    let mut answers: Vec<String> = later.iter().map(|status| json(status, "<html>")).collect();
    answers.push(json("413 Payload Too Large", "<html>"));
    let (address, server) = serve(answers).await;
    let client = Client::new(&address, None).unwrap();
    for status in later {
        let error = client.health().await.unwrap_err();
        assert!(error.is_transient() && error.to_string().contains(status), "{error}");
    }
    let error = client.health().await.unwrap_err();
    assert!(error.is(ErrorName::RequestTooLarge) && !error.is_transient(), "{error:?}");
    assert!(error.to_string().contains("in front of the coordinator at"), "{error}");
    server.await.unwrap();
}

#[test]
fn rejects_requests_that_cannot_be_sent() {
    assert!(matches!(Client::new("nowhere", None), Err(ClientError::Settings(_))));
    let key = ApiKey::new("two\nlines");
    assert!(matches!(Client::new("http://127.0.0.1:1", Some(&key)), Err(ClientError::Settings(_))));
}

#[tokio::test]
async fn a_lost_stream_continues_after_the_last_event() {
    let refused = r#"{"error":"Unauthorized","message":"a key is needed","status_code":401}"#;
    let answers = vec![
        event_stream(&format!(": hello\n\n{}{}data: {{\"cut", event(1), event(2))),
        event_stream(&format!("data: {{}}\n\n{}", event(3))),
        json("401 Unauthorized", refused),
    ];
    let (address, server) = serve(answers).await;
    let client = Client::new(&address, None).unwrap();
    let filter = EventFilter {
        run_id: Some(RunId::new("1")),
        types: vec!["tool.started".into(), "result".into()],
        ..EventFilter::default()
    };
    let items: Vec<_> = client.events(&filter, None).collect().await;
    let ids: Vec<_> = items.iter().map(|item| item.as_ref().ok().map(|event| event.id.0)).collect();
    assert_eq!(ids, [Some(1), Some(2), None, Some(3), None]);
    assert!(matches!(items[2], Err(ClientError::Unreadable { .. })));
    assert!(items[4].as_ref().unwrap_err().is(ErrorName::Unauthorized));
    let requests = server.await.unwrap();
    assert!(requests[0].starts_with("GET /events?run_id=run_1&types=tool.started%2Cresult HTTP/1.1"));
    assert!(!requests[0].contains("last-event-id"), "{}", requests[0]);
    assert!(requests[1].contains("last-event-id: evt_0000000000000000002\r\n"), "{}", requests[1]);
    assert!(requests[2].contains("last-event-id: evt_0000000000000000003\r\n"), "{}", requests[2]);
}

#[tokio::test]
async fn a_result_of_many_megabytes_is_an_ordinary_event() {
    let text = "y".repeat(20 * 1024 * 1024);
    let large = format!(
        r#"{{"id":"evt_0000000000000000001","at":"2026-11-15T00:00:00Z","session_id":"ses_1","run_id":"run_1","type":"result","result_text":"{text}","result_data":null}}"#
    );
    let stream = event_stream(&format!("id: evt_0000000000000000001\ndata: {large}\n\n{}", event(2)));
    let (address, _server) = serve(vec![stream]).await;
    let client = Client::new(&address, None).unwrap();
    let mut events = client.events(&EventFilter::default(), None);
    let first = events.next().await.unwrap().unwrap();
    assert!(matches!(first.body, EventBody::Result { result_text: Some(told), .. } if told == text));
    assert_eq!(events.next().await.unwrap().unwrap().id.0, 2);
}

#[tokio::test]
async fn integers_beyond_64_bits_are_kept() {
    let number = "1267650600228229401496703205376";
    let large = event(1).replace("1.50", number);
    let data = large.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let page = json("200 OK", &format!(r#"{{"items":[{data}],"next_cursor":null}}"#));
    let (address, _server) = serve(vec![event_stream(&large), page]).await;
    let client = Client::new(&address, None).unwrap();
    let streamed = client.events(&EventFilter::default(), None).next().await.unwrap().unwrap();
    assert_eq!(serde_json::to_string(&streamed).unwrap(), data);
    let listed = client.session_events(&SessionId::new("1"), &PageQuery::default()).await.unwrap();
    assert_eq!(listed.items, [streamed]);
}
