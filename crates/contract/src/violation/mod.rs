//! The ways in which a value breaks its contract, located and worded so that a model can fix them.
//!
//! The validator alone decides whether a value conforms. Why a value does not is found by [`explain`], a walk of our own over schema and value side by side: the validator's
//! list of errors is complete, which is too much. It holds every error of every alternative, at every level,
//! and grows exponentially where alternatives nest. The walk looks for the alternative that came closest,
//! stops when it has seen enough, and leaves single assertions (`maximum`, `format`, …) to the validator.

mod choose;
pub(crate) mod escape;
mod explain;
pub(crate) mod nearest;
pub(crate) mod quote;
mod wording;

#[cfg(test)]
mod tests;

use std::fmt;

use accord_json::Meter;
use serde::Serialize;
use serde_json::Value;

use crate::json_path::JsonPath;
use crate::schema::{Schema, place_of, walk, within_one_budget};

/// A located contract error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The place as people write it: `$.issues[0].severity`. Hostile names are escaped, long ones cut.
    pub path: String,
    /// The place as RFC 6901 writes it: `/issues/0/severity`. Exact.
    pub pointer: String,
    /// The schema keyword that was broken, or `invariant`, `json`, `number`, `limit`.
    pub keyword: String,
    /// What is wrong, with the offending value, shortened and escaped.
    pub message: String,
}

impl Violation {
    /// A violation at a place.
    pub fn new(place: &JsonPath, keyword: &str, message: impl Into<String>) -> Self {
        Self {
            path: escape::path(place),
            pointer: place.pointer(),
            keyword: keyword.to_owned(),
            message: message.into(),
        }
    }
}

/// The one-line form: `$.severity: expected one of "low", "medium", "high"; got "critical"`.
impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.message)
    }
}

/// The violations of one value: the most useful ones, and how many more there are.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Violations {
    /// At most [`crate::limits::MAX_ERRORS`], the most useful first.
    pub errors: Vec<Violation>,
    /// How many were left out; a lower bound if a value has too many errors to count.
    pub more: usize,
}

impl Schema {
    /// Whether a value conforms; if not, where and how it does not.
    pub fn check(&self, value: &Value, meter: &Meter) -> Result<(), Violations> {
        within_one_budget(meter, || match self.is_valid(value) {
            true => Ok(()),
            false => Err(self.violations(value)),
        })
    }

    /// Where and how a value does not conform; empty when it does.
    pub(crate) fn violations(&self, value: &Value) -> Violations {
        if let Err(cost) = self.affords(value) {
            let violation = Violation::new(&JsonPath::root(), "limit", cost.message());
            return Violations { errors: vec![violation], more: 0 };
        }
        if self.is_valid(value) {
            return Violations::default();
        }
        let findings = explain::explain(self, value);
        if findings.kept.is_empty() {
            return Violations { errors: vec![first_of_validator(self, value)], more: 0 };
        }
        choose::most_useful(findings, value)
    }
}

/// The validator's own first error, for what the walk cannot follow. Where the schema has alternatives that
/// error may be too large to build, so only the fact is reported.
fn first_of_validator(schema: &Schema, value: &Value) -> Violation {
    let mut has_alternatives = false;
    walk::each(schema.document(), &mut |_, part| {
        has_alternatives |= part.get("anyOf").is_some() || part.get("oneOf").is_some();
    });
    if !has_alternatives && let Err(error) = schema.validator().validate(value) {
        let place = place_of(error.instance_path(), value);
        let message = wording::broken(error.kind(), &Value::Null, error.instance());
        return Violation::new(&place, error.kind().keyword(), message);
    }
    Violation::new(&JsonPath::root(), "schema", "the value does not conform to the schema")
}
