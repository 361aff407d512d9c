//! One trace from the caller to the model and back.

use std::process::Stdio;

use accord_api::{CreateWorkflowRun, RunStatus, RunView};
use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::collector::{Span, collector, spans};
use crate::mcp::{call_with_meta, remote};
use crate::support::{Accord, Project, agent, ask, contracted, data, model};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn traceparent() -> String {
    format!("00-{TRACE}-{CALLER}-01")
}

/// An MCP server with one tool that returns the request it received.
const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}\n' "$id";;
    *'"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}}\n' "$id";;
    *'"tools/call"'*)
      trace=$(printf '%s' "$line" | sed -n 's/.*"traceparent":"\([^"]*\)".*/\1/p')
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"meta=%s"}]}}\n' "$id" "$trace";;
  esac
done
"#;

/// A command that prints the trace that it sees.
fn program() -> Value {
    let command = r#"printf '{"seen": "%s"}' "$TRACEPARENT""#;
    let schema = json!({"type": "object", "required": ["seen"], "properties": {"seen": {"type": "string"}}});
    json!({
        "name": "program", "type": "procedural", "output_schema": schema,
        "executor": {"type": "process", "command": "sh", "args": ["-c", command]},
    })
}

async fn run_in_trace(accord: &Accord, agent: &str) -> RunView {
    let client = accord.client.in_trace(Some(&traceparent()));
    let run = client.create_run_and_wait(&ask(agent), 60, None).await.unwrap();
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    run
}

fn runner(accord: &Accord, collector: &str) -> Child {
    let mut command = crate::support::accord(accord.path());
    command.args(["runner", "--coordinator", &accord.url]).env("ACCORD_TELEMETRY__OTLP_ENDPOINT", collector);
    command.stdout(Stdio::null()).spawn().unwrap()
}

/// Asks a process to exit and waits until it has sent everything.
async fn end(mut child: Child) {
    let id = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
    assert!(child.wait().await.unwrap().success());
}

/// The only span of this name that is a child of another.
fn child<'a>(spans: &'a [Span], parent: &Span, name: &str) -> &'a Span {
    let mut found = spans.iter().filter(|span| span.parent == parent.id && span.name == name);
    let span = found.next();
    assert!(span.is_some(), "no {name} in {}: {spans:#?}", parent.name);
    assert!(found.next().is_none(), "two of {name}");
    span.unwrap()
}

fn children<'a>(spans: &'a [Span], parent: &Span, name: &str) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.parent == parent.id && span.name == name).collect()
}

#[tokio::test]
async fn one_trace_leads_from_the_caller_to_the_model() {
    let (url, mut posted) = collector().await;
    let looks = Reply::tool("run_command", &json!({"command": "echo variable=$TRACEPARENT"}));
    let asks = Reply::tool("s__look", &json!({}));
    let asks_far = Reply::tool("far__look", &json!({}));
    let answers = [Reply::text("no idea"), Reply::text(r#"{"severity": "high"}"#)];
    let model = model([looks, asks, asks_far].into_iter().chain(answers)).await;
    let (far, _open) = remote().await;
    let mut more = contracted();
    more["tools"] = json!(["run_command"]);
    more["mcp_servers"] = json!({"s": {"command": "sh", "args": ["-c", SERVER]}, "far": {"url": far}});
    let accord = Project::new()
        .agent(&agent("triage", &model, &more))
        .agent(&program())
        .set("ACCORD_TELEMETRY__OTLP_ENDPOINT", &url)
        .coordinator()
        .await;
    let runner = runner(&accord, &url);
    let run = run_in_trace(&accord, "triage").await;
    let seen = data(&run_in_trace(&accord, "program").await).unwrap();
    end(runner).await;
    accord.end().await;

    let spans = spans(&mut posted);
    let ours: Vec<Span> = spans.into_iter().filter(|span| span.trace == TRACE).collect();
    let is_known = |id: &str| id == CALLER || ours.iter().any(|span| span.id == id);
    assert!(ours.iter().all(|span| is_known(&span.parent)), "{ours:#?}");
    let agent = ours.iter().find(|span| span.name == "invoke_agent triage").unwrap();
    let request = ours.iter().find(|span| span.id == agent.parent).unwrap();
    assert_eq!((request.name.as_str(), request.parent.as_str()), ("POST /runs", CALLER));
    assert_eq!(agent.attribute("gen_ai.operation.name"), "invoke_agent");
    assert_eq!(agent.attribute("gen_ai.conversation.id"), run.session_id.to_string());
    child(&ours, agent, "POST /runner/runs/{id}/finish");

    let attempts = children(&ours, agent, "attempt");
    let verdicts: Vec<_> = attempts.iter().map(|attempt| attempt.verdicts()).collect();
    assert_eq!(verdicts, [["no_json"], ["accepted"]]);
    let chats: Vec<&Span> =
        attempts.iter().flat_map(|attempt| children(&ours, attempt, "chat claude-test")).collect();
    let requests = model.requests();
    assert_eq!((chats.len(), requests.len()), (5, 5));
    for (chat, request) in chats.iter().zip(&requests) {
        assert_eq!(request.header("traceparent"), Some(format!("00-{TRACE}-{}-01", chat.id).as_str()));
        assert_eq!(chat.attribute("gen_ai.provider.name"), "anthropic");
        assert_eq!(chat.attribute("gen_ai.request.model"), "claude-test");
        assert!(chat.attribute("gen_ai.usage.input_tokens").parse::<u64>().is_ok(), "{chat:?}");
    }
    let command = child(&ours, attempts[0], "execute_tool run_command");
    let said = requests[1].text();
    assert!(said.contains(&format!("variable=00-{TRACE}-{}-01", command.id)), "{said}");
    let tool = child(&ours, attempts[0], "execute_tool s__look");
    assert_eq!(tool.attribute("gen_ai.tool.name"), "s__look");
    let said = requests[2].text();
    assert!(said.contains(&format!("meta=00-{TRACE}-{}-01", tool.id)), "{said}");
    let tool = child(&ours, attempts[0], "execute_tool far__look");
    let (said, trace) = (requests[3].text(), format!("00-{TRACE}-{}-01", tool.id));
    assert!(said.contains(&format!("header={trace} meta={trace}")), "{said}");
    let offered = requests[0].body["tools"].to_string();
    assert!(offered.contains(&format!("listed with 00-{TRACE}-")), "{offered}");

    let program = ours.iter().find(|span| span.name == "invoke_agent program").unwrap();
    let attempt = child(&ours, program, "attempt");
    assert_eq!(seen, json!({"seen": format!("00-{TRACE}-{}-01", attempt.id)}));
}

#[tokio::test]
async fn without_a_collector_the_callers_trace_reaches_the_model() {
    let model = ModelServer::start(Script::handler(|_, _| Reply::text("done"))).await.unwrap();
    let accord = Project::new().agent(&agent("free", &model, &json!({}))).agent(&program()).up().await;
    let expected = traceparent();
    let received = || model.requests().last().unwrap().header("traceparent").map(str::to_owned);
    run_in_trace(&accord, "free").await;
    assert_eq!(received().as_ref(), Some(&expected), "over HTTP");
    let seen = data(&run_in_trace(&accord, "program").await).unwrap();
    assert_eq!(seen, json!({"seen": expected}), "a program");
    for wrong in [None, Some("00-1-2-01")] {
        let client = accord.client.in_trace(wrong);
        client.create_run_and_wait(&ask("free"), 60, None).await.unwrap();
        assert_eq!(received(), None, "{wrong:?}");
    }

    let arguments = json!({"agent_name": "free", "prompt": "Go", "mode": "sync"});
    let meta = json!({"traceparent": expected});
    let result = call_with_meta(&accord.url, "start_agent_session", arguments, meta).await;
    assert_ne!(result["isError"], json!(true), "{result}");
    assert_eq!(received().as_ref(), Some(&expected), "over MCP");

    let node = json!({"type": "agent", "agent": "free", "prompt": "Go"});
    let output = json!({"type": "output", "value": "{{ a }}"});
    let edges = json!([{"from": "a", "to": "output"}]);
    let flow = json!({"name": "flow", "nodes": {"a": node, "output": output}, "edges": edges});
    accord.client.create_workflow(&flow).await.unwrap();
    let client = accord.client.in_trace(Some(&expected));
    accord.run(&ask("free")).await;
    assert_eq!(received(), None);
    client.run_workflow_and_wait("flow", &CreateWorkflowRun::default(), 60).await.unwrap();
    assert_eq!(received().as_ref(), Some(&expected), "in a workflow");

    accord.run(&ask("free")).await;
    assert_eq!(received(), None);
    let mut command = crate::support::accord(accord.path());
    let command = command.args(["run", "free", "Go"]).env("TRACEPARENT", &expected);
    assert!(command.output().await.unwrap().status.success());
    assert_eq!(received().as_ref(), Some(&expected), "from the command line");
    accord.end().await;
}
