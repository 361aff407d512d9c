//! The work of a claimed run, parsed and compiled.

use std::sync::Arc;

use accord_api::agent::{Blueprint, Executor, Type};
use accord_api::step::again::{Until, Way, carried};
use accord_api::step::{Body, Step};
use accord_api::{ClaimedRun, Contract, EndpointFact, RunId, RunKind, SessionId, Spent, ValidationMode};
use accord_contract::lower::{Lowered, Profile, lower};
use accord_contract::prompt::Form;
use accord_contract::{
    Embedded, Exceeded, Extract, Invariant, Invariants, Meter, Mode, Options, Recent, Schema, weight,
};
use accord_executor::ToolEntries;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::approvals::tool_entries;
use crate::limits::DOCUMENTS_KEPT;

/// A contract, as it was resolved and as it is judged by.
#[derive(Debug)]
pub struct Terms {
    /// As it was resolved.
    pub contract: Contract,
    /// As it is judged by.
    pub compiled: accord_contract::Contract,
    /// As providers take it, by their profiles.
    lowered: Recent<Arc<Lowered>>,
    /// As models are shown it, by what is shown.
    forms: Recent<Form>,
}

/// A cache of parsed documents of earlier runs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Known {
    agents: Arc<Recent<Agent>>,
    terms: Arc<Recent<Arc<Terms>>>,
}

impl Default for Known {
    fn default() -> Self {
        Self { agents: Arc::new(Recent::new(DOCUMENTS_KEPT)), terms: Arc::new(Recent::new(DOCUMENTS_KEPT)) }
    }
}

#[derive(Debug, Clone)]
struct Agent {
    blueprint: Arc<Blueprint>,
    tool_entries: ToolEntries,
    settings: Arc<Value>,
}

/// One run, with all that it needs. What other runs need too is shared with them.
#[derive(Debug, Clone)]
pub struct Assignment {
    pub run_id: RunId,
    pub session_id: SessionId,
    /// Which delivery, from 1.
    pub delivery: u32,
    /// Whether it begins the session.
    pub kind: RunKind,
    pub agent: Arc<Blueprint>,
    pub(crate) tool_entries: ToolEntries,
    /// The blueprint's `executor` object, as it is written.
    pub settings: Arc<Value>,
    pub parameters: Value,
    pub terms: Option<Arc<Terms>>,
    /// Whether the coordinator judges.
    pub held_by_coordinator: bool,
    /// The prompt to use instead of the parameters.
    pub retry_prompt: Option<String>,
    pub conversation: Option<Value>,
    /// Another model than the blueprint names.
    pub model: Option<String>,
    /// The folder to work in, where the caller named one.
    pub project_dir: Option<String>,
    /// Known facts about endpoints.
    pub facts: Vec<EndpointFact>,
    pub input: Value,
    /// What deliveries before this one have used, as far as their steps do not say.
    pub spent: Spent,
    /// What deliveries before this one did.
    pub steps: Vec<Step>,
    /// The number of the next step.
    pub next_step: u32,
    /// The name of the host that the runner works on.
    pub host: String,
}

/// Why a claimed run cannot be executed. The message names the part and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this runner cannot use {part} of this run: {cause}")]
pub struct AssignmentError {
    part: &'static str,
    cause: String,
}

impl Assignment {
    /// Reads a claim and compiles its contract.
    pub fn read(
        claim: &ClaimedRun,
        known: &Known,
        host: &str,
        meter: &Meter,
    ) -> Result<Self, AssignmentError> {
        let text = claim.blueprint.get();
        let Agent { blueprint: agent, settings, tool_entries } =
            known.agents.get_or(text, |_| weight(text), || Agent::read(&claim.blueprint))?;
        let terms = |text: &RawValue| {
            let compile = || Terms::compile(document("the contract", text)?, meter).map(Arc::new);
            known.terms.get_or(text.get(), |_| weight(text.get()), compile)
        };
        let terms = claim.contract.as_deref().map(terms).transpose()?;
        let parameters: Value = document("the parameters", &claim.parameters)?;
        let input = claim.input.as_deref().map(|text| document("the input", text)).transpose()?;
        let steps = carried(&claim.steps, Way::Redelivery, Until::Step);
        Ok(Self {
            run_id: claim.run_id.clone(),
            session_id: claim.session_id.clone(),
            delivery: claim.attempt,
            kind: claim.kind,
            agent,
            settings,
            tool_entries,
            input: input.unwrap_or_else(|| parameters.clone()),
            parameters,
            terms,
            held_by_coordinator: claim.held_by_coordinator,
            retry_prompt: claim.retry_prompt.clone(),
            conversation: claim
                .conversation
                .as_deref()
                .map(|text| document("the conversation", text))
                .transpose()?,
            model: claim.model.clone(),
            project_dir: claim.project_dir.clone(),
            facts: recorded_facts(&steps)?.unwrap_or_else(|| claim.facts.clone()),
            spent: claim.spent,
            host: host.to_owned(),
            next_step: claim.steps.last().map_or(1, |step| step.number.saturating_add(1)),
            steps,
        })
    }

    /// Whether the recorded conversation is kept by a program on another host, so that it cannot be continued here.
    pub fn has_lost_conversation(&self) -> bool {
        let host = self.steps.iter().rev().find_map(|step| match &step.body {
            Body::Conversation { host, .. } => Some(host),
            _ => None,
        });
        host.is_some_and(|host| *host != self.host)
    }

    /// Whether a command computes the result.
    pub fn is_procedural(&self) -> bool {
        self.agent.kind == Type::Procedural || matches!(self.agent.executor, Executor::Process(_))
    }
}

impl Agent {
    fn read(text: &RawValue) -> Result<Self, AssignmentError> {
        let blueprint: Value = document("the blueprint", text)?;
        let settings = Arc::new(blueprint.get("executor").cloned().unwrap_or_default());
        // By way of the value: the executor is a tagged shape, which cannot read numbers from text.
        let blueprint: Blueprint =
            serde_json::from_value(blueprint).map_err(|error| refused("the blueprint", error))?;
        let tool_entries = tool_entries(&blueprint).map_err(|error| refused("the blueprint", error))?;
        Ok(Self { blueprint: Arc::new(blueprint), settings, tool_entries })
    }
}

impl Terms {
    pub fn compile(contract: Contract, meter: &Meter) -> Result<Self, AssignmentError> {
        let schema =
            Schema::compile(&contract.schema, meter).map_err(|error| refused("the output schema", error))?;
        let invariants: Vec<Invariant> = contract
            .invariants
            .iter()
            .map(|each| Invariant { rule: each.rule.clone(), message: each.message.clone() })
            .collect();
        let invariants = Invariants::compile(&invariants).map_err(|error| refused("an invariant", error))?;
        let options = Options {
            extract_json: Extract { fence: contract.extract_json.fence, prose: contract.extract_json.prose },
            strict_json_only: contract.strict_json_only,
            mode: match contract.validation_mode {
                ValidationMode::Strict => Mode::Strict,
                ValidationMode::Lenient => Mode::Lenient,
            },
            embedded: match contract.embedded {
                accord_api::Embedded::Accept => Embedded::Accept,
                accord_api::Embedded::Confirm => Embedded::Confirm,
            },
        };
        let compiled =
            accord_contract::Contract::new(schema).with_invariants(invariants).with_options(options);
        let (lowered, forms) = (Recent::new(DOCUMENTS_KEPT), Recent::new(DOCUMENTS_KEPT));
        Ok(Self { contract, compiled, lowered, forms })
    }

    /// The schema as the provider supports it, or why it cannot be converted. Slow for large schemas.
    pub(crate) fn lowered(&self, profile: &str, meter: &Meter) -> Result<Arc<Lowered>, String> {
        let profile = Profile::named(profile).ok_or_else(|| format!("unknown profile '{profile}'"))?;
        let lowered = || lower(self.compiled.schema(), profile, meter).map(Arc::new);
        self.lowered.get_or(
            &profile.name,
            |_| profile.name.len(),
            || {
                lowered().map_err(|exceeded| {
                    format!("the schema cannot be reduced to what the provider supports: {exceeded}")
                })
            },
        )
    }
}

impl Terms {
    /// The form of the answer, with or without the schema.
    pub(crate) fn form(&self, shows_schema: bool, meter: &Meter) -> Result<Form, Exceeded> {
        let key = if shows_schema { "with the schema" } else { "alone" };
        self.forms.get_or(key, |_| key.len(), || Form::new(self.compiled.schema(), shows_schema, meter))
    }

    /// The form of the answer as a provider writes it, if that is another one.
    pub(crate) fn reshaped_form(
        &self,
        profile: &str,
        lowered: &Lowered,
        shows_schema: bool,
        meter: &Meter,
    ) -> Result<Form, Exceeded> {
        let key = format!("{profile} {shows_schema}");
        self.forms.get_or(
            &key,
            |_| key.len(),
            || {
                let reshapes = lowered.lift.reshapes();
                let schema = reshapes.then(|| Schema::compile(&lowered.schema, &meter.anew()).ok()).flatten();
                match schema {
                    Some(schema) => Form::new(&schema, shows_schema, &meter.anew()),
                    None => self.form(shows_schema, &meter.anew()),
                }
            },
        )
    }
}

/// What the first delivery knew about endpoints: this one decides by the same facts. A run whose steps begin without them
/// knew none.
fn recorded_facts(steps: &[Step]) -> Result<Option<Vec<EndpointFact>>, AssignmentError> {
    match steps.first().map(|step| &step.body) {
        Some(Body::Opened { facts }) => {
            Vec::deserialize(facts).map(Some).map_err(|error| refused("the steps", error))
        }
        Some(_) => Ok(Some(Vec::new())),
        None => Ok(None),
    }
}

/// Straight from the text, which keeps every number as it is written.
fn document<T: DeserializeOwned>(part: &'static str, text: &RawValue) -> Result<T, AssignmentError> {
    serde_json::from_str(text.get()).map_err(|error| refused(part, error))
}

fn refused(part: &'static str, cause: impl std::fmt::Display) -> AssignmentError {
    AssignmentError { part, cause: cause.to_string() }
}
