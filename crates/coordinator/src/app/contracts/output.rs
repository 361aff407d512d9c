//! The output contract: who decides.
//!
//! The blueprint's own contract is authoritative: a caller's beside it has to agree with it ([`super::beside`]). Without it the caller
//! decides, an inline schema before a named one. The blueprint's default comes last. Invariants speak of the blueprint's
//! own shapes, so they hold with its contract and its default, and not with a caller's.

use std::sync::Arc;

use accord_api::{CreateRun, ErrorName};
use accord_blueprint::BLUEPRINT_RETRIES;
use accord_contract::{Invariants, Schema};
use accord_domain::contract::{Contract, Invariant, MOST_RETRIES, Options, Origin};
use serde_json::{Value, json};

use super::beside::Beside;
use super::{Contracts, InForce, compile_invariants, invalid_schema};
use crate::app::Agent;
use crate::error::Error;

/// The caller's requirements for the output.
#[derive(Debug, Default)]
pub(in crate::app) struct Wanted {
    pub(in crate::app) schema: Option<Value>,
    pub(in crate::app) schema_name: Option<String>,
    pub(in crate::app) options: Option<Options>,
    /// Rules that go with the schema. Callers over HTTP have none.
    pub(in crate::app) rules: Vec<Invariant>,
    /// What happens to a schema that the agent's own does not imply.
    pub(in crate::app) beside: Beside,
}

impl Wanted {
    pub(in crate::app) fn take(request: &mut CreateRun) -> Self {
        Self {
            schema: request.output_schema.take(),
            schema_name: request.output_schema_name.take(),
            options: request.output_schema_options.take(),
            rules: Vec::new(),
            beside: Beside::default(),
        }
    }
}

/// The parts of a contract that its origin gives.
pub(super) struct Parts<'a> {
    pub(super) origin: Origin,
    pub(super) schema: Schema,
    /// The caller's part of the schema, where it has one beside the agent's.
    pub(super) callers_schema: Option<Value>,
    pub(super) schema_name: Option<String>,
    pub(super) rules: &'a [Invariant],
    pub(super) invariants: Invariants,
    /// Options, the first that says something wins.
    pub(super) options: [Option<&'a Options>; 2],
    pub(super) max_retries: u32,
}

impl<'a> Parts<'a> {
    pub(super) fn of_blueprint(agent: &'a Agent, schema: &Schema) -> Self {
        Self {
            origin: Origin::Blueprint,
            schema: schema.clone(),
            callers_schema: None,
            schema_name: agent.output_name().map(str::to_owned),
            rules: &agent.blueprint.invariants,
            invariants: agent.invariants.clone(),
            options: [agent.blueprint.output_schema_options.as_ref(), None],
            max_retries: BLUEPRINT_RETRIES,
        }
    }
}

impl Contracts {
    /// The contract in force for a run of this agent.
    pub(in crate::app) async fn of_run(
        &self,
        agent: &Agent,
        wanted: Wanted,
    ) -> Result<Option<Arc<InForce>>, Error> {
        check_options(wanted.options.as_ref())?;
        if let Some(schema) = &agent.output {
            if wanted.options.is_some() || !wanted.rules.is_empty() {
                return Err(options_conflict(&agent.blueprint.name));
            }
            if let Some((callers, _)) = self.callers_schema(&wanted).await? {
                return Box::pin(self.beside(agent, schema, callers, wanted.beside)).await.map(Some);
            }
            return self.agents_own(agent, schema).map(Some);
        }
        if let Some(schema) = self.callers_schema(&wanted).await? {
            let (schema, schema_name) = schema;
            let parts = Parts {
                origin: Origin::Caller,
                schema,
                callers_schema: None,
                schema_name,
                rules: &wanted.rules,
                invariants: compile_invariants(&wanted.rules)?,
                options: [wanted.options.as_ref(), None],
                max_retries: self.enforcement.max_retries,
            };
            return self.in_force(parts).map(Some);
        }
        let Some(schema) = &agent.default_output else {
            return match wanted.options {
                Some(_) => Err(Error::new(
                    ErrorName::InvalidRequest,
                    "output_schema_options requires a contract, and this run has none: send output_schema or output_schema_name as well",
                )),
                None => Ok(None),
            };
        };
        let make = || self.of_default(agent, schema, wanted.options.as_ref());
        match &wanted.options {
            Some(_) => make().map(Some),
            None => {
                let key = format!("{}:{}:default", agent.hash, schema.hash());
                self.by_agent.get_or(&key, InForce::bytes, make).map(Some)
            }
        }
    }

    /// The contract of the agent's own schema.
    pub(super) fn agents_own(&self, agent: &Agent, schema: &Schema) -> Result<Arc<InForce>, Error> {
        let key = format!("{}:{}:blueprint", agent.hash, schema.hash());
        let make = || self.in_force(Parts::of_blueprint(agent, schema));
        self.by_agent.get_or(&key, InForce::bytes, make)
    }

    fn of_default(
        &self,
        agent: &Agent,
        schema: &Schema,
        wanted: Option<&Options>,
    ) -> Result<Arc<InForce>, Error> {
        self.in_force(Parts {
            origin: Origin::Default,
            schema: schema.clone(),
            callers_schema: None,
            schema_name: agent.default_output_name().map(str::to_owned),
            rules: &agent.blueprint.invariants,
            invariants: agent.invariants.clone(),
            options: [wanted, agent.blueprint.default_output_schema_options.as_ref()],
            max_retries: self.enforcement.max_retries,
        })
    }

    /// The caller's schema and its name, compiled. Inline wins.
    async fn callers_schema(&self, wanted: &Wanted) -> Result<Option<(Schema, Option<String>)>, Error> {
        if let Some(document) = &wanted.schema {
            let compiled = self.sent_schema(document).await?;
            let schema = compiled.map_err(|error| invalid_schema("output_schema", &error))?;
            return Ok(Some((schema, None)));
        }
        let Some(name) = &wanted.schema_name else { return Ok(None) };
        let Some(record) = self.registered.schema(name).await? else {
            let message = format!("output schema '{name}' not found");
            return Err(Error::new(ErrorName::SchemaNotFound, message));
        };
        let document: Value = serde_json::from_str(&record.document).map_err(Error::internal)?;
        let schema = self.sent_schema(&document).await?.map_err(Error::internal)?;
        Ok(Some((schema, Some(name.clone()))))
    }

    pub(super) fn in_force(&self, parts: Parts<'_>) -> Result<Arc<InForce>, Error> {
        let defaults = &self.enforcement;
        let options = parts.options.into_iter().flatten();
        let terms = Contract {
            origin: parts.origin,
            schema: parts.schema.document().clone(),
            callers_schema: parts.callers_schema,
            schema_name: parts.schema_name,
            schema_hash: parts.schema.hash().to_owned(),
            invariants: parts.rules.to_vec(),
            max_retries: options.clone().find_map(|each| each.max_retries).unwrap_or(parts.max_retries),
            extract_json: options.clone().find_map(|each| each.extract_json).unwrap_or(defaults.extract_json),
            embedded: options.clone().find_map(|each| each.embedded).unwrap_or(defaults.embedded),
            strict_json_only: options.clone().find_map(|each| each.strict_json_only).unwrap_or_default(),
            validation_mode: options
                .clone()
                .find_map(|each| each.validation_mode)
                .unwrap_or(defaults.validation_mode),
            strategy: options.clone().find_map(|each| each.strategy).unwrap_or(defaults.strategy),
            on_failure: options.clone().find_map(|each| each.on_failure).unwrap_or_default(),
        };
        self.keep(terms, parts.schema, parts.invariants)
    }
}

fn check_options(options: Option<&Options>) -> Result<(), Error> {
    match options.and_then(|options| options.max_retries) {
        Some(retries) if retries > MOST_RETRIES => Err(Error::new(
            ErrorName::InvalidRequest,
            format!("expected output_schema_options.max_retries from 0 to {MOST_RETRIES}, got {retries}"),
        )),
        _ => Ok(()),
    }
}

fn options_conflict(agent_name: &str) -> Error {
    let message = format!(
        "agent '{agent_name}' has its own output_schema, whose options and rules callers cannot set; omit output_schema_options"
    );
    Error::new(ErrorName::OutputSchemaConflict, message).with_details(json!({"agent_name": agent_name}))
}
