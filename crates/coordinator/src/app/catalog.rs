//! Agents that can be used now, with their contracts compiled and registered schemas resolved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use accord_api::ErrorName;
use accord_blueprint::{
    Agents, DeclaredSchema, ParsedAgent, ValidBlueprint, agent_contract_hash, hash_of, implicit_parameters,
    unregistered_schema,
};
use accord_contract::{Invariants, Schema, weight};
use accord_domain::agent::Blueprint;
use accord_store::ContractRecord;
use serde_json::{Value, json};

use super::definitions::{Definitions, first_error};
use super::recent::{IN_USE, Recent};
use crate::error::Error;
use crate::work::heavy;

/// A valid agent with its contracts compiled.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) blueprint: Blueprint,
    /// The blueprint as JSON text, as runners get it.
    pub(crate) document: String,
    /// A hash of the document.
    pub(crate) hash: String,
    /// The hash of its input and output schemas.
    pub(crate) contract_hash: String,
    /// `parameters_schema`, compiled.
    pub(crate) parameters: Option<Schema>,
    /// `output_schema`, compiled.
    pub(crate) output: Option<Schema>,
    /// `default_output_schema`, compiled.
    pub(crate) default_output: Option<Schema>,
    /// `invariants`, compiled.
    pub(crate) invariants: Invariants,
    /// Whether its contract is in the store.
    is_contract_kept: AtomicBool,
}

impl Agent {
    /// The schema of its input.
    pub(crate) fn input_document(&self) -> Value {
        self.parameters.as_ref().map_or_else(implicit_parameters, |schema| schema.document().clone())
    }

    /// The schema of its output, or its default.
    pub(crate) fn output_document(&self) -> Option<&Value> {
        self.output.as_ref().or(self.default_output.as_ref()).map(Schema::document)
    }

    /// The name of its output schema, if it is a registered one.
    pub(crate) fn output_name(&self) -> Option<&str> {
        self.blueprint.output_schema.as_ref().and_then(Value::as_str)
    }

    /// The name of its default output schema, if it is a registered one.
    pub(crate) fn default_output_name(&self) -> Option<&str> {
        self.blueprint.default_output_schema.as_ref().and_then(Value::as_str)
    }
}

pub(crate) type Catalog = Definitions<Agents>;

/// What the catalog keeps besides the definitions.
pub(crate) struct AgentState {
    /// The names of the configured providers.
    pub(super) providers: Vec<String>,
    agents: Recent<Arc<Agent>>,
    schemas: Recent<Schema>,
}

impl AgentState {
    pub(super) fn new(providers: Vec<String>) -> Self {
        Self { providers, agents: Recent::new(IN_USE), schemas: Recent::new(IN_USE) }
    }
}

impl Catalog {
    /// The agent of this name, ready for use. Fails with `AgentNotFound`, with `AgentBroken` and its mistakes, or with
    /// `SchemaNotFound` if it refers to a schema that is not registered.
    pub(crate) async fn usable(&self, name: &str) -> Result<Arc<Agent>, Error> {
        let found = self.found(name).await?;
        let parsed = found.parsed();
        let Some(valid) = &parsed.valid else {
            let message = format!("agent '{name}' is invalid: {}", first_error(&parsed.problems));
            let details = json!({"problems": parsed.problems});
            return Err(Error::new(ErrorName::AgentBroken, message).with_details(details));
        };
        let agent = self.compiled(name, valid, found.hash(), || found.document()).await?;
        self.keep_contract(name, &agent).await;
        Ok(agent)
    }

    /// Keeps the contract of an agent that somebody uses or reads, so that callers can be told later what has changed since. An
    /// agent is usable without: the next use tries again.
    async fn keep_contract(&self, name: &str, agent: &Agent) {
        if agent.is_contract_kept.swap(true, Ordering::Relaxed) {
            return;
        }
        let record = ContractRecord {
            agent_name: name.to_owned(),
            hash: agent.contract_hash.clone(),
            input: agent.input_document().to_string(),
            output: agent.output_document().map(Value::to_string),
        };
        if let Err(error) = self.store.keep_contract(record).await {
            agent.is_contract_kept.store(false, Ordering::Relaxed);
            tracing::warn!(agent = name, %error, "the contract could not be kept");
        }
    }

    /// An agent that is defined in a workflow, ready for use.
    pub(crate) async fn inline(&self, value: Value) -> Result<Arc<Agent>, Error> {
        let parsed = self.parsed_inline(value).await?;
        let document = parsed.document();
        let Some(valid) = &parsed.valid else {
            let details = json!({"problems": parsed.problems});
            let message =
                format!("the agent defined in the workflow is invalid: {}", first_error(&parsed.problems));
            return Err(Error::new(ErrorName::AgentBroken, message).with_details(details));
        };
        let hash = hash_of(&document);
        self.compiled(&valid.blueprint.name, valid, &hash, || document).await
    }

    /// An agent that is defined in a workflow, parsed. It is cached, because workflows are checked often.
    pub(crate) async fn parsed_inline(&self, value: Value) -> Result<Arc<ParsedAgent>, Error> {
        self.parsed_once(&hash_of(&value.to_string()), value).await
    }

    async fn compiled(
        &self,
        name: &str,
        valid: &ValidBlueprint,
        hash: &str,
        document: impl FnOnce() -> String,
    ) -> Result<Arc<Agent>, Error> {
        let output = self.resolved(name, valid.contracts.output.as_ref()).await?;
        let default_output = self.resolved(name, valid.contracts.default_output.as_ref()).await?;
        let hash_of = |schema: &Option<Schema>| schema.as_ref().map(|schema| schema.hash().to_owned());
        let key = format!("{hash} {:?} {:?}", hash_of(&output), hash_of(&default_output));
        if let Some(agent) = self.state.agents.get(&key) {
            return Ok(agent);
        }
        let agent = Arc::new(Agent {
            blueprint: valid.blueprint.clone(),
            document: document(),
            hash: hash.to_owned(),
            contract_hash: agent_contract_hash(
                valid.contracts.parameters.as_ref(),
                output.as_ref().or(default_output.as_ref()),
            ),
            parameters: valid.contracts.parameters.clone(),
            output,
            default_output,
            invariants: valid.contracts.invariants.clone(),
            is_contract_kept: AtomicBool::new(false),
        });
        self.state.agents.put(&key, weight(&agent.document), Arc::clone(&agent));
        Ok(agent)
    }

    /// The hash of the input and output schemas of an agent; none if it is invalid or names a schema that cannot be used.
    pub(crate) async fn contract_hash(&self, agent: &ParsedAgent) -> Result<Option<String>, Error> {
        let Some(ValidBlueprint { blueprint, contracts }) = &agent.valid else { return Ok(None) };
        let declared = contracts.output.as_ref().or(contracts.default_output.as_ref());
        match self.resolved(&blueprint.name, declared).await {
            Ok(output) => Ok(Some(agent_contract_hash(contracts.parameters.as_ref(), output.as_ref()))),
            Err(error) if matches!(error.name(), ErrorName::SchemaNotFound | ErrorName::InvalidSchema) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// The registered schema of this name, compiled.
    pub(crate) async fn registered(&self, name: &str) -> Result<Option<Schema>, Error> {
        let Some(record) = self.store.schema(name).await? else { return Ok(None) };
        if let Some(schema) = self.state.schemas.get(&record.hash) {
            return Ok(Some(schema));
        }
        let unreadable = |reason: String| Error::internal(format!("the stored schema '{name}': {reason}"));
        let value: Value =
            serde_json::from_str(&record.document).map_err(|error| unreadable(error.to_string()))?;
        // An earlier version may have accepted a schema that this one rejects.
        let compiled = heavy(move |meter| Schema::compile(&value, meter)).await?;
        let schema = compiled.map_err(|error| {
            let message =
                format!("the registered schema '{name}' cannot be enforced: {error}; register it again");
            Error::new(ErrorName::InvalidSchema, message)
        })?;
        self.state.schemas.put(&record.hash, weight(&record.document), schema.clone());
        Ok(Some(schema))
    }

    async fn resolved(
        &self,
        agent: &str,
        declared: Option<&DeclaredSchema>,
    ) -> Result<Option<Schema>, Error> {
        match declared {
            None => Ok(None),
            Some(DeclaredSchema::Inline(schema)) => Ok(Some(schema.clone())),
            Some(DeclaredSchema::Named(name)) => match self.registered(name).await? {
                Some(schema) => Ok(Some(schema)),
                None => Err(Error::new(ErrorName::SchemaNotFound, unregistered_schema(agent, name))),
            },
        }
    }
}
