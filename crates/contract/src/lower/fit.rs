//! Whether a provider takes the lowered schema at all.

use serde_json::Value;

use super::graph::{Graph, Shape};
use super::measure::Counts;
use super::plan::Plan;
use super::profile::{Limits, Profile, References};

/// Why not; `None` if it does.
pub(super) fn refusal(
    graph: &Graph,
    plan: &Plan,
    profile: &Profile,
    schema: &Value,
    too_deep: bool,
) -> Option<String> {
    let mut reasons = Vec::new();
    if matches!(graph.get(graph.root()).shape, Shape::Never) {
        reasons.push("no value conforms to the schema".to_owned());
    }
    if plan.recursive && !profile.recursion && profile.references == References::Keep {
        reasons.push("the schema is recursive".to_owned());
    }
    if too_deep && profile.references == References::Keep {
        reasons.push("the schema is nested too deeply".to_owned());
    }
    if let Some(counts) = Counts::of(graph) {
        over(&mut reasons, "optional properties after expansion", counts.optional, profile.limits.optional);
        over(&mut reasons, "unions after expansion", counts.unions, profile.limits.unions);
    }
    sizes(&mut reasons, &profile.limits, schema);
    (!reasons.is_empty()).then(|| format!("{}: {}", profile.title, reasons.join("; ")))
}

fn over(reasons: &mut Vec<String>, what: &str, count: u64, limit: Option<u64>) {
    if let Some(limit) = limit.filter(|limit| count > *limit) {
        reasons.push(format!("{count} {what}; the limit is {limit}"));
    }
}

/// The sizes that a provider limits, measured on the schema as it is sent.
#[derive(Default)]
struct Sizes {
    properties: u64,
    enum_values: u64,
    characters: u64,
    depth: u64,
}

fn sizes(reasons: &mut Vec<String>, limits: &Limits, schema: &Value) {
    let mut sizes = Sizes::default();
    sizes.measure(schema, 0);
    for (name, definition) in schema.get("$defs").and_then(Value::as_object).into_iter().flatten() {
        sizes.characters += name.len() as u64;
        sizes.measure(definition, 0);
    }
    over(reasons, "properties", sizes.properties, limits.properties);
    over(reasons, "levels", sizes.depth, limits.depth);
    over(reasons, "enum values", sizes.enum_values, limits.enum_values);
    over(reasons, "characters of names and enum values", sizes.characters, limits.characters);
}

impl Sizes {
    /// The emitted schema has only these keywords, and its depth is bounded.
    fn measure(&mut self, schema: &Value, depth: u64) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            self.depth = self.depth.max(depth + 1);
            for (name, property) in properties {
                self.properties += 1;
                self.characters += name.len() as u64;
                self.measure(property, depth + 1);
            }
        }
        for value in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
            self.enum_values += 1;
            self.characters += value.as_str().map_or(0, |text| text.len() as u64);
        }
        for branch in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            self.measure(branch, depth);
        }
        match schema.get("items") {
            Some(Value::Array(items)) => items.iter().for_each(|item| self.measure(item, depth)),
            Some(items) => self.measure(items, depth),
            None => {}
        }
        if let Some(additional) = schema.get("additionalProperties") {
            self.measure(additional, depth);
        }
    }
}
