//! A schema of an older dialect in the words of 2020-12, so that two schemas can be compared or made one.

use accord_json::{Exceeded, Meter};
use serde_json::{Map, Value};

use super::dialect::{Dialect, LATER};
use super::walk;
use crate::json_path::JsonPath;

/// What it costs to rewrite a byte of a schema.
const STEPS_A_BYTE: u64 = 2;

/// The same schema in 2020-12, without its `$schema`. None where that cannot be written without a change of meaning: parts in other
/// dialects, dynamic references, and references into keywords that have another name there.
pub fn latest(schema: &Value, meter: &Meter) -> Result<Option<Value>, Exceeded> {
    let bytes = schema.to_string().len();
    meter.bytes(bytes)?;
    meter.steps(STEPS_A_BYTE * bytes as u64)?;
    let Ok(dialect) = Dialect::of(schema, meter) else { return Ok(None) };
    let mut places = Vec::new();
    let mut is_plain = true;
    walk::each(schema, &mut |place, part| {
        is_plain &= place.steps().is_empty() || part.get("$schema").is_none();
        is_plain &= dialect == Dialect::Draft202012 || is_movable(part);
        places.push(place.clone());
    });
    if !is_plain {
        return Ok(None);
    }
    let mut whole = schema.clone();
    if dialect != Dialect::Draft202012 {
        // Children first: a parent may give their place another name.
        for place in places.iter().rev() {
            rewrite(&mut whole, place, dialect);
        }
    }
    if let Value::Object(keywords) = &mut whole {
        keywords.shift_remove("$schema");
    }
    Ok(Some(whole))
}

/// Whether the references of a part of an older schema lead to the same place afterwards.
fn is_movable(part: &Value) -> bool {
    let is_kept = |reference: &str| {
        let place = reference.strip_prefix("#/definitions/").or(reference.strip_prefix("#/$defs/"));
        reference == "#" || place.is_some_and(|name| !name.contains('/'))
    };
    let references = part.get("$ref").and_then(Value::as_str).is_none_or(is_kept);
    let addresses = ["$recursiveRef", "$recursiveAnchor", "$anchor", "$id"];
    references && !addresses.iter().any(|keyword| part.get(*keyword).is_some())
}

fn rewrite(whole: &mut Value, place: &JsonPath, dialect: Dialect) {
    let Some(Value::Object(keywords)) = whole.pointer_mut(&place.pointer()) else { return };
    if dialect == Dialect::Draft7 {
        // Draft-07 ignores what is next to a reference, and keywords that came later.
        let is_reference = keywords.contains_key("$ref");
        let counts =
            |name: &str| !is_reference || ["$ref", "definitions", "$defs", "$schema"].contains(&name);
        keywords.retain(|name, _| counts(name) && !LATER.contains(&name.as_str()));
    }
    let rest = keywords.shift_remove("additionalItems");
    if keywords.get("items").is_some_and(Value::is_array)
        && let Some(positions) = keywords.shift_remove("items")
    {
        keywords.insert("prefixItems".to_owned(), positions);
        keywords.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }
    if let Some(Value::Object(dependencies)) = keywords.shift_remove("dependencies") {
        let (names, schemas): (Map<String, Value>, Map<String, Value>) =
            dependencies.into_iter().partition(|(_, dependency)| dependency.is_array());
        let parts = [("dependentRequired", names), ("dependentSchemas", schemas)];
        let parts = parts.into_iter().filter(|(_, part)| !part.is_empty());
        keywords.extend(parts.map(|(name, part)| (name.to_owned(), Value::Object(part))));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(schema: &Value) -> Option<Value> {
        latest(schema, &Meter::default()).unwrap()
    }

    #[test]
    fn older_keywords_become_those_of_today() {
        let old = json!({
            "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
            "properties": {"pair": {"items": [{"$ref": "#/definitions/a", "maxLength": 1}], "additionalItems": false}},
            "dependencies": {"a": ["b"], "c": {"required": ["d"]}},
            "definitions": {"a": {"type": "string"}},
        });
        let new = json!({
            "type": "object",
            "properties": {"pair": {"prefixItems": [{"$ref": "#/definitions/a"}], "items": false}},
            "definitions": {"a": {"type": "string"}},
            "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}},
        });
        assert_eq!(of(&old), Some(new));
    }

    #[test]
    fn a_schema_of_today_only_loses_its_dialect() {
        let schema = json!({"type": "array", "prefixItems": [{"type": "string"}]});
        assert_eq!(of(&schema).as_ref(), Some(&schema));
        let mut named = schema.clone();
        named["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        assert_eq!(of(&named), Some(schema));
    }

    #[test]
    fn what_would_change_its_meaning_is_left() {
        let draft7 = "http://json-schema.org/draft-07/schema#";
        for schema in [
            json!({"$schema": draft7, "$id": "a", "properties": {"b": {"$ref": "#"}}}),
            json!({"$schema": draft7, "items": [{}, {"$ref": "#/items/0"}]}),
            json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "items": {"$recursiveRef": "#"}}),
            json!({"properties": {"a": {"$schema": draft7}}}),
            json!({"$schema": "https://example.com/mine"}),
        ] {
            assert_eq!(of(&schema), None, "{schema}");
        }
    }
}
