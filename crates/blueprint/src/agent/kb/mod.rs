//! Agent files of the format `schema: kb.agent/1`, converted to a blueprint.
//!
//! | there | here |
//! |---|---|
//! | `id` | `name` (the agent's name is its id) |
//! | `name` and `description` | `description` |
//! | `input.schema`, `output.schema` | `parameters_schema`, `output_schema` |
//! | `context.static.system`, `prompt.system`, `prompt.systemPrompt` and `constraints` | `system_prompt` |
//! | `limits.maxSteps`, `maxTokens`, `maxCostUsd`, `timeoutMs` | `limits` |
//! | `llm.provider`, `model`, `tier`, `temperature`, `maxTokens` | `executor` |
//! | `llm.escalationLadder` | `escalate_to` |
//! | `tools` and `policies` (see [`tools`]) | `tools` |
//! | `tags` (or `metadata.tags`) | `tags` |
//!
//! A tier (`llm.tier`, `llm.escalationLadder`) is the tier of this name in the configuration. Everything else is ignored, with
//! a warning at its place.

mod tools;

use accord_contract::JsonPath;
use accord_domain::agent::TIER;
use serde_json::{Map, Value, json};

use super::PROMPT_FILE;
use crate::document::Document;
use crate::finding::Findings;

/// The value of `schema` in such files.
const MARKER: &str = "kb.agent/1";

/// The provider if the file names none.
const DEFAULT_PROVIDER: &str = "anthropic";

/// The model if the file names none: capable enough for agents that use tools.
const DEFAULT_MODEL: &str = "claude-sonnet-4-6";

/// Objects that are converted in part.
const MAPPED_IN_PART: [&str; 8] =
    ["llm", "limits", "context", "context.static", "input", "output", "metadata", "prompt"];

/// Whether a document has this format.
pub(super) fn is_kb_agent(value: &Value) -> bool {
    value.get("schema").and_then(Value::as_str) == Some(MARKER)
}

/// Converts a document to a blueprint. Findings use the names of the file.
pub(super) fn map(document: &mut Document, findings: &mut Findings) {
    let Value::Object(members) = std::mem::take(&mut document.value) else { return };
    let mut mapping = Mapping { left: members, blueprint: Map::new(), renamed: Vec::new(), findings };
    mapping.all();
    document.renamed = mapping.renamed;
    document.value = Value::Object(mapping.blueprint);
}

struct Mapping<'a, 'm> {
    /// What is not converted yet.
    left: Map<String, Value>,
    blueprint: Map<String, Value>,
    renamed: Vec<(JsonPath, JsonPath)>,
    findings: &'a mut Findings<'m>,
}

impl Mapping<'_, '_> {
    fn all(&mut self) {
        self.left.shift_remove("schema");
        self.moved(&["id"], &["name"]);
        self.description();
        self.executor();
        self.prompt();
        self.tools();
        self.limits();
        self.moved(&["tags"], &["tags"]);
        self.moved(&["metadata", "tags"], &["tags"]);
        self.moved(&["input", "schema"], &["parameters_schema"]);
        self.moved(&["output", "schema"], &["output_schema"]);
        self.output_schema();
        self.rest();
    }

    /// This format takes objects with properties only.
    fn output_schema(&mut self) {
        let Some(schema) = self.blueprint.get("output_schema").filter(|schema| schema.is_object()) else {
            return;
        };
        let at = JsonPath::root().key("output_schema");
        let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
        let has_properties = schema.get("properties").is_some_and(Value::is_object);
        if !is_object {
            self.findings.error(at.key("type"), "output.schema.type must be \"object\"");
        }
        if !has_properties {
            self.findings.error(at.key("properties"), "output.schema must have properties");
        }
    }

    /// Removes a value from the file's document, and objects that become empty.
    fn take(&mut self, path: &[&str]) -> Option<Value> {
        take(&mut self.left, path)
    }

    fn put(&mut self, path: &[&str], from: &[&str], value: Value) {
        let place = |names: &[&str]| names.iter().fold(JsonPath::root(), |place, name| place.key(name));
        self.renamed.push((place(path), place(from)));
        let Some((last, before)) = path.split_last() else { return };
        let mut object = &mut self.blueprint;
        for name in before {
            let inner = object.entry(*name).or_insert_with(|| json!({}));
            let Value::Object(inner) = inner else { return };
            object = inner;
        }
        object.insert((*last).to_owned(), value);
    }

    fn moved(&mut self, from: &[&str], to: &[&str]) {
        if let Some(value) = self.take(from).filter(|value| !value.is_null()) {
            self.put(to, from, value);
        }
    }

    /// `name` is a title in this format and begins the description.
    fn description(&mut self) {
        let title = self.take(&["name"]);
        let description = self.take(&["description"]);
        match (title, description) {
            (Some(Value::String(title)), Some(Value::String(text))) => {
                self.put(&["description"], &["description"], Value::from(format!("{title}: {text}")));
            }
            (Some(title), None) => self.put(&["description"], &["name"], title),
            (_, Some(text)) => self.put(&["description"], &["description"], text),
            (None, None) => {}
        }
    }

    /// A file without a model uses its tier.
    fn executor(&mut self) {
        self.put(&["executor", "type"], &["llm"], json!("llm"));
        let model = self.take(&["llm", "model"]);
        let tier = self.take(&["llm", "tier"]);
        let provider = self.take(&["llm", "provider"]);
        match (model, tier) {
            (None, Some(tier)) => {
                self.put(&["executor", "provider"], &["llm", "tier"], json!(TIER));
                self.put(&["executor", "model"], &["llm", "tier"], tier);
            }
            (model, _) => {
                let provider = provider.unwrap_or_else(|| json!(DEFAULT_PROVIDER));
                self.put(&["executor", "provider"], &["llm", "provider"], provider);
                if model.is_none() {
                    let message = format!("'llm.model' is not set, so '{DEFAULT_MODEL}' is used");
                    self.findings.warning(JsonPath::root().key("executor").key("model"), message);
                }
                let model = model.unwrap_or_else(|| json!(DEFAULT_MODEL));
                self.put(&["executor", "model"], &["llm", "model"], model);
            }
        }
        if let Some(Value::Array(ladder)) = self.take(&["llm", "escalationLadder"]) {
            // The first tier of the list is the executor.
            let others = ladder.into_iter().map(|tier| json!({"provider": TIER, "model": tier}));
            let first = self.blueprint.get("executor").and_then(|executor| executor.get("model")).cloned();
            let others: Vec<Value> = others.filter(|other| other.get("model") != first.as_ref()).collect();
            self.put(&["escalate_to"], &["llm", "escalationLadder"], Value::Array(others));
        }
        self.moved(&["llm", "temperature"], &["executor", "temperature"]);
        self.moved(&["llm", "maxTokens"], &["executor", "max_tokens"]);
    }

    fn limits(&mut self) {
        self.moved(&["limits", "maxSteps"], &["limits", "max_steps"]);
        self.moved(&["limits", "maxTokens"], &["limits", "max_tokens_total"]);
        self.moved(&["limits", "maxCostUsd"], &["limits", "max_cost_usd"]);
        let from = ["limits", "timeoutMs"];
        match self.take(&from) {
            None | Some(Value::Null) => {}
            Some(milliseconds) => {
                // Rounded up, because 0 is not a valid limit.
                let seconds = milliseconds.as_u64().map(|number| Value::from(number.div_ceil(1000)));
                self.put(&["limits", "timeout_seconds"], &from, seconds.unwrap_or(milliseconds));
            }
        }
    }

    fn tools(&mut self) {
        let tools = self.take(&["tools"]).unwrap_or_default();
        let policies = self.take(&["policies"]).unwrap_or_default();
        if !matches!(tools, Value::Null | Value::Array(_) | Value::Object(_)) {
            self.put(&["tools"], &["tools"], tools);
            return;
        }
        let granted = tools::granted(&tools, &policies);
        for (place, message) in granted.errors {
            self.renamed.push((place.clone(), place.clone()));
            self.findings.error(place, message);
        }
        for (place, message) in granted.warnings {
            self.renamed.push((place.clone(), place.clone()));
            self.findings.warning(place, message);
        }
        if !granted.tools.is_empty() {
            self.put(&["tools"], &["tools"], json!(granted.tools));
        }
    }

    /// The system prompt is in one of three fields or in a file; constraints are appended to it.
    fn prompt(&mut self) {
        for from in
            [["context", "static", "system"].as_slice(), &["prompt", "system"], &["prompt", "systemPrompt"]]
        {
            let Some(value) = self.take(from).filter(|value| !value.is_null()) else { continue };
            let path = value.as_str().map(|text| text.trim_start_matches("./"));
            match path {
                Some(PROMPT_FILE) => {}
                Some(path) if path.ends_with(".md") && !path.contains(char::is_whitespace) => {
                    let place = from.iter().fold(JsonPath::root(), |place, name| place.key(name));
                    self.renamed.push((place.clone(), place.clone()));
                    self.findings.error(place, format!("the file {path} is not read; name it {PROMPT_FILE}"));
                }
                _ => self.put(&["system_prompt"], from, value),
            }
        }
        let constraints = self.take(&["constraints"]).unwrap_or_default();
        let lines: Vec<String> = constraints
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|line| format!("- {line}"))
            .collect();
        if let Some(Value::String(prompt)) =
            self.blueprint.get_mut("system_prompt").filter(|_| !lines.is_empty())
        {
            *prompt = format!("{}\n\nConstraints:\n{}\n", prompt.trim_end(), lines.join("\n"));
        } else if !lines.is_empty() {
            self.ignored(JsonPath::root().key("constraints"), "constraints");
        }
    }

    fn rest(&mut self) {
        for (name, value) in std::mem::take(&mut self.left) {
            self.left_over(JsonPath::root().key(&name), &name, &value);
        }
    }

    /// Of an object that is converted in part, only the rest is reported.
    fn left_over(&mut self, place: JsonPath, name: &str, value: &Value) {
        match value {
            Value::Object(members) if MAPPED_IN_PART.contains(&name) => {
                for (inner, value) in members {
                    self.left_over(place.key(inner), &format!("{name}.{inner}"), value);
                }
            }
            _ => self.ignored(place, name),
        }
    }

    fn ignored(&mut self, place: JsonPath, name: &str) {
        // Renamed to itself, because the place may also be a field of ours.
        self.renamed.push((place.clone(), place.clone()));
        self.findings.warning(place, format!("'{name}' has no counterpart and is ignored"));
    }
}

fn take(object: &mut Map<String, Value>, path: &[&str]) -> Option<Value> {
    let (first, rest) = path.split_first()?;
    if rest.is_empty() {
        return object.shift_remove(*first);
    }
    let Some(Value::Object(inner)) = object.get_mut(*first) else { return None };
    let found = take(inner, rest);
    if found.is_some() && inner.is_empty() {
        object.shift_remove(*first);
    }
    found
}
