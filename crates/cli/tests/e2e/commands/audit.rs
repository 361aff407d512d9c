//! `accord audit`: the audit log, with and without a coordinator.

use serde_json::{Value, json};

use super::{always, run};
use crate::mcp::call;
use crate::support::{Project, agent};

/// The entries as `action kind`, oldest first, and the entries themselves.
fn told(audit: &Value) -> (Vec<String>, Vec<Value>) {
    let mut items = audit["items"].as_array().unwrap_or(&Vec::new()).clone();
    items.reverse();
    let told = items.iter().map(|entry| format!("{} {}", entry["action"], entry["actor"]["kind"]));
    (told.map(|line| line.replace('"', "")).collect(), items)
}

#[tokio::test]
async fn changes_of_http_mcp_and_commands_are_recorded() {
    let model = always("done").await;
    let project = Project::new().agent(&agent("free", &model, &json!({})));
    let log = tempfile::NamedTempFile::new().unwrap();
    let made = ["keys", "create", "--role", "admin", "--name", "ops", "--expires", "3d", "--json"];
    let made = run(project.path(), &made).await.ends(0, &["until"]).json();
    let (admin, admin_id) = (made["key"].as_str().unwrap(), made["key_id"].as_str().unwrap());
    assert!(made["expires_at"].is_string(), "{made}");

    let host = project.set("ACCORD_LOG__FILTER", "info").log_to(log.path()).up().await;
    let folder = host.path();
    let (with, key) = ("--key", admin);
    run(folder, &["run", "free", "x", with, key]).await.ends(0, &[]);
    let runs = run(folder, &["runs", "list", "--json", with, key]).await.ends(0, &[]).json();
    let run_view = &runs["items"][0];
    assert_eq!(run_view["requested_by"], json!({"key_id": admin_id, "key_name": "ops"}), "{runs}");
    let (run_id, session_id) =
        (run_view["run_id"].as_str().unwrap(), run_view["session_id"].as_str().unwrap());
    let shown = run(folder, &["runs", "show", run_id, with, key]).await.ends(0, &[]).stdout;
    assert!(shown.contains(&format!("ops ({admin_id})")), "{shown}");
    run(folder, &["runs", "stop", run_id, with, key]).await.ends(0, &[]);
    let stopped = call(&host.url, Some(admin), "stop_agent_session", json!({"session_id": session_id})).await;
    assert_ne!(stopped["isError"], true, "{stopped}");
    run(folder, &["sessions", "rm", session_id, with, key]).await.ends(0, &[]);

    let doctor = run(folder, &["doctor", with, key]).await.stdout;
    assert!(doctor.contains(&format!("warn  keys: {admin_id} (admin, ops) expires at")), "{doctor}");
    let keys = run(folder, &["keys", "list", with, key]).await.ends(0, &[]).stdout;
    assert!(keys.contains("LAST USED") && !keys.contains("never"), "{keys}");

    let audit = run(folder, &["audit", "--json", with, key]).await.ends(0, &[]).json();
    let (lines, entries) = told(&audit);
    let expected =
        ["key.created command_line", "run.stopped key", "session.stopped key", "session.deleted key"];
    assert_eq!(lines, expected);
    assert_eq!((&entries[1]["address"], entries[1].get("forwarded_for")), (&json!("127.0.0.1"), None));
    assert_eq!(entries[2]["forwarded_for"], "127.0.0.1", "the tool's call is made for who called it");
    let found = run(folder, &["audit", "--actor", "ops", "--action", "session", with, key]).await;
    let found = found.ends(0, &[]).stdout;
    assert!(found.contains("session.deleted") && !found.contains("run.stopped"), "{found}");
    let folder = host.leave().await;
    let logged = std::fs::read_to_string(log.path()).unwrap();
    assert!(logged.contains("session.deleted") && logged.contains(session_id), "{logged}");

    let none = run(folder.path(), &["audit", "--action", "schema"]).await;
    none.ends(0, &["No changes match these filters."]);
    run(folder.path(), &["keys", "rm", admin_id]).await.ends(0, &[]);
    let audit = run(folder.path(), &["audit", "--limit", "1", "--json"]).await.ends(0, &[]).json();
    assert_eq!(told(&audit).0, ["key.deleted command_line"]);
}
