//! `kill -9` while a call of the caller's tool is open: the run waits in the store, and goes on with the answer.

use std::time::Duration;

use accord_api::{AnswerInput, CallerTool, CreateRun, InputQuery, InputRequest, InputStatus, RunStatus};
use accord_client::Client;
use accord_test_support::{ModelServer, PostgresCluster, Reply, Script};
use serde_json::json;

use crate::kill::Cluster;
use crate::support::{Project, agent};

const PATIENCE: Duration = Duration::from_secs(60);

/// Repeats a request until it has an answer that is wanted. The coordinator may be gone just now.
async fn until<T, E>(ask: impl AsyncFn() -> Result<T, E>, is_wanted: impl Fn(&T) -> bool) -> T {
    let asked = async {
        let mut pause = tokio::time::interval(Duration::from_millis(50));
        loop {
            if let Ok(answer) = ask().await
                && is_wanted(&answer)
            {
                return answer;
            }
            pause.tick().await;
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.unwrap()
}

async fn open_calls(client: &Client) -> Vec<InputRequest> {
    let query = InputQuery { status: Some(InputStatus::Open), ..InputQuery::default() };
    until(async || client.inputs(&query).await.map(|page| page.items), |open| !open.is_empty()).await
}

async fn survives(database: &str) {
    let model = ModelServer::start(Script::handler(|request, _| match request.text().contains("sunny") {
        true => Reply::text("It is sunny in Bonn."),
        false => Reply::tool("weather", &json!({"city": "Bonn"})),
    }))
    .await
    .unwrap();
    let project = Project::new().agent(&agent("reporter", &model, &json!({})));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut cluster = Cluster::start(project.path(), database, port);
    let client = Client::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    let weather = CallerTool {
        name: "weather".into(),
        description: "Looks up the weather.".into(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
        output_schema: None,
    };
    let request = CreateRun {
        agent_name: Some("reporter".into()),
        prompt: Some("How is the weather in Bonn?".into()),
        tools: vec![weather],
        ..CreateRun::default()
    };
    let run = until(async || client.create_run(&request, Some("once")).await, |_| true).await.run_id;
    let open = open_calls(&client).await;
    for what in 0..3 {
        cluster.kill(what).await;
    }
    assert_eq!(open_calls(&client).await, open, "the call is as open as before");
    let call = &open[0];
    assert_eq!(call.tool.as_ref().unwrap().arguments, json!({"city": "Bonn"}));
    let answer = AnswerInput { answer: json!("sunny"), digest: None };
    until(async || client.answer_input(&call.id, &answer).await, |_| true).await;
    cluster.kill(2).await;
    let ended = until(async || client.run(&run).await, |run| run.status.is_over()).await;
    assert_eq!((ended.run_id, ended.status), (run, RunStatus::Completed), "{:?}", ended.error);
    let result = ended.result.unwrap().result_text;
    assert_eq!(result.as_deref(), Some("It is sunny in Bonn."));
    assert_eq!(model.requests().len(), 2, "the first request was not paid twice");
}

#[tokio::test]
async fn an_open_call_survives_kill_nine_on_sqlite() {
    survives("sqlite://.accord/accord.db").await;
}

#[tokio::test]
async fn an_open_call_survives_kill_nine_on_postgresql() {
    let cluster = PostgresCluster::start().unwrap();
    survives(&cluster.fresh_database().unwrap()).await;
}
