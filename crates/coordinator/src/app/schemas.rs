//! The registry of output schemas, and the checking of any schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use accord_api::{
    CreateSchema, ErrorName, InferSchema, InferSchemaAnswer, Page, PageQuery, Problem, SchemaUsers,
    SchemaView, Severity, ValidateSchema, ValidateSchemaAnswer,
};
use accord_blueprint::{Named, new_name_error};
use accord_contract::{
    Answer, Contract, Exceeded, Inference, Meter, Mode, Openness, Options, Schema, SchemaError, Verdict,
    judge,
};
use accord_domain::contract::ValidationMode;
use accord_store::{SchemaRecord, SchemaStore, StoreError};
use serde_json::{Value, json};

use super::agents::schema_report;
use super::blueprints::Blueprints;
use super::{Expected, Promise, page};
use crate::error::{Error, refuse};
use crate::outside::Outside;
use crate::work::heavy;

const LIST: page::List = page::List("schemas");

pub(crate) struct Schemas {
    pub(super) store: Arc<dyn SchemaStore>,
    pub(super) outside: Arc<dyn Outside>,
    pub(super) blueprints: Arc<Blueprints>,
}

impl Schemas {
    pub(crate) async fn list(&self, query: PageQuery) -> Result<Page<SchemaView>, Error> {
        let page = self.store.schemas(&LIST.request(query.limit, query.cursor)?).await?;
        let mut users = self.users().await?;
        let Page { items, next_cursor, .. } = LIST.view(page, |record| view(record, &mut users));
        Ok(Page::new(items.into_iter().collect::<Result<_, Error>>()?, next_cursor))
    }

    pub(crate) async fn get(&self, name: &str) -> Result<SchemaView, Error> {
        let record = self.store.schema(name).await?;
        view(record.ok_or_else(|| not_found(name))?, &mut self.users().await?)
    }

    pub(crate) async fn create(
        &self,
        create: CreateSchema,
        promise: Option<Promise>,
    ) -> Result<SchemaView, Error> {
        if let Some(fault) = new_name_error(Named::Schema, &create.name) {
            return Err(refuse(format!("the schema's name: {fault}")));
        }
        let kept = self.store.schema(&create.name).await?.filter(|kept| is_same(kept, &create.schema));
        let document = create.schema.to_string();
        let schema = compiled(create.schema).await?;
        let (document, hash, known) = match kept {
            Some(kept) => (kept.document, kept.hash, kept.description),
            None => (document, schema.hash().to_owned(), String::new()),
        };
        let now = self.outside.now();
        let record = SchemaRecord {
            name: create.name,
            description: create.description.unwrap_or(known),
            document,
            hash,
            created_at: now,
            modified_at: now,
        };
        // The store keeps the record as the answer: only it knows what the record comes to.
        let promise = promise.map(|promise| promise.with(String::new()));
        let name = record.name.clone();
        match self.store.add_schema(record, promise).await {
            Ok(record) => view(record, &mut self.users().await?),
            Err(StoreError::Exists { .. }) => {
                let message = format!(
                    "schema '{name}' already exists with different content, and registered schemas are immutable; use another name"
                );
                Err(Error::new(ErrorName::SchemaExists, message))
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Removes a schema that no agent refers to.
    pub(crate) async fn delete(&self, name: &str, expected: &Expected) -> Result<(), Error> {
        let record = self.store.schema(name).await?.ok_or_else(|| not_found(name))?;
        let is_expected = match expected {
            Expected::Anything | Expected::Present => true,
            Expected::OneOf(hashes) => hashes.contains(&record.hash),
            Expected::Absent => false,
        };
        if !is_expected {
            let message = format!("schema '{name}' has changed since you read it; read it again");
            return Err(Error::new(ErrorName::PreconditionFailed, message));
        }
        // The watcher notices a file a moment after it was saved, so files are read again before references are counted.
        self.blueprints.catalog.reload().await;
        self.blueprints.workflows.reload().await;
        let users = self.users().await?.remove(name).unwrap_or_default();
        if !users.is_empty() {
            let all: Vec<String> = users.agents.iter().chain(&users.workflows).cloned().collect();
            let message =
                format!("schema '{name}' is in use by {}; remove those references first", all.join(", "));
            return Err(Error::new(ErrorName::SchemaInUse, message).with_details(json!(users)));
        }
        Ok(self.store.remove_schema(name).await?)
    }

    /// The users of registered schemas, by schema name.
    async fn users(&self) -> Result<BTreeMap<String, SchemaUsers>, Error> {
        let mut users: BTreeMap<String, SchemaUsers> = BTreeMap::new();
        for (found, _) in self.blueprints.catalog.all().await? {
            for schema in named_by(found.value()) {
                users.entry(schema).or_default().agents.push(found.name().to_owned());
            }
        }
        let agents = self.blueprints.inline_agents().await?.into_iter();
        let by_agents = agents.flat_map(|(workflow, agent)| {
            named_by(&agent).into_iter().map(move |schema| (workflow.clone(), schema))
        });
        let mut in_workflows: Vec<(String, String)> = self.blueprints.schemas_of_nodes().await?;
        in_workflows.extend(by_agents);
        in_workflows.sort();
        in_workflows.dedup();
        for (workflow, schema) in in_workflows {
            users.entry(schema).or_default().workflows.push(workflow);
        }
        Ok(users)
    }

    /// Compiles and lints a schema, and judges a text or a value by it.
    pub(crate) async fn validate(&self, request: ValidateSchema) -> Result<ValidateSchemaAnswer, Error> {
        if request.text.is_some() && request.value.is_some() {
            return Err(refuse("pass 'text' or 'value', not both"));
        }
        heavy(move |meter| validated(&request, meter)).await?.map_err(Error::from)
    }

    /// Makes a schema that all examples conform to.
    pub(crate) async fn infer(&self, request: InferSchema) -> Result<InferSchemaAnswer, Error> {
        if request.examples.is_empty() {
            return Err(refuse("no examples to infer from; pass at least one in 'examples'"));
        }
        heavy(move |meter| inferred(&request, meter)).await?.map_err(Error::from)
    }
}

/// The registered schemas that a blueprint names, each once.
fn named_by(blueprint: &Value) -> Vec<String> {
    let name = |field: &str| blueprint.get(field).and_then(Value::as_str).map(str::to_owned);
    let mut names: Vec<String> =
        ["output_schema", "default_output_schema"].into_iter().filter_map(name).collect();
    names.dedup();
    names
}

fn inferred(request: &InferSchema, meter: &Meter) -> Result<InferSchemaAnswer, Exceeded> {
    let mut inference = Inference::new();
    for example in &request.examples {
        inference.observe(example, meter)?;
    }
    let openness = if request.closed { Openness::Closed } else { Openness::Open };
    Ok(InferSchemaAnswer { schema: inference.schema(openness, meter)? })
}

fn validated(request: &ValidateSchema, meter: &Meter) -> Result<ValidateSchemaAnswer, Exceeded> {
    let schema = match Schema::compile(&request.schema, meter) {
        Ok(schema) => schema,
        Err(error) => {
            let problem = Problem {
                severity: Severity::Error,
                path: error.path,
                message: error.message,
                file: None,
                line: None,
                column: None,
            };
            return Ok(ValidateSchemaAnswer {
                valid: false,
                problems: vec![problem],
                hash: None,
                lint: Vec::new(),
                lowering: Vec::new(),
                verdict: None,
            });
        }
    };
    let (lint, lowering) = schema_report(&schema, meter)?;
    Ok(ValidateSchemaAnswer {
        valid: true,
        problems: Vec::new(),
        hash: Some(schema.hash().to_owned()),
        lint,
        lowering,
        verdict: verdict(request, schema, &meter.anew()),
    })
}

/// The verdict on the text or value of the request. A value is judged unchanged.
fn verdict(request: &ValidateSchema, schema: Schema, meter: &Meter) -> Option<Value> {
    let mode = match request.mode {
        ValidationMode::Strict => Mode::Strict,
        ValidationMode::Lenient => Mode::Lenient,
    };
    let contract = Contract::new(schema).with_options(Options { mode, ..Options::default() });
    let answer = match (&request.text, &request.value) {
        (Some(text), _) => Answer::text(text),
        (None, Some(value)) => Answer::structured(value, ""),
        (None, None) => return None,
    };
    Some(shown(&judge(&answer, &contract, meter)))
}

/// The shape that `accord check` prints: the names and their order are API.
fn shown(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Accepted(accepted) => json!({
            "valid": true,
            "value": accepted.value,
            "errors": [],
            "repairs": accepted.repairs,
            "outcome": null,
            "source": accepted.source,
            "more_errors": 0,
        }),
        Verdict::Rejected(rejected) => json!({
            "valid": false,
            "value": null,
            "errors": rejected.violations.errors,
            "repairs": [],
            "outcome": rejected.outcome,
            "source": null,
            "more_errors": rejected.violations.more,
        }),
    }
}

/// Compiles away from the threads that serve requests.
async fn compiled(value: Value) -> Result<Schema, Error> {
    heavy(move |meter| Schema::compile(&value, meter)).await?.map_err(|error| invalid(&error))
}

fn invalid(error: &SchemaError) -> Error {
    let details = json!({"path": error.path, "pointer": error.pointer, "message": error.message});
    let message = format!("invalid JSON Schema: {error}");
    Error::new(ErrorName::InvalidSchema, message).with_details(details)
}

fn not_found(name: &str) -> Error {
    Error::new(ErrorName::SchemaNotFound, format!("schema '{name}' not found"))
}

/// Whether this is the schema that is kept, in whatever order its members come: many programs sort them. A hash is one of a
/// text, so the kept one stays.
fn is_same(kept: &SchemaRecord, schema: &Value) -> bool {
    serde_json::from_str::<Value>(&kept.document).is_ok_and(|kept| kept == *schema)
}

/// A schema with its users, which are taken out of the list.
fn view(record: SchemaRecord, users: &mut BTreeMap<String, SchemaUsers>) -> Result<SchemaView, Error> {
    let schema = serde_json::from_str(&record.document)
        .map_err(|error| Error::internal(format!("the stored schema '{}': {error}", record.name)))?;
    let used_by = users.remove(&record.name).unwrap_or_default();
    Ok(SchemaView {
        used_by,
        name: record.name,
        description: record.description,
        schema,
        hash: record.hash,
        created_at: record.created_at,
        modified_at: record.modified_at,
    })
}
