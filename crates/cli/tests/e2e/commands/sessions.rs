//! `accord sessions`: resumed conversations.

use accord_test_support::Reply;
use serde_json::{Value, json};

use super::{contracted, finish, run};
use crate::support::{Project, accord, agent, model};

#[tokio::test]
async fn a_session_is_resumed() {
    let model = model(["Paris", "Lyon", "Nice", "Lille"].map(Reply::text)).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let folder = host.path();
    let first = run(folder, &["run", "free", "A city?", "--json"]).await.ends(0, &[]);
    let session = first.text("/session_id");

    let ran = run(folder, &["sessions", "resume", &session, "Another?"]).await.ends(0, &[]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("Lyon\n", ""));
    let requests = model.requests();
    let said: Vec<&str> = ["A city?", "Paris", "Another?"].into();
    let heard = requests[1].text();
    assert!(said.iter().all(|words| heard.contains(words)), "the whole conversation: {heard}");
    assert_eq!(requests[1].body["messages"].as_array().unwrap().len(), 3);

    let mut command = accord(folder);
    let ran =
        finish(command.args(["sessions", "resume", &session, "-", "--json"]), "One more?").await.ends(0, &[]);
    assert_eq!((ran.text("/session_id"), ran.text("/result/result_text")), (session.clone(), "Nice".into()));
    let ran = run(folder, &["sessions", "resume", &session, "--no-wait", "Last?"]).await.ends(0, &[]);
    let last = ran.stdout.trim().to_owned();
    run(folder, &["runs", "watch", &last]).await.ends(0, &[]);
    assert_eq!(run(folder, &["sessions", "result", &session]).await.ends(0, &[]).stdout, "Lille\n");

    let list = run(folder, &["sessions", "list", "--agent", "free"]).await.ends(0, &[]).stdout;
    assert!(list.lines().count() == 2 && list.contains(&session) && list.contains(&last), "{list}");
    let list = run(folder, &["sessions", "list", "--status", "finished", "--json"]).await.json();
    assert_eq!(list["items"][0]["session_id"], json!(session));
    let shown = run(folder, &["sessions", "show", &session]).await.ends(0, &[]).stdout;
    assert!(shown.starts_with(&session) && shown.matches("run_").count() == 4, "{shown}");
    assert_eq!(run(folder, &["sessions", "show", &session, "--json"]).await.text("/agent_name"), "free");
}

#[tokio::test]
async fn a_session_without_a_result_says_why() {
    let model = model([Reply::text("no"), Reply::text("no"), Reply::hang()]).await;
    let host = Project::new().agent(&agent("triage", &model, &contracted())).up().await;
    let folder = host.path();
    let failed = run(folder, &["run", "triage", "x", "--json"]).await.ends(2, &[]).text("/session_id");
    let ran = run(folder, &["sessions", "result", &failed]).await;
    assert_eq!(ran.ends(2, &["failed[output_schema_validation_failed]"]).stdout, "");

    let busy = host.client.create_run(&crate::support::ask("triage"), None).await.unwrap().session_id;
    model.wait_for_requests(3).await;
    run(folder, &["sessions", "result", busy.as_str()])
        .await
        .ends(1, &["no result yet", "accord runs watch run_"]);
    run(folder, &["sessions", "resume", busy.as_str(), "x"]).await.ends(1, &[busy.as_str()]);
    let stopped = run(folder, &["sessions", "stop", busy.as_str(), "--json"]).await.ends(0, &[]);
    assert_eq!(stopped.text("/session_id"), busy.as_str());
    let last = stopped.text("/run_id");
    let last = if last.is_empty() { stopped.text("/last_run_id") } else { last };
    run(folder, &["runs", "watch", &last]).await.ends(4, &[]);
    run(folder, &["sessions", "result", busy.as_str()]).await.ends(4, &[]);
    run(folder, &["sessions", "result", "ses_none"]).await.ends(1, &["ses_none", "accord sessions list"]);
}

#[tokio::test]
async fn sessions_are_removed_with_their_runs() {
    let model = model([Reply::text("Paris"), Reply::text("Lyon"), Reply::hang()]).await;
    let host = Project::new().agent(&agent("free", &model, &json!({}))).up().await;
    let folder = host.path();
    let first = run(folder, &["run", "free", "x", "--json"]).await.ends(0, &[]);
    let (session, run_id) = (first.text("/session_id"), first.text("/run_id"));
    let second = run(folder, &["run", "free", "x", "--json"]).await.ends(0, &[]).text("/session_id");
    let busy = host.client.create_run(&crate::support::ask("free"), None).await.unwrap().session_id;
    model.wait_for_requests(3).await;

    let gone = run(folder, &["sessions", "rm", &session]).await.ends(0, &[&format!("removed {session}")]);
    assert_eq!(gone.stdout, "");
    run(folder, &["runs", "show", &run_id]).await.ends(1, &[&run_id]);
    // One session that cannot be removed does not prevent the removal of the others.
    let rm = ["sessions", "rm", &session, busy.as_str(), &second, "--json"];
    let ran = run(folder, &rm).await.ends(1, &[&session, busy.as_str()]);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<&Value> = lines.iter().map(|line| &line["error"]["name"]).collect();
    assert_eq!(told, [&json!("SessionNotFound"), &json!("SessionBusy"), &json!(null)]);
    assert_eq!(lines[2], json!({"session_id": second, "removed": true}));
    let left = run(folder, &["sessions", "list", "--json"]).await.json();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1), "{left}");
}

#[tokio::test]
async fn finished_sessions_are_removed_by_age() {
    let model = model([Reply::text("Paris"), Reply::text("Lyon"), Reply::hang()]).await;
    let host =
        Project::new().agent(&agent("free", &model, &json!({}))).agent(&agent("other", &model, &json!({})));
    let host = host.up().await;
    let folder = host.path();
    let over = run(folder, &["run", "free", "x", "--json"]).await.ends(0, &[]).text("/session_id");
    let others = run(folder, &["run", "other", "x", "--json"]).await.ends(0, &[]).text("/session_id");
    let busy = host.client.create_run(&crate::support::ask("free"), None).await.unwrap().session_id;
    model.wait_for_requests(3).await;

    let young = run(folder, &["sessions", "rm", "--before", "1h", "--json"]).await;
    assert_eq!(young.ends(0, &["No finished sessions"]).stdout, "");
    let agents = ["sessions", "rm", "--before", "0s", "--agent", "free", "--json"];
    let named = run(folder, &[&agents[..], &["--dry-run"]].concat()).await.ends(0, &[]);
    assert_eq!(named.json(), json!({"session_id": over, "removed": false}));
    let gone = run(folder, &agents).await.ends(0, &[]);
    assert_eq!(gone.json(), json!({"session_id": over, "removed": true}));
    let gone = run(folder, &["sessions", "rm", "--before", "0s"]).await;
    assert_eq!(gone.ends(0, &[&format!("removed {others}\n")]).stdout, "");
    let left = run(folder, &["sessions", "list", "--json"]).await.json();
    assert_eq!(left["items"].as_array().map(Vec::len), Some(1), "{left}");
    assert_eq!(left["items"][0]["session_id"], json!(busy), "what is under way stays");
}
