//! Agents that start agents through the coordinator's MCP server.

use accord_api::{Role, RunStatus, SessionQuery, SessionStatus};
use accord_client::{ApiKey, Client};
use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use crate::support::{Accord, Project, accord, agent, ask, data, severity};

/// The results of the tools in the model's last step.
fn told(request: &RecordedRequest) -> String {
    let messages = request.body.get("messages").and_then(Value::as_array);
    messages.and_then(|all| all.last()).map(Value::to_string).unwrap_or_default()
}

/// A model that starts a child, tries to become its own parent, and answers with the child's
/// result.
fn father(request: &RecordedRequest, step: usize) -> Reply {
    match step {
        0 => Reply::tool(
            "accord__start_agent_session",
            &json!({"agent_name": "child", "parameters": {"ticket": "Nobody can log in"}}),
        ),
        1 if told(request).contains(r#"\"severity\": \"high\""#) => Reply::tool(
            "accord__start_agent_session",
            &json!({"agent_name": "child", "parameters": {"ticket": "x"}, "parent_session_id": "ses_forged"}),
        ),
        2 if told(request).contains("unknown field `parent_session_id`") => {
            Reply::tool("accord__list_agent_sessions", &json!({}))
        }
        3 => Reply::text(r#"{"severity": "high"}"#),
        _ => Reply::text(told(request)),
    }
}

async fn home(project: Project) -> (Project, ModelServer, [ModelServer; 1]) {
    let model = ModelServer::start(Script::handler(father)).await.unwrap();
    let child_model =
        ModelServer::start(Script::handler(|_, _| Reply::text(r#"{"severity": "high"}"#))).await.unwrap();
    let options = json!({"strategy": "prompt", "max_retries": 0});
    let own = json!({
        "output_schema": severity(), "output_schema_options": options, "mcp_servers": {"accord": {}}
    });
    let ticket =
        json!({"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "string"}}});
    let childs = json!({
        "output_schema": severity(), "output_schema_options": options, "parameters_schema": ticket
    });
    let project = project.agent(&agent("father", &model, &own)).agent(&agent("child", &child_model, &childs));
    (project, model, [child_model])
}

async fn family(project: Project, with_keys: bool) -> (Accord, ModelServer, [ModelServer; 1]) {
    let (project, model, children) = home(project).await;
    let mut accord = project.up().await;
    if with_keys {
        let create = accord_api::CreateKey { role: Role::Admin, name: "admin".to_owned(), expires_at: None };
        let key = accord.client.create_key(&create).await.unwrap().key;
        accord.client = Client::new(&accord.url, Some(&ApiKey::new(key))).unwrap();
    }
    (accord, model, children)
}

#[tokio::test]
async fn an_agent_starts_a_child_and_gets_its_conforming_result() {
    for with_keys in [false, true] {
        let (accord, model, _child) = family(Project::new(), with_keys).await;
        let run = accord.run(&ask("father")).await;
        let requests = model.requests();
        assert_eq!(run.status, RunStatus::Completed, "{:?}: {}", run.error, told(requests.last().unwrap()));
        assert_eq!(data(&run), Some(json!({"severity": "high"})));
        assert_eq!(requests.len(), 4);
        let offered = requests[0].tools();
        assert!(
            offered.contains(&"accord__start_agent_session") && offered.contains(&"accord__list_agents"),
            "{offered:?}"
        );
        let which = SessionQuery { agent_name: Some("child".to_owned()), ..SessionQuery::default() };
        let children = accord.client.sessions(&which).await.unwrap().items;
        assert_eq!(children.len(), 1, "the forged one was never started");
        assert_eq!(children[0].parent_session_id, Some(run.session_id.clone()));
        assert_eq!(children[0].status, SessionStatus::Finished);
        assert!(told(&requests[3]).contains(children[0].session_id.as_str()), "it sees its own child");
        let events =
            accord.client.session_events(&run.session_id, &accord_api::PageQuery::default()).await.unwrap();
        let events = serde_json::to_string(&events).unwrap();
        assert!(!events.contains("lse_") && !events.contains("run.run_"), "the token is nowhere to be seen");
        accord.end().await;
    }
}

#[tokio::test]
async fn a_command_without_a_coordinator_runs_children_too() {
    let (project, _model, _child) = home(Project::new()).await;
    let ran = accord(project.path()).args(["run", "father", "x"]).output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "{\"severity\":\"high\"}\n", "{ran:?}");
}

/// A waiting parent frees its slot for its child; otherwise a runner with one slot would wait
/// forever.
#[tokio::test]
async fn a_runner_full_of_waiting_parents_takes_their_children() {
    let one_place = Project::new().set("ACCORD_RUNNER__CONCURRENCY", "1");
    let (accord, _model, _child) = family(one_place, false).await;
    let run = accord.run(&ask("father")).await;
    assert_eq!((run.status, data(&run)), (RunStatus::Completed, Some(json!({"severity": "high"}))));
    accord.end().await;
}
