//! Shapes that generators of clients can read.
//!
//! A tagged enum comes out as a union of objects without names, some of them put together with `allOf`. Generators number
//! what has no name, trip over unions inside `allOf`, and leave whole routes out. So every variant becomes a shape of its
//! own, named after its tag and its union, and the union says by which member they differ. What may be any object says so.

use serde_json::{Map, Value, json};

pub(crate) const SCHEMAS: &str = "#/components/schemas/";

/// The member by which the variants of every union of ours differ.
const TAG: &str = "type";

/// Rewrites the schemas of an OpenAPI document for generators.
pub fn rewrite_for_generators(document: &mut Value) {
    if let Some(schemas) = document.pointer_mut("/components/schemas") {
        bound_counts(schemas);
    }
    name_variants(document);
    let_shapes_overlap(document);
    open_objects(document);
    drop_empty_defaults(document);
}

/// Adds the upper bound to unsigned integers of 32 bits, which utoipa leaves out.
fn bound_counts(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_count = members.get("format").is_some_and(|format| format == "int32")
                && members.get("minimum").is_some_and(|least| least == 0);
            if is_count {
                members.entry("maximum").or_insert_with(|| json!(u32::MAX));
            }
            members.values_mut().for_each(bound_counts);
        }
        Value::Array(items) => items.iter_mut().for_each(bound_counts),
        _ => {}
    }
}

/// Says of objects of any shape that they may have any members: generators take an object without members for one that
/// must have none.
fn open_objects(document: &mut Value) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(open_objects),
        Value::Object(members) => {
            let kind = members.get("type");
            let is_object = kind.is_some_and(|kind| match kind {
                Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
                kind => kind == "object",
            });
            let is_bare =
                ["properties", "additionalProperties"].iter().all(|name| !members.contains_key(*name));
            if is_object && is_bare {
                members.insert("additionalProperties".to_owned(), json!({}));
            }
            members.values_mut().for_each(open_objects);
        }
        _ => {}
    }
}

/// Leaves out defaults that say no more than that a member may be left out. Generators make a member with a default one that
/// always has to be given.
fn drop_empty_defaults(document: &mut Value) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(drop_empty_defaults),
        Value::Object(members) => {
            let is_schema = members.contains_key("type") || members.contains_key("oneOf");
            let is_empty = members.get("default").is_some_and(|default| match default {
                Value::Null | Value::Bool(false) => true,
                Value::Bool(true) => false,
                Value::Number(number) => number.as_f64() == Some(0.0),
                Value::String(text) => text.is_empty(),
                Value::Array(items) => items.is_empty(),
                Value::Object(members) => members.is_empty(),
            });
            if is_empty && (is_schema || members.len() <= 2) {
                members.shift_remove("default");
            }
            members.values_mut().for_each(drop_empty_defaults);
        }
        _ => {}
    }
}

/// Gives every variant of a tagged union a name.
fn name_variants(document: &mut Value) {
    let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") else { return };
    for name in schemas.keys().cloned().collect::<Vec<_>>() {
        let Some(variants) = variants(schemas, &name) else { continue };
        let mut references = Vec::new();
        let mut mapping = Map::new();
        for (tag, variant) in variants {
            let own = format!("{}{name}", words(&tag));
            let reference = format!("{SCHEMAS}{own}");
            schemas.insert(own, variant);
            references.push(json!({"$ref": reference}));
            mapping.insert(tag, Value::String(reference));
        }
        let union = json!({"oneOf": references, "discriminator": {"propertyName": TAG, "mapping": mapping}});
        let union = described(union, schemas.get(&name));
        schemas.insert(name, union);
    }
}

/// Says of unions of named shapes without a tag that a value may fit several of them: the larger one has all that the smaller
/// one asks for. Simple values beside them are no obstacle; with `oneOf`, openapi-generator writes code that does not compile.
fn let_shapes_overlap(document: &mut Value) {
    let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") else { return };
    for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
        let is_named = |variant: &Value| variant.get("$ref").is_some();
        let is_simple = |variant: &Value| variant.get("type").is_some_and(|kind| kind == "string");
        let variants = schema.get("oneOf").and_then(Value::as_array);
        let is_union = variants.is_some_and(|all| {
            all.iter().any(is_named) && all.iter().all(|variant| is_named(variant) || is_simple(variant))
        });
        if schema.contains_key("discriminator") || !is_union {
            continue;
        }
        if let Some(variants) = schema.shift_remove("oneOf") {
            schema.insert("anyOf".to_owned(), variants);
        }
    }
}

/// The variants of a type, each as one object, by tag; `None` if it is not a tagged union.
fn variants(schemas: &Map<String, Value>, name: &str) -> Option<Vec<(String, Value)>> {
    let schema = schemas.get(name)?;
    let variants = match (list(schema, "oneOf"), list(schema, "allOf")) {
        (Some(variants), _) => variants.clone(),
        // A union with members beside it: each variant has them too.
        (None, Some(parts)) => beside(schemas, parts)?,
        (None, None) => return None,
    };
    let whole = variants.iter().map(|variant| whole(schemas, variant)).collect::<Option<Vec<_>>>()?;
    whole.into_iter().map(|variant| Some((tag(&variant)?, variant))).collect()
}

/// The variants of the one union among some parts, each with the other parts.
fn beside(schemas: &Map<String, Value>, parts: &[Value]) -> Option<Vec<Value>> {
    let (unions, others): (Vec<&Value>, Vec<&Value>) =
        parts.iter().partition(|part| list(resolved(schemas, part), "oneOf").is_some());
    let [union] = unions.as_slice() else { return None };
    let variants = list(resolved(schemas, union), "oneOf")?;
    let with_others = |variant: &Value| {
        let parts: Vec<&Value> = others.iter().copied().chain([variant]).collect();
        described(json!({"allOf": parts}), Some(variant))
    };
    Some(variants.iter().map(with_others).collect())
}

/// The merged schema of an object; `None` if it is not an object.
fn whole(schemas: &Map<String, Value>, schema: &Value) -> Option<Value> {
    let schema = resolved(schemas, schema);
    let Some(parts) = list(schema, "allOf") else {
        let is_object = schema.get("properties").is_some() || schema.get("type") == Some(&json!("object"));
        return is_object.then(|| schema.clone());
    };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let part = whole(schemas, part)?;
        properties.extend(part.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
        required.extend(list(&part, "required").cloned().unwrap_or_default());
    }
    let whole = json!({"type": "object", "required": required, "properties": properties});
    Some(described(whole, Some(schema)))
}

/// A shape with the description of another, where that has one.
fn described(mut shape: Value, like: Option<&Value>) -> Value {
    let description = like.and_then(|like| like.get("description")).cloned();
    if let (Some(description), Some(members)) = (description, shape.as_object_mut()) {
        members.insert("description".to_owned(), description);
    }
    shape
}

fn resolved<'a>(schemas: &'a Map<String, Value>, schema: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let name = reference.and_then(|reference| reference.strip_prefix(SCHEMAS));
    name.and_then(|name| schemas.get(name)).unwrap_or(schema)
}

fn list<'a>(schema: &'a Value, member: &str) -> Option<&'a Vec<Value>> {
    schema.get(member).and_then(Value::as_array)
}

/// The one value that the tag of an object can have.
fn tag(schema: &Value) -> Option<String> {
    let values = list(schema.get("properties")?.get(TAG)?, "enum")?;
    match values.as_slice() {
        [Value::String(tag)] => Some(tag.clone()),
        _ => None,
    }
}

/// `session.created` as part of a name: `SessionCreated`.
fn words(tag: &str) -> String {
    let mut text = String::new();
    for word in tag.split(|each: char| !each.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(tag: &str) -> Value {
        json!({"type": "object", "required": ["type"], "properties": {"type": {"type": "string", "enum": [tag]}}})
    }

    #[test]
    fn every_variant_has_a_name() {
        let reference = |name: &str| json!({"$ref": format!("{SCHEMAS}{name}")});
        let settings =
            json!({"type": "object", "required": ["model"], "properties": {"model": {"type": "string"}}});
        let at = json!({"type": "object", "required": ["at"], "properties": {"at": {"type": "string"}}});
        let mut document = json!({"components": {"schemas": {
            "Settings": settings,
            "Body": {"description": "What.", "oneOf": [variant("a.b"), {
                "allOf": [reference("Settings"), variant("c-d")], "description": "With settings.",
            }]},
            "View": {"allOf": [reference("Body"), at]},
            "Text": {"type": "string"},
            "Either": {"oneOf": [reference("Settings"), {"type": "null"}]},
        }}});
        let before = document.clone();
        name_variants(&mut document);
        let schemas = document.pointer("/components/schemas").unwrap();
        for name in ["Settings", "Text", "Either"] {
            assert_eq!(schemas.get(name), before.pointer(&format!("/components/schemas/{name}")), "{name}");
        }
        let body = json!({
            "oneOf": [reference("ABBody"), reference("CDBody")],
            "discriminator": {"propertyName": "type", "mapping": {
                "a.b": format!("{SCHEMAS}ABBody"), "c-d": format!("{SCHEMAS}CDBody"),
            }},
            "description": "What.",
        });
        assert_eq!(schemas.get("Body"), Some(&body));
        assert_eq!(schemas.get("ABBody"), Some(&variant("a.b")));
        let with_settings = schemas.get("CDBody").unwrap();
        assert_eq!(with_settings.get("required"), Some(&json!(["model", "type"])));
        assert_eq!(with_settings.get("description"), Some(&json!("With settings.")));
        let seen = schemas.get("CDView").unwrap();
        assert_eq!(seen.get("required"), Some(&json!(["at", "model", "type"])));
        let names: Vec<&String> = seen.get("properties").unwrap().as_object().unwrap().keys().collect();
        assert_eq!(names, ["at", "model", "type"]);
        // An item without a doc comment has no description, not an empty one.
        assert_eq!(schemas.get("ABView").unwrap().get("description"), None);
    }

    #[test]
    fn shapes_without_a_tag_may_overlap() {
        let named = json!([{"$ref": format!("{SCHEMAS}A")}, {"$ref": format!("{SCHEMAS}B")}]);
        let plain = json!({"oneOf": [{"type": "string"}, {"type": "array"}]});
        let maybe = json!({"oneOf": [{"$ref": format!("{SCHEMAS}A")}, {"type": "null"}]});
        let tagged = json!({"oneOf": named, "discriminator": {"propertyName": TAG}});
        let mut document = json!({"components": {"schemas": {
            "Named": {"oneOf": named, "description": "x"}, "Plain": plain, "Maybe": maybe, "Tagged": tagged,
        }}});
        let_shapes_overlap(&mut document);
        let expected = json!({"components": {"schemas": {
            "Named": {"anyOf": named, "description": "x"}, "Plain": plain, "Maybe": maybe, "Tagged": tagged,
        }}});
        assert_eq!(document, expected);
    }

    #[test]
    fn an_object_of_any_shape_is_open() {
        let mut document = json!({
            "any": {"type": ["object", "null"], "description": "x"},
            "list": [{"type": "object"}, {"type": "string"}],
            "known": {"type": "object", "properties": {"type": {"type": "object"}}},
        });
        open_objects(&mut document);
        let open = json!({"type": "object", "additionalProperties": {}});
        let expected = json!({
            "any": {"type": ["object", "null"], "description": "x", "additionalProperties": {}},
            "list": [open, {"type": "string"}],
            "known": {"type": "object", "properties": {"type": open}},
        });
        assert_eq!(document, expected);
    }

    #[test]
    fn only_meaningful_defaults_are_written() {
        let mut document = json!({
            "a": {"type": ["string", "null"], "default": null},
            "b": {"type": "integer", "default": 0},
            "c": {"type": "integer", "default": 3},
            "d": {"description": "any", "default": null},
            "e": {"type": "boolean", "default": true},
        });
        drop_empty_defaults(&mut document);
        let expected = json!({
            "a": {"type": ["string", "null"]},
            "b": {"type": "integer"},
            "c": {"type": "integer", "default": 3},
            "d": {"description": "any"},
            "e": {"type": "boolean", "default": true},
        });
        assert_eq!(document, expected);
    }
}
