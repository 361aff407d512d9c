//! References: ignored keywords next to them, and unused definitions.

use std::collections::HashSet;

use serde_json::Value;

use super::Finding;
use super::at::At;
use crate::json_path::JsonPath;
use crate::schema::reference::{KEYWORDS, Resolver, base_at, base_of};
use crate::schema::walk::{self, Reach};
use crate::schema::{Dialect, Schema};

/// Annotations do no harm next to a reference, and definitions are found through it.
const HARMLESS: &[&str] = &[
    "$ref",
    "$id",
    "$schema",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
    "deprecated",
];

/// Reports the keywords that a reference disables; returns whether it disables its siblings.
pub(super) fn siblings(at: &At<'_>, findings: &mut Vec<Finding>) -> bool {
    if at.dialect != Dialect::Draft7 || !at.has("$ref") {
        return false;
    }
    let ignored: Vec<String> = at
        .keywords
        .keys()
        .filter(|keyword| !HARMLESS.contains(&keyword.as_str()) && !keyword.starts_with("x-"))
        .map(|keyword| format!("'{keyword}'"))
        .collect();
    if !ignored.is_empty() {
        let message = format!(
            "in draft-07 keywords next to '$ref' are ignored, here {}; move the reference and the others into 'allOf', or set a later dialect in '$schema'",
            ignored.join(", ")
        );
        findings.push(Finding::warning("ref-siblings-ignored", &at.place.key("$ref"), message));
    }
    true
}

/// Definitions that no reference leads to, directly or through others.
pub(super) fn unused(schema: &Schema, findings: &mut Vec<Finding>) {
    let document = schema.document();
    let resolver = Resolver::new(document);
    let mut used: HashSet<JsonPath> = HashSet::new();
    let mut stack = vec![(String::new(), JsonPath::root(), document)];
    let mut seen: HashSet<JsonPath> = HashSet::new();
    while let Some((parent, place, part)) = stack.pop() {
        if !seen.insert(place.clone()) {
            continue;
        }
        let base = base_of(&parent, part);
        for keyword in KEYWORDS {
            let reference = part.get(keyword).and_then(Value::as_str);
            if let Some((target, inner)) = reference.and_then(|reference| resolver.resolve(&base, reference))
            {
                mark(&mut used, &target);
                stack.push((base_at(document, &target), target, inner));
            }
        }
        for child in walk::children(part).into_iter().filter(|child| child.reach != Reach::Defined) {
            stack.push((base.clone(), child.place(&place), child.schema));
        }
    }
    walk::each(document, &mut |place, part| {
        for keyword in ["$defs", "definitions"] {
            let names = part.get(keyword).and_then(Value::as_object).into_iter().flatten();
            for (name, _) in names {
                let place = place.key(keyword).key(name);
                if !used.contains(&place) {
                    let message = format!("the definition '{name}' is not used; remove it or reference it");
                    findings.push(Finding::warning("unused-definition", &place, message));
                }
            }
        }
    });
}

/// A reference into a definition uses the definition.
fn mark(used: &mut HashSet<JsonPath>, target: &JsonPath) {
    let mut place = JsonPath::root();
    for step in target.steps() {
        place.push(step.clone());
        used.insert(place.clone());
    }
}
