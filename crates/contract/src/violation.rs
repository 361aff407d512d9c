//! One way in which a value breaks its contract, located and worded so that a model can mend it.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::limits::MAX_ERRORS;
use crate::place::Place;
use crate::schema::{Schema, place_of};

/// A located contract error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The place as people write it: `$.issues[0].severity`.
    pub path: String,
    /// The place as RFC 6901 writes it: `/issues/0/severity`.
    pub pointer: String,
    /// The schema keyword that was broken, or `invariant`, `json`, `number`, `limit`.
    pub keyword: String,
    /// What is wrong, with the offending value, shortened and escaped.
    pub message: String,
}

impl Violation {
    /// A violation at a place.
    pub fn new(place: &Place, keyword: &str, message: impl Into<String>) -> Self {
        Self {
            path: place.path(),
            pointer: place.pointer(),
            keyword: keyword.to_owned(),
            message: message.into(),
        }
    }
}

/// The one-line form: `$.severity: 'critical' is not one of ['low', 'medium', 'high']`.
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
    /// How many were left out.
    pub more: usize,
}

/// The violations of a value against a schema.
pub(crate) fn of(schema: &Schema, value: &Value) -> Violations {
    let mut all: Vec<Violation> = schema
        .validator()
        .iter_errors(value)
        .map(|error| {
            let place = place_of(error.instance_path(), value);
            Violation::new(&place, error.kind().keyword(), error.to_string())
        })
        .collect();
    let more = all.len().saturating_sub(MAX_ERRORS);
    all.truncate(MAX_ERRORS);
    Violations { errors: all, more }
}
