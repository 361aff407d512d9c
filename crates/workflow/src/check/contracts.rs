//! Whether the output of one node is what the agent of the next one accepts. Schemas that cannot fit are an error; schemas
//! that may not fit are a warning if they say why. Nothing is reported about values that no schema describes:
//! expressions, rendered texts, the results of comparisons.

use accord_contract::{JsonPath, Meter};
use serde_json::{Map, Value, json};

use super::edge_at;
use super::fields::{Field, at_pointer, declares, field, resolve};
use super::topology::Topology;
use crate::compare::is_compared;
use crate::finding::Findings;
use crate::fit::{Fit, Misfit, below, fits, says_nothing};
use crate::flow::{COMPARED, gives};
use crate::graph::{Graph, Node, Parameters, Role, Work};
use crate::schema_parts::{Wrapper, taken_out};
use crate::signature::{Known, Takes};
use crate::template::{self, Shape};

pub(super) fn check(graph: &Graph, known: &Known, topology: &Topology<'_>, findings: &mut Findings) {
    for (place, node) in graph.nodes.iter().enumerate() {
        let edges = topology.edges.incoming(place);
        let mut upstream = Upstream::of(graph, known, edges);
        upstream.is_complete = !topology.may_be_fed(place);
        node.kind.behaviour().check_inputs(node, &upstream, findings);
        if are_compared(graph, known, edges) {
            check_contradictions_reach(node, known, findings);
        }
    }
}

/// Whether two or more upstream nodes have agents whose outputs may contradict each other.
fn are_compared(graph: &Graph, known: &Known, edges: &[usize]) -> bool {
    let producers = edges.iter().filter_map(|edge| graph.edges.get(*edge)).map(|edge| edge.from);
    let speaks = |place: &usize| {
        graph.nodes.get(*place).is_some_and(|node| node.kind.work().is_some())
            && gives(graph, known, *place).is_some_and(|schema| is_compared(&schema))
    };
    producers.filter(speaks).take(2).count() == 2
}

/// Warns if contradictions between upstream agents do not reach the agent of a node. A prompt always ends with them.
fn check_contradictions_reach(node: &Node, known: &Known, findings: &mut Findings) {
    let [contradictions, ..] = COMPARED;
    let Some(work) = node.kind.work() else { return };
    if node.kind.behaviour().template().is_some_and(|template| uses_variable(&template, contradictions)) {
        return;
    }
    let takes = known.of(&node.id, work, Role::Own).map(|signature| &signature.takes);
    let at = node.place();
    let (place, remedy) = match (&work.parameters, takes) {
        (Parameters::Fields(fields), _)
            if !fields.values().any(|value| uses_variable(value, contradictions)) =>
        {
            (at.key("parameters"), "use '{{ contradictions }}' in one of these")
        }
        (Parameters::Inputs, Some(Takes::Schema(schema))) if !declares(schema, contradictions) => {
            (at, "add a property 'contradictions' to its parameters_schema, or set parameters that use them")
        }
        _ => return,
    };
    let message =
        format!("contradictions between upstream agents are detected but do not reach this agent: {remedy}");
    findings.warning(place, message);
}

/// Whether some template in a value uses a variable.
fn uses_variable(value: &Value, variable: &str) -> bool {
    match value {
        Value::String(text) => template::uses_variable(text, variable),
        Value::Array(items) => items.iter().any(|item| uses_variable(item, variable)),
        Value::Object(members) => members.values().any(|member| uses_variable(member, variable)),
        _ => false,
    }
}

pub(crate) struct Upstream<'a> {
    known: &'a Known,
    producers: Vec<Producer<'a>>,
    /// Whether there can be no other upstream node: false if an edge that could not be read may lead to the node.
    is_complete: bool,
}

struct Producer<'a> {
    id: &'a str,
    gives: Value,
    /// Whether its edge has no condition.
    always: bool,
    edge: usize,
}

/// The input of an agent: its schema, and the pointers of values that templates produce, which no
/// schema of a node describes.
struct AgentInput {
    schema: Value,
    made: Vec<String>,
    place: JsonPath,
}

/// The input of an agent without parameters.
pub(crate) struct DefaultInput {
    schema: InputSchema,
    place: Option<JsonPath>,
}

enum InputSchema {
    Unknown,
    /// An object with this schema, unchanged.
    Object(Value),
    /// An object with these fields and no others.
    Fields(Vec<InputField>),
}

struct InputField {
    name: String,
    schema: Value,
    always: bool,
}

impl InputSchema {
    /// A single value: unchanged if it is an object, else as the field of this name.
    fn one(name: &str, schema: &Value) -> Self {
        match is_object(schema) {
            None => Self::Unknown,
            Some(true) => Self::Object(schema.clone()),
            Some(false) => {
                Self::Fields(vec![InputField { name: name.to_owned(), schema: schema.clone(), always: true }])
            }
        }
    }

    /// The schema of what this agent gets. The results of a comparison are added if its own schema declares them.
    fn for_agent(&self, takes: &Takes) -> Value {
        let asked = |name: &str| matches!(takes, Takes::Schema(schema) if declares(schema, name));
        match self {
            Self::Unknown => Value::Bool(true),
            Self::Object(_) if COMPARED.iter().any(|name| asked(name)) => Value::Bool(true),
            Self::Object(schema) => schema.clone(),
            Self::Fields(fields) => {
                let mut all = Wrapper::default();
                let mut properties: Map<String, Value> =
                    fields.iter().map(|each| (each.name.clone(), all.put(&each.schema))).collect();
                for name in COMPARED.into_iter().filter(|name| asked(name)) {
                    properties.entry(name).or_insert_with(|| json!({"type": "array"}));
                }
                let required: Vec<&str> =
                    fields.iter().filter(|each| each.always).map(|each| each.name.as_str()).collect();
                all.around(json!({
                    "type": "object", "properties": properties, "required": required, "additionalProperties": false,
                }))
            }
        }
    }
}

/// Whether a value with this schema is an object; `None` if that depends on the value.
fn is_object(schema: &Value) -> Option<bool> {
    match schema.get("type")? {
        Value::String(only) => Some(only == "object"),
        Value::Array(types) => match types.iter().any(|each| each == "object") {
            true if types.len() == 1 => Some(true),
            true => None,
            false => Some(false),
        },
        _ => None,
    }
}

impl<'a> Upstream<'a> {
    pub(super) fn of(graph: &'a Graph, known: &'a Known, edges: &[usize]) -> Self {
        let producers = edges.iter().filter_map(|edge| graph.edges.get(*edge)).filter_map(|edge| {
            let producer = graph.nodes.get(edge.from)?;
            let gives = gives(graph, known, edge.from).unwrap_or(Value::Bool(true));
            let always = edge.when.is_none();
            Some(Producer { id: &producer.id, gives, always, edge: edge.index })
        });
        Self { known, producers: producers.collect(), is_complete: true }
    }

    /// The inputs of the node: the only one if it is an object, else all of them by their ids.
    pub(crate) fn inputs(&self) -> DefaultInput {
        match self.producers.as_slice() {
            _ if !self.is_complete => DefaultInput { schema: InputSchema::Unknown, place: None },
            [] => DefaultInput { schema: InputSchema::Unknown, place: None },
            [only] => DefaultInput {
                schema: InputSchema::one(only.id, &only.gives),
                place: Some(edge_at(only.edge)),
            },
            several => {
                let member = |each: &Producer<'_>| InputField {
                    name: each.id.to_owned(),
                    schema: each.gives.clone(),
                    always: each.always,
                };
                DefaultInput {
                    schema: InputSchema::Fields(several.iter().map(member).collect()),
                    place: None,
                }
            }
        }
    }

    /// An item of the list that a template evaluates to. Nothing, with a finding, if it cannot be a list.
    pub(crate) fn item(&self, over: &str, at: JsonPath, findings: &mut Findings) -> Option<DefaultInput> {
        let input =
            AgentInput { schema: self.schema_of(&Value::from(over)), made: Vec::new(), place: at.clone() };
        if !input.may_be(&json!({"type": "array"}), "a list", findings) {
            return None;
        }
        let list = input.schema;
        // With `prefixItems`, the schema of an item depends on its position.
        let items = list.get("items").filter(|_| list.get("prefixItems").is_none());
        let item = items.and_then(|items| resolve(&list, items)).map(|item| taken_out(&list, item));
        let schema = item.map_or(InputSchema::Unknown, |item| InputSchema::one("item", &item));
        Some(DefaultInput { schema, place: Some(at) })
    }

    /// Checks what a node's agent gets against what it accepts.
    pub(crate) fn check_work(
        &self,
        node: &Node,
        work: &Work,
        default: &DefaultInput,
        findings: &mut Findings,
    ) {
        let at = node.place();
        let Some(signature) = self.known.of(&node.id, work, Role::Own) else { return };
        let input = match &work.parameters {
            Parameters::Inputs => AgentInput {
                schema: default.schema.for_agent(&signature.takes),
                made: COMPARED.map(|name| format!("/{name}")).into(),
                place: default.place.clone().unwrap_or(at),
            },
            Parameters::Prompt(_) => {
                AgentInput { schema: prompt(), made: vec!["/prompt".to_owned()], place: at.key("prompt") }
            }
            Parameters::Fields(fields) => {
                let members = fields.iter().map(|(name, value)| (name.clone(), self.schema_of(value)));
                let mut made = Vec::new();
                made_in(fields, "", &mut made);
                AgentInput { schema: object(members), made, place: at.key("parameters") }
            }
        };
        match (&signature.takes, &work.parameters) {
            (Takes::Anything, _) | (Takes::Prompt, Parameters::Inputs | Parameters::Prompt(_)) => {}
            (Takes::Prompt, Parameters::Fields(_)) => {
                input.may_be(&prompt(), "only a prompt, which is what the agent accepts", findings);
            }
            (Takes::Schema(schema), _) => {
                input.may_be(schema, "what the agent's parameters_schema accepts", findings);
            }
        }
    }

    /// The schema of what a template evaluates to, as far as it is known.
    pub(super) fn schema_of(&self, source: &Value) -> Value {
        match source {
            Value::String(text) => match template::shape(text) {
                Shape::Plain => json!({ "const": text }),
                Shape::Text => json!({"type": "string"}),
                Shape::Expression(_) => Value::Bool(true),
                Shape::Path(path) => self.path(&path),
            },
            Value::Object(members) => {
                object(members.iter().map(|(name, value)| (name.clone(), self.schema_of(value))))
            }
            Value::Array(_) => json!({"type": "array"}),
            other => json!({ "const": other }),
        }
    }

    fn path(&self, path: &[&str]) -> Value {
        let Some((root, fields)) = path.split_first() else { return Value::Bool(true) };
        let Some(producer) = self.producers.iter().find(|producer| producer.id == *root) else {
            return Value::Bool(true);
        };
        match field(&producer.gives, fields) {
            Field::Known(schema) => taken_out(&producer.gives, schema),
            _ => Value::Bool(true),
        }
    }
}

/// The schema of an object with exactly these fields.
pub(super) fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    let mut all = Wrapper::default();
    let properties: Map<String, Value> =
        members.into_iter().map(|(name, schema)| (name, all.put(&schema))).collect();
    let required: Vec<&String> = properties.keys().collect();
    all.around(
        json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false}),
    )
}

/// The schema of parameters that are a prompt.
fn prompt() -> Value {
    object([("prompt".to_owned(), json!({"type": "string"}))])
}

/// The places of what parameters make that is more than what a node gave.
fn made_in(fields: &Map<String, Value>, at: &str, made: &mut Vec<String>) {
    for (name, value) in fields {
        let place = below(at, name);
        match value {
            Value::Object(inner) => made_in(inner, &place, made),
            Value::String(text) if matches!(template::shape(text), Shape::Path(_)) => {}
            _ => made.push(place),
        }
    }
}

/// Why an agent does not accept a prompt as its only parameter.
pub(crate) fn accepts_no_prompt(takes: &Takes, meter: &Meter) -> Option<String> {
    let Takes::Schema(schema) = takes else { return None };
    match fits(&prompt(), schema, meter) {
        Fit::Never(misfits) => Some(reasons(&misfits)),
        Fit::Always | Fit::Perhaps(_) => None,
    }
}

/// The first reasons show where to look.
const MOST_DOUBTS: usize = 3;

impl AgentInput {
    /// Reports where it does not fit a schema. False if it cannot fit.
    fn may_be(&self, taken: &Value, what: &str, findings: &mut Findings) -> bool {
        match fits(&self.schema, taken, findings.meter) {
            Fit::Always => true,
            Fit::Never(misfits) => {
                findings.error(self.place.clone(), format!("expected {what}: {}", reasons(&misfits)));
                false
            }
            Fit::Perhaps(misfits) => {
                let doubts: Vec<Misfit> =
                    misfits.into_iter().filter(|each| each.seen && self.describes(&each.pointer)).collect();
                let (first, more) = doubts.split_at(doubts.len().min(MOST_DOUBTS));
                if !first.is_empty() {
                    let mut message = format!("this may not be {what}: {}", reasons(first));
                    if !more.is_empty() {
                        message.push_str(&format!("; and {} more", more.len()));
                    }
                    findings.warning(self.place.clone(), message);
                }
                true
            }
        }
    }

    /// Whether the schema of a node describes the value at this pointer and those around it.
    fn describes(&self, pointer: &str) -> bool {
        let is_made = |made: &String| {
            pointer.strip_prefix(made).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let ends = pointer.match_indices('/').map(|(end, _)| end).chain([pointer.len()]);
        let mut parts = ends.filter_map(|end| pointer.get(..end));
        let says = |pointer: &str| matches!(at_pointer(&self.schema, pointer), Field::Known(schema) if !says_nothing(schema));
        !self.made.iter().any(is_made) && parts.all(says)
    }
}

fn reasons(misfits: &[Misfit]) -> String {
    misfits.iter().map(Misfit::to_string).collect::<Vec<_>>().join("; ")
}
