//! Keywords of later drafts in a schema that does not say its dialect. Draft-07 is assumed then and passes over them in
//! silence, though the author wants them enforced.

use serde_json::Value;

use super::error::SchemaError;
use super::walk;
use crate::json_path::JsonPath;

/// The keywords that draft-07 does not have and that constrain a value.
const LATER: &[&str] = &[
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "minContains",
    "maxContains",
    "$dynamicRef",
];

/// Refuses the first such keyword, unless a `$schema` above it names the dialect.
pub(super) fn check(place: &JsonPath, schema: &Value) -> Result<(), SchemaError> {
    if schema.get("$schema").is_some() {
        return Ok(());
    }
    if let Some(name) = LATER.iter().find(|name| schema.get(**name).is_some()) {
        let message = format!(
            "'{name}' is not enforced in draft-07, the default dialect; add \"$schema\": \"https://json-schema.org/draft/2020-12/schema\" at the root"
        );
        return Err(SchemaError::new(&place.key(name), message));
    }
    walk::children(schema).iter().try_for_each(|child| check(&child.place(place), child.schema))
}
