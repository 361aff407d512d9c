//! Keywords that never apply, because of other keywords or their absence.

use serde_json::Value;

use super::Finding;
use super::at::At;
use crate::schema::Dialect;

/// The keywords of each type.
const TYPED: &[(&str, &[&str])] = &[
    (
        "object",
        &[
            "properties",
            "patternProperties",
            "additionalProperties",
            "required",
            "minProperties",
            "maxProperties",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        ],
    ),
    (
        "array",
        &["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"],
    ),
    ("string", &["minLength", "maxLength", "pattern"]),
    ("number", &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]),
];

pub(super) fn check(at: &At<'_>, findings: &mut Vec<Finding>) {
    wrong_type(at, findings);
    missing_partner(at, findings);
    unanchored(at, findings);
}

fn wrong_type(at: &At<'_>, findings: &mut Vec<Finding>) {
    let Some(types) = at.types() else { return };
    for (name, keywords) in TYPED {
        let applies = types.contains(name) || *name == "number" && types.contains(&"integer");
        let present: Vec<&str> = keywords.iter().copied().filter(|keyword| at.has(keyword)).collect();
        let (Some(first), false) = (present.first(), applies) else { continue };
        let list: Vec<String> = present.iter().map(|keyword| format!("'{keyword}'")).collect();
        let message = format!(
            "{} applies only to values of type {name}, which 'type' excludes, so it has no effect; change 'type' or remove it",
            list.join(", ")
        );
        findings.push(Finding::warning("keyword-never-applies", &at.place.key(first), message));
    }
}

fn missing_partner(at: &At<'_>, findings: &mut Vec<Finding>) {
    let mut lonely = |keyword: &str, partner: &str, what: &str| {
        if at.has(keyword) {
            let message = format!("'{keyword}' has no effect without {partner}; {what}");
            findings.push(Finding::warning("missing-partner", &at.place.key(keyword), message));
        }
    };
    if !at.has("if") {
        lonely("then", "'if'", "add 'if', or move its content out");
        lonely("else", "'if'", "add 'if', or move its content out");
    } else if !at.has("then") && !at.has("else") {
        lonely("if", "'then' or 'else'", "add one, or remove it");
    }
    if !at.get("items").is_some_and(Value::is_array) && at.dialect != Dialect::Draft202012 {
        lonely("additionalItems", "a list in 'items'", "use 'items' for all items");
    }
    if !at.has("contains") && at.dialect != Dialect::Draft7 {
        lonely("minContains", "'contains'", "add it, or use 'minItems'");
        lonely("maxContains", "'contains'", "add it, or use 'maxItems'");
    }
}

fn unanchored(at: &At<'_>, findings: &mut Vec<Finding>) {
    let Some(pattern) = at.get("pattern").and_then(Value::as_str) else { return };
    if !pattern.starts_with('^') || !pattern.ends_with('$') {
        let message = format!(
            "the pattern {} matches anywhere in the string; to match the whole string, anchor it: \"^…$\", or \"^(?:…)$\" if it contains '|'",
            Value::from(pattern)
        );
        findings.push(Finding::info("unanchored-pattern", &at.place.key("pattern"), message));
    }
}
