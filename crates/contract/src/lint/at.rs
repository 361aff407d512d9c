//! The part of a schema that the rules look at.

use accord_json::Meter;
use serde_json::{Map, Value};

use crate::json_path::JsonPath;
use crate::schema::Dialect;

/// A schema object and its location.
pub(super) struct At<'a> {
    pub(super) place: &'a JsonPath,
    pub(super) keywords: &'a Map<String, Value>,
    pub(super) dialect: Dialect,
    pub(super) meter: &'a Meter,
}

impl<'a> At<'a> {
    pub(super) fn get(&self, keyword: &str) -> Option<&'a Value> {
        self.keywords.get(keyword)
    }

    pub(super) fn has(&self, keyword: &str) -> bool {
        self.keywords.contains_key(keyword)
    }

    /// The types that `type` names; `None` if it is absent.
    pub(super) fn types(&self) -> Option<Vec<&'a str>> {
        match self.get("type")? {
            Value::String(name) => Some(vec![name]),
            Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
            _ => None,
        }
    }
}
