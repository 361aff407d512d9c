//! Runs that need a person: approvals, questions, corrections, human nodes; answered over HTTP and by the CLI, with everything
//! killed while they wait.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_api::{
    AnswerInput, CreateRun, InputQuery, InputRequest, InputStatus, RunId, RunStatus, RunView, ValueSource,
};
use accord_client::Client;
use accord_test_support::{ModelServer, PostgresCluster, Reply, Script};
use serde_json::{Value, json};
use tokio::process::Child;

use crate::support::{Project, accord, agent};

const PATIENCE_SECONDS: u32 = 60;

/// Asks a person which file, then deletes it with a command, and answers what it did.
fn script() -> Script {
    Script::handler(move |request, _| {
        let messages = request.body["messages"].as_array().unwrap();
        let said = messages.iter().filter(|message| message["role"] == "assistant").count();
        let last = messages.last().unwrap().to_string();
        let reply = match said {
            0 => Reply::tool("ask_human", &json!({"question": "Which file?", "choices": ["a", "b"]})),
            1 if last.contains("nobody answered") => Reply::text("{\"done\": \"unanswered\"}"),
            1 => Reply::tool("run_command", &json!({"command": "echo deleted >> deleted"})),
            _ if last.contains("denied") => Reply::text("{\"done\": \"denied\"}"),
            _ => Reply::text("{\"done\": \"deleted\"}"),
        };
        reply.usage(100, 10)
    })
}

fn schema() -> Value {
    json!({"type": "object", "required": ["done"], "properties": {"done": {"type": "string"}}})
}

fn asker(model: &ModelServer) -> Value {
    let more = json!({
        "output_schema": schema(), "output_schema_options": {"strategy": "prompt"},
        "tools": ["run_command", "ask_human"], "approve": ["run_command"],
    });
    agent("asker", model, &more)
}

async fn run(client: &Client, agent: &str) -> RunId {
    let request = CreateRun {
        agent_name: Some(agent.to_owned()),
        prompt: Some("Tidy up.".to_owned()),
        ..CreateRun::default()
    };
    client.create_run(&request, None).await.unwrap().run_id
}

/// Waits for the open request of a run.
async fn asked(client: &Client, id: &RunId) -> InputRequest {
    let which =
        InputQuery { status: Some(InputStatus::Open), run_id: Some(id.clone()), ..InputQuery::default() };
    let looking = async {
        let mut pause = tokio::time::interval(Duration::from_millis(20));
        loop {
            if let Ok(page) = client.inputs(&which).await
                && let Some(request) = page.items.into_iter().next()
            {
                return request;
            }
            pause.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(PATIENCE_SECONDS.into()), looking).await.unwrap()
}

/// Waits for the only open request.
async fn first_request(client: &Client) -> InputRequest {
    let looking = async {
        let mut pause = tokio::time::interval(Duration::from_millis(50));
        loop {
            let page = client.inputs(&InputQuery::default()).await.unwrap();
            if let Some(request) = page.items.into_iter().next() {
                return request;
            }
            pause.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(PATIENCE_SECONDS.into()), looking).await.unwrap()
}

async fn answer(client: &Client, request: &InputRequest, answer: Value) -> InputRequest {
    let answer = AnswerInput { answer, digest: Some(request.digest.clone()) };
    client.answer_input(&request.id, &answer).await.unwrap()
}

async fn done(client: &Client, id: &RunId) -> RunView {
    let run = client.wait_for_run(id, PATIENCE_SECONDS).await.unwrap();
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    run
}

fn data(run: RunView) -> Value {
    run.result.unwrap().data::<Value>().unwrap()
}

fn spawn(folder: &Path, arguments: &[&str]) -> Child {
    accord(folder)
        .args(arguments)
        .env("ACCORD_QUEUE__LEASE_SECONDS", "10")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

/// Everything is killed each time the run waits, and nothing is asked, paid or done twice.
async fn survives(database: &str) {
    let model = ModelServer::start(script()).await.unwrap();
    let project = Project::new().agent(&asker(&model));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    let listen = format!("127.0.0.1:{port}");
    let both = || {
        let coordinator =
            spawn(project.path(), &["coordinator", "--listen", &listen, "--database", database]);
        (coordinator, spawn(project.path(), &["runner", "--coordinator", &url]))
    };
    let client = Client::new(&url, None).unwrap();
    let ready = async || {
        let mut pause = tokio::time::interval(Duration::from_millis(20));
        while client.health().await.is_err() {
            pause.tick().await;
        }
    };
    let (mut coordinator, mut runner) = both();
    ready().await;
    let id = run(&client, "asker").await;
    let question = asked(&client, &id).await;
    assert_eq!(question.message, "Which file?");
    runner.kill().await.unwrap();
    coordinator.kill().await.unwrap();
    (coordinator, runner) = both();
    ready().await;
    assert_eq!(asked(&client, &id).await, question, "nothing is lost");
    answer(&client, &question, json!({"answer": "a"})).await;
    let approval = asked(&client, &id).await;
    assert_eq!(approval.tool.as_ref().unwrap().name, "run_command");
    assert!(!project.path().join("deleted").exists(), "nothing is done before it is approved");
    runner.kill().await.unwrap();
    coordinator.kill().await.unwrap();
    (coordinator, runner) = both();
    ready().await;
    answer(&client, &approval, json!({"approve": true})).await;
    let finished = done(&client, &id).await;
    assert_eq!(finished.usage.input_tokens, 300, "each answer is paid once");
    assert_eq!(data(finished), json!({"done": "deleted"}));
    assert_eq!(model.requests().len(), 3, "no request is made twice");
    assert_eq!(std::fs::read_to_string(project.path().join("deleted")).unwrap(), "deleted\n");
    runner.kill().await.unwrap();
    coordinator.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_nine_while_a_person_is_asked_loses_nothing_on_sqlite() {
    survives("sqlite://.accord/accord.db").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_nine_while_a_person_is_asked_loses_nothing_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    survives(&cluster.fresh_database().unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_call_is_not_made_and_the_model_is_told() {
    let model = ModelServer::start(script()).await.unwrap();
    let accord = Project::new().agent(&asker(&model)).up().await;
    let id = run(&accord.client, "asker").await;
    let question = asked(&accord.client, &id).await;
    answer(&accord.client, &question, json!({"answer": "b"})).await;
    let approval = asked(&accord.client, &id).await;
    answer(&accord.client, &approval, json!({"approve": false, "reason": "not today"})).await;
    assert_eq!(data(done(&accord.client, &id).await), json!({"done": "denied"}));
    assert!(!accord.path().join("deleted").exists());
    let told = model.requests().last().unwrap().body.to_string();
    assert!(told.contains("a person denied this call: not today"), "{told}");
    accord.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_calls_that_match_a_rule_need_approval() {
    let model = ModelServer::start(Script::handler(move |request, _| {
        let messages = request.body["messages"].as_array().unwrap();
        let said = messages.iter().filter(|message| message["role"] == "assistant").count();
        match said {
            0 => Reply::tool("run_command", &json!({"command": "echo safe >> log"})),
            1 => Reply::tool("run_command", &json!({"command": "echo danger >> log"})),
            _ => Reply::text("{\"done\": \"x\"}"),
        }
    }));
    let model = model.await.unwrap();
    let rule = json!([{"tool": "run_command", "when": "arguments.command.contains('danger')"}]);
    let more = json!({
        "output_schema": schema(), "output_schema_options": {"strategy": "prompt"},
        "tools": ["run_command"], "approve": rule,
    });
    let accord = Project::new().agent(&agent("asker", &model, &more)).up().await;
    let id = run(&accord.client, "asker").await;
    let approval = asked(&accord.client, &id).await;
    assert_eq!(approval.tool.as_ref().unwrap().arguments, json!({"command": "echo danger >> log"}));
    assert_eq!(std::fs::read_to_string(accord.path().join("log")).unwrap(), "safe\n");
    answer(&accord.client, &approval, json!({"approve": true})).await;
    done(&accord.client, &id).await;
    assert_eq!(std::fs::read_to_string(accord.path().join("log")).unwrap(), "safe\ndanger\n");
    accord.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_saves_a_run_whose_output_does_not_conform() {
    let model = ModelServer::start(Script::handler(|_, _| Reply::text("{\"done\": 7}"))).await.unwrap();
    let more = json!({
        "output_schema": schema(),
        "output_schema_options": {"strategy": "prompt", "max_retries": 0, "on_failure": "ask"},
    });
    let accord = Project::new().agent(&agent("asker", &model, &more)).up().await;
    let id = run(&accord.client, "asker").await;
    let correction = asked(&accord.client, &id).await;
    assert_eq!(correction.default, Some(json!({"done": 7})));
    assert_eq!(correction.errors[0].path, "$.done");
    let wrong = AnswerInput { answer: json!({"done": 8}), digest: None };
    let refused = accord.client.answer_input(&correction.id, &wrong).await.unwrap_err();
    assert!(refused.to_string().contains("$.done"), "{refused}");
    answer(&accord.client, &correction, json!({"done": "seven"})).await;
    let saved = done(&accord.client, &id).await;
    let validation = saved.result.as_ref().unwrap().schema_validation.clone().unwrap();
    assert_eq!(validation.source, Some(ValueSource::Human));
    assert_eq!(data(saved), json!({"done": "seven"}));
    accord.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_answers_a_workflow() {
    let accord = Project::new().up().await;
    std::fs::create_dir_all(accord.path().join(".accord/workflows")).unwrap();
    let workflow = "\
name: release
nodes:
  input: {type: input}
  decide:
    type: human
    prompt: \"Release {{ input.version }}?\"
    output_schema:
      type: object
      properties: {go: {type: boolean}}
      required: [go]
  output: {type: output, value: \"{{ decide.go }}\"}
edges:
  - {from: input, to: decide}
  - {from: decide, to: output}
";
    std::fs::write(accord.path().join(".accord/workflows/release.yaml"), workflow).unwrap();
    let mut running = crate::support::accord(accord.path());
    let running = running
        .args(["workflows", "run", "release", "--param", "version=2", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = first_request(&accord.client).await;
    assert_eq!(request.message, "Release 2?");
    let command = async |arguments: &[&str]| {
        let output = crate::support::accord(accord.path()).args(arguments).output().await.unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (_, list, _) = command(&["inputs", "list"]).await;
    assert!(list.contains(request.id.as_str()) && list.contains("Release 2?"), "{list}");
    let id = request.id.as_str();
    let (_, shown, _) = command(&["inputs", "show", &id[..id.len() - 1]]).await;
    assert!(shown.contains("\"go\""), "{shown}");
    let (code, _, told) = command(&["inputs", "answer", id, "--value", "{\"go\": \"maybe\"}"]).await;
    assert!(code != Some(0) && told.contains("$.go"), "{told}");
    let (code, _, told) = command(&["inputs", "answer", id, "--approve"]).await;
    assert!(code == Some(1) && told.contains("--value"), "{told}");
    let (code, answered, told) = command(&["inputs", "answer", id, "--value", "{\"go\": true}"]).await;
    assert_eq!(code, Some(0), "{told}");
    assert!(answered.contains("answered"), "{answered}");
    let (code, _, told) = command(&["inputs", "answer", id, "--value", "{\"go\": false}"]).await;
    assert!(code != Some(0) && told.contains("answered"), "{told}");
    let output = running.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["output"], json!(true), "{result}");
    accord.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_template_with_an_approval_works_as_the_guide_says() {
    let project = Project::new();
    let command = async |folder: &Path, arguments: &[&str]| {
        let output = crate::support::accord(folder).args(arguments).output().await.unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, _, told) =
        command(project.path(), &["init", "--template", "approval", "--model", "recorded"]).await;
    assert_eq!(code, Some(0), "{told}");
    let (code, _, told) = command(project.path(), &["workflows", "validate"]).await;
    assert_eq!(code, Some(0), "{told}");
    let accord = project.up().await;
    let running = crate::support::accord(accord.path())
        .args(["workflows", "run", "release", "--input", ".accord/inputs/release.json", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let request = first_request(&accord.client).await;
    assert!(request.message.contains("Release 1.4.0?"), "{}", request.message);
    let id = request.id.as_str();
    let (code, _, told) =
        command(accord.path(), &["inputs", "answer", id, "--value", r#"{"approve": true}"#]).await;
    assert!(code != Some(0) && told.contains("headline"), "{told}");
    let (code, link, _) = command(accord.path(), &["inputs", "link", id]).await;
    assert!(code == Some(0) && link.starts_with(&format!("{}/ui/answer#{id}.", accord.url)), "{link}");
    let approved = r#"{"approve": true, "headline": "A dark theme"}"#;
    let (code, _, told) = command(accord.path(), &["inputs", "answer", id, "--value", approved]).await;
    assert_eq!(code, Some(0), "{told}");
    let output = running.wait_with_output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = json!({"version": "1.4.0", "approved": true, "headline": "A dark theme"});
    assert_eq!(result["output"], expected, "{result}");
    accord.end().await;
}
