//! The objects that must exist before a request about them is more than a 404.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::openapi::{Known, Operation};
use super::victim::{Victim, recursive};
use super::wire::Request;

/// An agent with a model that accepts any answer unless the caller sets a contract.
pub(super) const AGENT: &str = "parrot";

/// A workflow that returns its input.
pub(super) const WORKFLOW: &str = "plain";

/// An agent that is a person.
pub(super) const PERSON: &str = "person";

/// An agent that only the runner of [`Held`] takes.
pub(super) const KEPT: &str = "kept";

/// An agent, a workflow and a schema that may be overwritten.
pub(super) const SPARE: &str = "spare";

/// Runs with this requirement are left to the test.
const TAG: &str = "hostile";

/// The routes of people who have a link instead of a key.
pub(super) const LINKS: &str = "/input-links";

/// Values for the properties of bodies, by their names.
pub(super) fn known() -> Known {
    Known {
        always: json!({
            "agent_name": AGENT, "workflow_name": WORKFLOW, "model": AGENT, "prompt": "a", "name": "<name>",
            "messages": [{"role": "user", "content": "a"}], "input": "a", "result_data": {},
            "executor": {"type": "llm", "provider": "anthropic", "model": "m"}, "schema": {"type": "object"},
            "runner_id": "<runner>", "lease_id": "<lease>", "attempt": "<attempt>",
        }),
        if_required: json!({
            "session_id": "<session>", "run_id": "<run>", "input_id": "<input>", "value": 1, "answer": "a", "from_step": 1,
            "id": 1,
        }),
    }
}

/// A run that this test has claimed as a runner, so that its token is known.
#[derive(Debug, Clone)]
pub(super) struct Held {
    run: String,
    lease: String,
    runner: Value,
    attempt: Value,
}

impl Held {
    pub(super) fn token(&self) -> String {
        format!("run.{}.{}", self.run, self.lease)
    }

    fn heartbeat(&self) -> Request {
        let holds = json!({"run_id": self.run, "lease_id": self.lease, "attempt": self.attempt});
        Request::post("/runner/heartbeat", json!({"runner_id": self.runner, "runs": [holds]}).to_string())
    }
}

/// The objects of a victim.
#[derive(Debug, Clone, Default)]
pub(super) struct Objects {
    run: Option<(String, String)>,
    held: Option<Held>,
    /// The token of a link to a question.
    pub(super) link: Option<String>,
    made: usize,
}

/// Agents that the objects need.
pub(super) fn agents() -> Vec<Value> {
    let spare = json!({"name": SPARE, "executor": {"type": "llm", "provider": "anthropic", "model": "m"}});
    let person = json!({"name": PERSON, "executor": {"type": "human"}, "output_schema": recursive()});
    let kept = json!({"name": KEPT, "executor": {"type": "codex"}, "output_schema": recursive()});
    vec![spare, person, kept]
}

fn text(value: &Value) -> String {
    assert!(value.is_string(), "expected a string, got {value}");
    value.as_str().unwrap().to_owned()
}

impl Victim {
    /// Creates what requests refer to.
    pub(super) async fn furnish(&mut self) {
        let nodes = json!({"input": {"type": "input"}, "output": {"type": "output"}});
        let edges = json!([{"from": "input", "to": "output"}]);
        for name in [WORKFLOW, SPARE] {
            let document = json!({"name": name, "nodes": nodes, "edges": edges});
            self.json(Request::post("/workflows", document.to_string())).await;
        }
        let schema = json!({"name": SPARE, "schema": {"type": "object"}});
        self.json(Request::post("/schemas", schema.to_string())).await;
        self.objects = Objects::default();
    }

    /// The address of an operation about objects that exist, and those that its body may name.
    pub(super) async fn address(&mut self, operation: &Operation) -> (String, BTreeMap<&'static str, Value>) {
        let (run, session) = self.finished_run().await;
        let mut objects = BTreeMap::from([("run", json!(run)), ("session", json!(session))]);
        let is_new = operation.method == "POST";
        let path = operation.path.as_str();
        let named = |name: &str| {
            path.replace(
                "{name}",
                if ["PUT", "PATCH", "DELETE"].contains(&operation.method.as_str()) { SPARE } else { name },
            )
        };
        let address = match path {
            path if operation.body.is_none() => {
                // Nothing that the other attacks need is removed.
                let object = if operation.method == "GET" { AGENT } else { "none" };
                let segments = path.split('/').map(|part| if part.starts_with('{') { object } else { part });
                segments.collect::<Vec<_>>().join("/")
            }
            path if path.starts_with("/agents/") => named(AGENT),
            path if path.starts_with("/workflows/") => named(WORKFLOW),
            path if path.starts_with("/runs/") => path.replace("{id}", &run),
            path if path.starts_with("/inputs/") => path.replace("{id}", &self.input().await),
            path if path.starts_with(LINKS) => {
                let link = Request::post(format!("/inputs/{}/link", self.input().await), "");
                self.objects.link = Some(text(&self.json(link).await["token"]));
                path.to_owned()
            }
            path if path.starts_with("/runner/") => {
                let held = self.held().await;
                objects.extend([
                    ("runner", held.runner),
                    ("lease", json!(held.lease)),
                    ("attempt", held.attempt),
                ]);
                objects.insert("run", json!(held.run));
                path.replace("{id}", &held.run)
            }
            path => path.to_owned(),
        };
        assert!(!address.contains('{'), "{}: create the object that it is about", operation.name());
        self.objects.made += 1;
        let name = if is_new { format!("made-{}", self.objects.made) } else { SPARE.to_owned() };
        objects.insert("name", json!(name));
        // Otherwise the run goes on while the next attack is measured.
        let waits = is_new && operation.in_query.iter().any(|name| name == "wait");
        (if waits { format!("{address}?wait=300") } else { address }, objects)
    }

    /// A run that is finished, and its session.
    pub(super) async fn finished_run(&mut self) -> (String, String) {
        if self.objects.run.is_none() {
            let run = json!({"agent_name": AGENT, "prompt": "a"});
            let run = self.json(Request::post("/runs?wait=60", run.to_string())).await;
            self.objects.run = Some((text(&run["run_id"]), text(&run["session_id"])));
        }
        self.objects.run.clone().unwrap()
    }

    /// A question that a person has not answered yet.
    pub(super) async fn input(&mut self) -> String {
        let mut pause = tokio::time::interval(Duration::from_millis(20));
        let mut asked = false;
        loop {
            pause.tick().await;
            let open = self.json(Request::new("GET", "/inputs?status=open&limit=1")).await;
            if let Some(id) = open.pointer("/items/0/id") {
                return text(id);
            }
            if !asked {
                let run = json!({"agent_name": PERSON, "prompt": "a"});
                self.json(Request::post("/runs", run.to_string())).await;
                asked = true;
            }
        }
    }

    /// A run that this test executes.
    pub(super) async fn held(&mut self) -> Held {
        if let Some(held) = self.objects.held.clone() {
            let renewed = self.json(held.heartbeat()).await;
            if renewed["runs"][0]["directive"] == "continue" {
                return held;
            }
        }
        let profile = json!({
            "hostname": "here", "executor_types": ["codex"], "tags": [TAG], "concurrency": 1, "version": "1",
        });
        let runner = json!({"profile": profile}).to_string();
        let runner = self.json(Request::post("/runner/register", runner)).await["runner_id"].clone();
        let run = json!({"agent_name": KEPT, "prompt": "a", "additional_demands": {"tags": [TAG]}});
        self.json(Request::post("/runs", run.to_string())).await;
        let claim = json!({"runner_id": runner, "max": 1, "wait_seconds": 60});
        let claimed = self.json(Request::post("/runner/claims", claim.to_string())).await;
        let run = &claimed["runs"][0];
        let (run_id, lease) = (text(&run["run_id"]), text(&run["lease_id"]));
        let held = Held { run: run_id, lease, runner, attempt: run["attempt"].clone() };
        self.objects.held = Some(held.clone());
        held
    }
}
