//! Agent files: valid, invalid and hostile ones.

mod acp;
mod examples;
mod extraction;
mod hostile;
mod kinds;
mod mistakes;
mod tools;

use accord_contract::Meter;
use serde_json::{Value, json};

use super::{Agents, ParsedAgent};
use crate::definition::{DefinitionFile, DefinitionKind as _, Folder};

/// The problems of an agent, one per line: position, severity, path, message.
fn problems(agent: &DefinitionFile<ParsedAgent>) -> Vec<String> {
    let line = |problem: &accord_api::Problem| {
        let position = match (problem.line, problem.column) {
            (Some(line), Some(column)) => format!("{line}:{column} "),
            _ => String::new(),
        };
        let severity = if problem.severity == accord_api::Severity::Warning { "warning: " } else { "" };
        format!("{position}{severity}{}: {}", problem.path, problem.message)
    };
    agent.parsed.problems.iter().map(line).collect()
}

/// Loads a folder with these files.
fn loaded(files: &[(&str, &str)]) -> Folder<ParsedAgent> {
    let folder = tempfile::TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    Agents::load(folder.path(), &Meter::default())
}

/// The problems of one file of the agent `a`.
fn problems_of(name: &str, text: &str) -> Vec<String> {
    let files = loaded(&[(&format!("a/{name}"), text)]);
    problems(&files.definitions["a"])
}

/// A valid agent.
const REVIEWER: &str = include_str!("reviewer.yaml");

/// The same as a value.
fn reviewer(name: &str) -> Value {
    json!({
        "name": name,
        "description": "Reviews",
        "executor": {"type": "llm", "provider": "anthropic", "model": "claude-sonnet-4-6"},
        "tags": ["code", "review"],
        "output_schema": {
            "type": "object",
            "required": ["summary"],
            "properties": {"summary": {"type": "string"}},
        },
    })
}
