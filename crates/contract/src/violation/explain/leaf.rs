//! Assertions without subschemas. The validator decides them, so that numbers, patterns and formats are read
//! in one way only; each schema object's assertions are compiled when they are first met.

use std::collections::HashMap;
use std::rc::Rc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value, json};

use super::found::{Found, Trail};
use super::wording;
use crate::schema::{ANNOTATION_FORMATS, Dialect};

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
    draft: Draft,
    assertions: HashMap<usize, Option<Rc<Validator>>>,
    patterns: HashMap<String, Option<Rc<Validator>>>,
    references: HashMap<String, Option<Rc<Validator>>>,
}

impl Leaves {
    pub(super) fn new(dialect: Dialect) -> Self {
        let draft = match dialect {
            Dialect::Draft7 => Draft::Draft7,
            Dialect::Draft201909 => Draft::Draft201909,
            Dialect::Draft202012 => Draft::Draft202012,
        };
        Self { draft, assertions: HashMap::new(), patterns: HashMap::new(), references: HashMap::new() }
    }

    /// The assertions of one schema object.
    pub(super) fn check(
        &mut self,
        schema: &Value,
        keywords: &Map<String, Value>,
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Found,
    ) {
        let draft = self.draft;
        let validator = self.assertions.entry(super::address(schema)).or_insert_with(|| {
            let own = keywords.iter().filter(|(keyword, _)| ASSERTIONS.contains(&keyword.as_str()));
            let own: Map<String, Value> =
                own.map(|(keyword, argument)| (keyword.clone(), argument.clone())).collect();
            if own.is_empty() { None } else { compile(draft, &Value::Object(own)) }
        });
        if let Some(validator) = validator {
            report(&Rc::clone(validator), schema, value, trail, found);
        }
    }

    /// Whether a pattern matches a name.
    pub(super) fn matches(&mut self, pattern: &str, name: &str) -> bool {
        let draft = self.draft;
        let validator = self
            .patterns
            .entry(pattern.to_owned())
            .or_insert_with(|| compile(draft, &json!({ "pattern": pattern })));
        validator.as_ref().is_some_and(|validator| validator.is_valid(&Value::from(name)))
    }

    /// A reference that leads out of the document: to a meta-schema, which the validator knows.
    pub(super) fn check_reference(
        &mut self,
        reference: &str,
        schema: &Value,
        value: &Value,
        trail: &Trail<'_>,
        found: &mut Found,
    ) {
        let draft = self.draft;
        let validator = self
            .references
            .entry(reference.to_owned())
            .or_insert_with(|| compile(draft, &json!({ "$ref": reference })));
        let holds = validator.as_ref().is_none_or(|validator| validator.is_valid(value));
        if !holds {
            found.fail(trail, schema, "$ref", || wording::not_like(value, reference));
        }
    }
}

fn report(validator: &Validator, schema: &Value, value: &Value, trail: &Trail<'_>, found: &mut Found) {
    if validator.is_valid(value) {
        return;
    }
    let errors: Vec<_> = validator.iter_errors(value).collect();
    // The options say more than the type that they have.
    let has_options = errors.iter().any(|error| {
        matches!(error.kind(), ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. })
    });
    for error in errors {
        let keyword = error.kind().keyword();
        match error.kind() {
            ValidationErrorKind::Type { .. } if has_options => found.mark_fatal(),
            ValidationErrorKind::Type { .. } | ValidationErrorKind::Constant { .. } => {
                found.fail_fatally(trail, schema, keyword, || wording::broken(error.kind(), schema, value));
            }
            kind => found.fail(trail, schema, keyword, || wording::broken(kind, schema, value)),
        }
    }
}

fn compile(draft: Draft, schema: &Value) -> Option<Rc<Validator>> {
    let mut options = jsonschema::options()
        .with_draft(draft)
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true)
        // The whole schema has compiled; a format that only it knows must not hide the other assertions here.
        .should_ignore_unknown_formats(true)
        .offline();
    for name in ANNOTATION_FORMATS {
        options = options.with_format(*name, |_: &str| true);
    }
    options.build(schema).ok().map(Rc::new)
}
