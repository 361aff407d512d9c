//! Logs and traces, and that neither contains a secret.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Duration;

use accord_api::RunStatus;
use accord_test_support::{ModelServer, PostgresCluster, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::collector::{collector, contains, everything, spans};
use crate::support::{Accord, Project, accord, agent, ask, model, severity};

const SECRET: &str = "secret-0123456789abcdef";

fn contracted(model: &ModelServer) -> Value {
    let contract = json!({"output_schema": severity(), "output_schema_options": {"strategy": "prompt"}});
    agent("triage", model, &contract)
}

/// A folder for a log that outlives the project, and the log in it.
fn log_file() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stderr");
    (folder, file)
}

#[tokio::test]
async fn traces_go_to_the_configured_collector() {
    let (url, mut posted) = collector().await;
    let model = model([Reply::text("no idea"), Reply::text(r#"{"severity": "high"}"#)]).await;
    let accord = Project::new()
        .agent(&contracted(&model))
        .set("ACCORD_TELEMETRY__OTLP_ENDPOINT", &url)
        .set("ACCORD_LOG__FILTER", "error")
        .up()
        .await;
    let run = accord.run(&ask("triage")).await;
    assert_eq!(run.status, RunStatus::Completed);
    accord.end().await;
    let posted = everything(&mut posted);
    let first = posted.first().unwrap();
    assert!(first.head.starts_with("post /v1/traces http/1.1\r\n"), "{}", first.head);
    assert!(first.head.contains("content-type: application/x-protobuf"), "{}", first.head);
    let told = |text: &str| posted.iter().any(|posted| posted.contains(text));
    let (run_id, session_id) = (run.run_id.to_string(), run.session_id.to_string());
    let names =
        ["service.name", "POST /runs", "/runner/runs/{id}/finish", "invoke_agent triage", "attempt", "chat"];
    let values = ["no_json", "accepted", "prompt", "claude-test", "anthropic", "triage"];
    for text in names.into_iter().chain(values).chain([run_id.as_str(), session_id.as_str()]) {
        assert!(told(text), "{text}");
    }
    for text in ["Nobody can log in", "You sort tickets", "severity"] {
        assert!(!told(text), "a trace holds what was said: {text}");
    }
}

/// All attributes of spans, with the types of the semantic conventions.
const TYPES: &[(&str, &str)] = &[
    ("accord.attempt.number", "int"),
    ("accord.attempt.outcome", "string"),
    ("accord.attempt.strategy", "string"),
    ("accord.run.delivery", "int"),
    ("accord.run.id", "string"),
    ("accord.run.status", "string"),
    ("accord.workflow_run.id", "string"),
    ("error.type", "string"),
    ("gen_ai.agent.name", "string"),
    ("gen_ai.conversation.id", "string"),
    ("gen_ai.operation.name", "string"),
    ("gen_ai.provider.name", "string"),
    ("gen_ai.request.model", "string"),
    ("gen_ai.response.finish_reasons", "list"),
    ("gen_ai.response.model", "string"),
    ("gen_ai.tool.call.id", "string"),
    ("gen_ai.tool.name", "string"),
    ("gen_ai.tool.type", "string"),
    ("gen_ai.usage.input_tokens", "int"),
    ("gen_ai.usage.output_tokens", "int"),
    ("gen_ai.workflow.name", "string"),
    ("http.request.method", "string"),
    ("http.response.status_code", "int"),
    ("http.route", "string"),
    ("server.address", "string"),
    ("server.port", "int"),
];

#[tokio::test]
async fn attributes_have_the_types_of_the_conventions() {
    let (url, mut posted) = collector().await;
    let looks = Reply::tool("run_command", &json!({"command": "exit 3"}));
    let model = model([looks, Reply::text("done"), Reply::text("done"), Reply::error(400, "no")]).await;
    let accord = Project::new()
        .agent(&agent("free", &model, &json!({"tools": ["run_command"]})))
        .set("ACCORD_TELEMETRY__OTLP_ENDPOINT", &url)
        .up()
        .await;
    accord.run(&ask("free")).await;
    let nodes = json!({
        "a": {"type": "agent", "agent": "free", "prompt": "Go"},
        "output": {"type": "output", "value": "{{ a }}"},
    });
    let flow = json!({"name": "flow", "nodes": nodes, "edges": [{"from": "a", "to": "output"}]});
    accord.client.create_workflow(&flow).await.unwrap();
    let asked = accord_api::CreateWorkflowRun::default();
    accord.client.run_workflow_and_wait("flow", &asked, 60).await.unwrap();
    assert_eq!(accord.run(&ask("free")).await.status, RunStatus::Failed);
    accord.end().await;
    let spans = spans(&mut posted);
    let mut seen = std::collections::BTreeSet::new();
    for span in &spans {
        for (name, found) in &span.types {
            let expected = TYPES.iter().find(|(known, _)| known == name);
            assert_eq!(expected.map(|(_, expected)| expected), Some(found), "{name} of {}", span.name);
            seen.insert(name.as_str());
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), TYPES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let failed = |name: &str| {
        let found =
            spans.iter().find(|span| span.name.starts_with(name) && !span.attribute("error.type").is_empty());
        found.map(|span| (span.attribute("error.type").to_owned(), span.status.clone())).unwrap()
    };
    assert_eq!(failed("chat"), ("400".to_owned(), "the request failed; see the run".to_owned()));
    assert_eq!(failed("execute_tool"), ("tool_failed".to_owned(), "the tool reported an error".to_owned()));
    assert_eq!(failed("invoke_agent"), ("executor_failed".to_owned(), "the run failed".to_owned()));
    let chat = spans.iter().find(|span| span.name.starts_with("chat")).unwrap();
    assert_eq!(chat.attribute("gen_ai.provider.name"), "anthropic");
    assert_eq!(chat.attribute("server.address"), "127.0.0.1");
    assert!(chat.attributes["gen_ai.response.finish_reasons"].contains("tool_calls"), "{chat:?}");
    let flow = spans.iter().find(|span| span.name == "invoke_workflow flow").unwrap();
    assert!(
        spans.iter().any(|span| span.parent == flow.id && span.name == "invoke_agent free"),
        "{spans:#?}"
    );
}

#[tokio::test]
async fn the_otel_variable_is_read_and_can_be_turned_off() {
    for (off, expected) in [("false", true), ("true", false)] {
        let (url, mut posted) = collector().await;
        let model = model([Reply::text("done")]).await;
        let accord = Project::new()
            .agent(&agent("free", &model, &json!({})))
            .set("OTEL_EXPORTER_OTLP_ENDPOINT", &url)
            .set("OTEL_SDK_DISABLED", off)
            .up()
            .await;
        assert_eq!(accord.run(&ask("free")).await.status, RunStatus::Completed);
        accord.end().await;
        assert_eq!(!everything(&mut posted).is_empty(), expected, "OTEL_SDK_DISABLED={off}");
    }
}

#[tokio::test]
async fn work_continues_without_the_collector() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (_folder, log) = log_file();
    let model = model([Reply::text("done"), Reply::text("done")]).await;
    let accord = Project::new()
        .agent(&agent("free", &model, &json!({})))
        .set("ACCORD_TELEMETRY__OTLP_ENDPOINT", &url)
        .log_to(&log)
        .up()
        .await;
    assert_eq!(accord.run(&ask("free")).await.status, RunStatus::Completed);
    assert_eq!(accord.run(&ask("free")).await.status, RunStatus::Completed);
    accord.end().await;
    let said = std::fs::read_to_string(log).unwrap();
    assert_eq!(said.matches("the trace collector is unavailable").count(), 1, "{said}");
}

#[tokio::test]
async fn an_invalid_collector_address_is_rejected() {
    let project = Project::new();
    let refusing = accord(project.path())
        .args(["up", "--listen", "127.0.0.1:0"])
        .env("ACCORD_TELEMETRY__OTLP_ENDPOINT", "collector:4318")
        .output();
    let output = tokio::time::timeout(Duration::from_secs(20), refusing).await.unwrap().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("invalid telemetry.otlp_endpoint: expected an http or https URL, got 'collector:4318'"),
        "{said}"
    );
}

#[tokio::test]
async fn json_logs_are_one_object_a_line() {
    let (_folder, log) = log_file();
    let model = model([Reply::text("done")]).await;
    let accord = Project::new()
        .agent(&agent("free", &model, &json!({})))
        .set("ACCORD_LOG__FORMAT", "json")
        .set("ACCORD_LOG__FILTER", "debug")
        .log_to(&log)
        .up()
        .await;
    let run = accord.run(&ask("free")).await;
    accord.end().await;
    let said = std::fs::read_to_string(log).unwrap();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["level"].is_string() && line["timestamp"].is_string()), "{said}");
    let over = lines.iter().find(|line| line["fields"]["message"] == "run finished").unwrap();
    let expected = json!({
        "message": "run finished", "run_id": run.run_id.to_string(), "status": "completed",
    });
    assert_eq!(over["fields"], expected);
    let span = json!({
        "name": "invoke_agent",
        "otel.name": "invoke_agent free",
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "free",
        "gen_ai.conversation.id": run.session_id.to_string(),
        "accord.run.id": run.run_id.to_string(),
        "accord.run.delivery": 1,
        "accord.run.status": "completed",
    });
    assert_eq!(over["span"], span);
    let asked = lines.iter().find(|line| line["fields"]["route"] == "/runs").unwrap();
    let [message, method, status] = ["message", "method", "status"].map(|name| &asked["fields"][name]);
    assert_eq!(
        (message, method, status, &asked["level"]),
        (&json!("request"), &json!("POST"), &json!(201), &json!("DEBUG"))
    );
}

#[tokio::test]
async fn metrics_and_log_report_an_unavailable_database() {
    let cluster = PostgresCluster::start().unwrap();
    let (_folder, log) = log_file();
    let url = cluster.fresh_database().unwrap();
    let accord = Project::new().set("ACCORD_DATABASE__URL", &url).log_to(&log).coordinator().await;
    let answered = async |path: &str| String::from_utf8(get(&accord, path).await).unwrap();
    assert!(answered("/metrics").await.contains("accord_queue_depth{"));
    drop(cluster);
    assert!(answered("/agents").await.starts_with("HTTP/1.1 503"));
    let text = answered("/metrics").await;
    assert!(text.starts_with("HTTP/1.1 200") && !text.contains("accord_queue_depth"), "{text}");
    assert!(text.contains(r#"accord_http_requests_total{route="/agents",status="5xx"} 1"#), "{text}");
    let said = std::fs::read_to_string(log).unwrap();
    let failed = said.lines().find(|line| line.contains("request failed")).unwrap();
    assert!(failed.contains(r#"method="GET" route="/agents" error="StoreUnavailable""#), "{failed}");
    accord.kill().await;
}

/// The response to a GET.
async fn get(accord: &Accord, path: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(accord.url.trim_start_matches("http://")).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    answer
}

/// All files under a folder, with their contents.
fn files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push((path.clone(), std::fs::read(&path).unwrap())),
        }
    }
    found
}

#[tokio::test]
async fn keys_are_secret_regardless_of_the_variable_name() {
    let provider = "[providers.lab]\nkind = \"openai-compatible\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
                    api_key_env = \"LABKEY\"\n";
    let look = Reply::tool("run_command", &json!({"command": "env | grep -c ^LABKEY="}));
    let model = model([look, Reply::text("done")]).await;
    let says = json!({"type": "process", "command": "sh", "args": ["-c", "echo $LABKEY >&2; exit 3"]});
    let project = Project::new()
        .agent(&agent("looks", &model, &json!({"tools": ["run_command"]})))
        .agent(&json!({"name": "says", "type": "procedural", "executor": says}))
        .set("LABKEY", SECRET);
    std::fs::write(project.path().join("accord.toml"), provider).unwrap();
    let accord = project.up().await;
    let message = accord.run(&ask("says")).await.error.unwrap().message;
    assert!(message.contains("[secret]") && !message.contains(SECRET), "{message}");
    assert_eq!(accord.run(&ask("looks")).await.status, RunStatus::Completed);
    let told = model.requests().remove(1).text();
    assert!(told.contains("[stdout]\n0"), "{told}");
}

#[tokio::test]
async fn a_key_reaches_only_its_provider() {
    let (_folder, log) = log_file();
    let (url, mut posted) = collector().await;
    // Some gateways echo the request.
    let repeated = format!("invalid x-api-key: {SECRET}");
    let model = model([Reply::error(403, repeated.clone()), Reply::error(401, repeated)]).await;
    let accord = Project::new()
        .agent(&contracted(&model))
        .set("ANTHROPIC_API_KEY", SECRET)
        .set("ANTHROPIC_BASE_URL", &model.url())
        .set("ACCORD_LOG__FILTER", "trace")
        .set("ACCORD_TELEMETRY__OTLP_ENDPOINT", &url)
        .log_to(&log)
        .up()
        .await;
    let message = accord.run(&ask("triage")).await.error.unwrap().message;
    assert!(message.contains("invalid x-api-key: [secret]"), "{message}");
    let run = accord.run(&ask("triage")).await;
    assert_eq!(run.status, RunStatus::Failed);
    let message = run.error.unwrap().message;
    assert!(message.contains("rejected the API key (401)"), "{message}");
    assert_eq!(model.requests().remove(0).header("x-api-key"), Some(SECRET));
    let (run_id, session_id) = (run.run_id, run.session_id);
    let mut paths: Vec<String> =
        ["/health", "/metrics", "/openapi.json", "/agents", "/agents/triage", "/agents/triage/contract"]
            .into_iter()
            .chain(["/runs", "/sessions", "/schemas", "/runners", "/stats", "/keys"])
            .map(str::to_owned)
            .collect();
    paths.extend(["", "/attempts"].map(|part| format!("/runs/{run_id}{part}")));
    paths.extend(
        ["", "/status", "/result", "/events", "/children"]
            .map(|part| format!("/sessions/{session_id}{part}")),
    );
    for path in paths {
        let answer = get(&accord, &path).await;
        assert!(answer.starts_with(b"HTTP/1.1 ") && !contains(&answer, SECRET), "{path}");
    }
    let kept = files(accord.path());
    assert!(kept.iter().any(|(path, bytes)| path.ends_with("accord.db") && !bytes.is_empty()));
    for (path, bytes) in kept {
        assert!(!contains(&bytes, SECRET), "{}", path.display());
    }
    accord.end().await;
    let said = std::fs::read(log).unwrap();
    assert!(contains(&said, "TRACE") && !contains(&said, SECRET));
    let traces = everything(&mut posted);
    assert!(!traces.is_empty() && traces.iter().all(|posted| !posted.contains(SECRET)));
}

#[tokio::test]
async fn weak_spots_of_the_command_sandbox_are_reported() {
    let model = model([]).await;
    let builder = agent("builds", &model, &json!({"tools": ["run_command"]}));
    let project = Project::new().agent(&builder);
    let (reader, said) = std::io::pipe().unwrap();
    let mut up = accord(project.path());
    let up = up.args(["up", "--listen", "127.0.0.1:0"]).stdout(said.try_clone().unwrap()).stderr(said);
    let mut host = up.spawn().unwrap();
    let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
    // Startup does not wait until all agents are checked.
    assert!(lines.next().unwrap().starts_with("accord is ready at "));
    assert!(lines.next().unwrap().contains("accord keys create --role admin"));
    assert!(lines.next().unwrap().contains("set database.url"));
    let told = doctor(project.path(), &[]).await;
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("the coordinator has no key") && told[1].contains("accord.db is in a folder"));
    host.kill().await.unwrap();

    let (_folder, log) = log_file();
    let elsewhere = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", elsewhere.path().join("accord.db").display());
    let kept = [("ACCORD_DATABASE__URL", url.as_str())];
    let project = Project::new().agent(&builder).set(kept[0].0, &url).log_to(&log);
    let mut create = accord(project.path());
    let created = create.envs(kept).args(["keys", "create", "--role", "admin"]).output().await.unwrap();
    let key = String::from_utf8(created.stdout).unwrap().trim().to_owned();
    let host = project.up().await;
    assert_eq!(doctor(host.path(), &[kept[0], ("ACCORD_RUNNER__KEY", &key)]).await, [""; 0]);
    assert!(elsewhere.path().join("accord.db").is_file() && !host.path().join(".accord/accord.db").exists());
    host.end().await;
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "");
}

/// The warnings of `doctor` about commands that could obtain admin rights.
async fn doctor(folder: &Path, variables: &[(&str, &str)]) -> Vec<String> {
    let mut doctor = accord(folder);
    let output = doctor.envs(variables.iter().copied()).args(["doctor", "--json"]).output().await.unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report.get("checks").and_then(Value::as_array).unwrap().iter();
    let warnings = checks.filter(|check| check["name"] == "commands" && check["status"] == "warn");
    let messages = warnings.map(|check| check["message"].as_str().unwrap().to_owned());
    messages.filter(|message| message.starts_with("commands of agent 'builds'")).collect()
}
