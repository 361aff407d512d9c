//! Parses and checks one agent.

use accord_api::{Problem, Severity};
use accord_contract::{JsonPath, Meter};
use accord_domain::agent::Blueprint;
use serde_json::Value;

use super::check::check;
use super::contracts::{Contracts, DeclaredSchema, agent_contract_hash};
use super::{kb, read};
use crate::definition::Parsed;
use crate::document::Document;
use crate::finding::Findings;

/// A blueprint without mistakes.
#[derive(Debug)]
pub struct ValidBlueprint {
    pub blueprint: Blueprint,
    /// Its contracts, compiled.
    pub contracts: Contracts,
}

/// A parsed agent, valid or not.
#[derive(Debug)]
pub struct ParsedAgent {
    /// The document: converted to our format, with the system prompt.
    pub value: Value,
    /// The blueprint, if it has no mistakes.
    pub valid: Option<ValidBlueprint>,
    /// Mistakes, then warnings, each in the order of the file if there is one.
    pub problems: Vec<Problem>,
    /// The place of the first mistake, if all mistakes are schemas that do not compile.
    pub wrong_schema: Option<JsonPath>,
    /// Whether the file has another format than ours.
    pub foreign: bool,
}

impl Parsed for ParsedAgent {
    fn value(&self) -> &Value {
        &self.value
    }

    fn problems(&self) -> &[Problem] {
        &self.problems
    }

    fn broken(problem: Problem) -> Self {
        Self { value: Value::Null, valid: None, problems: vec![problem], wrong_schema: None, foreign: false }
    }
}

impl ParsedAgent {
    /// The name of a valid agent.
    pub fn name(&self) -> Option<&str> {
        self.valid.as_ref().map(|valid| valid.blueprint.name.as_str())
    }

    /// The registered schemas that a valid agent names, by field.
    pub fn registered_schemas(&self) -> Vec<(&'static str, &str)> {
        let Some(ValidBlueprint { contracts, .. }) = &self.valid else { return Vec::new() };
        let fields =
            [("output_schema", &contracts.output), ("default_output_schema", &contracts.default_output)];
        let named = fields.into_iter().filter_map(|(field, declared)| match declared {
            Some(DeclaredSchema::Named(name)) => Some((field, name.as_str())),
            _ => None,
        });
        named.collect()
    }

    /// The hash of the input and output schemas of a valid agent, unless the output schema is a registered one.
    pub fn contract_hash(&self) -> Option<String> {
        let ValidBlueprint { contracts, .. } = self.valid.as_ref()?;
        match contracts.output.as_ref().or(contracts.default_output.as_ref()) {
            Some(DeclaredSchema::Named(_)) => None,
            Some(DeclaredSchema::Inline(output)) => {
                Some(agent_contract_hash(contracts.parameters.as_ref(), Some(output)))
            }
            None => Some(agent_contract_hash(contracts.parameters.as_ref(), None)),
        }
    }

    /// The document as text, which is stored, hashed and sent to runners.
    pub fn document(&self) -> String {
        self.value.to_string()
    }
}

/// The other parts of an agent in a folder.
#[derive(Debug, Default)]
pub(super) struct Surroundings<'a> {
    /// The folder's name, which must be the agent's.
    pub(super) folder: Option<&'a str>,
    /// The text of a system prompt in a file of its own.
    pub(super) prompt: Option<String>,
}

/// Parses a document that is not in a file.
pub(crate) fn parse_value(value: Value, meter: &Meter) -> ParsedAgent {
    parse(Document::without_file(value), Surroundings::default(), meter)
}

pub(super) fn parse(mut document: Document, surroundings: Surroundings<'_>, meter: &Meter) -> ParsedAgent {
    let mut findings = Findings::new(meter);
    let foreign = kb::is_kb_agent(&document.value);
    if foreign {
        kb::map(&mut document, &mut findings);
    }
    if let (Some(prompt), Value::Object(members)) = (surroundings.prompt, &mut document.value) {
        if members.contains_key("system_prompt") {
            let message = "the system prompt is set here and in system-prompt.md; keep one of them";
            findings.error(JsonPath::root().key("system_prompt"), message);
        } else {
            members.insert("system_prompt".to_owned(), Value::from(prompt));
        }
    }
    let read = read::blueprint(&document.value, &mut findings);
    let contracts = read.as_ref().map(|read| check(read, &mut findings)).unwrap_or_default();
    if let (Some(folder), Some(read)) = (surroundings.folder, &read) {
        let name = &read.blueprint.name;
        if folder != name {
            let message =
                format!("the agent is named '{name}', but its folder is '{folder}'; use the same name");
            findings.error(JsonPath::root().key("name"), message);
        }
    }
    if let Err(exceeded) = meter.check() {
        let message = format!("the agent cannot be checked: {exceeded}; make its schemas smaller");
        findings.error(JsonPath::root(), message);
    }
    let valid = match read {
        Some(read) if !findings.has_errors() => Some(ValidBlueprint { blueprint: read.blueprint, contracts }),
        _ => None,
    };
    let wrong_schema = findings.only_schema_errors().map(|place| document.as_written(place));
    let mut problems: Vec<Problem> =
        findings.into_vec().into_iter().map(|finding| document.problem(finding)).collect();
    problems.sort_by_key(|problem| (problem.severity == Severity::Warning, problem.line, problem.column));
    ParsedAgent { value: document.value, valid, problems, wrong_schema, foreign }
}
