//! Ids shortened to a prefix.

use accord_test_support::Reply;
use serde_json::json;

use super::run;
use crate::support::{Project, agent, model};

/// The shortest prefix that the other id does not share.
fn beginning<'a>(id: &'a str, other: &str) -> &'a str {
    let same = id.bytes().zip(other.bytes()).take_while(|(one, two)| one == two).count();
    &id[..=same]
}

#[tokio::test]
async fn a_unique_prefix_is_enough() {
    let model = model(["Paris", "Lyon", "Nice"].map(Reply::text)).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let folder = host.path();
    let first = run(folder, &["run", "free", "A city?", "--json"]).await.ends(0, &[]);
    let second = run(folder, &["run", "free", "Another?", "--json"]).await.ends(0, &[]);
    let (id, other) = (first.text("/run_id"), second.text("/run_id"));
    let part = beginning(&id, &other);
    assert!(part.len() < id.len(), "{part}");
    assert_eq!(run(folder, &["runs", "show", part, "--json"]).await.ends(0, &[]).text("/run_id"), id);
    run(folder, &["runs", "attempts", part]).await.ends(0, &[]);
    let watched = run(folder, &["runs", "watch", part]).await.ends(0, &[]).stdout;
    assert!(watched.contains(&id), "{watched}");
    let stopped = run(folder, &["runs", "stop", part]).await.ends(0, &[]).stdout;
    assert!(stopped.starts_with(&id), "{stopped}");
    run(folder, &["runs", "show", "run_0"])
        .await
        .ends(1, &["'run_0' is ambiguous: 2 ids start with it", &id, &other]);
    run(folder, &["runs", "show", "run_x"]).await.ends(1, &["run_x", "accord runs list"]);

    let (session, other) = (first.text("/session_id"), second.text("/session_id"));
    let part = beginning(&session, &other);
    let shown = run(folder, &["sessions", "show", part]).await.ends(0, &[]).stdout;
    assert!(shown.starts_with(&session) && shown.contains(&id), "{shown}");
    assert_eq!(run(folder, &["sessions", "result", part]).await.ends(0, &[]).stdout, "Paris\n");
    assert_eq!(run(folder, &["sessions", "resume", part, "More?"]).await.ends(0, &[]).stdout, "Nice\n");
    run(folder, &["sessions", "stop", part]).await.ends(0, &[]);
    let list = run(folder, &["runs", "list", "--session", part, "--json"]).await.ends(0, &[]).json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2), "{list}");
    let none = run(folder, &["sessions", "list", "--parent", part, "--json"]).await.ends(0, &[]).json();
    assert_eq!(none["items"], json!([]));
}
