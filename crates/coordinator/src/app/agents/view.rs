//! Agents as the API shows them: in lists, one by one, and by their contracts.

use accord_api::{
    AgentContract, AgentSummary, AgentView, ErrorName, LoweringReport, Problem, Severity, ValidateAgentAnswer,
};
use accord_blueprint::{
    Agents, BLUEPRINT_RETRIES, ParsedAgent, add_provider_configuration, agent_summary, warning,
};
use accord_contract::lint::lint;
use accord_contract::lower::{Profile, lower};
use accord_contract::{Exceeded, JsonPath, Meter, Schema};
use accord_store::Defined;
use serde_json::{Value, json};

use crate::app::blueprints::Blueprints;
use crate::app::catalog::{AgentState, Catalog};
use crate::app::definitions::{Found, Kind, mistakes, parse};
use crate::app::page;
use crate::error::Error;
use crate::work::heavy;

impl Blueprints {
    /// Both contracts of an agent, and what each provider supports of them.
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
        let (parameters_schema, output_schema) = (agent.input_document(), agent.output_document().cloned());
        let (lint, lowering) = match output {
            None => (Vec::new(), Vec::new()),
            Some(schema) => heavy(move |meter| schema_report(&schema, meter)).await??,
        };
        Ok(AgentContract {
            agent_name: name.to_owned(),
            contract_hash: agent.contract_hash.clone(),
            parameters_schema,
            output_schema,
            is_default,
            max_retries,
            lint,
            lowering,
        })
    }

    /// Checks a blueprint, and that it has this name if one is given.
    pub(crate) async fn validate_agent(
        &self,
        name: Option<&str>,
        value: Value,
    ) -> Result<ValidateAgentAnswer, Error> {
        let parsed = parse::<Agents>(value).await?;
        let mut problems = parsed.problems.clone();
        add_provider_configuration(&mut problems, &parsed.value, &self.catalog.state.providers);
        problems.extend(self.catalog.unregistered(&parsed).await?);
        let given = parsed.value.get("name").and_then(Value::as_str);
        let is_other = name.is_some() && given.is_some() && name != given;
        if let (true, Some(name), Some(given)) = (is_other, name, given) {
            let message = format!("the blueprint is named '{given}', but the agent is '{name}'");
            let place = JsonPath::root().key("name");
            problems.insert(0, Problem { severity: Severity::Error, ..warning(&place, message) });
        }
        Ok(ValidateAgentAnswer { valid: parsed.valid.is_some() && !is_other, problems })
    }

    /// Checks an agent that exists.
    pub(crate) async fn validate_known_agent(&self, name: &str) -> Result<ValidateAgentAnswer, Error> {
        let view = self.get::<Agents>(name).await?;
        Ok(ValidateAgentAnswer { valid: view.summary.valid, problems: view.summary.problems })
    }
}

impl Kind for Agents {
    const DEFINED: Defined = Defined::Agent;
    const LIST: page::List = page::List("agents");
    const DOCUMENT: &'static str = "blueprint";
    const NOT_FOUND: ErrorName = ErrorName::AgentNotFound;
    const EXISTS: ErrorName = ErrorName::AgentExists;
    const READ_ONLY: ErrorName = ErrorName::AgentReadOnly;
    const FILE_CHANGED: &'static str = "agent.file_changed";

    type State = AgentState;
    type Summary = AgentSummary;
    type View = AgentView;

    fn definitions(blueprints: &Blueprints) -> &Catalog {
        &blueprints.catalog
    }

    async fn valid(_: &Blueprints, value: Value) -> Result<ParsedAgent, Error> {
        let parsed = parse::<Self>(value).await?;
        if parsed.valid.is_some() {
            return Ok(parsed);
        }
        let message = mistakes::<Self>(&parsed.problems);
        let problems = parsed.problems;
        Err(match parsed.wrong_schema {
            // The same error as for any other schema that is wrong.
            Some(place) => {
                let details = json!({"path": place.path(), "pointer": place.pointer(), "problems": problems});
                Error::new(ErrorName::InvalidSchema, message).with_details(details)
            }
            None => Error::new(ErrorName::InvalidAgent, message).with_details(json!({"problems": problems})),
        })
    }

    async fn summary(
        blueprints: &Blueprints,
        found: &Found<ParsedAgent>,
        overrides_stored: bool,
    ) -> Result<AgentSummary, Error> {
        let (catalog, parsed) = (&blueprints.catalog, found.parsed());
        let mut problems = parsed.problems.clone();
        add_provider_configuration(&mut problems, &parsed.value, &catalog.state.providers);
        if overrides_stored {
            let message =
                format!("this file overrides the stored agent '{}'; remove one of them", found.name());
            problems.push(Problem {
                file: found.file().map(str::to_owned),
                ..warning(&JsonPath::root(), message)
            });
        }
        problems.extend(catalog.unregistered(parsed).await?);
        Ok(agent_summary(found.name(), found.source(), parsed, problems))
    }

    async fn view(
        blueprints: &Blueprints,
        found: &Found<ParsedAgent>,
        summary: AgentSummary,
    ) -> Result<AgentView, Error> {
        Ok(AgentView {
            contract_hash: blueprints.catalog.contract_hash(found.parsed()).await?,
            summary,
            blueprint: found.value().clone(),
            hash: found.hash().to_owned(),
            file: found.file().map(str::to_owned),
            created_at: found.created_at(),
            modified_at: found.modified_at(),
        })
    }
}

impl Catalog {
    /// Warnings for schemas that are not registered. They may be registered later.
    async fn unregistered(&self, agent: &ParsedAgent) -> Result<Vec<Problem>, Error> {
        let mut problems = Vec::new();
        for (field, name) in agent.registered_schemas() {
            if self.registered(name).await?.is_none() {
                let message =
                    format!("schema '{name}' is not registered; the agent cannot be used until it is");
                problems.push(warning(&JsonPath::root().key(field), message));
            }
        }
        Ok(problems)
    }
}

/// What the linter finds in a schema, and what each of the common providers supports of it.
pub(crate) fn schema_report(
    schema: &Schema,
    meter: &Meter,
) -> Result<(Vec<Value>, Vec<LoweringReport>), Exceeded> {
    let value = |finding| serde_json::to_value(finding).unwrap_or_default();
    let lint = lint(schema, &meter.anew()).iter().map(value).collect();
    let common = Profile::all().iter().filter(|profile| profile.common);
    let lowering = common.map(|profile| lowering(schema, profile, &meter.anew())).collect();
    meter.check()?;
    Ok((lint, lowering))
}

fn lowering(schema: &Schema, profile: &Profile, meter: &Meter) -> LoweringReport {
    let lowered = match lower(schema, profile, meter) {
        Ok(lowered) => lowered,
        Err(exceeded) => {
            let refusal = format!("the schema cannot be reduced to what the provider supports: {exceeded}");
            let (profile, losses) = (profile.name.clone(), Vec::new());
            return LoweringReport { profile, schema: None, refusal: Some(refusal), losses };
        }
    };
    let losses = lowered.losses.iter().map(|loss| serde_json::to_value(loss).unwrap_or_default()).collect();
    LoweringReport {
        profile: profile.name.clone(),
        schema: lowered.refusal.is_none().then_some(lowered.schema),
        refusal: lowered.refusal,
        losses,
    }
}
