//! The protocol, over both transports, with tools that do as they are told.
#![expect(clippy::unwrap_used, reason = "a test ends where something is missing")]

use std::sync::Arc;

use accord_api::{Checked, JsonLimits};
use accord_mcp::{Answer, Caller, Hints, Http, Outcome, Tasks, Tool, Toolset, Unavailable, serve};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use http::Request;
use serde_json::{Map, Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};
use tokio::sync::Semaphore;

/// `echo` gives back what it gets, `work` tells progress, `hang` waits until it is let go.
struct Tools {
    hanging: Arc<Semaphore>,
}

#[async_trait]
impl Toolset for Tools {
    fn instructions(&self) -> Option<String> {
        Some("be kind".to_owned())
    }

    async fn tools(&self) -> Result<Vec<Tool>, Unavailable> {
        let schema = json!({"type": "object"});
        let tool = |name: &str| Tool {
            name: name.to_owned(),
            description: String::new(),
            input_schema: schema.clone(),
            output_schema: Some(schema.clone()),
            hints: Hints::Reads,
        };
        Ok(["echo", "work", "hang"].map(tool).to_vec())
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>, caller: &Caller) -> Option<Outcome> {
        match name {
            "echo" => Some(Answer::value(Value::Object(arguments)).into()),
            "work" => {
                caller.tell("one").await;
                caller.tell("two").await;
                Some(Answer::error("it broke").into())
            }
            "hang" => {
                self.hanging.acquire().await.unwrap().forget();
                Some(Answer::text("let go").into())
            }
            _ => None,
        }
    }

    fn tasks(&self) -> Option<&dyn Tasks> {
        None
    }
}

/// A client on pipes.
struct Pipes {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
    hanging: Arc<Semaphore>,
}

impl Pipes {
    fn open() -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let hanging = Arc::new(Semaphore::new(0));
        let tools = Arc::new(Tools { hanging: Arc::clone(&hanging) });
        let (input, output) = split(far);
        let serving = tokio::spawn(serve(tools, input, output));
        let (read, write) = split(near);
        Self { read: BufReader::new(read), write, serving, hanging }
    }

    async fn say(&mut self, text: &str) {
        self.write.write_all(text.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params});
        self.say(&message.to_string()).await;
    }

    async fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| json!(line))
    }
}

#[tokio::test]
async fn the_version_is_agreed_upon() {
    let mut pipes = Pipes::open();
    let versions = [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ];
    for (asked, expected) in versions {
        pipes.ask("i", "initialize", json!({"protocolVersion": asked, "capabilities": {}})).await;
        let answer = pipes.hear().await;
        assert_eq!(answer["result"]["protocolVersion"], expected);
        assert_eq!(answer["result"]["serverInfo"]["name"], "accord");
        assert_eq!(answer["result"]["instructions"], "be kind");
        assert_eq!(answer["id"], "i");
    }
}

#[tokio::test]
async fn unknown_methods_are_errors_even_before_initialize() {
    let mut pipes = Pipes::open();
    let unknown = [
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "logging/setLevel",
        "completion/complete",
        "tasks/get",
        "subscriptions/listen",
        "",
    ];
    for method in unknown {
        pipes.ask(1, method, json!({})).await;
        assert_eq!(pipes.hear().await["error"]["code"], -32601, "{method}");
    }
    pipes.ask(2, "ping", json!({})).await;
    assert_eq!(pipes.hear().await, json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
    pipes.ask(3, "tools/list", json!({"cursor": "x"})).await;
    assert_eq!(pipes.hear().await["error"]["code"], -32602);
    pipes.ask(3, "tools/list", json!({})).await;
    let tools = pipes.hear().await["result"]["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 3);
    assert_eq!(tools[0]["outputSchema"], json!({"type": "object"}));
    assert_eq!(tools[0]["annotations"], json!({"readOnlyHint": true, "openWorldHint": false}));
}

/// A client that tries a newer protocol first.
const DISCOVER: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{
"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#;

#[tokio::test]
async fn a_newer_client_needs_no_handshake() {
    let mut pipes = Pipes::open();
    pipes.say(&DISCOVER.replace('\n', "")).await;
    let found = pipes.hear().await["result"].clone();
    assert_eq!(found["resultType"], "complete");
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-11-25")), "{found}");
    assert_eq!((&found["instructions"], &found["cacheScope"]), (&json!("be kind"), &json!("private")));
    let list = DISCOVER.replace('\n', "").replace("server/discover", "tools/list");
    pipes.say(&list).await;
    let listed = pipes.hear().await["result"].clone();
    assert_eq!((&listed["ttlMs"], &listed["cacheScope"]), (&json!(0), &json!("private")));
    pipes.say(&list.replace("2026-07-28", "2031-01-01")).await;
    assert_eq!(pipes.hear().await["error"]["code"], -32022, "no such version");
    pipes.say(&list.replace("clientCapabilities", "capabilities")).await;
    assert_eq!(pipes.hear().await["error"]["code"], -32602, "a required field is missing");
}

/// Numbers that no machine type keeps as they are written.
const NUMBERS: &str = r#"{"n":[1e+400,0.10,12345678901234567890123,1.0,-0.0]}"#;

#[tokio::test]
async fn numbers_stay_as_they_are_written() {
    let call =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":NUMBERS}}"#;
    let call = call.replace("NUMBERS", NUMBERS);
    let structured = format!(r#""structuredContent":{NUMBERS}"#);
    let mut pipes = Pipes::open();
    pipes.say(&call).await;
    let mut line = String::new();
    pipes.read.read_line(&mut line).await.unwrap();
    assert!(line.contains(&structured), "{line}");
    pipes.say(&format!("[{call}]")).await;
    line.clear();
    pipes.read.read_line(&mut line).await.unwrap();
    assert!(line.contains(&structured), "{line}");
    for body in [call.clone(), format!("[{call}]")] {
        let (_, _, answer) = post(&[], &body).await;
        assert!(answer.contains(&structured), "{answer}");
    }
}

#[tokio::test]
async fn calls_are_answered_with_what_the_tool_gave() {
    let mut pipes = Pipes::open();
    pipes.ask(1, "tools/call", json!({"name": "echo", "arguments": {"exact": 1}})).await;
    let answer = pipes.hear().await;
    assert_eq!(answer["result"]["structuredContent"], json!({"exact": 1}));
    assert_eq!(answer["result"]["content"][0]["text"], "{\n  \"exact\": 1\n}");
    assert_eq!(answer["result"].get("isError"), None);
    pipes.say(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":1.500000000000000000001}}}"#).await;
    let answer = pipes.hear().await;
    assert_eq!(answer["result"]["structuredContent"].to_string(), r#"{"n":1.500000000000000000001}"#);
    let wrong =
        [json!({}), json!({"name": 5}), json!({"name": "gone"}), json!({"name": "echo", "arguments": []})];
    for params in wrong {
        pipes.ask(2, "tools/call", params.clone()).await;
        assert_eq!(pipes.hear().await["error"]["code"], -32602, "{params}");
    }
}

#[tokio::test]
async fn progress_is_sent_if_requested() {
    let mut pipes = Pipes::open();
    pipes.ask(1, "tools/call", json!({"name": "work"})).await;
    let silent = pipes.hear().await;
    assert_eq!((&silent["id"], &silent["result"]["isError"]), (&json!(1), &json!(true)));
    pipes.ask(2, "tools/call", json!({"name": "work", "_meta": {"progressToken": "t"}})).await;
    for (step, message) in [(1, "one"), (2, "two")] {
        let params = json!({"progressToken": "t", "progress": f64::from(step), "message": message});
        let expected = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
        assert_eq!(pipes.hear().await, expected);
    }
    assert_eq!(pipes.hear().await["id"], 2);
}

#[tokio::test]
async fn calls_run_concurrently_and_can_be_cancelled() {
    let mut pipes = Pipes::open();
    pipes.ask(1, "tools/call", json!({"name": "hang"})).await;
    pipes.ask("1", "tools/call", json!({"name": "hang"})).await;
    pipes.ask(5, "ping", json!({})).await;
    assert_eq!(pipes.hear().await["result"], json!({}), "a ping is not held up");
    pipes.ask(1, "tools/call", json!({"name": "echo"})).await;
    assert_eq!(pipes.hear().await["error"]["code"], -32600, "its id is in use");
    pipes.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    pipes.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#).await;
    pipes.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    pipes.say(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#).await;
    pipes.ask(2, "ping", json!({})).await;
    assert_eq!(pipes.hear().await["id"], 2);
    pipes.hanging.add_permits(2);
    assert_eq!(pipes.hear().await["id"], "1", "only the one that was not cancelled");
}

#[tokio::test]
async fn more_calls_than_anybody_makes_are_refused() {
    let mut pipes = Pipes::open();
    for id in 0..64 {
        pipes.ask(id, "tools/call", json!({"name": "hang"})).await;
    }
    pipes.ask(64, "tools/call", json!({"name": "hang"})).await;
    let answer = pipes.hear().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(64), &json!(-32000)));
}

#[tokio::test]
async fn nonsense_is_answered_and_does_not_end_the_talk() {
    let mut pipes = Pipes::open();
    for (text, code) in [("nonsense", -32700), ("[]", -32600), ("\u{0}", -32700)] {
        pipes.say(text).await;
        assert_eq!(pipes.hear().await["error"]["code"], code, "{text:?}");
    }
    pipes.say("").await;
    pipes.say(&"x".repeat(16 * 1024 * 1024 + 100)).await;
    assert_eq!(pipes.hear().await["error"]["code"], -32600);
    pipes.ask(1, "ping", json!({})).await;
    assert_eq!(pipes.hear().await["id"], 1);
}

const BATCH: &str = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},
5,{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}]"#;

/// What is answered, by id and code.
fn answered(answers: &Value) -> Vec<(Value, Value)> {
    let answers = answers.as_array().unwrap();
    let at = |answer: &Value, place: &str| answer.pointer(place).cloned().unwrap_or_default();
    answers.iter().map(|answer| (at(answer, "/id"), at(answer, "/error/code"))).collect()
}

fn batch_answers() -> Vec<(Value, Value)> {
    vec![(json!(1), Value::Null), (Value::Null, json!(-32600)), (json!(2), Value::Null)]
}

#[tokio::test]
async fn a_batch_is_answered_as_one() {
    let mut pipes = Pipes::open();
    pipes.say(&BATCH.replace('\n', "")).await;
    assert_eq!(answered(&pipes.hear().await), batch_answers());
    pipes.say(r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#).await;
    pipes.ask(3, "ping", json!({})).await;
    assert_eq!(pipes.hear().await["id"], 3, "what wants no answer gets none");
    let spoken = [("mcp-protocol-version", "2025-03-26")];
    let (status, _, body) = post(&spoken, BATCH).await;
    assert_eq!((status, answered(&serde_json::from_str(&body).unwrap())), (200, batch_answers()));
    let told = r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    assert_eq!(post(&spoken, told).await, (202, None, String::new()));
    assert_eq!(post(&[("mcp-protocol-version", "2026-07-28")], BATCH).await.0, 400);
    assert_eq!(post(&[("authorization", "Bearer broken")], BATCH).await.0, 400);
}

#[tokio::test]
async fn the_end_of_the_input_ends_it_after_the_last_answers() {
    let mut pipes = Pipes::open();
    pipes.hanging.add_permits(1);
    pipes.ask(1, "tools/call", json!({"name": "hang"})).await;
    pipes.write.shutdown().await.unwrap();
    assert_eq!(pipes.hear().await["id"], 1);
    pipes.serving.await.unwrap().unwrap();
}

fn http() -> Http {
    Http::new(|headers| match headers.get("authorization").map(|value| value.as_bytes()) {
        Some(b"Bearer broken") => Err("this key has characters that cannot be".to_owned()),
        _ => Ok(Arc::new(Tools { hanging: Arc::new(Semaphore::new(0)) })),
    })
}

fn checked(body: &str) -> Checked<Bytes> {
    Checked::new(Bytes::from(body.to_owned()), JsonLimits::WHOLE).unwrap()
}

async fn post(headers: &[(&str, &str)], body: &str) -> (u16, Option<String>, String) {
    let mut request = Request::builder().method("POST").uri("/mcp");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = http().answer(request.body(checked(body)).unwrap()).await;
    let status = answer.status().as_u16();
    let kind = answer.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let pieces: Vec<Bytes> = answer.into_body().map(|piece| piece.unwrap()).collect().await;
    (status, kind, String::from_utf8(pieces.concat()).unwrap())
}

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[tokio::test]
async fn over_http_an_answer_is_json() {
    let json_kind = Some("application/json".to_owned());
    let pong = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned();
    assert_eq!(post(&[], PING).await, (200, json_kind, pong));
    let told = post(&[], r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!(told, (202, None, String::new()));
    assert_eq!(post(&[], "nonsense").await.0, 400);
    assert_eq!(post(&[("authorization", "Bearer broken")], PING).await.0, 400);
}

#[tokio::test]
async fn over_http_the_handshake_is_unknown_to_the_version_without_one() {
    let params = [
        r#"{}"#,
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}"#,
    ];
    for params in params {
        let hello = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        let (status, _, body) = post(&[("mcp-protocol-version", "2026-07-28")], &hello).await;
        assert_eq!(status, 404, "{body}");
        assert!(body.contains("-32601"), "{body}");
        assert_eq!(post(&[], &hello).await.0, 200);
    }
}

#[tokio::test]
async fn over_http_the_headers_of_newer_clients_agree_with_the_body() {
    let list = DISCOVER.replace("server/discover", "tools/list");
    let version = ("mcp-protocol-version", "2026-07-28");
    let discovered = post(&[version, ("mcp-method", "server/discover")], DISCOVER).await;
    assert!(discovered.0 == 200 && discovered.2.contains("supportedVersions"), "{discovered:?}");
    let listed = post(&[version, ("mcp-method", "tools/list")], &list).await;
    assert!(listed.0 == 200 && listed.2.contains(r#""resultType":"complete""#), "{listed:?}");
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let refused: [(Headers<'_>, &str, u16, &str); 5] = [
        (&[version], &list, 400, "-32020"),
        (&[version, ("mcp-method", "tools/call")], &list, 400, "-32020"),
        (&[("mcp-protocol-version", "2025-11-25"), ("mcp-method", "tools/list")], &list, 400, "-32020"),
        (
            &[version, ("mcp-method", "resources/list")],
            &DISCOVER.replace("server/discover", "resources/list"),
            404,
            "-32601",
        ),
        (
            &[version, ("mcp-method", "none/such")],
            &DISCOVER.replace("server/discover", "none/such"),
            404,
            "-32601",
        ),
    ];
    for (headers, body, status, code) in refused {
        let answer = post(headers, body).await;
        assert!(answer.0 == status && answer.2.contains(code), "{headers:?}: {answer:?}");
    }
    // An older client has no headers, and gets an error as an answer.
    let older = r#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#;
    let answer = post(&[("mcp-protocol-version", "2025-06-18")], older).await;
    assert!(answer.0 == 200 && answer.2.contains("-32601"), "{answer:?}");
}

#[tokio::test]
async fn over_http_progress_comes_as_events_before_the_answer() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work","_meta":{"progressToken":7}}}"#;
    let (status, kind, body) = post(&[("accept", "application/json, text/event-stream")], call).await;
    assert_eq!((status, kind.as_deref()), (200, Some("text/event-stream")));
    let events: Vec<&str> = body.split_terminator("\n\n").collect();
    assert_eq!(events.len(), 3, "{body}");
    assert!(events[0].contains("\"progress\":1") && events[1].contains("\"progress\":2"), "{body}");
    assert!(events[2].starts_with("data: {") && events[2].contains("it broke"), "{body}");
    let (_, kind, _) = post(&[("accept", "application/json")], call).await;
    assert_eq!(kind.as_deref(), Some("application/json"), "a client that takes no events gets none");
}
