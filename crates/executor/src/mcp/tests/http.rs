//! Servers at a URL: the requests, and how the responses are read.

use std::collections::VecDeque;
use std::sync::Mutex;

use futures_util::stream::{self, StreamExt as _};

use super::*;

/// A transport that returns these answers and records the requests.
#[derive(Clone, Default)]
struct Scripted {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    asked: Arc<Mutex<Vec<Request>>>,
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

fn answer(status: u16, kind: &str, body: &str) -> Answer {
    let headers = vec![("content-type".to_owned(), kind.to_owned())];
    Answer { status, headers, body: body.to_owned() }
}

fn json_answer(body: &str) -> Answer {
    answer(200, "application/json", body)
}

fn answer_of_events(body: &str) -> Answer {
    answer(200, "text/event-stream", body)
}

#[async_trait]
impl Transport for Scripted {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        self.asked.lock().unwrap().push(request);
        let next = self.answers.lock().unwrap().pop_front();
        let Some(Answer { status, headers, body }) = next else { return std::future::pending().await };
        let pieces: Vec<_> = body.into_bytes().chunks(5).map(|bytes| Ok(bytes.to_vec())).collect();
        Ok(Response { status, headers, body: stream::iter(pieces).boxed() })
    }
}

async fn open(
    answers: Vec<Answer>,
    patience: Patience,
) -> (Result<Box<dyn Toolbox>, String>, Arc<Mutex<Vec<Request>>>) {
    let headers = BTreeMap::from([("authorization".to_owned(), "Bearer hidden-word".to_owned())]);
    open_at(Reach::Address { url: "http://far/mcp".to_owned(), headers }, answers, patience).await
}

async fn open_at(
    reach: Reach,
    answers: Vec<Answer>,
    patience: Patience,
) -> (Result<Box<dyn Toolbox>, String>, Arc<Mutex<Vec<Request>>>) {
    let way = Scripted { answers: Arc::new(Mutex::new(answers.into())), asked: Arc::default() };
    let asked = Arc::clone(&way.asked);
    let server = McpServer { name: "far".to_owned(), reach };
    let opened = servers(way, patience).open(&[server], Path::new("."), Box::new(NoTools)).await;
    (opened.map_err(|error| error.to_string()), asked)
}

fn sound(mut last: Vec<Answer>) -> Vec<Answer> {
    let mut greeting = json_answer(GREETING);
    greeting.headers.push(("mcp-session-id".to_owned(), "s1".to_owned()));
    let mut answers = vec![greeting, answer(202, "", ""), json_answer(ONE_TOOL)];
    answers.append(&mut last);
    answers
}

fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

#[tokio::test]
async fn an_answer_is_json_or_events() {
    let progress =
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}"#;
    let events = format!(": hello\n\nevent: message\ndata: {progress}\n\ndata: {}\n\n", result(3, "two"));
    let answers =
        sound(vec![json_answer(&result(2, "one")), answer(200, "text/event-stream; charset=utf-8", &events)]);
    let (tools, asked) = open(answers, LONG).await;
    let tools = tools.unwrap();
    assert_eq!(call(tools.as_ref(), "far__look", json!({})).await.text, "one");
    assert_eq!(call(tools.as_ref(), "far__look", json!({})).await.text, "two");
    let asked = asked.lock().unwrap();
    let methods: Vec<&str> = asked.iter().map(|request| request.body["method"].as_str().unwrap()).collect();
    assert_eq!(
        methods,
        ["initialize", "notifications/initialized", "tools/list", "tools/call", "tools/call"]
    );
    let versions: Vec<_> = asked.iter().map(|request| header(request, "mcp-protocol-version")).collect();
    assert_eq!(
        versions,
        [None, Some("2025-06-18"), Some("2025-06-18"), Some("2025-06-18"), Some("2025-06-18")]
    );
    let sessions: Vec<_> = asked.iter().map(|request| header(request, "mcp-session-id")).collect();
    assert_eq!(sessions, [None, Some("s1"), Some("s1"), Some("s1"), Some("s1")]);
    for request in asked.iter() {
        assert_eq!(header(request, "authorization"), Some("Bearer hidden-word"));
        assert_eq!(header(request, "accept"), Some("application/json, text/event-stream"));
    }
}

#[tokio::test]
async fn numbers_are_kept_exactly() {
    let answer = |id| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"structuredContent":{NUMBERS}}}}}"#)
    };
    let events = format!("data: {}\n\n", answer(3));
    let answers = sound(vec![json_answer(&answer(2)), answer_of_events(&events)]);
    let (tools, asked) = open(answers, LONG).await;
    let tools = tools.unwrap();
    for _ in 0..2 {
        let output = call(tools.as_ref(), "far__look", serde_json::from_str(NUMBERS).unwrap()).await;
        assert_eq!(output, ToolOutput { ok: true, text: NUMBERS.to_owned() });
        assert_eq!(asked.lock().unwrap().last().unwrap().body["params"]["arguments"].to_string(), NUMBERS);
    }
}

#[tokio::test]
async fn events_may_have_any_form() {
    let answer = result(2, "one").replace(",\"result\"", ",\r\ndata: \"result\"");
    let whole = format!("\u{feff}: hello\r\nevent: message\r\nid: 1\r\ndata: {answer}\r\n\r\n");
    let unfinished = format!("data:{}", result(3, "two"));
    let marked = format!("\u{feff}{}", result(4, "three"));
    let answers = sound(vec![answer_of_events(&whole), answer_of_events(&unfinished), json_answer(&marked)]);
    let tools = open(answers, LONG).await.0.unwrap();
    for expected in ["one", "two", "three"] {
        assert_eq!(call(tools.as_ref(), "far__look", json!({})).await.text, expected);
    }
}

#[tokio::test]
async fn an_unusable_server_is_reported() {
    let cases = [
        (
            answer(401, "text/plain", "who is hidden-word?"),
            "it responded with status 401: 'who is [hidden]?'",
        ),
        (answer(404, "text/html", ""), "it responded with status 404: ''"),
        (json_answer("{}"), "invalid MCP message: '{}'"),
        (json_answer(""), "its response was incomplete"),
        (answer(200, "text/event-stream", ": nothing\n\n"), "its response was incomplete"),
        (json_answer(&result(9, "x")), "it responded to an unknown request"),
        (
            answer(
                400,
                "application/json",
                r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"no"}}"#,
            ),
            "no (-32600), status 400",
        ),
        (json_answer(&"x".repeat(5_000_000)), "it sent an answer of more than 4194304 bytes"),
    ];
    for (first, expected) in cases {
        let (opened, _) = open(vec![first], LONG).await;
        assert_eq!(opened.err().unwrap(), format!("the MCP server 'far' did not start: {expected}"));
    }
    let (opened, _) = open(Vec::new(), SHORT).await;
    assert_eq!(
        opened.err().unwrap(),
        "the MCP server 'far' did not start: it did not respond within 0 seconds"
    );
    let server = McpServer {
        name: "far".to_owned(),
        reach: Reach::Address { url: "http://far/mcp".to_owned(), headers: BTreeMap::new() },
    };
    let opened = servers(Nowhere, LONG).open(&[server], Path::new("."), Box::new(NoTools)).await;
    assert_eq!(
        opened.err().unwrap().to_string(),
        "the MCP server 'far' did not start: it cannot be reached: nobody is there"
    );
}

#[tokio::test(start_paused = true)]
async fn only_the_coordinator_of_the_run_is_asked_again() {
    let error = r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"away","data":{"accord/may-pass":true}}}"#;
    let reconnected = |last: Answer| [json_answer(GREETING), answer(202, "", ""), last];
    let mut answers = vec![answer(503, "application/json", "{}"), json_answer("")];
    answers.extend(sound(vec![json_answer(error)]));
    answers.extend(reconnected(answer(502, "text/html", "")));
    answers.extend(reconnected(answer_of_events(": nothing\n\n")));
    answers.extend(reconnected(json_answer(&result(1, "done"))));
    let (url, headers) = ("http://far/mcp".to_owned(), BTreeMap::new());
    let own = Reach::Coordinator { url: url.clone(), headers: headers.clone() };
    let (tools, asked) = open_at(own.clone(), answers, LONG).await;
    assert_eq!(call(tools.unwrap().as_ref(), "far__look", json!({})).await.text, "done");
    let keys = |request: &Request| request.body.pointer("/params/_meta/accord~1idempotency-key").cloned();
    let keys: Vec<Value> = asked.lock().unwrap().iter().filter_map(keys).collect();
    assert_eq!(keys, [json!("key"), json!("key"), json!("key"), json!("key")]);
    let (refused, asked) = open_at(own, vec![answer(401, "text/plain", "no")], LONG).await;
    assert!(refused.is_err_and(|error| error.contains("status 401")));
    assert_eq!(asked.lock().unwrap().len(), 1);
    let (refused, asked) = open_at(Reach::Address { url, headers }, vec![answer(503, "", "")], LONG).await;
    assert!(refused.is_err_and(|error| error.contains("status 503")));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_silent_call_times_out() {
    let (tools, asked) = open(sound(Vec::new()), SHORT).await;
    let tools = tools.unwrap();
    let output = call(tools.as_ref(), "far__look", json!({})).await;
    assert_eq!(
        output,
        failed("the call of 'look' on the MCP server 'far' failed: it did not respond within 0 seconds")
    );
    let last = asked.lock().unwrap().last().unwrap().body.clone();
    assert_eq!(
        (&last["method"], &last["params"]["requestId"]),
        (&json!("notifications/cancelled"), &json!(2))
    );
}

/// A server that knows no handshake is discovered, without a session, and each request says who asks.
#[tokio::test]
async fn a_server_without_a_handshake_is_used() {
    let refused = r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no initialize"}}"#;
    let found = json!({"jsonrpc": "2.0", "id": 0, "result": {
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private",
    }});
    let listed = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "resultType": "complete", "tools": [{"name": "look", "inputSchema": {"type": "object"}}],
        "ttlMs": 0, "cacheScope": "private",
    }});
    let called = json!({"jsonrpc": "2.0", "id": 2, "result": {
        "resultType": "complete", "content": [{"type": "text", "text": "seen"}],
    }});
    for status in [200, 400] {
        let answers = vec![
            answer(status, "application/json", refused),
            json_answer(&found.to_string()),
            json_answer(&listed.to_string()),
            json_answer(&called.to_string()),
        ];
        let (tools, asked) = open(answers, LONG).await;
        assert_eq!(call(tools.unwrap().as_ref(), "far__look", json!({})).await.text, "seen");
        let asked = asked.lock().unwrap();
        let methods: Vec<&str> =
            asked.iter().map(|request| request.body["method"].as_str().unwrap()).collect();
        assert_eq!(methods, ["initialize", "server/discover", "tools/list", "tools/call"]);
        for request in asked.iter().skip(1) {
            let meta = &request.body["params"]["_meta"];
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{request:?}");
            assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "accord", "{request:?}");
            assert_eq!(header(request, "mcp-protocol-version"), Some("2026-07-28"));
            assert_eq!(header(request, "mcp-method"), request.body["method"].as_str());
            assert_eq!(header(request, "mcp-session-id"), None);
        }
    }
}
