//! Workflows on the real binary, with a scripted model for their agents.

mod checks;
mod commands;
mod comparing;
mod files;
mod kill;
mod planning;
mod poison;
mod policies;
mod shapes;

use accord_api::{CreateWorkflowRun, EventBody, EventView, NodeStatus, WorkflowRunId, WorkflowRunView};
use accord_client::EventFilter;
use accord_test_support::{ModelServer, Reply, Script};
use serde_json::{Value, json};

use crate::support::{Accord, Project, agent};

/// A workflow run that takes longer than this hangs.
const PATIENCE: u32 = 60;

/// The answer of an agent is in its prompt between these marks: the model repeats it.
const BEGIN: &str = "[[";
const END: &str = "]]";

/// A model that answers with the marked text of the last prompt, or with an error if that is
/// `fail`.
async fn parrot() -> ModelServer {
    ModelServer::start(Script::handler(|request, _| {
        let text = request.text();
        let said = text.rsplit(BEGIN).next().and_then(|rest| rest.split(END).next()).unwrap_or("{}");
        match said {
            "fail" => Reply::error(400, "no"),
            said => Reply::text(said),
        }
    }))
    .await
    .unwrap()
}

/// An agent that answers with any object.
fn any(name: &str, model: &ModelServer) -> Value {
    let extra = json!({
        "output_schema": {"type": "object", "properties": {}},
        "output_schema_options": {"strategy": "prompt"},
    });
    agent(name, model, &extra)
}

/// A node whose agent answers with this value.
fn says(value: &Value) -> Value {
    json!({"type": "agent", "agent": "parrot", "prompt": format!("Say {BEGIN}{value}{END}")})
}

fn edges(pairs: &[(&str, &str)]) -> Value {
    pairs.iter().map(|(from, to)| json!({"from": from, "to": to})).collect()
}

fn workflow(name: &str, nodes: &Value, edges: &Value) -> Value {
    json!({"name": name, "nodes": nodes, "edges": edges})
}

/// A running project with a parrot agent.
async fn project(model: &ModelServer) -> Accord {
    Project::new().agent(&any("parrot", model)).up().await
}

impl Accord {
    /// Stores a workflow, runs it, and waits for its end.
    async fn conduct(&self, document: &Value, input: Value) -> WorkflowRunView {
        self.client.create_workflow(document).await.unwrap();
        self.run_workflow(document["name"].as_str().unwrap(), input).await
    }

    async fn run_workflow(&self, name: &str, input: Value) -> WorkflowRunView {
        let request = CreateWorkflowRun { input: Some(input), ..CreateWorkflowRun::default() };
        let run = self.client.run_workflow_and_wait(name, &request, PATIENCE).await.unwrap();
        assert!(run.status.is_over(), "{run:#?}");
        run
    }

    /// All events of a workflow run, in order.
    async fn workflow_events(&self, id: &WorkflowRunId) -> Vec<EventView> {
        let filter = EventFilter { workflow_run_id: Some(id.clone()), ..EventFilter::default() };
        self.events_until(filter, |body| matches!(body, EventBody::WorkflowFinished { .. })).await
    }
}

fn status(run: &WorkflowRunView, node: &str) -> NodeStatus {
    run.nodes.iter().find(|known| known.id == node).unwrap().status
}

fn fault(run: &WorkflowRunView) -> Option<&str> {
    run.error.as_ref().map(|error| error.kind.as_str())
}
