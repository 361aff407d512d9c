//! Contracts in force, compiled once.
//!
//! A run carries its contract as text. The same text means the same contract, so it is the key: a result is checked
//! without reading or compiling the schema again.

mod beside;
mod output;

use std::sync::Arc;

use accord_api::ErrorName;
use accord_blueprint::hex;
use accord_contract::{
    self as contract, Answer, Embedded, Extract, Invariants, Meter, Mode, Options, Schema, SchemaError,
    Verdict, weight,
};
use accord_domain::contract::{self as terms, Contract as Terms, Invariant, ValidationMode};
use accord_store::{SchemaStore, StoreError};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::recent::Recent;
use crate::error::Error;
use crate::settings::Enforcement;
use crate::work::{brief, heavy, was_brief};

pub(crate) use beside::{Beside, accepts_output};
pub(super) use output::Wanted;

/// How many contracts and schemas are kept compiled. An installation has tens of agents; callers that make up a schema
/// for each run must not fill the memory.
const KEPT: usize = 256;

/// More text than this is judged on another thread: reading a megabyte takes milliseconds, in which this thread would serve no
/// other request.
const ON_THE_SPOT_BYTES: usize = 64 * 1024;

/// The same for schemas, which cost more: one of this size takes a millisecond.
const COMPILED_ON_THE_SPOT_BYTES: usize = 16 * 1024;

/// A contract in force, compiled.
#[derive(Debug)]
pub(crate) struct InForce {
    pub(crate) terms: Terms,
    /// The same as JSON text, as it is stored with a run.
    pub(crate) text: Arc<str>,
    /// What judges a model's answer.
    pub(crate) answer: contract::Contract,
    /// Judges a reported result: the whole value, unchanged.
    pub(crate) result: contract::Contract,
}

impl InForce {
    /// A contract whose parts are compiled already.
    fn new(terms: Terms, text: Arc<str>, schema: Schema, invariants: Invariants) -> Self {
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
        let answer = both.clone().with_options(options);
        Self { terms, text, answer, result: both.with_options(AS_IT_STANDS) }
    }

    /// About how much memory it takes.
    fn bytes(self: &Arc<Self>) -> usize {
        weight(&self.text)
    }
}

const AS_IT_STANDS: Options = Options {
    extract_json: Extract::NONE,
    strict_json_only: true,
    mode: Mode::Strict,
    embedded: Embedded::Accept,
};

/// The contracts of runs: which one applies, and a cache of recently compiled ones.
pub(crate) struct Contracts {
    registered: Arc<dyn SchemaStore>,
    enforcement: Enforcement,
    schemas: Recent<Schema>,
    by_text: Recent<Arc<InForce>>,
    by_agent: Recent<Arc<InForce>>,
}

impl Contracts {
    pub(super) fn new(registered: Arc<dyn SchemaStore>, enforcement: Enforcement) -> Self {
        Self {
            registered,
            enforcement,
            schemas: Recent::new(KEPT),
            by_text: Recent::new(KEPT),
            by_agent: Recent::new(KEPT),
        }
    }

    /// A schema from a request, compiled: a large one on another thread.
    pub(crate) async fn sent_schema(&self, document: &Value) -> Result<Result<Schema, SchemaError>, Error> {
        let text = document.to_string();
        let key = hex(&Sha256::digest(&text));
        if let Some(schema) = self.schemas.get(&key) {
            return Ok(Ok(schema));
        }
        // A pattern costs far more than it is long.
        let is_quick = text.len() <= COMPILED_ON_THE_SPOT_BYTES && !text.contains("\"pattern");
        let at_once = is_quick.then(|| {
            let meter = brief();
            let compiled = Schema::compile(document, &meter);
            was_brief(&meter).then_some(compiled)
        });
        let compiled = match at_once.flatten() {
            Some(compiled) => compiled,
            None => {
                let document = document.clone();
                heavy(move |meter| Schema::compile(&document, meter)).await?
            }
        };
        if let Ok(schema) = &compiled {
            self.schemas.put(&key, weight(&text), schema.clone());
        }
        Ok(compiled)
    }

    /// A contract, which is kept for the end of the run.
    fn keep(&self, terms: Terms, schema: Schema, invariants: Invariants) -> Result<Arc<InForce>, Error> {
        let text: Arc<str> = serde_json::to_string(&terms).map_err(Error::internal)?.into();
        self.by_text.get_or(&Arc::clone(&text), InForce::bytes, || {
            Ok(Arc::new(InForce::new(terms, text, schema, invariants)))
        })
    }

    /// The contract that a run was stored with.
    pub(crate) async fn stored(&self, text: &str) -> Result<Arc<InForce>, Error> {
        if let Some(known) = self.by_text.get(text) {
            return Ok(known);
        }
        let whole: Arc<str> = text.into();
        let read = move |meter: &Meter| -> Result<InForce, Error> {
            let terms: Terms = serde_json::from_str(&whole).map_err(Error::internal)?;
            let schema = Schema::compile(&terms.schema, meter).map_err(Error::internal)?;
            let invariants = compile_invariants(&terms.invariants)?;
            Ok(InForce::new(terms, whole, schema, invariants))
        };
        let made = Arc::new(heavy(read).await??);
        self.by_text.put(text, made.bytes(), Arc::clone(&made));
        Ok(made)
    }
}

/// The contract of a command that has none: any value, unchanged and unambiguous.
pub(crate) fn any_value() -> Result<contract::Contract, Error> {
    Schema::compile(&Value::Bool(true), &brief()).map(as_it_stands).map_err(Error::internal)
}

/// A contract for a value that is handed over: all of it, unchanged.
pub(crate) fn as_it_stands(schema: Schema) -> contract::Contract {
    contract::Contract::new(schema).with_options(AS_IT_STANDS)
}

pub(crate) fn compile_invariants(invariants: &[Invariant]) -> Result<Invariants, Error> {
    let rules: Vec<contract::Invariant> = invariants
        .iter()
        .map(|each| contract::Invariant { rule: each.rule.clone(), message: each.message.clone() })
        .collect();
    Invariants::compile(&rules).map_err(Error::internal)
}

/// The error for an invalid schema in a request.
pub(crate) fn invalid_schema(field: &str, error: &SchemaError) -> Error {
    let message = format!("{field} is not a valid JSON Schema: {error}");
    Error::new(ErrorName::InvalidSchema, message).with_details(json!({
        "field": field,
        "path": error.path,
        "pointer": error.pointer,
        "message": error.message,
    }))
}

#[derive(Debug, Clone)]
pub(crate) struct ModelOutput {
    pub(crate) text: String,
    pub(crate) structured: Option<Value>,
    /// The run's parameters as JSON text, for invariants that speak of `input`.
    pub(crate) parameters: String,
}

/// Judges, on this thread where that is quick. Gives the text back.
pub(crate) async fn judged(
    output: ModelOutput,
    contract: contract::Contract,
) -> Result<(Verdict, String), Error> {
    // Invariants are evaluated on a separate thread, and this thread would have to wait for it.
    let bytes = output.text.len();
    let is_quick = bytes <= ON_THE_SPOT_BYTES && contract.schema().is_quick_for(bytes);
    if is_quick && output.structured.is_none() && contract.invariants().is_empty() {
        let meter = brief();
        let judged = judge(output.clone(), &contract, &meter)?;
        if was_brief(&meter) {
            return Ok(judged);
        }
    }
    heavy(move |meter| judge(output, &contract, meter)).await?
}

fn judge(
    output: ModelOutput,
    contract: &contract::Contract,
    meter: &Meter,
) -> Result<(Verdict, String), Error> {
    let input = match contract.invariants().is_empty() {
        true => Value::Null,
        false => input(&output.parameters)?,
    };
    let answer =
        Answer { text: &output.text, structured: output.structured.as_ref(), input: &input, lift: None };
    Ok((contract::judge(&answer, contract, meter), output.text))
}

/// The stored parameters of a run, which are empty if no rule needs them.
pub(super) fn input(parameters: &str) -> Result<Value, Error> {
    match parameters.is_empty() {
        true => Ok(Value::Null),
        false => serde_json::from_str(parameters)
            .map_err(|error| StoreError::Corrupt(format!("the parameters of a run: {error}")).into()),
    }
}
