//! Runs as tasks of the protocol.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelTaskRequest, ClientRequest,
    GetTaskParams, GetTaskRequest, GetTaskResult, ServerResult, TaskPayload, TaskStatus, UpdateTaskParams,
    UpdateTaskRequest,
};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};

use crate::support::{Office, User};

type Client = RunningService<RoleClient, User>;

async fn start(client: &Client) -> String {
    let Value::Object(arguments) = json!({"prompt": "Help"}) else { panic!("no object") };
    let request = CallToolRequestParams::new("agent__clerk").with_arguments(arguments);
    match client.call_tool_once(request).await.unwrap() {
        CallToolResponse::Task(created) => created.task.task_id,
        other => panic!("{other:?}"),
    }
}

async fn task(client: &Client, id: &str) -> GetTaskResult {
    let request = ClientRequest::GetTaskRequest(GetTaskRequest::new(GetTaskParams::new(id)));
    match client.send_request(request).await.unwrap() {
        ServerResult::GetTaskResult(result) => result,
        other => panic!("{other:?}"),
    }
}

async fn reply(client: &Client, id: &str, key: &str, content: Value) -> Result<(), ServiceError> {
    let reply = json!({"action": "accept", "content": content});
    let params = UpdateTaskParams::new(id, BTreeMap::from([(key.to_owned(), reply)]));
    client.send_request(ClientRequest::UpdateTaskRequest(UpdateTaskRequest::new(params))).await.map(|_| ())
}

#[tokio::test]
async fn a_task_is_a_run_that_asks_and_completes_with_the_judged_value() {
    let office = Office::open().await;
    let client = office.over_http(User::replying([]).with_tasks()).await;
    let id = start(&client).await;
    assert!(id.starts_with("run_"), "{id}");
    let input_requests = loop {
        match task(&client, &id).await.task.payload {
            TaskPayload::InputRequired { input_requests } => break input_requests,
            TaskPayload::Working => tokio::task::yield_now().await,
            other => panic!("{other:?}"),
        }
    };
    let key = input_requests.keys().next().unwrap();
    let error = reply(&client, &id, key, json!({"severity": "high", "hours": 0.3})).await.unwrap_err();
    assert!(error.to_string().contains("$.hours"), "{error}");
    let error = reply(&client, &id, "other", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("is not the key of a question"), "{error}");
    reply(&client, &id, key, json!({"severity": "high", "hours": 0.5})).await.unwrap();
    let done = task(&client, &id).await.task;
    let TaskPayload::Completed { result } = &done.payload else { panic!("{done:?}") };
    assert_eq!(result["structuredContent"], json!({"severity": "high", "hours": 0.5}));
    assert_eq!(result["_meta"]["accord/run_id"], json!(id));
}

#[tokio::test]
async fn a_cancelled_task_is_a_stopped_run() {
    let office = Office::open().await;
    let client = office.over_http(User::replying([]).with_tasks()).await;
    let id = start(&client).await;
    let cancel = CancelTaskRequest::new(CancelTaskParams::new(id.clone()));
    client.send_request(ClientRequest::CancelTaskRequest(cancel)).await.unwrap();
    assert_eq!(task(&client, &id).await.task.status(), TaskStatus::Cancelled);
    let unknown = ClientRequest::GetTaskRequest(GetTaskRequest::new(GetTaskParams::new("run_none")));
    let error = client.send_request(unknown).await.unwrap_err();
    assert!(error.to_string().contains("run_none"), "{error}");
}

#[tokio::test]
async fn tasks_are_for_clients_that_know_them() {
    let office = Office::open().await;
    let client = office.over_http(User::replying([])).await;
    let request = ClientRequest::GetTaskRequest(GetTaskRequest::new(GetTaskParams::new("run_1")));
    let ServiceError::McpError(error) = client.send_request(request).await.unwrap_err() else {
        panic!("no error of the protocol")
    };
    assert_eq!(error.code.0, -32021);
}
