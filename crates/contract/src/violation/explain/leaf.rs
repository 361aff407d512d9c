//! Assertions without subschemas. The validator decides them, so that numbers, patterns and formats are read
//! in one way only; each schema object's assertions are compiled when they are first met.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::rc::Rc;

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value, json};

use super::findings::{Collector, Trail};
use super::plain::{self, Known};
use super::wording;
use crate::schema::{self, Dialect};

const ASSERTIONS: &[&str] = &[
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "format",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxProperties",
    "minProperties",
    "contentEncoding",
    "contentMediaType",
];

pub(super) struct Leaves {
    dialect: Dialect,
    assertions: HashMap<usize, Option<Rc<Validator>>>,
    patterns: HashMap<String, Option<Rc<Validator>>>,
    references: HashMap<String, Option<Rc<Validator>>>,
}

impl Leaves {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, assertions: HashMap::new(), patterns: HashMap::new(), references: HashMap::new() }
    }

    /// The assertions of one schema object.
    pub(super) fn check(
        &mut self,
        schema: &Value,
        keywords: &Map<String, Value>,
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        if let Some(broken) = plainly_broken(keywords, value) {
            return report(&broken, schema, value, trail, found);
        }
        let dialect = self.dialect;
        let validator = self.assertions.entry(super::address(schema)).or_insert_with(|| {
            let own: Map<String, Value> =
                assertions(keywords).map(|(keyword, argument)| (keyword.clone(), argument.clone())).collect();
            compile(dialect, &Value::Object(own))
        });
        if let Some(validator) = validator.as_ref().filter(|validator| !validator.is_valid(value)) {
            let errors: Vec<_> = validator.iter_errors(value).collect();
            let kinds: Vec<&ValidationErrorKind> = errors.iter().map(|error| error.kind()).collect();
            report(&kinds, schema, value, trail, found);
        }
    }

    /// Whether a pattern matches a name.
    pub(super) fn matches(&mut self, pattern: &str, name: &str) -> bool {
        let dialect = self.dialect;
        let validator = self
            .patterns
            .entry(pattern.to_owned())
            .or_insert_with(|| compile(dialect, &json!({ "pattern": pattern })));
        validator.as_ref().is_some_and(|validator| validator.is_valid(&Value::from(name)))
    }

    /// A reference that leads out of the document: to a meta-schema, which the validator knows.
    pub(super) fn check_reference(
        &mut self,
        reference: &str,
        schema: &Value,
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let dialect = self.dialect;
        let validator = self
            .references
            .entry(reference.to_owned())
            .or_insert_with(|| compile(dialect, &json!({ "$ref": reference })));
        let holds = validator.as_ref().is_none_or(|validator| validator.is_valid(value));
        if !holds {
            found.fail(trail, schema, "$ref", || wording::not_like(value, reference));
        }
    }
}

fn assertions(keywords: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    keywords.iter().filter(|(keyword, _)| ASSERTIONS.contains(&keyword.as_str()))
}

/// The broken assertions, if every assertion can be evaluated without compiling any.
fn plainly_broken(keywords: &Map<String, Value>, value: &Value) -> Option<Vec<ValidationErrorKind>> {
    let mut broken = Vec::new();
    for (keyword, argument) in assertions(keywords) {
        match plain::decide(keyword, argument, value) {
            Known::Holds => {}
            Known::Broken(kind) => broken.push(kind),
            Known::Unknown => return None,
        }
    }
    Some(broken)
}

fn report<K: Borrow<ValidationErrorKind>>(
    broken: &[K],
    schema: &Value,
    value: &Value,
    trail: &Trail<'_>,
    found: &mut Collector,
) {
    // The options say more than the type that they have.
    let has_options = broken.iter().any(|kind| {
        matches!(kind.borrow(), ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. })
    });
    for kind in broken.iter().map(Borrow::borrow) {
        let keyword = kind.keyword();
        match kind {
            ValidationErrorKind::Type { .. } if has_options => found.mark_fatal(),
            ValidationErrorKind::Type { .. } | ValidationErrorKind::Constant { .. } => {
                found.fail_fatally(trail, schema, keyword, || wording::broken(kind, schema, value));
            }
            kind => found.fail(trail, schema, keyword, || wording::broken(kind, schema, value)),
        }
    }
}

fn compile(dialect: Dialect, schema: &Value) -> Option<Rc<Validator>> {
    // The whole schema has compiled; a format that only it knows must not hide the other assertions here.
    schema::options(dialect).should_ignore_unknown_formats(true).build(schema).ok().map(Rc::new)
}
