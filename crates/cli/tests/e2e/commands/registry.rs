//! `accord schemas`: the registry.

use serde_json::json;

use super::{always, finish, run};
use crate::support::{Project, accord, agent, severity};

#[tokio::test]
async fn a_schema_in_use_cannot_be_removed() {
    let model = always(r#"{"severity": "high"}"#).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let folder = host.path();
    std::fs::write(folder.join("severity.json"), severity().to_string()).unwrap();
    std::fs::write(folder.join("wrong.json"), r#"{"type": "objekt"}"#).unwrap();

    let empty = run(folder, &["schemas", "list"]).await.ends(0, &["No schemas found."]);
    assert_eq!(empty.stdout, "");
    let add = ["schemas", "add", "severity", "severity.json", "--description", "How bad", "--json"];
    let added = run(folder, &add).await.ends(0, &[]).json();
    assert_eq!((&added["name"], &added["description"]), (&json!("severity"), &json!("How bad")));
    assert_eq!(
        run(folder, &add).await.ends(0, &[]).json()["hash"],
        added["hash"],
        "the same again is no error"
    );
    let again = run(folder, &["schemas", "add", "severity", "severity.json", "--json"]).await.ends(0, &[]);
    assert_eq!(again.text("/description"), "How bad", "what is not given stays");
    let mut other = accord(folder);
    let other = finish(other.args(["schemas", "add", "severity", "-"]), r#"{"type": "object"}"#).await;
    other.ends(1, &["severity"]);
    run(folder, &["schemas", "add", "bad", "wrong.json"]).await.ends(1, &["wrong.json:1:", "objekt"]);

    let list = run(folder, &["schemas", "list"]).await.ends(0, &[]).stdout;
    assert!(
        list.lines().count() == 2 && list.contains("severity  sha256:") && list.contains("How bad"),
        "{list}"
    );
    let shown = run(folder, &["schemas", "show", "severity"]).await.ends(0, &[]).json();
    assert_eq!(shown, severity());

    // An agent that refers to the schema prevents its removal.
    let by_name = agent("held", &model, &json!({"output_schema": "severity"}));
    let made = host.client.create_agent(&by_name).await;
    if made.is_ok() {
        run(folder, &["schemas", "rm", "severity"]).await.ends(1, &["held"]);
        let ran = run(folder, &["run", "held", "x"]).await.ends(0, &[]);
        assert_eq!(ran.stdout, "{\"severity\":\"high\"}\n");
        host.client.delete_agent("held").await.unwrap();
    }
    assert!(made.is_ok(), "{made:?}");
    run(folder, &["schemas", "rm", "severity"]).await.ends(0, &["removed severity"]);
    run(folder, &["schemas", "rm", "severity"]).await.ends(1, &["severity", "accord schemas list"]);
    run(folder, &["run", "free", "x", "--schema-name", "severity"]).await.ends(1, &["severity"]);
}
