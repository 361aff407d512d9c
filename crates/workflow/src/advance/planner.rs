//! Planner nodes: a plan is made, its subtasks are done in their order, and the results are joined.

use accord_domain::workflow::{Fault, NodeStatus, Worker};
use serde_json::{Map, Value, json};

use super::engine::Engine;
use super::inputs::Given;
use super::{Start, prompt};
use crate::graph::{Kind, Node, OutputSchema, Parameters, Role, Target, Work};
use crate::limits::PLAN_RETRIES;
use crate::plan::{self, Plan, Subtask};
use crate::state::{At, NodeState, Purpose, Task};

impl Engine<'_> {
    /// What a task of a planner is told.
    pub(super) fn planned(&self, at: At, node: &Node, purpose: &Purpose) -> Result<Start, Fault> {
        let Kind::Planner { work, agents, synthesis, .. } = &node.kind else {
            return Err(Fault::new("internal", "this node does not plan"));
        };
        match purpose {
            Purpose::Plan => self.planning(at, node, work, agents),
            Purpose::Subtask(id) => self.subtask(at, node, id),
            Purpose::Synthesis => match synthesis {
                Some(work) => self.synthesis(at, node, work),
                None => Err(Fault::new("internal", "there is no synthesis")),
            },
            Purpose::Whole | Purpose::Item(_) => Err(Fault::new("internal", "this node has no such task")),
        }
    }

    fn planning(&self, at: At, node: &Node, work: &Work, agents: &[String]) -> Result<Start, Fault> {
        let mut start =
            self.work(at, node, (work, Role::Own), &self.variables(at.node), self.given(at.node))?;
        if let Some(Value::String(text)) = start.parameters.get("prompt").cloned().as_ref()
            && let Some(members) = start.parameters.as_object_mut()
        {
            members.insert(
                "prompt".to_owned(),
                Value::from(prompt::planning(text, agents, &self.flow.known.agents)),
            );
        }
        let output_schema = Some(OutputSchema::Inline(plan::schema(agents)));
        Ok(Start { output_schema, invariants: plan::invariants(), ..start })
    }

    fn subtask(&self, at: At, node: &Node, id: &str) -> Result<Start, Fault> {
        let state = self.state.nodes.get(at.node);
        let plan = state.and_then(|state| state.plan.as_ref());
        let subtask = plan.and_then(|plan| plan.subtasks.iter().find(|subtask| subtask.id == id));
        let (Some(state), Some(subtask)) = (state, subtask) else {
            return Err(Fault::new("internal", "there is no such subtask"));
        };
        let results: Map<String, Value> =
            results(state).into_iter().filter(|(other, _)| subtask.dependencies.contains(other)).collect();
        Ok(Start {
            at,
            node: node.id.clone(),
            role: Role::Own,
            target: Target::Agent(subtask.agent.clone()),
            resume: None,
            parameters: prompt::told(prompt::subtask(&subtask.description, &Value::Object(results))),
            output_schema: None,
            invariants: Vec::new(),
            priority: subtask.priority,
        })
    }

    fn synthesis(&self, at: At, node: &Node, work: &Work) -> Result<Start, Fault> {
        let mut variables = self.variables(at.node);
        let (plan, results) = self.outcome(at.node);
        let all =
            Map::from_iter([("plan".to_owned(), plan.clone()), ("results".to_owned(), results.clone())]);
        variables.extend(all.clone());
        let given = Given { all, only: None };
        let mut start = self.work(at, node, (work, Role::Synthesis), &variables, given)?;
        if work.parameters == Parameters::Inputs && start.parameters.get("prompt").is_some() {
            start.parameters = prompt::told(prompt::synthesis(&plan, &results));
        }
        Ok(start)
    }

    /// The plan and what came of it.
    fn outcome(&self, place: usize) -> (Value, Value) {
        let Some(state) = self.state.nodes.get(place) else { return (Value::Null, Value::Null) };
        let plan = serde_json::to_value(&state.plan).unwrap_or_default();
        (plan, Value::Object(results(state)))
    }

    pub(super) fn planner_completed(&mut self, at: At, purpose: &Purpose, value: Value) {
        match purpose {
            Purpose::Plan => self.plan_made(at, &value),
            Purpose::Subtask(_) => {
                if let Some(task) = self.task(at) {
                    task.output = Some(value);
                }
                self.go_on_with_plan(at.node);
            }
            Purpose::Synthesis | Purpose::Whole | Purpose::Item(_) => self.complete(at.node, value),
        }
    }

    fn plan_made(&mut self, at: At, value: &Value) {
        let Some(Node { kind: Kind::Planner { agents, .. }, .. }) = self.node(at.node) else { return };
        match plan::read(value, agents) {
            Ok(plan) => self.carry_out(at.node, plan),
            Err(fault) => self.ask_for_another(at, &fault),
        }
    }

    fn carry_out(&mut self, place: usize, plan: Plan) {
        for subtask in &plan.subtasks {
            self.add_task(place, Purpose::Subtask(subtask.id.clone()));
        }
        if let Some(state) = self.state.nodes.get_mut(place) {
            state.plan = Some(plan);
        }
        self.go_on_with_plan(place);
    }

    /// The same session is told what is wrong, as it is where a contract is not met.
    fn ask_for_another(&mut self, at: At, fault: &str) {
        let Some(node) = self.node(at.node) else { return };
        let replans = self.state.nodes.get(at.node).map_or(0, |state| state.replans);
        let session = match self.task(at).and_then(|task| task.worker.clone()) {
            Some(Worker::Run { session_id, .. }) if replans < PLAN_RETRIES && !self.is_ending() => session_id,
            _ => {
                let message = format!("the plan is invalid: {fault}");
                return self.task_failed(at, Fault::new("plan_invalid", message));
            }
        };
        if let Some(state) = self.state.nodes.get_mut(at.node) {
            state.replans += 1;
        }
        match self.prepared_again(at, node, prompt::replan(fault)) {
            Ok(start) => self.launch(Start { resume: Some(session), ..start }),
            Err(fault) => self.task_failed(at, fault),
        }
    }

    fn prepared_again(&self, at: At, node: &Node, text: String) -> Result<Start, Fault> {
        let start = self.planned(at, node, &Purpose::Plan)?;
        Ok(Start { parameters: prompt::told(text), ..start })
    }

    /// Starts what can be started of a plan; joins the results where all is done.
    pub(super) fn go_on_with_plan(&mut self, place: usize) {
        let Some(Node { kind: Kind::Planner { concurrency, synthesis, .. }, .. }) = self.node(place) else {
            return;
        };
        loop {
            let Some(state) = self.state.nodes.get(place).filter(|state| state.status == NodeStatus::Running)
            else {
                return;
            };
            let running = state.tasks.iter().filter(|task| task.status == NodeStatus::Running).count();
            match next(state) {
                Some(Next::Pass(task)) => {
                    if let Some(task) = self.task(At { node: place, task }) {
                        task.status = NodeStatus::Skipped;
                    }
                }
                Some(Next::Begin(task)) if running < *concurrency as usize && !self.is_ending() => {
                    self.begin_task(At { node: place, task });
                }
                Some(Next::Begin(_)) => return,
                None if running > 0 => return,
                None => break,
            }
        }
        if self.is_ending() {
            return;
        }
        match synthesis {
            Some(_) => {
                self.add_task(place, Purpose::Synthesis);
                let last = self.state.nodes.get(place).map_or(0, |state| state.tasks.len().saturating_sub(1));
                self.begin_task(At { node: place, task: last });
            }
            None => {
                let (plan, results) = self.outcome(place);
                self.complete(place, json!({"plan": plan, "results": results}));
            }
        }
    }
}

/// What is to be done with a plan next.
enum Next {
    /// Start this task.
    Begin(usize),
    /// Pass by this task: what it depends on failed.
    Pass(usize),
}

fn next(state: &NodeState) -> Option<Next> {
    let plan = state.plan.as_ref()?;
    let task_of = |id: &str| {
        let of = |task: &&Task| matches!(&task.purpose, Purpose::Subtask(known) if known == id);
        state.tasks.iter().find(of).map(|task| task.status)
    };
    let mut ready: Vec<(&Subtask, usize)> = Vec::new();
    for (place, task) in state.tasks.iter().enumerate().filter(|(_, task)| task.status == NodeStatus::Waiting)
    {
        let Purpose::Subtask(id) = &task.purpose else { continue };
        let Some(subtask) = plan.subtasks.iter().find(|subtask| subtask.id == *id) else { continue };
        let needed: Vec<NodeStatus> = subtask.dependencies.iter().filter_map(|id| task_of(id)).collect();
        if needed.iter().any(|status| matches!(status, NodeStatus::Failed | NodeStatus::Skipped)) {
            return Some(Next::Pass(place));
        }
        if needed.iter().all(|status| *status == NodeStatus::Completed) {
            ready.push((subtask, place));
        }
    }
    // Higher priority first, then the order of the plan.
    ready.sort_by_key(|(subtask, _)| -i64::from(subtask.priority));
    ready.first().map(|(_, place)| Next::Begin(*place))
}

/// What came of the subtasks of a plan: outputs, and why there is none.
fn results(state: &NodeState) -> Map<String, Value> {
    let mut results = Map::new();
    for task in &state.tasks {
        let Purpose::Subtask(id) = &task.purpose else { continue };
        let result = match (&task.output, &task.error) {
            (Some(output), _) => output.clone(),
            (None, Some(error)) => json!({"error": error}),
            (None, None) => continue,
        };
        results.insert(id.clone(), result);
    }
    results
}
