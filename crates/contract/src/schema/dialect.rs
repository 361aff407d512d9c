//! The dialect of a schema: what `$schema` says, or what its keywords show.
//!
//! Without `$schema` it is 2020-12, which is what Pydantic, MCP and most generators of today write without saying so. Older
//! schemas that do not say their dialect either are recognised by keywords that 2020-12 does not have and draft-07 does. A
//! schema with keywords of both means something different to each reader, so it has to name its dialect.

use accord_json::Meter;
use jsonschema::Draft;
use serde_json::Value;

use super::error::SchemaError;
use super::walk;
use crate::json_path::JsonPath;

/// The dialects that we claim. 2020-12 is the default where `$schema` is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Draft-07.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12.
    Draft202012,
}

/// The keywords that draft-07 does not have and that constrain a value.
pub(super) const LATER: &[&str] = &[
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "dependentRequired",
    "dependentSchemas",
    "minContains",
    "maxContains",
    "$dynamicRef",
];

/// A schema that refers to it asks for a schema of draft-07.
const META_SCHEMA: &str = "http://json-schema.org/draft-07/schema";

impl Dialect {
    /// The name that people use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft7 => "draft-07",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        }
    }

    /// The dialect of a document.
    pub fn of(document: &Value, meter: &Meter) -> Result<Self, SchemaError> {
        let Some(identifier) = document.get("$schema") else {
            let is_old = first_old(&JsonPath::root(), document, meter).is_some();
            meter.check().map_err(SchemaError::exceeded)?;
            return Ok(if is_old { Self::Draft7 } else { Self::Draft202012 });
        };
        let place = JsonPath::root().key("$schema");
        let Some(identifier) = identifier.as_str() else {
            return Err(SchemaError::new(&place, "'$schema' must be a string"));
        };
        match identifier.trim_end_matches('#').trim_start_matches("https://").trim_start_matches("http://") {
            "json-schema.org/draft-07/schema" => Ok(Self::Draft7),
            "json-schema.org/draft/2019-09/schema" => Ok(Self::Draft201909),
            "json-schema.org/draft/2020-12/schema" => Ok(Self::Draft202012),
            _ => Err(SchemaError::new(
                &place,
                format!("the dialect '{identifier}' is not supported; use draft-07, 2019-09 or 2020-12"),
            )),
        }
    }

    pub(super) fn draft(self) -> Draft {
        match self {
            Self::Draft7 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }
}

/// Refuses a document that does not name its dialect and has keywords of both: one of them would not be enforced.
pub(super) fn check(document: &Value, meter: &Meter) -> Result<(), SchemaError> {
    if document.get("$schema").is_some() {
        return Ok(());
    }
    let Some((_, old)) = first_old(&JsonPath::root(), document, meter) else { return Ok(()) };
    let Some((place, later)) = first_later(&JsonPath::root(), document) else { return Ok(()) };
    let message = format!(
        "{old} is draft-07, and '{later}' is not enforced there; use the keywords of one dialect, or name it in '$schema'"
    );
    Err(SchemaError::new(&place.key(later), message))
}

/// The first keyword that only draft-07 gives a meaning, with its place.
fn first_old(place: &JsonPath, schema: &Value, meter: &Meter) -> Option<(JsonPath, &'static str)> {
    meter.steps(1).ok()?;
    let old = match schema {
        _ if schema.get("$schema").is_some() => None,
        _ if schema.get("items").is_some_and(Value::is_array) => Some("a list in 'items'"),
        _ if schema.get("dependencies").is_some_and(Value::is_object) => Some("'dependencies'"),
        _ if schema.get("$id").and_then(Value::as_str).is_some_and(|id| id.starts_with('#')) => {
            Some("an '$id' that starts with '#'")
        }
        _ if schema
            .get("$ref")
            .and_then(Value::as_str)
            .is_some_and(|target| target.starts_with(META_SCHEMA)) =>
        {
            Some("a '$ref' to its meta-schema")
        }
        _ => None,
    };
    let here = old.map(|old| (place.clone(), old));
    here.or_else(|| {
        let mut children = walk::children(schema).into_iter();
        children.find_map(|child| first_old(&child.place(place), child.schema, meter))
    })
}

/// The first keyword that draft-07 does not enforce, unless a `$schema` above it names the dialect.
fn first_later(place: &JsonPath, schema: &Value) -> Option<(JsonPath, &'static str)> {
    if schema.get("$schema").is_some() {
        return None;
    }
    let later = LATER.iter().find(|name| schema.get(**name).is_some());
    later.map(|name| (place.clone(), *name)).or_else(|| {
        let mut children = walk::children(schema).into_iter();
        children.find_map(|child| first_later(&child.place(place), child.schema))
    })
}
