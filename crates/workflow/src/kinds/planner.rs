//! Planner nodes: an agent makes a plan, other agents carry out its subtasks, and the results are joined.

use accord_domain::workflow::{NodeStatus, Worker, WorkflowFailure};
use serde_json::{Map, Value, json};

use super::{Behaviour, Definition, NodeKind};
use crate::advance::{DefaultInput, Engine, NextTask, Prepared, Start, prompt};
use crate::check::{Scope, accepts_no_prompt, unusable};
use crate::finding::Findings;
use crate::graph::{
    Node, ObjectReader, OutputSchema, Parameters, Role, Target, Then, Work, concurrency, file_schema,
    type_name, work,
};
use crate::limits::PLAN_RETRIES;
use crate::plan::{self, Plan, PlanError, Subtask};
use crate::signature::Known;
use crate::state::{At, NodeState, Purpose, Task};

pub(super) const DEFINITION: Definition = Definition {
    name: "planner",
    purpose: "let an agent plan",
    per_item: false,
    can_fail: true,
    read,
    schema: || {
        let agents = "The agents that a plan may use.";
        let synthesis = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": file_schema::work_properties(),
            "oneOf": file_schema::one_target(),
            "description": "Who joins the results.",
        });
        json!({
            "title": "An agent that makes a plan, and those who carry it out",
            "required": ["agent", "agents"],
            "properties": {
                "agent": file_schema::definition("worker"),
                "prompt": file_schema::definition("prompt"),
                "parameters": file_schema::definition("parameters"),
                "agents": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": agents},
                "synthesis": synthesis,
                "concurrency": file_schema::definition("concurrency"),
            },
        })
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct PlannerNode {
    work: Work,
    /// The agents that a plan can use.
    agents: Vec<String>,
    synthesis: Option<Work>,
    concurrency: u32,
}

fn read(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Option<NodeKind> {
    let own = work(reader, findings);
    if let Some(Work { target: Target::Workflow(_), .. }) = &own {
        findings.misplaced(reader.at("workflow"), "a planner must be an agent, not a workflow");
    }
    if let Some(Work { output_schema: Some(_), .. }) = &own {
        let message = "the output schema of a planner is fixed; remove this";
        findings.misplaced(reader.at("output_schema"), message);
    }
    let agents = agents(reader, findings);
    let at = reader.at("synthesis");
    let synthesis = reader.any("synthesis").and_then(|value| {
        let mut reader = ObjectReader::of(value, at, "a synthesis", findings)?;
        let synthesis = work(&mut reader, findings);
        reader.finish("a synthesis", findings);
        synthesis
    });
    let concurrency = concurrency(reader, findings);
    Some(NodeKind::Planner(Box::new(PlannerNode { work: own?, agents, synthesis, concurrency })))
}

fn agents(reader: &mut ObjectReader<'_>, findings: &mut Findings) -> Vec<String> {
    let mut agents = Vec::new();
    let at = reader.at("agents");
    match reader.any("agents") {
        Some(Value::Array(items)) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                match item {
                    Value::String(name) => agents.push(name.clone()),
                    other => findings.error(
                        at.index(index),
                        format!("expected the name of an agent, got {}", type_name(other)),
                    ),
                }
            }
        }
        Some(Value::Array(_)) => findings.error(at, "'agents' must name at least one agent"),
        Some(other) => {
            findings.error(at, format!("'agents': expected a list of names, got {}", type_name(other)))
        }
        None => findings.error(at, "missing field 'agents': the agents that a plan can use"),
    }
    agents
}

impl Behaviour for PlannerNode {
    fn works(&self) -> Vec<(&Work, Role)> {
        let synthesis = self.synthesis.iter().map(|work| (work, Role::Synthesis));
        [(&self.work, Role::Own)].into_iter().chain(synthesis).collect()
    }

    fn other_agents(&self) -> &[String] {
        &self.agents
    }

    fn output_schema(&self, node: &Node, known: &Known) -> Option<Value> {
        match &self.synthesis {
            Some(work) => known.gives(&node.id, work, Role::Synthesis).cloned(),
            None => Some(json!({
                "type": "object",
                "properties": {"plan": {"type": "object"}, "results": {"type": "object"}},
                "required": ["plan", "results"],
                "additionalProperties": false,
            })),
        }
    }

    fn check_agents(&self, node: &Node, known: &Known, findings: &mut Findings) {
        if known.of(&node.id, &self.work, Role::Own).is_some_and(|signature| signature.fixed) {
            let message = "this agent has its own output_schema, but a planner must return a plan; use an agent without one";
            findings.error(node.place().key("agent"), message);
        }
        let at = node.place().key("agents");
        for (index, name) in self.agents.iter().enumerate() {
            let Some(signature) = known.agents.get(name) else {
                let message = unusable("agent", name, known.agents.keys(), findings);
                findings.error(at.index(index), message);
                continue;
            };
            // A warning, because the plan may do without this agent.
            if let Some(reason) = accepts_no_prompt(&signature.takes, findings.meter) {
                let message =
                    format!("'{name}' does not accept a prompt, which is all a subtask provides: {reason}");
                findings.warning(at.index(index), message);
            }
        }
    }

    fn check_expressions(&self, node: &Node, scope: &Scope<'_>, findings: &mut Findings) {
        scope.parameters(&self.work.parameters, &node.place(), findings);
        if let Some(synthesis) = &self.synthesis {
            let at = Role::Synthesis.place(&node.id);
            scope.with(&["plan", "results"]).parameters(&synthesis.parameters, &at, findings);
        }
    }

    fn start(&self, engine: &mut Engine<'_>, node: usize) {
        engine.begin_new_task(node, Purpose::Plan);
    }

    fn prepare(&self, engine: &Engine<'_>, at: At, node: &Node, purpose: &Purpose) -> Prepared {
        match (purpose, &self.synthesis) {
            (Purpose::Plan, _) => self.prepare_plan(engine, at, node),
            (Purpose::Subtask(id), _) => prepare_subtask(engine, at, node, id),
            (Purpose::Synthesis, Some(work)) => prepare_synthesis(engine, at, node, work),
            (Purpose::Synthesis, None) => Err(WorkflowFailure::new("internal", "there is no synthesis")),
            (Purpose::Whole | Purpose::Item(_), _) => {
                Err(WorkflowFailure::new("internal", "this node has no such task"))
            }
        }
    }

    fn task_completed(&self, engine: &mut Engine<'_>, at: At, purpose: &Purpose, output: Value) {
        match purpose {
            Purpose::Plan => match plan::read(&output, &self.agents) {
                Ok(plan) => self.carry_out(engine, at.node, plan),
                Err(error) => self.ask_for_another_plan(engine, at, &error),
            },
            Purpose::Subtask(_) => engine.keep(at, output),
            Purpose::Synthesis | Purpose::Whole | Purpose::Item(_) => engine.complete(at.node, output),
        }
    }

    fn survives(&self, then: Then, purpose: &Purpose) -> bool {
        then == Then::Continue && matches!(purpose, Purpose::Subtask(_))
    }

    fn resume(&self, engine: &mut Engine<'_>, node: usize) {
        if !engine.start_tasks(node, self.concurrency, next_subtask) || engine.is_ending() {
            return;
        }
        if self.synthesis.is_some() {
            return engine.begin_new_task(node, Purpose::Synthesis);
        }
        let (plan, results) = outcome(engine, node);
        engine.complete(node, json!({"plan": plan, "results": results}));
    }
}

impl PlannerNode {
    fn prepare_plan(&self, engine: &Engine<'_>, at: At, node: &Node) -> Prepared {
        let mut start = engine.prepare_with_inputs(at, node, &self.work)?;
        if let Some(Value::String(prompt)) = start.parameters.get_mut("prompt") {
            *prompt = prompt::planning(prompt, &self.agents, &engine.flow.known.agents);
        }
        let output_schema = Some(OutputSchema::Inline(plan::schema(&self.agents)));
        Ok(Start { output_schema, invariants: plan::invariants(), ..start })
    }

    fn carry_out(&self, engine: &mut Engine<'_>, node: usize, plan: Plan) {
        for subtask in &plan.subtasks {
            engine.add_task(node, Purpose::Subtask(subtask.id.clone()));
        }
        if let Some(state) = engine.state.nodes.get_mut(node) {
            state.plan = Some(plan);
        }
        self.resume(engine, node);
    }

    /// Sends what is wrong with the plan to the same session, as for an answer that violates its contract.
    fn ask_for_another_plan(&self, engine: &mut Engine<'_>, at: At, error: &PlanError) {
        let Some(node) = engine.node(at.node) else { return };
        let replans = engine.state.nodes.get(at.node).map_or(0, |state| state.replans);
        let is_ending = engine.is_ending();
        let session = match engine.task(at).and_then(|task| task.worker.clone()) {
            Some(Worker::Run { session_id, .. }) if replans < PLAN_RETRIES && !is_ending => session_id,
            _ => {
                let message = format!("the plan is invalid: {error}");
                return engine.task_failed(at, WorkflowFailure::new("plan_invalid", message));
            }
        };
        if let Some(state) = engine.state.nodes.get_mut(at.node) {
            state.replans += 1;
        }
        match self.prepare_plan(engine, at, node) {
            Ok(start) => {
                let parameters = prompt::parameters(prompt::replan(error));
                engine.launch(Start { parameters, resume: Some(session), ..start });
            }
            Err(failure) => engine.task_failed(at, failure),
        }
    }
}

fn prepare_subtask(engine: &Engine<'_>, at: At, node: &Node, id: &str) -> Prepared {
    let state = engine.state.nodes.get(at.node);
    let plan = state.and_then(|state| state.plan.as_ref());
    let subtask = plan.and_then(|plan| plan.subtasks.iter().find(|subtask| subtask.id == id));
    let (Some(state), Some(subtask)) = (state, subtask) else {
        return Err(WorkflowFailure::new("internal", "there is no such subtask"));
    };
    let results: Map<String, Value> =
        results(state).into_iter().filter(|(other, _)| subtask.dependencies.contains(other)).collect();
    Ok(Start {
        at,
        node: node.id.clone(),
        role: Role::Own,
        target: Target::Agent(subtask.agent.clone()),
        resume: None,
        parameters: prompt::parameters(prompt::subtask(&subtask.description, &Value::Object(results))),
        output_schema: None,
        invariants: Vec::new(),
        priority: subtask.priority,
    })
}

fn prepare_synthesis(engine: &Engine<'_>, at: At, node: &Node, work: &Work) -> Prepared {
    let mut variables = engine.variables(at.node);
    let (plan, results) = outcome(engine, at.node);
    let all = Map::from_iter([("plan".to_owned(), plan.clone()), ("results".to_owned(), results.clone())]);
    variables.extend(all.clone());
    let given = DefaultInput { all, only: None };
    let mut start = engine.prepare_work(at, node, (work, Role::Synthesis), &variables, given)?;
    if work.parameters == Parameters::Inputs && start.parameters.get("prompt").is_some() {
        start.parameters = prompt::parameters(prompt::synthesis(&plan, &results));
    }
    Ok(start)
}

fn outcome(engine: &Engine<'_>, node: usize) -> (Value, Value) {
    let Some(state) = engine.state.nodes.get(node) else { return (Value::Null, Value::Null) };
    (json!(state.plan), Value::Object(results(state)))
}

fn next_subtask(state: &NodeState) -> Option<NextTask> {
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
            return Some(NextTask::Skip(place));
        }
        if needed.iter().all(|status| *status == NodeStatus::Completed) {
            ready.push((subtask, place));
        }
    }
    // Higher priority first, then the order of the plan.
    ready.sort_by_key(|(subtask, _)| -i64::from(subtask.priority));
    ready.first().map(|(_, place)| NextTask::Begin(*place))
}

/// The output of each subtask that completed, and the error of each that failed.
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
