//! Contracts in force, compiled once.
//!
//! A run carries its contract as text. The same text means the same contract, so it is the key: a result is checked
//! without reading or compiling the schema again.

use std::sync::Arc;

use accord_api::ErrorName;
use accord_blueprint::hex;
use accord_contract::{
    self as contract, Answer, Embedded, Extract, Invariants, Mode, Options, Schema, SchemaError, Verdict,
};
use accord_domain::contract::{self as terms, Contract as Terms, Invariant, ValidationMode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::recent::Recent;
use crate::error::Error;
use crate::work::heavy;

/// How many contracts and schemas are kept compiled. An installation has tens of agents; callers that make up a schema
/// for each run must not fill the memory.
const KEPT: usize = 256;

/// More text than this is judged on a thread of its own: reading a megabyte takes milliseconds, in which nobody else on
/// this thread would be served.
const ON_THE_SPOT_BYTES: usize = 64 * 1024;

/// The same for schemas, which cost more: one of this size takes a millisecond.
const COMPILED_ON_THE_SPOT_BYTES: usize = 16 * 1024;

/// A contract in force, compiled.
#[derive(Debug)]
pub(crate) struct InForce {
    /// What it says.
    pub(crate) terms: Terms,
    /// What judges a model's answer.
    pub(crate) answer: contract::Contract,
    /// What judges a reported result: a value, whole and as it stands.
    pub(crate) result: contract::Contract,
}

impl InForce {
    /// A contract whose parts are compiled already.
    pub(crate) fn new(terms: Terms, schema: Schema, invariants: Invariants) -> Self {
        let mode = match terms.validation_mode {
            ValidationMode::Strict => Mode::Strict,
            ValidationMode::Lenient => Mode::Lenient,
        };
        let options = Options {
            extract_json: Extract { fence: terms.extract_json.fence, prose: terms.extract_json.prose },
            strict_json_only: terms.strict_json_only,
            mode,
            embedded: match terms.embedded {
                terms::Embedded::Accept => Embedded::Accept,
                terms::Embedded::Confirm => Embedded::Confirm,
            },
        };
        let both = contract::Contract::new(schema).with_invariants(invariants);
        Self { terms, answer: both.clone().with_options(options), result: both.with_options(AS_IT_STANDS) }
    }
}

const AS_IT_STANDS: Options = Options {
    extract_json: Extract::NONE,
    strict_json_only: true,
    mode: Mode::Strict,
    embedded: Embedded::Accept,
};

/// What was compiled lately.
#[derive(Debug)]
pub(crate) struct Contracts {
    schemas: Recent<Schema>,
    by_text: Recent<Arc<InForce>>,
    by_agent: Recent<Arc<str>>,
}

impl Default for Contracts {
    fn default() -> Self {
        Self { schemas: Recent::new(KEPT), by_text: Recent::new(KEPT), by_agent: Recent::new(KEPT) }
    }
}

impl Contracts {
    /// A schema, compiled.
    pub(crate) fn schema(&self, document: &Value) -> Result<Schema, SchemaError> {
        let key = hex(&Sha256::digest(document.to_string()));
        self.schemas.get_or(&key, || Schema::compile(document))
    }

    /// The same for a schema that somebody sends: a large one is compiled on a thread of its own.
    pub(crate) async fn sent_schema(&self, document: &Value) -> Result<Result<Schema, SchemaError>, Error> {
        let text = document.to_string();
        let key = hex(&Sha256::digest(&text));
        if let Some(schema) = self.schemas.get(&key) {
            return Ok(Ok(schema));
        }
        // A pattern costs far more than it is long.
        let is_quick = text.len() <= COMPILED_ON_THE_SPOT_BYTES && !text.contains("\"pattern");
        let compiled = match is_quick {
            true => Schema::compile(document),
            false => {
                let document = document.clone();
                heavy(move || Schema::compile(&document)).await?
            }
        };
        if let Ok(schema) = &compiled {
            self.schemas.put(&key, schema.clone());
        }
        Ok(compiled)
    }

    /// The text of the contract that an agent brings along, made once for each version of the agent.
    pub(crate) fn of_agent(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<InForce, Error>,
    ) -> Result<Arc<str>, Error> {
        self.by_agent.get_or(key, || self.resolve(make()?))
    }

    /// The text of a contract, whose meaning is remembered for the end of the run.
    pub(crate) fn resolve(&self, in_force: InForce) -> Result<Arc<str>, Error> {
        let text: Arc<str> = serde_json::to_string(&in_force.terms).map_err(Error::internal)?.into();
        self.by_text.get_or(&text, || Ok::<_, Error>(Arc::new(in_force)))?;
        Ok(text)
    }

    /// The contract that a run was stored with.
    pub(crate) fn stored(&self, text: &str) -> Result<Arc<InForce>, Error> {
        self.by_text.get_or(text, || {
            let terms: Terms = serde_json::from_str(text).map_err(Error::internal)?;
            let schema = self.schema(&terms.schema).map_err(Error::internal)?;
            let invariants = compile_invariants(&terms.invariants)?;
            Ok(Arc::new(InForce::new(terms, schema, invariants)))
        })
    }
}

/// The contract of a command without one: any value, as it stands, and readable in one way only.
pub(crate) fn any_value() -> Result<contract::Contract, Error> {
    let schema = Schema::compile(&Value::Bool(true)).map_err(Error::internal)?;
    Ok(contract::Contract::new(schema).with_options(AS_IT_STANDS))
}

/// Rules, compiled.
pub(crate) fn compile_invariants(invariants: &[Invariant]) -> Result<Invariants, Error> {
    let rules: Vec<contract::Invariant> = invariants
        .iter()
        .map(|each| contract::Invariant { rule: each.rule.clone(), message: each.message.clone() })
        .collect();
    Invariants::compile(&rules).map_err(Error::internal)
}

/// A schema that somebody sent and that is none.
pub(crate) fn invalid_schema(field: &str, error: &SchemaError) -> Error {
    let message = format!("{field} is not a valid JSON Schema: {error}");
    Error::new(ErrorName::InvalidSchema, message).with_details(json!({
        "field": field,
        "path": error.path,
        "pointer": error.pointer,
        "message": error.message,
    }))
}

/// What is to be judged.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    /// The text.
    pub(crate) text: String,
    /// A structured value beside it.
    pub(crate) structured: Option<Value>,
    /// The run's parameters as JSON text, for invariants that speak of `input`.
    pub(crate) parameters: String,
}

/// Judges, on this thread where that is quick. Gives the text back.
pub(crate) async fn judged(said: Said, contract: contract::Contract) -> Result<(Verdict, String), Error> {
    // Invariants are evaluated on a thread of their own, which this one would wait for.
    let bytes = said.text.len();
    let is_quick = bytes <= ON_THE_SPOT_BYTES && contract.schema().is_quick_for(bytes);
    if is_quick && said.structured.is_none() && contract.invariants().is_empty() {
        return Ok(judge(said, &contract));
    }
    heavy(move || judge(said, &contract)).await
}

fn judge(said: Said, contract: &contract::Contract) -> (Verdict, String) {
    let input = match contract.invariants().is_empty() {
        true => Value::Null,
        false => serde_json::from_str(&said.parameters).unwrap_or_default(),
    };
    let answer = Answer { text: &said.text, structured: said.structured.as_ref(), input: &input, lift: None };
    (contract::judge(&answer, contract), said.text)
}
