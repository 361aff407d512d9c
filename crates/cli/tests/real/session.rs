//! The executors of agent CLIs by themselves: a session, its turns, and an MCP server that records
//! calls.

use accord_executor::{
    Answer, Delivery, Events, McpServer, Reach, Session, Start, SubmitServer, Turn, TurnError,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::Bench;

/// A small MCP server on stdio: one tool, whose calls are written to a file.
const SERVER: &str = r#"
import json, os, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, answer = message["method"], {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        answer["result"] = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "desk", "version": "1"}}
    elif method == "tools/list":
        tool = options.get("--tool", "submit_result")
        answer["result"] = {"tools": [{"name": tool, "description": "x", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        with open(options["--out"], "a") as file:
            file.write(json.dumps(message["params"]["arguments"]) + os.environ.get("DESK_TOKEN", "") + "\n")
        answer["result"] = {"content": [{"type": "text", "text": "noted"}]}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
"#;

/// The server, in place of Accord's own.
pub(crate) fn server(bench: &Bench) -> SubmitServer {
    let file = bench.file("server.py");
    std::fs::write(&file, SERVER).unwrap();
    SubmitServer { program: "python3".into(), args: vec![file] }
}

/// The same as an MCP server of the run, with a tool `lookup` whose calls are written to this file.
pub(crate) fn desk(bench: &Bench, out: &str) -> McpServer {
    let own = server(bench).args.into_iter();
    let args = own.chain(["--tool", "lookup", "--out", out].map(str::to_owned));
    program("my.desk", "python3", args.collect())
}

pub(crate) fn program(name: &str, command: &str, args: Vec<String>) -> McpServer {
    let env = [("DESK_TOKEN".to_owned(), "t0ps3cret".to_owned())].into();
    McpServer { name: name.to_owned(), reach: Reach::Program { command: command.to_owned(), args, env } }
}

pub(crate) fn start(bench: &Bench, settings: Value, servers: Vec<McpServer>) -> Start {
    Start {
        session_id: "ses_1".to_owned(),
        run_id: "run_1".to_owned(),
        settings,
        project_dir: bench.path().to_owned(),
        tools: Vec::new(),
        mcp_servers: servers,
        parameters: json!({}),
        conversation: None,
        opening: Vec::new(),
        max_steps: 10,
        retry: accord_executor::Retry::default(),
        costs_are_limited: false,
        tool_entries: accord_executor::ToolEntries::default(),
        caller_tools: accord_executor::CallerTools::default(),
        journal: std::sync::Arc::new(accord_executor::Journal::none()),
        files: accord_executor::Files::default(),
    }
}

pub(crate) async fn turn(session: &mut Box<dyn Session>, delivery: Delivery) -> Result<Answer, TurnError> {
    turn_with(session, delivery, &Events::none()).await
}

pub(crate) async fn turn_with(
    session: &mut Box<dyn Session>,
    delivery: Delivery,
    events: &Events,
) -> Result<Answer, TurnError> {
    let turn = Turn {
        system_prompt: "You sort tickets.".to_owned(),
        prompt: "Nobody can log in".to_owned(),
        delivery,
        ..Turn::default()
    };
    session.turn(turn, events, &CancellationToken::new()).await.map_err(|failure| failure.error)
}

/// The answer in the CLI's structured output.
pub(crate) fn native(schema: Value) -> Delivery {
    Delivery::Native { name: "result".to_owned(), schema }
}

/// The answer through the submit tool.
pub(crate) fn by_tool(schema: Value) -> Delivery {
    Delivery::Tool {
        name: "submit_result".to_owned(),
        description: "Takes the result.".to_owned(),
        schema,
        strict: false,
        force: false,
    }
}
