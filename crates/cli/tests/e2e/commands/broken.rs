//! Broken projects: a clear error, never a panic, and the report of `doctor`.

use accord_test_support::PostgresCluster;
use serde_json::{Value, json};

use super::{always, contracted, finish, run};
use crate::support::{Project, accord, agent};

#[tokio::test]
async fn an_unusable_store_is_reported() {
    let model = always("x").await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let folder = project.path();
    std::fs::create_dir(folder.join("folder.db")).unwrap();
    std::fs::write(folder.join("other.db"), "not a database, and longer than a header of one").unwrap();
    std::fs::write(folder.join("file"), "").unwrap();
    // /proc accepts no files, even from root, so it stands for a read-only folder.
    for (url, said) in [
        ("sqlite://folder.db", "folder.db"),
        ("sqlite://other.db", "other.db"),
        ("sqlite://file/accord.db", "file"),
        ("sqlite:///proc/accord.db", "/proc/accord.db"),
        ("mysql://x", "postgres://user@host/database"),
    ] {
        std::fs::write(folder.join("accord.toml"), format!("[database]\nurl = \"{url}\"\n")).unwrap();
        for arguments in [&["run", "triage", "x"][..], &["up", "--listen", "127.0.0.1:0"], &["keys", "list"]]
        {
            let ran = run(folder, arguments).await;
            assert!(matches!(ran.code, Some(1 | 3)), "{url} {arguments:?}: {ran:?}");
            assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(said), "{url}: {ran:?}");
            assert!(!ran.stderr.contains("panicked") && ran.stdout.is_empty(), "{url}: {ran:?}");
        }
        let report = run(folder, &["doctor", "--json"]).await.ends(1, &[]).json();
        assert_eq!(check(&report, "store")["status"], json!("fail"), "{url}");
    }
}

fn check(report: &Value, name: &str) -> Value {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == *name);
    found.cloned().unwrap_or_default()
}

#[tokio::test]
async fn the_doctor_tells_good_from_broken() {
    let model = always("x").await;
    let project = Project::new().agent(&agent("triage", &model, &contracted()));
    let report = run(project.path(), &["doctor", "--json"]).await.ends(0, &[]).json();
    assert_eq!(report["ok"], json!(true));
    assert_eq!(check(&report, "coordinator")["status"], json!("warn"));
    assert!(check(&report, "store")["message"].as_str().unwrap().ends_with("will be created on first start"));
    assert!(!project.path().join(".accord/accord.db").exists());

    let host = project.file("wrong", "{").up().await;
    let report = run(host.path(), &["doctor", "--json"]).await.ends(1, &[]).json();
    let coordinator = check(&report, "coordinator");
    assert!(coordinator["message"].as_str().unwrap().contains(&host.url), "{coordinator}");
    assert_eq!(check(&report, "runners")["message"], json!("1 alive"));
    assert!(check(&report, "store")["message"].as_str().unwrap().ends_with("accord.db is usable"));
    let said = run(host.path(), &["doctor"]).await.ends(1, &[]).stdout;
    assert!(said.contains("fail  agents: wrong") && said.contains("accord agents validate wrong"), "{said}");

    let elsewhere = tempfile::tempdir().unwrap();
    let gone = ["doctor", "--coordinator", "http://127.0.0.1:9"];
    let said = run(elsewhere.path(), &gone).await.ends(1, &[]).stdout;
    assert!(said.contains("fail  coordinator") && said.contains("--coordinator"), "{said}");
    std::fs::write(elsewhere.path().join("accord.toml"), "[sever]\nx = 1\n").unwrap();
    run(elsewhere.path(), &["doctor"]).await.ends(1, &["sever"]);
}

#[tokio::test]
async fn the_doctor_checks_the_agents_in_the_store() {
    let model = always("x").await;
    let flow = "name: flow\nnodes: { input: { type: input }, a: { type: agent, agent: stored }, output: { type: output } }\n\
                edges: [{ from: input, to: a }, { from: a, to: output }]\n";
    let project = Project::new();
    std::fs::create_dir_all(project.path().join(".accord/workflows")).unwrap();
    std::fs::write(project.path().join(".accord/workflows/flow.yaml"), flow).unwrap();
    let elsewhere = Project::new().agent(&agent("stored", &model, &contracted()));
    let from = elsewhere.path().display().to_string();
    run(project.path(), &["agents", "push", &from]).await.ends(0, &[]);

    // Without a coordinator, the report names the checks that were skipped.
    let said = run(project.path(), &["doctor"]).await.ends(1, &[]).stdout;
    assert!(
        said.contains("agent 'stored' does not exist") && said.contains("agents in the database"),
        "{said}"
    );
    let host = project.up().await;
    let report = run(host.path(), &["doctor", "--json"]).await.ends(0, &[]).json();
    assert_eq!(check(&report, "workflows")["message"], json!("1 workflow valid"));
    assert_eq!(check(&report, "agents")["message"], json!("1 agent valid"));
}

#[tokio::test]
async fn the_doctor_logs_in_to_postgres() {
    let cluster = PostgresCluster::start().unwrap();
    let fresh = cluster.fresh_database().unwrap();
    let project = Project::new();
    let store = async |url: &str| {
        let mut command = accord(project.path());
        command.args(["doctor", "--json"]).env("ACCORD_DATABASE__URL", url);
        check(&finish(&mut command, "").await.json(), "store")["status"].clone()
    };
    assert_eq!(store(&fresh).await, json!("ok"), "no tables yet");
    let mut keys = accord(project.path());
    finish(keys.args(["keys", "list", "--database", &fresh]), "").await.ends(0, &["No keys found."]);
    assert_eq!(store(&fresh).await, json!("ok"), "with its tables");
    assert_eq!(store(&cluster.url("nobody_made_this")).await, json!("fail"));
}

#[tokio::test]
async fn failures_are_json_with_the_json_flag() {
    let project = Project::new().file("broken", r#"{"name": "broken", "executor": {"type": "llm"}}"#);
    let ran = run(project.path(), &["run", "nobody", "x", "--json"]).await.ends(1, &["'nobody'"]);
    assert!(ran.text("/error/message").contains("'nobody'"), "{ran:?}");
    let elsewhere = ["runs", "list", "--json", "--coordinator", "http://127.0.0.1:1"];
    let ran = run(project.path(), &elsewhere).await.ends(3, &[]);
    assert!(ran.text("/error/message").contains("cannot reach the coordinator"), "{ran:?}");
    let ran = run(project.path(), &["run", "broken", "x"]).await.ends(1, &["agent.json", "model"]);
    assert_eq!(ran.stdout, "");
}
