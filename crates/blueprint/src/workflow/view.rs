//! Workflows as the API shows them.

use std::path::Path;
use std::sync::Arc;

use accord_api::{Problem, Source, WorkflowSummary, WorkflowView};
use accord_contract::Meter;
use accord_workflow::output_schema;
use serde_json::Value;

use super::{Library, ParsedWorkflow, Workflows, has_errors, inline_blueprints};
use crate::agent::Agents;
use crate::definition::{DefinitionKind as _, Folder, Parsed as _};

/// Every workflow of a folder by name, checked with the agents of another folder and without registered schemas. These
/// providers are configured.
pub fn workflows_in(folder: &Path, agents: &Path, configured: &[String], meter: &Meter) -> Vec<WorkflowView> {
    fn parsed<P>(folder: &Folder<P>) -> impl Iterator<Item = (String, Arc<P>)> {
        folder.definitions.iter().map(|(name, file)| (name.clone(), Arc::clone(&file.parsed)))
    }
    let files = Workflows::load(folder, meter);
    let graphs = files.definitions.values().filter_map(|file| file.parsed.graph.as_ref());
    let inline = graphs.flat_map(inline_blueprints);
    let library = Library {
        agents: parsed(&Agents::load(agents, meter)).collect(),
        inline: inline
            .map(|agent| (agent.to_string(), Arc::new(Agents::parse(agent, &meter.anew()))))
            .collect(),
        workflows: parsed(&files).collect(),
        providers: configured.to_vec(),
        ..Library::default()
    };
    let view = |file: &Arc<crate::DefinitionFile<ParsedWorkflow>>| {
        let (problems, known) = library.examine(&file.parsed, &meter.anew());
        let summary = summary(&file.name, Source::File, &file.parsed, problems);
        let graph = file.parsed.graph.as_ref().filter(|_| summary.valid);
        WorkflowView {
            workflow: file.parsed.value().clone(),
            output_schema: graph.and_then(|graph| output_schema(graph, &known, &meter.anew())),
            hash: file.hash.clone(),
            file: Some(file.path.clone()),
            created_at: None,
            modified_at: file.modified_at,
            summary,
        }
    };
    files.definitions.values().map(view).collect()
}

/// The summary of a workflow; of an invalid one, as much as can be read.
pub fn summary(
    name: &str,
    source: Source,
    workflow: &ParsedWorkflow,
    problems: Vec<Problem>,
) -> WorkflowSummary {
    let nodes = workflow.value().get("nodes").and_then(Value::as_object).map_or(0, |nodes| nodes.len());
    WorkflowSummary {
        name: name.to_owned(),
        description: workflow.text_of("description").to_owned(),
        source,
        valid: !has_errors(&problems),
        nodes,
        problems,
    }
}
