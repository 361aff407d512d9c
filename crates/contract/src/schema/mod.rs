//! A JSON Schema, checked and compiled once.
//!
//! What compiles here is what can be enforced within bounds: `format` is asserted, patterns run in linear time and are small
//! together, what a value would cost to validate is counted before (`cost`), and a reference leads to a place inside the document or to a known meta-schema. Nothing is ever fetched.
//! A schema that does not name its dialect is read as 2020-12, unless its keywords show that it is an older one (`dialect`).

mod closed;
mod cost;
mod dialect;
mod error;
mod latest;
pub(crate) mod pattern;
pub(crate) mod reference;
pub(crate) mod walk;

use std::sync::{Arc, OnceLock};

use accord_json::Meter;
use accord_json::reserved::PREFIX as RESERVED_KEYS;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationOptions, Validator};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub(crate) use cost::{TooCostly, is_stopped, stop, within_one_budget};
pub use dialect::Dialect;
pub use error::SchemaError;
pub(crate) use error::place_of;
pub use latest::latest;

use crate::json_path::JsonPath;
use crate::limits::{MAX_DEPTH, MAX_SCHEMA_BYTES};

/// Formats that OpenAPI and its generators write and that constrain nothing beyond the type. They are taken
/// as annotations; any other unknown format is an error, because a contract that looks enforced and is not
/// would be worse.
pub(crate) const ANNOTATION_FORMATS: &[&str] = &[
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "double",
    "decimal",
    "byte",
    "binary",
    "password",
    "char",
    "markdown",
    "html",
    "path",
    "file-path",
    "directory-path",
];

/// What it costs to check and compile a byte of schema, patterns aside.
const STEPS_A_BYTE: u64 = 10;

/// Formats of later drafts that generators write under draft-07 all the same.
const LATER_FORMATS: &[&str] = &["uuid", "duration"];

/// A compiled schema. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Schema {
    document: Arc<Value>,
    validator: Arc<Validator>,
    dialect: Dialect,
    hash: Arc<str>,
    closed: Arc<OnceLock<Option<Validator>>>,
    plan: Arc<cost::Plan>,
}

impl Schema {
    /// Checks and compiles a schema document.
    pub fn compile(document: &Value, meter: &Meter) -> Result<Self, SchemaError> {
        let schema = Self::read(document, meter)?;
        dialect::check(document, meter)?;
        Ok(schema)
    }

    /// The same for a document that is to be no contract: keywords that would not be enforced do no harm there.
    pub(crate) fn read(document: &Value, meter: &Meter) -> Result<Self, SchemaError> {
        if !matches!(document, Value::Object(_) | Value::Bool(_)) {
            let message =
                format!("expected a schema (object or boolean), got {}", accord_json::kind_of(document));
            return Err(SchemaError::new(&JsonPath::root(), message));
        }
        check_depth(document, meter)?;
        let text = document.to_string();
        if text.len() > MAX_SCHEMA_BYTES {
            let message = format!("the schema has {} bytes; the limit is {MAX_SCHEMA_BYTES}", text.len());
            return Err(SchemaError::new(&JsonPath::root(), message));
        }
        let charged = meter.bytes(text.len()).and_then(|()| meter.steps(STEPS_A_BYTE * text.len() as u64));
        charged.map_err(SchemaError::exceeded)?;
        check_keys(&JsonPath::root(), document)?;
        let dialect = Dialect::of(document, meter)?;
        // References are checked before the validator follows them, because it has no limit.
        reference::check(document)?;
        pattern::check(document)?;
        meter.check().map_err(SchemaError::exceeded)?;
        let validator = build(document, dialect).map_err(|error| match error.kind() {
            ValidationErrorKind::Referencing(cause) => reference::explain(document, &cause.to_string()),
            _ => error::explain(document, &error),
        })?;
        Ok(Self {
            document: Arc::new(document.clone()),
            validator: Arc::new(validator),
            dialect,
            hash: hash_of(&text).into(),
            closed: Arc::default(),
            plan: Arc::new(cost::Plan::of(document)),
        })
    }

    /// The document as it was given.
    pub fn document(&self) -> &Value {
        &self.document
    }

    pub(crate) fn shared_document(&self) -> Arc<Value> {
        Arc::clone(&self.document)
    }

    /// The dialect in force.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// `sha256:` and the digest of the compact document: the name of this exact contract.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Whether a value conforms. Invariants are not part of a schema. A value that takes too long to validate does not:
    /// [`Self::check`] tells that from one that breaks the schema.
    pub fn accepts(&self, value: &Value, meter: &Meter) -> bool {
        within_one_budget(meter, || self.is_valid(value))
    }

    /// The same within the budget of a judgement.
    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.affords(value).is_ok() && self.validator.is_valid(value)
    }

    /// Whether validating a value takes no more than some milliseconds, whatever is in it.
    pub fn is_quick(&self, value: &Value) -> bool {
        self.plan.is_quick(value)
    }

    /// The same for any value of this many bytes of JSON.
    pub fn is_quick_for(&self, bytes: usize) -> bool {
        self.plan.is_quick_for(bytes)
    }

    /// Whether all errors of a value can be listed within the budget.
    pub(crate) fn affords_errors(&self, value: &Value) -> bool {
        self.plan.affords_errors(value)
    }

    /// Whether a value can be validated within the limits.
    pub(crate) fn affords(&self, value: &Value) -> Result<(), TooCostly> {
        self.plan.check(value)
    }

    /// Whether a value has only members that the schema names, where the schema names any. Where brackets
    /// had to be guessed, a member in an object that does not name it may belong to another.
    pub(crate) fn names_all_members(&self, value: &Value) -> bool {
        let closed = self.closed.get_or_init(|| {
            let mut document = self.document.as_ref().clone();
            closed::close(&mut document);
            build(&document, self.dialect).ok()
        });
        closed.as_ref().is_none_or(|validator| self.affords(value).is_ok() && validator.is_valid(value))
    }

    pub(crate) fn validator(&self) -> &Validator {
        &self.validator
    }
}

fn build(document: &Value, dialect: Dialect) -> Result<Validator, jsonschema::ValidationError<'static>> {
    options(dialect).build(document)
}

/// How every validator of ours is built.
pub(crate) fn options(dialect: Dialect) -> ValidationOptions<'static> {
    let mut options = jsonschema::options()
        .with_draft(dialect.draft())
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true)
        .should_ignore_unknown_formats(false)
        .offline();
    for name in ANNOTATION_FORMATS {
        options = options.with_format(*name, |_: &str| true);
    }
    if dialect == Dialect::Draft7 {
        for name in LATER_FORMATS {
            options = options.with_format(*name, |text: &str| later_format(name, text));
        }
    }
    options
}

/// Whether a text has a format that draft-07 does not know yet.
fn later_format(name: &'static str, text: &str) -> bool {
    static VALIDATORS: OnceLock<Vec<(&'static str, Option<Validator>)>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let build = |name: &&'static str| {
            let schema = serde_json::json!({ "format": name });
            (*name, options(Dialect::Draft202012).build(&schema).ok())
        };
        LATER_FORMATS.iter().map(build).collect()
    });
    let validator =
        validators.iter().find(|(known, _)| *known == name).and_then(|(_, validator)| validator.as_ref());
    validator.is_some_and(|validator| validator.is_valid(&Value::from(text)))
}

fn hash_of(text: &str) -> String {
    use std::fmt::Write as _;
    let mut name = String::from("sha256:");
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Breadth first, so that a document of any depth is refused without recursion.
fn check_depth(document: &Value, meter: &Meter) -> Result<(), SchemaError> {
    let mut level: Vec<&Value> = vec![document];
    for _ in 0..MAX_DEPTH {
        meter.steps(level.len() as u64).map_err(SchemaError::exceeded)?;
        level = level
            .into_iter()
            .flat_map(|value| -> Box<dyn Iterator<Item = &Value>> {
                match value {
                    Value::Array(items) => Box::new(items.iter()),
                    Value::Object(members) => Box::new(members.values()),
                    _ => Box::new(std::iter::empty()),
                }
            })
            .collect();
        if level.is_empty() {
            return Ok(());
        }
    }
    Err(SchemaError::new(&JsonPath::root(), format!("the schema is nested deeper than {MAX_DEPTH} levels")))
}

/// Refuses keys that would be read as something else when the document, or a value that it asks for, is read
/// again. The depth is known to be bounded.
fn check_keys(place: &JsonPath, document: &Value) -> Result<(), SchemaError> {
    match document {
        Value::Object(members) => members.iter().try_for_each(|(name, member)| {
            if name.starts_with(RESERVED_KEYS) {
                let message = format!("the key '{name}' is reserved; use another name");
                return Err(SchemaError::new(place, message));
            }
            check_keys(&place.key(name), member)
        }),
        Value::Array(items) => {
            items.iter().enumerate().try_for_each(|(index, item)| check_keys(&place.index(index), item))
        }
        _ => Ok(()),
    }
}
