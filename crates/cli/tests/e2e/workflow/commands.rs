use accord_api::WorkflowRunView;
use serde_json::{Value, json};

use super::*;
use crate::support::accord;

fn file(model: &ModelServer, nodes: &Value, edges: &Value) -> Project {
    let project = Project::new().agent(&any("parrot", model));
    let folder = project.path().join(".accord/workflows");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("flow.json"), workflow("flow", nodes, edges).to_string()).unwrap();
    project
}

fn echo() -> (Value, Value) {
    let nodes = json!({
        "input": {"type": "input"},
        "work": {"type": "agent", "agent": "parrot", "prompt": "[[{\"said\": \"{{ input.word }}\"}]]"},
        "output": {"type": "output"},
    });
    (nodes, edges(&[("input", "work"), ("work", "output")]))
}

#[tokio::test]
async fn a_workflow_runs_without_a_server() {
    let model = parrot().await;
    let (nodes, edges) = echo();
    let project = file(&model, &nodes, &edges);
    let run = |arguments: &[&str]| accord(project.path()).args(["workflow"]).args(arguments).output();
    let listed = run(&["list"]).await.unwrap();
    assert!(String::from_utf8(listed.stdout).unwrap().contains("flow"));
    let shown = run(&["show", "flow"]).await.unwrap();
    assert!(String::from_utf8(shown.stdout).unwrap().contains("work"));
    let ran = run(&["run", "flow", "--param", "word=hello"]).await.unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{errors}");
    assert_eq!(serde_json::from_slice::<Value>(&ran.stdout).unwrap(), json!({"said": "hello"}));
    assert_eq!(errors, "", "in a pipe there is no talk");
    let ran = run(&["run", "flow", "--param", "word=hello", "--json"]).await.unwrap();
    let view: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let view: WorkflowRunView = serde_json::from_value(view).unwrap();
    assert_eq!(view.output, json!({"said": "hello"}));
    let unknown = run(&["run", "other"]).await.unwrap();
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8(unknown.stderr).unwrap().contains("workflow 'other' not found"));
}

#[tokio::test]
async fn the_exit_code_depends_on_the_outcome() {
    let model = parrot().await;
    let nodes = |node: Value| json!({"input": {"type": "input"}, "node": node, "output": {"type": "output"}});
    let edges = edges(&[("input", "node"), ("node", "output")]);
    let check = json!({"type": "check", "assert": "input.n == 1", "message": "not one"});
    let fails = json!({"type": "agent", "agent": "parrot", "prompt": "[[fail]]"});
    let wrong = json!({"type": "agent", "agent": "parrot", "prompt": "[[no object]]"});
    let empty = json!({"type": "agent", "agent": "parrot", "prompt": "{{ '' }}"});
    for (node, code, is_run) in [(check, 2, false), (fails, 3, true), (wrong, 2, true), (empty, 2, false)] {
        let project = file(&model, &nodes(node), &edges);
        let ran = accord(project.path())
            .args(["workflow", "run", "flow", "--param", "n=2"])
            .output()
            .await
            .unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(code), "{errors}");
        assert!(ran.stdout.is_empty() && errors.contains("node 'node' failed"), "{errors}");
        // Nodes without an agent have no run to inspect.
        assert_eq!(errors.contains("accord runs attempts run_"), is_run, "{errors}");
    }
    let careless =
        json!({"type": "agent", "agent": "parrot", "prompt": "[[fail]]", "on_failure": "continue"});
    let wrong =
        json!({"type": "agent", "agent": "parrot", "prompt": "[[no object]]", "on_failure": "continue"});
    let template = json!({"type": "agent", "agent": "parrot", "prompt": "{{ input.m }}"});
    let says = json!({"type": "agent", "agent": "parrot", "prompt": "[[{}]]"});
    let mut closed = edges.clone();
    closed[0]["when"] = json!("input.n == 1");
    for (node, edges, code, said) in [
        (careless, &edges, 3, "no output node was reached: node 'node' failed"),
        (wrong, &edges, 2, "no output node was reached: node 'node' failed"),
        (template, &edges, 2, "template_failed"),
        (says, &closed, 2, "conditions closed every path"),
    ] {
        let project = file(&model, &nodes(node), edges);
        let command = ["workflow", "run", "flow", "--param", "n=2"];
        let ran = accord(project.path()).args(command).output().await.unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(code), "{errors}");
        assert!(errors.contains(said), "{errors}");
    }
    let endless = ModelServer::start(Script::handler(|_, _| Reply::truncated("{\"a\": 1"))).await.unwrap();
    let (echo_nodes, echo_edges) = echo();
    let project = file(&endless, &echo_nodes, &echo_edges);
    let command = ["workflow", "run", "flow", "--param", "word=x"];
    let ran = accord(project.path()).args(command).output().await.unwrap();
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(2), "{errors}");
    assert!(errors.contains("output_truncated"), "{errors}");
    let hanging = ModelServer::start(Script::handler(|_, _| Reply::hang())).await.unwrap();
    let (nodes, edges) = echo();
    let project = file(&hanging, &nodes, &edges);
    let command = ["workflow", "run", "flow", "--param", "word=x", "--timeout", "1"];
    let ran = accord(project.path()).args(command).output().await.unwrap();
    assert_eq!(ran.status.code(), Some(4), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[tokio::test]
async fn a_run_can_be_inspected_afterwards() {
    let model = parrot().await;
    let (nodes, edges) = echo();
    let accord_up = file(&model, &nodes, &edges).up().await;
    let run = accord_up.run_workflow("flow", json!({"word": "x"})).await;
    let id = run.workflow_run_id.to_string();
    let shown = accord(accord_up.path()).args(["workflow", "show", &id]).output().await.unwrap();
    let text = String::from_utf8(shown.stdout).unwrap();
    assert!(text.contains("completed") && text.contains("work"), "{text}");
    let shown = accord(accord_up.path()).args(["workflow", "show", "flow"]).output().await.unwrap();
    assert!(String::from_utf8(shown.stdout).unwrap().contains(&id));
    accord_up.end().await;
}

#[tokio::test]
async fn a_string_parameter_stays_a_string() {
    let model = parrot().await;
    let (mut nodes, edges) = echo();
    nodes["input"]["schema"] = json!({"type": "object", "properties": {"word": {"type": "string"}}});
    let project = file(&model, &nodes, &edges);
    let run = |arguments: &[&str]| accord(project.path()).args(["workflow", "run"]).args(arguments).output();
    let ran = run(&["flow", "--param", "word=2026"]).await.unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(serde_json::from_slice::<Value>(&ran.stdout).unwrap(), json!({"said": "2026"}));
    let unknown = run(&["flo"]).await.unwrap();
    let said = String::from_utf8(unknown.stderr).unwrap();
    assert!(said.contains("workflow 'flo' not found; did you mean 'flow'?"), "{said}");
}

#[tokio::test]
async fn a_run_is_stopped_from_the_command_line() {
    let model = ModelServer::start(Script::handler(|_, _| Reply::hang())).await.unwrap();
    let (nodes, edges) = echo();
    let host = file(&model, &nodes, &edges).up().await;
    let run = |arguments: &[&str]| accord(host.path()).args(["workflow"]).args(arguments).output();
    let request = CreateWorkflowRun { input: Some(json!({"word": "x"})), ..CreateWorkflowRun::default() };
    let id = host.client.run_workflow("flow", &request, None).await.unwrap().workflow_run_id;
    model.wait_for_requests(1).await;
    // A prefix is enough, and an unknown id does not prevent the others from being stopped.
    let stopped = run(&["stop", "wfr_none", &id.as_str()[..20], "--json"]).await.unwrap();
    assert_eq!(stopped.status.code(), Some(1));
    let lines = String::from_utf8(stopped.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["error"]["name"], json!("WorkflowRunNotFound"));
    assert_eq!(lines[1]["workflow_run_id"], json!(id));
    let stopped = host.client.wait_for_workflow_run(&id, PATIENCE).await.unwrap();
    assert_eq!(stopped.status.as_str(), "stopped");
    let again = run(&["stop", id.as_str()]).await.unwrap();
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), format!("{id}  stopped\n"));
}

#[tokio::test]
async fn runs_are_listed_and_started_without_waiting() {
    let model = parrot().await;
    let (nodes, edges) = echo();
    let host = file(&model, &nodes, &edges).up().await;
    let run = async |arguments: &[&str]| {
        let ran = accord(host.path()).args(["workflow"]).args(arguments).output().await.unwrap();
        let errors = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(0), "{errors}");
        (String::from_utf8(ran.stdout).unwrap(), errors)
    };
    let begin = ["run", "flow", "--param", "word=x", "--no-wait", "--idempotency-key", "once"];
    let (first, _) = run(&begin).await;
    assert_eq!((run(&begin).await.0, first.starts_with("wfr_")), (first.clone(), true));
    let id: WorkflowRunId = first.trim().parse().unwrap();
    host.client.wait_for_workflow_run(&id, PATIENCE).await.unwrap();
    for word in ["a", "b", "c", "d", "e"] {
        host.run_workflow("flow", json!({"word": word})).await;
    }
    let (shown, talk) = run(&["show", "flow"]).await;
    assert_eq!((shown.matches("wfr_").count(), shown.contains(first.trim())), (5, false), "{shown}");
    assert_eq!(talk, "There are more runs: see `accord workflows runs flow`.\n");
    let listed = async |arguments: &[&str]| {
        let (text, _) = run(&[&["runs", "--json"], arguments].concat()).await;
        serde_json::from_str::<Value>(&text).unwrap()["items"].as_array().unwrap().len()
    };
    let counts = [
        listed(&[]).await,
        listed(&["flow", "--limit", "2"]).await,
        listed(&["other"]).await,
        listed(&["--status", "failed"]).await,
    ];
    assert_eq!(counts, [6, 2, 0, 0]);
    assert!(run(&["runs"]).await.0.contains(first.trim()));

    let (removed, _) = run(&["runs", "rm", first.trim(), "--json"]).await;
    assert_eq!(removed, format!("{{\"workflow_run_id\":\"{id}\",\"removed\":true}}\n"));
    assert!(run(&["runs", "rm", "--before", "1h"]).await.1.starts_with("No finished workflow runs"));
    assert!(
        run(&["runs", "rm", "--before", "0s", "--workflow", "other"])
            .await
            .1
            .starts_with("No finished workflow runs")
    );
    let (_, dry) = run(&["runs", "rm", "--before", "0s", "--dry-run"]).await;
    assert_eq!((dry.matches("would remove wfr_").count(), listed(&[]).await), (5, 5), "{dry}");
    let (_, gone) = run(&["runs", "rm", "--before", "0s"]).await;
    assert_eq!((gone.matches("removed wfr_").count(), listed(&[]).await), (5, 0), "{gone}");
    host.end().await;
}

#[tokio::test]
async fn skipped_failures_are_reported() {
    let model = parrot().await;
    let each = json!({"type": "map", "over": "{{ ['fail', '{}'] }}", "agent": "parrot", "prompt": "[[{{ item | safe }}]]",
        "on_failure": "continue"});
    let nodes = json!({"input": {"type": "input"}, "each": each, "output": {"type": "output"}});
    let project = file(&model, &nodes, &edges(&[("input", "each"), ("each", "output")]));
    let run = |arguments: &[&str]| accord(project.path()).args(["workflow"]).args(arguments).output();
    let ran = run(&["run", "flow"]).await.unwrap();
    let errors = String::from_utf8(ran.stderr).unwrap();
    assert_eq!((ran.status.code(), ran.stdout.as_slice()), (Some(0), &b"[null,{}]\n"[..]), "{errors}");
    assert!(
        errors.starts_with("failed: each, item 1: executor_failed: ") && errors.contains("(run_"),
        "{errors}"
    );
    let listed: Value = serde_json::from_slice(&run(&["runs", "--json"]).await.unwrap().stdout).unwrap();
    let id = listed["items"][0]["workflow_run_id"].as_str().unwrap().to_owned();
    let shown = String::from_utf8(run(&["show", &id]).await.unwrap().stdout).unwrap();
    assert!(shown.contains("completed, 1 failed") && shown.contains("failed: each, item 1: "), "{shown}");
}

#[tokio::test]
async fn workflows_are_pushed_and_removed() {
    let model = parrot().await;
    let (nodes, edges) = echo();
    let project = file(&model, &nodes, &edges);
    let run = |arguments: &[&str]| accord(project.path()).args(["workflow"]).args(arguments).output();
    let host = self::project(&model).await;
    let push = async |more: &[&str]| {
        let ran = run(&[&["push", ".", "--json", "--coordinator", &host.url], more].concat()).await.unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        (ran.status.code(), serde_json::from_slice::<Value>(&ran.stdout).unwrap(), said)
    };
    let change = |pushed: &Value| pushed["workflows"][0]["change"].clone();
    let (code, pushed, _) = push(&[]).await;
    assert_eq!((code, change(&pushed)), (Some(0), json!("created")));
    assert_eq!(pushed["workflows"][0]["source"], json!("store"));
    assert_eq!(change(&push(&[]).await.1), json!("unchanged"));

    // "a" contains "zero", which has to be pushed before it. A workflow that cannot run there is
    // reported, and the others are stored.
    let folder = project.path().join(".accord/workflows");
    let inner = json!({"input": {"type": "input"}, "inner": {"type": "agent", "workflow": "zero", "parameters": {"word": "x"}},
        "output": {"type": "output"}});
    let outer = workflow("a", &inner, &super::edges(&[("input", "inner"), ("inner", "output")]));
    std::fs::write(folder.join("a.json"), outer.to_string()).unwrap();
    std::fs::write(folder.join("zero.json"), workflow("zero", &nodes, &edges).to_string()).unwrap();
    let mut lost = nodes.clone();
    lost["work"]["agent"] = json!("nobody");
    std::fs::write(folder.join("lost.json"), workflow("lost", &lost, &edges).to_string()).unwrap();
    let (code, pushed, said) = push(&[]).await;
    let names: Vec<&str> =
        pushed["workflows"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!((code, names), (Some(1), vec!["flow", "zero", "a"]), "{said}");
    assert!(said.contains("lost was rejected") && said.contains("nobody"), "{said}");
    assert_eq!(pushed["refused"][0]["error"]["name"], json!("InvalidWorkflow"), "{pushed}");

    std::fs::write(folder.join("flow.json"), "{").unwrap();
    let broken = run(&["push", ".", "--coordinator", &host.url]).await.unwrap();
    let said = String::from_utf8(broken.stderr).unwrap();
    assert_eq!(broken.status.code(), Some(1));
    assert!(said.contains("flow.json:") && said.contains("nothing was sent"), "{said}");

    let remove = |name: &'static str| run(&["rm", name, "--coordinator", &host.url]);
    assert_eq!(remove("flow").await.unwrap().status.code(), Some(0));
    let gone = remove("flow").await.unwrap();
    assert_eq!(gone.status.code(), Some(1));
    let own = run(&["rm", "zero"]).await.unwrap();
    assert!(String::from_utf8(own.stderr).unwrap().contains("zero.json, not in the database"));
}
