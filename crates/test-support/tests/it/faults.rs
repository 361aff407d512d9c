//! Errors, broken connections and invalid responses.

use accord_test_support::{DropPoint, JsonSchemaHabit, ModelServer, Reply, Wire};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use super::decode;
use super::http::{Response, ask, exchange, prompt, send};

async fn answer(wire: Wire, reply: Reply, streams: bool) -> Response {
    let server = ModelServer::start(reply).await.unwrap();
    ask(&server.url(), wire, "hello", streams).await
}

/// An Anthropic error without the request id, which is also in a header.
fn without_request_id(response: &Response) -> Value {
    let mut body = response.json();
    let id = body.as_object_mut().unwrap().shift_remove("request_id");
    assert_eq!(id.as_ref().and_then(Value::as_str), response.header("request-id"));
    body
}

#[tokio::test]
async fn errors_have_the_format_of_their_protocol() {
    for (status, anthropic, openai) in [
        (400, "invalid_request_error", json!({"type": "invalid_request_error", "code": null})),
        (401, "authentication_error", json!({"type": "invalid_request_error", "code": "invalid_api_key"})),
        (429, "rate_limit_error", json!({"type": "requests", "code": "rate_limit_exceeded"})),
        (500, "api_error", json!({"type": "server_error", "code": null})),
        (503, "api_error", json!({"type": "server_error", "code": null})),
        (529, "overloaded_error", json!({"type": "server_error", "code": null})),
    ] {
        for streams in [false, true] {
            let error = async |wire| answer(wire, Reply::error(status, "m"), streams).await;
            let response = error(Wire::Anthropic).await;
            let expected = json!({"type": "error", "error": {"type": anthropic, "message": "m"}});
            assert_eq!((response.status, without_request_id(&response)), (status, expected));
            for wire in [Wire::Responses, Wire::Chat] {
                let response = error(wire).await;
                let expected = json!({"error": {
                    "message": "m", "type": openai["type"], "param": null, "code": openai["code"],
                }});
                assert_eq!((response.status, response.json()), (status, expected));
            }
            let response = error(Wire::Ollama).await;
            assert_eq!((response.status, response.json()), (status, json!({"error": "m"})));
        }
    }
}

#[tokio::test]
async fn retry_after_is_a_header_only_on_request() {
    let busy = answer(Wire::Chat, Reply::error(429, "m").retry_after(0), false).await;
    assert_eq!(busy.header("retry-after"), Some("0"));
    let silent = answer(Wire::Chat, Reply::error(429, "m"), false).await;
    assert_eq!(silent.header("retry-after"), None);
}

#[tokio::test]
async fn a_rejected_schema_has_the_message_of_the_service() {
    let schema = json!({"type": "object"});
    let flat = json!([{"name": "submit_result"}]);
    let nested = json!([{"type": "function", "function": {"name": "submit_result"}}]);
    let cases = [
        (
            Wire::Anthropic,
            json!({"output_config": {"format": {"schema": schema}}}),
            400,
            "output_config.format.schema: m",
        ),
        (Wire::Anthropic, json!({"tools": flat}), 400, "tools.0.custom.input_schema: m"),
        (
            Wire::Responses,
            json!({"text": {"format": {"name": "n", "schema": schema}}}),
            400,
            "Invalid schema for response_format 'n': m",
        ),
        (Wire::Responses, json!({"tools": flat}), 400, "Invalid schema for function 'submit_result': m"),
        (
            Wire::Chat,
            json!({"response_format": {"json_schema": {"name": "n", "schema": schema}}}),
            400,
            "Invalid schema for response_format 'n': m",
        ),
        (Wire::Chat, json!({"tools": nested}), 400, "Invalid schema for function 'submit_result': m"),
    ];
    for (wire, body, status, message) in cases {
        let server = ModelServer::start(Reply::schema_rejected("m")).await.unwrap();
        let response = exchange(&server.url(), wire.path(), &body.to_string()).await.unwrap();
        let said = response.json()["error"]["message"].clone();
        assert_eq!((response.status, said), (status, json!(message)), "{wire:?}");
    }
    let ollama = answer(Wire::Ollama, Reply::schema_rejected("m"), false).await;
    assert_eq!((ollama.status, ollama.json()), (500, json!({"error": "invalid JSON schema in format: m"})));
}

#[tokio::test]
async fn a_failure_midway_is_a_stream_event() {
    for wire in Wire::ALL {
        let streamed = answer(wire, Reply::fails_midway("kaput"), true).await;
        let events = decode::events(wire, streamed.text());
        let (name, last) = events.last().unwrap();
        let (expected, message) = match wire {
            Wire::Anthropic => ("error", &last["error"]["message"]),
            Wire::Responses => ("response.failed", &last["response"]["error"]["message"]),
            Wire::Chat | Wire::Gemini => ("", &last["error"]["message"]),
            Wire::Ollama => ("", &last["error"]),
        };
        assert_eq!((streamed.status, name.as_str(), message), (200, expected, &json!("kaput")), "{wire:?}");
        assert!(!decode::output(wire, streamed.text()).text.is_empty());
        let whole = answer(wire, Reply::fails_midway("kaput"), false).await;
        assert_eq!(whole.status, if wire == Wire::Responses { 200 } else { 500 });
        assert!(whole.text().contains("kaput"));
    }
}

#[tokio::test]
async fn a_dropped_connection_delivers_nothing_or_half() {
    let before = Reply::text("hello").dropped(DropPoint::BeforeHeaders);
    for wire in Wire::ALL {
        for streams in [false, true] {
            let server = ModelServer::start([before.clone(), Reply::drop_connection()]).await.unwrap();
            let body = prompt(wire, "hello", streams).to_string();
            assert!(exchange(&server.url(), wire.path(), &body).await.is_none());
            let half = exchange(&server.url(), wire.path(), &body).await.unwrap();
            assert_eq!((half.status, half.complete, half.body.is_empty()), (200, false, false));
            server.wait_until_idle().await;
        }
    }
}

#[tokio::test]
async fn a_hanging_answer_ends_with_its_client() {
    let server = ModelServer::start(Reply::hang()).await.unwrap();
    let body = prompt(Wire::Chat, "hello", false).to_string();
    let client = send(&server.url(), Wire::Chat.path(), &body).await.unwrap();
    server.wait_for_requests(1).await;
    drop(client);
    server.wait_until_idle().await;
}

#[tokio::test]
async fn a_hanging_answer_ends_with_its_server() {
    let server = ModelServer::start(Reply::hang()).await.unwrap();
    let body = prompt(Wire::Chat, "hello", false).to_string();
    let mut client = send(&server.url(), Wire::Chat.path(), &body).await.unwrap();
    server.wait_for_requests(1).await;
    drop(server);
    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.ok();
    assert_eq!(rest, b"");
}

#[tokio::test]
async fn an_endless_answer_ends_with_its_client() {
    const ENOUGH: usize = 4 * 1024 * 1024;
    for wire in Wire::ALL {
        for streams in [false, true] {
            let server = ModelServer::start(Reply::endless()).await.unwrap();
            let body = prompt(wire, "hello", streams).to_string();
            let mut client = send(&server.url(), wire.path(), &body).await.unwrap();
            let mut bytes = vec![0; ENOUGH];
            client.read_exact(&mut bytes).await.unwrap();
            drop(client);
            server.wait_until_idle().await;
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.matches("the story went on").count() > 1000);
        }
    }
}

#[tokio::test]
async fn garbage_arrives_unchanged() {
    for streams in [false, true] {
        let response = answer(Wire::Anthropic, Reply::garbage(b"<html>\xff\0".to_vec()), streams).await;
        assert_eq!((response.status, response.body.as_slice()), (200, b"<html>\xff\0".as_slice()));
    }
}

#[tokio::test]
async fn compatible_servers_may_reject_schemas() {
    let schema = json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}});
    let tools = json!([{"type": "function", "function": {"name": "t"}}]);
    let bare = json!({"messages": []});
    let with_schema = json!({"messages": [], "response_format": schema});
    let with_both = json!({"messages": [], "response_format": schema, "tools": tools});
    for (habit, expected) in [
        (JsonSchemaHabit::Takes, [200, 200, 200]),
        (JsonSchemaHabit::Refuses, [200, 400, 400]),
        (JsonSchemaHabit::RefusesBesideTools, [200, 200, 400]),
    ] {
        let server = ModelServer::start_with(vec![Reply::text("{}"); 3], habit).await.unwrap();
        let mut statuses = Vec::new();
        for body in [&bare, &with_schema, &with_both] {
            let response = exchange(&server.url(), "/chat/completions", &body.to_string()).await.unwrap();
            statuses.push(response.status);
        }
        let refused = expected.iter().filter(|status| **status == 400).count();
        assert_eq!((statuses.as_slice(), server.remaining()), (expected.as_slice(), refused), "{habit:?}");
    }
}
