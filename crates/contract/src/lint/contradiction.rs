//! Parts that contradict each other, so that no value or fewer values than listed can conform.

use std::collections::HashSet;

use jsonschema::canonical::{self, UnsatisfiableReason};
use jsonschema::{Draft, PatternOptions};
use serde_json::{Map, Value};

use super::Finding;
use super::at::At;
use crate::json_path::JsonPath;
use crate::limits::{MAX_SATISFIABILITY_BRANCHES, MAX_SATISFIABILITY_BYTES};
use crate::lower::{fingerprint, has_type};
use crate::schema::{Dialect, Schema, walk};

pub(super) fn check(at: &At<'_>, findings: &mut Vec<Finding>) {
    bounds(at, findings);
    required(at, findings);
    listed(at, findings);
}

const BOUNDS: &[(&str, &str, bool)] = &[
    ("minimum", "maximum", false),
    ("minimum", "exclusiveMaximum", true),
    ("exclusiveMinimum", "maximum", true),
    ("exclusiveMinimum", "exclusiveMaximum", true),
    ("minLength", "maxLength", false),
    ("minItems", "maxItems", false),
    ("minProperties", "maxProperties", false),
    ("minContains", "maxContains", false),
];

fn bounds(at: &At<'_>, findings: &mut Vec<Finding>) {
    for (least, most, strict) in BOUNDS {
        let number = |keyword| at.get(keyword).and_then(Value::as_f64);
        let (Some(low), Some(high)) = (number(least), number(most)) else { continue };
        if low > high || *strict && low >= high {
            let message =
                format!("'{least}' ({low}) and '{most}' ({high}) exclude every value; change one of them");
            findings.push(Finding::error("contradictory-bounds", &at.place.key(least), message));
        }
    }
}

/// Names that are required and yet not allowed.
fn required(at: &At<'_>, findings: &mut Vec<Finding>) {
    let Some(Value::Array(names)) = at.get("required") else { return };
    let properties = at.get("properties").and_then(Value::as_object);
    let closed = at.get("additionalProperties") == Some(&Value::Bool(false)) && !at.has("patternProperties");
    for name in names.iter().filter_map(Value::as_str) {
        match properties.and_then(|properties| properties.get(name)) {
            Some(Value::Bool(false)) => {
                let message = format!(
                    "'{name}' is required, but its schema allows no value, so no object conforms; remove one of the two"
                );
                findings.push(Finding::error("required-not-allowed", &at.place.key("required"), message));
            }
            None if closed => {
                let message = format!(
                    "'{name}' is required but not in 'properties', and 'additionalProperties' is false, so no object conforms; add it to 'properties' or remove it from 'required'"
                );
                findings.push(Finding::error("required-not-allowed", &at.place.key("required"), message));
            }
            None if properties.is_some()
                && !at.has("patternProperties")
                && !at.has("additionalProperties") =>
            {
                let message = format!(
                    "'{name}' is required but not in 'properties', so it accepts any value; add it to 'properties' or remove it from 'required'"
                );
                findings.push(Finding::warning("required-not-declared", &at.place.key("required"), message));
            }
            _ => {}
        }
    }
}

/// Keywords that can exclude a listed value by themselves.
const EXCLUDING: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
];

/// Listed values that other keywords exclude, or that are listed twice.
fn listed(at: &At<'_>, findings: &mut Vec<Finding>) {
    let (keyword, values) = match (at.get("const"), at.get("enum")) {
        (Some(value), _) => ("const", std::slice::from_ref(value)),
        (None, Some(Value::Array(values))) => ("enum", values.as_slice()),
        _ => return,
    };
    let place = at.place.key(keyword);
    let mut seen = HashSet::new();
    if let Some(twice) = values.iter().find(|value| !seen.insert(fingerprint(value))) {
        let message =
            format!("duplicate value {}; some providers reject duplicates, so list it once", short(twice));
        findings.push(Finding::warning("duplicate-enum-value", &place, message));
    }
    let excluded: Vec<&Value> = excluded(at, values);
    if let Some(first) = excluded.first() {
        let all = excluded.len() == values.len();
        let message = format!(
            "{} can never match: another keyword next to '{keyword}' excludes it; {}",
            short(first),
            if all {
                "no value is left, so change one of them"
            } else {
                "remove it from the list or fix the keyword"
            }
        );
        let finding = if all { Finding::error } else { Finding::warning };
        findings.push(finding("enum-excluded", &place, message));
    }
}

fn excluded<'a>(at: &At<'_>, values: &'a [Value]) -> Vec<&'a Value> {
    let types = at.types();
    let keywords: Map<String, Value> = EXCLUDING
        .iter()
        .filter_map(|keyword| Some(((*keyword).to_owned(), at.get(keyword)?.clone())))
        .collect();
    let rest =
        if keywords.is_empty() { None } else { Schema::compile(&Value::Object(keywords), at.meter).ok() };
    let excludes = |value: &&Value| {
        types.as_ref().is_some_and(|types| !types.iter().any(|name| has_type(value, name)))
            || rest.as_ref().is_some_and(|rest| rest.affords(value).is_ok() && !rest.is_valid(value))
    };
    values.iter().filter(excludes).collect()
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Parts of the document that no value satisfies, as far as it can be proven. Found by an algebra over whole
/// schemas whose cost grows with the number of siblings, so large documents are left out.
pub(super) fn unsatisfiable(schema: &Schema, findings: &mut Vec<Finding>) {
    let document = schema.document();
    if document.to_string().len() > MAX_SATISFIABILITY_BYTES
        || branches(document) > MAX_SATISFIABILITY_BRANCHES
    {
        return;
    }
    let draft = match schema.dialect() {
        Dialect::Draft7 => Draft::Draft7,
        Dialect::Draft201909 => Draft::Draft201909,
        Dialect::Draft202012 => Draft::Draft202012,
    };
    let options = canonical::options()
        .with_draft(draft)
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(true)
        .offline();
    let Ok(parts) = options.prepare(document).and_then(|prepared| prepared.unsatisfiable()) else { return };
    for (pointer, reason) in &parts {
        let UnsatisfiableReason::Conflict(causes) = reason else { continue };
        let place = JsonPath::of_pointer(document, pointer);
        // A more exact rule has spoken about this place already.
        let known = |finding: &Finding| {
            finding.severity == super::Severity::Error && finding.pointer.starts_with(pointer.as_str())
        };
        if findings.iter().any(known) {
            continue;
        }
        let names: Vec<String> =
            causes.iter().flat_map(|cause| &cause.keywords).map(|keyword| format!("'{keyword}'")).collect();
        let what = if names.is_empty() { "its parts".to_owned() } else { names.join(" and ") };
        let message = format!("no value satisfies {what} together; change one of them");
        findings.push(Finding::error("unsatisfiable", &place, message));
    }
}

fn branches(document: &Value) -> usize {
    let mut count = 0;
    walk::each(document, &mut |_, part| {
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|keyword| part.get(keyword)?.as_array());
        count += lists.map(Vec::len).sum::<usize>();
        count += ["not", "if", "$ref"].iter().filter(|keyword| part.get(keyword).is_some()).count();
    });
    count
}
