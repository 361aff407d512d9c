//! A schema document: its references, and which keywords do not constrain values.

use serde_json::{Map, Value};

#[derive(Debug, Clone, Copy)]
pub(super) struct Document<'s> {
    root: &'s Value,
    /// Whether a reference is to a place in this document: not if some part has an `$id`.
    addressed: bool,
}

/// Keywords that change what references mean.
const ADDRESSES: [&str; 5] = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"];

/// Keywords that do not constrain a value.
const REMARKS: [&str; 12] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "definitions",
    "$defs",
    "deprecated",
    "readOnly",
    "writeOnly",
];

impl<'s> Document<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, addressed: is_addressed(root) }
    }

    pub(super) fn resolve(&self, reference: &Value) -> Option<&'s Value> {
        let pointer = reference.as_str()?.strip_prefix('#')?;
        let plain =
            !self.addressed && !pointer.contains('%') && (pointer.is_empty() || pointer.starts_with('/'));
        plain.then(|| self.root.pointer(pointer)).flatten()
    }
}

/// Whether some part of a document has an `$id`, so that references are not places of the document.
pub(crate) fn is_addressed(document: &Value) -> bool {
    let members = document.as_object().into_iter().flat_map(|members| members.values());
    members.into_iter().any(|value| mentions(value, &ADDRESSES))
}

/// Whether a schema has a reference anywhere.
pub(crate) fn mentions_references(schema: &Value) -> bool {
    mentions(schema, &["$ref"])
}

/// Whether a keyword does not constrain a value.
pub(super) fn is_remark(keyword: &str) -> bool {
    REMARKS.contains(&keyword) || keyword.starts_with("x-")
}

/// Whether every value conforms to a schema, because it has no constraints.
pub(crate) fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => keywords.keys().all(|keyword| is_remark(keyword)),
        other => other == &Value::Bool(true),
    }
}

/// Whether a schema means the same in every document.
pub(super) fn is_self_contained(schema: &Value) -> bool {
    !mentions(schema, &["$ref"]) && !mentions(schema, &ADDRESSES)
}

/// Whether a value has one of these keywords anywhere. Fields of data with such a name count too, which is safe.
fn mentions(value: &Value, keywords: &[&str]) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(name, value)| keywords.contains(&name.as_str()) || mentions(value, keywords))
        }
        Value::Array(items) => items.iter().any(|item| mentions(item, keywords)),
        _ => false,
    }
}

/// Whether a schema's `items` describes every item: not a tuple of any draft.
pub(super) fn plain_items(schema: &Value) -> Option<&Value> {
    schema.get("items").filter(|items| !items.is_array() && schema.get("prefixItems").is_none())
}

/// The schema of members that are not named, if it does not depend on their names.
pub(super) fn other_members(schema: &Value) -> Option<&Value> {
    schema.get("additionalProperties").filter(|_| !has_patterns(schema))
}

pub(super) fn has_patterns(schema: &Value) -> bool {
    schema.get("patternProperties").is_some_and(|patterns| patterns != &Value::Object(Map::new()))
}
