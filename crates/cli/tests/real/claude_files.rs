//! Claude Code cannot touch the files that Accord keeps in the project folder.

use accord_test_support::Reply;
use serde_json::{Value, json};

use crate::claude::{STRUCTURED, bench, claude, executor};
use crate::support::severity;

const SECRET: &str = "accord_secret_in_settings";

#[tokio::test]
async fn claude_leaves_accords_own_files_alone() {
    let Some(program) = claude() else { return };
    let write = |file: &str| ("Write", json!({"file_path": file, "content": "written"}));
    let calls = [
        write(".accord/agents/evil/agent.yaml"),
        write("sub/.git/hooks/pre-commit"),
        write("accord.toml"),
        write("conf/new.txt"),
        ("Read", json!({"file_path": "accord.toml"})),
        ("Read", json!({"file_path": ".accord/accord.db"})),
        ("Grep", json!({"pattern": SECRET, "output_mode": "content"})),
        ("Read", json!({"file_path": "conf/new.txt"})),
    ];
    let count = calls.len();
    let replies = calls.into_iter().map(|(tool, arguments)| Reply::tool(tool, &arguments));
    let bench = bench(
        &program,
        replies.chain([Reply::tool(STRUCTURED, &json!({"severity": "high"}))]).collect::<Vec<_>>(),
    )
    .await;
    let settings = format!("[runner]\nkey = \"{SECRET}\"\n");
    std::fs::write(bench.path().join("accord.toml"), &settings).unwrap();
    let tools = ["read_file", "list_files", "search_files", "write_file"];
    bench.agent(&executor(&bench), &json!({"output_schema": severity(), "tools": tools}));
    let host = bench.up().await;
    let ran = host.ask().await;
    assert_eq!((ran.code, &ran.report["result_data"]), (Some(0), &json!({"severity": "high"})), "{ran:?}");
    let last = bench.requests().last().unwrap().body.clone();
    let results: Vec<String> = results(&last).iter().map(|result| result["content"].to_string()).collect();
    assert_eq!(results.len(), count, "{results:?}");
    assert!(results.iter().all(|result| !result.contains(SECRET)), "{results:?}");
    assert!(results[7].contains("written"), "{results:?}");
    for file in [".accord/agents/evil", "sub/.git/hooks/pre-commit"] {
        assert!(!bench.path().join(file).exists(), "{file}: {results:?}");
    }
    assert_eq!(std::fs::read_to_string(bench.path().join("accord.toml")).unwrap(), settings);
    host.end().await;
}

/// Tool results, as sent to the model.
fn results(body: &Value) -> Vec<&Value> {
    let messages = body["messages"].as_array().unwrap().iter();
    let content = messages.filter_map(|message| message["content"].as_array()).flatten();
    content.filter(|part| part["type"] == "tool_result").collect()
}
