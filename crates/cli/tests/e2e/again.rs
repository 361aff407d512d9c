//! One approval is for one call, however often a run is done again, on both databases.

use std::time::Duration;

use accord_api::{
    AnswerInput, CreateKey, CreateRun, CreatedRun, ForkRun, InputQuery, InputStatus, RetryRun, Role, RunId,
    RunStatus, RunView,
};
use accord_client::{ApiKey, Client};
use accord_test_support::{ModelServer, PostgresCluster, Reply, Script};
use serde_json::json;

use crate::support::{Project, agent};

/// Pays with a command that needs approval, and answers what came of it.
fn script() -> Script {
    Script::handler(move |request, _| {
        let messages = request.body["messages"].as_array().unwrap();
        let said = messages.iter().filter(|message| message["role"] == "assistant").count();
        match said {
            0 => Reply::tool("run_command", &json!({"command": "echo paid >> paid"})),
            _ => Reply::text("{\"done\": true}"),
        }
    })
}

/// Waits until a run is over or a person has to answer.
async fn settled(client: &Client, id: &RunId) -> RunView {
    let looking = async {
        let mut pause = tokio::time::interval(Duration::from_millis(20));
        loop {
            let run = client.run(id).await.unwrap();
            if run.status == RunStatus::InputRequired || run.status.is_over() {
                return run;
            }
            pause.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), looking).await.unwrap()
}

async fn decide(client: &Client, run_id: &RunId, approve: bool) -> RunView {
    assert_eq!(settled(client, run_id).await.status, RunStatus::InputRequired, "{run_id}");
    let open =
        InputQuery { status: Some(InputStatus::Open), run_id: Some(run_id.clone()), ..InputQuery::default() };
    let [request] = client.inputs(&open).await.unwrap().items.try_into().unwrap();
    let answer = AnswerInput { answer: json!({"approve": approve}), digest: Some(request.digest.clone()) };
    client.answer_input(&request.id, &answer).await.unwrap();
    let run = client.wait_for_run(run_id, 60).await.unwrap();
    assert_eq!(run.status, RunStatus::Completed, "{:?}", run.error);
    run
}

/// From every step: a run that nobody answers, one that is approved and one that is denied.
async fn approved_as_often_as_it_runs(database: &str) {
    let model = ModelServer::start(script()).await.unwrap();
    let more = json!({
        "output_schema": {"type": "object", "required": ["done"], "properties": {"done": {"type": "boolean"}}},
        "output_schema_options": {"strategy": "prompt"}, "tools": ["run_command"], "approve": ["run_command"],
    });
    let project = Project::new().agent(&agent("payer", &model, &more)).set("ACCORD_DATABASE__URL", database);
    let host = project.up().await;
    let key = |role| CreateKey { role, name: "test".into(), expires_at: None };
    let admin = host.client.create_key(&key(Role::Admin)).await.unwrap();
    let admin = Client::new(&host.url, Some(&ApiKey::new(admin.key))).unwrap();
    let caller = admin.create_key(&key(Role::Caller)).await.unwrap();
    let client = Client::new(&host.url, Some(&ApiKey::new(caller.key))).unwrap();
    let paid = || std::fs::read_to_string(host.path().join("paid")).unwrap_or_default().lines().count();

    let request = CreateRun {
        agent_name: Some("payer".to_owned()),
        prompt: Some("Pay.".to_owned()),
        ..CreateRun::default()
    };
    let first = client.create_run(&request, None).await.unwrap().run_id;
    decide(&client, &first, true).await;
    let mut approvals = 1;
    assert_eq!(paid(), approvals);
    let steps = client.steps(&first).await.unwrap().items;
    let kinds: Vec<&str> = steps.iter().map(|step| step.body.kind()).collect();
    let expected = ["model_answer", "input", "tool_started", "tool_result", "model_answer", "verdict"];
    assert_eq!(kinds, expected);
    let result = 4;

    let again = async |from_step: Option<u32>| -> CreatedRun {
        match from_step {
            None => client.retry_run(&first, &RetryRun::default()).await.unwrap(),
            Some(from_step) => {
                let fork = ForkRun {
                    from_step,
                    model: None,
                    system_prompt: None,
                    output_schema: None,
                    callback: false,
                };
                client.fork_run(&first, &fork).await.unwrap()
            }
        }
    };
    let ways = [None].into_iter().chain(steps.iter().map(|step| Some(step.number)));
    for from_step in ways {
        for decision in [None, Some(true), Some(false)] {
            let run_id = again(from_step).await.run_id;
            if from_step.is_some_and(|step| step >= result) {
                let run = settled(&client, &run_id).await;
                assert_eq!(run.status, RunStatus::Completed, "{from_step:?}: {:?}", run.error);
            } else {
                let run = settled(&client, &run_id).await;
                assert_eq!(run.status, RunStatus::InputRequired, "{from_step:?} {decision:?}");
            }
            if let (Some(approve), true) = (decision, from_step.is_none_or(|step| step < result)) {
                decide(&client, &run_id, approve).await;
                approvals += usize::from(approve);
            }
            assert_eq!(paid(), approvals, "{from_step:?} {decision:?}");
        }
    }
    assert_eq!(approvals, 1 + 4, "from the start and from each of three steps");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_as_often_as_it_was_approved_on_sqlite() {
    approved_as_often_as_it_runs("sqlite://.accord/accord.db").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_runs_as_often_as_it_was_approved_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    approved_as_often_as_it_runs(&cluster.fresh_database().unwrap()).await;
}
