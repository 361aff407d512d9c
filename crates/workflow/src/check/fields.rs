//! Looking up a field in a schema.

use accord_contract::{JsonPath, Step};
use accord_domain::nearest;
use serde_json::Value;

use crate::limits::MOST_NAMES;

/// What a schema says of a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Field<'a> {
    /// It may be there, and this is what it is.
    Known(&'a Value),
    /// It cannot be there: this part of the path has no such field.
    Missing(usize),
    /// It is neither declared nor forbidden: this part of the path is not declared.
    Undeclared(usize),
    /// The schema does not say.
    Open,
}

/// So many references are followed: more is a circle.
const MOST_REFERENCES: usize = 16;

/// So many parts of a schema are looked at for a member. People make one of two or three.
const MOST_PARTS: usize = 100;

/// Follows fields from the root of a schema.
pub(crate) fn field<'a>(root: &'a Value, path: &[&str]) -> Field<'a> {
    let steps: JsonPath = path.iter().map(|name| Step::Key((*name).to_owned())).collect();
    at(root, steps.steps())
}

/// Follows a JSON pointer, in which `*` is an item of a list, from the root of a schema.
pub(super) fn at_pointer<'a>(root: &'a Value, pointer: &str) -> Field<'a> {
    let step = |token: &str| match token {
        "*" => Step::Index(0),
        name => Step::Key(name.replace("~1", "/").replace("~0", "~")),
    };
    let steps: Vec<Step> = pointer.split('/').skip(1).map(step).collect();
    at(root, &steps)
}

/// Follows fields and items from the root of a schema.
fn at<'a>(root: &'a Value, steps: &[Step]) -> Field<'a> {
    let mut schema = root;
    for (depth, step) in steps.iter().enumerate() {
        let Some(resolved) = resolve(root, schema) else { return Field::Open };
        let member = match step {
            Step::Key(name) => member(resolved, name),
            Step::Index(_) => item(resolved),
        };
        schema = match member {
            Member::Is(schema) => schema,
            Member::Never => return Field::Missing(depth),
            Member::Undeclared => return Field::Undeclared(depth),
            Member::Open => return Field::Open,
        };
    }
    match resolve(root, schema) {
        Some(schema) => Field::Known(schema),
        None => Field::Open,
    }
}

enum Member<'a> {
    Is(&'a Value),
    Never,
    Undeclared,
    Open,
}

/// Keywords under which a field may be declared elsewhere.
const ELSEWHERE: &[&str] =
    &["anyOf", "oneOf", "allOf", "if", "$ref", "patternProperties", "dependentSchemas"];

fn member<'a>(schema: &'a Value, name: &str) -> Member<'a> {
    let Value::Object(keywords) = schema else { return Member::Open };
    if let Some(found) = keywords.get("properties").and_then(|properties| properties.get(name)) {
        return Member::Is(found);
    }
    let types: Vec<&str> = match keywords.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.contains(&"object") {
        return Member::Never;
    }
    if ELSEWHERE.iter().any(|keyword| keywords.contains_key(*keyword)) {
        return Member::Open;
    }
    match keywords.get("additionalProperties") {
        Some(Value::Bool(false)) => Member::Never,
        Some(other @ Value::Object(_)) => Member::Is(other),
        _ if keywords.contains_key("properties") => Member::Undeclared,
        _ => Member::Open,
    }
}

/// The items of a list, where they are all alike.
fn item(schema: &Value) -> Member<'_> {
    let items = schema.get("items").filter(|items| items.is_object() && schema.get("prefixItems").is_none());
    items.map_or(Member::Open, Member::Is)
}

/// The warning for a field that a rule probably misspells: one that cannot exist, or one that is not declared while a
/// similar name is.
pub(crate) fn slip(variable: &str, place: &JsonPath, root: &Value) -> Option<String> {
    let steps = place.steps();
    let (depth, is_closed) = match at(root, steps) {
        Field::Missing(depth) => (depth, true),
        Field::Undeclared(depth) => (depth, false),
        Field::Known(_) | Field::Open => return None,
    };
    let Some(Step::Key(name)) = steps.get(depth) else { return None };
    let before = steps.get(..depth).unwrap_or_default();
    let hint = meant(root, before, name).map(|meant| format!("; did you mean '{meant}'?"));
    let (whole, owner) = (named(variable, steps), named(variable, before));
    let problem = match (is_closed, hint) {
        (true, hint) => format!("{owner} has no field '{name}'{}", hint.unwrap_or_default()),
        (false, Some(hint)) => format!("the schema of {owner} does not declare a field '{name}'{hint}"),
        (false, None) => return None,
    };
    Some(format!("the rule uses '{whole}', but {problem}"))
}

/// The declared field that a name was perhaps meant to be.
pub(super) fn meant<'a>(root: &'a Value, owner: &[Step], name: &str) -> Option<&'a str> {
    let Field::Known(owner) = at(root, owner) else { return None };
    let properties =
        owner.get("properties")?.as_object().filter(|properties| properties.len() <= MOST_NAMES)?;
    nearest(name, properties.keys().map(String::as_str))
}

/// A place as rules write it; of a list, an item.
fn named(variable: &str, steps: &[Step]) -> String {
    steps.iter().fold(variable.to_owned(), |text, step| match step {
        Step::Key(name) => format!("{text}.{name}"),
        Step::Index(_) => format!("{text}[…]"),
    })
}

/// The schema behind references into the same document.
pub(super) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..MOST_REFERENCES {
        match schema.get("$ref").and_then(Value::as_str) {
            None => return Some(schema),
            Some(reference) => schema = root.pointer(reference.strip_prefix('#')?)?,
        }
    }
    None
}

/// Whether a schema declares a member, itself or in its references and subschemas.
pub(crate) fn declares(root: &Value, name: &str) -> bool {
    let mut parts = vec![root];
    let mut next = 0;
    while let Some(part) = parts.get(next).copied() {
        next += 1;
        if part.get("properties").and_then(|properties| properties.get(name)).is_some() {
            return true;
        }
        let referred =
            part.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        let all = part.get("allOf").and_then(Value::as_array).into_iter().flatten();
        for inner in referred.and_then(|pointer| root.pointer(pointer)).into_iter().chain(all) {
            if parts.len() < MOST_PARTS && !parts.iter().any(|known| std::ptr::eq(*known, inner)) {
                parts.push(inner);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_looked_up() {
        let schema = json!({
            "type": "object",
            "properties": {
                "open": {"type": "object", "properties": {"a": {"type": "string"}}},
                "closed": {"type": "object", "properties": {}, "additionalProperties": false},
                "text": {"type": "string"},
                "named": {"$ref": "#/$defs/thing"},
                "any": {},
                "choice": {"anyOf": [{"properties": {"a": {}}}]},
            },
            "$defs": {"thing": {"properties": {"b": {"type": "integer"}}}},
        });
        assert_eq!(field(&schema, &["open", "a"]), Field::Known(&json!({"type": "string"})));
        assert_eq!(field(&schema, &["open", "b"]), Field::Undeclared(1));
        assert_eq!(field(&schema, &["closed", "b"]), Field::Missing(1));
        assert_eq!(field(&schema, &["text", "b"]), Field::Missing(1));
        assert_eq!(field(&schema, &["named", "b"]), Field::Known(&json!({"type": "integer"})));
        assert_eq!(field(&schema, &["any", "b", "c"]), Field::Open);
        assert_eq!(field(&schema, &["choice", "b"]), Field::Open);
    }

    #[test]
    fn warns_of_misspelt_fields() {
        let schema = json!({
            "properties": {
                "findings": {"type": "array", "items": {"properties": {"line": {}}, "additionalProperties": false}},
                "text": {"type": "string"},
            },
        });
        let told = |steps: &[Step]| slip("output", &steps.iter().cloned().collect(), &schema);
        let key = |name: &str| Step::Key(name.to_owned());
        let finding = "the rule uses 'output.finding', but the schema of output does not declare a field 'finding'; \
                       did you mean 'findings'?";
        assert_eq!(told(&[key("finding")]).as_deref(), Some(finding));
        assert_eq!(told(&[key("elsewhere")]), None, "nothing forbids it, and nothing is like it");
        let line = "the rule uses 'output.findings[…].lines', but output.findings[…] has no field 'lines'; did you mean 'line'?";
        assert_eq!(told(&[key("findings"), Step::Index(0), key("lines")]).as_deref(), Some(line));
        let text = "the rule uses 'output.text.x', but output.text has no field 'x'";
        assert_eq!(told(&[key("text"), key("x")]).as_deref(), Some(text));
        assert_eq!(told(&[key("findings"), Step::Index(0), key("line"), key("x")]), None);
    }

    #[test]
    fn finds_declared_fields_behind_references_and_branches() {
        let schema = json!({
            "$ref": "#/$defs/whole",
            "$defs": {
                "whole": {"allOf": [{"$ref": "#/$defs/part"}, {"$ref": "#"}], "properties": {"a": {}}},
                "part": {"properties": {"b": {}}},
                "other": {"properties": {"c": {}}},
            },
        });
        assert_eq!(["a", "b", "c"].map(|name| declares(&schema, name)), [true, true, false]);
    }
}
