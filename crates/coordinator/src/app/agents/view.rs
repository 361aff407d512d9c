//! Agents as callers see them: in lists, whole, and by their contracts.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;

use accord_api::{
    AgentContract, AgentSummary, AgentView, LoweringReport, Page, Problem, Severity, ValidateAgentAnswer,
};
use accord_contract::lint::lint;
use accord_contract::lower::{Profile, lower};
use accord_contract::{Place, Schema};
use accord_domain::agent::Type;
use serde_json::{Value, json};

use super::examine::Examined;
use super::{Declared, FileAgent, load, providers};
use crate::app::blueprints::Blueprints;
use crate::app::catalog::{Catalog, examined};
use crate::app::found::{Found, Hides};
use crate::app::page;
use crate::error::Error;
use crate::settings::BLUEPRINT_RETRIES;
use crate::work::heavy;

impl Blueprints {
    /// One page of the agents that have all of these tags.
    pub(crate) async fn agents_page(
        &self,
        tags: &[String],
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Page<AgentSummary>, Error> {
        let agents = self.agents(tags).await?;
        page::List("agents").by_name(agents, Ordering::Greater, limit, cursor, |agent| &agent.name)
    }

    /// All agents that have all of these tags, those with mistakes too.
    pub(crate) async fn agents(&self, tags: &[String]) -> Result<Vec<AgentSummary>, Error> {
        let mut summaries = Vec::new();
        for (found, hides) in self.catalog.all().await? {
            let summary = self.catalog.summary(&found, hides).await?;
            if tags.iter().all(|tag| summary.tags.contains(tag)) {
                summaries.push(summary);
            }
        }
        Ok(summaries)
    }

    /// One agent.
    pub(crate) async fn agent(&self, name: &str) -> Result<AgentView, Error> {
        let found = self.catalog.found(name).await?;
        self.catalog.view(&found).await
    }

    /// Both contracts of an agent, and what becomes of them at each provider.
    pub(crate) async fn agent_contract(&self, name: &str) -> Result<AgentContract, Error> {
        let agent = self.catalog.usable(name).await?;
        let output = agent.output.clone().or_else(|| agent.default_output.clone());
        let is_default = agent.output.is_none() && output.is_some();
        let (options, usual) = match is_default {
            false => (&agent.blueprint.output_schema_options, BLUEPRINT_RETRIES),
            true => (&agent.blueprint.default_output_schema_options, self.settings.enforcement.max_retries),
        };
        let asked = options.as_ref().and_then(|options| options.max_retries);
        let max_retries = output.is_some().then(|| asked.unwrap_or(usual));
        let parameters = agent.parameters.as_ref();
        let parameters_schema =
            parameters.map_or_else(implicit_parameters, |schema| schema.document().clone());
        let output_schema = output.as_ref().map(|schema| schema.document().clone());
        let (lint, lowering) = match output {
            None => (Vec::new(), Vec::new()),
            Some(schema) => heavy(move || looked_at(&schema)).await?,
        };
        Ok(AgentContract {
            agent_name: name.to_owned(),
            parameters_schema,
            output_schema,
            is_default,
            max_retries,
            lint,
            lowering,
        })
    }

    /// Whether a blueprint could be used, as the agent of this name where one is given.
    pub(crate) async fn validate_agent(
        &self,
        name: Option<&str>,
        value: Value,
    ) -> Result<ValidateAgentAnswer, Error> {
        let examined = examined(value).await;
        let mut problems = examined.problems.clone();
        providers::correct(&mut problems, &examined.value, &self.catalog.providers);
        problems.extend(self.catalog.unregistered(&declared(&examined)).await?);
        let given = examined.value.get("name").and_then(Value::as_str);
        let is_other = name.is_some() && given.is_some() && name != given;
        if let (true, Some(name), Some(given)) = (is_other, name, given) {
            let message = format!("the blueprint is named '{given}', but the agent is '{name}'");
            let place = Place::root().key("name");
            problems.insert(0, Problem { severity: Severity::Error, ..warning(&place, message) });
        }
        Ok(ValidateAgentAnswer { valid: examined.sound.is_some() && !is_other, problems })
    }

    /// Whether an agent that is there can be used.
    pub(crate) async fn validate_known_agent(&self, name: &str) -> Result<ValidateAgentAnswer, Error> {
        let view = self.agent(name).await?;
        Ok(ValidateAgentAnswer { valid: view.summary.valid, problems: view.summary.problems })
    }
}

/// Every agent of a folder with its verdict, by name: what can be said of them without a store, where these providers are
/// configured.
pub fn agents_in(folder: &Path, configured: &[String]) -> Vec<AgentView> {
    let view = |agent: Arc<FileAgent>| {
        let found = Found::File(agent);
        let mut problems = found.problems().to_vec();
        providers::correct(&mut problems, found.value(), configured);
        AgentView {
            summary: summary(&found, problems),
            blueprint: found.value().clone(),
            hash: found.hash().to_owned(),
            file: found.file().map(str::to_owned),
            created_at: found.created_at(),
            modified_at: found.modified_at(),
        }
    };
    load(folder).agents.into_values().map(view).collect()
}

impl Catalog {
    /// An agent whole.
    pub(in crate::app) async fn view(&self, found: &Found) -> Result<AgentView, Error> {
        let hides = self.hides(found).await?;
        Ok(AgentView {
            summary: self.summary(found, hides).await?,
            blueprint: found.value().clone(),
            hash: found.hash().to_owned(),
            file: found.file().map(str::to_owned),
            created_at: found.created_at(),
            modified_at: found.modified_at(),
        })
    }

    async fn summary(&self, found: &Found, hides: Hides) -> Result<AgentSummary, Error> {
        let mut problems = found.problems().to_vec();
        providers::correct(&mut problems, found.value(), &self.providers);
        if hides == Hides::Stored {
            let message =
                format!("this file overrides the stored agent '{}'; remove one of them", found.name());
            problems
                .push(Problem { file: found.file().map(str::to_owned), ..warning(&Place::root(), message) });
        }
        let contracts = found.sound().map(|sound| &sound.contracts);
        let named: Vec<_> = contracts
            .into_iter()
            .flat_map(|contracts| {
                [("output_schema", &contracts.output), ("default_output_schema", &contracts.default_output)]
            })
            .collect();
        problems.extend(self.unregistered(&named).await?);
        Ok(summary(found, problems))
    }

    /// Warnings for registered schemas that are not there. They may come later.
    async fn unregistered(&self, declared: &[(&str, &Option<Declared>)]) -> Result<Vec<Problem>, Error> {
        let mut problems = Vec::new();
        for (field, declared) in declared {
            let Some(Declared::Named(name)) = declared else { continue };
            if self.registered(name).await?.is_none() {
                let message =
                    format!("schema '{name}' is not registered; the agent cannot be used until it is");
                problems.push(warning(&Place::root().key(field), message));
            }
        }
        Ok(problems)
    }
}

fn declared(examined: &Examined) -> Vec<(&'static str, &Option<Declared>)> {
    match &examined.sound {
        Some(sound) => vec![
            ("output_schema", &sound.contracts.output),
            ("default_output_schema", &sound.contracts.default_output),
        ],
        None => Vec::new(),
    }
}

pub(super) fn warning(place: &Place, message: String) -> Problem {
    Problem { severity: Severity::Warning, path: place.path(), message, file: None, line: None, column: None }
}

/// What can be said of an agent. Of a broken one as much as can be read.
fn summary(found: &Found, problems: Vec<Problem>) -> AgentSummary {
    let value = found.value();
    let executor = value.get("executor");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let has = |field: &str| value.get(field).is_some_and(|schema| !schema.is_null());
    let tags = value.get("tags").and_then(Value::as_array).into_iter().flatten();
    AgentSummary {
        name: found.name().to_owned(),
        description: text(value.get("description")),
        kind: match value.get("type").and_then(Value::as_str) {
            Some("procedural") => Type::Procedural,
            _ => Type::Autonomous,
        },
        executor_type: text(executor.and_then(|executor| executor.get("type"))),
        model: executor.and_then(|executor| executor.get("model")).and_then(Value::as_str).map(str::to_owned),
        tags: tags.filter_map(Value::as_str).map(str::to_owned).collect(),
        source: found.source(),
        valid: found.sound().is_some(),
        has_parameters_schema: has("parameters_schema"),
        has_output_schema: has("output_schema") || has("default_output_schema"),
        problems,
    }
}

/// The input contract of an agent that has none of its own.
pub(crate) fn implicit_parameters() -> Value {
    json!({
        "type": "object",
        "required": ["prompt"],
        "properties": {"prompt": {"type": "string", "minLength": 1}},
        "additionalProperties": false,
    })
}

/// What the linter says about a schema, and what each provider takes of it.
pub(crate) fn looked_at(schema: &Schema) -> (Vec<Value>, Vec<LoweringReport>) {
    let value = |finding| serde_json::to_value(finding).unwrap_or_default();
    let lint = lint(schema).iter().map(value).collect();
    let lowering = Profile::all().iter().map(|profile| lowering(schema, profile)).collect();
    (lint, lowering)
}

fn lowering(schema: &Schema, profile: &Profile) -> LoweringReport {
    let lowered = lower(schema, profile);
    let losses = lowered.losses.iter().map(|loss| serde_json::to_value(loss).unwrap_or_default()).collect();
    LoweringReport {
        profile: profile.name.clone(),
        schema: lowered.refusal.is_none().then_some(lowered.schema),
        refusal: lowered.refusal,
        losses,
    }
}
