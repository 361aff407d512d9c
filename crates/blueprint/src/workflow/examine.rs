//! Checks a workflow against the agents, workflows and schemas that exist.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use accord_api::{Problem, Severity};
use accord_contract::{JsonPath, Meter, Schema, Step};
use accord_domain::agent::Type;
use accord_workflow::limits::DEEPEST_NESTING;
use accord_workflow::{Graph, Known, Role, Signature, Takes, Target, check, output_schema};
use serde_json::{Value, json};

use super::{ParsedWorkflow, has_errors};
use crate::agent::contracts::DeclaredSchema;
use crate::agent::providers::add_configuration;
use crate::agent::{ParsedAgent, ValidBlueprint};
use crate::definition::Parsed as _;
use crate::name::MAX_NAME_LENGTH;

/// What exists besides a workflow: at least everything that it refers to, directly or through other workflows.
#[derive(Debug, Default)]
pub struct Library {
    /// Agents by name, valid or not.
    pub agents: BTreeMap<String, Arc<ParsedAgent>>,
    /// Agents that are defined in workflows, by their [`inline_blueprint`] as text.
    pub inline: BTreeMap<String, Arc<ParsedAgent>>,
    /// Workflows by name, valid or not.
    pub workflows: BTreeMap<String, Arc<ParsedWorkflow>>,
    /// Registered schemas by name, or why one cannot be used.
    pub schemas: BTreeMap<String, Result<Schema, String>>,
    /// The names of the configured providers.
    pub providers: Vec<String>,
}

impl Library {
    /// All problems of a workflow, and what is known of the agents and workflows in it.
    pub fn examine(&self, read: &ParsedWorkflow, meter: &Meter) -> (Vec<Problem>, Known) {
        let mut problems = read.problems().to_vec();
        let Some(graph) = &read.graph else { return (problems, Known::default()) };
        let mut known = self.named_by(graph);
        for (node, work, role) in graph.works() {
            let Target::Inline(blueprint) = &work.target else { continue };
            let Some(agent) = self.inline_agent(graph, &node.id, role, blueprint) else { continue };
            let place = role.place(&node.id).key("agent");
            match agent.valid.as_ref().map(|valid| self.signature(valid)) {
                None => problems.extend(moved(read, &place, &agent.problems)),
                Some(Err(message)) => problems.push(read.problem(Severity::Error, place, message)),
                Some(Ok(signature)) => {
                    let mut warnings = agent.problems.clone();
                    add_configuration(&mut warnings, &agent.value, &self.providers);
                    problems.extend(moved(read, &place, &warnings));
                    known.inline.insert(Known::inline_key(&node.id, role), signature);
                }
            }
        }
        self.nested(graph, read, &mut known, &mut problems, meter);
        self.check_depth(graph, read, &mut problems);
        problems.extend(read.located(check(graph, &known, meter)));
        problems.sort_by_key(|problem| (problem.severity == Severity::Warning, problem.line, problem.column));
        (problems, known)
    }

    /// What is known of the agents and registered schemas in a graph.
    fn named_by(&self, graph: &Graph) -> Known {
        let schema = |name: &str| {
            let schema = self.schemas.get(name)?.as_ref().ok()?;
            Some((name.to_owned(), schema.document().clone()))
        };
        let agent = |name: &str| {
            let valid = self.agents.get(name)?.valid.as_ref()?;
            Some((name.to_owned(), self.signature(valid).ok()?))
        };
        Known {
            schemas: graph.schema_names().into_iter().filter_map(schema).collect(),
            agents: graph.agent_names().into_iter().filter_map(agent).collect(),
            ..Known::default()
        }
    }

    fn inline_agent(&self, graph: &Graph, node: &str, role: Role, blueprint: &Value) -> Option<&ParsedAgent> {
        let document = inline_blueprint(graph, node, role, blueprint).to_string();
        self.inline.get(&document).map(Arc::as_ref)
    }

    /// The input and output of an agent, or why it cannot be used.
    fn signature(
        &self,
        ValidBlueprint { blueprint, contracts }: &ValidBlueprint,
    ) -> Result<Signature, String> {
        let output = self.resolved(&blueprint.name, contracts.output.as_ref())?;
        let default_output = self.resolved(&blueprint.name, contracts.default_output.as_ref())?;
        let gives = match (output.or(default_output), blueprint.kind) {
            (Some(schema), _) => Some(schema.document().clone()),
            // Without a contract the output is a string: the gate accepts nothing else.
            (None, Type::Autonomous) => Some(json!({"type": "string"})),
            (None, Type::Procedural) => None,
        };
        let takes = match &contracts.parameters {
            Some(schema) => Takes::Schema(schema.document().clone()),
            None => Takes::Prompt,
        };
        let description = Some(blueprint.description.clone()).filter(|description| !description.is_empty());
        Ok(Signature { takes, gives, fixed: output.is_some(), description })
    }

    fn resolved<'a>(
        &'a self,
        agent: &str,
        declared: Option<&'a DeclaredSchema>,
    ) -> Result<Option<&'a Schema>, String> {
        match declared {
            None => Ok(None),
            Some(DeclaredSchema::Inline(schema)) => Ok(Some(schema)),
            Some(DeclaredSchema::Named(name)) => match self.schemas.get(name) {
                Some(schema) => schema.as_ref().map(Some).map_err(Clone::clone),
                None => Err(unregistered_schema(agent, name)),
            },
        }
    }

    /// The input and output of a workflow inside another one, or `None` if it leads back to itself. `visited` has the
    /// workflows on the way.
    fn nested_signature(
        &self,
        name: &str,
        depth: u32,
        visited: &mut BTreeMap<String, Option<Signature>>,
        meter: &Meter,
    ) -> Option<Signature> {
        if let Some(known) = visited.get(name) {
            return known.clone();
        }
        // A run does not go deeper either.
        if depth > DEEPEST_NESTING {
            return None;
        }
        visited.insert(name.to_owned(), None);
        let nested = self.workflows.get(name)?;
        let inner = nested.graph.as_ref().filter(|_| !has_errors(nested.problems()))?;
        let mut known = self.named_by(inner);
        for (node, work, role) in inner.works() {
            match &work.target {
                Target::Agent(_) => {}
                Target::Inline(blueprint) => {
                    let agent = self.inline_agent(inner, &node.id, role, blueprint);
                    if let Some(Ok(signature)) =
                        agent.and_then(|agent| agent.valid.as_ref()).map(|valid| self.signature(valid))
                    {
                        known.inline.insert(Known::inline_key(&node.id, role), signature);
                    }
                }
                Target::Workflow(deeper) => {
                    if let Some(deep) = self.nested_signature(deeper, depth + 1, visited, meter) {
                        known.workflows.insert(deeper.clone(), deep);
                    }
                }
            }
        }
        let takes = inner.input_schema().map_or(Takes::Anything, |schema| Takes::Schema(schema.clone()));
        let signature = Some(Signature {
            takes,
            gives: output_schema(inner, &known, meter),
            fixed: true,
            description: None,
        });
        visited.insert(name.to_owned(), signature.clone());
        signature
    }

    /// Adds the workflows in a graph, and reports those that lead back to it.
    fn nested(
        &self,
        graph: &Graph,
        read: &ParsedWorkflow,
        known: &mut Known,
        problems: &mut Vec<Problem>,
        meter: &Meter,
    ) {
        // The output of this graph cannot depend on itself.
        let mut visited = BTreeMap::from([(graph.name.clone(), None)]);
        for name in graph.workflow_names().into_iter().filter(|name| *name != graph.name) {
            let Some(signature) = self.nested_signature(name, 1, &mut visited, meter) else { continue };
            known.workflows.insert(name.to_owned(), signature);
            if self.leads_to(name, &graph.name) {
                let message = format!("workflow '{name}' contains this workflow, so neither would finish");
                for (node, work, role) in graph.works() {
                    if work.target == Target::Workflow(name.to_owned()) {
                        let place = role.place(&node.id).key("workflow");
                        problems.push(read.problem(Severity::Error, place, message.clone()));
                    }
                }
            }
        }
    }

    /// Whether a workflow contains another one, at any depth.
    fn leads_to(&self, from: &str, wanted: &str) -> bool {
        let (mut queue, mut seen) = (VecDeque::from([from]), BTreeSet::new());
        while let Some(name) = queue.pop_front() {
            if seen.insert(name)
                && let Some(graph) = self.workflows.get(name).and_then(|found| found.graph.as_ref())
            {
                let inner = graph.workflow_names();
                if inner.contains(wanted) {
                    return true;
                }
                queue.extend(inner);
            }
        }
        false
    }
}

/// The message for an agent that names a schema which is not registered.
pub fn unregistered_schema(agent: &str, schema: &str) -> String {
    format!("agent '{agent}' refers to the schema '{schema}', which is not registered; register it first")
}

/// The blueprint of an agent that is defined in a graph, with the name of its node if it has none.
pub fn inline_blueprint(graph: &Graph, node: &str, role: Role, blueprint: &Value) -> Value {
    let mut blueprint = blueprint.clone();
    if let Some(members) = blueprint.as_object_mut()
        && !members.contains_key("name")
    {
        let key = Known::inline_key(node, role);
        let long = format!("{}.{key}", graph.name);
        let name = if long.len() <= MAX_NAME_LENGTH { long } else { key };
        members.insert("name".to_owned(), Value::from(name));
    }
    blueprint
}

/// All agents that are defined in a graph.
pub fn inline_blueprints(graph: &Graph) -> Vec<Value> {
    let inline = graph.works().filter_map(|(node, work, role)| match &work.target {
        Target::Inline(blueprint) => Some(inline_blueprint(graph, &node.id, role, blueprint)),
        Target::Agent(_) | Target::Workflow(_) => None,
    });
    inline.collect()
}

/// Problems of an agent at their places in its workflow.
fn moved(read: &ParsedWorkflow, at: &JsonPath, problems: &[Problem]) -> Vec<Problem> {
    let problem = |problem: &Problem| {
        let mut place = at.clone();
        for step in problem.path.trim_start_matches('$').split('.').filter(|step| !step.is_empty()) {
            let mut parts = step.split('[');
            place = place.key(parts.next().unwrap_or(step));
            let indexes = parts.map_while(|part| part.strip_suffix(']')?.parse().ok());
            indexes.for_each(|index| place.push(Step::Index(index)));
        }
        read.problem(problem.severity, place, problem.message.clone())
    };
    problems.iter().map(problem).collect()
}
