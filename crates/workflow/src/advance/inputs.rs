//! The inputs of a node: the outputs of the upstream nodes whose edges are taken, and the results of comparing them.

use accord_domain::comparison::Comparison;
use serde_json::{Map, Value, json};

use super::engine::take;
use crate::check::fields::declares;
use crate::flow::{COMPARED, Flow};
use crate::graph::{Parameters, Work};
use crate::signature::Takes;
use crate::state::{State, Take};
use crate::template::{self, TemplateError, Variables};

use super::prompt;

/// The inputs of a node, by the ids of the upstream nodes.
pub(crate) fn inputs(flow: &Flow, state: &State, node: usize) -> Map<String, Value> {
    let edges = flow.incoming(node).iter().filter(|edge| take(flow, state, **edge) == Some(&Take::Yes));
    let producers = edges.filter_map(|edge| flow.graph.edges.get(*edge)).map(|edge| edge.from);
    let outputs = producers.filter_map(|producer| {
        let id = flow.graph.nodes.get(producer)?.id.clone();
        Some((id, state.nodes.get(producer)?.output.clone().unwrap_or_default()))
    });
    outputs.collect()
}

/// The results of a comparison, by the names of their variables.
fn findings(comparison: Option<&Comparison>) -> [(&'static str, Value); 3] {
    let [first, second, third] = COMPARED;
    let none = Comparison::default();
    let comparison = comparison.unwrap_or(&none);
    [
        (first, json!(comparison.contradictions)),
        (second, json!(comparison.near_duplicates)),
        (third, json!(comparison.agreements)),
    ]
}

/// The variables of a node's templates and conditions. An upstream node without an output is null.
pub(super) fn variables(
    flow: &Flow,
    node: usize,
    inputs: Map<String, Value>,
    comparison: Option<&Comparison>,
) -> Variables {
    let mut variables = Variables::new();
    for producer in flow.producers(node).filter_map(|producer| flow.graph.nodes.get(producer)) {
        let value = inputs.get(&producer.id).cloned().unwrap_or_default();
        variables.insert(producer.id.clone(), value);
    }
    variables.insert("inputs".to_owned(), Value::Object(inputs));
    variables.extend(findings(comparison).map(|(name, value)| (name.to_owned(), value)));
    variables
}

/// The input of an agent without parameters.
pub(crate) struct DefaultInput {
    pub(crate) all: Map<String, Value>,
    /// The value, if there is exactly one.
    pub(crate) only: Option<Value>,
}

impl DefaultInput {
    pub(super) fn inputs(flow: &Flow, node: usize, all: Map<String, Value>) -> Self {
        let only = match (flow.incoming(node).len(), all.values().next()) {
            (1, Some(only)) => Some(only.clone()),
            _ => None,
        };
        Self { all, only }
    }
}

pub(super) fn parameters(
    takes: &Takes,
    work: &Work,
    variables: &Variables,
    given: DefaultInput,
) -> Result<Value, TemplateError> {
    match &work.parameters {
        Parameters::Fields(fields) => template::document(&Value::Object(fields.clone()), variables)
            .map_err(|error| error.within("parameters.")),
        Parameters::Prompt(source) => {
            let text = template::prompt(source, variables).map_err(|error| error.within("prompt: "))?;
            Ok(prompt::parameters(prompt::with_comparison(text, source, variables)))
        }
        Parameters::Inputs => Ok(from_inputs(takes, variables, given)),
    }
}

/// Parameters made of the inputs: the only one if it is an object, else all of them by name.
fn from_inputs(takes: &Takes, variables: &Variables, given: DefaultInput) -> Value {
    let DefaultInput { all, only } = given;
    match takes {
        Takes::Prompt => match only {
            Some(Value::String(text)) => {
                let is_callers = all.len() == 1 && all.contains_key(template::INPUT);
                let text = if is_callers { text } else { accord_contract::prompt::agent_output(&text) };
                prompt::parameters(prompt::with_comparison(text, "", variables))
            }
            Some(object) if is_prompt(&object) => object,
            _ => prompt::parameters(prompt::with_comparison(
                prompt::block("inputs", &Value::Object(all)),
                "",
                variables,
            )),
        },
        Takes::Anything => match only.filter(Value::is_object) {
            Some(only) => only,
            None => Value::Object(with_findings(all, variables)),
        },
        Takes::Schema(schema) => {
            let mut members = match only {
                Some(Value::Object(only)) => only,
                _ => all,
            };
            // Results of a comparison are added only if the schema declares them: a closed schema would refuse them.
            for name in COMPARED {
                let asked = declares(schema, name);
                if let (true, Some(value)) = (asked && !members.contains_key(name), variables.get(name)) {
                    members.insert(name.to_owned(), value.clone());
                }
            }
            Value::Object(members)
        }
    }
}

/// Adds the results of a comparison, if there are any.
fn with_findings(mut members: Map<String, Value>, variables: &Variables) -> Map<String, Value> {
    let found = COMPARED.map(|name| (name, variables.get(name).cloned().unwrap_or_default()));
    if found.iter().any(|(_, value)| value.as_array().is_some_and(|list| !list.is_empty())) {
        for (name, value) in found {
            members.entry(name).or_insert(value);
        }
    }
    members
}

fn is_prompt(value: &Value) -> bool {
    let members = value.as_object().filter(|members| members.len() == 1);
    members.and_then(|members| members.get("prompt")).is_some_and(|prompt| prompt.as_str() != Some(""))
}
