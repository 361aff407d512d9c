//! Sizes and the shape of the root.

use serde_json::Value;

use super::Finding;
use super::at::At;
use crate::json_path::JsonPath;
use crate::lower::Profile;
use crate::schema::Schema;

/// More values than a model keeps in mind.
const LARGE_ENUM: usize = 100;

pub(super) fn check(at: &At<'_>, findings: &mut Vec<Finding>) {
    let Some(Value::Array(values)) = at.get("enum") else { return };
    let place = at.place.key("enum");
    let count = values.len();
    if count > LARGE_ENUM {
        let message = format!(
            "{count} values are too many for a model to choose from reliably; group them, use a 'pattern', or look the value up afterwards"
        );
        findings.push(Finding::warning("large-enum", &place, message));
    }
    for profile in Profile::all() {
        if let Some(limit) = profile.limits.enum_values.filter(|limit| count as u64 > *limit) {
            let message = format!(
                "{count} values exceed the limit of {} ({limit} in total), so the list is part of the prompt but not enforced; shorten it",
                profile.title
            );
            findings.push(Finding::error("large-enum", &place, message).of_provider(&profile.name));
        }
    }
}

/// Providers and tools want an object with properties at the root.
pub(super) fn root(schema: &Schema, findings: &mut Vec<Finding>) {
    if !is_object(schema.document(), schema.document(), 0) {
        let message = "the root is not an object with properties, which providers and tools require, so answers are wrapped in {\"value\": …} there; make it an object with named properties";
        findings.push(Finding::warning("root-not-object", &JsonPath::root(), message));
    }
}

/// Whether a schema is an object that names its parts, by itself, by what it refers to or by what it is put together of.
fn is_object(document: &Value, schema: &Value, hops: usize) -> bool {
    const MAX_HOPS: usize = 8;
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    if let Some(target) = target.and_then(|pointer| document.pointer(pointer)).filter(|_| hops < MAX_HOPS) {
        return is_object(document, target, hops + 1);
    }
    let typed = schema.get("type").is_none_or(|name| name == "object");
    let named = schema.get("properties").and_then(Value::as_object).is_some_and(|names| !names.is_empty());
    let mut parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    typed && (named || (hops < MAX_HOPS && parts.any(|part| is_object(document, part, hops + 1))))
}
