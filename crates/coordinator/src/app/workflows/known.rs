//! Checks a workflow against the agents, workflows and schemas that exist now.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use accord_api::{ErrorName, Problem, Severity};
use accord_blueprint::{
    MAX_NAME_LENGTH, Parsed as _, ParsedWorkflow, add_provider_configuration, has_errors,
};
use accord_contract::{JsonPath, Step};
use accord_domain::agent::Type;
use accord_workflow::limits::DEEPEST_NESTING;
use accord_workflow::{Graph, Known, NodeKind, Role, Signature, Takes, Target, check, output_schema};
use serde_json::{Value, json};

use crate::app::Agent;
use crate::app::blueprints::Blueprints;
use crate::error::Error;

impl Blueprints {
    /// All problems of a workflow now, and what is known of the agents and workflows in it.
    pub(super) async fn examined(&self, read: &ParsedWorkflow) -> Result<(Vec<Problem>, Known), Error> {
        let mut problems = read.problems().to_vec();
        let Some(graph) = &read.graph else { return Ok((problems, Known::default())) };
        let mut known = self.named_by(graph).await?;
        for (node, work, role) in graph.works() {
            if let Target::Inline(blueprint) = &work.target {
                let place = role.place(&node.id).key("agent");
                match self.inline_agent(graph, &node.id, role, blueprint).await {
                    Ok(agent) => {
                        let inner =
                            self.catalog.parsed_inline(named(graph, &node.id, role, blueprint)).await?;
                        let mut warnings = inner.problems.clone();
                        let providers = &self.catalog.state.providers;
                        add_provider_configuration(&mut warnings, &inner.value, providers);
                        problems.extend(moved(read, &place, &warnings));
                        known.inline.insert(Known::inline_key(&node.id, role), signature(&agent));
                    }
                    Err(error) => problems.extend(inline_problems(read, &place, &error)?),
                }
            }
        }
        self.nested(graph, read, &mut known, &mut problems).await?;
        self.check_depth(graph, read, &mut problems).await?;
        problems.extend(read.located(check(graph, &known)));
        problems.sort_by_key(|problem| (problem.severity == Severity::Warning, problem.line, problem.column));
        Ok((problems, known))
    }

    /// What is known of the agents and registered schemas in a graph.
    async fn named_by(&self, graph: &Graph) -> Result<Known, Error> {
        let mut known = Known::default();
        for name in graph.schema_names() {
            if let Some(schema) = missing_is_none(self.catalog.registered(name).await)?.flatten() {
                known.schemas.insert(name.to_owned(), schema.document().clone());
            }
        }
        for name in graph.agent_names() {
            if let Some(agent) = missing_is_none(self.catalog.usable(name).await)? {
                known.agents.insert(name.to_owned(), signature(&agent));
            }
        }
        Ok(known)
    }

    /// The input and output of a workflow inside another one, or `None` if it leads back to itself. `visited` has the
    /// workflows on the way.
    async fn nested_signature(
        &self,
        name: &str,
        depth: u32,
        visited: &mut BTreeMap<String, Option<Signature>>,
    ) -> Result<Option<Signature>, Error> {
        if let Some(known) = visited.get(name) {
            return Ok(known.clone());
        }
        // A run does not go deeper either.
        if depth > DEEPEST_NESTING {
            return Ok(None);
        }
        visited.insert(name.to_owned(), None);
        let Some(found) = self.workflows.find(name).await? else { return Ok(None) };
        let nested = found.parsed();
        let Some(inner) = nested.graph.as_ref().filter(|_| !has_errors(nested.problems())) else {
            return Ok(None);
        };
        let mut known = self.named_by(inner).await?;
        for (node, work, role) in inner.works() {
            match &work.target {
                Target::Agent(_) => {}
                Target::Inline(blueprint) => {
                    let agent = self.inline_agent(inner, &node.id, role, blueprint).await;
                    if let Some(agent) = missing_is_none(agent)? {
                        known.inline.insert(Known::inline_key(&node.id, role), signature(&agent));
                    }
                }
                Target::Workflow(deeper) => {
                    if let Some(deep) = Box::pin(self.nested_signature(deeper, depth + 1, visited)).await? {
                        known.workflows.insert(deeper.clone(), deep);
                    }
                }
            }
        }
        let takes = inner.input_schema().map_or(Takes::Anything, |schema| Takes::Schema(schema.clone()));
        let signature =
            Some(Signature { takes, gives: output_schema(inner, &known), fixed: true, description: None });
        visited.insert(name.to_owned(), signature.clone());
        Ok(signature)
    }

    /// An agent that is defined in a graph, with the name of its node if it has none.
    pub(super) async fn inline_agent(
        &self,
        graph: &Graph,
        node: &str,
        role: Role,
        blueprint: &Value,
    ) -> Result<std::sync::Arc<Agent>, Error> {
        self.catalog.inline(named(graph, node, role, blueprint)).await
    }

    /// Adds the workflows in a graph, and reports those that lead back to it.
    async fn nested(
        &self,
        graph: &Graph,
        read: &ParsedWorkflow,
        known: &mut Known,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Error> {
        // The output of this graph cannot depend on itself.
        let mut visited = BTreeMap::from([(graph.name.clone(), None)]);
        for name in graph.workflow_names().into_iter().filter(|name| *name != graph.name) {
            let Some(signature) = self.nested_signature(name, 1, &mut visited).await? else { continue };
            known.workflows.insert(name.to_owned(), signature);
            let Some(found) = self.workflows.find(name).await? else { continue };
            if self.leads_to(found.parsed(), &graph.name).await? {
                let message = format!("workflow '{name}' contains this workflow, so neither would finish");
                for (node, work, role) in graph.works() {
                    if work.target == Target::Workflow(name.to_owned()) {
                        let place = role.place(&node.id).key("workflow");
                        problems.push(read.problem(Severity::Error, place, message.clone()));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a workflow contains another one, at any depth.
    async fn leads_to(&self, from: &ParsedWorkflow, wanted: &str) -> Result<bool, Error> {
        let names = |read: &ParsedWorkflow| -> Vec<String> {
            let names = read.graph.iter().flat_map(Graph::workflow_names);
            names.map(str::to_owned).collect()
        };
        let mut queue = VecDeque::from(names(from));
        let mut seen = BTreeSet::new();
        while let Some(name) = queue.pop_front() {
            if name == wanted {
                return Ok(true);
            }
            if seen.insert(name.clone())
                && let Some(found) = self.workflows.find(&name).await?
            {
                queue.extend(names(found.parsed()));
            }
        }
        Ok(false)
    }
}

/// The blueprint of an agent that is defined in a graph, with its name there.
pub(super) fn named(graph: &Graph, node: &str, role: Role, blueprint: &Value) -> Value {
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

/// The input and output of an agent.
fn signature(agent: &Agent) -> Signature {
    let takes = match &agent.parameters {
        Some(schema) => Takes::Schema(schema.document().clone()),
        None => Takes::Prompt,
    };
    let contract = agent.output.as_ref().or(agent.default_output.as_ref());
    let gives = match (contract, agent.blueprint.kind) {
        (Some(schema), _) => Some(schema.document().clone()),
        // Without a contract the output is a string: the gate accepts nothing else.
        (None, Type::Autonomous) => Some(json!({"type": "string"})),
        (None, Type::Procedural) => None,
    };
    let description = Some(agent.blueprint.description.clone()).filter(|description| !description.is_empty());
    Signature { takes, gives, fixed: agent.output.is_some(), description }
}

/// `None` for an agent that does not exist or cannot be used; other errors stay.
fn missing_is_none<T>(found: Result<T, Error>) -> Result<Option<T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_ours(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether an error is the coordinator's and not the request's.
pub(super) fn is_ours(error: &Error) -> bool {
    matches!(error.name(), ErrorName::Internal | ErrorName::StoreUnavailable)
}

/// The mistakes of an agent that is defined in a graph, at their places there.
fn inline_problems(read: &ParsedWorkflow, at: &JsonPath, error: &Error) -> Result<Vec<Problem>, Error> {
    if is_ours(error) {
        return Err(error.clone());
    }
    let details = error.body().details.unwrap_or_default();
    let inner: Vec<Problem> = details
        .get("problems")
        .cloned()
        .and_then(|list| serde_json::from_value(list).ok())
        .unwrap_or_default();
    if inner.is_empty() {
        return Ok(vec![read.problem(Severity::Error, at.clone(), error.message().to_owned())]);
    }
    Ok(moved(read, at, &inner))
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

/// The name of the agent or workflow that a node names.
pub(super) fn target_name(kind: &NodeKind) -> Option<String> {
    match &kind.work()?.target {
        Target::Agent(name) | Target::Workflow(name) => Some(name.clone()),
        Target::Inline(blueprint) => blueprint.get("name").and_then(Value::as_str).map(str::to_owned),
    }
}
