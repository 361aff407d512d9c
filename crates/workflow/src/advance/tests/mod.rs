//! The engine, driven by hand: every start is acknowledged at once, and the test decides the
//! outcome of each task.

mod again;
mod held;
mod nodes;
mod plans;
mod policies;
mod random;

use accord_contract::Meter;
use std::collections::BTreeMap;

use accord_domain::event::Body;
use accord_domain::id::SessionId;
use accord_domain::workflow::{NodeStatus, Status, Worker, WorkflowFailure};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::*;
use crate::graph::read;
use crate::signature::{Known, Signature, Takes};

/// A run in progress.
struct Drive {
    flow: Flow,
    state: State,
    /// Running workers: the node's id (with the item or subtask) and the input.
    open: BTreeMap<String, (Worker, Start)>,
    told: Vec<Body>,
    stopped: Vec<Worker>,
    started: u32,
}

fn signature(takes: Takes) -> Signature {
    Signature { takes, gives: None, fixed: false, description: None }
}

impl Drive {
    fn new(nodes: Value, edges: Value, input: Value) -> Self {
        let (graph, findings) =
            read(&json!({"name": "test", "nodes": nodes, "edges": edges}), &Meter::default());
        assert_eq!(findings, []);
        let mut known = Known::default();
        for name in ["one", "two", "three"] {
            known.agents.insert(name.to_owned(), signature(Takes::Anything));
        }
        known.agents.insert("prompted".to_owned(), signature(Takes::Prompt));
        let graph = graph.unwrap();
        let state = State::new(&graph, input);
        let flow = Flow::new(graph, known).unwrap();
        let mut drive =
            Self { flow, state, open: BTreeMap::new(), told: Vec::new(), stopped: Vec::new(), started: 0 };
        drive.event(Event::Begun);
        drive
    }

    fn event(&mut self, event: Event) {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let (state, steps) = advance(
            &self.flow,
            self.state.clone(),
            event,
            now,
            &CompareOptions::default(),
            &Meter::default(),
        );
        self.state = state;
        for step in steps {
            match step {
                Step::Tell(body) => self.told.push(body),
                Step::Stop(worker) => self.stopped.push(worker),
                Step::Start(start) if self.state.head.status != Status::Running => {
                    self.event(Event::Withdrawn { at: start.at });
                }
                Step::Start(start) => {
                    self.started += 1;
                    let id = self.started;
                    let worker = Worker::Run { run_id: RunId::new(id), session_id: SessionId::new(id) };
                    let task = &self.state.nodes[start.at.node].tasks[start.at.task];
                    let name = match &task.purpose {
                        crate::state::Purpose::Whole => start.node.clone(),
                        crate::state::Purpose::Item(index) => format!("{}[{index}]", start.node),
                        crate::state::Purpose::Subtask(id) => format!("{}.{id}", start.node),
                        crate::state::Purpose::Plan => format!("{}.plan", start.node),
                        crate::state::Purpose::Synthesis => format!("{}.synthesis", start.node),
                    };
                    let at = start.at;
                    self.open.insert(name, (worker.clone(), *start));
                    self.event(Event::Started { at, worker });
                }
            }
        }
    }

    fn end(&mut self, name: &str, end: TaskOutcome) {
        let (worker, _) = self.open.remove(name).unwrap_or_else(|| panic!("{name} is not at work"));
        self.event(Event::Ended { worker, end });
    }

    fn complete(&mut self, name: &str, value: Value) {
        self.end(name, TaskOutcome::Completed(value));
    }

    fn fail(&mut self, name: &str) {
        self.end(name, TaskOutcome::Failed(WorkflowFailure::new("executor_failed", "no")));
    }

    fn at_work(&self) -> Vec<&str> {
        self.open.keys().map(String::as_str).collect()
    }

    fn parameters(&self, name: &str) -> &Value {
        &self.open[name].1.parameters
    }

    fn status(&self, node: &str) -> NodeStatus {
        self.state.nodes[self.flow.node(node).unwrap()].status
    }

    fn result(&self) -> (Status, Value, Option<&str>) {
        let head = &self.state.head;
        (head.status, head.output.clone(), head.error.as_ref().map(|error| error.kind.as_str()))
    }

    fn kinds(&self) -> Vec<&'static str> {
        self.told.iter().map(Body::kind).collect()
    }
}

fn agent(name: &str) -> Value {
    json!({"type": "agent", "agent": name})
}

fn edges(pairs: &[(&str, &str)]) -> Value {
    pairs.iter().map(|(from, to)| json!({"from": from, "to": to})).collect()
}
