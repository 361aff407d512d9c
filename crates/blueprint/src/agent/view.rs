//! Agents as the API shows them.

use std::path::Path;
use std::sync::Arc;

use accord_api::{AgentSummary, AgentView, Problem, Source};
use accord_contract::Meter;
use accord_domain::agent::Type;
use serde_json::Value;

use super::{Agents, ParsedAgent, providers};
use crate::definition::{DefinitionFile, DefinitionKind as _};

/// Every agent of a folder by name, checked without a store. These providers are configured.
pub fn agents_in(folder: &Path, configured: &[String], meter: &Meter) -> Vec<AgentView> {
    let files = Agents::load(folder, meter).definitions.into_values();
    let view = |file: Arc<DefinitionFile<ParsedAgent>>| {
        let mut problems = file.parsed.problems.clone();
        providers::add_configuration(&mut problems, &file.parsed.value, configured);
        AgentView {
            summary: summary(&file.name, Source::File, &file.parsed, problems),
            blueprint: file.parsed.value.clone(),
            hash: file.hash.clone(),
            contract_hash: file.parsed.contract_hash(),
            file: Some(file.path.clone()),
            created_at: None,
            modified_at: file.modified_at,
        }
    };
    files.map(view).collect()
}

/// The summary of an agent; of an invalid one, as much as can be read.
pub fn summary(name: &str, source: Source, agent: &ParsedAgent, problems: Vec<Problem>) -> AgentSummary {
    let value = &agent.value;
    let executor = value.get("executor");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let has = |field: &str| value.get(field).is_some_and(|schema| !schema.is_null());
    let tags = value.get("tags").and_then(Value::as_array).into_iter().flatten();
    AgentSummary {
        name: name.to_owned(),
        description: text(value.get("description")),
        kind: match value.get("type").and_then(Value::as_str) {
            Some("procedural") => Type::Procedural,
            _ => Type::Autonomous,
        },
        executor_type: text(executor.and_then(|executor| executor.get("type"))),
        model: executor.and_then(|executor| executor.get("model")).and_then(Value::as_str).map(str::to_owned),
        tags: tags.filter_map(Value::as_str).map(str::to_owned).collect(),
        source,
        valid: agent.valid.is_some(),
        has_parameters_schema: has("parameters_schema"),
        has_output_schema: has("output_schema") || has("default_output_schema"),
        problems,
    }
}
