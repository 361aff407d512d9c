//! The JSON Schema of workflow files, for editors: the parts of all kinds of nodes, put together.
//!
//! It says which fields there are and what each is for, so that an editor completes them and marks mistakes. The reader
//! (`graph::read`) checks more (which nodes exist, whether a condition compiles) and alone decides what is accepted.

use serde_json::{Map, Value, json};

use crate::kinds::{self, Definition};
use crate::limits::{
    HIGHEST_CONCURRENCY, LONGEST_ID, MOST_EDGES, MOST_NODES, MOST_RETRIES, USUAL_CONCURRENCY,
};

pub fn file_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An Accord workflow",
        "description": "A graph of contracted agents: nodes by their ids, and the edges that what they say flows along.",
        "type": "object",
        "required": ["name", "nodes"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "What the workflow is called."},
            "description": {"type": "string", "description": "What it is for."},
            "nodes": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": MOST_NODES,
                "propertyNames": {"pattern": format!("^[A-Za-z_][A-Za-z0-9_]{{0,{}}}$", LONGEST_ID - 1)},
                "additionalProperties": definition("node"),
                "description": "The nodes by their ids. An id is the name of the node's output in templates and conditions.",
            },
            "edges": {
                "type": "array",
                "maxItems": MOST_EDGES,
                "items": definition("edge"),
                "description": "What flows where. A node starts when all that flow into it are over.",
            },
        },
        "$defs": definitions(),
    })
}

/// A reference to one of the shared definitions.
pub(crate) fn definition(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

pub(crate) fn work_properties() -> Map<String, Value> {
    let fields = [
        ("agent", "worker"),
        ("workflow", "other_workflow"),
        ("prompt", "prompt"),
        ("parameters", "parameters"),
        ("output_schema", "output_schema"),
    ];
    fields.into_iter().map(|(field, name)| (field.to_owned(), definition(name))).collect()
}

/// Either an agent or a workflow does the work.
pub(crate) fn one_target() -> Value {
    json!([{"required": ["agent"]}, {"required": ["workflow"]}])
}

fn definitions() -> Map<String, Value> {
    let names = kinds::ALL.map(|kind| kind.name);
    let purposes = kinds::ALL.map(|kind| kind.purpose).join(", ");
    let node = json!({
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": names, "description": format!("What the node does: {purposes}.")}},
        "oneOf": names.map(definition),
    });
    let mut definitions = Map::from_iter([("edge".to_owned(), edge()), ("node".to_owned(), node)]);
    definitions.extend(kinds::ALL.map(|kind| (kind.name.to_owned(), node_of_kind(kind))));
    let worker = "Who does the work: the name of an agent, or an agent that stands here.";
    let prompt =
        "What the agent is told, by template. Without a prompt and without parameters it gets the inputs.";
    let output_schema = "What must come out, as JSON Schema or as the name of a registered one, where the agent does not say so itself.";
    let concurrency = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": HIGHEST_CONCURRENCY,
        "default": USUAL_CONCURRENCY,
        "description": "How many at once.",
    });
    definitions.extend(
        [
            ("description", json!({"type": "string", "description": "What the node is for."})),
            ("position", json!({"description": "Where the dashboard draws it."})),
            ("worker", json!({"type": ["string", "object"], "description": worker})),
            ("other_workflow", json!({"type": "string", "description": "Another workflow that does the work."})),
            ("prompt", json!({"type": "string", "description": prompt})),
            (
                "parameters",
                json!({"type": "object", "description": "The agent's parameters, whose texts are templates."}),
            ),
            ("output_schema", json!({"type": ["object", "boolean", "string"], "description": output_schema})),
            ("concurrency", concurrency),
            (
                "on_failure",
                on_failure(
                    &["fail", "continue"],
                    "What the node's failure means: fail (the default), continue, or another try.",
                ),
            ),
            (
                "map_on_failure",
                on_failure(
                    &["fail", "fail_at_end", "continue"],
                    "What the node's failure means: fail (the default), fail_at_end (all items first), continue, or another try.",
                ),
            ),
        ]
        .map(|(name, schema)| (name.to_owned(), schema)),
    );
    definitions
}

fn edge() -> Value {
    json!({
        "type": "object",
        "required": ["from", "to"],
        "additionalProperties": false,
        "properties": {
            "from": {"type": "string", "description": "The node that gives."},
            "to": {"type": "string", "description": "The node that gets."},
            "when": {"type": "string", "description": "A condition in CEL over the inputs: the edge is taken where it holds."},
        },
    })
}

fn on_failure(values: &[&str], description: &str) -> Value {
    let retry = json!({
        "type": "integer", "minimum": 1, "maximum": MOST_RETRIES, "description": "How often it is tried again.",
    });
    let then = json!({"enum": values, "default": "fail", "description": "What it means after the last try."});
    let again = json!({
        "type": "object",
        "required": ["retry"],
        "additionalProperties": false,
        "properties": {"retry": retry, "then": then},
    });
    json!({"description": description, "anyOf": [{"enum": values}, again]})
}

/// The part of a kind, with the fields that nodes of every kind have.
fn node_of_kind(kind: &Definition) -> Value {
    let part = (kind.schema)();
    let own = |keyword: &str| part.get(keyword).cloned();
    let mut required = vec![Value::from("type")];
    required.extend(own("required").and_then(|names| names.as_array().cloned()).into_iter().flatten());
    let mut properties = Map::from_iter([
        ("type".to_owned(), json!({"const": kind.name})),
        ("description".to_owned(), definition("description")),
        ("position".to_owned(), definition("position")),
    ]);
    properties.extend(own("properties").and_then(|fields| fields.as_object().cloned()).into_iter().flatten());
    if kind.can_fail {
        let name = if kind.per_item { "map_on_failure" } else { "on_failure" };
        properties.insert("on_failure".to_owned(), definition(name));
    }
    let mut schema = json!({
        "title": own("title"),
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    });
    if let (Value::Object(keywords), Some(one_of)) = (&mut schema, own("oneOf")) {
        keywords.insert("oneOf".to_owned(), one_of);
    }
    schema
}

#[cfg(test)]
mod tests {
    use accord_contract::Meter;
    use accord_contract::Schema;
    use serde_json::json;

    use super::*;
    use crate::graph::read;
    use crate::limits;

    /// One node of each type with as many fields as it can have at once.
    fn document() -> Value {
        let text = json!({"type": "string"});
        json!({
            "name": "all",
            "description": "every kind of node",
            "nodes": {
                "input": {"type": "input", "description": "in", "position": {"x": 1}, "schema": {"type": "object"}},
                "ask": {"type": "agent", "agent": "a", "prompt": "{{ input.x }}", "output_schema": text, "on_failure": "continue"},
                "here": {"type": "agent", "agent": {"name": "b"}, "parameters": {"x": "{{ input.x }}"}, "output_schema": "report"},
                "person": {"type": "human", "prompt": "{{ ask }}", "output_schema": text, "input_seconds": 60, "on_failure": "fail"},
                "other": {"type": "agent", "workflow": "w", "on_failure": {"retry": 2, "then": "continue"}},
                "sound": {"type": "check", "assert": "true", "message": "no", "severity": "warn", "on_failure": "fail"},
                "each": {"type": "map", "over": "{{ input.list }}", "agent": "a", "concurrency": 3, "prompt": "{{ item }}", "on_failure": "fail_at_end"},
                "lead": {"type": "planner", "agent": "p", "agents": ["a"], "synthesis": {"agent": "s"}, "concurrency": 2},
                "output": {"type": "output", "value": "{{ ask }}"},
            },
            "edges": [{"from": "input", "to": "ask", "when": "true"}],
        })
    }

    fn conforms(document: &Value) -> bool {
        Schema::compile(&file_schema(), &Meter::default()).unwrap().accepts(document, &Meter::default())
    }

    #[test]
    fn accepts_a_file_that_can_be_read() {
        assert_eq!(read(&document(), &Meter::default()).1, []);
        assert!(conforms(&document()));
    }

    #[test]
    fn rejects_mistakes_that_the_reader_rejects() {
        let mistakes = [
            ("/nodes/ask/promt", json!("x")),
            ("/nodes/ask/workflow", json!("too")),
            ("/nodes/ask/on_failure", json!("never")),
            ("/nodes/ask/on_failure", json!("fail_at_end")),
            ("/nodes/each/on_failure", json!("never")),
            ("/nodes/other/on_failure/retry", json!(limits::MOST_RETRIES + 1)),
            ("/nodes/sound/severity", json!("maybe")),
            ("/nodes/each/concurrency", json!(limits::HIGHEST_CONCURRENCY + 1)),
            ("/nodes/each/over", json!(3)),
            ("/nodes/lead/agents", json!([])),
            ("/nodes/lead/synthesis/on_failure", json!("fail")),
            ("/nodes/output/type", json!("outputs")),
            ("/nodes/a b", json!({"type": "output"})),
            ("/edges/0/if", json!("true")),
            ("/extra", json!(1)),
        ];
        for (pointer, value) in mistakes {
            let mut document_with_mistake = document();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            document_with_mistake
                .pointer_mut(parent)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .insert(name.to_owned(), value);
            assert!(
                !read(&document_with_mistake, &Meter::default()).1.is_empty(),
                "the reader takes {pointer}"
            );
            assert!(!conforms(&document_with_mistake), "the schema takes {pointer}");
        }
    }

    #[test]
    fn has_the_fields_that_the_reader_accepts() {
        let schema = file_schema();
        // The reader lists the fields that a node of a type can have.
        for kind in kinds::ALL.map(|kind| kind.name) {
            let node = json!({"type": kind, "agent": "a", "assert": "true", "message": "m", "over": "o", "agents": ["a"], "output_schema": true, "?": 1});
            let findings = read(&json!({"name": "x", "nodes": {"one": node}}), &Meter::default()).1;
            let expected =
                findings.iter().find_map(|each| each.message.split_once("expected one of ")).unwrap().1;
            let mut read: Vec<&str> = expected.split(", ").collect();
            // The reader knows these fields only to refuse them with a reason.
            let refused: &[&str] = match kind {
                "input" | "output" => &["on_failure"],
                "planner" => &["workflow", "output_schema"],
                _ => &[],
            };
            read.retain(|name| !refused.contains(name));
            read.sort_unstable();
            let fields =
                schema.pointer(&format!("/$defs/{kind}/properties")).and_then(Value::as_object).unwrap();
            let mut fields: Vec<&str> = fields.keys().map(String::as_str).collect();
            fields.sort_unstable();
            assert_eq!(fields, read, "{kind}");
        }
    }
}
