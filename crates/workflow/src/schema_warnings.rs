//! Warnings about the schemas of agents and nodes: what the linter finds, as far as it concerns the writer of the values.
//! And warnings about rules over such values. Such a document can be used: even a schema that nothing conforms to is only
//! a warning.

use accord_contract::lint::{self, Severity, lint, lint_for};
use accord_contract::lower::Profile;
use accord_contract::{JsonPath, Meter, Schema};
use serde_json::Value;

use crate::check::fields::slip;
use crate::finding::{Finding, Findings};
use crate::graph::{Graph, OutputSchema};
use crate::limits::MAX_LINTED_BYTES;

/// The writer of the values that a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer<'a> {
    /// A model; the profile of the provider that enforces the schema, where it is known.
    Model(Option<&'a str>),
    /// A program or a caller.
    Other,
}

/// Lint rules that are advice: the schema itself is fine, so only `schema lint` reports them.
const ADVICE: [&str; 3] = ["bare-string", "large-enum", "verdict-before-reason"];

/// The check of agents has its own message for this rule.
const ROOT: &str = "root-not-object";

/// Warnings about a schema, with their location in it; none about a large one, see [`MAX_LINTED_BYTES`].
pub fn schema_warnings(schema: &Schema, writer: Writer<'_>, meter: &Meter) -> Vec<(JsonPath, String)> {
    if schema.document().to_string().len() > MAX_LINTED_BYTES {
        return Vec::new();
    }
    let profile = match writer {
        Writer::Model(profile) => profile.and_then(Profile::named),
        Writer::Other => None,
    };
    let findings = profile.map_or_else(|| lint(schema, meter), |profile| lint_for(schema, profile, meter));
    // No provider accepts a schema that no value conforms to: one warning is enough.
    let is_empty =
        findings.iter().any(|finding| finding.provider.is_none() && finding.severity == Severity::Error);
    let concerns_writer = |finding: &lint::Finding| {
        let concerns = match (&finding.provider, writer) {
            (Some(provider), Writer::Model(profile)) => !is_empty && Some(provider.as_str()) == profile,
            (Some(_), Writer::Other) => false,
            (None, _) => !ADVICE.contains(&finding.rule),
        };
        concerns && finding.severity != Severity::Info && finding.rule != ROOT
    };
    let findings = findings.iter().filter(|finding| concerns_writer(finding));
    findings
        .map(|finding| (JsonPath::of_pointer(schema.document(), &finding.pointer), finding.message.clone()))
        .collect()
}

/// Warnings about fields that a rule reads ([`accord_contract::Condition::reads`]) and that the schemas of its variables
/// do not have.
pub fn rule_warnings<'s>(
    reads: &[(String, JsonPath)],
    schema_of: impl Fn(&str) -> Option<&'s Value>,
) -> Vec<String> {
    let slip = |(variable, place): &(String, JsonPath)| slip(variable, place, schema_of(variable)?);
    let mut warnings: Vec<String> = reads.iter().filter_map(slip).collect();
    warnings.dedup();
    warnings
}

/// Warnings about the schemas in a graph. Agents defined in it are checked like others.
pub fn graph_warnings(graph: &Graph, meter: &Meter) -> Vec<Finding> {
    let mut findings = Findings::new(meter);
    let mut lint = |at: JsonPath, schema: &Value, writer: Writer<'_>| {
        let Ok(schema) = Schema::compile(schema, meter) else { return };
        for (inner, warning) in schema_warnings(&schema, writer, meter) {
            findings.warning(at.join(&inner), warning);
        }
    };
    for node in &graph.nodes {
        if let Some(schema) = node.kind.input_schema() {
            lint(node.place().key("schema"), schema, Writer::Other);
        }
    }
    for (node, work, role) in graph.works() {
        let at = role.place(&node.id);
        if let Some(schema) = work.output_schema.as_ref().and_then(OutputSchema::inline) {
            lint(at.key("output_schema"), schema, Writer::Model(None));
        }
    }
    findings.into_vec()
}

#[cfg(test)]
mod tests {
    use accord_contract::Meter;
    use serde_json::json;

    use super::*;
    use crate::graph::read;

    fn warnings(schema: &Value, writer: Writer<'_>) -> Vec<String> {
        let warnings =
            schema_warnings(&Schema::compile(schema, &Meter::default()).unwrap(), writer, &Meter::default());
        warnings.iter().map(|(place, warning)| format!("{}: {warning}", place.path())).collect()
    }

    #[test]
    fn warns_of_mistakes_for_every_writer() {
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
            assert_eq!(warnings(&schema, writer), expected, "{writer:?}");
        }
    }

    #[test]
    fn advice_is_not_a_warning() {
        let schema = json!({
            "type": "object",
            "properties": {"verdict": {"type": "string"}, "reason": {"type": "string"}, "url": {"type": "string"}},
        });
        for writer in [Writer::Model(None), Writer::Other] {
            assert_eq!(warnings(&schema, writer), [""; 0]);
        }
    }

    #[test]
    fn warns_only_of_the_provider_in_use() {
        let values: Vec<String> = (0..1001).map(|number| format!("v{number}")).collect();
        let schema = json!({"type": "object", "properties": {"a": {"enum": values}}});
        let of = |profile| warnings(&schema, Writer::Model(profile)).len();
        assert_eq!((of(None), of(Some("ollama")), of(Some("openai"))), (0, 0, 1));
    }

    #[test]
    fn a_large_schema_is_not_linted() {
        let description = "x".repeat(MAX_LINTED_BYTES);
        let schema =
            json!({"type": "object", "properties": {"a": {"enun": ["x"]}}, "description": description});
        assert_eq!(warnings(&schema, Writer::Other), [""; 0]);
    }

    #[test]
    fn warns_of_the_schemas_of_a_graph() {
        let nodes = json!({
            "input": {"type": "input", "schema": {"type": "object", "proprties": {}}},
            "a": {"type": "agent", "agent": "x", "output_schema": {"properties": {"b": {"enun": ["x"]}}}},
            "output": {"type": "output"},
        });
        let edges = json!([{"from": "input", "to": "a"}, {"from": "a", "to": "output"}]);
        let (graph, _) = read(&json!({"name": "x", "nodes": nodes, "edges": edges}), &Meter::default());
        let found: Vec<String> = graph_warnings(&graph.unwrap(), &Meter::default())
            .iter()
            .map(|finding| finding.place.path())
            .collect();
        assert_eq!(found, ["$.nodes.input.schema.proprties", "$.nodes.a.output_schema.properties.b.enun"]);
    }
}
