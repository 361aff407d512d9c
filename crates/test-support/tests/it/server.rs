//! Scripts, recorded requests, and the other paths of a model server.

use std::time::{Duration, Instant};

use accord_test_support::{ModelServer, RecordedRequest, Reply, Script, Wire};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::http::{ask, exchange, prompt};

#[tokio::test]
async fn replies_come_in_order_until_they_run_out() {
    let server = ModelServer::start([Reply::text("one"), Reply::text("two")]).await.unwrap();
    let content =
        async || ask(&server.url(), Wire::Ollama, "x", false).await.json()["message"]["content"].clone();
    assert_eq!((content().await, content().await, server.remaining()), (json!("one"), json!("two"), 0));
    let response = ask(&server.url(), Wire::Ollama, "x", false).await;
    let expected = json!({"error": "The script has no reply left for request 3"});
    assert_eq!((response.status, response.json()), (500, expected));
}

#[tokio::test]
async fn a_handler_sees_the_request() {
    let script = Script::replies([Reply::text("first")])
        .then(|request, ordinal| Reply::text(format!("{ordinal}: {}", request.last_text())));
    let server = ModelServer::start(script).await.unwrap();
    let mut texts = Vec::new();
    for prompt in ["a", "b", "c"] {
        let body = ask(&server.url(), Wire::Anthropic, prompt, false).await.json();
        texts.push(body["content"][0]["text"].as_str().unwrap().to_owned());
    }
    assert_eq!(texts, ["first", "1: b", "2: c"]);
}

#[tokio::test]
async fn requests_are_recorded_unchanged() {
    let server = ModelServer::start([Reply::text("a"), Reply::text("b")]).await.unwrap();
    let body = prompt(Wire::Anthropic, "hello", false);
    exchange(&server.url(), "/v1/messages?beta=true", &body.to_string()).await.unwrap();
    exchange(&server.url(), "/responses", r#"{"input":"hello","temperature":1.10}"#).await.unwrap();
    exchange(&server.url(), "/responses", "not json").await.unwrap();
    server.wait_for_requests(3).await;
    let requests = server.requests();
    let seen: Vec<_> =
        requests.iter().map(|each| (each.wire, each.path.as_str(), each.body.to_string())).collect();
    let expected = [
        (Wire::Anthropic, "/v1/messages?beta=true", body.to_string()),
        (Wire::Responses, "/responses", r#"{"input":"hello","temperature":1.10}"#.to_owned()),
        (Wire::Responses, "/responses", "null".to_owned()),
    ];
    assert_eq!(seen, expected);
    assert_eq!(requests.iter().map(|each| each.header("x-API-key")).collect::<Vec<_>>(), [Some("k"); 3]);
}

#[tokio::test]
async fn every_path_of_a_protocol_is_known() {
    let paths = [
        "/v1/messages",
        "/v1/responses",
        "/responses",
        "/v1/chat/completions",
        "/chat/completions",
        "/api/chat",
    ];
    let server = ModelServer::start(Script::handler(|request: &RecordedRequest, _| {
        Reply::text(format!("{:?}", request.wire))
    }))
    .await
    .unwrap();
    let mut wires = Vec::new();
    for path in paths {
        exchange(&server.url(), path, "{}").await.unwrap();
        wires.push(server.requests().last().unwrap().wire);
    }
    use Wire::{Anthropic, Chat, Ollama, Responses};
    assert_eq!(wires, [Anthropic, Responses, Responses, Chat, Chat, Ollama]);
    assert_eq!(server.openai_url(), format!("{}/v1", server.url()));
}

#[tokio::test]
async fn other_paths_are_answered_and_not_recorded() {
    let server = ModelServer::start(Vec::new()).await.unwrap();
    let counted = exchange(&server.url(), "/v1/messages/count_tokens", "{}").await.unwrap();
    assert_eq!((counted.status, counted.json()), (200, json!({"input_tokens": 42})));
    let unknown = exchange(&server.url(), "/v2/nothing", "{}").await.unwrap();
    let message = "The model server of the tests knows no POST /v2/nothing";
    let expected = json!({"error": {"message": message, "type": "not_found_error"}});
    assert_eq!((unknown.status, unknown.json(), server.requests()), (404, expected, Vec::new()));
}

#[tokio::test]
async fn a_delay_is_respected() {
    let delay = Duration::from_millis(60);
    let server = ModelServer::start(Reply::text("late").delayed(delay)).await.unwrap();
    let begin = Instant::now();
    ask(&server.url(), Wire::Chat, "x", true).await;
    assert!(begin.elapsed() >= delay);
}

#[tokio::test]
async fn a_connection_serves_several_requests() {
    let server = ModelServer::start([Reply::text("one"), Reply::text("two")]).await.unwrap();
    let host = server.url().replace("http://", "");
    let mut stream = TcpStream::connect(&host).await.unwrap();
    for text in ["one", "two"] {
        let head = format!("POST /api/chat HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\n\r\n{{}}");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut seen = String::new();
        while !seen.ends_with("0\r\n\r\n") {
            let mut buffer = [0; 512];
            let count = stream.read(&mut buffer).await.unwrap();
            assert_ne!(count, 0, "the connection stays open");
            seen.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
        }
        assert!(seen.contains(text));
    }
}
