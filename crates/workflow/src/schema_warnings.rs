//! What is doubtful about the schemas of agents and of nodes: what the linter finds, as far as it concerns who writes the
//! values. And what is doubtful about rules over such values. What is in doubt can be used; that nothing conforms to a
//! schema is a doubt too, and not a mistake of the document.

use accord_contract::lint::{self, Severity, lint};
use accord_contract::{Place, Schema};
use serde_json::Value;

use crate::check::fields::slip;
use crate::finding::{Finding, Findings};
use crate::graph::{Graph, OutputSchema};
use crate::kinds::{InputNode, NodeKind};
use crate::limits::MAX_LINTED_BYTES;

/// Who writes the values that a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer<'a> {
    /// A model, behind a provider that enforces schemas by this profile, where that is known.
    Model(Option<&'a str>),
    /// A program or a caller.
    Other,
}

/// Advice on what models make of a schema. Nothing is wrong with the schema itself, so only who asks the linter is told.
const ADVICE: [&str; 3] = ["bare-string", "large-enum", "verdict-before-reason"];

/// The rule that a check of agents has in words of its own.
const ROOT: &str = "root-not-object";

/// What is doubtful about a schema, and where in it; nothing is told of a large one, see [`MAX_LINTED_BYTES`].
pub fn schema_doubts(schema: &Schema, writer: Writer<'_>) -> Vec<(Place, String)> {
    if schema.document().to_string().len() > MAX_LINTED_BYTES {
        return Vec::new();
    }
    let findings = lint(schema);
    // What no value conforms to, no provider takes: that is one doubt and not two.
    let is_empty =
        findings.iter().any(|finding| finding.provider.is_none() && finding.severity == Severity::Error);
    let told = |finding: &lint::Finding| {
        let concerns = match (&finding.provider, writer) {
            (Some(provider), Writer::Model(profile)) => !is_empty && Some(provider.as_str()) == profile,
            (Some(_), Writer::Other) => false,
            (None, _) => !ADVICE.contains(&finding.rule),
        };
        concerns && finding.severity != Severity::Info && finding.rule != ROOT
    };
    let told = findings.iter().filter(|finding| told(finding));
    told.map(|finding| (Place::of_pointer(schema.document(), &finding.pointer), finding.message.clone()))
        .collect()
}

/// What is likely a slip in what a rule reads ([`accord_contract::Condition::reads`]), where the schemas of its variables
/// are known.
pub fn rule_doubts<'s>(
    reads: &[(String, Place)],
    schema_of: impl Fn(&str) -> Option<&'s Value>,
) -> Vec<String> {
    let slip = |(variable, place): &(String, Place)| slip(variable, place, schema_of(variable)?);
    let mut doubts: Vec<String> = reads.iter().filter_map(slip).collect();
    doubts.dedup();
    doubts
}

/// What is doubtful about the schemas that stand in a graph. The agents in it are examined like others.
pub fn doubts(graph: &Graph) -> Vec<Finding> {
    let mut findings = Findings::default();
    let mut look = |at: Place, schema: &Value, writer: Writer<'_>| {
        let Ok(schema) = Schema::compile(schema) else { return };
        for (inner, doubt) in schema_doubts(&schema, writer) {
            findings.warning(at.join(&inner), doubt);
        }
    };
    for node in &graph.nodes {
        if let NodeKind::Input(InputNode { schema: Some(schema) }) = &node.kind {
            look(node.place().key("schema"), schema, Writer::Other);
        }
    }
    for (node, work, role) in graph.works() {
        let at = role.place(&node.id);
        if let Some(schema) = work.output_schema.as_ref().and_then(OutputSchema::inline) {
            look(at.key("output_schema"), schema, Writer::Model(None));
        }
    }
    findings.into_vec()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graph::read;

    fn told(schema: &Value, writer: Writer<'_>) -> Vec<String> {
        let doubts = schema_doubts(&Schema::compile(schema).unwrap(), writer);
        doubts.iter().map(|(place, doubt)| format!("{}: {doubt}", place.path())).collect()
    }

    #[test]
    fn slips_are_told_whoever_writes() {
        let schema = json!({
            "type": "object", "required": ["b"], "additionalProperties": false,
            "properties": {"a": {"anyOf": [{"type": "string", "minlength": 1}, {"type": "null"}]}},
        });
        let expected = [
            "$.required: 'b' is required but not in 'properties', and 'additionalProperties' is false, so no object conforms; add it to 'properties' or remove it from 'required'",
            "$.properties.a.anyOf[0].minlength: 'minlength' is not a keyword of draft-07 and is ignored; did you \
             mean 'minLength'?",
        ];
        for writer in [Writer::Model(None), Writer::Model(Some("openai")), Writer::Other] {
            assert_eq!(told(&schema, writer), expected, "{writer:?}");
        }
    }

    #[test]
    fn advice_is_for_those_who_ask_for_it() {
        let schema = json!({
            "type": "object",
            "properties": {"verdict": {"type": "string"}, "reason": {"type": "string"}, "url": {"type": "string"}},
        });
        for writer in [Writer::Model(None), Writer::Other] {
            assert_eq!(told(&schema, writer), [""; 0]);
        }
    }

    #[test]
    fn a_provider_is_told_of_where_it_is_asked() {
        let values: Vec<String> = (0..1001).map(|number| format!("v{number}")).collect();
        let schema = json!({"type": "object", "properties": {"a": {"enum": values}}});
        let of = |profile| told(&schema, Writer::Model(profile)).len();
        assert_eq!((of(None), of(Some("ollama")), of(Some("openai"))), (0, 0, 1));
    }

    #[test]
    fn a_large_schema_is_left_to_who_asks_for_it() {
        let description = "x".repeat(MAX_LINTED_BYTES);
        let schema =
            json!({"type": "object", "properties": {"a": {"enun": ["x"]}}, "description": description});
        assert_eq!(told(&schema, Writer::Other), [""; 0]);
    }

    #[test]
    fn the_schemas_of_a_graph_are_looked_at() {
        let nodes = json!({
            "input": {"type": "input", "schema": {"type": "object", "proprties": {}}},
            "a": {"type": "agent", "agent": "x", "output_schema": {"properties": {"b": {"enun": ["x"]}}}},
            "output": {"type": "output"},
        });
        let edges = json!([{"from": "input", "to": "a"}, {"from": "a", "to": "output"}]);
        let (graph, _) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}));
        let found: Vec<String> = doubts(&graph.unwrap()).iter().map(|finding| finding.place.path()).collect();
        assert_eq!(found, ["$.nodes.input.schema.proprties", "$.nodes.a.output_schema.properties.b.enun"]);
    }
}
