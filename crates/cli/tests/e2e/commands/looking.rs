//! Commands that show runs, attempts, agents and statistics.

use accord_test_support::Reply;
use serde_json::{Value, json};

use super::{contracted, run};
use crate::support::{Project, agent, model};

/// Controls a terminal, reverses the text direction, and contains a NUL.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J{\"severity\": \"\u{202e}hgih\u{0}\u{9b}31m\"}";

#[tokio::test]
async fn runs_and_attempts_are_shown_completely_and_escaped() {
    let model =
        model([Reply::text(HOSTILE), Reply::text(r#"{"severity": "high"}"#), Reply::text("words")]).await;
    let host = Project::new()
        .agent(&agent("triage", &model, &contracted()))
        .agent(&agent("free", &model, &json!({})))
        .up()
        .await;
    let folder = host.path();
    let ran = run(folder, &["run", "triage", "Nobody can log in", "--json"]).await.ends(0, &[]);
    let (id, session) = (ran.text("/run_id"), ran.text("/session_id"));
    let plain = run(folder, &["run", "free", "x", "--json"]).await.ends(0, &[]).text("/run_id");

    let list = run(folder, &["runs", "list"]).await.ends(0, &[]).stdout;
    let rows: Vec<&str> = list.lines().collect();
    assert!(rows.len() == 3 && rows[0].starts_with("RUN ") && rows[1].starts_with(&plain), "{list}");
    assert!(rows[2].contains(&id) && rows[2].contains("triage  completed"), "{list}");
    assert!(rows[2].ends_with("Nobody can log in"), "{list}");
    let of_agent = ["runs", "list", "--agent", "triage", "--status", "completed", "--since", "1h", "--json"];
    let list = run(folder, &of_agent).await.json();
    let ids = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["run_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&list), std::slice::from_ref(&id));
    let search = ["runs", "list", "--search", "LOG nobody", "--until", "2100-01-01", "--json"];
    let found = run(folder, &search).await.json();
    assert_eq!((ids(&found), &found["total"]), (vec![id.clone()], &json!(1)));
    let sessions =
        run(folder, &["sessions", "list", "--search", "log", "--since", "1h"]).await.ends(0, &[]).stdout;
    assert!(sessions.lines().count() == 2 && sessions.contains(&session), "{sessions}");
    run(folder, &["sessions", "list", "--until", "1h"]).await.ends(0, &["No sessions match these filters."]);
    run(folder, &["workflow", "runs", "--search", "log"])
        .await
        .ends(0, &["No workflow runs match these filters."]);
    let shown = run(folder, &["runs", "list", "--limit", "1"])
        .await
        .ends(0, &["Showing 1 of 2: use --limit N or --all."]);
    assert_eq!(shown.stdout.lines().count(), 2);
    let page = run(folder, &["runs", "list", "--limit", "1", "--json"]).await.json();
    assert_eq!((ids(&page), page["next_cursor"].is_string()), (vec![plain], true));
    let none =
        run(folder, &["runs", "list", "--status", "failed"]).await.ends(0, &["No runs match these filters."]);
    assert_eq!(none.stdout, "");

    let shown = run(folder, &["runs", "show", &id]).await.ends(0, &[]).stdout;
    for words in
        [&*id, &*session, "contract", "blueprint sha256:", "conforms after 1 retry", "\"severity\": \"high\""]
    {
        assert!(shown.contains(words), "no '{words}' in {shown}");
    }
    let json = run(folder, &["runs", "show", &id, "--json"]).await.json();
    assert_eq!((&json["run_id"], &json["result"]["result_data"]), (&json!(id), &json!({"severity": "high"})));

    let attempts = run(folder, &["runs", "attempts", &id, "--text"]).await.ends(0, &[]).stdout;
    assert!(!attempts.contains(['\u{1b}', '\u{7}', '\0', '\u{202e}', '\u{9b}']), "{attempts:?}");
    for words in ["\\u{1b}[2J", "\\u{202e}", "\\u{0}", "answer:", "prompt:", "attempt 2: accepted"] {
        assert!(attempts.contains(words), "no '{words}' in {attempts}");
    }
    let json = run(folder, &["runs", "attempts", &id, "--json"]).await.json();
    assert_eq!(
        (&json["items"][0]["text"], &json["items"][1]["outcome"]),
        (&json!(HOSTILE), &json!("accepted"))
    );
    let brief = run(folder, &["runs", "attempts", &id]).await.ends(0, &[]).stdout;
    assert!(!brief.contains("answer:") && brief.contains("attempt 1: parse_error"), "{brief}");

    let watched = run(folder, &["runs", "watch", &id]).await.ends(0, &[]).stdout;
    assert!(!watched.contains(['\u{1b}', '\u{202e}']), "{watched:?}");
    assert!(watched.contains("queued for triage") && watched.contains("completed after"), "{watched}");
    let lines = run(folder, &["runs", "watch", &id, "--json"]).await.ends(0, &[]).stdout;
    let kinds: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&json!("run.queued")), Some(&json!("run.completed"))));

    run(folder, &["runs", "show", "run_none"]).await.ends(1, &["run_none", "accord runs list"]);
    run(folder, &["runs", "watch", "run_none"]).await.ends(1, &["run_none"]);
}

#[tokio::test]
async fn stats_count_runs_and_attempts() {
    let bad = r#"{"severity": "critical"}"#;
    let model = model([bad, bad, bad, r#"{"severity": "low"}"#].map(Reply::text)).await;
    let host = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let folder = host.path();
    run(folder, &["stats"]).await.ends(0, &["No finished runs found."]);
    run(folder, &["run", "triage", "x"]).await.ends(2, &["got \"critical\""]);
    run(folder, &["run", "triage", "x"]).await.ends(0, &[]);
    let stats = run(folder, &["stats"])
        .await
        .ends(0, &["2 runs finished: 1 completed, 1 failed the contract"])
        .stdout;
    for words in ["all  2     50%", "triage", "claude-test", "prompt", "$.severity", "enum"] {
        assert!(stats.contains(words), "no '{words}' in {stats}");
    }
    let stats = run(folder, &["stats", "--since", "1h", "--agent", "triage", "--json"]).await.json();
    assert_eq!([&stats["all"]["runs"], &stats["all"]["completed"]], [&json!(2), &json!(1)]);
    assert_eq!(stats["errors"][0], json!({"path": "$.severity", "keyword": "enum", "count": 3}));
    let other = run(folder, &["stats", "--agent", "nobody", "--json"]).await.json();
    assert_eq!(other["all"]["runs"], json!(0));
}

#[tokio::test]
async fn agents_are_listed_shown_and_pushed() {
    let model = model([]).await;
    let host = Project::new()
        .agent(&agent("triage", &model, &contracted()))
        .file("broken", r#"{"name": "broken", "typ": "autonomous"}"#)
        .up()
        .await;
    let folder = host.path();
    let list = run(folder, &["agents", "list"]).await.ends(0, &[]).stdout;
    let verdict =
        |name: &str| list.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(verdict("triage").contains("ok") && verdict("broken").contains("error"), "{list}");
    assert!(list.contains("agent.json:") && list.contains("typ"), "{list}");
    let shown = run(folder, &["agents", "show", "triage", "--json"]).await.ends(0, &[]).json();
    assert_eq!((&shown["summary"]["name"], &shown["summary"]["source"]), (&json!("triage"), &json!("file")));
    let contract = run(folder, &["agents", "show", "triage", "--contract"]).await.ends(0, &[]).stdout;
    assert!(contract.contains("fixed by the agent") && contract.contains("anthropic"), "{contract}");
    run(folder, &["agents", "show", "nobody"]).await.ends(1, &["nobody", "accord agents list"]);

    let more = Project::new().agent(&agent("pushed", &model, &contracted()));
    let from = more.path().display().to_string();
    let push = ["agents", "push", from.as_str(), "--json"];
    let changes = async || run(folder, &push).await.ends(0, &[]).json()["agents"][0]["change"].clone();
    assert_eq!((changes().await, changes().await), (json!("created"), json!("unchanged")));
    let more = more.agent(&agent("pushed", &model, &json!({"description": "new"})));
    assert_eq!(changes().await, json!("updated"));
    let shown = run(folder, &["agents", "show", "pushed", "--json"]).await.json();
    assert_eq!(
        (&shown["summary"]["source"], &shown["summary"]["description"]),
        (&json!("store"), &json!("new"))
    );
    let more = more.file("wrong", "{");
    run(folder, &["agents", "push", &from]).await.ends(1, &["1 of 2 agents", "nothing was sent"]);
    drop(more);
    run(folder, &["agents", "push", "nowhere"]).await.ends(1, &["no agents found in nowhere"]);
    run(folder, &["agents", "push", ".accord/agents/triage"])
        .await
        .ends(1, &["is the folder of a single agent", "pass its parent folder"]);

    run(folder, &["agents", "rm", "pushed"]).await.ends(0, &["removed pushed"]);
    run(folder, &["agents", "rm", "pushed"]).await.ends(1, &["pushed", "accord agents list"]);
    run(folder, &["agents", "rm", "triage"])
        .await
        .ends(1, &["is defined in", "agent.json", "delete the file"]);
    assert!(folder.join(".accord/agents/triage/agent.json").exists());
}

#[tokio::test]
async fn a_push_that_stores_nothing_fails() {
    let model = model([]).await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let push = ["agents", "push", ".", "--json"];
    let expected =
        |pushed: &Value| (pushed["agents"][0]["change"].clone(), pushed["agents"][0]["source"].clone());
    // Without a coordinator that has the same files, the files do not conflict.
    let pushed = run(project.path(), &push).await.ends(0, &[]).json();
    assert_eq!(expected(&pushed), (json!("created"), json!("store")));
    let pushed = run(project.path(), &push).await.ends(0, &[]).json();
    assert_eq!(expected(&pushed), (json!("unchanged"), json!("store")));

    let host = project.up().await;
    let ran = run(host.path(), &push).await;
    let ran = ran.ends(1, &["triage was not saved", "push again", "--coordinator URL"]);
    assert_eq!(expected(&ran.json()), (json!("unchanged"), json!("file")));
    let elsewhere = Project::new().up().await;
    let ran = run(host.path(), &[&push[..], &["--coordinator", &elsewhere.url]].concat()).await;
    assert_eq!(expected(&ran.ends(0, &[]).json()), (json!("created"), json!("store")));
}

#[tokio::test]
async fn runners_are_listed() {
    let host = Project::new().up().await;
    // The coordinator answers before its runner has registered.
    let list = loop {
        let list = run(host.path(), &["runners", "list", "--json"]).await.ends(0, &[]).json();
        if list["items"] != json!([]) {
            break list;
        }
    };
    assert_eq!(list["items"][0]["alive"], json!(true), "{list}");
    let shown = run(host.path(), &["runners", "list"]).await.ends(0, &[]).stdout;
    let id = list["items"][0]["runner_id"].as_str().unwrap();
    assert!(shown.lines().count() == 2 && shown.contains(id) && shown.contains("alive"), "{shown}");
    let none = run(Project::new().path(), &["runners", "list"]).await;
    assert_eq!(none.ends(0, &["No runners found."]).stdout, "");
}
