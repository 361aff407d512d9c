//! Servers that are programs: valid ones, and every way to fail.

use serde_json::json;

use super::*;
use crate::toolbox::ToolSpec;

#[tokio::test]
async fn a_sound_server_is_used_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let said = result(2, "seen");
    let script = sound(&format!(
        "read l; echo \"$$ $KEY $PLAIN $ACCORD_RUNNER__KEY\" > {note}; echo \"$l\" >> {note}; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}}'; read pong; echo \"$pong\" >> {note}; \
         echo '{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{}}}}'; \
         echo '{said}'; while read l; do :; done",
        note = note.display()
    ));
    let tools = open(shell("eyes", &script), LONG).await.unwrap();
    let parameters = json!({"type": "object", "properties": {"at": {"type": "string"}}});
    let (name, description) = ("eyes__look".to_owned(), "Looks.".to_owned());
    assert_eq!(tools.specs(), [ToolSpec { name, description, parameters, original: None }]);
    let output = call(tools.as_ref(), "eyes__look", json!({"at": "it"})).await;
    assert_eq!(output, ToolOutput { ok: true, text: "seen".to_owned() });
    assert_eq!(
        call(tools.as_ref(), "eyes__look", json!("it")).await,
        failed("expected an object as arguments")
    );
    assert_eq!(call(tools.as_ref(), "other", json!({})).await, failed("unknown tool `other`"));
    tools.close().await;
    let note = std::fs::read_to_string(note).unwrap();
    let lines: Vec<&str> = note.lines().collect();
    let (id, seen) = lines[0].split_once(' ').unwrap();
    assert_eq!(seen.trim(), "hidden-word plain", "its own variables and the plain ones, no secrets of ours");
    let asked = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"accord/idempotency-key":"key","progressToken":1},"arguments":{"at":"it"},"name":"look"}}"#;
    assert_eq!((lines[1], lines[2]), (asked, r#"{"jsonrpc":"2.0","id":"p","result":{}}"#));
    assert!(!is_alive(id));
    let after = call(tools.as_ref(), "eyes__look", json!({})).await;
    assert_eq!(after, failed("the call of 'look' on the MCP server 'eyes' failed: it has ended"));
}

#[tokio::test]
async fn numbers_are_passed_on_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let answer =
        format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"content":[],"structuredContent":{NUMBERS}}}}}"#);
    let rest = format!("read l; echo \"$l\" > {}; echo '{answer}'; read l", note.display());
    let tools = open(shell("s", &sound(&rest)), LONG).await.unwrap();
    let output = call(tools.as_ref(), "s__look", serde_json::from_str(NUMBERS).unwrap()).await;
    assert_eq!(output, ToolOutput { ok: true, text: NUMBERS.to_owned() });
    tools.close().await;
    let sent = std::fs::read_to_string(note).unwrap();
    assert!(sent.contains(&format!(r#""arguments":{NUMBERS}"#)), "{sent}");
}

#[tokio::test]
async fn a_server_that_does_not_start_is_reported_with_its_stderr() {
    let cases = [
        ("exit 3", "it has ended (exit status: 3)"),
        (
            "echo 'no database for hidden-word' >&2; exit 1",
            "it has ended (exit status: 1); last lines of stderr: no database for [hidden]",
        ),
        (
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"error\":{\"code\":-1,\"message\":\"no\"}}'; read l",
            "no (-1)",
        ),
        (
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"1999\"}}'; read l",
            "unsupported MCP version '1999'; expected 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05",
        ),
        (
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}'; read l",
            "it responded to an unknown request",
        ),
        ("yes", "it writes invalid MCP messages to stdout"),
        ("head -c 5000000 /dev/zero; read l", "it sent a message of more than 4194304 bytes"),
    ];
    for (script, expected) in cases {
        let error = open(shell("db", script), LONG).await.err().unwrap();
        assert_eq!(error, format!("the MCP server 'db' did not start: {expected}"), "{script}");
    }
    let missing = McpServer {
        name: "db".to_owned(),
        reach: Reach::Program {
            command: "no-such-program".to_owned(),
            args: Vec::new(),
            env: BTreeMap::new(),
        },
    };
    let error = open(missing, LONG).await.err().unwrap();
    assert!(
        error.starts_with("the MCP server 'db' did not start: 'no-such-program' cannot be started: "),
        "{error}"
    );
}

#[tokio::test]
async fn a_server_that_hangs_at_startup_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let script = format!("trap '' TERM; echo $$ > {0}; sleep 1000 & echo $! >> {0}; wait", note.display());
    let error = open(shell("slow", &script), SHORT).await.err().unwrap();
    assert_eq!(error, "the MCP server 'slow' did not start: it did not respond within 0 seconds");
    for id in std::fs::read_to_string(note).unwrap().lines() {
        gone(id).await;
    }
}

#[tokio::test]
async fn an_invalid_tool_list_fails_the_start() {
    let two = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}}]}}"#;
    let many: Vec<Value> =
        (0..10_000).map(|id| json!({"name": format!("t{id}"), "inputSchema": {}})).collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("many");
    let page = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": many}});
    std::fs::write(&file, format!("{page}\n")).unwrap();
    let endless = "n=1; while read l; do echo '{\"jsonrpc\":\"2.0\",\"id\":'$n',\"result\":{\"tools\":[],\"nextCursor\":\"x\"}}'; \
                   n=$((n+1)); done";
    let cases = [
        (format!("echo '{two}'; read l"), "it has two tools 'a'"),
        (format!("cat {}; read l", file.display()), "it has 10000 tools or more; the limit is 128"),
        (endless.to_owned(), "its tool list has more than 50 pages"),
    ];
    for (rest, expected) in cases {
        let error = open(shell("liar", &format!("read l; echo '{GREETING}'; read l; {rest}")), LONG)
            .await
            .err()
            .unwrap();
        assert_eq!(error, format!("the MCP server 'liar' did not start: {expected}"));
    }
}

#[tokio::test]
async fn later_errors_are_reported_to_the_model() {
    let cases = [
        ("read l; echo dying >&2; exit 2", "it has ended (exit status: 2)"),
        (
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"bad hidden-word\"}}'; read l",
            "bad [hidden] (-32602)",
        ),
        (
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}'; read l",
            "its response has no content",
        ),
        (
            "read l; echo '{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}'; read l",
            "it responded to an unknown request",
        ),
        ("read l; head -c 5000000 /dev/zero; read l", "it sent a message of more than 4194304 bytes"),
    ];
    for (rest, expected) in cases {
        let tools = open(shell("s", &sound(rest)), LONG).await.unwrap();
        let output = call(tools.as_ref(), "s__look", json!({})).await;
        assert_eq!(
            output,
            failed(&format!("the call of 'look' on the MCP server 's' failed: {expected}")),
            "{rest}"
        );
        tools.close().await;
    }
}

#[tokio::test]
async fn a_silent_call_times_out_and_its_late_answer_is_dropped() {
    let (late, next) = (result(2, "late"), result(3, "next"));
    // The third line is the cancellation.
    let rest = format!("read l; read cancelled; echo '{late}'; read l; echo '{next}'; read l");
    let patience = Patience { call: SHORT.call, ..LONG };
    let tools = open(shell("s", &sound(&rest)), patience).await.unwrap();
    let output = call(tools.as_ref(), "s__look", json!({})).await;
    assert_eq!(
        output.text,
        "the call of 'look' on the MCP server 's' failed: it did not respond within 0 seconds"
    );
    assert_eq!(call(tools.as_ref(), "s__look", json!({})).await.text, "next");
    tools.close().await;
}

#[tokio::test]
async fn a_repeated_answer_counts_once() {
    let (one, two) = (result(2, "one"), result(3, "two"));
    let rest = format!("read l; echo '{one}'; echo '{one}'; read l; echo '{two}'; echo '{two}'; read l");
    let tools = open(shell("s", &sound(&rest)), LONG).await.unwrap();
    assert_eq!(call(tools.as_ref(), "s__look", json!({})).await.text, "one");
    assert_eq!(call(tools.as_ref(), "s__look", json!({})).await.text, "two");
    tools.close().await;
}

#[tokio::test]
async fn a_server_that_breaks_the_protocol_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let cases = [
        ("head -c 5000000 /dev/zero", "it sent a message of more than 4194304 bytes"),
        ("echo '{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}'", "it responded to an unknown request"),
        ("echo $KEY >&2; exit 2", "it has ended (exit status: 2)"),
    ];
    for (fault, words) in cases {
        let rest = format!("echo $$ > {}; read l; {fault}; while true; do read l; done", note.display());
        let tools = open(shell("s", &sound(&rest)), LONG).await.unwrap();
        let first = call(tools.as_ref(), "s__look", json!({})).await;
        assert_eq!(first, failed(&format!("the call of 'look' on the MCP server 's' failed: {words}")));
        let id = std::fs::read_to_string(&note).unwrap();
        assert!(!is_alive(&id), "{fault}");
        let later = call(tools.as_ref(), "s__look", json!({})).await;
        let why = format!("it stopped during an earlier call: {words}");
        assert_eq!(later, failed(&format!("the call of 'look' on the MCP server 's' failed: {why}")));
        tools.close().await;
    }
}

#[tokio::test]
async fn secrets_of_a_server_are_hidden_from_the_model() {
    let long = format!("{}hidden-word", "x".repeat(3_995));
    let schema = json!({"type": "object", "properties": {"hidden-word": {"default": "hidden-word"}}});
    let tool = |name: &str, description: &str| json!({"name": name, "description": description, "inputSchema": schema});
    let tools = [tool("a_hidden-word", "with hidden-word"), tool("b", &long)];
    let page = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}});
    let content = format!("{}hidden-word", "x".repeat(99_995));
    let said = result(2, &content);
    let rest =
        format!("read l; case \"$l\" in *a_hidden-word*) echo '{said}';; esac; while read l; do :; done");
    let script = format!("read l; echo '{GREETING}'; read l; read l; echo '{page}'; {rest}");
    let tools = open(shell("s", &script), LONG).await.unwrap();
    let specs = tools.specs();
    let told = format!("{specs:?}");
    assert!(!told.contains("hidden-w") && told.contains("with [hidden]"), "{told}");
    assert!(specs[1].description.ends_with("x[hidd"), "hidden before it is cut");
    let output = call(tools.as_ref(), &specs[0].name, json!({})).await;
    assert!(output.ok && output.text.contains("x[hidd\n[… cut off"), "{output:?}");
    tools.close().await;
}

#[tokio::test]
async fn a_call_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let rest = format!("read l; echo $$ > {0}; read l; echo \"$l\" >> {0}; read l", note.display());
    let tools = open(shell("s", &sound(&rest)), LONG).await.unwrap();
    let cancel = CancellationToken::new();
    let (arguments, begun) = (json!({}), note.clone());
    let calling = tools.call(crate::ToolCall { name: "s__look", arguments: &arguments, key: "key" }, &cancel);
    let stopping = async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (output, ()) = tokio::join!(calling, stopping);
    assert_eq!(output, failed("the call of 'look' on the MCP server 's' failed: stopped"));
    tools.close().await;
    let note = std::fs::read_to_string(note).unwrap();
    let (id, told) = note.split_once('\n').unwrap();
    assert!(told.contains("notifications/cancelled") && told.contains("\"requestId\":2"), "{told}");
    assert!(!is_alive(id));
}

#[tokio::test]
async fn a_dropped_child_is_killed_with_its_group() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let rest = format!(
        "sleep 1000 & echo $$ $! > {0}.part; mv {0}.part {0}; while true; do read l; done",
        note.display()
    );
    let tools = open(shell("s", &format!("{}{}", "trap '' TERM; ", sound(&rest))), LONG).await.unwrap();
    while !note.exists() {
        tokio::task::yield_now().await;
    }
    drop(tools);
    for id in std::fs::read_to_string(note).unwrap().split_whitespace() {
        gone(id).await;
    }
}

#[tokio::test]
async fn a_failing_server_ends_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let begun = format!("echo $$ > {0}.part; mv {0}.part {0}; while true; do read l; done", note.display());
    let waits = format!("while ! test -e {}; do :; done; exit 1", note.display());
    let both = [shell("good", &sound(&begun)), shell("bad", &waits)];
    let opened = servers(Nowhere, LONG).open(&both, Path::new("."), Box::new(NoTools)).await;
    let error = opened.err().unwrap().to_string();
    assert_eq!(error, "the MCP server 'bad' did not start: it has ended (exit status: 1)");
    gone(&std::fs::read_to_string(note).unwrap()).await;
}
